package central

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"sync"
	"time"

	"tirage/draw"
	"tirage/game"
	"tirage/journal"
	"tirage/money"
	"tirage/party"
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
	Stopped     bool          // its payment is stopped (opposition): nobody pays it
	Identity    bool          // a payment here now would ask who is paid
}

// Check is [System.CheckAt] an outlet that is no payment centre. zone is where it would be paid.
func (s *System) Check(ctx context.Context, number wager.ID, secret [8]byte, zone *time.Location) (Check, error) {
	return s.CheckAt(ctx, number, secret, settle.Place{Zone: zone})
}

// CheckAt tells what a ticket won, in one read-only snapshot that takes no turn
// (F09, F19): won, lost, or pending, and what of it would be paid at a place, by
// the terms of outlets in force: they set the place's Max, whatever it says.
func (s *System) CheckAt(ctx context.Context, number wager.ID, secret [8]byte, place settle.Place) (Check, error) {
	f, err := s.facts(ctx, number, secret)
	if err != nil {
		return Check{}, err
	}
	return s.checkOf(f, place), nil
}

// checkOf is the check of a ticket that was read.
func (s *System) checkOf(f ticketFacts, place settle.Place) Check {
	c := Check{Ticket: f.ticket, CancelledAt: f.cancelledAt}
	if !c.CancelledAt.IsZero() {
		return c
	}
	now := s.Now()
	s.mu.RLock()
	delay, extensions, terms := s.memory.claims.delays[f.session()], s.memory.extensions, s.memory.termsOn(game.DayOf(now, paris))
	s.mu.RUnlock()
	place.Max = paymentMax(terms)
	c.Answer = f.answer(delay, extensions, now, place)
	if c.Stopped = f.stopped; c.Stopped {
		c.Answer = c.Answer.Stopped()
	}
	c.Identity = asksPayee(terms, c.Answer)
	return c
}

// paymentMax is what a ticket may come to that outlets pay; 0: no limit.
func paymentMax(terms *party.Terms) money.Amount {
	if terms == nil {
		return 0
	}
	return terms.PaymentMax
}

// asksPayee tells that a payment of what is payable would ask who is paid.
func asksPayee(terms *party.Terms, a settle.Answer) bool {
	return terms != nil && a.Payable > 0 && a.Sum() >= terms.IdentityFrom
}

// ticketFacts is all that decides what a ticket wins.
type ticketFacts struct {
	ticket      wager.Ticket
	tables      []int // prize table by draw
	draws       []settle.DrawFacts
	cancelledAt time.Time
	stopped     bool // its payment
}

// facts reads a ticket and its draws in one snapshot.
func (s *System) facts(ctx context.Context, number wager.ID, secret [8]byte) (f ticketFacts, err error) {
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		sale, at, err := s.prove(ctx, tx, number, secret)
		if err != nil {
			return err
		}
		f, err = s.readFacts(ctx, tx, number, sale, at)
		return err
	})
	return f, err
}

// journalReader is the journal, as a turn or a snapshot sees it.
type journalReader interface {
	Head(ctx context.Context) (store.Head, error)
	Record(ctx context.Context, index uint64) ([]byte, int64, error)
}

// prove reads the record of a ticket for who knows its secret, or returns
// [ErrNoTicket]. It does the same for a wrong number as for a wrong secret (F24):
// one look at the size of the journal, one record read, in place of one that is
// not there another, one secret computed and compared; what is wrong, nothing tells.
func (s *System) prove(ctx context.Context, tx journalReader, number wager.ID, secret [8]byte) (record []byte, at int64, err error) {
	head, err := tx.Head(ctx)
	if err != nil {
		return nil, 0, err
	}
	record, at, err = tx.Record(ctx, uint64(number)%max(head.Size, 1))
	if err != nil {
		return nil, 0, err
	}
	known := s.secret(uint64(number), journal.LeafHash(record))
	if same := subtle.ConstantTimeCompare(known[:], secret[:]) == 1; !same || uint64(number) >= head.Size {
		return nil, 0, ErrNoTicket
	}
	return record, at, nil
}

// readFacts reads a ticket, whose sale's record the caller has shown that it may see, and its draws.
func (s *System) readFacts(ctx context.Context, tx *store.Snapshot, number wager.ID, sale []byte, at int64) (ticketFacts, error) {
	ticket, tables, err := s.readTicket(ctx, tx, number, sale, at)
	if err != nil {
		return ticketFacts{}, err
	}
	f := ticketFacts{ticket: ticket, tables: tables}
	cancellations, err := tx.Cancellations(ctx, []uint64{uint64(number)})
	if err != nil {
		return f, err
	}
	if len(cancellations) > 0 {
		f.cancelledAt = utc(cancellations[0].At)
	}
	stops, err := tx.Stops(ctx, []uint64{uint64(number)})
	if err != nil {
		return f, err
	}
	f.stopped = stoppedAt(stops) != 0
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

// facts is what the memory has of a draw, for a ticket that has yet to be paid.
func (d *drawState) facts() settle.DrawFacts {
	f := settle.DrawFacts{Draw: d.Draw, State: d.state, Refunded: d.refunded, Result: d.result}
	if d.settlement != nil {
		f.UnitValue = unitValues(d.settlement)
	}
	return f
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

// readTicket reads a ticket from its sale's record, or returns [ErrNoTicket] for a record of another kind.
func (s *System) readTicket(ctx context.Context, tx *store.Snapshot, number wager.ID, b []byte, at int64) (wager.Ticket, []int, error) {
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
	ids := drawNumbers(sale.Draws)
	rows, err := tx.Draws(ctx, ids)
	if err != nil {
		return wager.Ticket{}, nil, err
	}
	byID := map[int64]store.Draw{}
	for _, row := range rows {
		byID[row.ID] = row
	}
	draws := make([]draw.Draw, len(ids))
	for i, id := range ids {
		draws[i] = drawOfRow(byID[id])
	}
	t, tables, err := ticketOf(number, at, sale, r, draws)
	t.Secret = s.secret(uint64(number), journal.LeafHash(b))
	return t, tables, err
}

// ticketOf is a ticket without its secret, by its sale at an instant and its
// draws, in order, and the prize table of each.
func ticketOf(number wager.ID, at int64, sale *journal.Sale, r *game.Rules, draws []draw.Draw) (wager.Ticket, []int, error) {
	t := wager.Ticket{
		Number: number, PlacedAt: utc(at), Outlet: sale.Outlet.String(), Terminal: sale.Terminal.String(), Rules: r, Draws: draws,
		Stake: r.UnitStake.Times(int64(sale.Units)), Units: int64(sale.Units), Asked: int(sale.Asked), Price: sale.Price,
		Jackpot: sale.Jackpot, Tables: ticketTables(sale.Tables), Letters: ticketLetters(sale.Letters),
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
	tables := make([]int, len(draws))
	for i := range draws {
		tables[i] = t.Table(i)
	}
	return t, tables, nil
}

// ticket reads a ticket; the caller has shown that it may see it.
func (s *System) ticket(ctx context.Context, number wager.ID) (t wager.Ticket, err error) {
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		sale, at, err := tx.Record(ctx, uint64(number))
		if errors.Is(err, store.ErrNotFound) {
			return ErrNoTicket
		}
		if err != nil {
			return err
		}
		t, _, err = s.readTicket(ctx, tx, number, sale, at)
		return err
	})
	return t, err
}

// secretTicket reads a ticket for who knows its secret.
func (s *System) secretTicket(ctx context.Context, number wager.ID, secret [8]byte) (t wager.Ticket, err error) {
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		sale, at, err := s.prove(ctx, tx, number, secret)
		if err != nil {
			return err
		}
		t, _, err = s.readTicket(ctx, tx, number, sale, at)
		return err
	})
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
