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

// TestProgressive: a JPEG that keeps all its coefficients is known by its header.
func TestProgressive(t *testing.T) {
	t.Parallel()
	start := "\xff\xd8\xff\xe0\x00\x04ab"
	for file, want := range map[string]bool{
		start + "\xff\xc2\x00\x04cd": true, start + "\xff\xff\xc2\x00\x04cd": true,
		start + "\xff\xc0\x00\x04cd\xff\xc2\x00\x04": false, start: false, "": false, start + "\xff\xe1\x00\x00" + strings.Repeat("a", 9): false,
	} {
		if got := progressive([]byte(file)); got != want {
			t.Errorf("%q: got %v, want %v", file, got, want)
		}
	}
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
