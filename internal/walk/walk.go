// Package walk goes through everything that chance can give.
package walk

import "slices"

// A Walk stands in for a stream of package rng: over its runs, each of them
// ended by Next, it gives every sequence of choices that a stream can give,
// each once. (A stream chooses each of them equally often: tests of rng.)
// Choices are without their order. The zero value begins its first run.
type Walk struct {
	places []place
	at     int
}

type place struct {
	n      int
	choice []int
}

// Choose returns k of the numbers 0 to n−1, ascending.
func (w *Walk) Choose(n, k int) []int {
	if w.at == len(w.places) {
		first := make([]int, k)
		for i := range first {
			first[i] = i
		}
		w.places = append(w.places, place{n, first})
	}
	w.at++
	return slices.Clone(w.places[w.at-1].choice)
}

// Below returns one of the numbers 0 to n−1.
func (w *Walk) Below(n uint64) uint64 { return uint64(w.Choose(int(n), 1)[0]) }

// Next begins another run, and tells whether there is one.
func (w *Walk) Next() bool {
	w.at = 0
	for len(w.places) > 0 {
		p := w.places[len(w.places)-1]
		for i := len(p.choice) - 1; i >= 0; i-- {
			if p.choice[i] < p.n-len(p.choice)+i {
				p.choice[i]++
				for j := i + 1; j < len(p.choice); j++ {
					p.choice[j] = p.choice[j-1] + 1
				}
				return true
			}
		}
		w.places = w.places[:len(w.places)-1]
	}
	return false
}
