package draw

import (
	"fmt"
	"slices"
)

var stateNames = [...]string{
	Planned: "planned", Selling: "selling", Closed: "closed", Drawn: "drawn",
	Settled: "settled", Certified: "certified", Postponed: "postponed", Cancelled: "cancelled",
}

// transitions says which states can follow each. A draw can be postponed until
// its close only, any number of times, and cancelled until it is settled:
// afterwards prizes are booked.
var transitions = [...][]State{
	Planned:   {Selling, Postponed, Cancelled},
	Selling:   {Closed, Postponed, Cancelled},
	Closed:    {Drawn, Cancelled},
	Drawn:     {Settled, Cancelled},
	Settled:   {Certified},
	Certified: nil,
	Postponed: {Selling, Postponed, Cancelled},
	Cancelled: nil,
}

// String returns the name of the state in records and tables: "planned".
func (s State) String() string {
	if s < Planned || s > Cancelled {
		return fmt.Sprintf("State(%d)", uint8(s))
	}
	return stateNames[s]
}

// ParseState reads a name that [State.String] writes.
func ParseState(name string) (State, error) {
	if i := slices.Index(stateNames[Planned:], name); i >= 0 {
		return Planned + State(i), nil
	}
	return 0, fmt.Errorf("unknown draw state %.20q", name)
}

// To tells whether a draw may go from s to next: nil, or [ErrTransition].
func (s State) To(next State) error {
	if s >= Planned && s <= Cancelled && slices.Contains(transitions[s], next) {
		return nil
	}
	return fmt.Errorf("%w: %s to %s", ErrTransition, s, next)
}

// Final tells whether nothing more happens to a draw: its result is certified, or it is cancelled.
func (s State) Final() bool { return s == Certified || s == Cancelled }
