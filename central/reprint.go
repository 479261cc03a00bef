package central

import (
	"context"
	"fmt"
	"slices"

	"tirage/journal"
	"tirage/store"
	"tirage/wager"
)

// Reprint is a ticket to be printed once more, asked for by a terminal.
type Reprint struct {
	Key      string
	Terminal string
	Ticket   wager.ID
	Secret   [8]byte
}

// Reprint lets a ticket be printed once more, marked as such, only at the outlet
// that sold it: it is no second ticket, and each print is journalled. It returns
// the ticket and which copy it is, from 1; again tells that the same command noted it before.
//
// Refusals: [ErrNoTicket], [ErrNotYours], [ErrCancelled], [ErrStopped],
// [party.ErrBlocked], [ErrKey], [ErrKeyReused], [ErrGivenUp].
func (s *System) Reprint(ctx context.Context, r Reprint) (ticket wager.Ticket, n int, again bool, err error) {
	key, err := terminalKey(r.Terminal, r.Key)
	if err != nil {
		return wager.Ticket{}, 0, false, err
	}
	ticket, err = s.secretTicket(ctx, r.Ticket, r.Secret)
	if err != nil {
		return wager.Ticket{}, 0, false, err
	}
	hash := content("reprint", []any{r.Ticket, r.Secret})
	var record uint64
	var done bool // of the turn's last run; read after the answer only
	err = s.do(ctx, &job{key: key, ticket: r.Ticket, decide: func(t *turn) (err error) {
		if record, done, err = t.done(key, hash); err != nil || done {
			return err
		}
		terminal, outlet, err := t.seller(r.Terminal, ticket)
		if err != nil {
			return err
		}
		record, err = t.append(&journal.Reprint{
			Command: commandHash(key), Outlet: mustParty(outlet.ID), Terminal: mustParty(terminal.ID), Ticket: uint64(r.Ticket),
		})
		if err == nil {
			t.keep(key, hash, record)
		}
		return err
	}})
	if err != nil { // the turn may still be at it, so nothing of it is read
		return wager.Ticket{}, 0, false, err
	}
	n, err = s.copyOf(ctx, r.Ticket, record)
	return ticket, n, done, err
}

// copyOf tells which copy of a ticket a record printed, from 1.
func (s *System) copyOf(ctx context.Context, number wager.ID, record uint64) (n int, err error) {
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		reprints, err := tx.Reprints(ctx, []uint64{uint64(number)})
		if err != nil {
			return err
		}
		i := slices.IndexFunc(reprints, func(r store.Reprint) bool { return r.Record == record })
		if i < 0 {
			return fmt.Errorf("%w: record %d printed no copy of ticket %d", ErrJournal, record, number)
		}
		n = i + 1
		return nil
	})
	return n, err
}
