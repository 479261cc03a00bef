package game

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
)

// The odds of the sample games by the formulas of textbooks.
func TestOddsAgreeWithClosedForms(t *testing.T) {
	t.Parallel()
	c := func(n, k int64) *big.Int { return new(big.Int).Binomial(n, k) }
	times := func(factors ...*big.Int) *big.Int {
		p := big.NewInt(1)
		for _, f := range factors {
			p.Mul(p, f)
		}
		return p
	}
	var powerball, keno []*big.Int
	for _, h := range []int64{5, 5, 4, 4, 3, 3, 2, 1, 0} {
		powerball = append(powerball, times(c(5, h), c(64, 5-h)))
	}
	for i := range powerball { // with the red ball, or with one of the 25 others
		if slices.Contains([]int{1, 3, 5}, i) {
			powerball[i] = times(powerball[i], big.NewInt(25))
		}
	}
	for _, h := range []int64{10, 9, 8, 7, 6, 5, 0} {
		keno = append(keno, times(c(20, h), c(60, 10-h)))
	}
	lotto := []*big.Int{
		c(6, 6), c(6, 5), times(c(6, 5), c(52, 1)),
		times(c(6, 4), c(53, 2)), times(c(6, 3), c(53, 3)), times(c(6, 2), c(53, 4)),
	}
	var blueYellow, euro []*big.Int
	for _, h := range [][2]int64{{6, 1}, {5, 2}, {5, 1}, {5, 0}, {4, 3}, {4, 2}, {0, 0}} { // in the order of the tiers that name both
		blueYellow = append(blueYellow, times(c(7, h[0]), c(5, h[1]), c(16, 7-h[0]-h[1])))
	}
	// The others take what the tiers before them leave: 6 blue without a yellow, 4 blue with at most one.
	blueYellow = slices.Concat(
		[]*big.Int{c(7, 7), blueYellow[0], times(c(7, 6), c(16, 1))}, blueYellow[1:6],
		[]*big.Int{times(c(7, 4), new(big.Int).Add(c(16, 3), times(c(5, 1), c(16, 2)))), times(c(7, 3), c(21, 4)), blueYellow[6]})
	for _, h := range [][2]int64{{5, 2}, {5, 1}, {5, 0}, {4, 2}, {4, 1}, {3, 2}, {4, 0}, {2, 2}, {3, 1}, {3, 0}, {1, 2}, {2, 1}, {2, 0}} {
		euro = append(euro, times(c(5, h[0]), c(45, 5-h[0]), c(2, h[1]), c(10, 2-h[1])))
	}
	for name, want := range map[string][]*big.Int{
		"powerball": powerball, "keno-10": keno, "lotto-59": lotto, "amigo-28": blueYellow, "euromillions": euro,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := sample(t, name)
			o := r.Odds(0)
			sum, mean := new(big.Int), new(big.Rat)
			for i, n := range want {
				if o.Tiers[i].Winning.Cmp(n) != 0 {
					t.Errorf("tier %s: got %v, want %v", r.Tables[0].Tiers[i].Name, o.Tiers[i].Winning, n)
				}
				sum.Add(sum, n)
				p := new(big.Rat).SetFrac(n, o.Combinations)
				mean.Add(mean, p.Mul(p, r.Tables[0].Tiers[i].Prize.Rat()))
			}
			if p := new(big.Rat).SetFrac(sum, o.Combinations); o.Any.Cmp(p) != 0 {
				t.Errorf("any prize: got %v, want %v", o.Any, p)
			}
			if payout := mean.Quo(mean, r.UnitStake.Rat()); o.Payout.Cmp(payout) != 0 {
				t.Errorf("payout rate: got %v, want %v", o.Payout, payout)
			}
			if jackpot := r.Kind == Parimutuel; o.Jackpot != jackpot {
				t.Errorf("a jackpot left out: got %v", o.Jackpot)
			}
		})
	}
}

// small returns a rule book with these matrices and tiers.
func small(matrices, tiers string) string {
	return `game: small
version: "1"
name: {fr: Petit jeu, en: Small game}
kind: fixed-prize
first_day: 2020-01-01
unit_stake: 1
stakes: [1, 2]
draw_counts: [1]
matrices:
` + matrices + `prize_tables:
  - key: ordinary
    tiers:
` + tiers
}

const twoMatrices = `  - {key: a, name: {fr: A, en: A}, pick: 3, count: 8}
  - {key: b, name: {fr: B, en: B}, pick: 1, count: 3}
`

var smallGames = map[string]string{
	"two matrices": small(twoMatrices,
		`      - {name: 3+1, hits: {a: 3, b: 1}, prize: 50}
      - {name: "3", hits: {a: 3}, prize: 20}
      - {name: 0+0, hits: {a: 0, b: 0}, prize: 3}
      - {name: +1, hits: {b: 1}, prize: 1}
`),
	"bonus from the same pool": small(
		`  - {key: n, name: {fr: N, en: N}, pick: 2, count: 7, sets: [{key: main, count: 2}, {key: bonus, count: 1}]}
`,
		`      - {name: "2", hits: {main: 2}, prize: 10}
      - {name: 1+b, hits: {main: 1, bonus: 1}, prize: 5}
      - {name: "1", hits: {main: 1}, prize: 2.50}
      - {name: b, hits: {bonus: 1}, prize: 1}
`),
	"keno": small(
		`  - {key: n, name: {fr: N, en: N}, pick: 3, count: 12, sets: [{key: drawn, count: 4}]}
`,
		`      - {name: "3", hits: {drawn: 3}, prize: 30}
      - {name: "2", hits: {drawn: 2}, prize: 2}
      - {name: "0", hits: {drawn: 0}, prize: 1}
`),
	"columns": small(
		`  - {key: n, name: {fr: N, en: N}, pick: 3, count: 12, columns: 3}
  - {key: j, name: {fr: J, en: J}, pick: 1, count: 3}
`,
		`      - {name: 3+1, hits: {n: 3, j: 1}, prize: 100}
      - {name: "3", hits: {n: 3}, prize: 20}
      - {name: "2", hits: {n: 2}, prize: 3}
      - {name: 0+1, hits: {n: 0, j: 1}, prize: 1}
`),
	"columns after others": small(
		`  - {key: j, name: {fr: J, en: J}, pick: 2, count: 4, sets: [{key: j, count: 1}, {key: k, count: 1}]}
  - {key: n, name: {fr: N, en: N}, pick: 2, count: 6, columns: 2}
`,
		`      - {name: 2+1, hits: {n: 2, j: 1}, prize: 10}
      - {name: 1+k, hits: {n: 1, k: 1}, prize: 2}
`),
	"digits": small(
		`  - {key: d1, name: {fr: Un, en: One}, pick: 1, count: 10}
  - {key: d2, name: {fr: Deux, en: Two}, pick: 1, count: 10}
  - {key: d3, name: {fr: Trois, en: Three}, pick: 1, count: 10}
`,
		`      - {name: exact, hits: {d1: 1, d2: 1, d3: 1}, prize: 500}
      - {name: last two, hits: {d2: 1, d3: 1}, prize: 10}
      - {name: last, hits: {d3: 1}, prize: 2}
`),
	"fewer drawn than picked": small(
		`  - {key: n, name: {fr: N, en: N}, pick: 4, count: 7, sets: [{key: drawn, count: 2}]}
`,
		`      - {name: "2", hits: {drawn: 2}, prize: 2}
`),
}

// results calls f with every result of a game, without regard to order within a set.
func results(r *Rules, f func(Result)) {
	res := make(Result, len(r.Sets))
	var drawn Mask
	var set func(s int)
	var element func(s, from int)
	set = func(s int) {
		if s == len(r.Sets) {
			f(res)
			return
		}
		element(s, 1)
	}
	element = func(s, from int) {
		if len(res[s]) == r.Sets[s].Count {
			set(s + 1)
			return
		}
		m := r.Matrices[r.Sets[s].Matrix]
		for e := from; e <= len(m.Elements); e++ {
			if m.Columns > 0 && len(res[s]) != m.Column(e) {
				continue // ascending: each column after the one before
			}
			if bit := m.First + e - 1; !drawn.has(bit) {
				drawn.set(bit)
				res[s] = append(res[s], e)
				element(s, e+1)
				res[s] = res[s][:len(res[s])-1]
				drawn[bit>>6] &^= 1 << (bit & 63)
			}
		}
	}
	set(0)
}

// tierByLists is the first tier of table 0 that plain counting finds.
func tierByLists(r *Rules, p Picks, res Result) int {
	for i, tier := range r.Tables[0].Tiers {
		won := true
		for s, set := range r.Sets {
			hits := 0
			for _, e := range res[s] {
				if slices.Contains(p[set.Matrix], e) {
					hits++
				}
			}
			won = won && (tier.Hits[s] == Any || tier.Hits[s] == hits)
		}
		if won {
			return i
		}
	}
	return -1
}

// One combination against every result, and every combination against one
// result, give the odds.
func TestOddsByBruteForce(t *testing.T) {
	t.Parallel()
	for name, text := range smallGames {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := parse(t, text)
			o := r.Odds(0)
			byCombination, byResult := make([]int64, len(o.Tiers)), make([]int64, len(o.Tiers))
			var last Result
			var n int64
			p := r.Picks(Combination(r.Size() / 2))
			results(r, func(res Result) {
				n++
				if tier := tierByLists(r, p, res); tier >= 0 {
					byResult[tier]++
				}
				last = make(Result, len(res))
				for s := range res {
					last[s] = slices.Clone(res[s])
				}
			})
			m, err := r.Matcher(0, last)
			if err != nil {
				t.Fatal(err)
			}
			for c := range Combination(r.Size()) {
				tier := m.Tier(c)
				if want := tierByLists(r, r.Picks(c), last); tier != want {
					t.Fatalf("picks %v: got tier %d, want %d", r.Picks(c), tier, want)
				}
				if tier >= 0 {
					byCombination[tier]++
				}
			}
			mean, square := new(big.Rat), new(big.Rat)
			for i, tier := range r.Tables[0].Tiers {
				p := big.NewRat(byResult[i], n)
				if o.Tiers[i].Probability.Cmp(p) != 0 || o.Tiers[i].Winning.Int64() != byCombination[i] {
					t.Errorf("tier %s: got %v and %v, want %v and %v", tier.Name, o.Tiers[i].Probability, o.Tiers[i].Winning, p, byCombination[i])
				}
				share := p.Mul(p, tier.Prize.Rat())
				mean.Add(mean, share)
				square.Add(square, new(big.Rat).Mul(share, tier.Prize.Rat()))
			}
			if variance := square.Sub(square, new(big.Rat).Mul(mean, mean)); o.Variance.Cmp(variance) != 0 {
				t.Errorf("variance: got %v, want %v", o.Variance, variance)
			}
		})
	}
}

func TestOneIn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n, d     int64
		decimals int
		rounding Rounding
		want     string
	}{
		{1, 3, 2, HalfUp, "3.00"},
		{3, 10, 2, HalfUp, "3.33"},
		{3, 10, 2, Up, "3.34"},
		{8, 9, 2, HalfUp, "1.13"}, // 1.125
		{8, 9, 2, Up, "1.13"},
		{8, 9, 3, Up, "1.125"},
		{2, 5, 0, HalfUp, "3"},
		{2, 5, 0, Up, "3"},
		{4, 9, 0, HalfUp, "2"},
		{4, 9, 0, Up, "3"},
		{1, 348840, 2, HalfUp, "348840.00"},
		{1, 1, 0, Up, "1"},
	} {
		r := &Rules{Decimals: c.decimals, Rounding: c.rounding}
		if got := r.OneIn(big.NewRat(c.n, c.d)); got != c.want {
			t.Errorf("%d/%d, %d decimals, %v: got %s, want %s", c.n, c.d, c.decimals, c.rounding, got, c.want)
		}
	}
}

// The largest games that a book may describe: nothing overflows.
func TestOddsOfLargeGames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ pick, count, drawn int }{{64, 66, 64}, {127, 128, 127}, {30, 64, 60}, {12, 128, 100}} {
		r := parse(t, small(
			fmt.Sprintf("  - {key: n, name: {fr: N, en: N}, pick: %d, count: %d, sets: [{key: drawn, count: %d}]}\n", c.pick, c.count, c.drawn),
			"      - {name: all, hits: {drawn: "+fmt.Sprint(min(c.pick, c.drawn))+"}, prize: 1}\n"))
		want := new(big.Int).Binomial(int64(c.count), int64(c.pick))
		sum := new(big.Int)
		for _, n := range r.index.ways {
			sum.Add(sum, big.NewInt(n))
		}
		if o := r.Odds(0); o.Combinations.Cmp(want) != 0 || sum.Cmp(want) != 0 {
			t.Errorf("%d of %d: got %v, ways sum to %v, want %v", c.pick, c.count, o.Combinations, sum, want)
		}
		for _, rank := range []int64{0, 1, r.Size() / 3, r.Size() - 1} {
			if got, err := r.Rank(r.Picks(Combination(rank))); err != nil || int64(got) != rank {
				t.Errorf("%d of %d: rank %d came back as %d, %v", c.pick, c.count, rank, got, err)
			}
		}
	}
	text := small("  - {key: n, name: {fr: N, en: N}, pick: 64, count: 128}\n", "      - {name: all, hits: {n: 64}, prize: 1}\n")
	if _, err := Parse("f", []byte(text)); err == nil || !strings.Contains(err.Error(), "f:10: matrices, expected at most 2^62 combinations") {
		t.Errorf("64 of 128: got %v", err)
	}
}

// Every pair of a combination and a result of the Pick 3, and of smaller games
// with tiers in any order: the odds are the mean over the results.
func TestOddsInAnyOrder(t *testing.T) {
	t.Parallel()
	books := map[string]string{
		"pick 3": string(sample(t, "pick-3").Bytes),
		"four matrices of three": small(digits(4, 3), `      - {name: in order, hits: {d1: 1, d2: 1, d3: 1, d4: 1}, prize: 50}
      - {name: first and order, hits: {d1: 1}, any_order: allowed, prize: 20}
      - {name: order, hits: {}, any_order: allowed, prize: 5}
      - {name: last two, hits: {d3: 1, d4: 1}, prize: 2}
`),
		"in order counts too": small(digits(2, 5), `      - {name: any order, hits: {}, any_order: allowed, prize: 10}
      - {name: last, hits: {d2: 1}, prize: 1}
`),
		"one matrix": small(digits(1, 7), "      - {name: it, hits: {}, any_order: allowed, prize: 5}\n"),
	}
	for name, text := range books {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := parse(t, text)
			o := r.Odds(0)
			winners := make([]int64, len(o.Tiers))
			for drawn := range Combination(r.Size()) {
				res := Result(r.Picks(drawn))
				m, err := r.Matcher(0, res)
				if err != nil {
					t.Fatal(err)
				}
				sorted := inOrder(res)
				for c := range Combination(r.Size()) {
					tier := m.Tier(c)
					if drawn%37 == 0 && tier != tierInOrder(r, r.Picks(c), res, sorted) { // plain lists are slow
						t.Fatalf("picks %v, result %v: got tier %d", r.Picks(c), res, tier)
					}
					if tier >= 0 {
						winners[tier]++
					}
				}
			}
			if pairs := big.NewInt(r.Size() * r.Size()); o.Cases.Cmp(pairs) != 0 || o.Combinations.Int64() != r.Size() {
				t.Errorf("got %v cases of %v combinations, want %v", o.Cases, o.Combinations, pairs)
			}
			for i, n := range winners {
				if o.Tiers[i].Winning.Int64() != n || o.Tiers[i].Probability.Cmp(big.NewRat(n, r.Size()*r.Size())) != 0 {
					t.Errorf("tier %s: got %v, %v, counted %d", r.Tables[0].Tiers[i].Name, o.Tiers[i].Winning, o.Tiers[i].Probability, n)
				}
			}
		})
	}
}

// digits is so many matrices of n numbers each, d1, d2 and so on.
func digits(matrices, n int) string {
	var text strings.Builder
	for i := range matrices {
		fmt.Fprintf(&text, "  - {key: d%d, name: {fr: D, en: D}, pick: 1, count: %d}\n", i+1, n)
	}
	return text.String()
}

func inOrder(lists [][]int) []int { return slices.Sorted(slices.Values(slices.Concat(lists...))) }

// tierInOrder is tierByLists with tiers in any order; sorted is the result's elements.
func tierInOrder(r *Rules, p Picks, res Result, sorted []int) int {
	return slices.IndexFunc(r.Tables[0].Tiers, func(tier Tier) bool {
		for s, want := range tier.Hits {
			if hit := p[s][0] == res[s][0]; want != Any && hit != (want == 1) {
				return false
			}
		}
		return !tier.AnyOrder || slices.Equal(inOrder(p), sorted)
	})
}

// The largest games with tiers in any order: nothing overflows, and all pairs are counted once.
func TestOddsOfLargeGamesInAnyOrder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ matrices, elements int }{{12, 5}, {6, 21}, {3, 42}, {2, 64}, {1, 128}} {
		r := parse(t, small(digits(c.matrices, c.elements), "      - {name: order, hits: {}, any_order: allowed, prize: 1}\n"))
		sum := new(big.Int)
		for match, n := range r.index.ways {
			if n < 0 {
				t.Errorf("%v: match %d has %d pairs", c, match, n)
			}
			sum.Add(sum, big.NewInt(n))
		}
		if o := r.Odds(0); sum.Cmp(o.Cases) != 0 {
			t.Errorf("%v: got %v pairs, want %v", c, sum, o.Cases)
		}
	}
	for _, matrices := range []string{
		digits(12, 6),
		strings.Replace(digits(2, 5), "count: 5", "count: 6", 1),
		"  - {key: d1, name: {fr: D, en: D}, pick: 2, count: 5}\n",
		"  - {key: d1, name: {fr: D, en: D}, pick: 1, count: 5, sets: [{key: d1, count: 2}]}\n",
	} {
		_, err := Parse("f", []byte(small(matrices, "      - {name: order, hits: {}, any_order: allowed, prize: 1}\n")))
		if err == nil || !strings.Contains(err.Error(), "since a tier is won in any order") {
			t.Errorf("%s: got %v", matrices, err)
		}
	}
}

// The shares of EuroMillions are in no return; what is left out is told.
func TestOddsOfShares(t *testing.T) {
	t.Parallel()
	o := sample(t, "euromillions").Odds(0)
	if o.Shared.RatString() != "1/5" || o.Payout.Sign() != 0 || o.Variance.Sign() != 0 || !o.Jackpot {
		t.Errorf("got shared %v, payout %v, variance %v, jackpot left out %v", o.Shared, o.Payout, o.Variance, o.Jackpot)
	}
}

// Exact odds of any game that comes with the program: 10 ms at most.
func BenchmarkOdds(b *testing.B) {
	for _, code := range Embedded() {
		b.Run(string(code), func(b *testing.B) {
			text, err := Book(code)
			if err != nil {
				b.Fatal(err)
			}
			r := parse(b, string(text))
			for b.Loop() {
				for table := range r.Tables {
					r.Odds(table)
				}
			}
		})
	}
}
