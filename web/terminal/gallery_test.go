package terminal

import (
	"testing"
	"time"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/money"
	"tirage/party"
	"tirage/settle"
	"tirage/wager"
	"tirage/web/page"
	"tirage/web/page/pagetest"
)

func rules(t *testing.T) *game.Rules {
	t.Helper()
	book, err := game.Book("ile-au-tresor")
	if err != nil {
		t.Fatal(err)
	}
	r, err := game.Parse("ile-au-tresor.yaml", book)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestGallery(t *testing.T) {
	t.Parallel()
	r := rules(t)
	at := time.Date(2027, 1, 4, 10, 53, 0, 0, time.UTC)
	var draws []draw.Draw
	for i := range 6 {
		drawsAt := time.Date(2027, 1, 4, 11, 5*i, 0, 0, time.UTC)
		draws = append(draws, draw.Draw{
			ID: draw.ID(i + 1), Game: r.Code, Day: game.NewDay(2027, 1, 4), Number: 95 + i, Session: 95,
			OpensAt: at.Add(-time.Hour), ClosesAt: drawsAt.Add(-20 * time.Second), DrawsAt: drawsAt,
		})
	}
	s := seat{
		outlet: party.Outlet{ID: "0011223344556677", Number: 214, Territory: "metropole", Zone: "Europe/Paris"},
		zone:   page.ParisZone(), rules: r,
	}
	views := make([]central.DrawView, len(draws))
	for i, d := range draws {
		views[i].Draw = d
	}
	status := central.Status{At: at, Upcoming: views}
	full := slip{key: "k1", picks: game.Picks{{1, 4, 9, 12, 16, 19, 21}, {2}}, stake: 400, draws: 3}
	part := slip{key: "k2", picks: game.Picks{{3, 5}, nil}, flash: true, stake: 200, draws: 1}
	sold := ticket{
		Ticket: wager.Ticket{
			Number: 1234567, PlacedAt: at, Outlet: s.outlet.ID, Rules: r, Stake: 400, Units: 2, Asked: 6, Draws: draws[:3], Price: 1200,
			Plays: []wager.Play{{Picks: full.picks}},
		},
		Zone: s.zone, Outlet: 214, Code: "0000-0D1N-9D47-DN2C-RQP5", Days: []game.Day{draws[0].Day}, Chosen: chosenOf(r, full.picks, false),
		Cancels: true, IsCut: true, State: []field{{"slip", full.String()}}, CommandKey: "c",
	}
	for n, e := range r.Matrices[0].Elements {
		place, err := page.SpotOf(e.Key)
		if err != nil {
			t.Fatal(err)
		}
		sold.Spots = append(sold.Spots, spot{place, n%3 == 0})
	}

	desk := func(draft slip, slips []slip, status central.Status, open []draw.Draw, more func(*deskPage)) func(page.Base) any {
		return func(b page.Base) any {
			p := deskPage{
				Base: b, Outlet: s.outlet, Zone: s.zone, Account: central.Account{Owes: 123450, CreditLimit: 500000, Left: 376550},
				Rules: r, Sales: salesOf(s, status, open, draft.draws), Key: "key", Matrices: matrices(r, draft),
			}
			d := desk{draft, slips}
			p.Stakes, p.Draws = choices(b.Lang, r, draft, len(p.Sales.Upcoming))
			p.Slips, p.Total = lines(s, d, open, status.At, map[string]page.Refusal{"k2": page.Describe(b.Lang, wager.ErrCapped)})
			p.State = []field{{"stake", "400"}}
			if more != nil {
				more(&p)
			}
			return p
		}
	}
	blank := slip{picks: make(game.Picks, 2)}
	answered := func(verdict string, a settle.Answer, cancelled time.Time, paid money.Amount) func(page.Base) any {
		return desk(blank, nil, status, draws, func(p *deskPage) {
			p.Check = &check{ticket: sold, Answer: a, CancelledAt: cancelled, JustPaid: paid, Verdict: verdict}
		})
	}
	prize := func(amount money.Amount, state draw.State, tier string) []settle.Prize {
		return []settle.Prize{{Draw: draws[0], State: state, Known: state == draw.Certified, Tier: 4, TierName: tier, Amount: amount}}
	}
	until := game.NewDay(2027, 3, 5)
	samples := []pagetest.Sample{
		{Name: "sign on", Page: "signon", Data: func(b page.Base) any { return signOnPage{Base: b, Action: pathSignOn} }},
		{Name: "sign on refused", Page: "signon", Data: func(b page.Base) any {
			return signOnPage{Base: b, Action: pathSignOn + "?stake=200", Kept: true, Refusal: page.Describe(b.Lang, central.ErrSignOn).Sentence}
		}},
		{Name: "empty", Page: "desk", Data: desk(blank, nil, status, draws, nil)},
		{Name: "basket", Page: "desk", Data: desk(full, []slip{full, part}, status, draws, nil)},
		{Name: "end of session", Page: "desk", Data: desk(full, []slip{full}, status, draws[:1], nil)},
		{Name: "no draw", Page: "desk", Data: desk(full, []slip{full}, central.Status{At: at, NextOpensAt: at.Add(time.Hour)}, nil, nil)},
		{Name: "nothing planned", Page: "desk", Data: desk(blank, nil, central.Status{At: at}, nil, nil)},
		{Name: "stopped", Page: "desk", Data: desk(blank, nil, central.Status{At: at, Stopped: true}, nil, nil)},
		{Name: "refused", Page: "desk", Data: desk(part, nil, status, draws, func(p *deskPage) {
			refusal := page.Describe(p.Lang, wager.ErrStakeNotMarked)
			p.Refusal, p.CheckRefusal, p.Code = &refusal, &refusal, `"><script>alert(1)</script>`
			p.markFault(r, part, refusal.Code)
		})},
		{Name: "sold", Page: "desk", Data: desk(blank, nil, status, draws, func(p *deskPage) { p.Tickets, p.Price = []ticket{sold}, 1200 })},
		{Name: "cancelled now", Page: "desk", Data: desk(blank, nil, status, draws, func(p *deskPage) { p.Undone = &sold })},
		{Name: "won", Page: "desk", Data: answered("won", settle.Answer{Standing: settle.Won, Prizes: prize(10000, draw.Certified, "5+1"), Total: 10000, Payable: 10000, Waiting: 2, ClaimUntil: until}, time.Time{}, 0)},
		{Name: "won, tomorrow", Page: "desk", Data: answered("won", settle.Answer{Standing: settle.Won, Prizes: prize(4000000, draw.Certified, "7+1"), Total: 4000000, PayableFrom: at.Add(18 * time.Hour), ClaimUntil: until}, time.Time{}, 0)},
		{Name: "expired", Page: "desk", Data: answered("won", settle.Answer{Standing: settle.Won, Prizes: prize(10000, draw.Certified, "5+1"), Total: 10000, ClaimUntil: until, Expired: true}, time.Time{}, 0)},
		{Name: "paid now", Page: "desk", Data: answered("paid", settle.Answer{Standing: settle.Won, Prizes: prize(10000, draw.Certified, "5+1"), Total: 10000, Paid: 10000, ClaimUntil: until}, time.Time{}, 10000)},
		{Name: "paid before", Page: "desk", Data: answered("paid", settle.Answer{Standing: settle.Won, Prizes: prize(10000, draw.Certified, "5+1"), Total: 10000, Paid: 10000, ClaimUntil: until}, time.Time{}, 0)},
		{Name: "paid again", Page: "desk", Data: desk(blank, nil, status, draws, func(p *deskPage) {
			p.Check = &check{ticket: sold, Answer: settle.Answer{Standing: settle.Won, Prizes: prize(10000, draw.Certified, "5+1"), Total: 10000, Paid: 10000, ClaimUntil: until}, Again: at, Verdict: "again"}
		})},
		{Name: "lost", Page: "desk", Data: answered("lost", settle.Answer{Standing: settle.Lost, Prizes: prize(0, draw.Certified, ""), ClaimUntil: until}, time.Time{}, 0)},
		{Name: "give back", Page: "desk", Data: answered("give-back", settle.Answer{Standing: settle.GiveBack, Prizes: prize(0, draw.Cancelled, ""), Back: 400, ClaimUntil: until}, time.Time{}, 0)},
		{Name: "cancelled", Page: "desk", Data: answered("cancelled", settle.Answer{Standing: settle.Pending, Prizes: prize(0, draw.Selling, ""), Waiting: 1, ClaimUntil: until}, at, 0)},
	}
	for state := draw.Planned; state <= draw.Cancelled; state++ {
		samples = append(samples, pagetest.Sample{Name: "pending " + state.String(), Page: "desk", Data: answered("pending", settle.Answer{Standing: settle.Pending, Prizes: prize(0, state, ""), Waiting: 1, ClaimUntil: until}, time.Time{}, 0)})
	}
	pagetest.Gallery(t, face, "desk.title", samples)
}
