package central_test

import (
	"testing"
	"time"

	"tirage/central"
	"tirage/game"
	"tirage/internal/dbtest"
	"tirage/money"
)

// F20: the most that is sold in a minute is counted over tally records and restarts in it.
func TestF20_PaceOverTallies(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorldAt(t, dsn, fewDraws(t), monday)
		zones := []string{"Europe/Brussels", "Europe/Paris", "Europe/Brussels"}
		for n, zone := range zones { // to move an outlet takes a tally
			w.clock.set(monday.Add(time.Duration(10*n) * time.Second))
			w.sellAt(w.shop, 2, 1)
			o := w.outlet
			o.Zone = zone
			_, err := w.sys.PutOutlet(w.ctx(), central.PutOutlet{Key: w.key(), Officer: w.officer.ID, Outlet: o})
			w.check(err)
			w.restart()
		}
		w.clock.set(monday.Add(time.Minute))
		w.sellAt(w.shop, 4, 1)
		day := game.DayOf(monday, time.UTC)
		list, err := w.sys.OutletReport(w.ctx(), day, day)
		w.check(err)
		if len(list) != 1 || list[0].Pace != 600 {
			t.Errorf("report %+v, want a pace of 6.00", list)
		}
	})
}

// An outlet that moves in the middle of its week, between two tallies: what it
// did before stays on the day that it was there.
func TestStatements_OutletMovesBetweenTallies(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorldAt(t, dsn, fewDraws(t), monday)
		w.publishTerms()
		w.at(time.Date(2027, 1, 6, 9, 0, 0, 0, time.UTC)) // a Wednesday; in Tahiti it is Tuesday
		w.check(w.receive(w.officer.ID, w.outlet.ID, 100))
		o := w.outlet
		o.Zone, o.Territory = "Pacific/Tahiti", "polynesie"
		_, err := w.sys.PutOutlet(w.ctx(), central.PutOutlet{Key: w.key(), Officer: w.officer.ID, Outlet: o})
		w.check(err)
		w.restart()
		w.check(w.receive(w.officer.ID, w.outlet.ID, 1000))
		w.restart()
		for day, want := range map[game.Day]money.Amount{game.NewDay(2027, 1, 5): 1000, game.NewDay(2027, 1, 6): 100} {
			till, err := w.sys.Day(w.ctx(), w.outlet.ID, day)
			w.check(err)
			if till.Received != want {
				t.Errorf("%s: received %s, want %s", day, till.Received, want)
			}
		}
	})
}

// The day of an outlet is exact to the last turn, whichever node is asked.
func TestDay_OfAnotherNode(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorldAt(t, dsn, fewDraws(t), monday)
		asked := w.sys
		if w.db.Engine() == "postgres" {
			asked = w.secondNode()
		}
		for n := range int64(3) {
			w.sellAt(w.shop, 2, 1)
			till, err := asked.Day(w.ctx(), w.outlet.ID, game.DayOf(monday, time.UTC))
			w.check(err)
			if len(till.Lines) != 1 || till.Lines[0].SoldN != n+1 {
				t.Errorf("after %d sales: %+v", n+1, till.Lines)
			}
		}
	})
}

// A payment is listed as a whole also where the list ends with it.
func TestDayActs_Limit(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorldAt(t, dsn, fewDraws(t), monday)
		tickets := w.sellAll(2, 6)
		w.at(morning)
		for _, ticket := range tickets {
			paid, err := w.pay(w.shop, ticket)
			if err != nil {
				continue
			}
			list, err := w.sys.DayActs(w.ctx(), w.outlet.ID, monday, morning.Add(time.Hour), 1)
			w.check(err)
			if len(list) != 1 || list[0].Ticket != ticket.Number || list[0].Amount != paid.Amount {
				t.Errorf("acts %+v, paid %s", list, paid.Amount)
			}
		}
		if rows, tickets := w.count(`SELECT COUNT(*) FROM payment`), w.count(`SELECT COUNT(DISTINCT ticket) FROM payment`); rows <= tickets {
			t.Errorf("%d draws of %d tickets are paid: nothing is shown", rows, tickets)
		}
	})
}
