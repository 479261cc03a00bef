package instant

import (
	"cmp"
	"slices"

	"tirage/money"
	"tirage/rng"
)

// What a board has (INS-4.2).
const (
	ChestsMax = 9 // chests on a board
	Throws    = 4 // of the totem
	ThrowMax  = 6 // squares of a throw: the counter's largest number
)

// Symbol is what a chest holds (INS-4.3). The zero Symbol is that of an empty chest: a cross.
type Symbol uint8

// The symbols, from the one that wins most.
const (
	Empty       Symbol = iota
	Candlestick        // chandelier
	Monkey             // singe
	Sapphire           // saphir
	Skull              // tête de mort
)

func (s Symbol) String() string {
	switch s {
	case Empty:
		return "empty"
	case Candlestick:
		return "candlestick"
	case Monkey:
		return "monkey"
	case Sapphire:
		return "sapphire"
	case Skull:
		return "skull"
	}
	return "no symbol"
}

// Board is what a unit shows: all of it, fixed before the first throw.
type Board struct {
	Start  Square
	Chests [ChestsMax]Chest // ascending squares; none is Start
	Throws [Throws]Throw
}

// Chest is a chest and what is in it. What a chest holds that no throw opens is never told: it is Empty.
type Chest struct {
	At     Square
	Symbol Symbol
}

// Throw is one throw: the totem moves so many squares in a direction.
type Throw struct {
	Direction Direction
	Squares   int // 1 to ThrowMax
}

// Visit is a square that the totem passes or stops on.
type Visit struct {
	Throw  int // from 0
	At     Square
	Opens  bool   // a chest, shut until now, opens here
	Symbol Symbol // of the chest that opens
}

// Visits is the way of the totem, square by square, for those who show it
// (INS-4.2 and 4.3). The board is one that [Read] accepts.
func (b Board) Visits() []Visit {
	visits := make([]Visit, 0, Throws*ThrowMax)
	open := [ChestsMax]bool{}
	at := b.Start
	for i, throw := range b.Throws {
		for range throw.Squares {
			at = at.next(throw.Direction)
			v := Visit{Throw: i, At: at}
			n := slices.IndexFunc(b.Chests[:], func(c Chest) bool { return c.At == at })
			if n >= 0 && !open[n] {
				open[n] = true
				v.Opens, v.Symbol = true, b.Chests[n].Symbol
			}
			visits = append(visits, v)
		}
	}
	return visits
}

// NewBoard makes the board of a unit: a pure function of price, prize and seed
// (INS-4.4-board). It is defined for every amount of the table and for 0.
//
// Start, chests, throws and which chests open are drawn from the seed before
// the prize is looked at, so nothing of them can be a sign of it. Then the
// chests that open are filled, in the order in which they do: see [drawContent].
// docs/instant.md has the law choice by choice, and measures what it tells.
func NewBoard(t *PrizeTable, prize money.Amount, seed rng.Seed) Board {
	choices := rng.NewStream(seed, "board")
	b, opened := drawMap(choices)
	symbol, of := t.shown(prize)
	content := drawContent(choices, len(opened), symbol, of)
	for i := range b.Chests {
		if n := slices.Index(opened, b.Chests[i].At); n >= 0 {
			b.Chests[i].Symbol = content[n]
		}
	}
	return b
}

// shown is what a board shows of a prize: nothing of no prize.
func (t *PrizeTable) shown(prize money.Amount) (symbol Symbol, of int) {
	if prize == 0 {
		return Empty, 0
	}
	i := slices.IndexFunc(t.Prizes, func(p Prize) bool { return p.Amount == prize })
	assert(i >= 0, "a prize that is not in the table")
	return t.Prizes[i].Symbol, t.Prizes[i].Of
}

const (
	openedMax = 6  // chests open at most; 3 at least, as many as the best prizes need
	openedOf  = 20 // sum of openedChances
)

// How many chests open, and the chances of each number.
var (
	openedCounts  = [...]int{3, 4, 5, openedMax}
	openedChances = [...]uint64{2, 6, 7, 5}
)

// drawMap draws all of a board but what is in its chests, and says which chests
// open, in the order in which they do. It does not know the prize.
func drawMap(choices *rng.Stream) (b Board, opened []Square) {
	count := drawCount(choices)
	b, path := drawRoute(choices)
	for len(path) < count {
		b, path = drawRoute(choices)
	}
	visits := choices.Choose(len(path), count)
	slices.Sort(visits)
	for _, i := range visits {
		opened = append(opened, path[i])
	}
	rest := make([]Square, 0, len(land))
	for _, s := range land {
		if s != b.Start && !slices.Contains(path, s) {
			rest = append(rest, s)
		}
	}
	for i, at := range opened {
		b.Chests[i].At = at
	}
	for i, n := range choices.Choose(len(rest), ChestsMax-count) {
		b.Chests[count+i].At = rest[n]
	}
	slices.SortFunc(b.Chests[:], func(x, y Chest) int { return cmp.Compare(x.At, y.At) })
	return b, opened
}

// drawCount draws how many chests open.
func drawCount(choices *rng.Stream) int {
	n, i := choices.Below(openedOf), 0
	for ; n >= openedChances[i]; i++ {
		n -= openedChances[i]
	}
	return openedCounts[i]
}

// drawRoute draws start and throws, each throw in another direction than the
// one before, and returns the squares that the totem visits but for its start,
// each once, in the order of the first visits.
func drawRoute(choices *rng.Stream) (b Board, path []Square) {
	b.Start = land[choices.Below(uint64(len(land)))]
	path = make([]Square, 0, Throws*ThrowMax)
	at, last := b.Start, Direction(0)
	for i := range b.Throws {
		throw := drawThrow(choices, at, last)
		for range throw.Squares {
			at = at.next(throw.Direction)
			if at != b.Start && !slices.Contains(path, at) {
				path = append(path, at)
			}
		}
		b.Throws[i], last = throw, throw.Direction
	}
	return b, path
}

// drawThrow draws one of the throws that stay on the island, all equally likely
// but for those in the direction of the last one. They are counted clockwise
// from north, shorter ones first.
func drawThrow(choices *rng.Stream, at Square, last Direction) Throw {
	ways := -reach[at][last]
	for d := North; d <= NorthWest; d++ {
		ways += reach[at][d]
	}
	n := int(choices.Below(uint64(ways)))
	for d := North; ; d++ {
		switch {
		case d == last:
		case n < reach[at][d]:
			return Throw{Direction: d, Squares: n + 1}
		default:
			n -= reach[at][d]
		}
	}
}

// content is what is in the chests that open, in the order in which they do.
type content [openedMax]Symbol

// losing is all contents of so many chests that the rules call losing: no
// candlestick, and at most one of each other symbol. They are in the order of
// their symbols, those of the first chest first.
var losing = func() (all [openedMax + 1][]content) {
	all[0] = []content{{}}
	for n := range openedMax {
		for _, c := range all[n] {
			for _, s := range []Symbol{Empty, Monkey, Sapphire, Skull} {
				if s == Empty || !slices.Contains(c[:n], s) {
					c[n] = s
					all[n+1] = append(all[n+1], c)
				}
			}
		}
	}
	return all
}()

// drawContent draws what is in the chests that open, as many of a symbol as the
// prize asks for.
//
// Every board begins as a losing one, all losing contents being equally likely.
// Candlesticks are then put into random chests. Of another symbol, the losing
// content gives the first, wherever it has it with room behind, and the others
// are put into random chests that open later. So a lone symbol is the same
// whether it stays alone or not, as far as the rules let it, and nothing is
// arranged to look like almost winning.
func drawContent(choices *rng.Stream, count int, symbol Symbol, of int) content {
	c := drawLosing(choices, count)
	switch symbol {
	case Empty:
	case Candlestick:
		for _, i := range choices.Choose(count, of) {
			c[i] = Candlestick
		}
	case Monkey, Sapphire, Skull:
		first := slices.Index(c[:count], symbol)
		for first < 0 || first > count-of {
			c = drawLosing(choices, count)
			first = slices.Index(c[:count], symbol)
		}
		for _, i := range choices.Choose(count-first-1, of-1) {
			c[first+1+i] = symbol
		}
	}
	return c
}

// drawLosing draws what is in so many chests that lose.
func drawLosing(choices *rng.Stream, count int) content {
	all := losing[count]
	return all[choices.Below(uint64(len(all)))]
}

func assert(ok bool, what string) {
	if !ok {
		panic("instant: " + what)
	}
}
