// Package settle goes from a result and the wagers of a draw to prizes, and
// from settlements to what a ticket wins and when it is paid. A [Counter] sees
// each part of a draw once; [Check] is the one answer to checker, payment and report.
package settle

import (
	"cmp"
	"fmt"
	"math/big"
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
	Parts   int64 // parts settled
	Stakes  money.Amount
	Shares  []Share
	Jackpot *Jackpot // its movement; nil in games without one
}

// Pot is what a game's jackpot brings to a draw.
type Pot struct {
	Amount  money.Amount // carried from the draws before; below the minimum only when the jackpot starts anew
	Carried *big.Rat     // contributions below the cent, 0 ≤ Carried < 1 cent; nil: none
}

// Jackpot is the movement of a jackpot in a settlement (AMI-8.2):
// Before + TopUp + Contribution = Paid + Rest + After.
type Jackpot struct {
	Before, TopUp, Contribution money.Amount
	Carried                     *big.Rat // as in Pot, for the next draw
	End                         End
	Extra                       Extra
	Tier                        int // the tier that it rolled down to, as an index
	Paid                        money.Amount
	Rest                        money.Amount // to the reserve of the game
	After                       money.Amount
}

// Pot is what the next draw begins with.
func (j Jackpot) Pot() Pot { return Pot{j.After, j.Carried} }

// End is what became of a jackpot in a draw.
type End uint8

const (
	JackpotWon End = iota + 1
	JackpotRolledDown
	JackpotCarried
	JackpotReserved // no_lower_winner: reserve
)

// Extra is the extra draw of AMI-8.2.5, where it was due.
type Extra uint8

const (
	NoExtra       Extra = iota // below the threshold, or won
	ExtraKept                  // drawn: to the next draw
	ExtraRolled                // drawn: to the nearest lower tier with a winner
	CeilingRolled              // at the ceiling, without a draw
)

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
// times is the multiplier of the draw, 1 in games without.
func NewCounter(r *game.Rules, result game.Result, times int) (*Counter, error) {
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
// pot is what the jackpot brings to the draw, and rollDown the outcome of its
// extra draw ([draw.RollDown]), which counts only where one is due (AMI-8.2.5).
func (c *Counter) Settlement(pot Pot, rollDown bool) Settlement {
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
