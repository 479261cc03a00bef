// Package wager is what a player asks and what he gets: slips, boards, quick
// picks, prices, caps and tickets. [New] checks a slip and refuses all that
// the rule book does not allow; [Wager.Plays] draws what a quick pick leaves
// open; [Cut] finds the draws, and [CheckCap] whether they have room.
package wager

import (
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
// by matrix, in any order; with QuickPick what is missing is drawn (IAT-2.4).
type Board struct {
	Picks     game.Picks
	QuickPick bool
	// Shape and Also are, for a quick pick of a multiple play, the shape and the
	// number of elements of Rules.Multiple.Also that are asked for (0: as a simple combination).
	Shape game.Shape
	Also  int
	// Drawn, with the reading quick_pick_by: terminal, are the elements that
	// the terminal drew; they are in Picks too.
	Drawn game.Picks
}

// Refusals of a slip. A board whose elements are not right is refused with the
// errors of the game: [game.ErrTooFew], [game.ErrTooMany], [game.ErrElement].
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
	// ErrPartialQuickPick is a quick pick on a marked board, which the game does not have.
	ErrPartialQuickPick = errors.New("quick pick of part of a combination not allowed")
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

// Wager is a slip checked against its rules (prise de jeu).
type Wager struct {
	Rules *game.Rules
	Slip  Slip  // picks sorted
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
		if err := checkBoard(r, b); err != nil {
			return Wager{}, fmt.Errorf("board %d: %w", i+1, err)
		}
		boards[i] = Board{Picks: sorted(r, b.Picks), QuickPick: b.QuickPick}
		if count(b.Drawn) > 0 {
			boards[i].Drawn = sorted(r, b.Drawn)
		}
	}
	s.Boards = boards
	return Wager{Rules: r, Slip: s, Units: units}, nil
}

func checkBoard(r *game.Rules, b Board) error {
	open := b.QuickPick && r.QuickPick.By == game.ByCentral // the central system completes it
	check := r.CheckPicks
	if open {
		check = r.CheckPartial
	}
	if err := check(b.Picks); err != nil {
		return err
	}
	if err := checkDrawn(r, b); err != nil {
		return err
	}
	players := count(b.Picks) - count(b.Drawn)
	if random := open || count(b.Drawn) > 0; random && players > 0 && !r.QuickPick.Partial {
		return ErrPartialQuickPick
	}
	return nil
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

// AllRandom tells whether the central system draws every element of every
// board, so that another attempt gives others (IAT-3, cap_quick_pick).
func (w Wager) AllRandom() bool {
	return !slices.ContainsFunc(w.Slip.Boards, func(b Board) bool { return count(b.Picks) > 0 })
}

// missing counts the elements that a quick pick is to draw.
func (w Wager) missing(b Board) int {
	n := -count(b.Picks)
	for i := range w.Rules.Matrices {
		n += w.Rules.Matrices[i].Pick
	}
	return n
}

// combinations is how many combinations the boards stand for.
func (w Wager) combinations() int64 { return int64(len(w.Slip.Boards)) }

// Price returns what the wager costs over so many draws.
func (w Wager) Price(draws int) money.Amount {
	return w.Slip.Stake.Times(w.combinations()).Times(int64(draws))
}
