package party

import (
	"bytes"
	"encoding/xml"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tirage/money"
)

func debitFile(debits ...Debit) DebitFile {
	return DebitFile{
		ID: "TIRAGE-D1204", CreatedAt: time.Date(2027, 1, 12, 10, 30, 12, 345, time.UTC), CollectOn: time.Date(2027, 1, 15, 0, 0, 0, 0, time.UTC),
		Creditor: Creditor{Name: "Loterie de démonstration", ID: "FR72ZZZ123456", IBAN: "FR7630006000011234567890189"}, Debits: debits,
	}
}

var (
	tabac  = Mandate{ID: "PDV-214", SignedOn: 20_000, Holder: "Tabac de l’Église", IBAN: "FR1420041010050500013M02606"}
	presse = Mandate{ID: "PDV-215", SignedOn: 20_100, Holder: "Maison de la presse & Cie", IBAN: "DE89370400440532013000", BIC: "COBADEFF"}
)

func TestDebitFile_Golden(t *testing.T) {
	t.Parallel()
	f := debitFile(
		Debit{1187, tabac, false, "Loterie : votre relevé 1187", 123_456},
		Debit{1190, presse, true, "Loterie : votre relevé 1190", 1},
		Debit{1191, tabac, false, "Loterie : votre relevé 1191", money.Euros(1_000_000)},
	)
	got := f.Encode()
	const name = "testdata/debit.xml"
	if *update {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if !bytes.Equal(got, f.Encode()) {
		t.Error("the same direct debits give other bytes")
	}
}

// TestDebitFile: whatever is debited, each amount is in the block of its
// sequence type, once, and counts and sums agree.
func TestDebitFile(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var debits []Debit
		var sum money.Amount
		for i := range rapid.IntRange(1, 20).Draw(t, "debits") {
			amount := money.Amount(rapid.Int64Range(1, 1_000_000).Draw(t, "amount"))
			holder := rapid.StringN(1, 80, 200).Draw(t, "holder")
			m := Mandate{ID: "M", Holder: "x" + holder, IBAN: tabac.IBAN}
			debits = append(debits, Debit{uint64(i), m, rapid.Bool().Draw(t, "first"), "relevé", amount})
			sum += amount
		}
		var read debitDocument
		if err := xml.Unmarshal(debitFile(debits...).Encode(), &read); err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, p := range read.Payments {
			for _, x := range p.Transactions {
				n++
				i := slices.IndexFunc(debits, func(d Debit) bool { return strconv.FormatUint(d.ID, 10) == x.EndToEnd })
				if i < 0 || x.Amount.Amount != debits[i].Amount.String() || debits[i].First != (p.Sequence == "FRST") || strings.Trim(x.Name, sepaCharacters) != "" || x.Name == "" {
					t.Errorf("%+v in the block of %s", x, p.Sequence)
				}
			}
		}
		if n != len(debits) || read.Header.Sum != sum.String() {
			t.Errorf("%d direct debits of %s, want %d of %s", n, read.Header.Sum, len(debits), sum)
		}
	})
}

func TestParseCreditorID(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"FR72ZZZ123456": "FR72ZZZ123456", " fr72 zzz 123456": "FR72ZZZ123456", "DE98ZZZ09999999999": "DE98ZZZ09999999999", "FR72ABC123456": "FR72ABC123456",
	} {
		if got, err := ParseCreditorID(text); got != want || err != nil {
			t.Errorf("%s: %s, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "FR72ZZZ123457", "FR73ZZZ123456", "72FRZZZ123456", "FR72ZZZ", "FR72ZZZ12345é", strings.Repeat("F", 100)} {
		if _, err := ParseCreditorID(text); !errors.Is(err, ErrCreditor) {
			t.Errorf("%q: got %v", text, err)
		}
	}
}

func TestMandate(t *testing.T) {
	t.Parallel()
	for _, m := range []Mandate{tabac, presse} {
		if err := m.Check(20_100); err != nil {
			t.Errorf("%+v: %v", m, err)
		}
	}
	for name, c := range map[string]struct {
		field  MandateField
		change func(*Mandate)
	}{
		"no reference":         {MandateID, func(m *Mandate) { m.ID = "" }},
		"long reference":       {MandateID, func(m *Mandate) { m.ID = strings.Repeat("x", 36) }},
		"reference in a space": {MandateID, func(m *Mandate) { m.ID = "a b" }},
		"nobody's":             {MandateHolder, func(m *Mandate) { m.Holder = " " }},
		"long name":            {MandateHolder, func(m *Mandate) { m.Holder = strings.Repeat("x", 201) }},
		"signed tomorrow":      {MandateSigned, func(m *Mandate) { m.SignedOn = 20_101 }},
		"bank":                 {MandateBIC, func(m *Mandate) { m.BIC = "x" }},
	} {
		m := tabac
		c.change(&m)
		err := m.Check(20_100)
		if e := new(MandateError); !errors.Is(err, ErrMandate) || !errors.As(err, &e) || e.Field != c.field {
			t.Errorf("%s: %v, want %s", name, err, c.field)
		}
	}
}
