package central

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"tirage/draw"
	"tirage/game"
	"tirage/journal"
	"tirage/money"
	"tirage/party"
	"tirage/store"
)

// tallies is what outlets did, for their accounts. The sums of what lies behind
// the last tally record are in the table of tallies; what happened since is
// counted here, so that a sale writes nothing more. Whoever reads both at the
// same tally record counts everything once.
type tallies struct {
	last    uint64 // the last tally record; 0: none yet
	since   map[tallyKey]*tally
	firstAt int64 // µs UTC: of what was counted first since
	outlets map[journal.Party]*outletAccount
	// minutes is what was sold in the minute of the last sale, of those in which no tally record came later: a tally does not end a minute.
	minutes map[minuteKey]minuteSales
}

type minuteKey struct {
	outlet, terminal journal.Party
	game             game.Code
}

type minuteSales struct {
	minute int64 // of the clock, since 1970
	sold   money.Amount
}

type tallyKey struct {
	day              game.Day // of the outlet
	outlet, terminal journal.Party
	game             game.Code
}

// tally is what a terminal did in a game on a day. Of its row only the sums are set.
type tally struct {
	store.Tally
}

func newTallies() tallies {
	return tallies{since: map[tallyKey]*tally{}, outlets: map[journal.Party]*outletAccount{}, minutes: map[minuteKey]minuteSales{}}
}

// outletAccount is what the memory knows of an outlet's account.
type outletAccount struct {
	blocked     bool
	unblockedAt int64 // µs UTC: when an officer let the outlet sell again last; 0: never
	zone        *time.Location

	day         game.Day // the local day from one instant to another; zero: not known
	from, until int64    // µs UTC

	// weeks are the Mondays of the weeks that the outlet did something in and
	// that no statement covers, ascending; received is the money received in them, by day.
	weeks    []game.Day
	received []dayAmount
	// statements are the newest, and those of the weeks before it that may still block the outlet; ascending.
	statements []knownStatement
	underWay   money.Amount // in direct debits that were sent
}

// knownStatement is what the memory knows of a statement.
type knownStatement struct {
	record            uint64
	first, last       game.Day
	closing, received money.Amount
	// By the terms that it names, whatever terms came after it; 0 without any.
	collectOn, blockOn game.Day
	blockMin           money.Amount
	sent               bool // into a file of direct debits
}

// knownStatement is what the memory knows of a statement, of its row or record.
func (m *memory) knownStatement(record uint64, first, last int32, closing, received money.Amount, terms []byte) knownStatement {
	st := knownStatement{record: record, first: game.Day(first), last: game.Day(last), closing: closing, received: received}
	if t := m.termsOf(terms); t != nil {
		st.collectOn, st.blockOn, st.blockMin = st.last+game.Day(t.DebitDays), st.last+game.Day(t.BlockDays), t.BlockMin
	}
	return st
}

// account is that of an outlet, made when it is first asked for.
func (t *tallies) account(outlet journal.Party) *outletAccount {
	a := t.outlets[outlet]
	if a == nil {
		a = &outletAccount{zone: time.UTC} // until its own is known
		t.outlets[outlet] = a
	}
	return a
}

// stated is the last day that a statement covers, or a day before all others.
func (a *outletAccount) stated() game.Day {
	if n := len(a.statements); n > 0 {
		return a.statements[n-1].last
	}
	return -1 << 31
}

// mondayOf is the Monday of a day's week.
func mondayOf(day game.Day) game.Day { return day - game.Day((day.Weekday()+6)%7) }

// weekDays is how many days a statement covers.
const weekDays = 7

// mustZone is a zone that an outlet has.
func (m *memory) mustZone(name string) *time.Location {
	zone, err := m.zone(party.Outlet{Zone: name})
	assert(err == nil, "zone of an outlet is not known")
	return zone
}

// active notes that the outlet did something on a day that no statement covers.
func (a *outletAccount) active(day game.Day) {
	if n := len(a.weeks); n > 0 && day >= a.weeks[n-1] && day < a.weeks[n-1]+weekDays {
		return
	}
	monday := mondayOf(day)
	if i, ok := slices.BinarySearch(a.weeks, monday); !ok {
		a.weeks = slices.Insert(a.weeks, i, monday)
	}
}

// receive notes money received from the outlet on a day that no statement covers.
func (a *outletAccount) receive(day game.Day, amount money.Amount) {
	i, ok := slices.BinarySearchFunc(a.received, day, func(d dayAmount, day game.Day) int { return cmp.Compare(d.day, day) })
	if !ok {
		a.received = slices.Insert(a.received, i, dayAmount{day: day})
	}
	a.received[i].amount = a.received[i].amount.Add(amount)
}

// localDay is the day of an outlet at an instant of its record. What a statement
// covers is over, also for an outlet that moves to a zone where it is still that day.
func (a *outletAccount) localDay(at int64) game.Day {
	if at < a.from || at >= a.until {
		a.day = game.DayOf(utc(at), a.zone)
		a.from, a.until = at, (a.day+1).At(0, a.zone).UnixMicro()
	}
	return max(a.day, a.stated()+1)
}

// counts are the sums that a record at an instant adds to, of an outlet, terminal and game.
func (m *memory) counts(at int64, outlet, terminal journal.Party, code game.Code) *tally {
	a := m.tallies.account(outlet)
	day := a.localDay(at)
	a.active(day)
	key := tallyKey{day, outlet, terminal, code}
	c := m.tallies.since[key]
	if c == nil {
		c = &tally{}
		if len(m.tallies.since) == 0 {
			m.tallies.firstAt = at
		}
		m.tallies.since[key] = c
	}
	return c
}

// foldTally takes the tallies over a record.
func (m *memory) foldTally(index uint64, rec journal.Record) {
	switch b := rec.Body.(type) {
	case *journal.Sale:
		c := m.counts(rec.At, b.Outlet, b.Terminal, m.books[b.Rules].Code)
		c.Sold, c.SoldN = c.Sold.Add(b.Price), c.SoldN+1
		c.Pace = max(c.Pace, m.tallies.paced(rec.At, b.Price, minuteKey{b.Outlet, b.Terminal, m.books[b.Rules].Code}))
	case *journal.Cancellation:
		c := m.counts(rec.At, b.Outlet, b.Terminal, m.books[b.Rules].Code)
		c.Cancelled, c.CancelledN = c.Cancelled.Add(b.Price), c.CancelledN+1
	case *journal.Payment:
		m.foldPayment(rec.At, b)
	case *journal.Voucher:
		c := m.counts(rec.At, b.Outlet, b.Terminal, "")
		c.Vouchers, c.VouchersN = c.Vouchers.Add(b.Amount), c.VouchersN+1
	case *journal.Received:
		m.received(rec.At, b.Outlet, b.Amount)
	case *journal.Debit:
		m.foldDebit(rec.At, b)
	case *journal.Outlet:
		a := m.tallies.account(b.ID)
		if a.blocked && !b.Blocked {
			a.unblockedAt = rec.At
		}
		a.blocked, a.zone = b.Blocked, m.mustZone(b.Zone)
		a.from, a.until = 0, 0 // it may have moved
	case *journal.Tally:
		m.tallies.last, m.tallies.since, m.tallies.firstAt = index, map[tallyKey]*tally{}, 0
		maps.DeleteFunc(m.tallies.minutes, func(_ minuteKey, s minuteSales) bool { return s.minute != rec.At/time.Minute.Microseconds() })
	case *journal.Statement:
		m.tallies.account(b.Outlet).closeWeek(m.knownStatement(index, b.First, b.Last, money.Amount(b.Closing), b.Received.Sub(b.Returned), b.Terms[:]))
	}
}

// paced counts a sale into its minute of the clock, and tells what was sold in it so far.
func (t *tallies) paced(at int64, price money.Amount, key minuteKey) money.Amount {
	m := t.minutes[key]
	if minute := at / time.Minute.Microseconds(); minute != m.minute {
		m = minuteSales{minute: minute}
	}
	m.sold = m.sold.Add(price)
	t.minutes[key] = m
	return m.sold
}

func (m *memory) foldPayment(at int64, b *journal.Payment) {
	last, ok := m.claims.draws[draw.ID(b.LastDraw)]
	assert(ok, "a payment where nothing was to be claimed")
	m.countPayment(at, b, last.last.Game)
}

func (m *memory) countPayment(at int64, b *journal.Payment, code game.Code) {
	c := m.counts(at, b.Outlet, b.Terminal, code)
	add := func(sum *money.Amount, n *int64, lines []journal.PaymentDraw) {
		for _, l := range lines {
			*sum = sum.Add(l.Amount)
		}
		if len(lines) > 0 {
			*n++
		}
	}
	add(&c.Paid, &c.PaidN, b.Draws)
	add(&c.Back, &c.BackN, b.Back)
	if b.Own {
		add(&c.Own, &c.OwnN, b.Draws)
	}
}

// received counts money received from an outlet, less than nothing when it is paid.
func (m *memory) received(at int64, outlet journal.Party, amount money.Amount) {
	c := m.counts(at, outlet, journal.Party{}, "")
	c.Received = c.Received.Add(amount)
	a := m.tallies.account(outlet)
	a.receive(a.localDay(at), amount)
}

// returned counts a direct debit that came back after it was paid.
func (m *memory) returned(at int64, outlet journal.Party, amount money.Amount) {
	c := m.counts(at, outlet, journal.Party{}, "")
	c.Returned = c.Returned.Add(amount)
	a := m.tallies.account(outlet)
	a.receive(a.localDay(at), -amount)
}

// rows are the sums since the last tally record, in order.
func (t *tallies) rows() []store.Tally {
	rows := make([]store.Tally, 0, len(t.since))
	for key, c := range t.since {
		rows = append(rows, key.row(c))
	}
	slices.SortFunc(rows, store.CompareTallies)
	return rows
}

func (k tallyKey) row(c *tally) store.Tally {
	row := c.Tally
	row.Day, row.Outlet, row.Game = int32(k.day), k.outlet.String(), string(k.game)
	if (k.terminal != journal.Party{}) {
		row.Terminal = k.terminal.String()
	}
	return row
}

// tallyBody is the record of what was counted since the last one.
func (t *tallies) tallyBody() *journal.Tally {
	var sum store.Tally
	for _, c := range t.since {
		sum.Add(&c.Tally)
	}
	return &journal.Tally{
		Sold: sum.Sold, Cancelled: sum.Cancelled, Paid: sum.Paid, Back: sum.Back, Vouchers: sum.Vouchers, Received: sum.Received, Returned: sum.Returned,
	}
}

// tallyMax is how many sums are counted in memory before a tally record puts
// them into the table, so that its turn stays short.
const tallyMax = 5000

// due tells whether a tally record is due at an instant: in another minute
// of the clock than what was counted first, or when many sums are counted.
func (t *tallies) due(at int64) bool {
	minute := time.Minute.Microseconds()
	return len(t.since) >= tallyMax || len(t.since) > 0 && at/minute != t.firstAt/minute
}

// tallyUp appends a tally record when it is due, or now when there is anything to count.
func (s *System) tallyUp(ctx context.Context, now bool) error {
	s.mu.RLock()
	due := now && len(s.memory.tallies.since) > 0 || s.memory.tallies.due(max(s.clock.Now().UnixMicro(), s.memory.at))
	s.mu.RUnlock()
	if !due {
		return nil
	}
	return s.do(ctx, &job{alone: true, decide: func(t *turn) error {
		if !now && !t.m.tallies.due(t.at) {
			return nil // another node was first
		}
		return t.tallyRecord()
	}})
}

// tallyRecord appends a tally record, the first of its turn, when there is anything to count.
func (t *turn) tallyRecord() error {
	assert(len(t.records) == 0 && t.before == nil, "a tally is of what is in the memory")
	if len(t.m.tallies.since) == 0 {
		return nil
	}
	_, err := t.append(t.m.tallies.tallyBody())
	return err
}

// tallyTries bounds how often a snapshot and the memory are read until both
// stand at the same tally record: one comes each minute.
const tallyTries = 20

// readTallies reads what is in the table by read, and what was counted since by
// those of its rows that count asks for: both at the same tally record.
func (s *System) readTallies(ctx context.Context, read func(*store.Snapshot) ([]store.Tally, error), count func(tallyKey) bool) (sums []store.Tally, err error) {
	if err := s.catchSight(ctx); err != nil {
		return nil, err
	}
	for range tallyTries {
		var ahead, behind bool
		err := s.db.View(ctx, func(tx *store.Snapshot) error {
			last, err := tx.LastTally(ctx)
			if err != nil {
				return err
			}
			rows, err := read(tx)
			if err != nil {
				return err
			}
			s.mu.RLock()
			defer s.mu.RUnlock()
			m := s.memory
			ahead, behind = last > m.tallies.last, last < m.tallies.last
			for key, c := range m.tallies.since {
				if count(key) {
					rows = append(rows, key.row(c))
				}
			}
			sums = store.SumTallies(rows)
			return nil
		})
		switch {
		case err != nil:
			return nil, err
		case ahead: // the tally is committed, and on its way into the memory
			err = s.do(ctx, &job{follow: true})
		case !behind:
			return sums, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%w: the tallies in memory are not those of the table", ErrJournal)
}

// catchSight follows the turns of other nodes when there are any that the memory does not know.
func (s *System) catchSight(ctx context.Context) error {
	if s.db.Engine() == "sqlite" {
		return nil // one process, so one writer
	}
	var head store.Head
	err := s.db.View(ctx, func(tx *store.Snapshot) (err error) {
		head, err = tx.Head(ctx)
		return err
	})
	if err != nil {
		return err
	}
	s.mu.RLock()
	known := s.memory.size
	s.mu.RUnlock()
	if head.Size <= known {
		return nil
	}
	return s.follow(ctx)
}

// outletTallies reads the tallies of an outlet on the days from one to another, inclusive.
func (s *System) outletTallies(ctx context.Context, outlet journal.Party, from, to game.Day) ([]store.Tally, error) {
	return s.readTallies(ctx, func(tx *store.Snapshot) ([]store.Tally, error) {
		return tx.Tallies(ctx, int32(from), int32(to), []string{outlet.String()})
	}, func(k tallyKey) bool { return k.outlet == outlet && k.day >= from && k.day <= to })
}

// statementsFor is how many days of statements before the newest the memory
// knows: more than the terms may let pass until an outlet is blocked (party.TermDaysMax).
const statementsFor = 70

// loadTallies reads the accounts of outlets; what was counted since the last
// tally record is replayed with the sales.
func (m *memory) loadTallies(ctx context.Context, tx *store.Snapshot) error {
	t := &m.tallies
	outlets, err := tx.Outlets(ctx)
	if err != nil {
		return err
	}
	for _, o := range outlets {
		a := t.account(mustParty(o.ID))
		a.blocked, a.zone = o.Blocked, m.mustZone(o.Zone)
	}
	unblocked, err := tx.OutletsUnblocked(ctx)
	if err != nil {
		return err
	}
	for outlet, at := range unblocked {
		t.account(mustParty(outlet)).unblockedAt = at
	}
	statements, err := tx.LastStatements(ctx, statementsFor)
	if err != nil {
		return err
	}
	newest := game.Day(-1 << 31)
	records := make([]uint64, len(statements))
	for i, st := range statements {
		a := t.account(mustParty(st.Outlet))
		a.statements = append(a.statements, m.knownStatement(st.Record, st.First, st.Last, st.Closing, st.Received.Sub(st.Returned), st.Terms))
		newest, records[i] = max(newest, game.Day(st.First)), st.Record
	}
	if err := m.loadDebits(ctx, tx, records); err != nil {
		return err
	}
	// Statements are made in the order of weeks, so what none covers is not much older than the newest.
	days, err := tx.TallyDays(ctx, int32(max(newest, -1<<30)-2*weekDays))
	if err != nil {
		return err
	}
	for _, d := range days {
		a := t.account(mustParty(d.Outlet))
		day := game.Day(d.Day)
		if day <= a.stated() {
			continue
		}
		a.active(day)
		a.receive(day, d.Received)
	}
	t.last, err = tx.LastTally(ctx)
	return err
}

// lastMinute is the first record of the minute of the last tally record, from which sales of that minute are counted.
func (m *memory) lastMinute(ctx context.Context, tx *store.Snapshot) (uint64, error) {
	if m.tallies.last == 0 {
		return m.size, nil
	}
	_, at, err := tx.Record(ctx, m.tallies.last)
	if err != nil {
		return 0, err
	}
	return tx.RecordAt(ctx, at-at%time.Minute.Microseconds())
}

// replayTally takes the tallies over a record since the last tally record, when
// a memory is loaded. All else of it is in the tables.
func (m *memory) replayTally(ctx context.Context, tx *store.Snapshot, rec journal.Record) error {
	switch b := rec.Body.(type) {
	case *journal.Sale, *journal.Cancellation, *journal.Voucher:
		m.foldTally(0, rec)
	case *journal.Received:
		m.received(rec.At, b.Outlet, b.Amount)
	case *journal.Debit:
		m.countDebit(rec.At, b)
	case *journal.Payment:
		rows, err := tx.Draws(ctx, []int64{int64(b.LastDraw)})
		if err != nil || len(rows) != 1 {
			return fmt.Errorf("%w: draw %d of a payment: %w", ErrJournal, b.LastDraw, err)
		}
		m.countPayment(rec.At, b, game.Code(rows[0].Game))
	}
	return nil
}

// compareTallies compares the accounts of outlets in memory with the fold of the journal.
func (m *memory) compareTallies(fold *memory) error {
	a, b := &m.tallies, &fold.tallies
	if a.last != b.last || a.firstAt != b.firstAt || !slices.Equal(a.rows(), b.rows()) {
		return fmt.Errorf("%w: tallies in memory differ: %+v, journal says %+v", ErrJournal, a.rows(), b.rows())
	}
	same := func(x, y *outletAccount) bool {
		nothing := func(d dayAmount) bool { return d.amount == 0 }
		return x.blocked == y.blocked && x.unblockedAt == y.unblockedAt && slices.Equal(x.weeks, y.weeks) && slices.Equal(x.statements, y.statements) && x.underWay == y.underWay &&
			slices.Equal(slices.DeleteFunc(slices.Clone(x.received), nothing), slices.DeleteFunc(slices.Clone(y.received), nothing))
	}
	if !maps.Equal(a.minutes, b.minutes) {
		return fmt.Errorf("%w: sales of the minute in memory are %+v, journal says %+v", ErrJournal, a.minutes, b.minutes)
	}
	if !maps.EqualFunc(a.outlets, b.outlets, same) {
		for id, x := range a.outlets {
			if y := b.outlets[id]; y == nil || !same(x, y) {
				return fmt.Errorf("%w: the account of outlet %s in memory differs: %+v, journal says %+v", ErrJournal, id, x, y)
			}
		}
		return fmt.Errorf("%w: %d accounts of outlets in memory, journal says %d", ErrJournal, len(a.outlets), len(b.outlets))
	}
	return nil
}
