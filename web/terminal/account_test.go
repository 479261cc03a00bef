package terminal

import (
	"strings"
	"testing"
	"time"

	"tirage/central"
	"tirage/game"
	"tirage/money"
	"tirage/party"
	"tirage/web/page"
)

// A statement on paper adds up in each language: each game's line, and all lines
// above the last to that. What an outlet was paid stands apart from what it paid.
func TestStatementReport(t *testing.T) {
	t.Parallel()
	st := central.Statement{
		Record: 99, Outlet: party.Outlet{Number: 7, Zone: "Pacific/Tahiti"}, First: game.NewDay(2027, 1, 4), Last: game.NewDay(2027, 1, 10),
		MadeAt: time.Date(2027, 1, 11, 10, 0, 3, 0, time.UTC), Opening: -250, Vouchers: 2000, Received: 10_000, Returned: 1_900, Commission: 5_850,
		Lines: []central.StatementLine{
			{Game: "amigo", Sold: 120_000, Cancelled: 3_000, Paid: 40_000, Back: 600, Commission: 6_250},
			{Game: "ile-au-tresor", Cancelled: 8_000, Commission: -400},
		},
	}
	st.Closing = -250 + 120_000 - 3_000 - 40_000 - 600 - 8_000 + 2_000 - 10_000 + 1_900 - 5_850
	paid := st
	paid.Received, paid.Closing = -500, st.Closing+10_500
	name := func(code game.Code) game.Text { return game.Text{FR: string(code), EN: string(code)} }
	for want, c := range map[string]struct {
		st   central.Statement
		lang page.Lang
	}{
		"Versements reçus −100,00 €": {st, page.French}, "Payments received −€100.00": {st, page.English},
		"Versé au point de vente 5,00 €": {paid, page.French}, "Paid to the outlet €5.00": {paid, page.English},
		"Prélèvements rejetés 19,00 €": {st, page.French}, "Direct debits returned €19.00": {st, page.English},
	} {
		r, err := face.StatementReport(c.lang, c.st, name, false)
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		var sum money.Amount
		for i, s := range r.Sums {
			said = append(said, strings.ReplaceAll(s[0]+" "+s[1], "\u00a0", " "))
			a := signed(t, c.lang, s[1])
			if i == len(r.Sums)-1 {
				a = -a
			}
			sum += a
		}
		if text := strings.Join(said, "\n"); sum != 0 || !strings.Contains(text, want) {
			t.Errorf("%s: the lines miss the last by %s; they do not say %q:\n%s", c.lang, sum, want, text)
		}
		if row := r.Rows[1]; signed(t, c.lang, row[2]) != -8_000 || signed(t, c.lang, row[5]) != 400 || len(r.Columns) != len(row) {
			t.Errorf("%s: a game of which more was taken back than sold: %q", c.lang, row)
		}
		if !r.At.Equal(c.st.MadeAt) || r.Head[2][1] != "Pacific/Tahiti" || !strings.Contains(r.Head[3][1], "00:00") {
			t.Errorf("%s: made at %v, headed %q", c.lang, r.At, r.Head)
		}
	}
	if r, err := face.StatementReport(page.French, st, name, true); err != nil || !strings.HasPrefix(r.Title, "SPÉCIMEN") || !strings.Contains(string(st.CSV(true)), "SPECIMEN") {
		t.Errorf("of training: %q, %v\n%s", r.Title, err, st.CSV(true))
	}
}

// signed reads an amount as a page writes it.
func signed(t *testing.T, l page.Lang, text string) money.Amount {
	t.Helper()
	plain, negative := strings.CutPrefix(text, "−")
	a, err := l.ParseMoney(plain)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	if negative {
		return -a
	}
	return a
}
