package office

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"tirage/central"
	"tirage/game"
	"tirage/money"
	"tirage/party"
	"tirage/web/page"
)

// withdrawalsPage is the money on its way to players, and from providers of card payments.
type withdrawalsPage struct {
	frame
	Asked    withdrawalList
	Sent     withdrawalList
	Done     []withdrawalLine
	Owed     money.Amount // asked for and sent, by the ledger
	Cards    []central.CardAccount
	Keys     withdrawalKeys
	Typed    collectForm
	Day      string // to reconcile
	Provider string
	Compared *comparison // nil: nothing was compared
	Refusal  refusal
	Notice   string
	File     uint64 // payment file that was just made
}

// withdrawalKeys are the keys of the commands that the forms of the page send.
type withdrawalKeys struct{ Send, Settle, Collect string }

// collectForm is money received from a provider, as typed.
type collectForm struct{ Provider, Amount string }

// withdrawalList is withdrawals in a state.
type withdrawalList struct {
	Lines []withdrawalLine
	Sum   money.Amount // of those listed
	More  bool         // than are listed
}

// withdrawalLine is a withdrawal that can be ticked.
type withdrawalLine struct {
	central.Withdrawal
	Ticked bool
}

// PlayerAddress is the page of who asked.
func (l withdrawalLine) PlayerAddress() string { return pathPlayers + "/" + url.PathEscape(l.Player) }

// Grouped is the account to pay to as people write it, by fours.
func (l withdrawalLine) Grouped() string { return party.IBAN(l.IBAN).String() }

// comparison is the card payments of a day at a provider against the ledger.
type comparison struct {
	Provider string
	Day      game.Day
	Lines    []central.CardDifference
}

// The forms of the page.
const (
	formSend      = "send"
	formSettle    = "settle"
	formReconcile = "reconcile"
	formCollect   = "collect"
)

// Of each state, so many withdrawals are listed: the oldest, since they are paid first.
const (
	withdrawalsMax = 500
	settledMax     = 50
)

// withdrawalNotices is what the page says after a form was done, by the word in its address.
var withdrawalNotices = map[string]string{
	"envoi": "withdrawals.sent", "paye": "withdrawals.paid", "retour": "withdrawals.returned", "encaissement": "withdrawals.collected",
}

func (o office) withdrawalsPage(w http.ResponseWriter, r *http.Request, _ party.Officer) error {
	q := r.URL.Query()
	p, err := o.withdrawals(r)
	if err != nil {
		return err
	}
	if id, ok := withdrawalNotices[q.Get("fait")]; ok {
		if p.Notice, err = face.T(p.Lang, id); err != nil {
			return err
		}
	}
	if p.File, err = readRecordNumber(q.Get("fichier")); err != nil {
		return err
	}
	return face.Render(w, r, http.StatusOK, "withdrawals", p)
}

func (o office) withdrawals(r *http.Request) (withdrawalsPage, error) {
	p := withdrawalsPage{
		frame: o.frame(r, "withdrawals.title", pathWithdrawals), Owed: o.app.Sys.WithdrawalsOwed(), Cards: o.app.Sys.CardAccounts(),
		Keys: withdrawalKeys{page.NewKey(), page.NewKey(), page.NewKey()},
	}
	p.Day = (game.DayOf(p.Now, p.Zone) - 1).String()
	if r.Method == http.MethodPost {
		p.Switch = pathWithdrawals + "?" + url.Values{"lang": {p.Lang.Other().String()}}.Encode()
	}
	var err error
	if p.Asked, err = o.listWithdrawals(r, "asked"); err != nil {
		return p, err
	}
	if p.Sent, err = o.listWithdrawals(r, "sent"); err != nil {
		return p, err
	}
	recent, err := o.app.Sys.Withdrawals(r.Context(), "", withdrawalsMax)
	for _, one := range recent {
		if (one.State == "paid" || one.State == "returned") && len(p.Done) < settledMax {
			p.Done = append(p.Done, withdrawalLine{one, false})
		}
	}
	return p, err
}

func (o office) listWithdrawals(r *http.Request, state string) (l withdrawalList, err error) {
	list, err := o.app.Sys.Withdrawals(r.Context(), state, withdrawalsMax+1)
	if len(list) > withdrawalsMax {
		list, l.More = list[:withdrawalsMax], true
	}
	for _, one := range list {
		l.Lines, l.Sum = append(l.Lines, withdrawalLine{one, false}), l.Sum.Add(one.Amount)
	}
	return l, err
}

// ticked reads the records that are ticked: odd is what one that is none is
// refused with, and none names the sentence for none at all.
func ticked(form url.Values, odd error, none string) (records []uint64, err error) {
	for _, text := range form["record"] {
		record, err := strconv.ParseUint(text, 10, 63)
		if err != nil {
			return nil, odd
		}
		records = append(records, record)
	}
	if len(records) == 0 {
		return nil, &fieldError{http.StatusUnprocessableEntity, "record", none, nil}
	}
	return records, nil
}

// tickedWithdrawals reads the withdrawals that are ticked.
func tickedWithdrawals(form url.Values) ([]uint64, error) {
	return ticked(form, central.ErrWithdrawal, "withdrawals.fault.none")
}

// sendWithdrawals puts what is ticked into a payment file, which the page then offers.
func (o office) sendWithdrawals(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	records, err := tickedWithdrawals(r.PostForm)
	if err == nil {
		_, err = o.app.Sys.SendWithdrawals(r.Context(), r.PostForm.Get("key"), officer.ID, records)
	}
	if err != nil {
		return o.refuseWithdrawals(w, r, formSend, err)
	}
	sent, err := o.app.Sys.Withdrawal(r.Context(), records[0])
	if err != nil {
		return err
	}
	http.Redirect(w, r, fmt.Sprintf("%s?fait=envoi&fichier=%d", pathWithdrawals, sent.File), http.StatusSeeOther)
	return nil
}

// transferFile gives a payment file; the bank takes each once, by the number in it.
func (o office) transferFile(w http.ResponseWriter, r *http.Request, _ party.Officer) error {
	number, err := strconv.ParseUint(r.PathValue("number"), 10, 63)
	if err != nil {
		return page.ErrNotFound
	}
	file, err := o.app.Sys.TransferFile(r.Context(), number)
	if err != nil {
		return err
	}
	attach(w, "application/xml", fmt.Sprintf("retraits-%d.xml", number), file)
	return nil
}

// settleWithdrawals notes what the bank did with what is ticked.
func (o office) settleWithdrawals(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	form := r.PostForm
	done := form.Get("outcome")
	records, err := tickedWithdrawals(form)
	switch {
	case err != nil:
	case done != "paye" && done != "retour":
		err = page.ErrForm
	default:
		err = o.app.Sys.SettleWithdrawals(r.Context(), form.Get("key"), officer.ID, records, done == "retour")
	}
	if err != nil {
		return o.refuseWithdrawals(w, r, formSettle, err)
	}
	http.Redirect(w, r, pathWithdrawals+"?fait="+done, http.StatusSeeOther)
	return nil
}

// reconcile compares a day of a provider's payments with the ledger. What the
// provider has and we have not is credited by it, so it is a form that is sent.
func (o office) reconcile(w http.ResponseWriter, r *http.Request, _ party.Officer) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	provider := r.PostForm.Get("provider")
	day, err := game.ParseDay(r.PostForm.Get("day"))
	var lines []central.CardDifference
	switch today := game.DayOf(o.app.Sys.Now(), page.ParisZone()); {
	case err != nil:
	case day > today || day < today-reconcileMax:
		err = &fieldError{http.StatusUnprocessableEntity, "day", "withdrawals.fault.day", reconcileMax}
	default:
		lines, err = o.app.Sys.ReconcileCards(r.Context(), provider, day)
	}
	if err != nil {
		return o.refuseWithdrawals(w, r, formReconcile, err)
	}
	p, err := o.withdrawals(r)
	if err != nil {
		return err
	}
	p.Day, p.Provider, p.Compared = day.String(), provider, &comparison{provider, day, lines}
	return face.Render(w, r, http.StatusOK, "withdrawals", p)
}

// reconcileMax is how many days ago payments may have been made that are compared.
const reconcileMax = 400

// collect books money received from a provider.
func (o office) collect(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	form := r.PostForm
	amount, err := page.LangOf(r).ParseMoney(form.Get("amount"))
	if err == nil {
		_, err = o.app.Sys.Collect(r.Context(), central.Collect{
			Key: form.Get("key"), Officer: officer.ID, Provider: form.Get("provider"), Amount: amount,
		})
	}
	if err != nil {
		return o.refuseWithdrawals(w, r, formCollect, err)
	}
	http.Redirect(w, r, pathWithdrawals+"?fait=encaissement", http.StatusSeeOther)
	return nil
}

// refuseWithdrawals shows the page again with the reason, in the form that sent
// it, and with what was ticked and typed.
func (o office) refuseWithdrawals(w http.ResponseWriter, r *http.Request, name string, err error) error {
	p, pageErr := o.withdrawals(r)
	if pageErr != nil {
		return pageErr
	}
	form := r.PostForm
	was := map[string]bool{}
	for _, record := range form["record"] {
		was[record] = true
	}
	for _, list := range []*withdrawalList{&p.Asked, &p.Sent} {
		for i := range list.Lines {
			list.Lines[i].Ticked = was[strconv.FormatUint(list.Lines[i].Record, 10)]
		}
	}
	switch name {
	case formReconcile:
		p.Day, p.Provider = form.Get("day"), form.Get("provider")
	case formCollect:
		p.Typed = collectForm{form.Get("provider"), form.Get("amount")}
	}
	p.Refusal.Form = name
	status, err := o.explain(r, &p.Refusal, err)
	if err != nil {
		return err
	}
	return face.Render(w, r, status, "withdrawals", p)
}
