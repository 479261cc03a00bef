package paper

import (
	"errors"
	"slices"

	"tirage/game"
	"tirage/wager"
)

// Refusals of marks that a [wager.Slip] cannot hold (IAT-2.3.2: no default).
var (
	// ErrStakeTwice is a slip with several stakes marked.
	ErrStakeTwice = errors.New("stake marked more than once")
	// ErrDrawsTwice is a slip with several numbers of draws marked.
	ErrDrawsTwice = errors.New("number of draws marked more than once")
)

// Slip returns what the slip asks. answers says of boxes, by index, whether
// they are [Marked] or [Empty]; they hold over what was seen. When boxes are still
// unsure it returns no slip, but their indices: they must be asked. What
// the marks come to is for [wager.New] to judge: too many are not repaired.
//
// Of a board's boxes that are unsure for specks alone, of less ink than any
// mark has, the rules say that they are empty where any other reading would be refused. They
// decide nothing else: no box is marked by them, and no stake and no number of
// draws is chosen (IAT-2.3.2, IAT-2.3.3).
func (r *Reading) Slip(answers map[int]Mark) (wager.Slip, []int, error) {
	marks := slices.Clone(r.Marks)
	for i, m := range answers {
		if i >= 0 && i < len(marks) && (m == Empty || m == Marked) {
			marks[i] = m
		}
	}
	for board := range r.Layout.Boards {
		r.decide(marks, r.fields(Element, board))
	}
	stakes, draws := r.fields(Stake, 0), r.fields(Draws, 0)
	var asked []int
	for i, m := range marks {
		if m != Marked && m != Empty {
			asked = append(asked, i)
		}
	}
	if asked != nil {
		return wager.Slip{}, asked, nil
	}
	rules := r.Layout.Rules
	s := wager.Slip{Game: rules.Code}
	for board := range r.Layout.Boards {
		if b, used := r.board(marked(marks, r.fields(Element, board))); used {
			if board > len(s.Boards) {
				b.Letter = board + 1
			}
			s.Boards = append(s.Boards, b)
		}
	}
	switch m := marked(marks, stakes); len(m) {
	case 0: // left to wager.New: not marked
	case 1:
		s.Stake = rules.Stakes[r.Layout.Boxes[m[0]].Field.N]
	default:
		return wager.Slip{}, nil, ErrStakeTwice
	}
	switch m := marked(marks, draws); len(m) {
	case 0:
	case 1:
		s.Draws = rules.DrawCounts[r.Layout.Boxes[m[0]].Field.N]
	default:
		return wager.Slip{}, nil, ErrDrawsTwice
	}
	return s, nil, nil
}

// fields lists the boxes of a kind; those of a board are its elements and its quick pick.
func (r *Reading) fields(kind FieldKind, board int) (list []int) {
	for i, b := range r.Layout.Boxes {
		f := b.Field
		if f.Board == board && (f.Kind == kind || kind == Element && f.Kind == QuickPick) {
			list = append(list, i)
		}
	}
	return list
}

// marked lists those boxes of a list that are marked.
func marked(marks []Mark, list []int) (m []int) {
	for _, i := range list {
		if marks[i] == Marked {
			m = append(m, i)
		}
	}
	return m
}

// board is what the marked boxes of a board ask; not used when there are none.
func (r *Reading) board(marked []int) (b wager.Board, used bool) {
	rules := r.Layout.Rules
	b.Picks = make(game.Picks, len(rules.Matrices))
	for _, i := range marked {
		switch f := r.Layout.Boxes[i].Field; f.Kind {
		case QuickPick:
			b.QuickPick = true
		case Element:
			b.Picks[f.Matrix] = append(b.Picks[f.Matrix], f.N)
		case Stake, Draws: // not of a board
		}
	}
	if also := rules.Multiple.Also; b.QuickPick && also >= 0 && len(b.Picks[also]) > 1 {
		b.Also = len(b.Picks[also])
	}
	return b, len(marked) > 0
}

// mayBe tells whether a board so marked would be accepted. A board that is left
// out is, where there are others.
func (r *Reading) mayBe(marked []int) bool {
	rules := r.Layout.Rules
	b, used := r.board(marked)
	switch {
	case !used:
		return r.Layout.Boards > 1
	case b.QuickPick:
		picks := 0
		for _, p := range b.Picks {
			picks += len(p)
		}
		return (picks == 0 || rules.QuickPick.Partial) && rules.CheckQuickPick(b.Picks, b.Shape, b.Also) == nil
	}
	_, _, err := rules.ShapeOf(b.Picks)
	return err == nil
}

const unsureMax = 8 // boxes of a board whose readings are compared

// decide says that the unsure boxes of a board are empty, if all hold specks and no other reading may be.
func (r *Reading) decide(marks []Mark, board []int) {
	var unsure []int
	for _, i := range board {
		if marks[i] == Marked || marks[i] == Empty {
			continue
		}
		if i >= len(r.specks) || !r.specks[i] {
			return
		}
		unsure = append(unsure, i)
	}
	sure := marked(marks, board)
	if len(unsure) > unsureMax || !r.mayBe(sure) {
		return
	}
	for reading := 1; reading < 1<<len(unsure); reading++ {
		as := slices.Clone(sure)
		for bit, i := range unsure {
			if reading>>bit&1 == 1 {
				as = append(as, i)
			}
		}
		if r.mayBe(as) {
			return
		}
	}
	for _, i := range unsure {
		marks[i] = Empty
	}
}
