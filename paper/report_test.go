package paper

import (
	"bytes"
	"cmp"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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
		Total: []string{"Total", "1\u202f354,00\u00a0€", "56,00\u00a0€"},
		Lang:  "fr", At: time.Date(2027, 1, 11, 5, 0, 0, 0, time.UTC),
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
		for _, want := range []string{"Relevé", "04/01/2027 – 10/01/2027", "Amigo", "1 234,00 €", "−61,70 €", "Total", "1 354,00 €", "Solde de clôture", "1 116,30 €"} {
			if !strings.Contains(said, want) {
				t.Errorf("%s does not say %q", name, want)
			}
		}
		if n := strings.Count(said, "L’Ile au Trésor"); n != 60 {
			t.Errorf("%s has %d rows, want 60", name, n)
		}
	}
}

// Heads that are longer than their columns are broken, and stand on each sheet.
func TestReport_LongHeads(t *testing.T) {
	t.Parallel()
	r := Report{
		Title: "Gains", Columns: []string{"Point de vente", "Ventes", "Reçus payés", "Gains payés", "Dont vendus ici", "Gains de ceux-ci", "Leur part des ventes"}, Lang: "fr",
	}
	for range 60 {
		r.Rows = append(r.Rows, []string{"9", "1\u202f234\u202f567,00\u00a0€", "12", "56,00\u00a0€", "3", "12,00\u00a0€", "aucune vente"})
	}
	pdf, err := r.A4()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "report.pdf")
	if err := os.WriteFile(file, pdf, 0o600); err != nil {
		t.Fatal(err)
	}
	boxes, err := exec.CommandContext(t.Context(), "pdftotext", "-bbox", file, "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	word := regexp.MustCompile(`xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="[\d.]+">([^<]+)<`)
	sheets := strings.Split(string(boxes), "<page ")[1:]
	if len(sheets) != 2 {
		t.Fatalf("%d sheets, want 2", len(sheets))
	}
	for n, sheet := range sheets {
		type span struct {
			from, to float64
			word     string
		}
		lines := map[string][]span{} // by height
		for _, m := range word.FindAllStringSubmatch(sheet, -1) {
			from, err1 := strconv.ParseFloat(m[1], 64)
			to, err2 := strconv.ParseFloat(m[3], 64)
			if err := errors.Join(err1, err2); err != nil {
				t.Fatal(err)
			}
			lines[m[2]] = append(lines[m[2]], span{from, to, m[4]})
		}
		said := 0
		for _, line := range lines {
			slices.SortFunc(line, func(a, b span) int { return cmp.Compare(a.from, b.from) })
			for i, w := range line {
				if i > 0 && w.from < line[i-1].to {
					t.Errorf("sheet %d: %q begins at %.1f, and %q before it ends at %.1f", n+1, w.word, w.from, line[i-1].word, line[i-1].to)
				}
				if w.word == "ceux-ci" {
					said++
				}
			}
		}
		if said != 1 {
			t.Errorf("sheet %d has the heads %d times", n+1, said)
		}
	}
}
