package terminal

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"unicode/utf8"

	"tirage/game"
	"tirage/money"
	"tirage/wager"
	"tirage/web/page"
)

// matrix is the boxes of a matrix, with what is ticked. It is drawn by its
// shape, so that any published book can be sold: places of the island on the
// map, columns as columns, elements with a portrait as portraits, all else as a grid.
type matrix struct {
	game.Matrix
	Look   page.Look
	Rows   [][]box // columns of boxes; one, unless the matrix has columns
	Ticked int
	Fault  bool // refused
	// Extra is how many more elements than Pick a multiple play may have.
	Extra int
	Side  bool // stands beside the first matrix: it is small, and the only other one
	Wide  bool // has names too long for a small box
	One   bool // one element only: ticking one unticks the other
}

type box struct {
	N       int
	Element game.Element
	Art     string // name of its drawing; "": none
	Key     string // of the keyboard; "": none
	Column  int    // from 0
	Ticked  bool
}

// letters are the keys of the boxes, matrix after matrix; Y is the quick pick's.
const letters = "ABCDEFGHIJKLMNOPQRSTUVWX"

// sideMax is how many elements a matrix beside the first one has at most.
const sideMax = 12

// keyed tells whether each element has a key of its own on the keyboard.
func keyed(r *game.Rules) bool {
	n := 0
	for _, m := range r.Matrices {
		n += len(m.Elements)
	}
	return n <= len(letters)
}

func matrices(r *game.Rules, picks game.Picks) []matrix {
	var list []matrix
	next := 0
	for i, m := range r.Matrices {
		x := matrix{
			Matrix: m, Look: page.LookOf(m), Ticked: len(picks[i]), Extra: extraOf(r, i), Rows: make([][]box, max(1, m.Columns)),
			Side: i == 1 && len(r.Matrices) == 2 && len(m.Elements) <= sideMax && len(r.Matrices[0].Elements) > sideMax,
			Wide: slices.ContainsFunc(m.Elements, func(e game.Element) bool { return utf8.RuneCountInString(e.Name.FR) > 3 }),
		}
		x.One = m.Pick == 1 && m.Columns == 0 && x.Extra == 0
		for n, e := range m.Elements {
			b := box{N: n + 1, Element: e, Art: x.Look.ArtOf(e), Ticked: slices.Contains(picks[i], n+1)}
			if m.Columns > 0 {
				b.Column = m.Column(n + 1)
			}
			if keyed(r) {
				b.Key = letters[next : next+1]
				next++
			}
			x.Rows[b.Column] = append(x.Rows[b.Column], b)
		}
		list = append(list, x)
	}
	return list
}

// extraOf is how many elements of a matrix a multiple play may have beyond those of a combination.
func extraOf(r *game.Rules, matrix int) int {
	switch {
	case len(r.Multiple.Shapes) == 0 && r.Multiple.AlsoMax <= 1:
		return 0
	case matrix == r.Multiple.Also:
		return max(0, r.Multiple.AlsoMax-r.Matrices[matrix].Pick)
	case matrix == r.Multiple.Matrix:
		most := 0
		for _, s := range r.Multiple.Shapes {
			most = max(most, s.Extras*s.Columns)
		}
		return most
	}
	return 0
}

// typed tells whether the boxes can be ticked by typing their names: then no
// two elements of a matrix have the same.
func typed(r *game.Rules) bool {
	if keyed(r) {
		return false
	}
	for _, m := range r.Matrices {
		seen := map[string]bool{}
		for _, e := range m.Elements {
			if _, err := strconv.Atoi(e.Name.FR); err != nil || seen[e.Name.FR] {
				return false
			}
			seen[e.Name.FR] = true
		}
	}
	return true
}

// choice is a stake, a number of draws, a shape or a number of elements.
type choice struct {
	Value  int64
	Label  string
	Text   string // of a shape, as forms write it
	N      int    // keyboard: the digit
	Marked bool
	Cut    bool // more draws than the session has left
	Of     int64
}

func choices(l page.Lang, r *game.Rules, draft slip, left int) (stakes, draws []choice) {
	for i, a := range r.Stakes {
		stakes = append(stakes, choice{Value: int64(a), Label: l.Euros(a), N: i + 1, Marked: a == draft.stake})
	}
	for i, n := range r.DrawCounts {
		draws = append(draws, choice{Value: int64(n), Label: strconv.Itoa(n), N: i + 1, Marked: n == draft.draws, Cut: n > left && left > 0})
	}
	return stakes, draws
}

// asks lists what a quick pick of a multiple play may be asked for: its shape
// and its number of elements of the other matrix. Both are empty in games without multiple play.
func asks(r *game.Rules, ask wager.Board) (shapes, also []choice) {
	if len(r.Multiple.Shapes) == 0 {
		return nil, nil
	}
	shapes = append(shapes, choice{Text: "", Of: 1, Marked: ask.Shape == game.Shape{}})
	for _, s := range r.Multiple.Shapes {
		shapes = append(shapes, choice{
			Text: shapeText(s), Label: s.String(), Of: s.Combinations(1), Marked: ask.Shape == s,
		})
	}
	for n := 1; n <= r.Multiple.AlsoMax; n++ {
		also = append(also, choice{Value: int64(n), Label: strconv.Itoa(n), Marked: max(1, ask.Also) == n})
	}
	return shapes, also
}

// combinations is how many combinations boards stand for by the rules; 0 while
// they are not allowed or not complete.
func combinations(r *game.Rules, boards ...wager.Board) int64 {
	s := wager.Slip{Game: r.Code, Boards: boards, Stake: r.Stakes[0], Draws: r.DrawCounts[0]}
	w, err := wager.New(r, s)
	if err != nil {
		return 0
	}
	return int64(w.Price(1) / r.Stakes[0])
}

// played is a board in words.
type played struct {
	N            int    // from 1, on its slip
	Letter       string // A, B, …: several boards on a slip
	Chosen       []chosen
	Combinations int64
	Flash        bool
	Shape        string // of a quick pick of a multiple play, "2×3"
	Form         string // of a multiple play, as the page's script compares it, "2x3"
	Also         int
}

// Multiple tells whether the board stands for several combinations.
func (p played) Multiple() bool { return p.Combinations > 1 }

// chosen is what a board has of a matrix, in words, and how many a quick pick adds.
type chosen struct {
	Matrix game.Matrix
	Look   page.Look
	Names  []game.Text
	Random int
	Short  bool // numbers: they stand side by side
}

func playedOf(r *game.Rules, n int, b wager.Board, of int64) played {
	p := played{N: n, Letter: letterOf(cmp.Or(b.Letter, n)), Chosen: chosenOf(r, b), Combinations: of, Flash: b.QuickPick, Also: b.Also}
	if b.Shape != (game.Shape{}) {
		p.Shape = b.Shape.String()
	}
	form := b.Shape
	if !b.QuickPick {
		form, _, _ = r.ShapeOf(b.Picks) // none of marks that are not right
	}
	p.Form = shapeText(form)
	return p
}

func letterOf(n int) string { return string(rune('A' + (n-1)%26)) }

// nextLetter is the letter, from 1, of a board after others.
func nextLetter(boards []wager.Board) int {
	most := 0
	for i, b := range boards {
		most = max(most, cmp.Or(b.Letter, i+1))
	}
	return most + 1
}

func chosenOf(r *game.Rules, b wager.Board) []chosen {
	var list []chosen
	for i, m := range r.Matrices {
		c := chosen{Matrix: m, Look: page.LookOf(m), Short: true}
		for _, n := range b.Picks[i] {
			if n >= 1 && n <= len(m.Elements) {
				c.Names = append(c.Names, m.Elements[n-1].Name)
			}
		}
		c.Short = !slices.ContainsFunc(m.Elements, func(e game.Element) bool { return utf8.RuneCountInString(e.Name.FR) > 3 })
		if b.QuickPick {
			want := m.Pick
			switch {
			case i == r.Multiple.Matrix && len(r.Multiple.Shapes) > 0:
				want += b.Shape.Extras * b.Shape.Columns
			case i == r.Multiple.Also && len(r.Multiple.Shapes) > 0:
				want = max(want, b.Also)
			}
			c.Random = max(0, want-len(b.Picks[i]))
		}
		list = append(list, c)
	}
	return list
}

// quote is what the slip being filled in would cost. The page computes it
// again at each click; what is sold costs what the ledger says.
type quote struct {
	Combinations int // of all boards; 0: not complete
	Stake        money.Amount
	PerDraw      money.Amount
	Draws        int // that it would enter
	Total        money.Amount
}

func (d desk) quote(left int, flash bool) quote {
	s := d.whole(flash)
	q := quote{Combinations: int(combinations(d.rules, s.boards...)), Stake: s.stake, Draws: s.draws}
	if d.rules.OverRun == game.CutOverRun && left > 0 {
		q.Draws = min(q.Draws, left)
	}
	q.PerDraw = s.stake.Times(int64(q.Combinations))
	q.Total = q.PerDraw.Times(int64(q.Draws))
	return q
}

// offer is a mark that would make a slip fit under the limit of the game.
type offer struct {
	Name  string // "stake", "draws"
	Value int64
	Stake money.Amount // of the one
	Draws int          // of the other
	Price money.Amount
}

// offers are the marks with which a slip that was refused for its price still
// fits (AMI-5.2): fewer draws, or a lower stake.
func (d desk) offers(flash bool, refusal error) []offer {
	e, ok := errors.AsType[*wager.LimitError](refusal)
	if !ok {
		return nil
	}
	combinations := combinations(d.rules, d.whole(flash).boards...)
	price := func(stake money.Amount, draws int) money.Amount { return stake.Times(combinations).Times(int64(draws)) }
	var list []offer
	if e.Draws > 0 {
		list = append(list, offer{Name: "draws", Value: int64(e.Draws), Draws: e.Draws, Price: price(d.draft.stake, e.Draws)})
	}
	if e.Stake > 0 {
		list = append(list, offer{Name: "stake", Value: int64(e.Stake), Stake: e.Stake, Price: price(e.Stake, d.draft.draws)})
	}
	return list
}
