package central

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"tirage/draw"
	"tirage/game"
	"tirage/ledger"
	"tirage/money"
	"tirage/settle"
	"tirage/store"
)

// DrawView is a draw as the faces show it.
type DrawView struct {
	draw.Draw
	State      draw.State
	Wagers     int64              // tickets in it
	Stakes     money.Amount       // staked on it
	Result     game.Result        // nil before its record (F17)
	Times      int                // the multiplier, 1 in games without; 0 before the result
	Pot        money.Amount       // what the jackpot of the draw is at least; 0: none, or not known yet (AMI-4.2)
	Settlement *settle.Settlement // nil before its record
	Refunded   bool               // of a cancelled draw: its stakes are booked as money to give back
}

// Status is what a face shows of one game at one moment. It comes from memory,
// so that any number of screens takes nothing from the sales.
type Status struct {
	At       time.Time  // the system's time
	Size     uint64     // the journal size that it reflects
	Upcoming []DrawView // draws of the open session that still sell, soonest first, at most 6
	// Open is all draws that sell, soonest first, at the times to which they were
	// moved: a sale finds its own among them with [wager.Cut], and so does who tells what it would enter.
	Open   []draw.Draw
	Closed []DrawView // closed and not yet certified, oldest first
	Last   []DrawView // the last 5 with a result, newest first
	// Moved is the draws that are held at another time than planned, until they
	// are drawn, and those cancelled, until two hours after their time; soonest first.
	Moved       []DrawView
	NextOpensAt time.Time // when sales open next; zero when nothing is planned
	Stopped     bool      // the node sells nothing until an officer confirms its clock
	// Jackpot is what the jackpot of the next draw that can be sold is at
	// least, known once all draws before it are settled or cancelled (AMI-4.2); else 0.
	Jackpot      money.Amount
	JackpotKnown bool
}

// movedFor is how long a cancelled draw is told after its time.
const movedFor = 2 * time.Hour

// Faces show so many draws.
const (
	upcomingMax = 6
	lastMax     = 5
)

// Status returns the status of a game. It returns [ErrUnknownGame].
func (s *System) Status(code game.Code) (Status, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if len(s.memory.versions[code]) == 0 {
		return Status{}, fmt.Errorf("%w: %.40q", ErrUnknownGame, code)
	}
	m, now := s.memory, max(s.clock.Now().UnixMicro(), s.memory.at)
	st := Status{At: utc(now), Size: m.size, Stopped: s.clockOff()}
	if next := m.next(code, now); next != nil {
		st.Jackpot, st.JackpotKnown = m.jackpot(next)
	}
	days := starts{}
	for _, d := range m.byGame[code] {
		moved := false
		switch d.state {
		case draw.Planned, draw.Selling, draw.Postponed, draw.Closed:
			moved = !d.DrawsAt.Equal(days.planned(d))
		case draw.Cancelled:
			moved = now < d.DrawsAt.Add(movedFor).UnixMicro()
		case draw.Drawn, draw.Settled, draw.Certified:
		}
		if moved {
			st.Moved = append(st.Moved, m.view(d))
		}
		switch d.state {
		case draw.Planned, draw.Postponed:
			if st.NextOpensAt.IsZero() || d.OpensAt.Before(st.NextOpensAt) {
				st.NextOpensAt = d.OpensAt
			}
		case draw.Selling:
			selling := now < d.ClosesAt.UnixMicro() && now >= d.OpensAt.UnixMicro()
			if selling {
				st.Open = append(st.Open, d.Draw)
			}
			same := len(st.Upcoming) == 0 || (st.Upcoming[0].Day == d.Day && st.Upcoming[0].Session == d.Session)
			if selling && same && len(st.Upcoming) < upcomingMax {
				st.Upcoming = append(st.Upcoming, m.view(d))
			}
		case draw.Closed, draw.Drawn, draw.Settled:
			st.Closed = append(st.Closed, m.view(d))
		case draw.Certified, draw.Cancelled:
		}
	}
	for _, d := range slices.Backward(m.byGame[code]) {
		if d.result != nil && d.state != draw.Cancelled {
			st.Last = append(st.Last, m.view(d))
		}
		if len(st.Last) == lastMax {
			break
		}
	}
	return st, nil
}

// starts are the instants of draw 1 of draw days, as far as they were asked for.
type starts map[game.Day]time.Time

// planned is when a draw was to be drawn by the calendar of its rules, before anything moved it.
func (s starts) planned(d *drawState) time.Time {
	c := &d.rules.Calendar
	start, ok := s[d.Day]
	if !ok {
		start = d.Day.At(c.FirstAt, c.Zone)
		s[d.Day] = start
	}
	return start.Add(time.Duration(d.Number-1) * c.Every)
}

// next is the first draw of a game that can be sold, now or once its sales open; nil when none is planned.
func (m *memory) next(code game.Code, now int64) *drawState {
	for _, d := range m.from(code, utc(now)) {
		switch d.state {
		case draw.Planned, draw.Postponed, draw.Selling:
			if now < d.ClosesAt.UnixMicro() {
				return d
			}
		case draw.Closed, draw.Drawn, draw.Settled, draw.Certified, draw.Cancelled:
		}
	}
	return nil
}

func (m *memory) view(d *drawState) DrawView {
	v := DrawView{
		Draw: d.Draw, State: d.state, Wagers: d.wagers, Stakes: d.stakes, Result: d.result, Times: d.times, Settlement: d.settlement,
		Refunded: d.refunded,
	}
	v.Pot, _ = m.jackpot(d)
	return v
}

// Draw returns a draw by game, draw day and number. It returns [draw.ErrUnknown] and [ErrUnknownGame].
func (s *System) Draw(ctx context.Context, code game.Code, day game.Day, number int) (DrawView, error) {
	draws, err := s.Draws(ctx, code, day)
	if err != nil {
		return DrawView{}, err
	}
	for _, d := range draws {
		if d.Number == number {
			return d, nil
		}
	}
	return DrawView{}, fmt.Errorf("%w: %.40s %s %d", draw.ErrUnknown, code, day, number)
}

// Draws returns the planned draws of a game and draw day, in order. Those of
// the last days, and of all that are not over, come from memory. It returns [ErrUnknownGame].
func (s *System) Draws(ctx context.Context, code game.Code, day game.Day) ([]DrawView, error) {
	views, whole, err := s.remembered(code, day)
	if err != nil || whole {
		return views, err
	}
	return s.views(ctx, func(tx *store.Snapshot) ([]store.Draw, error) { return tx.DrawsOfDay(ctx, string(code), int32(day)) })
}

// remembered gives the draws of a draw day that the memory holds as a whole.
func (s *System) remembered(code game.Code, day game.Day) (views []DrawView, whole bool, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	m := s.memory
	switch {
	case len(m.versions[code]) == 0:
		return nil, false, fmt.Errorf("%w: %.40q", ErrUnknownGame, code)
	case !m.planned[plannedDay{code, day}]:
		return nil, false, nil
	}
	for _, d := range m.byGame[code] {
		if d.Day == day {
			views = append(views, m.view(d))
		}
	}
	slices.SortFunc(views, func(a, b DrawView) int { return cmp.Compare(a.Number, b.Number) }) // they may have been postponed
	return views, true, nil
}

// DrawsByID returns draws by their IDs, ascending; those that do not exist are
// left out. It takes them from memory when all are there.
func (s *System) DrawsByID(ctx context.Context, ids []draw.ID) ([]DrawView, error) {
	if views, all := s.rememberedByID(ids); all {
		return views, nil
	}
	return s.views(ctx, func(tx *store.Snapshot) ([]store.Draw, error) { return tx.Draws(ctx, numbersOf(ids)) })
}

func (s *System) rememberedByID(ids []draw.ID) (views []DrawView, all bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		d := s.memory.draws[id]
		if d == nil {
			return nil, false
		}
		views = append(views, s.memory.view(d))
	}
	return views, true
}

// Planned returns draws by their IDs, ascending, without what became of them: in
// one query, however long ago they were.
func (s *System) Planned(ctx context.Context, ids []draw.ID) (list []draw.Draw, err error) {
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		rows, err := tx.Draws(ctx, numbersOf(ids))
		for _, row := range rows {
			list = append(list, drawOfRow(row))
		}
		return err
	})
	return list, err
}

func numbersOf(ids []draw.ID) []int64 {
	numbers := make([]int64, len(ids))
	for i, id := range ids {
		numbers[i] = int64(id)
	}
	return numbers
}

// views are the draws that a snapshot gives, as they stand.
func (s *System) views(ctx context.Context, read func(*store.Snapshot) ([]store.Draw, error)) (views []DrawView, err error) {
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		rows, err := read(tx)
		if err != nil {
			return err
		}
		facts, err := loadFacts(ctx, tx, rows)
		if err != nil {
			return err
		}
		for _, row := range rows {
			views = append(views, facts[draw.ID(row.ID)].view(drawOfRow(row)))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	for i, v := range views {
		d := s.memory.draws[v.ID]
		if d == nil {
			continue
		}
		if sold := v.State == draw.Selling || v.State == draw.Postponed || v.State == draw.Cancelled && !v.Refunded; sold && d.stakes > 0 {
			views[i].Wagers, views[i].Stakes = d.wagers, d.stakes
		}
		if v.Settlement == nil {
			views[i].Pot, _ = s.memory.jackpot(d)
		}
	}
	return views, nil
}

// view is a draw of which these are the facts.
func (f *drawFacts) view(d draw.Draw) DrawView {
	v := DrawView{Draw: d, State: f.state, Result: f.result, Times: f.times, Settlement: f.settlement, Refunded: f.refund != nil}
	if f.settlement != nil {
		v.Pot, _ = atStake(f.settlement)
	}
	switch {
	case f.closed != nil:
		v.Wagers, v.Stakes = f.closed.Wagers, f.closed.Stakes
	case f.refund != nil:
		v.Stakes = stakesRefunded(f.refund)
	}
	return v
}

// Funds is what a game's accounts hold beside its prizes.
type Funds struct {
	Jackpot money.Amount // the jackpot fund
	Reserve money.Amount // what was left over, and what was not claimed
	Margin  money.Amount // the operator's
}

// Funds returns the balances of a game's funds, from memory. It returns [ErrUnknownGame].
func (s *System) Funds(code game.Code) (Funds, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if len(s.memory.versions[code]) == 0 {
		return Funds{}, fmt.Errorf("%w: %.40q", ErrUnknownGame, code)
	}
	held := func(a ledger.Account) money.Amount { return -s.memory.balances[a] } // credits are negative
	name := string(code)
	return Funds{held(ledger.Jackpot(name)), held(ledger.Reserve(name)), held(ledger.Margin(name))}, nil
}
