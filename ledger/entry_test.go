package ledger

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tirage/money"
)

func TestEntries(t *testing.T) {
	t.Parallel()
	for _, v := range []struct {
		name string
		got  Entry
		want Entry
	}{
		{
			"sale in two draws", Sale("3f2a", []int64{17, 18}, []money.Amount{400, 400}),
			Entry{{"outlet/3f2a", 800}, {"stake/17", -400}, {"stake/18", -400}},
		},
		{
			"cancellation", Cancellation("3f2a", []int64{17, 18}, []money.Amount{400, 400}),
			Entry{{"outlet/3f2a", -800}, {"stake/17", 400}, {"stake/18", 400}},
		},
		{
			"two boards in one draw", Sale("3f2a", []int64{17, 17}, []money.Amount{400, 200}),
			Entry{{"outlet/3f2a", 600}, {"stake/17", -600}},
		},
		{
			"settlement", Settlement(17, "ile-au-tresor", 10_000, map[int64]money.Amount{17: 1200, 20: 300}, Movement{}),
			Entry{{"margin/ile-au-tresor", -8500}, {"prize/17", -1200}, {"prize/20", -300}, {"stake/17", 10_000}},
		},
		{
			"IAT-2 prizes above stakes", Settlement(17, "ile-au-tresor", 200, map[int64]money.Amount{17: 2_000_000}, Movement{}),
			Entry{{"margin/ile-au-tresor", 1_999_800}, {"prize/17", -2_000_000}, {"stake/17", 200}},
		},
		{
			"settlement without winners", Settlement(17, "ile-au-tresor", 200, nil, Movement{}),
			Entry{{"margin/ile-au-tresor", -200}, {"stake/17", 200}},
		},
		{"settlement of nothing", Settlement(17, "ile-au-tresor", 0, nil, Movement{}), Entry{}},
		{"payment", Payment("3f2a", 20, 600, 0), Entry{{"outlet/3f2a", -600}, {"prize/20", 600}}},
		{"received", Received("3f2a", 5000), Entry{{"cash", 5000}, {"outlet/3f2a", -5000}}},
	} {
		if diff := cmp.Diff(v.want, v.got); diff != "" {
			t.Errorf("%s: %s", v.name, diff)
		}
	}
}

func TestAccount(t *testing.T) {
	t.Parallel()
	for account, kind := range map[Account]string{
		Cash: "cash", Outlet("3f2a"): "outlet", Stake(17): "stake", Prize(17): "prize",
		Margin("ile-au-tresor"): "margin", Reserve("ile-au-tresor"): "reserve",
	} {
		if account.Kind() != kind {
			t.Errorf("%s: kind %s, want %s", account, account.Kind(), kind)
		}
	}
	if Reserve("ile-au-tresor") != "reserve/ile-au-tresor" {
		t.Errorf("got %s", Reserve("ile-au-tresor"))
	}
}

// TestNewEntry: whatever postings sum to zero give an entry that says the same
// of each account, in one form.
func TestNewEntry(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		postings := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Posting {
			return Posting{
				Account(rapid.SampledFrom([]string{"cash", "stake/1", "stake/10", "stake/2"}).Draw(t, "account")),
				money.Amount(rapid.Int64Range(-500, 500).Draw(t, "amount")),
			}
		}), 0, 12).Draw(t, "postings")
		sums := map[Account]money.Amount{}
		var sum money.Amount
		for _, p := range postings {
			sums[p.Account] += p.Amount
			sum += p.Amount
		}
		postings = append(postings, Posting{"margin/x", -sum})
		sums["margin/x"] = -sum
		given := slices.Clone(postings)
		entry := NewEntry(postings...)
		if !cmp.Equal(given, postings) {
			t.Fatalf("postings of the caller changed: %v", postings)
		}
		for i, p := range entry {
			if p.Amount == 0 || p.Amount != sums[p.Account] || i > 0 && entry[i-1].Account >= p.Account {
				t.Fatalf("%v gave %v", postings, entry)
			}
			delete(sums, p.Account)
		}
		for account, left := range sums {
			if left != 0 {
				t.Fatalf("%v gave %v: %s is missing", postings, entry, account)
			}
		}
	})
}

// TestBooks: over any business the trial balance is zero, a cancelled sale
// leaves nothing, and what was settled and paid leaves the margin only.
func TestBooks(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		balances := map[Account]money.Amount{}
		book := func(e Entry) {
			for _, p := range e {
				balances[p.Account] = balances[p.Account].Add(p.Amount)
			}
		}
		var staked, won money.Amount
		for range rapid.IntRange(0, 10).Draw(t, "sales") {
			stake := money.Amount(rapid.Int64Range(1, 2000).Draw(t, "stake"))
			book(Sale("a", []int64{1, 2}, []money.Amount{stake, stake}))
			if rapid.Bool().Draw(t, "cancelled") {
				book(Cancellation("a", []int64{1, 2}, []money.Amount{stake, stake}))
			} else {
				staked += stake
			}
		}
		for _, draw := range []int64{1, 2} {
			prize := money.Amount(rapid.Int64Range(0, 5000).Draw(t, "prize"))
			book(Settlement(draw, "g", staked, map[int64]money.Amount{2: prize}, Movement{}))
			if prize > 0 {
				book(Payment("b", 2, prize, 0))
			}
			won += prize
		}
		if staked > 0 {
			book(Received("a", 2*staked))
		}
		var sum money.Amount
		for _, b := range balances {
			sum += b
		}
		want := map[Account]money.Amount{Margin("g"): won - 2*staked, Outlet("b"): -won, Cash: 2 * staked}
		for account, balance := range balances {
			if balance != want[account] {
				t.Fatalf("%s: %s, want %s", account, balance, want[account])
			}
		}
		if sum != 0 {
			t.Fatalf("trial balance %s", sum)
		}
	})
}

func TestInvariants(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]func(){
		"not zero":           func() { NewEntry(Posting{Cash, 1}) },
		"stakes missing":     func() { Sale("a", []int64{1, 2}, []money.Amount{1}) },
		"stake of nothing":   func() { Sale("a", []int64{1}, []money.Amount{0}) },
		"negative prize":     func() { Settlement(1, "g", 5, map[int64]money.Amount{1: -1}, Movement{}) },
		"negative stakes":    func() { Settlement(1, "g", -5, nil, Movement{}) },
		"negative payment":   func() { Payment("a", 1, -1, 0) },
		"nothing received":   func() { Received("a", 0) },
		"payment of nothing": func() { Payment("a", 1, 0, 0) },
	} {
		func() {
			defer func() {
				if text, ok := recover().(string); !ok || !strings.HasPrefix(text, "ledger: ") {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}
