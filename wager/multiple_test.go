package wager

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tirage/draw"
	"tirage/game"
	"tirage/money"
	"tirage/rng"
)

// simple is Amigo's combination 1 6 11 16 21 26 31 36 41 with jackpot number 3.
func simple() game.Picks {
	return game.Picks{{1, 6, 11, 16, 21, 26, 31, 36, 41}, {3}}
}

// multiple is simple with so many extra numbers in each of the first columns
// of extras, and so many jackpot numbers.
func multiple(jackpots int, extras ...int) game.Picks {
	p := simple()
	for c, n := range extras {
		for e := range n {
			p[0] = append(p[0], 5*c+2+e)
		}
	}
	p[1] = nil
	for j := range jackpots {
		p[1] = append(p[1], 5-j)
	}
	return p
}

func amigoSlip(boards ...Board) Slip {
	return Slip{"amigo", boards, money.Euros(2), 1}
}

func picks(p game.Picks) Board { return Board{Picks: p} }

func flash(extras, columns, also int) Board {
	return Board{QuickPick: true, Shape: game.Shape{Extras: extras, Columns: columns}, Also: also}
}

// allowedShapes are those of the table of AMI-3.1.7, with what they stand for.
var allowedShapes = map[game.Shape]int64{
	{}:                      1,
	{Extras: 1, Columns: 1}: 2, {Extras: 1, Columns: 2}: 4, {Extras: 1, Columns: 3}: 8, {Extras: 1, Columns: 4}: 16, {Extras: 1, Columns: 5}: 32,
	{Extras: 2, Columns: 1}: 3, {Extras: 2, Columns: 2}: 9, {Extras: 2, Columns: 3}: 27,
	{Extras: 3, Columns: 1}: 4, {Extras: 3, Columns: 2}: 16,
	{Extras: 4, Columns: 1}: 5, {Extras: 4, Columns: 2}: 25,
}

// TestAMI_3_1_6_Shapes: the shapes of the table and nothing else, with 1 to 5
// jackpot numbers, marked or quick-picked.
func TestAMI_3_1_6_Shapes(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	r.Limit.Max = 0
	for extras := range 5 {
		for columns := range 10 {
			for also := range 7 {
				shape := game.Shape{Extras: extras, Columns: columns}
				if extras == 0 {
					shape.Columns = 0
				}
				n, allowed := allowedShapes[shape]
				if extras > 0 && columns == 0 {
					allowed = false // extra numbers, but nowhere
				}
				p := multiple(min(also, 5), slices.Repeat([]int{extras}, columns)...)
				if also == 6 {
					p[1] = append(p[1], 6)
				}
				marked, err := New(r, amigoSlip(picks(p)))
				markedAllowed := (allowed || columns == 0) && 1 <= also && also <= 5
				if (err == nil) != markedAllowed {
					t.Errorf("%s, %d jackpot numbers marked: %v", shape, also, err)
				}
				quick, err := New(r, amigoSlip(flash(extras, shape.Columns, also)))
				if (err == nil) != (allowed && also <= 5) {
					t.Errorf("%s, %d jackpot numbers quick-picked: %v", shape, also, err)
				}
				if err == nil && quick.Combinations() != n*int64(max(1, also)) {
					t.Errorf("%s, %d jackpot numbers: %d combinations", shape, also, quick.Combinations())
				}
				if markedAllowed && allowed && marked.Combinations() != quick.Combinations() {
					t.Errorf("%s, %d jackpot numbers: %d combinations marked, %d quick-picked", shape, also, marked.Combinations(), quick.Combinations())
				}
			}
		}
	}
}

// TestAMI_3_1_6_Refusals: unequal extras, missing columns, hostile shapes, and both values of jackpot_only_multiple.
func TestAMI_3_1_6_Refusals(t *testing.T) {
	t.Parallel()
	without := func(column int) game.Picks {
		p := simple()
		p[0] = slices.Delete(p[0], column-1, column)
		return p
	}
	noAlone := func(r *game.Rules) { r.Multiple.AlsoAlone = false }
	for _, v := range []struct {
		name   string
		change func(r *game.Rules)
		board  Board
		want   error
	}{
		{"simple", nil, picks(simple()), nil},
		{"1 and 2 extras", nil, picks(multiple(1, 1, 2)), game.ErrShape},
		{"2, 2 and 1 extras", nil, picks(multiple(1, 2, 2, 1)), game.ErrShape},
		{"no column 1", nil, picks(without(1)), game.ErrTooFew},
		{"no column 9", nil, picks(without(9)), game.ErrTooFew},
		{"no column 9, one extra in column 1", nil, picks(game.Picks{append(without(9)[0], 2), {1}}), game.ErrTooFew},
		{"no jackpot number", nil, picks(multiple(0, 1)), game.ErrTooFew},
		{"jackpot number 6", nil, picks(game.Picks{simple()[0], {6}}), game.ErrElement},
		{"number 0", nil, picks(game.Picks{append(simple()[0], 0), {1}}), game.ErrElement},
		{"number 46", nil, picks(game.Picks{append(simple()[0], 46), {1}}), game.ErrElement},
		{"a number twice", nil, picks(game.Picks{append(simple()[0], 41), {1}}), game.ErrElement},
		{"a million numbers", nil, picks(game.Picks{make([]int, 1_000_000), {1}}), game.ErrElement},
		{"jackpot_only_multiple allowed", nil, picks(multiple(5)), nil},
		{"jackpot_only_multiple allowed, quick pick", nil, flash(0, 0, 5), nil},
		{"jackpot_only_multiple refused", noAlone, picks(multiple(2)), game.ErrShape},
		{"jackpot_only_multiple refused, quick pick", noAlone, flash(0, 0, 2), game.ErrShape},
		{"jackpot_only_multiple refused, with a multiple play", noAlone, picks(multiple(2, 1)), nil},
		{"jackpot_only_multiple refused, simple", noAlone, flash(0, 0, 1), nil},
		{"its shape stated", nil, Board{Picks: multiple(2, 1, 1), Shape: game.Shape{Extras: 1, Columns: 2}, Also: 2}, nil},
		{"another shape stated", nil, Board{Picks: multiple(2, 1, 1), Shape: game.Shape{Extras: 1, Columns: 1}}, game.ErrShape},
		{"other jackpot numbers stated", nil, Board{Picks: multiple(2, 1, 1), Also: 3}, game.ErrShape},
		{"quick pick of a shape without columns", nil, flash(1, 0, 1), game.ErrShape},
		{"quick pick of columns without extras", nil, flash(0, 1, 1), game.ErrShape},
		{"quick pick of 3×3", nil, flash(3, 3, 1), game.ErrShape},
		{"quick pick of too much", nil, flash(math.MaxInt, math.MaxInt, 1), game.ErrShape},
		{"quick pick of less than nothing", nil, flash(-1, -1, 1), game.ErrShape},
		{"quick pick of less than no jackpot number", nil, flash(0, 0, -1), game.ErrShape},
		{"quick pick of 6 jackpot numbers", nil, flash(1, 1, 6), game.ErrShape},
		{"quick pick of too many jackpot numbers", nil, flash(1, 1, math.MaxInt), game.ErrShape},
		{"quick_pick_by terminal", func(r *game.Rules) { r.QuickPick.By = game.ByTerminal }, Board{
			Picks: multiple(2, 1, 1), QuickPick: true, Shape: game.Shape{Extras: 1, Columns: 2}, Drawn: multiple(2, 1, 1),
		}, nil},
		{"quick_pick_by terminal, another shape asked", func(r *game.Rules) { r.QuickPick.By = game.ByTerminal }, Board{
			Picks: multiple(2, 1, 1), QuickPick: true, Shape: game.Shape{Extras: 1, Columns: 1}, Drawn: multiple(2, 1, 1),
		}, game.ErrShape},
	} {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			r := amigo(t)
			if v.change != nil {
				v.change(r)
			}
			w, err := New(r, amigoSlip(v.board))
			if !errors.Is(err, v.want) || (err == nil) != (v.want == nil) {
				t.Fatalf("got %v, want %v", err, v.want)
			}
			if err != nil && !cmp.Equal(w, Wager{}) {
				t.Errorf("refused, and yet %+v", w)
			}
		})
	}
	if _, err := New(ileAuTresor(t), Slip{"ile-au-tresor", []Board{flash(1, 1, 0)}, money.Euros(2), 1}); !errors.Is(err, game.ErrShape) {
		t.Errorf("a multiple play of L'Ile au Trésor: %v", err)
	}
}

// TestAMI_3_1_7_Decomposition: a play stands for each choice of one number of each
// column and one jackpot number, once; that many combinations are paid.
func TestAMI_3_1_7_Decomposition(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	r.Limit.Max = 0
	for shape, n := range allowedShapes {
		for also := 1; also <= 5; also++ {
			p := multiple(also, slices.Repeat([]int{shape.Extras}, shape.Columns)...)
			w, err := New(r, amigoSlip(picks(p)))
			if err != nil {
				t.Errorf("%s, %d: %v", shape, also, err)
				continue
			}
			want := n * int64(also)
			if w.Combinations() != want || w.Price(5) != money.Euros(2*5*want) {
				t.Errorf("%s, %d: %d combinations, price %s; want %d", shape, also, w.Combinations(), w.Price(5), want)
			}
			seen := map[game.Combination]bool{}
			for _, c := range w.Plays(rng.Seed{}, 0)[0].Combinations {
				one := r.Picks(c)
				if seen[c] || !holds(p, one) || r.CheckPicks(one) != nil {
					t.Errorf("%s, %d: %v is not one of %v", shape, also, one, p)
				}
				seen[c] = true
			}
			if int64(len(seen)) != want {
				t.Errorf("%s, %d: %d combinations, want %d", shape, also, len(seen), want)
			}
		}
	}
}

// TestAMI_3_1_7_ShapeScope: one shape a board, or a slip; simple combinations may stand beside it (3.1.8).
func TestAMI_3_1_7_ShapeScope(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	slip := *r
	slip.Multiple.Scope = game.ShapeBySlip
	for _, v := range []struct {
		name   string
		boards []Board
		bySlip error
	}{
		{"two shapes", []Board{picks(multiple(1, 1)), picks(multiple(1, 2))}, ErrShapes},
		{"two numbers of columns", []Board{picks(multiple(1, 1)), picks(simple()), picks(multiple(1, 1, 1))}, ErrShapes},
		{"marked and quick-picked", []Board{flash(1, 1, 1), picks(multiple(1, 2))}, ErrShapes},
		{"the same shape", []Board{flash(1, 1, 1), picks(multiple(2, 1)), picks(multiple(1, 0, 1))}, nil},
		{"simple combinations beside it", []Board{picks(simple()), picks(multiple(1, 1)), flash(0, 0, 1), picks(multiple(2))}, nil},
		{"simple combinations", []Board{picks(simple()), flash(0, 0, 3)}, nil},
	} {
		if _, err := New(r, amigoSlip(v.boards...)); err != nil {
			t.Errorf("board: %s: %v", v.name, err)
		}
		_, err := New(&slip, amigoSlip(v.boards...))
		if !errors.Is(err, v.bySlip) || (err == nil) != (v.bySlip == nil) {
			t.Errorf("slip: %s: %v", v.name, err)
		}
	}
	_, err := New(&slip, amigoSlip(picks(multiple(1, 1)), picks(multiple(1, 2))))
	var refusal *ShapesError
	want := ShapesError{2, game.Shape{Extras: 2, Columns: 1}, game.Shape{Extras: 1, Columns: 1}}
	if !errors.As(err, &refusal) || *refusal != want {
		t.Fatalf("got %v", err)
	}
	if got, want := err.Error(), "multiple plays of several shapes on one slip: board 2 is 2×1 after 1×1"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestAMI_3_1_3_Slip: several boards, simple and multiple, of which each counts;
// 1, 2, 5, 10 or 20 draws; nothing has a default.
func TestAMI_3_1_3_Slip(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	boards := []Board{picks(simple()), picks(multiple(2, 1)), flash(0, 0, 0), flash(2, 1, 1)}
	w, err := New(r, amigoSlip(boards...))
	if err != nil {
		t.Fatal(err)
	}
	if w.Combinations() != 1+4+1+3 || w.Price(2) != money.Euros(2*9*2) {
		t.Errorf("%d combinations, price %s", w.Combinations(), w.Price(2))
	}
	plays := w.Plays(seedOf(1), 0)
	if got := Combinations(plays); len(got) != 9 {
		t.Errorf("%d combinations played", len(got))
	}
	for i, want := range []int{1, 4, 1, 3} {
		if n := len(plays[i].Combinations); n != want {
			t.Errorf("board %d: %d combinations, want %d", i+1, n, want)
		}
	}

	for draws := -1; draws <= 25; draws++ {
		s := amigoSlip(picks(simple()))
		s.Draws = draws
		_, err := New(r, s)
		var want error
		switch {
		case draws == 0:
			want = ErrDrawsNotMarked
		case !slices.Contains([]int{1, 2, 5, 10, 20}, draws):
			want = ErrDraws
		}
		if !errors.Is(err, want) || (err == nil) != (want == nil) {
			t.Errorf("%d draws: %v", draws, err)
		}
	}
	for boards := range r.BoardsMax + 2 {
		_, err := New(r, amigoSlip(slices.Repeat([]Board{picks(simple())}, boards)...))
		if ok := 1 <= boards && boards <= r.BoardsMax; ok != (err == nil) || !ok && !errors.Is(err, ErrBoards) {
			t.Errorf("%d boards: %v", boards, err)
		}
	}
}

// TestAMI_3_1_3_OverRun: 20 draws of fewer that the session has left are
// refused, or cut; the session goes on past midnight, and does not reach over
// the night in which the clocks change.
func TestAMI_3_1_3_OverRun(t *testing.T) {
	t.Parallel()
	refuse := amigo(t)
	cut := *refuse
	cut.OverRun = game.CutOverRun
	for _, v := range []struct {
		day         string
		first, left int // of 20 asked before draw first closes
	}{
		{"2027-03-27", 231, 20}, // 231 is at 23:20
		{"2027-03-27", 232, 19},
		{"2027-03-27", 250, 1},
		{"2027-10-30", 231, 20},
		{"2027-10-30", 240, 11}, // after midnight
		{"2027-06-15", 1, 20},
	} {
		day, err := game.ParseDay(v.day)
		if err != nil {
			t.Fatal(err)
		}
		open := append(draw.Plan(refuse, day), draw.Plan(refuse, day+1)...)
		at := open[v.first-1].ClosesAt.Add(-time.Second)
		for _, asked := range refuse.DrawCounts {
			name := fmt.Sprintf("%s, %d draws from %d", v.day, asked, v.first)
			left := min(asked, v.left)
			got, err := Cut(&cut, open, at, "metropole", asked)
			if err != nil || len(got) != left || got[0].Number != v.first || got[left-1].Number != v.first+left-1 {
				t.Errorf("%s, cut: %v, %v", name, numbers(got), err)
			}
			got, err = Cut(refuse, open, at, "metropole", asked)
			var over *OverRunError
			switch {
			case asked <= v.left:
				if err != nil || len(got) != asked {
					t.Errorf("%s: %v, %v", name, numbers(got), err)
				}
			case !errors.As(err, &over) || *over != (OverRunError{asked, v.left}):
				t.Errorf("%s: %v, %v", name, numbers(got), err)
			}
		}
	}
}

// TestAMI_5_Stakes: 2, 4, 6, 8 and 10 €, nothing else.
func TestAMI_5_Stakes(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	for stake := money.Amount(-200); stake <= 2100; stake += 50 {
		s := amigoSlip(picks(simple()))
		s.Stake = stake
		w, err := New(r, s)
		units := int64(stake / 200)
		switch {
		case slices.Contains([]money.Amount{200, 400, 600, 800, 1000}, stake):
			if err != nil || w.Units != units || w.Price(1) != stake {
				t.Errorf("%s: %d units, price %s, %v", stake, w.Units, w.Price(1), err)
			}
		case stake == 0:
			if !errors.Is(err, ErrStakeNotMarked) {
				t.Errorf("%s: %v", stake, err)
			}
		case !errors.Is(err, ErrStake):
			t.Errorf("%s: %v", stake, err)
		}
	}
}

// TestAMI_3_2_Vectors holds quick picks that another program made by docs/rng.md.
func TestAMI_3_2_Vectors(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	r.QuickPick.Partial = true
	var seed rng.Seed
	for i := range seed {
		seed[i] = byte(i)
	}
	r.Limit.Max = 0
	plays := mustNew(t, r, flash(0, 0, 0), flash(2, 3, 2)).Plays(seed, 0)
	partial := flash(1, 2, 1)
	partial.Picks = game.Picks{{2, 1, 6, 45, 11}, {5}}
	got := []game.Picks{plays[0].Picks, plays[1].Picks, mustNew(t, r, partial).Plays(seed, 3)[0].Picks}
	want := []game.Picks{
		{{3, 7, 12, 19, 22, 30, 32, 36, 45}, {2}},
		{{5, 8, 13, 16, 22, 29, 31, 33, 34, 36, 37, 40, 41, 43, 45}, {2, 4}},
		{{1, 2, 6, 11, 18, 22, 28, 29, 31, 39, 45}, {5}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestAMI_3_2_PartialQuickPick: a marked board is completed, or refused.
func TestAMI_3_2_PartialQuickPick(t *testing.T) {
	t.Parallel()
	for _, v := range []struct {
		name  string
		board Board
		want  error // where the reading allows it; else it is refused
	}{
		{"simple", Board{Picks: game.Picks{{1, 45}}}, nil},
		{"jackpot number", Board{Picks: game.Picks{nil, {5}}}, nil},
		{"column with 2, of 2 with 2", Board{Picks: game.Picks{{1, 2}}, Shape: game.Shape{Extras: 1, Columns: 2}}, nil},
		{"complete", Board{Picks: multiple(2, 1, 1), Shape: game.Shape{Extras: 1, Columns: 2}, Also: 2}, nil},
		{"2 in a column of a simple combination", Board{Picks: game.Picks{{1, 2}}}, game.ErrTooMany},
		{"3 in a column, of those with 2", Board{Picks: game.Picks{{1, 2, 3}}, Shape: game.Shape{Extras: 1, Columns: 5}}, game.ErrTooMany},
		{"2 columns with 2, of 1", Board{Picks: game.Picks{{1, 2, 6, 7}}, Shape: game.Shape{Extras: 1, Columns: 1}}, game.ErrTooMany},
		{"3 jackpot numbers of 2", Board{Picks: game.Picks{nil, {1, 2, 3}}, Also: 2}, game.ErrTooMany},
	} {
		v.board.QuickPick = true
		r := amigo(t)
		if _, err := New(r, amigoSlip(v.board)); !errors.Is(err, ErrPartialQuickPick) && (v.want == nil || !errors.Is(err, v.want)) {
			t.Errorf("refused: %s: %v", v.name, err)
		}
		r.QuickPick.Partial = true
		w, err := New(r, amigoSlip(v.board))
		if !errors.Is(err, v.want) || (err == nil) != (v.want == nil) {
			t.Errorf("allowed: %s: %v", v.name, err)
		}
		if err == nil && (w.Fixed() != (v.name == "complete") || w.AllRandom()) {
			t.Errorf("allowed: %s: fixed %v, all random %v", v.name, w.Fixed(), w.AllRandom())
		}
	}
}

// TestAMI_3_2_QuickPick: whatever is asked for and marked, a quick pick keeps
// what is marked, adds what it says, has the shape that is asked for, costs what
// was said before it was drawn, and is a function of seed and attempt.
func TestAMI_3_2_QuickPick(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	r.QuickPick.Partial = true
	r.Limit.Max = 0
	var shapes []game.Shape
	for shape := range allowedShapes {
		shapes = append(shapes, shape)
	}
	slices.SortFunc(shapes, func(a, b game.Shape) int { return a.Extras*10 + a.Columns - b.Extras*10 - b.Columns })
	rapid.Check(t, func(t *rapid.T) {
		var boards []Board
		for range rapid.IntRange(1, 3).Draw(t, "boards") {
			b := Board{QuickPick: true, Shape: rapid.SampledFrom(shapes).Draw(t, "shape"), Also: rapid.IntRange(1, 5).Draw(t, "also")}
			columns := rapid.Permutation([]int{0, 1, 2, 3, 4, 5, 6, 7, 8}).Draw(t, "columns")
			numbers := []int{}
			for i, c := range columns {
				most := 1
				if i < b.Shape.Columns {
					most += b.Shape.Extras
				}
				in := rapid.Permutation([]int{1, 2, 3, 4, 5}).Draw(t, "numbers")
				for _, e := range in[:rapid.IntRange(0, most).Draw(t, "marked")] {
					numbers = append(numbers, 5*c+e)
				}
			}
			jackpots := rapid.Permutation([]int{1, 2, 3, 4, 5}).Draw(t, "jackpots")
			b.Picks = game.Picks{numbers, jackpots[:rapid.IntRange(0, b.Also).Draw(t, "marked")]}
			boards = append(boards, b)
		}
		w, err := New(r, amigoSlip(boards...))
		if err != nil {
			t.Fatal(err)
		}
		seed, attempt := seedOf(rapid.IntRange(0, 1<<30).Draw(t, "seed")), rapid.IntRange(0, 3).Draw(t, "attempt")
		plays := w.Plays(seed, attempt)
		for i, b := range boards {
			shape, also, err := r.ShapeOf(plays[i].Picks)
			if err != nil || shape != b.Shape || also != b.Also {
				t.Fatalf("%+v: %v is %s, %d; %v", b, plays[i].Picks, shape, also, err)
			}
			if diff := cmp.Diff(union(b.Picks, plays[i].Random), plays[i].Picks); diff != "" {
				t.Fatalf("%+v: %s", b, diff)
			}
		}
		if n := int64(len(Combinations(plays))); n != w.Combinations() || w.Price(1) != money.Euros(2).Times(n) {
			t.Fatalf("%d combinations, %d and %s said before", n, w.Combinations(), w.Price(1))
		}
		if diff := cmp.Diff(plays, w.Plays(seed, attempt)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// limitOf is the χ² of so many degrees of freedom that 1 right program in
// 100,000 exceeds (Wilson and Hilferty).
func limitOf(freedom int) float64 {
	f := float64(freedom)
	return f * math.Pow(1-2/(9*f)+4.27*math.Sqrt(2/(9*f)), 3)
}

// TestAMI_3_2_EachCompletion: on a small game, for every shape and every number
// of elements marked by column, each completion and no other comes, as often as
// each other: columns with and without a mark too.
func TestAMI_3_2_EachCompletion(t *testing.T) {
	t.Parallel()
	r := parse(t, smallColumns)
	var all []game.Picks // all plays, of all shapes
	for mask := range 1 << 9 {
		p := game.Picks{nil, {1}}
		for e := range 9 {
			if mask>>e&1 == 1 {
				p[0] = append(p[0], e+1)
			}
		}
		if r.CheckPicks(p) == nil {
			all = append(all, p)
		}
	}
	boards := 0
	for _, shape := range append(r.Multiple.Shapes, game.Shape{}) {
		for marks := range 3 * 3 * 3 {
			marked := game.Picks{nil, {1}}
			for c, n := range []int{marks % 3, marks / 3 % 3, marks / 9} {
				for e := range n {
					marked[0] = append(marked[0], 3*c+1+e)
				}
			}
			w, err := New(r, Slip{r.Code, []Board{{Picks: marked, QuickPick: true, Shape: shape}}, r.Stakes[0], 1})
			if err != nil {
				if !errors.Is(err, game.ErrTooMany) {
					t.Errorf("%s, %v: %v", shape, marked, err)
				}
				continue
			}
			boards++
			want := 0
			for _, p := range all {
				if s, _, _ := r.ShapeOf(p); s == shape && holds(p, marked) {
					want++
				}
			}
			const each = 60
			counts := map[string]int{}
			for i := range each * want {
				counts[fmt.Sprint(w.Plays(seedOf(i), i%3)[0].Picks)]++
			}
			sum := 0
			for _, k := range counts {
				sum += (k - each) * (k - each)
			}
			if len(counts) != want || want > 1 && float64(sum)/each > limitOf(want-1) {
				t.Errorf("%s, %v: %d completions, want %d; χ² %d: %v", shape, marked, len(counts), want, sum/each, counts)
			}
		}
	}
	if boards != 20+26+20+8 { // of 1×1, 1×2, 2×1 and simple
		t.Errorf("%d boards", boards)
	}
}

// TestAMI_3_2_ColumnsAlone: a game without multiple play may have several
// matrices with columns, each completed with one element of each column.
func TestAMI_3_2_ColumnsAlone(t *testing.T) {
	t.Parallel()
	before, after, _ := strings.Cut(smallColumns, "multiple:")
	_, after, _ = strings.Cut(after, "prize_tables:")
	r := parse(t, strings.Replace(before, "pick: 1, count: 2}", "pick: 2, count: 4, columns: 2}", 1)+
		"prize_tables:"+strings.Replace(after, "letters: 1", "letters: 2", 1))
	board := mustNew(t, r, Board{QuickPick: true}).Slip.Boards[0]
	checkEvery(t, "two matrices", r, board, 3*3*3*2*2)
	board = mustNew(t, r, Board{QuickPick: true, Picks: game.Picks{nil, {4}}}).Slip.Boards[0]
	checkEvery(t, "one letter marked", r, board, 3*3*3*2)
	if _, err := New(r, Slip{r.Code, []Board{flash(1, 1, 0)}, r.Stakes[0], 1}); !errors.Is(err, game.ErrShape) {
		t.Errorf("a multiple play: %v", err)
	}
}

// TestF03_AmigoQuickPick: each number and each jackpot number comes as often as
// it should in quick picks of each shape.
func TestF03_AmigoQuickPick(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	for _, b := range []Board{flash(0, 0, 1), flash(1, 5, 1), flash(4, 1, 3), flash(3, 2, 1), flash(2, 2, 4)} {
		w := mustNew(t, r, b)
		const plays = 2500
		counts := [2][46]int{}
		for i := range plays {
			for m, elements := range w.Plays(seedOf(i), 0)[0].Picks {
				for _, e := range elements {
					counts[m][e]++
				}
			}
		}
		for m, want := range []int{plays * (9 + b.Shape.Extras*b.Shape.Columns) / 45, plays * b.Also / 5} {
			for e := 1; e <= len(r.Matrices[m].Elements); e++ {
				// Five standard deviations; a count varies by less than its mean.
				if off := counts[m][e] - want; off*off > 25*want {
					t.Errorf("%s, %d: element %d of matrix %d came %d times, want about %d", b.Shape, b.Also, e, m, counts[m][e], want)
				}
			}
		}
	}
}

// TestF23_ColumnsAndBoards: the quick picks of two boards of Amigo are
// independent, number by number of a column and column by column of a shape; so
// are two attempts.
func TestF23_ColumnsAndBoards(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	w := mustNew(t, r, flash(0, 0, 1), flash(1, 1, 1))
	if !w.AllRandom() || w.Fixed() {
		t.Errorf("all random %v, fixed %v", w.AllRandom(), w.Fixed())
	}
	const plays = 9000
	var numbers, jackpots, attempts, extended [45][9]int
	for i := range plays {
		p, other := w.Plays(seedOf(i), 0), w.Plays(seedOf(i), 1)
		for c, e := range p[0].Picks[0] {
			numbers[c*5+(e-1)%5][firstOf(p[1], c)]++
			attempts[c*5+(e-1)%5][(other[0].Picks[0][c]-1)%5]++
		}
		jackpots[p[0].Picks[1][0]-1][p[1].Picks[1][0]-1]++
		for c := range 9 {
			if lastOf(p[1], c) != firstOf(p[1], c) {
				extended[p[0].Picks[0][0]-1][c]++
			}
		}
	}
	// The first of a column of the second board, which is one of two in 1 of 9 plays.
	first := []float64{(8*4 + 1*8) / 180.0, (8*4 + 1*6) / 180.0, (8*4 + 1*4) / 180.0, (8*4 + 1*2) / 180.0, 8 * 4 / 180.0}
	fifth, ninth := slices.Repeat([]float64{0.2}, 5), slices.Repeat([]float64{1.0 / 9}, 9)
	for c := range 9 {
		checkJoint(t, fmt.Sprint("column ", c+1), numbers[5*c:5*c+5], first, plays)
		checkJoint(t, fmt.Sprint("attempts, column ", c+1), attempts[5*c:5*c+5], fifth, plays)
	}
	checkJoint(t, "jackpot numbers", jackpots[:5], fifth, plays)
	checkJoint(t, "number 1 to 5 and extended column", extended[:5], ninth, plays)
}

// firstOf and lastOf are the least and the greatest number of a column, from 0.
func firstOf(p Play, column int) int {
	i := slices.IndexFunc(p.Picks[0], func(e int) bool { return (e-1)/5 == column })
	return (p.Picks[0][i] - 1) % 5
}

func lastOf(p Play, column int) int {
	last := 0
	for _, e := range p.Picks[0] {
		if (e-1)/5 == column {
			last = (e - 1) % 5
		}
	}
	return last
}

// checkJoint compares the counts of five equal rows with the chances of their columns.
func checkJoint(t *testing.T, what string, rows [][9]int, chances []float64, total int) {
	t.Helper()
	var sum float64
	for _, row := range rows {
		for i, p := range chances {
			want := float64(total) * p / 5
			sum += (float64(row[i]) - want) * (float64(row[i]) - want) / want
		}
	}
	if freedom := 5*len(chances) - 1; sum > limitOf(freedom) {
		t.Errorf("%s: χ² %.1f, limit %.1f: %v", what, sum, limitOf(freedom), rows)
	}
}

// FuzzNew_Amigo: any slip gives a wager or a refusal; a wager is played at the
// price that was said, under the limit, with all that the player marked, and with
// no more combinations than a board of the game can have.
func FuzzNew_Amigo(f *testing.F) {
	r := amigo(f)
	partial, terminal, slip := *r, *r, *r
	partial.QuickPick.Partial = true
	terminal.QuickPick = game.QuickPick{Partial: true, By: game.ByTerminal}
	slip.Multiple.Scope, slip.Limit.Scope, slip.Limit.Plays = game.ShapeBySlip, game.LimitPerDraw, game.LimitMultipleOnly
	f.Add([]byte{1, 6, 11, 16, 21, 26, 31, 36, 41}, []byte{3}, 0, 0, 0, int64(200), 1, 1, byte(0))
	f.Add([]byte{1, 2, 6, 7, 11, 16, 21, 26, 31, 36, 41}, []byte{3, 4}, 0, 0, 0, int64(400), 2, 2, byte(0))
	f.Add([]byte{}, []byte{}, 1, 5, 1, int64(200), 1, 1, byte(4))
	f.Add([]byte{1, 2, 45}, []byte{5}, 1, 2, 2, int64(200), 5, 1, byte(5))
	f.Add([]byte{1, 2}, []byte{}, 1<<62, 1<<62, -1<<63, int64(1000), 20, 5, byte(5))
	f.Add([]byte{1, 2, 6, 7, 11, 16, 21, 26, 31, 36, 41}, []byte{3}, 1, 2, 1, int64(200), 1, 1, byte(14))
	f.Add([]byte{1, 6, 11, 16, 21, 26, 31, 36, 41, 42}, []byte{1, 2, 3, 4, 5}, 1, 1, 5, int64(1000), 1, 3, byte(3))
	f.Fuzz(func(t *testing.T, numbers, jackpots []byte, extras, columns, also int, stake int64, draws, boards int, how byte) {
		ints := func(bytes []byte) (list []int) {
			for _, b := range bytes {
				list = append(list, int(int8(b)))
			}
			return list
		}
		rules := []*game.Rules{r, &partial, &terminal, &slip}[how%4]
		b := Board{
			Picks:     game.Picks{ints(numbers), ints(jackpots)},
			QuickPick: how>>2&1 == 1, Shape: game.Shape{Extras: extras, Columns: columns}, Also: also,
		}
		if how>>3&1 == 1 {
			b.Drawn = game.Picks{nil, ints(jackpots)}
		}
		s := Slip{"amigo", slices.Repeat([]Board{b}, max(0, min(boards, 6))), money.Amount(stake), draws}
		w, err := New(rules, s)
		if err != nil {
			return
		}
		plays := w.Plays([32]byte{1}, 0)
		for _, play := range plays {
			if !holds(play.Picks, b.Picks) || rules.CheckPicks(play.Picks) != nil || len(play.Combinations) > 160 {
				t.Fatalf("%+v: play %+v", s, play)
			}
		}
		if n := int64(len(Combinations(plays))); w.Price(draws) != money.Amount(stake).Times(n).Times(int64(draws)) || w.Units <= 0 {
			t.Fatalf("%+v: price %s of %d combinations, units %d", s, w.Price(draws), n, w.Units)
		}
		if rules != &slip && w.Price(draws) > money.Euros(100) {
			t.Fatalf("%+v: price %s", s, w.Price(draws))
		}
	})
}
