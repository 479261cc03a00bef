package web

import (
	"net/http"
	"strings"
	"testing"

	"tirage/money"
)

// AMI-3.1.3: boards that were read as B and D of a slip are B and D on the ticket's
// page and on that of its QR code. Played again, with no slip at hand, they are A and B.
func TestAMI_3_1_3_Letters(t *testing.T) {
	t.Parallel()
	s := newShopOf(t, money.Euros(1000), "amigo")
	b := s.signedOn()
	sell := func(fields map[string][]string) shown {
		p := b.get("/terminal")
		p = b.post("/terminal/vente", join(p.form("/terminal/vente"), fields, map[string][]string{"stake": {"200"}, "draws": {"1"}}, do("sell")))
		expect(t, p, http.StatusOK, "À payer")
		return p
	}
	says := func(name string, p shown, want ...string) {
		t.Helper()
		for _, w := range want {
			if !strings.Contains(p.body, w) {
				t.Errorf("%s does not say %s", name, w)
			}
		}
	}
	p := sell(map[string][]string{"board": {"B:1.6.11.16.21.26.31.36.41-1", "D:2.7.12.17.22.27.32.37.42-3"}})
	says("the ticket", p, `<span class="letter">B</span>`, `<span class="letter">D</span>`)
	x, err := wagerOf(s, codes(p)[0])
	check(t, err)
	says("the page of its QR code", b.get(at(x)), `data-letters="2.4"`, "<dt>B · ", "<dt>D · ")
	p = b.post("/terminal/rejouer", p.form("/terminal/rejouer"))
	expect(t, p, http.StatusOK, "A 1 6 11 16 21 26 31 36 41 + 1", "B 2 7 12 17 22 27 32 37 42 + 3")

	one := sell(map[string][]string{"letter": {"C"}, "numbers": strings.Split("1 6 11 16 21 26 31 36 41", " "), "jackpot": {"1"}})
	says("the ticket of one board", one, `<span class="letter">C</span>`)
	x, err = wagerOf(s, codes(one)[0])
	check(t, err)
	says("its page", b.get(at(x)), `data-letters="3"`, "<dt>C · ")

	plain := sell(map[string][]string{"numbers": strings.Split("1 6 11 16 21 26 31 36 41", " "), "jackpot": {"1"}})
	if strings.Contains(plain.body, `class="letter"`) {
		t.Error("the only board of a slip is named")
	}
	p = b.get("/terminal")
	p = b.post("/terminal/vente", join(p.form("/terminal/vente"), map[string][]string{
		"board": {"D:1.6.11.16.21.26.31.36.41-1", "B:2.7.12.17.22.27.32.37.42-3"}, "stake": {"200"}, "draws": {"1"},
	}, do("sell")))
	expect(t, p, http.StatusUnprocessableEntity, "dans l’ordre de leurs lettres, de A à Z")
}
