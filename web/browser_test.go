package web

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// shots is where browser tests leave their pictures: go test ./web -run Browser -shots DIR.
var shots = flag.String("shots", "", "write screenshots of the browser tests to this folder")

//go:embed testdata/axe.min.js
var axe string

// chromium is the browser of all browser tests, started by the first; each
// test has its own profile in it.
var chromium = sync.OnceValues(func() (context.Context, error) {
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath("/usr/bin/chromium"),
		chromedp.Flag("no-sandbox", true), chromedp.Flag("lang", "fr-FR"), chromedp.Flag("hide-scrollbars", false),
		chromedp.WSURLReadTimeout(2*time.Minute)) // it starts slowly on a new machine
	alloc, stop := chromedp.NewExecAllocator(context.Background(), opts...)
	ctx, cancel := chromedp.NewContext(alloc)
	closeBrowser = func() { cancel(); stop() }
	return ctx, chromedp.Do(ctx)
})

var closeBrowser func()

func TestMain(m *testing.M) {
	code := m.Run()
	if closeBrowser != nil {
		closeBrowser()
	}
	os.Exit(code)
}

// tab is a page in a browser, with a profile of its own.
type tab struct {
	t        testing.TB
	ctx      context.Context
	base     string
	features []*emulation.MediaFeature // that the viewer prefers beside a colour scheme
}

// tabs bounds the tests with tabs at work at once: a browser on a busy machine is slow enough.
var tabs = make(chan struct{}, 2)

// tab opens a page of the shop's server, of a size, in French.
func (s *shop) tab(width, height int64) *tab {
	s.t.Helper()
	if !s.looks { // a test's second tab waits for no place: whoever has it may wait for this test's
		s.looks = true
		tabs <- struct{}{}
		s.t.Cleanup(func() { <-tabs })
	}
	parent, err := chromium()
	check(s.t, err)
	ctx, cancel := chromedp.NewContext(parent, chromedp.WithNewBrowserContext())
	s.t.Cleanup(cancel)
	ctx, stop := context.WithTimeout(ctx, 6*time.Minute)
	s.t.Cleanup(stop)
	b := &tab{t: s.t, ctx: ctx, base: s.server.URL}
	b.do(chromedp.EmulateViewport(width, height))
	return b
}

func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	for _, action := range actions {
		if _, err := found(func() (chromedp.Void, error) { return chromedp.Run(b.ctx, action) }); err != nil {
			b.t.Fatalf("browser: %v", err)
		}
	}
}

// found does something with a part of the page, and does it again if the page that
// has just come replaced the one in which the part was found: nothing was done then.
func found[T any](do func() (T, error)) (v T, err error) {
	for range 5 {
		if v, err = do(); err == nil || !strings.Contains(err.Error(), "Could not find node") {
			break
		}
	}
	return v, err
}

func (b *tab) open(path string) {
	b.t.Helper()
	b.do(chromedp.Navigate(b.base + path))
}

// eval returns the value of an expression of the page's script.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("browser: %.200s: %v", expression, err)
	}
	return v
}

// load does something that leads to another page, and waits until that is there, its scripts too.
func (b *tab) load(action chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	eval[bool](b, `window.left = true`)
	b.do(action)
	b.poll(`!window.left && document.readyState === "complete"`)
}

// poll waits for an expression to be true. A page that goes away while it is asked
// is asked again when the next one is there.
func (b *tab) poll(expression string) {
	b.t.Helper()
	var err error
	for range 10 {
		if _, err = chromedp.Run(b.ctx, chromedp.Poll[bool](expression, chromedp.WithPollingTimeout(20*time.Second))); err == nil {
			return
		}
		if errors.Is(err, chromedp.ErrPollingTimeout) {
			break
		}
	}
	b.t.Fatalf("browser: %s is not so at %s: %v", expression, eval[string](b, `location.href`), err)
}

func (b *tab) click(css string) { b.t.Helper(); b.do(chromedp.Click(chromedp.CSS(css))) }

// tick clicks the box of a field's value, as a finger does.
func (b *tab) tick(name string, value int) {
	b.t.Helper()
	b.click(fmt.Sprintf(`input[name=%q][value="%d"]`, name, value))
}

func (b *tab) press(keys string, modifiers ...chromedp.Modifier) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(keys, chromedp.KeyModifiers(modifiers...)))
}

func (b *tab) text(css string) string {
	b.t.Helper()
	return spaces.ReplaceAllString(eval[string](b, fmt.Sprintf(`[...document.querySelectorAll(%q)].filter(e => e.checkVisibility()).map(e => e.innerText).join(" ")`, css)), " ")
}

// says waits until the page is there, its scripts too, and says something.
func (b *tab) says(css, want string) {
	b.t.Helper()
	expression := fmt.Sprintf(`document.readyState === "complete" && [...document.querySelectorAll(%q)].filter(e => e.checkVisibility()).map(e => e.innerText).join(" ").replace(/[\s\u00a0\u202f]+/g, " ").toLowerCase().includes(%q)`, css, strings.ToLower(want))
	var err error
	for range 10 { // a page that goes away while it is asked is asked again when the next one is there
		if _, err = chromedp.Run(b.ctx, chromedp.Poll[bool](expression, chromedp.WithPollingTimeout(20*time.Second))); err == nil {
			return
		}
		if errors.Is(err, chromedp.ErrPollingTimeout) {
			break
		}
	}
	b.t.Fatalf("%s does not say %q but %q: %v", css, want, b.text(css), err)
}

// picture keeps screenshots, by day and by night, if asked for.
func (b *tab) picture(name string) {
	b.t.Helper()
	if *shots == "" {
		return
	}
	eval[bool](b, `document.fonts.ready.then(() => true)`)
	check(b.t, os.MkdirAll(*shots, 0o755))
	for _, shot := range []struct{ scheme, file string }{{"dark", name + "-dark.png"}, {"light", name + ".png"}} {
		b.scheme(shot.scheme)
		png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
		check(b.t, err)
		check(b.t, os.WriteFile(filepath.Join(*shots, shot.file), png, 0o644))
	}
}

// whole checks that nothing of the page is out of sight.
func (b *tab) whole() {
	b.t.Helper()
	got := eval[[]int](b, `[document.documentElement.scrollHeight - innerHeight, document.documentElement.scrollWidth - innerWidth]`)
	if got[0] > 0 || got[1] > 0 {
		b.t.Errorf("the page scrolls by %d px down and %d px across", got[0], got[1])
	}
}

// scheme makes the viewer prefer "light" or "dark".
func (b *tab) scheme(name string) {
	b.t.Helper()
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: append([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}, b.features...),
		})
		return err
	}))
}

// accessible checks the page with axe-core, by day and by night: nothing
// serious, nothing critical.
func (b *tab) accessible(page string) {
	b.t.Helper()
	eval[bool](b, axe+"\n;true")
	for _, name := range []string{"dark", "light"} {
		b.scheme(name)
		if got := eval[bool](b, `matchMedia("(prefers-color-scheme: `+name+`)").matches`); !got {
			b.t.Fatalf("%s: not %s", page, name)
		}
		b.violations(page + ", " + name)
	}
}

func (b *tab) violations(page string) {
	b.t.Helper()
	found := eval[string](b, `axe.run(document, {resultTypes: ["violations"]}).then(r => JSON.stringify(r.violations
		.filter(v => v.impact === "serious" || v.impact === "critical")
		.map(v => ({id: v.id, help: v.help, nodes: v.nodes.map(n => n.html.slice(0, 160) + " — " + (n.any[0]?.message ?? ""))}))))`)
	var violations []struct {
		ID, Help string
		Nodes    []string
	}
	check(b.t, json.Unmarshal([]byte(found), &violations))
	for _, v := range violations {
		b.t.Errorf("%s: axe %s: %s\n\t%s", page, v.ID, v.Help, strings.Join(v.Nodes[:min(4, len(v.Nodes))], "\n\t"))
	}
}

// signOn signs the tab on at the terminal.
func (b *tab) signOn(s *shop) {
	b.t.Helper()
	b.open("/terminal/connexion?lang=fr")
	b.do(chromedp.SendKeys(chromedp.CSS("#device"), s.device))
	b.load(chromedp.Click(chromedp.CSS("main button")))
}

// checkTicket types a ticket's code at the terminal.
func (b *tab) checkTicket(code string) {
	b.t.Helper()
	b.do(chromedp.Focus(chromedp.CSS("#code")), chromedp.SetValue(chromedp.CSS("#code"), code))
	b.load(chromedp.KeyEvent(kb.Enter))
}
