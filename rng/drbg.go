// Package rng turns seeds into choices that anyone can make again: an
// HMAC_DRBG (SP 800-90A) and, on it, named streams of unbiased integers.
// Nothing here reads entropy: seeds are arguments, and [Stream] is where they
// become numbers. docs/rng.md gives the bytes for those who replay a draw.
package rng

import (
	"crypto/sha256"
	"hash"
)

// Limits of SP 800-90A, table 2.
const (
	requestMax  = 1 << 16 // bytes of one Generate (2^19 bits)
	requestsMax = 1 << 48 // Generates between two reseeds
)

// DRBG is the HMAC_DRBG of SP 800-90A Rev. 1, section 10.1.2, with SHA-256.
//
// It computes HMAC (RFC 2104) itself, on one hash and one pad that it keeps:
// a quick pick makes a generator for a dozen numbers, and crypto/hmac would
// allocate for each of the keys in between.
type DRBG struct {
	key, value [sha256.Size]byte
	requests   uint64 // Generates since the last seeding, plus one: the standard's reseed_counter

	hash  hash.Hash
	pad   [sha256.BlockSize]byte // of key, inner or outer
	inner [sha256.Size]byte
}

// Instantiate returns a generator seeded with entropy ‖ nonce ‖ personalization
// (section 10.1.2.3). The same three always give the same generator.
func Instantiate(entropy, nonce, personalization []byte) *DRBG {
	d := &DRBG{requests: 1, hash: sha256.New()}
	for i := range d.value {
		d.value[i] = 1
	}
	d.update(entropy, nonce, personalization)
	return d
}

// Reseed mixes entropy ‖ additional into the state (section 10.1.2.4).
func (d *DRBG) Reseed(entropy, additional []byte) {
	d.update(entropy, additional)
	d.requests = 1
}

// Generate fills out, of at most 65,536 bytes, after mixing in additional when
// there is any (section 10.1.2.5). Asking for more bytes, or more often than
// the standard lets a seed be used, is a broken invariant.
func (d *DRBG) Generate(out, additional []byte) {
	assert(len(out) <= requestMax, "request too large")
	assert(d.requests <= requestsMax, "reseed required")
	if len(additional) > 0 {
		d.update(additional)
	}
	for len(out) > 0 {
		d.mac(&d.value, nil, nil)
		out = out[copy(out, d.value[:]):]
	}
	d.update(additional)
	d.requests++
}

// The bytes between value and data in the first and the second half of an update.
var (
	zero = []byte{0}
	one  = []byte{1}
)

// update is HMAC_DRBG_Update (section 10.1.2.2) with the data of parts, one after another.
func (d *DRBG) update(parts ...[]byte) {
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	d.mac(&d.key, zero, parts)
	d.mac(&d.value, nil, nil)
	if size > 0 {
		d.mac(&d.key, one, parts)
		d.mac(&d.value, nil, nil)
	}
}

// mac sets dst, the key or the value, to the HMAC of value ‖ mark ‖ parts under the key.
func (d *DRBG) mac(dst *[sha256.Size]byte, mark []byte, parts [][]byte) {
	d.start(0x36)
	d.hash.Write(d.value[:])
	d.hash.Write(mark)
	for _, p := range parts {
		d.hash.Write(p)
	}
	d.hash.Sum(d.inner[:0])
	d.start(0x5c)
	d.hash.Write(d.inner[:])
	d.hash.Sum(dst[:0])
}

// start begins a hash with the key, padded with zeros, each byte combined with mask.
func (d *DRBG) start(mask byte) {
	for i := range d.pad {
		d.pad[i] = mask
	}
	for i, k := range d.key {
		d.pad[i] ^= k
	}
	d.hash.Reset()
	d.hash.Write(d.pad[:])
}

func assert(ok bool, what string) {
	if !ok {
		panic("rng: " + what)
	}
}
