package central_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/internal/dbtest"
	"tirage/money"
	"tirage/wager"
)

// states are the states that a draw went through, and when, from the journal.
func (w *world) states(id draw.ID) (states []draw.State, at []time.Time) {
	w.Helper()
	for _, s := range w.steps() {
		if s.draw == id {
			states, at = append(states, s.state), append(at, s.at)
		}
	}
	return states, at
}

// A draw that is postponed sells again, until its new close; wagers follow the
// new order, tickets sold before keep their draws, and the others go on. The
// same after a restart at any moment, and on another node.
func TestPostpone(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, islet(t))
		before := w.sell(w.quickPick(2, 3))
		if got := numbers(before.Draws); !slices.Equal(got, []int{95, 96, 97}) {
			t.Fatalf("sold for %v", got)
		}
		id := w.view(95).ID
		w.postpone(12*time.Minute, 95) // now between 97 and 98
		w.restart()
		if v := w.view(95); v.State != draw.Postponed || !v.ClosesAt.Equal(mondayDraw(95).Add(12*time.Minute-20*time.Second)) {
			t.Errorf("postponed: %s, closes at %s", v.State, v.ClosesAt)
		}
		if got := numbers(w.sell(w.quickPick(2, 3)).Draws); !slices.Equal(got, []int{96, 97, 98}) {
			t.Errorf("before the scheduler has opened it again, sold for %v", got)
		}
		w.tick()
		w.restart()
		after := w.sell(w.quickPick(2, 4))
		if got := numbers(after.Draws); !slices.Equal(got, []int{96, 97, 95, 98}) {
			t.Errorf("sold for %v, want the new order", got)
		}
		// Once more, in the same minute as draw 97 and by less.
		w.postpone(time.Second, 95)
		w.postpone(time.Second, 95) // before it is open again
		w.tick()
		w.at(mondayDraw(95))
		if v := w.view(95); v.State != draw.Selling {
			t.Errorf("at its old time it is %s", v.State)
		}
		w.at(mondayDraw(97))
		w.restart()
		if a := w.checked(before).Answer; a.Waiting != 1 || a.ClaimUntil != game.NewDay(2027, 3, 5) {
			t.Errorf("%d draws to wait for, claims until %s", a.Waiting, a.ClaimUntil)
		}
		w.refuses(central.ErrTooLate, func() error { return w.cancel(w.shop, before) }) // its draw 96 has closed
		if got := numbers(w.sell(w.quickPick(2, 2)).Draws); !slices.Equal(got, []int{95, 98}) {
			t.Errorf("sold for %v", got)
		}
		closes := mondayDraw(97).Add(2*time.Minute + 2*time.Second - 20*time.Second)
		w.at(closes)
		if got := numbers(w.sell(w.quickPick(2, 1)).Draws); !slices.Equal(got, []int{98}) {
			t.Errorf("after its close, sold for %v", got)
		}
		w.at(closes.Add(20 * time.Second))
		want := []draw.State{draw.Planned, draw.Selling, draw.Postponed, draw.Selling, draw.Postponed, draw.Postponed, draw.Selling, draw.Closed, draw.Drawn, draw.Settled, draw.Certified}
		states, at := w.states(id)
		if !slices.Equal(states, want) || !at[7].Equal(closes) || !at[8].Equal(closes.Add(20*time.Second)) {
			t.Errorf("went through %v at %v", states, at)
		}
		if v := w.view(95); v.Wagers != 3 || v.Stakes != money.Euros(6) {
			t.Errorf("%d wagers of %s in it, want 3", v.Wagers, v.Stakes)
		}
	})
}

// A draw of which sales are still to open is postponed too, several at once
// keep their order, and those of the same session open with them.
func TestPostpone_Planned(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, islet(t))
		w.postpone(90*time.Minute, 167, 168, 169)
		w.at(mondayDraw(167).Add(-time.Hour - time.Microsecond))
		if v := w.view(167); v.State != draw.Postponed {
			t.Errorf("before its session it is %s", v.State)
		}
		w.restart()
		w.at(mondayDraw(167).Add(-time.Hour))
		if a, b := w.view(167).State, w.view(214).State; a != draw.Selling || b != draw.Selling {
			t.Errorf("in its session it is %s, the last %s", a, b)
		}
		if got := numbers(w.sell(w.quickPick(2, 3)).Draws); !slices.Equal(got, []int{170, 171, 172}) {
			t.Errorf("sold for %v", got)
		}
		w.at(mondayDraw(167).Add(90*time.Minute - 21*time.Second))
		// Draw 185 is at the same instant, and was planned later.
		if got := numbers(w.sell(w.quickPick(2, 4)).Draws); !slices.Equal(got, []int{167, 185, 168, 186}) {
			t.Errorf("sold for %v", got)
		}
	})
}

// A draw that was planned and one that was postponed across a change of the clocks are
// drawn when they said, counted in elapsed time (F18).
func TestF18_PostponeOverClockChange(t *testing.T) {
	t.Parallel()
	for name, night := range map[string]time.Time{
		"clocks forward": time.Date(2027, 3, 28, 0, 55, 0, 0, paris), // at 02:00 it is 03:00
		"clocks back":    time.Date(2027, 10, 31, 0, 55, 0, 0, paris),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dbtest.Each(t, func(t *testing.T, dsn string) {
				w := newWorldAt(t, dsn, nightIslet(t), night.Add(-30*time.Minute))
				day := game.DayOf(night, paris) - 1
				draws, err := w.sys.Draws(w.ctx(), w.rules.Code, day)
				w.check(err)
				if len(draws) == 0 || !draws[0].DrawsAt.Equal(night) {
					t.Fatalf("%d draws of %s", len(draws), day)
				}
				first := draws[0]
				w.change(central.Change{Act: central.ActPostpone, Draws: []draw.ID{first.ID}, Shift: 3 * time.Hour})
				w.tick()
				ticket := w.sell(w.quickPick(2, 1))
				if got := numbers(ticket.Draws); !slices.Equal(got, []int{251}) {
					t.Errorf("sold for %v", got)
				}
				w.tickUntil(night.Add(5*time.Hour), func() {})
				states, at := w.states(first.ID)
				drawn := slices.Index(states, draw.Drawn)
				if drawn < 0 || !at[drawn].Equal(night.Add(3*time.Hour)) || !at[drawn-1].Equal(night.Add(3*time.Hour-20*time.Second)) {
					t.Errorf("went through %v at %v", states, at)
				}
			})
		})
	}
}

// nightIslet is the islet with draws from 250 on, at 00:55 and later on Saturday nights.
func nightIslet(t testing.TB, replace ...string) []byte {
	return islet(t, append([]string{
		"- {weekdays: [mon, wed, fri, sun], draws: [95, 130]}", "- {weekdays: [tue], draws: [95, 130]}",
		"- {weekdays: [mon, wed, fri, sun], draws: [167, 214]}", "- {weekdays: [sat], draws: [250, 288]}",
	}, replace...)...)
}

// F18: sales close early at once and not a moment before, by the word of two
// officers; the draw is drawn at its time.
func TestF18_EarlyClose(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, islet(t))
		id := w.view(95).ID
		w.sell(w.quickPick(2, 1))
		p := w.proposed(central.Change{Act: central.ActClose, Draws: []draw.ID{id}})
		w.clock.set(monday.Add(time.Minute))
		ticket := w.sell(w.quickPick(2, 2))
		w.check(w.approve(w.second().ID, p.ID))
		// The scheduler has not come round.
		if got := numbers(w.sell(w.quickPick(2, 2)).Draws); !slices.Equal(got, []int{96, 97}) {
			t.Errorf("sold for %v", got)
		}
		w.refuses(central.ErrTooLate, func() error { return w.cancel(w.shop, ticket) })
		w.refuses(draw.ErrClosed, func() error {
			_, err := w.propose(central.Change{Act: central.ActPostpone, Draws: []draw.ID{id}, Shift: time.Hour})
			return err
		})
		w.restart()
		if next := w.tick(); !next.Equal(mondayDraw(96).Add(-20*time.Second)) && !next.Equal(mondayDraw(95)) {
			t.Errorf("next at %s", next)
		}
		if v := w.view(95); v.State != draw.Closed || v.Wagers != 2 || v.Result != nil {
			t.Errorf("closed early: %s with %d wagers, %v", v.State, v.Wagers, v.Result)
		}
		w.tickUntil(mondayDraw(95), func() {})
		states, at := w.states(id)
		want := []draw.State{draw.Planned, draw.Selling, draw.Closed, draw.Drawn, draw.Settled, draw.Certified}
		if !slices.Equal(states, want) || !at[2].Equal(monday.Add(time.Minute)) || !at[3].Equal(mondayDraw(95)) {
			t.Errorf("went through %v at %v", states, at)
		}
	})
}

// While no node is up, draws are missed, some of them postponed, cancelled or
// closed early: each is then done as it would have been, late.
func TestLateStart_MovedDraws(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, islet(t))
		tickets := w.sellAll(2, 6)
		draws := w.draws(95, 96, 97, 98, 99, 100)
		w.postpone(11*time.Minute, 95)                                              // still missed, after 96 and 97
		w.postpone(time.Hour, 96)                                                   // not missed
		w.cancelDraws(97)                                                           // missed
		w.change(central.Change{Act: central.ActClose, Draws: []draw.ID{draws[3]}}) // closed already
		w.close()
		w.clock.set(mondayDraw(99))
		w.open()
		w.tick()
		for i, want := range []draw.State{draw.Certified, draw.Selling, draw.Cancelled, draw.Certified, draw.Certified, draw.Selling} {
			if got := w.sys.State(draws[i]); got != want {
				t.Errorf("draw %d is %s, want %s", 95+i, got, want)
			}
		}
		var certified []draw.ID
		for _, s := range w.steps() {
			if s.state == draw.Certified {
				certified = append(certified, s.draw)
			}
		}
		if want := []draw.ID{draws[0], draws[3], draws[4]}; !slices.Equal(certified, want) {
			t.Errorf("certified in the order %v, want %v", certified, want)
		}
		for _, ticket := range tickets {
			if a := w.checked(ticket).Answer; a.Waiting != 2 || a.Back != money.Euros(2) {
				t.Errorf("ticket %d: waits for %d draws, %s to give back", ticket.Number, a.Waiting, a.Back)
			}
		}
		_, err := w.place(w.quickPick(2, 1))
		if errors.Is(err, wager.ErrNoSession) {
			t.Error("nothing is sold")
		}
	})
}
