package paper

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"tirage/wager"
)

// played are the boxes of a slip as a player marks them: seven places, a pirate, a stake, a number of draws.
func played(l *Layout) []int {
	var list []int
	for i, b := range l.Boxes {
		switch b.Field {
		case place(2), place(5), place(8), place(11), place(14), place(17), place(20), pirate(2), stakeOf(1), drawsOf(2):
			list = append(list, i)
		}
	}
	return list
}

// inMarks is what the slip asks whose marked boxes are given.
func inMarks(t *testing.T, l *Layout, boxes []int) wager.Slip {
	t.Helper()
	r := reading(l, nil, nil)
	for _, i := range boxes {
		r.Marks[i] = Marked
	}
	slip, asked, err := r.Slip(nil)
	if err != nil || asked != nil {
		t.Fatal(asked, err)
	}
	return slip
}

// spot darkens a round place: a thumb, a stain.
func (r *raster) spot(at Point, radius, light float64) {
	r.ink(at.X-radius, at.Y-radius, at.X+radius, at.Y+radius, light, func(x, y float64) bool {
		return math.Hypot(x-at.X, y-at.Y) < radius
	})
}

// soaked takes a share of the light of what lies below, as a stain does that can be looked through.
func (r *raster) soaked(at Point, radius, light float64) {
	for y := range r.h {
		for x := range r.w {
			if math.Hypot(float64(x)/r.scale-at.X, float64(y)/r.scale-at.Y) < radius {
				r.v[y*r.w+x] *= light
			}
		}
	}
}

func (r *raster) scribble(rnd *rand.Rand, b Rect, width, light float64) {
	in := b.inset(0.7)
	p := Point{in.X, in.Y}
	for i := range 10 {
		q := Point{in.X + in.W*float64(i+1)/10, in.Y + in.H*float64((i+1)%2) + 0.1*rnd.NormFloat64()}
		r.line(p, q, width, light)
		p = q
	}
}

// TestReadDamaged: what is covered, torn, stained, blacked out or marked with
// two pens is asked or refused, unless the slip is read as it was marked.
func TestReadDamaged(t *testing.T) {
	t.Parallel()
	l := testLayout(t, "ile-au-tresor")
	boxOf := func(f Field) Rect {
		for _, b := range l.Boxes {
			if b.Field == f {
				return b.Rect
			}
		}
		panic(fmt.Sprint(f))
	}
	crosses := func(r *raster, _ *rand.Rand, boxes []int) {
		for _, i := range boxes {
			cross(r, l.Boxes[i].Rect, 0.5, 0.25)
		}
	}
	scribbles := func(r *raster, rnd *rand.Rand, boxes []int) {
		for _, i := range boxes {
			r.scribble(rnd, l.Boxes[i].Rect, 0.55, 0.25)
		}
	}
	type damage struct {
		marks func(r *raster, rnd *rand.Rand, boxes []int)
		left  []Field // that were not marked
		to    func(r *raster)
		sold  bool // may be, as marked
	}
	all := map[string]damage{
		"a black stripe":                   {crosses, nil, func(r *raster) { r.rect(Rect{20, 0, 8, 105}, 0.1) }, true},
		"a black stripe and six places":    {crosses, []Field{place(20)}, func(r *raster) { r.rect(Rect{20, 0, 8, 105}, 0.1) }, false},
		"a torn corner":                    {crosses, nil, func(r *raster) { r.spot(Point{148, 0}, 31, 0.3) }, true},
		"a torn corner, no pirate":         {crosses, []Field{pirate(2)}, func(r *raster) { r.spot(Point{148, 0}, 31, 0.3) }, false},
		"a torn corner on a light table":   {crosses, []Field{pirate(2)}, func(r *raster) { r.spot(Point{148, 0}, 31, 0.9) }, false},
		"a place blacked out":              {crosses, []Field{place(20)}, func(r *raster) { r.rect(boxOf(place(3)), 0.2) }, false},
		"a place blacked out by scribbles": {scribbles, []Field{place(20)}, func(r *raster) { r.rect(boxOf(place(3)), 0.2) }, false},
		"an eighth blacked out":            {crosses, nil, func(r *raster) { r.rect(boxOf(place(3)), 0.2) }, false},
		"a stake blacked out":              {crosses, []Field{stakeOf(1)}, func(r *raster) { r.rect(boxOf(stakeOf(4)), 0.2) }, false},
	}
	for i, light := range []float64{0.65, 0.7, 0.75} {
		all[fmt.Sprint("an eighth by a paler pen ", light)] = damage{crosses, nil, func(r *raster) { cross(r, boxOf(place(3)), 0.5, light) }, false}
		all[fmt.Sprint("a second stake by a paler pen ", light)] = damage{crosses, nil, func(r *raster) { cross(r, boxOf(stakeOf(4)), 0.5, light) }, false}
		radius, dark := 3.5+0.75*float64(i), 0.25+0.12*float64(i)
		for _, f := range []Field{place(3), place(16), stakeOf(4), drawsOf(0)} {
			missing := map[FieldKind]Field{Element: place(20), Stake: stakeOf(1), Draws: drawsOf(2)}[f.Kind]
			c := boxOf(f).Centre()
			beside := Point{c.X + radius*0.7, c.Y + radius*0.7}
			all[fmt.Sprint("a thumb on ", f, radius)] = damage{crosses, []Field{missing}, func(r *raster) { r.spot(c, radius, dark) }, false}
			all[fmt.Sprint("a thumb beside ", f, radius)] = damage{crosses, []Field{missing}, func(r *raster) { r.spot(beside, radius, dark) }, false}
			all[fmt.Sprint("coffee on ", f, radius)] = damage{scribbles, []Field{missing}, func(r *raster) { r.soaked(c, radius, dark+0.25) }, false}
		}
	}
	for name, d := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := drawSlip(t, l, 7, 0.86)
			rnd := rand.New(rand.NewPCG(7, 7))
			var boxes []int
			for _, i := range played(l) {
				left := false
				for _, f := range d.left {
					left = left || l.Boxes[i].Field == f
				}
				if !left {
					boxes = append(boxes, i)
				}
			}
			d.marks(r, rnd, boxes)
			d.to(r)
			img := r.photo(t, shot{w: 1200, h: 900, fill: 0.93, turn: 0.05, tilt: 0.05, gain: 0.9, gradient: 0.2, blur: 1, noise: 0.01, desk: 0.4, quality: 80})
			reading, err := Read(img, booksOf(l))
			if err != nil {
				return // refused
			}
			slip, asked, err := reading.Slip(nil)
			if err != nil || asked != nil {
				return
			}
			if _, err = wager.New(l.Rules, slip); err != nil {
				return // refused by the rules
			}
			if !d.sold || !reflect.DeepEqual(slip, inMarks(t, l, boxes)) {
				t.Errorf("sold %+v without a question", slip)
			}
		})
	}
}

// TestReadPalePen: a slip marked throughout by a hard pencil is read; what is as
// pale on a slip marked by another pen is asked, as is a slip of pale marks that differ.
func TestReadPalePen(t *testing.T) {
	t.Parallel()
	l := testLayout(t, "ile-au-tresor")
	boxes := played(l)
	read := func(t *testing.T, light func(n int) float64) *Reading {
		t.Helper()
		r := drawSlip(t, l, 8, 0.86)
		for n, i := range boxes {
			cross(r, l.Boxes[i].Rect, 0.4, light(n))
		}
		reading, err := Read(r.photo(t, shot{w: 1400, h: 1050, fill: 0.9, turn: 0.1, tilt: 0.1, gain: 0.9, gradient: 0.2, blur: 1, noise: 0.01, desk: 0.4, quality: 80}), booksOf(l))
		if err != nil {
			t.Fatal(err)
		}
		return reading
	}
	for _, light := range []float64{0.6, 0.65, 0.7, 0.75} {
		t.Run(fmt.Sprint("all of ", light), func(t *testing.T) {
			t.Parallel()
			slip, asked, err := read(t, func(int) float64 { return light }).Slip(nil)
			if err != nil || asked != nil || !reflect.DeepEqual(slip, inMarks(t, l, boxes)) {
				t.Errorf("got %+v, %v, %v", slip, asked, err)
			}
		})
	}
	for name, light := range map[string]func(n int) float64{
		"rubbed out": func(int) float64 { return 0.92 },
		"a pale one among others": func(n int) float64 {
			if n == 6 {
				return 0.75
			}
			return 0.3
		},
		"one of two pale pens": func(n int) float64 {
			if n == 6 {
				return 0.86
			}
			return 0.62
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reading := read(t, light)
			slip, asked, err := reading.Slip(nil)
			if err == nil && asked == nil {
				if _, err = wager.New(l.Rules, slip); err == nil {
					t.Errorf("sold %+v", slip)
				}
			}
			for n, i := range boxes {
				if m := reading.Marks[i]; name == "rubbed out" && m == Marked {
					t.Errorf("box %d, mark %d, is %v", i, n, m)
				}
			}
		})
	}
}

// TestOnStrange: a box where the light ends at an edge may be on no paper; a shadow's edge is soft.
func TestOnStrange(t *testing.T) {
	t.Parallel()
	s := sheet{luma: newPlane(100*PageScale, 60*PageScale)}
	for i := range s.luma.pix {
		x, y := float64(i%s.luma.w)/PageScale, float64(i/s.luma.w)/PageScale
		light := 220.0
		if x > 16 && x < 26 && y > 16 && y < 30 {
			light = 90 // a finger
		}
		light *= 1 - 0.5/(1+math.Exp((60-x)/2.5)) // a shadow, from 55 to 65 mm
		s.luma.pix[i] = uint8(light)
	}
	d := s.darkness()
	for x := 2.0; x < 90; x += 2 {
		box := Rect{x, 20, 5, 4}
		touches := x+box.W > 17 && x < 24
		beside := x+box.W > 16 && x < 28 // in a square of 4 mm with it
		if got := d.onStrange(box); got != touches && (!got || !beside) {
			t.Errorf("a box at %v mm: got %v", x, got)
		}
	}
}
