package terminal

import (
	"os"
	"path/filepath"
	"slices"
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

func rules(t *testing.T, code game.Code) *game.Rules {
	t.Helper()
	book, err := game.Book(code)
	if err != nil {
		t.Fatal(err)
	}
	r, err := game.Parse(string(code)+".yaml", book)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// plain are books that no terminal was drawn for: their matrices are grids and columns.
func plain(t *testing.T) []*game.Rules {
	t.Helper()
	var list []*game.Rules
	files, err := filepath.Glob("../../game/testdata/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := game.Parse(file, b); err == nil && len(r.Stakes) > 0 {
			list = append(list, r)
		}
	}
	return list
}

func TestGallery(t *testing.T) {
	t.Parallel()
	r, amigo := rules(t, "ile-au-tresor"), rules(t, "amigo")
	games := []*game.Rules{amigo, r}
	at := time.Date(2027, 1, 4, 10, 53, 0, 0, time.UTC)
	draws := drawsOf(r, 6)
	s := seat{
		outlet: party.Outlet{ID: "0011223344556677", Number: 214, Territory: "metropole", Zone: "Europe/Paris"},
		zone:   page.ParisZone(), games: games,
	}
	open := func(draws []draw.Draw) central.Status {
		return central.Status{At: at, Open: slices.Clone(draws)}
	}
	status := open(draws)
	full := slip{key: "k1", rules: r, boards: []wager.Board{{Picks: game.Picks{{1, 4, 9, 12, 16, 19, 21}, {2}}}}, stake: 400, draws: 3}
	part := slip{key: "k2", rules: r, boards: []wager.Board{{Picks: game.Picks{{3, 5}, nil}, QuickPick: true}}, stake: 200, draws: 1}
	sold := ticket{
		Ticket: wager.Ticket{
			Number: 1234567, PlacedAt: at, Outlet: s.outlet.ID, Rules: r, Stake: 400, Units: 2, Asked: 6, Draws: draws[:3], Price: 1200,
			Plays: []wager.Play{{Picks: full.boards[0].Picks}},
		},
		Zone: s.zone, Outlet: 214, Code: "0000-0D1N-9D47-DN2C-RQP5", Logo: "logo-ile-au-tresor", Days: []game.Day{draws[0].Day}, Played: []played{playedOf(r, 1, full.boards[0], 1)},
		Cancels: true, IsCut: true, State: []field{{"slip", full.String()}}, CommandKey: "c",
	}
	for n, e := range r.Matrices[0].Elements {
		place, err := page.SpotOf(e.Key)
		if err != nil {
			t.Fatal(err)
		}
		sold.Spots = append(sold.Spots, spot{place, n%3 == 0})
	}

	deskOf := func(d desk, status central.Status, notes func(page.Lang) remarks, more func(*deskPage)) func(page.Base) any {
		return func(b page.Base) any {
			p := deskPage{
				Base: b, Outlet: s.outlet, Zone: s.zone, Account: central.Account{Owes: 123450, CreditLimit: 500000, Left: 376550},
				Rules: d.rules, Key: "key", Menu: new(terminal).menu(pathDesk, d.values()),
			}
			said := remarks{slips: map[string]page.Refusal{"k2": page.Describe(b.Lang, wager.ErrCapped)}}
			if notes != nil {
				said = notes(b.Lang)
			}
			p.Refusal, p.CheckRefusal, p.Code = said.draft, said.check, said.code
			p.fill(s, d, map[game.Code]central.Status{r.Code: status, amigo.Code: status, d.rules.Code: status}, said)
			if more != nil {
				more(&p)
			}
			return p
		}
	}
	desk := func(draft slip, slips []slip, status central.Status, more func(*deskPage)) func(page.Base) any {
		d := newDesk(games, r)
		d.draft.stake, d.draft.draws, d.slips = draft.stake, draft.draws, slips
		if len(draft.boards) > 0 {
			d.picks = draft.boards[0].Picks
		}
		return deskOf(d, status, nil, more)
	}
	blank := slip{rules: r}
	answeredBy := func(sold ticket, verdict string, a settle.Answer, cancelled time.Time, paid money.Amount) func(page.Base) any {
		return desk(blank, nil, status, func(p *deskPage) {
			p.Check = &check{ticket: sold, Answer: a, CancelledAt: cancelled, JustPaid: paid, Verdict: verdict}
		})
	}
	answered := func(verdict string, a settle.Answer, cancelled time.Time, paid money.Amount) func(page.Base) any {
		return answeredBy(sold, verdict, a, cancelled, paid)
	}
	prize := func(amount money.Amount, state draw.State, tier string) []settle.Prize {
		p := settle.Prize{Draw: draws[0], State: state, Known: state == draw.Certified, Tier: 4, TierName: tier, Amount: amount}
		if tier != "" {
			p.Wins = []settle.Win{{TierName: tier, Combinations: 1}}
		}
		return []settle.Prize{p}
	}
	until := game.NewDay(2027, 3, 5)
	samples := []pagetest.Sample{
		{Name: "sign on", Page: "signon", Data: func(b page.Base) any { return signOnPage{Base: b, Action: pathSignOn} }},
		{Name: "sign on refused", Page: "signon", Data: func(b page.Base) any {
			return signOnPage{Base: b, Action: pathSignOn + "?stake=200", Kept: true, Refusal: page.Describe(b.Lang, central.ErrSignOn).Sentence}
		}},
		{Name: "empty", Page: "desk", Data: desk(blank, nil, status, nil)},
		{Name: "vouchers", Page: "voucher", Data: vouchers(s, nil, nil, printing{})},
		{Name: "voucher sold", Page: "voucher", Data: vouchers(s, nil, &central.Voucher{Number: 1234567, Amount: 5000, SoldAt: at}, printing{Number: 1})},
		{Name: "voucher sold last", Page: "voucher", Data: vouchers(s, nil, &central.Voucher{Number: 1234567, Amount: 5000, SoldAt: at}, printing{})},
		{Name: "voucher under way", Page: "voucher", Data: vouchers(s, nil, &central.Voucher{Number: 1234567, Amount: 5000, SoldAt: at}, printing{UnderWay: true})},
		{Name: "voucher not printed", Page: "voucher", Data: vouchers(s, nil, &central.Voucher{Number: 1234567, Amount: 5000, SoldAt: at}, printing{Trouble: "print.paper"})},
		{Name: "voucher reprinted", Page: "voucher", Data: vouchers(s, nil, &central.Voucher{Number: 1234567, Amount: 5000, SoldAt: at}, printing{Number: 1, Copy: 1})},
		{Name: "voucher refused", Page: "voucher", Data: vouchers(s, party.ErrBlocked, nil, printing{})},
		{Name: "no vouchers", Page: "voucher", Data: func(b page.Base) any {
			return voucherPage{frame: framed(s, b, pathVoucher), Action: pathVoucher}
		}},
		{Name: "basket", Page: "desk", Data: desk(full, []slip{full, part}, status, nil)},
		{Name: "end of session", Page: "desk", Data: desk(full, []slip{full}, open(draws[:1]), nil)},
		{Name: "no draw", Page: "desk", Data: desk(full, []slip{full}, central.Status{At: at, NextOpensAt: at.Add(time.Hour)}, nil)},
		{Name: "nothing planned", Page: "desk", Data: desk(blank, nil, central.Status{At: at}, nil)},
		{Name: "stopped", Page: "desk", Data: desk(blank, nil, central.Status{At: at, Stopped: true}, nil)},
		{Name: "refused", Page: "desk", Data: deskOf(partly(games, r, part), status, func(l page.Lang) remarks {
			refusal := page.Describe(l, wager.ErrStakeNotMarked)
			return remarks{draft: &refusal, err: wager.ErrStakeNotMarked, check: &refusal, code: `"><script>alert(1)</script>`}
		}, nil)},
		{Name: "sold", Page: "desk", Data: desk(blank, nil, status, func(p *deskPage) { p.Tickets, p.Price = []ticket{sold}, 1200 })},
		{Name: "given up", Page: "desk", Data: desk(full, []slip{full}, status, func(p *deskPage) { p.Line = lineOf(0, 1) })},
		{Name: "given up, sold", Page: "desk", Data: desk(blank, nil, status, func(p *deskPage) { p.Tickets, p.Price, p.Line = []ticket{sold}, 1200, lineOf(1, 1) })},
		{Name: "given up, some sold", Page: "desk", Data: desk(blank, []slip{full}, status, func(p *deskPage) { p.Tickets, p.Price, p.Line = []ticket{sold}, 1200, lineOf(1, 2) })},
		{Name: "to print", Page: "desk", Data: desk(blank, nil, status, func(p *deskPage) { p.Tickets, p.Price = printings(sold), 6000 })},
		{Name: "late", Page: "desk", Data: desk(blank, nil, status, func(p *deskPage) { p.Late = printings(sold)[3:] })},
		{Name: "cancelled now", Page: "desk", Data: desk(blank, nil, status, func(p *deskPage) { p.Undone = &sold })},
		{Name: "won", Page: "desk", Data: answered("won", settle.Answer{Standing: settle.Won, Prizes: prize(10000, draw.Certified, "5+1"), Total: 10000, Payable: 10000, Waiting: 2, ClaimUntil: until}, time.Time{}, 0)},
		{Name: "won, tomorrow", Page: "desk", Data: answered("won", settle.Answer{Standing: settle.Won, Prizes: prize(4000000, draw.Certified, "7+1"), Total: 4000000, PayableFrom: at.Add(18 * time.Hour), ClaimUntil: until}, time.Time{}, 0)},
		{Name: "expired", Page: "desk", Data: answered("won", settle.Answer{Standing: settle.Won, Prizes: prize(10000, draw.Certified, "5+1"), Total: 10000, ClaimUntil: until, Expired: true}, time.Time{}, 0)},
		{Name: "paid now", Page: "desk", Data: answered("paid", settle.Answer{Standing: settle.Won, Prizes: prize(10000, draw.Certified, "5+1"), Total: 10000, Paid: 10000, ClaimUntil: until}, time.Time{}, 10000)},
		{Name: "paid before", Page: "desk", Data: answered("paid", settle.Answer{Standing: settle.Won, Prizes: prize(10000, draw.Certified, "5+1"), Total: 10000, Paid: 10000, ClaimUntil: until}, time.Time{}, 0)},
		{Name: "paid again", Page: "desk", Data: desk(blank, nil, status, func(p *deskPage) {
			p.Check = &check{ticket: sold, Answer: settle.Answer{Standing: settle.Won, Prizes: prize(10000, draw.Certified, "5+1"), Total: 10000, Paid: 10000, ClaimUntil: until}, JustPaid: 10000, Again: at, Verdict: "again"}
		})},
		{Name: "paid again another day", Page: "desk", Data: desk(blank, nil, status, func(p *deskPage) {
			p.Check = &check{ticket: sold, Answer: settle.Answer{Standing: settle.Won, Prizes: prize(10000, draw.Certified, "5+1"), Total: 10000, Paid: 10000, ClaimUntil: until}, JustPaid: 10000, Again: at, AgainDay: true, Verdict: "again", Payments: []paidAt{{at, 75, true, 10000}}}
		})},
		{Name: "cancelled again", Page: "desk", Data: desk(blank, nil, status, func(p *deskPage) { p.Undone, p.Again = &sold, at })},
		{Name: "cancelled another day", Page: "desk", Data: desk(blank, nil, status, func(p *deskPage) { p.Undone, p.Again, p.AgainDay = &sold, at, true })},
		{Name: "given up, a payment", Page: "desk", Data: desk(blank, nil, status, func(p *deskPage) { p.Line = "line.nothing" })},
		{Name: "stopped", Page: "desk", Data: answered("stopped", settle.Answer{Standing: settle.Won, Prizes: prize(10000, draw.Certified, "5+1"), Total: 10000, Payable: 10000, ClaimUntil: until}, time.Time{}, 0)},
		{Name: "above the sum", Page: "desk", Data: desk(blank, nil, status, func(p *deskPage) {
			p.Check = &check{ticket: sold, Answer: settle.Answer{Standing: settle.Won, Prizes: prize(60000, draw.Certified, "5+1"), Total: 60000, CentreOnly: true, ClaimUntil: until}, Max: 50000, Verdict: "won"}
		})},
		{Name: "paid elsewhere", Page: "desk", Data: desk(blank, nil, status, func(p *deskPage) {
			p.Check = &check{ticket: sold, Answer: settle.Answer{Standing: settle.Won, Prizes: prize(10000, draw.Certified, "5+1"), Total: 10000, Paid: 10000, ClaimUntil: until}, Payments: []paidAt{{at, 75, false, 10000}}, Verdict: "paid"}
		})},
		{Name: "lost", Page: "desk", Data: answered("lost", settle.Answer{Standing: settle.Lost, Prizes: prize(0, draw.Certified, ""), ClaimUntil: until}, time.Time{}, 0)},
		{Name: "give back", Page: "desk", Data: answered("give-back", settle.Answer{Standing: settle.GiveBack, Prizes: prize(0, draw.Cancelled, ""), Back: 400, Payable: 400, ClaimUntil: until, BackUntil: until}, time.Time{}, 0)},
		{Name: "given back", Page: "desk", Data: answered("back", settle.Answer{Standing: settle.GiveBack, Prizes: prize(0, draw.Cancelled, ""), Back: 400, BackPaid: 400, ClaimUntil: until, BackUntil: until}, time.Time{}, 400)},
		{Name: "cancelled", Page: "desk", Data: answered("cancelled", settle.Answer{Standing: settle.Pending, Prizes: prize(0, draw.Selling, ""), Waiting: 1, ClaimUntil: until}, at, 0)},
	}
	for state := draw.Planned; state <= draw.Cancelled; state++ {
		samples = append(samples, pagetest.Sample{Name: "pending " + state.String(), Page: "desk", Data: answered("pending", settle.Answer{Standing: settle.Pending, Prizes: prize(0, state, ""), Waiting: 1, ClaimUntil: until}, time.Time{}, 0)})
	}
	samples = append(samples, pageSamples(t, s)...)
	samples = append(samples, trainingSamples(s)...)
	samples = append(samples, scanSamples(t, s)...)
	samples = append(samples, amigoSamples(t, s, amigo, deskOf, answeredBy)...)
	for _, book := range plain(t) {
		d := newDesk([]*game.Rules{book, r}, book)
		samples = append(samples, pagetest.Sample{Name: "plain " + string(book.Code), Page: "desk", Data: deskOf(d, open(drawsOf(book, 3)), nil, nil)})
	}
	pagetest.Gallery(t, face, "desk.title", samples)
}

// vouchers is the page that sells vouchers.
func vouchers(s seat, refused error, sold *central.Voucher, just printing) func(page.Base) any {
	return func(b page.Base) any {
		p := voucherPage{
			frame: framed(s, b, pathVoucher), Key: "key",
			Amounts: []money.Amount{1000, 2000, 5000, 10000}, Action: pathVoucher + "?slip=1",
		}
		if refused != nil {
			refusal := page.Describe(b.Lang, refused)
			p.Refusal = &refusal
		}
		if sold != nil {
			p.Just = !just.over() || just.Number > 0
			p.Sold = &voucher{Voucher: *sold, Zone: s.zone, Outlet: 214, Code: "0000-0D1N-9D47-DN2C-RQP5", Action: pathVouchers, Printed: just.Copy > 0 || !just.over(), Printing: just, CommandKey: "key"}
		}
		return p
	}
}

// drawsOf are n draws of a game on a Monday, from noon on.
func drawsOf(r *game.Rules, n int) []draw.Draw {
	var list []draw.Draw
	for i := range n {
		drawsAt := time.Date(2027, 1, 4, 11, 5*i, 0, 0, time.UTC)
		list = append(list, draw.Draw{
			ID: draw.ID(i + 1), Game: r.Code, Day: game.NewDay(2027, 1, 4), Number: 95 + i, Session: 95,
			OpensAt: drawsAt.Add(-2 * time.Hour), ClosesAt: drawsAt.Add(-20 * time.Second), DrawsAt: drawsAt,
		})
	}
	return list
}

func partly(games []*game.Rules, r *game.Rules, s slip) desk {
	d := newDesk(games, r)
	d.draft.draws, d.picks = s.draws, s.boards[0].Picks
	return d
}

// nine is a combination of Amigo.
var nine = []int{1, 6, 11, 16, 21, 26, 31, 36, 41}

// amigoSamples are the pages of Amigo: boards, prices, refusals, tickets and their prizes.
func amigoSamples(t *testing.T, s seat, r *game.Rules,
	deskOf func(desk, central.Status, func(page.Lang) remarks, func(*deskPage)) func(page.Base) any,
	answered func(ticket, string, settle.Answer, time.Time, money.Amount) func(page.Base) any,
) []pagetest.Sample {
	t.Helper()
	at := time.Date(2027, 1, 4, 10, 53, 0, 0, time.UTC)
	draws := draw.Plan(r, game.NewDay(2027, 1, 4))[94:100]
	status := central.Status{At: at, Jackpot: 25_000_000, JackpotKnown: true}
	status.Open = draws
	multiple := wager.Board{Picks: game.Picks{{1, 2, 6, 7, 11, 16, 21, 26, 31, 36, 41}, {3, 4}}}
	flash := wager.Board{Picks: make(game.Picks, 2), QuickPick: true, Shape: game.Shape{Extras: 2, Columns: 1}, Also: 2}
	blank := newDesk(s.games, r)
	marked := newDesk(s.games, r)
	marked.picks, marked.draft.stake, marked.draft.draws = multiple.Picks, 200, 5
	marked.slips = []slip{{key: "a", rules: r, boards: []wager.Board{multiple, flash}, stake: 200, draws: 2}, {key: "i", rules: s.games[1], boards: []wager.Board{{Picks: make(game.Picks, 2), QuickPick: true}}, stake: 400, draws: 2}}
	marked.draft.boards = []wager.Board{{Picks: game.Picks{nine, {1}}}, flash}
	dear := marked
	dear.draft.draws, dear.draft.key = 20, "dear"
	refused := func(d desk) func(page.Lang) remarks {
		_, err := wager.New(r, d.whole(false).wager())
		if err == nil {
			t.Error("a sample is not refused")
		}
		return func(l page.Lang) remarks {
			refusal := page.Describe(l, err)
			return remarks{draft: &refusal, err: err}
		}
	}
	uneven := blank
	uneven.draft.stake, uneven.draft.draws = 200, 1
	uneven.picks = game.Picks{{1, 2, 3, 6, 7, 11, 16, 21, 26, 31, 36, 41}, {3}}
	sold := ticket{
		Ticket: wager.Ticket{
			Number: 7654321, PlacedAt: at, Outlet: s.outlet.ID, Rules: r, Stake: 200, Units: 1, Asked: 1, Draws: draws[:1], Price: 1800, Jackpot: 25_000_000,
			Plays: []wager.Play{{Picks: multiple.Picks, Combinations: make([]game.Combination, 8)}, {Picks: game.Picks{nine, {1}}, Combinations: make([]game.Combination, 1)}},
		},
		Zone: s.zone, Outlet: 214, Code: "0000-0D1N-9D47-DN2C-RQP5", Logo: page.LogoOf(r.Code), Days: []game.Day{draws[0].Day}, CommandKey: "c", Cancels: true,
		Played: []played{playedOf(r, 1, multiple, 8), playedOf(r, 2, wager.Board{Picks: game.Picks{nine, {1}}}, 1)},
	}
	several := sold
	several.Number, several.Draws, several.Jackpot, several.Price = 7654322, draws[:2], 0, 3600
	until := game.NewDay(2027, 3, 5)
	prizes := []settle.Prize{
		{Draw: draws[0], State: draw.Certified, Known: true, Tier: 1, TierName: "9", Amount: 17_760_000, Centre: true, Wins: []settle.Win{{TierName: "9", Combinations: 2}, {TierName: "8", Combinations: 16}, {TierName: "7", Combinations: 32}}},
		{Draw: draws[1], State: draw.Cancelled, Tier: -1, Back: 1800},
		{Draw: draws[2], State: draw.Postponed, Tier: -1},
	}
	return []pagetest.Sample{
		{Name: "amigo", Page: "desk", Data: deskOf(blank, status, nil, nil)},
		{Name: "amigo marked", Page: "desk", Data: deskOf(marked, status, nil, nil)},
		{Name: "amigo too dear", Page: "desk", Data: deskOf(dear, status, refused(dear), nil)},
		{Name: "amigo uneven", Page: "desk", Data: deskOf(uneven, status, refused(uneven), nil)},
		{Name: "amigo sold", Page: "desk", Data: deskOf(blank, status, nil, func(p *deskPage) { p.Tickets, p.Price = []ticket{sold, several}, 5400 })},
		{Name: "amigo won", Page: "desk", Data: answered(several, "won", settle.Answer{
			Standing: settle.Won, Prizes: prizes, Total: 17_760_000, Back: 1800, Payable: 1800, Waiting: 1, CentreOnly: true, ClaimUntil: until, BackUntil: until,
		}, time.Time{}, 0)},
	}
}
