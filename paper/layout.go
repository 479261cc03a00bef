package paper

import (
	"errors"
	"fmt"
	"math"

	"tirage/game"
)

// Slips are A6, landscape, in mm.
const (
	slipWidth  = 148
	slipHeight = 105
)

// A corner mark is a black ring about a black dot, these radii in mm. Across it
// black and white go 3 : 2.4 : 2 : 2.4 : 3, which is far from the 1 : 1 : 3 : 1 : 1
// of a QR code's corners, so that no decoder takes one for the other.
const (
	MarkOuter = 3.2 // of the ring, outside
	MarkInner = 1.7 // of the ring, inside
	MarkDot   = 0.5
)

// QuietZone is how much white is left around the QR code, in mm: four modules of
// a code of 29, the fewest that a slip's text makes (ISO/IEC 18004, 9.1).
const QuietZone = 2.8

// A Point is a place on the slip, in mm from its top left corner.
type Point struct{ X, Y float64 }

// A Rect is a rectangle on the slip: its top left corner and its size, in mm.
type Rect struct{ X, Y, W, H float64 }

// Centre is the middle of the rectangle.
func (r Rect) Centre() Point { return Point{r.X + r.W/2, r.Y + r.H/2} }

// inset is the rectangle without d mm at each side.
func (r Rect) inset(d float64) Rect { return Rect{r.X + d, r.Y + d, r.W - 2*d, r.H - 2*d} }

// FieldKind is what a box is for.
type FieldKind uint8

const (
	Element   FieldKind = iota + 1 // an element of a board
	QuickPick                      // the board is completed at random (Système Flash)
	Stake                          // the stake per draw
	Draws                          // the number of draws
)

// String returns the name in layouts.
func (k FieldKind) String() string {
	switch k {
	case Element:
		return "element"
	case QuickPick:
		return "quick pick"
	case Stake:
		return "stake"
	case Draws:
		return "draws"
	}
	return "invalid"
}

// A Field is what marking a box says. Board and Matrix count from 0, as
// in [tirage/wager.Slip] and Rules.Matrices. N is the element, from 1, as in
// game.Picks; for a stake its index in Rules.Stakes, for a number of draws
// its index in Rules.DrawCounts; 0 for a quick pick.
type Field struct {
	Kind             FieldKind
	Board, Matrix, N int
}

// A Box is a box to mark. Its rectangle is that of its outline's middle line, which is
// [OutlineWidth] wide, in drop-out colour; inside the paper is white.
type Box struct {
	Field Field
	Rect
}

// OutlineWidth is how wide the outline of a box is, in mm.
const OutlineWidth = 0.4

// A Layout is where everything stands on the slip of a rule book.
type Layout struct {
	Rules         *game.Rules
	Width, Height float64
	// Marks are the centres of the corner marks: top left, top right, bottom
	// right, bottom left. They are alike; the QR code tells which is which.
	Marks [4]Point
	// QR is the code of [SlipText], without its quiet zone, upright.
	QR Rect
	// Boxes are those of each board, matrix by matrix, then its quick pick; then stakes; then numbers of draws.
	Boxes  []Box
	Boards int // on the slip: at most Rules.BoardsMax, or as many as find room

	texts    []text
	drawings []drawing
	island   Rect // of the map; zero: none
}

// ErrLayout is a rule book that cannot be laid out on a slip; the error says what has no room.
var ErrLayout = errors.New("no slip for this rule book")

// Where things stand: the marks in the corners; between them a line of head and
// one of foot; the boards at the left; and at the right the choices above the code.
var (
	headArea   = Rect{12, 3.4, 124, 8.6}
	footArea   = Rect{12, 94.8, 124, 7}
	boardArea  = Rect{4, 12.2, 104, 81.4}
	choiceArea = Rect{110, 12.2, 34, 56.4}
	codeRect   = Rect{121.8, 71.4, 20, 20}
)

// NewLayout lays out the slip of a rule book. One that has no room is refused with [ErrLayout].
//
// A game whose first matrix is the places of our map is played on the map
// (IAT-2.3.1), one combination a slip. Any other has its boards side by side, as
// many as the rules allow and as find room.
func NewLayout(r *game.Rules) (*Layout, error) {
	l := &Layout{Rules: r, Width: slipWidth, Height: slipHeight, QR: frame.code, Marks: frame.marks}
	l.head()
	l.foot()
	var err error
	if onMap(&r.Matrices[0]) {
		err = l.layMap()
	} else {
		err = l.layBoards()
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrLayout, r.Code, err)
	}
	for _, t := range l.texts {
		if !covers(t.face, t.s) {
			return nil, fmt.Errorf("%w: %s: no face has all the letters of %q", ErrLayout, r.Code, t.s)
		}
	}
	return l, nil
}

func (l *Layout) box(kind FieldKind, board, matrix, n int, r Rect) {
	micron := func(v float64) float64 { return math.Round(v*1000) / 1000 }
	r = Rect{micron(r.X), micron(r.Y), micron(r.W), micron(r.H)}
	l.Boxes = append(l.Boxes, Box{Field{kind, board, matrix, n}, r})
}
