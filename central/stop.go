package central

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"tirage/journal"
	"tirage/store"
	"tirage/wager"
)

var (
	// ErrStopped is a ticket whose payment is stopped, since it was lost or
	// stolen: nobody pays, cancels or prints it.
	ErrStopped = errors.New("the payment of this ticket is stopped")
	// ErrNotStopped is a stop to lift on a ticket that has none.
	ErrNotStopped = errors.New("the payment of this ticket is not stopped")
)

// StopTicket is the stop of a ticket's payment (opposition) by an officer.
type StopTicket struct {
	Key     string
	Officer string
	Ticket  wager.ID
	Reason  string // private: the record has a salted hash of it
}

// StopTicket stops the payment of a ticket that was lost or stolen, at once and
// everywhere: a check says so, and nobody pays, cancels or prints it any more.
// Two officers lift the stop ([ActLiftStop]), or pay the ticket nevertheless
// ([ActPayTicket]). Refusals: [ErrReason], [ErrNoTicket], [ErrCancelled],
// [ErrStopped], [ErrIssued], [ErrNotAllowed], [ErrKey], [ErrKeyReused].
func (s *System) StopTicket(ctx context.Context, c StopTicket) error {
	reason := strings.TrimSpace(c.Reason)
	if err := checkReason(reason); err != nil {
		return err
	}
	var salt [16]byte
	random(salt[:])
	hash := noteHash(salt, reason)
	_, _, err := s.officerCommand(ctx, c.Officer, c.Key, content("stop", []any{c.Ticket, c.Reason}), func(t *turn, command journal.Command, by journal.Party) (uint64, error) {
		if err := t.mayStop(s.ctx, c.Ticket); err != nil {
			return 0, err
		}
		index, err := t.append(&journal.Stop{Command: command, By: by, Ticket: uint64(c.Ticket), Reason: hash[:]})
		if err != nil {
			return 0, err
		}
		return index, t.tx.AddNote(s.ctx, store.Note{Record: index, Salt: salt[:], Text: reason})
	})
	return err
}

// mayStop tells whether a ticket's payment can be stopped.
func (t *turn) mayStop(ctx context.Context, number wager.ID) error {
	if err := t.lookUp(ctx, number); err != nil {
		return err
	}
	switch {
	case t.cancelled[uint64(number)]:
		return ErrCancelled
	case t.stops[uint64(number)]:
		return ErrStopped
	}
	return nil
}

// mayLift tells whether the stop of a ticket can be lifted.
func (t *turn) mayLift(ctx context.Context, number wager.ID) error {
	if err := t.lookUp(ctx, number); err != nil {
		return err
	}
	if !t.stops[uint64(number)] {
		return ErrNotStopped
	}
	return nil
}

// lookUp reads what was done with a ticket that an officer names, or returns [ErrNoTicket].
func (t *turn) lookUp(ctx context.Context, number wager.ID) error {
	_, err := t.tx.Ticket(ctx, uint64(number))
	if errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("%w: %d", ErrNoTicket, number)
	}
	if err != nil {
		return err
	}
	return t.prefetchTickets(ctx, []uint64{uint64(number)})
}

// liftBody is the record of a stop that two officers lift; it has no command of its own.
func liftBody(ticket wager.ID, decision uint64, by journal.Party) *journal.Stop {
	return &journal.Stop{By: by, Ticket: uint64(ticket), Lifted: true, Decision: decision}
}

// implyTicket is what a record of a ticket after its sale implies, but for its payment.
func implyTicket(rows *store.Rows, index uint64, rec journal.Record) {
	switch b := rec.Body.(type) {
	case *journal.Stop:
		rows.Stops = append(rows.Stops, store.Stop{Ticket: b.Ticket, Record: index, At: rec.At, Lifted: b.Lifted})
	case *journal.Reprint:
		rows.Reprints = append(rows.Reprints, store.Reprint{Ticket: b.Ticket, Record: index, At: rec.At})
	}
}

// stoppedAt is since when a ticket is stopped, by its stops in order; 0: it is not.
func stoppedAt(stops []store.Stop) int64 {
	if n := len(stops); n > 0 && !stops[n-1].Lifted {
		return stops[n-1].At
	}
	return 0
}
