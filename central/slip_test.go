package central_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"tirage/central"
	"tirage/draw"
	"tirage/internal/dbtest"
	"tirage/wager"
)

// A slip prepared on a phone is read by the lottery that signed it, as it was
// prepared, and not with a byte changed; nothing is sold by it.
func TestSignedSlip(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, amigo(t))
		rules, err := w.sys.Rules("amigo")
		w.check(err)
		asked, err := wager.New(rules, w.quickPick(2, 2))
		w.check(err)
		text := w.sys.SignSlip(asked)
		read, err := w.sys.ReadSlip(text)
		w.check(err)
		if wager.FormatSlip(read) != wager.FormatSlip(asked) {
			t.Errorf("read %+v, want %+v", read.Slip, asked.Slip)
		}
		if n := len(w.status().Upcoming); n > 0 && w.status().Upcoming[0].Wagers != 0 {
			t.Error("a slip was sold by being prepared")
		}
		for i := range text { // any byte changed
			changed := []byte(text)
			changed[i] ^= 1
			if _, err := w.sys.ReadSlip(string(changed)); !errors.Is(err, wager.ErrSlip) {
				t.Fatalf("byte %d changed: got %v, want %v", i, err, wager.ErrSlip)
			}
		}
		for _, bad := range []string{"", "~", text[:len(text)-1], text + "A", strings.ReplaceAll(text, "~", " ")} {
			if _, err := w.sys.ReadSlip(bad); !errors.Is(err, wager.ErrSlip) {
				t.Errorf("%q: got %v, want %v", bad, err, wager.ErrSlip)
			}
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
