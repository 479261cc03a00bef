package terminal

import (
	"slices"
	"sync"
	"time"

	"tirage/money"
	"tirage/wager"
)

// counter is what lies on a shop's counter: the tickets just sold and the
// ticket under check. The answer to a form carries it, whatever node answers;
// it is kept in memory so that it still lies there while the next slip is
// filled in, and may be forgotten: it is in no way a record of what was done.
type counter struct {
	sold  []wager.Ticket // by the last confirmation
	price money.Amount   // of all of them

	checked *checked
	paid    money.Amount  // on the ticket under check, by the command
	undone  *wager.Ticket // by the command
	command string        // the payment or cancellation that did that; "": none
	again   time.Time     // when it did, where a page may have said so before: it may have been handed out
	untold  bool          // no page has said so yet: the script of the desk has asked for none

	prints []printing // of the tickets that lie here; never changed once here
}

// printing is the last print of a ticket.
func (c counter) printing(ticket wager.ID) (printing, bool) {
	for _, p := range slices.Backward(c.prints) {
		if p.ticket == ticket {
			return p, true
		}
	}
	return printing{}, false
}

// checked names the ticket under check. Its code never stands in an address,
// where the next customer could read it (F24).
type checked struct {
	number wager.ID
	secret [8]byte
}

// tell lays a payment or cancellation on the counter of a terminal, for a page or for a
// request that asks for none ([brief]). Whoever hands money out is told so plainly
// once; from then on each page says when it was done, so that it is not handed out twice.
// What this node does not know to be untold may have been told.
func (c *counters) tell(terminal string, x counter, brief, again bool, at time.Time) counter {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.byID[terminal]
	untold := !again || before.untold && before.command == x.command
	if brief {
		x.untold = untold
	}
	if !untold {
		x.again = at
	}
	c.lay(terminal, x)
	return x
}

// show is what lies on the counter of a terminal, for a page, which tells it.
func (c *counters) show(terminal string) counter {
	c.mu.Lock()
	defer c.mu.Unlock()
	x, ok := c.byID[terminal]
	if ok && x.untold {
		x.untold = false
		c.byID[terminal] = x
	}
	return x
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

// put lays something else on the counter of a terminal; the one unused longest makes room.
func (c *counters) put(terminal string, x counter) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lay(terminal, x)
}

// lay is put, for whoever holds mu.
func (c *counters) lay(terminal string, x counter) {
	if _, ok := c.byID[terminal]; !ok && len(c.byID) >= countersMax {
		c.forgetOldest()
	}
	c.byID[terminal], c.used[terminal] = x, time.Now()
}

// note adds a print to what lies on the counter of a terminal.
func (c *counters) note(terminal string, p printing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	x := c.byID[terminal]
	x.prints = append(slices.Clip(x.prints), p)
	c.lay(terminal, x)
}

// clear takes all away: the next shopkeeper has no business with it.
func (c *counters) clear(terminal string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.byID, terminal)
	delete(c.used, terminal)
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
