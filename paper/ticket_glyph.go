package paper

import (
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// letterLoops are a text's letters as figures, its base line at a point, turned
// about it by an angle. A letter is one figure: its holes are loops too.
func letterLoops(f face, size float64, words string, at Point, angle float64) [][]loop {
	var buf sfnt.Buffer
	var list [][]loop
	ppem := fixed.Int26_6(math.Round(size * 64))
	sin, cos := math.Sincos(angle)
	x := 0.0
	for _, c := range words {
		i, err := faces[f].font.GlyphIndex(&buf, c)
		if err != nil {
			continue
		}
		segments, err := faces[f].font.LoadGlyph(&buf, i, ppem, nil)
		if err != nil {
			continue
		}
		to := func(p fixed.Point26_6) Point {
			px, py := x+float64(p.X)/64, float64(p.Y)/64
			return Point{at.X + px*cos - py*sin, at.Y + px*sin + py*cos}
		}
		var letter []loop
		var pen Point
		for _, s := range segments {
			if s.Op == sfnt.SegmentOpMoveTo {
				pen = to(s.Args[0])
				letter = append(letter, loop{pen})
				continue
			}
			n := map[sfnt.SegmentOp]int{sfnt.SegmentOpLineTo: 1, sfnt.SegmentOpQuadTo: 2, sfnt.SegmentOpCubeTo: 3}[s.Op]
			var over []Point
			for _, p := range s.Args[:n] {
				over = append(over, to(p))
			}
			letter[len(letter)-1] = curveOver(letter[len(letter)-1], pen, over)
			pen = over[n-1]
		}
		if letter != nil {
			list = append(list, letter)
		}
		advance, err := faces[f].font.GlyphAdvance(&buf, i, ppem, font.HintingNone)
		if err == nil {
			x += float64(advance) / 64
		}
	}
	return list
}

// across writes a word in large hollow letters over all the ticket, again and
// again, but not over its code: what stands under it can still be read.
func (r *roll) across(word string) {
	const size, angle, every = 130, -0.9, 640
	width := dotsWide(boldFace, size, word)
	high := width * math.Sin(-angle)
	for y := 90.0; y+high/2 < r.y; y += every {
		bottom := min(y+high+80, r.y)
		if r.covered(bottom-high-60, bottom+30) {
			continue
		}
		at := Point{(rollWidth-width*math.Cos(angle))/2 + size*0.25, bottom}
		for _, letter := range letterLoops(boldFace, size, word, at, angle) {
			r.draw(figure{letter, 3, true})
		}
	}
}

// covered tells whether something stands between two lines that is not to be written over.
func (r *roll) covered(top, bottom float64) bool {
	for i := 0; i < len(r.clear); i += 2 {
		if top < r.clear[i+1] && bottom > r.clear[i] {
			return true
		}
	}
	return false
}
