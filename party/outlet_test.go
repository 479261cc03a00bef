package party

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tirage/money"
)

func outlet() Outlet {
	return Outlet{ID: "0123456789abcdef", Number: 7, Territory: "metropole", Zone: "Europe/Paris", CreditLimit: money.Euros(100)}
}

func TestCheckCredit(t *testing.T) {
	t.Parallel()
	for _, v := range []struct {
		name        string
		owes, price money.Amount
		left        money.Amount
		refused     bool
	}{
		{"nothing owed", 0, 2000, 0, false},
		{"the limit itself", 8000, 2000, 0, false},
		{"a cent above", 8001, 2000, 1999, true},
		{"nothing left", 10_000, 200, 0, true},
		{"limit lowered since", 15_000, 200, 0, true},
		{"paid ahead", -5000, 15_000, 0, false},
		{"paid ahead, a cent above", -5000, 15_001, 15_000, true},
	} {
		err := outlet().CheckCredit(v.owes, v.price)
		if !v.refused {
			if err != nil {
				t.Errorf("%s: %v", v.name, err)
			}
			continue
		}
		var refusal *CreditError
		want := &CreditError{Limit: 10_000, Owes: v.owes, Price: v.price, Left: v.left}
		if !errors.Is(err, ErrCredit) || !errors.As(err, &refusal) || !cmp.Equal(refusal, want) {
			t.Errorf("%s: got %v, want %v", v.name, err, want)
		}
	}
}

// TestCheckCredit_Left: what is said to fit fits, and not a cent more.
func TestCheckCredit_Left(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		o := Outlet{CreditLimit: money.Amount(rapid.Int64Range(0, 20_000).Draw(t, "limit"))}
		owes := money.Amount(rapid.Int64Range(-20_000, 40_000).Draw(t, "owes"))
		var refusal *CreditError
		if !errors.As(o.CheckCredit(owes, money.Euros(10_000)), &refusal) {
			t.Fatal("not refused")
		}
		if refusal.Left > 0 && o.CheckCredit(owes, refusal.Left) != nil {
			t.Fatalf("%s does not fit", refusal.Left)
		}
		if o.CheckCredit(owes, refusal.Left+1) == nil {
			t.Fatalf("more than %s fits", refusal.Left)
		}
	})
}

func TestOutlet_Check(t *testing.T) {
	t.Parallel()
	if err := outlet().Check(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(o *Outlet){
		"no id":                  func(o *Outlet) { o.ID = "" },
		"short id":               func(o *Outlet) { o.ID = o.ID[1:] },
		"id in capitals":         func(o *Outlet) { o.ID = strings.ToUpper(o.ID) },
		"number 0":               func(o *Outlet) { o.Number = 0 },
		"negative number":        func(o *Outlet) { o.Number = -1 },
		"no territory":           func(o *Outlet) { o.Territory = "" },
		"territory not a key":    func(o *Outlet) { o.Territory = "La Réunion" },
		"territory with /":       func(o *Outlet) { o.Territory = "a/b" },
		"long territory":         func(o *Outlet) { o.Territory = strings.Repeat("a", 1_000_000) },
		"no zone":                func(o *Outlet) { o.Zone = "" },
		"zone Local":             func(o *Outlet) { o.Zone = "Local" },
		"unknown zone":           func(o *Outlet) { o.Zone = "Europe/Atlantis" },
		"zone out of its folder": func(o *Outlet) { o.Zone = "../../etc/passwd" },
		"negative limit":         func(o *Outlet) { o.CreditLimit = -1 },
		"limit too large":        func(o *Outlet) { o.CreditLimit = math.MaxInt64 },
	} {
		o := outlet()
		change(&o)
		if err := o.Check(); !errors.Is(err, ErrOutlet) || len(err.Error()) > 300 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTerms_CheckRaise(t *testing.T) {
	t.Parallel()
	terms := &Terms{CreditAlone: 1000}
	for _, v := range []struct {
		name       string
		terms      *Terms
		was, limit money.Amount
		refused    bool
	}{
		{"a new outlet", terms, 0, 1000, false},
		{"a new outlet, a cent above", terms, 0, 1001, true},
		{"raised", terms, 999, 1000, false},
		{"raised, a cent above", terms, 1000, 1001, true},
		{"as it was", terms, 5000, 5000, false},
		{"a cent above what two gave", terms, 5000, 5001, true},
		{"lowered", terms, 5000, 4000, false},
		{"without terms", nil, 0, money.Limit, false},
	} {
		err := v.terms.CheckRaise(v.was, v.limit)
		if refusal := new(CreditAloneError); errors.As(err, &refusal) != v.refused || errors.Is(err, ErrCreditAlone) != v.refused || v.refused && refusal.Alone != 1000 {
			t.Errorf("%s: %v", v.name, err)
		}
	}
}
