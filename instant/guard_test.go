package instant

import (
	"errors"
	"fmt"
	"math/big"
	"testing"

	"tirage/money"
	"tirage/rng"
)

// watch sells a whole pool, and tells after how many units the guard stopped; 0: never.
func watch(table *PrizeTable, p *Pool, every int) int {
	l := Left{Counts: make([]int, len(table.Prizes))}
	for n, i := range p.prizes {
		if int(i) < len(table.Prizes) {
			l.Counts[i]++
			l.Paid = l.Paid.Add(table.Prizes[i].Amount)
		}
		l.Sold++
		if (n < 2000 || n%every == 0 || n+every >= p.Len()) && Guard(table, p.Len(), l, 1_000_000) != nil {
			return l.Sold
		}
	}
	return 0
}

func placeOf(t *PrizeTable, amount money.Amount) int {
	for i, p := range t.Prizes {
		if p.Amount == amount {
			return i
		}
	}
	return -1
}

// TestF12_GuardPassesCorrectPools: 20 whole pools, sold to the last unit.
func TestF12_GuardPassesCorrectPools(t *testing.T) {
	t.Parallel()
	for i := range 20 {
		table := tables()[i%3]
		p := shuffled(table, 450_000, seedOf(uint64(i)))
		if at := watch(table, p, 13); at != 0 {
			t.Errorf("pool %d stopped after %d units", i, at)
		}
	}
}

// TestF12_GuardPassesSmallPools: what is frequent in a small pool is not stopped in it.
func TestF12_GuardPassesSmallPools(t *testing.T) {
	t.Parallel()
	table := &PrizeTable{Price: 100, Prizes: []Prize{{Amount: 500, Units: 2}, {Amount: 100, Units: 5}}}
	for i := range 2_000 {
		p := shuffled(table, 12, seedOf(uint64(i)))
		if at := watch(table, p, 1); at != 0 {
			t.Fatalf("pool %d stopped after %d units", i, at)
		}
	}
}

// TestF12_GuardStopsWrongGames: each within 100 plays.
func TestF12_GuardStopsWrongGames(t *testing.T) {
	t.Parallel()
	table := tables()[0]
	p := shuffled(table, 450_000, seedOf(1000))
	for from := 0; from < p.Len(); from += p.Len() / 20 {
		right := func(n int) int { return placeOf(table, p.Leaf(from+n).Prize) }
		for _, wrong := range []struct {
			what   string
			prizes func(n int) int
		}{
			{"each unit wins the least", func(int) int { return 8 }},
			{"each unit wins something", func(n int) int { return max(right(n), 4+n%5) }},
			{"the top prize each time", func(int) int { return 0 }},
			{"the top prize one time in 40", func(n int) int {
				if n%40 == 7 {
					return 0
				}
				return right(n)
			}},
			{"250 € one time in 25", func(n int) int {
				if n%25 == 7 {
					return 1
				}
				return right(n)
			}},
			{"no unit wins", func(int) int { return -1 }},
			{"half wins", func(n int) int {
				if n%4 != 0 {
					return 5 + n%3
				}
				return right(n)
			}},
		} {
			l := Left{Counts: make([]int, len(table.Prizes))}
			for l.Sold < 100 && Guard(table, p.Len(), l, 1_000_000) == nil {
				if i := wrong.prizes(l.Sold); i >= 0 {
					l.Counts[i]++
					l.Paid = l.Paid.Add(table.Prizes[i].Amount)
				}
				l.Sold++
			}
			if err := Guard(table, p.Len(), l, 1_000_000); !errors.Is(err, ErrGuard) {
				t.Errorf("from unit %d: %s: not stopped after %d units", from, wrong.what, l.Sold)
			}
		}
	}
	for _, wrong := range []struct {
		what string
		l    Left
	}{
		{"a prize doubled", Left{1, []int{0, 0, 0, 0, 0, 0, 0, 0, 1}, 1_00}},
		// With all greater prizes there would be room for chance: the prize alone shows it.
		{"one prize nine times in a hundred units", Left{100, []int{0, 0, 0, 0, 9, 0, 0, 0, 0}, 112_50}},
		{"a prize not paid", Left{1, []int{0, 0, 0, 0, 0, 0, 0, 0, 1}, 0}},
		{"a second top prize", Left{400_000, []int{2, 0, 0, 0, 0, 0, 0, 0, 0}, 10000_00}},
		{"more sold than there are", Left{450_001, []int{1, 3, 100, 1000, 500, 2000, 26000, 38000, 52000}, 157500_00}},
		{"a pool without its top prize", Left{450_000, []int{0, 3, 100, 1000, 500, 2000, 26000, 38000, 52000}, 152500_00}},
		{"prizes of another table", Left{1, []int{0, 1}, 250_00}},
		{"fewer than none", Left{1, []int{0, 0, 0, 0, 0, 0, 0, 0, -1}, -50}},
	} {
		if err := Guard(table, 450_000, wrong.l, 1_000_000); !errors.Is(err, ErrGuard) {
			t.Errorf("%s: %v", wrong.what, err)
		}
	}
}

// TestF12_GuardKeepsItsPromise: asked after each unit, it stops no more than 1
// correct pool in oneIn, however many units that are. Were each unit alone held
// to that, it would stop several times as many.
func TestF12_GuardKeepsItsPromise(t *testing.T) {
	t.Parallel()
	const pools, oneIn = 2_000, 1_000
	table := &PrizeTable{Price: 100, Prizes: []Prize{{Amount: 100, Units: 1_000}}}
	stopped := 0
	for i := range pools {
		p, l := shuffled(table, 2_000, seedOf(uint64(i))), Left{Counts: []int{0}}
		for _, prize := range p.prizes {
			l.Counts[0] += 1 - int(prize)
			l.Paid = money.Amount(100 * l.Counts[0])
			l.Sold++
			if Guard(table, p.Len(), l, oneIn) != nil {
				stopped++
				break
			}
		}
	}
	if stopped > pools/oneIn {
		t.Errorf("%d correct pools of %d stopped, promised is 1 in %d", stopped, pools, oneIn)
	}
}

// TestF12_GuardPassesWhatIsLeft: the guard may be asked about the rest of a pool, down to none of it.
func TestF12_GuardPassesWhatIsLeft(t *testing.T) {
	t.Parallel()
	for units := range 4 {
		for winners := range units + 1 {
			table := &PrizeTable{Price: 100, Prizes: []Prize{{Amount: 500}, {Amount: 100, Units: winners}}}
			for _, l := range []Left{{Counts: []int{0, 0}}, {Sold: units, Counts: []int{0, winners}, Paid: money.Amount(100 * winners)}} {
				if err := Guard(table, units, l, 1_000_000); err != nil {
					t.Errorf("%d of %d units win, %+v: %v", winners, units, l, err)
				}
			}
		}
	}
}

// TestF12_TailsAreExact compares with exact sums: nothing is refused that is as
// frequent as 1 in rare, and nothing passed that is much rarer.
func TestF12_TailsAreExact(t *testing.T) {
	t.Parallel()
	s := rng.NewStream(seedOf(5), "pools")
	refused, passed := 0, 0
	for range 300 {
		pool := 1 + int(s.Below(400))
		marked, drawn := int(s.Below(uint64(pool+1))), int(s.Below(uint64(pool+1)))
		rare := uint64(1_000) << s.Below(30)
		all := binomial(pool, drawn)
		limit := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).SetUint64(rare))
		far := new(big.Rat).Mul(limit, big.NewRat(1, 32))
		lower := new(big.Int)
		for c := 0; c <= drawn; c++ {
			ways := new(big.Int).Mul(binomial(marked, c), binomial(pool-marked, drawn-c))
			upper := new(big.Int).Sub(all, lower)
			lower.Add(lower, ways)
			least := new(big.Rat).SetFrac(lower, all)
			if u := new(big.Rat).SetFrac(upper, all); u.Cmp(least) < 0 {
				least = u
			}
			got := cannotBe(pool, marked, drawn, c, rare)
			what := fmt.Sprintf("%d of %d marked, %d of %d drawn, 1 in %d", c, marked, drawn, pool, rare)
			switch {
			case got && least.Cmp(limit) >= 0:
				t.Errorf("%s: refused", what)
			case !got && least.Cmp(far) < 0:
				t.Errorf("%s: passed", what)
			}
			if got && ways.Sign() > 0 {
				refused++
			} else {
				passed++
			}
		}
	}
	if refused < 1000 || passed < 1000 {
		t.Errorf("%d refused, %d passed: too few to tell", refused, passed)
	}
}

// TestF12_TailsOfLargePools: where many numbers are nearly as probable as the
// next, the whole tail counts and not its first number: what is as frequent as
// 1 in rare still passes, exactly at the limit.
func TestF12_TailsOfLargePools(t *testing.T) {
	t.Parallel()
	const pool, marked, drawn, mode, most = 20_000, 10_000, 10_000, 5_000, 5_250
	all, upper := binomial(pool, drawn), new(big.Int)
	ways := make([]*big.Int, most) // from mode on, by the ratio of neighbours
	ways[mode] = new(big.Int).Mul(binomial(marked, mode), binomial(pool-marked, drawn-mode))
	for c := mode; c+1 < most; c++ {
		w := new(big.Int).Mul(ways[c], big.NewInt(int64((marked-c)*(drawn-c))))
		ways[c+1] = w.Quo(w, big.NewInt(int64((c+1)*(pool-marked-drawn+c+1))))
	}
	for c := most - 1; c > mode; c-- { // what lies beyond most is less than 2⁻⁶⁴ of all
		upper.Add(upper, ways[c])
		oneIn := new(big.Int).Quo(all, upper)
		if oneIn.Cmp(big.NewInt(1_000)) < 0 || oneIn.BitLen() > 40 {
			continue
		}
		rare := oneIn.Uint64()
		if cannotBe(pool, marked, drawn, c, rare+1) {
			t.Errorf("%d or more, 1 in %d, is refused", c, rare)
		}
		if c > mode+160 && !cannotBe(pool, marked, drawn, c, rare/32) {
			t.Errorf("%d or more, 1 in %d, passes as 1 in %d", c, rare, rare/32)
		}
	}
}

func binomial(n, k int) *big.Int {
	if k < 0 || k > n {
		return new(big.Int)
	}
	return new(big.Int).Binomial(int64(n), int64(k))
}

func BenchmarkGuard(b *testing.B) {
	table := tables()[0]
	p := Build(table, 450_000, rng.Seed{7})
	l := Left{Counts: make([]int, len(table.Prizes))}
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		if n == p.Len() {
			n, l = 0, Left{Counts: make([]int, len(table.Prizes))}
		}
		if i := int(p.prizes[n]); i < len(table.Prizes) {
			l.Counts[i]++
			l.Paid += table.Prizes[i].Amount
		}
		l.Sold++
		n++
		if err := Guard(table, p.Len(), l, 1_000_000); err != nil {
			b.Fatal(err)
		}
	}
}
