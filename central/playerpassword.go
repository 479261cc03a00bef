package central

import (
	"context"
	"errors"
	"fmt"

	"tirage/party"
	"tirage/store"
)

// ErrOldPassword is a player, signed on, who does not know his password.
var ErrOldPassword = errors.New("password not right")

// ChangePlayerPassword gives a player who knows the old one a new password, and
// ends all his sessions: whoever stole one is signed off with it. A message tells him. Refusals:
// [ErrPassword], [ErrSamePassword], [ErrOldPassword], [ErrLocked] (failures count
// as those of sign-ons), [party.ErrUnknownPlayer].
func (s *System) ChangePlayerPassword(ctx context.Context, player, old, password string) error {
	if err := checkPassword(password); err != nil {
		return err
	}
	if password == old {
		return ErrSamePassword
	}
	hash, err := s.hashPassword(ctx, password)
	if err != nil {
		return err
	}
	return s.withPassword(ctx, player, old, func(t *turn, person store.Person) error {
		person.Password = hash
		if err := t.tx.SetPerson(s.ctx, person); err != nil {
			return err
		}
		if err := t.tx.EndTokensOf(s.ctx, purposeReset, player); err != nil {
			return err
		}
		if err := s.addNotice(t, person, mailPassword); err != nil {
			return err
		}
		return t.tx.EndSessionsOf(s.ctx, "player", player)
	})
}

// withPassword does what only a player may do who knows his password, whoever
// is signed on; failures count as those of sign-ons.
func (s *System) withPassword(ctx context.Context, player, password string, change func(*turn, store.Person) error) error {
	var before store.Person
	err := s.db.View(ctx, func(tx *store.Snapshot) (err error) {
		before, err = tx.Person(ctx, player)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("%w: %.20q", party.ErrUnknownPlayer, player)
	}
	if err != nil {
		return err
	}
	right, err := s.passwordIs(ctx, before.Password, password)
	if err != nil {
		return err
	}
	var refusal error // the turn counts a failure, so it is not dropped for it
	err = s.private(ctx, func(t *turn) error {
		refusal = nil
		person, err := personOf(s.ctx, t, player)
		if err != nil {
			return err
		}
		tries, err := s.readTries(t, person.Email)
		switch {
		case err != nil:
			return err
		case tries.locked():
			return ErrLocked
		case !right || person.Password != before.Password:
			refusal = ErrOldPassword
			return tries.fail(s.ctx, t)
		}
		if err := tries.forget(s.ctx, t); err != nil {
			return err
		}
		return change(t, person)
	})
	if err != nil {
		return err
	}
	return refusal
}
