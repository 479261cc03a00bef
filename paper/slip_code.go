package paper

import (
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"tirage/game"
)

// slipPrefix begins the text of a paper slip's QR code; the digit is the version of the form.
const slipPrefix = slipFamily + "1"

// slipFamily begins the texts of all versions of the form.
const slipFamily = "TIRAGEB"

// ErrStrangeCode is a QR code that is not one of a paper slip.
var ErrStrangeCode = errors.New("not the code of a slip")

// SlipText is what the QR code of a slip says: TIRAGEB1~GAME~RULES, where RULES
// is the first 8 bytes of the rule book's hash in hexadecimal digits. So a slip
// is read as laid out by the version that it was printed for, or refused, never by another.
func SlipText(r *game.Rules) string {
	return slipPrefix + "~" + string(r.Code) + "~" + hex.EncodeToString(r.Hash[:8])
}

// ParseSlipText reads what [SlipText] wrote: the game, and the beginning of its
// rule book's hash. Anything else is an [ErrStrangeCode].
func ParseSlipText(s string) (game.Code, [8]byte, error) {
	var version [8]byte
	parts := strings.Split(s, "~")
	if len(parts) != 3 || parts[0] != slipPrefix || !isCode(parts[1]) || len(parts[2]) != 2*len(version) || parts[2] != strings.ToLower(parts[2]) {
		return "", version, fmt.Errorf("%w: %.60q", ErrStrangeCode, s)
	}
	if _, err := hex.Decode(version[:], []byte(parts[2])); err != nil {
		return "", [8]byte{}, fmt.Errorf("%w: %.60q", ErrStrangeCode, s)
	}
	return game.Code(parts[1]), version, nil
}

// SameSlip tells whether a slip printed for one version of a game's rules says
// the same under another: elements, what may be marked of them, stakes, numbers of draws and
// quick pick are alike, so that no mark changes its meaning. What else the
// versions say, prizes, times or days, is not marked on paper.
func SameSlip(printed, sold *game.Rules) bool {
	return printed.Hash == sold.Hash || printed.Code == sold.Code && printed.Currency == sold.Currency &&
		printed.BoardsMax == sold.BoardsMax && printed.QuickPick == sold.QuickPick &&
		reflect.DeepEqual(printed.Matrices, sold.Matrices) && reflect.DeepEqual(printed.Multiple, sold.Multiple) &&
		slices.Equal(printed.Stakes, sold.Stakes) && slices.Equal(printed.DrawCounts, sold.DrawCounts)
}

// isCode says whether s has the form of a game's code.
func isCode(s string) bool {
	if s == "" || len(s) > 40 {
		return false
	}
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}
