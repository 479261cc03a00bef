package portal

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"tirage/central"
	"tirage/web/page"
)

// sessionLife is how long a player stays signed on: an evening.
const sessionLife = 4 * time.Hour

// signOnPage asks for address and password, and for the code of an authenticator.
type signOnPage struct {
	entry
	Next string
	Code bool // it was asked for
	Keys bool // passkeys sign on too
}

func (p portal) newSignOnPage(r *http.Request, v url.Values) (signOnPage, error) {
	e, err := p.entry(r, "signon.title", pathSignOn)
	return signOnPage{entry: e, Next: nextOf(v), Keys: p.app.Sys.HasPasskeys()}, err
}

// signOnFor is where a player signs on for a request that needs it, and from
// where he goes on with its page, or with that of the form that he sent.
func signOnFor(r *http.Request) string {
	next := r.URL.RequestURI()
	if r.Method != http.MethodGet {
		next = strings.TrimSuffix(r.URL.Path, "/"+pathUnit) // a play is sent from the game's page, any other form to its own
	}
	return pathSignOn + "?" + url.Values{"suite": {next}}.Encode()
}

func (p portal) signOnPage(w http.ResponseWriter, r *http.Request) error {
	v, err := p.newSignOnPage(r, r.URL.Query())
	if err != nil {
		return err
	}
	if v.Player != nil {
		http.Redirect(w, r, v.Next, http.StatusSeeOther)
		return nil
	}
	return face.Render(w, r, http.StatusOK, "signon", v)
}

func (p portal) signOn(w http.ResponseWriter, r *http.Request) error {
	next, err := p.tryPassword(w, r)
	if err == nil {
		http.Redirect(w, r, next, http.StatusSeeOther)
		return nil
	}
	v, broken := p.newSignOnPage(r, r.PostForm)
	if broken != nil {
		return broken
	}
	v.Code = errors.Is(err, central.ErrCode)
	return p.refuse(w, r, "signon", &v.form, &v, err)
}

// tryPassword opens a session, and returns where it goes on: with the rules, if
// those in force were not accepted. Tries are limited by client here, and by
// address in the central system, where they are the same for addresses that nobody has.
func (p portal) tryPassword(w http.ResponseWriter, r *http.Request) (next string, err error) {
	if err := page.ReadForm(r); err != nil {
		return "", err
	}
	forgive, err := p.app.SignOns.Try("player/" + p.app.ClientOf(r))
	if err != nil {
		return "", err
	}
	code := r.PostForm.Get("code")
	player, err := p.app.Sys.SignOnPlayer(r.Context(), r.PostForm.Get("email"), r.PostForm.Get("password"), code)
	if err == nil || errors.Is(err, central.ErrCode) && code == "" { // the password was right
		forgive()
	}
	if err != nil {
		return "", err
	}
	return p.welcome(w, r, player)
}

func (p portal) signOff(w http.ResponseWriter, r *http.Request) error {
	if err := p.app.SignOut(w, r, page.PlayerSession); err != nil {
		return err
	}
	forgetSince(w)
	return done(w, r, pathSignOn, "depart")
}

func (p portal) forgottenPage(w http.ResponseWriter, r *http.Request) error {
	v, err := p.entry(r, "forgotten.title", pathSignOn)
	if err != nil {
		return err
	}
	return face.Render(w, r, http.StatusOK, "forgotten", v)
}

// writeTo counts a message that a stranger has us send to an address, whether it
// has an account or not; forgive takes one back that is not sent.
func (p portal) writeTo(email string) (forgive func(), err error) {
	return p.app.Messages.Try(strings.ToLower(strings.TrimSpace(email)))
}

// forgotten sends a link, if the address has an account, and says the same if not.
func (p portal) forgotten(w http.ResponseWriter, r *http.Request) error {
	err := page.ReadForm(r)
	if err == nil {
		err = p.app.SignOns.Allow("forgotten/" + p.app.ClientOf(r))
	}
	if err == nil {
		_, err = p.writeTo(r.PostForm.Get("email"))
	}
	if err == nil {
		err = p.app.Sys.ForgotPassword(r.Context(), r.PostForm.Get("email"))
	}
	if err == nil {
		return done(w, r, pathForgotten, "demande")
	}
	v, broken := p.entry(r, "forgotten.title", pathSignOn)
	if broken != nil {
		return broken
	}
	return p.refuse(w, r, "forgotten", &v.form, &v, err)
}

func (p portal) resetPage(w http.ResponseWriter, r *http.Request) error {
	token := r.URL.Query().Get("jeton")
	if token == "" {
		http.Redirect(w, r, pathForgotten, http.StatusSeeOther)
		return nil
	}
	v, err := p.tokenPage(r, "reset.title", token)
	if err != nil {
		return err
	}
	return face.Render(w, r, http.StatusOK, "reset", v)
}

func (p portal) reset(w http.ResponseWriter, r *http.Request) error {
	err := page.ReadForm(r)
	if err == nil {
		err = p.app.Sys.ResetPassword(r.Context(), r.PostForm.Get("jeton"), r.PostForm.Get("password"))
	}
	if err == nil {
		return done(w, r, pathSignOn, "mot-de-passe")
	}
	v, broken := p.tokenPage(r, "reset.title", r.PostForm.Get("jeton"))
	if broken != nil {
		return broken
	}
	return p.refuse(w, r, "reset", &v.form, &v, err)
}
