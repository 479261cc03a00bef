package central

import (
	"cmp"
	"context"
	"slices"
	"time"

	"tirage/game"
	"tirage/journal"
	"tirage/ledger"
	"tirage/money"
	"tirage/party"
	"tirage/store"
)

// OutletView is an outlet with its account, for those who watch over outlets.
type OutletView struct {
	Outlet  party.Outlet
	Account Account
	Last    *Statement   // the newest; nil: none was made
	Left    money.Amount // of it, not paid and in no direct debit
	Week    OutletLine   // the days from Monday on, of its own zone
}

// OutletTotals is what all outlets come to.
type OutletTotals struct {
	Count int
	Owes  money.Amount
}

// OutletViews lists outlets with their accounts, by number: at most limit of
// them, after the first skip. The totals are those of all.
func (s *System) OutletViews(ctx context.Context, skip, limit int) ([]OutletView, OutletTotals, error) {
	outlets := s.Outlets()
	totals := OutletTotals{Count: len(outlets)}
	s.mu.RLock()
	for _, o := range outlets {
		totals.Owes = totals.Owes.Add(s.memory.balances[ledger.Outlet(o.ID)])
	}
	s.mu.RUnlock()
	outlets = outlets[min(max(0, skip), len(outlets)):]
	list, err := s.outletViews(ctx, outlets[:min(max(0, limit), len(outlets))])
	return list, totals, err
}

// OutletView is an outlet with its account, or [party.ErrUnknownOutlet].
func (s *System) OutletView(ctx context.Context, id string) (OutletView, error) {
	o, err := s.Outlet(id)
	if err != nil {
		return OutletView{}, err
	}
	list, err := s.outletViews(ctx, []party.Outlet{o})
	if err != nil {
		return OutletView{}, err
	}
	return list[0], nil
}

// outletViews reads what is known of some outlets, in a handful of queries whatever their number.
func (s *System) outletViews(ctx context.Context, outlets []party.Outlet) ([]OutletView, error) {
	now := s.Now()
	monday := mondayOf(game.DayOf(now, time.UTC) - 1) // of the zone that is furthest behind
	ids, parties := make([]string, len(outlets)), make(map[journal.Party]bool, len(outlets))
	for i, o := range outlets {
		ids[i], parties[mustParty(o.ID)] = o.ID, true
	}
	rows, err := s.readTallies(ctx, func(tx *store.Snapshot) ([]store.Tally, error) {
		return tx.Tallies(ctx, int32(monday), int32(monday+2*weekDays), ids)
	}, func(k tallyKey) bool { return k.day >= monday && parties[k.outlet] })
	if err != nil {
		return nil, err
	}
	list, records := make([]OutletView, len(outlets)), []uint64{}
	week := map[string]OutletLine{}
	s.mu.RLock()
	for _, l := range s.memory.outletLines(slices.DeleteFunc(rows, func(row store.Tally) bool {
		a := s.memory.tallies.outlets[mustParty(row.Outlet)]
		return a == nil || game.Day(row.Day) < mondayOf(game.DayOf(now, a.zone))
	})) {
		week[l.Outlet.ID] = l
	}
	for i, id := range ids {
		o, owes := s.memory.outlets[id], s.memory.balances[ledger.Outlet(id)]
		list[i] = OutletView{
			Outlet: o, Account: Account{Owes: owes, CreditLimit: o.CreditLimit, Left: max(0, o.CreditLimit.Sub(owes))},
			Left: s.memory.unpaid(id), Week: week[id],
		}
		if a := s.memory.tallies.outlets[mustParty(id)]; a != nil && len(a.statements) > 0 {
			records = append(records, a.statements[len(a.statements)-1].record)
		}
	}
	s.mu.RUnlock()
	statements, err := s.statements(ctx, func(tx *store.Snapshot) ([]store.Statement, error) { return tx.Statements(ctx, records) })
	for i := range statements {
		list[slices.Index(ids, statements[i].Outlet.ID)].Last = &statements[i]
	}
	return list, err
}

// Unpaid is what is left to pay of the newest statement of an outlet, and in no direct debit.
func (s *System) Unpaid(outlet string) money.Amount {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.memory.unpaid(outlet)
}

func (m *memory) unpaid(outlet string) money.Amount {
	o, ok := m.outlets[outlet]
	if !ok {
		return 0
	}
	a := m.tallies.outlets[mustParty(o.ID)]
	if a == nil || len(a.statements) == 0 {
		return 0
	}
	return a.left(&a.statements[len(a.statements)-1], m.balances[ledger.Outlet(outlet)])
}

// OutletStep is an outlet as an officer, or the system, made it stand.
type OutletStep struct {
	Record uint64
	At     time.Time
	By     string // officer; empty: the system
	Outlet party.Outlet
	Reason string // of the officer; empty: none was given
}

// OutletSteps lists how an outlet stood, newest first, at most limit.
func (s *System) OutletSteps(ctx context.Context, outlet string, limit int) (list []OutletStep, err error) {
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		rows, err := tx.OutletSteps(ctx, outlet, limit)
		if err != nil {
			return err
		}
		records := make([]uint64, len(rows))
		for i, row := range rows {
			b, at, err := readBody[*journal.Outlet](ctx, tx, row.Record)
			if err != nil {
				return err
			}
			records[i] = row.Record
			step := OutletStep{Record: row.Record, At: at, Outlet: outletOf(b)}
			if b.By != (journal.Party{}) {
				step.By = b.By.String()
			}
			if step.Reason, err = raiseReason(ctx, tx, b.Decision); err != nil {
				return err
			}
			list = append(list, step)
		}
		notes, err := tx.Notes(ctx, records)
		for _, n := range notes {
			list[slices.Index(records, n.Record)].Reason = n.Text
		}
		return err
	})
	return list, err
}

// raiseReason is the reason of the proposal that a decision raised a credit limit by; empty: of no decision.
func raiseReason(ctx context.Context, tx *store.Snapshot, decision uint64) (string, error) {
	if decision == 0 {
		return "", nil
	}
	d, _, err := readBody[*journal.Decision](ctx, tx, decision)
	if err != nil {
		return "", err
	}
	p, _, err := readBody[*journal.Proposal](ctx, tx, d.Proposal)
	if err != nil {
		return "", err
	}
	return p.Reason, nil
}

// TerminalLine is what a terminal sold and took back on some days (F16, F20).
type TerminalLine struct {
	Outlet     party.Outlet
	Terminal   string // id
	Sold       money.Amount
	SoldN      int64
	Cancelled  money.Amount
	CancelledN int64
	Pace       money.Amount // the most that it sold of a game in a minute of the clock
}

// TerminalReport is what each terminal sold on the days from one to another,
// inclusive, of its outlet's zone: by number of the outlet; those that did nothing are left out.
func (s *System) TerminalReport(ctx context.Context, from, to game.Day) ([]TerminalLine, error) {
	rows, err := s.readTallies(ctx, func(tx *store.Snapshot) ([]store.Tally, error) {
		return tx.TalliesBetween(ctx, int32(from), int32(to))
	}, func(k tallyKey) bool { return k.day >= from && k.day <= to })
	if err != nil {
		return nil, err
	}
	sums := map[[2]string]*store.Tally{}
	for _, row := range rows {
		if row.SoldN == 0 && row.CancelledN == 0 { // money received is of no terminal
			continue
		}
		key := [2]string{row.Outlet, row.Terminal}
		if sums[key] == nil {
			sums[key] = &store.Tally{}
		}
		sums[key].Add(&row)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	list := make([]TerminalLine, 0, len(sums))
	for key, c := range sums {
		list = append(list, TerminalLine{
			Outlet: s.memory.outlets[key[0]], Terminal: key[1], Sold: c.Sold, SoldN: c.SoldN, Cancelled: c.Cancelled, CancelledN: c.CancelledN, Pace: c.Pace,
		})
	}
	slices.SortFunc(list, func(a, b TerminalLine) int {
		return cmp.Or(cmp.Compare(a.Outlet.Number, b.Outlet.Number), cmp.Compare(a.Terminal, b.Terminal))
	})
	return list, nil
}

// TermsVersions are all versions of the terms of outlets, by their first day.
func (s *System) TermsVersions() []*party.Terms {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Clone(s.memory.terms)
}

// AllNotices are the notices to any outlet that hold now, newest first.
func (s *System) AllNotices() []Notice {
	s.mu.RLock()
	defer s.mu.RUnlock()
	now := max(s.clock.Now().UnixMicro(), s.memory.at)
	var list []Notice
	for _, n := range slices.Backward(s.memory.notices) {
		if n.until > now {
			list = append(list, Notice{Record: n.record, Outlet: n.outlet, FR: n.fr, EN: n.en, SentAt: utc(n.at), Until: utc(n.until)})
		}
	}
	return list
}
