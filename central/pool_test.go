package central_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tirage/central"
	"tirage/game"
	"tirage/instant"
	"tirage/internal/dbtest"
	"tirage/journal"
	"tirage/money"
	"tirage/rng"
)

// Two officers make a pool: the secrets of one never do, however many.
func TestPoolTakesTwoOfficers(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWeb(t, dsn, cove(t), 1)
		w.second2()
		for _, c := range []struct {
			officer string
			count   int
			first   int
		}{{w.officer.ID, 2, 2}, {w.officer.ID, 1, 4}, {w.other.ID, 1, 2}, {w.third, 3, 3}, {w.other.ID, 2, 5}} {
			if first := w.commit(c.officer, one, c.count); first != c.first {
				t.Errorf("secrets from pool %d, want %d", first, c.first)
			}
			w.tend()
		}
		// 2: first and second; 3, 4: first and third; 5: third and second; 6: second.
		if got := w.states(one); got != "open committed ready ready ready waiting" {
			t.Errorf("pools %s", got)
		}
		for _, p := range w.pools(one) {
			if len(p.Officers) == 2 && p.Officers[0] == p.Officers[1] {
				t.Errorf("pool %d is of officer %s alone", p.Number, p.Officers[0])
			}
		}
		w.restart()
		w.tend()
		for range 40 {
			w.play(one)
		}
		w.tend()
		if got := w.states(one); got != "closed open committed ready ready waiting" {
			t.Errorf("pools %s", got)
		}
	})
}

// second2 makes a third officer.
func (w *web) second2() {
	w.Helper()
	p := w.proposed(central.Change{Act: central.ActMakeOfficer, Login: "tiers"})
	_, err := w.sys.Approve(w.ctx(), central.Decide{Key: w.key(), Officer: w.other.ID, Proposal: p.ID, Password: "un premier mot"})
	w.check(err)
	o, err := w.sys.SignOnOfficer(w.ctx(), "tiers", "un premier mot")
	w.check(err)
	w.check(w.sys.ChangePassword(w.ctx(), central.ChangePassword{Key: w.key(), Officer: o.ID, Old: "un premier mot", New: "dix caracteres"}))
	w.third = o.ID
}

func TestCommitSecretsRefused(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWeb(t, dsn, cove(t), 1)
		good := central.CommitSecrets{Key: w.key(), Officer: w.officer.ID, Game: "cove", Price: one, Count: 3, Entropy: "1"}
		first, err := w.sys.CommitSecrets(w.ctx(), good)
		w.check(err)
		again, err := w.sys.CommitSecrets(w.ctx(), good)
		if err != nil || again != first || first != 2 {
			t.Errorf("pool %d, again %d, %v", first, again, err)
		}
		for want, change := range map[error]func(*central.CommitSecrets){
			central.ErrSecrets:     func(c *central.CommitSecrets) { c.Count = 101 },
			central.ErrUnknownGame: func(c *central.CommitSecrets) { c.Game = w.rules.Code },
			instant.ErrPrice:       func(c *central.CommitSecrets) { c.Price = 50 },
			central.ErrNotAllowed:  func(c *central.CommitSecrets) { c.Officer = w.player },
			central.ErrKey:         func(c *central.CommitSecrets) { c.Key = "" },
			central.ErrKeyReused:   func(c *central.CommitSecrets) { c.Key, c.Entropy = good.Key, "2" },
		} {
			c := good
			c.Key = w.key()
			change(&c)
			w.refuses(want, func() error { _, err := w.sys.CommitSecrets(w.ctx(), c); return err })
		}
		for _, count := range []int{0, -1} {
			c := good
			c.Key, c.Count = w.key(), count
			w.refuses(central.ErrSecrets, func() error { _, err := w.sys.CommitSecrets(w.ctx(), c); return err })
		}
		w.refuses(central.ErrPublished, func() error {
			_, err := w.sys.PublishInstant(w.ctx(), central.PublishRules{Key: w.key(), Officer: w.officer.ID, Book: cove(t)})
			return err
		})
		w.refuses(central.ErrPublished, func() error {
			book := cove(t, "game: cove", "game: "+string(w.rules.Code))
			_, err := w.sys.PublishInstant(w.ctx(), central.PublishRules{Key: w.key(), Officer: w.officer.ID, Book: book})
			return err
		})
	})
}

// F14: a pool that is not what its table says is never committed, so it never
// opens; the pools of other prices are not held up.
func TestF14_PoolThatDoesNotRecount(t *testing.T) {
	t.Parallel()
	for _, wrong := range []struct{ prize, more int }{{0, -1}, {0, 1}, {1, 1}, {2, -1}} {
		w := &web{world: newWorld(t, dbtest.SQLite(t), islet(t))}
		w.other = w.second()
		w.publish(cove(t))
		w.sys.BuildPoolsBy(func(table *instant.PrizeTable, units int, seed rng.Seed) *instant.Pool {
			if table.Price == one {
				return w.wrongPool(one, wrong.prize, wrong.more)
			}
			return instant.Build(table, units, seed)
		})
		for _, officer := range []string{w.officer.ID, w.other.ID} {
			w.commit(officer, one, 1)
			w.commit(officer, two, 1)
		}
		w.check(w.launch())
		if err := w.sys.TendPools(w.ctx()); !errors.Is(err, instant.ErrRecount) {
			t.Errorf("got %v", err)
		}
		w.tend() // it is not built over and over
		if a, b := w.states(one), w.states(two); a != "ready" || b != "open" {
			t.Errorf("pools %s and %s", a, b)
		}
		if n := w.count(`SELECT COUNT(*) FROM pool WHERE price = 100`); n != 0 {
			t.Error("a pool that does not recount was committed")
		}
	}
}

// A secret that does not open any more holds up its own pool, and no other.
func TestPoolOfADamagedSecret(t *testing.T) {
	t.Parallel()
	w := newWeb(t, dbtest.SQLite(t), cove(t), 1).copyWeb(t)
	w.commit(w.officer.ID, one, 1)
	w.commit(w.other.ID, one, 1)
	w.commit(w.officer.ID, two, 1)
	w.commit(w.other.ID, two, 1)
	_, err := w.unguarded().Exec(`UPDATE sealed_secret SET sealed = zeroblob(60) WHERE hash IN (SELECT hash FROM pool_secret WHERE price = 100 AND number = 2)`)
	w.check(err)
	var faults int
	for range 5 {
		if err := w.sys.TendPools(w.ctx()); err != nil {
			faults++
			if !errors.Is(err, central.ErrKeys) {
				t.Error(err)
			}
		}
	}
	if a, b := w.states(one), w.states(two); a != "open ready" || b != "open committed" || faults != 1 {
		t.Errorf("pools %s and %s after %d faults", a, b, faults)
	}
}

// F15: what is left is told exactly, and the policy of the book is kept when the
// top prize has gone or few units are left.
func TestF15_Policies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		top, few string
	}{{"go on", "go_on", "go_on"}, {"warn of the top prize", "warn", "go_on"}, {"stop with the top prize", "stop", "go_on"}, {"warn of few", "go_on", "warn"}, {"stop with few", "go_on", "stop"}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			book := cove(t, "top_prize_gone: go_on", "top_prize_gone: "+c.top, "few_units_then: go_on", "few_units_then: "+c.few)
			w := newWeb(t, dbtest.SQLite(t), book, 1)
			counts := []int{1, 4, 8}
			top, sold := false, 0
			stopped := func() bool { return sold < 40 && (c.top == "stop" && top || c.few == "stop" && sold >= 35) } // the last unit may be the top prize
			for sold < 40 && !stopped() {
				u := w.play(one)
				sold++
				for i, amount := range []money.Amount{10 * one, 2 * one, one} {
					if u.Prize == amount {
						counts[i]--
					}
				}
				top = top || u.Prize == 10*one
				s := w.sale(one)
				warn := c.top == "warn" && top || c.few == "warn" && sold >= 35
				if sold < 40 && !stopped() && (s.Sold != sold || !slices.Equal(s.Left, counts) || s.Units != 40 || s.Warn != warn || s.Stopped) {
					t.Fatalf("after %d units %+v, want %v left, warn %t", sold, s, counts, warn)
				}
				if s.Stopped != stopped() {
					t.Fatalf("after %d units %+v, stopped %t", sold, s, stopped())
				}
			}
			w.refuses(central.ErrSoldOut, func() error { _, err := w.try(one); return err })
			w.tend()
			p, cause := w.pools(one)[0], "sold-out"
			if stopped() {
				cause = "policy"
			}
			if p.State != "closed" || p.Cause != cause || p.Sold != sold || !slices.Equal(p.Left, counts) || w.sale(one).Stopped != stopped() {
				t.Errorf("got %+v, want %s after %d with %v left", p, cause, sold, counts)
			}
			w.manifest(p, counts)
			w.restart()
			if s := w.sale(one); s.Stopped != stopped() || s.Pool != 0 {
				t.Errorf("after a restart %+v", s)
			}
			// The next pool opens by itself once it is there.
			w.commit(w.officer.ID, one, 1)
			w.commit(w.other.ID, one, 1)
			w.tend()
			u := w.play(one)
			first := c.top == "stop" && u.Prize == 10*one // the first unit may be the top prize
			if s := w.sale(one); u.Number != 2 || s.Stopped != first {
				t.Errorf("pool %d sells, stopped %t, want %t", u.Number, s.Stopped, first)
			}
		})
	}
}

// manifest shows that the close of a pool lists what was not sold, losing units
// too, and publishes the secrets by which anybody derives it again.
func (w *web) manifest(p central.PoolView, left []int) {
	w.Helper()
	records, _ := w.records()
	var pool *journal.Pool
	var closing *journal.ClosePool
	var end [32]byte
	for _, rec := range records {
		switch b := rec.Body.(type) {
		case *journal.Key:
			if b.Use == "beacon" {
				end = [32]byte(b.Public)
			}
		case *journal.Pool:
			if b.ID == uint64(p.ID) {
				pool = b
			}
		case *journal.ClosePool:
			closing = b
		}
	}
	lost := 40 - p.Sold
	for i, line := range closing.Left {
		if i < len(left) {
			lost -= left[i]
			if int(line.Units) != left[i] || line.Prize != p.Table.Prizes[i].Amount {
				w.Errorf("line %d of the manifest says %v, want %d", i, line, left[i])
			}
		} else if line.Prize != 0 || int(line.Units) != lost {
			w.Errorf("the manifest has %v losing units, want %d", line, lost)
		}
	}
	w.check(rng.VerifyBeacon(end, pool.Round, pool.Beacon))
	secrets := [2]instant.Secret{closing.Secrets[0], closing.Secrets[1]}
	if secrets[0].Hash() != pool.Hashes[0] || secrets[1].Hash() != pool.Hashes[1] {
		w.Error("the secrets are not those that were committed")
	}
	built := instant.Build(p.Table, 40, instant.PoolSeed(secrets, pool.Beacon, pool.Game, pool.Price, pool.Number))
	if built.Root() != pool.Root {
		w.Error("the pool that was published is not the one that was committed")
	}
}

// A version that has a price no more withdraws the pools of that price.
func TestPoolWithdrawn(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWeb(t, dsn, cove(t), 2)
		w.play(two)
		head, rest, _ := strings.Cut(coveBook, "  - price: 2\n")
		_, policy, _ := strings.Cut(rest, "policy:")
		w.publish([]byte(strings.Replace(head+"policy:"+policy, `version: "1"`, `version: "2"`, 1)))
		w.refuses(instant.ErrPrice, func() error { _, err := w.try(two); return err })
		w.tend()
		for _, p := range w.pools(two) {
			if p.State != "closed" || p.Cause != "withdrawn" {
				t.Errorf("pool %d is %s, %s", p.Number, p.State, p.Cause)
			}
		}
		if u := w.play(one); u.Number != 1 {
			t.Errorf("pool %d sells", u.Number)
		}
	})
}

// Whoever reads the database, but has not the key file, has no secret of a pool
// that is not closed, nor anything else that tells the next unit.
func TestSecretsAreSealed(t *testing.T) {
	t.Parallel()
	w := newWeb(t, dbtest.SQLite(t), cove(t), 1)
	w.play(one)
	leaf := w.sys.Pool(w.sale(one).Pool).Leaf(1)
	copied := w.copyWeb(t) // as it was before the close
	for range 39 {
		w.play(one)
	}
	w.tend()
	var hidden [][]byte
	records, _ := w.records()
	for _, rec := range records {
		if b, ok := rec.Body.(*journal.ClosePool); ok {
			pool := w.pools(one)[0]
			secrets := [2]instant.Secret{b.Secrets[0], b.Secrets[1]}
			value := sha256.Sum256(nil)
			for _, rec := range records {
				if p, ok := rec.Body.(*journal.Pool); ok && p.ID == b.Pool {
					value = p.Beacon
				}
			}
			seed := instant.PoolSeed(secrets, value, "cove", one, uint64(pool.Number))
			hidden = append(hidden, b.Secrets[0][:], b.Secrets[1][:], seed[:])
		}
	}
	if len(hidden) != 3 {
		t.Fatal("no secrets were published")
	}
	hidden = append(hidden, leaf.Seed[:], leaf.Salt[:])
	file, err := os.ReadFile(strings.TrimPrefix(copied.dsn, "sqlite:"))
	w.check(err)
	for i, secret := range hidden {
		for _, form := range [][]byte{secret, []byte(hex.EncodeToString(secret))} {
			if bytes.Contains(file, form) {
				t.Errorf("the database has hidden value %d", i)
			}
		}
	}
	var hash, sealed []byte
	db := w.raw()
	w.check(db.QueryRow(`SELECT hash, sealed FROM sealed_secret LIMIT 1`).Scan(&hash, &sealed))
	if _, err := central.Unsealed(testKeys(), [32]byte(hash), sealed); err != nil {
		t.Error(err)
	}
	others := testKeys()
	others.Sealing[0]++
	for name, fault := range map[string]error{
		"other keys": second(central.Unsealed(others, [32]byte(hash), sealed)),
		"other hash": second(central.Unsealed(testKeys(), [32]byte{1}, sealed)),
		"cut":        second(central.Unsealed(testKeys(), [32]byte(hash), sealed[:11])),
		"one bit":    second(central.Unsealed(testKeys(), [32]byte(hash), append(slices.Clone(sealed[:20]), append([]byte{sealed[20] ^ 1}, sealed[21:]...)...))),
	} {
		if !errors.Is(fault, central.ErrKeys) {
			t.Errorf("%s: %v", name, fault)
		}
	}
}

func second(_ instant.Secret, err error) error { return err }

// A node has the pools that sell and the next at hand, and builds them anew after
// a restart; a play that comes before waits for its pool.
func TestPoolsAtHand(t *testing.T) {
	t.Parallel()
	w := newWeb(t, dbtest.SQLite(t), cove(t, "ahead_pools: 1", "ahead_pools: 3"), 6)
	if n, states := w.sys.AtHand(), w.states(one); n != 4 || states != "open committed committed committed ready ready" {
		t.Errorf("%d pools at hand, of %s", n, states)
	}
	first := w.play(one)
	w.restart()
	if n := w.sys.AtHand(); n != 0 {
		t.Errorf("%d pools at hand at the start", n)
	}
	var callers sync.WaitGroup
	for range 20 {
		callers.Go(func() {
			if u, err := w.try(one); err != nil || u.Root != first.Root || u.Proof == nil {
				t.Errorf("unit of root %x, %v", u.Root, err)
			}
		})
	}
	callers.Wait()
	w.tend()
	if n := w.sys.AtHand(); n != 4 {
		t.Errorf("%d pools at hand", n)
	}
}

// While a node builds a pool, another may commit it: it is committed once.
func TestPoolBuiltByTwoNodes(t *testing.T) {
	t.Parallel()
	w := newWeb(t, dbtest.Postgres(t), cove(t), 1)
	node := w.secondNode()
	w.commit(w.officer.ID, one, 1)
	w.commit(w.other.ID, one, 1)
	w.check(node.Follow(w.ctx()))
	node.BuildPoolsBy(func(table *instant.PrizeTable, units int, seed rng.Seed) *instant.Pool {
		w.tend()
		return instant.Build(table, units, seed)
	})
	if err := node.TendPools(w.ctx()); err != nil || w.states(one) != "open committed" {
		t.Errorf("pools %s, %v", w.states(one), err)
	}
}

// A pool that is being built when another version comes into force is built anew, of that one.
func TestPoolBuiltAsRulesChange(t *testing.T) {
	t.Parallel()
	w := newWeb(t, dbtest.SQLite(t), cove(t), 1)
	w.commit(w.officer.ID, one, 1)
	w.commit(w.other.ID, one, 1)
	changed := false
	w.sys.BuildPoolsBy(func(table *instant.PrizeTable, units int, seed rng.Seed) *instant.Pool {
		if !changed {
			changed = true
			w.publish(cove(t, `version: "1"`, `version: "2"`))
		}
		return instant.Build(table, units, seed)
	})
	w.tend()
	if got := w.states(one); got != "open committed" {
		t.Errorf("pools %s", got)
	}
	records, _ := w.records()
	for _, rec := range records {
		if b, ok := rec.Body.(*journal.Pool); ok && b.Number == 2 && game.Hash(b.Book) != w.game.Hash {
			t.Error("the pool is of the version before")
		}
	}
}

// A node that does not make the pool again that was committed sells none of it.
func TestF14_PoolThatIsNotBuiltAgain(t *testing.T) {
	t.Parallel()
	w := newWeb(t, dbtest.SQLite(t), cove(t), 1)
	w.restart()
	w.sys.BuildPoolsBy(func(table *instant.PrizeTable, units int, seed rng.Seed) *instant.Pool {
		seed[0]++
		return instant.Build(table, units, seed)
	})
	for range 2 { // while it is tried, and once it has been
		w.refuses(central.ErrJournal, func() error { _, err := w.try(one); return err })
	}
	if n := w.count(`SELECT COUNT(*) FROM unit`); n != 0 {
		t.Errorf("%d units sold", n)
	}
}

// A pool that is sold out sells nothing beside the last, though it is not closed yet.
func TestF15_FewUnitsOfTheLastPool(t *testing.T) {
	t.Parallel()
	w := newWeb(t, dbtest.SQLite(t), cove(t, "few_units_then: go_on", "few_units_then: stop"), 2)
	for range 75 {
		w.play(one)
	}
	w.refuses(central.ErrSoldOut, func() error { _, err := w.try(one); return err })
}

// A pool that another node has committed is told as far as it is sold, though
// this node has yet to follow.
func TestPoolOfAnotherNode(t *testing.T) {
	t.Parallel()
	w := newWeb(t, dbtest.Postgres(t), cove(t), 1)
	node := w.secondNode()
	w.commit(w.officer.ID, one, 1)
	w.commit(w.other.ID, one, 1)
	w.tend()
	for range 43 {
		w.play(one)
	}
	want := w.pools(one)[0]
	got, err := node.PoolByID(w.ctx(), want.ID)
	if diff := cmp.Diff(want, got); diff != "" || want.Sold != 3 || err != nil {
		t.Errorf("%d sold, the other node differs by %s, %v", want.Sold, diff, err)
	}
}

// The scheduler builds, opens and closes by itself, beside its draws.
func TestTickTendsPools(t *testing.T) {
	t.Parallel()
	w := newWeb(t, dbtest.SQLite(t), cove(t), 3)
	for range 3 {
		for range 35 {
			w.play(one)
		}
		w.tick()
		w.sys.WaitForPools()
		w.tick()
	}
	if got := w.states(one); got != "closed closed open" {
		t.Errorf("pools %s", got)
	}
}

// Whoever changes the pools of a database, past the program, or writes what does
// not follow into the journal, is found by CheckBooks, which names it.
func TestF05_SabotageOfPools(t *testing.T) {
	t.Parallel()
	base := newWeb(t, dbtest.SQLite(t), cove(t), 2)
	for range 3 {
		base.play(one)
	}
	next := func(w *web) *journal.Unit {
		s := w.sale(one)
		leaf := w.sys.Pool(s.Pool).Leaf(s.Sold)
		return &journal.Unit{
			Player: w.party(w.player), Pool: uint64(s.Pool), N: leaf.N, Price: one, Prize: leaf.Prize, Seed: leaf.Seed, Salt: leaf.Salt,
		}
	}
	forge := func(change func(*journal.Unit)) func(*web, *central.Turn) error {
		return func(w *web, t *central.Turn) error {
			u := next(w)
			u.Previous = t.Previous(w.player)
			change(u)
			return t.Append(u)
		}
	}
	for _, c := range []struct {
		name, named string
		forge       func(*web, *central.Turn) error
	}{
		{"another prize", "it was committed with", forge(func(u *journal.Unit) { u.Prize += 100 })},
		{"another board", "it was committed with", forge(func(u *journal.Unit) { u.Seed[0]++ })},
		{"another salt", "it was committed with", forge(func(u *journal.Unit) { u.Salt[0]++ })},
		{"a unit left out", "the next is 3", forge(func(u *journal.Unit) { u.N++ })},
		{"another price", "its price is", forge(func(u *journal.Unit) { u.Price = 50 })},
		{"a pool that waits", "which does not sell", forge(func(u *journal.Unit) { u.Pool++ })},
		{"before its time", "before its time", func(w *web, t *central.Turn) error {
			return t.Append(&journal.OpenPool{Pool: next(w).Pool + 1})
		}},
		{"a pool closed", "before its time", func(w *web, t *central.Turn) error {
			return t.Append(&journal.ClosePool{Pool: next(w).Pool, Cause: "policy", Sold: 3})
		}},
		{"secrets of nobody", "is no officer", func(w *web, t *central.Turn) error {
			return t.Append(&journal.Secrets{By: w.party(w.player), Game: "cove", Price: one, First: 3, Hashes: [][32]byte{{1}}})
		}},
		{"secrets that are not there", "is not there", func(w *web, t *central.Turn) error {
			return t.Append(&journal.Secrets{By: w.party(w.officer.ID), Game: "cove", Price: one, First: 3, Hashes: [][32]byte{{1}}})
		}},
		{"a round again", "it must be", func(w *web, t *central.Turn) error {
			return t.Append(&journal.Secrets{By: w.party(w.officer.ID), Game: "cove", Price: one, First: 3, Hashes: [][32]byte{{1}}, Round: 1})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := base.copyWeb(t)
			w.tend()
			w.named(c.named, func(turn *central.Turn) error { return c.forge(w, turn) })
		})
	}
	for _, c := range []struct{ name, change, named string }{
		{"a secret", `UPDATE sealed_secret SET sealed = zeroblob(60)`, "does not open"},
		{"a secret less", `DELETE FROM sealed_secret`, "is not there"},
		{"a unit's prize", `UPDATE unit SET prize = prize + 100`, "Units"},
		{"a unit less", `DELETE FROM unit WHERE n = 2`, "Units"},
		{"a pool", `UPDATE pool SET number = number + 5`, "Pools"},
		{"a step", `UPDATE pool_step SET at = at + 1`, "PoolSteps"},
		{"a commitment", `UPDATE pool_secret SET number = number + 5`, "PoolSecrets"},
		{"a launch", `UPDATE game_step SET fr = 'x'`, "GameSteps"},
		{"a rule book", `UPDATE book SET version = '3' WHERE sort = 'instant'`, "Books"},
		{"a chain", `UPDATE chain SET last = last - 1`, "Chain"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := base.copyWeb(t)
			db := w.unguarded()
			_, err := db.Exec(`PRAGMA foreign_keys = OFF`)
			w.check(err)
			_, err = db.Exec(c.change)
			w.check(err)
			if err := w.sys.CheckBooks(w.ctx()); err == nil || !strings.Contains(err.Error(), c.named) {
				t.Errorf("CheckBooks says %v, want it to name %q", err, c.named)
			}
		})
	}
}

func (w *web) party(id string) journal.Party {
	w.Helper()
	var p journal.Party
	_, err := hex.Decode(p[:], []byte(id))
	w.check(err)
	return p
}
