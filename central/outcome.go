package central

import (
	"context"
	"fmt"

	"tirage/journal"
	"tirage/wager"
)

// OutcomeKind is what became of a command.
type OutcomeKind uint8

const (
	OutcomeNothing   OutcomeKind = iota + 1 // no such command was accepted
	OutcomeSold                             // a ticket
	OutcomeCancelled                        // a ticket
	OutcomePaid                             // on a ticket
	OutcomeOther                            // something else: a voucher sold, a ticket printed once more
)

var outcomeNames = [...]string{OutcomeNothing: "nothing", OutcomeSold: "sold", OutcomeCancelled: "cancelled", OutcomePaid: "paid", OutcomeOther: "other"}

// String returns the name of the kind: "sold".
func (k OutcomeKind) String() string {
	if k < OutcomeNothing || k > OutcomeOther {
		return fmt.Sprintf("OutcomeKind(%d)", uint8(k))
	}
	return outcomeNames[k]
}

// Outcome is what became of a command whose answer was lost.
type Outcome struct {
	Kind   OutcomeKind
	Ticket wager.Ticket // sold, cancelled or paid
	Paid   Paid         // of [OutcomePaid]
	Record uint64       // of the command; 0: nothing was done
}

// Outcome tells what became of a command of a terminal whose answer was lost. It
// waits until all that reached the system before it is decided, so once a
// terminal has given up a request, nothing more comes of it.
// Refusals: [party.ErrUnknownTerminal], [ErrKey].
func (s *System) Outcome(ctx context.Context, terminal, key string) (Outcome, error) {
	if _, _, err := s.Terminal(terminal); err != nil {
		return Outcome{}, err
	}
	k, err := terminalKey(terminal, key)
	if err != nil {
		return Outcome{}, err
	}
	var record uint64
	err = s.do(ctx, &job{key: k, alone: true, decide: func(t *turn) error {
		record = t.commands[k].Record // record 0 is a key of the system
		return nil
	}})
	if err != nil { // the turn may still be at it
		return Outcome{}, err
	}
	if record == 0 {
		return Outcome{Kind: OutcomeNothing}, nil
	}
	rec, err := s.record(ctx, record)
	if err != nil {
		return Outcome{}, err
	}
	o := Outcome{Kind: OutcomeOther, Record: record}
	switch b := rec.Body.(type) {
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
	}
	return o, err
}
