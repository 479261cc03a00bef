package store

import (
	"context"
	"fmt"
)

// Rules gives all rule books, in the order published.
func (r reader) Rules(ctx context.Context) ([]Rules, error) {
	return selectRows(ctx, r, &rulesTable, `ORDER BY t.record`)
}

// Outlets gives each outlet as it stands, by id.
func (r reader) Outlets(ctx context.Context) ([]Outlet, error) {
	return selectRows(ctx, r, &outletTable, `WHERE t.record = (SELECT MAX(record) FROM outlet WHERE id = t.id) ORDER BY t.id`)
}

// OutletsUnblocked gives when outlets that were blocked were let sell again last (µs UTC), by outlet.
func (r reader) OutletsUnblocked(ctx context.Context) (map[string]int64, error) {
	steps, err := selectRows(ctx, r, &outletTable, `WHERE t.blocked = 0 AND 1 = (SELECT o.blocked FROM outlet o
		WHERE o.id = t.id AND o.record < t.record ORDER BY o.record DESC LIMIT 1) ORDER BY t.record`)
	out := make(map[string]int64, len(steps))
	for _, o := range steps {
		out[o.ID] = o.At
	}
	return out, err
}

// Terminals gives each terminal as it stands, by id.
func (r reader) Terminals(ctx context.Context) ([]Terminal, error) {
	return selectRows(ctx, r, &terminalTable, `WHERE t.record = (SELECT MAX(record) FROM terminal WHERE id = t.id) ORDER BY t.id`)
}

// Officers gives each officer as they stand, by id.
func (r reader) Officers(ctx context.Context) ([]Officer, error) {
	return selectRows(ctx, r, &officerTable, `WHERE t.record = (SELECT MAX(record) FROM officer WHERE id = t.id) ORDER BY t.id`)
}

// Draws gives draws by their ids, in order. As from all readers of draws, their
// times are those of their newest move.
func (r reader) Draws(ctx context.Context, ids []int64) ([]Draw, error) {
	return selectKeys(ctx, r, &movedTable, "id", ids, " ORDER BY t.id")
}

// DrawsOfDay gives the draws of a game on a draw day, by number.
func (r reader) DrawsOfDay(ctx context.Context, game string, day int32) ([]Draw, error) {
	return selectRows(ctx, r, &movedTable, `WHERE t.game = $1 AND t.day = $2 ORDER BY t.number`, game, int64(day))
}

// DrawsSince gives the draws that draw at or after an instant (µs UTC), and
// all that are not over, by id: neither certified nor, once cancelled, refunded.
func (r reader) DrawsSince(ctx context.Context, at int64) ([]Draw, error) {
	return selectRows(ctx, r, &movedTable, `WHERE t.draws_at >= $1
		OR NOT EXISTS (SELECT 1 FROM draw_step s WHERE s.draw = t.id AND s.state = 'certified')
		AND NOT EXISTS (SELECT 1 FROM refund f WHERE f.draw = t.id) ORDER BY t.id`, at)
}

// LastDraw is the greatest id of a draw, 0 when there is none.
func (r reader) LastDraw(ctx context.Context) (id int64, err error) {
	if err := r.row(ctx, []any{&id}, `SELECT COALESCE(MAX(id), 0) FROM draw`); err != nil {
		return 0, fmt.Errorf("read last draw: %w", err)
	}
	return id, nil
}

// Steps gives the steps of draws, by draw and in the order taken.
func (r reader) Steps(ctx context.Context, draws []int64) ([]Step, error) {
	return selectKeys(ctx, r, &stepTable, "draw", draws, " ORDER BY t.draw, t.record, t.at")
}

// Moves gives all moves of draws, by draw and in the order made.
func (r reader) Moves(ctx context.Context, draws []int64) ([]Move, error) {
	return selectKeys(ctx, r, &moveTable, "draw", draws, " ORDER BY t.draw, t.record")
}

// Postponements gives the moves of all draws to later times, in the order made.
func (r reader) Postponements(ctx context.Context) ([]Move, error) {
	return selectRows(ctx, r, &moveTable, `WHERE t.early = 0 ORDER BY t.record, t.draw`)
}

// CancelledDraws gives the steps of draws that were cancelled, in the order taken.
func (r reader) CancelledDraws(ctx context.Context) ([]Step, error) {
	return selectRows(ctx, r, &stepTable, `WHERE t.state = 'cancelled' ORDER BY t.record, t.draw`)
}

// Closes gives the close records of draws, by draw.
func (r reader) Closes(ctx context.Context, draws []int64) ([]Close, error) {
	return selectKeys(ctx, r, &closeTable, "draw", draws, " ORDER BY t.draw")
}

// Results gives the results of draws, by draw.
func (r reader) Results(ctx context.Context, draws []int64) ([]Result, error) {
	return selectKeys(ctx, r, &resultTable, "draw", draws, " ORDER BY t.draw")
}

// Shares gives the settlements of draws, by draw, prize table and tier.
func (r reader) Shares(ctx context.Context, draws []int64) ([]Share, error) {
	return selectKeys(ctx, r, &shareTable, "draw", draws, " ORDER BY t.draw, t.prize_table, t.tier")
}

// LastJackpot gives the newest movement of a game's jackpot.
func (r reader) LastJackpot(ctx context.Context, game string) (JackpotMove, error) {
	j, err := selectRow(ctx, r, &jackpotTable, `WHERE t.game = $1 ORDER BY t.record DESC LIMIT 1`, game)
	if err != nil {
		return JackpotMove{}, fmt.Errorf("jackpot of %s: %w", game, err)
	}
	return j, nil
}

// Jackpots gives what the settlements of draws moved, by draw.
func (r reader) Jackpots(ctx context.Context, draws []int64) ([]JackpotMove, error) {
	return selectKeys(ctx, r, &jackpotTable, "draw", draws, " ORDER BY t.draw")
}

// Refunds gives the refunds of cancelled draws, by draw.
func (r reader) Refunds(ctx context.Context, draws []int64) ([]Refund, error) {
	return selectKeys(ctx, r, &refundTable, "draw", draws, " ORDER BY t.draw")
}

// Expiries gives the ends of claims by last draws, in their order.
func (r reader) Expiries(ctx context.Context, lastDraws []int64) ([]Expiry, error) {
	return selectKeys(ctx, r, &expiryTable, "last_draw", lastDraws, " ORDER BY t.last_draw")
}

// Extensions gives all extensions of claims, in the order made.
func (r reader) Extensions(ctx context.Context) ([]Extension, error) {
	return selectRows(ctx, r, &extensionTable, `ORDER BY t.record`)
}
