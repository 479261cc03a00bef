package central_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tirage/central"
	"tirage/game"
	"tirage/internal/dbtest"
	"tirage/internal/sim"
	"tirage/journal"
	"tirage/money"
	"tirage/party"
	"tirage/store"
	"tirage/wager"
)

// hold keeps the node in a turn until release, so that what is asked meanwhile shares the next one.
func (w *world) hold() (release func()) {
	w.Helper()
	started, ended := make(chan struct{}), make(chan struct{})
	var once sync.Once
	go func() {
		_ = w.sys.Do(context.Background(), func(*central.Turn) error {
			once.Do(func() { close(started) })
			<-ended
			return nil
		})
	}()
	<-started
	return sync.OnceFunc(func() { close(ended) })
}

// queued waits until so many commands wait for the next turn.
func (w *world) queued(n int) {
	for w.sys.Queued() < n {
		runtime.Gosched()
	}
}

// A command that fails or panics within a shared turn harms no other.
func TestBatchWithBadCommands(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		errOwn := errors.New("refused")
		bad := []struct {
			decide func(*central.Turn) error
			want   string
		}{
			{func(*central.Turn) error { return errOwn }, "refused"},
			{func(*central.Turn) error { panic("a bug") }, "turn: a bug"},
			{func(turn *central.Turn) error {
				if err := turn.Append(&journal.Act{Act: "half"}); err != nil {
					return err
				}
				return errOwn
			}, "a refused command appended a record"},
		}
		release := w.hold()
		defer release()
		before := w.sys.Size()
		var callers sync.WaitGroup
		for n := range 30 {
			if n%10 == 5 {
				callers.Go(func() {
					if err := w.sys.Do(w.ctx(), bad[n/10].decide); err == nil || !strings.Contains(err.Error(), bad[n/10].want) {
						t.Errorf("bad command %d: got %v, want %q", n/10, err, bad[n/10].want)
					}
				})
			} else {
				callers.Go(func() {
					if _, err := w.place(w.slip(game.Combination(n), 2, 1)); err != nil {
						t.Errorf("a good command: %v", err)
					}
				})
			}
			w.queued(n + 1) // in this order
		}
		release()
		callers.Wait()
		if n := w.sys.Size() - before; n != 27 || w.owes(w.shop) != money.Euros(54) {
			t.Errorf("%d records, the outlet owes %s; want 27 sales", n, w.owes(w.shop))
		}
	})
}

// Commands of one turn see each other: the cap, the credit, a ticket cancelled, a key used.
func TestBatchOverlay(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		poor := w.newShop(2, "metropole", "Europe/Paris")
		poor.outlet.CreditLimit = money.Euros(7)
		_, err := w.sys.PutOutlet(w.ctx(), central.PutOutlet{Key: w.key(), Officer: w.officer.ID, Outlet: poor.outlet})
		w.check(err)
		ticket := w.sell(w.slip(9, 2, 1))
		release := w.hold()
		defer release()
		before := w.sys.Size()
		answers := map[string]chan error{}
		ask := func(n int, what string, do func() error) {
			answered := make(chan error, n)
			answers[what] = answered
			for range n {
				already := w.sys.Queued()
				go func() { answered <- do() }()
				w.queued(already + 1)
			}
		}
		ask(8, "cap", func() error { _, err := w.place(w.slip(5, 20, 1)); return err })
		ask(4, "cancel", func() error { return w.cancel(w.shop, ticket) })
		ask(6, "credit", func() error {
			_, err := w.sys.Place(w.ctx(), central.Place{Key: w.key(), Terminal: poor.terminal.ID, Slip: w.slip(6, 2, 1)})
			return err
		})
		ask(5, "key", func() error {
			_, err := w.sys.Place(w.ctx(), central.Place{Key: "one", Terminal: w.terminal.ID, Slip: w.quickPick(2, 1)})
			return err
		})
		release()
		for what, want := range map[string]struct {
			done    int
			refusal error
		}{
			"cap": {5, wager.ErrCapped}, "cancel": {1, central.ErrCancelled}, "credit": {3, party.ErrCredit}, "key": {5, nil},
		} {
			done := 0
			for range cap(answers[what]) {
				if err := <-answers[what]; err == nil {
					done++
				} else if !errors.Is(err, want.refusal) {
					t.Errorf("%s: %v", what, err)
				}
			}
			if done != want.done {
				t.Errorf("%s: %d done, want %d", what, done, want.done)
			}
		}
		if n := w.sys.Size() - before; n != 5+1+3+1 {
			t.Errorf("%d records, want 10", n)
		}
	})
}

// A caller that gives up while queued is answered at once, and nothing is sold to it.
func TestBatchGivenUp(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		release := w.hold()
		defer release()
		before := w.sys.Size()
		ctx, giveUp := context.WithCancel(w.ctx())
		answers := make(chan error)
		go func() {
			_, err := w.sys.Place(ctx, central.Place{Key: "given up", Terminal: w.terminal.ID, Slip: w.slip(1, 2, 1)})
			answers <- err
		}()
		w.queued(1)
		giveUp()
		if err := <-answers; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want canceled", err)
		}
		release()
		w.sell(w.slip(2, 2, 1))
		if n := w.sys.Size() - before; n != 1 {
			t.Errorf("%d records, want the other caller's sale", n)
		}
	})
}

// Closing answers every caller; what was acknowledged is there afterwards, and no goroutine is left.
// It is not parallel: goroutines of other tests would look like leaks.
func TestCloseWhileCallersWait(t *testing.T) {
	for _, dsn := range []string{dbtest.SQLite(t), dbtest.Postgres(t)} {
		before := goleak.IgnoreCurrent()
		w := newWorld(t, dsn, island(t))
		release := w.hold()
		var callers sync.WaitGroup
		var mu sync.Mutex
		var sold []wager.Ticket
		for n := range 40 {
			callers.Go(func() {
				ticket, err := w.place(w.slip(game.Combination(n), 2, 1))
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					sold = append(sold, ticket)
				} else if !errors.Is(err, central.ErrShutdown) {
					t.Errorf("got %v, want shutdown", err)
				}
			})
		}
		w.queued(40)
		closed := make(chan struct{})
		go func() { w.sys.Close(); close(closed) }()
		release()
		callers.Wait()
		<-closed
		w.refuses(central.ErrShutdown, func() error { _, err := w.place(w.slip(1, 2, 1)); return err })
		w.sys.Close() // again: nothing happens
		w.check(w.db.Close())
		w.open()
		if owes := w.owes(w.shop); owes != money.Euros(2*int64(len(sold))) {
			t.Errorf("the outlet owes %s for %d tickets", owes, len(sold))
		}
		for _, ticket := range sold {
			w.checked(ticket)
		}
		sim.CheckBooks(t, w.sys)
		w.sys.Close()
		w.check(w.db.Close())
		if err := goleak.Find(before); err != nil {
			t.Error(err)
		}
		w.open() // for the end of the test
	}
}

// Sessions end in time, and by their end.
func TestSessions(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		before := w.sys.Size()
		var tokens []string
		for n := range 3 {
			token, err := w.sys.NewSession(w.ctx(), "officer", fmt.Sprint("subject-", n), hours(n+1))
			w.check(err)
			tokens = append(tokens, token)
		}
		want := func(token, subject string) {
			t.Helper()
			kind, got, err := w.sys.Session(w.ctx(), token)
			switch {
			case subject == "" && !errors.Is(err, central.ErrSession):
				t.Errorf("got %v, want no session", err)
			case subject != "" && (err != nil || kind != "officer" || got != subject):
				t.Errorf("got %q %q, %v; want %q", kind, got, err, subject)
			}
		}
		want(tokens[0], "subject-0")
		want(tokens[1], "subject-1")
		want("AAAA", "")
		want("", "")
		w.check(w.sys.EndSession(w.ctx(), tokens[1]))
		want(tokens[1], "")
		w.clock.set(monday.Add(hours(1)))
		want(tokens[0], "")
		want(tokens[2], "subject-2")
		w.restart()
		want(tokens[2], "subject-2")
		if w.sys.Size() != before {
			t.Error("sessions are private, and the journal has them")
		}
		w.check(w.db.View(w.ctx(), func(tx *store.Snapshot) error {
			if _, err := tx.Session(w.ctx(), []byte(tokens[2])); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("the token itself is in the database: %v", err)
			}
			return nil
		}))
	})
}

// Anybody may say that he signs off, thousands of times a second: whoever has no session takes no turn from those who sell.
func TestEndSession_WithoutOne(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, islet(t))
		token, err := w.sys.NewSession(w.ctx(), "officer", "subject", time.Hour)
		w.check(err)
		release := w.hold()
		defer release()
		soon, cancel := context.WithTimeout(w.ctx(), 20*time.Second)
		defer cancel()
		w.check(w.sys.EndSession(soon, "unknown", "", "another"))
		w.check(w.sys.EndSession(soon))
		release()
		w.check(w.sys.EndSession(w.ctx(), "unknown", token))
		if _, _, err := w.sys.Session(w.ctx(), token); !errors.Is(err, central.ErrSession) {
			t.Errorf("the session of the second token: %v", err)
		}
	})
}
