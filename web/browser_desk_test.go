package web

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"tirage/central"
	"tirage/money"
	"tirage/wager"
)

// touchable checks that each key of the page is 44 px high and wide, or more, for
// a finger. One exception holds: the shapes and extra numbers of a quick pick stand
// thirteen and five in a row, 44 px high and as wide as goes; 24 px is the least
// (WCAG 2.5.8, by size, so that their spacing need not be measured).
func (b *tab) touchable() {
	b.t.Helper()
	small := eval[[]string](b, `[...document.querySelectorAll("main button, main .menu a, main summary, .places a, .back, main input:not([type=hidden]), main select")]
		.filter(e => e.checkVisibility())
		.map(e => [e.matches("input[type=checkbox], input[type=radio]") ? e.closest("label") ?? e : e, e])
		.filter(([e]) => e.getBoundingClientRect().height < 43.5 || e.getBoundingClientRect().width < (e.closest(".small-keys") ? 24 : 43.5))
		.map(([e]) => e.outerHTML.slice(0, 90) + " " + Math.round(e.getBoundingClientRect().width) + " × " + Math.round(e.getBoundingClientRect().height))`)
	if len(small) > 0 {
		b.t.Errorf("too small for a finger: %q", small)
	}
	if over := eval[float64](b, `Math.max(...[...document.querySelectorAll(".actions, .till")].map(e => e.getBoundingClientRect().bottom), 0) - document.querySelector("main").getBoundingClientRect().bottom`); over > 0 {
		b.t.Errorf("the keys end %v px below the page", over)
	}
	if got := eval[string](b, `document.querySelector("footer")?.innerText ?? ""`); len(got) < 20 {
		b.t.Error("neither an age nor where to get help on the page")
	}
}

// scripted runs a script in each page of the tab before its own.
func (b *tab) scripted(source string) {
	b.t.Helper()
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: source})
		return err
	}))
}

// sells sells a quick pick by keys, and waits for its ticket.
func (b *tab) sells(stake, draws int) {
	b.t.Helper()
	b.tick("stake", stake)
	b.tick("draws", draws)
	b.load(chromedp.KeyEvent("y"))
	b.says(".slips", "Flash")
	b.load(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.says(".basket h2", "Panier 0")
}

// printed prints the page on paper of so many millimetres, and returns on how many sheets.
func (b *tab) printed(name string, width, height float64) int {
	b.t.Helper()
	var pdf []byte
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		got, err := cdp.Call(ctx, t, page.PrintToPDF, page.PrintToPDFParams{PaperWidth: width / 25.4, PaperHeight: height / 25.4})
		if err != nil {
			return err
		}
		pdf = got.Data
		return nil
	}))
	if *shots != "" {
		check(b.t, os.WriteFile(filepath.Join(*shots, fmt.Sprintf("%s-%.0f.pdf", name, width)), pdf, 0o644))
	}
	return bytes.Count(pdf, []byte("/Type /Page\n"))
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
	b.goes(kb.F7, "Comptes", "desk-day")
	b.printed("desk-day", 80, 297)
	b.printed("desk-day", 210, 297)
	b.goes(kb.F6, "Messages", "desk-notices")
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

// The accounts of an outlet by keys: day, shift, week, the list of statements, and
// one of them, which goes to a printer as PDF. Each fits, by day and by night.
func TestBrowserAccountsOfTheDesk(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(1000))
	s.agreed("500", "5000")
	sellOne(t, s.signedOn())
	s.clock.set(opening.AddDate(0, 0, 8))
	s.tick()
	s.tick()
	b := s.tab(1280, 800)
	b.signOn(s)
	b.goes(kb.F7, "Comptes", "desk-account-day")
	page := func(heading, picture string) {
		t.Helper()
		b.says("#heading", heading)
		b.whole()
		b.touchable()
		b.accessible(heading)
		b.picture(picture)
	}
	for n, heading := range []string{"Service", "Semaine", "Relevés"} {
		b.load(chromedp.KeyEvent(strconv.Itoa(n+2), chromedp.KeyModifiers(chromedp.ModifierCtrl)))
		page(heading, "desk-account-"+[]string{"shift", "week", "statements"}[n])
	}
	b.says(".list", "3,80 €")
	b.load(chromedp.Click(chromedp.CSS("a.row")))
	page("Relevé", "desk-account-statement")
	b.says(".sumlist", "Solde de clôture 3,80 €")
	got := eval[[]string](b, `Promise.all([...document.querySelectorAll("a[href$='.pdf']")].map(async a => {
		const answer = await fetch(a.href), text = await answer.text();
		return answer.status + " " + answer.headers.get("content-type") + " " + text.slice(0, 5);
	}))`)
	if len(got) == 0 || slices.ContainsFunc(got, func(a string) bool { return a != "200 application/pdf %PDF-" }) {
		t.Errorf("the statement's files: %q", got)
	}
}

// A printer that takes its time holds nothing up: the sale is answered, the next slip is filled
// in, and the page shows by itself how the print ended. What was not printed before stays in sight.
func TestBrowserSlowPrinter(t *testing.T) {
	t.Parallel()
	s, p := printingShop(t, true)
	b := s.tab(1280, 800)
	b.signOn(s)
	let := p.hold()
	p.say(0x0c)
	b.sells(200, 1)
	<-p.arrived
	b.says(".printing", "Impression en cours")
	if !eval[bool](b, `document.getElementById("line").hidden`) {
		t.Error("the line is said to be down because of a printer")
	}
	b.tick("places", 5)
	p.say(0)
	let()
	b.says(".printing .refusal", "Vendu, pas imprimé : l’imprimante n’a plus de papier.")
	if !eval[bool](b, `document.querySelector('[name=places][value="5"]').checked && document.querySelector(".printing [name=places]").value === "5"`) {
		t.Error("what was ticked meanwhile is lost")
	}
	b.sells(400, 1)
	b.says(".tickets .printing", "Imprimé")
	b.says(".late", "Vendu, pas imprimé")
	b.whole()
	b.touchable()
	b.accessible("not printed before")
	b.picture("desk-print-late")
	b.load(chromedp.KeyEvent("i", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.await(`!document.querySelector(".late")`)
	if n := len(p.printed()); n != 3 {
		t.Errorf("%d jobs, want 3", n)
	}
	let = p.hold()
	b.sells(200, 1)
	b.says(".printing", "Impression en cours")
	b.whole()
	b.touchable()
	b.accessible("printing")
	b.picture("desk-printing")
	let()
}

// Saved as a file, which leaves the page as it is, a ticket or a voucher is shown as printed, and what comes next as a duplicate.
func TestBrowserPrintedAsFile(t *testing.T) {
	t.Parallel()
	s, _ := bankingShop(t, false)
	check(t, s.sys.SetPrinter(t.Context(), central.SetPrinter{Key: "none", Officer: s.officer.ID, Terminal: s.terminal.ID}))
	b := s.tab(1280, 800)
	b.scripted(`const press = HTMLElement.prototype.click; HTMLAnchorElement.prototype.click = function () { if (this.download) window.saved = this.download; else press.call(this); };
		const make = URL.createObjectURL; URL.createObjectURL = (file) => { window.kind = file.type + " " + (file.size > 1000); return make(file); };`)
	b.signOn(s)
	b.sells(200, 1)
	b.tick("places", 5)
	saves := func(way, said string) {
		t.Helper()
		b.click(`.printing button[value=` + way + `]`)
		b.says(".printing .said", said)
		b.says(".printing", "Réimprimer")
		b.says(".printing", "Une réimpression est marquée DUPLICATA")
		b.await(`document.activeElement.value === "` + way + `"`)
		if got := eval[string](b, `window.saved + " " + window.kind`); !strings.Contains(got, "."+way+" ") || !strings.HasSuffix(got, "/"+way+" true") {
			t.Errorf("saved as %q", got)
		}
		b.whole()
	}
	saves("png", "✓ Imprimé")
	b.picture("desk-print-png")
	saves("pdf", "DUPLICATA 1 imprimé")
	if !eval[bool](b, `document.querySelector('[name=places][value="5"]').checked && document.querySelector(".printing [name=places]").value === "5"`) {
		t.Error("what was ticked meanwhile is lost")
	}
	b.load(chromedp.KeyEvent(kb.F8))
	b.load(chromedp.Click(chromedp.CSS(".amounts button:nth-of-type(2)")))
	b.says(".printing", "Imprimer")
	saves("pdf", "✓ Imprimé")
	b.picture("desk-voucher-pdf")
	saves("png", "DUPLICATA 1 imprimé")

	// What is refused is no file: the page says why.
	b.open("/terminal")
	code := eval[string](b, `document.querySelector(".tickets .code code").textContent`)
	number, _, err := wager.ParseCode(code)
	check(t, err)
	check(t, s.sys.StopTicket(t.Context(), central.StopTicket{Key: "stop", Officer: s.officer.ID, Ticket: number, Reason: "Vol déclaré."}))
	b.load(chromedp.Click(chromedp.CSS(`.printing button[value=pdf]`)))
	b.says("#check-refusal", "arrêté")
}

// Printing at the desk: by the network printer, the one that fails, and by the browser.
func TestBrowserPrint(t *testing.T) {
	t.Parallel()
	s, p := printingShop(t, true)
	b := s.tab(1280, 800)
	b.scripted(`window.print = () => { document.body.dataset.printed = "yes"; }`) // its dialog would wait for somebody
	b.signOn(s)
	b.sells(200, 1)
	b.says(".printing", "Imprimé")
	b.whole()
	b.touchable()
	b.accessible("printed")
	b.picture("desk-printed")
	p.say(0x0c)
	b.sells(400, 3)
	b.says(".printing .refusal", "Vendu, pas imprimé")
	b.whole()
	b.touchable()
	b.accessible("not printed")
	b.picture("desk-not-printed")
	if !eval[bool](b, `(r => r.top >= 0 && r.bottom <= innerHeight)(document.querySelector(".printing .refusal").getBoundingClientRect())`) {
		t.Error("the eye is not led to what went wrong")
	}
	p.say(0)
	b.load(chromedp.KeyEvent("i", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.says(".printing", "DUPLICATA 1 imprimé")
	b.picture("desk-reprinted")
	if n := len(p.printed()); n != 3 {
		t.Errorf("%d jobs, want 3", n)
	}

	check(t, s.sys.SetPrinter(t.Context(), central.SetPrinter{Key: "none", Officer: s.officer.ID, Terminal: s.terminal.ID}))
	b.sells(200, 1)
	b.says(".printing", "Imprimer")
	b.load(chromedp.KeyEvent("i", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.says(".papersheet", "Premier exemplaire")
	if !eval[bool](b, `(i => i.complete && i.naturalWidth === 576)(document.querySelector(".paperticket"))`) {
		t.Error("the ticket is not shown")
	}
	if !eval[bool](b, `document.body.dataset.printed === "yes"`) {
		t.Error("the page is not printed by itself")
	}
	b.whole()
	b.touchable()
	b.accessible("paper")
	b.picture("desk-paper")
	if pages := b.printed("desk-paper", 80, 297); pages != 1 {
		t.Errorf("the ticket is printed on %d pages", pages)
	}
	b.load(chromedp.KeyEvent(kb.Escape))
	b.says(".printing", "Réimprimer")
}
