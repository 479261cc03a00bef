package central_test

import (
	"errors"
	"net/netip"
	"testing"

	"tirage/central"
	"tirage/internal/dbtest"
	"tirage/party"
)

// A ticket is printed for the first time once: by whatever command was first, at
// the outlet that sold it, and not after it was cancelled.
func TestPrint(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		sold := w.sell(w.quickPick(2, 1))
		printed := func(s *shop, key string, secret [8]byte) (bool, error) {
			ticket, again, err := w.sys.Print(w.ctx(), central.Print{Key: key, Terminal: s.terminal.ID, Ticket: sold.Number, Secret: secret})
			if err == nil && (ticket.Number != sold.Number || ticket.Secret != sold.Secret) {
				t.Errorf("printed %d, sold %d", ticket.Number, sold.Number)
			}
			return again, err
		}
		other := w.newShop(2, "metropole", "Europe/Paris")
		if _, err := printed(other, "k", sold.Secret); !errors.Is(err, central.ErrNotYours) {
			t.Errorf("printed by another outlet: %v", err)
		}
		if _, err := printed(w.shop, "k", [8]byte{}); !errors.Is(err, central.ErrNoTicket) {
			t.Errorf("printed with a wrong secret: %v", err)
		}
		for _, want := range []bool{false, true, true} {
			if again, err := printed(w.shop, "k", sold.Secret); again != want || err != nil {
				t.Errorf("again %v, want %v; %v", again, want, err)
			}
		}
		if _, err := printed(w.shop, "other", sold.Secret); !errors.Is(err, central.ErrPrinted) {
			t.Errorf("printed by a second command: %v", err)
		}
		w.restart()
		if again, err := printed(w.shop, "k", sold.Secret); !again || err != nil {
			t.Errorf("after a restart: again %v; %v", again, err)
		}
		gone := w.sell(w.quickPick(2, 1))
		w.check(w.cancel(w.shop, gone))
		_, _, err := w.sys.Print(w.ctx(), central.Print{Key: "p", Terminal: w.terminal.ID, Ticket: gone.Number, Secret: gone.Secret})
		if !errors.Is(err, central.ErrCancelled) {
			t.Errorf("a cancelled ticket is printed: %v", err)
		}
		waits, blocked := w.sell(w.quickPick(2, 1)), w.outlet
		blocked.Blocked = true
		_, err = w.sys.PutOutlet(w.ctx(), central.PutOutlet{Key: w.key(), Officer: w.officer.ID, Outlet: blocked})
		w.check(err)
		_, _, err = w.sys.Print(w.ctx(), central.Print{Key: "b", Terminal: w.terminal.ID, Ticket: waits.Number, Secret: waits.Secret})
		if !errors.Is(err, party.ErrBlocked) {
			t.Errorf("a blocked outlet prints: %v", err)
		}
	})
}

// The printer of a terminal is what an officer set last.
func TestSetPrinter(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		for _, want := range []party.Printer{{}, {Address: netip.MustParseAddrPort("192.0.2.7:9100")}, {Address: netip.MustParseAddrPort("[2001:db8::7]:9100"), Auto: true}, {}} {
			w.check(w.sys.SetPrinter(w.ctx(), central.SetPrinter{Key: w.key(), Officer: w.officer.ID, Terminal: w.terminal.ID, Printer: want}))
			if got, err := w.sys.Printer(w.ctx(), w.terminal.ID); got != want || err != nil {
				t.Errorf("printer %v, want %v; %v", got, want, err)
			}
		}
		if err := w.sys.SetPrinter(w.ctx(), central.SetPrinter{Key: w.key(), Officer: w.officer.ID, Terminal: w.officer.ID}); !errors.Is(err, party.ErrUnknownTerminal) {
			t.Errorf("a printer of no terminal: %v", err)
		}
		if err := w.sys.SetPrinter(w.ctx(), central.SetPrinter{Key: w.key(), Officer: w.terminal.ID, Terminal: w.terminal.ID}); !errors.Is(err, central.ErrNotAllowed) {
			t.Errorf("a printer set by a terminal: %v", err)
		}
		if got := w.sys.Terminals(w.outlet.ID); len(got) != 1 || got[0] != w.terminal {
			t.Errorf("terminals %v", got)
		}
	})
}

// A voucher is printed once as it is, and marked by all commands after that; by the
// outlet that sold it, and until it is used.
func TestPrintVoucher(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		b := newBank(t, dsn)
		v := b.sellVoucher(20)
		printed := func(s *shop, key string, secret [8]byte) (n int, again bool, err error) {
			got, n, again, err := b.sys.PrintVoucher(b.ctx(), central.PrintVoucher{Key: key, Terminal: s.terminal.ID, Voucher: v.Number, Secret: secret})
			if err == nil && got != v {
				t.Errorf("printed %+v, sold %+v", got, v)
			}
			return n, again, err
		}
		other := b.newShop(2, "metropole", "Europe/Paris")
		if _, _, err := printed(other, "k", v.Secret); !errors.Is(err, central.ErrNotYours) {
			t.Errorf("printed by another outlet: %v", err)
		}
		if _, _, err := printed(b.shop, "k", [8]byte{}); !errors.Is(err, central.ErrNoVoucher) {
			t.Errorf("printed with a wrong secret: %v", err)
		}
		for i, x := range []struct {
			key   string
			n     int
			again bool
		}{{"k", 0, false}, {"k", 0, true}, {"other", 1, false}, {"other", 1, true}, {"third", 2, false}, {"k", 0, true}} {
			if n, again, err := printed(b.shop, x.key, v.Secret); n != x.n || again != x.again || err != nil {
				t.Errorf("print %d: copy %d, again %t; %v", i, n, again, err)
			}
		}
		b.check(b.use(b.player(true), v))
		if _, _, err := printed(b.shop, "late", v.Secret); !errors.Is(err, central.ErrVoucherUsed) {
			t.Errorf("printed once it was used: %v", err)
		}
	})
}
