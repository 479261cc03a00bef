package portal

import (
	"errors"
	"net/http"
	"slices"

	"tirage/central"
	"tirage/party"
	"tirage/web/page"
)

const (
	pathPasskeys      = pathAccount + "/cles"
	pathPasskeySignOn = pathSignOn + "/cle"
	pathPasskeyAnswer = pathPasskeySignOn + "/reponse"
)

func (p portal) passkeyRoutes(mux *http.ServeMux) {
	p.handle(mux, "GET "+pathPassword, p.member("password.title", pathSecurity, p.passwordPage))
	p.handle(mux, "POST "+pathPassword, p.member("password.title", pathSecurity, p.changePassword))
	p.handle(mux, "GET "+pathPasskeys, p.member("passkeys.title", pathSecurity, p.passkeysPage))
	p.handle(mux, "POST "+pathPasskeys, p.member("passkeys.title", pathSecurity, p.passkeys))
	p.handle(mux, "GET "+pathPasskeySignOn, p.backToSignOn)
	p.handle(mux, "POST "+pathPasskeySignOn, p.passkeySignOnPage)
	p.handle(mux, "GET "+pathPasskeyAnswer, p.backToSignOn)
	p.handle(mux, "POST "+pathPasskeyAnswer, p.passkeySignOn)
}

// ceremony is what the script passkey.js does with the browser's passkeys, and
// where the answer is sent.
type ceremony struct {
	To      string // address
	Do      string // "create", "get"
	Options string // of navigator.credentials, as JSON
}

// passkeysPage lists the passkeys of an account, and adds one in two steps:
// password and name, then what the browser asks.
type passkeysPage struct {
	member
	form
	To       string // where the forms go
	Keys     []central.Passkey
	Faulty   string // id of the passkey that the refused form is about; "": a new one
	Ceremony *ceremony
	Name     string // of the passkey to be added
}

func (p portal) newPasskeysPage(r *http.Request, m member) (passkeysPage, error) {
	v := passkeysPage{member: m, form: newForm(""), To: pathPasskeys}
	if !p.app.Sys.HasPasskeys() {
		return v, central.ErrPasskeySite
	}
	var err error
	v.Keys, err = p.app.Sys.Passkeys(r.Context(), m.Account.ID)
	return v, err
}

func (p portal) passkeysPage(w http.ResponseWriter, r *http.Request, m member) error {
	v, err := p.newPasskeysPage(r, m)
	if err != nil {
		return err
	}
	return face.Render(w, r, http.StatusOK, "passkeys", v)
}

// passkeys begins or ends the adding of a passkey, names one or removes one.
func (p portal) passkeys(w http.ResponseWriter, r *http.Request, m member) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	f, player := r.PostForm, m.Account.ID
	var word string
	var err error
	switch f.Get("do") {
	case "begin":
		return p.beginPasskey(w, r, m)
	case "finish":
		word, err = "cle", p.app.Sys.FinishPasskey(r.Context(), player, f.Get("name"), []byte(f.Get("answer")))
	case "rename":
		word, err = "nom-cle", p.app.Sys.RenamePasskey(r.Context(), player, f.Get("id"), f.Get("name"))
	case "remove":
		word, err = "sans-cle", p.app.Sys.RemovePasskey(r.Context(), player, f.Get("id"), f.Get("password"))
	default:
		return page.ErrForm
	}
	if err != nil {
		return p.refusePasskey(w, r, m, err)
	}
	return done(w, r, pathPasskeys, word)
}

func (p portal) beginPasskey(w http.ResponseWriter, r *http.Request, m member) error {
	options, err := p.app.Sys.BeginPasskey(r.Context(), m.Account.ID, r.PostForm.Get("password"))
	if err != nil {
		return p.refusePasskey(w, r, m, err)
	}
	v, err := p.newPasskeysPage(r, m)
	if err != nil {
		return err
	}
	v.Name, v.Ceremony = r.PostForm.Get("name"), &ceremony{pathPasskeys, "create", string(options)}
	return face.Render(w, r, http.StatusOK, "passkeys", v)
}

func (p portal) refusePasskey(w http.ResponseWriter, r *http.Request, m member, err error) error {
	v, broken := p.newPasskeysPage(r, m)
	if broken != nil {
		return broken
	}
	id := r.PostForm.Get("id")
	if slices.ContainsFunc(v.Keys, func(k central.Passkey) bool { return k.ID == id }) {
		v.Faulty = id // else the passkey is gone, and the page says so beside the form that is left
	}
	switch {
	case errors.Is(err, central.ErrOldPassword):
		err = &fieldError{"password", err}
	case errors.Is(err, central.ErrPasskeyName):
		err = &fieldError{"name", err}
	}
	return p.refuse(w, r, "passkeys", &v.form, &v, err)
}

// Of are the forms that name a passkey and remove it.
func (v passkeysPage) Of(k central.Passkey) passkeyForm {
	f := passkeyForm{form: form{ID: "p-" + k.ID + "-"}, Passkey: k, Email: v.Account.Person.Email, To: v.To}
	if v.Faulty == k.ID {
		f.Refusal, f.Fault, f.typed = v.Refusal, v.Fault, v.typed
	}
	return f
}

// Adding is the form of a new passkey.
func (v passkeysPage) Adding() form {
	if v.Faulty != "" {
		return form{ID: v.ID}
	}
	return v.form
}

// passkeyForm is a passkey with the forms that name it and remove it.
type passkeyForm struct {
	form
	Passkey central.Passkey
	Email   string // of the player
	To      string
}

// passkeySignOnPage asks the browser for a passkey.
type passkeySignOnPage struct {
	entry
	Next     string
	Ceremony *ceremony // nil: none can be begun now
}

func (p portal) backToSignOn(w http.ResponseWriter, r *http.Request) error {
	http.Redirect(w, r, pathSignOn, http.StatusSeeOther)
	return nil
}

func (p portal) newPasskeySignOnPage(r *http.Request) (v passkeySignOnPage, err error) {
	if v.entry, err = p.entry(r, "passkeysignon.title", pathSignOn); err != nil {
		return v, err
	}
	v.Next = nextOf(r.PostForm)
	options, err := p.app.Sys.BeginPasskeySignOn(r.Context())
	v.Ceremony = &ceremony{pathPasskeyAnswer, "get", string(options)}
	return v, err
}

func (p portal) passkeySignOnPage(w http.ResponseWriter, r *http.Request) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	if err := p.app.SignOns.Allow("passkey/" + p.app.ClientOf(r)); err != nil {
		return err
	}
	v, err := p.newPasskeySignOnPage(r)
	if err != nil {
		return err
	}
	return face.Render(w, r, http.StatusOK, "signon_passkey", v)
}

func (p portal) passkeySignOn(w http.ResponseWriter, r *http.Request) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	forgive, err := p.app.SignOns.Try("passkey/" + p.app.ClientOf(r))
	if err != nil {
		return err
	}
	player, err := p.app.Sys.SignOnPasskey(r.Context(), []byte(r.PostForm.Get("answer")))
	if err == nil {
		forgive()
		var next string
		if next, err = p.welcome(w, r, player); err == nil {
			http.Redirect(w, r, next, http.StatusSeeOther)
			return nil
		}
	}
	v, broken := p.newPasskeySignOnPage(r)
	if broken != nil {
		return broken
	}
	return p.refuse(w, r, "signon_passkey", &v.form, &v, err)
}

// welcome opens a session of a player who has shown who he is, and returns where
// he goes on: with the rules, if those in force were not accepted.
func (p portal) welcome(w http.ResponseWriter, r *http.Request, player party.Player) (next string, err error) {
	if err := p.app.SignIn(w, r, page.PlayerSession, player.ID, sessionLife); err != nil {
		return "", err
	}
	forgetSince(w)
	if rules := p.app.Sys.AccountRules(); rules != nil && rules.Version != player.Terms && !player.Closed {
		return pathTerms, nil
	}
	return nextOf(r.PostForm), nil
}
