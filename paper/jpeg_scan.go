package paper

import (
	"encoding/binary"
	"errors"
)

// errData is a scan of a JPEG that ends too early, or has a code that stands for nothing.
var errData = errors.New("damaged picture data")

// quickBits is how many bits of the data are looked up at once: few codes are longer.
const quickBits = 10

// huffman are the codes of a table.
type huffman struct {
	// quick has by the next bits what a code says: its length, the size of the number
	// that follows, and how many coefficients are zero before it. 0: the code is longer.
	quick  [1 << quickBits]uint16
	limits [17]uint32 // by length: above the last code, as if it had 16 bits
	firsts [17]int32  // by length: what must be added to a code to find its value
	values []byte
}

// newHuffman makes the codes from how many there are of each length; not ok when they
// are not told apart, or say what a baseline JPEG does not.
func newHuffman(counts [16]byte, values []byte, dc bool) (h *huffman, ok bool) {
	h = &huffman{values: values}
	code, n := uint32(0), 0
	for length := 1; length <= 16; length++ {
		h.firsts[length] = int32(n) - int32(code)
		for range counts[length-1] {
			v := values[n]
			size, run := v&15, v>>4
			if dc && v > 11 || !dc && size == 0 && run != 0 && run != 15 {
				return nil, false
			}
			if length <= quickBits {
				shift := quickBits - length
				if (code+1)<<shift > 1<<quickBits {
					return nil, false
				}
				for i := range uint32(1) << shift {
					h.quick[code<<shift|i] = uint16(length) | uint16(v)<<8
				}
			}
			code++
			n++
		}
		if code > 1<<length {
			return nil, false
		}
		h.limits[length] = code << (16 - length)
		code <<= 1
	}
	return h, true
}

// scanBits are the data of a scan, read from the highest bit of each byte on.
type scanBits struct {
	data  []byte
	at    int    // of what is not in next yet
	next  uint64 // from the highest bit on
	n     int    // how many of them
	empty int    // how many of those are not in the data, which had ended
}

// fill takes bytes from the data until there are 32 bits or more. At a marker the data end.
func (b *scanBits) fill() {
	for b.n <= 32 {
		var v byte
		switch {
		case b.at >= len(b.data):
			b.empty += 8
		case b.data[b.at] != 0xff:
			v = b.data[b.at]
			b.at++
		case b.at+1 < len(b.data) && b.data[b.at+1] == 0:
			v = 0xff
			b.at += 2
		default:
			b.empty += 8
		}
		b.next |= uint64(v) << (56 - b.n)
		b.n += 8
	}
}

// restart goes on after the marker that must follow; so are the markers numbered.
func (b *scanBits) restart(number byte) bool {
	for at := b.at; at+1 < len(b.data); at++ {
		if b.data[at] == 0xff && b.data[at+1] != 0 && b.data[at+1] != 0xff {
			*b = scanBits{data: b.data, at: at + 2}
			return b.data[at+1] == 0xd0+number
		}
	}
	return false
}

// long finds a code that is longer than those that are looked up.
func (h *huffman) long(next uint64) (says uint16) {
	code := uint32(next >> 48)
	for length := quickBits + 1; length <= 16; length++ {
		if code < h.limits[length] {
			return uint16(length) | uint16(h.values[int32(code>>(16-length))+h.firsts[length]])<<8
		}
	}
	return 0
}

// coefficients are those of a block, 8 × 8, in rows.
type coefficients struct {
	v    [64]int32
	wide uint // columns, a bit each, of which a coefficient is not zero
	tall uint // those of which one below the first row is not
}

// zigzag is where the coefficients of a file stand in a block.
var zigzag = [64]uint8{
	0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
	35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
}

// block reads the coefficients of the next block; dc is the first one of the block before.
func (b *scanBits) block(c *component, dc *int32, to *coefficients) bool {
	*to = coefficients{}
	codes := c.dc
	next, n := b.next, b.n
	for k := 0; k < 64; k++ {
		if n < 32 { // a code of 16 bits and a number of 15
			if b.at+4 <= len(b.data) {
				v := binary.BigEndian.Uint32(b.data[b.at:])
				if (^v-0x01010101)&v&0x80808080 == 0 { // no byte is 0xff
					next |= uint64(v) << (32 - n)
					n += 32
					b.at += 4
				}
			}
			if n < 32 {
				b.next, b.n = next, n
				b.fill()
				next, n = b.next, b.n
			}
		}
		says := codes.quick[next>>(64-quickBits)]
		if says == 0 {
			if says = codes.long(next); says == 0 {
				return false
			}
		}
		length, size, run := says&31, says>>8&15, int(says>>12)
		next <<= length
		n -= int(length)
		if k > 0 && size == 0 {
			if run < 15 { // all that follow are zero
				break
			}
			k += 15
			continue
		}
		if k += run; k >= 64 {
			break
		}
		// A number whose highest bit is 0 is negative: it is that many below the least of its size.
		v := int32(next >> 1 >> (63 - size))
		v += int32(^(int64(next) >> 63)) & (1 - 1<<size)
		next <<= size
		n -= int(size)
		if k == 0 {
			*dc += v
			v = *dc
			codes = c.ac
		}
		at := zigzag[k]
		to.v[at] = v * c.quant[k]
		to.wide |= 1 << (at & 7)
		if at >= 8 {
			to.tall |= 1 << (at & 7)
		}
	}
	b.next, b.n = next, n
	return b.empty <= n
}

// The cosines of k·π/16, times √2, of so many bits.
const (
	cosineBits = 16
	cos1       = 90901
	cos2       = 85627
	cos3       = 77062
	cos5       = 51491
	cos6       = 35468
	cos7       = 18081
)

// even and odd are the two halves of an inverse cosine transform of eight: at k it is their sum, at 7 - k their difference.
func even(x0, x2, x4, x6 int) (y0, y1, y2, y3 int) {
	sum, difference := (x0+x4)<<cosineBits, (x0-x4)<<cosineBits
	a, b := cos2*x2+cos6*x6, cos6*x2-cos2*x6
	return sum + a, difference + b, difference - b, sum - a
}

func odd(x1, x3, x5, x7 int) (y0, y1, y2, y3 int) {
	return cos1*x1 + cos3*x3 + cos5*x5 + cos7*x7,
		cos3*x1 - cos7*x3 - cos1*x5 - cos5*x7,
		cos5*x1 - cos1*x3 + cos7*x5 + cos3*x7,
		cos7*x1 - cos5*x3 + cos3*x5 - cos1*x7
}

// store transforms the block to light, and puts it in its place.
func (b *coefficients) store(pix []uint8, stride int) {
	const (
		kept = 8 // bits below one, between the two transforms
		down = cosineBits + kept + 3
		mid  = 128<<down + 1<<(down-1)
	)
	if b.wide&^1 == 0 && b.tall == 0 {
		v := uint64(light((int(b.v[0])<<(cosineBits+kept)+mid)>>down)) * 0x0101010101010101
		for y := range 8 {
			binary.LittleEndian.PutUint64(pix[y*stride:], v)
		}
		return
	}
	var columns [8][8]int
	for x := range 8 {
		v, to := b.v[x:], &columns[x]
		switch {
		case b.tall>>x&1 == 1:
			e0, e1, e2, e3 := even(int(v[0]), int(v[16]), int(v[32]), int(v[48]))
			o0, o1, o2, o3 := odd(int(v[8]), int(v[24]), int(v[40]), int(v[56]))
			const by = cosineBits - kept
			to[0], to[7] = (e0+o0)>>by, (e0-o0)>>by
			to[1], to[6] = (e1+o1)>>by, (e1-o1)>>by
			to[2], to[5] = (e2+o2)>>by, (e2-o2)>>by
			to[3], to[4] = (e3+o3)>>by, (e3-o3)>>by
		case v[0] != 0:
			for y := range to {
				to[y] = int(v[0]) << kept
			}
		}
	}
	c := &columns
	for y := range 8 {
		e0, e1, e2, e3 := even(c[0][y]+mid>>cosineBits, c[2][y], c[4][y], c[6][y])
		o0, o1, o2, o3 := odd(c[1][y], c[3][y], c[5][y], c[7][y])
		to := pix[y*stride : y*stride+8 : y*stride+8]
		to[0], to[7] = light((e0+o0)>>down), light((e0-o0)>>down)
		to[1], to[6] = light((e1+o1)>>down), light((e1-o1)>>down)
		to[2], to[5] = light((e2+o2)>>down), light((e2-o2)>>down)
		to[3], to[4] = light((e3+o3)>>down), light((e3-o3)>>down)
	}
}

// light is a value that a byte holds.
func light(v int) uint8 {
	if uint(v) > 255 {
		return uint8(^v >> 63) // all ones where v is not negative
	}
	return uint8(v)
}
