package central_test

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tirage/central"
	"tirage/game"
	"tirage/internal/dbtest"
	"tirage/internal/sim"
	"tirage/journal"
	"tirage/ledger"
	"tirage/money"
	"tirage/party"
	"tirage/store"
	"tirage/wager"
)

// sellAt sells a wager at an outlet.
func (w *world) sellAt(s *shop, euros int64, draws int) wager.Ticket {
	w.Helper()
	t, err := w.sys.Place(w.ctx(), central.Place{Key: w.key(), Terminal: s.terminal.ID, Slip: w.quickPick(euros, draws)})
	w.check(err)
	return t
}

func (w *world) statementsOf(s *shop) []central.Statement {
	w.Helper()
	list, err := w.sys.Statements(w.ctx(), s.outlet.ID, 1000)
	w.check(err)
	slices.Reverse(list)
	return list
}

// did is what an outlet did in a week, by plain addition over the journal and the ledger.
type did struct {
	sold, cancelled, paid, back, vouchers, received, returned, moved money.Amount
}

// addUp adds up the records of an outlet between two instants, and the postings on its account but those of statements.
func (w *world) addUp(s *shop, from, before time.Time) (c did) {
	w.Helper()
	records, _ := w.records()
	w.check(w.db.View(w.ctx(), func(tx *store.Snapshot) error {
		for i, rec := range records {
			if rec.At < from.UnixMicro() || rec.At >= before.UnixMicro() {
				continue
			}
			switch b := rec.Body.(type) {
			case *journal.Sale:
				if b.Outlet.String() == s.outlet.ID {
					c.sold += b.Price
				}
			case *journal.Cancellation:
				if b.Outlet.String() == s.outlet.ID {
					c.cancelled += b.Price
				}
			case *journal.Payment:
				if b.Outlet.String() != s.outlet.ID {
					continue
				}
				for _, l := range b.Draws {
					c.paid += l.Amount
				}
				for _, l := range b.Back {
					c.back += l.Amount
				}
			case *journal.Voucher:
				if b.Outlet.String() == s.outlet.ID {
					c.vouchers += b.Amount
				}
			case *journal.Received:
				if b.Outlet.String() == s.outlet.ID {
					c.received += b.Amount
				}
			case *journal.Debit:
				for _, l := range b.Lines {
					if l.Outlet.String() == s.outlet.ID && b.State == "paid" {
						c.received += l.Amount
					} else if l.Outlet.String() == s.outlet.ID && b.Undone {
						c.returned += l.Amount
					}
				}
			case *journal.Statement:
				continue
			}
			postings, err := tx.Postings(w.ctx(), uint64(i))
			if err != nil {
				return err
			}
			for _, p := range postings {
				if p.Account == string(ledger.Outlet(s.outlet.ID)) {
					c.moved += p.Amount
				}
			}
		}
		return nil
	}))
	return c
}

// checkStatements compares each statement of an outlet with plain addition: its
// figures with the records of its week, its sums with the postings of the ledger,
// and the commissions of all of them, exactly, with the rates. They follow each other.
func (w *world) checkStatements(s *shop) {
	w.Helper()
	zone, err := time.LoadLocation(s.outlet.Zone)
	w.check(err)
	opening, earned, commission := money.Amount(0), new(big.Rat), money.Amount(0)
	for _, st := range w.statementsOf(s) {
		if st.First.Weekday() != time.Monday || st.Last != st.First+6 {
			w.Errorf("a statement from %s to %s", st.First, st.Last)
		}
		c := w.addUp(s, st.First.At(0, zone), (st.First+7).At(0, zone))
		var got did
		for _, l := range st.Lines {
			got.sold, got.cancelled, got.paid, got.back = got.sold+l.Sold, got.cancelled+l.Cancelled, got.paid+l.Paid, got.back+l.Back
			commission += l.Commission
			if l.Rates.Sales != nil {
				earned.Add(earned, new(big.Rat).Mul(l.Rates.Sales, (l.Sold-l.Cancelled).Rat()))
				earned.Add(earned, new(big.Rat).Mul(l.Rates.Payments, l.Paid.Rat()))
			}
		}
		got.vouchers, got.received, got.returned = st.Vouchers, st.Received, st.Returned
		got.moved = st.Closing + st.Commission - st.Opening
		if got != c {
			w.Errorf("statement of %s: %+v, the records of the week say %+v", st.First, got, c)
		}
		if st.Opening != opening {
			w.Errorf("statement of %s opens with %s, the one before closed with %s", st.First, st.Opening, opening)
		}
		opening = st.Closing
		if off := new(big.Rat).Sub(earned, commission.Rat()); off.Sign() < 0 || off.Cmp(big.NewRat(int64(len(st.Lines)), 100)) > 0 {
			w.Errorf("after %s the outlet has had %s, it earned %s", st.First, commission, earned.FloatString(6))
		}
		checkCSV(w, st)
	}
}

// checkCSV adds the lines of a statement's CSV up to its last.
func checkCSV(t testing.TB, st central.Statement) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(string(st.CSV(false)))).ReadAll()
	if err != nil || len(rows) < 5 {
		t.Fatalf("CSV of %d rows: %v", len(rows), err)
	}
	var sum money.Amount
	for _, row := range rows[1:] {
		amount, err := money.Parse(strings.TrimPrefix(row[5], "-"))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(row[5], "-") {
			amount = -amount
		}
		if row[3] == "closing" {
			if amount != sum || amount != st.Closing {
				t.Errorf("CSV closes with %s, its lines add up to %s", amount, sum)
			}
			return
		}
		sum += amount
	}
	t.Error("CSV without a closing")
}

// Statements of weeks over both changes of the clock, in three zones: what was
// done is in the week of the outlet's own zone, to the cent of the ledger.
func TestStatements_ClockChanges(t *testing.T) {
	t.Parallel()
	for _, monday := range []time.Time{time.Date(2027, 3, 22, 0, 0, 0, 0, time.UTC), time.Date(2027, 10, 25, 0, 0, 0, 0, time.UTC)} {
		t.Run(monday.Month().String(), func(t *testing.T) {
			t.Parallel()
			dbtest.Each(t, func(t *testing.T, dsn string) {
				w := newWorldAt(t, dsn, fewDraws(t), monday)
				w.publishTerms()
				shops := []*shop{w.shop, w.newShop(2, "reunion", "Indian/Reunion"), w.newShop(3, "polynesie", "Pacific/Tahiti")}
				for day := range 15 {
					day := game.DayOf(monday, time.UTC) + game.Day(day)
					drawn := slices.Contains([]time.Weekday{time.Monday, time.Wednesday, time.Friday, time.Sunday}, day.Weekday())
					for n, clock := range []time.Duration{11*time.Hour + 30*time.Minute, 22 * time.Hour, 24*time.Hour + 30*time.Minute} {
						w.at(day.At(clock, w.rules.Calendar.Zone)) // sales open at 11:00 in Paris
						for i, s := range shops {
							if n != 0 || !drawn {
								w.check(w.receive(w.officer.ID, s.outlet.ID, money.Amount(day)%1000+money.Amount(10*i+n+1)))
								continue
							}
							if ticket := w.sellAt(s, 2, 1); (int(day)+i)%3 == 0 {
								w.check(w.cancel(s, ticket))
							}
						}
					}
				}
				w.at(monday.AddDate(0, 0, 16))
				for n, s := range shops {
					want := 2
					if n == 2 && monday.Month() == time.October {
						want = 3 // the first sale was on Sunday there
					}
					if got := len(w.statementsOf(s)); got != want {
						t.Errorf("outlet %d has %d statements, want %d", s.outlet.Number, got, want)
					}
					w.checkStatements(s)
				}
				w.restart()
			})
		})
	}
}

// A ticket that is sold before midnight of the outlet, at the end of its week,
// and taken back after it: the sale is in one week, the cancellation in the next.
func TestStatements_CancelledNextWeek(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		// Noon in Paris is midnight in Tahiti: draw 95 closes just before it, draw 96 after it.
		w := newWorldAt(t, dsn, fewDraws(t), time.Date(2027, 6, 14, 9, 30, 0, 0, time.UTC))
		w.publishTerms()
		tahiti := w.newShop(2, "polynesie", "Pacific/Tahiti")
		w.at(time.Date(2027, 6, 14, 9, 59, 50, 0, time.UTC))
		ticket := w.sellAt(tahiti, 10, 1)
		sunday, monday := game.NewDay(2027, 6, 13), game.NewDay(2027, 6, 14)
		w.at(time.Date(2027, 6, 14, 10, 1, 0, 0, time.UTC))
		w.restart() // between the tally and the statement, or after it
		w.check(w.cancel(tahiti, ticket))
		w.restart()
		for day, want := range map[game.Day]central.TillLine{
			sunday: {Game: w.rules.Code, Sold: 1000, SoldN: 1},
			monday: {Game: w.rules.Code, Cancelled: 1000, CancelledN: 1},
		} {
			till, err := w.sys.Day(w.ctx(), tahiti.outlet.ID, day)
			w.check(err)
			if len(till.Lines) != 1 || till.Lines[0] != want {
				t.Errorf("%s: %+v, want %+v", day, till.Lines, want)
			}
		}
		w.at(time.Date(2027, 6, 21, 10, 0, 0, 0, time.UTC)) // midnight in Tahiti
		w.checkStatements(tahiti)
		list := w.statementsOf(tahiti)
		if len(list) != 2 || list[0].Commission != 50 || list[0].Closing != 950 || list[1].Commission != -50 || list[1].Closing != 0 {
			t.Fatalf("statements %+v", list)
		}
		w.at(time.Date(2027, 7, 5, 10, 0, 0, 0, time.UTC))
		if n := len(w.statementsOf(tahiti)); n != 2 {
			t.Errorf("%d statements: a week of nothing has one", n)
		}
	})
}

// Whatever the amounts and rates of 200 weeks are, what an outlet has had is
// what it earned, but for what is carried, which is less than a cent.
func TestStatements_CommissionsNeverDrift(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		earned, had := new(big.Rat), int64(0) // cents
		carried := [2]uint64{}
		for week := range 200 {
			rate := func(name string) string {
				n := rapid.IntRange(0, 99_999_999).Draw(t, name)
				return fmt.Sprintf("%d.%06d", n/1_000_000, n%1_000_000)
			}
			sales, payments := rate("sales"), rate("payments")
			if week%3 > 0 {
				sales, payments = "5", "1"
			}
			text := strings.Replace(string(party.TermsBook()), `sales: "5"`, `sales: "`+sales+`"`, 1)
			text = strings.Replace(text, `payments: "1"`, `payments: "`+payments+`"`, 1)
			terms, err := party.ParseTerms([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			amount := func(name string) money.Amount {
				return money.Amount(rapid.Int64Range(0, 100_000_000).Draw(t, name))
			}
			sold, cancelled, paid := amount("sold"), amount("cancelled"), amount("paid")
			b := central.StatementBody(terms, "amigo", sold, cancelled, paid, carried)
			if _, err := journal.Encode(journal.Record{Body: b}); err != nil {
				t.Fatal(err)
			}
			c := terms.Of("amigo")
			earned.Add(earned, new(big.Rat).Mul(c.Sales, new(big.Rat).SetInt64(int64(sold-cancelled))))
			earned.Add(earned, new(big.Rat).Mul(c.Payments, new(big.Rat).SetInt64(int64(paid))))
			had += b.Lines[0].Commission
			carried = b.Lines[0].Carried
			rest := new(big.Rat).SetFrac(new(big.Int).SetUint64(carried[0]), new(big.Int).SetUint64(carried[1]))
			if sum := rest.Add(rest, new(big.Rat).SetInt64(had)); sum.Cmp(earned) != 0 || carried[0] >= carried[1] {
				t.Fatalf("week %d: had %d and carries %v, earned %s", week, had, carried, earned)
			}
		}
	})
}

// A reading: what is taken back counts at the rates of the week in which it is.
func TestStatements_RatesOfTheWeek(t *testing.T) {
	t.Parallel()
	for rate, want := range map[string]int64{"5": 0, "4": 10, "6": -10} { // of 10 €, sold at 5 % and taken back
		terms := func(rate string) *party.Terms {
			terms, err := party.ParseTerms(replaced(t, string(party.TermsBook()), []string{`sales: "5"`, `sales: "` + rate + `"`}))
			if err != nil {
				t.Fatal(err)
			}
			return terms
		}
		sold := central.StatementBody(terms("5"), "amigo", 1000, 0, 0, [2]uint64{})
		back := central.StatementBody(terms(rate), "amigo", 0, 1000, 0, sold.Lines[0].Carried)
		if got := sold.Lines[0].Commission + back.Lines[0].Commission; got != want {
			t.Errorf("at %s %% the outlet keeps %d, want %d", rate, got, want)
		}
	}
}

// A node that ends between a tally and the statements, or before either, leaves
// nothing uncounted: the next one, or another, makes the same of it.
func TestStatements_Restart(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorldAt(t, dsn, fewDraws(t), monday)
		w.publishTerms()
		ticket := w.sellAt(w.shop, 10, 1)
		w.restart() // nothing tallied
		w.sellAt(w.shop, 4, 1)
		w.check(w.cancel(w.shop, ticket))
		w.check(w.receive(w.officer.ID, w.outlet.ID, 100))
		w.at(monday.Add(time.Minute)) // a tally
		w.restart()
		w.sellAt(w.shop, 2, 1) // more after it
		w.restart()
		today := game.DayOf(monday, w.rules.Calendar.Zone)
		check := func(name string, sys *central.System) {
			t.Helper()
			till, err := sys.Day(w.ctx(), w.outlet.ID, today)
			w.check(err)
			want := central.TillLine{Game: w.rules.Code, Sold: 1600, SoldN: 3, Cancelled: 1000, CancelledN: 1}
			if len(till.Lines) != 1 || till.Lines[0] != want || till.Received != 100 || till.Commission != 30 || till.Due() != 500 {
				t.Errorf("%s: %+v, want %+v", name, till, want)
			}
			week, err := sys.Week(w.ctx(), w.outlet.ID)
			w.check(err)
			if week.Opening != 0 || week.Closing != 470 || week.Commission != 30 {
				t.Errorf("%s: the week %+v", name, week)
			}
		}
		check("restarted", w.sys)
		if w.db.Engine() == "postgres" {
			other := w.secondNode()
			check("a second node", other)
			w.clock.set(monday.AddDate(0, 0, 7))
			_, err := other.Tick(w.ctx()) // makes the statements, and the first node follows
			w.check(err)
		}
		w.at(monday.AddDate(0, 0, 7))
		w.restart()
		list := w.statementsOf(w.shop)
		if len(list) != 1 || list[0].Closing != 470 || list[0].Received != 100 {
			t.Fatalf("statements %+v", list)
		}
		w.checkStatements(w.shop)
	})
}

// Statements that were not made for weeks are made up in order, while sales go on.
func TestStatements_LateAndInOrder(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, dbtest.SQLite(t), fewDraws(t), monday)
	w.publishTerms()
	shops := []*shop{w.shop}
	for n := range 3 {
		shops = append(shops, w.newShop(n+2, "metropole", "Europe/Paris"))
	}
	for week := range 4 {
		w.clock.set(monday.AddDate(0, 0, 7*week))
		for n, s := range shops {
			if week != 2 || n > 1 {
				w.check(w.receive(w.officer.ID, s.outlet.ID, money.Amount(100*week+n+1)))
			}
		}
	}
	done := make(chan struct{})
	go func() { // while statements are made
		defer close(done)
		for range 50 {
			if err := w.receive(w.officer.ID, w.outlet.ID, 1); err != nil {
				t.Error(err)
			}
		}
	}()
	w.tick()
	<-done
	w.tick()
	last := game.Day(0)
	records, _ := w.records()
	for _, rec := range records {
		if b, ok := rec.Body.(*journal.Statement); ok {
			if game.Day(b.First) < last {
				t.Errorf("the statement of %s is made after that of %s", game.Day(b.First), last)
			}
			last = game.Day(b.First)
		}
	}
	for _, s := range shops {
		if n := len(w.statementsOf(s)); n != 3 {
			t.Errorf("outlet %d has %d statements, want 3", s.outlet.Number, n)
		}
		w.checkStatements(s)
	}
	sim.CheckBooks(t, w.sys)
}

// An outlet whose tallies do not fit its account has no statement, and holds up
// neither the statements of the others nor their blocks; made right, it is caught up.
func TestStatements_WrongSums(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorldAt(t, dsn, fewDraws(t), monday)
		w.publishTerms()
		second := w.newShop(2, "metropole", "Europe/Paris")
		w.sellAt(w.shop, 10, 1)
		w.sellAt(second, 20, 1)
		w.at(monday.Add(time.Minute))
		change := func(by int) {
			_, err := w.raw().Exec(fmt.Sprintf(`UPDATE tally SET sold = sold + %d WHERE sold > 0 AND outlet = (SELECT id FROM name WHERE name = '%s')`, by, w.outlet.ID))
			w.check(err)
		}
		change(1)
		for _, at := range []time.Time{week(1), blockDay} {
			w.clock.set(at)
			if _, err := w.sys.Tick(w.ctx()); err == nil || !strings.Contains(err.Error(), "outlet 1") {
				t.Errorf("on %s: %v", at, err)
			}
		}
		if len(w.statementsOf(w.shop)) != 0 || len(w.statementsOf(second)) != 2 || !w.blocked(second) {
			t.Errorf("%d and %d statements, blocked %v", len(w.statementsOf(w.shop)), len(w.statementsOf(second)), w.blocked(second))
		}
		change(-1)
		w.at(blockDay.Add(time.Hour))
		if len(w.statementsOf(w.shop)) != 2 || !w.blocked(w.shop) {
			t.Errorf("made right: %d statements, blocked %v", len(w.statementsOf(w.shop)), w.blocked(w.shop))
		}
		w.checkStatements(w.shop)
	})
}

// ACC-missing: the books find a statement that was left out, from an hour after
// it was due on, in the zone of its outlet: of a week in which it did something,
// and of one before which it owed something.
func TestACC_missing(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorldAt(t, dsn, fewDraws(t), monday)
		w.publishTerms()
		tahiti := w.newShop(2, "polynesie", "Pacific/Tahiti")
		w.newShop(3, "metropole", "Europe/Paris") // does nothing, so that none is due of it
		w.check(w.receive(w.officer.ID, w.outlet.ID, 100))
		w.check(w.receive(w.officer.ID, tahiti.outlet.ID, 100))
		// Somebody does something at an instant at which no scheduler runs.
		at := func(at time.Time) {
			w.clock.set(at)
			w.check(w.sys.ConfirmClock(w.ctx(), w.key(), w.officer.ID))
		}
		missing := func(outlet int, monday string) {
			t.Helper()
			want := fmt.Sprintf("outlet %d has no statement for the week of %s", outlet, monday)
			if err := w.sys.CheckBooks(w.ctx()); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the books say %v, want %q", err, want)
			}
		}
		midnight, hour := time.Date(2027, 1, 10, 23, 0, 0, 0, time.UTC), time.Hour
		at(midnight.Add(hour))
		sim.CheckBooks(t, w.sys)
		at(midnight.Add(hour + time.Microsecond))
		missing(1, "2027-01-04")
		w.tick()
		at(midnight.Add(12 * hour)) // an hour after midnight in Tahiti
		sim.CheckBooks(t, w.sys)
		at(midnight.Add(12*hour + time.Microsecond))
		missing(2, "2027-01-04")
		w.tick()
		sim.CheckBooks(t, w.sys)
		at(midnight.AddDate(0, 0, 7).Add(hour + time.Microsecond)) // nothing was done, but the lottery owes it 1 €
		missing(1, "2027-01-11")
		w.at(midnight.AddDate(0, 0, 7).Add(13 * hour))
		if a, b := len(w.statementsOf(w.shop)), len(w.statementsOf(tahiti)); a != 2 || b != 2 {
			t.Errorf("%d and %d statements, want 2", a, b)
		}
	})
}

// No receipt takes an account to where no statement could hold it: the week's is made.
func TestStatements_LargestReceipt(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, dbtest.SQLite(t), fewDraws(t), monday)
	w.check(w.receive(w.officer.ID, w.outlet.ID, money.Limit))
	if err := w.receive(w.officer.ID, w.outlet.ID, 1); !errors.Is(err, money.ErrLimit) {
		t.Errorf("a cent more: %v", err)
	}
	w.clock.set(week(1))
	w.check(w.sys.ConfirmClock(w.ctx(), w.key(), w.officer.ID))
	w.tick()
	list := w.statementsOf(w.shop)
	if len(list) != 1 || list[0].Closing != -money.Limit {
		t.Errorf("statements %+v", list)
	}
	sim.CheckBooks(t, w.sys)
}

// An outlet that moves to a zone where yesterday's day is not over loses and
// repeats nothing of it.
func TestStatements_OutletMoves(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorldAt(t, dsn, fewDraws(t), monday)
		w.publishTerms()
		w.check(w.receive(w.officer.ID, w.outlet.ID, 100))
		w.at(time.Date(2027, 1, 11, 9, 0, 0, 0, time.UTC)) // in Tahiti it is Sunday still
		w.check(w.receive(w.officer.ID, w.outlet.ID, 1000))
		o := w.outlet
		o.Zone, o.Territory = "Pacific/Tahiti", "polynesie"
		_, err := w.sys.PutOutlet(w.ctx(), central.PutOutlet{Key: w.key(), Officer: w.officer.ID, Outlet: o})
		w.check(err)
		w.check(w.receive(w.officer.ID, w.outlet.ID, 10_000))
		w.restart()
		w.at(monday.AddDate(0, 0, 15))
		list := w.statementsOf(w.shop)
		if len(list) != 2 || list[0].Received != 100 || list[1].Received != 11_000 || list[0].Outlet.Zone != "Europe/Paris" || list[1].Outlet.Zone != "Pacific/Tahiti" {
			t.Errorf("statements %+v", list)
		}
	})
}

// What a terminal did since it signed on, across a tally and a restart; a shift that ended stands.
func TestShift(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorldAt(t, dsn, fewDraws(t), monday)
		w.publishTerms()
		shift := func() central.Shift {
			s, err := w.sys.Shift(w.ctx(), w.terminal.ID)
			w.check(err)
			return s
		}
		if s := shift(); !s.OpenedAt.IsZero() {
			t.Errorf("a shift before any: %+v", s)
		}
		w.sellAt(w.shop, 10, 1)
		w.check(w.sys.OpenShift(w.ctx(), w.terminal.ID))
		if s := shift(); !s.OpenedAt.Equal(monday) || len(s.Lines) != 0 {
			t.Errorf("a shift that has begun: %+v", s)
		}
		w.sellAt(w.shop, 2, 1)
		w.at(monday.Add(time.Minute))
		w.restart()
		w.sellAt(w.shop, 4, 1)
		w.at(monday.Add(90 * time.Minute)) // after the draw
		want := central.TillLine{Game: w.rules.Code, Sold: 600, SoldN: 2}
		if s := shift(); len(s.Lines) != 1 || s.Lines[0] != want || s.Commission != 30 {
			t.Errorf("the shift has %+v, want %+v", s, want)
		}
		w.check(w.sys.CloseShift(w.ctx(), w.terminal.ID))
		w.check(w.sys.CloseShift(w.ctx(), w.terminal.ID))
		if s := shift(); !s.OpenedAt.IsZero() {
			t.Errorf("a shift after its end: %+v", s)
		}
		w.check(w.receive(w.officer.ID, w.outlet.ID, 5))
		w.check(w.sys.OpenShift(w.ctx(), w.terminal.ID))
		w.check(w.sys.OpenShift(w.ctx(), w.terminal.ID)) // ends the one before
		list, err := w.sys.Shifts(w.ctx(), w.terminal.ID, 5)
		w.check(err)
		if len(list) != 3 || list[2].Lines[0] != want || list[1].ClosedAt.IsZero() || !list[0].ClosedAt.IsZero() {
			t.Errorf("shifts %+v", list)
		}
		w.refuses(party.ErrUnknownTerminal, func() error { return w.sys.OpenShift(w.ctx(), w.outlet.ID) })
	})
}

// Notices are shown until their time, to the outlet that they are for, also after a restart.
func TestNotices(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorldAt(t, dsn, fewDraws(t), monday)
		set := func(outlet, fr string, until time.Time) error {
			_, err := w.sys.SetNotice(w.ctx(), central.SetNotice{Key: w.key(), Officer: w.officer.ID, Outlet: outlet, FR: fr, EN: "Notice", Until: until})
			return err
		}
		w.check(set("", "À tous", monday.Add(hours(2))))
		w.check(set(w.outlet.ID, "À un seul", monday.Add(hours(1))))
		for _, bad := range []func() error{
			func() error { return set("", " ", monday.Add(hours(1))) },
			func() error { return set("", strings.Repeat("x", 501), monday.Add(hours(1))) },
			func() error { return set("", "x", monday) },
			func() error { return set("", "a\x00b", monday.Add(hours(1))) },
			func() error { return set("", "payez \u202e00005 \a lot", monday.Add(hours(1))) },
			func() error { return set("", "a\xffb", monday.Add(hours(1))) },
		} {
			w.refuses(central.ErrNoticeText, bad)
		}
		w.refuses(party.ErrUnknownOutlet, func() error { return set(w.officer.ID, "x", monday.Add(hours(1))) })
		texts := func(outlet string) (list []string) {
			for _, n := range w.sys.Notices(outlet) {
				list = append(list, n.FR)
			}
			return list
		}
		w.restart()
		if got := texts(w.outlet.ID); !slices.Equal(got, []string{"À un seul", "À tous"}) {
			t.Errorf("the outlet reads %q", got)
		}
		if got := texts("another"); !slices.Equal(got, []string{"À tous"}) {
			t.Errorf("another reads %q", got)
		}
		w.clock.set(monday.Add(hours(1)))
		if got := texts(w.outlet.ID); !slices.Equal(got, []string{"À tous"}) {
			t.Errorf("after its time %q", got)
		}
	})
}

// ACC-retract: a notice that an officer takes back is shown nowhere any more, at
// once, on no node and after no restart; the list tells by whom and when.
func TestRetractNotice(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorldAt(t, dsn, fewDraws(t), monday)
		second := w.second()
		set := func(outlet, fr string, until time.Time) central.Notice {
			n, err := w.sys.SetNotice(w.ctx(), central.SetNotice{Key: w.key(), Officer: w.officer.ID, Outlet: outlet, FR: fr, EN: "Notice", Until: until})
			w.check(err)
			return n
		}
		first, one, short := set("", "À tous", monday.Add(hours(2))), set(w.outlet.ID, "À un seul", monday.Add(hours(2))), set("", "Bref", monday.Add(hours(1)))
		retract := func(key, officer string, record uint64) error {
			return w.sys.RetractNotice(w.ctx(), central.RetractNotice{Key: key, Officer: officer, Notice: record})
		}
		w.refuses(central.ErrNoticeOver, func() error { return retract(w.key(), second.ID, 1) })
		w.refuses(central.ErrNoticeOver, func() error { return retract(w.key(), second.ID, 1<<40) })
		w.refuses(central.ErrNotAllowed, func() error { return retract(w.key(), w.outlet.ID, one.Record) })
		w.clock.set(monday.Add(hours(1)))
		w.refuses(central.ErrNoticeOver, func() error { return retract(w.key(), second.ID, short.Record) })
		for range 2 {
			w.check(retract("retract", second.ID, one.Record))
		}
		w.refuses(central.ErrKeyReused, func() error { return retract("retract", second.ID, first.Record) })
		w.refuses(central.ErrNoticeOver, func() error { return retract(w.key(), w.officer.ID, one.Record) })
		shown := func(name string, sys *central.System) {
			t.Helper()
			for _, list := range [][]central.Notice{sys.Notices(w.outlet.ID), sys.AllNotices()} {
				if len(list) != 1 || list[0] != first {
					t.Errorf("%s: shown are %+v", name, list)
				}
			}
			list, err := sys.RetractedNotices(w.ctx(), 5)
			if want := (central.RetractedNotice{Notice: one, Retraction: list[0].Retraction, By: second.ID, At: monday.Add(hours(1))}); err != nil || len(list) != 1 || list[0] != want {
				t.Errorf("%s: taken back are %+v, %v; want %+v", name, list, err, want)
			}
		}
		shown("at once", w.sys)
		w.restart()
		shown("restarted", w.sys)
		if w.db.Engine() == "postgres" {
			other := w.secondNode()
			shown("another node", other)
			w.check(retract(w.key(), w.officer.ID, first.Record))
			w.check(other.Follow(w.ctx()))
			if list := other.AllNotices(); len(list) != 0 {
				t.Errorf("another node shows %+v", list)
			}
		}
	})
}
