package office

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tirage/central"
	"tirage/game"
	"tirage/money"
	"tirage/party"
	"tirage/web/page"
)

// outletsPage is the outlets with their accounts; or one of them, with all that is known of it.
type outletsPage struct {
	frame
	Lines    []outletLine
	Pages    pages
	Find     string       // number to look for, as typed
	Owes     money.Amount // all together, those of other pages too
	Open     *outletLine  // nil: the list
	About    outletAbout  // of the open one
	Key      string       // of the command that the form of the list sends
	Keys     outletKeys
	Refusal  string
	Fault    string // the field that it is about, or its form: see [outletsPage.Why]; "": neither
	Typed    typed  // what a refused form said
	Notice   string
	Overpaid bool         // the form of money received asks for the reason of more than is owed
	Raises   bool         // the form that proposes a higher credit limit is shown
	Alone    money.Amount // the highest limit that one officer may give; 0: any
	Device   string       // key of a terminal that was just added: shown once

	Printers []printerLine // of the terminals of the outlet that is open
	// Territories are those that a game is sold in: an outlet opens in one.
	Territories []game.Territory
}

// ReasonMax is the most characters of a reason.
func (outletsPage) ReasonMax() int { return central.ReasonMax }

// Why says what is wrong with a field, or with a form as a whole; "": nothing is. Of the page
// as a whole it is asked by "", and a terminal's line says it itself.
func (p outletsPage) Why(fault string) string {
	if p.Fault != fault {
		return ""
	}
	return p.Refusal
}

// PaysOut tells that the form to pay the outlet is shown: the lottery owes it, or has refused to pay it.
func (p outletsPage) PaysOut() bool {
	return p.Open.Owes < 0 || p.Fault == "paidout" || p.Fault == "payreason" || p.Fault == "payout"
}

// typed is what an officer has typed, or what a field starts with.
type typed struct {
	Amount, PaidOut, PayReason, Limit, Raised, Number, Territory, Reason string

	Mandate mandateForm

	Was             string // the terms that the officer saw
	Blocked, Centre bool
}

// outletKeys are the keys of the commands that the forms about an outlet send: who
// has sent one, and goes back, can send another.
type outletKeys struct{ Receive, PayOut, Terms, Raise, Mandate, Add string }

// outletLine is an outlet and its account.
type outletLine struct {
	party.Outlet
	central.Account
	Place  game.Text // name of the territory
	Full   bool      // nothing left to sell on
	Last   *central.Statement
	Unpaid money.Amount // of it
	State  string       // of it: see debitState
	Week   central.OutletLine
	Ratio  reportFigure // of tickets taken back this week to tickets sold
	Record uint64       // of the last statement
}

// debitState sums up what became of a statement, as the name of a sentence.
func debitState(st central.Statement, left money.Amount) string {
	switch {
	case st.Debit != "":
		return st.Debit
	case left > 0:
		return "unpaid"
	case st.Closing > 0:
		return "settled"
	}
	return "none"
}

// outletNotices is what the page says after a form was done, by the word in its address.
var outletNotices = map[string]string{
	"versement": "outlets.received", "reversement": "proposals.proposed", "ouverture": "outlets.opened", "conditions": "outlets.changed", "imprimante": "printers.done", "mandat": "mandate.done", "retrait": "terminals.done",
}

func (o office) outletsPage(w http.ResponseWriter, r *http.Request, _ party.Officer) error {
	number := strings.TrimSpace(r.URL.Query().Get("numero"))
	p, err := o.outlets(r, number)
	if errors.Is(err, party.ErrUnknownOutlet) {
		refusal := o.app.Explain(r, err)
		if p, err = o.outlets(r, ""); err != nil {
			return err
		}
		p.Find, p.Fault, p.Refusal = number, "find", refusal.Sentence
		return p.render(w, r, refusal.Status)
	}
	if err != nil {
		return err
	}
	if id, ok := outletNotices[r.URL.Query().Get("fait")]; ok {
		if p.Notice, err = face.T(page.LangOf(r), id); err != nil {
			return err
		}
	}
	return p.render(w, r, http.StatusOK)
}

// render shows the list, or the outlet that is open.
func (p outletsPage) render(w http.ResponseWriter, r *http.Request, status int) error {
	name := "outlets"
	if p.Open != nil {
		name = "outlet"
	}
	return face.Render(w, r, status, name, p)
}

// outletsLength is how many outlets a page lists.
const outletsLength = 100

// outlets is the page with the outlet of a number open, or with the list.
func (o office) outlets(r *http.Request, number string) (outletsPage, error) {
	p := outletsPage{frame: o.frame(r, "outlets.title", pathOutlets), Key: page.NewKey(), Territories: o.territories()}
	if terms := o.app.Sys.Terms(); terms != nil {
		p.Alone = terms.CreditAlone
	}
	if r.Method == http.MethodPost { // the addresses of forms have no page
		q := url.Values{"lang": {p.Lang.Other().String()}}
		if number != "" {
			q.Set("numero", number)
		}
		p.Switch = pathOutlets + "?" + q.Encode()
	}
	if number == "" {
		return p, o.list(r, &p)
	}
	outlet, _, err := o.outletOf(number)
	if err != nil {
		return p, err
	}
	view, err := o.app.Sys.OutletView(r.Context(), outlet.ID)
	if err != nil {
		return p, err
	}
	line := p.line(view)
	p.Open, p.Keys = &line, outletKeys{page.NewKey(), page.NewKey(), page.NewKey(), page.NewKey(), page.NewKey(), page.NewKey()}
	return p, o.open(r, &p)
}

// list fills in the page of the list that an address asks for.
func (o office) list(r *http.Request, p *outletsPage) error {
	q := r.URL.Query()
	q.Del("numero")
	p.Pages = pagesOf(pathOutlets, q, "page", len(o.app.Sys.Outlets()), outletsLength)
	views, totals, err := o.app.Sys.OutletViews(r.Context(), p.Pages.First-1, outletsLength)
	if err != nil {
		return err
	}
	p.Owes = totals.Owes
	for _, v := range views {
		p.Lines = append(p.Lines, p.line(v))
	}
	return nil
}

// line is an outlet with its account, in the words of the page.
func (p *outletsPage) line(v central.OutletView) outletLine {
	line := outletLine{Outlet: v.Outlet, Account: v.Account, Place: game.Text{FR: v.Outlet.Territory}, Full: v.Account.Left <= 0, Last: v.Last, Unpaid: v.Left, Week: v.Week}
	for _, t := range p.Territories {
		if t.Key == v.Outlet.Territory {
			line.Place = t.Name
		}
	}
	if v.Last != nil {
		line.State, line.Record = debitState(*v.Last, v.Left), v.Last.Record
	}
	line.Ratio = shareOf(v.Week.CancelledN, v.Week.SoldN)
	return line
}

// open completes the page of the outlet that is open.
func (o office) open(r *http.Request, p *outletsPage) (err error) {
	outlet := p.Open.Outlet
	p.Typed = typed{Was: termsOf(outlet), Limit: editable(p.Lang, outlet.CreditLimit), Blocked: outlet.Blocked, Centre: outlet.Centre}
	if p.Title, err = face.T(p.Lang, "outlets.one", outlet.Number); err != nil {
		return err
	}
	if p.Printers, err = o.printers(r, outlet.ID); err != nil {
		return err
	}
	p.About, err = o.about(r, outlet)
	return err
}

// territories lists where the games in force are sold, each place once.
func (o office) territories() []game.Territory {
	var list []game.Territory
	for _, code := range o.app.Sys.Games() {
		rules, err := o.app.Sys.Rules(code)
		if err != nil {
			continue
		}
		for _, t := range rules.Calendar.Territories {
			if !slices.ContainsFunc(list, func(other game.Territory) bool { return other.Key == t.Key }) {
				list = append(list, t)
			}
		}
	}
	return list
}

// openOutlet opens a new outlet, in the zone of its territory.
func (o office) openOutlet(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	outlet, err := o.newOutlet(r, officer)
	if err != nil {
		p, pageErr := o.outlets(r, "")
		if pageErr != nil {
			return pageErr
		}
		return o.refuse(w, r, p, err)
	}
	http.Redirect(w, r, pathOutlets+"?"+url.Values{"numero": {strconv.Itoa(outlet.Number)}, "fait": {"ouverture"}}.Encode(), http.StatusSeeOther)
	return nil
}

func (o office) newOutlet(r *http.Request, officer party.Officer) (party.Outlet, error) {
	number, err := strconv.Atoi(r.PostForm.Get("number"))
	if err != nil {
		return party.Outlet{}, party.ErrOutlet
	}
	limit, err := page.LangOf(r).ParseMoney(r.PostForm.Get("limit"))
	if err != nil {
		return party.Outlet{}, err
	}
	territories := o.territories()
	i := slices.IndexFunc(territories, func(t game.Territory) bool { return t.Key == r.PostForm.Get("territory") })
	if i < 0 {
		return party.Outlet{}, central.ErrTerritory
	}
	return o.app.Sys.PutOutlet(r.Context(), central.PutOutlet{Key: r.PostForm.Get("key"), Officer: officer.ID, Outlet: party.Outlet{
		Number: number, Territory: territories[i].Key, Zone: territories[i].Zone.String(), CreditLimit: limit,
		Centre: r.PostForm.Get("centre") == "1",
	}})
}

// addTerminal adds a terminal to an outlet and shows its device key, this once.
func (o office) addTerminal(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	number := r.PostForm.Get("number")
	outlet, _, err := o.outletOf(number)
	if err != nil {
		return err
	}
	_, device, err := o.app.Sys.PutTerminal(r.Context(), central.PutTerminal{Key: r.PostForm.Get("key"), Officer: officer.ID, Outlet: outlet.ID})
	p, pageErr := o.outlets(r, number)
	if pageErr != nil {
		return pageErr
	}
	status := http.StatusOK
	if p.Device = device; err != nil {
		refusal := o.app.Explain(r, err)
		p.Refusal, p.Fault, status = refusal.Sentence, "add", refusal.Status
	}
	return p.render(w, r, status)
}

// receive books money received from an outlet; with a reason it proposes so, of more than the outlet owes.
func (o office) receive(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	done := "versement"
	if r.PostForm.Has("reason") {
		done = "reversement"
	}
	return o.act(w, r, done, func(outlet party.Outlet) error {
		amount, err := page.LangOf(r).ParseMoney(r.PostForm.Get("amount"))
		if err != nil {
			return err
		}
		if r.PostForm.Has("reason") {
			return o.submit(r, officer, central.Change{Act: central.ActReceive, Outlet: outlet.ID, Amount: amount, Reason: reasonOf(r.PostForm)})
		}
		_, err = o.app.Sys.Receive(r.Context(), central.Receive{
			Key: r.PostForm.Get("key"), Officer: officer.ID, Outlet: outlet.ID, Amount: amount,
		})
		return err
	})
}

// payOut proposes to pay an outlet what the lottery owes it, which another officer approves.
func (o office) payOut(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	return o.act(w, r, "reversement", func(outlet party.Outlet) error {
		amount, err := page.LangOf(r).ParseMoney(r.PostForm.Get("paidout"))
		if err != nil {
			return err
		}
		return o.submit(r, officer, central.Change{Act: central.ActPayOutlet, Outlet: outlet.ID, Amount: amount, Reason: reasonOf(r.PostForm)})
	})
}

// terms changes an outlet's credit limit, blocks it or lets it sell, which takes a
// reason, and makes it a payment centre or not (AMI-11.2).
func (o office) terms(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	return o.act(w, r, "conditions", func(outlet party.Outlet) error {
		limit, err := page.LangOf(r).ParseMoney(r.PostForm.Get("limit"))
		if err != nil {
			return err
		}
		seen, err := seenTerms(outlet, r.PostForm)
		if err != nil {
			return err
		}
		outlet.Cause = "" // the system's: the same form is the same command, whatever stands
		outlet.CreditLimit, outlet.Blocked, outlet.Centre = limit, r.PostForm.Get("blocked") == "1", r.PostForm.Get("centre") == "1"
		reason := reasonOf(r.PostForm)
		if outlet.Blocked != seen.Blocked && strings.TrimSpace(reason) == "" {
			return central.ErrReason
		}
		_, err = o.app.Sys.PutOutlet(r.Context(), central.PutOutlet{
			Key: r.PostForm.Get("key"), Officer: officer.ID, Outlet: outlet, Was: &seen, Reason: reason,
		})
		return err
	})
}

// raise proposes a higher credit limit than one officer may give, which another officer approves.
func (o office) raise(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	return o.act(w, r, "reversement", func(outlet party.Outlet) error {
		limit, err := page.LangOf(r).ParseMoney(r.PostForm.Get("raised"))
		if err != nil {
			return err
		}
		return o.submit(r, officer, central.Change{Act: central.ActRaiseLimit, Outlet: outlet.ID, Amount: limit, Reason: reasonOf(r.PostForm)})
	})
}

// termsOf writes the terms of an outlet for the form that changes them, and seenTerms
// reads them there: what changed since the form was written is not undone by it.
func termsOf(o party.Outlet) string {
	return fmt.Sprintf("%d %t %t", int64(o.CreditLimit), o.Blocked, o.Centre)
}

func seenTerms(outlet party.Outlet, form url.Values) (party.Outlet, error) {
	var limit int64
	if _, err := fmt.Sscanf(form.Get("was"), "%d %t %t", &limit, &outlet.Blocked, &outlet.Centre); err != nil {
		return outlet, page.ErrForm
	}
	outlet.CreditLimit = money.Amount(limit)
	return outlet, nil
}

// act does what a form asks of the outlet that it names, and goes back to the
// outlet's page, which says that it is done or why not.
func (o office) act(w http.ResponseWriter, r *http.Request, done string, do func(party.Outlet) error) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	number := r.PostForm.Get("number")
	outlet, _, err := o.outletOf(number)
	if err != nil {
		return err
	}
	if err := do(outlet); err != nil {
		p, pageErr := o.outlets(r, number) // as it stands now
		if pageErr != nil {
			return pageErr
		}
		return o.refuse(w, r, p, err)
	}
	http.Redirect(w, r, pathOutlets+"?"+url.Values{"numero": {number}, "fait": {done}}.Encode(), http.StatusSeeOther)
	return nil
}

// refuse shows the page again with the reason and with all that was typed.
func (o office) refuse(w http.ResponseWriter, r *http.Request, p outletsPage, err error) error {
	refusal := o.app.Explain(r, err)
	p.Refusal = refusal.Sentence
	form := r.PostForm
	switch {
	case errors.Is(err, central.ErrChanged): // the page shows what stands
	case form.Has("amount"):
		p.Typed.Amount, p.Typed.PayReason = form.Get("amount"), form.Get("reason")
		p.Overpaid = form.Has("reason") || errors.Is(err, central.ErrOverpaid)
	case form.Has("paidout"):
		p.Typed.PaidOut, p.Typed.PayReason = form.Get("paidout"), form.Get("reason")
	case form.Has("raised"):
		p.Raises, p.Typed.Raised, p.Typed.PayReason = true, form.Get("raised"), form.Get("reason")
	case form.Has("iban"):
		p.Typed.Mandate = mandateOf(form)
	case form.Has("terminal") && form.Has("reason"):
		for i := range p.Printers {
			if line := &p.Printers[i]; line.Terminal == form.Get("terminal") && !line.Withdrawn {
				line.Reason, line.Odd, p.Fault = form.Get("reason"), true, "terminal"
			}
		}
	case form.Has("terminal"):
		for i := range p.Printers {
			if line := &p.Printers[i]; line.Terminal == form.Get("terminal") && !line.Withdrawn {
				line.Address, line.Auto, line.Fault, p.Fault = form.Get("printer"), form.Get("auto") == "1", true, "terminal"
			}
		}
	default:
		p.Typed = typed{
			Was: form.Get("was"), Limit: form.Get("limit"), Number: form.Get("number"), Territory: form.Get("territory"),
			Blocked: form.Get("blocked") == "1", Centre: form.Get("centre") == "1", Reason: form.Get("reason"),
		}
		if p.Raises = p.Open != nil && errors.Is(err, party.ErrCreditAlone); p.Raises {
			p.Typed.Raised = form.Get("limit")
		}
	}
	if !form.Has("terminal") { // its line is marked
		p.Fault = outletFault(form, refusal.Code)
		if e, ok := errors.AsType[*party.MandateError](err); ok {
			p.Fault = string(e.Field)
		}
	}
	return p.render(w, r, refusal.Status)
}

// outletFault is the field of a form that a refusal is about, or else the form.
func outletFault(form url.Values, code string) string {
	amount, reason, whole := "limit", "reason", "terms"
	switch {
	case form.Has("amount"):
		amount, reason, whole = "amount", "overreason", "receive"
	case form.Has("paidout"):
		amount, reason, whole = "paidout", "payreason", "payout"
	case form.Has("raised"):
		amount, reason, whole = "raised", "raisereason", "raise"
	case form.Has("iban"):
		whole = "setmandate"
	case form.Has("territory"):
		whole = "new"
	}
	switch code {
	case "amount", "amount_limit", "amount_positive", "not_owed", "overpaid", "credit_alone", "no_raise":
		return amount
	case "reason":
		return reason
	case "iban":
		return code
	case "territory":
		return code
	case "outlet", "outlet_number":
		if whole == "new" {
			return "number"
		}
	}
	return whole
}

// editable writes an amount as a field starts with it.
func editable(lang page.Lang, a money.Amount) string {
	if lang == page.French {
		return strings.Replace(a.String(), ".", ",", 1)
	}
	return a.String()
}
