// Package settle goes from a result and the wagers of a draw to prizes, and
// from settlements to what a ticket wins and when it is paid. A [Counter] sees
// each part of a draw once, and moves the [Jackpot]; [Check] is the one answer
// to checker, payment and report; [ClaimEnd] is the last day on which it pays.
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

// Share is one line of a settlement: a tier of a table.
type Share struct {
	Table     int
	Tier      int          // index in PrizeTable.Tiers
	Winners   int64        // winning combinations
	Units     int64        // unit stakes on them
	UnitValue money.Amount // what a unit stake really wins: multiplied, shared, rolled down
	Total     money.Amount // UnitValue × Units
}

// Settlement is the outcome of a draw: its shares, by table and tier.
type Settlement struct {
	Parts  int64 // parts settled
	Stakes money.Amount
	Shares []Share
	// Prizes is the total of the shares by the tickets' last planned draw, for the
	// ledger. It stands beside the shares, and not in each: a record of the
	// product of both could be too long for the journal.
	Prizes  map[int64]money.Amount
	Jackpot *Jackpot // its movement; nil in games without one
}

// Counter settles a draw part by part (IAT-6.1, IAT-6.2, AMI-8.1.1): each part
// wins one tier at most, the first of its table that its hits match.
type Counter struct {
	rules    *game.Rules
	times    int64
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
// times is the multiplier of the draw (AMI-8.1.2), 1 in games without.
func NewCounter(r *game.Rules, result game.Result, times int) (*Counter, error) {
	assert(times > 0, "multiplier is not positive")
	c := &Counter{rules: r, times: int64(times), lines: map[line]*tally{}}
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
// winners, sorted by table and tier. Fixed prizes are multiplied,
// whatever they sum to (IAT-2, AMI-8.1.2); a jackpot is shared or moves on (AMI-8.2).
//
// pot is what the jackpot brings to the draw, and rollDown the outcome of its
// extra draw ([draw.RollDown]), which counts only where one is due (AMI-8.2.5).
func (c *Counter) Settlement(pot Pot, rollDown bool) Settlement {
	s := Settlement{Parts: c.parts, Stakes: c.rules.UnitStake.Times(c.units), Prizes: map[int64]money.Amount{}}
	var shared money.Amount // of the jackpot, for a unit stake
	if c.rules.Jackpot != nil {
		j, unitValue := c.jackpot(s.Stakes, pot, rollDown)
		s.Jackpot, shared = &j, unitValue
	}
	for key, t := range c.lines {
		value := c.unitValue(key, s.Jackpot, shared)
		total := value.Times(t.units)
		s.add(Share{Table: key.table, Tier: key.tier, Winners: t.winners, Units: t.units, UnitValue: value, Total: total})
		s.Prizes[int64(key.lastDraw)] = s.Prizes[int64(key.lastDraw)].Add(total)
	}
	return s
}

// add adds winners to the share of their table and tier.
func (s *Settlement) add(more Share) {
	i, known := slices.BinarySearchFunc(s.Shares, more, func(a, b Share) int {
		return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.Tier, b.Tier))
	})
	if !known {
		s.Shares = slices.Insert(s.Shares, i, more)
		return
	}
	share := &s.Shares[i]
	share.Winners += more.Winners
	share.Units += more.Units
	share.Total = share.Total.Add(more.Total)
}

// unitValue returns what a unit stake of a line wins: in a jackpot tier what is
// shared of the jackpot, else the fixed prize, multiplied, to which the money of
// a roll-down is added, or which it replaces (reading rolldown).
func (c *Counter) unitValue(key line, j *Jackpot, shared money.Amount) money.Amount {
	tier := c.rules.Tables[key.table].Tiers[key.tier]
	assert(tier.Share == nil, "a tier that is a share of the stakes is not settled")
	if tier.Jackpot {
		assert(j != nil, "jackpot tier in a game without a jackpot")
		return shared
	}
	prize := tier.Prize.Times(c.times)
	switch {
	case j == nil || j.End != JackpotRolledDown || j.Tier != key.tier:
		return prize
	case c.rules.Jackpot.RollDown == game.ReplacesPrize:
		return shared
	default:
		return prize.Add(shared)
	}
}

func assert(ok bool, what string) {
	if !ok {
		panic("settle: " + what)
	}
}
