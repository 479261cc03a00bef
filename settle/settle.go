// Package settle goes from a result and the wagers of a draw to prizes, and
// from settlements to what a ticket wins and when it is paid. A [Counter] sees
// each part of a draw once; [Check] is the one answer to checker, payment and report.
package settle

import (
	"cmp"
	"fmt"
	"slices"

	"tirage/draw"
	"tirage/game"
	"tirage/money"
)

// Part is one combination of one ticket in one draw: what of it decides the prize, and whose account it is booked on.
type Part struct {
	Combination game.Combination
	Units       int64
	Table       int     // index in Rules.Tables, fixed at the sale
	LastDraw    draw.ID // the ticket's last planned draw
}

// Share is one line of a settlement: a tier of a table, for the tickets whose last planned draw is LastDraw.
type Share struct {
	Table     int
	Tier      int // index in PrizeTable.Tiers
	LastDraw  draw.ID
	Winners   int64        // winning combinations
	Units     int64        // unit stakes on them
	UnitValue money.Amount // prize of a unit stake
	Total     money.Amount // UnitValue × Units
}

// Settlement is the outcome of a draw: its shares, by table, tier and last draw.
type Settlement struct {
	Parts  int64 // parts settled
	Stakes money.Amount
	Shares []Share
}

// Prizes returns the total of the shares by last planned draw, for the ledger.
func (s Settlement) Prizes() map[int64]money.Amount {
	prizes := map[int64]money.Amount{}
	for _, share := range s.Shares {
		prizes[int64(share.LastDraw)] = prizes[int64(share.LastDraw)].Add(share.Total)
	}
	return prizes
}

// Counter settles a draw part by part (IAT-6.1, IAT-6.2): each part wins one
// tier at most, the first of its table that its hits match.
type Counter struct {
	rules    *game.Rules
	matchers []*game.Matcher // by table
	parts    int64
	units    int64
	lines    map[line]*tally
}

type line struct {
	table, tier int
	lastDraw    draw.ID
}

type tally struct{ winners, units int64 }

// NewCounter returns the counter of a draw that drew result, or [game.ErrResult].
func NewCounter(r *game.Rules, result game.Result) (*Counter, error) {
	c := &Counter{rules: r, lines: map[line]*tally{}}
	for table := range r.Tables {
		m, err := r.Matcher(table, result)
		if err != nil {
			return nil, fmt.Errorf("settle %s: %w", r.Code, err)
		}
		c.matchers = append(c.matchers, m)
	}
	return c, nil
}

// Add counts a part. Parts come in any order, each once.
func (c *Counter) Add(p Part) {
	assert(p.Units > 0 && p.Table >= 0 && p.Table < len(c.matchers), "part without stake or table")
	c.parts++
	c.units += p.Units
	tier := c.matchers[p.Table].Tier(p.Combination)
	if tier < 0 {
		return
	}
	key := line{p.Table, tier, p.LastDraw}
	t := c.lines[key]
	if t == nil {
		t = &tally{}
		c.lines[key] = t
	}
	t.winners++
	t.units += p.Units
}

// Settlement returns the outcome of the parts added: a share for each tier with
// winners, sorted by table, tier and last draw. Prizes are fixed, whatever they
// sum to (IAT-2); jackpot tiers are for games that no version settles yet.
func (c *Counter) Settlement() Settlement {
	s := Settlement{Parts: c.parts, Stakes: c.rules.UnitStake.Times(c.units)}
	for key, t := range c.lines {
		tier := c.rules.Tables[key.table].Tiers[key.tier]
		assert(!tier.Jackpot, "jackpot tier in a fixed-prize settlement")
		s.Shares = append(s.Shares, Share{
			Table: key.table, Tier: key.tier, LastDraw: key.lastDraw,
			Winners: t.winners, Units: t.units,
			UnitValue: tier.Prize, Total: tier.Prize.Times(t.units),
		})
	}
	slices.SortFunc(s.Shares, func(a, b Share) int {
		return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.Tier, b.Tier), cmp.Compare(a.LastDraw, b.LastDraw))
	})
	return s
}

func assert(ok bool, what string) {
	if !ok {
		panic("settle: " + what)
	}
}
