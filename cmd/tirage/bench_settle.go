package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tirage/draw"
	"tirage/game"
)

type benchSettleCmd struct {
	benchOptions
	Wagers int `default:"1000000" help:"Wagers in the draw."`
	Sales  int `default:"1300" help:"Wagers sold a second meanwhile; 0: as many as can be."`
}

// Help shows how it is used.
func (benchSettleCmd) Help() string {
	return "Fills a draw, then closes, draws, settles and certifies it while sales for the next go on. The seconds are from the close to the " +
		"certification, the latencies those of the sales meanwhile, and peak_bytes is the most memory that the whole process, its database " +
		"included where that is SQLite, had resident at once. The floor is scanning the same rows bare, on a connection of its own.\n\n" +
		"The draw is filled through the front door, so that the rows and the journal are those of sales; that takes " +
		"half a minute for a million, and more on PostgreSQL.\n\n" +
		"Examples:\n  tirage bench settle\n  tirage bench settle --json --wagers 100000 --sales 0"
}

// settleJSON is the form of --json.
type settleJSON struct {
	benchJSON
	Wagers         int64   `json:"wagers"`
	Seconds        float64 `json:"seconds"`
	PeakBytes      int64   `json:"peak_bytes"`
	SalesPerSecond int64   `json:"sales_per_second"`
}

// Run measures.
func (c benchSettleCmd) Run(e *env) error {
	if c.Wagers < 1 || c.Wagers > 10_000_000 || c.Sales < 0 {
		return errors.New("want --wagers 1 to 10000000, and --sales at least 0")
	}
	return c.measure(e, func(b *bench) error {
		if err := b.fill(e, c.Wagers); err != nil {
			return err
		}
		f, err := c.settle(e, b)
		if err != nil {
			return err
		}
		return c.print(e, f, fmt.Sprintf("settle on %s: %d wagers in %.2f s (%d/s), peak %d MB; %d sales/s meanwhile, p50 %d µs, p99 %d µs; "+
			"floor %d/s, ratio %.2f", f.Engine, f.Wagers, f.Seconds, f.PerSecond, f.PeakBytes>>20, f.SalesPerSecond, f.P50, f.P99, f.FloorPerSecond, f.Ratio))
	})
}

// benchDraw is the number of the draw that is filled, at noon.
const benchDraw = 95

// fill sells so many wagers in the first draw, as fast as it goes.
func (b *bench) fill(e *env, wagers int) error {
	ctx, stop := context.WithCancel(e.ctx)
	defer stop()
	var sold atomic.Int64
	_, err := repeat(ctx, len(b.terminals), 0, func(ctx context.Context, caller int) (bool, error) {
		if sold.Add(1) > int64(wagers) {
			stop()
			return false, nil
		}
		_, ok, err := b.place(e.ctx, caller)
		if !ok && err == nil {
			sold.Add(-1) // the combination was full
		}
		if n := sold.Load(); ok && n%100_000 == 0 {
			progress(e.stderr, "%d wagers sold", n)
		}
		return ok, err
	})
	return err
}

// settle draws the draw while sales go on.
func (c benchSettleCmd) settle(e *env, b *bench) (f settleJSON, err error) {
	selling, stopSales := context.WithCancel(e.ctx)
	defer stopSales()
	progress(e.stderr, "settling")
	b.to(benchStart.Add(30 * time.Minute))
	peak := watchMemory()
	stopProfile, err := profile(c.Profile)
	if err != nil {
		return f, err
	}
	var sales latencies
	var saleErr error
	var wait sync.WaitGroup
	wait.Go(func() { sales, saleErr = b.sell(selling, c.Sales) })
	begin := time.Now()
	_, err = b.sys.Tick(e.ctx)
	took := time.Since(begin)
	stopSales()
	wait.Wait()
	stopProfile()
	f.PeakBytes = peak()
	if err := errors.Join(err, saleErr); err != nil {
		return f, err
	}
	v, err := b.sys.Draw(e.ctx, b.rules.Code, game.DayOf(benchStart, b.rules.Calendar.Zone), benchDraw)
	if err != nil {
		return f, err
	}
	if v.State != draw.Certified || v.Settlement == nil {
		return f, fmt.Errorf("draw %d is %s", benchDraw, v.State)
	}
	floor, err := b.db.FloorScan(e.ctx, int64(v.ID))
	if err != nil {
		return f, err
	}
	f.benchJSON = benchJSON{
		Work: "settle", Engine: b.db.Engine(), PerSecond: v.Settlement.Parts * int64(time.Second) / int64(took), P50: sales.at(50), P99: sales.at(99),
	}
	f.beside(floor)
	f.Wagers, f.Seconds, f.SalesPerSecond = v.Settlement.Parts, float64(took.Milliseconds())/1000, sales.perSecond()
	return f, nil
}

// watchMemory returns a function that gives the most memory, in bytes, that
// the process had resident since. Linux counts it (proc(5), VmHWM), from here on where it may be
// reset; elsewhere it is what the runtime took from the system.
func watchMemory() (peak func() int64) {
	runtime.GC()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // else since the start, which is no less
	return func() int64 {
		if status, err := os.ReadFile("/proc/self/status"); err == nil {
			_, after, _ := strings.Cut(string(status), "VmHWM:")
			var kilobytes int64
			if _, err := fmt.Sscan(after, &kilobytes); err == nil {
				return kilobytes << 10
			}
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.Sys)
	}
}
