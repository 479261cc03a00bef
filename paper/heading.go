package paper

import (
	"strconv"

	"tirage/game"
)

// A heading is what stands above the boxes of a matrix: on one line its name
// and how many to mark; or, above a narrow one, its name on up to two lines.
type heading struct {
	x     float64 // from the left of its board
	align align
	size  float64
	lines []string
}

// headingWords are what a heading may say on one line, the best first.
func headingWords(r *game.Rules, i int) []string {
	m := &r.Matrices[i]
	if m.Columns == 0 {
		return []string{m.Name.FR + " : " + strconv.Itoa(m.Pick), m.Name.FR}
	}
	how := "1 par colonne"
	if len(r.Multiple.Shapes) > 0 && r.Multiple.Matrix == i {
		how = "1 par colonne, ou plus (jeu multiple)"
	}
	return []string{m.Name.FR + " : " + how, how}
}

// headed makes the headings of a board so wide, and finds how high all above
// its boxes is and where its quick pick ends; false when there is no room.
//
// A heading of two lines is as high as the board's name: at the right it stands
// beside the quick pick, else everything moves below the name.
func (g *grid) headed(r *game.Rules, width float64) bool {
	x, end := 0.0, 0.0 // of the matrix, of the heading before
	g.head, g.limit = boardHead, width
	below := false
	for i := range r.Matrices {
		w := float64(g.columns[i]) * g.wide(&r.Matrices[i])
		h, from, ok := headingOf(r, i, x, w, end)
		if !ok {
			return false
		}
		g.headings = append(g.headings, h)
		switch two := len(h.lines) > 1; {
		case two:
			g.limit = min(g.limit, from-0.8)
		case g.limit < width:
			below = true
		}
		end = x + w
		if h.align == left {
			end = from + textWidth(smallStyle.face, h.size, h.lines[0])
		}
		x += w + matrixGap
	}
	flash := flashWidth + OutlineWidth + 0.9 + textWidth(numberStyle.face, numberStyle.size, "Système Flash")
	if below || g.limit < width && g.nameWidth()+flash > g.limit {
		g.head, g.limit = boardHead+leading(smallStyle.size), width
	}
	return g.nameWidth() <= g.nameRoom()
}

// headingOf is the heading of a matrix from x, w wide, and where it begins.
// A narrow one may write over what the heading before it leaves.
func headingOf(r *game.Rules, i int, x, w, end float64) (h heading, from float64, ok bool) {
	for _, words := range headingWords(r, i) {
		if textWidth(smallStyle.face, smallStyle.size, words) <= w-0.4 {
			return heading{x + 0.4, left, smallStyle.size, []string{words}}, x + 0.4, true
		}
	}
	room := w
	if i > 0 {
		room = x + w - end - 0.8
	}
	for size := smallStyle.size; size >= smallStyle.min; size -= 0.2 {
		lines := wrap(smallStyle.face, size, room, r.Matrices[i].Name.FR)
		if len(lines) == 0 || len(lines) > 2 {
			continue
		}
		wide := 0.0
		for _, line := range lines {
			wide = max(wide, textWidth(smallStyle.face, size, line))
		}
		return heading{x + w, right, size, lines}, x + w - wide, true
	}
	return h, 0, false
}

// nameWidth is what the name of a board takes; nameRoom is what is left for it before the box of the quick pick.
func (g *grid) nameWidth() float64 {
	return 0.4 + textWidth(titleStyle.face, titleStyle.size, boardName(g.several, 0)) + 1
}

func (g *grid) nameRoom() float64 { return g.limit - flashWidth - OutlineWidth - 1 }
