package office

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"

	"tirage/central"
	"tirage/game"
	"tirage/money"
	"tirage/party"
	"tirage/web/page"
	"tirage/web/page/pagetest"
)

// accountSamples are the pages of outlets' accounts in each state; the outlets have statements.
func (o *operator) accountSamples(r *http.Request, framed frames) []pagetest.Sample {
	o.t.Helper()
	ctx := context.Background()
	of := office{app: o.app}
	outlet := o.sys.Outlets()[0]
	list, err := o.sys.Statements(ctx, outlet.ID, 1)
	o.must(err)
	page7, err := of.outlets(r, "7")
	o.must(err)
	all, err := of.outlets(r, "")
	o.must(err)
	st := list[0]
	days, err := of.days(r, outlet, st.First, st.Last)
	o.must(err)
	names := map[game.Code]game.Text{"ile-au-tresor": {FR: "<L’Ile>"}}
	due, err := o.sys.DebitsDue(ctx)
	o.must(err)
	tickets, err := o.sys.Tickets(ctx, outlet.ID, morning, morning.AddDate(0, 0, 1), 3)
	o.must(err)
	return append([]pagetest.Sample{
		{Name: "outlets with each state of a statement", Page: "outlets", Data: func(b page.Base) any {
			p := all
			p.frame, p.Lines = framed(b, pathOutlets), nil
			p.Pages, p.Find, p.Fault, p.Refusal = pages{101, 103, 203, "/office/points-de-vente?page=1", "/office/points-de-vente?page=3"}, "<9>", "find", "Non."
			for _, state := range []string{"none", "settled", "unpaid", "sent", "paid", "returned", ""} {
				line := all.Lines[0]
				line.State, line.Blocked, line.Cause, line.Ratio = state, state == "returned", party.Unpaid, shareOf(3, int64(len(p.Lines)))
				if state == "" {
					line.Last = nil
				}
				p.Lines = append(p.Lines, line)
			}
			return p
		}},
		{Name: "an outlet with all", Page: "outlet", Data: func(b page.Base) any {
			p := page7
			p.frame, p.Notice, p.Device = framed(b, pathOutlets), "Oui.", "KEY"
			p.About.Mandate = &mandateView{ID: "RUM", Holder: "<b>", IBAN: maskIBAN("FR1420041010050500013M02606"), BIC: "PSSTFRPPPAR", SignedOn: 20_000}
			p.About.Notices = []central.Notice{{FR: "<Fermé>", EN: "<Closed>"}}
			p.About.Steps = slices.Repeat(p.About.Steps, 2)
			p.About.Steps[0].Who, p.About.Steps[0].Reason, p.About.Steps[0].Outlet.Blocked, p.About.Steps[0].Outlet.Cause = "", "<Motif>", true, party.Unpaid
			return p
		}},
		{Name: "an outlet, mandate refused", Page: "outlet", Data: func(b page.Base) any {
			p := page7
			p.frame, p.Refusal, p.Fault, p.Typed.Mandate = framed(b, pathOutlets), "Non.", "iban", mandateForm{"<r>", "<h>", "<i>", "<b>", "2027-01-02"}
			return p
		}},
		{Name: "an outlet, block refused", Page: "outlet", Data: func(b page.Base) any {
			p := page7
			p.frame, p.Refusal, p.Fault, p.About.Statements = framed(b, pathOutlets), "Non.", "reason", nil
			return p
		}},
		{Name: "an outlet, payment to it refused", Page: "outlet", Data: func(b page.Base) any {
			p := page7
			p.frame, p.Refusal, p.Fault, p.Typed.PaidOut, p.Typed.PayReason = framed(b, pathOutlets), "Non.", "payreason", "<5>", "<b>"
			p.About.Waiting = []central.Proposal{{ID: 9, Change: central.Change{Act: central.ActPayOutlet, Amount: money.Euros(30)}}}
			return p
		}},
		{Name: "an outlet, a limit that takes two officers", Page: "outlet", Data: func(b page.Base) any {
			p := page7
			p.frame, p.Refusal, p.Fault, p.Raises, p.Alone = framed(b, pathOutlets), "Non.", "limit", true, money.Euros(10_000)
			p.Typed.Limit, p.Typed.Raised = "<12000>", "<12000>"
			p.About.Waiting = []central.Proposal{{ID: 9, Change: central.Change{Act: central.ActRaiseLimit, Amount: money.Euros(30)}}}
			return p
		}},
		{Name: "a statement", Page: "statement", Data: func(b page.Base) any {
			p := statementPage{frame: framed(b, pathOutlets), Statement: st, State: "sent", Sums: sumsOf(st), Names: names, Days: days}
			p.Debited, p.Returned = 500, 500
			return p
		}},
		{Name: "a statement of nothing, without terms", Page: "statement", Data: func(b page.Base) any {
			p := statementPage{frame: framed(b, pathOutlets), Statement: st, State: "none"}
			p.Terms, p.DebitOn, p.BlockOn, p.Lines = nil, 0, 0, nil
			return p
		}},
		{Name: "a day", Page: "day", Data: func(b page.Base) any {
			p := dayPage{frame: framed(b, pathOutlets), Outlet: outlet, Day: st.First, Before: st.First - 1, After: st.First + 1, Till: days[0], Names: names, More: true}
			for _, x := range tickets {
				p.Lines = append(p.Lines, of.ticketLine(x))
			}
			p.Acts = []actLine{{central.DayAct{Record: 5, At: morning, Ticket: 4, Amount: 200}, "/office/recus/4"}, {central.DayAct{Record: 3, At: morning, Ticket: 2, Amount: 200, Cancelled: true}, "/office/recus/2"}}
			return p
		}},
		{Name: "a day of nothing", Page: "day", Data: func(b page.Base) any {
			return dayPage{frame: framed(b, pathOutlets), Outlet: outlet, Day: 20_000}
		}},
	}, o.listSamples(framed, st, due)...)
}

// listSamples are the pages of direct debits, reports, messages and terms in each state.
func (o *operator) listSamples(framed frames, st central.Statement, due []central.DebitDue) []pagetest.Sample {
	of := office{app: o.app}
	blocked := st
	blocked.Outlet.Blocked, blocked.Outlet.Cause = true, party.Unpaid
	file := debitFilePage{Record: 9, SentAt: morning, Sum: 1500, Open: []uint64{st.Record}, Left: 500, Key: "k", TickKey: "l"}
	for _, x := range []debitLine{{central.Debit{Statement: st, State: "sent", Amount: 500}, true}, {central.Debit{Statement: st, State: "paid", Amount: 500}, false}, {central.Debit{Statement: blocked, State: "returned", Amount: 500}, false}} {
		x.Statement.Record += uint64(len(file.Lines))
		file.Lines = append(file.Lines, x)
	}
	report := func(name string, b page.Base) reportsPage {
		p, err := of.report(newGet(pathReports + "?rapport=" + name + "&de=2027-01-04&a=2027-01-10&tri=sold&sens=montant"))
		o.must(err)
		p.frame = framed(b, pathReports)
		return p
	}
	return []pagetest.Sample{
		{Name: "direct debits", Page: "debits", Data: func(b page.Base) any {
			return debitsPage{
				frame: framed(b, pathDebits), Due: []dueLine{{due[0], false}, {central.DebitDue{Statement: 8, Outlet: due[1].Outlet, Amount: 500, Mandate: true}, true}}, Sum: 500,
				Files: []central.DebitFileSums{{Record: 9, SentAt: morning, Count: 2, Sum: 1000, Open: 1, Left: 500}, {Record: 8, SentAt: morning, Count: 1, Sum: 500}}, Pages: pages{1, 2, 3, "", "/office/prelevements?page=2"},
				DuePages: pages{1, 2, 3, "", "/office/prelevements?releves=2"}, Send: pathDebits, Key: "k", Notice: "Oui.", File: 9, Refusal: refusal{formSend, "", "Non."},
			}
		}},
		{Name: "a file of direct debits", Page: "debitfile", Data: func(b page.Base) any {
			p := file
			p.frame, p.Notice, p.Refusal = framed(b, pathDebits), "Oui.", refusal{formSettle, "", "Non."}
			return p
		}},
		{Name: "no direct debit", Page: "debits", Data: func(b page.Base) any {
			return debitsPage{frame: framed(b, pathDebits), Refusal: refusal{formSend, "record", "Non."}}
		}},
		{Name: "cancels", Page: "reports", Data: func(b page.Base) any { return report("annulations", b) }},
		{Name: "wins of outlets", Page: "reports", Data: func(b page.Base) any { return report("gains", b) }},
		{Name: "pace of terminals", Page: "reports", Data: func(b page.Base) any { return report("cadence", b) }},
		{Name: "no report", Page: "reports", Data: func(b page.Base) any {
			p := report("gains", b)
			p.Rows, p.Refusal = nil, refusal{"report", "to", "Non."}
			return p
		}},
		{Name: "messages", Page: "notices", Data: func(b page.Base) any {
			return noticesPage{
				frame: framed(b, pathNotices), Key: "k", Notice: "Oui.",
				List: []noticeLine{{central.Notice{FR: "<Fermé>", EN: "<Closed>", SentAt: morning, Until: morning}, 7, "k7"}, {central.Notice{Record: 9, FR: "a", EN: "b"}, 0, "k9"}},
				Back: []backLine{{central.RetractedNotice{Notice: central.Notice{FR: "<Faux>", EN: "<Wrong>", SentAt: morning}, Retraction: 10, At: morning}, 7, "marie"}},
			}
		}},
		{Name: "a message that is not shown any more", Page: "notices", Data: func(b page.Base) any {
			return noticesPage{frame: framed(b, pathNotices), Refusal: refusal{"shown", "", "Non."}}
		}},
		{Name: "no message", Page: "notices", Data: func(b page.Base) any {
			return noticesPage{frame: framed(b, pathNotices), Typed: noticeForm{"<7>", "<fr>", "<en>", "x"}, Refusal: refusal{"notice", "until", "Non."}}
		}},
		{Name: "terms of outlets", Page: "conditions", Data: func(b page.Base) any {
			p := of.conditions(newGet(pathConditions))
			p.frame, p.Notice = framed(b, pathOutlets), "Oui."
			p.Games = []gameCommission{{game.Text{FR: "<Amigo>"}, p.Force.Commission}}
			p.Versions = append(p.Versions, termsLine{p.Force, "past"}, termsLine{p.Force, "coming"})
			return p
		}},
		{Name: "no terms, refused", Page: "conditions", Data: func(b page.Base) any {
			return conditionsPage{frame: framed(b, pathOutlets), Refusal: "Non.", File: "x", Faults: []game.Fault{{Line: 3, What: "<kind>", Expected: "outlets", Got: "<b>"}, {What: "y"}}}
		}},
	}
}

func newGet(address string) *http.Request { return httptest.NewRequest(http.MethodGet, address, nil) }
