package central

import (
	"context"
	"slices"
	"time"

	"tirage/draw"
	"tirage/journal"
	"tirage/ledger"
	"tirage/money"
	"tirage/party"
	"tirage/settle"
	"tirage/store"
	"tirage/wager"
)

// Pay is a payment asked for by a terminal.
type Pay struct {
	Key      string
	Terminal string
	Ticket   wager.ID
	Secret   [8]byte
	Payee    *party.Payee // who is paid, where that is asked; nil: not told
}

// Paid is a payment made.
type Paid struct {
	Ticket wager.Ticket
	Amount money.Amount // paid: prizes and stakes given back
	Back   money.Amount // of these the stakes of cancelled draws
	Again  bool         // paid before, by the same command: the cashier must not hand it out twice
	Draws  []draw.ID    // for which draws
	At     time.Time
}

// Pay pays all that is payable at this moment (paiement), prizes and stakes of
// cancelled draws together; each draw of a ticket is paid once. The claim
// windows are those of the place of payment (IAT-7), and some prizes are paid
// at payment centres only (AMI-11.2), as is a ticket that comes to more in all
// than the terms of outlets say ([party.Terms]). Where these ask who is paid, he
// is kept sealed, and the record has a salted hash; elsewhere he is not kept.
//
// Refusals: [ErrNoTicket], [ErrCancelled], [ErrStopped], [ErrIdentity], [party.ErrPayee], [settle.ErrNothingToPay],
// [settle.ErrNotYet], [settle.ErrCentre], [settle.ErrExpired], [settle.ErrPaid],
// [party.ErrBlocked], [ErrKey], [ErrKeyReused], [ErrGivenUp].
func (s *System) Pay(ctx context.Context, p Pay) (Paid, error) {
	key, err := terminalKey(p.Terminal, p.Key)
	if err != nil {
		return Paid{}, err
	}
	facts, err := s.facts(ctx, p.Ticket, p.Secret)
	if err != nil {
		return Paid{}, err
	}
	return s.payRead(ctx, key, p, facts)
}

// payRead pays a ticket that was read: its draws may have gone on since.
func (s *System) payRead(ctx context.Context, key store.CommandKey, p Pay, facts ticketFacts) (Paid, error) {
	request := []any{p.Ticket, p.Secret}
	if p.Payee != nil {
		trimmed := p.Payee.Trim()
		p.Payee = &trimmed
		request = append(request, s.payeeMark(p.Payee))
	}
	hash := content("pay", request)
	var paid Paid
	var again uint64
	err := s.do(ctx, &job{key: key, ticket: p.Ticket, decide: func(t *turn) error {
		paid, again = Paid{}, 0
		record, done, err := t.done(key, hash)
		if err != nil || done {
			again = record
			return err
		}
		body, err := s.decidePay(t, p, facts)
		if err != nil {
			return err
		}
		body.Command = commandHash(key)
		index, err := t.pay(body)
		if err != nil {
			return err
		}
		paid = Paid{Ticket: facts.ticket, At: utc(t.at)}
		paid.add(body)
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

// decidePay decides a payment at a terminal, and keeps who is paid where that is asked.
func (s *System) decidePay(t *turn, p Pay, facts ticketFacts) (*journal.Payment, error) {
	terminal, outlet, err := t.m.working(p.Terminal)
	switch {
	case err != nil:
		return nil, err
	case outlet.Blocked:
		return nil, party.ErrBlocked
	case t.cancelled[uint64(p.Ticket)]:
		return nil, ErrCancelled
	case t.stops[uint64(p.Ticket)]:
		return nil, ErrStopped
	}
	answer, err := facts.at(t, outlet)
	if err != nil {
		return nil, err
	}
	due, err := answer.Due()
	if err != nil {
		return nil, err
	}
	body := facts.payment(due, outlet)
	body.Terminal = mustParty(terminal.ID)
	if !asksPayee(t.terms(), answer) {
		return body, nil // nobody is recorded who need not be
	}
	if p.Payee == nil {
		return nil, ErrIdentity
	}
	if err := t.checkPayee(*p.Payee); err != nil {
		return nil, err
	}
	row := s.payeeRow(*p.Payee)
	row.Record = t.next() // the payment is appended next
	body.Payee = row.Hash
	return body, t.tx.AddPayee(s.ctx, row)
}

// payment is the record of a payment of what is due, at an outlet.
func (f ticketFacts) payment(due []settle.Due, outlet party.Outlet) *journal.Payment {
	body := &journal.Payment{
		Outlet: mustParty(outlet.ID), Ticket: uint64(f.ticket.Number), Own: outlet.ID == f.ticket.Outlet,
		LastDraw: uint64(f.ticket.Draws[len(f.ticket.Draws)-1].ID),
	}
	for _, d := range due {
		line := journal.PaymentDraw{Draw: uint64(d.Draw), Amount: d.Amount}
		if d.Back {
			body.Back = append(body.Back, line)
		} else {
			body.Draws = append(body.Draws, line)
		}
	}
	return body
}

// pay appends a payment, which there must be the money for.
func (t *turn) pay(body *journal.Payment) (uint64, error) {
	var paid Paid
	paid.add(body)
	last := int64(body.LastDraw)
	covered := t.balance(ledger.Prize(last)).Add(paid.Amount).Sub(paid.Back) <= 0 && t.balance(ledger.Back(last)).Add(paid.Back) <= 0
	assert(covered, "payment of more than there is to pay")
	index, err := t.append(body)
	if err != nil {
		return 0, err
	}
	for _, id := range paid.Draws {
		t.paid[ticketDraw{body.Ticket, id}] = true
	}
	return index, nil
}

// at is the answer for the ticket at the time of the turn, at the outlet.
func (f ticketFacts) at(t *turn, outlet party.Outlet) (settle.Answer, error) {
	zone, err := t.m.zone(outlet)
	if err != nil {
		return settle.Answer{}, err
	}
	draws := slices.Clone(f.draws)
	for i, d := range draws {
		if now := t.m.draws[d.Draw.ID]; now != nil { // it may have gone on since the ticket was read
			draws[i] = now.facts()
			draws[i].PaidAt = d.PaidAt
		}
		if t.paid[ticketDraw{uint64(f.ticket.Number), d.Draw.ID}] && d.PaidAt.IsZero() {
			draws[i].PaidAt = utc(t.at) // by another command, since the ticket was read
		}
	}
	f.draws = draws
	place := settle.Place{Zone: zone, Centre: outlet.Centre, Max: paymentMax(t.terms())}
	return f.answer(t.m.claims.delays[f.session()], t.m.extensions, utc(t.at), place), nil
}

// session is that of the ticket, whose draws are all of one.
func (f ticketFacts) session() session { return sessionOf(f.ticket.Draws[0]) }

// answer is the one answer to checker and payment, wherever they ask (F09).
func (f ticketFacts) answer(delay settle.Delay, extensions []settle.Extension, at time.Time, place settle.Place) settle.Answer {
	r, last := f.ticket.Rules, f.draws[len(f.draws)-1].Draw
	if !at.Before(settle.ClaimsOver(r, last, delay, extensions)) {
		// Over in each of the game's territories: then nobody pays, also where
		// an outlet's clock is behind all of them.
		place.Zone = r.Calendar.Zone
	}
	return settle.Check(f.ticket, f.tables, f.draws, delay, extensions, at, place)
}

// add adds what a payment pays.
func (p *Paid) add(b *journal.Payment) {
	for _, d := range b.Draws {
		p.Draws, p.Amount = append(p.Draws, draw.ID(d.Draw)), p.Amount.Add(d.Amount)
	}
	for _, d := range b.Back {
		p.Draws, p.Amount, p.Back = append(p.Draws, draw.ID(d.Draw)), p.Amount.Add(d.Amount), p.Back.Add(d.Amount)
	}
}

// payment reads a payment back: the first answer again.
func (s *System) payment(ctx context.Context, ticket wager.Ticket, index uint64) (Paid, error) {
	rec, err := s.record(ctx, index)
	if err != nil {
		return Paid{}, err
	}
	b, ok := rec.Body.(*journal.Payment)
	assert(ok, "the record of a payment is one")
	paid := Paid{Ticket: ticket, Again: true, At: utc(rec.At)}
	paid.add(b)
	return paid, nil
}
