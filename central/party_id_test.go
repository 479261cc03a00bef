package central_test

import (
	"errors"
	"strings"
	"testing"

	"tirage/central"
	"tirage/game"
	"tirage/internal/dbtest"
)

// TestLongPartyID: an id of more than 16 hexadecimal digits is refused, not a panic: anyone may send one.
func TestLongPartyID(t *testing.T) {
	t.Parallel()
	book, err := game.Book("ile-au-tresor")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, dbtest.SQLite(t), book)
	for _, id := range []string{strings.Repeat("9", 17), strings.Repeat("9", 18), strings.Repeat("a", 60_000)} {
		if _, _, err := w.sys.SignOnTerminal(w.ctx(), id); !errors.Is(err, central.ErrSignOn) {
			t.Errorf("device key of %d digits: %v", len(id), err)
		}
	}
}
