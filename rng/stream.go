package rng

// Seed decides everything that a [Stream] gives.
type Seed [32]byte

// Stream is a named, endless sequence of unbiased choices: an HMAC_DRBG
// (SP 800-90A, SHA-256) with the seed as entropy and the purpose as
// personalization string, so streams of one seed are independent.
// The same seed and purpose always give the same choices; docs/journal.md
// gives the exact bytes for those who replay them.
type Stream struct{}

// NewStream returns the stream of seed for a purpose such as "places".
func NewStream(seed Seed, purpose string) *Stream { panic("to be written") }

// Uint64 returns the next 8 bytes of the stream, big-endian.
func (s *Stream) Uint64() uint64 { panic("to be written") }

// Below returns a uniform integer in [0, n), by rejection (F03). n is not zero.
func (s *Stream) Below(n uint64) uint64 { panic("to be written") }

// Choose returns k distinct integers of [0, n), in the order drawn, every
// ordered choice equally likely, by a partial Fisher–Yates shuffle.
func (s *Stream) Choose(n, k int) []int { panic("to be written") }

// Shuffle permutes n things, every permutation equally likely, as sort.Slice's swap does.
func (s *Stream) Shuffle(n int, swap func(i, j int)) { panic("to be written") }
