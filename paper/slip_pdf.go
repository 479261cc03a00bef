package paper

import (
	"bytes"
	"fmt"
	"time"

	"codeberg.org/go-pdf/fpdf"
)

// printedOn is the date in every slip's PDF: a slip is the same whenever it is made, to the byte.
var printedOn = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// PDF is the slip on a page of its true size, A6 landscape. The same rule book gives the same bytes.
func (l *Layout) PDF() ([]byte, error) {
	shapes, err := l.scene()
	if err != nil {
		return nil, err
	}
	// The size is that of the page upright, which fpdf turns.
	pdf := fpdf.NewCustom(&fpdf.InitType{OrientationStr: "L", UnitStr: "mm", Size: fpdf.SizeType{Wd: l.Height, Ht: l.Width}})
	pdf.SetCreationDate(printedOn)
	pdf.SetModificationDate(printedOn)
	pdf.SetCatalogSort(true)
	pdf.SetProducer("Tirage", true)
	pdf.SetTitle("Bulletin "+l.Rules.Name.FR, true)
	pdf.SetLang("fr")
	pdf.SetMargins(0, 0, 0)
	pdf.SetAutoPageBreak(false, 0)
	for _, f := range faces {
		pdf.AddUTF8FontFromBytes(f.name, "", f.ttf)
	}
	pdf.AddPage()
	for _, s := range shapes {
		pdf.SetFillColor(int(s.fill.R), int(s.fill.G), int(s.fill.B))
		for _, contour := range s.contours {
			for i, p := range contour {
				if i == 0 {
					pdf.MoveTo(p.X, p.Y)
				} else {
					pdf.LineTo(p.X, p.Y)
				}
			}
			pdf.ClosePath()
		}
		pdf.DrawPath("F")
	}
	pdf.SetTextColor(int(ink.R), int(ink.G), int(ink.B))
	for _, t := range l.texts {
		pdf.SetFont(faces[t.face].name, "", t.size)
		at := t.start()
		pdf.Text(at.X, at.Y, t.s)
	}
	var b bytes.Buffer
	if err := pdf.Output(&b); err != nil {
		return nil, fmt.Errorf("write the slip of %s: %w", l.Rules.Code, err)
	}
	return b.Bytes(), nil
}
