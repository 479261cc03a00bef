package web

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"tirage/central"
	"tirage/game"
	"tirage/internal/sim"
	"tirage/money"
	"tirage/party"
)

// newBank is a shop with a provider of card payments and rules of accounts.
func newBank(t testing.TB) (*shop, *sim.CardProvider) {
	t.Helper()
	book, err := game.Book("ile-au-tresor")
	check(t, err)
	var cards *sim.CardProvider
	s := newShopMore(t, money.Euros(1000), func(o *central.Options) {
		cards = sim.NewCardProvider([]byte("key"), "/", o.Clock.Now)
		o.Cards, o.Site = map[string]central.CardProvider{"sim": cards}, "https://loterie.test"
	}, book)
	_, err = s.sys.PublishAccounts(context.Background(), central.PublishRules{Key: "accounts", Officer: s.officer.ID, Book: party.Book()})
	check(t, err)
	return s, cards
}

var tokenText = regexp.MustCompile(`https://loterie\.test/\S*[?&]\w+=([^\s&]+)`)

// signUp opens a player's account, with its address confirmed.
func (s *shop) signUp(email string) string {
	s.t.Helper()
	ctx := context.Background()
	check(s.t, s.sys.SignUp(ctx, central.SignUp{
		Key: email, Password: "mot de passe assez long", Terms: s.sys.AccountRules().Version,
		Person: central.Person{Email: email, FirstName: "Anne", LastName: email[:4], BirthDay: game.NewDay(1980, 2, 3), BirthPlace: "Brest", Lang: "fr"},
	}))
	_, err := s.sys.SendMessages(ctx, func(_ context.Context, m central.Message) error {
		token := tokenText.FindStringSubmatch(m.Body)
		if token == nil {
			s.t.Fatalf("no link in %q", m.Body)
		}
		text, err := url.QueryUnescape(token[1])
		check(s.t, err)
		return s.sys.ConfirmEmail(ctx, text, "mot de passe assez long")
	})
	check(s.t, err)
	p, err := s.sys.SignOnPlayer(ctx, email, "mot de passe assez long", "")
	check(s.t, err)
	return p.ID
}

// notify sends a notice to the server as a provider does: no cookie, another origin.
func (s *shop) notify(provider string, n sim.Notice) shown {
	s.t.Helper()
	header := http.Header{"Content-Type": {"application/json"}, "Origin": {"https://provider.example"}, "Sec-Fetch-Site": {"cross-site"}}
	maps.Copy(header, n.Header)
	return s.browser().do(http.MethodPost, "/paiement/"+provider, string(n.Body), header)
}

func TestCardNotice(t *testing.T) {
	t.Parallel()
	s, cards := newBank(t)
	player := s.signUp("anne@example.org")
	address, err := s.sys.BeginCard(context.Background(), player, "sim", 2500, "/compte")
	check(t, err)
	u, err := url.Parse(address)
	check(t, err)
	n, err := cards.Pay(u.Query().Get("reference"))
	check(t, err)

	forged := sim.Notice{Header: n.Header, Body: []byte(strings.Replace(string(n.Body), "2500", "9900", 1))}
	for name, c := range map[string]struct {
		provider string
		notice   sim.Notice
		status   int
	}{
		"forged":           {"sim", forged, http.StatusBadRequest},
		"empty":            {"sim", sim.Notice{}, http.StatusBadRequest},
		"unknown provider": {"autre", n, http.StatusBadRequest},
		"too large":        {"sim", sim.Notice{Header: n.Header, Body: make([]byte, noticeMax+1)}, http.StatusRequestEntityTooLarge},
		"HTML":             {"%3Cscript%3E", sim.Notice{Body: []byte("<script>")}, http.StatusBadRequest},
	} {
		p := s.notify(c.provider, c.notice)
		if p.status != c.status || strings.Contains(p.body, "<") || !strings.HasPrefix(p.header.Get("Content-Type"), "text/plain") {
			t.Errorf("%s: %d %q", name, p.status, p.body)
		}
	}
	if got := s.sys.PlayerBalance(player); got != 0 {
		t.Errorf("credited %s by notices that are none", got)
	}
	var calls sync.WaitGroup
	for range 20 {
		calls.Go(func() {
			if p := s.notify("sim", n); p.status != http.StatusOK || p.body != "ok\n" {
				t.Errorf("%d %q", p.status, p.body)
			}
		})
	}
	calls.Wait()
	if got := s.sys.PlayerBalance(player); got != 2500 {
		t.Errorf("credited %s, want 25.00", got)
	}
	// Only this address is open to other sites.
	for path, status := range map[string]int{"/terminal/bon": http.StatusForbidden, "/paiement/sim/autre": http.StatusForbidden} {
		if p := s.browser().do(http.MethodPost, path, "", http.Header{"Sec-Fetch-Site": {"cross-site"}}); p.status != status {
			t.Errorf("%s from another site: %d, want %d", path, p.status, status)
		}
	}
}

var voucherCode = regexp.MustCompile(`<code>([0-9A-Z-]+)</code>`)

// A voucher is sold at a press, shown again by the same form, and deposited by its code (F10, F11).
func TestVoucherPage(t *testing.T) {
	t.Parallel()
	s, _ := newBank(t)
	b := s.signedOn()
	desk := b.get("/terminal?stake=400&draws=2")
	if !strings.Contains(desk.body, `href="/terminal/bon?`) {
		t.Error("the desk does not lead to the vouchers")
	}
	p := b.get("/terminal/bon?stake=400&draws=2")
	expect(t, p, http.StatusOK, "Bons de versement", "10,00 €", "100,00 €", "ne peut être ni annulé")
	form := p.form("/terminal/bon?draws=2&amp;stake=400")
	if form.Get("command") == "" {
		t.Fatalf("no form in %s", p.body)
	}
	form.Set("amount", "5000")
	sold := b.post("/terminal/bon?stake=400&draws=2", form)
	expect(t, sold, http.StatusOK, "50,00 €", "Point d’enregistrement 214", "04/01/2027 11:30:00", "← Guichet")
	if !strings.Contains(sold.body, `href="/terminal?draws=2&amp;stake=400"`) {
		t.Error("the way back has lost the slip")
	}
	code := voucherCode.FindStringSubmatch(sold.body)
	if code == nil {
		t.Fatal("no code")
	}
	again := b.post("/terminal/bon", form)
	if other := voucherCode.FindStringSubmatch(again.body); other == nil || other[1] != code[1] {
		t.Errorf("the same form shows %v, then %v", code, other)
	}
	if _, owes := s.sold(); owes != 5000 {
		t.Errorf("the outlet owes %s, want 50.00", owes)
	}
	number, secret, err := central.ParseVoucher(code[1])
	check(t, err)
	player := s.signUp("bruno@example.org")
	check(t, s.sys.CheckIdentity(context.Background(), central.CheckIdentity{Key: "c", Officer: s.officer.ID, Player: player, Confirmed: true, Reason: "carte d’identité vue"}))
	d, err := s.sys.DepositVoucher(context.Background(), "d", player, number, secret)
	if err != nil || d.Balance != 5000 {
		t.Errorf("deposit: %+v, %v", d, err)
	}

	form.Set("amount", "2000") // the same key
	expect(t, b.post("/terminal/bon", form), http.StatusConflict, "avait déjà vendu, à 11:30, ce bon de 50,00 €", code[1])
	for amount, status := range map[string]int{
		"": http.StatusUnprocessableEntity, "1": http.StatusUnprocessableEntity, "x": http.StatusBadRequest, "-1000": http.StatusBadRequest,
		"99999999999999999999": http.StatusBadRequest, "5000.5": http.StatusBadRequest,
	} {
		fresh := b.get("/terminal/bon").form("/terminal/bon")
		fresh.Set("amount", amount)
		if p := b.post("/terminal/bon", fresh); p.status != status {
			t.Errorf("amount %q: status %d, want %d", amount, p.status, status)
		}
	}
	if p := b.post("/terminal/bon", url.Values{"amount": {"1000"}}); p.status != http.StatusBadRequest {
		t.Errorf("without a key: status %d", p.status)
	}
	if p := s.browser().post("/terminal/bon", url.Values{"amount": {"1000"}, "command": {"k"}}); p.path != "/terminal/connexion" || strings.Contains(p.query.Encode(), "amount") {
		t.Errorf("signed off: at %s?%s", p.path, p.query.Encode())
	}
	expect(t, b.get("/terminal/bon?lang=en"), http.StatusOK, "Deposit vouchers", "€10.00")
	if _, owes := s.sold(); owes != 5000 {
		t.Errorf("a refused sale is owed: %s", owes)
	}
}

// The credit of the outlet holds for vouchers, and the refusal says so; without rules of accounts there are none.
func TestVoucherPage_Refused(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(15))
	b := s.signedOn()
	expect(t, b.get("/terminal/bon"), http.StatusOK, "Aucun bon n’est en vente.")
	_, err := s.sys.PublishAccounts(context.Background(), central.PublishRules{Key: "accounts", Officer: s.officer.ID, Book: party.Book()})
	check(t, err)
	form := b.get("/terminal/bon").form("/terminal/bon")
	form.Set("amount", "2000")
	p := b.post("/terminal/bon", form)
	expect(t, p, http.StatusConflict, "15,00 €")
	if voucherCode.MatchString(p.body) {
		t.Error("a refused sale shows a code")
	}
}
