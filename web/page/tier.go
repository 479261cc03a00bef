package page

import (
	"strconv"

	"tirage/central"
	"tirage/game"
	"tirage/money"
)

// Tier is a prize tier of a draw with its winners, as pages list them.
type Tier struct {
	Hits    []string     // by drawn set
	Prize   money.Amount // of a unit stake
	Jackpot bool         // the jackpot, which nobody won
	Winners int64
	Table   string // key of a promotional table; "": the ordinary one
}

// TiersOf lists the ordinary table with its winners, and the promotional
// tables that were won from, of a draw that is settled. A tier without a winner
// says what it would have paid, the multiplier of the draw in it.
func TiersOf(r *game.Rules, v central.DrawView) []Tier {
	type place struct{ table, tier int }
	winners, value := map[place]int64{}, map[place]money.Amount{}
	won := map[int]bool{0: true}
	for _, share := range v.Settlement.Shares {
		at := place{share.Table, share.Tier}
		winners[at] += share.Winners
		value[at] = share.UnitValue
		won[share.Table] = true
	}
	var list []Tier
	for t, table := range r.Tables {
		if !won[t] {
			continue
		}
		for i, tier := range table.Tiers {
			at := place{t, i}
			line := Tier{Prize: tier.Prize.Times(int64(max(1, v.Times))), Jackpot: tier.Jackpot, Winners: winners[at], Hits: HitsOf(tier)}
			if paid, ok := value[at]; ok {
				line.Prize, line.Jackpot = paid, false
			}
			if t > 0 {
				line.Table = table.Key
			}
			list = append(list, line)
		}
	}
	return list
}

// HitsOf is what a tier asks for, by drawn set; "–": whatever is drawn of it.
func HitsOf(t game.Tier) []string {
	list := make([]string, len(t.Hits))
	for i, n := range t.Hits {
		if list[i] = strconv.Itoa(n); n == game.Any {
			list[i] = "–"
		}
	}
	return list
}
