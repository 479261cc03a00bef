package paper

import (
	"fmt"
	"strconv"

	"tirage/game"
)

// Sizes of boards, in mm.
const (
	boardHead  = 6.6 // name and quick pick of a board, names of its matrices
	boardGap   = 2.5 // between boards side by side
	boardSpace = 1   // between boards one below the other
	matrixGap  = 2.4
	boxGap     = 0.8 // between boxes of a row
	// A label stands close over its own box and far from the one above, so that
	// nobody takes it for that one's: 1.2 mm of white, the label, and 0.15 mm to the outline.
	labelH     = 3.5
	labelOff   = 0.38 // from its base line to the middle of the outline
	boxWidth   = 5.4  // no box is larger
	boxHeight  = 4.2
	cellHeight = 13.0 // no cell is higher
	namedWidth = 15.0 // the least of a cell with symbol, box and name
	namedUnits = 3    // columns of numbers that a column of named elements is as wide as
	namedLeast = 10   // the least height of one

	flashWidth, flashHeight = 5, 3.4 // of the box of a quick pick
)

// leastBoxes are the sizes that boxes must have at least: those easy to mark, or else the smallest that can be.
var leastBoxes = [2][2]float64{{4, 3}, {3, 2.5}}

// grid is how the boards stand: nx × ny of them, each with so many rows, and
// columns by matrix, a column of numbers unit wide, rows cell high.
type grid struct {
	boards, nx, ny, rows int
	columns              []int
	unit, cell           float64
	several              bool

	headings []heading
	head     float64 // how high what stands above the boxes is
	limit    float64 // where the quick pick ends
}

// wide is how wide a column of a matrix is.
func (g grid) wide(m *game.Matrix) float64 {
	if named(m) {
		return g.unit * namedUnits
	}
	return g.unit
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
	h := g.head + float64(g.rows)*g.cell
	for b := range g.boards {
		at := Rect{boardArea.X + float64(b%g.nx)*(w+boardGap), boardArea.Y + float64(b/g.nx)*(h+boardSpace), w, h}
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
	g = grid{nx: nx, ny: ny, rows: rows, several: nx*ny > 1}
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
	board := (boardArea.W - float64(nx-1)*boardGap) / float64(nx)
	g.unit = min((board-float64(len(g.columns)-1)*matrixGap)/float64(units), 11)
	high := (boardArea.H - float64(ny-1)*boardSpace) / float64(ny)
	smallest := leastBoxes[1]
	if g.unit-boxGap < smallest[0] || (high-boardHead)/float64(rows)-labelH < smallest[1] || !g.headed(l.Rules, board) {
		return g, 0, 0
	}
	g.cell = min((high-g.head)/float64(rows), cellHeight)
	if names && (g.unit*namedUnits < namedWidth || g.cell < namedLeast) {
		return g, 0, 0
	}
	return g, min(g.unit-boxGap, boxWidth), min(g.cell-labelH-OutlineWidth/2, boxHeight)
}

// layBoard lays out one board in a rectangle.
func (l *Layout) layBoard(g grid, board int, at Rect) error {
	if !l.put(Point{at.X + 0.4, at.Y + 3.1}, g.nameRoom(), left, titleStyle, boardName(g.several, board)) {
		return fmt.Errorf("a board of %.1f mm is too narrow for its name", at.W)
	}
	for _, h := range g.headings {
		for i, line := range h.lines {
			base := at.Y + g.head - 0.6 - float64(len(h.lines)-1-i)*leading(smallStyle.size)
			l.texts = append(l.texts, text{Point{at.X + h.x, base}, h.size, smallStyle.face, h.align, line})
		}
	}
	x := at.X
	for i := range l.Rules.Matrices {
		m := &l.Rules.Matrices[i]
		unit := g.wide(m)
		for e := 1; e <= len(m.Elements); e++ {
			column, row := (e-1)%g.columns[i], (e-1)/g.columns[i]
			if m.Columns > 0 {
				size := len(m.Elements) / m.Columns
				column, row = (e-1)/size, (e-1)%size
			}
			cell := Rect{x + float64(column)*unit, at.Y + g.head + float64(row)*g.cell, unit, g.cell}
			if err := l.element(Field{Element, board, i, e}, cell); err != nil {
				return err
			}
		}
		x += float64(g.columns[i])*unit + matrixGap
	}
	l.quickPick(board, Point{at.X + g.limit, at.Y}, g.limit-g.nameWidth())
	return nil
}

// boardName is the title of a board, of several or the only one.
func boardName(several bool, board int) string {
	if several {
		return "Grille " + string(rune('A'+board))
	}
	return "Votre grille"
}

// quickPick lays out the box of a board's Système Flash, which ends at a point, its words before it where they fit in room mm.
func (l *Layout) quickPick(board int, end Point, room float64) {
	r := Rect{end.X - flashWidth - OutlineWidth/2, end.Y + 0.4, flashWidth, flashHeight}
	l.box(QuickPick, board, 0, 0, r)
	p := Point{r.X - 0.9, end.Y + 3.1}
	for _, words := range []string{"Système Flash", "Flash"} {
		if l.put(p, room-(end.X-p.X), right, style{numberStyle.face, numberStyle.size, numberStyle.size}, words) {
			return
		}
	}
}

// element lays out the box of an element in its cell: a number above it, or
// the symbol at its left and the name under both.
func (l *Layout) element(f Field, cell Rect) error {
	e := l.Rules.Matrices[f.Matrix].Elements[f.N-1]
	if !named(&l.Rules.Matrices[f.Matrix]) {
		w, h := min(cell.W-boxGap, boxWidth), min(cell.H-labelH-OutlineWidth/2, boxHeight)
		r := Rect{cell.X + (cell.W-w)/2, cell.Y + labelH, w, h}
		l.box(f.Kind, f.Board, f.Matrix, f.N, r)
		if !l.put(Point{r.X + w/2, r.Y - labelOff}, cell.W-0.2, centre, numberStyle, e.Name.FR) {
			return fmt.Errorf("the name %q is too long for its box", e.Name.FR)
		}
		return nil
	}
	return l.symbol(f, e, cell, false)
}

// symbol lays out the box of a named element: its symbol beside it, or above;
// the name in letters under its symbol (IAT-2.3.1).
func (l *Layout) symbol(f Field, e game.Element, cell Rect, above bool) error {
	size := min(cell.H-5.1, 8.2)
	mid := cell.X + cell.W/2
	r := Rect{mid + 0.8, cell.Y + (size-boxHeight)/2, boxWidth, boxHeight}
	picture := Rect{mid - 0.8 - size, cell.Y, size, size}
	name, lines := cell.Y+size+1.9, 2
	if above {
		size = min(cell.W-1.6, 7.4)
		picture = Rect{mid - size/2, cell.Y, size, size}
		name = cell.Y + size + 1.9
		if cell.H < smallCell+smallLine {
			lines = 1
		}
		r = Rect{mid - boxWidth/2, cell.Y + cell.H - smallBox - 1.4, boxWidth, smallBox}
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
