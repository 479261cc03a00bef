package paper

import (
	"image"
	"image/draw"
	"math"

	"golang.org/x/image/vector"
)

// Image is the slip as it is printed, at dpi dots an inch: paper white, what is drop-out in its colour.
func (l *Layout) Image(dpi float64) *image.RGBA {
	scale := dpi / 25.4
	img := image.NewRGBA(image.Rect(0, 0, int(math.Round(l.Width*scale)), int(math.Round(l.Height*scale))))
	draw.Draw(img, img.Bounds(), image.NewUniform(paperWhite), image.Point{}, draw.Src)
	shapes, err := l.scene()
	assert(err == nil, "the code of a slip can be drawn")
	r := vector.NewRasterizer(0, 0)
	for _, s := range shapes {
		s.paint(img, r, scale)
	}
	for _, t := range l.texts {
		t.shape().paint(img, r, scale)
	}
	return img
}

// paint fills the shape on an image of scale dots a mm.
func (s shape) paint(img *image.RGBA, r *vector.Rasterizer, scale float64) {
	fill(img, image.NewUniform(s.fill), r, moved(s.contours, Point{}, scale, scale))
}

// shape is the text's letters as outlines.
func (t text) shape() shape {
	s := shape{fill: ink}
	size := t.size * mmPerPoint
	for _, letter := range letters(t.face, t.s) {
		s.contours = append(s.contours, moved(letter, t.start(), size, size)...)
	}
	return s
}
