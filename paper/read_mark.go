package paper

import "math"

// fromCode finds the marks of a slip from where its code lies: the nearest
// first, each one making the others' places surer. One of the four may be hidden.
func (s *search) fromCode(c code) (placed, error) {
	corners := frame.code.corners()
	from, to := corners[:], c.corners[:]
	page, ok := through(corners, c.corners)
	if !ok {
		return placed{}, ErrNoSlip
	}
	middle := frame.code.Centre()
	order := []int{0, 1, 2, 3}
	for i := range order {
		for j := i + 1; j < len(order); j++ {
			if distance(frame.marks[order[j]], middle) < distance(frame.marks[order[i]], middle) {
				order[i], order[j] = order[j], order[i]
			}
		}
	}
	for n, i := range order {
		at, seen := s.findMark(page, frame.marks[i], reachMax-3*float64(n))
		if !seen {
			continue
		}
		from, to = append(from, frame.marks[i]), append(to, at)
		if page, ok = fitted(from, to); !ok {
			return placed{}, ErrNoSlip
		}
	}
	f := placed{text: c.text, page: page, code: c.corners}
	hidden := 0
	for i, m := range frame.marks {
		f.marks[i] = page.to(m)
		if !s.full.holds(f.marks[i]) {
			return placed{}, ErrHalfSlip
		}
		if _, seen := s.findMark(page, m, 1); !seen { // what all of them together say
			hidden++
		}
	}
	if hidden > 1 || !convex(f.marks) {
		return placed{}, ErrHalfSlip
	}
	return f, nil
}

func (p plane) holds(at Point) bool {
	return at.X >= 0 && at.Y >= 0 && at.X <= float64(p.w) && at.Y <= float64(p.h)
}

const (
	reachMax = 14  // millimetres around where a mark should be that it is looked for in
	markMin  = 0.6 // of the contrast of a perfect mark
)

// findMark looks for a mark around where the page has it.
func (s *search) findMark(page homography, mark Point, reach float64) (Point, bool) {
	best, place := 0.0, mark
	for _, step := range []float64{0.6, 0.15} {
		around := place
		for dy := -reach; dy <= reach; dy += step {
			for dx := -reach; dx <= reach; dx += step {
				at := Point{around.X + dx, around.Y + dy}
				if f := s.full.markFit(page, at); f > best {
					best, place = f, at
				}
			}
		}
		if best < markMin/2 {
			return Point{}, false
		}
		reach = step
	}
	return page.to(place), best >= markMin
}

// markFit is the contrast of a mark at a place, as [plane.fit] has that of a code.
func (p plane) markFit(page homography, at Point) float64 {
	var v [markRays*len(markRings) + 1]float64
	n := 0
	read := func(x, y float64) {
		q := page.to(Point{x, y})
		v[n] = p.at(q.X, q.Y)
		n++
	}
	read(at.X, at.Y)
	for a := range markRays {
		sin, cos := math.Sincos(float64(a) * 2 * math.Pi / markRays)
		for _, r := range markRings {
			read(at.X+r.radius*cos, at.Y+r.radius*sin)
		}
	}
	dark, light, darks, squares := 0.0, 0.0, 0.0, 0.0
	for i, x := range v {
		squares += x * x
		if i == 0 || markRings[(i-1)%len(markRings)].dark {
			dark += x
			darks++
		} else {
			light += x
		}
	}
	count := float64(len(v))
	mean := (dark + light) / count
	spread := math.Sqrt(max(squares/count-mean*mean, 0))
	if spread < 4 {
		return -1
	}
	return (light/(count-darks) - dark/darks) / (2 * spread)
}

const markRays = 12

// markRings are where a mark is read, in millimetres from its middle.
var markRings = [...]struct {
	radius float64
	dark   bool
}{
	{MarkDot + 0.6*(MarkInner-MarkDot), false},
	{MarkInner + 0.3*(MarkOuter-MarkInner), true},
	{MarkInner + 0.7*(MarkOuter-MarkInner), true},
	{MarkOuter + 0.6, false},
}

// frame is what all slips have alike.
var frame = struct {
	marks [4]Point
	code  Rect
}{
	[4]Point{{7, 7}, {slipWidth - 7, 7}, {slipWidth - 7, slipHeight - 7}, {7, slipHeight - 7}}, codeRect,
}
