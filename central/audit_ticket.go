package central

import (
	"context"
	"fmt"

	"tirage/journal"
	"tirage/money"
	"tirage/store"
)

// ticketAudit is what an auditor knows of tickets after their sale.
type ticketAudit struct {
	sellers map[uint64]journal.Party // outlet that sold it
	stopped map[uint64]bool
	paid    map[uint64]money.Amount
	payees  map[[32]byte]bool // hashes that records have
}

func newTicketAudit() ticketAudit {
	return ticketAudit{sellers: map[uint64]journal.Party{}, stopped: map[uint64]bool{}, paid: map[uint64]money.Amount{}, payees: map[[32]byte]bool{}}
}

// seeTicket audits what becomes of a ticket after its sale: who may pay it and
// up to what sum, who is told of, and who prints it again.
func (a *auditor) seeTicket(index uint64, rec journal.Record) error {
	wrong := ""
	f := &a.tickets
	switch b := rec.Body.(type) {
	case *journal.Sale:
		f.sellers[index] = b.Outlet
	case *journal.Cancellation:
		if f.stopped[b.Ticket] {
			wrong = "a cancellation of a ticket that is stopped"
		}
	case *journal.Stop:
		wrong = a.stop(b)
	case *journal.Reprint:
		if f.sellers[b.Ticket] != b.Outlet || !a.ofOutlet(b.Terminal, b.Outlet) || f.stopped[b.Ticket] || a.cancelled[b.Ticket] {
			wrong = "a reprint of a ticket that the outlet may not print"
		}
	case *journal.Payment:
		wrong = a.payment(rec.At, b)
	}
	if hash := payeeIn(rec.Body); len(hash) == len([32]byte{}) {
		f.payees[[32]byte(hash)] = true
	}
	if wrong != "" {
		return fmt.Errorf("%w: record %d: %s", ErrJournal, index, wrong)
	}
	return nil
}

func (a *auditor) ofOutlet(terminal, outlet journal.Party) bool {
	t, _, err := a.m.terminal(terminal.String())
	return err == nil && t.Outlet == outlet.String()
}

// stop tells what is wrong with a stop, or its end; empty: nothing.
func (a *auditor) stop(b *journal.Stop) string {
	_, sold := a.tickets.sellers[b.Ticket]
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

// payment tells what is wrong with a payment, by what was paid on the ticket so
// far: it comes to no less in all.
func (a *auditor) payment(at int64, b *journal.Payment) string {
	var pays Paid
	pays.add(b)
	f := &a.tickets
	f.paid[b.Ticket] = f.paid[b.Ticket].Add(pays.Amount)
	outlet, ok := a.m.outlets[b.Outlet.String()]
	terms := (&turn{m: a.m, at: at}).terms()
	lost := b.Decision != 0
	switch {
	case !ok || outlet.Blocked:
		return "a payment by an outlet that may not pay"
	case a.cancelled[b.Ticket]:
		return "a payment of a ticket that is cancelled"
	case b.Own != (f.sellers[b.Ticket] == b.Outlet):
		return "a payment that does not tell who sold the ticket"
	case lost:
		if !outlet.Centre {
			return "a payment of a lost ticket at no payment centre"
		}
		return ""
	case !a.ofOutlet(b.Terminal, b.Outlet):
		return "a payment at a terminal that is not of its outlet"
	case f.stopped[b.Ticket]:
		return "a payment of a ticket that is stopped"
	case terms != nil && !outlet.Centre && f.paid[b.Ticket] > terms.PaymentMax:
		return "a payment at an outlet above what outlets pay"
	case terms != nil && f.paid[b.Ticket] >= terms.IdentityFrom && len(b.Payee) == 0:
		return "a payment that does not tell who was paid"
	}
	return ""
}

// checkPayees tells whether each payee that a record has is kept, opens, and is the one; and nobody else.
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
		if !a.tickets.payees[[32]byte(row.Hash)] {
			return fmt.Errorf("%w: payee %x is in no record", ErrJournal, row.Hash[:4])
		}
	}
	for hash := range a.tickets.payees {
		if !kept[hash] {
			return fmt.Errorf("%w: payee %x of a record is not kept", ErrJournal, hash[:4])
		}
	}
	return nil
}
