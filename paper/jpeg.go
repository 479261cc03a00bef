package paper

import (
	"bytes"
	"image"
)

// A baseline is a JPEG as phones and scanners make them (ITU-T T.81): 8 bits, Huffman codes,
// grey or Y'CbCr, one scan of all components. [image/jpeg] takes most of the time of
// reading a slip for such; all others are left to it.
type baseline struct {
	w, h       int
	components []component
	quants     [4]*[64]int32  // in the order of the file
	codes      [2][2]*huffman // DC and AC, two of each
	tables     int            // of both kinds, so far
	interval   int            // units between restarts; 0: none
	data       []byte         // of the scan, and what follows
}

// A component is Y', Cb or Cr.
type component struct {
	id     byte
	h, v   int // blocks in a unit, across and along
	table  byte
	quant  *[64]int32
	dc, ac *huffman
	pix    []uint8
	stride int
}

// tablesMax is how many tables a file may have: encoders make 4 to 8, and each takes its time.
const tablesMax = 16

// parseBaseline reads what stands before the scan; not ok of any other JPEG, and of what is damaged.
func parseBaseline(b []byte) (j baseline, ok bool) {
	if len(b) < 2 || b[0] != 0xff || b[1] != 0xd8 {
		return j, false
	}
	for b = b[2:]; len(b) >= 4 && b[0] == 0xff; {
		if b[1] == 0xff { // a fill byte
			b = b[1:]
			continue
		}
		marker, n := b[1], 2+int(b[2])<<8+int(b[3])
		if n < 4 || n > len(b) {
			return j, false
		}
		content := b[4:n]
		b = b[n:]
		switch marker {
		case 0xdb:
			ok = j.quantTables(content)
		case 0xc4:
			ok = j.codeTables(content)
		case 0xc0:
			ok = j.frame(content)
		case 0xdd:
			ok = len(content) == 2
			if ok {
				j.interval = int(content[0])<<8 + int(content[1])
			}
		case 0xda:
			j.data = b
			return j, j.scan(content)
		case 0xee: // Adobe's says how colours are kept: 1 is Y'CbCr
			ok = !bytes.HasPrefix(content, []byte("Adobe")) || len(content) >= 12 && content[11] == 1
		default:
			ok = 0xe0 <= marker && marker <= 0xef || marker == 0xfe
		}
		if !ok {
			return j, false
		}
	}
	return j, false
}

func (j *baseline) quantTables(b []byte) bool {
	for ; len(b) >= 65; b = b[65:] {
		if j.tables++; b[0] > 3 || j.tables > tablesMax { // of 16 bits, or no table's number
			return false
		}
		q := new([64]int32)
		for i := range q {
			q[i] = int32(b[1+i])
		}
		j.quants[b[0]] = q
	}
	return len(b) == 0
}

func (j *baseline) codeTables(b []byte) bool {
	for len(b) >= 17 {
		class, number := b[0]>>4, b[0]&15
		n := 0
		for _, c := range b[1:17] {
			n += int(c)
		}
		if j.tables++; class > 1 || number > 1 || n == 0 || n > 256 || 17+n > len(b) || j.tables > tablesMax {
			return false
		}
		h, ok := newHuffman([16]byte(b[1:17]), b[17:17+n], class == 0)
		if !ok {
			return false
		}
		j.codes[class][number] = h
		b = b[17+n:]
	}
	return len(b) == 0
}

// frame reads the size, and how the components are sampled: chroma as finely as luma, or half so.
func (j *baseline) frame(b []byte) bool {
	if len(b) < 6 || b[0] != 8 || j.components != nil {
		return false
	}
	j.h, j.w = int(b[1])<<8+int(b[2]), int(b[3])<<8+int(b[4])
	n := int(b[5])
	if j.w == 0 || j.h == 0 || n != 1 && n != 3 || len(b) != 6+3*n {
		return false
	}
	for i := range n {
		c := b[6+3*i : 9+3*i]
		h, v := int(c[1]>>4), int(c[1]&15)
		switch {
		case c[2] > 3:
			return false
		case n == 1:
			h, v = 1, 1
		case i == 0 && (h != 1 && h != 2 || v != 1 && v != 2), i > 0 && (h != 1 || v != 1):
			return false
		}
		j.components = append(j.components, component{id: c[0], h: h, v: v, table: c[2]})
	}
	return n == 1 || j.components[0].id == 1 && j.components[1].id == 2 && j.components[2].id == 3 // not R, G, B
}

// scan finds the tables of the components.
func (j *baseline) scan(b []byte) bool {
	n := len(j.components)
	if n == 0 || len(b) != 4+2*n || int(b[0]) != n {
		return false
	}
	for i := range j.components {
		c := &j.components[i]
		id, dc, ac := b[1+2*i], b[2+2*i]>>4, b[2+2*i]&15
		if id != c.id || dc > 1 || ac > 1 {
			return false
		}
		c.quant, c.dc, c.ac = j.quants[c.table], j.codes[0][dc], j.codes[1][ac]
		if c.quant == nil || c.dc == nil || c.ac == nil {
			return false
		}
	}
	return true
}

// image makes room for the pixels, in whole units.
func (j *baseline) image(across, along int) image.Image {
	y := &j.components[0]
	whole, part := image.Rect(0, 0, 8*y.h*across, 8*y.v*along), image.Rect(0, 0, j.w, j.h)
	if len(j.components) == 1 {
		m := image.NewGray(whole)
		y.pix, y.stride = m.Pix, m.Stride
		return m.SubImage(part)
	}
	ratio := map[[2]int]image.YCbCrSubsampleRatio{
		{1, 1}: image.YCbCrSubsampleRatio444, {2, 1}: image.YCbCrSubsampleRatio422,
		{1, 2}: image.YCbCrSubsampleRatio440, {2, 2}: image.YCbCrSubsampleRatio420,
	}[[2]int{y.h, y.v}]
	m := image.NewYCbCr(whole, ratio)
	y.pix, y.stride = m.Y, m.YStride
	j.components[1].pix, j.components[1].stride = m.Cb, m.CStride
	j.components[2].pix, j.components[2].stride = m.Cr, m.CStride
	return m.SubImage(part)
}

// decode decodes the scan.
func (j *baseline) decode() (image.Image, error) {
	y := j.components[0]
	across, along := (j.w+8*y.h-1)/(8*y.h), (j.h+8*y.v-1)/(8*y.v)
	img := j.image(across, along)
	in := scanBits{data: j.data}
	var dc [3]int32
	var b coefficients
	for unit := range across * along {
		if j.interval > 0 && unit > 0 && unit%j.interval == 0 {
			if !in.restart(byte(unit/j.interval-1) & 7) {
				return nil, errData
			}
			dc = [3]int32{}
		}
		ux, uy := unit%across, unit/across
		for i := range j.components {
			c := &j.components[i]
			for k := range c.h * c.v {
				if !in.block(c, &dc[i], &b) {
					return nil, errData
				}
				b.store(c.pix[8*((uy*c.v+k/c.h)*c.stride+ux*c.h+k%c.h):], c.stride)
			}
		}
	}
	return img, nil
}
