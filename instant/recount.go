package instant

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"iter"
	"math/bits"
	"strings"

	"tirage/journal"
	"tirage/money"
)

// Recount reads the leaves of a pool as anybody can who is given them, and
// compares the root over them, the number of units of each prize and their
// total with the table, or returns [ErrRecount] with what differs. It shares
// nothing with [Build], by which it is not misled.
func Recount(t *PrizeTable, units int, root journal.Hash, leaves iter.Seq[[]byte]) error {
	c := count{won: map[money.Amount]int{}}
	for leaf := range leaves {
		if c.read == units {
			return fmt.Errorf("%w: more than %d units", ErrRecount, units)
		}
		if err := c.add(leaf); err != nil {
			return fmt.Errorf("%w: %w", ErrRecount, err)
		}
	}
	if c.read != units {
		return fmt.Errorf("%w: %d units, expected %d", ErrRecount, c.read, units)
	}
	differs := c.compare(t)
	if c.root() != root {
		differs = append(differs, "the root is another")
	}
	if differs != nil {
		return fmt.Errorf("%w: %s", ErrRecount, strings.Join(differs, "; "))
	}
	return nil
}

// count is what was read of a pool.
type count struct {
	read int
	won  map[money.Amount]int // units by prize; 0: those that lose
	// peaks are the roots of the full subtrees of what was read, the largest
	// first: one for each bit of read.
	peaks [][sha256.Size]byte
}

// add reads the next leaf: 8 bytes of place, 8 of prize, 32 of seed, 16 of salt.
func (c *count) add(leaf []byte) error {
	if len(leaf) != 64 {
		return fmt.Errorf("unit %d has %d bytes, expected 64", c.read, len(leaf))
	}
	if place := binary.BigEndian.Uint64(leaf); place != uint64(c.read) {
		return fmt.Errorf("unit %d says that it is unit %d", c.read, place)
	}
	prize := binary.BigEndian.Uint64(leaf[8:])
	if prize > uint64(money.Limit) {
		return fmt.Errorf("unit %d wins %d cents, which is no prize", c.read, prize)
	}
	c.won[money.Amount(prize)]++

	var b [65]byte // 0 ‖ leaf, and 1 ‖ left ‖ right (RFC 6962 §2.1)
	copy(b[1:], leaf)
	h := sha256.Sum256(b[:])
	b[0] = 1
	for range bits.TrailingZeros(^uint(c.read)) {
		last := len(c.peaks) - 1
		copy(b[1:], c.peaks[last][:])
		copy(b[33:], h[:])
		h, c.peaks = sha256.Sum256(b[:]), c.peaks[:last]
	}
	c.peaks = append(c.peaks, h)
	c.read++
	return nil
}

// root joins the peaks, the smallest first.
func (c *count) root() journal.Hash {
	if c.read == 0 {
		return sha256.Sum256(nil)
	}
	h := c.peaks[len(c.peaks)-1]
	for i := len(c.peaks) - 2; i >= 0; i-- {
		b := append([]byte{1}, c.peaks[i][:]...)
		h = sha256.Sum256(append(b, h[:]...))
	}
	return h
}

// compare tells what differs from the table.
func (c *count) compare(t *PrizeTable) []string {
	var differs []string
	var wins int
	var paid, total money.Amount
	for _, p := range t.Prizes {
		got := c.won[p.Amount]
		if got != p.Units {
			differs = append(differs, fmt.Sprintf("%d units with %s, expected %d", got, p.Amount, p.Units))
		}
		wins += got
		paid = paid.Add(p.Amount.Times(int64(got)))
		total = total.Add(p.Amount.Times(int64(p.Units)))
	}
	if other := c.read - wins - c.won[0]; other != 0 {
		differs = append(differs, fmt.Sprintf("%d units with prizes that the table does not have", other))
	}
	if paid != total {
		differs = append(differs, fmt.Sprintf("prizes of %s, expected %s", paid, total))
	}
	return differs
}
