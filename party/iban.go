package party

import (
	"errors"
	"fmt"
	"strings"
)

// ErrIBAN is not an IBAN of a country that euro transfers reach (ISO 13616).
var ErrIBAN = errors.New("not a valid IBAN")

// IBAN is the international number of a bank account (ISO 13616), without
// spaces and in capitals.
type IBAN string

// ibanLengths are the lengths of IBANs by country, for the countries that take
// SEPA transfers (EPC 409-09; lengths of the registry of ISO 13616). The French
// overseas departments and collectivities have the numbers of France.
var ibanLengths = map[string]int{
	"AD": 24, "AL": 28, "AT": 20, "BE": 16, "BG": 22, "CH": 21, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "EE": 20,
	"ES": 24, "FI": 18, "FR": 27, "GB": 22, "GI": 23, "GR": 27, "HR": 21, "HU": 28, "IE": 22, "IS": 26, "IT": 27,
	"LI": 21, "LT": 20, "LU": 20, "LV": 21, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MT": 31, "NL": 18, "NO": 15,
	"PL": 28, "PT": 25, "RO": 24, "RS": 22, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "VA": 22,
}

// ParseIBAN reads an IBAN as people write it, with spaces and in capitals or
// not. What is not one is [ErrIBAN]: its country, its length or its check digits are wrong.
func ParseIBAN(text string) (IBAN, error) {
	var b strings.Builder
	for _, c := range []byte(text) {
		switch {
		case c == ' ':
			continue
		case 'a' <= c && c <= 'z':
			c -= 'a' - 'A'
		case 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		default:
			return "", fmt.Errorf("%w: it has other characters than letters and digits", ErrIBAN)
		}
		if b.Len() == ibanMax {
			return "", fmt.Errorf("%w: longer than %d characters", ErrIBAN, ibanMax)
		}
		b.WriteByte(c)
	}
	iban := b.String()
	if len(iban) < 4 {
		return "", fmt.Errorf("%w: too short", ErrIBAN)
	}
	switch length, ok := ibanLengths[iban[:2]]; {
	case !ok:
		return "", fmt.Errorf("%w: no euro transfers to country %q", ErrIBAN, iban[:2])
	case len(iban) != length:
		return "", fmt.Errorf("%w: %d characters, those of %s have %d", ErrIBAN, len(iban), iban[:2], length)
	case iban[2] > '9' || iban[3] > '9' || iban[2:4] < "02" || iban[2:4] > "98" || mod97(iban) != 1:
		return "", fmt.Errorf("%w: its check digits do not agree with the rest", ErrIBAN)
	}
	return IBAN(iban), nil
}

// ibanMax is how long an IBAN is at most.
const ibanMax = 34

// mod97 is what remains of the number that an IBAN is, its first four
// characters moved to its end and its letters read as 10 to 35 (ISO 7064).
func mod97(iban string) int {
	rest := 0
	for _, c := range []byte(iban[4:] + iban[:4]) {
		if c >= 'A' {
			rest = (rest*100 + int(c-'A') + 10) % 97
		} else {
			rest = (rest*10 + int(c-'0')) % 97
		}
	}
	return rest
}

// String writes an IBAN in groups of four, as it is printed.
func (i IBAN) String() string {
	var b strings.Builder
	for n := 0; n < len(i); n += 4 {
		if n > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(string(i[n:min(n+4, len(i))]))
	}
	return b.String()
}
