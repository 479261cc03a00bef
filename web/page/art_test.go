package page

import (
	"testing"

	"tirage/game"
)

// Whatever its name, a matrix is drawn by its shape.
func TestLookOf(t *testing.T) {
	t.Parallel()
	want := map[string]Look{"places": LookIsland, "pirates": LookPortraits, "numbers": LookColumns, "jackpot": LookGrid}
	for _, code := range []game.Code{"ile-au-tresor", "amigo"} {
		book, err := game.Book(code)
		if err != nil {
			t.Fatal(err)
		}
		r, err := game.Parse(string(code), book)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range r.Matrices {
			key := m.Key
			m.Key = "renamed"
			if got := LookOf(m); got != want[key] {
				t.Errorf("%s of %s: %s, want %s", key, code, got, want[key])
			}
		}
	}
}

// A place that is drawn but stands nowhere on the map, or stands there without
// a drawing, makes its matrix one of names: no page asks for what is not there.
func TestLookOf_PlacesInPart(t *testing.T) {
	t.Parallel()
	m := game.Matrix{Pick: 1, Elements: []game.Element{{Key: "cove"}, {Key: "reef"}}}
	all := func(string) bool { return true }
	but := func(name string) func(string) bool { return func(s string) bool { return s != name } }
	for _, c := range []struct {
		name         string
		onMap, drawn func(string) bool
		want         Look
	}{
		{"all", all, all, LookIsland},
		{"no spot", but("reef"), all, LookPortraits},
		{"no drawing", all, but("place-cove"), LookPortraits},
		{"no spot, no portrait", but("reef"), but("pirate-reef"), LookGrid},
	} {
		if got := lookOf(m, c.onMap, c.drawn); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
