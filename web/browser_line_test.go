package web

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"tirage/money"
	"tirage/wager"
)

// stays does something that would leave the page while the line is down: the page says so and is
// as it was once the shopkeeper stays; asked for again, it goes on by itself when the line is back.
func (b *tab) stays(line *wire, what string, act chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	state := `location.pathname + location.search + " " + document.querySelectorAll(":checked").length + " " + [...document.querySelectorAll("input[type=text], input[type=date]")].map((e) => e.value).join("|")`
	before := eval[string](b, state)
	eval[bool](b, `window.left = true`)
	line.cut(true)
	b.do(act)
	b.says("#line", "Le serveur ne répond pas. Rien n’est perdu")
	if strings.Contains(b.text("#line"), "N’encaissez") {
		b.t.Errorf("%s: the line is said to be that of a sale: %s", what, b.text("#line"))
	}
	if n := eval[int](b, `[...document.querySelectorAll("#line button")].filter((e) => e.checkVisibility()).length`); n != 1 {
		b.t.Errorf("%s: %d keys on the banner", what, n)
	}
	b.press("b") // nothing but the banner takes keys
	b.press(kb.Escape)
	b.await(`document.getElementById("line").hidden && !document.querySelector("main").inert`)
	if after := eval[string](b, state); after != before || !eval[bool](b, `window.left === true`) {
		b.t.Errorf("%s: the page is at %s, was at %s", what, after, before)
	}
	b.do(act)
	b.says("#line", "Le serveur ne répond pas")
	line.cut(false)
	b.poll(`!window.left && document.readyState === "complete"`)
}

// Without a connection no key of the desk leads to a page of the browser's own: what is marked, typed and
// in the basket stays, and what was asked for is done when the line is back.
func TestBrowserNoConnection(t *testing.T) {
	t.Parallel()
	s, line := newShopOf(t, money.Euros(1000), "ile-au-tresor", "amigo"), &wire{}
	sold := s.sell(1)[0]
	line.over(s)
	h := hand{tab: s.tab(1280, 800)}
	h.signOn(s)
	h.open("/terminal?jeu=ile-au-tresor&lang=fr")
	h.marks("adilpsu", 2, 2, 2)
	h.stays(line, "Add", h.act("Enter", ""))
	h.says(".slips", "8,00 €")
	h.stakes(1, 1)
	h.stays(line, "quick pick", h.act("y", ""))
	h.says(".slips", "Flash")
	h.marks("ab", 0, 0, 0)
	h.stays(line, "another game", h.act("F2", ""))
	h.says(".basket h2", "Panier 2")
	h.leads("F2", "")
	h.do(chromedp.Focus(chromedp.CSS("#code")), chromedp.SetValue(chromedp.CSS("#code"), wager.Code(sold.Number, sold.Secret)))
	h.stays(line, "check", chromedp.KeyEvent(kb.Enter))
	h.says("#verdict", "En attente")
	h.stays(line, "Z", h.act("z", ""))
	h.says(".read", "demandez le nombre de tirages")
	h.stays(line, "a page", h.act("F7", ""))
	h.says("h1", "Comptes")
	line.cut(true)
	h.do(h.act("Escape", ""))
	h.says("#line", "Le serveur ne répond pas")
	h.whole()
	h.accessible("no connection")
	h.picture("line-page")
	line.cut(false)
	h.says(".read", "demandez le nombre de tirages")
	h.says(".basket h2", "Panier 2")
	line.cut(true)
	h.do(h.act("Enter", ""))
	h.says("#line", "Ligne coupée")
	h.whole()
	h.accessible("no connection at the desk")
	h.picture("line-desk")
	if got := h.focused(); got == "body" {
		t.Error("the key that stays has no focus")
	}
	h.press(kb.Escape)
	h.await(`document.getElementById("line").hidden`)
	line.cut(false)
	if n := eval[int](h.tab, `document.querySelectorAll("[data-matrix] input:checked").length`); n != 8 {
		t.Errorf("%d boxes are marked", n)
	}
	h.stakes(0, 1)
	h.leads("Ctrl+Enter", "")
	h.sees(".strip", "À payer")
	if n, _ := s.sold(); n != 5 {
		t.Errorf("%d parts are sold, want 1 before, and 4", n)
	}
}

// A photo that the line does not take is not lost, and the page says no more that it is being read.
func TestBrowserNoConnectionAtAPhoto(t *testing.T) {
	t.Parallel()
	s, line := newShop(t, money.Euros(1000)), &wire{}
	line.over(s)
	b := s.tab(1280, 800)
	b.signOn(s)
	file := jpegOf(t, qrOf(t, s.phone(island, time.Hour)))
	b.load(chromedp.KeyEvent(kb.F4))
	line.cut(true)
	b.chooses("choose", file)
	b.says("#line", "Le serveur ne répond pas")
	b.press(kb.Escape)
	b.await(`document.getElementById("line").hidden && document.getElementById("hint").textContent === ""`)
	b.chooses("choose", file)
	b.says("#line", "Le serveur ne répond pas")
	line.cut(false)
	b.says(".read", "Bulletin du téléphone")
	b.load(chromedp.KeyEvent(kb.Escape))
	line.cut(true)
	b.chooses("drop", file)
	b.says("#line", "Le serveur ne répond pas")
	line.cut(false)
	b.says(".read", "Bulletin du téléphone")
}
