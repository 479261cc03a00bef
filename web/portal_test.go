package web

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tirage/central"
	"tirage/game"
	"tirage/money"
	"tirage/paper"
	"tirage/settle"
	"tirage/wager"
	"tirage/web/page"
	"tirage/web/page/pagetest"
)

// Every page of everybody is French or English as the browser asks, says whom
// to call and whom the games are for, and is well-formed; none needs script.
func TestPortalPages(t *testing.T) {
	t.Parallel()
	s, _ := newPortal(t)
	b := s.browser()
	slip := "/preparer?jeu=ile-au-tresor&places=1&places=6&places=11&places=16&places=17&places=20&places=21&pirates=3&stake=200&draws=2&do=show"
	for _, x := range []struct {
		path   string
		status int
		fr, en string
	}{
		{"/", http.StatusOK, "Prochain tirage", "Next draw"},
		{"/", http.StatusOK, "parmi 40 unités en vente", "among 40 units on sale"}, // F15
		{"/resultats", http.StatusOK, "Ile au Trésor", "Treasure Island"},
		{"/resultats?jeu=amigo&jour=2027-01-04", http.StatusOK, "Coefficient", "Multiplier"},
		{"/resultats?jour=1999-01-01", http.StatusOK, "Aucun tirage", "No draw"},
		{fmt.Sprintf("/tirage?id=%d", s.last("ile-au-tresor").ID), http.StatusOK, "Vérifiez vous-même", "Verify it yourself"},
		{fmt.Sprintf("/tirage?id=%d", s.last("amigo").ID), http.StatusOK, "Gains calculés", "Prizes counted"},
		{"/verifier", http.StatusOK, "Code du reçu", "Code of the ticket"},
		{"/preparer", http.StatusOK, "Rien n’est acheté ici", "Nothing is bought here"},
		{"/preparer?jeu=amigo", http.StatusOK, "un par colonne", "one a column"},
		{slip, http.StatusOK, "Ce code est un bulletin, pas un reçu", "This code is a slip, not a ticket"},
		{"/chances", http.StatusOK, "1 sur 348 840", "1 in 348,840"},
		{"/chances", http.StatusOK, "Sur 1 € misé, 65,00 centimes reviennent", "Of €1 staked, 65.00 cents come back"},
		{"/jeu-responsable", http.StatusOK, "exclusion", "Exclusion"},
		{"/nulle-part", http.StatusNotFound, "Cette page n’existe pas", "There is no such page"},
	} {
		for i, lang := range page.Langs {
			p := b.do(http.MethodGet, x.path, "", http.Header{"Accept-Language": {[]string{"fr-CH,fr;q=0.9,en;q=0.5", "en-GB,de;q=0.5"}[i]}})
			expect(t, p, x.status, []string{x.fr, x.en}[i], "09 74 75 13 13", "joueurs-info-service.fr", "18+")
			for _, fault := range pagetest.HTML(p.body, lang) {
				t.Errorf("%s in %s: %v", x.path, lang, fault)
			}
		}
	}
}

// The door of a draw game says that its sales are suspended when this node sells
// nothing, and while draws wait to be opened whose sales should be open; and no longer once they go on.
func TestHomeSalesSuspended(t *testing.T) {
	t.Parallel()
	book, err := game.Book("ile-au-tresor")
	check(t, err)
	var skew atomic.Int64
	s := newShopMore(t, money.Euros(1000), func(o *central.Options) {
		now := o.Clock.Now
		o.Clock.Wall = func() time.Time { return now().Add(time.Duration(skew.Load())) }
	}, book)
	b := s.browser()
	door := func(suspended bool, fr, en string) {
		t.Helper()
		for lang, words := range map[string][2]string{"fr": {fr, "Ventes suspendues"}, "en": {en, "Sales suspended"}} {
			p := b.do(http.MethodGet, "/?lang="+lang, "", nil)
			expect(t, p, http.StatusOK)
			text := p.text()
			if strings.Contains(text, words[1]) != suspended || strings.Contains(text, words[0]) == suspended {
				t.Errorf("in %s, suspended %v: %s", lang, suspended, text)
			}
		}
	}
	door(false, "Prochain tirage", "Next draw")
	skew.Store(int64(time.Minute)) // somebody sets the wall clock
	door(true, "Prochain tirage", "Next draw")
	check(t, s.sys.ConfirmClock(context.Background(), "clock", s.officer.ID))
	door(false, "Prochain tirage", "Next draw")

	for status, err := s.sys.Status("ile-au-tresor"); len(status.Upcoming) > 0; status, err = s.sys.Status("ile-au-tresor") {
		check(t, err)
		s.pass(status.Upcoming[0].DrawsAt.Sub(s.clock.Now()))
	}
	door(false, "Les ventes rouvrent", "Sales open again")
	status, err := s.sys.Status("ile-au-tresor")
	check(t, err)
	s.clock.set(status.NextOpensAt) // and nobody opens them
	door(true, "Les ventes rouvrent", "Sales open again")
	s.tick()
	door(false, "Prochain tirage", "Next draw")
}

// What is not right in an address or a form is refused in a sentence, with the frame around it.
func TestPortalHostileInput(t *testing.T) {
	t.Parallel()
	s, _ := newPortal(t)
	b := s.browser()
	evil := `%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E`
	for _, x := range []struct {
		path   string
		status int
	}{
		{"/tirage", 404},
		{"/tirage?id=0", 404},
		{"/tirage?id=-1", 404},
		{"/tirage?id=01", 404},
		{"/tirage?id=9223372036854775807", 404},
		{"/tirage?id=99999999999999999999999", 404},
		{"/tirage?id=" + evil, 404},
		{"/resultats?jeu=" + evil, 404},
		{"/resultats?jour=2027-13-01", 422},
		{"/resultats?jour=9999999-01-01", 422},
		{"/resultats?jour=" + evil, 422},
		{"/resultats?jour=2027-01-04&avant=-1", 400},
		{"/resultats?jour=2027-01-04&avant=99999999999", 400},
		{"/preparer?jeu=nothing", 404},
		{"/preparer?places=" + evil, 400},
		{"/preparer?places=99999999999", 400},
		{"/preparer?board=" + evil, 400},
		{"/preparer?do=" + evil, 400},
		{"/preparer?do=unboard:1", 400},
		{"/preparer?do=show", 422},
		{"/preparer?places=99&pirates=1&stake=200&draws=1&do=show", 422},
		{"/preparer?places=1&places=1&places=2&places=3&places=4&places=5&places=6&pirates=1&stake=200&draws=1&do=show", 422},
		{"/preparer?stake=201&draws=1&do=show&board=1.2.3.4.5.6.7-1", 422},
		{"/preparer?board=" + strings.Repeat("1.", 2000) + "1-1", 400},
		{"/preparer?" + strings.Repeat("board=1-1&", 40), 400},
		{"/preparer?" + strings.Repeat("places=1&", 400), 400},
		{"/%00", 404},
		{"/..%2f..%2fetc", 404},
	} {
		p := b.get(x.path)
		if p.status != x.status {
			t.Errorf("%.80s: status %d, want %d", x.path, p.status, x.status)
		}
		if strings.Contains(p.body, "<script>") || !strings.Contains(p.body, "09 74 75 13 13") {
			t.Errorf("%.80s: not the portal's page, or not escaped", x.path)
		}
	}
}

// F09, F24: the three answers are those of the terminals; a wrong number and a
// wrong code are one answer, and tries are limited.
func TestF09_PortalCheck(t *testing.T) {
	t.Parallel()
	s, tickets := newPortal(t)
	b := s.browser()
	ask := func(code string) shown { return b.post("/verifier", map[string][]string{"code": {code}}) }
	won := s.standing(tickets, settle.Won)
	p := ask(strings.ToLower(won))
	number, secret, err := wager.ParseCode(won)
	check(t, err)
	c, err := s.sys.Check(context.Background(), number, secret, page.ParisZone())
	check(t, err)
	expect(t, p, http.StatusOK, "Gagnant", spaces.ReplaceAllString(page.French.Money(c.Answer.Total), " "), "Payable dans tout point de vente")
	expect(t, ask(s.standing(tickets, settle.Lost)), http.StatusOK, "Perdant")
	later, err := s.sys.Place(context.Background(), central.Place{
		Key: "later", Terminal: s.terminal.ID, Slip: wager.Slip{Game: "ile-au-tresor", Boards: []wager.Board{{QuickPick: true}}, Stake: 200, Draws: 2},
	})
	check(t, err)
	expect(t, ask(wager.Code(later.Number, later.Secret)), http.StatusOK, "En attente", "2 tirages restent à certifier")

	wrongSecret := ask(wager.Code(number, [8]byte{1}))
	wrongNumber := ask(wager.Code(number+100_000, secret))
	typed := regexp.MustCompile(`value="[^"]*"`)
	if wrongSecret.status != http.StatusNotFound || wrongSecret.status != wrongNumber.status ||
		typed.ReplaceAllString(wrongSecret.body, "") != typed.ReplaceAllString(wrongNumber.body, "") {
		t.Error("a wrong number and a wrong code are told apart")
	}
	expect(t, ask(`"><script>`+strings.Repeat("x", 9999)), http.StatusUnprocessableEntity, "Ce code n’est pas complet")
	if p := ask(`"><script>`); strings.Contains(p.body, "<script>") {
		t.Error("what was typed is not escaped")
	}
	for range 1000 { // a slow machine gives tries back meanwhile
		if p = ask(won); p.status == http.StatusTooManyRequests {
			expect(t, p, http.StatusTooManyRequests, "Trop d’essais", "09 74 75 13 13")
			return
		}
	}
	t.Error("1,000 checks are all answered")
}

// F09: a cancelled ticket has lost, and what a cancelled draw gives back is won.
func TestF09_PortalCancelled(t *testing.T) {
	t.Parallel()
	s := newShopOf(t, money.Euros(100), "amigo")
	place := func(key string) wager.Ticket {
		ticket, err := s.sys.Place(context.Background(), central.Place{Key: key, Terminal: s.terminal.ID, Slip: wager.Slip{
			Game: "amigo", Boards: []wager.Board{{QuickPick: true}}, Stake: 200, Draws: 1,
		}})
		check(t, err)
		return ticket
	}
	gone, kept := place("gone"), place("kept")
	_, err := s.sys.Cancel(context.Background(), central.Cancel{Key: "c", Terminal: s.terminal.ID, Ticket: gone.Number, Secret: gone.Secret})
	check(t, err)
	s.cancelDraws(kept.Draws[0].Number)
	s.pass(2 * time.Hour)
	b := s.browser()
	ask := func(x wager.Ticket) shown {
		return b.post("/verifier", map[string][]string{"code": {wager.Code(x.Number, x.Secret)}})
	}
	expect(t, ask(gone), http.StatusOK, "Perdant", "annulé")
	expect(t, ask(kept), http.StatusOK, "Gagnant", "2,00 €", "Mise à rendre")
}

// The portal gives the slip on paper of the rules in force, to print at home: a
// terminal refuses one of other rules.
func TestPortalBulletin(t *testing.T) {
	t.Parallel()
	book, err := game.Book("ile-au-tresor")
	check(t, err)
	s := newShopWith(t, money.Euros(100), []byte(strings.Replace(string(book), "max: 50", "max: 60", 1)))
	r, err := s.sys.Rules("ile-au-tresor")
	check(t, err)
	l, err := paper.NewLayout(r)
	check(t, err)
	pdf, err := l.PDF()
	check(t, err)
	b := s.browser()
	if p := b.get("/preparer"); !strings.Contains(p.body, `href="/bulletin/ile-au-tresor.pdf"`) {
		t.Error("no link to the slip on paper")
	}
	p := b.get("/bulletin/ile-au-tresor.pdf")
	if p.status != http.StatusOK || p.body != string(pdf) {
		t.Errorf("status %d, %d bytes; want the slip of the rules in force, %d bytes", p.status, len(p.body), len(pdf))
	}
	for _, file := range []string{"amigo.pdf", "ile-au-tresor", "ile-au-tresor-instant.pdf", "%2e%2e.pdf"} {
		if p := b.get("/bulletin/" + file); p.status != http.StatusNotFound {
			t.Errorf("%s: status %d", file, p.status)
		}
	}
}

// A slip is filled in step by step without script, and what its code says is
// read by the lottery; nothing is sold by it.
func TestPortalPrepare(t *testing.T) {
	t.Parallel()
	s := newShopOf(t, money.Euros(100), "ile-au-tresor", "amigo")
	b := s.browser()
	before, _ := s.sold()
	p := b.get("/preparer?jeu=amigo&numbers=1&numbers=6&numbers=11&numbers=16&numbers=21&numbers=26&numbers=31&numbers=36&numbers=41&jackpot=3&stake=400&draws=2&do=board")
	expect(t, p, http.StatusOK, "Vos grilles", "1, 6, 11, 16, 21, 26, 31, 36, 41", "8,00 €")
	field := regexp.MustCompile(`name="board" value="([^"]*)"`).FindStringSubmatch(p.body)
	if field == nil || field[1] != "1.6.11.16.21.26.31.36.41-3" {
		t.Fatalf("boards %q", field)
	}
	p = b.get("/preparer?jeu=amigo&board=" + field[1] + "&stake=400&draws=2&do=flash")
	expect(t, p, http.StatusOK, "9 au hasard", "16,00 €")
	p = b.get("/preparer?jeu=amigo&board=" + field[1] + "&board=f0x0_1!-&stake=400&draws=2&do=show")
	expect(t, p, http.StatusOK, "Ce code est un bulletin, pas un reçu", "16,00 €")
	if !strings.Contains(p.body, `<svg class="qr"`) {
		t.Error("no code")
	}
	expect(t, b.get("/preparer?jeu=amigo&board="+field[1]+"&stake=400&draws=2&do=unboard:1"), http.StatusOK, "Numéros")
	expect(t, b.get("/preparer?jeu=amigo&board="+field[1]+"&stake=1000&draws=20&do=price"), http.StatusOK, "200,00 €, au-dessus des 100,00 € permis") // AMI-5.2
	expect(t, b.get("/preparer?jeu=amigo&numbers=1&do=board"), http.StatusUnprocessableEntity, "1 colonnes sur 9")
	expect(t, b.get("/preparer?jeu=amigo&board="+field[1]+"&draws=2&do=show"), http.StatusUnprocessableEntity, "mise")
	if after, _ := s.sold(); after != before {
		t.Errorf("%d tickets sold by preparing a slip", after-before)
	}
}
