package terminal

import (
	"errors"
	"slices"
	"testing"

	"tirage/game"
	"tirage/wager"
)

// Elements are the same by their keys, wherever another version of the rules has them.
func TestPicksUnderOtherRules(t *testing.T) {
	t.Parallel()
	before := rules(t, "ile-au-tresor")
	turned := *before
	turned.Hash[0]++
	turned.Matrices = slices.Clone(before.Matrices)
	slices.Reverse(turned.Matrices)
	places := &turned.Matrices[1]
	places.Elements = slices.Clone(places.Elements)
	slices.Reverse(places.Elements)
	picks := game.Picks{{1, 4, 21}, {2}}
	got, err := picksUnder(&turned, before, picks)
	if want := (game.Picks{{2}, {1, 18, 21}}); err != nil || !slices.EqualFunc(got, want, slices.Equal[[]int]) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	places.Elements = places.Elements[:20] // the first of before is no more
	if _, err := picksUnder(&turned, before, picks); !errors.Is(err, errElement) {
		t.Errorf("got %v, want %v", err, errElement)
	}
	old := wager.Ticket{Rules: before, Stake: 200, Plays: []wager.Play{{Picks: picks}}}
	if _, err := slipAgain(old, []*game.Rules{rules(t, "amigo")}); !errors.Is(err, errGame) {
		t.Errorf("got %v, want %v", err, errGame)
	}
}
