package verify

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/note"

	"tirage/journal"
)

// logReader reads a log whose checkpoint is held to be right: every record that it returns is proved to be in it.
type logReader struct {
	ctx        context.Context
	fetch      Fetch
	checkpoint journal.Checkpoint
	tiles      map[string][]journal.Hash
}

// keyRecords bounds where the journal begins with its keys.
const keyRecords = 16

// keys are the public keys that a log's first records name.
type keys struct{ answers, beacon []byte }

// open reads the checkpoint under the verifier's key.
func (l *logReader) open(origin, vkey string) error {
	verifier, err := note.NewVerifier(vkey)
	if err != nil {
		return fmt.Errorf("key of the log: %w", err)
	}
	if verifier.Name() != origin {
		return differ("log that the unit names", origin, verifier.Name())
	}
	text, err := l.fetch(l.ctx, "checkpoint")
	if err != nil {
		return err
	}
	l.checkpoint, err = journal.OpenCheckpoint(text, verifier)
	return err
}

// ownKey is the key that a log's first records say it has: nobody vouches for it.
func ownKey(ctx context.Context, fetch Fetch, origin string) (string, error) {
	records, err := entries(ctx, fetch, 0, 1)
	if err != nil {
		return "", err
	}
	rec, err := journal.Decode(records[0])
	if err != nil {
		return "", err
	}
	k, ok := rec.Body.(*journal.Key)
	if !ok || k.Use != "log" || len(k.Public) != ed25519.PublicKeySize {
		return "", errors.New("the journal does not begin with the log's key")
	}
	return journal.VerifierKey(origin, k.Public)
}

// entries reads the first width records of a bundle.
func entries(ctx context.Context, fetch Fetch, n uint64, width int) ([][]byte, error) {
	b, err := fetch(ctx, journal.EntriesPath(n, width))
	if err != nil {
		return nil, err
	}
	records, err := journal.SplitBundle(b)
	if err == nil && len(records) != width {
		err = fmt.Errorf("%w: %d records, expected %d", journal.ErrBundle, len(records), width)
	}
	return records, err
}

// entries reads the first width records of a bundle: of one as wide as that, since
// what follows may not be public yet, or of the widest, since a copy of a log need have no other.
func (l *logReader) entries(n uint64, width int) ([][]byte, error) {
	records, err := entries(l.ctx, l.fetch, n, width)
	widest := int(min(journal.TileWidth, l.checkpoint.Size-n*journal.TileWidth))
	if !errors.Is(err, ErrAbsent) || width == widest {
		return records, err
	}
	if whole, wider := entries(l.ctx, l.fetch, n, widest); wider == nil {
		return whole[:width], nil
	}
	return nil, err
}

// record reads a record and proves that it is in the log.
func (l *logReader) record(index uint64) (journal.Record, error) {
	if index >= l.checkpoint.Size {
		return journal.Record{}, fmt.Errorf("record %d: the log has %d", index, l.checkpoint.Size)
	}
	n := index / journal.TileWidth
	records, err := l.entries(n, int(index%journal.TileWidth)+1)
	if errors.Is(err, ErrAbsent) { // its bundle waits for the close of draws: it may be there by itself
		if b, alone := l.fetch(l.ctx, fmt.Sprintf("record/%d", index)); alone == nil {
			return l.prove(index, b)
		}
	}
	if err != nil {
		return journal.Record{}, fmt.Errorf("record %d: %w", index, err)
	}
	return l.prove(index, records[index%journal.TileWidth])
}

// prove proves that a record is in the log, and decodes it.
func (l *logReader) prove(index uint64, b []byte) (journal.Record, error) {
	proof, err := journal.ProveInclusion(index, l.checkpoint.Size, l.tile)
	if err == nil {
		err = journal.VerifyInclusion(index, l.checkpoint.Size, journal.LeafHash(b), proof, l.checkpoint.Root)
	}
	if err != nil {
		return journal.Record{}, fmt.Errorf("record %d: %w", index, err)
	}
	return journal.Decode(b)
}

// tile reads a tile once.
func (l *logReader) tile(level int, n uint64, width int) ([]journal.Hash, error) {
	path := journal.TilePath(level, n, width)
	if hashes, ok := l.tiles[path]; ok {
		return hashes, nil
	}
	b, err := l.fetch(l.ctx, path)
	if err != nil {
		return nil, err
	}
	hashes := make([]journal.Hash, len(b)/len(journal.Hash{}))
	for i := range hashes {
		hashes[i] = journal.Hash(b[len(journal.Hash{})*i:])
	}
	if l.tiles == nil {
		l.tiles = map[string][]journal.Hash{}
	}
	l.tiles[path] = hashes
	return hashes, nil
}

// keys reads the key records, which are the first of the journal.
func (l *logReader) keys() (k keys, err error) {
	width := int(min(keyRecords, l.checkpoint.Size))
	for i := range width {
		rec, err := l.record(uint64(i))
		if err != nil {
			return k, err
		}
		key, ok := rec.Body.(*journal.Key)
		if !ok {
			break
		}
		switch key.Use {
		case "answers":
			k.answers = key.Public
		case "beacon":
			k.beacon = key.Public
		}
	}
	return k, nil
}

// find reads records from the first to before the last, a bundle at a time, until one is what is looked for.
func (l *logReader) find(before uint64, is func(journal.Body) bool) (uint64, journal.Record, error) {
	for first := uint64(0); first < before; first += journal.TileWidth {
		records, err := l.entries(first/journal.TileWidth, int(min(journal.TileWidth, before-first)))
		if err != nil {
			return 0, journal.Record{}, fmt.Errorf("records from %d: %w", first, err)
		}
		for i, b := range records {
			rec, err := journal.Decode(b)
			if err != nil {
				return 0, rec, fmt.Errorf("record %d: %w", first+uint64(i), err)
			}
			if is(rec.Body) {
				rec, err := l.prove(first+uint64(i), b)
				return first + uint64(i), rec, err
			}
		}
	}
	return 0, journal.Record{}, errors.New("no such record in the log")
}
