package central

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/fxamacker/cbor/v2"

	"tirage/game"
	"tirage/journal"
	"tirage/party"
	"tirage/store"
)

var (
	// ErrIdentity is a payment for which who is paid must be recorded: from the
	// sum on that the terms of outlets say, of all that the ticket comes to.
	ErrIdentity = errors.New("who is paid must be recorded")
	// ErrNoPayee is a record that tells of no payee, or of one who is kept no longer.
	ErrNoPayee = errors.New("no payee was recorded, or he is kept no longer")
)

// sealPayee is what seals payees.
const sealPayee = "payee"

// payeeRow is who is paid as the private table has it. The hash is SHA-256 of 16
// bytes of salt and the CBOR array of name, birth date, address and document.
func (s *System) payeeRow(p party.Payee) store.Payee {
	plain := payeeBytes(p)
	var salt [16]byte
	random(salt[:])
	hash := payeeHash(salt[:], plain)
	return store.Payee{Hash: hash[:], Salt: salt[:], Sealed: s.keys.seal(sealPayee, hex.EncodeToString(hash[:]), plain)}
}

func payeeBytes(p party.Payee) []byte {
	b, err := contentMode.Marshal([]string{p.Name, p.BirthDate, p.Address, p.Document})
	assert(err == nil, "a payee is plain data")
	return b
}

func payeeHash(salt, plain []byte) [32]byte {
	return sha256.Sum256(append(append([]byte{}, salt...), plain...))
}

// openPayee opens a row, or returns [ErrKeys].
func (k Keys) openPayee(row store.Payee) (party.Payee, error) {
	plain, err := k.unseal(sealPayee, hex.EncodeToString(row.Hash), row.Sealed)
	if err != nil {
		return party.Payee{}, fmt.Errorf("payee %x: %w", row.Hash[:4], err)
	}
	var fields []string
	if err := cbor.Unmarshal(plain, &fields); err != nil || len(fields) != 4 || payeeHash(row.Salt, plain) != [32]byte(row.Hash) {
		return party.Payee{}, fmt.Errorf("payee %x: %w", row.Hash[:4], ErrKeys)
	}
	return party.Payee{Name: fields[0], BirthDate: fields[1], Address: fields[2], Document: fields[3]}, nil
}

// payeeMark stands for a payee in the hash of a request, which is kept: who
// reads that cannot try names against it. Nil: no payee.
func (s *System) payeeMark(p *party.Payee) []byte {
	if p == nil {
		return nil
	}
	mark := s.keys.mac(s.keys.Sealing, []byte("payee mark\x00"), payeeBytes(*p))
	return mark[:]
}

// checkPayee tells whether a payee can be recorded at the time of the turn.
func (t *turn) checkPayee(p party.Payee) error {
	return p.Check(int32(game.DayOf(utc(t.at), paris)))
}

// ReadPayee is an officer's question who was paid.
type ReadPayee struct {
	Key     string
	Officer string
	Record  uint64 // of the payment, or of the proposal to pay a ticket
}

// ReadPayee tells who was paid, or is to be. That an officer read it is
// journalled, as his act "read-payee". Refusals: [ErrNoPayee], [ErrIssued],
// [ErrNotAllowed], [ErrKey], [ErrKeyReused].
func (s *System) ReadPayee(ctx context.Context, r ReadPayee) (party.Payee, error) {
	_, _, err := s.officerCommand(ctx, r.Officer, r.Key, content("read-payee", r.Record), func(t *turn, command journal.Command, by journal.Party) (uint64, error) {
		if _, err := payeeOf(s.ctx, t.tx.Snapshot(), r.Record); err != nil {
			return 0, err
		}
		return t.append(&journal.Act{Command: command, By: by, Act: "read-payee", Subject: strconv.FormatUint(r.Record, 10)})
	})
	if err != nil {
		return party.Payee{}, err
	}
	var row store.Payee
	err = s.db.View(ctx, func(tx *store.Snapshot) (err error) { // once the act is durable
		row, err = payeeOf(ctx, tx, r.Record)
		return err
	})
	if err != nil {
		return party.Payee{}, err
	}
	return s.keys.openPayee(row)
}

// payeeOf reads the payee of a payment or proposal, or returns [ErrNoPayee].
func payeeOf(ctx context.Context, tx *store.Snapshot, index uint64) (row store.Payee, err error) {
	b, _, err := tx.Record(ctx, index)
	if errors.Is(err, store.ErrNotFound) {
		return row, fmt.Errorf("%w: record %d", ErrNoPayee, index)
	}
	if err != nil {
		return row, err
	}
	rec, err := journal.Decode(b)
	if err != nil {
		return row, fmt.Errorf("record %d: %w", index, err)
	}
	hash := payeeIn(rec.Body)
	if len(hash) == 0 {
		return row, fmt.Errorf("%w: record %d", ErrNoPayee, index)
	}
	row, err = tx.Payee(ctx, hash)
	if errors.Is(err, store.ErrNotFound) { // the proposal was rejected, or the payment is long ago
		return row, fmt.Errorf("%w: record %d", ErrNoPayee, index)
	}
	return row, err
}

// payeeIn is the hash of a payee that a record has; empty: none.
func payeeIn(body journal.Body) []byte {
	switch b := body.(type) {
	case *journal.Payment:
		return b.Payee
	case *journal.Proposal:
		return b.Payee
	}
	return nil
}

// erasedMax is how many payees a turn removes.
const erasedMax = 500

// keepsPayee tells whether who was paid at an instant is still kept on a Paris
// day: until so many days after the payment as the terms in force on that day say.
// Without terms nobody is removed.
func (m *memory) keepsPayee(paidAt int64, today game.Day) bool {
	terms := m.termsOn(today)
	return terms == nil || game.DayOf(utc(paidAt), paris)+game.Day(terms.PayeeDays) >= today
}

// erasePayees removes, once a Paris day, those who were paid so long ago that they are kept no longer.
func (s *System) erasePayees(ctx context.Context, now time.Time) error {
	today := game.DayOf(now, paris)
	for s.erasedOn < today {
		more := false
		err := s.do(ctx, &job{alone: true, decide: func(t *turn) (err error) {
			more, err = t.erasePayees(s.ctx)
			return err
		}})
		if err != nil {
			return fmt.Errorf("remove payees: %w", err)
		}
		if !more {
			s.erasedOn = today
		}
	}
	return nil
}

// erasePayees removes the payees of the oldest payments whose time is over, and
// tells whether it did: then there may be more of them.
func (t *turn) erasePayees(ctx context.Context) (more bool, err error) {
	rows, err := t.tx.PaidPayees(ctx, erasedMax)
	if err != nil {
		return false, err
	}
	over := 0
	for _, row := range rows {
		_, at, err := t.tx.Record(ctx, row.Record)
		if err != nil {
			return false, err
		}
		if t.m.keepsPayee(at, t.day()) {
			break
		}
		over++
	}
	if over == 0 {
		return false, nil
	}
	last := rows[over-1].Record
	if err := t.tx.ErasePayees(ctx, last); err != nil {
		return false, err
	}
	_, err = t.append(&journal.Erasure{Count: uint64(over), Last: last})
	return true, err
}
