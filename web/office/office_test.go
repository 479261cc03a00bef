package office

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tirage/central"
	"tirage/game"
	"tirage/internal/sim"
	"tirage/journal"
	"tirage/money"
	"tirage/party"
	"tirage/store"
	"tirage/wager"
	"tirage/web/page"
)

var shots = flag.String("shots", "", "keep pictures of the office in this folder")

const password = "correct horse battery"

// policy is the one of the server: what it forbids must not be needed.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'"

// operator is a central system on a clock that the test sets, and its office over HTTP.
type operator struct {
	t        testing.TB
	sys      *central.System
	app      *page.App
	officer  string
	outlet   party.Outlet
	terminal string
	url      string
	client   *http.Client
	cards    *sim.CardProvider

	mu  sync.Mutex
	now time.Time
	off time.Duration // wall clock − now
	cut bool          // the line is
}

// A Monday; sales of the session at noon are open.
var morning = time.Date(2027, 1, 4, 10, 5, 0, 0, time.UTC)

func newOperator(t testing.TB) *operator {
	t.Helper()
	return newOperatorAs(t, true)
}

// newOperatorAs is an operator of a demo, or not.
func newOperatorAs(t testing.TB, demo bool) *operator {
	t.Helper()
	ctx := context.Background()
	db, err := store.Open(ctx, "sqlite:"+t.TempDir()+"/tirage.db")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	o := &operator{t: t, now: morning}
	keys, err := central.NewKeys("loterie.example/log")
	o.must(err)
	logger := slog.New(slog.DiscardHandler)
	o.cards = sim.NewCardProvider([]byte("key"), "https://carte.example/page", o.time)
	o.sys, err = central.Open(ctx, central.Options{
		DB: db, Keys: keys, Clock: central.Clock{Now: o.time, Wall: o.wall}, Control: "none", Logger: logger,
		Demo: demo, Cards: map[string]central.CardProvider{"essai": o.cards},
	})
	o.must(err)
	t.Cleanup(o.sys.Close)
	officer, err := o.sys.PutOfficer(ctx, central.PutOfficer{Key: "officer", Login: "marie", Password: password})
	o.must(err)
	o.officer = officer.ID
	mux := http.NewServeMux()
	app := page.New(o.sys, logger)
	o.app = app
	app.Routes(mux)
	Routes(mux, app)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.mu.Lock()
		cut := o.cut
		o.mu.Unlock()
		if cut {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Content-Security-Policy", policy)
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	o.url = srv.URL
	jar, err := cookiejar.New(nil)
	o.must(err)
	o.client = &http.Client{Jar: jar}
	return o
}

// twoOfficers are an operator who sells, signed on as marie, and paul's browser.
func twoOfficers(t testing.TB, sales int) (o, paul *operator) {
	t.Helper()
	o = newOperator(t)
	o.trade(1, sales)
	o.second()
	o.signOn()
	return o, o.as("paul")
}

// second is another officer, who has a browser of his own.
func (o *operator) second() party.Officer {
	o.t.Helper()
	officer, err := o.sys.PutOfficer(context.Background(), central.PutOfficer{Key: "second", By: o.officer, Login: "paul", Password: "a first password"})
	o.must(err)
	o.must(o.sys.ChangePassword(context.Background(), central.ChangePassword{Key: "own", Officer: officer.ID, Old: "a first password", New: password}))
	return officer
}

// as is the office in the browser of another officer, signed on.
func (o *operator) as(login string) *operator {
	o.t.Helper()
	jar, err := cookiejar.New(nil)
	o.must(err)
	other := &operator{t: o.t, sys: o.sys, app: o.app, url: o.url, client: &http.Client{Jar: jar}}
	if status, body := other.post(pathSignOn, url.Values{"login": {login}, "password": {password}}); status != http.StatusOK || !strings.Contains(body, "Tirages du jour") {
		o.t.Fatalf("sign on as %s: status %d", login, status)
	}
	return other
}

func (o *operator) must(err error) {
	o.t.Helper()
	if err != nil {
		o.t.Fatal(err)
	}
}

func (o *operator) time() time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.now
}

// wall is the wall clock, which may have been set.
func (o *operator) wall() time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.now.Add(o.off)
}

func (o *operator) tick(at time.Time) {
	o.t.Helper()
	o.mu.Lock()
	o.now = at
	o.mu.Unlock()
	_, err := o.sys.Tick(context.Background())
	o.must(err)
}

// trade publishes the rules, opens outlets and sells.
func (o *operator) trade(outlets, sales int) {
	o.t.Helper()
	ctx := context.Background()
	book, err := game.Book("ile-au-tresor")
	o.must(err)
	_, err = o.sys.PublishRules(ctx, central.PublishRules{Key: "rules", Officer: o.officer, Book: book})
	o.must(err)
	o.tick(morning)
	for n := range outlets {
		o.outlet, err = o.sys.PutOutlet(ctx, central.PutOutlet{Key: fmt.Sprint("outlet", n), Officer: o.officer, Outlet: party.Outlet{
			Number: 7 + n, Territory: "metropole", Zone: "Europe/Paris", CreditLimit: money.Euros(3000),
		}})
		o.must(err)
		terminal, _, err := o.sys.PutTerminal(ctx, central.PutTerminal{Key: fmt.Sprint("terminal", n), Officer: o.officer, Outlet: o.outlet.ID})
		o.must(err)
		o.terminal = terminal.ID
		for i := range sales + 3*n {
			_, err := o.sys.Place(ctx, central.Place{Key: fmt.Sprint("sale", i), Terminal: o.terminal, Slip: wager.Slip{
				Game: "ile-au-tresor", Boards: []wager.Board{{QuickPick: true}}, Stake: money.Euros(2), Draws: 1 + i%6,
			}})
			o.must(err)
		}
	}
}

func (o *operator) do(r *http.Request) (int, string) {
	o.t.Helper()
	r.Header.Set("Accept-Language", "fr")
	resp, err := o.client.Do(r)
	o.must(err)
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	o.must(err)
	return resp.StatusCode, string(b)
}

func (o *operator) get(path string) (int, string) {
	o.t.Helper()
	r, err := http.NewRequest(http.MethodGet, o.url+path, nil)
	o.must(err)
	return o.do(r)
}

func (o *operator) post(path string, form url.Values) (int, string) {
	o.t.Helper()
	r, err := http.NewRequest(http.MethodPost, o.url+path, strings.NewReader(form.Encode()))
	o.must(err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return o.do(r)
}

func (o *operator) upload(name string, book []byte, key string) (int, string) {
	o.t.Helper()
	return o.uploadTo(pathRules, name, book, key)
}

func (o *operator) uploadTo(path, name string, book []byte, key string) (int, string) {
	o.t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	o.must(form.WriteField("key", key))
	part, err := form.CreateFormFile("book", name)
	o.must(err)
	_, err = part.Write(book)
	o.must(err)
	o.must(form.Close())
	r, err := http.NewRequest(http.MethodPost, o.url+path, &b)
	o.must(err)
	r.Header.Set("Content-Type", form.FormDataContentType())
	return o.do(r)
}

func (o *operator) signOn() {
	o.t.Helper()
	if status, body := o.post(pathSignOn, url.Values{"login": {"marie"}, "password": {password}}); status != http.StatusOK || !strings.Contains(body, "Tirages du jour") {
		o.t.Fatalf("sign on: status %d", status)
	}
}

func TestSignOn(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	for _, path := range []string{pathDraws, pathOutlets, pathRules, pathProposals, pathOfficers, pathPools, pathPools + "/1", pathPlayers, pathPlayers + "/x", pathWithdrawals, pathFile + "/1", pathTickets, pathDay, pathStatement + "/1", pathStatement + "/1/csv", pathDebits, pathDebits + "/1", pathDebitFile + "/1", pathReports, pathReportCSV, pathReportPDF, pathNotices, pathConditions} {
		if status, body := o.get(path); status != http.StatusOK || !strings.Contains(body, "Siège, identification") {
			t.Errorf("%s without a session: status %d, no form to sign on", path, status)
		}
	}
	if status, body := o.post(pathReceive, url.Values{"number": {"7"}, "amount": {"10"}, "key": {"k"}}); status != http.StatusOK || !strings.Contains(body, "identification") {
		t.Errorf("a payment without a session: status %d", status)
	}
	for _, pair := range [][2]string{{"marie", "wrong horse"}, {"nobody", password}, {"", ""}} {
		status, body := o.post(pathSignOn, url.Values{"login": {pair[0]}, "password": {pair[1]}})
		if status != http.StatusUnauthorized || !strings.Contains(body, "Identifiant ou mot de passe refusé.") {
			t.Errorf("sign on as %q with %q: status %d", pair[0], pair[1], status)
		}
	}
	o.signOn()
	if status, body := o.get(pathDraws); status != http.StatusOK || !strings.Contains(body, "Aucun règlement de jeu") {
		t.Errorf("signed on, without a game: status %d", status)
	}
	if _, body := o.post(pathSignOff, nil); !strings.Contains(body, "identification") {
		t.Error("signed off, but no form to sign on")
	}
	if _, body := o.get(pathDraws); !strings.Contains(body, "identification") {
		t.Error("the session outlives the sign-off")
	}
	for range 10 {
		_, err := o.sys.SignOnOfficer(context.Background(), "marie", "wrong horse battery")
		if !errors.Is(err, central.ErrSignOn) {
			t.Errorf("a wrong password: %v", err)
		}
	}
	status, body := o.post(pathSignOn, url.Values{"login": {"marie"}, "password": {password}})
	o.want("locked", status, http.StatusTooManyRequests, body, "Trop d’essais ont échoué pour cet identifiant.", `value="marie"`)
}

// A terminal's session opens no door of the office.
func TestTerminalSessionIsNoOfficers(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.trade(1, 0)
	token, err := o.sys.NewSession(context.Background(), page.TerminalSession, o.terminal, time.Hour)
	o.must(err)
	for _, name := range []string{page.OfficerSession, page.TerminalSession} {
		r, err := http.NewRequest(http.MethodGet, o.url+pathOutlets, nil)
		o.must(err)
		r.AddCookie(&http.Cookie{Name: name, Value: token})
		if _, body := o.do(r); !strings.Contains(body, "identification") {
			t.Errorf("a terminal's token in cookie %q opens the office", name)
		}
	}
}

func TestDraws(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.trade(2, 30)
	o.tick(time.Date(2027, 1, 4, 11, 6, 0, 0, time.UTC)) // draws 95 and 96 are certified
	o.signOn()
	status, body := o.get(pathDraws)
	views, err := o.sys.Draws(context.Background(), "ile-au-tresor", game.NewDay(2027, 1, 4))
	o.must(err)
	for _, want := range []string{
		"lundi 4 janvier 2027", "certifié", "en vente", "prévu", page.French.Money(views[0].Stakes), page.French.Number(views[0].Wagers),
		"1\u202f000\u202f000,00\u00a0€", "67,49&nbsp;%", "11:59:40", "Toute la journée",
	} {
		if status != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("draws: status %d, no %q in the page", status, want)
		}
	}
	rows := regexp.MustCompile(`<tr[ >]`)
	_, body = o.get(pathDraws + "?jour=2027-01-04&tout=1")
	_, body, _ = strings.Cut(body, `<table id="draws">`)
	body, _, _ = strings.Cut(body, "</table>")
	if len(rows.FindAllString(body, -1)) != 1+36+48 {
		t.Errorf("the whole day has %d rows, want 84 and a head", len(rows.FindAllString(body, -1)))
	}
	if status, _ := o.get(pathDraws + "?jour=2027-02-31"); status != http.StatusUnprocessableEntity {
		t.Errorf("a day that is none: status %d", status)
	}
	if status, body := o.get(pathDraws + "?jour=2027-01-05"); status != http.StatusOK || !strings.Contains(body, "Aucun tirage") {
		t.Errorf("a day without draws: status %d", status)
	}
}

// The stakes of draws to come are no part of the actual payout rate, which is
// shown as soon as a draw with stakes is settled.
func TestActualPayout(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.trade(2, 30)
	r := httptest.NewRequest(http.MethodGet, pathDraws, nil)
	day := game.NewDay(2027, 1, 4)
	shown := func() gameDay {
		g, err := office{app: o.app}.gameDay(r, "ile-au-tresor", day, span{Today: true})
		o.must(err)
		return g
	}
	if g := shown(); g.Actual != "" || g.Settled != 0 || g.Stakes == 0 {
		t.Errorf("before the first draw: actual %q, settled stakes %v of %v", g.Actual, g.Settled, g.Stakes)
	}
	o.tick(time.Date(2027, 1, 4, 11, 6, 0, 0, time.UTC)) // two draws are certified
	views, err := o.sys.Draws(context.Background(), "ile-au-tresor", day)
	o.must(err)
	var stakes, prizes, all money.Amount
	for i, v := range views {
		all = all.Add(v.Stakes)
		if i >= 2 {
			continue
		}
		stakes = stakes.Add(v.Stakes)
		for _, share := range v.Settlement.Shares {
			prizes = prizes.Add(share.Total)
		}
	}
	g := shown()
	if g.Settled != stakes || g.Stakes != all || g.Prizes != prizes || all <= stakes {
		t.Errorf("settled %v, all %v, prizes %v; want %v, %v, %v", g.Settled, g.Stakes, g.Prizes, stakes, all, prizes)
	}
	hundredths := (int64(prizes)*20_000 + int64(stakes)) / (2 * int64(stakes)) // rounded half up
	if want := fmt.Sprintf("%d,%02d", hundredths/100, hundredths%100); g.Actual != want || prizes == 0 {
		t.Errorf("actual payout is %q, want %q", g.Actual, want)
	}
	o.signOn()
	if _, body := o.get(pathDraws); !strings.Contains(body, g.Actual+"&nbsp;%") || !strings.Contains(body, "Taux de retour théorique") {
		t.Error("the page does not tell the actual rate from the theoretical one")
	}
	if _, body := o.get(pathDraws + "?jour=2027-01-05"); strings.Contains(body, "Taux de retour réel") {
		t.Error("a day without draws has an actual payout rate")
	}
}

// F18: a node that its clock guard stopped sells again once an officer has
// confirmed the clock in the office, and the journal says so, once.
func TestF18_OfficerConfirmsClock(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	o := newOperator(t)
	o.trade(1, 1)
	o.signOn()
	sell := func(key string) error {
		_, err := o.sys.Place(ctx, central.Place{Key: key, Terminal: o.terminal, Slip: wager.Slip{
			Game: "ile-au-tresor", Boards: []wager.Board{{QuickPick: true}}, Stake: money.Euros(2), Draws: 1,
		}})
		return err
	}
	const button, notice = "Confirmer l’horloge", "Horloge confirmée"
	if _, body := o.get(pathDraws + "?fait=rien"); strings.Contains(body, button) || strings.Contains(body, notice) {
		t.Error("a clock that is right can be confirmed")
	}
	o.mu.Lock()
	o.off = time.Hour
	o.mu.Unlock()
	if err := sell("stepped"); !errors.Is(err, central.ErrClock) {
		t.Errorf("sale on a clock that was set: %v, want %v", err, central.ErrClock)
	}
	_, body := o.get(pathDraws + "?fait=horloge")
	if !strings.Contains(body, button) || !strings.Contains(body, "11:05:00") || strings.Contains(body, notice) {
		t.Error("the draws page does not ask to confirm the clock, or says that it is")
	}
	form := url.Values{"key": {keyOf(t, body)}}
	for range 2 {
		if status, body := o.post(pathClock, form); status != http.StatusOK || !strings.Contains(body, notice) || strings.Contains(body, button) {
			t.Errorf("confirm: status %d", status)
		}
	}
	o.must(sell("confirmed"))
	if status, _ := o.post(pathClock, nil); status/100 != 4 {
		t.Errorf("a confirmation without a key: status %d", status)
	}
	o.tick(time.Date(2027, 1, 4, 11, 6, 0, 0, time.UTC)) // the sales are public now
	if acts := o.acts(); !slices.Equal(acts, []string{"confirm-clock"}) {
		t.Errorf("acts in the journal: %q", acts)
	}
	o.must(o.sys.CheckBooks(ctx))
}

// acts lists the officers' acts in the journal, which must be public as a whole.
func (o *operator) acts() (acts []string) {
	o.t.Helper()
	status, err := o.sys.Status("ile-au-tresor")
	o.must(err)
	bundle, err := o.sys.Entries(context.Background(), 0, int(status.Size))
	o.must(err)
	records, err := journal.SplitBundle(bundle)
	o.must(err)
	for _, b := range records {
		record, err := journal.Decode(b)
		o.must(err)
		if act, ok := record.Body.(*journal.Act); ok {
			acts = append(acts, act.Act)
		}
	}
	return acts
}

// keyOf returns the key that the forms of a page carry.
func keyOf(t testing.TB, body string) string {
	t.Helper()
	return hidden(t, body, "key")
}

// hidden returns what the first field of a name holds.
func hidden(t testing.TB, body, name string) string {
	t.Helper()
	m := regexp.MustCompile(`name="` + name + `" value="([^"]+)"`).FindStringSubmatch(body)
	if m == nil {
		t.Fatalf("no %s in the page", name)
	}
	return m[1]
}

// F10: a payment sent twice is booked once; another one with its key is refused.
func TestF10_PaymentReceivedOnce(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.trade(1, 20)
	o.signOn()
	before, err := o.sys.OutletAccount(o.outlet.ID)
	o.must(err)
	_, body := o.get(pathOutlets + "?numero=7")
	form := url.Values{"number": {"7"}, "amount": {"12,50"}, "key": {keyOf(t, body)}}
	for range 3 {
		if status, body := o.post(pathReceive, form); status != http.StatusOK || !strings.Contains(body, "Versement enregistré.") {
			t.Errorf("payment: status %d", status)
		}
	}
	after, err := o.sys.OutletAccount(o.outlet.ID)
	o.must(err)
	if got := before.Owes.Sub(after.Owes); got != 1250 {
		t.Errorf("the outlet owes %s less, want 12.50", got)
	}
	form.Set("amount", "99")
	if status, _ := o.post(pathReceive, form); status != http.StatusConflict {
		t.Errorf("another payment with the same key: status %d, want 409", status)
	}
	for _, amount := range []string{"", "0", "-5", "1e3", "12.5", "dix", "99999999999999999999"} {
		status, body := o.post(pathReceive, url.Values{"number": {"7"}, "amount": {amount}, "key": {"other " + amount}})
		if status != http.StatusUnprocessableEntity || !strings.Contains(body, `role="alert"`) {
			t.Errorf("payment of %q: status %d, want 422 and the reason", amount, status)
		}
	}
	if status, _ := o.post(pathReceive, url.Values{"number": {"8"}, "amount": {"5"}, "key": {"k"}}); status != http.StatusNotFound {
		t.Errorf("payment of an unknown outlet: status %d", status)
	}
	if again, err := o.sys.OutletAccount(o.outlet.ID); err != nil || again != after {
		t.Errorf("a refusal changed the account: %+v, want %+v (%v)", again, after, err)
	}
	o.must(o.sys.CheckBooks(context.Background()))
}

func TestTerms(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.trade(1, 1)
	o.signOn()
	_, body := o.get(pathOutlets + "?numero=7")
	status, body := o.post(pathTerms, url.Values{"number": {"7"}, "limit": {"1 234,00 €"}, "blocked": {"1"}, "centre": {"1"}, "reason": {"Fermé <b>pour</b> travaux."}, "key": {keyOf(t, body)}, "was": {hidden(t, body, "was")}})
	if status != http.StatusOK || !strings.Contains(body, "Conditions modifiées.") || !strings.Contains(body, "suspendu") || !strings.Contains(body, "Fermé &lt;b&gt;pour&lt;/b&gt; travaux.") {
		t.Errorf("terms: status %d", status)
	}
	want := o.outlet
	want.CreditLimit, want.Blocked, want.Centre = 123400, true, true
	if got := o.sys.Outlets()[0]; got != want {
		t.Errorf("outlet is %+v, want %+v", got, want)
	}
	if status, _ := o.get(pathOutlets + "?numero=99"); status != http.StatusNotFound {
		t.Errorf("unknown outlet: status %d", status)
	}
}

// A form that was open while another officer blocked the outlet does not lift
// the block: it is refused, and the page shows what stands. What it sends is that
// of a form with a fault too, which keeps the terms that were seen.
func TestStaleTerms(t *testing.T) {
	t.Parallel()
	o, paul := twoOfficers(t, 1)
	_, stale := o.get(pathOutlets + "?numero=7")
	_, body := paul.get(pathOutlets + "?numero=7")
	block := url.Values{"number": {"7"}, "limit": {"3000"}, "blocked": {"1"}, "reason": {"Fermé."}, "key": {keyOf(t, body)}, "was": {hidden(t, body, "was")}}
	for range 2 { // sent twice, it is done once (F10)
		if status, _ := paul.post(pathTerms, block); status != http.StatusOK {
			t.Fatalf("block: status %d", status)
		}
	}
	raise := url.Values{"number": {"7"}, "limit": {"5 000 x"}, "key": {keyOf(t, stale)}, "was": {hidden(t, stale, "was")}}
	if status, body := o.post(pathTerms, raise); status != http.StatusUnprocessableEntity || hidden(t, body, "was") != hidden(t, stale, "was") {
		t.Errorf("a fault in a stale form: status %d, or it forgets what was seen", status)
	}
	raise.Set("limit", "5000")
	status, body := o.post(pathTerms, raise)
	if status != http.StatusConflict || !strings.Contains(body, "a changé depuis") || !strings.Contains(body, `name="blocked" value="1" checked`) || !strings.Contains(body, `value="3000,00"`) {
		t.Errorf("a stale form: status %d, or the page does not show what stands", status)
	}
	if got := o.sys.Outlets()[0]; !got.Blocked || got.CreditLimit != money.Euros(3000) {
		t.Errorf("a stale form leaves %+v", got)
	}
	raise.Set("was", "")
	if status, _ := o.post(pathTerms, raise); status != http.StatusBadRequest {
		t.Errorf("terms of which nothing was seen: status %d", status)
	}
	raise.Set("was", hidden(t, body, "was"))
	if status, body := o.post(pathTerms, raise); status != http.StatusUnprocessableEntity || !strings.Contains(body, "Motif") {
		t.Errorf("a block that is lifted for no reason: status %d", status)
	}
	raise.Set("reason", "Rouvert.")
	if status, _ := o.post(pathTerms, raise); status != http.StatusOK {
		t.Errorf("once it was seen: status %d", status)
	}
}

// F07: an amount is read as each language writes it, and what could be meant
// in two ways is refused; so a page can be sent back as it came.
func TestF07_AmountsOfficersType(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text   string
		fr, en money.Amount // −1: refused
	}{
		{"1250", 125000, 125000},
		{"1250,50", 125050, 125050},
		{"1250.50", 125050, 125050},
		{"1 250,50 €", 125050, 125050},
		{"1\u202f250,50\u00a0€", 125050, 125050},
		{"€1,250.50", -1, 125050},
		{"€10,000.00", -1, 1_000_000},
		{"1,250", -1, 125000},
		{"1,250,000", -1, 125_000_000},
		{"1.250", -1, -1},
		{"1,25", 125, 125},
		{"12,50,50", -1, -1},
		{"-5", -1, -1},
	} {
		for lang, want := range map[page.Lang]money.Amount{page.French: c.fr, page.English: c.en} {
			got, err := lang.ParseMoney(c.text)
			if err != nil {
				got = -1
			}
			if got != want {
				t.Errorf("%q in %v: got %v (%v), want %v", c.text, lang, got, err, want)
			}
		}
	}
	for _, lang := range page.Langs {
		for _, a := range []money.Amount{0, 5, 1_000_000, money.Limit} {
			for _, text := range []string{editable(lang, a), lang.Money(a)} {
				if got, err := lang.ParseMoney(text); err != nil || got != a {
					t.Errorf("%v as %q: got %v (%v)", a, text, got, err)
				}
			}
		}
	}
}

// A refusal keeps what was typed, marks the field that it is about, and its
// page can be read in the other language.
func TestRefusalKeepsTheForm(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.trade(1, 1)
	o.signOn()
	for name, c := range map[string]struct {
		path string
		form url.Values
		want []string
	}{
		"payment": {pathReceive, url.Values{"number": {"7"}, "amount": {"12,5"}}, []string{`value="12,5" required aria-invalid="true"`, `value="3000,00"`, "12,50."}},
		"terms": {pathTerms, url.Values{"number": {"7"}, "limit": {"beaucoup"}, "was": {"300000 false true"}, "blocked": {"1"}, "centre": {"1"}}, []string{
			`name="was" value="300000 false true"`,
			`value="beaucoup" required aria-invalid="true"`, `name="blocked" value="1" checked`, `name="centre" value="1" checked`,
		}},
		"new outlet": {pathOpen, url.Values{"number": {"0"}, "limit": {"500"}, "territory": {"reunion"}}, []string{
			`value="0" required aria-invalid="true"`, `value="500"`, `value="reunion" selected`, "nombre entier à partir de 1",
		}},
		"taken number": {pathOpen, url.Values{"number": {"7"}, "limit": {"500"}, "territory": {"reunion"}}, []string{`value="7" required aria-invalid="true"`}},
	} {
		t.Run(name, func(t *testing.T) {
			c.form.Set("key", name)
			status, body := o.post(c.path, c.form)
			if status/100 != 4 {
				t.Errorf("status %d", status)
			}
			for _, want := range c.want {
				if !strings.Contains(body, want) {
					t.Errorf("no %q in the page", want)
				}
			}
			m := regexp.MustCompile(`class="switch" href="([^"]+)"`).FindStringSubmatch(body)
			if status, body := o.get(strings.ReplaceAll(m[1], "&amp;", "&")); status != http.StatusOK || !strings.Contains(body, "Outlets") {
				t.Errorf("in English, at %s: status %d", m[1], status)
			}
			o.get(pathOutlets + "?lang=fr")
		})
	}
}

// An outlet opens in the zone of its territory, gets a terminal, and the key
// that the page shows once signs that terminal on.
func TestOpenOutletAndTerminal(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.trade(1, 0)
	o.signOn()
	_, body := o.get(pathOutlets)
	form := url.Values{"number": {"974"}, "territory": {"reunion"}, "limit": {"1500"}, "centre": {"1"}, "key": {keyOf(t, body)}}
	for range 2 {
		if status, body := o.post(pathOpen, form); status != http.StatusOK || !strings.Contains(body, "Point de vente ouvert.") {
			t.Fatalf("open an outlet: status %d", status)
		}
	}
	outlets := o.sys.Outlets()
	if got := outlets[len(outlets)-1]; len(outlets) != 2 || got.Number != 974 || got.Zone != "Indian/Reunion" || got.CreditLimit != money.Euros(1500) || !got.Centre {
		t.Errorf("outlets: %+v", outlets)
	}
	for name, bad := range map[string][2]string{
		"a number that is taken": {"number", "7"}, "no number": {"number", "x"}, "a negative number": {"number", "-1"},
		"an unknown territory": {"territory", "atlantide"}, "no limit": {"limit", ""},
	} {
		other := url.Values{"number": {"12"}, "territory": {"reunion"}, "limit": {"1500"}, "key": {name}}
		other.Set(bad[0], bad[1])
		if status, body := o.post(pathOpen, other); status/100 != 4 || !strings.Contains(body, `role="alert"`) {
			t.Errorf("%s: status %d, want a refusal", name, status)
		}
	}
	if n := len(o.sys.Outlets()); n != 2 {
		t.Errorf("refusals left %d outlets, want 2", n)
	}
	status, body := o.post(pathAdd, url.Values{"number": {"974"}, "key": {"t"}})
	_, shown, ok := strings.Cut(body, "plus affichée)\u00a0: <code>")
	device, _, _ := strings.Cut(shown, "</code>")
	if status != http.StatusOK || !ok {
		t.Fatalf("add a terminal: status %d", status)
	}
	if _, outlet, err := o.sys.SignOnTerminal(context.Background(), device); err != nil || outlet.Number != 974 {
		t.Errorf("the key that was shown signs on at %+v: %v", outlet, err)
	}
	o.must(o.sys.CheckBooks(context.Background()))
}

func TestPublish(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.signOn()
	book, err := game.Book("ile-au-tresor")
	o.must(err)
	wrong := strings.Replace(strings.Replace(string(book), `odds: "3559.59"`, `odds: "3559.60"`, 1), "winning: 86149", "winning: 86150", 1)
	status, body := o.upload("ile.yaml", []byte(wrong), "first")
	for _, want := range []string{"2 lignes à corriger", "3559.59", "3559.60", "86149", "86150"} {
		if status != http.StatusUnprocessableEntity || !strings.Contains(body, want) {
			t.Errorf("a wrong book: status %d, no %q in the page", status, want)
		}
	}
	if games := o.sys.Games(); len(games) != 0 {
		t.Fatalf("a wrong book was published: %v", games)
	}
	if status, body := o.upload("ile.yaml", book, "second"); status != http.StatusOK || !strings.Contains(body, "mardi 25 juillet 2017") {
		t.Errorf("publish: status %d", status)
	}
	if games := o.sys.Games(); len(games) != 1 {
		t.Errorf("games: %v", games)
	}
	if status, _ := o.post(pathRules, url.Values{"key": {"third"}}); status != http.StatusBadRequest {
		t.Errorf("a form without a file: status %d", status)
	}
}

// Every published game can be chosen, on the page of draws and that of proposals;
// one that is not published is none.
func TestEveryGame(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.trade(1, 0)
	o.signOn()
	const choice = `?jeu=keno-10&amp;jour=2027-01-04`
	for _, path := range []string{pathDraws, pathProposals} {
		if _, body := o.get(path); strings.Contains(body, `class="choice"`) {
			t.Errorf("%s offers a choice of one game", path)
		}
	}
	keno, err := os.ReadFile("../../game/testdata/keno-10.yaml")
	o.must(err)
	if status, body := o.upload("keno.yaml", bytes.Replace(keno, []byte("currency: USD"), []byte("currency: EUR"), 1), "keno"); status != http.StatusOK || !strings.Contains(body, "Keno") {
		t.Errorf("publish another game: status %d", status)
	}
	for _, path := range []string{pathDraws, pathProposals} {
		if _, body := o.get(path + "?jeu=ile-au-tresor"); !strings.Contains(body, choice) || !strings.Contains(body, `aria-current="true">L`) {
			t.Errorf("%s has no choice of games", path)
		}
		if status, body := o.get(path + "?jeu=keno-10"); status != http.StatusOK || !strings.Contains(body, `aria-current="true">Keno`) {
			t.Errorf("%s of the other game: status %d", path, status)
		}
		if status, _ := o.get(path + "?jeu=loto"); status != http.StatusNotFound {
			t.Errorf("%s of no game: status %d", path, status)
		}
	}
}

// Without a rule book, each page says what comes first; with one, none does.
func TestFirstSteps(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.signOn()
	steps := map[string][]string{
		pathOutlets: {"Aucun règlement de jeu n’est publié", `<a href="/office/reglements">Publier un règlement</a>`},
		pathRules:   {"tirage rules print ile-au-tresor", `<a href="/office/points-de-vente">Points de vente</a></li>`, "ajoutez un terminal"},
	}
	for _, published := range []bool{false, true} {
		if published {
			o.trade(1, 0)
		}
		for path, texts := range steps {
			_, body := o.get(path)
			for _, text := range texts {
				if strings.Contains(body, text) == published {
					t.Errorf("%s, published %v: %q in the page is %v", path, published, text, published)
				}
			}
		}
	}
}
