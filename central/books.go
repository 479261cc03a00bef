package central

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"tirage/journal"
	"tirage/ledger"
	"tirage/money"
	"tirage/party"
	"tirage/store"
)

// CheckBooks recomputes everything from the journal and compares: the Merkle
// root and tiles, results and settlements, every row of every fact table, the
// balances, which must sum to zero, the funds of jackpots and reserves, that no
// statement that was due is missing, and the memory of this node. It reads the
// whole database: for tests and audits. The error names the first difference.
func (s *System) CheckBooks(ctx context.Context) error {
	if err := s.follow(ctx); err != nil {
		return err
	}
	s.mu.RLock()
	seen := s.memory.size
	s.mu.RUnlock()
	return s.db.View(ctx, func(tx *store.Snapshot) error {
		head, err := tx.Head(ctx)
		if err != nil {
			return err
		}
		if head.Size < seen {
			return fmt.Errorf("%w: it has %d records, the node has seen %d", ErrJournal, head.Size, seen)
		}
		m := newMemory()
		a := newAuditor(s.keys, s.beacon, tx, m)
		rows, err := m.replay(ctx, tx, a)
		if err != nil {
			return err
		}
		if err := a.checkDone(); err != nil {
			return err
		}
		if err := checkHead(m, head); err != nil {
			return err
		}
		dump, err := tx.Dump(ctx)
		if err != nil {
			return err
		}
		if err := a.checkGivenUp(dump.Commands); err != nil {
			return err
		}
		hashCommands(dump.Commands)
		if err := compareRows(rows, dump); err != nil {
			return err
		}
		balances, err := tx.Balances(ctx)
		if err != nil {
			return err
		}
		sums, err := m.checkBalances(rows.Postings, balances)
		if err != nil {
			return err
		}
		if err := errors.Join(a.checkFunds(sums), a.checkMoney(sums), a.checkPayees(ctx, tx), a.checkLogins(ctx, tx), a.checkAccounts(sums), a.checkStated()); err != nil {
			return err
		}
		return s.compareMemory(m)
	})
}

// replay folds the whole journal past an auditor, and returns all the rows that it implies.
func (m *memory) replay(ctx context.Context, tx *store.Snapshot, a *auditor) (store.Rows, error) {
	var rows store.Rows
	tiler := m.tiler.Clone()
	for {
		turns, err := tx.Turns(ctx, m.size, turnsSlice)
		if err != nil || len(turns) == 0 {
			return rows, err
		}
		for _, t := range turns {
			if t.First != m.size {
				return rows, fmt.Errorf("%w: a turn begins at record %d, after %d", ErrJournal, t.First, m.size)
			}
			err := eachRecord([]store.Turn{t}, 0, func(index uint64, rec journal.Record, leaf journal.Hash) error {
				if rec.At != t.At || rec.At < m.at {
					return fmt.Errorf("%w: record %d is dated out of order", ErrJournal, index)
				}
				in := m.imply(&rows, index, rec, nil)
				if c, ok := commandOf(rec.Body); ok {
					rows.Commands = append(rows.Commands, store.Command{Key: c[:], Record: index})
				}
				for _, tile := range tiler.Append(leaf) {
					rows.Tiles = append(rows.Tiles, store.Tile{Level: tile.Level, N: tile.N, Hashes: tile.Hashes})
				}
				if err := a.see(index, rec, in); err != nil {
					return err
				}
				m.apply(index, rec, leaf, in)
				return nil
			})
			if err != nil {
				return rows, err
			}
			if err := errors.Join(a.endTurn(), a.endAccounts()); err != nil {
				return rows, err
			}
		}
	}
}

// commandOf is the hash of the command that made a record, if one did.
func commandOf(body journal.Body) (journal.Command, bool) {
	switch b := body.(type) {
	case *journal.Officer: // one whom two others make has no command but that of their decision
		return b.Command, b.Command != journal.Command{}
	case *journal.Rules:
		return b.Command, true
	case *journal.Outlet: // one that the system blocked, or whose limit two officers raised, has no command
		return b.Command, b.Command != journal.Command{}
	case *journal.Terminal:
		return b.Command, true
	case *journal.Sale:
		return b.Command, true
	case *journal.Cancellation:
		return b.Command, true
	case *journal.Payment: // one that two officers decided has no command but that of their decision
		return b.Command, b.Command != journal.Command{}
	case *journal.Stop: // nor has the end of a stop
		return b.Command, b.Command != journal.Command{}
	case *journal.Reprint:
		return b.Command, true
	case *journal.Received: // nor has what is paid to an outlet
		return b.Command, b.Command != journal.Command{}
	case *journal.Act:
		return b.Command, true
	case *journal.Proposal:
		return b.Command, true
	case *journal.Decision:
		return b.Command, true
	case *journal.Book:
		return b.Command, true
	case *journal.Secrets:
		return b.Command, true
	case *journal.Unit:
		return b.Command, true
	case *journal.Player:
		return b.Command, true
	case *journal.Voucher:
		return b.Command, true
	case *journal.Deposit:
		return b.Command, true
	case *journal.Withdrawal:
		return b.Command, true
	case *journal.Transfer:
		return b.Command, true
	case *journal.Returned: // of several by one command, the first has it
		return b.Command, b.Command != journal.Command{}
	case *journal.Collected:
		return b.Command, true
	case *journal.Debit:
		return b.Command, true
	case *journal.Notice:
		return b.Command, true
	case *journal.Retraction:
		return b.Command, true
	case *journal.Launch: // one that two officers decided has no command but that of their decision
		return b.Command, b.Command != journal.Command{}
	case *journal.PlayerChange: // nor has one that follows another of its command, or from a message that came
		return b.Command, b.Command != journal.Command{}
	case *journal.Suspend: // nor has one of the guard
		return b.Command, b.Command != journal.Command{}
	}
	return journal.Command{}, false
}

// hashCommands leaves of commands what the journal says of them: the hash of
// scope and key, and the record.
func hashCommands(commands []store.Command) {
	for i, c := range commands {
		hash := commandHash(store.CommandKey{Key: string(c.Key), Scope: c.Scope})
		commands[i] = store.Command{Key: hash[:], Record: c.Record}
	}
}

func checkHead(m *memory, head store.Head) error {
	root := m.frontier.Root()
	frontier, err := m.frontier.MarshalBinary()
	switch {
	case err != nil:
		return err
	case head.Size != m.size:
		return fmt.Errorf("%w: head says %d records, there are %d", ErrJournal, head.Size, m.size)
	case m.size > 0 && (!bytes.Equal(head.Root, root[:]) || !bytes.Equal(head.Frontier, frontier) || head.At != m.at):
		return fmt.Errorf("%w: head of %d records does not follow from them", ErrJournal, m.size)
	}
	return nil
}

// compareRows compares the rows that the journal implies with those in the tables.
func compareRows(want, got store.Rows) error {
	want.Chain = store.LastLinks(want.Chain)
	want.OpenWithdrawals = store.OpenWithdrawals(want.Withdrawals, want.WithdrawalSteps)
	want.Tallies = store.SumTallies(want.Tallies)
	sortRows(&want)
	sortRows(&got) // databases collate text in ways of their own
	w, g := reflect.ValueOf(want), reflect.ValueOf(got)
	for i := range w.NumField() {
		a, b := w.Field(i), g.Field(i)
		table := w.Type().Field(i).Name
		for n := range min(a.Len(), b.Len()) {
			if !reflect.DeepEqual(a.Index(n).Interface(), b.Index(n).Interface()) {
				return fmt.Errorf("%w: row %d of %s: journal says %+v, table %+v", ErrJournal, n, table, a.Index(n), b.Index(n))
			}
		}
		if a.Len() != b.Len() {
			return fmt.Errorf("%w: journal implies %d rows of %s, the table has %d", ErrJournal, a.Len(), table, b.Len())
		}
	}
	return nil
}

func sortRows(rows *store.Rows) {
	slices.SortFunc(rows.Tiles, func(a, b store.Tile) int { return cmp.Or(a.Level-b.Level, cmp.Compare(a.N, b.N)) })
	slices.SortFunc(rows.Steps, func(a, b store.Step) int { return cmp.Or(cmp.Compare(a.Record, b.Record), cmp.Compare(a.Draw, b.Draw)) })
	slices.SortFunc(rows.Closes, func(a, b store.Close) int { return cmp.Compare(a.Draw, b.Draw) })
	slices.SortFunc(rows.Results, func(a, b store.Result) int { return cmp.Compare(a.Draw, b.Draw) })
	slices.SortFunc(rows.Shares, func(a, b store.Share) int {
		return cmp.Or(cmp.Compare(a.Draw, b.Draw), a.Table-b.Table, a.Tier-b.Tier)
	})
	slices.SortFunc(rows.Parts, func(a, b store.Part) int {
		return cmp.Or(cmp.Compare(a.Draw, b.Draw), cmp.Compare(a.Ticket, b.Ticket), a.N-b.N)
	})
	slices.SortFunc(rows.Payments, func(a, b store.Payment) int {
		return cmp.Or(cmp.Compare(a.Record, b.Record), cmp.Compare(a.Draw, b.Draw))
	})
	slices.SortFunc(rows.Stops, func(a, b store.Stop) int { return cmp.Compare(a.Record, b.Record) })
	slices.SortFunc(rows.Reprints, func(a, b store.Reprint) int { return cmp.Compare(a.Record, b.Record) })
	slices.SortFunc(rows.WithdrawalSteps, func(a, b store.WithdrawalStep) int {
		return cmp.Or(cmp.Compare(a.Record, b.Record), cmp.Compare(a.Withdrawal, b.Withdrawal))
	})
	slices.SortFunc(rows.StatementLines, func(a, b store.StatementLine) int {
		return cmp.Or(cmp.Compare(a.Record, b.Record), cmp.Compare(a.Game, b.Game))
	})
	slices.SortFunc(rows.DebitSteps, func(a, b store.DebitStep) int {
		return cmp.Or(cmp.Compare(a.Record, b.Record), cmp.Compare(a.Statement, b.Statement))
	})
	slices.SortFunc(rows.Postings, func(a, b store.Posting) int {
		return cmp.Or(cmp.Compare(a.Entry, b.Entry), a.N-b.N)
	})
}

// checkBalances compares the balances with the sums of postings. The books
// balance when all accounts sum to zero, and each draw that is settled has no
// stakes left. It returns the sums, by account.
func (m *memory) checkBalances(postings []store.Posting, balances map[string]money.Amount) (map[string]money.Amount, error) {
	sums := map[string]money.Amount{}
	var total money.Amount
	for _, p := range postings {
		sums[p.Account] = sums[p.Account].Add(p.Amount)
		total = total.Add(p.Amount)
	}
	if total != 0 {
		return nil, fmt.Errorf("%w: the books are off by %s", ErrJournal, total)
	}
	for account, sum := range sums {
		if balances[account] != sum {
			return nil, fmt.Errorf("%w: account %s: postings sum to %s, balance is %s", ErrJournal, account, sum, balances[account])
		}
	}
	for account, balance := range balances {
		if sums[account] != balance {
			return nil, fmt.Errorf("%w: account %s: balance %s without postings", ErrJournal, account, balance)
		}
	}
	for id, d := range m.draws {
		left := -sums[string(ledger.Stake(int64(id)))]
		booked := d.settlement != nil || d.refunded
		if want := d.stakes; !booked && left != want || booked && left != 0 {
			return nil, fmt.Errorf("%w: draw %d, %s: stakes of %s on the account, %s sold", ErrJournal, id, d.state, left, want)
		}
	}
	return sums, nil
}

// compareMemory compares this node's memory with the fold of the journal up to the same size.
func (s *System) compareMemory(fold *memory) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	m := s.memory
	if m.size != fold.size {
		return nil // turns were taken since the snapshot; it is compared when all is quiet
	}
	if !reflect.DeepEqual(m.balances, fold.balances) {
		return fmt.Errorf("%w: balances in memory differ: %v, journal says %v", ErrJournal, m.balances, fold.balances)
	}
	if !reflect.DeepEqual(m.claims, fold.claims) || !slices.Equal(m.extensions, fold.extensions) {
		return fmt.Errorf("%w: claims in memory differ: %v, journal says %v", ErrJournal, m.claims, fold.claims)
	}
	if !maps.EqualFunc(m.pots, fold.pots, samePot) {
		return fmt.Errorf("%w: jackpots in memory differ: %v, journal says %v", ErrJournal, m.pots, fold.pots)
	}
	if !reflect.DeepEqual(m.outlets, fold.outlets) || !maps.Equal(m.numbers, fold.numbers) || !reflect.DeepEqual(m.terminals, fold.terminals) {
		return fmt.Errorf("%w: outlets in memory differ", ErrJournal)
	}
	sameOfficer := func(a, b party.Officer) bool { return a.ID == b.ID && slices.Equal(a.Roles, b.Roles) }
	if !maps.EqualFunc(m.officers, fold.officers, sameOfficer) {
		return fmt.Errorf("%w: officers in memory differ", ErrJournal)
	}
	if err := errors.Join(s.compareInstant(fold), s.comparePlayers(fold), s.memory.compareTerms(fold), s.memory.compareTallies(fold), s.memory.compareNotices(fold)); err != nil {
		return err
	}
	for id, d := range m.draws {
		if err := compareDraw(d, fold.draws[id]); err != nil {
			return err
		}
	}
	for id, d := range fold.draws {
		if m.draws[id] == nil && !d.over() {
			return fmt.Errorf("%w: draw %d is not in memory", ErrJournal, id)
		}
	}
	return nil
}

func compareDraw(a, b *drawState) error {
	if b == nil {
		return nil // forgotten by the fold
	}
	same := a.Draw == b.Draw && a.state == b.state && a.wagers == b.wagers && a.parts == b.parts && a.stakes == b.stakes &&
		a.cancelled == b.cancelled && a.closeRecord == b.closeRecord && a.cancelledAt.Equal(b.cancelledAt) && a.refunded == b.refunded && reflect.DeepEqual(a.result, b.result) &&
		a.times == b.times && reflect.DeepEqual(a.settlement, b.settlement) && reflect.DeepEqual(a.pace, b.pace)
	open := b.closeRecord == 0
	if !same || open && (a.frontier.Root() != b.frontier.Root() || !a.exposure.Equal(b.exposure)) {
		return fmt.Errorf("%w: draw %d in memory differs: %+v, journal says %+v", ErrJournal, a.ID, a, b)
	}
	return nil
}
