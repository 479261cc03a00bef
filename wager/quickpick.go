package wager

import (
	"fmt"
	"slices"
	"strconv"

	"tirage/game"
	"tirage/rng"
)

// Play is one board as sold: all its elements, and which of them were random.
type Play struct {
	Picks        game.Picks
	Random       game.Picks         // the elements that a quick pick drew; nil when none
	Combinations []game.Combination // that it stands for: one, or those of a multiple play (AMI-3.1.7)
}

// Plays returns the boards with what is missing drawn (Système Flash, IAT-2.4,
// AMI-3.2): every completion to a play of the shape asked for is equally
// likely, and boards are independent (F23). It is a function of seed and
// attempt, so a command that runs twice gives the same combination; the next
// attempt gives another when a cap refuses one (IAT-3). docs/rng.md gives the streams.
func (w Wager) Plays(seed rng.Seed, attempt int) []Play {
	plays := make([]Play, len(w.Slip.Boards))
	for i, b := range w.Slip.Boards {
		play := Play{Picks: b.Picks, Random: b.Drawn}
		if w.missing(b) > 0 {
			purpose := "quick-pick/" + strconv.Itoa(attempt) + "/" + strconv.Itoa(i)
			play = complete(w.Rules, b, rng.NewStream(seed, purpose).Choose)
		}
		combinations, err := w.Rules.Expand(play.Picks)
		assert(err == nil && int64(len(combinations)) == b.combinations(), "play of another shape than its board")
		play.Combinations = combinations
		plays[i] = play
	}
	return plays
}

// DrawnByTerminal returns the slip with what its quick picks miss drawn as by
// [Wager.Plays], and so marked: what a terminal sells under the reading
// quick_pick_by: terminal (IAT-2.4). Under the other the slip is as it was.
func (w Wager) DrawnByTerminal(seed rng.Seed, attempt int) Slip {
	s := w.Slip
	if w.Rules.QuickPick.By != game.ByTerminal {
		return s
	}
	s.Boards = slices.Clone(s.Boards)
	for i, play := range w.Plays(seed, attempt) {
		s.Boards[i].Picks, s.Boards[i].Drawn = play.Picks, play.Random
	}
	return s
}

// CheckDrawn refuses a slip that its terminal should have completed, under the
// reading quick_pick_by: terminal, with [game.ErrTooFew].
func (w Wager) CheckDrawn() error {
	if w.Rules.QuickPick.By != game.ByTerminal {
		return nil
	}
	for i, b := range w.Slip.Boards {
		if n := w.missing(b); n > 0 {
			return fmt.Errorf("%w: board %d misses %d elements that its terminal draws", game.ErrTooFew, b.letter(i), n)
		}
	}
	return nil
}

// chooser is the choice of a stream, [rng.Stream.Choose].
type chooser func(n, k int) []int

// complete draws, matrix after matrix, what a checked board misses.
func complete(r *game.Rules, b Board, choose chooser) Play {
	play := Play{Picks: make(game.Picks, len(r.Matrices)), Random: make(game.Picks, len(r.Matrices))}
	for m := range r.Matrices {
		matrix, marked := &r.Matrices[m], b.Picks[m]
		missing := b.wants(r, m) - len(marked)
		switch {
		case missing == 0:
			play.Picks[m] = marked
			continue
		case matrix.Columns > 0:
			play.Random[m] = completeColumns(matrix, marked, b.Shape, choose)
		default:
			play.Random[m] = chooseFree(1, len(matrix.Elements), marked, missing, choose)
		}
		slices.Sort(play.Random[m])
		play.Picks[m] = slices.Sorted(slices.Values(slices.Concat(marked, play.Random[m])))
	}
	return play
}

// chooseFree draws n of the elements first to last that are not marked.
func chooseFree(first, last int, marked []int, n int, choose chooser) []int {
	var free []int
	for e := first; e <= last; e++ {
		if !slices.Contains(marked, e) {
			free = append(free, e)
		}
	}
	chosen := make([]int, 0, n)
	for _, i := range choose(len(free), n) {
		chosen = append(chosen, free[i])
	}
	return chosen
}

// completeColumns draws which columns have the extra elements of the shape, and
// then, column after column, what each misses.
func completeColumns(m *game.Matrix, marked []int, shape game.Shape, choose chooser) []int {
	height := len(m.Elements) / m.Columns
	ticked := make([]int, m.Columns)
	for _, e := range marked {
		ticked[m.Column(e)]++
	}
	extended := extend(ticked, shape, choose)
	var random []int
	for c, n := range ticked {
		missing := 1 - n
		if slices.Contains(extended, c) {
			missing += shape.Extras
		}
		random = append(random, chooseFree(c*height+1, (c+1)*height, marked, missing, choose)...)
	}
	return random
}

// extend returns the columns that have the extra elements of the shape: those
// with several elements marked, and others by lot. An extended column with one
// element marked can be completed in C(h−1, extras) ways and else in one; an
// empty one in C(h, extras+1) = C(h−1, extras) · h/(extras+1) ways and else in h.
// So, for completions to be equally likely, a column with one element marked
// has extras+1 lots where an empty one has one; columns that come twice are drawn again.
func extend(ticked []int, shape game.Shape, choose chooser) []int {
	var extended, lots []int
	for c, n := range ticked {
		switch n {
		case 0:
			lots = append(lots, c)
		case 1:
			lots = append(lots, slices.Repeat([]int{c}, shape.Extras+1)...)
		default:
			extended = append(extended, c)
		}
	}
	missing := shape.Columns - len(extended)
	for {
		var columns []int
		for _, i := range choose(len(lots), missing) {
			columns = append(columns, lots[i])
		}
		slices.Sort(columns)
		if len(slices.Compact(columns)) == missing {
			return append(extended, columns...)
		}
	}
}

func assert(ok bool, what string) {
	if !ok {
		panic("wager: " + what)
	}
}
