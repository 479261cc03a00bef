package portal

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"tirage/central"
	"tirage/money"
	"tirage/party"
	"tirage/web/page"
)

// The addresses of a player's account. Those of links in messages are [central.ConfirmPath] and [central.ResetPath].
const (
	pathSignUp    = "/inscription"
	pathSent      = "/inscription/message"
	pathSignOn    = "/connexion"
	pathSignOff   = "/deconnexion"
	pathForgotten = central.ForgottenPath
	pathTerms     = "/regles-des-comptes"
	pathTermsText = "/regles-des-comptes/texte"

	pathAccount    = "/compte"
	pathDeposit    = "/compte/depot"
	pathCardBack   = "/compte/depot/retour"
	pathWithdraw   = "/compte/retrait"
	pathLimits     = "/compte/limites"
	pathPause      = "/compte/pause"
	pathPauseSure  = "/compte/pause/confirmation"
	pathHistory    = "/compte/historique"
	pathHistoryCSV = "/compte/historique.csv"
	pathSecurity   = "/compte/securite"
	pathExport     = "/compte/donnees.json"
	pathClose      = "/compte/cloture"
)

func (p portal) accountRoutes(mux *http.ServeMux) {
	p.handle(mux, "GET "+pathSignUp, p.signUpPage)
	p.handle(mux, "POST "+pathSignUp, p.signUp)
	p.handle(mux, "GET "+pathSent, p.sentPage)
	p.handle(mux, "GET "+central.ConfirmPath, p.confirmPage)
	p.handle(mux, "POST "+central.ConfirmPath, p.confirm)
	p.handle(mux, "GET "+pathSignOn, p.signOnPage)
	p.handle(mux, "POST "+pathSignOn, p.signOn)
	p.handle(mux, "POST "+pathSignOff, p.signOff)
	p.handle(mux, "GET "+pathForgotten, p.forgottenPage)
	p.handle(mux, "POST "+pathForgotten, p.forgotten)
	p.handle(mux, "GET "+central.ResetPath, p.resetPage)
	p.handle(mux, "POST "+central.ResetPath, p.reset)
	p.handle(mux, "GET "+pathTerms, p.termsPage)
	p.handle(mux, "POST "+pathTerms, p.member("terms.title", "", p.acceptTerms))
	p.handle(mux, "GET "+pathTermsText, p.termsText)

	p.handle(mux, "GET "+pathAccount, p.member("account.title", pathAccount, p.account))
	p.handle(mux, "GET "+pathDeposit, p.member("deposit.title", pathDeposit, p.depositPage))
	p.handle(mux, "POST "+pathDeposit, p.member("deposit.title", pathDeposit, p.deposit))
	p.handle(mux, "GET "+pathCardBack, p.member("deposit.title", pathDeposit, p.cardBack))
	p.handle(mux, "GET "+pathWithdraw, p.member("withdraw.title", pathWithdraw, p.withdrawPage))
	p.handle(mux, "POST "+pathWithdraw, p.member("withdraw.title", pathWithdraw, p.withdraw))
	p.handle(mux, "GET "+pathLimits, p.member("limits.title", pathLimits, p.limitsPage))
	p.handle(mux, "POST "+pathLimits, p.member("limits.title", pathLimits, p.setLimits))
	p.handle(mux, "GET "+pathPause, p.member("pause.title", pathPause, p.pausePage))
	p.handle(mux, "GET "+pathPauseSure, p.member("pause.sure.title", pathPause, p.pauseSure))
	p.handle(mux, "POST "+pathPauseSure, p.member("pause.sure.title", pathPause, p.pause))
	p.handle(mux, "GET "+pathHistory, p.member("history.title", pathHistory, p.history))
	p.handle(mux, "GET "+pathHistoryCSV, p.member("history.title", pathHistory, p.historyCSV))
	p.handle(mux, "GET "+pathSecurity, p.member("security.title", pathSecurity, p.securityPage))
	p.handle(mux, "POST "+pathSecurity, p.member("security.title", pathSecurity, p.security))
	p.handle(mux, "GET "+pathExport, p.member("security.title", pathSecurity, p.export))
	p.handle(mux, "GET "+pathClose, p.member("close.title", pathSecurity, p.closePage))
	p.handle(mux, "POST "+pathClose, p.member("close.title", pathSecurity, p.closeAccount))
}

// accountPaths are the addresses that pages of an account link to.
type accountPaths struct {
	Account, Deposit, Withdraw, Limits, Pause, PauseSure, History, HistoryCSV, Security, Export, Close string
	Terms, TermsText, Forgotten, Confirm, Reset                                                        string
	Password, Passkeys, PasskeySignOn                                                                  string
}

var theAccountPaths = accountPaths{
	pathAccount, pathDeposit, pathWithdraw, pathLimits, pathPause, pathPauseSure, pathHistory, pathHistoryCSV, pathSecurity, pathExport, pathClose,
	pathTerms, pathTermsText, pathForgotten, central.ConfirmPath, central.ResetPath,
	pathPassword, pathPasskeys, pathPasskeySignOn,
}

// entry is the frame of pages for those who have not signed on, with their one form.
type entry struct {
	shell
	form
	Links  accountPaths
	Notice string // what was just done
}

func (p portal) entry(r *http.Request, title, here string) (entry, error) {
	s, err := p.shell(r, title, here)
	if err != nil {
		return entry{}, err
	}
	e := entry{shell: s, form: newForm(""), Links: theAccountPaths}
	e.Notice, err = notice(r)
	return e, err
}

// member is the frame of the pages of a player's account.
type member struct {
	shell
	Links   accountPaths
	Account central.PlayerView
	Rules   *party.Rules // in force; nil: none are published
	Now     time.Time
	Notice  string // what was just done

	Accept   bool      // the rules in force are not accepted yet
	Paused   time.Time // until when; zero: not now
	Excluded time.Time
}

type memberHandler func(w http.ResponseWriter, r *http.Request, m member) error

// member gives a handler the player who asks; whoever has no session is sent to
// sign on, and comes back.
func (p portal) member(title, here string, h memberHandler) page.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		s, err := p.shell(r, title, here)
		if err != nil {
			return err
		}
		if s.Player == nil {
			http.Redirect(w, r, signOnFor(r), http.StatusSeeOther)
			return nil
		}
		if r.Method == http.MethodPost {
			if err := p.app.Acts.Allow(s.Player.ID); err != nil {
				return err
			}
		}
		v, err := p.app.Sys.Player(r.Context(), s.Player.ID)
		if err != nil {
			return err
		}
		m := newMember(s, v, p.app.Sys.AccountRules(), p.app.Sys.Now())
		if m.Notice, err = notice(r); err != nil {
			return err
		}
		return h(w, r, m)
	}
}

func newMember(s shell, v central.PlayerView, rules *party.Rules, now time.Time) member {
	m := member{shell: s, Links: theAccountPaths, Account: v, Rules: rules, Now: now}
	m.Accept = rules != nil && v.Terms != rules.Version && !v.Closed
	if now.Before(v.PausedUntil) {
		m.Paused = v.PausedUntil
	}
	if now.Before(v.ExcludedUntil) {
		m.Excluded = v.ExcludedUntil
	}
	return m
}

// doneWords are what the parameter "fait" of an address may say was just done.
var doneWords = []string{
	"confirmation", "depart", "mot-de-passe", "regles", "versement", "deja", "retrait", "limites", "pause", "exclusion", "code", "sans-code", "cloture", "demande",
	"nouveau-mot-de-passe", "cle", "nom-cle", "sans-cle",
}

// notice is the sentence of what was just done, or "".
func notice(r *http.Request) (string, error) {
	word := r.URL.Query().Get("fait")
	for _, w := range doneWords {
		if w == word {
			return face.T(page.LangOf(r), "done."+w)
		}
	}
	return "", nil
}

// done goes to a page that says what was just done.
func done(w http.ResponseWriter, r *http.Request, path, word string) error {
	http.Redirect(w, r, path+"?"+url.Values{"fait": {word}}.Encode(), http.StatusSeeOther)
	return nil
}

// accountPage is an account at a glance.
type accountPage struct {
	member
	Limits  []limitView
	Session *tally // since the player signed on; nil: not counted
	Lines   []historyLine
	Left    money.Amount // that may still be deposited before the identity check
}

// glance is how many movements an account shows at a glance.
const glance = 5

func (p portal) account(w http.ResponseWriter, r *http.Request, m member) error {
	v := newAccountPage(m)
	var err error
	if v.Session, _, err = p.reality(w, r, m.Account.ID); err != nil {
		return err
	}
	list, err := p.app.Sys.History(r.Context(), m.Account.ID, 0, glance)
	if err != nil {
		return err
	}
	if v.Lines, err = p.lines(r, m, list); err != nil {
		return err
	}
	return face.Render(w, r, http.StatusOK, "account", v)
}

func newAccountPage(m member) accountPage {
	v := accountPage{member: m, Limits: limitsOf(m)}
	if m.Rules != nil {
		v.Left = max(0, m.Rules.UnconfirmedMax.Sub(m.Account.DepositedEver))
	}
	return v
}

// Free tells whether nothing but a limit or the balance keeps the player from play and deposits.
func (m member) Free() bool {
	return !m.Account.Closed && !m.Accept && m.Paused.IsZero() && m.Excluded.IsZero()
}

// VouchersShut tells whether vouchers are not taken from the account.
func (m member) VouchersShut() bool { return !m.takes("voucher") }

// takes tells whether a means of deposit is open to the account.
func (m member) takes(means string) bool {
	if m.Rules == nil {
		return false
	}
	err := m.Account.MayDeposit(m.Rules, m.Now, m.Rules.DepositMin, means, 0, 0)
	return !errors.Is(err, party.ErrMeans)
}

// nextOf is where to go after a sign-on: a page of the account or of a game, and nowhere else.
func nextOf(v url.Values) string {
	next := v.Get("suite")
	if next == pathAccount || strings.HasPrefix(next, pathAccount+"/") || strings.HasPrefix(next, pathGame+"/") {
		return next
	}
	return pathAccount
}
