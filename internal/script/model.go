package script

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tirage/draw"
	"tirage/game"
	"tirage/money"
	"tirage/settle"
)

// What the rules come to by plain counting, from the results and the prize
// table that the scenario prints: nothing here asks the engine.

// prizeTable: prizes. It answers with the table of the rule book; what is typed under it is what audit and pay all count with.
func (r *runner) prizeTable([]string) (string, error) {
	var b strings.Builder
	for _, t := range r.rules.Tables[0].Tiers {
		fmt.Fprintf(&b, "%s %s\n", t.Name, t.Prize)
	}
	lines := r.typed
	if len(lines) == 0 {
		lines = strings.Split(strings.TrimSpace(b.String()), "\n")
	}
	r.prizes = map[string]money.Amount{}
	for _, line := range lines {
		hits, sum, _ := strings.Cut(line, " ")
		prize, err := money.Parse(sum)
		if err != nil {
			return "", err
		}
		r.prizes[hits] = prize
	}
	return b.String(), nil
}

// hits counts the hits of a ticket in a draw, such as 3+1; false before its result, or when it is not in the draw.
func (r *runner) hits(t *ticket, number int) (string, bool, error) {
	i := slices.IndexFunc(t.Draws, func(d draw.Draw) bool { return d.Number == number })
	if i < 0 || t.cancelled {
		return "", false, nil
	}
	result, err := r.result(t.Draws[i])
	if err != nil || result == nil {
		return "", false, err
	}
	counts := make([]string, len(result))
	for s, drawn := range result {
		n := 0
		for _, e := range drawn {
			if slices.Contains(t.Plays[0].Picks[t.Rules.Sets[s].Matrix], e) {
				n++
			}
		}
		counts[s] = strconv.Itoa(n)
	}
	return strings.Join(counts, "+"), true, nil
}

// result is the result of a draw once it is certified, nil before.
func (r *runner) result(d draw.Draw) (game.Result, error) {
	if result := r.results[d.ID]; result != nil {
		return result, nil
	}
	v, err := r.sys.Draw(r.ctx, d.Game, d.Day, d.Number)
	if err != nil || v.State != draw.Certified {
		return nil, err
	}
	r.results[d.ID] = v.Result
	return v.Result, nil
}

// wins is what a ticket wins in its certified draws by the table as typed, and how many of its draws are to come.
func (r *runner) wins(t *ticket) (won money.Amount, waiting int, err error) {
	if r.prizes == nil {
		return 0, 0, errors.New("the scenario has no prizes")
	}
	units := int64(t.place.Slip.Stake / r.rules.UnitStake)
	for _, d := range t.Draws {
		hits, ok, err := r.hits(t, d.Number)
		if err != nil {
			return 0, 0, err
		}
		if !ok {
			waiting++
		}
		won = won.Add(r.prizes[hits].Times(units))
	}
	return won, waiting, nil
}

// audit: every ticket is checked against the prize table as typed.
func (r *runner) audit([]string) (string, error) {
	for _, t := range r.tickets {
		won, waiting, err := r.wins(t)
		if err != nil {
			return "", err
		}
		c, err := r.checked(t, t.seller)
		if err != nil {
			return "", err
		}
		want := settle.Lost
		switch {
		case won > 0:
			want = settle.Won
		case waiting > 0:
			want = settle.Pending
		}
		if t.cancelled == c.CancelledAt.IsZero() {
			return "", fmt.Errorf("ticket %s: cancelled %v, check says %s", t.names[0], t.cancelled, standing(c))
		}
		if a := c.Answer; !t.cancelled && (a.Total != won || a.Standing != want || a.Waiting != waiting) {
			return "", fmt.Errorf("ticket %s wins %s by the table (%s, %d draws to come); check says %s", t.names[0], won, want, waiting, standing(c))
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
		if a.Owes != o.owes {
			return "", fmt.Errorf("outlet %s owes %s, by its sales, cancellations and payments %s", o.name, a.Owes, o.owes)
		}
	}
	return "balanced\n", nil
}
