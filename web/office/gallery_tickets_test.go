package office

import (
	"context"
	"net/http"
	"slices"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/money"
	"tirage/party"
	"tirage/settle"
	"tirage/web/page"
	"tirage/web/page/pagetest"
)

// frames makes the frame of a sample.
type frames func(b page.Base, here string) frame

// ticketSamples are the pages of tickets in each state.
func (o *operator) ticketSamples(r *http.Request, framed frames) []pagetest.Sample {
	o.t.Helper()
	o.makeCentre()
	of := office{app: o.app}
	v := o.winner()
	won, err := of.ticket(r, v.Ticket.Number)
	o.must(err)
	lines := []ticketLine{
		{TicketLine: central.TicketLine{Number: 12, At: morning, Terminal: o.terminal, Price: 200, Paid: 2000, Copies: 2}, Name: game.Text{FR: "<b>"}, Address: "/office/recus/12"},
		{TicketLine: central.TicketLine{Number: 11, At: morning, Terminal: o.terminal, Price: 200, Stopped: true}, Address: "/office/recus/11"},
		{TicketLine: central.TicketLine{Number: 10, At: morning, Terminal: o.terminal, Price: 200, Cancelled: true}, Address: "/office/recus/10"},
	}
	return []pagetest.Sample{
		{Name: "find a ticket", Page: "tickets", Data: func(b page.Base) any {
			return ticketsPage{frame: framed(b, pathTickets), Number: "<b>", Fault: refusal{formNumber, "number", "Non."}}
		}},
		{Name: "tickets of an outlet", Page: "tickets", Data: func(b page.Base) any {
			return ticketsPage{frame: framed(b, pathTickets), Span: ticketSpan{"7", "2027-01-04T00:00", ""}, Listed: true, Lines: lines, Older: "/office/recus?avant=9"}
		}},
		{Name: "no tickets", Page: "tickets", Data: func(b page.Base) any {
			return ticketsPage{frame: framed(b, pathTickets), Span: ticketSpan{"7", "x", ""}, Listed: true, Fault: refusal{formSpan, "from", "Non."}}
		}},
		{Name: "a ticket", Page: "ticket", Data: func(b page.Base) any {
			p := won
			p.frame, p.Notice, p.Refusal = framed(b, pathTickets), "Oui.", refusal{"pay", "payee", "Non."}
			p.Typed = payeeForm{party.Payee{Name: "<b>Zoé"}, "9", "<Motif>"}
			p.Wrong = &party.PayeeError{Faults: map[party.PayeeField]party.PayeeRule{party.PayeeName: party.PayeeLong, party.PayeeBorn: party.PayeeDate, party.PayeeAddress: party.PayeeMissing, party.PayeeDocument: party.PayeeSigns}}
			return p
		}},
		{Name: "a ticket stopped, reprinted, paid", Page: "ticket", Data: func(b page.Base) any {
			p := won
			p.frame, p.Stopped, p.Centres, p.Boards = framed(b, pathTickets), true, nil, slices.Repeat(p.Boards, 2)
			p.Boards[0].Letter, p.Boards[1].Letter = "A", "B"
			p.Ticket.Asked += 2
			p.Waiting = []central.Proposal{{ID: 9}}
			p.Copies = []central.TicketCopy{{Record: 5, At: morning, Terminal: o.terminal}}
			p.Halts = []ticketStop{{central.TicketStop{Record: 6, At: morning, Reason: "<Volé>"}, "marie"}, {central.TicketStop{Record: 8, At: morning, Lifted: true, Decision: 7}, "paul"}}
			p.Paid = []ticketPayment{
				{central.TicketPayment{Record: 6, At: morning, Prizes: 2000}, 7, "k"}, {central.TicketPayment{Record: 8, At: morning, Prizes: 2000, Back: money.Euros(2), Payee: true, Decision: 9}, 8, "l"},
			}
			p.Answer.Prizes = slices.Clone(p.Answer.Prizes[:1])
			p.Answer.Prizes = append(p.Answer.Prizes, settle.Prize{State: draw.Cancelled, Back: 200, PaidAt: morning}, settle.Prize{State: draw.Selling})
			p.Answer.Back, p.Answer.Expired = 200, true
			p.Refusal = refusal{"lift", "reason", "Non."}
			return p
		}},
		{Name: "a ticket to stop, refused", Page: "ticket", Data: func(b page.Base) any {
			p := won
			p.frame, p.Refusal, p.Stop = framed(b, pathTickets), refusal{"stop", "reason", "Non."}, "<Volé>"
			p.Wrong = &party.PayeeError{Faults: map[party.PayeeField]party.PayeeRule{party.PayeeBorn: party.PayeeLifetime}}
			return p
		}},
		{Name: "a cancelled ticket, refused", Page: "ticket", Data: func(b page.Base) any {
			p := won
			p.frame, p.Standing, p.CancelledAt, p.CancelledRecord, p.Answer = framed(b, pathTickets), "cancelled", morning, 9, settle.Answer{}
			p.Refusal = refusal{"stop", "", "Non."}
			return p
		}},
		{Name: "a payee", Page: "payee", Data: func(b page.Base) any {
			return payeePage{framed(b, pathTickets), party.Payee{Name: "<b>Zoé", BirthDate: "1980-02-29", Address: "Lyon", Document: "Passeport"}, 9, pathProposals}
		}},
		{Name: "a payment and a lifted stop proposed", Page: "proposals", Data: func(b page.Base) any {
			payee := central.Proposal{ID: 9, Change: central.Change{Act: central.ActPayTicket, Ticket: v.Ticket.Number, Outlet: o.outlet.ID, Reason: "Brûlé."}, At: morning}
			lift := central.Proposal{ID: 10, Change: central.Change{Act: central.ActLiftStop, Ticket: v.Ticket.Number, Reason: "Retrouvé."}, At: morning}
			p := proposalsPage{frame: framed(b, pathProposals)}
			for _, c := range []central.Proposal{payee, lift} {
				view, err := of.proposal(r.WithContext(context.Background()), c, morning)
				o.must(err)
				p.Open, p.Decided = append(p.Open, view), append(p.Decided, view)
			}
			return p
		}},
	}
}
