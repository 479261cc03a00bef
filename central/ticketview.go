package central

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"tirage/journal"
	"tirage/money"
	"tirage/party"
	"tirage/settle"
	"tirage/store"
	"tirage/wager"
)

// TicketView is a ticket as officers see it, with all that was done with it.
// Its secret is zero, and nobody who was paid is in it: see [System.ReadPayee].
type TicketView struct {
	Check           // at a payment centre in Paris: what two officers would pay (see [ActPayTicket])
	Outlet          party.Outlet
	CancelledRecord uint64          // 0: it was not cancelled
	Payments        []TicketPayment // in order
	Copies          []TicketCopy    // in order
	Stops           []TicketStop    // in order: the last holds
}

// TicketPayment is a payment of a ticket, of all that was payable then.
type TicketPayment struct {
	Record   uint64
	At       time.Time
	Outlet   string // id
	Prizes   money.Amount
	Back     money.Amount // stakes of cancelled draws
	Payee    bool         // who was paid is recorded, and still kept
	Decision uint64       // of two officers who paid it without the ticket; 0: a terminal paid
}

// TicketCopy is a ticket printed once more.
type TicketCopy struct {
	Record   uint64
	At       time.Time
	Terminal string // id
}

// TicketStop is a stop of a ticket's payment, or the end of one.
type TicketStop struct {
	Record   uint64
	At       time.Time
	Lifted   bool
	By       string // officer: of a stop who stopped, of its end who approved it
	Reason   string // of a stop
	Decision uint64 // of an end
}

// Ticket returns a ticket for an officer, or [ErrNoTicket].
func (s *System) Ticket(ctx context.Context, number wager.ID) (v TicketView, err error) {
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		facts, err := s.officerFacts(ctx, tx, number)
		if errors.Is(err, store.ErrNotFound) {
			return ErrNoTicket
		}
		if err != nil {
			return err
		}
		v.Check = s.centreCheck(facts)
		return v.read(ctx, tx, number)
	})
	if err != nil {
		return TicketView{}, err
	}
	v.Outlet, err = s.Outlet(v.Ticket.Outlet)
	return v, err
}

// centreCheck is the check of a ticket at a payment centre in Paris, without its
// secret. That its payment is stopped does not keep two officers from paying it.
func (s *System) centreCheck(f ticketFacts) Check {
	stopped := f.stopped
	f.ticket.Secret, f.stopped = [8]byte{}, false
	c := s.checkOf(f, settle.Place{Zone: paris, Centre: true})
	c.Stopped = stopped
	return c
}

// read reads what was done with the ticket.
func (v *TicketView) read(ctx context.Context, tx *store.Snapshot, number wager.ID) error {
	tickets := []uint64{uint64(number)}
	cancellations, err := tx.Cancellations(ctx, tickets)
	if err != nil {
		return err
	}
	for _, c := range cancellations {
		v.CancelledRecord = c.Record
	}
	copies, err := tx.Reprints(ctx, tickets)
	if err != nil {
		return err
	}
	for _, row := range copies {
		b, at, err := readBody[*journal.Reprint](ctx, tx, row.Record)
		if err != nil {
			return err
		}
		v.Copies = append(v.Copies, TicketCopy{Record: row.Record, At: at, Terminal: b.Terminal.String()})
	}
	if v.Payments, err = ticketPayments(ctx, tx, tickets); err != nil {
		return err
	}
	v.Stops, err = ticketStops(ctx, tx, tickets)
	return err
}

// ticketPayments reads the payments of a ticket, which are one a record.
func ticketPayments(ctx context.Context, tx *store.Snapshot, tickets []uint64) (list []TicketPayment, err error) {
	rows, err := tx.Payments(ctx, tickets)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(rows, func(a, b store.Payment) int { return cmp.Compare(a.Record, b.Record) })
	for _, row := range slices.CompactFunc(rows, func(a, b store.Payment) bool { return a.Record == b.Record }) {
		b, at, err := readBody[*journal.Payment](ctx, tx, row.Record)
		if err != nil {
			return nil, err
		}
		p := TicketPayment{Record: row.Record, At: at, Outlet: b.Outlet.String(), Decision: b.Decision}
		if len(b.Payee) > 0 {
			_, err := tx.Payee(ctx, b.Payee)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return nil, err
			}
			p.Payee = err == nil
		}
		for _, d := range b.Draws {
			p.Prizes = p.Prizes.Add(d.Amount)
		}
		for _, d := range b.Back {
			p.Back = p.Back.Add(d.Amount)
		}
		list = append(list, p)
	}
	return list, nil
}

// ticketStops reads the stops of a ticket, with their reasons.
func ticketStops(ctx context.Context, tx *store.Snapshot, tickets []uint64) (list []TicketStop, err error) {
	rows, err := tx.Stops(ctx, tickets)
	if err != nil {
		return nil, err
	}
	records := make([]uint64, len(rows))
	for i, row := range rows {
		b, at, err := readBody[*journal.Stop](ctx, tx, row.Record)
		if err != nil {
			return nil, err
		}
		records[i] = row.Record
		list = append(list, TicketStop{Record: row.Record, At: at, Lifted: b.Lifted, By: b.By.String(), Decision: b.Decision})
	}
	notes, err := tx.Notes(ctx, records)
	for _, n := range notes {
		list[slices.Index(records, n.Record)].Reason = n.Text
	}
	return list, err
}

// DayAct is what an outlet did on a ticket but to sell it: a payment or a cancellation.
type DayAct struct {
	Record    uint64
	At        time.Time
	Ticket    wager.ID
	Amount    money.Amount // paid, or the price given back
	Cancelled bool
}

// DayActs lists what an outlet paid and cancelled from an instant to another,
// which is none of them, the newest first: at most limit of each.
func (s *System) DayActs(ctx context.Context, outlet string, from, to time.Time, limit int) (list []DayAct, err error) {
	limit = max(0, min(limit, TicketLinesMax))
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		first, end, err := recordsBetween(ctx, tx, from, to)
		if err != nil {
			return err
		}
		payments, err := tx.PaymentsOf(ctx, outlet, first, end, limit)
		if err != nil {
			return err
		}
		for _, p := range payments {
			if n := len(list); n > 0 && list[n-1].Record == p.Record { // of another draw of the ticket
				list[n-1].Amount = list[n-1].Amount.Add(p.Amount)
				continue
			}
			list = append(list, DayAct{Record: p.Record, At: utc(p.At), Ticket: wager.ID(p.Ticket), Amount: p.Amount})
		}
		cancellations, err := tx.CancellationsOf(ctx, outlet, first, end, limit)
		if err != nil {
			return err
		}
		for _, c := range cancellations {
			b, at, err := readBody[*journal.Cancellation](ctx, tx, c.Record)
			if err != nil {
				return err
			}
			list = append(list, DayAct{Record: c.Record, At: at, Ticket: wager.ID(c.Ticket), Amount: b.Price, Cancelled: true})
		}
		return nil
	})
	slices.SortFunc(list, func(a, b DayAct) int { return cmp.Compare(b.Record, a.Record) })
	return list, err
}
