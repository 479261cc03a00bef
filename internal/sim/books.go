package sim

import (
	"context"
	"testing"

	"tirage/central"
)

// CheckBooks fails the test unless everything follows from the journal: tables,
// balances, tiles and the memory of the node. Call it when no other goroutine uses the system.
func CheckBooks(t testing.TB, sys *central.System) {
	t.Helper()
	if err := sys.CheckBooks(context.Background()); err != nil {
		t.Errorf("books: %v", err)
	}
}
