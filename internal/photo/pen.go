package photo

import (
	"image"
	"image/color"
	"math"

	"tirage/paper"
)

// A pen draws on a print.
type pen struct {
	img   *image.RGBA
	dpmm  float64
	ink   [3]float64 // what it leaves of the paper's light, by colour
	width float64    // mm
}

// inks are what is left of the light, of pencil and pens: soft pencil, black and blue ball pens, felt pens in black, green and red.
var inks = [][3]float64{
	{0.36, 0.36, 0.38}, {0.12, 0.12, 0.14}, {0.14, 0.20, 0.55}, {0.06, 0.06, 0.07}, {0.10, 0.38, 0.22}, {0.66, 0.12, 0.14},
}

// hard is the width of the pens, in mm, below which they are hard pencils: thin and pale.
const hard = 0.40

// pen takes a pen at hand: in good light one that is asked for, else any.
func (c *camera) pen(img *image.RGBA, dpmm float64) pen {
	kinds := 4
	if c.d >= 0.5 {
		kinds = len(inks)
	}
	p := pen{img, dpmm, inks[c.rand.IntN(kinds)], c.between(0.38, 0.75)}
	pale := c.upTo(0.35) // a hard pencil, a pen that runs dry
	for k := range p.ink {
		p.ink[k] += (1 - p.ink[k]) * pale
	}
	if p.width < hard {
		left := 0.6 + 0.35*pale
		p.ink = [3]float64{left, left, left + 0.01}
	}
	return p
}

// dab darkens a round spot: strength 1 leaves only the ink's colour.
func (p pen) dab(x, y, width, strength float64) {
	r := width / 2 * p.dpmm
	cx, cy := x*p.dpmm, y*p.dpmm
	at := image.Rect(int(cx-r)-1, int(cy-r)-1, int(cx+r)+3, int(cy+r)+3).Intersect(p.img.Bounds())
	for j := at.Min.Y; j < at.Max.Y; j++ {
		for i := at.Min.X; i < at.Max.X; i++ {
			cover := strength * max(0, min(1, r+0.5-math.Hypot(float64(i)+0.5-cx, float64(j)+0.5-cy)))
			if cover == 0 {
				continue
			}
			q := p.img.PixOffset(i, j)
			for k := range 3 {
				// Ink on ink is no darker.
				p.img.Pix[q+k] = min(p.img.Pix[q+k], uint8(255*(1-cover*(1-p.ink[k]))))
			}
		}
	}
}

// stroke draws from point to point by hand: it trembles, and presses now more, now less.
func (p pen) stroke(c *camera, strength float64, points ...paper.Point) {
	const step = 0.12
	press := 1.0
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		n := max(1, int(math.Hypot(b.X-a.X, b.Y-a.Y)/step))
		bow := c.between(-1, 1) * 0.12
		for k := range n + 1 {
			t := float64(k) / float64(n)
			press += c.between(-0.06, 0.06)
			press = max(0.75, min(1, press))
			off := bow * math.Sin(math.Pi*t) * math.Hypot(b.X-a.X, b.Y-a.Y)
			d := math.Hypot(b.X-a.X, b.Y-a.Y) + 1e-9
			x := a.X + (b.X-a.X)*t - (b.Y-a.Y)/d*off
			y := a.Y + (b.Y-a.Y)*t + (b.X-a.X)/d*off
			p.dab(x, y, p.width*(0.85+0.15*press), strength*press)
		}
	}
}

// mark draws a cross, a tick, a scribble or a stroke in a box, by a hand that
// may miss the middle.
func (c *camera) mark(p pen, box paper.Rect, strength float64) {
	miss := 0.1 + 0.28*c.d
	mid := box.Centre()
	mid.X += max(-box.W*0.3, min(box.W*0.3, c.rand.NormFloat64()*miss))
	mid.Y += max(-box.H*0.3, min(box.H*0.3, c.rand.NormFloat64()*miss))
	w, h := box.W/2*c.between(0.62, 0.95), box.H/2*c.between(0.62, 0.98)
	at := func(x, y float64) paper.Point {
		return paper.Point{X: mid.X + w*x + c.rand.NormFloat64()*0.08, Y: mid.Y + h*y + c.rand.NormFloat64()*0.08}
	}
	kind := c.rand.IntN(10)
	switch {
	case kind < 5: // a cross
		p.stroke(c, strength, at(-1, -1), at(1, 1))
		p.stroke(c, strength, at(-1, 1), at(1, -1))
	case kind < 7: // a tick
		p.stroke(c, strength, at(-0.9, 0), at(-0.25, 0.95), at(1, -1.05))
	case kind < 9: // a scribble
		points := []paper.Point{at(-0.9, -0.2)}
		n := 4 + c.rand.IntN(5)
		for i := range n {
			x := -0.9 + 1.8*float64(i+1)/float64(n)
			points = append(points, at(x, []float64{-0.85, 0.85}[i%2]))
		}
		p.stroke(c, strength, points...)
	default: // a stroke across
		p.stroke(c, strength, at(-1, 0.9), at(1, -0.9))
	}
}

// mishaps are what else happens to paper: stray dots, marks that were rubbed
// out and left a trace, a crease.
func (c *camera) mishaps(p pen, l *paper.Layout, marks []paper.Mark) {
	for range int(c.upTo(6)) {
		p.dab(c.between(2, l.Width-2), c.between(2, l.Height-2), c.between(0.15, 0.5), c.between(0.5, 1))
	}
	rubber := p
	rubber.ink = inks[0]
	for range int(c.upTo(3)) {
		if i := c.rand.IntN(len(l.Boxes)); i >= len(marks) || marks[i] != paper.Marked {
			c.mark(rubber, l.Boxes[i].Rect, c.between(0.06, 0.16))
		}
	}
	if c.chance(0.4 * min(1, c.d)) { // folded once
		fold := pen{p.img, p.dpmm, [3]float64{0, 0, 0}, 0.5}
		x := c.between(0.2, 0.8) * l.Width
		fold.stroke(c, 0.08, paper.Point{X: x, Y: 0}, paper.Point{X: x + c.between(-8, 8), Y: l.Height})
	}
}

// stock is the colour of the paper, as factors.
func (c *camera) stock(img *image.RGBA) {
	tone := [3]float64{c.between(0.96, 1), c.between(0.96, 1), c.between(0.93, 1)}
	var table [3][256]uint8
	for k := range 3 {
		for v := range 256 {
			table[k][v] = uint8(float64(v) * tone[k])
		}
	}
	for i := 0; i < len(img.Pix); i += 4 {
		img.Pix[i], img.Pix[i+1], img.Pix[i+2] = table[0][img.Pix[i]], table[1][img.Pix[i+1]], table[2][img.Pix[i+2]]
	}
}

var paperWhite = color.RGBA{255, 255, 255, 255}
