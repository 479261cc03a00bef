package game

import (
	"errors"
	"fmt"
	"slices"
)

// ErrResult is a result that a draw of the game cannot have.
var ErrResult = errors.New("not a result of this game")

// Matcher tells which tier of one prize table a combination wins against one
// result. It is read-only and does not allocate: a settlement runs it on every part.
type Matcher struct {
	rules *Rules
	sets  []Mask // drawn elements, by set
	tiers []int16
}

// Matcher returns the matcher of a table, an index in r.Tables, and a result.
// It returns [ErrResult] when a set has another count, an element that its
// matrix does not have, one that was drawn before, or two of one column.
func (r *Rules) Matcher(table int, res Result) (*Matcher, error) {
	if len(res) != len(r.Sets) {
		return nil, fmt.Errorf("%w: %d sets, expected %d", ErrResult, len(res), len(r.Sets))
	}
	var drawn Mask
	m := &Matcher{rules: r, sets: make([]Mask, len(res)), tiers: r.index.tiers[table]}
	for i, elements := range res {
		set := r.Sets[i]
		matrix := r.Matrices[set.Matrix]
		if len(elements) != set.Count {
			return nil, fmt.Errorf("%w: set %s: %d elements, expected %d", ErrResult, set.Key, len(elements), set.Count)
		}
		for _, e := range elements {
			if e < 1 || e > len(matrix.Elements) || drawn.has(matrix.First+e-1) {
				return nil, fmt.Errorf("%w: set %s: element %d unknown or drawn twice", ErrResult, set.Key, e)
			}
			drawn.set(matrix.First + e - 1)
			m.sets[i].set(matrix.First + e - 1)
		}
		if matrix.Columns > 0 && slices.Contains(matrix.byColumn(elements), 0) {
			return nil, fmt.Errorf("%w: set %s: a column without an element", ErrResult, set.Key)
		}
	}
	return m, nil
}

// Hits returns how many elements of each set the combination has.
func (m *Matcher) Hits(c Combination) []int {
	mask := m.rules.Mask(c)
	hits := make([]int, len(m.sets))
	for i := range m.sets {
		hits[i] = mask.common(&m.sets[i])
	}
	return hits
}

// Tier returns the tier that the combination wins, the first that its hits
// match (IAT-6.2), as an index in the table's Tiers, or -1 when it loses.
func (m *Matcher) Tier(c Combination) int {
	mask := m.rules.Mask(c)
	match := 0
	for i := range m.sets {
		match += m.rules.index.weights[i] * mask.common(&m.sets[i])
	}
	if order := m.rules.index.order; order > 0 && m.inOrder(mask) {
		match += order
	}
	return int(m.tiers[match])
}
