package central

import (
	"context"

	"tirage/draw"
	"tirage/game"
	"tirage/store"
	"tirage/wager"
)

// Turn lets tests decide commands of their own.
type Turn = turn

// At is the time of the turn, in µs UTC.
func (t *Turn) At() int64 { return t.at }

// Do runs a command that a test makes; neighbours share a turn with it.
func (s *System) Do(ctx context.Context, decide func(*Turn) error) error {
	return s.do(ctx, &job{decide: decide})
}

// DoTwice places a wager in a turn whose commit is durable but whose answer is
// lost: the batcher runs it again.
func (s *System) PlaceTwice(ctx context.Context, p Place) (first, second wager.ID, err error) {
	place := func() (wager.ID, error) {
		r, err := s.rulesSold(p.Slip.Game)
		if err != nil {
			return 0, err
		}
		w, err := wager.New(r, p.Slip)
		if err != nil {
			return 0, err
		}
		key := store.CommandKey{Scope: "terminal/" + p.Terminal, Key: p.Key}
		sale := placing{place: p, wager: w, key: key, content: content("place", p.Slip)}
		// Deciding twice in one turn is what a second run sees, if the first was durable.
		err = s.do(ctx, &job{key: key, decide: func(t *turn) error {
			if err := sale.decide(t); err != nil {
				return err
			}
			first = wager.ID(sale.index)
			err := sale.decide(t)
			second = wager.ID(sale.index)
			return err
		}})
		return first, err
	}
	_, err = place()
	return first, second, err
}

// Size is the number of journal records that the node has seen.
func (s *System) Size() uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.memory.size
}

// Exposed is how much of a combination is sold in a draw that is not closed.
func (s *System) Exposed(id draw.ID, c game.Combination) int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.memory.draws[id].exposure.At(c)
}

// State is the state of a draw in memory.
func (s *System) State(id draw.ID) draw.State {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.memory.draws[id].state
}

// Follow takes the memory over the turns of other nodes.
func (s *System) Follow(ctx context.Context) error { return s.follow(ctx) }
