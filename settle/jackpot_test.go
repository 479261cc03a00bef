package settle

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tirage/draw"
	"tirage/game"
	"tirage/ledger"
	"tirage/money"
)

// smallJackpot is a game of 3 of 6 numbers and 1 of 2 letters with a jackpot
// from 10 €, whose promotion table has a rank more.
func smallJackpot(t testing.TB) *game.Rules {
	t.Helper()
	r, err := game.Parse("small.yaml", []byte(`
game: small
version: "1"
name: {fr: Petit, en: Small}
kind: fixed-prize
first_day: 2020-01-01
unit_stake: 2
stakes: [2, 4]
draw_counts: [1]
matrices:
  - {key: numbers, name: {fr: N, en: N}, pick: 3, count: 6, sets: [{key: numbers, count: 3}]}
  - {key: letters, name: {fr: L, en: L}, pick: 1, count: 2, sets: [{key: letters, count: 1}]}
prize_tables:
  - key: ordinary
    tiers:
      - {name: 3+1, hits: {numbers: 3, letters: 1}, prize: 1}
      - {name: 3+0, hits: {numbers: 3, letters: 0}, prize: 10}
      - {name: 0+0, hits: {numbers: 0, letters: 0}, prize: 1}
  - key: promotion
    tiers:
      - {name: 3+1, hits: {numbers: 3, letters: 1}, prize: 1}
      - {name: 3+0, hits: {numbers: 3, letters: 0}, prize: 20}
      - {name: 2+1, hits: {numbers: 2, letters: 1}, prize: 3}
      - {name: 0+0, hits: {numbers: 0, letters: 0}, prize: 1}
`))
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Tables {
		r.Tables[i].Tiers[0].Prize, r.Tables[i].Tiers[0].Jackpot = 0, true
	}
	r.Kind = game.Parimutuel
	r.Jackpot = &game.Jackpot{
		Share: big.NewRat(4373591, 78125000), Minimum: money.Euros(10), GuaranteeFrom: game.FromReserve,
		Threshold: money.Euros(15), Ceiling: money.Euros(20), OneIn: 3,
		Basis: game.IncludingShare, RollDown: game.AddedToPrize, OverCeiling: game.OverRolledDown, NoLowerWinner: game.ToNextDraw,
	}
	return r
}

// readings draws a version of the jackpot of small: any share, every reading.
func readings(t *rapid.T, r *game.Rules) *game.Rules {
	version, jackpot := *r, *r.Jackpot
	jackpot.Share = rapid.SampledFrom([]*big.Rat{
		big.NewRat(4373591, 78125000), big.NewRat(1, 7), big.NewRat(1, 3), big.NewRat(9, 10), new(big.Rat),
	}).Draw(t, "share")
	jackpot.GuaranteeFrom = rapid.SampledFrom([]game.Guarantee{game.FromReserve, game.FromOperator}).Draw(t, "guarantee_from")
	jackpot.Basis = rapid.SampledFrom([]game.ThresholdBasis{game.IncludingShare, game.BeforeShare}).Draw(t, "threshold_basis")
	jackpot.RollDown = rapid.SampledFrom([]game.RollDownMoney{game.AddedToPrize, game.ReplacesPrize}).Draw(t, "rolldown")
	jackpot.OverCeiling = rapid.SampledFrom([]game.OverCeiling{game.OverRolledDown, game.OverToReserve}).Draw(t, "over_cap")
	jackpot.NoLowerWinner = rapid.SampledFrom([]game.NoLowerWinner{game.ToNextDraw, game.ToReserve}).Draw(t, "no_lower_winner")
	jackpot.Ceiling = rapid.SampledFrom([]money.Amount{money.Euros(20), money.Euros(16), 0}).Draw(t, "ceiling")
	jackpot.Threshold = rapid.SampledFrom([]money.Amount{money.Euros(15), money.Euros(10), 0}).Draw(t, "threshold")
	version.Jackpot = &jackpot
	return &version
}

// model is a naive jackpot: it never carries a fraction, but adds up the exact
// shares since ever and takes the whole cents that it has not taken yet.
type model struct {
	amount money.Amount
	exact  *big.Rat
	taken  money.Amount
}

// won is a part with the tier that it wins by plain sets; -1: none.
type won struct {
	Part
	tier int
}

// settle moves the jackpot through a draw, and returns its movement and what each part wins.
func (m *model) settle(r *game.Rules, parts []won, times int, rollDown bool) (j Jackpot, prizes []money.Amount) {
	units, stakes := map[int]int64{}, money.Amount(0)
	for _, p := range parts {
		units[p.tier] += p.Units
		stakes += r.UnitStake * money.Amount(p.Units)
	}
	m.exact.Add(m.exact, new(big.Rat).Mul(r.Jackpot.Share, big.NewRat(int64(stakes), 1)))
	whole := money.Amount(new(big.Int).Quo(m.exact.Num(), m.exact.Denom()).Int64())
	j = Jackpot{Before: m.amount, Contribution: whole - m.taken}
	m.taken = whole
	j.Carried = new(big.Rat).Sub(m.exact, big.NewRat(int64(whole), 1))
	if m.amount < r.Jackpot.Minimum {
		j.TopUp = r.Jackpot.Minimum - m.amount
	}
	fund := j.Before + j.TopUp + j.Contribution
	basis := fund
	if r.Jackpot.Basis == game.BeforeShare {
		basis -= j.Contribution
	}

	winning, sum := -1, money.Amount(0) // the tier that shares sum
	if units[0] > 0 {
		j.End, winning, sum = JackpotWon, 0, fund
	} else {
		down := false
		if r.Jackpot.Ceiling > 0 && basis >= r.Jackpot.Ceiling {
			j.Extra, down = CeilingRolled, true
		} else if r.Jackpot.Threshold > 0 && basis >= r.Jackpot.Threshold {
			j.Extra = ExtraKept
			if rollDown {
				j.Extra, down = ExtraRolled, true
			}
		}
		for tier := 1; down && tier < 4 && winning < 0; tier++ {
			if units[tier] > 0 {
				winning = tier
			}
		}
		switch {
		case winning > 0:
			j.End, j.Tier, sum = JackpotRolledDown, winning, fund
			if r.Jackpot.OverCeiling == game.OverToReserve && r.Jackpot.Ceiling > 0 && fund > r.Jackpot.Ceiling {
				sum = r.Jackpot.Ceiling
			}
		case down && r.Jackpot.NoLowerWinner == game.ToReserve:
			j.End = JackpotReserved
		default:
			j.End, j.After = JackpotCarried, fund
		}
	}
	for _, p := range parts {
		var prize money.Amount
		if p.tier > 0 && (p.tier != winning || r.Jackpot.RollDown == game.AddedToPrize) {
			prize = r.Tables[p.Table].Tiers[p.tier].Prize * money.Amount(times) * money.Amount(p.Units)
		}
		if p.tier >= 0 && p.tier == winning {
			of := sum / money.Amount(units[winning]) * money.Amount(p.Units)
			j.Paid += of
			prize += of
		}
		prizes = append(prizes, prize)
	}
	j.Rest = fund - j.Paid - j.After
	m.amount = j.After
	return j, prizes
}

var compareRats = cmp.Comparer(func(a, b *big.Rat) bool { return a.Cmp(b) == 0 })

// TestAMI_8_2_Chain: over long chains of draws under any readings, with
// versions of other shares in between, each movement and each prize is the
// model's: Before + TopUp + Contribution = Paid + Rest + After, contributions
// are the exact shares rounded down once, and the ledger says the same.
func TestAMI_8_2_Chain(t *testing.T) {
	t.Parallel()
	base := smallJackpot(t)
	rapid.Check(t, func(t *rapid.T) {
		r, pot, m := readings(t, base), Pot{}, &model{exact: new(big.Rat)}
		balances := map[ledger.Account]money.Amount{}
		var want Jackpot // of all draws
		for n := range rapid.IntRange(1, 50).Draw(t, "draws") {
			if rapid.IntRange(0, 9).Draw(t, "new version") == 0 {
				r = readings(t, base)
			}
			result := draw.Derive(r, [32]byte{rapid.Byte().Draw(t, "seed")})
			times := rapid.SampledFrom([]int{1, 2, 10}).Draw(t, "multiplier")
			rollDown := rapid.Bool().Draw(t, "roll-down")
			counter, err := NewCounter(r, result, times)
			if err != nil {
				t.Fatal(err)
			}
			parts := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) won {
				p := Part{
					Combination: game.Combination(rapid.Int64Range(0, r.Size()-1).Draw(t, "combination")),
					Units:       rapid.Int64Range(1, 5).Draw(t, "units"),
					Table:       rapid.IntRange(0, 1).Draw(t, "table"),
					LastDraw:    draw.ID(n + rapid.IntRange(0, 2).Draw(t, "last")),
				}
				return won{p, naiveTier(r, p.Table, r.Picks(p.Combination), result)}
			}), 0, 8).Draw(t, "parts")
			byLast := map[int64]money.Amount{}
			for _, p := range parts {
				counter.Add(p.Part)
			}
			move, prizes := m.settle(r, parts, times, rollDown)
			for i, p := range parts {
				if p.tier >= 0 {
					byLast[int64(p.LastDraw)] += prizes[i]
				}
			}

			got := counter.Settlement(pot, rollDown)
			if diff := cmp.Diff(&move, got.Jackpot, compareRats); diff != "" {
				t.Fatal(diff)
			}
			if diff := cmp.Diff(byLast, got.Prizes); diff != "" {
				t.Fatal(diff)
			}
			j := *got.Jackpot
			if j.Before+j.TopUp+j.Contribution != j.Paid+j.Rest+j.After || min(j.TopUp, j.Contribution, j.Paid, j.Rest, j.After) < 0 {
				t.Fatalf("not conserved: %+v", j)
			}
			if j.Carried.Sign() < 0 || j.Carried.Cmp(big.NewRat(1, 1)) >= 0 || !j.Carried.Denom().IsUint64() {
				t.Fatalf("carried below the cent: %s", j.Carried)
			}
			for _, p := range ledger.Settlement(int64(n), "small", got.Stakes, got.Prizes, ledger.Movement{
				TopUp: j.TopUp, ByOperator: r.Jackpot.GuaranteeFrom == game.FromOperator, Contribution: j.Contribution, Paid: j.Paid, Rest: j.Rest,
			}) {
				balances[p.Account] += p.Amount
			}
			if r.Jackpot.GuaranteeFrom == game.FromReserve {
				want.TopUp += j.TopUp
			}
			want.Rest += j.Rest
			if balances[ledger.Jackpot("small")] != -j.After || balances[ledger.Reserve("small")] != want.TopUp-want.Rest {
				t.Fatalf("books: jackpot %s of %s, reserve %s", balances[ledger.Jackpot("small")], j.After, balances[ledger.Reserve("small")])
			}
			pot = j.Pot()
		}
	})
}

// TestAMI_8_2_OneVersion: the contributions of a year of draws under one share
// add up to that share of all stakes, to the cent.
func TestAMI_8_2_OneVersion(t *testing.T) {
	t.Parallel()
	r := smallJackpot(t)
	r.Jackpot.Threshold, r.Jackpot.Ceiling = 0, 0
	pot, stakes, sum := Pot{}, money.Amount(0), money.Amount(0)
	for n := range 365 * 250 {
		units := int64(n%7) + 1
		j, _ := (&Counter{rules: r, times: 1, units: units}).jackpot(r.UnitStake.Times(units), pot, false)
		stakes, sum, pot = stakes+r.UnitStake.Times(units), sum+j.Contribution, j.Pot()
	}
	exact := new(big.Int).Mul(big.NewInt(int64(stakes)), r.Jackpot.Share.Num())
	if want := exact.Quo(exact, r.Jackpot.Share.Denom()).Int64(); int64(sum) != want || pot.Amount != money.Euros(10)+sum {
		t.Errorf("contributed %s of %s, want %s; jackpot %s", sum, stakes, money.Amount(want), pot.Amount)
	}
}

// TestAMI_8_2_Promotion: one jackpot over two prize tables, of which one has a
// rank more: units are summed over both, and a roll-down goes by the number of the rank.
func TestAMI_8_2_Promotion(t *testing.T) {
	t.Parallel()
	result := game.Result{{1, 2, 3}, {1}}
	top, second, two, none := game.Picks{{1, 2, 3}, {1}}, game.Picks{{1, 2, 3}, {2}}, game.Picks{{1, 2, 4}, {1}}, game.Picks{{4, 5, 6}, {2}}
	for _, v := range []struct {
		name  string
		plays map[int][]game.Picks // by table
		want  []Share
		tier  int
	}{
		{
			"top in both tables",
			map[int][]game.Picks{0: {top, second}, 1: {top}},
			[]Share{{0, 0, 1, 1, 1016, 1016}, {0, 1, 1, 1, 2000, 2000}, {1, 0, 1, 1, 1016, 1016}},
			0,
		},
		{
			"roll-down to rank 2 of both",
			map[int][]game.Picks{0: {second, none}, 1: {second, two}},
			[]Share{{0, 1, 1, 1, 3022, 3022}, {0, 2, 1, 1, 200, 200}, {1, 1, 1, 1, 5022, 5022}, {1, 2, 1, 1, 600, 600}},
			1,
		},
		{
			"rank 3 of one, rank 3 of the other",
			map[int][]game.Picks{0: {none}, 1: {two, two}},
			[]Share{{0, 2, 1, 1, 877, 877}, {1, 2, 2, 2, 1277, 2554}},
			2,
		},
		{
			"rank 4, that the ordinary table does not have",
			map[int][]game.Picks{1: {none}},
			[]Share{{1, 3, 1, 1, 2211, 2211}},
			3,
		},
	} {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			r := smallJackpot(t)
			counter, err := NewCounter(r, result, 2)
			if err != nil {
				t.Fatal(err)
			}
			for table, plays := range v.plays {
				for _, picks := range plays {
					counter.Add(Part{rankOf(t, r, picks), 1, table, 9})
				}
			}
			// Units 3, 4, 3 and 1 add 0.33, 0.44, 0.33 and 0.11 € to 20 €, the ceiling.
			got := counter.Settlement(Pot{Amount: money.Euros(20)}, false)
			if diff := cmp.Diff(v.want, got.Shares); diff != "" {
				t.Error(diff)
			}
			if got.Jackpot.Tier != v.tier || got.Jackpot.After != 0 {
				t.Errorf("%+v", got.Jackpot)
			}
		})
	}
}

func rankOf(t testing.TB, r *game.Rules, picks game.Picks) game.Combination {
	t.Helper()
	c, err := r.Rank(picks)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestEnd_Extra_Names(t *testing.T) {
	t.Parallel()
	for e, want := range map[End]string{JackpotWon: "won", JackpotRolledDown: "rolled-down", JackpotCarried: "carried", JackpotReserved: "reserve"} {
		if got, err := ParseEnd(want); e.String() != want || got != e || err != nil {
			t.Errorf("%s: %s, %v, %v", want, e, got, err)
		}
	}
	for e, want := range map[Extra]string{NoExtra: "", ExtraKept: "kept", ExtraRolled: "rolled-down", CeilingRolled: "ceiling"} {
		if got, err := ParseExtra(want); e.String() != want || got != e || err != nil {
			t.Errorf("%q: %s, %v, %v", want, e, got, err)
		}
	}
	for _, bad := range []string{"End(0)", "", "lost", "Won"} {
		if e, err := ParseEnd(bad); err == nil {
			t.Errorf("%q: %v", bad, e)
		}
	}
	if e, err := ParseExtra("drawn"); err == nil {
		t.Errorf("drawn: %v", e)
	}
	if got := fmt.Sprint(End(0), End(9), Extra(9)); got != "End(0) End(9) Extra(9)" {
		t.Error(got)
	}
}
