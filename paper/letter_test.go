package paper

import (
	"slices"
	"testing"

	"tirage/wager"
)

// AMI-3.1.3: a board keeps the letter that it has on paper, whatever boards
// before it are blank, and what is wrong with one is said of that letter.
func TestAMI_3_1_3_Letter(t *testing.T) {
	t.Parallel()
	l := testLayout(t, "amigo")
	for _, c := range []struct{ boards, letters []int }{
		{[]int{0, 1, 2, 3}, []int{0, 0, 0, 0}},
		{[]int{0, 2, 3}, []int{0, 3, 4}},
		{[]int{1}, []int{2}},
	} {
		r := &Reading{Layout: l, Marks: make([]Mark, len(l.Boxes)), Ink: make([]float64, len(l.Boxes))}
		for i, b := range l.Boxes {
			f := b.Field
			board := f.Kind == Element && slices.Contains(c.boards, f.Board)
			r.Marks[i] = Empty
			if board && f.Matrix == 0 && f.N%5 == 1 || board && f.Matrix == 1 && f.N == 3 || f.Kind == Stake && f.N == 0 || f.Kind == Draws && f.N == 0 {
				r.Marks[i] = Marked
			}
		}
		slip, asked, err := r.Slip(nil)
		if err != nil || asked != nil {
			t.Fatalf("boards %v: asked %v, %v", c.boards, asked, err)
		}
		var letters []int
		for _, b := range slip.Boards {
			letters = append(letters, b.Letter)
		}
		if !slices.Equal(letters, c.letters) {
			t.Errorf("boards %v have the letters %v, want %v", c.boards, letters, c.letters)
		}
		if len(letters) == 3 {
			slip.Boards[2].Picks[0] = slip.Boards[2].Picks[0][:5]
			if _, err := wager.New(l.Rules, slip); err == nil || err.Error()[:8] != "board 4:" {
				t.Errorf("board D is refused with %v", err)
			}
		}
	}
}
