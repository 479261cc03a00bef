package main

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

type benchPoolCmd struct {
	JSON    bool   `name:"json" help:"Print the figures as one JSON line, the last."`
	DB      string `name:"db" help:"An empty database: sqlite:FILE or postgres://… (default: a SQLite file in a temporary folder)."`
	Profile string `type:"path" help:"Write a CPU profile (pprof) of what is measured to a file."`
}

// Help shows how it is used.
func (benchPoolCmd) Help() string {
	return "From two secrets that are committed to the pool that sells: 450,000 units at 1 € are shuffled, sealed, hashed to a root, recounted from " +
		"their leaves, committed and opened. The floor is one hash of each leaf, one after the other.\n\n" +
		"Examples:\n  tirage bench pool\n  tirage bench pool --json --db postgres://localhost/empty"
}

// poolJSON is the form of --json: per_second counts units.
type poolJSON struct {
	Work           string  `json:"work"`
	Engine         string  `json:"engine"`
	PerSecond      int64   `json:"per_second"`
	FloorPerSecond int64   `json:"floor_per_second"`
	Ratio          float64 `json:"ratio"`
	Units          int     `json:"units"`
	Seconds        float64 `json:"seconds"`
}

// Run measures.
func (c benchPoolCmd) Run(e *env) error {
	o := benchOptions{JSON: c.JSON, DB: c.DB, Callers: 1, Profile: c.Profile}
	return o.measure(e, func(b *bench) error {
		if _, err := b.openInstant(e.ctx, 1); err != nil {
			return err
		}
		stop, err := profile(c.Profile)
		if err != nil {
			return err
		}
		begin := time.Now()
		err = b.sys.TendPools(e.ctx)
		took := time.Since(begin)
		stop()
		if err != nil {
			return err
		}
		v, err := b.sys.Instant(demoInstant)
		if err != nil {
			return err
		}
		f := poolJSON{Work: "pool", Engine: b.db.Engine(), Seconds: float64(took.Milliseconds()) / 1000}
		for _, p := range v.Prices {
			if p.Table.Price == benchPrice {
				f.Units = p.Units
			}
		}
		if f.Units == 0 {
			return errors.New("no pool was opened")
		}
		f.PerSecond = int64(f.Units) * int64(time.Second) / int64(took)
		f.FloorPerSecond = poolFloor(f.Units)
		f.Ratio = float64(f.PerSecond*1000/max(f.FloorPerSecond, 1)) / 1000
		return o.print(e, f, fmt.Sprintf("pool on %s: %d units built, recounted, committed and opened in %.2f s (%d/s); floor %d/s, ratio %.2f",
			f.Engine, f.Units, f.Seconds, f.PerSecond, f.FloorPerSecond, f.Ratio))
	})
}

// poolFloor hashes the leaves of a pool of so many units once, one after the
// other, and gives units a second: nobody commits to them with less.
func poolFloor(units int) int64 {
	var leaf [65]byte // with the byte before it
	begin := time.Now()
	for n := range units {
		binary.BigEndian.PutUint64(leaf[1:], uint64(n))
		sum := sha256.Sum256(leaf[:])
		copy(leaf[33:], sum[:]) // each waits for the one before, so that none is left out
	}
	return int64(units) * int64(time.Second) / int64(max(1, time.Since(begin)))
}
