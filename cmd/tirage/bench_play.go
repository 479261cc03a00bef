package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tirage/central"
	"tirage/instant"
	"tirage/internal/sim"
	"tirage/money"
	"tirage/party"
)

type benchPlayCmd struct {
	benchOptions
	Seconds int `default:"10" help:"How long."`
}

// Help shows how it is used.
func (benchPlayCmd) Help() string {
	return "A play is one unit at 1 € of L'Ile au Trésor: limits, debit, unit, prize, journalled, durable, and its signed answer with the proof. " +
		"Each caller is a player with an account. The first pool is built before the clock starts; pools that follow are built meanwhile. " +
		"The floor is the same rows in bare multi-row statements, same engine, same batch size.\n\n" +
		"Examples:\n  tirage bench play\n  tirage bench play --json --db postgres://localhost/empty --callers 256"
}

// benchPrice is the price of the units that benchmarks play.
const benchPrice = money.Amount(100)

// benchBalance is more than a player can lose in ten minutes.
const benchBalance = money.Amount(10_000_000_00)

// Run measures.
func (c benchPlayCmd) Run(e *env) error {
	if c.Seconds < 1 || c.Seconds > 600 {
		return errors.New("want --seconds 1 to 600")
	}
	return c.measure(e, func(b *bench) error {
		progress(e.stderr, "opening %d accounts, building the first pool", c.Callers)
		players, err := c.furnish(e.ctx, b)
		if err != nil {
			return err
		}
		figures, batch, err := c.play(e.ctx, b, players)
		if err != nil {
			return err
		}
		floor, err := b.db.FloorUnits(e.ctx, int(figures.PerSecond)*min(c.Seconds, 5), batch)
		if err != nil {
			return err
		}
		figures.beside(floor)
		return c.print(e, figures, fmt.Sprintf("play on %s: %d plays/s (%d to a turn), p50 %d µs, p99 %d µs; floor %d/s, ratio %.2f",
			figures.Engine, figures.PerSecond, batch, figures.P50, figures.P99, floor, figures.Ratio))
	})
}

// benchPlaysMax is more plays a second than any machine of these years makes.
const benchPlaysMax = 60_000

// furnish opens the game with more pools than can be sold, and a player for each caller.
func (c benchPlayCmd) furnish(ctx context.Context, b *bench) (players []string, err error) {
	rules, err := b.openInstant(ctx, min(100, 2+c.Seconds*benchPlaysMax/450_000))
	if err != nil {
		return nil, err
	}
	if err := b.sys.TendPools(ctx); err != nil {
		return nil, err
	}
	if _, err := rules.Table(benchPrice); err != nil {
		return nil, err
	}
	_, err = b.sys.PublishAccounts(ctx, central.PublishRules{Key: "accounts", Officer: b.officer, Book: party.Book()})
	if err != nil {
		return nil, err
	}
	nobody := func(context.Context, central.Message) error { return errors.New("a message to nobody") }
	people := make([]sim.Newcomer, c.Callers)
	for i := range people {
		people[i] = sim.Simulated(i + 1)
	}
	if players, err = sim.Enrol(ctx, b.sys, b.officer, people, nobody); err != nil {
		return nil, err
	}
	for _, player := range players {
		if _, err := b.sys.DepositDemo(ctx, benchKey(), player, benchBalance); err != nil {
			return nil, err
		}
	}
	return players, nil
}

// openInstant publishes and launches the instant game, with secrets for so many pools.
func (b *bench) openInstant(ctx context.Context, pools int) (*instant.Rules, error) {
	second, err := newOfficer(ctx, b.sys, b.officer, "second", "bench2", "bench-bench")
	if err != nil {
		return nil, err
	}
	book, err := instant.Book(demoInstant)
	if err != nil {
		return nil, err
	}
	rules, err := b.sys.PublishInstant(ctx, central.PublishRules{Key: "instant", Officer: b.officer, Book: book})
	if err != nil {
		return nil, err
	}
	if err := commitSecrets(ctx, b.sys, [2]string{b.officer, second}, "secrets", benchPrice, pools); err != nil {
		return nil, err
	}
	return rules, launch(ctx, b.sys, b.officer, "launch")
}

// play plays for a time, and returns the figures and the mean number of plays to a turn.
func (c benchPlayCmd) play(ctx context.Context, b *bench, players []string) (benchJSON, int, error) {
	before, err := b.turns(ctx)
	if err != nil {
		return benchJSON{}, 0, err
	}
	stop, err := profile(c.Profile)
	if err != nil {
		return benchJSON{}, 0, err
	}
	playing, cancel := context.WithTimeout(ctx, time.Duration(c.Seconds)*time.Second)
	defer cancel()
	tended := make(chan error, 1)
	go func() { tended <- b.tend(playing) }()
	plays, err := repeat(playing, len(players), 0, func(ctx context.Context, caller int) (bool, error) {
		_, err := b.sys.Play(ctx, central.PlayUnit{Key: benchKey(), Player: players[caller], Game: demoInstant, Price: benchPrice})
		ok := err == nil
		if ctx.Err() != nil {
			err = nil // the time is up
		}
		return ok, err
	})
	stop()
	cancel()
	if err := errors.Join(err, <-tended); err != nil {
		return benchJSON{}, 0, err
	}
	if len(plays.calls) == 0 {
		return benchJSON{}, 0, errors.New("nothing was played")
	}
	after, err := b.turns(ctx)
	if err != nil {
		return benchJSON{}, 0, err
	}
	return benchJSON{
		Work: "play", Engine: b.db.Engine(), PerSecond: plays.perSecond(), P50: plays.at(50), P99: plays.at(99),
	}, max(1, len(plays.calls)/int(max(1, after-before))), nil
}

// tend builds pools and opens and closes them as they sell, until ctx ends.
func (b *bench) tend(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(200 * time.Millisecond):
		}
		if err := b.sys.TendPools(ctx); err != nil && ctx.Err() == nil {
			return err
		}
	}
}
