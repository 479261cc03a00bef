package journal

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"
)

// ErrFrontier is bytes that are not a [Frontier].
var ErrFrontier = errors.New("not a Merkle frontier")

// LeafHash returns the hash of a record's bytes as a leaf (RFC 6962 §2.1).
func LeafHash(b []byte) Hash {
	var stack [1024]byte // most records fit, so nothing is allocated
	buf := append(stack[:0], 0)
	return sha256.Sum256(append(buf, b...))
}

// NodeHash returns the hash of a node with children l and r (RFC 6962 §2.1).
func NodeHash(l, r Hash) Hash {
	var buf [1 + 2*len(Hash{})]byte
	buf[0] = 1
	copy(buf[1:], l[:])
	copy(buf[1+len(l):], r[:])
	return sha256.Sum256(buf[:])
}

// Frontier is the right edge of a Merkle tree, which is all that is needed to
// append to it and to know its root. The zero value is the empty tree.
type Frontier struct {
	Size  uint64 // leaves
	Nodes []Hash // roots of the perfect subtrees that make the tree, largest first
}

// Append adds a leaf.
func (f *Frontier) Append(leaf Hash) {
	for s := f.Size; s&1 == 1; s >>= 1 {
		last := len(f.Nodes) - 1
		leaf = NodeHash(f.Nodes[last], leaf)
		f.Nodes = f.Nodes[:last]
	}
	f.Nodes = append(f.Nodes, leaf)
	f.Size++
}

// Root returns the RFC 6962 root of the tree. That of the empty tree is the
// SHA-256 of nothing.
func (f Frontier) Root() Hash {
	if len(f.Nodes) == 0 {
		return sha256.Sum256(nil)
	}
	root := f.Nodes[len(f.Nodes)-1]
	for _, n := range slices.Backward(f.Nodes[:len(f.Nodes)-1]) {
		root = NodeHash(n, root)
	}
	return root
}

// Clone returns a copy that shares nothing with f.
func (f Frontier) Clone() Frontier {
	return Frontier{Size: f.Size, Nodes: slices.Clone(f.Nodes)}
}

// MarshalBinary returns the size in 8 big-endian bytes, then the nodes. It
// never fails.
func (f Frontier) MarshalBinary() ([]byte, error) {
	b := make([]byte, 0, 8+len(f.Nodes)*len(Hash{}))
	b = binary.BigEndian.AppendUint64(b, f.Size)
	for _, n := range f.Nodes {
		b = append(b, n[:]...)
	}
	return b, nil
}

// UnmarshalBinary reads what MarshalBinary writes, and returns [ErrFrontier]
// for anything else.
func (f *Frontier) UnmarshalBinary(b []byte) error {
	if len(b) < 8 {
		return fmt.Errorf("%w: %d bytes", ErrFrontier, len(b))
	}
	size := binary.BigEndian.Uint64(b)
	if len(b) != 8+bits.OnesCount64(size)*len(Hash{}) {
		return fmt.Errorf("%w: %d bytes for size %d", ErrFrontier, len(b), size)
	}
	f.Size, f.Nodes = size, splitHashes(b[8:])
	return nil
}

// splitHashes cuts b, whose length is a multiple of 32, into hashes.
func splitHashes(b []byte) []Hash {
	var hashes []Hash
	for h := range slices.Chunk(b, len(Hash{})) {
		hashes = append(hashes, Hash(h))
	}
	return hashes
}

// perfectRoot returns the root over hashes, whose number is a power of two.
// It overwrites them.
func perfectRoot(hashes []Hash) Hash {
	for len(hashes) > 1 {
		for i := range len(hashes) / 2 {
			hashes[i] = NodeHash(hashes[2*i], hashes[2*i+1])
		}
		hashes = hashes[:len(hashes)/2]
	}
	return hashes[0]
}
