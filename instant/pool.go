package instant

import (
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
func (s Secret) Hash() [32]byte { panic("instant: to be built") }

// PoolSeed is the seed of a pool: HKDF-SHA256 over both secrets, in the order
// committed, and the value of the beacon's round, bound to game, price and number.
func PoolSeed(secrets [2]Secret, beacon [32]byte, code string, price money.Amount, number uint64) rng.Seed {
	panic("instant: to be built")
}

// Leaf opens a unit: all that its pool's root commits to about it.
type Leaf struct {
	N     uint64 // place in the pool, from 0
	Prize money.Amount
	Seed  rng.Seed // of its board
	Salt  [16]byte // without it, a prize could be guessed from the hash
}

// Bytes are what is hashed: N, then the prize in cents, 8 bytes each, big-endian, then seed and salt.
func (l Leaf) Bytes() []byte { panic("instant: to be built") }

// Pool is a pool that was built: the prize, seed and salt of each unit, and the tree over them.
type Pool struct {
	seed rng.Seed
}

// Build builds the pool of a prize table: as many units as units says, in the
// order in which they are sold. Prizes are put in the order of the table, then
// losing units, and shuffled by the seed's stream "prizes"; seeds and salts are derived from the seed.
func Build(t *PrizeTable, units int, seed rng.Seed) *Pool { panic("instant: to be built") }

// Len is the number of units.
func (p *Pool) Len() int { panic("instant: to be built") }

// Leaf opens unit n.
func (p *Pool) Leaf(n int) Leaf { panic("instant: to be built") }

// Root is the RFC 6962 root over the leaves.
func (p *Pool) Root() journal.Hash { panic("instant: to be built") }

// Proof proves unit n to be in the pool (RFC 6962 §2.1.1).
func (p *Pool) Proof(n int) []journal.Hash { panic("instant: to be built") }

// Leaves are the bytes of all leaves, in order, for [Recount]. The slice is used again.
func (p *Pool) Leaves() iter.Seq[[]byte] { panic("instant: to be built") }

// VerifyUnit checks that a leaf is that of a unit of the pool of so many units
// with a root, or returns [ErrUnit].
func VerifyUnit(root journal.Hash, units int, l Leaf, proof []journal.Hash) error {
	panic("instant: to be built")
}

// Recount reads the leaves of a pool as anybody can who is given them, and
// compares the root over them, the number of units of each prize and their
// total with the table, or returns [ErrRecount] with what differs. It shares
// nothing with [Build], by which it is not misled.
func Recount(t *PrizeTable, units int, root journal.Hash, leaves iter.Seq[[]byte]) error {
	panic("instant: to be built")
}

// Parse reads a rule book of an instant game, strictly, and checks its printed
// counts, totals and payout (INS-3.1 to 3.3), as [game.Parse] does.
func Parse(name string, text []byte) (*Rules, error) { panic("instant: to be built") }

// Table returns the prize table of a price, or [ErrPrice].
func (r *Rules) Table(price money.Amount) (*PrizeTable, error) { panic("instant: to be built") }

// Left is a pool as far as it was sold, for the guard and the counters.
type Left struct {
	Sold   int
	Counts []int // units sold that won, by prize of the table
	Paid   money.Amount
}

// Guard tells whether what was sold of a pool can be: nil, or [ErrGuard] with
// what cannot: more units with a prize than the table has, or units with it, or
// money paid, outside what happens by chance but once in oneIn pools (F12).
func Guard(t *PrizeTable, units int, l Left, oneIn uint64) error { panic("instant: to be built") }
