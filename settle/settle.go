// Package settle goes from a result and the wagers of a draw to prizes, and
// from settlements to what a ticket wins and when it is paid.
package settle

import (
	"time"

	"tirage/draw"
	"tirage/game"
	"tirage/money"
	"tirage/wager"
)

// Part is one combination of one ticket in one draw.
type Part struct {
	Ticket      wager.ID
	N           int // position among the ticket's parts in this draw
	Combination game.Combination
	Units       int64
	Table       int     // index in Rules.Tables, fixed at the sale
	LastDraw    draw.ID // the ticket's last planned draw
}

// Share is one line of a settlement: a tier of a table, for the tickets whose last planned draw is LastDraw.
type Share struct {
	Table     int
	Tier      int // index in PrizeTable.Tiers
	LastDraw  draw.ID
	Winners   int64        // winning combinations
	Units     int64        // unit stakes on them
	UnitValue money.Amount // prize of a unit stake
	Total     money.Amount // UnitValue × Units
}

// Settlement is the outcome of a draw: its shares, by table, tier and last draw.
type Settlement struct {
	Parts  int64 // parts settled
	Stakes money.Amount
	Shares []Share
}

// Standing is the one answer to "has this ticket won?" (F09).
type Standing uint8

const (
	Pending Standing = iota + 1 // en attente
	Won                         // gagnant
	Lost                        // perdant: only when every draw of it is certified or cancelled
)

// DrawFacts is what is known of one draw of a ticket.
type DrawFacts struct {
	Draw   draw.Draw
	State  draw.State
	Result game.Result // once drawn
	// UnitValue gives the prize of a unit stake by table and tier, once settled.
	UnitValue func(table, tier int) money.Amount
	PaidAt    time.Time // zero: not paid
}
