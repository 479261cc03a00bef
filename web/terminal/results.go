package terminal

import (
	"fmt"
	"net/http"

	"tirage/central"
	"tirage/game"
	"tirage/web/page"
)

// resultsPage is the last draws of a game, the newest with its prizes.
type resultsPage struct {
	frame
	Games  []door
	Rules  *game.Rules
	Latest *drawn
	Others []drawn // newest first
	Sets   []game.Text
}

// drawn is a draw with its result.
type drawn struct {
	central.DrawView
	Elements played // of each drawn set, in the order drawn
	Prizes   []page.Tier
}

func (t *terminal) resultsPage(w http.ResponseWriter, r *http.Request, s seat) error {
	here := s.games[0]
	if code := r.PathValue("game"); code != "" {
		if here = bookOf(s.games, code); here == nil {
			return fmt.Errorf("%w: %.40q", central.ErrUnknownGame, code)
		}
	} else if asked := bookOf(s.games, r.URL.Query().Get("jeu")); asked != nil {
		here = asked
	}
	f, err := t.frame(r, s, "results.title", pathResults)
	if err != nil {
		return err
	}
	status, err := t.app.Sys.Status(here.Code)
	if err != nil {
		return err
	}
	p := resultsPage{frame: f, Rules: here}
	for i, g := range s.games {
		p.Games = append(p.Games, door{
			Rules: g, Logo: page.LogoOf(g.Code), Here: g == here, Address: withState(pathResults+"/"+string(g.Code), r.URL.Query()),
			Next: len(s.games) > 1 && s.games[(i+len(s.games)-1)%len(s.games)] == here,
		})
	}
	if err := p.add(t, status.Last); err != nil {
		return err
	}
	return face.Render(w, r, http.StatusOK, "results", p)
}

// add adds draws with a result, newest first.
func (p *resultsPage) add(t *terminal, views []central.DrawView) error {
	for _, v := range views {
		r, err := t.app.Sys.RulesByHash(v.Rules)
		if err != nil {
			return err
		}
		d := drawnOf(r, v)
		if p.Latest == nil {
			p.Latest, p.Sets = &d, setNames(r)
			continue
		}
		p.Others = append(p.Others, d)
	}
	return nil
}

// setNames are the names of what is drawn.
func setNames(r *game.Rules) []game.Text {
	var list []game.Text
	for _, set := range r.Sets {
		name := set.Name
		if name.FR == "" {
			name = r.Matrices[set.Matrix].Name
		}
		list = append(list, name)
	}
	return list
}

// drawnOf writes the result of a draw in words.
func drawnOf(r *game.Rules, v central.DrawView) drawn {
	d := drawn{DrawView: v}
	for i, set := range r.Sets {
		m := r.Matrices[set.Matrix]
		c := chosen{Matrix: m, Look: page.LookOf(m), Short: true}
		for _, n := range v.Result[i] {
			name := m.Elements[n-1].Name
			c.Names, c.Short = append(c.Names, name), c.Short && len(name.FR) <= 3
		}
		d.Elements.Chosen = append(d.Elements.Chosen, c)
	}
	if v.Settlement != nil {
		d.Prizes = page.TiersOf(r, v)
	}
	return d
}
