package draw

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tirage/game"
	"tirage/rng"
)

func seedOf(n int) rng.Seed { return Seed([]byte("test key"), ID(n), []byte("close record")) }

// TestSeed_Vector holds what another program computes by docs/rng.md.
func TestSeed_Vector(t *testing.T) {
	t.Parallel()
	seed := Seed([]byte("key"), 258, []byte("close record"))
	if got, want := hex.EncodeToString(seed[:]), "2eacb237d24b7198dba5920dbbabd072996883bb362deca4325e6a5b746127cb"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestF04_NoSeedTwice: a thousand restarts that go on with another draw never
// share a seed; one that makes the same draw again gets the same.
func TestF04_NoSeedTwice(t *testing.T) {
	t.Parallel()
	seen := map[rng.Seed]string{}
	for id := range ID(1000) {
		for _, record := range []string{"", "close", "close "} {
			name := fmt.Sprint(id, "/", record)
			seed := Seed([]byte("key"), id, []byte(record))
			if other, ok := seen[seed]; ok {
				t.Errorf("%s has the seed of %s", name, other)
			}
			seen[seed] = name
			if again := Seed([]byte("key"), id, []byte(record)); again != seed {
				t.Errorf("%s: another seed the second time", name)
			}
		}
	}
	if Seed([]byte("key"), 1, nil) == Seed([]byte("kez"), 1, nil) {
		t.Error("the key does not matter")
	}
	// The id has a fixed width, so no record can stand in for part of it.
	if Seed(nil, 1, []byte{2}) == Seed(nil, ID(binary.BigEndian.Uint64([]byte{0, 0, 0, 0, 0, 0, 1, 2})), nil) {
		t.Error("id and record run into each other")
	}
}

// TestF01_Derive: a result is a function of rules and seed only.
func TestF01_Derive(t *testing.T) {
	t.Parallel()
	r := ileAuTresor(t)
	var seed rng.Seed
	for i := range seed {
		seed[i] = byte(i)
	}
	want := game.Result{{8, 18, 7, 13, 9, 20, 15}, {2}} // by another program, from docs/rng.md
	for range 3 {
		if diff := cmp.Diff(want, Derive(r, seed)); diff != "" {
			t.Error(diff)
		}
	}
}

// TestF01_AmigoVectors holds what another program drew by docs/rng.md: a draw,
// some multipliers, the first roll-down, and the hash of 10,000 draws.
func TestF01_AmigoVectors(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	var seed rng.Seed
	for i := range seed {
		seed[i] = byte(i)
	}
	want := game.Result{{4, 10, 12, 17, 25, 29, 31, 36, 43}, {2}}
	if diff := cmp.Diff(want, Derive(r, seed)); diff != "" {
		t.Error(diff)
	}
	if Times(r, seed) != 2 || RollDown(r, seed) {
		t.Errorf("multiplier %d, roll-down %v", Times(r, seed), RollDown(r, seed))
	}
	times := []int{2, 2, 2, 2, 3, 2, 2, 2, 2, 5, 1, 4, 1, 2, 1, 2, 2, 1, 2, 2, 5, 2, 4, 2}
	for n, want := range times {
		if got := Times(r, numbered(n)); got != want {
			t.Errorf("seed %d: multiplier %d, want %d", n, got, want)
		}
	}
	for n := range 1579 { // of these the last only
		if got := RollDown(r, numbered(n)); got != (n == 1578) {
			t.Errorf("seed %d: roll-down %v", n, got)
		}
	}
	hash := sha256.New()
	for n := range 10_000 {
		result, jackpot := Derive(r, numbered(n)), "on"
		if RollDown(r, numbered(n)) {
			jackpot = "down"
		}
		numbers := strings.Trim(fmt.Sprint(result[0]), "[]")
		fmt.Fprintf(hash, "%s %d ×%d %s\n", numbers, result[1][0], Times(r, numbered(n)), jackpot)
	}
	if got, want := hex.EncodeToString(hash.Sum(nil)), "80f26f523b2fc2dc9688bcce81383fe3489f230aa7ff5e98cc02afedd05b2c99"; got != want {
		t.Errorf("10,000 draws: got %s, want %s", got, want)
	}
}

// numbered is n in 32 bytes, big-endian.
func numbered(n int) (seed rng.Seed) {
	binary.BigEndian.PutUint64(seed[24:], uint64(n))
	return seed
}

// TestF01_Dates: nothing about a day narrows its draws: over four years, of all
// days of the year, days of the week and hours, 29 February and the nights of the
// clock changes among them, no seed comes twice and equal combinations as rarely as chance has it.
func TestF01_Dates(t *testing.T) {
	t.Parallel()
	r, zone := amigo(t), paris(t)
	seeds := map[rng.Seed]bool{}
	type group struct{ kind, value int }
	seen := map[group]map[string]int{}
	pairs := map[int]int{} // equal draws in a group, by kind
	id := ID(0)
	for d := day(t, "2025-01-01"); d < day(t, "2029-01-01"); d++ {
		for i, dr := range Plan(r, d) {
			if i%12 != 0 {
				continue
			}
			id++
			record := binary.BigEndian.AppendUint64(nil, uint64(dr.ClosesAt.UnixMicro()))
			seed := Seed([]byte("key"), id, record)
			if seeds[seed] {
				t.Fatalf("%s draw %d: its seed came before", d, dr.Number)
			}
			seeds[seed] = true
			combination := fmt.Sprint(Derive(r, seed))
			at := dr.DrawsAt.In(zone)
			for kind, value := range []int{int(at.Month())*100 + at.Day(), int(at.Weekday()), at.Hour()} {
				g := group{kind, value}
				if seen[g] == nil {
					seen[g] = map[string]int{}
				}
				pairs[kind] += seen[g][combination]
				seen[g][combination]++
			}
		}
	}
	if len(seen) != 366+7+21 {
		t.Errorf("%d days and hours", len(seen))
	}
	// 30,681 draws. Pairs that could be equal, of 9,765,625: 1.3 million in 366
	// days of the year, 67 million in 7 weekdays, 22 million in 21 hours.
	for kind, most := range []int{3, 20, 11} {
		if pairs[kind] > most {
			t.Errorf("%d equal draws on like days or hours (%d), want at most %d", pairs[kind], kind, most)
		}
	}
}

// TestF02_EveryResult: of a small game with a bonus number from the same pool,
// every result in every order comes up, equally often, and none other.
func TestF02_EveryResult(t *testing.T) {
	t.Parallel()
	r := parse(t, smallGame)
	const results = 4 * 3 * 2 * 2
	counts := map[string]int{}
	for n := range 200 * results {
		counts[fmt.Sprint(Derive(r, seedOf(n)))]++
	}
	if len(counts) != results {
		t.Fatalf("%d results, want %d: %v", len(counts), results, counts)
	}
	sum := 0
	for _, c := range counts {
		sum += (c - 200) * (c - 200)
	}
	if sum/200 > 95 { // χ² with 47 degrees of freedom: once in 10,000
		t.Errorf("χ² %d: %v", sum/200, counts)
	}
}

// TestIAT_4_Derive: 7 of 21 places and 1 of 3 pirates; the 348,840 combinations
// in 120 equal lots come up equally often, and the same one again as often as chance has it (F02).
func TestIAT_4_Derive(t *testing.T) {
	t.Parallel()
	r := ileAuTresor(t)
	const draws, lots = 24_000, 120
	counts := make([]int, lots)
	seen := map[game.Combination]int{}
	repeats := 0
	for n := range draws {
		result := Derive(r, seedOf(n))
		c, err := r.Rank(game.Picks{result[0], result[1]})
		if err != nil {
			t.Fatalf("%v: %v", result, err)
		}
		counts[int64(c)/(348_840/lots)]++
		repeats += seen[c] // pairs of equal draws
		seen[c]++
	}
	sum := 0
	for _, n := range counts {
		sum += (n - draws/lots) * (n - draws/lots)
	}
	if got := sum / (draws / lots); got > 185 { // 119 degrees of freedom: once in 10,000
		t.Errorf("χ² %d: %v", got, counts)
	}
	// draws²/2 pairs, one in 348,840 equal: 825 ± 29.
	if repeats < 680 || repeats > 970 {
		t.Errorf("%d pairs of equal draws, want about 825", repeats)
	}
}

// TestF03_FirstAndLastElements: place 1 and 21, pirate 1 and 3 are drawn, at every position.
func TestF03_FirstAndLastElements(t *testing.T) {
	t.Parallel()
	r := ileAuTresor(t)
	places, pirates := make([][7]int, 22), make([]int, 4)
	const draws = 2100
	for n := range draws {
		result := Derive(r, seedOf(n))
		for i, e := range result[0] {
			places[e][i]++
		}
		pirates[result[1][0]]++
	}
	for e := 1; e <= 21; e++ {
		for i, n := range places[e] { // 100 ± 10
			if n < 50 || n > 150 {
				t.Errorf("place %d drawn as number %d %d times of %d", e, i+1, n, draws)
			}
		}
	}
	for e := 1; e <= 3; e++ { // 700 ± 22
		if pirates[e] < 590 || pirates[e] > 810 {
			t.Errorf("pirate %d drawn %d times of %d", e, pirates[e], draws)
		}
	}
	if slices.Max(places[0][:]) > 0 || pirates[0] > 0 {
		t.Error("element 0 drawn")
	}
}
