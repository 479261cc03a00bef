package settle

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"tirage/draw"
	"tirage/game"
	"tirage/money"
	"tirage/wager"
)

// dayOf reads "2027-05-30".
func dayOf(t testing.TB, s string) game.Day {
	t.Helper()
	d, err := game.ParseDay(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// planned returns a draw of a game by draw day and number.
func planned(t testing.TB, r *game.Rules, day string, number int) draw.Draw {
	t.Helper()
	for _, d := range draw.Plan(r, dayOf(t, day)) {
		if d.Number == number {
			d.ID = draw.ID(number)
			return d
		}
	}
	t.Fatalf("no draw %d on %s", number, day)
	return draw.Draw{}
}

// wins is an Amigo ticket of 2 € in the given draws, that wins so many hits in
// each, times 1, without the jackpot number; a rank 1 is not among them.
func wins(t testing.TB, r *game.Rules, hits int, draws ...draw.Draw) (wager.Ticket, []DrawFacts) {
	t.Helper()
	s := settleAmigo(t, r, 1, Pot{}, false, stakeOn{hitting(hits, 1), 2})
	ticket, facts := amigoTicket(t, r, stakeOn{hitting(hits, 1), 2}, draws[0], s)
	ticket.Draws, ticket.Asked = draws, len(draws)
	one := facts[0]
	facts = nil
	for _, d := range draws {
		one.Draw = d
		facts = append(facts, one)
	}
	return ticket, facts
}

// TestAMI_11_2_ClaimDay: 60 days from the date of the last draw in Paris, or
// from its draw day: they differ for draws after midnight.
func TestAMI_11_2_ClaimDay(t *testing.T) {
	t.Parallel()
	paris := zoneOf(t, "Europe/Paris")
	for _, v := range []struct {
		reading game.ClaimDay
		number  int
		until   string
	}{
		{game.ClaimCalendarDate, 1, "2027-05-30"},
		{game.ClaimCalendarDate, 238, "2027-05-30"}, // 23:55
		{game.ClaimCalendarDate, 239, "2027-05-31"}, // 00:00
		{game.ClaimCalendarDate, 250, "2027-05-31"}, // 00:55
		{game.ClaimDrawDay, 1, "2027-05-30"},
		{game.ClaimDrawDay, 238, "2027-05-30"},
		{game.ClaimDrawDay, 239, "2027-05-30"},
		{game.ClaimDrawDay, 250, "2027-05-30"},
	} {
		r := amigo(t)
		r.Claims.ClaimDay = v.reading
		// The first draw of the ticket, the day before, does not count.
		ticket, facts := wins(t, r, 8, planned(t, r, "2027-03-30", 100), planned(t, r, "2027-03-31", v.number))
		until := dayOf(t, v.until)
		if got := ClaimEnd(r, facts[1].Draw, Delay{}, nil); got != until {
			t.Errorf("%d, draw %d: until %s, want %s", v.reading, v.number, got, until)
		}
		for _, at := range []time.Time{facts[1].Draw.DrawsAt, (until + 1).At(-time.Second, paris)} {
			a := Check(ticket, nil, facts, Delay{}, nil, at, Place{Zone: paris})
			if a.Payable != money.Euros(2000) || a.ClaimUntil != until || a.Expired {
				t.Errorf("%d, draw %d at %s: payable %s", v.reading, v.number, at, a.Payable)
			}
		}
		a := Check(ticket, nil, facts, Delay{}, nil, (until+1).At(0, paris), Place{Zone: paris})
		if _, err := a.Due(); a.Payable != 0 || !a.Expired || a.Standing != Won || !errors.Is(err, ErrExpired) {
			t.Errorf("%d, draw %d: payable %s on the day after, %v", v.reading, v.number, a.Payable, err)
		}
	}
}

// TestAMI_11_2_EachZone: the 60th day is paid to its last second in each
// territory, by the midnight of the place or of Paris, and claims are over
// when the last of them is.
func TestAMI_11_2_EachZone(t *testing.T) {
	t.Parallel()
	for _, reading := range []game.DeadlineZone{game.PlaceOfPayment, game.ParisDeadline} {
		r := amigo(t)
		r.Claims.DeadlineZone = reading
		d := planned(t, r, "2027-03-31", 100)
		ticket, facts := wins(t, r, 5, d)
		expired := func(at time.Time, zone *time.Location) bool {
			return Check(ticket, nil, facts, Delay{}, nil, at, Place{Zone: zone}).Expired
		}
		over := ClaimsOver(r, d, Delay{}, nil)
		lastZone := false
		for _, territory := range r.Calendar.Territories {
			zone := territory.Zone
			if reading == game.ParisDeadline {
				zone = r.Calendar.Zone
			}
			midnight := (dayOf(t, "2027-05-30") + 1).At(0, zone)
			if expired(midnight.Add(-time.Second), territory.Zone) || !expired(midnight, territory.Zone) {
				t.Errorf("%s, %s: not the midnight of %s", territory.Key, reading, zone)
			}
			if !expired(over, territory.Zone) {
				t.Errorf("%s, %s: claims go on at %s", territory.Key, reading, over)
			}
			lastZone = lastZone || !expired(over.Add(-time.Microsecond), territory.Zone)
		}
		want := "2027-05-31T10:00:00Z" // Tahiti
		if reading == game.ParisDeadline {
			want = "2027-05-30T22:00:00Z"
		}
		if got := over.Format(time.RFC3339); !lastZone || got != want {
			t.Errorf("%s: over at %s, want %s", reading, got, want)
		}
	}
}

// TestAMI_11_2_TopRanks: ranks 1 and 2 are paid the next morning at a payment
// centre, or as the others; roll-down money below rank 2 is paid as the others in both readings.
func TestAMI_11_2_TopRanks(t *testing.T) {
	t.Parallel()
	for _, reading := range []game.TopRanks{game.TopNextMorning, game.TopAsTheOthers} {
		r := amigo(t)
		r.Claims.TopRanks = reading
		paris := r.Calendar.Zone
		d := planned(t, r, "2027-03-31", 245) // at 00:30, of the draw day before
		for _, play := range []game.Picks{hitting(9, 3), hitting(9, 1), hitting(8, 1), hitting(3, 1)} {
			s := settleAmigo(t, r, 2, Pot{Amount: 150_000_000}, false, stakeOn{play, 2}) // rolls down when rank 1 is not won
			ticket, facts := amigoTicket(t, r, stakeOn{play, 2}, d, s)
			check := func(at time.Time, centre bool) Answer {
				return Check(ticket, nil, facts, Delay{}, nil, at, Place{Zone: paris, Centre: centre})
			}
			evening, night := check(d.DrawsAt, false), check(d.DrawsAt, true)
			top := evening.Prizes[0].Tier < 2 && reading == game.TopNextMorning
			if evening.Total < 150_000_000 || (evening.Payable == 0) != top || (night.Payable == 0) != top || evening.Prizes[0].Centre != top {
				t.Errorf("%v, tier %d: payable %s and %s", reading, evening.Prizes[0].Tier, evening.Payable, night.Payable)
			}
			morning := dayOf(t, "2027-04-01").At(6*time.Hour, paris) // the morning after the draw day
			if _, err := evening.Due(); top && (!errors.Is(err, ErrNotYet) || !evening.PayableFrom.Equal(morning)) {
				t.Errorf("%v: %v, from %s", reading, err, evening.PayableFrom)
			}
			if a := check(morning.Add(-time.Second), true); top && a.Payable != 0 {
				t.Errorf("payable before the morning: %s", a.Payable)
			}
			shop, centre := check(morning, false), check(morning, true)
			if _, err := shop.Due(); shop.CentreOnly != top || errors.Is(err, ErrCentre) != top || (shop.Payable == 0) != top {
				t.Errorf("%v, at an outlet: payable %s, %v", reading, shop.Payable, err)
			}
			if centre.Payable != centre.Total || centre.CentreOnly {
				t.Errorf("%v, at a centre: payable %s of %s", reading, centre.Payable, centre.Total)
			}
			if shop.ClaimUntil != dayOf(t, "2027-05-31") { // same end
				t.Errorf("until %s", shop.ClaimUntil)
			}
		}
	}
}

// TestAMI_11_2_EarlyTiers: a small prize beside one of rank 2: by the reading
// small_first, that of the rule book, it is paid at once and anywhere; by
// whole_ticket with the other, next morning at the centre.
func TestAMI_11_2_EarlyTiers(t *testing.T) {
	t.Parallel()
	for _, v := range []struct {
		reading                game.EarlyTiers
		evening, shop, atEnd   int64 // euros payable
		centreOnly, centreLast bool  // at an outlet: in the evening, next morning
	}{
		{game.WholeTicketNextMorning, 0, 0, 20_001, false, true},
		{game.SmallFirst, 1, 1, 20_001, false, true},
	} {
		r := amigo(t)
		if r.Claims.EarlyTiers != game.SmallFirst {
			t.Errorf("the rule book says %s", r.Claims.EarlyTiers)
		}
		r.Claims.EarlyTiers = v.reading
		first, second := planned(t, r, "2027-03-31", 100), planned(t, r, "2027-03-31", 101)
		ticket, facts := wins(t, r, 9, first, second)
		small := hitting(3, 1)
		facts[1].Result = game.Result{small[0], {3}} // of which the ticket hits 3
		facts[1].UnitValue = func(int, int) money.Amount { return money.Euros(1) }
		morning := dayOf(t, "2027-04-01").At(6*time.Hour, r.Calendar.Zone)
		evening := Check(ticket, nil, facts, Delay{}, nil, second.DrawsAt, Place{Zone: r.Calendar.Zone})
		shop := Check(ticket, nil, facts, Delay{}, nil, morning, Place{Zone: r.Calendar.Zone})
		centre := Check(ticket, nil, facts, Delay{}, nil, morning, Place{Zone: r.Calendar.Zone, Centre: true})
		if evening.Payable != money.Euros(v.evening) || shop.Payable != money.Euros(v.shop) || centre.Payable != money.Euros(v.atEnd) {
			t.Errorf("%s: payable %s, %s, %s", v.reading, evening.Payable, shop.Payable, centre.Payable)
		}
		if evening.CentreOnly != v.centreOnly || shop.CentreOnly != v.centreLast || shop.Prizes[1].Centre != (v.shop == 0) {
			t.Errorf("%s: centre only %v, %v", v.reading, evening.CentreOnly, shop.CentreOnly)
		}
	}
}

// TestIAT_7_WorkingDays: claims that would end on a Sunday or a public holiday
// end on the next day that is neither; Saturdays count as working.
func TestIAT_7_WorkingDays(t *testing.T) {
	t.Parallel()
	holidays := []string{
		"2027-01-01", "2027-03-29", "2027-05-01", "2027-05-06", "2027-05-08", "2027-05-17", "2027-07-14", "2027-08-15", "2027-11-01", "2027-11-11", "2027-12-25",
		"2028-01-01", "2028-04-17", "2028-05-01", "2028-05-08", "2028-05-25", "2028-06-05", "2028-07-14", "2028-08-15", "2028-11-01", "2028-11-11", "2028-12-25",
		"2029-01-01",
	}
	r := ileAuTresor(t)
	base := draw.Draw{Game: r.Code}
	for last := dayOf(t, "2027-01-01"); last <= dayOf(t, "2028-12-31"); last++ {
		base.DrawsAt = (last - 60).At(12*time.Hour, r.Calendar.Zone)
		if got := ClaimEnd(r, base, Delay{}, nil); got != last {
			t.Fatalf("none: %s, want %s", got, last)
		}
		want := last
		for want.Weekday() == time.Sunday || slices.Contains(holidays, want.String()) {
			want++
		}
		extended := *r
		extended.Claims.Extension = game.NextWorkingDay
		if got := ClaimEnd(&extended, base, Delay{}, nil); got != want {
			t.Errorf("next_working_day: %s %s goes to %s, want %s", last.Weekday(), last, got, want)
		}
	}
	// Easter and the days after it by Gauss' other formula, for a century.
	r.Claims.Extension = game.NextWorkingDay
	for year := 2011; year <= 2111; year++ {
		for _, offset := range []game.Day{1, 39, 50} {
			last := easter(year) + offset
			base.DrawsAt = (last - 60).At(12*time.Hour, r.Calendar.Zone)
			if got := ClaimEnd(r, base, Delay{}, nil); got <= last {
				t.Errorf("%s is a holiday", last)
			}
		}
	}
}

// easter is the Sunday after the ecclesiastical full moon (Gauss, with the corrections of Lichtenberg).
func easter(year int) game.Day {
	k := year / 100
	m := 15 + (3*k+3)/4 - (8*k+13)/25
	s := 2 - (3*k+3)/4
	a := year % 19
	d := (19*a + m) % 30
	r := (d + a/11) / 29
	og := 21 + d - r
	sz := 7 - (year+year/4+s)%7
	return game.NewDay(year, time.March, og+7-(og-sz)%7)
}

// TestIAT_7_Extensions: a dated extension takes the claims of its game that
// would end on its days, first and last inclusive.
func TestIAT_7_Extensions(t *testing.T) {
	t.Parallel()
	const code = "ile-au-tresor"
	of := func(from, to, until string) Extension {
		return Extension{code, dayOf(t, from), dayOf(t, to), dayOf(t, until)}
	}
	for _, v := range []struct {
		name       string
		extensions []Extension
		want       string // of claims until 2027-05-30, a Sunday
		working    string // by the reading next_working_day, until 2027-05-31
	}{
		{"none", nil, "2027-05-30", "2027-05-31"},
		{"on the day", []Extension{of("2027-05-30", "2027-05-30", "2027-07-31")}, "2027-07-31", "2027-05-31"},
		{"first day", []Extension{of("2027-05-30", "2027-06-10", "2027-07-31")}, "2027-07-31", "2027-07-31"},
		{"last day", []Extension{of("2027-05-01", "2027-05-30", "2027-07-31")}, "2027-07-31", "2027-05-31"},
		{"a day after", []Extension{of("2027-05-31", "2027-06-10", "2027-07-31")}, "2027-05-30", "2027-07-31"},
		{"a day before", []Extension{of("2027-05-01", "2027-05-29", "2027-07-31")}, "2027-05-30", "2027-05-31"},
		{"of another game", []Extension{{"amigo", of("2027-05-01", "2027-06-30", "2027-07-31").From, dayOf(t, "2027-06-30"), dayOf(t, "2027-07-31")}}, "2027-05-30", "2027-05-31"},
		{"two, one after the other", []Extension{of("2027-05-30", "2027-05-31", "2027-07-31"), of("2027-07-31", "2027-08-31", "2027-09-30")}, "2027-09-30", "2027-09-30"},
		{"two of the same days", []Extension{of("2027-05-30", "2027-05-31", "2027-07-31"), of("2027-05-30", "2027-05-31", "2027-08-31")}, "2027-08-31", "2027-08-31"},
		{"a second is never shorter", []Extension{of("2027-05-30", "2027-05-31", "2027-07-31"), of("2027-05-30", "2027-05-31", "2027-06-15")}, "2027-07-31", "2027-07-31"},
	} {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			r, paris := ileAuTresor(t), zoneOf(t, "Europe/Paris")
			ticket, facts := ticketOf(t, r, certified(small))
			for _, reading := range []game.ClaimExtension{game.NoExtension, game.NextWorkingDay} {
				r.Claims.Extension = reading
				want := dayOf(t, v.want)
				if reading == game.NextWorkingDay {
					want = dayOf(t, v.working)
				}
				a := Check(ticket, nil, facts, Delay{}, v.extensions, (want+1).At(-time.Second, paris), Place{Zone: paris})
				if a.ClaimUntil != want || a.BackUntil != want || a.Payable != money.Euros(6) {
					t.Errorf("%d: until %s, payable %s; want %s", reading, a.ClaimUntil, a.Payable, want)
				}
				if a := Check(ticket, nil, facts, Delay{}, v.extensions, (want+1).At(0, paris), Place{Zone: paris}); !a.Expired || a.Payable != 0 {
					t.Errorf("%d: payable %s after %s", reading, a.Payable, want)
				}
				if got := ClaimsOver(r, facts[0].Draw, Delay{}, v.extensions); !got.Equal((want + 1).At(0, zoneOf(t, "Pacific/Tahiti"))) {
					t.Errorf("%d: over at %s", reading, got)
				}
			}
		})
	}
}

// TestIAT_7_Postponed: claims, the next morning and "after the last draw" follow
// the times that a draw was moved to.
func TestIAT_7_Postponed(t *testing.T) {
	t.Parallel()
	paris := zoneOf(t, "Europe/Paris")
	for _, v := range []struct {
		shift time.Duration
		until string // for the top prize, 31 March
		from  string // days and time from 31 March
	}{
		{0, "2027-05-30", "1 06:00"},
		{3 * time.Hour, "2027-05-30", "1 06:00"},  // 00:55: still the draw day
		{7 * time.Hour, "2027-05-31", "2 06:00"},  // 04:55 of the next one
		{72 * time.Hour, "2027-06-02", "4 06:00"}, // three days later
	} {
		r := ileAuTresor(t)
		ticket, facts := ticketOf(t, r, certified(top))
		facts[0].Draw.DrawsAt = facts[0].Draw.DrawsAt.Add(v.shift)
		a := Check(ticket, nil, facts, Delay{}, nil, facts[0].Draw.DrawsAt, Place{Zone: paris})
		if a.ClaimUntil != dayOf(t, v.until) || !a.PayableFrom.Equal(clock(t, v.from, paris)) {
			t.Errorf("%s later: until %s, from %s", v.shift, a.ClaimUntil, a.PayableFrom)
		}
		r.Claims.ClaimDay = game.ClaimCalendarDate
		if got := ClaimEnd(r, facts[0].Draw, Delay{}, nil); got != game.DayOf(facts[0].Draw.DrawsAt, paris)+60 {
			t.Errorf("%s later, calendar_date: until %s", v.shift, got)
		}
		// A small prize in the draw before waits for the postponed last one.
		ticket, facts = ticketOf(t, r, certified(small), fact{state: draw.Postponed})
		facts[1].Draw.DrawsAt = facts[1].Draw.DrawsAt.Add(v.shift)
		a = Check(ticket, nil, facts, Delay{}, nil, facts[0].Draw.DrawsAt, Place{Zone: paris})
		if a.Standing != Won || a.Payable != 0 || a.Waiting != 1 || !a.PayableFrom.Equal(facts[1].Draw.DrawsAt) {
			t.Errorf("%s later: %+v", v.shift, a)
		}
	}
}

// TestIAT_7_PostponedBetween: the second of three draws is held days after the
// third: small prizes wait for it, and all have their days from then.
func TestIAT_7_PostponedBetween(t *testing.T) {
	t.Parallel()
	paris := zoneOf(t, "Europe/Paris")
	for _, v := range []struct {
		shift time.Duration
		until string
	}{
		{3 * time.Minute, "2027-05-30"}, // before the third
		{time.Hour, "2027-05-30"},
		{72 * time.Hour, "2027-06-02"},
		{62 * 24 * time.Hour, "2027-07-31"}, // when claims of the third have ended
	} {
		r := ileAuTresor(t)
		held := func(middle fact) (wager.Ticket, []DrawFacts, Delay) {
			ticket, facts := ticketOf(t, r, certified(small), middle, certified(loses))
			facts[1].Draw.DrawsAt = facts[1].Draw.DrawsAt.Add(v.shift)
			return ticket, facts, Delay{Drawn: []time.Time{facts[1].Draw.DrawsAt}}
		}
		ticket, facts, delay := held(fact{state: draw.Postponed})
		third, second := facts[2].Draw, facts[1].Draw
		a := Check(ticket, nil, facts, delay, nil, third.DrawsAt, Place{Zone: paris})
		if beyond := second.DrawsAt.After(third.DrawsAt); (a.Payable == 0) != beyond || beyond && !a.PayableFrom.Equal(second.DrawsAt) {
			t.Errorf("%s later: payable %s, from %s", v.shift, a.Payable, a.PayableFrom)
		}
		until := dayOf(t, v.until)
		ticket, facts, delay = held(certified(small))
		for _, at := range []time.Time{second.DrawsAt.Add(5 * time.Minute), (until + 1).At(-time.Second, paris)} {
			if a := Check(ticket, nil, facts, delay, nil, at, Place{Zone: paris}); a.Payable != money.Euros(12) || a.ClaimUntil != until || a.BackUntil != until {
				t.Errorf("%s later, at %s: payable %s, until %s", v.shift, at, a.Payable, a.ClaimUntil)
			}
		}
		if a := Check(ticket, nil, facts, delay, nil, (until+1).At(0, paris), Place{Zone: paris}); !a.Expired || a.Payable != 0 {
			t.Errorf("%s later: payable %s on the day after", v.shift, a.Payable)
		}
		if got := ClaimsOver(r, third, delay, nil); !got.Equal((until + 1).At(0, zoneOf(t, "Pacific/Tahiti"))) {
			t.Errorf("%s later: over at %s", v.shift, got)
		}
		// What was extended for the third stays so.
		extension := Extension{r.Code, dayOf(t, "2027-05-30"), dayOf(t, "2027-05-30"), dayOf(t, "2027-09-01")}
		if got := ClaimEnd(r, third, delay, []Extension{extension}); got != extension.Until {
			t.Errorf("%s later, extended: until %s", v.shift, got)
		}
	}
}

// TestIAT_7_CancelledLate: a draw cancelled days after it was to be held: its
// stakes have their days from then, whatever the reading refund_until; prizes keep theirs.
func TestIAT_7_CancelledLate(t *testing.T) {
	t.Parallel()
	paris := zoneOf(t, "Europe/Paris")
	for days, until := range map[int]string{0: "2027-08-08", 10: "2027-06-19", 90: "2027-09-07"} {
		r := ileAuTresor(t)
		r.Claims.RefundDays = days
		ticket, facts := ticketOf(t, r, fact{state: draw.Cancelled, refunded: true}, certified(small))
		delay := Delay{Cancelled: []time.Time{dayOf(t, "2027-06-09").At(12*time.Hour, paris)}}
		end := dayOf(t, until)
		for at, want := range map[time.Time]money.Amount{(end + 1).At(-time.Second, paris): 400, (end + 1).At(0, paris): 0} {
			a := Check(ticket, nil, facts, delay, nil, at, Place{Zone: paris})
			if a.Payable != want || a.BackUntil != end || a.ClaimUntil != dayOf(t, "2027-05-30") || !a.Prizes[1].Expired || a.Prizes[0].Expired != (want == 0) {
				t.Errorf("refund_until %d, at %s: payable %s, stakes until %s, prizes until %s", days, at, a.Payable, a.BackUntil, a.ClaimUntil)
			}
		}
		if got := ClaimsOver(r, facts[1].Draw, delay, nil); !got.Equal((end + 1).At(0, zoneOf(t, "Pacific/Tahiti"))) {
			t.Errorf("refund_until %d: over at %s", days, got)
		}
	}
}

// TestIAT_7_CancelledDraw: the third of six draws is cancelled: its stake is
// due once booked, whatever waits, once, until the ticket's own end of claims
// or for a number of days (reading refund_until); the others go on.
func TestIAT_7_CancelledDraw(t *testing.T) {
	t.Parallel()
	paris := zoneOf(t, "Europe/Paris")
	for days, until := range map[int]string{0: "2027-05-30", 10: "2027-04-10", 90: "2027-06-29"} {
		r := ileAuTresor(t)
		r.Claims.RefundDays = days
		facts := []fact{certified(loses), certified(small), {state: draw.Cancelled}, certified(loses), {state: draw.Selling}, {state: draw.Selling}}
		check := func(at string) Answer {
			ticket, list := ticketOf(t, r, facts...)
			return Check(ticket, nil, list, Delay{}, nil, clock(t, at, paris), Place{Zone: paris})
		}
		third := draw.ID(last - 3)
		if a := check("0 21:46"); a.Standing != Won || a.Back != 400 || a.Payable != 0 || a.Waiting != 3 {
			t.Errorf("cancelled, not booked: %+v", a)
		}
		facts[2].refunded = true
		a := check("0 21:46")
		due, err := a.Due()
		if err != nil || !slices.Equal(due, []Due{{third, 400, true}}) || a.Payable != 400 || a.Waiting != 2 || a.BackPaid != 0 {
			t.Errorf("booked: %v, %v, payable %s, waiting %d", due, err, a.Payable, a.Waiting)
		}
		facts[4], facts[5] = certified(loses), certified(loses)
		if due, err := check("0 22:00").Due(); err != nil || !slices.Equal(due, []Due{{third - 1, 600, false}, {third, 400, true}}) {
			t.Errorf("prize and stake: %v, %v", due, err)
		}
		facts[2].paid = true
		a = check("0 22:00")
		if due, err := a.Due(); err != nil || !slices.Equal(due, []Due{{third - 1, 600, false}}) || a.BackPaid != 400 || a.Paid != 0 {
			t.Errorf("stake given back: %v, %v", due, err)
		}
		facts[1].paid = true
		a = check("0 22:00")
		if due, err := a.Due(); due != nil || !errors.Is(err, ErrPaid) || a.BackPaid != 400 || a.Paid != 600 {
			t.Errorf("all paid: %v, %v", due, err)
		}

		facts[2].paid = false
		end := dayOf(t, until)
		ticket, list := ticketOf(t, r, facts...)
		for at, want := range map[time.Time]money.Amount{(end + 1).At(-time.Second, paris): 400, (end + 1).At(0, paris): 0} {
			a := Check(ticket, nil, list, Delay{}, nil, at, Place{Zone: paris})
			if _, err := a.Due(); a.Payable != want || a.BackUntil != end || errors.Is(err, ErrExpired) != (want == 0) || a.Prizes[2].Expired != (want == 0) {
				t.Errorf("refund_until %d, at %s: payable %s, %v", days, at, a.Payable, err)
			}
		}
		if got, want := ClaimsOver(r, list[5].Draw, Delay{}, nil), (max(end, dayOf(t, "2027-05-30"))+1).At(0, zoneOf(t, "Pacific/Tahiti")); !got.Equal(want) {
			t.Errorf("refund_until %d: over at %s, want %s", days, got, want)
		}
	}
}

// TestIAT_7_CancelledBoards: the stake of each combination of each board is given back, without a word of Lost.
func TestIAT_7_CancelledBoards(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	d := draw200(r)
	var ticket wager.Ticket
	for i, picks := range []game.Picks{extended(1, 5, 1, 2), hitting(0, 1)} { // 64 combinations and one
		one, _ := amigoTicket(t, r, stakeOn{picks, 4}, d, Settlement{})
		if i == 0 {
			ticket = one
		} else {
			ticket.Plays = append(ticket.Plays, one.Plays...)
		}
	}
	for _, refunded := range []bool{false, true} {
		a := Check(ticket, nil, []DrawFacts{{Draw: d, State: draw.Cancelled, Refunded: refunded}}, Delay{}, nil, d.DrawsAt, Place{Zone: time.UTC})
		_, err := a.Due()
		if a.Standing != GiveBack || a.Back != money.Euros(4*65) || (a.Payable == a.Back) != refunded || errors.Is(err, ErrNotYet) == refunded {
			t.Errorf("refunded %v: %s, back %s, payable %s, %v", refunded, a.Standing, a.Back, a.Payable, err)
		}
	}
}

// TestAMI_11_2_SettlementEqualsAnswers: F08 for a game with a jackpot: what is settled, by last draw, is what tickets are told.
func TestAMI_11_2_SettlementEqualsAnswers(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	d := draw200(r)
	plays := []stakeOn{
		{extended(1, 5, 3), 4}, {extended(4, 2, 1, 3), 2}, {hitting(9, 3), 10}, {hitting(8, 2), 2}, {hitting(3, 3), 6}, {hitting(2, 3), 2},
	}
	for n, amount := range []money.Amount{0, 100_000_000, 150_000_000} {
		for _, skip := range []int{0, 3} { // without the plays that hold rank 1
			s := settleAmigo(t, r, 3, Pot{Amount: amount}, true, plays[skip:]...)
			var told money.Amount
			for _, p := range plays[skip:] {
				ticket, facts := amigoTicket(t, r, p, d, s)
				told += Check(ticket, nil, facts, Delay{}, nil, d.DrawsAt, Place{Zone: time.UTC}).Total
			}
			if told != s.total() || s.Jackpot.Paid > told {
				t.Errorf("%d, %d: told %s, settled %s: %s", n, skip, told, s.total(), fmt.Sprint(s.Jackpot.End))
			}
		}
	}
}

// TestIAT_7_PaidBefore: what is paid holds nothing up any more, and keeps the
// time from which it was payable.
func TestIAT_7_PaidBefore(t *testing.T) {
	t.Parallel()
	paris := zoneOf(t, "Europe/Paris")
	t.Run("small paid, then a top prize", func(t *testing.T) {
		t.Parallel()
		r := ileAuTresor(t)
		r.Claims.OtherTiers = game.EachDraw
		ticket, facts := ticketOf(t, r, paid(small), certified(top))
		a := Check(ticket, nil, facts, Delay{}, nil, clock(t, dawn, paris), Place{Zone: paris})
		if !a.Prizes[0].PayableFrom.Equal(facts[0].Draw.DrawsAt) || a.Paid != 600 || a.Payable != money.Euros(40_000) {
			t.Errorf("%+v", a)
		}
	})
	t.Run("rank 2 paid at the centre, then a small prize at an outlet", func(t *testing.T) {
		t.Parallel()
		r := amigo(t)
		r.Claims.OtherTiers = game.EachDraw
		ticket, facts := wins(t, r, 9, planned(t, r, "2027-03-31", 100), planned(t, r, "2027-04-01", 101))
		facts[0].PaidAt = dayOf(t, "2027-04-01").At(6*time.Hour, paris)
		facts[1].Result = game.Result{hitting(3, 1)[0], {3}}
		facts[1].UnitValue = func(int, int) money.Amount { return money.Euros(1) }
		a := Check(ticket, nil, facts, Delay{}, nil, facts[1].Draw.DrawsAt, Place{Zone: paris})
		if a.Payable != money.Euros(1) || a.CentreOnly || a.Prizes[1].Centre || !a.Prizes[0].Centre {
			t.Errorf("%+v", a)
		}
	})
	t.Run("the prize expired, the stake is still to be booked", func(t *testing.T) {
		t.Parallel()
		r := ileAuTresor(t)
		r.Claims.RefundDays = 90
		ticket, facts := ticketOf(t, r, certified(small), fact{state: draw.Cancelled})
		a := Check(ticket, nil, facts, Delay{}, nil, clock(t, "70 12:00", paris), Place{Zone: paris})
		if _, err := a.Due(); !errors.Is(err, ErrNotYet) || !a.Prizes[0].Expired || a.Prizes[1].Expired {
			t.Errorf("%v: %+v", err, a)
		}
	})
}
