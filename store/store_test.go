package store_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"testing"

	"tirage/internal/dbtest"
	"tirage/money"
	"tirage/store"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// open opens a database that closes with the test.
func open(t testing.TB, dsn string) *store.DB {
	t.Helper()
	db, err := store.Open(context.Background(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// hash is 32 bytes that tell n.
func hash(n uint64) []byte {
	h := sha256.Sum256(binary.BigEndian.AppendUint64(nil, n))
	return h[:]
}

// bundle is records with their lengths before them.
func bundle(records ...string) []byte {
	var b []byte
	for _, r := range records {
		b = binary.BigEndian.AppendUint16(b, uint16(len(r)))
		b = append(b, r...)
	}
	return b
}

// write appends a turn of records to the journal, with rows.
func write(db *store.DB, rows store.Rows, changes map[string]money.Amount, records ...string) error {
	ctx := context.Background()
	return db.Update(ctx, func(tx *store.Tx) error {
		head, err := tx.Head(ctx)
		if err != nil {
			return err
		}
		return writeTurn(ctx, tx, head, rows, changes, records...)
	})
}

func writeTurn(ctx context.Context, tx *store.Tx, head store.Head, rows store.Rows, changes map[string]money.Amount, records ...string) error {
	n := uint64(len(records))
	turn := store.Turn{First: head.Size, Count: n, At: head.At + 1, Records: bundle(records...)}
	head = store.Head{Size: head.Size + n, At: head.At + 1, Frontier: hash(head.Size), Root: hash(head.Size + n)}
	return tx.Write(ctx, head, turn, rows, changes)
}
