package central

import (
	"context"
	"time"

	"tirage/draw"
	"tirage/game"
	"tirage/journal"
	"tirage/money"
	"tirage/store"
	"tirage/wager"
)

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
		first, end, err := recordsBetween(ctx, tx, from, to)
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

// recordsBetween gives the first record from an instant on, and the first from another on.
func recordsBetween(ctx context.Context, tx *store.Snapshot, from, to time.Time) (first, end uint64, err error) {
	if first, err = tx.RecordAt(ctx, from.UnixMicro()); err != nil {
		return 0, 0, err
	}
	end, err = tx.RecordAt(ctx, to.UnixMicro())
	return first, end, err
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
