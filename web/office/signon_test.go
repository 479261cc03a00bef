package office

import (
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// An officer whose session has ended comes back to the page that he was on; a
// form that he sent meanwhile is told to be lost, and is not done.
func TestSessionEnded(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.trade(1, 1)
	ends := func() {
		t.Helper()
		o.signOn()
		at, err := url.Parse(o.url)
		o.must(err)
		for _, c := range o.client.Jar.Cookies(at) {
			o.must(o.sys.EndSession(t.Context(), c.Value))
		}
	}
	action := regexp.MustCompile(`<form method="post" action="([^"]*)"`)
	send := func(method, address, referer string, form url.Values) (at *url.URL, body string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, o.url+address, strings.NewReader(form.Encode()))
		o.must(err)
		if method == http.MethodPost {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		if referer != "" {
			r.Header.Set("Referer", referer)
		}
		w, err := o.client.Do(r)
		o.must(err)
		text, err := io.ReadAll(w.Body)
		o.must(err)
		o.must(w.Body.Close())
		return w.Request.URL, string(text)
	}
	const lost = "n’est pas fait et n’est pas gardé"
	for _, c := range []struct {
		method, address, referer string
		back                     string
		lost                     bool
	}{
		{http.MethodGet, pathReports + "?x=1", "", pathReports + "?x=1", false},
		{http.MethodGet, pathDraws, "", pathDraws, false},
		{http.MethodPost, pathNotices, o.url + pathNotices + "?x=2", pathNotices + "?x=2", true},
		{http.MethodPost, pathReceive, o.url + pathReceive, pathOutlets, true}, // the answer to that form
		{http.MethodPost, pathNotices, "https://evil.example/office/avis", pathDraws, true},
		{http.MethodPost, pathNotices, o.url + "/terminal", pathDraws, true},
		{http.MethodPost, pathNotices, "", pathDraws, true},
	} {
		ends()
		at, body := send(c.method, c.address, c.referer, url.Values{"fr": {"texte"}, "key": {"k"}})
		if at.Path != pathSignOn || strings.Contains(body, lost) != c.lost {
			t.Errorf("%s %s: at %s, told to be lost: %v", c.method, c.address, at, strings.Contains(body, lost))
		}
		m := action.FindStringSubmatch(body)
		if m == nil {
			t.Fatal("no form")
		}
		to := strings.ReplaceAll(m[1], "&amp;", "&")
		_, body = send(http.MethodPost, to, "", url.Values{"login": {"marie"}, "password": {"wrong"}})
		if again := action.FindStringSubmatch(body); again == nil || again[1] != m[1] {
			t.Errorf("after a wrong password the form leads to %v, not %s", again, m[1])
		}
		if at, _ = send(http.MethodPost, to, "", url.Values{"login": {"marie"}, "password": {password}}); at.RequestURI() != c.back {
			t.Errorf("%s %s, from %s: back at %s, want %s", c.method, c.address, c.referer, at.RequestURI(), c.back)
		}
	}
	if n := len(o.sys.AllNotices()); n != 0 {
		t.Errorf("%d messages were sent without a session", n)
	}
}

// A sign-on leads to pages of the office, and nowhere else.
func TestSignOnLeadsNowhereElse(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	for _, back := range []string{"https://evil.example/office", "//evil.example/office", "/office\\evil", "/officer", "/terminal", "javascript:alert(1)", "/office/../terminal", "/office/connexion", "/office/deconnexion", "/office/%zz", "/office/" + strings.Repeat("x", returnMax)} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/office/connexion?"+url.Values{backField: {back}}.Encode(), nil)
		o.must(err)
		if got := returnTo(r); got != pathDraws {
			t.Errorf("%.60s leads to %.60s", back, got)
		}
	}
}
