package terminal

import (
	"errors"
	"testing"

	"tirage/central"
	"tirage/wager"
)

// F10: a form sent twice at once is one sale, also where the cap of what the first
// attempt drew is reached for the one and free again for the other.
func TestF10_QuickPickSentTwice(t *testing.T) {
	t.Parallel()
	want := wager.Ticket{Number: 7}
	asked := 0
	place := func(attempt int) (wager.Ticket, error) {
		asked++
		switch {
		case asked == 1: // and then another cancels, and the other request is sold by its first attempt
			return wager.Ticket{}, wager.ErrCapped
		case attempt == 0:
			return want, nil
		}
		return wager.Ticket{}, central.ErrKeyReused
	}
	if got, err := firstSold(100, place); err != nil || got.Number != want.Number {
		t.Errorf("got %v, %v after %d tries; want the ticket that was sold", got.Number, err, asked)
	}
	for _, end := range []error{wager.ErrCapped, central.ErrKeyReused, central.ErrClock} {
		asked := 0
		_, err := firstSold(3, func(int) (wager.Ticket, error) { asked++; return wager.Ticket{}, end })
		if !errors.Is(err, end) || asked > 6 {
			t.Errorf("%v, always: %v after %d tries", end, err, asked)
		}
	}
}
