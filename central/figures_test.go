package central_test

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"testing"
	"time"

	"tirage/central"
	"tirage/game"
	"tirage/internal/dbtest"
	"tirage/money"
	"tirage/wager"
)

// figures are the figures of the draws that sell.
func (w *world) figures() []central.Figure {
	w.Helper()
	list, err := w.sys.Figures(w.rules.Code)
	w.check(err)
	return list
}

// F20: the office sees of each draw that sells how fast it sells, and which
// terminals sell it most; after a restart too.
func TestF20_Velocity(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, amiguito(t))
		shops := []*shop{w.shop}
		for n := range 6 {
			shops = append(shops, w.newShop(n+2, "metropole", "Europe/Paris"))
		}
		all := board([]int{1, 2, 3, 4, 5, 6}, 1, 2) // 16 combinations
		buy := func(s *shop, euros int64, draws int, boards ...wager.Board) wager.Ticket {
			ticket, err := w.sys.Place(w.ctx(), central.Place{Key: w.key(), Terminal: s.terminal.ID, Slip: w.boards(euros, draws, boards...)})
			w.check(err)
			return ticket
		}
		for i, s := range shops {
			buy(s, int64(2*min(5, i+1)), 1, board([]int{1, 3, 5}, 1)) // 2, 4, 6, 8, 10, 10, 10 €
		}
		w.clock.set(monday.Add(2 * time.Minute))
		w.check(w.cancel(shops[3], buy(shops[3], 2, 1, all))) // 32 €, taken back
		two := buy(shops[3], 2, 2, board([]int{1, 3, 5}, 2))
		for range 2 {
			figures := w.figures()
			if len(figures) != 21 || figures[0].Draw.Number != 90 || figures[20].Draw.Number != 110 {
				t.Fatalf("%d draws", len(figures))
			}
			f, g := figures[0], figures[1]
			if f.Wagers != 8 || f.Stakes != money.Euros(52) || f.LastMinute != money.Euros(34) || f.Draw.ID != two.Draws[0].ID {
				t.Errorf("draw 90: %d wagers, %s, %s in the last minute", f.Wagers, f.Stakes, f.LastMinute)
			}
			if g.Wagers != 1 || g.Stakes != money.Euros(2) || g.LastMinute != money.Euros(2) || len(g.Sellers) != 1 {
				t.Errorf("draw 91: %+v", g)
			}
			if f.Jackpot != money.Euros(250_000) || !f.JackpotKnown || g.Jackpot != f.Jackpot || g.JackpotKnown {
				t.Errorf("jackpot %s (%t), then %s (%t)", f.Jackpot, f.JackpotKnown, g.Jackpot, g.JackpotKnown)
			}
			if len(f.Sellers) != 5 || f.Sellers[0] != (central.Velocity{Terminal: shops[3].terminal.ID, Stakes: money.Euros(42), Since: monday}) {
				t.Errorf("sellers %+v", f.Sellers)
			}
			for _, s := range f.Sellers[1:4] {
				if s.Stakes != money.Euros(10) || s.Before != 0 {
					t.Errorf("sellers %+v", f.Sellers)
				}
			}
			if f.Sellers[4].Terminal != shops[2].terminal.ID {
				t.Errorf("the fifth seller is %+v", f.Sellers[4])
			}
			w.restart()
		}
		w.clock.set(monday.Add(3*time.Minute + 5*time.Second))
		if f := w.figures()[0]; f.LastMinute != 0 || f.Wagers != 8 {
			t.Errorf("%s in a minute without sales", f.LastMinute)
		}
		w.at(mondayDraw(90))
		if list := w.figures(); len(list) != 20 || list[0].Draw.Number != 91 || list[0].Stakes != money.Euros(2) {
			t.Errorf("%d draws sell after draw 90", len(list))
		}
		if _, err := w.sys.Figures("loto"); !errors.Is(err, central.ErrUnknownGame) {
			t.Errorf("figures of no game: %v", err)
		}
	})
}

// However many terminals sell, the greatest is found, with what it staked since
// it was counted: one whose stakes are more than a sixteenth of all is never lost.
func TestF20_GreatestOfMany(t *testing.T) {
	t.Parallel()
	p := central.NewPace()
	staked := map[string]money.Amount{}
	var all money.Amount
	for n := range 3000 {
		id, stake := fmt.Sprintf("%016x", 1+n%1000), money.Euros(2)
		if n%12 == 7 {
			id, stake = "ffffffffffffffff", money.Euros(4)
		}
		central.AddPace(p, int64(n)*1000, id, stake)
		staked[id] += stake
		all += stake
	}
	first := central.Greatest(p)[0]
	if big := staked["ffffffffffffffff"]; first.Terminal != "ffffffffffffffff" || first.Stakes > big || first.Stakes+first.Before < big || big <= all/16 {
		t.Errorf("greatest is %+v; %s of %s were staked by one", first, big, all)
	}
}

// F20: the value of a unit stake is what it wins on average, counted here over
// all combinations of it and of the others, with the jackpot below its
// threshold, at it, and at its ceiling; above its price there is an alarm.
func TestF20_Value(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name               string
		threshold, ceiling string
		roll               *big.Rat
		alarm              bool
	}{
		{"below the threshold", "21", "1500000", new(big.Rat), false},
		{"at the threshold", "20", "1500000", big.NewRat(1, 500), false},
		{"at the ceiling", "20", "20", big.NewRat(1, 1), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, dbtest.SQLite(t), amiguito(
				t, "minimum: 250000", "minimum: 20", "threshold: 1000000", "threshold: "+c.threshold, "ceiling: 1500000", "ceiling: "+c.ceiling,
				"prize: 1}", "prize: 0.05}", "prize: 2}", "prize: 0.10}", "prize: 7}", "prize: 1}",
			))
			w.sell(w.boards(2, 1, board([]int{1, 3, 5}, 1)))
			w.sell(w.boards(2, 1, board([]int{2, 3, 5}, 1)))
			fund := new(big.Rat).Mul(big.NewRat(4373591, 78125000), big.NewRat(4, 1))
			fund.Add(fund, big.NewRat(20, 1))
			want := averageWin(w.rules, fund, c.roll, 3)
			f := w.figures()[0]
			// To 2⁻¹²⁸ of the jackpot.
			if diff := new(big.Rat).Sub(f.Value, want); diff.Abs(diff).Cmp(big.NewRat(1, 1e15)) > 0 {
				t.Errorf("value %s, counted %s", f.Value.FloatString(6), want.FloatString(6))
			}
			if f.Alarm != c.alarm {
				t.Errorf("alarm %t at %s for 2 €", f.Alarm, f.Value.FloatString(4))
			}
		})
	}
}

// averageWin is what the first of so many unit stakes wins on average in euros,
// over all their combinations and all multipliers, against one result.
func averageWin(r *game.Rules, fund, roll *big.Rat, units int) *big.Rat {
	result := game.Result{{1, 3, 5}, {1}}
	prizes := []*big.Rat{new(big.Rat), big.NewRat(1, 1), big.NewRat(1, 10), big.NewRat(1, 20)}
	tier := func(c int) int {
		p := r.Picks(game.Combination(c))
		return tierOf(p[0], p[1][0], result)
	}
	sum, cases := new(big.Rat), 1
	for range units {
		cases *= 16
	}
	for n := range cases {
		tiers := make([]int, units)
		for i, rest := 0, n; i < units; i, rest = i+1, rest/16 {
			tiers[i] = tier(rest % 16)
		}
		if tiers[0] < 0 {
			continue
		}
		sum.Add(sum, new(big.Rat).Mul(prizes[tiers[0]], big.NewRat(47, 20)))
		won := slices.Clone(tiers)
		won = slices.DeleteFunc(won, func(t int) bool { return t < 0 })
		best := slices.Min(won)
		if tiers[0] != best {
			continue
		}
		same := 0
		for _, t := range tiers {
			if t == best {
				same++
			}
		}
		share := new(big.Rat).Quo(fund, big.NewRat(int64(same), 1))
		if best > 0 {
			share.Mul(share, roll)
		}
		sum.Add(sum, share)
	}
	return sum.Quo(sum, big.NewRat(int64(cases), 1))
}

// F20: a promotion counts where it is sold; a game without a jackpot is worth
// its payout, and a stake of 2 € on Amigo 6076348/9765625 of it and its part in the jackpot.
func TestF20_ValueOfBooks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t), promoted(t))
	list := w.figures()
	ordinary, doubled := big.NewRat(20+3+2*2, 6), big.NewRat(40+6+2*2, 6) // 6 combinations
	for i, want := range []*big.Rat{ordinary, ordinary, doubled, doubled, ordinary} {
		if f := list[i]; f.Value.Cmp(want) != 0 || !f.Alarm || f.Jackpot != 0 || f.JackpotKnown {
			t.Errorf("draw %d: a unit stake is worth %s, want %s", f.Draw.Number, f.Value.RatString(), want.RatString())
		}
	}
	w = newWorld(t, dbtest.SQLite(t), amigo(t, aFewDraws...))
	f := w.figures()[0]
	want := new(big.Rat).Mul(big.NewRat(6076348, 9765625), big.NewRat(2, 1))
	want.Add(want, big.NewRat(250_000, 9_765_625))
	if diff := new(big.Rat).Sub(f.Value, want); diff.Abs(diff).Cmp(big.NewRat(1, 1e15)) > 0 || f.Alarm {
		t.Errorf("a unit stake of Amigo is worth %s, want %s", f.Value.FloatString(9), want.FloatString(9))
	}
}
