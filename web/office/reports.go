package office

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"tirage/central"
	"tirage/game"
	"tirage/money"
	"tirage/party"
	"tirage/web/page"
)

// reportsPage is a report on outlets over some days: what they take back (F16),
// what they win on tickets of their own (F24), how fast their terminals sell (F20).
type reportsPage struct {
	frame
	Report   string // "annulations", "gains", "cadence"
	From, To string // as typed
	Tabs     []reportLink
	Columns  []reportColumn
	Rows     []reportRow
	CSV      string // address of the same as a file
	Refusal  refusal
}

// reportLink is a report that can be chosen.
type reportLink struct {
	Address, Name string // the name is that of a sentence
	Here          bool
}

// reportColumn is a column that the report can be sorted by.
type reportColumn struct {
	ID, Address string // the id is that of a sentence too
	Sorted      string // "ascending", "descending" or ""
	Number      bool   // to the right
}

// reportRow is a line: an outlet, perhaps a terminal of it, and its figures.
type reportRow struct {
	Number   int    // of the outlet
	Terminal string // id; empty: of the outlet
	Figures  []reportFigure
}

// reportFigure is an amount, a count or a rate.
type reportFigure struct {
	Kind  byte // 'm', 'n' or '%'
	Cents money.Amount
	Count int64
	Rate  *big.Rat
}

// compare orders figures of one column.
func (f reportFigure) compare(g reportFigure) int {
	switch f.Kind {
	case 'm':
		return cmp.Compare(f.Cents, g.Cents)
	case 'n':
		return cmp.Compare(f.Count, g.Count)
	}
	return f.Rate.Cmp(g.Rate)
}

// Show writes a figure as a language does.
func (f reportFigure) Show(lang page.Lang) string {
	switch f.Kind {
	case 'm':
		return lang.Money(f.Cents)
	case 'n':
		return lang.Number(f.Count)
	}
	return percent(f.Rate, lang) + "\u00a0%"
}

// plain writes a figure for a file: euros, counts, and rates as parts of 1.
func (f reportFigure) plain() string {
	switch f.Kind {
	case 'm':
		return f.Cents.String()
	case 'n':
		return strconv.FormatInt(f.Count, 10)
	}
	return f.Rate.FloatString(4)
}

// figureID is a figure of a report: what it shows, and the name of its column.
type figureID struct {
	ID string
	Of func(central.OutletLine) reportFigure
}

func amountOf(a money.Amount) reportFigure { return reportFigure{Kind: 'm', Cents: a} }
func countOf(n int64) reportFigure         { return reportFigure{Kind: 'n', Count: n} }

// shareOf is a part of a whole; 0 of none.
func shareOf(part, whole int64) reportFigure {
	if whole == 0 {
		return reportFigure{Kind: '%', Rate: new(big.Rat)}
	}
	return reportFigure{Kind: '%', Rate: big.NewRat(part, whole)}
}

// reportKind is a report with its figures: the last is what it is sorted by at first.
type reportKind struct {
	Name    string
	Figures []figureID
}

// reportKinds are the reports, in the order of their tabs.
var reportKinds = []reportKind{
	{"annulations", []figureID{
		{"sold_n", func(l central.OutletLine) reportFigure { return countOf(l.SoldN) }},
		{"sold", func(l central.OutletLine) reportFigure { return amountOf(l.Sold) }},
		{"cancelled_n", func(l central.OutletLine) reportFigure { return countOf(l.CancelledN) }},
		{"cancelled", func(l central.OutletLine) reportFigure { return amountOf(l.Cancelled) }},
		{"ratio", func(l central.OutletLine) reportFigure { return shareOf(l.CancelledN, l.SoldN) }},
	}},
	{"gains", []figureID{
		{"sold", func(l central.OutletLine) reportFigure { return amountOf(l.Sold) }},
		{"paid_n", func(l central.OutletLine) reportFigure { return countOf(l.PaidN) }},
		{"paid", func(l central.OutletLine) reportFigure { return amountOf(l.Paid) }},
		{"own_n", func(l central.OutletLine) reportFigure { return countOf(l.OwnN) }},
		{"own", func(l central.OutletLine) reportFigure { return amountOf(l.Own) }},
		{"own_share", func(l central.OutletLine) reportFigure { return shareOf(int64(l.Own), int64(l.Sold)) }},
	}},
	{"cadence", []figureID{
		{"sold_n", func(l central.OutletLine) reportFigure { return countOf(l.SoldN) }},
		{"sold", func(l central.OutletLine) reportFigure { return amountOf(l.Sold) }},
		{"cancelled_n", func(l central.OutletLine) reportFigure { return countOf(l.CancelledN) }},
		{"pace", func(l central.OutletLine) reportFigure { return amountOf(l.Pace) }},
	}},
}

// reportDays is how many days a report has at most.
const reportDays = 366

func (o office) reportsPage(w http.ResponseWriter, r *http.Request, _ party.Officer) error {
	p, err := o.report(r)
	status := http.StatusOK
	if err != nil {
		p.Refusal.Form = "report"
		if status, err = o.explain(r, &p.Refusal, err); err != nil {
			return err
		}
	}
	return face.Render(w, r, status, "reports", p)
}

// reportCSV is a report as a file, in the order of the page.
func (o office) reportCSV(w http.ResponseWriter, r *http.Request, _ party.Officer) error {
	p, err := o.report(r)
	if _, ok := errors.AsType[*fieldError](err); ok {
		return game.ErrDay // no form shows which
	}
	if err != nil {
		return err
	}
	var b bytes.Buffer
	c := csv.NewWriter(&b)
	head := make([]string, len(p.Columns))
	for i, column := range p.Columns {
		head[i] = column.ID
	}
	if err := c.Write(head); err != nil {
		return err
	}
	for _, row := range p.Rows {
		line := []string{strconv.Itoa(row.Number)}
		if p.Report == "cadence" {
			line = append(line, row.Terminal)
		}
		for _, f := range row.Figures {
			line = append(line, f.plain())
		}
		if err := c.Write(line); err != nil {
			return err
		}
	}
	if c.Flush(); c.Error() != nil {
		return c.Error()
	}
	attach(w, "text/csv; charset=utf-8", fmt.Sprintf("%s-%s-%s.csv", p.Report, p.From, p.To), b.Bytes())
	return nil
}

// report is the report that an address asks for.
func (o office) report(r *http.Request) (reportsPage, error) {
	q := r.URL.Query()
	p := reportsPage{frame: o.frame(r, "reports.title", pathReports), Report: q.Get("rapport"), From: q.Get("de"), To: q.Get("a")}
	today := game.DayOf(p.Now, p.Zone)
	if p.From == "" {
		p.From = (today - 6).String()
	}
	if p.To == "" {
		p.To = today.String()
	}
	kind := max(0, slices.IndexFunc(reportKinds, func(k reportKind) bool { return k.Name == p.Report }))
	p.Report = reportKinds[kind].Name
	for i, k := range reportKinds {
		p.Tabs = append(p.Tabs, reportLink{pathReports + "?" + url.Values{"rapport": {k.Name}, "de": {p.From}, "a": {p.To}}.Encode(), "reports." + k.Name, i == kind})
	}
	from, err := game.ParseDay(p.From)
	if err != nil {
		return p, &fieldError{http.StatusUnprocessableEntity, "from", "reports.fault.day", nil}
	}
	to, err := game.ParseDay(p.To)
	if err != nil || to < from || to-from >= reportDays {
		return p, &fieldError{http.StatusUnprocessableEntity, "to", "reports.fault.to", reportDays}
	}
	if p.Rows, err = o.reportRows(r, kind, from, to); err != nil {
		return p, err
	}
	p.sort(kind, q.Get("tri"), q.Get("sens"))
	return p, nil
}

func (o office) reportRows(r *http.Request, kind int, from, to game.Day) (rows []reportRow, err error) {
	add := func(l central.OutletLine, terminal string) {
		row := reportRow{Number: l.Outlet.Number, Terminal: terminal}
		for _, f := range reportKinds[kind].Figures {
			row.Figures = append(row.Figures, f.Of(l))
		}
		rows = append(rows, row)
	}
	if reportKinds[kind].Name == "cadence" {
		list, err := o.app.Sys.TerminalReport(r.Context(), from, to)
		for _, l := range list {
			add(central.OutletLine{Outlet: l.Outlet, Sold: l.Sold, SoldN: l.SoldN, Cancelled: l.Cancelled, CancelledN: l.CancelledN, Pace: l.Pace}, l.Terminal)
		}
		return rows, err
	}
	list, err := o.app.Sys.OutletReport(r.Context(), from, to)
	for _, l := range list {
		add(l, "")
	}
	return rows, err
}

// sort orders the report by a column, the greatest first unless it is asked for otherwise, and fills in its heads.
func (p *reportsPage) sort(kind int, by, way string) {
	figures := reportKinds[kind].Figures
	at := slices.IndexFunc(figures, func(f figureID) bool { return f.ID == by })
	if at < 0 && by != "outlet" {
		at, by = len(figures)-1, figures[len(figures)-1].ID
	}
	up := way == "montant" || by == "outlet" && way == ""
	slices.SortStableFunc(p.Rows, func(a, b reportRow) int {
		order := cmp.Compare(a.Number, b.Number)
		if at >= 0 {
			order = a.Figures[at].compare(b.Figures[at])
		}
		if !up {
			order = -order
		}
		return order
	})
	address := func(path, id, way string) string {
		return path + "?" + url.Values{"rapport": {p.Report}, "de": {p.From}, "a": {p.To}, "tri": {id}, "sens": {way}}.Encode()
	}
	column := func(id string, number bool) {
		c := reportColumn{ID: id, Number: number}
		next := "descendant"
		if id == by {
			if c.Sorted = "descending"; up {
				c.Sorted = "ascending"
			} else {
				next = "montant"
			}
		}
		c.Address = address(pathReports, id, next)
		p.Columns = append(p.Columns, c)
	}
	column("outlet", true)
	if p.Report == "cadence" {
		p.Columns = append(p.Columns, reportColumn{ID: "terminal"})
	}
	for _, f := range figures {
		column(f.ID, true)
	}
	ways := map[bool]string{true: "montant", false: "descendant"}
	p.CSV = address(pathReportCSV, by, ways[up])
}
