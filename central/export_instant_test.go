package central

import (
	"tirage/instant"
	"tirage/rng"
)

// Pool is a pool that is built, and not closed.
func (s *System) Pool(id instant.PoolID) *instant.Pool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.memory.instants.pools[id].built.Load()
}

// ReplacePool puts another pool in the place of one that was committed.
func (s *System) ReplacePool(id instant.PoolID, p *instant.Pool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	s.memory.instants.pools[id].built.Store(p)
}

// BuildPoolsBy has pools built by another builder than [instant.Build].
func (s *System) BuildPoolsBy(build func(*instant.PrizeTable, int, rng.Seed) *instant.Pool) {
	s.builder = build
}

// Unsealed opens a sealed secret of a pool with keys.
func Unsealed(k Keys, hash [32]byte, sealed []byte) (instant.Secret, error) {
	return k.openSecret(hash, sealed)
}

// AtHand counts the pools that a node has built.
func (s *System) AtHand() (n int) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, p := range s.memory.instants.pools {
		if p.built.Load() != nil {
			n++
		}
	}
	return n
}

// WaitForPools waits until no pool is being built.
func (s *System) WaitForPools() {
	s.building <- struct{}{}
	<-s.building
}

// InstantSummary is all that a node knows of instant games.
func (s *System) InstantSummary() []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.memory.instants.summary()
}
