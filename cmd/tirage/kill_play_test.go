package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"tirage/central"
	"tirage/game"
	"tirage/instant"
	"tirage/internal/dbtest"
	"tirage/internal/sim"
	"tirage/money"
	"tirage/party"
)

const (
	playKills   = 10
	killInstant = game.Code("kill")
	killPlayers = 8
	killBalance = money.Amount(100_000_00)
)

// killInstantBook has pools so small that each victim goes through some of them.
const killInstantBook = `
kind: instant
game: kill
version: "1"
name: {fr: Essai, en: Trial}
first_day: 2020-01-01
zone: Europe/Paris
units: 400
scene: plain
prize_tables:
  - price: 1
    prizes:
      - {units: 10, amount: 10, total: 100}
      - {units: 40, amount: 2,  total: 80}
      - {units: 80, amount: 1,  total: 80}
    printed: {winners: 130, total: 260, payout_rate: 13/20}
policy: {top_prize_gone: go_on, few_units: 10, few_units_then: go_on, open_next_at: 100, ahead_pools: 8}
`

// plays is what victims have acknowledged of the instant game.
type plays struct {
	units map[string]toldUnit // by key
	taken map[place]string    // key of each unit of a pool
	last  map[int]int         // last acknowledged play, by player: the next one had no answer
}

type toldUnit struct {
	record uint64
	place
	prize money.Amount
}

// place is a unit's place.
type place struct {
	pool instant.PoolID
	n    uint64
}

// noteUnit notes a unit that was acknowledged.
func (w *witness) noteUnit(text string) error {
	var key string
	var u toldUnit
	if _, err := fmt.Sscan(text, &key, &u.record, &u.pool, &u.n, &u.prize); err != nil {
		return err
	}
	var cycle, player, n int
	if _, err := fmt.Sscanf(key, "%d/%d/%d", &cycle, &player, &n); err != nil {
		return err
	}
	w.plays.last[player] = n
	return w.plays.add(key, u)
}

// add adds a unit: nobody else has it.
func (p *plays) add(key string, u toldUnit) error {
	if p.units == nil {
		p.units, p.taken = map[string]toldUnit{}, map[place]string{}
	}
	if other, ok := p.taken[u.place]; ok {
		return fmt.Errorf("unit %d of pool %d is of the commands %s and %s", u.n, u.pool, other, key)
	}
	p.units[key], p.taken[u.place] = u, key
	return nil
}

// TestF11_KillPlay kills a node under plays, kill -9, 10 times on each database.
// After each time: each unit that was acknowledged is there, once, and its
// command gives it again; a play that had no answer is one unit when it is sent
// again; each player's balance is what his units make of it, to the cent; no
// unit was sold twice, and none left out; the books are right, and the journal
// continues every checkpoint that was signed (F10, F11).
func TestF11_KillPlay(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newPlayWitness(t, dsn)
		for cycle := range playKills {
			w.orders.Cycle = cycle
			w.killOne(t)
			w.lookAtPlays(t)
		}
		if len(w.plays.units) < 20*playKills {
			t.Errorf("this was no load: %d units", len(w.plays.units))
		}
		t.Logf("%d units, %d records", len(w.plays.units), w.checkpoint.Size)
	})
}

// newPlayWitness makes a lottery with an instant game and players, for victims to run.
func newPlayWitness(t *testing.T, dsn string) *witness {
	t.Helper()
	keys, err := central.NewKeys("kill.tirage.example/log")
	if err != nil {
		t.Fatal(err)
	}
	w := &witness{orders: orders{DSN: dsn, Keys: keys, Players: make([]string, killPlayers)}, file: filepath.Join(t.TempDir(), "orders.json")}
	l, err := openLottery(t.Context(), w.orders)
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	if w.orders.Players, err = furnishPlays(t.Context(), l.sys); err != nil {
		t.Fatal(err)
	}
	return w
}

// furnishPlays opens the instant game, and accounts with money.
func furnishPlays(ctx context.Context, sys *central.System) (players []string, err error) {
	officer, err := sys.PutOfficer(ctx, central.PutOfficer{Key: "first", Login: "first", Password: "0123456789", Roles: []string{"all"}})
	if err != nil {
		return nil, err
	}
	second, err := newOfficer(ctx, sys, officer.ID, "second", "second", "0123456789")
	if err != nil {
		return nil, err
	}
	if _, err := sys.PublishInstant(ctx, central.PublishRules{Key: "instant", Officer: officer.ID, Book: []byte(killInstantBook)}); err != nil {
		return nil, err
	}
	for i := range 2 {
		for _, by := range []string{officer.ID, second} {
			c := central.CommitSecrets{Key: fmt.Sprint("secrets/", i), Officer: by, Game: killInstant, Price: 100, Count: 100}
			if _, err := sys.CommitSecrets(ctx, c); err != nil {
				return nil, err
			}
		}
	}
	if err := sys.Launch(ctx, central.GameAct{Key: "launch", Officer: officer.ID, Game: killInstant}); err != nil {
		return nil, err
	}
	if _, err := sys.PublishAccounts(ctx, central.PublishRules{Key: "accounts", Officer: officer.ID, Book: party.Book()}); err != nil {
		return nil, err
	}
	people := make([]sim.Newcomer, killPlayers)
	for i := range people {
		people[i] = sim.Simulated(i + 1)
	}
	players, err = sim.Enrol(ctx, sys, officer.ID, people, func(context.Context, central.Message) error { return errors.New("to nobody") })
	for _, id := range players {
		if _, err := sys.DepositDemo(ctx, "/", id, killBalance); err != nil { // a key before all others
			return nil, err
		}
	}
	return players, errors.Join(err, sys.TendPools(ctx))
}

// lookAtPlays opens the database that a victim left, and compares.
func (w *witness) lookAtPlays(t *testing.T) {
	t.Helper()
	l, err := openLottery(t.Context(), w.orders)
	if err != nil {
		t.Fatalf("after kill %d: %v", w.orders.Cycle+1, err)
	}
	defer l.close()
	for _, check := range []struct {
		name string
		run  func(context.Context, *lottery) error
	}{
		{"journal", w.checkJournal},
		{"units", w.checkUnits},
		{"unanswered", w.playAgain},
		{"whole", w.checkWhole},
		{"balances", w.checkBalances},
		{"books", func(ctx context.Context, l *lottery) error { return l.sys.CheckBooks(ctx) }},
		{"pools", func(ctx context.Context, l *lottery) error { return l.sys.TendPools(ctx) }},
	} {
		if err := check.run(t.Context(), l); err != nil {
			t.Fatalf("after kill %d: %s: %v", w.orders.Cycle+1, check.name, err)
		}
	}
}

// playerOf is who plays under a key.
func (w *witness) playerOf(key string) string {
	var cycle, player int
	if _, err := fmt.Sscanf(key, "%d/%d/", &cycle, &player); err != nil {
		return ""
	}
	return w.orders.Players[player]
}

// checkUnits: every unit that was acknowledged by the last victim is there, and its command gives it again.
func (w *witness) checkUnits(ctx context.Context, l *lottery) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(32)
	prefix := fmt.Sprintf("%02d/", w.orders.Cycle)
	for key, u := range w.plays.units {
		if key[:len(prefix)] != prefix {
			continue
		}
		g.Go(func() error {
			player := w.playerOf(key)
			found, err := l.sys.Unit(ctx, player, u.record)
			if err != nil || found.Pool != u.pool || found.Leaf.N != u.n || found.Prize != u.prize {
				return fmt.Errorf("unit %d of %s, told as %+v: %+v, %w", u.record, key, u, found, err)
			}
			again, err := l.sys.Play(ctx, playOf(key, player))
			if err != nil || again.Record != u.record || !again.Again {
				return fmt.Errorf("unit %d of %s, played again: %d, %w", u.record, key, again.Record, err)
			}
			return nil
		})
	}
	return g.Wait()
}

// playAgain sends what had no answer, twice: whether it was done before the kill or not, it is one unit.
func (w *witness) playAgain(ctx context.Context, l *lottery) error {
	g, ctx := errgroup.WithContext(ctx)
	var mu sync.Mutex
	for i, player := range w.orders.Players {
		n, ok := w.plays.last[i]
		if !ok {
			n = -1
		}
		key := fmt.Sprintf("%02d/%02d/%06d", w.orders.Cycle, i, n+1)
		g.Go(func() error {
			one, err := l.sys.Play(ctx, playOf(key, player))
			if err != nil {
				return fmt.Errorf("play %s: %w", key, err)
			}
			two, err := l.sys.Play(ctx, playOf(key, player))
			if err != nil || one.Record != two.Record || one.Prize != two.Prize || !two.Again {
				return fmt.Errorf("play %s: units %d and %d, %w", key, one.Record, two.Record, err)
			}
			mu.Lock()
			defer mu.Unlock()
			return w.plays.add(key, toldUnit{one.Record, place{one.Pool, one.Leaf.N}, one.Prize})
		})
	}
	return g.Wait()
}

// checkWhole: all units are known, so that those of a pool are its first ones, and later pools come after.
func (w *witness) checkWhole(context.Context, *lottery) error {
	sold := map[instant.PoolID][]uint64{}
	for at := range w.plays.taken {
		sold[at.pool] = append(sold[at.pool], at.n)
	}
	for pool, units := range sold {
		if slices.Sort(units); units[len(units)-1] != uint64(len(units)-1) {
			return fmt.Errorf("pool %d: %d units, the last is %d", pool, len(units), units[len(units)-1])
		}
		if sold[pool+1] != nil && len(units) != 400 {
			return fmt.Errorf("pool %d: %d units, and the next one sells", pool, len(units))
		}
	}
	return nil
}

// checkBalances: one debit and one credit a unit.
func (w *witness) checkBalances(_ context.Context, l *lottery) error {
	want := map[string]money.Amount{}
	for key, u := range w.plays.units {
		want[w.playerOf(key)] += u.prize - 100
	}
	for _, player := range w.orders.Players {
		if got := l.sys.PlayerBalance(player); got != killBalance+want[player] {
			return fmt.Errorf("player %s has %s, his units make it %s", player, got, killBalance+want[player])
		}
	}
	return nil
}

// TestF10_PlayInterrupted: callers who go away while their play is decided, committed or
// answered get one unit when they come back, at one debit.
func TestF10_PlayInterrupted(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newPlayWitness(t, dsn)
		l, err := openLottery(t.Context(), w.orders)
		if err != nil {
			t.Fatal(err)
		}
		defer l.close()
		if err := l.sys.TendPools(t.Context()); err != nil {
			t.Fatal(err)
		}
		var done sync.Map
		var wait sync.WaitGroup
		for i, player := range w.orders.Players {
			wait.Go(func() {
				for n := range 25 {
					key := fmt.Sprintf("00/%02d/%06d", i, n)
					// From at once to after the answer, in steps that no disk is in step with.
					ctx, stop := context.WithTimeout(t.Context(), time.Duration(n*n)*37*time.Microsecond)
					u, err := l.sys.Play(ctx, playOf(key, player))
					switch {
					case err == nil:
						done.Store(key, u.Record)
					case ctx.Err() == nil:
						t.Errorf("play %s: %v", key, err)
					}
					stop()
				}
			})
		}
		wait.Wait()
		for i, player := range w.orders.Players {
			for n := range 25 {
				key := fmt.Sprintf("00/%02d/%06d", i, n)
				u, err := l.sys.Play(t.Context(), playOf(key, player))
				if err != nil {
					t.Fatalf("play %s again: %v", key, err)
				}
				if before, ok := done.Load(key); ok && before != u.Record {
					t.Errorf("play %s: unit %v, then %d", key, before, u.Record)
				}
				if err := w.plays.add(key, toldUnit{u.Record, place{u.Pool, u.Leaf.N}, u.Prize}); err != nil {
					t.Error(err)
				}
			}
		}
		if err := errors.Join(w.checkWhole(t.Context(), l), w.checkBalances(t.Context(), l), l.sys.CheckBooks(t.Context())); err != nil {
			t.Error(err)
		}
	})
}
