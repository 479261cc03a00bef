package central_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tirage/central"
	"tirage/internal/dbtest"
	"tirage/money"
	"tirage/party"
	"tirage/store"
)

// The acts of officers, and every refusal of them.
func TestOfficerActs(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		good := party.Outlet{Number: 2, Territory: "reunion", Zone: "Indian/Reunion", CreditLimit: 100}
		put := func(officer string, change func(*party.Outlet)) func() error {
			return func() error {
				o := good
				change(&o)
				_, err := w.sys.PutOutlet(w.ctx(), central.PutOutlet{Key: w.key(), Officer: officer, Outlet: o})
				return err
			}
		}
		same := func(*party.Outlet) {}
		for _, c := range []struct {
			name string
			want error
			do   func() error
		}{
			{"outlet by nobody", central.ErrNotAllowed, put("", same)},
			{"outlet by a stranger", central.ErrNotAllowed, put("0123456789abcdef", same)},
			{"outlet by an outlet", central.ErrNotAllowed, put(w.outlet.ID, same)},
			{"outlet without number", party.ErrOutlet, put(w.officer.ID, func(o *party.Outlet) { o.Number = 0 })},
			{"outlet with a number taken", central.ErrOutletNumber, put(w.officer.ID, func(o *party.Outlet) { o.Number = 1 })},
			{"outlet in no territory", central.ErrTerritory, put(w.officer.ID, func(o *party.Outlet) { o.Territory = "atlantis" })},
			{"outlet without a territory", party.ErrOutlet, put(w.officer.ID, func(o *party.Outlet) { o.Territory = "" })},
			{"outlet in no zone", party.ErrOutlet, put(w.officer.ID, func(o *party.Outlet) { o.Zone = "Local" })},
			{"outlet with less than no credit", party.ErrOutlet, put(w.officer.ID, func(o *party.Outlet) { o.CreditLimit = -1 })},
			{"change of no outlet", party.ErrUnknownOutlet, put(w.officer.ID, func(o *party.Outlet) { o.ID = "0123456789abcdef" })},
			{"change of what is no id", party.ErrOutlet, put(w.officer.ID, func(o *party.Outlet) { o.ID = "x" })},
			{"outlet without key", central.ErrKey, func() error {
				_, err := w.sys.PutOutlet(w.ctx(), central.PutOutlet{Officer: w.officer.ID, Outlet: good})
				return err
			}},
			{"terminal by nobody", central.ErrNotAllowed, func() error {
				_, _, err := w.sys.PutTerminal(w.ctx(), central.PutTerminal{Key: w.key(), Outlet: w.outlet.ID})
				return err
			}},
			{"terminal of no outlet", party.ErrUnknownOutlet, func() error {
				_, _, err := w.sys.PutTerminal(w.ctx(), central.PutTerminal{Key: w.key(), Officer: w.officer.ID, Outlet: "0123456789abcdef"})
				return err
			}},
			// A jackpot that nothing feeds could be sold, and its winner never be settled.
			{"jackpot that nothing feeds", central.ErrKind, func() error {
				book := island(t, "first_day: 2017-07-25", "first_day: 2028-01-01", "kind: fixed-prize", "kind: parimutuel",
					"prize: 20000,", "prize: jackpot,", "by_stake: [20000, 40000, 60000, 80000, 100000, 200000]", "",
					"payout_rate: 39239/58140", "")
				_, err := w.sys.PublishRules(w.ctx(), central.PublishRules{Key: w.key(), Officer: w.officer.ID, Book: book})
				return err
			}},
			{"nothing received", central.ErrAmount, func() error { return w.receive(w.officer.ID, w.outlet.ID, 0) }},
			{"less than nothing received", central.ErrAmount, func() error { return w.receive(w.officer.ID, w.outlet.ID, -1) }},
			{"more than all money received", money.ErrLimit, func() error { return w.receive(w.officer.ID, w.outlet.ID, money.Limit+1) }},
			{"received from nobody", party.ErrUnknownOutlet, func() error { return w.receive(w.officer.ID, "0123456789abcdef", 1) }},
			{"received by nobody", central.ErrNotAllowed, func() error { return w.receive("", w.outlet.ID, 1) }},
			{"rules by nobody", central.ErrNotAllowed, func() error {
				_, err := w.sys.PublishRules(w.ctx(), central.PublishRules{Key: w.key(), Book: islet(t)})
				return err
			}},
		} {
			t.Run(c.name, func(t *testing.T) { w.refuses(c.want, c.do) })
		}
		w.check(put(w.officer.ID, same)())

		changed := w.outlet
		changed.CreditLimit, changed.Number = money.Euros(7), 99
		got, err := w.sys.PutOutlet(w.ctx(), central.PutOutlet{Key: w.key(), Officer: w.officer.ID, Outlet: changed})
		w.check(err)
		w.sell(w.quickPick(6, 1))
		w.refuses(party.ErrCredit, func() error { _, err := w.place(w.quickPick(2, 1)); return err })
		w.check(w.receive(w.officer.ID, w.outlet.ID, money.Euros(5)))
		w.sell(w.quickPick(6, 1))
		account, err := w.sys.OutletAccount(w.outlet.ID)
		w.check(err)
		if diff := cmp.Diff(central.Account{Owes: money.Euros(7), CreditLimit: money.Euros(7)}, account); diff != "" {
			t.Errorf("account:\n%s", diff)
		}
		w.restart()
		if terminal, outlet, err := w.sys.Terminal(w.terminal.ID); err != nil || terminal != w.terminal || outlet != got || got != changed {
			t.Errorf("terminal %+v of %+v, %v", terminal, outlet, err)
		}
		if list := w.sys.Outlets(); len(list) != 2 || list[0].Number != 2 || list[1].Number != 99 {
			t.Errorf("outlets %+v", list)
		}
		if _, err := w.sys.OutletAccount("nobody"); !errors.Is(err, party.ErrUnknownOutlet) {
			t.Errorf("account of nobody: %v", err)
		}
		if _, _, err := w.sys.Terminal("nobody"); !errors.Is(err, party.ErrUnknownTerminal) {
			t.Errorf("terminal of nobody: %v", err)
		}
	})
}

// receive books money received from an outlet: by two officers, where it is more than it owes.
func (w *world) receive(officer, outlet string, amount money.Amount) error {
	w.Helper()
	_, err := w.sys.Receive(w.ctx(), central.Receive{Key: w.key(), Officer: officer, Outlet: outlet, Amount: amount})
	if !errors.Is(err, central.ErrOverpaid) {
		return err
	}
	second := w.second()
	p, err := w.propose(central.Change{Act: central.ActReceive, Outlet: outlet, Amount: amount, Reason: "trop versé"})
	if err != nil {
		return err
	}
	return w.approve(second.ID, p.ID)
}

// One officer books money received up to what the outlet owes; more, which raises what it may sell, takes two.
func TestReceiveBeyondOwed(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		second := w.second()
		w.sell(w.quickPick(20, 1))
		one := func(amount money.Amount) error {
			_, err := w.sys.Receive(w.ctx(), central.Receive{Key: w.key(), Officer: w.officer.ID, Outlet: w.outlet.ID, Amount: amount})
			return err
		}
		two := central.Change{Act: central.ActReceive, Outlet: w.outlet.ID, Amount: money.Euros(9_999_999), Reason: "erreur de virement"}
		w.refuses(central.ErrOverpaid, func() error { return one(2001) })
		w.refuses(central.ErrOverpaid, func() error { return one(money.Limit) })
		w.check(one(1500))
		w.refuses(central.ErrOverpaid, func() error { return one(501) })
		for want, edit := range map[error]func(*central.Change){
			central.ErrReason:      func(c *central.Change) { c.Reason = " " },
			party.ErrUnknownOutlet: func(c *central.Change) { c.Outlet = "nowhere" },
			central.ErrAmount:      func(c *central.Change) { c.Amount = 0 },
			central.ErrChange:      func(c *central.Change) { c.Login = "anne" },
		} {
			bad := two
			edit(&bad)
			w.refuses(want, func() error {
				_, err := w.sys.Propose(w.ctx(), central.Propose{Key: w.key(), Officer: w.officer.ID, Change: bad})
				return err
			})
		}
		p, err := w.propose(two)
		w.check(err)
		account, err := w.sys.OutletAccount(w.outlet.ID)
		w.check(err)
		if account.Owes != 500 {
			t.Errorf("proposed, and the outlet owes %s", account.Owes)
		}
		w.refuses(central.ErrSameOfficer, func() error { return w.approve(w.officer.ID, p.ID) })
		w.check(w.approve(second.ID, p.ID))
		w.refuses(central.ErrDecided, func() error { return w.approve(second.ID, p.ID) })
		w.restart()
		if account, err = w.sys.OutletAccount(w.outlet.ID); err != nil || account.Owes != 500-money.Euros(9_999_999) {
			t.Errorf("approved, and the outlet owes %s; %v", account.Owes, err)
		}
		w.refuses(central.ErrOverpaid, func() error { return one(1) })
		all := two
		all.Amount = money.Limit
		w.refuses(money.ErrLimit, func() error { _, err := w.propose(all); return err })
	})
}

// Officers sign on with a password and are made by officers, but the first.
func TestOfficers(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		put := func(key, by, login, password string) error {
			_, err := w.sys.PutOfficer(w.ctx(), central.PutOfficer{Key: key, By: by, Login: login, Password: password, Roles: []string{"draws"}})
			return err
		}
		const good = "un bon mot de passe"
		for _, c := range []struct {
			name                     string
			want                     error
			key, by, login, password string
		}{
			{"a second first one", central.ErrNotAllowed, "k", "", "second", good},
			{"by an outlet", central.ErrNotAllowed, "k", w.outlet.ID, "second", good},
			{"by nobody", central.ErrNotAllowed, "k", "nobody", "second", good},
			{"short login", central.ErrLogin, "k", w.officer.ID, "se", good},
			{"capital login", central.ErrLogin, "k", w.officer.ID, "Second", good},
			{"login taken", central.ErrLogin, "k", w.officer.ID, "chef", good},
			{"short password", central.ErrPassword, "k", w.officer.ID, "second", "123456789"},
			{"long password", central.ErrPassword, "k", w.officer.ID, "second", strings.Repeat("x", 201)},
			{"no key", central.ErrKey, "", w.officer.ID, "second", good},
		} {
			t.Run(c.name, func(t *testing.T) {
				w.refuses(c.want, func() error { return put(c.key, c.by, c.login, c.password) })
			})
		}
		for _, role := range []string{"", "two roles", "A", "\x00", strings.Repeat("x", 33)} {
			w.refuses(central.ErrRole, func() error {
				_, err := w.sys.PutOfficer(w.ctx(), central.PutOfficer{Key: "k", By: w.officer.ID, Login: "second", Password: good, Roles: []string{role}})
				return err
			})
		}
		w.check(put("k", w.officer.ID, "second", good))
		size := w.sys.Size()
		w.check(put("k", w.officer.ID, "second", good))
		if w.sys.Size() != size {
			t.Error("the same command made another officer")
		}
		w.refuses(central.ErrKeyReused, func() error { return put("k", w.officer.ID, "third", good) })
		w.restart()
		second, err := w.sys.SignOnOfficer(w.ctx(), "second", good)
		w.check(err)
		if diff := cmp.Diff([]string{"draws"}, second.Roles); diff != "" || second.ID == w.officer.ID {
			t.Errorf("signed on as %+v", second)
		}
		for _, c := range [][2]string{{"second", good + " "}, {"second", ""}, {"chef", good}, {"nobody", good}, {"", ""}, {"\x00\xff", good}, {"second", strings.Repeat(good, 100)}} {
			if _, err := w.sys.SignOnOfficer(w.ctx(), c[0], c[1]); !errors.Is(err, central.ErrSignOn) {
				t.Errorf("%.20q signs on with %.30q: %v", c[0], c[1], err)
			}
		}
		if _, err := w.sys.Officer("nobody"); !errors.Is(err, central.ErrNotAllowed) {
			t.Errorf("officer nobody: %v", err)
		}
	})
}

// Terminals sign on with their device key, of which the database has a hash.
func TestSignOnTerminal(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		other := w.newShop(2, "metropole", "Europe/Paris")
		for range 2 {
			terminal, outlet, err := w.sys.SignOnTerminal(w.ctx(), " "+w.device+"\n")
			if err != nil || terminal != w.terminal || outlet != w.outlet {
				t.Errorf("signed on as %+v of %+v, %v", terminal, outlet, err)
			}
			for _, key := range []string{
				"", "-", w.terminal.ID, w.terminal.ID + "-", w.device[:len(w.device)-1], w.device + "A", strings.ToLower(w.device),
				w.terminal.ID + other.device[len(other.terminal.ID):], "\x00\xff",
			} {
				if _, _, err := w.sys.SignOnTerminal(w.ctx(), key); !errors.Is(err, central.ErrSignOn) {
					t.Errorf("%q: got %v, want refused", key, err)
				}
			}
			w.restart()
		}
		w.check(w.db.View(w.ctx(), func(tx *store.Snapshot) error {
			d, err := tx.Device(w.ctx(), w.terminal.ID)
			if string(d.Hash) == w.device {
				t.Error("the database has the key in clear")
			}
			return err
		}))
	})
}

// heard tells whether a watcher was told of something since it was last asked.
func heard(changed <-chan struct{}) bool {
	select {
	case <-changed:
		return true
	default:
		return false
	}
}

// Whoever watches is told what another node has moved, also when this one learns it
// as it sells, which it does before it looks by itself; of what it sells he is not told.
func TestWatch_OtherNode(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.Postgres(t), islet(t))
	other := w.secondNode()
	changed, stop := other.Watch()
	defer stop()
	told := func() bool { return heard(changed) }
	w.check(other.Follow(w.ctx()))
	told()
	w.sell(w.slip(0, 2, 1))
	w.check(other.Follow(w.ctx()))
	if told() {
		t.Error("told of a sale of the other node")
	}
	w.at(mondayDraw(95))
	_, err := other.Place(w.ctx(), central.Place{Key: w.key(), Terminal: w.terminal.ID, Slip: w.slip(1, 2, 1)})
	w.check(err)
	if !told() {
		t.Error("not told of the draw that a sale has caught up with")
	}
	w.at(mondayDraw(96))
	w.check(other.Follow(w.ctx()))
	if !told() {
		t.Error("not told of a draw")
	}
}

// F18: whoever watches is told that the clock is off, and that it is not any more, once it is so.
func TestF18_Watch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t), islet(t))
	var changed <-chan struct{}
	told := func() bool { return heard(changed) }
	w.more = func(o *central.Options) {
		o.Clock.Wall = func() time.Time {
			told() // looks before the clock is looked at
			return w.clock.Wall()
		}
	}
	w.restart()
	var stop func()
	changed, stop = w.sys.Watch()
	defer stop()
	w.clock.setWall(time.Hour)
	if _, err := w.sys.Tick(w.ctx()); !errors.Is(err, central.ErrClock) || !told() {
		t.Errorf("not told that the clock is off: %v", err)
	}
	w.check(w.sys.ConfirmClock(w.ctx(), w.key(), w.officer.ID))
	if st, err := w.sys.Status(w.rules.Code); err != nil || st.Stopped {
		t.Errorf("the clock that was confirmed: %v", err)
	}
	w.check(w.sys.ConfirmClock(w.ctx(), w.key(), w.officer.ID))
	if !told() {
		t.Error("not told that it was confirmed")
	}
}

// A player cannot have every screen look again.
func TestWatch_Players(t *testing.T) {
	t.Parallel()
	b := newBank(t, dbtest.SQLite(t))
	changed, stop := b.sys.Watch()
	defer stop()
	player, limit := b.signUp("Jeanne").ID, money.Euros(10)
	b.check(b.limit(player, &limit, nil))
	b.check(b.world.exclude(player, 24*time.Hour, true))
	if heard(changed) {
		t.Error("told of a player")
	}
}

// Whoever watches is told of steps and of new outlets, not of each sale.
func TestWatch(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWorld(t, dsn, island(t))
		changed, stop := w.sys.Watch()
		told := func() bool { return heard(changed) }
		w.sell(w.quickPick(2, 1))
		if told() {
			t.Error("told of a sale")
		}
		w.at(mondayDraw(95))
		if !told() || told() {
			t.Error("not told once of a draw")
		}
		stop()
		stop()
		w.at(mondayDraw(96))
		if told() {
			t.Error("told after stop")
		}
	})
}
