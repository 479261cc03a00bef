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
func samples() []sample { return append(firstSamples(), laterSamples()...) }

// firstSamples are those that were published first.
func firstSamples() []sample {
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
			Shares: []Share{{Table: 0, Tier: 2, Winners: 1, Units: 10, UnitValue: 20_000, Total: 200_000}},
			Prizes: []PrizeLine{{LastDraw: 2, Prizes: 200_000}},
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

// laterSamples go on where samples ended when the format was first published:
// the kinds and keys that were added since. Additions come last.
func laterSamples() []sample {
	const day = int64(86_400_000_000)
	at := func(seconds int64) int64 { return 20_516*day + 43_000_000_000 + seconds*1_000_000 } // 3 March 2026
	command := func(n byte) Command { return Command(bytes.Repeat([]byte{n}, 16)) }
	party := func(n byte) Party { return Party(bytes.Repeat([]byte{n}, 8)) }
	rules := sha256.Sum256([]byte("game: amigo\n"))
	officer, another, third, outlet, terminal := party(0xf0), party(0xf1), party(0xf2), party(0xa0), party(0xb0)
	simple := Play{Picks: [][]uint16{{1, 6, 11, 16, 21, 26, 31, 36, 41}, {3}}}
	multiple := Play{Picks: [][]uint16{{1, 2, 6, 11, 16, 21, 26, 31, 36, 41}, {3, 7}}}
	shared := &Jackpot{Before: 30_000_000, Contribution: 4_000, Carried: [2]uint64{0, 1}, End: "won", Paid: 30_003_999, Rest: 1}
	down := &Jackpot{
		TopUp: 25_000_000, Contribution: 999, Carried: [2]uint64{9, 16}, End: "rolled-down", Extra: "rolled-down",
		Tier: 1, Paid: 25_000_998, Rest: 1,
	}
	carried := &Jackpot{Before: 25_000_000, Contribution: 37, Carried: [2]uint64{1, 2}, End: "carried", Extra: "kept", After: 25_000_037}
	spared := &Jackpot{Before: 150_000_000, Contribution: 40, Carried: [2]uint64{0, 1}, End: "reserve", Extra: "ceiling", Rest: 150_000_040}
	return []sample{
		{"the outlet, a payment centre", Record{at(0), &Outlet{Command: command(20), By: officer, ID: outlet, Number: 75_001, Territory: "metropole", Zone: "Europe/Paris", CreditLimit: 500_000, Centre: true}}},
		{"a sale: a multiple play of four combinations, for a jackpot of 250,000 €", Record{at(1), &Sale{
			Command: command(21), Outlet: outlet, Terminal: terminal, Rules: rules,
			Plays: []Play{multiple}, Units: 1, Asked: 1, Draws: []uint64{3}, Price: 800, Jackpot: 25_000_000,
		}}},
		{"a sale in three draws", Record{at(1), &Sale{
			Command: command(29), Outlet: outlet, Terminal: terminal, Rules: rules,
			Plays: []Play{simple}, Units: 2, Asked: 3, Draws: []uint64{7, 8, 9}, Price: 1200,
		}}},
		{"a result with a multiplier", Record{at(2), &Result{Draw: 3, Close: 15, Sets: [][]uint16{{2, 6, 11, 16, 21, 26, 31, 36, 41}, {7}}, Times: 10}}},
		{"a settlement: the jackpot is won by two, a cent is left", Record{at(3), &Settlement{
			Draw: 3, Parts: 500, Stakes: 100_000, Jackpot: shared,
			Shares: []Share{{Winners: 2, Units: 3, UnitValue: 10_001_333, Total: 30_003_999}},
			Prizes: []PrizeLine{{LastDraw: 3, Prizes: 30_003_999}},
		}}},
		{"a settlement: the jackpot rolls down after an extra draw", Record{at(4), &Settlement{
			Draw: 4, Parts: 125, Stakes: 25_000, Jackpot: down,
			Shares: []Share{{Tier: 1, Winners: 2, Units: 2, UnitValue: 12_500_499, Total: 25_000_998}},
			Prizes: []PrizeLine{{LastDraw: 4, Prizes: 12_500_499}, {LastDraw: 5, Prizes: 12_500_499}},
		}}},
		{"a settlement: the jackpot is carried on", Record{at(5), &Settlement{Draw: 5, Parts: 5, Stakes: 1_000, Jackpot: carried}}},
		{"a settlement: the jackpot at its ceiling goes to the reserve", Record{at(6), &Settlement{Draw: 6, Parts: 5, Stakes: 1_000, Jackpot: spared}}},
		{"a proposal to postpone two draws by an hour", Record{at(7), &Proposal{
			Command: command(22), By: officer, Act: "postpone", Draws: []uint64{7, 8}, Shift: 3_600_000_000, Reason: "panne d’électricité",
		}}},
		{"its approval by another officer", Record{at(8), &Decision{Command: command(23), By: another, Proposal: 29, Approved: true}}},
		{"a draw postponed", Record{at(8), &Move{Draw: 7, Decision: 30, ClosesAt: at(3700), DrawsAt: at(3720)}}},
		{"the other draw postponed", Record{at(8), &Move{Draw: 8, Decision: 30, ClosesAt: at(4000), DrawsAt: at(4020)}}},
		{"a proposal to close a draw early", Record{at(9), &Proposal{Command: command(24), By: officer, Act: "close", Draws: []uint64{8}, Reason: "test"}}},
		{"its approval", Record{at(10), &Decision{Command: command(25), By: another, Proposal: 33, Approved: true}}},
		{"a draw closed early", Record{at(10), &Move{Draw: 8, Decision: 34, ClosesAt: at(10), DrawsAt: at(4020), Early: true}}},
		{"a proposal to cancel a draw", Record{at(11), &Proposal{Command: command(26), By: officer, Act: "cancel-draw", Draws: []uint64{7}, Reason: "boule manquante"}}},
		{"its approval", Record{at(12), &Decision{Command: command(27), By: another, Proposal: 36, Approved: true}}},
		{"a draw cancelled", Record{at(12), &CancelDraw{Draw: 7, Decision: 37}}},
		{"its stakes to give back", Record{at(13), &Refund{Draw: 7, Parts: 2, Lines: []RefundLine{{LastDraw: 7, Stakes: 200}, {LastDraw: 9, Stakes: 400}}}}},
		{"a payment of a prize and of a stake given back", Record{at(5000), &Payment{
			Command: command(28), Outlet: outlet, Terminal: terminal, Ticket: 23, LastDraw: 9,
			Draws: []PaymentDraw{{Draw: 8, Amount: 2_000}}, Back: []PaymentDraw{{Draw: 7, Amount: 400}},
		}}},
		{"a proposal to extend claims", Record{at(5001), &Proposal{
			Command: command(30), By: officer, Act: "extend-claims", Game: "amigo", From: 20_570, To: 20_580, Until: 20_600, Reason: "grève",
		}}},
		{"its rejection", Record{at(5002), &Decision{Command: command(31), By: another, Proposal: 41}}},
		{"a shorter one, proposed by the other", Record{at(5003), &Proposal{
			Command: command(32), By: another, Act: "extend-claims", Game: "amigo", From: 20_576, To: 20_576, Until: 20_577, Reason: "grève",
		}}},
		{"its approval", Record{at(5004), &Decision{Command: command(33), By: officer, Proposal: 43, Approved: true}}},
		{"claims extended", Record{at(5004), &Extension{Decision: 44, Game: "amigo", From: 20_576, To: 20_576, Until: 20_577}}},
		{"claims ended, on prizes", Record{at(6_000_000), &Expiry{LastDraw: 3, Prizes: 2_000}}},
		{"claims ended, on a stake to give back too", Record{at(6_000_001), &Expiry{LastDraw: 7, Prizes: 0, Back: 200}}},
		{"a proposal to make an officer", Record{at(6_000_002), &Proposal{
			Command: command(34), By: officer, Act: "make-officer", Login: "zoe", Reason: "départ d’un responsable",
		}}},
		{"its approval", Record{at(6_000_003), &Decision{Command: command(35), By: another, Proposal: 48, Approved: true}}},
		{"an officer, made by two", Record{at(6_000_003), &Officer{By: another, ID: third, Roles: []string{"all"}}}},
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
