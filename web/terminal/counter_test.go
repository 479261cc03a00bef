package terminal

import (
	"sync"
	"testing"

	"tirage/wager"
)

// A print that is noted takes nothing off the counter that was laid there meanwhile.
func TestCounterKeepsSale(t *testing.T) {
	t.Parallel()
	c := newCounters()
	for n := range wager.ID(5000) {
		var both sync.WaitGroup
		both.Go(func() {
			for range 10 {
				c.note("t", printing{Number: n, Key: "k"})
			}
		})
		both.Go(func() { c.put("t", counter{sold: []wager.Ticket{{Number: n}}}) })
		both.Wait()
		if sold := c.get("t").sold; len(sold) != 1 || sold[0].Number != n {
			t.Fatalf("ticket %d is not on the counter but %v", n, sold)
		}
	}
}
