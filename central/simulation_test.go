package central_test

import (
	"flag"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/internal/dbtest"
	"tirage/internal/sim"
)

var (
	simSteps = flag.Int("steps", 50_000, "operations of TestSimulation on each database")
	simSeed  = flag.Uint64("seed", 0, "seed of TestSimulation; 0 is another one each time")
)

// TestSimulation does random operations on two small games and an instant one, and compares the system with a naive model.
func TestSimulation(t *testing.T) {
	t.Parallel()
	seed := *simSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	dbtest.Each(t, func(t *testing.T, dsn string) {
		t.Cleanup(func() {
			if t.Failed() {
				t.Logf("again with: -run TestSimulation -seed %d -steps %d", seed, *simSteps)
			}
		})
		sim.Simulate(t, sim.Options{
			DSN: dsn, Books: [][]byte{smallIsland(t), smallAmigo(t)}, Instant: cove(t), Seed: seed, Steps: *simSteps,
			Exposed: func(sys *central.System, id draw.ID, c game.Combination) int { return sys.Exposed(id, c) },
		})
	})
}

// paris is where the clocks of the tests hang.
var paris, _ = time.LoadLocation("Europe/Paris")

// smallIsland is an island of four combinations, with a low cap, and claims that soon end.
func smallIsland(t testing.TB) []byte {
	return scenarioBook(t, "petite-ile", "max: 50", "max: 12", "days: 60", "days: 1", "[mon, thu], draws: [95, 98]", "[mon, tue, thu, sat, sun], draws: [40, 60]",
		"[mon, thu], draws: [167, 168]", "[mon, tue, thu, sat, sun], draws: [95, 130]")
}

// smallAmigo is an Amigo of 16 combinations, whose jackpot comes to each of its
// ends every few draws; in one territory some draws have another prize table.
func smallAmigo(t testing.TB) []byte {
	return scenarioBook(t, "petit-amigo", "days: 60", "days: 1", "[1, 2, 5, 10, 20, 100]", "[1, 2, 5]",
		"[{times: 1, chances: 1}]", "[{times: 1, chances: 1}, {times: 2, chances: 3}, {times: 10, chances: 1}]",
		"threshold: 1000000", "threshold: 250001", "one_in: 500", "one_in: 3", "ceiling: 1500000", "ceiling: 250003",
		"share: 1/100", "share: 10007/1000000",
		"\nquick_pick:", simulatedFeast)
}

const simulatedFeast = `
  - key: feast
    tiers:
      - {name: 3+1, hits: {numbers: 3, jackpot: 1}, prize: jackpot, payable: next_morning, paid_at: payment_centre}
      - {name: "3", hits: {numbers: 3}, prize: 12.50}
      - {name: "2", hits: {numbers: 2}, prize: 2.10}

promotions:
  - {table: feast, days: [2027-01-01, 2029-12-31], draws: [[20, 60]], territories: [reunion]}

limit: {max: 200, scope: total, plays: all}

quick_pick:`

// scenarioBook is a rule book of the scenarios, with pairs of old and new text.
func scenarioBook(t testing.TB, name string, replace ...string) []byte {
	t.Helper()
	book, err := os.ReadFile("../testdata/" + name + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	return replaced(t, string(book), replace)
}
