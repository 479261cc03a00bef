package rng

import "encoding/binary"

// Seed decides everything that a [Stream] gives.
type Seed [32]byte

// blockSize is how many bytes a [Stream] asks of its generator at a time.
const blockSize = 64

// Stream is a named, endless sequence of unbiased choices. The same seed and
// purpose always give the same choices, and streams of one seed are independent.
//
// Its bytes are those of an HMAC_DRBG (SP 800-90A, SHA-256) instantiated with
// the 32 bytes of the seed as entropy, no nonce, and the purpose in UTF-8 as
// personalization string, by Generates of 64 bytes without additional input,
// one after another. [Stream.Uint64] takes the next 8 of them; every choice
// below is defined by the Uint64s that it takes, so nothing else is consumed.
type Stream struct {
	drbg  *DRBG
	block [blockSize]byte
	used  int // bytes of block that were given
}

// NewStream returns the stream of seed for a purpose such as "places".
func NewStream(seed Seed, purpose string) *Stream {
	return &Stream{drbg: Instantiate(seed[:], nil, []byte(purpose)), used: blockSize}
}

// Uint64 returns the next 8 bytes of the stream, big-endian.
func (s *Stream) Uint64() uint64 {
	if s.used == blockSize {
		s.drbg.Generate(s.block[:], nil)
		s.used = 0
	}
	s.used += 8
	return binary.BigEndian.Uint64(s.block[s.used-8:])
}

// Below returns a uniform integer in [0, n), n not being zero: x mod n of the
// first Uint64 x that is at least 2⁶⁴ mod n, so that every remainder has
// equally many x (F03). It takes one Uint64 at least, also for n = 1.
func (s *Stream) Below(n uint64) uint64 {
	assert(n > 0, "choice among nothing")
	for {
		if v, ok := reduce(s.Uint64(), n); ok {
			return v
		}
	}
}

// reduce maps the x that [Stream.Below] accepts onto [0, n): −n mod n, in 64
// bits, is 2⁶⁴ mod n.
func reduce(x, n uint64) (v uint64, ok bool) { return x % n, x >= -n%n }

// Choose returns k distinct integers of [0, n), in the order drawn, every
// ordered choice equally likely: the first k places of a list 0 … n−1 in which,
// for i from 0 to k−1, place i is exchanged with place i + Below(n−i)
// (a partial Fisher–Yates shuffle).
func (s *Stream) Choose(n, k int) []int {
	assert(0 <= k && k <= n, "more chosen than there are")
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	for i := range k {
		j := i + int(s.Below(uint64(n-i)))
		list[i], list[j] = list[j], list[i]
	}
	return list[:k:k]
}

// Shuffle permutes n things, every permutation equally likely, as
// Choose(n, n) does; swap exchanges the things at i and j.
func (s *Stream) Shuffle(n int, swap func(i, j int)) {
	for i := range n {
		swap(i, i+int(s.Below(uint64(n-i))))
	}
}
