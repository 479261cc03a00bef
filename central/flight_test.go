package central_test

import (
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"tirage/central"
	"tirage/game"
	"tirage/internal/dbtest"
	"tirage/wager"
)

// While a turn is committed, the next is decided on top of it. When the
// database refuses a turn, only the command at fault fails: the others of its
// turn, and those decided on top of it, are sold once each.
func TestTurnRefusedWhileTheNextIsDecided(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t), island(t))
	_, err := w.raw().Exec(`CREATE TRIGGER fault BEFORE INSERT ON command WHEN CAST(NEW.key AS TEXT) LIKE '%7' BEGIN SELECT RAISE(ABORT, 'a fault'); END`)
	w.check(err)
	const callers, each = 24, 20
	sold := make([]map[string]uint64, callers)
	var group sync.WaitGroup
	for caller := range callers {
		sold[caller] = map[string]uint64{}
		group.Go(func() {
			for i := range each {
				key := fmt.Sprintf("z%03d-%02d", i, caller)
				slip := w.slip(game.Combination(caller*each+i), 2, 1)
				ticket, err := w.sys.Place(w.ctx(), central.Place{Key: key, Terminal: w.terminal.ID, Slip: slip})
				if (err != nil) != strings.HasSuffix(key, "7") {
					t.Errorf("sale %s: %v", key, err)
				}
				if err == nil {
					sold[caller][key] = uint64(ticket.Number)
				}
			}
		})
	}
	group.Wait()
	w.check(w.sys.CheckBooks(w.ctx())) // before the next turn too
	tickets := 0
	for caller := range callers {
		tickets += len(sold[caller])
		for key, number := range sold[caller] {
			again, err := w.sys.Place(w.ctx(), central.Place{Key: key, Terminal: w.terminal.ID, Slip: w.slip(w.combination(caller, each, key), 2, 1)})
			if err != nil || uint64(again.Number) != number {
				t.Errorf("sale %s again: ticket %d (%v), want %d", key, again.Number, err, number)
			}
		}
	}
	if n := w.count(`SELECT COUNT(*) FROM ticket`); n != tickets {
		t.Errorf("%d tickets in the database, %d sold", n, tickets)
	}
}

func (w *world) combination(caller, each int, key string) game.Combination {
	var i, c int
	_, err := fmt.Sscanf(key, "z%d-%d", &i, &c)
	w.check(err)
	return game.Combination(caller*each + i)
}

// A turn that waits for the disk takes in no sale once its time has gone by: a
// draw that has closed meanwhile is not sold.
func TestNoSaleIntoTheTimeOfAStalledTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t), island(t))
	closes := w.view(95).ClosesAt
	w.at(closes.Add(-time.Second))
	other := w.raw()
	_, err := other.Exec(`BEGIN IMMEDIATE`) // the disk stalls
	w.check(err)
	tickets := make(chan wager.Ticket, 3)
	sell := func(c game.Combination) {
		asked := w.clock.asked.Load()
		go func() {
			ticket, err := w.place(w.slip(c, 2, 1))
			if err != nil {
				t.Errorf("sale of %d: %v", c, err)
			}
			tickets <- ticket
		}()
		for w.clock.asked.Load() < asked+3 { // by the caller twice, and by the turn that decides it
			runtime.Gosched()
		}
	}
	sell(1) // in the air
	sell(2) // on top of it
	w.clock.set(closes)
	sell(3)
	_, err = other.Exec(`COMMIT`)
	w.check(err)
	for range 3 {
		ticket := <-tickets
		want := 95
		if ticket.Plays[0].Combinations[0] == 3 {
			want = 96
		}
		if ticket.Draws[0].Number != want {
			t.Errorf("combination %d is in draw %d, want %d", ticket.Plays[0].Combinations[0], ticket.Draws[0].Number, want)
		}
	}
}

// A retry that comes while the disk stalls finds the first sale, which lands
// before the retry is looked at: nothing is refused by the database.
func TestRetryBehindAStalledTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t), island(t))
	var log strings.Builder
	w.logger = slog.New(slog.NewTextHandler(&log, nil))
	w.restart()
	other := w.raw()
	_, err := other.Exec(`BEGIN IMMEDIATE`)
	w.check(err)
	numbers := make(chan wager.ID, 3)
	sell := func(key string, c game.Combination) {
		asked := w.clock.asked.Load()
		go func() {
			ticket, err := w.sys.Place(w.ctx(), central.Place{Key: key, Terminal: w.terminal.ID, Slip: w.slip(c, 2, 1)})
			if err != nil {
				t.Errorf("sale %s: %v", key, err)
			}
			numbers <- ticket.Number
		}()
		for w.clock.asked.Load() < asked+3 {
			runtime.Gosched()
		}
	}
	sell("z1", 1)
	sell("z2", 2)
	w.clock.set(w.clock.Now().Add(time.Second))
	sell("z1", 1)
	_, err = other.Exec(`COMMIT`)
	w.check(err)
	count := map[wager.ID]int{}
	for range 3 {
		count[<-numbers]++
	}
	if len(count) != 2 {
		t.Errorf("tickets %v, want two, one of them twice", count)
	}
	w.sys.Close()
	if strings.Contains(log.String(), "turn failed") {
		t.Error(log.String())
	}
}

// A server that is started again decides ahead too, whatever keys its officers
// and one of its terminals made by hand.
func TestDecidesAheadAfterARestart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t), island(t))
	second := w.newShop(2, "metropole", "Europe/Paris")
	place := func(s *shop, key string, c game.Combination) wager.Ticket {
		ticket, err := w.sys.Place(w.ctx(), central.Place{Key: key, Terminal: s.terminal.ID, Slip: w.slip(c, 2, 1)})
		w.check(err)
		return ticket
	}
	key := func() string { return uuid.Must(uuid.NewV7()).String() }
	first, odd := key(), key()
	place(w.shop, first, 1)
	hand := place(w.shop, "~", 2)
	place(second, odd, 3)
	w.restart()
	if !w.sys.Fresh(second.terminal.ID, key()) || !w.sys.Fresh(w.terminal.ID, key()) {
		t.Error("a key made now is not fresh")
	}
	if w.sys.Fresh(w.terminal.ID, "~") || w.sys.Fresh(w.terminal.ID, first) || w.sys.Fresh(second.terminal.ID, odd) {
		t.Error("a key that was committed is fresh")
	}
	if again := place(w.shop, "~", 2); again.Number != hand.Number {
		t.Errorf("ticket %d again as %d", hand.Number, again.Number)
	}
}
