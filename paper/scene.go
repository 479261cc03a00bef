package paper

import (
	"fmt"
	"image/color"
	"math"

	goqr "github.com/piglig/go-qr"
)

// scene is all that is printed beside text, as shapes, the lowest first.
func (l *Layout) scene() ([]shape, error) {
	var all []shape
	if l.island != (Rect{}) {
		all = append(all, fillRect(l.island, sea))
		all = append(all, pictureOf("coast").within(l.island.inset(0.5), false)...)
	}
	for _, d := range l.drawings {
		all = append(all, pictureOf(d.name).within(d.at, true)...)
	}
	for _, b := range l.Boxes {
		all = append(all, boxShapes(b.Rect)...)
	}
	all = append(all, boxShapes(exampleBox)...)
	all = append(all, stroke(ink, 0.45, Point{exampleBox.X + 0.6, exampleBox.Y + 0.5}, Point{exampleBox.X + exampleBox.W - 0.7, exampleBox.Y + exampleBox.H - 0.4}),
		stroke(ink, 0.45, Point{exampleBox.X + 0.8, exampleBox.Y + exampleBox.H - 0.6}, Point{exampleBox.X + exampleBox.W - 0.6, exampleBox.Y + 0.6}))
	for _, m := range l.Marks {
		all = append(all, shape{ink, [][]Point{circle(m, MarkOuter, markSides), circle(m, MarkInner, -markSides), circle(m, MarkDot, markSides)}})
	}
	code, err := codeShape(SlipText(l.Rules), l.QR)
	if err != nil {
		return nil, err
	}
	return append(all, code), nil
}

// exampleBox shows how to mark, in the head; it is none of [Layout.Boxes].
var exampleBox = Rect{128.6, 5.2, 5.4, 4.2}

// boxShapes are a box: its outline, and white inside.
func boxShapes(r Rect) []shape {
	return []shape{fillRect(r.inset(-OutlineWidth/2), outline), fillRect(r.inset(OutlineWidth/2), paperWhite)}
}

func fillRect(r Rect, c color.RGBA) shape {
	corners := r.corners()
	return shape{c, [][]Point{corners[:]}}
}

// markSides is how many sides the circles of marks have.
const markSides = 72

// circle is a circle as a contour of so many sides; of fewer than none, the other way round, for a hole.
func circle(at Point, radius float64, sides int) []Point {
	list := make([]Point, max(sides, -sides))
	for i := range list {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(sides))
		list[i] = Point{at.X + radius*cos, at.Y + radius*sin}
	}
	return list
}

// stroke is a straight line of a width, with square ends.
func stroke(c color.RGBA, width float64, a, b Point) shape {
	return shape{c, [][]Point{bar(width, a, b)}}
}

// bar is the contour of such a line.
func bar(width float64, a, b Point) []Point {
	n := math.Hypot(b.X-a.X, b.Y-a.Y)
	dx, dy := (b.Y-a.Y)/n*width/2, -(b.X-a.X)/n*width/2
	return []Point{{a.X + dx, a.Y + dy}, {b.X + dx, b.Y + dy}, {b.X - dx, b.Y - dy}, {a.X - dx, a.Y - dy}}
}

// codeShape is a QR code in a square, a run of dark modules a contour. They
// are true black: the code is what must be read first.
func codeShape(s string, at Rect) (shape, error) {
	code, err := goqr.EncodeText(s, goqr.Medium)
	if err != nil {
		return shape{}, fmt.Errorf("draw a QR code of %d bytes: %w", len(s), err)
	}
	n := code.Size()
	m := at.W / float64(n)
	var contours [][]Point
	for y := range n {
		for x := 0; x < n; x++ {
			start := x
			for x < n && code.Module(x, y) {
				x++
			}
			if x > start {
				corners := Rect{at.X + float64(start)*m, at.Y + float64(y)*m, float64(x-start) * m, m}.corners()
				contours = append(contours, corners[:])
			}
		}
	}
	return shape{color.RGBA{0, 0, 0, 255}, contours}, nil
}
