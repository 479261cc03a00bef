package central

import (
	"context"
	"errors"
	"time"

	"tirage/game"
	"tirage/instant"
	"tirage/journal"
	"tirage/money"
	"tirage/rng"
	"tirage/store"
)

var (
	// ErrNotLaunched is an instant game that is not open to its players (INS-1); the error is a [ClosedGameError].
	ErrNotLaunched = errors.New("the game is not open")
	// ErrSoldOut is a price of which no unit is on sale.
	ErrSoldOut = errors.New("no unit is on sale at this price")
	// ErrNoUnit is a unit that is not the player's.
	ErrNoUnit = errors.New("no such unit")
	// ErrSecrets is a number of secrets that cannot be committed at a time.
	ErrSecrets = errors.New("1 to 100 secrets can be committed at a time")
	// ErrGameState is a launch or suspension that changes nothing, or that takes two officers.
	ErrGameState = errors.New("the game is not in a state for this")
)

// GameState is whether an instant game is played.
type GameState uint8

const (
	Unlaunched GameState = iota + 1 // published, never launched (INS-1)
	Launched
	Suspended // by an officer
	Stopped   // by the guard (F12): two officers resume it
)

// ClosedGameError is a refusal by [ErrNotLaunched].
type ClosedGameError struct {
	State   GameState
	Message game.Text // what players are told; empty: the ordinary sentence
}

// Error says in which state the game is.
func (e *ClosedGameError) Error() string { return ErrNotLaunched.Error() }

// Is makes the error an [ErrNotLaunched].
func (e *ClosedGameError) Is(target error) bool { return target == ErrNotLaunched }

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
	return PlayedUnit{}, errToBuild
}

// Unit returns a unit of a player as it was played, or [ErrNoUnit]: the history
// tells it whatever happened to the screen (INS-4.1).
func (s *System) Unit(ctx context.Context, player string, record uint64) (PlayedUnit, error) {
	return PlayedUnit{}, errToBuild
}

// OpenedUnit returns a unit of anybody by its number, without telling whose: what `tirage-verify unit` checks.
func (s *System) OpenedUnit(ctx context.Context, record uint64) (PlayedUnit, error) {
	return PlayedUnit{}, errToBuild
}

// InstantGame is an instant game as its players see it.
type InstantGame struct {
	Rules   *instant.Rules
	State   GameState
	Message game.Text // of a suspension
	Prices  []InstantPrice
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
func (s *System) InstantGames() []game.Code { return nil }

// Instant returns an instant game, or [ErrUnknownGame].
func (s *System) Instant(code game.Code) (InstantGame, error) { return InstantGame{}, errToBuild }

// PublishInstant checks and publishes a rule book of an instant game. Refusals:
// the faults of [instant.Parse], [ErrPublished], [ErrNotAllowed], [ErrIssued], [ErrKey], [ErrKeyReused].
func (s *System) PublishInstant(ctx context.Context, p PublishRules) (*instant.Rules, error) {
	return nil, errToBuild
}

// CommitSecrets commits secrets of an officer for the next pools of a game and
// price that lack one of his: two officers' make a pool.
type CommitSecrets struct {
	Key     string
	Officer string
	Game    game.Code
	Price   money.Amount
	Count   int
	// Entropy is what the officer adds of his own, such as dice: mixed with the
	// node's randomness. It goes into no record.
	Entropy string
}

// CommitSecrets commits secrets; they are sealed at rest under the system's
// key. It returns the number of the first pool that they are for. Refusals:
// [ErrSecrets], [ErrUnknownGame], [instant.ErrPrice], [ErrNotAllowed], [ErrIssued], [ErrKey], [ErrKeyReused].
func (s *System) CommitSecrets(ctx context.Context, c CommitSecrets) (first int, err error) {
	return 0, errToBuild
}

// GameAct is a launch or suspension by an officer.
type GameAct struct {
	Key     string
	Officer string
	Game    game.Code
	Message game.Text // of a suspension: what players are told; empty: the ordinary sentence
}

// Launch opens an instant game to its players (INS-1), or again after an
// officer suspended it. What the guard stopped, two officers resume
// ([ActResumeGame]). Refusals: [ErrUnknownGame], [ErrGameState], [ErrNotAllowed], [ErrIssued], [ErrKey], [ErrKeyReused].
func (s *System) Launch(ctx context.Context, a GameAct) error { return errToBuild }

// Suspend suspends an instant game at once: no unit is played until it is launched again. Refusals as of [System.Launch].
func (s *System) Suspend(ctx context.Context, a GameAct) error { return errToBuild }

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
	Sold               int
	Paid               money.Amount
	Left               []int // by prize of the table
	Table              *instant.PrizeTable
	Cause              string // of its close
	OpenedAt, ClosedAt time.Time
}

// Pools lists the pools of a game, by price, newest first; at most limit of those closed.
func (s *System) Pools(ctx context.Context, code game.Code, limit int) ([]PoolView, error) {
	return nil, errToBuild
}

// tendPools builds, commits, opens and closes pools, and runs the guard: a part of Tick.
func (s *System) tendPools(ctx context.Context) error { return nil }

func (m *memory) implyInstant(rows *store.Rows, index uint64, rec journal.Record) implied {
	assert(false, "to be built")
	return implied{}
}

func (m *memory) foldInstant(index uint64, rec journal.Record) {
	assert(false, "to be built")
}

func (m *memory) loadInstant(ctx context.Context, tx *store.Snapshot) error { return nil }

func (a *auditor) seeInstant(index uint64, rec journal.Record) error { return nil }

func (s *System) compareInstant(fold *memory) error { return nil }

var (
	errToBuild = errors.New("to be built")
	_          rng.Seed
)
