package instant

import (
	"encoding/binary"
	"testing"

	"tirage/money"
	"tirage/rng"
)

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

// seedOf makes a board seed of a number.
func seedOf(n uint64) (s rng.Seed) {
	binary.BigEndian.PutUint64(s[24:], n)
	return s
}

func BenchmarkNewBoard(b *testing.B) {
	t, n := tables()[0], uint64(0)
	for b.Loop() {
		NewBoard(t, 0, seedOf(n))
		n++
	}
}

func BenchmarkRead(b *testing.B) {
	t := tables()[0]
	board := NewBoard(t, 25_00, seedOf(7))
	for b.Loop() {
		if _, err := Read(t, board); err != nil {
			b.Fatal(err)
		}
	}
}
