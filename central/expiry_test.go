package central_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/internal/dbtest"
	"tirage/journal"
	"tirage/ledger"
	"tirage/money"
	"tirage/settle"
	"tirage/wager"
)

// expiries are the last draws whose claims have ended, in the order of the journal.
func (w *world) expiries() (list []draw.ID, total money.Amount) {
	w.Helper()
	records, _ := w.records()
	for _, rec := range records {
		if b, ok := rec.Body.(*journal.Expiry); ok {
			list, total = append(list, draw.ID(b.LastDraw)), total+b.Prizes+b.Back
		}
	}
	return list, total
}

func (w *world) reserve() money.Amount {
	w.Helper()
	return w.account(ledger.Reserve(string(w.rules.Code)))
}

// winners are the tickets with something to claim.
func (w *world) winners(tickets []wager.Ticket) []wager.Ticket {
	w.Helper()
	return slices.DeleteFunc(slices.Clone(tickets), func(t wager.Ticket) bool {
		a := w.checked(t).Answer
		return a.Total+a.Back == 0
	})
}

func (w *world) placeOf(s *shop) settle.Place {
	w.Helper()
	zone, err := s.outlet.Location()
	w.check(err)
	return settle.Place{Zone: zone, Centre: s.outlet.Centre}
}

// agree pays a ticket at an outlet, and shows that it gets what a check there
// says that it would (F09).
func (w *world) agree(s *shop, ticket wager.Ticket) (central.Paid, error) {
	w.Helper()
	c, err := w.sys.CheckAt(w.ctx(), ticket.Number, ticket.Secret, w.placeOf(s))
	w.check(err)
	paid, err := w.pay(s, ticket)
	if paid.Amount != c.Answer.Payable || (err == nil) != (c.Answer.Payable > 0) {
		w.Errorf("ticket %d at %s in %s: paid %s, %v, checked %s", ticket.Number, w.clock.Now(), s.outlet.Territory, paid.Amount, err, c.Answer.Payable)
	}
	return paid, err
}

// What nobody claims goes to the reserve, once, when claims have ended in the
// last place that pays: a moment before it is paid there, from then on nowhere (IAT-7, F11).
func TestIAT_7_Expiry(t *testing.T) {
	t.Parallel()
	for reading, over := range map[string]time.Time{
		"place_of_payment": time.Date(2027, 3, 6, 10, 0, 0, 0, time.UTC), // midnight in Polynesia
		"paris":            time.Date(2027, 3, 5, 23, 0, 0, 0, time.UTC),
	} {
		t.Run(reading, func(t *testing.T) {
			t.Parallel()
			dbtest.Each(t, func(t *testing.T, dsn string) {
				w := newWorld(t, dsn, fewDraws(t, "deadline_zone: place_of_payment", "deadline_zone: "+reading))
				tahiti, samoa := w.newShop(2, "polynesie", "Pacific/Tahiti"), w.newShop(3, "polynesie", "Pacific/Pago_Pago")
				tickets := append(w.sellAll(2, 1), w.sellAll(4, 2)...)
				w.at(mondayDraw(97))
				w.cancelDraws(98)
				open := w.winners(tickets)
				id95, id96 := open[0].Draws[0].ID, open[len(open)-1].Draws[1].ID
				w.at(morning)
				_, err := w.agree(w.shop, open[0])
				w.check(err)
				w.restart()
				w.at(over.Add(-time.Microsecond))
				_, err = w.agree(tahiti, open[1])
				w.check(err)
				open = open[2:]
				w.restart() // the draws are out of memory
				left := w.account(ledger.Prize(int64(id95))) + w.account(ledger.Prize(int64(id96)))
				if list, _ := w.expiries(); left == 0 || len(list) != 0 || w.reserve() != 0 {
					t.Errorf("a moment before: %v, %s left", list, left)
				}
				if next := w.tick(); !next.Equal(over) {
					t.Errorf("next at %s, want %s", next, over)
				}
				w.clock.set(over)
				for _, s := range []*shop{w.shop, tahiti, samoa} { // also before the scheduler has come round
					w.refuses(settle.ErrExpired, func() error { _, err := w.agree(s, open[0]); return err })
				}
				w.tick()
				w.restart()
				w.tick()
				list, total := w.expiries()
				if !slices.Equal(list, []draw.ID{id95, id96}) || total != left || w.reserve() != left {
					t.Errorf("ended the claims of %v, %s, reserve %s; want %s", list, total, w.reserve(), left)
				}
				for _, ticket := range open {
					for _, s := range []*shop{w.shop, tahiti, samoa} {
						w.refuses(settle.ErrExpired, func() error { _, err := w.agree(s, ticket); return err })
					}
				}
			})
		})
	}
}

// Claims count from the claim day of the last draw by the readings of
// AMI-11.2, for draws after midnight and for those that were postponed into
// another day, until midnight in Polynesia.
func TestAMI_11_2_Expiry(t *testing.T) {
	t.Parallel()
	night := time.Date(2027, 1, 10, 0, 55, 0, 0, paris) // draw 250 of Saturday the 9th
	saturday, sunday := game.NewDay(2027, 1, 9), game.NewDay(2027, 1, 10)
	tahiti, err := time.LoadLocation("Pacific/Tahiti")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, reading string
		shift         time.Duration
		day           game.Day
	}{
		{"draw day", "draw_day", 0, saturday},
		{"calendar date", "calendar_date", 0, sunday},
		{"draw day, postponed in the night", "draw_day", 3 * time.Hour, saturday},
		{"calendar date, postponed in the night", "calendar_date", 3 * time.Hour, sunday},
		{"draw day, postponed to the next", "draw_day", 4 * time.Hour, sunday},
		{"calendar date, postponed to the evening", "calendar_date", 20 * time.Hour, sunday},
		{"calendar date, postponed to the next", "calendar_date", 24 * time.Hour, sunday + 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorldAt(t, dbtest.SQLite(t), nightIslet(t, "claim_day: draw_day", "claim_day: "+c.reading), night.Add(-time.Hour/2))
			shop := w.newShop(2, "polynesie", "Pacific/Tahiti")
			tickets := w.sellAll(2, 1)
			id := tickets[0].Draws[0].ID
			if c.shift > 0 {
				w.change(central.Change{Act: central.ActPostpone, Draws: []draw.ID{id}, Shift: c.shift})
			}
			w.at(night.Add(30 * time.Hour))
			open := w.winners(tickets)
			over := (c.day + 61).At(0, tahiti)
			w.at(over.Add(-time.Microsecond))
			if a := w.checked(open[0]).Answer; a.ClaimUntil != c.day+60 {
				t.Errorf("claims until %s, want %s", a.ClaimUntil, c.day+60)
			}
			_, err := w.agree(shop, open[0])
			w.check(err)
			w.at(over)
			if list, total := w.expiries(); !slices.Equal(list, []draw.ID{id}) || w.reserve() != total || total == 0 {
				t.Errorf("ended the claims of %v, %s", list, total)
			}
			w.refuses(settle.ErrExpired, func() error { _, err := w.agree(shop, open[1]); return err })
		})
	}
}

// Officers extend claims before they have ended everywhere: then they are paid
// until the new day, and nothing goes to the reserve before.
func TestExtendClaims(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, fewDraws(t))
		other := w.second().ID
		tickets := append(w.sellAll(2, 1), w.sellAll(2, 2)...)
		w.at(mondayDraw(96))
		open := w.winners(tickets)
		day := game.NewDay(2027, 3, 5)
		over := func(day game.Day) time.Time { return (day + 1).At(10*time.Hour, time.UTC) } // midnight in Polynesia
		extend := func(from, until game.Day) central.Change {
			return central.Change{Act: central.ActExtendClaims, Game: w.rules.Code, From: from, To: from, Until: until}
		}
		late := w.proposed(extend(day, day+3)).ID
		first := w.proposed(extend(day, day+10)).ID
		w.at(over(day).Add(-time.Microsecond)) // over in Paris, not in Polynesia
		w.refuses(settle.ErrExpired, func() error { _, err := w.agree(w.shop, open[0]); return err })
		w.check(w.approve(other, first))
		w.restart()
		_, err := w.agree(w.shop, open[0])
		w.check(err)
		w.clock.set(over(day))
		w.refuses(central.ErrClaimsOver, func() error { return w.approve(other, late) })
		w.tick()
		if list, _ := w.expiries(); len(list) != 0 {
			t.Errorf("ended the claims of %v", list)
		}
		w.at(over(day + 9))
		w.check(w.approve(other, w.proposed(extend(day+10, day+12)).ID)) // what was extended is extended again
		w.restart()
		w.at(over(day + 12).Add(-time.Microsecond))
		w.restart()
		if a := w.checked(open[1]).Answer; a.ClaimUntil != day+12 {
			t.Errorf("claims until %s", a.ClaimUntil)
		}
		if list, _ := w.expiries(); len(list) != 0 {
			t.Errorf("ended the claims of %v", list)
		}
		w.clock.set(over(day + 12))
		w.refuses(central.ErrClaimsOver, func() error { _, err := w.propose(extend(day+12, day+13)); return err })
		w.tick()
		if list, total := w.expiries(); len(list) != 2 || total != w.reserve() || total == 0 {
			t.Errorf("ended the claims of %v: %s", list, total)
		}
		w.refuses(settle.ErrExpired, func() error { _, err := w.agree(w.shop, open[1]); return err })
	})
}

// Stakes are given back as long as prizes are paid, or by the reading
// refund_until for some days: what is left of both goes to the reserve together.
func TestExpiry_RefundDays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		reading    string
		back, over game.Day
	}{
		{"as_prizes", game.NewDay(2027, 3, 5), game.NewDay(2027, 3, 5)},
		{"30", game.NewDay(2027, 2, 3), game.NewDay(2027, 3, 5)},
		{"90", game.NewDay(2027, 4, 4), game.NewDay(2027, 4, 4)},
	} {
		t.Run(c.reading, func(t *testing.T) {
			t.Parallel()
			dbtest.Each(t, func(t *testing.T, dsn string) {
				w := newWorld(t, dsn, fewDraws(t, "refund_until: as_prizes", "refund_until: "+c.reading))
				tickets := w.sellAll(2, 2)
				w.cancelDraws(95)
				w.at(mondayDraw(96))
				midnight := func(day game.Day) time.Time { return (day + 1).At(0, paris) }
				w.at(midnight(c.back).Add(-time.Microsecond))
				paid, err := w.agree(w.shop, tickets[0])
				w.check(err)
				if paid.Back != money.Euros(2) {
					t.Errorf("%s given back", paid.Back)
				}
				w.at(midnight(c.back))
				paid, _ = w.agree(w.shop, tickets[1])
				if paid.Back != 0 {
					t.Errorf("%s given back after the end", paid.Back)
				}
				w.at((c.over + 1).At(10*time.Hour-time.Microsecond, time.UTC))
				w.restart()
				if list, _ := w.expiries(); len(list) != 0 {
					t.Errorf("ended the claims of %v", list)
				}
				w.at((c.over + 1).At(10*time.Hour, time.UTC))
				if list, total := w.expiries(); len(list) != 1 || total < money.Euros(2*5) || w.reserve() != total {
					t.Errorf("ended the claims of %v: %s", list, total)
				}
			})
		})
	}
}

// A draw in the middle of tickets is postponed again and again, beyond the end
// of claims of their last planned one: small prizes wait for it, its prizes are
// claimed for as many days as any, and nothing goes to the reserve before.
func TestExpiry_MiddleDrawPostponed(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, fewDraws(t, "early_tiers: whole_ticket", "early_tiers: small_first"))
		tahiti := w.newShop(2, "polynesie", "Pacific/Tahiti")
		tickets, others := append(w.sellAll(2, 3), w.sellAll(2, 3)...), w.sellAll(2, 1) // the others are in draw 95 alone
		last := tickets[0].Draws[2].ID
		month := 30 * 24 * time.Hour
		id := tickets[0].Draws[1].ID
		w.postpone(month, 96)
		w.change(central.Change{Act: central.ActPostpone, Draws: []draw.ID{id}, Shift: month})
		w.at(mondayDraw(97))
		early := w.account(ledger.Prize(int64(last)))
		for _, ticket := range tickets { // which wait for the last draw that they are in, before the morning
			_, err := w.agree(w.shop, ticket)
			if err == nil {
				t.Errorf("ticket %d is paid before draw 96", ticket.Number)
			}
		}
		w.restart()
		w.at(monday.AddDate(0, 0, 40))
		w.change(central.Change{Act: central.ActPostpone, Draws: []draw.ID{id}, Shift: 2 * 24 * time.Hour}) // to the 62nd day
		w.restart()
		w.at(mondayDraw(96).AddDate(0, 0, 62).Add(-time.Hour))
		if list, _ := w.expiries(); len(list) != 0 || early == 0 {
			t.Errorf("ended the claims of %v", list)
		}
		w.at(mondayDraw(96).AddDate(0, 0, 63))
		day := game.NewDay(2027, 1, 4) + 62 + 60
		if a := w.checked(others[0]).Answer; a.ClaimUntil != day { // of the same session
			t.Errorf("claims on draw 95 until %s, want %s", a.ClaimUntil, day)
		}
		open := w.winners(tickets)
		paid, err := w.agree(w.shop, open[0])
		w.check(err)
		if want := w.checked(open[0]).Answer.Total; paid.Amount != want {
			t.Errorf("paid %s of %s", paid.Amount, want)
		}
		over := (day + 1).At(10*time.Hour, time.UTC)
		w.at(over.Add(-time.Microsecond))
		w.restart()
		_, err = w.agree(tahiti, open[1])
		w.check(err)
		left := w.account(ledger.Prize(int64(last)))
		if list, _ := w.expiries(); len(list) != 0 || left == 0 {
			t.Errorf("ended the claims of %v", list)
		}
		w.at(over)
		if list, total := w.expiries(); len(list) != 2 || total != w.reserve() || total < left {
			t.Errorf("ended the claims of %v: %s, of %s", list, total, left)
		}
		for _, ticket := range open {
			want := settle.ErrExpired
			if a := w.checked(ticket).Answer; a.Total == a.Paid {
				want = settle.ErrPaid
			}
			w.refuses(want, func() error { _, err := w.agree(tahiti, ticket); return err })
		}
	})
}

// A draw that was not held is cancelled long after the end of its tickets'
// claims: its stakes are given back for as many days from then.
func TestExpiry_CancelledLate(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, fewDraws(t))
		tahiti := w.newShop(2, "polynesie", "Pacific/Tahiti")
		tickets := w.sellAll(2, 1)
		id := tickets[0].Draws[0].ID
		w.clock.set(monday.AddDate(0, 0, 70)) // the scheduler did not come round
		w.change(central.Change{Act: central.ActCancelDraw, Draws: []draw.ID{id}})
		w.catchUp(w.clock.Now())
		w.restart()
		w.tick()
		day := game.NewDay(2027, 1, 4) + 70 + 60
		if list, _ := w.expiries(); len(list) != 0 || w.account(ledger.Back(int64(id))) == 0 {
			t.Errorf("ended the claims of %v", list)
		}
		paid, err := w.agree(w.shop, tickets[0])
		w.check(err)
		if a := w.checked(tickets[1]).Answer; a.BackUntil != day || paid.Back != money.Euros(2) {
			t.Errorf("%s given back, until %s, want %s", paid.Back, a.BackUntil, day)
		}
		over := (day + 1).At(10*time.Hour, time.UTC)
		w.at(over.Add(-time.Microsecond))
		_, err = w.agree(tahiti, tickets[1])
		w.check(err)
		w.at(over)
		if list, total := w.expiries(); !slices.Equal(list, []draw.ID{id}) || total != money.Euros(2*4) || w.reserve() != total {
			t.Errorf("ended the claims of %v: %s", list, total)
		}
		w.refuses(settle.ErrExpired, func() error { _, err := w.agree(tahiti, tickets[2]); return err })
	})
}

// The last draw of tickets that have won already is postponed by a day, and the
// end of their claims with it.
func TestExpiry_LastDrawPostponed(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, fewDraws(t))
		shop := w.newShop(2, "polynesie", "Pacific/Tahiti")
		tickets := w.sellAll(2, 2)
		w.at(mondayDraw(95))
		w.postpone(24*time.Hour, 96)
		w.at(mondayDraw(96).AddDate(0, 0, 1))
		open := w.winners(tickets)
		over := time.Date(2027, 3, 6, 10, 0, 0, 0, time.UTC)
		w.at(over)
		if list, _ := w.expiries(); len(list) != 0 {
			t.Errorf("ended the claims of %v", list)
		}
		_, err := w.agree(shop, open[0])
		w.check(err)
		w.at(over.AddDate(0, 0, 1))
		if list, total := w.expiries(); len(list) != 1 || total == 0 || total != w.reserve() {
			t.Errorf("ended the claims of %v: %s", list, total)
		}
		w.refuses(settle.ErrExpired, func() error { _, err := w.agree(shop, open[1]); return err })
	})
}

// F11: at the boundary what is paid and what expires are all there was, and
// nothing is both, whoever pays and ticks at once.
func TestF11_ExpiryUnderPayments(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.Postgres(t), fewDraws(t))
	tahiti := w.newShop(2, "polynesie", "Pacific/Tahiti")
	nodes := []*central.System{w.sys, w.secondNode()}
	var tickets []wager.Ticket
	for range 6 {
		tickets = append(tickets, w.sellAll(2, 1)...)
	}
	w.at(mondayDraw(95))
	open := w.winners(tickets)
	over := time.Date(2027, 3, 6, 10, 0, 0, 0, time.UTC)
	w.at(over.Add(-time.Microsecond))
	w.check(nodes[1].Follow(w.ctx()))
	before, last := w.owes(tahiti), int64(tickets[0].Draws[0].ID)
	left := w.account(ledger.Prize(last))
	var racing sync.WaitGroup
	for i, ticket := range open {
		racing.Go(func() {
			if i == len(open)/2 {
				w.clock.set(over)
			}
			sys := nodes[i%2]
			_, err := sys.Pay(w.ctx(), central.Pay{Key: w.key(), Terminal: tahiti.terminal.ID, Ticket: ticket.Number, Secret: ticket.Secret})
			if err != nil && !errors.Is(err, settle.ErrExpired) {
				t.Error(err)
			}
			if _, err := sys.Tick(w.ctx()); err != nil {
				t.Error(err)
			}
		})
	}
	racing.Wait()
	w.tick()
	w.check(nodes[1].Follow(w.ctx()))
	list, total := w.expiries()
	paid := before - w.owes(tahiti)
	if len(list) > 1 || paid+total != left || w.reserve() != total || w.account(ledger.Prize(last)) != 0 {
		t.Errorf("%s paid, %s expired in %d records, of %s", paid, total, len(list), left)
	}
}

// fewDraws is the islet with eight draws a day, for weeks that pass quickly.
func fewDraws(t testing.TB, replace ...string) []byte {
	return islet(t, append([]string{"draws: [95, 130]", "draws: [95, 100]", "draws: [167, 214]", "draws: [167, 168]"}, replace...)...)
}

// centred is the islet with its top prize paid at payment centres only.
func centred(t testing.TB, replace ...string) []byte {
	return fewDraws(t, append([]string{"prize: 20, payable: next_morning", "prize: 20, payable: next_morning, paid_at: payment_centre"}, replace...)...)
}

func (w *world) newCentre(number int) *shop {
	w.Helper()
	s := w.newShop(number, "metropole", "Europe/Paris")
	s.outlet.Centre = true
	got, err := w.sys.PutOutlet(w.ctx(), central.PutOutlet{Key: w.key(), Officer: w.officer.ID, Outlet: s.outlet})
	w.check(err)
	if got != s.outlet {
		w.Errorf("outlet %+v, want %+v", got, s.outlet)
	}
	return s
}

// AMI-11.2: top ranks are paid at payment centres only, from the next morning,
// or as the others; by early_tiers the rest of their ticket with them, or at
// any outlet. Check and payment agree at each moment and place (F09).
func TestAMI_11_2_Centre(t *testing.T) {
	t.Parallel()
	for _, top := range []string{"next_morning", "as_the_others"} {
		for _, early := range []string{"whole_ticket", "small_first"} {
			t.Run(top+" "+early, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, dbtest.SQLite(t), centred(t, "top_ranks: next_morning", "top_ranks: "+top, "early_tiers: whole_ticket", "early_tiers: "+early))
				payAtCentre(w, top == "as_the_others", early == "small_first")
			})
		}
	}
}

func payAtCentre(w *world, asOthers, smallFirst bool) {
	w.Helper()
	centre := w.newCentre(2)
	w.restart()
	tickets := w.sellAll(2, 3)
	w.at(mondayDraw(95))
	w.cancelDraws(96)
	for _, at := range []time.Time{mondayDraw(95), mondayDraw(96), mondayDraw(97), morning} {
		w.at(at)
		for _, ticket := range tickets {
			_, err := w.agree(w.shop, ticket) // an outlet first
			top := false
			for _, d := range []int{0, 2} {
				r := w.result(ticket.Draws[d])
				p := ticket.Plays[0].Picks
				top = top || r != nil && p[0][0] == r[0][0] && p[1][0] == r[1][0]
			}
			held := top && !asOthers && at.Equal(morning)
			if left := w.checked(ticket).Answer.Total - w.checked(ticket).Answer.Paid; held && left == 0 {
				w.Errorf("ticket %d: the outlet paid a top prize", ticket.Number)
			} else if held && !smallFirst && err != nil && !errors.Is(err, settle.ErrCentre) && !errors.Is(err, settle.ErrPaid) {
				w.Errorf("ticket %d at an outlet: %v, want the payment centre named", ticket.Number, err)
			} else if !held && at.Equal(morning) && left != 0 {
				w.Errorf("ticket %d: %s left", ticket.Number, left)
			}
		}
	}
	for _, ticket := range tickets {
		_, _ = w.agree(centre, ticket)
		if a := w.checked(ticket).Answer; a.Paid != a.Total || a.BackPaid != money.Euros(2) || a.CentreOnly {
			w.Errorf("ticket %d after the centre: %+v", ticket.Number, a)
		}
	}
}

// F11: of 10,000 payments tried at once, at outlets and a centre, each draw is
// paid once, in all what was won; and the books say the same of each outlet.
func TestF11_PayParallel(t *testing.T) {
	t.Parallel()
	t.Run("one node", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, dbtest.SQLite(t), centred(t))
		payParallel(w, 10_000, w.sys)
	})
	t.Run("two nodes", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, dbtest.Postgres(t), centred(t))
		payParallel(w, 1000, w.sys, w.secondNode())
	})
}

func payParallel(w *world, tries int, nodes ...*central.System) {
	w.Helper()
	shops := []*shop{w.shop, w.newCentre(2), w.newShop(3, "reunion", "Indian/Reunion"), w.newShop(4, "polynesie", "Pacific/Tahiti")}
	var tickets []wager.Ticket
	for range 4 {
		tickets = append(tickets, w.sellAll(2, 4)...)
	}
	w.cancelDraws(96)
	w.at(morning)
	before := map[string]money.Amount{}
	for _, s := range shops {
		before[s.outlet.ID] = w.owes(s)
	}
	for _, sys := range nodes {
		w.check(sys.Follow(w.ctx()))
	}
	var mu sync.Mutex
	paid, byShop := map[wager.ID]money.Amount{}, map[string]money.Amount{}
	turns := make(chan int)
	var trying sync.WaitGroup
	for client := range 100 {
		trying.Go(func() {
			choose := rand.New(rand.NewPCG(11, uint64(client)))
			for n := range turns {
				ticket, s := tickets[choose.IntN(len(tickets))], shops[choose.IntN(len(shops))]
				p, err := nodes[n%len(nodes)].Pay(w.ctx(), central.Pay{Key: w.key(), Terminal: s.terminal.ID, Ticket: ticket.Number, Secret: ticket.Secret})
				switch {
				case err == nil:
					mu.Lock()
					paid[ticket.Number] += p.Amount
					byShop[s.outlet.ID] += p.Amount
					mu.Unlock()
				case !errors.Is(err, settle.ErrPaid) && !errors.Is(err, settle.ErrCentre) && !errors.Is(err, settle.ErrNothingToPay):
					w.Error(err)
				}
			}
		})
	}
	for n := range tries {
		turns <- n
	}
	close(turns)
	trying.Wait()
	w.check(w.sys.Follow(w.ctx()))
	for _, ticket := range tickets {
		a := w.checked(ticket).Answer
		if want := a.Total + a.Back; paid[ticket.Number] != want || a.Paid+a.BackPaid != want {
			w.Errorf("ticket %d: %s paid in all, want %s", ticket.Number, paid[ticket.Number], want)
		}
	}
	for _, s := range shops {
		if got := before[s.outlet.ID] - w.owes(s); got != byShop[s.outlet.ID] {
			w.Errorf("outlet %d: books say %s paid, it paid %s", s.outlet.Number, got, byShop[s.outlet.ID])
		}
	}
}
