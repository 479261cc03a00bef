package central_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"tirage/central"
	"tirage/internal/dbtest"
	"tirage/party"
	"tirage/wager"
)

func (w *world) changeOf(s *shop, reason string) central.ChangeTerminal {
	return central.ChangeTerminal{Key: w.key(), Officer: w.officer.ID, Terminal: s.terminal.ID, Reason: reason}
}

// session opens a session of a terminal, in one or the other mode.
func (w *world) session(s *shop, training bool) string {
	w.Helper()
	token, err := w.sys.NewTerminalSession(w.ctx(), s.device, time.Hour)
	w.check(err)
	if training {
		token, _, err = w.sys.ChangeSession(w.ctx(), token, "terminal", "training")
		w.check(err)
	}
	return token
}

// A terminal with a new key is signed off, and signs on with that key alone; its tickets and its place stay.
func TestRenewTerminal(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		other := w.newShop(2, "metropole", "Europe/Paris")
		stays := w.session(other, false)
		keys, sold := []string{w.device}, w.sell(w.quickPick(2, 1))
		for n := range 3 {
			tokens := []string{w.session(w.shop, false), w.session(w.shop, true)}
			c := w.changeOf(w.shop, "clé copiée")
			terminal, key, err := w.sys.RenewTerminal(w.ctx(), c)
			w.check(err)
			if again, same, err := w.sys.RenewTerminal(w.ctx(), c); err != nil || same != key || again != terminal {
				t.Errorf("asked again: %+v, another key %v; %v", again, same != key, err)
			}
			if want := (party.Terminal{ID: w.terminal.ID, Outlet: w.outlet.ID, Renewed: n + 1}); terminal != want {
				t.Errorf("terminal %+v, want %+v", terminal, want)
			}
			for _, token := range tokens {
				if _, _, err := w.sys.Session(w.ctx(), token); !errors.Is(err, central.ErrSession) {
					t.Errorf("key %d: a session outlives it: %v", n, err)
				}
			}
			if shift, err := w.sys.Shift(w.ctx(), w.terminal.ID); err != nil || !shift.OpenedAt.IsZero() {
				t.Errorf("key %d: the shift %+v is open; %v", n, shift, err)
			}
			for _, old := range keys {
				if _, _, err := w.sys.SignOnTerminal(w.ctx(), old); !errors.Is(err, central.ErrSignOn) {
					t.Errorf("signed on with a key from before: %v", err)
				}
				if _, err := w.sys.NewTerminalSession(w.ctx(), old, time.Hour); !errors.Is(err, central.ErrSignOn) {
					t.Errorf("a session by a key from before: %v", err)
				}
			}
			if got, _, err := w.sys.SignOnTerminal(w.ctx(), key); err != nil || got != terminal {
				t.Errorf("signed on as %+v; %v", got, err)
			}
			keys, w.device = append(keys, key), key
			w.restart()
		}
		if _, _, err := w.sys.Session(w.ctx(), stays); err != nil {
			t.Errorf("the session of another terminal ended: %v", err)
		}
		w.check(w.cancel(w.shop, sold))
		steps, err := w.sys.TerminalSteps(w.ctx(), w.terminal.ID)
		w.check(err)
		if len(steps) != 4 || steps[0].Reason != "clé copiée" || steps[0].By != w.officer.ID || steps[0].Terminal.Renewed != 3 || steps[3].Reason != "" {
			t.Errorf("steps %+v", steps)
		}
		if _, raw := w.records(); bytes.Contains(bytes.Join(raw, nil), []byte("copiée")) {
			t.Error("the journal has the reason")
		}
	})
}

// A terminal that is withdrawn is signed off on every node at once, does nothing any more, and is told why it does not sign on.
func TestWithdrawTerminal(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		other := w.newShop(2, "metropole", "Europe/Paris")
		w.check(w.sys.SetPrinter(w.ctx(), central.SetPrinter{Key: w.key(), Officer: w.officer.ID, Terminal: w.terminal.ID, Printer: party.Printer{}}))
		sold, training, token, node := w.sell(w.quickPick(2, 1)), w.session(w.shop, true), w.session(w.shop, false), w.secondNode()
		before := w.sys.Size()
		for name, c := range map[string]struct {
			change central.ChangeTerminal
			want   error
		}{
			"no reason":          {central.ChangeTerminal{Key: w.key(), Officer: w.officer.ID, Terminal: w.terminal.ID, Reason: " "}, central.ErrReason},
			"one that reads odd": {central.ChangeTerminal{Key: w.key(), Officer: w.officer.ID, Terminal: w.terminal.ID, Reason: "a\u202eb"}, central.ErrReason},
			"no terminal":        {central.ChangeTerminal{Key: w.key(), Officer: w.officer.ID, Terminal: w.officer.ID, Reason: "x"}, party.ErrUnknownTerminal},
			"no officer":         {central.ChangeTerminal{Key: w.key(), Officer: w.terminal.ID, Terminal: w.terminal.ID, Reason: "x"}, central.ErrNotAllowed},
		} {
			if _, err := w.sys.WithdrawTerminal(w.ctx(), c.change); !errors.Is(err, c.want) {
				t.Errorf("%s: %v, want %v", name, err, c.want)
			}
			c.change.Key = w.key()
			if _, _, err := w.sys.RenewTerminal(w.ctx(), c.change); !errors.Is(err, c.want) {
				t.Errorf("%s: %v, want %v", name, err, c.want)
			}
		}
		if w.sys.Size() != before {
			t.Error("refused, and yet recorded")
		}
		c := w.changeOf(w.shop, "volé")
		for range 2 {
			terminal, err := w.sys.WithdrawTerminal(w.ctx(), c)
			if err != nil || !terminal.Withdrawn {
				t.Fatalf("withdrawn: %+v, %v", terminal, err)
			}
		}
		if _, _, err := node.Session(w.ctx(), token); !errors.Is(err, central.ErrSession) {
			t.Errorf("a session on another node: %v", err)
		}
		if _, err := node.NewTerminalSession(w.ctx(), w.device, time.Hour); !errors.Is(err, party.ErrWithdrawn) {
			t.Errorf("signs on at another node: %v", err)
		}
		if _, err := node.Place(w.ctx(), central.Place{Key: w.key(), Terminal: w.terminal.ID, Slip: w.quickPick(2, 1)}); !errors.Is(err, party.ErrWithdrawn) {
			t.Errorf("sells at another node: %v", err)
		}
		for range 2 {
			for _, token := range []string{token, training} {
				if _, _, err := w.sys.Session(w.ctx(), token); !errors.Is(err, central.ErrSession) {
					t.Errorf("a session outlives it: %v", err)
				}
			}
			w.withdrawnDoesNothing(sold.Number, sold.Secret)
			w.restart()
		}
		if _, err := w.sys.Place(w.ctx(), central.Place{Key: w.key(), Terminal: other.terminal.ID, Slip: w.quickPick(2, 1)}); err != nil {
			t.Errorf("another terminal: %v", err)
		}
	})
}

func (w *world) withdrawnDoesNothing(ticket wager.ID, secret [8]byte) {
	w.Helper()
	for name, do := range map[string]func() error{
		"signs on":     func() error { _, _, err := w.sys.SignOnTerminal(w.ctx(), w.device); return err },
		"opens":        func() error { _, err := w.sys.NewTerminalSession(w.ctx(), w.device, time.Hour); return err },
		"begins":       func() error { return w.sys.OpenShift(w.ctx(), w.terminal.ID) },
		"sells":        func() error { _, err := w.place(w.quickPick(2, 1)); return err },
		"is renewed":   func() error { _, _, err := w.sys.RenewTerminal(w.ctx(), w.changeOf(w.shop, "x")); return err },
		"is withdrawn": func() error { _, err := w.sys.WithdrawTerminal(w.ctx(), w.changeOf(w.shop, "x")); return err },
		"has a printer": func() error {
			return w.sys.SetPrinter(w.ctx(), central.SetPrinter{Key: w.key(), Officer: w.officer.ID, Terminal: w.terminal.ID})
		},
		"gives up": func() error { _, err := w.sys.GiveUp(w.ctx(), w.terminal.ID, w.key()); return err },
		"pays": func() error {
			_, err := w.sys.Pay(w.ctx(), central.Pay{Key: w.key(), Terminal: w.terminal.ID, Ticket: ticket, Secret: secret})
			return err
		},
		"cancels": func() error {
			_, err := w.sys.Cancel(w.ctx(), central.Cancel{Key: w.key(), Terminal: w.terminal.ID, Ticket: ticket, Secret: secret})
			return err
		},
		"prints": func() error {
			_, _, err := w.sys.Print(w.ctx(), central.Print{Key: w.key(), Terminal: w.terminal.ID, Ticket: ticket, Secret: secret})
			return err
		},
		"reprints": func() error {
			_, _, _, err := w.sys.Reprint(w.ctx(), central.Reprint{Key: w.key(), Terminal: w.terminal.ID, Ticket: ticket, Secret: secret})
			return err
		},
	} {
		if err := do(); !errors.Is(err, party.ErrWithdrawn) {
			w.Errorf("a withdrawn terminal %s: %v", name, err)
		}
	}
}

// The terminals of a blocked outlet sign on, to check tickets and see accounts.
func TestBlockedOutletSignsOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t), island(t))
	blocked := w.outlet
	blocked.Blocked = true
	_, err := w.sys.PutOutlet(w.ctx(), central.PutOutlet{Key: w.key(), Officer: w.officer.ID, Outlet: blocked, Reason: "fermé"})
	w.check(err)
	w.session(w.shop, false)
	if _, err := w.place(w.quickPick(2, 1)); !errors.Is(err, party.ErrBlocked) {
		t.Errorf("it sells: %v", err)
	}
}
