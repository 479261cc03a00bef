package central

import (
	"fmt"
	"slices"

	"tirage/draw"
	"tirage/journal"
	"tirage/store"
)

// changeBody is the record of a change to a draw at the time of the turn, or
// why it cannot be made. A draw whose time to close has come is closed, also
// before the scheduler has come round.
func (t *turn) changeBody(c Change, d *drawState, decision uint64) (journal.Body, error) {
	now, next, moved := utc(t.at), draw.Postponed, d.Draw
	var err error
	switch c.Act {
	case ActPostpone:
		moved, err = d.Postpone(now, c.Shift)
	case ActClose:
		moved, err = d.CloseEarly(now)
		next = draw.Closed
	case ActCancelDraw:
		next = draw.Cancelled
	case ActExtendClaims, ActMakeOfficer, ActResumeGame, ActPayTicket, ActLiftStop, ActPayOutlet, ActReceive, ActRaiseLimit, ActClosePool:
		assert(false, "a change that is not of a draw")
	}
	if err != nil {
		return nil, err
	}
	if err := d.state.To(next); err != nil {
		return nil, fmt.Errorf("%s draw %d: %w", c.Act, d.ID, err)
	}
	if c.Act == ActCancelDraw {
		return &journal.CancelDraw{Draw: uint64(d.ID), Decision: decision}, nil
	}
	return &journal.Move{
		Draw: uint64(d.ID), Decision: decision, ClosesAt: moved.ClosesAt.UnixMicro(), DrawsAt: moved.DrawsAt.UnixMicro(), Early: c.Act == ActClose,
	}, nil
}

// move gives a draw its new times, and its place among the others. One that is
// postponed sells again once the scheduler has opened it; one that was
// postponed before still waits for that.
func (m *memory) move(b *journal.Move) {
	d := m.draws[draw.ID(b.Draw)]
	assert(d != nil, "move of an unknown draw")
	list := m.byGame[d.Game]
	i := slices.Index(list, d)
	list = slices.Delete(list, i, i+1)
	d.ClosesAt, d.DrawsAt = utc(b.ClosesAt), utc(b.DrawsAt)
	i, _ = slices.BinarySearchFunc(list, d, byTime)
	m.byGame[d.Game] = slices.Insert(list, i, d)
	if !b.Early {
		m.step(d.ID, draw.Postponed)
	}
	delete(m.open, d.Game)
	if !b.Early {
		m.claims.postponed(d.Draw)
	}
	m.delayed(d.Draw) // what its tickets have won in other draws
}

func implyMove(rows *store.Rows, index uint64, at int64, b *journal.Move) {
	rows.Moves = append(rows.Moves, store.Move{Draw: int64(b.Draw), Record: index, ClosesAt: b.ClosesAt, DrawsAt: b.DrawsAt, Early: b.Early})
	if !b.Early {
		rows.Steps = append(rows.Steps, stepRow(draw.ID(b.Draw), draw.Postponed, at, index))
	}
}
