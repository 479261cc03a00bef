package office

import (
	"net/http"
	"net/url"
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
	Key     string
	Typed   noticeForm
	Refusal refusal
	Notice  string
}

// noticeForm is a message as typed.
type noticeForm struct{ Outlet, FR, EN, Until string }

// noticeLine is a message with the number of its outlet; 0: all.
type noticeLine struct {
	central.Notice
	Number int
}

// NoticeMax is the most bytes of a message in a language.
func (noticesPage) NoticeMax() int { return journal.NoticeMax }

func (o office) noticesPage(w http.ResponseWriter, r *http.Request, _ party.Officer) error {
	p := o.notices(r)
	if r.URL.Query().Get("fait") != "" {
		var err error
		if p.Notice, err = face.T(p.Lang, "notices.sent"); err != nil {
			return err
		}
	}
	return face.Render(w, r, http.StatusOK, "notices", p)
}

func (o office) notices(r *http.Request) noticesPage {
	p := noticesPage{frame: o.frame(r, "notices.title", pathNotices), Key: page.NewKey()}
	if r.Method == http.MethodPost {
		p.Switch = pathNotices + "?" + url.Values{"lang": {p.Lang.Other().String()}}.Encode()
	}
	p.Typed.Until = p.Now.In(p.Zone).Add(24 * time.Hour).Format(fieldTime)
	for _, n := range o.app.Sys.AllNotices() {
		p.List = append(p.List, noticeLine{n, o.numberOf(n.Outlet)})
	}
	return p
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
	p := o.notices(r)
	p.Typed, p.Refusal.Form = typed, "notice"
	status, err := o.explain(r, &p.Refusal, err)
	if err != nil {
		return err
	}
	return face.Render(w, r, status, "notices", p)
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
