package portal

import (
	"html/template"
	"net/http"

	"tirage/web/page"
)

// securityPage is how an account is opened: password, authenticator; and what is held of its player.
type securityPage struct {
	member
	form
	Secret string        // of an authenticator that was just made, to be typed or read from QR
	QR     template.HTML // an SVG of ours
	Begun  bool          // an authenticator waits for its first code
	Keys   bool          // passkeys are offered
}

func newSecurityPage(m member) securityPage { return securityPage{member: m, form: newForm("")} }

func (p portal) securityPage(w http.ResponseWriter, r *http.Request, m member) error {
	v := newSecurityPage(m)
	v.Keys = p.app.Sys.HasPasskeys()
	return face.Render(w, r, http.StatusOK, "security", v)
}

// security makes an authenticator, puts it in force by a code of it, or takes it out of force.
func (p portal) security(w http.ResponseWriter, r *http.Request, m member) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	v := newSecurityPage(m)
	v.Keys = p.app.Sys.HasPasskeys()
	var err error
	do, code := r.PostForm.Get("do"), r.PostForm.Get("code")
	switch { // sent twice, or from a page of before: it is so already
	case m.Account.TOTP && (do == "begin" || do == "confirm"):
		return done(w, r, pathSecurity, "code")
	case !m.Account.TOTP && do == "remove":
		return done(w, r, pathSecurity, "sans-code")
	}
	switch do {
	case "begin":
		var address string
		v.Secret, address, err = p.app.Sys.EnableTOTP(r.Context(), m.Account.ID)
		if err != nil {
			break
		}
		if v.QR, err = qrSVG(address); err != nil {
			return err
		}
		v.Begun = true
		return face.Render(w, r, http.StatusOK, "security", v)
	case "confirm":
		v.Begun = true
		if err = p.app.Sys.ConfirmTOTP(r.Context(), m.Account.ID, code); err == nil {
			return done(w, r, pathSecurity, "code")
		}
	case "remove":
		if err = p.app.Sys.DisableTOTP(r.Context(), m.Account.ID, code); err == nil {
			return done(w, r, pathSecurity, "sans-code")
		}
	default:
		return page.ErrForm
	}
	return p.refuse(w, r, "security", &v.form, &v, err)
}

// export is all that is held of the player, as JSON.
func (p portal) export(w http.ResponseWriter, r *http.Request, m member) error {
	d := download{to: w, kind: "application/json", name: "tirage-donnees.json"}
	return d.end(p.app, p.app.Sys.Export(r.Context(), m.Account.ID, &d))
}
