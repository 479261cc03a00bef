package store_test

import (
	"errors"
	"maps"
	"testing"

	"tirage/internal/dbtest"
	"tirage/money"
	"tirage/store"
)

// A turn that is given up names nothing: the next one gives the numbers anew.
func TestNamesOfATurnGivenUp(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		db := open(t, dsn)
		ctx := t.Context()
		dropped := errors.New("dropped")
		err := db.Update(ctx, func(tx *store.Tx) error {
			head, err := tx.Head(ctx)
			if err != nil {
				return err
			}
			if err := writeTurn(ctx, tx, head, store.Rows{}, map[string]money.Amount{"a": 1, "b": 2}, "r"); err != nil {
				return err
			}
			return dropped
		})
		if !errors.Is(err, dropped) {
			t.Fatal(err)
		}
		want := map[string]money.Amount{"b": 3, "c": 4}
		if err := write(db, store.Rows{}, want, "r"); err != nil {
			t.Fatal(err)
		}
		if err := write(db, store.Rows{}, map[string]money.Amount{"a": 5}, "r"); err != nil {
			t.Fatal(err)
		}
		want["a"] = 5
		view(t, db, func(s *store.Snapshot) error {
			got, err := s.Balances(ctx)
			if !maps.Equal(got, want) {
				t.Errorf("balances %v, want %v", got, want)
			}
			return err
		})
	})
}

// Two nodes name the same things in turn, and mean the same.
func TestNamesOfTwoNodes(t *testing.T) {
	t.Parallel()
	dsn := dbtest.Postgres(t)
	nodes := []*store.DB{open(t, dsn), open(t, dsn)}
	for i, account := range []string{"a", "b", "a", "c", "b", "b", "c", "a"} {
		if err := write(nodes[i%2], store.Rows{}, map[string]money.Amount{account: 1, "all": 1}, "r"); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]money.Amount{"a": 3, "b": 3, "c": 2, "all": 8}
	view(t, nodes[0], func(s *store.Snapshot) error {
		got, err := s.Balances(t.Context())
		if !maps.Equal(got, want) {
			t.Errorf("balances %v, want %v", got, want)
		}
		return err
	})
}
