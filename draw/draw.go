// Package draw is the calendar and the life of a draw: sessions, closing
// times, states, and the result as a pure function of a seed.
package draw

import (
	"errors"
	"time"

	"tirage/game"
)

// ID numbers a draw (tirage) among all draws of a central system, in the
// order planned, from 1. People name a draw by game, draw day and number.
type ID int64

// Draw is a planned draw.
type Draw struct {
	ID       ID
	Game     game.Code
	Rules    game.Hash // the version in force at this draw
	Day      game.Day  // draw day (journée de tirages)
	Number   int       // ordinal in the day, never a time
	Session  int       // number of the first draw of its session: (Game, Day, Session) names the session
	OpensAt  time.Time // sales open
	ClosesAt time.Time // sales close (clôture des prises de jeu)
	DrawsAt  time.Time
}

// State is where a draw stands.
type State uint8

const (
	Planned State = iota + 1
	Selling
	Closed
	Drawn
	Settled
	Certified
	Postponed
	Cancelled
)

// ErrTransition is a step that a draw in its state cannot take.
var ErrTransition = errors.New("draw cannot take this step")

// ErrUnknown is a draw that does not exist.
var ErrUnknown = errors.New("no such draw")
