// Package terminal is the face of a point of sale: one screen on which a
// shopkeeper sells, checks, pays and cancels.
//
// The state of the screen, what is ticked and what lies in the basket, is in
// its address and its forms (see [desk]), so reloading, going back, a restart
// and another node lose nothing, and no page depends on script. Every slip
// carries the key of its sale from the moment its form was written, so a double
// click, a reload and a retry sell one ticket (F10), and the answer to the form
// shows it each time. So do forms that pay, cancel or sell a voucher.
package terminal

import (
	"embed"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"time"

	"tirage/central"
	"tirage/game"
	"tirage/party"
	"tirage/settle"
	"tirage/web/page"
)

//go:embed templates/*.html static active.*.yaml
var files embed.FS

var face = page.MustFace("terminal", files)

// sessionLife is how long a terminal stays signed on: a long day in the shop.
const sessionLife = 16 * time.Hour

// The addresses of the face.
const (
	pathDesk     = "/terminal"
	pathSignOn   = "/terminal/connexion"
	pathSignOff  = "/terminal/deconnexion"
	pathSale     = "/terminal/vente"
	pathCheck    = "/terminal/controle"
	pathPay      = "/terminal/paiement"
	pathCancel   = "/terminal/annulation"
	pathVoucher  = "/terminal/bon"
	pathPrint    = "/terminal/impression"
	pathPrints   = "/terminal/impressions"
	pathVouchers = "/terminal/bon/impression"
	pathGiveUp   = "/terminal/abandon"
	pathResults  = "/terminal/resultats"
	pathAccount  = "/terminal/comptes"
	pathNotices  = "/terminal/messages"
	pathTraining = "/terminal/formation"
	pathHelp     = "/terminal/aide"
	pathSelling  = "/terminal/tirages" // of the next ones, for the script of the desk
)

// terminal is the face at work, on the live system, or on one of training: all
// that it does it does with the system of its app, so no handler need ask which.
type terminal struct {
	app            *page.App
	training       bool
	trains         bool            // terminals may practise here
	slips          *central.System // that signs slips prepared on phones: the live one
	practice       practice        // of the live one
	counters       *counters
	printers       *printers
	shots          *shots
	frames, photos *page.Limiter // of pictures, by terminal
	giveUps        *page.Limiter // of keys that are given up, by terminal
}

// Routes serves the face.
func Routes(mux *http.ServeMux, app *page.App) {
	t := newTerminal(app)
	t.slips, t.practice = app.Sys, newPractice()
	t.frames, t.photos = newPhotoLimits()
	app.Mount(mux, face)
	app.Handle(mux, "GET "+pathSignOn, face, t.signOnPage)
	app.Handle(mux, "POST "+pathSignOn, face, t.signOn)
	app.Handle(mux, "POST "+pathSignOff, face, t.signOff)
	app.Handle(mux, "GET "+pathDesk, face, t.signedOn((*terminal).deskPage))
	app.Handle(mux, "GET "+pathSelling, face, t.signedOn((*terminal).selling))
	app.Handle(mux, "POST "+pathSale, face, t.signedOn((*terminal).sale))
	app.Handle(mux, "POST "+pathCheck, face, t.signedOn((*terminal).scan))
	app.Handle(mux, "POST "+pathPay, face, t.signedOn((*terminal).pay))
	app.Handle(mux, "POST "+pathCancel, face, t.signedOn((*terminal).cancel))
	app.Handle(mux, "POST "+pathPrint, face, t.signedOn((*terminal).print))
	app.Handle(mux, "GET "+pathPrints, face, t.signedOn((*terminal).printsUnderWay))
	app.Handle(mux, "POST "+pathGiveUp, face, t.signedOn((*terminal).giveUp))
	app.Handle(mux, "GET "+pathVoucher, face, t.signedOn((*terminal).voucherPage))
	app.Handle(mux, "POST "+pathVoucher, face, t.signedOn((*terminal).sellVoucher))
	app.Handle(mux, "POST "+pathVouchers, face, t.signedOn((*terminal).printVoucher))
	app.Handle(mux, "GET "+pathResults, face, t.signedOn((*terminal).resultsPage))
	app.Handle(mux, "GET "+pathResults+"/{game}", face, t.signedOn((*terminal).resultsPage))
	app.Handle(mux, "GET "+pathAccount, face, t.signedOn((*terminal).accountPage))
	app.Handle(mux, "GET "+pathAccount+"/{which}", face, t.signedOn((*terminal).accountPage))
	app.Handle(mux, "GET "+pathAccount+"/{which}/{file}", face, t.signedOn((*terminal).accountFile))
	app.Handle(mux, "GET "+pathNotices, face, t.signedOn((*terminal).noticesPage))
	app.Handle(mux, "GET "+pathHelp, face, t.signedOn((*terminal).helpPage))
	app.Handle(mux, "GET "+pathTraining, face, t.signedOn((*terminal).trainingPage))
	app.Handle(mux, "POST "+pathTraining, face, t.signedOn((*terminal).train))
	t.scanRoutes(mux)
	mux.HandleFunc("GET "+pathVouchers, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, withState(pathVoucher, r.URL.Query()), http.StatusSeeOther)
	})
	for _, path := range []string{pathSale, pathCheck, pathPay, pathCancel, pathPrint, pathGiveUp} { // addresses of answers, gone to without their form
		mux.Handle("GET "+path, http.RedirectHandler(pathDesk, http.StatusSeeOther))
	}
}

func newTerminal(app *page.App) *terminal {
	return &terminal{app: app, trains: app.Training != nil, counters: newCounters(), printers: newPrinters(app.AllowPrinter, app.PrintTime), shots: newShots(), giveUps: newGiveUpLimit()}
}

// seat is who asks: a terminal in session, its outlet, the outlet's zone, and
// the games that it sells: all that are published, the one that sells next first.
type seat struct {
	terminal party.Terminal
	outlet   party.Outlet
	zone     *time.Location
	games    []*game.Rules
	training bool
}

// place is where the seat pays.
func (s seat) place() settle.Place { return settle.Place{Zone: s.zone, Centre: s.outlet.Centre} }

type seatHandler func(t *terminal, w http.ResponseWriter, r *http.Request, s seat) error

// signedOn gives the handler its seat; whoever has no session is sent to sign
// on, and finds the slip and the basket again afterwards. Whether the terminal is
// in training its session says, and nothing else (F21).
func (t *terminal) signedOn(h seatHandler) page.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		id, err := t.app.Session(r, page.TerminalSession)
		if errors.Is(err, page.ErrSignedOut) && t.app.Training != nil {
			if id, err = t.app.Session(r, page.TrainingSession); err == nil {
				return t.practise(w, page.InTraining(r), id, h)
			}
		}
		if errors.Is(err, page.ErrSignedOut) {
			if err := page.ReadForm(r); err != nil {
				return err
			}
			http.Redirect(w, r, withState(pathSignOn, r.Form), http.StatusSeeOther)
			return nil
		}
		if err != nil {
			return err
		}
		s, err := t.seat(id)
		if err != nil {
			return err
		}
		return t.serve(w, r, s, h)
	}
}

func (t *terminal) seat(id string) (s seat, err error) {
	if s.terminal, s.outlet, err = t.app.Sys.Terminal(id); err != nil {
		return s, err
	}
	if s.zone, err = time.LoadLocation(s.outlet.Zone); err != nil {
		return s, fmt.Errorf("outlet %s: %w", s.outlet.ID, err)
	}
	s.training = t.training
	s.games, err = t.games()
	return s, err
}

// games are the rule books that are sold. A game whose sales are planned stands
// before one whose sales are not, whatever their names.
func (t *terminal) games() ([]*game.Rules, error) {
	var planned, others []*game.Rules
	for _, code := range t.app.Sys.Games() {
		r, err := t.app.Sys.Rules(code)
		if err != nil {
			return nil, err
		}
		status, err := t.app.Sys.Status(code)
		if err != nil {
			return nil, err
		}
		if len(status.Upcoming) == 0 && status.NextOpensAt.IsZero() {
			others = append(others, r)
			continue
		}
		planned = append(planned, r)
	}
	if len(planned)+len(others) == 0 {
		return nil, central.ErrUnknownGame
	}
	return append(planned, others...), nil
}

// stateMax bounds the state that a sign-on carries along, in bytes.
const stateMax = 8 << 10

// withState is an address with the state of a desk: what a form or an address
// says but for its command, the ticket that it is about (F24), and the language.
func withState(path string, form url.Values) string {
	v := maps.Clone(form)
	for _, name := range []string{"key", "do", "code", "command", "device", "lang", "amount", "photo", "r", "from"} {
		v.Del(name)
	}
	for _, name := range payeeFields {
		v.Del(name)
	}
	if text := v.Encode(); text != "" && len(text) <= stateMax {
		return path + "?" + text
	}
	return path
}

// signOnPage asks for the device key.
type signOnPage struct {
	page.Base
	Action  string // with the state of the desk that waits for the sign-on
	Kept    bool   // there is one
	Refusal string
}

func newSignOnPage(r *http.Request) signOnPage {
	action := withState(pathSignOn, r.URL.Query())
	p := signOnPage{Base: face.Base(r, "signon.title"), Action: action, Kept: action != pathSignOn}
	q := r.URL.Query()
	q.Set("lang", p.Lang.Other().String())
	p.Switch = "?" + q.Encode()
	return p
}

func (t *terminal) signOnPage(w http.ResponseWriter, r *http.Request) error {
	return face.Render(w, r, http.StatusOK, "signon", newSignOnPage(r))
}

func (t *terminal) signOn(w http.ResponseWriter, r *http.Request) error {
	err := t.tryDevice(w, r)
	if err == nil {
		http.Redirect(w, r, withState(pathDesk, r.URL.Query()), http.StatusSeeOther)
		return nil
	}
	refusal := t.app.Explain(r, err)
	sentence := refusal.Sentence
	if errors.Is(err, central.ErrSignOn) {
		if sentence, err = face.T(page.LangOf(r), "signon.refused"); err != nil {
			return err
		}
	}
	p := newSignOnPage(r)
	p.Refusal = sentence
	return face.Render(w, r, refusal.Status, "signon", p)
}

func (t *terminal) tryDevice(w http.ResponseWriter, r *http.Request) error {
	forgive, err := t.app.SignOns.Try("terminal/" + t.app.ClientOf(r))
	if err != nil {
		return err
	}
	if err := page.ReadForm(r); err != nil {
		return err
	}
	key := r.PostForm.Get("device")
	device, _, err := t.app.Sys.SignOnTerminal(r.Context(), key)
	if err != nil {
		return err
	}
	forgive()
	t.leave(r, device.ID) // whoever was here before may not have signed off
	return t.app.SignInTerminal(w, r, key, sessionLife)
}

// leave takes away what a terminal's last shopkeeper left: the tickets on its
// counter, and the picture of a slip.
func (t *terminal) leave(r *http.Request, id string) {
	t.counters.clear(id)
	mark := t.app.SessionMark(r, page.TerminalSession)
	t.shots.clear(mark)
	t.practice.forget(mark)
}

// signOff ends the session and the shift, which a terminal in training has too.
func (t *terminal) signOff(w http.ResponseWriter, r *http.Request) error {
	id, err := t.app.Session(r, page.TerminalSession)
	if errors.Is(err, page.ErrSignedOut) {
		id, err = t.app.Session(r, page.TrainingSession)
	}
	switch {
	case err == nil:
		t.leave(r, id)
		if err := t.app.Sys.CloseShift(r.Context(), id); err != nil {
			return err
		}
	case !errors.Is(err, page.ErrSignedOut):
		return err
	}
	if err := t.app.SignOut(w, r, page.TerminalSession); err != nil {
		return err
	}
	http.Redirect(w, r, pathSignOn, http.StatusSeeOther)
	return nil
}
