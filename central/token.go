package central

import (
	"context"
	"errors"
	"time"

	"tirage/store"
)

// What the token of a message is for.
const (
	purposeConfirm = "confirm"
	purposeReset   = "reset"
	purposeNothing = "nothing" // of no message: written where another would be
)

// How long the tokens of messages hold.
const (
	confirmLife = 24 * time.Hour
	resetLife   = time.Hour
)

// purposeMailed is of a token that stands, by a keyed hash, for an address that
// somebody had a message sent to: it gets no other for mailedLife.
const (
	purposeMailed = "mailed"
	mailedLife    = 5 * time.Minute
)

// mayMail tells whether anybody may have a message sent to an address, and notes
// that he does: whether or not it has an account, so that nothing tells them apart.
func (s *System) mayMail(t *turn, address string) (bool, error) {
	mac := s.keys.mac(s.keys.Sealing, []byte("mailed\x00"), []byte(address))
	last, err := found(t.tx.Token(s.ctx, purposeMailed, mac[:]))
	if err != nil || last.ExpiresAt > t.at {
		return false, err
	}
	if err := t.tx.ExpireTokens(s.ctx, t.at); err != nil {
		return false, err
	}
	return true, t.tx.AddToken(s.ctx, store.Token{Hash: mac[:], Purpose: purposeMailed, ExpiresAt: t.at + mailedLife.Microseconds()})
}

// mailRead lets an address have its next message at once: somebody has read the last.
func (s *System) mailRead(t *turn, address string) error {
	mac := s.keys.mac(s.keys.Sealing, []byte("mailed\x00"), []byte(address))
	_, err := found(t.tx.TakeToken(s.ctx, purposeMailed, mac[:]))
	return err
}

// newToken makes a token: 160 random bits. The database has its hash.
func newToken() string {
	var b [20]byte
	random(b[:])
	return deviceEncoding.EncodeToString(b[:])
}

// addToken keeps a token for a player, or with what waits for it; it holds once, and for a time.
func (s *System) addToken(t *turn, purpose, player, token string, data []byte) error {
	if err := t.tx.ExpireTokens(s.ctx, t.at); err != nil {
		return err
	}
	life := resetLife
	if purpose == purposeConfirm {
		life = confirmLife
	}
	return t.tx.AddToken(s.ctx, store.Token{Hash: deviceHash(token), Purpose: purpose, Subject: player, ExpiresAt: t.at + life.Microseconds(), Data: data})
}

// sendToken puts a message with a token for a player into the outbox.
func (s *System) sendToken(t *turn, to store.Person, purpose, token string, text mailText) error {
	if err := s.addToken(t, purpose, to.Player, token, nil); err != nil {
		return err
	}
	return s.addMail(t, to, text, s.link(purpose, token))
}

// hasToken returns [ErrToken] unless a token holds, and leaves it.
func (t *turn) hasToken(ctx context.Context, purpose, token string) error {
	row, err := t.tx.Token(ctx, purpose, deviceHash(token))
	if errors.Is(err, store.ErrNotFound) || err == nil && row.ExpiresAt <= t.at {
		return ErrToken
	}
	return err
}

// takeToken returns the player of a token, which is used by that, or [ErrToken].
func (t *turn) takeToken(ctx context.Context, purpose, token string) (player string, err error) {
	row, err := t.tx.TakeToken(ctx, purpose, deviceHash(token))
	switch {
	case errors.Is(err, store.ErrNotFound), err == nil && row.ExpiresAt <= t.at:
		return "", ErrToken
	case err != nil:
		return "", err
	}
	return row.Subject, nil
}
