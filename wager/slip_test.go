package wager

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tirage/game"
	"tirage/money"
)

// ileAuTresor returns the rules as shipped, for a test to change.
func ileAuTresor(t testing.TB) *game.Rules {
	t.Helper()
	text, err := game.Book("ile-au-tresor")
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, string(text))
}

func parse(t testing.TB, text string) *game.Rules {
	t.Helper()
	r, err := game.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// smallGame is 2 of 4 numbers and 1 of 2 letters: 12 combinations; two boards a slip.
const smallGame = `
game: small
version: "1"
name: {fr: Petit, en: Small}
kind: fixed-prize
first_day: 2020-01-01
unit_stake: 1
stakes: [1, 2, 3]
draw_counts: [1]
boards_max: 2
quick_pick: {partial: allowed}
matrices:
  - {key: numbers, name: {fr: N, en: N}, pick: 2, count: 4, sets: [{key: numbers, count: 2}]}
  - {key: letters, name: {fr: L, en: L}, pick: 1, count: 2, sets: [{key: letters, count: 1}]}
prize_tables:
  - {key: ordinary, tiers: [{name: top, hits: {numbers: 2, letters: 1}, prize: 5}]}
`

// smallColumns is one of 3 numbers in each of 3 columns and 1 of 2 letters, with
// multiple play; two boards a slip.
const smallColumns = `
game: columns
version: "1"
name: {fr: Colonnes, en: Columns}
kind: fixed-prize
first_day: 2020-01-01
unit_stake: 1
stakes: [1, 2, 3]
draw_counts: [1]
boards_max: 2
quick_pick: {partial: allowed}
matrices:
  - {key: numbers, name: {fr: N, en: N}, pick: 3, count: 9, columns: 3}
  - {key: letters, name: {fr: L, en: L}, pick: 1, count: 2}
multiple:
  matrix: numbers
  shapes:
    - {extras: 1, columns: [1, 2], combinations: [2, 4]}
    - {extras: 2, columns: [1, 1], combinations: [3]}
  also: letters
  also_max: 2
prize_tables:
  - {key: ordinary, tiers: [{name: top, hits: {numbers: 3, letters: 1}, prize: 5}]}
`

// amigo returns the rules as shipped, for a test to change.
func amigo(t testing.TB) *game.Rules {
	t.Helper()
	text, err := game.Book("amigo")
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, string(text))
}

func fullSlip() Slip {
	return Slip{
		Game:   "ile-au-tresor",
		Boards: []Board{{Picks: game.Picks{{21, 1, 5, 9, 13, 7, 3}, {3}}}},
		Stake:  money.Euros(4),
		Draws:  6,
	}
}

func picked(places, pirates []int) func(*game.Rules, *Slip) {
	return func(_ *game.Rules, s *Slip) { s.Boards[0].Picks = game.Picks{places, pirates} }
}

func quick(places, pirates []int) func(*game.Rules, *Slip) {
	return func(_ *game.Rules, s *Slip) { s.Boards[0] = Board{Picks: game.Picks{places, pirates}, QuickPick: true} }
}

func drawn(picks, terminal game.Picks) func(*game.Rules, *Slip) {
	return func(r *game.Rules, s *Slip) {
		r.QuickPick.By = game.ByTerminal
		s.Boards[0] = Board{Picks: picks, QuickPick: true, Drawn: terminal}
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	six, seven := []int{1, 2, 3, 4, 5, 6}, []int{1, 2, 3, 4, 5, 6, 7}
	full := game.Picks{seven, {1}}
	noPartial := func(next func(*game.Rules, *Slip)) func(*game.Rules, *Slip) {
		return func(r *game.Rules, s *Slip) { r.QuickPick.Partial = false; next(r, s) }
	}
	for _, v := range []struct {
		name   string
		change func(r *game.Rules, s *Slip)
		want   error
	}{
		{"IAT-2.3.3 complete", func(*game.Rules, *Slip) {}, nil},
		{"another game", func(_ *game.Rules, s *Slip) { s.Game = "amigo" }, ErrGame},
		{"IAT-2.3.2 stake not marked", func(_ *game.Rules, s *Slip) { s.Stake = 0 }, ErrStakeNotMarked},
		{"IAT-2.3.2 draws not marked", func(_ *game.Rules, s *Slip) { s.Draws = 0 }, ErrDrawsNotMarked},
		{"IAT-2.3.5 7 draws", func(_ *game.Rules, s *Slip) { s.Draws = 7 }, ErrDraws},
		{"IAT-2.3.5 −1 draws", func(_ *game.Rules, s *Slip) { s.Draws = -1 }, ErrDraws},
		{"IAT-2.3.2 no board", func(_ *game.Rules, s *Slip) { s.Boards = nil }, ErrBoards},
		{"IAT-2.3.2 two boards", func(_ *game.Rules, s *Slip) { s.Boards = append(s.Boards, s.Boards[0]) }, ErrBoards},
		{"a million boards", func(_ *game.Rules, s *Slip) { s.Boards = make([]Board, 1_000_000) }, ErrBoards},
		{"IAT-2.3.3 no picks", func(_ *game.Rules, s *Slip) { s.Boards[0].Picks = nil }, game.ErrTooFew},
		{"IAT-2.3.3 empty picks", picked(nil, nil), game.ErrTooFew},
		{"IAT-2.3.3 6 places", picked(six, []int{1}), game.ErrTooFew},
		{"IAT-2.3.3 no pirate", picked(seven, nil), game.ErrTooFew},
		{"IAT-2.3.3 8 places", picked(append(seven[:7:7], 8), []int{1}), game.ErrTooMany},
		{"IAT-2.3.3 2 pirates", picked(seven, []int{1, 2}), game.ErrTooMany},
		{"IAT-2.3.3 8 places with quick pick", quick(append(seven[:7:7], 8), nil), game.ErrTooMany},
		{"IAT-2.3.3 2 pirates with quick pick", quick(nil, []int{1, 2}), game.ErrTooMany},
		{"three matrices", func(_ *game.Rules, s *Slip) { s.Boards[0].Picks = game.Picks{seven, {1}, {}} }, game.ErrTooMany},
		{"one place twice", picked([]int{1, 2, 3, 4, 5, 6, 6}, []int{1}), game.ErrElement},
		{"one place twice with quick pick", quick([]int{6, 6}, nil), game.ErrElement},
		{"place 0", picked([]int{0, 2, 3, 4, 5, 6, 7}, []int{1}), game.ErrElement},
		{"place 22", picked([]int{22, 2, 3, 4, 5, 6, 7}, []int{1}), game.ErrElement},
		{"place −1", picked([]int{-1, 2, 3, 4, 5, 6, 7}, []int{1}), game.ErrElement},
		{"pirate 4", picked(seven, []int{4}), game.ErrElement},
		{"a million places", picked(make([]int, 1_000_000), []int{1}), game.ErrElement},
		{"IAT-2.4 quick pick of all", quick(nil, nil), nil},
		{"IAT-2.4 quick pick, no picks", func(_ *game.Rules, s *Slip) { s.Boards[0] = Board{QuickPick: true} }, nil},
		{"IAT-2.4 quick pick of part", quick(six, nil), nil},
		{"IAT-2.4 quick pick of nothing", quick(seven, []int{2}), nil},
		{"partial_quick_pick refused: part", noPartial(quick(six, nil)), ErrPartialQuickPick},
		{"partial_quick_pick refused: complete", noPartial(quick(seven, []int{2})), ErrPartialQuickPick},
		{"partial_quick_pick refused: all", noPartial(quick(nil, nil)), nil},
		{"partial_quick_pick refused: no quick pick", noPartial(picked(seven, []int{2})), nil},
		{"quick_pick_by central: drawn", func(_ *game.Rules, s *Slip) { s.Boards[0] = Board{Picks: full, QuickPick: true, Drawn: full} }, ErrDrawn},
		{"quick_pick_by terminal: drawn", drawn(full, full), nil},
		{"quick_pick_by terminal: drawn in part", drawn(full, game.Picks{{3, 1}}), nil},
		{"quick_pick_by terminal: not completed", drawn(game.Picks{six, {1}}, game.Picks{{1}}), game.ErrTooFew},
		{"quick_pick_by terminal: not in picks", drawn(full, game.Picks{{8}}), ErrDrawn},
		{"quick_pick_by terminal: twice", drawn(full, game.Picks{{7, 7}}), ErrDrawn},
		{"quick_pick_by terminal: too many", drawn(full, game.Picks{{}, make([]int, 1_000_000)}), ErrDrawn},
		{"quick_pick_by terminal: three matrices", drawn(full, game.Picks{{}, {}, {1}}), ErrDrawn},
		{"quick_pick_by terminal: without quick pick", func(r *game.Rules, s *Slip) {
			r.QuickPick.By = game.ByTerminal
			s.Boards[0] = Board{Picks: full, Drawn: full}
		}, ErrDrawn},
		{"quick_pick_by terminal, partial refused: part", noPartial(drawn(full, game.Picks{{1}})), ErrPartialQuickPick},
		{"quick_pick_by terminal, partial refused: all", noPartial(drawn(full, full)), nil},
	} {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			r, s := ileAuTresor(t), fullSlip()
			v.change(r, &s)
			w, err := New(r, s)
			if !errors.Is(err, v.want) || (err == nil) != (v.want == nil) {
				t.Fatalf("got %v, want %v", err, v.want)
			}
			if err != nil && !cmp.Equal(w, Wager{}) {
				t.Errorf("refused, and yet %+v", w)
			}
		})
	}
}

// TestIAT_2_1_Stakes: 2, 4, 6, 8, 10 and 20 €, nothing else.
func TestIAT_2_1_Stakes(t *testing.T) {
	t.Parallel()
	r := ileAuTresor(t)
	units := map[money.Amount]int64{200: 1, 400: 2, 600: 3, 800: 4, 1000: 5, 2000: 10}
	for stake := money.Amount(-2000); stake <= 4100; stake += 50 {
		s := fullSlip()
		s.Stake = stake
		w, err := New(r, s)
		var refusal *StakeError
		switch {
		case units[stake] > 0:
			if err != nil || w.Units != units[stake] {
				t.Errorf("%s: %d units, %v", stake, w.Units, err)
			}
		case stake == 0:
			if !errors.Is(err, ErrStakeNotMarked) {
				t.Errorf("%s: %v", stake, err)
			}
		case !errors.Is(err, ErrStake) || !errors.As(err, &refusal) || refusal.Stake != stake || !slices.Equal(refusal.Allowed, r.Stakes):
			t.Errorf("%s: %v", stake, err)
		}
	}
}

func TestIAT_2_3_5_Price(t *testing.T) {
	t.Parallel()
	w, err := New(ileAuTresor(t), fullSlip())
	if err != nil {
		t.Fatal(err)
	}
	for draws := 1; draws <= 6; draws++ {
		if got, want := w.Price(draws), money.Euros(4*int64(draws)); got != want {
			t.Errorf("%d draws: %s, want %s", draws, got, want)
		}
	}
	two, err := New(parse(t, smallGame), Slip{"small", []Board{{QuickPick: true}, {QuickPick: true}}, money.Euros(3), 1})
	if err != nil || two.Price(1) != money.Euros(6) {
		t.Errorf("two boards: %s, %v", two.Price(1), err)
	}
}

// TestNew_Copies: the wager is sorted, the slip as it was.
func TestNew_Copies(t *testing.T) {
	t.Parallel()
	s := fullSlip()
	w, err := New(ileAuTresor(t), s)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fullSlip(), s); diff != "" {
		t.Error(diff)
	}
	s.Boards[0].Picks[0][0] = 99
	want := game.Picks{{1, 3, 5, 7, 9, 13, 21}, {3}}
	if diff := cmp.Diff(want, w.Slip.Boards[0].Picks); diff != "" {
		t.Error(diff)
	}
}

func TestRefusals_Text(t *testing.T) {
	t.Parallel()
	r, s := ileAuTresor(t), fullSlip()
	s.Draws = 9
	_, err := New(r, s)
	if got, want := err.Error(), "number of draws not allowed: 9, allowed [1 2 3 4 5 6]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	s = fullSlip()
	s.Boards[0].Picks[1] = nil
	_, err = New(r, s)
	var fault *game.PicksError
	if !errors.As(err, &fault) || fault.Matrix != "pirates" || fault.Want != 1 || fault.Got != 0 {
		t.Errorf("got %v", err)
	}
}

// FuzzNew: any slip gives a wager or a refusal, and a wager gives complete
// combinations that keep all that the player marked.
func FuzzNew(f *testing.F) {
	r := ileAuTresor(f)
	terminal := *r
	terminal.QuickPick.By = game.ByTerminal
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7}, []byte{1}, []byte{}, int64(200), 1, 1, true, false)
	f.Add([]byte{}, []byte{}, []byte{}, int64(2000), 6, 1, true, false)
	f.Add([]byte{1, 2, 3, 4, 5, 6, 21}, []byte{3}, []byte{1, 2}, int64(400), 2, 1, true, true)
	f.Add([]byte{0, 255}, []byte{9}, []byte{7}, int64(-1), -1, 0, false, true)
	f.Fuzz(func(t *testing.T, places, pirates, random []byte, stake int64, draws, boards int, quickPick, byTerminal bool) {
		ints := func(bytes []byte) (list []int) {
			for _, b := range bytes {
				list = append(list, int(int8(b)))
			}
			return list
		}
		rules := r
		if byTerminal {
			rules = &terminal
		}
		b := Board{Picks: game.Picks{ints(places), ints(pirates)}, QuickPick: quickPick}
		if len(random) > 0 {
			b.Drawn = game.Picks{ints(random)}
		}
		s := Slip{"ile-au-tresor", slices.Repeat([]Board{b}, max(0, min(boards, 3))), money.Amount(stake), draws}
		w, err := New(rules, s)
		if err != nil {
			return
		}
		for _, play := range w.Plays([32]byte{1}, 0) {
			if c, err := rules.Rank(play.Picks); err != nil || c != play.Combinations[0] {
				t.Fatalf("%+v: play %+v: %v", s, play, err)
			}
			for m, marked := range b.Picks {
				for _, e := range marked {
					if !slices.Contains(play.Picks[m], e) {
						t.Fatalf("%+v: play %+v lost %d", s, play, e)
					}
				}
			}
		}
		if w.Price(draws) <= 0 || w.Units <= 0 {
			t.Fatalf("%+v: price %s, units %d", s, w.Price(draws), w.Units)
		}
	})
}
