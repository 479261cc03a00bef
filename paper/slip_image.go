package paper

import (
	"image"
	"image/color"
	"image/draw"
	"math"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// Image is the slip as it is printed, at dpi dots an inch: paper white, what is drop-out in its colour.
func (l *Layout) Image(dpi float64) *image.RGBA {
	scale := dpi / 25.4
	img := image.NewRGBA(image.Rect(0, 0, int(math.Round(l.Width*scale)), int(math.Round(l.Height*scale))))
	draw.Draw(img, img.Bounds(), image.NewUniform(paperWhite), image.Point{}, draw.Src)
	shapes, err := l.scene()
	assert(err == nil, "the code of a slip can be drawn")
	r := vector.NewRasterizer(0, 0)
	for _, s := range shapes {
		s.paint(img, r, scale)
	}
	for _, t := range l.texts {
		t.shape().paint(img, r, scale)
	}
	return img
}

// paint fills the shape on an image of scale dots a mm.
func (s shape) paint(img *image.RGBA, r *vector.Rasterizer, scale float64) {
	lo, hi := bounds(s.contours)
	at := image.Rect(int(math.Floor(lo.X*scale)), int(math.Floor(lo.Y*scale)), int(math.Ceil(hi.X*scale))+1, int(math.Ceil(hi.Y*scale))+1)
	at = at.Intersect(img.Bounds())
	if at.Empty() {
		return
	}
	r.Reset(at.Dx(), at.Dy())
	x, y := float64(at.Min.X), float64(at.Min.Y)
	for _, contour := range s.contours {
		for i, p := range contour {
			px, py := float32(p.X*scale-x), float32(p.Y*scale-y)
			if i == 0 {
				r.MoveTo(px, py)
			} else {
				r.LineTo(px, py)
			}
		}
		r.ClosePath()
	}
	r.Draw(img, at, image.NewUniform(color.Color(s.fill)), image.Point{})
}

// shape is the text's letters as outlines.
func (t text) shape() shape {
	s := shape{fill: ink}
	var buf sfnt.Buffer
	f := faces[t.face].font
	em := f.UnitsPerEm()
	scale := t.size * mmPerPoint / float64(em) / 64
	pen := t.start()
	for _, r := range t.s {
		i, err := f.GlyphIndex(&buf, r)
		if err != nil {
			continue
		}
		segments, err := f.LoadGlyph(&buf, i, fixed.Int26_6(em)<<6, nil)
		if err != nil {
			continue
		}
		at := func(p fixed.Point26_6) Point { return Point{pen.X + float64(p.X)*scale, pen.Y + float64(p.Y)*scale} }
		for _, seg := range segments {
			n := len(s.contours) - 1
			switch seg.Op {
			case sfnt.SegmentOpMoveTo:
				s.contours = append(s.contours, []Point{at(seg.Args[0])})
			case sfnt.SegmentOpLineTo:
				s.contours[n] = append(s.contours[n], at(seg.Args[0]))
			case sfnt.SegmentOpQuadTo:
				s.contours[n] = append(s.contours[n], quadratic(s.contours[n][len(s.contours[n])-1], at(seg.Args[0]), at(seg.Args[1]))...)
			case sfnt.SegmentOpCubeTo: // TrueType has none
			}
		}
		pen.X += textWidth(t.face, t.size, string(r))
	}
	return s
}

// quadratic is a quadratic curve from a to c, as points after a.
func quadratic(a, b, c Point) []Point {
	const steps = 5
	list := make([]Point, steps)
	for i := range list {
		t := float64(i+1) / steps
		u := 1 - t
		list[i] = Point{u*u*a.X + 2*u*t*b.X + t*t*c.X, u*u*a.Y + 2*u*t*b.Y + t*t*c.Y}
	}
	return list
}
