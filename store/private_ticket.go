package store

import "context"

// The rows of this file are private, as those of private.go are.

// Payee is who was paid, sealed under the key of the system.
type Payee struct {
	Hash   []byte // that the record has: SHA-256(salt ‖ who was paid)
	Salt   []byte // 16 bytes
	Sealed []byte
}

var payeeTable = table[Payee]{name: "payee", columns: []column[Payee]{
	blobs("hash", func(r *Payee) *[]byte { return &r.Hash }),
	blobs("salt", func(r *Payee) *[]byte { return &r.Salt }),
	blobs("sealed", func(r *Payee) *[]byte { return &r.Sealed }),
}}

// AddPayee adds who was paid. One that exists is [ErrConflict].
func (tx *Tx) AddPayee(ctx context.Context, p Payee) error {
	return addPrivate(ctx, tx, &payeeTable, p)
}

// RemovePayee removes one who is not paid after all.
func (tx *Tx) RemovePayee(ctx context.Context, hash []byte) error {
	return tx.change(ctx, `DELETE FROM payee WHERE hash = $1`, hash)
}

// Payee gives who was paid by the hash that the record has.
func (r reader) Payee(ctx context.Context, hash []byte) (Payee, error) {
	return selectRow(ctx, r, &payeeTable, `WHERE t.hash = $1`, hash)
}

// Payees gives all who were paid, by hash: for audits.
func (r reader) Payees(ctx context.Context) ([]Payee, error) {
	return selectRows(ctx, r, &payeeTable, `ORDER BY t.hash`)
}
