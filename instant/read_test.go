package instant

import (
	"errors"
	"strings"
	"testing"

	"tirage/money"
)

// walked is a board that wins two skulls: the totem goes 22 23 24, 33 42, 41 40
// 39, 30 and opens the chests on 23, 33, 40, 39 and 30.
//
//	. . . @ 1 1 1 . .   row 2, by throws
//	. . . 4 . . 2 . .
//	. . . 3 3 3 2 . .
func walked() Board {
	return Board{
		Start: 21,
		Chests: [ChestsMax]Chest{
			{At: 2},
			{At: 11},
			{At: 14},
			{At: 23, Symbol: Skull},
			{At: 30, Symbol: Monkey},
			{At: 33, Symbol: Empty},
			{At: 39, Symbol: Skull},
			{At: 40, Symbol: Sapphire},
			{At: 60},
		},
		Throws: [Throws]Throw{{East, 3}, {South, 2}, {West, 3}, {North, 1}},
	}
}

// What is found where the totem comes to, by INS-4.3 and 4.4.
func TestINS_4_3_Read(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name   string
		change func(b *Board)
		prize  money.Amount
	}{
		{"two skulls", func(b *Board) {}, 1_00},
		{"three skulls", func(b *Board) { b.Chests[4].Symbol = Skull }, 25_00},
		{"one skull", func(b *Board) { b.Chests[6].Symbol = Empty }, 0},
		{"one candlestick beside one of each", func(b *Board) { b.Chests[6].Symbol = Candlestick }, 50},
		{"two candlesticks beside one of each", func(b *Board) {
			b.Chests[6].Symbol, b.Chests[5].Symbol = Candlestick, Candlestick
		}, 12_50},
		{"nothing opens", func(b *Board) {
			for i := range b.Chests {
				b.Chests[i].Symbol = Empty
			}
			b.Chests = [ChestsMax]Chest{{At: 2}, {At: 3}, {At: 4}, {At: 5}, {At: 6}, {At: 10}, {At: 11}, {At: 12}, {At: 13}}
		}, 0},
		{"a chest passed twice opens once", func(b *Board) {
			b.Throws = [Throws]Throw{{East, 3}, {West, 3}, {East, 3}, {West, 2}}
			b.Chests[4].Symbol, b.Chests[6].Symbol, b.Chests[7].Symbol = Empty, Empty, Empty
		}, 0},
		{"the totem may come back to its start, and beyond", func(b *Board) {
			b.Throws[1], b.Throws[2], b.Throws[3] = Throw{West, 6}, Throw{East, 2}, Throw{SouthEast, 3}
			for i := range b.Chests {
				b.Chests[i].Symbol = Empty
			}
			b.Chests[3].Symbol = Candlestick
		}, 50},
		{"diagonals pass diagonal squares", func(b *Board) {
			*b = Board{Start: 4, Throws: [Throws]Throw{{SouthWest, 2}, {SouthEast, 2}, {NorthEast, 2}, {NorthWest, 1}}}
			for i, at := range []Square{5, 12, 13, 20, 23, 24, 30, 32, 40} {
				b.Chests[i].At = at
			}
			// On 12, 20, 30, 40, 32, 24 and 14: not on 13 and 23, beside the way.
			b.Chests[1].Symbol, b.Chests[3].Symbol, b.Chests[6].Symbol = Monkey, Monkey, Monkey
			b.Chests[8].Symbol, b.Chests[7].Symbol, b.Chests[5].Symbol = Skull, Sapphire, Empty
		}, 250_00},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := walked()
			c.change(&b)
			if got, err := Read(tables()[0], b); got != c.prize || err != nil {
				t.Errorf("board %+v reads %v, %v; want %v", b, got, err, c.prize)
			}
		})
	}
}

// Each rule broken, alone: what the refusal says.
func TestINS_4_4_Board_Refused(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name   string
		change func(b *Board)
		says   string
	}{
		{"start in the sea", func(b *Board) { b.Start = 0 }, "starts in the sea, on 0"},
		{"start off the map", func(b *Board) { b.Start = 63 }, "starts in the sea, on 63"},
		{"two chests on a square", func(b *Board) { b.Chests[1].At = 2 }, "two chests are on 2"},
		{"two chests on a square, apart", func(b *Board) { b.Chests[2].At = 2 }, "chest 3 is out of order"},
		{"chest where the totem starts", func(b *Board) { b.Chests[2].At = 21 }, "chest 3 is where the totem starts"},
		{"chest in the sea", func(b *Board) { b.Chests[0].At = 1 }, "chest 1 is in the sea, on 1"},
		{"chest off the map", func(b *Board) { b.Chests[8].At = 200 }, "chest 9 is in the sea, on 200"},
		{"throw of no square", func(b *Board) { b.Throws[3].Squares = 0 }, "throw 4 is of 0 squares"},
		{"throw backwards", func(b *Board) { b.Throws[3].Squares = -1 }, "throw 4 is of -1 squares"},
		{"throw of seven squares", func(b *Board) { b.Throws[0].Squares = 7 }, "throw 1 is of 7 squares"},
		{"no direction", func(b *Board) { b.Throws[2].Direction = 0 }, "throw 3 has no direction"},
		{"a ninth direction", func(b *Board) { b.Throws[2].Direction = NorthWest + 1 }, "throw 3 has no direction"},
		{"into the sea", func(b *Board) { b.Throws[3] = Throw{SouthWest, 3} }, "throw 4 leaves the island"},
		{"off the map in the north", func(b *Board) { b.Throws[3] = Throw{North, 6} }, "throw 4 leaves the island"},
		{"off the map in the east", func(b *Board) { b.Throws[0] = Throw{East, 6} }, "throw 1 leaves the island"},
		{"off the map in the west", func(b *Board) { b.Throws[2] = Throw{West, 6}; b.Throws[3] = Throw{West, 1} }, "throw 4 leaves the island"},
		{"off the map in the south", func(b *Board) { b.Throws[3] = Throw{South, 4} }, "throw 4 leaves the island"},
		{"a fifth symbol", func(b *Board) { b.Chests[5].Symbol = Skull + 1 }, "chest 6 holds symbol 5"},
		{"a shut chest that tells", func(b *Board) { b.Chests[0].Symbol = Sapphire }, "chest 1 stays shut and tells its sapphire"},
		{"a chest one square behind the throw", func(b *Board) { b.Throws[2].Squares = 2 }, "chest 5 stays shut and tells its monkey"},
		{"a chest beside the way", func(b *Board) { b.Throws[0], b.Throws[1] = Throw{SouthEast, 2}, Throw{East, 1} }, "chest 4 stays shut and tells its skull"},
		{"four skulls", func(b *Board) { b.Chests[4].Symbol, b.Chests[5].Symbol = Skull, Skull }, "4 × skull"},
		{"four candlesticks", func(b *Board) {
			for _, i := range []int{3, 4, 5, 6} {
				b.Chests[i].Symbol = Candlestick
			}
		}, "4 × candlestick"},
		{"two skulls beside two monkeys", func(b *Board) { b.Chests[5].Symbol = Monkey }, "2 × skull beside 2 × monkey"},
		{"two skulls beside a candlestick", func(b *Board) { b.Chests[5].Symbol = Candlestick }, "2 × skull beside 1 × candlestick"},
		{"three skulls beside a candlestick", func(b *Board) {
			b.Chests[5].Symbol, b.Chests[4].Symbol = Candlestick, Skull
		}, "3 × skull beside 1 × candlestick"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := walked()
			c.change(&b)
			prize, err := Read(tables()[0], b)
			if !errors.Is(err, ErrBoard) || !strings.Contains(err.Error(), c.says) || prize != 0 {
				t.Errorf("board %+v reads %v, %v; want %q", b, prize, err, c.says)
			}
		})
	}
}

// A board that wins what the table does not have is none of this game.
func TestINS_4_4_Board_NotInTable(t *testing.T) {
	t.Parallel()
	table := tables()[0]
	table.Prizes = table.Prizes[:7]
	if prize, err := Read(table, walked()); !errors.Is(err, ErrBoard) || prize != 0 {
		t.Errorf("got %v, %v", prize, err)
	}
	if prize, err := Read(&PrizeTable{}, walked()); !errors.Is(err, ErrBoard) || prize != 0 {
		t.Errorf("got %v, %v without prizes", prize, err)
	}
}

// FuzzRead reads any board: it is refused, or its prize is that of the symbols
// that [Board.Visits] shows, counted here.
func FuzzRead(f *testing.F) {
	table := tables()[0]
	for n := range uint64(20) {
		f.Add(encode(NewBoard(table, table.Prizes[n%9].Amount, seedOf(n))))
		f.Add(encode(NewBoard(table, 0, seedOf(n))))
	}
	f.Add(encode(walked()))
	f.Fuzz(func(t *testing.T, data []byte) {
		b := decode(data)
		prize, err := Read(table, b)
		if err != nil {
			if !errors.Is(err, ErrBoard) || prize != 0 {
				t.Errorf("board %+v reads %v, %v", b, prize, err)
			}
			return
		}
		var found [Skull + 1]int
		squares := 0
		for _, throw := range b.Throws {
			squares += throw.Squares
		}
		visits := b.Visits()
		if len(visits) != squares {
			t.Errorf("board %+v: %d visits, want %d", b, len(visits), squares)
		}
		for _, v := range visits {
			if !v.At.Land() {
				t.Errorf("board %+v: visits %d in the sea", b, v.At)
			}
			found[v.Symbol]++
		}
		want := money.Amount(0)
		for _, p := range table.Prizes {
			if found[p.Symbol] == p.Of {
				want += p.Amount
			}
		}
		if prize != want {
			t.Errorf("board %+v reads %v, want %v", b, prize, want)
		}
	})
}

// encode is a board in bytes: start, chests, throws.
func encode(b Board) []byte {
	data := []byte{byte(b.Start)}
	for _, c := range b.Chests {
		data = append(data, byte(c.At), byte(c.Symbol))
	}
	for _, throw := range b.Throws {
		data = append(data, byte(throw.Direction), byte(throw.Squares))
	}
	return data
}

// decode makes a board of any bytes, those that are missing being zero.
func decode(data []byte) (b Board) {
	data = append(data, make([]byte, len(encode(b)))...)
	next := func() byte {
		x := data[0]
		data = data[1:]
		return x
	}
	b.Start = Square(next())
	for i := range b.Chests {
		b.Chests[i] = Chest{Square(next()), Symbol(next())}
	}
	for i := range b.Throws {
		b.Throws[i] = Throw{Direction(next()), int(int8(next()))}
	}
	return b
}
