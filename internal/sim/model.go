package sim

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"time"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/ledger"
	"tirage/money"
	"tirage/party"
	"tirage/settle"
	"tirage/wager"
)

// model is what the regulations say of what was done, by maps and plain sets.
// It reads the figures of rule books (prizes, sessions, days of claims), and
// asks the engine for nothing but what was drawn.
type model struct {
	terms    *party.Terms // of outlets
	now      time.Time    // of the system: never before its last turn
	games    []*modelGame
	lastDraw draw.ID
	draws    map[draw.ID]*modelDraw
	live     []*modelDraw // not over, and those of the last days
	tickets  []*modelTicket
	accounts map[ledger.Account]money.Amount
}

// keepDays is how many days a draw is looked at after its own: fewer than the system keeps it in memory.
const keepDays = 8

// modelGame is a game with its jackpot and its claims.
type modelGame struct {
	*game.Rules
	planned    map[game.Day]bool
	pot        money.Amount
	carried    *big.Rat // below the cent
	extensions []settle.Extension
	claims     map[draw.ID]*modelDraw // last draws of tickets with money to claim
	sessions   map[session][]*modelDraw
}

// modelDraw is a draw as the scheduler has left it.
type modelDraw struct {
	draw.Draw
	game     *modelGame
	state    draw.State
	refunded bool

	postponed   []time.Time // to when, each time
	cancelledAt time.Time

	tickets []*modelTicket
	units   map[string]int64 // sold, by combination

	result game.Result
	times  int
	values map[[2]int]money.Amount // what a unit stake wins, by table and tier
}

// modelTicket is a ticket as sold.
type modelTicket struct {
	wager.Ticket
	place        central.Place
	shop         *shop
	game         *modelGame
	draws        []*modelDraw
	tables       []int        // by draw
	combinations []game.Picks // of all boards
	cancelled    bool
	stopped      bool // its payment
	copies       int  // that it was printed once more
	commands     []doneCommand
	paid         map[draw.ID]bool
}

func newModel() *model {
	return &model{draws: map[draw.ID]*modelDraw{}, accounts: map[ledger.Account]money.Amount{}}
}

func (m *model) book(a ledger.Account, amount money.Amount) { m.accounts[a] += amount }

func (t *modelTicket) last() *modelDraw { return t.draws[len(t.draws)-1] }

// stake is what the ticket has in each of its draws.
func (t *modelTicket) stake() money.Amount { return t.Stake * money.Amount(len(t.combinations)) }

// at is an instant of a draw day, by the wall clock of the game's zone.
func (g *modelGame) at(day game.Day, clock time.Duration) time.Time {
	year, month, date := time.Unix(int64(day)*86400, 0).UTC().Date()
	hour, minute := int(clock/time.Hour), int(clock%time.Hour/time.Minute)
	return time.Date(year, month, date, hour, minute, 0, 0, g.Calendar.Zone)
}

// plan plans what the scheduler plans: yesterday, today and two days ahead.
func (m *model) plan() {
	for _, g := range m.games { // ascending by code
		today := game.DayOf(m.now, g.Calendar.Zone)
		for day := today - 1; day <= today+2; day++ {
			if !g.planned[day] {
				g.planned[day] = m.planDay(g, day)
			}
		}
	}
}

func (m *model) planDay(g *modelGame, day game.Day) (planned bool) {
	c := g.Calendar
	var draws []draw.Draw
	for i, s := range c.Sessions {
		if !slices.Contains(s.Weekdays, day.Weekday()) {
			continue
		}
		drawsAt := func(n int) time.Time { return g.at(day, c.FirstAt).Add(time.Duration(n-1) * c.Every) }
		for n := s.First; n <= s.Last; n++ {
			draws = append(draws, draw.Draw{
				Game: g.Code, Rules: g.Hash, Day: day, Number: n, Session: i + 1,
				OpensAt: drawsAt(s.First).Add(-c.OpenBefore), ClosesAt: drawsAt(n).Add(-c.CloseBefore), DrawsAt: drawsAt(n),
			})
		}
	}
	slices.SortFunc(draws, func(a, b draw.Draw) int { return cmp.Compare(a.Number, b.Number) })
	for _, d := range draws {
		if d.ClosesAt.After(m.now) {
			m.lastDraw++
			d.ID = m.lastDraw
			md := &modelDraw{Draw: d, game: g, state: draw.Planned, units: map[string]int64{}}
			m.draws[d.ID], m.live, planned = md, append(m.live, md), true
			g.sessions[md.session()] = append(g.sessions[md.session()], md)
		}
	}
	return planned
}

// tick is what the scheduler does at an instant. view asks what was drawn.
func (m *model) tick(view func(*modelDraw) (central.DrawView, error)) error {
	m.plan()
	var due []*modelDraw
	for _, d := range m.live {
		if (d.state == draw.Planned || d.state == draw.Postponed) && !m.now.Before(d.OpensAt) {
			d.state = draw.Selling
		}
		if d.state == draw.Selling && !m.now.Before(d.ClosesAt) {
			d.state = draw.Closed
		}
		if d.state == draw.Closed && !m.now.Before(d.DrawsAt) {
			due = append(due, d)
		}
		if d.state == draw.Cancelled && !d.refunded {
			m.refund(d)
		}
	}
	slices.SortFunc(due, byTime)
	for _, d := range due {
		v, err := view(d)
		if err != nil {
			return err
		}
		if err := m.settle(d, v); err != nil {
			return fmt.Errorf("draw %d: %w", d.ID, err)
		}
	}
	m.expire()
	m.live = slices.DeleteFunc(m.live, func(d *modelDraw) bool {
		old := d.over() && d.Day < game.DayOf(m.now, time.UTC)-keepDays
		if old {
			d.tickets, d.units = nil, nil
		}
		return old
	})
	return nil
}

func byTime(a, b *modelDraw) int {
	return cmp.Or(a.DrawsAt.Compare(b.DrawsAt), cmp.Compare(a.ID, b.ID))
}

func (d *modelDraw) over() bool {
	return d.state == draw.Certified || d.state == draw.Cancelled && d.refunded
}

// refund books the stakes of a cancelled draw as money to give back.
func (m *model) refund(d *modelDraw) {
	d.refunded = true
	for _, t := range d.tickets {
		m.book(ledger.Stake(int64(d.ID)), t.stake())
		m.claim(ledger.Back(int64(t.last().ID)), t, t.stake())
	}
}

// claim books money that may be claimed on a ticket.
func (m *model) claim(account ledger.Account, t *modelTicket, amount money.Amount) {
	m.book(account, -amount)
	if amount > 0 {
		t.game.claims[t.last().ID] = t.last()
	}
}

// tier is what a combination wins by a table, by plain sets: the first tier whose hits are its own. −1: nothing.
func (d *modelDraw) tier(table int, picks game.Picks) int {
	hits := make([]int, len(d.result))
	for s, drawn := range d.result {
		for _, e := range drawn {
			if slices.Contains(picks[d.game.Sets[s].Matrix], e) {
				hits[s]++
			}
		}
	}
	return slices.IndexFunc(d.game.Tables[table].Tiers, func(t game.Tier) bool {
		for s, want := range t.Hits {
			if want != game.Any && want != hits[s] {
				return false
			}
		}
		return true
	})
}

// settle settles a draw by what was drawn, and compares.
func (m *model) settle(d *modelDraw, v central.DrawView) error {
	if v.State != draw.Certified || v.ID != d.ID || v.Result == nil || v.Settlement == nil {
		return fmt.Errorf("%s %s %d is draw %d, %s, the model's is %d and due at %s", d.Game, d.Day, d.Number, v.ID, v.State, d.ID, d.DrawsAt)
	}
	d.state, d.result, d.times, d.values = draw.Certified, v.Result, v.Times, map[[2]int]money.Amount{}
	var stakes money.Amount
	units := map[[2]int]int64{}
	for _, t := range d.tickets {
		stakes += t.stake()
		for _, c := range t.combinations {
			if tier := d.tier(t.table(d), c); tier >= 0 {
				units[[2]int{t.table(d), tier}] += t.Units
			}
		}
	}
	if v.Wagers != int64(len(d.tickets)) || v.Stakes != stakes || v.Settlement.Stakes != stakes {
		return fmt.Errorf("%d tickets and %s, the model has %d and %s", v.Wagers, v.Stakes, len(d.tickets), stakes)
	}
	for key := range units {
		if tier := d.game.Tables[key[0]].Tiers[key[1]]; !tier.Jackpot {
			d.values[key] = tier.Prize * money.Amount(d.times)
		}
	}
	toJackpot, fromJackpot, err := m.jackpot(d, stakes, units, v.Settlement.Jackpot)
	if err != nil {
		return err
	}
	var prizes money.Amount
	for _, t := range d.tickets {
		prize := t.prize(d)
		prizes += prize
		m.claim(ledger.Prize(int64(t.last().ID)), t, prize)
	}
	m.book(ledger.Stake(int64(d.ID)), stakes)
	m.book(ledger.Margin(string(d.Game)), prizes-fromJackpot+toJackpot-stakes)
	return nil
}

func (t *modelTicket) table(d *modelDraw) int { return t.tables[slices.Index(t.draws, d)] }

// prize is what the ticket wins in a certified draw.
func (t *modelTicket) prize(d *modelDraw) (sum money.Amount) {
	for _, c := range t.combinations {
		if tier := d.tier(t.table(d), c); tier >= 0 {
			sum += d.values[[2]int{t.table(d), tier}] * money.Amount(t.Units)
		}
	}
	return sum
}

// jackpot moves the jackpot through a draw (AMI-8.2, AMI-8.2.5), gives the
// winners' units their value, and compares. It returns what the stakes gave to it, and what winners have of it.
func (m *model) jackpot(d *modelDraw, stakes money.Amount, units map[[2]int]int64, got *settle.Jackpot) (in, out money.Amount, err error) {
	g, rules := d.game, d.game.Jackpot
	if rules == nil || got == nil {
		if rules != nil || got != nil {
			return 0, 0, fmt.Errorf("jackpot of the settlement %+v", got)
		}
		return 0, 0, nil
	}
	want := settle.Jackpot{Before: g.pot, TopUp: max(0, rules.Minimum-g.pot)}
	exact := new(big.Rat).Mul(rules.Share, big.NewRat(int64(stakes), 1))
	exact.Add(exact, g.carried)
	whole := new(big.Int).Quo(exact.Num(), exact.Denom())
	want.Contribution, want.Carried = money.Amount(whole.Int64()), exact.Sub(exact, new(big.Rat).SetInt(whole))
	fund := want.Before + want.TopUp + want.Contribution

	top, tier, lower := winners(g, units)
	switch { // with a rank-1 winner there is no extra draw
	case top > 0:
	case fund >= rules.Ceiling:
		want.Extra = settle.CeilingRolled
	case fund >= rules.Threshold: // which of them, chance has decided
		if want.Extra = settle.ExtraKept; got.Extra == settle.ExtraRolled {
			want.Extra = settle.ExtraRolled
		}
	}
	rolls := want.Extra == settle.CeilingRolled || want.Extra == settle.ExtraRolled
	switch {
	case top > 0:
		want.End = settle.JackpotWon
		lower = top
	case rolls && lower > 0:
		want.End, want.Tier = settle.JackpotRolledDown, tier
	default:
		want.End, want.After = settle.JackpotCarried, fund
	}
	if want.End != settle.JackpotCarried {
		each := fund / money.Amount(lower)
		want.Paid, want.Rest = each*money.Amount(lower), fund-each*money.Amount(lower)
		for key := range units {
			if g.Tables[key[0]].Tiers[key[1]].Jackpot == (top > 0) && (top > 0 || key[1] == tier) {
				d.values[key] += each
			}
		}
	}
	same := *got
	same.Carried = want.Carried
	if same != want || got.Carried.Cmp(want.Carried) != 0 {
		return 0, 0, fmt.Errorf("jackpot %+v, the model has %+v", *got, want)
	}
	g.pot, g.carried = want.After, want.Carried
	m.book(ledger.Jackpot(string(d.Game)), want.Paid+want.Rest-want.TopUp-want.Contribution)
	m.book(ledger.Reserve(string(d.Game)), want.TopUp-want.Rest)
	return want.Contribution, want.Paid, nil
}

// winners returns the unit stakes on the jackpot's tiers, the nearest lower tier
// with a winner, and the unit stakes on that, over all tables.
func winners(g *modelGame, units map[[2]int]int64) (top int64, tier int, lower int64) {
	for key, n := range units {
		switch {
		case g.Tables[key[0]].Tiers[key[1]].Jackpot:
			top += n
		case lower == 0 || key[1] < tier:
			tier, lower = key[1], n
		case key[1] == tier:
			lower += n
		}
	}
	return top, tier, lower
}

// selling are the draws that a wager at this moment may enter, soonest first, at most so many.
func (m *model) selling(g *modelGame, asked int) (draws []*modelDraw) {
	var open []*modelDraw
	for _, d := range m.live {
		if d.game == g && d.state == draw.Selling && m.now.Before(d.ClosesAt) {
			open = append(open, d)
		}
	}
	slices.SortFunc(open, byTime)
	for _, d := range open {
		if len(draws) < asked && d.Day == open[0].Day && d.Session == open[0].Session {
			draws = append(draws, d)
		}
	}
	return draws
}

// nextJackpot is what the jackpot of the next draw that can be sold is at least,
// known once what is drawn before it is certified or cancelled.
func (m *model) nextJackpot(g *modelGame) (amount money.Amount, known bool) {
	draws := slices.DeleteFunc(slices.Clone(m.live), func(d *modelDraw) bool { return d.game != g || d.state == draw.Certified || d.state == draw.Cancelled })
	if len(draws) == 0 {
		return 0, false
	}
	first := slices.MinFunc(draws, byTime)
	if first.state == draw.Closed || !m.now.Before(first.ClosesAt) {
		return 0, false
	}
	return max(g.pot, g.Jackpot.Minimum), true
}

// tableFor is the prize table of a draw where it is sold, by the promotions.
func tableFor(g *modelGame, d *modelDraw, territory string) int {
	within := func(span [2]int) bool { return span[0] <= d.Number && d.Number <= span[1] }
	for _, p := range g.Promotions {
		if p.First <= d.Day && d.Day <= p.Last && slices.ContainsFunc(p.Draws, within) && slices.Contains(p.Territories, territory) {
			return p.Table
		}
	}
	return 0
}

// expand lists the combinations that a board stands for, by trying all that
// the game has: one of each column, and of the other matrices what is picked of them.
func expand(g *modelGame, picks game.Picks, all []game.Picks) (list []game.Picks) {
	for _, c := range all {
		in := true
		for m := range g.Matrices {
			in = in && !slices.ContainsFunc(c[m], func(e int) bool { return !slices.Contains(picks[m], e) })
		}
		if in {
			list = append(list, c)
		}
	}
	return list
}

// everything lists all combinations of a small game.
func everything(r *game.Rules) (all []game.Picks) {
	for c := range r.Size() {
		all = append(all, r.Picks(game.Combination(c)))
	}
	return all
}

// expire moves to the reserve what was not claimed in time.
func (m *model) expire() {
	for _, g := range m.games {
		for _, id := range slices.Sorted(maps.Keys(g.claims)) {
			last := g.claims[id]
			unfinished := slices.ContainsFunc(m.live, func(d *modelDraw) bool { return d.game == g && d.Day == last.Day && !d.over() })
			if m.now.Before(g.claimsOver(last)) || unfinished {
				continue
			}
			for _, a := range []ledger.Account{ledger.Prize(int64(id)), ledger.Back(int64(id))} {
				m.book(ledger.Reserve(string(g.Code)), m.accounts[a])
				delete(m.accounts, a)
			}
			delete(g.claims, id)
		}
	}
}
