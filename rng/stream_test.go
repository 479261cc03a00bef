package rng

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"slices"
	"testing"
)

// countingSeed is the n-th of many seeds.
func countingSeed(n int) (s Seed) {
	binary.BigEndian.PutUint64(s[:], uint64(n))
	return s
}

func ascendingSeed() (s Seed) {
	for i := range s {
		s[i] = byte(i)
	}
	return s
}

// TestStream_Vectors holds choices that another program made by docs/rng.md.
func TestStream_Vectors(t *testing.T) {
	t.Parallel()
	words := []uint64{
		0x7529b6c8a64f2cba, 0xb1d9a387873a0524, 0xe9d8cf85cc5fa8e5, 0x2965c27773884c43, 0x27da9fbdfa8905a3,
		0x1a8cc65f7cd97f4e, 0x94778298061eb444, 0xbbf510bb7337177a, 0x398494020a867376, 0x406923f550c742f8,
	}
	s := NewStream(ascendingSeed(), "places")
	for i, want := range words {
		if got := s.Uint64(); got != want {
			t.Errorf("word %d: got %#x, want %#x", i, got, want)
		}
	}
	for _, v := range []struct {
		purpose string
		n, k    int
		want    []int
	}{
		{"places", 21, 7, []int{7, 17, 6, 12, 8, 19, 14}},
		{"pirates", 3, 1, []int{1}},
		{"keno", 80, 20, []int{46, 28, 6, 32, 14, 71, 70, 1, 40, 9, 29, 20, 79, 59, 15, 11, 62, 73, 76, 23}},
	} {
		if got := NewStream(ascendingSeed(), v.purpose).Choose(v.n, v.k); !slices.Equal(got, v.want) {
			t.Errorf("%s: got %v, want %v", v.purpose, got, v.want)
		}
	}
}

// TestStream_Bytes says that a stream is its generator's bytes, 64 at a time.
func TestStream_Bytes(t *testing.T) {
	t.Parallel()
	seed := ascendingSeed()
	d, s := Instantiate(seed[:], nil, []byte("x")), NewStream(seed, "x")
	for range 5 {
		var block [64]byte
		d.Generate(block[:], nil)
		for i := 0; i < 64; i += 8 {
			if got, want := s.Uint64(), binary.BigEndian.Uint64(block[i:]); got != want {
				t.Fatalf("got %#x, want %#x", got, want)
			}
		}
	}
}

// TestReduce shows that the words accepted for n are n times a whole number,
// each remainder having its equal part of them.
func TestReduce(t *testing.T) {
	t.Parallel()
	words := new(big.Int).Lsh(big.NewInt(1), 64)
	for _, n := range []uint64{1, 2, 3, 5, 7, 21, 45, 80, 1 << 32, 348_840, 9_765_625, 1<<63 - 1, 1 << 63, 1<<63 + 1, 1<<64 - 1} {
		rejected := new(big.Int).Mod(words, new(big.Int).SetUint64(n)).Uint64()
		for _, x := range []uint64{rejected, rejected + 1, 1<<64 - 1, 1<<64 - 1 - rejected} {
			if v, ok := reduce(x, n); ok != (x >= rejected) || v != x%n {
				t.Errorf("reduce(%d, %d) = %d, %v", x, n, v, ok)
			}
		}
		if rejected > 0 {
			if _, ok := reduce(rejected-1, n); ok {
				t.Errorf("n %d: word %d accepted", n, rejected-1)
			}
		}
	}
}

// TestBelow_Uniform: χ² stays under the value that 1 stream in 10,000 exceeds.
func TestBelow_Uniform(t *testing.T) {
	t.Parallel()
	limits := map[int]int{2: 16, 3: 19, 5: 24, 7: 28, 21: 53, 45: 90}
	for n, limit := range limits {
		counts := make([]int, n)
		s := NewStream(countingSeed(n), "below")
		for range 1000 * n {
			counts[s.Below(uint64(n))]++
		}
		checkUniform(t, fmt.Sprintf("below %d", n), counts, limit)
	}
}

// TestF03_EveryOrderedChoice: each ordered choice comes up equally often, so
// also those with the first and the last element, first or last.
func TestF03_EveryOrderedChoice(t *testing.T) {
	t.Parallel()
	for _, v := range []struct{ n, k, limit int }{{1, 1, 0}, {3, 1, 19}, {4, 2, 38}, {4, 4, 60}, {5, 3, 107}} {
		cells := map[string]int{}
		ordered := 1
		for i := range v.k {
			ordered *= v.n - i
		}
		for seed := range 200 * ordered {
			cells[fmt.Sprint(NewStream(countingSeed(seed), "choose").Choose(v.n, v.k))]++
		}
		counts := make([]int, 0, ordered)
		for _, c := range cells {
			counts = append(counts, c)
		}
		if len(counts) != ordered {
			t.Errorf("%d of %d: %d ordered choices came, want %d", v.k, v.n, len(counts), ordered)
		}
		checkUniform(t, fmt.Sprintf("%d of %d", v.k, v.n), counts, v.limit)
	}
}

// TestF03_FirstAndLast: 0 and n−1 come up in each range of choice.
func TestF03_FirstAndLast(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 80; n++ {
		s := NewStream(countingSeed(n), "ends")
		var first, last bool
		for range 40 * n {
			v := s.Below(uint64(n))
			first, last = first || v == 0, last || v == uint64(n-1)
			if v >= uint64(n) {
				t.Fatalf("below %d: got %d", n, v)
			}
		}
		if !first || !last {
			t.Errorf("below %d: first %v, last %v", n, first, last)
		}
	}
}

func TestShuffle(t *testing.T) {
	t.Parallel()
	for n := range 50 {
		list := make([]int, n)
		for i := range list {
			list[i] = i
		}
		NewStream(countingSeed(n), "x").Shuffle(n, func(i, j int) { list[i], list[j] = list[j], list[i] })
		if want := NewStream(countingSeed(n), "x").Choose(n, n); !slices.Equal(list, want) {
			t.Errorf("shuffle of %d: got %v, want %v", n, list, want)
		}
	}
}

// TestStream_Independent: other purposes and other seeds give other streams; the same, the same.
func TestStream_Independent(t *testing.T) {
	t.Parallel()
	seen := map[uint64]string{}
	for seed := range 50 {
		for _, purpose := range []string{"", "places", "pirates", "quick-pick/0/0", "quick-pick/0/1", "quick-pick/1/0"} {
			name := fmt.Sprint(seed, purpose)
			first := NewStream(countingSeed(seed), purpose).Uint64()
			if other, ok := seen[first]; ok {
				t.Errorf("%q begins as %q", name, other)
			}
			seen[first] = name
			if again := NewStream(countingSeed(seed), purpose).Uint64(); again != first {
				t.Errorf("%q: got %#x, then %#x", name, first, again)
			}
		}
	}
}

func TestStream_Invariants(t *testing.T) {
	t.Parallel()
	s := NewStream(Seed{}, "x")
	mustPanic(t, "below 0", func() { s.Below(0) })
	mustPanic(t, "4 of 3", func() { s.Choose(3, 4) })
	if got := s.Choose(3, 0); len(got) != 0 {
		t.Errorf("none of 3: got %v", got)
	}
}

// checkUniform fails when Σ(count − mean)²/mean is over the limit; without fractions, all times total × cells.
func checkUniform(t *testing.T, what string, counts []int, limit int) {
	t.Helper()
	total, sum := 0, 0
	for _, c := range counts {
		total += c
	}
	for _, c := range counts {
		sum += (c*len(counts) - total) * (c*len(counts) - total)
	}
	if sum > limit*total*len(counts) {
		t.Errorf("%s: χ² %d over %d: %v", what, sum/(total*len(counts)), limit, counts)
	}
}
