package page

import (
	"crypto/sha256"
	"errors"
	"net/http"
	"time"

	"tirage/central"
)

// Kinds of sessions: who is signed on. A browser may hold one of each, but a
// terminal is live or in training: those two have one cookie.
const (
	TerminalSession = "terminal"
	TrainingSession = "training"
	OfficerSession  = "officer"
	PlayerSession   = "player"
)

// SignIn opens a session for a subject who has just proved who he is, and gives
// its token to the browser. A session that the browser already had is ended, so
// a token planted before the sign-on is worth nothing after it.
func (a *App) SignIn(w http.ResponseWriter, r *http.Request, kind, subject string, life time.Duration) error {
	return a.signIn(w, r, kind, life, func() (string, error) { return a.Sys.NewSession(r.Context(), kind, subject, life) })
}

// SignInTerminal is [App.SignIn] for the terminal of a device key, which it still has
// to have. It returns what [central.System.NewTerminalSession] refuses.
func (a *App) SignInTerminal(w http.ResponseWriter, r *http.Request, deviceKey string, life time.Duration) error {
	return a.signIn(w, r, TerminalSession, life, func() (string, error) { return a.Sys.NewTerminalSession(r.Context(), deviceKey, life) })
}

func (a *App) signIn(w http.ResponseWriter, r *http.Request, kind string, life time.Duration, open func() (token string, err error)) error {
	if !a.private(r) {
		return ErrInsecure
	}
	if err := a.end(r, kind); err != nil {
		return err
	}
	token, err := open()
	if err != nil {
		return err
	}
	http.SetCookie(w, a.sessionCookie(r, kind, token, int(life/time.Second)))
	return nil
}

// ChangeSession makes a session of a kind one of another kind, which has the
// same cookie, the same subject and the same end, under a new token. It returns
// [ErrSignedOut] when the browser has none of the first kind.
func (a *App) ChangeSession(w http.ResponseWriter, r *http.Request, from, to string) error {
	c, err := r.Cookie(a.cookieName(r, from))
	if err != nil || !a.private(r) {
		return ErrSignedOut
	}
	token, life, err := a.Sys.ChangeSession(r.Context(), c.Value, from, to)
	if errors.Is(err, central.ErrSession) {
		return ErrSignedOut
	}
	if err != nil {
		return err
	}
	http.SetCookie(w, a.sessionCookie(r, to, token, int(life/time.Second)))
	return nil
}

// SignOut ends the session of a kind.
func (a *App) SignOut(w http.ResponseWriter, r *http.Request, kind string) error {
	if err := a.end(r, kind); err != nil {
		return err
	}
	http.SetCookie(w, a.sessionCookie(r, kind, "", -1))
	return nil
}

// Session returns the subject who is signed on, or [ErrSignedOut]: never, or no longer.
func (a *App) Session(r *http.Request, kind string) (subject string, err error) {
	c, err := r.Cookie(a.cookieName(r, kind))
	if err != nil || c.Value == "" {
		return "", ErrSignedOut
	}
	got, subject, err := a.Sys.Session(r.Context(), c.Value)
	if errors.Is(err, central.ErrSession) {
		return "", ErrSignedOut
	}
	if err != nil {
		return "", err
	}
	if got != kind {
		return "", ErrSignedOut
	}
	return subject, nil
}

// SessionMark names the session of a kind that the browser shows, without its
// token: what is kept in memory for one session is not for the next one. It
// is not checked; see [App.Session].
func (a *App) SessionMark(r *http.Request, kind string) [32]byte {
	c, err := r.Cookie(a.cookieName(r, kind))
	if err != nil {
		return [32]byte{}
	}
	return sha256.Sum256([]byte("session mark " + c.Value))
}

// cookiesMax is how many cookies of a name are looked at, the first of a request: a
// browser has one, and perhaps some that were planted under longer paths. Anybody may send thousands.
const cookiesMax = 10

func (a *App) end(r *http.Request, kind string) error {
	var tokens []string
	for _, c := range r.CookiesNamed(a.cookieName(r, kind)) {
		if len(tokens) == cookiesMax {
			break
		}
		tokens = append(tokens, c.Value)
	}
	return a.Sys.EndSession(r.Context(), tokens...)
}

// cookieName has the prefix that makes browsers refuse a cookie of another
// host, path or protocol; it needs TLS.
func (a *App) cookieName(r *http.Request, kind string) string {
	if kind == TrainingSession {
		kind = TerminalSession
	}
	if a.secure(r) {
		return "__Host-" + kind
	}
	return kind
}

func (a *App) sessionCookie(r *http.Request, kind, token string, seconds int) *http.Cookie {
	return &http.Cookie{
		Name: a.cookieName(r, kind), Value: token, Path: "/", MaxAge: seconds,
		HttpOnly: true, Secure: a.secure(r), SameSite: http.SameSiteStrictMode,
	}
}
