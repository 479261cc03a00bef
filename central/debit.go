package central

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

var (
	// ErrDebit is a statement that cannot be debited, or whose direct debit is not in a state for this.
	ErrDebit = errors.New("the direct debit is not in a state for this")
	// ErrNoMandate is a direct debit from an outlet that has signed no mandate.
	ErrNoMandate = errors.New("the outlet has signed no mandate for direct debits")
	// ErrCreditor is a file of direct debits without a creditor: see [Options.Creditor].
	ErrCreditor = errors.New("no creditor of direct debits is set")
)

func implyDebit(rows *store.Rows, index uint64, at int64, b *journal.Debit) ledger.Entry {
	amounts := map[string]money.Amount{}
	for _, l := range b.Lines {
		amounts[l.Outlet.String()] = amounts[l.Outlet.String()].Add(l.Amount)
		rows.DebitSteps = append(rows.DebitSteps, store.DebitStep{
			Statement: l.Statement, State: b.State, Amount: l.Amount, Undone: b.Undone, At: at, Record: index,
		})
	}
	switch {
	case b.State == journal.DebitPaid:
		return ledger.Debited(amounts)
	case b.Undone:
		return ledger.DebitsUndone(amounts)
	}
	return nil // no money has moved
}

// foldDebit takes the accounts over a step of direct debits.
func (m *memory) foldDebit(at int64, b *journal.Debit) {
	m.countDebit(at, b)
	for _, l := range b.Lines {
		a := m.tallies.account(l.Outlet)
		switch {
		case b.State == journal.DebitSent:
			a.underWay = a.underWay.Add(l.Amount)
			if st := a.statement(l.Statement); st != nil {
				st.sent = true
			}
		case !b.Undone:
			a.underWay = a.underWay.Sub(l.Amount)
		}
	}
}

// countDebit counts the money that direct debits moved.
func (m *memory) countDebit(at int64, b *journal.Debit) {
	for _, l := range b.Lines {
		switch {
		case b.State == journal.DebitPaid:
			m.received(at, l.Outlet, l.Amount)
		case b.Undone:
			m.returned(at, l.Outlet, l.Amount)
		}
	}
}

// statement is one that the memory knows, or nil.
func (a *outletAccount) statement(record uint64) *knownStatement {
	i := slices.IndexFunc(a.statements, func(st knownStatement) bool { return st.record == record })
	if i < 0 {
		return nil
	}
	return &a.statements[i]
}

// loadDebits reads which of the statements were sent to the bank, and what is under way.
func (m *memory) loadDebits(ctx context.Context, tx *store.Snapshot, statements []uint64) error {
	steps, err := tx.DebitSteps(ctx, statements)
	if err != nil {
		return err
	}
	sent := make(map[uint64]bool, len(steps))
	for _, st := range steps {
		sent[st.Statement] = true
	}
	for _, a := range m.tallies.outlets {
		for i := range a.statements {
			a.statements[i].sent = sent[a.statements[i].record]
		}
	}
	underWay, err := tx.DebitsUnderWay(ctx)
	for outlet, amount := range underWay {
		m.tallies.account(mustParty(outlet)).underWay = amount
	}
	return err
}

// left is what is not paid of a statement: its closing less what was received
// since, at most what it closed with and what the outlet owes, less what direct debits are to bring.
func (a *outletAccount) left(st *knownStatement, owes money.Amount) money.Amount {
	return max(0, min(a.unpaid(st), st.closing, owes).Sub(a.underWay))
}

// unpaid is the closing of a statement less what was received since: more
// than its closing when a direct debit came back that had been paid before.
func (a *outletAccount) unpaid(st *knownStatement) money.Amount {
	unpaid := st.closing
	for _, later := range a.statements {
		if later.first > st.first {
			unpaid = unpaid.Sub(later.received)
		}
	}
	for _, d := range a.received {
		unpaid = unpaid.Sub(d.amount)
	}
	return unpaid
}

// blockUnpaid blocks the outlets that have not paid a statement in time. An
// outlet that was let sell again since is not blocked for it: an officer has decided so.
func (s *System) blockUnpaid(ctx context.Context) error {
	s.mu.RLock()
	overdue := s.memory.overdue(max(s.clock.Now().UnixMicro(), s.memory.at))
	s.mu.RUnlock()
	for some := range slices.Chunk(overdue, statementsMax) {
		err := s.do(ctx, &job{alone: true, decide: func(t *turn) error {
			for _, id := range t.m.overdue(t.at) { // as it stands now
				if slices.Contains(some, id) {
					if err := t.block(id); err != nil {
						return err
					}
				}
			}
			return nil
		}})
		if err != nil {
			return fmt.Errorf("block outlets: %w", err)
		}
	}
	return nil
}

// overdue lists the outlets to block, in order.
func (m *memory) overdue(at int64) (list []journal.Party) {
	for id, a := range m.tallies.outlets {
		if len(a.statements) == 0 {
			continue
		}
		name := id.String()
		if m.outlets[name].Blocked {
			continue
		}
		owes := m.balances[ledger.Outlet(name)]
		for i := range a.statements {
			st := &a.statements[i]
			if st.blockOn == 0 {
				continue
			}
			due := st.blockOn.At(0, a.zone).UnixMicro()
			if due <= at && due > a.unblockedAt && a.left(st, owes) >= st.blockMin {
				list = append(list, id)
				break
			}
		}
	}
	slices.SortFunc(list, func(a, b journal.Party) int { return bytes.Compare(a[:], b[:]) })
	return list
}

// block appends the record that blocks an outlet for what it has not paid.
func (t *turn) block(id journal.Party) error {
	o := t.m.outlets[id.String()]
	if o.Blocked {
		return nil
	}
	_, err := t.append(&journal.Outlet{
		ID: id, Number: uint64(o.Number), Territory: o.Territory, Zone: o.Zone, CreditLimit: o.CreditLimit, Blocked: true, Centre: o.Centre, Cause: party.Unpaid,
	})
	return err
}

// SetMandate is a mandate that an outlet has signed.
type SetMandate struct {
	Key     string
	Officer string
	Outlet  string
	Mandate party.Mandate // the IBAN as typed
}

// storedMandate is a mandate as it is sealed.
type storedMandate struct {
	party.Mandate
	Used bool // something was debited by it
}

const mandatePurpose = "mandate"

// SetMandate keeps the mandate of an outlet, sealed, in place of the one that it
// had: the journal has the act, and nothing of what it says. Refusals:
// [party.ErrIBAN], [party.ErrMandate], [party.ErrUnknownOutlet], [ErrNotAllowed], [ErrIssued], [ErrKey], [ErrKeyReused].
func (s *System) SetMandate(ctx context.Context, c SetMandate) error {
	iban, err := party.ParseIBAN(string(c.Mandate.IBAN))
	if err != nil {
		return err
	}
	m := storedMandate{Mandate: c.Mandate}
	m.IBAN = iban
	if err := m.Check(int32(game.DayOf(s.clock.Now(), paris))); err != nil {
		return err
	}
	plain, err := json.Marshal(m)
	assert(err == nil, "a mandate is plain data")
	mark := s.keys.mac(s.keys.Sealing, []byte("mandate"), plain)
	hash := content("mandate", []any{c.Outlet, mark[:]})
	_, _, err = s.officerCommand(ctx, c.Officer, c.Key, hash, func(t *turn, command journal.Command, by journal.Party) (uint64, error) {
		if _, ok := t.m.outlets[c.Outlet]; !ok {
			return 0, party.ErrUnknownOutlet
		}
		if err := s.keepMandate(t, c.Outlet, m); err != nil {
			return 0, err
		}
		return t.append(&journal.Act{Command: command, By: by, Act: "set-mandate", Subject: "outlet " + c.Outlet})
	})
	return err
}

// keepMandate keeps the mandate of an outlet. One that the outlet has already is not new to its bank.
func (s *System) keepMandate(t *turn, outlet string, m storedMandate) error {
	before, err := s.mandates(s.ctx, t.tx, []string{outlet})
	if err != nil {
		return err
	}
	m.Used = m.Used || before[outlet].Used && before[outlet].ID == m.ID
	plain, err := json.Marshal(m)
	assert(err == nil, "a mandate is plain data")
	return t.tx.SetMandate(s.ctx, store.Mandate{Outlet: outlet, Sealed: s.keys.seal(mandatePurpose, outlet, plain)})
}

// Mandate returns the mandate of an outlet, or [ErrNoMandate].
func (s *System) Mandate(ctx context.Context, outlet string) (party.Mandate, error) {
	var m party.Mandate
	err := s.db.View(ctx, func(tx *store.Snapshot) error {
		list, err := s.mandates(ctx, tx, []string{outlet})
		if err != nil {
			return err
		}
		stored, ok := list[outlet]
		if !ok {
			return ErrNoMandate
		}
		m = stored.Mandate
		return nil
	})
	return m, err
}

// mandateReader is the mandates, as a turn or a snapshot sees them.
type mandateReader interface {
	Mandates(ctx context.Context, outlets []string) ([]store.Mandate, error)
}

// mandates opens the mandates of outlets.
func (s *System) mandates(ctx context.Context, tx mandateReader, outlets []string) (map[string]storedMandate, error) {
	rows, err := tx.Mandates(ctx, outlets)
	if err != nil {
		return nil, err
	}
	list := make(map[string]storedMandate, len(rows))
	for _, row := range rows {
		plain, err := s.keys.unseal(mandatePurpose, row.Outlet, row.Sealed)
		if err != nil {
			return nil, err
		}
		var m storedMandate
		if err := json.Unmarshal(plain, &m); err != nil {
			return nil, fmt.Errorf("mandate of outlet %s: %w", row.Outlet, err)
		}
		list[row.Outlet] = m
	}
	return list, nil
}

// DebitDue is a statement that can be debited.
type DebitDue struct {
	Statement uint64
	Outlet    party.Outlet
	First     game.Day
	Last      game.Day
	Amount    money.Amount
	Mandate   bool // the outlet has signed one
}

// DebitsDue lists the statements that can be put into a file of direct debits:
// of each outlet the newest, which has what it did not pay before too. Those of
// outlets that have signed a mandate stand first; then by number of the outlet.
func (s *System) DebitsDue(ctx context.Context) ([]DebitDue, error) {
	var list []DebitDue
	s.mu.RLock()
	for id, a := range s.memory.tallies.outlets {
		n := len(a.statements)
		if n == 0 || a.statements[n-1].sent {
			continue
		}
		st, name := &a.statements[n-1], id.String()
		if amount := a.left(st, s.memory.balances[ledger.Outlet(name)]); amount > 0 {
			list = append(list, DebitDue{Statement: st.record, Outlet: s.memory.outlets[name], First: st.first, Last: st.last, Amount: amount})
		}
	}
	s.mu.RUnlock()
	slices.SortFunc(list, func(a, b DebitDue) int { return a.Outlet.Number - b.Outlet.Number })
	names, lines := make([]string, len(list)), make(map[string]int, len(list))
	for i, d := range list {
		names[i], lines[d.Outlet.ID] = d.Outlet.ID, i
	}
	err := s.db.View(ctx, func(tx *store.Snapshot) error {
		rows, err := tx.Mandates(ctx, names)
		for _, row := range rows {
			list[lines[row.Outlet]].Mandate = true
		}
		return err
	})
	slices.SortStableFunc(list, func(a, b DebitDue) int {
		switch {
		case a.Mandate == b.Mandate:
			return 0
		case a.Mandate:
			return -1
		}
		return 1
	})
	return list, err
}

// debitFile is what a file of direct debits was made of, sealed with it: a
// mandate or creditor that changes later changes no file.
type debitFile struct {
	CollectOn game.Day
	Creditor  party.Creditor
	Mandates  []storedMandate // by line
}

const debitFilePurpose = "debits"

// SendDebits puts statements into a file of direct debits (ISO 20022 pain.008),
// which the same key gives again: of each what is not paid of it. It is executed
// on the day that the latest of them says, and not before tomorrow. Where demo
// deposits were made, only the specimen is paid: a bank never gets such a file (F21).
// Refusals: [ErrDebit], [ErrNoMandate], [ErrCreditor], [ErrDemo], [ErrNotAllowed], [ErrIssued], [ErrKey], [ErrKeyReused].
func (s *System) SendDebits(ctx context.Context, key, officer string, statements []uint64) (file []byte, record uint64, err error) {
	switch {
	case s.creditor == (party.Creditor{}):
		return nil, 0, ErrCreditor
	case s.creditor != specimenCreditor && s.demoMoney() != 0:
		return nil, 0, ErrDemo
	}
	hash := content("send-debits", statements)
	record, _, err = s.officerCommand(ctx, officer, key, hash, func(t *turn, command journal.Command, by journal.Party) (uint64, error) {
		return s.sendDebits(t, command, by, statements)
	})
	if err != nil {
		return nil, 0, err
	}
	file, err = s.DebitFile(ctx, record)
	return file, record, err
}

func (s *System) sendDebits(t *turn, command journal.Command, by journal.Party, statements []uint64) (uint64, error) {
	body := &journal.Debit{Command: command, By: by, State: journal.DebitSent}
	rows, err := t.statements(s.ctx, statements)
	if err != nil {
		return 0, err
	}
	names := make([]string, len(rows))
	made := debitFile{CollectOn: game.DayOf(utc(t.at), paris) + 1, Creditor: s.creditor}
	for i, row := range rows {
		id := mustParty(row.Outlet)
		a := t.m.tallies.outlets[id]
		st := a.statement(row.Record)
		if st == nil || st.sent || slices.Contains(names[:i], row.Outlet) {
			return 0, fmt.Errorf("%w: that of the week of %s was sent before, or is too old, or is one of two of an outlet", ErrDebit, game.Day(row.First))
		}
		amount := a.left(st, t.balance(ledger.Outlet(row.Outlet)))
		if amount <= 0 {
			return 0, fmt.Errorf("%w: nothing is left to pay of the week of %s", ErrDebit, game.Day(row.First))
		}
		names[i] = row.Outlet
		body.Lines = append(body.Lines, journal.DebitLine{Statement: row.Record, Outlet: id, Amount: amount})
		made.CollectOn = max(made.CollectOn, st.collectOn)
	}
	mandates, err := s.mandates(s.ctx, t.tx, names)
	if err != nil {
		return 0, err
	}
	for i, row := range rows {
		m, ok := mandates[row.Outlet]
		if !ok {
			return 0, fmt.Errorf("%w: outlet %d", ErrNoMandate, t.m.outlets[row.Outlet].Number)
		}
		made.Mandates = append(made.Mandates, m)
		if m.Used {
			continue
		}
		m.Used = true
		if err := s.keepMandate(t, names[i], m); err != nil {
			return 0, err
		}
	}
	index, err := t.append(body)
	if err != nil {
		return 0, err
	}
	plain, err := json.Marshal(made)
	assert(err == nil, "mandates are plain data")
	return index, t.tx.AddDebitFile(s.ctx, store.DebitFile{Record: index, Sealed: s.keys.seal(debitFilePurpose, strconv.FormatUint(index, 10), plain)})
}

// statements reads statements that are to exist, each once: else [ErrDebit].
func (t *turn) statements(ctx context.Context, records []uint64) ([]store.Statement, error) {
	distinct := slices.Compact(slices.Sorted(slices.Values(records)))
	if len(records) == 0 || len(records) > journal.DebitLinesMax || len(distinct) != len(records) {
		return nil, fmt.Errorf("%w: from 1 to %d statements, each once", ErrDebit, journal.DebitLinesMax)
	}
	rows, err := t.tx.Statements(ctx, records)
	if err == nil && len(rows) != len(records) {
		err = fmt.Errorf("%w: %d of %d statements exist", ErrDebit, len(rows), len(records))
	}
	return rows, err
}

// DebitFile is the file of direct debits of a record again, as [System.SendDebits]
// made it: its bank takes it once. It returns [ErrDebit] of a record that is none.
func (s *System) DebitFile(ctx context.Context, record uint64) (file []byte, err error) {
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		row, err := tx.DebitFile(ctx, record)
		if errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("%w: record %d is no file of direct debits", ErrDebit, record)
		}
		if err != nil {
			return err
		}
		rec, err := readRecord(ctx, tx, record)
		if err != nil {
			return err
		}
		b, ok := rec.Body.(*journal.Debit)
		plain, err := s.keys.unseal(debitFilePurpose, strconv.FormatUint(record, 10), row.Sealed)
		if err != nil {
			return err
		}
		var made debitFile
		if err := json.Unmarshal(plain, &made); err != nil || !ok || len(made.Mandates) != len(b.Lines) {
			return fmt.Errorf("%w: file of direct debits %d: %w", ErrJournal, record, err)
		}
		f := party.DebitFile{
			ID: fmt.Sprintf("TIRAGE-D%d", record), CreatedAt: utc(rec.At), CollectOn: made.CollectOn.At(0, time.UTC), Creditor: made.Creditor,
		}
		for i, l := range b.Lines {
			f.Debits = append(f.Debits, party.Debit{
				ID: l.Statement, Mandate: made.Mandates[i].Mandate, First: !made.Mandates[i].Used, Amount: l.Amount, Text: "Loterie : votre relevé " + strconv.FormatUint(l.Statement, 10),
			})
		}
		file = f.Encode()
		return nil
	})
	return file, err
}

// SettleDebits notes what the bank did with direct debits that were sent: paid,
// or returned, before or after they were paid. One that is returned blocks its
// outlet at once, unless that has paid otherwise. All must be in one state. Refusals: [ErrDebit], [ErrNotAllowed], [ErrIssued], [ErrKey], [ErrKeyReused].
func (s *System) SettleDebits(ctx context.Context, key, officer string, statements []uint64, returned bool) error {
	hash := content("settle-debits", []any{statements, returned})
	_, _, err := s.officerCommand(ctx, officer, key, hash, func(t *turn, command journal.Command, by journal.Party) (uint64, error) {
		rows, err := t.statements(s.ctx, statements)
		if err != nil {
			return 0, err
		}
		steps, err := t.tx.DebitSteps(s.ctx, statements)
		if err != nil {
			return 0, err
		}
		last := make(map[uint64]store.DebitStep, len(rows))
		for _, st := range steps { // in the order taken
			last[st.Statement] = st
		}
		body := &journal.Debit{Command: command, By: by, State: journal.DebitPaid}
		state := last[rows[0].Record].State
		if returned {
			body.State, body.Undone = journal.DebitReturned, state == journal.DebitPaid
		}
		for _, row := range rows {
			st := last[row.Record]
			if may := st.State == journal.DebitSent || returned && st.State == journal.DebitPaid; !may || st.State != state {
				return 0, fmt.Errorf("%w: that of the week of %s is %q", ErrDebit, game.Day(row.First), st.State)
			}
			body.Lines = append(body.Lines, journal.DebitLine{Statement: row.Record, Outlet: mustParty(row.Outlet), Amount: st.Amount})
		}
		index, err := t.append(body)
		if err != nil || !returned {
			return index, err
		}
		return index, t.blockReturned(body)
	})
	return err
}

// blockReturned blocks the outlets that owe what direct debits were to bring which came back in this turn.
func (t *turn) blockReturned(b *journal.Debit) error {
	back := make(map[journal.Party]money.Amount, len(b.Lines))
	var outlets []journal.Party
	for _, l := range b.Lines {
		if _, ok := back[l.Outlet]; !ok {
			outlets = append(outlets, l.Outlet)
		}
		back[l.Outlet] = back[l.Outlet].Add(l.Amount)
	}
	for _, id := range outlets {
		a := t.m.tallies.account(id)
		st := &a.statements[len(a.statements)-1]
		unpaid, underWay := a.unpaid(st), a.underWay
		if b.Undone {
			unpaid = unpaid.Add(back[id])
		} else {
			underWay = underWay.Sub(back[id])
		}
		if left := min(unpaid, t.balance(ledger.Outlet(id.String()))).Sub(underWay); left > 0 && left >= st.blockMin {
			if err := t.block(id); err != nil {
				return err
			}
		}
	}
	return nil
}

// Debit is the direct debit of a statement.
type Debit struct {
	Statement Statement
	State     string // "sent", "paid", "returned"
	Amount    money.Amount
	File      uint64 // number of its file: see [System.DebitFile]
	SentAt    time.Time
}

// DebitFileSums is what a file of direct debits comes to.
type DebitFileSums struct {
	Record uint64 // its number: see [System.DebitFile]
	SentAt time.Time
	Count  int
	Sum    money.Amount
	Open   int          // direct debits of which the bank has not told yet
	Left   money.Amount // of these
}

// DebitFiles lists the files of direct debits, newest first: at most limit, after the first skip, of all.
func (s *System) DebitFiles(ctx context.Context, skip, limit int) (list []DebitFileSums, all int, err error) {
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		rows, err := tx.DebitFileSums(ctx, skip, limit)
		if err != nil {
			return err
		}
		for _, f := range rows {
			list = append(list, DebitFileSums{Record: f.Record, SentAt: utc(f.At), Count: f.Count, Sum: f.Sum, Open: f.Open, Left: f.Left})
		}
		all, err = tx.DebitFileCount(ctx)
		return err
	})
	return list, all, err
}

// Debits lists the direct debits of a file, by statement. It returns [ErrDebit] of a record that is none.
func (s *System) Debits(ctx context.Context, file uint64) ([]Debit, error) {
	var sent []store.DebitStep
	statements, err := s.statements(ctx, func(tx *store.Snapshot) ([]store.Statement, error) {
		var err error
		if sent, err = tx.DebitsSent(ctx, file); err != nil {
			return nil, err
		}
		records := make([]uint64, len(sent))
		for i, st := range sent {
			records[i] = st.Statement
		}
		return tx.Statements(ctx, records)
	})
	switch {
	case err != nil:
		return nil, err
	case len(sent) == 0:
		return nil, fmt.Errorf("%w: record %d is no file of direct debits", ErrDebit, file)
	}
	list := make([]Debit, len(sent))
	for i, st := range statements { // both by record of the statement
		list[i] = Debit{Statement: st, State: st.Debit, Amount: sent[i].Amount, File: file, SentAt: utc(sent[i].At)}
	}
	return list, nil
}
