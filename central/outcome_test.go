package central_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"testing"

	"tirage/central"
	"tirage/internal/dbtest"
	"tirage/journal"
	"tirage/money"
	"tirage/party"
	"tirage/wager"
)

// A command whose answer was lost is given up: what reached the system before is
// decided and told, and what did not is never done, by whatever request.
func TestF10_Outcome(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, islet(t))
		outcome := func(key string) central.Outcome {
			o, err := w.sys.GiveUp(w.ctx(), w.terminal.ID, key)
			w.check(err)
			return o
		}
		late := central.Place{Key: "late", Terminal: w.terminal.ID, Slip: w.slip(0, 2, 1)}
		given := outcome("late")
		if given.Kind != central.OutcomeGivenUp || given.Record != w.sys.Size()-1 || given.Again {
			t.Errorf("nothing was asked: %+v", given)
		}
		never := func() {
			t.Helper()
			w.refuses(central.ErrGivenUp, func() error { _, err := w.sys.Place(w.ctx(), late); return err })
			before := w.sys.Size()
			if again := outcome("late"); again.Kind != given.Kind || again.Record != given.Record || !again.Again || w.sys.Size() != before {
				t.Errorf("given up again: %+v, first %+v", again, given)
			}
		}
		never()
		release := w.hold()
		sold := make(chan wager.Ticket, 1)
		go func() {
			ticket, err := w.sys.Place(w.ctx(), central.Place{Key: "sale", Terminal: w.terminal.ID, Slip: w.slip(0, 2, 1)})
			if err != nil {
				t.Error(err)
			}
			sold <- ticket
		}()
		w.queued(1)
		asked := make(chan central.Outcome, 1)
		go func() { asked <- outcome("sale") }()
		w.queued(2)
		release()
		ticket := <-sold
		if o := <-asked; o.Kind != central.OutcomeSold || o.Ticket.Secret != ticket.Secret || !o.Again {
			t.Errorf("a sale under way: %+v", o)
		}
		if o, err := w.sys.GiveUp(w.ctx(), w.newShop(2, "metropole", "Europe/Paris").terminal.ID, "sale"); err != nil || o.Kind != central.OutcomeGivenUp {
			t.Errorf("another terminal's key: %+v, %v", o, err)
		}
		cancelled := w.sell(w.slip(1, 2, 1))
		_, err := w.sys.Cancel(w.ctx(), central.Cancel{Key: "cancel", Terminal: w.terminal.ID, Ticket: cancelled.Number, Secret: cancelled.Secret})
		w.check(err)
		_, _, _, err = w.sys.Reprint(w.ctx(), central.Reprint{Key: "copy", Terminal: w.terminal.ID, Ticket: ticket.Number, Secret: ticket.Secret})
		w.check(err)
		tickets := w.sellAll(2, 1)
		w.at(morning)
		winner := w.winners(tickets)[0]
		paid, err := w.sys.Pay(w.ctx(), central.Pay{Key: "pay", Terminal: w.terminal.ID, Ticket: winner.Number, Secret: winner.Secret})
		w.check(err)
		w.restart()
		never()
		if o := outcome("cancel"); o.Kind != central.OutcomeCancelled || o.Ticket.Number != cancelled.Number {
			t.Errorf("a cancellation: %+v", o)
		}
		if o := outcome("copy"); o.Kind != central.OutcomeOther || o.Record == 0 {
			t.Errorf("a reprint: %+v", o)
		}
		if o := outcome("pay"); o.Kind != central.OutcomePaid || o.Ticket.Number != winner.Number || o.Paid.Amount != paid.Amount || !o.Paid.Again {
			t.Errorf("a payment: %+v", o)
		}
		if _, err := w.sys.GiveUp(w.ctx(), w.outlet.ID, "new"); !errors.Is(err, party.ErrUnknownTerminal) {
			t.Errorf("no terminal: %v", err)
		}
		if _, err := w.sys.GiveUp(w.ctx(), w.terminal.ID, ""); !errors.Is(err, central.ErrKey) {
			t.Errorf("no key: %v", err)
		}
	})
}

// A sale and its end that wait for the same turn: the first of them holds.
func TestF10_GiveUpInOneTurn(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, islet(t))
		release := w.hold()
		given, sold := make(chan central.Outcome, 1), make(chan error, 1)
		go func() {
			o, err := w.sys.GiveUp(w.ctx(), w.terminal.ID, "late")
			if err != nil {
				t.Error(err)
			}
			given <- o
		}()
		w.queued(1)
		go func() {
			_, err := w.sys.Place(w.ctx(), central.Place{Key: "late", Terminal: w.terminal.ID, Slip: w.slip(0, 2, 1)})
			sold <- err
		}()
		w.queued(2)
		release()
		if o, err := <-given, <-sold; o.Kind != central.OutcomeGivenUp || !errors.Is(err, central.ErrGivenUp) {
			t.Errorf("%+v, and the sale: %v", o, err)
		}
	})
}

// F10: a sale at one node and its end at the other at once, 1,000 times, the
// sales of every fourth round held up in the queue of their node: each is sold or
// given up, never both, never neither, and both nodes say so afterwards.
func TestF10_GiveUpTwoNodes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.Postgres(t), island(t))
	nodes := []*central.System{w.sys, w.secondNode()}
	const rounds, each = 50, 20
	sales := 0
	for round := range rounds {
		seller, other := nodes[round/2%2], nodes[1-round/2%2]
		held, release := round%4 == 0, func() {}
		if held {
			release = w.hold()
		}
		var tickets [each]wager.Ticket
		var refusals [each]error
		var outcomes [each]central.Outcome
		key := func(n int) string { return fmt.Sprintf("round-%d-%d", round, n) }
		var callers sync.WaitGroup
		for n := range each {
			callers.Go(func() {
				tickets[n], refusals[n] = seller.Place(w.ctx(), central.Place{Key: key(n), Terminal: w.terminal.ID, Slip: w.quickPick(2, 1)})
			})
			callers.Go(func() {
				var err error
				if outcomes[n], err = other.GiveUp(w.ctx(), w.terminal.ID, key(n)); err != nil {
					t.Error(err)
				}
			})
		}
		if held {
			w.queued(each)
		}
		release()
		callers.Wait()
		for n, o := range outcomes {
			switch {
			case refusals[n] == nil && o.Kind == central.OutcomeSold && o.Ticket.Number == tickets[n].Number:
				sales++
			case errors.Is(refusals[n], central.ErrGivenUp) && o.Kind == central.OutcomeGivenUp:
			default:
				t.Errorf("%s: the sale says %d, %v; its end says %+v", key(n), tickets[n].Number, refusals[n], o)
			}
			for _, node := range nodes {
				if again, err := node.GiveUp(w.ctx(), w.terminal.ID, key(n)); err != nil || again.Kind != o.Kind || again.Record != o.Record {
					t.Errorf("%s, asked again: %+v, %v; first %+v", key(n), again, err, o)
				}
			}
		}
	}
	w.check(w.sys.Follow(w.ctx()))
	if owes := w.owes(w.shop); owes != money.Euros(int64(2*sales)) {
		t.Errorf("the outlet owes %s for %d sales", owes, sales)
	}
	if sales == 0 || sales == rounds*each {
		t.Errorf("%d of %d were sold: nothing was decided at once", sales, rounds*each)
	}
}

// The books ask of each act whose it is, and of each command given up that its row
// says so too: a journal or table that tells otherwise is found.
func TestF10_CheckBooksAsksOfActs(t *testing.T) {
	t.Parallel()
	base := newWorld(t, dbtest.SQLite(t), islet(t))
	id := func(text string) (p journal.Party) {
		_, err := hex.Decode(p[:], []byte(text))
		base.check(err)
		return p
	}
	other := base.newShop(2, "metropole", "Europe/Paris")
	_, err := base.sys.Place(base.ctx(), central.Place{Key: "sale", Terminal: other.terminal.ID, Slip: base.slip(0, 2, 1)}) // its terminal has a name then
	base.check(err)
	base.sell(base.slip(0, 2, 1))
	_, err = base.sys.GiveUp(base.ctx(), base.terminal.ID, "late")
	base.check(err)
	for name, b := range map[string]journal.Act{
		"an officer gives up":              {By: id(base.officer.ID), Act: "give-up"},
		"nobody gives up":                  {Act: "give-up"},
		"a terminal gives something up":    {By: id(base.terminal.ID), Act: "give-up", Subject: "1"},
		"a terminal confirms the clock":    {By: id(base.terminal.ID), Act: "confirm-clock"},
		"nobody known reads who was paid":  {By: journal.Party{9}, Act: "read-payee", Subject: "1"},
		"an outlet changes its own secret": {By: id(base.outlet.ID), Act: "change-password"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := base.copyTo(t)
			w.check(w.sys.Do(w.ctx(), func(turn *central.Turn) error {
				_, err := turn.AppendCommand("terminal/"+base.terminal.ID, "forged", func(c journal.Command) journal.Body {
					b.Command = c
					return &b
				})
				return err
			}))
			w.booksName("may not do so")
		})
	}
	t.Run("a row does not say so", func(t *testing.T) {
		t.Parallel()
		w := base.copyTo(t)
		w.check(w.sys.Do(w.ctx(), func(turn *central.Turn) error {
			_, err := turn.AppendCommand("terminal/"+base.terminal.ID, "forged", func(c journal.Command) journal.Body {
				return &journal.Act{Command: c, By: id(base.terminal.ID), Act: "give-up"}
			})
			return err
		}))
		w.booksName("is given up in its row or in record")
	})
	const last, given = `(SELECT MAX(record) FROM command)`, `(SELECT content FROM command WHERE record = (SELECT MAX(record) FROM command))`
	for name, c := range map[string]struct{ change, named string }{
		"a sale's row says so":         {`UPDATE command SET content = ` + given + ` WHERE record = ` + last + ` - 1`, "is given up in its row"},
		"it was another's command":     {`UPDATE command SET scope = (SELECT id FROM name WHERE name = 'terminal/` + other.terminal.ID + `') WHERE record = ` + last, "is given up in its row"},
		"nothing keeps it from coming": {`DELETE FROM command WHERE record = ` + last, "Commands"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := base.copyTo(t)
			_, err := w.unguarded().Exec(c.change)
			w.check(err)
			w.booksName(c.named)
		})
	}
}
