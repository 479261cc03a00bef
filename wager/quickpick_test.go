package wager

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tirage/game"
	"tirage/money"
	"tirage/rng"
)

func seedOf(n int) (seed rng.Seed) {
	binary.BigEndian.PutUint64(seed[:], uint64(n))
	return seed
}

func mustNew(t *testing.T, r *game.Rules, boards ...Board) Wager {
	t.Helper()
	w, err := New(r, Slip{r.Code, boards, r.Stakes[0], 1})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestPlays_Fixed(t *testing.T) {
	t.Parallel()
	r := ileAuTresor(t)
	for _, b := range []Board{
		{Picks: game.Picks{{7, 6, 5, 4, 3, 2, 1}, {2}}},
		{Picks: game.Picks{{7, 6, 5, 4, 3, 2, 1}, {2}}, QuickPick: true},
	} {
		w := mustNew(t, r, b)
		if !w.Fixed() || w.AllRandom() {
			t.Errorf("%+v: fixed %v, all random %v", b, w.Fixed(), w.AllRandom())
		}
		picks := game.Picks{{1, 2, 3, 4, 5, 6, 7}, {2}}
		c, err := r.Rank(picks)
		if err != nil {
			t.Fatal(err)
		}
		want := []Play{{Picks: picks, Combinations: []game.Combination{c}}}
		for attempt := range 3 {
			if diff := cmp.Diff(want, w.Plays(seedOf(attempt), attempt)); diff != "" {
				t.Error(diff)
			}
		}
	}
}

// TestPlays_Terminal: what the terminal drew is kept as random, and nothing is left to draw.
func TestPlays_Terminal(t *testing.T) {
	t.Parallel()
	r := ileAuTresor(t)
	r.QuickPick.By = game.ByTerminal
	picks := game.Picks{{1, 2, 3, 4, 5, 6, 7}, {2}}
	w := mustNew(t, r, Board{Picks: picks, QuickPick: true, Drawn: game.Picks{{7, 3}, {2}}})
	if !w.Fixed() || w.AllRandom() {
		t.Errorf("fixed %v, all random %v", w.Fixed(), w.AllRandom())
	}
	if diff := cmp.Diff(game.Picks{{3, 7}, {2}}, w.Plays(seedOf(1), 0)[0].Random); diff != "" {
		t.Error(diff)
	}
}

// TestPlays_Vector holds a quick pick that another program made by docs/rng.md.
func TestPlays_Vector(t *testing.T) {
	t.Parallel()
	r := ileAuTresor(t)
	var seed rng.Seed
	for i := range seed {
		seed[i] = byte(i)
	}
	got := mustNew(t, r, Board{QuickPick: true}).Plays(seed, 0)[0]
	want := game.Picks{{8, 9, 10, 11, 14, 18, 19}, {2}}
	if diff := cmp.Diff(want, got.Picks) + cmp.Diff(want, got.Random); diff != "" {
		t.Error(diff)
	}
}

// TestPlays_Pure: the same seed and attempt give the same plays; other attempts, boards and seeds, others.
func TestPlays_Pure(t *testing.T) {
	t.Parallel()
	r := ileAuTresor(t)
	r.BoardsMax = 2
	w := mustNew(t, r, Board{QuickPick: true}, Board{QuickPick: true})
	if w.Fixed() || !w.AllRandom() {
		t.Errorf("fixed %v, all random %v", w.Fixed(), w.AllRandom())
	}
	seen := map[game.Combination]bool{}
	const seeds, attempts = 5, 5
	for seed := range seeds {
		for attempt := range attempts {
			plays := w.Plays(seedOf(seed), attempt)
			if diff := cmp.Diff(plays, w.Plays(seedOf(seed), attempt)); diff != "" {
				t.Error(diff)
			}
			for _, p := range plays {
				seen[p.Combinations[0]] = true
			}
		}
	}
	if len(seen) != seeds*attempts*2 {
		t.Errorf("%d combinations in %d plays", len(seen), seeds*attempts*2)
	}
}

// TestIAT_2_4_EachCompletion: on a small game, for every partly ticked board,
// every completion and no other comes up, equally often (F02); attempts too.
func TestIAT_2_4_EachCompletion(t *testing.T) {
	t.Parallel()
	r := parse(t, smallGame)
	numbers := [][]int{nil, {1}, {2}, {3}, {4}, {1, 2}, {1, 3}, {1, 4}, {2, 3}, {2, 4}, {3, 4}}
	limits := map[int]int{1: 0, 2: 16, 3: 19, 6: 26, 12: 38} // χ² by number of completions
	for _, n := range numbers {
		for _, l := range [][]int{nil, {1}, {2}} {
			marked := game.Picks{n, l}
			w := mustNew(t, r, Board{Picks: marked, QuickPick: true})
			want := 0
			for c := range game.Combination(r.Size()) {
				if holds(r.Picks(c), marked) {
					want++
				}
			}
			counts := map[game.Combination]int{}
			for i := range 200 * want {
				play := w.Plays(seedOf(i), i%3)[0]
				if !holds(play.Picks, marked) || !cmp.Equal(union(marked, play.Random), play.Picks) {
					t.Fatalf("%v: %+v", marked, play)
				}
				counts[play.Combinations[0]]++
			}
			sum := 0
			for _, k := range counts {
				sum += (k - 200) * (k - 200)
			}
			if len(counts) != want || sum/200 > limits[want] {
				t.Errorf("%v: %d completions, want %d; χ² %d: %v", marked, len(counts), want, sum/200, counts)
			}
		}
	}
}

func holds(picks, marked game.Picks) bool {
	for m := range marked {
		for _, e := range marked[m] {
			if !slices.Contains(picks[m], e) {
				return false
			}
		}
	}
	return true
}

func union(a, b game.Picks) game.Picks {
	u := make(game.Picks, len(a))
	for m := range a {
		u[m] = slices.Clone(a[m])
		if m < len(b) {
			u[m] = append(u[m], b[m]...)
		}
		slices.Sort(u[m])
	}
	return u
}

// TestF03_QuickPick: whatever is marked, every element that is free comes up,
// as often as each other, the first and the last too.
func TestF03_QuickPick(t *testing.T) {
	t.Parallel()
	r := ileAuTresor(t)
	for _, marked := range []game.Picks{
		{nil, nil},
		{{2, 3, 4, 5, 6, 7}, {1}},      // one place is missing
		{{1, 2, 3, 4, 5, 6, 7}, nil},   // the pirate is missing
		{{15, 16, 17, 18, 19, 20, 21}}, // also
		{{1, 21}, {3}},
	} {
		w := mustNew(t, r, Board{Picks: marked, QuickPick: true})
		const plays = 3000
		counts := [2][22]int{}
		for i := range plays {
			for m, random := range w.Plays(seedOf(i), 0)[0].Random {
				for _, e := range random {
					counts[m][e]++
				}
			}
		}
		for m := range r.Matrices {
			ticked := w.Slip.Boards[0].Picks[m]
			missing, free := r.Matrices[m].Pick-len(ticked), len(r.Matrices[m].Elements)-len(ticked)
			for e := 1; e <= len(r.Matrices[m].Elements); e++ {
				mean := plays * missing / free
				if slices.Contains(ticked, e) {
					mean = 0
				}
				// Five standard deviations; a binomial count varies by less than its mean.
				if off := counts[m][e] - mean; off*off > 25*(mean+1) {
					t.Errorf("marked %v: element %d of matrix %d came %d times, want about %d", marked, e, m, counts[m][e], mean)
				}
			}
		}
	}
}

// TestF23_BoardsOfASlip: the quick picks of one slip are independent of each other.
func TestF23_BoardsOfASlip(t *testing.T) {
	t.Parallel()
	w := mustNew(t, parse(t, smallGame), Board{QuickPick: true}, Board{QuickPick: true})
	counts := map[string]int{}
	for i := range 144 * 100 {
		plays := w.Plays(seedOf(i), 0)
		counts[fmt.Sprint(plays[0].Combinations[0], plays[1].Combinations[0])]++
	}
	sum := 0
	for _, k := range counts {
		sum += (k - 100) * (k - 100)
	}
	if len(counts) != 144 || sum/100 > 214 { // 143 degrees of freedom: once in 10,000
		t.Errorf("%d pairs, χ² %d: %v", len(counts), sum/100, counts)
	}
}

func BenchmarkPlays(b *testing.B) {
	r := ileAuTresor(b)
	w, err := New(r, Slip{r.Code, []Board{{QuickPick: true}}, money.Euros(2), 1})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		w.Plays(seedOf(1), 0)
	}
}

// Under the reading quick_pick_by: terminal a slip is completed before it is
// sold, with what the central system would have drawn of the same seed.
func TestIAT_2_4_DrawnByTerminal(t *testing.T) {
	t.Parallel()
	for _, by := range []game.QuickPickBy{game.ByCentral, game.ByTerminal} {
		r := ileAuTresor(t)
		r.QuickPick.By = by
		s := fullSlip()
		s.Boards = []Board{{Picks: game.Picks{{3, 9}, {}}, QuickPick: true}}
		w, err := New(r, s)
		if err != nil {
			t.Fatalf("%v: %v", by, err)
		}
		got := w.DrawnByTerminal(rng.Seed{1}, 2)
		if by == game.ByCentral {
			if err := w.CheckDrawn(); err != nil || !cmp.Equal(got, w.Slip) {
				t.Errorf("central: %v, slip changed to %v", err, got)
			}
			continue
		}
		if err := w.CheckDrawn(); !errors.Is(err, game.ErrTooFew) {
			t.Errorf("not completed: %v", err)
		}
		full, err := New(r, got)
		if err != nil || full.CheckDrawn() != nil {
			t.Fatalf("completed: %v, %v", err, full.CheckDrawn())
		}
		if want := w.Plays(rng.Seed{1}, 2); !cmp.Equal(full.Plays(rng.Seed{9}, 0), want, cmpopts.EquateEmpty()) {
			t.Errorf("sold %v, want %v", full.Plays(rng.Seed{9}, 0), want)
		}
		if count(w.Slip.Boards[0].Picks) != 2 {
			t.Error("the slip itself was changed")
		}
	}
}
