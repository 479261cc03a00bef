package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tirage/money"
)

// inTexts is [in] for a column of text: the keys are arguments from $from on.
func inTexts(e engine, keys []string, from int) (condition string, args []any) {
	if e == postgresEngine {
		return fmt.Sprintf(" = ANY($%d::text[])", from), []any{keys}
	}
	places := make([]string, len(keys))
	for i, key := range keys {
		places[i] = fmt.Sprintf("$%d", from+i)
		args = append(args, key)
	}
	return " IN (" + strings.Join(places, ", ") + ")", args
}

// Tallies gives the tallies of outlets on the days from one to another,
// inclusive, in any order. The days are listed: the table is by day and outlet,
// so that whatever other outlets did on them is not read.
func (r reader) Tallies(ctx context.Context, from, to int32, outlets []string) ([]Tally, error) {
	var days []int64
	for day := from; day <= to; day++ {
		days = append(days, int64(day))
	}
	var out []Tally
	for days := range slices.Chunk(days, keysMax) {
		on, args := in(r.s.engine, days)
		for chunk := range slices.Chunk(outlets, keysMax) {
			by, names := inTexts(r.s.engine, chunk, len(args)+1)
			rows, err := selectRows(ctx, r, &tallyTable, `WHERE t.day`+on+` AND t.outlet IN (SELECT n.id FROM name n WHERE n.name`+by+`)`, slices.Concat(args, names)...)
			if err != nil {
				return nil, err
			}
			out = append(out, rows...)
		}
	}
	return out, nil
}

// TalliesBetween gives the tallies of all outlets on the days from one to another, inclusive, in any order.
func (r reader) TalliesBetween(ctx context.Context, from, to int32) ([]Tally, error) {
	return selectRows(ctx, r, &tallyTable, `WHERE t.day BETWEEN $1 AND $2`, from, to)
}

// LastTally gives the newest tally record; 0: there is none.
func (r reader) LastTally(ctx context.Context) (record uint64, err error) {
	err = r.row(ctx, []any{&record}, `SELECT COALESCE(MAX(record), 0) FROM tally_mark`)
	return record, err
}

// TallyDay is a day on which an outlet did something, and what was received from it, less what came back.
type TallyDay struct {
	Outlet   string
	Day      int32
	Received money.Amount
}

// TallyDays gives the days from one on on which outlets did something, by outlet and day.
func (r reader) TallyDays(ctx context.Context, from int32) ([]TallyDay, error) {
	rows, err := r.s.query(ctx, `SELECT `+nameOf("t.outlet")+` AS outlet, t.day, CAST(SUM(t.received) - SUM(t.returned) AS BIGINT) FROM tally t WHERE t.day >= $1
		GROUP BY t.outlet, t.day ORDER BY 1, 2`, from)
	if err != nil {
		return nil, fmt.Errorf("read tally: %w", mapError(err))
	}
	defer rows.Close()
	var out []TallyDay
	for rows.Next() {
		var d TallyDay
		if err := rows.Scan(&d.Outlet, &d.Day, &d.Received); err != nil {
			return nil, fmt.Errorf("read tally: %w", err)
		}
		out = append(out, d)
	}
	return out, mapError(rows.Err())
}

// LastStatements gives, of each outlet, the newest statement and those whose
// weeks began less than so many days before its, by outlet and week.
func (r reader) LastStatements(ctx context.Context, days int) ([]Statement, error) {
	return selectRows(ctx, r, &statementTable, `JOIN (SELECT DISTINCT id FROM outlet) o ON t.outlet = o.id
		AND t.first_day > (SELECT MAX(s.first_day) FROM statement s WHERE s.outlet = o.id) - $1 ORDER BY t.outlet, t.first_day`, days)
}

// StatementBefore gives the newest statement of an outlet for days before one, or [ErrNotFound].
func (r reader) StatementBefore(ctx context.Context, outlet string, day int32) (Statement, error) {
	list, err := selectRows(ctx, r, &statementTable, `WHERE t.outlet = $1 AND t.first_day < $2 AND t.last_day < $2 ORDER BY t.first_day DESC LIMIT 1`, outlet, day)
	if err == nil && len(list) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return Statement{}, err
	}
	return list[0], nil
}

// StatementsMade gives the statements of an outlet that were made from an instant to another, inclusive (µs UTC), newest first.
func (r reader) StatementsMade(ctx context.Context, outlet string, from, to int64) ([]Statement, error) {
	return selectRows(ctx, r, &statementTable, `WHERE t.outlet = $1 AND t.at BETWEEN $2 AND $3 ORDER BY t.first_day DESC`, outlet, from, to)
}

// StatementsOf gives the statements of an outlet, newest first, at most limit.
func (r reader) StatementsOf(ctx context.Context, outlet string, limit int) ([]Statement, error) {
	return selectRows(ctx, r, &statementTable, `WHERE t.outlet = $1 ORDER BY t.first_day DESC LIMIT $2`, outlet, limit)
}

// Statements gives statements by their records, in order.
func (r reader) Statements(ctx context.Context, records []uint64) ([]Statement, error) {
	return selectKeys(ctx, r, &statementTable, "record", records, " ORDER BY t.record")
}

// StatementLines gives the lines of statements, by record and game.
func (r reader) StatementLines(ctx context.Context, records []uint64) ([]StatementLine, error) {
	return selectKeys(ctx, r, &statementLineTable, "record", records, " ORDER BY t.record, t.game")
}

// DebitSteps gives what became of the direct debits of statements, by statement and in the order taken.
func (r reader) DebitSteps(ctx context.Context, statements []uint64) ([]DebitStep, error) {
	return selectKeys(ctx, r, &debitStepTable, "statement", statements, " ORDER BY t.statement, t.record")
}

// DebitsSent gives the direct debits that a record sent to the bank, by statement.
func (r reader) DebitsSent(ctx context.Context, record uint64) ([]DebitStep, error) {
	return selectRows(ctx, r, &debitStepTable, `WHERE t.state = 'sent' AND t.record = $1 ORDER BY t.statement`, int64(record))
}

// DebitFileSums is what the direct debits come to that a record sent to the bank.
type DebitFileSums struct {
	Record uint64
	At     int64 // µs UTC
	Count  int
	Sum    money.Amount
	Open   int          // neither paid nor returned
	Left   money.Amount // of these
}

// DebitFileSums gives the files of direct debits, newest first: at most limit
// after the first skip.
func (r reader) DebitFileSums(ctx context.Context, skip, limit int) ([]DebitFileSums, error) {
	rows, err := r.s.query(ctx, `SELECT d.record, MIN(d.at), COUNT(*), CAST(SUM(d.amount) AS BIGINT),
		CAST(SUM(CASE WHEN p.statement IS NULL AND b.statement IS NULL THEN 1 ELSE 0 END) AS BIGINT),
		CAST(SUM(CASE WHEN p.statement IS NULL AND b.statement IS NULL THEN d.amount ELSE 0 END) AS BIGINT)
		FROM debit_step d
		LEFT JOIN debit_step p ON p.statement = d.statement AND p.state = 'paid'
		LEFT JOIN debit_step b ON b.statement = d.statement AND b.state = 'returned'
		WHERE d.state = 'sent' AND d.record IN (SELECT DISTINCT record FROM debit_step WHERE state = 'sent' ORDER BY record DESC LIMIT $1 OFFSET $2)
		GROUP BY d.record ORDER BY d.record DESC`, limit, skip)
	if err != nil {
		return nil, fmt.Errorf("read files of direct debits: %w", mapError(err))
	}
	defer rows.Close()
	var out []DebitFileSums
	for rows.Next() {
		var f DebitFileSums
		if err := rows.Scan(&f.Record, &f.At, &f.Count, &f.Sum, &f.Open, &f.Left); err != nil {
			return nil, fmt.Errorf("read files of direct debits: %w", err)
		}
		out = append(out, f)
	}
	return out, mapError(errors.Join(rows.Err(), rows.Close()))
}

// DebitFileCount counts the files of direct debits.
func (r reader) DebitFileCount(ctx context.Context) (n int, err error) {
	err = r.row(ctx, []any{&n}, `SELECT COUNT(DISTINCT record) FROM debit_step WHERE state = 'sent'`)
	return n, err
}

// DebitsUnderWay adds up the direct debits that were sent and neither paid nor returned, by outlet.
func (r reader) DebitsUnderWay(ctx context.Context) (map[string]money.Amount, error) {
	return r.amounts(ctx, `SELECT s.outlet, CAST(SUM(d.amount) AS BIGINT) FROM debit_step d JOIN statement s ON s.record = d.statement
		WHERE d.state = 'sent' AND NOT EXISTS (SELECT 1 FROM debit_step o WHERE o.statement = d.statement AND o.state <> 'sent') GROUP BY s.outlet`)
}

// Notices gives the notices that hold after a time (µs UTC) and were not taken back, in the order made.
func (r reader) Notices(ctx context.Context, after int64) ([]Notice, error) {
	return selectRows(ctx, r, &noticeTable, `WHERE t.until_at > $1 AND NOT EXISTS (SELECT 1 FROM retraction x WHERE x.notice = t.record) ORDER BY t.record`, after)
}

// NoticesByRecord gives notices by their records, in order.
func (r reader) NoticesByRecord(ctx context.Context, records []uint64) ([]Notice, error) {
	return selectKeys(ctx, r, &noticeTable, "record", records, " ORDER BY t.record")
}

// Retractions gives the notices that were taken back last, newest first, at most limit.
func (r reader) Retractions(ctx context.Context, limit int) ([]Retraction, error) {
	return selectRows(ctx, r, &retractionTable, `ORDER BY t.record DESC LIMIT $1`, limit)
}

// Mandate is a mandate for direct debits that an outlet signed. It is private.
type Mandate struct {
	Outlet string
	Sealed []byte
}

// DebitFile is what a file of direct debits was made of. It is private.
type DebitFile struct {
	Record uint64
	Sealed []byte
}

// Shift is a shift of a terminal, and what it is counted with. It is private.
type Shift struct {
	ID       int64
	Terminal string
	OpenedAt int64 // µs UTC
	ClosedAt int64 // µs UTC; 0: it is open
	Day      int32 // of the outlet, when it began
	Data     []byte
}

var (
	mandateTable = table[Mandate]{name: "mandate", columns: []column[Mandate]{
		texts("outlet", func(r *Mandate) *string { return &r.Outlet }),
		blobs("sealed", func(r *Mandate) *[]byte { return &r.Sealed }),
	}}
	debitFileTable = table[DebitFile]{name: "debit_file", columns: []column[DebitFile]{
		ints("record", func(r *DebitFile) *uint64 { return &r.Record }),
		blobs("sealed", func(r *DebitFile) *[]byte { return &r.Sealed }),
	}}
	shiftTable = table[Shift]{name: "shift", columns: []column[Shift]{
		ints("id", func(r *Shift) *int64 { return &r.ID }),
		texts("terminal", func(r *Shift) *string { return &r.Terminal }),
		ints("opened_at", func(r *Shift) *int64 { return &r.OpenedAt }),
		ints("closed_at", func(r *Shift) *int64 { return &r.ClosedAt }),
		ints("day", func(r *Shift) *int32 { return &r.Day }),
		blobs("data", func(r *Shift) *[]byte { return &r.Data }),
	}}
)

// SetMandate gives an outlet a mandate, in place of the one it had.
func (tx *Tx) SetMandate(ctx context.Context, m Mandate) error {
	return tx.change(ctx, `INSERT INTO mandate (outlet, sealed) VALUES ($1, $2) ON CONFLICT (outlet) DO UPDATE SET sealed = excluded.sealed`, m.Outlet, m.Sealed)
}

// Mandates gives the mandates of outlets, by outlet.
func (r reader) Mandates(ctx context.Context, outlets []string) ([]Mandate, error) {
	var out []Mandate
	for chunk := range slices.Chunk(slices.Sorted(slices.Values(outlets)), keysMax) {
		condition, args := inTexts(r.s.engine, chunk, 1)
		rows, err := selectRows(ctx, r, &mandateTable, `WHERE t.outlet`+condition+` ORDER BY t.outlet`, args...)
		if err != nil {
			return nil, err
		}
		out = append(out, rows...)
	}
	return out, nil
}

// AddShift adds a shift, and gives it its id.
func (tx *Tx) AddShift(ctx context.Context, s Shift) error {
	if err := tx.row(ctx, []any{&s.ID}, `SELECT COALESCE(MAX(id), 0) + 1 FROM shift`); err != nil {
		return fmt.Errorf("read shift: %w", err)
	}
	return addPrivate(ctx, tx, &shiftTable, s)
}

// SetShift changes a shift, or returns [ErrNotFound].
func (tx *Tx) SetShift(ctx context.Context, s Shift) error {
	return setPrivate(ctx, tx, &shiftTable, s)
}

// Shifts gives the newest shifts of a terminal, newest first, at most limit.
func (r reader) Shifts(ctx context.Context, terminal string, limit int) ([]Shift, error) {
	return selectRows(ctx, r, &shiftTable, `WHERE t.terminal = $1 ORDER BY t.id DESC LIMIT $2`, terminal, limit)
}

// AddDebitFile adds what a file of direct debits was made of.
func (tx *Tx) AddDebitFile(ctx context.Context, f DebitFile) error {
	return addPrivate(ctx, tx, &debitFileTable, f)
}

// DebitFile gives what the file of direct debits of a record was made of.
func (r reader) DebitFile(ctx context.Context, record uint64) (DebitFile, error) {
	return selectRow(ctx, r, &debitFileTable, `WHERE t.record = $1`, int64(record))
}
