package web

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"tirage/central"
	"tirage/money"
	"tirage/settle"
	"tirage/wager"
)

func TestBrowserTerminalSale(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(1500))
	s.pass(23*time.Minute + 12*time.Second)
	b := s.tab(1280, 800)
	b.open("/terminal?lang=fr")
	b.says("h1", "Poste de vente")
	b.accessible("sign-on")
	b.picture("terminal-signon")
	b.signOn(s)
	b.whole()
	b.accessible("empty desk")
	b.picture("terminal-empty")

	for _, n := range seven {
		b.tick("places", n)
	}
	b.tick("pirates", 2)
	b.tick("stake", 400)
	b.tick("draws", 3)
	b.says(".island .count", "7/7")
	b.whole()
	b.picture("terminal-marked")
	b.load(chromedp.Click(chromedp.CSS("button[value=add]")))
	b.says(".slips", "12,00 €")

	b.tick("places", 3)
	b.tick("places", 13)
	b.tick("stake", 200)
	b.tick("draws", 1)
	b.load(chromedp.Click(chromedp.CSS("button[value=flash]")))
	b.says(".slips", "Flash × 5")
	b.says(".till", "14,00 €")
	b.tick("places", 8)
	b.tick("stake", 1000)
	b.load(chromedp.Click(chromedp.CSS("button[value=add]")))
	b.says("#refusal", "Nombre de tirages : aucun n’est coché")
	b.whole()
	b.accessible("refusal")
	b.picture("terminal-refusal")
	b.load(chromedp.Click(chromedp.CSS("button[value=clear]")))
	b.whole()
	b.accessible("basket")
	b.picture("terminal-basket")
	b.load(chromedp.Click(chromedp.CSS("button[value=sell]")))
	b.says(".ticket", "Date de tirage(s) métropolitaine")
	b.says(".strip", "À payer 14,00 €")
	b.whole()
	b.accessible("sold")
	b.picture("terminal")
	colours := `["html", ".basket", ".ticket"].map(at => getComputedStyle(document.querySelector(at))).map(s => s.color + " on " + s.backgroundColor)`
	day := eval[[]string](b, colours)
	b.scheme("dark")
	night := eval[[]string](b, colours)
	b.scheme("light")
	if day[0] == night[0] || day[1] == night[1] {
		t.Errorf("no darker by night: %q", night)
	}
	if paper := "rgb(17, 17, 17) on rgb(255, 255, 255)"; day[2] != paper || night[2] != paper {
		t.Errorf("the ticket is %s by day and %s by night, want paper", day[2], night[2])
	}
	if at := eval[string](b, `location.pathname + location.search`); at != "/terminal" {
		t.Errorf("the answer stands at %s, which asks for the form again when it is loaded again", at)
	}
	b.do(chromedp.Reload())
	b.says(".ticket", "Date de tirage(s) métropolitaine")
	if n, owes := s.sold(); n != 4 || owes != 1400 { // three draws and one
		t.Errorf("%d parts sold, owes %v; want 4 and 14.00", n, owes)
	}
}

// sell sells n quick picks for one draw, and returns their codes.
func (s *shop) sell(n int) []wager.Ticket {
	s.t.Helper()
	var list []wager.Ticket
	for i := range n {
		ticket, err := s.sys.Place(context.Background(), central.Place{
			Key: fmt.Sprintf("sale-%d", i), Terminal: s.terminal.ID,
			Slip: wager.Slip{Game: "ile-au-tresor", Boards: []wager.Board{{QuickPick: true}}, Stake: 1000, Draws: 1},
		})
		check(s.t, err)
		list = append(list, ticket)
	}
	return list
}

// standing finds a ticket that stands so.
func (s *shop) standing(list []wager.Ticket, want settle.Standing) string {
	s.t.Helper()
	for _, x := range list {
		c, err := s.sys.Check(context.Background(), x.Number, x.Secret, time.UTC)
		check(s.t, err)
		if c.Answer.Standing == want && (want != settle.Won || c.Answer.Payable > 0) {
			return wager.Code(x.Number, x.Secret)
		}
	}
	s.t.Fatalf("no ticket of %d is %v", len(list), want)
	return ""
}

func TestBrowserTerminalWinLossPending(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(9000))
	tickets := s.sell(120)
	b := s.tab(1280, 800)
	b.signOn(s)
	b.tick("places", 5)
	b.tick("stake", 600)
	b.checkTicket(wager.Code(tickets[0].Number, tickets[0].Secret))
	b.says("#verdict", "En attente")
	if got := eval[bool](b, `document.querySelector('[name=places][value="5"]').checked && document.querySelector('[name=stake][value="600"]').checked`); !got {
		t.Error("the check lost what was marked")
	}
	b.whole()
	b.accessible("pending")
	b.picture("terminal-pending")

	s.pass(31 * time.Minute) // draw 95 is drawn, settled, certified
	b.checkTicket(s.standing(tickets, settle.Lost))
	b.says("#verdict", "Perdant")
	b.whole()
	b.accessible("lost")
	b.picture("terminal-lost")
	b.checkTicket(s.standing(tickets, settle.Won))
	b.says("#verdict", "Gagnant")
	b.whole()
	if cut := eval[[]string](b, `(box => [...document.querySelectorAll(".answer *")].filter(e => e.getBoundingClientRect().right > box.right && e.checkVisibility()).map(e => e.outerHTML.slice(0, 80)))(document.querySelector(".answer").getBoundingClientRect())`); len(cut) > 0 {
		t.Errorf("cut off by the edge of the answer: %q", cut)
	}
	b.accessible("won")
	b.picture("terminal-won")
	_, before := s.sold()
	b.load(chromedp.Click(chromedp.CSS("button.pay")))
	b.says("#verdict", "Gagnant, payé")
	b.says(".strip", "Pour vous")
	b.whole()
	b.accessible("paid")
	b.picture("terminal-paid")
	if _, after := s.sold(); after >= before {
		t.Errorf("owes %v after the payment, %v before", after, before)
	}
	b.checkTicket("1234")
	b.says("#check-refusal", "Ce code n’est pas complet")
	b.whole()
}

func TestBrowserTerminalKeyboard(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(1500))
	b := s.tab(1280, 800)
	b.open("/terminal/connexion?lang=fr")
	b.await(`document.activeElement.id === "device"`) // the browser gives the focus once it has painted the page
	for _, c := range s.device {
		b.press(string(c))
	}
	b.load(chromedp.KeyEvent(kb.Enter))
	for _, c := range "adilpsu" {
		b.press(string(c))
	}
	b.press("w")
	b.press("2")
	b.do(pressDigit("1", chromedp.ModifierShift))
	b.says(".island .count", "7/7")
	b.load(chromedp.KeyEvent(kb.Enter))
	b.says(".slips", "4,00 €")
	b.press("1")
	b.do(pressDigit("6", chromedp.ModifierShift))
	b.load(chromedp.KeyEvent("y"))
	b.says(".till", "24,00 €")
	b.load(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.says(".strip", "À payer 24,00 €")
	code := b.text(".ticket code")
	code, _, _ = strings.Cut(code, " ")
	b.press("k", chromedp.ModifierCtrl)
	for _, c := range code {
		b.press(string(c))
	}
	b.load(chromedp.KeyEvent(kb.Enter))
	b.says("#verdict", "En attente")
	if n, owes := s.sold(); n != 3 || owes != 2400 {
		t.Errorf("%d parts sold, owes %v; want 3 and 24.00", n, owes)
	}
}

// Keys of one character can be switched off, and stay so; the others work on (WCAG 2.1.4).
func TestBrowserTerminalShortcutsOff(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(100))
	b := s.tab(1280, 800)
	b.signOn(s)
	b.press("a")
	b.says(".island .count", "1/7")
	b.click("#shortcuts")
	b.do(chromedp.Reload())
	b.whole()
	b.accessible("without shortcuts")
	for _, key := range []string{"b", "B", "1", "y"} {
		b.press(key)
	}
	b.do(pressDigit("1", chromedp.ModifierShift))
	if got := b.text(".island .count"); got != "1/7" {
		t.Errorf("%s ticked after keys that are off", got)
	}
	if got := eval[int](b, `document.querySelectorAll("[name=stake]:checked, [name=draws]:checked, .slips li, .refusal").length`); got != 0 {
		t.Errorf("keys that are off did %d things", got)
	}
	if got := eval[int](b, `[...document.querySelectorAll(".box, .key, .flash")].filter(e => e.querySelector("kbd").checkVisibility() || e.matches("[aria-keyshortcuts]") || e.querySelector("[aria-keyshortcuts]")).length`); got != 0 {
		t.Errorf("%d keys that are off are still told", got)
	}
	b.load(chromedp.KeyEvent(kb.Enter))
	b.says("#refusal", "Mise par tirage : aucune n’est cochée")
	b.click("#shortcuts")
	b.press("b")
	b.says(".island .count", "2/7")
}

// pressDigit presses a key of the digit row.
func pressDigit(digit string, m chromedp.Modifier) chromedp.Action[chromedp.Void] {
	return chromedp.KeyEvent(digit, chromedp.KeyModifiers(m))
}

// The desk fills screens of the usual sizes: nothing scrolls, and no key lies under another thing.
func TestBrowserTerminalSizes(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(100))
	b := s.tab(1280, 800)
	b.signOn(s)
	for _, size := range [][2]int64{{1024, 768}, {1280, 800}, {1440, 900}, {1680, 1050}, {1920, 1080}, {1920, 900}, {2560, 1440}} {
		b.do(chromedp.EmulateViewport(size[0], size[1]))
		b.whole()
		if over := eval[float64](b, `document.querySelector(".actions").getBoundingClientRect().bottom - document.querySelector(".strip").getBoundingClientRect().top`); over > 0 {
			t.Errorf("at %d × %d the keys lie %g px under the strip", size[0], size[1], over)
		}
		hidden := eval[[]string](b, `["[value=add]", "[value=flash]", ".basket", ".sell", "#code", ".checkform button"].filter((at) => {
			const box = document.querySelector(at).getBoundingClientRect();
			return document.elementFromPoint((box.left + box.right) / 2, box.bottom - 4)?.closest(at) === null || box.bottom > innerHeight || box.right > innerWidth;
		})`)
		if len(hidden) > 0 {
			t.Errorf("at %d × %d not to be seen: %q", size[0], size[1], hidden)
		}
		if size[0] == 1024 || size[0] == 1920 && size[1] == 1080 {
			b.picture(fmt.Sprintf("terminal-%d", size[0]))
		}
	}
}

// The ticket stays on its paper, and the field for a code shows all of one, in both languages.
func TestBrowserTerminalPaper(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(100))
	b := s.tab(1280, 800)
	b.signOn(s)
	for _, lang := range []string{"fr", "en"} {
		b.open("/terminal?lang=" + lang)
		b.tick("stake", 200)
		b.tick("draws", 6)
		b.load(chromedp.Click(chromedp.CSS("button[value=flash]")))
		b.load(chromedp.Click(chromedp.CSS("button[value=sell]")))
		b.says(".ticket", "214")
		over := eval[[]string](b, `(() => {
			const paper = document.querySelector(".ticket").getBoundingClientRect(), range = document.createRange();
			return [...document.querySelectorAll(".ticket dt, .ticket dd, .ticket p, .ticket code")].filter((e) => {
				range.selectNodeContents(e);
				const box = range.getBoundingClientRect();
				return !e.querySelector(".visually-hidden") && (box.left < paper.left || box.right > paper.right);
			}).map((e) => e.textContent);
		})()`)
		if len(over) > 0 {
			t.Errorf("%s: over the paper's edge: %q", lang, over)
		}
		b.do(chromedp.SendKeys(chromedp.CSS("#code"), "0000-0D1N-9D47-DN2C-RQP5"))
		if hidden := eval[int](b, `document.querySelector("#code").scrollWidth - document.querySelector("#code").clientWidth`); hidden > 0 {
			t.Errorf("%s: %d px of a code are hidden", lang, hidden)
		}
		b.whole()
		b.picture("terminal-paper-" + lang)
	}
}

// TestBrowserTerminalSmall checks the face on a phone, where it may scroll, and in English.
func TestBrowserTerminalSmall(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(100))
	b := s.tab(390, 844)
	b.signOn(s)
	b.open("/terminal?lang=en")
	b.says(".actions", "Quick pick")
	if over := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
		wide := eval[[]string](b, `[...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > innerWidth).map(e => e.tagName + "." + e.className)`)
		t.Errorf("the page is %d px too wide: %q", over, wide)
	}
	b.accessible("phone, English")
	b.picture("terminal-phone")
}
