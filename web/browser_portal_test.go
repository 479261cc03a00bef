package web

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"tirage/central"
	"tirage/game"
	"tirage/money"
	"tirage/settle"
	"tirage/wager"
)

// newPortal is a shop with both draw games, a draw of each certified, and another on sale.
func newPortal(t testing.TB) (*shop, []wager.Ticket) {
	t.Helper()
	s := newShopOf(t, money.Euros(9000), "ile-au-tresor", "amigo")
	tickets := s.sell(120)
	amigo := wager.Slip{Game: "amigo", Boards: []wager.Board{{QuickPick: true}}, Stake: 1000, Draws: 1}
	for i := range 20 {
		_, err := s.sys.Place(context.Background(), central.Place{Key: fmt.Sprint("amigo-", i), Terminal: s.terminal.ID, Slip: amigo})
		check(t, err)
	}
	s.openCove()
	for range 20 {
		s.pass(5 * time.Minute)
	}
	return s, tickets
}

// cove is a small game under the code of the portal's instant game.
const cove = `
kind: instant
game: ile-au-tresor-instant
version: "1"
name: {fr: L’Ile au Trésor, en: Treasure Island}
first_day: 2026-11-19
zone: Europe/Paris
units: 40
scene: island
prize_tables:
  - price: 1
    prizes:
      - {units: 1, amount: 10, total: 10, of: 3, symbol: candlestick}
      - {units: 4, amount: 2,  total: 8,  of: 2, symbol: skull}
      - {units: 8, amount: 1,  total: 8,  of: 1, symbol: candlestick}
    printed: {winners: 13, total: 26, payout_rate: 13/20}
  - price: 2
    prizes:
      - {units: 1, amount: 20, total: 20, of: 3, symbol: candlestick}
      - {units: 4, amount: 4,  total: 16, of: 2, symbol: skull}
      - {units: 8, amount: 2,  total: 16, of: 1, symbol: candlestick}
    printed: {winners: 13, total: 52, payout_rate: 13/20}
policy:
  top_prize_gone: go_on
  few_units: 5
  few_units_then: go_on
  open_next_at: 10
  ahead_pools: 1
  guard_one_in: 1000000
`

// openCove publishes and launches the cove, with pools of two officers' secrets.
func (s *shop) openCove() {
	s.t.Helper()
	ctx := context.Background()
	r, err := s.sys.PublishInstant(ctx, central.PublishRules{Key: "cove", Officer: s.officer.ID, Book: []byte(cove)})
	check(s.t, err)
	for _, table := range r.Tables {
		for _, officer := range []string{s.officer.ID, s.second().ID} {
			_, err := s.sys.CommitSecrets(ctx, central.CommitSecrets{Key: fmt.Sprint("secrets/", table.Price), Officer: officer, Game: r.Code, Price: table.Price, Count: 2})
			check(s.t, err)
		}
	}
	check(s.t, s.sys.Launch(ctx, central.GameAct{Key: "launch", Officer: s.officer.ID, Game: r.Code}))
}

// last is the newest certified draw of a game.
func (s *shop) last(code game.Code) central.DrawView {
	s.t.Helper()
	status, err := s.sys.Status(code)
	check(s.t, err)
	if len(status.Last) == 0 {
		s.t.Fatalf("no draw of %s has a result", code)
	}
	return status.Last[len(status.Last)-1]
}

// first is the first draw of a game with tickets in it.
func (s *shop) first(code game.Code) central.DrawView {
	s.t.Helper()
	all, err := s.sys.Draws(context.Background(), code, game.NewDay(2027, 1, 4))
	check(s.t, err)
	for _, d := range all {
		if d.Wagers > 0 {
			return d
		}
	}
	s.t.Fatalf("no ticket of %s was sold", code)
	return central.DrawView{}
}

// tall keeps screenshots of the whole page, if asked for.
func (b *tab) tall(name string, width int64) {
	b.t.Helper()
	if *shots == "" {
		return
	}
	eval[bool](b, `document.fonts.ready.then(() => true)`)
	height := eval[int64](b, `document.documentElement.scrollHeight`)
	b.do(chromedp.EmulateViewport(width, height))
	check(b.t, os.MkdirAll(*shots, 0o755))
	for _, scheme := range []string{"dark", "light"} {
		b.scheme(scheme)
		png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
		check(b.t, err)
		check(b.t, os.WriteFile(filepath.Join(*shots, fmt.Sprintf("%s-%d-%s.png", name, width, scheme)), png, 0o644))
	}
}

func TestBrowserPortalPhone(t *testing.T) {
	t.Parallel()
	portalPages(t, 390, 844)
}

func TestBrowserPortalDesk(t *testing.T) {
	t.Parallel()
	portalPages(t, 1280, 800)
}

// portalPages opens every page that everybody may see: none is wider than the
// screen, and axe finds nothing serious by day and by night.
func portalPages(t *testing.T, width, height int64) {
	t.Helper()
	s, tickets := newPortal(t)
	island, amigo := s.last("ile-au-tresor"), s.last("amigo")
	won := s.standing(tickets, settle.Won)
	b := s.tab(width, height)
	b.open("/?lang=fr")
	for _, x := range []struct{ name, path, says string }{
		{"home", "/", "Prochain tirage"},
		{"results", "/resultats", "Vérifier ce tirage"},
		{"results-amigo", "/resultats?jeu=amigo", "Coefficient"},
		{"draw", fmt.Sprintf("/tirage?id=%d", island.ID), "Tout concorde"},
		{"draw-amigo", fmt.Sprintf("/tirage?id=%d", amigo.ID), "Tout concorde"},
		{"check", "/verifier", "Code du reçu"},
		{"prepare", "/preparer", "Rien n’est acheté ici"},
		{"prepare-amigo", "/preparer?jeu=amigo", "un par colonne"},
		{"ready", "/preparer?jeu=ile-au-tresor&board=1.6.11.16.17.20.21-3&stake=200&draws=2&do=show", "Ce code est un bulletin, pas un reçu"},
		{"odds", "/chances", "1 sur"},
		{"help", "/jeu-responsable", "09 74 75 13 13"},
		{"missing", "/nulle-part", "Cette page n’existe pas"},
	} {
		b.open(x.path)
		b.says("main", x.says)
		if over := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
			b.t.Errorf("%s at %d: %d px wider than the screen", x.name, width, over)
		}
		b.accessible(fmt.Sprint(x.name, " at ", width))
		b.tall(x.name, width)
		b.do(chromedp.EmulateViewport(width, height))
	}
	b.open("/verifier")
	b.do(chromedp.SetValue(chromedp.CSS("#code"), won))
	b.load(chromedp.Click(chromedp.CSS("form .main")))
	b.says(".answer", "Gagnant")
	b.accessible("winning ticket")
	b.tall("check-won", width)
}

// The page of a draw does the sums itself: a byte changed in the page, in the
// log's proof, in a bundle or in the checkpoint's signature shows as a cross,
// and never as "all agrees".
func TestBrowserPortalProof(t *testing.T) {
	t.Parallel()
	s, _ := newPortal(t)
	d := s.first("ile-au-tresor")
	path := fmt.Sprintf("/tirage?id=%d", d.ID)
	b := s.tab(1280, 800)
	b.open("/?lang=fr")
	b.open(path)
	b.says("#verdict", "Tout concorde")
	if n := eval[int](b, `document.querySelectorAll(".chain > li.ok").length`); n != 5 {
		t.Errorf("%d steps with a tick, want 5: %s", n, b.text(".chain"))
	}
	b.do(chromedp.Click(chromedp.CSS("#recount")))
	b.says("#counted", "Recompté : 120 reçus et 1 200,00 € de mises")
	b.do(chromedp.Click(chromedp.CSS(".proof summary")))
	b.says(".proof details", "Que le résultat découle de la clôture")

	home, err := url.Parse(s.server.URL)
	check(t, err)
	records, err := s.sys.DrawRecords(context.Background(), d.ID)
	check(t, err)
	record := records[2].Record // the close
	end := len(record) - 1
	changed := append(slices.Clone(record[:end]), record[end]^1) // of the root, which is another in each run
	for _, x := range []struct{ name, path, from, to, says string }{
		{"a number of the page", "/tirage", `data-tickets="120"`, `data-tickets="121"`, "Dit la même chose que cette page : échec"},
		{"the result on the page", "/tirage", `data-n="`, `data-n="9`, "Dit la même chose que cette page : échec"},
		{"a record on the page", "/tirage", `data-step="closed" data-index="`, `data-step="closed" data-index="1`, "échec"},
		{"a proof", "/log/proof/", "\n\ntirage.test/log\n", "\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n\ntirage.test/log\n", "Écriture présente dans le journal signé : échec"},
		{"the size of the signed tree", "/log/proof/", "tirage.test/log\n", "tirage.test/log\n1", "échec"},
		{"the bundle", "/log/tile/entries/", string(record), string(changed), "Écriture identique à celle que publie le journal : échec"},
	} {
		proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(home); r.Out.Header.Del("Accept-Encoding") }}
		proxy.ModifyResponse = func(r *http.Response) error {
			if !strings.HasPrefix(r.Request.URL.Path, x.path) {
				return nil
			}
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return err
			}
			changed := bytes.Replace(body, []byte(x.from), []byte(x.to), 1)
			if bytes.Equal(changed, body) {
				t.Errorf("%s: nothing to change at %s", x.name, r.Request.URL.Path)
			}
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(changed)), int64(len(changed))
			r.Header.Set("Content-Length", fmt.Sprint(len(changed)))
			return nil
		}
		server := httptest.NewServer(proxy)
		b.base = server.URL
		b.open(path)
		b.says("#verdict", "Quelque chose ne concorde pas")
		b.says(".chain", x.says)
		if n := eval[int](b, `document.querySelectorAll(".chain > li.bad").length`); n == 0 {
			t.Errorf("%s: no cross", x.name)
		}
		b.picture("draw-tampered")
		server.Close()
	}
	b.base = s.server.URL
	b.open(fmt.Sprintf("/tirage?id=%d", s.last("ile-au-tresor").ID))
	b.says("#verdict", "Tout concorde")
}

// A slip is filled in with the keyboard alone, and its price is said as it grows.
func TestBrowserPortalKeyboard(t *testing.T) {
	t.Parallel()
	s := newShopOf(t, money.Euros(100), "ile-au-tresor")
	b := s.tab(390, 844)
	b.open("/preparer?lang=fr")
	b.do(chromedp.Focus(chromedp.CSS(`input[name="places"]`)))
	for range 7 {
		b.press(" ")
		b.press(kb.Tab)
	}
	b.says(".picked", "cochés : 7")
	b.do(chromedp.Focus(chromedp.CSS(`input[name="pirates"]`)))
	b.press(" ")
	b.do(chromedp.Focus(chromedp.CSS(`input[name="stake"]`)))
	b.press(" ")
	b.do(chromedp.Focus(chromedp.CSS(`input[name="draws"]`)))
	b.press(" ")
	b.press(kb.ArrowRight)
	b.says("#sum", "4,00 €")
	b.load(chromedp.KeyEvent(kb.Enter))
	b.says(".ready", "Ce code est un bulletin, pas un reçu")
	b.says(".until", "Valable jusqu’au 07/01/2027 à 11:30")
	b.picture("portal-ready-phone")
	// IAT-2-app: a terminal reads it from the screen, so it is as wide as that, and dark on white by night too.
	for _, scheme := range []string{"dark", "light"} {
		b.scheme(scheme)
		width := eval[float64](b, `document.querySelector(".ready svg.qr").getBoundingClientRect().width / innerWidth`)
		colours := eval[string](b, `[...document.querySelectorAll(".ready svg.qr path")].map((path) => getComputedStyle(path).fill).join(" ")`)
		if width < 0.85 || colours != "rgb(255, 255, 255) rgb(16, 35, 63)" {
			t.Errorf("%s: the code is %g of the screen wide, in %s", scheme, width, colours)
		}
	}
}
