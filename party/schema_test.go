package party_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tirage/internal/booktest"
	"tirage/party"
)

// What the schema of the terms of outlets takes, and editors with it, is what the loader takes.
func TestTermsSchema(t *testing.T) {
	t.Parallel()
	book := string(party.TermsBook())
	if first, _, _ := strings.Cut(book, "\n"); first != "# yaml-language-server: $schema=outlets.schema.json" {
		t.Errorf("the terms do not name their schema: %s", first)
	}
	schema, err := jsonschema.NewCompiler().Compile("rules/outlets.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{
		{"", ""},
		{"games: {}", `games: {amigo: {sales: "4.5", payments: "0"}}`},
		{"payee_days: 1826", "payee_days: 366"},
		{"payee_days: 1826", "payee_days: 36525"},
		{"payee_days: 1826", "payee_days: 365"},
		{"payee_days: 1826", "payee_days: 36526"},
		{"payee_days: 1826", "payee_days: five years"},
		{"payee_days: 1826", ""},
		{`credit_alone: "10000"`, `credit_alone: "0.01"`},
		{`credit_alone: "10000"`, `credit_alone: "0"`},
		{`credit_alone: "10000"`, ""},
		{"kind: outlets", "kind: accounts"},
		{`version: "2010"`, `version: ""`},
		{"first_day: 2009-11-05", "first_day: 2009-13-05"},
		{`payment_max: "500"`, `payment_max: "0"`},
		{`payment_max: "500"`, `payment_max: "500.001"`},
		{`identity_from: "5000"`, `identity_from: "-1"`},
		{`sales: "5"`, `sales: "1e9"`},
		{`payments: "1"}`, `payments: ""}`},
		{"games: {}", `games: {"A mi": {sales: "1", payments: "0"}}`},
		{"slip_for: 72h", "slip_for: 0h"},
		{"slip_for: 72h", "slip_for: 1h30m"},
		{"debit_days: 5", "debit_days: 0"},
		{"block_days: 12", "block_days: 61"},
		{"debit_days: 5", "debit_days: 5\nbonus: 10"},
	} {
		text := strings.Replace(book, c[0], c[1], 1)
		if c[0] != "" && text == book {
			t.Fatalf("the terms do not have %q", c[0])
		}
		_, loads := party.ParseTerms([]byte(text))
		if takes := schema.Validate(booktest.Value(t, []byte(text))); (takes == nil) != (loads == nil) {
			t.Errorf("%q: the schema says %v, the loader %v", c[1], takes, loads)
		}
	}
	text, err := os.ReadFile("rules/outlets.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var keys struct {
		Properties map[string]any `json:"properties"`
		Required   []string       `json:"required"`
	}
	if err := json.Unmarshal(text, &keys); err != nil || len(keys.Properties) != len(keys.Required) {
		t.Errorf("%v: %d keys, %d of them needed", err, len(keys.Properties), len(keys.Required))
	}
}
