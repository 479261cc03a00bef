package instant

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"testing"

	"tirage/game"
	"tirage/journal"
	"tirage/money"
	"tirage/rng"
)

// hexBytes are written in hexadecimal.
type hexBytes []byte

func (b *hexBytes) UnmarshalText(text []byte) (err error) {
	*b, err = hex.DecodeString(string(text))
	return err
}

// vectorPool is a pool as another program made it.
type vectorPool struct {
	Game    game.Code
	Price   money.Amount
	Number  uint64
	Units   int
	Prizes  [][2]int64
	Secrets [2]hexBytes
	Hashes  [2]hexBytes
	Round   uint64
	Beacon  hexBytes
	Seed    hexBytes
	Root    hexBytes
	Opened  []struct {
		N          uint64
		Prize      money.Amount
		Seed, Salt hexBytes
		Proof      []hexBytes
	}
}

type vectors struct {
	Beacon struct{ Start, End hexBytes }
	Pools  []vectorPool
}

func readVectors(t *testing.T) vectors {
	t.Helper()
	text, err := os.ReadFile("../testdata/vectors/pool.json")
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestPool_Vectors: pools of another program, made by docs/instant.md; those at
// the three prices are of the embedded book (INS-3.1 to 3.3).
func TestPool_Vectors(t *testing.T) {
	t.Parallel()
	v := readVectors(t)
	if len(v.Pools) != 4 {
		t.Fatalf("%d pools", len(v.Pools))
	}
	books := map[game.Code]*Rules{"douze": parsed(t, "testdata/douze.yaml"), "ile-au-tresor-instant": island(t)}
	beacon := rng.NewBeacon([32]byte(v.Beacon.Start))
	for _, want := range v.Pools {
		t.Run(fmt.Sprintf("%s at %s", want.Game, want.Price), func(t *testing.T) {
			t.Parallel()
			table, err := books[want.Game].Table(want.Price)
			if err != nil {
				t.Fatal(err)
			}
			var prizes [][2]int64
			for _, p := range table.Prizes {
				prizes = append(prizes, [2]int64{int64(p.Units), int64(p.Amount)})
			}
			if !slices.Equal(prizes, want.Prizes) || books[want.Game].Units != want.Units {
				t.Errorf("prizes %v of %d units", prizes, want.Units)
			}
			secrets := [2]Secret{Secret(want.Secrets[0]), Secret(want.Secrets[1])}
			for i, s := range secrets {
				if s.Hash() != [32]byte(want.Hashes[i]) {
					t.Errorf("hash of secret %d: %x", i, s.Hash())
				}
			}
			value, err := beacon.Value(want.Round)
			if err != nil || value != [32]byte(want.Beacon) {
				t.Errorf("round %d: %x, %v", want.Round, value, err)
			}
			seed := PoolSeed(secrets, value, string(want.Game), want.Price, want.Number)
			if seed != rng.Seed(want.Seed) {
				t.Fatalf("seed %x, want %x", seed, want.Seed)
			}
			p := Build(table, want.Units, seed)
			if root := p.Root(); root != journal.Hash(want.Root) {
				t.Errorf("root %x, want %x", root, want.Root)
			}
			for _, o := range want.Opened {
				leaf := Leaf{o.N, o.Prize, rng.Seed(o.Seed), [16]byte(o.Salt)}
				if got := p.Leaf(int(o.N)); got != leaf {
					t.Errorf("unit %d: %+v, want %+v", o.N, got, leaf)
				}
				var proof []journal.Hash
				for _, h := range o.Proof {
					proof = append(proof, journal.Hash(h))
				}
				if got := p.Proof(int(o.N)); !slices.Equal(got, proof) {
					t.Errorf("proof of unit %d: %x, want %x", o.N, got, proof)
				}
			}
		})
	}
}

// TestPoolSeed_Bound: whatever the seed is made of changes it.
func TestPoolSeed_Bound(t *testing.T) {
	t.Parallel()
	a, b := Secret{1}, Secret{2}
	seeds := map[rng.Seed]string{}
	for what, seed := range map[string]rng.Seed{
		"as it is":          PoolSeed([2]Secret{a, b}, [32]byte{3}, "x", 50, 1),
		"secrets exchanged": PoolSeed([2]Secret{b, a}, [32]byte{3}, "x", 50, 1),
		"first secret":      PoolSeed([2]Secret{{9}, b}, [32]byte{3}, "x", 50, 1),
		"second secret":     PoolSeed([2]Secret{a, {9}}, [32]byte{3}, "x", 50, 1),
		"beacon":            PoolSeed([2]Secret{a, b}, [32]byte{9}, "x", 50, 1),
		"game":              PoolSeed([2]Secret{a, b}, [32]byte{3}, "y", 50, 1),
		"price":             PoolSeed([2]Secret{a, b}, [32]byte{3}, "x", 100, 1),
		"number":            PoolSeed([2]Secret{a, b}, [32]byte{3}, "x", 50, 2),
	} {
		if other, ok := seeds[seed]; ok {
			t.Errorf("%s: same seed as %s", what, other)
		}
		seeds[seed] = what
	}
	if a.Hash() == b.Hash() {
		t.Error("two secrets, one hash")
	}
}

// small is a pool of so many units of which up to two win.
func small(units int) (*PrizeTable, *Pool) {
	table := &PrizeTable{Price: 100, Prizes: []Prize{{Amount: 500, Units: 1}}}
	if units > 3 {
		table.Prizes = append(table.Prizes, Prize{Amount: 100, Units: 2})
	}
	return table, Build(table, units, seedOf(uint64(units)))
}

// TestPool_Tree compares root and proofs with those of the journal's own tree.
func TestPool_Tree(t *testing.T) {
	t.Parallel()
	for units := 1; units <= 70; units++ {
		table, p := small(units)
		var tree journal.Frontier
		n := 0
		for leaf := range p.Leaves() {
			if got := p.Leaf(n).Bytes(); !slices.Equal(got, leaf) {
				t.Fatalf("%d units: unit %d: %x, then %x", units, n, got, leaf)
			}
			tree.Append(journal.LeafHash(leaf))
			n++
		}
		if n != units || p.Len() != units || p.Root() != tree.Root() {
			t.Errorf("%d units: %d, root %x, want %x", units, n, p.Root(), tree.Root())
		}
		for n := range units {
			if err := VerifyUnit(tree.Root(), units, p.Leaf(n), p.Proof(n)); err != nil {
				t.Errorf("%d units: %v", units, err)
			}
		}
		if err := Recount(table, units, tree.Root(), p.Leaves()); err != nil {
			t.Errorf("%d units: %v", units, err)
		}
		if again := Build(table, units, seedOf(uint64(units))); again.Root() != p.Root() {
			t.Errorf("%d units: built again, another pool", units)
		}
	}
}

// TestPool_AnyPlace: over many small pools each prize comes at each place equally often.
func TestPool_AnyPlace(t *testing.T) {
	t.Parallel()
	const pools, units = 6000, 6
	var first [units]int
	for seed := range uint64(pools) {
		table := &PrizeTable{Price: 100, Prizes: []Prize{{Amount: 500, Units: 1}}}
		p := shuffled(table, units, seedOf(seed))
		first[slices.Index(p.prizes, 0)]++
	}
	for n, got := range first { // a mean of 1,000, a standard deviation of 29
		if got < 1000-150 || got > 1000+150 {
			t.Errorf("the top prize is at place %d in %d of %d pools: %v", n, got, pools, first)
		}
	}
}

// TestF14_TenPools: ten random pools of the three prices are what article 3 says.
func TestF14_TenPools(t *testing.T) {
	t.Parallel()
	r := island(t)
	for i := range 10 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			table := &r.Tables[i%len(r.Tables)]
			p := Build(table, r.Units, rng.Seed{0xf1, byte(i)})
			if err := Recount(table, r.Units, p.Root(), p.Leaves()); err != nil {
				t.Error(err)
			}
			if i == 0 {
				other := &r.Tables[1]
				if err := Recount(other, r.Units, p.Root(), p.Leaves()); !errors.Is(err, ErrRecount) {
					t.Errorf("the table of another price: %v", err)
				}
			}
		})
	}
}

// leavesOf gives leaves to [Recount].
func leavesOf(leaves []Leaf) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for _, l := range leaves {
			if !yield(l.Bytes()) {
				return
			}
		}
	}
}

// rootOf is the root over leaves.
func rootOf(leaves []Leaf) journal.Hash {
	var tree journal.Frontier
	for _, l := range leaves {
		tree.Append(journal.LeafHash(l.Bytes()))
	}
	return tree.Root()
}

// TestF14_WrongPools: a pool that is not its table, or not what was committed,
// is refused, and what is wrong with it is named.
func TestF14_WrongPools(t *testing.T) {
	t.Parallel()
	table, err := parsed(t, "testdata/douze.yaml").Table(200)
	if err != nil {
		t.Fatal(err)
	}
	p, other := Build(table, 12, seedOf(1)), Build(table, 12, seedOf(2))
	place := func(leaves []Leaf, prize money.Amount) int {
		return slices.IndexFunc(leaves, func(l Leaf) bool { return l.Prize == prize })
	}
	for _, c := range []struct {
		what   string
		change func(l []Leaf) []Leaf
		before bool // the commitment; else after it
		want   string
	}{
		{"one prize more", func(l []Leaf) []Leaf { l[place(l, 0)].Prize = 10_00; return l }, true, "2 units with 10.00, expected 1; prizes of 26.80, expected 16.80"},
		{"one prize less", func(l []Leaf) []Leaf { l[place(l, 2_50)].Prize = 0; return l }, true, "1 units with 2.50, expected 2; prizes of 14.30, expected 16.80"},
		{"no top prize", func(l []Leaf) []Leaf { l[place(l, 10_00)].Prize = 0; return l }, true, "0 units with 10.00, expected 1; prizes of 6.80, expected 16.80"},
		{"a prize doubled", func(l []Leaf) []Leaf { l[place(l, 1_80)].Prize *= 2; return l }, true, "0 units with 1.80, expected 1; 1 units with prizes that the table does not have; prizes of 15.00, expected 16.80"},
		{"a prize moved", func(l []Leaf) []Leaf {
			from, to := place(l, 10_00), place(l, 0)
			l[from].Prize, l[to].Prize = 0, 10_00
			return l
		}, false, "the root is another"},
		{"a board changed", func(l []Leaf) []Leaf { l[3].Seed[31] ^= 1; return l }, false, "the root is another"},
		{"a salt changed", func(l []Leaf) []Leaf { l[3].Salt[0] ^= 1; return l }, false, "the root is another"},
		{"two leaves exchanged", func(l []Leaf) []Leaf { l[4], l[7] = l[7], l[4]; return l }, true, "unit 4 says that it is unit 7"},
		{"a leaf twice", func(l []Leaf) []Leaf { l[5] = l[4]; return l }, true, "unit 5 says that it is unit 4"},
		{"a leaf of another pool", func(l []Leaf) []Leaf { l[11] = other.Leaf(11); l[11].Prize = p.Leaf(11).Prize; return l }, false, "the root is another"},
		{"a unit more", func(l []Leaf) []Leaf { return append(l, Leaf{N: 12}) }, true, "more than 12 units"},
		{"a unit less", func(l []Leaf) []Leaf { return l[:11] }, true, "11 units, expected 12"},
		{"no units", func([]Leaf) []Leaf { return nil }, true, "0 units, expected 12"},
		{"a prize below 0", func(l []Leaf) []Leaf { l[0].Prize = -10_00; return l }, true, "unit 0 wins 18446744073709550616 cents, which is no prize"},
	} {
		var leaves []Leaf
		for n := range p.Len() {
			leaves = append(leaves, p.Leaf(n))
		}
		root := p.Root()
		leaves = c.change(leaves)
		if c.before {
			root = rootOf(leaves)
		}
		err := Recount(table, 12, root, leavesOf(leaves))
		if !errors.Is(err, ErrRecount) || err.Error() != ErrRecount.Error()+": "+c.want {
			t.Errorf("%s: %v", c.what, err)
		}
	}
	short := func(yield func([]byte) bool) { yield(make([]byte, 63)) }
	if err := Recount(table, 12, p.Root(), short); !errors.Is(err, ErrRecount) || !strings.Contains(err.Error(), "unit 0 has 63 bytes") {
		t.Errorf("a short leaf: %v", err)
	}
}

// TestF14_WrongWholePool: the same, one prize in 450,000 units.
func TestF14_WrongWholePool(t *testing.T) {
	t.Parallel()
	table := tables()[2]
	wrong := &PrizeTable{Price: table.Price, Prizes: slices.Clone(table.Prizes)}
	wrong.Prizes[8].Units--
	wrong.Prizes[7].Units++ // as many winners
	p := Build(wrong, 450_000, seedOf(14))
	err := Recount(table, 450_000, p.Root(), p.Leaves())
	if want := "38001 units with 4.00, expected 38000; 51999 units with 2.00, expected 52000; prizes of 630002.00, expected 630000.00"; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("%v", err)
	}
}

// TestF14_WrongUnits: nothing but a unit of the pool, as committed, is proven.
func TestF14_WrongUnits(t *testing.T) {
	t.Parallel()
	_, p := small(13)
	_, other := small(12)
	for n := range p.Len() {
		leaf, proof := p.Leaf(n), p.Proof(n)
		for what, change := range map[string]func(l *Leaf, proof *[]journal.Hash, units *int, root *journal.Hash){
			"prize":             func(l *Leaf, _ *[]journal.Hash, _ *int, _ *journal.Hash) { l.Prize++ },
			"seed":              func(l *Leaf, _ *[]journal.Hash, _ *int, _ *journal.Hash) { l.Seed[0]++ },
			"salt":              func(l *Leaf, _ *[]journal.Hash, _ *int, _ *journal.Hash) { l.Salt[15]++ },
			"place":             func(l *Leaf, _ *[]journal.Hash, _ *int, _ *journal.Hash) { l.N = (l.N + 1) % 13 },
			"place outside":     func(l *Leaf, _ *[]journal.Hash, _ *int, _ *journal.Hash) { l.N += 16 },
			"proof changed":     func(_ *Leaf, proof *[]journal.Hash, _ *int, _ *journal.Hash) { (*proof)[0][0]++ },
			"proof cut":         func(_ *Leaf, proof *[]journal.Hash, _ *int, _ *journal.Hash) { *proof = (*proof)[1:] },
			"proof longer":      func(_ *Leaf, proof *[]journal.Hash, _ *int, _ *journal.Hash) { *proof = append(*proof, journal.Hash{}) },
			"root of another":   func(_ *Leaf, _ *[]journal.Hash, _ *int, root *journal.Hash) { *root = other.Root() },
			"unit of another":   func(l *Leaf, _ *[]journal.Hash, _ *int, _ *journal.Hash) { *l = other.Leaf(n % 12) },
			"no units":          func(_ *Leaf, _ *[]journal.Hash, units *int, _ *journal.Hash) { *units = 0 },
			"fewer than none":   func(_ *Leaf, _ *[]journal.Hash, units *int, _ *journal.Hash) { *units = -1 },
			"half of the units": func(_ *Leaf, _ *[]journal.Hash, units *int, _ *journal.Hash) { *units = 6 },
		} {
			l, pr, units, root := leaf, slices.Clone(proof), p.Len(), p.Root()
			change(&l, &pr, &units, &root)
			if err := VerifyUnit(root, units, l, pr); !errors.Is(err, ErrUnit) {
				t.Errorf("unit %d, %s: %v", n, what, err)
			}
		}
	}
}

// FuzzRecount: whatever is accepted has the units and the root that it says.
func FuzzRecount(f *testing.F) {
	table, p := small(4)
	var whole []byte
	for leaf := range p.Leaves() {
		whole = append(whole, leaf...)
	}
	f.Add(whole)
	f.Add(whole[:200])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, text []byte) {
		leaves := slices.Collect(slices.Chunk(text, leafSize))
		var tree journal.Frontier
		var won []byte
		for _, l := range leaves {
			tree.Append(journal.LeafHash(l))
			if len(l) == leafSize {
				won = append(won, l[8:16]...)
			}
		}
		err := Recount(table, 4, tree.Root(), slices.Values(leaves))
		if err != nil && !errors.Is(err, ErrRecount) {
			t.Fatal(err)
		}
		if err == nil && (len(text) != 4*leafSize || strings.Count(string(won), string([]byte{0, 0, 0, 0, 0, 0, 1, 0xf4})) != 1) {
			t.Fatalf("accepted: %x", text)
		}
		if Recount(table, 4, p.Root(), slices.Values(leaves)) == nil && string(text) != string(whole) {
			t.Fatalf("accepted for another pool: %x", text)
		}
	})
}

// FuzzVerifyUnit: no other leaf or proof is accepted than that of the pool.
func FuzzVerifyUnit(f *testing.F) {
	_, p := small(11)
	join := func(proof []journal.Hash) (b []byte) {
		for _, h := range proof {
			b = append(b, h[:]...)
		}
		return b
	}
	for n := range p.Len() {
		l := p.Leaf(n)
		f.Add(l.N, int64(l.Prize), l.Seed[:], l.Salt[:], join(p.Proof(n)))
	}
	f.Add(uint64(1<<63), int64(-1), []byte{}, []byte{}, []byte{1})
	f.Fuzz(func(t *testing.T, n uint64, prize int64, seed, salt, path []byte) {
		l := Leaf{N: n, Prize: money.Amount(prize)}
		copy(l.Seed[:], seed)
		copy(l.Salt[:], salt)
		var proof []journal.Hash
		for h := range slices.Chunk(path, len(journal.Hash{})) {
			var hash journal.Hash
			copy(hash[:], h)
			proof = append(proof, hash)
		}
		err := VerifyUnit(p.Root(), p.Len(), l, proof)
		if err != nil && !errors.Is(err, ErrUnit) {
			t.Fatal(err)
		}
		if err == nil && (l != p.Leaf(int(n)) || !slices.Equal(proof, p.Proof(int(n)))) {
			t.Fatalf("accepted: %+v", l)
		}
	})
}

func BenchmarkBuildAndRecount(b *testing.B) {
	b.ReportAllocs()
	table := tables()[0]
	for b.Loop() {
		p := Build(table, 450_000, rng.Seed{1})
		if err := Recount(table, p.Len(), p.Root(), p.Leaves()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpen opens and proves units in order, as they are sold.
func BenchmarkOpen(b *testing.B) {
	b.ReportAllocs()
	p := Build(tables()[0], 450_000, rng.Seed{1})
	n := 0
	for b.Loop() {
		p.Leaf(n)
		p.Proof(n)
		n = (n + 1) % p.Len()
	}
}
