package terminal

import (
	"net/http"
	"slices"

	"tirage/central"
	"tirage/money"
	"tirage/wager"
	"tirage/web/page"
)

// giveUp ends what was asked for and not answered: the sale of the desk, or the one
// command of a form that names it.
func (t *terminal) giveUp(w http.ResponseWriter, r *http.Request, s seat) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	d, err := readDesk(r.PostForm, s.games)
	if err != nil {
		return err
	}
	if err := t.app.Checks.Allow("terminal/" + s.terminal.ID); err != nil {
		return err
	}
	if r.PostForm.Has("command") {
		return t.giveUpCommand(w, r, s, d, r.PostForm.Get("command"))
	}
	return t.giveUpSale(w, r, s, d)
}

// giveUpSale tells which slips were sold, whose tickets it shows, and which were
// not, nor will be. Those stay in the basket, as new sales.
func (t *terminal) giveUpSale(w http.ResponseWriter, r *http.Request, s seat, d desk) error {
	all := d.slips
	if !d.blank() && d.draft.key != "" {
		draft := d.whole(false)
		all = append(slices.Clip(all), draft)
	}
	left := newDesk(d.games, d.rules)
	var sold []wager.Ticket
	var soldKeys []string
	var price money.Amount
	for i, x := range all {
		outcome, err := t.app.Sys.GiveUp(r.Context(), s.terminal.ID, x.key)
		if err != nil {
			return err
		}
		switch {
		case outcome.Kind == central.OutcomeSold:
			sold, soldKeys, price = append(sold, outcome.Ticket), append(soldKeys, x.key), price.Add(outcome.Ticket.Price)
		case i < len(d.slips):
			x.key = s.newKey()
			left.slips = append(left.slips, x)
		default: // what was being filled in stays so
			slips := left.slips
			left = d
			left.slips, left.draft.key = slips, ""
		}
	}
	notes := remarks{line: lineOf(len(sold), len(all))}
	if len(sold) > 0 {
		t.autoPrint(r, s, soldKeys, sold)
		notes.counter = &counter{sold: sold, price: price}
	}
	return t.render(w, r, s, http.StatusOK, left, notes)
}

// giveUpCommand tells what became of a payment, a cancellation or the sale of a
// voucher: it was made, and is shown as at first, or it never will be.
func (t *terminal) giveUpCommand(w http.ResponseWriter, r *http.Request, s seat, d desk, key string) error {
	made, err := t.app.Sys.GiveUp(r.Context(), s.terminal.ID, key)
	if err != nil {
		return err
	}
	switch made.Kind {
	case central.OutcomePaid:
		return t.handOut(w, r, s, d, paidBy(key, made.Paid), true, made.At)
	case central.OutcomeCancelled:
		return t.handOut(w, r, s, d, undoneBy(key, made.Ticket), true, made.At)
	case central.OutcomeVoucher:
		return t.showVoucher(w, r, s, &made.Voucher, nil)
	case central.OutcomeGivenUp:
	case central.OutcomeSold, central.OutcomeOther: // forms of those name no command here
		return page.ErrForm
	}
	switch {
	case brief(r):
		return t.answerBriefly(w, r, nil)
	case r.PostForm.Has("amount"):
		return t.showVoucher(w, r, s, nil, central.ErrGivenUp)
	}
	return t.render(w, r, s, http.StatusOK, d, remarks{line: "line.nothing"})
}

// lineOf is the sentence that says what became of a sale that was given up.
func lineOf(sold, all int) string {
	switch sold {
	case 0:
		return "line.none"
	case all:
		return "line.sold"
	}
	return "line.some"
}

// brief tells whether a request asks for no page: the script of the desk asks so
// until it is answered, and only then shows the answer.
func brief(r *http.Request) bool { return r.Header.Get("Prefer") == "return=minimal" }

// aside tells whether a script asks for a page to take parts of it: nobody reads what it tells of money.
func aside(r *http.Request) bool { return r.Header.Get("Prefer") == "return=representation" }

// answerBriefly answers such a request about one command; a fault is no answer.
func (t *terminal) answerBriefly(w http.ResponseWriter, r *http.Request, err error) error {
	status := http.StatusOK
	if err != nil {
		status = t.app.Explain(r, err).Status
	}
	w.WriteHeader(status)
	return nil
}

// certain tells whether refusals leave no doubt that nothing was sold. While a system shuts
// down, has a fault or has lost its database, nobody knows: the sale is asked for again.
func certain(refusals map[string]page.Refusal) bool {
	for _, refusal := range refusals {
		if refusal.Status >= http.StatusInternalServerError && refusal.Code != "clock" {
			return false
		}
	}
	return true
}
