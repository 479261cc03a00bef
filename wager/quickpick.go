package wager

import (
	"slices"
	"strconv"

	"tirage/game"
	"tirage/rng"
)

// Play is one board as sold: all its elements, and which of them were random.
type Play struct {
	Picks        game.Picks
	Random       game.Picks         // the elements that a quick pick drew; nil when none
	Combinations []game.Combination // that it stands for: one, or those of a multiple play
}

// Plays returns the boards with what is missing drawn (Système Flash, IAT-2.4):
// every completion is equally likely. It is a function of seed and attempt, so
// a command that runs twice gives the same combination; the next attempt gives
// another when a cap refuses one (IAT-3). docs/rng.md gives the streams.
func (w Wager) Plays(seed rng.Seed, attempt int) []Play {
	plays := make([]Play, len(w.Slip.Boards))
	for i, b := range w.Slip.Boards {
		play := Play{Picks: b.Picks, Random: b.Drawn}
		if w.missing(b) > 0 {
			purpose := "quick-pick/" + strconv.Itoa(attempt) + "/" + strconv.Itoa(i)
			play = complete(w.Rules, b.Picks, rng.NewStream(seed, purpose))
		}
		combinations, err := w.Rules.Expand(play.Picks)
		assert(err == nil, "wager without a combination")
		play.Combinations = combinations
		plays[i] = play
	}
	return plays
}

// complete draws, matrix after matrix, what is missing from the elements that are not marked.
func complete(r *game.Rules, marked game.Picks, stream *rng.Stream) Play {
	play := Play{Picks: make(game.Picks, len(r.Matrices)), Random: make(game.Picks, len(r.Matrices))}
	for m := range r.Matrices {
		var free []int
		for e := 1; e <= len(r.Matrices[m].Elements); e++ {
			if !slices.Contains(marked[m], e) {
				free = append(free, e)
			}
		}
		missing := r.Matrices[m].Pick - len(marked[m])
		if missing == 0 {
			play.Picks[m] = marked[m]
			continue
		}
		random := make([]int, 0, missing)
		for _, i := range stream.Choose(len(free), missing) {
			random = append(random, free[i])
		}
		slices.Sort(random)
		play.Random[m] = random
		play.Picks[m] = slices.Sorted(slices.Values(slices.Concat(marked[m], random)))
	}
	return play
}

func assert(ok bool, what string) {
	if !ok {
		panic("wager: " + what)
	}
}
