package web

import (
	"testing"

	"tirage/internal/sim"
	"tirage/money"
	"tirage/rng"
)

// A simulated outlet, as the demo has them, sells from slips on phones too.
func TestSellerSellsFromPhones(t *testing.T) {
	t.Parallel()
	s := newShop(t, money.Euros(100))
	seller, err := sim.NewSeller(t.Context(), s.sys, s.officer.ID, 100, rng.Seed{1})
	check(t, err)
	for range 100 {
		check(t, seller.Step(t.Context(), "ile-au-tresor"))
	}
	if seller.Prepared < 5 || seller.Prepared > seller.Sold/2 {
		t.Errorf("%d of %d tickets are from phones, want about a quarter", seller.Prepared, seller.Sold)
	}
}
