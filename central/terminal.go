package central

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"time"

	"tirage/journal"
	"tirage/party"
	"tirage/store"
)

// PutTerminal adds a terminal to an outlet.
type PutTerminal struct {
	Key     string
	Officer string
	Outlet  string
}

// PutTerminal adds a terminal and returns it with its device key, which is not
// kept in clear: the same command gives the same key again. Refusals:
// [party.ErrUnknownOutlet], [ErrNotAllowed], [ErrKey], [ErrKeyReused].
func (s *System) PutTerminal(ctx context.Context, p PutTerminal) (party.Terminal, string, error) {
	record, _, err := s.officerCommand(ctx, p.Officer, p.Key, content("terminal", p.Outlet), func(t *turn, command journal.Command, by journal.Party) (uint64, error) {
		if _, ok := t.m.outlets[p.Outlet]; !ok {
			return 0, party.ErrUnknownOutlet
		}
		id := newParty()
		if err := s.setDevice(t, id, 0); err != nil {
			return 0, err
		}
		return t.append(&journal.Terminal{Command: command, By: by, ID: id, Outlet: mustParty(p.Outlet)})
	})
	if err != nil {
		return party.Terminal{}, "", err
	}
	return s.terminalRecord(ctx, record)
}

// ChangeTerminal is a new key of a terminal, or its withdrawal.
type ChangeTerminal struct {
	Key      string
	Officer  string
	Terminal string
	Reason   string // private: the record has a salted hash of it
}

// RenewTerminal gives a terminal a new device key and returns it: the one before
// opens nothing any more, and who signed on with it is signed off, on every node.
// The same command gives the same key again. Refusals: [ErrReason],
// [party.ErrUnknownTerminal], [party.ErrWithdrawn], [ErrNotAllowed], [ErrKey], [ErrKeyReused].
func (s *System) RenewTerminal(ctx context.Context, c ChangeTerminal) (party.Terminal, string, error) {
	return s.changeTerminal(ctx, "renew-terminal", c, func(t *turn, body *journal.Terminal) error {
		body.Renewed++
		return s.setDevice(t, body.ID, body.Renewed)
	})
}

// WithdrawTerminal withdraws a terminal for good: it is signed off on every node,
// does nothing any more, and whoever signs on with its key is told so. Refusals:
// those of [System.RenewTerminal].
func (s *System) WithdrawTerminal(ctx context.Context, c ChangeTerminal) (party.Terminal, error) {
	terminal, _, err := s.changeTerminal(ctx, "withdraw-terminal", c, func(t *turn, body *journal.Terminal) error {
		body.Withdrawn = true
		return t.tx.RemovePrinter(s.ctx, c.Terminal)
	})
	return terminal, err
}

// changeTerminal changes a terminal, and ends its sessions and its shift.
func (s *System) changeTerminal(ctx context.Context, act string, c ChangeTerminal, change func(*turn, *journal.Terminal) error) (party.Terminal, string, error) {
	reason := strings.TrimSpace(c.Reason)
	if err := checkReason(reason); err != nil {
		return party.Terminal{}, "", err
	}
	var salt [16]byte
	random(salt[:])
	hash := noteHash(salt, reason)
	record, _, err := s.officerCommand(ctx, c.Officer, c.Key, content(act, []any{c.Terminal, c.Reason}), func(t *turn, command journal.Command, by journal.Party) (uint64, error) {
		stands, _, err := t.m.working(c.Terminal)
		if err != nil {
			return 0, err
		}
		body := &journal.Terminal{Command: command, By: by, ID: mustParty(stands.ID), Outlet: mustParty(stands.Outlet), Renewed: uint64(stands.Renewed), Reason: hash[:]}
		if err := change(t, body); err != nil {
			return 0, err
		}
		if err := t.closeShift(s.ctx, stands.ID); err != nil {
			return 0, err
		}
		for _, kind := range []string{sessionTerminal, sessionTraining} {
			if err := t.tx.EndSessionsOf(s.ctx, kind, stands.ID); err != nil {
				return 0, err
			}
		}
		index, err := t.append(body)
		if err != nil {
			return 0, err
		}
		return index, t.tx.AddNote(s.ctx, store.Note{Record: index, Salt: salt[:], Text: reason})
	})
	if err != nil {
		return party.Terminal{}, "", err
	}
	return s.terminalRecord(ctx, record)
}

// terminalRecord is a terminal as a record of it says, with the device key that it had from then on.
func (s *System) terminalRecord(ctx context.Context, index uint64) (party.Terminal, string, error) {
	rec, err := s.record(ctx, index)
	if err != nil {
		return party.Terminal{}, "", err
	}
	b, ok := rec.Body.(*journal.Terminal)
	assert(ok, "the record of a terminal is one")
	return terminalOf(b), s.deviceKey(b.ID, b.Renewed), nil
}

func terminalOf(b *journal.Terminal) party.Terminal {
	return party.Terminal{ID: b.ID.String(), Outlet: b.Outlet.String(), Renewed: int(b.Renewed), Withdrawn: b.Withdrawn}
}

// TerminalStep is a terminal as an officer made it stand.
type TerminalStep struct {
	Record   uint64
	At       time.Time
	By       string // officer
	Terminal party.Terminal
	Reason   string // empty: it was new
}

// TerminalSteps lists how a terminal stood, newest first: for officers.
func (s *System) TerminalSteps(ctx context.Context, terminal string) (list []TerminalStep, err error) {
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		rows, err := tx.TerminalSteps(ctx, terminal)
		if err != nil {
			return err
		}
		records := make([]uint64, len(rows))
		for i, row := range rows {
			b, at, err := readBody[*journal.Terminal](ctx, tx, row.Record)
			if err != nil {
				return err
			}
			records[i] = row.Record
			list = append(list, TerminalStep{Record: row.Record, At: at, By: b.By.String(), Terminal: terminalOf(b)})
		}
		notes, err := tx.Notes(ctx, records)
		for _, n := range notes {
			list[slices.Index(records, n.Record)].Reason = n.Text
		}
		return err
	})
	return list, err
}

var deviceEncoding = base32.StdEncoding.WithPadding(base32.NoPadding)

// deviceKey is the key that a terminal signs on with, once it was renewed so
// often: its id, and 15 bytes of a MAC.
func (s *System) deviceKey(id journal.Party, renewed uint64) string {
	mac := s.keys.mac(s.keys.Sealing, []byte("device"), id[:], binary.BigEndian.AppendUint64(nil, renewed))
	return id.String() + "-" + deviceEncoding.EncodeToString(mac[:15])
}

// setDevice has a terminal sign on with that key, and no other.
func (s *System) setDevice(t *turn, id journal.Party, renewed uint64) error {
	return t.tx.SetDevice(s.ctx, store.Device{Terminal: id.String(), Hash: deviceHash(s.deviceKey(id, renewed))})
}

func deviceHash(key string) []byte {
	h := sha256.Sum256([]byte(key))
	return h[:]
}

// deviceReader is the device keys, as a turn or a snapshot sees them.
type deviceReader interface {
	Device(ctx context.Context, terminal string) (store.Device, error)
}

// deviceOf is the id of the terminal that has a device key now, or [ErrSignOn].
func deviceOf(ctx context.Context, tx deviceReader, deviceKey string) (id string, err error) {
	key := strings.TrimSpace(deviceKey)
	id, _, _ = strings.Cut(key, "-")
	if _, err := partyID(id); err != nil {
		return "", ErrSignOn
	}
	d, err := tx.Device(ctx, id)
	switch {
	case errors.Is(err, store.ErrNotFound) || err == nil && string(d.Hash) != string(deviceHash(key)):
		return "", ErrSignOn
	case err != nil:
		return "", err
	}
	return id, nil
}

// SignOnTerminal returns the terminal of a device key, or [ErrSignOn]; whoever has
// the key of one that is withdrawn is told so ([party.ErrWithdrawn]).
func (s *System) SignOnTerminal(ctx context.Context, deviceKey string) (party.Terminal, party.Outlet, error) {
	var id string
	err := s.db.View(ctx, func(tx *store.Snapshot) (err error) {
		id, err = deviceOf(ctx, tx, deviceKey)
		return err
	})
	if err != nil {
		return party.Terminal{}, party.Outlet{}, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.memory.working(id)
}
