package central_test

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tirage/central"
	"tirage/draw"
	"tirage/internal/dbtest"
	"tirage/money"
	"tirage/party"
	"tirage/wager"
)

// F10: a command whose answer was lost is sent again, twenty times, by two at
// once and after a restart: it is done once, and every answer is the first one.
func TestF10_LostAnswer(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, islet(t))
		tickets := w.sellAll(2, 1)
		w.at(mondayDraw(95))
		winner := tickets[slices.IndexFunc(tickets, func(t wager.Ticket) bool { return w.checked(t).Answer.Total > 0 })]
		w.at(mondayDraw(95).AddDate(0, 0, 2)) // Wednesday
		unwanted := w.sell(w.quickPick(2, 1))
		changed := w.outlet
		changed.CreditLimit = money.Euros(5000)

		cancel := central.Change{Act: central.ActCancelDraw, Draws: []draw.ID{unwanted.Draws[0].ID + 20}, Reason: "panne"}
		other, rejected, approved := w.second().ID, w.proposed(cancel).ID, w.proposed(cancel).ID

		var firstPayments, firstCancellations atomic.Int64
		commands := []struct {
			name string
			do   func() (any, error)
		}{
			{"Receive", func() (any, error) {
				return w.sys.Receive(w.ctx(), central.Receive{Key: "receive", Officer: w.officer.ID, Outlet: w.outlet.ID, Amount: 123})
			}},
			{"Place", func() (any, error) {
				return w.sys.Place(w.ctx(), central.Place{Key: "place", Terminal: w.terminal.ID, Slip: w.quickPick(4, 2)})
			}},
			{"Cancel", func() (any, error) {
				back, err := w.sys.Cancel(w.ctx(), central.Cancel{Key: "cancel", Terminal: w.terminal.ID, Ticket: unwanted.Number, Secret: unwanted.Secret})
				if !back.Again {
					firstCancellations.Add(1)
				}
				back.Again = false // as with a payment
				return back, err
			}},
			{"Pay", func() (any, error) {
				paid, err := w.sys.Pay(w.ctx(), central.Pay{Key: "pay", Terminal: w.terminal.ID, Ticket: winner.Number, Secret: winner.Secret})
				if !paid.Again {
					firstPayments.Add(1)
				}
				paid.Again = false // the one difference: the cashier must know
				return paid, err
			}},
			{"PutOutlet", func() (any, error) {
				return w.sys.PutOutlet(w.ctx(), central.PutOutlet{Key: "outlet", Officer: w.officer.ID, Outlet: party.Outlet{
					Number: 12, Territory: "metropole", Zone: "Europe/Paris",
				}})
			}},
			{"PutOutlet, a change", func() (any, error) {
				return w.sys.PutOutlet(w.ctx(), central.PutOutlet{Key: "change", Officer: w.officer.ID, Outlet: changed})
			}},
			{"PutTerminal", func() (any, error) {
				terminal, device, err := w.sys.PutTerminal(w.ctx(), central.PutTerminal{Key: "terminal", Officer: w.officer.ID, Outlet: w.outlet.ID})
				return []any{terminal, device}, err
			}},
			{"PublishRules", func() (any, error) {
				r, err := w.sys.PublishRules(w.ctx(), central.PublishRules{Key: "rules", Officer: w.officer.ID, Book: island(t)})
				if err != nil {
					return nil, err
				}
				return r.Hash, nil
			}},
			{"Propose", func() (any, error) {
				return w.sys.Propose(w.ctx(), central.Propose{Key: "propose", Officer: w.officer.ID, Change: cancel})
			}},
			{"Reject", func() (any, error) {
				return w.sys.Reject(w.ctx(), central.Decide{Key: "reject", Officer: w.officer.ID, Proposal: rejected})
			}},
			{"Approve", func() (any, error) {
				return w.sys.Approve(w.ctx(), central.Decide{Key: "approve", Officer: other, Proposal: approved})
			}},
			{"ConfirmClock", func() (any, error) { return nil, w.sys.ConfirmClock(w.ctx(), "clock", w.officer.ID) }},
		}
		first := make([]any, len(commands))
		for i, c := range commands {
			before := w.sys.Size()
			answers, errs := make([]any, 20), make([]error, 20)
			var callers sync.WaitGroup
			for caller := range 2 {
				callers.Go(func() {
					for n := caller; n < len(answers); n += 2 {
						answers[n], errs[n] = c.do()
					}
				})
			}
			callers.Wait()
			for n := range answers {
				if errs[n] != nil {
					t.Fatalf("%s, try %d: %v", c.name, n, errs[n])
				}
				if diff := cmp.Diff(answers[0], answers[n], cmp.Comparer(sameRules)); diff != "" {
					t.Errorf("%s, try %d differs:\n%s", c.name, n, diff)
				}
			}
			want := uint64(1)
			if c.name == "Approve" {
				want = 2 // and what follows from it
			}
			if done := w.sys.Size() - before; done != want {
				t.Errorf("%s left %d records, want %d", c.name, done, want)
			}
			first[i] = answers[0]
		}
		owes := w.owes(w.shop)
		size := w.sys.Size()
		w.restart()
		for i, c := range commands {
			again, err := c.do()
			if err != nil {
				t.Errorf("%s, after a restart: %v", c.name, err)
			}
			if diff := cmp.Diff(first[i], again, cmp.Comparer(sameRules)); diff != "" && c.name != "Receive" {
				t.Errorf("%s, after a restart, differs:\n%s", c.name, diff)
			}
		}
		if w.sys.Size() != size || w.owes(w.shop) != owes {
			t.Error("a command was done again after a restart")
		}
		if n := firstPayments.Load(); n != 1 {
			t.Errorf("%d answers say that the prize is to be handed out, want 1", n)
		}
		if n := firstCancellations.Load(); n != 1 {
			t.Errorf("%d answers say that the stake is to be given back, want 1", n)
		}
	})
}

// F10: a key used for another request is refused; another caller's key is another key.
func TestF10_KeyReused(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		place := func(terminal string, s wager.Slip) (wager.Ticket, error) {
			return w.sys.Place(w.ctx(), central.Place{Key: "same", Terminal: terminal, Slip: s})
		}
		ticket, err := place(w.terminal.ID, w.slip(4, 2, 1))
		w.check(err)
		for _, s := range []wager.Slip{w.slip(5, 2, 1), w.slip(4, 4, 1), w.slip(4, 2, 2), w.quickPick(2, 1)} {
			w.refuses(central.ErrKeyReused, func() error { _, err := place(w.terminal.ID, s); return err })
		}
		w.refuses(central.ErrKeyReused, func() error {
			_, err := w.sys.Cancel(w.ctx(), central.Cancel{Key: "same", Terminal: w.terminal.ID, Ticket: ticket.Number, Secret: ticket.Secret})
			return err
		})
		w.refuses(central.ErrKeyReused, func() error {
			_, err := w.sys.Pay(w.ctx(), central.Pay{Key: "same", Terminal: w.terminal.ID, Ticket: ticket.Number, Secret: ticket.Secret})
			return err
		})
		neighbour := w.newShop(2, "metropole", "Europe/Paris")
		other, err := place(neighbour.terminal.ID, w.slip(5, 2, 1))
		w.check(err)
		if other.Number == ticket.Number {
			t.Error("two terminals share a key")
		}
		// A refusal is not kept: the same key may try again.
		w.clock.set(mondayDraw(131))
		w.refuses(wager.ErrNoSession, func() error {
			_, err := w.sys.Place(w.ctx(), central.Place{Key: "again", Terminal: w.terminal.ID, Slip: w.slip(5, 2, 1)})
			return err
		})
		w.at(mondayDraw(167).Add(-1))
		_, err = w.sys.Place(w.ctx(), central.Place{Key: "again", Terminal: w.terminal.ID, Slip: w.slip(5, 2, 1)})
		w.check(err)
	})
}

// A commit whose answer was lost is decided again, and found done.
func TestF10_DecidedTwice(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		release := w.hold()
		defer release()
		before := w.sys.Size()
		sold := make(chan wager.Ticket)
		go func() {
			ticket, err := w.place(w.quickPick(2, 1))
			if err != nil {
				t.Error(err)
			}
			sold <- ticket
		}()
		w.queued(1)
		w.sys.DecideTwice()
		release()
		ticket := <-sold
		if n := w.sys.Size() - before; n != 1 || w.owes(w.shop) != money.Euros(2) {
			t.Errorf("%d records, the outlet owes %s; want one sale", n, w.owes(w.shop))
		}
		if diff := cmp.Diff(ticket, w.checked(ticket).Ticket, cmp.Comparer(sameRules)); diff != "" {
			t.Errorf("ticket as answered, and as read back:\n%s", diff)
		}
	})
}

// Many callers with one key at once: one ticket, in whatever turns they fall.
func TestF10_DoubleClick(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		before := w.sys.Size()
		var mu sync.Mutex
		seen := map[string]map[wager.ID]bool{}
		var callers sync.WaitGroup
		for n := range 64 {
			key := fmt.Sprint("click-", n%4)
			callers.Go(func() {
				ticket, err := w.sys.Place(w.ctx(), central.Place{Key: key, Terminal: w.terminal.ID, Slip: w.quickPick(2, 1)})
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				if seen[key] == nil {
					seen[key] = map[wager.ID]bool{}
				}
				seen[key][ticket.Number] = true
			})
		}
		callers.Wait()
		for key, tickets := range seen {
			if len(tickets) != 1 {
				t.Errorf("%s: %d tickets", key, len(tickets))
			}
		}
		if n := w.sys.Size() - before; n != 4 || w.owes(w.shop) != money.Euros(8) {
			t.Errorf("%d records, the outlet owes %s; want 4 of 2.00", n, w.owes(w.shop))
		}
	})
}
