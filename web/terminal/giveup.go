package terminal

import (
	"errors"
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
		return t.refuseGiveUp(w, r, s, d, err)
	}
	if r.PostForm.Has("command") {
		return t.giveUpCommand(w, r, s, d, r.PostForm.Get("command"))
	}
	return t.giveUpSale(w, r, s, d)
}

// Each key that is given up may be a record of its own, which costs its terminal nothing: three full
// baskets at once with a slip on the desk, and the last of them once more while its answer is lost;
// and then one a minute, which is what a refusal says to wait.
const (
	giveUpBurst  = 4 * (slipsMax + 1)
	giveUpMinute = slipsMax + 1
)

func newGiveUpLimit() *page.Limiter { return page.NewLimiter(giveUpMinute/60.0, giveUpBurst) }

// giveUpKeys gives keys up, all or none, and tells what became of each. What was
// decided before, and has its record, counts for nothing: a lost answer is asked for again.
func (t *terminal) giveUpKeys(r *http.Request, s seat, keys []string) ([]central.Outcome, error) {
	forgive := make([]func(), len(keys))
	for i := range keys {
		var err error
		if forgive[i], err = t.giveUps.Try(s.terminal.ID); err != nil {
			for _, f := range forgive[:i] {
				f()
			}
			return nil, err
		}
	}
	list := make([]central.Outcome, len(keys))
	for i, key := range keys {
		var err error
		if list[i], err = t.app.Sys.GiveUp(r.Context(), s.terminal.ID, key); err != nil {
			return nil, err
		}
		if list[i].Again {
			forgive[i]()
		}
	}
	return list, nil
}

// refuseGiveUp shows what was to be given up as it stands where that is too much at
// once: nothing of it is decided, and its forms have their keys.
func (t *terminal) refuseGiveUp(w http.ResponseWriter, r *http.Request, s seat, d desk, err error) error {
	if !errors.Is(err, page.ErrTooMany) {
		return err
	}
	w.Header().Set("Retry-After", "60")
	switch {
	case r.PostForm.Has("amount"):
		return t.showVoucher(w, r, s, nil, err)
	case r.PostForm.Has("command"):
		return t.refuseTicket(w, r, s, d, err)
	}
	return t.refuseDraft(w, r, s, d, false, err)
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
	keys := make([]string, len(all))
	for i, x := range all {
		keys[i] = x.key
	}
	outcomes, err := t.giveUpKeys(r, s, keys)
	if err != nil {
		return t.refuseGiveUp(w, r, s, d, err)
	}
	for i, x := range all {
		outcome := outcomes[i]
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
	outcomes, err := t.giveUpKeys(r, s, []string{key})
	if err != nil {
		return t.refuseGiveUp(w, r, s, d, err)
	}
	made := outcomes[0]
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
