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
