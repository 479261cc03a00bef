package central

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"
	"slices"

	"tirage/game"
	"tirage/instant"
	"tirage/journal"
	"tirage/money"
	"tirage/rng"
	"tirage/store"
)

// ErrSecrets is a number of secrets that cannot be committed at a time.
var ErrSecrets = errors.New("1 to 100 secrets can be committed at a time")

// SecretsMax is how many secrets an officer commits at a time.
const SecretsMax = 100

// CommitSecrets commits secrets of an officer for the next pools of a game and
// price that lack one of his: two officers' make a pool.
type CommitSecrets struct {
	Key     string
	Officer string
	Game    game.Code
	Price   money.Amount
	Count   int
	// Entropy is what the officer adds of his own, such as dice: mixed with the
	// node's randomness. It goes into no record.
	Entropy string
}

// CommitSecrets commits secrets; they are sealed at rest under the system's
// key. It returns the number of the first pool that they are for. Refusals:
// [ErrSecrets], [ErrUnknownGame], [instant.ErrPrice], [ErrNotAllowed], [ErrIssued], [ErrKey], [ErrKeyReused].
func (s *System) CommitSecrets(ctx context.Context, c CommitSecrets) (first int, err error) {
	if c.Count < 1 || c.Count > SecretsMax {
		return 0, fmt.Errorf("%w: not %d", ErrSecrets, c.Count)
	}
	hashes, sealed := make([][32]byte, c.Count), make([]store.SealedSecret, c.Count)
	for i := range hashes {
		var key [32]byte
		random(key[:])
		secret := instant.Secret(s.keys.mac(key, []byte(c.Entropy)))
		hashes[i] = secret.Hash()
		sealed[i] = store.SealedSecret{Hash: hashes[i][:], Sealed: s.keys.sealSecret(secret)}
	}
	mark := s.keys.mac(s.keys.Sealing, []byte("entropy"), []byte(c.Entropy))
	sum := content("secrets", []any{c.Game, c.Price, c.Count, mark[:]})
	record, _, err := s.officerCommand(ctx, c.Officer, c.Key, sum, func(t *turn, command journal.Command, by journal.Party) (uint64, error) {
		body, err := t.secretsBody(c, by, hashes)
		if err != nil {
			return 0, err
		}
		for _, secret := range sealed {
			if err := t.tx.AddSealedSecret(s.ctx, secret); err != nil {
				return 0, err
			}
		}
		body.Command = command
		return t.append(body)
	})
	if err != nil {
		return 0, err
	}
	rec, err := s.record(ctx, record)
	if err != nil {
		return 0, err
	}
	b, ok := rec.Body.(*journal.Secrets)
	assert(ok, "the record of secrets is one")
	return int(b.First), nil
}

// secretsBody is the record of secrets of an officer.
func (t *turn) secretsBody(c CommitSecrets, by journal.Party, hashes [][32]byte) (*journal.Secrets, error) {
	g, err := t.m.instants.game(c.Game)
	if err != nil {
		return nil, err
	}
	if _, err := g.rulesNow(utc(t.at)).Table(c.Price); err != nil {
		return nil, err
	}
	o := g.offers[c.Price]
	b := &journal.Secrets{By: by, Game: string(c.Game), Price: c.Price, First: o.firstFor(by), Hashes: hashes}
	completed := o.completedBy(b)
	if completed > 0 {
		b.Round = t.m.instants.rounds + 1
	}
	if t.m.instants.rounds+completed > rng.BeaconRounds {
		return nil, fmt.Errorf("%w: the beacon of this lottery has only %d rounds left", ErrSecrets, rng.BeaconRounds-t.m.instants.rounds)
	}
	return b, nil
}

// firstFor is the number of the first pool that the next secret of an officer
// is for. All slots from there on lack one of his: those that are not complete
// are all of one officer, since whoever comes second completes them in order.
func (o *offer) firstFor(by journal.Party) uint64 {
	i := slices.IndexFunc(o.slots, func(s slot) bool { return !s.complete() && !slices.Contains(s.officers, by) })
	if i < 0 {
		i = len(o.slots)
	}
	return o.next + uint64(i)
}

// completedBy is how many slots secrets complete.
func (o *offer) completedBy(b *journal.Secrets) (n uint64) {
	for i := range b.Hashes {
		if at := int(b.First-o.next) + i; at < len(o.slots) {
			n++
		}
	}
	return n
}

// sealSecret seals a secret of a pool: AES-256-GCM under a key derived from that
// of sealing, bound to the secret's hash; a random nonce of 12 bytes comes first.
func (k Keys) sealSecret(secret instant.Secret) []byte {
	aead := k.secretSeal()
	nonce := make([]byte, aead.NonceSize(), aead.NonceSize()+len(secret)+aead.Overhead())
	random(nonce)
	hash := secret.Hash()
	return aead.Seal(nonce, nonce, secret[:], hash[:])
}

// openSecret opens a sealed secret, or returns [ErrKeys].
func (k Keys) openSecret(hash [32]byte, sealed []byte) (secret instant.Secret, err error) {
	aead := k.secretSeal()
	if len(sealed) < aead.NonceSize() {
		return secret, fmt.Errorf("%w: secret %x is cut short", ErrKeys, hash[:4])
	}
	plain, err := aead.Open(nil, sealed[:aead.NonceSize()], sealed[aead.NonceSize():], hash[:])
	if err != nil || len(plain) != len(secret) || instant.Secret(plain).Hash() != hash {
		return secret, fmt.Errorf("%w: secret %x does not open", ErrKeys, hash[:4])
	}
	return instant.Secret(plain), nil
}

func (k Keys) secretSeal() cipher.AEAD {
	key := k.mac(k.Sealing, []byte("pool secrets"))
	block, err := aes.NewCipher(key[:])
	assert(err == nil, "AES-256 takes 32 bytes")
	aead, err := cipher.NewGCM(block)
	assert(err == nil, "AES has blocks of 16 bytes")
	return aead
}

// secretReader is sealed secrets, as a turn or a snapshot sees them.
type secretReader interface {
	SealedSecrets(ctx context.Context, hashes [][]byte) ([]store.SealedSecret, error)
}

// secrets are the two secrets of a pool, unsealed.
func (k Keys) secrets(ctx context.Context, tx secretReader, hashes [2][32]byte) (secrets [2]instant.Secret, err error) {
	sealed, err := tx.SealedSecrets(ctx, [][]byte{hashes[0][:], hashes[1][:]})
	if err != nil {
		return secrets, err
	}
	for i, hash := range hashes {
		n := slices.IndexFunc(sealed, func(s store.SealedSecret) bool { return bytes.Equal(s.Hash, hash[:]) })
		if n < 0 {
			return secrets, fmt.Errorf("%w: secret %x is not there", ErrKeys, hash[:4])
		}
		if secrets[i], err = k.openSecret(hash, sealed[n].Sealed); err != nil {
			return secrets, err
		}
	}
	return secrets, nil
}
