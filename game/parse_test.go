package game

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"tirage/money"
)

// faultsOf returns the faults of a parse error.
func faultsOf(t testing.TB, err error) []Fault {
	t.Helper()
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		t.Fatalf("%v does not join faults", err)
	}
	var faults []Fault
	for _, e := range joined.Unwrap() {
		f, ok := errors.AsType[Fault](e)
		if !ok {
			t.Fatalf("%v is no fault", e)
		}
		faults = append(faults, f)
	}
	return faults
}

func islandText(t testing.TB) string {
	t.Helper()
	text, err := Book("ile-au-tresor")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// replaced replaces the first old, which must be there.
func replaced(t testing.TB, text, old, with string) string {
	t.Helper()
	if !strings.Contains(text, old) {
		t.Fatalf("no %q in the book", old)
	}
	return strings.Replace(text, old, with, 1)
}

// One wrong thing at a time in the book of the island: the fault is on its
// line and tells what was expected.
func TestParseFaults(t *testing.T) {
	t.Parallel()
	text := islandText(t)
	for _, c := range []struct{ name, old, with, want string }{
		{"unknown key", "boards_max: 1", "boards: 1", "book: key, expected one of game, version"},
		{"key twice", "boards_max: 1", "currency: EUR", "book: key, expected each key once, got currency"},
		{"key missing", "unit_stake: 2  ", "# nothing  ", "book: unit_stake, expected a value, got nothing"},
		{"null", "game: ile-au-tresor", "game:", "game, expected a key of at most 40 lower-case letters, digits and hyphens, got nothing"},
		{"key in capitals", "game: ile-au-tresor", "game: Ile", "game, expected a key"},
		{"boolean", `version: "2017"`, "version: true", "version, expected printable text of 1 to 40 bytes, got true"},
		{"a list where text is due", `version: "2017"`, "version: [2017]", "got a list of 1"},
		{"text where a mapping is due", "name: {fr: L'Ile au Trésor, en: Treasure Island}", "name: L'Ile", "text, expected a mapping, got L'Ile"},
		{"text too long", "en: Treasure Island", "en: " + strings.Repeat("x", 121), "name: en, expected printable text of 1 to 120 bytes"},
		{"control character", "en: Treasure Island", `en: "a\tb"`, `got "a\tb"`},
		{"space around text", "en: Treasure Island", `en: "Island "`, "name: en, expected printable text"},
		{"kind", "kind: fixed-prize", "kind: raffle", "kind, expected fixed-prize or parimutuel, got raffle"},
		{"currency", "currency: EUR", "currency: euro", "currency, expected an ISO 4217 code such as EUR, got euro"},
		{"day", "first_day: 2017-07-25", "first_day: 2017-02-29", "first_day, expected a day such as 2017-09-04, got 2017-02-29"},
		{"amount with one decimal", "unit_stake: 2 ", "unit_stake: 2.0 ", "unit_stake, expected an amount such as 20000 or 1.50, got 2.0"},
		{"amount of zero", "unit_stake: 2 ", "unit_stake: 0 ", "unit_stake, expected an amount"},
		{"negative amount", "unit_stake: 2 ", "unit_stake: -2 ", "unit_stake, expected an amount"},
		{"amount in hexadecimal", "unit_stake: 2 ", "unit_stake: 0x2 ", "unit_stake, expected an amount"},
		{"amount beyond all", "prize: 20000", "prize: 99999999999999999999", "tier: prize, expected at most 10000000000000.00"},
		{"prize that the cap multiplies beyond all", "prize: 20000", "prize: 200000000.01", "tier 7+1: prize, expected at most 200000000.00"},
		{"stake that is no multiple", "stakes: [2, 4, 6,", "stakes: [2, 4, 7,", "stakes, expected a multiple of the unit stake 2.00, got 7"},
		{"stakes out of order", "stakes: [2, 4, 6,", "stakes: [2, 4, 4,", "stakes, expected more than the stake before, got 4"},
		{"stake beyond all", "10, 20]", "10, 2000002]", "stakes, expected at most 2000000.00, got 2000002"},
		{"no stakes", "stakes: [2, 4, 6, 8, 10, 20]", "stakes: []", "stakes, expected a list of 1 to 64, got a list of 0"},
		{"number of draws", "draw_counts: [1,", "draw_counts: [0,", "draw_counts, expected a whole number from 1 to 1000, got 0"},
		{"numbers of draws out of order", "draw_counts: [1, 2,", "draw_counts: [1, 1,", "draw_counts, expected more than the number before"},
		{"octal number", "boards_max: 1 ", "boards_max: 01 ", "boards_max, expected a whole number"},
		{"quoted number", "boards_max: 1 ", `boards_max: "1" `, "boards_max, expected a whole number"},
		{"more picked than there are", "pick: 1\n", "pick: 4\n", "matrix: pick, expected a whole number from 1 to 3, got 4"},
		{"more drawn than there are", "{key: pirates, count: 1}", "{key: pirates, count: 4}", "set: count, expected at most 3 drawn from the matrix, got 4"},
		{"matrix twice", "- key: pirates", "- key: places", "matrix: key, expected each key once, got places"},
		{"matrix of a reserved key", "- key: pirates", "- key: roll-down", "matrix: key, expected none of multiplier, roll-down, jeu, board, slip, stake, draws, shape, also, letter, key, do, code, command, lang, device, got roll-down"},
		{"set twice", "{key: pirates, count: 1}", "{key: places, count: 1}", "set: key, expected each key once, got places"},
		{"element key twice", "key: phare-maudit", "key: tour-de-guet", "element: key, expected each one once, got tour-de-guet"},
		{"element name twice", "fr: Phare maudit", "fr: Tour de guet", "element: fr, expected each one once, got Tour de guet"},
		{"hits of an unknown set", "hits: {places: 7, pirates: 1}", "hits: {places: 7, parrots: 1}", "hits: key, expected one of places, pirates, got parrots"},
		{"more hits than are drawn", "hits: {places: 7, pirates: 1}", "hits: {places: 8, pirates: 1}", "hits: places, expected a whole number from 0 to 7, got 8"},
		{"tier that none can win", "hits: {places: 7, pirates: 0}", "hits: {places: 7, pirates: 1}", "tier 7+0: hits, expected hits that a combination can have and no tier before takes, got none"},
		{"tier twice", "name: 7+0", "name: 7+1", "tier: name, expected each name once, got 7+1"},
		{"jackpot of a fixed-prize game", "prize: 20000,", "prize: jackpot,", "tier 7+1: prize, expected an amount, since the game is fixed-prize, got jackpot"},
		{"payable", "payable: next_morning", "payable: never", "tier: payable, expected next_morning, got never"},
		{"too few columns", "by_stake: [2, 4, 6, 8, 10, 20]", "by_stake: [2, 4, 6, 8, 10]", "tier 3+1: by_stake, expected a list of 6 to 6, got a list of 5"},
		{"cap of zero", "max: 50", "max: 0", "cap: max, expected a whole number from 1 to 1000000, got 0"},
		{"reading", "counts: unit_stakes", "counts: euros", "cap: counts, expected unit_stakes or wagers, got euros"},
		{"extension", "claim_extension: none", "claim_extension: holidays", "claims: claim_extension, expected none or next_working_day, got holidays"},
		{"refunds", "refund_until: as_prizes", "refund_until: never", "claims: refund_until, expected as_prizes or a number of days, got never"},
		{"refunds for no day", "refund_until: as_prizes", "refund_until: 0", "claims: refund_until, expected a whole number from 1 to 3650, got 0"},
		{"days", "days: 60", "days: 60.5", "claims: days, expected a whole number"},
		{"time of day", `morning_at: "06:00"`, `morning_at: "24:00"`, "claims: morning_at, expected a time of day such as 04:10, got 24:00"},
		{"length of time", "every: 5m", "every: 5", "calendar: every, expected a length of time"},
		{"no time between draws", "every: 5m", "every: 0s", "calendar: every, expected a length of time"},
		{"fraction of a second", "every: 5m", "every: 1.5s", "calendar: every, expected a length of time"},
		{"sales that close before they open", "close_before: 20s", "close_before: 1h", "calendar: close_before, expected less than every and open_before, got 1h"},
		{"zone", "zone: Europe/Paris\n", "zone: Europe/Atlantis\n", "calendar: zone, expected an IANA time zone such as Europe/Paris, got Europe/Atlantis"},
		{"zone of the machine", "zone: Europe/Paris\n", "zone: Local\n", "calendar: zone, expected an IANA time zone"},
		{"weekday", "[mon, wed,", "[mon, mercredi,", "session: weekdays, expected one of sun, mon"},
		{"weekday twice", "[mon, wed,", "[mon, mon,", "session: weekdays, expected one of"},
		{"draws backwards", "draws: [95, 130]}  #", "draws: [130, 95]}  #", "session: draws, expected at least 130, got 95"},
		{"draw beyond the day", "draws: [167, 214]", "draws: [167, 289]", "session: draws, expected a whole number from 1 to 288, got 289"},
		{"sessions that overlap", "draws: [167, 214]", "draws: [130, 214]", "session: draws, expected draws of no other session, got 130 to 214 on Monday"},
		{"territory twice", "{key: monaco,", "{key: metropole,", "territory: key, expected each key once, got metropole"},
		{"anchor", "currency: EUR", "currency: &c EUR", "rule book, expected no anchors, got &c"},
		{"tag", "currency: EUR", "currency: !!str EUR", "rule book, expected no tags, got !!str"},
		{"merge key", "max: 50", "<<: {max: 50}", "cap: key, expected one of max"},
		{"another document", "# IAT-3:", "---\n# IAT-3:", "rule book, expected one YAML document, got another one"},
		{"syntax", "boards_max: 1 ", "boards_max: [1 ", "rule book, expected YAML, got "},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			elsewhere := c.name == "key missing" || c.name == "syntax" || c.name == "another document"
			refused(t, text, c.old, c.with, c.want, elsewhere)
		})
	}
}

// refused replaces the first old, and wants a fault on its line, or elsewhere.
func refused(t *testing.T, text, old, with, want string, elsewhere bool) {
	t.Helper()
	_, err := Parse("f.yaml", []byte(replaced(t, text, old, with)))
	if err == nil {
		t.Fatal("accepted")
	}
	line := 1 + strings.Count(text[:strings.Index(text, old)], "\n")
	for _, f := range faultsOf(t, err) {
		if (f.Line == line || elsewhere) && f.File == "f.yaml" && strings.Contains(f.Error(), want) {
			return
		}
	}
	t.Errorf("line %d: want %q, got\n%v", line, want, err)
}

// The same in the book of Amigo.
func TestParseFaultsOfAmigo(t *testing.T) {
	t.Parallel()
	text := string(amigo(t).Bytes)
	for _, c := range []struct{ name, old, with, want string }{
		{"columns of unequal size", "columns: 9 #", "columns: 8 #", "matrix: columns, expected columns of equal size of the 45 elements, got 8"},
		{"more columns than elements", "columns: 9 #", "columns: 46 #", "matrix: columns, expected a whole number from 1 to 45, got 46"},
		{"fewer picked than columns", "pick: 9", "pick: 8", "matrix: pick, expected 9, one of each column, got 8"},
		{"fewer drawn than columns", "{key: numbers, count: 9}", "{key: numbers, count: 8}", "set: count, expected 9, one of each column, got 8"},
		{"no matrix", "  matrix: numbers", "  matrix: letters", "multiple: matrix, expected the key of a matrix, got letters"},
		{"no extras", "extras: 1,", "extras: 0,", "shapes: extras, expected a whole number from 1 to 128, got 0"},
		{"columns backwards", "columns: [1, 5]", "columns: [5, 1]", "shapes: columns, expected at least 5, got 1"},
		{"a shape twice", "extras: 2, columns: [1, 3]", "extras: 1, columns: [5, 7]", "shapes, expected each shape once, got 1×5"},
		{"wrong combinations", "[2, 4, 8, 16, 32]", "[2, 4, 8, 16, 31]", "shapes: combinations, expected 32, got 31"},
		{"too few combinations", "[2, 4, 8, 16, 32]", "[2, 4, 8, 16]", "shapes: combinations, expected a list of 5 to 5, got a list of 4"},
		{"no such matrix", "also: jackpot", "also: joker", "multiple: also, expected the key of a matrix, got joker"},
		{"none also", "also_max: 5", "also_max: 0", "multiple: also_max, expected a whole number from 1 to 128, got 0"},
		{"scope of shapes", "shape_scope: board", "shape_scope: ticket", "multiple: shape_scope, expected board or slip, got ticket"},
		{"limit of nothing", "max: 100", "max: 0", "limit: max, expected an amount"},
		{"limit below a stake", "max: 100", "max: 1", "limit: max, expected at least the least stake 2.00, got 1"},
		{"mean", "mean: 47/20", "mean: 47/21", "multiplier: mean, expected 47/20, got 47/21"},
		{"times in disorder", "times: 2,", "times: 1,", "times, expected more than the value before, got 1"},
		{"times too great", "times: 10,", "times: 1001,", "times, expected a whole number from 1 to 1000, got 1001"},
		{"no chances", "chances: 15", "chances: 0", "chances, expected a whole number from 1 to 1000000, got 0"},
		{"share not reduced", "share: 4373591/78125000", "share: 2/40", "jackpot: share, expected a reduced fraction of the stakes such as 1/20, got 2/40"},
		{"share of more than all", "share: 4373591/78125000", "share: 3/2", "jackpot: share, expected a reduced fraction"},
		{"share of nothing", "share: 4373591/78125000", "share: 0/1", "jackpot: share, expected a reduced fraction"},
		{"share by nothing", "share: 4373591/78125000", "share: 1/0", "jackpot: share, expected a reduced fraction"},
		{"share as a decimal", "share: 4373591/78125000", "share: 0.05", "jackpot: share, expected a reduced fraction"},
		{"share with an exponent", "share: 4373591/78125000", "share: 1e-999999999", "jackpot: share, expected a reduced fraction"},
		{"share too fine", "share: 4373591/78125000", "share: 1/1000000001", "jackpot: share, expected a denominator of at most 1000000000, got 1/1000000001"},
		{"return with the jackpot", "payout_rate: 3391/5000 ", "payout_rate: 3392/5000 ", "jackpot: payout_rate, expected 3391/5000, got 3392/5000"},
		{"minimum", "minimum: 250000", "minimum: -1", "jackpot: minimum, expected an amount"},
		{"ceiling below the threshold", "ceiling: 1500000", "ceiling: 999999.99", "jackpot: ceiling, expected at least 1000000.00, got 999999.99"},
		{"extra draw without chances", "one_in: 500", "one_in: 0", "jackpot: one_in, expected a whole number from 1 to 1000000, got 0"},
		{"jackpot below the top", "prize: 20000,", "prize: jackpot,", "tier 9: prize, expected the jackpot at the top of the table only"},
		{"prize and share", "prize: 1000,", "prize: 1000, share: 1/100,", "tier, expected either prize or share, got both or none"},
		{"neither prize nor share", "prize: 1000,", "", "tier, expected either prize or share, got both or none"},
		{"prizes by stake of a share", "prize: 1000,", "share: 1/100, by_stake: [1, 2, 3, 4, 5],", "tier 8: by_stake, expected nothing for what is shared"},
		{"place of payment", "paid_at: payment_centre", "paid_at: home", "tier: paid_at, expected payment_centre, got home"},
		{"any order of columns", "prize: 1000,", "prize: 1000, any_order: allowed,", "since a tier is won in any order"},
		{"any order", "prize: 1000,", "prize: 1000, any_order: refused,", "tier: any_order, expected allowed, got refused"},
		{"odds of any prize", `any_prize: "3.82"`, `any_prize: "4"`, "any_prize, expected 3.82, got 4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			refused(t, text, c.old, c.with, c.want, c.name == "any order of columns")
		})
	}
}

// Faults of a whole section stand on its first line.
func TestParseFaultsOfSections(t *testing.T) {
	t.Parallel()
	text := string(amigo(t).Bytes)
	for _, c := range []struct{ name, old, with, want string }{
		{"columns nowhere", "  matrix: numbers", "  matrix: jackpot", "multiple: matrix, expected a matrix with columns, got jackpot"},
		{"the same matrix", "also: jackpot", "also: numbers", "multiple: also, expected another matrix, of which one element is picked and one drawn, got numbers"},
		{"more than there are", "also_max: 5", "also_max: 6", "multiple: also_max, expected at most 5, got 6"},
		{"also without most", "  also_max: 5\n", "", "multiple, expected both also and also_max, or none, got one"},
		{"extras beyond the column", "extras: 4, columns: [1, 2], combinations: [5, 25]", "extras: 5, columns: [1, 1]", "multiple: shapes, expected at most 4 extras in 9 columns, got 5×1"},
		{"more columns than there are", "columns: [1, 5], combinations: [2, 4, 8, 16, 32]", "columns: [10, 10]", "multiple: shapes, expected at most 4 extras in 9 columns, got 1×10"},
		{"another matrix", "multiple:\n", "  - {key: joker, name: {fr: J, en: J}, pick: 1, count: 2}\nmultiple:\n", "multiple, expected no other matrices, got joker"},
		{"threshold without chances", "  one_in: 500 ", "  # one_in: 500 ", "jackpot, expected both threshold and one_in, or none, got one"},
		{"more than all the stakes", "prize: 1000, odds: 54253", "share: 99/100", "prize table ordinary, expected shares of at most all the stakes, got 81717341/78125000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			refused(t, text, c.old, c.with, c.want, true)
		})
	}
}

// Promotions name tables, days, draws and territories that are there.
func TestParseFaultsOfPromotions(t *testing.T) {
	t.Parallel()
	text := islandText(t)
	for _, c := range []struct{ name, old, with, want string }{
		{"table", "table: february-2018", "table: march-2018", "promotion: table, expected the key of a prize table, got march-2018"},
		{"days backwards", "[2018-02-01, 2018-02-11]", "[2018-02-11, 2018-02-01]", "promotion: days, expected at least 2018-02-11, got 2018-02-01"},
		{"no day", "[2018-02-01, 2018-02-11]", "[2018-02-01, 2018-02-30]", "promotion: days, expected a day such as 2017-09-04, got 2018-02-30"},
		{"one day", "[2018-02-01, 2018-02-11]", "[2018-02-01]", "promotion: days, expected a list of 2 to 2, got a list of 1"},
		{"draws", "[[95, 130], [167, 214]]", "[[95, 130], [167, 289]]", "promotion: draws, expected a whole number from 1 to 288, got 289"},
		{"territory", "territories: [metropole]", "territories: [corse]", "promotion: territories, expected a territory of the calendar, got corse"},
		{"no territory", "territories: [metropole]", "territories: []", "promotion: territories, expected a list of 1 to 64"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			refused(t, text, c.old, c.with, c.want, false)
		})
	}
	text = replaced(t, text, "    weekdays: [mon, wed, fri, sun]\n    draws: [[95", "    weekdays: [mon, mon]\n    draws: [[95")
	if _, err := Parse("f", []byte(text)); err == nil || !strings.Contains(err.Error(), "promotion: weekdays, expected one of sun, mon") {
		t.Errorf("weekday twice: got %v", err)
	}
}

// The parts of a ticket are bounded, by the limit where there is one; and so
// are prizes, with the greatest multiplier and on all combinations.
func TestParseBoundsPlays(t *testing.T) {
	t.Parallel()
	text := string(amigo(t).Bytes)
	without := text[:strings.Index(text, "limit:\n")] + text[strings.Index(text, "# AMI-8.1.2"):]
	for _, c := range []struct{ name, text, want string }{
		{"160 combinations, 5 boards, 20 draws", without, "draw_counts, expected at most 10000 combinations times draws of a slip, got 16000"},
		{"12 draws", replaced(t, without, "[1, 2, 5, 10, 20]", "[12]"), ""},
		{"13 draws", replaced(t, without, "[1, 2, 5, 10, 20]", "[13]"), "got 10400"},
		{"the limit by draw", replaced(t, text, "scope: total", "scope: per_draw"), ""},
		{"a limit of 10,000 combinations", replaced(t, replaced(t, text, "scope: total", "scope: per_draw"), "max: 100", "max: 1000.00"), ""},
		{"a limit of 10,020 combinations", replaced(t, replaced(t, text, "scope: total", "scope: per_draw"), "max: 100", "max: 1002"), "got 10020"},
		{"simple boards beside the limit", replaced(t, text, "plays: all", "plays: multiple_only"), ""},
		{"a board of 3^9 combinations, whatever the limit", replaced(t, text, "columns: [1, 3], combinations: [3, 9, 27]", "columns: [9, 9]"), "combinations times draws of a slip"},
		{"prizes that fit", replaced(t, text, "prize: 20000,", "prize: 250000,"), ""},
		{"prizes that do not", replaced(t, text, "prize: 20000,", "prize: 250000.01,"), "tier 9: prize, expected at most 250000.00, got 250000.01"},
	} {
		_, err := Parse("f", []byte(c.text))
		if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
		if c.want == "" && err != nil && strings.Contains(err.Error(), "at most") {
			t.Errorf("%s: got %v", c.name, err)
		}
	}
}

// Change one digit of anything that the book prints: it is refused, on that
// line, and nothing else is.
func TestParsePrintedFigures(t *testing.T) {
	t.Parallel()
	text := islandText(t)
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(text), &root); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(text, "\n")
	figures := 0
	check := func(n *yaml.Node) {
		figures++
		for i, digit := range []byte(n.Value) {
			if digit < '0' || digit > '9' {
				continue
			}
			line := []byte(lines[n.Line-1])
			at := n.Column - 1 + i
			if n.Style == yaml.DoubleQuotedStyle {
				at++
			}
			if line[at] != digit {
				t.Fatalf("line %d: %q is not at column %d", n.Line, n.Value, n.Column)
			}
			line[at] = '0' + (digit-'0'+1)%10
			wrong := strings.Join(slices.Concat(lines[:n.Line-1], []string{string(line)}, lines[n.Line:]), "")
			_, err := Parse("f", []byte(wrong))
			if err == nil {
				t.Errorf("line %d: accepted: %s", n.Line, line)
				continue
			}
			if faults := faultsOf(t, err); len(faults) != 1 || faults[0].Line != n.Line {
				t.Errorf("line %d: %s: got %v", n.Line, line, err)
			}
		}
	}
	var walk func(n *yaml.Node, printed bool)
	walk = func(n *yaml.Node, printed bool) {
		if printed && n.Kind == yaml.ScalarNode {
			check(n)
		}
		for i, child := range n.Content {
			key := ""
			if n.Kind == yaml.MappingNode && i%2 == 1 {
				key = n.Content[i-1].Value
			}
			name := slices.Contains([]string{"odds", "by_stake", "combinations", "winning", "any_prize", "payout_rate"}, key)
			walk(child, name || printed && n.Kind == yaml.SequenceNode)
		}
	}
	walk(&root, false)
	if want := 2*(10+60+3) + 1; figures != want {
		t.Errorf("%d printed figures, want %d", figures, want)
	}
}

// A prize that is wrong by one euro, or hits by one, betray themselves too.
func TestParseWrongPrize(t *testing.T) {
	t.Parallel()
	text := islandText(t)
	for _, c := range []struct{ old, with string }{
		{"prize: 1500,", "prize: 1501,"},
		{"hits: {places: 3, pirates: 1}", "hits: {places: 3}"},
		{"hits: {places: 0, pirates: 0}", "hits: {places: 0, pirates: 1}"},
		{"pick: 7", "pick: 6"},
		{"{key: places, count: 7}", "{key: places, count: 8}"},
		{"rounding: half-up", "rounding: up"},
		{"decimals: 2", "decimals: 3"},
	} {
		if _, err := Parse("f", []byte(replaced(t, text, c.old, c.with))); err == nil {
			t.Errorf("%s: accepted", c.with)
		}
	}
}

func TestParseHighestTierFirst(t *testing.T) {
	t.Parallel()
	text := small(twoMatrices, `      - {name: "3", hits: {a: 3}, prize: 20}
      - {name: +1, hits: {b: 1}, prize: 50}
`)
	_, err := Parse("f", []byte(text))
	if err == nil || err.Error() != "f:16: tier +1: prize, expected no more than a tier before that takes the same hits, got 50" {
		t.Errorf("got %v", err)
	}
}

func TestParseParimutuelNeedsAJackpot(t *testing.T) {
	t.Parallel()
	text := replaced(t, smallGames["keno"], "kind: fixed-prize", "kind: parimutuel")
	if _, err := Parse("f", []byte(text)); err == nil || !strings.Contains(err.Error(), "expected a jackpot, since the game is parimutuel, got none") {
		t.Errorf("got %v", err)
	}
}

// The price of a wager and the prize of a stake fit in an amount, even where
// the cap lets no such wager through.
func TestParseBoundsAmounts(t *testing.T) {
	t.Parallel()
	const tier = "      - {name: \"3\", hits: {a: 3}, prize: 900000000, by_stake: [900000000, 18000000000]}\n"
	text := replaced(t, small(twoMatrices, tier), "stakes: [1, 2]\ndraw_counts: [1]", "stakes: [1, 20]\ndraw_counts: [1]\ncap: {max: 1}")
	if _, err := Parse("f", []byte(text)); err == nil || !strings.Contains(err.Error(), "f:16: tier 3: prize, expected at most 500000000.00") {
		t.Errorf("prize: got %v", err)
	}
	text = small(twoMatrices, "      - {name: \"3\", hits: {a: 3}, prize: 1}\n")
	text = replaced(t, text, "unit_stake: 1\nstakes: [1, 2]\ndraw_counts: [1]", "unit_stake: 1000000000\nstakes: [1000000000, 2000000000]\nboards_max: 10\ndraw_counts: [1, 1000]")
	if _, err := Parse("f", []byte(text)); err == nil || err.Error() != "f:7: stakes, expected at most 1000000000.00, got 2000000000" {
		t.Errorf("price: got %v", err)
	}
}

// What is sold can be settled: prizes and jackpots are far below what a record
// holds, also where no cap bounds how many tickets win them at once.
func TestParseBoundsWhatIsWon(t *testing.T) {
	t.Parallel()
	tier := func(prize string) string { return "      - {name: \"3\", hits: {a: 3}, prize: " + prize + "}\n" }
	uncapped := small(twoMatrices, tier("1000000000"))
	multiplied := replaced(t, small(twoMatrices, tier("100000000")), "draw_counts: [1]", "draw_counts: [1]\nmultiplier: {values: [{times: 1, chances: 1}, {times: 10, chances: 1}]}")
	for _, text := range []string{uncapped, multiplied} {
		r := parse(t, text)
		if top := r.topPrize(0).Times(r.timesMax()); top != money.Euros(1_000_000_000) {
			t.Errorf("greatest prize %s", top)
		}
	}
	amigo := string(amigo(t).Bytes)
	for _, c := range []struct{ name, text, old, with, want string }{
		{"prize without a cap", uncapped, "prize: 1000000000", "prize: 25000000000", "tier 3: prize, expected at most 1000000000.00, got 25000000000"},
		{"prize", uncapped, "prize: 1000000000", "prize: 1000000000.01", "tier 3: prize, expected at most 1000000000.00, got 1000000000.01"},
		{"multiplied prize", multiplied, "prize: 100000000", "prize: 100000000.01", "tier 3: prize, expected at most 100000000.00, got 100000000.01"},
		{"minimum", amigo, "minimum: 250000", "minimum: 10000000000000", "jackpot: minimum, expected at most 1000000000.00, got 10000000000000"},
		{"threshold", amigo, "threshold: 1000000", "threshold: 10000000000000", "jackpot: threshold, expected at most 1000000000.00, got 10000000000000"},
		{"ceiling", amigo, "ceiling: 1500000", "ceiling: 1000000000.01", "jackpot: ceiling, expected at most 1000000000.00, got 1000000000.01"},
	} {
		if _, err := Parse("f", []byte(replaced(t, c.text, c.old, c.with))); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}

// One element of each column is drawn, in one set: others could not be drawn.
func TestParseOneSetOfColumns(t *testing.T) {
	t.Parallel()
	if _, err := Parse("f", []byte(setsOfColumns)); err == nil || !strings.Contains(err.Error(), "f:10: matrix: sets, expected one set of a matrix with columns, got a list of 2") {
		t.Errorf("got %v", err)
	}
	one := replaced(t, setsOfColumns, ", {key: bonus, count: 3}]", "]")
	if r := parse(t, replaced(t, one, ", bonus: 1", "")); len(r.Sets) != 1 || r.Sets[0].Key != "numbers" {
		t.Errorf("one set, named: %+v", r.Sets)
	}
}

var setsOfColumns = small("  - {key: n, name: {fr: N, en: N}, pick: 3, count: 12, columns: 3, sets: [{key: numbers, count: 3}, {key: bonus, count: 3}]}\n",
	"      - {name: a, hits: {numbers: 2, bonus: 1}, prize: 1}\n")

// Columns without pick are a fault like any other.
func TestParseColumnsWithoutPick(t *testing.T) {
	t.Parallel()
	text := replaced(t, setsOfColumns, "pick: 3, ", "")
	if _, err := Parse("f", []byte(text)); err == nil || !strings.Contains(err.Error(), "f:10: matrix: pick, expected a value, got nothing") {
		t.Errorf("got %v", err)
	}
}

// The tier to which a jackpot rolls down is won in the same way in all tables.
func TestParseRollDownInAnyOrder(t *testing.T) {
	t.Parallel()
	const digits = "  - {key: d, name: {fr: D, en: D}, pick: 1, count: 10}\n  - {key: e, name: {fr: E, en: E}, pick: 1, count: 10}\n"
	const top, lower = "      - {name: exact, hits: {d: 1, e: 1}, prize: jackpot}\n", "      - {name: any, hits: {}, any_order: allowed, prize: 5}\n"
	text := small(digits, top+lower+"  - key: promotion\n    tiers:\n"+top+lower) + "jackpot: {share: 1/20, minimum: 100}\n"
	text = replaced(t, text, "kind: fixed-prize", "kind: parimutuel")
	parse(t, text)
	i := strings.LastIndex(text, ", any_order: allowed")
	text = text[:i] + text[i+len(", any_order: allowed"):]
	if _, err := Parse("f", []byte(text)); err == nil || !strings.Contains(err.Error(), "tier any: hits, expected those of tier any of the first table, to which the jackpot may roll down") {
		t.Errorf("got %v", err)
	}
}

// All elements of a game fit a mask.
func TestParseBoundsElements(t *testing.T) {
	t.Parallel()
	for n, want := range map[string]string{
		"64": "",
		"65": "f:11: matrices, expected at most 128 elements in all, got 129",
	} {
		text := small("  - {key: a, name: {fr: A, en: A}, pick: 1, count: 64}\n  - {key: b, name: {fr: B, en: B}, pick: 1, count: "+n+"}\n",
			"      - {name: a, hits: {a: 1}, prize: 1}\n")
		switch r, err := Parse("f", []byte(text)); {
		case want != "":
			if err == nil || err.Error() != want {
				t.Errorf("%s: got %v, want %s", n, err, want)
			}
		case err != nil:
			t.Error(err)
		default:
			if got := r.Picks(Combination(r.Size() - 1)); got[0][0] != 64 || got[1][0] != 64 {
				t.Errorf("last combination: %v", got)
			}
		}
	}
}

// A session's plan and a draw's settlement fit one record of the journal: what
// would not is refused before it is ever sold (the records are made in package
// settle's tests). A settlement has a share for each tier of all tables, and a
// line for each draw of the session, any of which may be the last of a ticket.
func TestParseBoundsRecords(t *testing.T) {
	t.Parallel()
	const tier = "      - {name: \"3\", hits: {a: 3}, prize: 2}\n"
	for _, c := range []struct {
		name        string
		tables      int // of 64 tiers each, beside one of 1
		draws, want string
	}{
		{"settlement that fits", 11, "[1, 2400]", ""},
		{"settlement too large", 12, "[5, 2404]", "session: draws, expected at most 2296 with 769 tiers in all, got 2400"},
		{"plan that fits", 0, "[8, 2407]", ""},
		{"plan too large", 0, "[8, 2408]", "session: draws, expected at most 2400 draws, got 2401"},
	} {
		const matrices = "  - {key: a, name: {fr: A, en: A}, pick: 7, count: 28}\n  - {key: b, name: {fr: B, en: B}, pick: 7, count: 28}\n"
		tiers := ""
		for table := range c.tables {
			tiers += fmt.Sprintf("  - key: t%d\n    tiers:\n", table)
			for n := range 64 {
				tiers += fmt.Sprintf("      - {name: %d+%d, hits: {a: %d, b: %d}, prize: 2}\n", n/8, n%8, n/8, n%8)
			}
		}
		text := small(matrices, tier+tiers) + "calendar: {every: 30s, sessions: [{weekdays: [mon], draws: " + c.draws + "}]}\n"
		text = replaced(t, text, "draw_counts: [1]", "draw_counts: [1, 1000]")
		switch _, err := Parse("f", []byte(text)); {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}

// All faults are told at once, in the order of lines.
func TestParseTellsAllFaults(t *testing.T) {
	t.Parallel()
	text := islandText(t)
	for _, c := range []struct{ old, with string }{
		{`odds: "348840.00"`, `odds: "348840.01"`},
		{`any_prize: "4.05"`, `any_prize: "4.06"`},
		{"by_stake: [2, 4, 6, 8, 10, 20]", "by_stake: [2, 4, 6, 9, 10, 21]"},
	} {
		text = replaced(t, text, c.old, c.with)
	}
	_, err := Parse("ile.yaml", []byte(text))
	want := `ile.yaml:72: prize table ordinary: any_prize, expected 4.05, got 4.06
ile.yaml:75: tier 7+1: odds, expected 348840.00, got 348840.01
ile.yaml:83: tier 3+1: by_stake, expected 8.00, got 9
ile.yaml:83: tier 3+1: by_stake, expected 20.00, got 21`
	if err == nil {
		t.Fatal("accepted")
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Error(diff)
	}
}

func TestParseHostile(t *testing.T) {
	t.Parallel()
	for name, text := range hostile(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := Parse("f", []byte(text))
			if err == nil || r != nil {
				t.Fatal("accepted")
			}
			for _, f := range faultsOf(t, err) {
				if f.Line < 1 || strings.Contains(f.Error(), "\n") || len(f.Error()) > 400 {
					t.Fatalf("fault %q", f.Error())
				}
			}
		})
	}
}

// hostile are texts that are no rule books.
func hostile(t testing.TB) map[string]string {
	bomb := "a: &a [x, x]\n"
	for c := 'b'; c < 'z'; c++ {
		bomb += fmt.Sprintf("%c: &%c [*%c, *%c, *%c, *%c]\n", c, c, c-1, c-1, c-1, c-1)
	}
	return map[string]string{
		"nothing":         "",
		"a comment":       "# nothing\n",
		"an empty one":    "---\n",
		"a scalar":        "rules",
		"a list":          "[1, 2]",
		"an alias bomb":   bomb,
		"an alias only":   "*a",
		"not UTF-8":       "game: \xff\xfe",
		"UTF-16":          "\xff\xfeg\x00",
		"a NUL":           "game: \x00",
		"deep nesting":    strings.Repeat("[", BookMax),
		"deep mappings":   strings.Repeat("{a: ", BookMax/4),
		"too long":        islandText(t) + strings.Repeat("#", BookMax),
		"a long line":     "game: " + strings.Repeat("x", 50_000),
		"a key of a list": "[a]: b",
		"many faults":     strings.Repeat("x: y\n", 10_000),
	}
}

// A reading that a book leaves out has its documented default.
func TestReadingDefaults(t *testing.T) {
	t.Parallel()
	r := parse(t, smallGames["keno"])
	if diff := cmp.Diff(Cap{0, CountUnitStakes, RefuseWhole, RedrawQuickPick, 100}, r.Cap); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(QuickPick{Partial: true, By: ByCentral}, r.QuickPick); diff != "" {
		t.Error(diff)
	}
	if r.OverRun != CutOverRun || r.Between != RefusedBetween {
		t.Errorf("got %v, %v", r.OverRun, r.Between)
	}
	if diff := cmp.Diff(Claims{60, 6 * time.Hour, AfterLastDraw, WholeTicketNextMorning, PlaceOfPayment, ClaimDrawDay, TopNextMorning, NoExtension, 0}, r.Claims); diff != "" {
		t.Error(diff)
	}
	c := r.Calendar
	if c.Zone.String() != "Europe/Paris" || c.FirstAt != 4*time.Hour+10*time.Minute || c.Every != 5*time.Minute ||
		c.OpenBefore != time.Hour || c.CloseBefore != 20*time.Second || c.Sessions != nil || c.Territories != nil {
		t.Errorf("got %+v", c)
	}
	if r.Currency != "EUR" || r.BoardsMax != 1 || r.Decimals != 2 || r.Rounding != HalfUp {
		t.Errorf("got %s, %d boards, %d decimals, %v", r.Currency, r.BoardsMax, r.Decimals, r.Rounding)
	}
	set := r.Sets[0]
	if set.Key != "drawn" || set.Name != r.Matrices[0].Name {
		t.Errorf("got set %+v", set)
	}
}

// The shipped book states each reading at its default, and takes the other value of each.
func TestReadings(t *testing.T) {
	t.Parallel()
	text := islandText(t)
	for _, c := range []struct {
		id, old, with string
		read          func(*Rules) fmt.Stringer
		was, is       fmt.Stringer
	}{
		{"IAT-3 cap_counts", "counts: unit_stakes", "counts: wagers", func(r *Rules) fmt.Stringer { return r.Cap.Counts }, CountUnitStakes, CountWagers},
		{"IAT-3 cap_refusal", "refusal: whole", "refusal: partial", func(r *Rules) fmt.Stringer { return r.Cap.Refusal }, RefuseWhole, RefusePartial},
		{"IAT-3 cap_quick_pick", "quick_pick: redraw", "quick_pick: refuse", func(r *Rules) fmt.Stringer { return r.Cap.QuickPick }, RedrawQuickPick, RefuseQuickPick},
		{"IAT-2.4 quick_pick_by", "by: central", "by: terminal", func(r *Rules) fmt.Stringer { return r.QuickPick.By }, ByCentral, ByTerminal},
		{"IAT-2.4 partial", "partial: allowed", "partial: refused", func(r *Rules) fmt.Stringer { return permission(r.QuickPick.Partial) }, permission(true), permission(false)},
		{"IAT-2.3.5 over_run", "over_run: cut", "over_run: refuse", func(r *Rules) fmt.Stringer { return r.OverRun }, CutOverRun, RefuseOverRun},
		{"IAT-2.3.5 between_sessions", "between_sessions: refused", "between_sessions: next_session", func(r *Rules) fmt.Stringer { return r.Between }, RefusedBetween, NextSession},
		{"IAT-2.3.5 close_before", "close_before: 20s", "close_before: 1m", func(r *Rules) fmt.Stringer { return r.Calendar.CloseBefore }, 20 * time.Second, time.Minute},
		{"IAT-7 morning_at", `morning_at: "06:00"`, `morning_at: "07:30"`, func(r *Rules) fmt.Stringer { return r.Claims.MorningAt }, 6 * time.Hour, 7*time.Hour + 30*time.Minute},
		{"IAT-7 other_tiers", "other_tiers: last_draw", "other_tiers: each_draw", func(r *Rules) fmt.Stringer { return r.Claims.OtherTiers }, AfterLastDraw, EachDraw},
		{"IAT-7 early_tiers", "early_tiers: whole_ticket", "early_tiers: small_first", func(r *Rules) fmt.Stringer { return r.Claims.EarlyTiers }, WholeTicketNextMorning, SmallFirst},
		{"IAT-7 deadline_zone", "deadline_zone: place_of_payment", "deadline_zone: paris", func(r *Rules) fmt.Stringer { return r.Claims.DeadlineZone }, PlaceOfPayment, ParisDeadline},
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

func TestTerritoryDraws(t *testing.T) {
	t.Parallel()
	text := replaced(t, islandText(t), "zone: Pacific/Tahiti}", "zone: Pacific/Tahiti, draws: [[95, 130], [167, 180]]}")
	places := parse(t, text).Calendar.Territories
	if diff := cmp.Diff([][2]int{{95, 130}, {167, 180}}, places[len(places)-1].Draws); diff != "" {
		t.Error(diff)
	}
}

// A promotion is another whole prize table, checked as the first one is.
func TestSecondPrizeTable(t *testing.T) {
	t.Parallel()
	text := islandText(t)
	promotion := `  - key: spring
    tiers:
      - {name: 7+1, hits: {places: 7, pirates: 1}, prize: 40000, odds: "348840.00", by_stake: [40000, 80000, 120000, 160000, 200000, 400000]}

`
	r := parse(t, replaced(t, text, "# IAT-3: real-time", promotion+"# IAT-3: real-time"))
	if len(r.Tables) != 3 || r.Liability(2) != 2*r.Liability(0) {
		t.Errorf("got %d tables, liability %v", len(r.Tables), r.Liability(2))
	}
	wrong := replaced(t, text, "# IAT-3: real-time", strings.Replace(promotion, "40000, odds", "40001, odds", 1)+"# IAT-3: real-time")
	if _, err := Parse("f", []byte(wrong)); err == nil {
		t.Error("wrong promotion accepted")
	}
}

func FuzzParse(f *testing.F) {
	books, err := filepath.Glob("*/*.yaml")
	if err != nil || len(books) < 4 {
		f.Fatalf("books %v, %v", books, err)
	}
	for _, name := range books {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	for _, text := range smallGames {
		f.Add([]byte(text))
	}
	f.Add([]byte(april2014(f, "")))
	f.Add([]byte(setsOfColumns))
	f.Add([]byte(strings.Replace(setsOfColumns, "pick: 3, ", "", 1)))
	for _, text := range hostile(f) {
		f.Add([]byte(text[:min(len(text), 1000)]))
	}
	for _, text := range []string{"", "---", "a: &a [*a]", "*a", "!!binary x", "{[]: }", "? \n: ", "game: |\n  x", "- -\n -", "%YAML 1.1\n---\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := Parse("f", text)
		if err != nil {
			for _, fault := range faultsOf(t, err) {
				if fault.Line < 1 || strings.Contains(fault.Error(), "\n") {
					t.Errorf("fault %q", fault.Error())
				}
			}
			return
		}
		for _, c := range []Combination{0, Combination(r.Size() - 1)} {
			if got, err := r.Rank(r.Picks(c)); err != nil || got != c {
				t.Errorf("combination %d came back as %d, %v", c, got, err)
			}
			if all, err := r.Expand(r.Picks(c)); err != nil || len(all) != 1 || all[0] != c {
				t.Errorf("combination %d stands for %v, %v", c, all, err)
			}
		}
		for i := range r.Tables {
			if o := r.Odds(i); o.Any.Sign() <= 0 || o.Any.Num().Cmp(o.Any.Denom()) > 0 || o.Variance.Sign() < 0 {
				t.Errorf("table %d: odds %+v", i, o)
			}
			r.Liability(i)
		}
		if table := r.TableOf(r.FirstDay, 1, ""); table < 0 || table >= len(r.Tables) {
			t.Errorf("table %d", table)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	text := []byte(islandText(b))
	for b.Loop() {
		if _, err := Parse("f", text); err != nil {
			b.Fatal(err)
		}
	}
}
