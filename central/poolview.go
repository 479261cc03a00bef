package central

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"tirage/game"
	"tirage/instant"
	"tirage/journal"
	"tirage/money"
	"tirage/store"
)

// PoolView is a pool as the office sees it.
type PoolView struct {
	ID                 instant.PoolID // 0: not built yet, its secrets are committed
	Game               game.Code
	Price              money.Amount
	Number             int
	State              string   // "waiting" (for a second officer), "ready" (to be built), "committed", "open", "closed"
	Officers           []string // who committed its secrets
	Record             uint64   // that committed it
	Root               journal.Hash
	Round              uint64
	Units              int // 0: not built yet
	Sold               int
	Paid               money.Amount
	Left               []int // by prize of the table
	Table              *instant.PrizeTable
	Cause              string // of its close
	OpenedAt, ClosedAt time.Time
	Opened, Closed     uint64            // records of its opening and close; 0: not yet
	Hashes             [][32]byte        // of its secrets, as they were committed
	Secrets            [2]instant.Secret // published by its close; zero before
}

// ErrNoPool is a pool that does not exist.
var ErrNoPool = errors.New("no such pool")

// PoolByID returns a pool that was committed, or [ErrNoPool].
func (s *System) PoolByID(ctx context.Context, id instant.PoolID) (v PoolView, err error) {
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		row, err := tx.Pool(ctx, int64(id))
		if errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("%w: %d", ErrNoPool, id)
		}
		if err != nil {
			return err
		}
		l := poolLister{s: s, ctx: ctx, tx: tx, code: game.Code(row.Game)}
		if err := l.readSecrets(); err != nil {
			return err
		}
		steps, err := tx.PoolSteps(ctx, []int64{row.ID})
		if err != nil {
			return err
		}
		if err := l.add(row, steps); err != nil {
			return err
		}
		v = l.views[0]
		return nil
	})
	return v, err
}

// Pools lists the pools of a game, by price, newest first; at most limit of
// those closed. Refusal: [ErrUnknownGame].
func (s *System) Pools(ctx context.Context, code game.Code, limit int) (views []PoolView, err error) {
	s.mu.RLock()
	_, err = s.memory.instants.game(code)
	s.mu.RUnlock()
	if err != nil {
		return nil, err
	}
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		l := poolLister{s: s, ctx: ctx, tx: tx, code: code}
		if err := l.read(limit); err != nil {
			return err
		}
		views = append(l.views, l.slots()...)
		return nil
	})
	slices.SortStableFunc(views, func(a, b PoolView) int { return cmp.Or(cmp.Compare(a.Price, b.Price), b.Number-a.Number) })
	return views, err
}

// poolKey is a pool to come, or one that is there.
type poolKey struct {
	price  money.Amount
	number int
}

// poolLister lists pools by their tables, so that what it says fits together.
type poolLister struct {
	s    *System
	ctx  context.Context
	tx   *store.Snapshot
	code game.Code

	officers map[poolKey][]string
	hashes   map[poolKey][][32]byte
	pools    map[poolKey]bool
	views    []PoolView
}

// readSecrets reads who committed secrets for which pool.
func (l *poolLister) readSecrets() error {
	secrets, err := l.tx.PoolSecrets(l.ctx)
	if err != nil {
		return err
	}
	l.officers, l.hashes, l.pools = map[poolKey][]string{}, map[poolKey][][32]byte{}, map[poolKey]bool{}
	for _, row := range secrets {
		if row.Game == string(l.code) {
			k := poolKey{row.Price, row.Number}
			l.officers[k], l.hashes[k] = append(l.officers[k], row.Officer), append(l.hashes[k], [32]byte(row.Hash))
		}
	}
	return nil
}

func (l *poolLister) read(limit int) error {
	if err := l.readSecrets(); err != nil {
		return err
	}
	rows, err := l.tx.PoolsOf(l.ctx, string(l.code))
	if err != nil {
		return err
	}
	ids := make([]int64, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
		l.pools[poolKey{row.Price, row.Number}] = true
	}
	all, err := l.tx.PoolSteps(l.ctx, ids)
	if err != nil {
		return err
	}
	steps := map[int64][]store.PoolStep{}
	for _, st := range all {
		steps[st.Pool] = append(steps[st.Pool], st)
	}
	closed := 0
	for _, row := range rows {
		if last := steps[row.ID][len(steps[row.ID])-1]; last.State == poolClosed {
			if closed == limit {
				continue
			}
			closed++
		}
		if err := l.add(row, steps[row.ID]); err != nil {
			return err
		}
	}
	return nil
}

func (l *poolLister) add(row store.Pool, steps []store.PoolStep) error {
	b, err := bodyOf[*journal.Pool](l.ctx, l.tx, row.Record)
	if err != nil {
		return err
	}
	r, err := l.s.instantRules(l.ctx, l.tx, b.Book)
	if err != nil {
		return err
	}
	p := newPool(row.Record, b, r)
	v := PoolView{
		ID: p.id, Game: l.code, Price: row.Price, Number: row.Number, Officers: l.officers[poolKey{row.Price, row.Number}],
		Record: row.Record, Root: p.root, Round: p.round, Table: p.table, Units: p.units, Hashes: b.Hashes[:],
	}
	for _, st := range steps {
		switch v.State = st.State; st.State {
		case poolOpen:
			v.OpenedAt, v.Opened = utc(st.At), st.Record
		case poolClosed:
			v.ClosedAt, v.Closed = utc(st.At), st.Record
			closing, err := bodyOf[*journal.ClosePool](l.ctx, l.tx, st.Record)
			if err != nil {
				return err
			}
			v.closed(closing)
		}
	}
	if v.Cause == "" {
		if err := l.count(&v, p); err != nil {
			return err
		}
	}
	l.views = append(l.views, v)
	return nil
}

// count tells how far a pool is sold, as the memory has counted it; or, where
// the node has yet to follow or has just closed it, by its units.
func (l *poolLister) count(v *PoolView, p *pool) error {
	tell := func(p *pool) { v.Sold, v.Paid, v.Left = p.sold.Sold, p.sold.Paid, p.left() }
	known := func() bool {
		l.s.mu.RLock()
		defer l.s.mu.RUnlock()
		live := l.s.memory.instants.pools[p.id]
		if live != nil {
			tell(live)
		}
		return live != nil
	}
	if known() {
		return nil
	}
	counts, err := l.tx.UnitCounts(l.ctx, []int64{int64(p.id)})
	if err != nil {
		return err
	}
	for _, c := range counts {
		count(&p.sold, p.table, c.Prize, c.N)
	}
	tell(p)
	return nil
}

// closed is what the end of a pool says of it.
func (v *PoolView) closed(b *journal.ClosePool) {
	v.Cause, v.Sold, v.Secrets = b.Cause, int(b.Sold), [2]instant.Secret{b.Secrets[0], b.Secrets[1]}
	v.Paid = v.Price.Times(int64(v.Sold)).Sub(money.Amount(b.Balance))
	for _, line := range b.Left[:len(v.Table.Prizes)] {
		v.Left = append(v.Left, int(line.Units))
	}
}

// slots are the pools to come.
func (l *poolLister) slots() (views []PoolView) {
	for k, officers := range l.officers {
		if l.pools[k] {
			continue
		}
		v := PoolView{Game: l.code, Price: k.price, Number: k.number, Officers: officers, Hashes: l.hashes[k], State: "waiting"}
		if len(officers) == 2 {
			v.State = "ready"
		}
		views = append(views, v)
	}
	return views
}

// PoolRecord is the record that committed a pool, as hashed, and its index: what
// anybody who checks a unit starts from. [store.ErrNotFound] for a pool that there is not.
func (s *System) PoolRecord(ctx context.Context, id instant.PoolID) (index uint64, record []byte, err error) {
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		row, err := tx.Pool(ctx, int64(id))
		if err != nil {
			return err
		}
		records, err := readRecords(ctx, tx, row.Record, 1)
		if err != nil {
			return err
		}
		index, record = row.Record, records[0]
		return nil
	})
	return index, record, err
}

// PoolRecords are the records that committed a pool, and published its rule book, for
// who looks them up in the log; [store.ErrNotFound] for a pool that there is not.
func (s *System) PoolRecords(ctx context.Context, id instant.PoolID) (pool, book uint64, err error) {
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		row, err := tx.Pool(ctx, int64(id))
		if err != nil {
			return err
		}
		b, err := bodyOf[*journal.Pool](ctx, tx, row.Record)
		if err != nil {
			return err
		}
		books, err := tx.Books(ctx)
		for _, r := range books {
			if journal.Hash(r.Hash) == b.Book {
				book = r.Record
			}
		}
		pool = row.Record
		return err
	})
	return pool, book, err
}
