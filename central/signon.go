package central

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base32"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"

	"tirage/party"
	"tirage/store"
)

var (
	// ErrLocked is a sign-on, of a player or an officer, after too many that failed: it is tried again later.
	ErrLocked = errors.New("too many failed sign-ons: locked for a while")
	// ErrCode is a code of an authenticator that is not right, or was used before.
	ErrCode = errors.New("code not right")
)

const (
	failuresMax = 10               // sign-ons that fail before an address, or a login, is locked
	lockLife    = 15 * time.Minute // of a lock
	triesLife   = 24 * time.Hour   // how long failures are counted, from the last
)

// SignOnPlayer returns the player of an address and password, and a code of his
// authenticator if he has one. Refusals: [ErrSignOn] (the same, after the same
// time, for an address without account, or not confirmed), [ErrCode] (the
// password is right), [ErrLocked] (after too many failures; said for any address).
func (s *System) SignOnPlayer(ctx context.Context, email, password, code string) (party.Player, error) {
	address := normalEmail(email)
	if address == "" {
		address = "?" // nobody's
	}
	row, err := s.personBefore(ctx, address)
	if err != nil {
		return party.Player{}, err
	}
	right, err := s.passwordIs(ctx, row.Password, password)
	if err != nil {
		return party.Player{}, err
	}
	var player party.Player
	var refusal error // the turn counts a failure, so it is not dropped for it
	err = s.private(ctx, func(t *turn) error {
		player, refusal, err = s.signOn(t, address, row.Password, right, code)
		return err
	})
	if err != nil {
		return party.Player{}, err
	}
	return player, refusal
}

// personBefore reads who has an address; nobody's has a password that nobody knows.
func (s *System) personBefore(ctx context.Context, address string) (row store.Person, err error) {
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		row, err = found(tx.PersonByEmail(ctx, address))
		return err
	})
	if row.Player == "" {
		row.Password = noPassword
	}
	return row, err
}

// signOn decides a sign-on whose password was right, or not, against a hash.
// Sign-ons take turns, so any number at a time get no more tries than one after the other.
func (s *System) signOn(t *turn, address, hash string, right bool, code string) (player party.Player, refusal, err error) {
	row, err := found(t.tx.PersonByEmail(s.ctx, address))
	if err != nil {
		return player, nil, err
	}
	tries, err := s.readTries(t, address)
	if err != nil {
		return player, nil, err
	}
	if tries.locked() {
		return player, ErrLocked, nil
	}
	p := t.m.players.byID[row.Player]
	switch {
	case !right || p == nil || row.Password != hash:
		return player, ErrSignOn, tries.fail(s.ctx, t)
	case hasTOTP(row) && code == "":
		return player, ErrCode, nil
	case hasTOTP(row):
		step, err := s.codeStep(row, code, utc(t.at))
		if errors.Is(err, ErrCode) {
			return player, ErrCode, tries.fail(s.ctx, t)
		}
		if err != nil {
			return player, nil, err
		}
		row.TOTPStep = step
		if err := t.tx.SetPerson(s.ctx, row); err != nil {
			return player, nil, err
		}
	}
	if tries.count == 0 {
		return p.Player, nil, nil
	}
	return p.Player, nil, tries.forget(s.ctx, t)
}

// tries counts the sign-ons at an address, or an officer's login, that failed, in a token whose subject
// is the count: whether or not it has an account, so that nobody learns it from a lock.
type tries struct {
	token store.Token
	count int
}

const purposeTries = "tries"

// readTries reads what is counted of an address at the time of the turn.
func (s *System) readTries(t *turn, address string) (*tries, error) {
	mac := s.keys.mac(s.keys.Sealing, []byte("tries\x00"), []byte(address))
	token, err := found(t.tx.Token(s.ctx, purposeTries, mac[:]))
	if err != nil || token.ExpiresAt <= t.at {
		return &tries{token: store.Token{Hash: mac[:], Purpose: purposeTries}}, err
	}
	count, err := strconv.Atoi(token.Subject)
	if err != nil {
		return nil, fmt.Errorf("failures of an address: %w", err)
	}
	return &tries{token, count}, nil
}

// locked tells whether the address is locked: until what is counted is forgotten.
func (c *tries) locked() bool { return c.count >= failuresMax }

// fail counts one more, and locks the address when it is one too many.
func (c *tries) fail(ctx context.Context, t *turn) error {
	c.count++
	life := triesLife
	if c.locked() {
		life = lockLife
	}
	if err := t.tx.ExpireTokens(ctx, t.at); err != nil {
		return err
	}
	if err := c.forget(ctx, t); err != nil {
		return err
	}
	c.token.Subject, c.token.ExpiresAt = strconv.Itoa(c.count), t.at+life.Microseconds()
	return t.tx.AddToken(ctx, c.token)
}

// forget ends the count.
func (c *tries) forget(ctx context.Context, t *turn) error {
	_, err := found(t.tx.TakeToken(ctx, purposeTries, c.token.Hash))
	return err
}

// hasTOTP tells whether a person signs on with an authenticator: one that he has confirmed.
func hasTOTP(row store.Person) bool { return len(row.TOTP) > 0 && row.TOTPStep != totpPending }

// totpPending is the step of an authenticator that is not confirmed yet.
const totpPending = -1

const (
	totpPeriod = 30 // seconds of a step (RFC 6238)
	totpSkew   = 1  // steps that a clock may be off
)

// totpOptions are those that every authenticator knows.
var totpOptions = hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1}

// codeStep is the step of a code of a person's authenticator, which is after
// the last one used, or [ErrCode].
func (s *System) codeStep(row store.Person, code string, at time.Time) (int64, error) {
	secret, err := s.keys.unseal("totp", row.Player, row.TOTP)
	if err != nil {
		return 0, err
	}
	now := at.Unix() / totpPeriod
	for step := max(now-totpSkew, row.TOTPStep+1); step <= now+totpSkew; step++ {
		if ok, err := hotp.ValidateCustom(code, uint64(step), string(secret), totpOptions); err == nil && ok {
			return step, nil
		}
	}
	return 0, ErrCode
}

// EnableTOTP makes a secret for a player's authenticator, which holds once
// [System.ConfirmTOTP] has seen a code of it. The address is what the
// authenticator reads from a QR code. Refusals: [ErrCode] when one holds already
// ([System.DisableTOTP] first), [party.ErrUnknownPlayer].
func (s *System) EnableTOTP(ctx context.Context, player string) (secret, address string, err error) {
	var b [20]byte
	random(b[:])
	secret = base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b[:])
	sealed := s.keys.seal("totp", player, []byte(secret))
	var email string
	err = s.private(ctx, func(t *turn) error {
		row, err := personOf(s.ctx, t, player)
		switch {
		case err != nil:
			return err
		case hasTOTP(row):
			return ErrCode
		}
		row.TOTP, row.TOTPStep = sealed, totpPending
		email = row.Email
		return t.tx.SetPerson(s.ctx, row)
	})
	if err != nil {
		return "", "", err
	}
	u := url.URL{Scheme: "otpauth", Host: "totp", Path: "/Tirage:" + email, RawQuery: url.Values{"secret": {secret}, "issuer": {"Tirage"}}.Encode()}
	return secret, u.String(), nil
}

// ConfirmTOTP puts a player's authenticator in force, by a code of it. Refusals: [ErrCode], [ErrLocked], [party.ErrUnknownPlayer].
func (s *System) ConfirmTOTP(ctx context.Context, player, code string) error {
	return s.withCode(ctx, player, code, func(row *store.Person) bool { return len(row.TOTP) > 0 && !hasTOTP(*row) }, func(*store.Person) {})
}

// DisableTOTP takes a player's authenticator out of force, by a code of it. Refusals: [ErrCode], [ErrLocked], [party.ErrUnknownPlayer].
func (s *System) DisableTOTP(ctx context.Context, player, code string) error {
	return s.withCode(ctx, player, code, func(row *store.Person) bool { return hasTOTP(*row) }, func(row *store.Person) { row.TOTP, row.TOTPStep = nil, 0 })
}

// withCode changes a person whose authenticator shows a code; failures count as those of sign-ons.
func (s *System) withCode(ctx context.Context, player, code string, may func(*store.Person) bool, change func(*store.Person)) error {
	var refusal error
	err := s.private(ctx, func(t *turn) error {
		refusal = nil
		row, err := personOf(s.ctx, t, player)
		if err != nil {
			return err
		}
		if !may(&row) {
			return ErrCode
		}
		tries, err := s.readTries(t, row.Email)
		if err != nil {
			return err
		}
		if tries.locked() {
			return ErrLocked
		}
		step, err := s.codeStep(row, code, utc(t.at))
		if errors.Is(err, ErrCode) {
			refusal = ErrCode
			return tries.fail(s.ctx, t)
		}
		if err != nil {
			return err
		}
		row.TOTPStep = step
		change(&row)
		return t.tx.SetPerson(s.ctx, row)
	})
	if err != nil {
		return err
	}
	return refusal
}

// personOf reads who a player is, or returns [party.ErrUnknownPlayer].
func personOf(ctx context.Context, t *turn, player string) (store.Person, error) {
	row, err := t.tx.Person(ctx, player)
	if errors.Is(err, store.ErrNotFound) {
		return row, fmt.Errorf("%w: %.20q", party.ErrUnknownPlayer, player)
	}
	return row, err
}

// seal seals what is secret at rest, for a purpose and whose it is: AES-256-GCM
// under a key derived from that of the system.
func (k Keys) seal(purpose, whose string, plain []byte) []byte {
	aead := k.aead(purpose)
	nonce := make([]byte, aead.NonceSize())
	random(nonce)
	return aead.Seal(nonce, nonce, plain, []byte(whose))
}

// unseal opens what seal has sealed, or returns [ErrKeys].
func (k Keys) unseal(purpose, whose string, sealed []byte) ([]byte, error) {
	aead := k.aead(purpose)
	if len(sealed) < aead.NonceSize() {
		return nil, fmt.Errorf("%w: nothing sealed", ErrKeys)
	}
	plain, err := aead.Open(nil, sealed[:aead.NonceSize()], sealed[aead.NonceSize():], []byte(whose))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrKeys, err)
	}
	return plain, nil
}

func (k Keys) aead(purpose string) cipher.AEAD {
	key := k.mac(k.Sealing, []byte("seal\x00"), []byte(purpose))
	block, err := aes.NewCipher(key[:])
	assert(err == nil, "a key of AES has 32 bytes")
	aead, err := cipher.NewGCM(block)
	assert(err == nil, "GCM of AES")
	return aead
}
