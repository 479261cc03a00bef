package party

import (
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// ErrPayee is a payee whose name, birth date, address or document is missing or cannot be right.
var ErrPayee = errors.New("name, birth date, address and document of the payee are needed")

// Payee is who was paid, where that is asked ([Terms.IdentityFrom]). It is kept
// sealed, and stands in no record but by a salted hash.
type Payee struct {
	Name      string // as the document has it
	BirthDate string // "1980-02-29"
	Address   string
	Document  string // its kind and number
}

// PayeeMax is the most characters of a field of a payee.
const PayeeMax = 200

// Trim is the payee without spaces around his fields.
func (p Payee) Trim() Payee {
	return Payee{strings.TrimSpace(p.Name), strings.TrimSpace(p.BirthDate), strings.TrimSpace(p.Address), strings.TrimSpace(p.Document)}
}

// Check tells whether a payee can be recorded on a day (since 1970): nil or [ErrPayee].
func (p Payee) Check(today int32) error {
	for _, field := range []string{p.Name, p.Address, p.Document} {
		control := func(r rune) bool {
			return unicode.IsControl(r) && r != '\n' && r != '\r' || unicode.Is(unicode.Bidi_Control, r)
		}
		if strings.TrimSpace(field) == "" || !utf8.ValidString(field) || utf8.RuneCountInString(field) > PayeeMax || strings.ContainsFunc(field, control) {
			return ErrPayee
		}
	}
	born, err := time.Parse(time.DateOnly, p.BirthDate)
	if err != nil || born.Year() < 1880 || born.Unix()/86400 > int64(today) {
		return ErrPayee
	}
	return nil
}
