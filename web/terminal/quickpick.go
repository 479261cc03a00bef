package terminal

import (
	"context"
	"crypto/sha256"
	"errors"

	"tirage/central"
	"tirage/game"
	"tirage/rng"
	"tirage/wager"
)

// place sells a slip of the basket. Under the reading quick_pick_by: terminal
// (IAT-2.4) what it misses is drawn here, and when all of it was random and is
// capped, drawn again so often as the rules say (IAT-3).
//
// The seed follows from the sale's key, so that the same form sent twice is the
// same sale: an attempt that was capped the first time finds the key used by the one that was sold.
// So does one that was capped while the same form, sent twice, was sold by an
// earlier attempt: then the attempts are asked for once more, and the sold one answers.
func (t *terminal) place(ctx context.Context, s seat, x slip) (wager.Ticket, error) {
	sale := central.Place{Key: x.key, Terminal: s.terminal.ID, Slip: x.wager()}
	if x.rules.QuickPick.By != game.ByTerminal {
		return t.app.Sys.Place(ctx, sale)
	}
	w, err := wager.New(x.rules, sale.Slip)
	if err != nil {
		return wager.Ticket{}, err
	}
	tries := 1
	if w.AllRandom() && x.rules.Cap.QuickPick == game.RedrawQuickPick {
		tries = max(1, x.rules.Cap.Tries)
	}
	place := func(attempt int) (wager.Ticket, error) {
		sale.Slip = w.DrawnByTerminal(terminalSeed(x.key), attempt)
		return t.app.Sys.Place(ctx, sale)
	}
	return firstSold(tries, place)
}

// firstSold is the answer of the first attempt that is neither capped nor that
// of a key which another one has used, or the last one's.
func firstSold(tries int, place func(attempt int) (wager.Ticket, error)) (ticket wager.Ticket, err error) {
	for range 2 {
		for attempt := range tries {
			ticket, err = place(attempt)
			if !errors.Is(err, wager.ErrCapped) && !errors.Is(err, central.ErrKeyReused) {
				return ticket, err
			}
		}
		if !errors.Is(err, central.ErrKeyReused) {
			break
		}
	}
	return ticket, err
}

// terminalSeed is the seed of what a terminal draws for the sale of a key (docs/rng.md).
func terminalSeed(key string) rng.Seed {
	return sha256.Sum256([]byte("tirage quick pick by terminal\n" + key))
}
