package central_test

import (
	"testing"

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
