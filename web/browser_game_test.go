package web

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"tirage/central"
	"tirage/game"
	"tirage/instant"
	"tirage/money"
	"tirage/party"
	"tirage/store"
)

// coveBook is an instant game whose pools have ten units: one of each prize of
// L'Ile au Trésor's combinations, and one that loses.
const coveBook = `
kind: instant
game: cove
version: "1"
name: {fr: La Crique, en: The Cove}
first_day: 2026-11-19
zone: Europe/Paris
units: 10
scene: island
prize_tables:
  - price: 1
    prizes:
      - {units: 1, amount: 1.80, total: 1.80, of: 3, symbol: candlestick}
      - {units: 1, amount: 1.60, total: 1.60, of: 3, symbol: monkey}
      - {units: 1, amount: 1.40, total: 1.40, of: 3, symbol: sapphire}
      - {units: 1, amount: 1.20, total: 1.20, of: 3, symbol: skull}
      - {units: 1, amount: 1.00, total: 1.00, of: 2, symbol: candlestick}
      - {units: 1, amount: 0.80, total: 0.80, of: 2, symbol: monkey}
      - {units: 1, amount: 0.60, total: 0.60, of: 2, symbol: sapphire}
      - {units: 1, amount: 0.40, total: 0.40, of: 2, symbol: skull}
      - {units: 1, amount: 0.20, total: 0.20, of: 1, symbol: candlestick}
    printed: {winners: 9, total: 9.00, payout_rate: 9/10}
policy:
  top_prize_gone: go_on
  few_units: 1
  few_units_then: go_on
  open_next_at: 1
  ahead_pools: 1
  guard_one_in: 1000000
`

// coast is a system with the cove, launched, and a player who has 50 €.
type coast struct {
	*shop
	other  party.Officer
	player string
	game   game.Code // played
	keys   atomic.Int64
	line   atomic.Int32 // what becomes of plays: lineUp, lineDown, lineLost
}

const (
	lineUp   = iota
	lineDown // no request arrives
	lineLost // requests arrive, answers do not
)

func newCoast(t testing.TB, replace ...string) *coast {
	t.Helper()
	ctx := context.Background()
	db, err := store.Open(ctx, "sqlite:"+t.TempDir()+"/tirage.db")
	check(t, err)
	keys, err := central.NewKeys("tirage.test/log")
	check(t, err)
	c := &coast{shop: &shop{t: t, clock: &clock{now: opening}}, game: "cove"}
	logger := slog.New(slog.NewTextHandler(io.Discard, nil))
	c.sys, err = central.Open(ctx, central.Options{
		DB: db, Keys: keys, Clock: central.Clock{Now: c.clock.Now, Wall: c.clock.Now}, Control: "none", Logger: logger, Demo: true,
	})
	check(t, err)
	c.officer, err = c.sys.PutOfficer(ctx, central.PutOfficer{Key: "officer", Login: "officer", Password: "correct horse", Roles: []string{"operations"}})
	check(t, err)
	c.server = httptest.NewServer(c.cut(New(c.sys, Options{Logger: logger})))
	t.Cleanup(func() {
		c.server.Close()
		if err := c.sys.CheckBooks(ctx); err != nil {
			t.Errorf("books: %v", err)
		}
		c.sys.Close()
		check(t, db.Close())
	})
	_, err = c.sys.PublishAccounts(ctx, central.PublishRules{Key: c.key(), Officer: c.officer.ID, Book: []byte(strings.NewReplacer(replace...).Replace(string(party.Book())))})
	check(t, err)
	_, err = c.sys.PublishInstant(ctx, central.PublishRules{Key: c.key(), Officer: c.officer.ID, Book: []byte(coveBook)})
	check(t, err)
	c.player = c.newPlayer()
	return c
}

// cut stands between the browser and the server, for lines that fail.
func (c *coast) cut(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		line := c.line.Load()
		if line == lineUp || r.Method != http.MethodPost {
			next.ServeHTTP(w, r)
			return
		}
		if line == lineLost {
			next.ServeHTTP(httptest.NewRecorder(), r)
		}
		panic(http.ErrAbortHandler)
	})
}

func (c *coast) key() string { return fmt.Sprint("key-", c.keys.Add(1)) }

// launch seeds pools by two officers, and opens the game to its players.
func (c *coast) launch(pools int) {
	c.t.Helper()
	ctx := context.Background()
	if c.other.ID == "" {
		c.other = c.secondOfficer()
	}
	for _, officer := range []string{c.officer.ID, c.other.ID} {
		_, err := c.sys.CommitSecrets(ctx, central.CommitSecrets{Key: c.key(), Officer: officer, Game: c.game, Price: 100, Count: pools})
		check(c.t, err)
	}
	check(c.t, c.sys.Launch(ctx, central.GameAct{Key: c.key(), Officer: c.officer.ID, Game: c.game}))
	check(c.t, c.sys.TendPools(ctx))
}

func (c *coast) secondOfficer() party.Officer {
	c.t.Helper()
	ctx := context.Background()
	o, err := c.sys.PutOfficer(ctx, central.PutOfficer{Key: c.key(), By: c.officer.ID, Login: "other", Password: "a first word", Roles: []string{"operations"}})
	check(c.t, err)
	check(c.t, c.sys.ChangePassword(ctx, central.ChangePassword{Key: c.key(), Officer: o.ID, Old: "a first word", New: "ten characters"}))
	return o
}

var jeton = regexp.MustCompile(`jeton=([A-Z2-7]+)`)

// newPlayer opens the account of a player whose identity was checked, with 50 €.
func (c *coast) newPlayer() string {
	c.t.Helper()
	ctx := context.Background()
	n := c.keys.Add(1)
	name, last := fmt.Sprint("jeanne", n), "Martin"+strings.Repeat("e", int(n))
	check(c.t, c.sys.SignUp(ctx, central.SignUp{
		Key: c.key(), Password: "mot de passe", Terms: c.sys.AccountRules().Version,
		Person: central.Person{Email: name + "@exemple.test", FirstName: "Jeanne", LastName: last, BirthDay: game.NewDay(1980, 5, 17), BirthPlace: "Nantes", Lang: "fr"},
	}))
	_, err := c.sys.SendMessages(ctx, func(ctx context.Context, m central.Message) error {
		return c.sys.ConfirmEmail(ctx, jeton.FindStringSubmatch(m.Body)[1], "mot de passe")
	})
	check(c.t, err)
	p, err := c.sys.SignOnPlayer(ctx, name+"@exemple.test", "mot de passe", "")
	check(c.t, err)
	check(c.t, c.sys.CheckIdentity(ctx, central.CheckIdentity{Key: c.key(), Officer: c.officer.ID, Player: p.ID, Confirmed: true, Reason: "carte vue"}))
	_, err = c.sys.DepositDemo(ctx, c.key(), p.ID, money.Euros(50))
	check(c.t, err)
	return p.ID
}

// units are the units that the player has played, newest first.
func (c *coast) units() (list []central.Movement) {
	c.t.Helper()
	all, err := c.sys.History(context.Background(), c.player, 0, 100)
	check(c.t, err)
	return slices.DeleteFunc(all, func(m central.Movement) bool { return m.Kind != "unit" })
}

// signedOnTab is a tab of the coast's player; still: its viewer wants no motion.
func (c *coast) signedOnTab(width, height int64, still bool) *tab {
	c.t.Helper()
	b := c.tab(width, height)
	if still {
		b.features = []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}}
	}
	b.scheme("light")
	token, err := c.sys.NewSession(context.Background(), "player", c.player, 12*time.Hour)
	check(c.t, err)
	b.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, network.SetCookie, network.SetCookieParams{Name: "player", Value: token, URL: c.server.URL})
		return err
	}))
	b.open("/jeu/" + string(c.game) + "?lang=fr")
	b.at("price")
	return b
}

// at waits until the scene is in a part of a play, and idle.
func (b *tab) at(part string) {
	b.t.Helper()
	b.await(`document.querySelector("#scene.live")?.dataset.part === "` + part + `" && !document.querySelector("#throw").hasAttribute("aria-disabled")`)
}

// await waits until an expression of the page's script is true.
func (b *tab) await(expression string) {
	b.t.Helper()
	if _, err := chromedp.Run(b.ctx, chromedp.Poll[bool](expression, chromedp.WithPollingInterval(25*time.Millisecond), chromedp.WithPollingTimeout(60*time.Second))); err != nil {
		b.t.Fatalf("never %s: %v\n%s", expression, err, b.text("main"))
	}
}

// open tells whether a window of the scene is open.
func (b *tab) window(id string) bool {
	b.t.Helper()
	return eval[bool](b, `document.getElementById("`+id+`").open`)
}

// throwAll throws until the unit is over, by the key that has the focus.
func (b *tab) throwAll(key string) {
	b.t.Helper()
	for left := 3; left >= 0; left-- {
		b.await(`document.activeElement.id === "throw"`)
		b.press(key)
		b.await(fmt.Sprintf(`document.querySelectorAll(".isle-throws .left").length === %d && !document.querySelector("#throw").hasAttribute("aria-disabled")`, left))
	}
	b.at("over")
}

// french is an amount as a French page writes it.
func french(a money.Amount) string {
	return fmt.Sprintf("%d,%02d €", int64(a)/100, int64(a)%100)
}

// INS-4.1 to 4.5, F13: every prize of the table and a loss, by keyboard alone.
// What the screen shows is what the ledger has, and it is told at the end only.
func TestINS_4_BrowserPortal(t *testing.T) {
	t.Parallel()
	c := newCoast(t)
	c.launch(1)
	b := c.signedOnTab(1280, 800, true)
	b.picture("jeu-accueil")
	b.accessible("scene")
	balance := money.Euros(50)
	won, checked, total := map[money.Amount]bool{}, false, money.Amount(0)
	for n := range 10 {
		eval[bool](b, `document.getElementById("start").focus(), true`)
		b.press([]string{kb.Enter, " "}[n%2])
		if n == 0 {
			b.await(`document.getElementById("how").open`)
			b.picture("jeu-regles")
			b.accessible("how to play")
			eval[bool](b, `document.getElementById("how-quiet").focus(), true`)
			b.press(" ")
			eval[bool](b, `document.getElementById("how-close").focus(), true`)
			b.press(kb.Enter)
		}
		b.at("throws")
		if b.window("how") {
			t.Error("the rules are shown again to who asked for them not to be")
		}
		unit := c.units()[0]
		balance -= 100
		b.says("#balance", french(balance)) // the stake is debited, the prize not told
		tally := func() string { return french(money.Amount(n+1)*100) + " misés, " + french(total) + " gagnés" }
		b.says("#tally", tally())
		if n == 0 {
			b.accessible("throws")
		}
		b.throwAll([]string{" ", kb.Enter}[n%2])
		balance += unit.Prize
		b.says("#balance", french(balance))
		if got := c.sys.PlayerBalance(c.player); got != balance {
			t.Fatalf("the balance is %s, the page says %s", got, balance)
		}
		won[unit.Prize] = true
		c.shownUnit(b, unit)
		total += unit.Prize
		b.says("#tally", tally())
		if b.window("win") {
			b.picture("jeu-gain")
			if quiet := eval[bool](b, `getComputedStyle(document.querySelector(".win-rays")).display === "none"`); quiet != (unit.Prize <= 100) {
				t.Errorf("a prize of %s: quiet %t", unit.Prize, quiet)
			}
			if !checked {
				checked = true
				b.accessible("win")
			}
			b.press(kb.Enter)
			b.await(`!document.getElementById("win").open`)
		}
		if n == 0 {
			b.accessible("over")
		}
		eval[bool](b, `document.getElementById("again").focus(), true`)
		b.press(kb.Enter)
		b.at("price")
	}
	if len(won) != 10 {
		t.Errorf("prizes %v, want nine and a loss", won)
	}
	c.soldOut(b)
}

// shownUnit compares what the page shows of a unit that is over with the history.
func (c *coast) shownUnit(b *tab, unit central.Movement) {
	t := c.t
	t.Helper()
	if unit.Prize == 0 {
		if b.window("win") {
			t.Error("a loss is congratulated")
		}
		b.says("#end", "unité est perdante")
	} else {
		b.await(`document.getElementById("win").open`)
		b.await(`document.getElementById("won").textContent === document.getElementById("won-exact").textContent`)
		if got := strings.TrimSpace(b.text("#won")); got != french(unit.Prize) {
			t.Errorf("unit %d shows %q, the history has %s", unit.Record, got, unit.Prize)
		}
	}
	b.says("#say", "Lancer 4 :") // for those who listen
	u, err := c.sys.Unit(context.Background(), c.player, unit.Record)
	check(t, err)
	found := map[instant.Symbol]int{}
	opened := 0
	for _, v := range u.Board.Visits() {
		if v.Opens {
			found[v.Symbol]++
			opened++
		}
	}
	for symbol := instant.Empty; symbol <= instant.Skull; symbol++ {
		if got := eval[int](b, fmt.Sprintf(`document.querySelectorAll('.slots[data-symbol="%d"] .full').length`, symbol)); got != found[symbol] {
			t.Errorf("unit %d: %d × %s found on the page, %d on the board", unit.Record, got, symbol, found[symbol])
		}
	}
	if got := eval[int](b, `document.querySelectorAll(".token-chest.open").length`); got != opened {
		t.Errorf("%d chests open on the page, %d on the board", got, opened)
	}
	visits := u.Board.Visits()
	end := visits[len(visits)-1].At
	if got, want := eval[float64](b, `parseFloat(document.querySelector(".token-totem").style.left) * 11`), float64(150+100*end.Column()); math.Abs(got-want) > 1 {
		t.Errorf("the totem ends at %v, square %d is at %v", got, end, want)
	}
}

// soldOut: the pool is empty, and the page says so in a sentence and debits nothing.
func (c *coast) soldOut(b *tab) {
	c.t.Helper()
	before := c.sys.PlayerBalance(c.player)
	eval[bool](b, `document.getElementById("start").click(), true`)
	b.await(`!document.getElementById("note").hidden`)
	if got := c.sys.PlayerBalance(c.player); got != before {
		c.t.Errorf("a unit that was not sold cost %s", before-got)
	}
}

// With all its motion, on a phone: the page is left in the middle of a throw, and
// the unit watched to its end after, with the same prize (INS-4.1).
func TestINS_4_1_BrowserReload(t *testing.T) {
	t.Parallel()
	c := newCoast(t)
	c.launch(1)
	b := c.signedOnTab(390, 844, false)
	b.picture("jeu-telephone")
	b.click("#start")
	b.await(`document.getElementById("how").open`)
	b.click("#how-close")
	b.at("throws")
	b.await(`document.activeElement.id === "throw"`)
	b.press(kb.Enter)
	b.await(`document.querySelectorAll(".isle-throws .left").length === 3 && !document.querySelector("#throw").hasAttribute("aria-disabled")`)
	b.picture("jeu-telephone-lancer")
	b.phoneFits()
	eval[bool](b, `(() => {
		const real = Element.prototype.animate;
		Element.prototype.animate = function (...all) { const a = real.apply(this, all); a.pause(); return a; }; // so that the throw lasts until the page is left
		return true;
	})()`)
	b.press(kb.Enter)
	b.await(`document.querySelector("#throw").hasAttribute("aria-disabled")`)
	b.open("/jeu/cove")
	b.await(`document.getElementById("resume")?.hidden === false`)
	b.says("#resume", "pas été vue")
	b.accessible("resume")
	b.click("#resume-yes")
	b.at("throws")
	eval[bool](b, `(() => {
		const real = Element.prototype.animate;
		Element.prototype.animate = function (...all) { // what is found flies slowly: the prize waits for it
			const a = real.apply(this, all);
			if (this.className === "isle-flight") a.playbackRate = 0.3;
			return a;
		};
		return true;
	})()`)
	if got := eval[int](b, `document.querySelectorAll(".isle-throws .left").length`); got != 3 {
		t.Errorf("%d throws left after the reload, want 3: the one that was cut is shown again", got)
	}
	for left := 2; left >= 0; left-- {
		b.await(`document.activeElement.id === "throw"`)
		b.press(kb.Enter)
		b.await(fmt.Sprintf(`document.querySelectorAll(".isle-throws .left").length === %d && !document.querySelector("#throw").hasAttribute("aria-disabled")`, left))
	}
	b.at("over")
	units := c.units()
	if len(units) != 1 {
		t.Fatalf("%d units after a reload, want 1", len(units))
	}
	c.shownUnit(b, units[0])
	b.picture("jeu-telephone-fin")

	// The same unit from the history, with and without script.
	address := fmt.Sprintf("/jeu/cove/unite/%d", units[0].Record)
	b.open(address)
	b.at("throws")
	b.picture("jeu-telephone-revoir")
	b.phoneFits()
	b.says("summary", "pas à pas")
	b.accessible("unit")
	plain := c.plain()
	p := plain.get(address)
	expect(t, p, http.StatusOK, "Lancer 1", "Lancer 4", "case")
	if units[0].Prize > 0 {
		expect(t, p, http.StatusOK, "Gain de "+french(units[0].Prize))
	}
	if p := c.browser().get(address); p.status != http.StatusUnauthorized {
		t.Errorf("a stranger reads a unit: status %d", p.status)
	}
}

// F24: proofs are for everybody, but not without end for one.
func TestF24_ProofsLimited(t *testing.T) {
	t.Parallel()
	c := newCoast(t)
	c.launch(1)
	b := c.plain()
	form := b.get("/jeu/cove").form("/jeu/cove/unite")
	form.Set("price", "100")
	b.post("/jeu/cove/unite", form)
	address := fmt.Sprintf("/jeu/cove/unite/%d/preuve.json", c.units()[0].Record)
	for n := range 2000 {
		switch p := b.get(address); {
		case p.status == http.StatusTooManyRequests && n >= 100:
			return
		case p.status != http.StatusOK:
			t.Fatalf("after %d: status %d", n, p.status)
		}
	}
	t.Error("2,000 proofs are given to one client at once")
}

// phoneFits checks that the play itself needs no scrolling, and that no word above or under it is cut.
func (b *tab) phoneFits() {
	b.t.Helper()
	if cut := eval[string](b, `[...document.querySelectorAll(".isle-foot span, .isle-head > *, .isle-tools > *")].filter(e => e.scrollWidth > e.clientWidth || e.getBoundingClientRect().right > document.documentElement.clientWidth).map(e => e.textContent).join(" ")`); cut != "" {
		b.t.Errorf("cut above or under the play: %q", cut)
	}
	got := eval[[]float64](b, `[document.querySelector(".isle-bar").getBoundingClientRect().bottom - innerHeight, document.documentElement.scrollWidth - innerWidth]`)
	if got[0] > 0 || got[1] > 0 {
		b.t.Errorf("the play is %v px too tall and %v px too wide", got[0], got[1])
	}
}

// plain is a client without script, of the coast's player.
func (c *coast) plain() *browser {
	c.t.Helper()
	b := c.browser()
	token, err := c.sys.NewSession(context.Background(), "player", c.player, 12*time.Hour)
	check(c.t, err)
	at, err := url.Parse(c.server.URL)
	check(c.t, err)
	b.client.Jar.SetCookies(at, []*http.Cookie{{Name: "player", Value: token}, {Name: "lang", Value: "fr"}})
	return b
}

// F10: the line fails in the middle of a unit, which goes on to its end; the next
// play is asked for again under the same key until it has its answer, also where
// only the answer was lost. A double click is one command, two tabs are two.
func TestF10_BrowserPortal(t *testing.T) {
	t.Parallel()
	c := newCoast(t)
	c.launch(1)
	b := c.signedOnTab(1280, 800, true)
	eval[bool](b, `localStorage.setItem("tirage.how", "true"), true`)
	eval[bool](b, `(() => { const k = document.getElementById("start"); k.click(); k.click(); k.click(); return true })()`)
	b.at("throws")
	c.line.Store(lineDown)
	b.throwAll(kb.Enter)
	if got := len(c.units()); got != 1 {
		t.Fatalf("%d units after a double click, want 1", got)
	}
	eval[bool](b, `document.getElementById("win").close(), document.getElementById("again").click(), true`)
	b.at("price")
	b.click("#start")
	b.says("#note", "réseau")
	c.line.Store(lineLost)
	deadline := time.Now().Add(20 * time.Second)
	for len(c.units()) < 2 && time.Now().Before(deadline) {
		eval[bool](b, `new Promise(done => setTimeout(() => done(true), 50))`)
	}
	b.says("#note", "réseau")
	// A page that is left while it waits offers the same command again.
	b.open("/jeu/cove")
	b.await(`document.getElementById("resume")?.hidden === false`)
	b.says("#resume", "attend sa réponse")
	c.line.Store(lineUp)
	b.click("#resume-yes")
	b.at("throws")
	if got := len(c.units()); got != 2 {
		t.Fatalf("%d units after lost answers, want 2", got)
	}
	other := c.signedOnTab(1280, 800, true)
	eval[bool](other, `localStorage.setItem("tirage.how", "true"), true`)
	other.click("#start")
	other.at("throws")
	if got := len(c.units()); got != 3 {
		t.Fatalf("%d units from a second tab, want 3", got)
	}
	spent := money.Amount(0)
	for _, m := range c.units() {
		spent += m.Price - m.Prize
	}
	if got := c.sys.PlayerBalance(c.player); got != money.Euros(50)-spent {
		t.Errorf("the balance is %s after units that cost %s", got, spent)
	}
}

// F13: what is not signed is not shown.
func TestF13_BrowserForged(t *testing.T) {
	t.Parallel()
	c := newCoast(t)
	c.launch(1)
	b := c.signedOnTab(1280, 800, true)
	eval[bool](b, `localStorage.setItem("tirage.how", "true"), (() => {
		const real = fetch;
		window.fetch = async (...a) => {
			const r = await real(...a), o = await r.json();
			if (o.text) o.text = o.text.replace(/"prize":\d+/, '"prize":50000000');
			return new Response(JSON.stringify(o), {status: r.status});
		};
		return true;
	})()`)
	b.click("#start")
	b.says("#note", "pas signée")
	if got := b.text("main"); strings.Contains(got, "500") {
		t.Errorf("the page shows a forged prize: %s", got)
	}
}

// INS-1: before the launch and while suspended, the site says so, in the player's language.
func TestINS_1_PortalMessage(t *testing.T) {
	t.Parallel()
	c := newCoast(t)
	b := c.plain()
	expect(t, b.get("/jeu/cove"), http.StatusOK, "pas encore ouvert")
	expect(t, b.get("/jeu/cove?lang=en"), http.StatusOK, "not open yet")
	c.launch(1)
	p := b.get("/jeu/cove?lang=fr")
	expect(t, p, http.StatusOK, "Choisissez votre mise", "Une unité sur 1,11 est gagnante", "90 %")
	check(t, c.sys.Suspend(context.Background(), central.GameAct{
		Key: c.key(), Officer: c.officer.ID, Game: "cove", Message: game.Text{FR: "Retour à midi.", EN: "Back at noon."},
	}))
	expect(t, b.get("/jeu/cove"), http.StatusOK, "Retour à midi.")
	expect(t, b.get("/jeu/cove?lang=en"), http.StatusOK, "Back at noon.")
	form := p.form("/jeu/cove/unite")
	form.Set("price", "100")
	if p := b.post("/jeu/cove/unite", form); p.status == http.StatusOK || c.sys.PlayerBalance(c.player) != money.Euros(50) {
		t.Errorf("a unit of a suspended game: status %d", p.status)
	}
}

// Without script: a form, then the whole unit in words, its proof and the file of it.
func TestPortalPlain(t *testing.T) {
	t.Parallel()
	c := newCoast(t)
	c.launch(1)
	b := c.plain()
	form := b.get("/jeu/cove").form("/jeu/cove/unite")
	form.Set("price", "100")
	p := b.post("/jeu/cove/unite", form)
	expect(t, p, http.StatusOK, "L’unité, pas à pas", "Lancer 4")
	b.post("/jeu/cove/unite", form) // sent twice
	units := c.units()
	if len(units) != 1 {
		t.Fatalf("%d units of one form, want 1", len(units))
	}
	stranger := c.browser()
	address := fmt.Sprintf("/jeu/cove/unite/%d/preuve", units[0].Record)
	expect(t, stranger.get(address+"?lang=fr"), http.StatusOK, "La preuve", "tirage-verify unit")
	file := stranger.get(address + ".json")
	var signed struct {
		Text      string
		Signature []byte
	}
	check(t, json.Unmarshal([]byte(file.body), &signed))
	if !ed25519.Verify(c.sys.AnswersKey(), []byte(signed.Text), signed.Signature) {
		t.Error("the file's signature does not verify")
	}
	for path, status := range map[string]int{
		"/jeu/cove/unite/0": http.StatusNotFound, "/jeu/cove/unite/x": http.StatusNotFound, "/jeu/none": http.StatusNotFound,
		fmt.Sprintf("/jeu/none/unite/%d", units[0].Record): http.StatusNotFound, "/jeu/cove/unite/999999/preuve": http.StatusNotFound,
	} {
		if p := b.get(path); p.status != status {
			t.Errorf("%s: status %d, want %d", path, p.status, status)
		}
	}
	for _, price := range []string{"", "x", "-100", "99", "100000000000000000000"} {
		form.Set("price", price)
		form.Set("key", c.key())
		if p := b.post("/jeu/cove/unite", form); p.status < 400 || p.status >= 500 {
			t.Errorf("price %q: status %d", price, p.status)
		}
	}
	if p := stranger.post("/jeu/cove/unite", url.Values{"key": {c.key()}, "price": {"100"}}); p.status != http.StatusUnauthorized {
		t.Errorf("a stranger plays: status %d", p.status)
	}
	for _, asked := range []struct{ method, path, back string }{
		{http.MethodGet, fmt.Sprintf("/jeu/cove/unite/%d?lang=fr", units[0].Record), fmt.Sprintf("%%2Fjeu%%2Fcove%%2Funite%%2F%d", units[0].Record)},
		{http.MethodPost, "/jeu/cove/unite", "%2Fjeu%2Fcove"},
	} { // whoever has to sign on first comes back
		link := "/connexion?suite=" + asked.back + `"`
		if p := stranger.do(asked.method, asked.path, "price=100", nil); !strings.Contains(p.body, link) {
			t.Errorf("%s has no link to %s: %s", asked.path, link, p.body)
		}
		if p := stranger.do(asked.method, asked.path, "price=100", http.Header{"Accept": {"application/json"}}); !strings.Contains(p.body, `"address":"`+link) {
			t.Errorf("%s: a script is told %s", asked.path, p.body)
		}
	}
	if got := len(c.units()); got != 1 {
		t.Errorf("%d units after refusals, want 1", got)
	}
}

// The browser itself finds signature, opening and path of a unit good; in English, by day and by night.
func TestBrowserProof(t *testing.T) {
	t.Parallel()
	c := newCoast(t)
	c.launch(1)
	u, err := c.sys.Play(context.Background(), central.PlayUnit{Key: c.key(), Player: c.player, Game: "cove", Price: 100})
	check(t, err)
	b := c.tab(1280, 800)
	b.open(fmt.Sprintf("/jeu/cove/unite/%d/preuve?lang=en", u.Record))
	b.await(`document.querySelectorAll('.seal[data-is="yes"]').length === 4`)
	b.says("main", "The proof")
	b.accessible("proof")
	b.picture("jeu-preuve")
	b.open("/jeu/cove")
	b.says(".isle-bar", "Sign in to play")
	b.says("main", "one unit in 1.11 wins")
	b.accessible("signed out")
}

// The reality check (INS-online): it comes at the pace of the rules of accounts and must be answered.
func TestINS_online_BrowserReality(t *testing.T) {
	t.Parallel()
	c := newCoast(t)
	c.launch(1)
	b := c.signedOnTab(1280, 800, true)
	if b.window("reality") {
		t.Fatal("asked at once")
	}
	_, err := c.sys.Play(context.Background(), central.PlayUnit{Key: c.key(), Player: c.player, Game: "cove", Price: 100})
	check(t, err)
	c.clock.set(c.clock.Now().Add(31 * time.Minute))
	b.open("/jeu/cove")
	b.await(`document.getElementById("reality")?.open`)
	b.says("#reality", "31 min")
	b.says("#reality", "1,00 €")
	b.accessible("reality check")
	b.picture("jeu-point")
	b.press(kb.Escape)
	b.press(kb.Escape)
	if !b.window("reality") {
		t.Error("it goes away without an answer")
	}
	b.click("#reality-on")
	b.await(`!document.getElementById("reality").open`)
	b.open("/jeu/cove")
	b.await(`document.getElementById("tally").textContent.includes("31")`)
	if b.window("reality") {
		t.Error("asked again at once")
	}
}

// A game without a scene: the prize is all there is to show, in the window of a win or in a line.
func TestBrowserPlainGame(t *testing.T) {
	t.Parallel()
	c := newCoast(t)
	_, err := c.sys.PublishInstant(context.Background(), central.PublishRules{Key: c.key(), Officer: c.officer.ID, Book: []byte(plainBook)})
	check(t, err)
	c.game = "plain"
	c.launch(1)
	b := c.signedOnTab(1280, 800, true)
	b.accessible("plain game")
	for range 2 {
		b.click("#start")
		b.at("over")
		unit := c.units()[0]
		b.says("#end", map[bool]string{true: french(unit.Prize), false: "unité est perdante"}[unit.Prize > 0])
		if got := b.window("win"); got != (unit.Prize > 0) {
			t.Errorf("a prize of %s, window %t", unit.Prize, got)
		}
		eval[bool](b, `document.getElementById("win").close(), document.getElementById("again").click(), true`)
		b.at("price")
	}
}

const plainBook = `
kind: instant
game: plain
version: "1"
name: {fr: Le Sac, en: The Bag}
first_day: 2026-11-19
zone: Europe/Paris
units: 2
scene: plain
prize_tables:
  - price: 1
    prizes:
      - {units: 1, amount: 1.50, total: 1.50}
    printed: {winners: 1, total: 1.50, payout_rate: 3/4}
policy:
  top_prize_gone: go_on
  few_units: 1
  few_units_then: go_on
  open_next_at: 1
  ahead_pools: 1
  guard_one_in: 1000000
`
