package central

import (
	"context"
	"sync"
	"time"

	"tirage/journal"
)

// clockGuard holds a node back while its clock cannot be trusted.
type clockGuard struct {
	mu      sync.Mutex
	off     bool
	wall    time.Duration // wall − node that an officer has confirmed
	server  time.Duration // database server − node, likewise
	checked time.Time     // when the server was last asked
}

// clockOff tells whether the node's clock is off, or its wall clock was set
// since the scheduler looked: nothing is sold from that moment on.
func (s *System) clockOff() bool {
	g := &s.clockGuard
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.off || apart(s.clock.Wall().Sub(s.clock.Now()), g.wall)
}

// serverSkew is how far the database server's clock is ahead of the node's; ok
// is false when there is no such clock to compare with.
func (s *System) serverSkew(ctx context.Context) (skew time.Duration, ok bool, err error) {
	if s.db.Engine() != "postgres" || s.clock.Simulated {
		return 0, false, nil
	}
	server, err := s.db.ServerTime(ctx)
	return server.Sub(s.clock.Now()), err == nil, err
}

// checkEvery is how often the database server's clock is asked.
const checkEvery = 10 * time.Second

// checkClock compares the node's clock with the wall clock and, now and then,
// with the database server's. Once off, it stays off until [System.ConfirmClock].
func (s *System) checkClock(ctx context.Context) error {
	now, wall := s.clock.Now(), s.clock.Wall()
	g := &s.clockGuard
	g.mu.Lock()
	askServer := now.Sub(g.checked) >= checkEvery
	if askServer {
		g.checked = now
	}
	off := apart(wall.Sub(now), g.wall)
	g.mu.Unlock()
	var skew time.Duration
	var asked bool
	if askServer {
		var err error
		if skew, asked, err = s.serverSkew(ctx); err != nil {
			return err
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	off = off || asked && apart(skew, g.server)
	if off && !g.off {
		defer s.watchers.notify() // screens say so
		s.log.Error("the clock is off: selling, closing and drawing stop until an officer confirms", "node", now, "wall", wall)
	}
	g.off = g.off || off
	if g.off {
		return ErrClock
	}
	return nil
}

func apart(d, confirmed time.Duration) bool { return (d - confirmed).Abs() > clockTolerance }

// ConfirmClock is an officer's word that the node's clock is right as it
// stands. The act is journalled.
func (s *System) ConfirmClock(ctx context.Context, key, officer string) error {
	act := func(t *turn, command journal.Command, by journal.Party) (uint64, error) {
		return t.append(&journal.Act{Command: command, By: by, Act: "confirm-clock"})
	}
	_, again, err := s.officerCommand(ctx, officer, key, content("confirm-clock", nil), act)
	if err != nil || again { // a word given before says nothing of the clock as it stands now
		return err
	}
	skew, asked, err := s.serverSkew(ctx)
	if err != nil {
		return err
	}
	defer s.watchers.notify() // they have looked at the record of it, when the clock was off still
	g := &s.clockGuard
	g.mu.Lock()
	defer g.mu.Unlock()
	g.off, g.wall = false, s.clock.Wall().Sub(s.clock.Now())
	if asked {
		g.server = skew
	}
	return nil
}

// watchers are told, without being waited for, that draws have moved.
type watchers struct {
	mu   sync.Mutex
	list map[chan struct{}]bool
}

func (w *watchers) notify() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.list {
		select {
		case c <- struct{}{}:
		default: // it has not looked since the last change
		}
	}
}

// Watch returns a channel that gets a signal after turns that moved a draw or
// changed an outlet; signals that were not received merge into one. stop ends it.
func (s *System) Watch() (changed <-chan struct{}, stop func()) {
	c := make(chan struct{}, 1)
	w := &s.watchers
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.list == nil {
		w.list = map[chan struct{}]bool{}
	}
	w.list[c] = true
	return c, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.list, c)
	}
}
