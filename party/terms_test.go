package party_test

import (
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"tirage/money"
	"tirage/party"
)

func TestParseTerms(t *testing.T) {
	t.Parallel()
	book := string(party.TermsBook())
	terms, err := party.ParseTerms([]byte(book))
	if err != nil {
		t.Fatal(err)
	}
	if terms.PaymentMax != money.Euros(500) || terms.IdentityFrom != money.Euros(5000) || terms.SlipFor != 72*time.Hour || terms.DebitDays != 5 ||
		terms.BlockDays != 12 || terms.BlockMin != money.Euros(1) || terms.PayeeDays != 1826 || terms.CreditAlone != money.Euros(10_000) || terms.Commission.Sales.Cmp(big.NewRat(1, 20)) != 0 || terms.Commission.Payments.Cmp(big.NewRat(1, 100)) != 0 {
		t.Errorf("the terms that come with the system are %+v", terms)
	}
	terms, err = party.ParseTerms([]byte(strings.Replace(book, "games: {}", `games: {amigo: {sales: "4.5", payments: "0"}}`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if c := terms.Of("amigo"); c.Sales.Cmp(big.NewRat(9, 200)) != 0 || c.Payments.Sign() != 0 {
		t.Errorf("amigo earns %v and %v", c.Sales, c.Payments)
	}
	if c := terms.Of("ile-au-tresor"); c.Sales.Cmp(big.NewRat(1, 20)) != 0 {
		t.Errorf("another game earns %v", c.Sales)
	}
	for name, c := range map[string]struct{ old, new, field string }{
		"other kind":         {"kind: outlets", "kind: accounts", "kind"},
		"no version":         {`version: "2010"`, `version: ""`, "version"},
		"not a day":          {"first_day: 2009-11-05", "first_day: 2009-13-05", "first_day"},
		"no maximum":         {`payment_max: "500"`, `payment_max: "0"`, "payment_max"},
		"below the cent":     {`payment_max: "500"`, `payment_max: "500.001"`, "payment_max"},
		"negative":           {`identity_from: "5000"`, `identity_from: "-1"`, "identity_from"},
		"more than all":      {`sales: "5"`, `sales: "100.1"`, "commission.sales"},
		"an exponent":        {`sales: "5"`, `sales: "1e9"`, "commission.sales"},
		"no rate":            {`payments: "1"}`, `payments: ""}`, "commission.payments"},
		"rate of a game":     {"games: {}", `games: {amigo: {sales: "x", payments: "0"}}`, "games.amigo.sales"},
		"not a game":         {"games: {}", `games: {"A mi": {sales: "1", payments: "0"}}`, "games"},
		"no time":            {"slip_for: 72h", "slip_for: 0h", "slip_for"},
		"months":             {"slip_for: 72h", "slip_for: 7200h", "slip_for"},
		"debit at once":      {"debit_days: 5", "debit_days: 0", "debit_days"},
		"block before debit": {"block_days: 12", "block_days: 5", "block_days"},
		"debit late":         {"debit_days: 5", "debit_days: 61", "debit_days"},
		"block late":         {"block_days: 12", "block_days: 61", "block_days"},
		"both at the bound":  {"debit_days: 5\nblock_days: 12", "debit_days: 60\nblock_days: 61", "block_days"},
		"a little too much":  {`payments: "1"}`, `payments: "100.000001"}`, "commission.payments"},
		"too fine":           {`payments: "1"}`, `payments: "1.0000001"}`, "commission.payments"},
		"a point at the end": {`payments: "1"}`, `payments: "1."}`, "commission.payments"},
		"less than nothing":  {`payments: "1"}`, `payments: "-1"}`, "commission.payments"},
		"a microsecond more": {"slip_for: 72h", "slip_for: 744h0m0.000001s", "slip_for"},
		"block for nothing":  {`block_min: "1"`, `block_min: "0"`, "block_min"},
		"no credit alone":    {`credit_alone: "10000"`, `credit_alone: "0"`, "credit_alone"},
		"kept for less":      {"payee_days: 1826", "payee_days: 365", "payee_days"},
		"kept for ever":      {"payee_days: 1826", "payee_days: 36526", "payee_days"},
		"a field missing":    {"block_days: 12", "", "block_days"},
		"a field of none":    {"debit_days: 5", "debit_days: 5\nbonus: 10", ""},
		"anchors":            {"games: {}", "games: &a {}", ""},
		"too long":           {"kind: outlets", "kind: outlets # " + strings.Repeat("x", party.RulesMax), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(book, c.old, c.new, 1)
			if text == book {
				t.Fatalf("the terms do not have %q", c.old)
			}
			_, err := party.ParseTerms([]byte(text))
			var fault *party.RulesError
			if !errors.Is(err, party.ErrOutletTerms) || errors.Is(err, party.ErrRules) || !errors.As(err, &fault) || fault.Field != c.field {
				t.Errorf("got %v, want a fault of %q", err, c.field)
			}
		})
	}
}

// The bounds of terms are inside: what stands on them is taken as it is written.
func TestParseTerms_Bounds(t *testing.T) {
	t.Parallel()
	book := string(party.TermsBook())
	for name, c := range map[string]struct {
		old, new string
		holds    func(*party.Terms) bool
	}{
		"next day":       {"debit_days: 5\nblock_days: 12", "debit_days: 1\nblock_days: 2", func(t *party.Terms) bool { return t.DebitDays == 1 && t.BlockDays == 2 }},
		"latest":         {"debit_days: 5\nblock_days: 12", "debit_days: 59\nblock_days: 60", func(t *party.Terms) bool { return t.DebitDays == 59 && t.BlockDays == 60 }},
		"all":            {`payments: "1"}`, `payments: "100"}`, func(t *party.Terms) bool { return t.Commission.Payments.Cmp(big.NewRat(1, 1)) == 0 }},
		"all, written":   {`payments: "1"}`, `payments: "100.000000"}`, func(t *party.Terms) bool { return t.Commission.Payments.Cmp(big.NewRat(1, 1)) == 0 }},
		"nothing":        {`payments: "1"}`, `payments: "0"}`, func(t *party.Terms) bool { return t.Commission.Payments.Sign() == 0 }},
		"the finest":     {`payments: "1"}`, `payments: "0.000001"}`, func(t *party.Terms) bool { return t.Commission.Payments.Cmp(big.NewRat(1, 100_000_000)) == 0 }},
		"a month":        {"slip_for: 72h", "slip_for: 744h", func(t *party.Terms) bool { return t.SlipFor == party.SlipForMax }},
		"a year of them": {"payee_days: 1826", "payee_days: 366", func(t *party.Terms) bool { return t.PayeeDays == party.PayeeDaysMin }},
		"a century":      {"payee_days: 1826", "payee_days: 36525", func(t *party.Terms) bool { return t.PayeeDays == party.PayeeDaysMax }},
		"a cent":         {`block_min: "1"`, `block_min: "0.01"`, func(t *party.Terms) bool { return t.BlockMin == 1 }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(book, c.old, c.new, 1)
			if text == book {
				t.Fatalf("the terms do not have %q", c.old)
			}
			terms, err := party.ParseTerms([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if !c.holds(terms) {
				t.Errorf("%q gives %+v", c.new, terms)
			}
		})
	}
}

// The faults of games are told in the order of their codes, each with its game and its field: the same each time.
func TestParseTerms_FaultsOfGames(t *testing.T) {
	t.Parallel()
	games := "games:\n"
	for _, code := range []string{"keno", "amigo", "loto", "ile-au-tresor", "pick3", "A b"} {
		games += `  "` + code + `": {sales: "x", payments: "101"}` + "\n"
	}
	text := strings.Replace(string(party.TermsBook()), "games: {}", games, 1)
	var want []string
	for _, code := range []string{"amigo", "ile-au-tresor", "keno", "loto", "pick3"} {
		want = append(want, "games."+code+".sales", "games."+code+".payments")
	}
	want = append([]string{"games"}, want...) // of "A b", which is no code, and is before all others
	for range 20 {
		_, err := party.ParseTerms([]byte(text))
		joined, ok := err.(interface{ Unwrap() []error })
		if !ok {
			t.Fatalf("got %v", err)
		}
		var got []string
		for _, e := range joined.Unwrap() {
			var fault *party.RulesError
			if !errors.As(e, &fault) {
				t.Fatalf("got %v", e)
			}
			got = append(got, fault.Field)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("faults of %q, want %q", got, want)
		}
	}
}

func FuzzParseTerms(f *testing.F) {
	f.Add(party.TermsBook())
	f.Add([]byte("kind: outlets\nversion: &a [*a]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		terms, err := party.ParseTerms(text)
		if (terms == nil) == (err == nil) {
			t.Errorf("terms %v, error %v", terms, err)
		}
		if err != nil && !errors.Is(err, party.ErrOutletTerms) {
			t.Errorf("got %v", err)
		}
	})
}
