package office

import (
	"math/big"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/money"
	"tirage/party"
	"tirage/settle"
	"tirage/web/page"
)

// drawsPage is the draws of a game and day.
type drawsPage struct {
	frame
	Day           game.Day
	Before, After game.Day
	Today         bool
	Live          bool // something of the page can still change
	Whole         bool // all draws of the day, not only those around now
	Choice        []gameChoice
	Game          *gameDay // nil: no rule book is published
	Waiting       int      // proposals that no officer has decided on
	Stopped       bool     // this node's clock is off
	Key           string   // of the command that confirms it
	Notice        string
}

// gameChoice is a game that can be looked at.
type gameChoice struct {
	Code game.Code
	Name game.Text
	Here bool // it is what the page shows
}

// gameDay is the draws of a game on a day.
type gameDay struct {
	Code      game.Code
	Name      game.Text
	Version   string
	Unit      money.Amount // the unit stake
	Liability money.Amount // the most that one combination can cost a draw; 0: no cap
	Expected  string       // share of the stakes that prizes give back on average, by the rule book, as a percentage
	Actual    string       // the same of the settled draws; empty while they have no stakes
	Times     bool         // the game has a multiplier
	Jackpot   bool         // and a jackpot
	Funds     central.Funds
	Lines     []drawLine
	Hidden    int          // lines left out
	Stakes    money.Amount // of all draws
	Settled   money.Amount // stakes of the settled draws
	Prizes    money.Amount // of the settled draws
	States    []stateCount
	Paces     []paceLine
	Alarms    []int      // numbers of the draws that are worth more than their price (F20)
	Moves     []drawLine // of Lines those that moved the jackpot
	all       []central.DrawView
}

// stateCount is how many draws of a day stand in a state.
type stateCount struct {
	State string
	Count int
}

// drawLine is a draw with what is known of it.
type drawLine struct {
	central.DrawView
	Settled bool
	Prizes  money.Amount // once settled
	Next    bool         // the next one to close
	Lower   string       // name of the tier that the jackpot rolled down to
}

// OtherDay tells that the draw is on another date than its draw day: after midnight, or postponed.
func (l drawLine) OtherDay(zone *time.Location) bool { return game.DayOf(l.DrawsAt, zone) != l.Day }

// paceLine is how a draw sells, and what playing it is worth (F20).
type paceLine struct {
	central.Figure
	Worth   string // expected value of a unit stake, in euros
	Share   string // the same as a percentage of its price
	Sellers []seller
}

// seller is a terminal among those that staked most on a draw.
type seller struct {
	Terminal string
	Outlet   int          // its outlet's number
	Stakes   money.Amount // that it staked, exactly
	Before   money.Amount // and before that, at most
}

// Around now, so many draws are shown that are closed, and so many to come.
const (
	linesBefore = 15
	linesAfter  = 10
	pacesMax    = 6 // draws whose sales are shown, soonest first
)

func (o office) drawsPage(w http.ResponseWriter, r *http.Request, _ party.Officer) error {
	q := r.URL.Query()
	p := drawsPage{frame: o.frame(r, "draws.title", pathDraws), Whole: q.Get("tout") != "", Key: page.NewKey()}
	today := game.DayOf(p.Now, p.Zone)
	var code game.Code
	var err error
	if p.Choice, code, err = o.choose(q.Get("jeu")); err != nil {
		return err
	}
	if code != "" {
		if today, p.Stopped, err = o.today(code); err != nil {
			return err
		}
	}
	if p.Day, err = dayOf(q.Get("jour"), today); err != nil {
		return err
	}
	p.Before, p.After, p.Today = p.Day-1, p.Day+1, p.Day == today
	p.Live = p.Day >= today
	if code != "" {
		g, err := o.gameDay(r, code, p.Day, span{p.Today, p.Whole})
		if err != nil {
			return err
		}
		p.Game, p.Live = &g, p.Live || !g.over()
	}
	if p.Waiting, err = o.app.Sys.OpenProposals(r.Context()); err != nil {
		return err
	}
	if !p.Stopped && q.Get("fait") == "horloge" {
		if p.Notice, err = face.T(p.Lang, "draws.confirmed"); err != nil {
			return err
		}
	}
	return face.Render(w, r, http.StatusOK, "draws", p)
}

// choose lists the published games, and gives the one that is asked for, or
// the first; "" when there is none.
func (o office) choose(asked string) (list []gameChoice, code game.Code, err error) {
	games := o.app.Sys.Games()
	switch {
	case slices.Contains(games, game.Code(asked)):
		code = game.Code(asked)
	case asked != "":
		return nil, "", central.ErrUnknownGame
	case len(games) > 0:
		code = games[0]
	}
	for _, c := range games {
		rules, err := o.app.Sys.Rules(c)
		if err != nil {
			return nil, "", err
		}
		list = append(list, gameChoice{c, rules.Name, c == code})
	}
	return list, code, nil
}

// today is the draw day of now: the hours after midnight belong to the day
// before, until the sales of the next one open. It also tells whether the node is stopped.
func (o office) today(code game.Code) (day game.Day, stopped bool, err error) {
	status, err := o.app.Sys.Status(code)
	if err != nil {
		return 0, false, err
	}
	rules, err := o.app.Sys.Rules(code)
	if err != nil {
		return 0, false, err
	}
	day = draw.DayOf(rules, status.At)
	for _, d := range status.Upcoming {
		day = max(day, d.Day)
	}
	return day, status.Stopped, nil
}

// over tells that nothing happens to the draws any more, however long one looks at them.
func (g *gameDay) over() bool {
	return !slices.ContainsFunc(g.all, func(v central.DrawView) bool {
		return v.State != draw.Certified && (v.State != draw.Cancelled || !v.Refunded)
	})
}

// span is what a page shows of a day.
type span struct {
	Today bool // it is the present one
	Whole bool // all draws of it, not only those around now
}

// dayOf reads the day of an address; none is today.
func dayOf(text string, today game.Day) (game.Day, error) {
	if text == "" {
		return today, nil
	}
	return game.ParseDay(text)
}

// confirmClock takes an officer's word that this node's clock is right (F18).
func (o office) confirmClock(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	if err := o.app.Sys.ConfirmClock(r.Context(), r.PostForm.Get("key"), officer.ID); err != nil {
		return err
	}
	q := url.Values{"fait": {"horloge"}}
	if jeu := r.PostForm.Get("jeu"); jeu != "" {
		q.Set("jeu", jeu)
	}
	http.Redirect(w, r, pathDraws+"?"+q.Encode(), http.StatusSeeOther)
	return nil
}

func (o office) gameDay(r *http.Request, code game.Code, day game.Day, shown span) (gameDay, error) {
	views, err := o.app.Sys.Draws(r.Context(), code, day)
	if err != nil {
		return gameDay{}, err
	}
	rules, err := o.rulesOf(code, views)
	if err != nil {
		return gameDay{}, err
	}
	g := gameDay{
		all:  views,
		Code: code, Name: rules.Name, Version: rules.Version, Unit: rules.UnitStake, Times: len(rules.Multipliers) > 0, Jackpot: rules.Jackpot != nil,
		Liability: rules.Liability(0), Expected: percent(payoutRate(rules), page.LangOf(r)),
	}
	if g.Funds, err = o.app.Sys.Funds(code); err != nil {
		return gameDay{}, err
	}
	states := map[draw.State]int{}
	for _, v := range views {
		line := o.drawLine(v)
		if line.Settled {
			g.Settled = g.Settled.Add(v.Stakes)
		}
		g.Stakes = g.Stakes.Add(v.Stakes)
		g.Prizes = g.Prizes.Add(line.Prizes)
		states[v.State]++
		g.Lines = append(g.Lines, line)
	}
	for _, state := range []draw.State{draw.Planned, draw.Selling, draw.Closed, draw.Drawn, draw.Settled, draw.Certified, draw.Postponed, draw.Cancelled} {
		if states[state] > 0 {
			g.States = append(g.States, stateCount{state.String(), states[state]})
		}
	}
	if g.Settled > 0 {
		g.Actual = percent(big.NewRat(int64(g.Prizes), int64(g.Settled)), page.LangOf(r))
	}
	g.cut(shown.Today && !shown.Whole)
	for _, line := range g.Lines {
		if line.Settled && line.Settlement.Jackpot != nil {
			g.Moves = append(g.Moves, line)
		}
	}
	if g.Paces, err = o.paces(code, day, shown.Today, page.LangOf(r)); err != nil {
		return g, err
	}
	for _, pace := range g.Paces {
		if pace.Alarm {
			g.Alarms = append(g.Alarms, pace.Draw.Number)
		}
	}
	return g, nil
}

// AlarmNumbers are the numbers of the draws with an alarm: "95, 96".
func (g *gameDay) AlarmNumbers() string { return join(g.Alarms) }

// rulesOf is the rule book of the draws of a day, or the one in force where there is none.
func (o office) rulesOf(code game.Code, views []central.DrawView) (*game.Rules, error) {
	if len(views) == 0 {
		return o.app.Sys.Rules(code)
	}
	return o.app.Sys.RulesByHash(views[0].Rules)
}

// payoutRate is the theoretical one of a rule book: what its fixed prizes give
// back, and what the jackpot takes of the stakes for its winners (AMI-8.2).
func payoutRate(rules *game.Rules) *big.Rat {
	rate := rules.Odds(0).Payout
	if rules.Jackpot != nil {
		rate = new(big.Rat).Add(rate, rules.Jackpot.Share)
	}
	return rate
}

// drawLine is a draw with its prizes.
func (o office) drawLine(v central.DrawView) drawLine {
	line := drawLine{DrawView: v, Settled: v.Settlement != nil}
	if !line.Settled {
		return line
	}
	for _, share := range v.Settlement.Shares {
		line.Prizes = line.Prizes.Add(share.Total)
	}
	if j := v.Settlement.Jackpot; j != nil && j.End == settle.JackpotRolledDown {
		line.Lower = strconv.Itoa(j.Tier + 1)
		if rules, err := o.app.Sys.RulesByHash(v.Rules); err == nil && j.Tier < len(rules.Tables[0].Tiers) {
			line.Lower = rules.Tables[0].Tiers[j.Tier].Name
		}
	}
	return line
}

// cut marks the next draw to close, and keeps those around it only, if asked to.
func (g *gameDay) cut(around bool) {
	next := slices.IndexFunc(g.Lines, func(l drawLine) bool { return l.State == draw.Planned || l.State == draw.Selling })
	if next >= 0 {
		g.Lines[next].Next = true
	} else {
		next = len(g.Lines)
	}
	if around {
		all := len(g.Lines)
		g.Lines = g.Lines[max(0, next-linesBefore):min(all, next+linesAfter)]
		g.Hidden = all - len(g.Lines)
	}
}

// paces are the figures of the draws of a day that sell, soonest first; with
// today's draws, those of whatever day: a postponed one sells among them.
func (o office) paces(code game.Code, day game.Day, today bool, lang page.Lang) ([]paceLine, error) {
	figures, err := o.app.Sys.Figures(code)
	if err != nil {
		return nil, err
	}
	var list []paceLine
	for _, f := range figures {
		if !today && f.Draw.Day != day || len(list) >= pacesMax && !f.Alarm { // an alarm is never left out
			continue
		}
		rules, err := o.app.Sys.RulesByHash(f.Draw.Rules)
		if err != nil {
			return nil, err
		}
		line := paceLine{Figure: f, Worth: euros(f.Value, lang), Share: percent(new(big.Rat).Quo(f.Value, rules.UnitStake.Rat()), lang)}
		for _, v := range f.Sellers {
			s := seller{Terminal: v.Terminal, Stakes: v.Stakes, Before: v.Before}
			if _, outlet, err := o.app.Sys.Terminal(v.Terminal); err == nil {
				s.Outlet = outlet.Number
			}
			line.Sellers = append(line.Sellers, s)
		}
		list = append(list, line)
	}
	return list, nil
}

// euros writes an exact amount with four decimals: less than a cent counts here.
func euros(value *big.Rat, lang page.Lang) string {
	if lang == page.French {
		return decimals(value, 4, lang) + "\u00a0€"
	}
	return "€" + decimals(value, 4, lang)
}

// percent writes a rate as a percentage with two decimals; none as "".
func percent(rate *big.Rat, lang page.Lang) string {
	if rate == nil {
		return ""
	}
	return decimals(new(big.Rat).Mul(rate, big.NewRat(100, 1)), 2, lang)
}

// decimals writes a number that is not negative with so many decimals, its
// thousands apart as the language has them.
func decimals(value *big.Rat, places int, lang page.Lang) string {
	whole, rest, _ := strings.Cut(value.FloatString(places), ".")
	if n, err := strconv.ParseInt(whole, 10, 64); err == nil {
		whole = lang.Number(n)
	}
	if lang == page.French {
		return whole + "," + rest
	}
	return whole + "." + rest
}
