package office

import (
	"math/big"
	"net/http"
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
	Moves     []drawLine // of Lines those that moved the jackpot
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
	var err error
	if p.Day, err = dayOf(q.Get("jour"), today); err != nil {
		return err
	}
	p.Before, p.After, p.Today = p.Day-1, p.Day+1, p.Day == today
	var code game.Code
	if p.Choice, code, err = o.choose(q.Get("jeu")); err != nil {
		return err
	}
	if code != "" {
		g, err := o.gameDay(r, code, p.Day, p.Today && !p.Whole)
		if err != nil {
			return err
		}
		status, err := o.app.Sys.Status(code)
		if err != nil {
			return err
		}
		p.Game, p.Stopped = &g, status.Stopped
	}
	list, err := o.app.Sys.Proposals(r.Context())
	if err != nil {
		return err
	}
	for _, c := range list {
		if c.DecidedAt.IsZero() {
			p.Waiting++
		}
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
	http.Redirect(w, r, pathDraws+"?fait=horloge", http.StatusSeeOther)
	return nil
}

func (o office) gameDay(r *http.Request, code game.Code, day game.Day, around bool) (gameDay, error) {
	rules, err := o.app.Sys.Rules(code)
	if err != nil {
		return gameDay{}, err
	}
	views, err := o.app.Sys.Draws(r.Context(), code, day)
	if err != nil {
		return gameDay{}, err
	}
	g := gameDay{
		Code: code, Name: rules.Name, Version: rules.Version, Unit: rules.UnitStake, Times: len(rules.Multipliers) > 0, Jackpot: rules.Jackpot != nil,
		Liability: rules.Liability(0), Expected: percent(rules.Odds(0).Payout, page.LangOf(r)),
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
	g.cut(around)
	for _, line := range g.Lines {
		if line.Settled && line.Settlement.Jackpot != nil {
			g.Moves = append(g.Moves, line)
		}
	}
	g.Paces, err = o.paces(code, day, rules.UnitStake, page.LangOf(r))
	return g, err
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

// paces are the figures of the draws of a day that sell, soonest first.
func (o office) paces(code game.Code, day game.Day, unit money.Amount, lang page.Lang) ([]paceLine, error) {
	figures, err := o.app.Sys.Figures(code)
	if err != nil {
		return nil, err
	}
	var list []paceLine
	for _, f := range figures {
		if f.Draw.Day != day || len(list) == pacesMax && !f.Alarm { // an alarm is never left out
			continue
		}
		line := paceLine{Figure: f, Worth: euros(f.Value, lang), Share: percent(new(big.Rat).Quo(f.Value, unit.Rat()), lang)}
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
	text := value.FloatString(4)
	if lang == page.French {
		return strings.Replace(text, ".", ",", 1) + "\u00a0€"
	}
	return "€" + text
}

// percent writes a rate as a percentage with two decimals; none as "".
func percent(rate *big.Rat, lang page.Lang) string {
	if rate == nil {
		return ""
	}
	text := new(big.Rat).Mul(rate, big.NewRat(100, 1)).FloatString(2)
	if lang == page.French {
		text = strings.Replace(text, ".", ",", 1)
	}
	return text
}
