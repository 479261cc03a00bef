package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math/bits"
	"net/url"
	"os"
	"runtime"

	"modernc.org/sqlite" // the one place that knows the driver
	sqlite3 "modernc.org/sqlite/lib"
)

// sqliteDSN is the address of a database file with the pragmas of every
// connection.
func sqliteDSN(file string) string {
	pragmas := []string{
		"busy_timeout(5000)",
		"journal_mode(WAL)",
		"synchronous(FULL)", // a commit is on the disk before it is answered
		"foreign_keys(1)",
		"recursive_triggers(1)",    // else INSERT OR REPLACE deletes a fact and fires no trigger
		"temp_store(MEMORY)",       // else a statement journal goes to disk
		"wal_autocheckpoint(8000)", // 32 MiB: a page changed often is copied back once
		"cache_size(-65536)",       // 64 MiB
		"journal_size_limit(67108864)",
	}
	query := url.Values{"_pragma": pragmas, "_txlock": {"immediate"}, "_dqs": {"0"}}
	address := url.URL{Scheme: "file", OmitHost: true, Path: file, RawQuery: query.Encode()}
	if !os.IsPathSeparator(file[0]) {
		address = url.URL{Scheme: "file", Opaque: (&url.URL{Path: file}).EscapedPath(), RawQuery: query.Encode()}
	}
	return address.String()
}

func (db *DB) openSQLite(ctx context.Context, file string) error {
	db.engine = sqliteEngine
	if file == "" || file == ":memory:" {
		return errors.New("want a file") // several connections share it
	}
	// SQLite gives its log the mode of the file, so this one decides for all.
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	db.file, err = f.Stat()
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if db.writers, err = sql.Open("sqlite", sqliteDSN(file)); err != nil {
		return err
	}
	db.writers.SetMaxOpenConns(1)
	if db.writer, err = newSession(ctx, db.writers, true); err != nil {
		return err
	}
	if err := db.writer.checkVersion(ctx); err != nil {
		return err
	}
	if err := db.writer.migrate(ctx); err != nil {
		return err
	}
	if db.readers, err = sql.Open("sqlite", sqliteDSN(file)); err != nil {
		return err
	}
	// More readers than spare cores starve the writer.
	n := max(1, runtime.GOMAXPROCS(0)-1)
	db.readers.SetMaxOpenConns(n)
	db.idle = make(chan *session, n)
	for range n {
		s, err := newSession(ctx, db.readers, false)
		if err != nil {
			return err
		}
		db.idle <- s
	}
	return nil
}

// checkVersion refuses an SQLite older than 3.51.3: resetting its log could
// corrupt the file (the WAL-reset bug).
func (s *session) checkVersion(ctx context.Context) error {
	var text string
	var major, minor, patch int
	if err := s.conn.QueryRowContext(ctx, "SELECT sqlite_version()").Scan(&text); err != nil {
		return err
	}
	if _, err := fmt.Sscanf(text, "%d.%d.%d", &major, &minor, &patch); err != nil {
		return fmt.Errorf("sqlite version %q: %w", text, err)
	}
	if major*1_000_000+minor*1000+patch < 3_051_003 {
		return fmt.Errorf("sqlite version %s is older than 3.51.3", text)
	}
	return nil
}

// rowsMax is the most rows in one statement on SQLite: more gains nothing.
const rowsMax = 128

// insertSQLite inserts rows in statements of 2ⁿ rows, each prepared once. It
// talks to the driver itself: database/sql would check each argument again.
func insertSQLite[R any](ctx context.Context, s *session, t *table[R], rows []R, ids map[string]int64) error {
	return s.conn.Raw(func(conn any) error {
		for len(rows) > 0 {
			n := min(rowsMax, 1<<(bits.Len(uint(len(rows)))-1))
			stmt, err := preparedInsert(ctx, s, conn.(driver.ConnPrepareContext), t, n)
			if err != nil {
				return err
			}
			args := s.arguments(n * len(t.columns))
			for i := range rows[:n] {
				for j := range t.columns {
					args[i*len(t.columns)+j].Value = t.columns[j].value(&rows[i], ids)
				}
			}
			if _, err := stmt.(driver.StmtExecContext).ExecContext(ctx, args); err != nil {
				return err
			}
			rows = rows[n:]
		}
		return nil
	})
}

func preparedInsert[R any](ctx context.Context, s *session, conn driver.ConnPrepareContext, t *table[R], n int) (driver.Stmt, error) {
	key := insertKey{t.name, n}
	if stmt, ok := s.inserts[key]; ok {
		return stmt, nil
	}
	stmt, err := conn.PrepareContext(ctx, t.insertValues(n))
	if err != nil {
		return nil, fmt.Errorf("prepare insert into %s: %w", t.name, err)
	}
	s.inserts[key] = stmt
	return stmt, nil
}

// arguments gives n arguments to fill, numbered as the driver expects them.
func (s *session) arguments(n int) []driver.NamedValue {
	for i := len(s.args); i < n; i++ {
		s.args = append(s.args, driver.NamedValue{Ordinal: i + 1})
	}
	return s.args[:n]
}

func sqliteIsUnique(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && (e.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE || e.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY ||
		e.Code() == sqlite3.SQLITE_CONSTRAINT_ROWID)
}

// sqliteIsForeign tells whether the file is no database at all.
func sqliteIsForeign(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code() == sqlite3.SQLITE_NOTADB
}
