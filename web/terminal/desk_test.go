package terminal

import (
	"errors"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tirage/game"
	"tirage/wager"
	"tirage/web/page"
)

// What the address of the desk says is read again as it was: games, boards,
// quick picks of multiple plays, marks right or wrong.
func TestDeskInItsAddress(t *testing.T) {
	t.Parallel()
	island, amigo := rules(t, "ile-au-tresor"), rules(t, "amigo")
	games := []*game.Rules{amigo, island}
	flash := wager.Board{Picks: game.Picks{nil, nil}, QuickPick: true, Shape: game.Shape{Extras: 4, Columns: 2}, Also: 2}
	simple := wager.Board{Picks: game.Picks{nine, {3}}}
	d := newDesk(games, amigo)
	d.draft.boards, d.picks, d.ask = []wager.Board{simple, flash}, game.Picks{{1, 2, 99}, nil}, wager.Board{Shape: game.Shape{Extras: 1, Columns: 5}, Also: 5, Letter: 6}
	d.draft.boards = append(d.draft.boards, wager.Board{Picks: game.Picks{nine, {1}}, Letter: 4}, wager.Board{Picks: flash.Picks, QuickPick: true, Letter: 5})
	d.draft.stake, d.draft.draws = 800, 20
	d.slips = []slip{
		{key: "a", rules: amigo, boards: []wager.Board{flash, simple}, stake: 200, draws: 1},
		{key: "b", rules: island, boards: []wager.Board{{Picks: game.Picks{{1, 21}, nil}, QuickPick: true}}, stake: 2000, draws: 6},
	}
	got, err := readDesk(d.values(), games)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(d.values(), got.values()); diff != "" {
		t.Error(diff)
	}
	opts := cmp.Options{cmp.AllowUnexported(desk{}, slip{}), cmp.Comparer(func(a, b *game.Rules) bool { return a == b })}
	if diff := cmp.Diff(d, got, opts); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []url.Values{
		{"jeu": {"loto"}},
		{"slip": {"k~loto~200~1~1-2"}},
		{"slip": {"k~amigo~200~1"}},
		{"slip": {"k~amigo~200~1~1.2"}},
		{"board": {"x2x1_1!-"}},
		{"board": {"f2_1!-"}},
		{"board": {"1-2-3"}},
		{"board": {"AB:1-2"}},
		{"board": {"a:1-2"}},
		{"board": {":1-2"}},
		{"letter": {"AB"}},
		{"letter": {"b"}},
		{"shape": {"2"}},
		{"shape": {"ax1"}},
		{"also": {"-1"}},
		{"stake": {"2,00"}},
	} {
		if _, err := readDesk(bad, games); !errors.Is(err, page.ErrForm) {
			t.Errorf("%v: %v, want %v", bad, err, page.ErrForm)
		}
	}
}

// A slip on which board B is blank has the boards A and C on the desk, and the next one is D.
func TestDeskLetters(t *testing.T) {
	t.Parallel()
	amigo := rules(t, "amigo")
	d := newDesk([]*game.Rules{amigo}, amigo)
	if err := d.lay(wager.Slip{Game: "amigo", Boards: []wager.Board{{Picks: game.Picks{nine, {3}}}, {Picks: game.Picks{nine, {4}}, Letter: 3}}}, "paper"); err != nil {
		t.Fatal(err)
	}
	d.picks = game.Picks{nine, {5}}
	letters := func() (list string) {
		for i, b := range d.whole(false).boards {
			list += playedOf(amigo, i+1, b, 1).Letter
		}
		return list
	}
	if letters() != "ACD" {
		t.Errorf("the boards are %s, want ACD", letters())
	}
	if err := d.removeBoard("1"); err != nil || letters() != "CD" {
		t.Errorf("without A the boards are %s, want CD; %v", letters(), err)
	}
	three := newDesk([]*game.Rules{amigo}, amigo)
	three.draft.boards = []wager.Board{{Picks: game.Picks{nine, {3}}}, {Picks: game.Picks{nine, {4}}}, {Picks: game.Picks{nine, {5}}, Letter: 4}}
	if err := three.removeBoard("1"); err != nil || three.draft.boards[0].Letter != 2 || three.draft.boards[1].Letter != 4 {
		t.Errorf("A, B and D without A are %+v, %v", three.draft.boards, err)
	}
}

// The only board that is marked on a slip stands where it is ticked, with the letter
// that it has on paper; the next one comes after it, and the next slip begins with A.
func TestDeskOnlyLetter(t *testing.T) {
	t.Parallel()
	amigo := rules(t, "amigo")
	d := newDesk([]*game.Rules{amigo}, amigo)
	if err := d.lay(wager.Slip{Game: "amigo", Boards: []wager.Board{{Picks: game.Picks{nine, {3}}, Letter: 2}}, Stake: 200, Draws: 1}, "paper"); err != nil {
		t.Fatal(err)
	}
	d, err := readDesk(d.values(), d.games)
	if err != nil || d.letter() != 2 {
		t.Fatalf("the board is %d, %v", d.letter(), err)
	}
	one := d
	one.draft.key = "k"
	if err := one.take(false); err != nil || one.slips[0].boards[0].Letter != 2 || one.letter() != 1 || !(line{slip: one.slips[0]}).Lettered() {
		t.Errorf("in the basket is %+v, then the board is %d, %v", one.slips, one.letter(), err)
	}
	if err := d.takeBoard(false); err != nil || d.letter() != 3 {
		t.Errorf("after B comes %d, %v", d.letter(), err)
	}
}
