// Package office is the operator's face, at /office: today's draws with what
// was staked on them, the acts that move draws or money and take two officers,
// the outlets with what they owe, the rule books, and the officers.
//
// Every page needs an officer's session, which is of another kind than a
// terminal's: neither opens the other's doors. Every form carries the key of
// its command from the moment it was written, so sending it twice does it once
// (F10). Which officer did what is in the journal.
package office

import (
	"embed"
	"errors"
	"net/http"
	"time"

	"tirage/central"
	"tirage/party"
	"tirage/web/page"
)

//go:embed templates/*.html static active.*.yaml
var files embed.FS

var face = page.MustFace("office", files)

// sessionLife is how long an officer stays signed on: a working day.
const sessionLife = 9 * time.Hour

// The addresses of the face.
const (
	pathDraws   = "/office"
	pathClock   = "/office/horloge"
	pathSignOn  = "/office/connexion"
	pathSignOff = "/office/deconnexion"
	pathOutlets = "/office/points-de-vente"
	pathReceive = "/office/points-de-vente/versement"
	pathTerms   = "/office/points-de-vente/conditions"
	pathOpen    = "/office/points-de-vente/nouveau"
	pathAdd     = "/office/points-de-vente/terminal"
	pathRules   = "/office/reglements"

	pathProposals = "/office/propositions"
	pathExtend    = "/office/propositions/delai"
	pathApprove   = "/office/propositions/approbation"
	pathReject    = "/office/propositions/rejet"
	pathOfficers  = "/office/responsables"
	pathPassword  = "/office/responsables/mot-de-passe"
)

type office struct{ app *page.App }

// Routes serves the face.
func Routes(mux *http.ServeMux, app *page.App) {
	o := office{app}
	app.Mount(mux, face)
	app.Handle(mux, "GET "+pathSignOn, face, o.signOnPage)
	app.Handle(mux, "POST "+pathSignOn, face, o.signOn)
	app.Handle(mux, "POST "+pathSignOff, face, o.signOff)
	app.Handle(mux, "GET "+pathDraws, face, o.signedOn(o.drawsPage))
	app.Handle(mux, "POST "+pathClock, face, o.signedOn(o.confirmClock))
	app.Handle(mux, "GET "+pathOutlets, face, o.signedOn(o.outletsPage))
	app.Handle(mux, "POST "+pathReceive, face, o.signedOn(o.receive))
	app.Handle(mux, "POST "+pathTerms, face, o.signedOn(o.terms))
	app.Handle(mux, "POST "+pathOpen, face, o.signedOn(o.openOutlet))
	app.Handle(mux, "POST "+pathAdd, face, o.signedOn(o.addTerminal))
	app.Handle(mux, "GET "+pathRules, face, o.signedOn(o.rulesPage))
	app.Handle(mux, "POST "+pathRules, face, o.signedOn(o.publish))
	app.Handle(mux, "GET "+pathProposals, face, o.signedOn(o.proposalsPage))
	app.Handle(mux, "POST "+pathProposals, face, o.signedOn(o.propose))
	app.Handle(mux, "POST "+pathExtend, face, o.signedOn(o.extend))
	app.Handle(mux, "POST "+pathApprove, face, o.signedOn(o.approve))
	app.Handle(mux, "POST "+pathReject, face, o.signedOn(o.reject))
	app.Handle(mux, "GET "+pathOfficers, face, o.signedOn(o.officersPage))
	app.Handle(mux, "POST "+pathOfficers, face, o.signedOn(o.makeOfficer))
	app.Handle(mux, "GET "+pathPassword, face, o.signedOn(o.passwordPage))
	app.Handle(mux, "POST "+pathPassword, face, o.signedOn(o.changePassword))
}

type officerHandler func(w http.ResponseWriter, r *http.Request, officer party.Officer) error

// signedOn gives the handler who asks. Whoever has no session is sent to sign
// on, and whose password somebody else chose, to change it.
func (o office) signedOn(h officerHandler) page.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		id, err := o.app.Session(r, page.OfficerSession)
		if errors.Is(err, page.ErrSignedOut) {
			http.Redirect(w, r, pathSignOn, http.StatusSeeOther)
			return nil
		}
		if err != nil {
			return err
		}
		officer, err := o.app.Sys.Officer(id)
		if err != nil {
			return err
		}
		must, err := o.app.Sys.MustChangePassword(r.Context(), id)
		if err != nil {
			return err
		}
		if must && r.URL.Path != pathPassword {
			http.Redirect(w, r, pathPassword, http.StatusSeeOther)
			return nil
		}
		return h(w, r, officer)
	}
}

// frame is what the layout of all pages of the office needs.
type frame struct {
	page.Base
	Here  string    // address in the menu
	Now   time.Time // the system's
	Zone  *time.Location
	Paths paths
}

// paths are the addresses that pages link to.
type paths struct {
	Draws, Clock, Outlets, Rules, SignOff, Receive, Terms, Open, Add string
	Proposals, Extend, Approve, Reject, Officers, Password           string
}

func (o office) frame(r *http.Request, title, here string) frame {
	return frame{
		Base: face.Base(r, title), Here: here, Now: o.app.Sys.Now(), Zone: page.ParisZone(),
		Paths: paths{
			pathDraws, pathClock, pathOutlets, pathRules, pathSignOff, pathReceive, pathTerms, pathOpen, pathAdd,
			pathProposals, pathExtend, pathApprove, pathReject, pathOfficers, pathPassword,
		},
	}
}

// signOnPage asks for login and password.
type signOnPage struct {
	page.Base
	Login   string
	Refusal string
}

func (o office) signOnPage(w http.ResponseWriter, r *http.Request) error {
	return face.Render(w, r, http.StatusOK, "signon", signOnPage{Base: face.Base(r, "signon.title")})
}

func (o office) signOn(w http.ResponseWriter, r *http.Request) error {
	err := o.tryPassword(w, r)
	if err == nil {
		http.Redirect(w, r, pathDraws, http.StatusSeeOther)
		return nil
	}
	refusal := o.app.Explain(r, err)
	p := signOnPage{Base: face.Base(r, "signon.title"), Login: r.PostForm.Get("login"), Refusal: refusal.Sentence}
	if errors.Is(err, central.ErrSignOn) {
		if p.Refusal, err = face.T(page.LangOf(r), "signon.refused"); err != nil {
			return err
		}
	}
	return face.Render(w, r, refusal.Status, "signon", p)
}

func (o office) tryPassword(w http.ResponseWriter, r *http.Request) error {
	forgive, err := o.app.SignOns.Try("office/" + o.app.ClientOf(r))
	if err != nil {
		return err
	}
	if err := page.ReadForm(r); err != nil {
		return err
	}
	officer, err := o.app.Sys.SignOnOfficer(r.Context(), r.PostForm.Get("login"), r.PostForm.Get("password"))
	if err != nil {
		return err
	}
	forgive()
	return o.app.SignIn(w, r, page.OfficerSession, officer.ID, sessionLife)
}

func (o office) signOff(w http.ResponseWriter, r *http.Request) error {
	if err := o.app.SignOut(w, r, page.OfficerSession); err != nil {
		return err
	}
	http.Redirect(w, r, pathSignOn, http.StatusSeeOther)
	return nil
}
