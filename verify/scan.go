package verify

import (
	"encoding/hex"
	"errors"
	"fmt"

	"tirage/journal"
	"tirage/money"
)

// bundle reads the first width records of a bundle and proves that each is in
// the log: a proof of the first is made of the hashes of all others.
func (l *logReader) bundle(n uint64, width int) ([][]byte, error) {
	records, err := l.entries(n, width)
	if err != nil {
		return nil, err
	}
	hashes := make([]journal.Hash, len(records))
	for i, b := range records {
		hashes[i] = journal.LeafHash(b)
	}
	size := l.checkpoint.Size
	first := n * journal.TileWidth
	tile := func(level int, at uint64, wide int) ([]journal.Hash, error) {
		if level > 0 || at != n {
			return l.tile(level, at, wide)
		}
		if wide == len(hashes) {
			return hashes, nil
		}
		whole, err := l.tile(level, at, wide)
		if err != nil {
			return nil, err
		}
		for i, h := range hashes {
			if i >= len(whole) || whole[i] != h {
				return nil, fmt.Errorf("record %d is not the one that the tile has", first+uint64(i))
			}
		}
		return whole, nil
	}
	proof, err := journal.ProveInclusion(first, size, tile)
	if err == nil {
		err = journal.VerifyInclusion(first, size, hashes[0], proof, l.checkpoint.Root)
	}
	return records, err
}

// scan reads and proves all records in order, as far as they are public, and
// gives each to see. It returns how many it read, and why not all.
func (l *logReader) scan(tell func(done, total uint64), see func(index uint64, rec journal.Record)) (read uint64, err error) {
	size := l.checkpoint.Size
	for read < size {
		tell(read, size)
		n := read / journal.TileWidth
		records, absent := l.widest(n, int(min(journal.TileWidth, size-read)))
		if absent != nil && !errors.Is(absent, ErrAbsent) {
			return read, fmt.Errorf("records from %d: %w", read, absent)
		}
		for _, b := range records {
			rec, err := journal.Decode(b)
			if err != nil {
				return read, fmt.Errorf("record %d: %w", read, err)
			}
			see(read, rec)
			read++
		}
		if absent != nil {
			return read, fmt.Errorf("records from %d: %w", read, absent)
		}
	}
	return read, nil
}

// widest reads a bundle, or of one that is not all public yet what is before the first record that is not.
func (l *logReader) widest(n uint64, width int) ([][]byte, error) {
	records, err := l.bundle(n, width)
	if !errors.Is(err, ErrAbsent) {
		return records, err
	}
	some, least, most := records, 0, width // read; so many are there, and so many are not
	for most-least > 1 {
		middle := (least + most) / 2
		part, partErr := l.bundle(n, middle)
		switch {
		case partErr == nil:
			some, least = part, middle
		case errors.Is(partErr, ErrAbsent):
			most = middle
		default:
			return nil, partErr
		}
	}
	return some, err
}

// poolRecords is what a log says of a pool.
type poolRecords struct {
	game   string
	price  money.Amount
	number uint64

	books    map[[32]byte]*journal.Book
	pairs    []committedSecret // for the pool, in order
	firsts   map[uint64]int    // secrets of the game and price, by pool number: who completes one gives it a round
	shown    []shownRound
	pool     *journal.Pool
	at       uint64
	sold     []soldUnit
	closing  *journal.ClosePool
	closedAt uint64

	proposals map[uint64]*journal.Proposal // to close a pool
	decisions map[uint64]*journal.Decision // that approved one of them

	lies map[string]error // the first of each step
}

func newPoolRecords(game string, price money.Amount, number uint64) poolRecords {
	return poolRecords{
		game: game, price: price, number: number, books: map[[32]byte]*journal.Book{}, firsts: map[uint64]int{},
		proposals: map[uint64]*journal.Proposal{}, decisions: map[uint64]*journal.Decision{}, lies: map[string]error{},
	}
}

// committedSecret is a secret as an officer committed it.
type committedSecret struct {
	record  uint64
	officer journal.Party
	hash    [32]byte
	round   uint64 // of the one that made two
}

// shownRound is a record that showed the value of a round of the beacon.
type shownRound struct{ record, round uint64 }

// soldUnit is a unit as it was sold.
type soldUnit struct {
	leaf   [64]byte
	record uint64
}

// see takes in a record.
func (p *poolRecords) see(index uint64, rec journal.Record) {
	switch b := rec.Body.(type) {
	case *journal.Book:
		p.books[b.Hash] = b
	case *journal.Secrets:
		p.seeSecrets(index, b)
	case *journal.Pool:
		p.shown = append(p.shown, shownRound{index, b.Round})
		if b.Game != p.game || b.Price != p.price || b.Number != p.number {
			return
		}
		if p.pool != nil {
			p.lie(StepCommitted, "records %d and %d both commit the pool", p.at, index)
			return
		}
		p.pool, p.at = b, index
	case *journal.Unit:
		p.seeUnit(index, b)
	case *journal.ClosePool:
		switch {
		case p.pool == nil || b.Pool != p.pool.ID:
		case p.closing != nil:
			p.lie(StepClosed, "records %d and %d both close the pool", p.closedAt, index)
		default:
			p.closing, p.closedAt = b, index
		}
	case *journal.Proposal:
		if b.Act == "close-pool" {
			p.proposals[index] = b
		}
	case *journal.Decision:
		if p.proposals[b.Proposal] != nil && b.Approved {
			p.decisions[index] = b
		}
	}
}

// lie notes the first thing that cannot be, of those that a step is about.
func (p *poolRecords) lie(step, format string, args ...any) {
	if p.lies[step] == nil {
		p.lies[step] = fmt.Errorf(format, args...)
	}
}

func (p *poolRecords) seeSecrets(index uint64, b *journal.Secrets) {
	if b.Game != p.game || b.Price != p.price {
		return
	}
	round := b.Round
	for i, h := range b.Hashes {
		n := b.First + uint64(i)
		p.firsts[n]++
		completes := p.firsts[n] == 2
		if n == p.number {
			c := committedSecret{record: index, officer: b.By, hash: h}
			if completes {
				c.round = round
			}
			p.pairs = append(p.pairs, c)
		}
		if completes {
			round++
		}
	}
}

func (p *poolRecords) seeUnit(index uint64, b *journal.Unit) {
	if p.pool == nil || b.Pool != p.pool.ID {
		return
	}
	if p.closing != nil {
		p.lie(StepClosed, "record %d sold unit %d after record %d closed the pool", index, b.N, p.closedAt)
		return
	}
	if b.Price != p.price {
		p.lie(StepSold, "record %d sold unit %d for %s", index, b.N, b.Price)
	}
	told := Told{Unit: b.N, Prize: b.Prize, Seed: b.Seed, Salt: b.Salt}
	p.sold = append(p.sold, soldUnit{[64]byte(told.leaf()), index})
}

// twoSecrets tells whether the secrets are those that two officers committed
// for the pool, before anybody could know the value of its round.
func (p *poolRecords) twoSecrets() error {
	if len(p.pairs) != 2 {
		return fmt.Errorf("%d secrets were committed for the pool, expected 2", len(p.pairs))
	}
	if p.pairs[0].officer == p.pairs[1].officer {
		return fmt.Errorf("both secrets are of officer %s", p.pairs[0].officer)
	}
	if round := p.pairs[1].round; round != p.pool.Round {
		return differ("round of the beacon", p.pool.Round, round)
	}
	for _, s := range p.shown {
		if s.record < p.pairs[1].record && s.round >= p.pool.Round {
			return fmt.Errorf("record %d showed the value of round %d before the second secret was committed by record %d", s.record, s.round, p.pairs[1].record)
		}
	}
	for i, c := range p.pairs {
		if c.hash != p.pool.Hashes[i] {
			return differ("commitment of a secret", hex.EncodeToString(p.pool.Hashes[i][:]), hex.EncodeToString(c.hash[:]))
		}
		if got := secretHash(p.closing.Secrets[i]); got != c.hash {
			return differ("hash of a published secret", hex.EncodeToString(got[:]), hex.EncodeToString(c.hash[:]))
		}
	}
	return nil
}

// byOfficers is the cause of a close that two officers decided.
const byOfficers = "officers"

// approved tells whether two officers closed the pool, when its record says that they did.
func (p *poolRecords) approved() error {
	if p.closing.Cause != byOfficers {
		return nil
	}
	decision := p.decisions[p.closing.Decision]
	if decision == nil {
		return fmt.Errorf("record %d approves no closing of a pool", p.closing.Decision)
	}
	switch proposal := p.proposals[decision.Proposal]; {
	case proposal.Pool != p.pool.ID:
		return differ("pool that was to be closed", proposal.Pool, p.pool.ID)
	case proposal.By == decision.By:
		return fmt.Errorf("officer %s proposed to close the pool and approved it", decision.By)
	}
	return nil
}
