package central_test

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"testing"
	"time"

	"tirage/central"
	"tirage/internal/dbtest"
	"tirage/party"
	"tirage/settle"
	"tirage/store"
	"tirage/wager"
)

// publishTerms puts terms of outlets in force, with replacements: no credit of tests takes two officers.
func (w *world) publishTerms(replace ...string) {
	w.Helper()
	_, err := w.sys.PublishTerms(w.ctx(), central.PublishRules{Key: w.key(), Officer: w.officer.ID, Book: replaced(w, string(party.TermsBook()), append([]string{`credit_alone: "10000"`, `credit_alone: "1000000"`}, replace...))})
	w.check(err)
}

// counted counts what is read of the journal.
type counted struct {
	central.JournalReader
	heads, records int
}

func (c *counted) Head(ctx context.Context) (store.Head, error) {
	c.heads++
	return c.JournalReader.Head(ctx)
}

func (c *counted) Record(ctx context.Context, index uint64) ([]byte, int64, error) {
	c.records++
	return c.JournalReader.Record(ctx, index)
}

// F24: nothing tells a wrong number from a wrong secret: the same refusal for
// the same work, from each command, and none leaves a trace.
func TestF24_SameWork(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, islet(t))
		ticket := w.sell(w.quickPick(2, 1))
		wrong := ticket.Secret
		wrong[7] ^= 1
		size := wager.ID(w.sys.Size())
		for name, c := range map[string]struct {
			number wager.ID
			secret [8]byte
		}{
			"a wrong secret":        {ticket.Number, wrong},
			"a record of no ticket": {0, ticket.Secret},
			"the number before":     {ticket.Number - 1, ticket.Secret},
			"the next number":       {size, ticket.Secret},
			"a number that wraps":   {ticket.Number + size, ticket.Secret},
			"a number far off":      {1<<63 + 5, ticket.Secret},
			"the greatest number":   {1<<64 - 1, ticket.Secret},
		} {
			w.check(w.db.View(w.ctx(), func(tx *store.Snapshot) error {
				reader := &counted{JournalReader: tx}
				if err := w.sys.Prove(w.ctx(), reader, c.number, c.secret); !errors.Is(err, central.ErrNoTicket) || err.Error() != central.ErrNoTicket.Error() {
					t.Errorf("%s: %v", name, err)
				}
				if reader.heads != 1 || reader.records != 1 {
					t.Errorf("%s reads %d heads and %d records, want one each", name, reader.heads, reader.records)
				}
				return nil
			}))
			for command, do := range map[string]func() error{
				"check": func() error { _, err := w.sys.Check(w.ctx(), c.number, c.secret, time.UTC); return err },
				"pay": func() error {
					_, err := w.sys.Pay(w.ctx(), central.Pay{Key: w.key(), Terminal: w.terminal.ID, Ticket: c.number, Secret: c.secret})
					return err
				},
				"cancel": func() error {
					_, err := w.sys.Cancel(w.ctx(), central.Cancel{Key: w.key(), Terminal: w.terminal.ID, Ticket: c.number, Secret: c.secret})
					return err
				},
				"reprint": func() error {
					_, _, _, err := w.sys.Reprint(w.ctx(), central.Reprint{Key: w.key(), Terminal: w.terminal.ID, Ticket: c.number, Secret: c.secret})
					return err
				},
			} {
				var said string
				w.refuses(central.ErrNoTicket, func() error { err := do(); said = err.Error(); return err })
				if said != central.ErrNoTicket.Error() {
					t.Errorf("%s of %s: %q tells more than %q", command, name, said, central.ErrNoTicket)
				}
			}
		}
		w.check(w.db.View(w.ctx(), func(tx *store.Snapshot) error {
			reader := &counted{JournalReader: tx}
			if err := w.sys.Prove(w.ctx(), reader, ticket.Number, ticket.Secret); err != nil || reader.heads != 1 || reader.records != 1 {
				t.Errorf("the ticket itself: %v, %d heads, %d records", err, reader.heads, reader.records)
			}
			return nil
		}))
	})
}

// F24: a code has 64 bits that nobody can tell from random ones: none stands still, none follows from the number.
func TestF24_SecretBits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t), island(t))
	const n = 600
	seen, ones, changed := map[[8]byte]bool{}, [64]int{}, 0
	var before [8]byte
	for range n {
		secret := w.sell(w.quickPick(2, 1)).Secret
		if seen[secret] {
			t.Fatalf("two tickets have the secret %x", secret)
		}
		seen[secret] = true
		for bit := range 64 {
			ones[bit] += int(secret[bit/8] >> (bit % 8) & 1)
		}
		for k := range secret {
			changed += bits.OnesCount8(secret[k] ^ before[k])
		}
		before = secret
	}
	for bit, got := range ones {
		if got < n/2-75 || got > n/2+75 { // more than six standard deviations
			t.Errorf("bit %d is set in %d of %d secrets", bit, got, n)
		}
	}
	if mean := float64(changed) / n; mean < 30 || mean > 34 {
		t.Errorf("from one ticket to the next %.1f bits change, want 32", mean)
	}
}

// A ticket that is stopped is paid, cancelled and printed by nobody, whichever
// outlet asks and whenever; its check says so. Two officers lift the stop.
func TestStopTicket(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, islet(t))
		second := w.second()
		centre, other := w.newCentre(2), w.newShop(3, "metropole", "Europe/Paris")
		tickets := w.sellAll(2, 1)
		stop := func(number wager.ID, reason string) error {
			return w.sys.StopTicket(w.ctx(), central.StopTicket{Key: w.key(), Officer: w.officer.ID, Ticket: number, Reason: reason})
		}
		lift := central.Change{Act: central.ActLiftStop, Ticket: tickets[0].Number}
		w.refuses(central.ErrNotStopped, func() error { _, err := w.propose(lift); return err })
		w.refuses(central.ErrNoTicket, func() error { return stop(0, "perdu") })
		w.refuses(central.ErrNoTicket, func() error { return stop(1<<63+1, "perdu") })
		w.refuses(central.ErrReason, func() error { return stop(tickets[0].Number, " ") })
		w.refuses(central.ErrNotAllowed, func() error {
			return w.sys.StopTicket(w.ctx(), central.StopTicket{Key: w.key(), Officer: w.outlet.ID, Ticket: tickets[0].Number, Reason: "perdu"})
		})
		gone := w.sell(w.slip(0, 2, 1))
		w.check(w.cancel(w.shop, gone))
		w.refuses(central.ErrCancelled, func() error { return stop(gone.Number, "perdu") })

		// One key, one stop; all of them, since each wins or loses otherwise.
		for _, ticket := range tickets {
			w.check(w.sys.StopTicket(w.ctx(), central.StopTicket{Key: fmt.Sprint("stop ", ticket.Number), Officer: w.officer.ID, Ticket: ticket.Number, Reason: "Perdu par Mme Durand"}))
			w.check(w.sys.StopTicket(w.ctx(), central.StopTicket{Key: fmt.Sprint("stop ", ticket.Number), Officer: w.officer.ID, Ticket: ticket.Number, Reason: "Perdu par Mme Durand"}))
			w.refuses(central.ErrStopped, func() error { return stop(ticket.Number, "encore") })
			w.refuses(central.ErrStopped, func() error { return w.cancel(w.shop, ticket) })
			w.refuses(central.ErrStopped, func() error { _, _, err := w.reprint(w.shop, ticket); return err })
		}
		w.at(morning)
		w.restart()
		tickets = w.winners(tickets)
		node := w.secondNode()
		for _, ticket := range tickets {
			if c := w.checked(ticket); !c.Stopped || c.Answer.Total == 0 || c.Answer.Payable != 0 || c.Identity {
				t.Errorf("ticket %d is checked %+v", ticket.Number, c)
			}
			for _, s := range []*shop{w.shop, other, centre} {
				w.refuses(central.ErrStopped, func() error { _, err := w.pay(s, ticket); return err })
			}
			if w.db.Engine() == "postgres" {
				_, err := node.Pay(w.ctx(), central.Pay{Key: w.key(), Terminal: other.terminal.ID, Ticket: ticket.Number, Secret: ticket.Secret})
				if !errors.Is(err, central.ErrStopped) {
					t.Errorf("another node pays: %v", err)
				}
			}
		}
		lift.Ticket = tickets[0].Number
		p := w.proposed(lift)
		w.refuses(central.ErrSameOfficer, func() error { return w.approve(w.officer.ID, p.ID) })
		w.refuses(central.ErrStopped, func() error { _, err := w.pay(other, tickets[0]); return err })
		w.check(w.approve(second.ID, p.ID))
		if w.checked(tickets[0]).Stopped {
			t.Error("a stop that was lifted holds")
		}
		w.check(stop(tickets[0].Number, "volé de nouveau"))
		w.refuses(central.ErrStopped, func() error { _, err := w.pay(other, tickets[0]); return err })
		w.check(w.approve(second.ID, w.proposed(lift).ID))
		if _, err := w.pay(other, tickets[0]); err != nil {
			t.Errorf("a stop that was lifted: %v", err)
		}
		w.refuses(settle.ErrPaid, func() error { _, err := w.pay(centre, tickets[0]); return err })
		if w.journalTells("Durand") {
			t.Error("the journal has the reason of a stop")
		}
	})
}

// A stop that waits for the same turn as a payment, and comes before it, stops that.
func TestStopBeforePayment(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, islet(t))
		tickets := w.sellAll(2, 1)
		w.at(morning)
		tickets = w.winners(tickets)
		release := w.hold()
		stopped, paid := make(chan error, 1), make(chan error, 2)
		go func() {
			stopped <- w.sys.StopTicket(w.ctx(), central.StopTicket{Key: "stop", Officer: w.officer.ID, Ticket: tickets[0].Number, Reason: "volé"})
		}()
		w.queued(1)
		go func() { _, err := w.pay(w.shop, tickets[0]); paid <- err }()
		w.queued(2)
		release()
		w.check(<-stopped)
		if err := <-paid; !errors.Is(err, central.ErrStopped) {
			t.Errorf("a payment after the stop: %v", err)
		}
	})
}

// reprint has an outlet print a ticket once more.
func (w *world) reprint(s *shop, t wager.Ticket) (wager.Ticket, int, error) {
	ticket, n, again, err := w.sys.Reprint(w.ctx(), central.Reprint{Key: w.key(), Terminal: s.terminal.ID, Ticket: t.Number, Secret: t.Secret})
	if again {
		w.Errorf("copy %d was printed by another command", n)
	}
	return ticket, n, err
}

// A ticket is printed again only where it was sold, and each copy is counted; it is no second ticket.
func TestReprint(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, islet(t))
		other := w.newShop(2, "metropole", "Europe/Paris")
		ticket, twin := w.sell(w.slip(0, 2, 1)), w.sell(w.slip(0, 2, 1))
		w.refuses(central.ErrNotYours, func() error { _, _, err := w.reprint(other, ticket); return err })
		again := central.Reprint{Key: "the same", Terminal: w.terminal.ID, Ticket: ticket.Number, Secret: ticket.Secret}
		for want := 1; want <= 3; want++ {
			copied, n, err := w.reprint(w.shop, ticket)
			if err != nil || n != want || copied.Secret != ticket.Secret || copied.Price != ticket.Price {
				t.Errorf("copy %d of %d: %v", n, copied.Number, err)
			}
		}
		for _, known := range []bool{false, true, true} {
			if _, n, before, err := w.sys.Reprint(w.ctx(), again); err != nil || n != 4 || before != known {
				t.Errorf("the same command prints copy %d, again %t: %v", n, before, err)
			}
		}
		w.restart()
		if _, n, before, err := w.sys.Reprint(w.ctx(), again); err != nil || n != 4 || !before {
			t.Errorf("the same command after a restart prints copy %d: %v", n, err)
		}
		if _, n, err := w.reprint(w.shop, twin); err != nil || n != 1 {
			t.Errorf("another ticket's first copy is %d: %v", n, err)
		}
		release := w.hold()
		copies := make(chan int, 5)
		for range cap(copies) {
			go func() {
				_, n, err := w.reprint(w.shop, ticket)
				if err != nil {
					t.Error(err)
				}
				copies <- n
			}()
		}
		w.queued(cap(copies))
		release()
		sum := 0
		for range cap(copies) {
			sum += <-copies
		}
		if sum != 5+6+7+8+9 {
			t.Errorf("copies printed at once are %d in sum", sum)
		}
		owes := w.owes(w.shop)
		w.check(w.cancel(w.shop, ticket))
		if w.owes(w.shop) != owes-ticket.Price {
			t.Error("copies are tickets")
		}
		w.refuses(central.ErrCancelled, func() error { _, _, err := w.reprint(w.shop, ticket); return err })
	})
}

// Officers list the tickets of an outlet between two instants, and never see a secret.
func TestTickets(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, islet(t))
		other := w.newShop(2, "metropole", "Europe/Paris")
		start := w.clock.Now()
		var sold []wager.Ticket
		var at []time.Time
		for i := range 10 {
			w.clock.set(start.Add(time.Duration(i) * time.Second))
			at = append(at, w.clock.Now())
			sold = append(sold, w.sell(w.slip(0, 2, 1)))
			_, err := w.sys.Place(w.ctx(), central.Place{Key: w.key(), Terminal: other.terminal.ID, Slip: w.slip(1, 4, 1)})
			w.check(err)
		}
		w.check(w.cancel(w.shop, sold[3]))
		w.check(w.sys.StopTicket(w.ctx(), central.StopTicket{Key: w.key(), Officer: w.officer.ID, Ticket: sold[4].Number, Reason: "perdu"}))
		for range 2 {
			_, _, err := w.reprint(w.shop, sold[5])
			w.check(err)
		}
		list := func(from, to time.Time, limit int) []central.TicketLine {
			list, err := w.sys.Tickets(w.ctx(), w.outlet.ID, from, to, limit)
			w.check(err)
			return list
		}
		for from := range at {
			for to := from; to < len(at); to++ {
				lines := list(at[from], at[to], 100)
				if len(lines) != to-from {
					t.Fatalf("from %d to %d: %d tickets", from, to, len(lines))
				}
				for i, line := range lines {
					k := to - 1 - i
					ticket := sold[k]
					want := central.TicketLine{
						Number: ticket.Number, At: at[k], Terminal: w.terminal.ID, Game: "islet", FirstDraw: ticket.Draws[0].ID, LastDraw: ticket.Draws[0].ID,
						Price: ticket.Price, Cancelled: k == 3, Stopped: k == 4,
					}
					if k == 5 {
						want.Copies = 2
					}
					if line != want {
						t.Fatalf("got %+v, want %+v", line, want)
					}
				}
			}
		}
		if lines := list(start.Add(-time.Hour), start.Add(time.Hour), 3); len(lines) != 3 || lines[0].Number != sold[9].Number {
			t.Errorf("the newest three: %+v", lines)
		}
		if lines := list(start.Add(time.Hour), start, 3); len(lines) != 0 {
			t.Errorf("backwards: %+v", lines)
		}
		if lines, err := w.sys.Tickets(w.ctx(), "nobody", start, start.Add(time.Hour), 3); err != nil || len(lines) != 0 {
			t.Errorf("of nobody: %+v, %v", lines, err)
		}
	})
}
