package central

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"tirage/game"
	"tirage/instant"
	"tirage/journal"
	"tirage/money"
)

// ErrSoldOut is a price of which no unit is on sale.
var ErrSoldOut = errors.New("no unit is on sale at this price")

// InstantGame is an instant game as its players see it.
type InstantGame struct {
	Rules   *instant.Rules
	State   GameState
	Message game.Text // of a suspension
	Coming  game.Day  // of its first version, while that is to come: nobody plays before; 0: it is in force
	Prices  []InstantPrice
}

// Told is the state that players are told (INS-1): before its first day a game
// is not open to them, though an officer has launched it.
func (g InstantGame) Told() GameState {
	if g.State == Launched && g.Coming != 0 {
		return Unlaunched
	}
	return g.State
}

// InstantPrice is what is on sale at a price. Counters are exact and public (F15).
type InstantPrice struct {
	Table   *instant.PrizeTable
	Pool    instant.PoolID // that sells; 0: none
	Number  int
	Units   int   // of the pool
	Sold    int   // of its units
	Left    []int // units left, by prize of the table
	Warn    bool  // the top prize has gone, or few units are left: pages say so
	Stopped bool  // by policy
	Ahead   int   // pools committed and not open yet
}

// InstantGames lists the instant games that are published, by code.
func (s *System) InstantGames() []game.Code {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Sorted(maps.Keys(s.memory.instants.games))
}

// Instant returns an instant game, or [ErrUnknownGame].
func (s *System) Instant(code game.Code) (InstantGame, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	g, err := s.memory.instants.game(code)
	if err != nil {
		return InstantGame{}, err
	}
	t := s.memory.look(s.clock.Now())
	r := g.rulesNow(utc(t.at))
	view := InstantGame{Rules: r, State: g.state, Message: g.message, Prices: make([]InstantPrice, len(r.Tables))}
	if g.inForce(utc(t.at)) == nil {
		view.Coming = r.FirstDay
	}
	for i := range r.Tables {
		view.Prices[i] = t.onSale(&r.Tables[i], g.offers[r.Tables[i].Price])
	}
	return view, nil
}

// onSale is what is on sale at a price.
func (t *turn) onSale(table *instant.PrizeTable, o *offer) InstantPrice {
	v := InstantPrice{Table: table, Stopped: o.stopped}
	for _, p := range o.pools {
		if !p.open {
			v.Ahead++
		}
	}
	p := t.selling(o)
	if p == nil {
		v.Stopped = v.Stopped || slices.ContainsFunc(o.pools, func(p *pool) bool { // one that is sold out is not stopped
			return p.open && t.soldOf(p) < p.units && t.stale(o, p) == instant.Stop
		})
		return v
	}
	v.Table, v.Pool, v.Number, v.Units, v.Sold = p.table, p.id, int(p.number), p.units, p.sold.Sold
	v.Left, v.Warn, v.Stopped = p.left(), t.stale(o, p) == instant.Warn, false
	return v
}

// PublishInstant checks and publishes a rule book of an instant game. Refusals:
// the faults of [instant.Parse], [ErrPublished], [ErrNotAllowed], [ErrIssued], [ErrKey], [ErrKeyReused].
func (s *System) PublishInstant(ctx context.Context, p PublishRules) (*instant.Rules, error) {
	r, err := instant.Parse("rules.yaml", p.Book)
	if err != nil {
		return nil, err
	}
	_, _, err = s.officerCommand(ctx, p.Officer, p.Key, content("publish-instant", p.Book), func(t *turn, command journal.Command, by journal.Party) (uint64, error) {
		if t.m.instants.books[r.Hash] != nil {
			return 0, ErrPublished
		}
		if len(t.m.versions[r.Code]) > 0 {
			return 0, fmt.Errorf("%w: %s is a draw game", ErrPublished, r.Code)
		}
		return t.append(bookBody(r, command, by))
	})
	return r, err
}

func bookBody(r *instant.Rules, command journal.Command, by journal.Party) *journal.Book {
	return &journal.Book{
		Command: command, By: by, Sort: bookInstant, Code: string(r.Code), Version: r.Version, FirstDay: int32(r.FirstDay), Hash: r.Hash, Book: r.Bytes,
	}
}

// bookInstant is the sort of a rule book of an instant game.
const bookInstant = "instant"

// instants is what the journal says of instant games: a part of the memory.
type instants struct {
	games    map[game.Code]*instantGame
	books    map[game.Hash]*instant.Rules
	pools    map[instant.PoolID]*pool // committed and not closed
	lastPool instant.PoolID
	rounds   uint64 // of the beacon that were given out
}

func newInstants() instants {
	return instants{games: map[game.Code]*instantGame{}, books: map[game.Hash]*instant.Rules{}, pools: map[instant.PoolID]*pool{}}
}

// instantGame is an instant game and what is on sale of it.
type instantGame struct {
	code     game.Code
	versions []*instant.Rules // ascending FirstDay; of equal days the last published holds
	state    GameState
	step     uint64    // record of its last launch or suspension
	message  game.Text // of a suspension
	offers   map[money.Amount]*offer
}

// offer is what is on sale of a game at a price, and what is to come.
type offer struct {
	price   money.Amount
	next    uint64  // number of the first pool that is not committed: that of slots[0]
	slots   []slot  // pools of which secrets are committed, but not the pool
	pools   []*pool // committed and not closed, by number
	stopped bool    // the last pool that closed was stopped by policy, and none is open
}

// slot is a pool to come.
type slot struct {
	hashes   [][32]byte // of its secrets: two make it complete
	officers []journal.Party
	round    uint64 // of the beacon, once complete
}

func (s slot) complete() bool { return len(s.hashes) == 2 }

// pool is a pool that is committed: what is known of it, and how far it is sold.
type pool struct {
	id     instant.PoolID
	rules  *instant.Rules
	table  *instant.PrizeTable
	number uint64
	record uint64
	round  uint64
	hashes [2][32]byte
	units  int
	root   journal.Hash
	open   bool
	sold   instant.Left
	base   instant.Left // sold when two officers resumed the game: the guard counts from there

	// built is the pool itself where it is at hand: for those that sell, and
	// the next. It follows from the sealed secrets, so each node builds it for itself.
	built atomic.Pointer[instant.Pool]
}

func (in *instants) game(code game.Code) (*instantGame, error) {
	if g := in.games[code]; g != nil {
		return g, nil
	}
	return nil, fmt.Errorf("%w: %.40q", ErrUnknownGame, code)
}

// rulesNow is the version in force, or the first to come.
func (g *instantGame) rulesNow(at time.Time) *instant.Rules {
	for _, r := range slices.Backward(g.versions) {
		if r.FirstDay <= game.DayOf(at, r.Zone) {
			return r
		}
	}
	return g.versions[0]
}

// inForce is the version in force, nil when the first is still to come.
func (g *instantGame) inForce(at time.Time) *instant.Rules {
	if r := g.rulesNow(at); r.FirstDay <= game.DayOf(at, r.Zone) {
		return r
	}
	return nil
}

func (in *instants) addBook(r *instant.Rules) {
	g := in.games[r.Code]
	if g == nil {
		g = &instantGame{code: r.Code, state: Unlaunched, offers: map[money.Amount]*offer{}}
		in.games[r.Code] = g
	}
	in.books[r.Hash] = r
	g.versions = append(g.versions, r)
	slices.SortStableFunc(g.versions, func(a, b *instant.Rules) int { return cmp.Compare(a.FirstDay, b.FirstDay) })
	for _, t := range r.Tables {
		if g.offers[t.Price] == nil {
			g.offers[t.Price] = &offer{price: t.Price, next: 1}
		}
	}
}

// addSecrets takes in the secrets of an officer.
func (in *instants) addSecrets(b *journal.Secrets) {
	o := in.games[game.Code(b.Game)].offers[b.Price]
	for i, hash := range b.Hashes {
		n := int(b.First + uint64(i) - o.next)
		if n == len(o.slots) {
			o.slots = append(o.slots, slot{})
		}
		s := &o.slots[n]
		s.hashes, s.officers = append(s.hashes, hash), append(s.officers, b.By)
		if s.complete() {
			in.rounds++
			s.round = in.rounds
		}
	}
}

// commit takes in a pool: the first slot of its offer is one no more.
func (in *instants) commit(id instant.PoolID, code game.Code, price money.Amount) *offer {
	o := in.games[code].offers[price]
	o.slots = slices.Clone(o.slots[1:])
	o.next++
	in.lastPool = id
	return o
}

func (in *instants) addPool(index uint64, b *journal.Pool) {
	o := in.commit(instant.PoolID(b.ID), game.Code(b.Game), b.Price)
	p := newPool(index, b, in.books[b.Book])
	o.pools = append(o.pools, p)
	in.pools[p.id] = p
}

func newPool(index uint64, b *journal.Pool, r *instant.Rules) *pool {
	table, err := r.Table(b.Price)
	assert(err == nil, "pool at a price that its rule book does not have")
	nothing := func() instant.Left { return instant.Left{Counts: make([]int, len(table.Prizes))} }
	return &pool{
		id: instant.PoolID(b.ID), rules: r, table: table, number: b.Number, record: index, round: b.Round, hashes: b.Hashes,
		units: int(b.Units), root: b.Root, sold: nothing(), base: nothing(),
	}
}

// openPool begins the sale of a pool.
func (in *instants) openPool(id instant.PoolID) {
	p := in.pools[id]
	p.open, in.offerOf(p).stopped = true, false
}

// closePool ends a pool.
func (in *instants) closePool(id instant.PoolID, cause string) {
	p := in.pools[id]
	o := in.offerOf(p)
	o.pools = slices.DeleteFunc(slices.Clone(o.pools), func(other *pool) bool { return other == p })
	o.stopped = cause == closedByPolicy && !slices.ContainsFunc(o.pools, func(p *pool) bool { return p.open })
	delete(in.pools, id)
}

// sell counts a unit that was sold.
func (p *pool) sell(prize money.Amount) { count(&p.sold, p.table, prize, 1) }

// count adds units with a prize to what was sold of a pool.
func count(l *instant.Left, t *instant.PrizeTable, prize money.Amount, n int) {
	l.Sold += n
	l.Paid = l.Paid.Add(prize.Times(int64(n)))
	for i := range t.Prizes {
		if t.Prizes[i].Amount == prize {
			l.Counts[i] += n
		}
	}
}

// left are the units not sold, by prize of the table.
func (p *pool) left() []int {
	left := make([]int, len(p.table.Prizes))
	for i, prize := range p.table.Prizes {
		left[i] = prize.Units - p.sold.Counts[i]
	}
	return left
}

func (in *instants) offerOf(p *pool) *offer {
	return in.games[p.rules.Code].offers[p.table.Price]
}

func (in *instants) gameOf(p *pool) *instantGame { return in.games[p.rules.Code] }

// offersOf are the offers of a game, by price.
func (g *instantGame) offersOf() []*offer {
	return slices.SortedFunc(maps.Values(g.offers), func(a, b *offer) int { return cmp.Compare(a.price, b.price) })
}

// foldInstant takes the memory over a record that tells of an instant game.
func (m *memory) foldInstant(index uint64, rec journal.Record) {
	in := &m.instants
	switch b := rec.Body.(type) {
	case *journal.Book:
		r, err := instant.Parse("rules.yaml", b.Book)
		assert(err == nil, "journalled rule book does not load")
		in.addBook(r)
	case *journal.Secrets:
		in.addSecrets(b)
	case *journal.Pool:
		in.addPool(index, b)
	case *journal.OpenPool:
		in.openPool(instant.PoolID(b.Pool))
	case *journal.Unit:
		in.pools[instant.PoolID(b.Pool)].sell(b.Prize)
	case *journal.ClosePool:
		in.closePool(instant.PoolID(b.Pool), b.Cause)
	case *journal.Launch:
		in.launch(index, b)
	case *journal.Suspend:
		in.games[game.Code(b.Game)].suspend(index, b.Cause, game.Text{FR: b.FR, EN: b.EN})
	}
}

// summary says all of it that follows from the journal, a line a thing.
func (in *instants) summary() []string {
	lines := []string{fmt.Sprintf("%d pools, %d rounds", in.lastPool, in.rounds)}
	for _, code := range slices.Sorted(maps.Keys(in.games)) {
		g := in.games[code]
		var line strings.Builder
		fmt.Fprintf(&line, "game %s: %s by record %d %q, versions", code, g.state, g.step, g.message)
		for _, r := range g.versions {
			fmt.Fprintf(&line, " %x", r.Hash[:4])
		}
		lines = append(lines, line.String())
		for _, o := range g.offersOf() {
			lines = append(lines, fmt.Sprintf("%s at %s: next %d, stopped %t, to come %x", code, o.price, o.next, o.stopped, o.slots))
			for _, p := range o.pools {
				lines = append(lines, fmt.Sprintf("pool %d: number %d, record %d, round %d, root %x, secrets %x, book %x, %d units, open %t, sold %v, from %v",
					p.id, p.number, p.record, p.round, p.root, p.hashes, p.rules.Hash[:4], p.units, p.open, p.sold, p.base))
			}
		}
	}
	return lines
}

// compareInstant compares this node's instant games with those of a fold of the journal.
func (s *System) compareInstant(fold *memory) error {
	got, want := s.memory.instants.summary(), fold.instants.summary()
	for i := range max(len(got), len(want)) {
		var a, b string
		if i < len(got) {
			a = got[i]
		}
		if i < len(want) {
			b = want[i]
		}
		if a != b {
			return fmt.Errorf("%w: instant games in memory differ: %q, journal says %q", ErrJournal, a, b)
		}
	}
	return nil
}
