package store

import (
	"context"
	"fmt"

	"tirage/money"
)

// Players gives all players, in the order of their sign-up.
func (r reader) Players(ctx context.Context) ([]Player, error) {
	return selectRows(ctx, r, &playerTable, `ORDER BY t.record`)
}

// Player gives a player by id.
func (r reader) Player(ctx context.Context, id string) (Player, error) {
	return selectRow(ctx, r, &playerTable, `WHERE t.id = $1`, id)
}

// PlayerChanges gives the changes of all players, in the order made.
func (r reader) PlayerChanges(ctx context.Context) ([]PlayerChange, error) {
	return selectRows(ctx, r, &playerChangeTable, `ORDER BY t.record`)
}

// Links gives the last record that tells of each player, by player.
func (r reader) Links(ctx context.Context) ([]Link, error) {
	return selectRows(ctx, r, &chainTable, `ORDER BY 1`)
}

// Link gives the last record that tells of a player.
func (r reader) Link(ctx context.Context, player string) (Link, error) {
	return selectRow(ctx, r, &chainTable, `WHERE t.player = (SELECT id FROM name WHERE name = $1)`, player)
}

// Voucher gives a voucher by its number.
func (r reader) Voucher(ctx context.Context, number uint64) (Voucher, error) {
	v, err := selectRow(ctx, r, &voucherTable, `WHERE t.number = $1`, int64(number))
	if err != nil {
		return Voucher{}, fmt.Errorf("voucher %d: %w", number, err)
	}
	return v, nil
}

// Deposit gives the deposit made with what a means of payment was paid with.
func (r reader) Deposit(ctx context.Context, means string, reference []byte) (Deposit, error) {
	return selectRow(ctx, r, &depositTable, `WHERE t.means = $1 AND t.reference = $2`, means, reference)
}

// DepositsByMeans gives the deposits by a means from a time to before another
// (µs UTC), in the order made.
func (r reader) DepositsByMeans(ctx context.Context, means string, from, before int64) ([]Deposit, error) {
	first, err := r.FirstRecord(ctx, from)
	if err != nil {
		return nil, err
	}
	// The key of records finds a day; that of means would find all there ever was.
	return selectRows(ctx, r, &depositTable, `WHERE t.record >= $1 AND t.at < $2 AND t.means || '' = $3 ORDER BY t.record`, int64(first), before, means)
}

// DepositSums adds up all deposits ever, by player.
func (r reader) DepositSums(ctx context.Context) (map[string]money.Amount, error) {
	return r.amounts(ctx, `SELECT player, CAST(SUM(amount) AS BIGINT) FROM deposit GROUP BY player`)
}

// deposits adds up the deposits in records from one to before another, by player.
func (r reader) deposits(ctx context.Context, from, before uint64) (map[string]money.Amount, error) {
	return r.amounts(ctx, `SELECT player, CAST(SUM(amount) AS BIGINT) FROM deposit WHERE record >= $1 AND record < $2 GROUP BY player`,
		int64(from), int64(before))
}

// DepositsByDay adds up deposits by day and player. Days are as for [reader.UnitStakesByDay].
func (r reader) DepositsByDay(ctx context.Context, starts []int64) ([]map[string]money.Amount, error) {
	return r.byDay(ctx, starts, r.deposits)
}

// Withdrawals gives withdrawals by their records, in order.
func (r reader) Withdrawals(ctx context.Context, records []uint64) ([]Withdrawal, error) {
	return selectKeys(ctx, r, &withdrawalTable, "record", records, " ORDER BY t.record")
}

// WithdrawalSteps gives the steps of withdrawals, by withdrawal and in the order taken.
func (r reader) WithdrawalSteps(ctx context.Context, withdrawals []uint64) ([]WithdrawalStep, error) {
	return selectKeys(ctx, r, &withdrawalStepTable, "withdrawal", withdrawals, " ORDER BY t.withdrawal, t.record")
}

// WithdrawalsIn gives the withdrawals in a state, "asked" or "sent", oldest
// first, at most limit. Those that were paid or returned are not looked at, however many.
func (r reader) WithdrawalsIn(ctx context.Context, state string, limit int) ([]Withdrawal, error) {
	return selectRows(ctx, r, &withdrawalTable, `WHERE t.record IN (
		SELECT o.withdrawal FROM withdrawal_open o WHERE o.state = $1 ORDER BY o.withdrawal LIMIT $2) ORDER BY t.record`, state, limit)
}

// RecentWithdrawals gives the newest withdrawals, newest first, at most limit.
func (r reader) RecentWithdrawals(ctx context.Context, limit int) ([]Withdrawal, error) {
	return selectRows(ctx, r, &withdrawalTable, `ORDER BY t.record DESC LIMIT $1`, limit)
}
