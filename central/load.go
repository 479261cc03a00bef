package central

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"tirage/draw"
	"tirage/game"
	"tirage/journal"
	"tirage/ledger"
	"tirage/party"
	"tirage/settle"
	"tirage/store"
)

// turnsSlice is how many turns are read at a time.
const turnsSlice = 256

// load makes the memory from the tables, and the exposure and Merkle frontiers
// of the draws that still sell from the journal since the first of them was planned.
func (s *System) load(ctx context.Context) (*memory, error) {
	m := newMemory()
	m.sole = s.db.Engine() == "sqlite" // one process at a time
	err := s.db.View(ctx, func(tx *store.Snapshot) error {
		if err := m.loadKeys(ctx, tx, s.clock.Now()); err != nil {
			return err
		}
		head, err := tx.Head(ctx)
		if err != nil || head.Size == 0 {
			return err
		}
		if err := m.loadJournal(ctx, tx, head); err != nil {
			return err
		}
		if err := m.loadParties(ctx, tx); err != nil {
			return err
		}
		if err := m.loadTerms(ctx, tx); err != nil {
			return err
		}
		if err := m.loadClaims(ctx, tx); err != nil {
			return err
		}
		if err := m.loadPots(ctx, tx); err != nil {
			return err
		}
		if err := m.loadInstant(ctx, tx); err != nil {
			return err
		}
		if err := m.loadPlayers(ctx, tx); err != nil {
			return err
		}
		from, err := m.loadDraws(ctx, tx, head)
		if err != nil {
			return err
		}
		if err := m.loadTallies(ctx, tx); err != nil {
			return err
		}
		if err := m.loadNotices(ctx, tx); err != nil {
			return err
		}
		return m.loadSales(ctx, tx, from)
	})
	return m, err
}

// oddKeysMax bounds the keys out of order of time that are kept in memory.
const oddKeysMax = 10_000

// loadKeys reads what tells a fresh key: the greatest of those in order of time
// (UUIDv7, RFC 9562), and the others that lie above it, such as those made by hand.
func (m *memory) loadKeys(ctx context.Context, tx *store.Snapshot, now time.Time) error {
	if !m.sole {
		return nil
	}
	ms := fmt.Sprintf("%012x", max(now.UnixMilli(), 0))
	bound := []byte(ms[:8] + "-" + ms[8:] + "-8") // above every UUIDv7 up to now
	last, err := tx.LastKey(ctx, bound)
	if err != nil {
		return err
	}
	odd, err := tx.KeysAbove(ctx, bound, oddKeysMax)
	if err != nil {
		return err
	}
	m.firstKey, m.sole = string(last), len(odd) < oddKeysMax
	for _, key := range odd {
		m.oddKeys[key] = true
	}
	return nil
}

func (m *memory) loadJournal(ctx context.Context, tx *store.Snapshot, head store.Head) error {
	if err := m.frontier.UnmarshalBinary(head.Frontier); err != nil {
		return err
	}
	if m.frontier.Size != head.Size || m.frontier.Root() != journal.Hash(head.Root) {
		return fmt.Errorf("%w: head of size %d", ErrJournal, head.Size)
	}
	tiler, err := journal.NewTiler(head.Size, tileReader(ctx, tx))
	if err != nil {
		return err
	}
	m.tiler, m.size, m.at = tiler, head.Size, head.At
	// The keys are the records of the first turn.
	turns, err := tx.Turns(ctx, 0, 1)
	if err != nil {
		return err
	}
	return eachRecord(turns, 0, func(_ uint64, rec journal.Record, _ journal.Hash) error {
		if k, ok := rec.Body.(*journal.Key); ok {
			m.keys = append(m.keys, k)
		}
		return nil
	})
}

func (m *memory) loadParties(ctx context.Context, tx *store.Snapshot) error {
	rules, err := tx.Rules(ctx)
	if err != nil {
		return err
	}
	for _, r := range rules {
		parsed, err := game.Parse(r.Game+".yaml", r.Book)
		if err != nil {
			return fmt.Errorf("rule book of record %d: %w", r.Record, err)
		}
		m.addRules(parsed)
	}
	outlets, err := tx.Outlets(ctx)
	if err != nil {
		return err
	}
	for _, o := range outlets {
		m.putOutlet(party.Outlet{
			ID: o.ID, Number: o.Number, Territory: o.Territory, Zone: o.Zone, CreditLimit: o.CreditLimit, Blocked: o.Blocked,
			Centre: o.Centre, Cause: o.Cause,
		})
	}
	terminals, err := tx.Terminals(ctx)
	if err != nil {
		return err
	}
	for _, t := range terminals {
		m.terminals[t.ID] = party.Terminal{ID: t.ID, Outlet: t.Outlet, Renewed: t.Renewed, Withdrawn: t.Withdrawn}
	}
	officers, err := tx.Officers(ctx)
	if err != nil {
		return err
	}
	for _, o := range officers {
		m.officers[o.ID] = officerOfRow(o)
	}
	balances, err := tx.Balances(ctx)
	if err != nil {
		return err
	}
	for account, amount := range balances {
		if amount != 0 {
			m.balances[ledger.Account(account)] = amount
			if provider, ok := strings.CutPrefix(account, string(ledger.Card(""))); ok {
				m.providers[provider] = true
			}
		}
	}
	return nil
}

// loadDraws adds the draws of the last days and all that are not over. It
// returns the first record that may be a sale of a draw that is not closed.
func (m *memory) loadDraws(ctx context.Context, tx *store.Snapshot, head store.Head) (from uint64, err error) {
	last, err := tx.LastDraw(ctx)
	if err != nil {
		return 0, err
	}
	m.lastDraw = draw.ID(last)
	rows, err := tx.DrawsSince(ctx, head.At-keepDays*86_400_000_000)
	if err != nil {
		return 0, err
	}
	if rows, err = withDays(ctx, tx, rows); err != nil {
		return 0, err
	}
	states, err := loadFacts(ctx, tx, rows)
	if err != nil {
		return 0, err
	}
	from = head.Size
	for _, row := range rows {
		d := drawOfRow(row)
		f := states[d.ID]
		s := m.addDraw(d, f.state)
		s.result, s.times, s.settlement, s.closeRecord = f.result, f.times, f.settlement, f.closeRecord
		s.cancelledAt, s.refunded = f.cancelledAt, f.refund != nil
		if f.closed != nil {
			s.wagers, s.parts, s.cancelled, s.stakes = f.closed.Wagers, f.closed.Parts, f.closed.Cancelled, f.closed.Stakes
			s.exposure = nil
		} else if s.refunded { // never closed
			s.parts, s.stakes = int64(f.refund.Parts), stakesRefunded(f.refund)
		} else {
			from = min(from, row.Record)
		}
		if s.state == draw.Cancelled {
			s.exposure = nil
		}
	}
	return from, nil
}

// withDays adds to draws the others of their game and draw day, which have tickets in common.
func withDays(ctx context.Context, tx *store.Snapshot, rows []store.Draw) ([]store.Draw, error) {
	read := map[plannedDay]bool{}
	var all []store.Draw
	for _, row := range rows {
		day := plannedDay{game.Code(row.Game), game.Day(row.Day)}
		if read[day] {
			continue
		}
		read[day] = true
		draws, err := tx.DrawsOfDay(ctx, row.Game, row.Day)
		if err != nil {
			return nil, err
		}
		all = append(all, draws...)
	}
	slices.SortFunc(all, func(a, b store.Draw) int { return cmp.Compare(a.ID, b.ID) })
	return all, nil
}

// drawFacts is what the tables say of a draw.
type drawFacts struct {
	state       draw.State
	closed      *store.Close
	closeRecord uint64
	cancelledAt time.Time
	refund      *journal.Refund
	result      game.Result
	times       int
	settlement  *settle.Settlement
}

// loadFacts reads the steps, closes, results and settlements of draws.
func loadFacts(ctx context.Context, tx *store.Snapshot, rows []store.Draw) (map[draw.ID]*drawFacts, error) {
	facts := make(map[draw.ID]*drawFacts, len(rows))
	ids := make([]int64, len(rows))
	for i, r := range rows {
		ids[i], facts[draw.ID(r.ID)] = r.ID, &drawFacts{state: draw.Planned}
	}
	steps, err := tx.Steps(ctx, ids)
	if err != nil {
		return nil, err
	}
	newest := map[int64]uint64{}
	for _, st := range steps {
		state, err := draw.ParseState(st.State)
		if err != nil {
			return nil, err
		}
		f := facts[draw.ID(st.Draw)]
		if st.Record >= newest[st.Draw] {
			f.state, newest[st.Draw] = state, st.Record
		}
		switch state {
		case draw.Closed:
			f.closeRecord = st.Record
		case draw.Cancelled:
			f.cancelledAt = utc(st.At)
		case draw.Planned, draw.Selling, draw.Drawn, draw.Settled, draw.Certified, draw.Postponed:
		}
	}
	closes, err := tx.Closes(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, c := range closes {
		facts[draw.ID(c.Draw)].closed = &c
	}
	results, err := tx.Results(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, r := range results {
		f := facts[draw.ID(r.Draw)]
		if f.result, err = parseResult(r.Elements); err != nil {
			return nil, err
		}
		f.times = r.Times
	}
	shares, err := tx.Shares(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, f := range facts {
		if f.state == draw.Settled || f.state == draw.Certified {
			f.settlement = &settle.Settlement{Parts: f.closed.Parts, Stakes: f.closed.Stakes, Shares: []settle.Share{}}
		}
	}
	for _, x := range shares {
		f := facts[draw.ID(x.Draw)]
		f.settlement.Shares = append(f.settlement.Shares, shareOfRow(x))
	}
	jackpots, err := tx.Jackpots(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, x := range jackpots {
		if facts[draw.ID(x.Draw)].settlement.Jackpot, err = jackpotOfRow(x); err != nil {
			return nil, err
		}
	}
	return facts, loadRefunds(ctx, tx, ids, facts)
}

// loadSales replays the sales and cancellations of the draws that are not
// closed, and what was done since the last tally record.
func (m *memory) loadSales(ctx context.Context, tx *store.Snapshot, from uint64) error {
	tallied := m.tallies.last
	minute, err := m.lastMinute(ctx, tx)
	if err != nil {
		return err
	}
	from = min(from, tallied+1, minute)
	for from < m.size {
		turns, err := tx.Turns(ctx, from, turnsSlice)
		if err != nil {
			return err
		}
		if len(turns) == 0 {
			return fmt.Errorf("%w: no turn holds record %d", ErrJournal, from)
		}
		err = eachRecord(turns, from, func(index uint64, rec journal.Record, leaf journal.Hash) error {
			switch b := rec.Body.(type) {
			case *journal.Sale:
				parts := m.openParts(index, rec)
				m.sell(leaf, parts, 1)
				m.note(rec.At, b.Terminal, parts)
			case *journal.Cancellation:
				m.sell(leaf, m.openParts(index, rec), -1)
			}
			if index > tallied {
				return m.replayTally(ctx, tx, rec)
			}
			if b, ok := rec.Body.(*journal.Sale); ok && index >= minute {
				m.tallies.paced(rec.At, b.Price, minuteKey{b.Outlet, b.Terminal, m.books[b.Rules].Code})
			}
			return nil
		})
		if err != nil {
			return err
		}
		last := turns[len(turns)-1]
		from = last.First + last.Count
	}
	return nil
}

// openParts are the parts of a sale or cancellation in draws that are not closed.
func (m *memory) openParts(index uint64, rec journal.Record) []store.Part {
	var rows store.Rows
	return slices.DeleteFunc(m.imply(&rows, index, rec, nil).parts, func(p store.Part) bool {
		d := m.draws[draw.ID(p.Draw)]
		return d == nil || d.closeRecord != 0 || d.refunded
	})
}

// eachRecord calls fn with the records of turns from an index on.
func eachRecord(turns []store.Turn, from uint64, fn func(index uint64, rec journal.Record, leaf journal.Hash) error) error {
	for _, t := range turns {
		records, err := journal.SplitBundle(t.Records)
		if err != nil {
			return fmt.Errorf("turn of record %d: %w", t.First, err)
		}
		if uint64(len(records)) != t.Count {
			return fmt.Errorf("%w: turn of record %d holds %d records, says %d", ErrJournal, t.First, len(records), t.Count)
		}
		for i, b := range records {
			index := t.First + uint64(i)
			if index < from {
				continue
			}
			rec, err := journal.Decode(b)
			if err != nil {
				return fmt.Errorf("record %d: %w", index, err)
			}
			if err := fn(index, rec, journal.LeafHash(b)); err != nil {
				return err
			}
		}
	}
	return nil
}

// turnReader is the turns of the journal, as a turn or a snapshot sees them.
type turnReader interface {
	Turns(ctx context.Context, from uint64, limit int) ([]store.Turn, error)
}

// catchUp takes the memory over the turns of other nodes, up to head. A
// database that was put back to an older state, or went on from one, is
// refused: what this node knows happened otherwise.
func (s *System) catchUp(ctx context.Context, tx turnReader, head store.Head) error {
	m := s.memory
	if head.Size < m.size {
		return fmt.Errorf("%w: it has %d records, the node has seen %d", ErrJournal, head.Size, m.size)
	}
	for m.size < head.Size {
		m.sole = false // somebody else writes, whose keys this node does not know
		turns, err := tx.Turns(ctx, m.size, turnsSlice)
		if err != nil {
			return err
		}
		if len(turns) == 0 {
			return fmt.Errorf("%w: no turn holds record %d", ErrJournal, m.size)
		}
		if err := s.applyTurns(turns); err != nil {
			return err
		}
	}
	if m.frontier.Root() != journal.Hash(head.Root) {
		return fmt.Errorf("%w: its %d records are not those that the node has seen", ErrJournal, head.Size)
	}
	return nil
}

// applyTurns takes the memory over turns of other nodes, and tells those who watch of
// what they moved: whether the node follows, or catches up before a turn of its own.
func (s *System) applyTurns(turns []store.Turn) error {
	moved := false
	defer func() {
		if moved {
			s.watchers.notify()
		}
	}()
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.memory
	return eachRecord(turns, m.size, func(index uint64, rec journal.Record, leaf journal.Hash) error {
		var rows store.Rows
		m.apply(index, rec, leaf, m.imply(&rows, index, rec, nil))
		moved = moved || moves(rec.Body)
		return nil
	})
}
