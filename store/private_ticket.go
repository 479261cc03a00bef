package store

import "context"

// The rows of this file are private, as those of private.go are.

// Payee is who was paid, sealed under the key of the system.
type Payee struct {
	Hash   []byte // that the record has: SHA-256(salt ‖ who was paid)
	Salt   []byte // 16 bytes
	Sealed []byte
	Record uint64 // of the payment; 0: not paid yet
}

var payeeTable = table[Payee]{name: "payee", columns: []column[Payee]{
	blobs("hash", func(r *Payee) *[]byte { return &r.Hash }),
	blobs("salt", func(r *Payee) *[]byte { return &r.Salt }),
	blobs("sealed", func(r *Payee) *[]byte { return &r.Sealed }),
	ints("record", func(r *Payee) *uint64 { return &r.Record }),
}}

// AddPayee adds who was paid. One that exists is [ErrConflict].
func (tx *Tx) AddPayee(ctx context.Context, p Payee) error {
	return addPrivate(ctx, tx, &payeeTable, p)
}

// RemovePayee removes one who is not paid after all.
func (tx *Tx) RemovePayee(ctx context.Context, hash []byte) error {
	return tx.change(ctx, `DELETE FROM payee WHERE hash = $1`, hash)
}

// PayPayee notes the payment of one who was to be paid.
func (tx *Tx) PayPayee(ctx context.Context, hash []byte, record uint64) error {
	return tx.change(ctx, `UPDATE payee SET record = $1 WHERE hash = $2`, int64(record), hash)
}

// ErasePayees removes those of payments up to a record.
func (tx *Tx) ErasePayees(ctx context.Context, last uint64) error {
	return tx.change(ctx, `DELETE FROM payee WHERE record BETWEEN 1 AND $1`, int64(last))
}

// PaidPayees gives those who were paid, in the order of payment, at most limit.
func (r reader) PaidPayees(ctx context.Context, limit int) ([]Payee, error) {
	return selectRows(ctx, r, &payeeTable, `WHERE t.record > 0 ORDER BY t.record LIMIT $1`, limit)
}

// Payee gives who was paid by the hash that the record has.
func (r reader) Payee(ctx context.Context, hash []byte) (Payee, error) {
	return selectRow(ctx, r, &payeeTable, `WHERE t.hash = $1`, hash)
}

// Payees gives all who were paid, by hash: for audits.
func (r reader) Payees(ctx context.Context) ([]Payee, error) {
	return selectRows(ctx, r, &payeeTable, `ORDER BY t.hash`)
}
