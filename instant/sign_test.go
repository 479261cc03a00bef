package instant

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// A sign is what is seen of each board of a pool, and what is known besides.
// What it tells of the prize, beyond what is known, is the mutual information
// of sign and prize, given what is known.
type sign struct {
	groups []group
	seen   []int32 // by board, a number for each (known, seen)
	kinds  int     // how many there are
}

// group is the boards of which the same is known.
type group struct {
	boards []int
	kinds  []int32 // of what is seen of them
}

// newSign numbers what see returns of each board; one that is not ok is left out.
func newSign(boards int, see func(n int) (known, seen int, ok bool)) *sign {
	s := &sign{seen: make([]int32, boards)}
	numbers, groups := map[[2]int]int32{}, map[int]*group{}
	for n := range boards {
		known, seen, ok := see(n)
		if !ok {
			continue
		}
		g := groups[known]
		if g == nil {
			g = &group{}
			groups[known] = g
		}
		key := [2]int{known, seen}
		kind, ok := numbers[key]
		if !ok {
			kind = int32(len(numbers))
			numbers[key] = kind
			g.kinds = append(g.kinds, kind)
		}
		s.seen[n] = kind
		g.boards = append(g.boards, n)
	}
	for _, known := range slices.Sorted(maps.Keys(groups)) {
		s.groups = append(s.groups, *groups[known])
	}
	s.kinds = len(numbers)
	return s
}

// classes are the nine prizes, and none.
const classes = 10

// tells measures in bits a board what the sign tells of prizes, and what there is to tell.
func (s *sign) tells(prizes []uint8) (told, all float64) {
	counts, boards := make([][classes]int32, s.kinds), 0
	for _, g := range s.groups {
		var sum [classes]int32
		for _, n := range g.boards {
			sum[prizes[n]]++
			counts[s.seen[n]][prizes[n]]++
		}
		boards += len(g.boards)
		all += entropy(sum)
		told += entropy(sum)
		for _, kind := range g.kinds {
			told -= entropy(counts[kind])
		}
	}
	return told / float64(boards), all / float64(boards)
}

// entropy is that of so many boards of each class, in bits, times their number.
func entropy(counts [classes]int32) (bits float64) {
	sum := int32(0)
	for _, n := range counts {
		sum += n
	}
	for _, n := range counts {
		if n > 0 {
			bits += float64(n) * math.Log2(float64(sum)/float64(n))
		}
	}
	return bits
}

// shuffled measures the same with prizes shuffled, some times, among boards of
// which the same is known: the mean, and how often as much is told.
func (s *sign) shuffled(prizes []uint8, times int, told float64) (mean float64, asMuch int) {
	for prizes := range s.shuffles(prizes, times) {
		bits, _ := s.tells(prizes)
		mean += bits / float64(times)
		if bits >= told {
			asMuch++
		}
	}
	return mean, asMuch
}

// shuffles shuffles prizes, so many times, among boards of which the same is known.
func (s *sign) shuffles(prizes []uint8, times int) iter.Seq[[]uint8] {
	return func(yield func([]uint8) bool) {
		r := rand.New(rand.NewPCG(2009, 11))
		prizes := slices.Clone(prizes)
		for range times {
			for _, g := range s.groups {
				r.Shuffle(len(g.boards), func(i, j int) {
					n, m := g.boards[i], g.boards[j]
					prizes[n], prizes[m] = prizes[m], prizes[n]
				})
			}
			if !yield(prizes) {
				return
			}
		}
	}
}

// classesOf are the classes of a pool's units: 0 loses, then the prizes of the table.
func classesOf(s *shown) []uint8 {
	table, all := tables()[0], make([]uint8, len(s.prizes))
	for n, prize := range s.prizes {
		all[n] = uint8(slices.IndexFunc(table.Prizes, func(p Prize) bool { return p.Amount == prize }) + 1)
	}
	return all
}

// What is visible before the first chest opens: start, the squares of the nine
// chests, and the throws until then.
func earlySigns(boards []Board) map[string]*sign {
	column := func(see func(b Board) int) *sign {
		return newSign(len(boards), func(n int) (int, int, bool) { return 0, see(boards[n]), true })
	}
	before := func(b Board) (walk int, first Visit) {
		for i, v := range b.Visits() {
			if v.Opens {
				return i, v
			}
		}
		return 0, first
	}
	return map[string]*sign{
		"start":       column(func(b Board) int { return int(b.Start) }),
		"first throw": column(func(b Board) int { return int(b.Throws[0].Direction)*10 + b.Throws[0].Squares }),
		"first throw and row of the start": column(func(b Board) int {
			return b.Start.Row()*100 + int(b.Throws[0].Direction)*10 + b.Throws[0].Squares
		}),
		"sum of the chests' squares": column(func(b Board) (sum int) {
			for _, c := range b.Chests {
				sum += int(c.At)
			}
			return sum
		}),
		"chests by row": column(func(b Board) int {
			var rows [Rows]int
			for _, c := range b.Chests {
				rows[c.At.Row()]++
			}
			sum := 0
			for _, n := range rows {
				sum = sum*4 + min(n, 3)
			}
			return sum
		}),
		"chests around the start": column(func(b Board) (around int) {
			for d := North; d <= NorthWest; d++ {
				at := b.Start.next(d)
				if slices.ContainsFunc(b.Chests[:], func(c Chest) bool { return c.At == at }) {
					around |= 1 << d
				}
			}
			return around
		}),
		"squares before the first chest": column(func(b Board) int { walk, _ := before(b); return walk }),
		"square of the first chest":      column(func(b Board) int { _, v := before(b); return int(v.At) }),
		"throws before the first chest": column(func(b Board) (throws int) {
			_, v := before(b)
			for _, throw := range b.Throws[:v.Throw] {
				throws = throws*100 + int(throw.Direction)*10 + throw.Squares
			}
			return throws
		}),
	}
}

// Nothing is a sign of the prize before the first chest opens: prizes are told
// no better than shuffled ones are.
func TestINS_4_4_Board_NoSignBeforeFirstChest(t *testing.T) {
	t.Parallel()
	const times = 39
	prizes := classesOf(onePool())
	signs := earlySigns(onePool().boards)
	told, mean, asMuch := map[string]float64{}, map[string]float64{}, map[string]int{}
	for name, s := range signs {
		told[name], _ = s.tells(prizes)
	}
	// Nothing is known of any board, so one shuffle serves all signs.
	for shuffled := range signs["start"].shuffles(prizes, times) {
		for name, s := range signs {
			bits, _ := s.tells(shuffled)
			mean[name] += bits / times
			if bits >= told[name] {
				asMuch[name]++
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(signs)) {
		t.Logf("%-32s %4d kinds: tells %.6f bits, shuffled %.6f; as much in %d of %d",
			name, signs[name].kinds, told[name], mean[name], asMuch[name], times)
		if asMuch[name] == 0 {
			t.Errorf("%s tells %.6f bits of the prize, more than all of %d shuffles, %.6f on average", name, told[name], times, mean[name])
		}
	}
}

// What finds no sign would find one: here, one winner in a hundred starts in the north.
func TestSign_IsFound(t *testing.T) {
	t.Parallel()
	prizes, boards := classesOf(onePool()), slices.Clone(onePool().boards)
	for n := range boards {
		if prizes[n] > 0 && n%100 == 0 {
			boards[n].Start = 4
		}
	}
	s := newSign(len(boards), func(n int) (int, int, bool) { return 0, int(boards[n].Start), true })
	told, _ := s.tells(prizes)
	if mean, asMuch := s.shuffled(prizes, 20, told); asMuch > 0 {
		t.Errorf("tells %.6f bits, as much as %d of 20 shuffles, %.6f on average", told, asMuch, mean)
	}
}

// contents are what the chests that open hold, in order, and the throws that open them.
type contents struct {
	symbols []Symbol
	throws  []int
}

func contentsOf(boards []Board) []contents {
	all := make([]contents, len(boards))
	for n, b := range boards {
		for _, v := range opened(b) {
			all[n].symbols = append(all[n].symbols, v.Symbol)
			all[n].throws = append(all[n].throws, v.Throw)
		}
	}
	return all
}

// scattered are contents by another law, to compare with: the prize's symbols
// in random chests, all of them, of a losing content.
func scattered(all []contents, prizes []uint8) []contents {
	table, r := tables()[0], rand.New(rand.NewPCG(2009, 19))
	others := make([]contents, len(all))
	for n, c := range all {
		symbols := slices.Clone(losing[len(c.symbols)][r.IntN(len(losing[len(c.symbols)]))][:len(c.symbols)])
		if prizes[n] > 0 {
			p := table.Prizes[prizes[n]-1]
			for i, s := range symbols {
				if s == p.Symbol {
					symbols[i] = Empty
				}
			}
			for _, i := range r.Perm(len(symbols))[:p.Of] {
				symbols[i] = p.Symbol
			}
		}
		others[n] = contents{symbols, c.throws}
	}
	return others
}

// number is a sequence of symbols as a number.
func number(symbols []Symbol) int {
	n := 1
	for _, s := range symbols {
		n = n*8 + int(s)
	}
	return n
}

// won is what so many symbols win already, as a number; 0 is nothing.
func won(symbols []Symbol) int {
	for s := Candlestick; s <= Skull; s++ {
		n := 0
		for _, other := range symbols {
			if other == s {
				n++
			}
		}
		if n > 1 || n == 1 && s == Candlestick {
			return int(s)*10 + n
		}
	}
	return 0
}

// history is the sign after the first chests: known is what they win, seen is
// what was in them, in order, and which throw opened the last.
func history(all []contents, chests int) *sign {
	return newSign(len(all), func(n int) (int, int, bool) {
		c := all[n]
		if len(c.symbols) < chests {
			return 0, 0, false
		}
		first := c.symbols[:chests]
		return won(first), number(first)*Throws + c.throws[chests-1], true
	})
}

// chances are those to win, in percent, after so many chests that win nothing
// yet: over all such boards, and the lowest and the highest by what was in them.
func chances(all []contents, prizes []uint8, chests int) (mean, lowest, highest float64) {
	boards, winners := map[int]int{}, map[int]int{}
	for n, c := range all {
		if len(c.symbols) < chests || won(c.symbols[:chests]) > 0 {
			continue
		}
		for _, key := range []int{0, number(c.symbols[:chests])} {
			boards[key]++
			if prizes[n] > 0 {
				winners[key]++
			}
		}
	}
	lowest = 100
	for key, n := range boards {
		percent := 100 * float64(winners[key]) / float64(n)
		if key == 0 {
			mean = percent
			continue
		}
		lowest, highest = min(lowest, percent), max(highest, percent)
	}
	return mean, lowest, highest
}

// After each chest but the deciding one: what its history tells, beyond what is
// won already. docs/instant.md prints this table.
func TestINS_4_4_Board_SignsAfterEachChest(t *testing.T) {
	t.Parallel()
	prizes, all := classesOf(onePool()), contentsOf(onePool().boards)
	others := scattered(all, prizes)
	doc, err := os.ReadFile("../docs/instant.md")
	if err != nil {
		t.Fatal(err)
	}
	for chests := 1; chests < openedMax; chests++ {
		s := history(all, chests)
		told, open := s.tells(prizes)
		byChance, _ := s.shuffled(prizes, 5, told)
		elsewise, _ := history(others, chests).tells(prizes)
		mean, lowest, highest := chances(all, prizes, chests)
		boards := 0
		for _, g := range s.groups {
			boards += len(g.boards)
		}
		row := fmt.Sprintf("| %d | %d | %.3f | %.4f | %.4f | %.4f | %.0f %% (%.0f to %.0f) |\n",
			chests, boards, open, told, byChance, elsewise, mean, lowest, highest)
		if !strings.Contains(string(doc), row) {
			t.Errorf("docs/instant.md has not:\n%s", row)
		}
		if told > 0.03+byChance {
			t.Errorf("chest %d: its history tells %.4f bits of %.3f, by chance %.4f", chests, told, open, byChance)
		}
	}
}

// A sign of boards that are alike: shuffled prizes tell as much.
func alike(t *testing.T, what string, s *sign, prizes []uint8) {
	t.Helper()
	const times = 19
	told, _ := s.tells(prizes)
	if mean, asMuch := s.shuffled(prizes, times, told); asMuch == 0 {
		t.Errorf("%s: tells %.6f bits, more than all of %d shuffles, %.6f on average", what, told, times, mean)
	}
}

// Lone symbols are drawn by the same law on boards that lose and on boards that win.
func TestINS_4_4_Board_LoneSymbols(t *testing.T) {
	t.Parallel()
	prizes, all, table := classesOf(onePool()), contentsOf(onePool().boards), tables()[0]
	winning := func(n int) Prize {
		if prizes[n] == 0 {
			return Prize{}
		}
		return table.Prizes[prizes[n]-1]
	}
	// Until the first candlestick nothing tells boards won with candlesticks
	// from losing ones that open as many chests.
	for chests := 1; chests <= 3; chests++ {
		alike(t, fmt.Sprintf("%d chests without a candlestick", chests), newSign(len(all), func(n int) (int, int, bool) {
			c, won := all[n], winning(n).Symbol
			ok := (won == Empty || won == Candlestick) && len(c.symbols) >= chests && !slices.Contains(c.symbols[:chests], Candlestick)
			if !ok {
				return 0, 0, false
			}
			return len(c.symbols), number(c.symbols[:chests]), true
		}), prizes)
	}
	// Until the first of a pair, that included, nothing tells boards won with
	// the pair from losing ones with the symbol and a chest or more behind it.
	for _, s := range []Symbol{Monkey, Sapphire, Skull} {
		alike(t, fmt.Sprintf("first %s", s), newSign(len(all), func(n int) (int, int, bool) {
			c, won := all[n], winning(n)
			first := slices.Index(c.symbols, s)
			if won.Units > 0 && (won.Symbol != s || won.Of != 2) || first < 0 || first > len(c.symbols)-2 {
				return 0, 0, false
			}
			return len(c.symbols), number(c.symbols[:first+1]), true
		}), prizes)
	}
}
