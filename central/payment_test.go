package central_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/internal/dbtest"
	"tirage/ledger"
	"tirage/money"
	"tirage/party"
	"tirage/settle"
	"tirage/store"
	"tirage/wager"
)

// isletPrize is the prize of 2 € on a combination of the islet, counted by
// hand, and whether it is payable from the next morning only.
func isletPrize(p game.Picks, r game.Result) (prize money.Amount, morning bool) {
	switch place, pirate := p[0][0] == r[0][0], p[1][0] == r[1][0]; {
	case place && pirate:
		return money.Euros(20), true
	case place:
		return money.Euros(3), true
	case !pirate:
		return money.Euros(2), false
	}
	return 0, false
}

// sellAll sells every combination of the islet.
func (w *world) sellAll(euros int64, draws int) []wager.Ticket {
	w.Helper()
	tickets := make([]wager.Ticket, w.rules.Size())
	for c := range tickets {
		tickets[c] = w.sell(w.slip(game.Combination(c), euros, draws))
	}
	return tickets
}

// morning is 06:00 in Paris on the day after the test's Monday.
var morning = time.Date(2027, 1, 5, 5, 0, 0, 0, time.UTC)

// IAT-7: 7+1 and 7+0 from the next morning, the others within minutes of the
// ticket's last draw or of their own, by the readings; each draw is paid once.
func TestIAT_7_PayableFrom(t *testing.T) {
	t.Parallel()
	for _, other := range []string{"last_draw", "each_draw"} {
		for _, early := range []string{"whole_ticket", "small_first"} {
			t.Run(other+" "+early, func(t *testing.T) {
				t.Parallel()
				dbtest.Each(t, func(t *testing.T, dsn string) {
					w := newWorld(t, dsn, islet(t, "other_tiers: last_draw", "other_tiers: "+other, "early_tiers: whole_ticket", "early_tiers: "+early))
					payInTime(w, other == "each_draw", early == "small_first")
				})
			})
		}
	}
}

// payInTime asks for the payment of every combination, played over draws 95 to
// 97, at each moment that counts.
func payInTime(w *world, eachDraw, smallFirst bool) {
	w.Helper()
	tickets := w.sellAll(2, 3)
	paid := map[draw.ID]map[wager.ID]bool{}
	certified := 0
	for _, at := range []time.Time{mondayDraw(95), mondayDraw(96), mondayDraw(97), morning.Add(-time.Microsecond), morning} {
		w.at(at)
		certified = min(3, certified+1)
		for _, ticket := range tickets {
			var want money.Amount
			holdsMorning := false
			for _, d := range ticket.Draws[:certified] {
				_, m := isletPrize(ticket.Plays[0].Picks, w.result(d))
				holdsMorning = holdsMorning || m && !paid[d.ID][ticket.Number]
			}
			for _, d := range ticket.Draws[:certified] {
				prize, m := isletPrize(ticket.Plays[0].Picks, w.result(d))
				due := !at.Before(morning) || !m && (eachDraw || certified == 3) && (smallFirst || !holdsMorning)
				if prize == 0 || !due || paid[d.ID][ticket.Number] {
					continue
				}
				want += prize
				if paid[d.ID] == nil {
					paid[d.ID] = map[wager.ID]bool{}
				}
				paid[d.ID][ticket.Number] = true
			}
			if payable := w.checked(ticket).Answer.Payable; payable != want {
				w.Errorf("%s, ticket %d: checked %s payable, want %s", at, ticket.Number, payable, want)
			}
			got, err := w.pay(w.shop, ticket)
			if got.Amount != want || (err == nil) != (want > 0) {
				w.Errorf("%s, ticket %d: paid %s, %v; want %s", at, ticket.Number, got.Amount, err, want)
			}
		}
	}
	for _, ticket := range tickets {
		a := w.checked(ticket).Answer
		want := settle.ErrPaid
		if a.Total == 0 {
			want = settle.ErrNothingToPay
		}
		w.refuses(want, func() error { _, err := w.pay(w.shop, ticket); return err })
		if a.Paid != a.Total || a.Payable != 0 {
			w.Errorf("ticket %d: %s of %s paid", ticket.Number, a.Paid, a.Total)
		}
	}
}

// result is the result of a draw of the test's Monday.
func (w *world) result(d draw.Draw) game.Result {
	w.Helper()
	v, err := w.sys.Draw(w.ctx(), d.Game, d.Day, d.Number)
	w.check(err)
	return v.Result
}

// IAT-7: until the 60th day inclusive, where it is paid or in Paris; then lost.
func TestIAT_7_Deadline(t *testing.T) {
	t.Parallel()
	midnights := []struct {
		territory, zone string
		place, paris    time.Time // end of the 60th day after 4 January, by the readings
	}{
		{"reunion", "Indian/Reunion", time.Date(2027, 3, 5, 20, 0, 0, 0, time.UTC), time.Date(2027, 3, 5, 23, 0, 0, 0, time.UTC)},
		{"metropole", "Europe/Paris", time.Date(2027, 3, 5, 23, 0, 0, 0, time.UTC), time.Date(2027, 3, 5, 23, 0, 0, 0, time.UTC)},
		{"polynesie", "Pacific/Tahiti", time.Date(2027, 3, 6, 10, 0, 0, 0, time.UTC), time.Date(2027, 3, 5, 23, 0, 0, 0, time.UTC)},
	}
	for _, reading := range []string{"place_of_payment", "paris"} {
		t.Run(reading, func(t *testing.T) {
			t.Parallel()
			dbtest.Each(t, func(t *testing.T, dsn string) {
				w := newWorld(t, dsn, islet(t, "deadline_zone: place_of_payment", "deadline_zone: "+reading))
				var winners []wager.Ticket
				for range midnights {
					winners = append(winners, w.sellAll(2, 1)...)
				}
				w.at(mondayDraw(95))
				winners = slices.DeleteFunc(winners, func(t wager.Ticket) bool { return w.checked(t).Answer.Total == 0 })
				for i, m := range midnights {
					shop := w.newShop(10+i, m.territory, m.zone)
					end := m.place
					if reading == "paris" {
						end = m.paris
					}
					if w.clock.Now().Before(end) {
						w.at(end.Add(-time.Microsecond))
						if _, err := w.pay(shop, winners[2*i]); err != nil {
							t.Errorf("%s, on the last day: %v", m.territory, err)
						}
					}
					w.at(end)
					w.refuses(settle.ErrExpired, func() error { _, err := w.pay(shop, winners[2*i+1]); return err })
					zone, err := time.LoadLocation(m.zone)
					w.check(err)
					if a := w.checkedIn(winners[2*i+1], zone).Answer; !a.Expired || a.Standing != settle.Won || a.Payable != 0 || a.ClaimUntil.String() != "2027-03-05" {
						t.Errorf("%s: checked %+v", m.territory, a)
					}
				}
			})
		})
	}
}

// F09, F17: for each state of a draw and each ticket: pending until the draw is
// certified, then what it won; nothing is shown before its record, and a
// restart at any moment changes nothing.
func TestF09_F17_StateByState(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, islet(t))
		tickets := append(w.sellAll(2, 1), w.sellAll(2, 2)...)
		id := tickets[0].Draws[0].ID
		for _, state := range []draw.State{draw.Selling, draw.Closed, draw.Drawn, draw.Settled, draw.Certified} {
			if state != draw.Selling {
				w.clock.set(mondayDraw(95))
				w.check(w.sys.Step(w.ctx(), id, state))
				w.restart()
			}
			v := w.view(95)
			if v.State != state || (v.Result != nil) != (state >= draw.Drawn) || (v.Settlement != nil) != (state >= draw.Settled) {
				t.Errorf("%s: draw shows %s, result %v, settlement %v", state, v.State, v.Result, v.Settlement)
			}
			w.showsNothingBefore(id, state)
			for _, ticket := range tickets {
				a := w.checked(ticket).Answer
				if state != draw.Certified {
					if a.Standing != settle.Pending || a.Total != 0 || a.Waiting != len(ticket.Draws) || a.Prizes[0].Known || a.Prizes[0].Tier != -1 {
						t.Errorf("%s: ticket %d answers %+v", state, ticket.Number, a)
					}
					w.refuses(settle.ErrNotYet, func() error { _, err := w.pay(w.shop, ticket); return err })
					continue
				}
				prize, _ := isletPrize(ticket.Plays[0].Picks, v.Result)
				want := settle.Lost
				switch {
				case prize > 0:
					want = settle.Won
				case len(ticket.Draws) > 1:
					want = settle.Pending
				}
				if a.Standing != want || a.Total != prize || a.Waiting != len(ticket.Draws)-1 {
					t.Errorf("ticket %d: %s of %s, want %s of %s", ticket.Number, a.Standing, a.Total, want, prize)
				}
			}
		}
	})
}

// showsNothingBefore shows that status and journal tell of a draw what is recorded, and no more.
func (w *world) showsNothingBefore(id draw.ID, state draw.State) {
	w.Helper()
	st := w.status()
	for _, d := range slices.Concat(st.Upcoming, st.Closed, st.Last) {
		if d.ID == id && (d.State != state || (d.Result != nil) != (state >= draw.Drawn) || (d.Settlement != nil) != (state >= draw.Settled)) {
			w.Errorf("%s: status shows %s, result %v, settlement %v", state, d.State, d.Result, d.Settlement)
		}
	}
	if last := len(st.Last) > 0; last != (state >= draw.Drawn) {
		w.Errorf("%s: status has a last draw: %v", state, last)
	}
	// Two-draw tickets keep the bundle private until their last draw closes.
	if _, err := w.sys.Entries(w.ctx(), 0, int(w.sys.Size())); !errors.Is(err, central.ErrNotPublic) {
		w.Errorf("%s: entries: %v", state, err)
	}
}

// F07, F08: every ticket of a session is in its draws, also in the tail of
// tickets over several draws, and every amount that is said is a posting.
func TestF07_F08_SumsAgree(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, islet(t))
		shops := []*shop{w.shop, w.newShop(2, "monaco", "Europe/Monaco")}
		w.at(mondayDraw(125))
		var tickets []wager.Ticket
		for i, number := range []int{125, 126, 127, 128, 129} {
			w.at(mondayDraw(number))
			for n := range 18 {
				s := w.quickPick([]int64{2, 4, 20}[n%3], 1+(n+i)%6)
				ticket, err := w.sys.Place(w.ctx(), central.Place{Key: w.key(), Terminal: shops[n%2].terminal.ID, Slip: s})
				w.check(err)
				if n%7 == 3 {
					w.check(w.cancel(shops[n%2], ticket))
					continue
				}
				tickets = append(tickets, ticket)
			}
		}
		w.at(mondayDraw(130))

		count, staked := map[draw.ID]int64{}, map[draw.ID]money.Amount{}
		owed := map[string]money.Amount{}
		prizes := map[draw.ID]money.Amount{} // by last draw
		for _, ticket := range tickets {
			a := w.checked(ticket).Answer
			if a.Waiting != 0 {
				t.Errorf("ticket %d waits", ticket.Number)
			}
			for i, p := range a.Prizes {
				d := ticket.Draws[i]
				count[d.ID]++
				staked[d.ID] += ticket.Stake
				unit, _ := isletPrize(ticket.Plays[0].Picks, w.result(d))
				if want := unit.Times(ticket.Units); p.Amount != want {
					t.Errorf("ticket %d in draw %d wins %s, want %s", ticket.Number, d.Number, p.Amount, want)
				}
			}
			prizes[ticket.Draws[len(ticket.Draws)-1].ID] += a.Total
			owed[ticket.Outlet] += ticket.Price
			if got := w.posting(uint64(ticket.Number), ledger.Outlet(ticket.Outlet)); got != ticket.Price {
				t.Errorf("ticket %d of %s: posting %s", ticket.Number, ticket.Price, got)
			}
		}
		for number := 126; number <= 130; number++ {
			v := w.view(number)
			if v.Wagers != count[v.ID] || v.Stakes != staked[v.ID] || v.Settlement.Parts != count[v.ID] || v.Settlement.Stakes != staked[v.ID] {
				t.Errorf("draw %d: %d tickets, %s at its close, %d answers of %s", number, v.Wagers, v.Stakes, count[v.ID], staked[v.ID])
			}
		}
		balances := w.balances()
		for last, sum := range prizes {
			if got := -balances[string(ledger.Prize(int64(last)))]; got != sum {
				t.Errorf("prizes payable of last draw %d are %s, answers sum to %s", last, got, sum)
			}
		}
		w.at(morning)
		for _, ticket := range tickets {
			if w.checked(ticket).Answer.Total == 0 {
				continue
			}
			record := w.sys.Size()
			paid, err := w.pay(shops[1], ticket)
			w.check(err)
			owed[shops[1].outlet.ID] -= paid.Amount
			if got := w.posting(record, ledger.Prize(int64(ticket.Draws[len(ticket.Draws)-1].ID))); got != paid.Amount {
				t.Errorf("ticket %d paid %s, posted %s", ticket.Number, paid.Amount, got)
			}
		}
		for _, s := range shops {
			if got := w.owes(s); got != owed[s.outlet.ID] {
				t.Errorf("outlet %d owes %s, want %s", s.outlet.Number, got, owed[s.outlet.ID])
			}
		}
		for account, left := range w.balances() {
			if kind := ledger.Account(account).Kind(); (kind == "prize" || kind == "stake") && left != 0 {
				t.Errorf("%s has %s left when all is paid", account, left)
			}
		}
	})
}

func (w *world) posting(entry uint64, account ledger.Account) (amount money.Amount) {
	w.Helper()
	w.check(w.db.View(w.ctx(), func(tx *store.Snapshot) error {
		postings, err := tx.Postings(w.ctx(), entry)
		for _, p := range postings {
			if p.Account == string(account) {
				amount = p.Amount
			}
		}
		return err
	}))
	return amount
}

func (w *world) balances() (balances map[string]money.Amount) {
	w.Helper()
	w.check(w.db.View(w.ctx(), func(tx *store.Snapshot) (err error) {
		balances, err = tx.Balances(w.ctx())
		return err
	}))
	return maps.Clone(balances)
}

// Between the reading of a ticket and its payment a draw may be certified: all
// that is payable at the time of the payment is paid, as the books ask.
func TestPay_DrawGoesOn(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, islet(t, "other_tiers: last_draw", "other_tiers: each_draw", "early_tiers: whole_ticket", "early_tiers: small_first", ", payable: next_morning", "", ", payable: next_morning", ""))
		tickets := w.sellAll(2, 2)
		w.at(mondayDraw(95))
		for _, ticket := range w.winners(tickets) {
			before := w.checked(ticket).Answer.Payable
			paid, err := w.sys.PayAfter(w.ctx(), central.Pay{Key: w.key(), Terminal: w.terminal.ID, Ticket: ticket.Number, Secret: ticket.Secret}, func() { w.at(mondayDraw(96)) })
			if w.check(err); paid.Amount != w.checked(ticket).Answer.Total || before == 0 {
				t.Errorf("paid %s, won %s", paid.Amount, w.checked(ticket).Answer.Total)
			}
		}
	})
}

// Payments are refused without a ticket's secret, at blocked outlets and twice
// at once: of twenty callers one pays.
func TestPayRefused(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, islet(t))
		tickets := w.sellAll(2, 1)
		w.at(morning)
		i := slices.IndexFunc(tickets, func(t wager.Ticket) bool { return w.checked(t).Answer.Total > 0 })
		winner := tickets[i]
		forged := winner
		forged.Secret[0]++
		w.refuses(central.ErrNoTicket, func() error { _, err := w.pay(w.shop, forged); return err })
		_, err := w.sys.Check(w.ctx(), forged.Number, forged.Secret, time.UTC)
		if !errors.Is(err, central.ErrNoTicket) {
			t.Errorf("check with a wrong secret: %v", err)
		}
		for _, number := range []wager.ID{0, 1 << 20, 1 << 63, 1<<64 - 1} {
			if _, err := w.sys.Check(w.ctx(), number, winner.Secret, time.UTC); !errors.Is(err, central.ErrNoTicket) {
				t.Errorf("check of %d: %v", number, err)
			}
		}
		w.refuses(central.ErrKey, func() error {
			_, err := w.sys.Pay(w.ctx(), central.Pay{Terminal: w.terminal.ID, Ticket: winner.Number, Secret: winner.Secret})
			return err
		})
		blocked := w.outlet
		blocked.Blocked = true
		_, err = w.sys.PutOutlet(w.ctx(), central.PutOutlet{Key: w.key(), Officer: w.officer.ID, Outlet: blocked})
		w.check(err)
		other := w.newShop(2, "metropole", "Europe/Paris")
		before := w.owes(other)

		errs := make(chan error, 20)
		for n := range cap(errs) {
			go func() {
				_, err := w.sys.Pay(w.ctx(), central.Pay{Key: fmt.Sprint("try-", n), Terminal: other.terminal.ID, Ticket: winner.Number, Secret: winner.Secret})
				errs <- err
			}()
		}
		paid := 0
		for range cap(errs) {
			if err := <-errs; err == nil {
				paid++
			} else if !errors.Is(err, settle.ErrPaid) {
				t.Errorf("got %v, want paid", err)
			}
		}
		if want := w.checked(winner).Answer.Total; paid != 1 || before-w.owes(other) != want {
			t.Errorf("%d payments, %s in all; want one of %s", paid, before-w.owes(other), want)
		}
		for _, ticket := range tickets {
			if ticket.Number != winner.Number && w.checked(ticket).Answer.Total > 0 {
				w.refuses(party.ErrBlocked, func() error { _, err := w.pay(w.shop, ticket); return err })
				w.refuses(party.ErrBlocked, func() error { return w.cancel(w.shop, ticket) })
			}
		}
	})
}
