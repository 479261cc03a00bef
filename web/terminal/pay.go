package terminal

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"tirage/central"
	"tirage/money"
	"tirage/party"
	"tirage/wager"
	"tirage/web/page"
)

// The fields of who is paid: no matrix has such keys, which are of small letters, digits and dashes.
const (
	fieldName     = "payee_name"
	fieldBirth    = "payee_birth"
	fieldAddress  = "payee_address"
	fieldDocument = "payee_document"
)

// payeeFields are all of them.
var payeeFields = []string{fieldName, fieldBirth, fieldAddress, fieldDocument}

// payeePage asks who is paid, where the sum of the ticket asks for it.
type payeePage struct {
	frame
	Number  wager.ID
	Amount  money.Amount      // that would be paid now
	From    money.Amount      // the sum of a ticket from which it is asked
	Payee   party.Payee       // as typed
	Wrong   *party.PayeeError // what it breaks; nil: nothing
	Refusal *page.Refusal
	State   []field
	Code    string
	Key     string
}

// PayeeMax is the most characters of a field of a payee.
func (payeePage) PayeeMax() int { return party.PayeeMax }

// payeeOf reads who is paid; nil: the form does not say so.
func payeeOf(r *http.Request) *party.Payee {
	if !slices.ContainsFunc(payeeFields, r.PostForm.Has) {
		return nil
	}
	form := r.PostForm
	return &party.Payee{Name: form.Get(fieldName), BirthDate: form.Get(fieldBirth), Address: form.Get(fieldAddress), Document: form.Get(fieldDocument)}
}

// pay pays all that is payable now on a ticket.
func (t *terminal) pay(w http.ResponseWriter, r *http.Request, s seat) error {
	d, number, secret, key, err := ticketForm(r, s)
	if err != nil {
		return err
	}
	if err := t.app.Checks.Allow("terminal/" + s.terminal.ID); err != nil {
		return t.refuseTicket(w, r, s, d, err)
	}
	paid, err := t.app.Sys.Pay(r.Context(), central.Pay{Key: key, Terminal: s.terminal.ID, Ticket: number, Secret: secret, Payee: payeeOf(r)})
	if errors.Is(err, central.ErrKeyReused) { // perhaps who is paid was typed otherwise the first time: then that payment is made
		if made, found := t.madeBefore(r, s, key); found == nil && made.Kind == central.OutcomePaid && made.Ticket.Number == number {
			paid, err = made.Paid, nil
		}
	}
	if errors.Is(err, central.ErrIdentity) || errors.Is(err, party.ErrPayee) {
		if brief(r) {
			return t.answerBriefly(w, r, nil) // the page will ask
		}
		return t.askPayee(w, r, s, d, checked{number, secret}, err)
	}
	if err != nil {
		return t.refuseTicket(w, r, s, d, err)
	}
	return t.handOut(w, r, s, d, paidBy(key, paid), paid.Again, paid.At)
}

// paidBy is what lies on the counter after a payment.
func paidBy(key string, paid central.Paid) counter {
	return counter{checked: &checked{paid.Ticket.Number, paid.Ticket.Secret}, paid: paid.Amount, command: key}
}

// undoneBy is what lies on the counter after a cancellation.
func undoneBy(key string, ticket wager.Ticket) counter { return counter{undone: &ticket, command: key} }

// handOut answers a payment or cancellation that was made at a time, now or by
// the same form before: the browser sends a form twice at a double click, after a
// lost answer, and when it goes back. The answer says each time how much is to be
// handed out, and plainly so once only.
func (t *terminal) handOut(w http.ResponseWriter, r *http.Request, s seat, d desk, done counter, again bool, at time.Time) error {
	done = t.counters.tell(s.terminal.ID, done, brief(r), again, at)
	if brief(r) {
		return t.answerBriefly(w, r, nil)
	}
	return t.render(w, r, s, http.StatusOK, d, remarks{counter: &done})
}

// madeBefore tells what a command did that is known to have been done.
func (t *terminal) madeBefore(r *http.Request, s seat, key string) (central.Outcome, error) {
	return t.app.Sys.GiveUp(r.Context(), s.terminal.ID, key)
}

// askPayee asks who is paid: at first, or again with what was wrong.
func (t *terminal) askPayee(w http.ResponseWriter, r *http.Request, s seat, d desk, ticket checked, why error) error {
	answer, err := t.app.Sys.CheckAt(r.Context(), ticket.number, ticket.secret, s.place())
	if err != nil {
		return err
	}
	f, err := t.frame(r, s, "payee.title", pathPay)
	if err != nil {
		return err
	}
	f.Menu, f.Back, f.Switch = t.menu(pathPay, d.values()), d.address(), d.address()
	p := payeePage{
		frame: f, Number: ticket.number, Amount: answer.Answer.Payable, Code: s.code(ticket.number, ticket.secret),
		Key: r.PostForm.Get("command"), State: fieldsOf(d.values()),
	}
	if terms := t.app.Sys.Terms(); terms != nil {
		p.From = terms.IdentityFrom
	}
	status := http.StatusOK
	if payee := payeeOf(r); payee != nil {
		refusal := t.app.Explain(r, why)
		p.Payee, p.Refusal, status = *payee, &refusal, refusal.Status
		p.Wrong, _ = errors.AsType[*party.PayeeError](why)
	}
	return face.Render(w, r, status, "payee", p)
}

// paidAt is a payment on a ticket, in the words of the page.
type paidAt struct {
	At     time.Time
	Outlet int  // its number
	Here   bool // by the terminal that asks
	Amount money.Amount
}

// addPayments says of a check when and where what is paid was paid, and why the rest is not paid here.
func (t *terminal) addPayments(r *http.Request, s seat, ticket checked, x *check) error {
	if terms := t.app.Sys.Terms(); terms != nil && terms.PaymentMax > 0 && x.Sum() > terms.PaymentMax {
		x.Max = terms.PaymentMax
	}
	if x.PaidOut() == 0 {
		return nil
	}
	made, err := t.app.Sys.PaymentsMade(r.Context(), ticket.number, ticket.secret)
	if err != nil {
		return err
	}
	for _, p := range made {
		outlet, err := t.app.Sys.Outlet(p.Outlet)
		if err != nil {
			return err
		}
		x.Payments = append(x.Payments, paidAt{p.At, outlet.Number, p.Terminal == s.terminal.ID, p.Amount})
	}
	return nil
}
