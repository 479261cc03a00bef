// Package photo takes photos of slips for tests: a printed slip, marked by hand
// as it is told, on a table, in bad light, seen askew by a phone.
//
// A photo is a function of its arguments. Difficulty runs from 0: about 0.3 is
// a good phone or scanner, 0.7 bad light, 1 is hard, 1.3 absurd; it widens the
// ranges that everything is drawn from. It models what light, paper, pens and
// cameras do, and knows nothing of how slips are read.
package photo

import (
	"bytes"
	"image"
	"image/jpeg"
	"math"
	"math/rand/v2"

	"tirage/paper"
)

// Take photographs a slip with marks, one a box of the layout: Marked is
// marked somehow, Unsure so lightly that nobody could tell, and any other is
// left alone, but for what happens to paper. The photo has been through JPEG.
func Take(l *paper.Layout, marks []paper.Mark, difficulty float64, seed [32]byte) image.Image {
	return decode(JPEG(l, marks, difficulty, seed))
}

// JPEG is the photo of [Take] as a file.
func JPEG(l *paper.Layout, marks []paper.Mark, difficulty float64, seed [32]byte) []byte {
	c := newCamera(difficulty, seed, sizeMax)
	return c.shoot(c.place(c.slip(l, marks, "", nil), c.frame()))
}

// Small is as [JPEG], by a camera of 1 to 1.7 million pixels: a third of the work.
func Small(l *paper.Layout, marks []paper.Mark, difficulty float64, seed [32]byte) []byte {
	c := newCamera(difficulty, seed, smallMax)
	return c.shoot(c.place(c.slip(l, marks, "", nil), c.frame()))
}

// Longer sides of photos, in pixels. Most pictures have 1 to 4 megapixels, some 12.
const (
	sizeMin  = 1200
	smallMax = 1500 // of [Small]
	sizeMax  = 4000
)

// WithCode photographs a slip whose QR code says something else.
func WithCode(l *paper.Layout, marks []paper.Mark, code string, difficulty float64, seed [32]byte) image.Image {
	c := newCamera(difficulty, seed, sizeMax)
	return decode(c.shoot(c.place(c.slip(l, marks, code, nil), c.frame())))
}

// Half photographs a slip of which about a half is outside the photo.
func Half(l *paper.Layout, marks []paper.Mark, difficulty float64, seed [32]byte) image.Image {
	c := newCamera(difficulty, seed, sizeMax)
	into := c.frame()
	switch c.rand.IntN(4) {
	case 0:
		into.x -= into.w / 2
	case 1:
		into.x += into.w / 2
	case 2:
		into.y -= into.h / 2
	default:
		into.y += into.h / 2
	}
	c.fill = 0.95
	return decode(c.shoot(c.place(c.slip(l, marks, "", nil), into)))
}

// Pair photographs two slips side by side.
func Pair(a *paper.Layout, marksA []paper.Mark, b *paper.Layout, marksB []paper.Mark, difficulty float64, seed [32]byte) image.Image {
	c := newCamera(difficulty, seed, sizeMax)
	one, two := c.frame(), c.frame()
	if c.w > c.h {
		one.w, two.w, two.x = one.w/2, two.w/2, two.x+two.w/2
	} else {
		one.h, two.h, two.y = one.h/2, two.h/2, two.y+two.h/2
	}
	return decode(c.shoot(c.place(c.slip(a, marksA, "", nil), one), c.place(c.slip(b, marksB, "", nil), two)))
}

// Page photographs a printed page that is no slip.
func Page(difficulty float64, seed [32]byte) image.Image {
	c := newCamera(difficulty, seed, sizeMax)
	return decode(c.shoot(c.place(c.page(), c.frame())))
}

// Table photographs a table without any paper.
func Table(difficulty float64, seed [32]byte) image.Image {
	return decode(newCamera(difficulty, seed, sizeMax).shoot())
}

func decode(b []byte) image.Image {
	img, err := jpeg.Decode(bytes.NewReader(b))
	if err != nil {
		panic("photo: " + err.Error())
	}
	return img
}

// A camera is what one photo is taken with: its size in pixels, and chance.
type camera struct {
	rand *rand.Rand
	d    float64 // difficulty
	w, h int
	fill float64 // how much of the frame the paper fills
}

func newCamera(difficulty float64, seed [32]byte, most int) *camera {
	c := &camera{rand: rand.New(rand.NewChaCha8(seed)), d: difficulty}
	long := sizeMin + int(float64(most-sizeMin)*math.Pow(c.rand.Float64(), 3))
	c.w, c.h = long, long*3/4
	if c.rand.IntN(2) == 0 {
		c.w, c.h = c.h, c.w
	}
	c.fill = c.between(0.97-0.25*min(1, difficulty), 0.98)
	return c
}

// between is a number of a range, uniformly.
func (c *camera) between(lo, hi float64) float64 { return lo + (hi-lo)*c.rand.Float64() }

// upTo is a number from 0 to a limit that grows with the difficulty.
func (c *camera) upTo(limit float64) float64 { return c.d * limit * c.rand.Float64() }

// chance is true so often.
func (c *camera) chance(p float64) bool { return c.rand.Float64() < p }

// area is a rectangle of the photo, in pixels.
type area struct{ x, y, w, h float64 }

func (c *camera) frame() area { return area{0, 0, float64(c.w), float64(c.h)} }

// An object is a paper in the photo: its print, and where a pixel of the photo is on it.
type object struct {
	print *image.RGBA
	size  [2]float64 // in mm
	to    matrix     // from pixels of the photo to mm
	curl  [256]curl  // along the width
	box   image.Rectangle
}

// curl is how bent paper shifts and shades what is printed.
type curl struct{ shift, shade float32 }

// A matrix is a projective map of the plane, by rows.
type matrix [9]float64

func (m matrix) apply(x, y float64) (float64, float64) {
	w := m[6]*x + m[7]*y + m[8]
	return (m[0]*x + m[1]*y + m[2]) / w, (m[3]*x + m[4]*y + m[5]) / w
}

func (m matrix) inverse() matrix {
	a, b, c, d, e, f, g, h, i := m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8]
	n := matrix{e*i - f*h, c*h - b*i, b*f - c*e, f*g - d*i, a*i - c*g, c*d - a*f, d*h - e*g, b*g - a*h, a*e - b*d}
	det := a*n[0] + b*n[3] + c*n[6]
	for k := range n {
		n[k] /= det
	}
	return n
}

// place lays a print into an area of the photo: turned anyhow, seen askew,
// filling the area as far as the camera is near.
func (c *camera) place(s sheet, into area) object {
	w, h := s.w, s.h
	o := object{print: s.img, size: [2]float64{w, h}}
	turn := float64(c.rand.IntN(4))*math.Pi/2 + c.between(-1, 1)*min(1, c.d)*math.Pi/4
	tilt, side := c.between(-1, 1)*c.d*0.45, c.between(-1, 1)*c.d*0.45
	far := c.between(260, 420) // mm from the lens
	sin, cos := math.Sincos(turn)
	sinT, cosT := math.Sincos(tilt)
	sinS, cosS := math.Sincos(side)
	// Turned in its plane, tilted about the horizontal, then about the vertical axis.
	x := [2]float64{cos*cosS + sin*sinT*sinS, -sin*cosS + cos*sinT*sinS}
	y := [2]float64{sin * cosT, cos * cosT}
	z := [2]float64{-cos*sinS + sin*sinT*cosS, sin*sinS + cos*sinT*cosS}
	seen := matrix{
		x[0], x[1], -x[0]*w/2 - x[1]*h/2,
		y[0], y[1], -y[0]*w/2 - y[1]*h/2,
		z[0] / far, z[1] / far, 1 - (z[0]*w/2+z[1]*h/2)/far,
	}
	lo, hi := [2]float64{1e9, 1e9}, [2]float64{-1e9, -1e9}
	for _, corner := range [4][2]float64{{0, 0}, {w, 0}, {w, h}, {0, h}} {
		px, py := seen.apply(corner[0], corner[1])
		lo, hi = [2]float64{min(lo[0], px), min(lo[1], py)}, [2]float64{max(hi[0], px), max(hi[1], py)}
	}
	scale := c.fill * min(into.w/(hi[0]-lo[0]), into.h/(hi[1]-lo[1]))
	dx := into.x - lo[0]*scale + (into.w-(hi[0]-lo[0])*scale)*c.between(0.1, 0.9)
	dy := into.y - lo[1]*scale + (into.h-(hi[1]-lo[1])*scale)*c.between(0.1, 0.9)
	for k := range 3 {
		seen[k], seen[3+k] = seen[k]*scale+dx*seen[6+k], seen[3+k]*scale+dy*seen[6+k]
	}
	o.to = seen.inverse()
	o.box = image.Rect(int(lo[0]*scale+dx)-40, int(lo[1]*scale+dy)-40, int(hi[0]*scale+dx)+40, int(hi[1]*scale+dy)+40)
	bend, phase, waves := c.upTo(1.6), c.between(0, 2*math.Pi), c.between(0.5, 1.2)
	for i := range o.curl {
		s, k := math.Sincos(phase + waves*math.Pi*float64(i)/float64(len(o.curl)))
		o.curl[i] = curl{float32(bend * s), float32(1 + 0.09*bend*k)}
	}
	return o
}
