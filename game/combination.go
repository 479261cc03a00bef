package game

import (
	"errors"
	"fmt"
	"slices"
)

// Combination is the rank of a combination in its game's space: 0 ≤ c < Rules.Size().
// Matrices are the digits of a mixed radix, the first one the most significant;
// within a matrix picks are in colexicographic order, or, where it has columns,
// in mixed radix again, the first column the most significant.
type Combination int64

// Picks are elements by matrix, each 1-based and ascending: the words of a
// combination, or of a multiple play, which has more elements than one combination.
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
	Want, Got int    // elements to pick, elements picked; columns in a matrix with columns that misses some
	Element   int    // the element at fault, for [ErrElement]
	Column    int    // the first column at fault, from 1, in a matrix with columns; else 0
}

// Error names the matrix, and the element or the counts.
func (e *PicksError) Error() string {
	if errors.Is(e.Err, ErrElement) {
		return fmt.Sprintf("%v: %s: element %d", e.Err, e.Matrix, e.Element)
	}
	if e.Matrix == "" {
		return fmt.Sprintf("%v: expected %d matrices, got %d", e.Err, e.Want, e.Got)
	}
	if e.Column > 0 {
		return fmt.Sprintf("%v: %s: expected %d, got %d, column %d", e.Err, e.Matrix, e.Want, e.Got, e.Column)
	}
	return fmt.Sprintf("%v: %s: expected %d, got %d", e.Err, e.Matrix, e.Want, e.Got)
}

// Unwrap returns the sentinel.
func (e *PicksError) Unwrap() error { return e.Err }

// Size returns the number of combinations (IAT-2.2: 348,840).
func (r *Rules) Size() int64 { return r.index.size }

// CheckPicks returns nil for the picks of one combination, or of a multiple
// play that the game has, in any order; else a [*PicksError] for the first
// matrix at fault, or a [*ShapeError].
func (r *Rules) CheckPicks(p Picks) error {
	_, _, err := r.ShapeOf(p)
	return err
}

// Rank returns the combination of picks in any order, or a [*PicksError]. The
// picks of a multiple play are too many.
func (r *Rules) Rank(p Picks) (Combination, error) {
	if err := r.checkElements(p); err != nil {
		return 0, err
	}
	for i := range r.Matrices {
		m, picked := &r.Matrices[i], p.of(i)
		switch {
		case len(picked) > m.Pick:
			return 0, m.fault(ErrTooMany, picked)
		case len(picked) < m.Pick:
			return 0, m.fault(ErrTooFew, picked)
		case m.Columns > 0 && slices.Contains(m.byColumn(picked), 0):
			return 0, m.emptyColumn(picked)
		}
	}
	return r.rank(p), nil
}

// rank is the combination of checked picks.
func (r *Rules) rank(p Picks) Combination {
	var c int64
	for i := range r.Matrices {
		m, s := &r.Matrices[i], &r.index.spaces[i]
		c = c*s.size + s.rank(maskOf(m, p.of(i)), m.First)
	}
	return Combination(c)
}

// checkElements refuses a matrix too many, and elements that a matrix does not
// have or that are picked twice.
func (r *Rules) checkElements(p Picks) error {
	if len(p) > len(r.Matrices) {
		return &PicksError{Err: ErrTooMany, Want: len(r.Matrices), Got: len(p)}
	}
	for i := range r.Matrices {
		m := &r.Matrices[i]
		var seen Mask
		for _, e := range p.of(i) {
			if e < 1 || e > len(m.Elements) || seen.has(m.First+e-1) {
				fault := m.fault(ErrElement, p[i])
				fault.Element = e
				return fault
			}
			seen.set(m.First + e - 1)
		}
	}
	return nil
}

// of returns the elements picked in a matrix; missing ones are none.
func (p Picks) of(matrix int) []int {
	if matrix < len(p) {
		return p[matrix]
	}
	return nil
}

func (m *Matrix) fault(err error, picked []int) *PicksError {
	return &PicksError{Err: err, Matrix: m.Key, Name: m.Name, Want: m.Pick, Got: len(picked)}
}

// emptyColumn is the fault of picks that leave a column empty.
func (m *Matrix) emptyColumn(picked []int) *PicksError {
	fault := m.fault(ErrTooFew, picked)
	columns := m.byColumn(picked)
	fault.Column = 1 + slices.Index(columns, 0)
	fault.Got = 0
	for _, n := range columns {
		fault.Got += min(n, 1)
	}
	return fault
}

// byColumn counts elements by column.
func (m *Matrix) byColumn(picked []int) []int {
	n := make([]int, m.Columns)
	for _, e := range picked {
		n[m.Column(e)]++
	}
	return n
}

func maskOf(m *Matrix, picked []int) Mask {
	var mask Mask
	for _, e := range picked {
		mask.set(m.First + e - 1)
	}
	return mask
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
