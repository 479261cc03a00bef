package portal

import (
	"net/http"
	"time"

	"tirage/central"
	"tirage/money"
	"tirage/party"
	"tirage/web/page"
)

// limitView is a limit, what is used of it, and what waits to hold.
type limitView struct {
	Kind       string // "deposits", "stakes"
	Max        money.Amount
	Used, Left money.Amount
	Coming     bool
	Next       money.Amount // 0: none
	NextAt     time.Time
}

func newLimitView(kind string, l party.Limit, used money.Amount, now time.Time) limitView {
	v := limitView{Kind: kind, Max: l.Now(now), Used: used}
	v.Left = max(0, v.Max.Sub(used))
	if now.Before(l.At) {
		v.Coming, v.Next, v.NextAt = true, l.Next, l.At
	}
	return v
}

// Thousandths is how much of the limit is used, at most all of it.
func (v limitView) Thousandths() int64 {
	if v.Max == 0 {
		return 0
	}
	return min(1000, int64(v.Used)*1000/int64(v.Max))
}

func limitsOf(m member) []limitView {
	return []limitView{
		newLimitView("deposits", m.Account.Deposits, m.Account.Deposited, m.Now),
		newLimitView("stakes", m.Account.Stake, m.Account.Staked, m.Now),
	}
}

// limitsPage sets limits: lower at once, higher after a while.
type limitsPage struct {
	member
	form
	Limits     []limitView
	RaiseHours int
}

func newLimitsPage(m member) limitsPage {
	v := limitsPage{member: m, form: newForm(""), Limits: limitsOf(m)}
	if m.Rules != nil {
		v.RaiseHours = int(m.Rules.RaiseAfter / time.Hour)
	}
	return v
}

// Starts is what the field of a limit starts with.
func (v limitsPage) Starts(l limitView) string { return editable(v.Lang, l.Max) }

func (p portal) limitsPage(w http.ResponseWriter, r *http.Request, m member) error {
	return face.Render(w, r, http.StatusOK, "limits", newLimitsPage(m))
}

func (p portal) setLimits(w http.ResponseWriter, r *http.Request, m member) error {
	err := p.trySetLimits(r, m)
	if err == nil {
		return done(w, r, pathLimits, "limites")
	}
	v := newLimitsPage(m)
	return p.refuse(w, r, "limits", &v.form, &v, err)
}

// trySetLimits asks for the limits that the form changes; one that it leaves as
// it was is not asked for, so that it does not undo what waits to hold.
func (p portal) trySetLimits(r *http.Request, m member) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	s := central.SetLimits{Key: r.PostForm.Get("key"), Player: m.Account.ID}
	for _, x := range []struct {
		name string
		to   **money.Amount
	}{{"deposits", &s.Deposits}, {"stakes", &s.Stakes}} {
		if r.PostForm.Get(x.name) == r.PostForm.Get("was-"+x.name) {
			continue
		}
		limit, err := readAmount(m.Lang, r.PostForm, x.name)
		if err != nil {
			return err
		}
		*x.to = &limit
	}
	if s.Deposits == nil && s.Stakes == nil {
		return &fieldError{"deposits", errSame}
	}
	return p.app.Sys.SetLimits(r.Context(), s)
}
