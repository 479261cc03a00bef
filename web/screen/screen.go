// Package screen is the face on a café's wall, at /ecran, or /ecran/GAME: the
// countdown to the next draw, the draw itself, on the map of the island or in
// columns of numbers, its jackpot and prizes, and the last results. No hand is on it, so it looks after itself: it follows the server by
// server-sent events (events.go), comes back by itself, says how old it is when
// the line is down, and never shows a number before its record (F17).
//
// Start with [Routes]; what a screen knows is the state of state.go, and
// static/scene.js turns it, with the time, into what is seen.
package screen

import (
	"embed"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"tirage/game"
	"tirage/web/page"
)

//go:embed templates/*.html static active.*.yaml
var files embed.FS

var face = page.MustFace("screen", files)

// Routes registers the screen.
func Routes(mux *http.ServeMux, app *page.App) {
	newStreams(app, build()).routes(mux)
}

func (s *streams) routes(mux *http.ServeMux) {
	app := s.app
	app.Mount(mux, face)
	wallOf := func(w http.ResponseWriter, r *http.Request) error {
		if waits(app, r) {
			return face.Render(w, r, http.StatusOK, "soon", soon{face.Base(r, "title")})
		}
		p, err := newWall(app, r, s)
		if err != nil {
			return err
		}
		return face.Render(w, r, http.StatusOK, "wall", p)
	}
	app.Handle(mux, "GET /ecran", face, wallOf)
	app.Handle(mux, "GET /ecran/{jeu}", face, wallOf)
	app.Handle(mux, "GET /ecran/events", face, s.serve)
}

// defaultGame is shown when the address names none.
const defaultGame game.Code = "ile-au-tresor"

// waits tells whether the game of a wall is still to come: the address names
// none and the default one has no rule book yet, or no game has any.
func waits(app *page.App, r *http.Request) bool {
	games := app.Sys.Games()
	return len(games) == 0 || named(r) == "" && !slices.Contains(games, defaultGame)
}

// named is the game that an address names, in its path or its query; "" when none.
func named(r *http.Request) string {
	if code := r.PathValue("jeu"); code != "" {
		return code
	}
	return r.URL.Query().Get("jeu")
}

func gameOf(r *http.Request) game.Code {
	if code := named(r); code != "" {
		return game.Code(code)
	}
	return defaultGame
}

// langOf is the language that a page asks its events in: its own, whatever its
// viewer has chosen since on another page.
func langOf(r *http.Request) page.Lang {
	for _, l := range page.Langs {
		if r.URL.Query().Get("langue") == l.String() {
			return l
		}
	}
	return page.LangOf(r)
}

// soon is the page of a screen while there is no game yet. It asks again by itself.
type soon struct{ page.Base }

// wall is the page of a screen.
type wall struct {
	page.Base
	Game       game.Text
	Stake      string  // unit stake, to which the prizes refer
	Main       scene   // the first matrix
	Sides      []scene // the others, whose elements step forward at the end of a draw
	Multiplier bool
	Jackpot    bool
	Sets       []game.Text
	Zone       string
	Events     string
	// Silence is after how many ms without a word of the server the line is called down.
	Silence int64
	State   state
}

// scene is the lamps of one matrix, placed.
type scene struct {
	Name    game.Text
	Look    page.Look
	Columns [][]lamp // one, unless the matrix has columns
}

// Lamps are those of a matrix without columns.
func (s scene) Lamps() []lamp { return s.Columns[0] }

// lamp is an element of the game: dark, until a result lights it.
type lamp struct {
	Key   string
	Name  game.Text
	Art   string   // "": its name stands for it
	Lines []string // the name, on one line or two
	X, Y  int
	Lit   bool // in the last result: seen without script
}

func newWall(app *page.App, r *http.Request, s *streams) (wall, error) {
	code := gameOf(r)
	rules, err := app.Sys.Rules(code)
	if err != nil {
		return wall{}, err
	}
	lang := page.LangOf(r)
	status, err := app.Sys.Status(code)
	if err != nil {
		return wall{}, err
	}
	st, err := newState(app.Sys, rules, status, lang, s.build)
	if err != nil {
		return wall{}, err
	}
	w := wall{
		Base: face.Base(r, "title"), Game: rules.Name, Stake: lang.Euros(rules.UnitStake),
		Multiplier: len(rules.Multipliers) > 0, Jackpot: rules.Jackpot != nil,
		Zone: page.ParisZone().String(), State: st, Silence: s.silence.Milliseconds(),
		Events: "/ecran/events?" + url.Values{"jeu": {string(code)}, "langue": {lang.String()}}.Encode(),
	}
	if w.Title, err = face.T(lang, "title.game", lang.Text(rules.Name)); err != nil {
		return wall{}, err
	}
	for _, set := range rules.Sets {
		w.Sets = append(w.Sets, setName(rules, set))
	}
	for i, m := range rules.Matrices {
		placed, err := newScene(m, lang, st)
		if err != nil {
			return wall{}, fmt.Errorf("screen of %s: %w", code, err)
		}
		if i == 0 {
			w.Main = placed
		} else {
			w.Sides = append(w.Sides, placed)
		}
	}
	return w, nil
}

// setName names a drawn set: a set of its own name, or its matrix'.
func setName(r *game.Rules, s game.Set) game.Text {
	if s.Name.FR != "" {
		return s.Name
	}
	return r.Matrices[s.Matrix].Name
}

func newScene(m game.Matrix, lang page.Lang, st state) (scene, error) {
	lit := map[string]bool{}
	if len(st.Last) > 0 {
		for _, set := range st.Last[0].Sets {
			for _, key := range set {
				lit[key] = true
			}
		}
	}
	s := scene{Name: m.Name, Look: page.LookOf(m), Columns: make([][]lamp, max(1, m.Columns))}
	for i, e := range m.Elements {
		x := lamp{Key: lampKey(m, e), Name: e.Name, Art: s.Look.ArtOf(e), Lines: twoLines(lang.Text(e.Name)), X: 100 + 200*i}
		x.Lit = lit[x.Key]
		if s.Look == page.LookIsland {
			spot, err := page.SpotOf(e.Key)
			if err != nil {
				return scene{}, err
			}
			x.X, x.Y = spot.X, spot.Y
		}
		column := 0
		if m.Columns > 0 {
			column = m.Column(i + 1)
		}
		s.Columns[column] = append(s.Columns[column], x)
	}
	return s, nil
}

// twoLines cuts a long name at the space nearest to its middle.
func twoLines(name string) []string {
	runes := []rune(name)
	if len(runes) <= 12 {
		return []string{name}
	}
	best := -1
	for i, r := range runes {
		if r == ' ' && (best < 0 || abs(2*i-len(runes)) < abs(2*best-len(runes))) {
			best = i
		}
	}
	if best < 0 {
		return []string{name}
	}
	return []string{string(runes[:best]), string(runes[best+1:])}
}

func abs(n int) int { return max(n, -n) }
