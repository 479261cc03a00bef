package central

import (
	"context"
	"fmt"
	"time"

	"tirage/draw"
	"tirage/game"
	"tirage/journal"
	"tirage/money"
	"tirage/store"
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

// TicketLine is a ticket as officers list it: never its secret.
type TicketLine struct {
	Number    wager.ID
	At        time.Time // when it was sold
	Terminal  string    // id
	Game      game.Code
	FirstDraw draw.ID
	LastDraw  draw.ID
	Price     money.Amount
	Cancelled bool
	Stopped   bool
	Paid      money.Amount // prizes and stakes given back so far
	Copies    int          // that it was printed once more
}

// TicketLinesMax is the most tickets that are listed at once.
const TicketLinesMax = 1000

// Tickets lists the tickets that an outlet sold from an instant to another,
// which is none of them, the newest first, at most limit.
func (s *System) Tickets(ctx context.Context, outlet string, from, to time.Time, limit int) (list []TicketLine, err error) {
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		first, err := tx.RecordAt(ctx, from.UnixMicro())
		if err != nil {
			return err
		}
		end, err := tx.RecordAt(ctx, to.UnixMicro())
		if err != nil {
			return err
		}
		tickets, err := tx.TicketsOf(ctx, outlet, first, end, max(0, min(limit, TicketLinesMax)))
		if err != nil || len(tickets) == 0 {
			return err
		}
		list, err = s.ticketLines(ctx, tx, tickets)
		return err
	})
	return list, err
}

func (s *System) ticketLines(ctx context.Context, tx *store.Snapshot, tickets []store.Ticket) ([]TicketLine, error) {
	list, lines, numbers := make([]TicketLine, len(tickets)), map[uint64]*TicketLine{}, make([]uint64, len(tickets))
	for i, t := range tickets {
		sale, at, err := readBody[*journal.Sale](ctx, tx, t.Number)
		if err != nil {
			return nil, err
		}
		r, err := s.RulesByHash(sale.Rules)
		if err != nil {
			return nil, err
		}
		list[i] = TicketLine{
			Number: wager.ID(t.Number), At: at, Terminal: sale.Terminal.String(), Game: r.Code,
			FirstDraw: draw.ID(sale.Draws[0]), LastDraw: draw.ID(t.LastDraw), Price: t.Price,
		}
		lines[t.Number], numbers[i] = &list[i], t.Number
	}
	cancellations, err := tx.Cancellations(ctx, numbers)
	if err != nil {
		return nil, err
	}
	for _, c := range cancellations {
		lines[c.Ticket].Cancelled = true
	}
	payments, err := tx.Payments(ctx, numbers)
	if err != nil {
		return nil, err
	}
	for _, p := range payments {
		lines[p.Ticket].Paid = lines[p.Ticket].Paid.Add(p.Amount)
	}
	stops, err := tx.Stops(ctx, numbers)
	if err != nil {
		return nil, err
	}
	for _, x := range stops { // in order: the last of a ticket holds
		lines[x.Ticket].Stopped = !x.Lifted
	}
	reprints, err := tx.Reprints(ctx, numbers)
	for _, r := range reprints {
		lines[r.Ticket].Copies++
	}
	return list, err
}
