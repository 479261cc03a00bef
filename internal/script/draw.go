package script

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/money"
	"tirage/settle"
	"tirage/store"
)

// drawNamed gives the draw of a word: 96 of the clock's day, 2027-03-27/250, or
// a name that find gave.
func (r *runner) drawNamed(w string) (central.DrawView, error) {
	if d, ok := r.found[w]; ok {
		return r.sys.Draw(r.ctx, d.Game, d.Day, d.Number)
	}
	day := game.DayOf(r.clockTime(), paris)
	if date, number, ok := strings.Cut(w, "/"); ok {
		var err error
		if day, err = game.ParseDay(date); err != nil {
			return central.DrawView{}, err
		}
		w = number
	}
	number, err := strconv.Atoi(w)
	if err != nil {
		return central.DrawView{}, fmt.Errorf("no draw is called %q", w)
	}
	return r.sys.Draw(r.ctx, r.rules.Code, day, number)
}

// draws: draws [YYYY-MM-DD] [FIRST..LAST]
func (r *runner) draws(words []string) (string, error) {
	h := hand(words)
	day, err := r.dayNext(&h)
	if err != nil {
		return "", err
	}
	only := expand(h.next())
	views, err := r.sys.Draws(r.ctx, r.rules.Code, day)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "draw\tcloses\tdraws\tstate\twagers\tstakes")
	for _, v := range views {
		if only[0] != "" && !slices.Contains(only, strconv.Itoa(v.Number)) {
			continue
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%d\t%s\n", v.Number, v.ClosesAt.In(paris).Format(time.TimeOnly),
			v.DrawsAt.In(paris).Format("15:04 MST"), v.State, v.Wagers, v.Stakes)
	}
	err = w.Flush()
	return b.String(), err
}

// dayNext takes the day that comes next, else it is that of the clock.
func (r *runner) dayNext(h *hand) (game.Day, error) {
	if len(*h) > 0 && strings.Count((*h)[0], "-") == 2 {
		return game.ParseDay(h.next())
	}
	return game.DayOf(r.clockTime(), paris), nil
}

// find: find NAME [YYYY-MM-DD] CONDITION…. It names the first draw of a day, the
// clock's, of which all conditions hold: times N; jackpot won, rolled-down,
// carried or reserve; extra kept, rolled-down or ceiling; onto TIER, the one
// that the jackpot rolled down to; from EUROS, what the jackpot was with the guarantee.
func (r *runner) find(words []string) (string, error) {
	h := hand(words)
	name := h.next()
	day, err := r.dayNext(&h)
	if err != nil || len(h) == 0 || len(h)%2 != 0 {
		return "", errUsage
	}
	views, err := r.sys.Draws(r.ctx, r.rules.Code, day)
	if err != nil {
		return "", err
	}
	for _, v := range views {
		if v.Settlement != nil && meets(r.rules, v, h) {
			r.found[name] = v.Draw
			return "", nil
		}
	}
	return "", fmt.Errorf("no draw of %s is so", day)
}

func meets(rules *game.Rules, v central.DrawView, conditions []string) bool {
	for i := 0; i < len(conditions); i += 2 {
		want, got := conditions[i+1], ""
		j := v.Settlement.Jackpot
		switch conditions[i] {
		case "times":
			got = strconv.Itoa(v.Times)
		case "jackpot":
			if j != nil {
				got = j.End.String()
			}
		case "extra":
			if j != nil {
				got = j.Extra.String()
			}
		case "onto":
			if j != nil && j.End == settle.JackpotRolledDown {
				got = rules.Tables[0].Tiers[j.Tier].Name
			}
		case "from":
			if j != nil {
				got = j.Before.Add(j.TopUp).String()
			}
		}
		if got != want {
			return false
		}
	}
	return true
}

// settlement: settlement DRAW
func (r *runner) settlement(words []string) (string, error) {
	if len(words) != 1 {
		return "", errUsage
	}
	v, err := r.drawNamed(words[0])
	if err != nil {
		return "", err
	}
	if v.Settlement == nil {
		return "not settled\n", nil
	}
	var b strings.Builder
	if len(r.rules.Multipliers) > 0 {
		fmt.Fprintf(&b, "times %d\n", v.Times)
	}
	for i, table := range r.rules.Tables {
		if i > 0 {
			fmt.Fprintf(&b, "by the table %s:\n", table.Key)
		}
		if err := shares(&b, v, i, table); err != nil {
			return "", err
		}
	}
	if j := v.Settlement.Jackpot; j != nil {
		fmt.Fprintf(&b, "jackpot %s + share of the stakes %s\n", j.Before.Add(j.TopUp), j.Contribution)
		b.WriteString(movement(r.rules, j))
	}
	return b.String(), nil
}

// shares writes the winners and sums of a prize table.
func shares(b *strings.Builder, v central.DrawView, n int, table game.PrizeTable) error {
	w := tabwriter.NewWriter(b, 0, 0, 3, ' ', 0)
	for i, tier := range table.Tiers {
		total := settle.Share{UnitValue: tier.Prize.Times(int64(v.Times))}
		for _, s := range v.Settlement.Shares {
			if s.Table == n && s.Tier == i {
				total.Winners, total.Units, total.Total = total.Winners+s.Winners, total.Units+s.Units, total.Total.Add(s.Total)
				total.UnitValue = s.UnitValue
			}
		}
		fmt.Fprintf(w, "%s\twinners %d\tunits %d\teach %s\ttotal %s\n", tier.Name, total.Winners, total.Units, total.UnitValue, total.Total)
	}
	return w.Flush()
}

// movement says what became of a jackpot.
func movement(rules *game.Rules, j *settle.Jackpot) string {
	what := j.End.String()
	if j.End == settle.JackpotRolledDown {
		what += " onto " + rules.Tables[0].Tiers[j.Tier].Name
	}
	switch j.Extra {
	case settle.NoExtra:
	case settle.ExtraKept, settle.ExtraRolled:
		what += ", by the extra draw"
	case settle.CeilingRolled:
		what += ", at the ceiling"
	}
	return fmt.Sprintf("%s: paid %s   to the reserve %s   to the next draw %s\n", what, j.Paid, j.Rest, j.After)
}

// jackpot: what the jackpot of the next draw that can be sold is at least.
func (r *runner) jackpot([]string) (string, error) {
	s, err := r.sys.Status(r.rules.Code)
	switch {
	case err != nil:
		return "", err
	case !s.JackpotKnown:
		return "not known yet\n", nil
	}
	return fmt.Sprintf("at least %s\n", s.Jackpot), nil
}

// account: account NAME [DRAW]: what stands on an account of the lottery. Those
// of the game are reserve, margin and jackpot; stake, prize and back are of a draw, and
// of prize and back it is the last of the tickets.
func (r *runner) account(words []string) (string, error) {
	var account string
	switch {
	case len(words) == 1 && slices.Contains([]string{"reserve", "margin", "jackpot"}, words[0]):
		account = words[0] + "/" + string(r.rules.Code)
	case len(words) == 2 && slices.Contains([]string{"stake", "prize", "back"}, words[0]):
		d, err := r.drawNamed(words[1])
		if err != nil {
			return "", err
		}
		account = fmt.Sprintf("%s/%d", words[0], d.ID)
	default:
		return "", errUsage
	}
	balances, err := r.balances()
	if err != nil {
		return "", err
	}
	// A credit is money that the lottery holds for others.
	return fmt.Sprintf("holds %s\n", -balances[account]), nil
}

func (r *runner) balances() (balances map[string]money.Amount, err error) {
	err = r.db.View(r.ctx, func(tx *store.Snapshot) error {
		balances, err = tx.Balances(r.ctx)
		return err
	})
	return balances, err
}

// drawsNamed gives the draws of a word: 96, 96..98, or a name.
func (r *runner) drawsNamed(w string) ([]draw.ID, error) {
	var ids []draw.ID
	for _, name := range expand(w) {
		d, err := r.drawNamed(name)
		if err != nil {
			return nil, err
		}
		ids = append(ids, d.ID)
	}
	return ids, nil
}
