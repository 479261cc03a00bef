// Package sim is simulated sellers: outlets whose players buy, have their
// tickets checked and are paid, and that pay what they owe. The demo, the
// benchmarks and the tests have the same ones.
//
// For tests it also simulates a whole lottery: [Simulate] does random operations
// and compares the system with a naive model (model.go).
package sim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"tirage/central"
	"tirage/game"
	"tirage/money"
	"tirage/party"
	"tirage/rng"
	"tirage/settle"
	"tirage/wager"
)

// Seller is an outlet with a terminal and its players. One goroutine uses it at a time.
type Seller struct {
	sys      *central.System
	officer  string // who books what the outlet pays
	outlet   party.Outlet
	terminal party.Terminal
	zone     *time.Location
	choose   *rng.Stream

	held     []wager.Ticket // tickets of players, oldest first
	Sold     int
	Prepared int // of those, from slips that players prepared on their phones
	Paid     money.Amount
}

// heldMax bounds the tickets that the players of a seller hold; older ones are forgotten.
const heldMax = 200

// NewSeller opens outlet number, or finds it again: everything about it follows
// from seed and number, so a demo that starts again goes on with the same sellers.
func NewSeller(ctx context.Context, sys *central.System, officer string, number int, seed rng.Seed) (*Seller, error) {
	name := fmt.Sprintf("sim/%d", number)
	outlet, err := sys.PutOutlet(ctx, central.PutOutlet{Key: name + "/outlet", Officer: officer, Outlet: party.Outlet{
		Number: number, Territory: "metropole", Zone: "Europe/Paris", CreditLimit: money.Euros(5000),
	}})
	if err != nil {
		return nil, fmt.Errorf("seller %d: %w", number, err)
	}
	terminal, _, err := sys.PutTerminal(ctx, central.PutTerminal{Key: name + "/terminal", Officer: officer, Outlet: outlet.ID})
	if err != nil {
		return nil, fmt.Errorf("seller %d: %w", number, err)
	}
	zone, err := outlet.Location()
	if err != nil {
		return nil, fmt.Errorf("seller %d: %w", number, err)
	}
	return &Seller{sys: sys, officer: officer, outlet: outlet, terminal: terminal, zone: zone, choose: rng.NewStream(seed, name)}, nil
}

// Step does one thing that happens at an outlet: mostly a sale, now and then a
// cancellation, a check with its payment, or the outlet's own payment. A
// refusal by the rules (no session open, capped) is part of the trade and no error.
func (s *Seller) Step(ctx context.Context, code game.Code) error {
	var err error
	switch n := s.choose.Below(100); {
	case n < 70 || len(s.held) == 0:
		err = s.sell(ctx, code)
	case n < 72:
		err = s.cancel(ctx)
	default:
		err = s.check(ctx)
	}
	if err == nil || Refused(err) {
		return s.settleUp(ctx)
	}
	return err
}

// Refused tells whether an error is a refusal that trade brings with it.
func Refused(err error) bool {
	for _, refusal := range []error{
		wager.ErrNoSession, wager.ErrCapped, wager.ErrOverRun, wager.ErrLimit, party.ErrCredit, central.ErrTooLate, central.ErrCancelled,
		settle.ErrNothingToPay, settle.ErrNotYet, settle.ErrPaid, settle.ErrExpired, central.ErrUnknownGame,
		central.ErrNotLaunched, central.ErrSoldOut, party.ErrBalance, party.ErrLimit,
	} {
		if errors.Is(err, refusal) {
			return true
		}
	}
	return false
}

// Slip is what a player asks for: a quick pick, a partly marked slip or
// elements of his own, simple or a multiple play, at any stake and number of
// draws. Some slips the rules refuse, as real ones: a multiple play that costs too much.
func Slip(r *game.Rules, choose *rng.Stream) wager.Slip {
	s := wager.Slip{Game: r.Code, Stake: oneOf(r.Stakes, choose), Draws: oneOf(r.DrawCounts, choose)}
	boards := 1
	if r.BoardsMax > 1 && choose.Below(5) == 0 {
		boards += int(choose.Below(uint64(min(3, r.BoardsMax))))
	}
	shape, also := game.Shape{}, 0
	if len(r.Multiple.Shapes) > 0 && choose.Below(4) == 0 { // one shape a slip fits both readings of shape_scope
		shape, s.Draws = oneOf(r.Multiple.Shapes, choose), r.DrawCounts[0]
		if r.Multiple.Also >= 0 {
			also = 1 + int(choose.Below(uint64(r.Multiple.AlsoMax)))
		}
	}
	for range boards {
		s.Boards = append(s.Boards, board(r, shape, also, choose))
	}
	return s
}

func oneOf[T any](list []T, choose *rng.Stream) T { return list[choose.Below(uint64(len(list)))] }

// board is a board of a shape, with so many elements of the other matrix of a multiple play.
func board(r *game.Rules, shape game.Shape, also int, choose *rng.Stream) wager.Board {
	quick := choose.Below(10)
	if quick < 5 || quick == 5 && !r.QuickPick.Partial {
		return wager.Board{Picks: make(game.Picks, len(r.Matrices)), QuickPick: true, Shape: shape, Also: also}
	}
	b := wager.Board{Picks: make(game.Picks, len(r.Matrices)), QuickPick: quick == 5}
	for i := range r.Matrices {
		m := &r.Matrices[i]
		count := m.Pick
		if i == r.Multiple.Also {
			count = max(count, also)
		}
		if b.QuickPick {
			count = int(choose.Below(uint64(m.Pick + 1)))
		}
		switch {
		case m.Columns > 0 && !b.QuickPick:
			b.Picks[i] = columns(m, shape, choose)
		case m.Columns > 0: // a partly marked board: nothing of the columns
		default:
			for _, e := range choose.Choose(len(m.Elements), count) {
				b.Picks[i] = append(b.Picks[i], e+1)
			}
		}
	}
	return b
}

// columns marks one element in each column, and those more that the shape has.
func columns(m *game.Matrix, shape game.Shape, choose *rng.Stream) []int {
	height := len(m.Elements) / m.Columns
	wide := choose.Choose(m.Columns, shape.Columns)
	var picks []int
	for c := range m.Columns {
		count := 1
		if slices.Contains(wide, c) {
			count += shape.Extras
		}
		for _, e := range choose.Choose(height, count) {
			picks = append(picks, c*height+e+1)
		}
	}
	return picks
}

func key() string { return uuid.Must(uuid.NewV7()).String() }

func (s *Seller) sell(ctx context.Context, code game.Code) error {
	r, err := s.sys.Rules(code)
	if err != nil {
		return err
	}
	slip := Slip(r, s.choose)
	phone := s.choose.Below(4) == 0
	if phone {
		if slip, err = s.prepared(r, slip); err != nil {
			return err
		}
	}
	t, err := s.sys.Place(ctx, central.Place{Key: key(), Terminal: s.terminal.ID, Slip: slip})
	if err != nil {
		return err
	}
	s.Sold++
	if phone {
		s.Prepared++
	}
	s.held = append(s.held, t)
	if len(s.held) > heldMax {
		s.held = s.held[1:]
	}
	return nil
}

// phoneFor is how long a simulated player keeps a slip on the phone, at most.
const phoneFor = time.Hour

// prepared is a slip as the terminal reads it from the phone on which a player prepared it.
func (s *Seller) prepared(r *game.Rules, slip wager.Slip) (wager.Slip, error) {
	w, err := wager.New(r, slip)
	if err != nil {
		return slip, err
	}
	read, err := s.sys.ReadSlip(s.sys.SignSlip(w, s.sys.Now().Add(phoneFor)))
	return read.Slip, err
}

func (s *Seller) cancel(ctx context.Context) error {
	last := len(s.held) - 1
	t := s.held[last]
	_, err := s.sys.Cancel(ctx, central.Cancel{Key: key(), Terminal: s.terminal.ID, Ticket: t.Number, Secret: t.Secret})
	if err == nil {
		s.held = s.held[:last]
	}
	return err
}

// check has the oldest ticket checked and paid. A ticket that waits goes back to the player.
func (s *Seller) check(ctx context.Context) error {
	t := s.held[0]
	s.held = s.held[1:]
	c, err := s.sys.Check(ctx, t.Number, t.Secret, s.zone)
	if err != nil {
		return err
	}
	if c.Answer.Payable > 0 {
		paid, err := s.sys.Pay(ctx, central.Pay{Key: key(), Terminal: s.terminal.ID, Ticket: t.Number, Secret: t.Secret})
		if err != nil {
			return err
		}
		s.Paid = s.Paid.Add(paid.Amount)
	}
	if c.Answer.Waiting > 0 {
		s.held = append(s.held, t)
	}
	return nil
}

// settleUp pays what the outlet owes once that is half of its credit.
func (s *Seller) settleUp(ctx context.Context) error {
	a, err := s.sys.OutletAccount(s.outlet.ID)
	if err != nil || a.Owes < a.CreditLimit/2 {
		return err
	}
	_, err = s.sys.Receive(ctx, central.Receive{Key: key(), Officer: s.officer, Outlet: s.outlet.ID, Amount: a.Owes})
	return err
}

// Sell steps at a pace until ctx ends, each time with one of the games. It
// returns the first error that is not a refusal.
func (s *Seller) Sell(ctx context.Context, games []game.Code, every time.Duration) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if err := s.Step(ctx, oneOf(games, s.choose)); err != nil && ctx.Err() == nil {
			return fmt.Errorf("outlet %d: %w", s.outlet.Number, err)
		}
	}
}

// Combination is a combination drawn from all, as a player's own choice.
func Combination(r *game.Rules, choose *rng.Stream) game.Picks {
	return r.Picks(game.Combination(choose.Below(uint64(r.Size()))))
}
