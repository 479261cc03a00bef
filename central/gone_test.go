package central_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"tirage/central"
	"tirage/internal/dbtest"
)

// A database whose file is deleted would take sales that nobody finds again:
// the node notices at its next tick and sells nothing.
func TestDatabaseGone(t *testing.T) {
	t.Parallel()
	dsn := dbtest.SQLite(t)
	w := newWorld(t, dsn, island(t))
	w.at(mondayDraw(95).Add(-hours(1) / 2))
	w.sell(w.quickPick(2, 1))
	file := strings.TrimPrefix(dsn, "sqlite:")
	if err := os.Rename(file, file+".away"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.sys.Tick(w.ctx()); !errors.Is(err, central.ErrGone) {
		t.Errorf("tick: %v, want ErrGone", err)
	}
	if _, err := w.place(w.quickPick(2, 1)); !errors.Is(err, central.ErrGone) {
		t.Errorf("sale: %v, want ErrGone", err)
	}
	if err := os.Rename(file+".away", file); err != nil {
		t.Fatal(err)
	}
	w.restart()
	w.sell(w.quickPick(2, 1))
}
