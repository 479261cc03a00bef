package paper

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// jpegData are the bits of a scan.
type jpegData struct {
	b    []byte
	next uint64
	n    int
}

func (d *jpegData) put(v uint32, n int) {
	d.next = d.next<<n | uint64(v&(1<<n-1))
	for d.n += n; d.n >= 8; d.n -= 8 {
		v := byte(d.next >> (d.n - 8))
		d.b = append(d.b, v)
		if v == 0xff {
			d.b = append(d.b, 0)
		}
	}
}

func (d *jpegData) marker(m byte) {
	if d.n > 0 {
		d.put(0xff, 8-d.n)
	}
	d.b = append(d.b, 0xff, m)
}

// flatCodes are codes of values: of 8 bits, and of 16 for all after so many.
type flatCodes struct {
	values []byte
	short  int
}

func (c flatCodes) table(class byte) []byte {
	counts := make([]byte, 16)
	counts[7], counts[15] = byte(c.short), byte(len(c.values)-c.short)
	return append(append([]byte{class << 4}, counts...), c.values...)
}

func (d *jpegData) code(c flatCodes, value byte) {
	i := bytes.IndexByte(c.values, value)
	if i < c.short {
		d.put(uint32(i), 8)
		return
	}
	d.put(uint32(c.short<<8+i-c.short), 16)
}

// number puts the bits that follow a code.
func (d *jpegData) number(v int) {
	size := sizeOf(v)
	if v < 0 {
		v--
	}
	d.put(uint32(v), int(size))
}

func sizeOf(v int) byte { return byte(bits.Len(uint(max(v, -v)))) }

// chanceJPEG is a JPEG of coefficients by chance, with luma so many times as fine as chroma, across and along; grey is 0, 0.
func chanceJPEG(rnd *rand.Rand, w, h, across, along, interval int) []byte {
	dc, ac := flatCodes{short: 7}, flatCodes{values: []byte{0, 0xf0}, short: 60}
	for v := range byte(12) {
		dc.values = append(dc.values, v)
	}
	for run := range byte(16) {
		for size := range byte(10) {
			ac.values = append(ac.values, run<<4|(size+1))
		}
	}
	frame := []byte{8, byte(h >> 8), byte(h), byte(w >> 8), byte(w), 1, 1, 0x11, 0}
	scan := []byte{1, 1, 0, 0, 63, 0}
	blocks := []int{1}
	if across > 0 {
		frame = append(frame[:5], 3, 1, byte(across<<4|along), 0, 2, 0x11, 0, 3, 0x11, 0)
		scan, blocks = []byte{3, 1, 0, 2, 0, 3, 0, 0, 63, 0}, []int{across * along, 1, 1}
	}
	across, along = max(across, 1), max(along, 1)
	quant := make([]byte, 65)
	for i := range quant[1:] {
		quant[1+i] = byte(1 + i/3)
	}
	d := jpegData{b: []byte("\xff\xd8")}
	for _, s := range [][]byte{segment(0xdb, quant...), segment(0xc4, dc.table(0)...), segment(0xc4, ac.table(1)...), segment(0xdd, byte(interval>>8), byte(interval)), segment(0xc0, frame...), segment(0xda, scan...)} {
		d.b = append(d.b, s...)
	}
	units := (w + 8*across - 1) / (8 * across) * ((h + 8*along - 1) / (8 * along))
	for unit := range units {
		if interval > 0 && unit > 0 && unit%interval == 0 {
			d.marker(byte(0xd0 + (unit/interval-1)%8))
		}
		for _, n := range blocks {
			for range n {
				d.block(rnd, dc, ac)
			}
		}
	}
	d.marker(0xd9)
	return d.b
}

// block puts a block by chance: none but the first coefficient, a few, or many.
func (d *jpegData) block(rnd *rand.Rand, dc, ac flatCodes) {
	v := rnd.IntN(400) - 200
	d.code(dc, sizeOf(v))
	d.number(v)
	zeros, last := 0, []int{0, 0, 3, 12, 63}[rnd.IntN(5)]
	for k := 1; k <= last; k++ {
		v := 0
		if rnd.IntN(3) == 0 {
			v = int(rnd.NormFloat64() * 30 / float64(k))
		}
		if v == 0 {
			zeros++
			continue
		}
		for ; zeros > 15; zeros -= 16 {
			d.code(ac, 0xf0)
		}
		d.code(ac, byte(zeros)<<4|sizeOf(v))
		d.number(v)
		zeros = 0
	}
	if last < 63 || zeros > 0 {
		d.code(ac, 0)
	}
}

// checkPixels wants an image as [image/jpeg] decodes it; the transforms round alike but for one in 255.
func checkPixels(t *testing.T, got, want image.Image) {
	t.Helper()
	if got.Bounds() != want.Bounds() || got.ColorModel() != want.ColorModel() {
		t.Fatalf("got %v %T, want %v %T", got.Bounds(), got, want.Bounds(), want)
	}
	planes := func(img image.Image, x, y int) [3]uint8 {
		switch c := img.At(x, y).(type) {
		case color.YCbCr:
			return [3]uint8{c.Y, c.Cb, c.Cr}
		case color.Gray:
			return [3]uint8{c.Y}
		}
		panic(fmt.Sprintf("%T", img))
	}
	for y := range want.Bounds().Dy() {
		for x := range want.Bounds().Dx() {
			g, w := planes(got, x, y), planes(want, x, y)
			for i := range g {
				if d := int(g[i]) - int(w[i]); d < -1 || d > 1 {
					t.Fatalf("at %d, %d: got %v, want %v", x, y, g, w)
				}
			}
		}
	}
}

// TestBaseline: what is decoded here is as image/jpeg decodes it, and what is cut is refused.
func TestBaseline(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(8, 8))
	for _, sampling := range [][2]int{{0, 0}, {1, 1}, {2, 1}, {1, 2}, {2, 2}} {
		for _, size := range [][2]int{{1, 1}, {16, 16}, {33, 17}, {90, 70}} {
			for _, interval := range []int{0, 1, 3} {
				file := chanceJPEG(rnd, size[0], size[1], sampling[0], sampling[1], interval)
				want, err := jpeg.Decode(bytes.NewReader(file))
				if err != nil {
					t.Fatal(err)
				}
				j, ok := parseBaseline(file)
				if !ok {
					t.Fatalf("%v %v: not taken for a baseline JPEG", sampling, size)
				}
				got, err := j.decode()
				if err != nil {
					t.Fatalf("%v %v, restarts by %d: %v", sampling, size, interval, err)
				}
				checkPixels(t, got, want)
				for n := range len(file) - 2 {
					if n%13 == 0 || n > len(file)-20 {
						checkCut(t, append(file[:n:n], 0xff, 0xd9))
					}
				}
			}
		}
	}
}

// checkCut wants a file refused where image/jpeg does.
func checkCut(t *testing.T, file []byte) {
	t.Helper()
	_, want := jpeg.Decode(bytes.NewReader(file))
	if _, err := Decode(bytes.NewReader(file)); (err == nil) != (want == nil) {
		t.Fatalf("%d bytes: got %v, image/jpeg says %v", len(file), err, want)
	}
}

// TestOtherJPEG: what is not as phones make it is left to image/jpeg.
func TestOtherJPEG(t *testing.T) {
	t.Parallel()
	file := chanceJPEG(rand.New(rand.NewPCG(9, 9)), 40, 30, 2, 2, 0)
	change := func(old, changed string) []byte {
		if !bytes.Contains(file, []byte(old)) {
			t.Fatalf("no %q", old)
		}
		return bytes.Replace(file, []byte(old), []byte(changed), 1)
	}
	adobe := func(transform byte) []byte {
		return append(append([]byte("\xff\xd8"), segment(0xee, append([]byte("Adobe\x00\x64\x00\x00\x00\x00"), transform)...)...), file[2:]...)
	}
	for name, c := range map[string]struct {
		file []byte
		ok   bool
	}{
		"baseline":               {file, true},
		"with a comment":         {append(append([]byte("\xff\xd8"), segment(0xfe, 'a', 'b')...), file[2:]...), true},
		"with fill bytes":        {change("\xff\xdb", "\xff\xff\xff\xdb"), true},
		"Y'CbCr by Adobe":        {adobe(1), true},
		"R, G, B by Adobe":       {adobe(0), false},
		"progressive":            {change("\xff\xc0", "\xff\xc2"), false},
		"12 bits":                {change("\xff\xc0\x00\x11\x08", "\xff\xc0\x00\x11\x0c"), false},
		"R, G, B":                {change("\x03\x01\x22\x00\x02\x11\x00\x03", "\x03\x52\x22\x00\x47\x11\x00\x42"), false},
		"chroma finer than luma": {change("\x01\x22\x00\x02\x11", "\x01\x11\x00\x02\x22"), false},
		"a table of 16 bits":     {change("\xff\xdb\x00\x43\x00", "\xff\xdb\x00\x43\x10"), false},
		"tables without end":     {append(append([]byte("\xff\xd8"), bytes.Repeat(segment(0xdb, make([]byte, 65)...), 20)...), file[2:]...), false},
		"no table":               {change("\xff\xdb", "\xff\xec"), false},
		"codes not told apart":   {change("\x07\x00\x00\x00\x00\x00\x00\x00\x05", "\x05\x00\x00\x00\x00\x00\x00\xff\x05"), false},
		"two components in scan": {change("\xff\xda\x00\x0c\x03", "\xff\xda\x00\x0c\x02"), false},
		"stray bytes":            {change("\xff\xdb", "ab\xff\xdb"), false},
		"a header alone":         {file[:20], false},
		"nothing":                {nil, false},
	} {
		if _, ok := parseBaseline(c.file); ok != c.ok {
			t.Errorf("%s: got %v, want %v", name, ok, c.ok)
		}
		checkCut(t, c.file)
	}
}
