package central_test

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tirage/central"
	"tirage/game"
	"tirage/internal/dbtest"
	"tirage/internal/sim"
	"tirage/journal"
	"tirage/ledger"
	"tirage/money"
	"tirage/party"
	"tirage/store"
)

// bank is a world with rules of accounts, a simulated provider of cards, and players.
type bank struct {
	*world
	cards  *sim.CardProvider
	terms  string // that players accept when they sign up
	opened int
}

func newBank(t testing.TB, dsn string) *bank {
	t.Helper()
	b := &bank{world: newWorld(t, dsn, islet(t))}
	b.cards = sim.NewCardProvider([]byte("key of the provider"), "/carte", b.clock.Now)
	b.more = func(o *central.Options) {
		o.Demo, o.Cards = true, map[string]central.CardProvider{"sim": b.cards}
	}
	b.restart()
	b.terms = b.publishAccounts().Version
	return b
}

// newTerms publishes another version of the rules, which players of before have not accepted.
func (b *bank) newTerms() {
	b.Helper()
	b.terms = b.publishAccounts(`version: "2010"`, fmt.Sprintf("version: %q", b.terms+"+")).Version
}

func partyOf(id string) (p journal.Party) {
	if _, err := hex.Decode(p[:], []byte(id)); err != nil {
		panic(err)
	}
	return p
}

// append appends the record of a command, as the operations that make players do.
func (b *bank) append(scope string, body func(journal.Command, *central.Turn) journal.Body) (index uint64) {
	b.Helper()
	key := b.key()
	b.check(b.sys.Do(b.ctx(), func(t *central.Turn) (err error) {
		index, err = t.AppendCommand(scope, key, func(c journal.Command) journal.Body { return body(c, t) })
		return err
	}))
	return index
}

// player opens an account; its identity is checked or not.
func (b *bank) player(confirmed bool) string {
	b.Helper()
	b.opened++
	var id journal.Party
	binary.BigEndian.PutUint64(id[:], uint64(b.opened)<<32|0xabc)
	player := id.String()
	b.append("sign-up", func(c journal.Command, t *central.Turn) journal.Body {
		b.check(t.AddPerson(b.ctx(), store.Person{
			Player: player, Email: player + "@example.org", Identity: []byte(fmt.Sprintf("%032d", b.opened)), FirstName: "Élise", LastName: fmt.Sprint("Dupré ", b.opened), Lang: "fr", Password: "x",
		}))
		return &journal.Player{Command: c, ID: id, Terms: b.terms}
	})
	b.change(player, journal.PlayerChange{What: party.EmailConfirmed.String()})
	if confirmed {
		b.change(player, journal.PlayerChange{What: party.IdentityConfirmed.String(), By: partyOf(b.officer.ID), Reason: make([]byte, 32)})
	}
	return player
}

// change changes what a player may do.
func (b *bank) change(player string, change journal.PlayerChange) {
	b.Helper()
	b.append("player/"+player, func(c journal.Command, t *central.Turn) journal.Body {
		change.Command, change.Player, change.Previous = c, partyOf(player), t.Previous(player)
		return &change
	})
}

func (b *bank) exclude(player string, until time.Time) {
	b.Helper()
	b.change(player, journal.PlayerChange{What: party.Exclude.String(), Until: until.UnixMicro()})
}

// has is a player's balance.
func (b *bank) has(player string) money.Amount { return -b.sys.Balance(ledger.Player(player)) }

func (b *bank) wantBalance(player string, want money.Amount) {
	b.Helper()
	if got := b.has(player); got != want {
		b.Errorf("player %s has %s, want %s", player, got, want)
	}
}

// sellVoucher sells a voucher that must be sold.
func (b *bank) sellVoucher(euros int64) central.Voucher {
	b.Helper()
	v, err := b.sys.SellVoucher(b.ctx(), central.SellVoucher{Key: b.key(), Terminal: b.terminal.ID, Amount: money.Euros(euros)})
	b.check(err)
	return v
}

func (b *bank) use(player string, v central.Voucher) error {
	_, err := b.sys.DepositVoucher(b.ctx(), b.key(), player, v.Number, v.Secret)
	return err
}

// give puts demo money on an account.
func (b *bank) give(player string, euros int64) {
	b.Helper()
	_, err := b.sys.DepositDemo(b.ctx(), b.key(), player, money.Euros(euros))
	b.check(err)
}

func TestSellVoucher(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		b := newBank(t, dsn)
		sell := func(terminal string, amount money.Amount) error {
			_, err := b.sys.SellVoucher(b.ctx(), central.SellVoucher{Key: b.key(), Terminal: terminal, Amount: amount})
			return err
		}
		for _, amount := range []money.Amount{0, -1000, 999, 1001, 500, money.Euros(1000), 100_000_000_000} {
			b.refuses(central.ErrVoucherAmount, func() error { return sell(b.terminal.ID, amount) })
		}
		b.refuses(party.ErrUnknownTerminal, func() error { return sell("0011223344556677", money.Euros(10)) })
		b.refuses(party.ErrUnknownTerminal, func() error { return sell("x", money.Euros(10)) })
		b.refuses(central.ErrKey, func() error {
			_, err := b.sys.SellVoucher(b.ctx(), central.SellVoucher{Terminal: b.terminal.ID, Amount: money.Euros(10)})
			return err
		})
		// F07: what the outlet owes is what the voucher is worth, and the account of vouchers holds it.
		v, err := b.sys.SellVoucher(b.ctx(), central.SellVoucher{Key: "twenty", Terminal: b.terminal.ID, Amount: money.Euros(20)})
		b.check(err)
		if o, err := b.sys.GiveUp(b.ctx(), b.terminal.ID, "twenty"); err != nil || o.Kind != central.OutcomeVoucher || o.Voucher != v || !o.At.Equal(v.SoldAt) {
			t.Errorf("F10: asked what became of it: %+v, %v; sold %+v", o, err, v)
		}
		if got := b.owes(b.shop); got != money.Euros(20) || b.sys.Balance(ledger.Vouchers) != -money.Euros(20) || v.Amount != money.Euros(20) {
			t.Errorf("the outlet owes %s, vouchers hold %s; want 20.00", got, -b.sys.Balance(ledger.Vouchers))
		}
		if v.Outlet != b.outlet.ID || !v.SoldAt.Equal(b.clock.Now()) {
			t.Errorf("sold by %s at %s", v.Outlet, v.SoldAt)
		}
		if number, secret, err := central.ParseVoucher(v.Code()); err != nil || number != v.Number || secret != v.Secret {
			t.Errorf("code %s reads as %d %x, %v", v.Code(), number, secret, err)
		}
		changed := b.outlet
		changed.CreditLimit = money.Euros(39)
		_, err = b.sys.PutOutlet(b.ctx(), central.PutOutlet{Key: b.key(), Officer: b.officer.ID, Outlet: changed})
		b.check(err)
		b.refuses(party.ErrCredit, func() error { return sell(b.terminal.ID, money.Euros(20)) })
		b.check(sell(b.terminal.ID, money.Euros(10)))
		changed.Blocked = true
		_, err = b.sys.PutOutlet(b.ctx(), central.PutOutlet{Key: b.key(), Officer: b.officer.ID, Outlet: changed})
		b.check(err)
		b.refuses(party.ErrBlocked, func() error { return sell(b.terminal.ID, money.Euros(10)) })
	})
}

func TestSellVoucher_NoRules(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t), islet(t))
	w.refuses(central.ErrVoucherAmount, func() error {
		_, err := w.sys.SellVoucher(w.ctx(), central.SellVoucher{Key: "k", Terminal: w.terminal.ID, Amount: money.Euros(10)})
		return err
	})
	w.clock.setWall(time.Hour)
	w.refuses(central.ErrClock, func() error {
		_, err := w.sys.SellVoucher(w.ctx(), central.SellVoucher{Key: "k", Terminal: w.terminal.ID, Amount: money.Euros(10)})
		return err
	})
}

// F18: while the clock is off no deposit begins; a card that has paid is credited all the same.
func TestF18_DepositsClockOff(t *testing.T) {
	t.Parallel()
	b := newBank(t, dbtest.SQLite(t))
	player, v := b.player(true), b.sellVoucher(10)
	n, err := b.cards.Pay(b.begin(player, 2500))
	b.check(err)
	used := b.sellVoucher(10)
	before := b.key()
	_, err = b.sys.DepositVoucher(b.ctx(), before, player, used.Number, used.Secret)
	b.check(err)
	b.clock.setWall(time.Hour)
	if d, err := b.sys.DepositVoucher(b.ctx(), before, player, used.Number, used.Secret); err != nil || !d.Again {
		t.Errorf("a deposit asked for again: %+v, %v", d, err)
	}
	b.refuses(central.ErrClock, func() error { return b.use(player, v) })
	b.refuses(central.ErrClock, func() error { _, err := b.sys.DepositDemo(b.ctx(), b.key(), player, 1000); return err })
	b.refuses(central.ErrClock, func() error { _, err := b.sys.BeginCard(b.ctx(), player, "sim", 1000, "/compte"); return err })
	if d, err := b.take(n); err != nil || d.Balance != 3500 {
		t.Errorf("a card that has paid: %+v, %v", d, err)
	}
}

// F24: a wrong number and a wrong secret are one refusal, that takes no turn, and takes the same time.
func TestF24_NoVoucher(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		b := newBank(t, dsn)
		player, v := b.player(true), b.sellVoucher(10)
		ticket := b.sell(b.quickPick(2, 1))
		wrong := v
		wrong.Secret[7] ^= 1
		as := func(number uint64, secret [8]byte) central.Voucher {
			return central.Voucher{Number: number, Secret: secret}
		}
		for name, v := range map[string]central.Voucher{
			"secret": wrong, "number before": as(v.Number-1, v.Secret), "number after": as(v.Number+1, v.Secret), "far": as(1<<62, v.Secret),
			"farther": as(1<<63+5, v.Secret), "nobody's": as(b.sys.Size()-1, [8]byte{}), "a ticket": as(uint64(ticket.Number), ticket.Secret),
		} {
			var refusal string
			b.refuses(central.ErrNoVoucher, func() error { err := b.use(player, v); refusal = err.Error(); return err })
			if refusal != central.ErrNoVoucher.Error() {
				t.Errorf("%s: %q tells more than %q", name, refusal, central.ErrNoVoucher)
			}
		}
		if !t.Failed() {
			fastest := func(v central.Voucher) time.Duration {
				best := time.Hour
				for range 200 {
					start := time.Now()
					if err := b.use(player, v); !errors.Is(err, central.ErrNoVoucher) {
						t.Fatal(err)
					}
					best = min(best, time.Since(start))
				}
				return best
			}
			secret, number := fastest(wrong), fastest(as(b.sys.Size()+1000, v.Secret))
			if secret > 3*number || number > 3*secret {
				t.Errorf("a wrong secret takes %s, a wrong number %s", secret, number)
			}
		}
		if _, err := b.sys.Check(b.ctx(), ticket.Number, v.Secret, time.UTC); !errors.Is(err, central.ErrNoTicket) {
			t.Errorf("ticket with a voucher's secret: %v", err)
		}
		if v.Secret == ticket.Secret {
			t.Error("a voucher has the secret of a ticket")
		}
		for _, code := range []string{"", "0000-0000", v.Code()[:len(v.Code())-1], v.Code() + "0", "<script>"} {
			if _, _, err := central.ParseVoucher(code); !errors.Is(err, central.ErrVoucherCode) {
				t.Errorf("code %q: %v", code, err)
			}
		}
		b.check(b.use(player, v))
	})
}

// F11: a voucher is used once, from however many doors at once, by whoever.
func TestF11_VoucherUsedTwice(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		b := newBank(t, dsn)
		players := []string{b.player(true), b.player(true), b.player(true)}
		nodes := []*central.System{b.sys}
		if b.db.Engine() == "postgres" {
			nodes = append(nodes, b.secondNode())
		}
		for round := range 3 {
			v := b.sellVoucher(50)
			size := b.sys.Size()
			var mu sync.Mutex
			var done []central.Deposited
			var callers sync.WaitGroup
			for door := range 50 {
				key := b.key()
				callers.Go(func() {
					d, err := nodes[door%len(nodes)].DepositVoucher(b.ctx(), key, players[door%len(players)], v.Number, v.Secret)
					mu.Lock()
					defer mu.Unlock()
					switch {
					case err == nil:
						done = append(done, d)
					case !errors.Is(err, central.ErrVoucherUsed):
						t.Error(err)
					}
				})
			}
			callers.Wait()
			b.check(b.sys.Follow(b.ctx()))
			if len(done) != 1 || done[0].Amount != money.Euros(50) || b.sys.Size() != size+1 {
				t.Errorf("round %d: used %d times: %+v", round, len(done), done)
			}
			if got := b.has(players[0]) + b.has(players[1]) + b.has(players[2]); got != money.Euros(50*int64(round+1)) {
				t.Errorf("round %d: players have %s", round, got)
			}
		}
		if b.sys.Balance(ledger.Vouchers) != 0 {
			t.Error("all vouchers are used, and their account is not empty")
		}
	})
}

func TestDeposit_Refusals(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		b := newBank(t, dsn)
		demo := func(player string, amount money.Amount) error {
			_, err := b.sys.DepositDemo(b.ctx(), b.key(), player, amount)
			return err
		}
		card := func(player string, amount money.Amount) error {
			_, err := b.sys.BeginCard(b.ctx(), player, "sim", amount, "/compte")
			return err
		}
		voucher := func(player string, _ money.Amount) error { return b.use(player, b.sellVoucher(10)) }
		means := map[string]func(string, money.Amount) error{"demo": demo, "card": card, "voucher": voucher}
		ten := money.Euros(10)
		old := b.player(true)
		b.newTerms()
		for name, deposit := range means {
			is := func(player string, amount money.Amount, want error) {
				t.Helper()
				if err := deposit(player, amount); !errors.Is(err, want) {
					t.Errorf("%s: got %v, want %v", name, err, want)
				}
			}
			is("nobody", ten, party.ErrUnknownPlayer)
			is("0011223344556677", ten, party.ErrUnknownPlayer)
			excluded := b.player(true)
			b.exclude(excluded, b.clock.Now().Add(hours(24)))
			is(excluded, ten, party.ErrExcluded)
			paused := b.player(true)
			b.change(paused, journal.PlayerChange{What: party.Pause.String(), Until: b.clock.Now().Add(hours(24)).UnixMicro()})
			is(paused, ten, party.ErrExcluded)
			closed := b.player(true)
			b.change(closed, journal.PlayerChange{What: party.CloseAccount.String()})
			is(closed, ten, party.ErrPlayerClosed)
			limited := b.player(true)
			b.change(limited, journal.PlayerChange{What: party.DepositLimit.String(), Amount: ten - 1, Until: b.clock.Now().UnixMicro()})
			is(limited, ten, party.ErrLimit)
			is(old, ten, party.ErrTerms)
			unchecked := b.player(false)
			if name == "voucher" {
				is(unchecked, ten, party.ErrMeans)
				continue
			}
			is(unchecked, money.Euros(101), party.ErrLimit)
			is(b.player(true), money.Euros(5)-1, party.ErrDepositMin)
			is(b.player(true), 0, party.ErrDepositMin)
			is(b.player(true), -ten, party.ErrDepositMin)
			is(b.player(true), money.Limit+1, money.ErrLimit)
		}
		if _, err := b.sys.BeginCard(b.ctx(), b.player(true), "autre", ten, "/"); !errors.Is(err, party.ErrMeans) {
			t.Errorf("a provider that there is not: %v", err)
		}
		b.more = func(o *central.Options) { o.Demo = false }
		b.restart()
		b.refuses(central.ErrDemo, func() error { return demo(b.player0(), ten) })
	})
}

// player0 is the id of the first player.
func (b *bank) player0() string { return "0000000100000abc" }

// F07: what an answer says is what is posted, to the cent, by each means.
func TestF07_DepositAmounts(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		b := newBank(t, dsn)
		player := b.player(true)
		v := b.sellVoucher(20)
		d, err := b.sys.DepositVoucher(b.ctx(), b.key(), player, v.Number, v.Secret)
		b.check(err)
		if d.Amount != 2000 || d.Balance != 2000 || d.Again {
			t.Errorf("voucher: %+v", d)
		}
		if d, err = b.sys.DepositDemo(b.ctx(), b.key(), player, 1234); err != nil || d.Amount != 1234 || d.Balance != 3234 {
			t.Errorf("demo: %+v, %v", d, err)
		}
		_, d = b.pay(player, 567)
		if d.Amount != 567 || d.Balance != 3801 {
			t.Errorf("card: %+v", d)
		}
		records, _ := b.records()
		for account, want := range map[ledger.Account]money.Amount{
			ledger.Player(player): -3801, ledger.Card("sim"): 567, ledger.Demo: 1234, ledger.Vouchers: 0, ledger.Outlet(b.outlet.ID): 2000,
		} {
			if got := b.sys.Balance(account); got != want {
				t.Errorf("account %s: %s, want %s", account, got, want)
			}
		}
		if last, ok := records[d.Record].Body.(*journal.Deposit); !ok || last.Amount != 567 || last.Means != "card/sim" {
			t.Errorf("record %d: %+v", d.Record, records[d.Record].Body)
		}
	})
}

// F10: vouchers sold and deposits made by an answer that was lost are done once, also after a restart.
func TestF10_CashLostAnswer(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		b := newBank(t, dsn)
		player, v := b.player(true), b.sellVoucher(100)
		b.give(player, 50)
		sent := b.withdraw(player, 2000)
		commands := []struct {
			name string
			do   func() (any, error)
		}{
			{"SellVoucher", func() (any, error) {
				return b.sys.SellVoucher(b.ctx(), central.SellVoucher{Key: "sell", Terminal: b.terminal.ID, Amount: money.Euros(10)})
			}},
			{"DepositVoucher", func() (any, error) {
				d, err := b.sys.DepositVoucher(b.ctx(), "voucher", player, v.Number, v.Secret)
				d.Again, d.Balance = false, 0 // the differences: balance is that of now
				return d, err
			}},
			{"DepositDemo", func() (any, error) {
				d, err := b.sys.DepositDemo(b.ctx(), "demo", player, 700)
				d.Again, d.Balance = false, 0
				return d, err
			}},
			{"Withdraw", func() (any, error) {
				return b.sys.Withdraw(b.ctx(), central.Withdraw{Key: "withdraw", Player: player, Amount: 600, IBAN: "fr14 2004 1010 0505 0001 3M02 606"})
			}},
			{"SendWithdrawals", func() (any, error) {
				return b.sys.SendWithdrawals(b.ctx(), "send", b.officer.ID, []uint64{sent})
			}},
			{"SettleWithdrawals", func() (any, error) {
				return nil, b.sys.SettleWithdrawals(b.ctx(), "settle", b.officer.ID, []uint64{sent}, true)
			}},
		}
		first := make([]any, len(commands))
		for i, c := range commands {
			before := b.sys.Size()
			answers, errs := make([]any, 20), make([]error, 20)
			var callers sync.WaitGroup
			for caller := range 2 {
				callers.Go(func() {
					for n := caller; n < len(answers); n += 2 {
						answers[n], errs[n] = c.do()
					}
				})
			}
			callers.Wait()
			for n := range answers {
				if errs[n] != nil {
					t.Fatalf("%s, try %d: %v", c.name, n, errs[n])
				}
				if diff := cmp.Diff(answers[0], answers[n]); diff != "" {
					t.Errorf("%s, try %d differs:\n%s", c.name, n, diff)
				}
			}
			if done := b.sys.Size() - before; done != 1 {
				t.Errorf("%s left %d records, want 1", c.name, done)
			}
			first[i] = answers[0]
		}
		b.restart()
		size := b.sys.Size()
		for i, c := range commands {
			again, err := c.do()
			if diff := cmp.Diff(first[i], again); diff != "" || err != nil {
				t.Errorf("%s, after a restart: %v\n%s", c.name, err, diff)
			}
		}
		for _, reuse := range []func() error{
			func() error {
				_, err := b.sys.SellVoucher(b.ctx(), central.SellVoucher{Key: "sell", Terminal: b.terminal.ID, Amount: money.Euros(20)})
				return err
			},
			func() error { _, err := b.sys.DepositDemo(b.ctx(), "demo", player, 701); return err },
			func() error { _, err := b.sys.DepositDemo(b.ctx(), "voucher", player, 700); return err },
			func() error {
				_, err := b.sys.Withdraw(b.ctx(), central.Withdraw{Key: "withdraw", Player: player, Amount: 600, IBAN: "BE68539007547034"})
				return err
			},
			func() error {
				return b.sys.SettleWithdrawals(b.ctx(), "settle", b.officer.ID, []uint64{sent}, false)
			},
			func() error { _, err := b.sys.SendWithdrawals(b.ctx(), "send", b.officer.ID, []uint64{}); return err },
		} {
			b.refuses(central.ErrKeyReused, reuse)
		}
		if b.sys.Size() != size {
			t.Error("a command was done again")
		}
	})
}

// A limit counts the deposits of seven Paris days, the present one included.
func TestINS_online_DepositWindow(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		b := newBank(t, dsn)
		player := b.player(true)
		b.change(player, journal.PlayerChange{What: party.DepositLimit.String(), Amount: money.Euros(100), Until: b.clock.Now().UnixMicro()})
		first := game.DayOf(b.clock.Now(), b.rules.Calendar.Zone)
		deposits := []int64{}
		for day := range game.Day(15) {
			b.clock.set((first + day).At(hours(23)+59*time.Minute, b.rules.Calendar.Zone))
			if _, err := b.sys.DepositDemo(b.ctx(), b.key(), player, money.Euros(50)); err == nil {
				deposits = append(deposits, int64(day))
			} else if !errors.Is(err, party.ErrLimit) {
				t.Fatal(err)
			}
			if day == 3 {
				b.restart()
			}
		}
		if want := []int64{0, 1, 7, 8, 14}; !slices.Equal(deposits, want) {
			t.Errorf("deposits on days %v, want %v", deposits, want)
		}
	})
}
