package instant

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"iter"

	"tirage/journal"
	"tirage/money"
	"tirage/rng"
)

// PoolID counts all pools of a lottery, from 1.
type PoolID int64

// Secret is what an officer gives to the seed of a pool.
type Secret [32]byte

// Hash commits to a secret: SHA-256("tirage pool secret" ‖ 0 ‖ secret).
func (s Secret) Hash() [32]byte {
	return sha256.Sum256(append([]byte("tirage pool secret\x00"), s[:]...))
}

// PoolSeed is the seed of a pool: HKDF-SHA256 over both secrets, in the order
// committed, and the value of the beacon's round, bound to game, price and number.
func PoolSeed(secrets [2]Secret, beacon [32]byte, code string, price money.Amount, number uint64) rng.Seed {
	key := make([]byte, 0, len(secrets[0])+len(secrets[1])+len(beacon))
	key = append(append(append(key, secrets[0][:]...), secrets[1][:]...), beacon[:]...)
	info := append([]byte("tirage pool seed\x00"+code), 0)
	info = binary.BigEndian.AppendUint64(info, uint64(price))
	info = binary.BigEndian.AppendUint64(info, number)
	seed, err := hkdf.Key(sha256.New, key, nil, string(info), len(rng.Seed{}))
	assert(err == nil, "no seed")
	return rng.Seed(seed)
}

// Leaf opens a unit: all that its pool's root commits to about it.
type Leaf struct {
	N     uint64 // place in the pool, from 0
	Prize money.Amount
	Seed  rng.Seed // of its board
	Salt  [16]byte // without it, a prize could be guessed from the hash
}

// leafSize is the length of [Leaf.Bytes].
const leafSize = 8 + 8 + 32 + 16

// Bytes are what is hashed: N, then the prize in cents, 8 bytes each, big-endian, then seed and salt.
func (l Leaf) Bytes() []byte { return l.append(make([]byte, 0, leafSize)) }

func (l Leaf) append(b []byte) []byte {
	b = binary.BigEndian.AppendUint64(b, l.N)
	b = binary.BigEndian.AppendUint64(b, uint64(l.Prize))
	b = append(b, l.Seed[:]...)
	return append(b, l.Salt[:]...)
}

// Pool is a pool that was built: the prize, seed and salt of each unit, and the
// tree over them. It never changes, so goroutines may share it.
type Pool struct {
	seed    rng.Seed
	amounts []money.Amount // of the table, then 0
	prizes  []uint8        // by unit: its place in amounts
	// levels are the nodes of the tree from two leaves a node up to the root. A
	// node without a sibling stands in the next level too, as RFC 6962 has it.
	// Hashes of leaves, half of all, are derived again when one is asked for.
	levels [][]journal.Hash
}

// Build builds the pool of a prize table: as many units as units says, in the
// order in which they are sold. Prizes are put in the order of the table, then
// losing units, and shuffled by the seed's stream "prizes"; seeds and salts are derived from the seed.
func Build(t *PrizeTable, units int, seed rng.Seed) *Pool {
	p := shuffled(t, units, seed)
	p.grow()
	return p
}

// shuffled is a pool without its tree.
func shuffled(t *PrizeTable, units int, seed rng.Seed) *Pool {
	assert(units > 0 && t.Winners() <= units && len(t.Prizes) <= prizesMax, "prizes do not fit the pool")
	p := &Pool{seed: seed, prizes: make([]uint8, 0, units)}
	for i, prize := range t.Prizes {
		p.amounts = append(p.amounts, prize.Amount)
		for range prize.Units {
			p.prizes = append(p.prizes, uint8(i))
		}
	}
	p.amounts = append(p.amounts, 0)
	for len(p.prizes) < units {
		p.prizes = append(p.prizes, uint8(len(t.Prizes)))
	}
	rng.NewStream(seed, "prizes").Shuffle(units, func(i, j int) {
		p.prizes[i], p.prizes[j] = p.prizes[j], p.prizes[i]
	})
	return p
}

// grow makes the tree.
func (p *Pool) grow() {
	o := newOpener(p)
	level := make([]journal.Hash, 0, (p.Len()+1)/2)
	for n := 0; n < p.Len(); n += 2 {
		node := o.hash(n)
		if n+1 < p.Len() {
			node = journal.NodeHash(node, o.hash(n+1))
		}
		level = append(level, node)
	}
	p.levels = append(p.levels, level)
	for len(level) > 1 {
		next := make([]journal.Hash, 0, (len(level)+1)/2)
		for i := 0; i+1 < len(level); i += 2 {
			next = append(next, journal.NodeHash(level[i], level[i+1]))
		}
		if len(level)%2 == 1 {
			next = append(next, level[len(level)-1])
		}
		p.levels = append(p.levels, next)
		level = next
	}
}

// Len is the number of units.
func (p *Pool) Len() int { return len(p.prizes) }

// Leaf opens unit n.
func (p *Pool) Leaf(n int) Leaf { return newOpener(p).leaf(n) }

// Root is the RFC 6962 root over the leaves.
func (p *Pool) Root() journal.Hash { return p.levels[len(p.levels)-1][0] }

// Proof proves unit n to be in the pool (RFC 6962 §2.1.1).
func (p *Pool) Proof(n int) []journal.Hash {
	assert(n >= 0 && n < p.Len(), "no such unit")
	proof := make([]journal.Hash, 0, len(p.levels))
	if sibling := n ^ 1; sibling < p.Len() {
		proof = append(proof, newOpener(p).hash(sibling))
	}
	for i, level := n/2, 0; level < len(p.levels)-1; i, level = i/2, level+1 {
		if sibling := i ^ 1; sibling < len(p.levels[level]) {
			proof = append(proof, p.levels[level][sibling])
		}
	}
	return proof
}

// Leaves are the bytes of all leaves, in order, for [Recount]. The slice is used again.
func (p *Pool) Leaves() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		o := newOpener(p)
		for n := range p.Len() {
			if !yield(o.bytes(n)) {
				return
			}
		}
	}
}

// opener derives leaves of a pool, with one hash and buffers that it keeps.
type opener struct {
	pool    *Pool
	mac     hash.Hash
	message [16]byte
	sum     [sha256.Size]byte
	buffer  [leafSize]byte
}

func newOpener(p *Pool) *opener { return &opener{pool: p, mac: hmac.New(sha256.New, p.seed[:])} }

// leaf opens unit n: its board seed is HMAC-SHA256(pool seed, "board" ‖ n), its
// salt the first half of HMAC-SHA256(pool seed, "salt" ‖ n).
func (o *opener) leaf(n int) Leaf {
	l := Leaf{N: uint64(n), Prize: o.pool.amounts[o.pool.prizes[n]]}
	copy(l.Seed[:], o.derive("board", l.N))
	copy(l.Salt[:], o.derive("salt", l.N))
	return l
}

func (o *opener) derive(purpose string, n uint64) []byte {
	o.mac.Reset()
	o.mac.Write(binary.BigEndian.AppendUint64(append(o.message[:0], purpose...), n))
	return o.mac.Sum(o.sum[:0])
}

func (o *opener) bytes(n int) []byte      { return o.leaf(n).append(o.buffer[:0]) }
func (o *opener) hash(n int) journal.Hash { return journal.LeafHash(o.bytes(n)) }

// VerifyUnit checks that a leaf is that of a unit of the pool of so many units
// with a root, or returns [ErrUnit].
func VerifyUnit(root journal.Hash, units int, l Leaf, proof []journal.Hash) error {
	if err := journal.VerifyInclusion(l.N, uint64(max(0, units)), journal.LeafHash(l.Bytes()), proof, root); err != nil {
		return fmt.Errorf("%w: unit %d of %d: %w", ErrUnit, l.N, units, err)
	}
	return nil
}
