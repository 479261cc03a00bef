package central_test

import (
	"bytes"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tirage/central"
	"tirage/internal/dbtest"
	"tirage/journal"
	"tirage/ledger"
	"tirage/money"
	"tirage/party"
)

// blockDay is the day on which the first statements of a debit world are overdue: the 12th after Sunday 10 January.
var blockDay = time.Date(2027, 1, 21, 23, 0, 0, 0, time.UTC)

// wednesday is a time in the second week at which wagers are sold.
var wednesday = time.Date(2027, 1, 13, 10, 30, 0, 0, time.UTC)

// blocks counts the records by which the system blocked an outlet.
func (w *world) blocks(s *shop) (n int) {
	w.Helper()
	records, _ := w.records()
	for _, rec := range records {
		if b, ok := rec.Body.(*journal.Outlet); ok && b.ID.String() == s.outlet.ID && b.Cause == party.Unpaid && (b.By == journal.Party{}) {
			n++
		}
	}
	return n
}

// A statement is paid, and blocks, on the days that it says: those of its own
// terms, whatever terms come after it.
func TestBlockUnpaid_TermsOfStatement(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w, second := debitWorld(t, dsn)
		w.publishTerms(`version: "2010"`, `version: "slow"`, "2009-11-05", "2027-01-13", "debit_days: 5", "debit_days: 20", "block_days: 12", "block_days: 30")
		records, _ := w.due()
		w.at(wednesday)
		w.restart()
		file := w.send(records[1])
		if !bytes.Contains(file, []byte("<ReqdColltnDt>2027-01-15</ReqdColltnDt>")) {
			t.Errorf("debited on another day than the statement says:\n%s", file)
		}
		w.check(w.settle(false, records[1]))
		w.at(blockDay.Add(-time.Minute))
		if w.blocked(w.shop) {
			t.Error("blocked before the day of its statement")
		}
		w.restart()
		w.at(blockDay)
		if st := w.statementsOf(w.shop)[0]; !w.blocked(w.shop) || !st.BlockOn.At(0, w.rules.Calendar.Zone).Equal(blockDay) {
			t.Errorf("not blocked on the day of its statement %s", st.BlockOn)
		}
		if w.blocked(second) {
			t.Error("one who has paid is blocked")
		}
	})
}

// Only an officer who lets an outlet sell again decides that a statement blocks
// it no more: to change its limit, or to open it, does not.
func TestBlockUnpaid_ChangedOtherwise(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w, second := debitWorld(t, dsn)
		w.check(w.receive(w.officer.ID, second.outlet.ID, 1900))
		change := func(limit money.Amount) {
			o := w.outlet
			o.CreditLimit = limit
			_, err := w.sys.PutOutlet(w.ctx(), central.PutOutlet{Key: w.key(), Officer: w.officer.ID, Outlet: o})
			w.check(err)
		}
		w.at(week(2))
		w.clock.set(blockDay.Add(time.Hour)) // nothing was done since it is overdue
		change(money.Euros(500))
		w.restart()
		w.tick()
		if !w.blocked(w.shop) {
			t.Error("not blocked, since its limit was changed")
		}
		w.unblock(w.shop)
		change(money.Euros(600))
		w.restart()
		w.at(blockDay.Add(hours(24)))
		if w.blocked(w.shop) || w.blocks(w.shop) != 1 {
			t.Error("blocked again for the statement for which an officer let it sell")
		}
	})
}

// What is left of a statement blocks its outlet from a sum on that the terms say.
func TestBlockUnpaid_Least(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		paid    money.Amount
		blocked bool
	}{"a cent less": {9401, false}, "the least": {9400, true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _ := debitWorld(t, dbtest.SQLite(t))
			w.check(w.receive(w.officer.ID, w.outlet.ID, c.paid))
			w.at(blockDay)
			w.restart()
			if w.blocked(w.shop) != c.blocked {
				t.Errorf("%s of 95 € paid: blocked %v", c.paid, w.blocked(w.shop))
			}
		})
	}
}

// Money that comes after a newer statement was made pays the older one first.
func TestBlockUnpaid_PaidAfterNext(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w, _ := debitWorld(t, dsn)
		w.at(wednesday)
		w.sellAt(w.shop, 20, 1)
		w.check(w.receive(w.officer.ID, w.outlet.ID, 9500))
		w.at(week(2)) // a statement of 19 €, due a week later
		w.restart()
		w.at(blockDay.Add(time.Hour))
		if w.blocked(w.shop) {
			t.Error("blocked for a statement that it has paid")
		}
		w.at(blockDay.Add(hours(7 * 24)))
		if !w.blocked(w.shop) {
			t.Error("not blocked for the next")
		}
	})
}

// A direct debit that comes back blocks an outlet that owes what it was to
// bring, and no other; of two that come back at once, once.
func TestDebits_ReturnedPaidOtherwise(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w, second := debitWorld(t, dsn)
		records, _ := w.due()
		w.send(records...)
		w.check(w.receive(w.officer.ID, w.outlet.ID, 9500))
		w.at(wednesday)
		w.sellAt(w.shop, 20, 1) // of no statement yet
		w.sellAt(second, 20, 1)
		w.check(w.settle(true, records[0]))
		w.restart()
		if w.blocked(w.shop) {
			t.Error("blocked, though it has paid otherwise")
		}
		w.at(week(2))
		next, amounts := w.due()
		if len(next) != 2 || amounts[0] != 1900 || amounts[1] != 1900 { // 38 € less the 19 under way
			t.Fatalf("due %v: %v", next, amounts)
		}
		w.send(next[1])
		w.check(w.settle(true, records[1], next[1]))
		if !w.blocked(second) || w.blocks(second) != 1 {
			t.Errorf("two returned at once: blocked %v, by %d records", w.blocked(second), w.blocks(second))
		}
	})
}

// No direct debit takes more than its statement says, nor what another is to
// bring: one of 95 € and, while that is under way, one of 19.
func TestDebits_AtMostTheStatement(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w, _ := debitWorld(t, dsn)
		records, _ := w.due()
		w.send(records[0])
		w.at(wednesday)
		w.sellAt(w.shop, 20, 1)
		w.at(week(2))
		next, amounts := w.due()
		if len(next) != 2 || next[0] == records[0] || amounts[0] != 1900 {
			t.Fatalf("due %v: %v", next, amounts)
		}
		w.check(w.settle(false, records[0]))
		w.at(week(2).AddDate(0, 0, 2))
		w.check(w.receive(w.officer.ID, w.outlet.ID, 1900))
		w.at(week(3)) // closes with 0
		w.check(w.settle(true, records[0]))
		if list := w.statementsOf(w.shop); list[len(list)-1].Closing != 0 || w.owes(w.shop) != 9500 || !w.blocked(w.shop) {
			t.Fatalf("statements %+v, owes %s, blocked %v", list, w.owes(w.shop), w.blocked(w.shop))
		}
		if due, amounts := w.due(); len(due) != 1 || slices.Contains(due, next[0]) { // the second outlet's only
			t.Errorf("due of a statement that closes with nothing: %v, %v", due, amounts)
		}
		w.at(week(4))
		due, amounts := w.due()
		if len(due) != 2 || amounts[0] != 9500 {
			t.Fatalf("due %v: %v", due, amounts)
		}
		w.send(due[0])
	})
}

// payOutlet is the proposal to pay an outlet.
func payOutlet(s *shop, amount money.Amount) central.Change {
	return central.Change{Act: central.ActPayOutlet, Outlet: s.outlet.ID, Amount: amount}
}

// ACC-payout: what the lottery owes an outlet is paid to it by two officers, and
// no more, whatever was proposed; it stands in its statement.
func TestPayOutlet(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w, shop := debitWorld(t, dsn)
		second := w.second()
		refuse := func(want error, change func(*central.Change)) {
			t.Helper()
			c := payOutlet(shop, 1)
			change(&c)
			w.refuses(want, func() error { _, err := w.propose(c); return err })
		}
		refuse(central.ErrNotOwed, func(*central.Change) {})
		w.check(w.receive(w.officer.ID, shop.outlet.ID, 5000)) // of 19 €
		refuse(central.ErrAmount, func(c *central.Change) { c.Amount = 0 })
		refuse(money.ErrLimit, func(c *central.Change) { c.Amount = money.Limit + 1 })
		refuse(central.ErrNotOwed, func(c *central.Change) { c.Amount = 3101 })
		refuse(party.ErrUnknownOutlet, func(c *central.Change) { c.Outlet = "none" })
		refuse(central.ErrReason, func(c *central.Change) { c.Reason = " " })
		refuse(central.ErrChange, func(c *central.Change) { c.Act = central.ActLiftStop })
		refuse(central.ErrChange, func(c *central.Change) { c.Ticket = 9 })

		p, other := w.proposed(payOutlet(shop, 3000)), w.proposed(payOutlet(shop, 200))
		if p.Outlet != shop.outlet.ID || p.Amount != 3000 || p.Reason != "panne" || w.owes(shop) != -3100 {
			t.Errorf("proposed %+v, it owes %s", p, w.owes(shop))
		}
		w.refuses(central.ErrSameOfficer, func() error { return w.approve(w.officer.ID, p.ID) })
		for range 2 {
			w.check(w.approveWith("approve", second.ID, p.ID))
		}
		w.refuses(central.ErrDecided, func() error { return w.approve(second.ID, p.ID) })
		w.refuses(central.ErrNotOwed, func() error { return w.approve(second.ID, other.ID) }) // together they are too much
		w.check(w.reject(w.officer.ID, other.ID))
		w.restart()
		if w.owes(shop) != -100 || w.sys.Balance(ledger.Cash) != 2000 {
			t.Errorf("it owes %s, cash is %s", w.owes(shop), w.sys.Balance(ledger.Cash))
		}
		w.at(blockDay)
		w.checkStatements(shop)
		if st := w.statementsOf(shop)[1]; st.Received != 2000 || st.Closing != -100 || w.blocked(shop) {
			t.Errorf("statement %+v, blocked %v", st, w.blocked(shop))
		}
		w.check(w.approve(second.ID, w.proposed(payOutlet(shop, 100)).ID))
		w.at(week(3))
		if list := w.statementsOf(shop); list[len(list)-1].Received != -100 || list[len(list)-1].Closing != 0 {
			t.Errorf("statement %+v", list[len(list)-1])
		}
	})
}

// ACC-payout: two payments that are approved at once are no more than is owed.
func TestPayOutlet_AtOnce(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w, shop := debitWorld(t, dsn)
		second := w.second()
		w.check(w.receive(w.officer.ID, shop.outlet.ID, 5000)) // of 19 €
		var proposals []central.Proposal
		for range 8 {
			proposals = append(proposals, w.proposed(payOutlet(shop, 1000)))
		}
		var wait sync.WaitGroup
		var paid atomic.Int64
		for _, p := range proposals {
			wait.Go(func() {
				switch err := w.approve(second.ID, p.ID); {
				case err == nil:
					paid.Add(1)
				case !errors.Is(err, central.ErrNotOwed):
					t.Error(err)
				}
			})
		}
		wait.Wait()
		if paid.Load() != 3 || w.owes(shop) != -100 {
			t.Errorf("paid %d times 10 € of 31 €, it owes %s", paid.Load(), w.owes(shop))
		}
	})
}

// A mandate that is kept again, as when the bank of its holder changed, is not
// new to the bank; another is.
func TestMandate_KeptAgain(t *testing.T) {
	t.Parallel()
	w, second := debitWorld(t, dbtest.SQLite(t))
	records, _ := w.due()
	w.send(records...)
	w.check(w.mandate(w.shop, "PDV-1"))
	w.check(w.mandate(second, "PDV-3"))
	w.at(wednesday)
	w.sellAt(w.shop, 20, 1)
	w.sellAt(second, 20, 1)
	w.at(week(2))
	next, _ := w.due()
	for i, want := range []string{"RCUR", "FRST"} {
		if file := w.send(next[i]); !bytes.Contains(file, []byte("<SeqTp>"+want+"</SeqTp>")) {
			t.Errorf("want %s:\n%s", want, file)
		}
	}
}

// F21: a file that a demo made names the specimen for ever, however the system is opened.
func TestF21_DebitFileOfDemo(t *testing.T) {
	t.Parallel()
	w, _ := debitWorld(t, dbtest.SQLite(t))
	records, _ := w.due()
	file, record, err := w.sys.SendDebits(w.ctx(), w.key(), w.officer.ID, records)
	w.check(err)
	w.more = func(o *central.Options) {
		o.Demo, o.Creditor = false, party.Creditor{Name: "Loterie", ID: "FR72ZZZ123456", IBAN: "FR1420041010050500013M02606"}
	}
	w.restart()
	again, err := w.sys.DebitFile(w.ctx(), record)
	if w.check(err); !bytes.Equal(file, again) || !bytes.Contains(again, []byte("SPECIMEN")) {
		t.Errorf("the file again:\n%s", again)
	}
}
