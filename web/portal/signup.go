package portal

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"tirage/central"
	"tirage/game"
	"tirage/web/page"
)

// signUpPage opens an account (INS-online). Whatever the address and the person
// have already, the answer to the form is one.
type signUpPage struct {
	entry
	Rules *ruleWords // nil: none in force, and nobody can sign up
}

func (p portal) newSignUpPage(r *http.Request) (signUpPage, error) {
	e, err := p.entry(r, "signup.title", pathSignUp)
	return signUpPage{e, newRuleWords(p.app.Sys.AccountRules())}, err
}

func (p portal) signUpPage(w http.ResponseWriter, r *http.Request) error {
	v, err := p.newSignUpPage(r)
	if err != nil {
		return err
	}
	if v.Player != nil {
		http.Redirect(w, r, pathAccount, http.StatusSeeOther)
		return nil
	}
	return face.Render(w, r, http.StatusOK, "signup", v)
}

func (p portal) signUp(w http.ResponseWriter, r *http.Request) error {
	err := p.trySignUp(r)
	if err == nil {
		http.Redirect(w, r, pathSent, http.StatusSeeOther)
		return nil
	}
	v, broken := p.newSignUpPage(r)
	if broken != nil {
		return broken
	}
	return p.refuse(w, r, "signup", &v.form, &v, err)
}

// trySignUp limits the sign-ups of a client: each hashes a password, and sends a message to somebody.
func (p portal) trySignUp(r *http.Request) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	u, err := readSignUp(page.LangOf(r), r.PostForm)
	if err != nil {
		return err
	}
	forgive, err := p.app.SignOns.Try("sign-up/" + p.app.ClientOf(r))
	if err != nil {
		return err
	}
	unwrite, err := p.writeTo(u.Person.Email)
	if err != nil {
		return err
	}
	if err := p.app.Sys.SignUp(r.Context(), u); err != nil {
		forgive()
		unwrite()
		return err
	}
	return nil
}

// readSignUp reads the form, and of it the fields that it has and no others.
func readSignUp(lang page.Lang, form url.Values) (u central.SignUp, err error) {
	u = central.SignUp{
		Key: form.Get("key"), Password: form.Get("password"), Terms: form.Get("terms"),
		Person: central.Person{
			Email: form.Get("email"), FirstName: form.Get("firstname"), LastName: form.Get("lastname"),
			BirthPlace: form.Get("birthplace"), Lang: lang.String(),
		},
	}
	if u.Person.BirthDay, err = readDay(form.Get("birthday")); err != nil {
		return u, err
	}
	if u.Deposits, err = readAmount(lang, form, "deposits"); err != nil {
		return u, err
	}
	u.Stakes, err = readAmount(lang, form, "stakes")
	return u, err
}

// readDay reads a day as fields of days send it, or as it is typed where there are none: 17/05/1980.
func readDay(text string) (game.Day, error) {
	text = strings.TrimSpace(text)
	if at, err := time.Parse("2/1/2006", text); err == nil {
		return game.DayOf(at, time.UTC), nil
	}
	return game.ParseDay(text)
}

// sentPage says that a message is on its way.
type sentPage struct {
	entry
	Demo bool
}

func (p portal) sentPage(w http.ResponseWriter, r *http.Request) error {
	e, err := p.entry(r, "sent.title", pathSignUp)
	if err != nil {
		return err
	}
	return face.Render(w, r, http.StatusOK, "sent", sentPage{e, p.app.Sys.Demo()})
}

// tokenPage is where the link of a message leads. Programs follow links too, so
// reading it does nothing: its button does.
type tokenPage struct {
	entry
	Token string
}

func (p portal) tokenPage(r *http.Request, title, token string) (tokenPage, error) {
	e, err := p.entry(r, title, "")
	return tokenPage{e, shorten(token, typedMax)}, err
}

func (p portal) confirmPage(w http.ResponseWriter, r *http.Request) error {
	v, err := p.tokenPage(r, "confirm.title", r.URL.Query().Get("jeton"))
	if err != nil {
		return err
	}
	return face.Render(w, r, http.StatusOK, "confirm", v)
}

func (p portal) confirm(w http.ResponseWriter, r *http.Request) error {
	err := p.tryConfirm(r)
	if err == nil {
		return done(w, r, pathSignOn, "confirmation")
	}
	v, broken := p.tokenPage(r, "confirm.title", r.PostForm.Get("jeton"))
	if broken != nil {
		return broken
	}
	return p.refuse(w, r, "confirm", &v.form, &v, err)
}

// tryConfirm limits the tries of a client, as those of sign-ons: each hashes a password.
func (p portal) tryConfirm(r *http.Request) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	forgive, err := p.app.SignOns.Try("confirm/" + p.app.ClientOf(r))
	if err != nil {
		return err
	}
	err = p.app.Sys.ConfirmEmail(r.Context(), r.PostForm.Get("jeton"), r.PostForm.Get("password"))
	if err == nil {
		forgive()
	}
	return err
}

// refuse shows a page again, of which a form was refused.
func (p portal) refuse(w http.ResponseWriter, r *http.Request, name string, f *form, data any, err error) error {
	refusal, broken := p.explain(r, err)
	if broken != nil {
		return broken
	}
	f.refuse(refusal, err, r.PostForm)
	return face.Render(w, r, refusal.Status, name, data)
}
