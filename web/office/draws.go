package office

import (
	"math/big"
	"net/http"
	"slices"
	"strings"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/money"
	"tirage/party"
	"tirage/web/page"
)

// drawsPage is the draws of a day, game by game.
type drawsPage struct {
	frame
	Day           game.Day
	Before, After game.Day
	Today         bool
	Whole         bool // all draws of the day, not only those around now
	Games         []gameDay
	Stopped       bool   // this node's clock is off
	Key           string // of the command that confirms it
	Notice        string
}

// gameDay is the draws of a game on a day.
type gameDay struct {
	Code      game.Code
	Name      game.Text
	Version   string
	Liability money.Amount // the most that one combination can cost a draw; 0: no cap
	Expected  string       // share of the stakes that prizes give back on average, by the rule book, as a percentage
	Actual    string       // the same of the settled draws; empty while they have no stakes
	Lines     []drawLine
	Hidden    int          // lines left out
	Stakes    money.Amount // of all draws
	Settled   money.Amount // stakes of the settled draws
	Prizes    money.Amount // of the settled draws
	States    []stateCount
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
}

// Around now, so many draws are shown that are closed, and so many to come.
const (
	linesBefore = 15
	linesAfter  = 10
)

func (o office) drawsPage(w http.ResponseWriter, r *http.Request, _ party.Officer) error {
	p := drawsPage{frame: o.frame(r, "draws.title", pathDraws), Whole: r.URL.Query().Get("tout") != "", Key: page.NewKey()}
	today := game.DayOf(p.Now, p.Zone)
	p.Day = today
	if text := r.URL.Query().Get("jour"); text != "" {
		var err error
		if p.Day, err = game.ParseDay(text); err != nil {
			return err
		}
	}
	p.Before, p.After, p.Today = p.Day-1, p.Day+1, p.Day == today
	for _, code := range o.app.Sys.Games() {
		g, err := o.gameDay(r, code, p.Day, p.Today && !p.Whole)
		if err != nil {
			return err
		}
		p.Games = append(p.Games, g)
		status, err := o.app.Sys.Status(code)
		if err != nil {
			return err
		}
		p.Stopped = p.Stopped || status.Stopped
	}
	if !p.Stopped && r.URL.Query().Get("fait") == "horloge" {
		var err error
		if p.Notice, err = face.T(p.Lang, "draws.confirmed"); err != nil {
			return err
		}
	}
	return face.Render(w, r, http.StatusOK, "draws", p)
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
		Code: code, Name: rules.Name, Version: rules.Version,
		Liability: rules.Liability(0), Expected: percent(rules.Odds(0).Payout, page.LangOf(r)),
	}
	states := map[draw.State]int{}
	for _, v := range views {
		line := drawLine{DrawView: v, Settled: v.Settlement != nil}
		if line.Settled {
			g.Settled = g.Settled.Add(v.Stakes)
			for _, share := range v.Settlement.Shares {
				line.Prizes = line.Prizes.Add(share.Total)
			}
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
	return g, nil
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
