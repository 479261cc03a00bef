package draw

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"tirage/game"
)

// TestF02_EveryCombination: each of the 348,840 combinations of L'Ile au
// Trésor is drawn, by draws as the system makes them. So many draws miss one
// with a chance of 1 in 6,000; the seeds are fixed, so the answer is too.
func TestF02_EveryCombination(t *testing.T) {
	t.Parallel()
	r := ileAuTresor(t)
	seen := make([]atomic.Bool, r.Size())
	var left, next atomic.Int64
	left.Store(r.Size())
	const draws = 7_500_000
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for n := next.Add(1); n <= draws && left.Load() > 0; n = next.Add(1) {
				c, err := r.Rank(game.Picks(Derive(r, seedOf(int(n)))))
				if err != nil {
					t.Error(err)
					return
				}
				if !seen[c].Swap(true) {
					left.Add(-1)
				}
			}
		})
	}
	workers.Wait()
	if n := left.Load(); n > 0 {
		t.Errorf("%d combinations were never drawn in %d draws", n, draws)
	}
}
