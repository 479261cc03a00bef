package paper

import (
	"errors"
	"fmt"
	"image"
	"math"
	"slices"

	goqr "github.com/piglig/go-qr"
)

// ErrNoCode is a picture without a QR code that can be read.
var ErrNoCode = errors.New("no QR code to be read")

// ReadCode reads a QR code anywhere in a picture: of a slip, of a ticket, of a
// phone's screen, in any turn and perspective. Of several it returns one.
func ReadCode(img image.Image) (string, error) {
	p, err := newSnap(img)
	if err != nil {
		return "", err
	}
	if c, ok := newSearch(p.luma).findCode(); ok {
		return c.text, nil
	}
	return "", ErrNoCode
}

// A code is a QR code that was read.
type code struct {
	text    string
	corners [4]Point // of its modules, clockwise from its own upper left
}

// Longest sides of the picture that a code is looked for in: large codes are
// found in small pictures, where noise and the dots of a screen are gone, small
// ones in large pictures.
var codeSides = []int{1600, 900, 500, 3200}

// findCode looks for a code at several scales.
func (s *search) findCode() (code, bool) {
	last := 0
	for _, side := range codeSides {
		k := max(1, (max(s.full.w, s.full.h)+side-1)/side)
		if k == last {
			continue
		}
		last = k
		small, list := s.small, s.targets
		if k != s.k {
			small = s.reduced(k)
			if small.w < imageSideMin || small.h < imageSideMin {
				continue
			}
			list = small.findTargets()
		}
		if c, ok := s.codeAmong(small, list, func(string) bool { return true }); ok {
			for i := range c.corners {
				c.corners[i] = Point{c.corners[i].X * float64(k), c.corners[i].Y * float64(k)}
			}
			return c, true
		}
	}
	return code{}, false
}

// findTargets returns what may be corner marks or finders.
func (p plane) findTargets() []target {
	m := p.smoothed().binarized()
	blobs := m.blobs()
	found := targets(blobs, max(p.w, p.h))
	return append(found, m.lone(blobs, found)...)
}

// module is the side of a module, if the target is a finder: the ring has 24 of them, the spot 9.
func (t target) module() float64 { return math.Sqrt((t.spot + t.ring) / 33) }

// finder tells whether the target may be one of a QR code.
func (t target) finder() bool { return t.ring > 1.3*t.spot && t.ring < 5.5*t.spot }

const triplesMax = 40 // codes that are tried in a picture

// A triple is three targets that may be the finders of a code.
type triple struct {
	corner, right, down target // clockwise from the upper left: corner, right, (none), down
	off                 float64
}

// workMax bounds the work on codes in one picture, in modules looked at: a picture
// full of finders would take seconds. A code that is there takes 50,000 at most, mostly.
const workMax = 6_000_000

// codeAmong reads a code of a picture that says what is wanted and whose finders are among the targets.
func (s *search) codeAmong(p plane, list []target, wanted func(text string) bool) (code, bool) {
	list = slices.DeleteFunc(slices.Clone(list), func(t target) bool { return !t.finder() })
	var all []triple
	for a := range list {
		for b := range list {
			for c := range list {
				if a == b || a == c || b == c {
					continue
				}
				if t, ok := newTriple(list[a], list[b], list[c]); ok {
					all = append(all, t)
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b triple) int {
		if a.off < b.off {
			return -1
		}
		return 1
	})
	for _, t := range all[:min(len(all), triplesMax)] {
		if c, ok := s.readTriple(p, t); ok && wanted(c.text) {
			return c, true
		}
	}
	return code{}, false
}

// newTriple tells whether three targets may be the finders of one code, and how
// far they are from those of one that is seen from straight above.
func newTriple(corner, right, down target) (triple, bool) {
	a, b, c := corner.at, right.at, down.at
	if turns(b, a, c) >= 0 { // mirrored, or in line
		return triple{}, false
	}
	across, along := distance(a, b), distance(a, c)
	m := []float64{corner.module(), right.module(), down.module()}
	least, most := slices.Min(m), slices.Max(m)
	long, short := max(across, along), min(across, along)
	cos := ((b.X-a.X)*(c.X-a.X) + (b.Y-a.Y)*(c.Y-a.Y)) / (across * along)
	if most > 2*least || long > 2.2*short || math.Abs(cos) > 0.6 || short < 10*least || long > 200*most {
		return triple{}, false
	}
	return triple{corner, right, down, most/least + long/short + 2*math.Abs(cos)}, true
}

// readTriple reads the code with three finders.
func (s *search) readTriple(p plane, t triple) (code, bool) {
	// Areas shrink with the third power of the distance, so the finders' tell how the code is tilted.
	area := t.corner.spot + t.corner.ring
	right, down := math.Cbrt(area/(t.right.spot+t.right.ring)), math.Cbrt(area/(t.down.spot+t.down.ring))
	for _, w := range [2][2]float64{{right, down}, {1, 1}} {
		a, b, c := t.corner.at, t.right.at, t.down.at
		cross := (b.X-a.X)*(c.Y-a.Y) - (b.Y-a.Y)*(c.X-a.X)
		span := math.Sqrt(math.Abs(cross) * w[0] * w[1] / (area / 33)) // modules between finders
		middle := int(math.Round((span - 10) / 4))
		for _, d := range []int{0, 1, -1, 2, -2} {
			version := middle + d
			if version < goqr.MinVersion || version > goqr.MaxVersion {
				continue
			}
			size := 17 + 4*version
			corners, ok := t.corners(size, w[0], w[1])
			if !ok {
				continue
			}
			if c, ok := s.readCorners(p, corners, size); ok {
				return c, true
			}
		}
	}
	return code{}, false
}

// corners are those of a code of so many modules whose finders at the right and
// below are so many times as far as that in the corner.
func (t triple) corners(size int, right, down float64) (q [4]Point, ok bool) {
	a, b, c := t.corner.at, t.right.at, t.down.at
	w := right + down - 1
	if w < 0.2 {
		return q, false
	}
	fourth := Point{(b.X*right + c.X*down - a.X) / w, (b.Y*right + c.Y*down - a.Y) / w}
	const first = 3.5
	n := float64(size)
	last := n - first
	h, ok := through([4]Point{{first, first}, {last, first}, {last, last}, {first, last}}, [4]Point{a, b, fourth, c})
	for i, at := range [4]Point{{0, 0}, {n, 0}, {n, n}, {0, n}} {
		q[i] = h.to(at)
	}
	return q, ok
}

// fitMin is how much of what every code of a size has alike must be there, of 1.
const fitMin = 0.45

// readCorners reads a code of so many modules whose corners are about where they are given.
func (s *search) readCorners(p plane, corners [4]Point, size int) (code, bool) {
	known := knownModules(size)
	fit := func(c [4]Point) float64 {
		if s.work += len(known); s.work > workMax {
			return -1
		}
		return p.fit(c, size, known)
	}
	best := fit(corners)
	if best < 0 {
		return code{}, false
	}
	side := (distance(corners[0], corners[1]) + distance(corners[0], corners[3])) / 2
	for _, step := range []float64{1.5, 0.8, 0.4, 0.2} {
		d := step * side / float64(size)
		for range 3 {
			before := best
			corners, best = climb(corners, best, d, fit)
			if best == before {
				break
			}
		}
	}
	if best < fitMin {
		return code{}, false
	}
	text, ok := decodeModules(p.sample(corners, size))
	return code{text, corners}, ok
}

// climb moves the corners, together and each, where that fits better.
func climb(c [4]Point, best, d float64, fit func([4]Point) float64) ([4]Point, float64) {
	try := func(move func(*[4]Point)) {
		moved := c
		move(&moved)
		if f := fit(moved); f > best {
			c, best = moved, f
		}
	}
	for _, s := range [][2]float64{{d, 0}, {-d, 0}, {0, d}, {0, -d}} {
		try(func(m *[4]Point) {
			for i := range m {
				m[i] = Point{m[i].X + s[0], m[i].Y + s[1]}
			}
		})
		for i := range c {
			try(func(m *[4]Point) { m[i] = Point{m[i].X + s[0], m[i].Y + s[1]} })
		}
	}
	return c, best
}

// A module is a square of a QR code that every code of its size has alike.
type module struct {
	col, row float64 // of its middle
	dark     bool
}

// knownModules are those of the finders with their light edges, of the timing
// lines and of the last alignment pattern (ISO/IEC 18004).
func knownModules(size int) []module {
	var all []module
	add := func(col, row int, dark bool) {
		all = append(all, module{float64(col) + 0.5, float64(row) + 0.5, dark})
	}
	for _, at := range [][2]int{{3, 3}, {size - 4, 3}, {3, size - 4}} {
		for dy := -4; dy <= 4; dy++ {
			for dx := -4; dx <= 4; dx++ {
				col, row, r := at[0]+dx, at[1]+dy, max(dx, -dx, dy, -dy)
				if col >= 0 && row >= 0 && col < size && row < size {
					add(col, row, r != 4 && r != 2)
				}
			}
		}
	}
	for i := 8; i < size-8; i++ {
		add(i, 6, i%2 == 0)
		add(6, i, i%2 == 0)
	}
	if size > 21 {
		for dy := -2; dy <= 2; dy++ {
			for dx := -2; dx <= 2; dx++ {
				dark := max(dx, -dx, dy, -dy) != 1
				add(size-7+dx, size-7+dy, dark)
				if dx*dy%2 == 0 { // weighs more: it alone holds the fourth corner
					add(size-7+dx, size-7+dy, dark)
				}
			}
		}
	}
	return all
}

// fit is the contrast between the known modules that are dark and those that
// are light, by the contrast that there is: 1 for a perfect code.
func (p plane) fit(corners [4]Point, size int, known []module) float64 {
	n := float64(size)
	t, ok := through([4]Point{{0, 0}, {n, 0}, {n, n}, {0, n}}, corners)
	if !ok {
		return -1
	}
	var dark, light, darks, squares float64
	for _, m := range known {
		at := t.to(Point{m.col, m.row})
		if !(at.X > -8 && at.Y > -8 && at.X < float64(p.w)+8 && at.Y < float64(p.h)+8) {
			return -1
		}
		v := p.at(at.X, at.Y)
		squares += v * v
		if m.dark {
			dark += v
			darks++
		} else {
			light += v
		}
	}
	count := float64(len(known))
	mean := (dark + light) / count
	spread := math.Sqrt(max(squares/count-mean*mean, 0))
	if spread < 4 { // grey all over
		return -1
	}
	return (light/(count-darks) - dark/darks) / (2 * spread)
}

// sample reads the modules: dark is what is darker than half-way between the
// darkest and the lightest of the modules around.
func (p plane) sample(corners [4]Point, size int) [][]bool {
	n := float64(size)
	modules := make([][]bool, size)
	t, ok := through([4]Point{{0, 0}, {n, 0}, {n, n}, {0, n}}, corners)
	if !ok {
		return nil
	}
	const d = 0.22 // of a module: five points are read of each
	values := make([]float64, size*size)
	for row := range size {
		for col := range size {
			x, y := float64(col)+0.5, float64(row)+0.5
			sum := 0.0
			for _, o := range [...]Point{{0, 0}, {d, d}, {-d, d}, {d, -d}, {-d, -d}} {
				at := t.to(Point{x + o.X, y + o.Y})
				sum += p.at(at.X, at.Y)
			}
			values[row*size+col] = sum / 5
		}
	}
	const reach = 4
	for row := range size {
		modules[row] = make([]bool, size)
		for col := range size {
			low, high := math.Inf(1), math.Inf(-1)
			for y := max(0, row-reach); y <= min(size-1, row+reach); y++ {
				for x := max(0, col-reach); x <= min(size-1, col+reach); x++ {
					low, high = min(low, values[y*size+x]), max(high, values[y*size+x])
				}
			}
			modules[row][col] = values[row*size+col] < (low+high)/2
		}
	}
	return modules
}

// decodeModules corrects and reads modules, drawn anew as the decoder likes them best.
func decodeModules(modules [][]bool) (string, bool) {
	const side, edge = 2, 4
	n := len(modules)*side + 2*edge
	img := image.NewGray(image.Rect(0, 0, n, n))
	for i := range img.Pix {
		img.Pix[i] = 0xff
	}
	for row, line := range modules {
		for col, dark := range line {
			for i := 0; dark && i < side*side; i++ {
				img.Pix[(edge+row*side+i/side)*img.Stride+edge+col*side+i%side] = 0
			}
		}
	}
	result, err := goqr.DecodeDetailed(img, goqr.WithFastPathOnly())
	if err != nil {
		return "", false
	}
	return result.Text, true
}

// errCode says what a code that no slip has says.
func errCode(err error, text string) error { return fmt.Errorf("%w: %.60q", err, text) }
