package central_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tirage/central"
	"tirage/internal/dbtest"
)

// An officer changes his own password only, if he knows the old one, once by
// key; then his sessions have ended, and no other's have.
func TestChangePassword(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		officer, err := w.sys.PutOfficer(w.ctx(), central.PutOfficer{Key: w.key(), By: w.officer.ID, Login: "paul", Password: "the first one"})
		w.check(err)
		mine, err := w.sys.NewSession(w.ctx(), "officer", officer.ID, hours(1))
		w.check(err)
		other, err := w.sys.NewSession(w.ctx(), "officer", w.officer.ID, hours(1))
		w.check(err)
		change := central.ChangePassword{Key: w.key(), Officer: officer.ID, Old: "the first one", New: "the second one"}
		for name, c := range map[string]struct {
			want error
			edit func(*central.ChangePassword)
		}{
			"wrong":    {central.ErrSignOn, func(c *central.ChangePassword) { c.Old = "the second one" }},
			"short":    {central.ErrPassword, func(c *central.ChangePassword) { c.New = "short" }},
			"stranger": {central.ErrNotAllowed, func(c *central.ChangePassword) { c.Officer = "0123456789abcdef" }},
			"no key":   {central.ErrKey, func(c *central.ChangePassword) { c.Key = "" }},
		} {
			bad := change
			c.edit(&bad)
			t.Run(name, func(*testing.T) {
				w.refuses(c.want, func() error { return w.sys.ChangePassword(w.ctx(), bad) })
			})
		}
		_, _, err = w.sys.Session(w.ctx(), mine)
		w.check(err)
		for range 2 { // the second time the old password is no longer right
			w.check(w.sys.ChangePassword(w.ctx(), change))
		}
		w.refuses(central.ErrSignOn, func() error { _, err := w.sys.SignOnOfficer(w.ctx(), "paul", change.Old); return err })
		got, err := w.sys.SignOnOfficer(w.ctx(), "paul", change.New)
		w.check(err)
		if got.ID != officer.ID {
			t.Errorf("signed on as %s, want %s", got.ID, officer.ID)
		}
		w.refuses(central.ErrSession, func() error { _, _, err := w.sys.Session(w.ctx(), mine); return err })
		_, _, err = w.sys.Session(w.ctx(), other)
		w.check(err)
		logins, err := w.sys.Logins(w.ctx())
		w.check(err)
		if logins[officer.ID] != "paul" || len(logins) != 2 {
			t.Errorf("logins %v", logins)
		}
		w.check(w.sys.CheckBooks(w.ctx()))
	})
}

// Tries at a login are counted wherever they come from, also of one that nobody has; a right one ends the count.
func TestOfficerLocked(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		const right = "dix caracteres"
		node := w.secondNode()
		try := func(sys *central.System, login, password string) error {
			_, err := sys.SignOnOfficer(w.ctx(), login, password)
			return err
		}
		for n := range 9 {
			w.refuses(central.ErrSignOn, func() error { return try([]*central.System{w.sys, node}[n%2], "chef", "wrong wrong wrong") })
		}
		w.check(try(w.sys, "chef", right))
		for _, login := range []string{"chef", "nobody", "", "\x00", "Chef"} {
			n := 0
			for err := central.ErrSignOn; errors.Is(err, central.ErrSignOn); n++ {
				err = try(w.sys, login, "wrong wrong wrong")
				if n == 10 && !errors.Is(err, central.ErrLocked) {
					t.Fatalf("%q: the 11th try: %v", login, err)
				}
			}
			if login == "chef" || login == "nobody" {
				if n != 11 {
					t.Errorf("%q is locked at try %d", login, n)
				}
			}
			w.refuses(central.ErrLocked, func() error { return try(node, login, right) })
		}
		change := central.ChangePassword{Key: w.key(), Officer: w.officer.ID, Old: right, New: "un autre mot"}
		w.refuses(central.ErrLocked, func() error { return w.sys.ChangePassword(w.ctx(), change) })
		w.clock.set(w.clock.Now().Add(15 * time.Minute))
		for range 10 {
			w.refuses(central.ErrSignOn, func() error {
				return w.sys.ChangePassword(w.ctx(), central.ChangePassword{Key: w.key(), Officer: w.officer.ID, Old: "pas le bon mot", New: "un autre mot"})
			})
		}
		w.refuses(central.ErrLocked, func() error { return try(w.sys, "chef", right) })
		w.clock.set(w.clock.Now().Add(15 * time.Minute))
		w.check(try(w.sys, "chef", right))
		w.check(w.sys.ChangePassword(w.ctx(), change))
	})
}

// Any number of tries at a time are no more than one after the other.
func TestOfficerLocked_AtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t), island(t))
	var wrong atomic.Int64
	var trying sync.WaitGroup
	for range 30 {
		trying.Go(func() {
			if _, err := w.sys.SignOnOfficer(w.ctx(), "chef", "wrong wrong wrong"); errors.Is(err, central.ErrSignOn) {
				wrong.Add(1)
			}
		})
	}
	trying.Wait()
	if got := wrong.Load(); got != 10 {
		t.Errorf("%d tries were looked at, want 10", got)
	}
}
