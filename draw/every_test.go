package draw

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"tirage/game"
	"tirage/internal/walk"
	"tirage/rng"
)

// TestF02_EveryCombination: the mapping from choices to elements gives each of
// the 348,840 combinations of L'Ile au Trésor and of the 9,765,625 of Amigo
// once. Matrices are drawn from streams of their own, so each is gone through by itself.
func TestF02_EveryCombination(t *testing.T) {
	t.Parallel()
	for _, v := range []struct {
		rules *game.Rules
		want  []int
	}{
		{ileAuTresor(t), []int{116_280, 3}},
		{amigo(t), []int{1_953_125, 5}},
	} {
		for m, want := range v.want {
			t.Run(fmt.Sprint(v.rules.Code, " ", v.rules.Matrices[m].Key), func(t *testing.T) {
				t.Parallel()
				checkEvery(t, &v.rules.Matrices[m], want)
			})
		}
	}
}

// checkEvery finds that want sets of elements are drawn, each once, those with
// columns with one element of each.
func checkEvery(t *testing.T, m *game.Matrix, want int) {
	t.Helper()
	seen := make([]bool, 1<<21) // by mask of up to 21 elements, or digits of 9 columns of 5
	found := 0
	var w walk.Walk
	for more := true; more; more = w.Next() {
		mask, index := 0, 0
		for i, e := range drawElements(m, m.Pick, w.Choose) {
			if e < 1 || e > len(m.Elements) || mask>>(e-1)&1 == 1 || m.Columns > 0 && m.Column(e) != i {
				t.Fatalf("element %d drawn as number %d", e, i+1)
			}
			mask |= 1 << (e - 1)
			index = index*5 + (e-1)%5
		}
		if m.Columns == 0 {
			index = mask
		}
		if seen[index] {
			t.Fatalf("elements %b drawn twice", mask)
		}
		seen[index] = true
		found++
	}
	if found != want {
		t.Errorf("%d sets of elements drawn, want %d", found, want)
	}
}

// TestF02_Occupancy: draws as the system makes them find as many different
// combinations of L'Ile au Trésor as chance has it, so no part of them is left
// out: N(1 − e^−draws/N) with a deviation below √N/2.
func TestF02_Occupancy(t *testing.T) {
	t.Parallel()
	r := ileAuTresor(t)
	const draws = 200_000
	seen := make([]bool, r.Size())
	found := 0
	for n := range draws {
		c, err := r.Rank(game.Picks(Derive(r, seedOf(n))))
		if err != nil {
			t.Fatal(err)
		}
		if !seen[c] {
			seen[c] = true
			found++
		}
	}
	size := float64(r.Size())
	want := size * (1 - math.Exp(-draws/size))
	if off := math.Abs(float64(found) - want); off > 4*math.Sqrt(size)/2 {
		t.Errorf("%d combinations in %d draws, want about %.0f", found, draws, want)
	}
}

// χ² that 1 right program in 10,000 exceeds, by degrees of freedom.
var chiSquares = map[int]int{5: 26, 16: 45, 24: 59, 25: 60, 36: 76}

// checkCells compares counts with equal or other expectations, of so many degrees of freedom.
func checkCells(t *testing.T, what string, freedom int, counts, want []int) {
	t.Helper()
	var sum float64
	for i, n := range counts {
		off := float64(n - want[i])
		sum += off * off / float64(want[i])
	}
	if limit, ok := chiSquares[freedom]; !ok || sum > float64(limit) {
		t.Errorf("%s: χ² %.1f, limit %d: %v, want about %v", what, sum, limit, counts, want)
	}
}

// TestF03_Amigo: each number of each column, each jackpot number and each
// multiplier comes as often as it should, columns, jackpot number and
// multiplier without regard to each other (AMI-3.1.4, AMI-8.1.2).
func TestF03_Amigo(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	const draws = 25_000
	numbers := make([]int, 45)
	pairs := make([][]int, 9) // of a column with the next, and of the last with the jackpot number
	for c := range pairs {
		pairs[c] = make([]int, 25)
	}
	values := []int{1, 2, 3, 4, 5, 10}
	times, timesAndJackpot := make([]int, 6), make([]int, 30)
	for n := range draws {
		seed := seedOf(n)
		result := Derive(r, seed)
		jackpot := result[1][0] - 1
		for c, e := range result[0] {
			if (e-1)/5 != c {
				t.Fatalf("%v: %d drawn in column %d", result, e, c+1)
			}
			numbers[e-1]++
			next := jackpot
			if c < 8 {
				next = (result[0][c+1] - 1) % 5
			}
			pairs[c][(e-1)%5*5+next]++
		}
		value := slices.Index(values, Times(r, seed))
		times[value]++
		timesAndJackpot[value*5+jackpot]++
	}
	checkCells(t, "numbers", 36, numbers, slices.Repeat([]int{draws / 5}, 45))
	for c, counts := range pairs {
		checkCells(t, fmt.Sprint("column ", c+1, " and the next"), 24, counts, slices.Repeat([]int{draws / 25}, 25))
	}
	var want, wantPairs []int
	for _, chances := range []int{15, 60, 10, 10, 4, 1} {
		want = append(want, draws*chances/100)
		wantPairs = append(wantPairs, slices.Repeat([]int{draws * chances / 500}, 5)...)
	}
	checkCells(t, "multiplier", 5, times, want)
	checkCells(t, "multiplier and jackpot number", 25, timesAndJackpot, wantPairs)
}

// TestAMI_8_1_2_Multiplier: of 100 choices 15, 60, 10, 10, 4 and 1 give the
// multipliers 1, 2, 3, 4, 5 and 10.
func TestAMI_8_1_2_Multiplier(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	want := map[int]int{1: 15, 2: 60, 3: 10, 4: 10, 5: 4, 10: 1}
	got := map[int]int{}
	var w walk.Walk
	for more := true; more; more = w.Next() {
		got[times(r.Multipliers, w.Below)]++
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := Times(ileAuTresor(t), rng.Seed{}); got != 1 {
		t.Errorf("multiplier %d in a game without", got)
	}
}

// TestAMI_8_2_5_ExtraDraw: of 500 choices one rolls the jackpot down, and of many draws as many.
func TestAMI_8_2_5_ExtraDraw(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	outcomes := map[bool]int{}
	var w walk.Walk
	for more := true; more; more = w.Next() {
		outcomes[rollsDown(r.Jackpot.OneIn, w.Below)]++
	}
	if outcomes[true] != 1 || outcomes[false] != 499 {
		t.Errorf("got %v", outcomes)
	}
	count := 0
	for n := range 50_000 {
		if RollDown(r, seedOf(n)) {
			count++
		}
	}
	if count < 60 || count > 140 { // 100 ± 10
		t.Errorf("%d of 50,000 extra draws roll down, want about 100", count)
	}
	if RollDown(ileAuTresor(t), rng.Seed{}) {
		t.Error("a game without a jackpot rolls down")
	}
	r.Jackpot.OneIn = 0
	for n := range 5_000 {
		if RollDown(r, seedOf(n)) {
			t.Error("a game without an extra draw rolls down")
		}
	}
}
