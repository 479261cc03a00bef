package draw

import (
	"errors"
	"fmt"
	"time"
)

var (
	// ErrClosed is an act on a draw whose sales have closed: nothing moves it
	// any more. The error is a [ClosedError].
	ErrClosed = errors.New("sales of the draw have closed")
	// ErrMove is times that a draw cannot move to: postponed by nothing or
	// backwards, or closed before its sales have opened.
	ErrMove = errors.New("draw cannot move to these times")
)

// ClosedError is a refusal by [ErrClosed].
type ClosedError struct {
	Draw ID
	At   time.Time // when its sales closed
}

// Error names the draw and its close.
func (e *ClosedError) Error() string {
	return fmt.Sprintf("%v: draw %d, at %s", ErrClosed, e.Draw, e.At.UTC().Format(time.RFC3339Nano))
}

// Is makes the error an [ErrClosed].
func (e *ClosedError) Is(target error) bool { return target == ErrClosed }

// Postpone returns the draw with its close and itself later by shift, as decided
// at an instant before its close: [ErrClosed] afterwards (F18). [ErrMove] if shift,
// of whole microseconds, is not above 0. Its draw day, number and session, which
// tickets bear, stay, and so does OpensAt: sales that were open go on once the
// scheduler has opened them again.
//
// Whether its state lets it take the step, [State.To] says.
func (d Draw) Postpone(at time.Time, shift time.Duration) (Draw, error) {
	if err := d.movable(at); err != nil {
		return Draw{}, err
	}
	if shift <= 0 || shift%time.Microsecond != 0 {
		return Draw{}, fmt.Errorf("%w: draw %d postponed by %s", ErrMove, d.ID, shift)
	}
	d.ClosesAt, d.DrawsAt = d.ClosesAt.Add(shift), d.DrawsAt.Add(shift)
	return d, nil
}

// CloseEarly returns the draw with its sales closed at an instant, which is
// before its close, else [ErrClosed] (F18); [ErrMove] before its sales have opened.
// It is drawn when it was to be drawn.
func (d Draw) CloseEarly(at time.Time) (Draw, error) {
	if err := d.movable(at); err != nil {
		return Draw{}, err
	}
	if !at.After(d.OpensAt) {
		return Draw{}, fmt.Errorf("%w: draw %d closed before it opens", ErrMove, d.ID)
	}
	d.ClosesAt = at
	return d, nil
}

// movable: before the close only, as sales, which the closing time itself is too late for.
func (d Draw) movable(at time.Time) error {
	assert(d.OpensAt.Before(d.ClosesAt) && d.ClosesAt.Before(d.DrawsAt), "draw whose times are out of order")
	if !at.Before(d.ClosesAt) {
		return &ClosedError{d.ID, d.ClosesAt}
	}
	return nil
}
