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
	var ticket wager.Ticket
	for attempt := range tries {
		sale.Slip = w.DrawnByTerminal(terminalSeed(x.key), attempt)
		ticket, err = t.app.Sys.Place(ctx, sale)
		if !errors.Is(err, wager.ErrCapped) && !errors.Is(err, central.ErrKeyReused) {
			break
		}
	}
	return ticket, err
}

// terminalSeed is the seed of what a terminal draws for the sale of a key (docs/rng.md).
func terminalSeed(key string) rng.Seed {
	return sha256.Sum256([]byte("tirage quick pick by terminal\n" + key))
}
