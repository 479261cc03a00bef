package central_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"tirage/central"
	"tirage/game"
	"tirage/internal/dbtest"
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
