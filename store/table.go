package store

import (
	"cmp"
	"database/sql/driver"
	"fmt"
	"strconv"
	"strings"

	"tirage/money"
)

// A table describes once how a row type lies in its table: for the hot
// inserts of both engines, and for every SELECT.
type table[R any] struct {
	name    string
	from    string // what is read instead of the table, with its columns; empty: the table
	columns []column[R]
	upsert  string // what to do for a row whose key exists; empty: it is an error
}

// A column is a name and where its value lies in a row. Exactly one of the
// accessors is set; it gives the type too.
type column[R any] struct {
	name  string
	named bool // stands as its number in the name table
	int   func(*R) int64
	text  func(*R) string
	blob  func(*R) []byte
	scan  func(*R) any // destination for Scan
}

// integer is the types that are stored as a 64-bit integer.
type integer interface {
	~int | ~int32 | ~int64 | ~uint64
}

func ints[R any, I integer](name string, field func(*R) *I) column[R] {
	return column[R]{
		name: name,
		int:  func(r *R) int64 { return int64(*field(r)) },
		scan: func(r *R) any { return field(r) },
	}
}

func texts[R any](name string, field func(*R) *string) column[R] {
	return column[R]{
		name: name,
		text: func(r *R) string { return *field(r) },
		scan: func(r *R) any { return field(r) },
	}
}

// names is a text that stands in very many rows: see the name table.
func names[R any](column string, field func(*R) *string) (c column[R]) {
	c = texts(column, field)
	c.named = true
	return c
}

func blobs[R any](name string, field func(*R) *[]byte) column[R] {
	return column[R]{
		name: name,
		blob: func(r *R) []byte { return notNil(*field(r)) },
		scan: func(r *R) any { return field(r) },
	}
}

// notNil is for columns, none of which takes a NULL: nothing is no bytes.
func notNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

func bools[R any](name string, field func(*R) *bool) column[R] {
	return column[R]{
		name: name,
		int: func(r *R) int64 {
			if *field(r) {
				return 1
			}
			return 0
		},
		scan: func(r *R) any { return field(r) },
	}
}

// value is the column of a row as a driver takes it.
func (c *column[R]) value(r *R, ids map[string]int64) driver.Value {
	switch {
	case c.named:
		return ids[c.text(r)]
	case c.int != nil:
		return c.int(r)
	case c.text != nil:
		return c.text(r)
	default:
		return c.blob(r)
	}
}

// slice is the column of many rows, as PostgreSQL's unnest takes it.
func (c *column[R]) slice(rows []R, ids map[string]int64) any {
	switch {
	case c.named:
		return gather(rows, func(r *R) int64 { return ids[c.text(r)] })
	case c.int != nil:
		return gather(rows, c.int)
	case c.text != nil:
		return gather(rows, c.text)
	default:
		return gather(rows, c.blob)
	}
}

func gather[R, T any](rows []R, of func(*R) T) []T {
	out := make([]T, len(rows))
	for i := range rows {
		out[i] = of(&rows[i])
	}
	return out
}

// list lists the columns.
func (t *table[R]) list() string {
	var out []string
	for _, c := range t.columns {
		out = append(out, c.name)
	}
	return strings.Join(out, ", ")
}

// selects begins a query for whole rows of the table, which is t in it.
func (t *table[R]) selects() string {
	var out []string
	for _, c := range t.columns {
		if c.named {
			out = append(out, nameOf("t."+c.name)+" AS "+c.name)
		} else {
			out = append(out, "t."+c.name)
		}
	}
	return "SELECT " + strings.Join(out, ", ") + " FROM " + cmp.Or(t.from, t.name) + " t "
}

// nameOf is the name that has a number.
func nameOf(id string) string { return "(SELECT name FROM name WHERE id = " + id + ")" }

// insertValues inserts n rows on SQLite. A conflict fails without undoing the
// statement, which saves its journal: the turn is rolled back as a whole.
func (t *table[R]) insertValues(n int) string {
	row := "(?" + strings.Repeat(", ?", len(t.columns)-1) + ")"
	return "INSERT OR FAIL INTO " + t.name + " (" + t.list() + ") VALUES " + row + strings.Repeat(", "+row, n-1) + t.upsert
}

// insertUnnest inserts any number of rows on PostgreSQL, from an array a column.
func (t *table[R]) insertUnnest() string {
	var arrays strings.Builder
	for i, c := range t.columns {
		if i > 0 {
			arrays.WriteString(", ")
		}
		arrays.WriteString("$" + strconv.Itoa(i+1))
		switch {
		case c.int != nil || c.named:
			arrays.WriteString("::bigint[]")
		case c.text != nil:
			arrays.WriteString("::text[]")
		default:
			arrays.WriteString("::bytea[]")
		}
	}
	return "INSERT INTO " + t.name + " (" + t.list() + ") SELECT * FROM unnest(" + arrays.String() + ")" + t.upsert
}

// destinations are where Scan puts the columns of a row.
func (t *table[R]) destinations(r *R) []any {
	out := make([]any, len(t.columns))
	for i, c := range t.columns {
		out[i] = c.scan(r)
	}
	return out
}

// id is the key of a posting.
func (p *Posting) id() int64 { return int64(p.Entry)<<16 | int64(p.N) }

// postingID scans the key of a posting.
type postingID Posting

// Scan reads the key.
func (p *postingID) Scan(value any) error {
	id, ok := value.(int64)
	if !ok || id < 0 {
		return fmt.Errorf("posting: id %v", value)
	}
	p.Entry, p.N = uint64(id)>>16, int(id&0xffff)
	return nil
}

// change is what a turn adds to the balance of an account.
type change struct {
	account string
	amount  money.Amount
}

var (
	turnTable = table[Turn]{name: "turn", columns: []column[Turn]{
		ints("first", func(r *Turn) *uint64 { return &r.First }),
		ints("count", func(r *Turn) *uint64 { return &r.Count }),
		ints("at", func(r *Turn) *int64 { return &r.At }),
		blobs("records", func(r *Turn) *[]byte { return &r.Records }),
	}}
	tileTable = table[Tile]{name: "tile", columns: []column[Tile]{
		ints("level", func(r *Tile) *int { return &r.Level }),
		ints("n", func(r *Tile) *uint64 { return &r.N }),
		blobs("hashes", func(r *Tile) *[]byte { return &r.Hashes }),
	}}
	commandTable = table[Command]{name: "command", columns: []column[Command]{
		blobs("key", func(r *Command) *[]byte { return &r.Key }),
		names("scope", func(r *Command) *string { return &r.Scope }),
		blobs("content", func(r *Command) *[]byte { return &r.Content }),
		ints("record", func(r *Command) *uint64 { return &r.Record }),
	}}
	rulesTable = table[Rules]{name: "rules", columns: []column[Rules]{
		ints("record", func(r *Rules) *uint64 { return &r.Record }),
		blobs("hash", func(r *Rules) *[]byte { return &r.Hash }),
		texts("game", func(r *Rules) *string { return &r.Game }),
		texts("version", func(r *Rules) *string { return &r.Version }),
		ints("first_day", func(r *Rules) *int32 { return &r.FirstDay }),
		blobs("book", func(r *Rules) *[]byte { return &r.Book }),
	}}
	outletTable = table[Outlet]{name: "outlet", columns: []column[Outlet]{
		ints("record", func(r *Outlet) *uint64 { return &r.Record }),
		texts("id", func(r *Outlet) *string { return &r.ID }),
		ints("number", func(r *Outlet) *int { return &r.Number }),
		texts("territory", func(r *Outlet) *string { return &r.Territory }),
		texts("zone", func(r *Outlet) *string { return &r.Zone }),
		ints("credit_limit", func(r *Outlet) *money.Amount { return &r.CreditLimit }),
		bools("blocked", func(r *Outlet) *bool { return &r.Blocked }),
		bools("centre", func(r *Outlet) *bool { return &r.Centre }),
		texts("cause", func(r *Outlet) *string { return &r.Cause }),
		ints("at", func(r *Outlet) *int64 { return &r.At }),
	}}
	terminalTable = table[Terminal]{name: "terminal", columns: []column[Terminal]{
		ints("record", func(r *Terminal) *uint64 { return &r.Record }),
		texts("id", func(r *Terminal) *string { return &r.ID }),
		texts("outlet", func(r *Terminal) *string { return &r.Outlet }),
		ints("renewed", func(r *Terminal) *int { return &r.Renewed }),
		bools("withdrawn", func(r *Terminal) *bool { return &r.Withdrawn }),
	}}
	officerTable = table[Officer]{name: "officer", columns: []column[Officer]{
		ints("record", func(r *Officer) *uint64 { return &r.Record }),
		texts("id", func(r *Officer) *string { return &r.ID }),
		texts("roles", func(r *Officer) *string { return &r.Roles }),
	}}
	drawTable = table[Draw]{name: "draw", columns: []column[Draw]{
		ints("id", func(r *Draw) *int64 { return &r.ID }),
		texts("game", func(r *Draw) *string { return &r.Game }),
		blobs("rules", func(r *Draw) *[]byte { return &r.Rules }),
		ints("day", func(r *Draw) *int32 { return &r.Day }),
		ints("number", func(r *Draw) *int { return &r.Number }),
		ints("session", func(r *Draw) *int { return &r.Session }),
		ints("opens_at", func(r *Draw) *int64 { return &r.OpensAt }),
		ints("closes_at", func(r *Draw) *int64 { return &r.ClosesAt }),
		ints("draws_at", func(r *Draw) *int64 { return &r.DrawsAt }),
		ints("record", func(r *Draw) *uint64 { return &r.Record }),
	}}
	// movedTable is the draws with the times of their newest move. Few draws are
	// ever moved: for a draw it is one look into an index that is all but empty.
	movedTable = table[Draw]{name: "draw", columns: drawTable.columns, from: `(
		SELECT d.id, d.game, d.rules, d.day, d.number, d.session, d.opens_at, d.record,
			COALESCE(m.closes_at, d.closes_at) AS closes_at, COALESCE(m.draws_at, d.draws_at) AS draws_at
		FROM draw d LEFT JOIN draw_move m ON m.draw = d.id AND m.record = (SELECT MAX(record) FROM draw_move WHERE draw = d.id))`}
	moveTable = table[Move]{name: "draw_move", columns: []column[Move]{
		ints("draw", func(r *Move) *int64 { return &r.Draw }),
		ints("record", func(r *Move) *uint64 { return &r.Record }),
		ints("closes_at", func(r *Move) *int64 { return &r.ClosesAt }),
		ints("draws_at", func(r *Move) *int64 { return &r.DrawsAt }),
		bools("early", func(r *Move) *bool { return &r.Early }),
	}}
	stepTable = table[Step]{name: "draw_step", columns: []column[Step]{
		ints("draw", func(r *Step) *int64 { return &r.Draw }),
		texts("state", func(r *Step) *string { return &r.State }),
		ints("at", func(r *Step) *int64 { return &r.At }),
		ints("record", func(r *Step) *uint64 { return &r.Record }),
	}}
	closeTable = table[Close]{name: "draw_close", columns: []column[Close]{
		ints("draw", func(r *Close) *int64 { return &r.Draw }),
		ints("wagers", func(r *Close) *int64 { return &r.Wagers }),
		ints("parts", func(r *Close) *int64 { return &r.Parts }),
		ints("stakes", func(r *Close) *money.Amount { return &r.Stakes }),
		ints("cancelled", func(r *Close) *int64 { return &r.Cancelled }),
		blobs("root", func(r *Close) *[]byte { return &r.Root }),
	}}
	resultTable = table[Result]{name: "result", columns: []column[Result]{
		ints("draw", func(r *Result) *int64 { return &r.Draw }),
		texts("elements", func(r *Result) *string { return &r.Elements }),
		ints("times", func(r *Result) *int { return &r.Times }),
	}}
	shareTable = table[Share]{name: "share", columns: []column[Share]{
		ints("draw", func(r *Share) *int64 { return &r.Draw }),
		ints("prize_table", func(r *Share) *int { return &r.Table }),
		ints("tier", func(r *Share) *int { return &r.Tier }),
		ints("winners", func(r *Share) *int64 { return &r.Winners }),
		ints("units", func(r *Share) *int64 { return &r.Units }),
		ints("unit_value", func(r *Share) *money.Amount { return &r.UnitValue }),
		ints("total", func(r *Share) *money.Amount { return &r.Total }),
	}}
	jackpotTable = table[JackpotMove]{name: "jackpot", columns: []column[JackpotMove]{
		ints("draw", func(r *JackpotMove) *int64 { return &r.Draw }),
		texts("game", func(r *JackpotMove) *string { return &r.Game }),
		ints("record", func(r *JackpotMove) *uint64 { return &r.Record }),
		ints("before", func(r *JackpotMove) *money.Amount { return &r.Before }),
		ints("top_up", func(r *JackpotMove) *money.Amount { return &r.TopUp }),
		ints("contribution", func(r *JackpotMove) *money.Amount { return &r.Contribution }),
		ints("carried_num", func(r *JackpotMove) *uint64 { return &r.CarriedNum }),
		ints("carried_den", func(r *JackpotMove) *uint64 { return &r.CarriedDen }),
		texts("ended", func(r *JackpotMove) *string { return &r.End }),
		texts("extra", func(r *JackpotMove) *string { return &r.Extra }),
		ints("tier", func(r *JackpotMove) *int { return &r.Tier }),
		ints("paid", func(r *JackpotMove) *money.Amount { return &r.Paid }),
		ints("rest", func(r *JackpotMove) *money.Amount { return &r.Rest }),
		ints("after", func(r *JackpotMove) *money.Amount { return &r.After }),
	}}
	refundTable = table[Refund]{name: "refund", columns: []column[Refund]{
		ints("draw", func(r *Refund) *int64 { return &r.Draw }),
		ints("record", func(r *Refund) *uint64 { return &r.Record }),
	}}
	expiryTable = table[Expiry]{name: "expiry", columns: []column[Expiry]{
		ints("last_draw", func(r *Expiry) *int64 { return &r.LastDraw }),
		ints("record", func(r *Expiry) *uint64 { return &r.Record }),
		ints("prizes", func(r *Expiry) *money.Amount { return &r.Prizes }),
		ints("back", func(r *Expiry) *money.Amount { return &r.Back }),
	}}
	extensionTable = table[Extension]{name: "extension", columns: []column[Extension]{
		ints("record", func(r *Extension) *uint64 { return &r.Record }),
		texts("game", func(r *Extension) *string { return &r.Game }),
		ints("first_day", func(r *Extension) *int32 { return &r.From }),
		ints("last_day", func(r *Extension) *int32 { return &r.To }),
		ints("until_day", func(r *Extension) *int32 { return &r.Until }),
	}}
	proposalTable = table[Proposal]{name: "proposal", columns: []column[Proposal]{
		ints("record", func(r *Proposal) *uint64 { return &r.Record }),
	}}
	decisionTable = table[Decision]{name: "decision", columns: []column[Decision]{
		ints("proposal", func(r *Decision) *uint64 { return &r.Proposal }),
		ints("record", func(r *Decision) *uint64 { return &r.Record }),
		bools("approved", func(r *Decision) *bool { return &r.Approved }),
	}}
	ticketTable = table[Ticket]{name: "ticket", columns: []column[Ticket]{
		ints("number", func(r *Ticket) *uint64 { return &r.Number }),
		names("outlet", func(r *Ticket) *string { return &r.Outlet }),
		ints("last_draw", func(r *Ticket) *int64 { return &r.LastDraw }),
		ints("price", func(r *Ticket) *money.Amount { return &r.Price }),
	}}
	partTable = table[Part]{name: "part", columns: []column[Part]{
		ints("draw", func(r *Part) *int64 { return &r.Draw }),
		ints("ticket", func(r *Part) *uint64 { return &r.Ticket }),
		ints("n", func(r *Part) *int { return &r.N }),
		ints("combination", func(r *Part) *int64 { return &r.Combination }),
		ints("units", func(r *Part) *int64 { return &r.Units }),
		ints("prize_table", func(r *Part) *int { return &r.Table }),
		ints("last_draw", func(r *Part) *int64 { return &r.LastDraw }),
	}}
	cancellationTable = table[Cancellation]{name: "cancellation", columns: []column[Cancellation]{
		ints("ticket", func(r *Cancellation) *uint64 { return &r.Ticket }),
		ints("at", func(r *Cancellation) *int64 { return &r.At }),
		ints("record", func(r *Cancellation) *uint64 { return &r.Record }),
	}}
	paymentTable = table[Payment]{name: "payment", columns: []column[Payment]{
		ints("ticket", func(r *Payment) *uint64 { return &r.Ticket }),
		ints("draw", func(r *Payment) *int64 { return &r.Draw }),
		ints("at", func(r *Payment) *int64 { return &r.At }),
		names("outlet", func(r *Payment) *string { return &r.Outlet }),
		ints("amount", func(r *Payment) *money.Amount { return &r.Amount }),
		ints("record", func(r *Payment) *uint64 { return &r.Record }),
	}}
	stopTable = table[Stop]{name: "stop", columns: []column[Stop]{
		ints("ticket", func(r *Stop) *uint64 { return &r.Ticket }),
		ints("record", func(r *Stop) *uint64 { return &r.Record }),
		ints("at", func(r *Stop) *int64 { return &r.At }),
		bools("lifted", func(r *Stop) *bool { return &r.Lifted }),
	}}
	reprintTable = table[Reprint]{name: "reprint", columns: []column[Reprint]{
		ints("ticket", func(r *Reprint) *uint64 { return &r.Ticket }),
		ints("record", func(r *Reprint) *uint64 { return &r.Record }),
		ints("at", func(r *Reprint) *int64 { return &r.At }),
	}}
	postingTable = table[Posting]{name: "posting", columns: []column[Posting]{
		{name: "id", int: (*Posting).id, scan: func(r *Posting) any { return (*postingID)(r) }},
		names("account", func(r *Posting) *string { return &r.Account }),
		ints("amount", func(r *Posting) *money.Amount { return &r.Amount }),
	}}
	balanceTable = table[change]{name: "balance", columns: []column[change]{
		names("account", func(r *change) *string { return &r.account }),
		ints("amount", func(r *change) *money.Amount { return &r.amount }),
	}, upsert: " ON CONFLICT (account) DO UPDATE SET amount = balance.amount + excluded.amount"}
)
