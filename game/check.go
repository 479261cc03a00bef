package game

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"tirage/money"
)

// check builds the tables of a well-formed book and compares every figure
// that it prints with the one that follows from its rules.
func (b *book) check() {
	b.checkKind()
	b.checkShares()
	b.checkJackpot()
	if !b.checkMultiple() || !b.checkParts() || !b.checkStakes() || !b.buildIndex() {
		return
	}
	r := b.rules
	b.checkShapes()
	b.Agrees(b.combinations, "combinations", strconv.FormatInt(r.Size(), 10))
	b.Agrees(b.mean, "multiplier: mean", r.MeanTimes().RatString())
	for t := range r.Tables {
		if b.checkTiers(t) {
			b.checkFigures(t)
		}
	}
}

// checkKind: a fixed-prize game shares nothing between its winners, a pari-mutuel one does (IAT-2).
func (b *book) checkKind() {
	shared := 0
	for t, table := range b.rules.Tables {
		for i, tier := range table.Tiers {
			if !tier.Jackpot && tier.Share == nil {
				continue
			}
			shared++
			if b.rules.Kind == FixedPrize {
				b.Wrong(b.tables[t].tiers[i].prize, tierWhat(tier, "prize"), "an amount, since the game is fixed-prize")
			}
		}
	}
	if shared == 0 && b.rules.Kind == Parimutuel {
		b.Fault(b.tables[0].tiers[0].tier.Line, "prize_tables", "a jackpot, since the game is parimutuel", "none")
	}
}

// checkShares bounds the shares and last draws that a settlement may have.
func (b *book) checkShares() {
	tiers := 0
	for _, table := range b.rules.Tables {
		tiers += len(table.Tiers)
	}
	most := (settlementMax - shareBytes*tiers) / lineBytes
	for i, s := range b.rules.Calendar.Sessions {
		if count := s.Last - s.First + 1; count > most {
			b.Fault(b.sessions[i].Line, "session: draws", fmt.Sprintf("at most %d with %d tiers in all", most, tiers), strconv.Itoa(count))
		}
	}
}

// checkParts bounds the combinations of a board, and the combinations times
// draws of a ticket, each of which the central system stores and settles; where
// the limit leaves fewer of these, by it (AMI-5.2).
func (b *book) checkParts() bool {
	r := b.rules
	draws := int64(slices.Max(r.DrawCounts))
	parts := r.boardsCombinations() * draws
	if r.Limit.Max > 0 && r.combinationsMax() <= partsMax {
		limited := int64(r.Limit.Max / r.Stakes[0])
		if r.Limit.Scope == LimitPerDraw {
			limited *= draws
		}
		if r.Limit.Plays == LimitMultipleOnly { // the other boards are simple
			limited += Shape{}.Combinations(r.Multiple.AlsoMax) * int64(r.BoardsMax) * draws
		}
		parts = min(parts, limited)
	}
	if parts > partsMax {
		b.Fault(b.drawCounts[len(b.drawCounts)-1].Line, "draw_counts", fmt.Sprintf("at most %d combinations times draws of a slip", partsMax), strconv.FormatInt(parts, 10))
	}
	return parts <= partsMax
}

// boardsCombinations is the most combinations of a slip, whatever it costs.
func (r *Rules) boardsCombinations() int64 { return r.combinationsMax() * int64(r.BoardsMax) }

// checkStakes bounds stakes, so that neither the price of a wager nor a
// liability can overflow. A price is computed before it is compared with the limit.
func (b *book) checkStakes() bool {
	r := b.rules
	wagers := money.Amount(slices.Max(r.DrawCounts)) * money.Amount(r.boardsCombinations())
	most := money.Limit / wagers
	if r.UnitStake < most/stakeUnitsMax {
		most = r.UnitStake.Times(stakeUnitsMax)
	}
	ok := true
	for i, stake := range r.Stakes {
		if stake > most {
			b.Wrong(b.stakes[i], "stakes", "at most "+most.String())
			ok = false
		}
	}
	return ok
}

// buildIndex makes the tables; false, after a fault, if the game is too large.
func (b *book) buildIndex() bool {
	r := b.rules
	x := &r.index
	x.size = 1
	for i, m := range r.Matrices {
		s := newSpace(len(m.Elements), m.Pick, m.Columns)
		if s.size > SizeMax/x.size {
			b.Fault(b.matrices[i].Line, "matrices", "at most 2^62 combinations", "more")
			return false
		}
		x.size *= s.size
		x.spaces = append(x.spaces, s)
	}
	matches := 1
	for i, s := range r.Sets {
		x.weights = append(x.weights, matches)
		matches *= r.hitsMax(i) + 1
		if matches > matchesMax {
			b.Fault(b.matrices[s.Matrix].Line, "matrices", fmt.Sprintf("at most %d ways to match the drawn sets", matchesMax), "more")
			return false
		}
	}
	if r.anyOrder() && (!r.alike() || x.size > orderMax) {
		b.Fault(b.matrices[0].Line, "matrices", "matrices of as many elements, one picked and one drawn of each, since a tier is won in any order", "others")
		return false
	}
	r.indexMatches()
	return true
}

// checkTiers: each tier can be won, and no combination wins less than its highest tier (IAT-6.2).
func (b *book) checkTiers(t int) bool {
	r := b.rules
	tiers, nodes := r.Tables[t].Tiers, b.tables[t].tiers
	ok := true
	for i, n := range r.winning(t) {
		if n == 0 {
			b.Fault(nodes[i].tier.Line, tierWhat(tiers[i], "hits"), "hits that a combination can have and no tier before takes", "none")
			ok = false
		}
	}
	hidden := map[int]bool{} // tiers with a greater prize than one before them that takes some of their combinations
	for match, first := range r.index.tiers[t] {
		if first < 0 || r.index.ways[match] == 0 {
			continue
		}
		hits, ordered := r.hits(match), r.ordered(match)
		for i := int(first) + 1; i < len(tiers); i++ {
			if tiers[i].wonBy(hits, ordered) && tiers[first].Share == nil && worth(tiers[i]) > worth(tiers[first]) {
				hidden[i] = true
			}
		}
	}
	for i, tier := range tiers {
		if hidden[i] {
			b.Wrong(nodes[i].prize, tierWhat(tier, "prize"), "no more than a tier before that takes the same hits")
			ok = false
		}
	}
	return ok
}

// worth orders tiers: a jackpot is above any amount, and a share of the stakes, which may be anything, below.
func worth(t Tier) money.Amount {
	if t.Jackpot {
		return money.Limit + 1
	}
	return t.Prize
}

func (b *book) checkFigures(t int) {
	r := b.rules
	printed := b.tables[t]
	odds := r.Odds(t)
	for i, tier := range r.Tables[t].Tiers {
		nodes := printed.tiers[i]
		b.Agrees(nodes.odds, tierWhat(tier, "odds"), r.OneIn(odds.Tiers[i].Probability))
		b.checkPrize(tier, nodes)
	}
	table := "prize table " + r.Tables[t].Key
	b.Agrees(printed.winning, table+": winning", odds.Winning.String())
	b.Agrees(printed.anyPrize, table+": any_prize", r.OneInAny(odds.Any))
	b.Agrees(printed.payoutRate, table+": payout_rate", odds.Payout.RatString())
	b.Agrees(printed.shared, table+": shared", odds.Shared.RatString())
	shared := odds.Shared
	if r.Jackpot != nil {
		shared = new(big.Rat).Add(shared, r.Jackpot.Share)
		if t == 0 {
			b.Agrees(b.jackpot["payout_rate"], "jackpot: payout_rate", new(big.Rat).Add(odds.Payout, shared).RatString())
		}
	}
	if shared.Cmp(big.NewRat(1, 1)) > 0 {
		b.Fault(printed.table.Line, table, "shares of at most all the stakes", shared.RatString())
	}
}

// checkPrize bounds the prize, with the greatest multiplier, times the most unit
// stakes on one combination or on all those of a slip, and compares the prizes
// printed by stake.
func (b *book) checkPrize(tier Tier, nodes printedTier) {
	r := b.rules
	what := tierWhat(tier, "prize")
	units := max(r.unitsMax(), r.unitsOfTopStake()*r.boardsCombinations())
	if most := min(prizeMax, winMax/money.Amount(units)) / money.Amount(r.timesMax()); tier.Prize > most {
		b.Wrong(nodes.prize, what, "at most "+most.String())
		return
	}
	if nodes.byStake == nil {
		return
	}
	what = tierWhat(tier, "by_stake")
	if tier.Jackpot || tier.Share != nil {
		b.Wrong(nodes.byStake, what, "nothing for what is shared")
		return
	}
	for i, n := range b.List(nodes.byStake, what, len(r.Stakes), len(r.Stakes)) {
		want := tier.Prize.Times(int64(r.Stakes[i] / r.UnitStake))
		if got := b.Amount(n, what); got != 0 && got != want {
			b.Wrong(n, what, want.String())
		}
	}
}

func tierWhat(t Tier, field string) string { return fmt.Sprintf("tier %s: %s", t.Name, field) }
