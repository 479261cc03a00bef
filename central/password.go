package central

import (
	"context"
	"errors"

	"tirage/journal"
	"tirage/store"
)

// ChangePassword is an officer's new password for himself.
type ChangePassword struct {
	Key      string
	Officer  string
	Old, New string
}

// ChangePassword gives an officer who knows the old one a new password, and ends
// all his sessions: whoever stole one is signed off with it. The act is
// journalled, the password is not. Refusals: [ErrSignOn] when Old is not right,
// [ErrPassword], [ErrNotAllowed], [ErrKey], [ErrKeyReused].
func (s *System) ChangePassword(ctx context.Context, p ChangePassword) error {
	if len(p.New) < 10 || len(p.New) > 200 {
		return ErrPassword
	}
	if _, err := s.Officer(p.Officer); err != nil {
		return err
	}
	logins, err := s.Logins(ctx)
	if err != nil {
		return err
	}
	login := logins[p.Officer]
	hash, err := s.hashPassword(ctx, p.New)
	if err != nil {
		return err
	}
	_, wrong := s.SignOnOfficer(ctx, login, p.Old)
	if wrong != nil && !errors.Is(wrong, ErrSignOn) {
		return wrong
	}
	_, _, err = s.officerCommand(ctx, p.Officer, p.Key, content("password", nil), func(t *turn, command journal.Command, by journal.Party) (uint64, error) {
		if wrong != nil { // but not of a command that was done: it is no longer right then
			return 0, ErrSignOn
		}
		if err := t.tx.SetPassword(ctx, store.Password{Login: login, Officer: p.Officer, Hash: hash}); err != nil {
			return 0, err
		}
		if err := t.tx.EndSessionsOf(ctx, "officer", p.Officer); err != nil {
			return 0, err
		}
		return t.append(&journal.Act{Command: command, By: by, Act: "change-password"})
	})
	return err
}

// Logins returns the login of each officer by id: names are in no record.
func (s *System) Logins(ctx context.Context) (map[string]string, error) {
	logins := map[string]string{}
	err := s.db.View(ctx, func(tx *store.Snapshot) error {
		list, err := tx.Passwords(ctx)
		for _, p := range list {
			logins[p.Officer] = p.Login
		}
		return err
	})
	return logins, err
}
