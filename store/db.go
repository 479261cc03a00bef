// Package store is all SQL of Tirage, on SQLite and PostgreSQL.
//
// The problem: many callers sell, cancel and pay at once, and each is told yes
// only when the fact can no longer be lost; thousands of facts a second must
// fit on one small machine. The answer is the turn: writers take turns, and a
// turn is one database transaction that carries the records of many commands.
//
// The promise: [DB.Update] runs its function alone. It holds the journal's
// head row from the first statement to the commit, among all goroutines and
// all processes of a database, so it sees everything that was committed before
// and nothing changes under it: no lost update, no serialization to retry.
// When it returns nil the turn is durable; when its function fails nothing is
// left of it. Facts are inserted and never changed, which triggers enforce.
// [DB.View] is a read-only snapshot, takes no turn and delays none.
//
// Where to start: row.go has the rows, schema/ the tables (one folder an
// engine, migrated forward by [Open]), write.go the one way in ([Tx.Write]),
// read.go and the files beside it the ways out. Engines differ in sqlite.go
// and postgres.go and in the text of the hot inserts, and nowhere else.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

var (
	// ErrNotFound is a row that does not exist.
	ErrNotFound = errors.New("not found")
	// ErrForeign is a database that is not ours: other tables, a schema newer
	// than this program, a migration that was altered, or tables missing.
	ErrForeign = errors.New("database is not one of tirage, or of a newer version")
	// ErrConflict is a row that exists already (a unique key), or a turn that
	// does not begin where the journal ends.
	ErrConflict = errors.New("row exists already")
)

// An engine is a kind of database.
type engine uint8

const (
	sqliteEngine engine = iota + 1
	postgresEngine
)

// String gives the name of the engine: "sqlite" or "postgres".
func (e engine) String() string {
	switch e {
	case sqliteEngine:
		return "sqlite"
	case postgresEngine:
		return "postgres"
	}
	return "engine?"
}

// DB is an open database. Its methods may be called by many goroutines.
type DB struct {
	engine  engine
	dsn     string
	writers *sql.DB // one connection
	readers *sql.DB
	file    os.FileInfo      // of SQLite, as it was opened
	turn    chan struct{}    // full while a goroutine of this process has the turn
	names   map[string]int64 // numbers of names that are known here; of the one who has the turn
	closing sync.Once
	closed  chan struct{} // closed by Close

	// SQLite only: connections kept for good, with their prepared statements.
	writer *session
	idle   chan *session // readers
}

// Open opens the database that dsn names, "sqlite:FILE" or "postgres://…",
// creates what is missing and migrates it forward. A file is created readable
// by its owner only. It fails with [ErrForeign] for a database that is not
// ours, untouched.
func Open(ctx context.Context, dsn string) (*DB, error) {
	db := &DB{dsn: dsn, turn: make(chan struct{}, 1), names: make(map[string]int64), closed: make(chan struct{})}
	var err error
	if file, ok := strings.CutPrefix(dsn, "sqlite:"); ok {
		err = db.openSQLite(ctx, file)
	} else if strings.HasPrefix(dsn, "postgres://") || strings.HasPrefix(dsn, "postgresql://") {
		err = db.openPostgres(ctx)
	} else {
		// The DSN itself stays out of the message: it may hold a password.
		return nil, errors.New("open database: want sqlite:FILE or postgres://…")
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s database: %w", db.engine, mapError(err)), db.Close())
	}
	return db, nil
}

var errClosed = errors.New("database is closed")

// Close closes the database once the turn that runs has ended; views that run
// end by themselves. A second call does nothing.
func (db *DB) Close() error {
	first := false
	db.closing.Do(func() { first = true; close(db.closed) })
	if !first {
		return nil
	}
	db.turn <- struct{}{} // never given back: no turn begins any more
	var errs []error
	if db.writer != nil {
		errs = append(errs, db.writer.close())
	}
	errs = append(errs, db.closeIdle())
	for _, pool := range []*sql.DB{db.readers, db.writers} {
		if pool != nil {
			errs = append(errs, pool.Close())
		}
	}
	return errors.Join(errs...)
}

// closeIdle closes the readers that nobody has; giveReader does so for those that come back.
func (db *DB) closeIdle() error {
	var errs []error
	for {
		select {
		case s := <-db.idle:
			errs = append(errs, s.close())
		default:
			return errors.Join(errs...)
		}
	}
}

// Engine is the name of the database's engine: "sqlite" or "postgres".
func (db *DB) Engine() string { return db.engine.String() }

// Present tells that the file of an SQLite database is still the one that was
// opened. Else it is [ErrForeign]: SQLite would go on writing into a file that
// nobody can find again.
func (db *DB) Present() error {
	if db.engine != sqliteEngine {
		return nil
	}
	now, err := os.Stat(strings.TrimPrefix(db.dsn, "sqlite:"))
	if err != nil || !os.SameFile(db.file, now) {
		return errors.Join(fmt.Errorf("%w: its file was moved, deleted or replaced", ErrForeign), err)
	}
	return nil
}

// ServerTime is the time of the database server's clock, to be compared with
// the node's own, outside turns. SQLite has no server: the time is zero.
func (db *DB) ServerTime(ctx context.Context) (time.Time, error) {
	if db.engine == sqliteEngine {
		return time.Time{}, nil
	}
	var micros int64
	err := db.readers.QueryRowContext(ctx, `SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)`).Scan(&micros)
	if err != nil {
		return time.Time{}, fmt.Errorf("read the server's clock: %w", err)
	}
	return time.UnixMicro(micros).UTC(), nil
}

// Tx is a turn: it reads what is committed and what it wrote, and writes.
// It ends with the function that it was given to.
type Tx struct {
	reader
	head   Head
	names  map[string]int64 // DB.names
	added  []string         // names that this turn inserted
	failed error            // of a write: the turn cannot be committed any more
}

// Snapshot is the database as it was at one moment.
type Snapshot struct {
	reader
}

// Snapshot is the database as the turn sees it, to be read within the turn.
func (tx *Tx) Snapshot() *Snapshot { return &Snapshot{tx.reader} }

// Update takes the turn, runs fn in it and commits; fn's error undoes it and
// is returned. fn must have no effect outside tx. An error of the commit
// itself may hide a turn that is durable: the keys of its commands tell.
//
// ctx bounds the wait for the turn, and on PostgreSQL the turn too; on SQLite
// a turn that has begun is not interrupted.
func (db *DB) Update(ctx context.Context, fn func(*Tx) error) (err error) {
	select {
	case db.turn <- struct{}{}:
		defer func() { <-db.turn }()
	case <-db.closed:
		return fmt.Errorf("take the turn: %w", errClosed)
	case <-ctx.Done():
		return fmt.Errorf("take the turn: %w", ctx.Err())
	}
	s, err := db.takeWriter(ctx)
	if err != nil {
		return fmt.Errorf("take the turn: %w", mapError(err))
	}
	defer func() { err = errors.Join(err, db.giveWriter(s)) }()
	if len(db.names) > namesMax {
		clear(db.names)
	}
	tx := &Tx{reader: reader{s}, names: db.names}
	committed := false
	defer func() {
		if !committed { // an error, or a panic on its way up
			s.rollback()
			tx.forgetNames()
		}
	}()
	if tx.head, err = s.beginTurn(ctx); err != nil {
		return fmt.Errorf("take the turn: %w", mapError(err))
	}
	if err := fn(tx); err != nil {
		return err
	}
	if tx.failed != nil { // and fn went on
		return tx.failed
	}
	if err := s.commit(ctx); err != nil {
		return fmt.Errorf("commit the turn: %w", mapError(err))
	}
	committed = true
	return nil
}

// View runs fn with a snapshot. Keep it short on SQLite: while it runs, the
// log of the writer cannot be cut, and readers are few.
func (db *DB) View(ctx context.Context, fn func(*Snapshot) error) (err error) {
	s, err := db.takeReader(ctx)
	if err != nil {
		return fmt.Errorf("view: %w", mapError(err))
	}
	defer func() { err = errors.Join(err, db.giveReader(s)) }()
	defer s.rollback() // nothing was written
	if err := s.exec(ctx, s.beginView()); err != nil {
		return fmt.Errorf("view: %w", mapError(err))
	}
	return fn(&Snapshot{reader{s}})
}

// takeWriter gives the connection for a turn; the caller holds db.turn.
func (db *DB) takeWriter(ctx context.Context) (*session, error) {
	if db.engine == sqliteEngine {
		return db.writer, nil
	}
	conn, err := db.writers.Conn(ctx)
	return &session{engine: db.engine, conn: conn}, err
}

func (db *DB) giveWriter(s *session) error {
	if db.engine == sqliteEngine {
		return nil
	}
	return s.release()
}

func (db *DB) takeReader(ctx context.Context) (*session, error) {
	if db.engine == sqliteEngine {
		select {
		case s := <-db.idle:
			return s, nil
		case <-db.closed:
			return nil, errClosed
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	conn, err := db.readers.Conn(ctx)
	return &session{engine: db.engine, conn: conn}, err
}

func (db *DB) giveReader(s *session) error {
	if db.engine != sqliteEngine {
		return s.release()
	}
	db.idle <- s
	select {
	case <-db.closed:
		return db.closeIdle()
	default:
		return nil
	}
}
