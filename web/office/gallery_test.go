package office

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"testing"
	"time"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/money"
	"tirage/party"
	"tirage/settle"
	"tirage/web/page"
	"tirage/web/page/pagetest"
)

func TestGallery(t *testing.T) {
	t.Parallel()
	op := newOperator(t)
	op.trade(3, 20)
	op.tick(time.Date(2027, 1, 4, 11, 6, 0, 0, time.UTC))
	o := office{app: op.app}
	r := httptest.NewRequest(http.MethodGet, pathDraws, nil)
	framed := func(b page.Base, here string) frame {
		f := o.frame(r, "draws.title", here)
		f.Base = b
		return f
	}
	day, err := o.gameDay(r, "ile-au-tresor", game.NewDay(2027, 1, 4), span{Today: true})
	op.must(err)
	outlets, err := o.outlets(r, "")
	op.must(err)
	open, err := o.outlets(r, "8")
	op.must(err)
	open.Open.Blocked, open.Refusal, open.Notice, open.Device = true, "Non.", "Oui.", "0123-ABCD"
	rules, err := o.rules(r)
	op.must(err)
	proposals := op.proposalsInEachState()
	officers, err := o.officers(r, party.Officer{ID: op.officer})
	op.must(err)
	amigo := sampleAmigo(day)
	games := op.gamesInEachState()
	people := op.samplePlayers()
	withdrawals := op.sampleWithdrawals()
	pagetest.Gallery(t, face, "draws.title", append(append(op.ticketSamples(r, framed), accounts(t).accountSamples(r, framed)...), []pagetest.Sample{
		{Name: "sign on", Page: "signon", Data: func(b page.Base) any { return signOnPage{Base: b, Action: pathSignOn} }},
		{Name: "sign-on refused", Page: "signon", Data: func(b page.Base) any {
			return signOnPage{Base: b, Action: pathSignOn, Login: "marie", Refusal: "Non.", Lost: true}
		}},
		{Name: "draws", Page: "draws", Data: func(b page.Base) any {
			return drawsPage{frame: framed(b, pathDraws), Day: 20_000, Before: 19_999, After: 20_001, Game: &day, Choice: officeGames, Waiting: 1}
		}},
		{Name: "draws with a jackpot", Page: "draws", Data: func(b page.Base) any {
			return drawsPage{frame: framed(b, pathDraws), Day: 20_000, Today: true, Live: true, Game: &amigo, Choice: officeGames, Waiting: 2}
		}},
		{Name: "proposals, to whom made them", Page: "proposals", Data: func(b page.Base) any {
			p := proposals[0]
			p.frame, p.Notice = framed(b, pathProposals), "Oui."
			return p
		}},
		{Name: "proposals, to another", Page: "proposals", Data: func(b page.Base) any {
			p := proposals[1]
			p.frame, p.Choice = framed(b, pathProposals), officeGames
			p.Refusal = refusal{Form: strconv.FormatUint(p.Open[0].ID, 10), Sentence: "Non."}
			return p
		}},
		{Name: "no proposal, no game", Page: "proposals", Data: func(b page.Base) any {
			return proposalsPage{frame: framed(b, pathProposals), Refusal: refusal{Form: "decided", Sentence: "Non."}}
		}},
		{Name: "draws refused", Page: "proposals", Data: func(b page.Base) any {
			p := proposals[0]
			p.frame, p.Refusal = framed(b, pathProposals), refusal{formDraws, "draws", "Non."}
			return p
		}},
		{Name: "claims refused", Page: "proposals", Data: func(b page.Base) any {
			p := proposals[0]
			p.frame, p.Refusal = framed(b, pathProposals), refusal{formClaims, "until", "<Non.>"}
			return p
		}},
		{Name: "officers", Page: "officers", Data: func(b page.Base) any {
			p := officers
			p.frame = framed(b, pathOfficers)
			return p
		}},
		{Name: "an officer alone, refused", Page: "officers", Data: func(b page.Base) any {
			return officersPage{
				frame: framed(b, pathOfficers), Officers: []officerLine{{"marie", true}}, Me: "marie", Key: "k", OwnKey: "l",
				Refusal: refusal{formPassword, "again", "Non."},
			}
		}},
		{Name: "a password to change", Page: "password", Data: func(b page.Base) any {
			return passwordPage{frame: framed(b, pathPassword), Me: "paul", OwnKey: "k", Issued: true, Refusal: refusal{formPassword, "new", "Non."}}
		}},
		{Name: "no game, clock off", Page: "draws", Data: func(b page.Base) any {
			return drawsPage{frame: framed(b, pathDraws), Today: true, Stopped: true, Key: "k"}
		}},
		{Name: "outlets", Page: "outlets", Data: func(b page.Base) any {
			p := outlets
			p.frame = framed(b, pathOutlets)
			return p
		}},
		{Name: "no territory", Page: "outlets", Data: func(b page.Base) any {
			return outletsPage{frame: framed(b, pathOutlets), Key: "k"}
		}},
		{Name: "one outlet", Page: "outlets", Data: func(b page.Base) any {
			p := open
			p.frame = framed(b, pathOutlets)
			return p
		}},
		{Name: "rule books", Page: "rules", Data: func(b page.Base) any {
			p := rules
			p.frame, p.Published = framed(b, pathRules), &bookLine{Instant: true}
			return p
		}},
		{Name: "no instant game", Page: "pools", Data: func(b page.Base) any { return poolsPage{frame: framed(b, pathPools)} }},
		{Name: "an instant game", Page: "pools", Data: func(b page.Base) any {
			p := games
			p.frame, p.Choice, p.Notice = framed(b, pathPools), officeGames, "Oui."
			return p
		}},
		{Name: "an instant game stopped, refused", Page: "pools", Data: func(b page.Base) any {
			p, g := games, *games.Game
			g.State, g.Waits, g.Coming = central.Stopped, true, 20_000
			p.frame, p.Game, p.Refusal = framed(b, pathPools), &g, refusal{formState, "reason", "<Non.>"}
			return p
		}},
		{Name: "an instant game suspended, secrets refused", Page: "pools", Data: func(b page.Base) any {
			p, g := games, *games.Game
			g.State, g.Message = central.Suspended, game.Text{FR: "<Panne>", EN: "<Down>"}
			p.frame, p.Game, p.Refusal = framed(b, pathPools), &g, refusal{formSecrets, "count", "Non."}
			return p
		}},
		{Name: "an instant game before its launch", Page: "pools", Data: func(b page.Base) any {
			p, g := games, *games.Game
			g.State, g.Steps = central.Unlaunched, nil
			p.frame, p.Game = framed(b, pathPools), &g
			return p
		}},
		{Name: "a pool", Page: "pool", Data: func(b page.Base) any {
			p, err := o.pool(r, 2)
			op.must(err)
			p.frame = framed(b, pathPools)
			return p
		}},
		{Name: "a closed pool", Page: "pool", Data: func(b page.Base) any {
			p, err := o.pool(r, 1)
			op.must(err)
			p.frame = framed(b, pathPools)
			return p
		}},
		{Name: "a pool whose close is proposed", Page: "pool", Data: func(b page.Base) any {
			p, err := o.pool(r, 2)
			op.must(err)
			p.frame, p.Waits, p.Reason, p.Refusal = framed(b, pathPools), true, "<b>Vu.", refusal{"", "reason", "<Non.>"}
			return p
		}},
		{Name: "a close of a pool proposed, too late", Page: "proposals", Data: func(b page.Base) any {
			c := central.Proposal{ID: 9, Change: central.Change{Act: central.ActClosePool, Pool: 1, Reason: "<b>Vu."}, By: op.officer, At: morning}
			view, err := o.proposal(r, c, morning)
			op.must(err)
			return proposalsPage{frame: framed(b, pathProposals), Open: []proposal{view}}
		}},
		{Name: "a resumption proposed", Page: "proposals", Data: func(b page.Base) any {
			c := central.Proposal{ID: 9, Change: central.Change{Act: central.ActResumeGame, Game: "cove", Reason: "Vu."}, By: op.officer, At: morning}
			view, err := o.inGame(proposal{Proposal: c, Code: c.Game})
			op.must(err)
			return proposalsPage{frame: framed(b, pathProposals), Open: []proposal{view}}
		}},
		{Name: "a payment to an outlet proposed", Page: "proposals", Data: func(b page.Base) any {
			c := central.Proposal{ID: 9, Change: central.Change{Act: central.ActPayOutlet, Outlet: "a0", Amount: money.Euros(30), Reason: "<b>Vu."}, By: op.officer, At: morning}
			return proposalsPage{frame: framed(b, pathProposals), Open: []proposal{{Proposal: c, Shop: 7, Owed: money.Euros(20)}}}
		}},
		{Name: "players", Page: "players", Data: func(b page.Base) any {
			return playersPage{frame: framed(b, pathPlayers), Query: "mar", Asked: true, More: true, Found: people}
		}},
		{Name: "nobody", Page: "players", Data: func(b page.Base) any {
			return playersPage{frame: framed(b, pathPlayers), Asked: true, Refusal: refusal{"find", "q", "Non."}}
		}},
		{Name: "a player", Page: "player", Data: func(b page.Base) any {
			p, err := o.player(r, people[0].ID, 0)
			op.must(err)
			p.frame, p.Refusal, p.Next, p.Whole = framed(b, pathPlayers), refusal{"identity", "reason", "Non."}, 9, false
			p.Limits[0].At, p.Lines = morning, append(p.Lines, allMovements()...)
			p.ExcludedUntil, p.PausedUntil = p.Now.Add(time.Hour), p.Now.Add(time.Hour)
			return p
		}},
		{Name: "withdrawals", Page: "withdrawals", Data: func(b page.Base) any {
			p := withdrawals
			p.frame, p.Notice, p.File, p.Asked.More = framed(b, pathWithdrawals), "Oui.", 12, true
			five, ten := p.Owed, p.Owed.Add(p.Owed)
			p.Compared = &comparison{"essai", 20_000, []central.CardDifference{{Reference: "<ref>", Theirs: &five}, {Reference: "ref", Theirs: &five, Ours: &ten}}}
			return p
		}},
		{Name: "withdrawals, reconciled", Page: "withdrawals", Data: func(b page.Base) any {
			p := withdrawals
			p.frame, p.Compared, p.Refusal = framed(b, pathWithdrawals), &comparison{Provider: "essai"}, refusal{formCollect, "amount", "Non."}
			return p
		}},
		{Name: "no withdrawal", Page: "withdrawals", Data: func(b page.Base) any {
			return withdrawalsPage{frame: framed(b, pathWithdrawals), Refusal: refusal{formSend, "record", "Non."}}
		}},
		{Name: "faults", Page: "rules", Data: func(b page.Base) any {
			return rulesPage{
				frame: framed(b, pathRules), Key: "k", File: "ile.yaml", Refusal: "Non.",
				Faults: []game.Fault{{File: "ile.yaml", Line: 12, What: "odds", Expected: "3559.59", Got: "<3559.60>"}},
			}
		}},
	}...))
}

// gamesInEachState is the page of an instant game with pools in each state.
func (o *operator) gamesInEachState() poolsPage {
	o.t.Helper()
	logins, err := o.sys.Logins(context.Background())
	o.must(err)
	o.web()
	for id, login := range logins {
		if login == "paul" {
			o.selling(id, 3)
		}
	}
	player := o.player("Zoé", "Martin", "zoe@exemple.test", 5000)
	o.play(player, 13)
	o.must(o.sys.TendPools(context.Background()))
	_, err = o.sys.CommitSecrets(context.Background(), central.CommitSecrets{Key: "more", Officer: o.officer, Game: "cove", Price: one, Count: 2})
	o.must(err)
	p, err := office{app: o.app}.pools(httptest.NewRequest(http.MethodGet, pathPools, nil), "cove")
	o.must(err)
	p.Game.Prices[0].Warn, p.Game.Prices[1].Stopped = true, true
	p.Game.Steps = append(p.Game.Steps, gameStep{central.GameStep{State: central.Stopped, At: morning}, ""}, gameStep{central.GameStep{State: central.Suspended, By: o.officer, At: morning, Message: game.Text{FR: "<Panne>"}, Decision: 3}, "marie"})
	return p
}

// samplePlayers are players in each state.
func (o *operator) samplePlayers() []central.PlayerView {
	o.t.Helper()
	found, err := o.sys.FindPlayers(context.Background(), "zoe", 1)
	o.must(err)
	people := slices.Repeat(found, 4)
	people[1].Closed, people[2].ExcludedUntil, people[3].PausedUntil = true, o.time().Add(time.Hour), o.time().Add(time.Hour)
	people[1].Confirmed, people[1].Person.LastName = false, "<b>"
	return people
}

// allMovements is a line of a history of each kind.
func allMovements() (lines []movementLine) {
	kinds := []string{"sign-up", "unit", "deposit", "withdrawal", "returned"}
	for k := party.EmailConfirmed; k <= party.CloseAccount; k++ {
		kinds = append(kinds, k.String())
	}
	for _, kind := range kinds {
		lines = append(lines, movementLine{Movement: central.Movement{Kind: kind, At: morning, Until: morning, By: "x", Note: "<note>", Means: "demo"}, Who: "marie"})
	}
	return lines
}

// sampleWithdrawals is the page with withdrawals in each state.
func (o *operator) sampleWithdrawals() withdrawalsPage {
	o.t.Helper()
	p, err := office{app: o.app}.withdrawals(httptest.NewRequest(http.MethodGet, pathWithdrawals, nil))
	o.must(err)
	p.Owed = 500
	for i, state := range []string{"asked", "sent", "paid", "returned"} {
		line := withdrawalLine{central.Withdrawal{Record: uint64(5 + i), Player: "x", Name: "<b>Zoé</b>", Amount: 500, IBAN: iban, At: morning, State: state, File: 12}, i == 0}
		switch state {
		case "asked":
			p.Asked.Lines = append(p.Asked.Lines, line)
		case "sent":
			p.Sent.Lines = append(p.Sent.Lines, line)
		default:
			p.Done = append(p.Done, line)
		}
	}
	return p
}

// officeGames is a choice of two games.
var officeGames = []gameChoice{
	{Code: "amigo", Name: game.Text{FR: "Amigo"}}, {Code: "ile-au-tresor", Name: game.Text{FR: "L’Ile au Trésor", EN: "Treasure Island"}, Here: true},
}

// sampleAmigo is a day with each end of a jackpot, each outcome of an extra
// draw, each state of a refund, and an alarm.
func sampleAmigo(of gameDay) gameDay {
	g := of
	g.Name, g.Times, g.Jackpot = game.Text{FR: "Amigo"}, true, true
	g.Funds = central.Funds{Jackpot: 100, Reserve: -100, Margin: 1}
	g.Lines, g.Moves = slices.Clone(of.Lines), nil
	g.Lines[0].State, g.Lines[1].State, g.Lines[1].Refunded, g.Lines[2].Times = draw.Cancelled, draw.Cancelled, true, 10
	for i, j := range []settle.Jackpot{
		{Before: 25_000_000, Contribution: 12, End: settle.JackpotCarried, Extra: settle.ExtraKept, After: 25_000_012},
		{End: settle.JackpotWon},
		{End: settle.JackpotReserved, Extra: settle.ExtraRolled},
		{End: settle.JackpotRolledDown, Extra: settle.CeilingRolled, Tier: 1},
		{End: settle.JackpotCarried},
	} {
		line := drawLine{DrawView: central.DrawView{Draw: draw.Draw{Number: 90 + i}, Settlement: &settle.Settlement{Jackpot: &j}}, Settled: true}
		if j.End == settle.JackpotRolledDown {
			line.Lower = "9"
		}
		g.Moves = append(g.Moves, line)
	}
	g.Paces = []paceLine{{
		Figure: central.Figure{Draw: draw.Draw{Number: 95}, Alarm: true}, Worth: "2,1000", Share: "105,00",
		Sellers: []seller{{"3f2a000000000000", 7, 200, 0}, {"4f2a000000000000", 8, 100, 50}},
	}}
	g.Alarms = []int{95}
	return g
}

// proposalsInEachState is the page of the officer who proposed, and of another,
// with proposals of each act and each outcome.
func (o *operator) proposalsInEachState() (pages [2]proposalsPage) {
	o.t.Helper()
	second := o.second()
	r := httptest.NewRequest(http.MethodGet, pathProposals, nil)
	of := office{app: o.app}
	first, err := of.proposals(r, party.Officer{ID: o.officer}, nil)
	o.must(err)
	lines := first.Lines
	for i, c := range []central.Change{
		{Act: central.ActPostpone, Draws: []draw.ID{lines[8].ID}, Shift: time.Hour},
		{Act: central.ActClose, Draws: []draw.ID{lines[0].ID}},
		{Act: central.ActCancelDraw, Draws: []draw.ID{lines[1].ID, lines[2].ID, lines[3].ID, lines[5].ID}},
		{Act: central.ActExtendClaims, Game: "ile-au-tresor", From: game.NewDay(2027, 3, 5), To: game.NewDay(2027, 3, 6), Until: game.NewDay(2027, 3, 31)},
		{Act: central.ActPostpone, Draws: []draw.ID{lines[1].ID, lines[2].ID}, Shift: 90*time.Minute + time.Second},
		{Act: central.ActCancelDraw, Draws: []draw.ID{lines[0].ID}},
		{Act: central.ActExtendClaims, Game: "ile-au-tresor", From: game.NewDay(2027, 3, 5), To: game.NewDay(2027, 3, 5), Until: game.NewDay(2027, 3, 31)},
		{Act: central.ActMakeOfficer, Login: "anne"},
	} {
		c.Reason = "Panne du réseau <test>."
		p, err := o.sys.Propose(context.Background(), central.Propose{Key: fmt.Sprint("p", i), Officer: o.officer, Change: c})
		o.must(err)
		d := central.Decide{Key: fmt.Sprint("d", i), Officer: second.ID, Proposal: p.ID}
		switch i {
		case 0:
			_, err = o.sys.Approve(context.Background(), d)
		case 1:
			_, err = o.sys.Reject(context.Background(), d)
		case 2:
			d.Officer = o.officer
			_, err = o.sys.Reject(context.Background(), d)
		}
		o.must(err)
	}
	for i, id := range []string{o.officer, second.ID} {
		pages[i], err = of.proposals(r, party.Officer{ID: id}, nil)
		o.must(err)
	}
	return pages
}
