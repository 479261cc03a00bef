package verify

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"tirage/money"
	"tirage/rng"
)

// The island, row by row from the north (INS-4.1): # is land.
var island = [7]string{
	"..#####..",
	".#######.",
	"#########",
	"#########",
	"#########",
	".#######.",
	".######..",
}

// compass is what a square in a direction adds to row and column, clockwise from north, from 1.
var compass = map[int][2]int{1: {-1, 0}, 2: {-1, 1}, 3: {0, 1}, 4: {1, 1}, 5: {1, 0}, 6: {1, -1}, 7: {0, -1}, 8: {-1, -1}}

// board is what a unit shows (INS-4.2).
type board struct {
	Start  int      `json:"start"`
	Chests [][2]int `json:"chests"` // square, symbol
	Throws [][2]int `json:"throws"` // direction, squares
}

// symbols are those of chests; 0 is empty.
var symbols = [5]string{"", "candlestick", "monkey", "sapphire", "skull"}

func land(square int) bool {
	return square >= 0 && square < 63 && island[square/9][square%9] == '#'
}

// opened is what the chests that the totem comes to hold, by symbol.
func (b board) opened() (found [5]int, err error) {
	if !land(b.Start) {
		return found, fmt.Errorf("the totem starts on %d, in the sea", b.Start)
	}
	if len(b.Chests) != 9 || len(b.Throws) != 4 {
		return found, fmt.Errorf("%d chests and %d throws, expected 9 and 4", len(b.Chests), len(b.Throws))
	}
	way := []int{}
	at := b.Start
	for i, t := range b.Throws {
		by, ok := compass[t[0]]
		if !ok || t[1] < 1 || t[1] > 6 {
			return found, fmt.Errorf("throw %d goes %d squares in direction %d", i+1, t[1], t[0])
		}
		for range t[1] {
			row, column := at/9+by[0], at%9+by[1]
			if row < 0 || row > 6 || column < 0 || column > 8 || !land(9*row+column) {
				return found, fmt.Errorf("throw %d leaves the island", i+1)
			}
			at = 9*row + column
			way = append(way, at)
		}
	}
	chests := map[int]bool{}
	for _, c := range b.Chests {
		switch {
		case !land(c[0]) || c[0] == b.Start || chests[c[0]]:
			return found, fmt.Errorf("a chest on %d: in the sea, where the totem starts, or on another", c[0])
		case c[1] < 0 || c[1] >= len(symbols):
			return found, fmt.Errorf("a chest holds %d, which is no symbol", c[1])
		case slices.Contains(way, c[0]):
			found[c[1]]++
		case c[1] != 0:
			return found, fmt.Errorf("the chest on %d stays shut and tells what it holds", c[0])
		}
		chests[c[0]] = true
	}
	return found, nil
}

// wins is the symbol that wins and how many (INS-4.4), 0 of 0 for a board that loses.
func (b board) wins() (symbol, of int, err error) {
	found, err := b.opened()
	if err != nil {
		return 0, 0, err
	}
	for s := 1; s < len(symbols); s++ {
		if found[s] > 1 || found[s] == 1 && s == 1 {
			if symbol != 0 {
				return 0, 0, fmt.Errorf("two combinations, of %s and %s", symbols[symbol], symbols[s])
			}
			symbol, of = s, found[s]
		}
	}
	if of > 3 {
		return 0, 0, fmt.Errorf("%d of %s", of, symbols[symbol])
	}
	return symbol, of, nil
}

// prize is what a board wins by the prizes of its price.
func (b board) prize(prizes []prize) (money.Amount, error) {
	symbol, of, err := b.wins()
	if err != nil || symbol == 0 {
		return 0, err
	}
	for _, p := range prizes {
		if p.Symbol == symbols[symbol] && p.Of == of {
			return money.Parse(p.Amount)
		}
	}
	return 0, fmt.Errorf("no prize for %d of %s", of, symbols[symbol])
}

// prize is one of a prize table, as a rule book writes it.
type prize struct {
	Units  int    `yaml:"units"`
	Amount string `yaml:"amount"`
	Of     int    `yaml:"of"`
	Symbol string `yaml:"symbol"`
}

// ruleBook is what a check reads of a rule book.
type ruleBook struct {
	Game   string       `yaml:"game"`
	Scene  string       `yaml:"scene"`
	Units  uint64       `yaml:"units"`
	Tables []prizeTable `yaml:"prize_tables"`
}

// prizeTable is the prizes of a price.
type prizeTable struct {
	Price   string  `yaml:"price"`
	Prizes  []prize `yaml:"prizes"`
	Printed struct {
		Winners int    `yaml:"winners"`
		Total   string `yaml:"total"`
	} `yaml:"printed"`
}

// table is the prize table of a price.
func (r ruleBook) table(price money.Amount) (prizeTable, error) {
	for _, t := range r.Tables {
		if p, err := money.Parse(t.Price); err == nil && p == price {
			return t, nil
		}
	}
	return prizeTable{}, fmt.Errorf("the rule book has no price %s", price)
}

// prizes are those of a price.
func (r ruleBook) prizes(price money.Amount) ([]prize, error) {
	t, err := r.table(price)
	return t.Prizes, err
}

func parseBook(text []byte) (r ruleBook, err error) {
	err = yaml.Unmarshal(text, &r)
	return r, err
}

// checkPrize tells whether a unit shows its prize: its board by the table; in a plain game the table has it.
func checkPrize(r ruleBook, t Told) error {
	prizes, err := r.prizes(t.Price)
	if err != nil {
		return err
	}
	if r.Scene != "island" {
		has := func(p prize) bool { amount, err := money.Parse(p.Amount); return err == nil && amount == t.Prize }
		if t.Board != nil {
			return fmt.Errorf("a board in a game without one")
		}
		if t.Prize != 0 && !slices.ContainsFunc(prizes, has) {
			return differ("prize", t.Prize, "one of the table")
		}
		return nil
	}
	if t.Board == nil {
		return fmt.Errorf("no board")
	}
	shown, err := t.Board.prize(prizes)
	if err != nil {
		return err
	}
	if shown != t.Prize {
		return differ("the board reads to", shown, t.Prize)
	}
	return nil
}

// checkDerived tells whether the board that a unit shows is the one that follows from its prize and board seed.
func checkDerived(r ruleBook, t Told) error {
	if r.Scene != "island" {
		return nil
	}
	prizes, err := r.prizes(t.Price)
	if err != nil {
		return err
	}
	b, err := deriveBoard(prizes, t.Prize, rng.Seed(t.Seed))
	switch {
	case err != nil:
		return err
	case t.Board == nil:
		return fmt.Errorf("no board")
	case !b.same(*t.Board):
		return differ("the board", *t.Board, b)
	}
	return nil
}
