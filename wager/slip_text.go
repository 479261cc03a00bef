package wager

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tirage/game"
	"tirage/money"
)

// Why a slip prepared on a phone is refused.
var (
	// ErrSlip is text that is not such a slip.
	ErrSlip = errors.New("not a slip")
	// ErrSlipChanged is a slip whose signature is not this lottery's: it was
	// changed since, or another one has signed it.
	ErrSlipChanged = errors.New("slip was changed, or signed elsewhere")
	// ErrSlipForeign is a slip of a game that this lottery does not have.
	ErrSlipForeign = errors.New("slip of another lottery")
	// ErrSlipExpired is a slip whose time is over; see [SlipExpiredError].
	ErrSlipExpired = errors.New("slip has expired")
	// ErrSlipRules is a slip prepared under other rules than those in force.
	ErrSlipRules = errors.New("slip of other rules")
)

// SlipExpiredError says until when a slip held.
type SlipExpiredError struct{ Until time.Time }

func (e *SlipExpiredError) Error() string { return fmt.Sprintf("%v: at %v", ErrSlipExpired, e.Until) }

// Unwrap returns [ErrSlipExpired].
func (e *SlipExpiredError) Unwrap() error { return ErrSlipExpired }

const (
	slipMark  = "TIRAGE2"
	slipBytes = 2048 // of a text, at most
	slipPicks = 128  // of a matrix, at most
)

// A PreparedSlip is a slip (bulletin) that a player has filled in on a phone,
// marks as they are: only [New] judges them.
type PreparedSlip struct {
	Slip
	Rules [8]byte   // first bytes of the hash of the rule book that the player saw
	Until time.Time // whole seconds; later it is refused
}

// FormatSlip writes a checked slip that holds until an instant, whole seconds
// of it, as docs/slip.md says. It is no wager: nothing is sold by it.
func FormatSlip(w Wager, until time.Time) string {
	return PreparedSlip{w.Slip, [8]byte(w.Rules.Hash[:8]), until}.text()
}

func (s PreparedSlip) text() string {
	words := []string{
		slipMark, string(s.Game), hex.EncodeToString(s.Rules[:]), strconv.FormatInt(s.Until.Unix(), 10),
		strconv.FormatInt(int64(s.Stake), 10), strconv.Itoa(s.Draws),
	}
	for _, b := range s.Boards {
		words = append(words, b.Text())
	}
	return strings.Join(words, "~")
}

// ParseSlip reads what [FormatSlip] writes, or returns [ErrSlip].
func ParseSlip(text string) (s PreparedSlip, err error) {
	bad := fmt.Errorf("%w: %.40q", ErrSlip, text)
	f := strings.Split(text, "~")
	if len(text) > slipBytes || len(f) < 7 || f[0] != slipMark {
		return s, bad
	}
	s.Game = game.Code(f[1])
	if n, err := hex.Decode(s.Rules[:], []byte(f[2])); len(f[2]) != 2*len(s.Rules) || n != len(s.Rules) || err != nil {
		return s, bad
	}
	until, ok := number(f[3], 1<<40)
	if !ok {
		return s, bad
	}
	s.Until = time.Unix(int64(until), 0).UTC()
	stake, ok := number(f[4], 1<<40)
	if !ok {
		return s, bad
	}
	s.Stake = money.Amount(stake)
	if s.Draws, ok = number(f[5], 1<<15); !ok {
		return s, bad
	}
	for _, text := range f[6:] {
		b, err := ParseBoard(text)
		if err != nil {
			return s, err
		}
		s.Boards = append(s.Boards, b)
	}
	if s.text() != text { // another way to write the same
		return s, bad
	}
	return s, nil
}

// Text writes a board: "1.6.11-3", its elements by matrix. A quick pick has
// before it the shape and the number of elements of the other matrix that it
// asks for: "f2x3_2!-".
func (b Board) Text() string {
	matrices := make([]string, len(b.Picks))
	for i, picks := range b.Picks {
		words := make([]string, len(picks))
		for j, n := range picks {
			words[j] = strconv.Itoa(n)
		}
		matrices[i] = strings.Join(words, ".")
	}
	text := strings.Join(matrices, "-")
	if !b.QuickPick {
		return text
	}
	return fmt.Sprintf("f%dx%d_%d!%s", b.Shape.Extras, b.Shape.Columns, b.Also, text)
}

// ParseBoard reads what [Board.Text] writes, or returns [ErrSlip].
func ParseBoard(text string) (b Board, err error) {
	bad := fmt.Errorf("%w: board %.40q", ErrSlip, text)
	if text == "" {
		return b, bad
	}
	marks := text
	if ask, rest, quick := strings.Cut(text, "!"); quick {
		b.QuickPick, marks = true, rest
		if _, err := fmt.Sscanf(ask, "f%dx%d_%d", &b.Shape.Extras, &b.Shape.Columns, &b.Also); err != nil {
			return b, bad
		}
	}
	for part := range strings.SplitSeq(marks, "-") {
		var picks []int
		for word := range strings.SplitSeq(part, ".") {
			if part == "" {
				break
			}
			n, ok := number(word, 1<<15)
			if !ok || len(picks) == slipPicks {
				return b, bad
			}
			picks = append(picks, n)
		}
		b.Picks = append(b.Picks, picks)
	}
	if b.Text() != text { // another way to write the same
		return b, bad
	}
	return b, nil
}

// number reads a whole number from 1 to below most.
func number(text string, most int) (int, bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && n > 0 && n < most
}
