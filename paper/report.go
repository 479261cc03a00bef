package paper

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
)

// Report is an account to print: what an outlet did on a day, in a shift or in
// a week, or a statement (relevé). Its texts are written by who makes it.
type Report struct {
	Title   string
	Head    [][2]string // names and values
	Columns []string    // the first names a row
	Rows    [][]string
	Sums    [][2]string // the last is what matters
	Lang    string
	At      time.Time // when it was made: its bytes depend on it and on nothing else around it
}

// RollPDF is the report on a roll of 80 mm, as long as it needs: each row is a
// name with the columns under it.
func (r Report) RollPDF() ([]byte, error) {
	lines := 3 + len(r.Head) + len(r.Sums) + len(r.Rows)*(len(r.Columns)+1)
	const step = 5.2
	f := r.begin(paperWidth, float64(lines)*step+4*step)
	y := 8.0
	line := func(font string, size float64, name, value string) {
		f.SetFont(font, "", size)
		f.Text(paperMargin, y, plain(name))
		f.Text(paperWidth-paperMargin-f.GetStringWidth(plain(value)), y, plain(value))
		y += step
	}
	line(faces[boldFace].name, 12, r.Title, "")
	for _, h := range r.Head {
		line(faces[plainFace].name, 9, h[0], h[1])
	}
	for _, row := range r.Rows {
		y += step / 3
		line(faces[boldFace].name, 9.5, row[0], "")
		for i, v := range row[1:] {
			line(faces[plainFace].name, 9, r.Columns[i+1], v)
		}
	}
	y += step / 3
	for i, s := range r.Sums {
		if i == len(r.Sums)-1 {
			line(faces[boldFace].name, 11, s[0], s[1])
			continue
		}
		line(faces[plainFace].name, 9, s[0], s[1])
	}
	return r.end(f)
}

// A4 is the report on sheets of A4, upright.
func (r Report) A4() ([]byte, error) {
	const left, right, top, bottom, step = 18.0, 192.0, 22.0, 280.0, 7.0
	f := r.begin(210, 297)
	y := top
	next := func() {
		if y += step; y > bottom {
			f.AddPage()
			y = top
		}
	}
	put := func(font string, size, x float64, end bool, text string) {
		f.SetFont(font, "", size)
		if end {
			x -= f.GetStringWidth(plain(text))
		}
		f.Text(x, y, plain(text))
	}
	put(faces[boldFace].name, 18, left, false, r.Title)
	next()
	for _, h := range r.Head {
		next()
		put(faces[plainFace].name, 11, left, false, h[0])
		put(faces[boldFace].name, 11, left+55, false, h[1])
	}
	next()
	if width := (right - left - 40) / float64(max(1, len(r.Columns)-1)); len(r.Rows) > 0 {
		for i, row := range append([][]string{r.Columns}, r.Rows...) {
			next()
			font := faces[plainFace].name
			if i == 0 {
				font = faces[boldFace].name
			}
			for n, v := range row {
				put(font, 9.5, left+float64(min(n, 1))*40+float64(n)*width, n > 0, v)
			}
			f.Line(left, y+2, right, y+2)
		}
	}
	next()
	for i, s := range r.Sums {
		next()
		font := faces[plainFace].name
		if i == len(r.Sums)-1 {
			font = faces[boldFace].name
		}
		put(font, 11.5, left, false, s[0])
		put(font, 11.5, right, true, s[1])
	}
	return r.end(f)
}

// plain writes the narrow space between thousands, which the fonts do not have, as one that they have.
func plain(text string) string { return strings.ReplaceAll(text, "\u202f", "\u00a0") }

func (r Report) begin(width, height float64) *fpdf.Fpdf {
	f := fpdf.NewCustom(&fpdf.InitType{UnitStr: "mm", Size: fpdf.SizeType{Wd: width, Ht: height}})
	f.SetCreationDate(r.At.UTC())
	f.SetModificationDate(r.At.UTC())
	f.SetCatalogSort(true)
	f.SetProducer("Tirage", true)
	f.SetTitle(r.Title, true)
	f.SetLang(r.Lang)
	f.SetAutoPageBreak(false, 0)
	f.SetLineWidth(.2)
	for _, x := range faces[:displayFace] {
		f.AddUTF8FontFromBytes(x.name, "", x.ttf)
	}
	f.AddPage()
	return f
}

func (r Report) end(f *fpdf.Fpdf) ([]byte, error) {
	var b bytes.Buffer
	if err := f.Output(&b); err != nil {
		return nil, fmt.Errorf("report %q as PDF: %w", r.Title, err)
	}
	return b.Bytes(), nil
}
