package game

import (
	"errors"
	"fmt"
	"time"
)

// Day is a calendar day without a zone, as days since 1970-01-01. A draw day
// (journée de tirages) is the metropolitan day on which the first draw falls.
type Day int32

// ErrDay is text that is not a day written 2006-01-02.
var ErrDay = errors.New("not a day")

// DayOf returns the day of an instant in a zone.
func DayOf(at time.Time, zone *time.Location) Day {
	y, m, d := at.In(zone).Date()
	return NewDay(y, m, d)
}

// NewDay returns the day of a date; months and days out of range carry over.
func NewDay(year int, month time.Month, day int) Day {
	return Day(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix() / 86400)
}

// ParseDay reads a day written 2006-01-02.
func ParseDay(s string) (Day, error) {
	at, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return 0, fmt.Errorf("%w: %.20q", ErrDay, s)
	}
	return DayOf(at, time.UTC), nil
}

func (d Day) midnight() time.Time { return time.Unix(int64(d)*86400, 0).UTC() }

// String writes the day as 2006-01-02.
func (d Day) String() string { return d.midnight().Format(time.DateOnly) }

// Weekday returns the day of the week.
func (d Day) Weekday() time.Weekday { return d.midnight().Weekday() }

// At returns the instant of the day at which a wall clock in zone shows the
// time of day clock (06:00 is 6 * time.Hour; 24 h and more fall on later days).
// A wall time that a clock change skips or repeats is read as time.Date reads it.
func (d Day) At(clock time.Duration, zone *time.Location) time.Time {
	y, m, day := d.midnight().Date()
	return time.Date(y, m, day, 0, 0, 0, int(clock.Nanoseconds()), zone).UTC()
}
