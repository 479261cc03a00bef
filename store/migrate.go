package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

//go:embed schema
var schema embed.FS

// A migration is one step of the schema, in a file "0001_tables.sql".
type migration struct {
	name string
	text string
	hash [sha256.Size]byte
}

// migrations gives the steps of an engine, in order.
func migrations(e engine) ([]migration, error) {
	files, err := fs.Glob(schema, "schema/"+e.String()+"/*.sql") // sorted
	if err != nil {
		return nil, err
	}
	var out []migration
	for _, file := range files {
		text, err := schema.ReadFile(file)
		if err != nil {
			return nil, err
		}
		out = append(out, migration{file[len("schema//")+len(e.String()):], string(text), sha256.Sum256(text)})
	}
	return out, nil
}

// The tables that migrations make: of facts, which only grow, and those that change.
var (
	factTables = []string{
		"turn", "tile", "command", "rules", "outlet", "terminal", "officer", "draw", "draw_step", "draw_move", "draw_close", "result",
		"share", "jackpot", "refund", "expiry", "extension", "proposal", "decision", "ticket", "part", "cancellation", "payment", "posting",
	}
	mutableTables = []string{"head", "balance", "password", "device", "printer", "printed", "session"}
)

// migrationTable tells a database of ours, and how far it is. Hash is of the
// file that was applied: a step is never altered, only followed.
const migrationTable = "tirage_migration"

// advisoryLock makes the processes that open a PostgreSQL database migrate it one by one.
const advisoryLock = 0x746972616765 // "tirage"

// migrate brings the schema forward in one transaction, or changes nothing.
func (s *session) migrate(ctx context.Context) (err error) {
	steps, err := migrations(s.engine)
	if err != nil {
		return err
	}
	begin := "BEGIN IMMEDIATE"
	if s.engine == postgresEngine {
		begin = "BEGIN"
	}
	if err := s.script(ctx, begin); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			s.rollback()
		}
	}()
	if s.engine == postgresEngine {
		if err := s.script(ctx, fmt.Sprintf("SELECT pg_advisory_xact_lock(%d)", advisoryLock)); err != nil {
			return err
		}
	}
	done, err := s.migrated(ctx, steps)
	if err != nil {
		return err
	}
	for i := done; i < len(steps); i++ {
		if err := s.script(ctx, steps[i].text); err != nil {
			return fmt.Errorf("migration %s: %w", steps[i].name, err)
		}
		if err := s.exec(ctx, "INSERT INTO "+migrationTable+" (number, name, hash) VALUES ($1, $2, $3)", i+1, steps[i].name, steps[i].hash[:]); err != nil {
			return fmt.Errorf("migration %s: %w", steps[i].name, err)
		}
	}
	if err := s.checkTables(ctx); err != nil {
		return err
	}
	return s.script(ctx, "COMMIT")
}

// migrated tells how many steps were applied, after it has checked that they
// are ours; an empty database gets the table that counts them.
func (s *session) migrated(ctx context.Context, steps []migration) (int, error) {
	names, err := s.tables(ctx)
	if err != nil {
		return 0, err
	}
	if !names[migrationTable] {
		if len(names) > 0 {
			return 0, fmt.Errorf("%w: it has tables, and no %s", ErrForeign, migrationTable)
		}
		blob := map[engine]string{sqliteEngine: "BLOB", postgresEngine: "BYTEA"}[s.engine]
		return 0, s.script(ctx, "CREATE TABLE "+migrationTable+" (number INTEGER PRIMARY KEY, name TEXT NOT NULL, hash "+blob+" NOT NULL)")
	}
	rows, err := s.conn.QueryContext(ctx, "SELECT number, hash FROM "+migrationTable+" ORDER BY number")
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrForeign, err)
	}
	defer rows.Close()
	done := 0
	for ; rows.Next(); done++ {
		var number int
		var hash []byte
		if err := rows.Scan(&number, &hash); err != nil {
			return 0, err
		}
		switch {
		case number != done+1:
			return 0, fmt.Errorf("%w: migration %d is missing", ErrForeign, done+1)
		case number > len(steps):
			return 0, fmt.Errorf("%w: it has migration %d, this program knows %d", ErrForeign, number, len(steps))
		case !bytes.Equal(hash, steps[done].hash[:]):
			return 0, fmt.Errorf("%w: migration %s is another one", ErrForeign, steps[done].name)
		}
	}
	return done, errors.Join(rows.Err(), rows.Close())
}

// checkTables refuses a database that has lost tables or its head row.
func (s *session) checkTables(ctx context.Context) error {
	names, err := s.tables(ctx)
	if err != nil {
		return err
	}
	for _, want := range slices.Concat(factTables, mutableTables) {
		if !names[want] {
			return fmt.Errorf("%w: table %s is missing", ErrForeign, want)
		}
	}
	if _, err := (reader{s}).Head(ctx); err != nil {
		return fmt.Errorf("%w: journal head: %w", ErrForeign, err)
	}
	return nil
}

// tables gives the names of all tables and views of the schema we are in.
func (s *session) tables(ctx context.Context) (map[string]bool, error) {
	text := `SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\_%' ESCAPE '\'`
	if s.engine == postgresEngine {
		text = `SELECT relname FROM pg_class WHERE relnamespace = CAST(current_schema() AS regnamespace) AND relkind IN ('r', 'p', 'v', 'm', 'f')`
	}
	rows, err := s.conn.QueryContext(ctx, text)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names := make(map[string]bool)
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names[name] = true
	}
	return names, errors.Join(rows.Err(), rows.Close())
}
