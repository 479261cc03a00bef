package web

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"tirage/central"
	"tirage/game"
	"tirage/money"
)

// AMI-11.2, F09: where a prize is paid at payment centres only, the terminal of
// another outlet says so and offers no payment; that of a centre pays what it checked.
func TestAMI_11_2_CheckAtCentre(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	book, err := game.Book("ile-au-tresor")
	check(t, err)
	all := strings.ReplaceAll(string(book), `, odds: "`, `, paid_at: payment_centre, odds: "`)
	s := newShopWith(t, money.Euros(2000), []byte(all))
	b := s.signedOn()
	p := b.get("/terminal")
	var tickets []string
	for n := range 3 { // of three disjoint sets of places with all three pirates one wins at least
		places := []int{1 + 7*n, 2 + 7*n, 3 + 7*n, 4 + 7*n, 5 + 7*n, 6 + 7*n, 7 + 7*n}
		for pirate := range 3 {
			p = b.post("/terminal/vente", join(p.form("/terminal/vente"), marks(places, pirate+1, 200, 1), do("sell")))
			tickets = append(tickets, codes(p)...)
		}
	}
	s.pass(31 * time.Minute)
	s.clock.set(opening.AddDate(0, 0, 1)) // also for prizes of the next morning
	s.tick()
	b = s.signedOn() // a session lasts a day
	var won []string
	for _, code := range tickets {
		p := b.post("/terminal/controle", url.Values{"code": {code}})
		if strings.Contains(p.body, `class="answer lost"`) {
			continue
		}
		won = append(won, code)
		expect(t, p, http.StatusOK, "centre de paiement")
		if p.form("/terminal/paiement") != nil {
			t.Error("an outlet offers to pay what only a centre pays")
		}
	}
	centre := s.outlet
	centre.Centre = true
	_, err = s.sys.PutOutlet(ctx, central.PutOutlet{Key: "centre", Officer: s.officer.ID, Outlet: centre})
	check(t, err)
	for _, code := range won {
		p := b.post("/terminal/controle", url.Values{"code": {code}})
		form := p.form("/terminal/paiement")
		if form == nil {
			t.Fatalf("a centre offers no payment: %s", p.text())
		}
		expect(t, b.post("/terminal/paiement", form), http.StatusOK, "Gagnant, payé")
	}
	if len(won) == 0 {
		t.Error("no ticket won")
	}
}
