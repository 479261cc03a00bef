package central_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"tirage/central"
	"tirage/internal/dbtest"
	"tirage/money"
	"tirage/settle"
	"tirage/wager"
)

// F24: officers see all that was done with a ticket, and neither its secret nor
// who was paid; what an outlet did on a day is what the tickets say.
func TestF24_TicketView(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, islet(t))
		second, centre := w.second(), w.newCentre(2)
		tickets := w.sellAll(2, 1)
		gone := w.sell(w.slip(0, 2, 1))
		w.check(w.cancel(w.shop, gone))
		w.at(mondayDraw(95))
		w.at(morning)
		won := w.winners(tickets)
		for range 2 {
			_, _, err := w.reprint(w.shop, won[0])
			w.check(err)
		}
		w.check(w.sys.StopTicket(w.ctx(), central.StopTicket{Key: w.key(), Officer: w.officer.ID, Ticket: won[0].Number, Reason: "volé"}))
		w.check(w.approve(second.ID, w.proposed(central.Change{Act: central.ActLiftStop, Ticket: won[0].Number}).ID))
		due := w.checked(won[0]).Answer.Payable
		w.check(w.approve(second.ID, w.proposed(lost(won[0], centre)).ID))
		paid, err := w.pay(w.shop, won[1])
		w.check(err)

		v, err := w.sys.Ticket(w.ctx(), won[0].Number)
		w.check(err)
		if v.Ticket.Secret != [8]byte{} || v.Outlet.ID != w.outlet.ID || v.Answer.Payable != 0 || v.Answer.Paid != due || v.Stopped {
			t.Errorf("the ticket: %+v", v.Check)
		}
		if len(v.Payments) != 1 || v.Payments[0].Outlet != centre.outlet.ID || v.Payments[0].Prizes != due || v.Payments[0].Back != 0 || !v.Payments[0].Payee || v.Payments[0].Decision == 0 {
			t.Errorf("payments: %+v", v.Payments)
		}
		if len(v.Copies) != 2 || v.Copies[0].Terminal != w.terminal.ID || v.Copies[0].Record >= v.Copies[1].Record {
			t.Errorf("copies: %+v", v.Copies)
		}
		if len(v.Stops) != 2 || v.Stops[0].Lifted || v.Stops[0].Reason != "volé" || v.Stops[0].By != w.officer.ID || !v.Stops[1].Lifted || v.Stops[1].Reason != "" || v.Stops[1].Decision == 0 {
			t.Errorf("stops: %+v", v.Stops)
		}
		if v, err = w.sys.Ticket(w.ctx(), gone.Number); err != nil || v.CancelledAt.IsZero() || v.CancelledRecord == 0 || !reflect.DeepEqual(v.Answer, settle.Answer{}) {
			t.Errorf("a cancelled ticket: %+v, %v", v, err)
		}
		for _, number := range []wager.ID{0, 1 << 40, wager.ID(v.CancelledRecord)} {
			if _, err := w.sys.Ticket(w.ctx(), number); !errors.Is(err, central.ErrNoTicket) {
				t.Errorf("ticket %d: %v", number, err)
			}
		}
		w.dayActs(centre.outlet.ID, central.DayAct{Ticket: won[0].Number, Amount: due})
		w.dayActs(w.outlet.ID, central.DayAct{Ticket: won[1].Number, Amount: paid.Amount}, central.DayAct{Ticket: gone.Number, Amount: money.Euros(2), Cancelled: true})
	})
}

// dayActs compares what an outlet did on tickets since the test began, the newest first.
func (w *world) dayActs(outlet string, want ...central.DayAct) {
	w.Helper()
	list, err := w.sys.DayActs(w.ctx(), outlet, mondayDraw(95).Add(-24*time.Hour), morning.Add(time.Hour), 100)
	w.check(err)
	for i := range list {
		if list[i].Record == 0 || list[i].At.IsZero() {
			w.Errorf("act %+v", list[i])
		}
		list[i].Record, list[i].At = 0, time.Time{}
	}
	if !reflect.DeepEqual(list, want) {
		w.Errorf("acts of %s: %+v, want %+v", outlet, list, want)
	}
	if list, err = w.sys.DayActs(w.ctx(), outlet, morning.Add(time.Hour), morning.Add(2*time.Hour), 100); err != nil || len(list) != 0 {
		w.Errorf("acts after all: %+v, %v", list, err)
	}
}
