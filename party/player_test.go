package party_test

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tirage/money"
	"tirage/party"
)

func mustRules(t testing.TB) *party.Rules {
	t.Helper()
	r, err := party.ParseRules(party.Book())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var noon = time.Date(2027, 1, 4, 11, 0, 0, 0, time.UTC)

// aPlayer is a player who may play and deposit, but for what change says.
func aPlayer(change func(*party.Player)) party.Player {
	p := party.Player{ID: "0123456789abcdef", Terms: "2010", Confirmed: true}
	if change != nil {
		change(&p)
	}
	return p
}

func TestINS_online_MayPlay(t *testing.T) {
	t.Parallel()
	r := mustRules(t)
	for name, c := range map[string]struct {
		change                 func(*party.Player)
		rules                  *party.Rules
		price, staked, balance money.Amount
		want                   error
	}{
		"plays":                        {nil, r, 200, 0, 200, nil},
		"identity not checked":         {func(p *party.Player) { p.Confirmed = false }, r, 200, 0, 200, nil},
		"closed":                       {func(p *party.Player) { p.Closed = true }, r, 200, 0, 200, party.ErrPlayerClosed},
		"other terms":                  {func(p *party.Player) { p.Terms = "2009" }, r, 200, 0, 200, party.ErrTerms},
		"no rules":                     {nil, nil, 200, 0, 200, party.ErrTerms},
		"paused":                       {func(p *party.Player) { p.PausedUntil = noon.Add(1) }, r, 200, 0, 200, party.ErrExcluded},
		"pause over":                   {func(p *party.Player) { p.PausedUntil = noon }, r, 200, 0, 200, nil},
		"F22 excluded":                 {func(p *party.Player) { p.ExcludedUntil = noon.Add(1) }, r, 200, 0, 200, party.ErrExcluded},
		"F22 exclusion over":           {func(p *party.Player) { p.ExcludedUntil = noon }, r, 200, 0, 200, nil},
		"up to the limit":              {func(p *party.Player) { p.Stake.Max = 1000 }, r, 200, 800, 200, nil},
		"above the limit":              {func(p *party.Player) { p.Stake.Max = 1000 }, r, 200, 801, 200, party.ErrLimit},
		"deposit limit is another":     {func(p *party.Player) { p.Deposits.Max = 100 }, r, 200, 801, 200, nil},
		"higher limit to come":         {func(p *party.Player) { p.Stake = party.Limit{Max: 100, Next: 900, At: noon.Add(1)} }, r, 200, 0, 200, party.ErrLimit},
		"higher limit that holds":      {func(p *party.Player) { p.Stake = party.Limit{Max: 100, Next: 900, At: noon} }, r, 200, 0, 200, nil},
		"no limit to come, holds":      {func(p *party.Player) { p.Stake = party.Limit{Max: 100, At: noon} }, r, 200, 5000, 200, nil},
		"balance too low":              {nil, r, 200, 0, 199, party.ErrBalance},
		"exclusion before the balance": {func(p *party.Player) { p.ExcludedUntil = noon.Add(1) }, r, 200, 0, 0, party.ErrExcluded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := aPlayer(c.change).MayPlay(c.rules, noon, c.price, c.staked, c.balance); !errors.Is(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestINS_online_MayDeposit(t *testing.T) {
	t.Parallel()
	r := mustRules(t)
	unconfirmed := func(p *party.Player) { p.Confirmed = false }
	for name, c := range map[string]struct {
		change          func(*party.Player)
		rules           *party.Rules
		amount          money.Amount
		means           string
		deposited, ever money.Amount
		want            error
	}{
		"deposits":                     {nil, r, 500, "card/banque", 0, 0, nil},
		"a voucher":                    {nil, r, 500, "voucher", 0, 0, nil},
		"below 5 €":                    {nil, r, 499, "card/banque", 0, 0, party.ErrDepositMin},
		"closed":                       {func(p *party.Player) { p.Closed = true }, r, 500, "voucher", 0, 0, party.ErrPlayerClosed},
		"other terms":                  {func(p *party.Player) { p.Terms = "" }, r, 500, "voucher", 0, 0, party.ErrTerms},
		"no rules":                     {nil, nil, 500, "voucher", 0, 0, party.ErrTerms},
		"F22 paused":                   {func(p *party.Player) { p.PausedUntil = noon.Add(1) }, r, 500, "voucher", 0, 0, party.ErrExcluded},
		"F22 excluded":                 {func(p *party.Player) { p.ExcludedUntil = noon.Add(1) }, r, 500, "demo", 0, 0, party.ErrExcluded},
		"unconfirmed: by card":         {unconfirmed, r, 500, "card/banque", 0, 0, nil},
		"unconfirmed: in the demo":     {unconfirmed, r, 500, "demo", 0, 0, nil},
		"unconfirmed: by voucher":      {unconfirmed, r, 500, "voucher", 0, 0, party.ErrMeans},
		"unconfirmed: 4.99 €":          {unconfirmed, r, 499, "card/banque", 0, 0, party.ErrDepositMin},
		"unconfirmed: 100 € in all":    {unconfirmed, r, 4000, "card/banque", 0, 6000, nil},
		"unconfirmed: more than 100 €": {unconfirmed, r, 4001, "card/banque", 0, 6000, party.ErrLimit},
		"confirmed: more than 100 €":   {nil, r, 4001, "card/banque", 0, 6000, nil},
		"up to the limit":              {func(p *party.Player) { p.Deposits.Max = 5000 }, r, 500, "voucher", 4500, 90000, nil},
		"above the limit":              {func(p *party.Player) { p.Deposits.Max = 5000 }, r, 501, "voucher", 4500, 4500, party.ErrLimit},
		"stake limit is another":       {func(p *party.Player) { p.Stake.Max = 100 }, r, 501, "voucher", 4500, 4500, nil},
		"lower than the one of 100 €":  {func(p *party.Player) { p.Confirmed, p.Deposits.Max = false, 1000 }, r, 1001, "card/b", 0, 0, party.ErrLimit},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := aPlayer(c.change).MayDeposit(c.rules, noon, c.amount, c.means, c.deposited, c.ever); !errors.Is(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestINS_online_Refusals(t *testing.T) {
	t.Parallel()
	r := mustRules(t)
	p := aPlayer(func(p *party.Player) { p.Stake.Max, p.Confirmed = 1000, false })
	var limit *party.LimitError
	if err := p.MayPlay(r, noon, 200, 900, 200); !errors.As(err, &limit) || *limit != (party.LimitError{Kind: party.StakeLimit, Max: 1000, Used: 900, Left: 100}) {
		t.Errorf("got %+v", limit)
	}
	if err := p.MayDeposit(r, noon, 2000, "card/b", 0, 9000); !errors.As(err, &limit) || *limit != (party.LimitError{Max: 10000, Used: 9000, Left: 1000}) {
		t.Errorf("got %+v", limit)
	}
	var balance *party.BalanceError
	if err := p.MayPlay(r, noon, 200, 0, 50); !errors.As(err, &balance) || *balance != (party.BalanceError{Balance: 50, Price: 200}) {
		t.Errorf("got %+v", balance)
	}
	var excluded *party.ExcludedError
	p.PausedUntil, p.ExcludedUntil = noon.Add(2), noon.Add(1)
	if err := p.MayPlay(r, noon, 200, 0, 50); !errors.As(err, &excluded) || !excluded.Until.Equal(noon.Add(2)) {
		t.Errorf("got %+v", excluded)
	}
}

func TestINS_online_Adult(t *testing.T) {
	t.Parallel()
	day := func(text string) int32 {
		at, err := time.Parse(time.DateOnly, text)
		if err != nil {
			t.Fatal(err)
		}
		return int32(at.Unix() / 86400)
	}
	for _, c := range []struct {
		born, today string
		want        bool
	}{
		{"2009-01-05", "2027-01-04", false},
		{"2009-01-04", "2027-01-04", true},
		{"2008-12-31", "2027-01-04", true},
		{"2008-02-29", "2026-02-28", false}, // no 29 February in 2026
		{"2008-02-29", "2026-03-01", true},
		{"2008-03-01", "2026-02-28", false},
		{"2008-02-28", "2026-02-28", true},
		{"2010-02-28", "2028-02-28", true},
		{"2010-03-01", "2028-02-29", false},
		{"1960-02-29", "1978-02-28", false}, // before 1970
		{"1960-02-29", "1978-03-01", true},
		{"1900-01-01", "2027-01-04", true},
	} {
		if got := party.Adult(day(c.born), day(c.today), 18); got != c.want {
			t.Errorf("born %s, on %s: got %v", c.born, c.today, got)
		}
	}
}

func TestINS_online_Exclude(t *testing.T) {
	t.Parallel()
	r := mustRules(t)
	const day = 24 * time.Hour
	for name, c := range map[string]struct {
		stands time.Time
		long   time.Duration
		pause  bool
		want   error
	}{
		"24 h":                     {time.Time{}, day, false, nil},
		"less than 24 h":           {time.Time{}, day - 1, false, party.ErrExclusion},
		"366 days":                 {time.Time{}, 366 * day, false, nil},
		"more than 366 days":       {time.Time{}, 366*day + 1, false, party.ErrExclusion},
		"nothing":                  {time.Time{}, 0, false, party.ErrExclusion},
		"back in time":             {time.Time{}, -day, false, party.ErrExclusion},
		"longer than one in force": {noon.Add(5 * day), 6 * day, false, nil},
		"as long as one in force":  {noon.Add(5 * day), 5 * day, false, nil},
		"shorter":                  {noon.Add(5 * day), 5*day - 1, false, party.ErrExclusion},
		"after one that is over":   {noon.Add(-1), day, false, nil},
		"pause of a day":           {time.Time{}, day, true, nil},
		"pause of 31 days":         {time.Time{}, 31 * day, true, party.ErrExclusion},
		"shorter pause":            {noon.Add(5 * day), 2 * day, true, party.ErrExclusion},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := aPlayer(func(p *party.Player) {
				if c.pause {
					p.PausedUntil = c.stands
				} else {
					p.ExcludedUntil = c.stands
				}
			})
			until, err := p.Exclude(r, noon, c.long, c.pause)
			if !errors.Is(err, c.want) {
				t.Fatalf("got %v, want %v", err, c.want)
			}
			if err == nil && !until.Equal(noon.Add(c.long)) {
				t.Errorf("until %s", until)
			}
		})
	}
}

func TestChangeKind(t *testing.T) {
	t.Parallel()
	for k := party.EmailConfirmed; k <= party.CloseAccount; k++ {
		if again, err := party.ParseChangeKind(k.String()); again != k || err != nil {
			t.Errorf("%s reads as %s, %v", k, again, err)
		}
	}
	for _, word := range []string{"", "ChangeKind(0)", "Pause"} {
		if k, err := party.ParseChangeKind(word); err == nil {
			t.Errorf("%q reads as %s", word, k)
		}
	}
}

// limits is a naive model of a limit: what was asked for, when, and from when on it holds.
type limits []struct {
	amount money.Amount
	from   time.Time
}

func (l limits) now(at time.Time) (limit money.Amount) {
	for _, x := range l {
		if !at.Before(x.from) {
			limit = x.amount
		}
	}
	return limit
}

func higher(a, b money.Amount) bool { return b != 0 && (a == 0 || a > b) }

// A limit is never higher than what was asked for 48 h before, and never higher than the last that was asked for.
func TestINS_online_LimitSet(t *testing.T) {
	t.Parallel()
	const wait = 48 * time.Hour
	rapid.Check(t, func(t *rapid.T) {
		var l party.Limit
		var model limits
		at := noon
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			at = at.Add(time.Duration(rapid.IntRange(0, 60).Draw(t, "hours")) * time.Hour)
			asked := money.Amount(rapid.IntRange(0, 5).Draw(t, "limit"))
			was := l.Now(at)
			if was != model.now(at) {
				t.Fatalf("at %s the limit is %d, the model says %d", at, was, model.now(at))
			}
			var from time.Time
			before := l
			l, from = l.Set(asked, at, wait)
			if got := before.From(asked, at, from); got != l {
				t.Fatalf("the record of %+v gives %+v", l, got)
			}
			model = append(model[:0:0], limits{{was, time.Time{}}, {asked, from}}...)
			switch {
			case !higher(asked, was) && !from.Equal(at):
				t.Fatalf("%d after %d holds from %s, asked for at %s", asked, was, from, at)
			case higher(asked, was) && from.After(at.Add(wait)), from.Before(at):
				t.Fatalf("%d after %d holds from %s, asked for at %s", asked, was, from, at)
			case higher(asked, was) && from.Before(at.Add(wait)) && (before.At != from || higher(asked, before.Next)):
				t.Fatalf("%d after %+v holds from %s, asked for at %s", asked, before, from, at)
			}
		}
	})
}

func TestINS_online_LimitSetTable(t *testing.T) {
	t.Parallel()
	h := func(n int) time.Time { return noon.Add(time.Duration(n) * time.Hour) }
	type set struct {
		at    int // hours
		limit money.Amount
	}
	for name, c := range map[string]struct {
		sets []set
		want map[int]money.Amount // by hour
	}{
		"the first limit holds at once":      {[]set{{0, 100}}, map[int]money.Amount{0: 100, 100: 100}},
		"lower at once":                      {[]set{{0, 100}, {1, 50}}, map[int]money.Amount{1: 50, 100: 50}},
		"higher after 48 h":                  {[]set{{0, 100}, {1, 200}}, map[int]money.Amount{1: 100, 48: 100, 49: 200}},
		"none after 48 h":                    {[]set{{0, 100}, {1, 0}}, map[int]money.Amount{48: 100, 49: 0}},
		"a raise taken back":                 {[]set{{0, 100}, {1, 200}, {2, 100}}, map[int]money.Amount{2: 100, 49: 100, 99: 100}},
		"a raise, then lower than before":    {[]set{{0, 100}, {1, 200}, {2, 50}}, map[int]money.Amount{2: 50, 49: 50, 99: 50}},
		"a raise made smaller keeps its day": {[]set{{0, 100}, {1, 200}, {24, 150}}, map[int]money.Amount{24: 100, 48: 100, 49: 150, 99: 150}},
		"a raise made greater waits anew":    {[]set{{0, 100}, {1, 200}, {24, 300}}, map[int]money.Amount{49: 100, 71: 100, 72: 300}},
		"a raise that holds, then another":   {[]set{{0, 100}, {1, 200}, {60, 300}}, map[int]money.Amount{60: 200, 107: 200, 108: 300}},
		"none, then a limit":                 {[]set{{0, 100}, {1, 0}, {60, 100}}, map[int]money.Amount{60: 100}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var l party.Limit
			for _, s := range c.sets {
				l, _ = l.Set(s.limit, h(s.at), 48*time.Hour)
			}
			for hour, want := range c.want {
				if got := l.Now(h(hour)); got != want {
					t.Errorf("after %d h: got %d, want %d", hour, got, want)
				}
			}
		})
	}
}
