package screen

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"tirage/web/page"
)

var shots = flag.String("shots", "", "keep pictures of the screen in this folder")

// browser is one browser for all tests of the package.
var browser = sync.OnceValues(func() (context.Context, error) {
	// It starts slowly on a new machine.
	alloc, stop := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:], chromedp.WSURLReadTimeout(2*time.Minute))...)
	ctx, cancel := chromedp.NewContext(alloc)
	stopBrowser = func() { cancel(); stop() }
	return ctx, chromedp.Do(ctx)
})

var stopBrowser = func() {}

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	stopBrowser()
	os.Exit(code)
}

// wallView is a screen in a browser.
type wallView struct {
	t   *testing.T
	l   *lottery
	ctx context.Context
}

func openWall(t *testing.T, l *lottery, url string, width, height int64) *wallView {
	t.Helper()
	b, err := browser()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(b)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, height), chromedp.Navigate(url)); err != nil {
		t.Fatal(err)
	}
	return &wallView{t, l, ctx}
}

// await waits until a script's expression is true: longer than a screen that has
// lost its line waits at most until it tries again.
func (v *wallView) await(expression string) {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(v.ctx, time.Minute)
	defer cancel()
	if _, err := chromedp.Run(ctx, chromedp.Poll[bool](expression, chromedp.WithPollingInterval(20*time.Millisecond), chromedp.WithPollingTimeout(time.Minute))); err != nil {
		now, _ := chromedp.Run(v.ctx, chromedp.Evaluate[string](`document.querySelector(".wall").outerHTML.slice(0, 300)`))
		v.t.Fatalf("wait for %s: %v\n%s", expression, err, now)
	}
}

func (v *wallView) phase(name string) {
	v.t.Helper()
	v.await(`document.querySelector(".wall").dataset.phase === "` + name + `"`)
}

func (v *wallView) text(selector string) string {
	v.t.Helper()
	text, err := chromedp.Run(v.ctx, chromedp.Evaluate[string](`document.querySelector("`+selector+`").innerText`))
	v.l.must(err)
	return strings.TrimSpace(text)
}

// says waits until an element's text, as it is seen, is the one wanted.
func (v *wallView) says(selector, want string) {
	v.t.Helper()
	v.await(fmt.Sprintf("document.querySelector(%q).innerText.trim() === %q", selector, want))
}

// accessible checks what is seen with axe-core: nothing serious, nothing critical.
func (v *wallView) accessible() {
	v.t.Helper()
	axe, err := os.ReadFile("../testdata/axe.min.js")
	v.l.must(err)
	v.l.must(chromedp.Do(v.ctx, chromedp.Evaluate[chromedp.Void](string(axe))))
	found, err := chromedp.Run(v.ctx, chromedp.Evaluate[string](`axe.run(document, {resultTypes: ["violations"]}).then((r) => r.violations
		.filter((v) => v.impact === "serious" || v.impact === "critical")
		.map((v) => v.id + ": " + v.nodes.map((n) => n.html.slice(0, 120)).slice(0, 3).join(" | ")).join("\n"))`, chromedp.EvalAwaitPromise))
	v.l.must(err)
	if found != "" {
		v.t.Errorf("axe: %s", found)
	}
}

// lit lists the lamps that are lit, in the order that they show.
func (v *wallView) lit() []string {
	v.t.Helper()
	keys, err := chromedp.Run(v.ctx, chromedp.Evaluate[[]string](`[...document.querySelectorAll("[data-lamp].lit")]
		.sort((a, b) => (Number(a.querySelector(".order")?.textContent) || 99) - (Number(b.querySelector(".order")?.textContent) || 99))
		.map((lamp) => lamp.dataset.lamp)`))
	v.l.must(err)
	return keys
}

// picture keeps what is seen, once its movements have ended.
func (v *wallView) picture(name string) {
	v.t.Helper()
	if *shots == "" {
		return
	}
	v.await(`document.fonts.status === "loaded" && document.getAnimations()
		.filter((a) => a.effect.getTiming().iterations !== Infinity && a.transitionProperty !== "stroke-dashoffset").every((a) => a.playState === "finished")`)
	png, err := chromedp.Run(v.ctx, chromedp.CaptureScreenshot())
	v.l.must(err)
	v.l.must(os.WriteFile(*shots+"/"+name+".png", png, 0o644))
}

// F17: a draw on the screen from its countdown to its prizes. Nothing is lit
// before the result's record, although the draw's time has come; then exactly
// what was drawn is lit, in the order drawn.
func TestF17_DrawOnTheScreen(t *testing.T) {
	t.Parallel()
	l := newLottery(t)
	l.sell(400)
	srv := httptest.NewServer(l.handler(l.streams()))
	t.Cleanup(srv.Close)
	v := openWall(t, l, srv.URL+"/ecran?lang=fr", 1920, 1080)

	l.set("11:58:00")
	v.phase("selling")
	v.await(`document.querySelector("#left").textContent === "1:40"`)
	v.await(`!document.querySelector(".ribbon").checkVisibility()`) // no result yet, so no number of one
	v.says(".ringed h2", "Tirage n° 95")
	v.says(".at", "Tirage à 12:00, heure de Paris")
	v.says("#hours", "11:00 – 14:54 · 17:00 – 21:54")

	l.tick("11:59:42")
	v.phase("closed")
	v.says(".shut", "Ventes closes")
	v.says(".ribbon", "Tirage n° 95")
	v.accessible()
	v.picture("screen-closed")
	l.set("12:00:02") // the draw's time has come, but nothing has drawn
	v.phase("drawing")
	if lit := v.lit(); len(lit) > 0 {
		t.Fatalf("lit before the record: %v", lit)
	}
	v.says(".ring", "tirage en cours")
	v.accessible()

	l.tick("12:00:03")
	v.phase("draw")
	want := l.result(95)
	l.set("12:00:14")
	v.await(`document.querySelectorAll(".place.lit").length >= 4`)
	if lit := v.lit(); len(lit) < 4 || len(lit) > 5 || !slices.Equal(lit, want[:len(lit)]) {
		t.Errorf("in the middle of the show %v is lit, of %v", lit, want)
	}
	if v.text("#last") != "" {
		t.Error("the last results give the draw away while it is shown")
	}
	v.accessible()
	v.picture("screen-draw")
	l.set("12:00:27")
	v.await(`document.querySelectorAll(".pirate.lit").length === 1`)
	if lit := v.lit(); !slices.Equal(lit, want) {
		t.Errorf("at the end of the show %v is lit, want %v", lit, want)
	}
	v.picture("screen-pirate")
	l.set("12:00:30")
	v.phase("prizes")
	v.await(`document.querySelectorAll("#tiers tbody tr").length === 10`)
	v.await(`document.querySelector("#tiers").innerText.includes("20\u202f000\u00a0€")`)
	v.accessible()
	v.picture("screen-prizes")
	l.set("12:01:40")
	v.phase("selling")
	v.says(".ringed h2", "Tirage n° 96")
	v.await(`document.querySelectorAll("#tiers tbody tr").length === 10 && document.querySelector(".wall").matches(".settled")`) // while they fade
	if got := v.text("#last h3"); !strings.HasPrefix(got, "n° 95") {
		t.Errorf("last results: %q", got)
	}
}

// A screen that is switched on during the show of a draw, the first one here,
// does not give it away: neither before it has heard the server nor after.
func TestFreshScreenKeepsTheSecret(t *testing.T) {
	t.Parallel()
	l := newLottery(t)
	srv := httptest.NewServer(l.handler(l.streams()))
	t.Cleanup(srv.Close)
	mute := newStreams(l.app, "test")
	mute.most = 0 // says nothing to anybody
	silent := httptest.NewServer(l.handler(mute))
	t.Cleanup(silent.Close)
	l.tick("12:00:02")
	l.set("12:00:10")
	v := openWall(t, l, silent.URL+"/ecran?lang=fr", 1280, 720)
	v.await(`document.readyState === "complete" && document.querySelector("#last").children.length === 0`)
	if lit := v.lit(); len(lit) > 0 {
		t.Errorf("lit before the server has spoken: %v", lit)
	}
	v = openWall(t, l, srv.URL+"/ecran?lang=fr", 1280, 720)
	v.phase("draw")
	if got := v.text("#last"); got != "" {
		t.Errorf("the last results give the draw away while it is shown: %q", got)
	}
	l.set("12:00:40")
	v.phase("prizes")
	v.await(`document.querySelector("#last h3")?.innerText.startsWith("n° 95")`)
}

// Five draws later the last five results are there, newest first; a screen of
// 1280 × 720 shows all of it without scrolling.
func TestLastResults(t *testing.T) {
	t.Parallel()
	l := newLottery(t)
	l.sell(50)
	for n := range 7 {
		l.tick(paris("12:00:00").Add(time.Duration(n) * 5 * time.Minute).In(page.ParisZone()).Format(time.TimeOnly))
	}
	srv := httptest.NewServer(l.handler(l.streams()))
	t.Cleanup(srv.Close)
	l.set("12:31:45")
	v := openWall(t, l, srv.URL+"/ecran?lang=fr", 1280, 720)
	v.phase("selling")
	for i, number := range []int{101, 100, 99, 98, 97} {
		if got := v.text(fmt.Sprintf("#last li:nth-child(%d) h3", i+1)); !strings.HasPrefix(got, fmt.Sprintf("n° %d", number)) {
			t.Errorf("result %d: %q, want draw %d", i+1, got, number)
		}
	}
	if lit := v.lit(); !slices.Equal(lit, l.result(101)) {
		t.Errorf("at rest %v is lit, want the last result", lit)
	}
	over, err := chromedp.Run(v.ctx, chromedp.Evaluate[[]string](`[...document.querySelectorAll(".wall *")].filter((el) => {
		const box = el.getBoundingClientRect(), shown = el.checkVisibility({visibilityProperty: true, opacityProperty: true});
		return shown && box.width > 1 && (box.right > 1281 || box.bottom > 721 || box.left < -1 || box.top < -1) && !el.closest("defs, .halo, .light, .island");
	}).map((el) => el.outerHTML.slice(0, 80))`))
	l.must(err)
	if len(over) > 0 {
		t.Errorf("outside of a screen of 1280 × 720: %v", over)
	}
	v.accessible()
	v.picture("screen-720")
	if *shots != "" {
		wide := openWall(t, l, srv.URL+"/ecran?lang=fr", 1920, 1080)
		wide.phase("selling")
		wide.picture("screen")
	}
}

// The server goes and comes back. The screen says how old it is, and follows
// again by itself; it never asks to be touched.
func TestScreenComesBack(t *testing.T) {
	t.Parallel()
	l := newLottery(t)
	// At a port that no connection is given by itself while nobody listens there.
	listener, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", 12_000+rand.IntN(20_000)))
	for tries := 0; err != nil && tries < 100; tries++ {
		listener, err = net.Listen("tcp", fmt.Sprint("127.0.0.1:", 12_000+rand.IntN(20_000)))
	}
	l.must(err)
	serve := func(listener net.Listener) func() {
		base, cancel := context.WithCancel(context.Background())
		s := l.streams()
		s.silence = 2 * time.Second
		srv := &http.Server{Handler: l.handler(s), BaseContext: func(net.Listener) context.Context { return base }}
		go func() { _ = srv.Serve(listener) }()
		return func() {
			cancel()
			_ = srv.Close()
		}
	}
	stop := serve(listener)
	l.set("11:50:00")
	v := openWall(t, l, "http://"+listener.Addr().String()+"/ecran?lang=fr", 1280, 720)
	v.phase("selling")
	v.await(`!document.querySelector(".line").checkVisibility()`)
	stop()
	v.await(`document.querySelector(".wall").dataset.line === "down"`)
	v.await(`/^Liaison coupée depuis \d+:\d\d$/.test(document.querySelector(".line").innerText)`)
	v.accessible()

	l.tick("12:00:00") // meanwhile a draw was closed and drawn
	if listener, err = net.Listen("tcp", listener.Addr().String()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(serve(listener))
	v.await(`document.querySelector(".wall").dataset.line === "up"`)
	v.await(`document.querySelectorAll("[data-lamp].lit").length >= 0 && document.querySelector(".last-number").textContent === "95"`)
}

// lessMotion is a viewer who has asked the browser for less motion.
func lessMotion(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
	_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}},
	})
	return chromedp.Void{}, err
}

// Who asks for less motion gets none: lamps light at their time, without moving.
func TestReducedMotion(t *testing.T) {
	t.Parallel()
	l := newLottery(t)
	srv := httptest.NewServer(l.handler(l.streams()))
	t.Cleanup(srv.Close)
	l.tick("12:00:02")
	l.set("12:00:14")
	v := openWall(t, l, srv.URL+"/ecran?lang=en", 1280, 720)
	l.must(chromedp.Do(v.ctx, lessMotion, chromedp.Reload()))
	v.await(`matchMedia("(prefers-reduced-motion: reduce)").matches`)
	v.await(`document.querySelectorAll(".place.lit").length >= 4`)
	moving, err := chromedp.Run(v.ctx, chromedp.Evaluate[int](`document.getAnimations().filter((a) => a.effect.getComputedTiming().duration > 1).length`))
	l.must(err)
	if moving > 0 {
		t.Errorf("%d animations run", moving)
	}
}

// In the last seconds of sales the wall keeps its layout: the map stays where it was.
func TestLastSecondsOfSales(t *testing.T) {
	t.Parallel()
	l := newLottery(t)
	srv := httptest.NewServer(l.handler(l.streams()))
	t.Cleanup(srv.Close)
	v := openWall(t, l, srv.URL+"/ecran?lang=fr", 1280, 720)
	l.set("11:58:40")
	v.phase("selling")
	v.await(`document.fonts.status === "loaded"`) // another face takes other room
	const where = `JSON.stringify(document.querySelector(".wall > *").getBoundingClientRect()) + getComputedStyle(document.querySelector(".wall")).display`
	before, err := chromedp.Run(v.ctx, chromedp.Evaluate[string](where))
	if err != nil {
		t.Fatal(err)
	}
	l.set("11:59:30") // ten seconds before the close
	v.await(`document.querySelector(".wall").classList.contains("soon")`)
	v.picture("screen-soon")
	after, err := chromedp.Run(v.ctx, chromedp.Evaluate[string](where))
	if err != nil {
		t.Fatal(err)
	}
	if before != after {
		t.Errorf("in the last seconds the wall is laid out as %s, before as %s", after, before)
	}
}
