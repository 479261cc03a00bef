package paper

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A report says on A4 and on the roll all that it is given, with the same bytes each time.
func TestReport(t *testing.T) {
	t.Parallel()
	r := Report{
		Title: "Relevé", Head: [][2]string{{"Période", "04/01/2027 – 10/01/2027"}}, Columns: []string{"Jeu", "Ventes", "Gains payés"},
		Rows: [][]string{{"Amigo", "1\u202f234,00\u00a0€", "56,00\u00a0€"}}, Sums: [][2]string{{"Commission", "−61,70\u00a0€"}, {"Solde de clôture", "1\u202f116,30\u00a0€"}},
		Lang: "fr", At: time.Date(2027, 1, 11, 5, 0, 0, 0, time.UTC),
	}
	for range 60 { // more than a sheet holds
		r.Rows = append(r.Rows, []string{"L’Ile au Trésor", "2,00\u00a0€", "0,00\u00a0€"})
	}
	for name, draw := range map[string]func() ([]byte, error){"A4": r.A4, "roll": r.RollPDF} {
		first, err := draw()
		if err != nil {
			t.Fatal(err)
		}
		if again, err := draw(); err != nil || !bytes.Equal(first, again) {
			t.Errorf("%s: other bytes the second time; %v", name, err)
		}
		file := filepath.Join(t.TempDir(), name+".pdf")
		if err := os.WriteFile(file, first, 0o600); err != nil {
			t.Fatal(err)
		}
		text, err := exec.CommandContext(t.Context(), "pdftotext", "-layout", file, "-").Output()
		if err != nil {
			t.Fatal(err)
		}
		said := strings.Join(strings.Fields(string(text)), " ")
		for _, want := range []string{"Relevé", "04/01/2027 – 10/01/2027", "Amigo", "1 234,00 €", "−61,70 €", "Solde de clôture", "1 116,30 €"} {
			if !strings.Contains(said, want) {
				t.Errorf("%s does not say %q", name, want)
			}
		}
		if n := strings.Count(said, "L’Ile au Trésor"); n != 60 {
			t.Errorf("%s has %d rows, want 60", name, n)
		}
	}
}
