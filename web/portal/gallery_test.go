package portal

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/instant"
	"tirage/money"
	"tirage/party"
	"tirage/settle"
	"tirage/wager"
	"tirage/web/page"
	"tirage/web/page/pagetest"
)

// galleries give the samples of the pages of each file; a file of tests appends its own.
var galleries = []func(testing.TB) []pagetest.Sample{publicSamples, gameSamples, accountSamples, passkeySamples, ticketSamples}

func TestGallery(t *testing.T) {
	t.Parallel()
	var all []pagetest.Sample
	for _, samples := range galleries {
		all = append(all, samples(t)...)
	}
	pagetest.Gallery(t, face, "home.title", all)
}

// pageText renders a sample's page.
func pageText(t testing.TB, name string, data func(page.Base) any) string {
	t.Helper()
	r := httptest.NewRequestWithContext(context.Background(), http.MethodGet, "/", nil)
	r.Header.Set("Accept-Language", "fr")
	w := httptest.NewRecorder()
	must(t, face.Render(w, r, http.StatusOK, name, data(face.Base(r, "home.title"))))
	return w.Body.String()
}

// A suspended game says so on its door, also without an officer's message.
func TestSuspendedDoor(t *testing.T) {
	t.Parallel()
	g := sampleGame()
	g.State = central.Suspended
	got := pageText(t, "home", func(b page.Base) any {
		return homePage{shell: framed(b, pathHome, ""), Instants: []instantDoor{newInstantDoor(g)}}
	})
	if !strings.Contains(got, "suspendu") {
		t.Error("the door does not say that the game is suspended")
	}
}

// Each game's door leads to that game.
func TestDoors(t *testing.T) {
	t.Parallel()
	amigo := mustRules(t, "amigo")
	got := pageText(t, "home", func(b page.Base) any {
		return homePage{shell: framed(b, pathHome, ""), Draws: []drawDoor{{Code: amigo.Code, Name: amigo.Name, Look: page.LookColumns}}}
	})
	for _, want := range []string{`href="/preparer?jeu=amigo"`, `href="/resultats?jeu=amigo"`} {
		if !strings.Contains(got, want) {
			t.Errorf("no door %s", want)
		}
	}
}

// framed is the frame of a sample; with a player who has signed on when he has a name.
func framed(b page.Base, here, player string) shell {
	s := shell{Base: b, Here: here, Paths: thePaths}
	if player != "" {
		s.Player = &signedOn{"0123456789abcdef", player, 123_456_789}
	}
	return s
}

func mustRules(t testing.TB, code game.Code) *game.Rules {
	t.Helper()
	b, err := game.Book(code)
	if err != nil {
		t.Fatal(err)
	}
	r, err := game.Parse(string(code), b)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var noon = time.Date(2027, 1, 4, 11, 0, 0, 0, time.UTC)

// sampleDraw is a certified draw in which some tiers were won.
func sampleDraw(t testing.TB, r *game.Rules, result game.Result, jackpot *settle.Jackpot) drawn {
	t.Helper()
	d, err := newDrawn(r, central.DrawView{
		Draw:  draw.Draw{ID: 7, Game: r.Code, Rules: r.Hash, Day: game.NewDay(2027, 1, 4), Number: 95, ClosesAt: noon, DrawsAt: noon},
		State: draw.Certified, Wagers: 12, Stakes: 2400, Result: result, Times: 2,
		Settlement: &settle.Settlement{Parts: 12, Stakes: 2400, Jackpot: jackpot, Shares: []settle.Share{
			{Tier: 2, Winners: 1, Units: 1, UnitValue: 20_000, Total: 20_000}, {Tier: 6, Winners: 31, Units: 31, UnitValue: 600, Total: 18_600},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func publicSamples(t testing.TB) []pagetest.Sample {
	t.Helper()
	island, amigo := mustRules(t, "ile-au-tresor"), mustRules(t, "amigo")
	onIsland := sampleDraw(t, island, game.Result{{1, 6, 11, 16, 17, 20, 21}, {3}}, nil)
	onAmigo := sampleDraw(t, amigo, game.Result{{1, 6, 11, 16, 21, 26, 31, 36, 45}, {5}}, &settle.Jackpot{End: settle.JackpotCarried})
	choice := []gameChoice{{Code: "ile-au-tresor", Name: island.Name, Here: true}, {Code: "amigo", Name: amigo.Name}}
	instants := central.InstantGame{
		Rules: &instant.Rules{Code: theInstant, Name: game.Text{FR: "L’Ile au Trésor"}, Units: 450_000, Tables: []instant.PrizeTable{{Price: 100, Prizes: []instant.Prize{
			{Amount: 1_000_000, Units: 1}, {Amount: 100, Units: 100_000}, {Units: 349_999},
		}}}},
		State: central.Launched,
	}
	instants.Prices = []central.InstantPrice{
		{Table: &instants.Rules.Tables[0], Units: 450_000, Sold: 449_990, Left: []int{1, 2, 7}, Warn: true},
		{Table: &instants.Rules.Tables[0], Units: 450_000, Sold: 450_000, Left: []int{0, 0, 0}},
	}
	shut := instants
	shut.State, shut.Message = central.Suspended, game.Text{FR: "Une <panne>.", EN: "A <fault>."}
	selling := central.DrawView{Draw: draw.Draw{Number: 96, DrawsAt: noon.Add(time.Hour)}}
	samples := []pagetest.Sample{
		{Name: "home", Page: "home", Data: func(b page.Base) any {
			return homePage{framed(b, pathHome, "Émilie"), noon, []drawDoor{
				{Code: "ile-au-tresor", Name: island.Name, Look: page.LookIsland, Next: &selling, Top: 2_000_000, Stake: 200, Last: &onIsland},
				{Code: "amigo", Name: amigo.Name, Look: page.LookColumns, Opens: noon, Has: true, Jackpot: 25_000_000, Stake: 200, Last: &onAmigo},
				{Code: "autre", Name: game.Text{FR: "Autre"}, Look: page.LookGrid, Has: true},
				{Code: "arret", Name: game.Text{FR: "Arrêt"}, Look: page.LookGrid, Opens: noon, Stopped: true},
			}, []instantDoor{newInstantDoor(instants), newInstantDoor(shut)}}
		}},
		{Name: "home without a game", Page: "home", Data: func(b page.Base) any { return homePage{shell: framed(b, pathHome, "")} }},
		{Name: "results", Page: "results", Data: func(b page.Base) any {
			return resultsPage{shell: framed(b, pathResults, ""), Games: choice, Game: island.Name, Code: island.Code, Latest: &onIsland, Others: []drawn{onIsland, onAmigo}}
		}},
		{Name: "results of a day", Page: "results", Data: func(b page.Base) any {
			return resultsPage{
				shell: framed(b, pathResults, ""), Games: choice, Game: amigo.Name, Code: amigo.Code, Latest: &onAmigo, Others: []drawn{onAmigo},
				Day: "2027-01-04", Of: game.NewDay(2027, 1, 4), Before: 95,
			}
		}},
		{Name: "no results", Page: "results", Data: func(b page.Base) any { return resultsPage{shell: framed(b, pathResults, "")} }},
		{Name: "a draw", Page: "draw", Data: func(b page.Base) any {
			var steps []proofStep
			for i, s := range []draw.State{draw.Planned, draw.Closed, draw.Drawn, draw.Settled, draw.Certified} {
				steps = append(steps, proofStep{s.String(), uint64(1000 * i), noon, "8301"})
			}
			return drawPage{shell: framed(b, pathResults, ""), Draw: onAmigo, Code: amigo.Code, Closed: true, Steps: steps, Key: "k+1+A", Unit: 200}
		}},
		{Name: "a draw to come", Page: "draw", Data: func(b page.Base) any {
			return drawPage{
				shell: framed(b, pathResults, ""), Draw: drawn{DrawView: central.DrawView{State: draw.Selling}, Game: amigo.Name}, Pending: true,
				Steps: []proofStep{{draw.Planned.String(), 12, noon, "8301"}},
			}
		}},
		{Name: "check", Page: "check", Data: func(b page.Base) any { return checkPage{shell: framed(b, pathCheck, "")} }},
		{Name: "check refused", Page: "check", Data: func(b page.Base) any {
			return checkPage{shell: framed(b, pathCheck, ""), Typed: `"><script>`, Refusal: "Non."}
		}},
		{Name: "odds", Page: "odds", Data: func(b page.Base) any {
			return oddsPage{framed(b, pathOdds, ""), []gameOdds{oddsOf(b.Lang, island, 0), oddsOf(b.Lang, amigo, 0)}, []gameOdds{instantOdds(b.Lang, instants)}}
		}},
		{Name: "no odds", Page: "odds", Data: func(b page.Base) any { return oddsPage{shell: framed(b, pathOdds, "")} }},
		{Name: "help", Page: "help", Data: func(b page.Base) any { return helpPage{shell: framed(b, pathHelp, "")} }},
		{Name: "help with rules", Page: "help", Data: func(b page.Base) any {
			return helpPage{framed(b, pathHelp, "Zoé"), &party.Rules{WindowDays: 7, RaiseAfter: 48 * time.Hour, ExclusionMin: 24 * time.Hour, ExclusionMax: 366 * 24 * time.Hour}}
		}},
		{Name: "error", Page: "error", Data: func(b page.Base) any {
			return errorPage{shell: framed(b, "", "Zoé"), Refusal: page.Describe(b.Lang, page.ErrNotFound)}
		}},
		{Name: "signed out", Page: "error", Data: func(b page.Base) any {
			return errorPage{framed(b, "", ""), page.Describe(b.Lang, page.ErrSignedOut), pathSignOn + "?suite=%2Fjeu"}
		}},
	}
	return slices.Concat(samples, checkSamples(amigo), prepareSamples(island, amigo, choice))
}

// checkSamples are a ticket in each standing.
func checkSamples(r *game.Rules) (list []pagetest.Sample) {
	ticket := wager.Ticket{Number: 12345, Rules: r, PlacedAt: noon}
	prize := func(n int, state draw.State, known bool, amount, back money.Amount) settle.Prize {
		p := settle.Prize{Draw: draw.Draw{ID: draw.ID(n), Number: n, Day: game.Day(20_000 + n)}, State: state, Known: known, Amount: amount, Back: back}
		if amount > 0 {
			p.TierName = "9"
		}
		return p
	}
	paid := prize(3, draw.Certified, true, 500, 0)
	paid.PaidAt = noon
	centre := prize(4, draw.Certified, true, 2_000_000, 0)
	centre.Centre = true
	for _, c := range []struct {
		name   string
		cancel time.Time
		settle.Answer
	}{
		{"won", time.Time{}, settle.Answer{Standing: settle.Won, Total: 600, Waiting: 2, PayableFrom: noon, ClaimUntil: 20_500, Prizes: []settle.Prize{
			prize(1, draw.Certified, true, 600, 0), prize(2, draw.Closed, false, 0, 0), prize(5, draw.Selling, false, 0, 0),
		}}},
		{"won, at a centre", time.Time{}, settle.Answer{Standing: settle.Won, Total: 2_000_000, Prizes: []settle.Prize{centre}}},
		{"won and paid", time.Time{}, settle.Answer{Standing: settle.Won, Total: 500, Paid: 500, Prizes: []settle.Prize{paid}}},
		{"won, expired", time.Time{}, settle.Answer{Standing: settle.Won, Total: 500, Expired: true, Prizes: []settle.Prize{{Amount: 500, Known: true, Expired: true}}}},
		{"won, and a stake", time.Time{}, settle.Answer{Standing: settle.Won, Total: 500, Back: 200, Prizes: []settle.Prize{prize(1, draw.Certified, true, 500, 0), prize(2, draw.Cancelled, false, 0, 200)}}},
		{"a stake to give back", time.Time{}, settle.Answer{Standing: settle.GiveBack, Back: 200, Prizes: []settle.Prize{prize(2, draw.Cancelled, false, 0, 200)}}},
		{"lost", time.Time{}, settle.Answer{Standing: settle.Lost, Prizes: []settle.Prize{prize(1, draw.Certified, true, 0, 0)}}},
		{"pending", time.Time{}, settle.Answer{Standing: settle.Pending, Waiting: 1, Prizes: []settle.Prize{prize(1, draw.Drawn, false, 0, 0)}}},
		{"cancelled", noon, settle.Answer{}},
	} {
		a := newAnswer(central.Check{Ticket: ticket, Answer: c.Answer, CancelledAt: c.cancel})
		list = append(list, pagetest.Sample{Name: "ticket " + c.name, Page: "check", Data: func(b page.Base) any {
			return checkPage{shell: framed(b, pathCheck, ""), Answer: &a}
		}})
	}
	return list
}

func prepareSamples(island, amigo *game.Rules, choice []gameChoice) []pagetest.Sample {
	filled := &draft{
		rules: amigo, stake: 200, draws: 5, picks: game.Picks{{1, 6}, {3}},
		boards: []wager.Board{{Picks: game.Picks{{1, 2, 6, 11, 16, 21, 26, 31, 36, 41}, {2}}}, {Picks: game.Picks{{1}, nil}, QuickPick: true}},
	}
	sample := func(d *draft, change func(*preparePage)) func(page.Base) any {
		return func(b page.Base) any {
			p := preparePage{shell: framed(b, pathPrepare, ""), Games: choice}
			d.fill(&p, b.Lang)
			change(&p)
			return p
		}
	}
	blank := &draft{rules: island, picks: make(game.Picks, 2)}
	return []pagetest.Sample{
		{Name: "a blank slip", Page: "prepare", Data: sample(blank, func(*preparePage) {})},
		{Name: "a slip refused", Page: "prepare", Data: sample(filled, func(p *preparePage) { p.Refusal = "<Non.>" })},
		{Name: "a slip ready", Page: "prepare", Data: sample(filled, func(p *preparePage) {
			p.Ready = &readySlip{QR: `<svg class="qr" viewBox="0 0 9 9" aria-hidden="true"></svg>`, Stake: 200, Next: []draw.Draw{{Number: 1}, {Number: 2}, {Number: 3}, {Number: 4}}}
		})},
		{Name: "a slip while nothing sells", Page: "prepare", Data: sample(filled, func(p *preparePage) { p.Ready = &readySlip{Stake: 200} })},
		{Name: "no game to prepare", Page: "prepare", Data: func(b page.Base) any { return preparePage{shell: framed(b, pathPrepare, "")} }},
	}
}
