package game

import (
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tirage/money"
)

// island is L'Ile au Trésor as shipped.
func island(t testing.TB) *Rules {
	t.Helper()
	text, err := Book("ile-au-tresor")
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, string(text))
}

// sample is a book of testdata.
func sample(t testing.TB, name string) *Rules {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, string(text))
}

func parse(t testing.TB, text string) *Rules {
	t.Helper()
	r, err := Parse("book.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestIAT_2_FixedPrize(t *testing.T) {
	t.Parallel()
	r := island(t)
	if r.Code != "ile-au-tresor" || r.Kind != FixedPrize || r.Currency != "EUR" {
		t.Errorf("got %s, %v, %s", r.Code, r.Kind, r.Currency)
	}
	for _, tier := range r.Tables[0].Tiers {
		if tier.Jackpot || tier.Prize == 0 {
			t.Errorf("tier %s is no fixed sum", tier.Name)
		}
	}
}

func TestIAT_2_1_Stakes(t *testing.T) {
	t.Parallel()
	r := island(t)
	units := map[int64]int64{2: 1, 4: 2, 6: 3, 8: 4, 10: 5, 20: 10}
	for cents := range int64(3000) {
		stake := money.Amount(cents)
		got, ok := r.Units(stake)
		want := int64(0)
		if cents%100 == 0 {
			want = units[cents/100]
		}
		if got != want || ok != (want > 0) {
			t.Errorf("stake %v: got %d units, %v, want %d", stake, got, ok, want)
		}
	}
}

func TestIAT_2_2_Space(t *testing.T) {
	t.Parallel()
	if got := island(t).Size(); got != 348840 {
		t.Errorf("got %d combinations", got)
	}
}

func TestIAT_2_3_1_Names(t *testing.T) {
	t.Parallel()
	want := []struct {
		name     string
		elements string
	}{
		{"La Carte", "Tour de guet, Phare maudit, Drapeau pirate, Baie des singes, Palmier blanc, Temple interdit, " +
			"Désert des serpents, Mare aux crocodiles, Nid des perroquets, Marais des tortues, Puits profond, " +
			"Caverne aux mygales, Fontaine de jouvence, Epave secrète, Plage aux requins, Mine d'or, Rocher fantôme, " +
			"Rivière sacrée, Port royal, Ancienne taverne, Pont suspendu"},
		{"Les Pirates", "La Sauvage, Le Féroce, Le Borgne"},
	}
	r := island(t)
	if len(r.Matrices) != len(want) {
		t.Fatalf("got %d matrices", len(r.Matrices))
	}
	for i, m := range r.Matrices {
		var names []string
		for _, e := range m.Elements {
			names = append(names, e.Name.FR)
			if e.Name.EN == "" || !slugForm.MatchString(e.Key) {
				t.Errorf("%s: key %q, English %q", e.Name.FR, e.Key, e.Name.EN)
			}
		}
		if m.Name.FR != want[i].name {
			t.Errorf("matrix %d: got %s", i, m.Name.FR)
		}
		if diff := cmp.Diff(want[i].elements, strings.Join(names, ", ")); diff != "" {
			t.Error(diff)
		}
	}
}

func TestIAT_2_3_5_DrawCounts(t *testing.T) {
	t.Parallel()
	r := island(t)
	if diff := cmp.Diff([]int{1, 2, 3, 4, 5, 6}, r.DrawCounts); diff != "" {
		t.Error(diff)
	}
	if r.BoardsMax != 1 || r.OverRun != CutOverRun || r.Calendar.CloseBefore != 20*time.Second {
		t.Errorf("got %d boards, %v, close %v before", r.BoardsMax, r.OverRun, r.Calendar.CloseBefore)
	}
}

func TestIAT_3_Liability(t *testing.T) {
	t.Parallel()
	r := island(t)
	if got := r.Liability(0); got != money.Euros(1_000_000) {
		t.Errorf("greatest liability: got %v", got)
	}
	wagers := parse(t, strings.Replace(string(r.Bytes), "counts: unit_stakes", "counts: wagers", 1))
	if got := wagers.Liability(0); got != money.Euros(10_000_000) {
		t.Errorf("counting wagers: got %v", got)
	}
	lotto := sample(t, "lotto-59")
	if got := lotto.Liability(0); got != 0 {
		t.Errorf("no cap: got %v", got)
	}
}

func TestIAT_4_DrawnSets(t *testing.T) {
	t.Parallel()
	r := island(t)
	var got []string
	for _, s := range r.Sets {
		got = append(got, s.Key)
		if m := r.Matrices[s.Matrix]; m.Key != s.Key || m.Pick != s.Count {
			t.Errorf("set %s: %d drawn, %d picked in %s", s.Key, s.Count, m.Pick, m.Key)
		}
	}
	if diff := cmp.Diff([]string{"places", "pirates"}, got); diff != "" {
		t.Error(diff)
	}
}

// prizeTable is article 6.1: places, pirates, odds, prizes at 2, 4, 6, 8, 10 and 20 €.
var prizeTable = []struct {
	places, pirates int
	odds            string
	euros           [6]int64
}{
	{7, 1, "348840.00", [6]int64{20000, 40000, 60000, 80000, 100000, 200000}},
	{7, 0, "174420.00", [6]int64{1500, 3000, 4500, 6000, 7500, 15000}},
	{6, 1, "3559.59", [6]int64{200, 400, 600, 800, 1000, 2000}},
	{6, 0, "1779.80", [6]int64{100, 200, 300, 400, 500, 1000}},
	{5, 1, "182.54", [6]int64{50, 100, 150, 200, 250, 500}},
	{5, 0, "91.27", [6]int64{20, 40, 60, 80, 100, 200}},
	{4, 1, "27.38", [6]int64{6, 12, 18, 24, 30, 60}},
	{4, 0, "13.69", [6]int64{3, 6, 9, 12, 15, 30}},
	{3, 1, "9.96", [6]int64{2, 4, 6, 8, 10, 20}},
	{0, 0, "50.82", [6]int64{2, 4, 6, 8, 10, 20}},
}

func TestIAT_6_1_PrizeTable(t *testing.T) {
	t.Parallel()
	r := island(t)
	odds := r.Odds(0)
	tiers := r.Tables[0].Tiers
	if len(tiers) != len(prizeTable) {
		t.Fatalf("got %d tiers", len(tiers))
	}
	for i, want := range prizeTable {
		tier := tiers[i]
		if diff := cmp.Diff([]int{want.places, want.pirates}, tier.Hits); diff != "" {
			t.Errorf("tier %s: %s", tier.Name, diff)
		}
		for s, stake := range r.Stakes {
			units, _ := r.Units(stake)
			if got := tier.Prize.Times(units); got != money.Euros(want.euros[s]) {
				t.Errorf("tier %s at %v: got %v, want %d", tier.Name, stake, got, want.euros[s])
			}
		}
		if got := r.OneIn(odds.Tiers[i].Probability); got != want.odds {
			t.Errorf("tier %s: got 1 in %s, want %s", tier.Name, got, want.odds)
		}
	}
}

func TestIAT_6_1_Odds(t *testing.T) {
	t.Parallel()
	r := island(t)
	o := r.Odds(0)
	for _, c := range []struct{ what, got, want string }{
		{"combinations", o.Combinations.String(), "348840"},
		{"top tier", o.Tiers[0].Probability.RatString(), "1/348840"},
		{"any prize", o.Any.RatString(), "86149/348840"},
		{"any prize, printed", r.OneIn(o.Any), "4.05"},
		{"payout rate", o.Payout.RatString(), "39239/58140"},
		{"variance", o.Variance.RatString(), "1009955447039/845064900"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %s, want %s", c.what, c.got, c.want)
		}
	}
	if o.Jackpot {
		t.Error("no tier is a jackpot")
	}
}

// tierOf tells by plain lists, without masks, what article 6.1 gives.
func tierOf(result Result, p Picks) int {
	var hits [2]int
	for i, drawn := range result {
		for _, e := range p[i] {
			if slices.Contains(drawn, e) {
				hits[i]++
			}
		}
	}
	for i, tier := range prizeTable {
		if hits == [2]int{tier.places, tier.pirates} {
			return i
		}
	}
	return -1
}

// Every combination against several results, first and last elements among
// them: each wins what plain counting says, and each tier has as many winners
// as its odds say.
func TestIAT_6_1_EveryCombination(t *testing.T) {
	t.Parallel()
	r := island(t)
	odds := r.Odds(0)
	for _, result := range []Result{
		{{1, 2, 3, 4, 5, 6, 7}, {1}},
		{{21, 20, 19, 18, 17, 16, 15}, {3}},
		{{13, 1, 21, 8, 5, 2, 3}, {2}},
	} {
		m, err := r.Matcher(0, result)
		if err != nil {
			t.Fatal(err)
		}
		winners := make([]int64, len(odds.Tiers))
		for c := range Combination(r.Size()) {
			got := m.Tier(c)
			if want := tierOf(result, r.Picks(c)); got != want {
				t.Fatalf("result %v, picks %v: got tier %d, want %d", result, r.Picks(c), got, want)
			}
			if got >= 0 {
				winners[got]++
			}
		}
		for i, n := range winners {
			if odds.Tiers[i].Winning.Cmp(big.NewInt(n)) != 0 {
				t.Errorf("tier %d: %d winners, odds say %v", i, n, odds.Tiers[i].Winning)
			}
		}
	}
}

func TestIAT_6_1_NoneAndNoneWins(t *testing.T) {
	t.Parallel()
	r := island(t)
	m, err := r.Matcher(0, Result{{1, 2, 3, 4, 5, 6, 7}, {2}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		picks Picks
		tier  int
		hits  []int
	}{
		{"0+0 wins", Picks{{8, 9, 10, 11, 12, 13, 14}, {1}}, 9, []int{0, 0}},
		{"0+1 loses", Picks{{8, 9, 10, 11, 12, 13, 14}, {2}}, -1, []int{0, 1}},
		{"3+0 loses", Picks{{1, 2, 3, 11, 12, 13, 14}, {3}}, -1, []int{3, 0}},
		{"7+1 is the top tier", Picks{{1, 2, 3, 4, 5, 6, 7}, {2}}, 0, []int{7, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rank, err := r.Rank(c.picks)
			if err != nil {
				t.Fatal(err)
			}
			if got := m.Tier(rank); got != c.tier {
				t.Errorf("got tier %d, want %d", got, c.tier)
			}
			if diff := cmp.Diff(c.hits, m.Hits(rank)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// No two tiers take the same hits, and the tiers stand from the highest prize down.
func TestIAT_6_2_HighestTierOnly(t *testing.T) {
	t.Parallel()
	r := island(t)
	tiers := r.Tables[0].Tiers
	for match := range r.index.ways {
		won := 0
		for _, tier := range tiers {
			if tier.wonBy(r.hits(match), false) {
				won++
			}
		}
		if won > 1 {
			t.Errorf("hits %v win %d tiers", r.hits(match), won)
		}
	}
	for i := range tiers[1:] {
		if tiers[i].Prize < tiers[i+1].Prize {
			t.Errorf("tier %s is below tier %s", tiers[i].Name, tiers[i+1].Name)
		}
	}
	lotto := sample(t, "lotto-59")
	m, err := lotto.Matcher(0, Result{{1, 2, 3, 4, 5, 6}, {7}})
	if err != nil {
		t.Fatal(err)
	}
	rank, err := lotto.Rank(Picks{{1, 2, 3, 4, 5, 7}})
	if err != nil {
		t.Fatal(err)
	}
	if got := lotto.Tables[0].Tiers[m.Tier(rank)].Name; got != "5+bonus" {
		t.Errorf("five and the bonus: got tier %s", got)
	}
}

func TestIAT_7_Claims(t *testing.T) {
	t.Parallel()
	r := island(t)
	want := Claims{60, 6 * time.Hour, AfterLastDraw, WholeTicketNextMorning, PlaceOfPayment, ClaimDrawDay, TopNextMorning, NoExtension, 0}
	if diff := cmp.Diff(want, r.Claims); diff != "" {
		t.Error(diff)
	}
	for _, tier := range r.Tables[0].Tiers {
		if early := tier.Name == "7+1" || tier.Name == "7+0"; early != tier.NextMorning {
			t.Errorf("tier %s: payable next morning: %v", tier.Name, tier.NextMorning)
		}
	}
}

func TestIAT_Calendar(t *testing.T) {
	t.Parallel()
	c := island(t).Calendar
	if c.Zone.String() != "Europe/Paris" || c.FirstAt != 4*time.Hour+10*time.Minute || c.Every != 5*time.Minute {
		t.Errorf("got %v, %v, %v", c.Zone, c.FirstAt, c.Every)
	}
	days := []time.Weekday{time.Monday, time.Wednesday, time.Friday, time.Sunday}
	if diff := cmp.Diff([]Session{{days, 95, 130}, {days, 167, 214}}, c.Sessions); diff != "" {
		t.Error(diff)
	}
	// Draw n is at 04:05 + 5·n minutes.
	if at := c.FirstAt + 94*c.Every; at != 12*time.Hour {
		t.Errorf("draw 95 at %v", at)
	}
	var got []string
	for _, place := range c.Territories {
		got = append(got, place.Key+" "+place.Zone.String())
	}
	want := []string{
		"metropole Europe/Paris", "monaco Europe/Monaco", "martinique America/Martinique", "guadeloupe America/Guadeloupe",
		"saint-barthelemy America/St_Barthelemy", "saint-martin America/Marigot", "guyane America/Cayenne",
		"reunion Indian/Reunion", "polynesie Pacific/Tahiti",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestEmbedded(t *testing.T) {
	t.Parallel()
	for _, code := range Embedded() {
		text, err := Book(code)
		if err != nil {
			t.Fatal(err)
		}
		if r := parse(t, string(text)); r.Code != code {
			t.Errorf("book %s is of game %s", code, r.Code)
		}
	}
	if !slices.Contains(Embedded(), "ile-au-tresor") {
		t.Error("no ile-au-tresor")
	}
	for _, code := range []Code{"", "amigo-live", "../rules/ile-au-tresor"} {
		if _, err := Book(code); err == nil {
			t.Errorf("book %q found", code)
		}
	}
}
