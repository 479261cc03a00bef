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
	for name, c := range map[string]struct {
		change func(*party.Payee)
		field  party.PayeeField
		rule   party.PayeeRule
	}{
		"no name":            {func(p *party.Payee) { p.Name = " " }, party.PayeeName, party.PayeeMissing},
		"no address":         {func(p *party.Payee) { p.Address = "" }, party.PayeeAddress, party.PayeeMissing},
		"no document":        {func(p *party.Payee) { p.Document = "" }, party.PayeeDocument, party.PayeeMissing},
		"no birth date":      {func(p *party.Payee) { p.BirthDate = "" }, party.PayeeBorn, party.PayeeMissing},
		"no day":             {func(p *party.Payee) { p.BirthDate = "1981-02-29" }, party.PayeeBorn, party.PayeeDate},
		"other order":        {func(p *party.Payee) { p.BirthDate = "29/02/1980" }, party.PayeeBorn, party.PayeeDate},
		"not born yet":       {func(p *party.Payee) { p.BirthDate = "2027-01-05" }, party.PayeeBorn, party.PayeeLifetime},
		"long dead":          {func(p *party.Payee) { p.BirthDate = "1789-07-14" }, party.PayeeBorn, party.PayeeLifetime},
		"endless":            {func(p *party.Payee) { p.Address = strings.Repeat("é", party.PayeeMax+1) }, party.PayeeAddress, party.PayeeLong},
		"control":            {func(p *party.Payee) { p.Name = "Léa\x00" }, party.PayeeName, party.PayeeSigns},
		"turned around":      {func(p *party.Payee) { p.Document = "AB\u202ECD" }, party.PayeeDocument, party.PayeeSigns},
		"not letters at all": {func(p *party.Payee) { p.Name = "\xff" }, party.PayeeName, party.PayeeSigns},
	} {
		p := whole
		c.change(&p)
		err := p.Check(today)
		why, ok := errors.AsType[*party.PayeeError](err)
		if !errors.Is(err, party.ErrPayee) || !ok || len(why.Faults) != 1 || why.Faults[c.field] != c.rule {
			t.Errorf("%s: %v, want %s: %s", name, err, c.field, c.rule)
		}
	}
	all := party.Payee{BirthDate: "x"}.Check(today)
	if want := party.ErrPayee.Error() + "; name: missing; born: date; address: missing; document: missing"; all == nil || all.Error() != want {
		t.Errorf("all wrong: %v, want %s", all, want)
	}
}
