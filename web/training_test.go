package web

import (
	"context"
	"errors"
	"image/png"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"tirage/central"
	"tirage/game"
	"tirage/money"
	"tirage/paper"
	"tirage/party"
	"tirage/training"
	"tirage/wager"
)

// newSchool is a shop whose terminals may practise, and has published all that a lottery publishes.
func newSchool(t *testing.T) *shop {
	t.Helper()
	s := newShopOf(t, money.Euros(1000), "ile-au-tresor", "amigo")
	ctx := context.Background()
	_, err := s.sys.PublishTerms(ctx, central.PublishRules{Key: "terms", Officer: s.officer.ID, Book: party.TermsBook()})
	check(t, err)
	_, err = s.sys.PublishAccounts(ctx, central.PublishRules{Key: "accounts", Officer: s.officer.ID, Book: party.Book()})
	check(t, err)
	logger := slog.New(slog.DiscardHandler)
	school := training.New(s.sys, logger)
	s.server.Close()
	s.server = httptest.NewServer(New(s.sys, Options{Logger: logger, Training: school}))
	t.Cleanup(school.Close)
	return s
}

// trains is a browser of the shop's terminal in training.
func (s *shop) trains() *browser {
	s.t.Helper()
	b := s.signedOn()
	if p := b.post("/terminal/formation", do("enter")); p.path != "/terminal" || !p.marked() {
		s.t.Fatalf("enter training: at %s, status %d\n%s", p.path, p.status, p.text())
	}
	return b
}

// marked tells whether a page is marked as one of training, and not in a part of its ways only.
func (p shown) marked() bool {
	ways := []bool{
		strings.Contains(p.body, `<body class="terminal training">`) || strings.Contains(p.body, `<body class="page training">`),
		strings.Contains(p.body, "<title>FORMATION · "), strings.Contains(p.body, `class="training-mark"`),
	}
	return ways[0] && ways[1] && ways[2]
}

// unmarked tells whether nothing on a page is of training.
func (p shown) unmarked() bool {
	return !strings.Contains(p.body, " training\">") && !strings.Contains(p.body, "FORMATION") && !strings.Contains(p.body, "SPÉCIMEN")
}

// sells sells a slip at the desk, and gives the page with its ticket, and its code.
func (b *browser) sells() (shown, string) {
	b.t.Helper()
	p := b.post("/terminal/vente", join(b.get("/terminal?jeu=ile-au-tresor").form("/terminal/vente"), marks(seven, 1, 200, 1), do("sell")))
	list := codes(p)
	if p.status != http.StatusOK || len(list) != 1 {
		b.t.Fatalf("sale: status %d, codes %v\n%s", p.status, list, p.text())
	}
	return p, list[0]
}

// journal is the live journal's size and root, as its signed checkpoint says.
func (s *shop) journal() string {
	s.t.Helper()
	c, err := s.sys.Checkpoint()
	check(s.t, err)
	return string(c)
}

const neverSold = "SPÉCIMEN : ce reçu n’a jamais été vendu"

// F21: a terminal in training does all that a terminal does; every page and paper
// says so; and the live system has no trace of it.
func TestF21_TrainingAtTheTerminal(t *testing.T) {
	t.Parallel()
	s := newSchool(t)
	expect(t, s.signedOn().get("/terminal"), http.StatusOK, "Formation")
	before := s.journal()
	owed, err := s.sys.OutletAccount(s.outlet.ID)
	check(t, err)
	b := s.trains()
	for _, path := range []string{
		"/terminal", "/terminal?jeu=amigo", "/terminal/resultats", "/terminal/comptes", "/terminal/comptes/service", "/terminal/comptes/semaine", "/terminal/messages",
		"/terminal/bon", "/terminal/aide", "/terminal/lecture", "/terminal/formation", "/terminal/comptes/nothing", "/terminal/resultats/nothing", "/terminal/lecture/cases?photo=x",
	} {
		if p := b.get(path); !p.marked() {
			t.Errorf("%s is not marked: status %d\n%s", path, p.status, p.text())
		}
	}
	sold, code := b.sells()
	expect(t, sold, http.StatusOK, "SPÉCIMEN", "À payer 2,00 €", "FORMATION")
	if !strings.HasPrefix(code, "UUUU-") {
		t.Errorf("the code of a ticket in training is %s", code)
	}
	form := func(p shown, action string) url.Values {
		v := p.form(action)
		if v == nil {
			t.Fatalf("no form to %s\n%s", action, p.text())
		}
		return v
	}
	for how, want := range map[string]string{"pdf": "%PDF", "png": "PNG", "page": "data:image/png"} {
		p := b.post("/terminal/impression", join(form(sold, "/terminal/impression"), do(how)))
		if p.status != http.StatusOK || !strings.Contains(p.body, want) {
			t.Errorf("print as %s: status %d", how, p.status)
		}
		if how == "pdf" {
			said := exec.CommandContext(t.Context(), "pdftotext", "-", "-")
			said.Stdin = strings.NewReader(p.body)
			words, err := said.Output()
			check(t, err)
			if !strings.Contains(string(words), "SPÉCIMEN") {
				t.Errorf("a ticket printed in training says\n%s", words)
			}
		}
		if how != "png" {
			continue
		}
		img, err := png.Decode(strings.NewReader(p.body))
		check(t, err)
		says, err := paper.ReadCode(img)
		check(t, err)
		if _, _, err := paper.ParseTicketAddress(says); !errors.Is(err, wager.ErrTraining) {
			t.Errorf("the QR of a ticket printed in training says %q: %v", says, err)
		}
	}
	expect(t, b.post("/terminal/controle", url.Values{"code": {"https://tirage.example/specimen/" + strings.ReplaceAll(code, "-", "")}}), http.StatusOK, "En attente")
	expect(t, b.post("/terminal/rejouer", join(form(sold, "/terminal/rejouer"))), http.StatusOK, "FORMATION")
	file := b.get("/terminal/comptes/semaine/compte.csv")
	if file.status != http.StatusOK || !strings.Contains(file.body, "SPECIMEN") || !strings.Contains(file.header.Get("Content-Disposition"), "specimen-") {
		t.Errorf("a file of accounts in training: status %d, %v\n%s", file.status, file.header, file.body)
	}
	voucher := b.get("/terminal/bon")
	_, action, _ := strings.Cut(voucher.body, `action="/terminal/bon`)
	action, _, _ = strings.Cut(action, `"`)
	bought := b.post("/terminal/bon"+action, join(form(voucher, "/terminal/bon"+action), url.Values{"amount": {"1000"}}))
	expect(t, bought, http.StatusOK, "SPÉCIMEN", "Bon de versement")
	if list := codes(bought); len(list) != 1 {
		t.Errorf("the voucher's codes: %v", list)
	} else if _, _, err := central.ParseVoucher(list[0]); !errors.Is(err, wager.ErrTraining) {
		t.Errorf("a voucher of training is read as one: %v", err)
	}
	undone := b.post("/terminal/annulation", form(sold, "/terminal/annulation"))
	expect(t, undone, http.StatusOK, "annulé", "FORMATION")
	for range 3 {
		b.sells()
	}
	_, code = b.sells()
	expect(t, b.post("/terminal/formation", do("draw:ile-au-tresor")), http.StatusOK, "Dernier tirage : n° 95")
	if p := b.post("/terminal/controle", url.Values{"code": {code}}); p.status != http.StatusOK || strings.Contains(p.text(), "En attente") {
		t.Errorf("after the draw: status %d\n%s", p.status, p.text())
	}
	expect(t, b.post("/terminal/formation", do("morning")), http.StatusOK, "05/01/2027")
	expect(t, b.post("/terminal/formation", do("draw:nothing")), http.StatusNotFound)
	if after := s.journal(); after != before {
		t.Errorf("the live journal was\n%s\nand is\n%s", before, after)
	}
	if owes, err := s.sys.OutletAccount(s.outlet.ID); err != nil || owes != owed {
		t.Errorf("the live outlet owed %v, and owes %v, %v", owed, owes, err)
	}
	if n, _ := s.sold(); n != 0 {
		t.Errorf("%d tickets in live draws", n)
	}
	left := b.post("/terminal/formation", do("leave"))
	if left.path != "/terminal" || !left.unmarked() {
		t.Errorf("after training, at %s: status %d\n%s", left.path, left.status, left.text())
	}
}

// F21: nothing of training is taken by the live system, by no code, address or
// number, on no way; and training takes nothing of the live system.
func TestF21_NeitherTakesTheOthers(t *testing.T) {
	t.Parallel()
	s := newSchool(t)
	sold, live := s.signedOn().sells()
	liveForm := sold.form("/terminal/impression")
	specimen, code := s.trains().sells()
	before := s.journal()
	number, secret, err := wager.ParseTrainingCode(code)
	check(t, err)
	address := "https://tirage.example/specimen/" + strings.ReplaceAll(code, "-", "")
	asLive := wager.Code(number, secret)

	ctx := context.Background()
	if _, err := s.sys.Pay(ctx, central.Pay{Key: "pay", Terminal: s.terminal.ID, Ticket: number, Secret: secret}); !errors.Is(err, central.ErrNoTicket) {
		t.Errorf("live pays it: %v", err)
	}
	b := s.signedOn()
	portal := s.browser()
	qr := codeOf(t, address)
	for _, text := range []string{code, strings.ToLower(code), address, "http://elsewhere.example/specimen/x"} {
		expect(t, b.post("/terminal/controle", url.Values{"code": {text}}), 422, neverSold)
		expect(t, portal.post("/verifier", url.Values{"code": {text}}), 422, neverSold)
	}
	expect(t, portal.get("/t/"+code), 422, neverSold)
	expect(t, portal.get("/specimen/"+code), http.StatusOK, "Spécimen", "sans valeur")
	expect(t, portal.photo(qr), 422, neverSold)
	expect(t, b.photoTo("/terminal/lecture", qr), 422, neverSold)
	for _, path := range []string{"/terminal/paiement", "/terminal/annulation", "/terminal/rejouer", "/terminal/impression"} {
		expect(t, b.post(path, url.Values{"code": {code}, "command": {"x"}, "do": {"pdf"}}), 422, neverSold)
		expect(t, b.post(path, url.Values{"code": {asLive}, "command": {"y"}, "do": {"pdf"}}), 404, "Aucun reçu")
	}
	expect(t, b.post("/terminal/controle", url.Values{"code": {asLive}}), 404, "Aucun reçu")
	expect(t, portal.get("/t/"+asLive), 404, "Aucun reçu")

	const notHere = "Ce reçu n’est pas un spécimen"
	in := s.trains()
	for _, text := range []string{live, "https://tirage.example/t/" + strings.ReplaceAll(live, "-", "")} {
		expect(t, in.post("/terminal/controle", url.Values{"code": {text}}), 422, notHere)
	}
	expect(t, in.photoTo("/terminal/lecture", codeOf(t, paper.TicketAddress("https://tirage.example", live))), 422, notHere)
	for _, path := range []string{"/terminal/paiement", "/terminal/annulation", "/terminal/rejouer", "/terminal/impression"} {
		expect(t, in.post(path, url.Values{"code": {live}, "command": {"formation-x"}, "do": {"pdf"}}), 422, notHere)
	}
	n, key, err := wager.ParseCode(live)
	check(t, err)
	expect(t, in.post("/terminal/controle", url.Values{"code": {wager.TrainingCode(n, key)}}), 404, "Aucun reçu")
	if specimen.form("/terminal/impression").Get("code") == liveForm.Get("code") {
		t.Error("one code for two")
	}
	if after := s.journal(); after != before {
		t.Errorf("the live journal was\n%s\nand is\n%s", before, after)
	}
}

// F21: the mode is the session's. A form that was written in the other mode does
// nothing in either; one that is forged does in training nothing to the live system.
func TestF21_FormsOfTheOtherMode(t *testing.T) {
	t.Parallel()
	s := newSchool(t)
	const other = "ce poste est entré en formation ou l’a quittée"
	b := s.signedOn()
	sold, code := b.sells()
	liveSale := join(b.get("/terminal").form("/terminal/vente"), marks(seven, 2, 200, 1), do("sell"))
	basket := b.post("/terminal/vente", join(b.get("/terminal").form("/terminal/vente"), marks(seven, 3, 200, 1), do("add")))
	liveBasket := basket.form("/terminal/vente")
	at, err := url.Parse(s.server.URL)
	check(t, err)
	liveCookies := b.client.Jar.Cookies(at)
	before := s.journal()

	if p := b.post("/terminal/formation", do("enter")); !p.marked() {
		t.Fatalf("enter training: status %d\n%s", p.status, p.text())
	}
	expect(t, b.post("/terminal/vente", liveSale), http.StatusConflict, other, "FORMATION")
	expect(t, b.post("/terminal/vente", join(liveBasket, do("sell"))), http.StatusConflict, other)
	expect(t, b.post("/terminal/abandon", liveSale), http.StatusConflict, other)
	expect(t, b.post("/terminal/annulation", sold.form("/terminal/annulation")), http.StatusConflict, other)
	if p := b.get("/terminal?" + url.Values{"slip": liveBasket["slip"]}.Encode()); len(p.query["slip"]) > 0 || !p.marked() {
		t.Errorf("a live basket in training, at %s?%s", p.path, p.query.Encode())
	}
	for _, form := range []url.Values{
		{"code": {code}, "command": {"formation-1"}},
		{"code": {code}},
		{"do": {"enter"}},
		{"do": {"sell"}},
		{"device": {s.device}, "do": {"leave:x"}},
		join(marks(seven, 4, 200, 1), do("sell"), url.Values{"key": {"formation-2"}, "training": {"no"}, "mode": {"live"}}),
	} {
		for _, path := range []string{
			"/terminal/vente", "/terminal/controle", "/terminal/paiement", "/terminal/annulation", "/terminal/impression", "/terminal/abandon", "/terminal/rejouer",
			"/terminal/bon", "/terminal/formation",
		} {
			if p := b.post(path, form); !p.marked() && p.status != http.StatusTooManyRequests || p.status >= 500 {
				t.Errorf("%s %v: status %d, not marked\n%s", path, form, p.status, p.text())
			}
		}
	}
	if after := s.journal(); after != before {
		t.Errorf("the live journal was\n%s\nand is\n%s", before, after)
	}
	t.Run("the session before", func(t *testing.T) {
		old := s.browser()
		old.client.Jar.SetCookies(at, liveCookies)
		if p := old.get("/terminal"); p.path != "/terminal/connexion" {
			t.Errorf("the token of before opens %s", p.path)
		}
	})
	if after := s.journal(); after != before {
		t.Errorf("the live journal was\n%s\nand is\n%s", before, after)
	}
}

// F21: a form of training that is sent when the terminal has left it does nothing,
// and a live session reaches training by no address.
func TestF21_LiveWithFormsOfTraining(t *testing.T) {
	t.Parallel()
	s := newSchool(t)
	const other = "ce poste est entré en formation ou l’a quittée"
	before := s.journal()
	in := s.trains()
	sale := join(in.get("/terminal").form("/terminal/vente"), marks(seven, 5, 200, 1), do("sell"))
	trained, _ := in.sells()
	out := s.signedOn()
	for path, form := range map[string]url.Values{
		"/terminal/vente": sale, "/terminal/abandon": sale, "/terminal/annulation": trained.form("/terminal/annulation"),
		"/terminal/bon": {"key": {"formation-3"}, "amount": {"1000"}}, "/terminal/paiement": {"code": {"x"}, "command": {"formation-4"}},
	} {
		p := out.post(path, form)
		expect(t, p, http.StatusConflict, other)
		if strings.Contains(p.body, `class="terminal training"`) {
			t.Errorf("%s: a live page is marked", path)
		}
	}
	for _, what := range []string{"draw:ile-au-tresor", "morning", "leave", ""} {
		expect(t, out.post("/terminal/formation", do(what)), http.StatusBadRequest)
	}
	if after := s.journal(); after != before {
		t.Errorf("the live journal was\n%s\nand is\n%s", before, after)
	}
}

// A terminal changes its mode with nothing on its desk, and keeps the end of its session.
func TestF21_ModeNeedsAnEmptyDesk(t *testing.T) {
	t.Parallel()
	s := newSchool(t)
	b := s.signedOn()
	const refused = "Le panier ou le bulletin n’est pas vide"
	action := regexp.MustCompile(`<form method="post" action="(/terminal/formation[^"]*)"`)
	change := func(in bool, what string) {
		t.Helper()
		p := b.post("/terminal/vente", join(b.get("/terminal?jeu=ile-au-tresor").form("/terminal/vente"), marks(seven, 1, 200, 1), do("add")))
		for _, state := range []string{p.query.Encode(), url.Values{"jeu": {"ile-au-tresor"}, "places": {"3"}}.Encode()} {
			asks := b.get("/terminal/formation?" + state)
			to := action.FindStringSubmatch(asks.body)
			if to == nil {
				t.Fatalf("no form\n%s", asks.text())
			}
			p = b.post(strings.ReplaceAll(to[1], "&amp;", "&"), do(what))
			expect(t, p, http.StatusBadRequest, refused)
			if p.marked() != in {
				t.Errorf("%s with something on the desk: marked %v", what, p.marked())
			}
		}
		if p := b.post("/terminal/formation", do(what)); p.path != "/terminal" || p.marked() == in {
			t.Errorf("%s: at %s, marked %v", what, p.path, p.marked())
		}
	}
	s.pass(10 * time.Hour)
	change(false, "enter")
	change(true, "leave")
	change(false, "enter")
	s.clock.set(opening.Add(17 * time.Hour))
	if p := b.get("/terminal"); p.path != "/terminal/connexion" {
		t.Errorf("an expired session opens %s", p.path)
	}
}

// Where nobody can practise there is no page of it, and a session of training is none.
func TestF21_WithoutTraining(t *testing.T) {
	t.Parallel()
	s := newSchool(t)
	b := s.trains()
	at, err := url.Parse(s.server.URL)
	check(t, err)
	other := httptest.NewServer(New(s.sys, Options{Logger: slog.New(slog.DiscardHandler)}))
	defer other.Close()
	elsewhere, err := url.Parse(other.URL)
	check(t, err)
	b.client.Jar.SetCookies(elsewhere, b.client.Jar.Cookies(at))
	b.server = other
	if p := b.get("/terminal"); p.path != "/terminal/connexion" || !p.unmarked() {
		t.Errorf("a session of training opens %s", p.path)
	}
	b.post("/terminal/connexion", url.Values{"device": {s.device}})
	if p := b.get("/terminal"); p.path != "/terminal" || strings.Contains(p.body, "/terminal/formation") {
		t.Errorf("at %s: the menu leads to training", p.path)
	}
	expect(t, b.get("/terminal/formation"), http.StatusNotFound)
	expect(t, b.post("/terminal/formation", do("enter")), http.StatusNotFound)
}

// What terminals in training ask is limited, all together; those that sell are not.
func TestF21_TrainingIsLimited(t *testing.T) {
	t.Parallel()
	s := newSchool(t)
	b, sells := s.trains(), s.signedOn()
	limited := 0
	for n := 0; n < 600 && limited == 0; n++ { // a slow machine gives tries back meanwhile
		switch p := b.post("/terminal/controle", url.Values{"code": {"x"}}); p.status {
		case http.StatusTooManyRequests:
			limited++
			if !p.marked() {
				t.Error("the refusal is not marked")
			}
		case http.StatusUnprocessableEntity:
		default:
			t.Fatalf("status %d\n%s", p.status, p.text())
		}
	}
	if limited == 0 {
		t.Error("600 forms are not limited")
	}
	sells.sells()
}

// Two terminals of an outlet practise on one system, beside two that sell; a slip
// prepared on a phone is read in training too.
func TestF21_TrainingTogether(t *testing.T) {
	t.Parallel()
	s := newSchool(t)
	ctx := context.Background()
	_, device, err := s.sys.PutTerminal(ctx, central.PutTerminal{Key: "second", Officer: s.officer.ID, Outlet: s.outlet.ID})
	check(t, err)
	first, second := s.trains(), s.browser()
	second.post("/terminal/connexion", url.Values{"device": {device}})
	second.post("/terminal/formation", do("enter"))
	_, code := first.sells()
	expect(t, second.post("/terminal/controle", url.Values{"code": {code}}), http.StatusOK, "En attente", "SPÉCIMEN")
	slip := wager.Slip{Game: "ile-au-tresor", Boards: []wager.Board{{Picks: game.Picks{seven, {1}}}}, Stake: 200, Draws: 1}
	r, err := s.sys.Rules("ile-au-tresor")
	check(t, err)
	played, err := wager.New(r, slip)
	check(t, err)
	text := s.sys.SignSlip(played, s.sys.Now().Add(time.Hour))
	expect(t, second.post("/terminal/controle", url.Values{"code": {text}}), http.StatusOK, "FORMATION", "7/7")
}

// F24: whoever signs on next finds nothing of what was sold before him, however
// that shift ended: signed off, live or in training, by time, or not at all.
func TestF24_NextShopkeeperSeesNothing(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(s *shop, b *browser){
		"signed off": func(_ *shop, b *browser) { b.post("/terminal/deconnexion", nil) },
		"signed off in training": func(s *shop, b *browser) {
			if p := b.post("/terminal/formation", do("enter")); !p.marked() {
				s.t.Fatalf("enter training: status %d", p.status)
			}
			b.sells()
			b.post("/terminal/deconnexion", nil)
		},
		"by time":    func(s *shop, _ *browser) { s.clock.set(opening.Add(17 * time.Hour)) },
		"not at all": func(*shop, *browser) {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSchool(t)
			b := s.signedOn()
			_, code := b.sells()
			end(s, b)
			if p := b.get("/terminal"); strings.HasPrefix(name, "signed off") {
				if p.path != "/terminal/connexion" {
					t.Errorf("after signing off at %s", p.path)
				}
				shift, err := s.sys.Shift(context.Background(), s.terminal.ID)
				check(t, err)
				if !shift.OpenedAt.IsZero() {
					t.Errorf("the shift is open since %v", shift.OpenedAt)
				}
			}
			next := s.signedOn()
			for _, path := range []string{"/terminal", "/terminal/lecture", "/terminal/comptes/service"} {
				if p := next.get(path); strings.Contains(p.body, code) || p.status != http.StatusOK {
					t.Errorf("%s: status %d, the code of before: %v", path, p.status, strings.Contains(p.body, code))
				}
			}
		})
	}
}
