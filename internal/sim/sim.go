// Package sim is simulated sellers: outlets whose players buy, have their
// tickets checked and are paid, and that pay what they owe. The demo, the
// benchmarks and the tests have the same ones.
package sim

import (
	"context"
	"errors"
	"fmt"
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

	held []wager.Ticket // tickets of players, oldest first
	Sold int
	Paid money.Amount
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
		wager.ErrNoSession, wager.ErrCapped, wager.ErrOverRun, party.ErrCredit, central.ErrTooLate, central.ErrCancelled,
		settle.ErrNothingToPay, settle.ErrNotYet, settle.ErrPaid, settle.ErrExpired, central.ErrUnknownGame,
	} {
		if errors.Is(err, refusal) {
			return true
		}
	}
	return false
}

// Slip is what a player asks for: a quick pick, a partly marked slip or a
// combination of his own, at any stake and number of draws.
func Slip(r *game.Rules, choose *rng.Stream) wager.Slip {
	pick := func(n int) int { return int(choose.Below(uint64(n))) }
	board := wager.Board{Picks: make(game.Picks, len(r.Matrices))}
	quick := pick(10)
	board.QuickPick = quick < 6
	for m, matrix := range r.Matrices {
		marked := matrix.Pick
		switch {
		case quick < 5:
			marked = 0
		case quick == 5:
			marked = pick(matrix.Pick + 1)
		}
		for _, e := range choose.Choose(len(matrix.Elements), marked) {
			board.Picks[m] = append(board.Picks[m], e+1)
		}
	}
	return wager.Slip{
		Game: r.Code, Boards: []wager.Board{board}, Stake: r.Stakes[pick(len(r.Stakes))], Draws: r.DrawCounts[pick(len(r.DrawCounts))],
	}
}

func key() string { return uuid.Must(uuid.NewV7()).String() }

func (s *Seller) sell(ctx context.Context, code game.Code) error {
	r, err := s.sys.Rules(code)
	if err != nil {
		return err
	}
	t, err := s.sys.Place(ctx, central.Place{Key: key(), Terminal: s.terminal.ID, Slip: Slip(r, s.choose)})
	if err != nil {
		return err
	}
	s.Sold++
	s.held = append(s.held, t)
	if len(s.held) > heldMax {
		s.held = s.held[1:]
	}
	return nil
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

// Sell steps at a pace until ctx ends. It returns the first error that is not a refusal.
func (s *Seller) Sell(ctx context.Context, code game.Code, every time.Duration) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if err := s.Step(ctx, code); err != nil && ctx.Err() == nil {
			return fmt.Errorf("outlet %d: %w", s.outlet.Number, err)
		}
	}
}

// Combination is a combination drawn from all, as a player's own choice.
func Combination(r *game.Rules, choose *rng.Stream) game.Picks {
	return r.Picks(game.Combination(choose.Below(uint64(r.Size()))))
}
