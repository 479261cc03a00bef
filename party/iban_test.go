package party

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// examples are the numbers that the registry of ISO 13616 gives for each country.
var examples = []string{
	"AD12 0001 2030 2003 5910 0100", "AL47 2121 1009 0000 0002 3569 8741", "AT61 1904 3002 3457 3201", "BE68 5390 0754 7034",
	"BG80 BNBG 9661 1020 3456 78", "CH93 0076 2011 6238 5295 7", "CY17 0020 0128 0000 0012 0052 7600", "CZ65 0800 0000 1920 0014 5399",
	"DE89 3704 0044 0532 0130 00", "DK50 0040 0440 1162 43", "EE38 2200 2210 2014 5685", "ES91 2100 0418 4502 0005 1332",
	"FI21 1234 5600 0007 85", "FR14 2004 1010 0505 0001 3M02 606", "GB29 NWBK 6016 1331 9268 19", "GI75 NWBK 0000 0000 7099 453",
	"GR16 0110 1250 0000 0001 2300 695", "HR12 1001 0051 8630 0016 0", "HU42 1177 3016 1111 1018 0000 0000", "IE29 AIBK 9311 5212 3456 78",
	"IS14 0159 2600 7654 5510 7303 39", "IT60 X054 2811 1010 0000 0123 456", "LI21 0881 0000 2324 013A A", "LT12 1000 0111 0100 1000",
	"LU28 0019 4006 4475 0000", "LV80 BANK 0000 4351 9500 1", "MC58 1122 2000 0101 2345 6789 030", "MD24 AG00 0225 1000 1310 4168",
	"ME25 5050 0001 2345 6789 51", "MK07 2501 2000 0058 984", "MT84 MALT 0110 0001 2345 MTLC AST0 01S", "NL91 ABNA 0417 1643 00",
	"NO93 8601 1117 947", "PL61 1090 1014 0000 0712 1981 2874", "PT50 0002 0123 1234 5678 9015 4", "RO49 AAAA 1B31 0075 9384 0000",
	"RS35 2600 0560 1001 6113 79", "SE45 5000 0000 0583 9825 7466", "SI56 2633 0001 2039 086", "SK31 1200 0000 1987 4263 7541",
	"SM86 U032 2509 8000 0000 0270 100", "VA59 0011 2300 0012 3456 78",
}

func TestParseIBAN(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, text := range examples {
		iban, err := ParseIBAN(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if iban.String() != text {
			t.Errorf("%s is written %s", text, iban)
		}
		if again, err := ParseIBAN("  " + strings.ToLower(string(iban)) + " "); err != nil || again != iban {
			t.Errorf("%s in small letters: %q, %v", text, again, err)
		}
		seen[text[:2]] = true
	}
	for country := range ibanLengths {
		if !seen[country] {
			t.Errorf("no example of %s", country)
		}
	}
	for _, bad := range []string{
		"", "F", "FR", "FR14", "FR14 2004 1010 0505 0001 3M02 60", "FR14 2004 1010 0505 0001 3M02 6061", "FR15 2004 1010 0505 0001 3M02 606",
		"FR14-2004-1010-0505-0001-3M02-606", "US14 2004 1010 0505 0001 3M02 606", "FR14 2004 1010 0505 0001 3M02 60é", strings.Repeat("FR14", 100),
		"BR15 0000 0000 0000 1093 2840 814P 2", "FR1B 2004 1010 0505 0001 3M02 606", "\x00R14 2004 1010 0505 0001 3M02 606", "SA03 8000 0000 6080 1016 7519",
	} {
		if iban, err := ParseIBAN(bad); !errors.Is(err, ErrIBAN) || iban != "" {
			t.Errorf("%q: %q, %v; want %v", bad, iban, err, ErrIBAN)
		}
	}
}

// The check digits 00, 01 and 99 are those of 97, 98 and 02: there is one way to write a number.
func TestParseIBAN_OneWay(t *testing.T) {
	t.Parallel()
	for rest := range 1000 {
		body := fmt.Sprintf("12345678901%03d", rest)
		valid := 0
		for check := range 100 {
			if _, err := ParseIBAN(fmt.Sprintf("BE%02d%s", check, body[2:])); err == nil {
				valid++
			}
		}
		if valid != 1 {
			t.Errorf("%s: %d pairs of check digits are right", body, valid)
		}
	}
}

// One wrong digit, one wrong letter, or two neighbouring digits exchanged, are always found.
func TestParseIBAN_Slips(t *testing.T) {
	t.Parallel()
	const digits, letters = "0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	for _, text := range examples {
		good := strings.ReplaceAll(text, " ", "")
		for i := range good {
			alphabet := digits
			if good[i] > '9' {
				alphabet = letters
			}
			for _, c := range []byte(alphabet) {
				if bad := good[:i] + string(c) + good[i+1:]; bad != good {
					if _, err := ParseIBAN(bad); err == nil {
						t.Errorf("%s is taken for %s", bad, good)
					}
				}
			}
			if i > 4 && good[i] != good[i-1] && max(good[i], good[i-1]) <= '9' {
				bad := good[:i-1] + good[i:i+1] + good[i-1:i] + good[i+1:]
				if _, err := ParseIBAN(bad); err == nil {
					t.Errorf("%s is taken for %s", bad, good)
				}
			}
		}
	}
}

func FuzzParseIBAN(f *testing.F) {
	for _, text := range examples {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		iban, err := ParseIBAN(text)
		if err != nil {
			return
		}
		if again, err := ParseIBAN(iban.String()); err != nil || again != iban {
			t.Errorf("%q is %q, which is %q: %v", text, iban, again, err)
		}
	})
}

func TestSEPAText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Hélène Dupré-Ça":     "Helene Dupre-Ca",
		"L’Œuvre d'Ægir":      "L'OEuvre d'AEgir",
		"Straße 5":            "Strasse 5",
		"Łukasz Żółć":         "Lukasz Zolc",
		"Søren Ðorđe Þór":     "Soren Dorde Thor",
		"Γιώργος Ψαράς":       "Giorgos Psaras",
		"Щастлива Юлия":       "Shtastliva Yuliya",
		"A & B <c> \"d\" e_f": "A + B .c. .d. e-f",
		"  a\t\n b  ":         "a b",
		"山田 a":                ".. a",
		"//x /y":              "x /y",
		"a//b":                "a/b",
		"Iıİ":                 "IiI",
		"":                    "",
	} {
		if got := sepaText(text, 70); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		got := sepaText(text, 35)
		if len(got) > 35 || strings.Trim(got, sepaCharacters) != "" || strings.HasPrefix(got, "/") || strings.Contains(got, "//") || strings.TrimSpace(got) != got {
			t.Errorf("%q: %q", text, got)
		}
		if sepaText(got, 35) != got {
			t.Errorf("%q changes again: %q", got, sepaText(got, 35))
		}
	})
}
