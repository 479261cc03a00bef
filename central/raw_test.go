package central_test

import (
	"database/sql"
	"fmt"
	"strings"

	_ "github.com/jackc/pgx/v5/stdlib" // driver "pgx"
	_ "modernc.org/sqlite"             // driver "sqlite"
)

// raw opens the world's database as someone does who goes past the program.
func (w *world) raw() *sql.DB {
	w.Helper()
	driver, source := "pgx", w.dsn
	if file, ok := strings.CutPrefix(w.dsn, "sqlite:"); ok {
		driver, source = "sqlite", "file:"+file+"?_pragma=busy_timeout(10000)"
	}
	db, err := sql.Open(driver, source)
	w.check(err)
	db.SetMaxOpenConns(1)
	w.Cleanup(func() { w.check(db.Close()) })
	return db
}

func (w *world) count(query string) (n int) {
	w.Helper()
	w.check(w.raw().QueryRow(query).Scan(&n))
	return n
}

// names lists what the one column of a query gives.
func (w *world) names(db *sql.DB, query string) (list []string) {
	w.Helper()
	rows, err := db.Query(query)
	w.check(err)
	defer rows.Close()
	for rows.Next() {
		var name string
		w.check(rows.Scan(&name))
		list = append(list, name)
	}
	w.check(rows.Err())
	return list
}

// unguarded drops the triggers of a SQLite database, so that facts can be changed.
func (w *world) unguarded() *sql.DB {
	w.Helper()
	db := w.raw()
	for _, trigger := range w.names(db, `SELECT name FROM sqlite_master WHERE type = 'trigger'`) {
		_, err := db.Exec(`DROP TRIGGER ` + trigger)
		w.check(err)
	}
	return db
}

// restore puts a copy of the SQLite database back under the running node.
func (w *world) restore(backup string) {
	w.Helper()
	db := w.unguarded()
	exec := func(text string, args ...any) {
		_, err := db.Exec(text, args...)
		w.check(err)
	}
	exec(`PRAGMA foreign_keys = OFF`)
	exec(`ATTACH ? AS backup`, backup)
	triggers := w.names(db, `SELECT sql FROM backup.sqlite_master WHERE type = 'trigger'`)
	exec(`BEGIN IMMEDIATE`)
	for _, table := range w.names(db, `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`) {
		exec(fmt.Sprintf(`DELETE FROM main.%[1]s; INSERT INTO main.%[1]s SELECT * FROM backup.%[1]s`, table))
	}
	for _, trigger := range triggers {
		exec(trigger)
	}
	exec(`COMMIT`)
	exec(`DETACH backup`)
}
