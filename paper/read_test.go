package paper

import (
	"errors"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"testing"
)

// filled draws a slip with each box marked by chance, and returns what was marked.
func filled(t testing.TB, l *Layout, rnd *rand.Rand, scale, tint, pen float64) (*raster, []Mark) {
	t.Helper()
	r := drawSlip(t, l, scale, tint)
	marks := make([]Mark, len(l.Boxes))
	for i, b := range l.Boxes {
		marks[i] = Empty
		if rnd.IntN(6) == 0 {
			marks[i] = Marked
			r.hand(rnd, b.Rect, 0.5, pen)
		}
	}
	return r, marks
}

// TestReadRasters reads slips that nothing of the printing side has drawn, as
// cameras and scanners show them.
func TestReadRasters(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]shot{
		"phone":              {w: 1600, h: 1200, fill: 0.6, turn: 0.4, tilt: 0.3, gain: 0.8, gradient: 0.4, blur: 1, noise: 0.02, desk: 0.3, quality: 70},
		"phone, overhead":    {w: 1500, h: 2000, fill: 0.8, turn: 2.9, tilt: 0.1, gain: 0.9, gradient: 0.2, blur: 0, noise: 0.03, desk: 0.95, quality: 80},
		"12 megapixels":      {w: 4000, h: 3000, fill: 0.65, turn: 4.6, tilt: 0.25, gain: 0.7, gradient: 0.5, blur: 2, noise: 0.03, desk: 0.2, quality: 60},
		"grey, 40 %":         {w: 1400, h: 1100, fill: 0.8, turn: 3.2, tilt: 0, gain: 0.75, gradient: 0.3, blur: 1, noise: 0.01, desk: 0.5, quality: 40},
		"scan of 150 dpi":    {w: 1240, h: 1754, fill: 0.7, turn: 1.57, tilt: 0, gain: 1, gradient: 0, blur: 0, noise: 0.01, desk: 1, quality: 90},
		"scan, not packed":   {w: 1754, h: 1240, fill: 0.95, turn: 0.02, tilt: 0, gain: 1, gradient: 0, blur: 0, noise: 0, desk: 0.95},
		"600 dpi, to the mm": {w: 3496, h: 2480, fill: 1, turn: 0, tilt: 0, gain: 0.95, gradient: 0, blur: 1, noise: 0.02, desk: 0.95, quality: 75},
	} {
		for i, l := range []*Layout{testLayout(t, "ile-au-tresor"), testLayout(t, "amigo")} {
			if s.w*s.h > 5e6 && i != s.w/1000%2 { // the size is what is tried: with one game each
				continue
			}
			t.Run(fmt.Sprintf("%s, %s", name, l.Rules.Code), func(t *testing.T) {
				t.Parallel()
				rnd := rand.New(rand.NewPCG(uint64(i), 11))
				r, truth := filled(t, l, rnd, 12, 0.86, 0.35)
				reading, err := Read(r.photo(t, s), booksOf(l))
				if err != nil {
					t.Fatal(err)
				}
				unsure := 0
				for i, m := range reading.Marks {
					if m == Unsure {
						unsure++
					} else if m != truth[i] {
						t.Errorf("box %d (%+v) is read as %v, and is %v; ink %.3f", i, l.Boxes[i], m, truth[i], reading.Ink[i])
					}
				}
				if unsure*20 > len(truth) {
					t.Errorf("%d of %d boxes unsure", unsure, len(truth))
				}
			})
		}
	}
}

// TestReadRefuses: each page that is no whole slip is refused with its reason.
func TestReadRefuses(t *testing.T) {
	t.Parallel()
	l := testLayout(t, "ile-au-tresor")
	slip, _ := filled(t, l, rand.New(rand.NewPCG(5, 5)), 10, 0.86, 0.35)
	s := shot{w: 1400, h: 1100, fill: 0.7, turn: 0.3, tilt: 0.1, gain: 0.9, blur: 1, noise: 0.01, desk: 0.3, quality: 80}
	away := func(code Rect) *raster { // a page with the marks of a slip, and another code or none
		r := newRaster(l.Width, l.Height, 10)
		for _, m := range l.Marks {
			r.ink(m.X-4, m.Y-4, m.X+4, m.Y+4, 0.1, func(x, y float64) bool {
				d := math.Hypot(x-m.X, y-m.Y)
				return d < MarkDot || d > MarkInner && d < MarkOuter
			})
		}
		if code.W > 0 {
			r.code(t, code, "https://example.org/another-page")
		}
		return r
	}
	half := slip.photo(t, s).(*image.YCbCr)
	two := image.NewGray(image.Rect(0, 0, 1480, 2100))
	for y := range 2100 {
		for x := range 1480 {
			two.Pix[y*two.Stride+x] = uint8(250 * slip.v[y%1050*slip.w+x])
		}
	}
	over := newRaster(2*l.Width, 2*l.Height, 10) // one lies over the other, whose code alone is seen
	for _, at := range [2]int{60*over.w + 800, 700*over.w + 100} {
		for y := range slip.h {
			copy(over.v[at+y*over.w:], slip.v[y*slip.w:(y+1)*slip.w])
		}
	}
	pleat := newRaster(l.Width, l.Height, 10) // 3 mm of the middle stand off the table
	for i := range pleat.v {
		pleat.v[i] = slip.v[i]
		if x := i % pleat.w; x > 350 && x < 750 && i+30*pleat.w < len(slip.v) {
			pleat.v[i] = slip.v[i+30*pleat.w]
		}
	}
	blank := image.NewGray(image.Rect(0, 0, 900, 700))
	noise := image.NewGray(image.Rect(0, 0, 900, 700))
	rnd := rand.New(rand.NewPCG(1, 1))
	for i := range noise.Pix {
		noise.Pix[i] = uint8(rnd.Uint32())
	}
	other := drawSlip(t, l, 10, 1) // a code of ours on a page without boxes
	for name, c := range map[string]struct {
		img   image.Image
		books bool
		want  error
	}{
		"blank":                   {blank, true, ErrNoSlip},
		"noise":                   {noise, true, ErrNoSlip},
		"left half":               {half.SubImage(image.Rect(0, 0, 700, 1100)), true, ErrNoSlip},
		"right half":              {half.SubImage(image.Rect(650, 0, 1400, 1100)), true, ErrHalfSlip},
		"two slips":               {two, true, ErrSeveralSlips},
		"one over another":        {over.photo(t, shot{w: 2000, h: 1500, fill: 0.95, turn: 0.05, gain: 0.9, blur: 1, noise: 0.01, desk: 0.3, quality: 80}), true, ErrSeveralSlips},
		"a pleat":                 {pleat.photo(t, s), true, ErrNotFlat},
		"marks without a code":    {away(Rect{}).photo(t, s), true, ErrNoSlip},
		"another code":            {away(l.QR).photo(t, s), true, ErrStrangeCode},
		"another code, elsewhere": {away(Rect{30, 30, 25, 25}).photo(t, s), true, ErrStrangeCode},
		"no boxes":                {other.photo(t, s), true, ErrOtherPage},
		"unknown game":            {slip.photo(t, s), false, ErrUnknownSlip},
		"a few pixels":            {image.NewGray(image.Rect(0, 0, 3, 3)), true, ErrImage},
		"a line":                  {image.NewGray(image.Rect(0, 0, 9000, 1)), true, ErrImage},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			books := booksOf()
			if c.books {
				books = booksOf(l)
			}
			if _, err := Read(c.img, books); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
}
