package journal

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
)

var (
	// ErrProof is a proof that does not prove what it should.
	ErrProof = errors.New("proof does not hold")
	// ErrSize is an index or an older size that the tree does not have.
	ErrSize = errors.New("tree is too small")
)

// ProveInclusion returns the proof that the leaf at index is in the tree of
// that size (RFC 6962 §2.1.1), from the leaf's sibling up. It reads a tile
// once, at most two a level, with the width that it has in that tree: where
// more is stored by now, the reader returns the first hashes. It returns
// [ErrSize] for an index outside the tree and the errors of the reader.
func ProveInclusion(index, size uint64, read TileReader) ([]Hash, error) {
	if index >= size {
		return nil, fmt.Errorf("%w: index %d, size %d", ErrSize, index, size)
	}
	t := newTree(size, read)
	var proof []Hash
	lo, hi := uint64(0), size
	for hi-lo > 1 { // from the root down
		mid := lo + split(hi-lo)
		if index < mid {
			proof = append(proof, t.root(mid, hi))
			hi = mid
		} else {
			proof = append(proof, t.root(lo, mid))
			lo = mid
		}
	}
	return t.finish(proof)
}

// ProveConsistency returns the proof that the tree of size old is the
// beginning of the tree of that size (RFC 6962 §2.1.2). It is empty when old
// is 0 or size. It reads tiles as [ProveInclusion] does, and returns [ErrSize]
// when old is more than size.
func ProveConsistency(old, size uint64, read TileReader) ([]Hash, error) {
	if old > size {
		return nil, fmt.Errorf("%w: old size %d, size %d", ErrSize, old, size)
	}
	if old == 0 || old == size {
		return nil, nil
	}
	t := newTree(size, read)
	var proof []Hash
	lo, hi := uint64(0), size
	for hi != old { // from the root down to where the old tree ends
		mid := lo + split(hi-lo)
		if old <= mid {
			proof = append(proof, t.root(mid, hi))
			hi = mid
		} else {
			proof = append(proof, t.root(lo, mid))
			lo = mid
		}
	}
	if lo > 0 { // else the last subtree is the old tree, whose root is known
		proof = append(proof, t.root(lo, hi))
	}
	return t.finish(proof)
}

// split returns the size of the left subtree of a tree of n > 1 leaves: the
// largest power of two below n.
func split(n uint64) uint64 { return 1 << (bits.Len64(n-1) - 1) }

// tree computes roots of subtrees from tiles, each of which it reads once.
// After an error it reads no more.
type tree struct {
	size  uint64
	read  TileReader
	tiles map[tileKey][]Hash
	err   error
}

type tileKey struct {
	level int
	n     uint64
}

func newTree(size uint64, read TileReader) *tree {
	return &tree{size: size, read: read, tiles: map[tileKey][]Hash{}}
}

// finish turns a proof found from the root down into one from the leaf up.
func (t *tree) finish(proof []Hash) ([]Hash, error) {
	if t.err != nil {
		return nil, t.err
	}
	slices.Reverse(proof)
	return proof, nil
}

// root returns the root over leaves lo to hi − 1, a subtree of the tree.
func (t *tree) root(lo, hi uint64) Hash {
	n := hi - lo
	if n&(n-1) == 0 {
		return t.perfect(bits.TrailingZeros64(n), lo)
	}
	mid := lo + split(n)
	return NodeHash(t.root(lo, mid), t.root(mid, hi))
}

// perfect returns the root over the 2^height leaves from lo. Its hashes stand
// side by side in one tile.
func (t *tree) perfect(height int, lo uint64) Hash {
	level := height / tileHeight
	first := lo >> (level * tileHeight)
	tile := t.tile(level, first/TileWidth)
	if t.err != nil {
		return Hash{}
	}
	from := int(first % TileWidth)
	hashes := make([]Hash, 1<<(height%tileHeight))
	copy(hashes, tile[from:])
	return perfectRoot(hashes)
}

// tile returns a tile of the tree.
func (t *tree) tile(level int, n uint64) []Hash {
	key := tileKey{level, n}
	if tile, ok := t.tiles[key]; ok || t.err != nil {
		return tile
	}
	width := min(TileWidth, t.size>>(level*tileHeight)-n*TileWidth)
	tile, err := readTile(t.read, level, n, int(width))
	t.tiles[key], t.err = tile, err
	return tile
}

// VerifyInclusion returns [ErrProof] unless the proof shows that the tree of
// that size and root has the leaf at index (RFC 9162 §2.1.3.2).
func VerifyInclusion(index, size uint64, leaf Hash, proof []Hash, root Hash) error {
	if index >= size {
		return fmt.Errorf("%w: index %d, size %d", ErrProof, index, size)
	}
	at, last, h := index, size-1, leaf
	for _, p := range proof {
		if last == 0 {
			return fmt.Errorf("%w: inclusion of %d in %d: too long", ErrProof, index, size)
		}
		if at&1 == 1 || at == last {
			h = NodeHash(p, h)
			for at&1 == 0 && at != 0 {
				at, last = at>>1, last>>1
			}
		} else {
			h = NodeHash(h, p)
		}
		at, last = at>>1, last>>1
	}
	if last != 0 || h != root {
		return fmt.Errorf("%w: inclusion of %d in %d", ErrProof, index, size)
	}
	return nil
}

// VerifyConsistency returns [ErrProof] unless the proof shows that the tree of
// size old is the beginning of the other (RFC 9162 §2.1.4.2).
func VerifyConsistency(old, size uint64, oldRoot, root Hash, proof []Hash) error {
	bad := fmt.Errorf("%w: consistency of %d with %d", ErrProof, old, size)
	switch {
	case old > size:
		return bad
	case old == size || old == 0:
		if len(proof) > 0 || (old == size && oldRoot != root) ||
			(old == 0 && oldRoot != Frontier{}.Root()) {
			return bad
		}
		return nil
	}
	if old&(old-1) == 0 { // the old tree is one node of the new
		proof = append([]Hash{oldRoot}, proof...)
	}
	if len(proof) == 0 {
		return bad
	}
	shift := bits.TrailingZeros64(^(old - 1))
	at, last := (old-1)>>shift, (size-1)>>shift
	oldHash, newHash := proof[0], proof[0]
	for _, p := range proof[1:] {
		if last == 0 {
			return bad
		}
		if at&1 == 1 || at == last {
			oldHash, newHash = NodeHash(p, oldHash), NodeHash(p, newHash)
			for at&1 == 0 && at != 0 {
				at, last = at>>1, last>>1
			}
		} else {
			newHash = NodeHash(newHash, p)
		}
		at, last = at>>1, last>>1
	}
	if last != 0 || oldHash != oldRoot || newHash != root {
		return bad
	}
	return nil
}
