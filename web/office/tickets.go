package office

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"tirage/central"
	"tirage/game"
	"tirage/money"
	"tirage/party"
	"tirage/wager"
	"tirage/web/page"
)

// ticketsPage finds a ticket by its number, and lists what an outlet sold. No
// page of the office has the secret of a ticket (F24).
type ticketsPage struct {
	frame
	Number string // as typed
	Span   ticketSpan
	Lines  []ticketLine
	Sums   struct{ Price, Paid money.Amount } // of those listed
	Listed bool
	Older  string // address of the tickets before them; "": there are none
	Fault  refusal
}

// ticketSpan is which tickets of which outlet, as typed, in the outlet's own zone.
type ticketSpan struct{ Outlet, From, To string }

// ticketLine is a ticket in a list.
type ticketLine struct {
	central.TicketLine
	Name    game.Text
	Address string
}

// ticketAddress is the page of a ticket.
func ticketAddress(number wager.ID) string {
	return pathTickets + "/" + strconv.FormatUint(uint64(number), 10)
}

// The forms of the page.
const (
	formNumber = "number"
	formSpan   = "span"
)

// linesMax is how many tickets a page lists.
const linesMax = 200

// fieldTime is how a browser writes an instant without a zone.
const fieldTime = "2006-01-02T15:04"

func (o office) ticketsPage(w http.ResponseWriter, r *http.Request, _ party.Officer) error {
	q := r.URL.Query()
	p := ticketsPage{frame: o.frame(r, "tickets.title", pathTickets), Number: strings.TrimSpace(q.Get("numero")), Span: ticketSpan{q.Get("pdv"), q.Get("de"), q.Get("a")}}
	form, err := formNumber, error(nil)
	switch {
	case p.Number != "":
		var number wager.ID
		if number, err = o.findTicket(r, p.Number); err == nil {
			http.Redirect(w, r, ticketAddress(number), http.StatusSeeOther)
			return nil
		}
	case p.Span.Outlet != "":
		form, err = formSpan, o.listTickets(r, &p, q.Get("avant"))
	}
	status := http.StatusOK
	if err != nil {
		p.Fault.Form = form
		if status, err = o.explain(r, &p.Fault, err); err != nil {
			return err
		}
	}
	return face.Render(w, r, status, "tickets", p)
}

// findTicket reads a ticket's number that was typed, and looks whether there is one.
func (o office) findTicket(r *http.Request, typed string) (wager.ID, error) {
	number, err := readTicketNumber(strings.Join(strings.Fields(strings.TrimPrefix(typed, "n°")), ""))
	if err == nil {
		_, err = o.app.Sys.Ticket(r.Context(), number)
	}
	if errors.Is(err, central.ErrNoTicket) { // no code was asked for
		err = &fieldError{http.StatusNotFound, "number", "tickets.fault.unknown", nil}
	}
	return number, err
}

// readTicketNumber reads the number of a ticket.
func readTicketNumber(text string) (wager.ID, error) {
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		return 0, &fieldError{http.StatusUnprocessableEntity, "number", "tickets.fault.number", nil}
	}
	return wager.ID(n), nil
}

// listTickets lists the tickets that an outlet sold between two instants, the newest first, those before a ticket only.
func (o office) listTickets(r *http.Request, p *ticketsPage, before string) error {
	outlet, zone, err := o.outletOf(p.Span.Outlet)
	if err != nil {
		return err
	}
	now := o.app.Sys.Now().In(zone)
	if p.Span.From == "" {
		p.Span.From = now.Format(time.DateOnly) + "T00:00"
	}
	if p.Span.To == "" {
		p.Span.To = now.Add(time.Minute).Format(fieldTime)
	}
	from, err := time.ParseInLocation(fieldTime, p.Span.From, zone)
	if err != nil {
		return &fieldError{http.StatusUnprocessableEntity, "from", "tickets.fault.time", "from"}
	}
	to, err := time.ParseInLocation(fieldTime, p.Span.To, zone)
	if err != nil || !to.After(from) {
		return &fieldError{http.StatusUnprocessableEntity, "to", "tickets.fault.time", "to"}
	}
	if before != "" {
		last, err := strconv.ParseInt(before, 10, 64)
		if err != nil {
			return page.ErrNotFound
		}
		if at := time.UnixMicro(last); at.Before(to) {
			to = at
		}
	}
	p.Zone = zone
	list, err := o.app.Sys.Tickets(r.Context(), outlet.ID, from, to, linesMax+1)
	if err != nil {
		return err
	}
	if len(list) > linesMax {
		// Tickets of one turn have one instant, and no page parts them.
		n, next := linesMax, list[linesMax].At
		for n > 1 && list[n-1].At.Equal(next) {
			n--
		}
		list = list[:n]
		p.Older = pathTickets + "?" + url.Values{
			"pdv": {p.Span.Outlet}, "de": {p.Span.From}, "a": {p.Span.To}, "avant": {strconv.FormatInt(list[n-1].At.UnixMicro(), 10)},
		}.Encode()
	}
	p.Listed = true
	for _, t := range list {
		p.Lines = append(p.Lines, o.ticketLine(t))
		p.Sums.Price, p.Sums.Paid = p.Sums.Price.Add(t.Price), p.Sums.Paid.Add(t.Paid)
	}
	return nil
}

func (o office) ticketLine(t central.TicketLine) ticketLine {
	return ticketLine{TicketLine: t, Name: o.gameName(t.Game), Address: ticketAddress(t.Number)}
}

// outletOf is the outlet of a number, and its zone.
func (o office) outletOf(number string) (party.Outlet, *time.Location, error) {
	n, err := strconv.Atoi(strings.TrimSpace(number))
	if err != nil {
		return party.Outlet{}, nil, fmt.Errorf("%w: number %.20q", party.ErrUnknownOutlet, number)
	}
	outlet, err := o.app.Sys.OutletNumbered(n)
	if err != nil {
		return outlet, nil, err
	}
	zone, err := outlet.Location()
	return outlet, zone, err
}

// numberOf is the number of an outlet; 0 of none.
func (o office) numberOf(id string) int {
	outlet, err := o.app.Sys.Outlet(id)
	if err != nil {
		return 0
	}
	return outlet.Number
}

// ticketPage is a ticket, and what can be done with it.
type ticketPage struct {
	frame
	central.TicketView
	Standing string // "won", "lost", "pending", "give-back", "cancelled"
	Boards   []ticketBoard
	Paid     []ticketPayment
	Halts    []ticketStop
	Waiting  []central.Proposal // proposals about it that are open
	Keys     ticketKeys
	Centres  []party.Outlet
	Typed    payeeForm
	Wrong    *party.PayeeError // what the payee typed breaks; nil: nothing
	Stop     string            // the reason of a stop as typed
	Lift     string
	Refusal  refusal
	Notice   string
}

// ticketKeys are the keys of the commands that the forms of the page send.
type ticketKeys struct{ Stop, Lift, Pay string }

// payeeForm proposes to pay a ticket; its fields are as typed.
type payeeForm struct {
	party.Payee
	Centre, Reason string
}

// ticketBoard is a board of a ticket in words.
type ticketBoard struct {
	Letter string // "": the only one
	Parts  []ticketPart
}

// ticketPart is what a board has of a matrix.
type ticketPart struct {
	Matrix game.Text
	Names  []game.Text
}

// ticketPayment is a payment with the number of the outlet that paid, and the key of the act that tells to whom.
type ticketPayment struct {
	central.TicketPayment
	Number int
	Key    string
}

// ticketStop is a stop, or its end, with the login of who decided.
type ticketStop struct {
	central.TicketStop
	Who string
}

// ReasonMax is the most characters of a reason.
func (ticketPage) ReasonMax() int { return central.ReasonMax }

// PayeeMax is the most characters of a field of a payee.
func (ticketPage) PayeeMax() int { return party.PayeeMax }

// Elsewhere tells that the form which was refused is not on the page, as the ticket stands now.
func (p ticketPage) Elsewhere() bool {
	switch p.Refusal.Form {
	case "stop":
		return p.Stopped || !p.CancelledAt.IsZero()
	case "lift":
		return !p.Stopped
	case "pay":
		return len(p.Centres) == 0 || !p.CancelledAt.IsZero()
	}
	return false
}

// Sum is all that the ticket comes to.
func (p ticketPage) Sum() money.Amount { return p.Answer.Sum() }

// Given is what was paid of it.
func (p ticketPage) Given() money.Amount { return p.Answer.Paid.Add(p.Answer.BackPaid) }

// Local is the zone of the outlet that sold it.
func (p ticketPage) Local() *time.Location {
	zone, err := p.Outlet.Location()
	if err != nil {
		return p.Zone
	}
	return zone
}

// Terminal is the beginning of the name of the terminal that sold it.
func (p ticketPage) Terminal() string { return short(p.Ticket.Terminal) }

// short is the beginning of a name, by which people tell terminals of an outlet apart.
func short(id string) string {
	if len(id) > 4 {
		return id[:4] + "…"
	}
	return id
}

// ticketNotices is what the page says after a form was done, by the word in its address.
var ticketNotices = map[string]string{"arret": "tickets.stopped", "proposition": "proposals.proposed"}

func (o office) ticketPage(w http.ResponseWriter, r *http.Request, _ party.Officer) error {
	number, err := strconv.ParseUint(r.PathValue("number"), 10, 63)
	if err != nil {
		return page.ErrNotFound
	}
	p, err := o.ticket(r, wager.ID(number))
	if err != nil {
		return err
	}
	if id, ok := ticketNotices[r.URL.Query().Get("fait")]; ok {
		if p.Notice, err = face.T(p.Lang, id); err != nil {
			return err
		}
	}
	return face.Render(w, r, http.StatusOK, "ticket", p)
}

func (o office) ticket(r *http.Request, number wager.ID) (ticketPage, error) {
	p := ticketPage{frame: o.frame(r, "tickets.title", pathTickets), Keys: ticketKeys{page.NewKey(), page.NewKey(), page.NewKey()}}
	var err error
	if p.TicketView, err = o.app.Sys.Ticket(r.Context(), number); err != nil {
		return p, err
	}
	if p.Title, err = face.T(p.Lang, "tickets.one", strconv.FormatUint(uint64(number), 10)); err != nil {
		return p, err
	}
	if r.Method == http.MethodPost {
		p.Switch = ticketAddress(number) + "?" + url.Values{"lang": {p.Lang.Other().String()}}.Encode()
	}
	if p.Standing = "cancelled"; p.CancelledAt.IsZero() {
		p.Standing = p.Answer.Standing.String()
	}
	p.Boards = boardsOf(p.Ticket)
	for _, outlet := range o.app.Sys.Outlets() {
		if outlet.Centre && !outlet.Blocked {
			p.Centres = append(p.Centres, outlet)
		}
	}
	for _, x := range p.Payments {
		p.Paid = append(p.Paid, ticketPayment{x, o.numberOf(x.Outlet), page.NewKey()})
	}
	logins, err := o.app.Sys.Logins(r.Context())
	if err != nil {
		return p, err
	}
	for _, x := range p.Stops {
		p.Halts = append(p.Halts, ticketStop{x, logins[x.By]})
	}
	proposals, err := o.app.Sys.Proposals(r.Context())
	for _, c := range proposals {
		if c.DecidedAt.IsZero() && c.Ticket == number && (c.Act == central.ActPayTicket || c.Act == central.ActLiftStop) {
			p.Waiting = append(p.Waiting, c)
		}
	}
	return p, err
}

// boardsOf writes the boards of a ticket in words.
func boardsOf(t wager.Ticket) (list []ticketBoard) {
	for n, play := range t.Plays {
		var b ticketBoard
		if t.Lettered() {
			b.Letter = t.Letter(n)
		}
		for i, m := range t.Rules.Matrices {
			part := ticketPart{Matrix: m.Name}
			for _, e := range play.Picks[i] {
				part.Names = append(part.Names, m.Elements[e-1].Name)
			}
			b.Parts = append(b.Parts, part)
		}
		list = append(list, b)
	}
	return list
}

// stopTicket stops the payment of a ticket at once: an officer alone can, since nothing is paid by it.
func (o office) stopTicket(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	return o.onTicket(w, r, "stop", "arret", func(number wager.ID) error {
		return o.app.Sys.StopTicket(r.Context(), central.StopTicket{
			Key: r.PostForm.Get("key"), Officer: officer.ID, Ticket: number, Reason: reasonOf(r.PostForm),
		})
	})
}

// liftStop proposes to lift the stop of a ticket, which another officer approves.
func (o office) liftStop(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	return o.onTicket(w, r, "lift", "proposition", func(number wager.ID) error {
		return o.submit(r, officer, central.Change{Act: central.ActLiftStop, Ticket: number, Reason: reasonOf(r.PostForm)})
	})
}

// payTicket proposes to pay a ticket that was lost or damaged, which another officer approves.
func (o office) payTicket(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	return o.onTicket(w, r, "pay", "proposition", func(number wager.ID) error {
		form := r.PostForm
		centre, _, err := o.outletOf(form.Get("centre"))
		if err != nil {
			return err
		}
		seen, err := seenSum(form.Get("payable"))
		if err != nil {
			return err
		}
		payee := payeeOf(form)
		return o.submit(r, officer, central.Change{Act: central.ActPayTicket, Ticket: number, Outlet: centre.ID, Payee: &payee, Amount: seen, Reason: reasonOf(form)})
	})
}

// seenSum reads the sum that a page had, in cents, as it wrote it; 0: the page told of none.
func seenSum(text string) (money.Amount, error) {
	n, err := strconv.ParseUint(text, 10, 53)
	if err != nil && text != "" {
		return 0, fmt.Errorf("%w: sum %.20q", page.ErrForm, text)
	}
	return money.Amount(n), nil
}

// payeeOf reads the payee of a form.
func payeeOf(form url.Values) party.Payee {
	return party.Payee{Name: lineOfText(form.Get("name")), BirthDate: form.Get("born"), Address: lineOfText(form.Get("address")), Document: lineOfText(form.Get("document"))}
}

// onTicket does what a form asks of the ticket that it names, and goes back to the
// ticket's page, which says that it is done or why not.
func (o office) onTicket(w http.ResponseWriter, r *http.Request, form, done string, do func(wager.ID) error) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	number, err := strconv.ParseUint(r.PostForm.Get("ticket"), 10, 63)
	if err != nil {
		return central.ErrNoTicket
	}
	if err = do(wager.ID(number)); err == nil {
		http.Redirect(w, r, ticketAddress(wager.ID(number))+"?fait="+done, http.StatusSeeOther)
		return nil
	}
	p, pageErr := o.ticket(r, wager.ID(number))
	if pageErr != nil {
		return pageErr
	}
	p.Refusal.Form = form
	switch typed := r.PostForm; form {
	case "stop":
		p.Stop = typed.Get("reason")
	case "lift":
		p.Lift = typed.Get("reason")
	case "pay":
		p.Typed = payeeForm{payeeOf(typed), typed.Get("centre"), typed.Get("reason")}
		p.Wrong, _ = errors.AsType[*party.PayeeError](err)
	}
	status, err := o.explain(r, &p.Refusal, err)
	if err != nil {
		return err
	}
	return face.Render(w, r, status, "ticket", p)
}

// payeePage is who was paid, or is to be: shown once, on the answer to the form
// that asked, and that it was is in the journal.
type payeePage struct {
	frame
	Payee  party.Payee
	Record uint64
	Back   string // address of the page that asked
}

// Born is the payee's birth date, as other dates are written.
func (p payeePage) Born() string {
	day, err := game.ParseDay(p.Payee.BirthDate)
	if err != nil {
		return p.Payee.BirthDate
	}
	return p.Lang.ShortDay(day)
}

func (o office) readPayee(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	form := r.PostForm
	record, err := strconv.ParseUint(form.Get("record"), 10, 63)
	if err != nil {
		return central.ErrNoPayee
	}
	payee, err := o.app.Sys.ReadPayee(r.Context(), central.ReadPayee{Key: form.Get("key"), Officer: officer.ID, Record: record})
	if err != nil {
		return err
	}
	p := payeePage{frame: o.frame(r, "payee.title", pathTickets), Payee: payee, Record: record, Back: pathProposals}
	if number, err := strconv.ParseUint(form.Get("ticket"), 10, 63); err == nil {
		p.Back = ticketAddress(wager.ID(number))
	}
	p.Switch = p.Back + "?" + url.Values{"lang": {p.Lang.Other().String()}}.Encode()
	return face.Render(w, r, http.StatusOK, "payee", p)
}
