package store

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"tirage/money"
)

// Head is the end of the journal that this turn holds, as of its last Write.
func (tx *Tx) Head(context.Context) (Head, error) { return tx.head, nil }

// Write appends a turn to the journal and inserts the rows that its records
// imply: everything in a handful of statements, whatever their number. The
// turn must begin where the journal ends and head say where it ends then, else
// the error is [ErrConflict], as it is for a key that exists already; after
// any error of a statement the turn can only be given up. Changes are added to the balances
// of their accounts, and must be the sums of the postings.
func (tx *Tx) Write(ctx context.Context, head Head, turn Turn, rows Rows, changes map[string]money.Amount) error {
	if turn.Count == 0 || turn.First != tx.head.Size || head.Size != turn.First+turn.Count || head.At < tx.head.At {
		return fmt.Errorf("write records %d+%d of a journal of %d, to %d: %w", turn.First, turn.Count, tx.head.Size, head.Size, ErrConflict)
	}
	// In the order of their keys, the commands of a turn fall on one page after another.
	commands := slices.SortedFunc(slices.Values(rows.Commands), func(a, b Command) int { return bytes.Compare(a.Key, b.Key) })
	w := writer{s: tx.s, tx: tx}
	insert(ctx, &w, &turnTable, []Turn{turn})
	insert(ctx, &w, &tileTable, rows.Tiles)
	insert(ctx, &w, &commandTable, commands)
	insert(ctx, &w, &rulesTable, rows.Rules)
	insert(ctx, &w, &outletTable, rows.Outlets)
	insert(ctx, &w, &terminalTable, rows.Terminals)
	insert(ctx, &w, &officerTable, rows.Officers)
	insert(ctx, &w, &drawTable, rows.Draws)
	insert(ctx, &w, &stepTable, rows.Steps)
	insert(ctx, &w, &moveTable, rows.Moves)
	insert(ctx, &w, &closeTable, rows.Closes)
	insert(ctx, &w, &resultTable, rows.Results)
	insert(ctx, &w, &shareTable, rows.Shares)
	insert(ctx, &w, &jackpotTable, rows.Jackpots)
	insert(ctx, &w, &refundTable, rows.Refunds)
	insert(ctx, &w, &expiryTable, rows.Expiries)
	insert(ctx, &w, &extensionTable, rows.Extensions)
	insert(ctx, &w, &proposalTable, rows.Proposals)
	insert(ctx, &w, &decisionTable, rows.Decisions)
	insert(ctx, &w, &ticketTable, rows.Tickets)
	insert(ctx, &w, &partTable, rows.Parts)
	insert(ctx, &w, &cancellationTable, rows.Cancellations)
	insert(ctx, &w, &paymentTable, rows.Payments)
	insert(ctx, &w, &stopTable, rows.Stops)
	insert(ctx, &w, &reprintTable, rows.Reprints)
	insert(ctx, &w, &bookTable, rows.Books)
	insert(ctx, &w, &poolSecretTable, rows.PoolSecrets)
	insert(ctx, &w, &poolTable, rows.Pools)
	insert(ctx, &w, &poolStepTable, rows.PoolSteps)
	insert(ctx, &w, &unitTable, rows.Units)
	insert(ctx, &w, &gameStepTable, rows.GameSteps)
	insert(ctx, &w, &playerTable, rows.Players)
	insert(ctx, &w, &playerChangeTable, rows.PlayerChanges)
	insert(ctx, &w, &voucherTable, rows.Vouchers)
	insert(ctx, &w, &depositTable, rows.Deposits)
	insert(ctx, &w, &withdrawalTable, rows.Withdrawals)
	insert(ctx, &w, &withdrawalStepTable, rows.WithdrawalSteps)
	w.openWithdrawals(ctx, rows.Withdrawals, rows.WithdrawalSteps)
	insert(ctx, &w, &tallyMarkTable, rows.TallyMarks)
	insert(ctx, &w, &statementTable, rows.Statements)
	insert(ctx, &w, &statementLineTable, rows.StatementLines)
	insert(ctx, &w, &debitStepTable, rows.DebitSteps)
	insert(ctx, &w, &noticeTable, rows.Notices)
	insert(ctx, &w, &retractionTable, rows.Retractions)
	insert(ctx, &w, &postingTable, rows.Postings)
	insert(ctx, &w, &chainTable, LastLinks(rows.Chain))
	if len(rows.Tallies) > 0 {
		insert(ctx, &w, &tallyTable, SumTallies(rows.Tallies))
	}
	insert(ctx, &w, &balanceTable, sorted(changes))
	w.exec(ctx, `UPDATE head SET size = $1, at = $2, frontier = $3, root = $4 WHERE id = 1`, int64(head.Size), head.At, notNil(head.Frontier), notNil(head.Root))
	if err := w.flush(ctx); err != nil {
		tx.failed = fmt.Errorf("write records %d+%d: %w", turn.First, turn.Count, mapError(err))
		return tx.failed
	}
	tx.head = head
	return nil
}

// sorted gives changes in the order of their accounts, so that equal turns
// are equal statements.
func sorted(changes map[string]money.Amount) []change {
	out := make([]change, 0, len(changes))
	for _, account := range slices.Sorted(maps.Keys(changes)) {
		out = append(out, change{account, changes[account]})
	}
	return out
}

// A writer collects the statements of a turn: SQLite runs each at once,
// PostgreSQL all in one round trip. After an error it does nothing more.
type writer struct {
	s     *session
	tx    *Tx
	batch pgx.Batch
	err   error
}

func insert[R any](ctx context.Context, w *writer, t *table[R], rows []R) {
	if len(rows) == 0 || w.err != nil {
		return
	}
	if w.err = nameAll(ctx, w.tx, t, rows); w.err != nil {
		return
	}
	switch w.s.engine {
	case sqliteEngine:
		if err := insertSQLite(w.s.context(ctx), w.s, t, rows, w.tx.names); err != nil {
			w.err = fmt.Errorf("insert into %s: %w", t.name, err)
		}
	case postgresEngine:
		queueUnnest(&w.batch, t, rows, w.tx.names)
	}
}

func (w *writer) exec(ctx context.Context, text string, args ...any) {
	if w.err != nil {
		return
	}
	switch w.s.engine {
	case sqliteEngine:
		w.err = w.s.exec(ctx, text, args...)
	case postgresEngine:
		w.batch.Queue(text, args...)
	}
}

func (w *writer) flush(ctx context.Context) error {
	if w.err == nil && w.batch.Len() > 0 {
		w.err = w.s.sendBatch(ctx, &w.batch)
	}
	return w.err
}

// States of a withdrawal that is open: asked for and without a step, or sent.
const (
	withdrawalAsked = "asked"
	withdrawalSent  = "sent"
)

// openWithdrawals takes the table of open withdrawals over a turn.
func (w *writer) openWithdrawals(ctx context.Context, withdrawals []Withdrawal, steps []WithdrawalStep) {
	asked := make([]OpenWithdrawal, len(withdrawals))
	for i, row := range withdrawals {
		asked[i] = OpenWithdrawal{withdrawalAsked, row.Record}
	}
	insert(ctx, w, &openWithdrawalTable, asked)
	var sent []OpenWithdrawal
	for _, step := range steps {
		if step.State == withdrawalSent {
			sent = append(sent, OpenWithdrawal{withdrawalSent, step.Withdrawal})
			w.exec(ctx, deleteOpenWithdrawal, withdrawalAsked, int64(step.Withdrawal))
		}
	}
	insert(ctx, w, &openWithdrawalTable, sent)
	for _, step := range steps {
		if step.State != withdrawalSent {
			w.exec(ctx, deleteOpenWithdrawal, withdrawalSent, int64(step.Withdrawal))
		}
	}
}

const deleteOpenWithdrawal = `DELETE FROM withdrawal_open WHERE state = $1 AND withdrawal = $2`

// OpenWithdrawals is which of all withdrawals are open after all steps, in the
// order of state and withdrawal: what the table must hold.
func OpenWithdrawals(withdrawals []Withdrawal, steps []WithdrawalStep) []OpenWithdrawal {
	states := make(map[uint64]string, len(withdrawals))
	for _, row := range withdrawals {
		states[row.Record] = withdrawalAsked
	}
	for _, step := range steps {
		if step.State == withdrawalSent && states[step.Withdrawal] == withdrawalAsked {
			states[step.Withdrawal] = withdrawalSent
		} else {
			delete(states, step.Withdrawal)
		}
	}
	var open []OpenWithdrawal
	for record, state := range states {
		open = append(open, OpenWithdrawal{state, record})
	}
	slices.SortFunc(open, func(a, b OpenWithdrawal) int {
		return cmp.Or(cmp.Compare(a.State, b.State), cmp.Compare(a.Withdrawal, b.Withdrawal))
	})
	return open
}

// LastLinks keeps the last link of each player, in the order of players.
func LastLinks(links []Link) []Link {
	last := make(map[string]uint64, len(links))
	for _, l := range links {
		last[l.Player] = l.Last
	}
	out := make([]Link, 0, len(last))
	for _, player := range slices.Sorted(maps.Keys(last)) {
		out = append(out, Link{player, last[player]})
	}
	return out
}
