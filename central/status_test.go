package central_test

import (
	"slices"
	"testing"

	"tirage/central"
	"tirage/draw"
	"tirage/internal/dbtest"
	"tirage/ledger"
	"tirage/money"
)

// A cancelled draw shows what was staked on it, before its refund and after,
// after a restart too; draws are found by their IDs; a game's funds are its accounts'.
func TestDrawsByID(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, amigo(t))
		ticket := w.sell(w.quickPick(2, 2))
		ids := []draw.ID{ticket.Draws[1].ID, ticket.Draws[0].ID}
		look := func(state draw.State, refunded bool) {
			t.Helper()
			views, err := w.sys.DrawsByID(w.ctx(), append(ids, 1_000_000))
			w.check(err)
			if len(views) != 2 || views[0].ID != ids[1] || views[1].ID != ids[0] {
				t.Fatalf("draws %+v, want %v", views, ids)
			}
			if v := views[0]; v.State != state || v.Refunded != refunded || v.Stakes != money.Euros(2) {
				t.Errorf("draw is %s, refunded %t, stakes %s; want %s, %t, 2", v.State, v.Refunded, v.Stakes, state, refunded)
			}
			all, err := w.sys.Draws(w.ctx(), "amigo", ticket.Draws[0].Day)
			w.check(err)
			i := slices.IndexFunc(all, func(v central.DrawView) bool { return v.ID == ids[1] })
			if all[i].Stakes != money.Euros(2) || all[i].Refunded != refunded {
				t.Errorf("of the day: stakes %s, refunded %t", all[i].Stakes, all[i].Refunded)
			}
		}
		look(draw.Selling, false)
		w.postpone(hours(1), ticket.Draws[0].Number)
		look(draw.Postponed, false)
		w.cancelDraws(ticket.Draws[0].Number)
		look(draw.Cancelled, false)
		w.tick()
		look(draw.Cancelled, true)
		w.restart()
		look(draw.Cancelled, true)

		w.at(ticket.Draws[1].DrawsAt.Add(hours(1)))
		funds, err := w.sys.Funds("amigo")
		w.check(err)
		want := central.Funds{
			Jackpot: w.account(ledger.Jackpot("amigo")), Reserve: w.account(ledger.Reserve("amigo")), Margin: w.account(ledger.Margin("amigo")),
		}
		if funds != want || funds.Jackpot <= 0 {
			t.Errorf("funds %+v, want %+v", funds, want)
		}
	})
}
