package paper

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tirage/art"
	"tirage/game"
	"tirage/money"
)

// said are the texts of a slip, each with where it begins.
func said(l *Layout) []string {
	var all []string
	for _, x := range l.texts {
		all = append(all, x.s)
	}
	return all
}

// under is what is written within d mm below a rectangle, or in it, from the top.
func under(l *Layout, r Rect, d float64) string {
	var words []string
	for _, x := range l.texts {
		at := x.start()
		mid := at.X + textWidth(x.face, x.size, x.s)/2
		if at.Y > r.Y && at.Y < r.Y+r.H+d && mid > r.X && mid < r.X+r.W {
			words = append(words, x.s)
		}
	}
	return strings.Join(words, " ")
}

// TestIAT_2_3_1_Slip: each of the 21 places and 3 pirates has its own symbol on
// the slip, its name in letters under it, and the two matrices their names.
func TestIAT_2_3_1_Slip(t *testing.T) {
	t.Parallel()
	l := testLayout(t, "ile-au-tresor")
	symbols := map[string]Rect{}
	for _, d := range l.drawings {
		if _, twice := symbols[d.name]; twice {
			t.Errorf("%s is drawn twice", d.name)
		}
		symbols[d.name] = d.at
	}
	shapes := map[string]string{}
	n := 0
	for m, kind := range []string{"place-", "pirate-"} {
		for _, e := range l.Rules.Matrices[m].Elements {
			n++
			at, ok := symbols[kind+e.Key]
			if !ok {
				t.Errorf("%s has no symbol", e.Name.FR)
				continue
			}
			cell := Rect{at.X - 2, at.Y, 17.2, at.H}
			if m == 1 {
				cell = at
			}
			if got := under(l, cell, 5.5); got != e.Name.FR {
				t.Errorf("under the symbol of %q is written %q", e.Name.FR, got)
			}
			p := pictureOf(kind + e.Key)
			key := fmt.Sprint(p.shapes)
			if other, same := shapes[key]; same || len(p.shapes) < 5 {
				t.Errorf("%s has the symbol of %q, of %d shapes", e.Name.FR, other, len(p.shapes))
			}
			shapes[key] = e.Name.FR
		}
	}
	if n != 24 {
		t.Errorf("%d elements", n)
	}
	words := strings.Join(said(l), "\n")
	for _, want := range []string{"La Carte : cochez 7", "Les Pirates : cochez 1"} {
		if !strings.Contains(words, want) {
			t.Errorf("%q is not written", want)
		}
	}
	if _, ok := symbols["logo-ile-au-tresor"]; !ok {
		t.Error("no logo")
	}
}

// labels are what is written above the boxes of a kind.
func labels(l *Layout, kind FieldKind) []string {
	var all []string
	for _, b := range l.Boxes {
		if b.Field.Kind == kind {
			all = append(all, strings.ReplaceAll(under(l, Rect{b.X, b.Y - 1.6, b.W, 1.6}, 0), "\u00a0", " "))
		}
	}
	return all
}

// TestIAT_2_3_2_Slip: the slip has the map, the pirates, one combination, and boxes
// for each stake and number of draws; it says how to mark, and what the law asks.
func TestIAT_2_3_2_Slip(t *testing.T) {
	t.Parallel()
	l := testLayout(t, "ile-au-tresor")
	if l.Boards != 1 {
		t.Errorf("%d boards", l.Boards)
	}
	if diff := cmp.Diff([]string{"2 €", "4 €", "6 €", "8 €", "10 €", "20 €"}, labels(l, Stake)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"1", "2", "3", "4", "5", "6"}, labels(l, Draws)); diff != "" {
		t.Error(diff)
	}
	words := strings.Join(said(l), " ")
	for _, want := range []string{"croix", "Mise par tirage", "Nombre de tirages", "Système Flash", "18+", "interdits aux mineurs", "09 74 75 13 13", "n’est pas un reçu", "Règlement 2017"} {
		if !strings.Contains(words, want) {
			t.Errorf("%q is not written", want)
		}
	}
}

// TestAMI_3_1_3_Slip: a slip of Amigo carries several boards, each with 9 columns
// of 5 numbers that hold 5c−4 to 5c, the jackpot numbers and a quick pick; and
// stake and number of draws once.
func TestAMI_3_1_3_Slip(t *testing.T) {
	t.Parallel()
	l := testLayout(t, "amigo")
	if l.Boards != 4 {
		t.Errorf("%d boards", l.Boards)
	}
	columns := map[[3]int]float64{} // x by board, matrix, column
	perColumn := map[[3]int]int{}
	for i, label := range labels(l, Element) {
		b := l.Boxes[i+i/50] // a quick pick after each board
		if label != strconv.Itoa(b.Field.N) {
			t.Errorf("%v is labelled %q", b.Field, label)
		}
		key := [3]int{b.Field.Board, b.Field.Matrix, 0}
		if b.Field.Matrix == 0 {
			key[2] = l.Rules.Matrices[0].Column(b.Field.N)
		}
		if x, ok := columns[key]; ok && x != b.X {
			t.Errorf("%v is at %v, its column at %v", b.Field, b.X, x)
		}
		columns[key] = b.X
		perColumn[key]++
	}
	for key, n := range perColumn {
		if n != 5 {
			t.Errorf("column %v has %d numbers", key, n)
		}
	}
	if len(columns) != 4*10 {
		t.Errorf("%d columns", len(columns))
	}
	if diff := cmp.Diff([]string{"2 €", "4 €", "6 €", "8 €", "10 €"}, labels(l, Stake)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"1", "2", "5", "10", "20"}, labels(l, Draws)); diff != "" {
		t.Error(diff)
	}
	words := strings.Join(said(l), " ")
	for _, want := range []string{"Grille A", "Grille D", "Numéro Jackpot", "1 par colonne, ou plus (jeu multiple)"} {
		if !strings.Contains(words, want) {
			t.Errorf("%q is not written", want)
		}
	}
}

// TestLayoutGolden: slips that are printed stay readable only while nothing on them moves. A layout
// that changes is to be another version of the code's text.
func TestLayoutGolden(t *testing.T) {
	t.Parallel()
	for _, code := range []game.Code{"ile-au-tresor", "amigo"} {
		l := testLayout(t, code)
		var b bytes.Buffer
		fmt.Fprintf(&b, "%v × %v, marks %v, code %v\n", l.Width, l.Height, l.Marks, l.QR)
		for _, box := range l.Boxes {
			f := box.Field
			fmt.Fprintf(&b, "%s %d %d %d: %v %v %v %v\n", f.Kind, f.Board, f.Matrix, f.N, box.X, box.Y, box.W, box.H)
		}
		file := filepath.Join("testdata", "slip", string(code)+".txt")
		if *update {
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), b.String()); diff != "" {
			t.Errorf("%s: %s", code, diff)
		}
	}
}

// TestSlipPDF: the slip of every rule book is a page of A6 landscape, the same
// bytes each time, with its words as text; another program and ours read its code.
func TestSlipPDF(t *testing.T) {
	t.Parallel()
	for name, r := range books(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, err := NewLayout(r)
			if err != nil {
				t.Fatal(err)
			}
			pdf, err := l.PDF()
			if err != nil {
				t.Fatal(err)
			}
			again, err := NewLayout(r)
			if err != nil {
				t.Fatal(err)
			}
			if b, err := again.PDF(); err != nil || !bytes.Equal(pdf, b) {
				t.Errorf("two prints differ, %v", err)
			}
			file := filepath.Join(t.TempDir(), "slip.pdf")
			if err := os.WriteFile(file, pdf, 0o600); err != nil {
				t.Fatal(err)
			}
			base := strings.TrimSuffix(file, ".pdf")
			run(t, "pdftoppm", "-r", "200", "-png", "-singlefile", file, base)
			if got := strings.TrimSpace(run(t, "zbarimg", "-q", "--raw", base+".png")); got != SlipText(r) {
				t.Errorf("the code is read as %q, not %q", got, SlipText(r))
			}
			b, err := os.ReadFile(base + ".png")
			if err != nil {
				t.Fatal(err)
			}
			img, err := png.Decode(bytes.NewReader(b))
			if err != nil {
				t.Fatal(err)
			}
			if w, h := img.Bounds().Dx(), img.Bounds().Dy(); w != 1166 || h != 827 { // 148 × 105 mm
				t.Errorf("the page has %d × %d dots", w, h)
			}
			if got, err := ReadCode(img); got != SlipText(r) {
				t.Errorf("we read the code as %q, %v", got, err)
			}
			text := strings.Join(strings.Fields(run(t, "pdftotext", "-raw", file, "-")), " ")
			for _, s := range said(l) {
				if !strings.Contains(text, strings.Join(strings.Fields(s), " ")) {
					t.Errorf("the PDF does not say %q", s)
				}
			}
			samePicture(t, img, l.Image(200))
		})
	}
}

// samePicture: our picture of a slip is that of the PDF, but for how dots at edges are shaded.
func samePicture(t *testing.T, pdf image.Image, ours *image.RGBA) {
	t.Helper()
	if b := ours.Bounds(); math.Abs(float64(b.Dx()-pdf.Bounds().Dx())) > 1 || math.Abs(float64(b.Dy()-pdf.Bounds().Dy())) > 1 {
		t.Fatalf("the PDF is %v, the picture %v", pdf.Bounds(), b)
	}
	// Means of cells of 1 mm hide the edges.
	const cell = 8
	apart := 0
	for y := 0; y+cell <= 826; y += cell {
		for x := 0; x+cell <= 1164; x += cell {
			var a, b float64
			for k := range cell * cell {
				a += grey(pdf.At(x+k%cell, y+k/cell))
				b += grey(ours.At(x+k%cell, y+k/cell))
			}
			if math.Abs(a-b)/(cell*cell) > 0.12 {
				apart++
			}
		}
	}
	if apart > 15 {
		t.Errorf("%d cells of 1 mm differ between PDF and picture", apart)
	}
}

func grey(c color.Color) float64 {
	return float64(color.GrayModel.Convert(c).(color.Gray).Y) / 255
}

// TestDropOut: what is printed in and about boxes is never taken for ink, in grey
// nor in any of the colours: boxes are white inside, their outlines light, and
// of what is dark there are only text, marks and code.
func TestDropOut(t *testing.T) {
	t.Parallel()
	for _, code := range []game.Code{"ile-au-tresor", "amigo"} {
		l := testLayout(t, code)
		shapes, err := l.scene()
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range shapes {
			if s.fill == ink || s.fill == (color.RGBA{0, 0, 0, 255}) {
				lo, hi := bounds(s.contours)
				for _, b := range l.Boxes {
					if overlap(Rect{lo.X, lo.Y, hi.X - lo.X, hi.Y - lo.Y}, b.inset(-1)) {
						t.Errorf("ink from %v to %v is at the box of %v", lo, hi, b.Field)
					}
				}
			} else if g := grey(s.fill); g < 0.5 {
				t.Errorf("a drawing has the grey %.2f", g)
			}
		}
		if g := grey(outline); g < 0.75 || outline.B < 140 {
			t.Errorf("outlines have the grey %.2f", g)
		}
		img := l.Image(300)
		const dots = 300 / 25.4
		for _, b := range l.Boxes {
			in := b.inset(OutlineWidth/2 + 0.1)
			for y := int(in.Y*dots) + 1; y < int((in.Y+in.H)*dots); y++ {
				for x := int(in.X*dots) + 1; x < int((in.X+in.W)*dots); x++ {
					if img.RGBAAt(x, y) != paperWhite {
						t.Fatalf("in the box of %v is %v", b.Field, img.RGBAAt(x, y))
					}
				}
			}
		}
	}
}

// TestCoast: the coast, which is drawn alone on slips, is that of the island.
func TestCoast(t *testing.T) {
	t.Parallel()
	coast, err := art.Files.ReadFile("coast.svg")
	if err != nil {
		t.Fatal(err)
	}
	island, err := art.Files.ReadFile("island.svg")
	if err != nil {
		t.Fatal(err)
	}
	path := coast[bytes.Index(coast, []byte(`d="`)):bytes.LastIndex(coast, []byte(`"/>`))]
	if !bytes.Contains(island, path) {
		t.Error("it is not")
	}
}

// made is a rule book with so many of everything, as far as a layout asks.
func made(counts []byte, columns bool, boards, stakes, draws byte, names string) *game.Rules {
	r := &game.Rules{Code: "made", Version: "1", Name: game.Text{FR: names}, Currency: "EUR", BoardsMax: max(1, int(boards)%101)}
	for i, n := range counts {
		m := game.Matrix{Key: "m" + strconv.Itoa(i), Name: game.Text{FR: names}, Pick: 1}
		for e := range max(1, int(n)%129) {
			s := strconv.Itoa(e + 1)
			if i%3 == 2 {
				s = names + s
			}
			m.Elements = append(m.Elements, game.Element{Key: s, Name: game.Text{FR: s}})
		}
		if size := len(m.Elements); columns && i == 0 && size%5 == 0 {
			m.Columns, m.Pick = size/5, size/5
		}
		r.Matrices = append(r.Matrices, m)
	}
	for i := range max(1, int(stakes)%65) {
		r.Stakes = append(r.Stakes, money.Amount(50*(i+1)))
	}
	for i := range max(1, int(draws)%65) {
		r.DrawCounts = append(r.DrawCounts, i+1)
	}
	return r
}

// FuzzLayout: any rule book has a slip on which all boxes are apart, or is refused with what has no room.
func FuzzLayout(f *testing.F) {
	f.Add([]byte{45, 5}, true, byte(5), byte(5), byte(5), "Numéros")
	f.Add([]byte{80}, false, byte(1), byte(4), byte(3), "Keno à dix numéros")
	f.Add([]byte{10, 10, 10, 10}, false, byte(100), byte(1), byte(1), "Chiffre")
	f.Add([]byte{128}, false, byte(1), byte(64), byte(64), "")
	f.Add([]byte{12, 3, 9}, false, byte(2), byte(6), byte(6), "Les fruits de la passion")
	f.Add([]byte{49}, false, byte(9), byte(1), byte(3), "数字")
	f.Add([]byte(" "), false, byte('A'), byte('\v'), byte('C'), "0")
	f.Fuzz(func(t *testing.T, counts []byte, columns bool, boards, stakes, draws byte, names string) {
		if len(counts) == 0 || len(counts) > 8 || len(names) > 60 {
			return
		}
		r := made(counts, columns, boards, stakes, draws, names)
		l, err := NewLayout(r)
		switch {
		case err == nil:
			checkLayout(t, l)
		case !errors.Is(err, ErrLayout) || len(err.Error()) < len(ErrLayout.Error())+12:
			t.Errorf("refused with %q", err)
		}
	})
}
