package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"tirage/central"
	"tirage/game"
	"tirage/internal/sim"
	"tirage/money"
	"tirage/party"
	"tirage/rng"
	"tirage/store"
	"tirage/wager"
)

type benchCmd struct {
	Place benchPlaceCmd `cmd:"" help:"Sell wagers as fast as they are durable."`
}

type benchPlaceCmd struct {
	JSON    bool   `name:"json" help:"Print the figures as one JSON line, the last."`
	DB      string `name:"db" help:"An empty database: sqlite:FILE or postgres://… (default: a SQLite file in a temporary folder)."`
	Callers int    `default:"128" help:"Callers in this process, each waiting for its answer."`
	Seconds int    `default:"10" help:"How long."`
	Profile string `type:"path" help:"Write a CPU profile (pprof) of the sales to a file."`
}

// Help shows how it is used.
func (benchPlaceCmd) Help() string {
	return "A wager is one ticket with one board in one draw: checked, under the cap, booked, journalled, durable. " +
		"The floor is the same rows in bare multi-row statements, same engine, same batch size.\n\n" +
		"Examples:\n  tirage bench place\n  tirage bench place --json --db postgres://localhost/empty --callers 256"
}

// benchJSON is the form of --json.
type benchJSON struct {
	Work           string  `json:"work"`
	Engine         string  `json:"engine"`
	PerSecond      int64   `json:"per_second"`
	P50            int64   `json:"p50_us"`
	P99            int64   `json:"p99_us"`
	FloorPerSecond int64   `json:"floor_per_second"`
	Ratio          float64 `json:"ratio"`
}

// Run measures.
func (c benchPlaceCmd) Run(e *env) error {
	if c.Callers < 1 || c.Callers > 4096 || c.Seconds < 1 || c.Seconds > 600 {
		return errors.New("--callers must be 1 to 4096 and --seconds 1 to 600")
	}
	dsn := c.DB
	if dsn == "" {
		folder, err := os.MkdirTemp("", "tirage-bench-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(folder) }()
		dsn = "sqlite:" + filepath.Join(folder, "bench.db")
	}
	db, err := store.Open(e.ctx, dsn)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	if err := refuseUsed(e.ctx, db); err != nil {
		return err
	}
	b, err := newPlaceBench(e.ctx, db, c.Callers)
	if err != nil {
		return err
	}
	defer b.sys.Close()
	stop, err := profile(c.Profile)
	if err != nil {
		return err
	}
	figures, batch, err := b.run(e.ctx, time.Duration(c.Seconds)*time.Second)
	stop()
	if err != nil {
		return err
	}
	floor, err := db.Floor(e.ctx, int(figures.PerSecond)*min(c.Seconds, 5), batch)
	if err != nil {
		return err
	}
	figures.FloorPerSecond = floor
	figures.Ratio = float64(figures.PerSecond*1000/max(floor, 1)) / 1000
	if c.JSON {
		return json.NewEncoder(e.stdout).Encode(figures)
	}
	_, err = fmt.Fprintf(e.stdout, "place on %s: %d wagers/s (%d to a turn), p50 %d µs, p99 %d µs; floor %d/s, ratio %.2f\n",
		figures.Engine, figures.PerSecond, batch, figures.P50, figures.P99, floor, figures.Ratio)
	return err
}

// refuseUsed refuses a database that is somebody's: a benchmark sells in it.
func refuseUsed(ctx context.Context, db *store.DB) error {
	return db.View(ctx, func(tx *store.Snapshot) error {
		head, err := tx.Head(ctx)
		if err == nil && head.Size > 0 {
			err = fmt.Errorf("the database is not empty: it has a journal of %d records", head.Size)
		}
		return err
	})
}

// profile writes a CPU profile until stop, if a file is named.
func profile(file string) (stop func(), err error) {
	if file == "" {
		return func() {}, nil
	}
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() {
		pprof.StopCPUProfile()
		_ = f.Close()
	}, nil
}

// placeBench is a system in the middle of a session, with an outlet for each caller.
type placeBench struct {
	sys       *central.System
	db        *store.DB
	rules     *game.Rules
	terminals []string
}

func newPlaceBench(ctx context.Context, db *store.DB, callers int) (*placeBench, error) {
	keys, err := central.NewKeys("bench.tirage.example/log")
	if err != nil {
		return nil, err
	}
	// Monday, 4 January 2027, 11:30 in Paris, and from there as time goes by: draw 95 sells until 11:59:40.
	start, noon := time.Now(), time.Date(2027, 1, 4, 10, 30, 0, 0, time.UTC)
	now := func() time.Time { return noon.Add(time.Since(start)) }
	sys, err := central.Open(ctx, central.Options{
		DB: db, Keys: keys, Clock: central.Clock{Now: now, Wall: now, Simulated: true}, Control: "none", Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, err
	}
	b := &placeBench{sys: sys, db: db}
	if err := b.furnish(ctx, callers); err != nil {
		sys.Close()
		return nil, err
	}
	return b, nil
}

func (b *placeBench) furnish(ctx context.Context, callers int) error {
	officer, err := b.sys.PutOfficer(ctx, central.PutOfficer{Key: "bench", Login: "bench", Password: "bench-bench", Roles: []string{"all"}})
	if err != nil {
		return err
	}
	book, err := game.Book(demoGame)
	if err != nil {
		return err
	}
	if b.rules, err = b.sys.PublishRules(ctx, central.PublishRules{Key: "bench", Officer: officer.ID, Book: book}); err != nil {
		return err
	}
	for i := range callers {
		key := fmt.Sprint("bench/", i)
		outlet, err := b.sys.PutOutlet(ctx, central.PutOutlet{Key: key, Officer: officer.ID, Outlet: party.Outlet{
			Number: i + 1, Territory: "metropole", Zone: "Europe/Paris", CreditLimit: money.Limit,
		}})
		if err != nil {
			return err
		}
		terminal, _, err := b.sys.PutTerminal(ctx, central.PutTerminal{Key: key + "/terminal", Officer: officer.ID, Outlet: outlet.ID})
		if err != nil {
			return err
		}
		b.terminals = append(b.terminals, terminal.ID)
	}
	_, err = b.sys.Tick(ctx)
	return err
}

// run sells for a time, and returns the figures and the mean number of wagers to a turn.
func (b *placeBench) run(ctx context.Context, d time.Duration) (benchJSON, int, error) {
	var turns uint64
	before, err := b.turns(ctx)
	if err != nil {
		return benchJSON{}, 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	latencies := make([][]time.Duration, len(b.terminals))
	errs := make([]error, len(b.terminals))
	start := time.Now()
	var wait sync.WaitGroup
	for i, terminal := range b.terminals {
		wait.Go(func() { latencies[i], errs[i] = b.call(ctx, i, terminal) })
	}
	wait.Wait()
	took := time.Since(start)
	if err := errors.Join(errs...); err != nil {
		return benchJSON{}, 0, err
	}
	all := slices.Concat(latencies...)
	if len(all) == 0 {
		return benchJSON{}, 0, errors.New("nothing was sold")
	}
	slices.Sort(all)
	after, err := b.turns(context.WithoutCancel(ctx))
	if err != nil {
		return benchJSON{}, 0, err
	}
	turns = max(1, after-before)
	return benchJSON{
		Work: "place", Engine: b.db.Engine(), PerSecond: int64(len(all)) * int64(time.Second) / int64(took),
		P50: all[len(all)/2].Microseconds(), P99: all[len(all)*99/100].Microseconds(),
	}, max(1, len(all)/int(turns)), nil
}

// call is one caller: a combination at random, one draw, the smallest stake.
func (b *placeBench) call(ctx context.Context, n int, terminal string) ([]time.Duration, error) {
	choose := rng.NewStream(rng.Seed{1: byte(n), 2: byte(n >> 8)}, "bench")
	var latencies []time.Duration
	for ctx.Err() == nil {
		slip := wager.Slip{
			Game: b.rules.Code, Boards: []wager.Board{{Picks: sim.Combination(b.rules, choose)}}, Stake: b.rules.UnitStake, Draws: 1,
		}
		begin := time.Now()
		_, err := b.sys.Place(ctx, central.Place{Key: benchKey(), Terminal: terminal, Slip: slip})
		switch {
		case ctx.Err() != nil:
		case err == nil:
			latencies = append(latencies, time.Since(begin))
		case !sim.Refused(err):
			return nil, err
		}
	}
	return latencies, nil
}

// benchKey is a key as our clients make them: a UUIDv7, ordered by time.
func benchKey() string {
	key := uuid.Must(uuid.NewV7())
	return string(key[:])
}

// turns counts the turns of the journal.
func (b *placeBench) turns(ctx context.Context) (n uint64, err error) {
	err = b.db.View(ctx, func(tx *store.Snapshot) (err error) {
		n, err = tx.CountTurns(ctx)
		return err
	})
	return n, err
}
