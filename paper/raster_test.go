package paper

import (
	"bytes"
	"image"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"testing"

	goqr "github.com/piglig/go-qr"

	"tirage/game"
)

// A raster is a grey picture of a page, made here with nothing of what prints
// slips but where things stand, so that reading is not fitted to one drawing.
type raster struct {
	w, h  int
	scale float64 // pixels a millimetre
	v     []float64
}

func newRaster(w, h, scale float64) *raster {
	r := &raster{int(w * scale), int(h * scale), scale, nil}
	r.v = make([]float64, r.w*r.h)
	for i := range r.v {
		r.v[i] = 1
	}
	return r
}

// ink darkens what inside says, in millimetres, between x0, y0 and x1, y1.
func (r *raster) ink(x0, y0, x1, y1, light float64, inside func(x, y float64) bool) {
	for y := max(0, int(y0*r.scale)); y < min(r.h, int(y1*r.scale)+1); y++ {
		for x := max(0, int(x0*r.scale)); x < min(r.w, int(x1*r.scale)+1); x++ {
			n := 0.0
			for i := range 9 { // of nine points in the pixel
				px, py := (float64(x)+float64(i%3)/3+1.0/6)/r.scale, (float64(y)+float64(i/3)/3+1.0/6)/r.scale
				if inside(px, py) {
					n++
				}
			}
			i := y*r.w + x
			r.v[i] = min(r.v[i], 1-(1-light)*n/9)
		}
	}
}

func (r *raster) rect(b Rect, light float64) {
	r.ink(b.X, b.Y, b.X+b.W, b.Y+b.H, light, func(x, y float64) bool { return x >= b.X && x < b.X+b.W && y >= b.Y && y < b.Y+b.H })
}

// line draws a stroke with round ends.
func (r *raster) line(a, b Point, width, light float64) {
	x0, y0, x1, y1 := min(a.X, b.X)-width, min(a.Y, b.Y)-width, max(a.X, b.X)+width, max(a.Y, b.Y)+width
	dx, dy := b.X-a.X, b.Y-a.Y
	length := dx*dx + dy*dy
	r.ink(x0, y0, x1, y1, light, func(x, y float64) bool {
		t := 0.0
		if length > 0 {
			t = min(max(((x-a.X)*dx+(y-a.Y)*dy)/length, 0), 1)
		}
		return math.Hypot(x-a.X-t*dx, y-a.Y-t*dy) <= width/2
	})
}

// drawSlip draws what is printed.
func drawSlip(t testing.TB, l *Layout, scale, tint float64) *raster {
	t.Helper()
	r := newRaster(l.Width, l.Height, scale)
	for _, m := range l.Marks {
		r.ink(m.X-4, m.Y-4, m.X+4, m.Y+4, 0.08, func(x, y float64) bool {
			d := math.Hypot(x-m.X, y-m.Y)
			return d < MarkDot || d > MarkInner && d < MarkOuter
		})
	}
	r.code(t, l.QR, SlipText(l.Rules))
	for _, b := range l.Boxes {
		o, in := b.inset(-OutlineWidth/2), b.inset(OutlineWidth/2)
		r.ink(o.X, o.Y, o.X+o.W, o.Y+o.H, tint, func(x, y float64) bool {
			return !(x > in.X && x < in.X+in.W && y > in.Y && y < in.Y+in.H)
		})
		for i := range 3 { // something like a label
			r.rect(Rect{b.X + 1 + float64(i), b.Y - 1.8, 0.6, 1.2}, 0.3)
		}
	}
	return r
}

func (r *raster) code(t testing.TB, at Rect, words string) {
	t.Helper()
	qr, err := goqr.EncodeText(words, goqr.Medium)
	if err != nil {
		t.Fatal(err)
	}
	side := at.W / float64(qr.Size())
	r.rect(at.inset(-QuietZone), 1)
	r.ink(at.X, at.Y, at.X+at.W, at.Y+at.H, 0.08, func(x, y float64) bool {
		col, row := int((x-at.X)/side), int((y-at.Y)/side)
		return col >= 0 && row >= 0 && col < qr.Size() && row < qr.Size() && x >= at.X && y >= at.Y && qr.Module(col, row)
	})
}

// hand draws a mark as one does, and returns nothing that reads: crosses, ticks, strokes, scribbles.
func (r *raster) hand(rnd *rand.Rand, b Rect, width, light float64) {
	c := b.Centre()
	c.X, c.Y = c.X+b.W*(rnd.Float64()-0.5)/2, c.Y+b.H*(rnd.Float64()-0.5)/2
	w, h := b.W*(0.32+0.12*rnd.Float64()), b.H*(0.32+0.12*rnd.Float64())
	at := func(x, y float64) Point {
		return Point{c.X + x*w + 0.15*rnd.NormFloat64(), c.Y + y*h + 0.15*rnd.NormFloat64()}
	}
	switch rnd.IntN(4) {
	case 0:
		r.line(at(-1, -1), at(1, 1), width, light)
		r.line(at(-1, 1), at(1, -1), width, light)
	case 1:
		low := at(-0.2, 1)
		r.line(at(-1, 0.1), low, width, light)
		r.line(low, at(1, -1), width, light)
	case 2:
		r.line(at(-1, 1), at(1, -1), 1.3*width, light)
	case 3:
		p := at(-1, -1)
		for i := range 8 {
			q := at(float64(i)/4-0.9, float64(1-2*(i%2)))
			r.line(p, q, width, light)
			p = q
		}
	}
}

// A shot is how a page is photographed.
type shot struct {
	w, h           int     // pixels
	fill           float64 // of the picture's width that the page takes
	turn, tilt     float64 // radians; of 1
	gain, gradient float64 // light on the paper, how much it changes across
	blur, noise    float64 // pixels; of 1
	desk           float64 // light of what lies around
	quality        int     // of JPEG
	seed           uint64
}

// photo photographs a page.
func (r *raster) photo(t testing.TB, s shot) image.Image {
	t.Helper()
	rnd := rand.New(rand.NewPCG(s.seed, 1))
	back, ok := through(s.place(r), [4]Point{{0, 0}, {float64(r.w), 0}, {float64(r.w), float64(r.h)}, {0, float64(r.h)}})
	if !ok {
		t.Fatal("no such perspective")
	}
	light := make([]float64, s.w*s.h)
	for y := range s.h {
		for x := range s.w {
			p := back.to(Point{float64(x) + 0.5, float64(y) + 0.5})
			var v float64
			if p.X >= 0 && p.Y >= 0 && p.X < float64(r.w) && p.Y < float64(r.h) {
				v = r.v[int(p.Y)*r.w+int(p.X)]
			} else {
				v = s.desk * (0.9 + 0.2*math.Sin(float64(x)/17+3*math.Sin(float64(y)/60)))
			}
			light[y*s.w+x] = v * s.gain * (1 - s.gradient*float64(x+y)/float64(s.w+s.h))
		}
	}
	blurred(light, s.w, s.h, s.blur)
	img := image.NewRGBA(image.Rect(0, 0, s.w, s.h))
	for i, v := range light {
		g := uint8(min(max(255*(v+s.noise*rnd.NormFloat64()), 0), 255))
		copy(img.Pix[4*i:], []uint8{g, g, g - g/12, 255})
	}
	if s.quality == 0 {
		return img
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: s.quality}); err != nil {
		t.Fatal(err)
	}
	out, err := Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// place is where the corners of the page stand in the picture.
func (s shot) place(r *raster) (q [4]Point) {
	half := s.fill * float64(s.w) / 2
	sin, cos := math.Sincos(s.turn)
	for i, c := range [4]Point{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}} {
		x, y := c.X*half, c.Y*half*float64(r.h)/float64(r.w)
		x, y = x*cos-y*sin, x*sin+y*cos
		z := 1 + s.tilt*(y+0.4*x)/float64(s.h)
		q[i] = Point{float64(s.w)/2 + x/z, float64(s.h)/2 + y/z}
	}
	return q
}

// blurred blurs by three box means, which come close to a bell of this deviation.
func blurred(v []float64, w, h int, sigma float64) {
	half := int(math.Round(sigma))
	if half == 0 {
		return
	}
	pass := func(n, step, lines, lineStep int) {
		line := make([]float64, n+2*half)
		for l := range lines {
			for i := range n {
				line[half+i] = v[l*lineStep+i*step]
			}
			for i := range half {
				line[i], line[half+n+i] = line[half], line[half+n-1]
			}
			for i := range n {
				sum := 0.0
				for _, near := range line[i : i+2*half+1] {
					sum += near
				}
				v[l*lineStep+i*step] = sum / float64(2*half+1)
			}
		}
	}
	for range 2 {
		pass(w, 1, h, w)
		pass(h, w, w, 1)
	}
}

// testLayout lays out a game that comes with the program.
func testLayout(t testing.TB, code game.Code) *Layout {
	t.Helper()
	b, err := game.Book(code)
	if err != nil {
		t.Fatal(err)
	}
	r, err := game.Parse(string(code), b)
	if err != nil {
		t.Fatal(err)
	}
	l, err := NewLayout(r)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// booksOf gives the rules of layouts.
func booksOf(layouts ...*Layout) func(game.Code, [8]byte) *game.Rules {
	return func(code game.Code, version [8]byte) *game.Rules {
		for _, l := range layouts {
			if l.Rules.Code == code && [8]byte(l.Rules.Hash[:8]) == version {
				return l.Rules
			}
		}
		return nil
	}
}
