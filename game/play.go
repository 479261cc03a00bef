package game

import (
	"fmt"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// printedShapes is a line of shapes, and the combinations that it prints for them.
type printedShapes struct {
	shapes       []Shape
	combinations *yaml.Node
}

// readMultiple reads multiple play; the matrices stand.
func (b *book) readMultiple(n *yaml.Node) {
	f := b.Fields(n, multipleSection)
	b.multiple = n
	m := Multiple{
		Also:      -1,
		AlsoAlone: bool(Choice[permission](b.Reader, f["jackpot_only_multiple"], "multiple: jackpot_only_multiple", true, false)),
		Scope:     Choice(b.Reader, f["shape_scope"], "multiple: shape_scope", ShapeByBoard, ShapeBySlip),
	}
	if f["matrix"] != nil {
		m.Matrix = max(0, b.matrix(f["matrix"], "multiple: matrix"))
	}
	if f["also"] != nil {
		m.Also = b.matrix(f["also"], "multiple: also")
	}
	if (f["also"] == nil) != (f["also_max"] == nil) {
		b.Fault(n.Line, "multiple", "both also and also_max, or none", "one")
	}
	m.AlsoMax = b.Whole(f["also_max"], "multiple: also_max", 1, ElementsMax, 0)
	for _, n := range b.List(f["shapes"], "multiple: shapes", 1, shapesMax) {
		shapes := b.readShapes(n)
		for _, s := range shapes {
			if slices.Contains(m.Shapes, s) {
				b.Fault(n.Line, "shapes", "each shape once", s.String())
			}
		}
		m.Shapes = append(m.Shapes, shapes...)
	}
	b.rules.Multiple = m
}

// readShapes reads a line of shapes, so many extras in from 1 to some columns.
func (b *book) readShapes(n *yaml.Node) []Shape {
	f := b.Fields(n, shapesSection)
	extras := b.Whole(f["extras"], "shapes: extras", 1, ElementsMax, 0)
	var shapes []Shape
	if ends := b.List(f["columns"], "shapes: columns", 2, 2); ends != nil && extras > 0 {
		from := b.Whole(ends[0], "shapes: columns", 1, ElementsMax, 0)
		to := b.Whole(ends[1], "shapes: columns", 1, ElementsMax, 0)
		if from > 0 && to > 0 && from > to {
			b.Wrong(ends[1], "shapes: columns", fmt.Sprintf("at least %d", from))
		}
		for columns := from; from > 0 && columns <= to; columns++ {
			shapes = append(shapes, Shape{extras, columns})
		}
	}
	b.shapes = append(b.shapes, printedShapes{shapes, f["combinations"]})
	return shapes
}

// matrix reads the key of a matrix; -1 after a fault.
func (b *book) matrix(n *yaml.Node, what string) int {
	key := b.Slug(n, what)
	i := slices.IndexFunc(b.rules.Matrices, func(m Matrix) bool { return m.Key == key })
	if key != "" && i < 0 {
		b.Wrong(n, what, "the key of a matrix")
	}
	return i
}

func (b *book) readLimit(n *yaml.Node) {
	f := b.Fields(n, limitSection)
	b.rules.Limit = Limit{
		Max:   b.Amount(f["max"], "limit: max"),
		Scope: Choice(b.Reader, f["scope"], "limit: scope", LimitTotal, LimitPerDraw),
		Plays: Choice(b.Reader, f["plays"], "limit: plays", LimitAll, LimitMultipleOnly),
	}
	if b.rules.Limit.Max > 0 && len(b.rules.Stakes) > 0 && b.rules.Limit.Max < b.rules.Stakes[0] {
		b.Wrong(f["max"], "limit: max", "at least the least stake "+b.rules.Stakes[0].String())
	}
}

// checkMultiple: extra elements go into columns, and stand for combinations of
// what the section names and nothing else.
func (b *book) checkMultiple() bool {
	r := b.rules
	if b.multiple == nil {
		return true
	}
	line, faults := b.multiple.Line, len(b.faults)
	m := r.Multiple
	columned := r.Matrices[m.Matrix]
	if columned.Columns == 0 {
		b.Fault(line, "multiple: matrix", "a matrix with columns", columned.Key)
		return false
	}
	if m.Also >= 0 {
		also := r.Matrices[m.Also]
		if also.Pick != 1 || also.Columns > 0 || m.Also == m.Matrix || !b.drawsOne(m.Also) {
			b.Fault(line, "multiple: also", "another matrix, of which one element is picked and one drawn", also.Key)
		}
		if m.AlsoMax > len(also.Elements) {
			b.Fault(line, "multiple: also_max", fmt.Sprintf("at most %d", len(also.Elements)), strconv.Itoa(m.AlsoMax))
		}
	}
	for i := range r.Matrices {
		if i != m.Matrix && i != m.Also {
			b.Fault(line, "multiple", "no other matrices", r.Matrices[i].Key)
		}
	}
	height := len(columned.Elements) / columned.Columns
	for _, s := range m.Shapes {
		if s.Extras >= height || s.Columns > columned.Columns {
			b.Fault(line, "multiple: shapes", fmt.Sprintf("at most %d extras in %d columns", height-1, columned.Columns), s.String())
		}
	}
	return len(b.faults) == faults
}

// drawsOne tells whether one element is drawn from a matrix, in one set.
func (b *book) drawsOne(matrix int) bool {
	drawn := 0
	for _, s := range b.rules.Sets {
		if s.Matrix == matrix {
			drawn += s.Count
		}
	}
	return drawn == 1
}

// checkShapes compares the combinations printed for shapes (AMI-3.1.7).
func (b *book) checkShapes() {
	for _, line := range b.shapes {
		if line.combinations == nil {
			continue
		}
		for i, n := range b.List(line.combinations, "shapes: combinations", len(line.shapes), len(line.shapes)) {
			b.Agrees(n, "shapes: combinations", strconv.FormatInt(line.shapes[i].Combinations(1), 10))
		}
	}
}

// combinationsMax is the most combinations of one board; partsMax + 1 where more.
func (r *Rules) combinationsMax() int64 {
	simple := Shape{}.Combinations(r.Multiple.AlsoMax)
	most := simple
	for _, s := range r.Multiple.Shapes {
		n := simple
		for range s.Columns {
			n = min(n*int64(s.Extras+1), partsMax+1)
		}
		most = max(most, n)
	}
	return most
}
