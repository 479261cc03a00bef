package game

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tirage/money"
)

// amigo is Amigo as shipped.
func amigo(t testing.TB) *Rules {
	t.Helper()
	text, err := Book("amigo")
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, string(text))
}

var (
	amigoNine = []int{1, 6, 11, 16, 21, 26, 31, 36, 41}
	amigoDraw = Result{{1, 6, 11, 16, 21, 26, 31, 36, 41}, {3}}
)

// The golden vectors of multiple plays against the draw 1 6 … 41 + J3: winners by rank, and the fixed prizes.
func TestAMI_8_1_1_GoldenVectors(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	m, err := r.Matcher(0, amigoDraw)
	if err != nil {
		t.Fatal(err)
	}
	with := func(more ...int) []int { return append(more, amigoNine...) }
	for _, c := range []struct {
		name    string
		picks   Picks
		stake   money.Amount
		times   int64
		winners [8]int64
		prizes  money.Amount // but the jackpot
		price   money.Amount
	}{
		{"J3+J4", Picks{amigoNine, {3, 4}}, money.Euros(10), 10, [8]int64{1, 1}, money.Euros(1_000_000), money.Euros(20)},
		{"J1-J5", Picks{amigoNine, {1, 2, 3, 4, 5}}, money.Euros(2), 2, [8]int64{1, 4}, money.Euros(160_000), money.Euros(10)},
		{"1×5", Picks{with(2, 7, 12, 17, 22), {3}}, money.Euros(2), 1, [8]int64{1, 0, 5, 10, 10, 5, 1}, money.Euros(6_327), money.Euros(64)},
		{"4×2, J1+J2", Picks{with(2, 3, 4, 5, 45, 44, 43, 42), {1, 2}}, money.Euros(2), 3, [8]int64{0, 2, 16, 32}, money.Euros(177_600), money.Euros(100)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			combinations, err := r.Expand(c.picks)
			if err != nil {
				t.Fatal(err)
			}
			units, _ := r.Units(c.stake)
			var winners [8]int64
			var prizes money.Amount
			for _, combination := range combinations {
				if tier := m.Tier(combination); tier >= 0 {
					winners[tier]++
					prizes = prizes.Add(r.Tables[0].Tiers[tier].Prize.Times(units * c.times))
				}
			}
			if diff := cmp.Diff(c.winners, winners); diff != "" {
				t.Error(diff)
			}
			if prizes != c.prizes {
				t.Errorf("got %v, want %v", prizes, c.prizes)
			}
			if price := c.stake.Times(int64(len(combinations))); price != c.price {
				t.Errorf("price %v, want %v", price, c.price)
			}
		})
	}
}

func TestAMI_dates_Version(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	if r.Code != "amigo" || r.Version != "2011" || r.FirstDay != NewDay(2011, time.May, 7) || r.Kind != Parimutuel || r.Currency != "EUR" {
		t.Errorf("got %s %s from %v, %v, %s", r.Code, r.Version, r.FirstDay, r.Kind, r.Currency)
	}
}

func TestAMI_3_1_4_Space(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	if r.Size() != 9_765_625 {
		t.Errorf("got %d combinations", r.Size())
	}
	m := &r.Matrices[0]
	if m.Columns != 9 || len(m.Elements) != 45 || r.Matrices[1].Columns != 0 || len(r.Matrices[1].Elements) != 5 {
		t.Errorf("got %d columns, %d numbers, %d jackpot numbers", m.Columns, len(m.Elements), len(r.Matrices[1].Elements))
	}
	for c := 1; c <= 9; c++ {
		for e := 5*c - 4; e <= 5*c; e++ {
			if got := m.Column(e); got != c-1 || m.Elements[e-1].Name.FR != fmt.Sprint(e) {
				t.Errorf("number %d is in column %d, named %s", e, got+1, m.Elements[e-1].Name.FR)
			}
		}
	}
}

// rankByHand numbers a combination of Amigo in base 5, the first column first and the jackpot number last.
func rankByHand(p Picks) Combination {
	rank := Combination(0)
	for c, e := range p[0] {
		rank = rank*5 + Combination(e-5*c-1)
	}
	return rank*5 + Combination(p[1][0]-1)
}

func TestAMI_3_1_4_Ranks(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	for c, want := range map[Combination]Picks{
		0:                             {amigoNine, {1}},
		1:                             {amigoNine, {2}},
		5:                             {{1, 6, 11, 16, 21, 26, 31, 36, 42}, {1}},
		Combination(r.Size() / 5):     {{2, 6, 11, 16, 21, 26, 31, 36, 41}, {1}},
		Combination(r.Size() - 1):     {{5, 10, 15, 20, 25, 30, 35, 40, 45}, {5}},
		Combination(r.Size() - 5 - 1): {{5, 10, 15, 20, 25, 30, 35, 40, 44}, {5}},
	} {
		if diff := cmp.Diff(want, r.Picks(c)); diff != "" {
			t.Errorf("combination %d: %s", c, diff)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		c := Combination(rapid.Int64Range(0, r.Size()-1).Draw(t, "c"))
		p := r.Picks(c)
		if by := rankByHand(p); by != c {
			t.Fatalf("picks %v: by hand %d, want %d", p, by, c)
		}
		p[0] = rapid.Permutation(p[0]).Draw(t, "order")
		if got, err := r.Rank(p); err != nil || got != c {
			t.Fatalf("picks %v: got %d, %v, want %d", p, got, err, c)
		}
	})
}

func TestAMI_3_1_4_Picks(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	without := slices.Concat(amigoNine[:4], amigoNine[5:])
	for _, c := range []struct {
		name   string
		picks  Picks
		want   error
		detail PicksError
	}{
		{"a combination", Picks{amigoNine, {3}}, nil, PicksError{}},
		{"no column 5", Picks{without, {3}}, ErrTooFew, PicksError{Matrix: "numbers", Want: 9, Got: 8, Column: 5}},
		{"no column 5, two in the last", Picks{append([]int{45}, without...), {3}}, ErrTooFew, PicksError{Matrix: "numbers", Want: 9, Got: 8, Column: 5}},
		{"no jackpot number", Picks{amigoNine, {}}, ErrTooFew, PicksError{Matrix: "jackpot", Want: 1}},
		{"jackpot number 6", Picks{amigoNine, {6}}, ErrElement, PicksError{Matrix: "jackpot", Want: 1, Got: 1, Element: 6}},
		{"number 46", Picks{append([]int{46}, amigoNine...), {1}}, ErrElement, PicksError{Matrix: "numbers", Want: 9, Got: 10, Element: 46}},
		{"a number twice", Picks{append([]int{1}, amigoNine...), {1}}, ErrElement, PicksError{Matrix: "numbers", Want: 9, Got: 10, Element: 1}},
		{"a jackpot number twice", Picks{amigoNine, {2, 2}}, ErrElement, PicksError{Matrix: "jackpot", Want: 1, Got: 2, Element: 2}},
		{"a third matrix", Picks{amigoNine, {2}, {}}, ErrTooMany, PicksError{Want: 2, Got: 3}},
		{"nothing", nil, ErrTooFew, PicksError{Matrix: "numbers", Want: 9, Column: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, expandErr := r.Expand(c.picks)
			_, countErr := r.Combinations(c.picks)
			for _, err := range []error{r.CheckPicks(c.picks), expandErr, countErr} {
				if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
					t.Fatalf("got %v, want %v", err, c.want)
				}
				if detail, ok := errors.AsType[*PicksError](err); ok {
					got := *detail
					got.Err, got.Name = nil, Text{}
					if diff := cmp.Diff(c.detail, got); diff != "" {
						t.Error(diff)
					}
				}
			}
		})
	}
}

// extended is the nine numbers 1, 6 … 41 with extra numbers by column, and the first jackpot numbers.
func extended(also int, extras ...int) Picks {
	p := Picks{slices.Clone(amigoNine), nil}
	for column, n := range extras {
		for i := range n {
			p[0] = append(p[0], 5*column+2+i)
		}
	}
	for i := range also {
		p[1] = append(p[1], i+1)
	}
	return p
}

func TestAMI_3_1_6_Shapes(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	// Extras times columns, as the text lists them.
	allowed := map[Shape]bool{
		{1, 1}: true, {1, 2}: true, {1, 3}: true, {1, 4}: true, {1, 5}: true,
		{2, 1}: true, {2, 2}: true, {2, 3}: true, {3, 1}: true, {3, 2}: true, {4, 1}: true, {4, 2}: true,
	}
	if len(r.Multiple.Shapes) != len(allowed) {
		t.Errorf("got shapes %v", r.Multiple.Shapes)
	}
	for extras := 1; extras <= 4; extras++ {
		for columns := 1; columns <= 9; columns++ {
			shape := Shape{extras, columns}
			p := extended(1, slices.Repeat([]int{extras}, columns)...)
			got, also, err := r.ShapeOf(p)
			switch {
			case allowed[shape] && (err != nil || got != shape || also != 1):
				t.Errorf("%v: got %v, %d, %v", shape, got, also, err)
			case !allowed[shape] && !errors.Is(err, ErrShape):
				t.Errorf("%v: got %v", shape, err)
			}
			if _, err := r.Rank(p); !errors.Is(err, ErrTooMany) {
				t.Errorf("%v: a multiple play has a rank: %v", shape, err)
			}
			if err := r.CheckQuickPick(nil, shape, 1); (err == nil) != allowed[shape] {
				t.Errorf("%v: quick pick: got %v", shape, err)
			}
		}
	}
}

func TestAMI_3_1_6_UnequalExtras(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	_, err := r.Expand(extended(2, 0, 2, 0, 1))
	detail, ok := errors.AsType[*ShapeError](err)
	if !ok || !errors.Is(err, ErrShape) {
		t.Fatalf("got %v", err)
	}
	want := ShapeError{Matrix: "numbers", Name: Text{"Numéros", "Numbers"}, Extras: []int{0, 2, 0, 1, 0, 0, 0, 0, 0}, Also: 2, Allowed: r.Multiple.Shapes}
	if diff := cmp.Diff(want, *detail); diff != "" {
		t.Error(diff)
	}
	if want := "extra elements by column [0 2 0 1 0 0 0 0 0], 2 of the other matrix, allowed 1×1, 1×2"; !strings.Contains(err.Error(), want) {
		t.Errorf("got %q", err)
	}
}

func TestAMI_3_1_6_JackpotNumbers(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	refused := parse(t, replaced(t, string(r.Bytes), "jackpot_only_multiple: allowed", "jackpot_only_multiple: refused"))
	for also := 1; also <= 5; also++ {
		if n, err := r.Combinations(extended(also)); err != nil || n != int64(also) {
			t.Errorf("%d with a simple combination: got %d, %v", also, n, err)
		}
		for _, err := range []error{refused.CheckPicks(extended(also)), refused.CheckQuickPick(nil, Shape{}, also)} {
			if alone := also > 1; errors.Is(err, ErrShape) != alone || (err != nil) != alone {
				t.Errorf("%d with a simple combination, refused: got %v", also, err)
			}
		}
		if n, err := refused.Combinations(extended(also, 1, 1)); err != nil || n != int64(4*also) {
			t.Errorf("%d with a multiple: got %d, %v", also, n, err)
		}
	}
	four := parse(t, replaced(t, string(r.Bytes), "also_max: 5", "also_max: 4"))
	if err := four.CheckPicks(extended(5)); !errors.Is(err, ErrTooMany) {
		t.Errorf("five of at most four: got %v", err)
	}
	if err := four.CheckQuickPick(nil, Shape{}, 5); !errors.Is(err, ErrShape) {
		t.Errorf("quick pick of five of at most four: got %v", err)
	}
}

func TestAMI_3_1_7_Combinations(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	want := map[int][]int64{1: {2, 4, 8, 16, 32}, 2: {3, 9, 27}, 3: {4, 16}, 4: {5, 25}}
	for extras, counts := range want {
		for i, n := range counts {
			for also := 1; also <= 5; also++ {
				shape := Shape{extras, i + 1}
				p := extended(also, slices.Repeat([]int{extras}, i+1)...)
				got, err := r.Combinations(p)
				all, expandErr := r.Expand(p)
				if err != nil || expandErr != nil || got != n*int64(also) || int64(len(all)) != got || shape.Combinations(also) != got {
					t.Errorf("%v with %d: got %d and %d, %v, want %d", shape, also, got, len(all), err, n*int64(also))
				}
			}
		}
	}
	if got := (Shape{}).Combinations(0); got != 1 {
		t.Errorf("a simple combination: got %d", got)
	}
}

// anyPlay draws the picks of a play that Amigo allows.
func anyPlay(t *rapid.T, r *Rules) Picks {
	shape := rapid.SampledFrom(append([]Shape{{}}, r.Multiple.Shapes...)).Draw(t, "shape")
	wide := rapid.Permutation([]int{0, 1, 2, 3, 4, 5, 6, 7, 8}).Draw(t, "columns")[:shape.Columns]
	p := Picks{nil, rapid.Permutation([]int{1, 2, 3, 4, 5}).Draw(t, "also")[:rapid.IntRange(1, 5).Draw(t, "n")]}
	for column := range 9 {
		n := 1
		if slices.Contains(wide, column) {
			n += shape.Extras
		}
		for _, i := range rapid.Permutation([]int{1, 2, 3, 4, 5}).Draw(t, "numbers")[:n] {
			p[0] = append(p[0], 5*column+i)
		}
	}
	p[0] = rapid.Permutation(p[0]).Draw(t, "order")
	return p
}

// A multiple play stands for exactly the combinations whose elements it has, each once, ascending.
func TestAMI_3_1_7_Expand(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	rapid.Check(t, func(t *rapid.T) {
		p := anyPlay(t, r)
		before := Picks{slices.Clone(p[0]), slices.Clone(p[1])}
		all, err := r.Expand(p)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, p); diff != "" {
			t.Fatal("picks changed:", diff)
		}
		want := []Combination{0}
		for column := range 9 { // in base 5, by hand
			var next []Combination
			for _, rank := range want {
				for digit := range 5 {
					if slices.Contains(p[0], 5*column+digit+1) {
						next = append(next, rank*5+Combination(digit))
					}
				}
			}
			want = next
		}
		var ranks []Combination
		for _, rank := range want {
			for digit := range 5 {
				if slices.Contains(p[1], digit+1) {
					ranks = append(ranks, rank*5+Combination(digit))
				}
			}
		}
		if diff := cmp.Diff(ranks, all); diff != "" {
			t.Fatal(diff)
		}
	})
}

// A quick pick may complete what is marked when some play of the shape has it.
func TestAMI_3_2_QuickPick(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	for _, c := range []struct {
		name  string
		picks Picks
		shape Shape
		also  int
		want  error
	}{
		{"nothing marked", nil, Shape{}, 0, nil},
		{"nothing marked, a multiple", nil, Shape{1, 5}, 5, nil},
		{"some marked", Picks{{1, 45}, {2}}, Shape{}, 1, nil},
		{"two in a column", Picks{{1, 2}}, Shape{}, 1, ErrTooMany},
		{"two in a column of a multiple", Picks{{1, 2}}, Shape{1, 1}, 1, nil},
		{"three in a column of a multiple", Picks{{1, 2, 3}}, Shape{1, 1}, 1, ErrTooMany},
		{"two in two columns", Picks{{1, 2, 6, 7}}, Shape{2, 2}, 1, nil},
		{"two in three columns", Picks{{1, 2, 6, 7, 11, 12}}, Shape{2, 2}, 1, ErrTooMany},
		{"more jackpot numbers than asked for", Picks{{}, {1, 2}}, Shape{1, 1}, 1, ErrTooMany},
		{"as many jackpot numbers as asked for", Picks{{}, {1, 2}}, Shape{1, 1}, 2, nil},
		{"six jackpot numbers", nil, Shape{1, 1}, 6, ErrShape},
		{"fewer than none", nil, Shape{}, -1, ErrShape},
		{"no such shape", nil, Shape{1, 6}, 1, ErrShape},
		{"half a shape", nil, Shape{1, 0}, 1, ErrShape},
		{"less than a shape", nil, Shape{-1, -1 << 62}, 1, ErrShape},
		{"an element that is not there", Picks{{46}}, Shape{}, 1, ErrElement},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if err := r.CheckQuickPick(c.picks, c.shape, c.also); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
	var fault *PicksError
	if err := r.CheckQuickPick(Picks{{1, 2}}, Shape{}, 0); !errors.As(err, &fault) || fault.Want != 1 || fault.Got != 2 || fault.Column != 1 {
		t.Errorf("two marked in a column: %+v", fault)
	}
	if err := r.CheckQuickPick(Picks{{1, 2}}, Shape{}, 0); !errors.Is(err, ErrTooMany) {
		t.Errorf("partial: got %v", err)
	}
	if err := island(t).CheckQuickPick(nil, Shape{1, 1}, 0); !errors.Is(err, ErrShape) {
		t.Errorf("game without multiple play: got %v", err)
	}
	if err := island(t).CheckQuickPick(nil, Shape{}, 2); !errors.Is(err, ErrShape) {
		t.Errorf("game without a matrix for several: got %v", err)
	}
}

// The part of any play that is left when elements are taken away can be completed to it.
func TestAMI_3_2_PartsOfPlays(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	rapid.Check(t, func(t *rapid.T) {
		p := anyPlay(t, r)
		shape, also, err := r.ShapeOf(p)
		if err != nil {
			t.Fatal(err)
		}
		part := Picks{p[0][:rapid.IntRange(0, len(p[0])).Draw(t, "numbers kept")], p[1][:rapid.IntRange(0, len(p[1])).Draw(t, "jackpot numbers kept")]}
		if err := r.CheckQuickPick(part, shape, also); err != nil {
			t.Fatalf("%v of %v with %d: %v", part, shape, also, err)
		}
	})
}

func TestAMI_5_Stakes(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	if r.UnitStake != money.Euros(2) {
		t.Errorf("unit stake %v", r.UnitStake)
	}
	for euros := range int64(30) {
		units, ok := r.Units(money.Euros(euros))
		if want := euros >= 2 && euros <= 10 && euros%2 == 0; ok != want || ok && units != euros/2 {
			t.Errorf("%d €: got %d, %v", euros, units, ok)
		}
	}
	if diff := cmp.Diff([]int{1, 2, 5, 10, 20}, r.DrawCounts); diff != "" {
		t.Error(diff)
	}
	want := Limit{Max: money.Euros(100), Scope: LimitTotal, Plays: LimitAll}
	if diff := cmp.Diff(want, r.Limit); diff != "" {
		t.Error(diff)
	}
	if r.Cap.Max != 0 || r.OverRun != RefuseOverRun || r.QuickPick.Partial || r.BoardsMax < 2 {
		t.Errorf("got cap %d, %v, partial quick picks %v, %d boards", r.Cap.Max, r.OverRun, r.QuickPick.Partial, r.BoardsMax)
	}
}

// amigoRanks is article 8.1.1: hits, euros for a unit stake, 1 in so many.
var amigoRanks = []struct {
	name  string
	hits  int
	euros int64
	odds  string
}{
	{"9+1", 9, 0, "9765625"},
	{"9", 9, 20_000, "2441406"},
	{"8", 8, 1_000, "54253"},
	{"7", 7, 100, "3391"},
	{"6", 6, 30, "363"},
	{"5", 5, 5, "61"},
	{"4", 4, 2, "15"},
	{"3", 3, 1, "6"},
}

func TestAMI_8_1_1_PrizeTable(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	odds := r.Odds(0)
	if len(r.Tables) != 1 || len(odds.Tiers) != len(amigoRanks) {
		t.Fatalf("got %d tables, %d tiers", len(r.Tables), len(odds.Tiers))
	}
	for i, want := range amigoRanks {
		tier := r.Tables[0].Tiers[i]
		if tier.Name != want.name || tier.Hits[0] != want.hits || tier.Prize != money.Euros(want.euros) || tier.Jackpot != (i == 0) {
			t.Errorf("rank %d: got %+v", i+1, tier)
		}
		if got := r.OneIn(odds.Tiers[i].Probability); got != want.odds {
			t.Errorf("rank %d: 1 in %s, want %s", i+1, got, want.odds)
		}
	}
	if got := r.OneInAny(odds.Any); got != "3.82" {
		t.Errorf("any: 1 in %s", got)
	}
}

func TestAMI_8_1_1_Odds(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	o := r.Odds(0)
	once := r.OddsOn(0, Terms{Once: true})
	jackpot := func(euros int64) string {
		return r.OddsOn(0, Terms{Jackpot: money.Euros(euros)}).Payout.RatString()
	}
	for _, c := range []struct{ what, got, want string }{
		{"payout rate of the fixed ranks", o.Payout.RatString(), "6076348/9765625"},
		{"without the multiplier", new(big.Rat).Mul(once.Payout, big.NewRat(47, 20)).RatString(), "6076348/9765625"},
		{"with the share of the jackpot", new(big.Rat).Add(o.Payout, r.Jackpot.Share).RatString(), "3391/5000"},
		{"jackpot of 250,000 €", jackpot(250_000), "6201348/9765625"},
		{"jackpot of 1,000,000 €", jackpot(1_000_000), "6576348/9765625"},
		{"jackpot of 1,500,000 €", jackpot(1_500_000), "6826348/9765625"},
		{"winning", o.Winning.String(), "2556665"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %s, want %s", c.what, c.got, c.want)
		}
	}
	if !o.Jackpot || r.OddsOn(0, Terms{Jackpot: 1}).Jackpot {
		t.Error("a jackpot is left out unless it is named")
	}
}

// Mean and variance by the definition: over every rank and every value of the multiplier.
func TestAMI_8_1_2_Variance(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	for _, terms := range []Terms{{}, {Once: true}, {Jackpot: money.Euros(600_000)}, {Once: true, Jackpot: money.Euros(600_000)}} {
		odds := r.OddsOn(0, terms)
		values := r.Multipliers
		if terms.Once {
			values = []Multiplier{{1, 100}}
		}
		mean, square := new(big.Rat), new(big.Rat)
		for _, m := range values {
			for i, tier := range r.Tables[0].Tiers {
				prize := tier.Prize.Times(int64(m.Times)).Rat()
				if tier.Jackpot {
					prize = terms.Jackpot.Rat()
				}
				p := new(big.Rat).Mul(odds.Tiers[i].Probability, big.NewRat(int64(m.Chances), 100))
				mean.Add(mean, new(big.Rat).Mul(p, prize))
				square.Add(square, p.Mul(p, prize.Mul(prize, prize)))
			}
		}
		if variance := square.Sub(square, new(big.Rat).Mul(mean, mean)); odds.Variance.Cmp(variance) != 0 {
			t.Errorf("%+v: got %v, want %v", terms, odds.Variance, variance)
		}
		if payout := mean.Quo(mean, r.UnitStake.Rat()); odds.Payout.Cmp(payout) != 0 {
			t.Errorf("%+v: got payout %v, want %v", terms, odds.Payout, payout)
		}
	}
}

func TestAMI_8_1_2_Multiplier(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	want := []Multiplier{{1, 15}, {2, 60}, {3, 10}, {4, 10}, {5, 4}, {10, 1}}
	if diff := cmp.Diff(want, r.Multipliers); diff != "" {
		t.Error(diff)
	}
	sum := new(big.Rat)
	for _, m := range r.Multipliers {
		if got := r.Chance(m); got.Cmp(big.NewRat(int64(m.Chances), 100)) != 0 {
			t.Errorf("%d: got %v", m.Times, got)
		}
		sum.Add(sum, r.Chance(m))
	}
	if got := r.MeanTimes(); got.RatString() != "47/20" || sum.RatString() != "1" {
		t.Errorf("mean %v, sum %v", got, sum)
	}
	if got := island(t).MeanTimes(); got.RatString() != "1" {
		t.Errorf("without a multiplier: mean %v", got)
	}
}

// Under a cap, a combination can cost the greatest prize times the greatest multiplier.
func TestAMI_6_4_Liability(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	if r.Liability(0) != 0 {
		t.Errorf("no cap: got %v", r.Liability(0))
	}
	r = parse(t, replaced(t, string(r.Bytes), "# cap: {max: …}", "cap: {max: 50}"))
	if got := r.Liability(0); got != money.Euros(10_000_000) {
		t.Errorf("got %v", got)
	}
}

func TestAMI_8_2_Jackpot(t *testing.T) {
	t.Parallel()
	want := &Jackpot{
		Share: big.NewRat(4373591, 78125000), Minimum: money.Euros(250_000), GuaranteeFrom: FromReserve,
		Threshold: money.Euros(1_000_000), Ceiling: money.Euros(1_500_000), OneIn: 500,
		Basis: IncludingShare, RollDown: AddedToPrize, OverCeiling: OverRolledDown, NoLowerWinner: ToNextDraw,
	}
	if diff := cmp.Diff(want, amigo(t).Jackpot, cmp.Comparer(func(a, b *big.Rat) bool { return a.Cmp(b) == 0 })); diff != "" {
		t.Error(diff)
	}
	if island(t).Jackpot != nil {
		t.Error("a fixed-prize game with a jackpot")
	}
}

func TestAMI_11_2_Claims(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	want := Claims{60, 6 * time.Hour, AfterLastDraw, SmallFirst, PlaceOfPayment, ClaimCalendarDate, TopNextMorning, NoExtension, 0}
	if diff := cmp.Diff(want, r.Claims); diff != "" {
		t.Error(diff)
	}
	for i, tier := range r.Tables[0].Tiers {
		if top := i < 2; tier.NextMorning != top || tier.Centre != top {
			t.Errorf("tier %s: next morning %v, payment centre %v", tier.Name, tier.NextMorning, tier.Centre)
		}
	}
}

func TestAMI_Calendar(t *testing.T) {
	t.Parallel()
	c := amigo(t).Calendar
	if len(c.Sessions) != 1 || len(c.Sessions[0].Weekdays) != 7 || c.Sessions[0].First != 1 || c.Sessions[0].Last != 250 {
		t.Errorf("got sessions %+v", c.Sessions)
	}
	if c.FirstAt != 4*time.Hour+10*time.Minute || c.FirstAt+249*c.Every != 24*time.Hour+55*time.Minute {
		t.Errorf("first at %v, every %v", c.FirstAt, c.Every)
	}
}

// Every combination against a result: each wins what counting its base-5
// digits says, and each rank has as many winners as its odds say.
func TestAMI_8_1_1_EveryCombination(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	odds := r.Odds(0)
	result := Result{{45, 1, 8, 14, 16, 25, 26, 33, 36}, {5}} // in the order drawn, first and last of a column among them
	m, err := r.Matcher(0, result)
	if err != nil {
		t.Fatal(err)
	}
	var drawn [10]Combination // digits
	for _, e := range result[0] {
		drawn[(e-1)/5] = Combination((e - 1) % 5)
	}
	drawn[9] = 4
	rankOf := func(c Combination) int { // without masks
		jackpot, hits := c%5 == drawn[9], 0
		for digit := 8; digit >= 0; digit-- {
			c /= 5
			if c%5 == drawn[digit] {
				hits++
			}
		}
		switch {
		case hits == 9 && jackpot:
			return 0
		case hits >= 3:
			return 10 - hits
		}
		return -1
	}
	const shares = 25
	var winners [shares][8]int64
	var wrong [shares]Combination
	var group sync.WaitGroup
	for share := range shares {
		group.Go(func() {
			wrong[share] = -1
			for c := Combination(share); c < Combination(r.Size()); c += shares {
				rank := m.Tier(c)
				if rank != rankOf(c) {
					wrong[share] = c
				}
				if rank >= 0 {
					winners[share][rank]++
				}
			}
		})
	}
	group.Wait()
	for _, c := range wrong {
		if c >= 0 {
			t.Fatalf("combination %d, picks %v: got rank %d, want %d", c, r.Picks(c), m.Tier(c), rankOf(c))
		}
	}
	for rank, tier := range odds.Tiers {
		sum := int64(0)
		for share := range shares {
			sum += winners[share][rank]
		}
		if tier.Winning.Cmp(big.NewInt(sum)) != 0 {
			t.Errorf("rank %d: %d winners, odds say %v", rank+1, sum, tier.Winning)
		}
	}
}

// Each line of the public table, against a play and a draw made to fit it.
func TestAMI_8_1_1_MultipleTable(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	lines := r.MultipleLines(0)
	type key struct {
		shape            Shape
		also             int
		hit              bool
		extended, single int
	}
	seen := map[key]bool{}
	for _, l := range lines {
		seen[key{l.Shape, l.Also, l.AlsoHit, l.Extended, l.Single}] = true
		p := extended(l.Also, slices.Repeat([]int{l.Shape.Extras}, l.Shape.Columns)...)
		result := Result{nil, {1}}
		if !l.AlsoHit {
			result[1][0] = 5
		}
		for column := range 9 {
			of, hits := column, l.Extended // among the extended columns, those first are hit
			first, missed := 5*column+1, 5*column+5
			if column >= l.Shape.Columns {
				of, hits = column-l.Shape.Columns, l.Single
			}
			if of < hits {
				result[0] = append(result[0], first)
			} else {
				result[0] = append(result[0], missed)
			}
		}
		m, err := r.Matcher(0, result)
		if err != nil {
			t.Fatal(err)
		}
		combinations, err := r.Expand(p)
		if err != nil {
			t.Fatal(err)
		}
		winners := make([]int64, 8)
		for _, c := range combinations {
			if tier := m.Tier(c); tier >= 0 {
				winners[tier]++
			}
		}
		if diff := cmp.Diff(winners, l.Winners); diff != "" {
			t.Errorf("%+v: %s", l, diff)
		}
		if wins := slices.Max(winners) > 0; l.Wins() != wins {
			t.Errorf("%+v: wins %v", l, wins)
		}
	}
	// Ten numbers of hits in the single columns of a shape, less those it has no columns for, and so on.
	want := 0
	for _, s := range append([]Shape{{}}, r.Multiple.Shapes...) {
		places := (s.Columns + 1) * (10 - s.Columns)
		if s.Extras == 4 { // a column with all its numbers is hit
			places = 10 - s.Columns
		}
		want += places * 9 // 1 to 4 jackpot numbers, hit or not, and 5, which are hit
		if s == (Shape{}) {
			want -= places * 2 // one jackpot number: no multiple play
		}
	}
	if len(seen) != len(lines) || len(lines) != want {
		t.Errorf("%d lines, %d different, want %d", len(lines), len(seen), want)
	}
	if island(t).MultipleLines(0) != nil {
		t.Error("a table of a game without multiple play")
	}
}

// Hits in all do not tell: seven with 1×5 win one rank 4 as 5+2 and four as 3+4.
func TestAMI_8_1_1_SevenHits(t *testing.T) {
	t.Parallel()
	for _, l := range amigo(t).MultipleLines(0) {
		want := map[[2]int]int64{{5, 2}: 1, {3, 4}: 4}[[2]int{l.Extended, l.Single}]
		if l.Shape == (Shape{1, 5}) && l.Also == 1 && want > 0 && l.Winners[3] != want {
			t.Errorf("%d+%d: %d of rank 4, want %d", l.Extended, l.Single, l.Winners[3], want)
		}
	}
}

// A result has one number of each column.
func TestMatcherRefusesColumns(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	for name, c := range map[string]struct {
		result Result
		ok     bool
	}{
		"in any order":      {Result{{41, 6, 11, 16, 21, 26, 31, 36, 1}, {3}}, true},
		"two of one column": {Result{{1, 2, 11, 16, 21, 26, 31, 36, 41}, {3}}, false},
		"eight":             {Result{{1, 6, 11, 16, 21, 26, 31, 36}, {3}}, false},
	} {
		if _, err := r.Matcher(0, c.result); (err == nil) != c.ok || !c.ok && !errors.Is(err, ErrResult) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// The shipped book states each reading at its default, and takes the other value of each.
func TestAMI_Readings(t *testing.T) {
	t.Parallel()
	text := string(amigo(t).Bytes)
	for _, c := range []struct {
		id, old, with string
		read          func(*Rules) any
		was, is       any
	}{
		{"AMI-3.1.6 jackpot_only_multiple", "jackpot_only_multiple: allowed", "jackpot_only_multiple: refused", func(r *Rules) any { return r.Multiple.AlsoAlone }, true, false},
		{"AMI-3.1.7 shape_scope", "shape_scope: board", "shape_scope: slip", func(r *Rules) any { return r.Multiple.Scope }, ShapeByBoard, ShapeBySlip},
		{"AMI-3.1.3 draw_counts", "[1, 2, 5, 10, 20]", "[1, 2, 3, 4, 5]", func(r *Rules) any { return r.DrawCounts[4] }, 20, 5},
		{"AMI-3.1.3 over_run", "over_run: refuse", "over_run: cut", func(r *Rules) any { return r.OverRun }, RefuseOverRun, CutOverRun},
		{"AMI-3.2 partial_quick_pick", "partial: refused", "partial: allowed", func(r *Rules) any { return r.QuickPick.Partial }, false, true},
		{"AMI-5.2 limit_scope", "scope: total", "scope: per_draw", func(r *Rules) any { return r.Limit.Scope }, LimitTotal, LimitPerDraw},
		{"AMI-5.2 limit_plays", "plays: all", "plays: multiple_only", func(r *Rules) any { return r.Limit.Plays }, LimitAll, LimitMultipleOnly},
		{"AMI-6.4 cap", "# cap: {max: …}", "cap: {max: 50}", func(r *Rules) any { return r.Cap.Max }, 0, 50},
		{"AMI-8.2 jackpot_share", "share: 4373591/78125000       # reading jackpot_share: 67.82 % of the stakes, less the fixed ranks\n  payout_rate: 3391/5000", "share: 1/20\n ", func(r *Rules) any { return r.Jackpot.Share.RatString() }, "4373591/78125000", "1/20"},
		{"AMI-8.2 guarantee_from", "guarantee_from: reserve", "guarantee_from: operator", func(r *Rules) any { return r.Jackpot.GuaranteeFrom }, FromReserve, FromOperator},
		{"AMI-8.2.5 threshold_basis", "threshold_basis: including_share", "threshold_basis: before", func(r *Rules) any { return r.Jackpot.Basis }, IncludingShare, BeforeShare},
		{"AMI-8.2.5 rolldown", "rolldown: added", "rolldown: replaces", func(r *Rules) any { return r.Jackpot.RollDown }, AddedToPrize, ReplacesPrize},
		{"AMI-8.2.5 over_cap", "over_cap: rolled_down", "over_cap: reserve", func(r *Rules) any { return r.Jackpot.OverCeiling }, OverRolledDown, OverToReserve},
		{"AMI-8.2.5 no_lower_winner", "no_lower_winner: next_draw", "no_lower_winner: reserve", func(r *Rules) any { return r.Jackpot.NoLowerWinner }, ToNextDraw, ToReserve},
		{"AMI-11.2 claim_day", "claim_day: calendar_date", "claim_day: draw_day", func(r *Rules) any { return r.Claims.ClaimDay }, ClaimCalendarDate, ClaimDrawDay},
		{"AMI-11.2 top_ranks", "top_ranks: next_morning", "top_ranks: as_the_others", func(r *Rules) any { return r.Claims.TopRanks }, TopNextMorning, TopAsTheOthers},
		{"IAT-7 claim_extension", "claim_extension: none", "claim_extension: next_working_day", func(r *Rules) any { return r.Claims.Extension }, NoExtension, NextWorkingDay},
		{"refund_until", "refund_until: as_prizes", "refund_until: 30", func(r *Rules) any { return r.Claims.RefundDays }, 0, 30},
	} {
		t.Run(c.id, func(t *testing.T) {
			t.Parallel()
			if got := c.read(parse(t, text)); got != c.was {
				t.Errorf("as shipped: got %v, want %v", got, c.was)
			}
			if got := c.read(parse(t, replaced(t, text, c.old, c.with))); got != c.is {
				t.Errorf("with %s: got %v", c.with, got)
			}
		})
	}
}
