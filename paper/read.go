package paper

import (
	"cmp"
	"errors"
	"fmt"
	"image"
	"math"
	"slices"
	"strings"

	"tirage/game"
)

// Refusals of a page. A code that is no slip's is an [ErrStrangeCode].
var (
	// ErrNoSlip is a picture in which no slip is found.
	ErrNoSlip = errors.New("no slip in the picture")
	// ErrHalfSlip is a slip that is not wholly in the picture, or hidden in part.
	ErrHalfSlip = errors.New("slip not wholly in the picture")
	// ErrSeveralSlips is a picture of more than one slip.
	ErrSeveralSlips = errors.New("several slips in the picture")
	// ErrOtherPage is a page that has a slip's marks or code, and is not laid out as that slip.
	ErrOtherPage = errors.New("page of another kind")
	// ErrNotFlat is a slip of which too many boxes are not seen surely: it is bent, or badly lit, or dirty.
	ErrNotFlat = errors.New("slip not flat or not well seen")
	// ErrUnknownSlip is a slip of a game or of a version of its rules that is not known here.
	ErrUnknownSlip = errors.New("slip of an unknown game or version")
)

// Reading is what is seen on a slip.
type Reading struct {
	Layout *Layout
	// Marks is what each box holds, by index of Layout.Boxes, as it was seen;
	// [Reading.Slip] puts the rules and the answers beside it.
	Marks []Mark
	// Ink is by box how much of it is inked, from 0 to 1 (wholly black).
	Ink []float64
	// Page is the slip, straightened, at [PageScale] pixels a millimetre.
	Page image.Image

	specks []bool // boxes that are unsure for a speck alone
}

// PageScale is how many pixels of [Reading.Page] make a millimetre: a pen's
// stroke of 0.4 mm is three pixels wide.
const PageScale = 8

// sideMax bounds the picture in which marks are looked for, in pixels. A slip
// that takes half of it has marks of 25 pixels.
const sideMax = 1600

// Read reads a slip from a picture, in any turn and perspective. books gives
// the rules of a game by the beginning of their hash, or nil. What it is not sure
// of is [Unsure]; what is no whole slip, or more than one, is refused.
func Read(img image.Image, books func(code game.Code, version [8]byte) *game.Rules) (*Reading, error) {
	s, err := Look(img, books)
	if err == nil && s.Reading == nil {
		err = errCode(ErrStrangeCode, s.Text)
	}
	return s.Reading, err
}

// A Sight is what a picture shows: a paper slip, or else what another QR code says.
type Sight struct {
	Reading *Reading // nil: the picture has no slip
	Text    string
}

// Look reads what there is in a picture: a slip as [Read] does, or else any QR code.
func Look(img image.Image, books func(code game.Code, version [8]byte) *game.Rules) (Sight, error) {
	p, err := newSnap(img)
	if err != nil {
		return Sight{}, err
	}
	s := newSearch(p.luma)
	found, err := s.slip()
	if err != nil {
		return Sight{}, err
	}
	if !strings.HasPrefix(found.text, slipFamily) {
		return Sight{Text: found.text}, nil
	}
	code, version, err := ParseSlipText(found.text)
	if err != nil {
		return Sight{}, err
	}
	rules := books(code, version)
	if rules == nil {
		return Sight{}, fmt.Errorf("%w: %s %x", ErrUnknownSlip, code, version)
	}
	layout, err := NewLayout(rules)
	if err != nil {
		return Sight{}, err
	}
	reading, err := s.readPage(p, layout, found)
	return Sight{Reading: reading}, err
}

// A placed slip is where the slip stands in the picture.
type placed struct {
	text  string
	marks [4]Point   // the corners' marks
	page  homography // from millimetres of the page to the picture
	code  [4]Point   // the corners of its QR code
}

// A search looks for slips in a picture.
type search struct {
	full, small plane
	k           int           // small is full, k × k pixels made one
	sizes       map[int]plane // full, by how many pixels are made one
	targets     []target
	work        int // on codes so far, see [workMax]
}

func newSearch(p plane) *search {
	k := max(1, (max(p.w, p.h)+sideMax-1)/sideMax)
	small := p.reduced(k)
	return &search{full: p, small: small, k: k, sizes: map[int]plane{1: p, k: small}, targets: small.findTargets()}
}

// reduced returns the picture with k × k pixels made one.
func (s *search) reduced(k int) plane {
	p, ok := s.sizes[k]
	if !ok {
		p = s.full.reduced(k)
		s.sizes[k] = p
	}
	return p
}

// slip finds the one slip of the picture, or else a code that says something else: such is not placed.
func (s *search) slip() (placed, error) {
	f, err := s.byMarks()
	if errors.Is(err, ErrNoSlip) {
		f, err = s.byCode()
	}
	if err == nil && isSlip(f.text) && s.another(f) {
		return placed{}, ErrSeveralSlips
	}
	return f, err
}

// byMarks finds the slip of the picture whose four marks are seen.
func (s *search) byMarks() (placed, error) {
	var found []placed
	strange := ""
	tries := 0
	for _, q := range s.quads() {
		if slices.ContainsFunc(found, func(f placed) bool { return sharesGround(f.marks, s.whole(q.marks)) }) {
			continue
		}
		if tries++; tries > quadTries {
			break
		}
		f, ok := s.readPlaced(q)
		switch {
		case !ok:
		case isSlip(f.text):
			found = append(found, f)
		default:
			strange = f.text
		}
	}
	switch {
	case s.work > workMax: // another slip may be among what was not looked at
		return placed{}, ErrNoSlip
	case len(found) > 1:
		return placed{}, ErrSeveralSlips
	case len(found) == 1:
		return found[0], nil
	case strange != "":
		return placed{text: strange}, nil
	}
	return placed{}, ErrNoSlip
}

// another tells whether the code of a slip is seen beside the ground of one:
// the other may lie below it, its marks hidden.
func (s *search) another(f placed) bool {
	ground := [4]Point{f.page.to(Point{0, 0}), f.page.to(Point{slipWidth, 0}), f.page.to(Point{slipWidth, slipHeight}), f.page.to(Point{0, slipHeight})}
	side := distance(f.code[0], f.code[1])
	k := 1
	for k < s.k && side/float64(k+1) > 33*5 { // modules, each of some pixels
		k++
	}
	to := float64(s.k) / float64(k)
	var beside []target
	for _, t := range s.targets {
		at := Point{t.at.X * float64(s.k), t.at.Y * float64(s.k)}
		m := t.module() * 30 * float64(s.k) // about the side of its code
		if within(at, ground) || m < side/otherSize || m > side*otherSize {
			continue
		}
		beside = append(beside, target{Point{t.at.X * to, t.at.Y * to}, t.width * to, t.height * to, t.spot * to * to, t.ring * to * to})
	}
	if len(beside) < 3 {
		return false
	}
	_, ok := s.codeAmong(s.reduced(k), beside, isSlip)
	return ok || s.work > workMax
}

// otherSize is how many times as large or as small a second slip may be seen.
const otherSize = 2.5

func isSlip(text string) bool {
	_, _, err := ParseSlipText(text)
	return err == nil
}

// sharesGround tells whether two quads share ground.
func sharesGround(a, b [4]Point) bool {
	middle := func(q [4]Point) Point {
		return Point{(q[0].X + q[1].X + q[2].X + q[3].X) / 4, (q[0].Y + q[1].Y + q[2].Y + q[3].Y) / 4}
	}
	for i := range a {
		if within(a[i], b) || within(b[i], a) {
			return true
		}
	}
	return within(middle(a), b) || within(middle(b), a)
}

// within tells whether a point is in a quad.
func within(p Point, q [4]Point) bool {
	for i := range q {
		if turns(q[i], q[(i+1)%4], p) < 0 {
			return false
		}
	}
	return true
}

// A quad is four targets that may be the marks of a slip, from its own upper left clockwise.
type quad struct {
	marks [4]Point
	page  homography // to the reduced picture
	off   float64    // how far its marks are from what they should look like
}

const (
	quadTargets = 24 // of which quads are made
	quadTries   = 24 // quads whose code is looked at
	// sizeOff is how much larger or smaller a mark may be than the others make it.
	sizeOff = 0.35
)

// quads lists what may be slips, the likeliest first.
func (s *search) quads() []quad {
	list := s.targets[:min(len(s.targets), quadTargets)]
	var all []quad
	for a := range list {
		for b := a + 1; b < len(list); b++ {
			for c := b + 1; c < len(list); c++ {
				for d := c + 1; d < len(list); d++ {
					all = append(all, s.turned([4]target{list[a], list[b], list[c], list[d]})...)
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b quad) int { return cmp.Compare(a.off, b.off) })
	return all
}

// turned lists the ways in which four targets may be the marks of a slip.
func (s *search) turned(t [4]target) []quad {
	least, most := math.Inf(1), 0.0
	var mid Point
	for _, m := range t {
		size := max(m.width, m.height)
		least, most = min(least, size), max(most, size)
		mid = Point{mid.X + m.at.X/4, mid.Y + m.at.Y/4}
	}
	if most > 3*least {
		return nil
	}
	slices.SortFunc(t[:], func(a, b target) int {
		return cmp.Compare(math.Atan2(a.at.Y-mid.Y, a.at.X-mid.X), math.Atan2(b.at.Y-mid.Y, b.at.X-mid.X))
	})
	var marks [4]Point
	for i := range t {
		marks[i] = t[i].at
	}
	if !convex(marks) {
		return nil
	}
	var all []quad
	for range 4 {
		page, ok := through(frame.marks, marks)
		if off, fits := offMarks(page, t); ok && fits {
			all = append(all, quad{marks, page, off + s.offFinders(page)})
		}
		marks = [4]Point{marks[1], marks[2], marks[3], marks[0]}
		t = [4]target{t[1], t[2], t[3], t[0]}
	}
	return all
}

// offMarks is how far the marks' sizes are from those that a page laid so would show.
func offMarks(page homography, t [4]target) (off float64, ok bool) {
	for i, m := range frame.marks {
		x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
		for a := range 8 {
			sin, cos := math.Sincos(float64(a) * math.Pi / 4)
			p := page.to(Point{m.X + MarkOuter*cos, m.Y + MarkOuter*sin})
			x0, y0, x1, y1 = min(x0, p.X), min(y0, p.Y), max(x1, p.X), max(y1, p.Y)
		}
		wide, high := math.Log((t[i].width+0.5)/(x1-x0+0.5)), math.Log((t[i].height+0.5)/(y1-y0+0.5))
		if !(math.Abs(wide) < sizeOff && math.Abs(high) < sizeOff) {
			return 0, false
		}
		off += (math.Abs(wide) + math.Abs(high)) / 8
	}
	return off, true
}

// offFinders is less for each target that stands where the page has a finder of its code.
func (s *search) offFinders(page homography) float64 {
	best := 0.0
	for _, size := range codeSizes {
		m := 3.5 * frame.code.W / float64(size)
		q := frame.code
		n := 0.0
		for _, f := range [3]Point{{q.X + m, q.Y + m}, {q.X + q.W - m, q.Y + m}, {q.X + m, q.Y + q.H - m}} {
			at := page.to(f)
			right, down := page.scale(f)
			near := 1.5 * (right + down) / 2 // millimetres
			if slices.ContainsFunc(s.targets, func(t target) bool { return distance(t.at, at) < near }) {
				n++
			}
		}
		best = max(best, n)
	}
	return -best / 4
}

// codeSizes are the modules on a side of the codes that slips have, the likeliest first.
var codeSizes = []int{29, 33, 25, 37, 41, 21}

// readPlaced reads the code of a slip that lies so.
func (s *search) readPlaced(q quad) (placed, bool) {
	from, k := s.codePlane(q.page)
	var corners [4]Point
	for i, c := range frame.code.corners() {
		at := q.page.to(c)
		corners[i] = Point{at.X * float64(s.k) / float64(k), at.Y * float64(s.k) / float64(k)}
	}
	for _, size := range codeSizes {
		c, ok := s.readCorners(from, corners, size)
		if !ok {
			continue
		}
		f := placed{text: c.text, marks: s.whole(q.marks)}
		for i := range f.code {
			f.code[i] = Point{c.corners[i].X * float64(k), c.corners[i].Y * float64(k)}
		}
		f.page, ok = through(frame.marks, f.marks)
		return f, ok
	}
	return placed{}, false
}

// codePlane is the picture, reduced so that a module has some pixels and noise has few.
func (s *search) codePlane(page homography) (plane, int) {
	right, down := page.scale(frame.code.Centre())
	pixels := min(right, down) * float64(s.k) * frame.code.W / 33 // of a module in the full picture
	if k := int(pixels / 5); k < s.k {
		return s.reduced(max(1, k)), max(1, k)
	}
	return s.small, s.k
}

// whole takes points of the reduced picture to the whole one.
func (s *search) whole(q [4]Point) [4]Point {
	for i := range q {
		q[i] = Point{q[i].X * float64(s.k), q[i].Y * float64(s.k)}
	}
	return q
}

func (r Rect) corners() [4]Point {
	return [4]Point{{r.X, r.Y}, {r.X + r.W, r.Y}, {r.X + r.W, r.Y + r.H}, {r.X, r.Y + r.H}}
}

// byCode finds a slip by its code, where its marks alone did not tell it, or
// what the code says that the picture shows instead.
func (s *search) byCode() (placed, error) {
	c, ok := s.findCode()
	switch {
	case !ok:
		return placed{}, ErrNoSlip
	case !isSlip(c.text):
		return placed{text: c.text}, nil
	}
	return s.fromCode(c)
}
