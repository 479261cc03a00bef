package central

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"

	"tirage/draw"
	"tirage/game"
	"tirage/journal"
	"tirage/ledger"
	"tirage/money"
	"tirage/settle"
	"tirage/store"
)

// waits returns the draw that is to be settled before d, nil when there is
// none. The jackpot goes from one settlement to the next (AMI-8.2), so the draws
// of a game with a jackpot are settled in order of time: none overtakes. So of
// those before d only the nearest that is not cancelled need be looked at.
func (m *memory) waits(d *drawState) *drawState {
	if d.rules.Jackpot == nil {
		return nil
	}
	list := m.byGame[d.Game]
	i, _ := slices.BinarySearchFunc(list, d, byTime)
	for _, before := range slices.Backward(list[:i]) {
		switch {
		case before.rules.Jackpot == nil || before.state == draw.Cancelled:
		case before.state == draw.Settled || before.state == draw.Certified:
			return nil
		default:
			return before
		}
	}
	return nil
}

// checkShare refuses a version of a game's rules with a share of the stakes
// whose denominator, with those of the versions before, could make what is
// carried below the cent a fraction that no record and no table holds.
func (m *memory) checkShare(r *game.Rules) error {
	common := big.NewInt(1)
	for _, version := range append(slices.Clone(m.versions[r.Code]), r) {
		if version.Jackpot != nil {
			den := version.Jackpot.Share.Denom()
			shared := new(big.Int).GCD(nil, nil, common, den)
			common.Mul(common, den).Quo(common, shared)
		}
	}
	if !common.IsInt64() {
		return fmt.Errorf("%w: the denominators of the jackpot shares of its versions have the common multiple %s", ErrKind, common)
	}
	return nil
}

// checkPot refuses a version of a game's rules without a jackpot while that of
// the game holds money, or draws for it are to come: nobody could win it any
// more. Nor may one with a jackpot come before one without.
func (m *memory) checkPot(r *game.Rules, now time.Time) error {
	versions := m.versions[r.Code]
	if r.Jackpot != nil {
		if i := slices.IndexFunc(versions, func(v *game.Rules) bool { return v.Jackpot == nil && v.FirstDay > r.FirstDay }); i >= 0 {
			return fmt.Errorf("%w: a jackpot, which the version from %s on does not have", ErrKind, versions[i].FirstDay)
		}
		return nil
	}
	if pot := m.pots[r.Code]; pot.Amount > 0 {
		return fmt.Errorf("%w: no jackpot, while that of %s holds %s €", ErrKind, r.Code, pot.Amount)
	}
	for _, d := range m.byGame[r.Code] {
		if d.rules.Jackpot != nil && d.settlement == nil && d.state != draw.Cancelled {
			return fmt.Errorf("%w: no jackpot, while draw %d of %s for it is to come", ErrKind, d.ID, r.Code)
		}
	}
	for i, v := range versions {
		until := r.FirstDay
		if i+1 < len(versions) {
			until = min(until, versions[i+1].FirstDay)
		}
		if v.Jackpot != nil && len(v.Calendar.Sessions) > 0 && v.FirstDay < until && until > game.DayOf(now, v.Calendar.Zone) {
			return fmt.Errorf("%w: no jackpot, while draws of %s for it are to come until %s", ErrKind, r.Code, until)
		}
	}
	return nil
}

// jackpot is what the jackpot of a draw is at least: what is carried into it,
// or the minimum. It is known once all draws before are settled or cancelled (AMI-4.2).
func (m *memory) jackpot(d *drawState) (amount money.Amount, known bool) {
	switch {
	case d.rules.Jackpot == nil || d.state == draw.Cancelled:
		return 0, false
	case d.settlement != nil:
		return atStake(d.settlement)
	case m.waits(d) != nil:
		return 0, false
	}
	return m.forecast(d), true
}

// forecast is what the jackpot of a draw would be at least, were it the next to be settled.
func (m *memory) forecast(d *drawState) money.Amount {
	return max(m.pots[d.Game].Amount, d.rules.Jackpot.Minimum)
}

// atStake is what the jackpot of a settled draw was at least.
func atStake(s *settle.Settlement) (amount money.Amount, known bool) {
	if s.Jackpot == nil {
		return 0, false
	}
	return s.Jackpot.Before.Add(s.Jackpot.TopUp), true
}

// heldUp says which draws cannot be settled because steps of others failed; nil when there are none.
func (s *System) heldUp() error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var errs []error
	for code, draws := range s.memory.byGame {
		waiting := slices.DeleteFunc(slices.Clone(draws), func(d *drawState) bool { return d.state != draw.Drawn || s.memory.waits(d) == nil })
		if len(waiting) > 0 {
			errs = append(errs, fmt.Errorf("%d draws of %s wait for the settlement of draw %d", len(waiting), code, s.memory.waits(waiting[0]).ID))
		}
	}
	return errors.Join(errs...)
}

// loadPots reads where the jackpots stand.
func (m *memory) loadPots(ctx context.Context, tx *store.Snapshot) error {
	for code := range m.versions {
		row, err := tx.LastJackpot(ctx, string(code))
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		j, err := jackpotOfRow(row)
		if err != nil {
			return err
		}
		m.pots[code] = j.Pot()
	}
	return nil
}

// samePot tells whether two pots are equal.
func samePot(a, b settle.Pot) bool {
	zero := new(big.Rat)
	carried := func(p settle.Pot) *big.Rat {
		if p.Carried == nil {
			return zero
		}
		return p.Carried
	}
	return a.Amount == b.Amount && carried(a).Cmp(carried(b)) == 0
}

// multiplierOf is the multiplier of a result, 1 in games without.
func multiplierOf(b *journal.Result) int { return max(1, int(b.Times)) }

// resultBody is the record of what seed draws.
func resultBody(d *drawState, seed [32]byte) *journal.Result {
	b := &journal.Result{Draw: uint64(d.ID), Close: d.closeRecord, Sets: setsOf(draw.Derive(d.rules, seed))}
	if len(d.rules.Multipliers) > 0 {
		b.Times = uint64(draw.Times(d.rules, seed))
	}
	return b
}

// jackpotBody is a jackpot's movement as a record says it; nil for none.
func jackpotBody(j *settle.Jackpot) *journal.Jackpot {
	if j == nil {
		return nil
	}
	num, den := j.Carried.Num(), j.Carried.Denom()
	assert(num.IsUint64() && den.IsUint64(), "what is carried below the cent fits a record")
	return &journal.Jackpot{
		Before: j.Before, TopUp: j.TopUp, Contribution: j.Contribution, Carried: [2]uint64{num.Uint64(), den.Uint64()},
		End: j.End.String(), Extra: j.Extra.String(), Tier: uint64(j.Tier), Paid: j.Paid, Rest: j.Rest, After: j.After,
	}
}

// jackpotRow is a jackpot's movement as the tables have it.
func jackpotRow(id draw.ID, code game.Code, index uint64, b *journal.Jackpot) store.JackpotMove {
	return store.JackpotMove{
		Draw: int64(id), Game: string(code), Record: index, Before: b.Before, TopUp: b.TopUp, Contribution: b.Contribution,
		CarriedNum: b.Carried[0], CarriedDen: b.Carried[1], End: b.End, Extra: b.Extra, Tier: int(b.Tier),
		Paid: b.Paid, Rest: b.Rest, After: b.After,
	}
}

func jackpotOfRow(x store.JackpotMove) (*settle.Jackpot, error) {
	end, err := settle.ParseEnd(x.End)
	if err != nil {
		return nil, fmt.Errorf("jackpot of draw %d: %w", x.Draw, err)
	}
	extra, err := settle.ParseExtra(x.Extra)
	if err != nil {
		return nil, fmt.Errorf("jackpot of draw %d: %w", x.Draw, err)
	}
	return &settle.Jackpot{
		Before: x.Before, TopUp: x.TopUp, Contribution: x.Contribution, Carried: fraction(x.CarriedNum, x.CarriedDen),
		End: end, Extra: extra, Tier: x.Tier, Paid: x.Paid, Rest: x.Rest, After: x.After,
	}, nil
}

// fraction is one below the cent.
func fraction(num, den uint64) *big.Rat {
	assert(den > 0, "fraction without a denominator")
	return new(big.Rat).SetFrac(new(big.Int).SetUint64(num), new(big.Int).SetUint64(den))
}

// movementOf is what the ledger books of a jackpot's movement.
func movementOf(r *game.Rules, b *journal.Jackpot) ledger.Movement {
	if b == nil {
		return ledger.Movement{}
	}
	return ledger.Movement{
		TopUp: b.TopUp, ByOperator: r.Jackpot.GuaranteeFrom == game.FromOperator, Contribution: b.Contribution, Paid: b.Paid, Rest: b.Rest,
	}
}
