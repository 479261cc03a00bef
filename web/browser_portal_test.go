package web

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

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
	for range 20 {
		s.pass(5 * time.Minute)
	}
	return s, tickets
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

func TestBrowserPortalPages(t *testing.T) {
	t.Parallel()
	s, tickets := newPortal(t)
	island, amigo := s.last("ile-au-tresor"), s.last("amigo")
	won := s.standing(tickets, settle.Won)
	for _, size := range [][2]int64{{390, 844}, {1280, 800}} {
		b := s.tab(size[0], size[1])
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
			{"ready", "/preparer?jeu=ile-au-tresor&board=1.6.11.16.17.20.21-3&stake=200&draws=2&do=show", "Ce code est un bulletin"},
			{"odds", "/chances", "1 sur"},
			{"help", "/jeu-responsable", "09 74 75 13 13"},
			{"missing", "/nulle-part", "Cette page n’existe pas"},
		} {
			b.open(x.path)
			b.says("main", x.says)
			if over := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
				b.t.Errorf("%s at %d: %d px wider than the screen", x.name, size[0], over)
			}
			b.accessible(fmt.Sprint(x.name, " at ", size[0]))
			b.tall(x.name, size[0])
			b.do(chromedp.EmulateViewport(size[0], size[1]))
		}
		b.open("/verifier")
		b.do(chromedp.SetValue(chromedp.CSS("#code"), won))
		b.load(chromedp.Click(chromedp.CSS("form .main")))
		b.says(".answer", "Gagnant")
		b.accessible("winning ticket")
		b.tall("check-won", size[0])
	}
}
