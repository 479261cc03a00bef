package portal

import (
	"errors"
	"net/http"

	"tirage/central"
	"tirage/web/page"
)

const pathPassword = pathAccount + "/mot-de-passe"

// passwordPage asks for the password and a new one.
type passwordPage struct {
	member
	form
	To string // where the form goes
}

func newPasswordPage(m member) passwordPage {
	return passwordPage{member: m, form: newForm(""), To: pathPassword}
}

func (p portal) passwordPage(w http.ResponseWriter, r *http.Request, m member) error {
	return face.Render(w, r, http.StatusOK, "password", newPasswordPage(m))
}

// changePassword ends all sessions of the player, and opens a new one here.
func (p portal) changePassword(w http.ResponseWriter, r *http.Request, m member) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	err := p.app.Sys.ChangePlayerPassword(r.Context(), m.Account.ID, r.PostForm.Get("old"), r.PostForm.Get("password"))
	if err != nil {
		v := newPasswordPage(m)
		return p.refuse(w, r, "password", &v.form, &v, atPassword(err))
	}
	if err := p.app.SignIn(w, r, page.PlayerSession, m.Account.ID, sessionLife); err != nil {
		return err
	}
	return done(w, r, pathSecurity, "nouveau-mot-de-passe")
}

// atPassword says which field a refusal is about.
func atPassword(err error) error {
	switch {
	case errors.Is(err, central.ErrOldPassword):
		return &fieldError{"old", err}
	case errors.Is(err, central.ErrSamePassword):
		return &fieldError{"password", err}
	}
	return err
}
