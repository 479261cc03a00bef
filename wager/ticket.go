package wager

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"

	"tirage/draw"
	"tirage/game"
	"tirage/money"
)

// ID is a ticket number: the journal index of its sale (numéro séquentiel).
type ID uint64

// Ticket is a wager sold (reçu de jeu).
type Ticket struct {
	Number   ID
	Secret   [8]byte // first 64 bits of HMAC(ticket key, number ‖ leaf hash of the sale)
	PlacedAt time.Time
	Outlet   string
	Terminal string
	Rules    *game.Rules
	Plays    []Play
	Letters  []int        // of the plays on the slip, from 1 (A), ascending; nil: 1, 2, 3 …
	Stake    money.Amount // per draw and combination
	Units    int64
	Asked    int          // draws asked for
	Draws    []draw.Draw  // draws taken: fewer than asked when the session's end cut the wager
	Tables   []int        // prize table of each draw, an index in Rules.Tables, fixed at the sale; nil: the ordinary one for all
	Price    money.Amount // total to pay
	Jackpot  money.Amount // what the jackpot is at least, of one draw and where known (AMI-4.2); else 0
}

// Combinations are those of all plays, in order: a part of each draw each.
func (t Ticket) Combinations() []game.Combination { return Combinations(t.Plays) }

// Combinations are those of all plays, in order.
func Combinations(plays []Play) []game.Combination {
	if len(plays) == 1 {
		return plays[0].Combinations
	}
	var all []game.Combination
	for _, p := range plays {
		all = append(all, p.Combinations...)
	}
	return all
}

// Letter is the letter of play n, from 0, on the slip that was played: A, B, C …,
// but that those of boards left blank are passed over (AMI-3.1.3).
func (t Ticket) Letter(n int) string {
	letter := n + 1
	if t.Letters != nil {
		letter = t.Letters[n]
	}
	return string(rune('A' + (letter-1)%LetterMax))
}

// Lettered tells whether the boards are named by letters: there are several, or the
// only one is not the first of its slip.
func (t Ticket) Lettered() bool { return len(t.Plays) > 1 || t.Letters != nil }

// Table is the prize table that holds for draw i of the ticket, an index in Rules.Tables.
func (t Ticket) Table(i int) int {
	if t.Tables == nil {
		return 0
	}
	return t.Tables[i]
}

// Cut tells whether the ticket has fewer draws than were asked for (IAT-2.3.5).
func (t Ticket) Cut() bool { return len(t.Draws) < t.Asked }

var (
	// ErrCode is text that is not a ticket code.
	ErrCode = errors.New("not a ticket code")
	// ErrTraining is the code of a ticket that a terminal in training made: it was never sold (F21).
	ErrTraining = errors.New("the ticket was made in training: it was never sold")
	// ErrLive is the code of a ticket that may have been sold, at a terminal in training (F21).
	ErrLive = errors.New("the ticket was not made in training")
)

// digits is Crockford's base32: no I, L, O and U.
const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

const (
	numberMin    = 6 // digits of a number, or as many groups more as it takes
	numberMax    = 14
	secretDigits = 13 // 64 bits in 65
	groupSize    = 4
	codeMin      = numberMin + secretDigits + 1 // with the check digit
	codeMax      = numberMax + secretDigits + 1
)

// A code of training begins with trainingMark, which has no digit of a code in
// it, so that no error of typing makes one of a code that was sold, and it has
// another sum, so that it is none without its mark either (F21).
const (
	trainingMark = "UUUU"
	trainingSum  = 21
)

// Code returns what is printed on a ticket and typed to check it: in Crockford's
// base32, big-endian, the number in 6, 10 or 14 digits, the secret in 13, then a check
// digit; in groups of 4. One wrong digit, or two digits exchanged, are always found.
func Code(number ID, secret [8]byte) string { return codeOf(number, secret, 0) }

// TrainingCode is [Code] for a ticket that a terminal in training makes. [ParseCode]
// answers it with [ErrTraining].
func TrainingCode(number ID, secret [8]byte) string {
	return trainingMark + "-" + codeOf(number, secret, trainingSum)
}

func codeOf(number ID, secret [8]byte, sum byte) string {
	width := numberMin
	for uint64(number)>>(5*width) > 0 {
		width += groupSize
	}
	values := make([]byte, 0, codeMax)
	values = appendBase32(values, uint64(number), width)
	values = appendBase32(values, binary.BigEndian.Uint64(secret[:]), secretDigits)
	values = append(values, double(checksum(values))^sum)
	var code strings.Builder
	for i, v := range values {
		if i > 0 && i%groupSize == 0 {
			code.WriteByte('-')
		}
		code.WriteByte(digits[v])
	}
	return code.String()
}

// ParseCode reads what [Code] writes, in capitals or not, with any spaces and
// dashes, and with O for 0, I or L for 1. It returns [ErrTraining] for what
// [TrainingCode] writes, and [ErrCode] for all else.
func ParseCode(s string) (number ID, secret [8]byte, err error) {
	if _, marked := cutMark(s); marked {
		return 0, secret, ErrTraining
	}
	return parseCode(s, 0)
}

// ParseTrainingCode reads what [TrainingCode] writes. It returns [ErrLive] for
// what [Code] writes, and [ErrCode] for all else.
func ParseTrainingCode(s string) (number ID, secret [8]byte, err error) {
	rest, marked := cutMark(s)
	if marked {
		return parseCode(rest, trainingSum)
	}
	if _, _, err := ParseCode(s); err == nil {
		return 0, secret, ErrLive
	}
	return 0, secret, fmt.Errorf("%w: %.40q", ErrCode, s)
}

// cutMark takes the mark of training off a code.
func cutMark(s string) (rest string, marked bool) {
	for _, want := range []byte(trainingMark) {
		s = strings.TrimLeft(s, " -")
		if s == "" || s[0]&^0x20 != want {
			return "", false
		}
		s = s[1:]
	}
	return s, true
}

func parseCode(s string, sum byte) (number ID, secret [8]byte, err error) {
	bad := fmt.Errorf("%w: %.40q", ErrCode, s)
	var values []byte
	for _, c := range []byte(s) {
		if c == ' ' || c == '-' {
			continue
		}
		v, ok := digitValue(c)
		if !ok || len(values) == codeMax {
			return 0, secret, bad
		}
		values = append(values, v)
	}
	if len(values) < codeMin || len(values)%groupSize != 0 || checksum(values) != sum {
		return 0, secret, bad
	}
	width := len(values) - secretDigits - 1
	n, fits := parseBase32(values[:width])
	x, whole := parseBase32(values[width : width+secretDigits])
	wide := width > numberMin && n>>(5*(width-groupSize)) == 0 // a group more than it takes
	if !fits || !whole || wide {
		return 0, secret, bad
	}
	binary.BigEndian.PutUint64(secret[:], x)
	return ID(n), secret, nil
}

func digitValue(c byte) (byte, bool) {
	if 'a' <= c && c <= 'z' {
		c -= 'a' - 'A'
	}
	switch c {
	case 'O':
		return 0, true
	case 'I', 'L':
		return 1, true
	}
	i := strings.IndexByte(digits, c)
	return byte(max(i, 0)), i >= 0
}

// checksum is the polynomial of values over GF(32) at its generator 2. That of
// a code with its check digit is 0. Powers of 2 differ below 31 digits, so any
// one digit changed and any two exchanged give another sum.
func checksum(values []byte) byte {
	var sum byte
	for _, v := range values {
		sum = double(sum) ^ v
	}
	return sum
}

// double multiplies by 2 in GF(32), that is modulo x⁵ + x² + 1.
func double(v byte) byte {
	v <<= 1
	if v&0x20 != 0 {
		v ^= 0x25
	}
	return v
}

func appendBase32(values []byte, x uint64, width int) []byte {
	for i := width - 1; i >= 0; i-- {
		values = append(values, byte(x>>(5*i)&31))
	}
	return values
}

// parseBase32 returns ok false above 64 bits.
func parseBase32(values []byte) (x uint64, ok bool) {
	for _, v := range values {
		if x>>59 != 0 {
			return 0, false
		}
		x = x<<5 | uint64(v)
	}
	return x, true
}
