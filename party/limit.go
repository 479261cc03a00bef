package party

import (
	"cmp"
	"fmt"
	"time"

	"tirage/money"
)

// Limit is a limit on an amount over a window of days, and one that holds from
// a time on: a lower one holds at once, a higher one later (INS-online).
type Limit struct {
	Max  money.Amount // 0: none
	Next money.Amount // holds from NextAt on; 0: none
	At   time.Time    // of Next; zero: nothing is to come
}

// Now is the limit that holds at a time; 0: none.
func (l Limit) Now(at time.Time) money.Amount {
	if !l.At.IsZero() && !at.Before(l.At) {
		return l.Next
	}
	return l.Max
}

// Set is the limit after its player has asked for another at a time, and from
// when on that one holds (INS-online). One that is not higher holds at once, and
// nothing is to come any more. A higher one holds when raiseAfter has passed; it
// takes the place of one that was to come, and the time of that one too when it
// is not higher than it.
func (l Limit) Set(limit money.Amount, at time.Time, raiseAfter time.Duration) (set Limit, from time.Time) {
	now := l.Now(at)
	coming := at.Before(l.At)
	switch {
	case compareLimits(limit, now) <= 0:
		return Limit{Max: limit}, at
	case coming && compareLimits(limit, l.Next) <= 0:
		from = l.At
	default:
		from = at.Add(raiseAfter)
	}
	return Limit{Max: now, Next: limit, At: from}, from
}

// From is the limit after one was set at a time to hold from another on: what [Limit.Set] has decided.
func (l Limit) From(limit money.Amount, at, from time.Time) Limit {
	if !at.Before(from) {
		return Limit{Max: limit}
	}
	return Limit{Max: l.Now(at), Next: limit, At: from}
}

// compareLimits compares limits, of which 0 is none and so the highest.
func compareLimits(a, b money.Amount) int { return cmp.Compare(uint64(a)-1, uint64(b)-1) }

// CheckLimit tells whether an amount can be a limit: nil, or [ErrLimits].
func CheckLimit(limit money.Amount) error {
	if limit < 0 || limit > money.Limit {
		return fmt.Errorf("%w: %s", ErrLimits, limit)
	}
	return nil
}

// LimitError is a refusal by [ErrLimit].
type LimitError struct {
	Kind ChangeKind   // [DepositLimit] or [StakeLimit]; 0: that of accounts whose identity was not checked
	Max  money.Amount // in the window
	Used money.Amount
	Left money.Amount
}

// Error says which limit, what of it is used, and what would still fit.
func (e *LimitError) Error() string {
	what := "deposits of an account whose identity was not checked"
	if e.Kind != 0 {
		what = e.Kind.String()
	}
	return fmt.Sprintf("%v: %s %s, used %s, left %s", ErrLimit, what, e.Max, e.Used, e.Left)
}

// Is makes the error an [ErrLimit].
func (e *LimitError) Is(target error) bool { return target == ErrLimit }
