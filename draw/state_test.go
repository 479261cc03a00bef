package draw

import (
	"errors"
	"strings"
	"testing"
)

// TestState_To has every pair of states.
func TestState_To(t *testing.T) {
	t.Parallel()
	// One column a next state, in the order of the constants.
	table := map[State]string{
		Planned:   ".s....pc",
		Selling:   "..x...pc",
		Closed:    "...x...c",
		Drawn:     "....x..c",
		Settled:   ".....x..",
		Certified: "........",
		Postponed: ".s....pc",
		Cancelled: "........",
	}
	for from := Planned; from <= Cancelled; from++ {
		for next := Planned; next <= Cancelled; next++ {
			err := from.To(next)
			if want := table[from][next-Planned] != '.'; want != (err == nil) {
				t.Errorf("%s to %s: %v", from, next, err)
			}
			if err != nil && (!errors.Is(err, ErrTransition) || !strings.Contains(err.Error(), from.String()+" to "+next.String())) {
				t.Errorf("%s to %s: %v", from, next, err)
			}
		}
	}
	for _, bad := range []State{0, Cancelled + 1, 255} {
		if bad.To(Selling) == nil || Planned.To(bad) == nil {
			t.Errorf("%s takes part in a transition", bad)
		}
	}
}

func TestParseState(t *testing.T) {
	t.Parallel()
	for s := Planned; s <= Cancelled; s++ {
		if got, err := ParseState(s.String()); got != s || err != nil {
			t.Errorf("%s: got %v, %v", s, got, err)
		}
	}
	for _, bad := range []string{"", "Planned", "void", "State(1)"} {
		if got, err := ParseState(bad); err == nil {
			t.Errorf("%q: got %v", bad, got)
		}
	}
}
