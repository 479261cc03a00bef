package photo

import (
	"math/rand/v2"

	"tirage/paper"
)

// Fill marks a slip as a player would whose play is allowed: on one board or
// more a simple combination, or a quick pick of all or part of one, one stake
// and one number of draws. The marks are by box of the layout.
func Fill(l *paper.Layout, chance *rand.Rand) []paper.Mark {
	marks := make([]paper.Mark, len(l.Boxes))
	for i := range marks {
		marks[i] = paper.Empty
	}
	for board := range 1 + chance.IntN(l.Boards) {
		quick := chance.IntN(5) == 0
		for m := range l.Rules.Matrices {
			left := quick && l.Rules.QuickPick.Partial && chance.IntN(2) == 0 // to chance
			if !quick || l.Rules.QuickPick.Partial && !left {
				fillMatrix(l, marks, board, m, chance)
			}
		}
		if quick {
			mark(l, marks, paper.Field{Kind: paper.QuickPick, Board: board})
		}
	}
	mark(l, marks, paper.Field{Kind: paper.Stake, N: chance.IntN(len(l.Rules.Stakes))})
	mark(l, marks, paper.Field{Kind: paper.Draws, N: chance.IntN(len(l.Rules.DrawCounts))})
	return marks
}

// fillMatrix marks as many elements of a matrix as a combination has.
func fillMatrix(l *paper.Layout, marks []paper.Mark, board, matrix int, chance *rand.Rand) {
	m := l.Rules.Matrices[matrix]
	elements := chance.Perm(len(m.Elements))[:m.Pick]
	if m.Columns > 0 {
		size := len(m.Elements) / m.Columns
		for c := range elements {
			elements[c] = c*size + chance.IntN(size)
		}
	}
	for _, e := range elements {
		mark(l, marks, paper.Field{Kind: paper.Element, Board: board, Matrix: matrix, N: e + 1})
	}
}

func mark(l *paper.Layout, marks []paper.Mark, f paper.Field) {
	for i, b := range l.Boxes {
		if b.Field == f {
			marks[i] = paper.Marked
		}
	}
}
