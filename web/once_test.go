package web

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"tirage/central"
	"tirage/money"
	"tirage/party"
	"tirage/wager"
)

// briefly sends a form as the script of the desk does first: no page is asked for.
func (b *browser) briefly(path string, form url.Values) shown {
	return b.do(http.MethodPost, path, form.Encode(), http.Header{"Prefer": {"return=minimal"}})
}

// sellOne sells one ticket of the next draw, for 10 €.
func (s *shop) sellOne() wager.Ticket {
	s.t.Helper()
	ticket, err := s.sys.Place(context.Background(), central.Place{
		Key: "one more", Terminal: s.terminal.ID, Slip: wager.Slip{Game: "ile-au-tresor", Boards: []wager.Board{{QuickPick: true}}, Stake: 1000, Draws: 1},
	})
	check(s.t, err)
	return ticket
}

// The same payment sent twice answers as the first time: how much to hand over,
// and that it is the same payment (F10). It says so plainly once.
func TestF10_PayAgain(t *testing.T) {
	t.Parallel()
	s, code := winner(t, "20000", "20000")
	b := s.signedOn()
	_, before := s.sold()
	checked := b.post("/terminal/controle", url.Values{"code": {code}})
	form := checked.form("/terminal/paiement")
	if p := b.briefly("/terminal/paiement", form); p.status != http.StatusOK || p.body != "" {
		t.Errorf("a brief answer: status %d, %q", p.status, p.body)
	}
	expect(t, b.briefly("/terminal/paiement", form), http.StatusOK) // its answer was lost
	_, after := s.sold()
	sum := strings.ReplaceAll((before-after).String(), ".", ",") + " €"
	expect(t, b.post("/terminal/paiement", form), http.StatusOK, "Gagnant, payé", "Payé "+sum, "Pour vous "+sum)
	again := "Payé à 12:01 par ce poste, à cette demande : " + sum + " à remettre, si ce n’est fait"
	for range 2 {
		p := b.post("/terminal/paiement", form)
		expect(t, p, http.StatusOK, again)
		if title, _, _ := strings.Cut(p.body, "</title>"); !strings.Contains(title, "à cette demande") {
			t.Error("the title does not say that it is the same payment")
		}
		if strings.Contains(p.body, "rien remettre") || strings.Contains(p.body, "Pour vous") {
			t.Error("told to hand out nothing, or as if it were another payment")
		}
	}
	expect(t, b.get("/terminal"), http.StatusOK, again)
	expect(t, b.post("/terminal/controle", url.Values{"code": {code}}), http.StatusOK, "Gagnant, déjà payé", "Payé "+sum+" le 04/01/2027 à 12:01 par ce poste.")
	s.pass(15 * time.Hour)
	expect(t, b.post("/terminal/paiement", form), http.StatusOK, "Payé le 04/01/2027 à 12:01 par ce poste, à cette demande : "+sum+" à remettre")
	if _, owes := s.sold(); owes != after {
		t.Errorf("owes %s, want %s", owes, after)
	}
}

// What another page has shown meanwhile is not told plainly again.
func TestF10_PayToldByAnotherPage(t *testing.T) {
	t.Parallel()
	s, code := winner(t, "20000", "20000")
	b := s.signedOn()
	form := b.post("/terminal/controle", url.Values{"code": {code}}).form("/terminal/paiement")
	b.briefly("/terminal/paiement", form)
	expect(t, b.get("/terminal"), http.StatusOK, "Gagnant, payé")
	expect(t, b.post("/terminal/paiement", form), http.StatusOK, "si ce n’est fait")
}

// Who is paid was typed otherwise the second time: the payment was made with the first.
func TestF10_PayAgainToAnother(t *testing.T) {
	t.Parallel()
	s, code := winner(t, "20000", "1")
	b := s.signedOn()
	form := b.post("/terminal/controle", url.Values{"code": {code}}).form("/terminal/paiement")
	form = b.post("/terminal/paiement", form).form("/terminal/paiement")
	for field, value := range map[string]string{"payee_name": "Anne Legrand", "payee_birth": "1980-02-29", "payee_address": "1 rue du Port, Brest", "payee_document": "CNI AB-CD"} {
		form.Set(field, value)
	}
	expect(t, b.post("/terminal/paiement", form), http.StatusOK, "Gagnant, payé")
	_, owes := s.sold()
	form.Set("payee_name", "Anne Le Grand")
	expect(t, b.post("/terminal/paiement", form), http.StatusOK, "par ce poste, à cette demande")
	if _, after := s.sold(); after != owes {
		t.Errorf("owes %s, then %s", owes, after)
	}
}

// The same cancellation sent twice says when it was made, and how much to give back if that was not done (F10).
func TestF10_CancelAgain(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(1000))
	b := s.signedOn()
	tk := s.sellOne()
	form := url.Values{"code": {wager.Code(tk.Number, tk.Secret)}, "command": {"same"}}
	first := b.post("/terminal/annulation", form)
	expect(t, first, http.StatusOK, "annulé : rendez 10,00 € au joueur.")
	s.pass(time.Minute)
	for range 2 {
		p := b.post("/terminal/annulation", form)
		expect(t, p, http.StatusOK, "annulé à 11:30 par ce poste, à cette demande : 10,00 € à rendre au joueur, si ce n’est fait.")
		if strings.Contains(p.body, ": rendez") {
			t.Error("told as if it were another cancellation")
		}
	}
	s.pass(13 * time.Hour)
	expect(t, b.post("/terminal/annulation", form), http.StatusOK, "annulé le 04/01/2027 à 11:30 par ce poste")
}

// A payment or cancellation whose answer was lost is given up: it was made, and is
// told with its sum, or it never will be (F10).
func TestF10_GiveUpPayment(t *testing.T) {
	t.Parallel()
	s, code := winner(t, "20000", "20000")
	b := s.signedOn()
	_, before := s.sold()
	form := b.post("/terminal/controle", url.Values{"code": {code}}).form("/terminal/paiement")
	for range 2 {
		expect(t, b.post("/terminal/abandon", form), http.StatusOK, "Demande abandonnée : rien n’a été payé ni annulé. Ne remettez rien.")
	}
	expect(t, b.post("/terminal/paiement", form), http.StatusConflict, "Cette demande a été abandonnée")
	if _, owes := s.sold(); owes != before {
		t.Fatalf("owes %s after a payment that was given up, %s before", owes, before)
	}
	form = b.post("/terminal/controle", url.Values{"code": {code}}).form("/terminal/paiement")
	b.briefly("/terminal/paiement", form)
	expect(t, b.post("/terminal/abandon", form), http.StatusOK, "Gagnant, payé")
	expect(t, b.post("/terminal/abandon", form), http.StatusOK, "par ce poste, à cette demande")
	if _, owes := s.sold(); owes >= before {
		t.Errorf("owes %s, %s before", owes, before)
	}
	tk := s.sellOne()
	cancel := url.Values{"code": {wager.Code(tk.Number, tk.Secret)}, "command": {"back"}}
	expect(t, b.post("/terminal/annulation", cancel), http.StatusOK, "rendez")
	expect(t, b.post("/terminal/abandon", cancel), http.StatusOK, "par ce poste, à cette demande : 10,00 € à rendre au joueur")
}

// A voucher that is given up was sold, and is shown, or never will be (F10).
func TestF10_GiveUpVoucher(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(1000))
	_, err := s.sys.PublishAccounts(context.Background(), central.PublishRules{Key: "accounts", Officer: s.officer.ID, Book: party.Book()})
	check(t, err)
	b := s.signedOn()
	form := b.get("/terminal/bon").form("/terminal/bon")
	form.Set("amount", "2000")
	given := b.post("/terminal/abandon", form)
	expect(t, given, http.StatusConflict, "abandonnée", "Bons de versement")
	expect(t, b.post("/terminal/bon", form), http.StatusConflict, "abandonnée")
	form = b.get("/terminal/bon").form("/terminal/bon")
	form.Set("amount", "2000")
	expect(t, b.briefly("/terminal/bon", form), http.StatusOK)
	sold := b.post("/terminal/abandon?stake=400", form)
	expect(t, sold, http.StatusOK, "20,00 €")
	if code := voucherCode.FindStringSubmatch(sold.body); code == nil || !strings.Contains(sold.body, "/terminal?stake=400") {
		t.Error("no code, or the desk as it was left is lost")
	}
	if _, owes := s.sold(); owes != 2000 {
		t.Errorf("owes %s, want 20.00", owes)
	}
}

// slow puts a slow line before a shop's server: answers to the forms of a path
// come late. It counts them.
func (s *shop) slow(path string) *atomic.Int32 {
	var posts atomic.Int32
	next := s.server.Config.Handler
	s.server.Close()
	s.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.Path != path {
			next.ServeHTTP(w, r)
			return
		}
		posts.Add(1)
		answer := httptest.NewRecorder()
		next.ServeHTTP(answer, r)
		time.Sleep(400 * time.Millisecond) // of the line
		maps.Copy(w.Header(), answer.Header())
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	}))
	return &posts
}

// F10: a double click on Pay over a slow line is one payment, and the page tells its sum plainly.
func TestF10_BrowserPayTwice(t *testing.T) {
	t.Parallel()
	s, code := winner(t, "20000", "20000")
	posts := s.slow("/terminal/paiement")
	_, before := s.sold()
	b := s.tab(1280, 800)
	b.signOn(s)
	b.checkTicket(code)
	b.says("#verdict", "Gagnant")
	fields := eval[map[string]string](b, `Object.fromEntries(new FormData(document.querySelector('form[action^="/terminal/paiement"]')))`)
	eval[bool](b, `(() => { const k = document.querySelector('form[action^="/terminal/paiement"] button'); k.click(); setTimeout(() => k.click(), 120); setTimeout(() => document.querySelector(".again button").click(), 200); return true })()`)
	b.says("#verdict", "Gagnant, payé")
	b.says(".answer .big", "Payé")
	b.says(".strip", "Pour vous")
	if got := posts.Load(); got != 2 {
		t.Errorf("%d requests, want one that is asked until it is answered, and its page", got)
	}
	_, after := s.sold()
	if after >= before {
		t.Errorf("owes %s, then %s", before, after)
	}
	again, err := json.Marshal(fields)
	check(t, err)
	eval[bool](b, `(() => { const f = document.createElement("form"); f.method = "post"; f.action = "/terminal/paiement";
		for (const [name, value] of Object.entries(`+string(again)+`)) f.append(Object.assign(document.createElement("input"), {name, value}));
		document.body.append(f); f.submit(); return true })()`) // as the browser's "load again" does
	b.says("#verdict", "par ce poste, à cette demande")
	b.whole()
	b.touchable()
	b.accessible("paid again")
	b.picture("desk-paid-again")
	if _, owes := s.sold(); owes != after {
		t.Errorf("owes %s, then %s", after, owes)
	}
}

// The line loses a payment, a cancellation or the sale of a voucher, and then its
// answer: the page asks until it has one, and it is done once (F10).
func TestF10_BrowserLineLostOnce(t *testing.T) {
	t.Parallel()
	s, code := winner(t, "20000", "20000")
	_, err := s.sys.PublishAccounts(context.Background(), central.PublishRules{Key: "accounts", Officer: s.officer.ID, Book: party.Book()})
	check(t, err)
	tk := s.sellOne()
	line := &wire{}
	line.over(s)
	b := s.tab(1280, 800)
	b.signOn(s)
	b.checkTicket(code)
	b.says("#verdict", "Gagnant")
	line.lose(1000, 0)
	b.press("p", chromedp.ModifierCtrl)
	b.says("#line", "La demande n’a pas encore de réponse")
	b.whole()
	b.accessible("line lost at a payment")
	b.picture("desk-line-payment")
	line.lose(0, 1)
	b.says("#verdict", "Gagnant, payé")
	b.says(".answer .big", "Payé")

	_, before := s.sold()
	b.checkTicket(wager.Code(tk.Number, tk.Secret))
	b.click(".cancelling summary")
	line.lose(0, 1)
	b.click(".cancelling button")
	b.says("#undone", "rendez 10,00 € au joueur")
	if _, owes := s.sold(); owes != before-1000 {
		t.Errorf("owes %s after a cancellation, %s before", owes, before)
	}

	b.open("/terminal/bon")
	line.lose(0, 1000)
	b.click(`.amounts button[value="2000"]`)
	b.says("#line", "La vente n’a pas encore de réponse")
	b.press(kb.Escape)
	b.says("#line", "Nous demandons ce qu’est devenue la vente")
	line.lose(0, 0)
	b.says(".voucher .worth", "20,00 €")
	b.accessible("a voucher that was given up")
	if _, owes := s.sold(); owes != before-1000+2000 {
		t.Errorf("owes %s after a voucher, %s before", owes, before)
	}
}
