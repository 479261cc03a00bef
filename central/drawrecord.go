package central

import (
	"context"
	"fmt"
	"slices"
	"time"

	"tirage/draw"
	"tirage/store"
)

// DrawRecord is a record by which a draw came into a state: what anybody who
// checks a draw starts from. Sales are not among them.
type DrawRecord struct {
	State  draw.State
	Index  uint64 // in the journal
	At     time.Time
	Record []byte // as hashed
}

// DrawRecords returns the records of a draw, in the order made, [draw.ErrUnknown]
// for one that does not exist.
func (s *System) DrawRecords(ctx context.Context, id draw.ID) (list []DrawRecord, err error) {
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		steps, err := tx.Steps(ctx, []int64{int64(id)})
		if err != nil {
			return err
		}
		list = make([]DrawRecord, 0, len(steps)) // a snapshot may be read again
		for _, step := range steps {
			state, err := draw.ParseState(step.State)
			if err != nil {
				return err
			}
			records, err := readRecords(ctx, tx, step.Record, 1)
			if err != nil {
				return err
			}
			list = append(list, DrawRecord{state, step.Record, utc(step.At), records[0]})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("records of draw %d: %w", id, err)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%w: %d", draw.ErrUnknown, id)
	}
	slices.SortStableFunc(list, func(a, b DrawRecord) int { return int(a.State) - int(b.State) })
	return list, nil
}
