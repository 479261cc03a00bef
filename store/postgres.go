package store

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib" // the one place that knows the driver
)

func (db *DB) openPostgres(ctx context.Context) error {
	db.engine = postgresEngine
	config, err := pgx.ParseConfig(db.dsn)
	if err != nil {
		return errors.New("unreadable address") // pgx's error repeats it
	}
	params := config.RuntimeParams
	params["application_name"] = "tirage"
	params["synchronous_commit"] = "on" // durable whatever the server's default
	// Every query goes by a key. A plan made and kept while the tables were
	// empty must not scan them when they are full.
	params["enable_seqscan"] = "off"
	params["enable_hashjoin"] = "off"
	params["enable_mergejoin"] = "off"
	params["jit"] = "off"

	turns := config.Copy()
	// A node that stops in the middle of a turn, or that the network lost, must
	// not keep it from the others.
	turns.RuntimeParams["idle_in_transaction_session_timeout"] = "30s"
	db.writers = stdlib.OpenDB(*turns)
	db.writers.SetMaxOpenConns(1)
	db.readers = stdlib.OpenDB(*config)
	db.readers.SetMaxOpenConns(max(4, 2*runtime.GOMAXPROCS(0)))
	db.readers.SetMaxIdleConns(max(4, 2*runtime.GOMAXPROCS(0)))
	db.readers.SetConnMaxIdleTime(time.Minute)

	s, err := db.takeWriter(ctx)
	if err != nil {
		return err
	}
	return errors.Join(s.migrate(ctx), db.giveWriter(s))
}

// raw gives pgx's own connection, for what database/sql cannot do.
func (s *session) raw(fn func(*pgx.Conn) error) error {
	return s.conn.Raw(func(conn any) error { return fn(conn.(*stdlib.Conn).Conn()) })
}

// beginLocked begins a transaction and locks the head row in one round trip.
func (s *session) beginLocked(ctx context.Context, begin, lock string) (Head, error) {
	var head Head
	err := s.raw(func(conn *pgx.Conn) error {
		var batch pgx.Batch
		batch.Queue(begin)
		batch.Queue(lock)
		results := conn.SendBatch(ctx, &batch)
		_, err := results.Exec()
		if err == nil {
			err = results.QueryRow().Scan(&head.Size, &head.At, &head.Frontier, &head.Root)
		}
		return errors.Join(err, results.Close())
	})
	return head, err
}

// commitPostgres commits. After a statement that failed, COMMIT rolls back and
// calls that a success: here it is an error.
func (s *session) commitPostgres(ctx context.Context) error {
	return s.raw(func(conn *pgx.Conn) error {
		tag, err := conn.Exec(ctx, "COMMIT")
		if err == nil && tag.String() != "COMMIT" {
			err = fmt.Errorf("the server answered %s", tag)
		}
		return err
	})
}

// script runs several statements at once.
func (s *session) script(ctx context.Context, text string) error {
	if s.engine == sqliteEngine {
		_, err := s.conn.ExecContext(ctx, text)
		return err
	}
	return s.raw(func(conn *pgx.Conn) error {
		_, err := conn.PgConn().Exec(ctx, text).ReadAll()
		return err
	})
}

// sendBatch runs the statements of a batch in one round trip.
func (s *session) sendBatch(ctx context.Context, batch *pgx.Batch) error {
	return s.raw(func(conn *pgx.Conn) error {
		results := conn.SendBatch(ctx, batch)
		for _, q := range batch.QueuedQueries {
			if _, err := results.Exec(); err != nil {
				return errors.Join(fmt.Errorf("%.40s…: %w", q.SQL, err), results.Close())
			}
		}
		return results.Close()
	})
}

// queueUnnest adds the insertion of rows to a batch: one array a column.
func queueUnnest[R any](batch *pgx.Batch, t *table[R], rows []R, ids map[string]int64) {
	args := make([]any, len(t.columns))
	for i := range t.columns {
		args[i] = t.columns[i].slice(rows, ids)
	}
	batch.Queue(t.insertUnnest(), args...)
}

func postgresIsUnique(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == "23505" // unique_violation
}
