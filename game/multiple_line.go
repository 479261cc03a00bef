package game

import "slices"

// MultipleLine is a line of the public table of multiple play (AMI-8.1.1): what
// a play of a shape wins by where its hits are. How many hits there are in all
// does not tell, since each extended column has a hit in one of its elements only.
type MultipleLine struct {
	Shape    Shape
	Also     int     // elements of Rules.Multiple.Also picked: jackpot numbers
	AlsoHit  bool    // one of them was drawn
	Extended int     // hits in the columns with extra elements
	Single   int     // hits in the other columns
	Winners  []int64 // winning combinations by index in PrizeTable.Tiers
}

// MultipleLines returns the public table of multiple play of a prize table, an
// index in r.Tables: for each shape, and each number of elements of
// Rules.Multiple.Also, all lines that can be, the most hits first; also those of
// a simple combination with several elements of Also, where the game has it.
func (r *Rules) MultipleLines(table int) []MultipleLine {
	if len(r.Multiple.Shapes) == 0 {
		return nil
	}
	var lines []MultipleLine
	most := max(1, r.Multiple.AlsoMax)
	for also := 2; also <= most && r.Multiple.AlsoAlone; also++ {
		lines = r.appendLines(lines, table, Shape{}, also)
	}
	for _, shape := range r.Multiple.Shapes {
		for also := 1; also <= most; also++ {
			lines = r.appendLines(lines, table, shape, also)
		}
	}
	return lines
}

// appendLines appends the lines of a shape that can be: columns of which all
// elements are picked always have a hit, and so has Also.
func (r *Rules) appendLines(lines []MultipleLine, table int, shape Shape, also int) []MultipleLine {
	m := &r.Matrices[r.Multiple.Matrix]
	least := 0
	if shape.Extras+1 == len(m.Elements)/m.Columns {
		least = shape.Columns
	}
	for _, hit := range r.alsoHits(also) {
		for extended := shape.Columns; extended >= least; extended-- {
			for single := m.Columns - shape.Columns; single >= 0; single-- {
				line := MultipleLine{Shape: shape, Also: also, AlsoHit: hit, Extended: extended, Single: single}
				line.Winners = r.lineWinners(table, line)
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// alsoHits is whether one of so many elements of Also can have been drawn, and not.
func (r *Rules) alsoHits(also int) []bool {
	switch {
	case r.Multiple.Also < 0:
		return []bool{false}
	case also == len(r.Matrices[r.Multiple.Also].Elements):
		return []bool{true}
	}
	return []bool{true, false}
}

// lineWinners counts: of the extended columns with a hit, those that take it
// have one way, the others as many as extra elements; those without a hit have
// a way for each element.
func (r *Rules) lineWinners(table int, line MultipleLine) []int64 {
	winners := make([]int64, len(r.Tables[table].Tiers))
	choose := r.index.spaces[r.Multiple.Matrix].choose
	for taken := range line.Extended + 1 {
		ways := choose[taken][line.Extended]
		for range line.Extended - taken {
			ways *= int64(line.Shape.Extras)
		}
		for range line.Shape.Columns - line.Extended {
			ways *= int64(line.Shape.Extras + 1)
		}
		with, without := 0, line.Also
		if line.AlsoHit {
			with, without = 1, line.Also-1
		}
		for alsoHits, n := range []int{without, with} {
			if tier := r.tierOf(table, line.Single+taken, alsoHits); tier >= 0 && n > 0 {
				winners[tier] += ways * int64(n)
			}
		}
	}
	return winners
}

// tierOf is the tier won with so many hits in the matrix with columns and in Also.
func (r *Rules) tierOf(table, hits, alsoHits int) int {
	match := 0
	for s, set := range r.Sets {
		switch set.Matrix {
		case r.Multiple.Matrix:
			match += hits * r.index.weights[s]
		case r.Multiple.Also:
			match += alsoHits * r.index.weights[s]
		}
	}
	return int(r.index.tiers[table][match])
}

// Wins tells whether the line wins anything.
func (l MultipleLine) Wins() bool {
	return slices.ContainsFunc(l.Winners, func(n int64) bool { return n > 0 })
}
