// Package wager is what a player asks and what he gets: slips, boards, quick
// picks, prices, caps and tickets.
package wager

import (
	"time"

	"tirage/draw"
	"tirage/game"
	"tirage/money"
)

// ID is a ticket number: the journal index of its sale (numéro séquentiel).
type ID uint64

// Slip is what a player asks (bulletin): nothing in it has a default, but that zero Draws or Stake is "not marked" and refused.
type Slip struct {
	Game   game.Code
	Boards []Board
	Stake  money.Amount // per draw and combination
	Draws  int          // next draws asked for (abonnement)
}

// Board is one board of a slip (grille). Picks holds what the player marked,
// by matrix, in any order; with QuickPick what is missing is drawn (IAT-2.4).
type Board struct {
	Picks     game.Picks
	QuickPick bool
	// Drawn, with the reading quick_pick_by: terminal, are the elements that
	// the terminal drew; they are in Picks too.
	Drawn game.Picks
}

// Wager is a slip checked against its rules (prise de jeu).
type Wager struct {
	Rules *game.Rules
	Slip  Slip  // picks sorted
	Units int64 // unit stakes of a combination
}

// Play is one board as sold: the whole combination, and which elements of it were random.
type Play struct {
	Picks       game.Picks
	Random      game.Picks // the elements that a quick pick drew
	Combination game.Combination
}

// Ticket is a wager sold (reçu de jeu).
type Ticket struct {
	Number   ID
	Secret   [8]byte // first 64 bits of HMAC(ticket key, number ‖ leaf hash of the sale)
	PlacedAt time.Time
	Outlet   string
	Terminal string
	Rules    *game.Rules
	Plays    []Play
	Stake    money.Amount // per draw and combination
	Units    int64
	Asked    int          // draws asked for
	Draws    []draw.Draw  // draws taken: fewer than asked when the session's end cut the wager
	Price    money.Amount // total to pay
}
