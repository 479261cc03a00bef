package party_test

import (
	"errors"
	"math/big"
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
		terms.BlockDays != 12 || terms.BlockMin != money.Euros(1) || terms.PayeeDays != 1826 || terms.Commission.Sales.Cmp(big.NewRat(1, 20)) != 0 || terms.Commission.Payments.Cmp(big.NewRat(1, 100)) != 0 {
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
		"more than all":      {`sales: "5"`, `sales: "100.1"`, "commission"},
		"an exponent":        {`sales: "5"`, `sales: "1e9"`, "commission"},
		"no rate":            {`payments: "1"}`, `payments: ""}`, "commission"},
		"rate of a game":     {"games: {}", `games: {amigo: {sales: "x", payments: "0"}}`, "games"},
		"not a game":         {"games: {}", `games: {"A mi": {sales: "1", payments: "0"}}`, "games"},
		"no time":            {"slip_for: 72h", "slip_for: 0h", "slip_for"},
		"months":             {"slip_for: 72h", "slip_for: 7200h", "slip_for"},
		"debit at once":      {"debit_days: 5", "debit_days: 0", "debit_days"},
		"block before debit": {"block_days: 12", "block_days: 5", "block_days"},
		"block for nothing":  {`block_min: "1"`, `block_min: "0"`, "block_min"},
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
