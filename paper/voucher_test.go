package paper

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// A voucher says what it is worth, its code and where it was sold, alike on each printer;
// printed again it says so, and one sold in training that it is worth nothing.
func TestVoucher(t *testing.T) {
	t.Parallel()
	v := Voucher{
		Number: 1234567, Code: "0000-0D1N-9D47-DN2C-RQP5", Amount: 5000, Outlet: 214, Zone: time.FixedZone("", -4*3600),
		SoldAt: time.Date(2027, 1, 4, 10, 53, 0, 0, time.UTC), PrintedAt: time.Date(2027, 1, 4, 11, 0, 0, 0, time.UTC),
	}
	says := func(v Voucher) string {
		var words []string
		for _, m := range v.layOut().marks {
			words = append(words, m.words)
		}
		return strings.ReplaceAll(strings.Join(words, " "), nbsp, " ")
	}
	for _, want := range []string{"Bon de versement", "50,00 €", v.Code, "214", "1234567", "04/01/2027 06:53:00", "09 74 75 13 13"} {
		if !strings.Contains(says(v), want) {
			t.Errorf("the voucher does not say %q: %s", want, says(v))
		}
	}
	for _, mark := range []string{"DUPLICATA", "SPÉCIMEN"} {
		if strings.Contains(says(v), mark) {
			t.Errorf("a voucher is marked %s", mark)
		}
	}
	again, training := v, v
	again.Copy, training.Training = 2, true
	if !strings.Contains(says(again), "DUPLICATA 2 Réimprimé le 04/01/2027 07:00") {
		t.Errorf("printed again: %s", says(again))
	}
	if n := strings.Count(says(training), "SPÉCIMEN"); n < 2 {
		t.Errorf("in training it is marked %d times, want above and below", n)
	}
	first, err := v.PDF()
	if err != nil {
		t.Fatal(err)
	}
	if second, err := v.PDF(); err != nil || !bytes.Equal(first, second) || !bytes.HasPrefix(first, []byte("%PDF-")) {
		t.Errorf("PDF: the same twice: %t; %v", bytes.Equal(first, second), err)
	}
	if got := v.ESCPOS(); !bytes.Equal(got, escpos(v.Image())) || bytes.Equal(got, again.ESCPOS()) {
		t.Error("a printer is sent something else than the picture")
	}
	if got := v.Image().Bounds().Dx(); got != rollWidth {
		t.Errorf("%d dots wide", got)
	}
}
