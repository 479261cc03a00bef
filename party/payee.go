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

// PayeeField is a field of a payee.
type PayeeField string

// The fields, as forms name them.
const (
	PayeeName     PayeeField = "name"
	PayeeBorn     PayeeField = "born"
	PayeeAddress  PayeeField = "address"
	PayeeDocument PayeeField = "document"
)

// PayeeRule is what a field of a payee must be.
type PayeeRule string

// The rules, as sentences name them.
const (
	PayeeMissing  PayeeRule = "missing"  // it is to be filled in
	PayeeLong     PayeeRule = "long"     // of at most [PayeeMax] characters
	PayeeSigns    PayeeRule = "signs"    // of characters that can be seen
	PayeeDate     PayeeRule = "date"     // a day, "1980-02-29"
	PayeeLifetime PayeeRule = "lifetime" // from 1880 to today
)

// PayeeError is an [ErrPayee] that names what is wrong, field by field; it has nothing of what they say.
type PayeeError struct{ Faults map[PayeeField]PayeeRule }

// Error names the fields, in the order of the form.
func (e *PayeeError) Error() string {
	parts := []string{ErrPayee.Error()}
	for _, field := range []PayeeField{PayeeName, PayeeBorn, PayeeAddress, PayeeDocument} {
		if rule, ok := e.Faults[field]; ok {
			parts = append(parts, string(field)+": "+string(rule))
		}
	}
	return strings.Join(parts, "; ")
}

// Rule is the rule that a field breaks; "": none. Nil breaks none.
func (e *PayeeError) Rule(field PayeeField) PayeeRule {
	if e == nil {
		return ""
	}
	return e.Faults[field]
}

// Unwrap is [ErrPayee].
func (e *PayeeError) Unwrap() error { return ErrPayee }

// Check tells whether a payee can be recorded on a day (since 1970): nil or a [PayeeError].
func (p Payee) Check(today int32) error {
	faults := map[PayeeField]PayeeRule{}
	for field, text := range map[PayeeField]string{PayeeName: p.Name, PayeeAddress: p.Address, PayeeDocument: p.Document} {
		if rule := payeeText(text); rule != "" {
			faults[field] = rule
		}
	}
	born, err := time.Parse(time.DateOnly, p.BirthDate)
	switch {
	case strings.TrimSpace(p.BirthDate) == "":
		faults[PayeeBorn] = PayeeMissing
	case err != nil:
		faults[PayeeBorn] = PayeeDate
	case born.Year() < 1880 || born.Unix()/86400 > int64(today):
		faults[PayeeBorn] = PayeeLifetime
	}
	if len(faults) > 0 {
		return &PayeeError{faults}
	}
	return nil
}

// payeeText is the rule that a text of a payee breaks; "": none.
func payeeText(text string) PayeeRule {
	hidden := func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' && r != '\r' || unicode.Is(unicode.Bidi_Control, r)
	}
	switch {
	case strings.TrimSpace(text) == "":
		return PayeeMissing
	case !utf8.ValidString(text) || strings.ContainsFunc(text, hidden):
		return PayeeSigns
	case utf8.RuneCountInString(text) > PayeeMax:
		return PayeeLong
	}
	return ""
}
