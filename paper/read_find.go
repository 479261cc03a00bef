package paper

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// A bitmap is what is dark in a plane: rows of words, the first pixel the lowest bit.
type bitmap struct {
	w, h, words int // words of a row
	bits        []uint64
}

func newBitmap(w, h int) bitmap {
	words := (w + 63) / 64
	return bitmap{w, h, words, make([]uint64, words*h)}
}

func (m bitmap) dark(x, y int) bool { return m.bits[y*m.words+x/64]>>(x%64)&1 == 1 }
func (m bitmap) set(x, y int)       { m.bits[y*m.words+x/64] |= 1 << (x % 64) }

const (
	tile = 8 // pixels, as a word has bytes
	// contrastMin is by how much of the light around it print is darker, at least. Black print
	// takes 80 % and more; haze, glare and blur leave a third of it.
	contrastMin = 0.2
)

// binarized tells dark from light by the darkest and the lightest of the
// surroundings, 5 × 5 tiles: half-way between them lies the edge of print, in
// light and in shadow, however blurred. Where they hardly differ all is light.
func (p plane) binarized() bitmap {
	low, high, tw, th := p.extremes()
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
	out := newBitmap(p.w, p.h)
	for y := range p.h {
		row, to := p.row(y), out.bits[y*out.words:(y+1)*out.words]
		edges := edge[y/tile*tw:][:tw]
		for tx := range p.w / tile {
			// Each byte of less is 0 or 1; the product has them side by side in its highest byte.
			less := lessBytes(binary.LittleEndian.Uint64(row[tx*tile:]), everyByte*uint64(edges[tx])) >> 7
			to[tx/8] |= less * 0x0102040810204080 >> 56 << (tx % 8 * 8)
		}
		for x := p.w / tile * tile; x < p.w; x++ {
			if row[x] < edges[x/tile] {
				out.set(x, y)
			}
		}
	}
	return out
}

// everyByte times a byte is a word of such bytes.
const everyByte = 0x0101010101010101

// lessBytes has the highest bit of each byte set where that of a is less than that of b.
func lessBytes(a, b uint64) uint64 {
	const highest = 0x80 * everyByte
	rest := (a | highest) - (b &^ highest) // by byte: its highest bit says that what is below in a is not less
	return (^a&b | ^(a^b)&^rest) & highest
}

// word is the first pixels of a row: of one that ends within a tile, the last one again.
func word(row []uint8) uint64 {
	if len(row) >= tile {
		return binary.LittleEndian.Uint64(row)
	}
	var b [tile]uint8
	for i := range b {
		b[i] = row[min(i, len(row)-1)]
	}
	return binary.LittleEndian.Uint64(b[:])
}

// extremes are the darkest and the lightest pixel of each tile, by rows of tw.
func (p plane) extremes() (low, high []uint8, tw, th int) {
	tw, th = (p.w+tile-1)/tile, (p.h+tile-1)/tile
	low, high = make([]uint8, tw*th), make([]uint8, tw*th)
	for ty := range th {
		for tx := range tw {
			lo, hi := uint64(math.MaxUint64), uint64(0) // by column of the tile
			for y := ty * tile; y < min(ty*tile+tile, p.h); y++ {
				v := word(p.row(y)[tx*tile:])
				lo ^= (lo ^ v) & (lessBytes(v, lo) >> 7 * 0xff)
				hi ^= (hi ^ v) & (lessBytes(hi, v) >> 7 * 0xff)
			}
			at := ty*tw + tx
			low[at], high[at] = uint8(lo), uint8(hi)
			for range tile - 1 {
				lo, hi = lo>>8, hi>>8
				low[at], high[at] = min(low[at], uint8(lo)), max(high[at], uint8(hi))
			}
		}
	}
	return low, high, tw, th
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

// next is the first pixel of a row, from x on, that is dark or is not; m.w when there is none.
func (m bitmap) next(x, y int, dark bool) int {
	if x >= m.w {
		return m.w
	}
	other := uint64(math.MaxUint64)
	if dark {
		other = 0
	}
	row := m.bits[y*m.words : (y+1)*m.words]
	i := x / 64
	word := (row[i] ^ other) >> (x % 64) << (x % 64)
	for word == 0 {
		if i++; i == len(row) {
			return m.w
		}
		word = row[i] ^ other
	}
	return min(i*64+bits.TrailingZeros64(word), m.w)
}

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
		now = now[:0]
		from := 0
		for x := m.next(0, y, true); x < m.w; x = m.next(x, y, true) {
			r := dash{x0: x, blob: -1}
			x = m.next(x, y, false)
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
			if m.dark(x, y) != r.dark {
				wrong++
			}
		}
	}
	return wrong <= errorsMax
}
