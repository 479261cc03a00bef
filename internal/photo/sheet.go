package photo

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"slices"
	"sync"

	goqr "github.com/piglig/go-qr"

	"tirage/game"
	"tirage/paper"
)

// A sheet is a paper before it is photographed, and its size in mm.
type sheet struct {
	img  *image.RGBA
	w, h float64
}

// prints are slips as printed, by rule book and dots an inch; photos copy them.
var prints sync.Map

type printKey struct {
	hash game.Hash
	dpi  int
}

// dpi is the resolution that a paper w mm wide is printed in for the photo: about its own.
func (c *camera) dpi(w float64) int {
	dpi := c.fill * float64(max(c.w, c.h)) / w * 25.4
	for _, step := range []int{150, 200, 250, 300, 400} {
		if dpi <= float64(step)*1.1 {
			return step
		}
	}
	return 500
}

// slip is a slip with its marks, with another code if one is given, and spoilt if that is.
func (c *camera) slip(l *paper.Layout, marks []paper.Mark, code string, spoil func(img *image.RGBA, dpmm float64)) sheet {
	key := printKey{l.Rules.Hash, c.dpi(l.Width)}
	printed, _ := prints.LoadOrStore(key, sync.OnceValue(func() *image.RGBA { return l.Image(float64(key.dpi)) }))
	from := printed.(func() *image.RGBA)()
	img := image.NewRGBA(from.Bounds())
	copy(img.Pix, from.Pix)
	dpmm := float64(key.dpi) / 25.4
	if code != "" {
		drawCode(img, l.QR, dpmm, code)
	}
	p := c.pen(img, dpmm)
	for i, m := range marks {
		switch m {
		case paper.Marked:
			c.mark(p, l.Boxes[i].Rect, 1)
		case paper.Unsure:
			c.mark(p, l.Boxes[i].Rect, c.between(0.2, 0.35))
		case paper.Empty:
		}
	}
	c.mishaps(p, l, marks)
	if spoil != nil {
		spoil(img, dpmm)
	}
	return c.finish(sheet{img, l.Width, l.Height}, dpmm)
}

// finish gives the paper its colour, and the blur of a lens that is not quite
// in focus and a hand that is not quite still.
func (c *camera) finish(s sheet, dpmm float64) sheet {
	c.stock(s.img)
	blur(s.img, (0.02+c.upTo(0.09))*dpmm, (0.02+c.upTo(0.09))*dpmm)
	return s
}

// drawCode draws another QR code in the place of a slip's.
func drawCode(img *image.RGBA, at paper.Rect, dpmm float64, s string) {
	code, err := goqr.EncodeText(s, goqr.Medium)
	if err != nil {
		panic("photo: " + err.Error())
	}
	n := code.Size()
	x0, y0, size := int(at.X*dpmm), int(at.Y*dpmm), int(at.W*dpmm)
	for y := range size + 1 {
		for x := range size + 1 {
			c := paperWhite
			if code.Module(min(n-1, x*n/size), min(n-1, y*n/size)) {
				c = color.RGBA{0, 0, 0, 255}
			}
			img.SetRGBA(x0+x, y0+y, c)
		}
	}
}

// page is a printed page with lines of words, a table and round logos, that is no slip.
func (c *camera) page() sheet {
	s := sheet{nil, 148, 105}
	if c.chance(0.5) {
		s.w, s.h = 105, 148
	}
	dpmm := float64(c.dpi(max(s.w, s.h))) / 25.4
	s.img = image.NewRGBA(image.Rect(0, 0, int(s.w*dpmm), int(s.h*dpmm)))
	draw.Draw(s.img, s.img.Bounds(), image.NewUniform(paperWhite), image.Point{}, draw.Src)
	fill := func(x, y, w, h float64) {
		at := image.Rect(int(x*dpmm), int(y*dpmm), int((x+w)*dpmm), int((y+h)*dpmm))
		draw.Draw(s.img, at.Intersect(s.img.Bounds()), image.NewUniform(color.RGBA{30, 30, 34, 255}), image.Point{}, draw.Src)
	}
	for y := 12.0; y < s.h-12; y += 4.5 {
		for x := 10.0; x < s.w-14; {
			w := c.between(2, 9)
			for at := x; at < x+w; at += 1.1 { // letters
				fill(at, y-c.between(0.9, 1.9), 0.25, c.between(1, 2))
				fill(at, y, c.between(0.3, 0.9), 0.25)
			}
			x += w + 1.6
		}
	}
	p := pen{s.img, dpmm, [3]float64{0.1, 0.1, 0.1}, 1}
	for range c.rand.IntN(6) {
		p.dab(c.between(5, s.w-5), c.between(5, s.h-5), c.between(3, 8), 1)
	}
	return c.finish(s, dpmm)
}

// blur blurs by so many dots each way, row by row, with rows as numbers.
func blur(img *image.RGBA, sigmaX, sigmaY float64) {
	n, h := 4*img.Rect.Dx(), img.Rect.Dy()
	sums := make([]float32, n)
	if b := newBell(sigmaX); b != nil {
		edge := 4 * (len(b.weights) - 1)
		padded := make([]float32, n+2*edge)
		for y := range h {
			row := img.Pix[y*img.Stride:][:n]
			b.load(padded[edge:], row)
			for i := range edge {
				padded[edge-1-i], padded[edge+n+i] = padded[edge+3-i%4], padded[edge+n-4+i%4]
			}
			b.mix(row, sums, func(off int) []float32 { return padded[edge+4*off:][:n] })
		}
	}
	if b := newBell(sigmaY); b != nil {
		reach := len(b.weights) - 1
		rows := make([][]float32, 2*reach+1) // those around y, by the remainder
		for y := range h + reach {
			if y < h {
				rows[y%len(rows)] = slices.Grow(rows[y%len(rows)][:0], n)[:n]
				b.load(rows[y%len(rows)], img.Pix[y*img.Stride:][:n])
			}
			if at := y - reach; at >= 0 {
				b.mix(img.Pix[at*img.Stride:][:n], sums, func(off int) []float32 { return rows[min(max(at+off, 0), h-1)%len(rows)] })
			}
		}
	}
}

// A bell is what blurs: the weights of the middle and of what is so far from it.
type bell struct {
	weights []float32
	shares  [256]float32 // values, by the sum of all weights
}

// newBell is a bell of so many dots; nil where it is too narrow to be seen.
func newBell(sigma float64) *bell {
	if sigma < 0.25 {
		return nil
	}
	b := &bell{weights: make([]float32, int(math.Ceil(2*sigma))+1)}
	var sum float32
	for i := range b.weights {
		b.weights[i] = float32(math.Exp(-float64(i*i) / (2 * sigma * sigma)))
		sum += b.weights[i]
		if i > 0 {
			sum += b.weights[i]
		}
	}
	for v := range b.shares {
		b.shares[v] = float32(v) / sum
	}
	return b
}

func (b *bell) load(to []float32, row []uint8) {
	to = to[:len(row)]
	for i, v := range row {
		to[i] = b.shares[v]
	}
}

// mix sets a row to the means of what at gives, by how far it is away.
func (b *bell) mix(row []uint8, sums []float32, at func(off int) []float32) {
	middle := at(0)[:len(sums)]
	for i := range sums {
		sums[i] = middle[i] * b.weights[0]
	}
	for off := 1; off < len(b.weights); off++ {
		w, before, after := b.weights[off], at(-off)[:len(sums)], at(off)[:len(sums)]
		for i := range sums {
			sums[i] += (before[i] + after[i]) * w
		}
	}
	for i := range row {
		row[i] = uint8(sums[i] + 0.5) // a mean of bytes is one
	}
}
