package central_test

import (
	"testing"
	"time"

	"tirage/central"
	"tirage/game"
	"tirage/internal/dbtest"
	"tirage/ledger"
	"tirage/money"
	"tirage/store"
)

// heldBefore is what the account of an outlet held at an instant, by the postings of the ledger alone.
func (w *world) heldBefore(s *shop, at time.Time) (held money.Amount) {
	w.Helper()
	records, _ := w.records()
	w.check(w.db.View(w.ctx(), func(tx *store.Snapshot) error {
		for i, rec := range records {
			if rec.At >= at.UnixMicro() {
				continue
			}
			postings, err := tx.Postings(w.ctx(), uint64(i))
			if err != nil {
				return err
			}
			for _, p := range postings {
				if p.Account == string(ledger.Outlet(s.outlet.ID)) {
					held = held.Add(p.Amount)
				}
			}
		}
		return nil
	}))
	return held
}

// selling tells whether a draw of the game is on sale.
func (w *world) selling() bool {
	w.Helper()
	status, err := w.sys.Status(w.rules.Code)
	w.check(err)
	return len(status.Open) > 0
}

// The statement of a day opens and closes with what the account in the ledger
// held at the midnights of the outlet's own zone, whenever statements were made;
// the days of a week add up to its statement.
func TestDay_Balances(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, dbtest.SQLite(t), fewDraws(t), monday)
	w.publishTerms()
	tahiti := w.newShop(2, "polynesie", "Pacific/Tahiti")
	shops := []*shop{w.shop, tahiti}
	for day := range 24 {
		w.clock.set(monday.AddDate(0, 0, day))
		if day < 7 || day > 9 && day < 14 || day > 16 { // in between, and over the second week's end, no scheduler runs
			w.tick()
		}
		for n, s := range shops {
			if day%5 != 4 {
				w.check(w.receive(w.officer.ID, s.outlet.ID, money.Amount(100*day+n+1)))
			}
			if w.selling() && (day%3 == 0) {
				ticket := w.sellAt(s, 10, 1)
				w.sellAt(s, 4, 1)
				w.check(w.cancel(s, ticket))
			}
		}
	}
	w.restart()
	w.tick()
	first := game.NewDay(2027, 1, 4)
	for _, s := range shops {
		zone, err := time.LoadLocation(s.outlet.Zone)
		w.check(err)
		days := map[game.Day]central.Day{}
		for day := first - 8; day < first+26; day++ {
			d, err := w.sys.Day(w.ctx(), s.outlet.ID, day)
			w.check(err)
			if n, err := w.sys.StatedRows(w.ctx(), s.outlet.ID, day, day.At(0, zone), (day+1).At(0, zone)); err != nil || n > 2 {
				t.Errorf("%v: %d statements are read for %s", err, n, day)
			}
			opening, closing := w.heldBefore(s, day.At(0, zone)), w.heldBefore(s, (day+1).At(0, zone))
			if d.Opening != opening || d.Closing != closing {
				t.Errorf("outlet %d on %s goes from %s to %s, the ledger from %s to %s", s.outlet.Number, day, d.Opening, d.Closing, opening, closing)
			}
			days[day] = d
		}
		list := w.statementsOf(s)
		if len(list) < 3 {
			t.Fatalf("outlet %d has %d statements", s.outlet.Number, len(list))
		}
		credited := money.Amount(0)
		for _, d := range days {
			credited = credited.Add(d.Credited)
		}
		for _, st := range list {
			moved, received, returned := money.Amount(0), money.Amount(0), money.Amount(0)
			for day := st.First; day <= st.Last; day++ {
				moved, received = moved.Add(days[day].Due()), received.Add(days[day].Received)
				returned = returned.Add(days[day].Returned)
			}
			if st.Opening.Add(moved).Sub(st.Commission) != st.Closing || received != st.Received || returned != st.Returned {
				t.Errorf("outlet %d, week of %s: its days add up to %s and %s received, its statement says %s to %s, %s, %s received", s.outlet.Number, st.First, moved, received, st.Opening, st.Closing, st.Commission, st.Received)
			}
			credited = credited.Sub(st.Commission)
		}
		if credited != 0 {
			t.Errorf("outlet %d: the days have %s more commission than the statements", s.outlet.Number, credited)
		}
	}
}
