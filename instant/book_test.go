package instant

import (
	"errors"
	"fmt"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tirage/game"
	"tirage/money"
)

const islandFile = "rules/ile-au-tresor-instant.yaml"

// parsed returns a book that stands, as it was read from a file.
func parsed(t *testing.T, file string) *Rules {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Parse(file, text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// island is the embedded book.
func island(t *testing.T) *Rules {
	t.Helper()
	return parsed(t, islandFile)
}

func TestBook_Embedded(t *testing.T) {
	t.Parallel()
	codes := Codes()
	if !slices.Contains(codes, "ile-au-tresor-instant") {
		t.Errorf("codes %v", codes)
	}
	for _, code := range codes {
		text, err := Book(code)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Parse(string(code), text)
		if err != nil {
			t.Fatal(err)
		}
		if r.Code != code || string(r.Bytes) != string(text) {
			t.Errorf("book %s is of game %s", code, r.Code)
		}
	}
	for _, code := range []game.Code{"amigo", "", "../rules", "schema"} {
		if _, err := Book(code); !errors.Is(err, game.ErrBook) {
			t.Errorf("%q: %v", code, err)
		}
	}
}

// TestINS_2_PoolsAndPrices: units of a pool, prices; the first day (INS-1).
func TestINS_2_PoolsAndPrices(t *testing.T) {
	t.Parallel()
	r := island(t)
	if r.Units != 450_000 {
		t.Errorf("INS-2: %d units", r.Units)
	}
	var prices []money.Amount
	for _, table := range r.Tables {
		prices = append(prices, table.Price)
		if got, err := r.Table(table.Price); err != nil || got.Price != table.Price {
			t.Errorf("table of %s: %v, %v", table.Price, got, err)
		}
	}
	if want := []money.Amount{50, 100, 200}; !slices.Equal(prices, want) {
		t.Errorf("INS-2: prices %v", prices)
	}
	for _, price := range []money.Amount{0, 49, 150, 400, -50} {
		if _, err := r.Table(price); !errors.Is(err, ErrPrice) {
			t.Errorf("price %s: %v", price, err)
		}
	}
	if got := r.FirstDay.String(); got != "2009-11-19" {
		t.Errorf("INS-1: first day %s", got)
	}
	if r.Scene != Island || r.Zone.String() != "Europe/Paris" || r.Version != "2009" || r.Name.FR == "" || r.Name.EN == "" {
		t.Errorf("%v %v %v %v", r.Scene, r.Zone, r.Version, r.Name)
	}
	if want := (Policy{Warn, 4500, Warn, 45000, 1, 1_000_000}); r.Policy != want {
		t.Errorf("policy %+v", r.Policy)
	}
}

// TestINS_3_PrizeTables: the figures of articles 3.1 to 3.3 and of 4.4, typed
// once more, in cents.
func TestINS_3_PrizeTables(t *testing.T) {
	t.Parallel()
	r := island(t)
	want := map[money.Amount][]string{
		50: {
			"1 500000 500000 3 candlestick", "3 25000 75000 3 monkey", "100 7500 750000 3 sapphire", "1000 2500 2500000 3 skull",
			"500 1250 625000 2 candlestick", "2000 500 1000000 2 monkey", "26000 150 3900000 2 sapphire", "38000 100 3800000 2 skull",
			"52000 50 2600000 1 candlestick",
		},
		100: {
			"1 1000000 1000000 3 candlestick", "3 50000 150000 3 monkey", "100 15000 1500000 3 sapphire", "1000 5000 5000000 3 skull",
			"500 2500 1250000 2 candlestick", "2000 1000 2000000 2 monkey", "26000 300 7800000 2 sapphire", "38000 200 7600000 2 skull",
			"52000 100 5200000 1 candlestick",
		},
		200: {
			"1 2000000 2000000 3 candlestick", "3 100000 300000 3 monkey", "100 30000 3000000 3 sapphire", "1000 10000 10000000 3 skull",
			"500 5000 2500000 2 candlestick", "2000 2000 4000000 2 monkey", "26000 600 15600000 2 sapphire", "38000 400 15200000 2 skull",
			"52000 200 10400000 1 candlestick",
		},
	}
	totals := map[money.Amount]money.Amount{50: 157_500_00, 100: 315_000_00, 200: 630_000_00}
	for i := range r.Tables {
		table := &r.Tables[i]
		t.Run(fmt.Sprintf("INS-3.%d", i+1), func(t *testing.T) {
			var got []string
			for _, p := range table.Prizes {
				got = append(got, fmt.Sprintf("%d %d %d %d %s", p.Units, int64(p.Amount), int64(p.Total()), p.Of, p.Symbol))
			}
			if diff := cmp.Diff(want[table.Price], got); diff != "" {
				t.Error(diff)
			}
			if table.Winners() != 119_604 || table.Total() != totals[table.Price] {
				t.Errorf("%d winners, %s", table.Winners(), table.Total())
			}
			if rate := r.PayoutRate(table); rate.Cmp(big.NewRat(7, 10)) != 0 {
				t.Errorf("payout %s", rate)
			}
			odds := new(big.Rat)
			for i := range table.Prizes {
				odds.Add(odds, r.PrizeOdds(table, i))
			}
			if win := r.WinOdds(table); win.Cmp(big.NewRat(119_604, 450_000)) != 0 || odds.Cmp(win) != 0 {
				t.Errorf("odds %s, by prize %s", win, odds)
			}
			if top := r.PrizeOdds(table, 0); top.RatString() != "1/450000" {
				t.Errorf("top prize %s", top)
			}
		})
	}
}

// TestPlainBook: a small game whose prize is all there is to show, and defaults.
func TestPlainBook(t *testing.T) {
	t.Parallel()
	r := parsed(t, "testdata/douze.yaml")
	if r.Scene != Plain || r.Units != 12 || r.Zone.String() != "Europe/Paris" {
		t.Errorf("%v, %d units, %v", r.Scene, r.Units, r.Zone)
	}
	if want := (Policy{Stop, 2, GoOn, 3, 2, 1_000_000}); r.Policy != want {
		t.Errorf("policy %+v", r.Policy)
	}
	text := string(r.Bytes)
	text = text[:strings.Index(text, "policy:")]
	r, err := Parse("x", []byte(strings.Replace(text, "units: 12", "units: 1000", 1)))
	if err == nil || r != nil {
		t.Errorf("12 more units change nothing of the payout: %v", err)
	}
	if r, err = Parse("x", []byte(strings.NewReplacer("units: 12", "units: 1200", "7/10", "7/1000").Replace(text))); err != nil {
		t.Fatal(err)
	}
	if want := (Policy{Warn, 12, Warn, 120, 1, 1_000_000}); r.Policy != want {
		t.Errorf("default policy %+v", r.Policy)
	}
}

// TestBookFaults: each is named with its line; style 14.
func TestBookFaults(t *testing.T) {
	t.Parallel()
	island, plain := string(island(t).Bytes), string(parsed(t, "testdata/douze.yaml").Bytes)
	for _, c := range []struct{ book, old, with, want string }{
		{island, "total: 26000, of", "total: 26001, of", "prize: total, expected 26000.00, got 26001"},
		{island, "winners: 119604, total: 157500", "winners: 119605, total: 157500", "printed: winners, expected 119604, got 119605"},
		{island, "total: 157500", "total: 157499.50", "printed: total, expected 157500.00, got 157499.50"},
		{island, "total: 157500, payout_rate: 7/10", "total: 157500, payout_rate: 0.70", "printed: payout_rate, expected 7/10, got 0.70"},
		{island, "{units: 52000, amount: 0.50,  total: 26000,", "{units: 52001, amount: 0.50,  total: 26000.50,", "printed: winners, expected 119605, got 119604"},
		{island, "{units: 3,     amount: 250, ", "{units: 2,     amount: 375, ", "printed: winners, expected 119603, got 119604"},
		{island, "units: 450000 ", "units: 450001 ", "printed: payout_rate, expected 315000/450001, got 7/10"},
		{island, "units: 450000 ", "units: 100000 ", "prize_table: prizes, expected at most 100000 units that win, got 119604"},
		{island, "units: 450000 ", "units: 2000001 ", "units, expected a whole number from 1 to 2000000, got 2000001"},
		{island, "kind: instant", "kind: fixed-prize", "kind, expected instant, got fixed-prize"},
		{island, "price: 1 ", "price: 0.50 ", "prize_table: price, expected more than the price before, got 0.50"},
		{island, "amount: 12.50", "amount: 25.00", "prize: amount, expected less than the amount before, got 25.00"},
		{island, "symbol: skull", "symbol: parrot", "prize: symbol, expected candlestick or monkey or sapphire or skull, got parrot"},
		{island, "of: 3, symbol: monkey", "of: 1, symbol: monkey", "prize: of, expected 2 or 3, but for candlesticks, got 1"},
		{island, "of: 2, symbol: candlestick", "of: 3, symbol: candlestick", "prize: symbol, expected each combination once, got 3 candlestick"},
		{island, "of: 3, symbol: monkey", "symbol: monkey", "prize, expected a symbol and of how many, which the island shows, got nothing"},
		{island, "scene: island", "scene: beach", "scene, expected plain or island, got beach"},
		{island, "guard_one_in: 1000000", "guard_one_in: 10", "policy: guard_one_in, expected a whole number from 1000 to 1000000000, got 10"},
		{island, "few_units: 4500 ", "few_units: 450001 ", "policy: few_units, expected a whole number from 0 to 450000, got 450001"},
		{island, "top_prize_gone: warn", "top_prize_gone: cry", "policy: top_prize_gone, expected warn or go_on or stop, got cry"},
		{island, "ahead_pools: 1 ", "ahead_pools: 0 ", "policy: ahead_pools, expected a whole number from 1 to 16, got 0"},
		{island, "zone: Europe/Paris ", "zone: Tresor/Ile ", "zone, expected an IANA time zone such as Europe/Paris, got Tresor/Ile"},
		{island, "first_day: 2009-11-19", "first_day: 2009-11-31", "first_day, expected a day such as 2017-09-04, got 2009-11-31"},
		{island, "scene: island", "scene: island\nsea: blue", "book: key, expected one of kind, game, version, name, first_day, units, scene, prize_tables, zone, policy, got sea"},
		{island, "amount: 5000, ", "amount: 10000000.01, ", "prize: amount, expected at most 10000000.00, got 10000000.01"},
		{island, "amount: 5000, ", "amount: five, ", "prize: amount, expected an amount such as 20000 or 1.50, got five"},
		{plain, "total: 1.80}", "total: 1.80, of: 3, symbol: skull}", "prize: of, expected nothing in a plain game, got 3"},
		{plain, "units: 12\n", "units: 12\nunits: 12\n", "book: key, expected each key once, got units"},
		{plain, "game: douze", "game: &a douze", "rule book, expected no anchors, got &a"},
		{plain, "units: 12\n", "", "book: units, expected a value, got nothing"},
	} {
		if n := strings.Count(c.book, c.old); n < 1 {
			t.Fatalf("the book has no %q", c.old)
		}
		before, _, _ := strings.Cut(c.book, c.old)
		line := 1 + strings.Count(before, "\n")
		_, err := Parse("x.yaml", []byte(strings.Replace(c.book, c.old, c.with, 1)))
		if err == nil || !strings.Contains(err.Error()+"\n", c.want+"\n") {
			t.Errorf("%s: got %v, want %s", c.with, err, c.want)
			continue
		}
		fault, ok := errors.AsType[game.Fault](err)
		if !ok || fault.File != "x.yaml" || fault.Line < 1 {
			t.Errorf("%s: %+v", c.with, fault)
		}
		if strings.HasPrefix(c.want, "prize: total") && fault.Line != line {
			t.Errorf("%s: line %d, want %d", c.with, fault.Line, line)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, file := range []string{islandFile, "testdata/douze.yaml"} {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("kind: instant\nprize_tables: [{price: 1, prizes: [{}]}]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := Parse("fuzz", text)
		if (r == nil) == (err == nil) {
			t.Fatalf("%v, %v", r, err)
		}
		if err != nil {
			return
		}
		for i := range r.Tables {
			table := &r.Tables[i]
			if table.Winners() > r.Units || table.Total() <= 0 || r.PayoutRate(table).Sign() <= 0 || r.WinOdds(table).Cmp(big.NewRat(1, 1)) > 0 {
				t.Fatalf("table %+v of %d units", table, r.Units)
			}
		}
		if again, err := Parse("fuzz", r.Bytes); err != nil || again.Hash != r.Hash {
			t.Fatalf("read again: %v", err)
		}
	})
}
