package central

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"tirage/game"
	"tirage/journal"
	"tirage/party"
	"tirage/store"
)

// ErrTermsPast are terms of outlets that would hold on a day that has begun under other terms.
var ErrTermsPast = errors.New("terms of outlets must begin on a day to come")

// termsSort is the sort of books of terms of outlets, and their code.
const termsSort = "outlets"

// Terms are the terms of outlets in force on the day of now; nil: none are
// published, and there is neither threshold nor commission.
func (s *System) Terms() *party.Terms {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.memory.termsOn(game.DayOf(s.clock.Now(), paris))
}

// PublishTerms publishes a version of the terms of outlets, which holds from
// its first day on: the first of all from any day on, the others from a day to
// come, so that no officer changes alone what holds already. Refusals: the faults of [party.ParseTerms], [ErrPublished]
// (also for other terms with the same version), [ErrTermsPast], [ErrNotAllowed], [ErrIssued],
// [ErrKey], [ErrKeyReused].
func (s *System) PublishTerms(ctx context.Context, p PublishRules) (*party.Terms, error) {
	terms, err := party.ParseTerms(p.Book)
	if err != nil {
		return nil, err
	}
	_, _, err = s.officerCommand(ctx, p.Officer, p.Key, content("publish terms", p.Book), func(t *turn, command journal.Command, by journal.Party) (uint64, error) {
		if slices.ContainsFunc(t.m.terms, func(other *party.Terms) bool { return other.Version == terms.Version }) {
			return 0, ErrPublished
		}
		if t.m.termsPast(terms, t.at) {
			return 0, fmt.Errorf("%w: %s", ErrTermsPast, game.Day(terms.FirstDay))
		}
		return t.append(&journal.Book{
			Command: command, By: by, Sort: termsSort, Code: termsSort, Version: terms.Version, FirstDay: terms.FirstDay, Hash: terms.Hash, Book: p.Book,
		})
	})
	if err != nil {
		return nil, err
	}
	return terms, nil
}

// termsPast tells whether terms would hold on a Paris day that had begun at an instant, under others.
func (m *memory) termsPast(terms *party.Terms, at int64) bool {
	return len(m.terms) > 0 && game.Day(terms.FirstDay) <= game.DayOf(utc(at), paris)
}

// addTerms takes the memory over a version of the terms.
func (m *memory) addTerms(t *party.Terms) {
	m.terms = append(m.terms, t)
	slices.SortStableFunc(m.terms, func(a, b *party.Terms) int { return cmp.Compare(a.FirstDay, b.FirstDay) })
}

// termsOn are the terms in force on a Paris day, or nil.
func (m *memory) termsOn(day game.Day) *party.Terms {
	for _, t := range slices.Backward(m.terms) {
		if game.Day(t.FirstDay) <= day {
			return t
		}
	}
	return nil
}

// termsOf are the terms of a hash; nil: there are none, or the hash is of none.
func (m *memory) termsOf(hash []byte) *party.Terms {
	i := slices.IndexFunc(m.terms, func(t *party.Terms) bool { return bytes.Equal(t.Hash[:], hash) })
	if i < 0 {
		return nil
	}
	return m.terms[i]
}

// terms are those in force at the time of the turn, or nil.
func (t *turn) terms() *party.Terms { return t.m.termsOn(t.day()) }

// foldTerms takes the memory over a record of terms.
func (m *memory) foldTerms(b *journal.Book) {
	terms, err := party.ParseTerms(b.Book)
	assert(err == nil, "journalled terms of outlets do not load")
	m.addTerms(terms)
}

// loadTerms reads the terms that were published.
func (m *memory) loadTerms(ctx context.Context, tx *store.Snapshot) error {
	books, err := tx.Books(ctx)
	if err != nil {
		return err
	}
	for _, b := range books {
		if b.Sort != termsSort {
			continue
		}
		terms, err := party.ParseTerms(b.Book)
		if err != nil {
			return fmt.Errorf("terms of outlets of record %d: %w", b.Record, err)
		}
		m.addTerms(terms)
	}
	return nil
}

// compareTerms compares the terms that this node knows with the fold of the journal.
func (m *memory) compareTerms(fold *memory) error {
	if !slices.EqualFunc(m.terms, fold.terms, func(a, b *party.Terms) bool { return a.Hash == b.Hash }) {
		return fmt.Errorf("%w: terms of outlets in memory differ", ErrJournal)
	}
	return nil
}

// seeTerms audits terms of outlets: they are what the record says.
func seeTerms(m *memory, at int64, b *journal.Book) error {
	terms, err := party.ParseTerms(b.Book)
	switch {
	case err != nil:
		return err
	case slices.ContainsFunc(m.terms, func(other *party.Terms) bool { return other.Version == terms.Version }):
		return fmt.Errorf("terms of outlets %s were published before", terms.Version)
	case m.termsPast(terms, at):
		return fmt.Errorf("terms of outlets %s begin on a day that has begun under others", terms.Version)
	case terms.Hash != b.Hash || b.Code != termsSort || terms.Version != b.Version || terms.FirstDay != b.FirstDay:
		return fmt.Errorf("terms of outlets %s are not those that the record names", terms.Version)
	}
	return nil
}
