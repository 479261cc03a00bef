package paper

import (
	"bytes"
	"fmt"
	"time"

	"codeberg.org/go-pdf/fpdf"
)

// The paper of a ticket, in mm: what is printed stands in the middle of it.
const (
	paperWidth  = 80
	paperMargin = (paperWidth - rollWidth/dotsPerMM) / 2
)

// PDF is the ticket on one page of 80 mm, as long as it needs, with its texts as
// texts. Its bytes depend on the ticket alone.
func (t Ticket) PDF() ([]byte, error) {
	b, err := t.layOut().pdf(fmt.Sprintf("%s %d", t.Rules.Name.FR, t.Number), t.PlacedAt)
	if err != nil {
		return nil, fmt.Errorf("ticket %d as PDF: %w", t.Number, err)
	}
	return b, nil
}

func (r *roll) pdf(title string, at time.Time) ([]byte, error) {
	f := fpdf.NewCustom(&fpdf.InitType{UnitStr: "mm", Size: fpdf.SizeType{Wd: paperWidth, Ht: r.y/dotsPerMM + 2*paperMargin}})
	f.SetCreationDate(at.UTC())
	f.SetModificationDate(at.UTC())
	f.SetCatalogSort(true)
	f.SetProducer("Tirage", true)
	f.SetTitle(title, true)
	f.SetLang("fr")
	f.SetAutoPageBreak(false, 0)
	f.SetMargins(0, 0, 0)
	for _, x := range faces[:displayFace] {
		f.AddUTF8FontFromBytes(x.name, "", x.ttf)
	}
	f.AddPage()
	f.SetLineCapStyle("round")
	f.SetLineJoinStyle("round")
	f.SetFillColor(0, 0, 0)
	place := func(p Point) (x, y float64) { return paperMargin + p.X/dotsPerMM, paperMargin + p.Y/dotsPerMM }
	for _, m := range r.marks {
		level := 0
		if m.white {
			level = 255
		}
		if m.words != "" {
			f.SetTextColor(level, level, level)
			f.SetFont(faces[m.face].name, "", m.size/dotsPerMM/mmPerPoint)
			x, y := place(m.at)
			f.Text(x, y, m.words)
			continue
		}
		for _, o := range m.figure.contours {
			for i, p := range o {
				if x, y := place(p); i == 0 {
					f.MoveTo(x, y)
				} else {
					f.LineTo(x, y)
				}
			}
			if m.figure.line == 0 || m.figure.closed {
				f.ClosePath()
			}
		}
		style := "F"
		if m.figure.line > 0 {
			f.SetLineWidth(m.figure.line / dotsPerMM)
			style = "D"
		}
		f.DrawPath(style)
	}
	var b bytes.Buffer
	if err := f.Output(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
