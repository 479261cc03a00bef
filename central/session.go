package central

import (
	"context"
	"errors"
	"time"

	"tirage/store"
)

// ErrSession is a session that does not exist or has ended.
var ErrSession = errors.New("no such session")

// NewSession opens a session of a kind ("terminal", "officer") for a subject.
// The token is the caller's to keep; the database has its hash.
func (s *System) NewSession(ctx context.Context, kind, subject string, life time.Duration) (token string, err error) {
	var b [20]byte
	random(b[:])
	token = deviceEncoding.EncodeToString(b[:])
	err = s.private(ctx, func(t *turn) error {
		if err := t.tx.ExpireSessions(ctx, t.at); err != nil {
			return err
		}
		return t.tx.AddSession(ctx, store.Session{
			TokenHash: deviceHash(token), Kind: kind, Subject: subject, ExpiresAt: t.at + life.Microseconds(),
		})
	})
	if err != nil {
		return "", err
	}
	return token, nil
}

// NewTerminalSession opens a session and a shift for the terminal of a device key,
// which it has at that moment: one that is renewed or withdrawn meanwhile opens
// nothing. The token is as of [System.NewSession]. Refusals: [ErrSignOn], [party.ErrWithdrawn].
func (s *System) NewTerminalSession(ctx context.Context, deviceKey string, life time.Duration) (token string, err error) {
	var b [20]byte
	random(b[:])
	token = deviceEncoding.EncodeToString(b[:])
	err = s.private(ctx, func(t *turn) error {
		id, err := deviceOf(s.ctx, t.tx, deviceKey)
		if err != nil {
			return err
		}
		if err := t.openShift(s.ctx, id); err != nil {
			return err
		}
		if err := t.tx.ExpireSessions(s.ctx, t.at); err != nil {
			return err
		}
		return t.tx.AddSession(s.ctx, store.Session{
			TokenHash: deviceHash(token), Kind: sessionTerminal, Subject: id, ExpiresAt: t.at + life.Microseconds(),
		})
	})
	if err != nil {
		return "", err
	}
	return token, nil
}

// Kinds of the sessions that a terminal has: live, and in training.
const (
	sessionTerminal = "terminal"
	sessionTraining = "training"
)

// Session returns whose session a token is, or [ErrSession].
func (s *System) Session(ctx context.Context, token string) (kind, subject string, err error) {
	var session store.Session
	err = s.db.View(ctx, func(tx *store.Snapshot) (err error) {
		session, err = tx.Session(ctx, deviceHash(token))
		return err
	})
	switch {
	case errors.Is(err, store.ErrNotFound) || (err == nil && session.ExpiresAt <= s.Now().UnixMicro()):
		return "", "", ErrSession
	case err != nil:
		return "", "", err
	}
	return session.Kind, session.Subject, nil
}

// ChangeSession ends a session of a kind and opens one of another kind for the
// same subject, which ends when the first would have. It returns [ErrSession]
// when the token has none of that kind.
func (s *System) ChangeSession(ctx context.Context, token, from, to string) (next string, life time.Duration, err error) {
	var b [20]byte
	random(b[:])
	next = deviceEncoding.EncodeToString(b[:])
	err = s.private(ctx, func(t *turn) error {
		session, err := t.tx.Session(ctx, deviceHash(token))
		if errors.Is(err, store.ErrNotFound) || err == nil && (session.ExpiresAt <= t.at || session.Kind != from) {
			return ErrSession
		}
		if err != nil {
			return err
		}
		if err := t.tx.EndSession(ctx, session.TokenHash); err != nil {
			return err
		}
		life = time.Duration(session.ExpiresAt-t.at) * time.Microsecond
		return t.tx.AddSession(ctx, store.Session{TokenHash: deviceHash(next), Kind: to, Subject: session.Subject, ExpiresAt: session.ExpiresAt})
	})
	if err != nil {
		return "", 0, err
	}
	return next, life, nil
}

// EndSession ends the sessions of tokens, those that exist. Whoever has none takes
// no turn: anybody may say that he signs off, as often as he likes.
func (s *System) EndSession(ctx context.Context, tokens ...string) error {
	var hashes [][]byte
	err := s.db.View(ctx, func(tx *store.Snapshot) error {
		for _, token := range tokens {
			session, err := found(tx.Session(ctx, deviceHash(token)))
			if err != nil {
				return err
			}
			if session.TokenHash != nil {
				hashes = append(hashes, session.TokenHash)
			}
		}
		return nil
	})
	if err != nil || len(hashes) == 0 {
		return err
	}
	return s.private(ctx, func(t *turn) error {
		for _, hash := range hashes {
			if err := t.tx.EndSession(s.ctx, hash); err != nil {
				return err
			}
		}
		return nil
	})
}

// private changes a private table, of which the journal says nothing.
func (s *System) private(ctx context.Context, change func(*turn) error) error {
	return s.do(ctx, &job{alone: true, private: true, decide: change})
}
