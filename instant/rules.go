// Package instant is the instant game: its rule book and prize tables, pools of
// units whose prizes are fixed before the first is sold, and boards that show a
// prize.
//
// A pool (bloc) is built from its prize table, shuffled by a seed of two
// officers' secrets and a round of a beacon ([Build]), recounted by code that
// shares nothing with the builder ([Recount]), and committed by its root. A
// unit (unité de jeu) is opened by its [Leaf] and proven to be in the pool
// ([VerifyUnit]). What a unit's player sees ([NewBoard]) follows from its prize
// and board seed alone, and [Read] derives the prize from it again.
package instant

import (
	"errors"
	"fmt"
	"math/big"
	"time"

	"tirage/game"
	"tirage/money"
)

var (
	// ErrPrice is a price that the game does not have.
	ErrPrice = errors.New("no such price")
	// ErrRecount is a pool that is not what its prize table says (F14).
	ErrRecount = errors.New("the pool is not what its prize table says")
	// ErrUnit is a unit that is not the one that its pool was committed with.
	ErrUnit = errors.New("not a unit of this pool")
	// ErrGuard is a pool of which more was won than can be (F12).
	ErrGuard = errors.New("more was won of the pool than can be")
	// ErrBoard is a board that breaks the rules of the game (INS-4.4-board).
	ErrBoard = errors.New("not a board of this game")
)

// Rules are a version of an instant game's rule book.
type Rules struct {
	Code     game.Code
	Version  string
	Hash     game.Hash // SHA-256 of Bytes
	Bytes    []byte    // the book as published
	Name     game.Text
	FirstDay game.Day
	Zone     *time.Location
	Units    int          // of a pool (INS-2)
	Scene    Scene        // what a player sees
	Tables   []PrizeTable // by price, ascending (INS-3.1 to 3.3)
	Policy   Policy
}

// Scene is what shows the prize of a unit.
type Scene uint8

const (
	Plain  Scene = iota + 1 // the prize is all there is to show
	Island                  // a totem walks over an island and opens chests (INS-4)
)

// PrizeTable is the prizes of a pool at a price (tableau de lots).
type PrizeTable struct {
	Price  money.Amount
	Prizes []Prize // descending amounts, all different
}

// Prize is a prize (lot), and how many units of a pool win it.
type Prize struct {
	Amount money.Amount
	Units  int
	Symbol Symbol // what a board shows of it (INS-4.4); 0 in a [Plain] game
	Of     int    // how many
}

// Policy is what the regulation leaves open: all readings of the rule book.
type Policy struct {
	TopPrizeGone Stale // when a pool has no unit with the top prize left (F15)
	FewUnits     int   // so few units left of a pool, without another that is open:
	FewUnitsThen Stale
	OpenNextAt   int    // the next pool opens when so few units of the one before are left
	AheadPools   int    // pools built and committed ahead of the one that sells
	GuardOneIn   uint64 // the guard stops the game at what would happen once in so many pools by chance (F12)
}

// Stale is what becomes of an offer that is not whole any more (F15).
type Stale uint8

const (
	GoOn Stale = iota + 1 // sold as before; counters say what is left
	Warn                  // sold, and each page that sells says so
	Stop                  // the pool is closed
)

// String returns the name in rule books.
func (s Scene) String() string {
	switch s {
	case Plain:
		return "plain"
	case Island:
		return "island"
	}
	return "invalid"
}

// String returns the name in rule books.
func (s Stale) String() string {
	switch s {
	case GoOn:
		return "go_on"
	case Warn:
		return "warn"
	case Stop:
		return "stop"
	}
	return "invalid"
}

// Table returns the prize table of a price, or [ErrPrice].
func (r *Rules) Table(price money.Amount) (*PrizeTable, error) {
	for i := range r.Tables {
		if r.Tables[i].Price == price {
			return &r.Tables[i], nil
		}
	}
	return nil, fmt.Errorf("%w: %s at %s", ErrPrice, r.Code, price)
}

// Winners is how many units of a pool win.
func (t *PrizeTable) Winners() int {
	winners := 0
	for _, p := range t.Prizes {
		winners += p.Units
	}
	return winners
}

// Total is what all prizes of a pool amount to.
func (t *PrizeTable) Total() money.Amount {
	var total money.Amount
	for _, p := range t.Prizes {
		total = total.Add(p.Total())
	}
	return total
}

// Total is what all units of a pool with the prize win.
func (p Prize) Total() money.Amount { return p.Amount.Times(int64(p.Units)) }

// PrizeOdds is the probability that a unit of a whole pool wins prize i of a table.
func (r *Rules) PrizeOdds(t *PrizeTable, i int) *big.Rat {
	return big.NewRat(int64(t.Prizes[i].Units), int64(r.Units))
}

// WinOdds is the probability that a unit of a whole pool wins.
func (r *Rules) WinOdds(t *PrizeTable) *big.Rat {
	return big.NewRat(int64(t.Winners()), int64(r.Units))
}

// PayoutRate is the share of the stakes of a whole pool that its prizes pay out
// (taux de retour aux joueurs).
func (r *Rules) PayoutRate(t *PrizeTable) *big.Rat {
	return new(big.Rat).Quo(t.Total().Rat(), t.Price.Times(int64(r.Units)).Rat())
}
