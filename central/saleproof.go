package central

import (
	"context"

	"tirage/journal"
	"tirage/store"
	"tirage/wager"
)

// SaleProof is what shows that the sale of a ticket is in the journal:
// [System.InclusionProof] leads from its leaf to the signed root.
type SaleProof struct {
	Index  uint64
	Leaf   journal.Hash
	Record []byte // as hashed; nil while a draw of the ticket has not closed: before, no sale is public
}

// SaleProof gives the record of a ticket's sale to who has the ticket. It returns
// [ErrNoTicket] for a wrong number and a wrong secret alike.
func (s *System) SaleProof(ctx context.Context, number wager.ID, secret [8]byte) (p SaleProof, err error) {
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		record, _, err := s.prove(ctx, tx, number, secret)
		if err != nil {
			return err
		}
		p.Index, p.Leaf = uint64(number), journal.LeafHash(record)
		rec, err := journal.Decode(record)
		if err != nil {
			return err
		}
		if _, ok := rec.Body.(*journal.Sale); !ok {
			return ErrNoTicket
		}
		if s.public(rec) {
			p.Record = record
		}
		return nil
	})
	if err != nil {
		return SaleProof{}, err
	}
	return p, nil
}
