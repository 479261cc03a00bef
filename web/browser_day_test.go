package web

import (
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"tirage/central"
	"tirage/game"
	"tirage/internal/photo"
	"tirage/money"
	"tirage/party"
	"tirage/settle"
	"tirage/store"
	"tirage/wager"
	"tirage/web/page"
)

// hand is a shopkeeper at the terminal: by keyboard alone, or by touch alone.
// Photos come from a telephone, and codes from a hand scanner, to either.
type hand struct {
	*tab
	touch bool
}

// keys are the keys that have a name.
var keys = map[string]string{"Enter": kb.Enter, "Escape": kb.Escape, "F1": kb.F1, "F2": kb.F2, "F3": kb.F3, "F4": kb.F4, "F6": kb.F6, "F7": kb.F7, "F8": kb.F8, "Tab": kb.Tab}

// act is the shopkeeper's way to a thing: its key, as "Ctrl+Enter" or "⇧2", or a touch of what css finds.
func (h hand) act(key, css string) chromedp.Action[chromedp.Void] {
	if h.touch {
		return h.tap(css)
	}
	var modifiers []chromedp.Modifier
	name, ctrl := strings.CutPrefix(key, "Ctrl+")
	if ctrl {
		modifiers = append(modifiers, chromedp.ModifierCtrl)
	}
	name, shift := strings.CutPrefix(name, "⇧")
	if shift {
		modifiers = append(modifiers, chromedp.ModifierShift)
	}
	if k, ok := keys[name]; ok {
		name = k
	}
	return chromedp.KeyEvent(name, chromedp.KeyModifiers(modifiers...))
}

// leads does something that leads to another page.
func (h hand) leads(key, css string) { h.t.Helper(); h.load(h.act(key, css)) }

// tap touches what css finds in its middle: it must be there to be seen, whole,
// under nothing else, and as large as a finger.
func (h hand) tap(css string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		at := eval[struct {
			X, Y, Width, Height float64
			Wrong               string
		}](h.tab, fmt.Sprintf(`(() => {
			const found = [...document.querySelectorAll(%q)].find((e) => (e.closest("label") ?? e).checkVisibility());
			if (!found) return {Wrong: "not there"};
			const key = found.closest("label") ?? found;
			if (key.closest(".tickets, .slips, .answer")) key.scrollIntoView({block: "nearest"}); // a list that a finger moves
			const box = key.getBoundingClientRect();
			const X = box.x + box.width / 2, Y = box.y + box.height / 2, top = document.elementFromPoint(X, Y);
			const free = top && (key.contains(top) || top.contains(key) || top.closest("label") === key);
			return {X, Y, Width: box.width, Height: box.height, Wrong: free ? "" : "under " + (top?.outerHTML.slice(0, 80) ?? "the edge")};
		})()`, css))
		if at.Wrong == "" && (at.Width < 43.5 || at.Height < 43.5) {
			h.t.Errorf("%s is %.0f × %.0f, too small for a finger", css, at.Width, at.Height)
		}
		if at.Wrong != "" {
			return fmt.Errorf("touch %s: %s", css, at.Wrong)
		}
		for _, p := range []input.DispatchTouchEventParams{
			{Type: "touchStart", TouchPoints: []*input.TouchPoint{{X: at.X, Y: at.Y}}}, {Type: "touchEnd", TouchPoints: []*input.TouchPoint{}},
		} {
			if _, err := cdp.Call(ctx, t, input.DispatchTouchEvent, p); err != nil {
				return err
			}
		}
		return nil
	})
}

// reaches goes to what has no key of its own by the key Tab, and presses it; or touches it.
func (h hand) reaches(css string) chromedp.Action[chromedp.Void] {
	if h.touch {
		return h.tap(css)
	}
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		h.tabTo(css)
		return chromedp.Do(ctx, chromedp.KeyEvent(kb.Enter))
	})
}

// tabTo moves the focus on by the key Tab.
func (h hand) tabTo(css string) {
	h.t.Helper()
	for range 150 {
		if eval[bool](h.tab, fmt.Sprintf(`document.activeElement.matches(%q)`, css)) {
			return
		}
		h.press(kb.Tab)
	}
	h.t.Fatalf("%s is not reached by Tab", css)
}

// marks marks places by their letters, a pirate, stake and draws by their places in the row; 0: none.
func (h hand) marks(places string, pirate, stake, draws int) {
	h.t.Helper()
	for _, c := range places {
		h.ticks(string(c), fmt.Sprintf(`input[name=places][value="%d"]`, c-'a'+1))
	}
	if pirate > 0 {
		h.ticks(string("vwx"[pirate-1]), fmt.Sprintf(`input[name=pirates][value="%d"]`, pirate))
	}
	h.stakes(stake, draws)
}

// stakes marks stake and draws by their places in the row.
func (h hand) stakes(stake, draws int) {
	h.t.Helper()
	nth := `fieldset.keys:nth-of-type(%d) label:nth-of-type(%d) input`
	if stake > 0 {
		h.ticks(fmt.Sprint("⇧", stake), `.marks `+fmt.Sprintf(nth, 1, stake))
	}
	if draws > 0 {
		h.ticks(fmt.Sprint(draws), `.marks `+fmt.Sprintf(nth, 2, draws))
	}
}

// ticks marks a box, and waits until it is: keys are held for a moment, until it is known that no scanner types.
func (h hand) ticks(key, css string) {
	h.t.Helper()
	h.do(h.act(key, css))
	h.await(fmt.Sprintf(`document.querySelector(%q).checked`, css))
}

// sees waits until the page says something, and has it where the eye is: whole
// on the screen, under nothing, and nothing of the page out of sight.
func (h hand) sees(css, want string) {
	h.t.Helper()
	h.says(css, want)
	wrong := eval[string](h.tab, fmt.Sprintf(`((want) => {
		const plain = (e) => e.innerText.replace(/[\s\u00a0\u202f]+/g, " ").toLowerCase();
		const e = [...document.querySelectorAll(%q)].find((e) => plain(e).includes(want));
		if (!e) return "";
		const box = e.getBoundingClientRect(), top = document.elementFromPoint(box.x + box.width / 2, box.y + Math.min(box.height / 2, 12));
		if (box.top < 0 || box.left < 0 || box.right > innerWidth || box.top > innerHeight - 12) return "off the screen";
		return e.contains(top) || top?.contains(e) ? "" : "under " + top?.outerHTML.slice(0, 80);
	})(%q)`, css, strings.ToLower(want)))
	if wrong != "" {
		h.t.Errorf("%s says %q, but %s", css, want, wrong)
	}
	if twice := eval[[]string](h.tab, `[...document.querySelectorAll('[data-key^="F"]')].map((e) => e.dataset.key).filter((key, i, all) => key.length > 1 && all.indexOf(key) !== i)`); len(twice) > 0 {
		h.t.Errorf("keys of two things: %q", twice)
	}
	h.whole()
}

// euros is an amount as pages say it in French, spaces as one.
func euros(a money.Amount) string { return spaces.ReplaceAllString(page.French.Money(a), " ") }

// daily is a shop on its day, and what it must come to: what the test saw sold, taken back and paid.
type daily struct {
	*shop
	hand
	db     *store.DB
	roll   *roll
	others []wager.Ticket // sold elsewhere, all in draw 95

	sold, cancelled, paid money.Amount
	vouchers              money.Amount
}

func newDaily(t *testing.T, touch bool) *daily {
	t.Helper()
	ctx := context.Background()
	d := &daily{roll: newRoll(t)}
	var books [][]byte
	for _, code := range []game.Code{"ile-au-tresor", "amigo"} {
		book, err := game.Book(code)
		check(t, err)
		books = append(books, book)
	}
	d.shop = newShopMore(t, money.Euros(600), func(o *central.Options) { d.db = o.DB }, books...)
	d.server.Close()
	d.server = httptest.NewServer(New(d.sys, Options{Logger: slog.New(slog.DiscardHandler), Printers: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}))
	check(t, d.sys.SetPrinter(ctx, central.SetPrinter{
		Key: "printer", Officer: d.officer.ID, Terminal: d.terminal.ID, Printer: party.Printer{Address: d.roll.at, Auto: true},
	}))
	_, err := d.sys.PublishAccounts(ctx, central.PublishRules{Key: "accounts", Officer: d.officer.ID, Book: party.Book()})
	check(t, err)
	d.agreed("60", "20")
	d.elsewhere(800)
	d.hand = hand{d.shop.tab(1280, 800), touch}
	if touch {
		d.do(chromedp.EmulateViewport(1280, 800, chromedp.EmulateTouch))
	}
	t.Cleanup(func() {
		if t.Failed() {
			d.picture(d.name("failed"))
		}
	})
	return d
}

// elsewhere sells n quick picks of 10 € in the next draw at another outlet, so that there are winners of each size.
func (d *daily) elsewhere(n int) {
	d.t.Helper()
	ctx := context.Background()
	outlet, err := d.sys.PutOutlet(ctx, central.PutOutlet{Key: "elsewhere", Officer: d.officer.ID, Outlet: party.Outlet{
		Number: 7, Territory: "metropole", Zone: "Europe/Paris", CreditLimit: money.Euros(10_000),
	}})
	check(d.t, err)
	terminal, _, err := d.sys.PutTerminal(ctx, central.PutTerminal{Key: "elsewhere terminal", Officer: d.officer.ID, Outlet: outlet.ID})
	check(d.t, err)
	d.others = make([]wager.Ticket, n)
	errs := make([]error, n)
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() {
			d.others[i], errs[i] = d.sys.Place(ctx, central.Place{
				Key: fmt.Sprint("elsewhere-", i), Terminal: terminal.ID,
				Slip: wager.Slip{Game: "ile-au-tresor", Boards: []wager.Board{{QuickPick: true}}, Stake: 1000, Draws: 1},
			})
		})
	}
	wait.Wait()
	for _, err := range errs {
		check(d.t, err)
	}
}

// of finds a ticket sold elsewhere that came to a sum from least to most, and is not paid.
func (d *daily) of(least, most money.Amount) (code string, sum money.Amount) {
	d.t.Helper()
	for _, x := range d.others {
		c, err := d.sys.Check(context.Background(), x.Number, x.Secret, time.UTC)
		check(d.t, err)
		if c.Answer.Total >= least && c.Answer.Total <= most && c.Answer.Paid == 0 && (c.Answer.Standing == settle.Won) == (least > 0) {
			return wager.Code(x.Number, x.Secret), c.Answer.Total
		}
	}
	d.t.Fatalf("no ticket of %d came to %v to %v", len(d.others), least, most)
	return "", 0
}

// cashes sells the basket, or the slip on the desk, of a sum.
func (d *daily) cashes(sum money.Amount) (code string) {
	d.t.Helper()
	d.leads("Ctrl+Enter", "button[value=sell]")
	d.sees(".strip", "À payer "+euros(sum))
	d.says(".printing", "Imprimé")
	d.sold += sum
	code, _, _ = strings.Cut(strings.TrimSpace(d.text(".ticket code")), " ")
	return code
}

// TestBrowserDay is a full day of a shop at 1280 × 800, with draws in between:
// once wholly by keyboard, once by touch of keys that are large enough. At the
// end of the week its statement is the ledger's postings to the cent.
func TestBrowserDay(t *testing.T) {
	t.Parallel()
	for name, touch := range map[string]bool{"by keyboard": false, "by touch": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDaily(t, touch)
			d.opens()
			d.reads()
			d.counter()
			d.draws()
			d.pays()
			d.closes()
			d.goOn()
			d.stated()
		})
	}
}

// opens signs on, and sells by keys, by quick pick whole and partial, and of another game, in one basket.
func (d *daily) opens() {
	d.t.Helper()
	d.open("/terminal/connexion?lang=fr")
	d.whole()
	d.do(chromedp.SendKeys(chromedp.CSS("#device"), d.device)) // what a hand scanner types, where the focus is
	d.leads("Enter", "main button")
	d.sees(".sales", "Prochain tirage 90")
	d.leads("F2", `[data-game=ile-au-tresor]`)
	d.sees(".sales", "Prochain tirage 95")
	d.marks("adilpsu", 2, 2, 2)
	d.sees(".island .count", "7/7")
	d.leads("Enter", "button[value=add]")
	d.sees(".slips", "8,00 €")
	d.stakes(1, 1)
	d.leads("y", "button[value=flash]")
	d.sees(".slips", "Flash × 7")
	d.marks("cm", 0, 3, 1)
	d.leads("y", "button[value=flash]")
	d.sees(".slips", "Flash × 5")
	d.leads("F2", `[data-game=amigo]`)
	numbers := []int{1, 6, 11, 16, 21, 26, 31, 36, 41}
	if d.touch {
		for _, n := range numbers {
			d.ticks("", fmt.Sprintf(`input[name=numbers][value="%d"]`, n))
		}
		d.ticks("", `input[name=jackpot][value="3"]`)
	} else {
		d.press("n")
		d.await(`document.activeElement.id === "typed"`)
		d.do(chromedp.KeyEvent("1 6 11 16 21 26 31 36 41 + 3"))
		d.press(kb.Enter)
	}
	d.sees("#quote", "1 combinaison")
	d.stakes(1, 2)
	d.sees("#quote", "4,00 €")
	d.picture(d.name("amigo"))
	d.leads("Enter", "button[value=add]")
	d.sees(".till", "20,00 €")
	d.sees(".basket h2", "Panier 4")
	d.picture(d.name("basket"))
	d.load(d.reaches(`.slips li:nth-child(2) .remove`)) // the player thinks again
	d.sees(".till", "18,00 €")
	d.cashes(1800)
	d.picture(d.name("sold"))
	if n := eval[int](d.hand.tab, `[...document.querySelectorAll(".printing")].filter((e) => e.innerText.includes("Imprimé")).length`); n != 3 || len(d.roll.printed()) != 1 {
		d.t.Errorf("%d tickets are printed, in %d jobs; want 3 in one", n, len(d.roll.printed()))
	}
}

// name is that of a picture.
func (d *daily) name(what string) string {
	if d.touch {
		return "day-touch-" + what
	}
	return "day-" + what
}

// reads sells a slip on paper with boxes that are unsure, and one that a telephone shows.
func (d *daily) reads() {
	d.t.Helper()
	l, marks := d.slipOf(island)
	d.unsure(l, marks)
	d.leads("F2", `[data-game=ile-au-tresor]`)
	d.leads("F4", "#scan")
	d.sees("h1", "Lire un bulletin ou un reçu")
	d.gives("choose", photo.JPEG(l, marks, 0.3, seed(1)))
	d.sees(".progress", "1/2")
	d.touchable()
	d.picture(d.name("unsure"))
	d.leads("o", ".answers button:first-child")
	d.sees(".progress", "2/2")
	d.leads("o", ".answers button:first-child")
	d.sees(".read", "Bulletin papier")
	d.sees(".island .count", "7/7")
	d.leads("Enter", "button[value=add]")
	if d.touch {
		d.gives("drop", jpegOf(d.t, qrOf(d.t, d.phone(island, time.Hour))))
	} else {
		d.types(d.phone(island, time.Hour))
	}
	d.sees(".read", "Bulletin du téléphone")
	d.leads("Enter", "button[value=add]")
	d.cashes(2400)
}

// counter plays an old ticket again, takes one back, sells a voucher and prints a ticket again.
func (d *daily) counter() {
	d.t.Helper()
	d.leads("z", ".again button")
	d.sees(".read", "demandez le nombre de tirages")
	d.stakes(0, 1)
	d.leads("Enter", "button[value=add]")
	code := d.cashes(400)
	d.do(d.reaches(".cancelling summary"))
	d.says(".cancelling", "rendre 4,00 € au joueur")
	d.await(`document.querySelector(".cancelling button.danger").getBoundingClientRect().bottom <= document.querySelector(".tickets").getBoundingClientRect().bottom + 1`)
	d.sees(".cancelling button.danger", "Confirmer l’annulation")
	d.picture(d.name("cancelling"))
	d.load(d.reaches(".cancelling button.danger"))
	d.sees(".notice", "rendez 4,00 € au joueur")
	d.cancelled += 400

	d.menu("F8")
	d.sees("h1", "Bons de versement")
	d.load(d.reaches(".amounts button:nth-of-type(2)"))
	d.sees(".voucher", "20,00 €")
	d.touchable()
	d.picture(d.name("voucher"))
	d.vouchers += 2000
	d.leads("Escape", ".back")
	d.asks(code)
	d.sees("#verdict", "Annulé")
}

// asks has a ticket read by the hand scanner.
func (d *daily) asks(code string) {
	d.t.Helper()
	d.types("https://tirage.test/t/" + strings.ReplaceAll(code, "-", ""))
}

// menu goes to a page by its key, or by the menu.
func (d *daily) menu(key string) {
	d.t.Helper()
	if d.touch && eval[bool](d.hand.tab, `document.querySelector(".menu") !== null`) {
		d.do(d.tap(".menu summary"))
	}
	d.leads(key, fmt.Sprintf(`.menu a[data-key=%[1]s], .places a[data-key=%[1]s]`, key))
}

// draws lets the draw happen, looks at its result, and reads what the operator has to say.
func (d *daily) draws() {
	d.t.Helper()
	_, err := d.sys.SetNotice(context.Background(), central.SetNotice{
		Key: "notice", Officer: d.officer.ID, FR: "Livraison de bulletins vendredi.", EN: "Slips will be delivered on Friday.", Until: opening.AddDate(0, 0, 5),
	})
	check(d.t, err)
	d.pass(31 * time.Minute) // draw 95 is drawn, settled, certified
	d.menu("F3")
	d.sees("h1", "Derniers tirages")
	d.leads("F2", `.games a:not([aria-current])`)
	d.sees("#latest", "n° 95")
	d.picture(d.name("results"))
	d.menu("F6")
	d.sees(".notices", "Nouveau")
	d.sees(".notices", "Livraison de bulletins vendredi.")
	d.leads("Escape", ".back")
	d.sees(".sales", "Prochain tirage 96")
}

// pays checks tickets that lost, wait and won, and pays: at once, to somebody who says who he is, and not above the sum of the terms.
func (d *daily) pays() {
	d.t.Helper()
	d.stakes(1, 1)
	d.leads("y", "button[value=flash]")
	waits := d.cashes(200)
	d.asks(waits)
	d.sees("#verdict", "En attente")
	lost, _ := d.of(0, 0)
	d.asks(lost)
	d.sees("#verdict", "Perdant")

	code, sum := d.of(1, 1999)
	d.asks(code)
	d.sees("#verdict", "Gagnant")
	d.sees(".strip .due", euros(sum))
	d.picture(d.name("won"))
	d.leads("Ctrl+P", "button.pay")
	d.sees("#verdict", "Gagnant, payé")
	d.sees(".strip", "Pour vous "+euros(sum))
	d.paid += sum
	d.asks(code)
	d.sees(".answer", "par ce poste")

	code, sum = d.of(2000, 6000)
	d.asks(code)
	d.sees(".pay", "(identité)")
	d.leads("Ctrl+P", "button.pay")
	d.sees("h1", "Qui est payé ?")
	d.touchable()
	d.payee()
	d.picture(d.name("payee"))
	d.leads("Ctrl+P", "button.pay")
	d.sees("#verdict", "Gagnant, payé")
	d.paid += sum

	code, _ = d.of(6001, money.Limit)
	d.asks(code)
	d.sees(".centre", "Le reçu dépasse 60,00 € au total")
	if n := eval[int](d.hand.tab, `document.querySelectorAll("button.pay").length`); n != 0 {
		d.t.Error("a ticket above the sum can be paid here")
	}
	d.picture(d.name("above"))

	d.asks(waits)
	d.sees("#verdict", "En attente")
	d.leads("Ctrl+I", ".printing button")
	d.sees(".printing", "DUPLICATA 1 imprimé")
	d.picture(d.name("duplicate"))
}

// payee types who is paid: by keyboard from field to field.
func (d *daily) payee() {
	d.t.Helper()
	words := []struct{ field, text string }{{"name", "Anne Legrand"}, {"birth", "02291980"}, {"address", "1 rue du Port, Brest"}, {"document", "CNI AB-CD"}}
	for _, w := range words {
		if d.touch {
			d.do(d.tap("#" + w.field))
		} else {
			d.tabTo("#" + w.field)
		}
		d.do(chromedp.KeyEvent(w.text))
	}
	if got := eval[string](d.hand.tab, `document.querySelector("#birth").value`); got != "1980-02-29" {
		d.t.Errorf("born on %q", got)
	}
}

// closes is refused a sale after the last draw, looks at the shift and the day, and signs off.
func (d *daily) closes() {
	d.t.Helper()
	d.clock.set(time.Date(2027, 1, 4, 20, 56, 0, 0, time.UTC)) // 21:56 in Paris
	d.tick()
	d.leads("F2", `[data-game=amigo]`)
	d.leads("F2", `[data-game=ile-au-tresor]`)
	d.stakes(1, 1)
	d.leads("y", "button[value=flash]")
	d.sees("#refusal", "Ventes fermées")
	d.picture(d.name("shut"))
	d.leads("Escape", "button[value=clear]")
	d.menu("F7")
	d.account("Journée")
	d.leads("Ctrl+2", `.tabs a:nth-of-type(2)`)
	d.account("Service")
	d.leads("Ctrl+3", `.tabs a:nth-of-type(3)`)
	d.account("Semaine")
	d.picture(d.name("account"))
	d.leads("Escape", ".back")
	d.load(d.reaches(".session form button"))
	d.sees("h1", "Poste de vente")
}

// account checks what a page of accounts sums up.
func (d *daily) account(heading string) {
	d.t.Helper()
	d.sees("#heading", heading)
	for _, sum := range []money.Amount{d.sold, d.cancelled, d.paid} {
		d.sees("tfoot", euros(sum))
	}
	d.sees(".sumlist", "Bons vendus "+euros(d.vouchers))
	d.touchable()
}
