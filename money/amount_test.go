package money

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestString(t *testing.T) {
	t.Parallel()
	for a, want := range map[Amount]string{
		0: "0.00", 1: "0.01", -5: "-0.05", 1250: "12.50", -1250: "-12.50", 100: "1.00",
		math.MaxInt64: "92233720368547758.07", math.MinInt64: "-92233720368547758.08",
	} {
		if got := a.String(); got != want {
			t.Errorf("%d: got %s, want %s", int64(a), got, want)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]Amount{
		"0": 0, "0.00": 0, "0.05": 5, "12": 1200, "12.50": 1250,
		"10000000000000": Limit, "10000000000000.00": Limit,
	} {
		if got, err := Parse(s); got != want || err != nil {
			t.Errorf("%q: got %s, %v; want %s", s, got, err, want)
		}
	}
	for _, s := range []string{
		"", ".", ".5", ".50", "1.", "1.5", "1.505", "01", "00", "+1", "-1", "-0.05", "1e3", "1,50", " 1", "1 ", "1_000", "0x1",
		"1.5.0", "1.-1", "NaN", "Inf", "١", "12€", "1.00.00", "00.50",
	} {
		if got, err := Parse(s); !errors.Is(err, ErrAmount) || got != 0 {
			t.Errorf("%q: got %s, %v", s, got, err)
		}
	}
	for _, s := range []string{"10000000000000.01", "10000000000001", "99999999999999999999", strings.Repeat("9", 1_000_000)} {
		if got, err := Parse(s); !errors.Is(err, ErrLimit) || got != 0 || len(err.Error()) > 100 {
			t.Errorf("%.30q: got %s, %.100v", s, got, err)
		}
	}
}

// FuzzParse: an amount that is read is written the same, but for cents left out.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"0", "12.50", "10000000000000", "-1", "1.5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := Parse(s)
		if err != nil {
			return
		}
		if got := a.String(); got != s && got != s+".00" || a < 0 || a > Limit {
			t.Fatalf("%q read as %s", s, got)
		}
	})
}

// TestArithmetic: each operation gives what unbounded integers give, or panics
// when that is no Amount.
func TestArithmetic(t *testing.T) {
	t.Parallel()
	edge := rapid.OneOf(
		rapid.Int64(), rapid.Int64Range(-1000, 1000),
		rapid.SampledFrom([]int64{math.MinInt64, math.MinInt64 + 1, -1 << 62, 1 << 62, math.MaxInt64 - 1, math.MaxInt64, -1, 0, 1, 1 << 32}),
	)
	rapid.Check(t, func(t *rapid.T) {
		a, b := edge.Draw(t, "a"), edge.Draw(t, "b")
		x, y := big.NewInt(a), big.NewInt(b)
		for name, v := range map[string]struct {
			f    func() Amount
			want *big.Int
		}{
			"add":   {func() Amount { return Amount(a).Add(Amount(b)) }, new(big.Int).Add(x, y)},
			"sub":   {func() Amount { return Amount(a).Sub(Amount(b)) }, new(big.Int).Sub(x, y)},
			"times": {func() Amount { return Amount(a).Times(b) }, new(big.Int).Mul(x, y)},
		} {
			got, ok := try(v.f)
			if ok != v.want.IsInt64() && v.want.Cmp(big.NewInt(math.MinInt64)) != 0 {
				t.Fatalf("%s of %d and %d: ok %v, want %s", name, a, b, ok, v.want)
			}
			if ok && big.NewInt(int64(got)).Cmp(v.want) != 0 {
				t.Fatalf("%s of %d and %d: got %d, want %s", name, a, b, int64(got), v.want)
			}
		}
	})
}

func try(f func() Amount) (a Amount, ok bool) {
	defer func() { ok = recover() == nil }()
	return f(), true
}

// TestSplit: n shares and the rest are the whole, and the rest is less than a cent each.
func TestSplit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := Amount(rapid.Int64Range(0, math.MaxInt64).Draw(t, "a"))
		n := rapid.Int64Range(1, math.MaxInt64).Draw(t, "n")
		share, rest := a.Split(n)
		if share.Times(n).Add(rest) != a || rest < 0 || rest >= Amount(n) || share < 0 {
			t.Fatalf("%d by %d: %d and %d", int64(a), n, int64(share), int64(rest))
		}
	})
	for _, v := range [][2]int64{{-1, 2}, {1, 0}, {1, -1}} {
		if _, ok := try(func() Amount { s, _ := Amount(v[0]).Split(v[1]); return s }); ok {
			t.Errorf("%d by %d: no panic", v[0], v[1])
		}
	}
}

// TestF07_Euros: euros are a hundred cents, in every form.
func TestF07_Euros(t *testing.T) {
	t.Parallel()
	for _, euros := range []int64{0, 1, 2, 20, 20_000, 1_000_000} {
		a := Euros(euros)
		if int64(a) != 100*euros || a.Rat().Cmp(big.NewRat(euros, 1)) != 0 {
			t.Errorf("%d €: %d cents, %s €", euros, int64(a), a.Rat())
		}
		if back, err := Parse(a.String()); back != a || err != nil {
			t.Errorf("%d €: written %s, read %s", euros, a, back)
		}
	}
	if got := Amount(5).Rat(); got.Cmp(big.NewRat(1, 20)) != 0 {
		t.Errorf("5 cents are %s €", got)
	}
}
