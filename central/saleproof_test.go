package central_test

import (
	"errors"
	"testing"

	"tirage/central"
	"tirage/internal/dbtest"
	"tirage/journal"
	"tirage/wager"
)

// The sale of a ticket is shown to be in the journal at once, by its hash; its
// record is public once all the ticket's draws have closed, and is what was hashed.
func TestSaleProof(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		ticket := w.sell(w.slip(1234, 8, 3))
		included := func(p central.SaleProof) {
			t.Helper()
			text, err := w.sys.InclusionProof(w.ctx(), p.Index)
			w.check(err)
			verifier, err := w.sys.Verifier()
			w.check(err)
			index, hashes, checkpoint, err := journal.ParseProof(text)
			w.check(err)
			c, err := journal.OpenCheckpoint(checkpoint, verifier)
			w.check(err)
			if err := journal.VerifyInclusion(p.Index, c.Size, p.Leaf, hashes, c.Root); err != nil || index != p.Index {
				t.Errorf("the leaf is not in the journal: %v", err)
			}
		}
		before, err := w.sys.SaleProof(w.ctx(), ticket.Number, ticket.Secret)
		w.check(err)
		included(before)
		if before.Record != nil || before.Index != uint64(ticket.Number) {
			t.Errorf("before the close: %d bytes of record %d", len(before.Record), before.Index)
		}
		w.at(mondayDraw(96)) // two of three have closed
		if p, err := w.sys.SaleProof(w.ctx(), ticket.Number, ticket.Secret); err != nil || p.Record != nil {
			t.Errorf("before the last close: %d bytes, %v", len(p.Record), err)
		}
		w.at(mondayDraw(97))
		after, err := w.sys.SaleProof(w.ctx(), ticket.Number, ticket.Secret)
		w.check(err)
		included(after)
		if after.Record == nil || after.Leaf != before.Leaf || journal.LeafHash(after.Record) != after.Leaf {
			t.Errorf("after the close: %d bytes, another leaf than before %v", len(after.Record), after.Leaf != before.Leaf)
		}
		for number, secret := range map[wager.ID][8]byte{ticket.Number: {1}, ticket.Number + 1: ticket.Secret, 1 << 40: ticket.Secret, 1<<64 - 1: {}, 0: {}} {
			if p, err := w.sys.SaleProof(w.ctx(), number, secret); !errors.Is(err, central.ErrNoTicket) || p.Leaf != (journal.Hash{}) {
				t.Errorf("ticket %d with a wrong secret: %v, %v", number, p, err)
			}
		}
	})
}
