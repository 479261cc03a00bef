package game

import (
	"math"
	"math/bits"
	"slices"
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
// In a game with tiers in any order a match also tells, as the most significant
// digit, whether the elements are those drawn in some order.
type index struct {
	size    int64
	spaces  []space   // by matrix
	weights []int     // by set
	order   int       // weight of that digit; 0 in games without
	cases   int64     // what ways count: combinations, or pairs of a combination and a result
	ways    []int64   // by match: how many combinations match any given result so; with order: how many pairs match
	tiers   [][]int16 // by table and match: the tier won, or -1
}

// space numbers the picks of one matrix: in colexicographic order, or, with
// columns, in mixed radix, the first column the most significant digit.
type space struct {
	size   int64
	choose [][]int64 // choose[k][n] is n choose k, for k ≤ Pick and n ≤ elements; MaxInt64 where greater
	// columns of so many elements, of which one each is picked; 0: no columns
	columns, height int
}

// newSpace returns the numbering of a matrix. Its size is more than SizeMax
// where the matrix has more picks than that.
func newSpace(elements, pick, columns int) space {
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
	s := space{size: choose[pick][elements], choose: choose}
	if columns > 0 {
		s.columns, s.height, s.size = columns, elements/columns, 1
		for range columns {
			s.size = multiplied(s.size, int64(s.height))
		}
	}
	return s
}

// multiplied is the product of two positive factors; MaxInt64 where greater.
func multiplied(a, b int64) int64 {
	if a > math.MaxInt64/b {
		return math.MaxInt64
	}
	return a * b
}

func saturated(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// rank sums the binomials of the set bits of mask from bit first on; with
// columns, each of which has one, they are its digits.
func (s *space) rank(mask Mask, first int) int64 {
	var r int64
	if s.columns > 0 {
		for n := range s.columns * s.height {
			if mask.has(first + n) {
				r = r*int64(s.height) + int64(n%s.height)
			}
		}
		return r
	}
	k := 0
	for n := range len(s.choose[0]) - 1 {
		if mask.has(first + n) {
			k++
			r += s.choose[k][n]
		}
	}
	return r
}

// unrank sets the bits of the picks numbered r, the greatest element or the last column first.
func (s *space) unrank(mask *Mask, r int64, first int) {
	if s.columns > 0 {
		for n := (s.columns - 1) * s.height; n >= 0; n -= s.height {
			mask.set(first + n + int(r%int64(s.height)))
			r /= int64(s.height)
		}
		return
	}
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

// ordered tells of a match whether the elements are those drawn in some order.
func (r *Rules) ordered(match int) bool { return r.index.order > 0 && match >= r.index.order }

// hitsMax is the most elements of a set that a combination can match.
func (r *Rules) hitsMax(set int) int {
	s := r.Sets[set]
	return min(s.Count, r.Matrices[s.Matrix].Pick)
}

// waysTo counts the combinations with exactly these hits against any given
// result: in each matrix so many of each set, and the rest from what no set
// drew (a multivariate hypergeometric count), or from the other elements of the
// columns not hit. The product cannot overflow: no factor is zero, and all
// together are at most the number of combinations.
func (r *Rules) waysTo(hits []int) int64 {
	ways := int64(1)
	for m, matrix := range r.Matrices {
		space := &r.index.spaces[m]
		undrawn, missed := len(matrix.Elements), matrix.Pick
		for s, set := range r.Sets {
			if set.Matrix == m {
				undrawn -= set.Count
				missed -= hits[s]
			}
		}
		switch {
		case matrix.Columns > 0: // one set, an element of each column
			ways *= space.choose[missed][matrix.Columns]
			for range missed {
				ways *= int64(space.height - 1)
			}
			continue
		case missed < 0 || missed > undrawn:
			return 0
		}
		ways *= space.choose[missed][undrawn]
		for s, set := range r.Sets {
			if set.Matrix == m {
				ways *= space.choose[hits[s]][set.Count]
			}
		}
	}
	return ways
}

// indexMatches fills the tables of matches; spaces and weights stand.
func (r *Rules) indexMatches() {
	x := &r.index
	matches := 1
	for s := range r.Sets {
		matches *= r.hitsMax(s) + 1
	}
	x.cases = x.size
	var reordered []int64
	if r.anyOrder() {
		reordered = r.reordered()
		x.order = matches
		x.cases *= x.size
		matches *= 2
	}
	x.ways = make([]int64, matches)
	x.tiers = make([][]int16, len(r.Tables))
	for t := range x.tiers {
		x.tiers[t] = make([]int16, matches)
	}
	for match := range matches {
		hits, ordered := r.hits(match), r.ordered(match)
		if x.order == 0 {
			x.ways[match] = r.waysTo(hits)
		} else {
			x.ways[match] = r.pairsTo(hits, ordered, reordered)
		}
		for t, table := range r.Tables {
			x.tiers[t][match] = int16(slices.IndexFunc(table.Tiers, func(tier Tier) bool { return tier.wonBy(hits, ordered) }))
		}
	}
}

// wonBy tells whether hits, by set, are exactly the tier's (IAT-6.1), and the
// elements those drawn in any order where the tier asks for that.
func (t Tier) wonBy(hits []int, ordered bool) bool {
	for s, want := range t.Hits {
		if want != Any && want != hits[s] {
			return false
		}
	}
	return ordered || !t.AnyOrder
}

func assert(ok bool, what string) {
	if !ok {
		panic("game: " + what)
	}
}
