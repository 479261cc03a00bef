package paper

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"

	"tirage/game"
	"tirage/money"
)

// Statement is the statement of an outlet for a week, as it is printed (relevé):
// Opening + sold − cancelled − paid − back of all lines + Vouchers − Received − commissions = Closing.
type Statement struct {
	Number      uint64 // of its record
	Outlet      int
	First, Last game.Day
	MadeAt      time.Time
	Opening     money.Amount
	Lines       []StatementLine
	Vouchers    money.Amount
	Received    money.Amount
	Closing     money.Amount
	DebitOn     game.Day // the day of the direct debit; 0: none is foreseen
}

// StatementLine is what a statement says of a game.
type StatementLine struct {
	Game                                    string
	Sold, Cancelled, Paid, Back, Commission money.Amount
}

// The columns of a statement on A4, in mm: where each ends, the amounts to the right.
var statementColumns = [...]float64{62, 87, 111, 136, 160, 190}

const (
	statementLeft  = 20
	statementRight = 190
	statementRow   = 7.5
)

// owed writes an amount that may be below 0.
func owed(a money.Amount) string {
	if a < 0 {
		return "−" + euros(-a)
	}
	return euros(a)
}

// PDF is the statement on A4, with its texts as texts. Its bytes depend on the statement alone.
func (s Statement) PDF() ([]byte, error) {
	f := fpdf.New("P", "mm", "A4", "")
	f.SetCreationDate(s.MadeAt.UTC())
	f.SetModificationDate(s.MadeAt.UTC())
	f.SetCatalogSort(true)
	f.SetProducer("Tirage", true)
	f.SetTitle(fmt.Sprintf("Relevé %d, point de vente %d", s.Number, s.Outlet), true)
	f.SetLang("fr")
	f.SetAutoPageBreak(false, 0)
	f.SetMargins(0, 0, 0)
	for _, x := range faces[:displayFace] {
		f.AddUTF8FontFromBytes(x.name, "", x.ttf)
	}
	f.AddPage()
	sheet := statementSheet{f, 30}
	sheet.put(boldFace, 18, statementLeft, left, fmt.Sprintf("Relevé du point de vente n° %d", s.Outlet))
	sheet.down(9)
	sheet.put(plainFace, 11, statementLeft, left, fmt.Sprintf("Semaine du %s au %s · n° %d au journal · fait le %s", shortDay(s.First), shortDay(s.Last), s.Number, s.MadeAt.UTC().Format("02/01/2006")))
	sheet.down(16)
	sheet.sum("Dû au début de la semaine", s.Opening)
	if len(s.Lines) > 0 {
		sheet.games(s)
	}
	sheet.sum("Bons de versement vendus", s.Vouchers)
	sheet.sum("Sommes reçues du point de vente", -s.Received)
	sheet.rule()
	words := "Dû à la fin de la semaine"
	if s.Closing < 0 {
		words = "Dû au point de vente à la fin de la semaine"
	}
	sheet.total(words, s.Closing)
	if s.DebitOn != 0 && s.Closing > 0 {
		sheet.put(plainFace, 11, statementLeft, left, fmt.Sprintf("Prélèvement prévu le %s au plus tôt, de ce qui n’aura pas été payé.", shortDay(s.DebitOn)))
	}
	var b bytes.Buffer
	if err := f.Output(&b); err != nil {
		return nil, fmt.Errorf("statement %d as PDF: %w", s.Number, err)
	}
	return b.Bytes(), nil
}

// statementSheet is a page that is written from the top down.
type statementSheet struct {
	*fpdf.Fpdf
	y float64
}

func (p *statementSheet) down(mm float64) { p.y += mm }

// bottom is where a page of a statement ends, in mm.
const bottom = 275

// put writes a text on the line where the sheet stands.
func (p *statementSheet) put(f face, size, x float64, a align, words string) {
	if p.y > bottom {
		p.AddPage()
		p.y = 30
	}
	p.SetFont(faces[f].name, "", size)
	if a == right {
		x -= textWidth(f, size, words)
	}
	p.Text(x, p.y, words)
}

func (p *statementSheet) sum(words string, a money.Amount) {
	p.put(plainFace, 11, statementLeft, left, words)
	p.put(plainFace, 11, statementRight, right, owed(a))
	p.down(statementRow)
}

func (p *statementSheet) total(words string, a money.Amount) {
	p.put(boldFace, 13, statementLeft, left, words)
	p.put(boldFace, 13, statementRight, right, owed(a))
	p.down(12)
}

func (p *statementSheet) rule() {
	p.Line(statementLeft, p.y-5, statementRight, p.y-5)
	p.down(3)
}

// games writes the table of what was done in each game, and its sums.
func (p *statementSheet) games(s Statement) {
	row := func(f face, name string, amounts ...string) {
		for size := 10.0; ; size -= 0.5 {
			if size <= 6 || textWidth(f, size, name) < statementColumns[0]-statementLeft {
				p.put(f, size, statementLeft, left, name)
				break
			}
		}
		for i, a := range amounts {
			p.put(f, 10, statementColumns[i+1], right, a)
		}
		p.down(statementRow)
	}
	p.down(4)
	row(boldFace, "Jeu", "Ventes", "Annulations", "Gains payés", "Mises rendues", "Commission")
	p.rule()
	var sum StatementLine
	for _, l := range s.Lines {
		row(plainFace, strings.TrimSpace(l.Game), owed(l.Sold), owed(-l.Cancelled), owed(-l.Paid), owed(-l.Back), owed(-l.Commission))
		sum.Sold, sum.Cancelled, sum.Paid = sum.Sold.Add(l.Sold), sum.Cancelled.Add(l.Cancelled), sum.Paid.Add(l.Paid)
		sum.Back, sum.Commission = sum.Back.Add(l.Back), sum.Commission.Add(l.Commission)
	}
	p.rule()
	row(boldFace, "Ensemble", owed(sum.Sold), owed(-sum.Cancelled), owed(-sum.Paid), owed(-sum.Back), owed(-sum.Commission))
	p.down(4)
}
