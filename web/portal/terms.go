package portal

import (
	"encoding/hex"
	"net/http"
	"time"

	"tirage/party"
	"tirage/web/page"
)

// termsPage is the rules of accounts in force, in words, for everybody; who has
// an account and has not accepted them does it here.
type termsPage struct {
	shell
	form
	Links  accountPaths
	Rules  *ruleWords // nil: none in force
	Accept bool
}

// ruleWords are rules of accounts with their times in the units that people use.
type ruleWords struct {
	*party.Rules
	Means                                                                         []string
	Digest                                                                        string
	RaiseHours, PauseHours, PauseDays, ExclusionHours, ExclusionDays, RealityMins int
}

func newRuleWords(r *party.Rules) *ruleWords {
	if r == nil {
		return nil
	}
	return &ruleWords{
		Rules: r, Means: r.UnconfirmedMeans, Digest: hex.EncodeToString(r.Hash[:]),
		RaiseHours: int(r.RaiseAfter / time.Hour), PauseHours: int(r.PauseMin / time.Hour), PauseDays: int(r.PauseMax / (24 * time.Hour)),
		ExclusionHours: int(r.ExclusionMin / time.Hour), ExclusionDays: int(r.ExclusionMax / (24 * time.Hour)), RealityMins: int(r.RealityEvery / time.Minute),
	}
}

func (p portal) newTermsPage(s shell, accept bool) termsPage {
	return termsPage{shell: s, form: newForm(""), Links: theAccountPaths, Rules: newRuleWords(p.app.Sys.AccountRules()), Accept: accept}
}

func (p portal) termsPage(w http.ResponseWriter, r *http.Request) error {
	s, err := p.shell(r, "terms.title", pathTerms)
	if err != nil {
		return err
	}
	accept := false
	if s.Player != nil {
		v, err := p.app.Sys.Player(r.Context(), s.Player.ID)
		if err != nil {
			return err
		}
		accept = newMember(s, v, p.app.Sys.AccountRules(), p.app.Sys.Now()).Accept
	}
	return face.Render(w, r, http.StatusOK, "terms", p.newTermsPage(s, accept))
}

// acceptTerms accepts the version that the form showed, if it is still the one in force.
func (p portal) acceptTerms(w http.ResponseWriter, r *http.Request, m member) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	err := p.app.Sys.AcceptTerms(r.Context(), r.PostForm.Get("key"), m.Account.ID, r.PostForm.Get("terms"))
	if err == nil {
		return done(w, r, pathAccount, "regles")
	}
	v := p.newTermsPage(m.shell, m.Accept)
	return p.refuse(w, r, "terms", &v.form, &v, err)
}

// termsText is the rules as they were published: the bytes that the journal has.
func (p portal) termsText(w http.ResponseWriter, _ *http.Request) error {
	rules := p.app.Sys.AccountRules()
	if rules == nil {
		return page.ErrNotFound
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(rules.Bytes) // the viewer may have gone
	return nil
}
