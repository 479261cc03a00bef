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
