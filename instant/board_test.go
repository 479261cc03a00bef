package instant

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tirage/money"
	"tirage/rng"
)

var update = flag.Bool("update", false, "write the golden files anew")

// blockUnits are those of a pool (INS-2).
const blockUnits = 450_000

// tables are those of article 3, by price.
func tables() []*PrizeTable {
	prizes := []Prize{
		{5000_00, 1, Candlestick, 3},
		{250_00, 3, Monkey, 3},
		{75_00, 100, Sapphire, 3},
		{25_00, 1000, Skull, 3},
		{12_50, 500, Candlestick, 2},
		{5_00, 2000, Monkey, 2},
		{1_50, 26000, Sapphire, 2},
		{1_00, 38000, Skull, 2},
		{50, 52000, Candlestick, 1},
	}
	var all []*PrizeTable
	for _, times := range []money.Amount{1, 2, 4} {
		t := &PrizeTable{Price: 50 * times}
		for _, p := range prizes {
			p.Amount *= times
			t.Prizes = append(t.Prizes, p)
		}
		all = append(all, t)
	}
	return all
}

// seedOf is the n-th seed of the tests.
func seedOf(n uint64) (s rng.Seed) {
	binary.BigEndian.PutUint64(s[24:], n)
	return s
}

// shown is a pool with the boards of its units.
type shown struct {
	prizes []money.Amount
	boards []Board
}

// shownOf builds a pool of a table, and all its boards.
func shownOf(table *PrizeTable) *shown {
	p := Build(table, blockUnits, seedOf(uint64(table.Price)))
	s := &shown{make([]money.Amount, blockUnits), make([]Board, blockUnits)}
	var halves sync.WaitGroup
	for half := range 2 {
		halves.Go(func() {
			for n := half; n < blockUnits; n += 2 {
				l := p.Leaf(n)
				s.prizes[n], s.boards[n] = l.Prize, NewBoard(table, l.Prize, l.Seed)
			}
		})
	}
	halves.Wait()
	return s
}

// onePool is a pool at 0.50 €, for the tests that look at all of it.
var onePool = sync.OnceValue(func() *shown { return shownOf(tables()[0]) })

// opened are the visits of a board that open a chest, in order.
func opened(b Board) []Visit {
	return slices.DeleteFunc(b.Visits(), func(v Visit) bool { return !v.Opens })
}

// Prize of the board read = prize of the unit, for all units at each price;
// so many of each, and totals, as article 3 prints them.
func TestINS_4_4_Board_EveryUnit(t *testing.T) {
	t.Parallel()
	totals := []money.Amount{157_500_00, 315_000_00, 630_000_00}
	printed := tables()
	for i, table := range island(t).Tables {
		if diff := cmp.Diff(*printed[i], table); diff != "" {
			t.Errorf("prize table of the book (-printed +got):\n%s", diff)
		}
		t.Run(table.Price.String(), func(t *testing.T) {
			t.Parallel()
			pool := shownOf
			if i == 0 {
				pool = func(*PrizeTable) *shown { return onePool() }
			}
			counts, total := map[money.Amount]int{}, money.Amount(0)
			s := pool(&table)
			for n, b := range s.boards {
				prize, err := Read(&table, b)
				if err != nil || prize != s.prizes[n] {
					t.Fatalf("unit %d: board %+v reads %v, %v; want %v", n, b, prize, err, s.prizes[n])
				}
				counts[prize]++
				total += prize
			}
			want := map[money.Amount]int{0: blockUnits - 119_604}
			for _, p := range printed[i].Prizes {
				want[p.Amount] = p.Units
			}
			if diff := cmp.Diff(want, counts); diff != "" {
				t.Errorf("units by prize (-want +got):\n%s", diff)
			}
			if total != totals[i] {
				t.Errorf("prizes %v in all, want %v", total, totals[i])
			}
		})
	}
}

// INS-4.4, line by line: what the boards of each amount show at each price.
func TestINS_4_4_SymbolsByPrice(t *testing.T) {
	t.Parallel()
	lines := []struct {
		symbol  Symbol
		of      int
		amounts [3]money.Amount
	}{
		{Candlestick, 3, [3]money.Amount{5000_00, 10_000_00, 20_000_00}},
		{Monkey, 3, [3]money.Amount{250_00, 500_00, 1000_00}},
		{Sapphire, 3, [3]money.Amount{75_00, 150_00, 300_00}},
		{Skull, 3, [3]money.Amount{25_00, 50_00, 100_00}},      // 25 € is also …
		{Candlestick, 2, [3]money.Amount{12_50, 25_00, 50_00}}, // … this, at 1 €
		{Monkey, 2, [3]money.Amount{5_00, 10_00, 20_00}},
		{Sapphire, 2, [3]money.Amount{1_50, 3_00, 6_00}},
		{Skull, 2, [3]money.Amount{1_00, 2_00, 4_00}},
		{Candlestick, 1, [3]money.Amount{50, 1_00, 2_00}},
		{Empty, 0, [3]money.Amount{}},
	}
	for i, table := range tables() {
		for _, line := range lines {
			for n := range uint64(500) {
				var found [Skull + 1]int
				for _, v := range opened(NewBoard(table, line.amounts[i], seedOf(n))) {
					found[v.Symbol]++
				}
				for s := Candlestick; s <= Skull; s++ {
					switch {
					case s == line.symbol && found[s] != line.of,
						s != line.symbol && (found[s] > 1 || s == Candlestick && found[s] > 0):
						t.Fatalf("price %v, prize %v, seed %d: %d × %s; want %d × %s",
							table.Price, line.amounts[i], n, found[s], s, line.of, line.symbol)
					}
				}
			}
		}
	}
}

// South Carolina, 25 December 2017: boards with nine symbols where five was the
// most. Here it is three of what wins and one of each other; and as many
// symbols as chests that opened.
func TestF12_SymbolsAtMost(t *testing.T) {
	t.Parallel()
	for n, b := range onePool().boards {
		var found [Skull + 1]int
		for _, c := range b.Chests {
			found[c.Symbol]++
		}
		shown, repeated := 0, 0
		for s := Candlestick; s <= Skull; s++ {
			shown += found[s]
			if found[s] > 1 {
				repeated++
			}
			if found[s] > 3 {
				t.Fatalf("unit %d: %d × %s", n, found[s], s)
			}
		}
		if repeated > 1 || shown > len(opened(b)) || shown > openedMax {
			t.Fatalf("unit %d: %v in %d chests", n, found, len(opened(b)))
		}
	}
}

// The map is the same whatever the prize and the price, and so is the board of
// a prize of the same symbols at another price.
func TestINS_4_4_Board_MapBeforePrize(t *testing.T) {
	t.Parallel()
	shut := func(b Board) Board {
		for i := range b.Chests {
			b.Chests[i].Symbol = Empty
		}
		return b
	}
	all := tables()
	for n := range uint64(1000) {
		seed := seedOf(n)
		losing := NewBoard(all[0], 0, seed)
		for i := range all[0].Prizes {
			first := NewBoard(all[0], all[0].Prizes[i].Amount, seed)
			if got, want := shut(first), shut(losing); got != want {
				t.Fatalf("seed %d, prize %v: map %+v, want %+v", n, all[0].Prizes[i].Amount, got, want)
			}
			for _, table := range all[1:] {
				if got := NewBoard(table, table.Prizes[i].Amount, seed); got != first {
					t.Fatalf("seed %d, prize %v: board %+v, want %+v", n, table.Prizes[i].Amount, got, first)
				}
			}
		}
	}
}

// All that the rules allow is used over a pool, and boards are not all alike.
func TestINS_4_2_EverythingIsUsed(t *testing.T) {
	t.Parallel()
	var starts, visits, chests [Rows * Columns]int
	var throws [NorthWest + 1][ThrowMax + 1]int
	var counts [openedMax + 1]int
	var first, deciding [Throws]int // by throw
	var twoInOne, again int
	for n, b := range onePool().boards {
		starts[b.Start]++
		for _, c := range b.Chests {
			chests[c.At]++
		}
		for i, throw := range b.Throws {
			throws[throw.Direction][throw.Squares]++
			if i > 0 && throw.Direction == b.Throws[i-1].Direction {
				t.Fatalf("unit %d: throws %v do not turn", n, b.Throws)
			}
		}
		for i, v := range b.Visits() {
			visits[v.At]++
			if !v.Opens && i > 0 && slices.ContainsFunc(b.Chests[:], func(c Chest) bool { return c.At == v.At }) {
				again++
			}
		}
		found := opened(b)
		counts[len(found)]++
		first[found[0].Throw]++
		deciding[found[len(found)-1].Throw]++
		if found[0].Throw == found[1].Throw {
			twoInOne++
		}
	}
	for s := range Square(Rows * Columns) {
		for what, got := range map[string]int{"start": starts[s], "visited": visits[s], "with a chest": chests[s]} {
			if (got >= blockUnits/200) != s.Land() {
				t.Errorf("square %d, land %t: %d times %s", s, s.Land(), got, what)
			}
		}
	}
	for d := North; d <= NorthWest; d++ {
		// Six squares fit on no diagonal of this island.
		far := slices.MaxFunc(land, func(x, y Square) int { return reach[x][d] - reach[y][d] })
		for squares := 1; squares <= ThrowMax; squares++ {
			if got := throws[d][squares]; (got >= blockUnits/500) != (squares <= reach[far][d]) {
				t.Errorf("%d squares to the %s: %d times", squares, d, got)
			}
		}
	}
	for i, n := range openedCounts {
		// Within five deviations of what the law says.
		if got, want := counts[n], blockUnits/openedOf*int(openedChances[i]); got < want-1700 || got > want+1700 {
			t.Errorf("%d chests open %d times, want about %d", n, got, want)
		}
	}
	for i := range Throws {
		if first[i] == 0 && i < Throws-1 || deciding[i] < blockUnits/1000 {
			t.Errorf("throw %d opens the first chest %d times, the last %d times", i+1, first[i], deciding[i])
		}
	}
	if twoInOne < blockUnits/10 || again < blockUnits/100 {
		t.Errorf("first two chests in one throw %d times, open chests passed again %d times", twoInOne, again)
	}
	t.Logf("starts %v\nvisits %v\nchests %v\nthrows %v\nopened %v, first at throw %v, last %v, two at first %d, again %d",
		starts, visits, chests, throws, counts, first, deciding, twoInOne, again)
}

// As many losing contents as docs/instant.md says, all different, and the chances sum up.
func TestINS_4_4_Board_LosingContents(t *testing.T) {
	t.Parallel()
	for i, want := range []int{34, 73, 136, 229} {
		count := openedCounts[i]
		unlike := map[content]bool{}
		for _, c := range losing[count] {
			var found [Skull + 1]int
			for _, s := range c[:count] {
				found[s]++
			}
			if symbol, of, err := combination(found); symbol != Empty || err != nil {
				t.Errorf("content %v wins %d × %s, %v", c, of, symbol, err)
			}
			unlike[c] = true
		}
		if len(losing[count]) != want || len(unlike) != want {
			t.Errorf("%d contents of %d chests, %d of them different; want %d", len(losing[count]), count, len(unlike), want)
		}
		if !slices.IsSortedFunc(losing[count], func(x, y content) int { return slices.Compare(x[:], y[:]) }) {
			t.Errorf("contents of %d chests are out of order", count)
		}
	}
	sum := uint64(0)
	for _, n := range openedChances {
		sum += n
	}
	if sum != openedOf {
		t.Errorf("chances are %d in all, want %d", sum, openedOf)
	}
}

// vector is a board for other programs that make boards, as a signed answer has it.
type vector struct {
	Price money.Amount `json:"price"` // in cents
	Prize money.Amount `json:"prize"`
	Seed  string       `json:"seed"`
	Board struct {
		Start  Square            `json:"start"`
		Chests [ChestsMax][2]int `json:"chests"`
		Throws [Throws][2]int    `json:"throws"`
	} `json:"board"`
}

// The golden vectors: each prize at each price, and losing boards.
func TestINS_4_4_Board_Vectors(t *testing.T) {
	t.Parallel()
	const file = "../testdata/vectors/board.json"
	var vectors []vector
	add := func(table *PrizeTable, prize money.Amount, n uint64) {
		seed := seedOf(n)
		b := NewBoard(table, prize, seed)
		if again := NewBoard(table, prize, seed); again != b {
			t.Fatalf("seed %d: %+v, then %+v", n, b, again)
		}
		v := vector{Price: table.Price, Prize: prize, Seed: hex.EncodeToString(seed[:])}
		v.Board.Start = b.Start
		for i, c := range b.Chests {
			v.Board.Chests[i] = [2]int{int(c.At), int(c.Symbol)}
		}
		for i, throw := range b.Throws {
			v.Board.Throws[i] = [2]int{int(throw.Direction), throw.Squares}
		}
		vectors = append(vectors, v)
	}
	for i, table := range tables() {
		for n, p := range table.Prizes {
			add(table, p.Amount, uint64(100*i+n))
		}
		add(table, 0, uint64(100*i)+90)
		add(table, 0, uint64(100*i)+91)
	}
	got := []byte("[\n")
	for i, v := range vectors {
		line, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, line...)
		if i < len(vectors)-1 {
			got = append(got, ',')
		}
		got = append(got, '\n')
	}
	got = append(got, "]\n"...)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

func TestSymbol_String(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for s := range Skull + 2 {
		names[s.String()] = true
	}
	if len(names) != int(Skull)+2 || !names["no symbol"] {
		t.Errorf("symbols are called %v", names)
	}
}

func BenchmarkNewBoard(b *testing.B) {
	table, n := tables()[0], uint64(0)
	for b.Loop() {
		NewBoard(table, 0, seedOf(n))
		n++
	}
}

func BenchmarkRead(b *testing.B) {
	table := tables()[0]
	board := NewBoard(table, 25_00, seedOf(7))
	for b.Loop() {
		if _, err := Read(table, board); err != nil {
			b.Fatal(err)
		}
	}
}
