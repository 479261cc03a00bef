package central

import (
	"context"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"tirage/journal"
	"tirage/ledger"
	"tirage/money"
	"tirage/party"
	"tirage/store"
	"tirage/wager"
)

var (
	// ErrNoVoucher is a voucher that does not exist: its number or code is wrong. The same answer for both (F24).
	ErrNoVoucher = errors.New("no such voucher")
	// ErrVoucherCode is text that is not the code of a voucher.
	ErrVoucherCode = errors.New("not the code of a voucher")
	// ErrVoucherUsed is a voucher that was used before (F11).
	ErrVoucherUsed = errors.New("the voucher was used before")
	// ErrVoucherAmount is an amount that vouchers are not sold for.
	ErrVoucherAmount = errors.New("vouchers are not sold for this amount")
)

// SellVoucher sells a deposit voucher at a terminal.
type SellVoucher struct {
	Key      string
	Terminal string
	Amount   money.Amount
}

// Voucher is a deposit voucher (bon de versement). Its code is derived, as a ticket's is, and not stored.
type Voucher struct {
	Number uint64 // journal index of its sale
	Secret [8]byte
	Amount money.Amount
	Outlet string
	SoldAt time.Time
}

// Code is what is printed on the voucher and typed to deposit it: as [wager.Code].
func (v Voucher) Code() string { return wager.Code(wager.ID(v.Number), v.Secret) }

// ParseVoucher reads the code of a voucher as [wager.ParseCode] reads a
// ticket's, or returns [wager.ErrTraining] or [ErrVoucherCode]: an error of typing never asks the system.
func ParseVoucher(code string) (number uint64, secret [8]byte, err error) {
	id, secret, err := wager.ParseCode(code)
	switch {
	case errors.Is(err, wager.ErrTraining):
		return 0, secret, err
	case err != nil:
		return 0, secret, fmt.Errorf("%w: %.40q", ErrVoucherCode, code)
	}
	return uint64(id), secret, nil
}

// SellVoucher sells a voucher; the outlet owes its amount. It cannot be
// cancelled: its code may have been read. Refusals:
// [ErrVoucherAmount], [party.ErrCredit], [party.ErrBlocked], [party.ErrUnknownTerminal], [party.ErrWithdrawn], [ErrKey], [ErrKeyReused], [ErrGivenUp], [ErrClock].
func (s *System) SellVoucher(ctx context.Context, v SellVoucher) (Voucher, error) {
	key, err := terminalKey(v.Terminal, v.Key)
	if err != nil {
		return Voucher{}, err
	}
	hash := content("voucher", v.Amount)
	var sold Voucher
	var again bool
	err = s.do(ctx, &job{key: key, decide: func(t *turn) (err error) {
		if sold.Number, again, err = t.done(key, hash); err != nil || again {
			return err
		}
		if s.clockOff() { // a sale that was made is told all the same
			return ErrClock
		}
		terminal, outlet, err := t.m.working(v.Terminal)
		switch {
		case err != nil:
			return err
		case outlet.Blocked:
			return party.ErrBlocked
		}
		if r := t.accountRules(); r == nil || !slices.Contains(r.VoucherAmounts, v.Amount) {
			return fmt.Errorf("%w: %s", ErrVoucherAmount, v.Amount)
		}
		if err := outlet.CheckCredit(t.balance(ledger.Outlet(outlet.ID)), v.Amount); err != nil {
			return err
		}
		index, err := t.append(&journal.Voucher{
			Command: commandHash(key), Outlet: mustParty(outlet.ID), Terminal: mustParty(terminal.ID), Amount: v.Amount,
		})
		if err != nil {
			return err
		}
		sold = Voucher{
			Number: index, Secret: s.voucherSecret(index, t.leaves[len(t.leaves)-1]), Amount: v.Amount, Outlet: outlet.ID, SoldAt: utc(t.at),
		}
		t.keep(key, hash, index)
		return nil
	}})
	switch {
	case err != nil:
		return Voucher{}, err
	case again:
		return s.voucher(ctx, sold.Number)
	}
	return sold, nil
}

// voucherSecret is the secret of a voucher: derived as that of a ticket, and never the same.
func (s *System) voucherSecret(number uint64, leaf journal.Hash) [8]byte {
	mac := s.keys.mac(s.keys.Tickets, []byte("voucher"), binary.BigEndian.AppendUint64(nil, number), leaf[:])
	return [8]byte(mac[:8])
}

// voucher reads a voucher that was sold.
func (s *System) voucher(ctx context.Context, number uint64) (v Voucher, err error) {
	err = s.db.View(ctx, func(tx *store.Snapshot) (err error) {
		v, _, err = s.readVoucher(ctx, tx, number)
		return err
	})
	return v, err
}

// readVoucher reads a record as a voucher, with the secret that it has or would have.
func (s *System) readVoucher(ctx context.Context, tx *store.Snapshot, number uint64) (v Voucher, ok bool, err error) {
	b, at, err := tx.Record(ctx, number)
	if err != nil {
		return v, false, err
	}
	rec, err := journal.Decode(b)
	if err != nil {
		return v, false, fmt.Errorf("record %d: %w", number, err)
	}
	v = Voucher{Number: number, Secret: s.voucherSecret(number, journal.LeafHash(b)), SoldAt: utc(at)}
	body, ok := rec.Body.(*journal.Voucher)
	if ok {
		v.Amount, v.Outlet = body.Amount, body.Outlet.String()
	}
	return v, ok, nil
}

// findVoucher finds a voucher for who knows its secret, or returns
// [ErrNoVoucher]: a wrong number and a wrong secret take the same time, since a
// record is read and a secret compared for each (F24).
func (s *System) findVoucher(ctx context.Context, number uint64, secret [8]byte) (Voucher, error) {
	var v Voucher
	var ok bool
	err := s.db.View(ctx, func(tx *store.Snapshot) error {
		head, err := tx.Head(ctx)
		if err != nil {
			return err
		}
		v, ok, err = s.readVoucher(ctx, tx, min(number, head.Size-1))
		return err
	})
	if err != nil {
		return Voucher{}, err
	}
	same := subtle.ConstantTimeCompare(v.Secret[:], secret[:]) == 1
	if !same || !ok || v.Number != number {
		return Voucher{}, ErrNoVoucher
	}
	return v, nil
}
