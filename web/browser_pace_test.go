package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tirage/central"
	"tirage/money"
	"tirage/party"
)

// busyTerminals is how many other terminals sell meanwhile, each about every two seconds.
const busyTerminals = 200

// others signs other terminals on, each of its own outlet.
func (s *shop) others(n int) (list []*browser) {
	s.t.Helper()
	ctx := context.Background()
	for i := range n {
		outlet, err := s.sys.PutOutlet(ctx, central.PutOutlet{Key: fmt.Sprint("other-", i), Officer: s.officer.ID, Outlet: party.Outlet{
			Number: 1000 + i, Territory: "metropole", Zone: "Europe/Paris", CreditLimit: money.Euros(10_000),
		}})
		check(s.t, err)
		_, device, err := s.sys.PutTerminal(ctx, central.PutTerminal{Key: fmt.Sprint("other-terminal-", i), Officer: s.officer.ID, Outlet: outlet.ID})
		check(s.t, err)
		b := s.browser()
		if p := b.post("/terminal/connexion", url.Values{"device": {device}}); p.path != "/terminal" {
			s.t.Fatalf("sign-on: at %s, status %d", p.path, p.status)
		}
		list = append(list, b)
	}
	return list
}

// keepSelling sells quick picks until ctx ends, and returns how many.
func (b *browser) keepSelling(ctx context.Context, terminal int) (n int, err error) {
	for {
		select {
		case <-ctx.Done():
			return n, nil
		case <-time.After(time.Duration(rand.ExpFloat64() * float64(2*time.Second))):
		}
		slip := fmt.Sprintf("pace-%d-%d~ile-au-tresor~200~1~f_0!-", terminal, n)
		body := url.Values{"slip": {slip}, "do": {"sell"}}.Encode()
		r, err := http.NewRequestWithContext(context.WithoutCancel(ctx), http.MethodPost, b.server.URL+"/terminal/vente", strings.NewReader(body))
		if err != nil {
			return n, err
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w, err := b.client.Do(r)
		if err != nil {
			return n, err
		}
		page, err := io.ReadAll(w.Body)
		if err := errors.Join(err, w.Body.Close()); err != nil {
			return n, err
		}
		if !strings.Contains(string(page), `<article class="ticket"`) {
			return n, fmt.Errorf("terminal %d: status %d, no ticket", terminal, w.StatusCode)
		}
		n++
	}
}

// From the key that sells to the ticket painted on the screen, in a browser, while
// other terminals sell: each sale is one ticket. How long it takes depends on the
// machine, and is logged.
func TestBrowserSaleAmongOthers(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(1000))
	others := s.others(busyTerminals)
	ctx, stop := context.WithCancel(context.Background())
	start := time.Now()
	sold, errs := make([]int, len(others)), make([]error, len(others))
	var wait sync.WaitGroup
	for i, b := range others {
		wait.Go(func() { sold[i], errs[i] = b.keepSelling(ctx, i) })
	}
	t.Cleanup(func() { stop(); wait.Wait() })
	b := s.tab(1280, 800)
	b.scripted(`
		const now = () => performance.timeOrigin + performance.now();
		addEventListener("click", (event) => {
			if (event.target.closest?.("button[value=sell]")) sessionStorage.setItem("asked", now());
		}, true);
		addEventListener("DOMContentLoaded", () => requestAnimationFrame(() => setTimeout(() => {
			const asked = sessionStorage.getItem("asked");
			if (!asked || !document.querySelector(".ticket") || document.querySelector(".slips")) return;
			sessionStorage.removeItem("asked");
			sessionStorage.setItem("took", (sessionStorage.getItem("took") ?? "") + " " + Math.round(now() - Number(asked)));
		})));`)
	b.signOn(s)
	const sales = 12
	for n := range sales {
		b.sells(200, 1)
		b.await(fmt.Sprintf(`sessionStorage.getItem("took")?.trim().split(" ").length === %d`, n+1)) // painted, before the next
	}
	lasted := time.Since(start)
	stop()
	wait.Wait()
	check(t, errors.Join(errs...))
	took := eval[[]int](b, `sessionStorage.getItem("took").trim().split(" ").map(Number)`)
	slices.Sort(took)
	all := 0
	for _, n := range sold {
		all += n
	}
	if n, owes := s.sold(); n != int64(sales+all) || owes != money.Euros(2*sales) {
		t.Errorf("%d parts sold, owes %v; want %d and %v", n, owes, sales+all, money.Euros(2*sales))
	}
	t.Logf("%d terminals, %.0f sales/s; in the browser, from the click to the ticket, ms: %d", len(others), float64(all)/lasted.Seconds(), took)
}
