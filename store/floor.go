package store

import (
	"context"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// Floor measures the engine itself, for a benchmark to stand beside: it writes
// the rows of so many wagers (one board in one draw each), batch of them a
// transaction, as bare multi-row statements, as durable as a turn, into tables
// of the same schema in a scratch database (a scratch schema on PostgreSQL)
// beside this one, which is removed after. It gives wagers a second.
//
// Nothing of a turn is in it: no reads, no lock on the head beyond its update,
// no row types; the values are ready but for the few that differ.
func (db *DB) Floor(ctx context.Context, wagers, batch int) (perSecond int64, err error) {
	if wagers < 1 || batch < 1 || batch > 1000 {
		return 0, fmt.Errorf("floor of %d wagers, %d a transaction: want at least 1, and at most 1000 a transaction", wagers, batch)
	}
	scratch, remove, err := db.scratch(ctx)
	if err != nil {
		return 0, fmt.Errorf("floor: %w", err)
	}
	defer func() { err = errors.Join(err, scratch.Close(), remove()) }()

	s, err := scratch.takeWriter(ctx)
	if err != nil {
		return 0, fmt.Errorf("floor: %w", err)
	}
	defer func() { err = errors.Join(err, scratch.giveWriter(s)) }()
	f := newFloor(batch)
	write := f.postgres
	if scratch.engine == sqliteEngine {
		if err := f.prepare(ctx, s); err != nil {
			return 0, fmt.Errorf("floor: %w", err)
		}
		write = f.sqlite
	}
	start := time.Now()
	for ; f.size < int64(wagers); f.advance() {
		if err := write(ctx, s); err != nil {
			return 0, fmt.Errorf("floor: %w", err)
		}
	}
	return f.size * int64(time.Second) / max(1, int64(time.Since(start))), nil
}

// scratch opens an empty database of the same engine on the same disk.
func (db *DB) scratch(ctx context.Context) (scratch *DB, remove func() error, err error) {
	if file, ok := strings.CutPrefix(db.dsn, "sqlite:"); ok {
		folder, err := os.MkdirTemp(filepath.Dir(file), "floor-")
		if err != nil {
			return nil, nil, err
		}
		remove = func() error { return os.RemoveAll(folder) }
		scratch, err = Open(ctx, "sqlite:"+filepath.Join(folder, "floor.db"))
		if err != nil {
			return nil, nil, errors.Join(err, remove())
		}
		return scratch, remove, nil
	}
	address, err := url.Parse(db.dsn)
	if err != nil {
		return nil, nil, errors.New("unreadable address")
	}
	name := fmt.Sprintf("floor_%d_%d", os.Getpid(), time.Now().UnixNano())
	query := address.Query()
	query.Set("search_path", name)
	address.RawQuery = query.Encode()
	if _, err := db.readers.ExecContext(ctx, "CREATE SCHEMA "+name); err != nil {
		return nil, nil, err
	}
	remove = func() error {
		_, err := db.readers.ExecContext(context.WithoutCancel(ctx), "DROP SCHEMA "+name+" CASCADE")
		return err
	}
	scratch, err = Open(ctx, address.String())
	if err != nil {
		return nil, nil, errors.Join(err, remove())
	}
	return scratch, remove, nil
}

// floor is the values of a batch, in arrays as PostgreSQL takes them, and for
// SQLite in argument lists.
type floor struct {
	batch int
	size  int64 // wagers written: the next journal index

	numbers, entries, ones, twos, zeros, combinations, amounts, totals []int64
	outlets, scopes, accounts, debits                                  []int64 // numbers of names
	keys, contents                                                     [][]byte
	records, root                                                      []byte

	begin, commit                                       driver.Stmt
	turn, command, ticket, part, posting, head, balance statement
}

// A statement is prepared, with its arguments.
type statement struct {
	stmt driver.Stmt
	args []driver.NamedValue
}

const (
	floorOutlets = 256 // sellers
	floorRecord  = 130 // bytes of a sale's record, its length included
)

func newFloor(batch int) *floor {
	f := &floor{batch: batch, records: make([]byte, floorRecord*batch), root: make([]byte, 32)}
	for i := range batch {
		outlet := int64(2 + i%floorOutlets)
		f.keys = append(f.keys, make([]byte, 16))
		f.contents = append(f.contents, make([]byte, 32))
		f.outlets = append(f.outlets, outlet)
		f.scopes = append(f.scopes, floorOutlets+outlet)
		f.accounts = append(f.accounts, outlet, 1)
		f.amounts = append(f.amounts, 200, -200)
		f.ones, f.twos, f.zeros = append(f.ones, 1), append(f.twos, 200), append(f.zeros, 0)
		if i < floorOutlets {
			f.debits, f.totals = append(f.debits, outlet), append(f.totals, 200)
		}
	}
	f.debits, f.totals = append(f.debits, 1), append(f.totals, -200*int64(batch))
	f.numbers, f.combinations, f.entries = make([]int64, batch), make([]int64, batch), make([]int64, 2*batch)
	f.number()
	return f
}

func (f *floor) advance() {
	f.size += int64(f.batch)
	f.number()
}

// number sets the values that differ from batch to batch.
func (f *floor) number() {
	for i := range f.batch {
		n := f.size + int64(i)
		f.numbers[i], f.entries[2*i], f.entries[2*i+1] = n, n<<16, n<<16|1
		f.combinations[i] = n * 7919 % 348_840
		binary.BigEndian.PutUint64(f.keys[i], uint64(n))
		binary.BigEndian.PutUint64(f.keys[i][8:], uint64(n)*0x9e3779b97f4a7c15)
	}
}

const floorHead = `UPDATE head SET size = $1, at = $2, frontier = $3, root = $4 WHERE id = 1`

// postgres writes a batch in one round trip.
func (f *floor) postgres(ctx context.Context, s *session) error {
	var b pgx.Batch
	b.Queue("BEGIN")
	b.Queue("INSERT INTO turn (first, count, at, records) VALUES ($1, $2, $3, $4)", f.size, f.batch, f.size, f.records)
	b.Queue(commandTable.insertUnnest(), f.keys, f.scopes, f.contents, f.numbers)
	b.Queue(ticketTable.insertUnnest(), f.numbers, f.outlets, f.ones, f.twos)
	b.Queue(partTable.insertUnnest(), f.ones, f.numbers, f.zeros, f.combinations, f.ones, f.zeros, f.ones)
	b.Queue(postingTable.insertUnnest(), f.entries, f.accounts, f.amounts)
	b.Queue(balanceTable.insertUnnest(), f.debits, f.totals)
	b.Queue(floorHead, f.size+int64(f.batch), f.size, f.root, f.root)
	b.Queue("COMMIT")
	return s.sendBatch(ctx, &b)
}

// prepare prepares the statements of SQLite with the arguments that stay.
func (f *floor) prepare(ctx context.Context, s *session) error {
	n := f.batch
	return s.conn.Raw(func(conn any) error {
		for _, p := range []struct {
			to   *statement
			text string
			args []any // slices: a column each, of as many rows
		}{
			{&f.turn, turnTable.insertValues(1), []any{[]int64{0}, []int64{int64(n)}, []int64{0}, [][]byte{f.records}}},
			{&f.command, commandTable.insertValues(n), []any{f.keys, f.scopes, f.contents, f.numbers}},
			{&f.ticket, ticketTable.insertValues(n), []any{f.numbers, f.outlets, f.ones, f.twos}},
			{&f.part, partTable.insertValues(n), []any{f.ones, f.numbers, f.zeros, f.combinations, f.ones, f.zeros, f.ones}},
			{&f.posting, postingTable.insertValues(2 * n), []any{f.entries, f.accounts, f.amounts}},
			{&f.balance, balanceTable.insertValues(len(f.debits)), []any{f.debits, f.totals}},
			{&f.head, floorHead, []any{[]int64{0}, []int64{0}, [][]byte{f.root}, [][]byte{f.root}}},
		} {
			p.to.args = interleave(p.args)
			var err error
			if p.to.stmt, err = conn.(driver.ConnPrepareContext).PrepareContext(ctx, p.text); err != nil {
				return err
			}
		}
		var err error
		if f.begin, err = conn.(driver.ConnPrepareContext).PrepareContext(ctx, "BEGIN IMMEDIATE"); err != nil {
			return err
		}
		f.commit, err = conn.(driver.ConnPrepareContext).PrepareContext(ctx, "COMMIT")
		return err
	})
}

// interleave gives columns as the arguments of a multi-row statement.
func interleave(columns []any) []driver.NamedValue {
	var args []driver.NamedValue
	put := func(row, column int, value any) {
		i := row*len(columns) + column
		for len(args) <= i {
			args = append(args, driver.NamedValue{Ordinal: len(args) + 1})
		}
		args[i].Value = value
	}
	for c := range columns {
		switch column := columns[c].(type) {
		case []int64:
			for i, v := range column {
				put(i, c, v)
			}
		case [][]byte:
			for i, v := range column {
				put(i, c, v)
			}
		}
	}
	return args
}

// sqlite writes a batch. The keys of command are the same bytes each time, so
// only numbers are to be set.
func (f *floor) sqlite(ctx context.Context, s *session) error {
	f.turn.args[0].Value, f.turn.args[2].Value = f.size, f.size
	f.head.args[0].Value, f.head.args[1].Value = f.size+int64(f.batch), f.size
	for i := range f.batch {
		var n driver.Value = f.numbers[i]
		f.command.args[4*i+3].Value = n
		f.ticket.args[4*i].Value = n
		f.part.args[7*i+1].Value, f.part.args[7*i+3].Value = n, f.combinations[i]
		f.posting.args[6*i].Value, f.posting.args[6*i+3].Value = f.entries[2*i], f.entries[2*i+1]
	}
	ctx = context.WithoutCancel(ctx)
	return s.conn.Raw(func(any) error {
		for _, st := range []statement{{stmt: f.begin}, f.turn, f.command, f.ticket, f.part, f.posting, f.balance, f.head, {stmt: f.commit}} {
			if _, err := st.stmt.(driver.StmtExecContext).ExecContext(ctx, st.args); err != nil {
				return err
			}
		}
		return nil
	})
}

// FloorScan measures how fast the engine gives the parts of a draw, for a
// settlement to stand beside: one bare statement over the same rows. It gives parts a second.
func (db *DB) FloorScan(ctx context.Context, draw int64) (perSecond int64, err error) {
	err = db.View(ctx, func(tx *Snapshot) error {
		start, n := time.Now(), int64(0)
		rows, err := tx.s.query(ctx, `SELECT combination, units, prize_table, last_draw FROM part WHERE draw = $1`, draw)
		if err != nil {
			return err
		}
		defer rows.Close()
		var combination, units, table, last int64
		for ; rows.Next(); n++ {
			if err := rows.Scan(&combination, &units, &table, &last); err != nil {
				return err
			}
		}
		perSecond = n * int64(time.Second) / max(1, int64(time.Since(start)))
		return errors.Join(rows.Err(), rows.Close())
	})
	if err != nil {
		return 0, fmt.Errorf("floor of scanning draw %d: %w", draw, mapError(err))
	}
	return perSecond, nil
}
