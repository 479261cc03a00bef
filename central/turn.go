package central

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"

	"tirage/draw"
	"tirage/game"
	"tirage/instant"
	"tirage/journal"
	"tirage/ledger"
	"tirage/money"
	"tirage/store"
)

// turn is one database transaction in the making. Commands are decided one
// after another against the memory and the turn's overlay; what they append is
// written at the end, set-wise. Nothing of a turn is in the memory before its
// commit, so a turn that fails is simply dropped.
type turn struct {
	m      *memory
	before *turn // decided, being committed, not yet in the memory; often nil
	tx     *store.Tx
	first  uint64 // index of its first record
	at     int64  // µs UTC: max(node's clock, last turn)

	records []journal.Record
	leaves  []journal.Hash
	implied []implied
	bundle  []byte
	rows    store.Rows
	changes map[ledger.Account]money.Amount

	frontier journal.Frontier
	tiler    *journal.Tiler

	exposure  map[cell]int // added by this turn
	commands  map[store.CommandKey]store.Command
	cancelled map[uint64]bool
	paid      map[ticketDraw]bool
	stops     map[uint64]bool // tickets of which the payment is stopped
	told      map[string]told // of players, by its records; made when needed

	// Of instant games; made when needed.
	sold    map[instant.PoolID]*instant.Left // units
	opened  map[instant.PoolID]bool
	stopped map[game.Code]bool // by the guard
}

// cell is a combination in a draw.
type cell struct {
	draw        draw.ID
	combination game.Combination
}

type ticketDraw struct {
	ticket uint64
	draw   draw.ID
}

// newTurn begins a turn with room for so many commands.
func newTurn(m *memory, before *turn, now int64, commands int) *turn {
	t := &turn{
		m: m, before: before, first: m.size, at: max(now, m.at), frontier: m.frontier.Clone(), tiler: m.tiler.Clone(),
		records: make([]journal.Record, 0, commands),
		leaves:  make([]journal.Hash, 0, commands),
		implied: make([]implied, 0, commands),
		bundle:  make([]byte, 0, 160*commands),
		rows: store.Rows{
			Commands: make([]store.Command, 0, commands),
			Tickets:  make([]store.Ticket, 0, commands),
			Parts:    make([]store.Part, 0, 2*commands),
			Postings: make([]store.Posting, 0, 3*commands),
		},
		changes:   map[ledger.Account]money.Amount{},
		exposure:  map[cell]int{},
		commands:  map[store.CommandKey]store.Command{},
		cancelled: map[uint64]bool{},
		paid:      map[ticketDraw]bool{},
		stops:     map[uint64]bool{},
	}
	if before != nil {
		t.first, t.at = before.next(), max(now, before.at)
		t.frontier, t.tiler = before.frontier.Clone(), before.tiler.Clone()
	}
	return t
}

// prefetch reads, set-wise, what the jobs need to decide.
func (t *turn) prefetch(ctx context.Context, jobs []*job) error {
	var keys []store.CommandKey
	var tickets []uint64
	for _, j := range jobs {
		if j.key.Key != "" && !t.m.fresh(j.key) {
			keys = append(keys, j.key)
		}
		if j.ticket != 0 {
			tickets = append(tickets, uint64(j.ticket))
		}
	}
	if len(keys) > 0 {
		found, err := t.tx.Commands(ctx, keys)
		if err != nil {
			return err
		}
		maps.Copy(t.commands, found)
	}
	if len(tickets) == 0 {
		return nil
	}
	return t.prefetchTickets(ctx, tickets)
}

// prefetchTickets reads what was done with tickets.
func (t *turn) prefetchTickets(ctx context.Context, tickets []uint64) error {
	cancellations, err := t.tx.Cancellations(ctx, tickets)
	if err != nil {
		return err
	}
	for _, c := range cancellations {
		t.cancelled[c.Ticket] = true
	}
	payments, err := t.tx.Payments(ctx, tickets)
	if err != nil {
		return err
	}
	for _, p := range payments {
		t.paid[ticketDraw{p.Ticket, draw.ID(p.Draw)}] = true
	}
	stops, err := t.tx.Stops(ctx, tickets)
	if err != nil {
		return err
	}
	for _, s := range stops { // in order: the last of a ticket holds
		t.stops[s.Ticket] = !s.Lifted
	}
	return nil
}

// next is the journal index of the next record.
func (t *turn) next() uint64 { return t.first + uint64(len(t.records)) }

// append adds a record: the fact, its rows, its postings. It returns its index.
// The combinations of a sale that was just decided are known.
func (t *turn) append(body journal.Body, known ...game.Combination) (uint64, error) {
	index, rec := t.next(), journal.Record{At: t.at, Body: body}
	b, err := journal.Encode(rec)
	if err != nil {
		return 0, err
	}
	leaf := journal.LeafHash(b)
	in := t.m.imply(&t.rows, index, rec, known)
	for _, p := range in.entry {
		t.changes[p.Account] = t.changes[p.Account].Add(p.Amount)
	}
	t.records, t.leaves, t.implied = append(t.records, rec), append(t.leaves, leaf), append(t.implied, in)
	t.bundle = journal.AppendBundle(t.bundle, b)
	t.frontier.Append(leaf)
	for _, tile := range t.tiler.Append(leaf) {
		t.rows.Tiles = append(t.rows.Tiles, store.Tile{Level: tile.Level, N: tile.N, Hashes: tile.Hashes})
	}
	return index, nil
}

// balance is the balance of an account, this turn's changes included.
func (t *turn) balance(a ledger.Account) money.Amount {
	balance := t.m.balances[a].Add(t.changes[a])
	if t.before != nil {
		balance = balance.Add(t.before.changes[a])
	}
	return balance
}

// exposed is the count of the cap on a combination in a draw, this turn's sales included.
func (t *turn) exposed(d *drawState, c game.Combination) int {
	at := cell{d.ID, c}
	n := d.exposure.At(c) + t.exposure[at]
	if t.before != nil {
		n += t.before.exposure[at]
	}
	return n
}

// command finds a command that was done before, or given up.
func (t *turn) command(key store.CommandKey) (c store.Command, ok bool) {
	c, ok = t.commands[key]
	if !ok && t.before != nil {
		c, ok = t.before.commands[key]
	}
	return c, ok
}

// done finds the first record of a command that was done before: the caller
// then gets the first answer again. It returns [ErrKeyReused] when the key was
// used for another request, and [ErrGivenUp].
func (t *turn) done(key store.CommandKey, content [32]byte) (record uint64, ok bool, err error) {
	c, ok := t.command(key)
	if !ok {
		return 0, false, nil
	}
	switch [32]byte(c.Content) {
	case content:
		return c.Record, true, nil
	case givenUp:
		return 0, false, fmt.Errorf("%w: %.64q", ErrGivenUp, key.Key)
	}
	return 0, false, fmt.Errorf("%w: %.64q", ErrKeyReused, key.Key)
}

// keep notes that a command was accepted, with its first record.
func (t *turn) keep(key store.CommandKey, content [32]byte, record uint64) {
	c := store.Command{Key: []byte(key.Key), Scope: key.Scope, Content: content[:], Record: record}
	t.commands[key] = c
	t.rows.Commands = append(t.rows.Commands, c)
}

// write writes the turn into its transaction.
func (t *turn) write(ctx context.Context) error {
	root := t.frontier.Root()
	frontier, err := t.frontier.MarshalBinary()
	if err != nil {
		return err
	}
	balances := make(map[string]money.Amount, len(t.changes))
	for a, change := range t.changes {
		balances[string(a)] = change
	}
	head := store.Head{Size: t.next(), At: t.at, Frontier: frontier, Root: root[:]}
	row := store.Turn{First: t.first, Count: uint64(len(t.records)), At: t.at, Records: t.bundle}
	return t.tx.Write(ctx, head, row, t.rows, balances)
}

// merge takes the memory over a committed turn.
func (t *turn) merge() {
	for i, rec := range t.records {
		t.m.fold(t.first+uint64(i), rec, t.leaves[i], t.implied[i])
	}
	t.m.frontier, t.m.tiler = t.frontier, t.tiler
	for _, c := range t.rows.Commands {
		t.m.lastKey[c.Scope] = max(t.m.lastKey[c.Scope], string(c.Key))
	}
}

// commandHash ties a record to its command.
func commandHash(key store.CommandKey) journal.Command {
	h := sha256.New()
	h.Write([]byte(key.Scope))
	h.Write([]byte{0})
	h.Write([]byte(key.Key))
	return journal.Command(h.Sum(nil)[:16])
}

// moved tells whether the turn changed more than the sales: then the faces look again.
func (t *turn) moved() bool {
	return slices.ContainsFunc(t.records, func(rec journal.Record) bool { return moves(rec.Body) })
}

// moves tells whether a record changes more than sales, payments and players: what
// anybody can cause must not have every screen look again.
func moves(body journal.Body) bool {
	switch b := body.(type) {
	case *journal.Sale, *journal.Cancellation, *journal.Payment, *journal.Reprint, *journal.Unit, *journal.Tally,
		*journal.Voucher, *journal.Deposit, *journal.Withdrawal, *journal.Transfer, *journal.Returned, *journal.Collected,
		*journal.Player, *journal.PlayerChange:
		return false
	case *journal.Act:
		return b.Act != actGiveUp
	}
	return true
}
