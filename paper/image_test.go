package paper

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"
)

// bomb is a PNG whose header states a size, and that has no pixels.
func bomb(width, height uint32, depth, colour byte) []byte {
	head := []byte("IHDR")
	head = binary.BigEndian.AppendUint32(head, width)
	head = binary.BigEndian.AppendUint32(head, height)
	head = append(head, depth, colour, 0, 0, 0)
	b := append([]byte("\x89PNG\r\n\x1a\n"), 0, 0, 0, 13)
	b = append(b, head...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(head))
}

func TestDecode(t *testing.T) {
	t.Parallel()
	small := image.NewGray(image.Rect(0, 0, 40, 30))
	var asPNG, asJPEG bytes.Buffer
	if err := errors.Join(png.Encode(&asPNG, small), jpeg.Encode(&asJPEG, small, nil)); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		file []byte
		want error
	}{
		"PNG":                    {asPNG.Bytes(), nil},
		"JPEG":                   {asJPEG.Bytes(), nil},
		"nothing":                {nil, ErrImage},
		"text":                   {[]byte("not a picture"), ErrImage},
		"GIF":                    {[]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00;"), ErrImage},
		"half of a PNG":          {asPNG.Bytes()[:asPNG.Len()/2], ErrImage},
		"half of a JPEG":         {asJPEG.Bytes()[:asJPEG.Len()/2], ErrImage},
		"a header alone":         {bomb(40, 30, 8, 2), ErrImage},
		"50 million and more":    {bomb(8000, 6251, 8, 0), ErrImageSize},
		"a bomb":                 {bomb(40_000, 40_000, 8, 2), ErrImageSize},
		"no size at all":         {bomb(1<<31-1, 1<<31-1, 8, 2), ErrImage},
		"a long line":            {bomb(1_000_000, 1, 8, 2), ErrImageSize},
		"16 bits a colour":       {bomb(6000, 5000, 16, 6), ErrImageSize},
		"more than 20 megabytes": {append(asPNG.Bytes(), make([]byte, ImageBytesMax)...), ErrImageSize},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			img, err := Decode(bytes.NewReader(c.file))
			if !errors.Is(err, c.want) || (err == nil) != (img != nil) {
				t.Errorf("got %v, %v, want %v", img != nil, err, c.want)
			}
		})
	}
}

// segment is a segment of a JPEG.
func segment(marker byte, content ...byte) []byte {
	n := len(content) + 2
	return append([]byte{0xff, marker, byte(n >> 8), byte(n)}, content...)
}

// frameOf is the segment of a JPEG that states its size: 0xc0 baseline, 0xc2 progressive.
func frameOf(marker byte, width, height, components int) []byte {
	c := []byte{8, byte(height >> 8), byte(height), byte(width >> 8), byte(width), byte(components)}
	for i := range components {
		c = append(c, byte(i+1), 0x11, 0)
	}
	return segment(marker, c...)
}

// TestScansOf: the walk over a JPEG's segments sees what its decoder would, whatever stands between them.
func TestScansOf(t *testing.T) {
	t.Parallel()
	const start = "\xff\xd8\xff\xe0\x00\x04ab"
	scan := string(segment(0xda, 1, 1, 0, 0, 63, 0)) + "data\xff\x00data\xff\xd3data"
	for name, c := range map[string]struct {
		file        string
		scans       int64
		progressive bool
		ended       bool
	}{
		"nothing":                        {"", 0, false, false},
		"no frame":                       {start, 0, false, false},
		"progressive":                    {start + "\xff\xc2\x00\x04cd", 0, true, false},
		"after fill bytes":               {start + "\xff\xff\xff\xc2\x00\x04cd", 0, true, false},
		"after what is no segment":       {start + "\x00\x01\xff\x00ab\xff\xc2\x00\x04cd", 0, true, false},
		"baseline":                       {start + "\xff\xc0\x00\x04cd" + scan + "\xff\xd9", 1, false, true},
		"three scans":                    {start + "\xff\xc2\x00\x04cd" + scan + scan + scan, 3, true, false},
		"scans after a picture's end":    {start + scan + "\xff\xd9" + scan + scan, 1, false, true},
		"scans of a picture within":      {start + string(segment(0xe1, []byte(scan+scan+scan)...)) + scan, 1, false, false},
		"a length beyond the end":        {start + "\xff\xe1\xff\xff" + scan, 0, false, false},
		"cut in a marker":                {start + scan + "\xff", 1, false, false},
		"a segment of no length is over": {start + "\xff\xe1\x00\x00" + strings.Repeat("a", 9), 0, false, false},
	} {
		if scans, progressive, ended := scansOf([]byte(c.file)); scans != c.scans || progressive != c.progressive || ended != c.ended {
			t.Errorf("%s: got %d scans, progressive %v, ended %v, want %d, %v, %v", name, scans, progressive, ended, c.scans, c.progressive, c.ended)
		}
	}
}

// TestDecodeScans: a JPEG that is refused for how many scans it has, or for the
// coefficients that it would keep, is refused before any of them is read.
func TestDecodeScans(t *testing.T) {
	t.Parallel()
	file := func(frame byte, width, height, components, scans int, between string) []byte {
		b := []byte("\xff\xd8" + between)
		b = append(b, segment(0xdb, make([]byte, 65)...)...)
		b = append(b, frameOf(frame, width, height, components)...)
		table := append([]byte{0, 1}, make([]byte, 16)...) // one code, for nothing
		b = append(b, segment(0xc4, table...)...)
		for range scans {
			b = append(b, segment(0xda, 1, 1, 0, 0, 0, 0)...)
		}
		return append(b, 0xff, 0xd9)
	}
	for name, c := range map[string]struct {
		file []byte
		want error
	}{
		"a bomb of 65 scans":                 {file(0xc2, 64, 64, 1, 65, ""), ErrImageSize},
		"60 scans of 16 million pixels":      {file(0xc2, 4096, 4096, 3, 60, ""), ErrImageSize},
		"60 scans of few pixels":             {file(0xc2, 640, 480, 3, 60, ""), ErrImage}, // there are no data
		"grey, progressive":                  {file(0xc2, 7000, 7000, 1, 1, ""), ErrImageSize},
		"grey, progressive, hidden":          {file(0xc2, 7000, 7000, 1, 1, "\x00\x00"), ErrImageSize},
		"colours, progressive":               {file(0xc2, 4000, 4000, 3, 1, ""), ErrImageSize},
		"four inks, progressive":             {file(0xc2, 3000, 3000, 4, 1, ""), ErrImageSize},
		"12 million pixels, progressive":     {file(0xc2, 4000, 3000, 3, 1, ""), ErrImage},
		"50 million pixels, in one scan":     {file(0xc0, 7000, 7000, 3, 1, ""), ErrImage},
		"50 million pixels of four inks":     {file(0xc0, 7000, 7000, 4, 1, ""), ErrImageSize},
		"50 million transparent pixels":      {bomb(7200, 6900, 8, 6), ErrImageSize},
		"30 million pixels, in seven passes": {interlaced(bomb(6000, 5000, 8, 2)), ErrImageSize},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			img, err := Decode(bytes.NewReader(c.file))
			if !errors.Is(err, c.want) || img != nil {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
}

// interlaced says in a PNG's header that its pixels come in passes.
func interlaced(b []byte) []byte {
	const end = 8 + 8 + 13
	b[end-1] = 1
	binary.BigEndian.PutUint32(b[end:], crc32.ChecksumIEEE(b[12:end]))
	return b
}

// TestReadColourModels: the same slip, whatever the picture's pixels are.
func TestReadColourModels(t *testing.T) {
	t.Parallel()
	l := testLayout(t, "ile-au-tresor")
	page := drawSlip(t, l, 8, 0.86)
	page.line(Point{l.Boxes[0].X, l.Boxes[0].Y}, Point{l.Boxes[0].X + 5, l.Boxes[0].Y + 4}, 0.5, 0.2)
	r := image.Rect(-30, 17, -30+page.w, 17+page.h) // pixels may begin anywhere
	clear := image.NewNRGBA(r)                      // ink on nothing
	grey, deep, few := image.NewGray(r), image.NewGray16(r), image.NewPaletted(r, color.Palette{color.Black, color.Gray{128}, color.Gray{215}, color.White})
	for i, v := range page.v {
		x, y := r.Min.X+i%page.w, r.Min.Y+i/page.w
		c := color.Gray{uint8(255 * v)}
		grey.SetGray(x, y, c)
		deep.Set(x, y, c)
		few.Set(x, y, c)
		clear.SetNRGBA(x, y, color.NRGBA{0, 0, 0, 255 - c.Y})
	}
	for name, img := range map[string]image.Image{"grey": grey, "16 bits": deep, "palette": few, "transparent": clear} {
		reading, err := Read(img, booksOf(l))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i, m := range reading.Marks {
			if want := map[bool]Mark{true: Marked, false: Empty}[i == 0]; m != want {
				t.Errorf("%s: box %d is %v, want %v", name, i, m, want)
			}
		}
	}
}
