package central

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"tirage/draw"
	"tirage/journal"
	"tirage/ledger"
	"tirage/money"
	"tirage/store"
)

// cancelDraw takes a draw out of play: nothing enters or leaves it any more.
func (m *memory) cancelDraw(id draw.ID, at int64) {
	d := m.step(id, draw.Cancelled)
	d.cancelledAt = utc(at)
	d.exposure, d.pace = nil, nil
	m.claims.cancelled(d.Draw, d.cancelledAt)
	m.delayed(d.Draw)
}

// refunded notes that the stakes of a cancelled draw are booked as money to
// give back. What of its sales no table has goes: its parts and stakes are in the record.
func (m *memory) refunded(b *journal.Refund) {
	d := m.draws[draw.ID(b.Draw)]
	assert(d != nil && d.state == draw.Cancelled && !d.refunded, "refund of a draw that is not to be refunded")
	d.refunded = true
	if d.closeRecord == 0 {
		d.wagers, d.cancelled, d.frontier = 0, 0, journal.Frontier{}
	}
}

// refundDraw books the stakes of a cancelled draw as money to give back, by the
// last draw of their tickets. As a settlement it scans the parts on a reader, and
// writes in one short turn: no ticket of the draw can be cancelled any more, so its parts stand.
func (s *System) refundDraw(ctx context.Context, id draw.ID) error {
	d, ok := s.drawIn(id, draw.Cancelled)
	if !ok || d.refunded {
		return nil
	}
	var parts, units int64
	byLast := map[int64]int64{} // unit stakes
	err := s.db.EachPart(ctx, int64(id), func(slice []store.Part) error {
		for _, p := range slice {
			parts++
			units += p.Units
			byLast[p.LastDraw] += p.Units
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("refund draw %d: %w", id, err)
	}
	body := &journal.Refund{Draw: uint64(id), Parts: uint64(parts)}
	for _, last := range slices.Sorted(maps.Keys(byLast)) {
		body.Lines = append(body.Lines, journal.RefundLine{LastDraw: uint64(last), Stakes: d.rules.UnitStake.Times(byLast[last])})
	}
	return s.do(ctx, &job{alone: true, decide: func(t *turn) error {
		d := t.m.draws[id]
		if d == nil || d.refunded {
			return nil // another node was first
		}
		// F08: what is given back is what was sold, to the part and to the cent.
		assert(parts == d.parts && d.rules.UnitStake.Times(units) == d.stakes, "refund does not cover the sales of the draw")
		_, err := t.append(body)
		return err
	}})
}

func implyRefund(rows *store.Rows, index uint64, b *journal.Refund) ledger.Entry {
	rows.Refunds = append(rows.Refunds, store.Refund{Draw: int64(b.Draw), Record: index})
	stakes := make(map[int64]money.Amount, len(b.Lines))
	for _, line := range b.Lines {
		stakes[int64(line.LastDraw)] = line.Stakes
	}
	return ledger.Refund(int64(b.Draw), stakes)
}

// loadRefunds reads the refunds of cancelled draws.
func loadRefunds(ctx context.Context, tx *store.Snapshot, ids []int64, facts map[draw.ID]*drawFacts) error {
	ids = slices.DeleteFunc(ids, func(id int64) bool { return facts[draw.ID(id)].state != draw.Cancelled })
	refunds, err := tx.Refunds(ctx, ids)
	if err != nil {
		return err
	}
	for _, r := range refunds {
		b, _, err := tx.Record(ctx, r.Record)
		if err != nil {
			return err
		}
		rec, err := journal.Decode(b)
		if err != nil {
			return fmt.Errorf("record %d: %w", r.Record, err)
		}
		body, ok := rec.Body.(*journal.Refund)
		assert(ok, "the record of a refund is one")
		facts[draw.ID(r.Draw)].refund = body
	}
	return nil
}

func stakesRefunded(b *journal.Refund) (total money.Amount) {
	for _, line := range b.Lines {
		total = total.Add(line.Stakes)
	}
	return total
}
