package instant

import "tirage/money"

// Left is a pool as far as it was sold, for the guard and the counters.
type Left struct {
	Sold   int
	Counts []int // units sold that won, by prize of the table
	Paid   money.Amount
}

// Guard tells whether what was sold of a pool can be: nil, or [ErrGuard] with
// what cannot: more units with a prize than the table has, or units with it, or
// money paid, outside what happens by chance but once in oneIn pools (F12).
func Guard(t *PrizeTable, units int, l Left, oneIn uint64) error { panic("instant: to be built") }
