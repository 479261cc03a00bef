package central_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"tirage/central"
	"tirage/internal/dbtest"
	"tirage/internal/sim"
	"tirage/journal"
	"tirage/wager"
)

// AMI-3.1.3: a ticket has the letters that its boards have on the slip, as it is
// sold, asked for again, read back and read by officers, and its record has them
// only where they are not A, B, C …
func TestAMI_3_1_3_Letters(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, amigo(t, aFewDraws...))
		at := func(letter int) wager.Board {
			b := board(firsts, 3)
			b.Letter = letter
			return b
		}
		for _, v := range []struct {
			boards  []wager.Board
			letters []int
		}{
			{[]wager.Board{at(0), at(0)}, nil},
			{[]wager.Board{at(1), at(2)}, nil},
			{[]wager.Board{at(2), at(4)}, []int{2, 4}},
			{[]wager.Board{at(0), at(3), at(4)}, []int{1, 3, 4}},
			{[]wager.Board{at(3)}, []int{3}},
		} {
			p := central.Place{Key: w.key(), Terminal: w.terminal.ID, Slip: w.boards(2, 1, v.boards...)}
			sold, err := w.sys.Place(w.ctx(), p)
			w.check(err)
			again, err := w.sys.Place(w.ctx(), p)
			w.check(err)
			seen, err := w.sys.Ticket(w.ctx(), sold.Number)
			w.check(err)
			for name, ticket := range map[string]wager.Ticket{"sold": sold, "again": again, "checked": w.checked(sold).Ticket, "seen": seen.Ticket} {
				if !slices.Equal(ticket.Letters, v.letters) || (ticket.Letters == nil) != (v.letters == nil) {
					t.Errorf("%s: letters %v, want %v", name, ticket.Letters, v.letters)
				}
			}
			w.restart()
		}
		w.refuses(wager.ErrLetter, func() error { _, err := w.place(w.boards(2, 1, at(4), at(2))); return err })
		sim.CheckBooks(t, w.sys)
	})
}

// The auditor finds letters of boards in a game that has one board a slip.
func TestLettersAudited(t *testing.T) {
	t.Parallel()
	base := newWorld(t, dbtest.SQLite(t), islet(t))
	honest, forged := base.copyTo(t), base.copyTo(t)
	honest.sell(honest.slip(1, 2, 1))
	records, _ := honest.records()
	sale := records[len(records)-1].Body.(*journal.Sale)
	sale.Letters = []uint16{2}
	forged.check(forged.sys.Do(forged.ctx(), func(turn *central.Turn) error { return turn.Append(sale) }))
	if err := forged.sys.CheckBooks(forged.ctx()); !errors.Is(err, central.ErrJournal) || !strings.Contains(err.Error(), "gives letters") {
		t.Errorf("CheckBooks says %v", err)
	}
}
