package party_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"tirage/money"
	"tirage/party"
)

// TestINS_online_Rules reads the rules that come with the system: what INS-online says, to the cent.
func TestINS_online_Rules(t *testing.T) {
	t.Parallel()
	r := mustRules(t)
	if r.Version != "2010" || r.AdultAge != 18 || r.UnconfirmedMax != money.Euros(100) || len(r.UnconfirmedMeans) != 1 || r.UnconfirmedMeans[0] != "card" ||
		r.DepositMin != money.Euros(5) || r.WindowDays != 7 || r.RaiseAfter != 48*time.Hour ||
		r.ExclusionMin != 24*time.Hour || r.ExclusionMax != 366*24*time.Hour {
		t.Errorf("got %+v", r)
	}
}

func TestParseRules(t *testing.T) {
	t.Parallel()
	book := string(party.Book())
	for name, c := range map[string]struct{ old, new, field string }{
		"other kind":         {"kind: accounts", "kind: instant", "kind"},
		"no version":         {`version: "2010"`, `version: ""`, "version"},
		"not a day":          {"first_day: 2009-11-05", "first_day: 2009-13-05", "first_day"},
		"children":           {"adult_age: 18", "adult_age: 17", "adult_age"},
		"no limit":           {`unconfirmed_max: "100"`, `unconfirmed_max: "0"`, "unconfirmed_max"},
		"unknown means":      {"[card]", "[cash]", "unconfirmed_means"},
		"negative":           {`deposit_min: "5"`, `deposit_min: "-5"`, "deposit_min"},
		"descending":         {`["10", "20"`, `["20", "10"`, "voucher_amounts"},
		"twice":              {`["10", "20"`, `["20", "20"`, "voucher_amounts"},
		"no window":          {"window_days: 7", "window_days: 0", "window_days"},
		"long window":        {"window_days: 7", "window_days: 32", "window_days"},
		"no wait":            {"raise_after: 48h", "raise_after: 0h", "raise_after"},
		"not a time":         {"raise_after: 48h", "raise_after: two days", "raise_after"},
		"max below min":      {"exclusion_max: 8784h", "exclusion_max: 23h", "exclusion_max"},
		"pause max":          {"pause_max: 720h", "pause_max: 1h", "pause_max"},
		"a field missing":    {"reality_every: 30m", "", "reality_every"},
		"a field of no rule": {"adult_age: 18", "adult_age: 18\nbonus: 10", ""},
		"twice the field":    {"adult_age: 18", "adult_age: 18\nadult_age: 19", ""},
		"not YAML":           {"adult_age: 18", "adult_age: [", ""},
		"two documents":      {"reality_every: 30m", "reality_every: 30m\n---\nkind: accounts\n", ""},
		"too long":           {"kind: accounts", "kind: accounts # " + strings.Repeat("x", party.RulesMax), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(book, c.old, c.new, 1)
			if text == book {
				t.Fatalf("the rules do not have %q", c.old)
			}
			_, err := party.ParseRules([]byte(text))
			var fault *party.RulesError
			if !errors.Is(err, party.ErrRules) || !errors.As(err, &fault) || fault.Field != c.field {
				t.Errorf("got %v, want a fault of %q", err, c.field)
			}
		})
	}
}

func FuzzParseRules(f *testing.F) {
	f.Add(party.Book())
	f.Add([]byte("kind: accounts\nversion: &a [*a]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := party.ParseRules(text)
		if (r == nil) == (err == nil) {
			t.Errorf("rules %v, error %v", r, err)
		}
		if err != nil && !errors.Is(err, party.ErrRules) {
			t.Errorf("got %v", err)
		}
	})
}
