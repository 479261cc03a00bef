package web

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// F21: training at the terminal, as the shopkeeper sees it: entered and left by
// keys, framed in yellow on every page, its tickets marked, its draws drawn when asked to.
func TestBrowserF21_Training(t *testing.T) {
	t.Parallel()
	s := newSchool(t)
	before := s.journal()
	b := s.tab(1280, 800)
	b.scripted(`window.print = () => {}`) // its dialog would wait for somebody
	b.signOn(s)
	framed := func(page string) {
		t.Helper()
		b.says(".training-mark", "FORMATION Rien n’est vendu")
		for _, side := range []string{"Top", "Right", "Bottom", "Left"} {
			if got := eval[string](b, `getComputedStyle(document.body, "::after").border`+side); got != "8px solid rgb(242, 194, 0)" {
				t.Errorf("%s: the frame is %q", page, got)
			}
		}
		if over := eval[float64](b, `Math.max(...[...document.querySelectorAll(".actions, .till, .roll, .paperticket")].map(e => e.getBoundingClientRect().bottom), 0) - document.querySelector("main").getBoundingClientRect().bottom`); over > 0 {
			t.Errorf("%s: what is in the page ends %v px below it", page, over)
		}
		b.whole()
		b.touchable()
		b.accessible(page)
	}
	b.load(chromedp.KeyEvent(kb.F10))
	b.says("h1", "Formation")
	b.whole()
	b.touchable()
	b.accessible("before training")
	b.picture("training-before")
	b.await(`document.activeElement.value === "enter"`) // the key has the focus
	b.load(chromedp.KeyEvent(kb.Enter))
	b.says(".strip", "FORMATION")
	b.open("/terminal?jeu=amigo")
	framed("desk of Amigo in training")
	b.picture("training-desk-amigo")
	b.open("/terminal?jeu=ile-au-tresor")
	framed("desk in training")
	b.picture("training-desk")
	b.sells(200, 1)
	b.says(".tickets", "SPÉCIMEN")
	b.says(".tickets .code", "UUUU-")
	framed("ticket in training")
	b.picture("training-ticket")
	b.load(chromedp.Click(chromedp.CSS(`.printing button[value="page"]`)))
	framed("paper in training")
	b.picture("training-paper")
	b.printed("training-paper", 80, 297)
	b.load(chromedp.KeyEvent(kb.Escape))
	b.load(chromedp.KeyEvent(kb.F10))
	framed("training")
	b.load(chromedp.Click(chromedp.CSS(`button[value="draw:ile-au-tresor"]`)))
	b.says(".moves", "Dernier tirage : n° 95")
	b.picture("training-draws")
	b.load(chromedp.KeyEvent(kb.F3))
	b.says("h1", "Derniers tirages")
	framed("results in training")
	b.load(chromedp.KeyEvent(kb.F7))
	framed("accounts in training")
	b.picture("training-accounts")
	media := func(kind string) {
		b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: kind})
			return err
		}))
	}
	media("print")
	b.says(".training-mark", "FORMATION Rien n’est vendu")
	media("")
	b.printed("training-accounts", 210, 297)
	b.load(chromedp.KeyEvent(kb.F10))
	b.load(chromedp.Click(chromedp.CSS(`button[value="leave"]`)))
	b.says(".checkform", "Reçu")
	if eval[bool](b, `!!document.querySelector(".training-mark, body.training, .specimen")`) {
		t.Error("the live desk is marked")
	}
	if after := s.journal(); after != before {
		t.Errorf("the live journal was\n%s\nand is\n%s", before, after)
	}
}
