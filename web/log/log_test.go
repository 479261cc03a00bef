package log

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"tirage/central"
	"tirage/game"
	"tirage/journal"
	"tirage/money"
	"tirage/party"
	"tirage/store"
	"tirage/wager"
	"tirage/web/page"
)

// lottery is a central system on a clock that the test sets, and its log over HTTP.
type lottery struct {
	t        *testing.T
	sys      *central.System
	keys     central.Keys
	terminal string
	url      string

	mu  sync.Mutex
	now time.Time
	n   int
}

// A Monday: sales of the session at noon open at 11:00, draw 95 closes at 11:59:40.
var eleven = time.Date(2027, 1, 4, 10, 5, 0, 0, time.UTC)

func newLottery(t *testing.T) *lottery {
	t.Helper()
	ctx := context.Background()
	db, err := store.Open(ctx, "sqlite:"+t.TempDir()+"/tirage.db")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	l := &lottery{t: t, now: eleven}
	if l.keys, err = central.NewKeys("loterie.example/log"); err != nil {
		t.Fatal(err)
	}
	l.sys, err = central.Open(ctx, central.Options{
		DB: db, Keys: l.keys, Clock: central.Clock{Now: l.time, Wall: l.time}, Control: "none", Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.sys.Close)
	officer, err := l.sys.PutOfficer(ctx, central.PutOfficer{Key: "officer", Login: "officer", Password: "correct horse"})
	l.must(err)
	book, err := game.Book("ile-au-tresor")
	l.must(err)
	_, err = l.sys.PublishRules(ctx, central.PublishRules{Key: "rules", Officer: officer.ID, Book: book})
	l.must(err)
	outlet, err := l.sys.PutOutlet(ctx, central.PutOutlet{Key: "outlet", Officer: officer.ID, Outlet: party.Outlet{
		Number: 7, Territory: "metropole", Zone: "Europe/Paris", CreditLimit: money.Euros(100_000),
	}})
	l.must(err)
	terminal, _, err := l.sys.PutTerminal(ctx, central.PutTerminal{Key: "terminal", Officer: officer.ID, Outlet: outlet.ID})
	l.must(err)
	l.terminal = terminal.ID
	l.tick(eleven)

	mux := http.NewServeMux()
	Routes(mux, page.New(l.sys, slog.New(slog.DiscardHandler)))
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	l.url = srv.URL
	return l
}

func (l *lottery) must(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

func (l *lottery) time() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}

// tick sets the clock and does what is due.
func (l *lottery) tick(at time.Time) {
	l.t.Helper()
	l.mu.Lock()
	l.now = at
	l.mu.Unlock()
	_, err := l.sys.Tick(context.Background())
	l.must(err)
}

// sell sells n quick picks of one draw, from many callers at once.
func (l *lottery) sell(n int) {
	l.t.Helper()
	var wg sync.WaitGroup
	errs := make(chan error, n)
	for range n {
		l.n++
		key := fmt.Sprint("sale ", l.n)
		wg.Go(func() {
			_, err := l.sys.Place(context.Background(), central.Place{Key: key, Terminal: l.terminal, Slip: wager.Slip{
				Game: "ile-au-tresor", Boards: []wager.Board{{QuickPick: true}}, Stake: money.Euros(2), Draws: 1,
			}})
			errs <- err
		})
	}
	wg.Wait()
	for range n {
		l.must(<-errs)
	}
}

// get fetches an address below /log/.
func (l *lottery) get(path string) (status int, header http.Header, body []byte) {
	l.t.Helper()
	resp, err := http.Get(l.url + "/log/" + path)
	l.must(err)
	defer func() { _ = resp.Body.Close() }()
	body, err = io.ReadAll(resp.Body)
	l.must(err)
	return resp.StatusCode, resp.Header, body
}

// tree fetches the checkpoint and checks its signature with package note.
func (l *lottery) tree() tlog.Tree {
	l.t.Helper()
	status, header, body := l.get("checkpoint")
	if kind := header.Get("Content-Type"); status != http.StatusOK || kind != "text/plain; charset=utf-8" {
		l.t.Fatalf("checkpoint: status %d, type %q", status, kind)
	}
	if cache := header.Get("Cache-Control"); cache != "no-cache" {
		l.t.Errorf("checkpoint: Cache-Control %q", cache)
	}
	public := ed25519.NewKeyFromSeed(l.keys.Log[:]).Public().(ed25519.PublicKey)
	text, err := journal.VerifierKey(l.keys.Origin, public)
	l.must(err)
	verifier, err := note.NewVerifier(text)
	l.must(err)
	signed, err := note.Open(body, note.VerifierList(verifier))
	l.must(err)
	lines := strings.Split(signed.Text, "\n")
	if len(lines) != 4 || lines[0] != l.keys.Origin {
		l.t.Fatalf("checkpoint %q", signed.Text)
	}
	var tree tlog.Tree
	_, err = fmt.Sscan(lines[1], &tree.N)
	l.must(err)
	tree.Hash, err = tlog.ParseHash(lines[2])
	l.must(err)
	return tree
}

// tiles reads hash tiles over HTTP for package tlog, which checks each against the tree.
type tiles struct {
	l    *lottery
	kept map[string][]byte
}

func (tiles) Height() int { return 8 }

func (r tiles) ReadTiles(list []tlog.Tile) ([][]byte, error) {
	var data [][]byte
	for _, tile := range list {
		path := journal.TilePath(tile.L, uint64(tile.N), tile.W)
		if r.kept[path] == nil {
			status, header, body := r.l.get(path)
			if status != http.StatusOK {
				return nil, fmt.Errorf("%s: status %d: %s", path, status, body)
			}
			if kind, cache := header.Get("Content-Type"), header.Get("Cache-Control"); kind != "application/octet-stream" || !strings.Contains(cache, "immutable") {
				return nil, fmt.Errorf("%s: type %q, cache %q", path, kind, cache)
			}
			r.kept[path] = body
		}
		data = append(data, r.kept[path])
	}
	return data, nil
}

func (tiles) SaveTiles([]tlog.Tile, [][]byte) {}

func (l *lottery) hashes(tree tlog.Tree) tlog.HashReader {
	return tlog.TileHashReader(tree, tiles{l, map[string][]byte{}})
}

// records fetches all records of a tree, bundle by bundle.
func (l *lottery) records(size int64) [][]byte {
	l.t.Helper()
	var all [][]byte
	for n := int64(0); n*journal.TileWidth < size; n++ {
		width := int(min(journal.TileWidth, size-n*journal.TileWidth))
		status, header, body := l.get(journal.EntriesPath(uint64(n), width))
		if status != http.StatusOK || header.Get("Content-Type") != "application/octet-stream" {
			l.t.Fatalf("bundle %d: status %d, type %q: %s", n, status, header.Get("Content-Type"), body)
		}
		for len(body) > 0 {
			size := int(body[0])<<8 | int(body[1])
			all = append(all, body[2:2+size])
			body = body[2+size:]
		}
	}
	return all
}

// Two programs that are not ours read the log over HTTP: the signature, the
// inclusion of every record, and that the log only ever grew.
func TestLogReadByOthers(t *testing.T) {
	t.Parallel()
	l := newLottery(t)
	first := l.tree()
	l.sell(300)
	middle := l.tree()
	l.sell(300)
	l.tick(time.Date(2027, 1, 4, 11, 0, 30, 0, time.UTC)) // draw 95 is closed, drawn and certified
	tree := l.tree()
	if tree.N < 600 {
		t.Fatalf("the log has %d records", tree.N)
	}

	hashes := l.hashes(tree)
	for _, old := range []tlog.Tree{first, middle} {
		p, err := tlog.ProveTree(tree.N, old.N, hashes)
		l.must(err)
		if err := tlog.CheckTree(p, tree.N, tree.Hash, old.N, old.Hash); err != nil {
			t.Errorf("tree of %d in tree of %d: %v", old.N, tree.N, err)
		}
	}
	records := l.records(tree.N)
	if int64(len(records)) != tree.N {
		t.Fatalf("got %d records of %d", len(records), tree.N)
	}
	for i, record := range records {
		p, err := tlog.ProveRecord(tree.N, int64(i), hashes)
		l.must(err)
		if err := tlog.CheckRecord(p, tree.N, tree.Hash, int64(i), tlog.RecordHash(record)); err != nil {
			t.Fatalf("record %d: %v", i, err)
		}
	}
	for _, i := range []uint64{0, 1, 255, 256, 511, uint64(tree.N - 1)} {
		status, header, body := l.get(fmt.Sprintf("proof/%d", i))
		if status != http.StatusOK || header.Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Fatalf("proof of %d: status %d, type %q", i, status, header.Get("Content-Type"))
		}
		index, path, checkpoint, err := journal.ParseProof(body)
		l.must(err)
		var nodes [][]byte
		for _, h := range path {
			nodes = append(nodes, h[:])
		}
		leaf := rfc6962.DefaultHasher.HashLeaf(records[i])
		if err := proof.VerifyInclusion(rfc6962.DefaultHasher, index, uint64(tree.N), leaf, nodes, tree.Hash[:]); err != nil {
			t.Errorf("proof of %d: %v", i, err)
		}
		if _, _, now := l.get("checkpoint"); string(now) != string(checkpoint) {
			t.Errorf("proof of %d: of another checkpoint", i)
		}
	}
}

// Before the close a bundle would show exposure and outlets' sales; its hashes are public at once.
func TestEntriesNotPublicBeforeClose(t *testing.T) {
	t.Parallel()
	l := newLottery(t)
	l.sell(3)
	size := l.tree().N
	entries, tile := journal.EntriesPath(0, int(size)), journal.TilePath(0, 0, int(size))
	status, header, body := l.get(entries)
	if status != http.StatusForbidden || !strings.Contains(string(body), "not public yet") {
		t.Errorf("bundle with open sales: status %d: %s", status, body)
	}
	if cache := header.Get("Cache-Control"); cache != "no-store" {
		t.Errorf("refusal: Cache-Control %q: it would outlive the close", cache)
	}
	if status, _, _ := l.get(tile); status != http.StatusOK {
		t.Errorf("tile with open sales: status %d", status)
	}
	if !strings.Contains(string(body), "try again after the draws that sell now have closed") {
		t.Errorf("refusal: %s", body)
	}
	// Keys and rule books do not wait for the sales beside them; nothing else is told singly.
	told := map[bool]int{}
	for i := range size {
		status, _, body := l.get(fmt.Sprint("record/", i))
		if status == http.StatusOK {
			rec, err := journal.Decode(body)
			l.must(err)
			switch rec.Body.(type) {
			case *journal.Key, *journal.Book:
			default:
				t.Errorf("record %d, of %T, is told", i, rec.Body)
			}
		} else if status != http.StatusForbidden {
			t.Errorf("record %d: status %d: %s", i, status, body)
		}
		told[status == http.StatusOK]++
	}
	if told[true] < 2 || told[false] < 3 {
		t.Errorf("records told: %v", told)
	}
	for _, path := range []string{fmt.Sprint("record/", size), "record/00", "record/x", "record/18446744073709551615"} {
		if status, _, _ := l.get(path); status != http.StatusNotFound {
			t.Errorf("%s: status %d", path, status)
		}
	}
	l.tick(time.Date(2027, 1, 4, 10, 59, 41, 0, time.UTC))
	if status, _, body := l.get(entries); status != http.StatusOK {
		t.Errorf("bundle after the close: status %d: %s", status, body)
	}
}

// Proofs and partial tiles, which no cache keeps, are limited for each client; full tiles are not.
func TestLogReadsLimited(t *testing.T) {
	t.Parallel()
	l := newLottery(t)
	l.sell(journal.TileWidth)
	partial := journal.TilePath(0, 1, 1)
	paths := []string{"proof/0", partial, journal.EntriesPath(1, 1)}
	var status int
	var header http.Header
	var body []byte
	asked := 0
	for ; asked < 1000 && status != http.StatusTooManyRequests; asked++ {
		status, header, body = l.get(paths[asked%len(paths)])
	}
	if status != http.StatusTooManyRequests {
		t.Fatalf("%d reads at once are not limited", asked)
	}
	if asked < 50 {
		t.Errorf("limited after %d reads: a verifier makes as many", asked)
	}
	if header.Get("Content-Type") != "text/plain; charset=utf-8" || header.Get("Cache-Control") != "no-store" || header.Get("Retry-After") == "" || len(body) == 0 {
		t.Errorf("refusal: %v, %q", header, body)
	}
	for _, path := range []string{"checkpoint", journal.TilePath(0, 0, journal.TileWidth)} {
		for range 150 {
			if status, _, _ := l.get(path); status != http.StatusOK {
				t.Fatalf("%s: status %d", path, status)
			}
		}
	}
}

func TestLogNotFound(t *testing.T) {
	t.Parallel()
	l := newLottery(t)
	size := l.tree().N
	for _, path := range []string{
		"tile/0/001", "tile/0/000", "tile/1/000", "tile/63/000.p/1", "tile/0/x072/x057/x594/x037/x927/x936",
		fmt.Sprintf("tile/0/000.p/%d", size+1), "tile/0/000.p/0", "tile/0/000.p/256", "tile/0/0", "tile/0/x000/000", "tile/00/000", "tile/64/000", "tile/-1/000",
		"tile/entries/001", "tile/entries/x072/x057/x594/x037/x927/936", "tile/entries/x072/x057/x594/x037/x927/x936.p/1",
		"tile/entries/x072/x057/x594/x037/x927/936.p/1", "tile/0/x072/x057/x594/x037/x927/936.p/1", "tile/entries/" + strings.Repeat("x999/", 20) + "999",
		fmt.Sprintf("tile/entries/000.p/%d", size+1), "tile/entries/", "tile/", "proof/x", "proof/-1", "proof/01",
		fmt.Sprintf("proof/%d", size), "proof/18446744073709551615", "proof/18446744073709551616",
	} {
		status, header, body := l.get(path)
		if status != http.StatusNotFound || header.Get("Content-Type") != "text/plain; charset=utf-8" || len(body) == 0 {
			t.Errorf("%s: status %d, type %q, %d bytes; want 404 and a line of text", path, status, header.Get("Content-Type"), len(body))
		}
	}
}
