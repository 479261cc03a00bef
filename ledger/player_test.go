package ledger

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tirage/money"
)

func TestPlayerEntries(t *testing.T) {
	t.Parallel()
	for _, v := range []struct {
		name string
		got  Entry
		want Entry
	}{
		{"unit that loses", Unit("c0", 7, 200, 0), Entry{{"player/c0", 200}, {"pool/7", -200}}},
		{
			"F13 unit that wins: stake and prize apart", Unit("c0", 7, 200, 500),
			Entry{{"player/c0", 200}, {"pool/7", -200}, {"pool/7", 500}, {"player/c0", -500}},
		},
		{
			"unit that wins its price", Unit("c0", 7, 200, 200),
			Entry{{"player/c0", 200}, {"pool/7", -200}, {"pool/7", 200}, {"player/c0", -200}},
		},
		{"pool closed", ClosePool(7, "g", 5000), Entry{{"margin/g", -5000}, {"pool/7", 5000}}},
		{"pool closed, more won than staked", ClosePool(7, "g", -300), Entry{{"margin/g", 300}, {"pool/7", -300}}},
		{"pool closed that no unit was sold of", ClosePool(7, "g", 0), Entry{}},
		{"voucher", Voucher("3f2a", 2000), Entry{{"outlet/3f2a", 2000}, {"voucher", -2000}}},
		{"deposit of a voucher", Deposit("c0", Vouchers, 2000), Entry{{"player/c0", -2000}, {"voucher", 2000}}},
		{"deposit by card", Deposit("c0", Card("test"), 2000), Entry{{"card/test", 2000}, {"player/c0", -2000}}},
		{"demo deposit", Deposit("c0", Demo, 2000), Entry{{"demo", 2000}, {"player/c0", -2000}}},
		{"withdrawal", Withdrawal("c0", 900), Entry{{"player/c0", 900}, {"withdrawal", -900}}},
		{"paid by the bank", PaidOut(1800), Entry{{"cash", -1800}, {"withdrawal", 1800}}},
		{"returned by the bank", Returned("c0", 900), Entry{{"player/c0", -900}, {"withdrawal", 900}}},
		{"money of a provider", Collected("test", 2000), Entry{{"card/test", -2000}, {"cash", 2000}}},
	} {
		if diff := cmp.Diff(v.want, v.got); diff != "" {
			t.Errorf("%s: %s", v.name, diff)
		}
	}
}

func TestPlayerAccount(t *testing.T) {
	t.Parallel()
	for account, kind := range map[Account]string{
		Player("c0"): "player", Pool(7): "pool", Card("test"): "card", Vouchers: "voucher", Withdrawals: "withdrawal", Demo: "demo",
	} {
		if account.Kind() != kind {
			t.Errorf("%s: kind %s, want %s", account, account.Kind(), kind)
		}
	}
}

func TestPlayerInvariants(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]func(){
		"unit for nothing":        func() { Unit("c0", 7, 0, 0) },
		"unit with a loss":        func() { Unit("c0", 7, 200, -1) },
		"voucher for nothing":     func() { Voucher("3f2a", 0) },
		"deposit of nothing":      func() { Deposit("c0", Demo, 0) },
		"deposit backwards":       func() { Deposit("c0", Demo, -1) },
		"withdrawal of nothing":   func() { Withdrawal("c0", 0) },
		"withdrawal backwards":    func() { Withdrawal("c0", -1) },
		"nothing paid out":        func() { PaidOut(0) },
		"nothing returned":        func() { Returned("c0", 0) },
		"nothing collected":       func() { Collected("test", 0) },
		"collected the wrong way": func() { Collected("test", -1) },
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

// business is any business of players, with what each account should be.
type business struct {
	balances, want map[Account]money.Amount
	vouchers       []money.Amount // not used
	withdrawals    []Posting      // asked: of whom, how much
	left           map[int64]money.Amount
}

func (b *business) book(e Entry) {
	for _, p := range e {
		b.balances[p.Account] = b.balances[p.Account].Add(p.Amount)
	}
}

// step does one thing, if it can be done.
func (b *business) step(t *rapid.T) {
	player := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "player")
	account := Player(player)
	amount := money.Amount(rapid.Int64Range(1, 500).Draw(t, "amount"))
	pool := rapid.Int64Range(1, 2).Draw(t, "pool")
	covered := amount <= -b.balances[account]
	switch what := rapid.IntRange(0, 9).Draw(t, "what"); {
	case what == 0:
		from := rapid.SampledFrom([]Account{Card("test"), Demo}).Draw(t, "from")
		b.book(Deposit(player, from, amount))
		b.want[from] += amount
		b.want[account] -= amount
	case what == 1:
		b.book(Voucher("o", amount))
		b.vouchers = append(b.vouchers, amount)
		b.want[Outlet("o")] += amount
	case what == 2 && len(b.vouchers) > 0:
		b.book(Deposit(player, Vouchers, b.vouchers[0]))
		b.want[account] -= b.vouchers[0]
		b.vouchers = b.vouchers[1:]
	case what <= 5 && covered:
		prize := money.Amount(rapid.SampledFrom([]int64{0, 0, int64(amount), 10_000}).Draw(t, "prize"))
		b.book(Unit(player, pool, amount, prize))
		b.want[account] += amount - prize
		b.left[pool] += amount - prize
	case what == 6 && covered:
		b.book(Withdrawal(player, amount))
		b.withdrawals = append(b.withdrawals, Posting{account, amount})
		b.want[account] += amount
	case what == 7 && len(b.withdrawals) > 0:
		b.book(PaidOut(b.withdrawals[0].Amount))
		b.want[Cash] -= b.withdrawals[0].Amount
		b.withdrawals = b.withdrawals[1:]
	case what == 8 && len(b.withdrawals) > 0:
		w := b.withdrawals[0]
		b.book(Returned(strings.TrimPrefix(string(w.Account), "player/"), w.Amount))
		b.want[w.Account] -= w.Amount
		b.withdrawals = b.withdrawals[1:]
	case what == 9:
		b.book(ClosePool(pool, "g", b.left[pool]))
		b.want[Margin("g")] -= b.left[pool]
		delete(b.left, pool)
	}
}

// TestPlayerBooks: over any business of players the trial balance is zero, no
// player owes, and every account is what docs/ledger.md says that it is.
func TestPlayerBooks(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := business{balances: map[Account]money.Amount{}, want: map[Account]money.Amount{}, left: map[int64]money.Amount{}}
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			b.step(t)
			checkPlayerBooks(t, b.balances)
		}
		for _, v := range b.vouchers {
			b.want[Vouchers] -= v
		}
		for _, w := range b.withdrawals {
			b.want[Withdrawals] -= w.Amount
		}
		for pool, left := range b.left {
			b.want[Pool(pool)] = -left
		}
		if err := differ(b.want, b.balances); err != nil {
			t.Fatal(err)
		}
	})
}

// checkPlayerBooks checks what holds after every operation.
func checkPlayerBooks(t *rapid.T, balances map[Account]money.Amount) {
	t.Helper()
	var sum money.Amount
	for account, balance := range balances {
		sum += balance
		switch account.Kind() {
		case "player", "voucher", "withdrawal":
			if balance > 0 {
				t.Fatalf("%s is a debit of %s", account, balance)
			}
		}
	}
	if sum != 0 {
		t.Fatalf("trial balance %s", sum)
	}
}

// differ tells the first account whose balance is not what is wanted; one that is missing is zero.
func differ(want, got map[Account]money.Amount) error {
	for _, one := range []map[Account]money.Amount{want, got} {
		for account := range one {
			if want[account] != got[account] {
				return fmt.Errorf("%s: %s, want %s", account, got[account], want[account])
			}
		}
	}
	return nil
}
