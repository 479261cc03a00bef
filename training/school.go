// Package training is where terminals practise: a second central system in the
// same process, with a database of its own in a temporary folder, keys made for
// it alone, the rule books and terms that are published, and a clock that can be
// moved on to the next draw. Nothing is simulated: what is sold, drawn and paid
// there is so by the same code.
//
// It shares no state with the live system, of which it reads which games, outlets
// and terminals there are, and the time, and into which it writes nothing. Its journal, its money and its tickets end with it (F21).
//
// Start with [School.Enter].
package training

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"tirage/central"
)

var (
	// ErrClosed is a school that has closed, as its server does.
	ErrClosed = errors.New("training is closed")
	// ErrFull is a training system that has as many records as it may: it is made anew once nobody is at work.
	ErrFull = errors.New("training has come to its end and begins anew")
	// ErrNoDraw is a draw asked for in training where none is planned.
	ErrNoDraw = errors.New("no draw is planned")
)

const (
	// idleTime is how long a training system is kept while nobody uses it.
	idleTime = time.Hour
	// recordsMax bounds the journal of a training system, and with it its memory and its disk.
	recordsMax = 100_000
)

// School opens a training system when a terminal first asks for one, and stops
// it after an hour unused. A process has one at most. Its methods may be called
// from many goroutines.
type School struct {
	live *central.System
	log  *slog.Logger
	most uint64 // records

	mu     sync.Mutex
	room   *room // nil: none is open
	closed bool
}

// New returns the school of a live system. It opens nothing yet, but removes
// what processes that were killed have left.
func New(live *central.System, log *slog.Logger) *School {
	if err := sweep(); err != nil {
		log.Warn("left by a training system", "err", err)
	}
	return &School{live: live, log: log, most: recordsMax}
}

// Desk is a terminal's place in training, until it is left.
type Desk struct {
	// Sys is the training system; another one than at the desk before when that has ended meanwhile.
	Sys *central.System
	// Terminal is the id that the terminal has there.
	Terminal string

	room *room
}

// Enter gives a live terminal its desk, for as long as one request takes: the
// caller calls leave. Refusals: [ErrClosed], [ErrFull], [tirage/party.ErrUnknownTerminal].
func (s *School) Enter(ctx context.Context, terminal string) (d Desk, leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ctx = context.WithoutCancel(ctx) // what one begins others need
	if s.closed {
		return Desk{}, nil, ErrClosed
	}
	if s.room != nil && s.room.size() >= s.most {
		if s.room.users > 0 {
			return Desk{}, nil, ErrFull
		}
		s.end()
	}
	if s.room != nil && s.room.users == 0 && s.room.furnish(ctx, s.live) != nil {
		s.end() // its days are planned under what was published before: it begins anew
	}
	if s.room == nil {
		if s.room, err = s.open(ctx); err != nil {
			return Desk{}, nil, fmt.Errorf("open a training system: %w", err)
		}
	}
	room := s.room
	id, err := room.seat(ctx, s.live, terminal)
	if err != nil {
		return Desk{}, nil, fmt.Errorf("a terminal in training: %w", err)
	}
	room.users++
	room.idle.Stop()
	return Desk{room.sys, id, room}, sync.OnceFunc(func() { s.leave(room) }), nil
}

func (s *School) leave(room *room) {
	s.mu.Lock()
	defer s.mu.Unlock()
	room.users--
	room.usedAt = time.Now()
	switch {
	case room.users > 0:
	case s.closed:
		s.end()
	default:
		room.idle.Reset(idleTime)
	}
}

// rest stops the training system if nobody has used it for an hour.
func (s *School) rest(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.room != nil && s.room.users == 0 && now.Sub(s.room.usedAt) >= idleTime {
		s.end()
	}
}

// end stops the training system and removes all of it. The caller holds mu.
func (s *School) end() {
	if err := s.room.close(); err != nil {
		s.log.Error("end of a training system", "err", err)
	}
	s.room = nil
}

// Close stops the training system once nobody is at work there, and opens none any more.
func (s *School) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.room != nil && s.room.users == 0 {
		s.end()
	}
}
