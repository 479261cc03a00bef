package paper

import (
	"math"
	"slices"
)

// A bitmap is what is dark in a plane.
type bitmap struct {
	w, h int
	dark []bool
}

const (
	tile = 8 // pixels
	// contrastMin is by how much of the light around it print is darker, at least. Black print
	// takes 80 % and more; haze, glare and blur leave a third of it.
	contrastMin = 0.2
)

// binarized tells dark from light by the darkest and the lightest of the
// surroundings, 5 × 5 tiles: half-way between them lies the edge of print, in
// light and in shadow, however blurred. Where they hardly differ all is light.
func (p plane) binarized() bitmap {
	tw, th := (p.w+tile-1)/tile, (p.h+tile-1)/tile
	low, high := make([]uint8, tw*th), make([]uint8, tw*th)
	for i := range low {
		low[i] = 255
	}
	for y := range p.h {
		row := p.row(y)
		at := y / tile * tw
		for tx := range tw {
			lo, hi := low[at+tx], high[at+tx]
			for _, v := range row[tx*tile : min(tx*tile+tile, p.w)] {
				lo, hi = min(lo, v), max(hi, v)
			}
			low[at+tx], high[at+tx] = lo, hi
		}
	}
	low = spread(low, tw, th, func(a, b uint8) uint8 { return min(a, b) })
	high = spread(high, tw, th, func(a, b uint8) uint8 { return max(a, b) })
	edge := low
	for i := range edge {
		if lo, hi := float64(low[i]), float64(high[i]); hi-lo < contrastMin*hi+6 {
			edge[i] = 0
		} else {
			edge[i] = uint8((lo + hi + 1) / 2)
		}
	}
	out := bitmap{p.w, p.h, make([]bool, p.w*p.h)}
	for y := range p.h {
		row, to := p.row(y), out.dark[y*p.w:(y+1)*p.w]
		edges := edge[y/tile*tw:][:tw]
		for x, v := range row {
			to[x] = v < edges[x/tile]
		}
	}
	return out
}

// spread gives each tile the least or the most of the 5 × 5 around it.
func spread(v []uint8, w, h int, of func(a, b uint8) uint8) []uint8 {
	const reach = 2
	across, out := make([]uint8, len(v)), make([]uint8, len(v))
	for y := range h {
		for x := range w {
			m := v[y*w+x]
			for i := max(0, x-reach); i <= min(w-1, x+reach); i++ {
				m = of(m, v[y*w+i])
			}
			across[y*w+x] = m
		}
	}
	for y := range h {
		for x := range w {
			m := across[y*w+x]
			for i := max(0, y-reach); i <= min(h-1, y+reach); i++ {
				m = of(m, across[i*w+x])
			}
			out[y*w+x] = m
		}
	}
	return out
}

// A blob is dark pixels that touch.
type blob struct {
	area           int
	x0, y0, x1, y1 int // the last are inside
	sx, sy         int // sums of what its pixels' centres are, doubled
}

func (b blob) width() int  { return b.x1 - b.x0 + 1 }
func (b blob) height() int { return b.y1 - b.y0 + 1 }

// centre is that of gravity.
func (b blob) centre() Point {
	return Point{float64(b.sx) / float64(2*b.area), float64(b.sy) / float64(2*b.area)}
}

// A dash is dark pixels of one row.
type dash struct{ x0, x1, blob int } // x1 is outside

// blobs finds what touches by edges, row by row.
func (m bitmap) blobs() []blob {
	var all []blob
	var parent []int
	root := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	var before, now []dash
	for y := range m.h {
		row := m.dark[y*m.w : (y+1)*m.w]
		now = now[:0]
		from := 0
		for x := 0; x < m.w; x++ {
			if !row[x] {
				continue
			}
			r := dash{x0: x, blob: -1}
			for x < m.w && row[x] {
				x++
			}
			r.x1 = x
			for from < len(before) && before[from].x1 <= r.x0 {
				from++
			}
			for i := from; i < len(before) && before[i].x0 < r.x1; i++ {
				other := root(before[i].blob)
				switch {
				case r.blob < 0:
					r.blob = other
				case r.blob != other:
					parent[other] = r.blob
					all[r.blob] = join(all[r.blob], all[other])
					all[other] = blob{}
				}
			}
			n := r.x1 - r.x0
			b := blob{n, r.x0, y, r.x1 - 1, y, n * (r.x0 + r.x1), n * (2*y + 1)}
			if r.blob < 0 {
				r.blob = len(all)
				all, parent = append(all, b), append(parent, r.blob)
			} else {
				all[r.blob] = join(all[r.blob], b)
			}
			now = append(now, r)
		}
		before, now = now, before
	}
	return slices.DeleteFunc(all, func(b blob) bool { return b.area == 0 })
}

func join(a, b blob) blob {
	return blob{
		a.area + b.area, min(a.x0, b.x0), min(a.y0, b.y0), max(a.x1, b.x1), max(a.y1, b.y1), a.sx + b.sx, a.sy + b.sy,
	}
}

// A target is a dark ring with a dark spot in its middle: a corner mark of a
// slip, or a finder of a QR code.
type target struct {
	at            Point
	width, height float64 // of the ring
	spot, ring    float64 // areas
}

const targetsMax = 60 // the best ones of a picture are looked at

// targets pairs spots with the rings around them.
func targets(blobs []blob, side int) []target {
	const cell = 16
	rings := map[[2]int][]blob{}
	var spots []blob
	for _, b := range blobs {
		w, h := b.width(), b.height()
		if w > side/4 || h > side/4 || 3*w < h || 3*h < w {
			continue
		}
		fill := float64(b.area) / float64(w*h)
		if b.area >= 4 && fill > 0.42 {
			spots = append(spots, b)
		}
		if w >= 6 && h >= 6 && fill < 0.8 {
			c := [2]int{(b.x0 + b.x1) / 2 / cell, (b.y0 + b.y1) / 2 / cell}
			rings[c] = append(rings[c], b)
		}
	}
	var found []target
	for _, s := range spots {
		if t, ok := around(s, rings, cell); ok {
			found = append(found, t)
		}
	}
	slices.SortFunc(found, func(a, b target) int { return int(b.ring+b.spot) - int(a.ring+a.spot) })
	return found[:min(len(found), targetsMax)]
}

// around finds the ring around a spot.
func around(s blob, rings map[[2]int][]blob, cell int) (target, bool) {
	c := s.centre()
	cx, cy := int(c.X)/cell, int(c.Y)/cell
	best, off := blob{}, math.Inf(1)
	for y := cy - 1; y <= cy+1; y++ {
		for x := cx - 1; x <= cx+1; x++ {
			for _, r := range rings[[2]int{x, y}] {
				if r.x0 >= s.x0 || r.y0 >= s.y0 || r.x1 <= s.x1 || r.y1 <= s.y1 || r.width() > 14*s.width() || r.height() > 14*s.height() {
					continue
				}
				mid := Point{float64(r.x0+r.x1+1) / 2, float64(r.y0+r.y1+1) / 2}
				d := math.Hypot((c.X-mid.X)/float64(r.width()), (c.Y-mid.Y)/float64(r.height()))
				if d < 0.17 && d < off {
					best, off = r, d
				}
			}
		}
	}
	if math.IsInf(off, 1) {
		return target{}, false
	}
	// The ring's own centre of gravity weighs more pixels than the spot's; that of its box is what a stroke pulls least.
	g := best.centre()
	return target{
		Point{(c.X + g.X) / 2, (c.Y + g.Y) / 2}, float64(best.width()), float64(best.height()), float64(s.area), float64(best.area),
	}, true
}

// lone finds marks whose spot was lost in blur: a ring, light within and without.
func (m bitmap) lone(blobs []blob, found []target) []target {
	var more []target
	for _, b := range blobs {
		w, h := float64(b.width()), float64(b.height())
		fill := float64(b.area) / (w * h)
		if w < 9 || h < 9 || w > 2.5*h || h > 2.5*w || w > float64(m.w)/8 || fill < 0.35 || fill > 0.72 {
			continue
		}
		mid := Point{float64(b.x0+b.x1+1) / 2, float64(b.y0+b.y1+1) / 2}
		if g := b.centre(); math.Hypot((g.X-mid.X)/w, (g.Y-mid.Y)/h) > 0.08 || !m.isRing(mid, w/2, h/2) {
			continue
		}
		if !slices.ContainsFunc(found, func(t target) bool { return distance(t.at, mid) < w/4 }) {
			more = append(more, target{at: mid, width: w, height: h, ring: float64(b.area)})
		}
	}
	return more
}

// isRing tells whether a mark of these radii stands at a place.
func (m bitmap) isRing(mid Point, rx, ry float64) bool {
	const rays, errorsMax = 16, 5
	wrong := 0
	for a := range rays {
		sin, cos := math.Sincos((float64(a) + 0.5) * 2 * math.Pi / rays)
		for _, r := range markRings {
			f := r.radius / MarkOuter
			x, y := int(mid.X+f*rx*cos), int(mid.Y+f*ry*sin)
			if x < 0 || y < 0 || x >= m.w || y >= m.h {
				return false
			}
			if m.dark[y*m.w+x] != r.dark {
				wrong++
			}
		}
	}
	return wrong <= errorsMax
}
