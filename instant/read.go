package instant

import (
	"fmt"

	"tirage/money"
)

// Read derives the prize from a board alone, or returns [ErrBoard] with the rule
// that the board breaks (INS-4.2 to 4.4). It is written from the rules, and
// shares nothing with [NewBoard] but the island itself ([Square.Land]).
func Read(t *PrizeTable, b Board) (money.Amount, error) {
	open, err := walk(b)
	if err != nil {
		return 0, err
	}
	found, err := discover(b, open)
	if err != nil {
		return 0, err
	}
	symbol, of, err := combination(found)
	if err != nil || symbol == Empty {
		return 0, err
	}
	for _, p := range t.Prizes {
		if p.Symbol == symbol && p.Of == of {
			return p.Amount, nil
		}
	}
	return 0, fmt.Errorf("%w: no prize for %d × %s", ErrBoard, of, symbol)
}

// walk moves the totem, and marks the squares that it passes or stops on: not
// the one where it starts, unless it comes back. INS-4.2: so many squares in the
// direction of the compass, and never into the sea.
func walk(b Board) (visited [Rows][Columns]bool, err error) {
	if !b.Start.Land() {
		return visited, fmt.Errorf("%w: the totem starts in the sea, on %d", ErrBoard, b.Start)
	}
	row, column := int(b.Start)/Columns, int(b.Start)%Columns
	for n, throw := range b.Throws {
		if throw.Squares < 1 || throw.Squares > ThrowMax {
			return visited, fmt.Errorf("%w: throw %d is of %d squares, not 1 to %d", ErrBoard, n+1, throw.Squares, ThrowMax)
		}
		var south, east int
		switch throw.Direction {
		case North:
			south = -1
		case NorthEast:
			south, east = -1, 1
		case East:
			east = 1
		case SouthEast:
			south, east = 1, 1
		case South:
			south = 1
		case SouthWest:
			south, east = 1, -1
		case West:
			east = -1
		case NorthWest:
			south, east = -1, -1
		default:
			return visited, fmt.Errorf("%w: throw %d has no direction", ErrBoard, n+1)
		}
		for range throw.Squares {
			row, column = row+south, column+east
			if row < 0 || row >= Rows || column < 0 || column >= Columns || !Square(row*Columns+column).Land() {
				return visited, fmt.Errorf("%w: throw %d leaves the island", ErrBoard, n+1)
			}
			visited[row][column] = true
		}
	}
	return visited, nil
}

// discover counts the symbols of the chests that opened. INS-4.2: nine chests,
// a square each. INS-4.3: only what the totem came to opens, and a chest holds
// one symbol or none. Of the others the board tells nothing.
func discover(b Board, visited [Rows][Columns]bool) (found [Skull + 1]int, err error) {
	for n, chest := range b.Chests {
		switch {
		case !chest.At.Land():
			return found, fmt.Errorf("%w: chest %d is in the sea, on %d", ErrBoard, n+1, chest.At)
		case chest.At == b.Start:
			return found, fmt.Errorf("%w: chest %d is where the totem starts", ErrBoard, n+1)
		case n > 0 && chest.At == b.Chests[n-1].At:
			return found, fmt.Errorf("%w: two chests are on %d", ErrBoard, chest.At)
		case n > 0 && chest.At < b.Chests[n-1].At:
			return found, fmt.Errorf("%w: chest %d is out of order", ErrBoard, n+1)
		case chest.Symbol > Skull:
			return found, fmt.Errorf("%w: chest %d holds symbol %d", ErrBoard, n+1, chest.Symbol)
		}
		if visited[chest.At/Columns][chest.At%Columns] {
			found[chest.Symbol]++
		} else if chest.Symbol != Empty {
			return found, fmt.Errorf("%w: chest %d stays shut and tells its %s", ErrBoard, n+1, chest.Symbol)
		}
	}
	return found, nil
}

// combination is what wins, by INS-4.4: candlesticks, however few, or two or
// three of another symbol; Empty if nothing does. A board has one such
// combination at most, and one at most of each symbol that is not in it.
func combination(found [Skull + 1]int) (symbol Symbol, of int, err error) {
	for s := Candlestick; s <= Skull; s++ {
		switch n := found[s]; {
		case n > 3:
			return 0, 0, fmt.Errorf("%w: %d × %s", ErrBoard, n, s)
		case n == 0, n == 1 && s != Candlestick:
		case symbol != Empty:
			return 0, 0, fmt.Errorf("%w: %d × %s beside %d × %s", ErrBoard, n, s, of, symbol)
		default:
			symbol, of = s, n
		}
	}
	return symbol, of, nil
}
