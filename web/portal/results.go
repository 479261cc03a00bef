package portal

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/web/page"
)

// resultsPage is the last draws of a game, or those of a day.
type resultsPage struct {
	shell
	Games  []gameChoice
	Game   game.Text
	Code   game.Code
	Latest *drawn  // the newest of the page, shown whole
	Others []drawn // in a line each, the newest first
	Day    string  // asked for, as a date field writes it; "": the last draws
	Of     game.Day
	Before int // draws of a number below this one are on the next page; 0: there are none
	Today  string
}

// gameChoice is a game to choose.
type gameChoice struct {
	Code game.Code
	Name game.Text
	Logo string
	Here bool
}

// resultsMax is how many draws a page lists.
const resultsMax = 60

func (p portal) results(w http.ResponseWriter, r *http.Request) error {
	s, err := p.shell(r, "results.title", pathResults)
	if err != nil {
		return err
	}
	q := r.URL.Query()
	rules, games, err := p.gameOf(q)
	if err != nil {
		return err
	}
	if rules == nil {
		return face.Render(w, r, http.StatusOK, "results", resultsPage{shell: s})
	}
	data := resultsPage{shell: s, Games: games, Game: rules.Name, Code: rules.Code}
	data.Today = draw.DayOf(rules, p.app.Sys.Now()).String()
	views, err := p.resultsAsked(r, rules, q, &data)
	if err != nil {
		return err
	}
	for _, v := range views {
		d, err := p.drawn(v)
		if err != nil {
			return err
		}
		if data.Latest == nil {
			data.Latest = &d
		} else {
			data.Others = append(data.Others, d)
		}
	}
	return face.Render(w, r, http.StatusOK, "results", data)
}

// resultsAsked are the draws with a result that an address asks for, the newest first.
func (p portal) resultsAsked(r *http.Request, rules *game.Rules, q url.Values, data *resultsPage) ([]central.DrawView, error) {
	if q.Get("jour") == "" {
		status, err := p.app.Sys.Status(rules.Code)
		return status.Last, err
	}
	day, err := game.ParseDay(q.Get("jour"))
	if err != nil {
		return nil, err
	}
	data.Day, data.Of = day.String(), day
	below, err := number(q.Get("avant"))
	if err != nil {
		return nil, err
	}
	all, err := p.app.Sys.Draws(r.Context(), rules.Code, day)
	if err != nil {
		return nil, err
	}
	var list []central.DrawView
	for _, v := range slices.Backward(all) {
		if v.Result == nil || v.State == draw.Cancelled || below > 0 && v.Number >= below {
			continue
		}
		if len(list) == resultsMax {
			data.Before = list[len(list)-1].Number
			break
		}
		list = append(list, v)
	}
	return list, nil
}

// number reads a whole number of an address; nothing is 0.
func number(text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0, fmt.Errorf("%w: number %.20q", page.ErrForm, text)
	}
	return int(n), nil
}

func (p portal) drawn(v central.DrawView) (drawn, error) {
	rules, err := p.app.Sys.RulesByHash(v.Rules)
	if err != nil {
		return drawn{}, err
	}
	return newDrawn(rules, v)
}

// gameOf is the rules of the draw game that an address or a form names, the
// first one when it names none, and the choice among all; nil when there is no game.
func (p portal) gameOf(q url.Values) (*game.Rules, []gameChoice, error) {
	codes := p.drawGames()
	if len(codes) == 0 {
		return nil, nil, nil
	}
	here := codes[0]
	if asked := q.Get("jeu"); asked != "" {
		here = game.Code(asked)
	}
	rules, err := p.app.Sys.Rules(here)
	if err != nil {
		return nil, nil, err
	}
	var list []gameChoice
	for _, code := range codes {
		r, err := p.app.Sys.Rules(code)
		if err != nil {
			return nil, nil, err
		}
		list = append(list, gameChoice{code, r.Name, page.LogoOf(code), code == here})
	}
	return rules, list, nil
}

// drawGames lists the draw games, those with a drawing of their own first, L'Ile au Trésor before them.
func (p portal) drawGames() []game.Code {
	codes := slices.Clone(p.app.Sys.Games())
	slices.SortStableFunc(codes, func(a, b game.Code) int { return weight(a) - weight(b) })
	return codes
}

func weight(code game.Code) int {
	switch {
	case code == "ile-au-tresor":
		return 0
	case page.LogoOf(code) != "":
		return 1
	}
	return 2
}
