package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

type benchPlaceCmd struct {
	benchOptions
	Seconds int `default:"10" help:"How long."`
}

// Help shows how it is used.
func (benchPlaceCmd) Help() string {
	return "A wager is one ticket with one board in one draw: checked, under the cap, booked, journalled, durable. " +
		"The floor is the same rows in bare multi-row statements, same engine, same batch size.\n\n" +
		"Examples:\n  tirage bench place\n  tirage bench place --json --db postgres://localhost/empty --callers 256"
}

// Run measures.
func (c benchPlaceCmd) Run(e *env) error {
	if c.Seconds < 1 || c.Seconds > 600 {
		return errors.New("want --seconds 1 to 600")
	}
	return c.measure(e, func(b *bench) error {
		figures, batch, err := c.sell(e.ctx, b)
		if err != nil {
			return err
		}
		floor, err := b.db.Floor(e.ctx, int(figures.PerSecond)*min(c.Seconds, 5), batch)
		if err != nil {
			return err
		}
		figures.beside(floor)
		return c.print(e, figures, fmt.Sprintf("place on %s: %d wagers/s (%d to a turn), p50 %d µs, p99 %d µs; floor %d/s, ratio %.2f",
			figures.Engine, figures.PerSecond, batch, figures.P50, figures.P99, floor, figures.Ratio))
	})
}

// sell sells for a time, and returns the figures and the mean number of wagers to a turn.
func (c benchPlaceCmd) sell(ctx context.Context, b *bench) (benchJSON, int, error) {
	before, err := b.turns(ctx)
	if err != nil {
		return benchJSON{}, 0, err
	}
	stop, err := profile(c.Profile)
	if err != nil {
		return benchJSON{}, 0, err
	}
	selling, cancel := context.WithTimeout(ctx, time.Duration(c.Seconds)*time.Second)
	defer cancel()
	sales, err := b.sell(selling, 0)
	stop()
	if err != nil {
		return benchJSON{}, 0, err
	}
	if len(sales.calls) == 0 {
		return benchJSON{}, 0, errors.New("nothing was sold")
	}
	after, err := b.turns(ctx)
	if err != nil {
		return benchJSON{}, 0, err
	}
	return benchJSON{
		Work: "place", Engine: b.db.Engine(), PerSecond: sales.perSecond(), P50: sales.at(50), P99: sales.at(99),
	}, max(1, len(sales.calls)/int(max(1, after-before))), nil
}
