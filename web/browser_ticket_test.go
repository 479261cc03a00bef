package web

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"tirage/money"
	"tirage/paper"
	"tirage/wager"
	"tirage/web/page"
)

// The page of a ticket checks its sale against the journal in the browser,
// before and after it is published; a byte changed anywhere shows as a cross.
func TestBrowserTicket(t *testing.T) {
	t.Parallel()
	s := newShopOf(t, money.Euros(100), "ile-au-tresor")
	x := s.inPortal("one", 2)
	b := s.tab(390, 844)
	b.open("/?lang=fr")
	b.open(at(x))
	b.says("#preuve .verdict", "Tout concorde")
	b.says("#preuve", "une fois clos tous leurs tirages")
	b.accessible("ticket before the close")
	b.tall("ticket-pending", 390)
	s.pass(30 * time.Minute)
	for range 10 {
		s.pass(5 * time.Minute)
	}
	b.do(chromedp.EmulateViewport(1280, 800))
	b.open(at(x))
	b.says("#preuve .verdict", "Tout concorde")
	b.says("#preuve .checks", "La vente dit la même chose que cette page")
	b.says("#preuve .checks", "Écriture identique à celle que publie le journal")
	b.accessible("ticket after the close")
	b.tall("ticket-published", 1280)
	index := strconv.FormatUint(uint64(x.Number), 10)
	for _, c := range []struct{ path, from, to, says string }{
		{"/t/", `data-price="400"`, `data-price="401"`, "La vente dit la même chose que cette page : échec"},
		{"/t/", `data-plays="`, `data-plays="1`, "La vente dit la même chose que cette page : échec"},
		{"/t/", `data-letters="`, `data-letters="2`, "La vente dit la même chose que cette page : échec"},
		{"/t/", `data-leaf="`, `data-leaf="00`, "Écriture présente dans le journal signé : échec"},
		{"/t/", `data-record="83`, `data-record="82`, "Empreinte de la vente de ce reçu : échec"},
		{"/log/proof/", "index " + index, "index 1" + index, "Écriture présente dans le journal signé : échec"},
	} {
		b.base = tampered(t, s.server.URL, c.path, c.from, c.to)
		b.open(at(x))
		b.says("#preuve .verdict", "Quelque chose ne concorde pas")
		b.says("#preuve .checks", c.says)
	}
	b.base = s.server.URL
	file := filepath.Join(t.TempDir(), "photo.png")
	printed := paper.Ticket{Ticket: x, Outlet: 214, Zone: page.ParisZone(), Address: paper.TicketAddress("https://tirage.example", wager.Code(x.Number, x.Secret))}
	check(t, os.WriteFile(file, pngOf(t, printed.Image()), 0o600))
	for _, path := range []string{at(x), "/verifier"} {
		b.do(chromedp.EmulateViewport(320, 700))
		b.open(path)
		if over := eval[int](b, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); over > 0 {
			t.Errorf("%.3s: %d px wider than a small screen", path, over)
		}
	}
	b.do(chromedp.EmulateViewport(390, 844))
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#photo"), []string{file}))
	b.tall("check-photo", 390)
	b.load(chromedp.Click(chromedp.CSS("#photographed button")))
	b.says("#preuve .verdict", "Tout concorde")
	b.open("/specimen/UUUU")
	b.says("main", "sans valeur")
	b.accessible("specimen")
	b.tall("specimen", 390)
}

// tampered is a server that changes what another one answers below a path.
func tampered(t *testing.T, base, path, from, to string) string {
	t.Helper()
	home, err := url.Parse(base)
	check(t, err)
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(home); r.Out.Header.Del("Accept-Encoding") }}
	proxy.ModifyResponse = func(r *http.Response) error {
		if !strings.HasPrefix(r.Request.URL.Path, path) {
			return nil
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return err
		}
		changed := bytes.Replace(body, []byte(from), []byte(to), 1)
		if bytes.Equal(changed, body) {
			t.Errorf("%s has no %s", path, from)
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(changed)), int64(len(changed))
		r.Header.Set("Content-Length", strconv.Itoa(len(changed)))
		return nil
	}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	return server.URL
}
