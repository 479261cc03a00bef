package wager

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tirage/game"
)

func TestSlipText(t *testing.T) {
	t.Parallel()
	b, err := game.Book("amigo")
	if err != nil {
		t.Fatal(err)
	}
	r, err := game.Parse("amigo", b)
	if err != nil {
		t.Fatal(err)
	}
	w, err := New(r, Slip{Game: "amigo", Stake: 200, Draws: 5, Boards: []Board{
		{Picks: game.Picks{{1, 2, 6, 11, 16, 21, 26, 31, 36, 41}, {3, 5}}},
		{QuickPick: true, Shape: game.Shape{Extras: 2, Columns: 1}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	until := time.Date(2027, 1, 7, 10, 30, 0, 0, time.UTC)
	text := FormatSlip(w, until)
	if want := "~1799317800~200~5~1.2.6.11.16.21.26.31.36.41-3.5~f2x1_1!-"; !strings.HasSuffix(text, want) {
		t.Errorf("got %s, want …%s", text, want)
	}
	slip, err := ParseSlip(text)
	if err != nil || slip.Rules != [8]byte(r.Hash[:8]) || !slip.Until.Equal(until) {
		t.Fatalf("rules %x until %v, %v", slip.Rules, slip.Until, err)
	}
	again, err := New(r, slip.Slip)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(w.Slip, again.Slip); diff != "" {
		t.Errorf("read again (-want +got):\n%s", diff)
	}
	// What is not written so is not read: one slip has one text.
	for _, bad := range []string{
		"", "~", text + "~", text[1:], strings.Replace(text, "~200~", "~+200~", 1), strings.Replace(text, "~200~", "~0200~", 1),
		strings.Replace(text, "~200~", "~-200~", 1), strings.Replace(text, "~200~", "~99999999999999999999~", 1),
		strings.Replace(text, "f2x1_1!", "f2x1_1z!", 1), strings.Replace(text, "1.2.", "1..2.", 1), strings.Replace(text, "1.2.", "01.2.", 1),
		text + strings.Repeat("~1-1", 1000), strings.ToUpper(text),
		strings.Replace(text, "TIRAGE2", "TIRAGE1", 1), strings.Replace(text, "~1799317800~", "~0~", 1), strings.Replace(text, "~1799317800~", "~", 1),
	} {
		if _, err := ParseSlip(bad); !errors.Is(err, ErrSlip) {
			t.Errorf("%.80q: got %v, want %v", bad, err, ErrSlip)
		}
	}
}

func FuzzParseSlip(f *testing.F) {
	f.Add("TIRAGE2~amigo~0011223344556677~1799317800~200~5~1.2-3~f0x0_1!-")
	f.Add("TIRAGE2~x~0011223344556677~1~1~1~-")
	f.Fuzz(func(t *testing.T, text string) {
		slip, err := ParseSlip(text)
		if err == nil && slip.text() != text {
			t.Errorf("%q is read as %q", text, slip.text())
		}
	})
}
