package sim

import (
	"errors"
	"testing"

	"tirage/game"
	"tirage/rng"
	"tirage/wager"
)

// What simulated players ask for is what the rules allow, but for plays that
// cost too much, and all kinds of it come: boards, multiple plays, quick picks.
func TestSlip(t *testing.T) {
	t.Parallel()
	for _, code := range []game.Code{"ile-au-tresor", "amigo"} {
		book, err := game.Book(code)
		if err != nil {
			t.Fatal(err)
		}
		r, err := game.Parse(string(code), book)
		if err != nil {
			t.Fatal(err)
		}
		choose := rng.NewStream(rng.Seed([]byte("simulated players, 32 bytes seed")), string(code))
		var sold, dear, boards, multiple, flash int
		for range 3000 {
			s := Slip(r, choose)
			w, err := wager.New(r, s)
			switch {
			case errors.Is(err, wager.ErrLimit):
				dear++
				continue
			case err != nil:
				t.Fatalf("%s: %+v: %v", code, s, err)
			}
			sold++
			if len(s.Boards) > 1 {
				boards++
			}
			if s.Boards[0].QuickPick {
				flash++
			}
			if w.Price(1) > s.Stake {
				multiple++
			}
		}
		if sold < 1500 || flash == 0 || (code == "amigo") != (dear > 0 && boards > 0 && multiple > boards) {
			t.Errorf("%s: %d sold, %d too dear, %d of several boards, %d of several combinations, %d quick picks", code, sold, dear, boards, multiple, flash)
		}
	}
}
