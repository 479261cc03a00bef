package game

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Ranks are 0 to 348,839, each for other picks, with nothing left out; the
// mask has the same elements as the picks.
func TestRankIsABijection(t *testing.T) {
	t.Parallel()
	r := island(t)
	seen := make(map[Mask]bool, r.Size())
	for c := range Combination(r.Size()) {
		p := r.Picks(c)
		got, err := r.Rank(p)
		if err != nil || got != c {
			t.Fatalf("combination %d, picks %v: got rank %d, %v", c, p, got, err)
		}
		var mask Mask
		for i, m := range r.Matrices {
			if !slices.IsSorted(p[i]) {
				t.Fatalf("picks %v are not ascending", p)
			}
			for _, e := range p[i] {
				mask.set(m.First + e - 1)
			}
		}
		if mask != r.Mask(c) || seen[mask] {
			t.Fatalf("combination %d: mask %x, seen before: %v", c, r.Mask(c), seen[mask])
		}
		seen[mask] = true
	}
}

func TestRankOfAnyGame(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"powerball", "keno-10", "lotto-59"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := sample(t, name)
			ends := []int64{0, r.Size() - 1}
			rapid.Check(t, func(t *rapid.T) {
				c := Combination(rapid.OneOf(rapid.SampledFrom(ends), rapid.Int64Range(0, r.Size()-1)).Draw(t, "c"))
				p := r.Picks(c)
				for i := range p {
					p[i] = rapid.Permutation(p[i]).Draw(t, "order")
				}
				if got, err := r.Rank(p); err != nil || got != c {
					t.Fatalf("picks %v: got %d, %v, want %d", p, got, err, c)
				}
			})
		})
	}
}

func TestIAT_2_3_3_CheckPicks(t *testing.T) {
	t.Parallel()
	r := island(t)
	full := []int{1, 2, 3, 4, 5, 6, 21}
	for _, c := range []struct {
		name    string
		picks   Picks
		want    error // of complete picks
		partial error
		detail  PicksError
	}{
		{"complete", Picks{full, {3}}, nil, nil, PicksError{}},
		{"in another order", Picks{{21, 6, 5, 4, 3, 2, 1}, {3}}, nil, nil, PicksError{}},
		{"six places", Picks{full[:6], {1}}, ErrTooFew, nil, PicksError{Matrix: "places", Want: 7, Got: 6}},
		{"eight places", Picks{{1, 2, 3, 4, 5, 6, 7, 8}, {1}}, ErrTooMany, ErrTooMany, PicksError{Matrix: "places", Want: 7, Got: 8}},
		{"no pirate", Picks{full, {}}, ErrTooFew, nil, PicksError{Matrix: "pirates", Want: 1}},
		{"no second matrix", Picks{full}, ErrTooFew, nil, PicksError{Matrix: "pirates", Want: 1}},
		{"two pirates", Picks{full, {1, 2}}, ErrTooMany, ErrTooMany, PicksError{Matrix: "pirates", Want: 1, Got: 2}},
		{"nothing", nil, ErrTooFew, nil, PicksError{Matrix: "places", Want: 7}},
		{"place 0", Picks{{0, 1, 2, 3, 4, 5, 6}, {1}}, ErrElement, ErrElement, PicksError{Matrix: "places", Want: 7, Got: 7}},
		{"place 22", Picks{{1, 2, 3, 4, 5, 6, 22}, {1}}, ErrElement, ErrElement, PicksError{Matrix: "places", Want: 7, Got: 7, Element: 22}},
		{"place twice", Picks{{1, 2, 3, 4, 5, 6, 6}, {1}}, ErrElement, ErrElement, PicksError{Matrix: "places", Want: 7, Got: 7, Element: 6}},
		{"pirate 4", Picks{full, {4}}, ErrElement, ErrElement, PicksError{Matrix: "pirates", Want: 1, Got: 1, Element: 4}},
		{"pirate of minus infinity", Picks{full, {-1 << 63}}, ErrElement, ErrElement, PicksError{Matrix: "pirates", Want: 1, Got: 1, Element: -1 << 63}},
		{"a third matrix", Picks{full, {1}, {}}, ErrTooMany, ErrTooMany, PicksError{Want: 2, Got: 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := r.CheckPicks(c.picks)
			if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
				t.Fatalf("got %v, want %v", err, c.want)
			}
			if _, rankErr := r.Rank(c.picks); !errors.Is(rankErr, c.want) {
				t.Errorf("rank: got %v, want %v", rankErr, c.want)
			}
			if err := r.CheckQuickPick(c.picks, Shape{}, 0); !errors.Is(err, c.partial) || (err == nil) != (c.partial == nil) {
				t.Errorf("partial: got %v, want %v", err, c.partial)
			}
			if detail, ok := errors.AsType[*PicksError](err); ok {
				if c.detail.Matrix != "" && detail.Name.FR == "" {
					t.Error("the matrix is not named")
				}
				got := *detail
				got.Err, got.Name = nil, Text{}
				if diff := cmp.Diff(c.detail, got); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

func TestMatcherRefusesResults(t *testing.T) {
	t.Parallel()
	r, lotto := island(t), sample(t, "lotto-59")
	for _, c := range []struct {
		name   string
		rules  *Rules
		result Result
		ok     bool
	}{
		{"a result", r, Result{{7, 1, 2, 3, 4, 5, 21}, {3}}, true},
		{"no pirate", r, Result{{7, 1, 2, 3, 4, 5, 21}}, false},
		{"six places", r, Result{{1, 2, 3, 4, 5, 21}, {3}}, false},
		{"a place twice", r, Result{{1, 1, 2, 3, 4, 5, 6}, {3}}, false},
		{"place 0", r, Result{{0, 1, 2, 3, 4, 5, 6}, {3}}, false},
		{"pirate 4", r, Result{{1, 2, 3, 4, 5, 6, 7}, {4}}, false},
		{"a bonus number", lotto, Result{{1, 2, 3, 4, 5, 6}, {59}}, true},
		{"a bonus number that was drawn", lotto, Result{{1, 2, 3, 4, 5, 6}, {6}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if _, err := c.rules.Matcher(0, c.result); (err == nil) != c.ok || (!c.ok && !errors.Is(err, ErrResult)) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestNoAllocation(t *testing.T) { // alone: it counts the process's allocations
	r := island(t)
	m, err := r.Matcher(0, Result{{1, 2, 3, 4, 5, 6, 7}, {2}})
	if err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() { _ = r.Mask(348839); _ = m.Tier(348839) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkExpand(b *testing.B) {
	r := island(b)
	p := r.Picks(12_345)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Expand(p); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTier(b *testing.B) {
	r := island(b)
	m, err := r.Matcher(0, Result{{1, 2, 3, 4, 5, 6, 7}, {2}})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	c := Combination(0)
	for b.Loop() {
		m.Tier(c)
		c = (c + 7919) % Combination(r.Size())
	}
}

func BenchmarkTierOfColumns(b *testing.B) {
	r := amigo(b)
	m, err := r.Matcher(0, amigoDraw)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	c := Combination(0)
	for b.Loop() {
		m.Tier(c)
		c = (c + 7_919_111) % Combination(r.Size())
	}
}
