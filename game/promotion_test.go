package game

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tirage/money"
)

// The promotion of February 2018: for each condition, the last that holds and the first that does not.
func TestPromotionOfFebruary2018(t *testing.T) {
	t.Parallel()
	r := island(t)
	day := func(n int) Day { return NewDay(2018, time.February, n) } // the 1st is a Thursday
	for _, c := range []struct {
		name      string
		day       Day
		number    int
		territory string
		want      int
	}{
		{"first Friday", day(2), 95, "metropole", 1},
		{"last draw of the first session", day(2), 130, "metropole", 1},
		{"first draw of the second session", day(2), 167, "metropole", 1},
		{"last Sunday, last draw", day(11), 214, "metropole", 1},
		{"a Thursday", day(1), 95, "metropole", 0},
		{"the Wednesday before", day(0), 95, "metropole", 0},
		{"the Monday after", day(12), 95, "metropole", 0},
		{"before the first session", day(2), 94, "metropole", 0},
		{"after the first session", day(2), 131, "metropole", 0},
		{"before the second session", day(2), 166, "metropole", 0},
		{"after the second session", day(2), 215, "metropole", 0},
		{"another territory", day(2), 95, "reunion", 0},
		{"no territory", day(2), 95, "", 0},
	} {
		if got := r.TableOf(c.day, c.number, c.territory); got != c.want {
			t.Errorf("%s: got table %d, want %d", c.name, got, c.want)
		}
	}
	if len(r.Promotions) != 1 || len(r.Tables) != 2 || r.Tables[1].Key != "february-2018" {
		t.Fatalf("got %d promotions, %d tables", len(r.Promotions), len(r.Tables))
	}
	// Tier 7+1 is doubled, and nothing else is.
	want := slices.Clone(r.Tables[0].Tiers)
	want[0].Prize = money.Euros(40_000)
	if diff := cmp.Diff(want, r.Tables[1].Tiers); diff != "" {
		t.Error(diff)
	}
}

// A promotion without conditions but its days holds everywhere, and the first that fits wins.
func TestPromotionsInOrder(t *testing.T) {
	t.Parallel()
	text := replaced(t, islandText(t), "promotions:\n", `promotions:
  - {table: ordinary, days: [2018-02-04, 2018-02-04]}
  - {table: february-2018, days: [2018-02-03, 2018-02-05], draws: [[100, 100]]}
`)
	r := parse(t, text)
	for day, want := range map[int]int{2: 0, 3: 1, 4: 0, 5: 1, 6: 0} {
		if got := r.TableOf(NewDay(2018, time.February, day), 100, "polynesie"); got != want {
			t.Errorf("%d February: got table %d, want %d", day, got, want)
		}
	}
	if got := r.TableOf(NewDay(2018, time.February, 5), 101, "metropole"); got != 1 { // a Monday: the shipped one
		t.Errorf("got table %d", got)
	}
}

// april2014 is Amigo with a promotion of the kind of April 2014: a rank is added.
func april2014(t testing.TB, tiers string) string {
	t.Helper()
	text := string(amigo(t).Bytes)
	i := strings.Index(text, "    tiers:\n")
	j := strings.Index(text, "\n# AMI-6.4")
	return text[:j] + "  - key: april-2014\n" + text[i:j] + tiers + text[j:] + `
promotions:
  - {table: april-2014, days: [2014-04-01, 2014-04-30]}
`
}

func TestPromotionAddsARank(t *testing.T) {
	t.Parallel()
	r := parse(t, april2014(t, "      - {name: none, hits: {numbers: 0}, prize: 2, odds: 7}\n"))
	april, may := r.TableOf(NewDay(2014, time.April, 30), 250, "metropole"), r.TableOf(NewDay(2014, time.May, 1), 1, "metropole")
	if april != 1 || may != 0 {
		t.Fatalf("got tables %d and %d", april, may)
	}
	none := Picks{{2, 7, 12, 17, 22, 27, 32, 37, 42}, {3}}
	c, err := r.Rank(none)
	if err != nil {
		t.Fatal(err)
	}
	for table, want := range map[int]int{0: -1, 1: 8} {
		m, err := r.Matcher(table, amigoDraw)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Tier(c); got != want {
			t.Errorf("table %d: got rank %d, want %d", table, got, want)
		}
	}
	if got := r.Odds(1).Tiers[8].Winning.Int64(); got != 4*4*4*4*4*4*4*4*4*5 {
		t.Errorf("got %d winners without a hit", got)
	}
}

// A roll-down goes down all tables at once, so a tier has the same place in each.
func TestPromotionKeepsTheRanksInPlace(t *testing.T) {
	t.Parallel()
	const added = "      - {name: none, hits: {numbers: 0}, prize: 2, odds: 7}\n"
	text := april2014(t, "")
	i := strings.LastIndex(text, "      - {name: \"3\"")
	if _, err := Parse("f", []byte(text[:i]+added+text[i:])); err == nil || !strings.Contains(err.Error(), "tier none: hits, expected those of tier 3 of the first table") {
		t.Errorf("a rank in between: got %v", err)
	}
	i = strings.LastIndex(text, "      - {name: 9+1")
	j := i + strings.Index(text[i:], "\n") + 1
	if _, err := Parse("f", []byte(text[:i]+text[j:])); err == nil || !strings.Contains(err.Error(), "tier 9: prize, expected the jackpot at the top of the table only") {
		t.Errorf("no jackpot: got %v", err)
	}
}
