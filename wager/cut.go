package wager

import (
	"errors"
	"fmt"
	"time"

	"tirage/draw"
	"tirage/game"
)

var (
	// ErrNoSession is a wager while no draw session has draws left to sell (IAT-2.3.5).
	ErrNoSession = errors.New("no draw session is open")
	// ErrOverRun is a wager over more draws than its session has left, where
	// the game does not cut it; the error is an [OverRunError].
	ErrOverRun = errors.New("more draws than the session has left")
)

// OverRunError is a refusal by [ErrOverRun].
type OverRunError struct {
	Asked, Left int
}

// Error says what was asked and what is left.
func (e *OverRunError) Error() string {
	return fmt.Sprintf("%v: %d asked, %d left", ErrOverRun, e.Asked, e.Left)
}

// Is makes the error an [ErrOverRun].
func (e *OverRunError) Is(target error) bool { return target == ErrOverRun }

// Cut returns the next draws for a wager over asked draws placed at an instant
// in a territory, all inside the first draw session that has draws left: fewer
// than asked at the end of the session (IAT-2.3.5). open is draws of the game
// that sell, ascending by DrawsAt; sales of a draw end at its ClosesAt, exclusive.
//
// With the reading between_sessions: next_session the calendar opens the next
// session early enough ([draw.Plan]), so here both readings are the same.
func Cut(r *game.Rules, open []draw.Draw, at time.Time, territory string, asked int) ([]draw.Draw, error) {
	var taken []draw.Draw
	for _, d := range open {
		if len(taken) == asked {
			break
		}
		if at.Before(d.OpensAt) || !at.Before(d.ClosesAt) || !d.SoldIn(r, territory) {
			continue
		}
		if len(taken) > 0 && !sameSession(taken[0], d) {
			continue // a draw of another session may have been postponed into this one
		}
		taken = append(taken, d)
	}
	switch {
	case len(taken) == 0:
		return nil, ErrNoSession
	case len(taken) < asked && r.OverRun == game.RefuseOverRun:
		return nil, &OverRunError{Asked: asked, Left: len(taken)}
	}
	return taken, nil
}

func sameSession(a, b draw.Draw) bool {
	return a.Game == b.Game && a.Day == b.Day && a.Session == b.Session
}
