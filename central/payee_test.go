package central_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"tirage/central"
	"tirage/internal/dbtest"
	"tirage/internal/sim"
	"tirage/journal"
	"tirage/ledger"
	"tirage/money"
	"tirage/party"
	"tirage/settle"
	"tirage/wager"
)

// rich is the islet with prizes of three sums, for 2 €; the last is for neither place nor pirate.
func rich(t testing.TB, first, second, third string, replace ...string) []byte {
	return islet(t, append([]string{"prize: 20,", "prize: " + first + ",", "prize: 3,", "prize: " + second + ",", "prize: 2}", "prize: " + third + "}"}, replace...)...)
}

// someone is a payee of tests.
var someone = party.Payee{Name: "Éléonore Lagarrigue", BirthDate: "1971-03-09", Address: "Impasse des Flamboyants", Document: "passeport XKWQ"}

func (w *world) payTo(key string, s *shop, t wager.Ticket, p *party.Payee) (central.Paid, error) {
	return w.payOn(w.sys, key, s, t, p)
}

func (w *world) payOn(sys *central.System, key string, s *shop, t wager.Ticket, p *party.Payee) (central.Paid, error) {
	return sys.Pay(w.ctx(), central.Pay{Key: key, Terminal: s.terminal.ID, Ticket: t.Number, Secret: t.Secret, Payee: p})
}

// won are the tickets that won a sum in all.
func (w *world) won(tickets []wager.Ticket, sum money.Amount) (list []wager.Ticket) {
	w.Helper()
	for _, t := range tickets {
		if w.checked(t).Answer.Sum() == sum {
			list = append(list, t)
		}
	}
	if len(list) == 0 {
		w.Fatalf("no ticket won %s", sum)
	}
	return list
}

// journalTells tells whether a text stands in a record.
func (w *world) journalTells(text string) bool {
	w.Helper()
	_, raw := w.records()
	return bytes.Contains(bytes.Join(raw, nil), []byte(text))
}

// databaseTells tells whether a text stands anywhere in the database.
func (w *world) databaseTells(text string) bool {
	w.Helper()
	if file, ok := strings.CutPrefix(w.dsn, "sqlite:"); ok {
		for _, name := range []string{file, file + "-wal"} {
			b, err := os.ReadFile(name)
			w.check(err)
			if bytes.Contains(b, []byte(text)) {
				return true
			}
		}
		return false
	}
	db := w.raw()
	coded := hex.EncodeToString([]byte(text))
	for _, table := range w.names(db, `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'`) {
		for _, row := range w.names(db, fmt.Sprintf(`SELECT CAST(t AS text) FROM %s t`, table)) {
			if strings.Contains(row, text) || strings.Contains(row, coded) {
				return true
			}
		}
	}
	return false
}

// Up to 500 € in all a ticket is paid at any outlet, a cent above at payment
// centres only, which the check says everywhere; without terms there is no limit.
func TestPaymentMax(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, rich(t, "600", "500.01", "500"))
		centre, overseas := w.newCentre(2), w.newShop(3, "reunion", "Indian/Reunion")
		tickets := append(w.sellAll(2, 1), w.sellAll(2, 1)...)
		w.at(morning)
		least, above, top := w.won(tickets, money.Euros(500)), w.won(tickets, 50_001), w.won(tickets, money.Euros(600))
		if c := w.checked(top[0]); c.Answer.CentreOnly || c.Answer.Payable != money.Euros(600) || c.Identity {
			t.Errorf("without terms: %+v", c)
		}
		w.publishTerms()
		paid, err := w.agree(w.shop, least[0])
		w.check(err)
		if paid.Amount != money.Euros(500) {
			t.Errorf("500 € at an outlet: %s", paid.Amount)
		}
		for _, ticket := range []wager.Ticket{above[0], top[0]} {
			for _, s := range []*shop{w.shop, overseas} {
				w.refuses(settle.ErrCentre, func() error { _, err := w.agree(s, ticket); return err })
			}
			if a := w.checked(ticket).Answer; !a.CentreOnly || a.Payable != 0 || !a.Prizes[0].Centre || a.Standing != settle.Won {
				t.Errorf("the portal says %+v", a)
			}
			_, err := w.agree(centre, ticket)
			w.check(err)
			w.refuses(settle.ErrPaid, func() error { _, err := w.agree(w.shop, ticket); return err })
		}
		_, err = w.agree(centre, least[1])
		w.check(err)
		w.publishTerms(`version: "2010"`, `version: "more"`, "2009-11-05", "2027-01-06", `payment_max: "500"`, `payment_max: "500.01"`)
		w.at(morning.AddDate(0, 0, 1))
		_, err = w.agree(overseas, above[1])
		w.check(err)
		w.refuses(settle.ErrCentre, func() error { _, err := w.agree(overseas, top[1]); return err })
	})
}

// The total of a ticket counts, whatever of it is paid: it cannot be paid in parts below the limit.
func TestPaymentMaxOfParts(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, rich(t, "300", "300", "300", "other_tiers: last_draw", "other_tiers: each_draw", ", payable: next_morning", "", ", payable: next_morning", ""))
		w.publishTerms()
		centre := w.newCentre(2)
		tickets := w.sellAll(2, 2)
		w.at(mondayDraw(95))
		first := w.won(tickets, money.Euros(300))
		for _, ticket := range first {
			_, err := w.agree(w.shop, ticket)
			w.check(err)
		}
		w.at(mondayDraw(96))
		twice := w.won(first, money.Euros(600))
		w.refuses(settle.ErrCentre, func() error { _, err := w.agree(w.shop, twice[0]); return err })
		paid, err := w.agree(centre, twice[0])
		w.check(err)
		if paid.Amount != money.Euros(300) {
			t.Errorf("the rest is %s", paid.Amount)
		}
	})
}

// The windows hold above the limit too: from the next morning, until the 60th
// day inclusive where it is paid, and as extensions have it (IAT-7).
func TestIAT_7_CentreWindows(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, fewDraws(t, "prize: 20,", "prize: 600,", "prize: 3,", "prize: 600,"))
		w.publishTerms()
		centre := w.newCentre(2)
		tickets := append(w.sellAll(2, 1), append(w.sellAll(2, 1), w.sellAll(2, 1)...)...)
		w.check(w.receive(w.officer.ID, w.outlet.ID, w.owes(w.shop))) // or it is blocked before the claims end
		w.at(mondayDraw(95))
		top := w.won(tickets, money.Euros(600))
		w.at(morning.Add(-time.Microsecond))
		for _, s := range []*shop{w.shop, centre} {
			w.refuses(settle.ErrNotYet, func() error { _, err := w.agree(s, top[0]); return err })
		}
		w.at(morning)
		w.refuses(settle.ErrCentre, func() error { _, err := w.agree(w.shop, top[0]); return err })
		_, err := w.agree(centre, top[0])
		w.check(err)
		w.at(time.Date(2027, 3, 5, 22, 59, 59, 0, time.UTC))
		w.refuses(settle.ErrCentre, func() error { _, err := w.agree(w.shop, top[1]); return err })
		_, err = w.agree(centre, top[1])
		w.check(err)
		day := w.checked(top[2]).Answer.ClaimUntil
		w.change(central.Change{Act: central.ActExtendClaims, Game: w.rules.Code, From: day, To: day, Until: day + 2})
		w.at(time.Date(2027, 3, 7, 22, 59, 59, 0, time.UTC))
		w.refuses(settle.ErrCentre, func() error { _, err := w.agree(w.shop, top[2]); return err })
		_, err = w.agree(centre, top[2])
		w.check(err)
		w.at(time.Date(2027, 3, 7, 23, 0, 0, 0, time.UTC))
		for _, s := range []*shop{w.shop, centre} {
			w.refuses(settle.ErrExpired, func() error { _, err := w.agree(s, top[3]); return err })
		}
	})
}

// From 5,000 € in all on, a payment is made to someone who is recorded: sealed,
// and in the journal as a salted hash. Below nobody is.
func TestIdentity(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, rich(t, "5000.01", "5000", "4999.99"))
		w.publishTerms()
		centre := w.newCentre(2)
		tickets := append(w.sellAll(2, 1), w.sellAll(2, 1)...)
		w.at(morning)
		below, from := w.won(tickets, 499_999), w.won(tickets, money.Euros(5000))
		if c := w.checked(from[0]); c.Identity || !c.Answer.CentreOnly {
			t.Errorf("an outlet that cannot pay asks for nobody: %+v", c)
		}
		for _, ticket := range []wager.Ticket{below[0], from[0]} {
			c, err := w.sys.CheckAt(w.ctx(), ticket.Number, ticket.Secret, w.placeOf(centre))
			if w.check(err); c.Identity != (ticket.Number == from[0].Number) {
				t.Errorf("checked at the centre: %+v", c)
			}
		}
		// Nobody is recorded who need not be.
		paid, err := w.payTo("below", centre, below[0], &someone)
		w.check(err)
		for _, rec := range w.payments(below[0]) {
			if len(rec.Payee) != 0 {
				t.Error("a payee below the limit is recorded")
			}
		}
		if paid.Amount != 499_999 || w.databaseTells("Lagarrigue") {
			t.Errorf("paid %s", paid.Amount)
		}
		w.refuses(central.ErrIdentity, func() error { _, err := w.payTo("from", centre, from[0], nil); return err })
		for _, p := range []party.Payee{{}, {Name: "A", BirthDate: "1971-03-09", Address: "B"}, {Name: "A", BirthDate: "2027-01-06", Address: "B", Document: "C"}} {
			w.refuses(party.ErrPayee, func() error { _, err := w.payTo("from", centre, from[0], &p); return err })
		}
		w.refuses(settle.ErrCentre, func() error { _, err := w.payTo("from", w.shop, from[0], &someone); return err })
		first, err := w.payTo("from", centre, from[0], &someone)
		w.check(err)
		spaced := someone
		spaced.Name = "  " + someone.Name + " "
		again, err := w.payTo("from", centre, from[0], &spaced)
		if w.check(err); !again.Again || again.Amount != first.Amount {
			t.Errorf("the same command: %+v", again)
		}
		other := someone
		other.Name = "Jean Valjean"
		w.refuses(central.ErrKeyReused, func() error { _, err := w.payTo("from", centre, from[0], &other); return err })
		w.refuses(settle.ErrPaid, func() error { _, err := w.payTo("other", centre, from[0], &other); return err })
		_, err = w.payTo("second", centre, from[1], &someone)
		w.check(err)
		a, b := w.payments(from[0]), w.payments(from[1])
		if len(a) != 1 || len(b) != 1 || len(a[0].Payee) != 32 || bytes.Equal(a[0].Payee, b[0].Payee) {
			t.Errorf("payees %x and %x", a[0].Payee, b[0].Payee)
		}
		for _, text := range []string{"Lagarrigue", "Flamboyants", "XKWQ", "1971-03-09", "Valjean"} {
			if w.databaseTells(text) || w.journalTells(text) {
				t.Errorf("%q stands in the database", text)
			}
		}
		w.restart()
		if w.db.Engine() == "sqlite" { // a backup has the payees, and opens with the keys
			copied := w.copyTo(t)
			sim.CheckBooks(t, copied.sys)
			copied.readsPayee(from[0], first)
		}
		w.readsPayee(from[0], first)
	})
}

// payments are the records of the payments of a ticket.
func (w *world) payments(t wager.Ticket) (list []*journal.Payment) {
	w.Helper()
	records, _ := w.records()
	for _, rec := range records {
		if b, ok := rec.Body.(*journal.Payment); ok && wager.ID(b.Ticket) == t.Number {
			list = append(list, b)
		}
	}
	return list
}

// readsPayee has an officer read who was paid on a ticket.
func (w *world) readsPayee(t wager.Ticket, paid central.Paid) {
	w.Helper()
	records, _ := w.records()
	for i, rec := range records {
		b, ok := rec.Body.(*journal.Payment)
		if !ok || wager.ID(b.Ticket) != t.Number {
			continue
		}
		read := central.ReadPayee{Key: "read", Officer: w.officer.ID, Record: uint64(i)}
		for range 2 {
			if got, err := w.sys.ReadPayee(w.ctx(), read); err != nil || got != someone {
				w.Errorf("read %+v, %v", got, err)
			}
		}
		last, _ := w.records()
		act, ok := last[len(last)-1].Body.(*journal.Act)
		if !ok || act.Act != "read-payee" || act.Subject != fmt.Sprint(i) || act.By.String() != w.officer.ID || len(last) != len(records)+1 {
			w.Errorf("%d records, the last %+v", len(last)-len(records), last[len(last)-1].Body)
		}
	}
	for name, read := range map[string]central.ReadPayee{
		"a sale":    {Key: "none", Officer: w.officer.ID, Record: uint64(t.Number)},
		"far off":   {Key: "none", Officer: w.officer.ID, Record: 1 << 40},
		"a key":     {Key: "none", Officer: w.officer.ID},
		"overflows": {Key: "none", Officer: w.officer.ID, Record: 1<<64 - 1},
	} {
		w.refuses(central.ErrNoPayee, func() error {
			_, err := w.sys.ReadPayee(w.ctx(), read)
			if err != nil && strings.Contains(err.Error(), someone.Name) {
				w.Errorf("%s: %v", name, err)
			}
			return err
		})
	}
	w.refuses(central.ErrNotAllowed, func() error {
		_, err := w.sys.ReadPayee(w.ctx(), central.ReadPayee{Key: "not", Officer: w.outlet.ID, Record: 1})
		return err
	})
}

// lost is the proposal to pay a ticket at a centre.
func lost(t wager.Ticket, centre *shop) central.Change {
	payee := someone
	return central.Change{Act: central.ActPayTicket, Ticket: t.Number, Outlet: centre.outlet.ID, Payee: &payee}
}

// A ticket that was lost or damaged, stopped or not, is paid at a payment centre
// without its secret, by two officers, to someone who is recorded; each draw once.
func TestF11_PayLostTicket(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, islet(t))
		second, centre := w.second(), w.newCentre(2)
		tickets := append(w.sellAll(2, 1), w.sellAll(2, 2)...)
		gone := w.sell(w.slip(0, 2, 1))
		w.check(w.cancel(w.shop, gone))
		w.refuses(settle.ErrNotYet, func() error { _, err := w.propose(lost(tickets[0], centre)); return err })
		w.at(mondayDraw(96))
		w.at(morning)
		losers := tickets
		tickets = w.winners(tickets)
		w.refusesLost(tickets[0], gone, w.loser(losers), centre)
		for i, ticket := range tickets {
			if i%2 == 0 {
				w.check(w.sys.StopTicket(w.ctx(), central.StopTicket{Key: w.key(), Officer: w.officer.ID, Ticket: ticket.Number, Reason: "perdu"}))
			}
			p := w.proposedLost(ticket, centre, second)
			if i%3 == 2 { // paid meanwhile
				if i%2 == 0 {
					w.check(w.approve(second.ID, w.proposed(central.Change{Act: central.ActLiftStop, Ticket: ticket.Number}).ID))
				}
				_, err := w.pay(w.shop, ticket)
				w.check(err)
				w.refuses(settle.ErrPaid, func() error { return w.approve(second.ID, p.ID) })
				w.check(w.reject(second.ID, p.ID))
				continue
			}
			w.paysLost(ticket, centre, second, p, i%2 == 0)
		}
		w.restart()
		if w.databaseTells("Lagarrigue") {
			t.Error("the payee stands in the database")
		}
	})
}

// What two officers approve of a lost ticket is the sum and the draws that were
// proposed: one that comes to more since, or to less, is proposed anew.
func TestPayLostTicket_SumThatWasSeen(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, islet(t, "other_tiers: last_draw", "other_tiers: each_draw", "early_tiers: whole_ticket", "early_tiers: small_first",
			", payable: next_morning", "", ", payable: next_morning", ""))
		second, centre := w.second(), w.newCentre(4)
		tickets := append(w.sellAll(20, 2), w.sellAll(2, 1)...)
		payable := func(ticket wager.Ticket) money.Amount {
			v, err := w.sys.Ticket(w.ctx(), ticket.Number)
			w.check(err)
			return v.Answer.Payable
		}
		w.at(mondayDraw(95))
		proposals, sums := map[wager.ID]central.Proposal{}, map[wager.ID]money.Amount{}
		for _, ticket := range w.winners(tickets) {
			p := w.proposed(lost(ticket, centre))
			if p.Amount != payable(ticket) || len(p.Draws) != 1 || p.Draws[0] != ticket.Draws[0].ID {
				t.Errorf("proposed %s for draws %v, the ticket pays %s", p.Amount, p.Draws, payable(ticket))
			}
			proposals[ticket.Number], sums[ticket.Number] = p, p.Amount
		}
		w.at(mondayDraw(96))
		more, same := 0, 0
		for _, ticket := range tickets {
			p, ok := proposals[ticket.Number]
			if !ok {
				continue
			}
			owes := w.owes(centre)
			if payable(ticket) == sums[ticket.Number] {
				w.check(w.approve(second.ID, p.ID))
				same++
			} else {
				w.refuses(central.ErrOtherSum, func() error { return w.approve(second.ID, p.ID) })
				w.check(w.reject(second.ID, p.ID))
				seen := lost(ticket, centre)
				seen.Amount = sums[ticket.Number] // of a page that is old by now
				w.refuses(central.ErrOtherSum, func() error { _, err := w.propose(seen); return err })
				seen.Amount = payable(ticket)
				sums[ticket.Number] = seen.Amount
				w.check(w.approve(second.ID, w.proposed(seen).ID))
				more++
			}
			if got := owes - w.owes(centre); got != sums[ticket.Number] {
				t.Errorf("ticket %d: paid %s, approved %s", ticket.Number, got, sums[ticket.Number])
			}
		}
		if more == 0 || same == 0 {
			t.Errorf("%d tickets came to more, %d did not", more, same)
		}
	})
}

// refusesLost checks what refuses the payment of a lost ticket.
func (w *world) refusesLost(ticket, gone, loser wager.Ticket, centre *shop) {
	w.Helper()
	for want, c := range map[error]func(*central.Change){
		central.ErrNoTicket:    func(c *central.Change) { c.Ticket = 1 << 40 },
		central.ErrCancelled:   func(c *central.Change) { c.Ticket = gone.Number },
		central.ErrChange:      func(c *central.Change) { c.Ticket = 0 },
		settle.ErrCentre:       func(c *central.Change) { c.Outlet = w.outlet.ID },
		party.ErrUnknownOutlet: func(c *central.Change) { c.Outlet = "nowhere" },
		party.ErrPayee:         func(c *central.Change) { c.Payee = nil },
		central.ErrReason:      func(c *central.Change) { c.Reason = "\x00" },
		settle.ErrNothingToPay: func(c *central.Change) { c.Ticket = loser.Number },
		central.ErrNotStopped:  func(c *central.Change) { *c = central.Change{Act: central.ActLiftStop, Ticket: c.Ticket} },
	} {
		change := lost(ticket, centre)
		c(&change)
		w.refuses(want, func() error { _, err := w.propose(change); return err })
	}
}

// proposedLost proposes to pay a ticket, and has the other officer read whom.
func (w *world) proposedLost(ticket wager.Ticket, centre *shop, second party.Officer) central.Proposal {
	w.Helper()
	p := w.proposed(lost(ticket, centre))
	if p.Payee != nil || p.Ticket != ticket.Number || p.Outlet != centre.outlet.ID {
		w.Errorf("the proposal has %+v", p)
	}
	w.refuses(central.ErrSameOfficer, func() error { return w.approve(w.officer.ID, p.ID) })
	if got, err := w.sys.ReadPayee(w.ctx(), central.ReadPayee{Key: w.key(), Officer: second.ID, Record: p.ID}); err != nil || got != someone {
		w.Errorf("who is to be paid: %+v, %v", got, err)
	}
	return p
}

// paysLost approves the payment of a ticket, and checks what it moves; then nobody pays it again.
func (w *world) paysLost(ticket wager.Ticket, centre *shop, second party.Officer, p central.Proposal, stopped bool) {
	w.Helper()
	v, err := w.sys.Ticket(w.ctx(), ticket.Number)
	w.check(err)
	due := v.Answer.Payable // were it not stopped
	owes, size := w.owes(centre), w.sys.Size()
	w.check(w.approve(second.ID, p.ID))
	if got := owes - w.owes(centre); got != due || due == 0 {
		w.Errorf("ticket %d: the centre's account moves by %s, due were %s", ticket.Number, got, due)
	}
	if got := w.posting(size+1, ledger.Outlet(centre.outlet.ID)); got != -due {
		w.Errorf("ticket %d: posted %s", ticket.Number, got)
	}
	b := w.payments(ticket)[0]
	if b.Terminal != (journal.Party{}) || b.Command != (journal.Command{}) || b.Decision != size || b.Own || b.Outlet.String() != centre.outlet.ID || len(b.Payee) != 32 {
		w.Errorf("the record is %+v", b)
	}
	w.refuses(central.ErrDecided, func() error { return w.approve(second.ID, p.ID) })
	for _, s := range []*shop{w.shop, centre} {
		want := settle.ErrPaid
		if stopped {
			want = central.ErrStopped
		}
		w.refuses(want, func() error { _, err := w.pay(s, ticket); return err })
	}
	w.refuses(settle.ErrPaid, func() error { _, err := w.propose(lost(ticket, centre)); return err })
}

// Why a ticket is paid or a stop lifted may name a player: officers read it, and the journal has a hash of it.
func TestPayLostTicket_PrivateReason(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, islet(t))
		second, centre := w.second(), w.newCentre(2)
		tickets := w.sellAll(2, 1)
		w.at(morning)
		ticket := w.winners(tickets)[0]
		w.check(w.sys.StopTicket(w.ctx(), central.StopTicket{Key: w.key(), Officer: w.officer.ID, Ticket: ticket.Number, Reason: "perdu"}))
		const reason = "Aristide Lagarrigue est venu"
		pay, lift := lost(ticket, centre), central.Change{Act: central.ActLiftStop, Ticket: ticket.Number, Reason: reason}
		pay.Reason = reason
		for _, p := range []central.Proposal{w.proposed(pay), w.proposed(lift)} {
			w.restart()
			if got, err := w.sys.Proposal(w.ctx(), p.ID); err != nil || got.Reason != reason || p.Reason != reason {
				t.Errorf("%s: reason %q, %v", p.Act, got.Reason, err)
			}
			w.check(w.approve(second.ID, p.ID))
			list, err := w.sys.Proposals(w.ctx())
			if w.check(err); list[0].Reason != reason {
				t.Errorf("%s: reason %q in the list", p.Act, list[0].Reason)
			}
		}
		if w.journalTells("Lagarrigue") {
			t.Error("the reason stands in the journal")
		}
	})
}

// Who was to be paid by a proposal that is rejected is kept no longer; one who was paid is.
func TestPayLostTicket_RejectForgets(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, islet(t))
		second, centre := w.second(), w.newCentre(2)
		tickets := w.sellAll(2, 1)
		w.at(morning)
		tickets = w.winners(tickets)
		rejected, paid := w.proposed(lost(tickets[0], centre)), w.proposed(lost(tickets[1], centre))
		w.check(w.approve(second.ID, paid.ID))
		w.check(w.reject(second.ID, rejected.ID))
		if n := w.count(`SELECT COUNT(*) FROM payee`); n != 1 {
			t.Errorf("%d payees are kept, want 1", n)
		}
		read := func(record uint64) error {
			_, err := w.sys.ReadPayee(w.ctx(), central.ReadPayee{Key: w.key(), Officer: w.officer.ID, Record: record})
			return err
		}
		w.check(read(paid.ID))
		w.refuses(central.ErrNoPayee, func() error { return read(rejected.ID) })
	})
}

// Only the system can tell whether a lost ticket can be paid: a turn says no word of it.
func TestPayLostTicket_NotOfTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t), islet(t))
	err := w.sys.Do(w.ctx(), func(turn *central.Turn) error {
		return turn.Changeable(w.ctx(), central.Change{Act: central.ActPayTicket, Ticket: 1})
	})
	if err == nil || !strings.Contains(err.Error(), "for the system to tell") {
		t.Errorf("got %v", err)
	}
}

// loser is a ticket that has won nothing.
func (w *world) loser(tickets []wager.Ticket) wager.Ticket {
	w.Helper()
	for _, t := range tickets {
		if a := w.checked(t).Answer; a.Standing == settle.Lost {
			return t
		}
	}
	w.Fatal("no ticket has lost")
	return wager.Ticket{}
}

// F11: of 10,000 tries at once, at outlets, at a payment centre and by two
// officers, on PostgreSQL through two nodes, each draw of a ticket is paid once, and the ledger is exact.
func TestF11_EveryDoor(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, islet(t))
		second := w.second()
		doors := []*shop{w.shop, w.newShop(2, "metropole", "Europe/Paris"), w.newShop(3, "reunion", "Indian/Reunion"), w.newCentre(4)}
		centre := doors[3]
		tickets := append(w.sellAll(20, 2), w.sellAll(2, 1)...)
		w.at(mondayDraw(96))
		w.at(morning)
		tickets = w.winners(tickets)
		owed := map[*shop]money.Amount{}
		var due money.Amount
		for _, s := range doors {
			owed[s] = w.owes(s)
		}
		for _, ticket := range tickets {
			due += w.checked(ticket).Answer.Payable
		}
		var proposals []uint64
		for i := range min(len(tickets), central.OpenProposalsMax) {
			proposals = append(proposals, w.proposed(lost(tickets[i], centre)).ID)
		}
		nodes := []*central.System{w.sys, w.sys}
		if w.db.Engine() == "postgres" {
			nodes[1] = w.secondNode()
		}
		sum := w.tryDoors(doors, nodes, tickets, proposals, second)
		sim.CheckBooks(t, w.sys) // and so catches up
		var moved money.Amount
		lostSum := w.paidOnce(tickets)
		for _, s := range doors {
			moved += owed[s] - w.owes(s)
		}
		if sum+lostSum != due || moved != due {
			t.Errorf("paid %s at terminals and %s by officers, the accounts moved by %s; due were %s", sum, lostSum, moved, due)
		}
	})
}

// tryDoors tries 10,000 times to pay tickets, and approves the proposals
// meanwhile. It returns what terminals paid.
func (w *world) tryDoors(doors []*shop, nodes []*central.System, tickets []wager.Ticket, proposals []uint64, second party.Officer) (sum money.Amount) {
	w.Helper()
	const tries, callers = 10_000, 100
	paid := make([]money.Amount, callers)
	var all sync.WaitGroup
	for c := range callers {
		all.Go(func() {
			s, node := doors[c%len(doors)], nodes[c/len(doors)%2]
			for n := range tries / callers {
				ticket := tickets[(c+n)%len(tickets)]
				key := fmt.Sprintf("try-%d-%d", c, n)
				got, err := w.payOn(node, key, s, ticket, nil)
				switch {
				case err == nil:
					paid[c] += got.Amount
				case !errors.Is(err, settle.ErrPaid):
					w.Errorf("got %v, want paid", err)
				}
				if n%10 == 0 {
					if again, err := w.payOn(nodes[n/10%2], key, s, ticket, nil); err == nil && !again.Again {
						w.Errorf("ticket %d is paid twice by a command", ticket.Number)
					}
				}
				if n == 1 && c < len(proposals) {
					if err := w.approve(second.ID, proposals[c]); err != nil && !errors.Is(err, settle.ErrPaid) {
						w.Errorf("approval: %v", err)
					}
				}
			}
		})
	}
	all.Wait()
	for _, amount := range paid {
		sum += amount
	}
	return sum
}

// paidOnce checks that all of tickets is paid, and each draw once. It returns what officers paid.
func (w *world) paidOnce(tickets []wager.Ticket) (lostSum money.Amount) {
	w.Helper()
	once := map[string]bool{}
	for _, ticket := range tickets {
		for _, b := range w.payments(ticket) {
			for _, d := range append(b.Draws, b.Back...) {
				if id := fmt.Sprint(b.Ticket, "/", d.Draw); once[id] {
					w.Errorf("%s is paid twice", id)
				} else {
					once[id] = true
				}
				if b.Decision != 0 {
					lostSum += d.Amount
				}
			}
		}
		if a := w.checked(ticket).Answer; a.Paid != a.Total {
			w.Errorf("ticket %d: %s of %s paid", ticket.Number, a.Paid, a.Total)
		}
	}
	return lostSum
}

// A fault between any two steps of a payment leaves nothing of it: no money, no
// payee, no key; and the same command then pays, once.
func TestF11_FaultsBetweenSteps(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, rich(t, "6000", "6000", "6000"))
		w.publishTerms()
		second, centre := w.second(), w.newCentre(2)
		tickets := append(w.sellAll(2, 1), w.sellAll(2, 1)...)
		w.at(morning)
		tickets = w.won(tickets, money.Euros(6000))
		p := w.proposed(lost(tickets[1], centre))
		for _, fault := range []string{"INSERT ON turn", "INSERT ON command", "INSERT ON payment", "INSERT ON posting", "UPDATE ON balance", "UPDATE ON head", "INSERT ON payee"} {
			commands, owes, size := w.count(`SELECT COUNT(*) FROM command`), w.owes(centre), w.sys.Size()
			mend := w.fault(fault)
			if _, err := w.payTo("pay", centre, tickets[0], &someone); err == nil || !strings.Contains(err.Error(), "a fault") {
				t.Errorf("%s: paid, %v", fault, err)
			}
			err := w.approveWith("approve", second.ID, p.ID)
			mend()
			if fault == "INSERT ON payee" { // the payee of the proposal is there already
				w.check(err)
				commands, owes, size = commands+1, owes-money.Euros(6000), size+2
			} else if err == nil || !strings.Contains(err.Error(), "a fault") {
				t.Errorf("%s: approved, %v", fault, err)
			}
			if w.sys.Size() != size || w.owes(centre) != owes || w.count(`SELECT COUNT(*) FROM command`) != commands {
				t.Errorf("%s leaves something", fault)
			}
			w.restart()
		}
		if n := w.count(`SELECT COUNT(*) FROM payee`); n != 1 {
			t.Errorf("%d payees after payments that were not made", n-1)
		}
		owes := w.owes(centre)
		for again := range 2 {
			paid, err := w.payTo("pay", centre, tickets[0], &someone)
			if w.check(err); paid.Again != (again == 1) || owes-w.owes(centre) != money.Euros(6000) {
				t.Errorf("paid %+v, the account moved by %s", paid, owes-w.owes(centre))
			}
		}
	})
}

// fault has the database refuse a kind of statement until mend.
func (w *world) fault(on string) (mend func()) {
	w.Helper()
	db := w.raw()
	exec := func(text string) {
		w.Helper()
		_, err := db.Exec(text)
		w.check(err)
	}
	_, table, _ := strings.Cut(on, " ON ")
	if w.db.Engine() == "sqlite" {
		exec(`CREATE TRIGGER fault BEFORE ` + on + ` BEGIN SELECT RAISE(ABORT, 'a fault'); END`)
		return func() { exec(`DROP TRIGGER fault`) }
	}
	if on == "UPDATE ON balance" { // there an upsert
		on = "INSERT ON balance"
	}
	exec(`CREATE OR REPLACE FUNCTION a_fault() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''a fault''; END'`)
	exec(`CREATE TRIGGER fault BEFORE ` + on + ` FOR EACH STATEMENT EXECUTE FUNCTION a_fault()`)
	return func() { exec(`DROP TRIGGER fault ON ` + table) }
}

// approveWith approves by a key of the test's.
func (w *world) approveWith(key, officer string, id uint64) error {
	_, err := w.sys.Approve(w.ctx(), central.Decide{Key: key, Officer: officer, Proposal: id})
	return err
}
