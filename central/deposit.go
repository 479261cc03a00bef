package central

import (
	"context"
	"errors"
	"time"

	"tirage/journal"
	"tirage/money"
	"tirage/store"
)

var (
	// ErrNoVoucher is a voucher that does not exist: its number or code is wrong. The same answer for both (F24).
	ErrNoVoucher = errors.New("no such voucher")
	// ErrVoucherUsed is a voucher that was used before (F11).
	ErrVoucherUsed = errors.New("the voucher was used before")
	// ErrVoucherAmount is an amount that vouchers are not sold for.
	ErrVoucherAmount = errors.New("vouchers are not sold for this amount")
	// ErrDemo is a demo deposit outside a demo.
	ErrDemo = errors.New("demo deposits are for the demo only")
)

// SellVoucher sells a deposit voucher at a terminal.
type SellVoucher struct {
	Key      string
	Terminal string
	Amount   money.Amount
}

// Voucher is a deposit voucher. Its code is derived, as a ticket's is, and not stored.
type Voucher struct {
	Number uint64 // journal index of its sale
	Secret [8]byte
	Amount money.Amount
	Outlet string
	SoldAt time.Time
}

// SellVoucher sells a voucher; the outlet owes its amount. Refusals:
// [ErrVoucherAmount], [party.ErrCredit], [party.ErrBlocked], [party.ErrUnknownTerminal], [ErrKey], [ErrKeyReused], [ErrClock].
func (s *System) SellVoucher(ctx context.Context, v SellVoucher) (Voucher, error) {
	return Voucher{}, errToBuild
}

// Deposited is a deposit made.
type Deposited struct {
	Record  uint64
	Amount  money.Amount
	Balance money.Amount
	Again   bool
}

// DepositVoucher puts a voucher on a player's account, once. Refusals:
// [ErrNoVoucher], [ErrVoucherUsed], [party.ErrMeans], [party.ErrLimit],
// [party.ErrExcluded], [party.ErrTerms], [party.ErrUnknownPlayer], [party.ErrPlayerClosed], [ErrKey], [ErrKeyReused].
func (s *System) DepositVoucher(ctx context.Context, key, player string, number uint64, secret [8]byte) (Deposited, error) {
	return Deposited{}, errToBuild
}

// DepositDemo puts demo money on a player's account, where the system was opened
// with [Options.Demo]. Refusals: [ErrDemo], and those of [System.DepositVoucher].
func (s *System) DepositDemo(ctx context.Context, key, player string, amount money.Amount) (Deposited, error) {
	return Deposited{}, errToBuild
}

// implyMoney is imply for vouchers, deposits, withdrawals and what becomes of
// them. The chain of the player is seen to by [memory.implyPlayer].
func implyMoney(rows *store.Rows, index uint64, rec journal.Record) implied {
	assert(false, "to be built")
	return implied{}
}

// seeMoney audits vouchers, deposits, withdrawals and what becomes of them.
func (a *auditor) seeMoney(index uint64, rec journal.Record) error { return nil }
