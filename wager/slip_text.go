package wager

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"tirage/game"
	"tirage/money"
)

// ErrSlip is text that is not a slip, or not one that this lottery has signed.
var ErrSlip = errors.New("not a slip of this lottery")

const (
	slipMark  = "TIRAGE1"
	slipBytes = 2048 // of a text, at most
	slipPicks = 128  // of a matrix, at most
)

// FormatSlip writes a checked slip as docs/slip.md says: its game, its rule
// book, stake, draws and boards. It is no wager: nothing is sold by it.
func FormatSlip(w Wager) string { return w.Slip.text([8]byte(w.Rules.Hash[:8])) }

func (s Slip) text(rules [8]byte) string {
	words := []string{
		slipMark, string(s.Game), hex.EncodeToString(rules[:]), strconv.FormatInt(int64(s.Stake), 10), strconv.Itoa(s.Draws),
	}
	for _, b := range s.Boards {
		words = append(words, b.Text())
	}
	return strings.Join(words, "~")
}

// ParseSlip reads what [FormatSlip] writes, marks as they are: only [New]
// judges them. rules is the first 8 bytes of the hash of the rule book.
func ParseSlip(text string) (s Slip, rules [8]byte, err error) {
	bad := fmt.Errorf("%w: %.40q", ErrSlip, text)
	f := strings.Split(text, "~")
	if len(text) > slipBytes || len(f) < 6 || f[0] != slipMark {
		return s, rules, bad
	}
	s.Game = game.Code(f[1])
	if n, err := hex.Decode(rules[:], []byte(f[2])); len(f[2]) != 2*len(rules) || n != len(rules) || err != nil {
		return s, rules, bad
	}
	stake, ok := number(f[3], 1<<40)
	if !ok {
		return s, rules, bad
	}
	s.Stake = money.Amount(stake)
	if s.Draws, ok = number(f[4], 1<<15); !ok {
		return s, rules, bad
	}
	for _, text := range f[5:] {
		b, err := ParseBoard(text)
		if err != nil {
			return s, rules, err
		}
		s.Boards = append(s.Boards, b)
	}
	if s.text(rules) != text { // another way to write the same
		return s, rules, bad
	}
	return s, rules, nil
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
