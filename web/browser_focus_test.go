package web

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"tirage/money"
)

// focused is what has the focus: the id, else the class.
func (b *tab) focused() string {
	b.t.Helper()
	return eval[string](b, `document.activeElement.id || document.activeElement.className || document.activeElement.localName`)
}

// What a sale, a check and a cancellation did has the focus and stands in the title, so it is read out.
func TestBrowserDoneIsAnnounced(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(1000))
	b := s.tab(1280, 800)
	b.signOn(s)
	titled := func(want string) {
		t.Helper()
		if got := spaces.ReplaceAllString(eval[string](b, `document.title`), " "); !strings.HasPrefix(got, want) {
			t.Errorf("the title is %q, want %q…", got, want)
		}
	}
	b.open("/terminal?lang=fr")
	titled("Poste de vente")
	b.sells(200, 1)
	b.says(".tickets .code", "-")
	if got := b.focused(); got != "tickets" {
		t.Errorf("after a sale the focus is on %q", got)
	}
	titled("À payer 2,00 € · Poste de vente")
	code := eval[string](b, `document.querySelector(".tickets .code code").textContent`)
	b.picture("focus-sale")

	// Escape shuts what is open, and clears nothing.
	b.tick("stake", 200)
	b.do(chromedp.Click(chromedp.CSS("details.cancelling summary")))
	b.press(kb.Escape)
	b.do(chromedp.Click(chromedp.CSS("details.menu summary")))
	b.press(kb.Escape)
	if open := eval[float64](b, `document.querySelectorAll("details[open]").length`); open != 0 {
		t.Errorf("%v questions are open after Escape", open)
	}
	if got := eval[string](b, `document.querySelector("input[name=stake]:checked")?.value ?? ""`); got != "200" {
		t.Errorf("the stake is %q after Escape in what was open", got)
	}
	b.load(chromedp.KeyEvent(kb.Escape))
	if got := eval[string](b, `document.querySelector("input[name=stake]:checked")?.value ?? ""`); got != "" {
		t.Errorf("the stake is %q after Escape with nothing open", got)
	}

	b.do(chromedp.SendKeys(chromedp.CSS("#code"), code))
	b.load(chromedp.KeyEvent(kb.Enter))
	b.says("#verdict", "En attente")
	if got := b.focused(); !strings.HasPrefix(got, "answer") {
		t.Errorf("after a check the focus is on %q", got)
	}
	titled("En attente · Poste de vente")
	b.accessible("a check that has the focus")
	b.picture("focus-check")
	b.do(chromedp.Click(chromedp.CSS("details.cancelling summary")))
	b.load(chromedp.Click(chromedp.CSS("details.cancelling .danger")))
	b.says("#undone", "annulé")
	if got := b.focused(); got != "undone" {
		t.Errorf("after a cancellation the focus is on %q", got)
	}
	titled("Reçu")
}

// Two presses of the camera's key while the browser asks leave no camera on.
func TestBrowserCameraKeyTwice(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(100))
	b := s.tab(1280, 800)
	b.signOn(s)
	b.open("/terminal/lecture?lang=fr")
	eval[bool](b, `(() => {
		const canvas = document.createElement("canvas");
		canvas.getContext("2d");
		window.streams = [];
		navigator.mediaDevices.getUserMedia = () => new Promise((resolve) => { window.allow = () => { const s = canvas.captureStream(5); window.streams.push(s); resolve(s); }; });
		return true;
	})()`)
	live := func() float64 {
		t.Helper()
		return eval[float64](b, `new Promise((resolve) => setTimeout(() => resolve(window.streams.flatMap((s) => s.getTracks()).filter((track) => track.readyState === "live").length), 100))`)
	}
	b.press(kb.F9)
	b.press(kb.F9)
	eval[bool](b, `window.allow(), true`)
	if n := live(); n != 0 {
		t.Errorf("%v cameras are on after two presses", n)
	}
	b.press(kb.F9)
	eval[bool](b, `window.allow(), true`)
	if n := live(); n != 1 {
		t.Errorf("%v cameras are on after one press", n)
	}
	for range 3 { // off, on, off
		b.press(kb.F9)
	}
	eval[bool](b, `window.allow(), true`)
	if n := live(); n != 0 {
		t.Errorf("%v cameras are on after three presses more", n)
	}
}

// After a close a terminal asks for what sells, and for nothing else of the desk.
func TestSalesAloneAreAskedFor(t *testing.T) {
	t.Parallel()
	s := newShopOf(t, money.Euros(100), "ile-au-tresor", "amigo")
	b := s.signedOn()
	whole := b.get("/terminal?jeu=amigo&draws=2")
	part := b.get("/terminal/tirages?jeu=amigo&draws=2")
	if part.status != http.StatusOK || strings.Contains(part.body, "<body") || len(part.body) > len(whole.body)/6 {
		t.Errorf("status %d, %d bytes of %d\n%s", part.status, len(part.body), len(whole.body), part.body)
	}
	for _, id := range []string{`id="sales"`, `id="upcoming"`} {
		_, rest, ok := strings.Cut(part.body, id)
		rest, _, _ = strings.Cut(rest, ">")
		if !ok || !strings.Contains(whole.body, id+rest) {
			t.Errorf("%s%s: not as on the desk", id, rest)
		}
	}
	s.clock.set(opening.Add(17 * time.Hour))
	if p := b.get("/terminal/tirages?jeu=amigo"); p.path != "/terminal/connexion" {
		t.Errorf("without a session at %s", p.path)
	}
}
