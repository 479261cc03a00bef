package rng

import (
	"crypto/sha256"
	"errors"
	"fmt"
)

// ErrBeacon is a round that a beacon does not have, or a value that is not that of its round.
var ErrBeacon = errors.New("not a round of the beacon")

// BeaconRounds is how many rounds a [Beacon] has.
const BeaconRounds = 1 << 16

// beaconStep is how far apart the points are that a beacon keeps.
const beaconStep = 1 << 8

// Beacon gives values that were fixed before anybody needed them, one a round:
// a hash chain x₀, x₁ = SHA-256(x₀) … whose end, x of [BeaconRounds], is
// committed ahead. Round r, from 1, has the value r steps before the end, so
// that every value can be checked by hashing ([VerifyBeacon]) and none can be
// told from those of the rounds before it.
//
// Who knows its start knows all of its rounds: it is a local beacon, for a
// machine without network, and not independent of who runs it.
type Beacon struct {
	points [BeaconRounds / beaconStep][32]byte // x₀ and each beaconStep after it
	end    [32]byte
}

// NewBeacon computes the chain from its start, x₀.
func NewBeacon(start [32]byte) *Beacon {
	b := &Beacon{}
	x := start
	for i := range b.points {
		b.points[i] = x
		x = hashTimes(x, beaconStep)
	}
	b.end = x
	return b
}

// End is what commits to all values.
func (b *Beacon) End() [32]byte { return b.end }

// Value returns the value of a round, or [ErrBeacon] for round 0 and those
// after [BeaconRounds].
func (b *Beacon) Value(round uint64) ([32]byte, error) {
	if round == 0 || round > BeaconRounds {
		return [32]byte{}, fmt.Errorf("%w: round %d of %d", ErrBeacon, round, BeaconRounds)
	}
	at := BeaconRounds - round
	return hashTimes(b.points[at/beaconStep], at%beaconStep), nil
}

// VerifyBeacon checks the value of a round against the end of its chain, or returns [ErrBeacon].
func VerifyBeacon(end [32]byte, round uint64, value [32]byte) error {
	if round == 0 || round > BeaconRounds || hashTimes(value, round) != end {
		return fmt.Errorf("%w: round %d, value %x", ErrBeacon, round, value)
	}
	return nil
}

// hashTimes is SHA-256, so many times over.
func hashTimes(x [32]byte, times uint64) [32]byte {
	for range times {
		x = sha256.Sum256(x[:])
	}
	return x
}
