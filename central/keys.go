package central

import (
	"bytes"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"filippo.io/age"

	"tirage/journal"
	"tirage/rng"
)

// Keys are the secrets of a lottery. They live in a key file outside the
// database, the same on all nodes: who reads the database cannot forge a
// ticket, sign the log or foresee a draw.
type Keys struct {
	Origin  string   // the log's name in its checkpoints, such as "loterie.example/tirage"
	Log     [32]byte // Ed25519 seed that signs checkpoints
	Games   [32]byte // decides draws; begins the beacon of pools
	Tickets [32]byte // makes ticket secrets
	Sealing [32]byte // makes device keys; seals what is secret at rest; signs answers to plays
}

var (
	// ErrKeys is a key file that cannot be opened, or is not the one of this database.
	ErrKeys = errors.New("not the keys of this lottery")
	// ErrOrigin is a log name that checkpoints cannot carry.
	ErrOrigin = errors.New("log origin must be 1 to 128 visible ASCII characters without a plus")
)

// NewKeys makes the keys of a new lottery from the randomness of the operating system.
func NewKeys(origin string) (Keys, error) {
	if !validOrigin(origin) {
		return Keys{}, fmt.Errorf("%w: %.140q", ErrOrigin, origin)
	}
	k := Keys{Origin: origin}
	for _, key := range []*[32]byte{&k.Log, &k.Games, &k.Tickets, &k.Sealing} {
		random(key[:])
	}
	return k, nil
}

func validOrigin(origin string) bool {
	ok := func(r rune) bool { return r <= ' ' || r > '~' || r == '+' }
	return origin != "" && len(origin) <= 128 && !strings.ContainsFunc(origin, ok)
}

// keyFile is what a key file seals, as JSON.
type keyFile struct {
	Format  int    `json:"tirage_keys"`
	Origin  string `json:"origin"`
	Log     string `json:"log"`
	Games   string `json:"games"`
	Tickets string `json:"tickets"`
	Sealing string `json:"sealing"`
}

// Seal writes the keys to w, sealed with age for a recipient.
func (k Keys) Seal(w io.Writer, to age.Recipient) error {
	text := base64.StdEncoding.EncodeToString
	plain, err := json.Marshal(keyFile{1, k.Origin, text(k.Log[:]), text(k.Games[:]), text(k.Tickets[:]), text(k.Sealing[:])})
	if err != nil {
		return fmt.Errorf("seal keys: %w", err)
	}
	sealed, err := age.Encrypt(w, to)
	if err != nil {
		return fmt.Errorf("seal keys: %w", err)
	}
	if _, err := sealed.Write(plain); err != nil {
		return fmt.Errorf("seal keys: %w", err)
	}
	return sealed.Close()
}

// OpenKeys reads a key file. It returns [ErrKeys] for one that identity does not open or that is not a key file.
func OpenKeys(r io.Reader, identity age.Identity) (Keys, error) {
	plain, err := age.Decrypt(r, identity)
	if err != nil {
		return Keys{}, fmt.Errorf("%w: %w", ErrKeys, err)
	}
	b, err := io.ReadAll(io.LimitReader(plain, 4096))
	if err != nil {
		return Keys{}, fmt.Errorf("%w: %w", ErrKeys, err)
	}
	var f keyFile
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil || f.Format != 1 || !validOrigin(f.Origin) {
		return Keys{}, fmt.Errorf("%w: not a key file", ErrKeys)
	}
	k := Keys{Origin: f.Origin}
	for key, text := range map[*[32]byte]string{&k.Log: f.Log, &k.Games: f.Games, &k.Tickets: f.Tickets, &k.Sealing: f.Sealing} {
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil || len(b) != len(key) {
			return Keys{}, fmt.Errorf("%w: not a key file", ErrKeys)
		}
		copy(key[:], b)
	}
	return k, nil
}

func (k Keys) mac(key [32]byte, parts ...[]byte) [32]byte {
	h := hmac.New(sha256.New, key[:])
	for _, p := range parts {
		h.Write(p)
	}
	return [32]byte(h.Sum(nil))
}

// answers is the key that answers to plays are signed with.
func (k Keys) answers() ed25519.PrivateKey {
	seed := k.mac(k.Sealing, []byte("answers"))
	return ed25519.NewKeyFromSeed(seed[:])
}

// beacon is the local beacon of pools: it is not independent of who holds the keys.
func (k Keys) beacon() *rng.Beacon { return rng.NewBeacon(k.mac(k.Games, []byte("beacon"))) }

// records are the key records of the journal: public keys, the end of the
// beacon, and ids of the secret ones.
func (k Keys) records(beacon *rng.Beacon) []*journal.Key {
	end := beacon.End()
	rs := []*journal.Key{
		publicKey("log", ed25519.NewKeyFromSeed(k.Log[:]).Public().(ed25519.PublicKey)),
		publicKey("answers", k.answers().Public().(ed25519.PublicKey)),
		publicKey("beacon", end[:]),
	}
	for _, secret := range []struct {
		use string
		key [32]byte
	}{{"games", k.Games}, {"tickets", k.Tickets}, {"sealing", k.Sealing}} {
		id := k.mac(secret.key, []byte("key id"))
		rs = append(rs, &journal.Key{Use: secret.use, ID: id[:8]})
	}
	return rs
}

func publicKey(use string, public []byte) *journal.Key {
	id := sha256.Sum256(public)
	return &journal.Key{Use: use, ID: id[:8], Public: public}
}
