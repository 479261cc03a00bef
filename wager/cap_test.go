package wager

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tirage/game"
	"tirage/money"
)

// TestIAT_3_Cap: the 50th unit is accepted, the 51st refused, at each stake and
// at each level already sold; the refusal tells the largest stake that fits.
func TestIAT_3_Cap(t *testing.T) {
	t.Parallel()
	r := ileAuTresor(t)
	one := wednesday(t, r)[:1]
	for sold := range 51 {
		for _, stake := range r.Stakes {
			units := int64(stake / r.UnitStake)
			taken, err := CheckCap(r, one, []int{sold}, units)
			if sold+int(units) <= 50 {
				if err != nil || !slices.Equal(taken, []int{0}) {
					t.Errorf("%d sold, %d asked: %v, %v", sold, units, taken, err)
				}
				continue
			}
			var possible money.Amount
			for _, s := range r.Stakes {
				if sold+int(s/r.UnitStake) <= 50 {
					possible = s
				}
			}
			var capped *CappedError
			if !errors.Is(err, ErrCapped) || !errors.As(err, &capped) || taken != nil {
				t.Fatalf("%d sold, %d asked: %v, %v", sold, units, taken, err)
			}
			if diff := cmp.Diff(&CappedError{Full: one, Stake: possible}, capped); diff != "" {
				t.Errorf("%d sold, %d asked: %s", sold, units, diff)
			}
		}
	}
}

func TestIAT_3_CapReadings(t *testing.T) {
	t.Parallel()
	for _, v := range []struct {
		name    string
		counts  game.CapCounts
		refusal game.CapRefusal
		sold    []int
		units   int64
		taken   []int
		full    []int
		stake   money.Amount
	}{
		{"room in all", game.CountUnitStakes, game.RefuseWhole, []int{0, 40, 45}, 5, []int{0, 1, 2}, nil, 0},
		{"whole: one full", game.CountUnitStakes, game.RefuseWhole, []int{0, 50, 0}, 1, nil, []int{96}, 0},
		{"whole: less fits", game.CountUnitStakes, game.RefuseWhole, []int{0, 46, 48}, 5, nil, []int{96, 97}, 400},
		{"whole: least of all draws", game.CountUnitStakes, game.RefuseWhole, []int{49, 0, 0}, 10, nil, []int{95}, 200},
		{"partial: one full", game.CountUnitStakes, game.RefusePartial, []int{0, 50, 45}, 5, []int{0, 2}, []int{}, 0},
		{"partial: all full", game.CountUnitStakes, game.RefusePartial, []int{48, 50, 49}, 5, nil, []int{95, 96, 97}, 0},
		{"partial: all full, less fits", game.CountUnitStakes, game.RefusePartial, []int{48, 47, 49}, 5, nil, []int{95, 96, 97}, 200},
		{"wagers: 49 sold, any stake", game.CountWagers, game.RefuseWhole, []int{49, 49, 49}, 10, []int{0, 1, 2}, nil, 0},
		{"wagers: 50 sold, no stake", game.CountWagers, game.RefuseWhole, []int{49, 50, 49}, 1, nil, []int{96}, 0},
		{"wagers, partial", game.CountWagers, game.RefusePartial, []int{49, 50, 49}, 10, []int{0, 2}, nil, 0},
	} {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			r := ileAuTresor(t)
			r.Cap.Counts, r.Cap.Refusal = v.counts, v.refusal
			taken, err := CheckCap(r, wednesday(t, r)[:3], v.sold, v.units)
			if !slices.Equal(taken, v.taken) || (err == nil) != (v.taken != nil) {
				t.Fatalf("got %v, %v; want %v", taken, err, v.taken)
			}
			var capped *CappedError
			if errors.As(err, &capped) && (!slices.Equal(numbers(capped.Full), v.full) || capped.Stake != v.stake) {
				t.Errorf("got %v, want draws %v, stake %s", err, v.full, v.stake)
			}
		})
	}
}

func TestCheckCap_None(t *testing.T) {
	t.Parallel()
	r := ileAuTresor(t)
	r.Cap = game.Cap{}
	taken, err := CheckCap(r, wednesday(t, r)[:2], []int{1_000_000, 0}, 10)
	if err != nil || !slices.Equal(taken, []int{0, 1}) {
		t.Errorf("got %v, %v", taken, err)
	}
}

// TestIAT_3_Exposure: dense and sparse counts agree with a plain map, over any
// sales and cancellations.
func TestIAT_3_Exposure(t *testing.T) {
	t.Parallel()
	dense := ileAuTresor(t)
	sparse := *dense
	sparse.Cap.Max = 1000 // more than a byte holds
	wagers := *dense
	wagers.Cap.Counts = game.CountWagers
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.SampledFrom([]*game.Rules{dense, &sparse, &wagers}).Draw(t, "rules")
		e, model := NewExposure(r), map[game.Combination]int{}
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			c := rapid.SampledFrom([]game.Combination{0, 1, 174_420, 348_839}).Draw(t, "combination")
			n := e.Weight(rapid.SampledFrom([]int64{1, 2, 3, 4, 5, 10}).Draw(t, "units"))
			if model[c] > 0 && rapid.Bool().Draw(t, "cancel") {
				n = -model[c]
			}
			if model[c]+n > r.Cap.Max {
				continue
			}
			e.Add(c, n)
			model[c] += n
			for c, want := range model {
				if got := e.At(c); got != want {
					t.Fatalf("combination %d: got %d, want %d", c, got, want)
				}
			}
		}
	})
}

// TestExposure_Wide: a cap that no byte holds.
func TestExposure_Wide(t *testing.T) {
	t.Parallel()
	r := ileAuTresor(t)
	r.Cap.Max = 256
	e := NewExposure(r)
	e.Add(7, 250)
	e.Add(7, 6)
	if got := e.At(7); got != 256 {
		t.Errorf("got %d", got)
	}
}

func TestExposure_Weight(t *testing.T) {
	t.Parallel()
	r := ileAuTresor(t)
	if got := NewExposure(r).Weight(10); got != 10 {
		t.Errorf("unit stakes: %d", got)
	}
	r.Cap.Counts = game.CountWagers
	if got := NewExposure(r).Weight(10); got != 1 {
		t.Errorf("wagers: %d", got)
	}
}

func TestExposure_None(t *testing.T) {
	t.Parallel()
	e := NewExposure(parse(t, smallGame))
	e.Add(3, 1000)
	if e != nil || e.At(3) != 0 || e.Weight(5) != 0 {
		t.Errorf("got %+v", e)
	}
}

func TestExposure_Invariants(t *testing.T) {
	t.Parallel()
	r := ileAuTresor(t)
	e := NewExposure(r)
	e.Add(348_839, 50)
	for name, f := range map[string]func(){
		"above the cap": func() { e.Add(348_839, 1) },
		"below zero":    func() { e.Add(0, -1) },
	} {
		func() {
			defer func() {
				if text, ok := recover().(string); !ok || !strings.HasPrefix(text, "wager: ") {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}
