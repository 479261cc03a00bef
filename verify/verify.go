// Package verify checks what a lottery says, with nothing but public records:
// the control that needs nobody's word. [Unit] checks a unit of an instant game, [Pool] a whole pool once it is closed. It is written from docs/journal.md,
// docs/rng.md and docs/instant.md, and shares with the system only the format
// of the journal, the stream of random numbers, and money.
package verify

import (
	"context"
	"errors"
	"fmt"
)

// Fetch reads a public file of the log, by its path under the log's address:
// "checkpoint", "tile/0/000", "tile/entries/000.p/6", "record/7". It returns [ErrAbsent] for
// one that is not there, not reached, or not public yet.
type Fetch func(ctx context.Context, path string) ([]byte, error)

// ErrAbsent is a file that could not be read: what follows from it is not checked.
var ErrAbsent = errors.New("not there to be read")

// State is what came of a step.
type State int

// The states of a step.
const (
	OK State = iota + 1
	Refuted
	NotChecked // what it needs was not there, or refuted before
)

func (s State) String() string {
	switch s {
	case OK:
		return "ok"
	case Refuted:
		return "refuted"
	case NotChecked:
		return "not checked"
	}
	return "no state"
}

// MarshalText writes the state for JSON.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Step is one thing that was checked.
type Step struct {
	Name  string `json:"step"`
	State State  `json:"state"`
	Why   string `json:"why,omitempty"` // when it is not ok
}

// Report is all that was checked, in order.
type Report struct {
	Steps []Step `json:"steps"`
	// KeyGiven tells that the log's key was given, and not taken from the log itself.
	KeyGiven bool      `json:"key_given"`
	Key      string    `json:"key,omitempty"` // the log's key, in the form of signed notes
	Unit     *Told     `json:"unit,omitempty"`
	Pool     *ToldPool `json:"pool,omitempty"`
}

// State is the worst of the steps: refuted, then not checked.
func (r *Report) State() State {
	worst := OK
	for _, s := range r.Steps {
		switch s.State {
		case Refuted:
			return Refuted
		case NotChecked:
			worst = NotChecked
		case OK:
		}
	}
	return worst
}

// step runs a check and notes what came of it.
func (r *Report) step(name string, check func() error) (ok bool) {
	s := Step{Name: name, State: OK}
	if err := check(); err != nil {
		s.State, s.Why = Refuted, err.Error()
		if errors.Is(err, ErrAbsent) {
			s.State = NotChecked
		}
	}
	r.Steps = append(r.Steps, s)
	return s.State == OK
}

// needs is a step that could not be made, since another was not right.
func needs(step string) error { return fmt.Errorf("%w: it needs the step %q", ErrAbsent, step) }

// differ says what two sources disagree on.
func differ(what string, got, want any) error {
	return fmt.Errorf("%s: %v, expected %v", what, got, want)
}
