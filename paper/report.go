package paper

import (
	"bytes"
	"fmt"
	"slices"
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
	Total   []string    // of the rows, under them; nil: none
	Sums    [][2]string // the last is what matters
	Lang    string
	At      time.Time // when it was made: its bytes depend on it and on nothing else around it
}

// RollPDF is the report on a roll of 80 mm, as long as it needs: each row is a
// name with the columns under it.
func (r Report) RollPDF() ([]byte, error) {
	rows := r.rows()
	lines := 3 + len(r.Head) + len(r.Sums) + len(rows)*(len(r.Columns)+1)
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
	for _, row := range rows {
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

// rows are the rows with their total, where there is one.
func (r Report) rows() [][]string {
	if r.Total == nil {
		return r.Rows
	}
	return append(slices.Clip(r.Rows), r.Total)
}

// Of a sheet of A4, upright, in mm.
const (
	a4Left, a4Right, a4Top, a4Bottom = 18.0, 192.0, 22.0, 280.0
	a4Step                           = 7.0  // from line to line
	a4Names                          = 40.0 // width of the column of names
)

// a4 is where on a sheet the next line stands.
type a4 struct {
	*fpdf.Fpdf

	y float64
}

// next goes to the next line, and tells whether that is on a new sheet.
func (s *a4) next() (fresh bool) {
	if s.y += a4Step; s.y > a4Bottom {
		s.AddPage()
		s.y = a4Top
		return true
	}
	return false
}

// put writes text from x on, or up to it.
func (s *a4) put(font string, size, x float64, end bool, text string) {
	s.SetFont(font, "", size)
	if end {
		x -= s.GetStringWidth(plain(text))
	}
	s.Text(x, s.y, plain(text))
}

// A4 is the report on sheets of A4, upright, each with the heads of its columns.
func (r Report) A4() ([]byte, error) {
	s := &a4{r.begin(210, 297), a4Top}
	s.put(faces[boldFace].name, 18, a4Left, false, r.Title)
	s.next()
	for _, h := range r.Head {
		s.next()
		s.put(faces[plainFace].name, 11, a4Left, false, h[0])
		s.put(faces[boldFace].name, 11, a4Left+55, false, h[1])
	}
	s.next()
	if len(r.rows()) > 0 {
		r.table(s)
	}
	s.next()
	for i, sum := range r.Sums {
		s.next()
		font := faces[plainFace].name
		if i == len(r.Sums)-1 {
			font = faces[boldFace].name
		}
		s.put(font, 11.5, a4Left, false, sum[0])
		s.put(font, 11.5, a4Right, true, sum[1])
	}
	return r.end(s.Fpdf)
}

// table writes the rows under the heads of their columns, which are as many lines high as they need.
func (r Report) table(s *a4) {
	const size, gap, low = 9.5, 3.0, 4.2 // low: from line to line of a head
	width := (a4Right - a4Left - a4Names) / float64(max(1, len(r.Columns)-1))
	x := func(column int) float64 { return a4Left + float64(min(column, 1))*a4Names + float64(column)*width }
	s.SetFont(faces[boldFace].name, "", size)
	heads, depth := make([][]string, len(r.Columns)), 1
	for i, name := range r.Columns {
		room := width
		if i == 0 {
			room = a4Names
		}
		heads[i] = broken(s.Fpdf, name, room-gap)
		depth = max(depth, len(heads[i]))
	}
	head := func() {
		for line := range depth {
			for i, lines := range heads {
				if at := line - depth + len(lines); at >= 0 { // they end on one line
					s.put(faces[boldFace].name, size, x(i), i > 0, lines[at])
				}
			}
			if line < depth-1 {
				s.y += low
			}
		}
		s.Line(a4Left, s.y+2, a4Right, s.y+2)
	}
	if s.next(); s.y+float64(depth-1)*low+a4Step > a4Bottom { // no head without a row
		s.AddPage()
		s.y = a4Top
	}
	head()
	for n, row := range r.rows() {
		if s.next() {
			head()
			s.next()
		}
		font := faces[plainFace].name
		if n == len(r.Rows) {
			font = faces[boldFace].name
		}
		for i, v := range row {
			s.put(font, size, x(i), i > 0, v)
		}
		s.Line(a4Left, s.y+2, a4Right, s.y+2)
	}
}

// broken breaks a text between words into lines of a width in the font that is set; a longer word stands alone.
func broken(f *fpdf.Fpdf, text string, width float64) (lines []string) {
	for word := range strings.FieldsSeq(text) {
		if n := len(lines); n > 0 && f.GetStringWidth(plain(lines[n-1]+" "+word)) <= width {
			lines[n-1] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
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
