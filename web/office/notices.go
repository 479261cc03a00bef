package office

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"tirage/central"
	"tirage/journal"
	"tirage/party"
	"tirage/web/page"
)

// noticesPage is the messages that terminals show, and the form to send one.
type noticesPage struct {
	frame
	List    []noticeLine
	Back    []backLine // taken back
	Key     string
	Typed   noticeForm
	Refusal refusal
	Notice  string
}

// noticeForm is a message as typed.
type noticeForm struct{ Outlet, FR, EN, Until string }

// noticeLine is a message with the number of its outlet, 0 for all, and the key of the act that takes it back.
type noticeLine struct {
	central.Notice
	Number int
	Key    string
}

// backLine is a message that was taken back, with the number of its outlet and the login of who did it.
type backLine struct {
	central.RetractedNotice
	Number int
	Who    string
}

// backMax is how many messages that were taken back are listed.
const backMax = 20

// noticesNotices is what the page says after a form was done, by the word in its address.
var noticesNotices = map[string]string{"envoi": "notices.sent", "retrait": "notices.retracted"}

// NoticeMax is the most bytes of a message in a language.
func (noticesPage) NoticeMax() int { return journal.NoticeMax }

func (o office) noticesPage(w http.ResponseWriter, r *http.Request, _ party.Officer) error {
	p, err := o.notices(r)
	if err != nil {
		return err
	}
	if id, ok := noticesNotices[r.URL.Query().Get("fait")]; ok {
		if p.Notice, err = face.T(p.Lang, id); err != nil {
			return err
		}
	}
	return face.Render(w, r, http.StatusOK, "notices", p)
}

func (o office) notices(r *http.Request) (noticesPage, error) {
	p := noticesPage{frame: o.frame(r, "notices.title", pathNotices), Key: page.NewKey()}
	if r.Method == http.MethodPost {
		p.Switch = pathNotices + "?" + url.Values{"lang": {p.Lang.Other().String()}}.Encode()
	}
	p.Typed.Until = p.Now.In(p.Zone).Add(24 * time.Hour).Format(fieldTime)
	for _, n := range o.app.Sys.AllNotices() {
		p.List = append(p.List, noticeLine{n, o.numberOf(n.Outlet), page.NewKey()})
	}
	back, err := o.app.Sys.RetractedNotices(r.Context(), backMax)
	if err != nil {
		return p, err
	}
	logins, err := o.app.Sys.Logins(r.Context())
	for _, n := range back {
		p.Back = append(p.Back, backLine{n, o.numberOf(n.Outlet), logins[n.By]})
	}
	return p, err
}

// retractNotice takes a message back.
func (o office) retractNotice(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	record, err := strconv.ParseUint(r.PostForm.Get("record"), 10, 63)
	if err == nil {
		err = o.app.Sys.RetractNotice(r.Context(), central.RetractNotice{Key: r.PostForm.Get("key"), Officer: officer.ID, Notice: record})
	} else {
		err = central.ErrNoticeOver
	}
	if err == nil {
		http.Redirect(w, r, pathNotices+"?fait=retrait", http.StatusSeeOther)
		return nil
	}
	return o.refuseNotice(w, r, "shown", nil, err)
}

// refuseNotice shows the page again with why a form of it was not done, and what was typed in it.
func (o office) refuseNotice(w http.ResponseWriter, r *http.Request, form string, typed *noticeForm, why error) error {
	p, err := o.notices(r)
	if err != nil {
		return err
	}
	if p.Refusal.Form = form; typed != nil {
		p.Typed = *typed
	}
	status, err := o.explain(r, &p.Refusal, why)
	if err != nil {
		return err
	}
	return face.Render(w, r, status, "notices", p)
}

// sendNotice sends a message to the terminals of an outlet, or of all.
func (o office) sendNotice(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	form := r.PostForm
	typed := noticeForm{strings.TrimSpace(form.Get("outlet")), form.Get("fr"), form.Get("en"), form.Get("until")}
	err := o.trySend(r, officer, typed)
	if err == nil {
		http.Redirect(w, r, pathNotices+"?fait=envoi", http.StatusSeeOther)
		return nil
	}
	return o.refuseNotice(w, r, "notice", &typed, err)
}

func (o office) trySend(r *http.Request, officer party.Officer, typed noticeForm) error {
	until, err := time.ParseInLocation(fieldTime, typed.Until, page.ParisZone())
	if err != nil || !until.After(o.app.Sys.Now()) {
		return &fieldError{http.StatusUnprocessableEntity, "until", "notices.fault.until", nil}
	}
	to := ""
	if typed.Outlet != "" {
		outlet, _, err := o.outletOf(typed.Outlet)
		if err != nil {
			return err
		}
		to = outlet.ID
	}
	_, err = o.app.Sys.SetNotice(r.Context(), central.SetNotice{
		Key: r.PostForm.Get("key"), Officer: officer.ID, Outlet: to, FR: lineOfText(typed.FR), EN: lineOfText(typed.EN), Until: until,
	})
	return err
}
