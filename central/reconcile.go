package central

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"tirage/game"
	"tirage/store"
)

// reconcileAgain is how long after an error a provider of card payments is asked again.
const reconcileAgain = time.Hour

// reconcileDays is how long ago a day may be that is made up.
const reconcileDays = 366

// reconciled is how far this node knows each provider's payments to be compared
// with the ledger. The database has it for all nodes, and for when none ran.
type reconciled struct {
	mu    sync.Mutex           // held by who compares
	last  map[string]game.Day  // by provider: this day and all before it
	again map[string]time.Time // after an error: not before
}

// reconcileDue compares the payments of all Paris days that are over, and that
// no node has compared yet, with their providers: yesterday's, once a day, and
// those that were missed. It leaves to the next call what another is at.
func (s *System) reconcileDue(ctx context.Context) {
	if s.clockOff() || !s.reconciled.mu.TryLock() { // without a clock no day is known to be over
		return
	}
	defer s.reconciled.mu.Unlock()
	now := s.Now()
	yesterday := game.DayOf(now, paris) - 1
	for _, provider := range s.CardProviders() {
		last, known := s.reconciled.last[provider]
		if now.Before(s.reconciled.again[provider]) || known && last >= yesterday {
			continue
		}
		if day, err := s.reconcileDaily(ctx, provider, yesterday); err != nil {
			s.reconciled.again[provider] = now.Add(reconcileAgain)
			if ctx.Err() == nil {
				s.log.Error("compare payments by card", "provider", provider, "day", day, "error", err)
			}
			continue
		}
		s.reconciled.last[provider] = yesterday
	}
}

// reconcileDaily compares the days up to yesterday that were not compared. The
// newest comes first: one of long ago that a provider no longer tells keeps
// none after it from being compared. It returns the day that fails.
func (s *System) reconcileDaily(ctx context.Context, provider string, yesterday game.Day) (game.Day, error) {
	days, err := s.daysToReconcile(ctx, provider, yesterday)
	if err != nil {
		return yesterday, err
	}
	for _, day := range days {
		list, err := s.ReconcileCards(ctx, provider, day)
		if err != nil {
			return day, err
		}
		s.logDifferences(provider, day, list)
		if err := s.private(ctx, func(t *turn) error {
			return t.tx.AddCardDay(s.ctx, store.CardDay{Provider: provider, Day: int32(day)})
		}); err != nil {
			return day, err
		}
	}
	return yesterday, nil
}

// daysToReconcile are the days since the first payment was begun with a
// provider, and yesterday in any case, that were not compared, the newest first.
func (s *System) daysToReconcile(ctx context.Context, provider string, yesterday game.Day) (days []game.Day, err error) {
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		from := yesterday
		switch first, err := tx.FirstCardPayment(ctx, provider); {
		case err == nil:
			from = max(min(yesterday, game.DayOf(utc(first.At), paris)), yesterday-reconcileDays)
		case !errors.Is(err, store.ErrNotFound):
			return err
		}
		done, err := tx.CardDays(ctx, provider, int32(from))
		if err != nil {
			return err
		}
		for day := yesterday; day >= from; day-- {
			if !slices.Contains(done, store.CardDay{Provider: provider, Day: int32(day)}) {
				days = append(days, day)
			}
		}
		return nil
	})
	return days, err
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
