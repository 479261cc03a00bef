package settle

import (
	"fmt"
	"strings"
	"testing"

	"tirage/draw"
	"tirage/game"
	"tirage/journal"
	"tirage/money"
)

// TestRecordsFit makes the largest plan and settlement that any rule book lets
// through, and encodes them: a draw that could not be journalled would be sold and never paid.
func TestRecordsFit(t *testing.T) {
	t.Parallel()
	const id = 1 << 31 // draws planned by then: more than a thousand a day for centuries
	r, err := game.Parse("large.yaml", []byte(`
game: `+strings.Repeat("g", 40)+`
version: "1"
name: {fr: G, en: L}
kind: fixed-prize
first_day: 2020-01-01
unit_stake: 1
stakes: [1]
draw_counts: [1, 35]
matrices: [{key: n, name: {fr: N, en: N}, pick: 10, count: 80}]
calendar: {every: 30s, sessions: [{weekdays: [mon, tue, wed, thu, fri, sat, sun], draws: [1, 2400]}]}
prize_tables:
`+tables(5)))
	if err != nil {
		t.Fatal(err)
	}

	plan := &journal.Plan{Game: string(r.Code), Rules: r.Hash, Day: 1 << 30}
	for _, d := range draw.Plan(r, game.NewDay(2100, 1, 1)) {
		plan.Draws = append(plan.Draws, journal.PlanDraw{
			ID: id + uint64(d.Number), Number: uint64(d.Number), ClosesAt: d.ClosesAt.UnixMicro(), DrawsAt: d.DrawsAt.UnixMicro(),
		})
	}
	if _, err := journal.Encode(journal.Record{At: 1 << 62, Body: plan}); err != nil || len(plan.Draws) != 2400 {
		t.Errorf("plan of %d draws: %v", len(plan.Draws), err)
	}

	settlement := &journal.Settlement{Draw: id, Parts: 1 << 40, Stakes: money.Limit, Jackpot: &journal.Jackpot{
		Before: money.Limit, TopUp: money.Limit, Contribution: money.Limit, Carried: [2]uint64{1<<64 - 2, 1<<64 - 1},
		End: JackpotRolledDown.String(), Extra: ExtraRolled.String(), Tier: 255, Paid: money.Limit, Rest: money.Limit, After: money.Limit,
	}}
	for table := range r.Tables {
		for tier := range r.Tables[table].Tiers {
			for last := range r.DrawCounts[1] {
				settlement.Shares = append(settlement.Shares, journal.Share{
					Table: uint64(table), Tier: uint64(tier), LastDraw: id + uint64(last),
					Winners: 1 << 31, Units: 1 << 31, UnitValue: money.Limit, Total: money.Limit,
				})
			}
		}
	}
	if _, err := journal.Encode(journal.Record{At: 1 << 62, Body: settlement}); err != nil || len(settlement.Shares) != 1750 {
		t.Errorf("settlement of %d shares: %v", len(settlement.Shares), err)
	}
}

// tables are prize tables of ten tiers each.
func tables(n int) string {
	var b strings.Builder
	for table := range n {
		fmt.Fprintf(&b, "  - key: t%d\n    tiers:\n", table)
		for hits := 10; hits > 0; hits-- {
			fmt.Fprintf(&b, "      - {name: \"%d\", hits: {n: %d}, prize: 1}\n", hits, hits)
		}
	}
	return b.String()
}
