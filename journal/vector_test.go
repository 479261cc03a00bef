package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
)

var update = flag.Bool("update", false, "write the golden files")

const (
	vectorFile = "../testdata/vectors/journal.txt"
	proofFile  = "../testdata/vectors/journal.tlog-proof"
)

type sample struct {
	what   string
	record Record
}

// samples are one record of each kind or more, in an order in which a journal could have them.
func samples() []sample {
	const day = int64(86_400_000_000)
	at := func(seconds int64) int64 { return 20_515*day + 43_000_000_000 + seconds*1_000_000 } // 2 March 2026
	command := func(n byte) Command { return Command(bytes.Repeat([]byte{n}, 16)) }
	party := func(n byte) Party { return Party(bytes.Repeat([]byte{n}, 8)) }
	book := []byte("game: ile-au-tresor\n")
	rules := sha256.Sum256(book)
	officer, outlet, terminal := party(0xf0), party(0xa0), party(0xb0)
	simple := Play{Picks: [][]uint16{{1, 4, 7, 11, 14, 18, 21}, {3}}}
	mixed := Play{Picks: [][]uint16{{2, 5, 6, 9, 12, 17, 20}, {1}}, Random: [][]uint16{{9, 12, 17, 20}, {1}}}
	return []sample{
		{"the log's key", Record{at(0), &Key{Use: "log", ID: bytes.Repeat([]byte{1}, 8), Public: bytes.Repeat([]byte{2}, 32)}}},
		{"a secret key", Record{at(0), &Key{Use: "games", ID: bytes.Repeat([]byte{3}, 8)}}},
		{"an officer, made by the system", Record{at(1), &Officer{Command: command(1), ID: officer, Roles: []string{"draws", "finance"}}}},
		{"a rule book", Record{at(2), &Rules{
			Command: command(2), By: officer, Game: "ile-au-tresor", Version: "2017",
			FirstDay: 20_515, Hash: rules, Book: book,
		}}},
		{"a rule book from before 1970", Record{at(2), &Rules{Command: command(3), By: officer, Game: "joker", Version: "1", FirstDay: -1, Hash: rules, Book: book}}},
		{"an outlet", Record{at(3), &Outlet{Command: command(4), By: officer, ID: outlet, Number: 75_001, Territory: "metropole", Zone: "Europe/Paris", CreditLimit: 500_000}}},
		{"the outlet, blocked", Record{at(3), &Outlet{Command: command(5), By: officer, ID: outlet, Number: 75_001, Territory: "metropole", Zone: "Europe/Paris", Blocked: true}}},
		{"a terminal", Record{at(4), &Terminal{Command: command(6), By: officer, ID: terminal, Outlet: outlet}}},
		{"a plan of two draws", Record{at(5), &Plan{
			Game: "ile-au-tresor", Rules: rules, Day: 20_515, Session: 1, OpensAt: at(6),
			Draws: []PlanDraw{{ID: 1, Number: 95, ClosesAt: at(100), DrawsAt: at(120)}, {ID: 2, Number: 96, ClosesAt: at(400), DrawsAt: at(420)}},
		}}},
		{"sales open", Record{at(6), &Open{Draws: []uint64{1, 2}}}},
		{"a sale: one combination, one draw, 2 €", Record{at(7), &Sale{
			Command: command(7), Outlet: outlet, Terminal: terminal, Rules: rules,
			Plays: []Play{simple}, Units: 1, Asked: 1, Draws: []uint64{1}, Price: 200,
		}}},
		{"a sale: partly a quick pick, three draws asked, two left, the second with prize table 1", Record{at(8), &Sale{
			Command: command(8), Outlet: outlet, Terminal: terminal, Rules: rules,
			Plays: []Play{mixed}, Units: 10, Asked: 3, Draws: []uint64{1, 2}, Tables: []uint64{0, 1}, Price: 4000,
		}}},
		{"the first sale taken back", Record{at(9), &Cancellation{
			Command: command(9), Outlet: outlet, Terminal: terminal, Ticket: 10, Rules: rules,
			Plays: []Play{simple}, Units: 1, Draws: []uint64{1}, Price: 200,
		}}},
		{"the close of draw 1", Record{at(100), &Close{Draw: 1, Wagers: 1, Parts: 1, Stakes: 2000, Cancelled: 1, Root: sha256.Sum256([]byte("root"))}}},
		{"the result of draw 1", Record{at(120), &Result{Draw: 1, Close: 13, Sets: [][]uint16{{20, 5, 2, 17, 12, 9, 1}, {1}}}}},
		{"the settlement of draw 1", Record{at(121), &Settlement{
			Draw: 1, Parts: 1, Stakes: 2000,
			Shares: []Share{{Table: 0, Tier: 2, LastDraw: 2, Winners: 1, Units: 10, UnitValue: 20_000, Total: 200_000}},
		}}},
		{"a certification without control", Record{at(122), &Certification{Draw: 1, Control: "none"}}},
		{"a payment", Record{at(500), &Payment{
			Command: command(10), Outlet: outlet, Terminal: terminal, Ticket: 11, LastDraw: 2,
			Draws: []PaymentDraw{{Draw: 1, Amount: 200_000}},
		}}},
		{"money received", Record{at(600), &Received{Command: command(11), By: officer, Outlet: outlet, Amount: 4000}}},
		{"an act without a subject", Record{at(700), &Act{Command: command(12), By: officer, Act: "confirm-clock"}}},
		{"an act with a subject", Record{at(701), &Act{Command: command(13), By: officer, Act: "confirm-clock", Subject: "nœud 2"}}},
	}
}

const vectorHead = `# Vectors of the journal's format (docs/journal.md).
# Each record: its kind, what it is, its bytes, the hash of its leaf (RFC 6962).
# Then the tree over all of them, in this order: size, root, and the key of a
# log whose Ed25519 seed is the bytes 00 to 1f. journal.tlog-proof proves the
# record at its index.
`

const proved = 10 // index of the record that the vectors prove

func TestVectors(t *testing.T) {
	t.Parallel()
	signer, _, vkey := testKey(t)
	var text bytes.Buffer
	text.WriteString(vectorHead)
	var tree Frontier
	var leaves []Hash
	seen := map[Kind]bool{}
	for _, s := range samples() {
		b, err := Encode(s.record)
		if err != nil {
			t.Fatalf("%s: %v", s.what, err)
		}
		leaf := LeafHash(b)
		fmt.Fprintf(&text, "\nkind  %s\nwhat  %s\nbytes %x\nleaf  %x\n", s.record.Body.Kind(), s.what, b, leaf)
		tree.Append(leaf)
		leaves = append(leaves, leaf)
		seen[s.record.Body.Kind()] = true
	}
	for _, k := range kinds() {
		if !seen[k] {
			t.Errorf("no vector of %s", k)
		}
	}
	fmt.Fprintf(&text, "\nsize  %d\nroot  %x\nvkey  %s\n", tree.Size, tree.Root(), vkey)
	golden(t, vectorFile, text.Bytes())

	checkpoint, err := Checkpoint{Origin: testOrigin, Size: tree.Size, Root: tree.Root()}.Sign(signer)
	if err != nil {
		t.Fatal(err)
	}
	proof, err := ProveInclusion(proved, tree.Size, func(_ int, _ uint64, width int) ([]Hash, error) { return leaves[:width], nil })
	if err != nil {
		t.Fatal(err)
	}
	golden(t, proofFile, FormatProof(proved, proof, checkpoint))
}

// golden compares with a file, or writes it.
func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; what is made now:\n%s", file, got)
	}
}

// The published vectors are read as another program would: with what the files say only.
func TestVectorsAsPublished(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(vectorFile)
	if err != nil {
		t.Fatal(err)
	}
	var kind, vkey string
	var record []byte
	var leaves []Hash
	var tree Frontier
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		value = strings.TrimSpace(value)
		switch key {
		case "kind":
			kind = value
		case "bytes":
			record = unhex(t, value)
			if r, err := Decode(record); err != nil || r.Body.Kind().String() != kind {
				t.Errorf("%s: %v", kind, err)
			}
		case "leaf":
			leaf := LeafHash(record)
			if hex.EncodeToString(leaf[:]) != value {
				t.Errorf("%s: leaf %x, want %s", kind, leaf, value)
			}
			tree.Append(leaf)
			leaves = append(leaves, leaf)
		case "root":
			if root := tree.Root(); hex.EncodeToString(root[:]) != value {
				t.Errorf("root %x, want %s", root, value)
			}
		case "vkey":
			vkey = value
		}
	}
	proofText, err := os.ReadFile(proofFile)
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := note.NewVerifier(vkey)
	if err != nil {
		t.Fatal(err)
	}
	index, proof, signed, err := ParseProof(proofText)
	if err != nil {
		t.Fatal(err)
	}
	c, err := OpenCheckpoint(signed, verifier)
	if err != nil {
		t.Fatal(err)
	}
	if err := VerifyInclusion(index, c.Size, leaves[index], proof, c.Root); err != nil {
		t.Error(err)
	}
}
