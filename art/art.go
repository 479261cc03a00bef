// Package art is the drawings of Tirage, one set in one line and palette, for pages and paper alike.
package art

import (
	"embed"
	"encoding/json"
)

// Files are the drawings, NAME.svg, at the root.
//
//go:embed *.svg
var Files embed.FS

//go:embed map.json
var mapFile []byte

// Spot is where a place stands on the drawing of the island, island.svg, in units of its view box.
type Spot struct{ X, Y int }

// Map is map.json, drawn beside island.svg.
type Map struct {
	ViewBox [4]int          `json:"viewBox"`
	Places  map[string]Spot `json:"places"` // by the key of the place
}

// Island is where the places stand on the island.
var Island = func() (m Map) {
	if err := json.Unmarshal(mapFile, &m); err != nil {
		panic("art: map.json: " + err.Error())
	}
	return m
}()

// Has tells whether there is a drawing of this name: "logo-amigo".
func Has(name string) bool {
	f, err := Files.Open(name + ".svg")
	if err != nil {
		return false
	}
	return f.Close() == nil
}
