package draw

import (
	"slices"
	"time"

	"tirage/game"
)

// lookBack is how many days before a session the end of the previous one is looked for.
const lookBack = 14

// Plan returns the draws of a draw day in order, with their instants and
// without ids; none where the calendar has none. r is the version in force on that day.
//
// All draws of a session open together, OpenBefore its first draw. With the
// reading next_session (IAT-2.3.5) they open when the sales of the previous
// session's last draw close, at the latest.
func Plan(r *game.Rules, day game.Day) []Draw {
	var draws []Draw
	for _, s := range sessions(r, day) {
		opens := s.drawsAt(s.first).Add(-r.Calendar.OpenBefore)
		if end, ok := previousEnd(r, s); r.Between == game.NextSession && ok && end.Before(opens) {
			opens = end
		}
		for n := s.first; n <= s.last; n++ {
			at := s.drawsAt(n)
			draws = append(draws, Draw{
				Game: r.Code, Rules: r.Hash,
				Day: day, Number: n, Session: s.first,
				OpensAt: opens, ClosesAt: at.Add(-r.Calendar.CloseBefore), DrawsAt: at,
			})
		}
	}
	return draws
}

// session is a draw session of one day: draws first to last, of which there is one at least.
type session struct {
	day         game.Day
	first, last int
	dayStart    time.Time // instant of draw 1
	every       time.Duration
}

func (s session) drawsAt(number int) time.Time {
	return s.dayStart.Add(time.Duration(number-1) * s.every)
}

// sessions returns the sessions of a day in order, without the draws that
// would fall on or after draw 1 of the next day: the day on which clocks go
// forward has an hour less.
func sessions(r *game.Rules, day game.Day) []session {
	c := &r.Calendar
	start, end := day.At(c.FirstAt, c.Zone), (day+1).At(c.FirstAt, c.Zone)
	fits := int((end.Sub(start) + c.Every - 1) / c.Every)
	var list []session
	for _, s := range c.Sessions {
		last := min(s.Last, fits)
		if slices.Contains(s.Weekdays, day.Weekday()) && s.First <= last {
			list = append(list, session{day, s.First, last, start, c.Every})
		}
	}
	slices.SortFunc(list, func(a, b session) int { return a.first - b.first })
	return list
}

// previousEnd returns when sales close for the last draw of the session before next.
func previousEnd(r *game.Rules, next session) (end time.Time, ok bool) {
	for day := next.day; day >= next.day-lookBack; day-- {
		for _, s := range slices.Backward(sessions(r, day)) {
			if day < next.day || s.first < next.first {
				return s.drawsAt(s.last).Add(-r.Calendar.CloseBefore), true
			}
		}
	}
	return time.Time{}, false
}

// DayOf returns the draw day (journée de tirages) on which an instant falls: the
// last day whose draw 1 is not after it, so the hours after midnight belong to
// the day before. A draw that was postponed counts from the day on which it is
// drawn (reading claim_day: draw_day).
func DayOf(r *game.Rules, at time.Time) game.Day {
	c := &r.Calendar
	day := game.DayOf(at, c.Zone) + 1
	for at.Before(day.At(c.FirstAt, c.Zone)) {
		day--
	}
	return day
}

// SoldIn tells whether the draw is sold in a territory, by its key in the rule book.
func (d Draw) SoldIn(r *game.Rules, territory string) bool {
	for _, t := range r.Calendar.Territories {
		if t.Key != territory {
			continue
		}
		return len(t.Draws) == 0 || slices.ContainsFunc(t.Draws, func(span [2]int) bool {
			return span[0] <= d.Number && d.Number <= span[1]
		})
	}
	return false
}
