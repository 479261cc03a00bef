package instant

import (
	"tirage/money"
	"tirage/rng"
)

// The island is Rows × Columns squares, of which some are sea (INS-4.1).
const (
	Columns   = 9
	Rows      = 7
	ChestsMax = 9 // chests on a board (INS-4.2)
	Throws    = 4 // of the totem
	ThrowMax  = 6 // squares of a throw: the counter's largest number
)

// Square is a square of the island: row × Columns + column, from the north-west.
type Square uint8

// Direction is one of eight, clockwise from north.
type Direction uint8

const (
	North Direction = iota + 1
	NorthEast
	East
	SouthEast
	South
	SouthWest
	West
	NorthWest
)

// Symbol is what a chest holds (INS-4.3). The zero Symbol is that of an empty chest: a cross.
type Symbol uint8

const (
	Empty       Symbol = iota
	Candlestick        // chandelier
	Monkey             // singe
	Sapphire           // saphir
	Skull              // tête de mort
)

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

// NewBoard makes the board of a unit: a pure function of price, prize and seed
// (INS-4.4-board). It is defined for every amount of the table and for 0.
func NewBoard(t *PrizeTable, prize money.Amount, seed rng.Seed) Board {
	panic("instant: to be built")
}
