package terminal

import (
	"sync"
	"time"

	"tirage/money"
	"tirage/wager"
)

// counter is what lies on a shop's counter: the tickets just sold and the
// ticket under check. It only repeats what has been done and is in no way a
// record of it, so it is kept in memory, for the page after a form (post,
// redirect, get), and may be forgotten.
type counter struct {
	sold  []wager.Ticket // by the last confirmation
	price money.Amount   // of all of them

	checked *checked
	paid    money.Amount  // just paid on the ticket under check
	undone  *wager.Ticket // just cancelled
}

// checked names the ticket under check. Its code never stands in an address,
// where the next customer could read it (F24).
type checked struct {
	number wager.ID
	secret [8]byte
}

// countersMax bounds the terminals whose counter is kept.
const countersMax = 4096

type counters struct {
	mu   sync.Mutex
	byID map[string]counter
	used map[string]time.Time
}

func newCounters() *counters {
	return &counters{byID: map[string]counter{}, used: map[string]time.Time{}}
}

func (c *counters) get(terminal string) counter {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.byID[terminal]
}

// change changes the counter of a terminal; the one unused longest makes room.
func (c *counters) change(terminal string, f func(*counter)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	x, ok := c.byID[terminal]
	if !ok && len(c.byID) >= countersMax {
		c.forgetOldest()
	}
	f(&x)
	c.byID[terminal], c.used[terminal] = x, time.Now()
}

func (c *counters) forgetOldest() {
	oldest := ""
	for id, at := range c.used {
		if oldest == "" || at.Before(c.used[oldest]) {
			oldest = id
		}
	}
	delete(c.byID, oldest)
	delete(c.used, oldest)
}
