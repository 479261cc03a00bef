package game

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"

	"tirage/money"
)

var shareForm = regexp.MustCompile(`^[0-9]{1,10}/[0-9]{1,10}$`)

// share reads a share of the stakes, a reduced fraction above 0, at most 1; nil after a fault.
func (b *book) share(n *yaml.Node, what string) *big.Rat {
	const expected = "a reduced fraction of the stakes such as 1/20"
	s, ok := b.Scalar(n, what, expected)
	if !ok {
		return nil
	}
	if !shareForm.MatchString(s) { // first: an exponent would take long
		b.Wrong(n, what, expected)
		return nil
	}
	share, ok := new(big.Rat).SetString(s)
	switch {
	case !ok || share.String() != s || share.Sign() == 0 || share.Cmp(big.NewRat(1, 1)) > 0:
		b.Wrong(n, what, expected)
		return nil
	case share.Denom().Cmp(big.NewInt(shareDenomMax)) > 0:
		b.Wrong(n, what, fmt.Sprintf("a denominator of at most %d", shareDenomMax))
		return nil
	}
	return share
}

// prize reads a sum that may be won, or that a jackpot grows to.
func (b *book) prize(n *yaml.Node, what string) money.Amount {
	a := b.Amount(n, what)
	if a > prizeMax {
		b.Wrong(n, what, "at most "+prizeMax.String())
		return 0
	}
	return a
}

func (b *book) readMultiplier(n *yaml.Node) {
	f := b.Fields(n, multiplierSection)
	b.mean = f["mean"]
	for _, n := range b.List(f["values"], "multiplier: values", 1, multipliersMax) {
		f := b.Fields(n, timesSection)
		m := Multiplier{
			Times:   b.Whole(f["times"], "times", 1, timesMax, 0),
			Chances: b.Whole(f["chances"], "chances", 1, chancesMax, 0),
		}
		if k := len(b.rules.Multipliers); k > 0 && m.Times > 0 && m.Times <= b.rules.Multipliers[k-1].Times {
			b.Wrong(f["times"], "times", "more than the value before")
		}
		b.rules.Multipliers = append(b.rules.Multipliers, m)
	}
}

func (b *book) readJackpot(n *yaml.Node) {
	if n == nil {
		return
	}
	f := b.Fields(n, jackpotSection)
	b.jackpot = f
	j := &Jackpot{
		Share:         b.share(f["share"], "jackpot: share"),
		Minimum:       b.prize(f["minimum"], "jackpot: minimum"),
		GuaranteeFrom: Choice(b.Reader, f["guarantee_from"], "jackpot: guarantee_from", FromReserve, FromOperator),
		Threshold:     b.prize(f["threshold"], "jackpot: threshold"),
		Ceiling:       b.prize(f["ceiling"], "jackpot: ceiling"),
		OneIn:         b.Whole(f["one_in"], "jackpot: one_in", 1, chancesMax, 0),
		Basis:         Choice(b.Reader, f["threshold_basis"], "jackpot: threshold_basis", IncludingShare, BeforeShare),
		RollDown:      Choice(b.Reader, f["rolldown"], "jackpot: rolldown", AddedToPrize, ReplacesPrize),
		OverCeiling:   Choice(b.Reader, f["over_cap"], "jackpot: over_cap", OverRolledDown, OverToReserve),
		NoLowerWinner: Choice(b.Reader, f["no_lower_winner"], "jackpot: no_lower_winner", ToNextDraw, ToReserve),
	}
	if (f["threshold"] == nil) != (f["one_in"] == nil) {
		b.Fault(n.Line, "jackpot", "both threshold and one_in, or none", "one")
	}
	if f["ceiling"] != nil && j.Ceiling > 0 && j.Ceiling < max(j.Minimum, j.Threshold) {
		b.Wrong(f["ceiling"], "jackpot: ceiling", "at least "+max(j.Minimum, j.Threshold).String())
	}
	b.rules.Jackpot = j
}

// checkJackpot: the jackpot is the top tier of each table, and the tiers below,
// to which it may roll down, are the same in all of them as far as they go.
func (b *book) checkJackpot() {
	r := b.rules
	if r.Jackpot == nil {
		return
	}
	ordinary := r.Tables[0].Tiers
	for t, table := range r.Tables {
		for i, tier := range table.Tiers {
			line := b.tables[t].tiers[i].tier.Line
			switch {
			case tier.Jackpot != (i == 0):
				b.Wrong(b.tables[t].tiers[i].prize, tierWhat(tier, "prize"), "the jackpot at the top of the table only, since the book says how it is fed")
			case i < len(ordinary) && (!slices.Equal(tier.Hits, ordinary[i].Hits) || tier.AnyOrder != ordinary[i].AnyOrder):
				b.Fault(line, tierWhat(tier, "hits"), "those of tier "+ordinary[i].Name+" of the first table, to which the jackpot may roll down", "others")
			}
		}
	}
}

// timesMax is the greatest multiplier; 1 in a game without.
func (r *Rules) timesMax() int64 {
	most := 1
	for _, m := range r.Multipliers {
		most = max(most, m.Times)
	}
	return int64(most)
}

// Chance is the probability of a value of the multiplier (AMI-8.1.2).
func (r *Rules) Chance(m Multiplier) *big.Rat {
	sum := int64(0)
	for _, m := range r.Multipliers {
		sum += int64(m.Chances)
	}
	return big.NewRat(int64(m.Chances), sum)
}

// MeanTimes is the mean of the multiplier; 1 in a game without.
func (r *Rules) MeanTimes() *big.Rat { return r.meanOf(func(times int64) int64 { return times }) }

// meanOf is the mean of f of the multiplier.
func (r *Rules) meanOf(f func(times int64) int64) *big.Rat {
	if len(r.Multipliers) == 0 {
		return big.NewRat(f(1), 1)
	}
	mean := new(big.Rat)
	for _, m := range r.Multipliers {
		p := r.Chance(m)
		mean.Add(mean, p.Mul(p, big.NewRat(f(int64(m.Times)), 1)))
	}
	return mean
}
