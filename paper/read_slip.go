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
// The rules decide of an unsure box only where all but one reading of it would
// be refused, and never that a box is marked that has much less ink than the
// marks have (IAT-2.3.2, IAT-2.3.3).
func (r *Reading) Slip(answers map[int]Mark) (wager.Slip, []int, error) {
	marks := slices.Clone(r.Marks)
	for i, m := range answers {
		if i >= 0 && i < len(marks) && (m == Empty || m == Marked) {
			marks[i] = m
		}
	}
	for board := range r.Layout.Boards {
		r.decide(marks, r.fields(Element, board), r.mayBe)
	}
	single := func(marked []int) bool { return len(marked) == 1 }
	stakes, draws := r.fields(Stake, 0), r.fields(Draws, 0)
	r.decide(marks, stakes, single)
	r.decide(marks, draws, single)
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

const (
	unsureMax = 8   // boxes of a board whose readings are compared
	inkLeast  = 0.5 // of what the marks of the slip have
)

// decide settles the unsure boxes of a list where only one reading may be.
func (r *Reading) decide(marks []Mark, list []int, mayBe func(marked []int) bool) {
	var unsure []int
	for _, i := range list {
		if marks[i] != Marked && marks[i] != Empty {
			unsure = append(unsure, i)
		}
	}
	if len(unsure) == 0 || len(unsure) > unsureMax {
		return
	}
	sure := marked(marks, list)
	only := -1
	for reading := range 1 << len(unsure) {
		as := slices.Clone(sure)
		for bit, i := range unsure {
			if reading>>bit&1 == 1 {
				as = append(as, i)
			}
		}
		if !mayBe(as) {
			continue
		}
		if only >= 0 {
			return
		}
		only = reading
	}
	if only < 0 {
		return
	}
	least := inkLeast * r.typicalInk(marks)
	for bit, i := range unsure {
		if only>>bit&1 == 1 && (least == 0 || r.Ink[i] < least) {
			return
		}
	}
	for bit, i := range unsure {
		marks[i] = Empty
		if only>>bit&1 == 1 {
			marks[i] = Marked
		}
	}
}

// typicalInk is the ink of the middle one of the marks; 0 without any.
func (r *Reading) typicalInk(marks []Mark) float64 {
	var inks []float64
	for i, m := range marks {
		if m == Marked {
			inks = append(inks, r.Ink[i])
		}
	}
	if inks == nil {
		return 0
	}
	slices.Sort(inks)
	return inks[len(inks)/2]
}
