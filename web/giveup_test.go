package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"tirage/central"
	"tirage/money"
)

// wire is a line between terminal and server that loses requests, or answers.
type wire struct {
	mu                sync.Mutex
	requests, answers int // to lose of those that come next, of forms
	lost              int
	down              bool // all is lost, pages too
	probed            int  // it was asked whether the server answers
}

// cut takes the whole line down, or puts it up again.
func (l *wire) cut(down bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = down
}

func (l *wire) lose(requests, answers int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests, l.answers = requests, answers
}

// over puts the line before a shop's server.
func (l *wire) over(s *shop) {
	next := s.server.Config.Handler
	s.server.Close()
	s.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.mu.Lock()
		down := l.down
		if r.URL.Path == "/terminal/impressions" {
			l.probed++
		}
		l.mu.Unlock()
		if down {
			panic(http.ErrAbortHandler)
		}
		if r.Method != http.MethodPost || r.URL.Path == "/terminal/connexion" {
			next.ServeHTTP(w, r)
			return
		}
		l.mu.Lock()
		request, answer := l.requests > 0, l.requests == 0 && l.answers > 0
		if request {
			l.requests--
			l.lost++
		}
		if answer {
			l.answers--
			l.lost++
		}
		l.mu.Unlock()
		if answer {
			next.ServeHTTP(httptest.NewRecorder(), r)
		}
		if request || answer {
			panic(http.ErrAbortHandler)
		}
		next.ServeHTTP(w, r)
	}))
}

// The answer to a sale is lost: asked for again it is one ticket; given up, the
// terminal says whether it was sold, and a request that comes later sells nothing (F10).
func TestF10_GiveUp(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(1000))
	b := s.signedOn()
	form := join(b.get("/terminal").form("/terminal/vente"), marks(seven, 2, 400, 1), do("sell"))
	p := b.post("/terminal/abandon", form)
	expect(t, p, http.StatusOK, "rien n’a été vendu")
	if !strings.Contains(p.body, `value="400" checked`) {
		t.Error("the slip is not there any more")
	}
	late := b.post("/terminal/vente", form)
	expect(t, late, http.StatusConflict, "Cette demande a été abandonnée")
	if slips := late.form("/terminal/vente")["slip"]; len(slips) != 1 || strings.HasPrefix(slips[0], form.Get("key")) {
		t.Errorf("the basket holds %q, want the slip with a new key", slips)
	}
	if n, owes := s.sold(); n != 0 || owes != 0 {
		t.Fatalf("%d tickets, owes %v after a sale that was given up", n, owes)
	}
	again := join(p.form("/terminal/vente"), marks(seven, 2, 400, 1), do("sell"))
	if again.Get("key") == form.Get("key") {
		t.Error("the slip has the key of the sale that was given up")
	}
	expect(t, b.post("/terminal/vente", again), http.StatusOK, "Numéro séquentiel")
	for range 2 {
		expect(t, b.post("/terminal/abandon", again), http.StatusOK, "La vente était faite avant l’abandon", "Numéro séquentiel")
	}
	if n, owes := s.sold(); n != 1 || owes != 400 {
		t.Errorf("%d tickets, owes %v; want 1 and 4.00", n, owes)
	}
}

// Of a basket, what was sold before it was given up has its tickets, and the rest waits as new sales.
func TestF10_GiveUpBasket(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(5)) // credit for one of two slips of 4 €
	b := s.signedOn()
	one, two := url.Values{"slip": {"a~ile-au-tresor~400~1~f_0!-"}}, url.Values{"slip": {"a~ile-au-tresor~400~1~f_0!-", "b~ile-au-tresor~400~1~f_0!-"}}
	sale := b.do(http.MethodPost, "/terminal/vente", join(one, do("sell")).Encode(), http.Header{"Prefer": {"return=minimal"}})
	if sale.status != http.StatusOK || sale.body != "" || sale.header.Get("Preference-Applied") == "" {
		t.Errorf("a brief answer: status %d, %q", sale.status, sale.body)
	}
	p := b.post("/terminal/abandon", join(two, do("sell")))
	expect(t, p, http.StatusOK, "Une partie était vendue avant l’abandon", "Numéro séquentiel", "Panier 1")
	if slips := p.form("/terminal/vente")["slip"]; len(slips) != 1 || strings.HasPrefix(slips[0], "b~") {
		t.Errorf("the basket holds %q, want one slip with a new key", slips)
	}
	refused := b.do(http.MethodPost, "/terminal/vente", join(url.Values{"slip": {"c~ile-au-tresor~400~1~f_0!-"}}, do("sell")).Encode(), http.Header{"Prefer": {"return=minimal"}})
	if refused.status != http.StatusConflict || refused.header.Get("Preference-Applied") == "" {
		t.Errorf("a refusal in brief: status %d", refused.status)
	}
}

// What a terminal gives up is a record for each key: made-up keys are limited by their number,
// full baskets and what is asked for again are not, and a refusal decides nothing.
func TestGiveUpLimitedByKeys(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(1000))
	b := s.signedOn()
	basket := func(name string) url.Values {
		v := url.Values{"key": {name}, "stake": {"200"}}
		for i := range 20 {
			v.Add("slip", fmt.Sprintf("%s-%d~ile-au-tresor~200~1~f_0!-", name, i))
		}
		return v
	}
	size := func() int {
		c, err := s.sys.Checkpoint()
		check(t, err)
		n, err := strconv.Atoi(strings.Split(string(c), "\n")[1])
		check(t, err)
		return n
	}
	before := size()
	for _, name := range []string{"first", "second", "third"} {
		for range 5 { // its answer is lost
			expect(t, b.post("/terminal/abandon", basket(name)), http.StatusOK, "rien n’a été vendu", "Panier 20")
		}
	}
	if n := size() - before; n != 63 {
		t.Errorf("%d records of three baskets of 20 with a slip on the desk, want 63", n)
	}
	expect(t, b.post("/terminal/abandon", basket("more")), http.StatusOK, "rien n’a été vendu")
	refused := b.post("/terminal/abandon", basket("fourth"))
	expect(t, refused, http.StatusTooManyRequests, "Trop d’essais en peu de temps. Patientez une minute", "Panier 20")
	if got := refused.header.Get("Retry-After"); got != "60" {
		t.Errorf("Retry-After: %q", got)
	}
	if form := refused.form("/terminal/vente"); form.Get("key") != "fourth" || !strings.HasPrefix(form["slip"][0], "fourth-0~") {
		t.Errorf("what is not given up has other keys: %q", form)
	}
	for _, form := range []url.Values{{"command": {"fifth"}}, {"command": {"sixth"}, "amount": {"1000"}}} {
		for range 20 { // a key or two may have come free meanwhile
			form.Set("command", form.Get("command")+"x")
			refused = b.post("/terminal/abandon", form)
		}
		expect(t, refused, http.StatusTooManyRequests, "Patientez une minute")
	}
	other := s.signedOn()
	_, device, err := s.sys.PutTerminal(t.Context(), central.PutTerminal{Key: "other", Officer: s.officer.ID, Outlet: s.outlet.ID})
	check(t, err)
	other.post("/terminal/connexion", url.Values{"device": {device}})
	expect(t, other.post("/terminal/abandon", basket("other")), http.StatusOK, "rien n’a été vendu")
}

// The line loses the request, and then the answer: the page asks until it has one, and one ticket is sold.
func TestBrowserLineLost(t *testing.T) {
	t.Parallel()
	s, line := newShop(t, money.Euros(1000)), &wire{}
	line.over(s)
	b := s.tab(1280, 800)
	b.signOn(s)
	b.tick("stake", 200)
	b.tick("draws", 1)
	b.load(chromedp.KeyEvent("y"))
	b.says(".slips", "Flash")
	line.lose(1000, 0) // the browser by itself asks three times
	b.press(kb.Enter, chromedp.ModifierCtrl)
	b.says("#line", "Ligne coupée")
	b.press("a") // nothing but the banner takes keys
	line.lose(0, 1)
	b.says(".strip", "À payer 2,00 €")
	if n, owes := s.sold(); n != 1 || owes != 200 {
		t.Errorf("%d tickets, owes %v; want 1 and 2.00", n, owes)
	}
	if got := eval[int](b, `document.querySelectorAll(".ticket").length * 10 + document.querySelectorAll(".box :checked").length`); got != 10 {
		t.Errorf("%d on the page, want one ticket and no tick", got)
	}
	if line.lost < 2 {
		t.Errorf("%d lost on the way, want a request and an answer at least", line.lost)
	}
}

// The shopkeeper gives a sale up while the line is down: the page says that
// nothing was sold, or shows the ticket that was.
func TestBrowserGiveUp(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name              string
		requests, answers int
		says, picture     string
		sold              int64
	}{
		{"the request is lost", 1000, 0, "rien n’a été vendu", "desk-given-up", 0},
		{"the answer is lost", 0, 1000, "La vente était faite avant l’abandon", "desk-given-up-sold", 1},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			s, line := newShop(t, money.Euros(1000)), &wire{}
			line.over(s)
			b := s.tab(1280, 800)
			b.signOn(s)
			b.tick("stake", 200)
			b.tick("draws", 1)
			b.load(chromedp.KeyEvent("y"))
			b.says(".slips", "Flash")
			line.lose(x.requests, x.answers)
			b.press(kb.Enter, chromedp.ModifierCtrl)
			b.says("#line", "Ligne coupée")
			b.whole()
			b.accessible("line lost")
			b.picture("desk-line")
			b.press(kb.Escape)
			b.says("#line", "Nous demandons ce qu’est devenue la vente")
			line.lose(0, 0)
			b.says("#lined", x.says)
			b.whole()
			b.accessible(x.name)
			b.picture(x.picture)
			if n, owes := s.sold(); n != x.sold || owes != money.Amount(200*x.sold) {
				t.Errorf("%d tickets, owes %v", n, owes)
			}
		})
	}
}
