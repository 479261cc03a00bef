package central

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tirage/game"
	"tirage/instant"
	"tirage/journal"
	"tirage/money"
	"tirage/party"
	"tirage/store"
)

// ErrNoUnit is a unit that is not the player's.
var ErrNoUnit = errors.New("no such unit")

// PlayUnit is a unit asked for by a player.
type PlayUnit struct {
	Key    string // made by the player's page; the same key gives the same unit
	Player string // party.Player.ID, already authenticated
	Game   game.Code
	Price  money.Amount
}

// PlayedUnit is a unit that was played.
type PlayedUnit struct {
	Record uint64 // its number: the journal index of its record
	At     time.Time
	Game   game.Code
	Name   game.Text
	Pool   instant.PoolID
	Number int // of the pool, among those of its game and price
	Units  int // of the pool
	Price  money.Amount
	Prize  money.Amount
	Leaf   instant.Leaf
	Root   journal.Hash
	Proof  []journal.Hash // nil when the pool is not at hand: it is closed, and can be derived again
	Board  *instant.Board // nil in a game without a scene
	Again  bool           // played before, by the same command

	// Text is what is signed (docs/instant.md): JSON, all that a page may show of
	// the unit. Signature is that of the key "answers" (Ed25519).
	Text, Signature []byte
}

// Play plays a unit (prise de jeu): limits, debit, unit, prize, credit, history
// and record in one turn, once by key (F10, F11). From then on the unit is
// fixed, whatever happens to a screen (INS-4.1).
//
// Refusals: [ErrNotLaunched] (INS-1), [instant.ErrPrice], [ErrSoldOut],
// [party.ErrUnknownPlayer], [party.ErrPlayerClosed], [party.ErrTerms],
// [party.ErrExcluded] (F22), [party.ErrLimit], [party.ErrBalance],
// [ErrUnknownGame], [ErrKey], [ErrKeyReused], [ErrClock].
func (s *System) Play(ctx context.Context, p PlayUnit) (PlayedUnit, error) {
	player, err := partyID(p.Player)
	if err != nil {
		return PlayedUnit{}, fmt.Errorf("%w: %.20q", party.ErrUnknownPlayer, p.Player)
	}
	key, err := commandKey("player/"+p.Player, p.Key)
	if err != nil {
		return PlayedUnit{}, err
	}
	play := playing{play: p, player: player, key: key, content: content("play", []any{p.Game, p.Price}), command: commandHash(key), clockOff: s.clockOff()}
	for {
		err = s.do(ctx, &job{key: key, decide: func(t *turn) error { return play.decide(t) }})
		if away := (*awayError)(nil); errors.As(err, &away) { // decided nothing
			if err = s.fetch(ctx, away.pool); err == nil {
				continue
			}
		}
		break
	}
	switch {
	case err != nil:
		return PlayedUnit{}, err // the turn may still be at it, so nothing of it is read
	case play.again:
		u, err := s.Unit(ctx, p.Player, play.index)
		u.Again = true
		return u, err
	}
	if play.fault != nil {
		s.log.Error("the guard has stopped a game: two officers resume it", "game", p.Game, "pool", play.pool.id, "fault", play.fault)
	}
	return s.playedUnit(play.index, play.at, play.pool.facts(), play.leaf), nil
}

// awayError is a pool that sells, and is not at hand on this node yet.
type awayError struct{ pool *pool }

func (e *awayError) Error() string { return fmt.Sprintf("pool %d is not at hand", e.pool.id) }

// playing is a play on its way through a turn.
type playing struct {
	play    PlayUnit
	player  journal.Party
	key     store.CommandKey
	content [32]byte
	command journal.Command

	clockOff bool // nothing is played, and what was is told

	again bool // the command was done before, as record index
	index uint64
	at    time.Time
	pool  *pool
	leaf  instant.Leaf
	fault error // that the guard found in the pool
}

func (p *playing) decide(t *turn) error {
	var err error
	if p.index, p.again, err = t.done(p.key, p.content); err != nil || p.again {
		return err
	}
	if p.clockOff {
		return ErrClock
	}
	o, err := t.offer(p.play.Game, p.play.Price)
	if err != nil {
		return err
	}
	if err := t.mayPlay(p.play.Player, p.play.Price); err != nil {
		return err
	}
	pool, waits := t.selling(o), false
	if pool == nil {
		if pool = t.toOpen(o); pool == nil {
			return ErrSoldOut
		}
		waits = true
	}
	built := pool.built.Load()
	if built == nil {
		return &awayError{pool}
	}
	leaf := built.Leaf(t.soldOf(pool))
	body := &journal.Unit{
		Command: p.command, Player: p.player, Pool: uint64(pool.id), N: leaf.N, Price: p.play.Price, Prize: leaf.Prize,
		Seed: leaf.Seed, Salt: leaf.Salt, Previous: t.previous(p.play.Player),
	}
	if waits {
		if err := t.open(pool); err != nil {
			return err
		}
	}
	if p.index, err = t.append(body); err != nil {
		return err
	}
	t.noteUnit(pool, leaf.Prize)
	t.played(p.play.Player, p.play.Price, p.index)
	t.keep(p.key, p.content, p.index)
	p.at, p.pool, p.leaf = utc(t.at), pool, leaf
	if p.fault, err = t.watch(pool); err != nil || p.fault != nil {
		return err
	}
	return t.openNext(o) // the next sells before this one is empty
}

// offer is the offer of a game at a price, if it is open to its players.
func (t *turn) offer(code game.Code, price money.Amount) (*offer, error) {
	g, err := t.m.instants.game(code)
	if err != nil {
		return nil, err
	}
	r, state := g.inForce(utc(t.at)), t.gameState(g)
	switch {
	case state != Launched:
		return nil, &ClosedGameError{State: state, Message: g.message}
	case r == nil:
		return nil, &ClosedGameError{State: Unlaunched}
	}
	if _, err := r.Table(price); err != nil {
		return nil, err
	}
	return g.offers[price], nil
}

// Unit returns a unit of a player as it was played, or [ErrNoUnit]: the history
// tells it whatever happened to the screen (INS-4.1).
func (s *System) Unit(ctx context.Context, player string, record uint64) (PlayedUnit, error) {
	return s.readUnit(ctx, record, func(b *journal.Unit) bool { return b.Player.String() == player })
}

// OpenedUnit returns a unit of anybody by its number, without telling whose: what `tirage-verify unit` checks.
func (s *System) OpenedUnit(ctx context.Context, record uint64) (PlayedUnit, error) {
	return s.readUnit(ctx, record, func(*journal.Unit) bool { return true })
}

func (s *System) readUnit(ctx context.Context, record uint64, mine func(*journal.Unit) bool) (u PlayedUnit, err error) {
	var unit *journal.Unit
	var at time.Time
	var facts poolFacts
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		var body journal.Body
		if body, at, err = anyBody(ctx, tx, record); err != nil {
			return err
		}
		found, ok := body.(*journal.Unit)
		if !ok || !mine(found) {
			return fmt.Errorf("%w: %d", ErrNoUnit, record)
		}
		unit = found
		facts, err = s.poolFacts(ctx, tx, instant.PoolID(unit.Pool))
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return u, fmt.Errorf("%w: %d", ErrNoUnit, record)
	}
	if err != nil {
		return u, err
	}
	leaf := instant.Leaf{N: unit.N, Prize: unit.Prize, Seed: unit.Seed, Salt: unit.Salt}
	return s.playedUnit(record, at, facts, leaf), nil
}

// anyBody reads a record.
func anyBody(ctx context.Context, tx *store.Snapshot, index uint64) (journal.Body, time.Time, error) {
	b, micro, err := tx.Record(ctx, index)
	if err != nil {
		return nil, time.Time{}, err
	}
	rec, err := journal.Decode(b)
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("record %d: %w", index, err)
	}
	return rec.Body, utc(micro), nil
}

// poolFacts is what never changes of a pool.
type poolFacts struct {
	id     instant.PoolID
	rules  *instant.Rules
	table  *instant.PrizeTable
	number uint64
	units  int
	root   journal.Hash
	built  *instant.Pool // nil: not at hand
}

func (p *pool) facts() poolFacts {
	return poolFacts{p.id, p.rules, p.table, p.number, p.units, p.root, p.built.Load()}
}

// poolFacts reads a pool, from memory when it is not closed.
func (s *System) poolFacts(ctx context.Context, tx *store.Snapshot, id instant.PoolID) (poolFacts, error) {
	s.mu.RLock()
	p := s.memory.instants.pools[id]
	s.mu.RUnlock()
	if p != nil {
		return p.facts(), nil
	}
	row, err := tx.Pool(ctx, int64(id))
	if err != nil {
		return poolFacts{}, err
	}
	body, _, err := anyBody(ctx, tx, row.Record)
	if err != nil {
		return poolFacts{}, err
	}
	b, ok := body.(*journal.Pool)
	assert(ok, "the record of a pool is one")
	r, err := s.instantRules(ctx, tx, b.Book)
	if err != nil {
		return poolFacts{}, err
	}
	return newPool(row.Record, b, r).facts(), nil
}

// instantRules is a rule book by its hash; also one that this node has yet to follow.
func (s *System) instantRules(ctx context.Context, tx *store.Snapshot, hash game.Hash) (*instant.Rules, error) {
	s.mu.RLock()
	r := s.memory.instants.books[hash]
	s.mu.RUnlock()
	if r != nil {
		return r, nil
	}
	books, err := tx.Books(ctx)
	if err != nil {
		return nil, err
	}
	for _, b := range books {
		if game.Hash(b.Hash) == hash {
			return instant.Parse("rules.yaml", b.Book)
		}
	}
	return nil, fmt.Errorf("%w: rule book %x", ErrUnknownGame, hash[:4])
}
