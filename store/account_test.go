package store_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tirage/internal/dbtest"
	"tirage/money"
	"tirage/store"
)

// checkAccounts reads the accounts of outlets back.
func checkAccounts(ctx context.Context, s *store.Snapshot, check func(name string, want any) func(any, error)) {
	sorted := func(list []store.Tally, err error) (any, error) {
		slices.SortFunc(list, store.CompareTallies)
		return list, err
	}
	check("tallies of a day", every.Tallies[:3])(sorted(s.Tallies(ctx, 20_000, 20_000, []string{"b", "a", "z"})))
	check("tallies of an outlet", every.Tallies[1:3])(sorted(s.Tallies(ctx, 19_999, 20_000, []string{"b"})))
	check("tallies of an outlet on many days", every.Tallies[1:])(sorted(s.Tallies(ctx, 18_000, 22_000, []string{"b"})))
	check("tallies of no day", 0)(length(s.Tallies(ctx, 20_000, 19_999, []string{"b"})))
	check("tallies of nobody", 0)(length(s.Tallies(ctx, 20_000, 20_000, nil)))
	check("tallies of days", every.Tallies)(sorted(s.TalliesBetween(ctx, 20_000, 20_001)))
	check("last tally", uint64(8))(any1(s.LastTally(ctx)))
	check("days", []store.TallyDay{{Outlet: "a", Day: 20_000, Received: -14}, {Outlet: "b", Day: 20_000}, {Outlet: "b", Day: 20_001}})(any1(s.TallyDays(ctx, 20_000)))
	check("days from one on", []store.TallyDay{{Outlet: "b", Day: 20_001}})(any1(s.TallyDays(ctx, 20_001)))
	check("last statements", every.Statements[1:])(any1(s.LastStatements(ctx, 1)))
	check("last statements of a week", []store.Statement{every.Statements[1], every.Statements[0], every.Statements[2]})(any1(s.LastStatements(ctx, 8)))
	check("statement before", every.Statements[0])(any1(s.StatementBefore(ctx, "b", 20_013)))
	check("newest statement before", every.Statements[2])(any1(s.StatementBefore(ctx, "b", 20_014)))
	_, none := s.StatementBefore(ctx, "b", 20_006)
	check("no statement before", true)(errors.Is(none, store.ErrNotFound), nil)
	check("statements made", []store.Statement{every.Statements[2], every.Statements[0]})(any1(s.StatementsMade(ctx, "b", 1, 1)))
	check("statements made at no time", 0)(length(s.StatementsMade(ctx, "b", 2, 9)))
	check("statements of an outlet", []store.Statement{every.Statements[2], every.Statements[0]})(any1(s.StatementsOf(ctx, "b", 5)))
	check("statements", every.Statements[:2])(any1(s.Statements(ctx, []uint64{5, 4, 99})))
	check("lines", every.StatementLines)(any1(s.StatementLines(ctx, []uint64{6, 4})))
	check("debits", []store.DebitStep{every.DebitSteps[0], every.DebitSteps[2], every.DebitSteps[3], every.DebitSteps[1]})(any1(s.DebitSteps(ctx, []uint64{5, 4})))
	check("debits of a file", every.DebitSteps[:2])(any1(s.DebitsSent(ctx, 7)))
	check("debits of no file", 0)(length(s.DebitsSent(ctx, 8)))
	check("files", []store.DebitFileSums{{Record: 7, At: 1, Count: 2, Sum: 2105, Open: 1, Left: 2005}})(any1(s.DebitFileSums(ctx, 0, 1)))
	check("files after the last", 0)(length(s.DebitFileSums(ctx, 1, 1)))
	check("count of files", 1)(any1(s.DebitFileCount(ctx)))
	check("under way", map[string]money.Amount{"a": 2005})(any1(s.DebitsUnderWay(ctx)))
	check("notices", every.Notices[1:2])(any1(s.Notices(ctx, 50)))
	check("notices by record", every.Notices[1:])(any1(s.NoticesByRecord(ctx, []uint64{9, 8, 99})))
	check("retractions", every.Retractions)(any1(s.Retractions(ctx, 5)))
}

// What is added to a tally is added to its counts, and the greatest pace holds.
func TestTallyAgain(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		db := open(t, dsn)
		if err := writeAll(db); err != nil {
			t.Fatal(err)
		}
		more := slices.Clone(every.Tallies)
		more[1].Pace, more[2].Pace = 100, 200
		if err := write(db, store.Rows{Tallies: more, TallyMarks: []store.TallyMark{{Record: 10}}}, nil, "r10"); err != nil {
			t.Fatal(err)
		}
		want := store.SumTallies(slices.Concat(every.Tallies, more))
		if want[1].Sold != 400 || want[1].SoldN != 4 || want[1].Pace != 150 || want[2].Pace != 200 || want[0].Received != -20 || want[0].Returned != 8 {
			t.Fatalf("sums %+v", want)
		}
		view(t, db, func(s *store.Snapshot) error {
			dump, err := s.Dump(t.Context())
			if diff := cmp.Diff(want, dump.Tallies); diff != "" {
				t.Errorf("tallies (-want +got):\n%s", diff)
			}
			return err
		})
	})
}

// Mandates and shifts are private rows, and change.
func TestMandatesAndShifts(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		db := open(t, dsn)
		ctx := t.Context()
		err := db.Update(ctx, func(tx *store.Tx) error {
			return errors.Join(
				tx.SetMandate(ctx, store.Mandate{Outlet: "b", Sealed: []byte("x")}),
				tx.SetMandate(ctx, store.Mandate{Outlet: "a", Sealed: []byte("y")}),
				tx.SetMandate(ctx, store.Mandate{Outlet: "b", Sealed: []byte("z")}),
				tx.AddShift(ctx, store.Shift{Terminal: "t1", OpenedAt: 1, Day: 2, Data: []byte("d")}),
				tx.AddShift(ctx, store.Shift{Terminal: "t1", OpenedAt: 3, Day: 2, Data: []byte("f")}),
				tx.AddShift(ctx, store.Shift{Terminal: "t2", OpenedAt: 4, Day: 2}),
				tx.SetShift(ctx, store.Shift{ID: 1, Terminal: "t1", OpenedAt: 1, ClosedAt: 3, Day: 2, Data: []byte("e")}),
			)
		})
		if err != nil {
			t.Fatal(err)
		}
		view(t, db, func(s *store.Snapshot) error {
			mandates, err := s.Mandates(ctx, []string{"b", "a", "z"})
			if diff := cmp.Diff([]store.Mandate{{Outlet: "a", Sealed: []byte("y")}, {Outlet: "b", Sealed: []byte("z")}}, mandates); diff != "" {
				t.Error(diff)
			}
			shifts, shiftsErr := s.Shifts(ctx, "t1", 5)
			want := []store.Shift{
				{ID: 2, Terminal: "t1", OpenedAt: 3, Day: 2, Data: []byte("f")},
				{ID: 1, Terminal: "t1", OpenedAt: 1, ClosedAt: 3, Day: 2, Data: []byte("e")},
			}
			if diff := cmp.Diff(want, shifts); diff != "" {
				t.Error(diff)
			}
			return errors.Join(err, shiftsErr)
		})
	})
}
