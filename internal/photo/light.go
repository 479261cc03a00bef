package photo

import (
	"bytes"
	"image"
	"image/jpeg"
	"math"
)

// lightCell is how many pixels apart the light is reckoned; between, it is interpolated.
const lightCell = 16

// light is how bright each cell of the photo is lit: lamps at one side, shadows with soft edges.
func (c *camera) light() [][]float32 {
	level := c.between(0.97-0.36*min(1.2, c.d), 1)
	fall, towards := c.upTo(0.5), c.between(0, 2*math.Pi)
	type shadow struct{ x, y, nx, ny, soft, dark, radius float64 }
	var shadows []shadow
	diagonal := math.Hypot(float64(c.w), float64(c.h))
	for range 2 {
		if !c.chance(0.15 + 0.45*min(1, c.d)) {
			continue
		}
		ny, nx := math.Sincos(c.between(0, 2*math.Pi))
		s := shadow{c.between(0.1, 0.9) * float64(c.w), c.between(0.1, 0.9) * float64(c.h), nx, ny, diagonal * c.between(0.012, 0.08), c.upTo(0.5), 0}
		if c.chance(0.4) { // of a hand or a head, rather than an edge
			s.radius = diagonal * c.between(0.1, 0.3)
		}
		shadows = append(shadows, s)
	}
	sin, cos := math.Sincos(towards)
	rows := make([][]float32, c.h/lightCell+2)
	for j := range rows {
		rows[j] = make([]float32, c.w/lightCell+2)
		for i := range rows[j] {
			x, y := float64(i*lightCell), float64(j*lightCell)
			v := level * (1 - fall*(0.5+((x-float64(c.w)/2)*cos+(y-float64(c.h)/2)*sin)/diagonal))
			for _, s := range shadows {
				d := (x-s.x)*s.nx + (y-s.y)*s.ny
				if s.radius > 0 {
					d = s.radius - math.Hypot(x-s.x, y-s.y)
				}
				v *= 1 - s.dark/(1+math.Exp(-d/s.soft*4))
			}
			rows[j][i] = float32(v)
		}
	}
	return rows
}

// shoot exposes the photo: papers, the first on top, on a table, lit, with the
// sensor's noise, as a JPEG.
func (c *camera) shoot(objects ...object) []byte {
	img := image.NewRGBA(image.Rect(0, 0, c.w, c.h))
	table := c.table()
	light := c.light()
	gains := [3]float32{1, 1, 1}
	cast := c.between(-1, 1) * c.d * 0.09 // of lamp light or daylight
	gains[0], gains[2] = float32(1+cast), float32(1-cast)
	noise := c.noise(1.2 + c.upTo(8))
	grain := c.rand.Uint32() | 1
	lit := make([]float32, c.w+lightCell)
	for y := range c.h {
		rowLight(lit, light, y)
		line := img.Pix[y*img.Stride : y*img.Stride+4*c.w]
		for x := 0; x < c.w; x += tableSize {
			copy(line[4*x:], table[4*(y%tableSize)*tableSize:][:4*tableSize])
		}
		for k := len(objects) - 1; k >= 0; k-- {
			objects[k].line(line, y)
		}
		for x := range c.w {
			grain ^= grain << 13
			grain ^= grain >> 17
			grain ^= grain << 5
			p := line[4*x : 4*x+4 : 4*x+4]
			// Light noise is the same in all colours, and there is some of each beside it.
			n := noise[grain&4095]
			p[0] = clamp(float32(p[0])*lit[x]*gains[0] + n + 0.4*noise[grain>>10&4095])
			p[1] = clamp(float32(p[1])*lit[x]*gains[1] + n)
			p[2] = clamp(float32(p[2])*lit[x]*gains[2] + n + 0.6*noise[grain>>20])
			p[3] = 255
		}
	}
	var b bytes.Buffer
	quality := int(93 - c.upTo(45))
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: quality}); err != nil {
		panic("photo: " + err.Error())
	}
	return b.Bytes()
}

// rowLight interpolates the light of row y.
func rowLight(lit []float32, light [][]float32, y int) {
	above, below := light[y/lightCell], light[y/lightCell+1]
	f := float32(y%lightCell) / lightCell
	for i := range len(above) - 1 {
		a := above[i]*(1-f) + below[i]*f
		step := (above[i+1]*(1-f) + below[i+1]*f - a) / lightCell
		for k := range lightCell {
			if x := i*lightCell + k; x < len(lit) {
				lit[x] = a + step*float32(k)
			}
		}
	}
}

// noise is a table of what the sensor adds.
func (c *camera) noise(sigma float64) [4096]float32 {
	var table [4096]float32
	for i := range table {
		table[i] = float32(c.rand.NormFloat64() * sigma)
	}
	return table
}

func clamp(v float32) uint8 {
	switch { // faster than min and max, which mind what is no number
	case v < 0:
		return 0
	case v > 255:
		return 255
	}
	return uint8(v)
}

// line draws the paper's part of row y.
func (o *object) line(line []uint8, y int) {
	if y < o.box.Min.Y || y >= o.box.Max.Y {
		return
	}
	bounds := o.print.Bounds()
	sx, sy := float64(bounds.Dx())/o.size[0], float64(bounds.Dy())/o.size[1]
	m := o.to
	row := [3]float64{m[1]*float64(y) + m[2], m[4]*float64(y) + m[5], m[7]*float64(y) + m[8]}
	for x := max(0, o.box.Min.X); x < min(len(line)/4, o.box.Max.X); x++ {
		w := 1 / (m[6]*float64(x) + row[2])
		u, v := (m[0]*float64(x)+row[0])*w, (m[3]*float64(x)+row[1])*w
		if u < 0 || u >= o.size[0] {
			continue
		}
		bent := o.curl[int(u/o.size[0]*float64(len(o.curl)))]
		v += float64(bent.shift)
		if v < 0 || v >= o.size[1] {
			continue
		}
		px, py := u*sx-0.5, v*sy-0.5
		ix, iy := min(max(0, int(px)), bounds.Dx()-2), min(max(0, int(py)), bounds.Dy()-2)
		fx, fy := float32(px-float64(ix)), float32(py-float64(iy))
		a := o.print.Pix[iy*o.print.Stride+4*ix:]
		b := o.print.Pix[(iy+1)*o.print.Stride+4*ix:]
		a, b = a[:8:8], b[:8:8]
		mix := func(k int) uint8 {
			top := float32(a[k])*(1-fx) + float32(a[4+k])*fx
			low := float32(b[k])*(1-fx) + float32(b[4+k])*fx
			return clamp((top*(1-fy) + low*fy) * bent.shade)
		}
		to := line[4*x : 4*x+3 : 4*x+3]
		to[0], to[1], to[2] = mix(0), mix(1), mix(2)
	}
}
