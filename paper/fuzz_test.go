package paper

import (
	"bytes"
	"errors"
	"image"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"testing"

	"tirage/game"
)

// FuzzDecode: any file is a picture, or refused with a reason, and that only where image/jpeg does.
func FuzzDecode(f *testing.F) {
	page := drawSlip(f, testLayout(f, "ile-au-tresor"), 0.8, 0.86)
	img := image.NewGray(image.Rect(0, 0, page.w, page.h))
	for i, v := range page.v {
		img.Pix[i] = uint8(255 * v)
	}
	var asPNG, asJPEG bytes.Buffer
	if err := errors.Join(png.Encode(&asPNG, img), jpeg.Encode(&asJPEG, img, &jpeg.Options{Quality: 50})); err != nil {
		f.Fatal(err)
	}
	f.Add(asPNG.Bytes())
	f.Add(asJPEG.Bytes())
	f.Add(bomb(40_000, 40_000, 8, 2))
	f.Add([]byte("\xff\xd8\xff\xc2\x00\x04"))
	for i, sampling := range [][2]int{{0, 0}, {2, 1}, {2, 2}} {
		f.Add(chanceJPEG(rand.New(rand.NewPCG(uint64(i), 1)), 40, 30, sampling[0], sampling[1], i))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 1<<16 {
			return // decoded in time, but not for a fuzzer
		}
		img, err := Decode(bytes.NewReader(b))
		if (img == nil) != (err != nil) || err != nil && !errors.Is(err, ErrImage) && !errors.Is(err, ErrImageSize) {
			t.Fatal(img != nil, err)
		}
		if img, other := jpeg.Decode(bytes.NewReader(b)); other == nil && !img.Bounds().Empty() && errors.Is(err, ErrImage) {
			t.Fatal("image/jpeg decodes it, and here:", err)
		}
	})
}

// FuzzRead: any pixels are read, or refused with a reason.
func FuzzRead(f *testing.F) {
	l := testLayout(f, "ile-au-tresor")
	page := drawSlip(f, l, 0.8, 0.86) // 118 × 84 pixels: what is larger is too slow to be tried often
	pix := make([]byte, len(page.v))
	for i, v := range page.v {
		pix[i] = uint8(255 * v)
	}
	f.Add(uint16(page.w), pix)
	f.Add(uint16(40), bytes.Repeat([]byte{0, 255, 255}, 900))
	f.Fuzz(func(t *testing.T, width uint16, pix []byte) {
		w := max(int(width), 1)
		if len(pix) < w || len(pix) > 1<<15 {
			return
		}
		checkRead(t, &image.Gray{Pix: pix[:len(pix)/w*w], Stride: w, Rect: image.Rect(0, 0, w, len(pix)/w)}, l)
	})
}

// checkRead checks what reading promises of any picture.
func checkRead(t *testing.T, img image.Image, l *Layout) {
	t.Helper()
	reading, err := Read(img, booksOf(l))
	if err != nil {
		for _, known := range []error{ErrImage, ErrNoSlip, ErrHalfSlip, ErrSeveralSlips, ErrOtherPage, ErrNotFlat, ErrUnknownSlip, ErrStrangeCode} {
			if errors.Is(err, known) {
				return
			}
		}
		t.Fatal(err)
	}
	for i, m := range reading.Marks {
		if m != Empty && m != Marked && m != Unsure || !(reading.Ink[i] >= 0 && reading.Ink[i] <= 1) {
			t.Errorf("box %d: %v, ink %v", i, m, reading.Ink[i])
		}
	}
	slip, asked, err := reading.Slip(nil)
	if err == nil && asked == nil && slip.Game != l.Rules.Code {
		t.Errorf("slip of %q", slip.Game)
	}
	if _, err := ReadCode(img); err != nil && !errors.Is(err, ErrNoCode) {
		t.Error(err)
	}
}

// FuzzReadCode: any modules are decoded, or none.
func FuzzReadCode(f *testing.F) {
	f.Add(uint8(0), []byte{})
	f.Add(uint8(3), bytes.Repeat([]byte{0xa5, 0x3c}, 60))
	f.Fuzz(func(t *testing.T, version uint8, bits []byte) {
		size := 21 + 4*(int(version)%40)
		modules := make([][]bool, size)
		for row := range modules {
			modules[row] = make([]bool, size)
			for col := range modules[row] {
				i := row*size + col
				modules[row][col] = len(bits) > 0 && bits[i/8%len(bits)]>>(i%8)&1 == 1
			}
		}
		for _, m := range knownModules(size) {
			modules[int(m.row)][int(m.col)] = m.dark
		}
		text, ok := decodeModules(modules)
		if !ok && text != "" {
			t.Errorf("not decoded, and says %q", text)
		}
		if code, _, err := ParseSlipText(text); err == nil && code == game.Code("") {
			t.Errorf("a slip of no game: %q", text)
		}
	})
}
