package central_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"tirage/central"
	"tirage/draw"
	"tirage/internal/dbtest"
	"tirage/wager"
)

// IAT-2-app: a slip prepared on a phone is read by the lottery that signed it,
// as it was prepared, and not with a byte changed; nothing is sold by it.
func TestIAT_2_App_SignedSlip(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, amigo(t))
		rules, err := w.sys.Rules("amigo")
		w.check(err)
		asked, err := wager.New(rules, w.quickPick(2, 2))
		w.check(err)
		until := w.sys.Now().Add(72 * time.Hour)
		text := w.sys.SignSlip(asked, until)
		read, err := w.sys.ReadSlip(text)
		w.check(err)
		if wager.FormatSlip(read, until) != wager.FormatSlip(asked, until) {
			t.Errorf("read %+v, want %+v", read.Slip, asked.Slip)
		}
		if n := len(w.status().Upcoming); n > 0 && w.status().Upcoming[0].Wagers != 0 {
			t.Error("a slip was sold by being prepared")
		}
		unsigned := func(err error) bool {
			return errors.Is(err, wager.ErrSlip) || errors.Is(err, wager.ErrSlipChanged) || errors.Is(err, wager.ErrSlipForeign)
		}
		for i := range text { // any byte changed
			changed := []byte(text)
			changed[i] ^= 1
			if _, err := w.sys.ReadSlip(string(changed)); !unsigned(err) {
				t.Fatalf("byte %d changed: got %v", i, err)
			}
		}
		for _, x := range []struct {
			text string
			want error
		}{
			{"", wager.ErrSlip},
			{"~", wager.ErrSlip},
			{strings.ReplaceAll(text, "~", " "), wager.ErrSlip},
			{text[:len(text)-1], wager.ErrSlipChanged},
			{text + "A", wager.ErrSlipChanged},
			{strings.Replace(text, "~200~2~", "~400~2~", 1), wager.ErrSlipChanged},
			{strings.Replace(text, "~amigo~", "~elsewhere~", 1), wager.ErrSlipForeign},
		} {
			if _, err := w.sys.ReadSlip(x.text); !errors.Is(err, x.want) {
				t.Errorf("%q: got %v, want %v", x.text, err, x.want)
			}
		}
	})
}

// A slip holds until its last second, and under the rules that its player saw.
func TestIAT_2_App_SlipExpires(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorldAt(t, dsn, amiguito(t), monday.AddDate(0, 0, -7))
		_, err := w.sys.PublishRules(w.ctx(), central.PublishRules{
			Key: w.key(), Officer: w.officer.ID,
			Book: amiguito(t, `version: "2011"`, `version: "2027"`, "first_day: 2011-05-07", "first_day: 2027-01-05"),
		})
		w.check(err)
		asked, err := wager.New(w.rules, w.boards(2, 1, board([]int{1, 2, 3, 4, 5, 6}, 1, 2)))
		w.check(err)
		at := w.sys.Now().Truncate(time.Second)
		short, long := w.sys.SignSlip(asked, at.Add(2*time.Hour)), w.sys.SignSlip(asked, at.Add(240*time.Hour))
		w.at(at.Add(2 * time.Hour))
		_, err = w.sys.ReadSlip(short)
		w.check(err)
		w.at(at.Add(2*time.Hour + time.Second))
		_, err = w.sys.ReadSlip(short)
		if e, ok := errors.AsType[*wager.SlipExpiredError](err); !ok || !e.Until.Equal(at.Add(2*time.Hour)) || !errors.Is(err, wager.ErrSlipExpired) {
			t.Errorf("a second late: got %v, want %v", err, wager.ErrSlipExpired)
		}
		_, err = w.sys.ReadSlip(long)
		w.check(err)
		w.at(at.Add(230 * time.Hour)) // another version is in force
		if _, err = w.sys.ReadSlip(long); !errors.Is(err, wager.ErrSlipRules) {
			t.Errorf("of earlier rules: got %v, want %v", err, wager.ErrSlipRules)
		}
	})
}

// The records of a draw are those of the journal, in the order made.
func TestDrawRecords(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, amigo(t))
		ticket := w.sell(w.quickPick(2, 1))
		id := ticket.Draws[0].ID
		w.at(ticket.Draws[0].DrawsAt)
		w.tick()
		got, err := w.sys.DrawRecords(w.ctx(), id)
		w.check(err)
		want := []draw.State{draw.Planned, draw.Selling, draw.Closed, draw.Drawn, draw.Settled, draw.Certified}
		if !slices.EqualFunc(got, want, func(r central.DrawRecord, s draw.State) bool { return r.State == s }) {
			t.Fatalf("got %+v, want %v", got, want)
		}
		_, raw := w.records()
		for i, r := range got {
			if !bytes.Equal(r.Record, raw[r.Index]) || i > 0 && r.Index <= got[i-1].Index {
				t.Errorf("%s: record %d is not that of the journal", r.State, r.Index)
			}
		}
		if _, err := w.sys.DrawRecords(w.ctx(), 1_000_000); !errors.Is(err, draw.ErrUnknown) {
			t.Errorf("no such draw: got %v, want %v", err, draw.ErrUnknown)
		}
	})
}
