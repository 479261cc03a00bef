package paper

import (
	"bytes"
	"fmt"
	"image"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// TestReadScans reads the PDF of slips as another program renders it, at the
// resolutions of scanners, with marks drawn by other code than the photos have.
func TestReadScans(t *testing.T) {
	t.Parallel()
	for i, l := range []*Layout{testLayout(t, "ile-au-tresor"), testLayout(t, "amigo")} {
		pdf, err := l.PDF()
		if err != nil {
			t.Fatal(err)
		}
		for _, dpi := range []int{150, 300, 600} {
			t.Run(fmt.Sprintf("%s at %d dpi", l.Rules.Code, dpi), func(t *testing.T) {
				t.Parallel()
				base := filepath.Join(t.TempDir(), "slip")
				if err := os.WriteFile(base+".pdf", pdf, 0o600); err != nil {
					t.Fatal(err)
				}
				run(t, "pdftoppm", "-r", strconv.Itoa(dpi), "-gray", "-png", "-singlefile", base+".pdf", base)
				b, err := os.ReadFile(base + ".png")
				if err != nil {
					t.Fatal(err)
				}
				img, err := Decode(bytes.NewReader(b))
				if err != nil {
					t.Fatal(err)
				}
				snap, err := newSnap(img)
				if err != nil {
					t.Fatal(err)
				}
				page := &image.Gray{Pix: snap.luma.pix, Stride: snap.luma.stride, Rect: image.Rect(0, 0, snap.luma.w, snap.luma.h)}
				r := &raster{page.Rect.Dx(), page.Rect.Dy(), float64(dpi) / 25.4, make([]float64, len(page.Pix))}
				for i, v := range page.Pix {
					r.v[i] = float64(v) / 255
				}
				rnd := rand.New(rand.NewPCG(uint64(dpi), uint64(i)))
				truth := make([]Mark, len(l.Boxes))
				for i, box := range l.Boxes {
					truth[i] = Empty
					if rnd.IntN(5) == 0 {
						truth[i] = Marked
						r.hand(rnd, box.Rect, 0.35+0.3*rnd.Float64(), 0.2)
					}
				}
				for i, v := range r.v {
					page.Pix[i] = uint8(min(max(255*v+3*rnd.NormFloat64(), 0), 255))
				}
				reading, err := Read(page, booksOf(l))
				if err != nil {
					t.Fatal(err)
				}
				unsure := 0
				for i, m := range reading.Marks {
					if m == Unsure {
						unsure++
					} else if m != truth[i] {
						t.Errorf("box %d (%+v) is read as %v, and is %v; ink %.3f", i, l.Boxes[i], m, truth[i], reading.Ink[i])
					}
				}
				if unsure*50 > len(truth) {
					t.Errorf("%d of %d boxes unsure", unsure, len(truth))
				}
			})
		}
	}
}
