package wager

import (
	"errors"
	"slices"
	"testing"
)

// AMI-3.1.3: the boards of a slip keep their letters where others are blank, and a
// wager says letters only where they are not A, B, C …
func TestAMI_3_1_3_Letters(t *testing.T) {
	t.Parallel()
	r := amigo(t)
	for _, v := range []struct {
		boards  []int // letters, 0: that of the place
		letters []int
		err     error
	}{
		{[]int{0, 0, 0}, nil, nil},
		{[]int{1, 0, 3}, nil, nil},
		{[]int{0, 3, 4}, []int{1, 3, 4}, nil},
		{[]int{2}, []int{2}, nil},
		{[]int{26}, []int{26}, nil},
		{[]int{2, 4}, []int{2, 4}, nil},
		{[]int{27}, nil, ErrLetter},
		{[]int{-1}, nil, ErrLetter},
		{[]int{2, 2}, nil, ErrLetter},
		{[]int{3, 0}, nil, ErrLetter},
		{[]int{4, 1}, nil, ErrLetter},
	} {
		var boards []Board
		for _, letter := range v.boards {
			b := picks(simple())
			b.Letter = letter
			boards = append(boards, b)
		}
		w, err := New(r, amigoSlip(boards...))
		if !errors.Is(err, v.err) || (err == nil) != (v.err == nil) {
			t.Errorf("%v: %v, want %v", v.boards, err, v.err)
			continue
		}
		if err == nil && (!slices.Equal(w.Letters(), v.letters) || (w.Letters() == nil) != (v.letters == nil)) {
			t.Errorf("%v: letters %v, want %v", v.boards, w.Letters(), v.letters)
		}
	}
	one := picks(simple())
	one.Letter = 2
	alone := *r
	alone.BoardsMax = 1
	if _, err := New(&alone, amigoSlip(one)); !errors.Is(err, ErrLetter) {
		t.Errorf("board B of a slip that has one board: %v", err)
	}
}

func TestTicketLetter(t *testing.T) {
	t.Parallel()
	for _, v := range []struct {
		letters []int
		plays   int
		want    string
		named   bool
	}{
		{nil, 1, "A", false},
		{nil, 3, "ABC", true},
		{[]int{2}, 1, "B", true},
		{[]int{2, 4}, 2, "BD", true},
		{[]int{1, 26}, 2, "AZ", true},
	} {
		ticket := Ticket{Plays: make([]Play, v.plays), Letters: v.letters}
		got := ""
		for n := range v.plays {
			got += ticket.Letter(n)
		}
		if got != v.want || ticket.Lettered() != v.named {
			t.Errorf("%v of %d boards: %s, named %v", v.letters, v.plays, got, ticket.Lettered())
		}
	}
}
