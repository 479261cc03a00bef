package store

import (
	"context"
	"errors"
	"fmt"

	"tirage/money"
)

// Books gives all rule books that are not of draw games, in the order published.
func (r reader) Books(ctx context.Context) ([]Book, error) {
	return selectRows(ctx, r, &bookTable, `ORDER BY t.record`)
}

// PoolSecrets gives all secrets committed for pools, in the order committed.
func (r reader) PoolSecrets(ctx context.Context) ([]PoolSecret, error) {
	return selectRows(ctx, r, &poolSecretTable, `ORDER BY t.record, t.number`)
}

// Pool gives a pool by its id.
func (r reader) Pool(ctx context.Context, id int64) (Pool, error) {
	p, err := selectRow(ctx, r, &poolTable, `WHERE t.id = $1`, id)
	if err != nil {
		return Pool{}, fmt.Errorf("pool %d: %w", id, err)
	}
	return p, nil
}

// PoolsOf gives the pools of a game, newest first.
func (r reader) PoolsOf(ctx context.Context, game string) ([]Pool, error) {
	return selectRows(ctx, r, &poolTable, `WHERE t.game = $1 ORDER BY t.id DESC`, game)
}

// Pools gives all pools, by id.
func (r reader) Pools(ctx context.Context) ([]Pool, error) {
	return selectRows(ctx, r, &poolTable, `ORDER BY t.id`)
}

// PoolSteps gives the steps of pools, by pool and in the order taken.
func (r reader) PoolSteps(ctx context.Context, pools []int64) ([]PoolStep, error) {
	return selectKeys(ctx, r, &poolStepTable, "pool", pools, " ORDER BY t.pool, t.record")
}

// GameSteps gives the launches and suspensions of all games, in the order made.
func (r reader) GameSteps(ctx context.Context) ([]GameStep, error) {
	return selectRows(ctx, r, &gameStepTable, `ORDER BY t.record`)
}

// Unit gives a unit by its record.
func (r reader) Unit(ctx context.Context, record uint64) (Unit, error) {
	u, err := selectRow(ctx, r, &unitTable, `WHERE t.record = $1`, int64(record))
	if err != nil {
		return Unit{}, fmt.Errorf("unit %d: %w", record, err)
	}
	return u, nil
}

// UnitCount is how many units of a pool with a prize were played.
type UnitCount struct {
	Pool  int64
	Prize money.Amount
	N     int
}

// UnitCounts counts the units of pools that were played, by pool and prize,
// descending; losing units last. It reads each of them once.
func (r reader) UnitCounts(ctx context.Context, pools []int64) ([]UnitCount, error) {
	if len(pools) == 0 {
		return nil, nil
	}
	condition, args := in(r.s.engine, pools)
	return r.unitCounts(ctx, `WHERE pool`+condition, args...)
}

// UnitCountsBefore counts the units of a pool that were played before a record, as [reader.UnitCounts] does.
func (r reader) UnitCountsBefore(ctx context.Context, pool int64, before uint64) ([]UnitCount, error) {
	return r.unitCounts(ctx, `WHERE pool = $1 AND record < $2`, pool, int64(before))
}

func (r reader) unitCounts(ctx context.Context, condition string, args ...any) ([]UnitCount, error) {
	rows, err := r.s.query(ctx, `SELECT pool, prize, COUNT(*) FROM unit `+condition+` GROUP BY pool, prize ORDER BY pool, prize DESC`, args...)
	if err != nil {
		return nil, fmt.Errorf("count units: %w", mapError(err))
	}
	defer rows.Close()
	var out []UnitCount
	for rows.Next() {
		var c UnitCount
		if err := rows.Scan(&c.Pool, &c.Prize, &c.N); err != nil {
			return nil, fmt.Errorf("count units: %w", err)
		}
		out = append(out, c)
	}
	return out, mapError(errors.Join(rows.Err(), rows.Close()))
}

// UnitStakes adds up the prices of the units that players played in records
// from one to before another, by player.
func (r reader) UnitStakes(ctx context.Context, from, before uint64) (map[string]money.Amount, error) {
	return r.amounts(ctx, `SELECT `+nameOf("player")+`, CAST(total AS BIGINT) FROM
		(SELECT player, SUM(price) AS total FROM unit WHERE record >= $1 AND record < $2 GROUP BY player) s`, int64(from), int64(before))
}

// UnitStakesByDay adds up the prices of the units that players played, by day
// and player. A day begins at its start (µs UTC, ascending) and ends where the
// next begins; the last does not end.
func (r reader) UnitStakesByDay(ctx context.Context, starts []int64) ([]map[string]money.Amount, error) {
	return r.byDay(ctx, starts, r.UnitStakes)
}

// byDay adds up day by day, from the records of each.
func (r reader) byDay(ctx context.Context, starts []int64,
	sum func(ctx context.Context, from, before uint64) (map[string]money.Amount, error),
) ([]map[string]money.Amount, error) {
	head, err := r.Head(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]map[string]money.Amount, len(starts))
	before := head.Size
	for i := len(starts) - 1; i >= 0; i-- {
		from, err := r.FirstRecord(ctx, starts[i])
		if err != nil {
			return nil, err
		}
		if out[i], err = sum(ctx, from, before); err != nil {
			return nil, err
		}
		before = from
	}
	return out, nil
}

// FirstRecord is the first record at or after a time (µs UTC), or the size of
// the journal when there is none: a binary search, as turns are in the order of time.
func (r reader) FirstRecord(ctx context.Context, at int64) (uint64, error) {
	head, err := r.Head(ctx)
	if err != nil {
		return 0, err
	}
	low, high := uint64(0), head.Size // where a turn begins: all before low are earlier, high is not
	for low < high {
		var first, count uint64
		var turnAt int64
		err := r.row(ctx, []any{&first, &count, &turnAt},
			`SELECT first, count, at FROM turn WHERE first <= $1 ORDER BY first DESC LIMIT 1`, int64(low+(high-low)/2))
		if err != nil {
			return 0, fmt.Errorf("first record at %d µs: %w", at, err)
		}
		if turnAt < at {
			low = first + count
		} else {
			high = first
		}
	}
	return low, nil
}
