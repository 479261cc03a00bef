package store

import (
	"context"
	"errors"
	"slices"
)

// Dump gives all fact tables, each in the order of its key or record: to be
// compared with what the journal implies.
func (r reader) Dump(ctx context.Context) (Rows, error) {
	var rows Rows
	err := errors.Join(
		dump(ctx, r, &tileTable, "level, t.n", &rows.Tiles),
		dump(ctx, r, &commandTable, "record", &rows.Commands),
		dump(ctx, r, &rulesTable, "record", &rows.Rules),
		dump(ctx, r, &outletTable, "record", &rows.Outlets),
		dump(ctx, r, &terminalTable, "record", &rows.Terminals),
		dump(ctx, r, &officerTable, "record", &rows.Officers),
		dump(ctx, r, &drawTable, "id", &rows.Draws),
		dump(ctx, r, &stepTable, "record, t.draw", &rows.Steps),
		dump(ctx, r, &moveTable, "record", &rows.Moves),
		dump(ctx, r, &closeTable, "draw", &rows.Closes),
		dump(ctx, r, &resultTable, "draw", &rows.Results),
		dump(ctx, r, &shareTable, "draw, t.prize_table, t.tier", &rows.Shares),
		dump(ctx, r, &jackpotTable, "record", &rows.Jackpots),
		dump(ctx, r, &refundTable, "record", &rows.Refunds),
		dump(ctx, r, &expiryTable, "record", &rows.Expiries),
		dump(ctx, r, &extensionTable, "record", &rows.Extensions),
		dump(ctx, r, &proposalTable, "record", &rows.Proposals),
		dump(ctx, r, &decisionTable, "record", &rows.Decisions),
		dump(ctx, r, &ticketTable, "number", &rows.Tickets),
		dump(ctx, r, &partTable, "draw, t.ticket, t.n", &rows.Parts),
		dump(ctx, r, &cancellationTable, "record", &rows.Cancellations),
		dump(ctx, r, &paymentTable, "record, t.draw", &rows.Payments),
		dump(ctx, r, &stopTable, "record", &rows.Stops),
		dump(ctx, r, &reprintTable, "record", &rows.Reprints),
		dump(ctx, r, &bookTable, "record", &rows.Books),
		dump(ctx, r, &poolSecretTable, "record, t.number", &rows.PoolSecrets),
		dump(ctx, r, &poolTable, "id", &rows.Pools),
		dump(ctx, r, &poolStepTable, "record", &rows.PoolSteps),
		dump(ctx, r, &unitTable, "record", &rows.Units),
		dump(ctx, r, &gameStepTable, "record", &rows.GameSteps),
		dump(ctx, r, &playerTable, "record", &rows.Players),
		dump(ctx, r, &playerChangeTable, "record", &rows.PlayerChanges),
		dump(ctx, r, &voucherTable, "number", &rows.Vouchers),
		dump(ctx, r, &depositTable, "record", &rows.Deposits),
		dump(ctx, r, &withdrawalTable, "record", &rows.Withdrawals),
		dump(ctx, r, &withdrawalStepTable, "record, t.withdrawal", &rows.WithdrawalSteps),
		dump(ctx, r, &openWithdrawalTable, "state, t.withdrawal", &rows.OpenWithdrawals),
		dump(ctx, r, &tallyMarkTable, "record", &rows.TallyMarks),
		dump(ctx, r, &statementTable, "record", &rows.Statements),
		dump(ctx, r, &statementLineTable, "record, t.game", &rows.StatementLines),
		dump(ctx, r, &debitStepTable, "record, t.statement", &rows.DebitSteps),
		dump(ctx, r, &noticeTable, "record", &rows.Notices),
		dump(ctx, r, &retractionTable, "record", &rows.Retractions),
		dump(ctx, r, &postingTable, "id", &rows.Postings),
	)
	links, linksErr := r.Links(ctx) // players stand as numbers, which have an order of their own
	rows.Chain = links
	tallies, talliesErr := selectRows(ctx, r, &tallyTable, "")
	slices.SortFunc(tallies, CompareTallies)
	rows.Tallies = tallies
	return rows, errors.Join(err, linksErr, talliesErr)
}

func dump[R any](ctx context.Context, r reader, t *table[R], order string, to *[]R) error {
	rows, err := selectRows(ctx, r, t, "ORDER BY t."+order)
	*to = rows
	return err
}
