package web

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// No page of the terminal is wider than its screen, in both languages: on a counter's
// screens, and on a telephone that stands in for one.
func TestBrowserWidths(t *testing.T) {
	t.Parallel()
	s, _ := bankingShop(t, false)
	s.agreed("500", "5000")
	b := s.tab(390, 844)
	b.signOn(s)
	b.sells(200, 1)
	s.clock.set(opening.Add(30 * 24 * time.Hour))
	s.tick()
	s.tick()
	b.signOn(s)
	statement := fmt.Sprint("/terminal/comptes/releve-", s.lastStatement())
	for _, size := range [][2]int64{{390, 844}, {1024, 768}, {1280, 800}} {
		b.do(chromedp.EmulateViewport(size[0], size[1]))
		for _, path := range []string{
			"/terminal", "/terminal?places=3&stake=200", "/terminal/resultats", "/terminal/comptes", "/terminal/comptes/service", "/terminal/comptes/semaine",
			"/terminal/comptes/releves", statement, "/terminal/messages", "/terminal/bon", "/terminal/aide", "/terminal/lecture",
		} {
			for _, lang := range []string{"fr", "en"} {
				sign := "?"
				if path == "/terminal?places=3&stake=200" {
					sign = "&"
				}
				b.open(path + sign + "lang=" + lang)
				b.says("main", "")
				if over := eval[string](b, `(() => {
					const over = document.documentElement.scrollWidth - innerWidth;
					return over <= 0 ? "" : over + " px: " + [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1).slice(0, 4).map((e) => e.outerHTML.slice(0, 70)).join(" | ");
				})()`); over != "" {
					t.Errorf("%s in %s at %d px is wider by %s", path, lang, size[0], over)
				}
				if size[0] == 390 && path == "/terminal/comptes" {
					b.picture("width-account-" + lang)
				}
			}
		}
	}
}

// lastStatement is the record of the newest statement of the outlet.
func (s *shop) lastStatement() uint64 {
	s.t.Helper()
	list, err := s.sys.Statements(s.t.Context(), s.outlet.ID, 1)
	check(s.t, err)
	if len(list) == 0 {
		s.t.Fatal("no statement")
	}
	return list[0].Record
}
