package sim

import (
	"errors"
	"maps"
	"slices"
	"time"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/money"
	"tirage/party"
	"tirage/settle"
)

func placeOf(at *shop) settle.Place { return settle.Place{Zone: at.zone, Centre: at.outlet.Centre} }

// change proposes an act of an officer, or decides on one.
func (s *simulation) change() {
	if s.IntN(5) == 0 {
		s.stop()
		return
	}
	open := slices.Sorted(maps.Keys(s.proposals))
	if len(open) == 0 || s.IntN(2) == 0 {
		s.propose()
		return
	}
	newest := open[len(open)-1]
	if s.IntN(4) == 0 {
		newest = open[s.IntN(len(open))] // which may be too late
	}
	s.decide(s.proposals[newest])
}

// creditor is an outlet that the lottery owes money, or any when there is none.
func (s *simulation) creditor() *shop {
	for _, at := range s.shops {
		if at.owes < 0 {
			return at
		}
	}
	return s.shops[s.IntN(len(s.shops))]
}

// shopOf is the shop of an outlet.
func (s *simulation) shopOf(outlet string) *shop {
	return s.shops[slices.IndexFunc(s.shops, func(at *shop) bool { return at.outlet.ID == outlet })]
}

// propose proposes to move, close or cancel some draw of these days, to extend claims, to pay an outlet or something about a ticket.
func (s *simulation) propose() {
	by := s.officers[s.IntN(2)]
	if len(s.proposals) >= central.OpenProposalsMax {
		return
	}
	acts := []central.ChangeAct{
		central.ActPostpone, central.ActPostpone, central.ActPostpone, central.ActClose, central.ActClose, central.ActCancelDraw, central.ActExtendClaims,
		central.ActPayOutlet, central.ActPayOutlet, central.ActPayOutlet, central.ActReceive, central.ActReceive, central.ActRaiseLimit,
	}
	c := central.Change{Act: acts[s.IntN(len(acts))], Reason: "simulated"}
	var ticket *modelTicket
	if t := s.ticket(); t != nil && s.IntN(3) == 0 {
		ticket, c = t, s.changeTicket(t)
	} else if c.Act == central.ActPayOutlet {
		at := s.creditor()
		c.Outlet, c.Amount = at.outlet.ID, money.Amount(1+s.IntN(int(max(1, -at.owes))+10))
	} else if c.Act == central.ActReceive {
		c.Outlet, c.Amount = s.shops[s.IntN(len(s.shops))].outlet.ID, money.Amount(1+s.IntN(20_000))
	} else if c.Act == central.ActRaiseLimit { // not of the last one, which is often refused
		c.Outlet, c.Amount = s.shops[s.IntN(len(s.shops)-1)].outlet.ID, credit+money.Amount(s.IntN(2)*s.IntN(20_000))
	} else if c.Act == central.ActExtendClaims {
		g := s.games[s.IntN(len(s.games))]
		c.Game = g.Code
		c.From = game.DayOf(s.now, g.Calendar.Zone) - 1 + game.Day(s.IntN(5))
		c.To = c.From + game.Day(s.IntN(2))
		c.Until = c.To + 1 + game.Day(s.IntN(2))
	} else {
		for range 1 + s.IntN(8)/6*s.IntN(3) { // one mostly
			if id := s.someDraw().ID; !slices.Contains(c.Draws, id) {
				c.Draws = append(c.Draws, id)
			}
		}
	}
	if c.Act == central.ActPostpone {
		c.Shift = time.Duration(1+s.IntN(120)) * time.Minute
		if s.IntN(8) == 0 { // beyond the end of claims of its tickets' other draws
			c.Shift += time.Duration(1+s.IntN(4)) * 24 * time.Hour
		}
	}
	p, err := s.sys.Propose(s.ctx(), central.Propose{Key: s.key(), Officer: by, Change: c})
	if s.agree("proposal to "+c.Act.String(), err, s.possible(c, ticket)) {
		if c.Act == central.ActPayTicket {
			c.Draws, c.Amount = s.claimOf(ticket, s.centre()).dues()
		}
		s.proposals[p.ID] = &proposal{id: p.ID, change: c, by: by, ticket: ticket}
	}
}

// changeTicket is a change of a ticket: one that is stopped can be freed, all can be paid as lost.
func (s *simulation) changeTicket(t *modelTicket) central.Change {
	if t.stopped && s.IntN(2) == 0 {
		return central.Change{Act: central.ActLiftStop, Ticket: t.Number, Reason: "simulated"}
	}
	return central.Change{Act: central.ActPayTicket, Ticket: t.Number, Outlet: s.centre().outlet.ID, Payee: payee(), Reason: "simulated"}
}

// centre is the payment centre.
func (s *simulation) centre() *shop {
	return s.shops[slices.IndexFunc(s.shops, func(at *shop) bool { return at.outlet.Centre })]
}

// someDraw is a draw of these days, mostly one that sells.
func (s *simulation) someDraw() *modelDraw {
	if next := s.selling(s.game(), 10); len(next) > 0 && s.IntN(4) > 0 {
		return next[s.IntN(len(next))]
	}
	return s.live[s.IntN(len(s.live))]
}

// possible tells why a change cannot be made now; nil when it can.
func (s *simulation) possible(c central.Change, t *modelTicket) error {
	switch {
	case c.Act == central.ActPayOutlet && c.Amount > -s.shopOf(c.Outlet).owes:
		return central.ErrNotOwed
	case c.Act == central.ActRaiseLimit && c.Amount <= s.shopOf(c.Outlet).outlet.CreditLimit:
		return central.ErrNoRaise
	case c.Act == central.ActPayOutlet, c.Act == central.ActReceive, c.Act == central.ActRaiseLimit:
		return nil
	case c.Act == central.ActLiftStop && !t.stopped:
		return central.ErrNotStopped
	case c.Act == central.ActLiftStop:
		return nil
	case c.Act == central.ActPayTicket && s.centre().account.blocked:
		return party.ErrBlocked
	case c.Act == central.ActPayTicket && t.cancelled:
		return central.ErrCancelled
	case c.Act == central.ActPayTicket:
		claim := s.claimOf(t, s.centre())
		if draws, sum := claim.dues(); claim.refusal() == nil && c.Amount != 0 && (sum != c.Amount || !slices.Equal(draws, c.Draws)) {
			return central.ErrOtherSum
		}
		return claim.refusal()
	}
	if c.Act == central.ActExtendClaims {
		g := s.games[slices.IndexFunc(s.games, func(g *modelGame) bool { return g.Code == c.Game })]
		if !s.now.Before(g.endOf(c.From)) {
			return central.ErrClaimsOver
		}
		return nil
	}
	for _, id := range c.Draws {
		if err := s.movable(c.Act, s.draws[id]); err != nil {
			return err
		}
	}
	return nil
}

// movable tells why an act cannot be done to a draw now.
func (s *simulation) movable(act central.ChangeAct, d *modelDraw) error {
	closed := !s.now.Before(d.ClosesAt)
	switch {
	case act != central.ActCancelDraw && closed:
		return draw.ErrClosed
	case act == central.ActClose && !s.now.After(d.OpensAt):
		return draw.ErrMove
	case act == central.ActClose && d.state != draw.Selling:
		return draw.ErrTransition
	case d.state == draw.Certified || d.state == draw.Cancelled:
		return draw.ErrTransition
	}
	return nil
}

// decide has an officer approve or reject a proposal.
func (s *simulation) decide(p *proposal) {
	by := s.officers[s.IntN(2)]
	if by == p.by && s.IntN(4) > 0 {
		by = s.officers[1-slices.Index(s.officers, by)]
	}
	d := central.Decide{Key: s.key(), Officer: by, Proposal: p.id}
	if s.IntN(5) == 0 {
		_, err := s.sys.Reject(s.ctx(), d)
		s.agree("rejection", err, nil)
		delete(s.proposals, p.id)
		return
	}
	want := s.possible(p.change, p.ticket)
	if by == p.by {
		want = central.ErrSameOfficer
	}
	_, err := s.sys.Approve(s.ctx(), d)
	if !s.agree("approval to "+p.change.Act.String(), err, want) {
		if !errors.Is(want, central.ErrSameOfficer) { // it would wait for ever
			_, err := s.sys.Reject(s.ctx(), central.Decide{Key: s.key(), Officer: by, Proposal: p.id})
			s.agree("rejection of what is too late", err, nil)
			delete(s.proposals, p.id)
		}
		return
	}
	delete(s.proposals, p.id)
	s.now = s.sys.Now()
	s.apply(p.change, p.ticket)
	_, err = s.sys.Approve(s.ctx(), central.Decide{Key: s.key(), Officer: by, Proposal: p.id})
	s.agree("second approval", err, central.ErrDecided)
}

// apply is what a change does.
func (s *simulation) apply(c central.Change, t *modelTicket) {
	switch c.Act {
	case central.ActLiftStop:
		t.stopped = false
	case central.ActPayTicket:
		s.pay(t, s.centre(), s.claimOf(t, s.centre()))
	case central.ActPayOutlet:
		s.receives(s.shopOf(c.Outlet), -c.Amount)
	case central.ActReceive:
		s.receives(s.shopOf(c.Outlet), c.Amount)
	case central.ActRaiseLimit:
		s.shopOf(c.Outlet).outlet.CreditLimit = c.Amount
	case central.ActPostpone, central.ActClose, central.ActCancelDraw, central.ActExtendClaims, central.ActMakeOfficer, central.ActResumeGame, central.ActClosePool:
	}
	if c.Act == central.ActExtendClaims {
		g := s.games[slices.IndexFunc(s.games, func(g *modelGame) bool { return g.Code == c.Game })]
		g.extensions = append(g.extensions, settle.Extension{Game: c.Game, From: c.From, To: c.To, Until: c.Until})
		return
	}
	for _, id := range c.Draws {
		d := s.draws[id]
		switch c.Act {
		case central.ActPostpone:
			d.state = draw.Postponed
			d.ClosesAt, d.DrawsAt = d.ClosesAt.Add(c.Shift), d.DrawsAt.Add(c.Shift)
			d.postponed = append(d.postponed, d.DrawsAt)
		case central.ActClose:
			d.ClosesAt = s.now
		case central.ActCancelDraw:
			d.state, d.cancelledAt = draw.Cancelled, s.now
		case central.ActExtendClaims, central.ActMakeOfficer, central.ActResumeGame, central.ActPayTicket, central.ActLiftStop, central.ActPayOutlet, central.ActReceive, central.ActRaiseLimit, central.ActClosePool:
		}
	}
}
