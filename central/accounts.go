package central

import (
	"context"

	"tirage/game"
	"tirage/journal"
	"tirage/party"
)

// AccountRules are the rules of accounts in force on the day of now; nil: none is published, and nobody can sign up.
func (s *System) AccountRules() *party.Rules {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.memory.players.rulesOn(game.DayOf(s.clock.Now(), paris))
}

// PublishAccounts publishes a version of the rules of accounts. From its first
// day on, whoever has not accepted it neither plays nor deposits. Refusals: the
// faults of [party.ParseRules], [ErrPublished] (also for another book with the
// same version), [ErrNotAllowed], [ErrIssued], [ErrKey], [ErrKeyReused].
func (s *System) PublishAccounts(ctx context.Context, p PublishRules) (*party.Rules, error) {
	r, err := party.ParseRules(p.Book)
	if err != nil {
		return nil, err
	}
	_, _, err = s.officerCommand(ctx, p.Officer, p.Key, content("publish accounts", p.Book), func(t *turn, command journal.Command, by journal.Party) (uint64, error) {
		for _, other := range t.m.players.accounts {
			if other.Version == r.Version {
				return 0, ErrPublished
			}
		}
		return t.append(&journal.Book{
			Command: command, By: by, Sort: accountsSort, Code: accountsSort, Version: r.Version, FirstDay: r.FirstDay, Hash: r.Hash, Book: p.Book,
		})
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}
