package central

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"tirage/journal"
	"tirage/ledger"
	"tirage/money"
	"tirage/party"
	"tirage/store"
)

// ErrDemo is a demo deposit outside a demo.
var ErrDemo = errors.New("demo deposits are for the demo only")

// Deposited is a deposit made (versement).
type Deposited struct {
	Record  uint64
	Amount  money.Amount
	Balance money.Amount // of the player: after the deposit, or now if it was made before
	Again   bool         // made before, by the same command
}

// playerAct appends the records of a player's act and gives the index of the first.
type playerAct func(t *turn, p *playerState, command journal.Command, by journal.Party) (uint64, error)

// playerCommand runs one act of a player in a turn of its own, once by key;
// again tells that it was done before.
func (s *System) playerCommand(ctx context.Context, player, key string, hash [32]byte, act playerAct) (record uint64, again bool, err error) {
	by, err := partyID(player)
	if err != nil {
		return 0, false, fmt.Errorf("%w: %.20q", party.ErrUnknownPlayer, player)
	}
	k, err := commandKey("player/"+player, key)
	if err != nil {
		return 0, false, err
	}
	var first uint64
	var done bool
	err = s.do(ctx, &job{key: k, alone: true, decide: func(t *turn) (err error) {
		if first, done, err = t.done(k, hash); err != nil || done {
			return err
		}
		p, err := t.player(player)
		if err != nil {
			return err
		}
		if first, err = act(t, p, commandHash(k), by); err != nil {
			return err
		}
		t.keep(k, hash, first)
		return nil
	}})
	if err != nil {
		return 0, false, err // the turn may still be at it, so nothing of it is read
	}
	return first, done, nil
}

// DepositVoucher puts a voucher on a player's account, once. Refusals:
// [ErrNoVoucher], [ErrVoucherUsed], [party.ErrMeans], [party.ErrLimit],
// [party.ErrExcluded], [party.ErrTerms], [party.ErrUnknownPlayer], [party.ErrPlayerClosed], [ErrKey], [ErrKeyReused], [ErrClock].
func (s *System) DepositVoucher(ctx context.Context, key, player string, number uint64, secret [8]byte) (Deposited, error) {
	v, err := s.findVoucher(ctx, number, secret) // guesses take no turn
	if err != nil {
		return Deposited{}, err
	}
	return s.deposit(ctx, key, player, content("deposit", []any{number, secret}), journal.Deposit{
		Means: voucherMeans, Reference: voucherReference(number), Voucher: number, Amount: v.Amount,
	})
}

// DepositDemo puts demo money on a player's account, where the system was opened
// with [Options.Demo]. Refusals: [ErrDemo], [party.ErrDepositMin], and those of [System.DepositVoucher].
func (s *System) DepositDemo(ctx context.Context, key, player string, amount money.Amount) (Deposited, error) {
	switch {
	case !s.demo:
		return Deposited{}, ErrDemo
	case amount > money.Limit:
		return Deposited{}, money.ErrLimit
	}
	d := journal.Deposit{Means: party.DemoMeans, Amount: amount}
	random(d.Reference[:])
	return s.deposit(ctx, key, player, content("demo", amount), d)
}

// deposit makes a deposit that the player asks for, if he may.
func (s *System) deposit(ctx context.Context, key, player string, hash [32]byte, d journal.Deposit) (Deposited, error) {
	var balance money.Amount
	record, again, err := s.playerCommand(ctx, player, key, hash, func(t *turn, p *playerState, command journal.Command, _ journal.Party) (uint64, error) {
		if s.clockOff() { // one that was made is told all the same
			return 0, ErrClock
		}
		if err := t.unused(s.ctx, d); err != nil {
			return 0, err
		}
		if err := t.mayDepositNow(s.ctx, player, d.Amount, d.Means); err != nil {
			return 0, err
		}
		index, err := t.deposit(p, command, d)
		balance = -t.balance(p.account)
		return index, err
	})
	switch {
	case err != nil:
		return Deposited{}, err
	case again:
		balance = s.PlayerBalance(player)
	}
	return Deposited{Record: record, Amount: d.Amount, Balance: balance, Again: again}, nil
}

// unused tells whether what a deposit is paid with was not used before (F11): nil, or [ErrVoucherUsed].
func (t *turn) unused(ctx context.Context, d journal.Deposit) error {
	switch _, err := t.tx.Deposit(ctx, d.Means, d.Reference[:]); {
	case err == nil:
		return ErrVoucherUsed
	case errors.Is(err, store.ErrNotFound):
		return nil
	default:
		return err
	}
}

// deposit appends a deposit on the account of a player.
func (t *turn) deposit(p *playerState, command journal.Command, d journal.Deposit) (uint64, error) {
	d.Command, d.Player, d.Previous = command, mustParty(p.ID), t.previous(p.ID)
	index, err := t.append(&d)
	if err == nil {
		t.tells(p.ID, index)
	}
	return index, err
}

// voucherMeans is the means of deposits by voucher.
const voucherMeans = "voucher"

// voucherReference is what a deposit by voucher refers to.
func voucherReference(number uint64) [32]byte {
	return sha256.Sum256(binary.BigEndian.AppendUint64(nil, number))
}

// implyMoney is imply for vouchers, deposits, withdrawals and what becomes of
// them. The chain of the player is seen to by [memory.implyPlayer].
func implyMoney(rows *store.Rows, index uint64, rec journal.Record) (in implied) {
	switch b := rec.Body.(type) {
	case *journal.Voucher:
		rows.Vouchers = append(rows.Vouchers, store.Voucher{Number: index, Outlet: b.Outlet.String(), Amount: b.Amount})
		in.entry = ledger.Voucher(b.Outlet.String(), b.Amount)
	case *journal.Deposit:
		rows.Deposits = append(rows.Deposits, store.Deposit{
			Record: index, Player: b.Player.String(), Means: b.Means, Reference: b.Reference[:], Amount: b.Amount, At: rec.At,
		})
		in.entry = ledger.Deposit(b.Player.String(), paidFrom(b.Means), b.Amount)
	case *journal.Withdrawal:
		rows.Withdrawals = append(rows.Withdrawals, store.Withdrawal{Record: index, Player: b.Player.String(), Amount: b.Amount, At: rec.At})
		in.entry = ledger.Withdrawal(b.Player.String(), b.Amount)
	case *journal.Transfer:
		for _, w := range b.Withdrawals {
			rows.WithdrawalSteps = append(rows.WithdrawalSteps, store.WithdrawalStep{Withdrawal: w, State: b.State, At: rec.At, Record: index})
		}
		if b.State == withdrawalPaid {
			in.entry = ledger.PaidOut(b.Amount)
		}
	case *journal.Returned:
		rows.WithdrawalSteps = append(rows.WithdrawalSteps, store.WithdrawalStep{Withdrawal: b.Withdrawal, State: withdrawalReturned, At: rec.At, Record: index})
		in.entry = ledger.Returned(b.Player.String(), b.Amount)
	case *journal.Collected:
		in.entry = ledger.Collected(b.Provider, b.Amount)
	default:
		assert(false, "record of no kind that implies anything")
	}
	return in
}
