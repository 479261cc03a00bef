package store_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tirage/internal/dbtest"
	"tirage/money"
	"tirage/store"
)

// A turn that fails, by an error or a panic, leaves nothing and is followed by the next.
func TestRollback(t *testing.T) {
	t.Parallel()
	errGiveUp := errors.New("give up")
	dbtest.Each(t, func(t *testing.T, dsn string) {
		db := open(t, dsn)
		if err := writeAll(db); err != nil {
			t.Fatal(err)
		}
		spoil := func(then func() error) error {
			return db.Update(t.Context(), func(tx *store.Tx) error {
				head, err := tx.Head(t.Context())
				if err != nil {
					return err
				}
				rows := store.Rows{Terminals: []store.Terminal{{Record: 20, ID: "new", Outlet: "a"}}}
				if err := writeTurn(t.Context(), tx, head, rows, map[string]money.Amount{"cash": 1}, "record"); err != nil {
					return err
				}
				return then()
			})
		}
		if err := spoil(func() error { return errGiveUp }); !errors.Is(err, errGiveUp) {
			t.Errorf("got %v, want the function's error", err)
		}
		checkUntouched(t, db)
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic was swallowed")
				}
			}()
			_ = spoil(func() error { panic("broken invariant") })
		}()
		checkUntouched(t, db)
		if err := write(db, store.Rows{}, nil, "the next turn goes on"); err != nil {
			t.Error(err)
		}
	})
}

// A function that goes on after a write was refused commits nothing.
func TestRefusedWriteIsNotCommitted(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		db := open(t, dsn)
		if err := writeAll(db); err != nil {
			t.Fatal(err)
		}
		err := db.Update(t.Context(), func(tx *store.Tx) error {
			head, err := tx.Head(t.Context())
			if err != nil {
				return err
			}
			rows := store.Rows{Terminals: []store.Terminal{{Record: 20, ID: "new", Outlet: "a"}}, Tickets: []store.Ticket{{Number: 30, Outlet: "a"}, {Number: 5, Outlet: "a"}}}
			_ = writeTurn(t.Context(), tx, head, rows, nil, "record")
			return nil
		})
		if !errors.Is(err, store.ErrConflict) {
			t.Errorf("got %v, want ErrConflict", err)
		}
		checkUntouched(t, db)
	})
}

// A turn sees what it wrote, and may write more.
func TestTurnReadsItself(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		db := open(t, dsn)
		ctx := t.Context()
		err := db.Update(ctx, func(tx *store.Tx) error {
			for i := range uint64(2) {
				head, err := tx.Head(ctx)
				if err != nil {
					return err
				}
				if head.Size != i {
					t.Errorf("head is at %d, want %d", head.Size, i)
				}
				if err := writeTurn(ctx, tx, head, store.Rows{Tickets: []store.Ticket{{Number: i, Outlet: "a"}}}, nil, "sale"); err != nil {
					return err
				}
				if _, err := tx.Ticket(ctx, i); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if head := headOf(t, db); head.Size != 2 {
			t.Errorf("head is at %d, want 2", head.Size)
		}
	})
}

// A turn that does not begin where the journal ends is refused.
func TestWriteOutOfPlace(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		db := open(t, dsn)
		if err := writeAll(db); err != nil {
			t.Fatal(err)
		}
		for name, test := range map[string]struct {
			head store.Head
			turn store.Turn
		}{
			"nothing":         {store.Head{Size: 10, At: 1}, store.Turn{First: 10}},
			"again":           {store.Head{Size: 10, At: 1}, store.Turn{First: 0, Count: 10}},
			"gap":             {store.Head{Size: 12, At: 1}, store.Turn{First: 11, Count: 1}},
			"head beyond":     {store.Head{Size: 12, At: 1}, store.Turn{First: 10, Count: 1}},
			"time runs back":  {store.Head{Size: 11, At: 0}, store.Turn{First: 10, Count: 1}},
			"head stays away": {store.Head{Size: 10, At: 1}, store.Turn{First: 10, Count: 1}},
		} {
			err := db.Update(t.Context(), func(tx *store.Tx) error {
				test.head.Root, test.turn.Records = hash(1), bundle("record")
				return tx.Write(t.Context(), test.head, test.turn, store.Rows{}, nil)
			})
			if !errors.Is(err, store.ErrConflict) {
				t.Errorf("%s: got %v, want ErrConflict", name, err)
			}
			checkUntouched(t, db)
		}
	})
}

// A snapshot stays as it was while turns commit, and delays none of them.
func TestViewIsSnapshot(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		db := open(t, dsn)
		ctx := t.Context()
		view(t, db, func(s *store.Snapshot) error {
			for range 3 {
				if head, err := s.Head(ctx); err != nil || head.Size != 0 {
					t.Errorf("head of the snapshot is at %d (%v), want 0", head.Size, err)
				}
				if turns, err := s.Turns(ctx, 0, 10); err != nil || len(turns) != 0 {
					t.Errorf("the snapshot has %d turns (%v), want 0", len(turns), err)
				}
				if err := write(db, store.Rows{}, nil, "record"); err != nil {
					return err
				}
			}
			return nil
		})
		if head := headOf(t, db); head.Size != 3 {
			t.Errorf("head is at %d, want 3", head.Size)
		}
	})
}

// Turns of many goroutines, and of several processes on PostgreSQL, follow one
// another: each sees the one before, and none is lost.
func TestTurnsFollow(t *testing.T) {
	t.Parallel()
	const goroutines, turns = 16, 8
	dbtest.Each(t, func(t *testing.T, dsn string) {
		nodes := []*store.DB{open(t, dsn)}
		if nodes[0].Engine() == "postgres" {
			nodes = append(nodes, open(t, dsn))
		}
		var wg sync.WaitGroup
		for g := range goroutines {
			wg.Go(func() {
				for range turns {
					if err := oneMore(nodes[g%len(nodes)]); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		view(t, nodes[0], func(s *store.Snapshot) error {
			balances, err := s.Balances(t.Context())
			if err != nil {
				return err
			}
			if got, want := balances["count"], money.Amount(goroutines*turns); got != want {
				t.Errorf("count is %d, want %d", got, want)
			}
			head, err := s.Head(t.Context())
			if head.Size != goroutines*turns || head.At != goroutines*turns {
				t.Errorf("head is at %d, time %d, want %d", head.Size, head.At, goroutines*turns)
			}
			return err
		})
	})
}

// oneMore reads a balance and writes one more: a lost update if two turns overlap.
func oneMore(db *store.DB) error {
	ctx := context.Background()
	return db.Update(ctx, func(tx *store.Tx) error {
		head, err := tx.Head(ctx)
		if err != nil {
			return err
		}
		before, err := tx.TrialBalance(ctx)
		if err != nil {
			return err
		}
		if got := before["count"]; got != money.Amount(head.Size) {
			return fmt.Errorf("the turn at %d sees the postings of %d turns", head.Size, got)
		}
		rows := store.Rows{Postings: []store.Posting{{Entry: head.Size, Account: "count", Amount: 1}}}
		return writeTurn(ctx, tx, head, rows, map[string]money.Amount{"count": 1}, "record")
	})
}

// Who waits for the turn can give up, and the turn that runs is not disturbed.
func TestUpdateGivesUp(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		db := open(t, dsn)
		err := db.Update(t.Context(), func(tx *store.Tx) error {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			err := db.Update(ctx, func(*store.Tx) error {
				t.Error("two turns at once")
				return nil
			})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want context.Canceled", err)
			}
			head, err := tx.Head(t.Context())
			if err != nil {
				return err
			}
			return writeTurn(t.Context(), tx, head, store.Rows{}, nil, "record")
		})
		if err != nil {
			t.Fatal(err)
		}
		if head := headOf(t, db); head.Size != 1 {
			t.Errorf("head is at %d, want 1", head.Size)
		}
	})
}

// A view whose context ends gives its error, and its connection serves again.
func TestViewCancelled(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		db := open(t, dsn)
		for range 20 {
			ctx, cancel := context.WithCancel(t.Context())
			err := db.View(ctx, func(s *store.Snapshot) error {
				cancel()
				_, err := s.Rules(ctx)
				return err
			})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want context.Canceled", err)
			}
		}
		if err := writeAll(db); err != nil {
			t.Fatal(err)
		}
		view(t, db, func(s *store.Snapshot) error {
			_, err := s.Ticket(t.Context(), 5)
			return err
		})
	})
}

// Large turns and large questions are cut into statements, and nothing is lost at a cut.
func TestLargeTurn(t *testing.T) {
	t.Parallel()
	const n = 1237
	dbtest.Each(t, func(t *testing.T, dsn string) {
		db := open(t, dsn)
		var rows store.Rows
		var numbers []uint64
		var keys []store.CommandKey
		var records []string
		for i := range uint64(n) {
			key := fmt.Sprintf("%016d", n-i)
			numbers = append(numbers, n-1-i)
			keys = append(keys, store.CommandKey{Key: key, Scope: "s"})
			records = append(records, key)
			rows.Commands = append(rows.Commands, store.Command{Key: []byte(key), Scope: "s", Content: hash(i), Record: i})
			rows.Tickets = append(rows.Tickets, store.Ticket{Number: i, Outlet: key})
			rows.Parts = append(rows.Parts, store.Part{Draw: 1, Ticket: i, Combination: int64(i), Units: 1})
		}
		if err := write(db, rows, nil, records...); err != nil {
			t.Fatal(err)
		}
		view(t, db, func(s *store.Snapshot) error {
			commands, err := s.Commands(t.Context(), keys)
			if err != nil || len(commands) != n {
				t.Errorf("%d commands (%v), want %d", len(commands), err, n)
			}
			for i, k := range keys {
				if commands[k].Record != uint64(i) {
					t.Fatalf("command %q has record %d, want %d", k.Key, commands[k].Record, i)
				}
			}
			tickets, err := s.Tickets(t.Context(), numbers)
			if err != nil || len(tickets) != n {
				t.Errorf("%d tickets (%v), want %d", len(tickets), err, n)
			}
			if !slices.IsSortedFunc(tickets, func(a, b store.Ticket) int { return cmp.Compare(a.Number, b.Number) }) {
				t.Error("tickets are out of order")
			}
			again, err := s.Tickets(t.Context(), slices.Concat(numbers, numbers, numbers)) // so that some stand on both sides of a cut
			if err != nil || len(again) != n {
				t.Errorf("%d tickets (%v) when asked thrice, want %d", len(again), err, n)
			}
			record, _, err := s.Record(t.Context(), n-1)
			if err != nil || string(record) != records[n-1] {
				t.Errorf("last record %q (%v), want %q", record, err, records[n-1])
			}
			after := store.Part{N: -1}
			for got := uint64(0); ; {
				parts, err := s.Parts(t.Context(), 1, after.Ticket, after.N, 100)
				if err != nil {
					return err
				}
				if len(parts) == 0 {
					if got != n {
						t.Errorf("%d parts, want %d", got, n)
					}
					return nil
				}
				for _, after = range parts {
					if after.Ticket != got {
						t.Fatalf("part of ticket %d, want %d", after.Ticket, got)
					}
					got++
				}
			}
		})
	})
}

// After Close nothing blocks and nothing is done.
func TestClosed(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		db := open(t, dsn)
		for range 2 {
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Update(t.Context(), func(*store.Tx) error { return nil }); err == nil {
			t.Error("a turn of a closed database")
		}
		if err := db.View(t.Context(), func(*store.Snapshot) error { return nil }); err == nil {
			t.Error("a view of a closed database")
		}
	})
}

// A view that runs while the database closes ends in peace, and the last one
// out closes the file: SQLite then removes its log.
func TestCloseWhileReading(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		db := open(t, dsn)
		if err := writeAll(db); err != nil {
			t.Fatal(err)
		}
		view(t, db, func(s *store.Snapshot) error {
			if _, err := s.Ticket(t.Context(), 5); err != nil {
				return err
			}
			if err := db.Close(); err != nil {
				return err
			}
			_, err := s.Ticket(t.Context(), 6)
			return err
		})
		if file, ok := strings.CutPrefix(dsn, "sqlite:"); ok {
			if _, err := os.Stat(file + "-wal"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the log is still there: %v", err)
			}
		}
	})
}

func TestServerTime(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		db := open(t, dsn)
		before := time.Now().Add(-time.Minute)
		at, err := db.ServerTime(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		switch db.Engine() {
		case "sqlite":
			if !at.IsZero() {
				t.Errorf("SQLite has no clock, and tells %v", at)
			}
		case "postgres":
			if at.Before(before) || at.After(before.Add(2*time.Minute)) {
				t.Errorf("the server on this machine tells %v", at)
			}
		}
	})
}

// The floor writes as much as it is asked to, and leaves nothing behind.
func TestFloor(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		db := open(t, dsn)
		raw := direct(t, dsn)
		for name, floor := range map[string]func(ctx context.Context, commands, batch int) (int64, error){"wagers": db.Floor, "units": db.FloorUnits} {
			if perSecond, err := floor(t.Context(), 700, 64); err != nil || perSecond <= 0 {
				t.Fatalf("floor of %s: %d a second, %v", name, perSecond, err)
			}
			for _, bad := range [][2]int{{300, 0}, {0, 64}, {300, 1001}} {
				if _, err := floor(t.Context(), bad[0], bad[1]); err == nil {
					t.Errorf("a floor of %d %s, %d a transaction, is not refused", bad[0], name, bad[1])
				}
			}
		}
		if head := headOf(t, db); head.Size != 0 {
			t.Errorf("the floor wrote into the database itself: head is at %d", head.Size)
		}
		checkNoScratch(t, raw, dsn)
	})
}
