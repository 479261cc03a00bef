package central

import (
	"crypto/rand"
	"time"
)

// Clock tells a node the time. Now never steps back or jumps: it is what turns
// are dated with. Wall is the wall clock, which somebody may set; when the two
// part by more than [clockTolerance] the node stops selling and drawing (F18).
type Clock struct {
	Now  func() time.Time
	Wall func() time.Time
	// Simulated is a clock of a test or a benchmark: the database server's is not compared with it.
	Simulated bool
}

// clockTolerance is how far the clocks of a node and of its database server may differ.
const clockTolerance = 2 * time.Second

// SystemClock is the clock of the machine: wall time at start plus monotonic time.
func SystemClock() Clock {
	start := time.Now()
	return Clock{
		Now:  func() time.Time { return start.Add(time.Since(start)).Round(0) },
		Wall: func() time.Time { return time.Now().Round(0) },
	}
}

// random fills b with randomness of the operating system; it does not fail.
func random(b []byte) { _, _ = rand.Read(b) }
