package central

import (
	"bytes"
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"time"

	"tirage/draw"
	"tirage/game"
	"tirage/journal"
	"tirage/money"
	"tirage/store"
)

// Figure is how a draw sells, and what playing it is worth now (F20).
type Figure struct {
	Draw       draw.Draw
	Wagers     int64        // tickets in it
	Stakes     money.Amount // staked on it
	LastMinute money.Amount // staked on it by sales of the last minute, those cancelled since included
	Sellers    []Velocity   // the terminals that staked most on it, the greatest first, at most 5

	Jackpot      money.Amount // what the jackpot is at least, or would be were this draw the next to be settled
	JackpotKnown bool
	// Value is the expected value in euros of a unit stake that is played now;
	// standing.value has the formula.
	Value *big.Rat
	// Alarm tells that Value exceeds the price of a unit stake, so that who
	// buys enough combinations wins on average (F20).
	Alarm bool
}

// Velocity is how fast a terminal sells a draw (F20), what was cancelled since included.
type Velocity struct {
	Terminal string
	Stakes   money.Amount // what it staked since Since, exactly
	Since    time.Time
	Before   money.Amount // what it staked before, at most; 0 where few terminals sell
}

// velocityMax is how many terminals a figure names.
const velocityMax = 5

// Figures returns the figures of the draws of a game that sell, soonest first.
// It returns [ErrUnknownGame].
func (s *System) Figures(code game.Code) ([]Figure, error) {
	now := s.Now()
	figures, stands, err := s.figures(code, now)
	if err != nil {
		return nil, err
	}
	tables := map[*game.Rules][]worth{}
	for i, st := range stands { // without the lock: the sales go on
		if tables[st.rules] == nil {
			tables[st.rules] = worthOf(st.rules)
		}
		f := &figures[i]
		f.Value = st.value(tables[st.rules], f.Draw)
		f.Alarm = f.Value.Cmp(st.rules.UnitStake.Rat()) > 0
	}
	return figures, nil
}

// figures takes from the memory what the figures show, and what their values follow from.
func (s *System) figures(code game.Code, now time.Time) (figures []Figure, stands []standing, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	m := s.memory
	if len(m.versions[code]) == 0 {
		return nil, nil, fmt.Errorf("%w: %.40q", ErrUnknownGame, code)
	}
	for _, d := range m.from(code, now) {
		if d.state != draw.Selling || !now.Before(d.ClosesAt) {
			continue
		}
		f := Figure{Draw: d.Draw, Wagers: d.wagers, Stakes: d.stakes}
		if d.pace != nil {
			f.LastMinute, f.Sellers = d.pace.lastMinute(now.UnixMicro()), d.pace.greatest()
		}
		if d.rules.Jackpot != nil {
			_, f.JackpotKnown = m.jackpot(d)
			f.Jackpot = m.forecast(d)
		}
		figures = append(figures, f)
		stands = append(stands, standing{rules: d.rules, stakes: d.stakes, jackpot: f.Jackpot})
	}
	return figures, stands, nil
}

// pace is how a draw sells. It takes the same room whatever is sold: of the
// terminals it keeps the greatest, by the Space-Saving algorithm (Metwally et
// al. 2005). One that is not kept takes the place of the least, whose sum is the
// most that it can have staked before; so one that staked more than a sixteenth
// of all is always kept.
type pace struct {
	newest  int64                   // the slot of the last sale, counted from 1970
	slots   [paceSlots]money.Amount // stakes by slot, in a circle
	sellers [paceSellers]sellerPace
}

// sellerPace is the pace of a terminal: stakes since an instant, and before it, at most.
type sellerPace struct {
	terminal       journal.Party
	stakes, before money.Amount
	since          int64
}

// most is the most that the terminal can have staked.
func (s sellerPace) most() money.Amount { return s.stakes.Add(s.before) }

const (
	paceSlot    = 5_000_000 // µs
	paceSlots   = 60_000_000 / paceSlot
	paceSellers = 16
)

// note adds a sale to the pace of its draws.
func (m *memory) note(at int64, terminal journal.Party, parts []store.Part) {
	for len(parts) > 0 {
		id, units, n := parts[0].Draw, int64(0), 0
		for n < len(parts) && parts[n].Draw == id {
			units += parts[n].Units
			n++
		}
		parts = parts[n:]
		d := m.draws[draw.ID(id)]
		if d.state == draw.Cancelled { // since, when a memory is loaded
			continue
		}
		if d.pace == nil {
			d.pace = &pace{}
		}
		d.pace.add(at, terminal, d.rules.UnitStake.Times(units))
	}
}

func (p *pace) add(at int64, terminal journal.Party, stakes money.Amount) {
	slot := at / paceSlot
	for p.newest = max(p.newest, slot-paceSlots); p.newest < slot; { // clear what was passed
		p.newest++
		p.slots[p.newest%paceSlots] = 0
	}
	p.slots[slot%paceSlots] = p.slots[slot%paceSlots].Add(stakes)

	least := 0
	for i := range p.sellers {
		s := &p.sellers[i]
		if s.terminal == terminal {
			s.stakes = s.stakes.Add(stakes)
			return
		}
		if s.most() < p.sellers[least].most() {
			least = i
		}
	}
	p.sellers[least] = sellerPace{terminal: terminal, stakes: stakes, before: p.sellers[least].most(), since: at}
}

// lastMinute is what was staked in the slot of now and those before it that make a minute.
func (p *pace) lastMinute(now int64) (stakes money.Amount) {
	for slot := max(0, now/paceSlot-paceSlots+1); slot <= p.newest; slot++ {
		stakes = stakes.Add(p.slots[slot%paceSlots])
	}
	return stakes
}

func (p *pace) greatest() (list []Velocity) {
	sellers := p.sellers // a copy
	slices.SortFunc(sellers[:], func(a, b sellerPace) int {
		return cmp.Or(cmp.Compare(b.most(), a.most()), bytes.Compare(a.terminal[:], b.terminal[:]))
	})
	for _, s := range sellers[:velocityMax] {
		if s.stakes > 0 {
			list = append(list, Velocity{Terminal: s.terminal.String(), Stakes: s.stakes, Since: utc(s.since), Before: s.before})
		}
	}
	return list
}

// standing is what the value of a unit stake in a draw depends on beyond its rules.
type standing struct {
	rules   *game.Rules
	stakes  money.Amount
	jackpot money.Amount
}

// worth is the chances of a prize table.
type worth struct {
	fixed    *big.Rat // expected fixed prizes of a unit stake in euros, multiplied by the mean of the multiplier
	top, any *big.Rat // chances of a jackpot tier, and of any
}

// worthOf returns the chances of each prize table.
func worthOf(r *game.Rules) []worth {
	tables := make([]worth, len(r.Tables))
	mean := r.MeanTimes()
	for i, table := range r.Tables {
		odds := r.Odds(i)
		w := worth{fixed: new(big.Rat), top: new(big.Rat), any: odds.Any}
		for n, tier := range table.Tiers {
			if tier.Jackpot {
				w.top.Add(w.top, odds.Tiers[n].Probability)
				continue
			}
			prize := new(big.Rat).Mul(odds.Tiers[n].Probability, tier.Prize.Rat())
			w.fixed.Add(w.fixed, prize)
		}
		w.fixed.Mul(w.fixed, mean)
		tables[i] = w
	}
	return tables
}

// value is the expected value in euros of one unit stake more in a draw, by the
// prize table of the territory that gives most.
//
// Let n be the unit stakes in the draw, this one included, each as if on a
// combination of its own drawn at random, p the chance of a jackpot tier, q of
// any tier, J the jackpot as it stands with this draw's share, and r the chance
// that it rolls down should nobody win it: 1 at the ceiling, 1/OneIn from the
// threshold on, else 0. Then somebody wins J with the chance
//
//	w = 1 − (1−p)ⁿ + r·((1−p)ⁿ − (1−q)ⁿ)
//
// and each of the n unit stakes has the same part in it, so the value is
//
//	mean of the multiplier × Σ chance × fixed prize + w·J/n.
//
// What a roll-down replaces of fixed prizes (reading rolldown) is not taken off.
func (st standing) value(tables []worth, d draw.Draw) *big.Rat {
	var best *big.Rat
	for _, territory := range st.rules.Calendar.Territories {
		if !d.SoldIn(st.rules, territory.Key) {
			continue
		}
		w := tables[st.rules.TableOf(d.Day, d.Number, territory.Key)]
		if v := new(big.Rat).Add(w.fixed, st.jackpotValue(w)); best == nil || v.Cmp(best) > 0 {
			best = v
		}
	}
	if best == nil {
		return new(big.Rat) // sold nowhere
	}
	return best
}

// jackpotValue is w·J/n of [standing.value].
func (st standing) jackpotValue(w worth) *big.Rat {
	rules := st.rules.Jackpot
	if rules == nil {
		return new(big.Rat)
	}
	share := new(big.Rat).Mul(rules.Share, st.stakes.Rat())
	before := st.jackpot.Rat()
	fund := new(big.Rat).Add(before, share)
	basis := fund
	if rules.Basis == game.BeforeShare {
		basis = before
	}
	reached := func(limit money.Amount) bool { return limit > 0 && basis.Cmp(limit.Rat()) >= 0 }
	roll := new(big.Rat)
	rolled := fund // what rolls down
	switch {
	case reached(rules.Ceiling):
		roll.SetInt64(1)
		if ceiling := rules.Ceiling.Rat(); rules.OverCeiling == game.OverToReserve && fund.Cmp(ceiling) > 0 {
			rolled = ceiling
		}
	case reached(rules.Threshold):
		roll.SetFrac64(1, int64(rules.OneIn))
	}
	n := int64(st.stakes/st.rules.UnitStake) + 1
	noTop, nothing := power(w.top, n), power(w.any, n)
	top := new(big.Rat).Sub(big.NewRat(1, 1), noTop)
	lower := new(big.Rat).Sub(noTop, nothing)
	value := top.Mul(top, fund)
	value.Add(value, lower.Mul(lower, roll).Mul(lower, rolled))
	return value.Quo(value, new(big.Rat).SetInt64(n))
}

// power returns (1−p)ⁿ to 128 binary places: exact, it would have millions of digits.
func power(p *big.Rat, n int64) *big.Rat {
	const places = 128
	one := new(big.Int).Lsh(big.NewInt(1), places)
	base := new(big.Int).Sub(p.Denom(), p.Num())
	base.Lsh(base, places).Quo(base, p.Denom())
	result := new(big.Int).Set(one)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			result.Mul(result, base).Rsh(result, places)
		}
		base.Mul(base, base).Rsh(base, places)
	}
	return new(big.Rat).SetFrac(result, one)
}
