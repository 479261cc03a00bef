package wager

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"tirage/game"
)

// TestF03_EveryCombinationQuickPicked: each of the 348,840 combinations of
// L'Ile au Trésor comes as a quick pick (IAT-2.4). So many miss one with a
// chance of 1 in 6,000; the seeds are fixed, so the answer is too.
func TestF03_EveryCombinationQuickPicked(t *testing.T) {
	t.Parallel()
	r := ileAuTresor(t)
	w := mustNew(t, r, Board{Picks: make(game.Picks, len(r.Matrices)), QuickPick: true})
	seen := make([]atomic.Bool, r.Size())
	var left, next atomic.Int64
	left.Store(r.Size())
	const picks = 7_500_000
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for n := next.Add(1); n <= picks && left.Load() > 0; n = next.Add(1) {
				if c := w.Plays(seedOf(int(n)), 0)[0].Combinations[0]; !seen[c].Swap(true) {
					left.Add(-1)
				}
			}
		})
	}
	workers.Wait()
	if n := left.Load(); n > 0 {
		t.Errorf("%d combinations were never quick-picked in %d", n, picks)
	}
}
