package store_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"syscall"
	"testing"
	"time"

	"tirage/internal/dbtest"
	"tirage/money"
	"tirage/store"
)

const wagersPerTurn = 100

var engines = []struct {
	name string
	dsn  func(testing.TB) string
}{{"sqlite", dbtest.SQLite}, {"postgres", dbtest.Postgres}}

// BenchmarkWrite writes wagers of one board, 100 a turn, durably. An operation is a wager.
func BenchmarkWrite(b *testing.B) {
	for _, engine := range engines {
		b.Run(engine.name, func(b *testing.B) {
			db := open(b, engine.dsn(b))
			ctx := context.Background()
			b.ReportAllocs()
			b.ResetTimer()
			cpu := cpuTime()
			for done := 0; done < b.N; done += wagersPerTurn {
				err := db.Update(ctx, func(tx *store.Tx) error {
					head, err := tx.Head(ctx)
					if err != nil {
						return err
					}
					rows, changes, turn := wagers(head, wagersPerTurn)
					head.Size += wagersPerTurn
					head.At++
					return tx.Write(ctx, head, turn, rows, changes)
				})
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "wagers/s")
			// Of this process: on SQLite all of the work, whatever else runs.
			b.ReportMetric(float64((cpuTime()-cpu).Nanoseconds())/float64(b.N), "cpu-ns/op")
		})
	}
}

// cpuTime is the processor time that this process has used.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// wagers makes the rows of n tickets of one board after a head.
func wagers(head store.Head, n int) (store.Rows, map[string]money.Amount, store.Turn) {
	rows := store.Rows{
		Commands: make([]store.Command, n),
		Tickets:  make([]store.Ticket, n),
		Parts:    make([]store.Part, n),
		Postings: make([]store.Posting, 0, 2*n),
	}
	changes := make(map[string]money.Amount)
	content := hash(head.Size)
	keys := make([]byte, 16*n)
	for i := range n {
		number := head.Size + uint64(i)
		key := keys[16*i : 16*i+16]
		binary.BigEndian.PutUint64(key, number)
		copy(key[8:], content)
		outlet := outlets[number*7919%uint64(len(outlets))]
		rows.Commands[i] = store.Command{Key: key, Scope: outlet.terminal, Content: content, Record: number}
		rows.Tickets[i] = store.Ticket{Number: number, Outlet: outlet.id, LastDraw: 1, Price: 200}
		rows.Parts[i] = store.Part{Draw: 1, Ticket: number, Combination: int64(number * 7919 % 348_840), Units: 1, LastDraw: 1}
		rows.Postings = append(rows.Postings, store.Posting{Entry: number, Account: outlet.account, Amount: 200},
			store.Posting{Entry: number, N: 1, Account: "stake/1", Amount: -200})
		changes[outlet.account] += 200
		changes["stake/1"] -= 200
	}
	return rows, changes, store.Turn{First: head.Size, Count: uint64(n), At: head.At + 1, Records: make([]byte, 130*n)}
}

type benchOutlet struct{ id, terminal, account string }

var outlets = func() (out [256]benchOutlet) {
	for i := range out {
		id := fmt.Sprintf("%016x", i*7919)
		out[i] = benchOutlet{id, "terminal/" + id, "outlet/" + id}
	}
	return out
}()

// BenchmarkFloor is the same rows without the turn.
func BenchmarkFloor(b *testing.B) {
	for _, engine := range engines {
		b.Run(engine.name, func(b *testing.B) {
			db := open(b, engine.dsn(b))
			b.ResetTimer()
			cpu := cpuTime()
			perSecond, err := db.Floor(context.Background(), b.N, wagersPerTurn)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(perSecond), "wagers/s")
			b.ReportMetric(float64((cpuTime()-cpu).Nanoseconds())/float64(b.N), "cpu-ns/op")
		})
	}
}

const unitsPerTurn = 64

// BenchmarkWriteUnits writes units played, 64 a turn, durably. An operation is a play.
func BenchmarkWriteUnits(b *testing.B) {
	for _, engine := range engines {
		b.Run(engine.name, func(b *testing.B) {
			db := open(b, engine.dsn(b))
			ctx := context.Background()
			b.ReportAllocs()
			b.ResetTimer()
			cpu := cpuTime()
			for done := 0; done < b.N; done += unitsPerTurn {
				err := db.Update(ctx, func(tx *store.Tx) error {
					head, err := tx.Head(ctx)
					if err != nil {
						return err
					}
					rows, changes, turn := units(head, unitsPerTurn)
					head.Size += unitsPerTurn
					head.At++
					return tx.Write(ctx, head, turn, rows, changes)
				})
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "plays/s")
			b.ReportMetric(float64((cpuTime()-cpu).Nanoseconds())/float64(b.N), "cpu-ns/op")
		})
	}
}

// units makes the rows of n units after a head, each of another player, every
// fourth of which wins, and of the tiles that they fill.
func units(head store.Head, n int) (store.Rows, map[string]money.Amount, store.Turn) {
	var rows store.Rows
	changes := make(map[string]money.Amount)
	content := hash(head.Size)
	for i := range n {
		number := head.Size + uint64(i)
		player := players[number*7919%uint64(len(players))]
		prize := money.Amount(0)
		if i%4 == 0 {
			prize = 500
		}
		key := append(binary.BigEndian.AppendUint64(nil, number), content[:8]...)
		rows.Commands = append(rows.Commands, store.Command{Key: key, Scope: player.scope, Content: content, Record: number})
		rows.Units = append(rows.Units, store.Unit{Record: number, Player: player.id, Pool: 1, N: int(number), Price: 200, Prize: prize, At: head.At + 1})
		rows.Chain = append(rows.Chain, store.Link{Player: player.id, Last: number})
		rows.Postings = append(rows.Postings, store.Posting{Entry: number, Account: player.account, Amount: 200}, store.Posting{Entry: number, N: 1, Account: "pool/1", Amount: -200})
		if prize > 0 {
			rows.Postings = append(rows.Postings, store.Posting{Entry: number, N: 2, Account: "pool/1", Amount: prize}, store.Posting{Entry: number, N: 3, Account: player.account, Amount: -prize})
		}
		changes[player.account] += 200 - prize
		changes["pool/1"] += prize - 200
		if number%256 == 255 {
			rows.Tiles = append(rows.Tiles, store.Tile{N: number / 256, Hashes: make([]byte, 8192)})
		}
	}
	return rows, changes, store.Turn{First: head.Size, Count: uint64(n), At: head.At + 1, Records: make([]byte, 117*n)}
}

type benchPlayer struct{ id, scope, account string }

var players = func() (out [10_000]benchPlayer) {
	for i := range out {
		id := fmt.Sprintf("%016x", i*7919)
		out[i] = benchPlayer{id, "player/" + id + "/web", "player/" + id}
	}
	return out
}()

// BenchmarkFloorUnits is the same rows without the turn.
func BenchmarkFloorUnits(b *testing.B) {
	for _, engine := range engines {
		b.Run(engine.name, func(b *testing.B) {
			db := open(b, engine.dsn(b))
			b.ResetTimer()
			cpu := cpuTime()
			perSecond, err := db.FloorUnits(context.Background(), b.N, unitsPerTurn)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(perSecond), "plays/s")
			b.ReportMetric(float64((cpuTime()-cpu).Nanoseconds())/float64(b.N), "cpu-ns/op")
		})
	}
}

// BenchmarkEachPart scans the parts of a draw as settlement does. An operation is a part.
func BenchmarkEachPart(b *testing.B) {
	const most = 100_000
	for _, engine := range engines {
		b.Run(engine.name, func(b *testing.B) {
			db := open(b, engine.dsn(b))
			ctx := context.Background()
			for size := uint64(0); size < most; size += 1000 {
				err := db.Update(ctx, func(tx *store.Tx) error {
					head, err := tx.Head(ctx)
					if err != nil {
						return err
					}
					rows, changes, turn := wagers(head, 1000)
					head.Size += 1000
					return tx.Write(ctx, head, turn, rows, changes)
				})
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ResetTimer()
			cpu := cpuTime()
			seen := 0
			for seen < b.N {
				err := db.EachPart(ctx, 1, func(parts []store.Part) error {
					seen += len(parts)
					return nil
				})
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(seen), "ns/part")
			b.ReportMetric(float64((cpuTime()-cpu).Nanoseconds())/float64(seen), "cpu-ns/part")
		})
	}
}
