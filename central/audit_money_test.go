package central_test

import (
	"errors"
	"strings"
	"testing"

	"tirage/central"
	"tirage/internal/dbtest"
	"tirage/journal"
	"tirage/money"
)

// The books ask of each voucher, deposit and withdrawal whether it may be: a
// journal with one that may not is found, though all its tables agree with it.
func TestF11_CheckBooksAsksOfMoney(t *testing.T) {
	t.Parallel()
	base := newBank(t, dbtest.SQLite(t))
	player, unchecked, excluded := base.player(true), base.player(false), base.player(true)
	base.exclude(excluded, base.clock.Now().Add(hours(100)))
	base.give(player, 100)
	used, voucher := base.sellVoucher(10), base.sellVoucher(20)
	base.check(base.use(player, used))
	asked, sent, paid, back := base.withdraw(player, 1000), base.withdraw(player, 2000), base.withdraw(player, 3000), base.withdraw(player, 1500)
	_, err := base.sys.SendWithdrawals(base.ctx(), base.key(), base.officer.ID, []uint64{sent, paid, back})
	base.check(err)
	base.check(base.sys.SettleWithdrawals(base.ctx(), base.key(), base.officer.ID, []uint64{paid}, false))
	base.check(base.sys.SettleWithdrawals(base.ctx(), base.key(), base.officer.ID, []uint64{back}, true))
	base.pay(unchecked, 5000)
	officer, outlet, terminal := partyOf(base.officer.ID), partyOf(base.outlet.ID), partyOf(base.terminal.ID)
	left := base.has(player)

	deposit := func(to, means string, voucher uint64, amount money.Amount) journal.Body {
		return &journal.Deposit{Player: partyOf(to), Means: means, Reference: [32]byte{1}, Voucher: voucher, Amount: amount}
	}
	transfer := func(state string, amount money.Amount, by journal.Party, records ...uint64) journal.Body {
		return &journal.Transfer{By: by, Withdrawals: records, State: state, Amount: amount}
	}
	for _, c := range []struct {
		name, named string // what the books say
		body        journal.Body
	}{
		{"a voucher of an amount that none is sold for", "none is sold for", &journal.Voucher{Outlet: outlet, Terminal: terminal, Amount: 1234}},
		{"a voucher of another's terminal", "not of its outlet", &journal.Voucher{Outlet: officer, Terminal: terminal, Amount: 1000}},
		{"a voucher used twice", "not one of that amount", deposit(player, "voucher", used.Number, 1000)},
		{"a voucher worth a hundred times as much", "not one of that amount", deposit(player, "voucher", voucher.Number, 200_000)},
		{"a voucher under another reference", "not one of that amount", deposit(player, "voucher", voucher.Number, 2000)},
		{"no voucher", "not one of that amount", deposit(player, "voucher", asked, 1000)},
		{"a deposit of an excluded player", "excluded", deposit(excluded, "demo", 0, 1000)},
		{"a deposit above what an account not checked may have", "limit", deposit(unchecked, "demo", 0, 5001)},
		{"a deposit too small", "too small", deposit(player, "demo", 0, 499)},
		{"a withdrawal above the balance", "than it holds", &journal.Withdrawal{Player: partyOf(player), Amount: left + 1}},
		{"a withdrawal of nobody checked", "not checked", &journal.Withdrawal{Player: partyOf(unchecked), Amount: 5000}},
		{"a withdrawal too small", "below what the rules ask", &journal.Withdrawal{Player: partyOf(player), Amount: 499}},
		{"paid before it was sent", "without having been", transfer("paid", 1000, officer, asked)},
		{"paid after it was returned", "without having been", transfer("paid", 1500, officer, back)},
		{"sent by nobody", "a transfer of", transfer("sent", 1000, outlet, asked)},
		{"another sum", "a transfer of", transfer("sent", 1001, officer, asked)},
		{"a hundred times the sum", "a transfer of", transfer("paid", 200_000, officer, sent)},
		{"returned after it was paid", "without having been sent", &journal.Returned{By: officer, Withdrawal: paid, Player: partyOf(player), Amount: 3000}},
		{"more returned than was sent", "returned to", &journal.Returned{By: officer, Withdrawal: sent, Player: partyOf(player), Amount: 2001}},
		{"returned to another", "returned to", &journal.Returned{By: officer, Withdrawal: sent, Player: partyOf(excluded), Amount: 2000}},
		{"more collected than is owed", "which owes", &journal.Collected{By: officer, Provider: "sim", Amount: 5001}},
		{"collected by nobody", "which owes", &journal.Collected{By: outlet, Provider: "sim", Amount: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := base.copyTo(t)
			w.check(w.sys.Do(w.ctx(), func(turn *central.Turn) error {
				switch b := c.body.(type) {
				case *journal.Deposit:
					b.Previous = turn.Previous(b.Player.String())
				case *journal.Withdrawal:
					b.Previous = turn.Previous(b.Player.String())
				case *journal.Returned:
					b.Previous = turn.Previous(b.Player.String())
				}
				return turn.Append(c.body)
			}))
			if err := w.sys.CheckBooks(w.ctx()); !errors.Is(err, central.ErrJournal) || !strings.Contains(err.Error(), c.named) {
				t.Errorf("CheckBooks says %v, want it to name %q", err, c.named)
			}
		})
	}
}
