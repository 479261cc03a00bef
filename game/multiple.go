package game

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrShape is a multiple play of a shape that the game does not have: unequal
// extra elements, or so many in so many columns (AMI-3.1.6). [ShapeError] tells which.
var ErrShape = errors.New("shape of a multiple play not allowed")

// ShapeError is a refusal by [ErrShape].
type ShapeError struct {
	Matrix string // key of the matrix with columns
	Name   Text   // of the matrix
	// Extras is how many extra elements each column has; of a quick pick, the
	// shape asked for. All zero: several elements of another matrix, with a
	// simple combination (jackpot_only_multiple).
	Extras  []int
	Also    int     // elements of Rules.Multiple.Also
	Allowed []Shape // those that the game has
}

// Error names the matrix and tells what each column has.
func (e *ShapeError) Error() string {
	allowed := make([]string, len(e.Allowed))
	for i, s := range e.Allowed {
		allowed[i] = s.String()
	}
	return fmt.Sprintf("%v: %s: extra elements by column %v, %d of the other matrix, allowed %s",
		ErrShape, e.Matrix, e.Extras, e.Also, strings.Join(allowed, ", "))
}

// Is makes the error an [ErrShape].
func (e *ShapeError) Is(target error) bool { return target == ErrShape }

// String writes a shape as the regulation's table does, "2×3" being 2 extra elements in each of 3 columns.
func (s Shape) String() string { return fmt.Sprintf("%d×%d", s.Extras, s.Columns) }

// Combinations is how many combinations a play of the shape stands for, with
// so many elements of Rules.Multiple.Also (AMI-3.1.7): 0 also counts as one.
func (s Shape) Combinations(also int) int64 {
	n := int64(max(1, also))
	for range s.Columns {
		n *= int64(s.Extras) + 1
	}
	return n
}

// ShapeOf returns the shape of picks, and how many elements of
// Rules.Multiple.Also they have (0 in games without), or the error of [Rules.CheckPicks].
func (r *Rules) ShapeOf(p Picks) (shape Shape, also int, err error) {
	if err := r.checkElements(p); err != nil {
		return Shape{}, 0, err
	}
	for i := range r.Matrices {
		if err := r.checkCount(i, p.of(i)); err != nil {
			return Shape{}, 0, err
		}
	}
	if r.Multiple.Also >= 0 {
		also = len(p.of(r.Multiple.Also))
	}
	if len(r.Multiple.Shapes) == 0 {
		return Shape{}, also, nil
	}
	extras := r.Matrices[r.Multiple.Matrix].byColumn(p.of(r.Multiple.Matrix))
	equal := true
	for i := range extras {
		extras[i]--
		if extras[i] > 0 {
			equal = equal && (shape.Extras == 0 || shape.Extras == extras[i])
			shape.Extras = extras[i]
			shape.Columns++
		}
	}
	if !equal || !r.hasShape(shape, also) {
		return Shape{}, 0, r.shapeError(extras, also)
	}
	return shape, also, nil
}

// checkCount refuses too few elements of a matrix, and more than any play may have.
func (r *Rules) checkCount(matrix int, picked []int) error {
	m := &r.Matrices[matrix]
	switch {
	case m.Columns > 0:
		columns := m.byColumn(picked)
		if slices.Contains(columns, 0) {
			return m.emptyColumn(picked)
		}
		if full := slices.IndexFunc(columns, func(n int) bool { return n > 1 }); full >= 0 && !r.multiplies(matrix) {
			fault := m.fault(ErrTooMany, picked)
			fault.Column = full + 1
			return fault
		}
	case len(picked) < m.Pick:
		return m.fault(ErrTooFew, picked)
	case len(picked) > r.most(matrix):
		fault := m.fault(ErrTooMany, picked)
		fault.Want = r.most(matrix)
		return fault
	}
	return nil
}

// multiplies tells whether the columns of a matrix may take extra elements.
func (r *Rules) multiplies(matrix int) bool {
	return len(r.Multiple.Shapes) > 0 && r.Multiple.Matrix == matrix
}

// most is the most elements that a play may have of a matrix without columns.
func (r *Rules) most(matrix int) int {
	if r.Multiple.Also == matrix {
		return r.Multiple.AlsoMax
	}
	return r.Matrices[matrix].Pick
}

// hasShape tells whether the game has plays of a shape with so many elements of Also.
func (r *Rules) hasShape(s Shape, also int) bool {
	if s == (Shape{}) {
		return also <= 1 || r.Multiple.AlsoAlone
	}
	return slices.Contains(r.Multiple.Shapes, s)
}

func (r *Rules) shapeError(extras []int, also int) *ShapeError {
	m := &r.Matrices[r.Multiple.Matrix]
	return &ShapeError{Matrix: m.Key, Name: m.Name, Extras: extras, Also: also, Allowed: r.Multiple.Shapes}
}

// CheckQuickPick checks picks that a quick pick may complete to a play of a
// shape, with so many elements of Rules.Multiple.Also (0: one): nothing is too
// few. It returns a [*ShapeError] for a shape that the game does not have, else
// what [Rules.CheckPicks] does; elements that no such play has are too many.
func (r *Rules) CheckQuickPick(p Picks, shape Shape, also int) error {
	if err := r.checkElements(p); err != nil {
		return err
	}
	if also < 0 || also > max(1, r.Multiple.AlsoMax) || !r.hasShape(shape, also) {
		return r.shapeError(shape.columns(r.Matrices[r.Multiple.Matrix].Columns), also)
	}
	for i := range r.Matrices {
		m := &r.Matrices[i]
		most := m.Pick
		if i == r.Multiple.Also {
			most = max(1, also)
		}
		if picked := p.of(i); m.Columns == 0 && len(picked) > most {
			fault := m.fault(ErrTooMany, picked)
			fault.Want = most
			return fault
		}
		if err := r.checkMarked(i, p.of(i), shape); err != nil {
			return err
		}
	}
	return nil
}

// checkMarked refuses elements marked in a matrix with columns that no play of the shape has.
func (r *Rules) checkMarked(matrix int, picked []int, shape Shape) error {
	m := &r.Matrices[matrix]
	if m.Columns == 0 {
		return nil
	}
	if !r.multiplies(matrix) {
		shape = Shape{}
	}
	extended := 0
	for column, n := range m.byColumn(picked) {
		if n > 1 {
			extended++
		}
		if n > 1+shape.Extras || extended > shape.Columns {
			fault := m.fault(ErrTooMany, picked)
			fault.Column, fault.Got, fault.Want = column+1, n, 1 // of the column
			if extended <= shape.Columns {
				fault.Want += shape.Extras
			}
			return fault
		}
	}
	return nil
}

// columns is extra elements by column for a shape that was asked for, in the first ones.
func (s Shape) columns(n int) []int {
	extras := make([]int, n)
	for i := range min(n, s.Columns) {
		extras[i] = s.Extras
	}
	return extras
}

// Combinations returns how many combinations picks stand for, or the error of [Rules.CheckPicks].
func (r *Rules) Combinations(p Picks) (int64, error) {
	shape, also, err := r.ShapeOf(p)
	if err != nil {
		return 0, err
	}
	return shape.Combinations(also), nil
}

// Expand returns the combinations that picks stand for, ascending, or the error
// of [Rules.CheckPicks]: one, or those of a multiple play (AMI-3.1.7), one for
// each choice of an element in each column and of one of the elements of Also.
func (r *Rules) Expand(p Picks) ([]Combination, error) {
	n, err := r.Combinations(p)
	switch {
	case err != nil:
		return nil, err
	case n == 1:
		return []Combination{r.rank(p)}, nil
	}
	combinations := make([]Combination, 1, n)
	for i := range r.Matrices {
		ranks := r.ranks(i, p.of(i))
		next := make([]Combination, 0, n)
		for _, c := range combinations {
			for _, rank := range ranks {
				next = append(next, c*Combination(r.index.spaces[i].size)+rank)
			}
		}
		combinations = next
	}
	return combinations, nil
}

// ranks returns the ranks within a matrix of all that checked picks stand for, ascending.
func (r *Rules) ranks(matrix int, picked []int) []Combination {
	m, s := &r.Matrices[matrix], &r.index.spaces[matrix]
	switch {
	case m.Columns > 0:
		byColumn := make([][]int, m.Columns)
		for _, e := range slices.Sorted(slices.Values(picked)) {
			byColumn[m.Column(e)] = append(byColumn[m.Column(e)], (e-1)%s.height)
		}
		ranks := []Combination{0}
		for _, digits := range byColumn {
			next := make([]Combination, 0, len(ranks)*len(digits))
			for _, rank := range ranks {
				for _, digit := range digits {
					next = append(next, rank*Combination(s.height)+Combination(digit))
				}
			}
			ranks = next
		}
		return ranks
	case r.Multiple.Also == matrix: // one element is picked
		ranks := make([]Combination, len(picked))
		for i, e := range slices.Sorted(slices.Values(picked)) {
			ranks[i] = Combination(e - 1)
		}
		return ranks
	}
	return []Combination{Combination(s.rank(maskOf(m, picked), m.First))}
}
