package central_test

import (
	"regexp"
	"testing"
	"time"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/internal/dbtest"
)

// pauseBook is the game's book as a version with sessions on Mondays, or without any.
func pauseBook(t *testing.T, version, firstDay string, sessions bool) []byte {
	t.Helper()
	b, err := game.Book("ile-au-tresor")
	if err != nil {
		t.Fatal(err)
	}
	b = regexp.MustCompile(`(?m)^version: .*`).ReplaceAll(b, []byte("version: "+version))
	b = regexp.MustCompile(`(?m)^first_day: .*`).ReplaceAll(b, []byte("first_day: "+firstDay))
	with := ""
	if sessions {
		with = "  sessions:\n    - {weekdays: [mon], draws: [95, 130]}\n"
	}
	return regexp.MustCompile(`(?s)  sessions:.*?(  territories:)`).ReplaceAll(b, []byte(with+"$1"))
}

// TestPlanFarAhead: the end of a pause, published while today's draws go on,
// plans a day 14 days away; today's draws go on, and stay planned.
func TestPlanFarAhead(t *testing.T) {
	t.Parallel()
	w := newWorldAt(t, dbtest.SQLite(t), pauseBook(t, "1", "2027-01-01", true), monday.Add(-24*time.Hour))
	publish := func(book []byte) {
		t.Helper()
		_, err := w.sys.PublishRules(w.ctx(), central.PublishRules{Key: w.key(), Officer: w.officer.ID, Book: book})
		w.check(err)
	}
	tick := func(at time.Time) {
		t.Helper()
		w.clock.set(at)
		_, err := w.sys.Tick(w.ctx())
		w.check(err)
	}
	publish(pauseBook(t, "pause", "2027-01-05", false))
	tick(monday)
	tick(mondayDraw(100).Add(time.Second))
	publish(pauseBook(t, "again", "2027-01-16", true))
	tick(mondayDraw(100).Add(2 * time.Second)) // plans 18 January
	tick(mondayDraw(101).Add(time.Second))
	day, err := game.ParseDay("2027-01-04")
	w.check(err)
	d, err := w.sys.Draw(w.ctx(), "ile-au-tresor", day, 101)
	w.check(err)
	if d.State != draw.Certified {
		t.Errorf("draw 101 is %s after its time", d.State)
	}
	st, err := w.sys.Status("ile-au-tresor")
	w.check(err)
	if len(st.Last) == 0 {
		t.Error("the last results are gone")
	}
}
