package paper

import "strings"

// An align is where a text stands at its point.
type align uint8

const (
	left align = iota
	centre
	right
)

// A text is one line, at the point of its base line, size in points.
type text struct {
	at    Point
	size  float64
	face  face
	align align
	s     string
}

// start is where the text begins.
func (t text) start() Point {
	switch t.align {
	case centre:
		return Point{t.at.X - textWidth(t.face, t.size, t.s)/2, t.at.Y}
	case right:
		return Point{t.at.X - textWidth(t.face, t.size, t.s), t.at.Y}
	case left:
	}
	return t.at
}

// A style is how a text is set: its face, its size in points, and how small it may become to fit.
type style struct {
	face      face
	size, min float64
}

// The styles of a slip.
var (
	titleStyle  = style{boldFace, 8.5, 6}
	nameStyle   = style{plainFace, 7, 5}
	numberStyle = style{boldFace, 8, 5}
	smallStyle  = style{plainFace, 7, 5}
)

// leading is the distance of lines, in mm, set in size points.
func leading(size float64) float64 { return 1.08 * size * mmPerPoint }

// put writes a text at the base line's point, smaller if it is wider than
// width mm; false when it does not fit even at the smallest size.
func (l *Layout) put(at Point, width float64, a align, s style, words string) bool {
	for size := s.size; size >= s.min; size -= 0.2 {
		if textWidth(s.face, size, words) <= width {
			l.texts = append(l.texts, text{at, size, s.face, a, words})
			return true
		}
	}
	return false
}

// putLines writes a text on at most so many lines, the first at the base
// line's point; false when it does not fit.
func (l *Layout) putLines(at Point, width float64, lines int, a align, s style, words string) bool {
	for size := s.size; size >= s.min; size -= 0.2 {
		set := wrap(s.face, size, width, words)
		if len(set) > lines || set == nil {
			continue
		}
		for i, line := range set {
			l.texts = append(l.texts, text{Point{at.X, at.Y + float64(i)*leading(size)}, size, s.face, a, line})
		}
		return true
	}
	return false
}

// wrap breaks a text at its spaces into lines of at most width mm; nil: a word is wider.
func wrap(f face, size, width float64, words string) []string {
	var lines []string
	for w := range strings.FieldsSeq(words) {
		if n := len(lines); n > 0 && textWidth(f, size, lines[n-1]+" "+w) <= width {
			lines[n-1] += " " + w
			continue
		}
		if textWidth(f, size, w) > width {
			return nil
		}
		lines = append(lines, w)
	}
	return lines
}
