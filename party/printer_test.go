package party

import (
	"errors"
	"testing"
)

func TestParsePrinter(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"192.0.2.7:9100":           "192.0.2.7:9100",
		" 192.0.2.7:9100\n":        "192.0.2.7:9100",
		"[2001:db8::7]:9100":       "[2001:db8::7]:9100",
		"[::ffff:192.0.2.7]:9100":  "192.0.2.7:9100", // one address has one name
		"192.0.2.7":                "",
		"192.0.2.7:0":              "",
		"192.0.2.7:70000":          "",
		"0.0.0.0:9100":             "",
		"224.0.0.1:9100":           "",
		"[fe80::1%eth0]:9100":      "",
		"printer.example:9100":     "",
		"http://192.0.2.7:9100/":   "",
		"192.0.2.7:9100\r\nHELO x": "",
		"":                         "",
	} {
		got, err := ParsePrinter(text)
		if want == "" {
			if !errors.Is(err, ErrPrinter) {
				t.Errorf("%q: %v, %v; want ErrPrinter", text, got, err)
			}
			continue
		}
		if err != nil || got.String() != want {
			t.Errorf("%q: %v, %v; want %s", text, got, err, want)
		}
	}
}
