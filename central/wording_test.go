package central_test

import (
	"testing"

	"tirage/central"
	"tirage/internal/dbtest"
	"tirage/journal"
)

// What counts is the wording (5.2): the sale's record names the elements by
// number and the rule book by hash, so a later book with other words changes
// no ticket, before or after a restart.
func TestIAT_5_2_Wording(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		w.at(mondayDraw(95).Add(-hours(1) / 2))
		ticket := w.sell(w.slip(0, 2, 1))
		renamed := island(t, `version: "2017"`, `version: "2027"`, "first_day: 2017-07-25", "first_day: 2027-02-01", "fr: Tour de guet", "fr: Tour penchée")
		if _, err := w.sys.PublishRules(w.ctx(), central.PublishRules{Key: w.key(), Officer: w.officer.ID, Book: renamed}); err != nil {
			t.Fatal(err)
		}
		w.at(mondayDraw(95).AddDate(0, 0, 35))
		if r, err := w.sys.Rules("ile-au-tresor"); err != nil || r.Matrices[0].Elements[0].Name.FR != "Tour penchée" {
			t.Fatalf("the new words are not in force: %v", err)
		}
		w.restart()
		read := w.checked(ticket).Ticket
		for m, picks := range read.Plays[0].Picks {
			for i, e := range picks {
				if e != ticket.Plays[0].Picks[m][i] {
					t.Errorf("element %d of matrix %d is %d, sold as %d", i, m, e, ticket.Plays[0].Picks[m][i])
				}
			}
		}
		if got := read.Rules.Matrices[0].Elements[read.Plays[0].Picks[0][0]-1].Name.FR; got != "Tour de guet" {
			t.Errorf("the ticket now reads %q, sold as \"Tour de guet\"", got)
		}
		records, _ := w.records()
		sale, ok := records[ticket.Number].Body.(*journal.Sale)
		if !ok || sale.Rules != ticket.Rules.Hash || sale.Plays[0].Picks[0][0] != 1 {
			t.Errorf("the record does not seal the wording: %+v", sale)
		}
	})
}
