package central_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/internal/dbtest"
	"tirage/journal"
	"tirage/money"
	"tirage/rng"
	"tirage/wager"
)

// tickUntil does what is due, when it is due, until an instant; each is called at each tick.
func (w *world) tickUntil(end time.Time, each func()) {
	w.Helper()
	for next := w.tick(); !next.IsZero() && !next.After(end); next = w.tick() {
		w.clock.set(next)
		each()
	}
	w.at(end)
}

// steps lists the steps of draws in the journal, in order, and shows that time never goes back.
func (w *world) steps() (list []journalStep) {
	w.Helper()
	records, _ := w.records()
	last := int64(0)
	for i, rec := range records {
		if rec.At < last {
			w.Errorf("record %d is dated before the one before it", i)
		}
		last = rec.At
		s := journalStep{at: time.UnixMicro(rec.At).UTC(), index: i}
		switch b := rec.Body.(type) {
		case *journal.Plan:
			for _, d := range b.Draws {
				list = append(list, journalStep{draw.ID(d.ID), draw.Planned, s.at, i})
			}
			continue
		case *journal.Open:
			for _, id := range b.Draws {
				list = append(list, journalStep{draw.ID(id), draw.Selling, s.at, i})
			}
			continue
		case *journal.Close:
			s.draw, s.state = draw.ID(b.Draw), draw.Closed
		case *journal.Result:
			s.draw, s.state = draw.ID(b.Draw), draw.Drawn
		case *journal.Settlement:
			s.draw, s.state = draw.ID(b.Draw), draw.Settled
		case *journal.Certification:
			s.draw, s.state = draw.ID(b.Draw), draw.Certified
		case *journal.CancelDraw:
			s.draw, s.state = draw.ID(b.Draw), draw.Cancelled
		case *journal.Move:
			if b.Early {
				continue
			}
			s.draw, s.state = draw.ID(b.Draw), draw.Postponed
		default:
			continue
		}
		list = append(list, s)
	}
	return list
}

type journalStep struct {
	draw  draw.ID
	state draw.State
	at    time.Time
	index int
}

// onceInOrder shows that the draws took each step once, up to certified, one draw after another.
func onceInOrder(t *testing.T, steps []journalStep, draws []draw.ID) {
	t.Helper()
	var certified []draw.ID
	for _, id := range draws {
		var states []draw.State
		for _, s := range steps {
			if s.draw == id {
				states = append(states, s.state)
			}
		}
		if want := []draw.State{draw.Planned, draw.Selling, draw.Closed, draw.Drawn, draw.Settled, draw.Certified}; !slices.Equal(states, want) {
			t.Errorf("draw %d went through %v", id, states)
		}
	}
	for _, s := range steps {
		if s.state == draw.Certified {
			certified = append(certified, s.draw)
		}
	}
	if !slices.Equal(certified, draws) {
		t.Errorf("certified in the order %v, want %v", certified, draws)
	}
}

func ids(draws []central.DrawView) []draw.ID {
	var list []draw.ID
	for _, d := range draws {
		list = append(list, d.ID)
	}
	return list
}

// Draws missed while no node was up are closed, drawn, settled and certified late, in order.
func TestLateStart(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		ticket := w.sell(w.quickPick(2, 6))
		w.close()
		w.clock.set(mondayDraw(97).Add(time.Minute))
		w.open()
		w.refuses(central.ErrTooLate, func() error { return w.cancel(w.shop, ticket) })
		next := w.tick()
		if want := mondayDraw(98).Add(-20 * time.Second); !next.Equal(want) {
			t.Errorf("next at %s, want the close of draw 98 at %s", next, want)
		}
		onceInOrder(t, w.steps(), []draw.ID{w.view(95).ID, w.view(96).ID, w.view(97).ID})
		if a := w.checked(ticket).Answer; a.Waiting != 3 {
			t.Errorf("%d draws wait, want 3", a.Waiting)
		}
		if n := numbers(w.sell(w.quickPick(2, 1)).Draws); n[0] != 98 {
			t.Errorf("sold for %v, want 98", n)
		}
	})
}

// Two nodes that tick at once make each step once.
func TestTwoNodesTick(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.Postgres(t), island(t))
	nodes := []*central.System{w.sys, w.secondNode(), w.secondNode()}
	for number := 95; number <= 99; number++ {
		w.sell(w.quickPick(2, 2))
		w.clock.set(mondayDraw(number))
		var ticking sync.WaitGroup
		for _, sys := range nodes {
			ticking.Go(func() {
				if _, err := sys.Tick(w.ctx()); err != nil {
					t.Error(err)
				}
			})
		}
		ticking.Wait()
	}
	w.check(w.sys.Follow(w.ctx()))
	var draws []draw.ID
	for number := 95; number <= 99; number++ {
		draws = append(draws, w.view(number).ID)
	}
	onceInOrder(t, w.steps(), draws)
}

// A whole day: each of its 84 draws is closed and drawn at its time. F04: no
// two have the same seed, and each result follows from id and close record alone.
func TestF04_WholeDay(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		w.tickUntil(mondayDraw(215), func() {
			if _, err := w.place(w.quickPick(2, 2)); err != nil && !errors.Is(err, wager.ErrNoSession) {
				t.Error(err)
			}
		})
		draws, err := w.sys.Draws(w.ctx(), w.rules.Code, game.NewDay(2027, 1, 4))
		w.check(err)
		if len(draws) != 84 {
			t.Fatalf("%d draws, want 84", len(draws))
		}
		steps := w.steps()
		onceInOrder(t, steps, ids(draws))
		_, raw := w.records()
		seeds := map[rng.Seed]draw.ID{}
		for _, d := range draws {
			for _, s := range steps {
				switch {
				case s.draw != d.ID:
				case s.state == draw.Closed && !s.at.Equal(d.ClosesAt):
					t.Errorf("draw %d closed at %s, want %s", d.Number, s.at, d.ClosesAt)
				case s.state == draw.Drawn && !s.at.Equal(d.DrawsAt):
					t.Errorf("draw %d drawn at %s, want %s", d.Number, s.at, d.DrawsAt)
				case s.state == draw.Closed:
					keys := testKeys()
					seed := draw.Seed(keys.Games[:], d.ID, raw[s.index])
					if other, same := seeds[seed]; same {
						t.Errorf("draws %d and %d share a seed", other, d.ID)
					}
					seeds[seed] = d.ID
					if want := draw.Derive(w.rules, seed); !slices.EqualFunc(want, d.Result, slices.Equal) {
						t.Errorf("draw %d drew %v, its close record gives %v", d.Number, d.Result, want)
					}
				}
			}
		}
		if len(seeds) != 84 {
			t.Errorf("%d seeds", len(seeds))
		}
	})
}

// F18: over both clock changes and a leap day, sales close 20 s before each
// draw, and draws are 5 minutes apart in elapsed time.
func TestF18_Calendar(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, day string
		draws     int
		first     string // UTC
	}{
		// On Saturday nights draws from 250 on are at 00:55 and later in Paris,
		// until the next day's draw 1 at 04:10 would come.
		{"clocks forward", "2027-03-27", 27, "2027-03-27T23:55:00Z"},
		{"clocks back", "2027-10-30", 39, "2027-10-30T22:55:00Z"},
		{"leap day", "2028-02-29", 36, "2028-02-29T11:00:00Z"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dbtest.Each(t, func(t *testing.T, dsn string) {
				first, err := time.Parse(time.RFC3339, c.first)
				if err != nil {
					t.Fatal(err)
				}
				w := newWorldAt(t, dsn, island(t,
					"- {weekdays: [mon, wed, fri, sun], draws: [95, 130]}", "- {weekdays: [tue], draws: [95, 130]}",
					"- {weekdays: [mon, wed, fri, sun], draws: [167, 214]}", "- {weekdays: [sat], draws: [250, 288]}",
				), first.Add(-time.Hour))
				sold := 0
				w.tickUntil(first.Add(4*time.Hour), func() {
					if _, err := w.place(w.quickPick(2, 1)); err == nil {
						sold++
					}
				})
				day, err := game.ParseDay(c.day)
				w.check(err)
				draws, err := w.sys.Draws(w.ctx(), w.rules.Code, day)
				w.check(err)
				if len(draws) != c.draws {
					t.Fatalf("%d draws, want %d", len(draws), c.draws)
				}
				steps, entered := w.steps(), int64(0)
				onceInOrder(t, steps, ids(draws))
				for i, d := range draws {
					entered += d.Wagers
					at := first.Add(time.Duration(i) * 5 * time.Minute)
					for _, s := range steps {
						if s.draw == d.ID && (s.state == draw.Closed && !s.at.Equal(at.Add(-20*time.Second)) || s.state == draw.Drawn && !s.at.Equal(at)) {
							t.Errorf("draw %d, due at %s, was %s at %s", d.Number, at, s.state, s.at)
						}
					}
				}
				if entered != int64(sold) || sold < c.draws {
					t.Errorf("%d tickets sold, %d in draws", sold, entered)
				}
			})
		})
	}
}

// F18: once the wall clock is more than 2 s off nothing is sold, cancelled,
// closed or drawn until an officer confirms.
func TestF18_WallClockSteps(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		number := 95
		for _, step := range []time.Duration{3 * time.Second, -3 * time.Second, time.Hour} {
			ticket, gone := w.sell(w.quickPick(2, 1)), w.sell(w.quickPick(2, 1))
			done := central.Cancel{Key: w.key(), Terminal: w.terminal.ID, Ticket: gone.Number, Secret: gone.Secret}
			before, err := w.sys.Cancel(w.ctx(), done)
			w.check(err)
			place := central.Place{Key: w.key(), Terminal: w.terminal.ID, Slip: w.quickPick(2, 1)}
			first, err := w.sys.Place(w.ctx(), place)
			w.check(err)
			w.clock.setWall(step)
			if again, err := w.sys.Place(w.ctx(), place); err != nil || again.Number != first.Number {
				t.Errorf("step %s: a sale asked for again: ticket %d, %v; first %d", step, again.Number, err, first.Number)
			}
			if again, err := w.sys.Cancel(w.ctx(), done); err != nil || !again.Again || again.At != before.At {
				t.Errorf("step %s: a cancellation asked for again: %+v, %v; first %+v", step, again, err, before)
			}
			w.refuses(central.ErrClock, func() error { _, err := w.place(w.quickPick(2, 1)); return err })
			w.refuses(central.ErrClock, func() error { return w.cancel(w.shop, ticket) })
			w.clock.set(mondayDraw(number))
			w.refuses(central.ErrClock, func() error { _, err := w.sys.Tick(w.ctx()); return err })
			if v := w.view(number); v.State != draw.Selling || v.Result != nil || !w.status().Stopped {
				t.Errorf("step %s: draw %d is %s, stopped %v", step, number, v.State, w.status().Stopped)
			}
			w.clock.setWall(0) // coming back by itself is no confirmation
			w.refuses(central.ErrClock, func() error { _, err := w.sys.Tick(w.ctx()); return err })
			w.refuses(central.ErrClock, func() error { _, err := w.place(w.quickPick(2, 1)); return err })
			w.refuses(central.ErrNotAllowed, func() error { return w.sys.ConfirmClock(w.ctx(), w.key(), w.outlet.ID) })
			w.refuses(central.ErrNotAllowed, func() error { return w.sys.ConfirmClock(w.ctx(), w.key(), "nobody") })
			w.refuses(central.ErrClock, func() error { _, err := w.sys.Tick(w.ctx()); return err })
			w.check(w.sys.ConfirmClock(w.ctx(), w.key(), w.officer.ID))
			w.tick()
			if v := w.view(number); v.State != draw.Certified || w.status().Stopped {
				t.Errorf("step %s, confirmed: draw %d is %s", step, number, v.State)
			}
			number++
		}
		// Two seconds are within reason; and a step that was confirmed as it stands stays so.
		for _, step := range []time.Duration{2 * time.Second, -2 * time.Second} {
			w.clock.setWall(step)
			w.tick()
			w.sell(w.quickPick(2, 1))
		}
		w.clock.setWall(time.Hour)
		w.refuses(central.ErrClock, func() error { _, err := w.sys.Tick(w.ctx()); return err })
		w.check(w.sys.ConfirmClock(w.ctx(), w.key(), w.officer.ID))
		w.tick()
		w.clock.setWall(time.Hour + time.Second)
		w.sell(w.quickPick(2, 1))
		w.clock.setWall(0)
		w.refuses(central.ErrClock, func() error { _, err := w.place(w.quickPick(2, 1)); return err })
	})
}

// F18: the database server's clock counts too, until an officer confirms.
func TestF18_ServerClock(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.Postgres(t), island(t))
	w.real = true
	w.restart() // now a clock of 2027 stands against the server's
	w.refuses(central.ErrClock, func() error { _, err := w.sys.Tick(w.ctx()); return err })
	w.refuses(central.ErrClock, func() error { _, err := w.place(w.quickPick(2, 1)); return err })
	w.check(w.sys.ConfirmClock(w.ctx(), w.key(), w.officer.ID))
	w.sys.AskServerAgain()
	w.tick()
	w.sell(w.quickPick(2, 1))
	w.clock.set(monday.Add(time.Minute)) // the server's did not go along
	w.refuses(central.ErrClock, func() error { _, err := w.sys.Tick(w.ctx()); return err })
}

// F18: no draw is opened, closed or drawn before its time, nor out of order.
func TestF18_NotBeforeTime(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		id, evening := w.view(95).ID, w.view(167).ID
		step := func(id draw.ID, next draw.State) func() error {
			return func() error { return w.sys.Step(w.ctx(), id, next) }
		}
		for _, c := range []struct {
			id   draw.ID
			next draw.State
			due  time.Time
		}{
			{id, draw.Closed, mondayDraw(95).Add(-20 * time.Second)},
			{id, draw.Drawn, mondayDraw(95)},
			{evening, draw.Selling, mondayDraw(167).Add(-time.Hour)},
		} {
			w.clock.set(c.due.Add(-time.Microsecond))
			w.refuses(central.ErrNotDue, step(c.id, c.next))
			w.clock.set(c.due)
			w.check(step(c.id, c.next)())
			before := w.sys.Size()
			w.check(step(c.id, c.next)()) // again: it is made once
			if w.sys.Size() != before {
				t.Errorf("draw %d was %s twice", c.id, c.next)
			}
		}
		w.refuses(draw.ErrTransition, step(id, draw.Certified))
		w.refuses(draw.ErrUnknown, step(99_999, draw.Closed))
	})
}

// Time never goes back, whatever a node's clock says.
func TestTimeNeverGoesBack(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		w.at(mondayDraw(95))
		last := w.sell(w.quickPick(2, 1)).PlacedAt
		for _, back := range []time.Duration{time.Second, time.Minute, 24 * time.Hour} {
			w.clock.set(mondayDraw(95).Add(-back))
			w.restart()
			ticket := w.sell(w.quickPick(2, 1))
			if ticket.PlacedAt.Before(last) || w.sys.Now().Before(last) || ticket.Draws[0].Number != 96 {
				t.Errorf("clock %s back: sold at %s for draw %d, the system's time is %s", back, ticket.PlacedAt, ticket.Draws[0].Number, w.sys.Now())
			}
			w.tick()
		}
		w.steps()
	})
}

// Nothing is planned twice, also after idle days, whose draws nobody could play.
func TestPlanning(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		size := w.sys.Size()
		w.tick()
		w.restart()
		w.tick()
		if w.sys.Size() != size {
			t.Errorf("ticking again left %d records", w.sys.Size()-size)
		}
		w.at(monday.AddDate(0, 0, 8)) // a Tuesday
		idle, err := w.sys.Draws(w.ctx(), w.rules.Code, game.NewDay(2027, 1, 8))
		w.check(err)
		if len(idle) != 0 {
			t.Errorf("%d draws planned on a day that had passed", len(idle))
		}
		for _, day := range []game.Day{game.NewDay(2027, 1, 4), game.NewDay(2027, 1, 6), game.NewDay(2027, 1, 13)} {
			draws, err := w.sys.Draws(w.ctx(), w.rules.Code, day)
			w.check(err)
			if len(draws) != 84 {
				t.Errorf("%s has %d draws, want 84", day, len(draws))
			}
			for _, d := range draws {
				if day < game.NewDay(2027, 1, 13) != (d.State == draw.Certified) {
					t.Errorf("%s draw %d is %s", day, d.Number, d.State)
				}
			}
		}
		if last := w.status().Last; len(last) != 5 || last[0].Number != 214 || last[0].Day != game.NewDay(2027, 1, 6) {
			t.Errorf("last draws %v", last)
		}
		// A start in the middle of a session plans what can still be played.
		w.at(monday.AddDate(0, 0, 28).Add(time.Hour)) // 12:30 on a Monday
		draws, err := w.sys.Draws(w.ctx(), w.rules.Code, game.NewDay(2027, 2, 1))
		w.check(err)
		if len(draws) != 84-7 || draws[0].Number != 102 {
			t.Errorf("%d draws from %d on, want those after 12:30", len(draws), draws[0].Number)
		}
		w.sell(w.quickPick(2, 1))
	})
}

// F10: a sale that was made is told again, though rules have come into force since that would refuse it.
func TestF10_SaleOfOtherRules(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t), island(t))
	place := central.Place{Key: w.key(), Terminal: w.terminal.ID, Slip: w.quickPick(2, 6)}
	first, err := w.sys.Place(w.ctx(), place)
	w.check(err)
	_, err = w.sys.PublishRules(w.ctx(), central.PublishRules{Key: w.key(), Officer: w.officer.ID, Book: island(t,
		`version: "2017"`, `version: "2027"`, "first_day: 2017-07-25", "first_day: 2027-01-08", "draw_counts: [1, 2, 3, 4, 5, 6]", "draw_counts: [1, 2]")})
	w.check(err)
	w.at(monday.AddDate(0, 0, 4))
	if again, err := w.sys.Place(w.ctx(), place); err != nil || again.Number != first.Number {
		t.Errorf("ticket %d, %v; want %d", again.Number, err, first.Number)
	}
	place.Key = w.key()
	w.refuses(wager.ErrDraws, func() error { _, err := w.sys.Place(w.ctx(), place); return err })
}

// A new version of the rules holds from its first day; the days before keep theirs.
func TestNewRules(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		publish := func(book []byte) error {
			_, err := w.sys.PublishRules(w.ctx(), central.PublishRules{Key: w.key(), Officer: w.officer.ID, Book: book})
			return err
		}
		version := func(day string) []byte {
			return island(t, `version: "2017"`, `version: "2027"`, "first_day: 2017-07-25", "first_day: "+day,
				"draw_counts: [1, 2, 3, 4, 5, 6]", "draw_counts: [1, 2]")
		}
		w.refuses(central.ErrPlanned, func() error { return publish(version("2027-01-04")) })
		w.refuses(central.ErrPlanned, func() error { return publish(version("2027-01-06")) })
		w.refuses(central.ErrPublished, func() error { return publish(island(t)) })
		w.refuses(central.ErrCurrency, func() error { return publish([]byte(strings.Replace(string(version("2027-01-11")), "EUR", "CHF", 1))) })
		before := w.sys.Size()
		if err := publish([]byte("game: nothing")); err == nil || w.sys.Size() != before {
			t.Error("a book that is none was published")
		}
		w.check(publish(version("2027-01-08")))
		w.check(publish(version("2027-01-10"))) // before anything is planned it may be put in force again
		w.restart()
		for _, c := range []struct {
			at      time.Time
			version string
			draws   []int // allowed
			refused []int
		}{
			{monday, "2017", []int{6}, nil},
			{monday.AddDate(0, 0, 4), "2027", []int{1, 2}, []int{3, 6}},
			{monday.AddDate(0, 0, 7), "2027", []int{1, 2}, []int{3, 6}},
		} {
			w.at(c.at)
			for _, n := range c.draws {
				if ticket := w.sell(w.quickPick(2, n)); ticket.Rules.Version != c.version || len(ticket.Draws) != n {
					t.Errorf("%s: sold %d draws under version %s", c.at, len(ticket.Draws), ticket.Rules.Version)
				}
			}
			for _, n := range c.refused {
				w.refuses(wager.ErrDraws, func() error { _, err := w.place(w.quickPick(2, n)); return err })
			}
			if r, err := w.sys.Rules(w.rules.Code); err != nil || r.Version != c.version {
				t.Errorf("%s: version %s in force, %v", c.at, r.Version, err)
			}
		}
		w.at(monday.AddDate(0, 0, 7).Add(hours(4)))
		if owes := w.owes(w.shop); owes != money.Euros(2*(6+3+3)) {
			t.Errorf("the outlet owes %s", owes)
		}
	})
}
