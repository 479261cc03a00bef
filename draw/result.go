package draw

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"

	"tirage/game"
	"tirage/rng"
)

// Seed returns the seed of a draw: HMAC-SHA256 with key of the draw's id in 8
// bytes, big-endian, then its close record as in the journal. So draws never
// share a seed (F04), and a draw that is made again is the same draw.
func Seed(key []byte, id ID, closeRecord []byte) rng.Seed {
	mac := hmac.New(sha256.New, key)
	mac.Write(binary.BigEndian.AppendUint64(nil, uint64(id)))
	mac.Write(closeRecord)
	return rng.Seed(mac.Sum(nil))
}

// Derive returns what seed draws under r, a function of nothing else
// (IAT-4, F01): for each matrix, from the stream that has its key as purpose,
// as many elements as its sets have in all, the first set's first; in a matrix
// with columns one of each column, the first column's first (AMI-3.1.4).
func Derive(r *game.Rules, seed rng.Seed) game.Result {
	result := make(game.Result, len(r.Sets))
	for m := range r.Matrices {
		total := 0
		for _, s := range r.Sets {
			if s.Matrix == m {
				total += s.Count
			}
		}
		drawn := drawElements(&r.Matrices[m], total, rng.NewStream(seed, r.Matrices[m].Key).Choose)
		for i, s := range r.Sets {
			if s.Matrix == m {
				result[i], drawn = drawn[:s.Count:s.Count], drawn[s.Count:]
			}
		}
	}
	return result
}

// drawElements maps the choices of a stream ([rng.Stream.Choose]) onto count elements of a matrix.
func drawElements(m *game.Matrix, count int, choose func(n, k int) []int) []int {
	if m.Columns == 0 {
		drawn := choose(len(m.Elements), count)
		for i := range drawn {
			drawn[i]++ // elements are numbered from 1
		}
		return drawn
	}
	assert(count == m.Columns, "one element drawn of each column")
	drawn := make([]int, m.Columns)
	height := len(m.Elements) / m.Columns
	for c := range drawn {
		drawn[c] = c*height + choose(height, 1)[0] + 1
	}
	return drawn
}

// Times returns the multiplier of a draw (coefficient multiplicateur,
// AMI-8.1.2), from the stream "multiplier"; 1 in games without one.
func Times(r *game.Rules, seed rng.Seed) int {
	if len(r.Multipliers) == 0 {
		return 1
	}
	return times(r.Multipliers, rng.NewStream(seed, "multiplier").Below)
}

// times maps one choice below the chances of all values onto a value: the
// first value has the lowest choices, as many as its chances, and so on.
func times(values []game.Multiplier, below func(n uint64) uint64) int {
	chances := 0
	for _, v := range values {
		chances += v.Chances
	}
	x, i := int(below(uint64(chances))), 0
	for ; x >= values[i].Chances; i++ {
		x -= values[i].Chances
	}
	return values[i].Times
}

// RollDown returns the outcome of the extra draw of AMI-8.2.5, from the stream
// "roll-down": whether the jackpot rolls down, with 1 chance in OneIn. Whether
// that draw is held, the settlement says; in games without it the outcome is false.
func RollDown(r *game.Rules, seed rng.Seed) bool {
	if r.Jackpot == nil || r.Jackpot.OneIn == 0 {
		return false
	}
	return rollsDown(r.Jackpot.OneIn, rng.NewStream(seed, "roll-down").Below)
}

// rollsDown maps one choice below oneIn onto the outcome: the choice 0 rolls down.
func rollsDown(oneIn int, below func(n uint64) uint64) bool { return below(uint64(oneIn)) == 0 }

func assert(ok bool, what string) {
	if !ok {
		panic("draw: " + what)
	}
}
