package game

import (
	"math/big"
	"slices"

	"tirage/money"
)

// Odds are the exact chances of a prize table, for one combination played for
// a unit stake in one draw. A jackpot is no fixed sum: the tiers that are one
// count in Any, but neither in Payout nor in Variance.
type Odds struct {
	Combinations *big.Int
	Winning      *big.Int   // combinations that win against any given result
	Tiers        []TierOdds // by index in PrizeTable.Tiers
	Any          *big.Rat   // probability of any prize
	Payout       *big.Rat   // payout rate (taux de retour aux joueurs) without jackpots
	Variance     *big.Rat   // of the prize without jackpots, in square euros
	Jackpot      bool       // a tier is left out of Payout and Variance
}

// TierOdds are the chances of one tier.
type TierOdds struct {
	Winning     *big.Int // combinations that win it against any given result
	Probability *big.Rat
}

// Odds returns the exact odds of a table, an index in r.Tables, from the
// counts of combinations by hits; a combination wins its first tier only (IAT-6.2).
func (r *Rules) Odds(table int) Odds {
	tiers := r.Tables[table].Tiers
	winning := r.winning(table)
	size := big.NewInt(r.index.size)
	o := Odds{Combinations: size, Winning: new(big.Int), Tiers: make([]TierOdds, len(tiers))}
	mean, square := new(big.Rat), new(big.Rat)
	for i, tier := range tiers {
		n := big.NewInt(winning[i])
		p := new(big.Rat).SetFrac(n, size)
		o.Tiers[i] = TierOdds{Winning: n, Probability: p}
		o.Winning.Add(o.Winning, n)
		o.Jackpot = o.Jackpot || tier.Jackpot
		share := new(big.Rat).Mul(p, tier.Prize.Rat())
		mean.Add(mean, share)
		square.Add(square, share.Mul(share, tier.Prize.Rat()))
	}
	o.Any = new(big.Rat).SetFrac(o.Winning, size)
	o.Payout = new(big.Rat).Quo(mean, r.UnitStake.Rat())
	o.Variance = square.Sub(square, mean.Mul(mean, mean))
	return o
}

// winning counts the combinations that win each tier of a table.
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
func (r *Rules) OneIn(p *big.Rat) string {
	assert(p.Sign() > 0, "one in never")
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(r.Decimals)), nil)
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
	return new(big.Rat).SetFrac(n, scale).FloatString(r.Decimals)
}

// Liability returns the most that one combination can win in one draw by the
// fixed prizes of a table: 1,000,000 € for L'Ile au Trésor (IAT-3). It is zero
// for a game without a cap, where nothing bounds it.
func (r *Rules) Liability(table int) money.Amount {
	if r.Cap.Max == 0 {
		return 0
	}
	return r.topPrize(table).Times(r.unitsMax())
}

// LiabilityByStake is [Rules.Liability] when only one of r.Stakes is played: by
// stake, as many equal wagers as the cap lets through. It is nil without a cap.
func (r *Rules) LiabilityByStake(table int) []money.Amount {
	if r.Cap.Max == 0 {
		return nil
	}
	liabilities := make([]money.Amount, len(r.Stakes))
	for i, stake := range r.Stakes {
		units := int64(stake / r.UnitStake)
		wagers := int64(r.Cap.Max)
		if r.Cap.Counts == CountUnitStakes {
			wagers /= units
		}
		liabilities[i] = r.topPrize(table).Times(wagers * units)
	}
	return liabilities
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
