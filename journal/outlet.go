package journal

import (
	"fmt"

	"tirage/money"
)

// The most that a record about outlets may list.
const (
	StatementGamesMax = 500  // games of a statement
	DebitLinesMax     = 1000 // statements of a direct debit
	NoticeMax         = 500  // bytes of a notice in a language
)

// Tally is what all outlets did since the tally before it: from here on the
// table of tallies has it, by outlet, local day, terminal and game.
type Tally struct {
	Sold      money.Amount `cbor:"1,keyasint,omitempty"` // prices of tickets
	Cancelled money.Amount `cbor:"2,keyasint,omitempty"` // prices of tickets taken back
	Paid      money.Amount `cbor:"3,keyasint,omitempty"` // prizes
	Back      money.Amount `cbor:"4,keyasint,omitempty"` // stakes of cancelled draws given back
	Vouchers  money.Amount `cbor:"5,keyasint,omitempty"`
	Received  money.Amount `cbor:"6,keyasint,omitempty"` // money received from outlets, less what was paid to them: perhaps below 0
	Returned  money.Amount `cbor:"7,keyasint,omitempty"` // direct debits that came back after they were paid
}

// Statement is what an outlet did in a week of its own zone (relevé), and what it owes at the end of it:
// Opening + sold − cancelled − paid − back of all lines + Vouchers − Received + Returned − commissions = Closing.
type Statement struct {
	Outlet   Party           `cbor:"1,keyasint"`
	First    int32           `cbor:"2,keyasint"` // days since 1970-01-01, in the outlet's zone
	Last     int32           `cbor:"3,keyasint"` // inclusive
	Terms    [32]byte        `cbor:"4,keyasint"` // of the outlets, in force on First; zero: none, so no commission
	Opening  int64           `cbor:"5,keyasint"` // below 0: the lottery owes the outlet
	Lines    []StatementLine `cbor:"6,keyasint"` // by game, in the order of their codes
	Vouchers money.Amount    `cbor:"7,keyasint,omitempty"`
	Received money.Amount    `cbor:"8,keyasint,omitempty"` // as in [Tally]
	Closing  int64           `cbor:"9,keyasint"`
	Returned money.Amount    `cbor:"10,keyasint,omitempty"` // as in [Tally]
	Zone     string          `cbor:"11,keyasint"`           // of the outlet when the week ended, IANA name
}

// StatementLine is what an outlet did in a game. Commission is in whole cents,
// less than nothing where more was taken back than sold; what is below the cent is
// carried into the next statement, as numerator and denominator of a cent.
type StatementLine struct {
	_          struct{} `cbor:",toarray"`
	Game       string
	Sold       money.Amount
	Cancelled  money.Amount
	Paid       money.Amount
	Back       money.Amount
	Commission int64
	Carried    [2]uint64
}

// States of a direct debit: sent to the bank, then paid or returned, or returned after it was paid.
const (
	DebitSent     = "sent"
	DebitPaid     = "paid"
	DebitReturned = "returned"
)

// Debit moves statements on: into a file of direct debits, paid by the bank of
// the outlet, or returned by it, before or after they were paid.
type Debit struct {
	Command Command     `cbor:"1,keyasint"`
	By      Party       `cbor:"2,keyasint"`
	State   string      `cbor:"3,keyasint"`           // [DebitSent], [DebitPaid] or [DebitReturned]
	Lines   []DebitLine `cbor:"4,keyasint"`           // each statement once
	Undone  bool        `cbor:"5,keyasint,omitempty"` // of "returned": they were paid before
}

// DebitLine is the direct debit of a statement.
type DebitLine struct {
	_         struct{} `cbor:",toarray"`
	Statement uint64   // index of its record
	Outlet    Party
	Amount    money.Amount // more than 0
}

// Stop stops the payment of a ticket that was lost or stolen (opposition), or lifts the stop.
type Stop struct {
	Command  Command `cbor:"1,keyasint"`
	By       Party   `cbor:"2,keyasint"`
	Ticket   uint64  `cbor:"3,keyasint"`
	Lifted   bool    `cbor:"4,keyasint,omitempty"`
	Decision uint64  `cbor:"5,keyasint,omitempty"` // that lifted it
	Reason   []byte  `cbor:"6,keyasint,omitempty"` // SHA-256(salt ‖ reason), both private
}

// Reprint is a ticket printed once more, marked as such.
type Reprint struct {
	Command  Command `cbor:"1,keyasint"`
	Outlet   Party   `cbor:"2,keyasint"`
	Terminal Party   `cbor:"3,keyasint"`
	Ticket   uint64  `cbor:"4,keyasint"`
}

// Notice is a message of the operator that terminals show until an instant.
type Notice struct {
	Command Command `cbor:"1,keyasint"`
	By      Party   `cbor:"2,keyasint"`
	Outlet  Party   `cbor:"3,keyasint"` // zero: all
	FR      string  `cbor:"4,keyasint"`
	EN      string  `cbor:"5,keyasint"`
	Until   int64   `cbor:"6,keyasint"` // µs
}

// Retraction takes a notice back before its time: terminals show it no more.
type Retraction struct {
	Command Command `cbor:"1,keyasint"`
	By      Party   `cbor:"2,keyasint"`
	Notice  uint64  `cbor:"3,keyasint"` // index of its record
}

// Erasure is payees that are kept no longer: all of payments up to a record. What those
// records say of them, a hash, stays.
type Erasure struct {
	Count uint64 `cbor:"1,keyasint"` // payees removed; more than 0
	Last  uint64 `cbor:"2,keyasint"` // index of the payment of the last of them
}

// Kind is the number of the record type.
func (*Tally) Kind() Kind { return KindTally }

// Kind is the number of the record type.
func (*Statement) Kind() Kind { return KindStatement }

// Kind is the number of the record type.
func (*Debit) Kind() Kind { return KindDebit }

// Kind is the number of the record type.
func (*Stop) Kind() Kind { return KindStop }

// Kind is the number of the record type.
func (*Reprint) Kind() Kind { return KindReprint }

// Kind is the number of the record type.
func (*Notice) Kind() Kind { return KindNotice }

// Kind is the number of the record type.
func (*Erasure) Kind() Kind { return KindErasure }

// Kind is the number of the record type.
func (*Retraction) Kind() Kind { return KindRetraction }

// checkOutlets checks the bodies of outlets' accounts and of tickets after their sale.
func checkOutlets(body Body) error {
	var totals []money.Amount
	var texts []string
	var times []int64
	switch b := body.(type) {
	case *Tally:
		totals = []money.Amount{b.Sold, b.Cancelled, b.Paid, b.Back, b.Vouchers, magnitude(b.Received), b.Returned}
	case *Statement:
		if err := checkStatement(b); err != nil {
			return err
		}
		texts = append(texts, b.Zone)
		for _, l := range b.Lines {
			texts = append(texts, l.Game)
		}
	case *Debit:
		if err := checkDebit(b); err != nil {
			return err
		}
		for _, l := range b.Lines {
			totals = append(totals, l.Amount)
		}
	case *Notice:
		if len(b.FR) > NoticeMax || len(b.EN) > NoticeMax {
			return fmt.Errorf("%w: a notice of %d and %d bytes, at most %d", ErrRecord, len(b.FR), len(b.EN), NoticeMax)
		}
		texts, times = []string{b.FR, b.EN}, []int64{b.Until}
	case *Stop, *Reprint, *Erasure, *Retraction: // neither sums nor texts
	default:
		return fmt.Errorf("%w: body %T", ErrRecord, body)
	}
	if err := checkTotals(body.Kind(), totals...); err != nil {
		return err
	}
	return checkAll(body.Kind(), nil, texts, times)
}

// checkDebit checks that direct debits come into a state that there is, each of
// something, and each statement once.
func checkDebit(b *Debit) error {
	if n := len(b.Lines); n == 0 || n > DebitLinesMax {
		return fmt.Errorf("%w: %d direct debits, 1 to %d go into a record", ErrRecord, n, DebitLinesMax)
	}
	switch b.State {
	case DebitReturned:
	case DebitSent, DebitPaid:
		if b.Undone {
			return fmt.Errorf("%w: direct debits %s that were paid before", ErrRecord, b.State)
		}
	default:
		return fmt.Errorf("%w: direct debits in the state %.20q", ErrRecord, b.State)
	}
	seen := make(map[uint64]bool, len(b.Lines))
	for _, l := range b.Lines {
		if l.Amount <= 0 {
			return fmt.Errorf("%w: direct debit of %s €", ErrRecord, l.Amount)
		}
		if seen[l.Statement] {
			return fmt.Errorf("%w: direct debits with statement %d twice", ErrRecord, l.Statement)
		}
		seen[l.Statement] = true
	}
	return nil
}

// checkStatement checks that a statement adds up, and that less than a cent is carried.
func checkStatement(b *Statement) error {
	if b.Last < b.First {
		return fmt.Errorf("%w: statement from day %d to %d", ErrRecord, b.First, b.Last)
	}
	if n := len(b.Lines); n > StatementGamesMax {
		return fmt.Errorf("%w: statement of %d games, at most %d", ErrRecord, n, StatementGamesMax)
	}
	amounts := []money.Amount{b.Vouchers, b.Returned}
	owed := []int64{b.Opening, b.Closing, int64(b.Received)}
	for i, l := range b.Lines {
		amounts = append(amounts, l.Sold, l.Cancelled, l.Paid, l.Back)
		owed = append(owed, l.Commission)
		if num, den := l.Carried[0], l.Carried[1]; num >= den {
			return fmt.Errorf("%w: statement that carries %d/%d of a cent", ErrRecord, num, den)
		}
		if i > 0 && b.Lines[i-1].Game >= l.Game {
			return fmt.Errorf("%w: statement with %s before %s", ErrRecord, b.Lines[i-1].Game, l.Game)
		}
	}
	for _, a := range owed { // bounded first: then no sum of so few overflows
		if a > int64(money.Limit) || a < -int64(money.Limit) {
			return amountError(KindStatement, money.Amount(a))
		}
	}
	for _, a := range amounts {
		if badAmount(a) {
			return amountError(KindStatement, a)
		}
	}
	closing := b.Opening + int64(b.Vouchers-b.Received+b.Returned)
	for _, l := range b.Lines {
		closing += int64(l.Sold-l.Cancelled-l.Paid-l.Back) - l.Commission
	}
	if closing != b.Closing {
		return fmt.Errorf("%w: statement that closes with %s €, adding up to %s €", ErrRecord, money.Amount(b.Closing), money.Amount(closing))
	}
	return nil
}

// magnitude is an amount without its sign; the least of all, which has none, stays below 0.
func magnitude(a money.Amount) money.Amount {
	if a < 0 {
		return -a
	}
	return a
}
