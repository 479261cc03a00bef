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
	"tirage/web/page"
)

// outletAbout is what the page of an outlet tells beyond its line in the list.
type outletAbout struct {
	Week       central.Week
	Days       []dayLine // of the running week, up to today
	Statements []statementLine
	Steps      []outletStep
	Mandate    *mandateView // nil: none is signed
	Notices    []central.Notice
	Waiting    []central.Proposal // to pay the outlet
	Local      *time.Location
}

// outletStep is how an outlet was made to stand, with the login of who did it; "": the system.
type outletStep struct {
	central.OutletStep
	Who string
}

// mandateView is a mandate without the middle of its account's number.
type mandateView struct {
	ID, Holder, IBAN, BIC string
	SignedOn              game.Day
}

// mandateForm is a mandate as typed.
type mandateForm struct{ ID, Holder, IBAN, BIC, SignedOn string }

// statementLine is a statement in a list.
type statementLine struct {
	central.Statement
	State string // see debitState
	Sums  tillSums
}

// tillSums are amounts of all games together.
type tillSums struct{ Sold, Cancelled, Paid, Back money.Amount }

// dayLine is what an outlet did on a day of its own zone.
type dayLine struct {
	On game.Day
	central.Day
	tillSums
	Address string // of the day's page
}

// Of an outlet, so many statements and steps are listed.
const (
	statementsMax = 60
	stepsMax      = 20
)

// about reads what the page of an outlet tells.
func (o office) about(r *http.Request, outlet party.Outlet) (a outletAbout, err error) {
	ctx := r.Context()
	if a.Local, err = outlet.Location(); err != nil {
		return a, err
	}
	if a.Week, err = o.app.Sys.Week(ctx, outlet.ID); err != nil {
		return a, err
	}
	today, err := o.app.Sys.Today(outlet.ID)
	if err != nil {
		return a, err
	}
	if a.Days, err = o.days(r, outlet, a.Week.First, min(today, a.Week.Last)); err != nil {
		return a, err
	}
	list, err := o.app.Sys.Statements(ctx, outlet.ID, statementsMax)
	if err != nil {
		return a, err
	}
	for i, st := range list {
		line := statementLine{Statement: st, Sums: sumsOf(st)}
		left := money.Amount(0)
		if i == 0 { // what is not paid of the others is in it
			left = o.app.Sys.Unpaid(outlet.ID)
		}
		line.State = debitState(st, left)
		a.Statements = append(a.Statements, line)
	}
	switch m, err := o.mandate(r, outlet.ID); {
	case err == nil:
		a.Mandate = &m
	case !errors.Is(err, central.ErrNoMandate):
		return a, err
	}
	a.Notices = o.app.Sys.Notices(outlet.ID)
	proposals, err := o.app.Sys.Proposals(ctx)
	if err != nil {
		return a, err
	}
	for _, c := range proposals {
		if c.DecidedAt.IsZero() && ofAccount(c.Change) && c.Outlet == outlet.ID {
			a.Waiting = append(a.Waiting, c)
		}
	}
	logins, err := o.app.Sys.Logins(ctx)
	if err != nil {
		return a, err
	}
	steps, err := o.app.Sys.OutletSteps(ctx, outlet.ID, stepsMax)
	for _, s := range steps {
		a.Steps = append(a.Steps, outletStep{s, logins[s.By]})
	}
	return a, err
}

func sumsOf(st central.Statement) (s tillSums) {
	for _, l := range st.Lines {
		s.Sold, s.Cancelled, s.Paid, s.Back = s.Sold.Add(l.Sold), s.Cancelled.Add(l.Cancelled), s.Paid.Add(l.Paid), s.Back.Add(l.Back)
	}
	return s
}

// days is what an outlet did on some days, one by one.
func (o office) days(r *http.Request, outlet party.Outlet, from, to game.Day) (list []dayLine, err error) {
	for day := from; day <= to; day++ {
		line := dayLine{On: day, Address: pathDay + "?" + url.Values{"numero": {strconv.Itoa(outlet.Number)}, "jour": {day.String()}}.Encode()}
		if line.Day, err = o.app.Sys.Day(r.Context(), outlet.ID, day); err != nil {
			return nil, err
		}
		for _, l := range line.Lines {
			line.Sold, line.Cancelled = line.Sold.Add(l.Sold), line.Cancelled.Add(l.Cancelled)
			line.Paid, line.Back = line.Paid.Add(l.Paid), line.Back.Add(l.Back)
		}
		list = append(list, line)
	}
	return list, nil
}

// dayPage is what an outlet did on a day, ticket by ticket.
type dayPage struct {
	frame
	Outlet        party.Outlet
	Day           game.Day
	Before, After game.Day
	Till          dayLine
	Names         map[game.Code]game.Text
	Lines         []ticketLine
	Sums          struct{ Price, Paid money.Amount }
	Acts          []actLine
	More          bool // tickets than are listed
}

// actLine is a payment or a cancellation with the page of its ticket.
type actLine struct {
	central.DayAct
	Address string
}

func (o office) dayPage(w http.ResponseWriter, r *http.Request, _ party.Officer) error {
	q := r.URL.Query()
	outlet, zone, err := o.outletOf(q.Get("numero"))
	if err != nil {
		return err
	}
	day, err := game.ParseDay(q.Get("jour"))
	if err != nil {
		return err
	}
	p := dayPage{frame: o.frame(r, "outlets.title", pathOutlets), Outlet: outlet, Day: day, Before: day - 1, After: day + 1, Names: map[game.Code]game.Text{}}
	if p.Title, err = face.T(p.Lang, "outlets.day", outlet.Number, p.Lang.Day(day)); err != nil {
		return err
	}
	p.Zone = zone
	lines, err := o.days(r, outlet, day, day)
	if err != nil {
		return err
	}
	p.Till = lines[0]
	for _, l := range p.Till.Lines {
		p.Names[l.Game] = o.gameName(l.Game)
	}
	from, to := day.At(0, zone), (day+1).At(0, zone)
	list, err := o.app.Sys.Tickets(r.Context(), outlet.ID, from, to, central.TicketLinesMax)
	if err != nil {
		return err
	}
	p.More = len(list) == central.TicketLinesMax
	for _, t := range list {
		p.Lines = append(p.Lines, o.ticketLine(t))
		p.Sums.Price, p.Sums.Paid = p.Sums.Price.Add(t.Price), p.Sums.Paid.Add(t.Paid)
	}
	acts, err := o.app.Sys.DayActs(r.Context(), outlet.ID, from, to, central.TicketLinesMax)
	for _, a := range acts {
		p.Acts = append(p.Acts, actLine{a, ticketAddress(a.Ticket)})
	}
	if err != nil {
		return err
	}
	return face.Render(w, r, http.StatusOK, "day", p)
}

// gameName names a game, or writes the code of one that is out of force.
func (o office) gameName(code game.Code) game.Text {
	if rules, err := o.app.Sys.Rules(code); err == nil {
		return rules.Name
	}
	return game.Text{FR: string(code)}
}

// statementPage is a statement, with the days that it is made of.
type statementPage struct {
	frame
	central.Statement
	State string
	Sums  tillSums
	Names map[game.Code]game.Text
	Days  []dayLine
}

// Rate writes a rate in percent.
func (p statementPage) Rate(l central.StatementLine) string {
	if l.Rates.Sales == nil {
		return "–"
	}
	return percent(l.Rates.Sales, p.Lang) + " / " + percent(l.Rates.Payments, p.Lang) + "\u00a0%"
}

func (o office) statementPage(w http.ResponseWriter, r *http.Request, _ party.Officer) error {
	st, err := o.statement(r)
	if err != nil {
		return err
	}
	p := statementPage{frame: o.frame(r, "outlets.title", pathOutlets), Statement: st, Sums: sumsOf(st), Names: map[game.Code]game.Text{}}
	if p.Title, err = face.T(p.Lang, "statements.one", st.Outlet.Number, p.Lang.ShortDay(st.First), p.Lang.ShortDay(st.Last)); err != nil {
		return err
	}
	for _, l := range st.Lines {
		p.Names[l.Game] = o.gameName(l.Game)
	}
	left := money.Amount(0)
	if newest, err := o.app.Sys.Statements(r.Context(), st.Outlet.ID, 1); err != nil {
		return err
	} else if newest[0].Record == st.Record {
		left = o.app.Sys.Unpaid(st.Outlet.ID)
	}
	p.State = debitState(st, left)
	if p.Days, err = o.days(r, st.Outlet, st.First, st.Last); err != nil {
		return err
	}
	return face.Render(w, r, http.StatusOK, "statement", p)
}

// statement is the statement of an address.
func (o office) statement(r *http.Request) (central.Statement, error) {
	record, err := strconv.ParseUint(r.PathValue("record"), 10, 63)
	if err != nil {
		return central.Statement{}, page.ErrNotFound
	}
	return o.app.Sys.Statement(r.Context(), record)
}

// attach sends a file to be kept.
func attach(w http.ResponseWriter, kind, name string, content []byte) {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name))
	h.Set("Cache-Control", "no-store")
	_, _ = w.Write(content) // the viewer may have gone: nobody is left to tell
}

func (o office) statementCSV(w http.ResponseWriter, r *http.Request, _ party.Officer) error {
	st, err := o.statement(r)
	if err != nil {
		return err
	}
	attach(w, "text/csv; charset=utf-8", fmt.Sprintf("releve-%d-%s.csv", st.Outlet.Number, st.First), st.CSV(false))
	return nil
}

func (o office) statementPDF(w http.ResponseWriter, r *http.Request, _ party.Officer) error {
	st, err := o.statement(r)
	if err != nil {
		return err
	}
	printed, err := face.StatementReport(page.LangOf(r), st, o.gameName, false)
	if err != nil {
		return err
	}
	file, err := printed.A4()
	if err != nil {
		return err
	}
	attach(w, "application/pdf", fmt.Sprintf("releve-%d-%s.pdf", st.Outlet.Number, st.First), file)
	return nil
}

// mandate is the mandate of an outlet as it may be shown, or [central.ErrNoMandate].
func (o office) mandate(r *http.Request, outlet string) (mandateView, error) {
	m, err := o.app.Sys.Mandate(r.Context(), outlet)
	if err != nil {
		return mandateView{}, err
	}
	return mandateView{ID: m.ID, Holder: m.Holder, IBAN: maskIBAN(m.IBAN), BIC: m.BIC, SignedOn: game.Day(m.SignedOn)}, nil
}

// maskIBAN leaves the country, the check digits and the last four characters of an account's number.
func maskIBAN(iban party.IBAN) string {
	const shown = 4
	text := string(iban)
	if len(text) <= 2*shown {
		return strings.Repeat("•", len(text))
	}
	return text[:shown] + " " + strings.Repeat("•", len(text)-2*shown) + " " + text[len(text)-shown:]
}

func mandateOf(form url.Values) mandateForm {
	return mandateForm{ID: strings.TrimSpace(form.Get("rum")), Holder: lineOfText(form.Get("holder")), IBAN: form.Get("iban"), BIC: form.Get("bic"), SignedOn: form.Get("signed")}
}

// setMandate keeps the mandate that an outlet has signed.
func (o office) setMandate(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	return o.act(w, r, "mandat", func(outlet party.Outlet) error {
		typed := mandateOf(r.PostForm)
		signed, err := game.ParseDay(typed.SignedOn)
		if err != nil {
			return &party.MandateError{Field: party.MandateSigned}
		}
		return o.app.Sys.SetMandate(r.Context(), central.SetMandate{Key: r.PostForm.Get("key"), Officer: officer.ID, Outlet: outlet.ID, Mandate: party.Mandate{
			ID: typed.ID, SignedOn: int32(signed), Holder: typed.Holder, IBAN: party.IBAN(typed.IBAN), BIC: strings.ToUpper(strings.TrimSpace(typed.BIC)),
		}})
	})
}
