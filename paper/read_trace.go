package paper

import (
	"math"
	"slices"
)

// A trace is what is drawn in a box.
type trace struct {
	clear piece // what is darker than any print of the box can be, up to its outline
	faint piece // what is darker than paper, away from the outline
	area  float64
	// hidden: something thicker than a stroke lies over its outline and beyond.
	hidden bool
	pale   bool // all marks of the slip are pale, and alike
}

// A piece is the ink of a box above some darkness.
type piece struct {
	mass   float64 // mm², as if it were all black: blur spreads it and leaves it the same
	extent float64 // mm that its largest connected piece reaches
	spread float64 // mm that all of it reaches
	tone   float64 // of 255: how dark the darkest quarter of it is
	fill   float64 // share of the box that it covers
}

const (
	// marginClear and marginFaint are left out at each edge of a box, in mm: its
	// outline's outer half; and its inner half with the blur of a hand-held camera.
	marginClear = OutlineWidth/2 + 0.15
	marginFaint = OutlineWidth/2 + 0.35
	// inkMin is the least darkness that may be ink, of 255: a tenth. A soft
	// pencil takes a quarter of the light; what is rubbed out leaves a twentieth.
	inkMin = 26
	// inkOverTint is how much darker than the printed outline ink is, at least.
	inkOverTint = 1.5
	// inkOverNoise is how far above the grain of the paper ink is: so many deviations.
	inkOverNoise = 5
)

// traces measures what is in each box.
func (d darkness) traces(boxes []Box, offsets []offset) []trace {
	soft := d.smoothed()
	bases, grains, tints := make([]int, len(boxes)), make([]int, len(boxes)), make([]int, len(boxes))
	for i, b := range boxes {
		in := soft.window(b.inset(marginFaint), offsets[i])
		low, mid := soft.percentile(in.x0, in.y0, in.x1, in.y1, 16), soft.percentile(in.x0, in.y0, in.x1, in.y1, 50)
		bases[i], grains[i] = int(min(mid, inkMin)), int(mid-low)
		tints[i] = int(offsets[i].weight)
	}
	noise := inkOverNoise * middle(grains)
	faint := max(inkMin, noise)
	clear := max(faint, int(inkOverTint*float64(middle(tints)))+inkMin/2)
	all := make([]trace, len(boxes))
	for i, b := range boxes {
		all[i] = trace{
			clear:  soft.piece(soft.window(b.inset(marginClear), offsets[i]), bases[i]+clear, bases[i]),
			faint:  soft.piece(soft.window(b.inset(marginFaint), offsets[i]), bases[i]+faint, bases[i]),
			area:   b.W * b.H,
			hidden: soft.hides(b.Rect, offsets[i], bases[i]+clear),
		}
	}
	if tone, ok := paleTone(all); ok {
		level := max(tone/2, noise)
		for i, b := range boxes {
			all[i].faint = soft.piece(soft.window(b.inset(marginFaint), offsets[i]), bases[i]+level, bases[i])
			all[i].clear, all[i].pale = all[i].faint, true
		}
	}
	return all
}

const (
	// A slip is marked by a pale pen throughout where so many boxes at least have
	// ink, all alike: none has less than this share of the tone of the middle one, which has
	// as much of that of the darkest. The palest pen takes an eighth of the light, as a photo shows it.
	paleMarks, paleAlike, paleLeast = 3, 0.6, 34
)

// paleTone is the tone of the marks of a slip that are all of one pale pen; not ok of any other.
func paleTone(all []trace) (tone int, ok bool) {
	var tones []int
	short := false // of what a mark has at the level that no print reaches
	for _, s := range all {
		if s.faint.marks() {
			tones = append(tones, int(s.faint.tone))
			short = short || !s.clear.marks()
		}
	}
	if len(tones) < paleMarks || !short {
		return 0, false
	}
	least, most, typical := slices.Min(tones), slices.Max(tones), middle(tones)
	return typical, least >= paleLeast && float64(least) >= paleAlike*float64(typical) && float64(typical) >= paleAlike*float64(most)
}

// marks tells whether a piece is as large as a mark.
func (p piece) marks() bool { return p.extent >= markExtent && p.mass >= markMass }

// What is as dark as ink over so many pixels along an outline, from within the box to so far
// beyond it, is no stroke of a pen: a thumb, a stain, a table's edge. 1.4, 0.3 and 1.1 mm.
const hidesAlong, hidesWithin, hidesBeyond = 11, 2, 9

// hides tells whether what is as dark as level lies over an outline.
func (p plane) hides(r Rect, o offset, level int) bool {
	x0, y0 := int(math.Round(r.X*PageScale+o.dx)), int(math.Round(r.Y*PageScale+o.dy))
	w, h := int(math.Round(r.W*PageScale)), int(math.Round(r.H*PageScale))
	dark := func(x, y int) bool {
		return x >= 0 && y >= 0 && x < p.w && y < p.h && int(p.pix[y*p.stride+x]) >= level
	}
	side := func(length int, at func(i, out int) (x, y int)) bool {
		run := 0
		for i := range length {
			run++
			for out := -hidesWithin; out <= hidesBeyond; out++ {
				if !dark(at(i, out)) {
					run = 0
					break
				}
			}
			if run >= hidesAlong {
				return true
			}
		}
		return false
	}
	return side(w, func(i, out int) (int, int) { return x0 + i, y0 - out }) ||
		side(w, func(i, out int) (int, int) { return x0 + i, y0 + h + out }) ||
		side(h, func(i, out int) (int, int) { return x0 - out, y0 + i }) ||
		side(h, func(i, out int) (int, int) { return x0 + w + out, y0 + i })
}

func middle(list []int) int {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}

// A window is pixels of the page; x1 and y1 are outside.
type window struct{ x0, y0, x1, y1 int }

// window is where a rectangle of the page is, moved by an offset.
func (p plane) window(r Rect, o offset) window {
	x, y := int(math.Round(r.X*PageScale+o.dx)), int(math.Round(r.Y*PageScale+o.dy))
	w, h := max(int(r.W*PageScale), 1), max(int(r.H*PageScale), 1)
	x, y = min(max(x, 0), max(p.w-w, 0)), min(max(y, 0), max(p.h-h, 0))
	return window{x, y, min(x+w, p.w), min(y+h, p.h)}
}

// piece measures what in a window is as dark as level.
func (p plane) piece(in window, level, base int) piece {
	w, h := in.x1-in.x0, in.y1-in.y0
	ink := newBitmap(w, h)
	var s piece
	var darks []int
	sum := 0
	for y := range h {
		for x, v := range p.pix[(in.y0+y)*p.stride+in.x0:][:w] {
			if int(v) >= level {
				ink.set(x, y)
				sum += int(v) - base
				darks = append(darks, int(v)-base)
			}
		}
	}
	if len(darks) == 0 {
		return s
	}
	s.mass = float64(sum) / 255 / (PageScale * PageScale)
	s.fill = float64(len(darks)) / float64(w*h)
	slices.Sort(darks)
	s.tone = float64(darks[len(darks)*7/8])
	var whole blob
	for _, b := range ink.blobs() {
		if whole.area == 0 {
			whole = b
		}
		whole = join(whole, b)
		s.extent = max(s.extent, math.Hypot(float64(b.width()-1), float64(b.height()-1))/PageScale)
	}
	s.spread = math.Hypot(float64(whole.width()-1), float64(whole.height()-1)) / PageScale
	return s
}

const (
	// A mark reaches so many mm, and has so much ink, at least: the stroke of a
	// soft pencil, 0.4 mm wide, from edge to edge of half a box.
	markExtent, markMass = 1.7, 0.12
	// What has less ink is no mark: a fibre of the paper, a speck of dust, print
	// that blur carried over the edge. Less still, where it reaches farther.
	speckExtent, speckMass = 0.9, 0.04
	// What is unsure is a speck where all of it together reaches no farther: a stroke too
	// pale to be seen as one is in pieces from edge to edge.
	speckSpread = 1.2
	// One slip is marked with one pen: what is much paler than the other marks
	// was rubbed out, or came through from the back.
	toneLeast = 0.45
	// A box of which so little white is left may be a mark that was taken back, or no mark.
	fillWhole = 0.85
)

// judge says what each box holds, and which are unsure for a speck alone.
func judge(traces []trace, marks []Mark) (specks []bool) {
	specks = make([]bool, len(traces))
	var tones []int
	for _, s := range traces {
		if s.clear.marks() {
			tones = append(tones, int(s.clear.tone))
		}
	}
	typical := 0.0
	if len(tones) > 0 {
		typical = float64(middle(tones))
	}
	for i, s := range traces {
		c, f, least := s.clear, s.faint, toneLeast*typical
		if s.pale {
			least = paleAlike * typical
		}
		switch {
		case c.fill >= fillWhole:
			marks[i] = Unsure
		case c.marks() && c.tone >= least:
			marks[i] = Marked
		case c.mass < speckMass && f.mass < speckMass && (f.extent < speckExtent || f.mass < speckMass/2):
			marks[i] = Empty
		default:
			marks[i] = Unsure
			specks[i] = f.mass < markMass && f.spread < speckSpread
		}
	}
	return specks
}
