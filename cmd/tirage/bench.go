package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"sync"
	"sync/atomic"
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
	Place    benchPlaceCmd    `cmd:"" help:"Sell wagers as fast as they are durable."`
	Play     benchPlayCmd     `cmd:"" help:"Play units of an instant game as fast as they are durable."`
	Pool     benchPoolCmd     `cmd:"" help:"Build, recount, commit and open a pool of an instant game."`
	Settle   benchSettleCmd   `cmd:"" help:"Settle a draw of a million wagers while sales go on."`
	Checks   benchChecksCmd   `cmd:"" help:"Check tickets at ten times the usual rate right after a draw, while sales go on."`
	Read     benchReadCmd     `cmd:"" help:"Read photos of slips, made at several difficulties."`
	Terminal benchTerminalCmd `cmd:"" help:"Sell on the page of many terminals, over HTTP."`
}

// benchOptions are those of every benchmark.
type benchOptions struct {
	JSON    bool   `name:"json" help:"Print the figures as one JSON line, the last."`
	DB      string `name:"db" help:"An empty database: sqlite:FILE or postgres://… (default: a SQLite file in a temporary folder)."`
	Callers int    `default:"${callers=128}" help:"Callers in this process, each waiting for its answer."`
	Profile string `type:"path" help:"Write a CPU profile (pprof) of what is measured to a file."`
}

// benchJSON is what the forms of --json have in common.
type benchJSON struct {
	Work           string  `json:"work"`
	Engine         string  `json:"engine"`
	PerSecond      int64   `json:"per_second"`
	P50            int64   `json:"p50_us"`
	P99            int64   `json:"p99_us"`
	FloorPerSecond int64   `json:"floor_per_second"`
	Ratio          float64 `json:"ratio"`
}

// beside puts the floor beside the figure.
func (f *benchJSON) beside(floor int64) {
	f.FloorPerSecond = floor
	f.Ratio = float64(f.PerSecond*1000/max(floor, 1)) / 1000
}

// print prints figures as a JSON line, or as a text.
func (o benchOptions) print(e *env, figures any, text string) error {
	if o.JSON {
		return json.NewEncoder(e.stdout).Encode(figures)
	}
	_, err := fmt.Fprintln(e.stdout, text)
	return err
}

// measure runs fn on a new lottery in an empty database.
func (o benchOptions) measure(e *env, fn func(*bench) error) (err error) {
	if o.Callers < 1 || o.Callers > 4096 {
		return errors.New("want --callers 1 to 4096")
	}
	dsn := o.DB
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
	b, err := newBench(e.ctx, db, o.Callers)
	if err != nil {
		return err
	}
	defer b.sys.Close()
	return fn(b)
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

// progress says how far a benchmark is, where somebody looks at it.
func progress(w io.Writer, format string, args ...any) {
	f, ok := w.(*os.File)
	if !ok {
		return
	}
	if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		fmt.Fprintf(w, format+"\n", args...)
	}
}

// bench is a lottery in the middle of a session, with an outlet for each caller.
type bench struct {
	sys       *central.System
	db        *store.DB
	officer   string
	rules     *game.Rules
	terminals []string
	devices   []string      // their keys, by which they sign on
	choose    []*rng.Stream // what the players of each choose
	ahead     atomic.Int64  // how far the clock was put forward
}

// benchStart is Monday, 4 January 2027, 11:30 in Paris, from where time goes by: draw 95 sells until 11:59:40.
var benchStart = time.Date(2027, 1, 4, 10, 30, 0, 0, time.UTC)

func newBench(ctx context.Context, db *store.DB, callers int) (*bench, error) {
	keys, err := central.NewKeys("bench.tirage.example/log")
	if err != nil {
		return nil, err
	}
	b := &bench{db: db}
	start := time.Now()
	now := func() time.Time { return benchStart.Add(time.Since(start) + time.Duration(b.ahead.Load())) }
	b.sys, err = central.Open(ctx, central.Options{
		DB: db, Keys: keys, Clock: central.Clock{Now: now, Wall: now, Simulated: true}, Control: "none", Logger: slog.New(slog.DiscardHandler), Demo: true,
	})
	if err != nil {
		return nil, err
	}
	if err := b.furnish(ctx, callers); err != nil {
		b.sys.Close()
		return nil, err
	}
	return b, nil
}

func (b *bench) furnish(ctx context.Context, callers int) error {
	officer, err := b.sys.PutOfficer(ctx, central.PutOfficer{Key: "bench", Login: "bench", Password: "bench-bench", Roles: []string{"all"}})
	if err != nil {
		return err
	}
	b.officer = officer.ID
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
		terminal, device, err := b.sys.PutTerminal(ctx, central.PutTerminal{Key: key + "/terminal", Officer: officer.ID, Outlet: outlet.ID})
		if err != nil {
			return err
		}
		b.terminals, b.devices = append(b.terminals, terminal.ID), append(b.devices, device)
		b.choose = append(b.choose, rng.NewStream(rng.Seed{1: byte(i), 2: byte(i >> 8)}, "bench"))
	}
	_, err = b.sys.Tick(ctx)
	return err
}

// to puts the clock forward to an instant; draws are due then.
func (b *bench) to(at time.Time) { b.ahead.Add(int64(at.Sub(b.sys.Now()))) }

// place sells at a caller's terminal: a combination at random, one draw, the smallest stake.
// A refusal by the rules is no error, and no ticket.
func (b *bench) place(ctx context.Context, caller int) (t wager.Ticket, ok bool, err error) {
	slip := wager.Slip{
		Game: b.rules.Code, Boards: []wager.Board{{Picks: sim.Combination(b.rules, b.choose[caller])}}, Stake: b.rules.UnitStake, Draws: 1,
	}
	t, err = b.sys.Place(ctx, central.Place{Key: benchKey(), Terminal: b.terminals[caller], Slip: slip})
	switch {
	case err == nil:
		return t, true, nil
	case ctx.Err() != nil || sim.Refused(err):
		err = nil
	}
	return t, false, err
}

// benchKey is a key as our clients make them: a UUIDv7, ordered by time.
func benchKey() string {
	key := uuid.Must(uuid.NewV7())
	return string(key[:])
}

// sell has every caller sell until ctx ends, all of them together so many
// wagers a second (0: one after another), and returns how long each took.
func (b *bench) sell(ctx context.Context, perSecond int) (latencies, error) {
	return repeat(ctx, len(b.terminals), perSecond, func(ctx context.Context, caller int) (bool, error) {
		_, ok, err := b.place(ctx, caller)
		return ok, err
	})
}

// latencies are how long calls took, ascending, and all of them together.
type latencies struct {
	calls []time.Duration
	took  time.Duration
}

// add adds calls made at another time.
func (l *latencies) add(other latencies) {
	l.calls, l.took = append(l.calls, other.calls...), l.took+other.took
	slices.Sort(l.calls)
}

func (l latencies) perSecond() int64 {
	return int64(len(l.calls)) * int64(time.Second) / int64(max(l.took, 1))
}

// at is the latency that so many calls of a hundred do not exceed, in µs.
func (l latencies) at(percent int) int64 {
	if len(l.calls) == 0 {
		return 0
	}
	return l.calls[len(l.calls)*percent/100].Microseconds()
}

// repeat has callers call until ctx ends, all together so many times a second
// (0: as often as they can). A call that was refused is not counted.
func repeat(ctx context.Context, callers, perSecond int, call func(ctx context.Context, caller int) (bool, error)) (latencies, error) {
	each := make([][]time.Duration, callers)
	errs := make([]error, callers)
	var wait sync.WaitGroup
	start := time.Now()
	for i := range callers {
		wait.Go(func() {
			pace := newPace(perSecond, callers, i)
			for pace.next(ctx) && errs[i] == nil {
				begin := time.Now()
				ok, err := call(ctx, i)
				if errs[i] = err; ok {
					each[i] = append(each[i], time.Since(begin))
				}
			}
		})
	}
	wait.Wait()
	l := latencies{calls: slices.Concat(each...), took: time.Since(start)}
	slices.Sort(l.calls)
	return l, errors.Join(errs...)
}

// pace is the rate of one of several callers.
type pace struct {
	every time.Duration // 0: none
	at    time.Time
}

func newPace(perSecond, callers, caller int) *pace {
	if perSecond == 0 {
		return &pace{}
	}
	every := time.Duration(callers) * time.Second / time.Duration(perSecond)
	return &pace{every, time.Now().Add(every * time.Duration(caller) / time.Duration(callers))}
}

// next waits for the time of the next call; false when there is none.
func (p *pace) next(ctx context.Context) bool {
	if p.every == 0 {
		return ctx.Err() == nil
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(time.Until(p.at)):
	}
	// A caller that was held up does not call the more often for it.
	p.at = p.at.Add(p.every)
	if now := time.Now(); p.at.Before(now) {
		p.at = now
	}
	return true
}

// turns counts the turns of the journal.
func (b *bench) turns(ctx context.Context) (n uint64, err error) {
	err = b.db.View(ctx, func(tx *store.Snapshot) (err error) {
		n, err = tx.CountTurns(ctx)
		return err
	})
	return n, err
}
