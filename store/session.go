package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
)

// A session is one connection in the hands of one goroutine.
type session struct {
	engine engine
	conn   *sql.Conn

	// SQLite only, where a session lives as long as the DB. PostgreSQL's driver
	// keeps prepared statements itself.
	writer  bool
	queries map[string]*sql.Stmt
	inserts map[insertKey]driver.Stmt // see insertSQLite
	args    []driver.NamedValue       // of insertSQLite, used again
}

// An insertKey names a prepared INSERT of so many rows.
type insertKey struct {
	table string
	rows  int
}

// newSession gives a session of SQLite that keeps its prepared statements.
func newSession(ctx context.Context, pool *sql.DB, writer bool) (*session, error) {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &session{
		engine:  sqliteEngine,
		conn:    conn,
		writer:  writer,
		queries: make(map[string]*sql.Stmt),
		inserts: make(map[insertKey]driver.Stmt),
	}, nil
}

// release gives a connection back to its pool, which drops a broken one.
func (s *session) release() error {
	if err := s.conn.Close(); !errors.Is(err, sql.ErrConnDone) {
		return err
	}
	return nil
}

// close ends a session of SQLite.
func (s *session) close() error {
	var errs []error
	for _, stmt := range s.queries {
		errs = append(errs, stmt.Close())
	}
	errs = append(errs, s.conn.Raw(func(any) error {
		var errs []error
		for _, stmt := range s.inserts {
			errs = append(errs, stmt.Close())
		}
		return errors.Join(errs...)
	}))
	return errors.Join(append(errs, s.conn.Close())...)
}

// context is the context for a statement. The writer of SQLite is never
// interrupted: its statements are short, and watching a context costs a
// goroutine a statement.
func (s *session) context(ctx context.Context) context.Context {
	if s.writer {
		return context.WithoutCancel(ctx)
	}
	return ctx
}

func (s *session) query(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	ctx = s.context(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err // else pgx's driver calls the connection bad
	}
	if s.queries == nil {
		return s.conn.QueryContext(ctx, text, args...)
	}
	stmt, err := s.prepared(ctx, text)
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, args...)
}

func (s *session) exec(ctx context.Context, text string, args ...any) error {
	_, err := s.affect(ctx, text, args...)
	return err
}

// affect executes a statement and gives the number of rows that it changed.
func (s *session) affect(ctx context.Context, text string, args ...any) (int64, error) {
	ctx = s.context(ctx)
	err := ctx.Err()
	if err != nil {
		return 0, err
	}
	var result sql.Result
	if s.queries == nil {
		result, err = s.conn.ExecContext(ctx, text, args...)
	} else {
		var stmt *sql.Stmt
		if stmt, err = s.prepared(ctx, text); err == nil {
			result, err = stmt.ExecContext(ctx, args...)
		}
	}
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func (s *session) prepared(ctx context.Context, text string) (*sql.Stmt, error) {
	if stmt, ok := s.queries[text]; ok {
		return stmt, nil
	}
	stmt, err := s.conn.PrepareContext(ctx, text)
	if err != nil {
		return nil, fmt.Errorf("prepare %q: %w", text, err)
	}
	s.queries[text] = stmt
	return stmt, nil
}

// commit ends a transaction with effect.
func (s *session) commit(ctx context.Context) error {
	if s.engine == postgresEngine {
		return s.commitPostgres(ctx)
	}
	return s.exec(ctx, "COMMIT")
}

// rollback ends a transaction without effect. Its error says nothing: either
// the engine has rolled back already, or the connection is broken, and then
// the pool drops it.
func (s *session) rollback() {
	_ = s.exec(context.Background(), "ROLLBACK")
}

// beginTurn begins the transaction of a turn, with the lock on the head row as
// the first thing in it, so that nothing which it reads later can be stale.
func (s *session) beginTurn(ctx context.Context) (Head, error) {
	switch s.engine {
	case sqliteEngine:
		if err := s.exec(ctx, "BEGIN IMMEDIATE"); err != nil {
			return Head{}, err
		}
		return reader{s}.Head(ctx)
	case postgresEngine:
		// READ COMMITTED: each statement sees what was committed before it
		// began, so all that came before the lock.
		return s.beginLocked(ctx, "BEGIN ISOLATION LEVEL READ COMMITTED", selectHead+" FOR UPDATE")
	}
	return Head{}, errEngine
}

func (s *session) beginView() string {
	if s.engine == postgresEngine {
		return "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
	}
	return "BEGIN"
}

var errEngine = errors.New("unknown engine")

// mapError puts our name on what an engine says in its own codes.
func mapError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrNoRows):
		return fmt.Errorf("%w: %w", ErrNotFound, err)
	case sqliteIsUnique(err) || postgresIsUnique(err):
		return fmt.Errorf("%w: %w", ErrConflict, err)
	case sqliteIsForeign(err):
		return fmt.Errorf("%w: %w", ErrForeign, err)
	}
	return err
}
