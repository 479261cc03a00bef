package central

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"tirage/game"
	"tirage/journal"
	"tirage/ledger"
	"tirage/money"
	"tirage/party"
	"tirage/store"
)

var (
	// ErrWithdrawalMin is a withdrawal below what the rules ask.
	ErrWithdrawalMin = errors.New("withdrawal too small")
	// ErrWithdrawal is a withdrawal that is not in a state for this.
	ErrWithdrawal = errors.New("the withdrawal is not in a state for this")
	// ErrPayer is a payment file without an account to pay from: see [Options.Payer].
	ErrPayer = errors.New("no account to pay withdrawals from is set")
)

// States of a withdrawal: asked, then sent to the bank, then paid or returned.
const (
	withdrawalAsked    = "asked" // the state of one without a step
	withdrawalSent     = "sent"
	withdrawalPaid     = "paid"
	withdrawalReturned = "returned"
)

// Withdraw asks for money to be paid out (retrait).
type Withdraw struct {
	Key    string
	Player string
	Amount money.Amount
	IBAN   string
}

// Withdrawal is a withdrawal and what became of it.
type Withdrawal struct {
	Record uint64
	Player string
	Name   string // of the person: the account to pay to is his
	Amount money.Amount
	IBAN   string
	At     time.Time
	State  string // "asked", "sent", "paid", "returned"
	File   uint64 // number of the payment file that it was sent in: see [System.TransferFile]; 0: none yet
}

// payee is a bank account to pay to: the record has its hash, a private note has it in clear.
type payee struct {
	iban party.IBAN
	salt [16]byte
}

func newPayee(iban party.IBAN) payee {
	p := payee{iban: iban}
	random(p.salt[:])
	return p
}

func (p payee) hash() [32]byte { return sha256.Sum256(append(p.salt[:], p.iban...)) }

// Withdraw takes money off a player's balance at once, to be paid to an account
// in his name. Whoever closed his account may withdraw what the bank returned
// since. Refusals: [party.ErrIBAN], [ErrWithdrawalMin], [party.ErrBalance],
// [party.ErrUnconfirmed], [party.ErrUnknownPlayer], [party.ErrPlayerClosed], [ErrKey], [ErrKeyReused].
func (s *System) Withdraw(ctx context.Context, w Withdraw) (Withdrawal, error) {
	iban, err := party.ParseIBAN(w.IBAN)
	if err != nil {
		return Withdrawal{}, err
	}
	to := newPayee(iban)
	record, _, err := s.playerCommand(ctx, w.Player, w.Key, content("withdraw", []any{w.Amount, iban}),
		func(t *turn, p *playerState, command journal.Command, _ journal.Party) (uint64, error) {
			balance := -t.balance(p.account)
			switch r := t.accountRules(); {
			case p.Closed && balance == 0:
				return 0, party.ErrPlayerClosed
			case !p.Confirmed:
				return 0, party.ErrUnconfirmed
			case w.Amount <= 0, r != nil && w.Amount < r.WithdrawalMin && !p.Closed:
				return 0, fmt.Errorf("%w: %s", ErrWithdrawalMin, w.Amount)
			case w.Amount > balance:
				return 0, &party.BalanceError{Balance: balance, Price: w.Amount}
			}
			return t.payOut(s.ctx, p, command, w.Amount, to)
		})
	if err != nil {
		return Withdrawal{}, err
	}
	list, err := s.withdrawals(ctx, func(tx *store.Snapshot) ([]store.Withdrawal, error) {
		return tx.Withdrawals(ctx, []uint64{record})
	})
	if err != nil {
		return Withdrawal{}, err
	}
	assert(len(list) == 1, "a withdrawal made is there")
	return list[0], nil
}

// payOut appends the withdrawal of an amount that a player has.
func (t *turn) payOut(ctx context.Context, p *playerState, command journal.Command, amount money.Amount, to payee) (uint64, error) {
	assert(amount > 0 && amount <= -t.balance(p.account), "withdrawal above the balance")
	index, err := t.append(&journal.Withdrawal{
		Command: command, Player: mustParty(p.ID), Amount: amount, To: to.hash(), Previous: t.previous(p.ID),
	})
	if err != nil {
		return 0, err
	}
	t.tells(p.ID, index)
	return index, t.tx.AddNote(ctx, store.Note{Record: index, Salt: to.salt[:], Text: string(to.iban)})
}

// Withdrawals lists withdrawals in a state, "asked" or "sent", oldest first ("": all, newest first), at most limit.
func (s *System) Withdrawals(ctx context.Context, state string, limit int) ([]Withdrawal, error) {
	return s.withdrawals(ctx, func(tx *store.Snapshot) ([]store.Withdrawal, error) {
		if state == "" {
			return tx.RecentWithdrawals(ctx, limit)
		}
		assert(state == withdrawalAsked || state == withdrawalSent, "withdrawals that are over are not listed by state")
		return tx.WithdrawalsIn(ctx, state, limit)
	})
}

// WithdrawalsOf returns those of some records that are withdrawals of a player, newest first.
func (s *System) WithdrawalsOf(ctx context.Context, player string, records []uint64) ([]Withdrawal, error) {
	if len(records) == 0 {
		return nil, nil
	}
	list, err := s.withdrawals(ctx, func(tx *store.Snapshot) ([]store.Withdrawal, error) {
		rows, err := tx.Withdrawals(ctx, records)
		return slices.DeleteFunc(rows, func(row store.Withdrawal) bool { return row.Player != player }), err
	})
	slices.SortFunc(list, func(a, b Withdrawal) int { return cmp.Compare(b.Record, a.Record) })
	return list, err
}

// withdrawals reads withdrawals, their states, and to whom they are paid.
func (s *System) withdrawals(ctx context.Context, read func(*store.Snapshot) ([]store.Withdrawal, error)) (list []Withdrawal, err error) {
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		rows, err := read(tx)
		if err != nil {
			return err
		}
		list, err = readWithdrawals(ctx, tx, rows)
		return err
	})
	return list, err
}

// withdrawalReader is what a turn or a snapshot tells of withdrawals.
type withdrawalReader interface {
	WithdrawalSteps(ctx context.Context, withdrawals []uint64) ([]store.WithdrawalStep, error)
	Notes(ctx context.Context, records []uint64) ([]store.Note, error)
	Person(ctx context.Context, player string) (store.Person, error)
}

// readWithdrawals completes withdrawals, in the order of rows.
func readWithdrawals(ctx context.Context, tx withdrawalReader, rows []store.Withdrawal) ([]Withdrawal, error) {
	records := make([]uint64, len(rows))
	for i, row := range rows {
		records[i] = row.Record
	}
	steps, err := tx.WithdrawalSteps(ctx, records)
	if err != nil {
		return nil, err
	}
	files, states := make(map[uint64]uint64, len(rows)), statesOf(records, steps)
	for _, st := range steps {
		if st.State == withdrawalSent {
			files[st.Withdrawal] = st.Record
		}
	}
	notes, err := tx.Notes(ctx, records)
	if err != nil {
		return nil, err
	}
	ibans := make(map[uint64]string, len(notes))
	for _, n := range notes {
		ibans[n.Record] = n.Text
	}
	names := map[string]string{}
	list := make([]Withdrawal, len(rows))
	for i, row := range rows {
		if _, ok := names[row.Player]; !ok {
			p, err := tx.Person(ctx, row.Player)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return nil, err
			}
			names[row.Player] = strings.TrimSpace(p.FirstName + " " + p.LastName)
		}
		list[i] = Withdrawal{
			Record: row.Record, Player: row.Player, Name: names[row.Player], Amount: row.Amount, IBAN: ibans[row.Record], At: utc(row.At),
			State: states[row.Record], File: files[row.Record],
		}
	}
	return list, nil
}

// withdrawalStates are the states of withdrawals that exist.
func withdrawalStates(ctx context.Context, tx withdrawalReader, records []uint64) (map[uint64]string, error) {
	steps, err := tx.WithdrawalSteps(ctx, records)
	return statesOf(records, steps), err
}

func statesOf(records []uint64, steps []store.WithdrawalStep) map[uint64]string {
	states := make(map[uint64]string, len(records))
	for _, record := range records {
		states[record] = withdrawalAsked
	}
	for _, st := range steps { // in the order taken
		states[st.Withdrawal] = st.State
	}
	return states
}

// Withdrawal returns a withdrawal by its record, or [ErrWithdrawal].
func (s *System) Withdrawal(ctx context.Context, record uint64) (Withdrawal, error) {
	list, err := s.withdrawals(ctx, func(tx *store.Snapshot) ([]store.Withdrawal, error) {
		return tx.Withdrawals(ctx, []uint64{record})
	})
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("%w: %d does not exist", ErrWithdrawal, record)
	}
	if err != nil {
		return Withdrawal{}, err
	}
	return list[0], nil
}

// WithdrawalsOwed is what players asked to have paid out and the bank has
// neither paid nor returned yet.
func (s *System) WithdrawalsOwed() money.Amount {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return -s.memory.balances[ledger.Withdrawals]
}

// TransferFile is the payment file of a number again, as [System.SendWithdrawals]
// made it: its bank takes it once. Refusals: [ErrWithdrawal] of a number that is none, [ErrPayer], [ErrDemo].
func (s *System) TransferFile(ctx context.Context, record uint64) ([]byte, error) {
	if err := s.mayTransfer(); err != nil {
		return nil, err
	}
	return s.transferFile(ctx, record)
}

// SendWithdrawals puts withdrawals into a payment file (ISO 20022 pain.001),
// which the same key gives again. Where demo deposits were made, only the
// specimen pays: a bank never gets such a file (F21). Refusals: [ErrWithdrawal],
// [ErrPayer], [ErrDemo], [ErrNotAllowed], [ErrIssued], [ErrKey], [ErrKeyReused].
func (s *System) SendWithdrawals(ctx context.Context, key, officer string, records []uint64) (file []byte, err error) {
	if err := s.mayTransfer(); err != nil {
		return nil, err
	}
	if err := s.checkAsked(ctx, records); err != nil {
		return nil, err
	}
	record, _, err := s.officerCommand(ctx, officer, key, content("send-withdrawals", records), func(t *turn, command journal.Command, by journal.Party) (uint64, error) {
		rows, err := t.withdrawalsIn(s.ctx, records, withdrawalAsked)
		if err != nil {
			return 0, err
		}
		return t.append(&journal.Transfer{Command: command, By: by, Withdrawals: records, State: withdrawalSent, Amount: sumOf(rows)})
	})
	if err != nil {
		return nil, err
	}
	return s.transferFile(ctx, record)
}

// mayTransfer returns [ErrPayer] where nobody pays, and [ErrDemo] where one would pay out demo deposits.
func (s *System) mayTransfer() error {
	switch {
	case s.payer == (party.Payer{}):
		return ErrPayer
	case s.payer != specimen && s.demoMoney() != 0:
		return ErrDemo
	}
	return nil
}

// demoMoney is what demo deposits came to.
func (s *System) demoMoney() money.Amount {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.memory.balances[ledger.Demo]
}

// checkAsked is checkPayees before withdrawals are sent: of one that cannot be
// paid no record says that it was. It takes no turn; those that do not exist are refused in it.
func (s *System) checkAsked(ctx context.Context, records []uint64) error {
	return s.db.View(ctx, func(tx *store.Snapshot) error {
		rows, err := tx.Withdrawals(ctx, records)
		if err != nil || len(rows) != len(records) {
			return err
		}
		return checkPayees(ctx, tx, records)
	})
}

// withdrawalsIn reads withdrawals that must all be in a state and named once: else [ErrWithdrawal].
func (t *turn) withdrawalsIn(ctx context.Context, records []uint64, state string) ([]store.Withdrawal, error) {
	distinct := slices.Compact(slices.Sorted(slices.Values(records)))
	if len(records) == 0 || len(records) > journal.TransfersMax || len(distinct) != len(records) {
		return nil, fmt.Errorf("%w: from 1 to %d, each once", ErrWithdrawal, journal.TransfersMax)
	}
	rows, err := t.tx.Withdrawals(ctx, records)
	if err != nil {
		return nil, err
	}
	if len(rows) != len(records) {
		return nil, fmt.Errorf("%w: %d of %d exist", ErrWithdrawal, len(rows), len(records))
	}
	states, err := withdrawalStates(ctx, t.tx, records)
	if err != nil {
		return nil, err
	}
	for _, record := range records {
		if states[record] != state {
			return nil, fmt.Errorf("%w: %d is %s", ErrWithdrawal, record, states[record])
		}
	}
	return rows, nil
}

func sumOf(rows []store.Withdrawal) (sum money.Amount) {
	for _, row := range rows {
		sum = sum.Add(row.Amount)
	}
	return sum
}

// transferFile is the payment file of a transfer that was sent. The accounts to
// pay to must be those that the withdrawals' records have the hashes of: who
// changes them in the database changes no payment.
func (s *System) transferFile(ctx context.Context, record uint64) (file []byte, err error) {
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		rec, err := readRecord(ctx, tx, record)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		transfer, ok := rec.Body.(*journal.Transfer)
		if !ok || transfer.State != withdrawalSent {
			return fmt.Errorf("%w: record %d is no payment file", ErrWithdrawal, record)
		}
		rows, err := tx.Withdrawals(ctx, transfer.Withdrawals)
		if err != nil {
			return err
		}
		list, err := readWithdrawals(ctx, tx, rows)
		if err != nil {
			return err
		}
		if err := checkPayees(ctx, tx, transfer.Withdrawals); err != nil {
			return err
		}
		f := party.TransferFile{
			ID: fmt.Sprintf("TIRAGE-%d", record), CreatedAt: utc(rec.At), ExecuteOn: game.DayOf(utc(rec.At), paris).At(0, time.UTC),
			Payer: s.payer, Remittance: "Retrait de vos disponibilités",
		}
		for _, w := range list {
			f.Transfers = append(f.Transfers, party.Transfer{ID: w.Record, Name: w.Name, IBAN: party.IBAN(w.IBAN), Amount: w.Amount})
		}
		file = f.Encode()
		return nil
	})
	return file, err
}

// checkPayees compares the notes of withdrawals with the hashes in their records.
func checkPayees(ctx context.Context, tx *store.Snapshot, records []uint64) error {
	notes, err := tx.Notes(ctx, records)
	if err != nil {
		return err
	}
	if len(notes) != len(records) {
		return fmt.Errorf("%w: of %d withdrawals, %d say where to pay", ErrJournal, len(records), len(notes))
	}
	for _, n := range notes {
		rec, err := readRecord(ctx, tx, n.Record)
		if err != nil {
			return err
		}
		w, ok := rec.Body.(*journal.Withdrawal)
		if !ok || len(n.Salt) != 16 || w.To != (payee{party.IBAN(n.Text), [16]byte(n.Salt)}).hash() {
			return fmt.Errorf("%w: withdrawal %d was asked for to another account than its note says", ErrJournal, n.Record)
		}
	}
	return nil
}

// readRecord reads a record in a snapshot.
func readRecord(ctx context.Context, tx *store.Snapshot, index uint64) (journal.Record, error) {
	b, _, err := tx.Record(ctx, index)
	if err != nil {
		return journal.Record{}, err
	}
	rec, err := journal.Decode(b)
	if err != nil {
		return rec, fmt.Errorf("record %d: %w", index, err)
	}
	return rec, nil
}

// SettleWithdrawals notes what the bank did with withdrawals that were sent:
// paid, or returned, when the player has his money back. Refusals: [ErrWithdrawal], [ErrNotAllowed], [ErrIssued], [ErrKey], [ErrKeyReused].
func (s *System) SettleWithdrawals(ctx context.Context, key, officer string, records []uint64, returned bool) error {
	hash := content("settle-withdrawals", []any{records, returned})
	_, _, err := s.officerCommand(ctx, officer, key, hash, func(t *turn, command journal.Command, by journal.Party) (uint64, error) {
		rows, err := t.withdrawalsIn(s.ctx, records, withdrawalSent)
		if err != nil {
			return 0, err
		}
		if !returned {
			return t.append(&journal.Transfer{Command: command, By: by, Withdrawals: records, State: withdrawalPaid, Amount: sumOf(rows)})
		}
		first := t.next()
		for _, row := range rows {
			b := &journal.Returned{
				Command: command, By: by, Withdrawal: row.Record, Player: mustParty(row.Player), Amount: row.Amount, Previous: t.previous(row.Player),
			}
			index, err := t.append(b)
			if err != nil {
				return 0, err
			}
			t.tells(row.Player, index)
			command = journal.Command{} // the first record of a command names it
		}
		return first, nil
	})
	return err
}
