package store_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tirage/internal/dbtest"
	"tirage/store"
)

// direct opens the database without the store.
func direct(t *testing.T, dsn string) *sql.DB {
	t.Helper()
	driver, address := "pgx", dsn
	if file, ok := strings.CutPrefix(dsn, "sqlite:"); ok {
		driver, address = "sqlite", file+"?_pragma=recursive_triggers(1)&_pragma=busy_timeout(5000)"
	}
	db, err := sql.Open(driver, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func mustExec(t *testing.T, db *sql.DB, text string, args ...any) {
	t.Helper()
	if _, err := db.Exec(text, args...); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

// tablesOf lists the tables of a database that is open.
func tablesOf(t *testing.T, db *sql.DB, dsn string) []string {
	t.Helper()
	text := `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`
	if strings.HasPrefix(dsn, "postgres") {
		text = `SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename`
	}
	rows, err := db.Query(text)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		out = append(out, name)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// Facts are inserted and never changed: every table but the few named ones
// refuses update, delete, replacement and truncation, whoever asks.
func TestInsertOnly(t *testing.T) {
	t.Parallel()
	mutable := map[string]bool{
		"head": true, "balance": true, "chain": true, "withdrawal_open": true, "password": true, "device": true, "printer": true, "printed": true, "session": true, "sealed_secret": true, "person": true,
		"passkey": true, "token": true, "outbox": true, "card_payment": true, "card_day": true, "note": true, "payee": true, "tally": true, "mandate": true, "shift": true, "debit_file": true, "tirage_migration": true,
	}
	dbtest.Each(t, func(t *testing.T, dsn string) {
		db := open(t, dsn)
		if err := writeAll(db); err != nil {
			t.Fatal(err)
		}
		raw := direct(t, dsn)
		facts := 0
		for _, table := range tablesOf(t, raw, dsn) {
			if mutable[table] {
				continue
			}
			facts++
			var column string
			if err := raw.QueryRow(`SELECT column_name FROM information_schema.columns WHERE table_name = $1 AND data_type = 'bigint' LIMIT 1`, table).Scan(&column); err != nil {
				if err := raw.QueryRow(`SELECT name FROM pragma_table_info($1) WHERE type = 'INTEGER' LIMIT 1`, table).Scan(&column); err != nil {
					t.Fatal(err)
				}
			}
			refused := []string{
				"UPDATE " + table + " SET " + column + " = " + column,
				"DELETE FROM " + table,
			}
			if db.Engine() == "postgres" {
				refused = append(refused, "TRUNCATE "+table+" CASCADE")
			} else {
				refused = append(refused, "INSERT OR REPLACE INTO "+table+" SELECT * FROM "+table)
			}
			for _, text := range refused {
				_, err := raw.Exec(text)
				if err == nil || !strings.Contains(err.Error(), "is insert-only") {
					t.Errorf("%s: got %v, want a refusal", text, err)
				}
			}
			var n int
			if err := raw.QueryRow("SELECT COUNT(*) FROM " + table).Scan(&n); err != nil || n == 0 {
				t.Errorf("%s has %d rows (%v): the refusals showed nothing", table, n, err)
			}
		}
		if facts != 45 {
			t.Errorf("%d tables of facts, want 45", facts)
		}
	})
}

func TestOpenAgain(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		for range 2 {
			db, err := store.Open(t.Context(), dsn)
			if err != nil {
				t.Fatal(err)
			}
			if err := write(db, store.Rows{}, nil, "record"); err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
		db := open(t, dsn)
		if head := headOf(t, db); head.Size != 2 {
			t.Errorf("head is at %d after two turns, want 2", head.Size)
		}
	})
}

// Several processes start at once on a database that is empty.
func TestOpenTogether(t *testing.T) {
	t.Parallel()
	dsn := dbtest.Postgres(t)
	errs := make(chan error)
	for range 8 {
		go func() {
			db, err := store.Open(context.Background(), dsn)
			if err == nil {
				err = errors.Join(write(db, store.Rows{}, nil, "record"), db.Close())
			}
			errs <- err
		}()
	}
	for range 8 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if head := headOf(t, open(t, dsn)); head.Size != 8 {
		t.Errorf("head is at %d, want 8", head.Size)
	}
}

func TestForeign(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		ours bool // spoil a database of ours, not an empty one
		text string
	}{
		{"other tables", false, `CREATE TABLE customer (id INTEGER PRIMARY KEY)`},
		{"a view", false, `CREATE VIEW v AS SELECT 1 AS one`},
		{"a table of the name of ours", false, `CREATE TABLE tirage_migration (version TEXT)`},
		{"migration skipped", true, `INSERT INTO tirage_migration (number, name, hash) SELECT 1000, 'x', hash FROM tirage_migration`},
		{"newer version", true, `INSERT INTO tirage_migration (number, name, hash) SELECT number + 1, name, hash FROM tirage_migration`},
		{"altered migration", true, `UPDATE tirage_migration SET hash = hash || hash`},
		{"head lost", true, `DROP TABLE head`},
		{"head row lost", true, `DELETE FROM head`},
		{"table lost", true, `DROP TABLE posting`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dbtest.Each(t, func(t *testing.T, dsn string) {
				if test.ours {
					db, err := store.Open(t.Context(), dsn)
					if err != nil {
						t.Fatal(err)
					}
					if err := db.Close(); err != nil {
						t.Fatal(err)
					}
				}
				raw := direct(t, dsn)
				mustExec(t, raw, test.text)
				before := tablesOf(t, raw, dsn)
				db, err := store.Open(t.Context(), dsn)
				if !errors.Is(err, store.ErrForeign) {
					t.Errorf("got %v, want ErrForeign", err)
				}
				if err == nil {
					_ = db.Close()
				}
				if after := tablesOf(t, raw, dsn); len(after) != len(before) {
					t.Errorf("a refused database was changed: tables %v, then %v", before, after)
				}
			})
		})
	}
	t.Run("not a database", func(t *testing.T) {
		t.Parallel()
		dsn := dbtest.SQLite(t)
		if err := os.WriteFile(strings.TrimPrefix(dsn, "sqlite:"), []byte(strings.Repeat("not a database ", 100)), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := store.Open(t.Context(), dsn); !errors.Is(err, store.ErrForeign) {
			t.Errorf("got %v, want ErrForeign", err)
		}
	})
}

func TestOpenRefused(t *testing.T) {
	t.Parallel()
	for _, dsn := range []string{"", "mysql://x", "sqlite:", "sqlite::memory:", "sqlite:/no/such/folder/file", "postgres://tirage:secret@127.0.0.1:1/x"} {
		_, err := store.Open(t.Context(), dsn)
		if err == nil {
			t.Errorf("Open(%q) gives no error", dsn)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("Open(%q) tells the password: %v", dsn, err)
		}
	}
}

func TestFileMode(t *testing.T) {
	t.Parallel()
	// A name with characters that mean something in an address.
	dsn := strings.Replace(dbtest.SQLite(t), "tirage.db", "île au%41 #1?mode=ro.db", 1)
	db := open(t, dsn)
	if err := write(db, store.Rows{}, nil, "record"); err != nil {
		t.Fatal(err)
	}
	file := strings.TrimPrefix(dsn, "sqlite:")
	for _, suffix := range []string{"", "-wal", "-shm"} {
		info, err := os.Stat(file + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("mode of %s is %v, want 0600", suffix, info.Mode())
		}
	}
}

// The C library of the SQLite driver must be the one that it was made with: a
// newer one compiles and corrupts.
func TestLibcPin(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-m", "-json", "modernc.org/sqlite", "modernc.org/libc").Output()
	if err != nil {
		t.Fatal(err)
	}
	type module struct {
		Path, Version, GoMod string
		Replace              *module
	}
	var sqlite, libc module
	modules := json.NewDecoder(strings.NewReader(string(out)))
	if err := errors.Join(modules.Decode(&sqlite), modules.Decode(&libc)); err != nil {
		t.Fatal(err)
	}
	if libc.Replace != nil {
		libc.Version = libc.Replace.Version
	}
	required, err := os.ReadFile(sqlite.GoMod)
	if err != nil {
		t.Fatal(err)
	}
	if want := "modernc.org/libc " + libc.Version; !strings.Contains(string(required), want+"\n") {
		t.Errorf("sqlite %s does not require %s", sqlite.Version, want)
	}
}

// checkNoScratch checks that nothing is left of a floor.
func checkNoScratch(t *testing.T, db *sql.DB, dsn string) {
	t.Helper()
	if file, ok := strings.CutPrefix(dsn, "sqlite:"); ok {
		left, err := filepath.Glob(filepath.Join(filepath.Dir(file), "floor-*"))
		if err != nil || len(left) > 0 {
			t.Errorf("left behind: %v (%v)", left, err)
		}
		return
	}
	var n int
	if err := db.QueryRow(`SELECT COUNT(*) FROM pg_namespace WHERE nspname LIKE 'floor%'`).Scan(&n); err != nil || n > 0 {
		t.Errorf("%d schemas left behind (%v)", n, err)
	}
}
