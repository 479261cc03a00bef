package instant

import (
	"fmt"
	"math/bits"

	"tirage/money"
)

// Left is a pool as far as it was sold, for the guard and the counters.
type Left struct {
	Sold   int
	Counts []int // units sold that won, by prize of the table
	Paid   money.Amount
}

// Guard tells whether what was sold of a pool can be: nil, or [ErrGuard] with
// what cannot: more units with a prize than the table has, or units with it, or
// money paid, outside what happens by chance but once in oneIn pools (F12).
//
// Units are drawn without replacement, so how many of those sold have a prize,
// or have it or a greater one, is hypergeometric. Guard bounds both tails of
// both for each prize. The money paid must be that of the prizes to the cent;
// it is a sum of the second counts, each times the step between two prizes, so
// their bounds are its bounds too.
//
// The promise is for whole pools, asked about as often as after each unit. After
// n units a tail is refused below 1 in oneIn × tails × H × n, where H is at
// least 1 + 1/2 + … + 1/units, so that all of these together are at most 1 in
// oneIn. Asking takes well under a microsecond while nothing is out of the ordinary.
func Guard(t *PrizeTable, units int, l Left, oneIn uint64) error {
	if len(l.Counts) != len(t.Prizes) || l.Sold < 0 || l.Sold > units {
		return fmt.Errorf("%w: %d units sold of %d, %d prizes of %d", ErrGuard, l.Sold, units, len(l.Counts), len(t.Prizes))
	}
	assert(units <= unitsMax && oneIn <= oneInMax, "bounds of a rule book")
	var paid money.Amount
	for i, count := range l.Counts {
		p := t.Prizes[i]
		if count < 0 || count > p.Units {
			return fmt.Errorf("%w: %d units with %s, of %d in the pool", ErrGuard, count, p.Amount, p.Units)
		}
		paid = paid.Add(p.Amount.Times(int64(count)))
	}
	if paid != l.Paid {
		return fmt.Errorf("%w: %s was paid, but prizes of %s were won", ErrGuard, l.Paid, paid)
	}
	rare := oneIn * uint64(4*len(t.Prizes)*bits.Len(uint(units))*l.Sold)
	have, count := 0, 0 // with this prize or a greater one
	for i, p := range t.Prizes {
		have, count = have+p.Units, count+l.Counts[i]
		if cannotBe(units, p.Units, l.Sold, l.Counts[i], rare) {
			return fmt.Errorf("%w: %d units with %s among %d, of %d in the pool", ErrGuard, l.Counts[i], p.Amount, l.Sold, p.Units)
		}
		if cannotBe(units, have, l.Sold, count, rare) {
			return fmt.Errorf("%w: %d units with %s or more among %d, of %d in the pool", ErrGuard, count, p.Amount, l.Sold, have)
		}
	}
	return nil
}

// cannotBe tells whether so few or so many marked ones among those drawn from a
// pool come by chance in less than 1 of rare cases. It never says so of what is
// less rare; what is rarer it may miss by a factor of four or so.
//
// With P(c) the probability of c marked ones, P(c+1)/P(c) is
// (marked−c)(drawn−c) / ((c+1)(pool−marked−drawn+c+1)), which falls as c grows
// and is at most 1 from the most probable number on. So each P follows from the
// greatest, which is at most 1 over the sum of what was passed relative to it;
// and the tail from c on is at most P(c)/(1−q), q being the ratio at c. All is
// rounded to the side that passes.
func cannotBe(pool, marked, drawn, count int, rare uint64) bool {
	if count > min(marked, drawn) || count < drawn-(pool-marked) {
		return true
	}
	mode := mostProbable(pool, marked, drawn)
	if count < mode { // too few of the marked are too many of the others
		marked, count = pool-marked, drawn-count
		mode = mostProbable(pool, marked, drawn)
	}
	away := count - mode
	if away == 0 {
		return false
	}
	variance := drawn * marked / pool * (pool - marked) / pool * (pool - drawn) / pool
	if away*away <= 16*variance {
		return false // within four standard deviations, as nearly always
	}
	p, sum := certain, uint64(1)<<sumBits
	for c := mode; c < count; c++ {
		p = p.times(ratio(pool, marked, drawn, c))
		sum += p.mantissa >> (p.exponent - sumBits)
		if p.exponent > 200 {
			return true // the tail is below 2⁻⁹⁰
		}
	}
	num, den := ratio(pool, marked, drawn, count)
	factor := bits.Len64(den / (den - num)) // 1/(1−q) is less than 2 to the power of it
	hi, lo := bits.Mul64(rare, 1<<sumBits)
	rare, _ = bits.Div64(hi, lo, sum)
	hi, lo = bits.Mul64(p.mantissa, rare+1)
	length := bits.Len64(lo)
	if hi > 0 {
		length = 64 + bits.Len64(hi)
	}
	return length <= p.exponent-factor
}

// mostProbable is the most probable number of marked ones among those drawn.
func mostProbable(pool, marked, drawn int) int { return (drawn + 1) * (marked + 1) / (pool + 2) }

// ratio is P(c+1)/P(c); c is at least [mostProbable], so it is less than 1.
func ratio(pool, marked, drawn, c int) (num, den uint64) {
	return uint64(marked-c) * uint64(drawn-c), uint64(c+1) * uint64(pool-marked-drawn+c+1)
}

// sumBits are the bits after the point of a sum of probabilities.
const sumBits = 20

// probability is mantissa × 2^−exponent, with the highest bit of mantissa set.
// Each product is rounded up, by less than 2⁻⁶² of it.
type probability struct {
	mantissa uint64
	exponent int
}

var certain = probability{1 << 63, 63}

// times multiplies by num/den, which is more than 0 and at most 1.
func (p probability) times(num, den uint64) probability {
	hi, lo := bits.Mul64(p.mantissa, num)
	q, rest := bits.Div64(hi, lo, den)
	if rest > 0 {
		q++
	}
	shift := bits.LeadingZeros64(q)
	return probability{q << shift, p.exponent + shift}
}
