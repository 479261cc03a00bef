package web

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"tirage/central"
	"tirage/game"
	"tirage/money"
	"tirage/party"
	"tirage/wager"
)

// phone is the code of a slip that a player prepared.
func (s *shop) phone(slip wager.Slip, hold time.Duration) string {
	s.t.Helper()
	rules, err := s.sys.Rules(slip.Game)
	check(s.t, err)
	w, err := wager.New(rules, slip)
	check(s.t, err)
	return s.sys.SignSlip(w, s.clock.Now().Add(hold))
}

var island = wager.Slip{Game: "ile-au-tresor", Boards: []wager.Board{{Picks: game.Picks{seven, {2}}}}, Stake: 400, Draws: 3}

// read sends a text to the field that reads everything, with the desk as the page has it.
func (b *browser) read(p shown, text string) shown {
	b.t.Helper()
	return b.post("/terminal/controle", join(p.form("/terminal/controle"), map[string][]string{"code": {text}}))
}

// ticks are the marks of the slip on the desk.
func (p shown) ticks() string {
	var list []string
	for _, tag := range strings.Split(p.body, "<input ")[1:] {
		tag, _, _ = strings.Cut(tag, ">")
		if strings.Contains(tag, " checked") {
			name, rest, _ := strings.Cut(tag, `name="`)
			_ = name
			field, rest, _ := strings.Cut(rest, `" value="`)
			value, _, _ := strings.Cut(rest, `"`)
			list = append(list, field+"="+value)
		}
	}
	return strings.Join(list, " ")
}

// IAT-2-app: a slip from a phone fills in the desk and goes into no basket by
// itself; what is not right is refused with its reason, and nothing is sold before.
func TestIAT_2_App_Scan(t *testing.T) {
	t.Parallel()
	s := newShopOf(t, money.Euros(1000), "ile-au-tresor", "amigo")
	b := s.signedOn()
	empty := b.get("/terminal?jeu=ile-au-tresor")
	text := s.phone(island, time.Hour)
	p := b.read(empty, text)
	expect(t, p, http.StatusOK, "Bulletin du téléphone : confirmez-le avec le joueur", "Panier 0")
	want := "places=1 places=4 places=9 places=12 places=16 places=19 places=21 pirates=2 stake=400 draws=3"
	if got := p.ticks(); got != want {
		t.Errorf("marked %s, want %s", got, want)
	}
	if n, _ := s.sold(); n != 0 {
		t.Errorf("%d parts sold before the confirmation", n)
	}
	busy := b.read(b.get("/terminal?jeu=ile-au-tresor&places=3"), text)
	expect(t, busy, http.StatusBadRequest, "Un bulletin est en cours")
	if got := busy.ticks(); got != "places=3" {
		t.Errorf("marked %s after a slip that was refused", got)
	}

	quick := s.phone(wager.Slip{Game: "amigo", Boards: []wager.Board{
		{Picks: game.Picks{{1, 6, 11, 16, 21, 26, 31, 36, 41}, {3}}}, {QuickPick: true, Shape: game.Shape{Extras: 1, Columns: 2}},
	}, Stake: 200, Draws: 2}, time.Hour)
	p = b.read(empty, quick)
	expect(t, p, http.StatusOK, "A 1 6 11 16 21 26 31 36 41 + 3", "B Flash × 11 + Flash × 1 ×4")
	if got := p.ticks(); got != "stake=200 draws=2 shape= also=1" && got != "shape= also=1 stake=200 draws=2" {
		t.Errorf("marked %s", got)
	}

	other := strings.Replace(text, "~400~3~", "~400~6~", 1)
	for _, x := range []struct {
		text, says string
		status     int
	}{
		{other, "a été modifié", http.StatusUnprocessableEntity},
		{strings.Replace(text, "~ile-au-tresor~", "~loto~", 1), "autre loterie", http.StatusUnprocessableEntity},
		{"TIRAGE1" + text[7:], "n’est pas celui d’un bulletin préparé", http.StatusUnprocessableEntity},
		{"TIRAGEB1~ile-au-tresor~0011223344556677", "montrez le bulletin entier", http.StatusBadRequest},
		{"https://example.org/menu", "ni celui d’un reçu, ni celui d’un bulletin", http.StatusBadRequest},
		{"1234", "Ce code n’est pas complet", http.StatusUnprocessableEntity},
	} {
		expect(t, b.read(empty, x.text), x.status, x.says)
	}
	s.pass(time.Hour + time.Second)
	expect(t, b.read(b.get("/terminal"), text), http.StatusConflict, "n’est plus valable depuis le 04/01/2027 à 12:30")
}

// The address in a ticket's QR is read as its code is.
func TestScanTicketAddress(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(100))
	b := s.signedOn()
	ticket := s.sell(1)[0]
	code := wager.Code(ticket.Number, ticket.Secret)
	for _, text := range []string{code, "https://tirage.test/t/" + strings.ReplaceAll(code, "-", ""), " " + strings.ToLower(code)} {
		expect(t, b.read(b.get("/terminal"), text), http.StatusOK, "En attente", fmt.Sprint("Reçu ", ticket.Number))
	}
}

// IAT-2.3.2: an old ticket played again has its boards and its stake, and no
// number of draws until the player says it. Tickets of other outlets too.
func TestIAT_2_3_2_Again(t *testing.T) {
	t.Parallel()
	s := newShopOf(t, money.Euros(1000), "ile-au-tresor", "amigo")
	ctx := context.Background()
	other, err := s.sys.PutOutlet(ctx, central.PutOutlet{Key: "other", Officer: s.officer.ID, Outlet: party.Outlet{
		Number: 215, Territory: "metropole", Zone: "Europe/Paris", CreditLimit: money.Euros(1000),
	}})
	check(t, err)
	till, _, err := s.sys.PutTerminal(ctx, central.PutTerminal{Key: "till", Officer: s.officer.ID, Outlet: other.ID})
	check(t, err)
	sold, err := s.sys.Place(ctx, central.Place{Key: "elsewhere", Terminal: till.ID, Slip: island})
	check(t, err)
	b := s.signedOn()
	p := b.read(b.get("/terminal?jeu=amigo"), wager.Code(sold.Number, sold.Secret))
	p = b.post("/terminal/rejouer", p.form("/terminal/rejouer"))
	expect(t, p, http.StatusOK, "Mêmes grilles, même mise : demandez le nombre de tirages")
	want := "places=1 places=4 places=9 places=12 places=16 places=19 places=21 pirates=2 stake=400"
	if got := p.ticks(); got != want {
		t.Errorf("marked %s, want %s", got, want)
	}
	p = b.post("/terminal/vente", join(p.form("/terminal/vente"), marks(seven, 2, 400, 0), do("add")))
	expect(t, p, http.StatusUnprocessableEntity, "Nombre de tirages : aucun n’est coché")
	p = b.post("/terminal/vente", join(p.form("/terminal/vente"), marks(seven, 2, 400, 1), do("sell")))
	expect(t, p, http.StatusOK, "À payer 4,00 €", "Rejouer")

	// From the ticket just sold, with several boards, one of them drawn.
	p = b.get("/terminal?jeu=amigo")
	p = b.post("/terminal/vente", join(p.form("/terminal/vente"), map[string][]string{
		"board": {"1.2.6.11.16.21.26.31.36.41-1", "f0x0_1!-"}, "stake": {"600"}, "draws": {"2"},
	}, do("sell")))
	expect(t, p, http.StatusOK, "Rejouer")
	last, err := wagerOf(s, codes(p)[0])
	check(t, err)
	p = b.post("/terminal/rejouer", p.form("/terminal/rejouer"))
	drawn := last.Plays[1].Picks
	expect(t, p, http.StatusOK, "A 1 2 6 11 16 21 26 31 36 41 + 1 ×2", "B "+numbers(drawn[0])+" + "+numbers(drawn[1]))
	if got := p.ticks(); strings.Contains(got, "draws=") || !strings.Contains(got, "stake=600") {
		t.Errorf("marked %s, want the stake and no draws", got)
	}
	expect(t, b.post("/terminal/rejouer", map[string][]string{"code": {wager.Code(sold.Number, [8]byte{1})}}), http.StatusNotFound)
}

func wagerOf(s *shop, code string) (wager.Ticket, error) {
	number, secret, err := wager.ParseCode(code)
	if err != nil {
		return wager.Ticket{}, err
	}
	c, err := s.sys.Check(context.Background(), number, secret, time.UTC)
	return c.Ticket, err
}

func numbers(list []int) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, " ")
}

var (
	firstDay = regexp.MustCompile(`(?m)^first_day: \S+`)
	version  = regexp.MustCompile(`(?m)^version: \S+`)
)

// What the rules in force no longer allow is not played again, and the page says why.
func TestAgainUnderNewRules(t *testing.T) {
	t.Parallel()
	book, err := game.Book("amigo")
	check(t, err)
	s := newShopWith(t, money.Euros(1000), book)
	sold, err := s.sys.Place(context.Background(), central.Place{Key: "old", Terminal: s.terminal.ID, Slip: wager.Slip{
		Game: "amigo", Boards: []wager.Board{{Picks: game.Picks{{1, 6, 11, 16, 21, 26, 31, 36, 41}, {3}}}}, Stake: 400, Draws: 1,
	}})
	check(t, err)
	next := strings.Replace(string(book), "stakes: [2, 4, 6,", "stakes: [2, 6,", 1)
	next = firstDay.ReplaceAllString(next, "first_day: 2027-01-14")
	next = version.ReplaceAllString(next, `version: "2027"`)
	_, err = s.sys.PublishRules(context.Background(), central.PublishRules{Key: "next", Officer: s.officer.ID, Book: []byte(next)})
	check(t, err)
	b := s.signedOn()
	code := wager.Code(sold.Number, sold.Secret)
	expect(t, b.post("/terminal/rejouer", map[string][]string{"code": {code}}), http.StatusOK, "Mêmes grilles")
	s.pass(10 * 24 * time.Hour)
	b = s.signedOn()
	p := b.post("/terminal/rejouer", map[string][]string{"code": {code}})
	expect(t, p, http.StatusUnprocessableEntity, "Mise par tirage")
	if got := p.ticks(); got != "shape= also=1" {
		t.Errorf("marked %s after a refusal", got)
	}
}

// Playing a ticket again while a slip is begun is refused, and the ticket under
// check stays on the counter, whatever is refused about it.
func TestAgainKeepsTheTicketUnderCheck(t *testing.T) {
	t.Parallel()
	s := newShopOf(t, money.Euros(1000), "ile-au-tresor", "amigo")
	b := s.signedOn()
	_, code := b.sells()
	expect(t, b.read(b.get("/terminal?jeu=ile-au-tresor&places=3"), code), http.StatusOK, "En attente")
	p := b.get("/terminal?jeu=ile-au-tresor&places=3")
	p = b.post("/terminal/rejouer", p.form("/terminal/rejouer"))
	expect(t, p, http.StatusBadRequest, "Un bulletin est en cours", "En attente")
	if got := p.ticks(); got != "places=3" {
		t.Errorf("marked %s", got)
	}
	expect(t, b.get("/terminal?jeu=ile-au-tresor&places=3"), http.StatusOK, "En attente")
}
