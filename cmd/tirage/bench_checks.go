package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"tirage/wager"
)

type benchChecksCmd struct {
	benchOptions
	Seconds int `default:"10" help:"How long, without the checks and with them."`
	Sales   int `default:"1300" help:"Wagers sold a second all the while."`
	Usual   int `default:"300" help:"Checks a second on a usual day; there are ten times as many."`
	Tickets int `default:"20000" help:"Tickets of the draw, which are checked again and again."`
}

// Help shows how it is used.
func (benchChecksCmd) Help() string {
	return "Right after a draw everybody asks: have I won? (EuroMillions, 28 March 2025.) Sales go on at a steady rate; their latencies are measured " +
		"in turns of a second, without checks and with ten times the usual. The ratio is that of the two p99, and should be 2 at most.\n\n" +
		"Examples:\n  tirage bench checks\n  tirage bench checks --json --sales 3000 --usual 500"
}

// checksJSON is the form of --json: per_second counts checks, the latencies are those of sales.
type checksJSON struct {
	Work       string  `json:"work"`
	Engine     string  `json:"engine"`
	PerSecond  int64   `json:"per_second"`
	P50        int64   `json:"p50_us"`
	P99        int64   `json:"p99_us"`
	P50Without int64   `json:"p50_without_us"`
	P99Without int64   `json:"p99_without_us"`
	P99Check   int64   `json:"p99_check_us"`
	Sales      int64   `json:"sales_per_second"`
	Ratio      float64 `json:"ratio"`
}

// tenfold is how many times the usual checks come right after a draw (F19).
const tenfold = 10

// Run measures.
func (c benchChecksCmd) Run(e *env) error {
	if c.Seconds < 1 || c.Seconds > 600 || c.Sales < 1 || c.Usual < 1 || c.Tickets < 1 {
		return errors.New("want --seconds 1 to 600, and --sales, --usual and --tickets at least 1")
	}
	return c.measure(e, func(b *bench) error {
		tickets, err := c.sell(e, b)
		if err != nil {
			return err
		}
		b.to(benchStart.Add(30 * time.Minute))
		if _, err := b.sys.Tick(e.ctx); err != nil {
			return err
		}
		stop, err := profile(c.Profile)
		if err != nil {
			return err
		}
		defer stop()
		var without, with, checks latencies
		for second := range c.Seconds {
			progress(e.stderr, "second %d without checks and with", second+1)
			sales, _, err := c.run(e.ctx, b, nil)
			if err != nil {
				return err
			}
			without.add(sales)
			sales, asked, err := c.run(e.ctx, b, tickets)
			if err != nil {
				return err
			}
			with.add(sales)
			checks.add(asked)
		}
		f := checksJSON{
			Work: "checks", Engine: b.db.Engine(), PerSecond: checks.perSecond(), P50: with.at(50), P99: with.at(99),
			P50Without: without.at(50), P99Without: without.at(99), P99Check: checks.at(99), Sales: with.perSecond(),
		}
		f.Ratio = float64(f.P99*1000/max(1, f.P99Without)) / 1000
		return c.print(e, f, fmt.Sprintf("checks on %s: %d a second, p99 %d µs, beside %d sales: p99 %d µs; without checks %d µs, ratio %.2f",
			f.Engine, f.PerSecond, f.P99Check, f.Sales, f.P99, f.P99Without, f.Ratio))
	})
}

// sell sells the tickets that are to be checked.
func (c benchChecksCmd) sell(e *env, b *bench) ([]wager.Ticket, error) {
	progress(e.stderr, "selling %d tickets", c.Tickets)
	each := make([][]wager.Ticket, len(b.terminals))
	ctx, stop := context.WithCancel(e.ctx)
	defer stop()
	_, err := repeat(ctx, len(b.terminals), 0, func(ctx context.Context, caller int) (bool, error) {
		if len(each[caller])*len(b.terminals) >= c.Tickets {
			stop()
			return false, nil
		}
		t, ok, err := b.place(e.ctx, caller)
		if ok {
			each[caller] = append(each[caller], t)
		}
		return ok, err
	})
	return slices.Concat(each...), err
}

// run sells for a second, while the tickets, if any, are checked.
func (c benchChecksCmd) run(ctx context.Context, b *bench, tickets []wager.Ticket) (sales, checks latencies, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	var wait sync.WaitGroup
	var checkErr error
	if len(tickets) > 0 {
		wait.Go(func() {
			callers := min(len(b.terminals), len(tickets))
			next := make([]int, callers)
			checks, checkErr = repeat(ctx, callers, tenfold*c.Usual, func(ctx context.Context, caller int) (bool, error) {
				t := tickets[(caller+next[caller]*callers)%len(tickets)]
				next[caller]++
				a, err := b.sys.Check(ctx, t.Number, t.Secret, b.rules.Calendar.Zone)
				ok := err == nil
				switch {
				case ctx.Err() != nil:
					ok, err = false, nil // the time is up
				case err == nil && a.Answer.Waiting != 0:
					ok, err = false, fmt.Errorf("ticket %d waits after its draw", t.Number)
				}
				return ok, err
			})
		})
	}
	sales, err = b.sell(ctx, c.Sales)
	wait.Wait()
	return sales, checks, errors.Join(err, checkErr)
}
