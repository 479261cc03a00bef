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
		{
			"AMI-8.2 jackpot carried, from the reserve",
			Settlement(17, "amigo", 10_000, map[int64]money.Amount{17: 3000}, Movement{TopUp: 25_000_000, Contribution: 559}),
			Entry{{"jackpot/amigo", -25_000_559}, {"margin/amigo", -6441}, {"prize/17", -3000}, {"reserve/amigo", 25_000_000}, {"stake/17", 10_000}},
		},
		{
			"AMI-8.2 guarantee of the operator",
			Settlement(17, "amigo", 10_000, nil, Movement{TopUp: 25_000_000, ByOperator: true, Contribution: 559}),
			Entry{{"jackpot/amigo", -25_000_559}, {"margin/amigo", 24_990_559}, {"stake/17", 10_000}},
		},
		{
			"AMI-8.1.1-share jackpot won, the rest to the reserve",
			Settlement(17, "amigo", 10_000, map[int64]money.Amount{17: 123_456_784 - 500, 20: 1000}, Movement{Contribution: 559, Paid: 123_456_784, Rest: 5}),
			Entry{
				{"jackpot/amigo", 123_456_784 + 5 - 559},
				{"margin/amigo", -(10_000 - 500 - 559)},
				{"prize/17", -(123_456_784 - 500)},
				{"prize/20", -1000},
				{"reserve/amigo", -5},
				{"stake/17", 10_000},
			},
		},
		{
			"AMI-8.2 won above a top-up: the reserve gives and takes",
			Settlement(17, "amigo", 200, map[int64]money.Amount{17: 25_000_008}, Movement{TopUp: 25_000_000, Contribution: 11, Paid: 25_000_008, Rest: 3}),
			Entry{{"margin/amigo", -189}, {"prize/17", -25_000_008}, {"reserve/amigo", 24_999_997}, {"stake/17", 200}},
		},
		{
			"refund of a cancelled draw", Refund(17, map[int64]money.Amount{17: 400, 20: 1200}),
			Entry{{"back/17", -400}, {"back/20", -1200}, {"stake/17", 1600}},
		},
		{"refund of a draw without sales", Refund(17, nil), Entry{}},
		{
			"payment of a prize and a stake given back", Payment("3f2a", 20, 600, 400),
			Entry{{"back/20", 400}, {"outlet/3f2a", -1000}, {"prize/20", 600}},
		},
		{"stake given back", Payment("3f2a", 20, 0, 400), Entry{{"back/20", 400}, {"outlet/3f2a", -400}}},
		{
			"IAT-7 claims ended", Expiry(20, "ile-au-tresor", 600, 400),
			Entry{{"back/20", 400}, {"prize/20", 600}, {"reserve/ile-au-tresor", -1000}},
		},
		{"claims ended, all paid", Expiry(20, "ile-au-tresor", 0, 0), Entry{}},
		{"payment", Payment("3f2a", 20, 600, 0), Entry{{"outlet/3f2a", -600}, {"prize/20", 600}}},
		{"received", Received("3f2a", 5000), Entry{{"cash", 5000}, {"outlet/3f2a", -5000}}},
		{"paid to an outlet", Received("3f2a", -5000), Entry{{"cash", -5000}, {"outlet/3f2a", 5000}}},
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
		Margin("ile-au-tresor"): "margin", Reserve("ile-au-tresor"): "reserve", Back(17): "back", Jackpot("amigo"): "jackpot",
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

// TestBooks: over any business with a draw that is settled and one that is
// cancelled the trial balance is zero, and every account ends with what it is
// there for: what was not claimed, and the rest of the jackpot, in the reserve.
func TestBooks(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		amount := func(name string, least, most int64) money.Amount {
			return money.Amount(rapid.Int64Range(least, most).Draw(t, name))
		}
		balances := map[Account]money.Amount{}
		book := func(e Entry) {
			for _, p := range e {
				balances[p.Account] = balances[p.Account].Add(p.Amount)
			}
		}
		var staked money.Amount // on each of draws 1 and 2
		for range rapid.IntRange(0, 10).Draw(t, "sales") {
			stake := amount("stake", 1, 2000)
			book(Sale("a", []int64{1, 2}, []money.Amount{stake, stake}))
			if rapid.Bool().Draw(t, "cancelled") {
				book(Cancellation("a", []int64{1, 2}, []money.Amount{stake, stake}))
			} else {
				staked += stake
			}
		}
		m := Movement{TopUp: amount("top-up", 0, 9000), Contribution: amount("contribution", 0, 300), ByOperator: rapid.Bool().Draw(t, "operator")}
		m.Paid = amount("jackpot paid", 0, int64(m.TopUp+m.Contribution))
		m.Rest = amount("rest", 0, int64(m.TopUp+m.Contribution-m.Paid))
		fixed := amount("fixed", 0, 5000)
		book(Settlement(1, "g", staked, map[int64]money.Amount{2: fixed + m.Paid}, m))
		back := map[int64]money.Amount{}
		if staked > 0 {
			back[2] = staked
		}
		book(Refund(2, back))
		prizePaid, backPaid := amount("prizes paid", 0, int64(fixed+m.Paid)), amount("back paid", 0, int64(staked))
		if prizePaid+backPaid > 0 {
			book(Payment("b", 2, prizePaid, backPaid))
		}
		lost := fixed + m.Paid - prizePaid + staked - backPaid
		book(Expiry(2, "g", fixed+m.Paid-prizePaid, staked-backPaid))
		if staked > 0 {
			book(Received("a", 2*staked))
		}

		want := map[Account]money.Amount{
			Margin("g"): fixed + m.Contribution - staked, Reserve("g"): -m.Rest - lost,
			Jackpot("g"): m.Paid + m.Rest - m.TopUp - m.Contribution,
			Outlet("b"):  -prizePaid - backPaid, Cash: 2 * staked,
		}
		if m.ByOperator {
			want[Margin("g")] += m.TopUp
		} else {
			want[Reserve("g")] += m.TopUp
		}
		var sum money.Amount
		for account, balance := range balances {
			sum += balance
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
		"not zero":          func() { NewEntry(Posting{Cash, 1}) },
		"stakes missing":    func() { Sale("a", []int64{1, 2}, []money.Amount{1}) },
		"stake of nothing":  func() { Sale("a", []int64{1}, []money.Amount{0}) },
		"negative prize":    func() { Settlement(1, "g", 5, map[int64]money.Amount{1: -1}, Movement{}) },
		"negative stakes":   func() { Settlement(1, "g", -5, nil, Movement{}) },
		"negative payment":  func() { Payment("a", 1, -1, 0) },
		"refund of nothing": func() { Refund(1, map[int64]money.Amount{1: 0}) },
		"negative stake":    func() { Payment("a", 1, 2, -1) },
		"negative expiry":   func() { Expiry(1, "g", -1, 1) },
		"expired backwards": func() { Expiry(1, "g", 1, -1) },
		"jackpot without prizes": func() {
			Settlement(1, "g", 5, map[int64]money.Amount{1: 1}, Movement{Paid: 2})
		},
		"negative top-up":       func() { Settlement(1, "g", 5, nil, Movement{TopUp: -1}) },
		"negative contribution": func() { Settlement(1, "g", 5, nil, Movement{Contribution: -1}) },
		"negative rest":         func() { Settlement(1, "g", 5, nil, Movement{Rest: -1}) },
		"nothing received":      func() { Received("a", 0) },
		"payment of nothing":    func() { Payment("a", 1, 0, 0) },
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
