package store

import (
	"cmp"
	"slices"

	"tirage/money"
)

// Tally is what a terminal of an outlet did on a local day of the outlet with
// tickets of a game: prices of tickets sold and taken back, prizes paid (Own: on
// tickets that the outlet sold), stakes of cancelled draws given back. What is of
// no game ("") are vouchers, and money received from the outlet, which is of no terminal either.
type Tally struct {
	Day        int32 // since 1970
	Outlet     string
	Terminal   string
	Game       string
	Sold       money.Amount
	SoldN      int64
	Cancelled  money.Amount
	CancelledN int64
	Paid       money.Amount
	PaidN      int64
	Back       money.Amount
	BackN      int64
	Own        money.Amount
	OwnN       int64
	Vouchers   money.Amount
	VouchersN  int64
	Received   money.Amount // less what was paid to the outlet
	Returned   money.Amount // direct debits that came back after they were paid
	Pace       money.Amount // the most that was sold in a minute of the clock, between two tally records
}

// Add adds what was done at another time.
func (t *Tally) Add(o *Tally) {
	t.Sold = t.Sold.Add(o.Sold)
	t.Cancelled = t.Cancelled.Add(o.Cancelled)
	t.Paid = t.Paid.Add(o.Paid)
	t.Back = t.Back.Add(o.Back)
	t.Own = t.Own.Add(o.Own)
	t.Vouchers = t.Vouchers.Add(o.Vouchers)
	t.Received = t.Received.Add(o.Received)
	t.Returned = t.Returned.Add(o.Returned)
	t.SoldN += o.SoldN
	t.CancelledN += o.CancelledN
	t.PaidN += o.PaidN
	t.BackN += o.BackN
	t.OwnN += o.OwnN
	t.VouchersN += o.VouchersN
	t.Pace = max(t.Pace, o.Pace)
}

// CompareTallies orders tallies by their keys, as the table does but for the numbers of names.
func CompareTallies(a, b Tally) int {
	return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Outlet, b.Outlet), cmp.Compare(a.Terminal, b.Terminal), cmp.Compare(a.Game, b.Game))
}

// SumTallies adds tallies up by their keys, and orders them.
func SumTallies(list []Tally) []Tally {
	sums := make([]Tally, 0, len(list))
	for _, t := range slices.SortedStableFunc(slices.Values(list), CompareTallies) {
		if n := len(sums); n > 0 && CompareTallies(sums[n-1], t) == 0 {
			sums[n-1].Add(&t)
		} else {
			sums = append(sums, t)
		}
	}
	return sums
}

// TallyMark is a tally record: the table of tallies has all that was done before it.
type TallyMark struct {
	Record uint64
}

// Statement is the statement of an outlet for a week.
type Statement struct {
	Record   uint64
	Outlet   string
	First    int32
	Last     int32
	Terms    []byte // hash; all zero: none were in force
	Opening  money.Amount
	Vouchers money.Amount
	Received money.Amount
	Returned money.Amount
	Closing  money.Amount
	Zone     string // of the outlet when the week ended
	At       int64  // µs UTC
}

// StatementLine is what a statement says of a game.
type StatementLine struct {
	Record     uint64
	Game       string
	Sold       money.Amount
	Cancelled  money.Amount
	Paid       money.Amount
	Back       money.Amount
	Commission money.Amount
	CarriedNum uint64
	CarriedDen uint64
}

// DebitStep is what became of the direct debit of a statement. Undone: it is
// returned after it was paid.
type DebitStep struct {
	Statement uint64
	State     string
	Amount    money.Amount
	Undone    bool
	At        int64 // µs UTC
	Record    uint64
}

// Notice is a message of the operator to the terminals of an outlet, or of all ("").
type Notice struct {
	Record uint64
	Outlet string
	FR     string
	EN     string
	Until  int64 // µs UTC
	At     int64 // µs UTC
}

// Retraction is a notice taken back.
type Retraction struct {
	Record uint64
	Notice uint64 // record
}

var (
	tallyTable = table[Tally]{name: "tally", columns: []column[Tally]{
		ints("day", func(r *Tally) *int32 { return &r.Day }),
		names("outlet", func(r *Tally) *string { return &r.Outlet }),
		texts("terminal", func(r *Tally) *string { return &r.Terminal }),
		texts("game", func(r *Tally) *string { return &r.Game }),
		ints("sold", func(r *Tally) *money.Amount { return &r.Sold }),
		ints("sold_n", func(r *Tally) *int64 { return &r.SoldN }),
		ints("cancelled", func(r *Tally) *money.Amount { return &r.Cancelled }),
		ints("cancelled_n", func(r *Tally) *int64 { return &r.CancelledN }),
		ints("paid", func(r *Tally) *money.Amount { return &r.Paid }),
		ints("paid_n", func(r *Tally) *int64 { return &r.PaidN }),
		ints("back", func(r *Tally) *money.Amount { return &r.Back }),
		ints("back_n", func(r *Tally) *int64 { return &r.BackN }),
		ints("own", func(r *Tally) *money.Amount { return &r.Own }),
		ints("own_n", func(r *Tally) *int64 { return &r.OwnN }),
		ints("vouchers", func(r *Tally) *money.Amount { return &r.Vouchers }),
		ints("vouchers_n", func(r *Tally) *int64 { return &r.VouchersN }),
		ints("received", func(r *Tally) *money.Amount { return &r.Received }),
		ints("returned", func(r *Tally) *money.Amount { return &r.Returned }),
		ints("pace", func(r *Tally) *money.Amount { return &r.Pace }),
	}, upsert: ` ON CONFLICT (day, outlet, terminal, game) DO UPDATE SET
		sold = tally.sold + excluded.sold, sold_n = tally.sold_n + excluded.sold_n,
		cancelled = tally.cancelled + excluded.cancelled, cancelled_n = tally.cancelled_n + excluded.cancelled_n,
		paid = tally.paid + excluded.paid, paid_n = tally.paid_n + excluded.paid_n, back = tally.back + excluded.back, back_n = tally.back_n + excluded.back_n,
		own = tally.own + excluded.own, own_n = tally.own_n + excluded.own_n,
		vouchers = tally.vouchers + excluded.vouchers, vouchers_n = tally.vouchers_n + excluded.vouchers_n, received = tally.received + excluded.received, returned = tally.returned + excluded.returned,
		pace = CASE WHEN excluded.pace > tally.pace THEN excluded.pace ELSE tally.pace END`}
	tallyMarkTable = table[TallyMark]{name: "tally_mark", columns: []column[TallyMark]{
		ints("record", func(r *TallyMark) *uint64 { return &r.Record }),
	}}
	statementTable = table[Statement]{name: "statement", columns: []column[Statement]{
		ints("record", func(r *Statement) *uint64 { return &r.Record }),
		texts("outlet", func(r *Statement) *string { return &r.Outlet }),
		ints("first_day", func(r *Statement) *int32 { return &r.First }),
		ints("last_day", func(r *Statement) *int32 { return &r.Last }),
		blobs("terms", func(r *Statement) *[]byte { return &r.Terms }),
		ints("opening", func(r *Statement) *money.Amount { return &r.Opening }),
		ints("vouchers", func(r *Statement) *money.Amount { return &r.Vouchers }),
		ints("received", func(r *Statement) *money.Amount { return &r.Received }),
		ints("returned", func(r *Statement) *money.Amount { return &r.Returned }),
		ints("closing", func(r *Statement) *money.Amount { return &r.Closing }),
		texts("zone", func(r *Statement) *string { return &r.Zone }),
		ints("at", func(r *Statement) *int64 { return &r.At }),
	}}
	statementLineTable = table[StatementLine]{name: "statement_line", columns: []column[StatementLine]{
		ints("record", func(r *StatementLine) *uint64 { return &r.Record }),
		texts("game", func(r *StatementLine) *string { return &r.Game }),
		ints("sold", func(r *StatementLine) *money.Amount { return &r.Sold }),
		ints("cancelled", func(r *StatementLine) *money.Amount { return &r.Cancelled }),
		ints("paid", func(r *StatementLine) *money.Amount { return &r.Paid }),
		ints("back", func(r *StatementLine) *money.Amount { return &r.Back }),
		ints("commission", func(r *StatementLine) *money.Amount { return &r.Commission }),
		ints("carried_num", func(r *StatementLine) *uint64 { return &r.CarriedNum }),
		ints("carried_den", func(r *StatementLine) *uint64 { return &r.CarriedDen }),
	}}
	debitStepTable = table[DebitStep]{name: "debit_step", columns: []column[DebitStep]{
		ints("statement", func(r *DebitStep) *uint64 { return &r.Statement }),
		texts("state", func(r *DebitStep) *string { return &r.State }),
		ints("amount", func(r *DebitStep) *money.Amount { return &r.Amount }),
		bools("undone", func(r *DebitStep) *bool { return &r.Undone }),
		ints("at", func(r *DebitStep) *int64 { return &r.At }),
		ints("record", func(r *DebitStep) *uint64 { return &r.Record }),
	}}
	noticeTable = table[Notice]{name: "notice", columns: []column[Notice]{
		ints("record", func(r *Notice) *uint64 { return &r.Record }),
		texts("outlet", func(r *Notice) *string { return &r.Outlet }),
		texts("fr", func(r *Notice) *string { return &r.FR }),
		texts("en", func(r *Notice) *string { return &r.EN }),
		ints("until_at", func(r *Notice) *int64 { return &r.Until }),
		ints("at", func(r *Notice) *int64 { return &r.At }),
	}}
	retractionTable = table[Retraction]{name: "retraction", columns: []column[Retraction]{
		ints("record", func(r *Retraction) *uint64 { return &r.Record }),
		ints("notice", func(r *Retraction) *uint64 { return &r.Notice }),
	}}
)
