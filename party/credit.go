package party

import (
	"errors"
	"fmt"

	"tirage/money"
)

var (
	// ErrUnknownOutlet is an outlet that does not exist.
	ErrUnknownOutlet = errors.New("no such outlet")
	// ErrUnknownTerminal is a terminal that does not exist.
	ErrUnknownTerminal = errors.New("no such terminal")
	// ErrWithdrawn is a terminal that an officer has withdrawn.
	ErrWithdrawn = errors.New("the terminal is withdrawn")
	// ErrBlocked is an outlet that may not sell.
	ErrBlocked = errors.New("outlet is blocked")
	// ErrCredit is a sale above the outlet's credit; the error is a [CreditError].
	ErrCredit = errors.New("credit of the outlet exceeded")
	// ErrCreditAlone is a credit limit that one officer may not give alone; the error is a [CreditAloneError].
	ErrCreditAlone = errors.New("one officer alone may not give an outlet so much credit")
	// ErrOutlet is an outlet whose particulars are not valid.
	ErrOutlet = errors.New("not a valid outlet")
	// ErrPrinter is an address of a printer that is not an IP address and a port.
	ErrPrinter = errors.New("not the address of a printer")
)

// CreditError is a refusal by [ErrCredit].
type CreditError struct {
	Limit money.Amount
	Owes  money.Amount // before the sale
	Price money.Amount // of the sale
	Left  money.Amount // the largest price that still fits; zero when nothing does
}

// Error says what was asked and what is left.
func (e *CreditError) Error() string {
	return fmt.Sprintf("%v: %s asked, %s left of %s", ErrCredit, e.Price, e.Left, e.Limit)
}

// Is makes the error an [ErrCredit].
func (e *CreditError) Is(target error) bool { return target == ErrCredit }

// CheckCredit tells whether an outlet that owes so much (less than nothing when
// it paid ahead) may sell for price: nil, or a [CreditError]. The limit itself may be reached.
func (o Outlet) CheckCredit(owes, price money.Amount) error {
	left := o.CreditLimit.Sub(owes)
	if price <= left {
		return nil
	}
	return &CreditError{Limit: o.CreditLimit, Owes: owes, Price: price, Left: max(left, 0)}
}

// CreditAloneError is a refusal by [ErrCreditAlone].
type CreditAloneError struct {
	Limit money.Amount // that was asked for
	Alone money.Amount // the highest that one officer may give
}

// Error says what was asked and what is allowed.
func (e *CreditAloneError) Error() string {
	return fmt.Sprintf("%v: %s, at most %s", ErrCreditAlone, e.Limit, e.Alone)
}

// Is makes the error an [ErrCreditAlone].
func (e *CreditAloneError) Is(target error) bool { return target == ErrCreditAlone }

// CheckRaise tells whether one officer alone may set a credit limit that was another,
// 0 of a new outlet: nil, or a [CreditAloneError]. One that is not higher than it was
// he always may; so he may any without terms.
func (t *Terms) CheckRaise(was, limit money.Amount) error {
	if t == nil || limit <= was || limit <= t.CreditAlone {
		return nil
	}
	return &CreditAloneError{Limit: limit, Alone: t.CreditAlone}
}
