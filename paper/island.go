package paper

import (
	"fmt"

	"tirage/art"
	"tirage/game"
)

// A drawing is a file of art, and where it stands.
type drawing struct {
	name string
	at   Rect
}

// drawingOf names the drawing of the element with a key; "" when there is none.
func drawingOf(key string) string {
	for _, kind := range []string{"place-", "pirate-"} {
		if art.Has(kind + key) {
			return kind + key
		}
	}
	return ""
}

// spotOf is where the place with a key stands on the drawing of the island, in its units.
func spotOf(key string) (Point, bool) {
	s, ok := art.Island.Places[key]
	return Point{float64(s.X), float64(s.Y)}, ok
}

// onMap says whether every element of a matrix is a place of the map.
func onMap(m *game.Matrix) bool {
	for _, e := range m.Elements {
		if _, ok := spotOf(e.Key); !ok {
			return false
		}
	}
	return true
}

// Sizes on the map, in mm: the cell of a place, and the window of the drawing
// that is stretched over the boards' area, in its own units.
const (
	placeWidth, placeHeight     = 17.2, 14.4
	windowLeft, windowRight     = 89, 1139
	windowTop, windowBottom     = 34, 726
	mapTop, mapBottom           = 17, 93.2
	mapLeft, mapRight           = 4, 108
	smallMatrix, smallCellsRow  = 12, 3     // the most elements of a matrix beside the map, cells in a row
	smallCell, smallCellHeading = 15.3, 3.6 // of names on one line
	smallLine                   = 2.7       // a second one
	smallBox                    = 3.6       // the height of a box
)

// onPaper is where a point of the island's drawing stands.
func onPaper(p Point) Point {
	return Point{
		mapLeft + (p.X-windowLeft)*(mapRight-mapLeft)/(windowRight-windowLeft),
		mapTop + (p.Y-windowTop)*(mapBottom-mapTop)/(windowBottom-windowTop),
	}
}

// layMap lays out one board on the map, and the other matrices at the right.
func (l *Layout) layMap() error {
	r := l.Rules
	l.Boards, l.island = 1, Rect{mapLeft, mapTop, mapRight - mapLeft, mapBottom - mapTop}
	m := &r.Matrices[0]
	l.put(Point{14.5, 15.6}, 50, left, titleStyle, fmt.Sprintf("%s : cochez %d", m.Name.FR, m.Pick))
	for i, e := range m.Elements {
		spot, _ := spotOf(e.Key) // the matrix is on the map
		p := onPaper(spot)
		cell := Rect{p.X - placeWidth/2, p.Y - placeHeight/2 + 1, placeWidth, 12.2}
		if err := l.symbol(Field{Element, 0, 0, i + 1}, e, cell, false); err != nil {
			return err
		}
	}
	at := choiceArea
	for i := 1; i < len(r.Matrices); i++ {
		h, err := l.small(i, at)
		if err != nil {
			return err
		}
		at.Y, at.H = at.Y+h, at.H-h
	}
	l.quickPick(0, Point{mapRight, boardArea.Y}, 30)
	return l.layChoices(at)
}

// small lays out a matrix beside the map, and returns how high it is.
func (l *Layout) small(i int, at Rect) (float64, error) {
	m := &l.Rules.Matrices[i]
	rows := (len(m.Elements) + smallCellsRow - 1) / smallCellsRow
	w, high := at.W/smallCellsRow, float64(smallCell)
	for _, e := range m.Elements {
		if textWidth(nameStyle.face, nameStyle.size, e.Name.FR) > w-0.6 {
			high = smallCell + smallLine
		}
	}
	h := smallCellHeading + float64(rows)*high
	if len(m.Elements) > smallMatrix || h > at.H {
		return 0, fmt.Errorf("the %d elements of %q need more than the room beside the map", len(m.Elements), m.Key)
	}
	l.put(Point{at.X + 0.6, at.Y + 2.8}, at.W, left, titleStyle, fmt.Sprintf("%s : cochez %d", m.Name.FR, m.Pick))
	for j, e := range m.Elements {
		cell := Rect{at.X + float64(j%smallCellsRow)*w, at.Y + smallCellHeading + float64(j/smallCellsRow)*high, w, high}
		if err := l.symbol(Field{Element, 0, i, j + 1}, e, cell, true); err != nil {
			return 0, err
		}
	}
	return h, nil
}

// head writes the lines between the upper marks: the game, how to mark, and which version of the rules this is.
func (l *Layout) head() {
	at := headArea
	if name := "logo-" + string(l.Rules.Code); art.Has(name) {
		l.drawings = append(l.drawings, drawing{name, Rect{at.X, at.Y, 46, at.H}})
	} else {
		l.put(Point{at.X + 0.5, at.Y + 6}, 46, left, style{displayFace, 17, 6}, l.Rules.Name.FR)
	}
	x := at.X + 50
	l.put(Point{x, at.Y + 2.5}, 64, left, titleStyle, "Bulletin de jeu (ce n’est pas un reçu)")
	l.put(Point{x, at.Y + 5.3}, 64, left, smallStyle, "Marquez les cases d’une croix, au stylo noir ou bleu.")
	l.put(Point{x, at.Y + 8}, 42, left, smallStyle, "Une erreur ? Prenez un autre bulletin.")
	l.put(Point{at.X + at.W, at.Y + 8}, 31, right, smallStyle, fmt.Sprintf("Règlement %s · %x", l.Rules.Version, l.Rules.Hash[:4]))
}

// foot writes the lines between the lower marks: of age and of help.
func (l *Layout) foot() {
	at := footArea
	l.put(Point{at.X, at.Y + 5}, 10, left, style{boldFace, 13, 9}, "18+")
	x := at.X + 11
	l.put(Point{x, at.Y + 2.3}, 113, left, smallStyle, "Les jeux d’argent et de hasard sont interdits aux mineurs. Jouer comporte des risques :")
	l.put(Point{x, at.Y + 5}, 113, left, smallStyle, "endettement, isolement, dépendance. Pour être aidé, appelez le 09 74 75 13 13 (appel non surtaxé).")
}
