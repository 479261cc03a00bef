package game

import (
	"math"
	"math/bits"
)

const (
	// ElementsMax is how many elements the matrices of a game may have together: the bits of a [Mask].
	ElementsMax = 128
	// SizeMax is the greatest number of combinations of a game.
	SizeMax = 1 << 62
	// matchesMax bounds the ways to match, which [Rules] holds tables of.
	matchesMax = 1 << 13
)

// index is what makes ranks, masks and tiers quick: tables made once, by Parse.
//
// A match is one value of hits for every set; matches are numbered in mixed
// radix, so that a match's number is the sum of weight × hits over the sets.
type index struct {
	size    int64
	spaces  []space   // by matrix
	weights []int     // by set
	ways    []int64   // by match: how many combinations match any given result so
	tiers   [][]int16 // by table and match: the tier won, or -1
}

// space numbers the picks of one matrix in colexicographic order.
type space struct {
	size   int64
	choose [][]int64 // choose[k][n] is n choose k, for k ≤ Pick and n ≤ elements; MaxInt64 where greater
}

func newSpace(elements, pick int) space {
	choose := make([][]int64, pick+1)
	for k := range choose {
		choose[k] = make([]int64, elements+1)
		for n := range choose[k] {
			switch {
			case k == 0:
				choose[k][n] = 1
			case n > 0:
				choose[k][n] = saturated(choose[k][n-1], choose[k-1][n-1])
			}
		}
	}
	return space{size: choose[pick][elements], choose: choose}
}

func saturated(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// rank sums the binomials of the set bits of mask from bit first on.
func (s *space) rank(mask Mask, first int) int64 {
	var r int64
	k := 0
	for n := range len(s.choose[0]) - 1 {
		if mask.has(first + n) {
			k++
			r += s.choose[k][n]
		}
	}
	return r
}

// unrank sets the bits of the picks numbered r, the greatest element first.
func (s *space) unrank(mask *Mask, r int64, first int) {
	n := len(s.choose[0]) - 2
	for k := len(s.choose) - 1; k > 0; k-- {
		row := s.choose[k]
		for row[n] > r {
			n--
		}
		r -= row[n]
		mask.set(first + n)
		n--
	}
}

func (m *Mask) set(bit int)     { m[bit>>6] |= 1 << (bit & 63) }
func (m Mask) has(bit int) bool { return m[bit>>6]>>(bit&63)&1 == 1 }

// common counts the bits set in both.
func (m *Mask) common(o *Mask) int {
	return bits.OnesCount64(m[0]&o[0]) + bits.OnesCount64(m[1]&o[1])
}

// hits returns the hits of a match by set.
func (r *Rules) hits(match int) []int {
	hits := make([]int, len(r.Sets))
	for s, weight := range r.index.weights {
		hits[s] = match / weight % (r.hitsMax(s) + 1)
	}
	return hits
}

// hitsMax is the most elements of a set that a combination can match.
func (r *Rules) hitsMax(set int) int {
	s := r.Sets[set]
	return min(s.Count, r.Matrices[s.Matrix].Pick)
}

// waysTo counts the combinations with exactly these hits against any given
// result: in each matrix so many of each set, and the rest from what no set
// drew (a multivariate hypergeometric count). The product cannot overflow:
// no factor is zero, and all together are at most the number of combinations.
func (r *Rules) waysTo(hits []int) int64 {
	ways := int64(1)
	for m, matrix := range r.Matrices {
		choose := r.index.spaces[m].choose
		undrawn, missed := len(matrix.Elements), matrix.Pick
		for s, set := range r.Sets {
			if set.Matrix == m {
				undrawn -= set.Count
				missed -= hits[s]
			}
		}
		if missed < 0 || missed > undrawn {
			return 0
		}
		ways *= choose[missed][undrawn]
		for s, set := range r.Sets {
			if set.Matrix == m {
				ways *= choose[hits[s]][set.Count]
			}
		}
	}
	return ways
}

// indexMatches fills the tables of matches; spaces and weights stand.
func (r *Rules) indexMatches(matches int) {
	x := &r.index
	x.ways = make([]int64, matches)
	x.tiers = make([][]int16, len(r.Tables))
	for t := range x.tiers {
		x.tiers[t] = make([]int16, matches)
	}
	for match := range matches {
		hits := r.hits(match)
		x.ways[match] = r.waysTo(hits)
		for t, table := range r.Tables {
			x.tiers[t][match] = -1
			for i, tier := range table.Tiers {
				if tier.wonBy(hits) {
					x.tiers[t][match] = int16(i)
					break
				}
			}
		}
	}
}

// wonBy tells whether hits, by set, are exactly the tier's (IAT-6.1).
func (t Tier) wonBy(hits []int) bool {
	for s, want := range t.Hits {
		if want != Any && want != hits[s] {
			return false
		}
	}
	return true
}

func assert(ok bool, what string) {
	if !ok {
		panic("game: " + what)
	}
}
