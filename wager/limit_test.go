package wager

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"tirage/game"
	"tirage/money"
)

// TestAMI_5_2_Limit has every play of one board at every stake and number of
// draws: refused above 100 €, and then with the largest stake, number of draws
// and number of combinations that this same test finds to be allowed.
func TestAMI_5_2_Limit(t *testing.T) {
	t.Parallel()
	for _, scope := range []game.LimitScope{game.LimitTotal, game.LimitPerDraw} {
		for _, plays := range []game.LimitPlays{game.LimitAll, game.LimitMultipleOnly} {
			t.Run(fmt.Sprint(scope, " ", plays), func(t *testing.T) {
				t.Parallel()
				r := amigo(t)
				r.Limit.Scope, r.Limit.Plays = scope, plays
				for shape := range allowedShapes {
					for also := 1; also <= 5; also++ {
						checkLimit(t, r, shape, also)
					}
				}
			})
		}
	}
}

func checkLimit(t *testing.T, r *game.Rules, shape game.Shape, also int) {
	t.Helper()
	allowed := func(combinations int64, stake money.Amount, draws int) bool {
		if r.Limit.Plays == game.LimitMultipleOnly && combinations == 1 {
			return true
		}
		if r.Limit.Scope == game.LimitPerDraw {
			draws = 1
		}
		return int64(stake)*combinations*int64(draws) <= 100_00
	}
	combinations := allowedShapes[shape] * int64(also)
	for _, stake := range r.Stakes {
		for _, draws := range r.DrawCounts {
			s := Slip{"amigo", []Board{flash(shape.Extras, shape.Columns, also)}, stake, draws}
			w, err := New(r, s)
			if allowed(combinations, stake, draws) {
				if err != nil || w.Price(draws) != stake.Times(combinations).Times(int64(draws)) {
					t.Errorf("%d combinations, %s, %d draws: price %s, %v", combinations, stake, draws, w.Price(draws), err)
				}
				continue
			}
			want := LimitError{Price: stake.Times(combinations), Limit: money.Euros(100)}
			if r.Limit.Scope == game.LimitTotal {
				want.Price = want.Price.Times(int64(draws))
			}
			for _, other := range r.Stakes {
				if allowed(combinations, other, draws) {
					want.Stake = max(want.Stake, other)
				}
			}
			for _, other := range r.DrawCounts {
				if allowed(combinations, stake, other) {
					want.Draws = max(want.Draws, other)
				}
			}
			for _, n := range allowedShapes {
				for also := int64(1); also <= 5; also++ {
					single := r.Limit.Plays == game.LimitMultipleOnly && n*also == 1 // not what the limit is about
					if allowed(n*also, stake, draws) && !single {
						want.Combinations = max(want.Combinations, n*also)
					}
				}
			}
			var refusal *LimitError
			if !errors.Is(err, ErrLimit) || !errors.As(err, &refusal) || *refusal != want {
				t.Errorf("%d combinations, %s, %d draws: %v, want %+v", combinations, stake, draws, err, want)
			}
		}
	}
}

// TestAMI_5_2_Boards: the limit is over all boards of the slip (3.1.8), or those of multiple plays.
func TestAMI_5_2_Boards(t *testing.T) {
	t.Parallel()
	one := flash(0, 0, 1)
	for _, v := range []struct {
		name   string
		boards []Board
		stake  int64
		draws  int
		all    *LimitError // refusal by the reading all
		only   *LimitError // refusal by the reading multiple_only
	}{
		{name: "2 columns with 4 extras, 2 jackpot numbers: exactly 100 €", boards: []Board{flash(4, 2, 2)}, stake: 2, draws: 1},
		{name: "5 simple, 10 €, 2 draws: 100 €", boards: []Board{one, one, one, one, one}, stake: 10, draws: 2},
		{
			name: "the same and a combination more", boards: []Board{flash(4, 2, 2), one}, stake: 2, draws: 1,
			all: &LimitError{Price: 102_00, Combinations: 50},
		},
		{
			name: "5 simple, 10 €, 5 draws", boards: []Board{one, one, one, one, one}, stake: 10, draws: 5,
			all: &LimitError{Price: 250_00, Stake: 4_00, Draws: 2},
		},
		{
			name: "2 simple, 10 €, 10 draws", boards: []Board{one, one}, stake: 10, draws: 10,
			all: &LimitError{Price: 200_00, Stake: 4_00, Draws: 5},
		},
		{
			name: "2 multiples, 4 €", boards: []Board{flash(1, 4, 1), flash(2, 2, 2), one}, stake: 4, draws: 1,
			all:  &LimitError{Price: 140_00, Stake: 2_00, Combinations: 25},
			only: &LimitError{Price: 136_00, Stake: 2_00, Combinations: 25},
		},
		{
			name: "2 multiples, 10 €, 5 draws", boards: []Board{flash(1, 1, 1), flash(1, 1, 1)}, stake: 10, draws: 5,
			all:  &LimitError{Price: 200_00, Stake: 4_00, Draws: 2, Combinations: 2},
			only: &LimitError{Price: 200_00, Stake: 4_00, Draws: 2}, // two multiples of one combination there are not
		},
		{
			name: "5 times the most", boards: slices.Repeat([]Board{flash(1, 5, 5)}, 5), stake: 10, draws: 20,
			all:  &LimitError{Price: 160_000_00},
			only: &LimitError{Price: 160_000_00},
		},
	} {
		for plays, want := range map[game.LimitPlays]*LimitError{game.LimitAll: v.all, game.LimitMultipleOnly: v.only} {
			r := amigo(t)
			r.Limit.Plays = plays
			_, err := New(r, Slip{"amigo", v.boards, money.Euros(v.stake), v.draws})
			var got *LimitError
			errors.As(err, &got)
			if want != nil {
				want.Limit = money.Euros(100)
			}
			if (err == nil) != (want == nil) || err != nil && (got == nil || *got != *want) {
				t.Errorf("%s, %s: got %v, want %v", v.name, plays, err, want)
			}
		}
	}
}

// TestAMI_5_2_AfterCut: a wager that is cut to what is left of the session stays under the limit.
func TestAMI_5_2_AfterCut(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	r.OverRun = game.CutOverRun
	s := Slip{"amigo", []Board{flash(0, 0, 1)}, money.Euros(4), 20}
	w, err := New(r, s)
	if err != nil {
		t.Fatal(err)
	}
	for draws := 1; draws <= 25; draws++ {
		if err := w.CheckLimit(draws); err != nil {
			t.Errorf("%d draws: %s, %v", draws, w.Price(draws), err)
		}
	}
	if err := w.CheckLimit(26); !errors.Is(err, ErrLimit) {
		t.Errorf("26 draws: %s, %v", w.Price(26), err)
	}
}

// TestLimit_Text: what an officer reads in a log.
func TestLimit_Text(t *testing.T) {
	t.Parallel()
	_, err := New(amigo(t), Slip{"amigo", []Board{flash(1, 5, 1)}, money.Euros(2), 5})
	const want = "play costs more than the limit: 320.00, limit 100.00, still possible: stake 0.00, or 1 draws, or 10 combinations"
	if err == nil || err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}

// TestMostCombinations: on small numbers, against all sums.
func TestMostCombinations(t *testing.T) {
	t.Parallel()
	counts := []int64{1, 4, 6, 9}
	for room := range int64(40) {
		sums := map[int64]bool{0: true}
		for boards := 1; boards <= 4; boards++ {
			next, want := map[int64]bool{}, int64(0)
			for sum := range sums {
				for _, n := range counts {
					next[sum+n] = true
					if sum+n <= room {
						want = max(want, sum+n)
					}
				}
			}
			sums = next
			if got := mostCombinations(counts, boards, room); got != want {
				t.Errorf("%d boards, room for %d: got %d, want %d", boards, room, got, want)
			}
		}
	}
}
