package central

import (
	"context"
	"errors"
	"time"

	"tirage/money"
)

var (
	// ErrIBAN is not an IBAN.
	ErrIBAN = errors.New("not a valid IBAN")
	// ErrWithdrawalMin is a withdrawal below what the rules ask.
	ErrWithdrawalMin = errors.New("withdrawal too small")
	// ErrWithdrawal is a withdrawal that is not in a state for this.
	ErrWithdrawal = errors.New("the withdrawal is not in a state for this")
)

// Withdraw asks for money to be paid out (retrait).
type Withdraw struct {
	Key    string
	Player string
	Amount money.Amount
	IBAN   string
}

// Withdrawal is a withdrawal and what became of it.
type Withdrawal struct {
	Record uint64
	Player string
	Name   string // of the person: the account to pay to is his
	Amount money.Amount
	IBAN   string
	At     time.Time
	State  string // "asked", "sent", "paid", "returned"
}

// Withdraw takes money off a player's balance, to be paid to an account in his
// name. Refusals: [ErrIBAN], [ErrWithdrawalMin], [party.ErrBalance],
// [party.ErrUnconfirmed], [party.ErrUnknownPlayer], [party.ErrPlayerClosed], [ErrKey], [ErrKeyReused].
func (s *System) Withdraw(ctx context.Context, w Withdraw) (Withdrawal, error) {
	return Withdrawal{}, errToBuild
}

// Withdrawals lists withdrawals in a state, oldest first ("": all, newest first), at most limit.
func (s *System) Withdrawals(ctx context.Context, state string, limit int) ([]Withdrawal, error) {
	return nil, errToBuild
}

// SendWithdrawals puts withdrawals into a payment file (ISO 20022 pain.001),
// which the same key gives again. Refusals: [ErrWithdrawal], [ErrNotAllowed], [ErrIssued], [ErrKey], [ErrKeyReused].
func (s *System) SendWithdrawals(ctx context.Context, key, officer string, records []uint64) (file []byte, err error) {
	return nil, errToBuild
}

// SettleWithdrawals notes what the bank did with withdrawals that were sent:
// paid, or returned, when the player has his money back. Refusals: [ErrWithdrawal], [ErrNotAllowed], [ErrIssued], [ErrKey], [ErrKeyReused].
func (s *System) SettleWithdrawals(ctx context.Context, key, officer string, records []uint64, returned bool) error {
	return errToBuild
}
