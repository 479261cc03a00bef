package wager

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"tirage/draw"
	"tirage/game"
	"tirage/money"
)

// ErrCapped is a combination that has no room left (combinaison plafonnée,
// IAT-3); the error is a [CappedError].
var ErrCapped = errors.New("combination is capped")

// CappedError is a refusal by [ErrCapped].
type CappedError struct {
	Full  []draw.Draw  // draws without room for the stake that was asked
	Stake money.Amount // largest allowed stake still possible over all the draws asked; 0: none
}

// Error names the draws that are full and the stake still possible.
func (e *CappedError) Error() string {
	numbers := make([]int, len(e.Full))
	for i, d := range e.Full {
		numbers[i] = d.Number
	}
	return fmt.Sprintf("%v: draws %v, stake still possible %s", ErrCapped, numbers, e.Stake)
}

// Is makes the error an [ErrCapped].
func (e *CappedError) Is(target error) bool { return target == ErrCapped }

// weight returns what a part of so many unit stakes counts towards the cap, by the reading cap_counts.
func weight(r *game.Rules, units int64) int {
	if r.Cap.Counts == game.CountWagers {
		return 1
	}
	return int(units)
}

// CheckCap returns the indexes of the draws in which a combination of so many
// unit stakes has room, given how much of it is sold in each (IAT-3). By the
// reading cap_refusal these are all of the draws, or else those that have
// room, one at least; otherwise it returns a [CappedError].
func CheckCap(r *game.Rules, draws []draw.Draw, exposure []int, units int64) (taken []int, err error) {
	assert(len(draws) == len(exposure), "an exposure for each draw")
	var full []draw.Draw
	for i, d := range draws {
		if fits(r, exposure[i], units) {
			taken = append(taken, i)
		} else {
			full = append(full, d)
		}
	}
	if len(full) == 0 || len(taken) > 0 && r.Cap.Refusal == game.RefusePartial {
		return taken, nil
	}
	return nil, &CappedError{Full: full, Stake: largestStake(r, slices.Max(exposure))}
}

func fits(r *game.Rules, exposure int, units int64) bool {
	return r.Cap.Max == 0 || exposure+weight(r, units) <= r.Cap.Max
}

func largestStake(r *game.Rules, exposure int) money.Amount {
	for _, stake := range slices.Backward(r.Stakes) {
		if fits(r, exposure, int64(stake/r.UnitStake)) {
			return stake
		}
	}
	return 0
}

const (
	denseCapMax  = 255
	denseSizeMax = 1 << 24
	denseShare   = 32 // a map of one combination in so many takes as much as a byte for each
)

// Exposure counts, for one draw, what is sold of each combination towards the
// cap. It is a map, so that a ticket of many draws costs no more than it sells,
// and a byte a combination once the map would take more, when the cap and the
// game are small enough. The nil Exposure is that of a game without a cap: it
// counts nothing. It is not for several goroutines at once.
type Exposure struct {
	rules *game.Rules
	dense []uint8
	some  map[game.Combination]int
}

// NewExposure returns the exposure of a draw in which nothing is sold, nil without a cap.
func NewExposure(r *game.Rules) *Exposure {
	if r.Cap.Max == 0 {
		return nil
	}
	return &Exposure{rules: r}
}

// Weight returns what a part of so many unit stakes counts: these, or 1 when wagers are counted.
func (e *Exposure) Weight(units int64) int {
	if e == nil {
		return 0
	}
	return weight(e.rules, units)
}

// At returns how much of the combination is sold, in the unit of [Exposure.Weight].
func (e *Exposure) At(c game.Combination) int {
	switch {
	case e == nil:
		return 0
	case e.dense != nil:
		return int(e.dense[c])
	}
	return e.some[c]
}

// Add adds n, in the unit of [Exposure.Weight], to what is sold of the combination; a
// cancellation adds less than nothing. Leaving 0 … cap is a broken invariant.
func (e *Exposure) Add(c game.Combination, n int) {
	if e == nil {
		return
	}
	sum := e.At(c) + n
	assert(0 <= sum && sum <= e.rules.Cap.Max, "exposure below zero or above the cap")
	if e.dense == nil && e.denser() {
		e.dense = make([]uint8, e.rules.Size())
		for c, n := range e.some {
			e.dense[c] = uint8(n)
		}
		e.some = nil
	}
	switch {
	case e.dense != nil:
		e.dense[c] = uint8(sum)
	case sum == 0:
		delete(e.some, c)
	default:
		if e.some == nil {
			e.some = map[game.Combination]int{}
		}
		e.some[c] = sum
	}
}

// denser tells that a byte a combination takes less than the map.
func (e *Exposure) denser() bool {
	r := e.rules
	return r.Cap.Max <= denseCapMax && r.Size() <= denseSizeMax && int64(len(e.some))*denseShare >= r.Size()
}

// Equal tells whether two exposures count the same.
func (e *Exposure) Equal(other *Exposure) bool {
	if e == nil || other == nil {
		return e == other
	}
	a, b := maps.Collect(e.all()), maps.Collect(other.all())
	return maps.Equal(a, b)
}

// all lists the combinations that have been sold.
func (e *Exposure) all() iter.Seq2[game.Combination, int] {
	return func(yield func(game.Combination, int) bool) {
		for c, n := range e.dense {
			if n > 0 && !yield(game.Combination(c), int(n)) {
				return
			}
		}
		for c, n := range e.some {
			if !yield(c, n) {
				return
			}
		}
	}
}
