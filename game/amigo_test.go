package game

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tirage/money"
)

// amigo is Amigo as shipped.
func amigo(t testing.TB) *Rules {
	t.Helper()
	text, err := Book("amigo")
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, string(text))
}

var (
	amigoNine = []int{1, 6, 11, 16, 21, 26, 31, 36, 41}
	amigoDraw = Result{{1, 6, 11, 16, 21, 26, 31, 36, 41}, {3}}
)

// The golden vectors of multiple plays against the draw 1 6 … 41 + J3: winners by rank, and the fixed prizes.
func TestAMI_8_1_1_GoldenVectors(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	m, err := r.Matcher(0, amigoDraw)
	if err != nil {
		t.Fatal(err)
	}
	with := func(more ...int) []int { return append(more, amigoNine...) }
	for _, c := range []struct {
		name    string
		picks   Picks
		stake   money.Amount
		times   int64
		winners [8]int64
		prizes  money.Amount // but the jackpot
		price   money.Amount
	}{
		{"J3+J4", Picks{amigoNine, {3, 4}}, money.Euros(10), 10, [8]int64{1, 1}, money.Euros(1_000_000), money.Euros(20)},
		{"J1-J5", Picks{amigoNine, {1, 2, 3, 4, 5}}, money.Euros(2), 2, [8]int64{1, 4}, money.Euros(160_000), money.Euros(10)},
		{"1×5", Picks{with(2, 7, 12, 17, 22), {3}}, money.Euros(2), 1, [8]int64{1, 0, 5, 10, 10, 5, 1}, money.Euros(6_327), money.Euros(64)},
		{"4×2, J1+J2", Picks{with(2, 3, 4, 5, 45, 44, 43, 42), {1, 2}}, money.Euros(2), 3, [8]int64{0, 2, 16, 32}, money.Euros(177_600), money.Euros(100)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			combinations, err := r.Expand(c.picks)
			if err != nil {
				t.Fatal(err)
			}
			units, _ := r.Units(c.stake)
			var winners [8]int64
			var prizes money.Amount
			for _, combination := range combinations {
				if tier := m.Tier(combination); tier >= 0 {
					winners[tier]++
					prizes = prizes.Add(r.Tables[0].Tiers[tier].Prize.Times(units * c.times))
				}
			}
			if diff := cmp.Diff(c.winners, winners); diff != "" {
				t.Error(diff)
			}
			if prizes != c.prizes {
				t.Errorf("got %v, want %v", prizes, c.prizes)
			}
			if price := c.stake.Times(int64(len(combinations))); price != c.price {
				t.Errorf("price %v, want %v", price, c.price)
			}
		})
	}
}
