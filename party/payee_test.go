package party_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"tirage/party"
)

func TestPayee(t *testing.T) {
	t.Parallel()
	today := int32(time.Date(2027, 1, 4, 0, 0, 0, 0, time.UTC).Unix() / 86400)
	whole := party.Payee{Name: "Léa Martin", BirthDate: "1980-02-29", Address: "3 rue du Port\n97400 Saint-Denis", Document: "carte d’identité AB"}
	if err := whole.Check(today); err != nil {
		t.Errorf("%+v: %v", whole, err)
	}
	if got := (party.Payee{Name: " Léa Martin ", BirthDate: "1980-02-29\n", Address: whole.Address + " ", Document: "\t" + whole.Document}).Trim(); got != whole {
		t.Errorf("trimmed: %+v", got)
	}
	for name, change := range map[string]func(*party.Payee){
		"no name":            func(p *party.Payee) { p.Name = " " },
		"no address":         func(p *party.Payee) { p.Address = "" },
		"no document":        func(p *party.Payee) { p.Document = "" },
		"no birth date":      func(p *party.Payee) { p.BirthDate = "" },
		"no day":             func(p *party.Payee) { p.BirthDate = "1981-02-29" },
		"other order":        func(p *party.Payee) { p.BirthDate = "29/02/1980" },
		"not born yet":       func(p *party.Payee) { p.BirthDate = "2027-01-05" },
		"long dead":          func(p *party.Payee) { p.BirthDate = "1789-07-14" },
		"endless":            func(p *party.Payee) { p.Address = strings.Repeat("é", party.PayeeMax+1) },
		"control":            func(p *party.Payee) { p.Name = "Léa\x00" },
		"turned around":      func(p *party.Payee) { p.Document = "AB\u202ECD" },
		"not letters at all": func(p *party.Payee) { p.Name = "\xff" },
	} {
		p := whole
		if change(&p); !errors.Is(p.Check(today), party.ErrPayee) {
			t.Errorf("%s: %+v is taken", name, p)
		}
	}
}
