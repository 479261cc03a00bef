package paper

import "math"

// A homography takes points of one plane to another as a camera sees it:
// (x, y) to ((a·x + b·y + c) / w, (d·x + e·y + f) / w), w = g·x + h·y + 1.
type homography [8]float64

// through returns the homography that takes four points to four others; not ok
// when three of them stand in a line.
func through(from, to [4]Point) (t homography, ok bool) {
	var m [8][9]float64
	for i := range from {
		x, y, u, v := from[i].X, from[i].Y, to[i].X, to[i].Y
		m[2*i] = [9]float64{x, y, 1, 0, 0, 0, -u * x, -u * y, u}
		m[2*i+1] = [9]float64{0, 0, 0, x, y, 1, -v * x, -v * y, v}
	}
	return solve(m)
}

// solve solves eight linear equations; not ok when they do not determine all.
func solve(m [8][9]float64) (t homography, ok bool) {
	for c := range 8 {
		p := c
		for r := c + 1; r < 8; r++ {
			if math.Abs(m[r][c]) > math.Abs(m[p][c]) {
				p = r
			}
		}
		if math.Abs(m[p][c]) < 1e-12 {
			return t, false
		}
		m[c], m[p] = m[p], m[c]
		for r := range 8 {
			f := m[r][c] / m[c][c]
			if r == c || f == 0 {
				continue
			}
			for k := c; k < 9; k++ {
				m[r][k] -= f * m[c][k]
			}
		}
	}
	for i := range t {
		t[i] = m[i][8] / m[i][i]
	}
	return t, true
}

// fitted returns the homography that takes points nearest to others, four or more.
func fitted(from, to []Point) (t homography, ok bool) {
	const unit, pixels = 100, 1000 // about what the points are, so that no number is much larger than others
	var m [8][9]float64
	for i := range from {
		x, y, u, v := from[i].X/unit, from[i].Y/unit, to[i].X/pixels, to[i].Y/pixels
		for _, row := range [2][9]float64{{x, y, 1, 0, 0, 0, -u * x, -u * y, u}, {0, 0, 0, x, y, 1, -v * x, -v * y, v}} {
			for a := range 8 {
				for b := range 9 {
					m[a][b] += row[a] * row[b]
				}
			}
		}
	}
	if t, ok = solve(m); !ok {
		return t, false
	}
	for i, f := range (homography{pixels / unit, pixels / unit, pixels, pixels / unit, pixels / unit, pixels, 1.0 / unit, 1.0 / unit}) {
		t[i] *= f
	}
	return t, true
}

func (t homography) to(p Point) Point {
	w := t[6]*p.X + t[7]*p.Y + 1
	return Point{(t[0]*p.X + t[1]*p.Y + t[2]) / w, (t[3]*p.X + t[4]*p.Y + t[5]) / w}
}

// scale is how long a unit is at p, along x and along y.
func (t homography) scale(p Point) (x, y float64) {
	const d = 0.5
	at, right, down := t.to(p), t.to(Point{p.X + d, p.Y}), t.to(Point{p.X, p.Y + d})
	return math.Hypot(right.X-at.X, right.Y-at.Y) / d, math.Hypot(down.X-at.X, down.Y-at.Y) / d
}

func distance(a, b Point) float64 { return math.Hypot(a.X-b.X, a.Y-b.Y) }

// turns tells on which side of the way from a over b c lies: positive clockwise, as y goes down.
func turns(a, b, c Point) float64 { return (b.X-a.X)*(c.Y-b.Y) - (b.Y-a.Y)*(c.X-b.X) }

// convex tells whether four points go clockwise around an area.
func convex(q [4]Point) bool {
	for i := range q {
		if turns(q[i], q[(i+1)%4], q[(i+2)%4]) <= 0 {
			return false
		}
	}
	return true
}
