package central_test

import (
	"errors"
	"strings"
	"testing"

	"tirage/central"
	"tirage/internal/dbtest"
	"tirage/journal"
	"tirage/money"
	"tirage/party"
	"tirage/wager"
)

// forgery is a world in which records are to be forged: a ticket that is stopped,
// a free one that may be paid, and the proposals to pay that and to lift the stop.
type forgery struct {
	*world
	second               party.Officer
	centre, other        *shop
	stopped, free, third wager.Ticket
	pay, lift, next      uint64 // next: index of the next record
}

func newForgery(t *testing.T) forgery {
	t.Helper()
	w := newWorld(t, dbtest.SQLite(t), islet(t))
	w.publishTerms(`payment_max: "500"`, `payment_max: "1"`, `identity_from: "5000"`, `identity_from: "2"`)
	f := forgery{world: w, second: w.second(), centre: w.newCentre(2), other: w.newShop(3, "metropole", "Europe/Paris")}
	tickets := append(w.sellAll(2, 1), w.sellAll(2, 1)...)
	w.at(morning)
	tickets = w.winners(tickets)
	f.stopped, f.free, f.third = tickets[0], tickets[1], tickets[3]
	w.check(w.sys.StopTicket(w.ctx(), central.StopTicket{Key: "stop", Officer: w.officer.ID, Ticket: f.stopped.Number, Reason: "perdu"}))
	payee := someone
	_, err := w.payTo("pay", f.centre, tickets[2], &payee)
	w.check(err)
	f.pay = w.proposed(lost(f.free, f.centre)).ID
	f.lift = w.proposed(central.Change{Act: central.ActLiftStop, Ticket: f.stopped.Number}).ID
	f.next = w.sys.Size()
	return f
}

func (f forgery) approve(proposal uint64) *journal.Decision {
	return &journal.Decision{Command: journal.Command{1}, By: partyOf(f.second.ID), Proposal: proposal, Approved: true}
}

func (f forgery) payment(s *shop, change func(*journal.Payment)) *journal.Payment {
	last := uint64(f.free.Draws[0].ID)
	b := &journal.Payment{
		Command: journal.Command{2}, Outlet: partyOf(s.outlet.ID), Terminal: partyOf(s.terminal.ID), Ticket: uint64(f.free.Number), LastDraw: last,
		Draws: []journal.PaymentDraw{{Draw: last, Amount: 200}}, Own: s == f.shop,
	}
	change(b)
	return b
}

// forged is records that are to be found.
type forged struct {
	name   string
	named  string // what the books say
	bodies []journal.Body
}

// finds checks that the books find each forgery.
func (w *world) finds(t *testing.T, list []forged) {
	t.Helper()
	for _, c := range list {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := w.copyTo(t)
			w.check(w.sys.Do(w.ctx(), func(turn *central.Turn) error {
				for _, body := range c.bodies {
					if err := turn.Append(body); err != nil {
						return err
					}
				}
				return nil
			}))
			w.booksName(c.named)
		})
	}
}

// The books ask of each payment who may make it, and who decided it: a journal
// with one that may not be is found, though all its tables agree with it.
func TestF11_CheckBooksAsksOfTickets(t *testing.T) {
	t.Parallel()
	f := newForgery(t)
	f.finds(t, []forged{
		{"a payment of a stopped ticket", "ticket that is stopped", []journal.Body{f.payment(f.centre, func(b *journal.Payment) { b.Ticket = uint64(f.stopped.Number) })}},
		{"a payment above what outlets pay", "payable at a payment centre only", []journal.Body{f.payment(f.other, func(*journal.Payment) {})}},
		{"a payment to nobody", "does not tell who was paid", []journal.Body{f.payment(f.centre, func(*journal.Payment) {})}},
		{"a payment that hides who sold", "who sold the ticket", []journal.Body{f.payment(f.shop, func(b *journal.Payment) { b.Own = false })}},
		{"a payment that says it sold", "who sold the ticket", []journal.Body{f.payment(f.centre, func(b *journal.Payment) { b.Own = true })}},
		{"a payment at another's terminal", "not of its outlet", []journal.Body{f.payment(f.centre, func(b *journal.Payment) { b.Terminal = partyOf(f.other.terminal.ID) })}},
		{"a payment by no outlet", "may not pay", []journal.Body{f.payment(f.centre, func(b *journal.Payment) { b.Outlet = journal.Party{9} })}},
		{"a lost ticket that nobody approved", "nobody approved", []journal.Body{f.payment(f.centre, func(b *journal.Payment) { b.Terminal, b.Decision = journal.Party{}, f.next })}},
		{"another ticket than approved", "is not the payment", []journal.Body{f.approve(f.pay), f.payment(f.centre, func(b *journal.Payment) {
			b.Command, b.Terminal, b.Decision, b.Ticket = journal.Command{}, journal.Party{}, f.next, uint64(f.third.Number)
		})}},
		{"another payee than approved", "is not the payment", []journal.Body{f.approve(f.pay), f.payment(f.centre, func(b *journal.Payment) {
			b.Command, b.Terminal, b.Decision, b.Payee = journal.Command{}, journal.Party{}, f.next, make([]byte, 32)
		})}},
		{"an approved payment by a terminal", "is not the payment", []journal.Body{f.approve(f.pay), f.payment(f.centre, func(b *journal.Payment) { b.Decision = f.next })}},
		{"an approved payment that is not made", "is not done", []journal.Body{f.approve(f.pay)}},
	})
}

// The same of each stop of a payment, its end, and each reprint.
func TestF11_CheckBooksAsksOfStops(t *testing.T) {
	t.Parallel()
	f := newForgery(t)
	f.finds(t, []forged{
		{"an approved end of a stop that is not made", "is not done", []journal.Body{f.approve(f.lift)}},
		{"the end of another stop than approved", "follows", []journal.Body{f.approve(f.lift), &journal.Stop{By: partyOf(f.second.ID), Ticket: uint64(f.free.Number), Lifted: true, Decision: f.next}}},
		{"the end of a stop that nobody approved", "nobody approved", []journal.Body{&journal.Stop{By: partyOf(f.second.ID), Ticket: uint64(f.stopped.Number), Lifted: true, Decision: f.next}}},
		{"a reason that may name a player", "to be private", []journal.Body{&journal.Proposal{
			Command: journal.Command{2}, By: partyOf(f.officer.ID), Act: "lift-stop", Ticket: uint64(f.stopped.Number), Reason: "a", ReasonHash: make([]byte, 32),
		}}},
		{"a proposal to pay without a reason", "without one", []journal.Body{&journal.Proposal{Command: journal.Command{2}, By: partyOf(f.officer.ID), Act: "lift-stop", Ticket: uint64(f.stopped.Number)}}},
		{"a second stop", "ticket that is stopped", []journal.Body{&journal.Stop{Command: journal.Command{2}, By: partyOf(f.second.ID), Ticket: uint64(f.stopped.Number), Reason: make([]byte, 32)}}},
		{"a stop by nobody", "by no officer", []journal.Body{&journal.Stop{Command: journal.Command{2}, Ticket: uint64(f.free.Number), Reason: make([]byte, 32)}}},
		{"a stop without a reason", "without a reason", []journal.Body{&journal.Stop{Command: journal.Command{2}, By: partyOf(f.second.ID), Ticket: uint64(f.free.Number)}}},
		{"a reprint elsewhere", "may not print", []journal.Body{&journal.Reprint{Command: journal.Command{2}, Outlet: partyOf(f.other.outlet.ID), Terminal: partyOf(f.other.terminal.ID), Ticket: uint64(f.free.Number)}}},
		{"a reprint of a stopped ticket", "may not print", []journal.Body{&journal.Reprint{Command: journal.Command{2}, Outlet: partyOf(f.outlet.ID), Terminal: partyOf(f.terminal.ID), Ticket: uint64(f.stopped.Number)}}},
	})
}

// Each payee that a record has is kept, opens, and is the one; and nobody else is.
func TestF11_CheckBooksAsksOfPayees(t *testing.T) {
	t.Parallel()
	f := newForgery(t)
	for name, c := range map[string]struct{ change, named string }{
		"a payee less":    {`DELETE FROM payee WHERE hash = (SELECT MAX(hash) FROM payee)`, "is not kept"},
		"a payee more":    {`INSERT INTO payee SELECT zeroblob(32), salt, sealed, record FROM payee LIMIT 1`, "payee 00000000"},
		"a payee changed": {`UPDATE payee SET sealed = (SELECT sealed FROM payee WHERE hash = (SELECT MAX(hash) FROM payee))`, "payee"},
		"paid elsewhere":  {`UPDATE payee SET record = record + 1 WHERE record > 0`, "was paid by record"},
		"paid too soon":   {`UPDATE payee SET record = 1 WHERE record = 0`, "was paid by record"},
		"another salt":    {`UPDATE payee SET salt = zeroblob(16)`, "payee"},
		"a stop less":     {`DELETE FROM stop`, "Stops"},
		"a stop lifted":   {`UPDATE stop SET lifted = 1`, "Stops"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := f.copyTo(t)
			_, err := w.unguarded().Exec(c.change)
			w.check(err)
			w.booksName(c.named)
		})
	}
}

// The books ask of each payment whether it is what was due, of a draw, at its
// time and place: by the results before it, and by what the ticket comes to in all.
func TestF11_CheckBooksAsksWhatIsDue(t *testing.T) {
	t.Parallel()
	base := newWorld(t, dbtest.SQLite(t), rich(t, "300", "300", "300", "other_tiers: last_draw", "other_tiers: each_draw", ", payable: next_morning", "", ", payable: next_morning", ""))
	base.publishTerms()
	centre := base.newCentre(2)
	var tickets, longer []wager.Ticket
	count := func(sum money.Amount) (n int) {
		for _, ticket := range tickets {
			if base.checked(ticket).Answer.Sum() == sum {
				n++
			}
		}
		return n
	}
	for number := 95; count(money.Euros(300)) < 1 || count(money.Euros(600)) < 1; number += 2 { // until the draws differ
		tickets, longer = base.sellAll(2, 2), base.sellAll(2, 3)
		base.at(mondayDraw(number))
		base.at(mondayDraw(number + 1))
	}
	once, twice := base.won(tickets, money.Euros(300))[0], base.won(tickets, money.Euros(600))[0]
	won := 0
	if base.checked(once).Answer.Prizes[1].Amount > 0 {
		won = 1
	}
	payment := func(s *shop, ticket wager.Ticket, change func(*journal.Payment)) *journal.Payment {
		ids := ticket.Draws
		b := &journal.Payment{
			Command: journal.Command{2}, Outlet: partyOf(s.outlet.ID), Terminal: partyOf(s.terminal.ID), Ticket: uint64(ticket.Number),
			LastDraw: uint64(ids[len(ids)-1].ID), Own: s == base.shop,
			Draws: []journal.PaymentDraw{{Draw: uint64(ids[min(won, len(ids)-1)].ID), Amount: money.Euros(300)}},
		}
		change(b)
		return b
	}
	same := func(*journal.Payment) {}
	for _, c := range []struct {
		name, named string
		body        *journal.Payment
	}{
		{"for a draw in which it won nothing", "follows", payment(base.shop, once, func(b *journal.Payment) { b.Draws[0].Draw = uint64(once.Draws[1-won].ID) })},
		{"another sum than the prize", "follows", payment(base.shop, once, func(b *journal.Payment) { b.Draws[0].Amount = 12_345 })},
		{"a prize as a stake given back", "more from back", payment(base.shop, once, func(b *journal.Payment) { b.Back, b.Draws = b.Draws, []journal.PaymentDraw{} })},
		{"half of a ticket above what outlets pay", "payable at a payment centre only", payment(base.shop, twice, same)},
		{"half of what is due", "follows", payment(centre, twice, same)},
		{"for a draw to come", "follows", payment(base.shop, base.won(longer, money.Euros(300))[0], func(b *journal.Payment) { b.Draws[0].Draw = b.LastDraw })},
		{"to someone though nobody asks", "tells it unasked", payment(base.shop, once, func(b *journal.Payment) { b.Payee = make([]byte, 32) })},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := base.copyTo(t)
			w.check(w.sys.Do(w.ctx(), func(turn *central.Turn) error { return turn.Append(c.body) }))
			w.booksName(c.named)
		})
	}
}

// booksName checks that the books name what is wrong.
func (w *world) booksName(named string) {
	w.Helper()
	if err := w.sys.CheckBooks(w.ctx()); !errors.Is(err, central.ErrJournal) || !strings.Contains(err.Error(), named) {
		w.Errorf("CheckBooks says %v, want it to name %q", err, named)
	}
}
