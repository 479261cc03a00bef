package portal

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"tirage/central"
	"tirage/web/page"
)

// pausePage offers pauses and exclusions (INS-online). The step after it says
// that they cannot be undone, and asks.
type pausePage struct {
	member
	Pauses     []stretch
	Exclusions []stretch
}

// stretch is how long a pause or an exclusion lasts.
type stretch struct {
	Hours, Days int
	Months      int // 0: said in days
}

// stretchDays are the stretches that are offered, of those that the rules allow; the months that they make.
var stretchDays = []struct{ days, months int }{{1, 0}, {3, 0}, {7, 0}, {14, 0}, {30, 0}, {91, 3}, {183, 6}, {366, 12}}

func stretches(least, most time.Duration) []stretch {
	var list []stretch
	for _, s := range stretchDays {
		if long := time.Duration(s.days) * 24 * time.Hour; long >= least && long <= most {
			list = append(list, stretch{s.days * 24, s.days, s.months})
		}
	}
	return list
}

func newPausePage(m member) pausePage {
	v := pausePage{member: m}
	if m.Rules != nil {
		v.Pauses = stretches(m.Rules.PauseMin, m.Rules.PauseMax)
		v.Exclusions = stretches(m.Rules.ExclusionMin, m.Rules.ExclusionMax)
	}
	return v
}

func (p portal) pausePage(w http.ResponseWriter, r *http.Request, m member) error {
	return face.Render(w, r, http.StatusOK, "pause", newPausePage(m))
}

// pauseSurePage asks whether the player is sure.
type pauseSurePage struct {
	member
	form
	Pause   bool // else an exclusion
	Hours   int
	Stretch stretch
	Until   time.Time
}

// hoursMax bounds what a form may ask for; the rules bound it further.
const hoursMax = 100_000

// readPause reads which pause or exclusion a form or an address is about.
func readPause(m member, v url.Values) (pauseSurePage, error) {
	hours, err := strconv.Atoi(v.Get("heures"))
	if err != nil || hours < 1 || hours > hoursMax {
		return pauseSurePage{}, page.ErrForm
	}
	s := pauseSurePage{member: m, form: newForm(""), Pause: v.Get("sorte") == "pause", Hours: hours}
	if !s.Pause && v.Get("sorte") != "exclusion" {
		return s, page.ErrForm
	}
	long := time.Duration(hours) * time.Hour
	s.Until, s.Stretch = m.Now.Add(long), stretch{Hours: hours}
	if hours%24 == 0 {
		s.Stretch.Days = hours / 24
	}
	return s, nil
}

func (p portal) pauseSure(w http.ResponseWriter, r *http.Request, m member) error {
	v, err := readPause(m, r.URL.Query())
	if errors.Is(err, page.ErrForm) { // an address typed by hand
		http.Redirect(w, r, pathPause, http.StatusSeeOther)
		return nil
	}
	if m.Rules != nil {
		if _, err := m.Account.Exclude(m.Rules, m.Now, time.Duration(v.Hours)*time.Hour, v.Pause); err != nil {
			v.refuse(p.app.Explain(r, err), err, r.URL.Query())
		}
	}
	return face.Render(w, r, http.StatusOK, "pause_sure", v)
}

func (p portal) pause(w http.ResponseWriter, r *http.Request, m member) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	v, err := readPause(m, r.PostForm)
	if err != nil {
		return err
	}
	err = errSure
	if r.PostForm.Get("sure") == "1" {
		err = p.app.Sys.Exclude(r.Context(), central.Exclude{
			Key: r.PostForm.Get("key"), Player: m.Account.ID, For: time.Duration(v.Hours) * time.Hour, Pause: v.Pause,
		})
	}
	switch {
	case err != nil:
		return p.refuse(w, r, "pause_sure", &v.form, &v, err)
	case v.Pause:
		return done(w, r, pathAccount, "pause")
	}
	return done(w, r, pathAccount, "exclusion")
}

// closePage closes an account; its balance is paid out.
type closePage struct {
	member
	form
}

// May tells whether the account can be closed now: a balance is paid to a person whose identity was checked only.
func (v closePage) May() bool {
	return !v.Account.Closed && (v.Account.Balance == 0 || v.Account.Confirmed)
}

func (p portal) closePage(w http.ResponseWriter, r *http.Request, m member) error {
	return face.Render(w, r, http.StatusOK, "close", closePage{m, newForm("")})
}

func (p portal) closeAccount(w http.ResponseWriter, r *http.Request, m member) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	err := errSure
	if r.PostForm.Get("sure") == "1" {
		err = p.app.Sys.CloseAccount(r.Context(), r.PostForm.Get("key"), m.Account.ID, r.PostForm.Get("iban"))
	}
	if err == nil {
		return done(w, r, pathAccount, "cloture")
	}
	v := closePage{m, newForm("")}
	return p.refuse(w, r, "close", &v.form, &v, err)
}
