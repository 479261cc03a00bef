package verify

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	mac "hash"
	"slices"

	"tirage/journal"
	"tirage/money"
	"tirage/rng"
)

// What docs/instant.md derives, derived again.

// poolSeed is the seed of a pool: HKDF (RFC 5869) with SHA-256, written out.
func poolSeed(secrets [2][32]byte, beacon [32]byte, game string, price money.Amount, number uint64) rng.Seed {
	info := append([]byte("tirage pool seed"), 0)
	info = append(append(info, game...), 0)
	info = binary.BigEndian.AppendUint64(info, uint64(price))
	info = binary.BigEndian.AppendUint64(info, number)
	extracted := sum(make([]byte, 32), secrets[0][:], secrets[1][:], beacon[:])
	return rng.Seed(sum(extracted, info, []byte{1}))
}

// sum is HMAC-SHA256 over parts.
func sum(key []byte, parts ...[]byte) []byte {
	mac := hmac.New(sha256.New, key)
	for _, p := range parts {
		mac.Write(p)
	}
	return mac.Sum(nil)
}

// derivedPool is a pool as its seed makes it.
type derivedPool struct {
	mac    mac.Hash       // HMAC-SHA256 by its seed
	prizes []money.Amount // by unit
}

// derivePool puts prizes in the order of the table, then losing units, and shuffles them.
func derivePool(prizes []prize, units int, seed rng.Seed) (*derivedPool, error) {
	p := &derivedPool{mac: hmac.New(sha256.New, seed[:])}
	for _, of := range prizes {
		amount, err := money.Parse(of.Amount)
		if err != nil {
			return nil, err
		}
		if of.Units < 0 || of.Units > units-len(p.prizes) {
			return nil, fmt.Errorf("%d units with %s are more than the pool has", of.Units, amount)
		}
		p.prizes = append(p.prizes, slices.Repeat([]money.Amount{amount}, of.Units)...)
	}
	p.prizes = append(p.prizes, make([]money.Amount, units-len(p.prizes))...)
	rng.NewStream(seed, "prizes").Shuffle(units, func(i, j int) { p.prizes[i], p.prizes[j] = p.prizes[j], p.prizes[i] })
	return p, nil
}

// leaf opens unit n: place, prize, board seed, salt.
func (p *derivedPool) leaf(n int) (leaf [64]byte) {
	b := binary.BigEndian.AppendUint64(leaf[:0], uint64(n))
	b = binary.BigEndian.AppendUint64(b, uint64(p.prizes[n]))
	b = append(b, p.of("board", n)...)
	_ = append(b, p.of("salt", n)[:16]...)
	return leaf
}

func (p *derivedPool) of(purpose string, n int) []byte {
	p.mac.Reset()
	p.mac.Write(binary.BigEndian.AppendUint64([]byte(purpose), uint64(n)))
	return p.mac.Sum(nil)
}

// seedOf is the board seed in a leaf.
func seedOf(leaf [64]byte) rng.Seed { return rng.Seed(leaf[16:48]) }

// root is the RFC 6962 root over all leaves; tell is told how far it is.
func (p *derivedPool) root(tell func(done, total uint64)) journal.Hash {
	var f journal.Frontier
	for n := range p.prizes {
		if n%tellEvery == 0 {
			tell(uint64(n), uint64(len(p.prizes)))
		}
		leaf := p.leaf(n)
		f.Append(journal.LeafHash(leaf[:]))
	}
	return f.Root()
}

// deriveBoard makes the board of a unit by the law of docs/instant.md, choice by
// choice; the numbers are those of the law.
func deriveBoard(prizes []prize, won money.Amount, seed rng.Seed) (b board, err error) {
	symbol, of, err := combinationOf(prizes, won)
	if err != nil {
		return b, err
	}
	choices := rng.NewStream(seed, "board")
	opening := int("33444444555555566666"[choices.Below(20)] - '0') // 1

	var way []int // 2
	for len(way) < opening {
		b, way = route(choices)
	}

	visits := choices.Choose(len(way), opening) // 3
	slices.Sort(visits)

	var others []int // 4
	for _, square := range lands {
		if square != b.Start && !slices.Contains(way, square) {
			others = append(others, square)
		}
	}
	shut := choices.Choose(len(others), 9-opening)

	content := fill(choices, opening, symbol, of) // 5 and 6
	for i, visit := range visits {
		b.Chests = append(b.Chests, [2]int{way[visit], content[i]})
	}
	for _, i := range shut {
		b.Chests = append(b.Chests, [2]int{others[i], 0})
	}
	slices.SortFunc(b.Chests, func(x, y [2]int) int { return cmp.Compare(x[0], y[0]) })
	return b, nil
}

// combinationOf is the symbol that shows a prize and how many of it: 0 of 0 for none.
func combinationOf(prizes []prize, won money.Amount) (symbol, of int, err error) {
	if won == 0 {
		return 0, 0, nil
	}
	for _, p := range prizes {
		if amount, err := money.Parse(p.Amount); err == nil && amount == won {
			symbol = slices.Index(symbols[1:], p.Symbol) + 1
			if symbol == 0 || p.Of < 1 || p.Of > 3 {
				return 0, 0, fmt.Errorf("the rule book shows %s as %d of %q", won, p.Of, p.Symbol)
			}
			return symbol, p.Of, nil
		}
	}
	return 0, 0, differ("prize", won, "one of the table")
}

// lands are the squares of land, ascending.
var lands = func() (squares []int) {
	for square := range 63 {
		if land(square) {
			squares = append(squares, square)
		}
	}
	return squares
}()

// throwsFrom are the throws that stay on land, from each square: clockwise from
// north, in a direction the shorter first.
var throwsFrom = func() (all [63][][2]int) {
	for _, from := range lands {
		for direction := 1; direction <= len(compass); direction++ {
			for squares := 1; squares <= 6 && walk(from, direction, squares) != nil; squares++ {
				all[from] = append(all[from], [2]int{direction, squares})
			}
		}
	}
	return all
}()

// walk is the squares that a throw comes to, nil when it leaves the island.
func walk(from, direction, squares int) (way []int) {
	by := compass[direction]
	for n := 1; n <= squares; n++ {
		row, column := from/9+n*by[0], from%9+n*by[1]
		if row < 0 || row > 6 || column < 0 || column > 8 || !land(9*row+column) {
			return nil
		}
		way = append(way, 9*row+column)
	}
	return way
}

// route draws a start and four throws; way is the squares visited, each once, but for the start.
func route(choices *rng.Stream) (b board, way []int) {
	b.Start = lands[choices.Below(52)]
	at := b.Start
	for last := 0; len(b.Throws) < 4; {
		possible := make([][2]int, 0, 48)
		for _, t := range throwsFrom[at] {
			if t[0] != last {
				possible = append(possible, t)
			}
		}
		t := possible[choices.Below(uint64(len(possible)))]
		for _, at = range walk(at, t[0], t[1]) {
			if at != b.Start && !slices.Contains(way, at) {
				way = append(way, at)
			}
		}
		b.Throws, last = append(b.Throws, t), t[0]
	}
	return b, way
}

// losingContents are the losing contents of so many chests, without a candlestick
// and with one at most of each other symbol, ascending: all numbers of so
// many digits from 0 to 4, less those that are none.
var losingContents = func() (all [7][][]int) {
	for chests := 3; chests <= 6; chests++ {
		numbers := 1
		for range chests {
			numbers *= len(symbols)
		}
		for n := range numbers {
			var seen [len(symbols)]int
			content := make([]int, chests)
			for i, rest := chests-1, n; i >= 0; i, rest = i-1, rest/len(symbols) {
				content[i] = rest % len(symbols)
				seen[content[i]]++
			}
			if seen[1] == 0 && seen[2] < 2 && seen[3] < 2 && seen[4] < 2 {
				all[chests] = append(all[chests], content)
			}
		}
	}
	return all
}()

// fill draws what is in the chests that open, in the order in which they do.
func fill(choices *rng.Stream, opening, symbol, of int) []int {
	lose := func() []int {
		all := losingContents[opening]
		return slices.Clone(all[choices.Below(uint64(len(all)))])
	}
	content := lose()
	switch symbol {
	case 0:
	case 1: // candlesticks take any of the chests
		for _, i := range choices.Choose(opening, of) {
			content[i] = 1
		}
	default:
		first := slices.Index(content, symbol)
		for first < 0 || opening-1-first < of-1 {
			content = lose()
			first = slices.Index(content, symbol)
		}
		for _, i := range choices.Choose(opening-1-first, of-1) {
			content[first+1+i] = symbol
		}
	}
	return content
}

// same tells whether two boards are one.
func (b board) same(other board) bool {
	return b.Start == other.Start && slices.Equal(b.Chests, other.Chests) && slices.Equal(b.Throws, other.Throws)
}
