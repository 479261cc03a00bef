package draw

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tirage/game"
)

// ileAuTresor returns the rules as shipped, for a test to change.
func ileAuTresor(t *testing.T) *game.Rules {
	t.Helper()
	text, err := game.Book("ile-au-tresor")
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, string(text))
}

func parse(t *testing.T, text string) *game.Rules {
	t.Helper()
	r, err := game.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// smallGame draws 2 of 4 numbers, then a bonus number from the same pool, and 1 of 2 letters.
const smallGame = `
game: small
version: "1"
name: {fr: Petit, en: Small}
kind: fixed-prize
first_day: 2020-01-01
unit_stake: 1
stakes: [1]
draw_counts: [1]
matrices:
  - {key: numbers, name: {fr: N, en: N}, pick: 2, count: 4, sets: [{key: main, count: 2}, {key: bonus, count: 1, name: {fr: B, en: B}}]}
  - {key: letters, name: {fr: L, en: L}, pick: 1, count: 2, sets: [{key: letters, count: 1}]}
prize_tables:
  - {key: ordinary, tiers: [{name: top, hits: {main: 2, bonus: 0, letters: 1}, prize: 5}]}
calendar: {zone: Europe/Paris, first_at: "12:00", every: 5m, sessions: [{weekdays: [mon], draws: [1, 2]}]}
`

// amigo returns the rules as shipped, for a test to change.
func amigo(t *testing.T) *game.Rules {
	t.Helper()
	text, err := game.Book("amigo")
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, string(text))
}

func paris(t *testing.T) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

func day(t *testing.T, s string) game.Day {
	t.Helper()
	d, err := game.ParseDay(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestIAT_2_3_5_Sessions: draws 95–130 and 167–214 on Mondays, Wednesdays,
// Fridays and Sundays, 12:00–14:55 and 18:00–21:55 in Paris, sales closing 20 s before.
func TestIAT_2_3_5_Sessions(t *testing.T) {
	t.Parallel()
	r, zone := ileAuTresor(t), paris(t)
	weekdays := []time.Weekday{time.Monday, time.Wednesday, time.Friday, time.Sunday}
	from := day(t, "2027-01-01")
	for d := from; d < from+731; d++ { // 2028 is a leap year (F18)
		draws := Plan(r, d)
		if !slices.Contains(weekdays, d.Weekday()) {
			if len(draws) > 0 {
				t.Fatalf("%s, a %s: %d draws", d, d.Weekday(), len(draws))
			}
			continue
		}
		if len(draws) != 36+48 {
			t.Fatalf("%s: %d draws, want 84", d, len(draws))
		}
		for i, got := range draws {
			want := Draw{Game: r.Code, Rules: r.Hash, Day: d, Number: 95 + i, Session: 95}
			clock, opens := 12*time.Hour+time.Duration(i)*5*time.Minute, 11*time.Hour
			if i >= 36 {
				want.Number, want.Session = 167+i-36, 167
				clock, opens = 18*time.Hour+time.Duration(i-36)*5*time.Minute, 17*time.Hour
			}
			// The night's clock change comes before draw 1, so these wall times hold on every day.
			want.OpensAt, want.DrawsAt = d.At(opens, zone), d.At(clock, zone)
			want.ClosesAt = want.DrawsAt.Add(-20 * time.Second)
			if got != want {
				t.Fatalf("%s:\n got %+v\nwant %+v", d, got, want)
			}
		}
	}
}

func TestF18_LeapDay(t *testing.T) {
	t.Parallel()
	r := ileAuTresor(t)
	r.Calendar.Sessions[0].Weekdays = []time.Weekday{time.Tuesday}
	draws := Plan(r, day(t, "2028-02-29"))
	if len(draws) != 36 {
		t.Fatalf("%d draws, want 36", len(draws))
	}
	if got := draws[35].DrawsAt.Format(time.RFC3339); got != "2028-02-29T13:55:00Z" {
		t.Errorf("last draw at %s", got)
	}
}

// TestF18_PastMidnight: Amigo's draws 1–250, five minutes of elapsed time apart,
// the last at 00:55 of the next day and still of its draw day. Its nights end
// before the clocks change: the short one of 28 March and the long one of 31
// October 2027 both lie between draw 250 and draw 1, so no draw is lost or comes twice.
func TestF18_PastMidnight(t *testing.T) {
	t.Parallel()
	r, zone := amigo(t), paris(t)
	for _, v := range []struct {
		day, first, last string
		pause            time.Duration // from the last draw of the day to the next
	}{
		{"2027-03-26", "2027-03-26T04:10:00+01:00", "2027-03-27T00:55:00+01:00", 3*time.Hour + 15*time.Minute},
		{"2027-03-27", "2027-03-27T04:10:00+01:00", "2027-03-28T00:55:00+01:00", 2*time.Hour + 15*time.Minute},
		{"2027-03-28", "2027-03-28T04:10:00+02:00", "2027-03-29T00:55:00+02:00", 3*time.Hour + 15*time.Minute},
		{"2027-10-30", "2027-10-30T04:10:00+02:00", "2027-10-31T00:55:00+02:00", 4*time.Hour + 15*time.Minute},
		{"2027-10-31", "2027-10-31T04:10:00+01:00", "2027-11-01T00:55:00+01:00", 3*time.Hour + 15*time.Minute},
		{"2028-02-29", "2028-02-29T04:10:00+01:00", "2028-03-01T00:55:00+01:00", 3*time.Hour + 15*time.Minute},
		{"2027-12-31", "2027-12-31T04:10:00+01:00", "2028-01-01T00:55:00+01:00", 3*time.Hour + 15*time.Minute},
	} {
		draws := Plan(r, day(t, v.day))
		if len(draws) != 250 {
			t.Errorf("%s: %d draws, want 250", v.day, len(draws))
			continue
		}
		first, last := draws[0], draws[249]
		if got := first.DrawsAt.In(zone).Format(time.RFC3339); got != v.first {
			t.Errorf("%s: first at %s, want %s", v.day, got, v.first)
		}
		if got := last.DrawsAt.In(zone).Format(time.RFC3339); got != v.last || last.Day.String() != v.day {
			t.Errorf("%s: last at %s of draw day %s, want %s", v.day, got, last.Day, v.last)
		}
		if got := Plan(r, last.Day+1)[0].DrawsAt.Sub(last.DrawsAt); got != v.pause {
			t.Errorf("%s: next draw after %s, want %s", v.day, got, v.pause)
		}
		for i, d := range draws {
			if d.Number != i+1 || d.Session != 1 || !d.DrawsAt.Equal(first.DrawsAt.Add(time.Duration(i)*5*time.Minute)) {
				t.Errorf("%s: draw %d of session %d at %s", v.day, d.Number, d.Session, d.DrawsAt)
			}
		}
	}
}

// TestF18_ClocksInSession: in a calendar whose draws go on through the night, the
// hour that is skipped and the hour that comes twice have their draws once each.
func TestF18_ClocksInSession(t *testing.T) {
	t.Parallel()
	r, zone := amigo(t), paris(t)
	r.Calendar.Sessions[0].Last = 288
	for _, v := range []struct {
		day  string
		want int
		// draws by the clock of Paris from 01:55 to 03:05
		clocks []string
	}{
		{"2027-03-27", 276, []string{"01:55", "03:00", "03:05"}},
		{"2027-10-30", 288, []string{
			"01:55",
			"02:00", "02:05", "02:10", "02:15", "02:20", "02:25", "02:30", "02:35", "02:40", "02:45", "02:50", "02:55",
			"02:00", "02:05", "02:10", "02:15", "02:20", "02:25", "02:30", "02:35", "02:40", "02:45", "02:50", "02:55",
			"03:00", "03:05",
		}},
	} {
		draws := Plan(r, day(t, v.day))
		var clocks []string
		for _, d := range draws {
			at := d.DrawsAt.In(zone)
			if clock := at.Format("15:04"); at.Day() != draws[0].DrawsAt.In(zone).Day() && "01:55" <= clock && clock <= "03:05" {
				clocks = append(clocks, clock)
			}
		}
		if len(draws) != v.want || !slices.Equal(clocks, v.clocks) {
			t.Errorf("%s: %d draws, want %d; at\n%v, want\n%v", v.day, len(draws), v.want, clocks, v.clocks)
		}
	}
}

// TestDayOf: a draw day lasts from its draw 1 to the next day's.
func TestDayOf(t *testing.T) {
	t.Parallel()
	zone := paris(t)
	r := amigo(t)
	for _, v := range []struct{ at, want string }{
		{"2027-03-31T12:00:00+02:00", "2027-03-31"},
		{"2027-03-31T04:10:00+02:00", "2027-03-31"},
		{"2027-03-31T04:09:59+02:00", "2027-03-30"},
		{"2027-03-31T00:55:00+02:00", "2027-03-30"},
		{"2027-03-30T23:59:59+02:00", "2027-03-30"},
		{"2027-03-30T22:30:00Z", "2027-03-30"},
		{"2027-03-28T03:30:00+02:00", "2027-03-27"}, // in the short night
		{"2027-10-31T02:30:00+02:00", "2027-10-30"}, // in the long night, once
		{"2027-10-31T02:30:00+01:00", "2027-10-30"}, // and again
		{"2027-10-31T04:10:00+01:00", "2027-10-31"},
		{"2028-03-01T01:00:00+01:00", "2028-02-29"},
	} {
		at, err := time.Parse(time.RFC3339, v.at)
		if err != nil {
			t.Fatal(err)
		}
		if got := DayOf(r, at).String(); got != v.want {
			t.Errorf("%s: got %s, want %s", v.at, got, v.want)
		}
	}

	t.Run("of planned and postponed draws", func(t *testing.T) {
		t.Parallel()
		for _, r := range []*game.Rules{amigo(t), ileAuTresor(t)} {
			for d := day(t, "2027-01-01"); d < day(t, "2027-01-01")+366; d++ {
				for _, dr := range Plan(r, d) {
					if got := DayOf(r, dr.DrawsAt); got != d {
						t.Fatalf("%s, draw %d of %s at %s: got %s", r.Code, dr.Number, d, dr.DrawsAt.In(zone), got)
					}
					moved, err := dr.Postpone(dr.OpensAt, 26*time.Hour)
					if got := DayOf(r, moved.DrawsAt); err != nil || got != d+1 && got != d+2 {
						t.Fatalf("%s, draw %d of %s at %s: got %s, %v", r.Code, dr.Number, d, moved.DrawsAt.In(zone), got, err)
					}
				}
			}
		}
	})
	t.Run("first draw at midnight", func(t *testing.T) {
		t.Parallel()
		r := amigo(t)
		r.Calendar.FirstAt = 0
		for _, v := range []struct {
			at   time.Time
			want string
		}{
			{time.Date(2027, 3, 28, 0, 0, 0, 0, zone), "2027-03-28"},
			{time.Date(2027, 3, 27, 23, 59, 59, 999_999_999, zone), "2027-03-27"},
		} {
			if got := DayOf(r, v.at).String(); got != v.want {
				t.Errorf("%s: got %s, want %s", v.at, got, v.want)
			}
		}
	})
}

// TestF18_EveryMinute: a draw a minute the whole day, over both clock changes:
// 23 and 25 hours, no instant skipped, none twice, no draw of a day at the next day's first.
func TestF18_EveryMinute(t *testing.T) {
	t.Parallel()
	r := ileAuTresor(t)
	all := []time.Weekday{0, 1, 2, 3, 4, 5, 6}
	r.Calendar.FirstAt, r.Calendar.Every = 0, time.Minute
	r.Calendar.OpenBefore, r.Calendar.CloseBefore = 2*time.Hour, 10*time.Second
	r.Calendar.Sessions = []game.Session{{Weekdays: all, First: 1, Last: 1440}}
	want := map[string]int{"2027-03-27": 1440, "2027-03-28": 1380, "2027-03-29": 1440, "2027-10-30": 1440, "2027-10-31": 1440, "2027-11-01": 1440}
	for _, span := range [][2]string{{"2027-03-27", "2027-03-29"}, {"2027-10-30", "2027-11-01"}} {
		var before Draw
		for d := day(t, span[0]); d <= day(t, span[1]); d++ {
			draws := Plan(r, d)
			if len(draws) != want[d.String()] {
				t.Errorf("%s: %d draws, want %d", d, len(draws), want[d.String()])
			}
			for _, dr := range draws {
				gap := time.Minute
				if dr.Number == 1 && before.Day.String() == "2027-10-31" {
					gap += time.Hour // 1,440 draws in a day of 25 hours
				}
				if before.Number > 0 && dr.DrawsAt.Sub(before.DrawsAt) != gap {
					t.Fatalf("%s draw %d: at %s, %s after the one before", d, dr.Number, dr.DrawsAt, dr.DrawsAt.Sub(before.DrawsAt))
				}
				before = dr
			}
		}
	}
}

// TestIAT_2_3_5_OpensAt: a session opens open_before its first draw; with
// next_session as soon as the one before it has closed, also over days without draws.
func TestIAT_2_3_5_OpensAt(t *testing.T) {
	t.Parallel()
	zone := paris(t)
	at := func(s string) time.Time {
		v, err := time.ParseInLocation("2006-01-02 15:04:05", s, zone)
		if err != nil {
			t.Fatal(err)
		}
		return v.UTC()
	}
	for _, v := range []struct {
		between          game.BetweenSessions
		day              string
		morning, evening time.Time
	}{
		{game.RefusedBetween, "2027-03-31", at("2027-03-31 11:00:00"), at("2027-03-31 17:00:00")},
		{game.NextSession, "2027-03-31", at("2027-03-29 21:54:40"), at("2027-03-31 14:54:40")},
		{game.NextSession, "2027-03-29", at("2027-03-28 21:54:40"), at("2027-03-29 14:54:40")},
	} {
		r := ileAuTresor(t)
		r.Between = v.between
		draws := Plan(r, day(t, v.day))
		for _, d := range draws {
			want := v.morning
			if d.Session == 167 {
				want = v.evening
			}
			if d.OpensAt != want {
				t.Fatalf("%s %s draw %d opens at %s, want %s", v.between, v.day, d.Number, d.OpensAt, want)
			}
		}
	}

	t.Run("no later than open_before", func(t *testing.T) {
		t.Parallel()
		r := ileAuTresor(t)
		r.Between, r.Calendar.OpenBefore = game.NextSession, 5*time.Hour
		if got, want := Plan(r, day(t, "2027-03-31"))[83].OpensAt, at("2027-03-31 13:00:00"); got != want {
			t.Errorf("opens at %s, want %s", got, want)
		}
	})
	t.Run("sessions in any order", func(t *testing.T) {
		t.Parallel()
		r := ileAuTresor(t)
		r.Between = game.NextSession
		want := Plan(r, day(t, "2027-03-31"))
		slices.Reverse(r.Calendar.Sessions)
		if !slices.Equal(Plan(r, day(t, "2027-03-31")), want) {
			t.Error("the order of the book matters")
		}
	})
	t.Run("after a session that the clock change leaves out", func(t *testing.T) {
		t.Parallel()
		r := ileAuTresor(t)
		all := []time.Weekday{0, 1, 2, 3, 4, 5, 6}
		r.Between, r.Calendar.FirstAt, r.Calendar.Every = game.NextSession, 0, time.Minute
		r.Calendar.Sessions = []game.Session{{Weekdays: all, First: 600, Last: 700}, {Weekdays: all, First: 1400, Last: 1440}}
		for today, want := range map[string]time.Time{ // 28 March has 1,380 minutes
			"2027-03-28": at("2027-03-27 23:58:40"),
			"2027-03-29": at("2027-03-28 12:38:40"),
		} {
			if got := Plan(r, day(t, today))[0].OpensAt; got != want {
				t.Errorf("%s opens at %s, want %s", today, got, want)
			}
		}
	})
	t.Run("first session ever", func(t *testing.T) {
		t.Parallel()
		r := parse(t, strings.Replace(smallGame, "matrices:", "between_sessions: next_session\nmatrices:", 1))
		r.Calendar.Sessions[0].Weekdays = nil
		if got := Plan(r, day(t, "2027-03-29")); len(got) != 0 {
			t.Errorf("%d draws without a weekday", len(got))
		}
	})
}

func TestSoldIn(t *testing.T) {
	t.Parallel()
	r := ileAuTresor(t)
	i := slices.IndexFunc(r.Calendar.Territories, func(x game.Territory) bool { return x.Key == "reunion" })
	r.Calendar.Territories[i].Draws = [][2]int{{95, 100}, {167, 167}}
	for _, v := range []struct {
		number    int
		territory string
		want      bool
	}{
		{95, "metropole", true},
		{214, "polynesie", true},
		{95, "lune", false},
		{95, "", false},
		{94, "reunion", false},
		{95, "reunion", true},
		{100, "reunion", true},
		{101, "reunion", false},
		{166, "reunion", false},
		{167, "reunion", true},
		{168, "reunion", false},
	} {
		if got := (Draw{Number: v.number}).SoldIn(r, v.territory); got != v.want {
			t.Errorf("draw %d in %q: got %v", v.number, v.territory, got)
		}
	}
}
