// Package central is the central system (site central informatique): one
// method an operation. A face decodes a request and calls one; the system
// decides it in a turn, one command after another, appends its record to the
// journal, and answers when the record is durable. Nothing acknowledged is
// lost, nothing is done twice.
//
// Start with [System.Place] and follow the wager: it is checked by package
// wager, queued for the writer loop (batch.go), decided against the memory and
// the turn's overlay (turn.go), implied into rows and postings (imply.go),
// written in one transaction, and merged into the memory (memory.go). The
// scheduler (draw.go) plans, opens, closes, draws, settles and certifies, and has
// the pools of instant games built (pool.go), whose units are sold as wagers are
// (unit.go). What moves draws or money otherwise, two officers decide (approval.go).
// What outlets do is counted (tally.go), stated each week (statement.go) and debited (debit.go).
package central

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/mod/sumdb/note"

	"tirage/draw"
	"tirage/game"
	"tirage/instant"
	"tirage/journal"
	"tirage/money"
	"tirage/party"
	"tirage/rng"
	"tirage/store"
)

var (
	// ErrKeyReused is a command key that was used for another request (style 21).
	ErrKeyReused = errors.New("key was used for another request")
	// ErrKey is a command key that is not 1 to 64 bytes.
	ErrKey = errors.New("key must be 1 to 64 bytes")
	// ErrUnknownGame is a game that has no rule book in force.
	ErrUnknownGame = errors.New("no such game")
	// ErrClock is a node whose clock cannot be trusted: it sells, closes and draws nothing until an officer confirms (F18).
	ErrClock = errors.New("the clock is off: nothing is sold or drawn until an officer confirms it")
	// ErrGone is a database whose file is no longer the one that was opened: what would be written into it would be lost.
	ErrGone = errors.New("the database has gone: nothing is sold or drawn until the server is started again")
	// ErrShutdown is a system that is closing.
	ErrShutdown = errors.New("the system is shutting down")
	// ErrJournal is a journal that does not fit what this node knows.
	ErrJournal = errors.New("journal does not agree with this node")
)

// Options are what a system is made of.
type Options struct {
	DB    *store.DB
	Keys  Keys
	Clock Clock
	// Control is who certifies draws. "none", the only value for now,
	// certifies at once with a record that says so.
	Control string
	Logger  *slog.Logger
	// Demo allows deposits of money that is not.
	Demo bool
	// Site is the public address of the portal, as messages to players have it:
	// "https://loterie.example".
	Site string
	// Cards are the providers of card payments, by name.
	Cards map[string]CardProvider
	// Payer is whom withdrawals are paid by. Without one nothing is paid out; a
	// demo has a specimen.
	Payer party.Payer
	// Creditor is whom direct debits of outlets are paid to. Without one none are
	// made; a demo has a specimen.
	Creditor party.Creditor
}

// System is one node of the central system. Its methods may be called from many goroutines.
type System struct {
	db      *store.DB
	keys    Keys
	signer  note.Signer
	clock   Clock
	control string
	log     *slog.Logger
	demo    bool
	cards   map[string]CardProvider
	payer   party.Payer

	creditor party.Creditor

	reconciled reconciled

	queue   chan *job
	ctx     context.Context
	closing chan struct{}
	stopped chan struct{}
	close   func()

	gone      atomic.Bool    // the database's file is not there any more
	answering sync.WaitGroup // answers of turns, on their way
	air       *flight        // being committed; of the writer loop
	ahead     *flight        // decided on top of it; of the writer loop

	mu     sync.RWMutex
	memory *memory // changed by the writer loop only, under mu

	site    string     // of the portal
	sending sync.Mutex // one SendMessages at a time

	watchers   watchers
	clockGuard clockGuard
	checkpoint checkpointCache
	certified  certifiedFacts
	argon      chan struct{} // bounds concurrent password hashes
	settling   sync.Mutex    // one Tick at a time
	// When statements and blocks are looked for next, and when statements are due next: under settling.
	lookAt, statementsAt time.Time
	erasedOn             game.Day // the Paris day on which payees were looked through last, under settling

	// Of instant games.
	answers      ed25519.PrivateKey // signs what players are told
	beacon       *rng.Beacon
	builder      func(*instant.PrizeTable, int, rng.Seed) *instant.Pool
	building     chan struct{}     // held by who builds pools: one at a time
	unbuildable  map[[32]byte]bool // by root, or the first of its secrets; of whoever holds building
	background   sync.WaitGroup    // what runs beside the writer loop
	backgroundMu sync.Mutex        // of what begins there
}

// specimen is the payer of a demo, whose files go to no bank.
var specimen = party.Payer{Name: "SPECIMEN", IBAN: "FR7630006000011234567890189"}

// specimenCreditor is the creditor of a demo, whose files go to no bank.
var specimenCreditor = party.Creditor{Name: "SPECIMEN", ID: "FR72ZZZ123456", IBAN: "FR7630006000011234567890189"}

// Demo tells whether the system runs as a demo: see [Options.Demo].
func (s *System) Demo() bool { return s.demo }

// Site is the public address of the portal, without a stroke at its end: see [Options.Site].
func (s *System) Site() string { return strings.TrimSuffix(s.site, "/") }

// Open starts a node on a database. It loads the memory, and writes the key
// records of an empty journal. It returns [ErrKeys] when the database belongs to other keys.
func Open(ctx context.Context, o Options) (*System, error) {
	if o.Control != "none" {
		return nil, fmt.Errorf("control %q: only \"none\" is known", o.Control)
	}
	signer, err := journal.NewSigner(o.Keys.Origin, ed25519.NewKeyFromSeed(o.Keys.Log[:]))
	if err != nil {
		return nil, fmt.Errorf("open system: %w", err)
	}
	s := &System{
		db: o.DB, keys: o.Keys, signer: signer, clock: o.Clock, control: o.Control, log: o.Logger, site: o.Site,
		queue: make(chan *job, batchMax), closing: make(chan struct{}), stopped: make(chan struct{}),
		argon: make(chan struct{}, 2),
		demo:  o.Demo, cards: o.Cards, payer: o.Payer, creditor: o.Creditor,
		reconciled: reconciled{last: map[string]game.Day{}, again: map[string]time.Time{}},
		answers:    o.Keys.answers(), beacon: o.Keys.beacon(), builder: instant.Build,
		building: make(chan struct{}, 1), unbuildable: map[[32]byte]bool{},
	}
	if s.demo && s.payer == (party.Payer{}) {
		s.payer = specimen
	}
	if s.demo && s.creditor == (party.Creditor{}) {
		s.creditor = specimenCreditor
	}
	var cancel context.CancelFunc
	s.ctx, cancel = context.WithCancel(context.WithoutCancel(ctx))
	s.close = sync.OnceFunc(func() {
		s.backgroundMu.Lock()
		close(s.closing) // nothing begins beside the writer loop any more
		s.backgroundMu.Unlock()
		<-s.stopped
		s.background.Wait()
		cancel()
	})
	if s.memory, err = s.load(ctx); err != nil {
		cancel()
		return nil, fmt.Errorf("open system: %w", err)
	}
	go s.write()
	if err := s.checkKeys(ctx); err != nil {
		s.close()
		return nil, fmt.Errorf("open system: %w", err)
	}
	return s, nil
}

// Close ends the node after the turn that it is in. It leaves the database open.
func (s *System) Close() { s.close() }

// Now is the system's time: never before the last turn.
func (s *System) Now() time.Time {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return utc(max(s.clock.Now().UnixMicro(), s.memory.at))
}

// checkKeys writes the keys into an empty journal, or compares them with the journal's.
func (s *System) checkKeys(ctx context.Context) error {
	want := s.keys.records(s.beacon)
	return s.do(ctx, &job{alone: true, decide: func(t *turn) error {
		if t.m.size == 0 {
			for _, k := range want {
				if _, err := t.append(k); err != nil {
					return err
				}
			}
			return nil
		}
		same := func(a, b *journal.Key) bool { return a.Use == b.Use && slices.Equal(a.ID, b.ID) }
		if !slices.EqualFunc(want, t.m.keys, same) {
			return ErrKeys
		}
		return nil
	}})
}

// Verifier checks the signatures of this system's checkpoints.
func (s *System) Verifier() (note.Verifier, error) {
	key, err := s.VerifierKey()
	if err != nil {
		return nil, err
	}
	return note.NewVerifier(key)
}

// VerifierKey is the log's public key as those who check its checkpoints
// configure it (C2SP signed-note): "loterie.example/tirage+1a2b3c4d+…".
func (s *System) VerifierKey() (string, error) {
	public := ed25519.NewKeyFromSeed(s.keys.Log[:]).Public().(ed25519.PublicKey)
	return journal.VerifierKey(s.keys.Origin, public)
}

// HasOfficers tells whether anyone can act on the system.
func (s *System) HasOfficers() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.memory.officers) > 0
}

// Games lists the games that have a rule book.
func (s *System) Games() []game.Code {
	s.mu.RLock()
	defer s.mu.RUnlock()
	codes := make([]game.Code, 0, len(s.memory.versions))
	for code := range s.memory.versions {
		codes = append(codes, code)
	}
	slices.Sort(codes)
	return codes
}

// Rules returns the rule book of the draw that a wager would enter next; when
// none sells, the version in force on the draw day of now, or the first to
// come. It returns [ErrUnknownGame].
func (s *System) Rules(code game.Code) (*game.Rules, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	now := s.clock.Now()
	for _, d := range s.memory.from(code, now) {
		if d.state == draw.Selling && now.Before(d.ClosesAt) {
			return d.rules, nil
		}
	}
	return s.memory.rulesNow(code, now)
}

func (m *memory) rulesNow(code game.Code, now time.Time) (*game.Rules, error) {
	versions := m.versions[code]
	if len(versions) == 0 {
		return nil, fmt.Errorf("%w: %.40q", ErrUnknownGame, code)
	}
	if day := game.DayOf(now, versions[0].Calendar.Zone); versions[0].FirstDay <= day {
		return m.rulesOn(code, day)
	}
	return versions[0], nil
}

// RulesByHash returns the version of a rule book by its hash.
func (s *System) RulesByHash(h game.Hash) (*game.Rules, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if r := s.memory.books[h]; r != nil {
		return r, nil
	}
	return nil, fmt.Errorf("%w: rule book %x", ErrUnknownGame, h[:4])
}

// RulesVersions are all versions of a game's rule book, by their first day; none of a game that there is not.
func (s *System) RulesVersions(code game.Code) []*game.Rules {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Clone(s.memory.versions[code])
}

// RulesOfSlip returns the version of a game's rules whose hash begins so, of all
// that were ever published; nil when there is none.
func (s *System) RulesOfSlip(code game.Code, version [8]byte) *game.Rules {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, r := range slices.Backward(s.memory.versions[code]) {
		if [8]byte(r.Hash[:8]) == version {
			return r
		}
	}
	return nil
}

// Terminal returns a terminal and its outlet as they stand, also one that is withdrawn.
func (s *System) Terminal(id string) (party.Terminal, party.Outlet, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.memory.terminal(id)
}

func (m *memory) terminal(id string) (party.Terminal, party.Outlet, error) {
	t, ok := m.terminals[id]
	if !ok {
		return t, party.Outlet{}, fmt.Errorf("%w: %.20q", party.ErrUnknownTerminal, id)
	}
	return t, m.outlets[t.Outlet], nil
}

// working is terminal, and refuses one that is withdrawn ([party.ErrWithdrawn]).
func (m *memory) working(id string) (party.Terminal, party.Outlet, error) {
	t, o, err := m.terminal(id)
	if err == nil && t.Withdrawn {
		err = party.ErrWithdrawn
	}
	return t, o, err
}

// Outlets lists the outlets by number.
func (s *System) Outlets() []party.Outlet {
	s.mu.RLock()
	defer s.mu.RUnlock()
	list := make([]party.Outlet, 0, len(s.memory.outlets))
	for _, o := range s.memory.outlets {
		list = append(list, o)
	}
	slices.SortFunc(list, func(a, b party.Outlet) int { return a.Number - b.Number })
	return list
}

// Account is what an outlet owes.
type Account struct {
	Owes        money.Amount // negative: the lottery owes the outlet
	CreditLimit money.Amount
	Left        money.Amount // what it may still sell
}
