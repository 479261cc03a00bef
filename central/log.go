package central

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"tirage/draw"
	"tirage/game"
	"tirage/journal"
	"tirage/store"
)

// ErrNotPublic is a bundle with sales whose last draw has not closed: it would show exposure and outlets' sales.
var ErrNotPublic = errors.New("not public before the last draw of its sales has closed")

// checkpointCache keeps the last signed checkpoint.
type checkpointCache struct {
	mu     sync.Mutex
	size   uint64
	signed []byte
}

// Checkpoint returns the signed checkpoint of the journal (C2SP tlog-checkpoint).
func (s *System) Checkpoint() ([]byte, error) {
	s.mu.RLock()
	c := journal.Checkpoint{Origin: s.keys.Origin, Size: s.memory.size, Root: s.memory.frontier.Root()}
	s.mu.RUnlock()
	cache := &s.checkpoint
	cache.mu.Lock()
	defer cache.mu.Unlock()
	if cache.signed != nil && cache.size >= c.Size { // another caller may have been later
		return cache.signed, nil
	}
	signed, err := c.Sign(s.signer)
	if err != nil {
		return nil, fmt.Errorf("sign checkpoint of size %d: %w", c.Size, err)
	}
	cache.size, cache.signed = c.Size, signed
	return signed, nil
}

// tileMax is beyond any tile of a journal that 64 bits can count.
const tileMax = 1 << 55

// Tile returns the first width hashes of a hash tile (C2SP tlog-tiles), or
// [store.ErrNotFound] when the journal does not reach so far.
func (s *System) Tile(ctx context.Context, level int, n uint64, width int) (tile []byte, err error) {
	if n > tileMax {
		return nil, fmt.Errorf("tile %d: %w", n, store.ErrNotFound)
	}
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		hashes, err := tileReader(ctx, tx)(level, n, width)
		for _, h := range hashes {
			tile = append(tile, h[:]...)
		}
		return err
	})
	return tile, err
}

// Entries returns the first width records of a bundle (C2SP tlog-tiles). It
// returns [ErrNotPublic] while a draw of its sales has not closed, and [store.ErrNotFound].
func (s *System) Entries(ctx context.Context, n uint64, width int) (bundle []byte, err error) {
	if n > tileMax {
		return nil, fmt.Errorf("bundle %d: %w", n, store.ErrNotFound)
	}
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		records, err := readRecords(ctx, tx, n*journal.TileWidth, width)
		if err != nil {
			return err
		}
		for _, b := range records {
			rec, err := journal.Decode(b)
			if err != nil {
				return err
			}
			if !s.public(rec) {
				return ErrNotPublic
			}
			bundle = journal.AppendBundle(bundle, b)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return bundle, nil
}

// Record returns the bytes of one record of those that somebody needs who checks
// a unit: a key, a rule book, a pool or a unit. They show nothing of what is
// staked on a draw, so they do not wait for the other records of their bundle. It
// returns [ErrNotPublic] for a record of another kind, which comes with its
// bundle, and [store.ErrNotFound].
func (s *System) Record(ctx context.Context, index uint64) (record []byte, err error) {
	if index/journal.TileWidth > tileMax {
		return nil, fmt.Errorf("record %d: %w", index, store.ErrNotFound)
	}
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		records, err := readRecords(ctx, tx, index, 1)
		if err != nil {
			return err
		}
		rec, err := journal.Decode(records[0])
		if err != nil {
			return err
		}
		switch rec.Body.(type) {
		case *journal.Key, *journal.Book, *journal.Pool, *journal.Unit:
		default:
			return ErrNotPublic
		}
		record = records[0]
		return nil
	})
	return record, err
}

// public tells whether a record may be read by anyone.
func (s *System) public(rec journal.Record) bool {
	var draws []uint64
	switch b := rec.Body.(type) {
	case *journal.Sale:
		draws = b.Draws
	case *journal.Cancellation:
		draws = b.Draws
	case *journal.Statement:
		return s.publicStatement(b)
	default:
		return true
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	// All of them: draws that are postponed or cancelled do not end in the order of the ticket.
	return !slices.ContainsFunc(draws, func(id uint64) bool {
		d := s.memory.draws[draw.ID(id)]
		if d == nil { // long over, or planned by a node that this one has yet to follow
			return draw.ID(id) > s.memory.lastDraw
		}
		return d.toClose()
	})
}

// publicStatement tells whether all that a statement adds up can be read by
// anyone: no draw that sold in its week has yet to close.
func (s *System) publicStatement(b *journal.Statement) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	zone, err := s.memory.outlets[b.Outlet.String()].Location()
	assert(err == nil, "zone of an outlet is not known")
	end := game.Day(b.Last+1).At(0, zone)
	for _, d := range s.memory.draws {
		if d.toClose() && d.OpensAt.Before(end) {
			return false
		}
	}
	return true
}

// toClose tells that the sales of a draw are not over.
func (d *drawState) toClose() bool {
	return d.state == draw.Planned || d.state == draw.Selling || d.state == draw.Postponed
}

// InclusionProof proves that a record is in the journal, against the current checkpoint (C2SP tlog-proof).
func (s *System) InclusionProof(ctx context.Context, index uint64) ([]byte, error) {
	checkpoint, err := s.Checkpoint()
	if err != nil {
		return nil, err
	}
	verifier, err := s.Verifier()
	if err != nil {
		return nil, err
	}
	c, err := journal.OpenCheckpoint(checkpoint, verifier)
	if err != nil {
		return nil, err
	}
	if index >= c.Size {
		return nil, fmt.Errorf("record %d: %w", index, store.ErrNotFound)
	}
	var hashes []journal.Hash
	err = s.db.View(ctx, func(tx *store.Snapshot) (err error) {
		hashes, err = journal.ProveInclusion(index, c.Size, tileReader(ctx, tx))
		return err
	})
	if err != nil {
		return nil, err
	}
	return journal.FormatProof(index, hashes, checkpoint), nil
}

// tileReader reads hash tiles: full ones as stored, partial ones computed from
// the level below, down to the records.
func tileReader(ctx context.Context, tx *store.Snapshot) journal.TileReader {
	return func(level int, n uint64, width int) ([]journal.Hash, error) {
		full, err := tx.Tile(ctx, level, n)
		if err == nil {
			return splitHashes(full, width), nil
		}
		if !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		hashes := make([]journal.Hash, 0, width)
		if level > 0 {
			for i := range uint64(width) {
				below, err := tx.Tile(ctx, level-1, n*journal.TileWidth+i)
				if err != nil {
					return nil, err
				}
				hashes = append(hashes, journal.Tile{Hashes: below}.Root())
			}
			return hashes, nil
		}
		records, err := readRecords(ctx, tx, n*journal.TileWidth, width)
		if err != nil {
			return nil, err
		}
		for _, b := range records {
			hashes = append(hashes, journal.LeafHash(b))
		}
		return hashes, nil
	}
}

func splitHashes(tile []byte, width int) []journal.Hash {
	hashes := make([]journal.Hash, width)
	for i := range hashes {
		hashes[i] = journal.Hash(tile[32*i : 32*i+32])
	}
	return hashes
}

// readRecords reads count records from an index on, or [store.ErrNotFound] when there are not so many.
func readRecords(ctx context.Context, tx *store.Snapshot, from uint64, count int) ([][]byte, error) {
	var records [][]byte
	for len(records) < count {
		turns, err := tx.Turns(ctx, from+uint64(len(records)), 64)
		if err != nil {
			return nil, err
		}
		if len(turns) == 0 {
			return nil, fmt.Errorf("record %d: %w", from+uint64(len(records)), store.ErrNotFound)
		}
		for _, t := range turns {
			all, err := journal.SplitBundle(t.Records)
			if err != nil {
				return nil, fmt.Errorf("turn of record %d: %w", t.First, err)
			}
			skip := from + uint64(len(records)) - t.First
			if skip >= uint64(len(all)) { // an index that no journal reaches
				return nil, fmt.Errorf("record %d: %w", from+uint64(len(records)), store.ErrNotFound)
			}
			records = append(records, all[skip:]...)
			if len(records) >= count {
				break
			}
		}
	}
	return records[:count], nil
}
