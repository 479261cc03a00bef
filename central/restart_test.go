package central_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/internal/dbtest"
	"tirage/internal/sim"
	"tirage/journal"
	"tirage/money"
	"tirage/store"
	"tirage/wager"
)

// A node opened after any kind of record knows what the journal says: open
// again, it has the same exposure, and its books agree.
func TestRestartAfterEachKind(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, fewDraws(t))
		w.restart() // keys, officer, rules, outlet, terminal, plan, open
		sold := w.sellAll(8, 2)
		w.restart()
		w.check(w.cancel(w.shop, sold[0]))
		w.restart()
		id := sold[0].Draws[0].ID
		for c, want := range []int{0, 4, 4, 4, 4, 4} {
			if n := w.sys.Exposed(id, game.Combination(c)); n != want {
				t.Errorf("combination %d: %d units after a restart, want %d", c, n, want)
			}
		}
		w.clock.set(mondayDraw(95))
		for _, state := range []draw.State{draw.Closed, draw.Drawn, draw.Settled, draw.Certified} {
			w.check(w.sys.Step(w.ctx(), id, state))
			w.restart()
			if got := w.sys.State(id); got != state {
				t.Errorf("after a restart the draw is %s, want %s", got, state)
			}
		}
		// The other draw of the tickets still sells, with what was sold before its neighbour closed.
		for c, want := range []int{0, 4, 4, 4, 4, 4} {
			if n := w.sys.Exposed(sold[0].Draws[1].ID, game.Combination(c)); n != want {
				t.Errorf("combination %d: %d units in the next draw, want %d", c, n, want)
			}
		}
		w.at(mondayDraw(96))
		w.restart()
		w.at(morning)
		paid := 0
		for _, ticket := range sold {
			if _, err := w.pay(w.shop, ticket); err == nil {
				paid++
			}
		}
		if paid == 0 {
			t.Error("nothing was paid")
		}
		w.restart()
		w.check(w.receive(w.officer.ID, w.outlet.ID, 1))
		w.restart()
		w.check(w.sys.ConfirmClock(w.ctx(), w.key(), w.officer.ID))
		w.restart()
		w.changeEachKind()
		kinds := map[journal.Kind]bool{}
		records, _ := w.records()
		for _, rec := range records {
			kinds[rec.Body.Kind()] = true
		}
		kinds[journal.KindTally], kinds[journal.KindStatement] = !kinds[journal.KindTally], !kinds[journal.KindStatement]
		if kinds[journal.KindTally] || kinds[journal.KindStatement] || len(kinds) != int(journal.KindExpiry)+2 { // a tally and a statement too
			t.Errorf("the journal has %d kinds of records, want all %d, a tally and a statement", len(kinds), journal.KindExpiry)
		}
	})
}

// changeEachKind restarts after each record of a proposal, a decision, what follows from it, and the end of claims.
func (w *world) changeEachKind() {
	w.Helper()
	w.at(morning.AddDate(0, 0, 1).Add(6 * time.Hour)) // Wednesday 12:00
	other := w.second().ID
	day := game.NewDay(2027, 3, 5)
	for _, c := range []central.Change{
		{Act: central.ActPostpone, Draws: w.draws(97), Shift: time.Hour},
		{Act: central.ActClose, Draws: w.draws(98)},
		{Act: central.ActCancelDraw, Draws: w.draws(99)},
		{Act: central.ActExtendClaims, Game: w.rules.Code, From: day, To: day, Until: day + 1},
	} {
		ticket := w.sell(w.quickPick(2, 6))
		p := w.proposed(c)
		w.restart()
		w.check(w.approve(other, p.ID))
		w.restart()
		w.tick()
		w.restart()
		w.checked(ticket)
	}
	w.catchUp(time.Date(2027, 3, 8, 10, 0, 0, 0, time.UTC))
	w.restart()
}

// F04: a node that starts again between close and draw draws what it would
// have drawn without; so does a copy of the database.
func TestF04_RestartBeforeDraw(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t), island(t))
	ticket := w.sell(w.quickPick(2, 1))
	id := ticket.Draws[0].ID
	w.clock.set(mondayDraw(95))
	w.check(w.sys.Step(w.ctx(), id, draw.Closed))
	fork := w.copyTo(t)
	fork.tick()
	w.restart()
	w.tick()
	a, b := w.view(95), fork.view(95)
	if a.Result == nil || !slices.EqualFunc(a.Result, b.Result, slices.Equal) {
		t.Errorf("drew %v after a restart, %v in the copy", a.Result, b.Result)
	}
	fork.at(mondayDraw(96))
	if c := fork.view(96).Result; slices.EqualFunc(a.Result, c, slices.Equal) {
		t.Errorf("two draws drew %v", c) // 1 in many millions
	}
}

// A database belongs to its keys.
func TestOtherKeys(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		size := w.sys.Size()
		for name, change := range map[string]func(*central.Keys){
			"log":     func(k *central.Keys) { k.Log[0]++ },
			"games":   func(k *central.Keys) { k.Games[0]++ },
			"tickets": func(k *central.Keys) { k.Tickets[0]++ },
			"sealing": func(k *central.Keys) { k.Sealing[0]++ },
		} {
			o := w.options(w.db)
			change(&o.Keys)
			if _, err := central.Open(w.ctx(), o); !errors.Is(err, central.ErrKeys) {
				t.Errorf("another %s key: got %v, want refused", name, err)
			}
		}
		o := w.options(w.db)
		o.Control = "verify"
		if _, err := central.Open(w.ctx(), o); err == nil {
			t.Error("opened with a control system that does not stand")
		}
		w.restart()
		if w.sys.Size() != size {
			t.Error("other keys left records")
		}
	})
}

// A database that was put back while a node runs is refused, also once others
// went on from there: the node corrupts nothing.
func TestDatabaseWentBack(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		others int // sales after the restore, by another node
	}{
		{"shorter", 0}, {"as long, of other records", 3}, {"longer, of other records", 9},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, dbtest.SQLite(t), island(t))
			backup := filepath.Join(t.TempDir(), "backup.db")
			raw := w.raw()
			_, err := raw.Exec(`VACUUM INTO ?`, backup)
			w.check(err)
			for range 3 {
				w.sell(w.quickPick(2, 1))
			}
			stale, staleDB := w.sys, w.db
			w.restore(backup)
			w.open()
			for range c.others {
				w.sell(w.quickPick(4, 1))
			}
			size := w.sys.Size()
			for range 2 {
				_, err = stale.Place(w.ctx(), central.Place{Key: w.key(), Terminal: w.terminal.ID, Slip: w.quickPick(2, 1)})
				if !errors.Is(err, central.ErrJournal) {
					t.Errorf("the stale node sells: %v", err)
				}
			}
			if err := stale.CheckBooks(w.ctx()); err == nil {
				t.Error("the stale node's books agree")
			}
			stale.Close()
			w.check(staleDB.Close())
			sim.CheckBooks(t, w.sys)
			if w.sys.Size() != size {
				t.Error("the stale node left records")
			}
		})
	}
}

// The stale node of a cluster is refused too.
func TestDatabaseWentBack_TwoNodes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.Postgres(t), island(t))
	raw := w.raw()
	turns := w.count(`SELECT COUNT(*) FROM turn`)
	w.sell(w.quickPick(2, 1))
	if n := w.count(`SELECT COUNT(*) FROM turn`); n != turns+1 {
		t.Fatalf("%d turns for a sale", n-turns)
	}
	// The last sale is undone as a restore would, down to the head.
	_, err := raw.Exec(`SET session_replication_role = replica; DELETE FROM turn WHERE first = (SELECT MAX(first) FROM turn);
		UPDATE head SET size = size - 1`)
	w.check(err)
	w.refuses(central.ErrJournal, func() error { _, err := w.place(w.quickPick(2, 1)); return err })
	w.refuses(central.ErrJournal, func() error { return w.sys.Follow(context.Background()) })
	w.sys.Close()
	w.check(w.db.Close())
	// Nor does a node open on a head that its records do not give.
	db, err := store.Open(w.ctx(), w.dsn)
	w.check(err)
	if _, err := central.Open(w.ctx(), w.options(db)); !errors.Is(err, central.ErrJournal) {
		t.Errorf("opened on a head without its records: %v", err)
	}
	w.check(db.Close())
	w.dsn = dbtest.SQLite(t)
	w.open() // for the end of the test
}

// A node far behind catches up with everything that others did.
func TestCatchUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.Postgres(t), islet(t))
	other := w.secondNode()
	tickets := w.sellAll(4, 3)
	w.check(w.cancel(w.shop, tickets[0]))
	w.newShop(2, "metropole", "Europe/Paris")
	w.at(mondayDraw(96))
	if other.Size() == w.sys.Size() {
		t.Fatal("the other node followed by itself")
	}
	// It decides on what the first one did.
	_, err := other.Cancel(w.ctx(), central.Cancel{Key: "late", Terminal: w.terminal.ID, Ticket: tickets[1].Number, Secret: tickets[1].Secret})
	if !errors.Is(err, central.ErrTooLate) {
		t.Errorf("got %v, want too late", err)
	}
	sold, err := other.Place(w.ctx(), central.Place{Key: "other", Terminal: w.terminal.ID, Slip: w.slip(2, 2, 1)})
	w.check(err)
	if sold.Draws[0].Number != 97 {
		t.Errorf("sold for draw %d, want 97", sold.Draws[0].Number)
	}
	w.check(w.sys.Follow(w.ctx()))
	if a, b := w.sys.Size(), other.Size(); a != b {
		t.Errorf("nodes at %d and %d", a, b)
	}
	for _, sys := range []*central.System{w.sys, other} {
		if n := sys.Exposed(sold.Draws[0].ID, 2); n != 3 {
			t.Errorf("a node counts %d units, want 3", n)
		}
		if a, err := sys.OutletAccount(w.outlet.ID); err != nil || a.Owes != money.Euros(5*12+2) {
			t.Errorf("a node says that the outlet owes %s, %v", a.Owes, err)
		}
		// A bundle with a sale of a draw that a node has yet to hear of is not public on it either.
		if _, err := sys.Entries(w.ctx(), 0, int(sold.Number)+1); !errors.Is(err, central.ErrNotPublic) {
			t.Errorf("entries with an open sale: %v", err)
		}
	}
}

// Draws planned by another node are private to one that has yet to follow.
func TestF17_EntriesOfUnknownDraws(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.Postgres(t), island(t, "draws: [95, 130]", "draws: [95, 96]", "draws: [167, 214]", "draws: [167, 168]"))
	other := w.secondNode()
	w.at(monday.AddDate(0, 0, 7)) // draws that the other node has not seen planned
	ticket := w.sell(w.slip(2, 2, 1))
	if _, err := other.Entries(w.ctx(), 0, int(ticket.Number)+1); !errors.Is(err, central.ErrNotPublic) {
		t.Errorf("got %v, want not public", err)
	}
}

// An open draw's exposure is rebuilt from the journal, cancellations and closed neighbours included.
func TestRestartExposure(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, islet(t))
		sold := map[draw.ID]map[game.Combination]int{}
		for number := 95; number < 105; number++ {
			for n := range 12 {
				ticket := w.sell(w.quickPick([]int64{2, 4}[n%2], 1+n%6))
				if n%5 == 4 {
					w.check(w.cancel(w.shop, ticket))
					continue
				}
				for _, d := range ticket.Draws {
					if sold[d.ID] == nil {
						sold[d.ID] = map[game.Combination]int{}
					}
					sold[d.ID][ticket.Plays[0].Combinations[0]] += int(ticket.Units)
				}
			}
			w.at(mondayDraw(number))
			if number%3 == 0 {
				w.restart()
			}
			for ahead := number + 1; ahead <= number+5; ahead++ {
				id := w.view(ahead).ID
				for c := range game.Combination(w.rules.Size()) {
					if got := w.sys.Exposed(id, c); got != sold[id][c] {
						t.Errorf("draw %d, combination %d: %d units, want %d", ahead, c, got, sold[id][c])
					}
				}
			}
		}
	})
}

// A ticket sold before
// a restart has the same secret after it.
func TestRestartKeepsSecrets(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		tickets := []wager.Ticket{w.sell(w.quickPick(2, 1)), w.sell(w.quickPick(2, 1))}
		w.clock.set(monday.Add(time.Minute))
		w.restart()
		for _, ticket := range tickets {
			w.checked(ticket)
		}
		if tickets[0].Secret == tickets[1].Secret {
			t.Error("two tickets have one secret")
		}
	})
}
