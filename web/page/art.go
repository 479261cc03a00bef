package page

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"tirage/game"
)

// Spot is where a place stands on the drawing of the island, art/island.svg,
// in units of its view box.
type Spot struct{ X, Y int }

// island is art/map.json, drawn beside island.svg.
type island struct {
	ViewBox [4]int          `json:"viewBox"`
	Places  map[string]Spot `json:"places"`
}

func readIsland(files fs.FS) (island, error) {
	var m island
	b, err := fs.ReadFile(files, "static/art/map.json")
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(b, &m); err != nil {
		return m, fmt.Errorf("art/map.json: %w", err)
	}
	return m, nil
}

// style places each element over the island: class "at-KEY" in a box with the
// island's proportions. Pages may not carry styles of their own (see the
// policy of package web), so it is a file, map.css.
func (m island) style() []byte {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(m.Places)) {
		s := m.Places[key]
		fmt.Fprintf(&b, ".at-%s{left:%.2f%%;top:%.2f%%}\n", key, 100*float64(s.X)/float64(m.ViewBox[2]), 100*float64(s.Y)/float64(m.ViewBox[3]))
	}
	return []byte(b.String())
}

var theIsland = func() island {
	m, err := readIsland(files)
	if err != nil {
		panic("page: " + err.Error())
	}
	return m
}()

// SpotOf returns where the place with a key stands on the island.
func SpotOf(key string) (Spot, error) {
	s, ok := theIsland.Places[key]
	if !ok {
		return s, fmt.Errorf("no place %s on the map", key)
	}
	return s, nil
}

// HasArt tells whether there is a drawing of this name: "logo-amigo".
func HasArt(name string) bool {
	_, ok := common.assets.byName["art/"+name+".svg"]
	return ok
}

// LogoOf names the drawing of a game's logo; "" when it has none, and its name stands for it.
func LogoOf(code game.Code) string {
	if name := "logo-" + string(code); HasArt(name) {
		return name
	}
	return ""
}
