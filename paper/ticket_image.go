package paper

import (
	"image"
	"math"

	"golang.org/x/image/vector"
)

// Image is the ticket as a thermal printer prints it: 576 dots wide at 203 dpi,
// black (0) and white (255) and nothing between.
func (t Ticket) Image() *image.Gray { return t.layOut().image() }

func (r *roll) image() *image.Gray {
	bounds := image.Rect(0, 0, rollWidth, int(math.Ceil(r.y)))
	black, white := image.NewAlpha(bounds), image.NewAlpha(bounds)
	for _, m := range r.marks {
		to := black
		if m.white {
			to = white
		}
		pieces := m.figure.pieces()
		if m.words != "" {
			pieces = letterLoops(m.face, m.size, m.words, m.at, 0)
		}
		for _, p := range pieces {
			fillLoops(to, p)
		}
	}
	img := image.NewGray(bounds)
	for i := range img.Pix {
		if black.Pix[i] < dotMin || white.Pix[i] >= dotMin {
			img.Pix[i] = 0xff
		}
	}
	return img
}

// dotMin is how much of a dot must be covered for it to be printed, of 255: a
// little less than half, or thin strokes of small type would break.
const dotMin = 112

// fillLoops fills loops.
func fillLoops(dst *image.Alpha, loops []loop) {
	left, top, right, bottom := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, o := range loops {
		for _, p := range o {
			left, top, right, bottom = min(left, p.X), min(top, p.Y), max(right, p.X), max(bottom, p.Y)
		}
	}
	box := image.Rect(int(math.Floor(left)), int(math.Floor(top)), int(math.Ceil(right)), int(math.Ceil(bottom)))
	if box.Empty() {
		return
	}
	z := vector.NewRasterizer(box.Dx(), box.Dy())
	dx, dy := float64(box.Min.X), float64(box.Min.Y)
	for _, o := range loops {
		for i, p := range o {
			x, y := float32(p.X-dx), float32(p.Y-dy)
			if i == 0 {
				z.MoveTo(x, y)
			} else {
				z.LineTo(x, y)
			}
		}
		z.ClosePath()
	}
	z.Draw(dst, box, image.Opaque, image.Point{})
}
