package central

import (
	"context"
	"time"

	"tirage/draw"
	"tirage/journal"
	"tirage/money"
	"tirage/party"
	"tirage/settle"
	"tirage/wager"
)

// Pay is a payment asked for by a terminal.
type Pay struct {
	Key      string
	Terminal string
	Ticket   wager.ID
	Secret   [8]byte
}

// Paid is a payment made.
type Paid struct {
	Ticket wager.Ticket
	Amount money.Amount // paid
	Again  bool         // paid before, by the same command: the cashier must not hand it out twice
	Draws  []draw.ID    // for which draws
	At     time.Time
}

// Pay pays all that is payable at this moment (paiement); each draw of a
// ticket is paid once. The claim windows are those of the place of payment (IAT-7).
//
// Refusals: [ErrNoTicket], [ErrCancelled], [settle.ErrNothingToPay],
// [settle.ErrNotYet], [settle.ErrExpired], [settle.ErrPaid], [party.ErrBlocked], [ErrKey], [ErrKeyReused].
func (s *System) Pay(ctx context.Context, p Pay) (Paid, error) {
	key, err := terminalKey(p.Terminal, p.Key)
	if err != nil {
		return Paid{}, err
	}
	facts, err := s.facts(ctx, p.Ticket, p.Secret)
	if err != nil {
		return Paid{}, err
	}
	hash := content("pay", []any{p.Ticket, p.Secret})
	paid := Paid{Ticket: facts.ticket}
	var again uint64
	err = s.do(ctx, &job{key: key, ticket: p.Ticket, decide: func(t *turn) error {
		paid.Amount, paid.Draws, paid.At, again = 0, nil, instant(t.at), 0
		record, done, err := t.done(key, hash)
		if err != nil || done {
			again = record
			return err
		}
		terminal, outlet, err := t.m.terminal(p.Terminal)
		switch {
		case err != nil:
			return err
		case outlet.Blocked:
			return party.ErrBlocked
		case t.cancelled[uint64(p.Ticket)]:
			return ErrCancelled
		}
		due, err := facts.due(t, outlet)
		if err != nil {
			return err
		}
		body := &journal.Payment{
			Command: commandHash(key), Outlet: mustParty(outlet.ID), Terminal: mustParty(terminal.ID), Ticket: uint64(p.Ticket),
			LastDraw: uint64(facts.ticket.Draws[len(facts.ticket.Draws)-1].ID),
		}
		for _, d := range due {
			body.Draws = append(body.Draws, journal.PaymentDraw{Draw: uint64(d.Draw), Amount: d.Amount})
			paid.Draws, paid.Amount = append(paid.Draws, d.Draw), paid.Amount.Add(d.Amount)
		}
		index, err := t.append(body)
		if err != nil {
			return err
		}
		for _, id := range paid.Draws {
			t.paid[ticketDraw{uint64(p.Ticket), id}] = true
		}
		t.keep(key, hash, index)
		return nil
	}})
	switch {
	case err != nil: // the turn may still be at it, so paid is not read
		return Paid{}, err
	case again != 0:
		return s.payment(ctx, facts.ticket, again)
	}
	return paid, nil
}

// due are the prizes that are payable at the time of the turn, at the outlet.
func (f ticketFacts) due(t *turn, outlet party.Outlet) ([]settle.Due, error) {
	zone, err := t.m.zone(outlet)
	if err != nil {
		return nil, err
	}
	draws := make([]settle.DrawFacts, len(f.draws))
	for i, d := range f.draws {
		if t.paid[ticketDraw{uint64(f.ticket.Number), d.Draw.ID}] && d.PaidAt.IsZero() {
			d.PaidAt = instant(t.at) // by another command, since the ticket was read
		}
		draws[i] = d
	}
	return settle.Check(f.ticket, f.tables, draws, nil, instant(t.at), settle.Place{Zone: zone}).Due()
}

// payment reads a payment back: the first answer again.
func (s *System) payment(ctx context.Context, ticket wager.Ticket, index uint64) (Paid, error) {
	rec, err := s.record(ctx, index)
	if err != nil {
		return Paid{}, err
	}
	b, ok := rec.Body.(*journal.Payment)
	assert(ok, "the record of a payment is one")
	paid := Paid{Ticket: ticket, Again: true, At: instant(rec.At)}
	for _, d := range b.Draws {
		paid.Draws, paid.Amount = append(paid.Draws, draw.ID(d.Draw)), paid.Amount.Add(d.Amount)
	}
	return paid, nil
}
