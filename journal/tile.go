package journal

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// TileWidth is the number of hashes in a full tile, and of records in a full bundle.
const TileWidth = 256

// tileHeight is the number of tree levels that a tile stands for: 2^8 = 256.
const tileHeight = 8

// levels is the number of tile levels that a tree of 64-bit size can have.
const levels = 64 / tileHeight

// exists tells whether any tree of 64-bit size has tile n of a level, so that
// 256^(level+1) · n does not overflow.
func exists(level int, n uint64) bool {
	return level >= 0 && level < levels && n>>(tileHeight*(levels-1-level)) == 0
}

var (
	// ErrPath is a path that names neither a tile nor a bundle.
	ErrPath = errors.New("not the path of a tile")
	// ErrTile is a tile that has not the hashes that it should.
	ErrTile = errors.New("tile has the wrong number of hashes")
)

// Tile is a full tile: hash i of tile N at a level is the root of the 256^Level
// leaves from (256·N + i) · 256^Level.
type Tile struct {
	Level  int
	N      uint64
	Hashes []byte // 256 × 32 bytes, as served
}

// Root returns the root over the tile: the hash that it gives to the level above.
func (t Tile) Root() Hash {
	assert(len(t.Hashes) == TileWidth*len(Hash{}), "root of a partial tile")
	return perfectRoot(splitHashes(t.Hashes))
}

// TileReader returns the first width hashes (1 to 256) of tile n of a level.
type TileReader func(level int, n uint64, width int) ([]Hash, error)

// Tiler keeps the last, partial tile of each level, and gives each tile out
// once, when it is full.
type Tiler struct {
	size    uint64
	partial [levels][]Hash // fewer than 256 each
}

// NewTiler returns the tiler of a tree of that size. It reads the partial
// tiles of the tree, at most one a level, and passes the errors of the reader
// on; [ErrTile] if it returns another number of hashes than it was asked for.
func NewTiler(size uint64, partial TileReader) (*Tiler, error) {
	t := &Tiler{size: size}
	for level := range levels {
		n, width := partialTile(size, level)
		if width == 0 {
			continue
		}
		hashes, err := readTile(partial, level, n, width)
		if err != nil {
			return nil, err
		}
		t.partial[level] = slices.Clone(hashes)
	}
	return t, nil
}

// Append adds a leaf and returns the tiles that it fills, lowest level first.
func (t *Tiler) Append(leaf Hash) []Tile {
	var full []Tile
	t.size++
	for level, h := 0, leaf; level < levels; level++ {
		t.partial[level] = append(t.partial[level], h)
		if len(t.partial[level]) < TileWidth {
			break
		}
		n := (t.size - 1) >> (tileHeight * (level + 1))
		full = append(full, Tile{Level: level, N: n, Hashes: joinHashes(t.partial[level])})
		h = perfectRoot(t.partial[level])
		t.partial[level] = t.partial[level][:0]
	}
	return full
}

// Size returns the number of leaves.
func (t *Tiler) Size() uint64 { return t.size }

// Partial returns the last, partial tile of a level: its index and its hashes,
// which may be none and belong to t.
func (t *Tiler) Partial(level int) (n uint64, hashes []Hash) {
	n, _ = partialTile(t.size, level)
	return n, t.partial[level]
}

// Clone returns a copy that shares nothing with t.
func (t *Tiler) Clone() *Tiler {
	c := &Tiler{size: t.size}
	for level, hashes := range t.partial {
		c.partial[level] = slices.Clone(hashes)
	}
	return c
}

// partialTile returns the index and width of the partial tile that a tree of
// that size has at a level. Width 0: none.
func partialTile(size uint64, level int) (n uint64, width int) {
	hashes := size >> (tileHeight * level)
	return hashes / TileWidth, int(hashes % TileWidth)
}

// readTile reads a tile and checks its width.
func readTile(read TileReader, level int, n uint64, width int) ([]Hash, error) {
	hashes, err := read(level, n, width)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", TilePath(level, n, width), err)
	}
	if len(hashes) != width {
		return nil, fmt.Errorf("read %s: %w: %d", TilePath(level, n, width), ErrTile, len(hashes))
	}
	return hashes, nil
}

func joinHashes(hashes []Hash) []byte {
	b := make([]byte, 0, len(hashes)*len(Hash{}))
	for _, h := range hashes {
		b = append(b, h[:]...)
	}
	return b
}

// TilePath returns the path of a tile below a log's prefix:
// "tile/1/x001/x234/067", "tile/0/000.p/17" (C2SP tlog-tiles).
func TilePath(level int, n uint64, width int) string {
	return "tile/" + strconv.Itoa(level) + "/" + indexPath(n, width)
}

// EntriesPath returns the path of a bundle: "tile/entries/000.p/17".
func EntriesPath(n uint64, width int) string {
	return "tile/entries/" + indexPath(n, width)
}

// ParseTilePath reads what [TilePath] writes, and returns [ErrPath] for
// anything else and for a tile that no tree of 64-bit size has.
func ParseTilePath(path string) (level int, n uint64, width int, err error) {
	rest, ok := strings.CutPrefix(path, "tile/")
	l, rest, cut := strings.Cut(rest, "/")
	level, err = strconv.Atoi(l)
	if !ok || !cut || err != nil {
		return 0, 0, 0, pathError(path)
	}
	n, width, ok = parseIndexPath(rest)
	if !ok || !exists(level, n) || TilePath(level, n, width) != path {
		return 0, 0, 0, pathError(path)
	}
	return level, n, width, nil
}

// ParseEntriesPath reads what [EntriesPath] writes, and returns [ErrPath] for
// anything else and for a bundle that no tree of 64-bit size has.
func ParseEntriesPath(path string) (n uint64, width int, err error) {
	rest, ok := strings.CutPrefix(path, "tile/entries/")
	if !ok {
		return 0, 0, pathError(path)
	}
	n, width, ok = parseIndexPath(rest)
	if !ok || !exists(0, n) || EntriesPath(n, width) != path {
		return 0, 0, pathError(path)
	}
	return n, width, nil
}

func pathError(path string) error { return fmt.Errorf("%w: %.80q", ErrPath, path) }

// indexPath writes an index in groups of three digits, all but the last
// marked with x, and the width of a partial tile.
func indexPath(n uint64, width int) string {
	path := fmt.Sprintf("%03d", n%1000)
	for n >= 1000 {
		n /= 1000
		path = fmt.Sprintf("x%03d/", n%1000) + path
	}
	if width < TileWidth {
		path += ".p/" + strconv.Itoa(width)
	}
	return path
}

// parseIndexPath reads an index and a width without minding the form: the
// callers write them again and compare.
func parseIndexPath(path string) (n uint64, width int, ok bool) {
	index, w, partial := strings.Cut(path, ".p/")
	width = TileWidth
	if partial {
		var err error
		if width, err = strconv.Atoi(w); err != nil || width < 1 || width >= TileWidth {
			return 0, 0, false
		}
	}
	digits := strings.NewReplacer("x", "", "/", "").Replace(index)
	n, err := strconv.ParseUint(digits, 10, 64)
	return n, width, err == nil
}
