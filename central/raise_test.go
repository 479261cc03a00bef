package central_test

import (
	"testing"

	"tirage/central"
	"tirage/internal/dbtest"
	"tirage/journal"
	"tirage/money"
	"tirage/party"
)

// LIM-credit_alone: one officer gives an outlet credit up to what the terms say,
// also a new one; more takes a proposal by one and a decision by another.
func TestLIM_credit_alone(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		w.publishTerms(`credit_alone: "1000000"`, `credit_alone: "2000"`)
		second := w.second()
		put := func(o party.Outlet) error {
			_, err := w.sys.PutOutlet(w.ctx(), central.PutOutlet{Key: w.key(), Officer: w.officer.ID, Outlet: o})
			return err
		}
		limit := func(o party.Outlet) money.Amount {
			o, err := w.sys.OutletNumbered(o.Number)
			w.check(err)
			return o.CreditLimit
		}
		fresh := party.Outlet{Number: 88, Territory: "metropole", Zone: "Europe/Paris", CreditLimit: money.Euros(2000) + 1}
		w.refuses(party.ErrCreditAlone, func() error { return put(fresh) })
		fresh.CreditLimit--
		w.check(put(fresh))
		fresh, err := w.sys.OutletNumbered(88)
		w.check(err)
		raised := fresh
		raised.CreditLimit = money.Limit
		w.refuses(party.ErrCreditAlone, func() error { return put(raised) })

		change := central.Change{Act: central.ActRaiseLimit, Outlet: fresh.ID, Amount: money.Euros(3000), Reason: "fêtes"}
		wrong := change
		wrong.Amount = fresh.CreditLimit
		w.refuses(central.ErrNoRaise, func() error { _, err := w.propose(wrong); return err })
		wrong.Amount = money.Limit + 1
		w.refuses(money.ErrLimit, func() error { _, err := w.propose(wrong); return err })
		wrong = change
		wrong.Outlet = "nobody"
		w.refuses(party.ErrUnknownOutlet, func() error { _, err := w.propose(wrong); return err })
		p := w.proposed(change)
		if got := limit(fresh); got != fresh.CreditLimit {
			t.Errorf("one officer raised the limit to %s", got)
		}
		w.refuses(central.ErrSameOfficer, func() error { return w.approve(w.officer.ID, p.ID) })
		blocked := fresh // what one may change meanwhile stays
		blocked.Blocked = true
		w.check(put(blocked))
		again := w.proposed(change)
		w.check(w.approve(second.ID, p.ID))
		want := blocked
		want.CreditLimit = change.Amount
		if got, err := w.sys.Outlet(fresh.ID); err != nil || got != want {
			t.Errorf("%v: the outlet is %+v, want %+v", err, got, want)
		}
		w.refuses(central.ErrNoRaise, func() error { return w.approve(second.ID, again.ID) })
		w.check(w.reject(second.ID, again.ID))
		steps, err := w.sys.OutletSteps(w.ctx(), fresh.ID, 1)
		if w.check(err); steps[0].Reason != "fêtes" || steps[0].By != second.ID {
			t.Errorf("the newest step is %+v", steps[0])
		}
		open := want // not higher than it is: one may
		open.Blocked = false
		w.check(put(open))
		open.CreditLimit = money.Euros(2500)
		w.check(put(open))
		open.CreditLimit++
		w.refuses(party.ErrCreditAlone, func() error { return put(open) })
		w.restart()
		if got := limit(fresh); got != money.Euros(2500) {
			t.Errorf("after a restart the limit is %s", got)
		}
	})
}

// LIM-credit_alone: the books ask of each credit limit above the bound whether two officers gave it.
func TestLIM_credit_alone_Books(t *testing.T) {
	t.Parallel()
	base := newWorld(t, dbtest.SQLite(t), fewDraws(t))
	base.publishTerms(`credit_alone: "1000000"`, `credit_alone: "2000"`)
	second := base.second()
	o := base.outlet
	p := base.proposed(central.Change{Act: central.ActRaiseLimit, Outlet: o.ID, Amount: o.CreditLimit + 500})
	body := func(change func(*journal.Outlet)) *journal.Outlet {
		b := &journal.Outlet{
			By: partyOf(second.ID), ID: partyOf(o.ID), Number: uint64(o.Number), Territory: o.Territory, Zone: o.Zone, CreditLimit: o.CreditLimit,
		}
		change(b)
		return b
	}
	approve := &journal.Decision{Command: journal.Command{1}, By: partyOf(second.ID), Proposal: p.ID, Approved: true}
	next := base.sys.Size()
	base.finds(t, []forged{
		{"raised by one", "nobody approved", []journal.Body{body(func(b *journal.Outlet) { b.Command, b.CreditLimit = journal.Command{1}, o.CreditLimit+1 })}},
		{"opened by one", "nobody approved", []journal.Body{body(func(b *journal.Outlet) {
			b.Command, b.ID, b.Number, b.CreditLimit = journal.Command{1}, journal.Party{7}, 99, money.Euros(2000)+1
		})}},
		{"by a decision that there is not", "nobody approved", []journal.Body{body(func(b *journal.Outlet) { b.CreditLimit, b.Decision = o.CreditLimit+500, 3 })}},
		{"to more than was approved", "follows", []journal.Body{approve, body(func(b *journal.Outlet) { b.CreditLimit, b.Decision = o.CreditLimit+501, next })}},
		{"with another change", "follows", []journal.Body{approve, body(func(b *journal.Outlet) { b.CreditLimit, b.Decision, b.Centre = o.CreditLimit+500, next, true })}},
		{"not at all", "is not done", []journal.Body{approve}},
	})
}
