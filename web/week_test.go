package web

import (
	"context"
	"encoding/hex"
	"fmt"
	"math/big"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"tirage/central"
	"tirage/game"
	"tirage/journal"
	"tirage/money"
	"tirage/store"
	"tirage/wager"
)

// goOn is the rest of the shop's week, day by day: sales of both games, tickets
// taken back, small prizes paid, money received, and at the very end a ticket
// that is sold in this week and taken back in the next.
func (d *daily) goOn() {
	d.t.Helper()
	t, ctx := d.t, context.Background()
	var mine []wager.Ticket
	for day := 1; day < 7; day++ {
		d.clock.set(time.Date(2027, 1, 4+day, 17, 30, 0, 0, time.UTC))
		d.tick()
		for i := range 6 {
			slip := wager.Slip{Game: "amigo", Boards: []wager.Board{{QuickPick: true}}, Stake: money.Euros(int64(2 + 2*(i%5))), Draws: 1 + i%2}
			if open, err := d.sys.Status("ile-au-tresor"); err == nil && i%2 == 0 && len(open.Upcoming) > 0 {
				slip.Game = "ile-au-tresor"
			}
			x, err := d.sys.Place(ctx, central.Place{Key: fmt.Sprint("day-", day, "-", i), Terminal: d.terminal.ID, Slip: slip})
			check(t, err)
			mine = append(mine, x)
		}
		last := mine[len(mine)-1]
		_, err := d.sys.Cancel(ctx, central.Cancel{Key: fmt.Sprint("cancel-", day), Terminal: d.terminal.ID, Ticket: last.Number, Secret: last.Secret})
		check(t, err)
		mine = mine[:len(mine)-1]
		d.pass(time.Hour)
		for i, x := range mine {
			if c, err := d.sys.Check(ctx, x.Number, x.Secret, time.UTC); err != nil || c.Answer.Payable == 0 || c.Answer.Total >= 2000 {
				continue
			}
			_, err := d.sys.Pay(ctx, central.Pay{Key: fmt.Sprint("pay-", day, "-", i), Terminal: d.terminal.ID, Ticket: x.Number, Secret: x.Secret})
			check(t, err)
		}
	}
	_, err := d.sys.Receive(ctx, central.Receive{Key: "received", Officer: d.officer.ID, Outlet: d.outlet.ID, Amount: money.Euros(25)})
	check(t, err)
	d.clock.set(time.Date(2027, 1, 10, 22, 59, 50, 0, time.UTC)) // ten seconds before Sunday's midnight in Paris
	d.tick()
	late, err := d.sys.Place(ctx, central.Place{Key: "late", Terminal: d.terminal.ID, Slip: wager.Slip{Game: "amigo", Boards: []wager.Board{{QuickPick: true}}, Stake: 800, Draws: 2}})
	check(t, err)
	d.pass(2 * time.Minute)
	_, err = d.sys.Cancel(ctx, central.Cancel{Key: "late back", Terminal: d.terminal.ID, Ticket: late.Number, Secret: late.Secret})
	check(t, err)
	d.clock.set(time.Date(2027, 1, 11, 6, 0, 0, 0, time.UTC))
	d.tick()
	d.tick()
}

// week is what an outlet did in a week, by game.
type week struct {
	sold, cancelled, paid, back map[game.Code]money.Amount
	vouchers, received          money.Amount
	closing                     money.Amount
}

// posted sums an outlet's postings between two instants, by the records that
// they belong to: from the rows of the ledger and the journal alone.
func posted(t testing.TB, db *store.DB, books map[string]game.Code, outlet string, from, to time.Time) week {
	t.Helper()
	w := week{map[game.Code]money.Amount{}, map[game.Code]money.Amount{}, map[game.Code]money.Amount{}, map[game.Code]money.Amount{}, 0, 0, 0}
	games := map[uint64]game.Code{} // of tickets
	check(t, db.View(context.Background(), func(tx *store.Snapshot) error {
		ctx := context.Background()
		head, err := tx.Head(ctx)
		check(t, err)
		for index := range head.Size {
			b, _, err := tx.Record(ctx, index)
			check(t, err)
			record, err := journal.Decode(b)
			check(t, err)
			if sale, ok := record.Body.(*journal.Sale); ok {
				games[index] = books[hex.EncodeToString(sale.Rules[:])]
			}
			postings, err := tx.Postings(ctx, index)
			check(t, err)
			var amount money.Amount // debit of the outlet
			for _, p := range postings {
				if p.Account == "outlet/"+outlet {
					amount = amount.Add(p.Amount)
				}
			}
			if at := time.UnixMicro(record.At); amount == 0 || at.Before(from) || !at.Before(to) {
				continue
			}
			w.closing = w.closing.Add(amount)
			switch body := record.Body.(type) {
			case *journal.Sale:
				w.sold[games[index]] += amount
			case *journal.Cancellation:
				w.cancelled[games[body.Ticket]] -= amount
			case *journal.Payment:
				var back money.Amount
				for _, p := range body.Back {
					back += p.Amount
				}
				w.paid[games[body.Ticket]] -= amount + back
				w.back[games[body.Ticket]] += back
			case *journal.Voucher:
				w.vouchers += amount
			case *journal.Received:
				w.received -= amount
			default:
				t.Errorf("record %d of %T moves %v of the outlet", index, body, amount)
			}
		}
		return nil
	}))
	return w
}

// stated compares the statement of the week with the ledger, and looks at it on the terminal.
func (d *daily) stated() {
	d.t.Helper()
	t, ctx := d.t, context.Background()
	list, err := d.sys.Statements(ctx, d.outlet.ID, 10)
	check(t, err)
	if len(list) != 1 {
		t.Fatalf("%d statements, want 1", len(list))
	}
	st := list[0]
	books := map[string]game.Code{}
	for _, code := range d.sys.Games() {
		r, err := d.sys.Rules(code)
		check(t, err)
		books[hex.EncodeToString(r.Hash[:])] = code
	}
	paris, err := time.LoadLocation("Europe/Paris")
	check(t, err)
	monday := time.Date(2027, 1, 4, 0, 0, 0, 0, paris)
	want := posted(t, d.db, books, d.outlet.ID, monday, monday.AddDate(0, 0, 7))
	got := week{map[game.Code]money.Amount{}, map[game.Code]money.Amount{}, map[game.Code]money.Amount{}, map[game.Code]money.Amount{}, st.Vouchers, st.Received, st.Closing}
	var commission money.Amount
	for _, l := range st.Lines {
		for sums, amount := range map[*map[game.Code]money.Amount]money.Amount{&got.sold: l.Sold, &got.cancelled: l.Cancelled, &got.paid: l.Paid, &got.back: l.Back} {
			if amount != 0 {
				(*sums)[l.Game] = amount
			}
		}
		earned := earnedOn(want.sold[l.Game]-want.cancelled[l.Game], want.paid[l.Game])
		if l.Commission != earned {
			t.Errorf("%s: commission %v, want %v", l.Game, l.Commission, earned)
		}
		commission += earned
	}
	for _, sums := range []map[game.Code]money.Amount{want.sold, want.cancelled, want.paid, want.back} {
		for code, amount := range sums {
			if amount == 0 {
				delete(sums, code)
			}
		}
	}
	want.closing -= commission
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(week{})); diff != "" {
		t.Errorf("the statement is not what is posted (-posted +stated):\n%s", diff)
	}
	if want.cancelled["amigo"] == 0 || want.sold["ile-au-tresor"] == 0 || want.paid["ile-au-tresor"] == 0 || want.vouchers == 0 || want.received == 0 {
		t.Errorf("the week shows too little: %v", want)
	}
	var booked money.Amount // by the statement itself
	check(t, d.db.View(ctx, func(tx *store.Snapshot) error {
		postings, err := tx.Postings(ctx, st.Record)
		for _, p := range postings {
			if p.Account == "outlet/"+d.outlet.ID {
				booked -= p.Amount
			}
		}
		return err
	}))
	if booked != commission {
		t.Errorf("the statement books %v, want %v", booked, commission)
	}
	d.do(chromedp.SendKeys(chromedp.CSS("#device"), d.device))
	d.leads("Enter", "main button")
	d.menu("F7")
	d.leads("Ctrl+4", `.tabs a:nth-of-type(4)`)
	d.sees(".list", euros(st.Closing))
	d.load(d.reaches("a.row"))
	d.sees("#heading", "Relevé")
	d.sees(".sumlist", "Solde de clôture "+euros(want.closing))
	d.touchable()
	d.picture(d.name("statement"))
}

// earnedOn is the commission of the terms on what was sold and what was paid, in whole cents.
func earnedOn(sold, paid money.Amount) money.Amount {
	sum := new(big.Rat).Add(big.NewRat(int64(sold)*5, 100), big.NewRat(int64(paid), 100))
	return money.Amount(new(big.Int).Quo(sum.Num(), sum.Denom()).Int64())
}
