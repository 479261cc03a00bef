package game

import (
	"math/big"
	"slices"

	"tirage/money"
)

// Odds are the exact chances of a prize table, for one combination played for
// a unit stake in one draw. A jackpot is no fixed sum: the tiers that are one
// count in Any, but neither in Payout nor in Variance unless [Terms] name an
// amount; and so do those that win a share of the stakes, which Shared sums up.
type Odds struct {
	Combinations *big.Int
	// Cases are the combinations; in a game with tiers in any order, where a
	// result with equal elements has fewer winners than another, all pairs of a
	// combination and a result.
	Cases    *big.Int
	Winning  *big.Int   // cases that win: combinations, against any given result
	Tiers    []TierOdds // by index in PrizeTable.Tiers
	Any      *big.Rat   // probability of any prize
	Payout   *big.Rat   // payout rate (taux de retour aux joueurs), with the multiplier
	Variance *big.Rat   // of the prize, with the multiplier, in square euros
	Shared   *big.Rat   // share of the stakes divided among the winners of tiers that say so
	Jackpot  bool       // a jackpot tier is left out of Payout and Variance
}

// TierOdds are the chances of one tier.
type TierOdds struct {
	Winning     *big.Int // cases that win it
	Probability *big.Rat
}

// Terms are what odds are asked for; the zero value is the game as it is, jackpots left out.
type Terms struct {
	Once    bool         // every prize once: the multiplier is left out
	Jackpot money.Amount // what a unit stake of a jackpot tier wins, which is not multiplied; 0: left out
}

// Odds returns the exact odds of a table, an index in r.Tables, from the
// counts of combinations by hits; a combination wins its first tier only (IAT-6.2).
func (r *Rules) Odds(table int) Odds { return r.OddsOn(table, Terms{}) }

// OddsOn is [Rules.Odds] on other terms.
func (r *Rules) OddsOn(table int, terms Terms) Odds {
	tiers := r.Tables[table].Tiers
	winning := r.winning(table)
	times, squares := r.MeanTimes(), r.meanOf(func(times int64) int64 { return times * times })
	if terms.Once {
		times, squares = big.NewRat(1, 1), big.NewRat(1, 1)
	}
	o := Odds{
		Combinations: big.NewInt(r.index.size), Cases: big.NewInt(r.index.cases),
		Winning: new(big.Int), Shared: new(big.Rat), Tiers: make([]TierOdds, len(tiers)),
	}
	mean, square := new(big.Rat), new(big.Rat) // the multiplier and the combination are independent
	add := func(p *big.Rat, prize money.Amount, times, squares *big.Rat) {
		share := new(big.Rat).Mul(p, prize.Rat())
		mean.Add(mean, new(big.Rat).Mul(share, times))
		share.Mul(share, prize.Rat())
		square.Add(square, share.Mul(share, squares))
	}
	for i, tier := range tiers {
		n := big.NewInt(winning[i])
		p := new(big.Rat).SetFrac(n, o.Cases)
		o.Tiers[i] = TierOdds{Winning: n, Probability: p}
		o.Winning.Add(o.Winning, n)
		switch {
		case tier.Jackpot:
			o.Jackpot = o.Jackpot || terms.Jackpot == 0
			add(p, terms.Jackpot, big.NewRat(1, 1), big.NewRat(1, 1))
		case tier.Share != nil:
			o.Shared.Add(o.Shared, tier.Share)
		default:
			add(p, tier.Prize, times, squares)
		}
	}
	o.Any = new(big.Rat).SetFrac(o.Winning, o.Cases)
	o.Payout = new(big.Rat).Quo(mean, r.UnitStake.Rat())
	o.Variance = square.Sub(square, mean.Mul(mean, mean))
	return o
}

// winning counts the cases that win each tier of a table.
func (r *Rules) winning(table int) []int64 {
	n := make([]int64, len(r.Tables[table].Tiers))
	for match, tier := range r.index.tiers[table] {
		if tier >= 0 {
			n[tier] += r.index.ways[match]
		}
	}
	return n
}

// OneIn writes a probability, which is not zero, as N of "1 in N", with the
// decimals and the rounding of the rule book.
func (r *Rules) OneIn(p *big.Rat) string { return r.oneIn(p, r.Decimals) }

// OneInAny is [Rules.OneIn] for the odds of any prize, which have decimals of their own.
func (r *Rules) OneInAny(p *big.Rat) string { return r.oneIn(p, r.AnyDecimals) }

func (r *Rules) oneIn(p *big.Rat, decimals int) string {
	assert(p.Sign() > 0, "one in never")
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)
	n := new(big.Int).Mul(p.Denom(), scale)
	d := new(big.Int).Set(p.Num())
	switch r.Rounding {
	case HalfUp: // (2n + d) / 2d
		n.Lsh(n, 1).Add(n, d)
		d.Lsh(d, 1)
	case Up:
		n.Add(n, d).Sub(n, big.NewInt(1))
	}
	n.Quo(n, d)
	return new(big.Rat).SetFrac(n, scale).FloatString(decimals)
}

// Liability returns the most that one combination can win in one draw by the
// fixed prizes of a table, with the greatest multiplier: 1,000,000 € for L'Ile
// au Trésor (IAT-3). It is zero for a game without a cap, where nothing bounds it.
func (r *Rules) Liability(table int) money.Amount {
	if r.Cap.Max == 0 {
		return 0
	}
	return r.topPrize(table).Times(r.timesMax()).Times(r.unitsMax())
}

// topPrize is the greatest fixed prize for a unit stake.
func (r *Rules) topPrize(table int) money.Amount {
	var top money.Amount
	for _, tier := range r.Tables[table].Tiers {
		top = max(top, tier.Prize)
	}
	return top
}

// unitsMax is the most unit stakes that can stand on one combination in one
// draw under the cap; without a cap, those of one wager.
func (r *Rules) unitsMax() int64 {
	switch {
	case r.Cap.Max == 0:
		return r.unitsOfTopStake()
	case r.Cap.Counts == CountWagers:
		return r.unitsOfTopStake() * int64(r.Cap.Max)
	default:
		return int64(r.Cap.Max)
	}
}

func (r *Rules) unitsOfTopStake() int64 { return int64(slices.Max(r.Stakes) / r.UnitStake) }

// Units returns how many unit stakes (mises unitaires) a stake is; ok is false
// for a stake that the rules do not allow (IAT-2.1).
func (r *Rules) Units(stake money.Amount) (units int64, ok bool) {
	if slices.Contains(r.Stakes, stake) {
		return int64(stake / r.UnitStake), true
	}
	return 0, false
}
