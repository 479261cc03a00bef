package paper

import (
	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// letters are the outlines of a text's letters, side by side on a base line, in sizes
// of the type. A letter is filled by itself: its holes are contours too.
func letters(f face, words string) (list [][][]Point) {
	var buf sfnt.Buffer
	from := faces[f].font
	em := from.UnitsPerEm()
	scale := 1 / float64(em) / 64
	x := 0.0
	for _, c := range words {
		i, err := from.GlyphIndex(&buf, c)
		if err != nil {
			continue
		}
		segments, err := from.LoadGlyph(&buf, i, fixed.Int26_6(em)<<6, nil)
		if err != nil {
			continue
		}
		to := func(p fixed.Point26_6) Point { return Point{x + float64(p.X)*scale, float64(p.Y) * scale} }
		var letter [][]Point
		for _, s := range segments {
			n := len(letter) - 1
			switch s.Op {
			case sfnt.SegmentOpMoveTo:
				letter = append(letter, []Point{to(s.Args[0])})
			case sfnt.SegmentOpLineTo:
				letter[n] = append(letter[n], to(s.Args[0]))
			case sfnt.SegmentOpQuadTo:
				letter[n] = append(letter[n], quadratic(letter[n][len(letter[n])-1], to(s.Args[0]), to(s.Args[1]))...)
			case sfnt.SegmentOpCubeTo: // TrueType has none
			}
		}
		if letter != nil {
			list = append(list, letter)
		}
		if advance, err := from.GlyphAdvance(&buf, i, fixed.Int26_6(em)<<6, font.HintingNone); err == nil {
			x += float64(advance) * scale
		}
	}
	return list
}

// quadratic is a quadratic curve from a to c, as points after a.
func quadratic(a, b, c Point) []Point {
	const steps = 8
	list := make([]Point, steps)
	for i := range list {
		t := float64(i+1) / steps
		u := 1 - t
		list[i] = Point{u*u*a.X + 2*u*t*b.X + t*t*c.X, u*u*a.Y + 2*u*t*b.Y + t*t*c.Y}
	}
	return list
}
