package central

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"tirage/draw"
	"tirage/game"
	"tirage/journal"
	"tirage/ledger"
	"tirage/settle"
	"tirage/store"
)

// ErrClaimsOver is an extension of claims of which the first have ended everywhere: what was not claimed is in the reserve.
var ErrClaimsOver = errors.New("the first of these claims have ended already")

// claims is the money that may still be claimed, prizes and stakes to give
// back, by the last draw of its tickets: those draws that have any. Draws stay
// here when the rest of the memory has forgotten them.
type claims struct {
	draws map[draw.ID]claim
	over  map[int64][]draw.ID // ascending; by when their claims end
	// delays is kept of all sessions: two officers decide each, so they are few.
	// Its slices are only appended to, so that a copy of a Delay stands.
	delays map[session]settle.Delay
}

// session names a draw session.
type session struct {
	game   game.Code
	day    game.Day
	number int
}

func sessionOf(d draw.Draw) session { return session{d.Game, d.Day, d.Session} }

type claim struct {
	last draw.Draw
	over int64 // µs UTC: when nothing can be claimed any more, anywhere (settle.ClaimsOver)
}

func newClaims() claims {
	return claims{map[draw.ID]claim{}, map[int64][]draw.ID{}, map[session]settle.Delay{}}
}

func (c *claims) put(r *game.Rules, last draw.Draw, extensions []settle.Extension) {
	c.remove(last.ID)
	over := settle.ClaimsOver(r, last, c.delays[sessionOf(last)], extensions).UnixMicro()
	c.draws[last.ID] = claim{last, over}
	i, _ := slices.BinarySearch(c.over[over], last.ID)
	c.over[over] = slices.Insert(c.over[over], i, last.ID)
}

func (c *claims) remove(id draw.ID) {
	was, ok := c.draws[id]
	if !ok {
		return
	}
	delete(c.draws, id)
	same := c.over[was.over]
	i, _ := slices.BinarySearch(same, id)
	if c.over[was.over] = slices.Delete(same, i, i+1); len(c.over[was.over]) == 0 {
		delete(c.over, was.over)
	}
}

// claimed takes the claims over a record that was booked.
func (m *memory) claimed(body journal.Body) {
	switch b := body.(type) {
	case *journal.Settlement:
		for _, line := range b.Prizes {
			m.claim(draw.ID(line.LastDraw))
		}
	case *journal.Refund:
		for _, line := range b.Lines {
			m.claim(draw.ID(line.LastDraw))
		}
	case *journal.Payment:
		m.claim(draw.ID(b.LastDraw))
	case *journal.Expiry:
		m.claim(draw.ID(b.LastDraw))
	}
}

func (m *memory) claim(last draw.ID) {
	_, known := m.claims.draws[last]
	due := m.balances[ledger.Prize(int64(last))] != 0 || m.balances[ledger.Back(int64(last))] != 0
	switch {
	case due && !known:
		d := m.draws[last] // a ticket's draws are of one day, which is in memory as long as one of them is not over
		assert(d != nil, "money to claim on a draw that is out of memory")
		m.claims.put(d.rules, d.Draw, m.extensions)
	case !due && known:
		m.claims.remove(last)
	}
}

// postponed notes that a draw was postponed, to the times that it has now, and
// so the end of the claims of its session's tickets.
func (c *claims) postponed(d draw.Draw) {
	delay := c.delays[sessionOf(d)]
	delay.Drawn = append(delay.Drawn, d.DrawsAt)
	c.delays[sessionOf(d)] = delay
}

// cancelled notes that a draw was cancelled at an instant: what was to be drawn
// by then keeps its players waiting for their stakes.
func (c *claims) cancelled(d draw.Draw, at time.Time) {
	if !at.After(d.DrawsAt) {
		return
	}
	delay := c.delays[sessionOf(d)]
	delay.Cancelled = append(delay.Cancelled, at)
	c.delays[sessionOf(d)] = delay
}

// delayed moves the claims of the tickets of a draw's session to where they end now.
func (m *memory) delayed(d draw.Draw) {
	for id, c := range maps.Clone(m.claims.draws) {
		switch {
		case id == d.ID:
			m.claims.put(m.books[d.Rules], d, m.extensions)
		case sessionOf(c.last) == sessionOf(d):
			m.claims.put(m.books[c.last.Rules], c.last, m.extensions)
		}
	}
}

// loadClaims finds the money that may still be claimed.
func (m *memory) loadClaims(ctx context.Context, tx *store.Snapshot) error {
	rows, err := tx.Extensions(ctx)
	if err != nil {
		return err
	}
	for _, x := range rows {
		m.extensions = append(m.extensions, settle.Extension{Game: game.Code(x.Game), From: game.Day(x.From), To: game.Day(x.To), Until: game.Day(x.Until)})
	}
	if err := m.claims.loadDelays(ctx, tx); err != nil {
		return err
	}
	ids := map[int64]bool{}
	for account := range m.balances {
		kind, rest, _ := strings.Cut(string(account), "/")
		if kind != ledger.Prize(0).Kind() && kind != ledger.Back(0).Kind() {
			continue
		}
		id, err := strconv.ParseInt(rest, 10, 64)
		if err != nil {
			return fmt.Errorf("account %s: %w", account, err)
		}
		ids[id] = true
	}
	draws, err := tx.Draws(ctx, slices.Collect(maps.Keys(ids)))
	if err != nil {
		return err
	}
	for _, row := range draws {
		d := drawOfRow(row)
		m.claims.put(m.books[d.Rules], d, m.extensions)
	}
	return nil
}

// loadDelays finds what was postponed, and cancelled late.
func (c *claims) loadDelays(ctx context.Context, tx *store.Snapshot) error {
	moves, err := tx.Postponements(ctx)
	if err != nil {
		return err
	}
	steps, err := tx.CancelledDraws(ctx)
	if err != nil {
		return err
	}
	var ids []int64
	for _, move := range moves {
		ids = append(ids, move.Draw)
	}
	for _, step := range steps {
		ids = append(ids, step.Draw)
	}
	rows, err := tx.Draws(ctx, ids)
	if err != nil {
		return err
	}
	draws := make(map[int64]draw.Draw, len(rows))
	for _, row := range rows {
		draws[row.ID] = drawOfRow(row)
	}
	for _, move := range moves {
		d := draws[move.Draw]
		d.DrawsAt = utc(move.DrawsAt)
		c.postponed(d)
	}
	for _, step := range steps {
		c.cancelled(draws[step.Draw], utc(step.At))
	}
	return nil
}

// canExtend tells whether claims can still be extended: before those that end
// first have ended everywhere, whether or not they have been moved to the reserve.
func (t *turn) canExtend(c Change) error {
	if len(t.m.versions[c.Game]) == 0 {
		return fmt.Errorf("%w: %.40q", ErrUnknownGame, c.Game)
	}
	for _, r := range t.m.versions[c.Game] {
		if over := settle.EndOf(r, c.From); t.at >= over.UnixMicro() {
			return fmt.Errorf("%w: those of %s, at %s", ErrClaimsOver, c.From, over.Format(time.RFC3339))
		}
	}
	return nil
}

// extend moves the end of claims (claim_extension, by an officer's word).
func (m *memory) extend(b *journal.Extension) {
	e := settle.Extension{Game: game.Code(b.Game), From: game.Day(b.From), To: game.Day(b.To), Until: game.Day(b.Until)}
	m.extensions = append(m.extensions, e)
	for _, c := range slices.Collect(maps.Values(m.claims.draws)) {
		if c.last.Game == e.Game {
			m.claims.put(m.books[c.last.Rules], c.last, m.extensions)
		}
	}
}

// expiriesMax bounds the expiries of a turn: a day of draws, and some.
const expiriesMax = 512

// expired lists last draws whose claims have ended at an instant, µs UTC, and
// says when the next will end; zero when none is in sight. Claims stay while a draw of the
// same day is not over, for its prizes come onto the same accounts.
func (m *memory) expired(at int64) (ids []draw.ID, next time.Time) {
	first := int64(math.MaxInt64)
	for _, over := range slices.Sorted(maps.Keys(m.claims.over)) {
		if over > at {
			first = over
			break
		}
		for _, id := range m.claims.over[over] {
			if len(ids) < expiriesMax && !m.unfinished(m.claims.draws[id].last) {
				ids = append(ids, id)
			}
		}
	}
	if first != math.MaxInt64 {
		next = utc(first)
	}
	return ids, next
}

// unfinished tells whether a draw of the same game and draw day is not over.
func (m *memory) unfinished(last draw.Draw) bool {
	return slices.ContainsFunc(m.byGame[last.Game], func(d *drawState) bool { return d.Day == last.Day && !d.over() })
}

// over tells that nothing more is booked for a draw.
func (d *drawState) over() bool {
	return d.state == draw.Certified || d.state == draw.Cancelled && d.refunded
}

// expire moves to the reserve what was not claimed in time (forclusion: IAT-7,
// AMI-11.2), once claims have ended in the last place that pays. It returns
// when the next will end.
func (s *System) expire(ctx context.Context) (next time.Time, err error) {
	for {
		s.mu.RLock()
		ids, next := s.memory.expired(max(s.clock.Now().UnixMicro(), s.memory.at))
		s.mu.RUnlock()
		if len(ids) == 0 {
			return next, nil
		}
		err := s.do(ctx, &job{alone: true, decide: func(t *turn) error {
			ids, _ := t.m.expired(t.at) // another node may have been first, or claims extended
			for _, id := range ids {
				body := &journal.Expiry{
					LastDraw: uint64(id), Prizes: -t.balance(ledger.Prize(int64(id))), Back: -t.balance(ledger.Back(int64(id))),
				}
				if _, err := t.append(body); err != nil {
					return err
				}
			}
			return nil
		}})
		if err != nil {
			return next, fmt.Errorf("expire claims: %w", err)
		}
	}
}

func (m *memory) implyExpiry(rows *store.Rows, index uint64, b *journal.Expiry) ledger.Entry {
	rows.Expiries = append(rows.Expiries, store.Expiry{LastDraw: int64(b.LastDraw), Record: index, Prizes: b.Prizes, Back: b.Back})
	c, ok := m.claims.draws[draw.ID(b.LastDraw)]
	assert(ok, "expiry of claims that nobody has")
	return ledger.Expiry(int64(b.LastDraw), string(c.last.Game), b.Prizes, b.Back)
}
