package game

import (
	"math/big"
	"math/bits"
	"slices"
)

// orderMax is the most combinations of a game with tiers in any order: its
// pairs of a combination and a result still fit an integer.
const orderMax = 1 << 31

// anyOrder tells whether a table has a tier in any order.
func (r *Rules) anyOrder() bool {
	return slices.ContainsFunc(r.Tables, func(t PrizeTable) bool {
		return slices.ContainsFunc(t.Tiers, func(tier Tier) bool { return tier.AnyOrder })
	})
}

// alike tells whether all matrices have as many elements, of which one is
// picked and one drawn, so that their elements can be drawn in another order.
func (r *Rules) alike() bool {
	for m, matrix := range r.Matrices {
		if len(matrix.Elements) != len(r.Matrices[0].Elements) || matrix.Pick != 1 || len(r.Sets) != len(r.Matrices) ||
			r.Sets[m].Matrix != m || r.Sets[m].Count != 1 {
			return false
		}
	}
	return true
}

// pairsTo counts the pairs of a combination and a result that have these hits
// and are, or are not, each other in some order. The hits may each be any
// element; reordered counts the ways of the matrices without a hit, by how many they are.
func (r *Rules) pairsTo(hits []int, ordered bool, reordered []int64) int64 {
	pairs, missed := int64(1), 0
	for _, h := range hits {
		if h == 0 {
			missed++
		} else {
			pairs *= int64(len(r.Matrices[0].Elements))
		}
	}
	pairs *= reordered[missed]
	if ordered {
		return pairs
	}
	return r.waysTo(hits)*r.index.size - pairs
}

// reordered is the [reorderings] of 0 to all matrices; each is less than the
// number of pairs, which an integer holds.
func (r *Rules) reordered() []int64 {
	n := make([]int64, len(r.Matrices)+1)
	for d := range n {
		n[d] = reorderings(len(r.Matrices[0].Elements), d).Int64()
	}
	return n
}

// reorderings counts the pairs of sequences of d of n elements, of which each
// is the other in another order and no place has the same element in both: all
// pairs that are each other in some order, less those with places alike
// (inclusion and exclusion over these places).
func reorderings(n, d int) *big.Int {
	sum := new(big.Int)
	for j := range d + 1 {
		term := new(big.Int).Binomial(int64(d), int64(j))
		term.Mul(term, new(big.Int).Exp(big.NewInt(int64(n)), big.NewInt(int64(j)), nil))
		term.Mul(term, rearrangements(n, d-j))
		if j%2 == 1 {
			term.Neg(term)
		}
		sum.Add(sum, term)
	}
	return sum
}

// rearrangements counts the pairs of sequences of d of n elements that are each
// other in some order: with c places for the last element in each, the rest are
// such pairs of n−1 elements.
func rearrangements(n, d int) *big.Int {
	pairs := make([]*big.Int, d+1) // by length, of the elements so far
	for k := range pairs {
		pairs[k] = new(big.Int)
	}
	pairs[0].SetInt64(1)
	for range n {
		for k := d; k >= 0; k-- { // longer ones first: they are made of shorter ones without this element
			sum := new(big.Int)
			for c := range k + 1 {
				places := new(big.Int).Binomial(int64(k), int64(c))
				sum.Add(sum, places.Mul(places.Mul(places, places), pairs[k-c]))
			}
			pairs[k] = sum
		}
	}
	return pairs[d]
}

// inOrder tells whether a combination has the elements that were drawn, one
// from each matrix, in whatever order.
func (m *Matcher) inOrder(mask Mask) bool {
	var more [ElementsMax]int8 // by element: picked more often than drawn
	for i := range m.rules.Matrices {
		first := m.rules.Matrices[i].First
		more[mask.next(first)-first]++
		more[m.sets[i].next(first)-first]--
	}
	return more == [ElementsMax]int8{}
}

// next is the first bit set from a bit on; there must be one.
func (m *Mask) next(bit int) int {
	if bit < 64 {
		if rest := m[0] >> bit; rest != 0 {
			return bit + bits.TrailingZeros64(rest)
		}
		bit = 64
	}
	return bit + bits.TrailingZeros64(m[1]>>(bit-64))
}
