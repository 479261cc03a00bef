package wager

import (
	"fmt"
	"math"
	"testing"

	"tirage/game"
	"tirage/internal/walk"
)

// TestF03_EveryCombinationQuickPicked: the mapping from choices to elements gives
// each of the 348,840 combinations of L'Ile au Trésor as a quick pick, once (IAT-2.4).
func TestF03_EveryCombinationQuickPicked(t *testing.T) {
	t.Parallel()
	r := ileAuTresor(t)
	board := mustNew(t, r, Board{QuickPick: true}).Slip.Boards[0]
	seen := make([]bool, r.Size())
	found := int64(0)
	var w walk.Walk
	for more := true; more; more = w.Next() {
		c, err := r.Rank(complete(r, board, w.Choose).Picks)
		if err != nil || seen[c] {
			t.Fatalf("combination %d comes again, or %v", c, err)
		}
		seen[c] = true
		found++
	}
	if found != r.Size() {
		t.Errorf("%d combinations quick-picked, want %d", found, r.Size())
	}
}

// TestF03_EveryColumnQuickPicked: the same for Amigo, of which each half of the
// columns is drawn with the jackpot numbers (AMI-3.2).
func TestF03_EveryColumnQuickPicked(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	r.QuickPick.Partial = true
	for _, v := range []struct {
		name  string
		board Board
		want  int // plays
	}{
		{"columns 1 to 5", Board{Picks: game.Picks{{26, 35, 36, 45}}}, 5 * 5 * 5 * 5 * 5 * 5},
		{"columns 5 to 9", Board{Picks: game.Picks{{1, 10, 13, 16}}}, 5 * 5 * 5 * 5 * 5 * 5},
		{"column 3 and 4 jackpot numbers of 5", Board{Picks: game.Picks{{1, 6, 16, 21, 26, 31, 36, 41}}, Also: 4}, 5 * 5},
	} {
		v.board.QuickPick = true
		checkEvery(t, v.name, r, mustNew(t, r, v.board).Slip.Boards[0], v.want)
	}
}

// TestAMI_3_2_EveryMultiple: on a small game, the mapping gives each play of the
// shape asked for once: which columns are extended, and the elements of each.
func TestAMI_3_2_EveryMultiple(t *testing.T) {
	t.Parallel()
	r := parse(t, smallColumns)
	for _, v := range []struct {
		shape game.Shape
		also  int
		want  int // plays
	}{
		{game.Shape{}, 1, 3 * 3 * 3 * 2},
		{game.Shape{}, 2, 3 * 3 * 3},
		{game.Shape{Extras: 1, Columns: 1}, 1, 3 * 3 * 3 * 3 * 2},
		{game.Shape{Extras: 1, Columns: 2}, 1, 3 * 3 * 3 * 3 * 2},
		{game.Shape{Extras: 1, Columns: 2}, 2, 3 * 3 * 3 * 3},
		{game.Shape{Extras: 2, Columns: 1}, 1, 3 * 3 * 3 * 2},
	} {
		board := mustNew(t, r, Board{QuickPick: true, Shape: v.shape, Also: v.also}).Slip.Boards[0]
		checkEvery(t, fmt.Sprint(v.shape, " ", v.also), r, board, v.want)
	}
}

// checkEvery finds that a quick pick gives so many plays, all of the board's shape, each once.
func checkEvery(t *testing.T, what string, r *game.Rules, board Board, want int) {
	t.Helper()
	seen := map[string]bool{}
	var w walk.Walk
	for more := true; more; more = w.Next() {
		play := complete(r, board, w.Choose)
		shape, also, err := r.ShapeOf(play.Picks)
		if err != nil || shape != board.Shape || also != board.Also {
			t.Fatalf("%s: %v is %s, %d; %v", what, play.Picks, shape, also, err)
		}
		if key := fmt.Sprint(play.Picks); !seen[key] {
			seen[key] = true
		} else {
			t.Fatalf("%s: %s comes again", what, key)
		}
	}
	if len(seen) != want {
		t.Errorf("%s: %d plays, want %d", what, len(seen), want)
	}
}

// TestF03_Occupancy: quick picks as the system makes them find as many different
// combinations as chance has it, so no part of them is left out: N(1 − e^−picks/N)
// with a deviation below √N/2.
func TestF03_Occupancy(t *testing.T) {
	t.Parallel()
	r := ileAuTresor(t)
	w := mustNew(t, r, Board{QuickPick: true})
	const picks = 100_000
	seen := make([]bool, r.Size())
	found := 0
	for n := range picks {
		if c := w.Plays(seedOf(n), 0)[0].Combinations[0]; !seen[c] {
			seen[c] = true
			found++
		}
	}
	size := float64(r.Size())
	want := size * (1 - math.Exp(-picks/size))
	if off := math.Abs(float64(found) - want); off > 4*math.Sqrt(size)/2 {
		t.Errorf("%d combinations in %d quick picks, want about %.0f", found, picks, want)
	}
}
