package portal

import (
	"errors"
	"net/http"

	"tirage/game"
	"tirage/money"
	"tirage/party"
	"tirage/web/page"
)

// theInstant is the instant game that the menu and the home page lead to.
const theInstant game.Code = "ile-au-tresor-instant"

// shell is what the frame around every page of the face needs: a page embeds it.
type shell struct {
	page.Base
	Here   string // address in the menu
	Paths  paths
	Player *signedOn // nil: nobody has signed on
}

// signedOn is the player whose browser asks.
type signedOn struct {
	ID      string
	Name    string       // given name
	Balance money.Amount // always in sight
}

// paths are the addresses that pages link to.
type paths struct {
	Home, Results, Draw, Check, Prepare, Odds, Help    string
	Play                                               string // the instant game
	Account, SignUp, SignOn, SignOff, History, Deposit string
	Pause, Tally                                       string
}

// thePaths is the one value of paths.
var thePaths = paths{
	pathHome, pathResults, pathDraw, pathCheck, pathPrepare, pathOdds, pathHelp,
	pathGame + "/" + string(theInstant),
	pathAccount, pathSignUp, pathSignOn, pathSignOff, pathHistory, pathDeposit,
	pathPause, pathTally,
}

// shell returns the frame of a page: its title's sentence, and where it stands
// in the menu, an address of [paths] or "".
func (p portal) shell(r *http.Request, title, here string) (shell, error) {
	s := shell{Base: face.Base(r, title), Here: here, Paths: thePaths}
	id, err := p.app.Session(r, page.PlayerSession)
	if errors.Is(err, page.ErrSignedOut) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	who, err := p.app.Sys.Player(r.Context(), id)
	if errors.Is(err, party.ErrUnknownPlayer) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	s.Player = &signedOn{id, who.Person.FirstName, p.app.Sys.PlayerBalance(id)}
	return s, nil
}

// handle registers a page of the face: a refusal is shown in the frame.
func (p portal) handle(mux *http.ServeMux, pattern string, h page.Handler) {
	p.app.Handle(mux, pattern, face, func(w http.ResponseWriter, r *http.Request) error {
		err := h(w, r)
		if err == nil {
			return nil
		}
		s, broken := p.shell(r, "error.title", "")
		if broken != nil {
			return err // the plain page of an error needs no system
		}
		v := errorPage{shell: s, Refusal: p.app.Explain(r, err)}
		if errors.Is(err, page.ErrSignedOut) {
			v.SignOn = signOnFor(r)
		}
		return face.Render(w, r, v.Refusal.Status, "error", v)
	})
}

// errorPage says why a request was not done.
type errorPage struct {
	shell
	Refusal page.Refusal
	SignOn  string // where that helps; ""
}

func (p portal) notFound(http.ResponseWriter, *http.Request) error { return page.ErrNotFound }
