package central

import (
	"context"
	"fmt"

	"tirage/draw"
	"tirage/game"
	"tirage/journal"
	"tirage/store"
	"tirage/wager"
)

// ticketAudit is what an auditor knows of tickets after their sale.
type ticketAudit struct {
	sales   map[uint64]soldTicket
	draws   map[draw.ID]*drawState // of tickets: also those that the memory forgets, which nothing changes any more
	stopped map[uint64]bool
	paid    map[ticketDraw]int64 // µs UTC
	payees  map[[32]byte]paidOne // by the hashes that records have
}

// paidOne is when someone was paid; zero: he is to be.
type paidOne struct {
	record uint64
	at     int64 // µs UTC
}

// soldTicket is the sale of a ticket.
type soldTicket struct {
	*journal.Sale
	at int64 // µs UTC
}

func newTicketAudit() ticketAudit {
	return ticketAudit{
		sales: map[uint64]soldTicket{}, draws: map[draw.ID]*drawState{}, stopped: map[uint64]bool{}, paid: map[ticketDraw]int64{}, payees: map[[32]byte]paidOne{},
	}
}

// seeTicket audits what becomes of a ticket after its sale: what of it is paid
// and by whom, who is told of, and who prints it again.
func (a *auditor) seeTicket(index uint64, rec journal.Record) error {
	wrong := ""
	f := &a.tickets
	switch b := rec.Body.(type) {
	case *journal.Sale:
		f.sales[index] = soldTicket{b, rec.At}
		for _, id := range b.Draws {
			f.draws[draw.ID(id)] = a.m.draws[draw.ID(id)]
		}
	case *journal.Cancellation:
		if f.stopped[b.Ticket] {
			wrong = "a cancellation of a ticket that is stopped"
		} else if !a.ofOutlet(b.Terminal, b.Outlet) {
			wrong = "a cancellation at a terminal that is withdrawn, or not of its outlet"
		}
	case *journal.Stop:
		wrong = a.stop(b)
	case *journal.Reprint:
		if sale, sold := f.sales[b.Ticket]; !sold || sale.Outlet != b.Outlet || !a.ofOutlet(b.Terminal, b.Outlet) || f.stopped[b.Ticket] || a.cancelled[b.Ticket] {
			wrong = "a reprint of a ticket that the outlet may not print"
		}
	case *journal.Payment:
		if wrong = a.mayPay(b); wrong == "" {
			if err := a.payment(index, rec, b); err != nil {
				return err
			}
		}
	case *journal.Erasure:
		wrong = a.erasure(rec.At, b)
	}
	if hash := payeeIn(rec.Body); len(hash) == len([32]byte{}) {
		paid := paidOne{}
		if _, ok := rec.Body.(*journal.Payment); ok {
			paid = paidOne{index, rec.At}
		}
		f.payees[[32]byte(hash)] = paid
	}
	if wrong != "" {
		return fmt.Errorf("%w: record %d: %s", ErrJournal, index, wrong)
	}
	return nil
}

// ofOutlet tells whether a terminal is one of an outlet, and not withdrawn.
func (a *auditor) ofOutlet(terminal, outlet journal.Party) bool {
	t, _, err := a.m.working(terminal.String())
	return err == nil && t.Outlet == outlet.String()
}

// stop tells what is wrong with a stop, or its end; empty: nothing.
func (a *auditor) stop(b *journal.Stop) string {
	_, sold := a.tickets.sales[b.Ticket]
	_, known := a.m.officers[b.By.String()]
	switch {
	case !sold || !known:
		return "a stop of no ticket, or by no officer"
	case a.tickets.stopped[b.Ticket] != b.Lifted:
		return "a stop of a ticket that is stopped, or the end of one that is not"
	case !b.Lifted && len(b.Reason) == 0:
		return "a stop without a reason"
	}
	a.tickets.stopped[b.Ticket] = !b.Lifted
	return ""
}

// mayPay tells what is wrong with who pays a ticket; empty: nothing.
func (a *auditor) mayPay(b *journal.Payment) string {
	sale, sold := a.tickets.sales[b.Ticket]
	outlet, ok := a.m.outlets[b.Outlet.String()]
	lost := b.Decision != 0
	switch {
	case !sold:
		return "a payment of no ticket"
	case !ok || outlet.Blocked:
		return "a payment by an outlet that may not pay"
	case a.cancelled[b.Ticket]:
		return "a payment of a ticket that is cancelled"
	case b.Own != (sale.Outlet == b.Outlet):
		return "a payment that does not tell who sold the ticket"
	case lost && !outlet.Centre:
		return "a payment of a lost ticket at no payment centre"
	case !lost && !a.ofOutlet(b.Terminal, b.Outlet):
		return "a payment at a terminal that is not of its outlet"
	case !lost && a.tickets.stopped[b.Ticket]:
		return "a payment of a ticket that is stopped"
	}
	return ""
}

// payment makes a payment again: it pays all that is due of its ticket at its
// time and outlet, by the results and settlements before it, and tells who is paid
// where the sum of the ticket asks for that, and only there.
func (a *auditor) payment(index uint64, rec journal.Record, b *journal.Payment) error {
	facts, err := a.facts(b.Ticket)
	if err != nil {
		return fmt.Errorf("%w: record %d: %w", ErrJournal, index, err)
	}
	outlet, t := a.m.outlets[b.Outlet.String()], &turn{m: a.m, at: rec.At}
	answer, err := facts.at(t, outlet)
	if err != nil {
		return fmt.Errorf("%w: record %d: %w", ErrJournal, index, err)
	}
	due, err := answer.Due()
	if err != nil {
		return fmt.Errorf("%w: record %d: a payment of what is not due: %w", ErrJournal, index, err)
	}
	if told, asked := len(b.Payee) > 0, b.Decision != 0 || asksPayee(t.terms(), answer); told != asked {
		return fmt.Errorf("%w: record %d: a payment that does not tell who was paid, or tells it unasked", ErrJournal, index)
	}
	for _, l := range due {
		a.tickets.paid[ticketDraw{b.Ticket, l.Draw}] = rec.At
	}
	must := facts.payment(due, outlet)
	must.Command, must.Terminal, must.Payee, must.Decision = b.Command, b.Terminal, b.Payee, b.Decision
	return a.compare(index, rec, must)
}

// facts are those of a ticket, from its sale and what became of its draws.
func (a *auditor) facts(number uint64) (f ticketFacts, err error) {
	sale := a.tickets.sales[number]
	draws := make([]draw.Draw, len(sale.Draws))
	for i, id := range sale.Draws {
		d := a.tickets.draws[draw.ID(id)]
		draws[i] = d.Draw
		facts := d.facts()
		if at, paid := a.tickets.paid[ticketDraw{number, d.ID}]; paid {
			facts.PaidAt = utc(at)
		}
		f.draws = append(f.draws, facts)
	}
	f.ticket, f.tables, err = ticketOf(wager.ID(number), sale.at, sale.Sale, a.m.books[sale.Rules], draws)
	return f, err
}

// erasure forgets the payees that a record removes, and tells what is wrong with that; empty: nothing.
func (a *auditor) erasure(at int64, b *journal.Erasure) string {
	today, count, named := game.DayOf(utc(at), paris), uint64(0), false
	for hash, paid := range a.tickets.payees {
		if paid.record == 0 || paid.record > b.Last {
			continue
		}
		if a.m.keepsPayee(paid.at, today) {
			return fmt.Sprintf("the payee of record %d is removed before his time", paid.record)
		}
		count, named = count+1, named || paid.record == b.Last
		delete(a.tickets.payees, hash)
	}
	if count != b.Count || !named {
		return fmt.Sprintf("%d payees removed, up to record %d: they are %d", b.Count, b.Last, count)
	}
	return ""
}

// checkPayees tells whether each payee that a record has, and none removed, is kept, opens, and is the one; and nobody else.
func (a *auditor) checkPayees(ctx context.Context, tx *store.Snapshot) error {
	rows, err := tx.Payees(ctx)
	if err != nil {
		return err
	}
	kept := map[[32]byte]bool{}
	for _, row := range rows {
		if _, err := a.keys.openPayee(row); err != nil {
			return fmt.Errorf("%w: %w", ErrJournal, err)
		}
		kept[[32]byte(row.Hash)] = true
		switch paid, ok := a.tickets.payees[[32]byte(row.Hash)]; {
		case !ok:
			return fmt.Errorf("%w: payee %x is in no record, or was removed", ErrJournal, row.Hash[:4])
		case paid.record != row.Record:
			return fmt.Errorf("%w: payee %x was paid by record %d, not %d", ErrJournal, row.Hash[:4], paid.record, row.Record)
		}
	}
	for hash := range a.tickets.payees {
		if !kept[hash] {
			return fmt.Errorf("%w: payee %x of a record is not kept", ErrJournal, hash[:4])
		}
	}
	return nil
}
