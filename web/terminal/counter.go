package terminal

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"tirage/central"
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
	over  bool           // the shopkeeper is done with it: the player reads no more of it

	checked *checked
	paid    money.Amount  // on the ticket under check, by the command
	undone  *wager.Ticket // by the command
	command string        // the payment or cancellation that did that; "": none
	again   time.Time     // when it did, where a page may have said so before: it may have been handed out
	untold  bool          // no page has said so yet: the script of the desk has asked for none

	voucher *central.Voucher // the last one sold; it stays whatever is done at the desk
	// The last print of each ticket that lies here, and of those that lay here while they were not printed. Never changed once here.
	prints []printing
}

// printing is the last print of a ticket.
func (c counter) printing(ticket wager.ID) (printing, bool) {
	for _, p := range c.prints {
		if p.Number == ticket {
			return p, true
		}
	}
	return printing{}, false
}

// has tells whether a ticket or voucher lies here, so that its page shows it.
func (c counter) has(ticket wager.ID) bool {
	return c.voucher != nil && wager.ID(c.voucher.Number) == ticket || c.checked != nil && c.checked.number == ticket || slices.ContainsFunc(c.sold, func(t wager.Ticket) bool { return t.Number == ticket })
}

// lateVouchers are the prints of vouchers that another one was sold after, and that are not printed.
func (c counter) lateVouchers() []printing {
	return slices.DeleteFunc(slices.Clone(c.prints), func(p printing) bool { return p.over() || p.voucher == nil || c.has(p.Number) })
}

// late are the prints of tickets that lie here no more, and are not printed: something else
// was sold or checked before their printer had failed.
func (c counter) late() []printing {
	return slices.DeleteFunc(slices.Clone(c.prints), func(p printing) bool { return p.over() || p.voucher != nil || c.has(p.Number) })
}

// underWay counts the prints that have not come to their end.
func (c counter) underWay() (n int) {
	for _, p := range c.prints {
		if p.UnderWay {
			n++
		}
	}
	return n
}

// with is the counter with a print in place of the last one of its ticket.
func (c counter) with(p printing) counter {
	c.prints = append(slices.DeleteFunc(slices.Clone(c.prints), func(x printing) bool { return x.Number == p.Number }), p)
	return c
}

// unchecked is the counter without the ticket under check, and without what was paid on it or cancelled.
func (c counter) unchecked() counter {
	c.checked, c.paid, c.again, c.undone = nil, 0, time.Time{}, nil
	return c
}

// after is what lies on the counter when this is laid there: of the prints those that are of a ticket here, or that somebody has
// yet to see: of tickets that are not printed, the last lateMax.
func (c counter) after(before counter) counter {
	c.prints, c.voucher = nil, cmp.Or(c.voucher, before.voucher)
	late := 0
	for _, p := range slices.Backward(before.prints) {
		gone := c.undone != nil && c.undone.Number == p.Number
		if here := c.has(p.Number); gone || !here && (p.over() || late == lateMax) {
			continue
		} else if !here {
			late++
		}
		c.prints = append(c.prints, p)
	}
	slices.Reverse(c.prints)
	return c
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
	return c.lay(terminal, x.after(before))
}

// show is what lies on the counter of a terminal, for a page, which tells it where it still lies there.
func (c *counters) show(terminal string) counter {
	c.mu.Lock()
	defer c.mu.Unlock()
	x, ok := c.byID[terminal]
	if ok && x.untold && (x.checked != nil || x.undone != nil) {
		x.untold = false
		c.byID[terminal] = x
	}
	return x
}

const (
	// countersMax bounds the terminals whose counter is kept.
	countersMax = 4096
	// lateMax bounds the tickets of a terminal that wait to be printed and lie on the counter no more.
	lateMax = slipsMax
)

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

// put lays something else on the counter of a terminal, and returns it as it lies
// there. The one unused longest makes room.
func (c *counters) put(terminal string, x counter) counter {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lay(terminal, x.after(c.byID[terminal]))
}

// lay is put, for whoever holds mu.
func (c *counters) lay(terminal string, x counter) counter {
	if _, ok := c.byID[terminal]; !ok && len(c.byID) >= countersMax {
		c.forgetOldest()
	}
	c.byID[terminal], c.used[terminal] = x, time.Now()
	return x
}

// sell lays a voucher that was sold beside what lies on the counter.
func (c *counters) sell(terminal string, v *central.Voucher) {
	c.mu.Lock()
	defer c.mu.Unlock()
	x := c.byID[terminal]
	x.voucher = v
	c.lay(terminal, x)
}

// begin notes that a print is under way, unless one of the ticket is, or the
// command was carried out before: a double click. before is what was noted of the ticket.
func (c *counters) begin(terminal string, p printing) (before printing, begun bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	x := c.byID[terminal]
	before, ok := x.printing(p.Number)
	if ok && (before.UnderWay || before.Key == p.Key) {
		return before, false
	}
	p.UnderWay = true
	c.lay(terminal, x.with(p))
	return before, true
}

// end notes what became of a print that was under way, by its ticket and command.
// What was taken off the counter meanwhile stays so.
func (c *counters) end(terminal string, p printing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	x := c.byID[terminal]
	if last, ok := x.printing(p.Number); ok && last.Key == p.Key && last.UnderWay {
		p.UnderWay = false
		c.lay(terminal, x.with(p))
	}
}

// note adds a print that is over, unless one of the ticket is under way.
func (c *counters) note(terminal string, p printing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	x := c.byID[terminal]
	if last, ok := x.printing(p.Number); !ok || !last.UnderWay {
		c.lay(terminal, x.with(p))
	}
}

// uncheck takes the ticket under check off the counter, with what was paid on it or
// cancelled: something else was read, or to be read.
func (c *counters) uncheck(terminal string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	x, ok := c.byID[terminal]
	if !ok {
		return
	}
	x = x.unchecked()
	c.lay(terminal, x.after(x))
}

// turn notes that the shopkeeper has turned to the next player, who reads nothing of
// what lies here.
func (c *counters) turn(terminal string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if x, ok := c.byID[terminal]; ok {
		x.over = true
		c.byID[terminal] = x
	}
}

// sweep takes away what was done with: the ticket under check, and tickets that are
// printed. What is to be printed stays: nothing else has its code.
func (c *counters) sweep(terminal string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	x, ok := c.byID[terminal]
	if !ok {
		return
	}
	x = x.unchecked()
	x.sold = slices.DeleteFunc(slices.Clone(x.sold), func(t wager.Ticket) bool {
		p, ok := x.printing(t.Number)
		return ok && p.over()
	})
	c.lay(terminal, x.after(x))
}

// drop forgets the print of a ticket that is not to be printed any more.
func (c *counters) drop(terminal string, ticket wager.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	x := c.byID[terminal]
	x.prints = slices.DeleteFunc(slices.Clone(x.prints), func(p printing) bool { return p.Number == ticket })
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
