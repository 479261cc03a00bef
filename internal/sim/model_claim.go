package sim

import (
	"slices"
	"time"

	"tirage/draw"
	"tirage/game"
	"tirage/ledger"
	"tirage/money"
	"tirage/settle"
)

// drawDay is the draw day on which an instant falls: what is before its first draw is of the day before.
func (g *modelGame) drawDay(at time.Time) game.Day {
	day := game.DayOf(at, g.Calendar.Zone)
	if at.Before(g.at(day, g.Calendar.FirstAt)) {
		day--
	}
	return day
}

// session names a session of a game.
type session struct {
	day    game.Day
	number int
}

func (d *modelDraw) session() session { return session{d.Day, d.Session} }

// claimEnds are the last days on which prizes are paid and stakes given back on
// tickets with this last planned draw: some days after it, or after whatever was
// postponed in its session; stakes also after what was cancelled late.
func (g *modelGame) claimEnds(last *modelDraw) (prizes, stakes game.Day) {
	prizes = g.daysAfter(last.DrawsAt)
	for _, d := range g.sessions[last.session()] {
		for _, at := range d.postponed {
			prizes = max(prizes, g.daysAfter(at))
		}
	}
	stakes = prizes
	for _, d := range g.sessions[last.session()] {
		if d.cancelledAt.After(d.DrawsAt) {
			stakes = max(stakes, g.daysAfter(d.cancelledAt))
		}
	}
	return prizes, stakes
}

// daysAfter is the day on which claims end that count from an instant.
func (g *modelGame) daysAfter(at time.Time) game.Day {
	planned := g.drawDay(at)
	if g.Claims.ClaimDay == game.ClaimCalendarDate {
		planned = game.DayOf(at, g.Calendar.Zone)
	}
	planned += game.Day(g.Claims.Days)
	end := planned
	for _, e := range g.extensions {
		if e.From <= planned && planned <= e.To || e.From <= end && end <= e.To {
			end = max(end, e.Until)
		}
	}
	return end
}

// claimsOver is when both have ended everywhere.
func (g *modelGame) claimsOver(last *modelDraw) time.Time { return g.endOf(max(g.claimEnds(last))) }

// endOf is when a day has ended everywhere.
func (g *modelGame) endOf(day game.Day) (over time.Time) {
	year, month, date := time.Unix(int64(day+1)*86400, 0).UTC().Date()
	for _, t := range g.Calendar.Territories {
		if at := time.Date(year, month, date, 0, 0, 0, 0, t.Zone); at.After(over) {
			over = at
		}
	}
	return over
}

// latest is the draw that is held last, of those that are not cancelled.
func (t *modelTicket) latest() (latest *modelDraw) {
	for _, d := range t.draws {
		if d.state != draw.Cancelled && (latest == nil || !d.DrawsAt.Before(latest.DrawsAt)) {
			latest = d
		}
	}
	return latest
}

// claim is what may be told and paid of a ticket, at a moment and a place.
type claim struct {
	standing                             settle.Standing
	waiting                              int
	total, back, paid, backPaid          money.Amount
	due                                  []*modelDraw
	payPrize, payBack                    money.Amount
	open, centreOnly, expired, unexpired bool
	asked                                bool // who is paid
}

// dues are the draws that a payment would be for, ascending, and what it would pay.
func (c claim) dues() (ids []draw.ID, sum money.Amount) {
	for _, d := range c.due {
		ids = append(ids, d.ID)
	}
	slices.Sort(ids)
	return ids, c.payPrize.Add(c.payBack)
}

// The terms of outlets of simulations: small enough to be reached often.
const (
	paymentMax   = money.Amount(50_00)
	identityFrom = money.Amount(150_00)
)

// sum is all that the ticket has won and gets back so far, paid or not.
func (t *modelTicket) sum() (sum money.Amount) {
	for _, d := range t.draws {
		switch d.state {
		case draw.Cancelled:
			sum += t.stake()
		case draw.Certified:
			sum += t.prize(d)
		case draw.Planned, draw.Selling, draw.Closed, draw.Drawn, draw.Settled, draw.Postponed:
		}
	}
	return sum
}

// claim answers for a ticket, by the regulations: prizes of the next morning
// hold up the whole ticket, the others wait for the last draw that it takes part in; some are paid
// at payment centres only, and then the whole ticket, as is one that comes to more than outlets pay.
func (m *model) claimOf(t *modelTicket, at *shop) (c claim) {
	g := t.game
	today, over := game.DayOf(m.now, at.zone), !m.now.Before(g.claimsOver(t.last()))
	prizesEnd, stakesEnd := g.claimEnds(t.last())
	expired, stakesExpired := over || today > prizesEnd, over || today > stakesEnd
	latest := t.latest()
	tops, morning, centre := t.top()
	elsewhere := t.sum() > paymentMax && !at.outlet.Centre
	defer func() { c.asked = t.sum() >= identityFrom && len(c.due) > 0 }()
	for _, d := range t.draws {
		switch {
		case d.state == draw.Cancelled:
			c.back += t.stake()
			if t.paid[d.ID] {
				c.backPaid += t.stake()
				continue
			}
			if !d.refunded {
				c.waiting++
			}
			c.open = true
			c.expired, c.unexpired = c.expired || stakesExpired, c.unexpired || !stakesExpired
			switch {
			case !d.refunded || stakesExpired:
			case elsewhere:
				c.centreOnly = true
			default:
				c.due, c.payBack = append(c.due, d), c.payBack+t.stake()
			}
		case d.state != draw.Certified:
			c.waiting++
		default:
			prize := t.prize(d)
			c.total += prize
			if prize == 0 {
				continue
			}
			if t.paid[d.ID] {
				c.paid += prize
				continue
			}
			c.open = true
			c.expired, c.unexpired = c.expired || expired, c.unexpired || !expired
			switch {
			case m.now.Before(morning), expired, !tops[d] && (latest.state != draw.Certified || m.now.Before(latest.DrawsAt)):
			case centre && !at.outlet.Centre, elsewhere:
				c.centreOnly = true
			default:
				c.due, c.payPrize = append(c.due, d), c.payPrize+prize
			}
		}
	}
	switch {
	case c.total > 0:
		c.standing = settle.Won
	case c.back > c.backPaid:
		c.standing = settle.GiveBack
	case c.waiting > 0:
		c.standing = settle.Pending
	case c.back > 0:
		c.standing = settle.GiveBack
	default:
		c.standing = settle.Lost
	}
	return c
}

// top is the draws in which the ticket wins a prize of the next morning, the
// last of those mornings, and whether anything open is paid at payment centres only.
func (t *modelTicket) top() (tops map[*modelDraw]bool, morning time.Time, centre bool) {
	g := t.game
	tops = map[*modelDraw]bool{}
	for _, d := range t.draws {
		if d.state != draw.Certified {
			continue
		}
		for _, p := range t.combinations {
			tier := d.tier(t.table(d), p)
			if tier < 0 {
				continue
			}
			won := g.Tables[t.table(d)].Tiers[tier]
			if d.values[[2]int{t.table(d), tier}] > 0 && won.NextMorning {
				tops[d] = true
				if at := g.at(g.drawDay(d.DrawsAt)+1, g.Claims.MorningAt); at.After(morning) {
					morning = at
				}
			}
			centre = centre || won.Centre && !t.paid[d.ID]
		}
	}
	return tops, morning, centre
}

// refusal is why nothing is paid; nil when something is.
func (c claim) refusal() error {
	switch {
	case len(c.due) > 0:
		return nil
	case c.centreOnly:
		return settle.ErrCentre
	case c.expired && !c.unexpired:
		return settle.ErrExpired
	case c.unexpired || c.waiting > 0:
		return settle.ErrNotYet
	case c.total > 0 || c.back > 0:
		return settle.ErrPaid
	}
	return settle.ErrNothingToPay
}

// pay books a payment.
func (m *model) pay(t *modelTicket, at *shop, c claim) {
	for _, d := range c.due {
		t.paid[d.ID] = true
	}
	m.did(at, t.game.Code, 0, c.payPrize, -c.payPrize-c.payBack)
	id := t.last().ID
	for account, amount := range map[ledger.Account]money.Amount{ledger.Prize(int64(id)): c.payPrize, ledger.Back(int64(id)): c.payBack} {
		m.book(account, amount)
	}
	if m.accounts[ledger.Prize(int64(id))] == 0 && m.accounts[ledger.Back(int64(id))] == 0 {
		delete(t.game.claims, id)
	}
}

func (m *model) owe(s *shop, amount money.Amount) {
	s.owes += amount
	m.book(ledger.Outlet(s.outlet.ID), amount)
}
