package settle

import (
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tirage/draw"
	"tirage/game"
	"tirage/money"
)

// ileAuTresor returns the rules as shipped, for a test to change.
func ileAuTresor(t testing.TB) *game.Rules {
	t.Helper()
	text, err := game.Book("ile-au-tresor")
	if err != nil {
		t.Fatal(err)
	}
	r, err := game.Parse("ile-au-tresor.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// twoTables is a small game, 3 of 6 numbers and 1 of 2 letters, with a promotion.
func twoTables(t testing.TB) *game.Rules {
	t.Helper()
	const ordinary = `{name: 3+1, hits: {numbers: 3, letters: 1}, prize: 30}, {name: 3+0, hits: {numbers: 3, letters: 0}, prize: 10}, {name: 0+0, hits: {numbers: 0, letters: 0}, prize: 1}`
	r, err := game.Parse("two.yaml", []byte(`
game: two
version: "1"
name: {fr: Deux, en: Two}
kind: fixed-prize
first_day: 2020-01-01
unit_stake: 2
stakes: [2, 4]
draw_counts: [1]
matrices:
  - {key: numbers, name: {fr: N, en: N}, pick: 3, count: 6, sets: [{key: numbers, count: 3}]}
  - {key: letters, name: {fr: L, en: L}, pick: 1, count: 2, sets: [{key: letters, count: 1}]}
prize_tables:
  - {key: ordinary, tiers: [`+ordinary+`]}
  - {key: promotion, tiers: [`+strings.Replace(ordinary, "prize: 30", "prize: 60", 1)+`]}
`))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestIAT_6_1_PrizeTable has every number of hits that can be, at the six
// stakes of the regulation; IAT-2.1: a stake of n units wins n times.
func TestIAT_6_1_PrizeTable(t *testing.T) {
	t.Parallel()
	r := ileAuTresor(t)
	result := game.Result{{15, 16, 17, 18, 19, 20, 21}, {3}}
	prizes := map[[2]int]int64{ // by places and pirates, in euros for 2 €
		{7, 1}: 20000, {7, 0}: 1500, {6, 1}: 200, {6, 0}: 100, {5, 1}: 50,
		{5, 0}: 20, {4, 1}: 6, {4, 0}: 3, {3, 1}: 2, {0, 0}: 2,
	}
	for places := range 8 {
		for pirates := range 2 {
			picks := game.Picks{make([]int, 0, 7), {3 - (1 - pirates)}}
			for i := range 7 {
				if i < places {
					picks[0] = append(picks[0], 15+i)
				} else {
					picks[0] = append(picks[0], 1+i)
				}
			}
			c, err := r.Rank(picks)
			if err != nil {
				t.Fatal(err)
			}
			for _, units := range []int64{1, 2, 3, 4, 5, 10} {
				counter, err := NewCounter(r, result, 1)
				if err != nil {
					t.Fatal(err)
				}
				counter.Add(Part{Combination: c, Units: units, LastDraw: 9})
				got := counter.Settlement(Pot{}, false)
				var total money.Amount
				for _, s := range got.Shares {
					total += s.Total
				}
				if want := money.Euros(prizes[[2]int{places, pirates}] * units); total != want || len(got.Shares) > 1 {
					t.Errorf("%d+%d, %d units: %s in %d shares, want %s", places, pirates, units, total, len(got.Shares), want)
				}
				if got.Parts != 1 || got.Stakes != money.Euros(2*units) {
					t.Errorf("%d parts, stakes %s", got.Parts, got.Stakes)
				}
			}
		}
	}
}

// TestIAT_6_2_AllCombinations settles all 348,840 combinations, one ticket
// each: every one wins one tier at most, winners are the odds, and prizes are
// 39239/58140 of the stakes.
func TestIAT_6_2_AllCombinations(t *testing.T) {
	t.Parallel()
	r := ileAuTresor(t)
	odds := r.Odds(0)
	for seed := range 3 {
		counter, err := NewCounter(r, draw.Derive(r, [32]byte{byte(seed)}), 1)
		if err != nil {
			t.Fatal(err)
		}
		for c := range game.Combination(r.Size()) {
			counter.Add(Part{Combination: c, Units: 1, LastDraw: 1})
		}
		s := counter.Settlement(Pot{}, false)
		if s.Parts != 348_840 || s.Stakes != money.Euros(2*348_840) || len(s.Shares) != 10 {
			t.Fatalf("%d parts, stakes %s, %d shares", s.Parts, s.Stakes, len(s.Shares))
		}
		want := []int64{1, 2, 98, 196, 1911, 3822, 12_740, 25_480, 35_035, 6864}
		var winners int64
		for i, share := range s.Shares {
			if share.Tier != i || share.Winners != want[i] || share.Units != want[i] {
				t.Errorf("tier %d: %+v, want %d winners", i, share, want[i])
			}
			if p := big.NewRat(share.Winners, 348_840); p.Cmp(odds.Tiers[i].Probability) != 0 {
				t.Errorf("tier %d: %s won, odds %s", i, p, odds.Tiers[i].Probability)
			}
			winners += share.Winners
		}
		if winners != 86_149 {
			t.Errorf("%d winners, want 86,149", winners)
		}
		if got := new(big.Rat).Quo(s.Prizes[1].Rat(), s.Stakes.Rat()); got.Cmp(big.NewRat(39239, 58140)) != 0 {
			t.Errorf("payout rate %s", got)
		}
	}
}

// TestIAT_2_PropertySettlement: shares are what a naive count by sets of
// elements gives, ticket by ticket, in any order of the parts and of the table.
func TestIAT_2_PropertySettlement(t *testing.T) {
	t.Parallel()
	small, island := twoTables(t), ileAuTresor(t)
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.SampledFrom([]*game.Rules{small, island}).Draw(t, "rules")
		result := draw.Derive(r, [32]byte{rapid.Byte().Draw(t, "seed")})
		counter, err := NewCounter(r, result, 1)
		if err != nil {
			t.Fatal(err)
		}
		type key struct {
			table, tier int
		}
		model, byLast, stakes := map[key]Share{}, map[int64]money.Amount{}, money.Amount(0)
		parts := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Part {
			return Part{
				Combination: game.Combination(rapid.Int64Range(0, r.Size()-1).Draw(t, "combination")),
				Units:       rapid.Int64Range(1, 10).Draw(t, "units"),
				Table:       rapid.IntRange(0, len(r.Tables)-1).Draw(t, "table"),
				LastDraw:    draw.ID(rapid.IntRange(1, 3).Draw(t, "last")),
			}
		}), 0, 30).Draw(t, "parts")
		for _, p := range parts {
			counter.Add(p)
			stakes += r.UnitStake.Times(p.Units)
			tier := naiveTier(r, p.Table, r.Picks(p.Combination), result)
			if tier < 0 {
				continue
			}
			k := key{p.Table, tier}
			s := model[k]
			value := r.Tables[p.Table].Tiers[tier].Prize
			model[k] = Share{
				p.Table, tier,
				s.Winners + 1, s.Units + p.Units, value, s.Total + value.Times(p.Units),
			}
			byLast[int64(p.LastDraw)] += value.Times(p.Units)
		}
		got := counter.Settlement(Pot{}, false)
		if got.Parts != int64(len(parts)) || got.Stakes != stakes {
			t.Fatalf("%d parts, %s; want %d, %s", got.Parts, got.Stakes, len(parts), stakes)
		}
		if len(got.Shares) != len(model) {
			t.Fatalf("%d shares, want %d", len(got.Shares), len(model))
		}
		for i, s := range got.Shares {
			if diff := cmp.Diff(model[key{s.Table, s.Tier}], s); diff != "" {
				t.Fatal(diff)
			}
			if i > 0 && !before(got.Shares[i-1], s) {
				t.Fatalf("share %d out of order: %+v", i, got.Shares)
			}
		}
		if diff := cmp.Diff(byLast, got.Prizes); diff != "" {
			t.Fatal(diff)
		}
	})
}

func before(a, b Share) bool {
	return slices.Compare([]int{a.Table, a.Tier}, []int{b.Table, b.Tier}) < 0
}

// naiveTier counts matches by plain sets of elements; every game here has one set a matrix.
func naiveTier(r *game.Rules, table int, picks game.Picks, result game.Result) int {
	for i, tier := range r.Tables[table].Tiers {
		won := true
		for s, want := range tier.Hits {
			hits := 0
			for _, e := range picks[s] {
				if slices.Contains(result[s], e) {
					hits++
				}
			}
			won = won && (want == game.Any || want == hits)
		}
		if won {
			return i
		}
	}
	return -1
}

// TestPromotion: two tables in one draw give their own shares, and all of them prizes by last draw.
func TestPromotion(t *testing.T) {
	t.Parallel()
	r := twoTables(t)
	result := game.Result{{1, 2, 3}, {1}}
	c, err := r.Rank(game.Picks{{1, 2, 3}, {1}})
	if err != nil {
		t.Fatal(err)
	}
	counter, err := NewCounter(r, result, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []Part{{c, 2, 1, 8}, {c, 1, 0, 9}, {c, 1, 0, 7}, {c, 1, 0, 7}} {
		counter.Add(p)
	}
	got := counter.Settlement(Pot{}, false)
	want := []Share{{0, 0, 3, 3, 3000, 9000}, {1, 0, 1, 2, 6000, 12000}}
	if diff := cmp.Diff(want, got.Shares); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[int64]money.Amount{7: 6000, 8: 12000, 9: 3000}, got.Prizes); diff != "" {
		t.Error(diff)
	}
}

func TestNewCounter_Result(t *testing.T) {
	t.Parallel()
	r := ileAuTresor(t)
	for _, bad := range []game.Result{nil, {{1, 2, 3, 4, 5, 6}, {1}}, {{1, 2, 3, 4, 5, 6, 6}, {1}}, {{1, 2, 3, 4, 5, 6, 22}, {1}}} {
		if _, err := NewCounter(r, bad, 1); !errors.Is(err, game.ErrResult) {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

// TestCounter_Million: a draw of a million parts settles without an allocation a part, so
// memory does not grow with it (BenchmarkCounter has the speed).
func TestCounter_Million(t *testing.T) { // not parallel: it counts allocations
	r := ileAuTresor(t)
	counter, err := NewCounter(r, draw.Derive(r, [32]byte{}), 1)
	if err != nil {
		t.Fatal(err)
	}
	n := game.Combination(0)
	add := func() {
		counter.Add(Part{Combination: n % game.Combination(r.Size()), Units: 1, LastDraw: draw.ID(n % 6)})
		n += 7919
	}
	for range 1000 {
		add()
	}
	if allocs := testing.AllocsPerRun(1_000_000, add); allocs != 0 {
		t.Errorf("%v allocations a part", allocs)
	}
	if got := counter.Settlement(Pot{}, false).Parts; got != 1_001_001 {
		t.Errorf("%d parts", got)
	}
}

func BenchmarkCounter(b *testing.B) {
	r := ileAuTresor(b)
	counter, err := NewCounter(r, draw.Derive(r, [32]byte{}), 1)
	if err != nil {
		b.Fatal(err)
	}
	var n int64
	for b.Loop() {
		counter.Add(Part{Combination: game.Combination(n * 7919 % r.Size()), Units: 1, LastDraw: draw.ID(n % 6)})
		n++
	}
}
