package central_test

import (
	"context"
	"errors"
	"net/url"
	"sync"
	"sync/atomic"
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
	"tirage/rng"
)

// begin begins a payment by card, and gives its reference.
func (b *bank) begin(player string, amount money.Amount) string {
	b.Helper()
	address, err := b.sys.BeginCard(b.ctx(), player, "sim", amount, "/compte")
	b.check(err)
	u, err := url.Parse(address)
	b.check(err)
	if u.Query().Get("retour") != "/compte" {
		b.Errorf("address %s does not come back", address)
	}
	return u.Query().Get("reference")
}

// take takes a notice in.
func (b *bank) take(n sim.Notice) (central.Deposited, error) {
	return b.sys.CardPaid(b.ctx(), "sim", n.Header, n.Body)
}

// pay deposits an amount by card.
func (b *bank) pay(player string, amount money.Amount) (reference string, d central.Deposited) {
	b.Helper()
	reference = b.begin(player, amount)
	n, err := b.cards.Pay(reference)
	b.check(err)
	d, err = b.take(n)
	b.check(err)
	return reference, d
}

func (b *bank) today() game.Day { return game.DayOf(b.clock.Now(), b.rules.Calendar.Zone) }

// differs are the differences with the provider on a day.
func (b *bank) differs(day game.Day) []central.CardDifference {
	b.Helper()
	list, err := b.sys.ReconcileCards(b.ctx(), "sim", day)
	b.check(err)
	return list
}

// The provider calls twenty times at once, on each node: one deposit, and the same answer.
func TestF10_CardNotices(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		b := newBank(t, dsn)
		player := b.player(false)
		nodes := []*central.System{b.sys}
		if b.db.Engine() == "postgres" {
			nodes = append(nodes, b.secondNode())
		}
		n, err := b.cards.Pay(b.begin(player, 2500))
		b.check(err)
		before := b.sys.Size()
		var first atomic.Int64
		records := make([]uint64, 20)
		var callers sync.WaitGroup
		for i := range records {
			callers.Go(func() {
				d, err := nodes[i%len(nodes)].CardPaid(b.ctx(), "sim", n.Header, n.Body)
				if err != nil || d.Amount != 2500 || d.Balance != 2500 {
					t.Errorf("call %d: %+v, %v", i, d, err)
				}
				if !d.Again {
					first.Add(1)
				}
				records[i] = d.Record
			})
		}
		callers.Wait()
		b.check(b.sys.Follow(b.ctx()))
		if first.Load() != 1 || b.sys.Size() != before+1 {
			t.Errorf("%d deposits, %d records", first.Load(), b.sys.Size()-before)
		}
		for _, record := range records {
			if record != records[0] {
				t.Errorf("records %v", records)
				break
			}
		}
		b.wantBalance(player, 2500)
		b.restart()
		if d, err := b.take(n); err != nil || !d.Again || d.Record != records[0] {
			t.Errorf("after a restart: %+v, %v", d, err)
		}
	})
}

// Whoever has paid is credited, whatever has changed since he began (F22 keeps him from playing with it, not from having it).
func TestCardPaid_ChangedMeanwhile(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		b := newBank(t, dsn)
		for name, change := range map[string]journal.PlayerChange{
			"excluded":  {What: party.Exclude.String(), Until: b.clock.Now().Add(hours(240)).UnixMicro()},
			"limited":   {What: party.DepositLimit.String(), Amount: 100, Until: b.clock.Now().UnixMicro()},
			"closed":    {What: party.CloseAccount.String()},
			"new terms": {},
		} {
			player := b.player(true)
			reference := b.begin(player, 3000)
			if change.What != "" {
				b.change(player, change)
			} else {
				b.newTerms()
			}
			if _, err := b.sys.BeginCard(b.ctx(), player, "sim", 3000, "/compte"); err == nil {
				t.Errorf("%s: another payment begins", name)
			}
			n, err := b.cards.Pay(reference)
			b.check(err)
			if d, err := b.take(n); err != nil || d.Balance != 3000 {
				t.Errorf("%s: %+v, %v", name, d, err)
			}
		}
	})
}

func TestCardPaid_Refusals(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		b := newBank(t, dsn)
		player := b.player(true)
		reference := b.begin(player, 3000)
		notice := central.CardNotice{Reference: reference, Amount: 3000, At: b.clock.Now()}
		good := b.cards.Sign(notice)
		forger := sim.NewCardProvider([]byte("another key"), "/", b.clock.Now)
		with := func(change func(*central.CardNotice)) sim.Notice {
			n := notice
			change(&n)
			return b.cards.Sign(n)
		}
		for name, n := range map[string]sim.Notice{
			"another's key":     forger.Sign(notice),
			"no signature":      {Body: good.Body},
			"another body":      {Header: good.Header, Body: append([]byte(" "), good.Body...)},
			"nothing":           {},
			"wrong amount":      with(func(n *central.CardNotice) { n.Amount = 300_000 }),
			"less":              with(func(n *central.CardNotice) { n.Amount = 30 }),
			"negative":          with(func(n *central.CardNotice) { n.Amount = -3000 }),
			"reference unknown": with(func(n *central.CardNotice) { n.Reference = "deadbeef" }),
			"no reference":      with(func(n *central.CardNotice) { n.Reference = "" }),
			"odd reference":     with(func(n *central.CardNotice) { n.Reference = "\x00é'\"" }),
		} {
			b.refuses(central.ErrNotice, func() error {
				_, err := b.take(n)
				if err == nil {
					t.Errorf("%s is taken", name)
				}
				return err
			})
		}
		b.refuses(central.ErrNotice, func() error {
			_, err := b.sys.CardPaid(b.ctx(), "autre", good.Header, good.Body)
			return err
		})
		b.wantBalance(player, 0)
		if _, err := b.take(good); err != nil {
			t.Error(err)
		}
		// Credited, and then told of with another amount: still that once.
		b.refuses(central.ErrNotice, func() error {
			_, err := b.take(with(func(n *central.CardNotice) { n.Amount = 3001 }))
			return err
		})
		b.wantBalance(player, 3000)
	})
}

// A notice that was lost is made up for by reconciliation; what the two do not agree on is listed, by either side.
func TestReconcileCards(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		b := newBank(t, dsn)
		player := b.player(true)
		b.pay(player, 1000)
		lost := b.begin(player, 2000)
		_, err := b.cards.Pay(lost)
		b.check(err)
		b.begin(player, 9000) // never paid
		if got := b.differs(b.today()); len(got) != 0 {
			t.Errorf("a lost notice differs: %+v", got)
		}
		b.wantBalance(player, 3000)

		wrong := b.begin(player, 4000)
		n, err := b.cards.PayAmount(wrong, 400_000)
		b.check(err)
		b.refuses(central.ErrNotice, func() error { _, err := b.take(n); return err })
		stranger := "ffffffffffffffffffffffffffffffff"
		_, err = b.cards.Begin(b.ctx(), stranger, 5000, "/")
		b.check(err)
		_, err = b.cards.Pay(stranger)
		b.check(err)
		gone, _ := b.pay(player, 6000)
		b.cards.Forget(gone)
		want := map[string]central.CardDifference{
			wrong: {wrong, new(money.Amount(400_000)), nil}, stranger: {stranger, new(money.Amount(5000)), nil}, gone: {gone, nil, new(money.Amount(6000))},
		}
		for range 2 { // it changes nothing, so it says the same again
			got := map[string]central.CardDifference{}
			for _, d := range b.differs(b.today()) {
				got[d.Reference] = d
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		}
		b.wantBalance(player, 9000)
		if got := b.differs(b.today() - 3); len(got) != 0 {
			t.Errorf("another day differs: %+v", got)
		}
		if _, err := b.sys.ReconcileCards(b.ctx(), "autre", b.today()); !errors.Is(err, party.ErrMeans) {
			t.Errorf("a provider that there is not: %v", err)
		}
	})
}

// A payment just before midnight whose notice comes after it is on both days' lists as it should: not at all.
func TestReconcileCards_Midnight(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		b := newBank(t, dsn)
		player, day := b.player(true), b.today()
		b.clock.set((day + 1).At(-time.Second, b.rules.Calendar.Zone))
		n, err := b.cards.Pay(b.begin(player, 2000))
		b.check(err)
		b.clock.set((day + 1).At(time.Second, b.rules.Calendar.Zone))
		_, err = b.take(n)
		b.check(err)
		for d := day - 1; d <= day+2; d++ {
			if got := b.differs(d); len(got) != 0 {
				t.Errorf("day %s: %+v", d, got)
			}
		}
	})
}

// Many bad days of notices, lost, doubled, late and out of order: after reconciliation all that was paid is credited, once.
func TestReconcileCards_BadDays(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		b := newBank(t, dsn)
		player, stream := b.player(true), rng.NewStream(rng.Seed{7}, "card")
		var paid money.Amount
		for range 4 {
			for i := range 15 {
				amount := money.Amount(500 + 17*i)
				reference := b.begin(player, amount)
				if i%4 == 3 {
					continue // given up
				}
				_, err := b.cards.Pay(reference)
				b.check(err)
				paid += amount
			}
			for _, n := range b.cards.Deliver(stream) {
				_, err := b.take(n)
				b.check(err)
			}
			b.clock.set(b.clock.Now().Add(hours(20)))
		}
		if b.has(player) >= paid {
			t.Error("no notice was lost: the test shows nothing")
		}
		for day := b.today() - 5; day <= b.today(); day++ {
			if got := b.differs(day); len(got) != 0 {
				t.Errorf("day %s: %+v", day, got)
			}
		}
		b.wantBalance(player, paid)
		for _, n := range b.cards.Deliver(stream) { // those that were late
			if d, err := b.take(n); err != nil || !d.Again {
				t.Errorf("%+v, %v", d, err)
			}
		}
		b.wantBalance(player, paid)
	})
}

func TestCollect(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		b := newBank(t, dsn)
		b.pay(b.player(true), 5000)
		collect := func(key, provider string, amount money.Amount) (central.CardAccount, error) {
			return b.sys.Collect(b.ctx(), central.Collect{Key: key, Officer: b.officer.ID, Provider: provider, Amount: amount})
		}
		refused := func(want error, provider string, amount money.Amount) {
			t.Helper()
			b.refuses(want, func() error { _, err := collect(b.key(), provider, amount); return err })
		}
		refused(central.ErrAmount, "sim", 0)
		refused(central.ErrAmount, "sim", -1)
		refused(money.ErrLimit, "sim", money.Limit+1)
		refused(central.ErrOwed, "sim", 5001)
		refused(party.ErrMeans, "autre", 100)
		refused(party.ErrMeans, "", 100)
		b.refuses(central.ErrNotAllowed, func() error {
			_, err := b.sys.Collect(b.ctx(), central.Collect{Key: b.key(), Officer: b.outlet.ID, Provider: "sim", Amount: 1})
			return err
		})
		for range 2 {
			if a, err := collect("once", "sim", 1250); err != nil || a != (central.CardAccount{Provider: "sim", Owes: 3750}) {
				t.Errorf("%+v, %v", a, err)
			}
		}
		b.refuses(central.ErrKeyReused, func() error { _, err := collect("once", "sim", 1251); return err })
		if b.sys.Balance(ledger.Cash) != 1250 {
			t.Errorf("cash %s", b.sys.Balance(ledger.Cash))
		}
		b.more = nil // the provider is not one any more, and still owes
		b.restart()
		if a := b.sys.CardAccounts(); len(a) != 1 || a[0].Owes != 3750 {
			t.Errorf("%+v", a)
		}
		if a, err := collect(b.key(), "sim", 3750); err != nil || a.Owes != 0 {
			t.Errorf("%+v, %v", a, err)
		}
	})
}

// Payments that are begun side by side, and may all be paid, pass no limit together (INS-online).
func TestINS_online_CardsSideBySide(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		b := newBank(t, dsn)
		refused := func(player string, amount, used money.Amount) {
			t.Helper()
			_, err := b.sys.BeginCard(b.ctx(), player, "sim", amount, "/compte")
			limit := (*party.LimitError)(nil)
			if !errors.As(err, &limit) || limit.Used != used || limit.Max != 10_000 || limit.Left != 10_000-used {
				t.Errorf("%s more: %v", amount, err)
			}
		}
		unconfirmed := b.player(false)
		first := b.begin(unconfirmed, 6000)
		refused(unconfirmed, 6000, 6000)
		second := b.begin(unconfirmed, 4000)
		for _, reference := range []string{first, second} {
			n, err := b.cards.Pay(reference)
			b.check(err)
			_, err = b.take(n)
			b.check(err)
			refused(unconfirmed, 500, 10_000)
		}
		b.wantBalance(unconfirmed, 10_000)

		limited := b.player(true)
		b.change(limited, journal.PlayerChange{What: party.DepositLimit.String(), Amount: 10_000, Until: b.clock.Now().UnixMicro()})
		given := b.begin(limited, 6000)
		refused(limited, 4001, 6000)
		voucher := b.sellVoucher(50)
		b.refuses(party.ErrLimit, func() error { return b.use(limited, voucher) })
		b.clock.set(b.clock.Now().Add(central.CardLife))
		b.refuses(sim.ErrReference, func() error { _, err := b.cards.Pay(given); return err })
		b.pay(limited, 10_000) // what was given up counts no more, and what is paid once
		refused(limited, 500, 10_000)
	})
}

// The references of payments are in no order of time. As keys of commands they
// must be few above those that are: else a node could tell no fresh key from an old one.
func TestCardPaid_NoOddKeys(t *testing.T) {
	t.Parallel()
	b := newBank(t, dbtest.SQLite(t))
	player := b.player(true)
	b.restart()
	before := b.sys.OddKeys()
	for range 20 {
		b.pay(player, 1000)
	}
	b.restart()
	if n := b.sys.OddKeys(); n != before {
		t.Errorf("%d keys are out of order of time, %d before", n, before)
	}
}

// A payment that its provider did not begin is paid by nobody, and takes nothing of a limit.
func TestBeginCard_ProviderFails(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		b := newBank(t, dsn)
		failing := &failingCards{CardProvider: b.cards, err: errors.New("out of service")}
		b.more = func(o *central.Options) { o.Cards = map[string]central.CardProvider{"sim": failing} }
		b.restart()
		player := b.player(false)
		for range 3 {
			if _, err := b.sys.BeginCard(b.ctx(), player, "sim", 10_000, "/compte"); !errors.Is(err, failing.err) {
				t.Errorf("begun: %v", err)
			}
		}
		failing.err = nil
		b.pay(player, 10_000)
	})
}

// failingCards is a provider that begins nothing while it has an error.
type failingCards struct {
	*sim.CardProvider
	err error
}

func (c *failingCards) Begin(ctx context.Context, reference string, amount money.Amount, returnTo string) (string, error) {
	if c.err != nil {
		return "", c.err
	}
	return c.CardProvider.Begin(ctx, reference, amount, returnTo)
}
