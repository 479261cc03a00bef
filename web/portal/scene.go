package portal

import (
	"slices"

	"tirage/central"
	"tirage/game"
	"tirage/money"
	"tirage/web/page"
)

// drawn is a draw with its result, as the pages of results show it.
type drawn struct {
	central.DrawView
	Game       game.Text
	Logo       string
	Scenes     []scene // by matrix; nil before the result (F17)
	Multiplier bool
	Outcome    string // key of the sentence on its jackpot; "": none
	Paid       money.Amount
	Sets       []game.Text
	Tiers      []page.Tier // nil before the settlement (F19)
}

// scene is the elements of a matrix, those drawn lit.
type scene struct {
	Name    game.Text
	Look    page.Look
	Columns [][]lamp // one, unless the matrix has columns
	Drawn   []lamp   // in the order drawn
}

// lamp is an element.
type lamp struct {
	N     int // from 1, as the records have it
	Name  game.Text
	Art   string
	X, Y  int
	Order int // in which it was drawn, from 1; 0: it was not
	Short bool
}

func newDrawn(r *game.Rules, v central.DrawView) (drawn, error) {
	d := drawn{DrawView: v, Game: r.Name, Logo: page.LogoOf(r.Code), Multiplier: len(r.Multipliers) > 0}
	for _, set := range r.Sets {
		name := set.Name
		if name.FR == "" {
			name = r.Matrices[set.Matrix].Name
		}
		d.Sets = append(d.Sets, name)
	}
	if v.Result == nil {
		return d, nil
	}
	for i, m := range r.Matrices {
		s, err := newScene(r, i, m, v.Result)
		if err != nil {
			return d, err
		}
		d.Scenes = append(d.Scenes, s)
	}
	if v.Settlement != nil {
		d.Tiers = page.TiersOf(r, v)
		if j := v.Settlement.Jackpot; j != nil {
			d.Outcome, d.Paid = "jackpot."+j.End.String(), j.Paid
		}
	}
	return d, nil
}

func newScene(r *game.Rules, matrix int, m game.Matrix, result game.Result) (scene, error) {
	s := scene{Name: m.Name, Look: page.LookOf(m), Columns: make([][]lamp, max(1, m.Columns))}
	var order []int
	for i, set := range r.Sets {
		if set.Matrix == matrix {
			order = append(order, result[i]...)
		}
	}
	s.Drawn = make([]lamp, len(order))
	for i, e := range m.Elements {
		x := lamp{N: i + 1, Name: e.Name, Art: s.Look.ArtOf(e), Order: slices.Index(order, i+1) + 1, Short: len(e.Name.FR) < 4}
		if s.Look == page.LookIsland {
			spot, err := page.SpotOf(e.Key)
			if err != nil {
				return s, err
			}
			x.X, x.Y = spot.X, spot.Y
		}
		column := 0
		if m.Columns > 0 {
			column = m.Column(i + 1)
		}
		s.Columns[column] = append(s.Columns[column], x)
		if x.Order > 0 {
			s.Drawn[x.Order-1] = x
		}
	}
	return s, nil
}
