package central_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"tirage/central"
	"tirage/game"
	"tirage/internal/dbtest"
	"tirage/money"
	"tirage/party"
)

// F16, F20: what officers see of all outlets at once is what each account says;
// terminals add up to their outlets; why an outlet was blocked and let sell again
// is kept, in the journal by a salted hash.
func TestOutletViews(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorldAt(t, dsn, fewDraws(t), monday)
		w.publishTerms()
		idle := w.newShop(3, "metropole", "Europe/Paris")
		reunion := w.newShop(2, "reunion", "Indian/Reunion")
		extra, _, err := w.sys.PutTerminal(w.ctx(), central.PutTerminal{Key: w.key(), Officer: w.officer.ID, Outlet: w.outlet.ID})
		w.check(err)
		w.check(w.cancel(w.shop, w.sellAt(w.shop, 2, 1)))
		w.sellAt(w.shop, 10, 1)
		w.sellAt(&shop{outlet: w.outlet, terminal: extra}, 4, 1)
		w.sellAt(reunion, 6, 1)
		w.at(week(1).AddDate(0, 0, 1))
		w.check(w.receive(w.officer.ID, w.outlet.ID, 300))
		today := game.DayOf(w.sys.Now(), w.rules.Calendar.Zone)
		for _, s := range []*shop{w.shop, reunion, idle} {
			v := w.viewOf(s)
			account, err := w.sys.OutletAccount(s.outlet.ID)
			w.check(err)
			list := w.statementsOf(s)
			if v.Account != account || (v.Last == nil) != (len(list) == 0) {
				t.Errorf("outlet %d: %+v, %+v", s.outlet.Number, v, account)
			}
			if v.Last != nil && (v.Last.Record != list[0].Record || v.Last.Closing != list[0].Closing || v.Left != account.Owes) {
				t.Errorf("outlet %d: statement %+v, left %s, owes %s", s.outlet.Number, v.Last, v.Left, account.Owes)
			}
			if v.Week.SoldN != 0 {
				t.Errorf("outlet %d sold in a week before: %+v", s.outlet.Number, v.Week)
			}
		}
		outlets, err := w.sys.OutletReport(w.ctx(), today-8, today)
		w.check(err)
		terminals, err := w.sys.TerminalReport(w.ctx(), today-8, today)
		w.check(err)
		if len(outlets) != 2 || len(terminals) != 3 {
			t.Fatalf("%d outlets, %d terminals", len(outlets), len(terminals))
		}
		for _, o := range outlets {
			var sum central.TerminalLine
			for _, l := range terminals {
				if l.Outlet.ID == o.Outlet.ID {
					sum.Sold, sum.SoldN, sum.Cancelled, sum.CancelledN = sum.Sold+l.Sold, sum.SoldN+l.SoldN, sum.Cancelled+l.Cancelled, sum.CancelledN+l.CancelledN
					sum.Pace = max(sum.Pace, l.Pace)
				}
			}
			if sum.Sold != o.Sold || sum.SoldN != o.SoldN || sum.Cancelled != o.Cancelled || sum.CancelledN != o.CancelledN || sum.Pace != o.Pace {
				t.Errorf("outlet %d: terminals %+v, outlet %+v", o.Outlet.Number, sum, o)
			}
		}
	})
}

func TestOutletReasons(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorldAt(t, dsn, fewDraws(t), monday)
		w.publishTerms()
		w.sellAt(w.shop, 10, 1)
		w.at(week(1).AddDate(0, 0, 20)) // blocked since it has not paid
		v := w.viewOf(w.shop)
		if !v.Outlet.Blocked || v.Outlet.Cause != party.Unpaid || v.Left != 950 {
			t.Fatalf("not blocked: %+v", v)
		}
		put := func(key, reason string, blocked bool) error {
			o := v.Outlet
			o.Blocked = blocked
			_, err := w.sys.PutOutlet(w.ctx(), central.PutOutlet{Key: key, Officer: w.officer.ID, Outlet: o, Reason: reason})
			return err
		}
		w.refuses(central.ErrReason, func() error { return put("long", strings.Repeat("a", central.ReasonMax+1), false) })
		w.refuses(central.ErrReason, func() error { return put("hidden", "a\u202eb", false) })
		for range 2 {
			w.check(put("k", " Virement promis. ", false))
		}
		if err := put("k", "Autre.", false); !errors.Is(err, central.ErrKeyReused) {
			t.Errorf("the key with another reason: %v", err)
		}
		w.restart()
		steps, err := w.sys.OutletSteps(w.ctx(), w.outlet.ID, 2)
		w.check(err)
		if len(steps) != 2 || steps[0].Reason != "Virement promis." || steps[0].By != w.officer.ID || steps[0].Outlet.Blocked || steps[1].By != "" || steps[1].Outlet.Cause != party.Unpaid || steps[1].Reason != "" {
			t.Errorf("steps %+v", steps)
		}
		_, raw := w.records()
		for i, b := range raw {
			if strings.Contains(string(b), "Virement") {
				t.Errorf("record %d has the reason", i)
			}
		}
	})
}

// viewOf is what officers see of an outlet, which is the same whether it is
// asked for alone or on a page of a list, whatever the length of its pages.
func (w *world) viewOf(s *shop) central.OutletView {
	w.Helper()
	one, err := w.sys.OutletView(w.ctx(), s.outlet.ID)
	w.check(err)
	for length := 1; length <= 4; length++ {
		var list []central.OutletView
		var totals central.OutletTotals
		for more := true; more; {
			var some []central.OutletView
			some, totals, err = w.sys.OutletViews(w.ctx(), len(list), length)
			w.check(err)
			if more = len(some) == length; len(some) > length {
				w.Fatalf("%d outlets on a page of %d", len(some), length)
			}
			list = append(list, some...)
		}
		var owes money.Amount
		found := false
		for i, v := range list {
			if i > 0 && list[i-1].Outlet.Number >= v.Outlet.Number {
				w.Errorf("outlet %d after %d", v.Outlet.Number, list[i-1].Outlet.Number)
			}
			owes = owes.Add(v.Account.Owes)
			if v.Outlet.ID == s.outlet.ID {
				found = reflect.DeepEqual(v, one)
			}
		}
		if !found || totals.Count != len(list) || totals.Owes != owes || len(list) != len(w.sys.Outlets()) {
			w.Errorf("pages of %d: outlet %d is %+v alone; %d outlets owe %s, totals %+v", length, s.outlet.Number, one, len(list), owes, totals)
		}
	}
	return one
}

// An outlet is found by its number, whichever that is now.
func TestOutletNumbered(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorldAt(t, dsn, fewDraws(t), monday)
		other := w.newShop(3, "metropole", "Europe/Paris")
		put := func(o party.Outlet) error {
			_, err := w.sys.PutOutlet(w.ctx(), central.PutOutlet{Key: w.key(), Officer: w.officer.ID, Outlet: o})
			return err
		}
		find := func(number int, want string) {
			t.Helper()
			o, err := w.sys.OutletNumbered(number)
			if want == "" && !errors.Is(err, party.ErrUnknownOutlet) || want != "" && (err != nil || o.ID != want || o.Number != number) {
				t.Errorf("number %d: %+v, %v; want %q", number, o, err, want)
			}
		}
		before := w.outlet.Number
		moved := w.outlet
		moved.Number = 9
		w.check(put(moved))
		taken := other.outlet
		taken.Number = 9
		w.refuses(central.ErrOutletNumber, func() error { return put(taken) })
		for range 2 {
			find(9, w.outlet.ID)
			find(3, other.outlet.ID)
			find(before, "")
			find(0, "")
			w.restart()
		}
		taken.Number = before
		w.check(put(taken))
		find(before, other.outlet.ID)
		find(3, "")
		if _, err := w.sys.OutletView(w.ctx(), "none"); !errors.Is(err, party.ErrUnknownOutlet) {
			t.Errorf("a view of no outlet: %v", err)
		}
		if list, totals, err := w.sys.OutletViews(w.ctx(), 5, 2); err != nil || len(list) != 0 || totals.Count != 2 {
			t.Errorf("beyond the last: %d outlets of %d, %v", len(list), totals.Count, err)
		}
	})
}
