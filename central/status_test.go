package central_test

import (
	"errors"
	"slices"
	"testing"
	"time"

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

// F18: a draw that was put off while it sold is told as moved at once, also
// before it sells again, and until it is drawn; all draws that sell are listed
// at the times to which they were moved, the cancelled ones not among them.
func TestF18_MovedAndOpenDraws(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, amigo(t, aFewDraws...))
		look := func(what string, moved, open []int) {
			t.Helper()
			st := w.status()
			var got []int
			for _, v := range st.Moved {
				got = append(got, v.Number)
			}
			if !slices.Equal(got, moved) {
				t.Errorf("%s: moved are %v, want %v", what, got, moved)
			}
			if got := numbers(st.Open); !slices.Equal(got, open) {
				t.Errorf("%s: open are %v, want %v", what, got, open)
			}
		}
		first := w.status().Open[0].Number
		all := numbers(w.status().Open)
		look("as planned", nil, all)
		w.postpone(12*time.Minute, first)
		look("before the scheduler has opened it", []int{first}, all[1:])
		w.tick()
		order := append([]int{all[1], all[2], first}, all[3:]...)
		look("open again", []int{first}, order)
		w.restart()
		look("after a restart", []int{first}, order)
		if got, err := w.sys.Status("amigo"); err != nil || !got.Open[2].DrawsAt.Equal(got.Moved[0].DrawsAt) {
			t.Errorf("draws at %v, %v", got.Open[2].DrawsAt, err)
		}
		w.cancelDraws(all[4], all[8])
		open := slices.DeleteFunc(slices.Clone(order), func(n int) bool { return n == all[4] || n == all[8] })
		look("two cancelled", []int{first, all[4], all[8]}, open)
		moved := w.status().Moved[0]
		w.at(moved.ClosesAt)
		look("closed", []int{first, all[4], all[8]}, open[3:])
		w.at(moved.DrawsAt)
		look("drawn", []int{all[4], all[8]}, open[3:])
	})
}

// F16: whether a ticket can be taken back is told by what decides it.
func TestF16_Cancellable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "sqlite:"+t.TempDir()+"/tirage.db", amigo(t, aFewDraws...))
	ticket, other := w.sell(w.quickPick(2, 2)), w.sell(w.quickPick(2, 1))
	agree := func(want error) {
		t.Helper()
		if err := w.sys.Cancellable(ticket); !errors.Is(err, want) {
			t.Errorf("told %v, want %v", err, want)
		}
		if want != nil {
			w.refuses(want, func() error { return w.cancel(w.shop, ticket) })
		}
	}
	agree(nil)
	w.postpone(time.Hour, ticket.Draws[0].Number)
	agree(nil)
	w.check(w.sys.Cancellable(other))
	w.at(ticket.Draws[1].ClosesAt)
	agree(central.ErrTooLate)
	w.check(w.cancel(w.shop, other))
	w.cancelDraws(ticket.Draws[0].Number)
	agree(central.ErrDrawCancelled)
}
