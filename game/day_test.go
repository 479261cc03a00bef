package game

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func TestDayRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		day := Day(rapid.Int32Range(-700_000, 2_900_000).Draw(t, "day")) // years 0053 to 9909
		if got, err := ParseDay(day.String()); err != nil || got != day {
			t.Fatalf("%v came back as %v, %v", day, got, err)
		}
		if got := DayOf(day.At(23*time.Hour+59*time.Minute, time.UTC), time.UTC); got != day {
			t.Fatalf("%v at 23:59 is %v", day, got)
		}
		if next := (day + 1).Weekday(); next != (day.Weekday()+1)%7 {
			t.Fatalf("%v is a %v, the next day a %v", day, day.Weekday(), next)
		}
	})
}

func TestParseDay(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Day{"1970-01-01": 0, "1969-12-31": -1, "2016-02-29": 16860, "2017-07-25": 17372} {
		if got, err := ParseDay(text); err != nil || got != want {
			t.Errorf("%s: got %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "2017-02-29", "2017-7-25", "25/07/2017", "2017-07-25T00:00:00Z", "2017-13-01"} {
		if _, err := ParseDay(text); !errors.Is(err, ErrDay) {
			t.Errorf("%q: got %v", text, err)
		}
	}
}

// A day in Paris is another one in Tahiti, and has 23 or 25 hours when clocks change.
func TestDayInZones(t *testing.T) {
	t.Parallel()
	paris, tahiti := zone(t, "Europe/Paris"), zone(t, "Pacific/Tahiti")
	at := time.Date(2018, 1, 15, 5, 0, 0, 0, time.UTC)
	if got, there := DayOf(at, paris).String(), DayOf(at, tahiti).String(); got != "2018-01-15" || there != "2018-01-14" {
		t.Errorf("got %s in Paris, %s in Tahiti", got, there)
	}
	for text, hours := range map[string]time.Duration{"2018-03-25": 23, "2018-10-28": 25, "2018-10-29": 24} {
		day, err := ParseDay(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := (day + 1).At(0, paris).Sub(day.At(0, paris)); got != hours*time.Hour {
			t.Errorf("%s has %v", text, got)
		}
		if got := day.At(6*time.Hour, paris).In(paris).Format("15:04"); got != "06:00" {
			t.Errorf("%s: got %s on the wall clock", text, got)
		}
	}
}
