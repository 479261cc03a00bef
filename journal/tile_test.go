package journal

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/tlog"
	"pgregory.net/rapid"
)

func TestPaths(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		level int
		n     uint64
		width int
		want  string
	}{
		{0, 0, 256, "tile/0/000"},
		{0, 0, 1, "tile/0/000.p/1"},
		{1, 999, 255, "tile/1/999.p/255"},
		{2, 1000, 256, "tile/2/x001/000"},
		{0, 1234067, 256, "tile/0/x001/x234/067"},
		{0, 1<<56 - 1, 17, "tile/0/x072/x057/x594/x037/x927/935.p/17"},
		{6, 255, 256, "tile/6/255"},
		{7, 0, 255, "tile/7/000.p/255"},
	} {
		if got := TilePath(tt.level, tt.n, tt.width); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
		level, n, width, err := ParseTilePath(tt.want)
		if level != tt.level || n != tt.n || width != tt.width || err != nil {
			t.Errorf("%s: %d %d %d %v", tt.want, level, n, width, err)
		}
		entries := "tile/entries/" + strings.SplitN(tt.want, "/", 3)[2]
		if got := EntriesPath(tt.n, tt.width); got != entries {
			t.Errorf("got %s, want %s", got, entries)
		}
		n, width, err = ParseEntriesPath(entries) // level 0 has the most tiles
		if n != tt.n || width != tt.width || err != nil {
			t.Errorf("%s: %d %d %v", entries, n, width, err)
		}
	}
}

// The paths are those of x/mod but for the tile height, which it also writes.
func TestPathsOracle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		o := tlog.Tile{
			H: 8, L: rapid.IntRange(0, 63).Draw(t, "level"),
			N: rapid.Int64Min(0).Draw(t, "n"), W: rapid.IntRange(1, 256).Draw(t, "width"),
		}
		want := strings.Replace(o.Path(), "tile/8/", "tile/", 1)
		if got := TilePath(o.L, uint64(o.N), o.W); got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
	})
}

func TestPathsRefused(t *testing.T) {
	t.Parallel()
	for _, path := range []string{
		"", "tile", "tile/", "tile/0", "tile/0/", "tile/0/0", "tile/0/0000", "tile/0/x000/000", "tile/0/001/000",
		"tile/0/x001", "tile/0/x1/000", "tile/00/000", "tile/-1/000", "tile/+1/000", "tile/64/000", "tile/0/-01", "tile/0/+01",
		"tile/0/000.p/0", "tile/0/000.p/256", "tile/0/000.p/01", "tile/0/000.p/", "tile/0/000.p/1/", "tile/0/000/",
		"/tile/0/000", "tile/0/000.p/1.p/1", "tile/0/X001/000", "tile/data/000", "tile/0/../000", "tile/0/00a", "tile/0//000",
		"tile/0/x072/x057/x594/x037/x927/936", "tile/6/256", "tile/7/001", "tile/8/000", // in no tree of 64 bits
		"tile/0/x018/x446/x744/x073/x709/x551/616", "tile/0/x999/x999/x999/x999/x999/x999/x999/999",
	} {
		if _, _, _, err := ParseTilePath(path); !errors.Is(err, ErrPath) {
			t.Errorf("%q: %v", path, err)
		}
		entries := strings.Replace(path, "tile/0/", "tile/entries/", 1)
		if _, _, err := ParseEntriesPath(entries); !errors.Is(err, ErrPath) {
			t.Errorf("%q: %v", entries, err)
		}
	}
	if _, _, _, err := ParseTilePath("tile/entries/000"); !errors.Is(err, ErrPath) {
		t.Error("a bundle is taken for a tile")
	}
}

func FuzzPaths(f *testing.F) {
	f.Add("tile/0/x001/x234/067.p/3")
	f.Add("tile/entries/000")
	f.Fuzz(func(t *testing.T, path string) {
		if level, n, width, err := ParseTilePath(path); err == nil && TilePath(level, n, width) != path {
			t.Errorf("%q is not the path of %d %d %d", path, level, n, width)
		}
		if n, width, err := ParseEntriesPath(path); err == nil && EntriesPath(n, width) != path {
			t.Errorf("%q is not the path of %d %d", path, n, width)
		}
	})
}

func TestBundle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		records := rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 0, 300), 0, 10).Draw(t, "records")
		records = append(records, make([]byte, SizeMax))
		var b []byte
		for _, r := range records {
			b = AppendBundle(b, r)
		}
		got, err := SplitBundle(b)
		if err != nil || !slices.EqualFunc(got, records, bytes.Equal) {
			t.Fatalf("%d records of %d, %v", len(got), len(records), err)
		}
		if _, err := SplitBundle(b[:len(b)-1]); !errors.Is(err, ErrBundle) {
			t.Fatalf("cut in a record: %v", err)
		}
		if _, err := SplitBundle(append(b, 0)); !errors.Is(err, ErrBundle) {
			t.Fatalf("cut in a length: %v", err)
		}
	})
	// Whoever appends to a record does not write into the next.
	got, err := SplitBundle([]byte{0, 1, 'a', 0, 1, 'b'})
	if err != nil {
		t.Fatal(err)
	}
	_ = append(got[0], 'x', 'x', 'x')
	if string(got[1]) != "b" {
		t.Error("records share their room")
	}
}
