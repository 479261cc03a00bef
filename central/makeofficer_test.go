package central_test

import (
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"tirage/central"
	"tirage/internal/dbtest"
	"tirage/journal"
)

// makes proposes an officer.
func (w *world) makes(by, login string) (central.Proposal, error) {
	c := central.Change{Act: central.ActMakeOfficer, Login: login, Reason: "départ"}
	return w.sys.Propose(w.ctx(), central.Propose{Key: w.key(), Officer: by, Change: c})
}

// F18: one officer cannot approve what he proposes through an officer whom he
// makes: each step of that is refused.
func TestF18_NoSockPuppet(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, islet(t))
		put := func(by, login string) error {
			_, err := w.sys.PutOfficer(w.ctx(), central.PutOfficer{Key: w.key(), By: by, Login: login, Password: "chosen by him"})
			return err
		}
		second := w.second()
		w.refuses(central.ErrByProposal, func() error { return put(w.officer.ID, "puppet") })
		w.refuses(central.ErrByProposal, func() error { return put(second.ID, "puppet") })
		w.refuses(central.ErrNotAllowed, func() error { return put("", "puppet") })
		w.refuses(central.ErrLogin, func() error { _, err := w.makes(w.officer.ID, "chef"); return err })
		w.refuses(central.ErrLogin, func() error { _, err := w.makes(w.officer.ID, "Puppet"); return err })
		p, err := w.makes(w.officer.ID, "puppet")
		w.check(err)
		w.restart()
		approve := central.Decide{Key: "approve", Officer: w.officer.ID, Proposal: p.ID, Password: "a first password"}
		decide := func() error { _, err := w.sys.Approve(w.ctx(), approve); return err }
		w.refuses(central.ErrSameOfficer, decide)
		approve.Officer = second.ID
		for _, bad := range []string{"", "123456789", strings.Repeat("é", 201), "\xff0123456789"} {
			approve.Password = bad
			w.refuses(central.ErrPassword, decide)
		}
		approve.Password = strings.Repeat("é", 200)
		first := approve.Password
		w.check(decide())
		size := w.sys.Size()
		w.check(decide())
		if w.sys.Size() != size || size != p.ID+3 {
			t.Errorf("%d records, then %d; want the proposal, the decision and the officer after %d", size, w.sys.Size(), p.ID)
		}
		approve.Password = "another password"
		w.refuses(central.ErrKeyReused, decide)
		w.refuses(central.ErrSignOn, func() error { _, err := w.sys.SignOnOfficer(w.ctx(), "puppet", first+"x"); return err })
		third, err := w.sys.SignOnOfficer(w.ctx(), "puppet", first)
		w.check(err)

		// He may do nothing until the password is his own.
		change := w.proposed(central.Change{Act: central.ActClose, Draws: w.draws(95)})
		w.refuses(central.ErrIssued, func() error { return w.approve(third.ID, change.ID) })
		w.refuses(central.ErrIssued, func() error { return w.reject(third.ID, change.ID) })
		w.refuses(central.ErrIssued, func() error { _, err := w.makes(third.ID, "other"); return err })
		w.refuses(central.ErrIssued, func() error { return w.receive(third.ID, w.outlet.ID, 100) })
		w.refuses(central.ErrIssued, func() error { return w.sys.ConfirmClock(w.ctx(), w.key(), third.ID) })
		w.refuses(central.ErrIssued, func() error { return put(third.ID, "other") })
		own := central.ChangePassword{Key: "own", Officer: third.ID, Old: first, New: first}
		w.refuses(central.ErrSamePassword, func() error { return w.sys.ChangePassword(w.ctx(), own) })
		own.New = "his own password"
		w.check(w.sys.ChangePassword(w.ctx(), own))
		own.New = "yet another password"
		w.refuses(central.ErrKeyReused, func() error { return w.sys.ChangePassword(w.ctx(), own) })
		w.check(w.approve(third.ID, change.ID))

		records, raw := w.records()
		for i, b := range raw {
			for _, secret := range []string{first, "his own password", "dix caracteres", "puppet", "chef", "départ"} {
				if strings.Contains(string(b), secret) {
					t.Errorf("record %d, %T, has a password, a login or a reason", i, records[i].Body)
				}
			}
		}
		w.restart()
	})
}

// The key of a command that makes an officer covers his password.
func TestPutOfficerKeyCoversPassword(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, islet(t))
		p := central.PutOfficer{Key: "k", By: w.officer.ID, Login: "second", Password: "a first password"}
		made, err := w.sys.PutOfficer(w.ctx(), p)
		w.check(err)
		again, err := w.sys.PutOfficer(w.ctx(), p)
		w.check(err)
		if made.ID != again.ID {
			t.Errorf("made %s, again %s", made.ID, again.ID)
		}
		p.Password = "another password"
		w.refuses(central.ErrKeyReused, func() error { _, err := w.sys.PutOfficer(w.ctx(), p); return err })
		// An officer whom one made does not act for two before he has a password of his own.
		c := w.proposed(central.Change{Act: central.ActClose, Draws: w.draws(95)})
		w.refuses(central.ErrIssued, func() error { return w.approve(made.ID, c.ID) })
	})
}

// Of those who approve an officer at once one is heard, and of two proposals of
// a login one; of officers made at once by the first, one is the second.
func TestMakeOfficerParallel(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, islet(t))
		count := func(n int, do func(n int) error, but ...error) {
			t.Helper()
			errs := make([]error, n)
			var all sync.WaitGroup
			for i := range errs {
				all.Go(func() { errs[i] = do(i) })
			}
			all.Wait()
			done := 0
			for _, err := range errs {
				if err == nil {
					done++
				} else if !slices.ContainsFunc(but, func(want error) bool { return errors.Is(err, want) }) {
					t.Error(err)
				}
			}
			if done != 1 {
				t.Errorf("%d of %d done", done, n)
			}
		}
		logins := []string{"adjoint", "autre", "encore"}
		made := make([]string, len(logins))
		count(len(logins), func(i int) error {
			o, err := w.sys.PutOfficer(w.ctx(), central.PutOfficer{Key: w.key(), By: w.officer.ID, Login: logins[i], Password: "un premier mot"})
			made[i] = o.ID
			return err
		}, central.ErrByProposal)
		second := made[slices.IndexFunc(made, func(id string) bool { return id != "" })]
		w.check(w.sys.ChangePassword(w.ctx(), central.ChangePassword{Key: w.key(), Officer: second, Old: "un premier mot", New: "dix caracteres"}))
		var ids [2]uint64
		for i := range ids {
			p, err := w.makes(w.officer.ID, "third")
			w.check(err)
			ids[i] = p.ID
		}
		count(8, func(i int) error {
			_, err := w.sys.Approve(w.ctx(), central.Decide{Key: w.key(), Officer: second, Proposal: ids[i%2], Password: "un premier mot"})
			return err
		}, central.ErrDecided, central.ErrLogin)
	})
}

// What an officer may have waiting is bounded; what was decided makes room.
func TestOpenProposalsMax(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t), islet(t))
	second := w.second()
	var last uint64
	for range central.OpenProposalsMax {
		last = w.proposed(central.Change{Act: central.ActClose, Draws: w.draws(95)}).ID
	}
	w.refuses(central.ErrOpenProposals, func() error { _, err := w.makes(w.officer.ID, "third"); return err })
	_, err := w.makes(second.ID, "third")
	w.check(err)
	w.check(w.reject(w.officer.ID, last))
	_, err = w.makes(w.officer.ID, "third")
	w.check(err)
}

// The books ask who approved each officer but the first two.
func TestAuditOfficers(t *testing.T) {
	t.Parallel()
	for name, bodies := range map[string]func(by, other journal.Party, p uint64) []journal.Body{
		"nobody approved": func(by, _ journal.Party, _ uint64) []journal.Body {
			return []journal.Body{&journal.Officer{By: by, ID: journal.Party{9}}}
		},
		"is not done": func(_, other journal.Party, p uint64) []journal.Body {
			return []journal.Body{&journal.Decision{By: other, Proposal: p, Approved: true}}
		},
		"follows": func(by, other journal.Party, p uint64) []journal.Body {
			return []journal.Body{&journal.Decision{By: other, Proposal: p, Approved: true}, &journal.Officer{By: by, ID: journal.Party{9}, Roles: []string{"all"}}}
		},
		"an officer of one": func(by, other journal.Party, p uint64) []journal.Body {
			return []journal.Body{&journal.Decision{By: other, Proposal: p, Approved: true}, &journal.Officer{By: other, ID: by, Roles: []string{"all"}}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, dbtest.SQLite(t), islet(t))
			second := w.second()
			p, err := w.makes(w.officer.ID, "third")
			w.check(err)
			var by, other journal.Party
			for into, id := range map[*journal.Party]string{&by: w.officer.ID, &other: second.ID} {
				_, err := hex.Decode(into[:], []byte(id))
				w.check(err)
			}
			c := w.copyTo(t)
			c.check(c.sys.Do(c.ctx(), func(turn *central.Turn) error {
				for _, body := range bodies(by, other, p.ID) {
					if err := turn.Append(body); err != nil {
						return err
					}
				}
				return nil
			}))
			if err := c.sys.CheckBooks(c.ctx()); !errors.Is(err, central.ErrJournal) || !strings.Contains(err.Error(), name) {
				t.Errorf("CheckBooks says %v, want it to name %q", err, name)
			}
		})
	}
}

// No record has a login; the books still ask that the tables have those that were proposed, and no others.
func TestCheckBooksAsksOfLogins(t *testing.T) {
	t.Parallel()
	base := newWorld(t, dbtest.SQLite(t), islet(t))
	second := base.second()
	p, err := base.makes(base.officer.ID, "third")
	base.check(err)
	if p.Login != "third" || p.Reason != "départ" {
		t.Errorf("proposed %q for %q", p.Login, p.Reason)
	}
	_, err = base.sys.Approve(base.ctx(), central.Decide{Key: base.key(), Officer: second.ID, Proposal: p.ID, Password: "un premier mot"})
	base.check(err)
	for _, c := range []struct{ name, sql, named string }{
		{"another login", `UPDATE password SET login = 'eve' WHERE login = 'third'`, "with another login"},
		{"another login and note", `UPDATE password SET login = 'eve' WHERE login = 'third'; UPDATE note SET text = replace(text, 'third', 'eve')`, "the login that is kept"},
		{"another reason", `UPDATE note SET text = replace(text, 'départ', 'retour')`, "the login that is kept"},
		{"no note", `DELETE FROM note`, "0 are kept"},
		{"a login too few", `DELETE FROM password WHERE login = 'chef'`, "3 officers, 2 logins"},
		{"a login of nobody", `INSERT INTO password VALUES ('eve', '0123456789abcdef', 'x', 0)`, "who is no officer"},
		{"a login of no id", `INSERT INTO password VALUES ('eve', 'eve', 'x', 0)`, "who is no officer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := base.copyTo(t)
			_, err := w.raw().Exec(c.sql)
			w.check(err)
			if err := w.sys.CheckBooks(w.ctx()); err == nil || !strings.Contains(err.Error(), c.named) {
				t.Errorf("got %v, want an error with %q", err, c.named)
			}
		})
	}
}
