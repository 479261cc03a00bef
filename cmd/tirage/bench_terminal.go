package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"tirage/game"
	"tirage/internal/sim"
	"tirage/rng"
	"tirage/web"
)

type benchTerminalCmd struct {
	benchOptions `set:"callers=200"`
	Seconds      int           `default:"20" help:"How long, and as long again for the floor."`
	Every        time.Duration `default:"2s" help:"A terminal sells about so often, at random."`
}

// Help shows how it is used.
func (benchTerminalCmd) Help() string {
	return "Each caller is a terminal in a browser: it signs on, loads the desk, and sells the slip on it as the page's script does, by asking for the sale " +
		"and then for the page that shows it, the same form twice. The time is that of both, until the last byte of the page with the ticket; terminals and server " +
		"share this machine. The floor is the same requests to a handler that shows the same page, with the ticket sold last, and sells nothing; the ratio is that of the two p95.\n\n" +
		"Examples:\n  tirage bench terminal\n  tirage bench terminal --json --callers 400 --every 1s --db postgres://localhost/empty"
}

// terminalJSON is the form of --json. The latencies are those of sales, but for those of the desk.
type terminalJSON struct {
	Work      string  `json:"work"`
	Engine    string  `json:"engine"`
	Terminals int     `json:"terminals"`
	PerSecond float64 `json:"per_second"`
	P50       int64   `json:"p50_us"`
	P95       int64   `json:"p95_us"`
	P99       int64   `json:"p99_us"`
	DeskP95   int64   `json:"desk_p95_us"`
	FloorP50  int64   `json:"floor_p50_us"`
	FloorP95  int64   `json:"floor_p95_us"`
	FloorP99  int64   `json:"floor_p99_us"`
	Ratio     float64 `json:"ratio"`
	Refused   int64   `json:"refused"`
}

// Run measures.
func (c benchTerminalCmd) Run(e *env) error {
	if c.Seconds < 1 || c.Seconds > 600 || c.Every < time.Millisecond || c.Every > time.Hour {
		return errors.New("want --seconds 1 to 600 and --every 1ms to 1h")
	}
	return c.measure(e, func(b *bench) error {
		run, stop := context.WithCancel(e.ctx)
		defer stop()
		l, err := new(net.ListenConfig).Listen(run, "tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		faces := &shopServer{next: web.New(b.sys, web.Options{Logger: slog.New(slog.DiscardHandler)})}
		g, serving := errgroup.WithContext(run)
		g.Go(func() error { return b.sys.Run(serving) })
		g.Go(func() error { return web.Serve(serving, l, faces) })
		f, err := c.sell(serving, b, faces, addressOf(l))
		stop()
		if err := errors.Join(err, g.Wait()); err != nil {
			return err
		}
		return c.print(e, f, fmt.Sprintf("terminal on %s: %d terminals, %.1f sales/s, p50 %d µs, p95 %d µs, p99 %d µs; desk p95 %d µs; floor p95 %d µs, ratio %.2f; %d refused",
			f.Engine, f.Terminals, f.PerSecond, f.P50, f.P95, f.P99, f.DeskP95, f.FloorP95, f.Ratio, f.Refused))
	})
}

// sell signs the terminals on, has them sell for a time, and then do the same without selling.
// Each has sold once before, so that a ticket lies on every counter.
func (c benchTerminalCmd) sell(ctx context.Context, b *bench, faces *shopServer, site string) (f terminalJSON, err error) {
	shops := make([]*shopClient, c.Callers)
	transport := &http.Transport{MaxIdleConnsPerHost: c.Callers}
	defer transport.CloseIdleConnections()
	for i := range shops {
		if shops[i], err = signOn(ctx, transport, site, b.devices[i]); err != nil {
			return f, err
		}
		shops[i].rules, shops[i].choose = b.rules, b.choose[i]
		if err := shops[i].sell(ctx); err != nil {
			return f, err
		}
	}
	stop, err := profile(c.Profile)
	if err != nil {
		return f, err
	}
	sales, desks, refused, err := c.open(ctx, shops)
	stop()
	if err != nil {
		return f, err
	}
	if len(sales.calls) == 0 {
		return f, errors.New("nothing was sold")
	}
	faces.sellsNothing.Store(true)
	floor, _, _, err := c.open(ctx, shops)
	if err != nil {
		return f, err
	}
	f = terminalJSON{
		Work: "terminal", Engine: b.db.Engine(), Terminals: c.Callers, PerSecond: math.Round(10*float64(len(sales.calls))/sales.took.Seconds()) / 10,
		P50: sales.at(50), P95: sales.at(95), P99: sales.at(99), DeskP95: desks.at(95),
		FloorP50: floor.at(50), FloorP95: floor.at(95), FloorP99: floor.at(99), Refused: refused,
	}
	f.Ratio = float64(f.P95*1000/max(1, f.FloorP95)) / 1000
	return f, nil
}

// open has the shops sell for the time of the benchmark, and returns how long
// sales took, how long the desk took before each, and how many were refused.
func (c benchTerminalCmd) open(ctx context.Context, shops []*shopClient) (sales, desks latencies, refused int64, err error) {
	until := time.Now().Add(time.Duration(c.Seconds) * time.Second)
	start := time.Now()
	g, ctx := errgroup.WithContext(ctx)
	for _, s := range shops {
		s.sales, s.desks, s.refused = nil, nil, 0
		g.Go(func() error { return s.open(ctx, c.Every, until) })
	}
	err = g.Wait()
	took := time.Since(start)
	for _, s := range shops {
		sales.calls, desks.calls, refused = append(sales.calls, s.sales...), append(desks.calls, s.desks...), refused+s.refused
	}
	sales.took, desks.took = took, took
	slices.Sort(sales.calls)
	slices.Sort(desks.calls)
	return sales, desks, refused, err
}

// The addresses at which a terminal sells.
const (
	benchDesk   = "/terminal"
	benchSignOn = "/terminal/connexion"
	benchSale   = "/terminal/vente"
)

// shopServer is the server of the faces. When it sells nothing it answers each
// sale with the desk as it is, on which the ticket sold last still lies.
type shopServer struct {
	next         http.Handler
	sellsNothing atomic.Bool
}

func (s *shopServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != benchSale || !s.sellsNothing.Load() {
		s.next.ServeHTTP(w, r)
		return
	}
	if err := r.ParseForm(); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if r.Header.Get("Prefer") != "" { // the first of the two, whose answer has no page
		w.WriteHeader(http.StatusOK)
		return
	}
	desk := r.Clone(r.Context())
	desk.Method, desk.URL, desk.Form, desk.PostForm, desk.Body = http.MethodGet, &url.URL{Path: benchDesk}, nil, nil, http.NoBody
	s.next.ServeHTTP(w, desk)
}

// shopClient is a terminal in a browser, signed on.
type shopClient struct {
	client *http.Client
	site   string
	rules  *game.Rules
	choose *rng.Stream

	sales, desks []time.Duration
	refused      int64
}

// signOn signs a terminal on. One does so after another: tries that fail are limited by address, and they all have one.
func signOn(ctx context.Context, transport http.RoundTripper, site, device string) (*shopClient, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	s := &shopClient{client: &http.Client{Transport: transport, Jar: jar}, site: site}
	status, _, err := s.post(ctx, benchSignOn, url.Values{"device": {device}}, false)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("sign on: status %d", status)
	}
	return s, err
}

// open sells now and then until a time: customers come when they like.
func (s *shopClient) open(ctx context.Context, every time.Duration, until time.Time) error {
	at := time.Now()
	for {
		chance := float64(1+s.choose.Below(1<<32)) / (1 << 32)
		at = at.Add(time.Duration(-math.Log(chance) * float64(every)))
		if now := time.Now(); at.Before(now) { // held up, it does not sell the more often for it
			at = now
		}
		if at.After(until) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Until(at)):
		}
		if err := s.sell(ctx); err != nil {
			return err
		}
	}
}

var (
	saleKey   = regexp.MustCompile(`<input type="hidden" name="key" value="([^"]+)"`)
	ticketTag = `<article class="ticket"`
)

// sell loads the desk, sells a slip of a combination at random for the smallest stake, and waits for its ticket.
func (s *shopClient) sell(ctx context.Context) error {
	begin := time.Now()
	status, page, err := s.do(ctx, http.MethodGet, benchDesk, "", false)
	if err != nil {
		return err
	}
	s.desks = append(s.desks, time.Since(begin))
	key := saleKey.FindStringSubmatch(string(page))
	if status != http.StatusOK || key == nil {
		return fmt.Errorf("the desk: status %d, and no key", status)
	}
	form := url.Values{
		"key": {key[1]}, "do": {"sell"}, "stake": {strconv.FormatInt(int64(s.rules.UnitStake), 10)}, "draws": {strconv.Itoa(s.rules.DrawCounts[0])},
	}
	for i, picks := range sim.Combination(s.rules, s.choose) {
		for _, n := range picks {
			form.Add(s.rules.Matrices[i].Key, strconv.Itoa(n))
		}
	}
	begin = time.Now()
	if _, _, err = s.post(ctx, benchSale, form, true); err != nil {
		return err
	}
	status, page, err = s.post(ctx, benchSale, form, false)
	took := time.Since(begin)
	switch {
	case err != nil:
		return err
	case status == http.StatusOK && strings.Contains(string(page), ticketTag):
		s.sales = append(s.sales, took)
	case status >= 400 && status < 500:
		s.refused++
	default:
		return fmt.Errorf("the sale: status %d, and no ticket", status)
	}
	return nil
}

func (s *shopClient) post(ctx context.Context, path string, form url.Values, brief bool) (int, []byte, error) {
	return s.do(ctx, http.MethodPost, path, form.Encode(), brief)
}

// do sends a request as the page does, and reads the answer to its last byte.
func (s *shopClient) do(ctx context.Context, method, path, body string, brief bool) (int, []byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, s.site+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if brief {
		r.Header.Set("Prefer", "return=minimal")
	}
	w, err := s.client.Do(r)
	if err != nil {
		return 0, nil, err
	}
	page, err := io.ReadAll(w.Body)
	return w.StatusCode, page, errors.Join(err, w.Body.Close())
}
