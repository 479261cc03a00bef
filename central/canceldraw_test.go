package central_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"tirage/central"
	"tirage/draw"
	"tirage/internal/dbtest"
	"tirage/journal"
	"tirage/ledger"
	"tirage/money"
	"tirage/settle"
	"tirage/wager"
)

// account is what an account holds: a credit is positive.
func (w *world) account(a ledger.Account) money.Amount {
	w.Helper()
	return -w.balances()[string(a)]
}

// A draw is cancelled in any state before its prizes are booked; afterwards it
// stands. Its stakes are given back, to the cent, after a restart at any moment.
func TestCancelDraw_EachState(t *testing.T) {
	t.Parallel()
	for _, state := range []draw.State{draw.Planned, draw.Selling, draw.Postponed, draw.Closed, draw.Drawn, draw.Settled, draw.Certified} {
		t.Run(state.String(), func(t *testing.T) {
			t.Parallel()
			dbtest.Each(t, func(t *testing.T, dsn string) { cancelDrawIn(newWorld(t, dsn, fewDraws(t)), state) })
		})
	}
}

func cancelDrawIn(w *world, state draw.State) {
	w.Helper()
	number, other := 95, w.second().ID
	if state == draw.Planned {
		number = 167
	}
	id := w.view(number).ID
	var tickets []wager.Ticket
	if state != draw.Planned {
		tickets = w.sellAll(8, 2) // of draws 95 and 96
		w.check(w.cancel(w.shop, tickets[0]))
		tickets = tickets[1:]
	}
	if state == draw.Postponed {
		w.postpone(2*time.Minute, number)
	} else if state != draw.Planned && state != draw.Selling {
		w.clock.set(mondayDraw(number))
		for next := draw.Closed; next <= state; next++ {
			w.check(w.sys.Step(w.ctx(), id, next))
		}
	}
	result := w.view(number).Result
	cancel := central.Change{Act: central.ActCancelDraw, Draws: []draw.ID{id}}
	if state == draw.Settled || state == draw.Certified {
		w.refuses(draw.ErrTransition, func() error { _, err := w.propose(cancel); return err })
		w.tick()
		return
	}
	w.check(w.approve(other, w.proposed(cancel).ID))
	for _, d := range w.status().Last {
		if d.ID == id {
			w.Error("a cancelled draw stands among the last results")
		}
	}
	w.restart()
	stakes := money.Euros(8 * int64(len(tickets)))
	if got := w.account(ledger.Stake(int64(id))); w.sys.State(id) != draw.Cancelled || got != stakes {
		w.Errorf("cancelled: %s, %s staked, want %s", w.sys.State(id), got, stakes)
	}
	for _, ticket := range tickets {
		w.refuses(central.ErrDrawCancelled, func() error { return w.cancel(w.shop, ticket) })
		if a := w.checked(ticket).Answer; a.Standing != settle.GiveBack || a.Back != money.Euros(8) || a.Payable != 0 || a.Waiting != 2 {
			w.Errorf("before the refund: %s, %s back, %s payable, waits for %d", a.Standing, a.Back, a.Payable, a.Waiting)
		}
		w.refuses(settle.ErrNotYet, func() error { _, err := w.pay(w.shop, ticket); return err })
	}
	w.tick()
	w.restart()
	size := w.sys.Size()
	if next := w.tick(); !w.view(number).Refunded || !next.After(w.clock.Now()) { // once, and at once
		w.Errorf("refunded %v, next at %s", w.view(number).Refunded, next)
	}
	if len(tickets) == 0 {
		w.at(mondayDraw(number).Add(-time.Hour)) // its session opens without it
		if got := numbers(w.sell(w.quickPick(2, 1)).Draws); got[0] != number+1 {
			w.Errorf("sold for %v", got)
		}
		return
	}
	last := int64(tickets[0].Draws[1].ID)
	if got := w.account(ledger.Back(last)); w.sys.Size() != size || got != stakes || w.account(ledger.Stake(int64(id))) != 0 {
		w.Errorf("refunded: %s to give back, %d records more", got, w.sys.Size()-size)
	}
	if v := w.view(number); v.State != draw.Cancelled || !slices.EqualFunc(v.Result, result, slices.Equal) {
		w.Errorf("draw is %s with %v", v.State, v.Result) // a result that was drawn stays public
	}
	w.giveBack(tickets, id)
	if w.account(ledger.Back(last)) != 0 || w.account(ledger.Prize(last)) != 0 {
		w.Error("not all was paid")
	}
}

// giveBack pays tickets at 8 € of a cancelled draw and the next one: some at once, all in the end.
func (w *world) giveBack(tickets []wager.Ticket, id draw.ID) {
	w.Helper()
	for _, ticket := range tickets[:3] {
		before := w.owes(w.shop)
		paid, err := w.pay(w.shop, ticket)
		w.check(err)
		if paid.Amount != money.Euros(8) || paid.Back != paid.Amount || !slices.Equal(paid.Draws, []draw.ID{id}) || before-w.owes(w.shop) != paid.Amount {
			w.Errorf("given back %+v", paid)
		}
		w.refuses(settle.ErrNotYet, func() error { _, err := w.pay(w.shop, ticket); return err })
	}
	w.at(morning)
	for _, ticket := range tickets { // prizes of draw 96, and stakes not given back yet, in one payment
		a := w.checked(ticket).Answer
		paid, err := w.pay(w.shop, ticket)
		if paid.Amount != a.Payable || (err == nil) != (a.Payable > 0) {
			w.Errorf("paid %s, %v, want %s", paid.Amount, err, a.Payable)
		}
		if a := w.checked(ticket).Answer; a.Paid != a.Total || a.BackPaid != a.Back || a.Payable != 0 || a.Waiting != 0 {
			w.Errorf("after payment: %+v", a)
		}
		w.refuses(settle.ErrPaid, func() error { _, err := w.pay(w.shop, ticket); return err })
	}
}

// A ticket of six draws of which one is cancelled plays on in the other five;
// two are cancelled together, and what each ticket gets is its stakes and its prizes.
func TestCancelDraw_SixDraws(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, islet(t))
		tickets := append(w.sellAll(4, 6), w.sellAll(2, 3)...)
		w.at(mondayDraw(96)) // two draws are over
		w.cancelDraws(97, 99)
		again := w.sell(w.quickPick(2, 6))
		if got := numbers(again.Draws); !slices.Equal(got, []int{98, 100, 101, 102, 103, 104}) {
			t.Errorf("sold for %v", got)
		}
		w.tick()
		w.at(morning)
		for _, ticket := range tickets {
			stake := ticket.Stake
			var want, back money.Amount
			for _, d := range ticket.Draws {
				if d.Number == 97 || d.Number == 99 {
					back += stake
					continue
				}
				prize, _ := isletPrize(ticket.Plays[0].Picks, w.result(d))
				want += prize * stake / money.Euros(2)
			}
			a := w.checked(ticket).Answer
			paid, err := w.pay(w.shop, ticket)
			w.check(err)
			if a.Total != want || a.Back != back || paid.Amount != want+back || paid.Back != back || len(paid.Draws) > len(ticket.Draws) {
				t.Errorf("ticket %d: %s won, %s back, paid %s; want %s and %s", ticket.Number, a.Total, a.Back, paid.Amount, want, back)
			}
			again, err := w.sys.Pay(w.ctx(), central.Pay{Key: "again", Terminal: w.terminal.ID, Ticket: ticket.Number, Secret: ticket.Secret})
			if err == nil {
				t.Errorf("paid again: %s", again.Amount)
			}
		}
	})
}

// The first answer of a payment with stakes is given again, stakes and all.
func TestPayBack_Again(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, islet(t))
		ticket := w.sell(w.quickPick(6, 2))
		w.cancelDraws(96)
		w.tick()
		pay := central.Pay{Key: w.key(), Terminal: w.terminal.ID, Ticket: ticket.Number, Secret: ticket.Secret}
		first, err := w.sys.Pay(w.ctx(), pay)
		w.check(err)
		again, err := w.sys.Pay(w.ctx(), pay)
		w.check(err)
		if !again.Again || again.Amount != first.Amount || again.Back != money.Euros(6) || !slices.Equal(again.Draws, first.Draws) {
			t.Errorf("first %+v, again %+v", first, again)
		}
	})
}

// Nodes that tick at once refund a cancelled draw once; one that has not
// followed sells nothing into it.
func TestCancelDraw_TwoNodes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.Postgres(t), islet(t))
	nodes := []*central.System{w.sys, w.secondNode(), w.secondNode()}
	w.sellAll(2, 3)
	w.cancelDraws(95, 97)
	ticket, err := nodes[1].Place(w.ctx(), central.Place{Key: w.key(), Terminal: w.terminal.ID, Slip: w.quickPick(2, 2)})
	w.check(err)
	if got := numbers(ticket.Draws); !slices.Equal(got, []int{96, 98}) {
		t.Errorf("the other node sold for %v", got)
	}
	w.check(nodes[2].Follow(w.ctx()))
	var ticking sync.WaitGroup
	for _, sys := range nodes {
		ticking.Go(func() {
			if _, err := sys.Tick(w.ctx()); err != nil {
				t.Error(err)
			}
		})
	}
	ticking.Wait()
	refunds := map[uint64]int{}
	records, _ := w.records()
	for _, rec := range records {
		if b, ok := rec.Body.(*journal.Refund); ok {
			refunds[b.Draw]++
		}
	}
	if draws := w.draws(95, 97); len(refunds) != 2 || refunds[uint64(draws[0])] != 1 || refunds[uint64(draws[1])] != 1 {
		t.Errorf("refunds %v", refunds)
	}
}

// F08: sales that run while draws are cancelled are in the refund or were never
// sold in the draw: what is given back is what was sold.
func TestF08_CancelDrawUnderSales(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		other := w.second().ID
		var proposals []uint64
		for number := 95; number < 100; number++ {
			proposals = append(proposals, w.proposed(central.Change{Act: central.ActCancelDraw, Draws: w.draws(number)}).ID)
		}
		stop, sold := make(chan struct{}), make([]map[draw.ID]money.Amount, 8)
		var selling sync.WaitGroup
		for n := range sold {
			sold[n] = map[draw.ID]money.Amount{}
			selling.Go(func() {
				for i := 0; ; i++ {
					select {
					case <-stop:
						return
					default:
					}
					ticket, err := w.place(w.quickPick(2, 1+i%6))
					if err != nil {
						t.Error(err)
						return
					}
					for _, d := range ticket.Draws {
						sold[n][d.ID] += ticket.Stake
					}
				}
			})
		}
		for _, id := range proposals {
			w.check(w.approve(other, id))
			w.tick()
		}
		close(stop)
		selling.Wait()
		want := map[draw.ID]money.Amount{}
		for _, s := range sold {
			for id, stake := range s {
				want[id] += stake
			}
		}
		records, _ := w.records()
		for _, rec := range records {
			b, ok := rec.Body.(*journal.Refund)
			if !ok {
				continue
			}
			var got money.Amount
			for _, line := range b.Lines {
				got += line.Stakes
			}
			if got != want[draw.ID(b.Draw)] {
				t.Errorf("draw %d: %s given back, %s sold", b.Draw, got, want[draw.ID(b.Draw)])
			}
		}
	})
}

// A cancelled draw that no node refunded for weeks is refunded when one is up again.
func TestCancelDraw_DownForWeeks(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, islet(t))
		ticket := w.sell(w.slip(0, 2, 3))
		w.at(mondayDraw(95))
		w.cancelDraws(96)
		for _, down := range []int{11, 25} {
			w.close()
			w.clock.set(monday.AddDate(0, 0, down))
			w.open()
		}
		w.tick()
		w.restart()
		if a := w.checked(ticket).Answer; a.Back != money.Euros(2) || a.Payable < money.Euros(2) || a.Waiting != 0 {
			t.Errorf("weeks later: %+v", a)
		}
		paid, err := w.pay(w.shop, ticket)
		w.check(err)
		if paid.Back != money.Euros(2) {
			t.Error(fmt.Sprint(paid))
		}
	})
}

// AMI-8.2: a cancelled draw is left out of the chain of a jackpot, and one that was
// postponed takes its place by its new time; nobody waits for either.
func TestAMI_8_2_MovedDraws(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, amiguito(t))
		for range 5 {
			w.sell(w.boards(10, 5, board([]int{1, 3, 5}, 1)))
		}
		w.postpone(11*time.Minute, 91) // after 93
		w.at(mondayDraw(90))
		pot := w.view(90).Settlement.Jackpot
		draws := w.draws(90, 93, 91, 94)
		w.clock.set(mondayDraw(92))
		id := w.view(92).ID
		w.check(w.sys.Step(w.ctx(), id, draw.Closed))
		w.check(w.sys.Step(w.ctx(), id, draw.Drawn)) // its result is known, and its prizes are not
		w.cancelDraws(92)
		w.restart()
		w.at(mondayDraw(94))
		var settled []draw.ID
		for _, s := range w.steps() {
			if s.state == draw.Settled {
				settled = append(settled, s.draw)
			}
		}
		if !slices.Equal(settled, draws) {
			t.Errorf("settled in the order %v, want %v", settled, draws)
		}
		for _, number := range []int{93, 91, 94} {
			j := w.view(number).Settlement.Jackpot
			if j.Before != pot.After {
				t.Errorf("draw %d begins with %s, the one before left %s", number, j.Before, pot.After)
			}
			pot = j
		}
	})
}
