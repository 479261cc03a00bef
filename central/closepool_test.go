package central_test

import (
	"encoding/hex"
	"errors"
	"testing"

	"tirage/central"
	"tirage/instant"
	"tirage/internal/dbtest"
	"tirage/journal"
	"tirage/money"
)

func closing(id instant.PoolID) central.Change {
	return central.Change{Act: central.ActClosePool, Pool: id, Reason: "base restaurée"}
}

// F18: two officers close a pool, on sale or not yet; one never does. What was sold of it
// stays paid, its secrets are published, and the next sells without another act.
func TestF18_PoolClosedByTwoOfficers(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWeb(t, dsn, cove(t), 4)
		var won money.Amount
		var units []central.PlayedUnit
		for range 7 {
			u := w.play(one)
			units, won = append(units, u), won.Add(u.Prize)
		}
		first, second := units[0].Pool, w.pools(one)[2].ID // the pool that sells, and the one ahead
		for name, c := range map[string]central.Change{
			"no pool":             {Act: central.ActClosePool},
			"a pool below 0":      {Act: central.ActClosePool, Pool: -1},
			"an unknown pool":     closing(99),
			"of a game":           {Act: central.ActClosePool, Pool: first, Game: "cove"},
			"with draws":          {Act: central.ActClosePool, Pool: first, Draws: w.draws(97)},
			"with days":           {Act: central.ActClosePool, Pool: first, Until: 5},
			"a pool to resume":    {Act: central.ActResumeGame, Game: "cove", Pool: first},
			"a pool for a cancel": {Act: central.ActCancelDraw, Draws: w.draws(97), Pool: first},
		} {
			before := w.sys.Size()
			if _, err := w.propose(c); !errors.Is(err, central.ErrChange) && !errors.Is(err, central.ErrNoPool) || w.sys.Size() != before {
				t.Errorf("%s: %v", name, err)
			}
		}
		p, twice, ahead := w.proposed(closing(first)), w.proposed(closing(first)), w.proposed(closing(second))
		if p.Pool != first || p.Reason != "base restaurée" {
			t.Errorf("proposed %+v", p)
		}
		w.refuses(central.ErrSameOfficer, func() error { return w.approve(w.officer.ID, p.ID) })
		w.play(one) // it sells until it is decided, and the proposal holds
		w.check(w.approve(w.other.ID, p.ID))
		w.refuses(central.ErrPoolClosed, func() error { return w.approve(w.other.ID, twice.ID) })
		w.refuses(central.ErrPoolClosed, func() error { _, err := w.propose(closing(first)); return err })
		w.check(w.approve(w.other.ID, ahead.ID))
		w.tend()
		if got := w.states(one); got != "closed closed open committed" {
			t.Errorf("pools %s", got)
		}
		if got := w.states(two); got != "open committed ready ready" {
			t.Errorf("pools of the other price %s", got)
		}
		w.closedByTwo(first, 8)
		w.closedByTwo(second, 0)
		if u := w.play(one); u.Number != 3 || u.Leaf.N != 0 {
			t.Errorf("unit %d of pool %d sells", u.Leaf.N, u.Number)
		}
		for _, u := range units { // what was played stands
			if got, err := w.sys.Unit(w.ctx(), w.player, u.Record); err != nil || got.Prize != u.Prize {
				t.Errorf("unit %d: %s, %v", u.Record, got.Prize, err)
			}
		}
		w.restart()
		w.tend()
		if got := w.states(one); got != "closed closed open committed" {
			t.Errorf("pools after a restart %s", got)
		}
		w.play(one)
	})
}

// closedByTwo shows what the end of a pool says: what was sold, what was not, and its secrets, which make it again.
func (w *web) closedByTwo(id instant.PoolID, sold int) {
	w.Helper()
	v, err := w.sys.PoolByID(w.ctx(), id)
	w.check(err)
	left := v.Units - v.Sold
	for _, n := range v.Left {
		left -= n
	}
	if v.State != "closed" || v.Cause != "officers" || v.Sold != sold || left < 0 {
		w.Errorf("pool %d: %s by %s, %d sold, left %v", id, v.State, v.Cause, v.Sold, v.Left)
	}
	for i, secret := range v.Secrets {
		if secret.Hash() != v.Hashes[i] {
			w.Errorf("secret %d of pool %d is not the one that was committed", i, id)
		}
	}
}

// A database restored from a backup sells again what players have seen: its next units are known. Two
// officers close its pools, and what it sells then nobody knows.
func TestRestoredPoolIsClosed(t *testing.T) {
	t.Parallel()
	lost := newWeb(t, dbtest.SQLite(t), cove(t), 4)
	for range 5 {
		lost.play(one)
	}
	w := lost.copyWeb(t) // the backup, as it is restored
	known := map[instant.PoolID]map[uint64]bool{}
	balance := func(of *web) money.Amount {
		p, err := of.sys.Player(of.ctx(), of.player)
		of.check(err)
		return p.Balance
	}
	for range 3 {
		u := lost.play(one)
		if known[u.Pool] == nil {
			known[u.Pool] = map[uint64]bool{}
		}
		known[u.Pool][u.Leaf.N] = true
	}
	before := balance(w)
	w.tend()
	probe := w.copyWeb(t) // nobody closes its pools
	probe.tend()
	if u := probe.play(one); !known[u.Pool][u.Leaf.N] {
		t.Errorf("unit %d of pool %d, which nobody knows: the test shows nothing", u.Leaf.N, u.Number)
	}
	w.check(w.sys.Suspend(w.ctx(), central.GameAct{Key: w.key(), Officer: w.officer.ID, Game: "cove"}))
	for _, v := range append(w.pools(one), w.pools(two)...) {
		if v.State == "open" {
			w.check(w.approve(w.other.ID, w.proposed(closing(v.ID)).ID))
		}
	}
	w.check(w.launch())
	w.tend()
	if got := balance(w); got != before {
		t.Errorf("the balance is %s, and was %s", got, before)
	}
	if u := w.play(one); u.Number != 2 || known[u.Pool][u.Leaf.N] {
		t.Errorf("unit %d of pool %d, which players have seen", u.Leaf.N, u.Number)
	}
	w.check(w.sys.CheckBooks(w.ctx()))
}

// F18: the books ask who decided to close a pool, and compare what its end says.
func TestF18_PoolCloseAudit(t *testing.T) {
	t.Parallel()
	base := newWeb(t, dbtest.SQLite(t), cove(t), 2)
	for range 3 {
		base.play(one)
	}
	open, err := base.sys.PoolByID(base.ctx(), base.sale(one).Pool)
	base.check(err)
	p := base.proposed(closing(open.ID)).ID
	var by journal.Party
	_, err = hex.Decode(by[:], []byte(base.other.ID))
	base.check(err)
	end := journal.ClosePool{Pool: uint64(open.ID), Cause: "officers", Sold: uint64(open.Sold), Balance: int64(one.Times(int64(open.Sold)).Sub(open.Paid))}
	losing := open.Units - open.Sold
	for i, n := range open.Left {
		end.Left = append(end.Left, journal.LeftLine{Prize: open.Table.Prizes[i].Amount, Units: uint64(n)})
		losing -= n
	}
	end.Left = append(end.Left, journal.LeftLine{Units: uint64(losing)})
	next := base.sys.Size()
	approve := &journal.Decision{Command: journal.Command{1}, By: by, Proposal: p, Approved: true}
	with := func(change func(*journal.ClosePool)) *journal.ClosePool {
		b := end
		b.Decision = next
		change(&b)
		return &b
	}
	for _, c := range []struct {
		name, named string
		bodies      []journal.Body
	}{
		{"nobody approved", "nobody approved", []journal.Body{with(func(*journal.ClosePool) {})}},
		{"nobody named", "nobody approved", []journal.Body{with(func(b *journal.ClosePool) { b.Decision = 0 })}},
		{"another cause, by a decision", "nobody approved", []journal.Body{with(func(b *journal.ClosePool) { b.Cause = "policy" })}},
		{"approved, not done", "is not done", []journal.Body{approve}},
		{"another pool", "is not the close of pool", []journal.Body{approve, with(func(b *journal.ClosePool) { b.Pool++ })}},
		{"another decision", "is not the close of pool", []journal.Body{approve, with(func(b *journal.ClosePool) { b.Decision-- })}},
		{"another cause", "is not the close of pool", []journal.Body{approve, with(func(b *journal.ClosePool) { b.Cause = "sold-out" })}},
		{"other secrets", "follows", []journal.Body{approve, with(func(*journal.ClosePool) {})}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := base.copyWeb(t)
			w.named(c.named, func(tt *central.Turn) error {
				for _, body := range c.bodies {
					if err := tt.Append(body); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
}
