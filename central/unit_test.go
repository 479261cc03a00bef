package central_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tirage/central"
	"tirage/game"
	"tirage/instant"
	"tirage/internal/dbtest"
	"tirage/journal"
	"tirage/money"
	"tirage/party"
)

// Whole pools, sold out, have given exactly their tables, also over a restart,
// and the next sells before the last is empty (INS-3.1 to 3.3).
func TestINS_3_1_SoldOutPoolGaveItsTable(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWeb(t, dsn, cove(t), 3)
		for _, price := range []money.Amount{one, two} {
			won := map[money.Amount]int{}
			for n := range 40 {
				u := w.play(price)
				if u.Number != 1 || u.Leaf.N != uint64(n) {
					t.Fatalf("unit %d of pool %d, want unit %d of pool 1", u.Leaf.N, u.Number, n)
				}
				won[u.Prize]++
				if n == 20 {
					w.restart()
				}
				if got := w.states(price); strings.HasPrefix(got, "open open") != (n >= 29) {
					t.Fatalf("after %d units the pools are %s", n+1, got)
				}
			}
			want := map[money.Amount]int{0: 27, 10 * price: 1, 2 * price: 4, price: 8}
			if diff := cmp.Diff(want, won); diff != "" {
				t.Errorf("at %s: %s", price, diff)
			}
		}
		w.tend()
		p := w.pools(one)
		if got := w.states(one); got != "closed open committed" || p[2].Cause != "sold-out" || p[2].Paid != money.Euros(26) {
			t.Errorf("pools %s, the first %s, paid %s", got, p[2].Cause, p[2].Paid)
		}
		if u := w.play(one); u.Number != 2 || u.Leaf.N != 0 {
			t.Errorf("unit %d of pool %d", u.Leaf.N, u.Number)
		}
	})
}

// Random prize tables: a pool of whatever table, sold out, has given exactly that.
func TestINS_3_RandomTables(t *testing.T) {
	t.Parallel()
	w := newWeb(t, dbtest.SQLite(t), randomBook(7, 5), 1)
	w.check(depositMore(w, 1000))
	for _, table := range w.game.Tables {
		var got instant.Left
		got.Counts = make([]int, len(table.Prizes))
		for range w.game.Units {
			u := w.play(table.Price)
			if u.Board != nil || bytes.Contains(u.Text, []byte("board")) {
				t.Fatal("a plain game shows a board")
			}
			got.Sold++
			got.Paid = got.Paid.Add(u.Prize)
			for i, p := range table.Prizes {
				if p.Amount == u.Prize {
					got.Counts[i]++
				}
			}
		}
		for i, p := range table.Prizes {
			if got.Counts[i] != p.Units {
				t.Errorf("at %s: %d units with %s, the table has %d", table.Price, got.Counts[i], p.Amount, p.Units)
			}
		}
		if got.Paid != table.Total() {
			t.Errorf("at %s: %s paid, the table has %s", table.Price, got.Paid, table.Total())
		}
		w.refuses(central.ErrSoldOut, func() error { _, err := w.try(table.Price); return err })
	}
}

// randomBook is a plain game with so many prices and random tables.
func randomBook(seed uint64, prices int) []byte {
	choose := instantRand(seed)
	const units = 60
	head, _, _ := strings.Cut(coveBook, "prize_tables:")
	_, policy, _ := strings.Cut(coveBook, "policy:")
	var b strings.Builder
	b.WriteString(strings.NewReplacer("scene: island", "scene: plain", "units: 40", fmt.Sprint("units: ", units)).Replace(head))
	b.WriteString("prize_tables:\n")
	for price := 1; price <= prices; price++ {
		fmt.Fprintf(&b, "  - price: %d\n    prizes:\n", price)
		winners, total := 0, 0
		for amount := 20; amount > 0; amount -= 1 + choose(8) {
			n := 1 + choose(4)
			fmt.Fprintf(&b, "      - {units: %d, amount: %d, total: %d}\n", n, amount, n*amount)
			winners, total = winners+n, total+n*amount
		}
		rate := money.Euros(int64(total)).Rat()
		rate.Quo(rate, money.Euros(int64(price*units)).Rat())
		fmt.Fprintf(&b, "    printed: {winners: %d, total: %d, payout_rate: %s}\n", winners, total, rate.RatString())
	}
	b.WriteString("policy:" + policy)
	return []byte(b.String())
}

// instantRand are numbers below n that follow from a seed.
func instantRand(seed uint64) func(n int) int {
	return func(n int) int {
		seed = seed*6364136223846793005 + 1442695040888963407
		return int(seed>>33) % n
	}
}

func depositMore(w *web, euros int64) error {
	_, err := w.sys.DepositDemo(w.ctx(), w.key(), w.player, money.Euros(euros))
	return err
}

// What a play is refused for, and that it changes nothing.
func TestPlayRefused(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWeb(t, dsn, cove(t), 1)
		ask := func(change func(*central.PlayUnit)) func() error {
			p := central.PlayUnit{Key: w.key(), Player: w.player, Game: w.game.Code, Price: one}
			change(&p)
			return func() error { _, err := w.sys.Play(w.ctx(), p); return err }
		}
		poor, limited, excluded := w.newPlayer(0), w.newPlayer(one*9), w.newPlayer(one*9)
		most := money.Amount(150)
		w.check(w.sys.SetLimits(w.ctx(), central.SetLimits{Key: w.key(), Player: limited, Stakes: &most}))
		w.check(w.sys.Exclude(w.ctx(), central.Exclude{Key: w.key(), Player: excluded, For: 48 * time.Hour}))
		used := w.key()
		_, err := w.sys.Play(w.ctx(), central.PlayUnit{Key: used, Player: w.player, Game: w.game.Code, Price: one})
		w.check(err)
		for _, c := range []struct {
			name   string
			want   error
			change func(*central.PlayUnit)
		}{
			{"unknown game", central.ErrUnknownGame, func(p *central.PlayUnit) { p.Game = "grotto" }},
			{"a draw game", central.ErrUnknownGame, func(p *central.PlayUnit) { p.Game = w.rules.Code }},
			{"price of none", instant.ErrPrice, func(p *central.PlayUnit) { p.Price = 50 }},
			{"no price", instant.ErrPrice, func(p *central.PlayUnit) { p.Price = 0 }},
			{"price below nothing", instant.ErrPrice, func(p *central.PlayUnit) { p.Price = -100 }},
			{"nobody", party.ErrUnknownPlayer, func(p *central.PlayUnit) { p.Player = "" }},
			{"unknown player", party.ErrUnknownPlayer, func(p *central.PlayUnit) { p.Player = "0123456789abcdef" }},
			{"an officer", party.ErrUnknownPlayer, func(p *central.PlayUnit) { p.Player = w.officer.ID }},
			{"no balance", party.ErrBalance, func(p *central.PlayUnit) { p.Player = poor }},
			{"above the limit", party.ErrLimit, func(p *central.PlayUnit) { p.Player, p.Price = limited, two }},
			{"F22 excluded", party.ErrExcluded, func(p *central.PlayUnit) { p.Player = excluded }},
			{"no key", central.ErrKey, func(p *central.PlayUnit) { p.Key = "" }},
			{"long key", central.ErrKey, func(p *central.PlayUnit) { p.Key = strings.Repeat("k", 65) }},
			{"key of another price", central.ErrKeyReused, func(p *central.PlayUnit) { p.Key, p.Price = used, two }},
		} {
			w.refuses(c.want, ask(c.change))
			if t.Failed() {
				t.Fatal(c.name)
			}
		}
		w.clock.setWall(time.Minute)
		w.refuses(central.ErrClock, ask(func(*central.PlayUnit) {}))
		if u, err := w.sys.Play(w.ctx(), central.PlayUnit{Key: used, Player: w.player, Game: w.game.Code, Price: one}); err != nil || !u.Again {
			t.Errorf("a play asked for again while the clock is off: %+v, %v", u, err)
		}
		w.clock.setWall(0)
		w.refuses(central.ErrNoUnit, func() error { _, err := w.sys.Unit(w.ctx(), w.player, 0); return err })
		w.refuses(central.ErrNoUnit, func() error { _, err := w.sys.OpenedUnit(w.ctx(), 1<<40); return err })
		u := w.play(one)
		w.refuses(central.ErrNoUnit, func() error { _, err := w.sys.Unit(w.ctx(), poor, u.Record); return err })
		for range 38 {
			w.play(one)
		}
		w.refuses(central.ErrSoldOut, ask(func(*central.PlayUnit) {}))
		w.tend()
		if s := w.sale(one); s.Pool != 0 || s.Stopped {
			t.Errorf("sold out, and says %+v", s)
		}
		w.refuses(central.ErrSoldOut, ask(func(*central.PlayUnit) {}))
		w.play(two)
	})
}

// INS-4.1: from the debit on the unit is fixed. Whoever loses the answer finds it
// by its key and in the history, the same in every part.
func TestINS_4_1_LostAnswer(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWeb(t, dsn, cove(t), 1)
		ctx, cancel := context.WithCancel(w.ctx())
		cancel() // the player is gone before he is answered
		p := central.PlayUnit{Key: w.key(), Player: w.player, Game: w.game.Code, Price: one}
		if _, err := w.sys.Play(ctx, p); err != nil && !errors.Is(err, context.Canceled) { // it may be done before anybody looks whether he is gone
			t.Fatalf("got %v", err)
		}
		first, err := w.sys.Play(w.ctx(), p)
		w.check(err)
		w.restart()
		w.tend()
		again, err := w.sys.Play(w.ctx(), p)
		w.check(err)
		history, err := w.sys.Unit(w.ctx(), w.player, first.Record)
		w.check(err)
		opened, err := w.sys.OpenedUnit(w.ctx(), first.Record)
		w.check(err)
		if !again.Again || history.Again {
			t.Error("which was played before is not told")
		}
		again.Again, first.Again = false, false
		for name, u := range map[string]central.PlayedUnit{"again": again, "history": history, "opened": opened} {
			if diff := cmp.Diff(first, u); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
		if got, want := w.balance(), money.Euros(100).Sub(one).Add(first.Prize); got != want {
			t.Errorf("balance %s, want %s", got, want)
		}
		// Once its pool is closed, all but the proof is still told.
		for range 39 {
			w.play(one)
		}
		w.tend()
		later, err := w.sys.Unit(w.ctx(), w.player, first.Record)
		w.check(err)
		if later.Proof != nil || later.Prize != first.Prize || later.Leaf != first.Leaf || *later.Board != *first.Board || later.Root != first.Root {
			t.Errorf("after the close %+v", later)
		}
	})
}

// balance is the player's balance by the ledger.
func (w *web) balance() money.Amount { return w.sys.PlayerBalance(w.player) }

// F10: a double click, two tabs and twenty retries with one key are one unit and one debit.
func TestF10_OneDebit(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWeb(t, dsn, cove(t), 1)
		p := central.PlayUnit{Key: w.key(), Player: w.player, Game: w.game.Code, Price: two}
		units := make([]central.PlayedUnit, 20)
		var callers sync.WaitGroup
		for i := range units {
			callers.Go(func() {
				var err error
				if units[i], err = w.sys.Play(w.ctx(), p); err != nil {
					t.Error(err)
				}
			})
		}
		callers.Wait()
		first := 0
		for _, u := range units {
			if !u.Again {
				first++
			}
			if u.Record != units[0].Record || u.Prize != units[0].Prize || !bytes.Equal(u.Text, units[0].Text) {
				t.Errorf("another unit: %+v", u)
			}
		}
		if got, want := w.balance(), money.Euros(100).Sub(two).Add(units[0].Prize); first != 1 || got != want {
			t.Errorf("%d first answers, balance %s, want %s", first, got, want)
		}
		if n := w.count(`SELECT COUNT(*) FROM unit`); n != 1 {
			t.Errorf("%d units", n)
		}
		other := w.newPlayer(money.Euros(5)) // has the same key for himself
		p.Player = other
		u, err := w.sys.Play(w.ctx(), p)
		if err != nil || u.Again {
			t.Errorf("the key of another player: %v", err)
		}
	})
}

// F11: thousands of plays at once on one balance, through the ends of many small
// pools: each unit is sold once and debited once, nothing below zero, and what
// was answered is what history and ledger say.
func TestF11_Parallel(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		dsn   func(testing.TB) string
		plays int
	}{{"sqlite", dbtest.SQLite, 10_000}, {"postgres", dbtest.Postgres, 1000}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWeb(t, c.dsn(t), cove(t), 20)
			stop := w.tendAlways()
			var mu sync.Mutex
			played := map[uint64]central.PlayedUnit{}
			places := map[[2]int]bool{}
			refused := map[error]int{}
			var callers sync.WaitGroup
			ask := make(chan string)
			for range 64 {
				callers.Go(func() {
					for key := range ask {
						u, err := w.sys.Play(w.ctx(), central.PlayUnit{Key: key, Player: w.player, Game: w.game.Code, Price: one})
						mu.Lock()
						switch {
						case err == nil:
							played[u.Record], places[[2]int{int(u.Pool), int(u.Leaf.N)}] = u, true
						case errors.Is(err, party.ErrBalance), errors.Is(err, central.ErrSoldOut):
							refused[errors.Unwrap(err)]++
						default:
							t.Error(err)
						}
						mu.Unlock()
						if !errors.Is(err, central.ErrSoldOut) {
							continue
						}
						if err := w.sys.TendPools(w.ctx()); err != nil { // or all plays may be refused before the next pool is there
							t.Error(err)
						}
					}
				})
			}
			for n := range c.plays {
				ask <- fmt.Sprintf("p%06d", n)
			}
			close(ask)
			callers.Wait()
			stop()
			var staked, won money.Amount
			for record, u := range played {
				staked, won = staked.Add(u.Price), won.Add(u.Prize)
				if h, err := w.sys.Unit(w.ctx(), w.player, record); err != nil || h.Prize != u.Prize || h.Leaf != u.Leaf || h.Pool != u.Pool {
					t.Fatalf("history of %d: %v", record, err)
				}
			}
			if got, want := w.balance(), money.Euros(100).Sub(staked).Add(won); got != want || got < 0 || len(played) < 100 || len(places) != len(played) {
				t.Errorf("%d plays in %d places, staked %s, won %s, balance %s, want %s", len(played), len(places), staked, won, got, want)
			}
			if n := w.count(`SELECT COUNT(*) FROM unit`); n != len(played) {
				t.Errorf("%d units in the database, %d answered", n, len(played))
			}
		})
	}
}

// tendAlways tends pools until the test stops it.
func (w *web) tendAlways() (stop func()) {
	done := make(chan struct{})
	var tender sync.WaitGroup
	tender.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				if err := w.sys.TendPools(w.ctx()); err != nil {
					w.Error(err)
				}
			}
		}
	})
	return func() { close(done); tender.Wait() }
}

// F11: two nodes sell the same pools; no unit twice, no balance below zero.
func TestF11_TwoNodes(t *testing.T) {
	t.Parallel()
	w := newWeb(t, dbtest.Postgres(t), cove(t), 5)
	nodes := []*central.System{w.sys, w.secondNode()}
	var mu sync.Mutex
	places := map[[2]int]bool{}
	played := 0
	var callers sync.WaitGroup
	for n := range 8 {
		callers.Go(func() {
			for range 25 {
				u, err := nodes[n%2].Play(w.ctx(), central.PlayUnit{Key: w.key(), Player: w.player, Game: w.game.Code, Price: two})
				switch {
				case errors.Is(err, party.ErrBalance), errors.Is(err, central.ErrSoldOut):
					continue
				case err != nil:
					t.Error(err)
					return
				}
				if err := instant.VerifyUnit(u.Root, u.Units, u.Leaf, u.Proof); err != nil {
					t.Error(err)
				}
				mu.Lock()
				played++
				places[[2]int{int(u.Pool), int(u.Leaf.N)}] = true
				mu.Unlock()
				if n == 0 {
					w.check(nodes[0].TendPools(w.ctx()))
				}
			}
		})
	}
	callers.Wait()
	w.check(w.sys.Follow(w.ctx()))
	if played < 40 || len(places) != played || w.balance() < 0 {
		t.Errorf("%d plays in %d places, balance %s", played, len(places), w.balance())
	}
}

// A turn that the database refuses, with another decided on top of it, sells the
// units of all other commands once each, in order.
func TestUnitsOfARefusedTurn(t *testing.T) {
	t.Parallel()
	w := newWeb(t, dbtest.SQLite(t), cove(t, "ahead_pools: 1", "ahead_pools: 11"), 12) // all are there: none is waited for
	_, err := w.raw().Exec(`CREATE TRIGGER fault BEFORE INSERT ON command WHEN CAST(NEW.key AS TEXT) LIKE 'z%7' BEGIN SELECT RAISE(ABORT, 'a fault'); END`)
	w.check(err)
	w.check(depositMore(w, 500))
	stop := w.tendAlways()
	var mu sync.Mutex
	keys := map[string]uint64{}
	var callers sync.WaitGroup
	for caller := range 16 {
		callers.Go(func() {
			for i := range 20 {
				key := fmt.Sprintf("z%03d-%02d", i, caller)
				u, err := w.sys.Play(w.ctx(), central.PlayUnit{Key: key, Player: w.player, Game: w.game.Code, Price: one})
				if (err != nil) != strings.HasSuffix(key, "7") {
					t.Errorf("play %s: %v", key, err)
				}
				if err == nil {
					mu.Lock()
					keys[key] = u.Record
					mu.Unlock()
				}
			}
		})
	}
	callers.Wait()
	stop()
	w.check(w.sys.CheckBooks(w.ctx()))
	if n := w.count(`SELECT COUNT(*) FROM unit`); n != len(keys) {
		t.Errorf("%d units in the database, %d played", n, len(keys))
	}
}

// signedUnit is what the text of an answer says (docs/instant.md).
type signedUnit struct {
	V      int
	Log    string
	Record uint64
	At     int64
	Game   game.Code
	Pool   instant.PoolID
	Number int
	Units  int
	Unit   uint64
	Price  money.Amount
	Prize  money.Amount
	Seed   string
	Salt   string
	Root   string
	Proof  []string
	Board  *struct {
		Start  instant.Square
		Chests [][2]int
		Throws [][2]int
	}
}

// F13: what an answer says is signed by the key that the journal begins with, is
// what its record says, and the board shows the prize.
func TestF13_SignedAnswer(t *testing.T) {
	t.Parallel()
	w := newWeb(t, dbtest.SQLite(t), cove(t), 1)
	records, _ := w.records()
	var public ed25519.PublicKey
	for _, rec := range records {
		if k, ok := rec.Body.(*journal.Key); ok && k.Use == "answers" {
			public = k.Public
		}
	}
	if !bytes.Equal(public, w.sys.AnswersKey()) {
		t.Fatal("the key of answers is not the journal's")
	}
	for range 40 {
		u := w.play(one)
		if !ed25519.Verify(public, u.Text, u.Signature) {
			t.Fatal("the signature does not verify")
		}
		if ed25519.Verify(public, bytes.Replace(u.Text, []byte(`"prize":`), []byte(`"prize":1`), 1), u.Signature) {
			t.Fatal("the signature verifies another prize")
		}
		var s signedUnit
		d := json.NewDecoder(bytes.NewReader(u.Text))
		d.DisallowUnknownFields()
		w.check(d.Decode(&s))
		records, _ := w.records()
		rec := records[u.Record]
		b := rec.Body.(*journal.Unit)
		if s.V != 1 || s.Log != "tirage.test/log" || s.Record != u.Record || s.At != rec.At || s.Game != w.game.Code || uint64(s.Pool) != b.Pool ||
			s.Number != 1 || s.Units != 40 || s.Unit != b.N || s.Price != b.Price || s.Prize != b.Prize ||
			s.Seed != hex.EncodeToString(b.Seed[:]) || s.Salt != hex.EncodeToString(b.Salt[:]) || s.Root != hex.EncodeToString(u.Root[:]) {
			t.Fatalf("signed %s, recorded %+v", u.Text, b)
		}
		proof := make([]journal.Hash, len(s.Proof))
		for i, text := range s.Proof {
			_, err := hex.Decode(proof[i][:], []byte(text))
			w.check(err)
		}
		w.check(instant.VerifyUnit(u.Root, 40, u.Leaf, proof))
		board := instant.Board{Start: s.Board.Start}
		for i, c := range s.Board.Chests {
			board.Chests[i] = instant.Chest{At: instant.Square(c[0]), Symbol: instant.Symbol(c[1])}
		}
		for i, c := range s.Board.Throws {
			board.Throws[i] = instant.Throw{Direction: instant.Direction(c[0]), Squares: c[1]}
		}
		table, err := w.game.Table(one)
		w.check(err)
		if shown, err := instant.Read(table, board); err != nil || shown != b.Prize {
			t.Fatalf("the board shows %s (%v), the unit wins %s", shown, err, b.Prize)
		}
	}
}

// A play tells every key of a player apart, and is decided ahead of the disk when its key is new.
func TestPlayShares(t *testing.T) {
	t.Parallel()
	w := newWeb(t, dbtest.SQLite(t), cove(t), 1)
	before := w.count(`SELECT COUNT(*) FROM turn`)
	var callers sync.WaitGroup
	_, err := w.raw().Exec(`SELECT 1`)
	w.check(err)
	for n := range 32 {
		callers.Go(func() {
			if _, err := w.sys.Play(w.ctx(), central.PlayUnit{Key: fmt.Sprint("z", n), Player: w.player, Game: w.game.Code, Price: one}); err != nil {
				t.Error(err)
			}
		})
	}
	callers.Wait()
	if turns := w.count(`SELECT COUNT(*) FROM turn`) - before; turns > 31 {
		t.Errorf("32 plays took %d turns", turns)
	}
	list := w.sys.InstantGames()
	if !slices.Equal(list, []game.Code{"cove"}) {
		t.Errorf("games %v", list)
	}
}
