package central

import (
	"cmp"
	"context"
	"errors"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"

	"tirage/journal"
	"tirage/party"
	"tirage/store"
)

var (
	// ErrPassword is a password that is not 10 to 200 characters.
	ErrPassword = errors.New("password must be 10 to 200 characters")
	// ErrSamePassword is a new password that is the old one.
	ErrSamePassword = errors.New("the new password must not be the old one")
	// ErrIssued is an act by an officer whose password somebody else chose: he changes it first.
	ErrIssued = errors.New("a password that somebody else chose must be changed first")
)

const (
	passwordMin   = 10
	passwordMax   = 200                       // characters
	passwordBytes = passwordMax * utf8.UTFMax // as many characters have at most
)

func checkPassword(password string) error {
	if len(password) > passwordBytes || !utf8.ValidString(password) {
		return ErrPassword
	}
	if n := utf8.RuneCountInString(password); n < passwordMin || n > passwordMax {
		return ErrPassword
	}
	return nil
}

// ChangePassword is an officer's new password for himself.
type ChangePassword struct {
	Key      string
	Officer  string
	Old, New string
}

// ChangePassword gives an officer who knows the old one a new password, and ends
// all his sessions: whoever stole one is signed off with it. It is all that an
// officer may do whose password somebody else chose. The act is journalled, the
// password is not. Refusals: [ErrSignOn] when Old is not right, [ErrLocked] (tries count as those of sign-ons), [ErrPassword],
// [ErrSamePassword], [ErrNotAllowed], [ErrKey], [ErrKeyReused].
func (s *System) ChangePassword(ctx context.Context, p ChangePassword) error {
	if err := checkPassword(p.New); err != nil {
		return err
	}
	k, err := commandKey("officer/"+p.Officer, p.Key)
	if err != nil {
		return err
	}
	sum := content("password", s.passwordMark(k, p.New))
	var old store.Password
	_, done, err := s.beforehand(ctx, k, sum, func(tx *store.Snapshot) (err error) {
		old, err = passwordOf(ctx, tx, p.Officer)
		return err
	})
	if err != nil || done {
		return err
	}
	right, err := s.passwordIs(ctx, old.Hash, p.Old)
	if err != nil {
		return err
	}
	if err := s.tried(ctx, old.Login, old, right); err != nil {
		return err
	}
	if p.New == p.Old {
		return ErrSamePassword
	}
	hash, err := s.hashPassword(ctx, p.New)
	if err != nil {
		return err
	}
	_, _, err = s.officerTurn(ctx, p.Officer, p.Key, sum, func(t *turn, command journal.Command, by journal.Party) (uint64, error) {
		now, err := passwordOf(s.ctx, t.tx, p.Officer)
		if err != nil {
			return 0, err
		}
		if now.Hash != old.Hash {
			return 0, ErrSignOn // changed meanwhile: Old is no longer right
		}
		now.Hash, now.Issued = hash, false
		if err := t.tx.SetPassword(s.ctx, now); err != nil {
			return 0, err
		}
		if err := t.tx.EndSessionsOf(s.ctx, "officer", p.Officer); err != nil {
			return 0, err
		}
		return t.append(&journal.Act{Command: command, By: by, Act: "change-password"})
	})
	return err
}

// MustChangePassword tells whether an officer has a password that somebody else
// chose: until he has changed it he may do nothing else.
func (s *System) MustChangePassword(ctx context.Context, officer string) (bool, error) {
	var row store.Password
	err := s.db.View(ctx, func(tx *store.Snapshot) (err error) {
		row, err = passwordOf(ctx, tx, officer)
		return err
	})
	return row.Issued, err
}

// beforehand finds a command that was done before, or else tells whether may
// allows it: what costs much is done after that, and not for everyone.
func (s *System) beforehand(ctx context.Context, k store.CommandKey, content [32]byte, may func(*store.Snapshot) error) (record uint64, done bool, err error) {
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		commands, err := tx.Commands(ctx, []store.CommandKey{k})
		if err != nil {
			return err
		}
		if record, done, err = (&turn{commands: commands}).done(k, content); err != nil || done {
			return err
		}
		return may(tx)
	})
	return record, done, err
}

// passwordMark stands for a password in the content of a command. Who reads the
// database cannot try passwords against it, nor see that two are the same.
func (s *System) passwordMark(k store.CommandKey, password string) [32]byte {
	zero := []byte{0}
	return s.keys.mac(s.keys.Sealing, []byte("password"), zero, []byte(k.Scope), zero, []byte(k.Key), zero, []byte(password))
}

// passwordParams: 19 MiB, two passes (about 30 ms); argon bounds how many run at once.
var passwordParams = &argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

func (s *System) hashPassword(ctx context.Context, password string) (string, error) {
	if err := s.takeArgon(ctx); err != nil {
		return "", err
	}
	defer func() { <-s.argon }()
	return argon2id.CreateHash(password, passwordParams)
}

func (s *System) takeArgon(ctx context.Context) error {
	select {
	case s.argon <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// noPassword is compared with when a login is unknown, so that both take the same time.
const noPassword = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// passwordIs compares a password with a hash. It takes as long whether or not it is right.
func (s *System) passwordIs(ctx context.Context, hash, password string) (bool, error) {
	if err := s.takeArgon(ctx); err != nil {
		return false, err
	}
	defer func() { <-s.argon }()
	right, err := argon2id.ComparePasswordAndHash(password[:min(len(password), passwordBytes)], hash)
	return err == nil && right && len(password) <= passwordBytes, nil
}

// SignOnOfficer returns the officer of a login and password. Refusals: [ErrSignOn]
// (the same, after the same time, for a login that nobody has), [ErrLocked] (after
// too many failures, wherever they came from; said for any login).
func (s *System) SignOnOfficer(ctx context.Context, login, password string) (party.Officer, error) {
	if !loginForm.MatchString(login) {
		login = "" // nobody's, and nothing that a database may refuse
	}
	before := store.Password{Hash: noPassword}
	err := s.db.View(ctx, func(tx *store.Snapshot) error {
		row, err := found(tx.Password(ctx, login))
		if row.Officer != "" {
			before = row
		}
		return err
	})
	if err != nil {
		return party.Officer{}, err
	}
	right, err := s.passwordIs(ctx, before.Hash, password)
	if err != nil {
		return party.Officer{}, err
	}
	err = s.tried(ctx, login, before, right)
	if err != nil {
		return party.Officer{}, err
	}
	return s.Officer(before.Officer)
}

// tried counts a try of a password at an officer's login that was right, or not, by
// the row read before. Tries take turns, so any number at a time get no more than one
// after the other. Refusals: [ErrSignOn], [ErrLocked].
func (s *System) tried(ctx context.Context, login string, before store.Password, right bool) error {
	var refusal error // the turn counts a failure, so it is not dropped for it
	err := s.private(ctx, func(t *turn) error {
		refusal = nil
		row, err := found(t.tx.Password(s.ctx, login))
		if err != nil {
			return err
		}
		tries, err := s.readTries(t, "officer\x00"+login) // no address has a NUL
		switch {
		case err != nil:
			return err
		case tries.locked():
			refusal = ErrLocked
		case !right || row.Officer == "" || row != before:
			refusal = ErrSignOn
			return tries.fail(s.ctx, t)
		case tries.count > 0:
			return tries.forget(s.ctx, t)
		}
		return nil
	})
	return cmp.Or(err, refusal)
}

// Logins returns the login of each officer by id: no record says it.
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
