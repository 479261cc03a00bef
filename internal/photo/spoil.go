package photo

import (
	"image"
	"image/color"
	"math"
	"slices"

	"tirage/paper"
)

// A Spoiling is what happens to a slip after which it must not be sold as if nothing had.
type Spoiling uint8

const (
	Thumb     Spoiling = iota + 1 // lies over a box that is not marked
	Stain                         // of coffee: what is below can be seen
	Blackened                     // a box that is not marked is filled
	Torn                          // a corner is away, and what the slip lies on is seen
	Pleated                       // a part stands off the table
	SecondPen                     // one more mark, by a much paler pen
)

// Spoilings are all of them.
var Spoilings = []Spoiling{Thumb, Stain, Blackened, Torn, Pleated, SecondPen}

// String is the name in reports.
func (s Spoiling) String() string {
	return [...]string{"invalid", "thumb", "stain", "blackened", "torn", "pleated", "second pen"}[s]
}

// Spoilt is the photo, as a file, of a slip to which something happened. It returns
// what is marked now, and whether that can be told from the photo: if not, the
// slip must be refused, or asked about, whatever the reader takes the boxes for.
func Spoilt(l *paper.Layout, marks []paper.Mark, how Spoiling, difficulty float64, seed [32]byte) (jpeg []byte, truth []paper.Mark, told bool) {
	c := newCamera(difficulty, seed, smallMax)
	truth = slices.Clone(marks)
	spoil := func(img *image.RGBA, dpmm float64) { told = c.spoil(pen{img: img, dpmm: dpmm}, l, truth, how) }
	jpeg = c.shoot(c.place(c.slip(l, marks, "", spoil), c.frame()))
	return jpeg, truth, told
}

// spoil changes the print, and says in truth what is marked more.
func (c *camera) spoil(p pen, l *paper.Layout, truth []paper.Mark, how Spoiling) (told bool) {
	i := c.unmarked(l, truth)
	box := l.Boxes[i].Rect
	mid := box.Centre()
	mid.X, mid.Y = mid.X+c.between(-1, 1)*box.W/4, mid.Y+c.between(-1, 1)*box.H/4
	switch how {
	case Thumb:
		skin := c.between(0.3, 1)
		p.ink, p.width = [3]float64{0.8 * skin, 0.6 * skin, 0.5 * skin}, 2*c.between(5, 9)
		p.cover(func(x, y float64) bool { return math.Hypot(x-mid.X, y-mid.Y) < p.width/2 })
		return false
	case Stain:
		left := c.between(0.45, 0.8)
		radius := c.between(3.5, 8)
		for y := range p.img.Rect.Dy() {
			for x := range p.img.Rect.Dx() {
				if math.Hypot(float64(x)/p.dpmm-mid.X, float64(y)/p.dpmm-mid.Y) < radius {
					q := p.img.PixOffset(x, y)
					for k, f := range [3]float64{left, 0.9 * left, 0.8 * left} {
						p.img.Pix[q+k] = uint8(float64(p.img.Pix[q+k]) * f)
					}
				}
			}
		}
		return true
	case Blackened:
		p.ink = inks[1]
		p.cover(func(x, y float64) bool {
			return math.Abs(x-box.Centre().X) < box.W/2 && math.Abs(y-box.Centre().Y) < box.H/2
		})
		return false
	case Torn:
		return c.tear(p, l)
	case Pleated:
		c.pleat(p, l)
		return true
	case SecondPen:
		left := c.between(0.6, 0.75)
		p.ink, p.width = [3]float64{left, left, left}, c.between(0.4, 0.6)
		c.mark(p, box, 1)
		truth[i] = paper.Marked
		return true
	}
	panic("photo: " + how.String())
}

// unmarked is a box that is not marked, of those beside which one is: of a used board, a stake, a number of draws.
func (c *camera) unmarked(l *paper.Layout, marks []paper.Mark) int {
	for {
		i := c.rand.IntN(len(l.Boxes))
		f := l.Boxes[i].Field
		used := slices.ContainsFunc(l.Boxes, func(b paper.Box) bool {
			return b.Field.Kind == f.Kind && b.Field.Board == f.Board && marks[slices.Index(l.Boxes, b)] == paper.Marked
		})
		if marks[i] != paper.Marked && used {
			return i
		}
	}
}

// cover paints over what is inside, in mm: nothing below is seen.
func (p pen) cover(inside func(x, y float64) bool) {
	over := color.RGBA{uint8(255 * p.ink[0]), uint8(255 * p.ink[1]), uint8(255 * p.ink[2]), 255}
	for y := range p.img.Rect.Dy() {
		for x := range p.img.Rect.Dx() {
			if inside((float64(x)+0.5)/p.dpmm, (float64(y)+0.5)/p.dpmm) {
				p.img.SetRGBA(x, y, over)
			}
		}
	}
}

// tear takes a corner away, but for that of the code. What stood there cannot be told.
func (c *camera) tear(p pen, l *paper.Layout) (told bool) {
	light := c.between(0.15, 0.95)
	p.ink = [3]float64{light, light * c.between(0.7, 1), light * c.between(0.5, 1)}
	at := [3]paper.Point{{X: 0, Y: 0}, {X: l.Width, Y: 0}, {X: 0, Y: l.Height}}[c.rand.IntN(3)]
	across, along := c.between(22, 50), c.between(22, 50)
	away := func(x, y float64) bool { return math.Abs(x-at.X)/across+math.Abs(y-at.Y)/along < 1 }
	p.cover(away)
	return !slices.ContainsFunc(l.Boxes, func(b paper.Box) bool { return away(b.Centre().X, b.Centre().Y) })
}

// pleat lifts a strip across the slip: what is on it is seen away from its place, and darker.
func (c *camera) pleat(p pen, l *paper.Layout) {
	from := image.NewRGBA(p.img.Rect)
	copy(from.Pix, p.img.Pix)
	first, wide := c.between(0.15, 0.5)*l.Width, c.between(18, 40)
	high := c.between(1.5, 5)
	for x := range p.img.Rect.Dx() {
		t := (float64(x)/p.dpmm - first) / wide
		if t < 0 || t > 1 {
			continue
		}
		up := high * (1 - math.Abs(2*t-1)) * p.dpmm
		shade := 1 - 0.03*high*t
		for y := range p.img.Rect.Dy() {
			below := from.RGBAAt(x, min(y+int(up), p.img.Rect.Dy()-1))
			p.img.SetRGBA(x, y, color.RGBA{uint8(float64(below.R) * shade), uint8(float64(below.G) * shade), uint8(float64(below.B) * shade), 255})
		}
	}
}
