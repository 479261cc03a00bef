package settle

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tirage/draw"
	"tirage/game"
	"tirage/money"
	"tirage/wager"
)

// The ticket of these tests plays places 1–7 and pirate 1, for 4 € (2 units),
// in the last draws of the evening of Wednesday 31 March 2027: 21:45, 21:50, 21:55 …
const (
	loses  = "loses"   // 0+1
	small  = "small"   // 4+0, 6 € for 4 €
	top    = "7+1"     // 40,000 €
	second = "7+0"     // 3,000 €
	last   = 214       // number of the day's last draw
	dawn   = "1 06:00" // the next morning
)

var results = map[string]game.Result{
	loses:  {{8, 9, 10, 11, 12, 13, 14}, {1}},
	small:  {{1, 2, 3, 4, 12, 13, 14}, {2}},
	top:    {{1, 2, 3, 4, 5, 6, 7}, {1}},
	second: {{1, 2, 3, 4, 5, 6, 7}, {2}},
}

// fact is what a test says of one draw: its result, its state, whether it is paid.
type fact struct {
	result   string
	state    draw.State
	paid     bool
	refunded bool
}

func certified(result string) fact { return fact{result: result, state: draw.Certified} }

func paid(result string) fact { return fact{result: result, state: draw.Certified, paid: true} }

// ticketOf returns a ticket in as many of the day's last draws as there are facts.
func ticketOf(t testing.TB, r *game.Rules, facts ...fact) (wager.Ticket, []DrawFacts) {
	t.Helper()
	picks := game.Picks{{1, 2, 3, 4, 5, 6, 7}, {1}}
	c, err := r.Rank(picks)
	if err != nil {
		t.Fatal(err)
	}
	day := draw.Plan(r, game.NewDay(2027, 3, 31))
	ticket := wager.Ticket{
		Rules: r, Plays: []wager.Play{{Picks: picks, Combinations: []game.Combination{c}}},
		Stake: money.Euros(4), Units: 2, Asked: len(facts), Draws: day[len(day)-len(facts):],
	}
	list := make([]DrawFacts, len(facts))
	for i, f := range facts {
		d := &ticket.Draws[i]
		d.ID = draw.ID(d.Number)
		list[i] = DrawFacts{Draw: *d, State: f.state, Refunded: f.refunded}
		if f.state == draw.Drawn || f.state == draw.Settled || f.state == draw.Certified {
			list[i].Result = results[f.result]
		}
		if f.state == draw.Settled || f.state == draw.Certified {
			list[i].UnitValue = func(table, tier int) money.Amount { return r.Tables[table].Tiers[tier].Prize }
		}
		if f.paid {
			list[i].PaidAt = d.DrawsAt.Add(time.Hour)
		}
	}
	return ticket, list
}

// clock reads "DAYS HH:MM[:SS]" in a zone, DAYS being counted from the draw day.
func clock(t testing.TB, s string, zone *time.Location) time.Time {
	t.Helper()
	var days, h, m, sec int
	if n, err := fmt.Sscanf(s, "%d %d:%d:%d", &days, &h, &m, &sec); n < 3 {
		t.Fatal(err)
	}
	return time.Date(2027, 3, 31+days, h, m, sec, 0, zone)
}

func zoneOf(t testing.TB, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// TestIAT_7_PayableFrom: from when, by tier and reading.
func TestIAT_7_PayableFrom(t *testing.T) {
	t.Parallel()
	// Payable now, at an instant in Paris; next is the next instant at which something becomes payable.
	for _, v := range []struct {
		name  string
		other game.OtherTiers
		early game.EarlyTiers
		facts []fact
		at    string
		pay   []int // euros by draw of the ticket
		next  string
	}{
		{"small prize, one draw", game.AfterLastDraw, 0, []fact{certified(small)}, "0 21:56", []int{6}, ""},
		{"7+1 in the evening", game.AfterLastDraw, 0, []fact{certified(top)}, "0 21:56", []int{0}, dawn},
		{"7+1 a second before morning", game.AfterLastDraw, 0, []fact{certified(top)}, "1 05:59:59", []int{0}, dawn},
		{"7+1 in the morning", game.AfterLastDraw, 0, []fact{certified(top)}, dawn, []int{40000}, ""},
		{"7+0 a second before morning", game.AfterLastDraw, 0, []fact{certified(second)}, "1 05:59:59", []int{0}, dawn},
		{"7+0 in the morning", game.AfterLastDraw, 0, []fact{certified(second)}, dawn, []int{3000}, ""},

		{"last_draw: before it", game.AfterLastDraw, 0, []fact{certified(small), {state: draw.Selling}}, "0 21:51", []int{0, 0}, "0 21:55"},
		{"last_draw: drawn, not certified", game.AfterLastDraw, 0, []fact{certified(small), {result: loses, state: draw.Drawn}}, "0 21:56", []int{0, 0}, ""},
		{"last_draw: settled, not certified", game.AfterLastDraw, 0, []fact{certified(small), {result: loses, state: draw.Settled}}, "0 21:56", []int{0, 0}, ""},
		{"last_draw: certified", game.AfterLastDraw, 0, []fact{certified(small), certified(loses)}, "0 21:56", []int{6, 0}, ""},
		{"last_draw: cancelled ahead", game.AfterLastDraw, 0, []fact{certified(small), {state: draw.Cancelled}}, "0 21:51", []int{6, 0}, ""},
		{"last_draw: cancelled ahead, before the others", game.AfterLastDraw, 0, []fact{certified(small), {state: draw.Selling}, {state: draw.Cancelled}}, "0 21:46", []int{0, 0, 0}, "0 21:50"},
		{"last_draw: cancelled ahead, the others drawn", game.AfterLastDraw, 0, []fact{certified(small), {result: loses, state: draw.Settled}, {state: draw.Cancelled}}, "0 21:51", []int{0, 0, 0}, ""},
		{"last_draw: cancelled ahead, the others certified", game.AfterLastDraw, 0, []fact{certified(small), certified(small), {state: draw.Cancelled}}, "0 21:51", []int{6, 6, 0}, ""},
		{"last_draw: cancelled, its time come", game.AfterLastDraw, 0, []fact{certified(small), {state: draw.Cancelled}}, "0 21:55", []int{6, 0}, ""},
		{"last_draw: one in between waits", game.AfterLastDraw, 0, []fact{certified(small), {state: draw.Postponed}, certified(small)}, "0 21:56", []int{6, 0, 6}, ""},
		{"each_draw: before the last", game.EachDraw, 0, []fact{certified(small), {state: draw.Selling}}, "0 21:51", []int{6, 0}, ""},
		{"each_draw: the last waits", game.EachDraw, 0, []fact{certified(small), {result: loses, state: draw.Settled}}, "0 21:56", []int{6, 0}, ""},

		{"whole_ticket: small and 7+1, evening", game.AfterLastDraw, game.WholeTicketNextMorning, []fact{certified(small), certified(top)}, "0 21:56", []int{0, 0}, dawn},
		{"whole_ticket: morning", game.AfterLastDraw, game.WholeTicketNextMorning, []fact{certified(small), certified(top)}, dawn, []int{6, 40000}, ""},
		{"whole_ticket, each_draw: 7+1 not certified", game.EachDraw, game.WholeTicketNextMorning, []fact{certified(small), {result: top, state: draw.Settled}}, "0 21:56", []int{6, 0}, ""},
		{"whole_ticket, each_draw: 7+1 certified", game.EachDraw, game.WholeTicketNextMorning, []fact{certified(small), certified(top)}, "0 21:56", []int{0, 0}, dawn},
		{"small_first: evening", game.AfterLastDraw, game.SmallFirst, []fact{certified(small), certified(top)}, "0 21:56", []int{6, 0}, dawn},
		{"small_first: morning, small not paid", game.AfterLastDraw, game.SmallFirst, []fact{certified(small), certified(top)}, dawn, []int{6, 40000}, ""},
		{"small_first: morning, small paid", game.AfterLastDraw, game.SmallFirst, []fact{paid(small), certified(top)}, dawn, []int{0, 40000}, ""},
		{"small_first, each_draw", game.EachDraw, game.SmallFirst, []fact{certified(top), certified(small), {state: draw.Selling}}, "0 21:51", []int{0, 6, 0}, dawn},
		{"small_first: the sooner of two", game.AfterLastDraw, game.SmallFirst, []fact{certified(small), certified(top), {state: draw.Selling}}, "0 21:51", []int{0, 0, 0}, "0 21:55"},
		{"7+1 does not wait for a late last draw", game.AfterLastDraw, game.SmallFirst, []fact{certified(top), {state: draw.Closed}}, dawn, []int{40000, 0}, ""},
	} {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			r, paris := ileAuTresor(t), zoneOf(t, "Europe/Paris")
			r.Claims.OtherTiers = v.other
			if v.early > 0 {
				r.Claims.EarlyTiers = v.early
			}
			ticket, facts := ticketOf(t, r, v.facts...)
			a := Check(ticket, nil, facts, Delay{}, nil, clock(t, v.at, paris), Place{Zone: paris})
			var want []Due
			var sum money.Amount
			for i, euros := range v.pay {
				if euros > 0 {
					want = append(want, Due{ticket.Draws[i].ID, money.Euros(int64(euros)), false})
					sum += money.Euros(int64(euros))
				}
			}
			due, err := a.Due()
			if diff := cmp.Diff(want, due); diff != "" || (err == nil) != (want != nil) || a.Payable != sum {
				t.Errorf("due %v, %v, payable %s; want %v", due, err, a.Payable, want)
			}
			var next time.Time
			if v.next != "" {
				next = clock(t, v.next, paris).UTC()
			}
			if !a.PayableFrom.Equal(next) {
				t.Errorf("payable from %s, want %s", a.PayableFrom, next)
			}
			var late *NotYetError
			if errors.As(err, &late) && (!late.From.Equal(next) || late.Waiting != a.Waiting || !errors.Is(err, ErrNotYet)) {
				t.Errorf("refusal %+v", late)
			}
		})
	}
}

// TestIAT_7_ClaimUntil: the 60th day after the draw day, inclusive, by the
// midnight of the place of payment, or of Paris.
func TestIAT_7_ClaimUntil(t *testing.T) {
	t.Parallel()
	for _, v := range []struct {
		name    string
		reading game.DeadlineZone
		place   string
		at      string // in Paris; 31 March + 60 is 30 May
		expired bool
	}{
		{"last second", game.PlaceOfPayment, "Europe/Paris", "60 23:59:59", false},
		{"the 61st day", game.PlaceOfPayment, "Europe/Paris", "61 00:00", true},
		{"La Réunion, its midnight", game.PlaceOfPayment, "Indian/Reunion", "60 22:00", true},
		{"La Réunion, a second before", game.PlaceOfPayment, "Indian/Reunion", "60 21:59:59", false},
		{"Tahiti, after midnight in Paris", game.PlaceOfPayment, "Pacific/Tahiti", "61 11:59:59", false},
		{"Tahiti, its midnight", game.PlaceOfPayment, "Pacific/Tahiti", "61 12:00", true},
		{"Paris for La Réunion", game.ParisDeadline, "Indian/Reunion", "60 23:59:59", false},
		{"Paris for Tahiti", game.ParisDeadline, "Pacific/Tahiti", "61 00:00", true},
	} {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			r := ileAuTresor(t)
			r.Claims.DeadlineZone = v.reading
			ticket, facts := ticketOf(t, r, paid(small), certified(top))
			a := Check(ticket, nil, facts, Delay{}, nil, clock(t, v.at, zoneOf(t, "Europe/Paris")), Place{Zone: zoneOf(t, v.place)})
			due, err := a.Due()
			if a.Expired != v.expired || (len(due) == 0) != v.expired || errors.Is(err, ErrExpired) != v.expired {
				t.Errorf("expired %v, due %v, %v", a.Expired, due, err)
			}
			if got := a.ClaimUntil.String(); got != "2027-05-30" {
				t.Errorf("claims until %s", got)
			}
			if a.Standing != Won || a.Total != money.Euros(40_006) || a.Paid != money.Euros(6) {
				t.Errorf("%s, won %s, paid %s", a.Standing, a.Total, a.Paid)
			}
		})
	}
}

// TestIAT_7_DrawDay: a draw after midnight counts from its draw day, for the
// morning and for the deadline.
func TestIAT_7_DrawDay(t *testing.T) {
	t.Parallel()
	r, paris := ileAuTresor(t), zoneOf(t, "Europe/Paris")
	r.Calendar.Sessions[1].Last = 250 // 00:55
	ticket, facts := ticketOf(t, r, certified(top))
	if got := ticket.Draws[0].DrawsAt.In(paris).Format("2006-01-02 15:04"); got != "2027-04-01 00:55" {
		t.Fatalf("the last draw is at %s", got)
	}
	if a := Check(ticket, nil, facts, Delay{}, nil, clock(t, dawn, paris), Place{Zone: paris}); a.Payable == 0 || a.ClaimUntil.String() != "2027-05-30" {
		t.Errorf("payable %s, until %s", a.Payable, a.ClaimUntil)
	}
}

// TestF09_Standing has each state of a draw, with each result, alone and beside
// each other draw: nothing is told before a draw is certified, a win or a stake
// to give back is shown with what still waits, and a ticket has lost only when
// nothing of it waits and nothing is to be given back.
func TestF09_Standing(t *testing.T) {
	t.Parallel()
	r := ileAuTresor(t)
	var all []fact
	for s := draw.Planned; s <= draw.Cancelled; s++ {
		for result := range results {
			all = append(all, fact{result: result, state: s})
		}
	}
	all = append(all,
		fact{state: draw.Cancelled, refunded: true}, fact{state: draw.Cancelled, refunded: true, paid: true},
		paid(small), paid(top))
	for _, one := range all {
		checkStanding(t, r, one)
		for _, two := range all {
			checkStanding(t, r, one, two)
		}
	}
}

func checkStanding(t *testing.T, r *game.Rules, facts ...fact) {
	t.Helper()
	paris := zoneOf(t, "Europe/Paris")
	ticket, list := ticketOf(t, r, facts...)
	a := Check(ticket, nil, list, Delay{}, nil, clock(t, "2 12:00", paris), Place{Zone: paris})
	var waiting, back, backPaid, due, won int
	held := false // a small prize waits for the last draw that is not cancelled
	for _, f := range facts {
		if f.state != draw.Cancelled {
			held = !f.state.Final()
		}
	}
	for i, f := range facts {
		p := a.Prizes[i]
		switch f.state {
		case draw.Certified:
			wins := f.result != loses
			if !p.Known || (p.Amount > 0) != wins || (p.Tier >= 0) != wins || p.Back != 0 {
				t.Errorf("%v: %+v", facts, p)
			}
			if wins {
				won++
			}
			if wins && !f.paid && (f.result != small || !held) {
				due++
			}
			continue
		case draw.Cancelled:
			back++
			switch {
			case !f.refunded:
				waiting++
			case f.paid:
				backPaid++
			default:
				due++
			}
		default:
			waiting++
		}
		if p.Known || p.Amount != 0 || p.Tier != -1 || p.TierName != "" || !p.PayableFrom.IsZero() ||
			p.Payable != (f.refunded && !f.paid) || (p.Back > 0) != (f.state == draw.Cancelled) {
			t.Errorf("%v: a word before it is certified: %+v", facts, p)
		}
	}
	want := Lost
	switch {
	case won > 0:
		want = Won
	case back > backPaid:
		want = GiveBack
	case waiting > 0:
		want = Pending
	case back > 0:
		want = GiveBack
	}
	if a.Standing != want || a.Waiting != waiting || a.Back != money.Euros(int64(4*back)) || a.BackPaid != money.Euros(int64(4*backPaid)) {
		t.Errorf("%v: %s, waiting %d, back %s of %s; want %s, %d, %d of %d draws",
			facts, a.Standing, a.Waiting, a.BackPaid, a.Back, want, waiting, backPaid, back)
	}
	dues, err := a.Due()
	switch {
	case len(dues) != due:
		t.Errorf("%v: %v due, want %d", facts, dues, due)
	case due > 0:
	case waiting > 0:
		if !errors.Is(err, ErrNotYet) {
			t.Errorf("%v: %s waits, yet %v", facts, want, err)
		}
	case want == Lost:
		if !errors.Is(err, ErrNothingToPay) {
			t.Errorf("%v: lost, yet %v", facts, err)
		}
	case !errors.Is(err, ErrPaid):
		t.Errorf("%v: all is paid, yet %v", facts, err)
	}
}

func TestDue_Refusals(t *testing.T) {
	t.Parallel()
	r, paris := ileAuTresor(t), zoneOf(t, "Europe/Paris")
	for _, v := range []struct {
		name  string
		facts []fact
		at    string
		want  error
	}{
		{"lost", []fact{certified(loses)}, "0 22:00", ErrNothingToPay},
		{"lost long ago", []fact{certified(loses)}, "90 00:00", ErrNothingToPay},
		{"pending", []fact{{state: draw.Selling}}, "0 21:00", ErrNotYet},
		{"paid", []fact{paid(small), certified(loses)}, "0 22:00", ErrPaid},
		{"paid, the rest waits", []fact{paid(small), {state: draw.Closed}}, "0 22:00", ErrNotYet},
		{"paid long ago", []fact{paid(small)}, "90 00:00", ErrPaid},
		{"next morning", []fact{certified(top)}, "0 22:00", ErrNotYet},
		{"expired", []fact{certified(small)}, "61 00:00", ErrExpired},
	} {
		ticket, facts := ticketOf(t, r, v.facts...)
		due, err := Check(ticket, nil, facts, Delay{}, nil, clock(t, v.at, paris), Place{Zone: paris}).Due()
		if !errors.Is(err, v.want) || due != nil {
			t.Errorf("%s: got %v, %v; want %v", v.name, due, err, v.want)
		}
	}
}

// TestCheck_Tables: each draw pays by the table fixed at the sale, and boards add up.
func TestCheck_Tables(t *testing.T) {
	t.Parallel()
	r := twoTables(t)
	rank := func(picks game.Picks) game.Combination {
		c, err := r.Rank(picks)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	ticket := wager.Ticket{
		Rules: r, Stake: money.Euros(4), Units: 2, Draws: make([]draw.Draw, 2),
		Plays: []wager.Play{{Combinations: []game.Combination{rank(game.Picks{{1, 2, 3}, {2}})}}, {Combinations: []game.Combination{rank(game.Picks{{1, 2, 3}, {1}})}}},
	}
	facts := make([]DrawFacts, 2)
	for i := range facts {
		facts[i] = DrawFacts{
			Draw: draw.Draw{ID: draw.ID(i)}, State: draw.Certified, Result: game.Result{{1, 2, 3}, {1}},
			UnitValue: func(table, tier int) money.Amount { return r.Tables[table].Tiers[tier].Prize },
		}
	}
	a := Check(ticket, []int{1, 0}, facts, Delay{}, nil, time.Unix(86400, 0), Place{Zone: time.UTC})
	for i, want := range []int64{2 * (60 + 10), 2 * (30 + 10)} {
		if p := a.Prizes[i]; p.Amount != money.Euros(want) || p.Tier != 0 || p.TierName != "3+1" {
			t.Errorf("draw %d: %+v, want %d €", i, p, want)
		}
	}
}

// TestCheck_Boards: of several boards, one with a prize of the next morning
// makes the draw's whole prize wait, and a cancelled draw gives back the stake of each.
func TestCheck_Boards(t *testing.T) {
	t.Parallel()
	r, paris := ileAuTresor(t), zoneOf(t, "Europe/Paris")
	r.Claims.EarlyTiers = game.SmallFirst
	for _, turned := range []bool{false, true} {
		ticket, facts := ticketOf(t, r, certified(top), fact{state: draw.Cancelled})
		c, err := r.Rank(game.Picks{{1, 2, 3, 4, 11, 12, 13}, {1}}) // 4+1: 6 €, for 4 € 12 €
		if err != nil {
			t.Fatal(err)
		}
		ticket.Plays = append(ticket.Plays, wager.Play{Combinations: []game.Combination{c}})
		if turned {
			ticket.Plays[0], ticket.Plays[1] = ticket.Plays[1], ticket.Plays[0]
		}
		for at, payable := range map[string]money.Amount{"0 22:00": 0, dawn: money.Euros(40_012)} {
			a := Check(ticket, nil, facts, Delay{}, nil, clock(t, at, paris), Place{Zone: paris})
			if a.Total != money.Euros(40_012) || a.Payable != payable || a.Prizes[0].TierName != "7+1" || a.Back != money.Euros(8) {
				t.Errorf("%s: won %s, payable %s, tier %s, back %s", at, a.Total, a.Payable, a.Prizes[0].TierName, a.Back)
			}
		}
	}
}

// TestF08_SettlementEqualsAnswers: what a draw is settled for is what its
// tickets are told, together: no ticket is missing from either.
func TestF08_SettlementEqualsAnswers(t *testing.T) {
	t.Parallel()
	r, paris := ileAuTresor(t), zoneOf(t, "Europe/Paris")
	r.Claims.OtherTiers, r.Claims.EarlyTiers = game.EachDraw, game.SmallFirst
	rapid.Check(t, func(rt *rapid.T) {
		count := rapid.IntRange(1, 3).Draw(rt, "draws")
		outcomes := make([]fact, count)
		for i := range outcomes {
			outcomes[i] = certified(rapid.SampledFrom([]string{loses, small, top, second}).Draw(rt, "result"))
		}
		counters := make([]*Counter, count)
		for i := range counters {
			var err error
			if counters[i], err = NewCounter(r, results[outcomes[i].result], 1); err != nil {
				rt.Fatal(err)
			}
		}
		var told, paid money.Amount
		for range rapid.IntRange(0, 20).Draw(rt, "tickets") {
			ticket, facts := ticketOf(t, r, outcomes...)
			ticket.Plays[0].Combinations[0] = game.Combination(rapid.Int64Range(0, r.Size()-1).Draw(rt, "combination"))
			if rapid.Bool().Draw(rt, "wins") {
				ticket.Plays[0].Combinations[0], _ = r.Rank(game.Picks{{1, 2, 3, 4, 5, 6, 7}, {1}})
			}
			ticket.Units = rapid.Int64Range(1, 10).Draw(rt, "units")
			for i := range counters {
				counters[i].Add(Part{
					Combination: ticket.Plays[0].Combinations[0], Units: ticket.Units,
					LastDraw: ticket.Draws[count-1].ID,
				})
			}
			// Paid in the evening what is payable then, in the morning the rest.
			for _, at := range []string{"0 22:00", dawn} {
				a := Check(ticket, nil, facts, Delay{}, nil, clock(t, at, paris), Place{Zone: paris})
				due, _ := a.Due()
				for _, d := range due {
					paid += d.Amount
					facts[int(d.Draw)-(last-count+1)].PaidAt = clock(t, at, paris)
				}
				if at == dawn {
					told += a.Total
				}
			}
		}
		var settled money.Amount
		for _, c := range counters {
			for _, p := range c.Settlement(Pot{}, false).Prizes {
				settled += p
			}
		}
		if settled != told || settled != paid {
			rt.Fatalf("settled %s, told %s, paid %s", settled, told, paid)
		}
	})
}

func TestStanding_String(t *testing.T) {
	t.Parallel()
	for s, want := range map[Standing]string{Pending: "pending", Won: "won", Lost: "lost", GiveBack: "give-back", 0: "Standing(0)", 9: "Standing(9)"} {
		if got := s.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
