package web

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"tirage/central"
	"tirage/money"
	"tirage/party"
	"tirage/settle"
	"tirage/wager"
)

// agreed puts the terms of outlets in force, with other sums.
func (s *shop) agreed(paymentMax, identityFrom string) {
	s.t.Helper()
	book := strings.NewReplacer(`payment_max: "500"`, `payment_max: "`+paymentMax+`"`, `identity_from: "5000"`, `identity_from: "`+identityFrom+`"`).Replace(string(party.TermsBook()))
	_, err := s.sys.PublishTerms(context.Background(), central.PublishRules{Key: "terms", Officer: s.officer.ID, Book: []byte(book)})
	check(s.t, err)
}

// winner is a shop with a ticket that has won, payable now.
func winner(t *testing.T, paymentMax, identityFrom string) (*shop, string) {
	t.Helper()
	s := newShop(t, money.Euros(9000))
	s.agreed(paymentMax, identityFrom)
	tickets := s.sell(120)
	s.pass(31 * time.Minute)
	return s, s.standing(tickets, settle.Won)
}

// A ticket above the sum of the terms is paid at payment centres only, and the terminal says why.
func TestPaymentAboveTheSum(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(9000))
	tickets := s.sell(120)
	s.pass(31 * time.Minute)
	code := s.standing(tickets, settle.Won)
	b := s.signedOn()
	if p := b.post("/terminal/controle", url.Values{"code": {code}}); p.form("/terminal/paiement") == nil {
		t.Error("without terms there is a limit")
	}
	s.agreed("1", "5000")
	p := b.post("/terminal/controle", url.Values{"code": {code}})
	expect(t, p, http.StatusOK, "Gagnant", "Le reçu dépasse 1,00 € au total : payable dans un centre de paiement seulement.")
	if p.form("/terminal/paiement") != nil {
		t.Error("an outlet offers to pay what only a centre pays")
	}
	expect(t, b.post("/terminal/paiement", url.Values{"code": {code}, "command": {"k"}}), http.StatusConflict, "centre de paiement")
}

// From the sum of the terms on the terminal asks who is paid, keeps what was
// typed when it is refused, and pays once.
func TestIdentityAtPayment(t *testing.T) {
	t.Parallel()
	s, code := winner(t, "20000", "1")
	b := s.signedOn()
	_, before := s.sold()
	p := b.post("/terminal/controle?stake=400", url.Values{"code": {code}, "stake": {"400"}})
	expect(t, p, http.StatusOK, "(identité)")
	form := p.form("/terminal/paiement")
	ask := b.post("/terminal/paiement", form)
	expect(t, ask, http.StatusOK, "Qui est payé ?", "À partir de 1,00 €")
	form = ask.form("/terminal/paiement")
	for field, value := range map[string]string{"payee_name": "Anne Legrand", "payee_birth": "1980-02-29", "payee_address": "1 rue du Port, Brest", "payee_document": ""} {
		form.Set(field, value)
	}
	refused := b.post("/terminal/paiement", form)
	expect(t, refused, http.StatusUnprocessableEntity, "pièce d’identité", "À remplir.")
	if marked := `aria-invalid="true" aria-describedby="fault-document"><small class="fault" id="fault-document">`; strings.Count(refused.body, `aria-invalid="true"`) != 1 || !strings.Contains(refused.body, marked) {
		t.Error("another field is marked than the one that is wrong")
	}
	if !strings.Contains(refused.body, `value="Anne Legrand"`) || !strings.Contains(refused.body, `value="1980-02-29"`) {
		t.Error("what was typed is lost")
	}
	form.Set("payee_document", "CNI AB-CD")
	paid := b.post("/terminal/paiement", form)
	expect(t, paid, http.StatusOK, "Gagnant, payé", "Payé")
	if strings.Contains(paid.body, "Legrand") {
		t.Error("the desk tells who was paid")
	}
	_, after := s.sold()
	expect(t, b.post("/terminal/paiement", form), http.StatusOK, "par ce poste, à cette demande")
	if _, again := s.sold(); again != after || after >= before {
		t.Errorf("owes %v before, %v after, %v after it was sent again", before, after, again)
	}
	// A session that has ended carries the desk along, and nobody's particulars.
	form.Set("command", "other")
	gone := s.browser().post("/terminal/paiement", form)
	if gone.path != "/terminal/connexion" || strings.Contains(gone.query.Encode(), "Legrand") || gone.query.Get("stake") != "400" {
		t.Errorf("at %s?%s", gone.path, gone.query.Encode())
	}
}

// A paid ticket says when and where it was paid, at each outlet.
func TestPaidWhenAndWhere(t *testing.T) {
	t.Parallel()
	s, code := winner(t, "20000", "20000")
	ctx := context.Background()
	b := s.signedOn()
	s.pass(9 * time.Minute)
	expect(t, b.post("/terminal/paiement", b.post("/terminal/controle", url.Values{"code": {code}}).form("/terminal/paiement")), http.StatusOK, "Gagnant, payé")
	outlet, err := s.sys.PutOutlet(ctx, central.PutOutlet{Key: "other", Officer: s.officer.ID, Outlet: party.Outlet{Number: 7, Territory: "metropole", Zone: "Europe/Paris"}})
	check(t, err)
	_, device, err := s.sys.PutTerminal(ctx, central.PutTerminal{Key: "other terminal", Officer: s.officer.ID, Outlet: outlet.ID})
	check(t, err)
	other := s.browser()
	other.post("/terminal/connexion", url.Values{"device": {device}})
	expect(t, other.post("/terminal/controle", url.Values{"code": {code}}), http.StatusOK, "Gagnant, déjà payé", "le 04/01/2027 à 12:10, point de vente 214.")
}

// A stopped ticket says so; nobody pays it, and nobody prints it.
func TestStoppedTicket(t *testing.T) {
	t.Parallel()
	s, code := winner(t, "20000", "20000")
	number, _, err := wager.ParseCode(code)
	check(t, err)
	desk := s.signedOn()
	if before := desk.post("/terminal/controle", url.Values{"code": {code}}); before.form("/terminal/impression") == nil {
		t.Error("a ticket of the outlet cannot be printed")
	}
	check(t, s.sys.StopTicket(context.Background(), central.StopTicket{Key: "stop", Officer: s.officer.ID, Ticket: number, Reason: "Vol déclaré."}))
	b := s.signedOn()
	p := b.post("/terminal/controle", url.Values{"code": {code}})
	expect(t, p, http.StatusOK, "Paiement arrêté", "Ne payez rien")
	if p.form("/terminal/paiement") != nil {
		t.Error("a stopped ticket can be paid")
	}
	for _, p := range []shown{p, desk.get("/terminal")} {
		expect(t, p, http.StatusOK, "Reçu arrêté par l’opérateur, il n’est pas réimprimé")
		if p.form("/terminal/impression") != nil {
			t.Error("a key that prints a stopped ticket")
		}
	}
	form := url.Values{"code": {code}, "command": {"k"}}
	expect(t, b.post("/terminal/paiement", form), http.StatusConflict, "arrêté")
	form.Set("do", "pdf")
	if got := b.post("/terminal/impression", form); got.status != http.StatusConflict || strings.HasPrefix(got.body, "%PDF") {
		t.Errorf("a stopped ticket is printed: status %d", got.status)
	}
}

// F24: a win is heard and shown to the player; the sound can be switched off, the amount cannot.
func TestBrowserF24_PlayerHearsAndSees(t *testing.T) {
	t.Parallel()
	s, code := winner(t, "20000", "1")
	b := s.tab(1280, 800)
	b.scripted(`window.AudioContext = class extends AudioContext { constructor() { super(); sessionStorage.setItem("heard", Number(sessionStorage.getItem("heard") ?? 0) + 1); } }`)
	b.signOn(s)
	heard := func() int { return eval[int](b, `Number(sessionStorage.getItem("heard") ?? 0)`) }
	b.checkTicket(code)
	b.says("#verdict", "Gagnant")
	if heard() != 1 {
		t.Errorf("a win was heard %d times", heard())
	}
	amount := b.text(".answer .big")
	b.says(".strip .due", strings.TrimSpace(amount))
	b.whole()
	b.touchable()
	b.accessible("won")
	b.do(chromedp.Reload())
	b.says("#verdict", "Gagnant")
	if heard() != 1 {
		t.Error("heard again when the page was loaded again")
	}
	b.click(".menu summary")
	b.click("#sound")
	b.click(".menu summary")
	b.checkTicket(code)
	b.says(".strip .due", strings.TrimSpace(amount))
	if heard() != 1 {
		t.Error("heard though it is off")
	}
	b.load(chromedp.Click(chromedp.CSS("button.pay")))
	b.says("h1", "Qui est payé ?")
	b.says(".strip .due", strings.TrimSpace(amount))
	b.whole()
	b.touchable()
	b.accessible("who is paid")
	b.picture("desk-payee")
	for field, value := range map[string]string{"name": "Anne Legrand", "address": "1 rue du Port, Brest", "document": "CNI AB-CD"} {
		b.do(chromedp.SendKeys(chromedp.CSS("#"+field), value))
	}
	b.do(chromedp.SetValue(chromedp.CSS("#birth"), "1980-02-29"))
	b.load(chromedp.KeyEvent("p", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.says("#verdict", "Gagnant, payé")
	b.says(".strip", "Pour vous")
	b.whole()
	b.picture("desk-paid")
}
