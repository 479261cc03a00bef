package terminal

import (
	"errors"
	"net/http"
	"strings"

	"tirage/paper"
	"tirage/wager"
	"tirage/web/page"
)

// The addresses of what is read.
const (
	pathAgain   = "/terminal/rejouer"
	pathScan    = "/terminal/lecture"
	pathFrame   = "/terminal/lecture/image" // a picture of the camera
	pathAsk     = "/terminal/lecture/cases"
	pathPicture = "/terminal/lecture/photo/"
)

// scanRoutes are the addresses of scanning, and of playing a ticket again.
func (t *terminal) scanRoutes(mux *http.ServeMux) {
	t.app.Handle(mux, "POST "+pathAgain, face, t.signedOn((*terminal).again))
	mux.Handle("GET "+pathAgain, http.RedirectHandler(pathDesk, http.StatusSeeOther))
	t.app.TakePictures(pathScan)
	t.app.TakePictures(pathFrame)
	t.app.Handle(mux, "GET "+pathScan, face, t.signedOn((*terminal).scanPage))
	t.app.Handle(mux, "POST "+pathScan, face, t.signedOn((*terminal).photo))
	t.app.Handle(mux, "POST "+pathFrame, face, t.signedOn((*terminal).frameSeen))
	t.app.Handle(mux, "GET "+pathAsk, face, t.signedOn((*terminal).ask))
	t.app.Handle(mux, "GET "+pathPicture+"{id}", face, t.signedOn((*terminal).picture))
}

// Pictures that a terminal may send: the camera two a second, and photos one
// every two seconds, or several after a pause.
func newPhotoLimits() (frames, photos *page.Limiter) {
	return page.NewLimiter(2.5, 6), page.NewLimiter(0.5, 20)
}

// scan takes what the field of the desk was given, by hand or by a scanner that
// types: a slip prepared on a phone fills in the desk, a ticket's code or the
// address in its QR has the ticket checked.
func (t *terminal) scan(w http.ResponseWriter, r *http.Request, s seat) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	d, err := readDesk(r.PostForm, s.games)
	if err != nil {
		return err
	}
	return t.readText(w, r, s, d, r.PostForm.Get("code"))
}

// readText does what a text asks for, wherever it was read.
func (t *terminal) readText(w http.ResponseWriter, r *http.Request, s seat, d desk, text string) error {
	text = strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(text, "TIRAGEB"):
		return t.refuseScan(w, r, s, d, "", errPaperCode)
	case strings.HasPrefix(text, "TIRAGE"):
		return t.readPhone(w, r, s, d, text)
	}
	number, secret, err := s.parseAddress(text)
	switch {
	case err == nil:
		return t.check(w, r, s, d, s.code(number, secret))
	case errors.Is(err, wager.ErrTraining), errors.Is(err, wager.ErrLive):
		return t.refuseScan(w, r, s, d, "", err)
	case strings.ContainsAny(text, ":/~"):
		return t.refuseScan(w, r, s, d, "", errStrange)
	}
	return t.check(w, r, s, d, text) // and say what is wrong with it
}

// readPhone fills in the desk with a slip prepared on a phone.
func (t *terminal) readPhone(w http.ResponseWriter, r *http.Request, s seat, d desk, text string) error {
	if err := t.app.Checks.Allow("terminal/" + s.terminal.ID); err != nil {
		return t.refuseScan(w, r, s, d, "", err)
	}
	read, err := t.slips.ReadSlip(text)
	if err == nil {
		err = d.lay(read.Slip, "phone")
	}
	if err != nil {
		return t.refuseScan(w, r, s, d, "", err)
	}
	return t.render(w, r, s, http.StatusOK, d, remarks{})
}

// refuseScan shows the desk as it was, and beside its field what was wrong
// with what was read there, and what of it to type again.
func (t *terminal) refuseScan(w http.ResponseWriter, r *http.Request, s seat, d desk, code string, err error) error {
	refusal, err := t.explainScan(r, err)
	if err != nil {
		return err
	}
	t.counters.uncheck(s.terminal.ID)
	return t.render(w, r, s, refusal.Status, d, remarks{check: &refusal, code: code})
}

// explainScan says why what was read is refused.
func (t *terminal) explainScan(r *http.Request, err error) (page.Refusal, error) {
	refusal := t.app.Explain(r, err)
	var id string
	switch {
	case errors.Is(err, errBusy):
		id = "scan.busy"
	case errors.Is(err, errGame):
		id = "scan.game"
	case errors.Is(err, errElement):
		id = "again.element"
	case errors.Is(err, errPaperCode):
		id = "scan.papercode"
	case errors.Is(err, errShot):
		id = "ask.gone"
	case errors.Is(err, paper.ErrNoSlip):
		id = "scan.nothing"
	case errors.Is(err, errStrange):
		id = "scan.strange"
	default:
		return refusal, nil
	}
	var failed error
	refusal.Sentence, failed = face.T(page.LangOf(r), id)
	return refusal, failed
}
