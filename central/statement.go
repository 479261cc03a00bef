package central

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"time"

	"tirage/game"
	"tirage/journal"
	"tirage/ledger"
	"tirage/money"
	"tirage/party"
	"tirage/store"
)

// ErrNoStatement is a statement that does not exist.
var ErrNoStatement = errors.New("no such statement")

// implyAccount is imply for records of the accounts of outlets.
func (m *memory) implyAccount(rows *store.Rows, index uint64, rec journal.Record) ledger.Entry {
	switch b := rec.Body.(type) {
	case *journal.Tally:
		rows.TallyMarks = append(rows.TallyMarks, store.TallyMark{Record: index})
		rows.Tallies = append(rows.Tallies, m.tallies.rows()...)
	case *journal.Statement:
		return implyStatement(rows, index, rec.At, b)
	case *journal.Debit:
		return implyDebit(rows, index, rec.At, b)
	case *journal.Notice:
		rows.Notices = append(rows.Notices, store.Notice{Record: index, Outlet: outletName(b.Outlet), FR: b.FR, EN: b.EN, Until: b.Until, At: rec.At})
	case *journal.Retraction:
		rows.Retractions = append(rows.Retractions, store.Retraction{Record: index, Notice: b.Notice})
	}
	return nil
}

func implyStatement(rows *store.Rows, index uint64, at int64, b *journal.Statement) ledger.Entry {
	rows.Statements = append(rows.Statements, store.Statement{
		Record: index, Outlet: b.Outlet.String(), First: b.First, Last: b.Last, Terms: b.Terms[:], Opening: money.Amount(b.Opening),
		Vouchers: b.Vouchers, Received: b.Received, Returned: b.Returned, Closing: money.Amount(b.Closing), Zone: b.Zone, At: at,
	})
	commissions := make(map[string]money.Amount, len(b.Lines))
	for _, l := range b.Lines {
		commissions[l.Game] = money.Amount(l.Commission)
		rows.StatementLines = append(rows.StatementLines, store.StatementLine{
			Record: index, Game: l.Game, Sold: l.Sold, Cancelled: l.Cancelled, Paid: l.Paid, Back: l.Back,
			Commission: money.Amount(l.Commission), CarriedNum: l.Carried[0], CarriedDen: l.Carried[1],
		})
	}
	return ledger.Statement(b.Outlet.String(), commissions)
}

// closeWeek takes the account over a statement.
func (a *outletAccount) closeWeek(st knownStatement) {
	a.weeks = slices.DeleteFunc(a.weeks, func(monday game.Day) bool { return monday <= st.first })
	a.received = slices.DeleteFunc(a.received, func(d dayAmount) bool { return d.day <= st.last })
	a.statements = slices.DeleteFunc(a.statements, func(old knownStatement) bool { return old.first <= st.first-statementsFor })
	a.statements = append(a.statements, st)
}

// next is the Monday of the week that the next statement is for: one with a
// balance at its beginning, or in which something was done.
func (a *outletAccount) next() (monday game.Day, ok bool) {
	if n := len(a.statements); n > 0 && a.statements[n-1].closing != 0 {
		return a.statements[n-1].first + weekDays, true
	}
	if len(a.weeks) == 0 {
		return 0, false
	}
	return a.weeks[0], true
}

// opening is what the outlet owed at the end of what was stated.
func (a *outletAccount) opening() money.Amount {
	if n := len(a.statements); n > 0 {
		return a.statements[n-1].closing
	}
	return 0
}

// weekEnd is the instant at which a week of the outlet is over.
func (a *outletAccount) weekEnd(monday game.Day) int64 {
	return (monday + weekDays).At(0, a.zone).UnixMicro()
}

// statementsMax is how many statements a turn makes.
const statementsMax = 500

// statementTurns is how many turns a tick gives to statements, before it does what else is due.
const statementTurns = 8

// statementsDue lists outlets of which a statement for the same week is due: the
// oldest weeks first, those left out that failed. It tells when the next is due.
func (m *memory) statementsDue(at int64, failed map[journal.Party]bool) (outlets []journal.Party, week game.Day, next int64) {
	for id, a := range m.tallies.outlets {
		monday, ok := a.next()
		if !ok || failed[id] {
			continue
		}
		end := a.weekEnd(monday)
		switch {
		case end > at:
			if next == 0 || end < next {
				next = end
			}
		case len(outlets) == 0 || monday < week:
			outlets, week = append(outlets[:0], id), monday
		case monday == week:
			outlets = append(outlets, id)
		}
	}
	slices.SortFunc(outlets, func(a, b journal.Party) int { return bytes.Compare(a[:], b[:]) })
	return outlets[:min(len(outlets), statementsMax)], week, next
}

// lookEvery is how often the scheduler looks for statements and blocks that are due.
const lookEvery = time.Minute

// tendAccounts makes the tally record, the statements and the blocks that are
// due, and removes payees once a day. It returns when statements are due next, zero when none is in sight. What
// cannot be done for an outlet is told, and done for the others.
func (s *System) tendAccounts(ctx context.Context) (next time.Time, err error) {
	if err := s.tallyUp(ctx, false); err != nil {
		return next, fmt.Errorf("tally: %w", err)
	}
	now := s.Now()
	if now.Before(s.lookAt) {
		return s.statementsAt, nil
	}
	next, errs := s.makeStatements(ctx, now)
	return next, errors.Join(append(errs, s.blockUnpaid(ctx), s.erasePayees(ctx, now))...)
}

// makeStatements makes the statements that are due, as many as a tick may. It
// returns when the next are due: now when there are more.
func (s *System) makeStatements(ctx context.Context, now time.Time) (next time.Time, errs []error) {
	failed := map[journal.Party]bool{}
	for range statementTurns {
		s.mu.RLock()
		outlets, week, due := s.memory.statementsDue(now.UnixMicro(), failed)
		s.mu.RUnlock()
		if len(outlets) == 0 {
			s.statementsAt = time.Time{}
			if due != 0 {
				s.statementsAt = utc(due)
			}
			s.lookAt = earlier(now.Add(lookEvery), s.statementsAt)
			return s.statementsAt, errs
		}
		if err := s.tallyUp(ctx, true); err != nil {
			return next, append(errs, fmt.Errorf("tally: %w", err))
		}
		wrong, err := s.closeWeeks(ctx, outlets, week)
		if err != nil {
			return next, append(errs, fmt.Errorf("statements of %s: %w", week, err))
		}
		for _, w := range wrong {
			failed[w.outlet], errs = true, append(errs, w.err)
		}
	}
	return now, errs
}

// wrongWeek is an outlet whose statement cannot be made, and why.
type wrongWeek struct {
	outlet journal.Party
	err    error
}

// closeWeeks makes the statements of outlets for a week that is over, but for those that it returns.
func (s *System) closeWeeks(ctx context.Context, outlets []journal.Party, week game.Day) (wrong []wrongWeek, err error) {
	err = s.do(ctx, &job{alone: true, decide: func(t *turn) (err error) {
		var due []journal.Party
		for _, id := range outlets { // another node may have been first
			a := t.m.tallies.outlets[id]
			monday, ok := a.next()
			if ok && monday == week && a.weekEnd(monday) <= t.at && !t.m.tallies.counted(id, week+weekDays-1) {
				due = append(due, id)
			}
		}
		if wrong = nil; len(due) > 0 {
			wrong, err = t.closeWeeks(s.ctx, due, week)
		}
		return err
	}})
	return wrong, err
}

// counted tells whether something of an outlet up to a day is not in the table yet.
func (t *tallies) counted(outlet journal.Party, last game.Day) bool {
	for key := range t.since {
		if key.outlet == outlet && key.day <= last {
			return true
		}
	}
	return false
}

// closeWeeks appends the statements of outlets for a week, but for those that it
// returns: their tallies are not what their accounts hold, so somebody must look at them.
func (t *turn) closeWeeks(ctx context.Context, outlets []journal.Party, week game.Day) (wrong []wrongWeek, err error) {
	names := make([]string, len(outlets))
	var before []uint64 // the newest statements
	newest := map[uint64]journal.Party{}
	for i, id := range outlets {
		names[i] = id.String()
		if list := t.m.tallies.outlets[id].statements; len(list) > 0 {
			record := list[len(list)-1].record
			before = append(before, record)
			newest[record] = id
		}
	}
	// Up to the present: what the account holds now must follow from it. No local day is further than the second after it.
	rows, err := t.tx.Tallies(ctx, int32(week), int32(game.DayOf(utc(t.at), time.UTC)+2), names)
	if err != nil {
		return nil, err
	}
	lines, err := t.tx.StatementLines(ctx, before)
	if err != nil {
		return nil, err
	}
	carried := make(map[journal.Party]carry, len(outlets))
	for _, l := range lines {
		id := newest[l.Record]
		if carried[id] == nil {
			carried[id] = carry{}
		}
		carried[id][l.Game] = [2]uint64{l.CarriedNum, l.CarriedDen}
	}
	done := make(map[string][]store.Tally, len(outlets))
	for _, row := range rows {
		done[row.Outlet] = append(done[row.Outlet], row)
	}
	terms := t.m.termsOn(week)
	for i, id := range outlets {
		a := t.m.tallies.outlets[id]
		during, after := sumWeek(done[names[i]], week)
		for key, c := range t.m.tallies.since {
			if key.outlet == id {
				after = after.Add(owed(&c.Tally))
			}
		}
		body := statementBody(id, week, terms, a.opening(), during, carried[id])
		body.Zone = t.m.outlets[names[i]].Zone // by which the week has ended
		// Both ways: what the account holds now is what it held before the week and all that happened since.
		held, follows := t.m.balances[ledger.Outlet(names[i])], money.Amount(body.Closing).Add(body.commission()).Add(after)
		if held != follows {
			err = fmt.Errorf("%w: its account holds %s, from its tallies follows %s", ErrJournal, held, follows)
		} else {
			_, err = t.append(body.Statement)
		}
		if err != nil {
			err = fmt.Errorf("statement of outlet %d for the week of %s: %w", t.m.outlets[names[i]].Number, week, err)
			wrong = append(wrong, wrongWeek{id, err})
		}
	}
	return wrong, nil
}

// owed is what the sums of a tally add to what its outlet owes.
func owed(t *store.Tally) money.Amount {
	return t.Sold.Sub(t.Cancelled).Sub(t.Paid).Sub(t.Back).Add(t.Vouchers).Sub(t.Received).Add(t.Returned)
}

// sumWeek adds up the tallies of an outlet for a week, by game, and what those after it add to what it owes.
func sumWeek(rows []store.Tally, week game.Day) (during map[string]*store.Tally, after money.Amount) {
	during = map[string]*store.Tally{}
	for _, row := range rows {
		if game.Day(row.Day) >= week+weekDays {
			after = after.Add(owed(&row))
			continue
		}
		if during[row.Game] == nil {
			during[row.Game] = &store.Tally{}
		}
		during[row.Game].Add(&row)
	}
	return during, after
}

// carry is what a statement carries below the cent, by game.
type carry map[string][2]uint64

// statedWeek is the record of a statement in the making.
type statedWeek struct{ *journal.Statement }

// commission is that of all games.
func (b statedWeek) commission() (sum money.Amount) {
	for _, l := range b.Lines {
		sum = sum.Add(money.Amount(l.Commission))
	}
	return sum
}

// statementBody is the statement of an outlet for a week: what it owed before,
// what it did, by game and "", and what is carried from the statement before.
func statementBody(outlet journal.Party, week game.Day, terms *party.Terms, opening money.Amount, did map[string]*store.Tally, carried carry) statedWeek {
	b := statedWeek{&journal.Statement{Outlet: outlet, First: int32(week), Last: int32(week + weekDays - 1), Opening: int64(opening)}}
	games := map[string]bool{}
	for code, c := range did {
		games[code] = true
		b.Vouchers, b.Received, b.Returned = b.Vouchers.Add(c.Vouchers), b.Received.Add(c.Received), b.Returned.Add(c.Returned)
	}
	for code, c := range carried {
		games[code] = games[code] || c[0] != 0
	}
	closing := opening.Add(b.Vouchers).Sub(b.Received).Add(b.Returned)
	if terms != nil {
		b.Terms = terms.Hash
	}
	for _, code := range slices.Sorted(maps.Keys(games)) {
		if code == "" || !games[code] {
			continue
		}
		c := did[code]
		if c == nil {
			c = &store.Tally{}
		}
		l := journal.StatementLine{Game: code, Sold: c.Sold, Cancelled: c.Cancelled, Paid: c.Paid, Back: c.Back}
		l.Commission, l.Carried = commissionOf(terms, code, c, carried[code])
		closing = closing.Add(owed(c)).Sub(money.Amount(l.Commission))
		b.Lines = append(b.Lines, l)
	}
	b.Closing = int64(closing)
	return b
}

// commissionOf is what an outlet earned of a game, in whole cents, and what is
// left below the cent: nothing of it is ever lost.
func commissionOf(terms *party.Terms, code string, c *store.Tally, carried [2]uint64) (cents int64, rest [2]uint64) {
	sum := new(big.Rat)
	if carried[1] != 0 {
		sum.SetFrac(new(big.Int).SetUint64(carried[0]), new(big.Int).SetUint64(carried[1]))
	}
	if terms != nil {
		rates := terms.Of(code)
		part := func(rate *big.Rat, amount money.Amount) {
			sum.Add(sum, new(big.Rat).Mul(rate, new(big.Rat).SetInt64(int64(amount))))
		}
		part(rates.Sales, c.Sold.Sub(c.Cancelled))
		part(rates.Payments, c.Paid)
	}
	floor := new(big.Int).Div(sum.Num(), sum.Denom()) // Euclid's: rounds down, since a denominator is above 0
	sum.Sub(sum, new(big.Rat).SetInt(floor))
	assert(floor.IsInt64() && sum.Num().IsUint64() && sum.Denom().IsUint64(), "commission beyond all bounds")
	return floor.Int64(), [2]uint64{sum.Num().Uint64(), sum.Denom().Uint64()}
}

// Statement is the statement of an outlet for a week of its own zone (relevé):
// Opening + sold − cancelled − paid − back of all lines + Vouchers − Received + Returned − Commission = Closing.
type Statement struct {
	Record      uint64       // its index in the journal, which names it
	Outlet      party.Outlet // as it stands, but for its zone: that of when the week ended
	First, Last game.Day     // Monday to Sunday
	MadeAt      time.Time
	Terms       *party.Terms // in force on the first day; nil: none were
	Opening     money.Amount // below 0: the lottery owes the outlet
	Lines       []StatementLine
	Vouchers    money.Amount
	Received    money.Amount // less what was paid to the outlet
	Returned    money.Amount // direct debits that came back after they were paid
	Commission  money.Amount // of all lines
	Closing     money.Amount // below 0: the lottery owes the outlet
	Debit       string       // of its direct debit: "" (none), "sent", "paid", "returned"
	Debited     money.Amount // by it
	DebitOn     game.Day     // the day on which a direct debit is executed; 0 without terms
	BlockOn     game.Day     // the day from which the outlet is blocked unless it has paid; 0 without terms
}

// StatementLine is what a statement says of a game.
type StatementLine struct {
	Game       game.Code
	Sold       money.Amount
	Cancelled  money.Amount
	Paid       money.Amount // prizes
	Back       money.Amount // stakes of cancelled draws given back
	Rates      party.Commission
	Commission money.Amount
	Carried    *big.Rat // of a cent, into the next statement
}

// Statements lists the statements of an outlet, newest first, at most limit. It returns [party.ErrUnknownOutlet].
func (s *System) Statements(ctx context.Context, outlet string, limit int) ([]Statement, error) {
	if _, err := s.Outlet(outlet); err != nil {
		return nil, err
	}
	return s.statements(ctx, func(tx *store.Snapshot) ([]store.Statement, error) { return tx.StatementsOf(ctx, outlet, limit) })
}

// Statement returns a statement by its record, or [ErrNoStatement].
func (s *System) Statement(ctx context.Context, record uint64) (Statement, error) {
	list, err := s.statements(ctx, func(tx *store.Snapshot) ([]store.Statement, error) { return tx.Statements(ctx, []uint64{record}) })
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("%w: %d", ErrNoStatement, record)
	}
	if err != nil {
		return Statement{}, err
	}
	return list[0], nil
}

// Outlet returns an outlet as it stands, or [party.ErrUnknownOutlet].
func (s *System) Outlet(id string) (party.Outlet, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	o, ok := s.memory.outlets[id]
	if !ok {
		return o, fmt.Errorf("%w: %.20q", party.ErrUnknownOutlet, id)
	}
	return o, nil
}

// OutletNumbered returns the outlet of a number as it stands, or [party.ErrUnknownOutlet].
func (s *System) OutletNumbered(number int) (party.Outlet, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	id, ok := s.memory.numbers[number]
	if !ok {
		return party.Outlet{}, fmt.Errorf("%w: number %d", party.ErrUnknownOutlet, number)
	}
	return s.memory.outlets[id], nil
}

// statements reads statements, their lines and their direct debits, in the order of rows.
func (s *System) statements(ctx context.Context, read func(*store.Snapshot) ([]store.Statement, error)) (list []Statement, err error) {
	var rows []store.Statement
	var lines []store.StatementLine
	var steps []store.DebitStep
	err = s.db.View(ctx, func(tx *store.Snapshot) (err error) {
		if rows, err = read(tx); err != nil {
			return err
		}
		records := make([]uint64, len(rows))
		for i, row := range rows {
			records[i] = row.Record
		}
		var stepsErr error
		lines, err = tx.StatementLines(ctx, records)
		steps, stepsErr = tx.DebitSteps(ctx, records)
		return errors.Join(err, stepsErr)
	})
	if err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, row := range rows {
		st := s.memory.statement(row)
		for _, l := range lines {
			if l.Record == row.Record {
				st.add(l)
			}
		}
		for _, step := range steps { // in the order taken
			if step.Statement == row.Record {
				st.Debit, st.Debited = step.State, step.Amount
			}
		}
		list = append(list, st)
	}
	return list, nil
}

// statement is a statement without its lines.
func (m *memory) statement(row store.Statement) Statement {
	st := Statement{
		Record: row.Record, Outlet: m.outlets[row.Outlet], First: game.Day(row.First), Last: game.Day(row.Last), MadeAt: utc(row.At),
		Opening: row.Opening, Vouchers: row.Vouchers, Received: row.Received, Returned: row.Returned, Closing: row.Closing,
	}
	st.Outlet.Zone = row.Zone
	if st.Terms = m.termsOf(row.Terms); st.Terms != nil {
		st.DebitOn, st.BlockOn = st.Last+game.Day(st.Terms.DebitDays), st.Last+game.Day(st.Terms.BlockDays)
	}
	return st
}

func (st *Statement) add(l store.StatementLine) {
	line := StatementLine{
		Game: game.Code(l.Game), Sold: l.Sold, Cancelled: l.Cancelled, Paid: l.Paid, Back: l.Back, Commission: l.Commission,
		Carried: new(big.Rat).SetFrac(new(big.Int).SetUint64(l.CarriedNum), new(big.Int).SetUint64(l.CarriedDen)),
	}
	if st.Terms != nil {
		line.Rates = st.Terms.Of(l.Game)
	}
	st.Lines = append(st.Lines, line)
	st.Commission = st.Commission.Add(l.Commission)
}

// CSV writes the statement as RFC 4180 has it: a line an amount, in euros,
// positive where the outlet owes more by it. All but the last, "closing", add up
// to it. A specimen is one of training, and says so.
func (st Statement) CSV(specimen bool) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	row := func(cells ...string) {
		err := w.Write(cells)
		assert(err == nil, "nothing fails in memory")
	}
	write := func(item string, code game.Code, amount money.Amount) {
		row(strconv.Itoa(st.Outlet.Number), st.First.String(), st.Last.String(), item, string(code), amount.String(), st.Outlet.Zone, strconv.FormatUint(st.Record, 10))
	}
	row("outlet", "first_day", "last_day", "item", "game", "amount", "zone", "record")
	if specimen {
		write("SPECIMEN", "", 0)
	}
	write("opening", "", st.Opening)
	for _, l := range slices.SortedFunc(slices.Values(st.Lines), func(a, b StatementLine) int { return cmp.Compare(a.Game, b.Game) }) {
		write("sold", l.Game, l.Sold)
		write("cancelled", l.Game, -l.Cancelled)
		write("prizes", l.Game, -l.Paid)
		write("stakes given back", l.Game, -l.Back)
		write("commission", l.Game, -l.Commission)
	}
	write("vouchers", "", st.Vouchers)
	if st.Received < 0 {
		write("given", "", -st.Received)
	} else {
		write("received", "", -st.Received)
	}
	write("returned debits", "", st.Returned)
	write("closing", "", st.Closing)
	w.Flush()
	return b.Bytes()
}
