package central_test

import (
	"testing"
	"time"

	"tirage/central"
	"tirage/internal/dbtest"
	"tirage/journal"
	"tirage/money"
	"tirage/wager"
)

// erasures are the records that payees were removed.
func (w *world) erasures() (list []*journal.Erasure) {
	w.Helper()
	records, _ := w.records()
	for _, rec := range records {
		if b, ok := rec.Body.(*journal.Erasure); ok {
			list = append(list, b)
		}
	}
	return list
}

// paymentOf is the record of the payment of a ticket.
func (w *world) paymentOf(t wager.Ticket) uint64 {
	w.Helper()
	v, err := w.sys.Ticket(w.ctx(), t.Number)
	w.check(err)
	return v.Payments[0].Record
}

// keeps tells whether an officer can read who was paid on a ticket, or is to be by a
// proposal; the page of the ticket says the same.
func (w *world) keeps(t wager.Ticket, record uint64) bool {
	w.Helper()
	read := central.ReadPayee{Key: w.key(), Officer: w.officer.ID, Record: record}
	v, err := w.sys.Ticket(w.ctx(), t.Number)
	w.check(err)
	if len(v.Payments) > 0 && !v.Payments[0].Payee {
		w.refuses(central.ErrNoPayee, func() error { _, err := w.sys.ReadPayee(w.ctx(), read); return err })
		return false
	}
	got, err := w.sys.ReadPayee(w.ctx(), read)
	if w.check(err); got != someone {
		w.Errorf("read %+v", got)
	}
	return true
}

// afterDays is so many Paris days after the morning, from midnight on.
func (w *world) afterDays(days int) time.Time {
	y, m, d := morning.In(w.rules.Calendar.Zone).Date()
	return time.Date(y, m, d+days, 0, 0, 0, 0, w.rules.Calendar.Zone)
}

// PAY-payee_days: who was paid is kept to the last instant of the last of so
// many Paris days, then removed, by the system, in a record that says how many
// and up to which payment; whoever is still to be paid, and the hash, stay.
func TestPAY_payee_days(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, rich(t, "5000.01", "5000", "4999.99"))
		w.publishTerms("payee_days: 1826", "payee_days: 400")
		second, centre := w.second(), w.newCentre(2)
		tickets := append(w.sellAll(2, 1), w.sellAll(2, 1)...)
		w.at(morning)
		from, rest := w.won(tickets, money.Euros(5000)), w.won(tickets, 499_999)
		_, err := w.payTo("first", centre, from[0], &someone)
		w.check(err)
		w.check(w.approve(second.ID, w.proposed(lost(rest[0], centre)).ID)) // who is paid by two is recorded whatever the sum
		waits := w.proposed(lost(rest[1], centre))
		w.at(morning.AddDate(0, 0, 3))
		_, err = w.payTo("later", centre, from[1], &someone)
		w.check(err)
		first, byTwo, later := w.paymentOf(from[0]), w.paymentOf(rest[0]), w.paymentOf(from[1])

		w.catchUp(w.afterDays(401).Add(-time.Microsecond))
		if n := len(w.erasures()); n != 0 || !w.keeps(from[0], first) || !w.keeps(rest[0], byTwo) {
			t.Errorf("%d removals on the last day", n)
		}
		w.catchUp(w.afterDays(401).Add(time.Minute))
		if list := w.erasures(); len(list) != 1 || *list[0] != (journal.Erasure{Count: 2, Last: byTwo}) {
			t.Errorf("removals %+v, want one of 2 up to record %d", list, byTwo)
		}
		if w.keeps(from[0], first) || w.keeps(rest[0], byTwo) || !w.keeps(from[1], later) || !w.keeps(rest[1], waits.ID) {
			t.Error("not those of the first day are removed")
		}
		w.restart()
		w.catchUp(w.afterDays(403))
		if n := len(w.erasures()); n != 1 {
			t.Errorf("%d removals before the next is due", n)
		}
		w.catchUp(w.afterDays(404).Add(time.Hour))
		w.catchUp(w.afterDays(405))
		if list := w.erasures(); len(list) != 2 || *list[1] != (journal.Erasure{Count: 1, Last: later}) || w.keeps(from[1], later) || !w.keeps(rest[1], waits.ID) {
			t.Errorf("removals %+v, want a second of 1 up to record %d", list, later)
		}
		for _, ticket := range []wager.Ticket{from[0], rest[0], from[1]} {
			if p := w.payments(ticket); len(p) != 1 || len(p[0].Payee) != 32 {
				t.Errorf("the record of the payment is %+v", p)
			}
		}
		if n := w.count(`SELECT COUNT(*) FROM payee`); n != 1 {
			t.Errorf("%d payees are kept, want that of the proposal", n)
		}
	})
}

// PAY-payee_days: the terms of the day on which he would be removed say for how long.
func TestPAY_payee_days_TermsOfTheDay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t), rich(t, "5000.01", "5000", "4999.99"))
	w.publishTerms("payee_days: 1826", "payee_days: 400")
	w.publishTerms(`version: "2010"`, `version: "longer"`, "2009-11-05", "2028-01-01", "payee_days: 1826", "payee_days: 500")
	centre := w.newCentre(2)
	tickets := w.sellAll(2, 1)
	w.at(morning)
	ticket := w.won(tickets, money.Euros(5000))[0]
	_, err := w.payTo("pay", centre, ticket, &someone)
	w.check(err)
	record := w.paymentOf(ticket)
	w.catchUp(w.afterDays(500))
	if len(w.erasures()) != 0 || !w.keeps(ticket, record) {
		t.Error("removed by terms that are over")
	}
	w.catchUp(w.afterDays(501))
	if len(w.erasures()) != 1 || w.keeps(ticket, record) {
		t.Error("not removed by the terms in force")
	}
}

// PAY-payee_days: the books ask of each removal whether it was time, and of whom.
func TestPAY_payee_days_Books(t *testing.T) {
	t.Parallel()
	f := newForgery(t)
	records, _ := f.records()
	var paid uint64
	for i, rec := range records {
		if b, ok := rec.Body.(*journal.Payment); ok && len(b.Payee) > 0 {
			paid = uint64(i)
		}
	}
	before := morning.AddDate(0, 0, 1826)
	after := before.AddDate(0, 0, 1)
	for _, c := range []struct {
		name, named string
		at          time.Time
		body        journal.Erasure
		change      string
	}{
		{"before his time", "before his time", before, journal.Erasure{Count: 1, Last: paid}, `DELETE FROM payee WHERE record > 0`},
		{"of nobody", "they are 0", after, journal.Erasure{Count: 1, Last: paid - 1}, `DELETE FROM payee WHERE record > 0`},
		{"of more", "they are 1", after, journal.Erasure{Count: 2, Last: paid}, `DELETE FROM payee WHERE record > 0`},
		{"up to no payment", "they are 1", after, journal.Erasure{Count: 1, Last: paid + 1}, `DELETE FROM payee WHERE record > 0`},
		{"who is kept", "or was removed", after, journal.Erasure{Count: 1, Last: paid}, `UPDATE payee SET salt = salt`},
		{"who waits too", "is not kept", after, journal.Erasure{Count: 1, Last: paid}, `DELETE FROM payee`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := f.copyTo(t)
			w.clock = &clock{now: c.at}
			w.sys.Close()
			w.check(w.db.Close())
			w.open()
			w.check(w.sys.Do(w.ctx(), func(turn *central.Turn) error { return turn.Append(&c.body) }))
			_, err := w.unguarded().Exec(c.change)
			w.check(err)
			w.booksName(c.named)
		})
	}
}
