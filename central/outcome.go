package central

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tirage/journal"
	"tirage/store"
	"tirage/wager"
)

// ErrGivenUp is a command that its terminal gave up before it arrived: no node does it any more.
var ErrGivenUp = errors.New("the terminal has given this command up")

// OutcomeKind is what became of a command.
type OutcomeKind uint8

const (
	OutcomeGivenUp   OutcomeKind = iota + 1 // it was not done, and never will be
	OutcomeSold                             // a ticket
	OutcomeCancelled                        // a ticket
	OutcomePaid                             // on a ticket
	OutcomeVoucher                          // sold
	OutcomeOther                            // something else: a ticket printed once more
)

var outcomeNames = [...]string{OutcomeGivenUp: "given up", OutcomeSold: "sold", OutcomeCancelled: "cancelled", OutcomePaid: "paid", OutcomeVoucher: "voucher sold", OutcomeOther: "other"}

// String returns the name of the kind: "sold".
func (k OutcomeKind) String() string {
	if k < OutcomeGivenUp || k > OutcomeOther {
		return fmt.Sprintf("OutcomeKind(%d)", uint8(k))
	}
	return outcomeNames[k]
}

// Outcome is what became of a command whose answer was lost.
type Outcome struct {
	Kind    OutcomeKind
	Ticket  wager.Ticket // sold, cancelled or paid
	Paid    Paid         // of [OutcomePaid]
	Voucher Voucher      // of [OutcomeVoucher]
	At      time.Time    // when it was done, or given up
	Record  uint64       // of the command, or that it was given up
	Again   bool         // the record was there before: this request has written none
}

// GiveUp ends a command of a terminal whose answer was lost, and tells what
// became of it. The two are one decision, in one turn: what was done is told, and
// what was not is given up in the journal, so that no node does it later, however
// long a request is held up on its way: that is refused with [ErrGivenUp]. Asked
// again, it answers the same.
// Refusals: [party.ErrUnknownTerminal], [party.ErrWithdrawn], [ErrKey].
func (s *System) GiveUp(ctx context.Context, terminal, key string) (Outcome, error) {
	k, err := terminalKey(terminal, key)
	if err != nil {
		return Outcome{}, err
	}
	var record uint64
	var again bool // of the turn's last run, as record
	err = s.do(ctx, &job{key: k, decide: func(t *turn) (err error) {
		record, again, err = t.giveUp(k, terminal)
		return err
	}})
	if err != nil { // the turn may still be at it
		return Outcome{}, err
	}
	rec, err := s.record(ctx, record)
	if err != nil {
		return Outcome{}, err
	}
	o := Outcome{Kind: OutcomeOther, At: utc(rec.At), Record: record, Again: again}
	switch b := rec.Body.(type) {
	case *journal.Act: // a terminal has no other
		o.Kind = OutcomeGivenUp
	case *journal.Sale:
		o.Kind = OutcomeSold
		o.Ticket, err = s.ticket(ctx, wager.ID(record))
	case *journal.Cancellation:
		o.Kind = OutcomeCancelled
		o.Ticket, err = s.ticket(ctx, wager.ID(b.Ticket))
	case *journal.Payment:
		o.Kind = OutcomePaid
		if o.Ticket, err = s.ticket(ctx, wager.ID(b.Ticket)); err == nil {
			o.Paid, err = s.payment(ctx, o.Ticket, record)
		}
	case *journal.Voucher:
		o.Kind = OutcomeVoucher
		o.Voucher, err = s.voucher(ctx, record)
	}
	return o, err
}

// actGiveUp is the one act of a terminal.
const actGiveUp = "give-up"

// givenUp is the content of every command that was given up: no request has it.
var givenUp = content(actGiveUp, nil)

// giveUp finds the record of a terminal's command, or gives it up.
func (t *turn) giveUp(key store.CommandKey, terminal string) (record uint64, again bool, err error) {
	if c, ok := t.command(key); ok {
		return c.Record, true, nil
	}
	if _, _, err := t.m.working(terminal); err != nil {
		return 0, false, err
	}
	record, err = t.append(&journal.Act{Command: commandHash(key), By: mustParty(terminal), Act: actGiveUp})
	if err == nil {
		t.keep(key, givenUp, record)
	}
	return record, false, err
}
