package central

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"tirage/draw"
	"tirage/journal"
	"tirage/money"
	"tirage/party"
	"tirage/settle"
	"tirage/store"
	"tirage/wager"
)

// ErrOtherSum is a ticket that no longer pays what was proposed, or what who proposes has read: a draw of it was certified
// meanwhile, or paid, or its time is over.
var ErrOtherSum = errors.New("the ticket no longer pays the sum that was proposed")

// lostTicket tells what two officers pay on a ticket that was lost or damaged
// ([ActPayTicket]), at the time of the turn: all that is payable at the payment
// centre, without the ticket's secret and whether its payment is stopped or not.
func (s *System) lostTicket(t *turn, c Change) (ticketFacts, []settle.Due, error) {
	outlet, ok := t.m.outlets[c.Outlet]
	switch {
	case !ok:
		return ticketFacts{}, nil, fmt.Errorf("%w: %.20q", party.ErrUnknownOutlet, c.Outlet)
	case !outlet.Centre:
		return ticketFacts{}, nil, fmt.Errorf("%w: outlet %d", settle.ErrCentre, outlet.Number)
	case outlet.Blocked:
		return ticketFacts{}, nil, party.ErrBlocked
	}
	if err := t.lookUp(s.ctx, c.Ticket); err != nil {
		return ticketFacts{}, nil, err
	}
	if t.cancelled[uint64(c.Ticket)] {
		return ticketFacts{}, nil, ErrCancelled
	}
	facts, err := s.officerFacts(s.ctx, t.tx.Snapshot(), c.Ticket)
	if err != nil {
		return facts, nil, err
	}
	answer, err := facts.at(t, outlet)
	if err != nil {
		return facts, nil, err
	}
	due, err := answer.Due()
	return facts, due, err
}

// payLost appends the payment of a lost ticket that a decision approved.
func (s *System) payLost(t *turn, c Change, decision uint64) error {
	facts, due, err := s.lostTicket(t, c)
	if err != nil {
		return err
	}
	body := facts.payment(due, t.m.outlets[c.Outlet])
	body.Payee, body.Decision = c.PayeeHash, decision
	index, err := t.pay(body)
	if err != nil {
		return err
	}
	return t.tx.PayPayee(s.ctx, c.PayeeHash, index)
}

// dueOf are the draws of what is due, ascending, and its sum.
func dueOf(due []settle.Due) (draws []draw.ID, sum money.Amount) {
	for _, d := range due {
		draws, sum = append(draws, d.Draw), sum.Add(d.Amount)
	}
	slices.Sort(draws)
	return draws, sum
}

// stillDue tells whether a lost ticket still pays what was proposed, for the same draws: nil, or [ErrOtherSum].
func (s *System) stillDue(t *turn, c Change) error {
	if c.Act != ActPayTicket {
		return nil
	}
	_, due, err := s.lostTicket(t, c)
	if err != nil {
		return err
	}
	if draws, sum := dueOf(due); sum != c.Amount || !slices.Equal(draws, c.Draws) {
		return fmt.Errorf("%w: %s for %d draws, now %s for %d", ErrOtherSum, c.Amount, len(c.Draws), sum, len(draws))
	}
	return nil
}

// proposePayment writes into the proposal what it pays, and for which draws: the
// two officers agree on these. Whoever proposes and has read another sum is refused with [ErrOtherSum].
func (s *System) proposePayment(t *turn, c *Change) error {
	if c.Act != ActPayTicket {
		return nil
	}
	_, due, err := s.lostTicket(t, *c)
	if err != nil {
		return err
	}
	draws, sum := dueOf(due)
	if c.Amount != 0 && c.Amount != sum {
		return fmt.Errorf("%w: %s, now %s", ErrOtherSum, c.Amount, sum)
	}
	c.Draws, c.Amount = draws, sum
	return nil
}

// proposePayee keeps who is to be paid, beside the proposal that has the hash of him.
func (s *System) proposePayee(ctx context.Context, t *turn, c *Change, row store.Payee) error {
	if c.Act != ActPayTicket {
		return nil
	}
	if err := t.checkPayee(*c.Payee); err != nil {
		return err
	}
	c.PayeeHash = row.Hash
	return t.tx.AddPayee(ctx, row)
}

// officerFacts are the facts of a ticket that an officer names, who needs no secret.
func (s *System) officerFacts(ctx context.Context, tx *store.Snapshot, number wager.ID) (ticketFacts, error) {
	sale, at, err := tx.Record(ctx, uint64(number))
	if err != nil {
		return ticketFacts{}, err
	}
	return s.readFacts(ctx, tx, number, sale, at)
}

// payTicketOf tells whether a payment is the one that was approved, of that sum and for those draws.
func payTicketOf(c Change, decision uint64, b *journal.Payment) bool {
	var paid Paid
	paid.add(b)
	slices.Sort(paid.Draws)
	return paid.Amount == c.Amount && slices.Equal(paid.Draws, c.Draws) &&
		b.Command == (journal.Command{}) && b.Terminal == (journal.Party{}) && b.Decision == decision && wager.ID(b.Ticket) == c.Ticket &&
		b.Outlet.String() == c.Outlet && string(b.Payee) == string(c.PayeeHash)
}
