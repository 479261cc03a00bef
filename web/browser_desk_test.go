package web

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"tirage/money"
)

// touchable checks that each key of the page is 44 px high and wide, or more, for a finger.
func (b *tab) touchable() {
	b.t.Helper()
	small := eval[[]string](b, `[...document.querySelectorAll("main button, main .menu a, main summary, .places a, .back, main input:not([type=hidden]), main select")]
		.filter(e => e.checkVisibility() && !e.closest(".box, .key, .boards, .quote"))
		.map(e => [e.matches("input[type=checkbox], input[type=radio]") ? e.closest("label") ?? e : e, e])
		.filter(([e]) => e.getBoundingClientRect().height < 43.5 || e.getBoundingClientRect().width < 43.5)
		.map(([e]) => e.outerHTML.slice(0, 90) + " " + Math.round(e.getBoundingClientRect().width) + " × " + Math.round(e.getBoundingClientRect().height))`)
	if len(small) > 0 {
		b.t.Errorf("too small for a finger: %q", small)
	}
	if got := eval[string](b, `document.querySelector("footer")?.innerText ?? ""`); len(got) < 20 {
		b.t.Error("neither an age nor where to get help on the page")
	}
}

// goes presses a key that leads to a page, and looks at it.
func (b *tab) goes(key, heading, picture string) {
	b.t.Helper()
	b.load(chromedp.KeyEvent(key))
	b.says("h1", heading)
	b.whole()
	b.touchable()
	b.accessible(heading)
	b.picture(picture)
}

// The pages beside the desk are reached by keys and by touch, each fills the
// screen without scrolling, and the desk is found again as it was left.
func TestBrowserDeskPages(t *testing.T) {
	t.Parallel()
	s := newShopOf(t, money.Euros(3000), "amigo", "ile-au-tresor")
	s.sell(20)
	s.pass(31 * time.Minute)
	s.pass(5 * time.Minute)
	s.pass(5 * time.Minute)
	b := s.tab(1280, 800)
	b.signOn(s)
	b.open("/terminal?jeu=ile-au-tresor")
	b.tick("places", 5)
	b.tick("stake", 600)
	b.goes(kb.F3, "Derniers tirages", "desk-results")
	b.goes(kb.F2, "Derniers tirages", "desk-results-amigo")
	b.goes(kb.F1, "Aide", "desk-help")
	b.goes(kb.F8, "Bons de versement", "desk-vouchers")
	b.load(chromedp.KeyEvent(kb.Escape))
	if !eval[bool](b, `document.querySelector('[name=places][value="5"]').checked && document.querySelector('[name=stake][value="600"]').checked`) {
		t.Error("the desk was not found as it was left")
	}
	b.click(".menu summary")
	b.whole()
	b.touchable()
	b.accessible("menu")
	b.picture("desk-menu")
	b.load(chromedp.Click(chromedp.CSS(".menu a[data-key=F3]")))
	b.says("h1", "Derniers tirages")
}
