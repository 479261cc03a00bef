package screen

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tirage/central"
	"tirage/game"
	"tirage/money"
	"tirage/party"
	"tirage/settle"
	"tirage/store"
	"tirage/wager"
	"tirage/web/page"
)

// lottery is a central system on a clock that the test sets.
type lottery struct {
	t        testing.TB
	sys      *central.System
	app      *page.App
	terminal string
	officer  string
	game     game.Code

	mu  sync.Mutex
	now time.Time
}

// paris is an instant of a Monday whose sales at noon open at 11:00; draw 95 closes at 11:59:40.
func paris(clock string) time.Time {
	at, err := time.ParseInLocation("2006-01-02 15:04:05", "2027-01-04 "+clock, page.ParisZone())
	if err != nil {
		panic(err)
	}
	return at
}

// newSystem is a lottery without a game.
func newSystem(t testing.TB) *lottery {
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
	l := &lottery{t: t, now: paris("11:05:00")}
	keys, err := central.NewKeys("loterie.example/log")
	l.must(err)
	// The same keys in each run, so that the same draws are drawn and pictures are alike.
	keys.Games = [32]byte{1}
	logger := slog.New(slog.DiscardHandler)
	l.sys, err = central.Open(ctx, central.Options{
		DB: db, Keys: keys, Clock: central.Clock{Now: l.time, Wall: l.time}, Control: "none", Logger: logger,
	})
	l.must(err)
	t.Cleanup(l.sys.Close)
	l.app = page.New(l.sys, logger)
	return l
}

func newLottery(t testing.TB) *lottery { return newLotteryOf(t, "ile-au-tresor") }

func newLotteryOf(t testing.TB, code game.Code) *lottery {
	t.Helper()
	l, ctx := newSystem(t), context.Background()
	l.game = code
	officer, err := l.sys.PutOfficer(ctx, central.PutOfficer{Key: "officer", Login: "officer", Password: "correct horse"})
	l.must(err)
	l.officer = officer.ID
	book, err := game.Book(code)
	l.must(err)
	_, err = l.sys.PublishRules(ctx, central.PublishRules{Key: "rules", Officer: officer.ID, Book: book})
	l.must(err)
	outlet, err := l.sys.PutOutlet(ctx, central.PutOutlet{Key: "outlet", Officer: officer.ID, Outlet: party.Outlet{
		Number: 7, Territory: "metropole", Zone: "Europe/Paris", CreditLimit: money.Euros(100_000),
	}})
	l.must(err)
	terminal, _, err := l.sys.PutTerminal(ctx, central.PutTerminal{Key: "terminal", Officer: officer.ID, Outlet: outlet.ID})
	l.must(err)
	l.terminal = terminal.ID
	l.tick("11:05:00")
	return l
}

func (l *lottery) must(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

func (l *lottery) time() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}

// set sets the clock and does nothing.
func (l *lottery) set(clock string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = paris(clock)
}

// tick sets the clock and does what is due.
func (l *lottery) tick(clock string) {
	l.t.Helper()
	l.set(clock)
	_, err := l.sys.Tick(context.Background())
	l.must(err)
}

// sell sells n quick picks over all the draws of a ticket.
func (l *lottery) sell(n int) {
	l.t.Helper()
	rules, err := l.sys.Rules(l.game)
	l.must(err)
	draws := slices.Max(rules.DrawCounts)
	var wg sync.WaitGroup
	errs := make(chan error, n)
	for i := range n {
		wg.Go(func() {
			_, err := l.sys.Place(context.Background(), central.Place{Key: fmt.Sprint("sale ", i), Terminal: l.terminal, Slip: wager.Slip{
				Game: l.game, Boards: []wager.Board{{QuickPick: true}}, Stake: money.Euros(2), Draws: draws,
			}})
			errs <- err
		})
	}
	wg.Wait()
	for range n {
		l.must(<-errs)
	}
}

// result returns the lamps of a draw's result, in the order drawn.
func (l *lottery) result(number int) []string {
	l.t.Helper()
	view, err := l.sys.Draw(context.Background(), l.game, game.NewDay(2027, 1, 4), number)
	l.must(err)
	rules, err := l.sys.RulesByHash(view.Rules)
	l.must(err)
	var keys []string
	for i, set := range view.Result {
		m := rules.Matrices[rules.Sets[i].Matrix]
		for _, n := range set {
			keys = append(keys, lampKey(m, m.Elements[n-1]))
		}
	}
	return keys
}

// streams of the lottery that beat often, so that a page follows the test's clock.
func (l *lottery) streams() *streams {
	s := newStreams(l.app, "test")
	s.beat = 100 * time.Millisecond
	return s
}

// policy is the one of the server: what it forbids must not be needed.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'"

func (l *lottery) handler(s *streams) http.Handler {
	mux := http.NewServeMux()
	l.app.Routes(mux)
	s.routes(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		mux.ServeHTTP(w, r)
	})
}

func (l *lottery) page(query, lang string) (int, string) {
	l.t.Helper()
	r := httptest.NewRequest(http.MethodGet, "/ecran"+query, nil)
	r.Header.Set("Accept-Language", lang)
	w := httptest.NewRecorder()
	l.handler(l.streams()).ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// Without script the page is whole: it is asked for again and again, and holds
// the last results in words.
func TestWallWithoutScript(t *testing.T) {
	t.Parallel()
	l := newLottery(t)
	l.sell(10)
	status, body := l.page("", "fr")
	for _, want := range []string{`lang="fr"`, `http-equiv="refresh"`, "Tirage n° 95", "Tirage à", "<b>12:00</b>", "<b>11:59:40</b>", "11:00 – 14:54 · 17:00 – 21:54"} {
		if want = strings.Replace(want, "Tirage n° 95", `Tirage n° <span class="number">95`, 1); status != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("before the first draw: status %d, no %q in the page", status, want)
		}
	}
	if strings.Contains(body, " lit\"") || strings.Contains(body, "data-draw") {
		t.Error("a result before the first draw (F17)")
	}
	l.tick("12:00:01")
	status, body = l.page("?jeu=ile-au-tresor", "en")
	if status != http.StatusOK || !strings.Contains(body, `lang="en"`) || !strings.Contains(body, "Sales today") {
		t.Errorf("in English: status %d", status)
	}
	if n := strings.Count(body, " lit\""); n != 8 {
		t.Errorf("%d lamps are lit after the draw, want 7 places and a pirate", n)
	}
	for _, key := range l.result(95) {
		if !strings.Contains(body, ` lit" data-lamp="`+key+`"`) {
			t.Errorf("lamp %s is not lit", key)
		}
	}
	if strings.Contains(body, "style=") {
		t.Error("a style in the page, which the server's policy forbids")
	}
	if status, _ := l.page("?jeu=loto-perdu", "fr"); status != http.StatusNotFound {
		t.Errorf("unknown game: status %d, want 404", status)
	}
}

// A screen that is hung up before there is a game waits for it, and asks again by itself.
func TestWallBeforeTheFirstGame(t *testing.T) {
	t.Parallel()
	l := newSystem(t)
	for lang, want := range map[string]string{"fr": "Bientôt les tirages", "en": "Draws are coming soon"} {
		status, body := l.page("", lang)
		if status != http.StatusOK || !strings.Contains(body, want) || !strings.Contains(body, `http-equiv="refresh"`) {
			t.Errorf("%s: status %d, want 200 and a page that waits:\n%s", lang, status, body)
		}
	}
}

// When the sales of the day are over, the head of the wall says when they open again.
func TestHoursOver(t *testing.T) {
	t.Parallel()
	l := newLottery(t)
	for _, c := range []struct{ at, head, hours string }{
		{"11:05:00", "Ventes aujourd’hui", "11:00 – 14:54 · 17:00 – 21:54"},
		{"15:30:00", "Ventes aujourd’hui", "11:00 – 14:54 · 17:00 – 21:54"},
		{"21:54:30", "Ventes aujourd’hui", "11:00 – 14:54 · 17:00 – 21:54"},
		{"22:10:00", "Ouverture des ventes", "06/01/2027\u00a0à\u00a011:00"},
	} {
		l.tick(c.at)
		_, body := l.page("", "fr")
		if want := `<span id="hours-of">` + c.head + `</span><br><b id="hours">` + c.hours + `</b>`; !strings.Contains(body, want) {
			t.Errorf("at %s no %q in the page", c.at, want)
		}
	}
}

// follow reads events of a stream until one of them has all the words.
func follow(r io.Reader, words ...string) error {
	var event strings.Builder
	b := make([]byte, 1)
	for {
		if _, err := r.Read(b); err != nil {
			return err
		}
		event.Write(b)
		text := event.String()
		if !strings.HasSuffix(text, "\n\n") {
			continue
		}
		found := true
		for _, word := range words {
			found = found && strings.Contains(text, word)
		}
		if found {
			return nil
		}
		event.Reset()
	}
}

// 200 screens each get the state at once and every change; one more than there
// is room for is turned away; and when the server stops, all of them end.
func TestStreamsOfManyScreens(t *testing.T) {
	t.Parallel()
	const screens = 200
	l := newLottery(t)
	s := l.streams()
	s.most, s.beat = screens, time.Second
	base, stop := context.WithCancel(context.Background())
	srv := httptest.NewUnstartedServer(l.handler(s))
	srv.Config.BaseContext = func(net.Listener) context.Context { return base }
	srv.Start()
	defer srv.Close()
	defer stop()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: screens}}

	var ready, done sync.WaitGroup
	ended := make(chan error, screens)
	ready.Add(screens)
	for range screens {
		done.Go(func() {
			resp, err := client.Get(srv.URL + "/ecran/events?jeu=ile-au-tresor&langue=fr")
			if err != nil {
				ready.Done()
				ended <- err
				return
			}
			defer func() { _ = resp.Body.Close() }()
			err = follow(resp.Body, "event: state", `"number":95`, `"last":[]`)
			ready.Done()
			if err == nil {
				err = follow(resp.Body, "event: state", `"last":[{"id":1,"number":95`, `"tiers":[`)
			}
			ended <- err
			_, _ = io.Copy(io.Discard, resp.Body) // until the server ends the stream
		})
	}
	ready.Wait()
	if n := s.open.Load(); n != screens {
		t.Fatalf("%d streams are open, want %d", n, screens)
	}
	resp, err := http.Get(srv.URL + "/ecran/events")
	l.must(err)
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" {
		t.Errorf("one screen too many: status %d, want 503 and when to come back", resp.StatusCode)
	}
	l.tick("12:00:00")
	for range screens {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	stop()
	done.Wait()
	srv.Close() // waits for the handlers
	if n := s.open.Load(); n != 0 {
		t.Errorf("%d streams are left", n)
	}
}

// One client cannot take all the streams: beyond its own, it is turned away
// while others are served, and its places are free again when its screens go.
func TestStreamsOfOneClient(t *testing.T) {
	t.Parallel()
	s := newStreams(page.New(nil, nil), "test")
	s.most, s.each = 5, 2
	for i, c := range []struct {
		client string
		want   bool
	}{{"a", true}, {"a", true}, {"a", false}, {"b", true}, {"b", true}, {"c", true}, {"d", false}} {
		if got := s.enter(c.client); got != c.want {
			t.Errorf("stream %d, of %s: let in %v, want %v", i, c.client, got, c.want)
		}
	}
	s.leave("a")
	s.leave("a")
	if !s.enter("a") || s.open.Load() != 4 || len(s.by) != 3 {
		t.Errorf("after two have left: %d open, %v", s.open.Load(), s.by)
	}
}

// F07: the wall shows the prizes of the rule book in each language, to the euro.
func TestF07_PrizesInWords(t *testing.T) {
	t.Parallel()
	book, err := game.Book("ile-au-tresor")
	if err != nil {
		t.Fatal(err)
	}
	rules, err := game.Parse("rules.yaml", book)
	if err != nil {
		t.Fatal(err)
	}
	for lang, want := range map[page.Lang][]string{
		page.French:  {"20\u202f000\u00a0€", "1\u202f500\u00a0€", "200\u00a0€", "100\u00a0€", "50\u00a0€", "20\u00a0€", "6\u00a0€", "3\u00a0€", "2\u00a0€", "2\u00a0€"},
		page.English: {"€20,000", "€1,500", "€200", "€100", "€50", "€20", "€6", "€3", "€2", "€2"},
	} {
		lines, err := tiers(rules, settle.Settlement{}, 1, lang)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, line := range lines {
			got = append(got, line.Prize)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v: got %q, want %q", lang, got, want)
		}
	}
}

// Sessions whose sales follow each other without a gap are one span, and the
// line is never longer than the wall, as on a day of the demonstration.
func TestHours(t *testing.T) {
	t.Parallel()
	book, err := game.Book("ile-au-tresor")
	if err != nil {
		t.Fatal(err)
	}
	rules, err := game.Parse("rules.yaml", book)
	if err != nil {
		t.Fatal(err)
	}
	sessions := func(firsts []int, length int) []game.Session {
		var list []game.Session
		for _, first := range firsts {
			list = append(list, game.Session{Weekdays: []time.Weekday{time.Monday}, First: first, Last: first + length - 1})
		}
		return list
	}
	five := sessions([]int{1, 37, 73, 109, 145}, 6)
	for name, c := range map[string]struct {
		sessions []game.Session
		at, want string
	}{
		"as published":  {rules.Calendar.Sessions, "12:00:00", "11:00 – 14:54 · 17:00 – 21:54"},
		"without a gap": {sessions([]int{95, 107}, 12), "12:00:00", "11:00 – 13:54"},
		"five, morning": {five, "05:00:00", "06:10 – 07:34 · 09:10 – 10:34 · 12:10 – 13:34"},
		"five, evening": {five, "21:00:00", "09:10 – 10:34 · 12:10 – 13:34 · 15:10 – 16:34"},
		"day and night": {sessions([]int{1, 13, 25, 37, 49, 61, 73, 85, 97, 109, 121, 133, 145, 157, 169, 181, 193, 205, 217, 229, 241, 253, 265, 277}, 12), "12:00:00", "24 h/24"},
	} {
		t.Run(name, func(t *testing.T) {
			rules := *rules
			rules.Calendar.Sessions = c.sessions
			if got := hours(&rules, paris(c.at)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// narrow is a listener whose connections hold little that the client has not taken.
type narrow struct{ net.Listener }

func (n narrow) Accept() (net.Conn, error) {
	c, err := n.Listener.Accept()
	if err == nil {
		err = c.(*net.TCPConn).SetWriteBuffer(2048)
	}
	return c, err
}

// A screen that takes nothing is dropped, though nothing tells the server that it has gone.
func TestSlowScreenIsDropped(t *testing.T) {
	t.Parallel()
	l := newLottery(t)
	s := l.streams()
	s.beat, s.within = 100*time.Microsecond, 100*time.Millisecond
	dropped := make(chan struct{})
	inner := l.handler(s)
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inner.ServeHTTP(w, r)
		close(dropped)
	}))
	srv.Listener = narrow{srv.Listener}
	srv.Start()
	defer srv.Close()
	conn, err := net.Dial("tcp", srv.Listener.Addr().String())
	l.must(err)
	defer func() { _ = conn.Close() }()
	l.must(conn.(*net.TCPConn).SetReadBuffer(2048))
	_, err = io.WriteString(conn, "GET /ecran/events HTTP/1.1\r\nHost: screen\r\n\r\n")
	l.must(err)
	select {
	case <-dropped:
	case <-time.After(20 * time.Second):
		t.Fatal("the stream of a screen that reads nothing is still open")
	}
	if n := s.open.Load(); n != 0 {
		t.Errorf("%d streams are left", n)
	}
}
