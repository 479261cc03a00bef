package wager

import (
	"errors"
	"slices"
	"testing"
	"time"

	"tirage/draw"
	"tirage/game"
)

// wednesday is a day with both sessions, planned by r.
func wednesday(t *testing.T, r *game.Rules) []draw.Draw {
	t.Helper()
	day, err := game.ParseDay("2027-03-31")
	if err != nil {
		t.Fatal(err)
	}
	return draw.Plan(r, day)
}

func numbers(draws []draw.Draw) (list []int) {
	for _, d := range draws {
		list = append(list, d.Number)
	}
	return list
}

// TestIAT_2_3_5_Cut: the next draws of one session, fewer at its end.
func TestIAT_2_3_5_Cut(t *testing.T) {
	t.Parallel()
	for _, v := range []struct {
		name       string
		between    game.BetweenSessions
		overRun    game.OverRun
		territory  string
		at         string // in Paris
		asked      int
		openBefore time.Duration // 0: as shipped
		want       []int
		err        error
	}{
		{name: "before the session opens", at: "10:59:59.999999", asked: 1, err: ErrNoSession},
		{name: "the session opens", at: "11:00:00", asked: 2, want: []int{95, 96}},
		{name: "6 draws", at: "11:30:00", asked: 6, want: []int{95, 96, 97, 98, 99, 100}},
		{name: "last instant of the first draw", at: "11:59:39.999999", asked: 1, want: []int{95}},
		{name: "its sales are closed", at: "11:59:40", asked: 1, want: []int{96}},
		{name: "6 of exactly 6 left", at: "14:29:39", asked: 6, want: []int{125, 126, 127, 128, 129, 130}},
		{name: "6 of 5 left", at: "14:34:39", asked: 6, want: []int{126, 127, 128, 129, 130}},
		{name: "6 of 1 left", at: "14:54:39.999999", asked: 6, want: []int{130}},
		{name: "none left", at: "14:54:40", asked: 6, err: ErrNoSession},
		{name: "between sessions", at: "16:59:59", asked: 1, err: ErrNoSession},
		{name: "second session", at: "17:00:00", asked: 3, want: []int{167, 168, 169}},
		{name: "end of the day", at: "21:54:40", asked: 1, err: ErrNoSession},

		{name: "next_session: with one draw left", between: game.NextSession, at: "14:54:39", asked: 6, want: []int{130}},
		{name: "next_session: none left", between: game.NextSession, at: "14:54:40", asked: 6, want: []int{167, 168, 169, 170, 171, 172}},
		{name: "next_session: in the morning", between: game.NextSession, at: "04:00:00", asked: 1, want: []int{95}},
		{name: "next_session: end of the day", between: game.NextSession, at: "21:54:40", asked: 1, err: ErrNoSession}, // the next day is not in the list

		{name: "both sessions open: the first, not over its end", openBefore: 6 * time.Hour, at: "14:34:39", asked: 6, want: []int{126, 127, 128, 129, 130}},
		{name: "both sessions open: none left in the first", openBefore: 6 * time.Hour, at: "14:54:40", asked: 1, want: []int{167}},

		{name: "over_run refuse: fits", overRun: game.RefuseOverRun, at: "14:29:39", asked: 6, want: []int{125, 126, 127, 128, 129, 130}},
		{name: "over_run refuse: does not", overRun: game.RefuseOverRun, at: "14:34:39", asked: 6, err: ErrOverRun},
		{name: "over_run refuse: none left", overRun: game.RefuseOverRun, at: "14:54:40", asked: 6, err: ErrNoSession},

		{name: "territory with its own draws", territory: "reunion", at: "11:30:00", asked: 3, want: []int{96, 98}},
		{name: "territory without this session", territory: "reunion", at: "18:00:00", asked: 1, err: ErrNoSession},
		{name: "unknown territory", territory: "lune", at: "11:30:00", asked: 1, err: ErrNoSession},
	} {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			r := ileAuTresor(t)
			i := slices.IndexFunc(r.Calendar.Territories, func(x game.Territory) bool { return x.Key == "reunion" })
			r.Calendar.Territories[i].Draws = [][2]int{{96, 96}, {98, 98}}
			r.Between, r.OverRun = max(v.between, game.RefusedBetween), max(v.overRun, game.CutOverRun)
			if v.openBefore > 0 {
				r.Calendar.OpenBefore = v.openBefore
			}
			at, err := time.ParseInLocation("2006-01-02 15:04:05", "2027-03-31 "+v.at, r.Calendar.Zone)
			if err != nil {
				t.Fatal(err)
			}
			territory := v.territory
			if territory == "" {
				territory = "metropole"
			}
			got, err := Cut(r, wednesday(t, r), at, territory, v.asked)
			if !errors.Is(err, v.err) || (err == nil) != (v.err == nil) || !slices.Equal(numbers(got), v.want) {
				t.Fatalf("got %v, %v; want %v, %v", numbers(got), err, v.want, v.err)
			}
			var over *OverRunError
			if errors.As(err, &over) && *over != (OverRunError{Asked: 6, Left: 5}) {
				t.Errorf("got %+v", over)
			}
			if ticket := (Ticket{Asked: v.asked, Draws: got}); err == nil && ticket.Cut() != (len(v.want) < v.asked) {
				t.Errorf("cut: %v", ticket.Cut())
			}
		})
	}
}

// TestIAT_2_3_5_CutDay: the sessions of two days are two, though they bear the same number.
func TestIAT_2_3_5_CutDay(t *testing.T) {
	t.Parallel()
	r := ileAuTresor(t)
	r.Calendar.Sessions[0].Weekdays = []time.Weekday{time.Wednesday, time.Thursday}
	r.Calendar.Sessions = r.Calendar.Sessions[:1]
	r.Calendar.OpenBefore = 24 * time.Hour
	today := wednesday(t, r)
	open := append(today, draw.Plan(r, today[0].Day+1)...)
	got, err := Cut(r, open, today[35].ClosesAt.Add(-time.Second), "metropole", 6)
	if err != nil || !slices.Equal(numbers(got), []int{130}) {
		t.Errorf("got %v, %v", numbers(got), err)
	}
}

// TestIAT_2_3_5_CutPostponed: a draw that was postponed is sold at its new place;
// one of another session that comes to lie among the next draws cuts nothing.
func TestIAT_2_3_5_CutPostponed(t *testing.T) {
	t.Parallel()
	r := ileAuTresor(t)
	postponed := func(number int, shift time.Duration) []draw.Draw {
		open := wednesday(t, r)
		i := slices.IndexFunc(open, func(d draw.Draw) bool { return d.Number == number })
		moved, err := open[i].Postpone(open[i].OpensAt, shift)
		if err != nil {
			t.Fatal(err)
		}
		open[i] = moved
		slices.SortFunc(open, func(a, b draw.Draw) int { return a.DrawsAt.Compare(b.DrawsAt) })
		return open
	}
	for _, v := range []struct {
		name   string
		number int
		shift  time.Duration
		next   int // the draw that closes next
		want   []int
	}{
		{"within its session", 96, 12 * time.Minute, 95, []int{95, 97, 98, 96, 99, 100}},
		{"into the next session", 130, 3*time.Hour + 12*time.Minute, 167, []int{167, 168, 169, 170, 171, 172}},
		{"into the next session, at its end", 130, 6*time.Hour + 57*time.Minute, 213, []int{213, 214}},
		{"into the next session, and next itself", 130, 3*time.Hour + 12*time.Minute, 130, []int{130}},
	} {
		open := postponed(v.number, v.shift)
		i := slices.IndexFunc(open, func(d draw.Draw) bool { return d.Number == v.next })
		got, err := Cut(r, open, open[i].ClosesAt.Add(-time.Second), "metropole", 6)
		if err != nil || !slices.Equal(numbers(got), v.want) {
			t.Errorf("%s: got %v, %v; want %v", v.name, numbers(got), err, v.want)
		}
	}
}

// TestIAT_2_3_5_CutOfNothing: no draw sells.
func TestIAT_2_3_5_CutOfNothing(t *testing.T) {
	t.Parallel()
	if _, err := Cut(ileAuTresor(t), nil, time.Unix(0, 0), "metropole", 1); !errors.Is(err, ErrNoSession) {
		t.Errorf("got %v", err)
	}
}
