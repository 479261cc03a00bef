package office

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"tirage/central"
	"tirage/journal"
	"tirage/money"
	"tirage/party"
	"tirage/web/page"
)

// debitsPage is what outlets owe by their statements: to be put into a file of
// direct debits, in one, and what their banks did.
type debitsPage struct {
	frame
	Due     []dueLine
	Sum     money.Amount // of those that can be debited
	Files   []debitFile
	Key     string // of the form that sends
	Refusal refusal
	Notice  string
	File    uint64 // that was just made
}

// dueLine is a statement that can be ticked.
type dueLine struct {
	central.DebitDue
	Ticked bool
}

// debitFile is a file of direct debits and what became of each.
type debitFile struct {
	Record uint64
	Lines  []debitLine
	Sum    money.Amount
	Open   []uint64     // statements of which the bank has not told yet
	Left   money.Amount // of them
	// Keys of the forms that settle these together, and those that are ticked.
	Key, TickKey string
}

// debitLine is a direct debit that can be ticked.
type debitLine struct {
	central.Debit
	Ticked bool
}

// Settles tells that the bank may still say something else of it.
func (l debitLine) Settles() bool { return l.State != "returned" }

// debitsMax is how many direct debits are listed.
const debitsMax = 1000

// debitNotices is what the page says after a form was done, by the word in its address.
var debitNotices = map[string]string{"envoi": "debits.sent", "paye": "debits.paid", "retour": "debits.returned"}

func (o office) debitsPage(w http.ResponseWriter, r *http.Request, _ party.Officer) error {
	q := r.URL.Query()
	p, err := o.debits(r)
	if err != nil {
		return err
	}
	if id, ok := debitNotices[q.Get("fait")]; ok {
		if p.Notice, err = face.T(p.Lang, id); err != nil {
			return err
		}
	}
	if p.File, err = readRecordNumber(q.Get("fichier")); err != nil {
		return err
	}
	return face.Render(w, r, http.StatusOK, "debits", p)
}

func (o office) debits(r *http.Request) (debitsPage, error) {
	p := debitsPage{frame: o.frame(r, "debits.title", pathDebits), Key: page.NewKey()}
	if r.Method == http.MethodPost {
		p.Switch = pathDebits + "?" + url.Values{"lang": {p.Lang.Other().String()}}.Encode()
	}
	due, err := o.app.Sys.DebitsDue(r.Context())
	if err != nil {
		return p, err
	}
	for _, d := range due[:min(len(due), journal.DebitLinesMax)] {
		p.Due = append(p.Due, dueLine{d, false})
		if d.Mandate {
			p.Sum = p.Sum.Add(d.Amount)
		}
	}
	list, err := o.app.Sys.Debits(r.Context(), debitsMax)
	for _, d := range list {
		n := len(p.Files)
		if n == 0 || p.Files[n-1].Record != d.File {
			p.Files = append(p.Files, debitFile{Record: d.File, Key: page.NewKey(), TickKey: page.NewKey()})
			n++
		}
		f := &p.Files[n-1]
		f.Lines, f.Sum = append(f.Lines, debitLine{d, false}), f.Sum.Add(d.Amount)
		if d.State == "sent" {
			f.Open, f.Left = append(f.Open, d.Statement.Record), f.Left.Add(d.Amount)
		}
	}
	return p, err
}

// sendDebits puts what is ticked into a file of direct debits, which the page then offers.
func (o office) sendDebits(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	records, err := tickedStatements(r.PostForm)
	var file uint64
	if err == nil {
		_, file, err = o.app.Sys.SendDebits(r.Context(), r.PostForm.Get("key"), officer.ID, records)
	}
	if err != nil {
		return o.refuseDebits(w, r, formSend, err)
	}
	http.Redirect(w, r, fmt.Sprintf("%s?fait=envoi&fichier=%d", pathDebits, file), http.StatusSeeOther)
	return nil
}

// tickedStatements reads the statements that are ticked.
func tickedStatements(form url.Values) (records []uint64, err error) {
	for _, text := range form["record"] {
		record, err := strconv.ParseUint(text, 10, 63)
		if err != nil {
			return nil, central.ErrDebit
		}
		records = append(records, record)
	}
	if len(records) == 0 {
		return nil, &fieldError{http.StatusUnprocessableEntity, "record", "debits.fault.none", nil}
	}
	return records, nil
}

// settleDebits notes what the bank did with what is ticked, or with all of a file that it has not told of.
func (o office) settleDebits(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	form := r.PostForm
	done := form.Get("outcome")
	records, err := tickedStatements(form)
	switch {
	case err != nil:
	case done != "paye" && done != "retour":
		err = page.ErrForm
	default:
		err = o.app.Sys.SettleDebits(r.Context(), form.Get("key"), officer.ID, records, done == "retour")
	}
	if err != nil {
		return o.refuseDebits(w, r, formSettle, err)
	}
	http.Redirect(w, r, pathDebits+"?fait="+done, http.StatusSeeOther)
	return nil
}

// debitFileXML gives a file of direct debits, each time the same; its bank takes it once, by the number in it.
func (o office) debitFileXML(w http.ResponseWriter, r *http.Request, _ party.Officer) error {
	number, err := strconv.ParseUint(r.PathValue("number"), 10, 63)
	if err != nil {
		return page.ErrNotFound
	}
	file, err := o.app.Sys.DebitFile(r.Context(), number)
	if errors.Is(err, central.ErrDebit) {
		return page.ErrNotFound
	}
	if err != nil {
		return err
	}
	attach(w, "application/xml", fmt.Sprintf("prelevements-%d.xml", number), file)
	return nil
}

// refuseDebits shows the page again with the reason, in the form that sent it, and with what was ticked.
func (o office) refuseDebits(w http.ResponseWriter, r *http.Request, form string, err error) error {
	p, pageErr := o.debits(r)
	if pageErr != nil {
		return pageErr
	}
	ticked := func(record uint64) bool {
		return slices.Contains(r.PostForm["record"], strconv.FormatUint(record, 10))
	}
	for i := range p.Due {
		p.Due[i].Ticked = form == formSend && ticked(p.Due[i].Statement)
	}
	for _, f := range p.Files {
		for i := range f.Lines {
			f.Lines[i].Ticked = form == formSettle && ticked(f.Lines[i].Statement.Record)
		}
	}
	p.Refusal.Form = form
	status, err := o.explain(r, &p.Refusal, err)
	if err != nil {
		return err
	}
	return face.Render(w, r, status, "debits", p)
}
