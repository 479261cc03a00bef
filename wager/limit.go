package wager

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"tirage/game"
	"tirage/money"
)

// ErrLimit is a wager that costs more than a play may (AMI-5.2); the error is a [LimitError].
var ErrLimit = errors.New("play costs more than the limit")

// LimitError is a refusal by [ErrLimit], with what still fits: for each of
// stake, draws and combinations the largest that the game allows under the
// limit while the two others stay, 0 where there is none.
type LimitError struct {
	Price, Limit money.Amount // Price is what the readings compare with Limit
	Stake        money.Amount
	Draws        int
	// Combinations are those of the boards that Price counts, as many boards as there are.
	Combinations int64
}

// Error says what the play costs and what still fits.
func (e *LimitError) Error() string {
	return fmt.Sprintf("%v: %s, limit %s, still possible: stake %s, or %d draws, or %d combinations",
		ErrLimit, e.Price, e.Limit, e.Stake, e.Draws, e.Combinations)
}

// Is makes the error an [ErrLimit].
func (e *LimitError) Is(target error) bool { return target == ErrLimit }

// CheckLimit returns nil if the wager over so many draws stays under the limit
// of its game, else a [LimitError] (AMI-5.2). [New] checks it over the draws
// asked for; a wager that [Cut] makes shorter costs less, so the limit holds for it too.
func (w Wager) CheckLimit(draws int) error {
	limit := w.Rules.Limit
	if limit.Max == 0 {
		return nil
	}
	boards, combinations := w.limited()
	if limit.Scope == game.LimitPerDraw {
		draws = 1
	}
	price := w.Slip.Stake.Times(combinations).Times(int64(draws))
	if price <= limit.Max {
		return nil
	}
	refusal := &LimitError{Price: price, Limit: limit.Max}
	for _, stake := range w.Rules.Stakes {
		if stake.Times(combinations).Times(int64(draws)) <= limit.Max {
			refusal.Stake = stake
		}
	}
	if limit.Scope == game.LimitTotal {
		for _, n := range w.Rules.DrawCounts {
			if w.Slip.Stake.Times(combinations).Times(int64(n)) <= limit.Max {
				refusal.Draws = n
			}
		}
	}
	refusal.Combinations = mostCombinations(w.counts(), boards, int64(limit.Max/w.Slip.Stake.Times(int64(draws))))
	return refusal
}

// limited counts the boards that the limit is about, by the reading limit_plays, and their combinations.
func (w Wager) limited() (boards int, combinations int64) {
	for _, b := range w.Slip.Boards {
		if n := b.combinations(); n > 1 || w.Rules.Limit.Plays == game.LimitAll {
			boards++
			combinations += n
		}
	}
	return boards, combinations
}

// counts lists how many combinations one board that the limit is about can stand for.
func (w Wager) counts() []int64 {
	multiple := &w.Rules.Multiple
	most := 1
	if multiple.Also >= 0 {
		most = max(most, multiple.AlsoMax)
	}
	var counts []int64
	for _, shape := range append([]game.Shape{{}}, multiple.Shapes...) {
		for also := 1; also <= most; also++ {
			simple := shape == game.Shape{}
			if simple && (also > 1 && !multiple.AlsoAlone || also == 1 && w.Rules.Limit.Plays != game.LimitAll) {
				continue
			}
			counts = append(counts, shape.Combinations(also))
		}
	}
	slices.Sort(counts)
	return slices.Compact(counts)
}

// mostCombinations returns the greatest sum of one of counts for each of so many
// boards that is not above room; 0 if there is none. Sums are bits of a number,
// so a book with many boards and shapes takes no longer than it should.
func mostCombinations(counts []int64, boards int, room int64) int64 {
	inRoom := new(big.Int).Lsh(big.NewInt(1), uint(room)+1)
	inRoom.Sub(inRoom, big.NewInt(1))
	sums := big.NewInt(1)
	for range boards {
		next := new(big.Int)
		for _, n := range counts {
			if n <= room {
				next.Or(next, new(big.Int).Lsh(sums, uint(n)))
			}
		}
		sums = next.And(next, inRoom)
	}
	return int64(max(0, sums.BitLen()-1))
}
