package portal

import (
	"encoding/hex"
	"errors"
	"image"
	"net/http"
	"strconv"
	"strings"

	"tirage/central"
	"tirage/game"
	"tirage/money"
	"tirage/paper"
	"tirage/wager"
	"tirage/web/page"
)

// Addresses of what a ticket's QR code leads to.
const (
	pathTicket   = "/t/"        // and the code: paper.TicketAddress
	pathSpecimen = "/specimen/" // and the code of a ticket made in training
	pathPhoto    = pathCheck + "/photo"
)

func (p portal) ticketRoutes(mux *http.ServeMux) {
	p.handle(mux, "GET "+pathTicket+"{code}", p.ticket)
	p.handle(mux, "GET "+pathSpecimen+"{code}", p.specimen)
	p.handle(mux, "POST "+pathPhoto, p.checkPhoto)
	mux.Handle("GET "+pathPhoto, http.RedirectHandler(pathCheck, http.StatusSeeOther))
	p.app.TakePictures(pathPhoto)
}

// ticket is where the QR code of a ticket leads: the answer of a check, and the
// proof that its sale is in the journal. The address has the ticket's secret: it
// is told to no other site, kept by no cache and no search engine, and not logged.
// Only the site itself is told to any: with less, browsers would send the page's
// forms as from nowhere (Origin: null), and those are refused.
func (p portal) ticket(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Referrer-Policy", "strict-origin")
	w.Header().Set("X-Robots-Tag", "noindex")
	s, err := p.shell(r, "check.title", pathCheck)
	if err != nil {
		return err
	}
	return p.answer(w, r, checkPage{shell: s}, r.PathValue("code"), p.mayCheck(r))
}

// Refusals of a QR code that was read well, on a photo.
var (
	errOtherCode = errors.New("QR code of something else")
	errSlipCode  = errors.New("QR code of a slip")
)

// checkPhoto checks the ticket whose QR code is on a photo.
func (p portal) checkPhoto(w http.ResponseWriter, r *http.Request) error {
	s, err := p.shell(r, "check.title", pathCheck)
	if err != nil {
		return err
	}
	data := checkPage{shell: s}
	text, err := p.codeOnPhoto(w, r)
	if err == nil {
		return p.answer(w, r, data, text, nil)
	}
	refusal, err := p.explainPhoto(r, err)
	if err != nil {
		return err
	}
	data.Photo = refusal.Sentence
	return face.Render(w, r, refusal.Status, "check", data)
}

// codeOnPhoto reads the code of a ticket from the photo of a form.
func (p portal) codeOnPhoto(w http.ResponseWriter, r *http.Request) (text string, err error) {
	if err := p.mayCheck(r); err != nil {
		return "", err
	}
	err = p.app.PublicPictures.Picture(w, r, p.app.ClientOf(r), "photo", func(img image.Image) (err error) {
		text, err = paper.ReadCode(img)
		return err
	})
	if err != nil {
		return "", err
	}
	return text, isTicketCode(text)
}

// isTicketCode says what a QR code is that is not that of a ticket.
func isTicketCode(text string) error {
	_, _, err := paper.ParseTicketAddress(text)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, wager.ErrTraining):
		return err
	case strings.HasPrefix(text, "TIRAGE"):
		return errSlipCode
	}
	return errOtherCode
}

func (p portal) explainPhoto(r *http.Request, err error) (page.Refusal, error) {
	var id string
	switch {
	case errors.Is(err, errOtherCode):
		id = "check.othercode"
	case errors.Is(err, errSlipCode):
		id = "check.slipcode"
	default:
		return p.app.Explain(r, err), nil
	}
	sentence, err := face.T(page.LangOf(r), id)
	return page.Refusal{Status: http.StatusUnprocessableEntity, Code: "ticket_code", Sentence: sentence}, err
}

// specimenPage is where the QR code of a ticket made in training leads.
type specimenPage struct{ shell }

func (p portal) specimen(w http.ResponseWriter, r *http.Request) error {
	s, err := p.shell(r, "specimen.title", pathCheck)
	if err != nil {
		return err
	}
	return face.Render(w, r, http.StatusOK, "specimen", specimenPage{s})
}

// saleProof is the proof that the sale of a ticket is in the journal, which the
// browser checks (static/ticket.js).
type saleProof struct {
	Index  uint64
	Leaf   string // hash of the sale's record, in hex
	Record string // the record, in hex; "": not public yet
	Key    string // that signs the log

	Boards []playedBoard
	Stake  money.Amount
	Count  int64 // of draws
	Price  money.Amount

	// As the record has them.
	Plays, Draws string
	Letters      string // of the boards, from 1 (A); "": 1, 2, 3 …
	Units        int64
}

// playedBoard is a board of the ticket in words.
type playedBoard struct {
	Letter string // "": the only one
	Parts  []playedPart
}

type playedPart struct {
	Matrix game.Text
	Names  []game.Text
}

// Shown is the record's index as pages write it.
func (s saleProof) Shown() int64 { return int64(s.Index) }

func newSaleProof(t wager.Ticket, sale central.SaleProof, key string) *saleProof {
	x := &saleProof{
		Index: sale.Index, Leaf: hex.EncodeToString(sale.Leaf[:]), Record: hex.EncodeToString(sale.Record),
		Stake: t.Stake, Count: int64(len(t.Draws)), Price: t.Price, Units: t.Units, Key: key,
	}
	var plays, letters, draws []string
	for n, play := range t.Plays {
		b := playedBoard{}
		if t.Lettered() {
			b.Letter = t.Letter(n)
		}
		for i, m := range t.Rules.Matrices {
			part := playedPart{Matrix: m.Name}
			for _, e := range play.Picks[i] {
				part.Names = append(part.Names, m.Elements[e-1].Name)
			}
			b.Parts = append(b.Parts, part)
		}
		x.Boards = append(x.Boards, b)
		plays = append(plays, wager.Board{Picks: play.Picks}.Text())
	}
	for _, d := range t.Draws {
		draws = append(draws, strconv.FormatInt(int64(d.ID), 10))
	}
	for _, n := range t.Letters {
		letters = append(letters, strconv.Itoa(n))
	}
	x.Plays, x.Draws, x.Letters = strings.Join(plays, " "), strings.Join(draws, "."), strings.Join(letters, ".")
	return x
}
