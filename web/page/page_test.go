package page

import (
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
	"golang.org/x/time/rate"

	"tirage/game"
	"tirage/money"
)

func TestMoney(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		amount money.Amount
		fr, en string
	}{
		{0, "0,00\u00a0€", "€0.00"},
		{1250, "12,50\u00a0€", "€12.50"},
		{5, "0,05\u00a0€", "€0.05"},
		{-1205, "−12,05\u00a0€", "−€12.05"},
		{100_000_000, "1\u202f000\u202f000,00\u00a0€", "€1,000,000.00"},
		{99_999, "999,99\u00a0€", "€999.99"},
		{100_000, "1\u202f000,00\u00a0€", "€1,000.00"},
		{money.Limit, "10\u202f000\u202f000\u202f000\u202f000,00\u00a0€", "€10,000,000,000,000.00"},
	} {
		if got := French.Money(c.amount); got != c.fr {
			t.Errorf("French.Money(%d) = %q, want %q", c.amount, got, c.fr)
		}
		if got := English.Money(c.amount); got != c.en {
			t.Errorf("English.Money(%d) = %q, want %q", c.amount, got, c.en)
		}
	}
}

func TestNumber(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1\u202f000", 348840: "348\u202f840", -12345678: "−12\u202f345\u202f678"} {
		if got := French.Number(n); got != want {
			t.Errorf("French.Number(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestDay(t *testing.T) {
	t.Parallel()
	for day, want := range map[game.Day][2]string{
		game.NewDay(2026, 11, 30): {"lundi 30 novembre 2026", "Monday 30 November 2026"},
		game.NewDay(2028, 2, 29):  {"mardi 29 février 2028", "Tuesday 29 February 2028"},
		game.NewDay(2026, 8, 1):   {"samedi 1er août 2026", "Saturday 1 August 2026"},
	} {
		if got := [2]string{French.Day(day), English.Day(day)}; got != want {
			t.Errorf("day %v: got %q, want %q", day, got, want)
		}
	}
	if got, want := French.Paris(time.Date(2026, 7, 1, 10, 5, 0, 0, time.UTC)), "12:05\u00a0(heure de\u00a0Paris)"; got != want {
		t.Errorf("Paris in summer: got %q, want %q", got, want)
	}
}

func TestLangOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cookie, accept string
		want           Lang
	}{
		{"", "", French},
		{"", "en-GB,en;q=0.9", English},
		{"", "de-DE,de", French},
		{"", "fr-CA, en;q=0.8", French},
		{"", "\x00;;;", French},
		{"fr", "en", French},
		{"en", "fr", English},
		{"xx", "en", English},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Accept-Language", c.accept)
		if c.cookie != "" {
			r.AddCookie(&http.Cookie{Name: langCookie, Value: c.cookie})
		}
		if got := LangOf(r); got != c.want {
			t.Errorf("cookie %q, accept %q: got %v, want %v", c.cookie, c.accept, got, c.want)
		}
	}
}

func TestSwitchLanguage(t *testing.T) {
	t.Parallel()
	for target, want := range map[string]string{
		"/terminal?lang=en&slip=1": "/terminal?slip=1",
		"//evil.example/?lang=en":  "/",
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.URL.Path, r.URL.RawQuery, _ = strings.Cut(target, "?")
		w := httptest.NewRecorder()
		if !(&App{}).switched(w, r) {
			t.Errorf("%s: not handled", target)
		}
		if got := w.Header().Get("Location"); got != want {
			t.Errorf("%s: sent to %q, want %q", target, got, want)
		}
	}
}

// TestMessages checks that both languages have the same sentences.
func TestMessages(t *testing.T) {
	t.Parallel()
	ids := map[Lang][]string{}
	for _, l := range Langs {
		b, err := files.ReadFile("active." + l.String() + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		var m map[string]any
		if err := yaml.Unmarshal(b, &m); err != nil {
			t.Fatalf("%v: %v", l, err)
		}
		for id := range m {
			ids[l] = append(ids[l], id)
		}
		slices.Sort(ids[l])
	}
	if !slices.Equal(ids[French], ids[English]) {
		t.Errorf("sentences differ:\nfr %q\nen %q", ids[French], ids[English])
	}
}

// TestRefusals checks that every exported Err… of the packages that own rules
// is in the table, and has its sentence in each language (style 15).
func TestRefusals(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("errors.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range []string{"game", "draw", "wager", "instant", "settle", "party", "central", "money", "web/page"} {
		for _, name := range sentinels(t, "../../"+pkg) {
			line := "{" + pkg + "." + name + ", "
			if pkg == "web/page" {
				line = "{" + name + ", "
			}
			if !strings.Contains(string(source), line) {
				t.Errorf("%s.%s is not in the table of errors.go", pkg, name)
			}
		}
	}
	codes := map[string]bool{}
	for _, line := range refusals {
		if codes[line.code] {
			t.Errorf("code %s: twice", line.code)
		}
		codes[line.code] = true
		for _, l := range Langs {
			got := Describe(l, line.err)
			if got.Code != line.code || got.Status != line.status {
				t.Errorf("%v: got %d %s, want %d %s", line.err, got.Status, got.Code, line.status, line.code)
			}
			if _, err := common.T(l, "refusal."+line.code); err != nil {
				t.Errorf("%s in %v: %v", line.code, l, err)
			}
		}
	}
	if got := Describe(French, os.ErrClosed); got.Status != http.StatusInternalServerError || strings.Contains(got.Sentence, "closed") {
		t.Errorf("a fault of ours is told to the viewer: %+v", got)
	}
}

// sentinels returns the exported variables of a package that start with Err.
func sentinels(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), dir+"/"+e.Name(), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, s := range g.Specs {
				for _, name := range s.(*ast.ValueSpec).Names {
					if strings.HasPrefix(name.Name, "Err") && name.IsExported() {
						names = append(names, name.Name)
					}
				}
			}
		}
	}
	return names
}

func TestLimiter(t *testing.T) {
	t.Parallel()
	l := NewLimiter(rate.Every(time.Second), 3)
	at := time.Unix(0, 0)
	for i := range 3 {
		if _, err := l.tryAt("a", at); err != nil {
			t.Fatalf("try %d of a burst of 3: %v", i+1, err)
		}
	}
	if _, err := l.tryAt("a", at); err == nil {
		t.Error("a fourth try at once is allowed")
	}
	if _, err := l.tryAt("b", at); err != nil {
		t.Errorf("another client: %v", err)
	}
	if _, err := l.tryAt("a", at.Add(time.Second)); err != nil {
		t.Errorf("a second later: %v", err)
	}
	forgive, err := l.tryAt("c", at)
	for range 9 { // who succeeds may do so as often as he likes
		if err != nil {
			t.Fatalf("a forgiven try counts: %v", err)
		}
		forgive()
		forgive, err = l.tryAt("c", at)
	}
	for i := range 2 * limiterKeys {
		_, _ = l.tryAt(strings.Repeat("x", 1+i%7)+time.Duration(i).String(), at)
	}
	if len(l.byKey) != limiterKeys || l.recent.Len() != limiterKeys {
		t.Errorf("remembers %d and %d clients, want %d", len(l.byKey), l.recent.Len(), limiterKeys)
	}
}

func TestClientOf(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]string{
		"192.0.2.7:1234":          "192.0.2.7",
		"[::ffff:192.0.2.7]:1":    "192.0.2.7",
		"[2001:db8:1:2:3::4]:80":  "2001:db8:1:2::/64",
		"[2001:db8:1:2:ffff::]:9": "2001:db8:1:2::/64",
		"pipe":                    "pipe",
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = addr
		if got := (&App{}).ClientOf(r); got != want {
			t.Errorf("%s: got %s, want %s", addr, got, want)
		}
	}
}

// TestClientOfProxy checks whose word is taken for a client: a proxy's of ours,
// and nobody else's, so that no header lifts a limit.
func TestClientOfProxy(t *testing.T) {
	t.Parallel()
	a := &App{Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("127.0.0.1/32")}}
	for _, c := range []struct {
		from, forwarded, proto string
		want                   string
		secure, private        bool
	}{
		{"192.0.2.7:1", "198.51.100.1", "https", "192.0.2.7", false, false},
		{"10.0.0.1:1", "198.51.100.1", "https", "198.51.100.1", true, true},
		{"10.0.0.1:1", "203.0.113.9, 198.51.100.1", "https", "198.51.100.1", true, true},
		{"10.0.0.1:1", "198.51.100.1, 10.0.0.2", "https", "198.51.100.1", true, true},
		{"10.0.0.1:1", "198.51.100.1, rubbish", "http", "10.0.0.1", false, false},
		{"10.0.0.1:1", "2001:db8:1:2:3::4", "https", "2001:db8:1:2::/64", true, true},
		{"10.0.0.1:1", "", "", "10.0.0.1", false, false},
		{"127.0.0.1:1", "198.51.100.1", "http", "198.51.100.1", false, false},
		{"[::1]:1", "198.51.100.1", "", "::/64", false, true},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = c.from
		if c.forwarded != "" {
			r.Header.Set("X-Forwarded-For", c.forwarded)
		}
		r.Header.Set("X-Forwarded-Proto", c.proto)
		if got := a.ClientOf(r); got != c.want || a.secure(r) != c.secure || a.private(r) != c.private {
			t.Errorf("%+v: got %s, secure %v, private %v", c, got, a.secure(r), a.private(r))
		}
	}
}

func TestStatic(t *testing.T) {
	t.Parallel()
	url, err := common.assets.url("base.css")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		url, accept, encoding string
		status                int
	}{
		{url, "gzip, br", "gzip", 200},
		{url, "", "", 200},
		{url + "x", "", "", 404},
		{common.assets.prefix + "../page.go", "", "", 404},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.URL.Path = c.url
		r.Header.Set("Accept-Encoding", c.accept)
		w := httptest.NewRecorder()
		common.assets.ServeHTTP(w, r)
		if w.Code != c.status || w.Header().Get("Content-Encoding") != c.encoding {
			t.Errorf("%s (%s): got %d %q, want %d %q", c.url, c.accept, w.Code, w.Header().Get("Content-Encoding"), c.status, c.encoding)
		}
		if c.status == 200 && !strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
			t.Errorf("%s: not kept: %v", c.url, w.Header())
		}
	}
	if _, err := common.assets.url("nothing.css"); err == nil {
		t.Error("a file that does not exist has an address")
	}
}
