package wager

import (
	"runtime"
	"testing"

	"tirage/game"
)

// TestExposureMemory: what is sold of a large game in a thousand draws takes about as much as is sold.
func TestExposureMemory(t *testing.T) {
	r, err := game.Parse("big.yaml", []byte(`game: big
version: x
name: {fr: Big, en: Big}
kind: fixed-prize
first_day: 2027-01-01
unit_stake: 1
stakes: [1]
draw_counts: [1, 1000]
cap: {max: 200}
matrices:
  - {key: n, name: {fr: N, en: N}, pick: 5, count: 74}
prize_tables:
  - key: ordinary
    tiers:
      - {name: "5", hits: {n: 5}, prize: 100}
`))
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	draws := make([]*Exposure, 100)
	for i := range draws {
		draws[i] = NewExposure(r)
		draws[i].Add(game.Combination(i), 1)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("one ticket in %d draws takes %d MiB", len(draws), n>>20)
	}
	runtime.KeepAlive(draws)
}
