package art

import (
	"encoding/xml"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
)

// Each drawing is well-formed, and each place of the map has one and stands on the island.
func TestFiles(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(Files, "*.svg")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		b, err := Files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		d := xml.NewDecoder(strings.NewReader(string(b)))
		for err == nil {
			_, err = d.Token()
		}
		if !errors.Is(err, io.EOF) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(Island.Places) != 21 {
		t.Errorf("%d places on the map, want 21", len(Island.Places))
	}
	for key, s := range Island.Places {
		if !Has("place-" + key) {
			t.Errorf("no drawing of %s", key)
		}
		if s.X <= 0 || s.Y <= 0 || s.X >= Island.ViewBox[2] || s.Y >= Island.ViewBox[3] {
			t.Errorf("%s stands at %v, beside the map", key, s)
		}
	}
	if Has("place-") || Has("../go") {
		t.Error("a drawing that is none")
	}
}
