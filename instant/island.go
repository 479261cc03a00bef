package instant

// The island is Rows × Columns squares, of which some are sea (INS-4.1).
const (
	Columns = 9
	Rows    = 7
)

// shores are the first and the last column of land of each row, from the north.
// All squares between them are land, and all others sea: 52 and 11.
var shores = [Rows][2]Square{{2, 6}, {1, 7}, {0, 8}, {0, 8}, {0, 8}, {1, 7}, {1, 6}}

// Square is a square of the island: row × Columns + column, from the north-west.
type Square uint8

// Row counts from the north, from 0.
func (s Square) Row() int { return int(s) / Columns }

// Column counts from the west, from 0.
func (s Square) Column() int { return int(s) % Columns }

// Land tells the squares of the island from those in the sea, which the totem
// never enters and on which no chest stands, and from what is no square at all.
func (s Square) Land() bool {
	if s >= Rows*Columns {
		return false
	}
	shore, column := shores[s/Columns], s%Columns
	return shore[0] <= column && column <= shore[1]
}

// Direction is one of eight, clockwise from north.
type Direction uint8

// The directions of the compass (boussole).
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

func (d Direction) String() string {
	switch d {
	case North:
		return "north"
	case NorthEast:
		return "north-east"
	case East:
		return "east"
	case SouthEast:
		return "south-east"
	case South:
		return "south"
	case SouthWest:
		return "south-west"
	case West:
		return "west"
	case NorthWest:
		return "north-west"
	}
	return "no direction"
}

// steps are what one square in a direction adds to a square.
var steps = [NorthWest + 1]int{
	North: -Columns, NorthEast: -Columns + 1, East: 1, SouthEast: Columns + 1,
	South: Columns, SouthWest: Columns - 1, West: -1, NorthWest: -Columns - 1,
}

// land are the squares of land, ascending.
var land = func() (squares []Square) {
	for s := range Square(Rows * Columns) {
		if s.Land() {
			squares = append(squares, s)
		}
	}
	return squares
}()

// reach is how far a throw may go from a square in a direction before the sea: 0 to ThrowMax.
var reach = func() (far [Rows * Columns][NorthWest + 1]int) {
	for _, from := range land {
		for d := North; d <= NorthWest; d++ {
			for s := from; far[from][d] < ThrowMax; far[from][d]++ {
				to := s.next(d)
				if !to.Land() {
					break
				}
				s = to
			}
		}
	}
	return far
}()

// nowhere is no square of the map.
const nowhere Square = Rows * Columns

// next is the neighbour of a square in a direction, or nowhere if the map ends there.
func (s Square) next(d Direction) Square {
	to := int(s) + steps[d]
	if to < 0 || to >= Rows*Columns {
		return nowhere
	}
	// A step that leaves the map in the east or west comes back on the other side.
	if far := to%Columns - s.Column(); far < -1 || far > 1 {
		return nowhere
	}
	return Square(to)
}
