package central

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tirage/draw"
	"tirage/game"
	"tirage/journal"
	"tirage/rng"
	"tirage/settle"
	"tirage/store"
)

// ErrNotDue is a step of a draw before its time.
var ErrNotDue = errors.New("it is not time yet")

// planDay plans the draws of a game and draw day whose sales can still open, a
// record a session. It plans nothing twice.
func (s *System) planDay(ctx context.Context, code game.Code, day game.Day) error {
	return s.do(ctx, &job{alone: true, decide: func(t *turn) error {
		r, err := t.m.rulesOn(code, day)
		if err != nil || t.m.planned[plannedDay{code, day}] {
			return err
		}
		next := t.m.lastDraw + 1
		var plan *journal.Plan
		for _, d := range draw.Plan(r, day) {
			if d.ClosesAt.UnixMicro() <= t.at {
				continue
			}
			if plan == nil || plan.Session != uint64(d.Session) {
				if err := t.plan(plan); err != nil {
					return err
				}
				plan = &journal.Plan{Game: string(code), Rules: r.Hash, Day: int32(day), Session: uint64(d.Session), OpensAt: d.OpensAt.UnixMicro()}
			}
			plan.Draws = append(plan.Draws, journal.PlanDraw{
				ID: uint64(next), Number: uint64(d.Number), ClosesAt: d.ClosesAt.UnixMicro(), DrawsAt: d.DrawsAt.UnixMicro(),
			})
			next++
		}
		return t.plan(plan)
	}})
}

func (t *turn) plan(p *journal.Plan) error {
	if p == nil {
		return nil
	}
	_, err := t.append(p)
	return err
}

// transition makes the next step of a draw, if it is due and has not been made:
// by this node or another, a step is made once.
func (s *System) transition(ctx context.Context, id draw.ID, next draw.State, body func(*turn, *drawState) (journal.Body, error)) error {
	return s.do(ctx, &job{alone: true, decide: func(t *turn) error {
		d := t.m.draws[id]
		if d == nil {
			return fmt.Errorf("%w: %d", draw.ErrUnknown, id)
		}
		if err := d.state.To(next); err != nil {
			if d.state >= next {
				return nil // another node was first, or an officer stopped it
			}
			return fmt.Errorf("draw %d: %w", id, err)
		}
		b, err := body(t, d)
		if err != nil {
			return fmt.Errorf("draw %d to %s: %w", id, next, err)
		}
		_, err = t.append(b)
		return err
	}})
}

// openSession opens the sales of the draws of a draw's session that do not sell
// yet, or were postponed.
func (s *System) openSession(ctx context.Context, id draw.ID) error {
	return s.transition(ctx, id, draw.Selling, func(t *turn, d *drawState) (journal.Body, error) {
		if t.at < d.OpensAt.UnixMicro() {
			return nil, ErrNotDue
		}
		open := &journal.Open{}
		for _, other := range t.m.byGame[d.Game] {
			unopened := other.state == draw.Planned || other.state == draw.Postponed
			if unopened && other.Day == d.Day && other.Session == d.Session {
				open.Draws = append(open.Draws, uint64(other.ID))
			}
		}
		return open, nil
	})
}

// closeDraw closes the sales of a draw: nothing enters or leaves it afterwards.
func (s *System) closeDraw(ctx context.Context, id draw.ID) error {
	return s.transition(ctx, id, draw.Closed, func(t *turn, d *drawState) (journal.Body, error) {
		if t.at < d.ClosesAt.UnixMicro() {
			return nil, ErrNotDue
		}
		return &journal.Close{
			Draw: uint64(id), Wagers: uint64(d.wagers), Parts: uint64(d.parts), Stakes: d.stakes, Cancelled: uint64(d.cancelled),
			Root: d.frontier.Root(),
		}, nil
	})
}

// drawIn returns a copy of a draw that stands in a state.
func (s *System) drawIn(id draw.ID, state draw.State) (drawState, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	d := s.memory.draws[id]
	if d == nil || d.state != state {
		return drawState{}, false
	}
	return *d, true
}

// drawDraw draws. The result is a function of the game key, the draw's id and
// its close record, and of nothing else: there is no way to draw again.
func (s *System) drawDraw(ctx context.Context, id draw.ID) error {
	d, ok := s.drawIn(id, draw.Closed)
	if !ok {
		return nil
	}
	seed, err := s.seed(ctx, d)
	if err != nil {
		return err
	}
	result := resultBody(&d, seed)
	return s.transition(ctx, id, draw.Drawn, func(t *turn, d *drawState) (journal.Body, error) {
		if t.at < d.DrawsAt.UnixMicro() {
			return nil, ErrNotDue
		}
		return result, nil
	})
}

// seed is the seed of a closed draw.
func (s *System) seed(ctx context.Context, d drawState) (rng.Seed, error) {
	var closing []byte
	err := s.db.View(ctx, func(tx *store.Snapshot) (err error) {
		closing, _, err = tx.Record(ctx, d.closeRecord)
		return err
	})
	if err != nil {
		return rng.Seed{}, fmt.Errorf("draw %d: close record: %w", d.ID, err)
	}
	return draw.Seed(s.keys.Games[:], d.ID, closing), nil
}

// settleDraw settles a draw: it scans the parts on a reader, and writes in one
// short turn. What the jackpot brings to it is known in that turn only, and the
// outcome of an extra draw follows from the draw's seed, so whoever settles
// comes to the same prizes.
func (s *System) settleDraw(ctx context.Context, id draw.ID) error {
	d, ok := s.drawIn(id, draw.Drawn)
	if !ok {
		return nil
	}
	seed, err := s.seed(ctx, d)
	if err != nil {
		return err
	}
	counter, err := settle.NewCounter(d.rules, d.result, d.times)
	if err != nil {
		return fmt.Errorf("settle draw %d: %w", id, err)
	}
	err = s.db.EachPart(ctx, int64(id), func(parts []store.Part) error {
		for _, p := range parts {
			counter.Add(partOf(p))
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("settle draw %d: %w", id, err)
	}
	rollDown := draw.RollDown(d.rules, seed)
	return s.transition(ctx, id, draw.Settled, func(t *turn, d *drawState) (journal.Body, error) {
		if before := t.m.waits(d); before != nil {
			return nil, fmt.Errorf("%w: draw %d is to be settled first", ErrNotDue, before.ID)
		}
		settlement := counter.Settlement(t.m.pots[d.Game], rollDown)
		// F08: what is settled is what was sold, to the part and to the cent.
		assert(settlement.Parts == d.parts && settlement.Stakes == d.stakes, "settlement does not cover the sales of the draw")
		return settlementBody(id, settlement), nil
	})
}

func partOf(p store.Part) settle.Part {
	return settle.Part{Combination: game.Combination(p.Combination), Units: p.Units, Table: p.Table, LastDraw: draw.ID(p.LastDraw)}
}

// certifyDraw makes the prizes of a draw payable.
func (s *System) certifyDraw(ctx context.Context, id draw.ID) error {
	return s.transition(ctx, id, draw.Certified, func(*turn, *drawState) (journal.Body, error) {
		return &journal.Certification{Draw: uint64(id), Control: s.control}, nil
	})
}

// The scheduler.

const (
	// planAhead is how many days are planned beyond the present one.
	planAhead = 2
	// lookAhead is how far the next day with draws is looked for when none of
	// those has any, so that sales can open for it (IAT-2.3.5, next_session).
	lookAhead = 14
)

// Tick does all that is due: it plans, opens, closes, draws, settles, certifies
// and refunds, in order of time, also what was missed while no node was up, and
// ends the claims whose time is over, makes the statements of outlets, and tends the pools of instant games. It returns when something is due next; zero when nothing is in sight. Any number of nodes may tick.
func (s *System) Tick(ctx context.Context) (next time.Time, err error) {
	s.settling.Lock()
	defer s.settling.Unlock()
	if err := s.db.Present(); err != nil {
		if !s.gone.Swap(true) {
			s.log.Error("the database has gone: nothing is sold or drawn until the server is started again", "error", err)
		}
		return s.Now().Add(time.Second), fmt.Errorf("%w: %w", ErrGone, err)
	}
	if err := s.checkClock(ctx); err != nil {
		return s.Now().Add(time.Second), err
	}
	// A game or draw that cannot take its step must not hold up the others: it is tried again at the next tick.
	errs := s.planDays(ctx)
	failed := map[draw.ID]bool{}
	for {
		st, ok := s.due(failed)
		if !ok {
			if len(failed) > 0 {
				errs = append(errs, s.heldUp())
			}
			over, err := s.expire(ctx)
			week, accountsErr := s.tendAccounts(ctx)
			return earlier(earlier(st.at, over), week), errors.Join(append(errs, err, accountsErr, s.tendPools(ctx))...)
		}
		if err := st.make(ctx, s); err != nil {
			failed[st.draw], errs = true, append(errs, err)
		}
	}
}

// earlier is the earlier of two instants, of which a zero one is none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

func (s *System) planDays(ctx context.Context) (errs []error) {
	for _, code := range s.Games() {
		for _, day := range s.unplanned(code) {
			if err := s.planDay(ctx, code, day); err != nil {
				errs = append(errs, fmt.Errorf("plan %s %s: %w", code, day, err))
				break
			}
		}
	}
	return errs
}

// unplanned lists the days of a game that are to be planned: yesterday too,
// whose last draws may fall after midnight.
func (s *System) unplanned(code game.Code) []game.Day {
	s.mu.RLock()
	defer s.mu.RUnlock()
	now := s.clock.Now()
	r, err := s.memory.rulesNow(code, now)
	if err != nil {
		return nil
	}
	var days []game.Day
	today := game.DayOf(now, r.Calendar.Zone)
	ahead := false // a day to come has draws
	for day := today - 1; day <= today+planAhead || (!ahead && day <= today+lookAhead); day++ {
		planned := s.memory.planned[plannedDay{code, day}]
		if r, err := s.memory.rulesOn(code, day); !planned && (err != nil || !plans(r, day, now)) {
			continue
		}
		ahead = ahead || day > today
		if !planned {
			days = append(days, day)
		}
	}
	return days
}

// plans tells whether a day has a draw that can still be sold.
func plans(r *game.Rules, day game.Day, now time.Time) bool {
	draws := draw.Plan(r, day)
	return len(draws) > 0 && draws[len(draws)-1].ClosesAt.After(now)
}

// step is the next step of a draw, and when it is due. One that is cancelled goes no
// further: its step is the refund.
type step struct {
	draw draw.ID
	next draw.State
	at   time.Time
}

func (st step) make(ctx context.Context, s *System) error {
	switch st.next {
	case draw.Selling:
		return s.openSession(ctx, st.draw)
	case draw.Closed:
		return s.closeDraw(ctx, st.draw)
	case draw.Drawn:
		return s.drawDraw(ctx, st.draw)
	case draw.Settled:
		return s.settleDraw(ctx, st.draw)
	case draw.Certified:
		return s.certifyDraw(ctx, st.draw)
	case draw.Cancelled:
		return s.refundDraw(ctx, st.draw)
	case draw.Planned, draw.Postponed:
	}
	return fmt.Errorf("draw %d to %s: %w", st.draw, st.next, draw.ErrTransition)
}

// due returns the step to make now, or the earliest of those to come.
func (s *System) due(except map[draw.ID]bool) (st step, ok bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	now := utc(max(s.clock.Now().UnixMicro(), s.memory.at))
	for _, draws := range s.memory.byGame {
		for _, d := range draws {
			n, ok := d.next()
			if ok && n.next == draw.Settled && s.memory.waits(d) != nil {
				continue
			}
			if ok && !except[n.draw] && (st.draw == 0 || n.at.Before(st.at) || (n.at.Equal(st.at) && n.draw < st.draw)) {
				st = n
			}
		}
	}
	return st, st.draw != 0 && !st.at.After(now)
}

// next is the step that follows a draw's state. A draw that was never opened
// opens late and closes at once, so that every planned draw is drawn.
func (d *drawState) next() (step, bool) {
	switch d.state {
	case draw.Planned, draw.Postponed:
		return step{d.ID, draw.Selling, d.OpensAt}, true
	case draw.Selling:
		return step{d.ID, draw.Closed, d.ClosesAt}, true
	case draw.Closed:
		return step{d.ID, draw.Drawn, d.DrawsAt}, true
	case draw.Drawn:
		return step{d.ID, draw.Settled, d.DrawsAt}, true
	case draw.Settled:
		return step{d.ID, draw.Certified, d.DrawsAt}, true
	case draw.Cancelled:
		return step{d.ID, draw.Cancelled, d.cancelledAt}, !d.refunded
	case draw.Certified:
	}
	return step{}, false
}

// pollEvery is how long the scheduler waits at most: officers may publish
// rules at any time, and other nodes take turns.
const pollEvery = 250 * time.Millisecond

// retryEvery is how long it waits after an error.
const retryEvery = time.Second

// Run ticks until ctx ends, follows the turns of other nodes, and compares
// payments by card with their providers once a day.
func (s *System) Run(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-s.closing:
			return nil
		case <-timer.C:
		}
		next, err := s.Tick(ctx)
		if err != nil && ctx.Err() == nil && !errors.Is(err, ErrClock) && !errors.Is(err, ErrGone) { // they were logged once
			s.log.Error("scheduler", "error", err)
		}
		if err := s.follow(ctx); err != nil && ctx.Err() == nil {
			s.log.Error("follow the journal", "error", err)
		}
		if len(s.cards) > 0 {
			s.inBackground(func() { s.reconcileDue(ctx) }) // a provider that is slow to answer holds no draw up
		}
		wait := pollEvery
		if err != nil {
			wait = retryEvery
		}
		if until := next.Sub(s.clock.Now()); err == nil && !next.IsZero() && until < wait {
			wait = max(until, time.Millisecond)
		}
		timer.Reset(wait)
	}
}

// follow takes the memory over what other nodes wrote, so that screens stay current.
func (s *System) follow(ctx context.Context) error {
	if s.db.Engine() == "sqlite" {
		return nil // one process, so one writer
	}
	return s.do(ctx, &job{follow: true})
}
