package central_test

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"tirage/central"
	"tirage/game"
	"tirage/internal/dbtest"
	"tirage/journal"
	"tirage/money"
	"tirage/party"
)

// week is the start of the test's n-th week after the first, in Paris, with an hour to spare for the zones of others.
func week(n int) time.Time { return time.Date(2027, 1, 4+7*n, 12, 0, 0, 0, time.UTC) }

// debitWorld is a world with two outlets that owe 95 € and 19 € by their first statements, and have signed mandates.
func debitWorld(t *testing.T, dsn string) (w *world, second *shop) {
	t.Helper()
	w = newWorldAt(t, dsn, fewDraws(t), monday)
	w.publishTerms()
	second = w.newShop(2, "metropole", "Europe/Paris")
	for range 10 {
		w.sellAt(w.shop, 10, 1)
	}
	w.sellAt(second, 20, 1)
	w.check(w.mandate(w.shop, "PDV-1"))
	w.check(w.mandate(second, "PDV-2"))
	w.at(week(1))
	return w, second
}

func (w *world) mandate(s *shop, id string) error {
	return w.sys.SetMandate(w.ctx(), central.SetMandate{Key: w.key(), Officer: w.officer.ID, Outlet: s.outlet.ID, Mandate: party.Mandate{
		ID: id, SignedOn: int32(game.NewDay(2027, 1, 2)), Holder: "Tabac Émile", IBAN: "FR14 2004 1010 0505 0001 3M02 606",
	}})
}

// due are the statements that can be debited, and the amounts.
func (w *world) due() (records []uint64, amounts []money.Amount) {
	w.Helper()
	list, err := w.sys.DebitsDue(w.ctx())
	w.check(err)
	for _, d := range list {
		records, amounts = append(records, d.Statement), append(amounts, d.Amount)
	}
	return records, amounts
}

func (w *world) send(records ...uint64) []byte {
	w.Helper()
	file, _, err := w.sys.SendDebits(w.ctx(), w.key(), w.officer.ID, records)
	w.check(err)
	return file
}

func (w *world) settle(returned bool, records ...uint64) error {
	return w.sys.SettleDebits(w.ctx(), w.key(), w.officer.ID, records, returned)
}

func (w *world) blocked(s *shop) bool {
	w.Helper()
	o, err := w.sys.Outlet(s.outlet.ID)
	w.check(err)
	if o.Blocked != (o.Cause == party.Unpaid) {
		w.Errorf("outlet %+v", o)
	}
	return o.Blocked
}

// unblock is what an officer does to let an outlet sell again.
func (w *world) unblock(s *shop) {
	w.Helper()
	_, err := w.sys.PutOutlet(w.ctx(), central.PutOutlet{Key: w.key(), Officer: w.officer.ID, Outlet: s.outlet})
	w.check(err)
}

// A direct debit that is sent takes what is not paid of the statement, once,
// and that it is paid is money received; the file stays what it was.
func TestDebits(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w, second := debitWorld(t, dsn)
		w.check(w.receive(w.officer.ID, second.outlet.ID, 400)) // of 19 €
		w.restart()
		records, amounts := w.due()
		if len(records) != 2 || amounts[0] != 9500 || amounts[1] != 1500 {
			t.Fatalf("due %v: %v", records, amounts)
		}
		file, record, err := w.sys.SendDebits(w.ctx(), "send", w.officer.ID, records)
		w.check(err)
		for _, part := range []string{"<CtrlSum>110.00</CtrlSum>", "<SeqTp>FRST</SeqTp>", "PDV-1", "<DtOfSgntr>2027-01-02</DtOfSgntr>", "<ReqdColltnDt>2027-01-15</ReqdColltnDt>", "FR1420041010050500013M02606", "Tabac Emile"} {
			if !bytes.Contains(file, []byte(part)) {
				t.Errorf("the file lacks %s", part)
			}
		}
		if records, _ := w.due(); len(records) != 0 {
			t.Errorf("due once more: %v", records)
		}
		w.refuses(central.ErrDebit, func() error {
			_, _, err := w.sys.SendDebits(w.ctx(), w.key(), w.officer.ID, records[:1])
			return err
		})
		w.check(w.mandate(w.shop, "PDV-NEXT")) // changes no file
		w.restart()
		again, err := w.sys.DebitFile(w.ctx(), record)
		if w.check(err); !bytes.Equal(file, again) {
			t.Errorf("another file:\n%s", again)
		}
		again, _, err = w.sys.SendDebits(w.ctx(), "send", w.officer.ID, records)
		if w.check(err); !bytes.Equal(file, again) {
			t.Errorf("the same command gives another file:\n%s", again)
		}
		w.check(w.settle(false, records[0]))
		w.refuses(central.ErrDebit, func() error { return w.settle(false, records...) })
		w.restart()
		if w.owes(w.shop) != 0 || w.owes(second) != 1500 {
			t.Errorf("they owe %s and %s", w.owes(w.shop), w.owes(second))
		}
		w.at(week(2))
		w.check(w.settle(false, records[1]))
		w.at(week(3))
		w.checkStatements(second)
		list, err := w.sys.Debits(w.ctx(), record)
		w.check(err)
		if len(list) != 2 || list[0].State != "paid" || list[0].File != record || list[0].Amount+list[1].Amount != 11_000 || min(list[0].Amount, list[1].Amount) != 1500 {
			t.Errorf("debits %+v", list)
		}
		if w.blocked(w.shop) || w.blocked(second) {
			t.Error("one who has paid is blocked")
		}
	})
}

// What can be debited stands before what no mandate lets debit; each file that
// was made is listed, however many there are, with what the bank did of it.
func TestDebits_Files(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorldAt(t, dsn, fewDraws(t), monday)
		w.publishTerms()
		shops := []*shop{w.shop, w.newShop(2, "metropole", "Europe/Paris"), w.newShop(3, "metropole", "Europe/Paris"), w.newShop(4, "metropole", "Europe/Paris")}
		for _, s := range shops {
			w.sellAt(s, 10, 1)
		}
		w.check(w.mandate(shops[2], "PDV-3"))
		w.at(week(1))
		records, _ := w.due()
		list, err := w.sys.DebitsDue(w.ctx())
		w.check(err)
		if len(list) != 4 || !list[0].Mandate || list[0].Outlet.ID != shops[2].outlet.ID || list[1].Mandate || list[1].Outlet.Number >= list[2].Outlet.Number || list[2].Outlet.Number >= list[3].Outlet.Number {
			t.Fatalf("due %+v", list)
		}
		var files []uint64
		for i, s := range []*shop{shops[2], shops[0], shops[1], shops[3]} {
			w.check(w.mandate(s, "PDV-"+strconv.Itoa(i)))
			_, file, err := w.sys.SendDebits(w.ctx(), w.key(), w.officer.ID, records[i:i+1])
			w.check(err)
			files = append([]uint64{file}, files...)
		}
		w.check(w.settle(false, records[0], records[1]))
		w.check(w.settle(true, records[1]))
		for skip, want := range files {
			some, all, err := w.sys.DebitFiles(w.ctx(), skip, 1)
			w.check(err)
			open := 0
			if skip < 2 {
				open = 1
			}
			if len(some) != 1 || all != 4 || some[0].Record != want || some[0].Count != 1 || some[0].Sum != 950 || some[0].Open != open || some[0].Left != money.Amount(950*open) {
				t.Errorf("file %d: %+v of %d, want record %d", skip, some, all, want)
			}
			lines, err := w.sys.Debits(w.ctx(), want)
			w.check(err)
			if state := []string{"sent", "sent", "returned", "paid"}[skip]; len(lines) != 1 || lines[0].State != state || lines[0].Amount != 950 || lines[0].Statement.Record != records[3-skip] {
				t.Errorf("file %d: %+v, want it %s", skip, lines, state)
			}
		}
		for _, none := range []uint64{0, 1, records[0], 1 << 40} {
			if _, err := w.sys.Debits(w.ctx(), none); !errors.Is(err, central.ErrDebit) {
				t.Errorf("debits of record %d: %v", none, err)
			}
		}
	})
}

// A direct debit that comes back before it was paid moves no money; one that
// comes back after is owed again. Either blocks the outlet at once, and what it
// then does not sell or pay is decided by an officer.
func TestDebits_Returned(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w, second := debitWorld(t, dsn)
		records, _ := w.due()
		w.send(records...)
		w.check(w.settle(false, records[1]))
		w.check(w.settle(true, records[0]))
		if w.owes(w.shop) != 9500 || !w.blocked(w.shop) || w.blocked(second) || w.owes(second) != 0 {
			t.Errorf("returned: %s, %v; paid: %s, %v", w.owes(w.shop), w.blocked(w.shop), w.owes(second), w.blocked(second))
		}
		w.restart()
		w.clock.set(time.Date(2027, 1, 13, 10, 30, 0, 0, time.UTC))
		w.tick()
		w.refuses(party.ErrBlocked, func() error { _, err := w.place(w.quickPick(2, 1)); return err })
		w.check(w.settle(true, records[1])) // after it was paid
		w.restart()
		if w.owes(second) != 1900 || !w.blocked(second) {
			t.Errorf("undone: %s, %v", w.owes(second), w.blocked(second))
		}
		w.refuses(central.ErrDebit, func() error { return w.settle(true, records[1]) })
		w.unblock(second)
		if w.blocked(second) {
			t.Error("blocked, though an officer lets it sell")
		}
		w.sellAt(second, 2, 1)
		w.at(week(2))
		w.checkStatements(w.shop)
		w.checkStatements(second)
		st := w.statementsOf(second)[1]
		if st.Opening != 1900 || st.Received != 1900 || st.Returned != 1900 || st.Closing != 1900+190 { // paid and undone in one week
			t.Errorf("statement %+v", st)
		}
	})
}

// An outlet that has not paid its statement is blocked on the day that the terms
// say, in its own zone, once: an officer who lets it sell again has decided so,
// until the next statement is overdue.
func TestBlockUnpaid(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w, second := debitWorld(t, dsn)
		w.check(w.receive(w.officer.ID, second.outlet.ID, 1900))
		before := time.Date(2027, 1, 21, 22, 59, 0, 0, time.UTC) // the 12th day after Sunday 10 January begins in a minute
		w.at(before)
		if w.blocked(w.shop) {
			t.Error("blocked before its day")
		}
		w.at(before.Add(time.Minute))
		w.restart()
		if !w.blocked(w.shop) || w.blocked(second) {
			t.Errorf("on the day: %v, %v", w.blocked(w.shop), w.blocked(second))
		}
		records, _ := w.records()
		last := records[len(records)-1].Body.(*journal.Outlet)
		if (last.By != journal.Party{}) || last.Cause != party.Unpaid {
			t.Errorf("blocked by %+v", last)
		}
		w.refuses(party.ErrBlocked, func() error { _, err := w.place(w.quickPick(2, 1)); return err })
		w.unblock(w.shop)
		w.at(before.Add(2 * time.Minute))
		w.at(before.Add(hours(24)))
		w.restart()
		if w.blocked(w.shop) {
			t.Error("blocked again for the same statement")
		}
		w.at(before.AddDate(0, 0, 7).Add(time.Minute)) // the next, which has the same debt
		if !w.blocked(w.shop) {
			t.Error("not blocked for the next statement")
		}
		w.check(w.receive(w.officer.ID, w.outlet.ID, 9500))
		w.unblock(w.shop)
		w.at(before.AddDate(0, 0, 60))
		if w.blocked(w.shop) {
			t.Error("one who has paid is blocked")
		}
		w.checkStatements(w.shop)
	})
}

// Mandates are sealed at rest: neither the database nor the journal has an IBAN or a name in clear.
func TestMandatesSealed(t *testing.T) {
	t.Parallel()
	w, _ := debitWorld(t, dbtest.SQLite(t))
	records, _ := w.due()
	w.send(records...)
	_, raw := w.records()
	file, err := os.ReadFile(strings.TrimPrefix(w.dsn, "sqlite:"))
	w.check(err)
	wal, _ := os.ReadFile(strings.TrimPrefix(w.dsn, "sqlite:") + "-wal")
	for _, secret := range []string{"FR1420041010050500013M02606", "Tabac"} {
		if bytes.Contains(bytes.Join(raw, nil), []byte(secret)) || bytes.Contains(file, []byte(secret)) || bytes.Contains(wal, []byte(secret)) {
			t.Errorf("%s stands in clear", secret)
		}
	}
	m, err := w.sys.Mandate(w.ctx(), w.outlet.ID)
	if w.check(err); m.ID != "PDV-1" || m.IBAN != "FR1420041010050500013M02606" {
		t.Errorf("mandate %+v", m)
	}
	w.refuses(party.ErrMandate, func() error { return w.mandate(w.shop, "a b") })
}

// An outlet without a mandate is not debited, nor is anything without a creditor.
func TestDebits_Refused(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, dbtest.SQLite(t), fewDraws(t), monday)
	w.publishTerms()
	w.sellAt(w.shop, 10, 1)
	w.at(week(1))
	records, _ := w.due()
	send := func(records ...uint64) func() error {
		return func() error { _, _, err := w.sys.SendDebits(w.ctx(), w.key(), w.officer.ID, records); return err }
	}
	w.refuses(central.ErrNoMandate, send(records...))
	w.refuses(central.ErrDebit, send())
	w.refuses(central.ErrDebit, send(records[0], records[0]))
	w.refuses(central.ErrDebit, send(1))
	w.check(w.mandate(w.shop, "PDV-1"))
	w.refuses(central.ErrDebit, func() error { return w.settle(false, records[0]) })
	w.refuses(central.ErrNotAllowed, func() error { _, _, err := w.sys.SendDebits(w.ctx(), w.key(), w.outlet.ID, records); return err })
	w.refuses(central.ErrDebit, func() error { _, err := w.sys.DebitFile(w.ctx(), records[0]); return err })
	w.check(w.receive(w.officer.ID, w.outlet.ID, 950))
	w.refuses(central.ErrDebit, send(records...)) // nothing is left to pay
	w.refuses(central.ErrNoStatement, func() error { _, err := w.sys.Statement(w.ctx(), 1); return err })
}

// F16, F20, F24: what of each outlet is watched.
func TestOutletReport(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorldAt(t, dsn, fewDraws(t), monday)
		second := w.newShop(2, "reunion", "Indian/Reunion")
		tickets := w.sellAll(2, 1)
		for n := range 4 {
			other := w.sellAt(second, 2, 1)
			if n == 0 {
				w.check(w.cancel(second, other))
			}
		}
		w.at(morning)
		own, others := money.Amount(0), money.Amount(0)
		for n, ticket := range tickets {
			if n%2 == 0 {
				if paid, err := w.pay(w.shop, ticket); err == nil {
					own += paid.Amount
				}
			} else if paid, err := w.pay(second, ticket); err == nil {
				others += paid.Amount
			}
		}
		w.restart()
		day := game.DayOf(monday, time.UTC)
		list, err := w.sys.OutletReport(w.ctx(), day, day+1)
		w.check(err)
		if len(list) != 2 || own == 0 && others == 0 {
			t.Fatalf("report %+v", list)
		}
		a, b := list[0], list[1]
		if a.Sold != 1200 || a.SoldN != 6 || a.Pace != 1200 || a.CancelledN != 0 || a.Own != own || a.Paid != own {
			t.Errorf("the first: %+v, own %s", a, own)
		}
		if b.SoldN != 4 || b.CancelledN != 1 || b.Own != 0 || b.Paid != others {
			t.Errorf("the second: %+v, others' %s", b, others)
		}
		if list, err := w.sys.OutletReport(w.ctx(), day+2, day+3); err != nil || len(list) != 0 {
			t.Errorf("days of nothing: %v, %v", list, err)
		}
	})
}

// reasoned is a record of an outlet with a reason of nobody.
func reasoned(o party.Outlet) *journal.Outlet {
	return &journal.Outlet{
		ID: partyOf(o.ID), Number: uint64(o.Number), Territory: o.Territory, Zone: o.Zone, CreditLimit: o.CreditLimit, Reason: make([]byte, 32),
	}
}

// CheckBooks names a statement, tally, direct debit or block that does not follow from the records before it.
func TestCheckBooksAsksOfAccounts(t *testing.T) {
	t.Parallel()
	base, second := debitWorld(t, dbtest.SQLite(t))
	base.check(base.receive(base.officer.ID, second.outlet.ID, 1900))
	base.at(week(1).Add(time.Hour))
	records, _ := base.due()
	officer, outlet, paid := partyOf(base.officer.ID), partyOf(base.outlet.ID), partyOf(second.outlet.ID)
	block := func(o party.Outlet) *journal.Outlet {
		return &journal.Outlet{
			ID: partyOf(o.ID), Number: uint64(o.Number), Territory: o.Territory, Zone: o.Zone, CreditLimit: o.CreditLimit, Blocked: true, Cause: party.Unpaid,
		}
	}
	byOfficer := func(b *journal.Outlet, blocked bool) *journal.Outlet {
		b.Command, b.By, b.Blocked = journal.Command{1}, officer, blocked
		return b
	}
	debit := func(state string, outlet journal.Party, amount money.Amount) *journal.Debit {
		return &journal.Debit{By: officer, State: state, Lines: []journal.DebitLine{{Statement: records[0], Outlet: outlet, Amount: amount}}}
	}
	statement := func(monday int, commission int64) *journal.Statement {
		return &journal.Statement{
			Outlet: outlet, First: int32(game.NewDay(2027, 1, monday)), Last: int32(game.NewDay(2027, 1, monday+6)), Terms: base.sys.Terms().Hash,
			Opening: 9500, Closing: 9500 - commission, Zone: base.outlet.Zone,
			Lines: []journal.StatementLine{{Game: string(base.rules.Code), Commission: commission, Carried: [2]uint64{0, 1}}},
		}
	}
	elsewhere := statement(11, 0)
	elsewhere.Zone, elsewhere.Lines = "Europe/London", nil
	till := partyOf(base.terminal.ID)
	withdrawn := []journal.Body{&journal.Terminal{Command: journal.Command{1}, By: officer, ID: till, Outlet: outlet, Withdrawn: true, Reason: make([]byte, 32)}}
	for _, c := range []struct {
		name, named string // what the books say
		later       bool   // once the second week is over
		body        journal.Body
		before      []journal.Body
	}{
		{name: "a tally of what was not", named: "a tally of", body: &journal.Tally{Sold: 1}},
		{name: "returned, and not blocked", named: "is not blocked, though", body: debit("returned", outlet, 9500), before: []journal.Body{debit("sent", outlet, 9500)}},
		{name: "blocked by an officer as by the system", named: "blocks as the system does", body: byOfficer(block(base.outlet), true)},
		{name: "let go by an officer, and yet unpaid", named: "blocks as the system does", body: byOfficer(block(base.outlet), false)},
		{name: "a reason of nobody", named: "for a reason", body: reasoned(base.outlet)},
		{name: "a statement of a week that runs", named: "not over", body: statement(11, 0)},
		{name: "a commission that was not earned", later: true, named: "the rates give another sum", body: statement(11, 100)},
		{name: "a statement of another zone", later: true, named: "Zone:Europe/London}, from the sales and the keys follows", body: elsewhere},
		{name: "too much debited", named: "a direct debit of", body: debit("sent", outlet, 9501)},
		{name: "debited by another's statement", named: "no statement of it", body: debit("sent", paid, 1)},
		{name: "paid without having been sent", named: "a direct debit of", body: debit("paid", outlet, 9500)},
		{name: "returned without having been sent", named: "a direct debit of", body: debit("returned", outlet, 9500)},
		{name: "blocked though it has paid", named: "blocked though it has paid", body: block(second.outlet)},
		{name: "blocked before its time", named: "blocked though it has paid", body: block(base.outlet)},
		{name: "a terminal of no outlet", named: "a terminal of no outlet", body: &journal.Terminal{Command: journal.Command{1}, By: officer, ID: till, Outlet: officer}},
		{name: "a terminal by no officer", named: "or by no officer", body: &journal.Terminal{Command: journal.Command{1}, By: outlet, ID: journal.Party{7}, Outlet: outlet}},
		{name: "a new terminal that is withdrawn", named: "that was changed before", body: &journal.Terminal{Command: journal.Command{1}, By: officer, ID: journal.Party{7}, Outlet: outlet, Withdrawn: true}},
		{name: "a terminal withdrawn for no reason", named: "for no reason", body: &journal.Terminal{Command: journal.Command{1}, By: officer, ID: till, Outlet: outlet, Withdrawn: true}},
		{name: "a terminal that moves", named: "for no reason", body: &journal.Terminal{Command: journal.Command{1}, By: officer, ID: till, Outlet: paid, Renewed: 1, Reason: make([]byte, 32)}},
		{name: "a terminal renewed twice at once", named: "for no reason", body: &journal.Terminal{Command: journal.Command{1}, By: officer, ID: till, Outlet: outlet, Renewed: 2, Reason: make([]byte, 32)}},
		{name: "a terminal that comes back", named: "for no reason", body: &journal.Terminal{Command: journal.Command{2}, By: officer, ID: till, Outlet: outlet, Renewed: 1, Reason: make([]byte, 32)}, before: withdrawn},
		{name: "a voucher of a terminal that is withdrawn", named: "a voucher of a terminal", body: &journal.Voucher{Command: journal.Command{2}, Outlet: outlet, Terminal: till, Amount: 2000}, before: withdrawn},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := base.copyTo(t)
			if c.later {
				w.clock = &clock{now: week(2)}
				w.sys.Close()
				w.check(w.db.Close())
				w.open()
			}
			w.check(w.sys.Do(w.ctx(), func(turn *central.Turn) error {
				for _, body := range append(c.before, c.body) {
					if err := turn.Append(body); err != nil {
						return err
					}
				}
				return nil
			}))
			if err := w.sys.CheckBooks(w.ctx()); err == nil || !strings.Contains(err.Error(), c.named) {
				t.Errorf("got %v, want an error with %q", err, c.named)
			}
		})
	}
}

// CheckBooks names a payment to an outlet that two officers did not decide so.
func TestCheckBooksAsksOfPayouts(t *testing.T) {
	t.Parallel()
	w, shop := debitWorld(t, dbtest.SQLite(t))
	officer, second, outlet, other := partyOf(w.officer.ID), partyOf(w.second().ID), partyOf(shop.outlet.ID), partyOf(w.outlet.ID)
	w.check(w.receive(w.officer.ID, shop.outlet.ID, 2000)) // of 19 €
	next := w.sys.Size()
	propose := func(amount money.Amount) journal.Body {
		return &journal.Proposal{Command: journal.Command{2}, By: officer, Act: "pay-outlet", Outlet: outlet.String(), Amount: amount, Reason: "trop versé"}
	}
	approve := &journal.Decision{Command: journal.Command{3}, By: second, Proposal: next, Approved: true}
	pay := func(to journal.Party, amount money.Amount) journal.Body {
		return &journal.Received{By: second, Outlet: to, Amount: -amount, Decision: next + 1}
	}
	w.finds(t, []forged{
		{"more than the lottery owes", "received from outlet", []journal.Body{propose(101), approve, pay(outlet, 101)}},
		{"all that it owes, but by no command", "Commands", []journal.Body{propose(100), approve, pay(outlet, 100)}},
		{"more than approved", "follows", []journal.Body{propose(10), approve, pay(outlet, 11)}},
		{"less than approved", "follows", []journal.Body{propose(10), approve, pay(outlet, 9)}},
		{"another outlet than approved", "follows", []journal.Body{propose(10), approve, pay(other, 10)}},
		{"approved, and not paid", "is not done", []journal.Body{propose(10), approve}},
		{"proposed, and paid", "nobody approved", []journal.Body{propose(10), pay(outlet, 10)}},
		{"by one officer", "nobody approved", []journal.Body{&journal.Received{Command: journal.Command{1}, By: officer, Outlet: outlet, Amount: -1}}},
		{"more received than owed, by one officer", "nobody approved", []journal.Body{&journal.Received{Command: journal.Command{1}, By: officer, Outlet: outlet, Amount: money.Euros(900_000)}}},
		{"received by a decision", "nobody approved", []journal.Body{&journal.Received{By: officer, Outlet: outlet, Amount: 1, Decision: 3}}},
	})
}

// CheckBooks names a notice, or the end of one, that no officer may make so.
func TestCheckBooksAsksOfNotices(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, dbtest.SQLite(t), fewDraws(t), monday)
	set := func(until time.Time) uint64 {
		n, err := w.sys.SetNotice(w.ctx(), central.SetNotice{Key: w.key(), Officer: w.officer.ID, FR: "Bonjour.", EN: "Hello.", Until: until})
		w.check(err)
		return n.Record
	}
	officer, outlet, short, shown := partyOf(w.officer.ID), partyOf(w.outlet.ID), set(monday.Add(time.Hour)), set(week(9))
	w.at(monday.Add(time.Hour))
	w.finds(t, []forged{
		{"of nobody", "a notice of no officer", []journal.Body{&journal.Notice{By: outlet, FR: "a", EN: "a", Until: week(9).UnixMicro()}}},
		{"over at once", "no time to come", []journal.Body{&journal.Notice{By: officer, FR: "a", EN: "a", Until: monday.Add(time.Hour).UnixMicro()}}},
		{"taken back by nobody", "taken back by no officer", []journal.Body{&journal.Retraction{Command: journal.Command{1}, By: outlet, Notice: shown}}},
		{"taken back when its time is over", "one that is not shown", []journal.Body{&journal.Retraction{Command: journal.Command{1}, By: officer, Notice: short}}},
	})
}
