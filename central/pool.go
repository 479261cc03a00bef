package central

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"tirage/game"
	"tirage/instant"
	"tirage/journal"
	"tirage/money"
	"tirage/rng"
	"tirage/store"
)

// Why a pool is closed, in its record.
const (
	closedSoldOut   = "sold-out"
	closedByPolicy  = "policy"
	closedWithdrawn = "withdrawn" // the version in force has no such price any more
	closedByTwo     = "officers"  // two officers decided so
)

// The turn decides on pools by the memory and by what it and the turn before
// have sold and opened, which is not in the memory yet.

// look is a turn that only looks at the memory as it stands.
func (m *memory) look(now time.Time) *turn { return &turn{m: m, at: max(now.UnixMicro(), m.at)} }

// isOpen tells whether a pool sells, this turn included.
func (t *turn) isOpen(p *pool) bool {
	return p.open || t.opened[p.id] || t.before != nil && t.before.opened[p.id]
}

// soldOf is how many units of a pool are sold, this turn included.
func (t *turn) soldOf(p *pool) int {
	n := p.sold.Sold
	if l := t.sold[p.id]; l != nil {
		n += l.Sold
	}
	if t.before != nil {
		if l := t.before.sold[p.id]; l != nil {
			n += l.Sold
		}
	}
	return n
}

// tally is what is sold of a pool, this turn included.
func (t *turn) tally(p *pool) instant.Left {
	sum := cloneLeft(p.sold)
	add := func(l *instant.Left) {
		if l == nil {
			return
		}
		sum.Sold += l.Sold
		sum.Paid = sum.Paid.Add(l.Paid)
		for i, n := range l.Counts {
			sum.Counts[i] += n
		}
	}
	add(t.sold[p.id])
	if t.before != nil {
		add(t.before.sold[p.id])
	}
	return sum
}

// topSold is how many units of a pool with the top prize are sold, this turn included.
func (t *turn) topSold(p *pool) int {
	n := p.sold.Counts[0]
	if l := t.sold[p.id]; l != nil {
		n += l.Counts[0]
	}
	if t.before != nil {
		if l := t.before.sold[p.id]; l != nil {
			n += l.Counts[0]
		}
	}
	return n
}

// noteUnit counts a unit that this turn sells.
func (t *turn) noteUnit(p *pool, prize money.Amount) {
	l := t.sold[p.id]
	if l == nil {
		if t.sold == nil {
			t.sold = map[instant.PoolID]*instant.Left{}
		}
		l = &instant.Left{Counts: make([]int, len(p.table.Prizes))}
		t.sold[p.id] = l
	}
	count(l, p.table, prize, 1)
}

// stale is what the policy of its rule book makes of a pool as far as it is sold (F15).
func (t *turn) stale(o *offer, p *pool) instant.Stale {
	stale, policy := instant.GoOn, p.rules.Policy
	if t.topSold(p) >= p.table.Prizes[0].Units {
		stale = max(stale, policy.TopPrizeGone)
	}
	if p.units-t.soldOf(p) <= policy.FewUnits {
		another := slices.ContainsFunc(o.pools, func(q *pool) bool { return q != p && t.isOpen(q) && t.soldOf(q) < q.units })
		if !another {
			stale = max(stale, policy.FewUnitsThen)
		}
	}
	return stale
}

// sells tells whether a pool has units on sale.
func (t *turn) sells(o *offer, p *pool) bool {
	return t.isOpen(p) && t.soldOf(p) < p.units && t.stale(o, p) != instant.Stop
}

// selling is the pool that sells the next unit: the first that does; nil when none does.
func (t *turn) selling(o *offer) *pool {
	for _, p := range o.pools {
		if t.sells(o, p) {
			return p
		}
	}
	return nil
}

// toOpen is the pool that is to be opened now: the first that is committed, once
// few units of those that sell are left; nil when there is none.
func (t *turn) toOpen(o *offer) *pool {
	left := 0
	for _, p := range o.pools {
		switch {
		case !t.isOpen(p) && left <= p.rules.Policy.OpenNextAt:
			return p
		case !t.isOpen(p):
			return nil
		case t.sells(o, p):
			left += p.units - t.soldOf(p)
		}
	}
	return nil
}

// open begins the sale of a pool.
func (t *turn) open(p *pool) error {
	if _, err := t.append(&journal.OpenPool{Pool: uint64(p.id)}); err != nil {
		return err
	}
	if t.opened == nil {
		t.opened = map[instant.PoolID]bool{}
	}
	t.opened[p.id] = true
	return nil
}

// openNext opens the next pool of an offer, if its time has come.
func (t *turn) openNext(o *offer) error {
	if p := t.toOpen(o); p != nil {
		return t.open(p)
	}
	return nil
}

// toClose tells why a pool is to be closed, "" when it is not.
func (t *turn) toClose(g *instantGame, o *offer, p *pool) string {
	switch {
	case t.soldOf(p) == p.units:
		return closedSoldOut
	case !g.has(o.price, utc(t.at)):
		return closedWithdrawn
	case t.isOpen(p) && t.stale(o, p) == instant.Stop:
		return closedByPolicy
	}
	return ""
}

// has tells whether the version in force, or the first to come, has a price.
func (g *instantGame) has(price money.Amount, at time.Time) bool {
	_, err := g.rulesNow(at).Table(price)
	return err == nil
}

// closeBody is the record of a pool's end: what was not sold, and its secrets.
func (p *pool) closeBody(cause string, secrets [2]instant.Secret) *journal.ClosePool {
	b := &journal.ClosePool{
		Pool: uint64(p.id), Cause: cause, Sold: uint64(p.sold.Sold), Secrets: [2][32]byte{secrets[0], secrets[1]},
		Balance: int64(p.table.Price.Times(int64(p.sold.Sold)).Sub(p.sold.Paid)),
	}
	losing := p.units - p.sold.Sold
	for i, left := range p.left() {
		losing -= left
		b.Left = append(b.Left, journal.LeftLine{Prize: p.table.Prizes[i].Amount, Units: uint64(max(0, left))})
	}
	b.Left = append(b.Left, journal.LeftLine{Units: uint64(max(0, losing))})
	return b
}

// ErrPoolClosed is a pool that is closed already.
var ErrPoolClosed = errors.New("the pool is closed already")

// poolToClose is a pool that two officers may close, on sale or not: one that is
// committed and not closed. Others are [ErrNoPool] or [ErrPoolClosed].
func (t *turn) poolToClose(id instant.PoolID) (*pool, error) {
	switch p := t.m.instants.pools[id]; {
	case p != nil:
		return p, nil
	case id > 0 && id <= t.m.instants.lastPool:
		return nil, fmt.Errorf("%w: %d", ErrPoolClosed, id)
	}
	return nil, fmt.Errorf("%w: %d", ErrNoPool, id)
}

// closeByOfficers is the record of a pool that two officers close: it may have
// sold units that this journal does not know, since its database was restored.
func (s *System) closeByOfficers(t *turn, id instant.PoolID, decision uint64) (*journal.ClosePool, error) {
	p, err := t.poolToClose(id)
	if err != nil {
		return nil, err
	}
	secrets, err := s.keys.secrets(s.ctx, t.tx, p.hashes)
	if err != nil {
		return nil, err
	}
	b := p.closeBody(closedByTwo, secrets)
	b.Decision = decision
	return b, nil
}

// tendPools opens and closes the pools that are due, and has those built that
// are to come: a part of Tick. What is built holds nothing up, draws least of all.
func (s *System) tendPools(ctx context.Context) error {
	_, err := s.stepPools(ctx)
	select {
	case s.building <- struct{}{}:
	default:
		return err // it is being built
	}
	if s.nextBuild() == nil {
		<-s.building
		return err
	}
	started := s.inBackground(func() {
		defer func() { <-s.building }()
		if _, err := s.buildPools(s.ctx); err != nil && !errors.Is(err, ErrShutdown) && s.ctx.Err() == nil {
			s.log.Error("build pools", "error", err)
		}
	})
	if !started {
		<-s.building
	}
	return err
}

// TendPools does all that is due of the pools of instant games, and waits until
// it is done: it builds and commits those to come, opens and closes. [System.Run]
// does the same by itself, bit by bit.
func (s *System) TendPools(ctx context.Context) error {
	select {
	case s.building <- struct{}{}:
		defer func() { <-s.building }()
	case <-ctx.Done():
		return ctx.Err()
	}
	for {
		stepped, err := s.stepPools(ctx)
		if err != nil {
			return err
		}
		built, err := s.buildPools(ctx)
		if err != nil || !stepped && !built {
			return err
		}
	}
}

// inBackground runs fn beside everything else, unless the node is closing, which waits for it.
func (s *System) inBackground(fn func()) (started bool) {
	s.backgroundMu.Lock()
	defer s.backgroundMu.Unlock()
	select {
	case <-s.closing:
		return false
	default:
		s.background.Go(fn)
		return true
	}
}

// stepPools opens and closes the pools that are due.
func (s *System) stepPools(ctx context.Context) (stepped bool, err error) {
	due := s.duePools()
	for _, p := range due {
		if p.close == "" {
			err = errors.Join(err, s.openDue(ctx, p.game, p.price))
		} else {
			err = errors.Join(err, s.closePool(ctx, p))
		}
	}
	return len(due) > 0, err
}

// duePool is an offer of which the next pool is to be opened, or a pool to be closed.
type duePool struct {
	game   game.Code
	price  money.Amount
	close  string // why; empty: the offer's next is opened
	pool   instant.PoolID
	hashes [2][32]byte
}

func (s *System) duePools() (due []duePool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	t := s.memory.look(s.clock.Now())
	for _, code := range slices.Sorted(maps.Keys(s.memory.instants.games)) {
		g := s.memory.instants.games[code]
		for _, o := range g.offersOf() {
			for _, p := range o.pools {
				if cause := t.toClose(g, o, p); cause != "" {
					due = append(due, duePool{code, o.price, cause, p.id, p.hashes})
				}
			}
			if t.opens(g, o) {
				due = append(due, duePool{game: code, price: o.price})
			}
		}
	}
	return due
}

// opens tells whether a pool of an offer is to be opened: while the game is
// launched, at a price that it has.
func (t *turn) opens(g *instantGame, o *offer) bool {
	return g.state == Launched && g.has(o.price, utc(t.at)) && t.toOpen(o) != nil
}

func (s *System) openDue(ctx context.Context, code game.Code, price money.Amount) error {
	return s.do(ctx, &job{alone: true, decide: func(t *turn) error {
		g := t.m.instants.games[code]
		if o := g.offers[price]; t.opens(g, o) {
			return t.openNext(o)
		}
		return nil
	}})
}

func (s *System) closePool(ctx context.Context, due duePool) error {
	var secrets [2]instant.Secret
	err := s.db.View(ctx, func(tx *store.Snapshot) (err error) {
		secrets, err = s.keys.secrets(ctx, tx, due.hashes)
		return err
	})
	if err != nil {
		return fmt.Errorf("close pool %d: %w", due.pool, err)
	}
	return s.do(ctx, &job{alone: true, decide: func(t *turn) error {
		p := t.m.instants.pools[due.pool]
		if p == nil {
			return nil // another node was first
		}
		cause := t.toClose(t.m.instants.gameOf(p), t.m.instants.offerOf(p), p)
		if cause == "" {
			return nil
		}
		_, err := t.append(p.closeBody(cause, secrets))
		return err
	}})
}

// build is a pool to be built: again, as it was committed, or for the first time.
type build struct {
	pool   *pool // nil: for the first time
	rules  *instant.Rules
	table  *instant.PrizeTable
	units  int
	number uint64
	hashes [2][32]byte
	round  uint64
}

// nextBuild is the pool to be built next: those that sell and are not at hand
// before those to come; nil when none is.
func (s *System) nextBuild() *build {
	s.mu.RLock()
	defer s.mu.RUnlock()
	in := &s.memory.instants
	t := s.memory.look(s.clock.Now())
	var next, first *build
	for _, code := range slices.Sorted(maps.Keys(in.games)) {
		g := in.games[code]
		for _, o := range g.offersOf() {
			for _, p := range o.atHand() {
				if p.built.Load() != nil || s.unbuildable[p.root] {
					continue
				}
				if p.open {
					return rebuild(p)
				}
				next = rebuild(p)
			}
			if b := t.toBuild(g, o); b != nil && first == nil && !s.unbuildable[b.mark()] {
				first = b
			}
		}
	}
	if next != nil {
		return next
	}
	return first
}

func rebuild(p *pool) *build {
	return &build{pool: p, rules: p.rules, table: p.table, units: p.units, number: p.number, hashes: p.hashes, round: p.round}
}

// atHand are the pools of an offer that a node has at hand: those that are open, and the next.
func (o *offer) atHand() []*pool {
	for i, p := range o.pools {
		if !p.open {
			return o.pools[:i+1]
		}
	}
	return o.pools
}

// toBuild is the pool of an offer that is to be built for the first time: as
// many as the policy says are committed ahead of the one that sells.
func (t *turn) toBuild(g *instantGame, o *offer) *build {
	r := g.rulesNow(utc(t.at))
	table, err := r.Table(o.price)
	if err != nil || len(o.slots) == 0 || !o.slots[0].complete() {
		return nil
	}
	ahead := 0
	for _, p := range o.pools {
		if !t.isOpen(p) {
			ahead++
		}
	}
	want := max(r.Policy.AheadPools, 1)
	if t.selling(o) == nil {
		want++
	}
	if ahead >= want {
		return nil
	}
	s := o.slots[0]
	return &build{rules: r, table: table, units: r.Units, number: o.next, hashes: [2][32]byte(s.hashes), round: s.round}
}

// buildPools builds and commits the pools that are to be built. The caller holds s.building.
func (s *System) buildPools(ctx context.Context) (built bool, err error) {
	for {
		select {
		case <-s.closing:
			return built, ErrShutdown
		default:
		}
		b := s.nextBuild()
		if b == nil {
			return built, nil
		}
		if err := s.build(ctx, b); err != nil {
			return built, err
		}
		built = true
	}
}

// mark tells a pool that cannot be built from others.
func (b *build) mark() [32]byte {
	if b.pool != nil {
		return b.pool.root
	}
	return b.hashes[0]
}

// build builds a pool, and commits it if that has not been done. One that does
// not recount is never committed (F14); nor is it tried again until the node is
// opened anew, since it would be the same, as one whose secrets do not open. The caller holds s.building.
func (s *System) build(ctx context.Context, b *build) error {
	where := fmt.Sprintf("pool %d of %s at %s", b.number, b.rules.Code, b.table.Price)
	seed, err := s.poolSeed(ctx, b)
	if errors.Is(err, ErrKeys) { // a secret is damaged, and would hold up the pools after it
		s.unbuildable[b.mark()] = true
	}
	if err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	built := s.builder(b.table, b.units, seed)
	root := built.Root()
	if b.pool != nil {
		if root != b.pool.root {
			s.unbuildable[b.mark()] = true
			return fmt.Errorf("%s: %w: its secrets do not make the pool that was committed", where, ErrJournal)
		}
		b.pool.built.Store(built)
		return nil
	}
	if err := instant.Recount(b.table, b.units, root, built.Leaves()); err != nil {
		s.unbuildable[b.mark()] = true
		return fmt.Errorf("%s: %w", where, err)
	}
	if err := s.commitPool(ctx, b, root); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, p := range s.memory.instants.offer(b.rules.Code, b.table.Price).atHand() {
		if p.root == root {
			p.built.Store(built)
		}
	}
	return nil
}

func (in *instants) offer(code game.Code, price money.Amount) *offer {
	return in.games[code].offers[price]
}

// poolSeed is the seed of a pool.
func (s *System) poolSeed(ctx context.Context, b *build) (seed rng.Seed, err error) {
	var secrets [2]instant.Secret
	err = s.db.View(ctx, func(tx *store.Snapshot) (err error) {
		secrets, err = s.keys.secrets(ctx, tx, b.hashes)
		return err
	})
	if err != nil {
		return seed, err
	}
	value, err := s.beacon.Value(b.round)
	if err != nil {
		return seed, err
	}
	return instant.PoolSeed(secrets, value, string(b.rules.Code), b.table.Price, b.number), nil
}

// commitPool commits a pool that was built and recounted, unless another node
// has done so, or the rules have changed meanwhile: then it is built anew.
func (s *System) commitPool(ctx context.Context, b *build, root journal.Hash) error {
	value, err := s.beacon.Value(b.round)
	if err != nil {
		return err
	}
	return s.do(ctx, &job{alone: true, decide: func(t *turn) error {
		g := t.m.instants.games[b.rules.Code]
		o := g.offers[b.table.Price]
		if o.next != b.number || g.rulesNow(utc(t.at)) != b.rules {
			return nil
		}
		_, err := t.append(&journal.Pool{
			ID: uint64(t.m.instants.lastPool + 1), Game: string(b.rules.Code), Price: b.table.Price, Number: b.number,
			Book: b.rules.Hash, Hashes: b.hashes, Round: b.round, Beacon: value, Units: uint64(b.units), Root: root,
		})
		return err
	}})
}

// fetch has a pool at hand that sells: it is being built, or was committed by another node.
func (s *System) fetch(ctx context.Context, p *pool) error {
	select {
	case s.building <- struct{}{}:
		defer func() { <-s.building }()
	case <-ctx.Done():
		return ctx.Err()
	case <-s.closing:
		return ErrShutdown
	}
	switch {
	case p.built.Load() != nil:
		return nil
	case s.unbuildable[p.root]:
		return fmt.Errorf("pool %d: %w: its secrets do not make it", p.id, ErrJournal)
	}
	return s.build(ctx, rebuild(p))
}
