package sim

import (
	"errors"
	"fmt"
	"slices"

	"tirage/central"
	"tirage/game"
	"tirage/money"
	"tirage/party"
)

// accountAct is what an officer does with the account of an outlet.
func (s *simulation) accountAct() {
	switch n := s.IntN(20); {
	case n < 2:
		s.setMandate(s.shops[s.IntN(len(s.shops))])
	case n < 8:
		s.sendDebits()
	case n < 12:
		s.settleDebits()
	case n < 13:
		s.block(s.shops[s.IntN(len(s.shops))])
	default:
		s.unblock()
	}
}

// receive makes ready that money of an outlet comes in: mostly a part of what it owes.
func (s *simulation) receive() act {
	at := s.shops[s.IntN(len(s.shops))]
	amount := money.Amount(1 + s.IntN(20_000))
	if s.IntN(8) > 0 {
		amount = money.Amount(1 + s.IntN(1+int(max(0, at.owes/8))))
	}
	r := central.Receive{Key: s.key(), Officer: s.officers[0], Outlet: at.outlet.ID, Amount: amount}
	var err error
	return act{
		run: func() { _, err = s.sys.Receive(s.ctx(), r) },
		after: func() {
			if errors.Is(err, central.ErrOverpaid) { // by what was done beside it; that no more was taken, the books ask
				return
			}
			s.agree("receipt", err, nil)
			s.receives(at, amount)
		},
	}
}

func (s *simulation) setMandate(at *shop) {
	m := party.Mandate{ID: "PDV-" + at.outlet.ID, SignedOn: int32(game.NewDay(2027, 1, 2)), Holder: "Tabac Simon", IBAN: simulatedIBAN}
	s.agree("mandate", s.sys.SetMandate(s.ctx(), central.SetMandate{Key: s.key(), Officer: s.officers[s.IntN(2)], Outlet: at.outlet.ID, Mandate: m}), nil)
	at.account.mandate = true
}

// debitable is a statement that is or was to be debited, and its shop.
type debitable struct {
	*modelStatement
	shop *shop
}

func (x debitable) String() string {
	return fmt.Sprintf("record %d of outlet %d: %s", x.record, x.shop.outlet.Number, x.shop.left(x.modelStatement))
}

// debitsDue are the statements that can be debited: the newest of each outlet, if
// something is left of it, those of outlets with mandates first.
func (s *simulation) debitsDue() (due []debitable) {
	for _, at := range s.shops {
		if n := len(at.account.statements); n > 0 {
			if st := at.account.statements[n-1]; st.record != 0 && st.debit == "" && at.left(st) > 0 {
				due = append(due, debitable{st, at})
			}
		}
	}
	slices.SortStableFunc(due, func(a, b debitable) int {
		switch x, y := a.shop.account.mandate, b.shop.account.mandate; {
		case x == y:
			return 0
		case x:
			return -1
		}
		return 1
	})
	return due
}

// sendDebits puts the statements that are due into a file, or one that may not be.
func (s *simulation) sendDebits() {
	got, err := s.sys.DebitsDue(s.ctx())
	s.check(err)
	due := s.debitsDue()
	same := func(d central.DebitDue, x debitable) bool {
		return d.Statement == x.record && d.Outlet.ID == x.shop.outlet.ID && d.Amount == x.shop.left(x.modelStatement) && d.Mandate == x.shop.account.mandate
	}
	if !slices.EqualFunc(got, due, same) {
		s.Fatalf("%s: %+v can be debited, the model has %v", s.now, got, due)
	}
	list := due
	switch s.IntN(6) {
	case 0: // any statement, of any outlet
		at := s.shops[s.IntN(len(s.shops))]
		if n := len(at.account.statements); n > 0 {
			list = []debitable{{at.account.statements[s.IntN(n)], at}}
		}
	case 1:
		list = slices.Concat(due, due)
	default: // those that have mandates, mostly
		if s.IntN(5) > 0 {
			list = slices.DeleteFunc(slices.Clone(due), func(x debitable) bool { return !x.shop.account.mandate })
		}
	}
	records := make([]uint64, len(list))
	wrong, signed := len(list) == 0, true
	for i, x := range list {
		wrong = wrong || x.record == 0 || x.debit != "" || x.shop.left(x.modelStatement) == 0 || slices.Contains(records[:i], x.record)
		signed = signed && x.shop.account.mandate
		records[i] = x.record
	}
	var want error
	switch {
	case wrong:
		want = central.ErrDebit
	case !signed:
		want = central.ErrNoMandate
	}
	_, _, err = s.sys.SendDebits(s.ctx(), s.key(), s.officers[s.IntN(2)], records)
	if s.agree("direct debits sent", err, want) {
		for _, x := range list {
			x.debit, x.debited = "sent", x.shop.left(x.modelStatement)
		}
		for _, x := range list {
			x.shop.account.underWay += x.debited
		}
	}
}

// settleDebits notes what the bank did with some direct debits.
func (s *simulation) settleDebits() {
	var all []debitable
	for _, at := range s.shops {
		for _, st := range at.account.statements {
			if st.debit == "sent" || st.debit != "" && s.IntN(4) == 0 {
				all = append(all, debitable{st, at})
			}
		}
	}
	if len(all) == 0 {
		return
	}
	s.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	state, returned := all[0].debit, s.IntN(3) == 0
	if s.IntN(8) > 0 { // else of several states, perhaps
		all = slices.DeleteFunc(all, func(x debitable) bool { return x.debit != state })
	}
	all = all[:1+s.IntN(len(all))]
	var want error
	records := make([]uint64, len(all))
	for i, x := range all {
		if records[i] = x.record; x.debit != all[0].debit || x.debit != "sent" && (x.debit != "paid" || !returned) {
			want = central.ErrDebit
		}
	}
	name := "direct debits paid"
	if returned {
		name = "direct debits returned that were " + state
	}
	err := s.sys.SettleDebits(s.ctx(), s.key(), s.officers[s.IntN(2)], records, returned)
	s.now = s.sys.Now()
	if s.agree(name, err, want) {
		s.debitsSettled(all, returned)
	}
}

// debitsSettled is what comes of direct debits that were paid or returned: of the latter, that outlets are blocked.
func (s *simulation) debitsSettled(list []debitable, returned bool) {
	for _, x := range list {
		a := &x.shop.account
		undone := x.debit == "paid"
		switch {
		case !returned:
			x.debit = "paid"
			a.underWay -= x.debited
			s.receives(x.shop, x.debited)
		case undone:
			x.debit = "returned"
			s.returns(x.shop, x.debited)
		default:
			x.debit = "returned"
			a.underWay -= x.debited
		}
	}
	for _, x := range list {
		a := &x.shop.account
		newest := a.statements[len(a.statements)-1]
		if left := min(newest.unpaid, x.shop.owes) - a.underWay; returned && !a.blocked && left > 0 && left >= s.terms.BlockMin {
			a.blocked, a.cause = true, party.Unpaid
			s.done["block for what was returned"]++
		}
		s.compareBlock(x.shop)
	}
}

// block has an officer block an outlet.
func (s *simulation) block(at *shop) {
	if at.account.blocked {
		return
	}
	o := at.outlet
	o.Blocked = true
	_, err := s.sys.PutOutlet(s.ctx(), central.PutOutlet{Key: s.key(), Officer: s.officers[0], Outlet: o, Reason: "simulated"})
	s.agree("block by an officer", err, nil)
	at.account.blocked = true
	s.compareBlock(at)
}

// unblock has an officer let the outlets that are blocked sell again.
func (s *simulation) unblock() {
	for _, at := range s.shops {
		if !at.account.blocked {
			continue
		}
		_, err := s.sys.PutOutlet(s.ctx(), central.PutOutlet{Key: s.key(), Officer: s.officers[0], Outlet: at.outlet})
		s.agree("unblock", err, nil)
		at.account.blocked, at.account.cause, at.account.changedAt = false, "", s.sys.Now()
		s.compareBlock(at)
	}
}

// compareOutlets compares what outlets owe, whether they are blocked, and their direct debits.
func (s *simulation) compareOutlets() {
	for _, at := range s.shops {
		a, err := s.sys.OutletAccount(at.outlet.ID)
		if s.check(err); a.CreditLimit != at.outlet.CreditLimit {
			s.Fatalf("%s: outlet %d has a credit limit of %s, by the model %s", s.now, at.outlet.Number, a.CreditLimit, at.outlet.CreditLimit)
		}
		if a.Owes != at.owes {
			s.Errorf("outlet %d owes %s, the model says %s", at.outlet.Number, a.Owes, at.owes)
		}
		s.compareBlock(at)
		list, err := s.sys.Statements(s.ctx(), at.outlet.ID, len(at.account.statements))
		s.check(err)
		for _, st := range at.account.statements {
			i := slices.IndexFunc(list, func(got central.Statement) bool { return got.Record == st.record })
			if st.record != 0 && (i < 0 || list[i].Debit != st.debit || list[i].Debited != st.debited) {
				s.Errorf("outlet %d, statement of %s: not debited as in the model: %q, %s", at.outlet.Number, st.sunday, st.debit, st.debited)
			}
		}
	}
}
