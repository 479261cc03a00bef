package settle

import (
	"fmt"
	"math/big"
	"slices"

	"tirage/game"
	"tirage/money"
)

// Pot is what a game's jackpot brings to a draw.
type Pot struct {
	Amount  money.Amount // carried from the draws before; below the minimum when the jackpot starts anew, or by a version with a higher one
	Carried *big.Rat     // contributions below the cent, 0 ≤ Carried < 1 cent; nil: none
}

// Jackpot is the movement of a jackpot (cagnotte) in a settlement (AMI-8.2):
// Before + TopUp + Contribution = Paid + Rest + After.
type Jackpot struct {
	Before, TopUp, Contribution money.Amount
	Carried                     *big.Rat // as in Pot, for the next draw
	End                         End
	Extra                       Extra
	Tier                        int // the tier that it rolled down to, as an index
	Paid                        money.Amount
	Rest                        money.Amount // to the reserve of the game
	After                       money.Amount
}

// Pot is what the next draw begins with.
func (j Jackpot) Pot() Pot { return Pot{j.After, j.Carried} }

// End is what became of a jackpot in a draw.
type End uint8

const (
	JackpotWon End = iota + 1
	JackpotRolledDown
	JackpotCarried
	JackpotReserved // no_lower_winner: reserve
)

var endNames = [...]string{JackpotWon: "won", JackpotRolledDown: "rolled-down", JackpotCarried: "carried", JackpotReserved: "reserve"}

// String returns the name of the end in records: "rolled-down".
func (e End) String() string {
	if e < JackpotWon || e > JackpotReserved {
		return fmt.Sprintf("End(%d)", uint8(e))
	}
	return endNames[e]
}

// ParseEnd reads a name that [End.String] writes.
func ParseEnd(name string) (End, error) {
	if i := slices.Index(endNames[JackpotWon:], name); i >= 0 {
		return JackpotWon + End(i), nil
	}
	return 0, fmt.Errorf("unknown end of a jackpot %.20q", name)
}

// Extra is the extra draw of AMI-8.2.5, where it was due.
type Extra uint8

const (
	NoExtra       Extra = iota // below the threshold, or won
	ExtraKept                  // drawn: to the next draw
	ExtraRolled                // drawn: to the nearest lower tier with a winner
	CeilingRolled              // at the ceiling, without a draw
)

var extraNames = [...]string{NoExtra: "", ExtraKept: "kept", ExtraRolled: "rolled-down", CeilingRolled: "ceiling"}

// String returns the name in records: "kept"; empty for [NoExtra].
func (e Extra) String() string {
	if e > CeilingRolled {
		return fmt.Sprintf("Extra(%d)", uint8(e))
	}
	return extraNames[e]
}

// ParseExtra reads a name that [Extra.String] writes.
func ParseExtra(name string) (Extra, error) {
	if i := slices.Index(extraNames[:], name); i >= 0 {
		return Extra(i), nil
	}
	return 0, fmt.Errorf("unknown outcome of an extra draw %.20q", name)
}

// jackpot moves the jackpot through the draw (AMI-8.2, AMI-8.2.5), and returns
// with it what a unit stake wins of it, in the jackpot tiers or in the tier that
// it rolls down to.
func (c *Counter) jackpot(stakes money.Amount, pot Pot, rollDown bool) (Jackpot, money.Amount) {
	rules := c.rules.Jackpot
	assert(pot.Amount >= 0, "jackpot is negative")
	j := Jackpot{Before: pot.Amount, TopUp: max(0, rules.Minimum.Sub(pot.Amount))}
	j.Contribution, j.Carried = contribution(rules.Share, stakes, pot.Carried)
	basis := j.Before.Add(j.TopUp)
	fund := basis.Add(j.Contribution)
	if rules.Basis != game.BeforeShare {
		basis = fund
	}

	units := c.unitsByTier()
	if units.jackpot > 0 { // AMI-8.1.1-share
		j.End = JackpotWon
		return j, j.share(fund, units.jackpot)
	}
	switch {
	case rules.Ceiling > 0 && basis >= rules.Ceiling:
		j.Extra = CeilingRolled
	case rules.Threshold > 0 && basis >= rules.Threshold && rollDown:
		j.Extra = ExtraRolled
	case rules.Threshold > 0 && basis >= rules.Threshold:
		j.Extra = ExtraKept
	}
	rolls := j.Extra == ExtraRolled || j.Extra == CeilingRolled
	switch {
	case rolls && units.lower > 0:
		j.End, j.Tier = JackpotRolledDown, units.tier
		sum := fund
		if rules.Ceiling > 0 && rules.OverCeiling == game.OverToReserve {
			sum = min(fund, rules.Ceiling)
		}
		unitValue := j.share(sum, units.lower)
		j.Rest = j.Rest.Add(fund.Sub(sum))
		return j, unitValue
	case rolls && rules.NoLowerWinner == game.ToReserve:
		j.End, j.Rest = JackpotReserved, fund
	default:
		j.End, j.After = JackpotCarried, fund
	}
	return j, 0
}

// share divides a sum by unit stake, rounded down to the cent, and sends the rest to the reserve.
func (j *Jackpot) share(sum money.Amount, units int64) (unitValue money.Amount) {
	unitValue, j.Rest = sum.Split(units)
	j.Paid = sum.Sub(j.Rest)
	return unitValue
}

// contribution returns a share of the stakes and of what was carried, in whole
// cents, and what is carried on below the cent. Nothing is lost: contributions
// add up to the exact shares rounded down once, whatever the denominators are.
func contribution(share *big.Rat, stakes money.Amount, carried *big.Rat) (money.Amount, *big.Rat) {
	exact := new(big.Rat).Mul(share, new(big.Rat).SetInt64(int64(stakes)))
	if carried != nil {
		exact.Add(exact, carried)
	}
	assert(exact.Sign() >= 0, "contribution is negative")
	cents := new(big.Int).Quo(exact.Num(), exact.Denom())
	assert(cents.IsInt64(), "contribution overflow")
	return money.Amount(cents.Int64()), exact.Sub(exact, new(big.Rat).SetInt(cents))
}

// unitsByTier is the unit stakes that decide a jackpot, over all prize tables.
type unitsByTier struct {
	jackpot int64 // in jackpot tiers
	tier    int   // the nearest lower tier with a winner, as an index
	lower   int64 // in that tier; 0: no lower tier has a winner
}

func (c *Counter) unitsByTier() unitsByTier {
	var u unitsByTier
	for key, t := range c.lines {
		switch {
		case c.rules.Tables[key.table].Tiers[key.tier].Jackpot:
			u.jackpot += t.units
		case u.lower == 0 || key.tier < u.tier:
			u.tier, u.lower = key.tier, t.units
		case key.tier == u.tier:
			u.lower += t.units
		}
	}
	return u
}
