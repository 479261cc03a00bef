package game

import (
	"errors"
	"fmt"
)

// Combination is the rank of a combination in its game's space: 0 ≤ c < Rules.Size().
// Matrices are the digits of a mixed radix, the first one the most significant;
// within a matrix picks are in colexicographic order.
type Combination int64

// Picks are elements by matrix, each 1-based and ascending: the words of a combination.
type Picks [][]int

// Result is what a draw drew (résultat): elements by drawn set, 1-based, in the order drawn.
type Result [][]int

// Mask has a bit for each element, matrix after matrix.
type Mask [2]uint64

// What picks can have wrong; [PicksError] tells where.
var (
	// ErrTooFew is fewer elements than the game asks for (IAT-2.3.3).
	ErrTooFew = errors.New("too few elements picked")
	// ErrTooMany is more elements than the game asks for, which is never repaired (IAT-2.3.3).
	ErrTooMany = errors.New("too many elements picked")
	// ErrElement is an element that the matrix does not have, or the same one twice.
	ErrElement = errors.New("element unknown or picked twice")
)

// PicksError tells what is wrong with picks, and in which matrix.
type PicksError struct {
	Err       error  // [ErrTooFew], [ErrTooMany] or [ErrElement]
	Matrix    string // key of the matrix; empty when Want and Got count matrices
	Name      Text   // of the matrix
	Want, Got int    // elements to pick, elements picked
	Element   int    // the element at fault, for [ErrElement]
}

// Error names the matrix, and the element or the counts.
func (e *PicksError) Error() string {
	if errors.Is(e.Err, ErrElement) {
		return fmt.Sprintf("%v: %s: element %d", e.Err, e.Matrix, e.Element)
	}
	if e.Matrix == "" {
		return fmt.Sprintf("%v: expected %d matrices, got %d", e.Err, e.Want, e.Got)
	}
	return fmt.Sprintf("%v: %s: expected %d, got %d", e.Err, e.Matrix, e.Want, e.Got)
}

// Unwrap returns the sentinel.
func (e *PicksError) Unwrap() error { return e.Err }

// Size returns the number of combinations (IAT-2.2: 348,840).
func (r *Rules) Size() int64 { return r.index.size }

// CheckPicks returns nil for the picks of one combination, in any order, else
// a [*PicksError] for the first matrix at fault.
func (r *Rules) CheckPicks(p Picks) error {
	_, err := r.maskOf(p, false)
	return err
}

// CheckPartial is [Rules.CheckPicks] for picks that a quick pick may complete: nothing is too few.
func (r *Rules) CheckPartial(p Picks) error {
	_, err := r.maskOf(p, true)
	return err
}

func (r *Rules) maskOf(p Picks, partial bool) (Mask, error) {
	var mask Mask
	if len(p) > len(r.Matrices) {
		return mask, &PicksError{Err: ErrTooMany, Want: len(r.Matrices), Got: len(p)}
	}
	for i, m := range r.Matrices {
		var picked []int
		if i < len(p) {
			picked = p[i]
		}
		fault := PicksError{Matrix: m.Key, Name: m.Name, Want: m.Pick, Got: len(picked)}
		for _, e := range picked {
			if e < 1 || e > len(m.Elements) || mask.has(m.First+e-1) {
				fault.Err, fault.Element = ErrElement, e
				return mask, &fault
			}
			mask.set(m.First + e - 1)
		}
		switch {
		case len(picked) > m.Pick:
			fault.Err = ErrTooMany
			return mask, &fault
		case len(picked) < m.Pick && !partial:
			fault.Err = ErrTooFew
			return mask, &fault
		}
	}
	return mask, nil
}

// Rank returns the combination of picks in any order, or the error of [Rules.CheckPicks].
func (r *Rules) Rank(p Picks) (Combination, error) {
	mask, err := r.maskOf(p, false)
	if err != nil {
		return 0, err
	}
	var c int64
	for i, m := range r.Matrices {
		s := &r.index.spaces[i]
		c = c*s.size + s.rank(mask, m.First)
	}
	return Combination(c), nil
}

// Expand returns the combinations that picks stand for, or the error of
// [Rules.CheckPicks]: one, or those of a multiple play (AMI-3.1.7).
func (r *Rules) Expand(p Picks) ([]Combination, error) {
	c, err := r.Rank(p)
	if err != nil {
		return nil, err
	}
	return []Combination{c}, nil
}

// Mask returns the elements of a combination of this game as bits.
func (r *Rules) Mask(c Combination) Mask {
	rest := int64(c)
	assert(rest >= 0 && rest < r.index.size, "combination of another game")
	var mask Mask
	for i := len(r.Matrices) - 1; i >= 0; i-- {
		s := &r.index.spaces[i]
		s.unrank(&mask, rest%s.size, r.Matrices[i].First)
		rest /= s.size
	}
	return mask
}

// Picks returns the elements of a combination of this game, ascending.
func (r *Rules) Picks(c Combination) Picks {
	mask := r.Mask(c)
	p := make(Picks, len(r.Matrices))
	for i, m := range r.Matrices {
		p[i] = make([]int, 0, m.Pick)
		for e := range m.Elements {
			if mask.has(m.First + e) {
				p[i] = append(p[i], e+1)
			}
		}
	}
	return p
}
