package central

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tirage/draw"
	"tirage/journal"
	"tirage/party"
	"tirage/store"
	"tirage/wager"
)

var (
	// ErrNotYours is a cancellation or reprint by another outlet than the one that sold the ticket.
	ErrNotYours = errors.New("only the outlet that sold a ticket may cancel or reprint it")
	// ErrTooLate is a cancellation after the close of one of the ticket's draws (F16).
	ErrTooLate = errors.New("the ticket's first draw has closed: it can no longer be cancelled")
	// ErrCancelled is a ticket that is cancelled already.
	ErrCancelled = errors.New("the ticket is cancelled")
	// ErrDrawCancelled is a cancellation of a ticket of which a draw was
	// cancelled: the stake of that is given back as prizes are paid, so the ticket is not taken back as a whole.
	ErrDrawCancelled = errors.New("a draw of the ticket was cancelled: its stake is given back, and the ticket goes on")
)

// Cancel is a cancellation asked for by a terminal.
type Cancel struct {
	Key      string
	Terminal string
	Ticket   wager.ID
	Secret   [8]byte
}

// Cancelled is a cancellation made.
type Cancelled struct {
	Ticket wager.Ticket
	Again  bool // made before, by the same command: the stake may have been given back
	At     time.Time
}

// Cancel takes a ticket back (annulation): only at the outlet that sold it,
// and only before any of its draws has closed (F16). The units that it took
// under the cap are free again (IAT-3).
//
// Refusals: [ErrNoTicket], [ErrNotYours], [ErrTooLate], [ErrDrawCancelled], [ErrCancelled], [ErrStopped], [party.ErrBlocked], [ErrKey], [ErrKeyReused], [ErrGivenUp], [ErrClock].
func (s *System) Cancel(ctx context.Context, c Cancel) (Cancelled, error) {
	key, err := terminalKey(c.Terminal, c.Key)
	if err != nil {
		return Cancelled{}, err
	}
	ticket, err := s.secretTicket(ctx, c.Ticket, c.Secret)
	if err != nil {
		return Cancelled{}, err
	}
	hash := content("cancel", []any{c.Ticket, c.Secret})
	var again uint64
	var at int64
	err = s.do(ctx, &job{key: key, ticket: c.Ticket, decide: func(t *turn) error {
		again, at = 0, t.at
		record, done, err := t.done(key, hash)
		if err != nil || done {
			again = record
			return err
		}
		if s.clockOff() { // one that was made is told all the same
			return ErrClock
		}
		return cancel(t, key, hash, c.Terminal, ticket)
	}})
	switch {
	case err != nil: // the turn may still be at it, so nothing of it is read
		return Cancelled{}, err
	case again != 0:
		return s.cancelled(ctx, ticket, again)
	}
	return Cancelled{Ticket: ticket, At: utc(at)}, nil
}

// cancelled reads a cancellation back: the first answer again.
func (s *System) cancelled(ctx context.Context, ticket wager.Ticket, index uint64) (Cancelled, error) {
	rec, err := s.record(ctx, index)
	return Cancelled{Ticket: ticket, Again: true, At: utc(rec.At)}, err
}

func cancel(t *turn, key store.CommandKey, hash [32]byte, terminalID string, ticket wager.Ticket) error {
	terminal, outlet, err := t.seller(terminalID, ticket)
	if err != nil {
		return err
	}
	if err := t.m.cancellable(ticket.Draws, t.at); err != nil {
		return err
	}
	index, err := t.append(&journal.Cancellation{
		Command: commandHash(key), Outlet: mustParty(outlet.ID), Terminal: mustParty(terminal.ID), Ticket: uint64(ticket.Number),
		Rules: ticket.Rules.Hash, Plays: playBodies(ticket.Plays), Units: uint64(ticket.Units), Draws: drawIDs(ticket.Draws), Price: ticket.Price,
	})
	if err != nil {
		return err
	}
	t.cancelled[uint64(ticket.Number)] = true
	t.expose(ticket.Rules, ticket.Draws, ticket.Combinations(), ticket.Units, -1)
	t.keep(key, hash, index)
	return nil
}

// seller is the terminal, of the outlet that sold a ticket, that may still do
// something with it, or a refusal: [party.ErrBlocked], [ErrNotYours], [ErrCancelled] or [ErrStopped].
func (t *turn) seller(terminalID string, ticket wager.Ticket) (party.Terminal, party.Outlet, error) {
	terminal, outlet, err := t.m.working(terminalID)
	switch {
	case err != nil:
	case outlet.Blocked:
		err = party.ErrBlocked
	case outlet.ID != ticket.Outlet:
		err = ErrNotYours
	case t.cancelled[uint64(ticket.Number)]:
		err = ErrCancelled
	case t.stops[uint64(ticket.Number)]:
		err = ErrStopped
	}
	return terminal, outlet, err
}

// Cancellable tells whether the draws of a ticket still let [System.Cancel] take
// it back: nil, [ErrTooLate] or [ErrDrawCancelled].
func (s *System) Cancellable(ticket wager.Ticket) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.memory.cancellable(ticket.Draws, max(s.clock.Now().UnixMicro(), s.memory.at))
}

// cancellable tells whether a ticket may be taken back at a time, as far as its draws go:
// none of them has closed, in whatever order they do since some were postponed, and none was cancelled.
func (m *memory) cancellable(draws []draw.Draw, at int64) error {
	for _, td := range draws {
		switch d := m.draws[td.ID]; {
		case d != nil && d.state == draw.Cancelled:
			return fmt.Errorf("%w: draw %d", ErrDrawCancelled, td.Number)
		case d == nil || d.state != draw.Selling && d.state != draw.Postponed || at >= d.ClosesAt.UnixMicro():
			return fmt.Errorf("%w: draw %d closed at %s", ErrTooLate, td.Number, td.ClosesAt.Format(time.RFC3339))
		}
	}
	return nil
}
