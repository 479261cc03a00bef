package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/money"
	"tirage/party"
)

const both = "amigo ile-au-tresor"

// newShopOfBoth is a shop that sells both games.
func newShopOfBoth(t testing.TB, credit money.Amount) *shop {
	t.Helper()
	var games []game.Code
	for code := range strings.FieldsSeq(both) {
		games = append(games, game.Code(code))
	}
	return newShopOf(t, credit, games...)
}

// nine is a combination of Amigo.
var nine = []int{1, 6, 11, 16, 21, 26, 31, 36, 41}

// amigoMarks fills in a slip of Amigo.
func amigoMarks(numbers, jackpot []int, stake money.Amount, draws int) url.Values {
	v := marks(nil, 0, stake, draws)
	v.Set("jeu", "amigo")
	for _, n := range numbers {
		v.Add("numbers", strconv.Itoa(n))
	}
	for _, n := range jackpot {
		v.Add("jackpot", strconv.Itoa(n))
	}
	return v
}

const amigoDesk = "/terminal?jeu=amigo"

// sale is the form of a page without the game, which the marks name.
func (p shown) sale() url.Values {
	v := p.form("/terminal/vente")
	v.Del("jeu")
	return v
}

// AMI-4.2: what the ticket says, and that the minimum jackpot is not on it when
// there are several draws.
func TestAMI_4_2_Ticket(t *testing.T) {
	t.Parallel()
	s := newShopOfBoth(t, money.Euros(1000))
	b := s.signedOn()
	p := b.get(amigoDesk)
	p = b.post("/terminal/vente", join(p.sale(), amigoMarks(append([]int{2}, nine...), []int{3, 5}, 400, 1), do("sell")))
	expect(t, p, http.StatusOK,
		"Enregistré le 04/01/2027 11:30:00", "Point d’enregistrement 214", "Numéro séquentiel", "lundi 4 janvier 2027", "Tirage(s) n° 90",
		"Numéros 1 2 6 11 16 21 26 31 36 41", "Numéro Jackpot 3 5", "Jeu multiple : 4 combinaisons", "Multiplicateur OUI",
		"Mise par tirage 4,00 €", "Nombre de tirages 1", "Total à payer 16,00 €", "À payer 16,00 €")
	if !strings.Contains(p.body, `alt="Amigo"`) || strings.Contains(p.body, `class="ticketmap"`) {
		t.Error("no logo of the game on its ticket, or the map of another")
	}
	if _, owes := s.sold(); owes != 1600 {
		t.Errorf("the outlet owes %v, want 16.00", owes)
	}
	p = b.post("/terminal/vente", join(p.sale(), amigoMarks(nine, []int{1}, 200, 2), do("sell")))
	expect(t, p, http.StatusOK, "Tirage(s) n° 90, 91", "Total à payer 4,00 €", "Multiplicateur OUI")
	if strings.Contains(p.text(), "Jackpot minimum") {
		t.Error("the minimum jackpot on a ticket of several draws")
	}
}

// AMI-4.2: the minimum jackpot of a single draw, once it is known.
func TestAMI_4_2_MinimumJackpot(t *testing.T) {
	t.Parallel()
	s := newShopOfBoth(t, money.Euros(1000))
	b := s.signedOn()
	p := b.post("/terminal/vente", join(b.get(amigoDesk).sale(), amigoMarks(nine, []int{1}, 200, 1), do("sell")))
	expect(t, p, http.StatusOK, "Jackpot minimum 250 000,00 €")
}

// AMI-3.1.3, AMI-3.1.8: several boards on a slip, simple, multiple and quick pick; one ticket.
func TestAMI_3_1_3_Boards(t *testing.T) {
	t.Parallel()
	s := newShopOfBoth(t, money.Euros(1000))
	b := s.signedOn()
	p := b.post("/terminal/vente", join(b.get(amigoDesk).sale(), amigoMarks(nine, []int{1}, 200, 0), do("board")))
	expect(t, p, http.StatusOK, "B en cours")
	ask := url.Values{"shape": {"2x1"}, "also": {"2"}}
	p = b.post("/terminal/vente", join(p.sale(), amigoMarks(nil, nil, 200, 0), ask, do("flashboard")))
	expect(t, p, http.StatusOK, "Flash × 11", "Flash × 2", "×6", "C en cours")
	p = b.post("/terminal/vente", join(p.sale(), amigoMarks(append([]int{2}, nine...), []int{4}, 200, 2), do("add")))
	expect(t, p, http.StatusOK, "Total 36,00 €") // (1 + 6 + 2) × 2 € × 2 draws
	p = b.post("/terminal/vente", join(p.sale(), url.Values{"jeu": {"amigo"}}, do("sell")))
	expect(t, p, http.StatusOK, "1 reçu", "À payer 36,00 €", "A Numéros", "B Numéros", "C Numéros", "Jeu multiple : 6 combinaisons")
	if _, owes := s.sold(); owes != 3600 {
		t.Errorf("the outlet owes %v, want 36.00", owes)
	}
	// A board is taken off again.
	p = b.post("/terminal/vente", join(b.get(amigoDesk).sale(), amigoMarks(nine, []int{1}, 0, 0), do("board")))
	p = b.post("/terminal/vente", join(p.sale(), amigoMarks(nil, nil, 0, 0), do("unboard:1")))
	expect(t, p, http.StatusOK, "A en cours")
}

// AMI-3.2: a quick pick has the shape and the jackpot numbers that the player
// asked for; part of a board is not completed.
func TestAMI_3_2_QuickPick(t *testing.T) {
	t.Parallel()
	s := newShopOfBoth(t, money.Euros(1000))
	b := s.signedOn()
	p := b.post("/terminal/vente", join(b.get(amigoDesk).sale(), amigoMarks(nil, nil, 200, 1), url.Values{"shape": {"4x2"}, "also": {"2"}}, do("flash")))
	expect(t, p, http.StatusOK, "Flash × 17", "Flash × 2", "×50", "Total 100,00 €")
	p = b.post("/terminal/vente", join(p.sale(), url.Values{"jeu": {"amigo"}}, do("sell")))
	expect(t, p, http.StatusOK, "Jeu multiple : 50 combinaisons", "À payer 100,00 €")
	p = b.post("/terminal/vente", join(p.sale(), amigoMarks([]int{3}, nil, 200, 1), do("flash")))
	expect(t, p, http.StatusUnprocessableEntity, "Ce jeu ne complète pas une grille déjà cochée")
}

// AMI-5.2: above 100 € nothing goes into the basket, and what still fits is offered, ready to be pressed.
func TestAMI_5_2_Offers(t *testing.T) {
	t.Parallel()
	s := newShopOfBoth(t, money.Euros(1000))
	b := s.signedOn()
	dear := amigoMarks(append([]int{2, 7}, nine...), []int{3}, 600, 5) // 4 × 6 € × 5 = 120 €
	p := b.post("/terminal/vente", join(b.get(amigoDesk).sale(), dear, do("add")))
	expect(t, p, http.StatusUnprocessableEntity, "2 tirages : 48,00 €", "mise 4,00 € : 80,00 €")
	if len(p.sale()["slip"]) != 0 {
		t.Error("it is in the basket")
	}
	p = b.post("/terminal/vente", join(p.sale(), dear, do("draws:2")))
	expect(t, p, http.StatusOK, "= 24,00 € par tirage", "48,00 €")
	if !strings.Contains(p.body, `name="draws" value="2" checked`) {
		t.Error("the offer is not marked")
	}
}

// AMI-3.1.6: a shape that is not allowed is refused where it is, and the ticks stay.
func TestAMI_3_1_6_ShapeRefused(t *testing.T) {
	t.Parallel()
	s := newShopOfBoth(t, money.Euros(1000))
	b := s.signedOn()
	for _, numbers := range [][]int{append([]int{2, 3, 7}, nine...), append([]int{2, 3, 7, 8, 12, 13, 17, 18}, nine...), nine[1:]} {
		p := b.post("/terminal/vente", join(b.get(amigoDesk).sale(), amigoMarks(numbers, []int{1}, 200, 1), do("add")))
		if p.status != http.StatusUnprocessableEntity || !strings.Contains(p.body, `class="matrix columns fault"`) || !strings.Contains(p.body, `id="refusal"`) {
			t.Errorf("%v: status %d: %s", numbers, p.status, p.text())
		}
		if n := strings.Count(p.body, " checked"); n != len(numbers)+5 { // with the jackpot number, the stake, the draws and the shape's two
			t.Errorf("%v: %d marks are left", numbers, n)
		}
	}
}

// A basket holds slips of several games, and one key sells them all.
func TestBasketOfTwoGames(t *testing.T) {
	t.Parallel()
	s := newShopOfBoth(t, money.Euros(1000))
	b := s.signedOn()
	p := b.post("/terminal/vente", join(b.get(amigoDesk).sale(), amigoMarks(nine, []int{1}, 200, 5), do("add")))
	expect(t, p, http.StatusOK, "Total 10,00 €")
	p = b.post("/terminal/vente", join(p.sale(), url.Values{"jeu": {"amigo"}}, do("game:ile-au-tresor")))
	if got := p.query.Get("jeu"); got != "ile-au-tresor" || !strings.Contains(p.body, `name="places"`) {
		t.Fatalf("the desk shows %q", got)
	}
	expect(t, p, http.StatusOK, "Total 10,00 €")
	island := join(p.sale(), marks(seven, 2, 400, 3), url.Values{"jeu": {"ile-au-tresor"}})
	p = b.post("/terminal/vente", join(island, do("sell")))
	expect(t, p, http.StatusOK, "2 reçus", "À payer 22,00 €", "Multiplicateur OUI", "Vos lieux")
	if _, owes := s.sold(); owes != 2200 {
		t.Errorf("the outlet owes %v, want 22.00", owes)
	}
}

// AMI-8.1.1, AMI-8.1.2: a multiple play that wins is told all its ranks, and paid what they come to.
func TestAMI_8_1_1_CheckAndPay(t *testing.T) {
	t.Parallel()
	s := newShopOfBoth(t, money.Euros(100_000))
	b := s.signedOn()
	p := b.get(amigoDesk)
	var all []string
	for n := range 5 { // 25 combinations of the first two columns, whose other numbers go through each row
		numbers := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
		for column := 2; column < 9; column++ {
			numbers = append(numbers, 5*column+1+(n+column)%5)
		}
		p = b.post("/terminal/vente", join(p.sale(), amigoMarks(numbers, []int{1}, 200, 1), do("sell")))
		all = append(all, codes(p)...)
	}
	if len(all) != 5 {
		t.Fatalf("%d tickets", len(all))
	}
	s.pass(6 * time.Minute) // the draw is drawn, settled, certified
	several, paid := 0, 0
	for _, code := range all {
		p = b.post("/terminal/controle", url.Values{"code": {code}})
		several += strings.Count(p.body, `class="rank"`)
		if form := p.form("/terminal/paiement"); form != nil {
			_, before := s.sold()
			p = b.post("/terminal/paiement", form)
			expect(t, p, http.StatusOK, "Gagnant, payé", "Pour vous")
			if _, after := s.sold(); after >= before {
				t.Errorf("the outlet owes %v after it paid, %v before", after, before)
			}
			paid++
		}
	}
	if paid == 0 || several < 2 { // of five numbers in each column one is drawn: some ticket has 3 hits and more
		t.Errorf("%d paid, %d ranks told", paid, several)
	}
}

// change has two officers change something.
func (s *shop) change(key string, c central.Change) {
	s.t.Helper()
	ctx := context.Background()
	other := s.second()
	c.Reason = "panne"
	p, err := s.sys.Propose(ctx, central.Propose{Key: key, Officer: s.officer.ID, Change: c})
	check(s.t, err)
	_, err = s.sys.Approve(ctx, central.Decide{Key: key, Officer: other.ID, Proposal: p.ID})
	check(s.t, err)
	s.tick()
}

// second is another officer than the shop's.
func (s *shop) second() party.Officer {
	s.t.Helper()
	ctx := context.Background()
	other, err := s.sys.PutOfficer(ctx, central.PutOfficer{Key: "other", By: s.officer.ID, Login: "other", Password: "battery staple", Roles: []string{"operations"}})
	check(s.t, err)
	check(s.t, s.sys.ChangePassword(ctx, central.ChangePassword{Key: "own", Officer: other.ID, Old: "battery staple", New: "correct horse"}))
	return other
}

// draws are draws of Amigo on the test's day, by their numbers.
func (s *shop) draws(numbers ...int) (list []central.DrawView) {
	s.t.Helper()
	all, err := s.sys.Draws(context.Background(), "amigo", game.NewDay(2027, 1, 4))
	check(s.t, err)
	for _, n := range numbers {
		i := slices.IndexFunc(all, func(d central.DrawView) bool { return d.Number == n })
		list = append(list, all[i])
	}
	return list
}

// cancelDraws has two officers cancel draws of Amigo, postpone put them off.
func (s *shop) cancelDraws(numbers ...int) {
	s.t.Helper()
	s.change(fmt.Sprint("cancel/", numbers), central.Change{Act: central.ActCancelDraw, Draws: ids(s.draws(numbers...))})
}

func (s *shop) postpone(shift time.Duration, numbers ...int) {
	s.t.Helper()
	s.change(fmt.Sprint("postpone/", numbers), central.Change{Act: central.ActPostpone, Shift: shift, Draws: ids(s.draws(numbers...))})
}

func ids(draws []central.DrawView) (list []draw.ID) {
	for _, d := range draws {
		list = append(list, d.ID)
	}
	return list
}

// F18: the basket names and prices the draws that the ticket then has: not those that
// were cancelled, and those postponed at their new place; also beyond the next few.
func TestF18_BasketAsTheTicket(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(*shop)
		draws  int
		want   string
	}{
		{"cancelled", func(s *shop) { s.cancelDraws(97, 98) }, 10, "90, 91, 92, 93, 94, 95, 96, 99, 100, 101"},
		{"postponed", func(s *shop) { s.postpone(52*time.Minute, 92) }, 20, "90, 91, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 92, 103, 104, 105, 106, 107, 108, 109"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newShopOfBoth(t, money.Euros(1000))
			c.change(s)
			b := s.signedOn()
			p := b.post("/terminal/vente", join(b.get(amigoDesk).sale(), amigoMarks(nine, []int{1}, 200, c.draws), do("add")))
			price := fmt.Sprintf("%d,00 €", 2*c.draws)
			expect(t, p, http.StatusOK, "tirages "+c.want+" "+price, "Total "+price)
			p = b.post("/terminal/vente", join(p.sale(), url.Values{"jeu": {"amigo"}}, do("sell")))
			expect(t, p, http.StatusOK, "Tirage(s) n° "+c.want+" ", "Total à payer "+price)
		})
	}
}

// F18: near the end of the day draws that were cancelled are no longer left: the
// page says how many there are, and a slip over more of them is cut, or refused, by that.
func TestF18_EndOfTheDayWithCancelledDraws(t *testing.T) {
	t.Parallel()
	book, err := game.Book("amigo")
	check(t, err)
	for reading, basket := range map[string]string{
		"cut":    "tirages 242, 243, 244, 245, 246, 247, 249 14,00 €",
		"refuse": "41 + 1 La session n’a plus que 7 tirages. 20,00 €",
	} {
		t.Run(reading, func(t *testing.T) {
			t.Parallel()
			s := newShopWith(t, money.Euros(1000), []byte(strings.Replace(string(book), "over_run: refuse", "over_run: "+reading, 1)))
			s.clock.set(s.draws(242)[0].ClosesAt.Add(-time.Minute))
			s.tick()
			s.cancelDraws(248, 250)
			b := s.signedOn()
			p := b.post("/terminal/vente", join(b.get("/terminal").sale(), amigoMarks(nine, []int{1}, 200, 10), do("add")))
			expect(t, p, http.StatusOK, basket, "La session n’a plus que 7 tirages")
			p = b.post("/terminal/vente", join(p.sale(), do("sell")))
			if reading == "cut" {
				expect(t, p, http.StatusOK, "Tirage(s) n° 242, 243, 244, 245, 246, 247, 249 ", "Total à payer 14,00 €")
			} else {
				expect(t, p, http.StatusConflict, "10 demandés, il en reste 7 dans la session")
			}
		})
	}
}

// F18: the desk shows a postponed draw at its new place and time.
func TestF18_PostponedDrawOnTheDesk(t *testing.T) {
	t.Parallel()
	s := newShopOfBoth(t, money.Euros(1000))
	s.postpone(12*time.Minute, 92)
	expect(t, s.signedOn().get(amigoDesk), http.StatusOK, "90 11:35 91 11:40 93 11:50 94 11:55 92 11:57 95 12:00 ")
}

// F16, F18: the key that takes a ticket back is there while the ticket can be taken
// back, and only then: no draw of it was cancelled, the first to close has not.
func TestF16_CancelKey(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(*shop)
		want   bool
	}{
		{"as sold", func(*shop) {}, true},
		{"first draw postponed", func(s *shop) { s.postpone(time.Hour, 90) }, true},
		{"first draw postponed, second closed", func(s *shop) { s.postpone(time.Hour, 90); s.pass(11 * time.Minute) }, false},
		{"second draw cancelled", func(s *shop) { s.cancelDraws(91) }, false},
		{"first draw closed early", func(s *shop) {
			s.pass(time.Second)
			s.change("close", central.Change{Act: central.ActClose, Draws: ids(s.draws(90))})
		}, false},
		{"outlet blocked", func(s *shop) {
			blocked := s.outlet
			blocked.Blocked = true
			_, err := s.sys.PutOutlet(context.Background(), central.PutOutlet{Key: "block", Officer: s.officer.ID, Outlet: blocked})
			check(s.t, err)
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newShopOfBoth(t, money.Euros(1000))
			b := s.signedOn()
			p := b.post("/terminal/vente", join(b.get(amigoDesk).sale(), amigoMarks(nine, []int{1}, 200, 2), do("sell")))
			code := codes(p)[0]
			c.change(s)
			if form := b.get(amigoDesk).form("/terminal/annulation"); (form != nil) != c.want { // of the ticket sold last
				t.Errorf("beside the ticket sold: %v", form)
			}
			p = b.post("/terminal/controle", url.Values{"code": {code}})
			form := p.form("/terminal/annulation")
			if (form != nil) != c.want {
				t.Fatalf("on check: %v", form)
			}
			if form != nil {
				expect(t, b.post("/terminal/annulation", form), http.StatusOK, "annulé : rendez 4,00 € au joueur")
			}
		})
	}
}

// A cancelled draw: what was staked on it is given back against the ticket, and
// the shopkeeper sees for which draw; the postponed one is told as such.
func TestCancelledDrawAtTheTerminal(t *testing.T) {
	t.Parallel()
	s := newShopOfBoth(t, money.Euros(1000))
	b := s.signedOn()
	p := b.post("/terminal/vente", join(b.get(amigoDesk).sale(), amigoMarks(append([]int{2}, nine...), []int{1, 2}, 400, 2), do("sell")))
	code := codes(p)[0]
	status, err := s.sys.Status("amigo")
	check(t, err)
	s.change("postpone", central.Change{Act: central.ActPostpone, Draws: []draw.ID{status.Upcoming[1].ID}, Shift: time.Hour})
	s.change("cancel", central.Change{Act: central.ActCancelDraw, Draws: []draw.ID{status.Upcoming[0].ID}})
	p = b.post("/terminal/controle", url.Values{"code": {code}})
	expect(t, p, http.StatusOK, "annulé, mise à rendre 16,00 €", "Payer 16,00 €")
	if strings.Contains(p.text(), "mise rendue") {
		t.Error("told as given back before it is")
	}
	_, before := s.sold()
	p = b.post("/terminal/paiement", p.form("/terminal/paiement"))
	expect(t, p, http.StatusOK, "Payé 16,00 €", "Pour vous 16,00 €")
	if _, after := s.sold(); after != before-1600 {
		t.Errorf("the outlet owes %v, %v before", after, before)
	}
	p = b.post("/terminal/controle", url.Values{"code": {code}})
	expect(t, p, http.StatusOK, "annulé, mise rendue", "Payé 16,00 € le ", "par ce poste.")
	if p.form("/terminal/paiement") != nil {
		t.Error("the stake can be given back twice")
	}
}
