package page

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"tirage/art"
	"tirage/game"
)

// mapStyle places each element over the island: class "at-KEY" in a box with the
// island's proportions. Pages may not carry styles of their own (see the
// policy of package web), so it is a file, map.css.
func mapStyle() []byte {
	m := art.Island
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(m.Places)) {
		s := m.Places[key]
		fmt.Fprintf(&b, ".at-%s{left:%.2f%%;top:%.2f%%}\n", key, 100*float64(s.X)/float64(m.ViewBox[2]), 100*float64(s.Y)/float64(m.ViewBox[3]))
	}
	return []byte(b.String())
}

// SpotOf returns where the place with a key stands on the island.
func SpotOf(key string) (art.Spot, error) {
	s, ok := art.Island.Places[key]
	if !ok {
		return s, fmt.Errorf("no place %s on the map", key)
	}
	return s, nil
}

// Look is how a matrix is drawn, by its shape and by the drawings there are: its text names the style.
type Look string

// The looks, the first that fits holds.
const (
	LookColumns   Look = "columns" // the matrix has columns
	LookIsland    Look = "island"  // its elements are places of the island
	LookPortraits Look = "crew"    // they have portraits
	LookGrid      Look = "grid"    // all else, so that any published book can be sold and drawn
)

// LookOf says how a matrix is drawn.
func LookOf(m game.Matrix) Look {
	return lookOf(m, func(key string) bool { _, ok := art.Island.Places[key]; return ok }, art.Has)
}

// lookOf is LookOf with a map and drawings: a place is one with both.
func lookOf(m game.Matrix, onMap, drawn func(string) bool) Look {
	all := func(l Look) bool {
		return !slices.ContainsFunc(m.Elements, func(e game.Element) bool {
			return !drawn(l.ArtOf(e)) || l == LookIsland && !onMap(e.Key)
		})
	}
	switch {
	case m.Columns > 0:
		return LookColumns
	case all(LookIsland):
		return LookIsland
	case all(LookPortraits):
		return LookPortraits
	}
	return LookGrid
}

// ArtOf names the drawing of an element: "place-port-royal"; "" when its name stands for it.
func (l Look) ArtOf(e game.Element) string {
	switch l {
	case LookIsland:
		return "place-" + e.Key
	case LookPortraits:
		return "pirate-" + e.Key
	case LookColumns, LookGrid:
	}
	return ""
}

// LogoOf names the drawing of a game's logo; "" when it has none, and its name stands for it.
func LogoOf(code game.Code) string {
	if name := "logo-" + string(code); art.Has(name) {
		return name
	}
	return ""
}
