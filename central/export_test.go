package central

import (
	"context"
	"time"

	"github.com/alexedwards/argon2id"

	"tirage/draw"
	"tirage/game"
	"tirage/journal"
	"tirage/ledger"
	"tirage/money"
	"tirage/party"
	"tirage/store"
	"tirage/wager"
)

// Passwords of tests are hashed cheaply: nearly every test makes an officer.
func init() {
	passwordParams = &argon2id.Params{Memory: 64, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32}
}

// Turn lets tests decide commands of their own.
type Turn = turn

// At is the time of the turn, in µs UTC.
func (t *Turn) At() int64 { return t.at }

// Append appends a record to the turn.
func (t *Turn) Append(body journal.Body) error {
	_, err := t.append(body)
	return err
}

// PayAfter pays a ticket that it reads before something happens.
func (s *System) PayAfter(ctx context.Context, p Pay, happens func()) (Paid, error) {
	key, err := terminalKey(p.Terminal, p.Key)
	if err != nil {
		return Paid{}, err
	}
	facts, err := s.facts(ctx, p.Ticket, p.Secret)
	if err != nil {
		return Paid{}, err
	}
	happens()
	return s.payRead(ctx, key, p, facts)
}

// Changeable tells whether a change can be made.
func (t *Turn) Changeable(ctx context.Context, c Change) error { return t.changeable(ctx, c) }

// Public tells whether a record may be read by anyone.
func (s *System) Public(rec journal.Record) bool { return s.public(rec) }

// Queued is how many commands wait for the next turn.
func (s *System) Queued() int { return len(s.queue) }

// Fresh tells that a terminal's sale by that key would need no look-up.
func (s *System) Fresh(terminal, key string) bool {
	k, err := terminalKey(terminal, key)
	return err == nil && s.memory.fresh(k)
}

// Do runs a command that a test makes; neighbours share a turn with it.
func (s *System) Do(ctx context.Context, decide func(*Turn) error) error {
	return s.do(ctx, &job{decide: decide})
}

// DecideTwice takes the next queued command and has it decided and committed
// before the run whose answer its caller gets, as when the answer of a commit was lost.
func (s *System) DecideTwice() {
	second := <-s.queue
	first := *second
	first.alone, first.done = true, make(chan error, 1)
	s.queue <- &first
	s.queue <- second
}

// OddKeys counts the keys out of order of time that this node found at its start.
func (s *System) OddKeys() int { return len(s.memory.oddKeys) }

// Size is the number of journal records that the node has seen.
func (s *System) Size() uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.memory.size
}

// Exposed is how much of a combination is sold in a draw that is not closed.
func (s *System) Exposed(id draw.ID, c game.Combination) int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.memory.draws[id].exposure.At(c)
}

// State is the state of a draw in memory.
func (s *System) State(id draw.ID) draw.State {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.memory.draws[id].state
}

// Step takes a draw to its next state, and no further.
func (s *System) Step(ctx context.Context, id draw.ID, next draw.State) error {
	return step{draw: id, next: next}.make(ctx, s)
}

// AskServerAgain makes the next tick ask the database server's clock, however recently it was asked.
func (s *System) AskServerAgain() {
	s.clockGuard.mu.Lock()
	defer s.clockGuard.mu.Unlock()
	s.clockGuard.checked = time.Time{}
}

// ReconcileDue compares the card payments that are due, as Run does.
func (s *System) ReconcileDue(ctx context.Context) { s.reconcileDue(ctx) }

// Follow takes the memory over the turns of other nodes.
func (s *System) Follow(ctx context.Context) error { return s.follow(ctx) }

// NewPace is the pace of a draw without sales.
func NewPace() *pace { return &pace{} }

// AddPace adds a sale to a pace.
func AddPace(p *pace, at int64, terminal string, stakes money.Amount) {
	p.add(at, mustParty(terminal), stakes)
}

// Greatest are the greatest sellers of a pace.
func Greatest(p *pace) []Velocity { return p.greatest() }

// StoredDraws is [System.Draws] by the tables.
func (s *System) StoredDraws(ctx context.Context, code game.Code, day game.Day) ([]DrawView, error) {
	return s.views(ctx, func(tx *store.Snapshot) ([]store.Draw, error) { return tx.DrawsOfDay(ctx, string(code), int32(day)) })
}

// AppendCommand appends the record of a command that no method of the system makes.
func (t *Turn) AppendCommand(scope, key string, body func(journal.Command) journal.Body) (uint64, error) {
	k := store.CommandKey{Key: key, Scope: scope}
	index, err := t.append(body(commandHash(k)))
	if err == nil {
		t.keep(k, [32]byte{}, index)
	}
	return index, err
}

// AddPerson says who a player is.
func (t *Turn) AddPerson(ctx context.Context, p store.Person) error { return t.tx.AddPerson(ctx, p) }

// Previous is the newest record that tells of a player.
func (t *Turn) Previous(player string) uint64 { return t.previous(player) }

// Tells notes that a record tells of a player.
func (t *Turn) Tells(player string, index uint64) { t.tells(player, index) }

// Balance is what a player has, in memory.
func (s *System) Balance(a ledger.Account) money.Amount {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.memory.balances[a]
}

// MayPlay tells whether a player may put a price on a unit.
func (t *Turn) MayPlay(player string, price money.Amount) error { return t.mayPlay(player, price) }

// Played notes a unit of the turn.
func (t *Turn) Played(player string, price money.Amount, index uint64) {
	t.played(player, price, index)
}

// NewTurn is a turn on the memory of the system, after another that is not in it yet.
func (s *System) NewTurn(before *Turn, at int64) *Turn { return newTurn(s.memory, before, at, 1) }

// Window is what limits count.
type Window = window

// Add adds an amount on a day.
func (w *Window) Add(day game.Day, amount money.Amount) { w.add(day, amount) }

// Sum sums so many days up to a day.
func (w *Window) Sum(day game.Day, days int) money.Amount { return w.sum(day, days) }

// JournalReader is what a code is proven with.
type JournalReader = journalReader

// Prove is prove.
func (s *System) Prove(ctx context.Context, tx JournalReader, number wager.ID, secret [8]byte) error {
	_, _, err := s.prove(ctx, tx, number, secret)
	return err
}

// StatementBody is the record of a statement that follows from what an outlet
// sold, took back and paid in a game, and from what was carried.
func StatementBody(terms *party.Terms, code string, sold, cancelled, paid money.Amount, carried [2]uint64) *journal.Statement {
	did := map[string]*store.Tally{code: {Sold: sold, Cancelled: cancelled, Paid: paid}}
	return statementBody(journal.Party{1}, 0, terms, 0, did, carry{code: carried}).Statement
}

// StatedRows is how many statements are read to tell what an outlet owed on a day that begins and ends so.
func (s *System) StatedRows(ctx context.Context, outlet string, day game.Day, begins, ends time.Time) (int, error) {
	base, credits, err := s.stated(ctx, outlet, day, begins.UnixMicro(), ends.UnixMicro())
	if base.Record != 0 {
		return 1 + len(credits), err
	}
	return len(credits), err
}
