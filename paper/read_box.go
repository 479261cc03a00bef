package paper

import (
	"image"
	"math"
	"slices"
)

// readPage reads the boxes of a slip that was found.
func readPage(p snap, l *Layout, f placed) (*Reading, error) {
	page := straighten(p, l, f.page)
	dark := page.darkness()
	offsets, seen := dark.align(l.Boxes)
	if seen < seenMin {
		return nil, ErrOtherPage
	}
	r := &Reading{Layout: l, Marks: make([]Mark, len(l.Boxes)), Ink: make([]float64, len(l.Boxes)), Page: page.rgba}
	traces := dark.traces(l.Boxes, offsets)
	for i, s := range traces {
		r.Ink[i] = min(s.clear.mass/s.area, 1)
	}
	judge(traces, r.Marks)
	return r, nil
}

// seenMin is the share of boxes whose printed outline must be seen where it should be.
const seenMin = 0.5

// A sheet is a slip straightened.
type sheet struct {
	luma plane
	rgba *image.RGBA
}

// straighten takes the page out of the picture, at PageScale.
func straighten(p snap, l *Layout, page homography) sheet {
	right, down := page.scale(Point{l.Width / 2, l.Height / 2})
	k := max(1, int(min(right, down)/PageScale))
	from := p.luma.reduced(k)
	w, h := int(math.Round(l.Width*PageScale)), int(math.Round(l.Height*PageScale))
	s := sheet{newPlane(w, h), image.NewRGBA(image.Rect(0, 0, w, h))}
	const piece = 16 // pixels: so far the picture is as good as flat
	for y := range h {
		mm := (float64(y) + 0.5) / PageScale
		row := s.luma.row(y)
		for x0 := 0; x0 < w; x0 += piece {
			a, b := page.to(Point{float64(x0) / PageScale, mm}), page.to(Point{float64(x0+piece) / PageScale, mm})
			dx, dy := (b.X-a.X)/piece, (b.Y-a.Y)/piece
			for i := range min(piece, w-x0) {
				at := Point{a.X + (float64(i)+0.5)*dx, a.Y + (float64(i)+0.5)*dy}
				v := uint8(from.at(at.X/float64(k), at.Y/float64(k)) + 0.5)
				row[x0+i] = v
				s.rgba.SetRGBA(x0+i, y, p.colour(at.X, at.Y, v))
			}
		}
	}
	return s
}

// whiteTile is the side of the squares in which the paper's white is measured:
// 4 mm, wider than any stroke, narrower than a shadow's edge is soft.
const whiteTile = 4 * PageScale

// A darkness plane has for each pixel how much darker than the paper around it
// is, of 255: 0 is paper, 255 is black.
type darkness struct{ plane }

// darkness measures the page against its own white, which light and shadow
// change slowly.
func (s sheet) darkness() darkness {
	p := s.luma
	tw, th := (p.w+whiteTile-1)/whiteTile, (p.h+whiteTile-1)/whiteTile
	white := make([]float64, tw*th)
	for ty := range th {
		for tx := range tw {
			white[ty*tw+tx] = float64(p.percentile(tx*whiteTile, ty*whiteTile, (tx+1)*whiteTile, (ty+1)*whiteTile, 85))
		}
	}
	even := make([]float64, len(white)) // a tile full of ink has the white of its neighbours
	for ty := range th {
		for tx := range tw {
			var around []float64
			for y := max(0, ty-1); y <= min(th-1, ty+1); y++ {
				around = append(around, white[y*tw+max(0, tx-1):y*tw+min(tw-1, tx+1)+1]...)
			}
			slices.Sort(around)
			even[ty*tw+tx] = max(white[ty*tw+tx], around[len(around)/2])
		}
	}
	out := newPlane(p.w, p.h)
	for y := range p.h {
		fy := min(max((float64(y)+0.5)/whiteTile-0.5, 0), float64(th-1))
		y0 := min(int(fy), max(th-2, 0))
		y1 := min(y0+1, th-1)
		row, to := p.row(y), out.row(y)
		for x, v := range row {
			fx := min(max((float64(x)+0.5)/whiteTile-0.5, 0), float64(tw-1))
			x0 := min(int(fx), max(tw-2, 0))
			x1 := min(x0+1, tw-1)
			gx, gy := fx-float64(x0), fy-float64(y0)
			w := (even[y0*tw+x0]*(1-gx)+even[y0*tw+x1]*gx)*(1-gy) + (even[y1*tw+x0]*(1-gx)+even[y1*tw+x1]*gx)*gy
			to[x] = uint8(min(max(255*(1-float64(v)/max(w, 1)), 0), 255))
		}
	}
	return darkness{out}
}

// percentile returns the value that so many of a hundred pixels do not pass.
func (p plane) percentile(x0, y0, x1, y1, percent int) uint8 {
	var count [256]int
	n := 0
	for y := max(0, y0); y < min(p.h, y1); y++ {
		for _, v := range p.pix[y*p.stride+max(0, x0) : y*p.stride+min(p.w, x1)] {
			count[v]++
			n++
		}
	}
	left := n * percent / 100
	for v, c := range count {
		if left -= c; left < 0 {
			return uint8(v)
		}
	}
	return 255
}

// reachPixels is how far from its place a box is looked for: 1.5 mm. Paper that
// is not flat moves print by that, between marks that are in their places.
const reachPixels = 12

// An offset is where a box is found, from where it should be, in pixels.
type offset struct{ dx, dy, weight float64 }

// align finds the outlines of the boxes. What one box alone tells may be a
// stroke or noise; so all together say how the paper bends, and each is then
// looked for again close to where they say. seen is the share of outlines found.
func (d darkness) align(boxes []Box) (offsets []offset, seen float64) {
	across, along := make([]offset, len(boxes)), make([]offset, len(boxes)) // weight: contrast of the outline
	for i, b := range boxes {
		across[i].dx, across[i].weight = d.edges(b.Rect, 0, reachPixels, offset{}, true)
		along[i].dy, along[i].weight = d.edges(b.Rect, 0, reachPixels, offset{}, false)
	}
	bendX := bend(boxes, across, func(o offset) float64 { return o.dx })
	bendY := bend(boxes, along, func(o offset) float64 { return o.dy })
	offsets = make([]offset, len(boxes))
	found := 0
	for i, b := range boxes {
		at := b.Centre()
		guess := offset{dx: bendX.at(at), dy: bendY.at(at)}
		dx, wx := d.edges(b.Rect, guess.dx, nearPixels, guess, true)
		dy, wy := d.edges(b.Rect, guess.dy, nearPixels, guess, false)
		offsets[i] = guess
		if wx > outlineMin {
			offsets[i].dx = dx
		}
		if wy > outlineMin {
			offsets[i].dy = dy
		}
		offsets[i].weight = min(wx, wy)
		if wx > outlineMin && wy > outlineMin {
			found++
		}
	}
	return offsets, float64(found) / float64(len(boxes))
}

const (
	nearPixels  = 3  // how far a box is from where the others say
	outlineMax  = 60 // of 255: no drop-out colour is darker, so what is counts as that
	outlineMin  = 5  // of 255: an outline that is this much darker than the paper within is seen
	outlineHalf = 1  // pixels beside the middle of an outline that are wholly in it
	insideOff   = 5  // pixels from an outline to the paper within
)

// edges finds a pair of edges of a box, the upright ones or the level ones,
// around an offset, and how much darker they are than the paper within.
func (d darkness) edges(r Rect, around, reach float64, other offset, upright bool) (at, contrast float64) {
	x0, x1 := r.X*PageScale+other.dx, (r.X+r.W)*PageScale+other.dx
	y0, y1 := r.Y*PageScale+other.dy, (r.Y+r.H)*PageScale+other.dy
	a0, a1, b0, b1 := x0-other.dx, x1-other.dx, y0, y1
	if !upright {
		a0, a1, b0, b1 = y0-other.dy, y1-other.dy, x0, x1
	}
	margin := int(reach) + insideOff + outlineHalf + 2
	first := int(math.Round(a0+around)) - margin
	profile := d.profile(first, int(math.Round(a1+around))+margin, int(b0)+4, int(b1)-4, upright)
	mean := func(at float64, half int) float64 {
		i, sum := int(math.Round(at-0.5))-first, 0.0
		for j := i - half; j <= i+half; j++ {
			if j >= 0 && j < len(profile) {
				sum += profile[j]
			}
		}
		return sum / float64(2*half+1)
	}
	score := func(off float64) float64 {
		lines := mean(a0+off, outlineHalf) + mean(a1+off, outlineHalf)
		within := mean(a0+off+insideOff, 1) + mean(a1+off-insideOff, 1)
		return (lines - within) / 2
	}
	best := math.Inf(-1)
	for off := around - reach; off <= around+reach; off++ {
		if s := score(off); s > best {
			best, at = s, off
		}
	}
	before, after := score(at-1), score(at+1)
	if curve := before - 2*best + after; curve < 0 {
		at += min(max((before-after)/(2*curve), -0.5), 0.5)
	}
	return at, best
}

// profile is the mean darkness of lines across from b0 to b1, for each a from first to last.
func (d darkness) profile(first, last, b0, b1 int, upright bool) []float64 {
	out := make([]float64, last-first+1)
	for i := range out {
		a, sum, n := first+i, 0, 0
		for b := b0; b < b1; b++ {
			x, y := a, b
			if !upright {
				x, y = b, a
			}
			if x < 0 || y < 0 || x >= d.w || y >= d.h {
				continue
			}
			sum += min(int(d.pix[y*d.stride+x]), outlineMax)
			n++
		}
		out[i] = float64(sum) / float64(max(n, 1))
	}
	return out
}

// A bending is an offset as a function of the place: constant, in x, y, x², xy and y².
type bending [6]float64

func terms(p Point) [6]float64 {
	x, y := p.X/slipWidth-0.5, p.Y/slipHeight-0.5
	return [6]float64{1, x, y, x * x, x * y, y * y}
}

func (b bending) at(p Point) float64 {
	v := 0.0
	for i, t := range terms(p) {
		v += b[i] * t
	}
	return v
}

// bend finds the bending that most boxes agree on: those far from it count less each round.
func bend(boxes []Box, offsets []offset, of func(offset) float64) (b bending) {
	const rounds, far, stiff = 6, 3.0, 0.02
	for round := range rounds {
		var m [8][9]float64
		for i := range m {
			m[i][i] = stiff // flat, where nothing says otherwise
		}
		for i, box := range boxes {
			t := terms(box.Centre())
			w := max(offsets[i].weight, 0) / outlineMax
			if round > 0 {
				off := (of(offsets[i]) - b.at(box.Centre())) / far
				w *= 1 / (1 + off*off) / (1 + off*off)
			}
			for p := range t {
				for q := range t {
					m[p][q] += w * t[p] * t[q]
				}
				m[p][8] += w * t[p] * of(offsets[i])
			}
		}
		if solved, ok := solve(m); ok {
			b = bending(solved[:6])
		}
	}
	return b
}
