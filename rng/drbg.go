// Package rng turns seeds into choices that anyone can make again: an
// HMAC_DRBG (SP 800-90A) and, on it, named streams of unbiased integers.
// Nothing here reads entropy: seeds are arguments, and [Stream] is where they
// become numbers. docs/rng.md gives the bytes for those who replay a draw.
package rng

import (
	"crypto/hmac"
	"crypto/sha256"
)

// Limits of SP 800-90A, table 2.
const (
	requestMax  = 1 << 16 // bytes of one Generate (2^19 bits)
	requestsMax = 1 << 48 // Generates between two reseeds
)

// DRBG is the HMAC_DRBG of SP 800-90A Rev. 1, section 10.1.2, with SHA-256.
type DRBG struct {
	key, value [sha256.Size]byte
	requests   uint64 // Generates since the last seeding, plus one: the standard's reseed_counter
}

// Instantiate returns a generator seeded with entropy ‖ nonce ‖ personalization
// (section 10.1.2.3). The same three always give the same generator.
func Instantiate(entropy, nonce, personalization []byte) *DRBG {
	d := &DRBG{requests: 1}
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
	mac := hmac.New(sha256.New, d.key[:])
	for len(out) > 0 {
		mac.Reset()
		mac.Write(d.value[:])
		mac.Sum(d.value[:0])
		out = out[copy(out, d.value[:]):]
	}
	d.update(additional)
	d.requests++
}

// update is HMAC_DRBG_Update (section 10.1.2.2) of the parts one after another.
func (d *DRBG) update(parts ...[]byte) {
	empty := true
	for _, p := range parts {
		empty = empty && len(p) == 0
	}
	d.mix(0, parts)
	if !empty {
		d.mix(1, parts)
	}
}

func (d *DRBG) mix(round byte, parts [][]byte) {
	mac := hmac.New(sha256.New, d.key[:])
	mac.Write(d.value[:])
	mac.Write([]byte{round})
	for _, p := range parts {
		mac.Write(p)
	}
	mac.Sum(d.key[:0])
	mac = hmac.New(sha256.New, d.key[:])
	mac.Write(d.value[:])
	mac.Sum(d.value[:0])
}

func assert(ok bool, what string) {
	if !ok {
		panic("rng: " + what)
	}
}
