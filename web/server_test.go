package web

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"tirage/central"
	"tirage/money"
	"tirage/web/page"
)

func TestHeaders(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(100))
	p := s.signedOn().get("/terminal")
	policy := p.header.Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("policy %q lacks %s", policy, want)
		}
	}
	for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "Cache-Control": "no-store"} {
		if got := p.header.Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	b := s.browser()
	expect(t, b.get("/healthz"), http.StatusOK, "ok")
	expect(t, b.get("/nothing"), http.StatusNotFound, "Cette page n’existe pas")
	expect(t, b.get("/ecran"), http.StatusOK, "Tirage")
	expect(t, b.get("/log/checkpoint"), http.StatusOK, "tirage.test/log")
	expect(t, b.get("/office"), http.StatusOK)
	expect(t, b.get("/"), http.StatusOK, "09 74 75 13 13", "Mon reçu")
}

func TestCrossOriginRefused(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(100))
	b := s.signedOn()
	p := b.get("/terminal")
	form := join(p.form("/terminal/vente"), marks(seven, 1, 200, 1), do("sell")).Encode()
	for _, header := range []http.Header{
		{"Sec-Fetch-Site": {"cross-site"}},
		{"Sec-Fetch-Site": {"same-site"}},
		{"Origin": {"https://evil.example"}},
		{"Origin": {"null"}},
	} {
		header.Set("Content-Type", "application/x-www-form-urlencoded")
		expect(t, b.do(http.MethodPost, "/terminal/vente", form, header), http.StatusForbidden, "vient d’un autre site")
	}
	if n, _ := s.sold(); n != 0 {
		t.Errorf("%d tickets sold to another site", n)
	}
	expect(t, b.do(http.MethodPost, "/terminal/vente", form, http.Header{"Sec-Fetch-Site": {"same-origin"}, "Content-Type": {"application/x-www-form-urlencoded"}}), http.StatusOK, "À payer 2,00 €")
}

func TestF24_SignOnTriesLimited(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(100))
	b := s.browser()
	limited := false
	for range 15 {
		p := b.post("/terminal/connexion", url.Values{"device": {"guess"}})
		switch p.status {
		case http.StatusUnauthorized:
			if limited {
				t.Error("a try after the limit")
			}
			expect(t, p, http.StatusUnauthorized, "Cette clé n’ouvre aucun poste")
		case http.StatusTooManyRequests:
			limited = true
		default:
			t.Fatalf("status %d", p.status)
		}
	}
	if !limited {
		t.Error("15 tries at once are not limited")
	}
	// The right key waits too: the limit tells nothing.
	if p := b.post("/terminal/connexion", url.Values{"device": {s.device}}); p.status != http.StatusTooManyRequests {
		t.Errorf("status %d, want %d", p.status, http.StatusTooManyRequests)
	}
}

// The tills of a shop are one address: sign-ons that succeed do not use up its
// tries, and neither do an officer's mistakes.
func TestManySignOnsOfOneAddress(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(100))
	for range 15 {
		s.browser().post("/office/connexion", url.Values{"login": {"nobody"}, "password": {"a wrong password"}})
	}
	for range 25 {
		s.signedOn()
	}
}

func TestF24_CheckTriesLimited(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(100))
	b := s.signedOn()
	for i := range 1000 { // a slow machine gives tries back meanwhile
		p := b.post("/terminal/controle", url.Values{"code": {"0000-0000-0000-0000-0000"}})
		if p.status == http.StatusTooManyRequests {
			if i < 30 {
				t.Errorf("limited after %d checks: a busy shop makes as many", i)
			}
			return
		}
		if p.status != http.StatusNotFound && p.status != http.StatusUnprocessableEntity {
			t.Fatalf("status %d", p.status)
		}
	}
	t.Error("1,000 checks are not limited")
}

func TestSessions(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(100))
	at, err := url.Parse(s.server.URL)
	check(t, err)

	t.Run("planted before the sign-on", func(t *testing.T) {
		b := s.browser()
		planted, err := s.sys.NewSession(context.Background(), page.TerminalSession, s.terminal.ID, time.Hour)
		check(t, err)
		b.client.Jar.SetCookies(at, []*http.Cookie{{Name: "terminal", Value: planted, Path: "/"}})
		b.post("/terminal/connexion", url.Values{"device": {s.device}})
		if got := b.client.Jar.Cookies(at)[0].Value; got == planted {
			t.Error("the planted token is the session's")
		}
		if _, _, err := s.sys.Session(context.Background(), planted); !errors.Is(err, central.ErrSession) {
			t.Errorf("the planted token: %v, want %v", err, central.ErrSession)
		}
	})
	t.Run("of very many cookies", func(t *testing.T) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.server.URL+"/terminal/deconnexion", nil)
		check(t, err)
		var tokens []string
		for range 11 {
			token, err := s.sys.NewSession(t.Context(), page.TerminalSession, s.terminal.ID, time.Hour)
			check(t, err)
			tokens = append(tokens, token)
			r.AddCookie(&http.Cookie{Name: "terminal", Value: token})
		}
		answer, err := http.DefaultTransport.RoundTrip(r)
		check(t, err)
		check(t, answer.Body.Close())
		for i, token := range tokens { // no browser has eleven
			if _, _, err := s.sys.Session(t.Context(), token); (err == nil) != (i == 10) {
				t.Errorf("session %d of a sign-off: %v", i, err)
			}
		}
	})
	t.Run("of another kind", func(t *testing.T) {
		b := s.browser()
		token, err := s.sys.NewSession(context.Background(), page.OfficerSession, s.officer.ID, time.Hour)
		check(t, err)
		b.client.Jar.SetCookies(at, []*http.Cookie{{Name: "terminal", Value: token, Path: "/"}})
		if p := b.get("/terminal"); p.path != "/terminal/connexion" {
			t.Errorf("an officer's session opens %s", p.path)
		}
	})
	t.Run("signed off", func(t *testing.T) {
		b := s.signedOn()
		token := b.client.Jar.Cookies(at)[0].Value
		b.post("/terminal/deconnexion", nil)
		b.client.Jar.SetCookies(at, []*http.Cookie{{Name: "terminal", Value: token, Path: "/"}})
		if p := b.get("/terminal"); p.path != "/terminal/connexion" {
			t.Errorf("an ended session opens %s", p.path)
		}
	})
	t.Run("expired", func(t *testing.T) {
		b := s.signedOn()
		s.clock.set(opening.Add(17 * time.Hour))
		if p := b.get("/terminal"); p.path != "/terminal/connexion" {
			t.Errorf("an expired session opens %s", p.path)
		}
	})
}

// TestSessionCookie checks that a token is never given over plain HTTP to
// another machine, and has the strictest cookie over TLS.
func TestSessionCookie(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(100))
	h := New(s.sys, Options{Logger: slog.New(slog.DiscardHandler)})
	proto := ""
	signOn := func(addr, scheme string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodPost, scheme+"://tirage.test/terminal/connexion", strings.NewReader(url.Values{"device": {s.device}}.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("X-Forwarded-Proto", proto)
		r.RemoteAddr = addr
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	if w := signOn("192.0.2.1:1", "http"); w.Code != http.StatusForbidden || w.Header().Get("Set-Cookie") != "" {
		t.Errorf("plain HTTP from afar: status %d, cookie %q", w.Code, w.Header().Get("Set-Cookie"))
	}
	h = New(s.sys, Options{Logger: slog.New(slog.DiscardHandler), Proxies: []netip.Prefix{netip.MustParsePrefix("192.0.2.3/32")}})
	proto = "https"
	if w := signOn("192.0.2.1:1", "http"); w.Code != http.StatusForbidden || w.Header().Get("Set-Cookie") != "" {
		t.Errorf("who says himself that he is encrypted: status %d, cookie %q", w.Code, w.Header().Get("Set-Cookie"))
	}
	if w := signOn("192.0.2.3:1", "http"); !strings.HasPrefix(w.Header().Get("Set-Cookie"), "__Host-terminal=") {
		t.Errorf("behind a proxy of ours: status %d, cookie %q", w.Code, w.Header().Get("Set-Cookie"))
	}
	w := signOn("192.0.2.2:1", "https")
	cookie := w.Header().Get("Set-Cookie")
	for _, want := range []string{"__Host-terminal=", "Path=/", "HttpOnly", "Secure", "SameSite=Strict"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("cookie %q lacks %s", cookie, want)
		}
	}
}

func TestPanicIs500(t *testing.T) {
	t.Parallel()
	app := page.New(nil, slog.New(slog.DiscardHandler))
	h := guard(app, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("secret") }))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	if w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "secret") {
		t.Errorf("status %d, body %s", w.Code, w.Body)
	}
}

func TestBodyBounded(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(100))
	b := s.signedOn()
	expect(t, b.post("/terminal/vente", url.Values{"slip": {strings.Repeat("x", page.BodyMax+1)}}), http.StatusRequestEntityTooLarge, "65 536 octets au plus")
}

func TestServeStops(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	started := make(chan struct{})
	done := make(chan error, 1)
	go func() {
		done <- Serve(ctx, l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			close(started)
			<-ctx.Done()
			_, _ = io.WriteString(w, "to the end")
		}))
	}()
	answer := make(chan string, 1)
	go func() {
		w, err := http.Get("http://" + l.Addr().String())
		if err != nil {
			answer <- err.Error()
			return
		}
		defer func() { _ = w.Body.Close() }()
		b, _ := io.ReadAll(w.Body)
		answer <- string(b)
	}()
	<-started
	cancel()
	if got := <-answer; got != "to the end" {
		t.Errorf("the request under way got %q", got)
	}
	if err := <-done; err != nil {
		t.Errorf("stop: %v", err)
	}
}

// FuzzTerminalForm sends any form to every address of the terminal: never a
// fault of ours, and nothing is sold by what is refused.
func FuzzTerminalForm(f *testing.F) {
	for _, seed := range []string{
		"do=sell&places=1&places=2&places=3&places=4&places=5&places=6&places=7&pirates=1&stake=200&draws=1&key=k",
		"do=flash&stake=200&draws=6&key=k", "do=add", "do=sell&slip=k~200~1~f~-", "do=sell&slip=k~200~1~~1.2.3.4.5.6.7-1",
		"do=remove:k&slip=k~200~1~f~-", "do=clear", "do=sell&slip=~~~~", "places=-1&places=99999999999999999999", "code=0000-0000-0000-0000-0000&command=x",
		"slip=%00~1~1~f~1-1", "stake=1e9&draws=١", "%zz=%zz&;", "key=" + strings.Repeat("k", 65) + "&do=add",
	} {
		for n := range uint8(5) {
			f.Add(n, seed)
		}
	}
	s := newShop(f, money.Euros(1_000_000))
	b := s.signedOn()
	b.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	paths := []string{"/terminal/vente", "/terminal/controle", "/terminal/paiement", "/terminal/annulation", "/terminal?"}
	f.Cleanup(func() { s.t = f })
	f.Fuzz(func(t *testing.T, n uint8, form string) {
		s.t, b.t = t, t
		path := paths[int(n)%len(paths)]
		before, _ := s.sold()
		var p shown
		if strings.HasSuffix(path, "?") {
			q, err := url.ParseQuery(form)
			if err != nil {
				return
			}
			p = b.get(path + q.Encode())
		} else {
			p = b.do(http.MethodPost, path, form, nil)
		}
		if p.status >= 500 {
			t.Errorf("%s %q: status %d", path, form, p.status)
		}
		after, _ := s.sold()
		if after != before && (path != "/terminal/vente" || p.status != http.StatusSeeOther) && !strings.Contains(p.body, `class="ticket"`) {
			t.Errorf("%s %q: refused with status %d, and %d parts sold", path, form, p.status, after-before)
		}
	})
}
