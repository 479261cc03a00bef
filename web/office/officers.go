package office

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"tirage/central"
	"tirage/party"
	"tirage/web/page"
)

// officersPage is the officers, the form that makes another one, and the form
// by which an officer changes his password.
type officersPage struct {
	frame
	Officers []officerLine
	Me       string // login of who looks at it
	Key      string // of a new officer
	OwnKey   string // of a new password
	Login    string // as typed
	Reason   string
	Refusal  refusal
	Notice   string
}

// Alone tells that there is one officer, who makes the second; all others take two.
func (p officersPage) Alone() bool { return len(p.Officers) == 1 }

// passwordPage is all that an officer gets whose password somebody else chose.
type passwordPage struct {
	frame
	Me, OwnKey string
	Issued     bool
	Refusal    refusal
}

// officerLine is an officer.
type officerLine struct {
	Login string
	Mine  bool
}

// The forms of the page.
const (
	formOfficer  = "officer"
	formPassword = "password"
)

func (o office) officersPage(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	p, err := o.officers(r, officer)
	if err != nil {
		return err
	}
	switch r.URL.Query().Get("fait") {
	case "ajout":
		p.Notice, err = face.T(p.Lang, "officers.made")
	case "mot-de-passe":
		p.Notice, err = face.T(p.Lang, "officers.changed")
	}
	if err != nil {
		return err
	}
	return face.Render(w, r, http.StatusOK, "officers", p)
}

func (o office) officers(r *http.Request, officer party.Officer) (officersPage, error) {
	p := officersPage{frame: o.frame(r, "officers.title", pathOfficers), Key: page.NewKey(), OwnKey: page.NewKey()}
	if r.Method == http.MethodPost {
		p.Switch = pathOfficers + "?" + url.Values{"lang": {p.Lang.Other().String()}}.Encode()
	}
	logins, err := o.app.Sys.Logins(r.Context())
	if err != nil {
		return p, err
	}
	for id, login := range logins {
		p.Officers = append(p.Officers, officerLine{login, id == officer.ID})
	}
	slices.SortFunc(p.Officers, func(a, b officerLine) int { return strings.Compare(a.Login, b.Login) })
	p.Me = logins[officer.ID]
	return p, nil
}

// makeOfficer makes the second officer, or proposes another: whoever could make
// one alone could approve what he proposes himself (F18).
func (o office) makeOfficer(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	form := r.PostForm
	if !form.Has("password") {
		c := central.Change{Act: central.ActMakeOfficer, Login: form.Get("login"), Reason: reasonOf(form)}
		if err := o.submit(r, officer, c); err != nil {
			return o.refuseOfficer(w, r, officer, formOfficer, err)
		}
		http.Redirect(w, r, pathProposals+"?fait=proposition", http.StatusSeeOther)
		return nil
	}
	_, err := o.app.Sys.PutOfficer(r.Context(), central.PutOfficer{
		Key: form.Get("key"), By: officer.ID, Login: form.Get("login"), Password: form.Get("password"), Roles: []string{"all"},
	})
	if err != nil {
		return o.refuseOfficer(w, r, officer, formOfficer, err)
	}
	http.Redirect(w, r, pathOfficers+"?fait=ajout", http.StatusSeeOther)
	return nil
}

// changePassword gives the officer who asks another password. It ends his
// sessions, and this one begins anew. Tries count as those to sign on.
func (o office) changePassword(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	if err := o.tryChange(w, r, officer); err != nil {
		return o.refusePassword(w, r, officer, err)
	}
	http.Redirect(w, r, pathOfficers+"?fait=mot-de-passe", http.StatusSeeOther)
	return nil
}

// passwordPage asks for another password, and for nothing else.
func (o office) passwordPage(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	p, err := o.password(r, officer)
	if err != nil {
		return err
	}
	return face.Render(w, r, http.StatusOK, "password", p)
}

func (o office) password(r *http.Request, officer party.Officer) (passwordPage, error) {
	p := passwordPage{frame: o.frame(r, "officers.own", pathPassword), OwnKey: page.NewKey()}
	logins, err := o.app.Sys.Logins(r.Context())
	if err != nil {
		return p, err
	}
	p.Me = logins[officer.ID]
	p.Issued, err = o.app.Sys.MustChangePassword(r.Context(), officer.ID)
	return p, err
}

func (o office) tryChange(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	form := r.PostForm
	if form.Get("new") != form.Get("again") {
		return &fieldError{http.StatusUnprocessableEntity, "again", "officers.fault.again", nil}
	}
	forgive, err := o.app.SignOns.Try("office/password/" + officer.ID)
	if err != nil {
		return err
	}
	err = o.app.Sys.ChangePassword(r.Context(), central.ChangePassword{
		Key: form.Get("key"), Officer: officer.ID, Old: form.Get("old"), New: form.Get("new"),
	})
	if errors.Is(err, central.ErrSignOn) {
		return &fieldError{http.StatusForbidden, "old", "officers.fault.old", nil}
	}
	if err != nil {
		return err
	}
	forgive()
	return o.app.SignIn(w, r, page.OfficerSession, officer.ID, sessionLife)
}

// refuseOfficer shows the page again with the reason, in the form that sent it.
// Passwords are never sent back.
func (o office) refuseOfficer(w http.ResponseWriter, r *http.Request, officer party.Officer, form string, err error) error {
	p, pageErr := o.officers(r, officer)
	if pageErr != nil {
		return pageErr
	}
	p.Login, p.Reason = r.PostForm.Get("login"), r.PostForm.Get("reason")
	p.Refusal.Form = form
	status, err := o.explain(r, &p.Refusal, err)
	if err != nil {
		return err
	}
	return face.Render(w, r, status, "officers", p)
}

// refusePassword does so for the form of a password, on the page that the officer has.
func (o office) refusePassword(w http.ResponseWriter, r *http.Request, officer party.Officer, err error) error {
	p, pageErr := o.password(r, officer)
	if pageErr != nil {
		return pageErr
	}
	if !p.Issued {
		return o.refuseOfficer(w, r, officer, formPassword, err)
	}
	p.Refusal.Form = formPassword
	status, err := o.explain(r, &p.Refusal, err)
	if err != nil {
		return err
	}
	return face.Render(w, r, status, "password", p)
}
