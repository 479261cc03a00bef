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
	// ErrLocked is a sign-on after too many that failed: it is tried again later.
	ErrLocked = errors.New("too many failed sign-ons: locked for a while")
	// ErrCode is a code of an authenticator that is not right, or was used before.
	ErrCode = errors.New("code not right")
)

const (
	failuresMax = 10               // sign-ons that fail before an address is locked
	lockLife    = 15 * time.Minute // of a lock
	strayLife   = 24 * time.Hour   // how long failures of an address without an account are counted
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
	tries := s.triesOf(address, row)
	if err := tries.read(s.ctx, t); err != nil {
		return player, nil, err
	}
	if tries.locked(t.at) {
		return player, ErrLocked, nil
	}
	p := t.m.players.byID[row.Player]
	switch {
	case !right || p == nil || !p.EmailConfirmed || row.Password != hash:
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
	case row.Failures == 0:
		return p.Player, nil, nil
	}
	row.Failures, row.LockedUntil = 0, 0
	return p.Player, nil, t.tx.SetPerson(s.ctx, row)
}

// tries counts the sign-ons at an address that failed: those of a person with
// him, those of any other address in a token, so that both are locked alike.
type tries struct {
	row   store.Person // no Player: of an address that nobody has
	stray []byte       // hash of the token
	count int
	until int64 // µs UTC: locked
}

func (s *System) triesOf(address string, row store.Person) *tries {
	mac := s.keys.mac(s.keys.Sealing, []byte("stray\x00"), []byte(address))
	return &tries{row: row, stray: mac[:], count: row.Failures, until: row.LockedUntil}
}

// purposeStray is a token that counts failures; its subject is the count.
const purposeStray = "stray"

// read reads what is counted of an address that nobody has.
func (c *tries) read(ctx context.Context, t *turn) error {
	if c.row.Player != "" {
		return nil
	}
	token, err := found(t.tx.TakeToken(ctx, purposeStray, c.stray))
	if err != nil || token.ExpiresAt <= t.at {
		return err
	}
	if c.count, err = strconv.Atoi(token.Subject); err != nil {
		return fmt.Errorf("failures of an address: %w", err)
	}
	if c.count >= failuresMax {
		c.until = token.ExpiresAt
	}
	return t.tx.AddToken(ctx, token)
}

// locked tells whether the address is locked at a time.
func (c *tries) locked(at int64) bool { return at < c.until }

// fail counts one more, and locks the address when it is one too many.
func (c *tries) fail(ctx context.Context, t *turn) error {
	c.count++
	life := strayLife
	if c.count >= failuresMax {
		life, c.until = lockLife, t.at+lockLife.Microseconds()
	}
	if c.row.Player != "" {
		c.row.Failures, c.row.LockedUntil = c.count%failuresMax, c.until
		return t.tx.SetPerson(ctx, c.row)
	}
	if err := t.tx.ExpireTokens(ctx, t.at); err != nil {
		return err
	}
	if _, err := found(t.tx.TakeToken(ctx, purposeStray, c.stray)); err != nil {
		return err
	}
	return t.tx.AddToken(ctx, store.Token{Hash: c.stray, Purpose: purposeStray, Subject: strconv.Itoa(c.count), ExpiresAt: t.at + life.Microseconds()})
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
		tries := s.triesOf(row.Email, row)
		if tries.locked(t.at) {
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
