package draw

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func planned(t *testing.T) Draw {
	t.Helper()
	d := Plan(ileAuTresor(t), day(t, "2027-03-31"))[0]
	d.ID = 7
	return d
}

// TestF18_Postpone: before the close only, and only to later times.
func TestF18_Postpone(t *testing.T) {
	t.Parallel()
	d := planned(t)
	for _, v := range []struct {
		name  string
		at    time.Time
		shift time.Duration
		want  error
	}{
		{"before it opens", d.OpensAt.Add(-time.Hour), time.Minute, nil},
		{"while it sells", d.OpensAt, 90 * time.Minute, nil},
		{"last instant before the close", d.ClosesAt.Add(-time.Microsecond), time.Microsecond, nil},
		{"by days", d.OpensAt, 48 * time.Hour, nil},
		{"at the close", d.ClosesAt, time.Minute, ErrClosed},
		{"after the draw", d.DrawsAt.Add(time.Hour), 2 * time.Hour, ErrClosed},
		{"by nothing", d.OpensAt, 0, ErrMove},
		{"backwards", d.OpensAt, -time.Minute, ErrMove},
		{"by less than a record holds", d.OpensAt, time.Microsecond + 1, ErrMove},
	} {
		got, err := d.Postpone(v.at, v.shift)
		if !errors.Is(err, v.want) || (err == nil) != (v.want == nil) {
			t.Errorf("%s: got %v, want %v", v.name, err, v.want)
			continue
		}
		want := Draw{}
		if err == nil {
			want = d
			want.ClosesAt, want.DrawsAt = d.ClosesAt.Add(v.shift), d.DrawsAt.Add(v.shift)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", v.name, diff)
		}
	}

	t.Run("again", func(t *testing.T) {
		t.Parallel()
		once, err := d.Postpone(d.ClosesAt.Add(-time.Second), time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		twice, err := once.Postpone(d.DrawsAt, time.Hour) // after the old times, before the new ones
		if err != nil || !twice.DrawsAt.Equal(d.DrawsAt.Add(2*time.Hour)) {
			t.Errorf("drawn at %s, %v", twice.DrawsAt, err)
		}
	})
}

// TestF18_CloseEarly: while it sells only; it is drawn when it was to be drawn.
func TestF18_CloseEarly(t *testing.T) {
	t.Parallel()
	d := planned(t)
	for _, v := range []struct {
		name string
		at   time.Time
		want error
	}{
		{"before it opens", d.OpensAt.Add(-time.Second), ErrMove},
		{"as it opens", d.OpensAt, ErrMove},
		{"while it sells", d.OpensAt.Add(time.Microsecond), nil},
		{"last instant before the close", d.ClosesAt.Add(-time.Microsecond), nil},
		{"at the close", d.ClosesAt, ErrClosed},
		{"after the draw", d.DrawsAt.Add(time.Second), ErrClosed},
	} {
		got, err := d.CloseEarly(v.at)
		if !errors.Is(err, v.want) || (err == nil) != (v.want == nil) {
			t.Errorf("%s: got %v, want %v", v.name, err, v.want)
			continue
		}
		want := Draw{}
		if err == nil {
			want = d
			want.ClosesAt = v.at
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", v.name, diff)
		}
	}
	closed, err := d.CloseEarly(d.OpensAt.Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	_, err = closed.Postpone(closed.ClosesAt, time.Hour)
	var refusal *ClosedError
	if !errors.As(err, &refusal) || refusal.Draw != 7 || !refusal.At.Equal(closed.ClosesAt) {
		t.Errorf("a draw closed early is postponed: %v", err)
	}
	if got, want := err.Error(), "sales of the draw have closed: draw 7, at 2027-03-31T09:01:00Z"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
