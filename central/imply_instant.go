package central

import (
	"context"
	"fmt"
	"slices"

	"tirage/game"
	"tirage/instant"
	"tirage/journal"
	"tirage/ledger"
	"tirage/money"
	"tirage/store"
)

// The states of a pool in its table.
const (
	poolCommitted = "committed"
	poolOpen      = "open"
	poolClosed    = "closed"
)

// implyInstant is [memory.imply] for records that tell of instant games.
func (m *memory) implyInstant(rows *store.Rows, index uint64, rec journal.Record) (in implied) {
	step := func(pool uint64, state string) {
		rows.PoolSteps = append(rows.PoolSteps, store.PoolStep{Pool: int64(pool), State: state, At: rec.At, Record: index})
	}
	switch b := rec.Body.(type) {
	case *journal.Secrets:
		for i, hash := range b.Hashes {
			rows.PoolSecrets = append(rows.PoolSecrets, store.PoolSecret{
				Hash: hash[:], Game: b.Game, Price: b.Price, Number: int(b.First) + i, Officer: b.By.String(), Record: index,
			})
		}
	case *journal.Pool:
		rows.Pools = append(rows.Pools, store.Pool{ID: int64(b.ID), Game: b.Game, Price: b.Price, Number: int(b.Number), Record: index})
		step(b.ID, poolCommitted)
	case *journal.OpenPool:
		step(b.Pool, poolOpen)
	case *journal.Unit:
		player := b.Player.String()
		rows.Units = append(rows.Units, store.Unit{
			Record: index, Player: player, Pool: int64(b.Pool), N: int(b.N), Price: b.Price, Prize: b.Prize, At: rec.At,
		})
		in.entry = ledger.Unit(player, int64(b.Pool), b.Price, b.Prize)
	case *journal.ClosePool:
		step(b.Pool, poolClosed)
		code := m.instants.pools[instant.PoolID(b.Pool)].rules.Code
		in.entry = ledger.ClosePool(int64(b.Pool), string(code), money.Amount(b.Balance))
	case *journal.Launch:
		rows.GameSteps = append(rows.GameSteps, store.GameStep{Record: index, Game: b.Game, State: Launched.String()})
	case *journal.Suspend:
		rows.GameSteps = append(rows.GameSteps, store.GameStep{
			Record: index, Game: b.Game, State: Suspended.String(), Cause: b.Cause, FR: b.FR, EN: b.EN,
		})
	}
	return in
}

// loadInstant reads the instant games as they stand: what of them is over stays in the tables.
func (m *memory) loadInstant(ctx context.Context, tx *store.Snapshot) error {
	books, err := tx.Books(ctx)
	if err != nil {
		return err
	}
	for _, b := range books {
		if b.Sort != bookInstant {
			continue
		}
		r, err := instant.Parse("rules.yaml", b.Book)
		if err != nil {
			return fmt.Errorf("rule book of record %d: %w", b.Record, err)
		}
		m.instants.addBook(r)
	}
	if err := m.loadSecrets(ctx, tx); err != nil {
		return err
	}
	if err := m.loadPools(ctx, tx); err != nil {
		return err
	}
	return m.loadGameSteps(ctx, tx)
}

// loadSecrets replays all commitments: rounds of the beacon follow from their order.
func (m *memory) loadSecrets(ctx context.Context, tx *store.Snapshot) error {
	secrets, err := tx.PoolSecrets(ctx)
	if err != nil {
		return err
	}
	// Rows of a record stand together, so it is read once.
	rows := slices.CompactFunc(secrets, func(a, b store.PoolSecret) bool { return a.Record == b.Record })
	for _, row := range rows {
		b, err := bodyOf[*journal.Secrets](ctx, tx, row.Record)
		if err != nil {
			return err
		}
		m.instants.addSecrets(b)
	}
	return nil
}

// bodyOf reads a record that must be of a kind, since a row of ours names it.
func bodyOf[B journal.Body](ctx context.Context, tx *store.Snapshot, index uint64) (body B, err error) {
	read, _, err := anyBody(ctx, tx, index)
	if err != nil {
		return body, err
	}
	body, ok := read.(B)
	if !ok {
		return body, fmt.Errorf("%w: record %d is no %T", ErrJournal, index, body)
	}
	return body, nil
}

// loadPools reads the pools that are not closed, and how far they are sold.
func (m *memory) loadPools(ctx context.Context, tx *store.Snapshot) error {
	rows, err := tx.Pools(ctx)
	if err != nil {
		return err
	}
	ids := make([]int64, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	steps, err := tx.PoolSteps(ctx, ids)
	if err != nil {
		return err
	}
	last := map[int64]store.PoolStep{}
	for _, st := range steps {
		last[st.Pool] = st
	}
	in := &m.instants
	var live []int64
	ended := map[*offer]store.PoolStep{} // the last pool that closed
	for _, row := range rows {
		st := last[row.ID]
		if st.State == poolClosed {
			o := in.commit(instant.PoolID(row.ID), game.Code(row.Game), row.Price)
			if st.Record >= ended[o].Record {
				ended[o] = st
			}
			continue
		}
		b, err := bodyOf[*journal.Pool](ctx, tx, row.Record)
		if err != nil {
			return err
		}
		in.addPool(row.Record, b)
		if st.State == poolOpen {
			in.openPool(instant.PoolID(row.ID))
		}
		live = append(live, row.ID)
	}
	for o, st := range ended {
		b, err := bodyOf[*journal.ClosePool](ctx, tx, st.Record)
		if err != nil {
			return err
		}
		o.stopped = b.Cause == closedByPolicy && !slices.ContainsFunc(o.pools, func(p *pool) bool { return p.open })
	}
	counts, err := tx.UnitCounts(ctx, live)
	if err != nil {
		return err
	}
	for _, c := range counts {
		p := in.pools[instant.PoolID(c.Pool)]
		count(&p.sold, p.table, c.Prize, c.N)
	}
	return nil
}

// loadGameSteps replays the launches and suspensions, and counts what pools had
// sold when two officers last resumed their game.
func (m *memory) loadGameSteps(ctx context.Context, tx *store.Snapshot) error {
	steps, err := tx.GameSteps(ctx)
	if err != nil {
		return err
	}
	in := &m.instants
	resumed := map[game.Code]uint64{}
	for _, st := range steps {
		g := in.games[game.Code(st.Game)]
		if st.State == Suspended.String() {
			g.suspend(st.Record, st.Cause, game.Text{FR: st.FR, EN: st.EN})
			continue
		}
		if g.state == Stopped {
			resumed[g.code] = st.Record
		}
		g.state, g.step, g.message = Launched, st.Record, game.Text{}
	}
	for _, p := range in.pools {
		record := resumed[p.rules.Code]
		if record <= p.record {
			continue // committed after
		}
		counts, err := tx.UnitCountsBefore(ctx, int64(p.id), record)
		if err != nil {
			return err
		}
		for _, c := range counts {
			count(&p.base, p.table, c.Prize, c.N)
		}
	}
	return nil
}
