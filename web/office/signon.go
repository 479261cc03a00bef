package office

import (
	"net/http"
	"net/url"
	"path"
	"strings"

	"tirage/web/page"
)

// returnMax bounds the address that a sign-on comes back to, in bytes.
const returnMax = 2 << 10

// The fields of the sign-on's address: where to come back to, and that a form was lost.
const (
	backField = "retour"
	lostField = "perdu"
)

// askSignOn sends whoever has no session to sign on, and from there back to the
// page that he asked for. A form that was sent is not kept, for it may have been
// another officer's, and is told to be lost; its page is where it was written.
func (o office) askSignOn(w http.ResponseWriter, r *http.Request) {
	q := url.Values{}
	back := r.URL
	if r.Method != http.MethodGet {
		q.Set(lostField, "1")
		if back, _ = url.Parse(r.Referer()); back == nil || back.Host != r.Host {
			back = &url.URL{}
		}
	}
	local := url.URL{Path: back.Path, RawQuery: back.RawQuery}
	for !o.isPage(&local) { // the answer to a form: what stands above it
		above, _ := path.Split(strings.TrimSuffix(local.Path, "/"))
		local = url.URL{Path: strings.TrimSuffix(above, "/")}
		if local.Path == "" {
			local.Path = pathDraws
		}
	}
	if text := local.String(); mayReturn(text) && text != pathDraws {
		q.Set(backField, text)
	}
	address := url.URL{Path: pathSignOn, RawQuery: q.Encode()}
	http.Redirect(w, r, address.String(), http.StatusSeeOther)
}

// isPage tells whether an address of the office is that of a page.
func (o office) isPage(u *url.URL) bool {
	_, pattern := o.pages.Handler(&http.Request{Method: http.MethodGet, URL: u})
	return pattern != ""
}

// mayReturn tells whether a sign-on may come back to an address: a page of the office, and of no other host.
func mayReturn(text string) bool {
	u, err := url.Parse(text)
	if err != nil || len(text) > returnMax || u.Scheme != "" || u.Host != "" || u.User != nil || strings.Contains(text, "\\") {
		return false
	}
	return path.Clean(u.Path) == u.Path && (u.Path == pathDraws || strings.HasPrefix(u.Path, pathDraws+"/")) && u.Path != pathSignOn && u.Path != pathSignOff
}

// returnTo is where a sign-on leads.
func returnTo(r *http.Request) string {
	if back := r.URL.Query().Get(backField); mayReturn(back) {
		return back
	}
	return pathDraws
}

// newSignOnPage is the page of a sign-on, which keeps where it leads.
func newSignOnPage(r *http.Request) signOnPage {
	q := url.Values{}
	if back := returnTo(r); back != pathDraws {
		q.Set(backField, back)
	}
	lost := r.URL.Query().Get(lostField) != ""
	if lost {
		q.Set(lostField, "1")
	}
	p := signOnPage{Base: face.Base(r, "signon.title"), Action: pathSignOn, Lost: lost}
	if len(q) > 0 {
		p.Action += "?" + q.Encode()
	}
	q.Set("lang", page.LangOf(r).Other().String())
	p.Switch = "?" + q.Encode()
	return p
}
