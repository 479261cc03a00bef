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
	z := vector.NewRasterizer(0, 0)
	for _, m := range r.marks {
		to := black
		if m.white {
			to = white
		}
		for _, letter := range letters(m.face, m.words) {
			fill(to, image.Opaque, z, moved(letter, m.at, m.size, m.size))
		}
		if m.words == "" {
			for _, piece := range m.figure.pieces() {
				fill(to, image.Opaque, z, piece)
			}
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
