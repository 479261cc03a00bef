package central_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"tirage/central"
	"tirage/game"
	"tirage/internal/dbtest"
	"tirage/money"
	"tirage/wager"
)

// capOperation asks for unit stakes of one combination in one draw, or gives them back.
type capOperation struct {
	units  int
	cancel bool
}

// capModel is IAT-3 as one counter: what was answered must be what it would
// have answered, one after another in some order that agrees with real time.
var capModel = porcupine.Model{
	Init: func() any { return 0 },
	Step: func(state, input, output any) (bool, any) {
		sold, op, ok := state.(int), input.(capOperation), output.(bool)
		switch {
		case op.cancel:
			return ok, sold - op.units
		case sold+op.units <= 50:
			return ok, sold + op.units
		}
		return !ok, sold
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprint(input, output) },
}

// history is what callers asked and were answered, and when.
type history struct {
	mu    sync.Mutex
	start time.Time
	list  []porcupine.Operation
}

func (h *history) add(client int, op capOperation, called time.Time, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.list = append(h.list, porcupine.Operation{
		ClientId: client, Input: op, Output: ok, Call: called.Sub(h.start).Nanoseconds(), Return: time.Since(h.start).Nanoseconds(),
	})
}

// explained shows that the history is one of the model.
func (h *history) explained(t *testing.T) {
	t.Helper()
	if result := porcupine.CheckOperationsTimeout(capModel, h.list, time.Minute); result != porcupine.Ok {
		t.Errorf("the history of %d operations is not that of a counter with a cap: %s", len(h.list), result)
	}
}

// IAT-3: of 1,000 sales of one combination at once, exactly 50 unit stakes are sold.
func TestIAT_3_Parallel(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		const combination = 348_839
		h := history{start: time.Now()}
		var callers sync.WaitGroup
		var units atomic.Int64
		for n := range 1000 {
			callers.Go(func() {
				stake := w.rules.Stakes[rand.IntN(len(w.rules.Stakes))]
				asked, called := capOperation{units: int(stake / w.rules.UnitStake)}, time.Now()
				ticket, err := w.place(w.slip(combination, int64(stake/100), 1))
				if err != nil && !errors.Is(err, wager.ErrCapped) {
					t.Error(err)
					return
				}
				h.add(n, asked, called, err == nil)
				units.Add(ticket.Units)
			})
		}
		callers.Wait()
		h.explained(t)
		v := w.view(95)
		if n := w.sys.Exposed(v.ID, combination); units.Load() != 50 || n != 50 || v.Stakes != money.Euros(100) || w.owes(w.shop) != money.Euros(100) {
			t.Errorf("%d unit stakes sold, %d counted, %s staked, the outlet owes %s; want 50", units.Load(), n, v.Stakes, w.owes(w.shop))
		}
	})
}

// IAT-3: the same through two nodes, with cancellations in between, also of what the other node sold.
func TestIAT_3_ParallelTwoNodes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.Postgres(t), island(t))
	nodes := []*central.System{w.sys, w.secondNode()}
	const combination, clients, steps = 77, 20, 50
	h := history{start: time.Now()}
	sold := make(chan wager.Ticket, clients*steps)
	var callers sync.WaitGroup
	for client := range clients {
		callers.Go(func() {
			choose := rand.New(rand.NewPCG(1, uint64(client)))
			for range steps {
				sys := nodes[choose.IntN(2)]
				if choose.IntN(3) == 0 {
					select {
					case ticket := <-sold:
						called := time.Now()
						_, err := sys.Cancel(w.ctx(), central.Cancel{Key: w.key(), Terminal: w.terminal.ID, Ticket: ticket.Number, Secret: ticket.Secret})
						if err != nil {
							t.Error(err)
						}
						h.add(client, capOperation{units: int(ticket.Units), cancel: true}, called, err == nil)
						continue
					default:
					}
				}
				stake, called := w.rules.Stakes[choose.IntN(len(w.rules.Stakes))], time.Now()
				ticket, err := sys.Place(w.ctx(), central.Place{Key: w.key(), Terminal: w.terminal.ID, Slip: w.slip(combination, int64(stake/100), 1)})
				if err != nil && !errors.Is(err, wager.ErrCapped) {
					t.Error(err)
					continue
				}
				h.add(client, capOperation{units: int(stake / w.rules.UnitStake)}, called, err == nil)
				if err == nil {
					sold <- ticket
				}
			}
		})
	}
	callers.Wait()
	h.explained(t)
	var left int64
	close(sold)
	for ticket := range sold {
		left += ticket.Units
	}
	w.check(nodes[0].Follow(w.ctx()))
	w.check(nodes[1].Follow(w.ctx()))
	id := w.view(95).ID
	for n, sys := range nodes {
		if got := sys.Exposed(id, combination); int64(got) != left {
			t.Errorf("node %d counts %d unit stakes, %d are held", n, got, left)
		}
	}
}

// The outlet's credit holds, whoever sells at once on whatever node.
func TestCreditParallel(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.Postgres(t), island(t))
	nodes := []*central.System{w.sys, w.secondNode()}
	small := w.outlet
	small.CreditLimit = money.Euros(101)
	_, err := w.sys.PutOutlet(w.ctx(), central.PutOutlet{Key: w.key(), Officer: w.officer.ID, Outlet: small})
	w.check(err)
	var callers sync.WaitGroup
	for n := range 100 {
		callers.Go(func() {
			_, _ = nodes[n%2].Place(w.ctx(), central.Place{Key: w.key(), Terminal: w.terminal.ID, Slip: w.slip(game.Combination(n), 2, 1)})
		})
	}
	callers.Wait()
	w.check(w.sys.Follow(w.ctx()))
	if owes := w.owes(w.shop); owes != money.Euros(100) {
		t.Errorf("the outlet owes %s of at most 101.00, want 100.00", owes)
	}
}
