package script

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/money"
	"tirage/settle"
)

// What the rules come to by plain counting, from the results and the prize
// tables that the scenario prints: nothing here asks the engine, but for the
// sum of a jackpot, which is that of the settlement.

// prizes is a prize table as typed: the hits of each rank, the top one first, and its prize for a unit stake.
type prizes struct {
	hits  []string
	prize []money.Amount // jackpotPrize: the jackpot
}

const jackpotPrize money.Amount = -1

// tier is the rank that hits such as 9+1 win, which its prize may have as 9: the rest does not matter. −1: none.
func (p prizes) tier(hits string) int {
	if i := slices.Index(p.hits, hits); i >= 0 {
		return i
	}
	first, _, _ := strings.Cut(hits, "+")
	return slices.Index(p.hits, first)
}

// prizeTable: prizes [TABLE]. It answers with the table of the rule book; what is typed under it is what audit and pay all count with.
func (r *runner) prizeTable(words []string) (string, error) {
	n := 0
	if len(words) > 0 {
		n = slices.IndexFunc(r.rules.Tables, func(t game.PrizeTable) bool { return t.Key == words[0] })
	}
	if len(words) > 1 || n < 0 {
		return "", errUsage
	}
	var b strings.Builder
	for _, t := range r.rules.Tables[n].Tiers {
		prize := t.Prize.String()
		if t.Jackpot {
			prize = "jackpot"
		}
		fmt.Fprintf(&b, "%s %s\n", t.Name, prize)
	}
	lines := r.typed
	if len(lines) == 0 {
		lines = strings.Split(strings.TrimSpace(b.String()), "\n")
	}
	var p prizes
	for _, line := range lines {
		hits, sum, _ := strings.Cut(line, " ")
		prize, err := jackpotPrize, error(nil)
		if sum != "jackpot" {
			prize, err = money.Parse(sum)
		}
		if err != nil {
			return "", err
		}
		p.hits, p.prize = append(p.hits, hits), append(p.prize, prize)
	}
	r.prizes[n] = p
	return b.String(), nil
}

// combinations are those that picks stand for: each way to take one element of
// each column, and one of the elements of a matrix of which more are marked than picked.
func combinations(rules *game.Rules, picks game.Picks) []game.Picks {
	list := []game.Picks{{}}
	for i, m := range rules.Matrices {
		groups := map[int][]int{}
		switch {
		case m.Columns > 0:
			for _, e := range picks[i] {
				column := (e - 1) * m.Columns / len(m.Elements)
				groups[column] = append(groups[column], e)
			}
		case len(picks[i]) > m.Pick:
			groups[0] = picks[i]
		default:
			for n, e := range picks[i] {
				groups[n] = []int{e}
			}
		}
		parts := [][]int{{}}
		for _, n := range slices.Sorted(maps.Keys(groups)) {
			var longer [][]int
			for _, part := range parts {
				for _, e := range groups[n] {
					longer = append(longer, append(slices.Clone(part), e))
				}
			}
			parts = longer
		}
		var longer []game.Picks
		for _, picks := range list {
			for _, part := range parts {
				longer = append(longer, append(slices.Clone(picks), part))
			}
		}
		list = longer
	}
	return list
}

// hits counts the hits of each combination of a ticket in one of its draws, such as 3+1; none before its result, or when it has no such draw.
func (r *runner) hits(t *ticket, in func(draw.Draw) bool) (list []string, err error) {
	i := slices.IndexFunc(t.Draws, in)
	if i < 0 || t.cancelled {
		return nil, nil
	}
	v, err := r.certified(t.Draws[i])
	if err != nil || v.State != draw.Certified {
		return nil, err
	}
	for _, p := range t.Plays {
		for _, c := range combinations(t.Rules, p.Picks) {
			counts := make([]string, len(v.Result))
			for s, drawn := range v.Result {
				n := 0
				for _, e := range drawn {
					if slices.Contains(c[t.Rules.Sets[s].Matrix], e) {
						n++
					}
				}
				counts[s] = strconv.Itoa(n)
			}
			list = append(list, strings.Join(counts, "+"))
		}
	}
	return list, nil
}

func is(id draw.ID) func(draw.Draw) bool { return func(d draw.Draw) bool { return d.ID == id } }

// certified is a draw that may be certified or cancelled; else its state says so.
func (r *runner) certified(d draw.Draw) (central.DrawView, error) {
	if v, ok := r.over[d.ID]; ok {
		return v, nil
	}
	v, err := r.sys.Draw(r.ctx, d.Game, d.Day, d.Number)
	if err == nil && v.State == draw.Certified {
		r.over[d.ID] = v
	}
	return v, err
}

// table is the prize table that holds for a ticket in a draw, by the rule book's promotions.
func (r *runner) table(t *ticket, d draw.Draw) int {
	day := d.Day.Weekday()
	within := func(span [2]int) bool { return span[0] <= d.Number && d.Number <= span[1] }
	for _, p := range t.Rules.Promotions {
		if p.First <= d.Day && d.Day <= p.Last && (len(p.Weekdays) == 0 || slices.Contains(p.Weekdays, day)) &&
			(len(p.Draws) == 0 || slices.ContainsFunc(p.Draws, within)) &&
			(len(p.Territories) == 0 || slices.Contains(p.Territories, t.seller.Territory)) {
			return p.Table
		}
	}
	return 0
}

// outcome is what a ticket comes to by plain counting.
type outcome struct {
	won     money.Amount // in its certified draws
	back    money.Amount // stakes of its cancelled draws
	waiting int          // draws of it to come
}

// wins counts what a ticket comes to, by the tables as typed.
func (r *runner) wins(t *ticket) (o outcome, err error) {
	if len(r.prizes) == 0 {
		return o, errors.New("the scenario has no prizes")
	}
	units := int64(t.place.Slip.Stake / t.Rules.UnitStake)
	for _, d := range t.Draws {
		v, err := r.certified(d)
		if err != nil {
			return o, err
		}
		switch {
		case t.cancelled:
			continue
		case v.State == draw.Cancelled:
			o.back = o.back.Add(t.Price / money.Amount(len(t.Draws)))
			continue
		case v.State != draw.Certified:
			o.waiting++
			continue
		}
		hits, err := r.hits(t, is(d.ID))
		if err != nil {
			return o, err
		}
		table := r.table(t, d)
		for _, h := range hits {
			tier := r.prizes[table].tier(h)
			if tier < 0 {
				continue
			}
			value, err := r.unitValue(v, table, tier)
			if err != nil {
				return o, err
			}
			o.won = o.won.Add(value.Times(units))
		}
	}
	return o, nil
}

// unitValue is what a unit stake wins at a rank: the prize, multiplied, or its
// share of the jackpot, or both where the jackpot rolled down to the rank.
func (r *runner) unitValue(v central.DrawView, table, tier int) (money.Amount, error) {
	prize := r.prizes[table].prize[tier]
	value := prize.Times(int64(v.Times))
	if prize == jackpotPrize {
		value = 0
	}
	j := v.Settlement.Jackpot
	if j == nil || j.End != settle.JackpotWon && j.End != settle.JackpotRolledDown {
		return value, nil
	}
	units, nearest, err := r.units(v.ID)
	if err != nil {
		return 0, err
	}
	gets := prize == jackpotPrize
	if j.End == settle.JackpotRolledDown {
		gets = tier == nearest
	}
	if gets {
		value = value.Add(j.Before.Add(j.TopUp).Add(j.Contribution) / money.Amount(units))
	}
	return value, nil
}

// units counts the unit stakes that a jackpot is shared by: those on the
// jackpot's ranks; when there are none, on the nearest rank that has any.
func (r *runner) units(id draw.ID) (units int64, nearest int, err error) {
	top, lower := int64(0), map[int]int64{}
	for _, t := range r.tickets {
		hits, err := r.hits(t, is(id))
		if err != nil {
			return 0, 0, err
		}
		for _, h := range hits {
			table := r.prizes[r.table(t, r.over[id].Draw)]
			switch tier := table.tier(h); {
			case tier < 0:
			case table.prize[tier] == jackpotPrize:
				top += int64(t.place.Slip.Stake / t.Rules.UnitStake)
			default:
				lower[tier] += int64(t.place.Slip.Stake / t.Rules.UnitStake)
			}
		}
	}
	if top > 0 {
		return top, -1, nil
	}
	nearest = slices.Min(slices.Collect(maps.Keys(lower)))
	return lower[nearest], nearest, nil
}

// audit: every ticket is checked against the prize tables as typed.
func (r *runner) audit([]string) (string, error) {
	for _, t := range r.tickets {
		o, err := r.wins(t)
		if err != nil {
			return "", err
		}
		c, err := r.checked(t, t.seller)
		if err != nil {
			return "", err
		}
		want := settle.Lost
		switch {
		case o.won > 0:
			want = settle.Won
		case o.waiting > 0:
			want = settle.Pending
		case o.back > 0:
			want = settle.GiveBack
		}
		if t.cancelled == c.CancelledAt.IsZero() {
			return "", fmt.Errorf("ticket %s: cancelled %v, check says %s", t.names[0], t.cancelled, standing(c))
		}
		if a := c.Answer; !t.cancelled && (a.Total != o.won || a.Standing != want || a.Waiting != o.waiting || a.Back != o.back) {
			return "", fmt.Errorf("ticket %s wins %s by the table (%s, %d draws to come, %s back); check says %s",
				t.names[0], o.won, want, o.waiting, o.back, standing(c))
		}
	}
	return fmt.Sprintf("%d tickets win what the prizes say\n", len(r.tickets)), nil
}

// books: everything is recomputed from the journal, and what the outlets owe by plain addition.
func (r *runner) books([]string) (string, error) {
	if err := r.sys.CheckBooks(r.ctx); err != nil {
		return "", err
	}
	for _, o := range r.outlets {
		a, err := r.sys.OutletAccount(o.ID)
		if err != nil {
			return "", err
		}
		earned, err := r.earned(o)
		if err != nil {
			return "", err
		}
		if want := o.owes.Sub(earned); a.Owes != want {
			return "", fmt.Errorf("outlet %s owes %s, by its sales, cancellations, payments and commissions %s", o.name, a.Owes, want)
		}
	}
	return "balanced\n", nil
}
