package paper

import (
	"image"
	"math"
	"slices"
)

// readPage reads the boxes of a slip that was found.
func (s *search) readPage(p snap, l *Layout, f placed) (*Reading, error) {
	page := s.straighten(p, l, f.page)
	dark := page.darkness()
	offsets, seen := dark.align(l.Boxes)
	if share(seen) < seenMin {
		return nil, ErrOtherPage
	}
	r := &Reading{Layout: l, Marks: make([]Mark, len(l.Boxes)), Ink: make([]float64, len(l.Boxes)), Page: page.picture}
	traces := dark.traces(l.Boxes, offsets)
	for i, t := range traces {
		r.Ink[i] = min(t.clear.mass/t.area, 1)
	}
	r.specks = judge(traces, r.Marks)
	for i, sure := range placedSurely(l.Boxes, seen, dark.framed(l.Boxes, offsets)) {
		if !sure || traces[i].hidden || dark.onStrange(l.Boxes[i].Rect) {
			r.Marks[i], r.specks[i] = Unsure, false
		}
	}
	if r.asks() > askedMax {
		return nil, ErrNotFlat
	}
	return r, nil
}

// askedMax is of how many boxes a player is asked at most.
const askedMax = 10

// asks counts the boxes that are unsure for more than a speck.
func (r *Reading) asks() int {
	n := 0
	for i, m := range r.Marks {
		if m == Unsure && !r.specks[i] {
			n++
		}
	}
	return n
}

// seenMin is the share of boxes whose printed outline must be seen where it should be.
const seenMin = 0.5

// A sheet is a slip straightened.
type sheet struct {
	luma    plane
	picture *image.YCbCr // of that light
}

// straighten takes the page out of the picture, at PageScale.
func (s *search) straighten(p snap, l *Layout, page homography) sheet {
	right, down := page.scale(Point{l.Width / 2, l.Height / 2})
	k := max(1, int(min(right, down)/PageScale))
	from := s.reduced(k)
	w, h := int(math.Round(l.Width*PageScale)), int(math.Round(l.Height*PageScale))
	picture := image.NewYCbCr(image.Rect(0, 0, w, h), image.YCbCrSubsampleRatio420)
	out := sheet{plane{w, h, picture.YStride, picture.Y}, picture}
	onLines(w, h, 1, page, func(x, y, n int, at, step Point) {
		from.line(out.luma.row(y)[x:x+n], at.X/float64(k), at.Y/float64(k), step.X/float64(k), step.Y/float64(k))
	})
	onLines((w+1)/2, (h+1)/2, 2, page, func(x, y, n int, at, step Point) {
		c := y*picture.CStride + x
		p.colours(picture.Cb[c:c+n], picture.Cr[c:c+n], at, step)
	})
	return out
}

// onLines goes over w × h points that are so many pixels of the page apart, in pieces of lines
// that are as good as straight in the picture: n points from at, each a step further.
func onLines(w, h, apart int, page homography, piece func(x, y, n int, at, step Point)) {
	const most = 16
	mm := func(i int) float64 { return (float64(i) + 0.5) * float64(apart) / PageScale }
	for y := range h {
		a := page.to(Point{mm(0), mm(y)})
		for x := 0; x < w; x += most {
			b := page.to(Point{mm(x + most), mm(y)})
			piece(x, y, min(most, w-x), a, Point{(b.X - a.X) / most, (b.Y - a.Y) / most})
			a = b
		}
	}
}

// line reads pixels on a line from x, y in steps of dx, dy, as [plane.at] does.
func (p plane) line(to []uint8, x, y, dx, dy float64) {
	const one = 1 << 16
	n := float64(len(to) - 1)
	x, y = x-0.5, y-0.5
	inside := func(v, d, most float64) bool { return v >= 0 && v+n*d >= 0 && v < most && v+n*d < most }
	if !inside(x, dx, float64(p.w-2)) || !inside(y, dy, float64(p.h-2)) {
		for i := range to {
			to[i] = uint8(p.at(x+0.5+float64(i)*dx, y+0.5+float64(i)*dy) + 0.5)
		}
		return
	}
	ax, ay, stepX, stepY := int(x*one), int(y*one), int(dx*one), int(dy*one)
	for i := range to {
		at := max(ay>>16, 0)*p.stride + max(ax>>16, 0)
		fx, fy := ax>>8&0xff, ay>>8&0xff
		above, below := p.pix[at:at+2], p.pix[at+p.stride:at+p.stride+2]
		top := int(above[0])<<8 + (int(above[1])-int(above[0]))*fx
		low := int(below[0])<<8 + (int(below[1])-int(below[0]))*fx
		to[i] = uint8((top<<8 + (low-top)*fy + 1<<15) >> 16)
		ax, ay = ax+stepX, ay+stepY
	}
}

// whiteTile is the side of the squares in which the paper's white is measured:
// 4 mm, wider than any stroke, narrower than a shadow's edge is soft.
const whiteTile = 4 * PageScale

// A darkness plane has for each pixel how much darker than the paper around it
// is, of 255: 0 is paper, 255 is black.
type darkness struct {
	plane
	strange []bool // of tiles, by rows: no paper, or hardly any
	tiles   int    // of a row
}

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
	strange := make([]bool, len(white))
	for ty := range th {
		for tx := range tw {
			var around []float64
			for y := max(0, ty-1); y <= min(th-1, ty+1); y++ {
				around = append(around, white[y*tw+max(0, tx-1):y*tw+min(tw-1, tx+1)+1]...)
			}
			slices.Sort(around)
			strange[ty*tw+tx] = white[ty*tw+tx] < paperLeast*around[len(around)-1]
			even[ty*tw+tx] = max(white[ty*tw+tx], around[len(around)/2])
		}
	}
	return darkness{p.against(even, tw), strange, tw}
}

// against is how much darker than the white of its place each pixel is, of 255;
// white is that of the tiles' middles, by rows of tw.
func (p plane) against(white []float64, tw int) plane {
	out := newPlane(p.w, p.h)
	tiles, parts := make([]int32, p.w), make([]float32, p.w) // by column: between which middles, and how far
	for x := range p.w {
		fx := min(max((float32(x)+0.5)/whiteTile-0.5, 0), float32(tw-1))
		tiles[x] = int32(fx)
		parts[x] = fx - float32(tiles[x])
	}
	across, rise := make([]float32, tw+1), make([]float32, tw) // the white of each tile's middle, at this row
	for y := range p.h {
		fy := min(max((float64(y)+0.5)/whiteTile-0.5, 0), float64(len(white)/tw-1))
		y0 := int(fy)
		y1 := min(y0+1, len(white)/tw-1)
		for i := range tw {
			across[i] = float32(white[y0*tw+i]*(1-fy+float64(y0)) + white[y1*tw+i]*(fy-float64(y0)))
		}
		across[tw] = across[tw-1]
		for i := range rise {
			rise[i] = across[i+1] - across[i]
		}
		row, to := p.row(y), out.row(y)
		for x, v := range row {
			white := across[tiles[x]] + rise[tiles[x]]*parts[x]
			if white < 1 { // max minds what is no number, and takes as long as all else here
				white = 1
			}
			if d := 255 - 255*float32(v)/white; d > 0 {
				to[x] = uint8(d)
			}
		}
	}
	return out
}

// paperLeast is how light a tile is, of the lightest beside it, that is paper:
// a shadow's edge is softer, a thumb's or a table's is not.
const paperLeast = 0.6

// onStrange tells whether a box stands, in part, where there may be no paper.
func (d darkness) onStrange(r Rect) bool {
	for y := max(0, int(r.Y*PageScale)/whiteTile); y <= int((r.Y+r.H)*PageScale)/whiteTile; y++ {
		for x := max(0, int(r.X*PageScale)/whiteTile); x <= int((r.X+r.W)*PageScale)/whiteTile && x < d.tiles; x++ {
			if i := y*d.tiles + x; i < len(d.strange) && d.strange[i] {
				return true
			}
		}
	}
	return false
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
// looked for again close to where they say. seen tells which outlines were found.
func (d darkness) align(boxes []Box) (offsets []offset, seen []bool) {
	across, along := make([]offset, len(boxes)), make([]offset, len(boxes)) // weight: contrast of the outline
	for i, b := range boxes {
		across[i].dx, across[i].weight = d.edges(b.Rect, 0, reachPixels, offset{}, true)
		along[i].dy, along[i].weight = d.edges(b.Rect, 0, reachPixels, offset{}, false)
	}
	bendX := bend(boxes, across, func(o offset) float64 { return o.dx })
	bendY := bend(boxes, along, func(o offset) float64 { return o.dy })
	offsets = make([]offset, len(boxes))
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
	}
	return offsets, outlined(offsets)
}

// outlined tells of which boxes the outline is seen.
func outlined(offsets []offset) []bool {
	weights := make([]float64, len(offsets))
	for i, o := range offsets {
		weights[i] = o.weight
	}
	slices.Sort(weights)
	least := max(outlineMin, outlineShare*weights[len(weights)*3/4])
	seen := make([]bool, len(offsets))
	for i, o := range offsets {
		seen[i] = o.weight >= least
	}
	return seen
}

// framed tells around which boxes at least three sides of the outline are
// seen, along most of their lengths: strokes cross an outline and end at it, and leave that much.
func (d darkness) framed(boxes []Box, offsets []offset) []bool {
	sides := make([][4]float64, len(boxes))
	all := make([]float64, 0, 4*len(boxes))
	for i, b := range boxes {
		x, y := b.X*PageScale+offsets[i].dx, b.Y*PageScale+offsets[i].dy
		w, h := b.W*PageScale, b.H*PageScale
		sides[i] = [4]float64{d.side(y, x, w, false), d.side(y+h, x, w, false), d.side(x, y, h, true), d.side(x+w, y, h, true)}
		all = append(all, sides[i][:]...)
	}
	slices.Sort(all)
	least := max(outlineMin, outlineShare*all[len(all)*3/4])
	framed := make([]bool, len(boxes))
	for i, s := range sides {
		n := 0
		for _, contrast := range s {
			if contrast >= least {
				n++
			}
		}
		framed[i] = n >= 3
	}
	return framed
}

// side is how much darker a side of an outline is than the lighter of what is beside it, at the middle one of its places.
func (d darkness) side(a, b, length float64, upright bool) float64 {
	across := func(b int, a float64) int { // the sum of three pixels about a
		mid, sum := int(math.Round(a-0.5)), 0
		for i := mid - 1; i <= mid+1; i++ {
			x, y := b, i
			if upright {
				x, y = i, b
			}
			if x >= 0 && y >= 0 && x < d.w && y < d.h {
				sum += min(int(d.pix[y*d.stride+x]), outlineMax)
			}
		}
		return sum
	}
	var list []int
	for i := int(b) + 4; i < int(b+length)-4; i++ {
		list = append(list, across(i, a)-min(across(i, a-insideOff), across(i, a+insideOff)))
	}
	return float64(middle(list)) / 3
}

// placedSurely tells of which boxes it is certain where they are: their own
// outline is seen around them, and those of most of the boxes about.
func placedSurely(boxes []Box, seen, framed []bool) []bool {
	const around = 9
	sure := make([]bool, len(boxes))
	for i, b := range boxes {
		type neighbour struct {
			off  float64
			seen bool
		}
		near := make([]neighbour, 0, around+1) // the nearest first
		for j, other := range boxes {
			n := neighbour{distance(other.Centre(), b.Centre()), seen[j]}
			at := len(near)
			for at > 0 && near[at-1].off > n.off {
				at--
			}
			if at < around {
				near = slices.Insert(near, at, n)
				near = near[:min(len(near), around)]
			}
		}
		found := 0
		for _, n := range near {
			if n.seen {
				found++
			}
		}
		sure[i] = framed[i] && 2*found > len(near)
	}
	return sure
}

// share is how many of a list are so, of 1.
func share(list []bool) float64 {
	n := 0
	for _, so := range list {
		if so {
			n++
		}
	}
	return float64(n) / float64(max(len(list), 1))
}

const (
	nearPixels   = 3   // how far a box is from where the others say
	outlineMax   = 60  // of 255: no drop-out colour is darker, so what is counts as that
	outlineMin   = 5   // of 255: an outline that is this much darker than the paper beside it is seen
	outlineShare = 0.3 // of the better outlines of the slip: one that is seen has as much
	outlineHalf  = 1   // pixels beside the middle of an outline that are wholly in it
	insideOff    = 5   // pixels from an outline to the paper within
)

// edges finds a pair of edges of a box, the upright ones or the level ones,
// around an offset, and how much darker they are than the paper beside them.
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
	line := func(at float64) float64 { // against the lighter side: strokes and labels are seldom on both
		return mean(at, outlineHalf) - min(mean(at-insideOff, 1), mean(at+insideOff, 1))
	}
	score := func(off float64) float64 { // both must be there: a line of text or of a pen is one
		first, second := line(a0+off), line(a1+off)
		return min(first, second) + (first+second)/16
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
