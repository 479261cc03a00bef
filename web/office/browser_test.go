package office

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/money"
	"tirage/wager"
)

// browse opens a browser at a desk's screen.
func (o *operator) browse() context.Context {
	o.t.Helper()
	// It starts slowly on a new machine.
	alloc, stop := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:], chromedp.WSURLReadTimeout(2*time.Minute))...)
	o.t.Cleanup(stop)
	ctx, cancel := chromedp.NewContext(alloc)
	o.t.Cleanup(cancel)
	o.must(chromedp.Do(ctx))                              // starts the browser, which outlives the limit that follows
	ctx, cancel = context.WithTimeout(ctx, 6*time.Minute) // some look at thirty pages, each in four looks, on a busy machine
	o.t.Cleanup(cancel)
	o.must(chromedp.Do(ctx, chromedp.EmulateViewport(1280, 800), prefer("light"), chromedp.Navigate(o.url+pathSignOn+"?lang=fr")))
	return ctx
}

// signOnIn signs an officer on in a browser, off whoever was.
func (o *operator) signOnIn(ctx context.Context, login string) {
	o.t.Helper()
	o.must(chromedp.Do(ctx,
		chromedp.Navigate(o.url+pathSignOn), chromedp.SendKeys(chromedp.CSS("#login"), login),
		chromedp.SendKeys(chromedp.CSS("#password"), password+"\r"), shows("#draws")))
}

// shows waits until something is seen on a page that is whole: its scripts too, and
// what the page gives the focus to has it, which a browser does when it paints.
func shows(css string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		if err := chromedp.Do(ctx, chromedp.WaitVisible(chromedp.CSS(css))); err != nil {
			return err
		}
		_, err := chromedp.Run(ctx, chromedp.Poll[bool](`document.readyState === "complete" && (document.querySelector("[autofocus]") ?? document.activeElement) === document.activeElement`,
			chromedp.WithPollingTimeout(time.Minute)))
		return err
	})
}

// eval gives what an expression says in the page.
func eval[T any](ctx context.Context, o *operator, expression string) T {
	o.t.Helper()
	got, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	o.must(err)
	return got
}

// audit has axe look at the page.
func (o *operator) audit(ctx context.Context, where string) {
	o.t.Helper()
	axe, err := os.ReadFile("../testdata/axe.min.js")
	o.must(err)
	found, err := chromedp.Run(ctx, chromedp.Evaluate[string](string(axe)+`;axe.run(document, {resultTypes: ["violations"]}).then((r) => r.violations
		.filter((v) => v.impact === "serious" || v.impact === "critical")
		.map((v) => v.id + ": " + v.nodes.map((n) => n.html.slice(0, 120)).slice(0, 3).join(" | ")).join("\n"))`, chromedp.EvalAwaitPromise))
	o.must(err)
	if found != "" {
		o.t.Errorf("axe on %s: %s", where, found)
	}
}

// look audits the page by day and by night, and takes its pictures; on a phone
// it must fit, and is audited if asked to, for that takes seconds.
func (o *operator) look(ctx context.Context, name string, phone bool) {
	o.t.Helper()
	for _, v := range []struct {
		width, height int64
		scheme        string
	}{{390, 844, "dark"}, {390, 844, "light"}, {1280, 800, "dark"}, {1280, 800, "light"}} {
		o.must(chromedp.Do(ctx, chromedp.EmulateViewport(v.width, v.height), prefer(v.scheme)))
		if v.width > 390 || phone {
			o.audit(ctx, name+" "+v.scheme)
		}
		if eval[bool](ctx, o, `document.documentElement.scrollWidth > innerWidth`) {
			o.t.Errorf("%s is wider than a screen of %d", name, v.width)
		}
		switch {
		case v.width == 390 && v.scheme == "light":
			o.shoot(ctx, name+"-phone")
		case v.width == 1280 && v.scheme == "dark":
			o.shoot(ctx, name+"-dark")
		case v.width == 1280:
			o.shoot(ctx, name)
		}
	}
}

// An officer signs on by keyboard, no page is wider than its screen, and axe
// finds nothing serious on a desk's or a phone's, by day or by night.
func TestOfficeInBrowser(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.trade(12, 40)
	o.tick(time.Date(2027, 1, 4, 11, 21, 0, 0, time.UTC))
	ctx := o.browse()
	if !eval[bool](ctx, o, `(() => {
		const sheet = document.querySelector(".sheet"), edge = parseFloat(getComputedStyle(sheet).paddingLeft) + sheet.clientLeft;
		return document.documentElement.scrollHeight <= innerHeight && document.body.getBoundingClientRect().top === 0 &&
			Math.abs(sheet.offsetWidth - 2*edge - document.querySelector("#login").offsetWidth) < 1;
	})()`) {
		t.Error("the page to sign on scrolls, or its fields do not fill the sheet")
	}
	o.shoot(ctx, "office-signon")
	o.signOnIn(ctx, "marie")
	for path, name := range map[string]string{pathDraws: "office", pathOutlets + "?numero=9": "office-outlets", pathRules: "office-rules"} {
		o.must(chromedp.Do(ctx, chromedp.Navigate(o.url+path)))
		o.look(ctx, name, true)
	}
}

// F18: an officer proposes in a browser to cancel two draws, can only withdraw
// it, and is refused when he approves it all the same; a second one approves it,
// and the page shows the draws cancelled. Its figures follow without a reload.
func TestF18_TwoOfficersInBrowser(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.trade(6, 30)
	second := o.second()
	o.sellAmigo()
	o.seedProposals(second.ID)
	ctx := o.browse()
	o.signOnIn(ctx, "marie")
	o.must(chromedp.Do(ctx, chromedp.Navigate(o.url+pathProposals+"?jeu=ile-au-tresor"), shows("#reason")))
	o.must(chromedp.Do(ctx, chromedp.Click(chromedp.CSS("section[aria-labelledby=new] button.main")))) // the browser asks for a reason
	if eval[bool](ctx, o, `document.querySelector("#reason").validity.valid`) {
		t.Error("a proposal without a reason is sent")
	}
	o.must(chromedp.Do(ctx, chromedp.SendKeys(chromedp.CSS("#reason"), "Panne du réseau"), chromedp.Click(chromedp.CSS("section[aria-labelledby=new] button.main")),
		shows("#refusal")))
	if got := eval[string](ctx, o, `document.activeElement.id + ": " + document.activeElement.textContent`); got != "refusal: Tirages concernés\u00a0: cochez-en un au moins." {
		t.Errorf("a refusal does not get the eye: %q", got)
	}
	o.shoot(ctx, "office-refused")
	o.must(chromedp.Do(ctx,
		chromedp.Click(chromedp.CSS("input[name=draw]")), chromedp.Click(chromedp.CSS("tbody tr:nth-child(2) input[name=draw]")),
		chromedp.Click(chromedp.CSS("input[value=cancel-draw]")), chromedp.Click(chromedp.CSS("section[aria-labelledby=new] button.main")),
		shows(".notice")))
	mine := eval[string](ctx, o, `[...document.querySelectorAll(".card:last-of-type button")].map((b) => b.textContent).join()`)
	if mine != "Retirer" {
		t.Errorf("who proposed sees %q, want to withdraw only", mine)
	}
	o.shoot(ctx, "office-proposed")
	eval[bool](ctx, o, `document.querySelector(".card:last-of-type form").action = "`+pathApprove+`", true`)
	o.must(chromedp.Do(ctx, chromedp.Click(chromedp.CSS(".card:last-of-type button")), shows("#refusal")))
	if got := eval[string](ctx, o, `document.querySelector(".card:last-of-type #refusal").textContent`); !strings.HasPrefix(got, "Une proposition doit être approuvée par un autre") {
		t.Errorf("own approval: %q", got)
	}

	o.signOnIn(ctx, "paul")
	o.must(chromedp.Do(ctx, chromedp.Navigate(o.url+pathProposals), shows(".card")))
	o.look(ctx, "office-proposals", false)
	o.must(chromedp.Do(ctx, chromedp.Click(chromedp.CSS(".card:last-of-type button.main")), shows(".notice")))
	o.must(chromedp.Do(ctx, chromedp.Navigate(o.url+pathDraws+"?jeu=ile-au-tresor"), shows("#draws")))
	cancelled := `[...document.querySelectorAll("#draws tr")].filter((r) => r.querySelector(".cancelled")).map((r) => r.cells[1].textContent).join()`
	if got := eval[string](ctx, o, cancelled); got != "annulé mises en cours de calcul,annulé mises en cours de calcul" {
		t.Errorf("the draws page shows %q", got)
	}
	o.tick(o.time().Add(time.Second)) // the stakes are added up, and the page follows
	_, err := chromedp.Run(ctx, chromedp.Poll[bool](cancelled+` === "annulé mises à rendre,annulé mises à rendre"`, chromedp.WithPollingTimeout(time.Minute)))
	o.must(err)
	o.must(o.sys.CheckBooks(context.Background()))
}

// The draws of a game with a jackpot, the officers and the outlets, in each look.
func TestPagesInBrowser(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.trade(3, 30)
	o.second()
	o.sellAmigo()
	o.tick(morning.Add(56 * time.Minute))
	o.sellAmigo()
	ctx := o.browse()
	o.signOnIn(ctx, "marie")
	for path, name := range map[string]string{
		pathDraws + "?jeu=amigo": "office-amigo", pathOfficers: "office-officers", pathOutlets: "office-centres",
	} {
		o.must(chromedp.Do(ctx, chromedp.Navigate(o.url+path)))
		o.look(ctx, name, false)
	}
	o.must(chromedp.Do(ctx, chromedp.Navigate(o.url+pathProposals+"?jeu=amigo&lang=en")))
	o.shoot(ctx, "office-english")
	o.must(chromedp.Do(ctx, chromedp.Navigate(o.url+pathDraws+"?jeu=amigo")))
	eval[bool](ctx, o, `document.querySelector("#pace").scrollIntoView(), true`)
	o.shoot(ctx, "office-amigo-lower")
}

// sellAmigo sells Amigo too.
func (o *operator) sellAmigo() {
	o.t.Helper()
	ctx := context.Background()
	if _, err := o.sys.Rules("amigo"); err != nil {
		book, err := game.Book("amigo")
		o.must(err)
		_, err = o.sys.PublishRules(ctx, central.PublishRules{Key: "amigo", Officer: o.officer, Book: book})
		o.must(err)
		o.tick(o.time())
	}
	for i := range 25 {
		_, err := o.sys.Place(ctx, central.Place{Key: o.time().String() + string(rune('a'+i)), Terminal: o.terminal, Slip: wager.Slip{
			Game: "amigo", Boards: []wager.Board{{QuickPick: true}}, Stake: money.Euros(2 + 2*int64(i%2)), Draws: 1 + i%2,
		}})
		o.must(err)
	}
}

// seedProposals makes some that were decided, and one that waits.
func (o *operator) seedProposals(second string) {
	o.t.Helper()
	ctx := context.Background()
	views, err := o.sys.Draws(ctx, "amigo", game.NewDay(2027, 1, 4))
	o.must(err)
	var later []draw.ID
	for _, v := range views {
		if v.ClosesAt.After(o.time()) {
			later = append(later, v.ID)
		}
	}
	for i, c := range []central.Change{
		{Act: central.ActExtendClaims, Game: "amigo", From: game.NewDay(2027, 3, 5), To: game.NewDay(2027, 3, 7), Until: game.NewDay(2027, 3, 15), Reason: "Cyclone à La Réunion\u00a0: points de vente fermés."},
		{Act: central.ActCancelDraw, Draws: later[6:7], Reason: "Essai du plan de secours."},
		{Act: central.ActPostpone, Draws: later[2:4], Shift: 30 * time.Minute, Reason: "Coupure de courant au centre de tirage."},
	} {
		p, err := o.sys.Propose(ctx, central.Propose{Key: string(rune('p' + i)), Officer: second, Change: c})
		o.must(err)
		d := central.Decide{Key: string(rune('d' + i)), Officer: o.officer, Proposal: p.ID}
		switch i {
		case 0:
			_, err = o.sys.Approve(ctx, d)
		case 1:
			_, err = o.sys.Reject(ctx, d)
		}
		o.must(err)
	}
}

// shoot keeps a picture of the page, if asked to.
func (o *operator) shoot(ctx context.Context, name string) {
	o.t.Helper()
	if *shots == "" {
		return
	}
	png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	o.must(err)
	o.must(os.WriteFile(*shots+"/"+name+".png", png, 0o644))
}

// prefer makes the viewer prefer a "light" or a "dark" page.
func prefer(scheme string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		return err
	})
}

// An open page follows without ever being loaded anew: what waits, what stops and
// what is cut is told in regions that were there from the start, tables come and
// go, and who is at a button stays at it.
func TestLiveInBrowser(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.trade(1, 6)
	ctx := o.browse()
	o.signOnIn(ctx, "marie")
	until := func(expression string) {
		t.Helper()
		if _, err := chromedp.Run(ctx, chromedp.Poll[bool](expression, chromedp.WithPollingTimeout(time.Minute))); err != nil {
			t.Fatalf("%s: %v", expression, err)
		}
		if !eval[bool](ctx, o, `window.mark === 1`) {
			t.Fatalf("%s: by loading the page anew", expression)
		}
	}
	locked := func(change func()) {
		o.mu.Lock()
		defer o.mu.Unlock()
		change()
	}
	const text = `document.querySelector("[data-live=%s]").textContent`
	for name, role := range map[string]string{"stopped": "alert", "alarm": "alert", "waiting": "status"} {
		region := fmt.Sprintf(`document.querySelector("[data-live=%s][role=%s]")`, name, role)
		if got := eval[string](ctx, o, region+`.textContent`); got != "" || eval[string](ctx, o, `getComputedStyle(`+region+`).display`) == "none" {
			t.Errorf("%s tells %q, or is not there yet", name, got)
		}
	}
	eval[bool](ctx, o, `(() => {
		window.mark = 1; window.timers = 0; window.asked = 0;
		const later = setTimeout, ask = fetch;
		window.setTimeout = (f, ms) => ms >= 3000 && ms <= 5000 ? (timers++, later(f, 50)) : later(f, ms); // the page's, not the test's
		window.fetch = (...all) => { asked++; return ask(...all); };
		return true;
	})()`)

	_, err := o.sys.Propose(context.Background(), central.Propose{Key: "p", Officer: o.officer, Change: central.Change{
		Act: central.ActCancelDraw, Draws: []draw.ID{o.monday()[9].ID}, Reason: "Essai.",
	}})
	o.must(err)
	until(fmt.Sprintf(text, "waiting") + `.startsWith("1 proposition attend")`)

	until(`document.querySelector("[data-live=paces]") !== null`)
	o.tick(time.Date(2027, 1, 4, 13, 59, 0, 0, time.UTC)) // sales are over
	until(`document.querySelector("[data-live=paces]") === null`)

	locked(func() { o.cut = true })
	until(`!document.getElementById("down").hidden`)
	eval[bool](ctx, o, `Object.defineProperty(document, "hidden", {value: true, configurable: true}), true`)
	until(`(window.since ??= timers, timers > since + 2)`) // what was asked before is answered
	locked(func() { o.cut = false })
	until(`timers > since + 6`)
	if eval[bool](ctx, o, `document.getElementById("down").hidden`) {
		t.Error("a hidden page tells of a line that it has not asked")
	}
	before := eval[int](ctx, o, `asked`)
	until(`(window.then ??= timers, timers > then + 4)`)
	if got := eval[int](ctx, o, `asked`); got != before {
		t.Errorf("a hidden page asks %d times", got-before)
	}
	eval[bool](ctx, o, `delete document.hidden, document.dispatchEvent(new Event("visibilitychange"))`)
	until(`document.getElementById("down").hidden`)

	locked(func() { o.off = time.Hour })
	if _, err := o.sys.Place(context.Background(), central.Place{Key: "stepped", Terminal: o.terminal, Slip: wager.Slip{
		Game: "ile-au-tresor", Boards: []wager.Board{{QuickPick: true}}, Stake: money.Euros(2), Draws: 1,
	}}); err == nil {
		t.Error("a sale on a clock that was set")
	}
	until(fmt.Sprintf(text, "stopped") + `.startsWith("L’horloge")`)
	eval[bool](ctx, o, `document.querySelector("[data-live=confirm] button").focus(), true`)
	clock := eval[string](ctx, o, fmt.Sprintf(text, "clock"))
	locked(func() { o.now = o.now.Add(time.Second) })
	until(fmt.Sprintf(text, "clock") + ` !== "` + clock + `"`)
	if !eval[bool](ctx, o, `document.activeElement === document.querySelector("[data-live=confirm] button")`) {
		t.Error("the page takes the button from under the officer")
	}
	o.must(chromedp.Do(ctx, chromedp.Click(chromedp.CSS("[data-live=confirm] button")), shows(".notice")))
}
