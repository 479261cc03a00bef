package terminal

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"tirage/central"
	"tirage/game"
	"tirage/money"
	"tirage/paper"
	"tirage/web/page"
)

// The accounts of the outlet, by what their addresses end with; a day is "2027-01-04", a statement "releve-123".
const (
	ofShift       = "service"
	ofWeek        = "semaine"
	ofStatements  = "releves"
	statementPart = "releve-"
)

// accountPage is an account of the outlet: of a day, a shift, the week, or a statement; or the list of statements.
type accountPage struct {
	frame
	Tabs       []link
	Heading    string
	Span       string // what it is of, in words
	From, To   game.Day
	Rows       []accountRow
	Total      accountRow
	Sums       []accountSum
	Statements []statementLine
	Listed     bool // it is the list of statements
	None       bool // there is no shift
	Before     string
	After      string
	Files      string             // address that its files begin with; "": it has none
	Later      money.Amount       // commission that the outlet's account has from its statement on; 0: none, or the account is not of now
	Stated     *central.Statement // that it is of; nil: none
}

// statementLine is a statement in the list, and the address of its page.
type statementLine struct {
	central.Statement
	Address string
}

// accountRow is what was done in a game.
type accountRow struct {
	Name                        game.Text
	Sold, Cancelled, Paid, Back money.Amount
	Commission                  money.Amount
	Counted                     bool // the numbers of tickets are known
	SoldN, CancelledN, PaidN    int64
}

// accountSum is a line under the table; the last one is what matters.
type accountSum struct {
	Name   string // a sentence
	Amount money.Amount
}

func (t *terminal) accountPage(w http.ResponseWriter, r *http.Request, s seat) error {
	p, err := t.account(r, s, r.PathValue("which"))
	if err != nil {
		return err
	}
	return face.Render(w, r, http.StatusOK, "account", p)
}

// account makes the account that an address names; none: that of today.
func (t *terminal) account(r *http.Request, s seat, which string) (accountPage, error) {
	f, err := t.frame(r, s, "account.title", pathAccount)
	if err != nil {
		return accountPage{}, err
	}
	today, err := t.app.Sys.Today(s.outlet.ID)
	if err != nil {
		return accountPage{}, err
	}
	p := accountPage{frame: f}
	if which == "" {
		which = today.String()
	}
	p.Files = pathAccount + "/" + which
	ctx := r.Context()
	switch number, ok := strings.CutPrefix(which, statementPart); {
	case ok:
		statement, err := t.statement(r, s, number)
		if err != nil {
			return p, err
		}
		p.addStatement(t, statement)
	case which == ofStatements:
		p.Heading, p.Listed, p.Files = "account.statements", true, ""
		list, err := t.app.Sys.Statements(ctx, s.outlet.ID, statementsShown)
		if err != nil {
			return p, err
		}
		for _, x := range list {
			address := pathAccount + "/" + statementPart + strconv.FormatUint(x.Record, 10)
			p.Statements = append(p.Statements, statementLine{x, withState(address, r.URL.Query())})
		}
	case which == ofShift:
		shift, err := t.app.Sys.Shift(ctx, s.terminal.ID)
		if err != nil {
			return p, err
		}
		p.Heading, p.None = "account.shift", shift.OpenedAt.IsZero()
		if !p.None {
			p.Span, p.From, p.To = p.Lang.Moment(shift.OpenedAt, s.zone), game.DayOf(shift.OpenedAt, s.zone), today
		}
		p.addTill(t, shift.Till)
	case which == ofWeek:
		week, err := t.app.Sys.Week(ctx, s.outlet.ID)
		if err != nil {
			return p, err
		}
		p.Heading, p.Span, p.From, p.To = "account.week", p.Lang.ShortDay(week.First)+" – "+p.Lang.ShortDay(week.Last), week.First, week.Last
		p.Sums = append(p.Sums, accountSum{"account.opening", week.Opening})
		p.addTill(t, week.Till)
		p.Sums[len(p.Sums)-1] = accountSum{"account.closing", week.Closing}
	default:
		day, err := game.ParseDay(which)
		if err != nil {
			return p, err
		}
		did, err := t.app.Sys.Day(ctx, s.outlet.ID, day)
		if err != nil {
			return p, err
		}
		p.addDay(t, day, did)
		p.Before = withState(pathAccount+"/"+(day-1).String(), r.URL.Query())
		if day < today {
			p.After = withState(pathAccount+"/"+(day+1).String(), r.URL.Query())
		}
	}
	p.Tabs = tabs(r, which)
	return p, p.addLater(t, r, s, which == ofShift && !p.None || which == ofWeek || which == today.String())
}

// addLater adds the commission in which what the head of the page says is owed differs from an account of now.
func (p *accountPage) addLater(t *terminal, r *http.Request, s seat, now bool) error {
	if !now {
		return nil
	}
	week, err := t.app.Sys.Week(r.Context(), s.outlet.ID)
	p.Later = week.Commission
	return err
}

// Rest is what the outlet owes once that commission is booked.
func (p accountPage) Rest() money.Amount { return p.Account.Owes.Sub(p.Later) }

// addDay adds what was done on a day, between the balances of its midnights.
func (p *accountPage) addDay(t *terminal, day game.Day, did central.Day) {
	p.Heading, p.Span, p.From, p.To = "account.day", p.Lang.Day(day), day, day
	p.addTill(t, did.Till)
	p.Sums = append(p.Sums, accountSum{"account.opening", did.Opening})
	if did.Credited != 0 {
		p.Sums = append(p.Sums, accountSum{"account.credited", -did.Credited})
	}
	p.Sums = append(p.Sums, accountSum{"account.dayclosing", did.Closing})
}

// statement is one of the outlet's own.
func (t *terminal) statement(r *http.Request, s seat, number string) (central.Statement, error) {
	record, err := strconv.ParseUint(number, 10, 64)
	if err != nil {
		return central.Statement{}, fmt.Errorf("%w: %.20q", central.ErrNoStatement, number)
	}
	statement, err := t.app.Sys.Statement(r.Context(), record)
	if err == nil && statement.Outlet.ID != s.outlet.ID {
		return central.Statement{}, central.ErrNoStatement
	}
	return statement, err
}

// statementsShown is how many statements are listed: a year's.
const statementsShown = 12

func tabs(r *http.Request, here string) []link {
	list := []link{
		{Name: "account.day", Address: pathAccount},
		{Name: "account.shift", Address: pathAccount + "/" + ofShift},
		{Name: "account.week", Address: pathAccount + "/" + ofWeek},
		{Name: "account.statements", Address: pathAccount + "/" + ofStatements},
	}
	at := map[string]int{ofShift: 1, ofWeek: 2, ofStatements: 3}[here]
	if strings.HasPrefix(here, statementPart) {
		at = 3
	}
	for i := range list {
		list[i].Here, list[i].Key, list[i].Address = i == at, strconv.Itoa(i+1), withState(list[i].Address, r.URL.Query())
	}
	return list
}

// addTill writes what was done into the table and the sums under it.
func (p *accountPage) addTill(t *terminal, till central.Till) {
	for _, l := range till.Lines {
		p.addRow(accountRow{
			Name: t.nameOf(l.Game), Sold: l.Sold, Cancelled: l.Cancelled, Paid: l.Paid, Back: l.Back,
			Counted: true, SoldN: l.SoldN, CancelledN: l.CancelledN, PaidN: l.PaidN,
		})
	}
	p.Sums = append(p.Sums,
		accountSum{"account.vouchers", till.Vouchers}, accountSum{"account.received", -till.Received}, accountSum{"account.returned", till.Returned},
		accountSum{"account.commission", -till.Commission}, accountSum{"account.due", till.Due().Sub(till.Commission)},
	)
}

func (p *accountPage) addStatement(t *terminal, st central.Statement) {
	p.Stated = &st
	p.Heading, p.Span = "account.statement", p.Lang.ShortDay(st.First)+" – "+p.Lang.ShortDay(st.Last)
	for _, l := range st.Lines {
		p.addRow(accountRow{Name: t.nameOf(l.Game), Sold: l.Sold, Cancelled: l.Cancelled, Paid: l.Paid, Back: l.Back, Commission: l.Commission})
	}
	p.Sums = []accountSum{
		{"account.opening", st.Opening},
		{"account.vouchers", st.Vouchers},
		{"account.received", -st.Received},
		{"account.returned", st.Returned},
		{"account.commission", -st.Commission},
		{"account.closing", st.Closing},
	}
}

func (p *accountPage) addRow(row accountRow) {
	p.Rows = append(p.Rows, row)
	x := &p.Total
	x.Sold, x.Cancelled, x.Paid, x.Back = x.Sold.Add(row.Sold), x.Cancelled.Add(row.Cancelled), x.Paid.Add(row.Paid), x.Back.Add(row.Back)
	x.Commission = x.Commission.Add(row.Commission)
	x.Counted, x.SoldN, x.CancelledN, x.PaidN = row.Counted, x.SoldN+row.SoldN, x.CancelledN+row.CancelledN, x.PaidN+row.PaidN
}

func (t *terminal) nameOf(code game.Code) game.Text {
	if r, err := t.app.Sys.Rules(code); err == nil {
		return r.Name
	}
	return game.Text{FR: string(code), EN: string(code)}
}

// accountFile is an account as a file: CSV, or a PDF on A4 or on a roll of 80 mm.
func (t *terminal) accountFile(w http.ResponseWriter, r *http.Request, s seat) error {
	which := r.PathValue("which")
	p, err := t.account(r, s, which)
	if err != nil {
		return err
	}
	if p.Listed {
		return page.ErrNotFound
	}
	report, err := p.report(t)
	if err != nil {
		return err
	}
	var b []byte
	kind, name := "application/pdf", r.PathValue("file")
	switch name {
	case "a4.pdf":
		b, err = report.A4()
	case "80mm.pdf":
		b, err = report.RollPDF()
	case "compte.csv":
		kind = "text/csv; charset=utf-8"
		b, err = p.csv()
	default:
		return page.ErrNotFound
	}
	if err != nil {
		return err
	}
	if s.training {
		name = "specimen-" + name
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%d-%s-%s"`, s.outlet.Number, which, name))
	h.Set("Cache-Control", "no-store")
	_, _ = w.Write(b) // the viewer may have gone
	return nil
}

// columns are the sentences over the columns of the table.
var columns = []string{"account.game", "account.sold", "account.cancelled", "account.prizes", "account.back"}

// report is the account as it is printed.
func (p accountPage) report(t *terminal) (paper.Report, error) {
	l := p.Lang
	if p.Stated != nil { // as the office prints it
		return face.StatementReport(l, *p.Stated, t.nameOf, p.Training)
	}
	r := paper.Report{Lang: l.String(), At: t.app.Sys.Now()}
	var err error
	word := func(id string) string {
		text, failed := face.T(l, id)
		if failed != nil {
			err = failed
		}
		return text
	}
	r.Title = word(p.Heading)
	if p.Training {
		r.Title = word("ticket.specimen") + " · " + r.Title
	}
	r.Head = [][2]string{{word("account.of"), p.Span}, {word("bar.outlet"), strconv.Itoa(p.Outlet.Number)}, {word("account.made"), l.Moment(r.At, p.Zone)}}
	for _, id := range columns {
		r.Columns = append(r.Columns, word(id))
	}
	for _, row := range p.Rows {
		r.Rows = append(r.Rows, row.cells(l, l.Text(row.Name)))
	}
	r.Total = p.Total.cells(l, word("account.total"))
	for _, s := range p.Sums {
		r.Sums = append(r.Sums, [2]string{word(s.Name), l.Money(s.Amount)})
	}
	return r, err
}

// cells are the amounts of a row behind its name, as they are printed.
func (row accountRow) cells(l page.Lang, name string) []string {
	return []string{name, l.Money(row.Sold), l.Money(-row.Cancelled), l.Money(-row.Paid), l.Money(-row.Back)}
}

// csv is the account for a spreadsheet: amounts in euros with a point, whatever the
// language, each with the outlet and the days that it is of, as in [central.Statement.CSV].
func (p accountPage) csv() ([]byte, error) {
	if p.Stated != nil { // as the office writes it
		return p.Stated.CSV(p.Training), nil
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	rows := [][]string{{"outlet", "first_day", "last_day", "item", "game", "amount", "zone"}}
	write := func(item, game, amount string) {
		rows = append(rows, []string{strconv.Itoa(p.Outlet.Number), p.From.String(), p.To.String(), item, game, amount, p.Outlet.Zone})
	}
	if p.Training {
		write("SPECIMEN", "", "")
	}
	for _, row := range p.Rows {
		for _, x := range []struct {
			item   string
			amount money.Amount
		}{{"sold", row.Sold}, {"cancelled", -row.Cancelled}, {"prizes", -row.Paid}, {"stakes given back", -row.Back}} {
			write(x.item, row.Name.FR, x.amount.String())
		}
	}
	for _, s := range p.Sums {
		write(strings.TrimPrefix(s.Name, "account."), "", s.Amount.String())
	}
	err := w.WriteAll(rows)
	return b.Bytes(), err
}
