package paper

import (
	"errors"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// screen shows a code on a telephone: light of rows and columns of dots, that a
// camera's pixels beat with.
func screen(t testing.TB, words string) *raster {
	t.Helper()
	r := newRaster(70, 140, 14)
	for i := range r.v {
		r.v[i] = 0.15 // dark around
	}
	card := Rect{5, 30, 60, 60}
	for y := int(card.Y * r.scale); y < int((card.Y+card.H)*r.scale); y++ {
		for x := int(card.X * r.scale); x < int((card.X+card.W)*r.scale); x++ {
			r.v[y*r.w+x] = 1
		}
	}
	code := Rect{11, 36, 48, 48}
	before := append([]float64(nil), r.v...)
	r.code(t, code, words)
	for y := range r.h { // nothing but the card is white
		for x := range r.w {
			i := y*r.w + x
			r.v[i] = min(r.v[i], before[i]) * (0.82 + 0.18*math.Cos(float64(x)*2.1)*math.Cos(float64(y)*2.3))
		}
	}
	return r
}

func TestReadCode(t *testing.T) {
	t.Parallel()
	slip := "TIRAGE2~amigo~0123456789abcdef~1796083200~200~5~1.6.11.16.21.26.31.36.41-1~2.7.12.17.22.27.32.37.42-3~" + strings.Repeat("A", 22)
	ticket := "https://tirage.example/t/7K3M9QX2B4HV8N6P"
	for _, words := range []string{slip, ticket} {
		for name, s := range map[string]shot{
			"screen":             {w: 1200, h: 1600, fill: 0.6, turn: 0.1, tilt: 0.2, gain: 0.9, blur: 1, noise: 0.02, desk: 0.4, quality: 70},
			"screen, turned":     {w: 1600, h: 1200, fill: 0.4, turn: 1.9, tilt: 0.4, gain: 0.7, gradient: 0.3, blur: 1, noise: 0.03, desk: 0.1, quality: 60},
			"screen, large":      {w: 3000, h: 4000, fill: 0.9, turn: 3.3, tilt: 0.1, gain: 0.9, blur: 2, noise: 0.02, desk: 0.6, quality: 80},
			"screen, screenshot": {w: 980, h: 1960, fill: 1, gain: 1},
		} {
			t.Run(fmt.Sprintf("%s, %d letters", name, len(words)), func(t *testing.T) {
				t.Parallel()
				got, err := ReadCode(screen(t, words).photo(t, s))
				if err != nil || got != words {
					t.Errorf("got %q, %v, want %q", got, err, words)
				}
			})
		}
	}
	l := testLayout(t, "amigo")
	got, err := ReadCode(drawSlip(t, l, 8, 0.86).photo(t, shot{w: 1500, h: 1100, fill: 0.8, turn: 2.5, tilt: 0.3, gain: 0.6, blur: 1, noise: 0.02, desk: 0.2, quality: 60}))
	if want := SlipText(l.Rules); err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	for _, side := range []int{1, 20, 300} {
		if got, err := ReadCode(image.NewGray(image.Rect(0, 0, side, side))); got != "" || !errors.Is(err, ErrNoCode) && !errors.Is(err, ErrImage) {
			t.Errorf("%d pixels: got %q, %v", side, got, err)
		}
	}
}

// A picture full of finders, of a few kilobytes, takes no more work than is allowed,
// and a code among some of them is read with a fraction of that.
func TestReadCode_Finders(t *testing.T) {
	t.Parallel()
	chance := rand.New(rand.NewPCG(1, 2))
	full := newRaster(100, 100, 30)
	for range 900 {
		finder(full, chance.IntN(full.w), chance.IntN(full.h), 2+chance.IntN(8))
	}
	s := newSearch(full.luma())
	if c, ok := s.findCode(); ok {
		t.Errorf("read %q", c.text)
	}
	if s.work <= workMax || s.work > 2*workMax { // it would take ten times that
		t.Errorf("work %d of %d", s.work, workMax)
	}
	if _, err := s.slip(); !errors.Is(err, ErrNoSlip) {
		t.Errorf("a slip looked for after that: %v", err)
	}

	some := screen(t, "https://tirage.example/t/7K3M9QX2B4HV8N6P")
	for range 12 {
		finder(some, chance.IntN(some.w), chance.IntN(30*14-80), 5)
	}
	s = newSearch(some.luma())
	if _, ok := s.findCode(); !ok || s.work > workMax/4 {
		t.Errorf("among others read: %v, work %d", ok, s.work)
	}
}

// luma is the raster as it is, without a camera.
func (r *raster) luma() plane {
	p := newPlane(r.w, r.h)
	for i, v := range r.v {
		p.pix[i] = uint8(255 * v)
	}
	return p
}

// finder draws one of a QR code, of modules of so many pixels.
func finder(r *raster, x, y, side int) {
	for dy := range 7 * side {
		for dx := range 7 * side {
			if x+dx < r.w && y+dy < r.h {
				ring := max(dx/side-3, 3-dx/side, dy/side-3, 3-dy/side)
				r.v[(y+dy)*r.w+x+dx] = 0
				if ring == 2 {
					r.v[(y+dy)*r.w+x+dx] = 1
				}
			}
		}
	}
}

// TestLook: a picture is looked at once, for a slip and for any other code.
func TestLook(t *testing.T) {
	t.Parallel()
	l := testLayout(t, "ile-au-tresor")
	s := shot{w: 1200, h: 900, fill: 0.8, turn: 0.3, tilt: 0.1, gain: 0.9, blur: 1, noise: 0.01, desk: 0.3, quality: 80}
	slip := drawSlip(t, l, 8, 0.86)
	with := func(words string) *raster { // a slip with another code in its place
		r := drawSlip(t, l, 8, 0.86)
		for y := int(l.QR.Y * r.scale); y <= int((l.QR.Y+l.QR.H)*r.scale); y++ {
			for x := int(l.QR.X * r.scale); x <= int((l.QR.X+l.QR.W)*r.scale); x++ {
				r.v[y*r.w+x] = 1
			}
		}
		r.code(t, l.QR, words)
		return r
	}
	const words = "https://example.org/t/ABCD"
	for name, c := range map[string]struct {
		page *raster
		text string
		slip bool
		want error
	}{
		"a slip":                       {slip, "", true, nil},
		"a phone's screen":             {screen(t, words), words, false, nil},
		"another code where one is":    {with(words), words, false, nil},
		"a form that is not known yet": {with("TIRAGEB9~ile-au-tresor~0011223344556677"), "", false, ErrStrangeCode},
		"nothing":                      {newRaster(100, 80, 8), "", false, ErrNoSlip},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := s
			if c.page.h > c.page.w {
				s.w, s.h = s.h, s.w
			}
			got, err := Look(c.page.photo(t, s), booksOf(l))
			if got.Text != c.text || (got.Reading != nil) != c.slip || !errors.Is(err, c.want) {
				t.Errorf("got %q, slip %v, %v", got.Text, got.Reading != nil, err)
			}
		})
	}
}
