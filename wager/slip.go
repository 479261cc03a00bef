// Package wager is what a player asks and what he gets: slips, boards,
// multiple plays, quick picks, prices, limits, caps and tickets. [New] checks a
// slip and refuses all that the rule book does not allow, before anything is
// built of what it asks; [Wager.Plays] draws what a quick pick leaves open and
// decomposes multiple plays; [Cut] finds the draws, and [CheckCap] whether they have room.
package wager

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"tirage/game"
	"tirage/money"
)

// Slip is what a player asks (bulletin): nothing in it has a default, but that zero Draws or Stake is "not marked" and refused.
type Slip struct {
	Game   game.Code
	Boards []Board
	Stake  money.Amount // per draw and combination
	Draws  int          // next draws asked for (abonnement)
}

// Board is one board of a slip (grille). Picks holds what the player marked,
// by matrix, in any order: a combination, or a multiple play (AMI-3.1.6). With
// QuickPick what is missing is drawn (IAT-2.4, AMI-3.2).
type Board struct {
	Picks     game.Picks
	QuickPick bool
	// Shape and Also are, for a quick pick of a multiple play, the shape and the
	// number of elements of Rules.Multiple.Also that are asked for (0: as a simple
	// combination). Of a board without missing elements they are those of its
	// picks, or left 0. A [Wager] has them for every board; Also stays 0 in games without.
	Shape game.Shape
	Also  int
	// Letter is of the board on the paper that it was read from, from 1 (A), where
	// blank boards before it were left out; 0: that of its place. The ticket shows it; nothing is won by it.
	Letter int
	// Drawn, with the reading quick_pick_by: terminal, are the elements that
	// the terminal drew; they are in Picks too.
	Drawn game.Picks
}

// Refusals of a slip. A board whose elements are not right is refused with the
// errors of the game: [game.ErrTooFew], [game.ErrTooMany], [game.ErrElement],
// [game.ErrShape]; a wager that costs too much with [ErrLimit].
var (
	// ErrGame is a slip of another game.
	ErrGame = errors.New("slip of another game")
	// ErrStakeNotMarked is a slip without a stake (IAT-2.3.2).
	ErrStakeNotMarked = errors.New("stake not marked")
	// ErrStake is a stake that is not one of the game's (IAT-2.1); the error is a [StakeError].
	ErrStake = errors.New("stake not allowed")
	// ErrDrawsNotMarked is a slip without a number of draws (IAT-2.3.2).
	ErrDrawsNotMarked = errors.New("number of draws not marked")
	// ErrDraws is a number of draws that is not one of the game's (IAT-2.3.5); the error is a [DrawsError].
	ErrDraws = errors.New("number of draws not allowed")
	// ErrBoards is a slip with no board, or more than the game allows; the error is a [BoardsError].
	ErrBoards = errors.New("number of boards not allowed")
	// ErrShapes is multiple plays of several shapes on a slip of a game that has
	// one shape a slip (AMI-3.1.7, shape_scope); the error is a [ShapesError].
	ErrShapes = errors.New("multiple plays of several shapes on one slip")
	// ErrPartialQuickPick is a quick pick on a marked board, which the game does not have.
	ErrPartialQuickPick = errors.New("quick pick of part of a combination not allowed")
	// ErrLetter is boards with letters of their own that do not go up from A to Z,
	// or on a slip of a game that has one board.
	ErrLetter = errors.New("letters of boards not in order")
	// ErrDrawn is elements drawn by a terminal where the central system draws
	// them, or that the board does not hold.
	ErrDrawn = errors.New("elements drawn by the terminal not allowed")
)

// StakeError is a refusal by [ErrStake].
type StakeError struct {
	Stake   money.Amount
	Allowed []money.Amount
}

// Error says what was asked and what is allowed.
func (e *StakeError) Error() string {
	return fmt.Sprintf("%v: %s, allowed %v", ErrStake, e.Stake, e.Allowed)
}

// Is makes the error an [ErrStake].
func (e *StakeError) Is(target error) bool { return target == ErrStake }

// DrawsError is a refusal by [ErrDraws].
type DrawsError struct {
	Draws   int
	Allowed []int
}

// Error says what was asked and what is allowed.
func (e *DrawsError) Error() string {
	return fmt.Sprintf("%v: %d, allowed %v", ErrDraws, e.Draws, e.Allowed)
}

// Is makes the error an [ErrDraws].
func (e *DrawsError) Is(target error) bool { return target == ErrDraws }

// BoardsError is a refusal by [ErrBoards].
type BoardsError struct {
	Boards, Max int
}

// Error says what was asked and what is allowed.
func (e *BoardsError) Error() string {
	return fmt.Sprintf("%v: %d, allowed 1 to %d", ErrBoards, e.Boards, e.Max)
}

// Is makes the error an [ErrBoards].
func (e *BoardsError) Is(target error) bool { return target == ErrBoards }

// ShapesError is a refusal by [ErrShapes].
type ShapesError struct {
	Board         int        // the first board at fault, from 1
	Shape, Before game.Shape // its own, and that of the multiple plays before it
}

// Error says which board has another shape.
func (e *ShapesError) Error() string {
	return fmt.Sprintf("%v: board %d is %s after %s", ErrShapes, e.Board, e.Shape, e.Before)
}

// Is makes the error an [ErrShapes].
func (e *ShapesError) Is(target error) bool { return target == ErrShapes }

// Wager is a slip checked against its rules (prise de jeu).
type Wager struct {
	Rules *game.Rules
	Slip  Slip  // picks sorted, and a shape for each board
	Units int64 // unit stakes of a combination
}

// New checks a slip against the rules and returns it as a wager, or the refusal
// of the first thing that is wrong. Nothing is repaired, and s is left as it is.
func New(r *game.Rules, s Slip) (Wager, error) {
	units, allowed := r.Units(s.Stake)
	switch {
	case s.Game != r.Code:
		return Wager{}, fmt.Errorf("%w: %.40q, expected %q", ErrGame, s.Game, r.Code)
	case s.Stake == 0:
		return Wager{}, ErrStakeNotMarked
	case !allowed:
		return Wager{}, &StakeError{s.Stake, r.Stakes}
	case s.Draws == 0:
		return Wager{}, ErrDrawsNotMarked
	case !slices.Contains(r.DrawCounts, s.Draws):
		return Wager{}, &DrawsError{s.Draws, r.DrawCounts}
	case len(s.Boards) == 0 || len(s.Boards) > r.BoardsMax:
		return Wager{}, &BoardsError{len(s.Boards), r.BoardsMax}
	}
	boards := make([]Board, len(s.Boards))
	for i, b := range s.Boards {
		checked, err := checkBoard(r, b)
		if err != nil {
			return Wager{}, fmt.Errorf("board %d: %w", cmp.Or(b.Letter, i+1), err)
		}
		boards[i] = checked
	}
	if err := checkShapes(r, boards); err != nil {
		return Wager{}, err
	}
	if err := checkLetters(r, boards); err != nil {
		return Wager{}, err
	}
	s.Boards = boards
	w := Wager{Rules: r, Slip: s, Units: units}
	if err := w.CheckLimit(s.Draws); err != nil {
		return Wager{}, err
	}
	return w, nil
}

// checkBoard returns the board with its picks sorted, and its shape.
func checkBoard(r *game.Rules, b Board) (Board, error) {
	open := b.QuickPick && (r.QuickPick.By == game.ByCentral || count(b.Drawn) == 0) // yet to be completed
	shape, also, err := shapeOf(r, b, open)
	if err != nil {
		return Board{}, err
	}
	if err := checkDrawn(r, b); err != nil {
		return Board{}, err
	}
	players := count(b.Picks) - count(b.Drawn)
	if random := open || count(b.Drawn) > 0; random && players > 0 && !r.QuickPick.Partial {
		return Board{}, ErrPartialQuickPick
	}
	checked := Board{Picks: sorted(r, b.Picks), QuickPick: b.QuickPick, Shape: shape, Also: also, Letter: b.Letter}
	if count(b.Drawn) > 0 {
		checked.Drawn = sorted(r, b.Drawn)
	}
	return checked, nil
}

// shapeOf returns what a board stands for: what its quick pick asks for, or what
// its picks are, which a shape that it states besides may not contradict.
func shapeOf(r *game.Rules, b Board, open bool) (shape game.Shape, also int, err error) {
	if open {
		if r.Multiple.Also >= 0 {
			also = max(1, b.Also)
		}
		return b.Shape, also, r.CheckQuickPick(b.Picks, b.Shape, b.Also)
	}
	shape, also, err = r.ShapeOf(b.Picks)
	switch {
	case err != nil:
		return game.Shape{}, 0, err
	case b.Shape != game.Shape{} && b.Shape != shape, b.Also != 0 && b.Also != max(1, also):
		return game.Shape{}, 0, fmt.Errorf("%w: %s and %d stated, %s and %d picked", game.ErrShape, b.Shape, b.Also, shape, also)
	}
	return shape, also, nil
}

// checkShapes: by the reading shape_scope, all multiple plays of a slip have
// one shape (AMI-3.1.7). Simple combinations, which have none, may stand beside them (3.1.8).
func checkShapes(r *game.Rules, boards []Board) error {
	if r.Multiple.Scope != game.ShapeBySlip {
		return nil
	}
	var before game.Shape
	for i, b := range boards {
		switch {
		case b.Shape == game.Shape{}:
		case before == game.Shape{}:
			before = b.Shape
		case b.Shape != before:
			return &ShapesError{cmp.Or(b.Letter, i+1), b.Shape, before}
		}
	}
	return nil
}

// LetterMax is the last letter that a board has on a slip: Z.
const LetterMax = 26

// letter is the letter of the board at a place, from 0, of its slip.
func (b Board) letter(place int) int { return cmp.Or(b.Letter, place+1) }

// checkLetters: where boards have letters of their own, all go up, as on the slip.
func checkLetters(r *game.Rules, boards []Board) error {
	if !lettered(boards) {
		return nil
	}
	before := 0
	for i, b := range boards {
		n := b.letter(i)
		if n <= before || n > LetterMax || r.BoardsMax == 1 {
			return fmt.Errorf("%w: board %d of %d has letter %d", ErrLetter, i+1, len(boards), n)
		}
		before = n
	}
	return nil
}

// lettered tells whether a board has a letter that is not that of its place.
func lettered(boards []Board) bool {
	for i, b := range boards {
		if b.Letter != 0 && b.Letter != i+1 {
			return true
		}
	}
	return false
}

// Letters are the letters of the boards on their slip, from 1 (A); nil: 1, 2, 3 …
func (w Wager) Letters() []int {
	if !lettered(w.Slip.Boards) {
		return nil
	}
	letters := make([]int, len(w.Slip.Boards))
	for i, b := range w.Slip.Boards {
		letters[i] = b.letter(i)
	}
	return letters
}

// checkDrawn checks the elements that a terminal drew: only under that reading
// (IAT-2.4), only with a quick pick, each once, all of them in the picks.
func checkDrawn(r *game.Rules, b Board) error {
	if count(b.Drawn) == 0 {
		return nil
	}
	if r.QuickPick.By != game.ByTerminal || !b.QuickPick || len(b.Drawn) > len(b.Picks) {
		return ErrDrawn
	}
	for m, drawn := range b.Drawn {
		for i, e := range drawn {
			if slices.Contains(drawn[:i], e) || !slices.Contains(b.Picks[m], e) {
				return ErrDrawn
			}
		}
	}
	return nil
}

// sorted copies picks, each matrix ascending.
func sorted(r *game.Rules, p game.Picks) game.Picks {
	list := make(game.Picks, len(r.Matrices))
	for m := range p {
		list[m] = slices.Sorted(slices.Values(p[m]))
	}
	return list
}

func count(p game.Picks) int {
	n := 0
	for _, elements := range p {
		n += len(elements)
	}
	return n
}

// Fixed tells whether no board is left to complete.
func (w Wager) Fixed() bool {
	return !slices.ContainsFunc(w.Slip.Boards, func(b Board) bool { return w.missing(b) > 0 })
}

// AllRandom tells whether every element of every board is yet to be drawn, so
// that another attempt gives others (IAT-3, cap_quick_pick).
func (w Wager) AllRandom() bool {
	return !slices.ContainsFunc(w.Slip.Boards, func(b Board) bool { return count(b.Picks) > 0 })
}

// missing counts the elements that a quick pick is to draw.
func (w Wager) missing(b Board) int {
	n := -count(b.Picks)
	for m := range w.Rules.Matrices {
		n += b.wants(w.Rules, m)
	}
	return n
}

// wants is how many elements of a matrix a checked board has in the end. A game
// with multiple play has one matrix with columns; in others the shape is zero.
func (b Board) wants(r *game.Rules, matrix int) int {
	switch {
	case r.Matrices[matrix].Columns > 0:
		return r.Matrices[matrix].Pick + b.Shape.Extras*b.Shape.Columns
	case matrix == r.Multiple.Also:
		return b.Also
	}
	return r.Matrices[matrix].Pick
}

// combinations is how many combinations a checked board stands for (AMI-3.1.7).
func (b Board) combinations() int64 { return b.Shape.Combinations(b.Also) }

// Combinations returns how many combinations the boards stand for, also those
// that a quick pick has yet to draw: each is a part of each draw.
func (w Wager) Combinations() int64 {
	var n int64
	for _, b := range w.Slip.Boards {
		n += b.combinations()
	}
	return n
}

// Price returns what the wager costs over so many draws (AMI-5.2): stake × combinations × draws.
func (w Wager) Price(draws int) money.Amount {
	return w.Slip.Stake.Times(w.Combinations()).Times(int64(draws))
}
