package central_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tirage/internal/dbtest"
	"tirage/wager"
)

// F05: whoever changes a fact in the database, past the program, is found by CheckBooks, which names it.
func TestF05_Sabotage(t *testing.T) {
	t.Parallel()
	base := newWorld(t, dbtest.SQLite(t), islet(t))
	base.check(base.cancel(base.shop, base.sell(base.quickPick(2, 1))))
	var tickets []wager.Ticket
	for range 21 {
		tickets = append(tickets, base.sellAll(2, 2)...)
	}
	base.at(mondayDraw(130))
	base.at(morning)
	winner := tickets[slices.IndexFunc(tickets, func(t wager.Ticket) bool { return base.checked(t).Answer.Payable > 0 })]
	_, err := base.pay(base.shop, winner)
	base.check(err)

	for _, c := range []struct {
		name, change, named string
	}{
		{"a posting", `UPDATE posting SET amount = amount + 1 WHERE id = (SELECT MIN(id) FROM posting)`, "Postings"},
		{"a posting less", `DELETE FROM posting WHERE id = (SELECT MIN(id) FROM posting)`, "Postings"},
		{"a command's key", `UPDATE command SET key = CAST(key || X'00' AS BLOB) WHERE record = (SELECT MAX(record) FROM command)`, "Commands"},
		{"a command less", `DELETE FROM command WHERE record = (SELECT MAX(record) FROM command)`, "Commands"},
		{"a balance", `UPDATE balance SET amount = amount + 100 WHERE account = (SELECT id FROM name WHERE name LIKE 'outlet/%')`, "account outlet/"},
		{"a balance more", `INSERT INTO name SELECT MAX(id) + 1, 'cash' FROM name; INSERT INTO balance SELECT id, 100 FROM name WHERE name = 'cash'`, "account cash"},
		{"a name", `UPDATE name SET name = name || '0' WHERE name LIKE 'outlet/%'`, "Postings"},
		{"a part", `UPDATE part SET combination = combination + 1 WHERE ticket = (SELECT MIN(ticket) FROM part)`, "Parts"},
		{"a part more, after the draw", `INSERT INTO part SELECT draw, 9999, n, combination, units, prize_table, last_draw FROM part LIMIT 1`, "Parts"},
		{"the stake of a part", `UPDATE part SET units = 10 WHERE ticket = (SELECT MAX(ticket) FROM part)`, "Parts"},
		{"a ticket", `UPDATE ticket SET price = price + 200`, "Tickets"},
		{"a cancellation", `DELETE FROM cancellation`, "Cancellations"},
		{"a result", `UPDATE result SET elements = elements || ',9' WHERE draw = 1`, "Results"},
		{"a close", `UPDATE draw_close SET wagers = wagers + 1 WHERE draw = 1`, "Closes"},
		{"a share", `UPDATE share SET winners = winners + 1`, "Shares"},
		{"a payment", `UPDATE payment SET amount = amount + 1`, "Payments"},
		{"a payment less", `DELETE FROM payment`, "Payments"},
		{"a draw's time", `UPDATE draw SET closes_at = closes_at - 1 WHERE id = 3`, "Draws"},
		{"a step", `UPDATE draw_step SET at = at + 1 WHERE draw = 1 AND state = 'drawn'`, "Steps"},
		{"an outlet", `UPDATE outlet SET credit_limit = credit_limit * 2`, "Outlets"},
		{"a terminal", `UPDATE terminal SET outlet = 'fedcba9876543210'`, "Terminals"},
		{"an officer", `UPDATE officer SET roles = 'all'`, "Officers"},
		{"a rule book", `UPDATE rules SET version = '2018'`, "Rules"},
		{"a tile", `UPDATE tile SET hashes = zeroblob(8192)`, "Tiles"},
		{"a tile less", `DELETE FROM tile`, "Tiles"},
		{"the head's size", `UPDATE head SET size = size - 1`, "the node has seen"},
		{"the head's root", `UPDATE head SET root = zeroblob(32)`, "head of"},
		{"the head's frontier", `UPDATE head SET frontier = zeroblob(length(frontier))`, "head of"},
		{"the head's time", `UPDATE head SET at = at + 1`, "head of"},
		{"the time of a turn", `UPDATE turn SET at = at + 1 WHERE first = (SELECT MAX(first) FROM turn)`, "dated out of order"},
		{"a turn less", `DELETE FROM turn WHERE first = (SELECT MAX(first) FROM turn WHERE first < (SELECT MAX(first) FROM turn))`, "a turn begins at record"},
		{"the last turn", `DELETE FROM turn WHERE first = (SELECT MAX(first) FROM turn)`, "head says"},
		{"the count of a turn", `UPDATE turn SET count = count + 1 WHERE first = (SELECT MAX(first) FROM turn)`, "records, says"},
		// The last byte but two of the last record is of the amount paid.
		{"a byte of a turn", `UPDATE turn SET records = CAST(substr(records, 1, length(records) - 3) || X'D1' || substr(records, length(records) - 1) AS BLOB) WHERE first = (SELECT MAX(first) FROM turn)`, "from the sales"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			copied := base.copyTo(t)
			db := copied.unguarded()
			_, err := db.Exec(`PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE`)
			copied.check(err)
			res, err := db.Exec(c.change)
			copied.check(err)
			if n, err := res.RowsAffected(); err != nil || n == 0 {
				t.Fatalf("nothing was changed: %v", err)
			}
			_, err = db.Exec(`COMMIT`)
			copied.check(err)
			if err := copied.sys.CheckBooks(copied.ctx()); err == nil || !strings.Contains(err.Error(), c.named) {
				t.Errorf("CheckBooks says %v, want it to name %q", err, c.named)
			}
		})
	}
}

// copyTo opens a node on a copy of a SQLite database, whose books are not checked.
func (w *world) copyTo(t *testing.T) *world {
	t.Helper()
	c := &world{TB: t, dsn: "sqlite:" + filepath.Join(t.TempDir(), "copy.db"), clock: w.clock, rules: w.rules, shop: w.shop, officer: w.officer}
	_, err := w.raw().Exec(`VACUUM INTO ?`, strings.TrimPrefix(c.dsn, "sqlite:"))
	c.check(err)
	c.open()
	t.Cleanup(func() {
		c.sys.Close()
		c.check(c.db.Close())
	})
	return c
}
