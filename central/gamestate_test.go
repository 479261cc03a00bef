package central_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tirage/central"
	"tirage/game"
	"tirage/instant"
	"tirage/internal/dbtest"
	"tirage/journal"
	"tirage/money"
	"tirage/rng"
)

// INS-1: the launch is an officer's act. Before it, and while the game is
// suspended, nobody plays, and the refusal says why.
func TestINS_1_LaunchAndSuspend(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := &web{world: newWorld(t, dsn, islet(t))}
		w.other = w.second()
		w.publishAccounts()
		w.player = w.newPlayer(money.Euros(100))
		act := func(message game.Text) central.GameAct {
			return central.GameAct{Key: w.key(), Officer: w.officer.ID, Game: "cove", Message: message}
		}
		w.refuses(central.ErrUnknownGame, func() error { return w.sys.Launch(w.ctx(), act(game.Text{})) })
		w.refuses(central.ErrUnknownGame, func() error { return w.sys.Suspend(w.ctx(), act(game.Text{})) })
		w.publish(cove(t))
		for _, officer := range []string{w.officer.ID, w.other.ID} {
			w.commit(officer, one, 2)
		}
		w.tend()
		if got := w.states(one); got != "committed committed" {
			t.Errorf("before the launch: %s", got)
		}
		w.closed(central.Unlaunched, game.Text{})
		w.refuses(central.ErrGameState, func() error { return w.sys.Suspend(w.ctx(), act(game.Text{})) })
		nobody := act(game.Text{})
		nobody.Officer = w.player
		w.refuses(central.ErrNotAllowed, func() error { return w.sys.Launch(w.ctx(), nobody) })

		launch := act(game.Text{})
		w.check(w.sys.Launch(w.ctx(), launch))
		w.check(w.sys.Launch(w.ctx(), launch)) // the same command
		w.refuses(central.ErrGameState, w.launch)
		w.play(one)
		w.tend()
		if got := w.states(one); got != "open committed" {
			t.Errorf("after the launch: %s", got)
		}

		told := game.Text{FR: "Travaux jusqu’à midi.", EN: "Back at noon."}
		for _, bad := range []string{strings.Repeat("x", 251), "a\u202eb", "\xff", "\x00"} {
			w.refuses(central.ErrMessage, func() error { return w.sys.Suspend(w.ctx(), act(game.Text{FR: bad})) })
		}
		w.check(w.sys.Suspend(w.ctx(), act(told)))
		w.closed(central.Suspended, told)
		w.refuses(central.ErrGameState, func() error { return w.sys.Suspend(w.ctx(), act(game.Text{})) })
		w.refuses(central.ErrGameState, func() error { _, err := w.propose(w.resume()); return err }) // an officer alone can
		w.restart()
		w.tend()
		w.closed(central.Suspended, told)
		w.check(w.launch())
		if g, err := w.sys.Instant("cove"); err != nil || g.Message != (game.Text{}) {
			t.Errorf("launched again, and says %q, %v", g.Message, err)
		}
		w.play(one)
	})
}

// A game whose first version is still to come is not played, whoever launches it.
func TestINS_1_NotBeforeItsFirstDay(t *testing.T) {
	t.Parallel()
	w := newWeb(t, dbtest.SQLite(t), cove(t, "2026-11-19", "2027-01-05"), 1)
	w.refuses(central.ErrNotLaunched, func() error { _, err := w.try(one); return err })
	g, err := w.sys.Instant("cove")
	if err != nil || g.State != central.Launched || g.Coming != game.NewDay(2027, 1, 5) || g.Told() != central.Unlaunched {
		t.Errorf("before its first day %s, from %s, told as %s, %v", g.State, g.Coming, g.Told(), err)
	}
	w.at(monday.Add(hours(13)))
	if g, err = w.sys.Instant("cove"); err != nil || g.Coming != 0 || g.Told() != central.Launched {
		t.Errorf("on its first day from %s, told as %s, %v", g.Coming, g.Told(), err)
	}
	w.play(one)
}

func (w *web) publish(book []byte) {
	w.Helper()
	var err error
	w.game, err = w.sys.PublishInstant(w.ctx(), central.PublishRules{Key: w.key(), Officer: w.officer.ID, Book: book})
	w.check(err)
}

// closed shows that nobody plays, and what players are told.
func (w *web) closed(state central.GameState, message game.Text) {
	w.Helper()
	w.refuses(central.ErrNotLaunched, func() error {
		_, err := w.try(one)
		if e := (*central.ClosedGameError)(nil); !errors.As(err, &e) || e.State != state || e.Message != message {
			w.Errorf("got %#v, want %s %q", err, state, message)
		}
		return err
	})
	g, err := w.sys.Instant("cove")
	if err != nil || g.State != state || g.Message != message {
		w.Errorf("got %s %q %v, want %s %q", g.State, g.Message, err, state, message)
	}
}

func (w *web) resume() central.Change {
	return central.Change{Act: central.ActResumeGame, Game: "cove", Reason: "vérifié"}
}

// wrongPool is a pool as its table says, but for winners that it has more; or, for prize −1, without any.
func (w *web) wrongPool(price money.Amount, prize, more int) *instant.Pool {
	w.Helper()
	table, err := w.game.Table(price)
	w.check(err)
	wrong := instant.PrizeTable{Price: price, Prizes: append([]instant.Prize(nil), table.Prizes...)}
	if prize < 0 {
		wrong.Prizes = nil
	} else {
		wrong.Prizes[prize].Units += more
	}
	return instant.Build(&wrong, w.game.Units, rng.Seed{1})
}

// bigCove is the cove with pools of 4,000 units.
func bigCove(t testing.TB) []byte {
	return cove(t, "units: 40", "units: 4000",
		"{units: 1, amount: 10, total: 10,", "{units: 100, amount: 10, total: 1000,",
		"{units: 4, amount: 2,  total: 8,", "{units: 400, amount: 2,  total: 800,",
		"{units: 8, amount: 1,  total: 8,", "{units: 800, amount: 1,  total: 800,",
		"{winners: 13, total: 26,", "{winners: 1300, total: 2600,",
		"{units: 1, amount: 20, total: 20,", "{units: 100, amount: 20, total: 2000,",
		"{units: 4, amount: 4,  total: 16,", "{units: 400, amount: 4,  total: 1600,",
		"{units: 8, amount: 2,  total: 16,", "{units: 800, amount: 2,  total: 1600,",
		"{winners: 13, total: 52,", "{winners: 1300, total: 5200,")
}

// F12: a pool that wins too often is stopped within a hundred plays, before one
// more unit is sold; one officer cannot launch it again, two can. CheckBooks
// names the first unit that is not the one that was committed.
func TestF12_GuardStopsAWrongPool(t *testing.T) {
	t.Parallel()
	base := newWeb(t, dbtest.SQLite(t), bigCove(t), 2)
	for _, c := range []struct {
		name        string
		prize, more int
	}{{"top prizes", 0, 1500}, {"small prizes", 2, 2000}, {"no prizes at all", -1, 0}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := base.copyWeb(t)
			w.tend()
			w.sys.ReplacePool(w.sale(one).Pool, w.wrongPool(one, c.prize, c.more))
			plays := 0
			var err error
			for ; err == nil && plays < 200; plays++ {
				_, err = w.try(one)
			}
			if plays > 101 || !errors.Is(err, central.ErrNotLaunched) {
				t.Fatalf("%d plays, then %v", plays, err)
			}
			w.closed(central.Stopped, game.Text{})
			w.refuses(central.ErrGameState, w.launch)
			w.refuses(central.ErrGameState, func() error {
				return w.sys.Suspend(w.ctx(), central.GameAct{Key: w.key(), Officer: w.officer.ID, Game: "cove"})
			})
			if err := w.sys.CheckBooks(w.ctx()); err == nil || !strings.Contains(err.Error(), "it was committed with") {
				t.Errorf("CheckBooks says %v", err)
			}
			p := w.proposed(w.resume())
			w.refuses(central.ErrSameOfficer, func() error { return w.approve(w.officer.ID, p.ID) })
			w.refuses(central.ErrNotLaunched, func() error { _, err := w.try(two); return err })
			w.check(w.approve(w.other.ID, p.ID))
			w.play(two)
			for range 3 {
				w.play(one) // what two officers have looked into does not stop it again
			}
			before := w.sys.InstantSummary()
			w.sys.Close()
			w.check(w.db.Close())
			w.open()
			if diff := cmp.Diff(before, w.sys.InstantSummary()); diff != "" {
				t.Errorf("after a restart %s", diff)
			}
		})
	}
}

// F12: nor do many plays at once get further than one after another: what is
// decided on top of a turn that stops the game is refused.
func TestF12_GuardStopsParallelPlays(t *testing.T) {
	t.Parallel()
	w := newWeb(t, dbtest.SQLite(t), bigCove(t), 1).copyWeb(t)
	w.tend()
	w.sys.ReplacePool(w.sale(one).Pool, w.wrongPool(one, 0, 2700))
	var callers sync.WaitGroup
	for c := range 64 {
		callers.Go(func() {
			for n := range 20 {
				_, err := w.sys.Play(w.ctx(), central.PlayUnit{Key: fmt.Sprintf("z%02d-%02d", n, c), Player: w.player, Game: "cove", Price: one})
				if err != nil && !errors.Is(err, central.ErrNotLaunched) {
					t.Error(err)
				}
			}
		})
	}
	callers.Wait()
	last := w.count(`SELECT MAX(record) FROM unit`)
	if n, stop := w.count(`SELECT COUNT(*) FROM unit`), w.count(`SELECT MAX(record) FROM game_step WHERE cause = 'guard'`); n > 100 || stop != last+1 {
		t.Errorf("%d units, the last is record %d, the game stopped at %d", n, last, stop)
	}
}

// F12: the guard lets an honest game sell out, also after it was stopped and
// resumed; a count above the table stops it at that unit, whoever else plays in the same turn.
func TestF12_ResumeTakesTwo(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWeb(t, dsn, cove(t), 2)
		w.play(one)
		for name, c := range map[string]central.Change{
			"unknown game":        {Act: central.ActResumeGame, Game: "grotto"},
			"not stopped":         w.resume(),
			"no game":             {Act: central.ActResumeGame},
			"with days":           {Act: central.ActResumeGame, Game: "cove", Until: 5},
			"with a login":        {Act: central.ActResumeGame, Game: "cove", Login: "anne"},
			"a game to make one":  {Act: central.ActMakeOfficer, Game: "cove", Login: "anne"},
			"with draws":          {Act: central.ActResumeGame, Game: "cove", Draws: w.draws(97)},
			"a game for a cancel": {Act: central.ActCancelDraw, Game: "cove", Draws: w.draws(97)},
		} {
			before := w.sys.Size()
			if _, err := w.propose(c); !errors.Is(err, central.ErrChange) && !errors.Is(err, central.ErrGameState) && !errors.Is(err, central.ErrUnknownGame) || w.sys.Size() != before {
				t.Errorf("%s: %v", name, err)
			}
		}
		act, err := central.ParseChangeAct("resume-game")
		if err != nil || act != central.ActResumeGame {
			t.Errorf("got %s, %v", act, err)
		}
	})
}

// F12: what was proposed before the guard stopped a game says nothing of that
// stop: with a proposal left over from the last one, a single officer could resume.
func TestF12_ResumeIsOfThisStop(t *testing.T) {
	t.Parallel()
	w := newWeb(t, dbtest.SQLite(t), bigCove(t), 2).copyWeb(t)
	w.tend()
	stop := func(price money.Amount) {
		t.Helper()
		w.sys.ReplacePool(w.sale(price).Pool, w.wrongPool(price, 0, 2700))
		for range 100 {
			if _, err := w.try(price); errors.Is(err, central.ErrNotLaunched) {
				return
			}
		}
		t.Fatal("the guard did not stop the game")
	}
	stop(one)
	first, left := w.proposed(w.resume()), w.proposed(w.resume())
	w.check(w.approve(w.other.ID, first.ID))
	stop(two)
	w.refuses(central.ErrChanged, func() error { return w.approve(w.other.ID, left.ID) })
	before := w.sys.InstantSummary()
	w.sys.Close()
	w.check(w.db.Close())
	w.open()
	w.tend()
	if diff := cmp.Diff(before, w.sys.InstantSummary()); diff != "" {
		t.Errorf("after a restart %s", diff)
	}
	w.refuses(central.ErrChanged, func() error { return w.approve(w.other.ID, left.ID) })
	w.closed(central.Stopped, game.Text{})
	w.check(w.reject(w.other.ID, left.ID))
	w.check(w.approve(w.other.ID, w.proposed(w.resume()).ID))
	w.play(one)
}

// F12: the audit knows a guard that strikes without cause, one that does not
// strike, and a game that no two officers have resumed.
func TestF12_Audit(t *testing.T) {
	t.Parallel()
	base := newWeb(t, dbtest.SQLite(t), bigCove(t), 1)
	base.play(one)
	for _, c := range []struct {
		name, named string
		body        journal.Body
	}{
		{"strikes without cause", "nothing suspends cove", &journal.Suspend{Game: "cove", Cause: "guard"}},
		{"no cause", "nothing suspends cove", &journal.Suspend{Game: "cove", Cause: ""}},
		{"an officer who is none", "is no officer", &journal.Suspend{Game: "cove", Cause: "officer"}},
		{"launched twice", "launches cove", &journal.Launch{Game: "cove"}},
		{"approved by nobody", "nobody approved", &journal.Launch{Game: "cove", Decision: 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := base.copyWeb(t)
			w.named(c.named, func(tt *central.Turn) error { return tt.Append(c.body) })
		})
	}
}

// copyWeb is a web on a copy of the database, whose books are not checked.
func (w *web) copyWeb(t *testing.T) *web {
	t.Helper()
	c := *w
	c.world = w.copyTo(t)
	c.keys = 100_000
	return &c
}

// named shows that CheckBooks names what somebody wrote into the journal.
func (w *web) named(want string, forge func(*central.Turn) error) {
	w.Helper()
	w.check(w.sys.CheckBooks(w.ctx()))
	w.check(w.sys.Do(w.ctx(), forge))
	if err := w.sys.CheckBooks(w.ctx()); err == nil || !strings.Contains(err.Error(), want) {
		w.Errorf("CheckBooks says %v, want it to name %q", err, want)
	}
}
