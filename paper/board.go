package paper

import (
	"fmt"
	"strconv"

	"tirage/game"
)

// Sizes of boards, in mm.
const (
	boardHead  = 9.2 // name and quick pick of a board, names of its matrices
	boardGap   = 2.5
	matrixGap  = 2.4
	boxGap     = 0.8 // between boxes of a row, and from a box to the label below it
	labelH     = 2.1 // a label above a box
	boxWidth   = 5.4 // no box is larger
	boxHeight  = 4.2
	cellHeight = 13.0 // no cell is higher
	namedWidth = 15.0 // the least of a cell with symbol, box and name
	namedUnits = 3    // columns of numbers that a column of named elements is as wide as
	namedLeast = 9.4  // the least height of one
)

// leastBoxes are the sizes that boxes must have at least: those easy to mark, or else the smallest that can be.
var leastBoxes = [2][2]float64{{4, 3}, {3, 2.5}}

// grid is how the boards stand: nx × ny of them, each with so many rows, and
// columns by matrix, a column of numbers unit wide, rows cell high.
type grid struct {
	boards, nx, ny, rows int
	columns              []int
	unit, cell           float64
}

// named says whether a matrix has elements with names rather than numbers.
func named(m *game.Matrix) bool {
	for i, e := range m.Elements {
		if e.Name.FR != strconv.Itoa(i+1) && len(e.Name.FR) > 3 {
			return true
		}
	}
	return false
}

// layBoards lays out boards side by side.
func (l *Layout) layBoards() error {
	g, ok := l.solve(leastBoxes[0])
	if !ok {
		g, ok = l.solve(leastBoxes[1])
	}
	if !ok {
		boxes := 0
		for _, m := range l.Rules.Matrices {
			boxes += len(m.Elements)
		}
		return fmt.Errorf("a board of %d boxes of at least %v × %v mm with their labels needs more than %v × %v mm",
			boxes, leastBoxes[1][0], leastBoxes[1][1], boardArea.W, boardArea.H)
	}
	l.Boards = g.boards
	w := (boardArea.W - float64(g.nx-1)*boardGap) / float64(g.nx)
	h := boardHead + float64(g.rows)*g.cell
	for b := range g.boards {
		at := Rect{boardArea.X + float64(b%g.nx)*(w+boardGap), boardArea.Y + float64(b/g.nx)*(h+boardGap), w, h}
		if err := l.layBoard(g, b, at); err != nil {
			return err
		}
	}
	return l.layChoices(choiceArea)
}

// solve finds the grid with the most boards, and among those the one with the
// largest boxes.
func (l *Layout) solve(least [2]float64) (best grid, ok bool) {
	var score float64
	boardsMax := min(l.Rules.BoardsMax, 26)
	for nx := 1; nx <= 6; nx++ {
		for ny := 1; ny <= 6 && (nx-1)*ny < boardsMax && nx*(ny-1) < boardsMax; ny++ {
			for rows := 1; rows <= 20; rows++ {
				g, w, h := l.grid(nx, ny, rows)
				if w < least[0] || h < least[1] {
					continue
				}
				g.boards = min(nx*ny, boardsMax)
				if s := 1000*float64(g.boards) + min(w/least[0], h/least[1]); s > score {
					best, score, ok = g, s, true
				}
			}
		}
	}
	return best, ok
}

// grid is nx × ny boards of so many rows, with the size of their boxes; 0: there is no room.
func (l *Layout) grid(nx, ny, rows int) (g grid, w, h float64) {
	g = grid{nx: nx, ny: ny, rows: rows}
	units, names := 0, false
	for i := range l.Rules.Matrices {
		m := &l.Rules.Matrices[i]
		columns := (len(m.Elements) + rows - 1) / rows
		if m.Columns > 0 {
			columns = m.Columns
			if len(m.Elements)/m.Columns > rows {
				return g, 0, 0
			}
		}
		g.columns = append(g.columns, columns)
		if named(m) {
			units, names = units+columns*namedUnits, true
		} else {
			units += columns
		}
	}
	width := (boardArea.W-float64(nx-1)*boardGap)/float64(nx) - float64(len(g.columns)-1)*matrixGap
	height := (boardArea.H-float64(ny-1)*boardGap)/float64(ny) - boardHead
	g.unit, g.cell = min(width/float64(units), 11), min(height/float64(rows), cellHeight)
	if names && (g.unit*namedUnits < namedWidth || g.cell < namedLeast) {
		return g, 0, 0
	}
	return g, min(g.unit-boxGap, boxWidth), min(g.cell-labelH-boxGap, boxHeight)
}

// layBoard lays out one board in a rectangle.
func (l *Layout) layBoard(g grid, board int, at Rect) error {
	name := "Votre grille"
	if g.boards > 1 {
		name = "Grille " + string(rune('A'+board))
	}
	l.put(Point{at.X + 0.4, at.Y + 3.4}, 20, left, titleStyle, name)
	x := at.X
	for i := range l.Rules.Matrices {
		m := &l.Rules.Matrices[i]
		unit := g.unit
		if named(m) {
			unit *= namedUnits
		}
		w := float64(g.columns[i]) * unit
		if !l.heading(m, i, Rect{x, at.Y, w, boardHead}) {
			return fmt.Errorf("the name %q is too long for its matrix", m.Name.FR)
		}
		for e := 1; e <= len(m.Elements); e++ {
			column, row := (e-1)%g.columns[i], (e-1)/g.columns[i]
			if m.Columns > 0 {
				size := len(m.Elements) / m.Columns
				column, row = (e-1)/size, (e-1)%size
			}
			cell := Rect{x + float64(column)*unit, at.Y + boardHead + float64(row)*g.cell, unit, g.cell}
			if err := l.element(Field{Element, board, i, e}, cell); err != nil {
				return err
			}
		}
		x += w + matrixGap
	}
	l.quickPick(board, Point{at.X + at.W - boxWidth - 0.5, at.Y + 0.5}, at.W-26)
	return nil
}

// heading writes the name of a matrix, and how many to mark, at the foot of a rectangle above its boxes.
func (l *Layout) heading(m *game.Matrix, i int, at Rect) bool {
	words := m.Name.FR + " : " + strconv.Itoa(m.Pick)
	if m.Columns > 0 {
		words = m.Name.FR + " : 1 par colonne"
	}
	base := at.Y + at.H - 0.9
	if l.put(Point{at.X + 0.4, base}, at.W, left, smallStyle, words) {
		return true
	}
	over := 0.0 // a narrow matrix writes over the gap before it
	if i > 0 {
		over = matrixGap
	}
	narrow := style{smallStyle.face, 5, 3.6}
	mid := Point{at.X + at.W/2 - over/4, base}
	if l.put(mid, at.W+over, centre, narrow, m.Name.FR) {
		return true
	}
	mid.Y -= 2
	return l.putLines(mid, at.W+over, 2, centre, narrow, m.Name.FR)
}

// quickPick lays out the box of a board's Système Flash, its words before it where they fit in room mm.
func (l *Layout) quickPick(board int, at Point, room float64) {
	l.box(QuickPick, board, 0, 0, Rect{at.X, at.Y, boxWidth - 0.4, 3.6})
	if p := (Point{at.X - 0.9, at.Y + 2.5}); !l.put(p, room, right, numberStyle, "Système Flash") {
		l.put(p, 12, right, numberStyle, "Flash")
	}
}

// element lays out the box of an element in its cell: a number above it, or
// the symbol at its left and the name under both.
func (l *Layout) element(f Field, cell Rect) error {
	e := l.Rules.Matrices[f.Matrix].Elements[f.N-1]
	if !named(&l.Rules.Matrices[f.Matrix]) {
		w, h := min(cell.W-boxGap, boxWidth), min(cell.H-labelH-boxGap, boxHeight)
		r := Rect{cell.X + (cell.W-w)/2, cell.Y + labelH, w, h}
		l.box(f.Kind, f.Board, f.Matrix, f.N, r)
		l.put(Point{r.X + w/2, r.Y - 0.65}, cell.W, centre, numberStyle, e.Name.FR)
		return nil
	}
	return l.symbol(f, e, cell, false)
}

// symbol lays out the box of a named element: its symbol beside it, or above;
// the name in letters under its symbol (IAT-2.3.1).
func (l *Layout) symbol(f Field, e game.Element, cell Rect, above bool) error {
	size := min(cell.H-4.6, 8.2)
	mid := cell.X + cell.W/2
	r := Rect{mid + 0.8, cell.Y + (size-boxHeight)/2, boxWidth, boxHeight}
	picture := Rect{mid - 0.8 - size, cell.Y, size, size}
	name, lines := cell.Y+size+1.9, 2
	if above {
		size = min(cell.W-1.6, 8.6)
		picture = Rect{mid - size/2, cell.Y, size, size}
		name = cell.Y + size + 1.9
		if cell.H < smallCell+smallLine {
			lines = 1
		}
		r = Rect{mid - boxWidth/2, cell.Y + cell.H - boxHeight - 1, boxWidth, boxHeight}
	}
	if drawn := drawingOf(e.Key); drawn != "" {
		l.drawings = append(l.drawings, drawing{drawn, picture})
	} else if !above {
		r.X = mid - boxWidth/2
	}
	l.box(f.Kind, f.Board, f.Matrix, f.N, r)
	if !l.putLines(Point{mid, name}, cell.W-0.6, lines, centre, nameStyle, e.Name.FR) {
		return fmt.Errorf("the name %q is too long for its box", e.Name.FR)
	}
	return nil
}
