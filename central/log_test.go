package central_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"

	"tirage/central"
	"tirage/internal/dbtest"
	"tirage/journal"
	"tirage/store"
)

// The log of a node: checkpoints verify, every record is proven to be in it,
// by our verifier and by another, and tiles are what the records give.
func TestLog(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t, "draws: [95, 130]", "draws: [95, 100]"))
		var checkpoints []journal.Checkpoint
		for range 6 { // up to a little over one full tile
			checkpoints = append(checkpoints, w.checkpoint())
			for range 49 {
				w.sell(w.quickPick(2, 1))
			}
		}
		w.at(mondayDraw(100)) // all is public now
		w.restart()
		checkpoints = append(checkpoints, w.checkpoint())
		last := checkpoints[len(checkpoints)-1]
		_, raw := w.records()
		if uint64(len(raw)) != last.Size || last.Size < 300 {
			t.Fatalf("%d records, checkpoint of %d", len(raw), last.Size)
		}
		w.tilesAgree(raw)
		w.proofsVerify(raw, last)
		read := w.tileReader()
		for _, old := range checkpoints {
			p, err := journal.ProveConsistency(old.Size, last.Size, read)
			w.check(err)
			w.check(journal.VerifyConsistency(old.Size, last.Size, old.Root, last.Root, p))
			w.check(proof.VerifyConsistency(rfc6962.DefaultHasher, old.Size, last.Size, hashSlices(p), old.Root[:], last.Root[:]))
		}
		bundle, err := w.sys.Entries(w.ctx(), 0, 256)
		w.check(err)
		records, err := journal.SplitBundle(bundle)
		w.check(err)
		for i, b := range records {
			if !bytes.Equal(b, raw[i]) {
				t.Fatalf("entry %d differs from the record", i)
			}
		}
	})
}

// checkpoint is the node's checkpoint, verified.
func (w *world) checkpoint() journal.Checkpoint {
	w.Helper()
	signed, err := w.sys.Checkpoint()
	w.check(err)
	verifier, err := w.sys.Verifier()
	w.check(err)
	c, err := journal.OpenCheckpoint(signed, verifier)
	w.check(err)
	if c.Size != w.sys.Size() || c.Origin != testKeys().Origin {
		w.Errorf("checkpoint %+v of a journal of %d", c, w.sys.Size())
	}
	return c
}

// tileReader reads the tiles that the node serves.
func (w *world) tileReader() journal.TileReader {
	return func(level int, n uint64, width int) ([]journal.Hash, error) {
		tile, err := w.sys.Tile(w.ctx(), level, n, width)
		if err != nil {
			return nil, err
		}
		hashes := make([]journal.Hash, width)
		for i := range hashes {
			hashes[i] = journal.Hash(tile[32*i:])
		}
		return hashes, nil
	}
}

// tilesAgree compares the tiles that the node serves, full and partial, with those of the records.
func (w *world) tilesAgree(raw [][]byte) {
	w.Helper()
	level := make([]journal.Hash, len(raw))
	for i, b := range raw {
		level[i] = journal.LeafHash(b)
	}
	for l := 0; len(level) > 0; l++ {
		var above []journal.Hash
		for n := 0; n*256 < len(level); n++ {
			want := level[n*256 : min(len(level), n*256+256)]
			got, err := w.tileReader()(l, uint64(n), len(want))
			w.check(err)
			for i := range want {
				if got[i] != want[i] {
					w.Fatalf("tile %d/%d differs at %d", l, n, i)
				}
			}
			if len(want) == 256 {
				var f journal.Frontier
				for _, h := range want {
					f.Append(h)
				}
				above = append(above, f.Root())
			}
		}
		for _, beyond := range []struct {
			n     uint64
			width int
		}{{uint64(len(level)) / 256, len(level)%256 + 1}, {uint64(len(level))/256 + 1, 1}, {1 << 40, 1}, {1<<55 + 1, 256}} {
			if _, err := w.sys.Tile(w.ctx(), l, beyond.n, beyond.width); !errors.Is(err, store.ErrNotFound) {
				w.Errorf("tile %d/%d of width %d: got %v, want not found", l, beyond.n, beyond.width, err)
			}
		}
		level = above
	}
}

// proofsVerify has every record proven to be in the log.
func (w *world) proofsVerify(raw [][]byte, c journal.Checkpoint) {
	w.Helper()
	for i, b := range raw {
		text, err := w.sys.InclusionProof(w.ctx(), uint64(i))
		w.check(err)
		index, hashes, checkpoint, err := journal.ParseProof(text)
		w.check(err)
		verifier, err := w.sys.Verifier()
		w.check(err)
		of, err := journal.OpenCheckpoint(checkpoint, verifier)
		w.check(err)
		if index != uint64(i) || of != c {
			w.Fatalf("proof of record %d in %+v", index, of)
		}
		leaf := journal.LeafHash(b)
		w.check(journal.VerifyInclusion(index, c.Size, leaf, hashes, c.Root))
		w.check(proof.VerifyInclusion(rfc6962.DefaultHasher, index, c.Size, rfc6962.DefaultHasher.HashLeaf(b), hashSlices(hashes), c.Root[:]))
		leaf[0]++
		if err := journal.VerifyInclusion(index, c.Size, leaf, hashes, c.Root); err == nil {
			w.Fatalf("the proof of record %d proves another", i)
		}
	}
	for _, index := range []uint64{c.Size, c.Size + 1, 1 << 63, 1<<64 - 1} {
		if _, err := w.sys.InclusionProof(w.ctx(), index); !errors.Is(err, store.ErrNotFound) {
			w.Errorf("proof of record %d: got %v, want not found", index, err)
		}
	}
}

func hashSlices(hashes []journal.Hash) [][]byte {
	list := make([][]byte, len(hashes))
	for i := range hashes {
		list[i] = hashes[i][:]
	}
	return list
}

// A bundle is public once the last draw of its sales has closed, and not before.
func TestEntriesPublic(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		before := int(w.sys.Size())
		ticket := w.sell(w.quickPick(2, 2))
		w.check(w.cancel(w.shop, ticket))
		w.at(mondayDraw(95)) // the first draw of the ticket
		size := int(w.sys.Size())
		entries := func(width int) error {
			_, err := w.sys.Entries(w.ctx(), 0, width)
			return err
		}
		w.check(entries(before))
		for _, width := range []int{before + 1, before + 2, size} {
			if err := entries(width); !errors.Is(err, central.ErrNotPublic) {
				t.Errorf("%d entries: got %v, want not public", width, err)
			}
		}
		w.clock.set(mondayDraw(96)) // closing time has passed, but there is no record of it
		if err := entries(size); !errors.Is(err, central.ErrNotPublic) {
			t.Errorf("before the close record: %v", err)
		}
		w.tick()
		w.check(entries(size))
		w.restart()
		w.check(entries(size))
		for _, beyond := range []uint64{1, 1 << 40, 1 << 55, 1<<55 + 3, 1<<56 - 1} {
			if _, err := w.sys.Entries(w.ctx(), beyond, 256); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("bundle %d: got %v, want not found", beyond, err)
			}
		}
		if err := entries(int(w.sys.Size()) + 1); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("more entries than there are: %v", err)
		}
	})
}

// Thousands of records in large turns: full tiles on two levels, across restarts.
func TestLogLarge(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t), island(t))
	for _, count := range []int{255, 1, 256, 1500, 37} {
		release := w.hold()
		errs := make(chan error, count)
		for range count {
			go func() {
				_, err := w.place(w.quickPick(2, 1))
				errs <- err
			}()
		}
		w.queued(min(count, 1000))
		release()
		for range count {
			w.check(<-errs)
		}
		w.restart()
	}
	_, raw := w.records()
	w.tilesAgree(raw)
	c := w.checkpoint()
	var f journal.Frontier
	for _, b := range raw {
		f.Append(journal.LeafHash(b))
	}
	if c.Root != f.Root() {
		t.Errorf("checkpoint of %x, the records give %x", c.Root, f.Root())
	}
}

// F17: a bundle is public once no draw of its sales sells any more, in whatever
// order they come to that: some were postponed, some cancelled.
func TestEntriesPublic_MovedDraws(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t), fewDraws(t))
	ticket := w.sell(w.quickPick(2, 3)) // of draws 95 to 97
	public := func(want bool) {
		t.Helper()
		_, err := w.sys.Entries(w.ctx(), 0, int(ticket.Number)+1)
		if err != nil && !errors.Is(err, central.ErrNotPublic) || (err == nil) != want {
			t.Errorf("at %s: %v, want public %v", w.clock.Now(), err, want)
		}
	}
	w.cancelDraws(97) // the last
	w.postpone(12*time.Minute, 95)
	public(false)
	w.at(mondayDraw(96))
	public(false)
	w.at(mondayDraw(95).Add(12 * time.Minute))
	public(true)
	w.restart()
	public(true)
}

// A statement is public no earlier than the sales that it adds up: one of them may be of a draw that was postponed beyond its week.
func TestStatement_PublicAfterItsSales(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorldAt(t, dsn, fewDraws(t), monday)
		w.sellAt(w.shop, 2, 3)
		w.postpone(8*24*time.Hour, 97)
		w.at(week(1))
		records, _ := w.records()
		i := slices.IndexFunc(records, func(r journal.Record) bool { _, ok := r.Body.(*journal.Statement); return ok })
		if i < 0 {
			t.Fatal("no statement was made")
		}
		if w.sys.Public(records[i]) {
			t.Error("a statement is public before its sales")
		}
		w.at(mondayDraw(97).AddDate(0, 0, 8))
		if !w.sys.Public(records[i]) {
			t.Error("a statement is not public after its sales")
		}
	})
}
