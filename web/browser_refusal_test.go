package web

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"tirage/central"
	"tirage/internal/photo"
	"tirage/money"
	"tirage/wager"
)

// refused waits for a refusal, which has the focus and stands whole on the
// screen, beside what it is about: the slip, the basket, or what was read.
func (h hand) refused(css, want string) {
	h.t.Helper()
	h.sees(css, want)
	cut := eval[string](h.tab, fmt.Sprintf(`(() => {
		const e = document.querySelector(%q), box = e.getBoundingClientRect();
		const hides = e.scrollHeight > e.clientHeight + 1 || box.bottom > innerHeight || box.right > innerWidth;
		return hides ? "cut off" : e.matches("[tabindex]") && document.activeElement !== e ? "without the focus" : "";
	})()`, css))
	if cut != "" {
		h.t.Errorf("%q is %s", want, cut)
	}
}

// TestBrowserRefusals: a sale that is refused, for whatever reason, is refused
// in a sentence that stands where the shopkeeper looks, and nothing is sold.
func TestBrowserRefusals(t *testing.T) {
	t.Parallel()
	s := newShopOf(t, money.Euros(600), "ile-au-tresor", "amigo")
	h := hand{tab: s.tab(1280, 800)}
	h.signOn(s)
	h.open("/terminal?jeu=ile-au-tresor&lang=fr")
	h.slips()
	h.reading(s)
	if n, owes := s.sold(); n != 0 || owes != 0 {
		t.Errorf("%d parts sold, owes %v", n, owes)
	}
	h.basket(s)
	h.hours(s)
}

// slips are refused on the slip, before the basket.
func (h hand) slips() {
	h.t.Helper()
	sell, add, clears := func() { h.leads("Ctrl+Enter", "") }, func() { h.leads("Enter", "") }, func() { h.leads("Escape", "") }
	sell()
	h.refused("#refusal", "Le panier est vide")
	h.picture("refusal-empty")
	h.marks("abcdef", 1, 1, 1)
	add()
	h.refused("#refusal", "6 sur 7. Il en manque 1")
	h.picture("refusal-few")
	h.marks("gh", 0, 0, 0)
	add()
	h.refused("#refusal", "8 cochés pour 7 demandés. Retirez-en 1")
	clears()
	h.marks("abcdefg", 1, 0, 1)
	add()
	h.refused("#refusal", "Mise par tirage : aucune n’est cochée")
	h.stakes(1, 0)
	clears()
	h.marks("abcdefg", 1, 1, 0)
	add()
	h.refused("#refusal", "Nombre de tirages : aucun n’est coché")
	clears()

	h.leads("F2", "")
	for numbers, want := range map[string]string{
		"1 2 6 7 11 12 16 17 21 22 26 31 36 41 + 3": "320,00 €, au-dessus des 100,00 € permis",
		"1 2 3 6 7 11 16 21 26 31 36 41 + 3":        "« Numéros »",
	} {
		h.numbers(numbers)
		h.stakes(5, 1)
		add()
		h.refused("#refusal", want)
		clears()
	}
	h.numbers("1 6 + 3")
	h.stakes(1, 1)
	h.leads("y", "")
	h.refused("#refusal", "ne complète pas une grille déjà cochée")
	h.picture("refusal-partial")
	clears()
	h.leads("F2", "")
}

// numbers types the numbers of a board into their field.
func (h hand) numbers(text string) {
	h.t.Helper()
	h.press("n")
	h.await(`document.activeElement.id === "typed"`)
	h.do(chromedp.KeyEvent(text))
	h.press(kb.Enter)
	h.await(fmt.Sprintf(`document.querySelectorAll(".board input:checked").length === %d`, len(strings.Fields(text))-1))
}

// reading is refused beside the field that reads.
func (h hand) reading(s *shop) {
	h.t.Helper()
	refused := func(text, want string) { h.t.Helper(); h.types(text); h.refused("#check-refusal", want) }
	refused(s.phone(island, -time.Minute), "n’est plus valable")
	refused(strings.Replace(s.phone(island, time.Hour), "~400~3~", "~400~6~", 1), "a été modifié")
	refused("https://shop.example/autre", "Ce code n’est ni celui")
	refused(wager.Code(999_999, [8]byte{1}), "Aucun reçu ne porte ce code")
	h.gives("paste", jpegOf(h.t, photo.Table(0.3, seed(6))))
	h.refused("#check-refusal", "Ni bulletin entier, ni code lisible")
	h.picture("refusal-photo")
	h.marks("ab", 0, 0, 0)
	refused(s.phone(island, time.Hour), "Un bulletin est en cours")
	h.leads("Escape", "")
}

// basket holds what is refused at the sale: a capped combination, a credit that is used up, an outlet that is suspended.
func (h hand) basket(s *shop) {
	h.t.Helper()
	ctx, sell := context.Background(), func() { h.leads("Ctrl+Enter", "") }
	for i := range 5 {
		slip := island
		slip.Stake, slip.Draws = 2000, 1
		_, err := s.sys.Place(ctx, central.Place{Key: fmt.Sprint("cap-", i), Terminal: s.terminal.ID, Slip: slip})
		check(h.t, err)
	}
	_, before := s.sold()
	h.marks("adilpsu", 2, 1, 1)
	sell()
	h.refused(".slips .refusal", "Combinaison plafonnée au tirage 95")
	h.picture("refusal-capped")
	h.load(h.reaches(".slips .remove"))
	h.marks("bcefghj", 1, 1, 1)
	outlet := s.outlet
	outlet.CreditLimit = money.Euros(101)
	_, err := s.sys.PutOutlet(ctx, central.PutOutlet{Key: "credit", Officer: s.officer.ID, Outlet: outlet})
	check(h.t, err)
	sell()
	h.refused(".slips .refusal", "Crédit insuffisant : 2,00 € demandés, il reste 1,00 €")
	outlet = s.outlet
	outlet.Blocked = true
	_, err = s.sys.PutOutlet(ctx, central.PutOutlet{Key: "blocked", Officer: s.officer.ID, Outlet: outlet})
	check(h.t, err)
	sell()
	h.refused(".slips .refusal", "Ce point de vente est suspendu")
	h.picture("refusal-blocked")
	if _, after := s.sold(); after != before {
		h.t.Errorf("owes %v after what was refused, %v before", after, before)
	}
	_, err = s.sys.PutOutlet(ctx, central.PutOutlet{Key: "free", Officer: s.officer.ID, Outlet: s.outlet})
	check(h.t, err)
	sell()
	h.sees(".strip", "À payer 2,00 €")
}

// hours are over: a ticket whose draw closes before its cancellation is confirmed, too many draws for the session, and none.
func (h hand) hours(s *shop) {
	h.t.Helper()
	h.do(h.reaches(".cancelling summary"))
	h.says(".cancelling", "rendre 2,00 € au joueur")
	s.pass(29*time.Minute + 41*time.Second) // draw 95 is closed
	h.load(h.reaches(".cancelling button.danger"))
	h.refused("#check-refusal", "il ne peut plus être annulé")
	s.clock.set(time.Date(2027, 1, 4, 23, 42, 0, 0, time.UTC)) // 0:42 in Paris: Amigo has three draws left
	s.tick()
	h.stakes(1, 1)
	h.leads("y", "")
	h.refused("#refusal", "Ventes fermées. Elles ouvrent le 06/01/2027 à 11:00")
	h.picture("refusal-shut")
	h.leads("Escape", "")
	h.leads("F2", "")
	h.stakes(1, 5)
	h.leads("y", "")
	h.says(".slips", "La session n’a plus que")
	h.leads("Ctrl+Enter", "")
	h.refused(".slips .refusal", "Nombre de tirages : 20 demandés, il en reste 3")
	h.picture("refusal-overrun")
}
