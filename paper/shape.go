package paper

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"math"
	"regexp"
	"sync"

	"github.com/srwiley/oksvg"
	"github.com/srwiley/rasterx"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"

	"tirage/art"
)

// A shape is an area of one colour, inside its contours by the non-zero rule.
type shape struct {
	fill     color.RGBA
	contours [][]Point
}

// Colours of slips. Those of boxes and map drop out: a threshold that takes a
// pencil for ink takes none of them, in colour and in grey.
var (
	paperWhite = color.RGBA{255, 255, 255, 255}
	ink        = color.RGBA{20, 24, 34, 255}
	outline    = color.RGBA{244, 184, 150, 255}
	sea        = color.RGBA{230, 243, 243, 255}
)

// tint lightens a colour of a drawing so far that it drops out, yet can be seen: what stands on a slip
// in a darker colour is text, marks and code only.
func tint(c color.RGBA) color.RGBA {
	lighten := func(v uint8) uint8 { return uint8(255 - (255-int(v))*52/100) }
	return color.RGBA{lighten(c.R), lighten(c.G), lighten(c.B), 255}
}

// picture is a drawing as shapes, 1 wide.
type picture struct {
	view   Rect // in the drawing's own units
	shapes []shape
}

// aspect is width by height.
func (p picture) aspect() float64 { return p.view.W / p.view.H }

// fineness is the size that a drawing is taken apart at, in units: its curves are true to a part of it.
const fineness = 1000

var oneScale = regexp.MustCompile(`scale\(([-.0-9]+)\)`)

// pictures are the drawings, each taken apart once.
var pictures sync.Map // by name: func() picture

// pictureOf takes a drawing apart into shapes: fills, and strokes as outlines.
func pictureOf(name string) picture {
	load, _ := pictures.LoadOrStore(name, sync.OnceValue(func() picture {
		b, err := art.Files.ReadFile(name + ".svg")
		assert(err == nil, "the drawing "+name+" is embedded")
		// oksvg takes a scale of one number for one of no height, and scales no strokes.
		b = oneScale.ReplaceAll(b, []byte("scale($1,$1)"))
		icon, err := oksvg.ReadIconStream(bytes.NewReader(b), oksvg.StrictErrorMode)
		assert(err == nil, "the drawing "+name+" can be read")
		scale := fineness / icon.ViewBox.W
		// It takes the view's corner for one that is scaled already.
		icon.SetTarget(icon.ViewBox.X*(1-scale), icon.ViewBox.Y*(1-scale), fineness, icon.ViewBox.H*scale)
		for i := range icon.SVGPaths {
			icon.SVGPaths[i].LineWidth *= scale
		}
		c := &collector{}
		icon.Draw(rasterx.NewDasher(fineness, fineness, c), 1)
		return picture{Rect{icon.ViewBox.X, icon.ViewBox.Y, icon.ViewBox.W, icon.ViewBox.H}, c.shapes}
	}))
	return load.(func() picture)()
}

// collector is a scanner of package rasterx that keeps the outlines instead of filling pixels.
type collector struct {
	shapes []shape
	pen    fixed.Point26_6
	edges  [][2]fixed.Point26_6 // of the shape so far, directed, in no order
	lo, hi fixed.Point26_6      // bounds of the edges
	fill   color.RGBA
}

// Start begins at a point.
func (c *collector) Start(a fixed.Point26_6) { c.pen = a }

// Line adds an edge.
func (c *collector) Line(b fixed.Point26_6) {
	a := c.pen
	c.pen = b
	if a == b {
		return
	}
	if len(c.edges) == 0 {
		c.lo, c.hi = a, a
	}
	for _, p := range []fixed.Point26_6{a, b} {
		c.lo = fixed.Point26_6{X: min(c.lo.X, p.X), Y: min(c.lo.Y, p.Y)}
		c.hi = fixed.Point26_6{X: max(c.hi.X, p.X), Y: max(c.hi.Y, p.Y)}
	}
	c.edges = append(c.edges, [2]fixed.Point26_6{a, b})
}

// Draw ends a shape.
func (c *collector) Draw() {
	if c.fill.A > 0 && len(c.edges) > 0 {
		c.shapes = append(c.shapes, shape{c.fill, contours(c.edges)})
	}
	c.edges = nil
}

// contours joins directed edges, each to one that begins where it ends. An
// outline of a stroke comes as edges of its two sides in turn.
func contours(edges [][2]fixed.Point26_6) [][]Point {
	from := map[fixed.Point26_6][]int{}
	for i, e := range edges {
		from[e[0]] = append(from[e[0]], i)
	}
	used := make([]bool, len(edges))
	next := func(at fixed.Point26_6) (int, bool) {
		list := from[at]
		for len(list) > 0 {
			i := list[0]
			list = list[1:]
			from[at] = list
			if !used[i] {
				return i, true
			}
		}
		return 0, false
	}
	var all [][]Point
	for i, e := range edges {
		if used[i] {
			continue
		}
		used[i] = true
		contour := []Point{unit(e[0])}
		for at := e[1]; ; {
			contour = append(contour, unit(at))
			k, ok := next(at)
			if !ok || at == e[0] {
				break
			}
			used[k], at = true, edges[k][1]
		}
		all = append(all, contour)
	}
	return all
}

func unit(p fixed.Point26_6) Point {
	return Point{float64(p.X) / 64 / fineness, float64(p.Y) / 64 / fineness}
}

// GetPathExtent gives the bounds of the shape so far, on which gradients are laid.
func (c *collector) GetPathExtent() fixed.Rectangle26_6 {
	return fixed.Rectangle26_6{Min: c.lo, Max: c.hi}
}

// SetColor sets the colour of the shape: of a gradient, the one in its middle.
// Shine and shadow, which are half transparent, are left out.
func (c *collector) SetColor(colour any) {
	var of color.Color
	switch x := colour.(type) {
	case color.Color:
		of = x
	case rasterx.ColorFunc:
		of = x(int(c.lo.X+c.hi.X)/128, int(c.lo.Y+c.hi.Y)/128)
	}
	c.fill = color.RGBA{}
	if r, g, b, a := of.RGBA(); a == 0xffff {
		c.fill = color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 255}
	}
}

// Clear forgets the shape so far.
func (c *collector) Clear() { c.edges = nil }

// SetBounds does nothing: shapes have no pixels.
func (c *collector) SetBounds(_, _ int) {}

// SetWinding does nothing: all drawings of ours fill by the non-zero rule.
func (c *collector) SetWinding(_ bool) {}

// SetClip does nothing.
func (c *collector) SetClip(_ image.Rectangle) {}

// bounds are the corners of the smallest rectangle about contours.
func bounds(contours [][]Point) (lo, hi Point) {
	first := true
	for _, contour := range contours {
		for _, p := range contour {
			if first {
				lo, hi, first = p, p, false
			}
			lo, hi = Point{min(lo.X, p.X), min(lo.Y, p.Y)}, Point{max(hi.X, p.X), max(hi.Y, p.Y)}
		}
	}
	return lo, hi
}

// within is the picture's shapes, tinted, in a rectangle: stretched over it,
// or, if fit, as large as fits at the left and in the middle of its height.
func (p picture) within(r Rect, fit bool) []shape {
	if fit {
		if w := r.H * p.aspect(); w < r.W {
			r.W = w
		} else {
			h := r.W / p.aspect()
			r.Y, r.H = r.Y+(r.H-h)/2, h
		}
	}
	list := make([]shape, len(p.shapes))
	for i, s := range p.shapes {
		list[i] = shape{tint(s.fill), moved(s.contours, Point{r.X, r.Y}, r.W, r.H*p.aspect())}
		for j, contour := range list[i].contours {
			list[i].contours[j] = thin(contour)
		}
	}
	return list
}

// moved is contours made so many times as wide and high, and moved.
func moved(contours [][]Point, to Point, wide, high float64) [][]Point {
	list := make([][]Point, len(contours))
	for i, contour := range contours {
		list[i] = make([]Point, len(contour))
		for k, p := range contour {
			list[i][k] = Point{to.X + p.X*wide, to.Y + p.Y*high}
		}
	}
	return list
}

// fill fills contours on an image, by the non-zero rule.
func fill(img draw.Image, with image.Image, r *vector.Rasterizer, contours [][]Point) {
	lo, hi := bounds(contours)
	at := image.Rect(int(math.Floor(lo.X)), int(math.Floor(lo.Y)), int(math.Ceil(hi.X))+1, int(math.Ceil(hi.Y))+1).Intersect(img.Bounds())
	if at.Empty() {
		return
	}
	r.Reset(at.Dx(), at.Dy())
	for _, contour := range contours {
		for i, p := range contour {
			x, y := float32(p.X-float64(at.Min.X)), float32(p.Y-float64(at.Min.Y))
			if i == 0 {
				r.MoveTo(x, y)
			} else {
				r.LineTo(x, y)
			}
		}
		r.ClosePath()
	}
	r.Draw(img, at, with, image.Point{})
}

// thin leaves out the points of a contour that are off its line by less than what print can show.
func thin(contour []Point) []Point {
	const least = 0.006 // mm
	last := len(contour) - 1
	if last < 2 {
		return contour
	}
	a, b := contour[0], contour[last]
	n := math.Hypot(b.X-a.X, b.Y-a.Y)
	far, at := 0.0, 0
	for i := 1; i < last; i++ {
		p := contour[i]
		d := math.Hypot(p.X-a.X, p.Y-a.Y)
		if n > least {
			d = math.Abs((p.X-a.X)*(b.Y-a.Y)-(p.Y-a.Y)*(b.X-a.X)) / n
		}
		if d > far {
			far, at = d, i
		}
	}
	if far < least {
		return []Point{a, b}
	}
	return append(thin(contour[:at+1:at+1]), thin(contour[at:])[1:]...)
}
