package terminal

import (
	"errors"
	"net/netip"
	"net/url"
	"testing"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/party"
	"tirage/settle"
	"tirage/wager"
	"tirage/web/page"
	"tirage/web/page/pagetest"
)

// framed is the frame of a page of the shop.
func framed(s seat, b page.Base, here string) frame {
	state := url.Values{"stake": {"200"}}
	return frame{
		Base: b, Outlet: s.outlet, Zone: s.zone, Account: central.Account{Owes: 123450, CreditLimit: 500000, Left: 376550},
		Menu: new(terminal).menu(here, state), Back: withState(pathDesk, state),
	}
}

// pageSamples are the pages beside the desk.
func pageSamples(t *testing.T, s seat) []pagetest.Sample {
	t.Helper()
	help := func(printer party.Printer) func(page.Base) any {
		return func(b page.Base) any {
			p := newHelpPage(framed(s, b, pathHelp), s.games)
			p.Printer = printer
			return p
		}
	}
	samples := []pagetest.Sample{
		{Name: "help", Page: "help", Data: help(party.Printer{})},
		{Name: "help, printer", Page: "help", Data: help(party.Printer{Address: netip.MustParseAddrPort("192.168.1.40:9100"), Auto: true})},
		{Name: "ticket to print", Page: "paper", Data: func(b page.Base) any {
			return paperPage{Base: b, Number: 1234567, Picture: "data:image/png;base64,AAAA", Width: 576, Height: 1200, Back: pathDesk}
		}},
		{Name: "reprint", Page: "paper", Data: func(b page.Base) any {
			return paperPage{Base: b, Number: 1234567, Copy: 2, Picture: "data:image/png;base64,AAAA", Width: 576, Height: 1200, Back: pathDesk}
		}},
		{Name: "who is paid", Page: "payee", Data: payees(s, nil)},
		{Name: "who is paid, refused", Page: "payee", Data: payees(s, &party.PayeeError{Faults: map[party.PayeeField]party.PayeeRule{party.PayeeName: party.PayeeLong, party.PayeeBorn: party.PayeeDate, party.PayeeAddress: party.PayeeMissing, party.PayeeDocument: party.PayeeSigns}})},
		{Name: "no message", Page: "notices", Data: func(b page.Base) any { return noticesPage{frame: framed(s, b, pathNotices)} }},
		{Name: "messages", Page: "notices", Data: func(b page.Base) any {
			n := central.Notice{FR: "Fermeture <exceptionnelle>", EN: "Closed", SentAt: game.NewDay(2027, 1, 4).At(0, s.zone)}
			return noticesPage{frame: framed(s, b, pathNotices), Notices: []noticeLine{{n, true}, {n, false}}}
		}},
		{Name: "account of a day", Page: "account", Data: accounts(s, func(p *accountPage) {
			p.addTill(new(terminal), central.Till{Vouchers: 5000, VouchersN: 1, Received: 10_000, Commission: 123})
			p.addRow(accountRow{Name: s.games[0].Name, Sold: 123_400, Counted: true, SoldN: 100})
			p.Before, p.After, p.Files = pathAccount, pathAccount, pathAccount
		})},
		{Name: "no shift", Page: "account", Data: accounts(s, func(p *accountPage) { p.Heading, p.None = "account.shift", true })},
		{Name: "no statement", Page: "account", Data: accounts(s, func(p *accountPage) { p.Heading, p.Listed = "account.statements", true })},
		{Name: "statements", Page: "account", Data: accounts(s, func(p *accountPage) {
			p.Heading, p.Listed = "account.statements", true
			p.Statements = []statementLine{
				{central.Statement{Record: 7, First: game.NewDay(2027, 1, 4), Last: game.NewDay(2027, 1, 10), Closing: 12_345, Debit: "sent"}, pathAccount + "/releve-7"},
				{central.Statement{Record: 5, Closing: -12, DebitOn: game.NewDay(2027, 1, 15)}, pathAccount + "/releve-5"},
				{central.Statement{Record: 3}, pathAccount + "/releve-3"},
			}
		})},
		{Name: "no results", Page: "results", Data: func(b page.Base) any {
			return resultsPage{frame: framed(s, b, pathResults), Rules: s.games[0]}
		}},
	}
	for _, r := range s.games {
		samples = append(samples, pagetest.Sample{Name: "results " + string(r.Code), Page: "results", Data: func(b page.Base) any {
			p := resultsPage{frame: framed(s, b, pathResults), Rules: r, Sets: setNames(r)}
			for _, g := range s.games {
				p.Games = append(p.Games, door{Rules: g, Logo: page.LogoOf(g.Code), Here: g == r, Address: pathResults, Next: g != r})
			}
			for i, d := range drawsOf(r, 5) {
				v := central.DrawView{Draw: d, State: draw.Certified, Result: resultOf(r), Times: 1 + i%2}
				if i != 1 {
					v.Settlement = &settle.Settlement{Shares: []settle.Share{{Tier: 0, Winners: 2, Units: 4, UnitValue: 100_000_00}, {Tier: 2, Winners: 1200, Units: 2000, UnitValue: 20_00}}}
				}
				x := drawnOf(r, v)
				if p.Latest == nil {
					p.Latest = &x
				} else {
					p.Others = append(p.Others, x)
				}
			}
			return p
		}})
	}
	return samples
}

// resultOf is a result: of each set the first elements that are not in the sets before it.
func resultOf(r *game.Rules) game.Result {
	var result game.Result
	next := map[int]int{}
	for _, set := range r.Sets {
		var list []int
		for range set.Count {
			next[set.Matrix]++
			list = append(list, next[set.Matrix])
		}
		result = append(result, list)
	}
	return result
}

// printings are a ticket in each state of its print.
func printings(sold ticket) []ticket {
	sold.Prints = true
	states := []printing{{}, {Unknown: true}, {Copy: 2}, {Trouble: "print.paper"}, {Trouble: "print.silent", Copy: 1}, {UnderWay: true}}
	list := make([]ticket, len(states))
	for i, state := range states {
		x := sold
		x.Number += wager.ID(i)
		x.Print, x.Printed, x.Network, x.Cancels = state, i > 0, i != 1, i < 4
		list[i] = x
	}
	return list
}

// payees is the page that asks who is paid.
func payees(s seat, refused error) func(page.Base) any {
	return func(b page.Base) any {
		p := payeePage{frame: framed(s, b, pathPay), Number: 1234567, Amount: 600_000, From: 500_000, Code: "0000-0D1N-9D47-DN2C-RQP5", Key: "key", State: []field{{"stake", "200"}}}
		if refused != nil {
			refusal := page.Describe(b.Lang, refused)
			p.Wrong, _ = errors.AsType[*party.PayeeError](refused)
			p.Refusal, p.Payee = &refusal, party.Payee{Name: "Anne \"><script>", BirthDate: "1980-02-29"}
		}
		return p
	}
}

// accounts is a page of accounts.
func accounts(s seat, fill func(*accountPage)) func(page.Base) any {
	return func(b page.Base) any {
		p := accountPage{frame: framed(s, b, pathAccount), Heading: "account.day", Span: "lundi", Tabs: []link{{Name: "account.day", Address: pathAccount, Key: "1", Here: true}}}
		fill(&p)
		return p
	}
}
