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
	"slices"
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
	return db.floor(ctx, wagers, batch, newWagerFloor)
}

// FloorUnits is [DB.Floor] for units played, each by another of 10,000
// players, every fourth of which wins, with the tiles that they fill. It gives plays a second.
func (db *DB) FloorUnits(ctx context.Context, plays, batch int) (perSecond int64, err error) {
	return db.floor(ctx, plays, batch, newUnitFloor)
}

func (db *DB) floor(ctx context.Context, commands, batch int, rows func(batch int) *floor) (perSecond int64, err error) {
	if commands < 1 || batch < 1 || batch > 1000 {
		return 0, fmt.Errorf("floor of %d commands, %d a transaction: want at least 1, and at most 1000 a transaction", commands, batch)
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
	f := rows(batch)
	f.number()
	write := f.postgres
	if scratch.engine == sqliteEngine {
		if err := f.prepare(ctx, s); err != nil {
			return 0, fmt.Errorf("floor: %w", err)
		}
		write = f.sqlite
	}
	start := time.Now()
	for ; f.size < int64(commands); f.advance() {
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

// floor is the values of a batch, one command a record.
type floor struct {
	batch   int
	size    int64 // records written: the next journal index
	numbers []int64
	keys    [][]byte
	root    []byte
	records []byte
	hashes  []byte        // of a tile; nil: no tiles are written
	writes  []*floorWrite // beside turn, tiles and head
	differ  func()        // sets what differs from batch to batch, beside numbers and keys

	begin, commit, turn, tile, head statement
}

// A floorWrite inserts rows: columns of as many, of int64 or bytes, as
// PostgreSQL takes them, and for SQLite in an argument list.
type floorWrite struct {
	unnest, values string
	columns        []any
	differ         []int // columns that differ from batch to batch
	statement
}

// A statement is prepared, with its arguments.
type statement struct {
	stmt driver.Stmt
	args []driver.NamedValue
}

// addFloor adds a write of so many rows to the floor.
func addFloor[R any](f *floor, t *table[R], rows int, differ []int, columns ...any) {
	f.writes = append(f.writes, &floorWrite{unnest: t.insertUnnest(), values: t.insertValues(rows), columns: columns, differ: differ})
}

const (
	floorOutlets = 256    // sellers
	floorRecord  = 130    // bytes of a sale's record, its length included
	floorPlayers = 10_000 // each plays one unit in so many
	floorUnit    = 117    // bytes of a unit's record
	floorTile    = 256    // hashes
)

// newFloor makes a floor whose records have so many bytes, with its commands;
// differ are the columns of these that differ, beside the record.
func newFloor(batch, record int, scopes []int64, differ ...int) *floor {
	f := &floor{batch: batch, numbers: make([]int64, batch), root: make([]byte, 32), records: make([]byte, record*batch), differ: func() {}}
	var contents [][]byte
	for range batch {
		f.keys = append(f.keys, make([]byte, 16))
		contents = append(contents, make([]byte, 32))
	}
	// The keys are the same bytes each time.
	addFloor(f, &commandTable, batch, append(differ, 3), f.keys, scopes, contents, f.numbers)
	return f
}

func newWagerFloor(batch int) *floor {
	var outlets, scopes, accounts, amounts, debits, totals []int64 // numbers of names
	for i := range batch {
		outlet := int64(2 + i%floorOutlets)
		outlets, scopes = append(outlets, outlet), append(scopes, floorOutlets+outlet)
		accounts, amounts = append(accounts, outlet, 1), append(amounts, 200, -200)
		if i < floorOutlets {
			debits, totals = append(debits, outlet), append(totals, 200)
		}
	}
	debits, totals = append(debits, 1), append(totals, -200*int64(batch))
	f := newFloor(batch, floorRecord, scopes)
	ones, prices, zeros := repeat(1, batch), repeat(200, batch), repeat(0, batch)
	combinations, entries := make([]int64, batch), make([]int64, 2*batch)
	addFloor(f, &ticketTable, batch, []int{0}, f.numbers, outlets, ones, prices)
	addFloor(f, &partTable, batch, []int{1, 3}, ones, f.numbers, zeros, combinations, ones, zeros, ones)
	addFloor(f, &postingTable, len(entries), []int{0}, entries, accounts, amounts)
	addFloor(f, &balanceTable, len(debits), nil, debits, totals)
	f.differ = func() {
		for i, n := range f.numbers {
			combinations[i] = n * 7919 % 348_840
			entries[2*i], entries[2*i+1] = n<<16, n<<16|1
		}
	}
	return f
}

func newUnitFloor(batch int) *floor {
	const pool = 1 // the number of its account
	players, prizes := make([]int64, batch), make([]int64, batch)
	debits, totals := make([]int64, batch+1), make([]int64, batch+1)
	debits[batch] = pool
	var amounts []int64
	for i := range batch {
		if i%4 == 0 {
			prizes[i] = 500
			amounts = append(amounts, 200, -200, 500, -500)
		} else {
			amounts = append(amounts, 200, -200)
		}
		totals[i] = 200 - prizes[i]
		totals[batch] -= totals[i]
	}
	entries, accounts := make([]int64, len(amounts)), make([]int64, len(amounts))
	f := newFloor(batch, floorUnit, players, 1)
	f.hashes = make([]byte, 32*floorTile)
	addFloor(f, &unitTable, batch, []int{0, 1, 3, 6}, f.numbers, players, repeat(1, batch), f.numbers, repeat(200, batch), prizes, f.numbers)
	addFloor(f, &postingTable, len(entries), []int{0, 1}, entries, accounts, amounts)
	addFloor(f, &chainTable, batch, []int{0, 1}, players, f.numbers)
	addFloor(f, &balanceTable, batch+1, []int{0}, debits, totals)
	f.differ = func() {
		posting := 0
		for i, n := range f.numbers {
			players[i] = 2 + n*7919%floorPlayers // no two of a batch are the same
			debits[i] = floorPlayers + players[i]
			order := []int64{debits[i], pool, pool, debits[i]}
			if prizes[i] == 0 {
				order = order[:2]
			}
			for k, account := range order {
				entries[posting], accounts[posting] = n<<16|int64(k), account
				posting++
			}
		}
	}
	return f
}

// repeat is n times a value.
func repeat(value int64, n int) []int64 { return slices.Repeat([]int64{value}, n) }

func (f *floor) advance() {
	f.size += int64(f.batch)
	f.number()
}

// number sets the values that differ from batch to batch.
func (f *floor) number() {
	for i := range f.batch {
		n := f.size + int64(i)
		f.numbers[i] = n
		binary.BigEndian.PutUint64(f.keys[i], uint64(n))
		binary.BigEndian.PutUint64(f.keys[i][8:], uint64(n)*0x9e3779b97f4a7c15)
	}
	f.differ()
}

// tiles are the numbers of the first tile that the batch fills, and of the one after its last.
func (f *floor) tiles() (first, end int64) {
	if f.hashes == nil {
		return 0, 0
	}
	return f.size / floorTile, (f.size + int64(f.batch)) / floorTile
}

const floorHead = `UPDATE head SET size = $1, at = $2, frontier = $3, root = $4 WHERE id = 1`

// postgres writes a batch in one round trip.
func (f *floor) postgres(ctx context.Context, s *session) error {
	var b pgx.Batch
	b.Queue("BEGIN")
	b.Queue("INSERT INTO turn (first, count, at, records) VALUES ($1, $2, $3, $4)", f.size, f.batch, f.size, f.records)
	for tile, end := f.tiles(); tile < end; tile++ {
		b.Queue("INSERT INTO tile (level, n, hashes) VALUES (0, $1, $2)", tile, f.hashes)
	}
	for _, w := range f.writes {
		b.Queue(w.unnest, w.columns...)
	}
	b.Queue(floorHead, f.size+int64(f.batch), f.size, f.root, f.root)
	b.Queue("COMMIT")
	return s.sendBatch(ctx, &b)
}

// prepare prepares the statements of SQLite with the arguments that stay.
func (f *floor) prepare(ctx context.Context, s *session) error {
	return s.conn.Raw(func(conn any) error {
		prepare := func(to *statement, text string, columns ...any) (err error) {
			to.args = interleave(columns)
			to.stmt, err = conn.(driver.ConnPrepareContext).PrepareContext(ctx, text)
			return err
		}
		err := errors.Join(
			prepare(&f.begin, "BEGIN IMMEDIATE"),
			prepare(&f.turn, turnTable.insertValues(1), []int64{0}, []int64{int64(f.batch)}, []int64{0}, [][]byte{f.records}),
			prepare(&f.tile, tileTable.insertValues(1), []int64{0}, []int64{0}, [][]byte{f.hashes}),
			prepare(&f.head, floorHead, []int64{0}, []int64{0}, [][]byte{f.root}, [][]byte{f.root}),
			prepare(&f.commit, "COMMIT"),
		)
		for _, w := range f.writes {
			err = errors.Join(err, prepare(&w.statement, w.values, w.columns...))
		}
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

// sqlite writes a batch. Only the numbers that differ are to be set.
func (f *floor) sqlite(ctx context.Context, s *session) error {
	f.turn.args[0].Value, f.turn.args[2].Value = f.size, f.size
	f.head.args[0].Value, f.head.args[1].Value = f.size+int64(f.batch), f.size
	for _, w := range f.writes {
		for _, c := range w.differ {
			for i, n := range w.columns[c].([]int64) {
				w.args[i*len(w.columns)+c].Value = n
			}
		}
	}
	ctx = context.WithoutCancel(ctx)
	return s.conn.Raw(func(any) (err error) {
		exec := func(st *statement) {
			if err == nil {
				_, err = st.stmt.(driver.StmtExecContext).ExecContext(ctx, st.args)
			}
		}
		exec(&f.begin)
		exec(&f.turn)
		for tile, end := f.tiles(); tile < end; tile++ {
			f.tile.args[1].Value = tile
			exec(&f.tile)
		}
		for _, w := range f.writes {
			exec(&w.statement)
		}
		exec(&f.head)
		exec(&f.commit)
		return err
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
