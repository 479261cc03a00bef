package sim

import (
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

// claimEnd is the last day of claims of tickets with this last draw.
func (g *modelGame) claimEnd(last *modelDraw) game.Day {
	planned := g.drawDay(last.DrawsAt)
	if g.Claims.ClaimDay == game.ClaimCalendarDate {
		planned = game.DayOf(last.DrawsAt, g.Calendar.Zone)
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

// claimsOver is when that day has ended everywhere.
func (g *modelGame) claimsOver(last *modelDraw) time.Time { return g.endOf(g.claimEnd(last)) }

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

// claim is what may be told and paid of a ticket, at a moment and a place.
type claim struct {
	standing                             settle.Standing
	waiting                              int
	total, back, paid, backPaid          money.Amount
	due                                  []*modelDraw
	payPrize, payBack                    money.Amount
	open, centreOnly, expired, unexpired bool
}

// claim answers for a ticket, by the regulations: prizes of the next morning
// hold up the whole ticket, the others wait for its last draw; some are paid
// at payment centres only, and then the whole ticket.
func (m *model) claimOf(t *modelTicket, at *shop) (c claim) {
	g, last := t.game, t.last()
	expired := game.DayOf(m.now, at.zone) > g.claimEnd(last) || !m.now.Before(g.claimsOver(last))
	var morning time.Time
	centre := false
	tops := map[*modelDraw]bool{}
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
			if c.expired, c.unexpired = c.expired || expired, c.unexpired || !expired; d.refunded && !expired {
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
			final := last.state == draw.Certified || last.state == draw.Cancelled
			switch {
			case m.now.Before(morning), expired, !tops[d] && (!final || m.now.Before(last.DrawsAt)):
			case centre && !at.outlet.Centre:
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
	m.owe(at, -c.payPrize-c.payBack)
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
