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

// TestRecordsFit makes the largest plan, refund and settlements that any rule
// book lets through, and encodes them: a draw that could not be journalled would
// be sold and never paid. Any draw of a session may be the last of a ticket.
func TestRecordsFit(t *testing.T) {
	t.Parallel()
	const id = 1 << 31 // draws planned by then: more than a thousand a day for centuries
	r, err := large(2_400, 1, 1)
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

	refund := &journal.Refund{Draw: id, Parts: 1 << 62}
	for last := range uint64(2_400) {
		refund.Lines = append(refund.Lines, journal.RefundLine{LastDraw: id + last, Stakes: journal.TotalMax})
	}
	if _, err := journal.Encode(journal.Record{At: 1 << 62, Body: refund}); err != nil {
		t.Errorf("refund: %v", err)
	}

	for _, v := range []struct{ draws, tables, tiers int }{{2_400, 16, 45}, {2_000, 13, 64}, {1_616, 16, 64}} {
		if r, err = large(v.draws, v.tables, v.tiers); err != nil {
			t.Fatal(err)
		}
		settlement := largest(r, id, v.draws)
		if b, err := journal.Encode(journal.Record{At: 1 << 62, Body: settlement}); err != nil {
			t.Errorf("settlement of %d shares and %d last draws: %v, %d bytes", len(settlement.Shares), v.draws, err, len(b))
		}
	}
}

// largest is a settlement with all that a draw of the game can have, each in its longest form.
func largest(r *game.Rules, id uint64, draws int) *journal.Settlement {
	b := &journal.Settlement{Draw: id, Parts: 1 << 62, Stakes: journal.TotalMax, Jackpot: &journal.Jackpot{
		Before: journal.TotalMax, Carried: [2]uint64{1<<64 - 2, 1<<64 - 1},
		End: JackpotRolledDown.String(), Extra: ExtraRolled.String(), Tier: 255, After: journal.TotalMax,
	}}
	const long = 1 << 33 // 9 bytes, as the greatest sums have
	total := money.Amount(0)
	for table := range r.Tables {
		for tier := range r.Tables[table].Tiers {
			b.Shares = append(b.Shares, journal.Share{
				Table: uint64(table), Tier: uint64(tier), Winners: 1 << 62, Units: 1 << 62, UnitValue: long, Total: long * 4_000,
			})
			total += long * 4_000
		}
	}
	for last := range draws {
		prizes := money.Amount(long)
		if last == draws-1 {
			prizes = total
		}
		total -= prizes
		b.Prizes = append(b.Prizes, journal.PrizeLine{LastDraw: id + uint64(last), Prizes: prizes})
	}
	return b
}

// large is a game with a session of so many draws, and so many tables of so many tiers.
func large(draws, tableCount, tiers int) (*game.Rules, error) {
	return game.Parse("large.yaml", []byte(`
game: `+strings.Repeat("g", 40)+`
version: "1"
name: {fr: G, en: L}
kind: fixed-prize
first_day: 2020-01-01
unit_stake: 1
stakes: [1]
draw_counts: [1]
matrices: [{key: n, name: {fr: N, en: N}, pick: 10, count: 80}, {key: m, name: {fr: M, en: M}, pick: 5, count: 20}]
calendar: {every: 30s, sessions: [{weekdays: [mon, tue, wed, thu, fri, sat, sun], draws: [1, `+fmt.Sprint(draws)+`]}]}
prize_tables:
`+tables(tableCount, tiers)))
}

// tables are prize tables of so many tiers each.
func tables(n, tiers int) string {
	var b strings.Builder
	for table := range n {
		fmt.Fprintf(&b, "  - key: t%d\n    tiers:\n", table)
		for i := range tiers {
			fmt.Fprintf(&b, "      - {name: \"%d\", hits: {n: %d, m: %d}, prize: 1}\n", i, 10-i/6, 5-i%6)
		}
	}
	return b.String()
}
