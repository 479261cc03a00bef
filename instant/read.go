package instant

import "tirage/money"

// Read derives the prize from a board alone, or returns [ErrBoard]. It is written
// from the rules, and shares nothing with [NewBoard].
func Read(t *PrizeTable, b Board) (money.Amount, error) { panic("instant: to be built") }
