package central

import (
	"context"
	"sync"
	"time"

	"tirage/game"
)

// reconcileAgain is how long after an error a provider of card payments is asked again.
const reconcileAgain = time.Hour

// reconciled is how far each provider's payments are compared with the ledger.
// A node that starts compares yesterday again: that credits nothing twice.
type reconciled struct {
	mu    sync.Mutex           // held by who compares
	last  map[string]game.Day  // by provider
	again map[string]time.Time // after an error: not before
}

// reconcileDue compares the payments of all Paris days that are over, and that
// this node has not compared yet, with their providers: yesterday's, once a day.
// It leaves to the next call what another is at.
func (s *System) reconcileDue(ctx context.Context) {
	if s.clockOff() || !s.reconciled.mu.TryLock() { // without a clock no day is known to be over
		return
	}
	defer s.reconciled.mu.Unlock()
	now := s.Now()
	yesterday := game.DayOf(now, paris) - 1
	for _, provider := range s.CardProviders() {
		if now.Before(s.reconciled.again[provider]) {
			continue
		}
		day, known := s.reconciled.last[provider]
		if !known {
			day = yesterday - 1
		}
		for day++; day <= yesterday; day++ {
			list, err := s.ReconcileCards(ctx, provider, day)
			if err != nil {
				s.reconciled.again[provider] = now.Add(reconcileAgain)
				if ctx.Err() == nil {
					s.log.Error("compare payments by card", "provider", provider, "day", day, "error", err)
				}
				break
			}
			s.reconciled.last[provider] = day
			s.logDifferences(provider, day, list)
		}
	}
}

// logDifferences tells how many payments of a day differ; which is on the page of the office.
func (s *System) logDifferences(provider string, day game.Day, list []CardDifference) {
	if len(list) == 0 {
		return
	}
	var theirs, ours, amounts int
	for _, d := range list {
		switch {
		case d.Ours == nil:
			theirs++
		case d.Theirs == nil:
			ours++
		default:
			amounts++
		}
	}
	s.log.Warn("payments by card differ", "provider", provider, "day", day, "theirs", theirs, "ours", ours, "amounts", amounts)
}
