package journal

import (
	"encoding/binary"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"github.com/transparency-dev/merkle/testonly"
	"pgregory.net/rapid"
)

// forest is a tree made by all that this package has, and the same by the oracle.
type forest struct {
	oracle   *testonly.Tree
	frontier Frontier
	tiler    *Tiler
	hashes   [levels][]Hash // by tile level, filled by the tiles that the tiler gave
	roots    []Hash         // by size
}

func grow(t testing.TB, size int) *forest {
	t.Helper()
	f := &forest{oracle: testonly.New(rfc6962.DefaultHasher), roots: []Hash{Frontier{}.Root()}}
	var err error
	if f.tiler, err = NewTiler(0, nil); err != nil {
		t.Fatal(err)
	}
	for i := range size {
		record := binary.BigEndian.AppendUint64(nil, uint64(i))
		f.oracle.AppendData(record)
		leaf := LeafHash(record)
		f.frontier.Append(leaf)
		f.roots = append(f.roots, f.frontier.Root())
		f.hashes[0] = append(f.hashes[0], leaf)
		for _, tile := range f.tiler.Append(leaf) {
			want := f.hashes[tile.Level][tile.N*TileWidth:]
			if len(want) != TileWidth || !slices.Equal(tile.Hashes, joinHashes(want)) {
				t.Fatalf("leaf %d: tile %d of level %d", i, tile.N, tile.Level)
			}
			f.hashes[tile.Level+1] = append(f.hashes[tile.Level+1], tile.Root())
		}
	}
	return f
}

// wide is a forest past 256², made once. No test changes it.
func wide(t testing.TB) *forest {
	wideOnce.Do(func() { wideForest = grow(t, 66_000) })
	if wideForest == nil {
		t.Fatal("the wide forest did not grow")
	}
	return wideForest
}

var (
	wideOnce   sync.Once
	wideForest *forest
)

// read is a TileReader. It refuses what no tree asks for.
func (f *forest) read(level int, n uint64, width int) ([]Hash, error) {
	first := int(n) * TileWidth
	if width < 1 || width > TileWidth || first+width > len(f.hashes[level]) {
		return nil, errors.New("no such tile")
	}
	return f.hashes[level][first : first+width], nil
}

func bytesOf(hashes []Hash) [][]byte {
	var all [][]byte
	for _, h := range hashes {
		all = append(all, h[:])
	}
	return all
}

// sizes counts from a size to another.
func sizes(from, to, step int) []uint64 {
	var all []uint64
	for s := from; s <= to; s += step {
		all = append(all, uint64(s))
	}
	return all
}

func TestFrontier(t *testing.T) {
	t.Parallel()
	f := wide(t)
	for size, root := range f.roots {
		if want := f.oracle.HashAt(uint64(size)); string(root[:]) != string(want) {
			t.Fatalf("size %d: root %x, want %x", size, root, want)
		}
	}
}

func TestFrontierBytes(t *testing.T) {
	t.Parallel()
	var f Frontier
	for range 600 {
		b, err := f.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var got Frontier
		if err := got.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(f, got); d != "" {
			t.Fatal(d)
		}
		for _, bad := range [][]byte{nil, b[:7], b[:len(b)-1], append(slices.Clone(b), 0), append(slices.Clone(b), make([]byte, 32)...)} {
			if err := got.UnmarshalBinary(bad); !errors.Is(err, ErrFrontier) {
				t.Fatalf("size %d: %d bytes: %v", f.Size, len(bad), err)
			}
		}
		f.Append(LeafHash(b))
	}
}

func TestFrontierClone(t *testing.T) {
	t.Parallel()
	f := grow(t, 7).frontier
	before, c := f.Root(), f.Clone()
	c.Append(Hash{1})
	f2 := f.Clone()
	f2.Append(Hash{2})
	if f.Root() != before || c.Root() == f2.Root() {
		t.Fatal("clones share nodes")
	}
}

func TestTilerRestart(t *testing.T) {
	t.Parallel()
	f := wide(t)
	check := func(size int) {
		t.Helper()
		got, err := NewTiler(uint64(size), f.read)
		if err != nil {
			t.Fatalf("size %d: %v", size, err)
		}
		for level := range levels {
			n, hashes := got.Partial(level)
			count := size >> (tileHeight * level)
			if n != uint64(count/TileWidth) || !slices.Equal(hashes, f.hashes[level][count/TileWidth*TileWidth:count]) {
				t.Fatalf("size %d: partial tile of level %d: %d with %d hashes", size, level, n, len(hashes))
			}
		}
		// It goes on as one that never stopped; its clone does not see it.
		c := got.Clone()
		for _, leaf := range f.hashes[0][size:min(size+300, len(f.hashes[0]))] {
			for _, tile := range got.Append(leaf) {
				if want := f.hashes[tile.Level][tile.N*TileWidth:][:TileWidth]; !slices.Equal(tile.Hashes, joinHashes(want)) {
					t.Fatalf("size %d: tile %d of level %d", size, tile.N, tile.Level)
				}
			}
		}
		if _, hashes := c.Partial(0); c.Size() != uint64(size) || len(hashes) != size%TileWidth {
			t.Fatalf("size %d: clone changed", size)
		}
	}
	for _, size := range append(sizes(0, 600, 1), sizes(65_500, 65_800, 7)...) {
		check(int(size))
	}
	short := func(level int, n uint64, width int) ([]Hash, error) { return make([]Hash, width-1), nil }
	if _, err := NewTiler(5, short); !errors.Is(err, ErrTile) {
		t.Fatalf("short tile: %v", err)
	}
	if _, err := NewTiler(66_001, f.read); err == nil {
		t.Fatal("the reader's error is lost")
	}
}

// counted makes the reader fail when a tile is asked for twice, and when a
// level is read more than twice.
func counted(t *testing.T, read TileReader) TileReader {
	seen, levels := map[tileKey]bool{}, map[int]int{}
	return func(level int, n uint64, width int) ([]Hash, error) {
		key := tileKey{level, n}
		if levels[level]++; seen[key] || levels[level] > 2 {
			t.Errorf("level %d is read %d times, tile %d twice: %t", level, levels[level], n, seen[key])
		}
		seen[key] = true
		return read(level, n, width)
	}
}

func testInclusion(t *testing.T, f *forest, index, size uint64) {
	t.Helper()
	got, err := ProveInclusion(index, size, counted(t, f.read))
	if err != nil {
		t.Fatalf("inclusion of %d in %d: %v", index, size, err)
	}
	want, err := f.oracle.InclusionProof(index, size)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(bytesOf(got), want, slices.Equal) {
		t.Fatalf("inclusion of %d in %d: %x, want %x", index, size, got, want)
	}
	leaf, root := f.hashes[0][index], f.roots[size]
	if err := VerifyInclusion(index, size, leaf, got, root); err != nil {
		t.Fatal(err)
	}
	if err := proof.VerifyInclusion(rfc6962.DefaultHasher, index, size, leaf[:], bytesOf(got), root[:]); err != nil {
		t.Fatal(err)
	}
}

func testConsistency(t *testing.T, f *forest, old, size uint64) {
	t.Helper()
	got, err := ProveConsistency(old, size, counted(t, f.read))
	if err != nil {
		t.Fatalf("consistency of %d with %d: %v", old, size, err)
	}
	want, err := f.oracle.ConsistencyProof(old, size)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(bytesOf(got), want, slices.Equal) {
		t.Fatalf("consistency of %d with %d: %x, want %x", old, size, got, want)
	}
	if err := VerifyConsistency(old, size, f.roots[old], f.roots[size], got); err != nil {
		t.Fatal(err)
	}
}

// some are the places in a tree of n leaves where something could differ.
func some(n uint64) []uint64 {
	if n <= 100 {
		return sizes(0, int(n), 1)
	}
	all := []uint64{0, 1, 2, 3, 127, 128, 255, 256, 257, 511, 512, 513, 65_279, 65_280, 65_535, 65_536, 65_537, n / 2, n / 3, n - 2, n - 1, n}
	return slices.DeleteFunc(all, func(i uint64) bool { return i > n })
}

func TestProofs(t *testing.T) {
	t.Parallel()
	f := wide(t)
	for _, size := range append(sizes(1, 600, 1), append(sizes(65_535, 65_800, 9), 65_536, 65_537, 65_792, 65_793)...) {
		for _, i := range some(size) {
			if i < size {
				testInclusion(t, f, i, size)
			}
			testConsistency(t, f, i, size)
		}
	}
	if _, err := ProveInclusion(5, 5, f.read); !errors.Is(err, ErrSize) {
		t.Errorf("index outside the tree: %v", err)
	}
	if _, err := ProveConsistency(6, 5, f.read); !errors.Is(err, ErrSize) {
		t.Errorf("older tree is larger: %v", err)
	}
	if _, err := ProveInclusion(5, 70_000, f.read); err == nil {
		t.Error("the reader's error is lost")
	}
}

// A proof holds for what it was made for and for nothing else.
func TestProofsRefused(t *testing.T) {
	t.Parallel()
	f := grow(t, 600)
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.Uint64Range(1, 600).Draw(t, "size")
		index := rapid.Uint64Range(0, size-1).Draw(t, "index")
		proof, err := ProveInclusion(index, size, f.read)
		if err != nil {
			t.Fatal(err)
		}
		leaf, root := f.hashes[0][index], f.roots[size]
		refused := func(what string, err error) {
			if !errors.Is(err, ErrProof) {
				t.Fatalf("%s: %v", what, err)
			}
		}
		refused("leaf", VerifyInclusion(index, size, Hash{1}, proof, root))
		refused("root", VerifyInclusion(index, size, leaf, proof, Hash{1}))
		refused("size", VerifyInclusion(size, size, leaf, proof, root))
		refused("long", VerifyInclusion(index, size, leaf, append(slices.Clone(proof), Hash{}), root))
		if other := rapid.Uint64Range(0, size-1).Draw(t, "other"); other != index {
			refused("index", VerifyInclusion(other, size, leaf, proof, root))
		}
		for i := range proof {
			bad := slices.Clone(proof)
			bad[i][31] ^= 1
			refused("hash", VerifyInclusion(index, size, leaf, bad, root))
			refused("short", VerifyInclusion(index, size, leaf, proof[:i], root))
		}

		old := rapid.Uint64Range(0, size).Draw(t, "old")
		proof, err = ProveConsistency(old, size, f.read)
		if err != nil {
			t.Fatal(err)
		}
		refused("old root", VerifyConsistency(old, size, Hash{1}, root, proof))
		refused("old larger", VerifyConsistency(size+1, size, f.roots[old], root, proof))
		refused("long", VerifyConsistency(old, size, f.roots[old], root, append(slices.Clone(proof), Hash{})))
		if old > 0 {
			refused("root", VerifyConsistency(old, size, f.roots[old], Hash{1}, proof))
		}
		for i := range proof {
			bad := slices.Clone(proof)
			bad[i][31] ^= 1
			refused("hash", VerifyConsistency(old, size, f.roots[old], root, bad))
			refused("short", VerifyConsistency(old, size, f.roots[old], root, proof[:i]))
		}
	})
}

// The hashes of a proof can be right and too few for the size that is claimed.
func TestProofsOfAnotherSize(t *testing.T) {
	t.Parallel()
	f := grow(t, 2)
	proof := []Hash{f.hashes[0][1]}
	if err := VerifyConsistency(1, 2, f.roots[1], f.roots[2], proof); err != nil {
		t.Error(err)
	}
	if err := VerifyConsistency(1, 3, f.roots[1], f.roots[2], proof); !errors.Is(err, ErrProof) {
		t.Errorf("consistency: %v", err)
	}
	if err := VerifyInclusion(0, 3, f.hashes[0][0], proof, f.roots[2]); !errors.Is(err, ErrProof) {
		t.Errorf("inclusion: %v", err)
	}
}

func BenchmarkAppend(b *testing.B) {
	tiler, err := NewTiler(0, nil)
	if err != nil {
		b.Fatal(err)
	}
	var f Frontier
	record := make([]byte, 180)
	b.ReportAllocs()
	for b.Loop() {
		leaf := LeafHash(record)
		f.Append(leaf)
		tiler.Append(leaf)
	}
}
