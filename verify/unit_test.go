package verify_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"tirage/instant"
	"tirage/journal"
	"tirage/money"
	"tirage/rng"
	"tirage/verify"
)

// island is the rule book of the regulation with pools of a few units.
func island(t testing.TB) []byte {
	t.Helper()
	book, err := os.ReadFile("testdata/cove.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return book
}

// lottery is one that may lie: what its log and a player's file say is changed before it is signed.
type lottery struct {
	logKey, answers ed25519.PrivateKey
	beacon          *rng.Beacon
	beaconEnd       [32]byte
	book            journal.Book
	pool            journal.Pool
	unit            journal.Unit
	poolAfter       bool // the pool is committed after the unit
	single          bool // records are served singly too
	at              int64
	text            map[string]any
	signature       func([]byte) []byte
	file            func(map[string]any)
	serve           func(path string, b []byte) ([]byte, error)
}

const (
	origin = "loterie.example/log"
	sold   = 7 // the unit
)

// beacon takes a while to make, and is the same for all.
var beacon = sync.OnceValue(func() *rng.Beacon { return rng.NewBeacon([32]byte{9}) })

// honest is a lottery that does not, with a unit played.
func honest(t testing.TB) *lottery {
	t.Helper()
	l := &lottery{logKey: ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, 32)), answers: ed25519.NewKeyFromSeed(bytes.Repeat([]byte{2}, 32)), at: 1_800_000_000_000_000}
	rules, err := instant.Parse("cove.yaml", island(t))
	if err != nil {
		t.Fatal(err)
	}
	table := &rules.Tables[0]
	l.beacon = beacon()
	l.beaconEnd = l.beacon.End()
	value, err := l.beacon.Value(3)
	if err != nil {
		t.Fatal(err)
	}
	secrets := [2]instant.Secret{{1}, {2}}
	pool := instant.Build(table, rules.Units, instant.PoolSeed(secrets, value, string(rules.Code), table.Price, 1))
	leaf := pool.Leaf(sold)
	l.book = journal.Book{Sort: "instant", Code: string(rules.Code), Version: rules.Version, FirstDay: int32(rules.FirstDay), Hash: rules.Hash, Book: rules.Bytes}
	l.pool = journal.Pool{
		ID: 4, Game: string(rules.Code), Price: table.Price, Number: 1, Book: rules.Hash, Hashes: [2][32]byte{secrets[0].Hash(), secrets[1].Hash()},
		Round: 3, Beacon: value, Units: uint64(rules.Units), Root: pool.Root(),
	}
	l.unit = journal.Unit{Player: journal.Party{1}, Pool: 4, N: leaf.N, Price: table.Price, Prize: leaf.Prize, Seed: leaf.Seed, Salt: leaf.Salt, Previous: 1}
	board := instant.NewBoard(table, leaf.Prize, leaf.Seed)
	proof := []string{}
	for _, h := range pool.Proof(sold) {
		proof = append(proof, hex.EncodeToString(h[:]))
	}
	root := pool.Root()
	l.text = map[string]any{
		"v": 1, "log": origin, "record": 305, "at": l.at, "game": string(rules.Code), "pool": 4, "number": 1, "units": rules.Units, "unit": sold,
		"price": table.Price, "prize": leaf.Prize, "seed": hex.EncodeToString(leaf.Seed[:]), "salt": hex.EncodeToString(leaf.Salt[:]),
		"root": hex.EncodeToString(root[:]), "proof": proof, "board": boardOf(board),
	}
	l.signature = func(text []byte) []byte { return ed25519.Sign(l.answers, text) }
	l.file = func(map[string]any) {}
	l.serve = func(_ string, b []byte) ([]byte, error) { return b, nil }
	return l
}

func boardOf(b instant.Board) map[string]any {
	var chests, throws [][2]int
	for _, c := range b.Chests {
		chests = append(chests, [2]int{int(c.At), int(c.Symbol)})
	}
	for _, t := range b.Throws {
		throws = append(throws, [2]int{int(t.Direction), t.Squares})
	}
	return map[string]any{"start": int(b.Start), "chests": chests, "throws": throws}
}

// records are those of the log: 3 keys, the book at 5, the pool at 300, the unit at 305, and others around.
func (l *lottery) records(t testing.TB) [][]byte {
	t.Helper()
	list := make([][]byte, 400)
	for i := range list {
		var body journal.Body = &journal.OpenPool{Pool: uint64(1000 + i)}
		switch i {
		case 0:
			body = &journal.Key{Use: "log", ID: make([]byte, 8), Public: l.logKey.Public().(ed25519.PublicKey)}
		case 1:
			body = &journal.Key{Use: "answers", ID: make([]byte, 8), Public: l.answers.Public().(ed25519.PublicKey)}
		case 2:
			body = &journal.Key{Use: "beacon", ID: make([]byte, 8), Public: l.beaconEnd[:]}
		case 5:
			body = &l.book
		case 300:
			if !l.poolAfter {
				body = &l.pool
			}
		case 305:
			body = &l.unit
		case 310:
			if l.poolAfter {
				body = &l.pool
			}
		}
		b, err := journal.Encode(journal.Record{At: l.at, Body: body})
		if err != nil {
			t.Fatal(err)
		}
		list[i] = b
	}
	return list
}

// open serves the log, and gives the player's file and the log's key.
func (l *lottery) open(t testing.TB) (file []byte, fetch verify.Fetch, key string) {
	t.Helper()
	records := l.records(t)
	files := map[string][]byte{}
	var frontier journal.Frontier
	var hashes []byte
	for _, b := range records {
		leaf := journal.LeafHash(b)
		frontier.Append(leaf)
		hashes = append(hashes, leaf[:]...)
	}
	var top journal.Frontier // root of the first tile
	for _, b := range records[:256] {
		top.Append(journal.LeafHash(b))
	}
	first := top.Root()
	files[journal.TilePath(0, 0, 256)] = hashes[:256*32]
	files[journal.TilePath(0, 1, 144)] = hashes[256*32:]
	files[journal.TilePath(1, 0, 1)] = first[:]
	signer, err := journal.NewSigner(origin, l.logKey)
	if err != nil {
		t.Fatal(err)
	}
	if files["checkpoint"], err = (journal.Checkpoint{Origin: origin, Size: 400, Root: frontier.Root()}).Sign(signer); err != nil {
		t.Fatal(err)
	}
	if key, err = journal.VerifierKey(origin, l.logKey.Public().(ed25519.PublicKey)); err != nil {
		t.Fatal(err)
	}
	fetch = func(_ context.Context, path string) ([]byte, error) {
		if n, width, err := journal.ParseEntriesPath(path); err == nil {
			var bundle []byte
			for _, b := range records[n*256 : int(n)*256+width] {
				bundle = journal.AppendBundle(bundle, b)
			}
			return l.serve(path, bundle)
		}
		b, ok := files[path]
		if index, found := strings.CutPrefix(path, "record/"); found && l.single {
			i, err := strconv.Atoi(index)
			if err != nil {
				return nil, err
			}
			b, ok = records[i], true
		}
		if !ok {
			return nil, fmt.Errorf("%w: %s", verify.ErrAbsent, path)
		}
		return l.serve(path, b)
	}
	text, err := json.Marshal(l.text)
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]any{"text": string(text), "signature": l.signature(text), "pool_record": 300, "book_record": 5}
	if l.poolAfter {
		parts["pool_record"] = 310
	}
	l.file(parts)
	if file, err = json.Marshal(parts); err != nil {
		t.Fatal(err)
	}
	return file, fetch, key
}

// wrong names the steps that are not ok.
func wrong(r *verify.Report, state verify.State) (names []string) {
	for _, s := range r.Steps {
		if s.State == state {
			names = append(names, s.Name)
		}
	}
	return names
}

// TestUnit: a unit of an honest lottery stands, with hints of where to look or without.
func TestUnit(t *testing.T) {
	t.Parallel()
	for _, hints := range []bool{true, false} {
		l := honest(t)
		l.file = func(f map[string]any) {
			if !hints {
				delete(f, "pool_record")
				delete(f, "book_record")
			}
		}
		file, fetch, key := l.open(t)
		r := verify.Unit(t.Context(), file, verify.UnitOptions{Fetch: fetch, Key: key})
		if r.State() != verify.OK || len(r.Steps) != len(verify.UnitSteps) {
			t.Errorf("hints %t: %+v", hints, r.Steps)
		}
		for i, s := range r.Steps {
			if s.Name != verify.UnitSteps[i] {
				t.Errorf("step %d is %s", i, s.Name)
			}
		}
		if r = verify.Unit(t.Context(), file, verify.UnitOptions{Fetch: fetch}); r.State() != verify.OK || r.KeyGiven || r.Key != key {
			t.Errorf("by the log's own key %q, want %q: %+v", r.Key, key, r.Steps)
		}
	}
}

// TestUnit_Copy: a copy of a log has its tiles, and need not have narrower ones.
func TestUnit_Copy(t *testing.T) {
	t.Parallel()
	l := honest(t)
	l.serve = func(path string, b []byte) ([]byte, error) {
		if strings.Contains(path, "entries/") && strings.Contains(path, ".p/") && !strings.HasSuffix(path, ".p/144") {
			return nil, verify.ErrAbsent
		}
		return b, nil
	}
	file, fetch, key := l.open(t)
	if r := verify.Unit(t.Context(), file, verify.UnitOptions{Fetch: fetch, Key: key}); r.State() != verify.OK {
		t.Errorf("from a copy: %+v", r.Steps)
	}
}

// TestF14_UnitRefuted: each lie is found, and the step named that finds it.
func TestF14_UnitRefuted(t *testing.T) {
	t.Parallel()
	other := strings.Repeat("ab", 32)
	spoil := func(suffix string) func(*lottery) {
		return func(l *lottery) {
			l.serve = func(path string, b []byte) ([]byte, error) {
				if strings.Contains(path, suffix) {
					b = bytes.Clone(b)
					b[len(b)-40] ^= 1
				}
				return b, nil
			}
		}
	}
	for name, c := range map[string]struct {
		lie  func(*lottery)
		want string // steps refuted
	}{
		"no JSON":                 {func(l *lottery) { l.file = func(f map[string]any) { f["text"] = "{" } }, "file"},
		"a field that is unknown": {func(l *lottery) { l.text["note"] = 1 }, "file"},
		"a field of the file":     {func(l *lottery) { l.file = func(f map[string]any) { f["note"] = 1 } }, "file"},
		"a field in capitals": {func(l *lottery) {
			l.file = func(f map[string]any) {
				f["text"] = strings.Replace(f["text"].(string), `"prize"`, `"prize":0,"PRIZE"`, 1)
			}
		}, "file"},
		"three numbers of a chest": {func(l *lottery) {
			l.file = func(f map[string]any) {
				f["text"] = strings.Replace(f["text"].(string), `"chests":[[`, `"chests":[[1,`, 1)
			}
		}, "file"},
		"hexadecimal in capitals":  {func(l *lottery) { l.text["seed"] = strings.ToUpper(l.text["seed"].(string)) }, "file"},
		"another version":          {func(l *lottery) { l.text["v"] = 2 }, "file"},
		"a place outside the pool": {func(l *lottery) { l.text["unit"] = 40 }, "file"},
		"a seed cut short":         {func(l *lottery) { l.text["seed"] = "00" }, "file"},
		"the signature":            {func(l *lottery) { l.signature = func([]byte) []byte { return make([]byte, 64) } }, "signature"},
		"no signature":             {func(l *lottery) { l.signature = func([]byte) []byte { return nil } }, "signature"},
		"a text changed once signed": {func(l *lottery) {
			l.file = func(f map[string]any) { f["text"] = strings.Replace(f["text"].(string), `"v":1`, `"v": 1`, 1) }
		}, "signature"},
		"the prize told":                   {func(l *lottery) { l.text["prize"] = 777 }, "proof unit board derived"},
		"the place told":                   {func(l *lottery) { l.text["unit"] = 8 }, "proof unit"},
		"the seed told":                    {func(l *lottery) { l.text["seed"] = other }, "proof unit derived"},
		"the salt told":                    {func(l *lottery) { l.text["salt"] = other[:32] }, "proof unit"},
		"a hash of the proof":              {func(l *lottery) { l.text["proof"].([]string)[2] = other }, "proof"},
		"a hash too many":                  {func(l *lottery) { l.text["proof"] = append(l.text["proof"].([]string), other) }, "proof"},
		"the root told":                    {func(l *lottery) { l.text["root"] = other }, "proof pool"},
		"the root committed":               {func(l *lottery) { l.pool.Root = [32]byte{1} }, "pool"},
		"the pool committed after":         {func(l *lottery) { l.poolAfter = true }, "pool"},
		"the number of the pool":           {func(l *lottery) { l.text["number"] = 2 }, "pool"},
		"the units of the pool":            {func(l *lottery) { l.text["units"] = 39 }, "pool"},
		"the price told":                   {func(l *lottery) { l.text["price"] = 200 }, "pool unit"},
		"the game told":                    {func(l *lottery) { l.text["game"] = "other" }, "pool"},
		"another pool":                     {func(l *lottery) { l.text["pool"] = 5 }, "pool unit"},
		"the time told":                    {func(l *lottery) { l.text["at"] = 1 }, "unit"},
		"another record":                   {func(l *lottery) { l.text["record"] = 306 }, "unit"},
		"a record beyond the log":          {func(l *lottery) { l.text["record"] = 400 }, "unit"},
		"the prize recorded":               {func(l *lottery) { l.unit.Prize += 100 }, "unit"},
		"the board seed recorded":          {func(l *lottery) { l.unit.Seed[0] ^= 1 }, "unit"},
		"the value of the beacon":          {func(l *lottery) { l.pool.Beacon[0] ^= 1 }, "beacon"},
		"the round of the beacon":          {func(l *lottery) { l.pool.Round = 4 }, "beacon"},
		"the end of the beacon":            {func(l *lottery) { l.beaconEnd[0] ^= 1 }, "beacon"},
		"no board":                         {func(l *lottery) { delete(l.text, "board") }, "board derived"},
		"the start on the board":           {func(l *lottery) { l.text["board"].(map[string]any)["start"] = 0 }, "board derived"},
		"a throw on the board":             {func(l *lottery) { l.text["board"].(map[string]any)["throws"].([][2]int)[0] = [2]int{9, 1} }, "board derived"},
		"a chest on the board":             {func(l *lottery) { l.text["board"].(map[string]any)["chests"].([][2]int)[0][0] = 0 }, "board derived"},
		"a shut chest that tells":          {shut, "board derived"},
		"another board of the prize":       {anotherBoard, "derived"},
		"the rule book":                    {func(l *lottery) { l.book.Book = append(l.book.Book, '\n') }, "board"},
		"the log's name":                   {func(l *lottery) { l.text["log"] = "other.example/log" }, "checkpoint"},
		"the checkpoint":                   {spoil("checkpoint"), "checkpoint"},
		"a hash of a tile":                 {spoil("tile/0/001"), "signature pool unit"},
		"a record as served":               {spoil("tile/entries/001"), "pool unit"},
		"a record of the keys as served":   {spoil("tile/entries/000.p/2"), "signature beacon"},
		"a pool said to be another record": {func(l *lottery) { l.file = func(f map[string]any) { f["pool_record"] = 299 } }, "pool"},
		"a book said to be another record": {func(l *lottery) { l.file = func(f map[string]any) { f["book_record"] = 6 } }, "board"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := honest(t)
			c.lie(l)
			file, fetch, key := l.open(t)
			r := verify.Unit(t.Context(), file, verify.UnitOptions{Fetch: fetch, Key: key})
			if got := strings.Join(wrong(r, verify.Refuted), " "); got != c.want || r.State() != verify.Refuted {
				t.Errorf("refuted %q, want %q: %+v", got, c.want, r.Steps)
			}
		})
	}
}

// anotherBoard shows the player a board of his prize that is not the one of his seed.
func anotherBoard(l *lottery) {
	rules, err := instant.Parse("cove.yaml", l.book.Book)
	if err != nil {
		panic(err)
	}
	l.text["board"] = boardOf(instant.NewBoard(&rules.Tables[0], l.unit.Prize, rng.Seed{5}))
}

// shut tells what a chest holds that stays shut.
func shut(l *lottery) {
	chests := l.text["board"].(map[string]any)["chests"].([][2]int)
	for i := range chests {
		if chests[i][1] == 0 {
			chests[i][1] = 4
		}
	}
}

// TestUnit_NotChecked: what cannot be read is not held to be right.
func TestUnit_NotChecked(t *testing.T) {
	t.Parallel()
	l := honest(t)
	file, _, key := l.open(t)
	r := verify.Unit(t.Context(), file, verify.UnitOptions{Key: key})
	if got := wrong(r, verify.OK); r.State() != verify.NotChecked || !slices.Equal(got, []string{"file", "proof"}) {
		t.Errorf("without a log: %+v", r.Steps)
	}
	for part, want := range map[string]string{
		"checkpoint": "checkpoint signature pool unit beacon board derived", "tile/entries/001": "pool unit beacon board derived", "tile/entries/000": "signature beacon board derived",
		"tile/0/001": "signature pool unit beacon board derived",
	} {
		l := honest(t)
		l.serve = func(path string, b []byte) ([]byte, error) {
			if strings.HasPrefix(path, part) {
				return nil, verify.ErrAbsent
			}
			return b, nil
		}
		file, fetch, key := l.open(t)
		r := verify.Unit(t.Context(), file, verify.UnitOptions{Fetch: fetch, Key: key})
		if got := strings.Join(wrong(r, verify.NotChecked), " "); got != want || r.State() != verify.NotChecked {
			t.Errorf("without %s: not checked %q, want %q: %+v", part, got, want, r.Steps)
		}
	}
	// Bundles that are not public yet: the records that are needed come by themselves, and are proved like the others.
	for changed, want := range map[string]verify.State{"": verify.OK, "record/300": verify.Refuted} {
		l := honest(t)
		l.serve = func(path string, b []byte) ([]byte, error) {
			switch {
			case strings.HasPrefix(path, "tile/entries/001"):
				return nil, verify.ErrAbsent
			case path == changed:
				b = append(slices.Clone(b[:len(b)-1]), b[len(b)-1]^1)
			}
			return b, nil
		}
		l.single = true
		file, fetch, key := l.open(t)
		if r := verify.Unit(t.Context(), file, verify.UnitOptions{Fetch: fetch, Key: key}); r.State() != want {
			t.Errorf("single records, %q changed: %+v", changed, r.Steps)
		}
	}
	l = honest(t)
	delete(l.text, "proof")
	file, fetch, key := l.open(t)
	if r := verify.Unit(t.Context(), file, verify.UnitOptions{Fetch: fetch, Key: key}); !slices.Equal(wrong(r, verify.NotChecked), []string{"proof"}) {
		t.Errorf("a closed pool: %+v", r.Steps)
	}
}

// TestINS_4_4_board_ThirdReader: this reader and that of package instant, written apart,
// read the same prize on boards of all prizes, and refuse the same ones that were changed.
func TestINS_4_4_board_ThirdReader(t *testing.T) {
	t.Parallel()
	book, err := instant.Book("ile-au-tresor-instant")
	if err != nil {
		t.Fatal(err)
	}
	rules, err := instant.Parse("book.yaml", book)
	if err != nil {
		t.Fatal(err)
	}
	read, err := verify.BoardReader(book)
	if err != nil {
		t.Fatal(err)
	}
	choose := rng.NewStream(rng.Seed{7}, "third reader")
	for i := range rules.Tables {
		table := &rules.Tables[i]
		prizes := []money.Amount{0, 0, 0}
		for _, p := range table.Prizes {
			prizes = append(prizes, p.Amount)
		}
		for _, prize := range prizes {
			for range 300 {
				var seed rng.Seed
				for j := range seed {
					seed[j] = byte(choose.Below(256))
				}
				b := instant.NewBoard(table, prize, seed)
				compareReaders(t, read, table, b)
				spoilBoard(&b, choose)
				compareReaders(t, read, table, b)
			}
		}
	}
}

// spoilBoard changes a board in one place.
func spoilBoard(b *instant.Board, choose *rng.Stream) {
	below := func(n int) int { return int(choose.Below(uint64(n))) }
	switch below(4) {
	case 0:
		b.Start = instant.Square(below(66))
	case 1:
		b.Chests[below(9)].Symbol = instant.Symbol(below(6))
	case 2:
		b.Throws[below(4)].Squares = below(8)
	default:
		b.Throws[below(4)].Direction = instant.Direction(below(10))
	}
}

func compareReaders(t *testing.T, read func(money.Amount, []byte) (money.Amount, error), table *instant.PrizeTable, b instant.Board) {
	t.Helper()
	want, wantErr := instant.Read(table, b)
	text, err := json.Marshal(boardOf(b))
	if err != nil {
		t.Fatal(err)
	}
	got, gotErr := read(table.Price, text)
	if (wantErr == nil) != (gotErr == nil) || got != want {
		t.Fatalf("%+v reads to %s, %v; by instant to %s, %v", b, got, gotErr, want, wantErr)
	}
}
