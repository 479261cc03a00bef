package central

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"sync"
	"time"

	"tirage/draw"
	"tirage/journal"
	"tirage/money"
	"tirage/settle"
	"tirage/store"
	"tirage/wager"
)

// ErrNoTicket is a number and secret that are not those of a ticket: the same for a wrong number and a wrong secret (F24).
var ErrNoTicket = errors.New("no such ticket")

// Check is the answer to a check of a ticket (contrôle du reçu).
type Check struct {
	Ticket      wager.Ticket
	CancelledAt time.Time     // zero: not cancelled
	Answer      settle.Answer // zero when the ticket is cancelled: it is in no draw any more
}

// Check is [System.CheckAt] an outlet that is no payment centre. zone is where it would be paid.
func (s *System) Check(ctx context.Context, number wager.ID, secret [8]byte, zone *time.Location) (Check, error) {
	return s.CheckAt(ctx, number, secret, settle.Place{Zone: zone})
}

// CheckAt tells what a ticket won, in one read-only snapshot that takes no turn
// (F09, F19): won, lost, or pending, and what of it would be paid at a place.
func (s *System) CheckAt(ctx context.Context, number wager.ID, secret [8]byte, place settle.Place) (Check, error) {
	f, err := s.facts(ctx, number, secret)
	if err != nil {
		return Check{}, err
	}
	c := Check{Ticket: f.ticket, CancelledAt: f.cancelledAt}
	if c.CancelledAt.IsZero() {
		s.mu.RLock()
		delay, extensions := s.memory.claims.delays[f.session()], s.memory.extensions
		s.mu.RUnlock()
		c.Answer = f.answer(delay, extensions, s.Now(), place)
	}
	return c, nil
}

// ticketFacts is all that decides what a ticket wins.
type ticketFacts struct {
	ticket      wager.Ticket
	tables      []int // prize table by draw
	draws       []settle.DrawFacts
	cancelledAt time.Time
}

// facts reads a ticket and its draws in one snapshot.
func (s *System) facts(ctx context.Context, number wager.ID, secret [8]byte) (f ticketFacts, err error) {
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		f, err = s.readFacts(ctx, tx, number, secret)
		return err
	})
	return f, err
}

func (s *System) readFacts(ctx context.Context, tx *store.Snapshot, number wager.ID, secret [8]byte) (ticketFacts, error) {
	ticket, tables, err := s.readTicket(ctx, tx, number)
	if err != nil {
		return ticketFacts{}, err
	}
	if subtle.ConstantTimeCompare(ticket.Secret[:], secret[:]) != 1 {
		return ticketFacts{}, ErrNoTicket
	}
	f := ticketFacts{ticket: ticket, tables: tables}
	cancellations, err := tx.Cancellations(ctx, []uint64{uint64(number)})
	if err != nil {
		return f, err
	}
	if len(cancellations) > 0 {
		f.cancelledAt = utc(cancellations[0].At)
	}
	payments, err := tx.Payments(ctx, []uint64{uint64(number)})
	if err != nil {
		return f, err
	}
	rows := make([]store.Draw, len(ticket.Draws))
	for i, d := range ticket.Draws {
		rows[i] = drawRow(d, 0)
	}
	known, err := s.certified.load(ctx, tx, rows)
	if err != nil {
		return f, err
	}
	for _, d := range ticket.Draws {
		k := known[d.ID]
		df := settle.DrawFacts{Draw: d, State: k.state, Refunded: k.refund != nil, Result: k.result}
		if k.settlement != nil {
			df.UnitValue = unitValues(k.settlement)
		}
		for _, p := range payments {
			if draw.ID(p.Draw) == d.ID {
				df.PaidAt = utc(p.At)
			}
		}
		f.draws = append(f.draws, df)
	}
	return f, nil
}

// unitValues gives the prize of a unit stake by table and tier, as settled.
func unitValues(s *settle.Settlement) func(table, tier int) money.Amount {
	return func(table, tier int) money.Amount {
		for _, x := range s.Shares {
			if x.Table == table && x.Tier == tier {
				return x.UnitValue
			}
		}
		assert(false, "a winning ticket has no share in its draw's settlement")
		return 0
	}
}

// readTicket reads a ticket from its sale's record.
func (s *System) readTicket(ctx context.Context, tx *store.Snapshot, number wager.ID) (wager.Ticket, []int, error) {
	b, at, err := tx.Record(ctx, uint64(number))
	if errors.Is(err, store.ErrNotFound) {
		return wager.Ticket{}, nil, ErrNoTicket
	}
	if err != nil {
		return wager.Ticket{}, nil, err
	}
	rec, err := journal.Decode(b)
	if err != nil {
		return wager.Ticket{}, nil, fmt.Errorf("record %d: %w", number, err)
	}
	sale, ok := rec.Body.(*journal.Sale)
	if !ok {
		return wager.Ticket{}, nil, ErrNoTicket
	}
	r, err := s.RulesByHash(sale.Rules)
	if err != nil {
		return wager.Ticket{}, nil, err
	}
	t := wager.Ticket{
		Number: number, Secret: s.secret(uint64(number), journal.LeafHash(b)), PlacedAt: utc(at),
		Outlet: sale.Outlet.String(), Terminal: sale.Terminal.String(), Rules: r, Stake: r.UnitStake.Times(int64(sale.Units)),
		Units: int64(sale.Units), Asked: int(sale.Asked), Price: sale.Price, Jackpot: sale.Jackpot,
	}
	for _, p := range sale.Plays {
		picks := picksOf(p.Picks)
		combinations, err := r.Expand(picks)
		if err != nil {
			return t, nil, fmt.Errorf("record %d: %w", number, err)
		}
		play := wager.Play{Picks: picks, Combinations: combinations}
		if len(p.Random) > 0 {
			play.Random = picksOf(p.Random)
		}
		t.Plays = append(t.Plays, play)
	}
	ids := make([]int64, len(sale.Draws))
	for i, id := range sale.Draws {
		ids[i] = int64(id)
	}
	rows, err := tx.Draws(ctx, ids)
	if err != nil {
		return t, nil, err
	}
	byID := map[int64]store.Draw{}
	for _, row := range rows {
		byID[row.ID] = row
	}
	t.Tables = ticketTables(sale.Tables)
	tables := make([]int, len(ids))
	for i, id := range ids {
		t.Draws = append(t.Draws, drawOfRow(byID[id]))
		tables[i] = t.Table(i)
	}
	return t, tables, nil
}

// ticket reads a ticket; the caller has shown that it may see it.
func (s *System) ticket(ctx context.Context, number wager.ID) (t wager.Ticket, err error) {
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		t, _, err = s.readTicket(ctx, tx, number)
		return err
	})
	return t, err
}

// secretTicket reads a ticket for who knows its secret.
func (s *System) secretTicket(ctx context.Context, number wager.ID, secret [8]byte) (wager.Ticket, error) {
	t, err := s.ticket(ctx, number)
	if err == nil && subtle.ConstantTimeCompare(t.Secret[:], secret[:]) != 1 {
		return wager.Ticket{}, ErrNoTicket
	}
	return t, err
}

// record reads a record.
func (s *System) record(ctx context.Context, index uint64) (rec journal.Record, err error) {
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		b, _, err := tx.Record(ctx, index)
		if err != nil {
			return err
		}
		rec, err = journal.Decode(b)
		return err
	})
	return rec, err
}

// certifiedFacts keeps what is known of certified draws, which nothing changes
// any more: the flood of checks right after a draw reads it once (F19).
type certifiedFacts struct {
	mu    sync.Mutex
	draws map[draw.ID]*drawFacts // never changed once here
}

// certifiedMax bounds the draws that are kept: some days of them.
const certifiedMax = 2000

// load gives the facts of draws, of which it reads those that it does not keep.
func (c *certifiedFacts) load(ctx context.Context, tx *store.Snapshot, rows []store.Draw) (map[draw.ID]*drawFacts, error) {
	known := make(map[draw.ID]*drawFacts, len(rows))
	var missing []store.Draw
	c.mu.Lock()
	for _, row := range rows {
		if f := c.draws[draw.ID(row.ID)]; f != nil {
			known[draw.ID(row.ID)] = f
		} else {
			missing = append(missing, row)
		}
	}
	c.mu.Unlock()
	if len(missing) == 0 {
		return known, nil
	}
	read, err := loadFacts(ctx, tx, missing)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.draws == nil || len(c.draws) > certifiedMax {
		c.draws = map[draw.ID]*drawFacts{}
	}
	for id, f := range read {
		known[id] = f
		if f.state == draw.Certified {
			c.draws[id] = f
		}
	}
	return known, nil
}
