package portal

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"tirage/central"
	"tirage/game"
	"tirage/money"
	"tirage/party"
	"tirage/web/page"
	"tirage/web/page/pagetest"
)

// aDay is when the samples are looked at.
var aDay = time.Date(2026, 12, 1, 10, 5, 0, 0, time.UTC)

// sampleMember is the frame of an account whose player has a name that could do harm.
func sampleMember(t testing.TB, b page.Base, change func(*central.PlayerView)) member {
	t.Helper()
	rules, err := party.ParseRules(party.Book())
	must(t, err)
	v := central.PlayerView{
		Player: party.Player{
			ID: "5ee5c7a1d2b3f4e6", Terms: rules.Version, Confirmed: true, MadeAt: aDay.AddDate(0, -2, 0),
			Deposits: party.Limit{Max: money.Euros(100)}, Stake: party.Limit{Max: money.Euros(60), Next: money.Euros(80), At: aDay.Add(30 * time.Hour)},
		},
		Person: central.Person{
			Email: "jeanne@exemple.test", FirstName: "Jeanne", LastName: "O’Neil <b>", BirthDay: game.NewDay(1984, 5, 17), BirthPlace: "Saint-Malo", Lang: "fr",
		},
		Balance: 24_50, Staked: 12_00, Deposited: 50_00, DepositedEver: 150_00,
	}
	if change != nil {
		change(&v)
	}
	s := sampleShell(b, max(1, v.Balance))
	s.Player.Balance = v.Balance
	return newMember(s, v, rules, aDay)
}

// sampleMoves are movements of each kind.
func sampleMoves() []central.Movement {
	at := func(minutes int) time.Time { return aDay.Add(-time.Duration(minutes) * time.Minute) }
	return []central.Movement{
		{Record: 900, At: at(3), Kind: "unit", Amount: 4_00, Game: "ile-au-tresor-instant", Pool: 2, Price: 1_00, Prize: 5_00},
		{Record: 899, At: at(4), Kind: "unit", Amount: -1_00, Game: "ile-au-tresor-instant", Pool: 2, Price: 1_00},
		{Record: 880, At: at(40), Kind: "deposit", Amount: 50_00, Means: "voucher"},
		{Record: 870, At: at(60), Kind: "deposit", Amount: 20_00, Means: "card/simulé"},
		{Record: 860, At: at(70), Kind: "deposit", Amount: 20_00, Means: "demo"},
		{Record: 850, At: at(90), Kind: "withdrawal", Amount: -15_00},
		{Record: 840, At: at(95), Kind: "returned", Amount: 15_00},
		{Record: 830, At: at(99), Kind: "stake-limit", Amount: 80_00, Until: at(99).Add(48 * time.Hour)},
		{Record: 829, At: at(99), Kind: "deposit-limit", Until: at(99)},
		{Record: 820, At: at(200), Kind: "pause", Until: at(100)},
		{Record: 819, At: at(201), Kind: "exclude", Until: at(-9000)},
		{Record: 810, At: at(300), Kind: "terms"},
		{Record: 800, At: at(310), Kind: "identity"},
		{Record: 799, At: at(312), Kind: "identity-withdrawn"},
		{Record: 790, At: at(400), Kind: "email"},
		{Record: 700, At: at(500), Kind: "sign-up"},
		{Record: 901, At: at(1), Kind: "close"},
	}
}

func sampleLines(lang page.Lang) []historyLine {
	var lines []historyLine
	for _, x := range sampleMoves() {
		line := newHistoryLine(lang, x)
		if x.Kind == "unit" {
			line.Name = game.Text{FR: "L’Île au Trésor", EN: "Treasure Island"}
		}
		if x.Kind == "withdrawal" {
			line.State = "returned"
		}
		lines = append(lines, line)
	}
	return lines
}

// A file that cannot be written to its end is no whole file to who takes it; what fails before it begins is an error as any.
func TestDownload_CutShort(t *testing.T) {
	t.Parallel()
	app := &page.App{Logger: slog.New(slog.DiscardHandler)}
	broken := errors.New("broken")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d := download{to: w, kind: "text/csv", name: "a.csv"}
		if r.URL.Path == "/early" {
			if !errors.Is(d.end(app, broken), broken) {
				t.Error("nothing written, and no error")
			}
			return
		}
		for range 100 {
			_, _ = d.Write(make([]byte, 1_000))
		}
		err := broken
		if r.URL.Path == "/whole" {
			err = nil
		}
		must(t, d.end(app, err))
	}))
	defer server.Close()
	get := func(path string) (int, error) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+path, nil)
		must(t, err)
		res, err := server.Client().Do(req)
		must(t, err)
		defer func() { must(t, res.Body.Close()) }()
		b, err := io.ReadAll(res.Body)
		return len(b), err
	}
	if n, err := get("/early"); err != nil || n != 0 {
		t.Errorf("early: %d bytes, %v", n, err)
	}
	if _, err := get("/cut"); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("cut short: %v", err)
	}
	if n, err := get("/whole"); err != nil || n != 100_000 {
		t.Errorf("whole: %d bytes, %v", n, err)
	}
}

func refusedForm(l page.Lang, f *form, err error, typed url.Values) {
	f.refuse(page.Describe(l, err), err, typed)
}

// accountSamples are the pages of accounts as players may meet them.
func accountSamples(t testing.TB) []pagetest.Sample {
	rules, err := party.ParseRules(party.Book())
	must(t, err)
	plain := func(b page.Base) entry {
		return entry{shell: sampleShell(b, 0), form: newForm(""), Links: theAccountPaths}
	}
	sample := func(name, page string, data func(b page.Base) any) pagetest.Sample {
		return pagetest.Sample{Name: page + " " + name, Page: page, Data: data}
	}
	return append([]pagetest.Sample{
		sample("new", "signup", func(b page.Base) any { return signUpPage{plain(b), newRuleWords(rules)} }),
		sample("refused", "signup", func(b page.Base) any {
			v := signUpPage{plain(b), newRuleWords(rules)}
			refusedForm(b.Lang, &v.form, party.ErrAdult, url.Values{"firstname": {`"><script>alert(1)</script>`}, "birthday": {"2015-02-03"}, "terms": {rules.Version}})
			return v
		}),
		sample("without the rules accepted", "signup", func(b page.Base) any {
			v := signUpPage{plain(b), newRuleWords(rules)}
			refusedForm(b.Lang, &v.form, party.ErrTerms, nil)
			return v
		}),
		sample("shut", "signup", func(b page.Base) any { return signUpPage{plain(b), nil} }),
		sample("demo", "sent", func(b page.Base) any { return sentPage{plain(b), true} }),
		sample("new", "confirm", func(b page.Base) any { return tokenPage{plain(b), "ABCD"} }),
		sample("too late", "confirm", func(b page.Base) any {
			v := tokenPage{plain(b), "ABCD"}
			refusedForm(b.Lang, &v.form, central.ErrToken, nil)
			return v
		}),
		sample("wrong password", "confirm", func(b page.Base) any {
			v := tokenPage{plain(b), "ABCD"}
			refusedForm(b.Lang, &v.form, central.ErrSignUpPassword, nil)
			return v
		}),
		sample("new", "signon", func(b page.Base) any { return signOnPage{entry: plain(b), Next: pathAccount, Keys: true} }),
		sample("code", "signon", func(b page.Base) any {
			v := signOnPage{entry: plain(b), Next: pathAccount, Code: true}
			refusedForm(b.Lang, &v.form, central.ErrCode, url.Values{"email": {"jeanne@exemple.test"}, "password": {"secret"}})
			return v
		}),
		sample("new", "forgotten", func(b page.Base) any { return plain(b) }),
		sample("new", "reset", func(b page.Base) any { return tokenPage{plain(b), "ABCD"} }),
		sample("short", "reset", func(b page.Base) any {
			v := tokenPage{plain(b), "ABCD"}
			refusedForm(b.Lang, &v.form, central.ErrPassword, nil)
			return v
		}),
		sample("to accept", "terms", func(b page.Base) any {
			return termsPage{sampleShell(b, 24_50), newForm(""), theAccountPaths, newRuleWords(rules), true}
		}),
		sample("none", "terms", func(b page.Base) any {
			return termsPage{sampleShell(b, 0), newForm(""), theAccountPaths, nil, false}
		}),
	}, roomSamples(t)...)
}

// roomSamples are the pages of who has signed on.
func roomSamples(t testing.TB) []pagetest.Sample {
	sample := func(name, page string, data func(b page.Base) any) pagetest.Sample {
		return pagetest.Sample{Name: page + " " + name, Page: page, Data: data}
	}
	unconfirmed := func(v *central.PlayerView) { v.Confirmed, v.DepositedEver, v.Balance = false, 40_00, 40_00 }
	at := func(b page.Base, change func(*central.PlayerView)) member { return sampleMember(t, b, change) }
	glanceAt := func(b page.Base, change func(*central.PlayerView)) accountPage {
		v := newAccountPage(at(b, change))
		v.Lines, v.Session = sampleLines(b.Lang)[:glance], &tally{Minutes: 24, Units: 9, Staked: 9_00, Won: 5_00}
		return v
	}
	depositAt := func(b page.Base, change func(*central.PlayerView)) depositPage {
		m := at(b, change)
		v := depositPage{member: m, Limit: limitsOf(m)[0], Voucher: m.means("voucher"), Left: 60_00}
		card, demo := m.means("card/simulé"), m.means(party.DemoMeans)
		card.Title = "simulé"
		v.Cards, v.Demo = []means{card}, &demo
		return v
	}
	return []pagetest.Sample{
		sample("confirmed", "account", func(b page.Base) any { return glanceAt(b, nil) }),
		sample("unconfirmed", "account", func(b page.Base) any { return glanceAt(b, unconfirmed) }),
		sample("paused, other rules", "account", func(b page.Base) any {
			return glanceAt(b, func(v *central.PlayerView) { v.PausedUntil, v.Terms = aDay.Add(time.Hour), "2008" })
		}),
		sample("excluded", "account", func(b page.Base) any {
			return glanceAt(b, func(v *central.PlayerView) { v.ExcludedUntil = aDay.AddDate(0, 3, 0); v.Deposits = party.Limit{} })
		}),
		sample("closed", "account", func(b page.Base) any {
			v := glanceAt(b, func(v *central.PlayerView) { v.Closed, v.Balance = true, 0 })
			v.Session = &tally{}
			return v
		}),
		sample("all means", "deposit", func(b page.Base) any { return depositAt(b, nil) }),
		sample("unconfirmed, refused", "deposit", func(b page.Base) any {
			v := depositAt(b, unconfirmed)
			refusedForm(b.Lang, &v.Cards[0].form, &party.DepositMinError{Min: 5_00}, url.Values{"amount": {"2"}})
			return v
		}),
		sample("voucher used", "deposit", func(b page.Base) any {
			v := depositAt(b, nil)
			refusedForm(b.Lang, &v.Voucher.form, central.ErrVoucherUsed, url.Values{"code": {"0000-0000"}})
			return v
		}),
		sample("to pay", "deposit", func(b page.Base) any {
			v := depositAt(b, nil)
			v.Pay = &payment{"simulé", "https://prestataire.example/pay", 20_00}
			return v
		}),
		sample("stopped", "deposit", func(b page.Base) any {
			v := depositAt(b, nil)
			v.Stop = "Vous avez demandé à ne pas jouer."
			return v
		}),
		sample("open", "withdraw", func(b page.Base) any {
			v := withdrawPage{member: at(b, nil), form: newForm("")}
			v.Recent = []central.Withdrawal{{Record: 850, Amount: 15_00, IBAN: "FR7630006000011234567890189", At: aDay, State: "sent"}}
			refusedForm(b.Lang, &v.form, party.ErrIBAN, url.Values{"amount": {"15"}, "iban": {"FR00"}})
			return v
		}),
		sample("unconfirmed", "withdraw", func(b page.Base) any { return withdrawPage{member: at(b, unconfirmed), form: newForm("")} }),
		sample("empty", "withdraw", func(b page.Base) any {
			return withdrawPage{member: at(b, func(v *central.PlayerView) { v.Balance = 0 }), form: newForm("")}
		}),
		sample("one to come", "limits", func(b page.Base) any { return newLimitsPage(at(b, nil)) }),
		sample("none", "limits", func(b page.Base) any {
			return newLimitsPage(at(b, func(v *central.PlayerView) {
				v.Deposits, v.Stake = party.Limit{}, party.Limit{Max: 10_00, At: aDay.Add(time.Hour)}
			}))
		}),
		sample("choose", "pause", func(b page.Base) any { return newPausePage(at(b, nil)) }),
		sample("pause", "pause_sure", func(b page.Base) any {
			v, err := readPause(at(b, nil), url.Values{"sorte": {"pause"}, "heures": {"24"}})
			must(t, err)
			refusedForm(b.Lang, &v.form, errSure, nil)
			return v
		}),
		sample("exclusion", "pause_sure", func(b page.Base) any {
			v, err := readPause(at(b, nil), url.Values{"sorte": {"exclusion"}, "heures": {"8784"}})
			must(t, err)
			return v
		}),
		sample("each kind", "history", func(b page.Base) any {
			return historyPage{member: at(b, nil), Filters: historyFilters, Lines: sampleLines(b.Lang), Older: pathHistory + "?avant=700"}
		}),
		sample("nothing", "history", func(b page.Base) any {
			return historyPage{member: at(b, nil), Filters: historyFilters, Newest: true}
		}),
		sample("plain", "security", func(b page.Base) any { return newSecurityPage(at(b, nil)) }),
		sample("begun", "security", func(b page.Base) any {
			v := newSecurityPage(at(b, nil))
			v.Begun, v.Secret = true, "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
			var err error
			v.QR, err = qrSVG("otpauth://totp/Tirage:jeanne@exemple.test?issuer=Tirage&secret=" + v.Secret)
			must(t, err)
			return v
		}),
		sample("in force", "security", func(b page.Base) any {
			v := newSecurityPage(at(b, func(v *central.PlayerView) { v.TOTP = true }))
			v.Keys = true
			refusedForm(b.Lang, &v.form, central.ErrCode, nil)
			return v
		}),
		sample("with a balance", "close", func(b page.Base) any { return closePage{at(b, nil), newForm("")} }),
		sample("unconfirmed", "close", func(b page.Base) any { return closePage{at(b, unconfirmed), newForm("")} }),
	}
}

func TestReadAmount(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lang page.Lang
		text string
		want money.Amount
		ok   bool
	}{
		{page.French, "12,50", 12_50, true},
		{page.French, "12.50", 12_50, true},
		{page.French, "1 250 €", 1250_00, true},
		{page.French, "0", 0, true},
		{page.English, "1,250.50", 1250_50, true},
		{page.English, "€20", 20_00, true},
		{page.French, "-1", 0, false},
		{page.French, "1,250", 0, false},
		{page.French, "", 0, false},
		{page.French, "12,5", 12_50, true},
		{page.French, "12,5 €", 12_50, true},
		{page.English, "12.5", 12_50, true},
		{page.French, "12,", 0, false},
		{page.French, "1e3", 0, false},
		{page.French, "99999999999999999999", 0, false},
	} {
		got, err := readAmount(c.lang, url.Values{"amount": {c.text}}, "amount")
		if got != c.want || (err == nil) != c.ok {
			t.Errorf("%v %q: got %v, %v, want %v, %t", c.lang, c.text, got, err, c.want, c.ok)
		}
		if err != nil && faultOf(err) != "amount" {
			t.Errorf("%q: refused at %q", c.text, faultOf(err))
		}
	}
}

func TestReadDay(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]game.Day{
		"1980-05-17": game.NewDay(1980, 5, 17), "17/05/1980": game.NewDay(1980, 5, 17), " 1/2/2001 ": game.NewDay(2001, 2, 1),
	} {
		if got, err := readDay(text); err != nil || got != want {
			t.Errorf("%q: got %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "31/02/1980", "1980", "17/05/80x", "demain"} {
		if got, err := readDay(text); !errors.Is(err, game.ErrDay) {
			t.Errorf("%q: got %v, %v", text, got, err)
		}
	}
}

// After a sign-on a browser goes to a page of ours, whatever the address asked for.
func TestNextOf(t *testing.T) {
	t.Parallel()
	for asked, want := range map[string]string{
		"/compte/limites": "/compte/limites", "/jeu/ile-au-tresor-instant": "/jeu/ile-au-tresor-instant", "/compte": "/compte",
		"": pathAccount, "//mal.example": pathAccount, "https://mal.example/compte/": pathAccount, `/\mal.example`: pathAccount,
		"/compteur": pathAccount, "/office": pathAccount, "javascript:alert(1)": pathAccount,
	} {
		if got := nextOf(url.Values{"suite": {asked}}); got != want {
			t.Errorf("%q: got %q, want %q", asked, got, want)
		}
	}
}
