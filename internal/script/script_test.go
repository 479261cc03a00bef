package script

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tirage/internal/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

var update = flag.Bool("update", false, "write the answers of the system into the scenarios")

// folder holds the scenarios.
const folder = "../../testdata"

// TestScenarios runs each scenario on each engine.
func TestScenarios(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios in %s: %v", folder, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			dbtest.Each(t, func(t *testing.T, dsn string) {
				got, err := Run(t.Context(), dsn, folder, want)
				if err != nil {
					t.Fatalf("%s: %v\n%s", file, err, got)
				}
				if *update && strings.HasPrefix(dsn, "sqlite:") {
					if err := os.WriteFile(file, got, 0o644); err != nil {
						t.Fatal(err)
					}
				}
				if diff := cmp.Diff(string(want), string(got)); diff != "" && !*update {
					t.Errorf("%s: the system answers otherwise (-scenario +system):\n%s", file, diff)
				}
			})
		})
	}
}

// sold is the start of a scenario in which every prize of draw 95 is won.
const sold = `rules petite-ile
prizes
  1+1 4.00
  1+0 2.00
  0+0 1.00
outlet A metropole credit 100.00
clock 2027-01-04 11:58:00
sell A T1 places 1 pirates 1 stake 2 draws 1
sell A T2 places 1 pirates 2 stake 2 draws 1
sell A T3 places 2 pirates 1 stake 2 draws 1
sell A T4 places 2 pirates 2 stake 2 draws 1
clock 2027-01-05 06:00:00
`

// TestRun_Errors: a scenario that cannot be carried out fails, and so does one
// whose prize table is not what the system pays by.
func TestRun_Errors(t *testing.T) {
	t.Parallel()
	wrong := strings.Replace(sold, "1+0 2.00", "1+0 3.00", 1)
	for name, test := range map[string]struct{ scenario, want string }{
		"not a command":        {"# a comment\n\nsettle 95\n", "line 3: settle 95: not understood"},
		"no such game":         {"rules nothing\n", "no such file"},
		"a faulty rule book":   {"rules petite-ile with unit_stake=3\n", "a multiple of the unit stake"},
		"no such field":        {"rules petite-ile with cap.most=3\n", "has no field cap.most"},
		"an open apostrophe":   {"rules petite-ile with cap.max='3\n", "an apostrophe without its other"},
		"a rule book first":    {"outlet A metropole credit 10.00\n", "not understood"},
		"no such territory":    {"rules petite-ile\noutlet A lune credit 10.00\n", "lune is not a territory"},
		"no such outlet":       {"rules petite-ile\nsell A T1 flash stake 2 draws 1\n", `no outlet is called "A"`},
		"no such matrix":       {sold + "sell A T5 numbers 1 stake 2 draws 1\n", "not understood"},
		"a name twice":         {sold + "sell A T1 flash stake 2 draws 1\n", "two tickets are called T1"},
		"no such ticket":       {sold + "check T9\n", `no ticket is called "T9"`},
		"back in time":         {sold + "clock 2027-01-05 05:00:00\n", "not understood"},
		"nobody has it":        {sold + "cancel A T1\ncall X 2+1 of 95\n", "0 tickets have hits 2+1 in draw 95"},
		"audit, other prizes":  {wrong + "audit\n", "wins 3.00 by the table"},
		"payment, other prize": {wrong + "pay A all\n", "wins 3.00 by the table"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := Run(t.Context(), dbtest.SQLite(t), folder, []byte(test.scenario))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q\n%s", err, test.want, out)
			}
		})
	}
}

// TestRun_Answers: answers are those of the system, whatever was typed.
func TestRun_Answers(t *testing.T) {
	t.Parallel()
	out, err := Run(t.Context(), dbtest.SQLite(t), folder, []byte("rules petite-ile\nstatus\n  all is well\n\n# the end\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := "rules petite-ile\nstatus\n  nothing sells before 2027-01-04 11:00:00 CET\n\n# the end\n"
	if diff := cmp.Diff(want, string(out)); diff != "" {
		t.Error(diff)
	}
}
