package central

import (
	"fmt"
	"slices"

	"tirage/journal"
	"tirage/ledger"
	"tirage/money"
)

// moneyFacts is what an auditor knows of vouchers, deposits and withdrawals.
type moneyFacts struct {
	vouchers    map[uint64]money.Amount // not used yet, by number
	used        map[paidWith]bool
	withdrawals map[uint64]*withdrawalFacts
	held        map[ledger.Account]money.Amount // what the accounts of means and withdrawals must come to
}

// paidWith is what a deposit was paid with.
type paidWith struct {
	means     string
	reference [32]byte
}

type withdrawalFacts struct {
	player journal.Party
	amount money.Amount
	state  string
}

func newMoneyFacts() moneyFacts {
	return moneyFacts{
		vouchers: map[uint64]money.Amount{}, used: map[paidWith]bool{}, withdrawals: map[uint64]*withdrawalFacts{},
		held: map[ledger.Account]money.Amount{},
	}
}

func (f *moneyFacts) hold(account ledger.Account, amount money.Amount) {
	f.held[account] = f.held[account].Add(amount)
}

// seeMoney audits vouchers, deposits, withdrawals and what becomes of them.
func (a *auditor) seeMoney(index uint64, rec journal.Record) error {
	wrong := ""
	switch b := rec.Body.(type) {
	case *journal.Voucher:
		wrong = a.voucher(index, rec.At, b)
	case *journal.Deposit:
		wrong = a.deposit(rec.At, b)
	case *journal.Withdrawal:
		wrong = a.withdrawal(index, rec.At, b)
	case *journal.Transfer:
		wrong = a.transfer(b)
	case *journal.Returned:
		wrong = a.returned(b)
	case *journal.Collected:
		wrong = a.collected(b)
	}
	if wrong != "" {
		return fmt.Errorf("%w: record %d: %s", ErrJournal, index, wrong)
	}
	return nil
}

// voucher tells what is wrong with the sale of a voucher; empty: nothing.
func (a *auditor) voucher(index uint64, at int64, b *journal.Voucher) string {
	terminal, outlet, err := a.m.working(b.Terminal.String())
	r := (&turn{m: a.m, at: at}).accountRules()
	switch {
	case err != nil || terminal.Outlet != b.Outlet.String():
		return "a voucher of a terminal that is not of its outlet"
	case outlet.Blocked:
		return "a voucher of an outlet that may not sell"
	case r == nil || !slices.Contains(r.VoucherAmounts, b.Amount):
		return "a voucher of an amount that none is sold for"
	case outlet.CheckCredit(a.m.balances[ledger.Outlet(outlet.ID)], b.Amount) != nil:
		return "a voucher above the credit of its outlet"
	}
	a.money.vouchers[index] = b.Amount
	a.money.hold(ledger.Vouchers, -b.Amount)
	return ""
}

func (a *auditor) deposit(at int64, b *journal.Deposit) string {
	with := paidWith{b.Means, b.Reference}
	if a.money.used[with] {
		return "a second deposit with the same " + b.Means
	}
	a.money.used[with] = true
	account := paidFrom(b.Means)
	a.money.hold(account, b.Amount)
	if account.Kind() == ledger.Card("").Kind() { // made, so credited, whatever has changed since it was begun
		return ""
	}
	if b.Means == voucherMeans {
		amount, ok := a.money.vouchers[b.Voucher]
		delete(a.money.vouchers, b.Voucher)
		if !ok || amount != b.Amount || b.Reference != voucherReference(b.Voucher) {
			return fmt.Sprintf("a deposit of %s with voucher %d, which is not one of that amount", b.Amount, b.Voucher)
		}
	}
	if err := (&turn{m: a.m, at: at}).mayDeposit(b.Player.String(), b.Amount, b.Means, 0); err != nil {
		return fmt.Sprintf("a deposit of %s by %s: %v", b.Amount, b.Means, err)
	}
	return ""
}

// withdrawal leaves the balance to [auditor.overdrawn].
func (a *auditor) withdrawal(index uint64, at int64, b *journal.Withdrawal) string {
	p := a.m.players.byID[b.Player.String()]
	if p == nil {
		return "a withdrawal of nobody"
	}
	balance := -a.m.balances[p.account]
	r := (&turn{m: a.m, at: at}).accountRules()
	switch {
	case !p.Confirmed:
		return "a withdrawal of a player whose identity was not checked"
	case r != nil && b.Amount < r.WithdrawalMin && b.Amount != balance && !p.Closed: // all that is left may be less
		return fmt.Sprintf("a withdrawal of %s, below what the rules ask", b.Amount)
	}
	a.money.withdrawals[index] = &withdrawalFacts{player: b.Player, amount: b.Amount, state: withdrawalAsked}
	a.money.hold(ledger.Withdrawals, -b.Amount)
	return ""
}

// beforeState is the state of a withdrawal before another.
var beforeState = map[string]string{withdrawalSent: withdrawalAsked, withdrawalPaid: withdrawalSent, withdrawalReturned: withdrawalSent}

func (a *auditor) transfer(b *journal.Transfer) string {
	var sum money.Amount
	before, ok := beforeState[b.State]
	if !ok || b.State == withdrawalReturned {
		return "a transfer to the state " + b.State
	}
	for _, record := range b.Withdrawals {
		w := a.money.withdrawals[record]
		if w == nil || w.state != before {
			return fmt.Sprintf("withdrawal %d is %s without having been %s", record, b.State, before)
		}
		w.state, sum = b.State, sum.Add(w.amount)
	}
	if b.State == withdrawalPaid {
		a.money.hold(ledger.Withdrawals, b.Amount)
	}
	if _, known := a.m.officers[b.By.String()]; !known || sum != b.Amount {
		return fmt.Sprintf("a transfer of %s by %s, of withdrawals of %s", b.Amount, b.By, sum)
	}
	return ""
}

func (a *auditor) returned(b *journal.Returned) string {
	w := a.money.withdrawals[b.Withdrawal]
	_, known := a.m.officers[b.By.String()]
	switch {
	case w == nil || w.state != beforeState[withdrawalReturned]:
		return fmt.Sprintf("withdrawal %d is returned without having been sent", b.Withdrawal)
	case !known || w.player != b.Player || w.amount != b.Amount:
		return fmt.Sprintf("%s of withdrawal %d returned to %s, it was %s of %s", b.Amount, b.Withdrawal, b.Player, w.amount, w.player)
	}
	w.state = withdrawalReturned
	a.money.hold(ledger.Withdrawals, b.Amount)
	return ""
}

func (a *auditor) collected(b *journal.Collected) string {
	account := ledger.Card(b.Provider)
	_, known := a.m.officers[b.By.String()]
	if !known || b.Amount > a.m.balances[account] {
		return fmt.Sprintf("%s received from %s, which owes %s", b.Amount, b.Provider, a.m.balances[account])
	}
	a.money.hold(account, -b.Amount)
	return ""
}

// checkMoney compares the accounts of vouchers, means of deposit and
// withdrawals with the facts: what is not used, collected or paid out yet.
func (a *auditor) checkMoney(sums map[string]money.Amount) error {
	var unused, unpaid money.Amount
	for _, amount := range a.money.vouchers {
		unused = unused.Add(amount)
	}
	for _, w := range a.money.withdrawals {
		if w.state == withdrawalAsked || w.state == withdrawalSent {
			unpaid = unpaid.Add(w.amount)
		}
	}
	a.money.hold(ledger.Vouchers, 0)
	a.money.hold(ledger.Withdrawals, 0)
	for account, want := range a.money.held {
		if got := sums[string(account)]; got != want {
			return fmt.Errorf("%w: account %s holds %s, from what was sold, deposited and paid out follows %s", ErrJournal, account, got, want)
		}
	}
	if -a.money.held[ledger.Vouchers] != unused || -a.money.held[ledger.Withdrawals] != unpaid {
		return fmt.Errorf("%w: vouchers of %s are not used, withdrawals of %s not paid; the accounts say %s and %s",
			ErrJournal, unused, unpaid, -a.money.held[ledger.Vouchers], -a.money.held[ledger.Withdrawals])
	}
	return nil
}
