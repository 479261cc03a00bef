package central

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"tirage/game"
	"tirage/journal"
	"tirage/money"
	"tirage/party"
	"tirage/store"
)

// Till is what an outlet or a terminal did.
type Till struct {
	Lines      []TillLine // by game
	Vouchers   money.Amount
	VouchersN  int64
	Received   money.Amount // by the operator from the outlet, less what was paid to it; 0 of a terminal
	Returned   money.Amount // direct debits that came back after they were paid; 0 of a terminal
	Commission money.Amount // in whole cents, by the terms in force on the day asked for
}

// TillLine is what of it was in a game: amounts, and how many tickets.
type TillLine struct {
	Game                            game.Code
	Sold, Cancelled, Paid, Back     money.Amount
	SoldN, CancelledN, PaidN, BackN int64
}

// Due is what the outlet owes more by all of it, before commission.
func (t Till) Due() money.Amount {
	due := t.Vouchers.Sub(t.Received).Add(t.Returned)
	for _, l := range t.Lines {
		due = due.Add(l.Sold).Sub(l.Cancelled).Sub(l.Paid).Sub(l.Back)
	}
	return due
}

// tillOf adds tallies up by game.
func tillOf(rows []store.Tally, terms *party.Terms) (t Till) {
	byGame := map[string]*store.Tally{}
	for _, row := range rows {
		if byGame[row.Game] == nil {
			byGame[row.Game] = &store.Tally{}
		}
		byGame[row.Game].Add(&row)
	}
	for code, c := range byGame {
		t.Vouchers, t.VouchersN = t.Vouchers.Add(c.Vouchers), t.VouchersN+c.VouchersN
		t.Received, t.Returned = t.Received.Add(c.Received), t.Returned.Add(c.Returned)
		line := TillLine{
			Game: game.Code(code), Sold: c.Sold, Cancelled: c.Cancelled, Paid: c.Paid, Back: c.Back,
			SoldN: c.SoldN, CancelledN: c.CancelledN, PaidN: c.PaidN, BackN: c.BackN,
		}
		if code == "" || line == (TillLine{Game: line.Game}) {
			continue
		}
		cents, _ := commissionOf(terms, code, c, [2]uint64{})
		t.Commission = t.Commission.Add(money.Amount(cents))
		t.Lines = append(t.Lines, line)
	}
	slices.SortFunc(t.Lines, func(a, b TillLine) int { return cmp.Compare(a.Game, b.Game) })
	return t
}

// Day is what an outlet did on a day of its own zone, and what its account held at
// the midnights before and after: Opening + Due − Credited = Closing. The account
// has the commission of a week from its statement on, so Closing is before that of
// the running week.
type Day struct {
	Opening  money.Amount // below 0: the lottery owed the outlet
	Credited money.Amount // commissions of the statements made on the day
	Till
	Closing money.Amount // today's: up to now
}

// Day is what an outlet did on a day of its own zone. Today's is exact to the
// last turn. It returns [party.ErrUnknownOutlet].
func (s *System) Day(ctx context.Context, outlet string, day game.Day) (d Day, err error) {
	o, err := s.Outlet(outlet)
	if err != nil {
		return d, err
	}
	zone, err := o.Location()
	if err != nil {
		return d, err
	}
	begins, ends := day.At(0, zone).UnixMicro(), (day+1).At(0, zone).UnixMicro()
	base, credits, err := s.stated(ctx, outlet, day, begins, ends)
	if err != nil {
		return d, err
	}
	from := game.Day(base.Last) + 1
	if base.Record == 0 {
		from = s.firstDay(outlet, day)
	}
	rows, err := s.outletTallies(ctx, mustParty(outlet), from, day)
	if err != nil {
		return d, err
	}
	d.Opening = base.Closing
	var during []store.Tally
	for _, row := range rows {
		if game.Day(row.Day) == day {
			during = append(during, row)
			continue
		}
		d.Opening = d.Opening.Add(owed(&row))
	}
	for _, c := range credits {
		if c.base && c.at >= begins { // the closing has it, the account at midnight had not
			d.Opening = d.Opening.Add(c.amount)
		}
		if c.at >= begins && c.at < ends {
			d.Credited = d.Credited.Add(c.amount)
		}
	}
	d.Till = tillOf(during, s.termsOn(day))
	d.Closing = d.Opening.Add(d.Due()).Sub(d.Credited)
	return d, nil
}

// credit is the commission of a statement.
type credit struct {
	at     int64 // when it was made
	amount money.Amount
	base   bool // the closing that a day is reckoned from has it
}

// stated is the newest statement of an outlet for days before a day, none of
// record 0, and the commissions of the statements made on the day, which begins
// and ends so (µs UTC), and later of those that the first one has: no other is read.
func (s *System) stated(ctx context.Context, outlet string, day game.Day, begins, ends int64) (base store.Statement, credits []credit, err error) {
	err = s.db.View(ctx, func(tx *store.Snapshot) (err error) {
		base, err = tx.StatementBefore(ctx, outlet, int32(day))
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		rows, err := tx.StatementsMade(ctx, outlet, begins, max(base.At, ends-1)) // statements are made in the order of weeks
		if err != nil || len(rows) == 0 {
			return err
		}
		records := make([]uint64, len(rows))
		for i, row := range rows {
			records[i] = row.Record
		}
		lines, err := tx.StatementLines(ctx, records)
		if err != nil {
			return err
		}
		sums := make(map[uint64]money.Amount, len(rows))
		for _, l := range lines {
			sums[l.Record] = sums[l.Record].Add(l.Commission)
		}
		for _, row := range rows {
			credits = append(credits, credit{at: row.At, amount: sums[row.Record], base: base.Record != 0 && row.First <= base.First})
		}
		return nil
	})
	return base, credits, err
}

// firstDay is a day before which an outlet did nothing, of one without a statement of what it did before a day.
func (s *System) firstDay(outlet string, day game.Day) game.Day {
	s.mu.RLock()
	defer s.mu.RUnlock()
	first := mondayOf(day)
	if a := s.memory.tallies.outlets[mustParty(outlet)]; a != nil && len(a.weeks) > 0 {
		first = min(first, a.weeks[0])
	}
	return first
}

// Today is the present day of an outlet, in its own zone. It returns [party.ErrUnknownOutlet].
func (s *System) Today(outlet string) (game.Day, error) {
	o, err := s.Outlet(outlet)
	if err != nil {
		return 0, err
	}
	zone, err := o.Location()
	return game.DayOf(s.Now(), zone), err
}

func (s *System) termsOn(day game.Day) *party.Terms {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.memory.termsOn(day)
}

// Week is the running week of an outlet, and what its statement would be if it ended now.
type Week struct {
	First, Last game.Day
	Opening     money.Amount // what it owed before
	Till
	Closing money.Amount
}

// Week is what an outlet did since its last statement, the weeks before the
// running one too while their statements are to come. It returns [party.ErrUnknownOutlet].
func (s *System) Week(ctx context.Context, outlet string) (w Week, err error) {
	today, err := s.Today(outlet)
	if err != nil {
		return w, err
	}
	id := mustParty(outlet)
	for range tallyTries {
		record := s.openWeek(id, today, &w)
		rows, err := s.outletTallies(ctx, id, w.First, w.Last)
		if err != nil {
			return w, err
		}
		if s.openWeek(id, today, &Week{}) != record {
			continue // a statement came meanwhile
		}
		during := map[string]*store.Tally{}
		for _, row := range rows {
			if during[row.Game] == nil {
				during[row.Game] = &store.Tally{}
			}
			during[row.Game].Add(&row)
		}
		carried, err := s.carried(ctx, record)
		if err != nil {
			return w, err
		}
		terms := s.termsOn(w.First)
		body := statementBody(id, w.First, terms, w.Opening, during, carried)
		w.Till = tillOf(rows, terms)
		w.Commission, w.Closing = body.commission(), money.Amount(body.Closing)
		return w, nil
	}
	return w, fmt.Errorf("%w: statements come faster than they are read", ErrJournal)
}

// openWeek tells which week of an outlet runs, what it opens with, and the last statement (0: none).
func (s *System) openWeek(outlet journal.Party, today game.Day, w *Week) (record uint64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	w.First, w.Last, w.Opening = mondayOf(today), mondayOf(today)+weekDays-1, 0
	a := s.memory.tallies.outlets[outlet]
	if a == nil {
		return 0
	}
	w.Opening = a.opening()
	if n := len(a.statements); n > 0 {
		record = a.statements[n-1].record
		w.First = max(w.First, a.statements[n-1].last+1)
	}
	if len(a.weeks) > 0 {
		w.First = min(w.First, a.weeks[0])
	}
	w.Last = max(w.Last, w.First+weekDays-1)
	return record
}

// carried is what a statement carries below the cent, by game; of none, nothing.
func (s *System) carried(ctx context.Context, record uint64) (carry, error) {
	c := carry{}
	err := s.db.View(ctx, func(tx *store.Snapshot) error {
		lines, err := tx.StatementLines(ctx, []uint64{record})
		for _, l := range lines {
			c[l.Game] = [2]uint64{l.CarriedNum, l.CarriedDen}
		}
		return err
	})
	return c, err
}

// Shift is what a terminal did between its sign-on and its sign-off.
type Shift struct {
	OpenedAt time.Time
	ClosedAt time.Time // zero: it is open
	Till
}

// shiftData is what a shift is counted with: the tallies of the terminal on the
// day when it began, as they were then; of one that is closed, what was done in it.
type shiftData struct {
	Before []store.Tally `json:",omitempty"`
	Till   *Till         `json:",omitempty"`
}

// OpenShift begins a shift of a terminal, which ends the one before: whoever
// signs on begins with nothing. It returns [party.ErrUnknownTerminal] or [party.ErrWithdrawn].
func (s *System) OpenShift(ctx context.Context, terminal string) error {
	return s.private(ctx, func(t *turn) error { return t.openShift(s.ctx, terminal) })
}

func (t *turn) openShift(ctx context.Context, terminal string) error {
	_, outlet, err := t.m.working(terminal)
	if err != nil {
		return err
	}
	if err := t.closeShift(ctx, terminal); err != nil {
		return err
	}
	day := t.m.tallies.account(mustParty(outlet.ID)).localDay(t.at)
	before, err := t.terminalTallies(ctx, outlet.ID, terminal, day)
	if err != nil {
		return err
	}
	return t.tx.AddShift(ctx, store.Shift{Terminal: terminal, OpenedAt: t.at, Day: int32(day), Data: encodeShift(shiftData{Before: before})})
}

// CloseShift ends the shift of a terminal, if one is open. It returns [party.ErrUnknownTerminal].
func (s *System) CloseShift(ctx context.Context, terminal string) error {
	return s.private(ctx, func(t *turn) error { return t.closeShift(s.ctx, terminal) })
}

func (t *turn) closeShift(ctx context.Context, terminal string) error {
	_, outlet, err := t.m.terminal(terminal)
	if err != nil {
		return err
	}
	shifts, err := t.tx.Shifts(ctx, terminal, 1)
	if err != nil || len(shifts) == 0 || shifts[0].ClosedAt != 0 {
		return err
	}
	now, err := t.terminalTallies(ctx, outlet.ID, terminal, game.Day(shifts[0].Day))
	if err != nil {
		return err
	}
	data, err := decodeShift(shifts[0])
	if err != nil {
		return err
	}
	till := tillOf(since(data.Before, now), t.terms())
	shifts[0].ClosedAt, shifts[0].Data = t.at, encodeShift(shiftData{Till: &till})
	return t.tx.SetShift(ctx, shifts[0])
}

// terminalTallies are the tallies of a terminal from a day on, this turn's past included.
func (t *turn) terminalTallies(ctx context.Context, outlet, terminal string, from game.Day) ([]store.Tally, error) {
	rows, err := t.tx.Tallies(ctx, int32(from), int32(game.DayOf(utc(t.at), time.UTC)+2), []string{outlet})
	if err != nil {
		return nil, err
	}
	for key, c := range t.m.tallies.since {
		if key.day >= from {
			rows = append(rows, key.row(c))
		}
	}
	return ofTerminal(rows, terminal), nil
}

func ofTerminal(rows []store.Tally, terminal string) []store.Tally {
	return store.SumTallies(slices.DeleteFunc(rows, func(row store.Tally) bool { return row.Terminal != terminal }))
}

// since is what was done between two readings of tallies.
func since(before, now []store.Tally) []store.Tally {
	rows := slices.Clone(now)
	for _, b := range before {
		less := store.Tally{
			Day: b.Day, Outlet: b.Outlet, Terminal: b.Terminal, Game: b.Game,
			Sold: -b.Sold, SoldN: -b.SoldN, Cancelled: -b.Cancelled, CancelledN: -b.CancelledN, Paid: -b.Paid, PaidN: -b.PaidN,
			Back: -b.Back, BackN: -b.BackN, Own: -b.Own, OwnN: -b.OwnN, Vouchers: -b.Vouchers, VouchersN: -b.VouchersN, Received: -b.Received, Returned: -b.Returned,
		}
		rows = append(rows, less)
	}
	return store.SumTallies(rows)
}

func encodeShift(d shiftData) []byte {
	b, err := json.Marshal(d)
	assert(err == nil, "a shift is plain data")
	return b
}

func decodeShift(row store.Shift) (d shiftData, err error) {
	if err := json.Unmarshal(row.Data, &d); err != nil {
		return d, fmt.Errorf("shift %d of terminal %s: %w", row.ID, row.Terminal, err)
	}
	return d, nil
}

// Shift is what a terminal did since it signed on; the zero Shift when none is
// open. It returns [party.ErrUnknownTerminal].
func (s *System) Shift(ctx context.Context, terminal string) (Shift, error) {
	shifts, err := s.Shifts(ctx, terminal, 1)
	if err != nil || len(shifts) == 0 || !shifts[0].ClosedAt.IsZero() {
		return Shift{}, err
	}
	return shifts[0], nil
}

// Shifts lists the shifts of a terminal, newest first, at most limit. It returns [party.ErrUnknownTerminal].
func (s *System) Shifts(ctx context.Context, terminal string, limit int) (list []Shift, err error) {
	_, outlet, err := s.Terminal(terminal)
	if err != nil {
		return nil, err
	}
	var rows []store.Shift
	err = s.db.View(ctx, func(tx *store.Snapshot) (err error) {
		rows, err = tx.Shifts(ctx, terminal, limit)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		data, err := decodeShift(row)
		if err != nil {
			return nil, err
		}
		shift := Shift{OpenedAt: utc(row.OpenedAt)}
		if data.Till != nil {
			shift.ClosedAt, shift.Till = utc(row.ClosedAt), *data.Till
		} else {
			now, err := s.outletTallies(ctx, mustParty(outlet.ID), game.Day(row.Day), game.DayOf(s.Now(), time.UTC)+2)
			if err != nil {
				return nil, err
			}
			shift.Till = tillOf(since(data.Before, ofTerminal(now, terminal)), s.Terms())
		}
		list = append(list, shift)
	}
	return list, nil
}

// OutletLine is what an outlet did on some days, for those who watch over outlets (F16, F20, F24).
type OutletLine struct {
	Outlet     party.Outlet
	Sold       money.Amount
	SoldN      int64
	Cancelled  money.Amount
	CancelledN int64
	Paid       money.Amount // prizes
	PaidN      int64
	Own        money.Amount // of these, on tickets that it sold itself
	OwnN       int64
	Pace       money.Amount // the most that one of its terminals sold of a game in a minute of the clock
}

// OutletReport is what each outlet did on the days from one to another,
// inclusive, of its own zone: by number of the outlet; those that did nothing are left out.
func (s *System) OutletReport(ctx context.Context, from, to game.Day) ([]OutletLine, error) {
	rows, err := s.readTallies(ctx, func(tx *store.Snapshot) ([]store.Tally, error) {
		return tx.TalliesBetween(ctx, int32(from), int32(to))
	}, func(k tallyKey) bool { return k.day >= from && k.day <= to })
	if err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.memory.outletLines(rows), nil
}

// outletLines adds tallies up by outlet, by number of the outlet.
func (m *memory) outletLines(rows []store.Tally) []OutletLine {
	sums := map[string]*store.Tally{}
	for _, row := range rows {
		if sums[row.Outlet] == nil {
			sums[row.Outlet] = &store.Tally{}
		}
		sums[row.Outlet].Add(&row)
	}
	list := make([]OutletLine, 0, len(sums))
	for id, c := range sums {
		l := OutletLine{
			Outlet: m.outlets[id], Sold: c.Sold, SoldN: c.SoldN, Cancelled: c.Cancelled, CancelledN: c.CancelledN,
			Paid: c.Paid, PaidN: c.PaidN, Own: c.Own, OwnN: c.OwnN, Pace: c.Pace,
		}
		list = append(list, l)
	}
	slices.SortFunc(list, func(a, b OutletLine) int { return a.Outlet.Number - b.Outlet.Number })
	return list
}
