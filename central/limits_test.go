package central_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tirage/central"
	"tirage/game"
	"tirage/internal/dbtest"
	"tirage/internal/sim"
	"tirage/journal"
	"tirage/money"
	"tirage/party"
)

// plainIBAN is the IBAN of tests as it is kept.
var plainIBAN = strings.ReplaceAll(iban, " ", "")

func (w *world) limit(player string, deposits, stakes *money.Amount) error {
	return w.sys.SetLimits(w.ctx(), central.SetLimits{Key: w.key(), Player: player, Deposits: deposits, Stakes: stakes})
}

func (w *world) exclude(player string, long time.Duration, pause bool) error {
	return w.sys.Exclude(w.ctx(), central.Exclude{Key: w.key(), Player: player, For: long, Pause: pause})
}

// INS-online: a limit on the stakes of seven Paris days, lower at once, higher after 48 h.
func TestINS_online_StakeLimit(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWeb(t, dsn, cove(t), 1)
		w.check(w.limit(w.player, nil, new(money.Amount(300))))
		w.play(one)
		w.play(two)
		refused := func(want party.LimitError) {
			t.Helper()
			var got *party.LimitError
			w.refuses(party.ErrLimit, func() error { _, err := w.try(one); errors.As(err, &got); return err })
			if diff := cmp.Diff(&want, got); diff != "" {
				t.Error(diff)
			}
		}
		refused(party.LimitError{Kind: party.StakeLimit, Max: 300, Used: 300})
		asked := w.clock.Now()
		w.check(w.limit(w.player, nil, new(money.Amount(400))))
		refused(party.LimitError{Kind: party.StakeLimit, Max: 300, Used: 300})
		w.restart()
		w.clock.set(asked.Add(48*time.Hour - time.Microsecond))
		refused(party.LimitError{Kind: party.StakeLimit, Max: 300, Used: 300})
		w.clock.set(asked.Add(48 * time.Hour))
		w.play(one)
		refused(party.LimitError{Kind: party.StakeLimit, Max: 400, Used: 400})
		w.check(w.limit(w.player, nil, new(money.Amount(350))))
		refused(party.LimitError{Kind: party.StakeLimit, Max: 350, Used: 400})
		// What was staked on Monday the 4th counts until Sunday the 10th ends in Paris, at 23:00 UTC.
		w.clock.set(time.Date(2027, 1, 10, 22, 59, 59, 0, time.UTC))
		refused(party.LimitError{Kind: party.StakeLimit, Max: 350, Used: 400})
		w.clock.set(time.Date(2027, 1, 10, 23, 0, 0, 0, time.UTC))
		w.play(two)
		if v := w.view1(w.player); v.Staked != 300 || v.Stake.Now(w.clock.Now()) != 350 {
			t.Errorf("got %+v", v)
		}
		if _, err := w.try(one); !errors.Is(err, party.ErrLimit) {
			t.Errorf("got %v", err)
		}
	})
}

// The days of limits are those of Paris over both changes of its clocks: the
// seventh day after a deposit ends at midnight there, whether the week has 167, 168 or 169 hours.
func TestINS_online_WindowOverClockChanges(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newPlayers(t, dsn)
		p := w.signUp("anne").ID
		w.identify(p)
		w.check(w.limit(p, new(money.Amount(1000)), nil))
		deposit := func() error { _, err := w.sys.DepositDemo(w.ctx(), w.key(), p, 1000); return err }
		for _, day := range []time.Time{
			time.Date(2027, 3, 24, 0, 0, 0, 0, paris),  // clocks go forward on 28 March
			time.Date(2027, 10, 27, 0, 0, 0, 0, paris), // and back on 31 October
			time.Date(2028, 2, 26, 0, 0, 0, 0, paris),  // over a 29 February
		} {
			y, m, d := day.Date()
			w.clock.set(time.Date(y, m, d, 23, 59, 59, 0, paris))
			w.check(deposit())
			w.clock.set(time.Date(y, m, d+1, 0, 0, 0, 0, paris))
			w.refuses(party.ErrLimit, deposit)
			w.clock.set(time.Date(y, m, d+7, 0, 0, 0, 0, paris).Add(-time.Microsecond))
			w.refuses(party.ErrLimit, deposit)
			w.restart()
			w.refuses(party.ErrLimit, deposit)
			w.clock.set(time.Date(y, m, d+7, 0, 0, 0, 0, paris))
			w.check(deposit())
		}
	})
}

// A window counts as a naive model does that keeps all amounts.
func TestWindow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var w central.Window
		sums := map[game.Day]money.Amount{}
		day := game.Day(20_000)
		for range rapid.IntRange(1, 60).Draw(t, "amounts") {
			day += game.Day(rapid.IntRange(0, 12).Draw(t, "days") / 3)
			a := money.Amount(rapid.IntRange(1, 1000).Draw(t, "amount"))
			w.Add(day, a)
			sums[day] += a
			for _, days := range []int{1, 7, party.WindowMax} {
				for later := range game.Day(3) {
					var want money.Amount
					for d := day + later - game.Day(days) + 1; d <= day+later; d++ {
						want += sums[d]
					}
					if got := w.Sum(day+later, days); got != want {
						t.Fatalf("%d days up to %s: got %s, want %s", days, day+later, got, want)
					}
				}
			}
		}
	})
}

// A turn that is decided on top of one that is being committed counts its units
// against the limits, unless midnight lies between them and a day of the window ends.
func TestMayPlay_OverTurns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		days  string
		later time.Duration
		want  error
	}{
		{"7", time.Millisecond, party.ErrLimit},
		{"1", time.Millisecond, party.ErrLimit},
		{"7", 24 * time.Hour, party.ErrLimit},
		{"1", 24 * time.Hour, nil},
	} {
		w := newPlayers(t, dbtest.SQLite(t), "window_days: 7", "window_days: "+c.days)
		p := w.newPlayer(money.Euros(50))
		w.check(w.limit(p, nil, new(money.Amount(1000))))
		now := w.clock.Now().UnixMicro()
		before := w.sys.NewTurn(nil, now)
		w.check(before.MayPlay(p, 600))
		last := before.Previous(p)
		before.Played(p, 600, 1000)
		before.Played(p, 300, 1001)
		if err := before.MayPlay(p, 200); !errors.Is(err, party.ErrLimit) {
			t.Errorf("in the turn itself: %v", err)
		}
		after := w.sys.NewTurn(before, now+c.later.Microseconds())
		if got := after.Previous(p); got != 1001 || last >= 1000 {
			t.Errorf("the record before is said to be %d", got)
		}
		if err := after.MayPlay(p, 200); !errors.Is(err, c.want) {
			t.Errorf("%s days, %s later: got %v, want %v", c.days, c.later, err, c.want)
		}
	}
}

// F22: whoever has excluded himself neither plays nor deposits, by any door, and
// no message reaches him. He signs on, reads, withdraws and closes his account.
func TestF22_Excluded(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWeb(t, dsn, cove(t), 1)
		cards := sim.NewCardProvider([]byte("key of the provider"), "/carte", w.clock.Now)
		w.more = func(o *central.Options) { o.Cards = map[string]central.CardProvider{"sim": cards} }
		w.restart()
		voucher, err := w.sys.SellVoucher(w.ctx(), central.SellVoucher{Key: w.key(), Terminal: w.terminal.ID, Amount: money.Euros(10)})
		w.check(err)
		email := w.view1(w.player).Person.Email
		doors := map[string]func() error{
			"play at 1 €": func() error { _, err := w.try(one); return err },
			"play at 2 €": func() error { _, err := w.try(two); return err },
			"demo":        func() error { _, err := w.sys.DepositDemo(w.ctx(), w.key(), w.player, 1000); return err },
			"card": func() error {
				_, err := w.sys.BeginCard(w.ctx(), w.player, "sim", 1000, "/")
				return err
			},
			"voucher": func() error {
				_, err := w.sys.DepositVoucher(w.ctx(), w.key(), w.player, voucher.Number, voucher.Secret)
				return err
			},
		}
		shut := func() {
			t.Helper()
			for _, door := range doors {
				w.refuses(party.ErrExcluded, door)
			}
		}
		message := func() int {
			t.Helper()
			w.check(w.sys.ForgotPassword(w.ctx(), email))
			return len(w.mail())
		}
		w.check(w.exclude(w.player, 24*time.Hour, true))
		shut()
		if n := message(); n != 1 {
			t.Errorf("%d messages to a player who pauses", n)
		}
		w.clock.set(w.clock.Now().Add(24 * time.Hour))
		w.play(one)

		w.check(w.sys.ForgotPassword(w.ctx(), email)) // written before he excludes himself, and not sent yet
		start := w.clock.Now()
		w.check(w.exclude(w.player, 24*time.Hour, false))
		if n := len(w.mail()) + message(); n != 0 {
			t.Errorf("%d messages to an excluded player", n)
		}
		w.refuses(party.ErrExclusion, func() error { return w.exclude(w.player, 24*time.Hour-1, false) })
		w.clock.set(start.Add(12 * time.Hour))
		w.check(w.exclude(w.player, 366*24*time.Hour, false)) // longer
		w.refuses(party.ErrExclusion, func() error { return w.exclude(w.player, 200*24*time.Hour, false) })
		until := start.Add(12*time.Hour + 366*24*time.Hour)
		for _, at := range []time.Time{start.Add(24 * time.Hour), until.Add(-time.Microsecond)} {
			w.clock.set(at)
			shut()
			if n := message(); n != 0 {
				t.Errorf("%d messages to an excluded player", n)
			}
		}
		w.restart()
		shut()
		if _, err := w.sys.SignOnPlayer(w.ctx(), email, playerPassword, ""); err != nil {
			t.Errorf("sign-on of an excluded player: %v", err)
		}
		if _, err := w.sys.History(w.ctx(), w.player, 0, 5); err != nil {
			t.Errorf("history of an excluded player: %v", err)
		}
		if _, err := w.sys.Withdraw(w.ctx(), central.Withdraw{Key: w.key(), Player: w.player, Amount: 500, IBAN: iban}); err != nil {
			t.Errorf("withdrawal of an excluded player: %v", err)
		}
		w.clock.set(until)
		w.play(one)
		for name, door := range doors {
			if err := door(); err != nil {
				t.Errorf("%s after the exclusion: %v", name, err)
			}
		}
		w.clock.set(until.Add(5 * time.Minute)) // as long after the last message that was asked for
		if n := message(); n != 1 {
			t.Errorf("%d messages after the exclusion", n)
		}
		w.catchUp(w.clock.Now()) // the statements of a year
	})
}

// INS-online: new rules must be accepted before play and deposit, from their first day in Paris on.
func TestINS_online_NewTerms(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWeb(t, dsn, cove(t), 1)
		w.refuses(central.ErrPublished, func() error {
			_, err := w.sys.PublishAccounts(w.ctx(), central.PublishRules{Key: w.key(), Officer: w.officer.ID, Book: party.Book()})
			return err
		})
		w.refuses(central.ErrPublished, func() error {
			book := replaced(w, string(party.Book()), []string{"raise_after: 48h", "raise_after: 1h"})
			_, err := w.sys.PublishAccounts(w.ctx(), central.PublishRules{Key: w.key(), Officer: w.officer.ID, Book: book})
			return err
		})
		w.refuses(party.ErrRules, func() error {
			_, err := w.sys.PublishAccounts(w.ctx(), central.PublishRules{Key: w.key(), Officer: w.officer.ID, Book: []byte("kind: accounts")})
			return err
		})
		w.refuses(central.ErrNotAllowed, func() error {
			book := replaced(w, string(party.Book()), []string{`version: "2010"`, `version: "x"`})
			_, err := w.sys.PublishAccounts(w.ctx(), central.PublishRules{Key: w.key(), Officer: w.player, Book: book})
			return err
		})
		w.publishAccounts(`version: "2010"`, `version: "2027"`, "2009-11-05", "2027-01-05")
		deposit := func() error { _, err := w.sys.DepositDemo(w.ctx(), w.key(), w.player, 1000); return err }
		accept := func(version string) error { return w.sys.AcceptTerms(w.ctx(), w.key(), w.player, version) }
		w.clock.set(time.Date(2027, 1, 4, 22, 59, 59, 0, time.UTC))
		w.play(one)
		w.check(deposit())
		w.refuses(party.ErrTerms, func() error { return accept("2027") }) // not in force yet
		w.clock.set(time.Date(2027, 1, 4, 23, 0, 0, 0, time.UTC))
		w.refuses(party.ErrTerms, func() error { _, err := w.try(one); return err })
		w.refuses(party.ErrTerms, deposit)
		w.refuses(party.ErrTerms, func() error { return accept("2010") })
		w.restart()
		w.refuses(party.ErrTerms, deposit)
		w.check(accept("2027"))
		w.play(one)
		w.check(deposit())
		if r := w.sys.AccountRules(); r.Version != "2027" {
			t.Errorf("in force: %s", r.Version)
		}
	})
}

func TestPlayerCommands_Refusals(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newPlayers(t, dsn)
		p, closed := w.signUp("anne").ID, w.signUp("paul").ID
		w.check(w.sys.CloseAccount(w.ctx(), w.key(), closed, ""))
		check := func(officer, player, reason string) error {
			return w.sys.CheckIdentity(w.ctx(), central.CheckIdentity{Key: w.key(), Officer: officer, Player: player, Confirmed: true, Reason: reason})
		}
		for name, c := range map[string]struct {
			want    error
			command func() error
		}{
			"limits of nobody":           {party.ErrUnknownPlayer, func() error { return w.limit("0000000000000000", new(money.Amount(1)), nil) }},
			"limits of no id":            {party.ErrUnknownPlayer, func() error { return w.limit("x", new(money.Amount(1)), nil) }},
			"no limit":                   {party.ErrLimits, func() error { return w.limit(p, nil, nil) }},
			"limit below 0":              {party.ErrLimits, func() error { return w.limit(p, new(money.Amount(-1)), nil) }},
			"stake limit too large":      {party.ErrLimits, func() error { return w.limit(p, nil, new(money.Limit+1)) }},
			"limits of a closed account": {party.ErrPlayerClosed, func() error { return w.limit(closed, new(money.Amount(1)), nil) }},
			"exclusion too short":        {party.ErrExclusion, func() error { return w.exclude(p, 24*time.Hour-1, false) }},
			"exclusion too long":         {party.ErrExclusion, func() error { return w.exclude(p, 366*24*time.Hour+1, false) }},
			"exclusion for ever":         {party.ErrExclusion, func() error { return w.exclude(p, 1<<63-1, false) }},
			"exclusion back in time":     {party.ErrExclusion, func() error { return w.exclude(p, -1<<63, false) }},
			"pause too long":             {party.ErrExclusion, func() error { return w.exclude(p, 721*time.Hour, true) }},
			"exclusion of nobody":        {party.ErrUnknownPlayer, func() error { return w.exclude("", 24*time.Hour, false) }},
			"terms of nobody":            {party.ErrUnknownPlayer, func() error { return w.sys.AcceptTerms(w.ctx(), w.key(), "0000000000000000", "2010") }},
			"other terms":                {party.ErrTerms, func() error { return w.sys.AcceptTerms(w.ctx(), w.key(), p, "2011") }},
			"terms of a closed account":  {party.ErrPlayerClosed, func() error { return w.sys.AcceptTerms(w.ctx(), w.key(), closed, "2010") }},
			"no reason":                  {central.ErrReason, func() error { return check(w.officer.ID, p, "") }},
			"identity of nobody":         {party.ErrUnknownPlayer, func() error { return check(w.officer.ID, "0000000000000000", "vu") }},
			"identity by a player":       {central.ErrNotAllowed, func() error { return check(p, p, "vu") }},
			"closed twice":               {party.ErrPlayerClosed, func() error { return w.sys.CloseAccount(w.ctx(), w.key(), closed, "") }},
			"closed to a bad IBAN":       {party.ErrIBAN, func() error { return w.sys.CloseAccount(w.ctx(), w.key(), p, "FR14") }},
			"no key":                     {central.ErrKey, func() error { return w.sys.CloseAccount(w.ctx(), "", p, "") }},
			"history of nobody":          {party.ErrUnknownPlayer, func() error { _, err := w.sys.History(w.ctx(), "0000000000000000", 0, 1); return err }},
			"export of nobody":           {party.ErrUnknownPlayer, func() error { return w.sys.Export(w.ctx(), "0000000000000000", io.Discard) }},
		} {
			t.Run(name, func(t *testing.T) { w.refuses(c.want, c.command) })
		}
		// Once by key: the same again does nothing, something else is refused.
		for name, command := range map[string]func(key, other string) error{
			"limits": func(key, other string) error {
				a := money.Amount(len(other)) + 1
				return w.sys.SetLimits(w.ctx(), central.SetLimits{Key: key, Player: p, Deposits: &a, Stakes: &a})
			},
			"exclude": func(key, other string) error {
				return w.sys.Exclude(w.ctx(), central.Exclude{Key: key, Player: p, For: 24 * time.Hour, Pause: other != ""})
			},
			"identity": func(key, other string) error {
				return w.sys.CheckIdentity(w.ctx(), central.CheckIdentity{Key: key, Officer: w.officer.ID, Player: p, Confirmed: true, Reason: "vu" + other})
			},
		} {
			key := w.key()
			w.check(command(key, ""))
			size := w.sys.Size()
			w.check(command(key, ""))
			if w.sys.Size() != size {
				t.Errorf("%s: done twice", name)
			}
			w.refuses(central.ErrKeyReused, func() error { return command(key, "x") })
		}
	})
}

func TestCloseAccount(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newPlayers(t, dsn)
		p := w.signUp("anne").ID
		_, err := w.sys.DepositDemo(w.ctx(), w.key(), p, 1234)
		w.check(err)
		closing := func(iban string) error { return w.sys.CloseAccount(w.ctx(), w.key(), p, iban) }
		w.refuses(party.ErrUnconfirmed, func() error { return closing(iban) })
		w.identify(p)
		w.refuses(party.ErrIBAN, func() error { return closing("") })
		key := w.key()
		w.check(w.sys.CloseAccount(w.ctx(), key, p, iban))
		w.check(w.sys.CloseAccount(w.ctx(), key, p, iban))
		if v := w.view1(p); !v.Closed || v.Balance != 0 {
			t.Errorf("got %+v", v)
		}
		list, err := w.sys.Withdrawals(w.ctx(), "asked", 10)
		if err != nil || len(list) != 1 || list[0].Amount != 1234 || list[0].IBAN != plainIBAN {
			t.Errorf("got %+v, %v", list, err)
		}
		w.refuses(party.ErrPlayerClosed, func() error { _, err := w.sys.DepositDemo(w.ctx(), w.key(), p, 1000); return err })
		if _, err := w.sys.SignOnPlayer(w.ctx(), "anne@exemple.test", playerPassword, ""); err != nil {
			t.Errorf("his history is his still: %v", err)
		}
	})
}

// The history is the chain of records: it adds up to the balance, whatever the
// slices that it is read in, and the export says the same.
func TestHistory(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWeb(t, dsn, cove(t), 1)
		for range 12 {
			w.play(two)
		}
		w.check(w.limit(w.player, new(money.Amount(50_000)), new(money.Amount(60_000))))
		w.check(w.exclude(w.player, 24*time.Hour, false))
		_, err := w.sys.Withdraw(w.ctx(), central.Withdraw{Key: w.key(), Player: w.player, Amount: 500, IBAN: iban})
		w.check(err)
		all, err := w.sys.History(w.ctx(), w.player, 0, 100)
		w.check(err)
		if len(all) != 1+1+1+1+12+2+1+1 || all[0].Kind != "withdrawal" || all[len(all)-1].Kind != "sign-up" {
			t.Errorf("%d lines: %+v", len(all), all)
		}
		var sum money.Amount
		for _, m := range all {
			switch m.Kind {
			case "unit":
				if m.Amount != m.Prize-m.Price || m.Game != w.game.Code || m.Pool == 0 {
					t.Errorf("got %+v", m)
				}
				sum += m.Amount
			case "deposit", "withdrawal":
				sum += m.Amount
			}
		}
		if balance := w.sys.PlayerBalance(w.player); sum != balance {
			t.Errorf("the history comes to %s, the balance is %s", sum, balance)
		}
		for _, slice := range []int{1, 3, 19, 20, 21} {
			var list []central.Movement
			for before := uint64(0); ; before = list[len(list)-1].Record {
				part, err := w.sys.History(w.ctx(), w.player, before, slice)
				w.check(err)
				if len(part) == 0 {
					break
				}
				list = append(list, part...)
			}
			if diff := cmp.Diff(all, list); diff != "" {
				t.Errorf("in slices of %d: %s", slice, diff)
			}
		}
		if other, err := w.sys.History(w.ctx(), w.newPlayer(0), all[0].Record, 5); err != nil || len(other) != 0 {
			t.Errorf("before a record of somebody else: %+v, %v", other, err)
		}

		text := w.export(w.player)
		var e struct {
			Person  struct{ Email string }
			Account struct{ Balance money.Amount }
			History []struct {
				Record uint64
				Note   string
			}
			Withdrawals []struct{ IBAN, State string }
			Messages    []struct{ Subject string }
		}
		w.check(json.Unmarshal(text, &e))
		if e.Person.Email != w.view1(w.player).Person.Email || e.Account.Balance != sum || len(e.History) != len(all) || len(e.Withdrawals) != 1 ||
			e.Withdrawals[0].IBAN != plainIBAN || len(e.Messages) != 1 || !bytes.Contains(text, []byte("carte vue")) || bytes.Contains(text, []byte("argon2")) {
			t.Errorf("got %s", text)
		}
	})
}

// export is all that is held of a player.
func (w *world) export(player string) []byte {
	w.Helper()
	var b bytes.Buffer
	w.check(w.sys.Export(w.ctx(), player, &b))
	return b.Bytes()
}

// reading calls a function before the bytes that it gets, with how many came before.
type reading struct {
	bytes.Buffer
	before func(so int)
}

func (r *reading) Write(b []byte) (int, error) {
	r.before(r.Len())
	return r.Buffer.Write(b)
}

// An export is written as it is read: a slice of it is held at a time, and no
// snapshot while somebody reads slowly. It has every record once; what is cut short is no JSON.
func TestExport_InSlices(t *testing.T) {
	t.Parallel()
	w := newPlayers(t, dbtest.SQLite(t))
	p := w.signUp("anne")
	const changes = 2100
	for i := range changes {
		limit := money.Amount(1_000_000 - i)
		w.check(w.limit(p.ID, &limit, nil))
	}
	r := reading{before: func(int) {
		ctx, cancel := context.WithTimeout(w.ctx(), time.Minute) // a snapshot that was held would be in its way
		defer cancel()
		for range 8 {
			if _, err := w.sys.Player(ctx, p.ID); err != nil {
				t.Fatal(err)
			}
		}
	}}
	w.check(w.sys.Export(w.ctx(), p.ID, &r))
	var e struct {
		History  []struct{ Record uint64 }
		Messages []struct{ Subject string }
	}
	w.check(json.Unmarshal(r.Bytes(), &e))
	seen := map[uint64]bool{}
	for _, x := range e.History {
		seen[x.Record] = true
	}
	if len(e.History) != changes+2 || len(seen) != len(e.History) || len(e.Messages) != 1 {
		t.Errorf("%d movements, %d of them different, %d messages", len(e.History), len(seen), len(e.Messages))
	}

	ctx, cancel := context.WithCancel(w.ctx())
	cut := reading{before: func(int) { cancel() }} // he goes when he has seen some
	if err := w.sys.Export(ctx, p.ID, &cut); !errors.Is(err, context.Canceled) || cut.Len() == 0 || cut.Len() > r.Len()*2/3 {
		t.Errorf("%v, after %d bytes of %d", err, cut.Len(), r.Len())
	}
	if json.Valid(cut.Bytes()) {
		t.Error("what was cut short reads as whole")
	}
}

// No record tells who a player is, what his bank account is, or what an officer wrote of him.
func TestNoPersonInRecords(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newPlayers(t, dsn)
		u := w.aSignUp("zénobie")
		u.Person.Email, u.Person.LastName, u.Person.BirthPlace = "zenobie@exemple.test", "Quatrefages", "Landerneau"
		u.Deposits = 20_000
		w.check(w.sys.SignUp(w.ctx(), u))
		w.check(w.sys.ConfirmEmail(w.ctx(), tokenOf(w.mail()[0]), playerPassword))
		p, err := w.sys.SignOnPlayer(w.ctx(), u.Person.Email, playerPassword, "")
		w.check(err)
		w.check(w.sys.CheckIdentity(w.ctx(), central.CheckIdentity{Key: w.key(), Officer: w.officer.ID, Player: p.ID, Confirmed: true, Reason: "passeport de Zénobie"}))
		_, err = w.sys.DepositDemo(w.ctx(), w.key(), p.ID, 2000)
		w.check(err)
		_, err = w.sys.Withdraw(w.ctx(), central.Withdraw{Key: w.key(), Player: p.ID, Amount: 700, IBAN: iban})
		w.check(err)
		w.check(w.exclude(p.ID, 24*time.Hour, false))
		w.check(w.sys.CloseAccount(w.ctx(), w.key(), p.ID, iban))
		_, raw := w.records()
		all := strings.ToLower(string(bytes.Join(raw, nil)))
		for _, secret := range []string{"zénobie", "zenobie", "quatrefages", "landerneau", "exemple.test", "passeport", strings.ToLower(iban), strings.ToLower(plainIBAN), "argon2", playerPassword} {
			if strings.Contains(all, secret) {
				t.Errorf("a record has %q", secret)
			}
		}
	})
}

// A message that does not go is tried again, later and a few times; one that went is not sent again.
func TestSendMessages(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newPlayers(t, dsn)
		w.signUp("anne")
		w.check(w.sys.ForgotPassword(w.ctx(), "anne@exemple.test"))
		player, err := w.sys.SignOnPlayer(w.ctx(), "anne@exemple.test", playerPassword, "")
		w.check(err)
		written := w.clock.Now()
		broken := errors.New("no mail server")
		tries := 0
		for range 200 {
			sent, err := w.sys.SendMessages(w.ctx(), func(context.Context, central.Message) error { tries++; return broken })
			if err != nil || sent != 0 {
				t.Fatalf("sent %d, %v", sent, err)
			}
			w.clock.set(w.clock.Now().Add(30 * time.Second))
		}
		if tries != 5 {
			t.Errorf("tried %d times", tries)
		}
		// Its player is told when it was written, not when it was or will be tried.
		text := w.export(player.ID)
		var e struct{ Messages []struct{ At time.Time } }
		w.check(json.Unmarshal(text, &e))
		if n := len(e.Messages); n != 2 || !e.Messages[1].At.Equal(written) {
			t.Errorf("messages %+v, the second written at %s", e.Messages, written)
		}
		w.check(w.sys.ForgotPassword(w.ctx(), "anne@exemple.test"))
		_, err = w.sys.SendMessages(w.ctx(), func(context.Context, central.Message) error { return broken })
		w.check(err)
		if mail := w.mail(); len(mail) != 0 {
			t.Errorf("tried again at once: %+v", mail)
		}
		w.clock.set(w.clock.Now().Add(time.Minute))
		if mail := w.mail(); len(mail) != 1 {
			t.Errorf("got %+v", mail)
		}
		w.clock.set(w.clock.Now().Add(time.Hour))
		if mail := w.mail(); len(mail) != 0 {
			t.Errorf("sent again: %+v", mail)
		}
	})
}

// A link of a message takes an account over, so no reader of the database finds
// one: messages are sealed while they wait, and nothing is left of their texts afterwards.
func TestMessages_Sealed(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newPlayers(t, dsn)
		w.check(w.sys.SignUp(w.ctx(), w.aSignUp("anne")))
		stored := func() (body []byte) {
			w.check(w.raw().QueryRow(`SELECT body FROM outbox`).Scan(&body))
			return body
		}
		waiting := stored()
		mail := w.mail()
		if len(mail) != 1 || tokenOf(mail[0]) == "" {
			t.Fatalf("got %+v", mail)
		}
		if len(waiting) == 0 || bytes.Contains(waiting, []byte(tokenOf(mail[0]))) || bytes.Contains(waiting, []byte("Bonjour")) {
			t.Errorf("waits in clear: %q", waiting)
		}
		if sent := stored(); len(sent) != 0 {
			t.Errorf("left when it was sent: %q", sent)
		}
		w.check(w.sys.ConfirmEmail(w.ctx(), tokenOf(mail[0]), playerPassword))
	})
}

// The books find whoever went past what players may: each named by its record.
func TestCheckBooks_Players(t *testing.T) {
	t.Parallel()
	base := newWeb(t, dbtest.SQLite(t), cove(t), 1)
	base.check(base.limit(base.player, new(money.Amount(10_000)), new(money.Amount(150))))
	poor := base.newPlayer(0)
	id, officer := partyOf(base.player), partyOf(base.officer.ID)
	unit := func(player string, price money.Amount) func(*central.Turn) journal.Body {
		return func(t *central.Turn) journal.Body {
			pool := base.sale(price).Pool
			leaf := base.sys.Pool(pool).Leaf(0)
			return &journal.Unit{
				Command: journal.Command{1}, Player: partyOf(player), Pool: uint64(pool), N: leaf.N, Price: price, Prize: leaf.Prize, Seed: leaf.Seed, Salt: leaf.Salt,
				Previous: t.Previous(player),
			}
		}
	}
	change := func(c journal.PlayerChange) func(*central.Turn) journal.Body {
		return func(t *central.Turn) journal.Body {
			c.Player = id
			if c.Previous == 0 {
				c.Previous = t.Previous(base.player)
			}
			return &c
		}
	}
	now := base.clock.Now()
	for _, c := range []struct {
		name, named string
		body        func(*central.Turn) journal.Body
	}{
		{"a unit above a stake limit", "limit reached", unit(base.player, two)},
		{"a unit without balance", "than it holds", unit(poor, one)},
		{"another chain", "the record before it", change(journal.PlayerChange{What: "email", Previous: 1})},
		{"an account under other terms", "accepted first", func(*central.Turn) journal.Body {
			return &journal.Player{Command: journal.Command{1}, ID: journal.Party{1}, Terms: "2009"}
		}},
		{"identity by himself", "only an officer", change(journal.PlayerChange{What: "identity", Reason: make([]byte, 32)})},
		{"identity without a reason", "only an officer", change(journal.PlayerChange{What: "identity", By: officer})},
		{"a limit by an officer", "for the player himself", change(journal.PlayerChange{What: "deposit-limit", By: officer, Amount: 1, Until: now.UnixMicro()})},
		{"a raise at once", "it must be", change(journal.PlayerChange{What: "deposit-limit", Amount: 20_000, Until: now.UnixMicro()})},
		{"a lower limit later", "it must be", change(journal.PlayerChange{What: "stake-limit", Amount: 100, Until: now.UnixMicro() + 1})},
		{"an exclusion of an hour", "not an exclusion", change(journal.PlayerChange{What: "exclude", Until: now.Add(time.Hour).UnixMicro()})},
		{"closed with a balance", "with a balance", change(journal.PlayerChange{What: "close"})},
		{"terms of no book", "accepted first", change(journal.PlayerChange{What: "terms", Terms: "1984"})},
		{"a withdrawal above the balance", "journal does not agree", func(t *central.Turn) journal.Body {
			return &journal.Withdrawal{Command: journal.Command{1}, Player: id, Amount: 10_001, Previous: t.Previous(base.player)}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := base.copyTo(t)
			record := w.sys.Size()
			w.check(w.sys.Do(w.ctx(), func(turn *central.Turn) error { return turn.Append(c.body(turn)) }))
			err := w.sys.CheckBooks(w.ctx())
			if !errors.Is(err, central.ErrJournal) || !strings.Contains(err.Error(), c.named) {
				t.Errorf("CheckBooks says %v, want it to name %q of record %d", err, c.named, record)
			}
		})
	}
}
