package sim

import (
	"maps"
	"math/big"
	"slices"
	"time"

	"tirage/central"
	"tirage/game"
	"tirage/ledger"
	"tirage/money"
	"tirage/party"
)

// modelDay is what a shop did on a day of its own zone.
type modelDay struct {
	moved, received money.Amount           // what it owes more by all of it; money received
	earns           map[game.Code]*big.Rat // cents
}

// modelStatement is a statement of a shop.
type modelStatement struct {
	sunday game.Day
	unpaid money.Amount // of it, less what was received since
}

// modelAccount is a shop's account with the operator.
type modelAccount struct {
	days       map[game.Day]*modelDay // no statement has them
	statements []*modelStatement
	stated     game.Day // the last day of the last
	closing    money.Amount
	carried    map[game.Code]*big.Rat
	changedAt  time.Time
	overdueAt  time.Time // when it was first seen to be overdue
}

func newModelAccount(at time.Time) modelAccount {
	return modelAccount{days: map[game.Day]*modelDay{}, carried: map[game.Code]*big.Rat{}, changedAt: at}
}

// did books what a shop did: what it sold (less what it took back) and paid as
// prizes in a game, and what it owes more by it.
func (m *model) did(s *shop, code game.Code, sold, paid, amount money.Amount) {
	day := game.DayOf(m.now, s.zone)
	d := s.account.days[day]
	if d == nil {
		d = &modelDay{earns: map[game.Code]*big.Rat{}}
		s.account.days[day] = d
	}
	d.moved += amount
	if code != "" {
		if d.earns[code] == nil {
			d.earns[code] = new(big.Rat)
		}
		c := m.terms.Of(string(code))
		d.earns[code].Add(d.earns[code], new(big.Rat).Mul(c.Sales, new(big.Rat).SetInt64(int64(sold))))
		d.earns[code].Add(d.earns[code], new(big.Rat).Mul(c.Payments, new(big.Rat).SetInt64(int64(paid))))
	}
	m.owe(s, amount)
}

// receives books money received from a shop.
func (m *model) receives(s *shop, amount money.Amount) {
	m.did(s, "", 0, 0, -amount)
	s.account.days[game.DayOf(m.now, s.zone)].received += amount
	for _, st := range s.account.statements {
		st.unpaid -= amount
	}
	m.book(ledger.Cash, amount)
}

// stateAll makes the statements that are due.
func (m *model) stateAll(shops []*shop) (made int) {
	for _, s := range shops {
		a := &s.account
		for {
			sunday := a.stated + 7
			if days := slices.Sorted(maps.Keys(a.days)); a.closing == 0 {
				if len(days) == 0 {
					break
				}
				for sunday = days[0]; sunday.Weekday() != time.Sunday; sunday++ {
				}
			}
			if m.now.Before((sunday + 1).At(0, s.zone)) {
				break
			}
			m.state(s, sunday)
			made++
		}
	}
	return made
}

// state makes the statement of a shop for the week that ends on a Sunday.
func (m *model) state(s *shop, sunday game.Day) {
	a := &s.account
	for day := sunday - 6; day <= sunday; day++ {
		if d := a.days[day]; d != nil {
			a.closing += d.moved
			for code, cents := range d.earns {
				if a.carried[code] == nil {
					a.carried[code] = new(big.Rat)
				}
				a.carried[code].Add(a.carried[code], cents)
			}
			delete(a.days, day)
		}
	}
	for code, cents := range a.carried {
		whole := new(big.Int).Div(cents.Num(), cents.Denom())
		cents.Sub(cents, new(big.Rat).SetInt(whole))
		commission := money.Amount(whole.Int64())
		a.closing -= commission
		m.owe(s, -commission)
		m.book(ledger.Commission(string(code)), commission)
	}
	st := &modelStatement{sunday: sunday, unpaid: a.closing}
	for _, d := range a.days {
		st.unpaid -= d.received
	}
	a.stated, a.statements = sunday, append(a.statements, st)
}

// overdue tells whether a shop has not paid a statement in time.
func (m *model) overdue(s *shop) bool {
	return slices.ContainsFunc(s.account.statements, func(st *modelStatement) bool {
		due := (st.sunday + game.Day(m.terms.BlockDays)).At(0, s.zone)
		return !m.now.Before(due) && due.After(s.account.changedAt) && min(st.unpaid, s.owes) > 0
	})
}

// compareBlocks compares the outlets that the system has blocked with those that
// must be, and lets them sell again. The scheduler looks once a minute.
func (s *simulation) compareBlocks() {
	for _, at := range s.shops {
		o, err := s.sys.Outlet(at.outlet.ID)
		s.check(err)
		overdue := s.overdue(at)
		switch {
		case o.Blocked && (!overdue || o.Cause != party.Unpaid):
			s.Fatalf("%s: outlet %d is blocked for %q, though it has paid", s.now, o.Number, o.Cause)
		case overdue && !o.Blocked && at.account.overdueAt.IsZero():
			at.account.overdueAt = s.now
		case overdue && !o.Blocked && s.now.Sub(at.account.overdueAt) > 2*time.Minute:
			s.Fatalf("%s: outlet %d is overdue since %s, and not blocked", s.now, o.Number, at.account.overdueAt)
		case !overdue:
			at.account.overdueAt = time.Time{}
		}
		if o.Blocked {
			_, err := s.sys.PutOutlet(s.ctx(), central.PutOutlet{Key: s.key(), Officer: s.officers[0], Outlet: at.outlet})
			s.check(err)
			at.account.changedAt, at.account.overdueAt = s.sys.Now(), time.Time{}
			s.done["block"]++
		}
	}
}
