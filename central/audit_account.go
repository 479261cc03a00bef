package central

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"time"

	"tirage/draw"
	"tirage/game"
	"tirage/journal"
	"tirage/ledger"
	"tirage/money"
	"tirage/party"
	"tirage/store"
)

// accountFacts is what an auditor knows of the accounts of outlets. It counts
// every record by itself, by outlet and local day, and knows nothing of tallies.
type accountFacts struct {
	outlets     map[journal.Party]*accountFact
	untold      journal.Tally // done since the last tally record
	any         bool          // anything was
	debits      map[uint64]*debitFact
	commissions map[string]money.Amount
	returned    []journal.Party // whose direct debit came back in this turn
}

// accountFact is what an auditor knows of the account of an outlet.
type accountFact struct {
	did        map[game.Day]map[string]*store.Tally // on days that no statement covers
	stated     bool                                 // a statement was made
	last       game.Day
	closing    money.Amount
	carried    carry
	statements []uint64
	underWay   money.Amount
}

// debitFact is a statement, and what became of its direct debit.
type debitFact struct {
	outlet                  journal.Party
	last                    game.Day
	closing, unpaid, amount money.Amount // of the statement; with what was received since; of the direct debit
	blockMin                money.Amount // by its terms
	state                   string
}

func newAccountFacts() accountFacts {
	return accountFacts{
		outlets: map[journal.Party]*accountFact{}, debits: map[uint64]*debitFact{}, commissions: map[string]money.Amount{},
	}
}

func (f *accountFacts) outlet(id journal.Party) *accountFact {
	if f.outlets[id] == nil {
		f.outlets[id] = &accountFact{did: map[game.Day]map[string]*store.Tally{}, carried: carry{}}
	}
	return f.outlets[id]
}

// next is the Monday of the week that the next statement is for; false: there is nothing to state.
func (f *accountFact) next() (monday game.Day, ok bool) {
	if f.stated && f.closing != 0 {
		return f.last + 1, true
	}
	days := slices.Sorted(maps.Keys(f.did))
	if len(days) == 0 {
		return 0, false
	}
	return mondayOf(days[0]), true
}

// sums are those of a week that no statement covers, by game.
func (f *accountFact) sums(week game.Day) map[string]*store.Tally {
	sums := map[string]*store.Tally{}
	for day := week; day < week+weekDays; day++ {
		for code, c := range f.did[day] {
			if sums[code] == nil {
				sums[code] = &store.Tally{}
			}
			sums[code].Add(c)
		}
	}
	return sums
}

// sums are those of an outlet and a game on the local day of an instant.
func (a *auditor) sums(at int64, outlet journal.Party, code string) *store.Tally {
	f := a.accounts.outlet(outlet)
	day := game.DayOf(utc(at), a.zone(outlet))
	if f.stated {
		day = max(day, f.last+1)
	}
	if f.did[day] == nil {
		f.did[day] = map[string]*store.Tally{}
	}
	if f.did[day][code] == nil {
		f.did[day][code] = &store.Tally{}
	}
	a.accounts.any = true
	return f.did[day][code]
}

// zone is that of an outlet; of one that does not exist, any.
func (a *auditor) zone(outlet journal.Party) *time.Location {
	zone, err := a.m.zone(a.m.outlets[outlet.String()])
	if err != nil {
		return time.UTC
	}
	return zone
}

// seeAccount audits what outlets did, and what the system makes of it.
func (a *auditor) seeAccount(index uint64, rec journal.Record) error {
	wrong := ""
	f := &a.accounts
	switch b := rec.Body.(type) {
	case *journal.Sale:
		c := a.sums(rec.At, b.Outlet, string(a.m.books[b.Rules].Code))
		c.Sold, f.untold.Sold = c.Sold.Add(b.Price), f.untold.Sold.Add(b.Price)
	case *journal.Cancellation:
		c := a.sums(rec.At, b.Outlet, string(a.m.books[b.Rules].Code))
		c.Cancelled, f.untold.Cancelled = c.Cancelled.Add(b.Price), f.untold.Cancelled.Add(b.Price)
	case *journal.Payment:
		a.outletPays(rec.At, b)
	case *journal.Voucher:
		c := a.sums(rec.At, b.Outlet, "")
		c.Vouchers, f.untold.Vouchers = c.Vouchers.Add(b.Amount), f.untold.Vouchers.Add(b.Amount)
	case *journal.Received:
		if owes := a.m.balances[ledger.Outlet(b.Outlet.String())]; b.Amount == 0 || b.Amount < 0 && b.Amount < owes {
			wrong = fmt.Sprintf("%s received from outlet %s, which owes %s", b.Amount, b.Outlet, owes)
		}
		a.receives(rec.At, b.Outlet, b.Amount)
	case *journal.Tally:
		if !f.any || *b != f.untold {
			wrong = fmt.Sprintf("a tally of %+v, since the last one it was %+v", *b, f.untold)
		}
		f.untold, f.any = journal.Tally{}, false
	case *journal.Statement:
		return a.seeStatement(index, rec, b)
	case *journal.Debit:
		wrong = a.seeDebit(rec.At, b)
	case *journal.Outlet:
		wrong = a.seeOutlet(rec.At, b)
	case *journal.Terminal:
		wrong = a.seeTerminal(b)
	case *journal.Notice:
		if _, known := a.m.officers[b.By.String()]; !known || b.Until <= rec.At {
			wrong = "a notice of no officer, or of no time to come"
		}
	case *journal.Retraction:
		if _, known := a.m.officers[b.By.String()]; !known || !a.m.shows(b.Notice, rec.At) {
			wrong = "a notice taken back by no officer, or one that is not shown"
		}
	}
	if wrong != "" {
		return fmt.Errorf("%w: record %d: %s", ErrJournal, index, wrong)
	}
	return nil
}

func (a *auditor) outletPays(at int64, b *journal.Payment) {
	c := a.sums(at, b.Outlet, string(a.games[draw.ID(b.LastDraw)]))
	for _, l := range b.Draws {
		c.Paid, a.accounts.untold.Paid = c.Paid.Add(l.Amount), a.accounts.untold.Paid.Add(l.Amount)
	}
	for _, l := range b.Back {
		c.Back, a.accounts.untold.Back = c.Back.Add(l.Amount), a.accounts.untold.Back.Add(l.Amount)
	}
}

func (a *auditor) receives(at int64, outlet journal.Party, amount money.Amount) {
	c := a.sums(at, outlet, "")
	c.Received, a.accounts.untold.Received = c.Received.Add(amount), a.accounts.untold.Received.Add(amount)
	a.paysOff(outlet, amount)
}

// returns counts a direct debit that came back after it was paid.
func (a *auditor) returns(at int64, outlet journal.Party, amount money.Amount) {
	c := a.sums(at, outlet, "")
	c.Returned, a.accounts.untold.Returned = c.Returned.Add(amount), a.accounts.untold.Returned.Add(amount)
	a.paysOff(outlet, -amount)
}

// paysOff takes an amount from what is not paid of the statements of an outlet.
func (a *auditor) paysOff(outlet journal.Party, amount money.Amount) {
	f := a.accounts.outlet(outlet)
	for _, record := range f.statements {
		a.accounts.debits[record].unpaid = a.accounts.debits[record].unpaid.Sub(amount)
	}
}

// seeStatement makes a statement again.
func (a *auditor) seeStatement(index uint64, rec journal.Record, b *journal.Statement) error {
	f := a.accounts.outlet(b.Outlet)
	week, ok := f.next()
	if !ok {
		return fmt.Errorf("%w: record %d: a statement of nothing", ErrJournal, index)
	}
	if rec.At < (week+weekDays).At(0, a.zone(b.Outlet)).UnixMicro() {
		return fmt.Errorf("%w: record %d: a statement of a week that is not over", ErrJournal, index)
	}
	sums := f.sums(week)
	for day := week; day < week+weekDays; day++ {
		delete(f.did, day)
	}
	terms := a.m.termsOn(week)
	for _, l := range b.Lines {
		if !earned(terms, sums[l.Game], f.carried[l.Game], l) {
			return fmt.Errorf("%w: record %d: a commission of %d cents on %s, and %v carried: the rates give another sum", ErrJournal, index, l.Commission, l.Game, l.Carried)
		}
	}
	must := statementBody(b.Outlet, week, terms, f.closing, sums, f.carried)
	must.Zone = a.m.outlets[b.Outlet.String()].Zone
	if err := a.compare(index, rec, must.Statement); err != nil {
		return err
	}
	f.stated, f.last, f.closing, f.carried = true, week+weekDays-1, money.Amount(b.Closing), carry{}
	unpaid := f.closing
	for _, games := range f.did { // of later days
		if games[""] != nil {
			unpaid = unpaid.Sub(games[""].Received).Add(games[""].Returned)
		}
	}
	for _, l := range b.Lines {
		f.carried[l.Game] = l.Carried
		a.accounts.commissions[l.Game] = a.accounts.commissions[l.Game].Add(money.Amount(l.Commission))
	}
	f.statements = append(f.statements, index)
	d := &debitFact{outlet: b.Outlet, last: f.last, closing: f.closing, unpaid: unpaid}
	if terms := a.m.termsOf(b.Terms[:]); terms != nil {
		d.blockMin = terms.BlockMin
	}
	a.accounts.debits[index] = d
	return nil
}

// earned tells whether the commission of a line, in cents, and what it carries
// are together the rates on what was done, and what was carried before.
func earned(terms *party.Terms, c *store.Tally, before [2]uint64, l journal.StatementLine) bool {
	fraction := func(parts [2]uint64) *big.Rat {
		if parts[1] == 0 {
			return new(big.Rat)
		}
		return new(big.Rat).SetFrac(new(big.Int).SetUint64(parts[0]), new(big.Int).SetUint64(parts[1]))
	}
	said := new(big.Rat).Add(new(big.Rat).SetInt64(l.Commission), fraction(l.Carried))
	follows := fraction(before)
	if c != nil && terms != nil {
		rates := terms.Of(l.Game)
		follows.Add(follows, new(big.Rat).Mul(rates.Sales, big.NewRat(int64(c.Sold.Sub(c.Cancelled)), 1)))
		follows.Add(follows, new(big.Rat).Mul(rates.Payments, big.NewRat(int64(c.Paid), 1)))
	}
	return said.Cmp(follows) == 0
}

// seeDebit tells what is wrong with a step of direct debits; empty: nothing.
func (a *auditor) seeDebit(at int64, b *journal.Debit) string {
	if _, known := a.m.officers[b.By.String()]; !known {
		return "direct debits of no officer"
	}
	for _, l := range b.Lines {
		d := a.accounts.debits[l.Statement]
		if d == nil || d.outlet != l.Outlet {
			return fmt.Sprintf("a direct debit of %s by %d, which is no statement of it", l.Outlet, l.Statement)
		}
		f := a.accounts.outlet(l.Outlet)
		owes := a.m.balances[ledger.Outlet(l.Outlet.String())]
		ok := d.amount == l.Amount
		switch {
		case b.State == journal.DebitSent && !b.Undone:
			left := min(d.unpaid, d.closing, owes).Sub(f.underWay)
			ok = d.state == "" && l.Amount > 0 && l.Amount == left
			f.underWay = f.underWay.Add(l.Amount)
		case b.State == journal.DebitPaid && !b.Undone:
			ok = ok && d.state == journal.DebitSent
			f.underWay = f.underWay.Sub(l.Amount)
			a.receives(at, l.Outlet, l.Amount)
		case b.State == journal.DebitReturned && b.Undone:
			ok = ok && d.state == journal.DebitPaid
			a.returns(at, l.Outlet, l.Amount)
		case b.State == journal.DebitReturned:
			ok = ok && d.state == journal.DebitSent
			f.underWay = f.underWay.Sub(l.Amount)
		default:
			ok = false
		}
		if !ok {
			return fmt.Sprintf("a direct debit of %s %s, of statement %d: it was %q, of %s", l.Amount, b.State, l.Statement, d.state, d.amount)
		}
		if d.state, d.amount = b.State, l.Amount; b.State == journal.DebitReturned {
			a.accounts.returned = append(a.accounts.returned, l.Outlet)
		}
	}
	return ""
}

// seeTerminal tells what is wrong with a terminal, new or changed; empty: nothing.
func (a *auditor) seeTerminal(b *journal.Terminal) string {
	stands, known := a.m.terminals[b.ID.String()]
	now, reason := terminalOf(b), len(b.Reason) > 0
	_, officer := a.m.officers[b.By.String()]
	_, outlet := a.m.outlets[now.Outlet]
	first := party.Terminal{ID: now.ID, Outlet: now.Outlet}
	renewed, withdrawn := stands, stands
	renewed.Renewed++
	withdrawn.Withdrawn = true
	switch {
	case !officer || !outlet:
		return "a terminal of no outlet, or by no officer"
	case !known && (now != first || reason):
		return "a new terminal that was changed before"
	case known && (stands.Withdrawn || !reason || now != renewed && now != withdrawn):
		return fmt.Sprintf("terminal %s is changed for no reason, or as no officer can", b.ID)
	}
	return ""
}

// seeOutlet tells what is wrong with a change of an outlet; empty: nothing.
func (a *auditor) seeOutlet(at int64, b *journal.Outlet) string {
	stands, known := a.m.outlets[b.ID.String()]
	if len(b.Reason) > 0 && (b.By == journal.Party{}) {
		return "an outlet that nobody changed for a reason"
	}
	if (b.By != journal.Party{}) {
		if b.Cause != "" && (!b.Blocked || stands.Cause != b.Cause) {
			return "an officer who blocks as the system does"
		}
		return ""
	}
	stands.Blocked, stands.Cause = true, party.Unpaid
	blocks := slices.Contains(a.accounts.returned, b.ID) && a.stillOwed(b.ID) || slices.Contains(a.m.overdue(at), b.ID)
	if !known || !blocks || outletOf(b) != stands || (b.Command != journal.Command{}) {
		return fmt.Sprintf("outlet %s is changed by nobody, or blocked though it has paid", b.ID)
	}
	return ""
}

// stillOwed tells whether an outlet owes what a direct debit was to bring, so that its return blocks it.
func (a *auditor) stillOwed(outlet journal.Party) bool {
	f := a.accounts.outlet(outlet)
	newest := a.accounts.debits[f.statements[len(f.statements)-1]]
	left := min(newest.unpaid, a.m.balances[ledger.Outlet(outlet.String())]).Sub(f.underWay)
	return left > 0 && left >= newest.blockMin
}

// endAccounts tells whether a turn blocked the outlets whose direct debits came back in it, and which still owe them.
func (a *auditor) endAccounts() error {
	for _, id := range a.accounts.returned {
		if a.stillOwed(id) && !a.m.outlets[id.String()].Blocked {
			return fmt.Errorf("%w: record %d: outlet %s is not blocked, though its direct debit came back", ErrJournal, a.m.size-1, id)
		}
	}
	a.accounts.returned = nil
	return nil
}

// checkAccounts compares the accounts of outlets with their statements and what
// they did since, and those of commissions with the statements.
func (a *auditor) checkAccounts(sums map[string]money.Amount) error {
	for id := range a.m.outlets {
		f := a.accounts.outlet(mustParty(id))
		want := f.closing
		for _, games := range f.did {
			for _, c := range games {
				want = want.Add(owed(c))
			}
		}
		if got := sums[string(ledger.Outlet(id))]; got != want {
			return fmt.Errorf("%w: outlet %s owes %s, from its statements and what it did since follows %s", ErrJournal, id, got, want)
		}
	}
	for account, got := range sums {
		code, ok := strings.CutPrefix(account, string(ledger.Commission("")))
		if want := a.accounts.commissions[code]; ok && got != want {
			return fmt.Errorf("%w: account %s holds %s, from the statements follows %s", ErrJournal, account, got, want)
		}
	}
	return nil
}

// statedWithin is how long after the end of its week the statement of an outlet may still be missing.
const statedWithin = time.Hour

// checkStated tells whether each statement was made that was due some time
// before the last record.
func (a *auditor) checkStated() error {
	for _, id := range slices.Sorted(maps.Keys(a.m.outlets)) {
		outlet := mustParty(id)
		f := a.accounts.outlet(outlet)
		week, ok := f.next()
		if !ok || (week+weekDays).At(0, a.zone(outlet)).Add(statedWithin).UnixMicro() >= a.m.at {
			continue
		}
		return fmt.Errorf("%w: outlet %d has no statement for the week of %s", ErrJournal, a.m.outlets[id].Number, week)
	}
	return nil
}
