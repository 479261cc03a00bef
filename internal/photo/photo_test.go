package photo

import (
	"bytes"
	"image"
	"testing"

	"tirage/game"
	"tirage/paper"
)

func layout(t *testing.T, code game.Code) *paper.Layout {
	t.Helper()
	b, err := game.Book(code)
	if err != nil {
		t.Fatal(err)
	}
	r, err := game.Parse(string(code), b)
	if err != nil {
		t.Fatal(err)
	}
	l, err := paper.NewLayout(r)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestJPEG: the same arguments give the same photo, another seed or difficulty another.
func TestJPEG(t *testing.T) {
	t.Parallel()
	l := layout(t, "ile-au-tresor")
	marks := make([]paper.Mark, len(l.Boxes))
	marks[3], marks[30] = paper.Marked, paper.Unsure
	first := JPEG(l, marks, 0.7, [32]byte{1})
	if !bytes.Equal(first, JPEG(l, marks, 0.7, [32]byte{1})) {
		t.Error("two photos of one seed differ")
	}
	if bytes.Equal(first, JPEG(l, marks, 0.7, [32]byte{2})) || bytes.Equal(first, JPEG(l, marks, 1, [32]byte{1})) {
		t.Error("two photos are the same")
	}
}

// TestSizes: photos are as large as those of phones, and every kind can be taken at the ends of difficulty.
func TestSizes(t *testing.T) {
	t.Parallel()
	l, other := layout(t, "amigo"), layout(t, "ile-au-tresor")
	for i, d := range []float64{0, 1.3} {
		seed := [32]byte{byte(i), 9}
		for kind, img := range map[string]image.Image{
			"slip": Take(l, nil, d, seed), "half": Half(l, nil, d, seed), "pair": Pair(l, nil, other, nil, d, seed),
			"page": Page(d, seed), "table": Table(d, seed), "code": WithCode(l, nil, "https://example.org", d, seed),
		} {
			if b := img.Bounds(); max(b.Dx(), b.Dy()) < 1200 || max(b.Dx(), b.Dy()) > 4000 {
				t.Errorf("%s at %v: %v", kind, d, b)
			}
		}
	}
}
