package settle

import (
	"slices"
	"time"

	"github.com/rickar/cal/v2/fr"

	"tirage/draw"
	"tirage/game"
)

// Extension is a dated override of the end of claims: those of Game that would
// end on the days From to To, inclusive, end on Until.
type Extension struct {
	Game     game.Code
	From, To game.Day
	Until    game.Day
}

// Delay is what happened to the draws of a session later than planned. Tickets
// are of one session, and those with the same last planned draw have their claims
// on one account: so a delay holds for all tickets of the session.
type Delay struct {
	Drawn     []time.Time // each time that a draw was postponed to, for good or not
	Cancelled []time.Time // when draws were cancelled after the time at which they were to be drawn
}

// ClaimEnd returns the last day, inclusive, on which prizes are paid on tickets
// whose last planned draw is lastDraw (IAT-7, AMI-11.2): Claims.Days from the
// claim day of that draw, by the times that it has now; on the next working day,
// by the reading claim_extension; then as extensions, in the order decided, have it.
//
// A draw in the middle of a ticket that is postponed may be held after the last
// planned one, so the end is the latest of those counted in this way from
// lastDraw and from each time that a draw of its session was postponed to: no
// prize has fewer days, and no postponement makes claims shorter.
func ClaimEnd(r *game.Rules, lastDraw draw.Draw, delay Delay, extensions []Extension) game.Day {
	return endAfter(r, lastDraw, delay.Drawn, r.Claims.Days, extensions)
}

// BackEnd returns the last day, inclusive, on which stakes of cancelled draws
// are given back on tickets whose last planned draw is lastDraw: that of their
// prizes, or, by the reading refund_until, RefundDays from the same days; both
// counted also from the day on which a draw of the session was cancelled late.
// All stakes booked on one account so end together.
func BackEnd(r *game.Rules, lastDraw draw.Draw, delay Delay, extensions []Extension) game.Day {
	days := r.Claims.Days
	if r.Claims.RefundDays > 0 {
		days = r.Claims.RefundDays
	}
	return endAfter(r, lastDraw, slices.Concat(delay.Drawn, delay.Cancelled), days, extensions)
}

// ClaimsOver returns the instant from which nothing can be claimed any more,
// anywhere, on tickets whose last planned draw is lastDraw: what is left on them
// expires. It is [EndOf] the later of [ClaimEnd] and [BackEnd].
func ClaimsOver(r *game.Rules, lastDraw draw.Draw, delay Delay, extensions []Extension) time.Time {
	return EndOf(r, max(ClaimEnd(r, lastDraw, delay, extensions), BackEnd(r, lastDraw, delay, extensions)))
}

// EndOf returns the instant at which a last day of claims has ended everywhere:
// the midnight after it in the zone that comes last of those where the game is paid.
func EndOf(r *game.Rules, lastDay game.Day) time.Time {
	after := lastDay + 1
	over := after.At(0, r.Calendar.Zone)
	if r.Claims.DeadlineZone == game.ParisDeadline {
		return over
	}
	for _, t := range r.Calendar.Territories {
		if at := after.At(0, t.Zone); at.After(over) {
			over = at
		}
	}
	return over
}

// endAfter returns the last day of claims that run for days from a draw, or
// from one of the later instants, whichever is last.
func endAfter(r *game.Rules, d draw.Draw, later []time.Time, days int, extensions []Extension) game.Day {
	end := endOn(r, claimDay(r, d.DrawsAt)+game.Day(days), extensions)
	for _, at := range later {
		end = max(end, endOn(r, claimDay(r, at)+game.Day(days), extensions))
	}
	return end
}

// endOn returns the day on which claims end that were to end on a day. An
// extension also takes those that another one moved, and never makes claims shorter.
func endOn(r *game.Rules, planned game.Day, extensions []Extension) game.Day {
	if r.Claims.Extension == game.NextWorkingDay {
		for !working(planned) {
			planned++
		}
	}
	end := planned
	for _, e := range extensions {
		within := func(day game.Day) bool { return e.From <= day && day <= e.To }
		if e.Game == r.Code && (within(planned) || within(end)) {
			end = max(end, e.Until)
		}
	}
	return end
}

// claimDay returns the day from which days of claims count for what happens at
// an instant, by the reading claim_day. It follows the instant of a draw, so a
// postponed draw moves it.
func claimDay(r *game.Rules, at time.Time) game.Day {
	if r.Claims.ClaimDay == game.ClaimCalendarDate {
		return game.DayOf(at, r.Calendar.Zone)
	}
	return draw.DayOf(r, at)
}

// working tells whether a day is one of the jours ouvrables: Monday to
// Saturday, without the eleven public holidays of France (Code du travail,
// L3133-1): 1 January, Easter Monday, 1 and 8 May, Ascension, Whit Monday,
// 14 July, 15 August, 1 and 11 November, 25 December. Saturday counts; Good
// Friday and 26 December of Alsace and Moselle, and the days of the overseas
// territories, do not make a holiday, since one end of claims holds everywhere.
func working(day game.Day) bool {
	if day.Weekday() == time.Sunday {
		return false
	}
	year, month, date := day.At(0, time.UTC).Date()
	for _, holiday := range fr.Holidays {
		actual, _ := holiday.Calc(year)
		if _, m, d := actual.Date(); m == month && d == date {
			return false
		}
	}
	return true
}
