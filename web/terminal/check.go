package terminal

import (
	"net/http"

	"tirage/central"
	"tirage/wager"
	"tirage/web/page"
)

// check looks a ticket up by its code (contrôle du reçu).
func (t *terminal) check(w http.ResponseWriter, r *http.Request, s seat, d desk, code string) error {
	number, secret, answer, err := t.lookUp(r, s, code)
	if err != nil {
		return t.refuseScan(w, r, s, d, code, err)
	}
	return t.render(w, r, s, http.StatusOK, d, remarks{counter: &counter{checked: &checked{number, secret}}, answer: &answer})
}

// lookUp finds the ticket of a code; tries are limited, whoever makes them (F24).
func (t *terminal) lookUp(r *http.Request, s seat, code string) (number wager.ID, secret [8]byte, answer central.Check, err error) {
	if err := t.app.Checks.Allow("terminal/" + s.terminal.ID); err != nil {
		return 0, secret, answer, err
	}
	if number, secret, err = s.parseCode(code); err != nil {
		return 0, secret, answer, err
	}
	answer, err = t.app.Sys.CheckAt(r.Context(), number, secret, s.place())
	return number, secret, answer, err
}

// ticketForm is a form about one ticket: the state of the desk, the ticket's
// code, and the key of the command.
func ticketForm(r *http.Request, s seat) (d desk, number wager.ID, secret [8]byte, key string, err error) {
	if err = page.ReadForm(r); err != nil {
		return d, number, secret, key, err
	}
	if d, err = readDesk(r.PostForm, s.games); err != nil {
		return d, number, secret, key, err
	}
	number, secret, err = s.parseCode(r.PostForm.Get("code"))
	return d, number, secret, r.PostForm.Get("command"), err
}

// cancel takes a ticket back and gives the player his stake; the page has asked twice.
func (t *terminal) cancel(w http.ResponseWriter, r *http.Request, s seat) error {
	d, number, secret, key, err := ticketForm(r, s)
	if err != nil {
		return err
	}
	if err := t.app.Checks.Allow("terminal/" + s.terminal.ID); err != nil {
		return t.refuseTicket(w, r, s, d, err)
	}
	done, err := t.app.Sys.Cancel(r.Context(), central.Cancel{Key: key, Terminal: s.terminal.ID, Ticket: number, Secret: secret})
	if err != nil {
		return t.refuseTicket(w, r, s, d, err)
	}
	return t.handOut(w, r, s, d, undoneBy(key, done.Ticket), done.Again, done.At)
}

func (t *terminal) refuseTicket(w http.ResponseWriter, r *http.Request, s seat, d desk, err error) error {
	if brief(r) {
		return t.answerBriefly(w, r, err)
	}
	refusal := t.app.Explain(r, err)
	return t.render(w, r, s, refusal.Status, d, remarks{check: &refusal})
}

// remarks are what a form's answer says: refusals, each shown at what it is
// about, and what was done.
type remarks struct {
	draft *page.Refusal
	err   error                   // what draft explains
	flash bool                    // a quick pick was asked for
	slips map[string]page.Refusal // by key
	check *page.Refusal
	code  string // as typed

	answer  *central.Check // of the ticket under check, if this request has asked for it
	line    string         // a sentence that says what became of a sale that was given up; "": none was
	counter *counter       // what lies on the counter from now on; nil: what lay there
	fresh   bool           // the counter is this request's
}
