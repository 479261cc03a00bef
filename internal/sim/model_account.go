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
	moved, received money.Amount           // what it owes more by all of it; money received, less what came back
	returned        money.Amount           // what came back
	earns           map[game.Code]*big.Rat // cents
}

// modelStatement is a statement of a shop.
type modelStatement struct {
	sunday                                 game.Day
	opening, received, commission, closing money.Amount // received: less what came back
	returned                               money.Amount

	unpaid  money.Amount // of it, less what was received since
	record  uint64       // of the system; 0: it was not found yet
	madeAt  time.Time
	debit   string       // its direct debit: "", "sent", "paid" or "returned"
	debited money.Amount // by it
}

// modelAccount is a shop's account with the operator.
type modelAccount struct {
	mandate    bool
	underWay   money.Amount           // sent to the bank
	days       map[game.Day]*modelDay // no statement has them
	statements []*modelStatement      // newest last
	stated     game.Day               // the last day of the last
	closing    money.Amount
	carried    map[game.Code]*big.Rat
	blocked    bool
	cause      string    // why: by an officer, none
	changedAt  time.Time // let sell again
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

// receives books money received from a shop; below 0, money that it gets, or got back.
func (m *model) receives(s *shop, amount money.Amount) {
	m.did(s, "", 0, 0, -amount)
	s.account.days[game.DayOf(m.now, s.zone)].received += amount
	for _, st := range s.account.statements {
		st.unpaid -= amount
	}
	m.book(ledger.Cash, amount)
}

// returns books a direct debit of a shop that came back after it was paid.
func (m *model) returns(s *shop, amount money.Amount) {
	m.receives(s, -amount)
	s.account.days[game.DayOf(m.now, s.zone)].returned += amount
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
	st := &modelStatement{sunday: sunday, opening: a.closing, madeAt: m.now}
	for day := sunday - 6; day <= sunday; day++ {
		if d := a.days[day]; d != nil {
			a.closing += d.moved
			st.received, st.returned = st.received+d.received, st.returned+d.returned
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
		st.commission += commission
		m.owe(s, -commission)
		m.book(ledger.Commission(string(code)), commission)
	}
	st.closing, st.unpaid = a.closing, a.closing
	for _, d := range a.days {
		st.unpaid -= d.received
	}
	old := func(st *modelStatement) bool { return st.sunday <= sunday-statementsFor }
	a.stated, a.statements = sunday, append(slices.DeleteFunc(a.statements, old), st)
}

// statementsFor is how many days a statement counts after the next ones.
const statementsFor = 70

// left is what is not paid of a statement of a shop, and is not to be brought by direct debits.
func (s *shop) left(st *modelStatement) money.Amount {
	return max(0, min(st.unpaid, st.closing, s.owes)-s.account.underWay)
}

// overdue tells whether a shop has not paid a statement in time.
func (m *model) overdue(s *shop) bool {
	return slices.ContainsFunc(s.account.statements, func(st *modelStatement) bool {
		due := (st.sunday + game.Day(m.terms.BlockDays)).At(0, s.zone)
		return !m.now.Before(due) && due.After(s.account.changedAt) && s.left(st) >= m.terms.BlockMin
	})
}

// compareBlocks compares the outlets that the system has blocked with those that
// must be. The scheduler looks once a minute.
func (s *simulation) compareBlocks() {
	for _, at := range s.shops {
		a := &at.account
		o, err := s.sys.Outlet(at.outlet.ID)
		s.check(err)
		overdue := s.overdue(at)
		switch {
		case o.Blocked && !a.blocked && overdue:
			a.blocked, a.cause = true, party.Unpaid
			s.done["block"]++
		case overdue && !a.blocked && a.overdueAt.IsZero():
			a.overdueAt = s.now
		case overdue && !a.blocked && s.now.Sub(a.overdueAt) > 2*time.Minute:
			s.Fatalf("%s: outlet %d is overdue since %s, and not blocked", s.now, o.Number, a.overdueAt)
		}
		if !overdue || a.blocked {
			a.overdueAt = time.Time{}
		}
		s.compareBlock(at)
	}
}

// compareBlock compares whether an outlet is blocked, and why.
func (s *simulation) compareBlock(at *shop) {
	s.Helper()
	o, err := s.sys.Outlet(at.outlet.ID)
	if s.check(err); o.Blocked != at.account.blocked || o.Cause != at.account.cause {
		s.Fatalf("%s: outlet %d is blocked %v for %q, by the model %v for %q", s.now, o.Number, o.Blocked, o.Cause, at.account.blocked, at.account.cause)
	}
}

// compareStatements finds the statements that were made, and compares them.
func (s *simulation) compareStatements() {
	for _, at := range s.shops {
		a := &at.account
		if n := len(a.statements); n == 0 || a.statements[n-1].record != 0 {
			continue
		}
		list, err := s.sys.Statements(s.ctx(), at.outlet.ID, len(a.statements))
		s.check(err)
		for _, st := range a.statements {
			if st.record == 0 {
				s.compareStatement(at, st, list)
			}
		}
	}
}

// compareStatement compares a statement of the model with the system's. The scheduler looks once a minute.
func (s *simulation) compareStatement(at *shop, st *modelStatement, list []central.Statement) {
	i := slices.IndexFunc(list, func(got central.Statement) bool { return got.Last == st.sunday })
	if i < 0 {
		if s.now.Sub(st.madeAt) > 2*time.Minute {
			s.Fatalf("%s: outlet %d has no statement of the week to %s", s.now, at.outlet.Number, st.sunday)
		}
		return
	}
	got := list[i]
	if st.record = got.Record; got.Opening != st.opening || got.Received-got.Returned != st.received || got.Returned != st.returned || got.Commission != st.commission || got.Closing != st.closing {
		s.Fatalf("%s: outlet %d, week to %s: opening %s, received %s, commission %s, closing %s; the model has %s, %s, %s, %s", s.now, at.outlet.Number, st.sunday,
			got.Opening, got.Received, got.Commission, got.Closing, st.opening, st.received, st.commission, st.closing)
	}
	if st.received < 0 {
		s.done["statement with received below 0"]++
	}
}
