package verify

import (
	"encoding/json"

	"tirage/journal"
	"tirage/money"
)

// DerivedBoard is the board that follows from a prize and a seed, by a rule book, as the text of a unit has it.
func DerivedBoard(book []byte, price, prize money.Amount, seed [32]byte) ([]byte, error) {
	r, err := parseBook(book)
	if err != nil {
		return nil, err
	}
	prizes, err := r.prizes(price)
	if err != nil {
		return nil, err
	}
	b, err := deriveBoard(prizes, prize, seed)
	if err != nil {
		return nil, err
	}
	return json.Marshal(b)
}

// DerivedPool is the seed, the root and some leaves of a pool with a table of units and amounts.
func DerivedPool(table [][2]int64, units int, secrets [2][32]byte, beacon [32]byte, game string, price money.Amount, number uint64, leaves []int) (seed [32]byte, root journal.Hash, opened [][64]byte, err error) {
	var prizes []prize
	for _, line := range table {
		prizes = append(prizes, prize{Units: int(line[0]), Amount: money.Amount(line[1]).String()})
	}
	s := poolSeed(secrets, beacon, game, price, number)
	p, err := derivePool(prizes, units, s)
	if err != nil {
		return seed, root, nil, err
	}
	for _, n := range leaves {
		opened = append(opened, p.leaf(n))
	}
	return s, p.root(func(uint64, uint64) {}), opened, nil
}

// BoardReader reads boards, as the text of a unit has them, by a rule book.
func BoardReader(book []byte) (func(price money.Amount, text []byte) (money.Amount, error), error) {
	r, err := parseBook(book)
	return func(price money.Amount, text []byte) (money.Amount, error) {
		var b board
		if err := json.Unmarshal(text, &b); err != nil {
			return 0, err
		}
		prizes, err := r.prizes(price)
		if err != nil {
			return 0, err
		}
		return b.prize(prizes)
	}, err
}
