package web

import (
	"log/slog"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tirage/money"
	"tirage/web/page"
)

// marks fills in a slip.
func marks(places []int, pirate int, stake money.Amount, draws int) url.Values {
	v := url.Values{}
	for _, n := range places {
		v.Add("places", strconv.Itoa(n))
	}
	if pirate > 0 {
		v.Set("pirates", strconv.Itoa(pirate))
	}
	if stake > 0 {
		v.Set("stake", strconv.FormatInt(int64(stake), 10))
	}
	if draws > 0 {
		v.Set("draws", strconv.Itoa(draws))
	}
	return v
}

func join(forms ...url.Values) url.Values {
	v := url.Values{}
	for _, f := range forms {
		for name, list := range f {
			v[name] = append(v[name], list...)
		}
	}
	return v
}

func do(what string) url.Values { return url.Values{"do": {what}} }

var seven = []int{1, 4, 9, 12, 16, 19, 21}

// answerAgain is the answer to a payment that was asked for before.
var answerAgain = regexp.MustCompile(`class="answer again"[^>]* role="alert"`)

var ticketCode = regexp.MustCompile(`<code>([0-9A-Z-]+)</code>`)

func codes(p shown) []string {
	var list []string
	for _, m := range ticketCode.FindAllStringSubmatch(p.body, -1) {
		list = append(list, m[1])
	}
	return list
}

func expect(t *testing.T, p shown, status int, words ...string) {
	t.Helper()
	if p.status != status {
		t.Errorf("status %d, want %d", p.status, status)
	}
	text := p.text()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("the page does not say %q", w)
		}
	}
	if t.Failed() {
		t.Logf("at %s: %s", p.path, text)
	}
}

func TestIAT_5_1_Ticket(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(1000))
	b := s.signedOn()
	p := b.get("/terminal")
	p = b.post("/terminal/vente", join(p.form("/terminal/vente"), marks(seven, 2, 400, 3), do("sell")))
	expect(t, p, http.StatusOK,
		"04/01/2027 11:30:00", "Point d’enregistrement 214", "Numéro séquentiel",
		"Date de tirage(s) métropolitaine lundi 4 janvier 2027", "Tirage(s) n° 95, 96, 97",
		"Vos lieux Tour de guet · Baie des singes · Nid des perroquets · Caverne aux mygales · Mine d&#39;or · Port royal · Pont suspendu",
		"Votre pirate Le Féroce", "Mise par tirage 4,00 €", "Nombre de tirages 3", "Total à payer 12,00 €", "À payer 12,00 €")
	if n := strings.Count(p.body, `class="cross"`); n != 7 {
		t.Errorf("%d places are crossed on the map, want 7", n)
	}
	if strings.Index(p.body, `class="ticketmap"`) > strings.Index(p.body, "Vos lieux") {
		t.Error("IAT-5.2: the drawing stands below the words")
	}
	if len(codes(p)) != 1 {
		t.Errorf("ticket codes: %q", codes(p))
	}
	if _, owes := s.sold(); owes != 1200 {
		t.Errorf("the outlet owes %v, want 12.00", owes)
	}
}

// While no draw is on sale no slip goes into the basket: the refusal says when
// sales open, and the marks stay.
func TestAddWhileShut(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(1000))
	b := s.signedOn()
	s.pass(4 * time.Hour) // between the two sessions of the day
	for _, c := range []struct{ lang, what, want string }{
		{"fr", "add", "Ventes fermées. Elles ouvrent le 04/01/2027 à 17:00 (heure de Paris)."},
		{"en", "flash", "Sales are closed. They open on 04/01/2027 at 17:00 (Paris time)."},
	} {
		form := b.get("/terminal?lang=" + c.lang).form("/terminal/vente")
		p := b.post("/terminal/vente", join(form, marks(seven, 2, 400, 1), do(c.what)))
		if !strings.Contains(spaces.ReplaceAllString(p.body, " "), `id="refusal" tabindex="-1">`+c.want) {
			t.Errorf("%s: no refusal %q in %s", c.what, c.want, p.text())
		}
		if p.status != http.StatusConflict || p.form("/terminal/vente").Has("slip") {
			t.Errorf("%s: status %d, basket %q", c.what, p.status, p.form("/terminal/vente")["slip"])
		}
		if !strings.Contains(p.body, `name="stake" value="400" checked`) {
			t.Errorf("%s: the marks are lost", c.what)
		}
	}
}

// Nothing marked and nothing in the basket is no slip without a stake.
func TestSellNothing(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(1000))
	b := s.signedOn()
	for _, c := range []struct{ lang, want, not string }{
		{"fr", "Le panier est vide : cochez un bulletin, ou demandez Flash.", "aucune n’est cochée"},
		{"en", "The basket is empty: mark a slip, or ask for a quick pick.", "none is marked"},
	} {
		p := b.get("/terminal?lang=" + c.lang)
		p = b.post("/terminal/vente", join(p.form("/terminal/vente"), do("sell")))
		expect(t, p, http.StatusBadRequest, c.want)
		if strings.Contains(p.text(), c.not) {
			t.Errorf("%s: the refusal is about the stake", c.lang)
		}
	}
	if n, owes := s.sold(); n != 0 || owes != 0 {
		t.Errorf("%d parts sold, owes %v", n, owes)
	}
}

func TestIAT_2_3_2_NoDefault(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(1000))
	b := s.signedOn()
	p := b.get("/terminal")
	if strings.Contains(p.body, " checked") {
		t.Error("something is marked before the player chose")
	}
	for _, c := range []struct {
		form url.Values
		want string
	}{
		{marks(seven, 1, 0, 1), "Mise par tirage : aucune n’est cochée"},
		{marks(seven, 1, 200, 0), "Nombre de tirages : aucun n’est coché"},
		{marks(seven[:5], 1, 200, 1), "« La Carte » : 5 sur 7. Il en manque 2"},
		{marks([]int{1, 2, 3, 4, 5, 6, 7, 8}, 1, 200, 1), "« La Carte » : 8 cochés pour 7 demandés. Retirez-en 1"},
		{marks(seven, 0, 200, 1), "« Les Pirates » : 0 sur 1"},
		{marks([]int{1, 2, 3, 4, 5, 6, 22}, 1, 200, 1), "la case 22 n’existe pas"},
		{marks(seven, 1, 1200, 1), "Mise par tirage : 12,00 € n’est pas proposé. Choisissez 2,00 €, 4,00 €, 6,00 €, 8,00 €, 10,00 € ou 20,00 €"},
		{marks(seven, 1, 200, 7), "Nombre de tirages : 7 n’est pas proposé"},
	} {
		for _, key := range []string{"add", "sell"} {
			got := b.post("/terminal/vente", join(p.form("/terminal/vente"), c.form, do(key)))
			expect(t, got, http.StatusUnprocessableEntity, c.want)
			for _, n := range c.form["places"] {
				if n != "22" && !strings.Contains(got.body, `name="places" value="`+n+`" checked`) {
					t.Errorf("%s: place %s is no longer ticked", c.want, n)
				}
			}
			if got.form("/terminal/vente").Get("key") != p.form("/terminal/vente").Get("key") {
				t.Errorf("%s: the slip has another key", c.want)
			}
		}
	}
	if n, owes := s.sold(); n != 0 || owes != 0 {
		t.Errorf("a refusal sold %d tickets, owes %v", n, owes)
	}
}

func TestIAT_2_4_QuickPick(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(1000))
	b := s.signedOn()
	p := b.get("/terminal")
	p = b.post("/terminal/vente", join(p.form("/terminal/vente"), marks(nil, 0, 200, 1), do("flash")))
	expect(t, p, http.StatusOK, "Flash × 7", "Flash × 1")
	p = b.post("/terminal/vente", join(p.form("/terminal/vente"), marks([]int{19, 21}, 3, 200, 1), do("flash")))
	expect(t, p, http.StatusOK, "Port royal, Pont suspendu + Flash × 5", "Le Borgne", "Total 4,00 €")
	p = b.post("/terminal/vente", join(p.form("/terminal/vente"), do("sell")))
	expect(t, p, http.StatusOK, "2 reçus", "À payer 4,00 €", "Le Borgne")
	if len(codes(p)) != 2 {
		t.Errorf("%d tickets, want 2", len(codes(p)))
	}
}

func TestIAT_2_3_5_Cut(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(1000))
	s.clock.set(time.Date(2027, 1, 4, 13, 51, 0, 0, time.UTC)) // draws 130, the last one, is at 14:55
	s.tick()
	b := s.signedOn()
	p := b.get("/terminal")
	expect(t, p, http.StatusOK, "Dernier tirage de la session")
	p = b.post("/terminal/vente", join(p.form("/terminal/vente"), marks(seven, 1, 200, 6), do("sell")))
	expect(t, p, http.StatusOK, "6 tirages demandés, ramenés à 1", "Total à payer 2,00 €")

	s.clock.set(time.Date(2027, 1, 4, 14, 30, 0, 0, time.UTC))
	s.tick()
	p = b.get("/terminal")
	expect(t, p, http.StatusOK, "Ventes fermées. Elles ouvrent le 04/01/2027 à 17:00")
	p = b.post("/terminal/vente", join(p.form("/terminal/vente"), marks(seven, 1, 200, 1), do("sell")))
	expect(t, p, http.StatusConflict, "Aucune session de tirages n’est ouverte")
}

func TestF10_RetriesSellOnce(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(1000))
	b := s.signedOn()
	p := b.get("/terminal")
	form := join(p.form("/terminal/vente"), marks(nil, 0, 1000, 1), do("flash"))
	b.post("/terminal/vente", form)
	p = b.post("/terminal/vente", form) // a double click on the key
	form = join(p.form("/terminal/vente"), do("sell"))
	first := b.post("/terminal/vente", form)
	for range 5 {
		again := b.post("/terminal/vente", form)
		if !slices.Equal(codes(again), codes(first)) || len(codes(first)) != 1 {
			t.Fatalf("tickets %q, then %q", codes(first), codes(again))
		}
	}
	if n, owes := s.sold(); n != 1 || owes != 1000 {
		t.Errorf("%d tickets, owes %v, want 1 and 10.00", n, owes)
	}
	// The same form, filled in otherwise: refused, kept, and sold when confirmed again.
	slip := form.Get("slip")
	form.Set("slip", strings.Replace(slip, "~1000~", "~2000~", 1))
	p = b.post("/terminal/vente", form)
	expect(t, p, http.StatusConflict, "a déjà servi, avec un autre contenu", "20,00 €")
	p = b.post("/terminal/vente", join(p.form("/terminal/vente"), do("sell")))
	expect(t, p, http.StatusOK, "À payer 20,00 €")
}

func TestBasketPartlyRefused(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(25))
	b := s.signedOn()
	p := b.get("/terminal")
	for range 2 {
		p = b.post("/terminal/vente", join(p.form("/terminal/vente"), marks(seven, 1, 2000, 1), do("add")))
	}
	expect(t, p, http.StatusOK, "Total 40,00 €")
	p = b.post("/terminal/vente", join(p.form("/terminal/vente"), do("sell")))
	expect(t, p, http.StatusConflict, "Crédit insuffisant : 20,00 € demandés, il reste 5,00 € sur 25,00 €", "À payer 20,00 €")
	form := p.form("/terminal/vente")
	if len(form["slip"]) != 1 {
		t.Fatalf("basket keeps %d slips, want the refused one", len(form["slip"]))
	}
	key, _, _ := strings.Cut(form.Get("slip"), "~")
	p = b.post("/terminal/vente", join(form, do("remove:"+key)))
	if p.status != http.StatusOK || len(p.form("/terminal/vente")["slip"]) != 0 {
		t.Errorf("the slip was not removed")
	}
}

func TestCapped(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(1000))
	b := s.signedOn()
	p := b.get("/terminal")
	for range 4 { // 40 of the 50 unit stakes
		p = b.post("/terminal/vente", join(p.form("/terminal/vente"), marks(seven, 1, 2000, 1), do("sell")))
	}
	p = b.post("/terminal/vente", join(p.form("/terminal/vente"), marks(seven, 1, 600, 1), do("sell")))
	p = b.post("/terminal/vente", join(p.form("/terminal/vente"), marks(seven, 1, 2000, 2), do("sell")))
	expect(t, p, http.StatusConflict, "Combinaison plafonnée au tirage 95.", "Mise encore possible : 10,00 € par tirage")
}

func TestCheckPayCancel(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(2000))
	b := s.signedOn()
	p := b.get("/terminal")
	var all []string
	for n := range 3 { // with all three pirates and 3 disjoint sets of places something wins 0+0 or more
		places := []int{1 + 7*n, 2 + 7*n, 3 + 7*n, 4 + 7*n, 5 + 7*n, 6 + 7*n, 7 + 7*n}
		for pirate := range 3 {
			p = b.post("/terminal/vente", join(p.form("/terminal/vente"), marks(places, pirate+1, 200, 1), do("sell")))
			all = append(all, codes(p)...)
		}
	}
	last := all[len(all)-1]
	p = b.post("/terminal/controle", url.Values{"code": {strings.ToLower(last)}})
	expect(t, p, http.StatusOK, "En attente", "1 tirage pas encore certifié")
	if strings.Contains(p.text(), "Perdant") {
		t.Error("F09: told to have lost before the draw")
	}
	if p.query.Has("code") || strings.Contains(p.query.Encode(), last[:9]) {
		t.Error("F24: the ticket's code stands in the address")
	}
	form := p.form("/terminal/annulation")
	p = b.post("/terminal/annulation", form)
	expect(t, p, http.StatusOK, "annulé : rendez 2,00 € au joueur")
	p = b.post("/terminal/controle", url.Values{"code": {last}})
	expect(t, p, http.StatusOK, "Annulé")

	s.pass(31 * time.Minute) // draw 95 is over
	p = b.post("/terminal/annulation", url.Values{"code": {all[0]}, "command": {"late"}})
	expect(t, p, http.StatusConflict, "ne peut plus être annulé")
	var won, lost int
	for _, code := range all[:len(all)-1] {
		p = b.post("/terminal/controle", url.Values{"code": {code}})
		form := p.form("/terminal/paiement")
		switch {
		case strings.Contains(p.body, `class="answer lost"`):
			lost++
			if form != nil {
				t.Error("a loss can be paid")
			}
		case strings.Contains(p.body, `class="answer won"`) && form != nil:
			won++
			_, before := s.sold()
			p = b.post("/terminal/paiement", form)
			expect(t, p, http.StatusOK, "Gagnant, payé", "Payé", "Pour vous")
			expect(t, b.post("/terminal/controle", url.Values{"code": {code}}), http.StatusOK, "Gagnant, déjà payé")
			again := b.post("/terminal/paiement", form)
			expect(t, again, http.StatusOK, "Payé à "+s.clock.Now().In(page.ParisZone()).Format("15:04")+" par ce poste, à cette demande", "à remettre, si ce n’est fait")
			if !answerAgain.MatchString(again.body) || strings.Contains(again.text(), "Gagnant, payé") || strings.Contains(again.text(), "Pour vous") {
				t.Errorf("the same payment asked for again looks like another one: %s", again.text())
			}
			other := maps.Clone(form)
			other.Set("command", "another")
			expect(t, b.post("/terminal/paiement", other), http.StatusConflict, "déjà été payé")
			if _, after := s.sold(); after >= before {
				t.Errorf("the outlet owes %v after it paid, %v before", after, before)
			}
		}
	}
	if lost == 0 {
		t.Error("no ticket lost")
	}
	t.Logf("%d won, %d lost", won, lost)
	expect(t, b.post("/terminal/controle", url.Values{"code": {"ABCD"}}), http.StatusUnprocessableEntity, "Ce code n’est pas complet")
}

// F10: the answer to a form carries what was done, so that neither another node
// nor a restart between form and page hides a ticket that was sold or a prize
// that was paid; and a form that is sent again, its answer lost, has it again.
func TestF10_AnswerOfAnotherNode(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(1000))
	b := s.signedOn()
	other := *b
	server := httptest.NewServer(New(s.sys, Options{Logger: slog.New(slog.DiscardHandler)}))
	t.Cleanup(server.Close)
	other.server = server // the same cookies: a host, not a port, has them

	form := join(b.get("/terminal").form("/terminal/vente"), marks(seven, 1, 200, 1), do("sell"))
	first, again := b.post("/terminal/vente", form), other.post("/terminal/vente", form)
	if len(codes(first)) != 1 || !slices.Equal(codes(first), codes(again)) {
		t.Fatalf("tickets %q, and %q when asked again", codes(first), codes(again))
	}
	if n, owes := s.sold(); n != 1 || owes != 200 {
		t.Errorf("%d tickets sold, owes %v", n, owes)
	}
	p := other.post("/terminal/controle", url.Values{"code": codes(first)})
	expect(t, p, http.StatusOK, "En attente")
	cancel := p.form("/terminal/annulation")
	expect(t, b.post("/terminal/annulation", cancel), http.StatusOK, "annulé : rendez 2,00 € au joueur")
	expect(t, other.post("/terminal/annulation", cancel), http.StatusOK, "annulé à 11:30 par ce poste, à cette demande : 2,00 € à rendre au joueur, si ce n’est fait")
	if p := b.get("/terminal/annulation"); p.path != "/terminal" || p.status != http.StatusOK {
		t.Errorf("the address of an answer leads to %s, status %d", p.path, p.status)
	}
}

// A session that ends in the middle of a sale sends the shopkeeper to sign on,
// and gives him the slip and the basket back; no code of a ticket and no key
// goes into the address.
func TestSignOnKeepsTheDesk(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(1000))
	b := s.signedOn()
	p := b.post("/terminal/vente", join(b.get("/terminal").form("/terminal/vente"), marks(seven, 2, 400, 3), do("add")))
	form := join(p.form("/terminal/vente"), marks(seven[:4], 0, 200, 0), do("sell"))
	b.client.Jar, _ = cookiejar.New(nil)
	form.Set("code", "0001-SECRET")
	p = b.post("/terminal/vente", form)
	expect(t, p, http.StatusOK, "Poste de vente", "Le bulletin et le panier sont gardés")
	for _, name := range []string{"key", "code", "do"} {
		if p.query.Has(name) {
			t.Errorf("%s stands in the address %v", name, p.query)
		}
	}
	at := "/terminal/connexion?" + p.query.Encode()
	p = b.post(at, url.Values{"device": {"wrong"}})
	expect(t, p, http.StatusUnauthorized, "Cette clé n’ouvre aucun poste", "sont gardés")
	p = b.post(at, url.Values{"device": {s.device}})
	expect(t, p, http.StatusOK, "Total 12,00 €")
	if p.path != "/terminal" || strings.Count(p.body, " checked") != 5 {
		t.Errorf("at %s, %d marks", p.path, strings.Count(p.body, " checked"))
	}
	if n, _ := s.sold(); n != 0 {
		t.Errorf("%d tickets sold without a session", n)
	}
}

// Who signs on next at a terminal does not find the last ticket's code there.
func TestSignOffClearsTheCounter(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(1000))
	b := s.signedOn()
	b.post("/terminal/vente", join(b.get("/terminal").form("/terminal/vente"), marks(seven, 1, 200, 1), do("sell")))
	if n := len(codes(b.get("/terminal"))); n != 1 {
		t.Fatalf("%d tickets on the counter, want the last one", n)
	}
	b.post("/terminal/deconnexion", nil)
	if n := len(codes(s.signedOn().get("/terminal"))); n != 0 {
		t.Errorf("%d tickets on the counter after a sign-off", n)
	}
}

// What the player reads is the sale that is being made, not the last one.
func TestStripOfTheNextSale(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(10))
	b := s.signedOn()
	p := b.post("/terminal/vente", join(b.get("/terminal").form("/terminal/vente"), marks(seven, 1, 200, 2), do("sell")))
	expect(t, p, http.StatusOK, "À payer 4,00 €")
	p = b.post("/terminal/vente", join(p.form("/terminal/vente"), marks(seven[:3], 2, 1000, 1), do("add")))
	expect(t, p, http.StatusUnprocessableEntity, "Bonjour")
	p = b.post("/terminal/vente", join(p.form("/terminal/vente"), marks(seven, 2, 1000, 1), do("add")))
	expect(t, p, http.StatusOK, "1 bulletin Total 10,00 €")
	p = b.post("/terminal/vente", join(p.form("/terminal/vente"), do("sell")))
	expect(t, p, http.StatusConflict, "Crédit insuffisant : 10,00 € demandés, il reste 6,00 € sur 10,00 €", "1 bulletin Total 10,00 €")
	if strings.Contains(p.text(), "À payer 4,00 €") {
		t.Error("the player is asked for the price of the sale before")
	}
}
