package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"tirage/central"
	"tirage/game"
	"tirage/money"
	"tirage/party"
	"tirage/store"
)

// shop is a central system on a clock that the test owns, with one outlet and
// one terminal, and the server of its faces.
type shop struct {
	t      testing.TB
	sys    *central.System
	clock  *clock
	server *httptest.Server

	officer  party.Officer
	outlet   party.Outlet
	terminal party.Terminal
	device   string // key of the terminal
	looks    bool   // it has a place for tabs
}

// opening is a Monday on which draw 95, the first of a session, is at 12:00
// in Paris; its sales have been open for half an hour.
var opening = time.Date(2027, 1, 4, 10, 30, 0, 0, time.UTC)

type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) set(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = at
}

func newShop(t testing.TB, credit money.Amount) *shop { return newShopOf(t, credit, "ile-au-tresor") }

// newShopOf is a shop that sells these games.
func newShopOf(t testing.TB, credit money.Amount, games ...game.Code) *shop {
	t.Helper()
	books := make([][]byte, len(games))
	for i, code := range games {
		book, err := game.Book(code)
		check(t, err)
		books[i] = book
	}
	return newShopWith(t, credit, books...)
}

// newShopWith is a shop that sells the games of these rule books.
func newShopWith(t testing.TB, credit money.Amount, books ...[]byte) *shop {
	t.Helper()
	return newShopMore(t, credit, func(*central.Options) {}, books...)
}

// newShopMore is a shop whose system is opened with more options.
func newShopMore(t testing.TB, credit money.Amount, more func(*central.Options), books ...[]byte) *shop {
	t.Helper()
	ctx := context.Background()
	db, err := store.Open(ctx, "sqlite:"+t.TempDir()+"/tirage.db")
	check(t, err)
	keys, err := central.NewKeys("tirage.test/log")
	check(t, err)
	s := &shop{t: t, clock: &clock{now: opening}}
	logger := slog.New(slog.NewTextHandler(io.Discard, nil))
	options := central.Options{
		DB: db, Keys: keys, Clock: central.Clock{Now: s.clock.Now, Wall: s.clock.Now}, Control: "none", Logger: logger,
	}
	more(&options)
	s.sys, err = central.Open(ctx, options)
	check(t, err)
	s.officer, err = s.sys.PutOfficer(ctx, central.PutOfficer{Key: "officer", Login: "officer", Password: "correct horse", Roles: []string{"operations"}})
	check(t, err)
	for i, book := range books {
		_, err = s.sys.PublishRules(ctx, central.PublishRules{Key: fmt.Sprint("rules/", i), Officer: s.officer.ID, Book: book})
		check(t, err)
	}
	s.outlet, err = s.sys.PutOutlet(ctx, central.PutOutlet{Key: "outlet", Officer: s.officer.ID, Outlet: party.Outlet{
		Number: 214, Territory: "metropole", Zone: "Europe/Paris", CreditLimit: credit,
	}})
	check(t, err)
	s.terminal, s.device, err = s.sys.PutTerminal(ctx, central.PutTerminal{Key: "terminal", Officer: s.officer.ID, Outlet: s.outlet.ID})
	check(t, err)
	s.tick()
	s.server = httptest.NewServer(New(s.sys, Options{Logger: logger}))
	t.Cleanup(func() {
		s.server.Close()
		if err := s.sys.CheckBooks(ctx); err != nil {
			t.Errorf("books: %v", err)
		}
		s.sys.Close()
		if err := db.Close(); err != nil {
			t.Errorf("close database: %v", err)
		}
	})
	return s
}

// tick does all that is due at the clock's time.
func (s *shop) tick() {
	s.t.Helper()
	_, err := s.sys.Tick(context.Background())
	check(s.t, err)
}

// pass moves the clock and does what falls due.
func (s *shop) pass(d time.Duration) {
	s.t.Helper()
	s.clock.set(s.clock.Now().Add(d))
	s.tick()
}

// sold is the number of tickets in the next draw, and what is staked on it.
func (s *shop) sold() (tickets int64, owes money.Amount) {
	s.t.Helper()
	status, err := s.sys.Status("ile-au-tresor")
	check(s.t, err)
	for _, d := range status.Upcoming {
		tickets += d.Wagers
	}
	account, err := s.sys.OutletAccount(s.outlet.ID)
	check(s.t, err)
	return tickets, account.Owes
}

// browser is a client without script: it follows forms, keeps cookies.
type browser struct {
	t      testing.TB
	server *httptest.Server
	client *http.Client
}

func (s *shop) browser() *browser {
	jar, err := cookiejar.New(nil)
	check(s.t, err)
	return &browser{s.t, s.server, &http.Client{Jar: jar}}
}

// signedOn is a browser with a session of the shop's terminal.
func (s *shop) signedOn() *browser {
	s.t.Helper()
	b := s.browser()
	if p := b.post("/terminal/connexion", url.Values{"device": {s.device}}); p.path != "/terminal" {
		s.t.Fatalf("sign-on: at %s, status %d\n%s", p.path, p.status, p.text())
	}
	return b
}

// shown is a page as received.
type shown struct {
	status int
	path   string // after redirects
	query  url.Values
	body   string
	header http.Header
}

func (b *browser) get(path string) shown { return b.do(http.MethodGet, path, "", nil) }

func (b *browser) post(path string, form url.Values) shown {
	return b.do(http.MethodPost, path, form.Encode(), nil)
}

func (b *browser) do(method, path, body string, header http.Header) shown {
	b.t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), method, b.server.URL+path, strings.NewReader(body))
	check(b.t, err)
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	maps.Copy(r.Header, header)
	w, err := b.client.Do(r)
	check(b.t, err)
	text, err := io.ReadAll(w.Body)
	check(b.t, errors.Join(err, w.Body.Close()))
	return shown{w.StatusCode, w.Request.URL.Path, w.Request.URL.Query(), string(text), w.Header}
}

var (
	tag    = regexp.MustCompile(`(?s)<(script|style).*?</(script|style)>|<[^>]*>`)
	spaces = regexp.MustCompile(`[\s\x{a0}\x{202f}]+`)
	hidden = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)"`)
)

// text is what the page says, spaces as one.
func (p shown) text() string { return spaces.ReplaceAllString(tag.ReplaceAllString(p.body, " "), " ") }

// form returns the hidden fields of the form that is sent to an address.
func (p shown) form(action string) url.Values {
	v := url.Values{}
	_, rest, ok := strings.Cut(p.body, `action="`+action+`"`)
	if !ok {
		return nil
	}
	rest, _, _ = strings.Cut(rest, "</form>")
	for _, m := range hidden.FindAllStringSubmatch(rest, -1) {
		v.Add(m[1], strings.ReplaceAll(m[2], "&#43;", "+"))
	}
	return v
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
