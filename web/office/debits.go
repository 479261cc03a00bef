package office

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"tirage/central"
	"tirage/journal"
	"tirage/money"
	"tirage/party"
	"tirage/web/page"
)

// debitsPage is what outlets owe by their statements, to be put into a file of
// direct debits, and the files that were made.
type debitsPage struct {
	frame
	Due      []dueLine
	DuePages pages
	Sum      money.Amount // of those listed that can be debited
	Files    []central.DebitFileSums
	Pages    pages  // of the files
	Key      string // of the form that sends
	Send     string // address that it is sent to: it has the page that was shown
	Refusal  refusal
	Notice   string
	File     uint64 // that was just made
}

// dueLine is a statement that can be ticked.
type dueLine struct {
	central.DebitDue
	Ticked bool
}

// debitFilePage is a file of direct debits and what became of each.
type debitFilePage struct {
	frame
	Record uint64
	SentAt time.Time
	Lines  []debitLine
	Sum    money.Amount
	Open   []uint64     // statements of which the bank has not told yet
	Left   money.Amount // of them
	// Keys of the forms that settle these together, and those that are ticked.
	Key, TickKey string
	Refusal      refusal
	Notice       string
}

// debitLine is a direct debit that can be ticked.
type debitLine struct {
	central.Debit
	Ticked bool
}

// Settles tells that the bank may still say something else of it.
func (l debitLine) Settles() bool { return l.State != "returned" }

// filesLength is how many files a page lists.
const filesLength = 10

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
	p := debitsPage{frame: o.frame(r, "debits.title", pathDebits), Key: page.NewKey(), Send: pathDebits}
	if r.Method == http.MethodPost {
		p.Switch = pathDebits + "?" + url.Values{"lang": {p.Lang.Other().String()}}.Encode()
	}
	q := r.URL.Query()
	due, err := o.app.Sys.DebitsDue(r.Context())
	if err != nil {
		return p, err
	}
	p.DuePages = pagesOf(pathDebits, q, "releves", len(due), journal.DebitLinesMax)
	if shown := q.Get("releves"); shown != "" {
		p.Send += "?" + url.Values{"releves": {shown}}.Encode()
	}
	for _, d := range due[max(0, p.DuePages.First-1):p.DuePages.Last] {
		p.Due = append(p.Due, dueLine{d, false})
		if d.Mandate {
			p.Sum = p.Sum.Add(d.Amount)
		}
	}
	_, all, err := o.app.Sys.DebitFiles(r.Context(), 0, 1)
	if err != nil {
		return p, err
	}
	p.Pages = pagesOf(pathDebits, q, "page", all, filesLength)
	p.Files, _, err = o.app.Sys.DebitFiles(r.Context(), max(0, p.Pages.First-1), filesLength)
	return p, err
}

// debitFileAddress is the page of a file.
func debitFileAddress(file uint64) string {
	return pathDebits + "/" + strconv.FormatUint(file, 10)
}

func (o office) debitFilePage(w http.ResponseWriter, r *http.Request, _ party.Officer) error {
	file, err := strconv.ParseUint(r.PathValue("number"), 10, 63)
	if err != nil {
		return page.ErrNotFound
	}
	p, err := o.debitFile(r, file)
	if err != nil {
		return err
	}
	if id, ok := debitNotices[r.URL.Query().Get("fait")]; ok {
		if p.Notice, err = face.T(p.Lang, id); err != nil {
			return err
		}
	}
	return face.Render(w, r, http.StatusOK, "debitfile", p)
}

func (o office) debitFile(r *http.Request, file uint64) (debitFilePage, error) {
	p := debitFilePage{frame: o.frame(r, "debits.title", pathDebits), Record: file, Key: page.NewKey(), TickKey: page.NewKey()}
	if r.Method == http.MethodPost {
		p.Switch = debitFileAddress(file) + "?" + url.Values{"lang": {p.Lang.Other().String()}}.Encode()
	}
	list, err := o.app.Sys.Debits(r.Context(), file)
	if errors.Is(err, central.ErrDebit) {
		return p, page.ErrNotFound
	}
	if err != nil {
		return p, err
	}
	for _, d := range list {
		p.SentAt, p.Lines, p.Sum = d.SentAt, append(p.Lines, debitLine{d, false}), p.Sum.Add(d.Amount)
		if d.State == "sent" {
			p.Open, p.Left = append(p.Open, d.Statement.Record), p.Left.Add(d.Amount)
		}
	}
	slices.SortStableFunc(p.Lines, func(a, b debitLine) int { return a.Statement.Outlet.Number - b.Statement.Outlet.Number })
	p.Title, err = face.T(p.Lang, "debits.file", strconv.FormatUint(file, 10))
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
		return o.refuseDebits(w, r, err)
	}
	http.Redirect(w, r, fmt.Sprintf("%s?fait=envoi&fichier=%d", pathDebits, file), http.StatusSeeOther)
	return nil
}

// tickedStatements reads the statements that are ticked.
func tickedStatements(form url.Values) ([]uint64, error) {
	return ticked(form, central.ErrDebit, "debits.fault.none")
}

// settleDebits notes what the bank did with what is ticked of a file, or with all of it that it has not told of.
func (o office) settleDebits(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	form := r.PostForm
	file, err := strconv.ParseUint(form.Get("file"), 10, 63)
	if err != nil {
		return page.ErrForm
	}
	done := form.Get("outcome")
	records, err := tickedStatements(form)
	switch {
	case err != nil:
	case done != "paye" && done != "retour":
		return page.ErrForm
	default:
		err = o.app.Sys.SettleDebits(r.Context(), form.Get("key"), officer.ID, records, done == "retour")
	}
	if err == nil {
		http.Redirect(w, r, debitFileAddress(file)+"?fait="+done, http.StatusSeeOther)
		return nil
	}
	p, pageErr := o.debitFile(r, file)
	if pageErr != nil {
		return pageErr
	}
	for i := range p.Lines {
		p.Lines[i].Ticked = slices.Contains(form["record"], strconv.FormatUint(p.Lines[i].Statement.Record, 10))
	}
	p.Refusal.Form = formSettle
	status, err := o.explain(r, &p.Refusal, err)
	if err != nil {
		return err
	}
	return face.Render(w, r, status, "debitfile", p)
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

// refuseDebits shows the page again with the reason, and with what was ticked.
func (o office) refuseDebits(w http.ResponseWriter, r *http.Request, err error) error {
	p, pageErr := o.debits(r)
	if pageErr != nil {
		return pageErr
	}
	for i := range p.Due {
		p.Due[i].Ticked = slices.Contains(r.PostForm["record"], strconv.FormatUint(p.Due[i].Statement, 10))
	}
	p.Refusal.Form = formSend
	status, err := o.explain(r, &p.Refusal, err)
	if err != nil {
		return err
	}
	return face.Render(w, r, status, "debits", p)
}
