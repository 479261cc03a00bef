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
	"tirage/paper"
	"tirage/party"
	"tirage/web/page"
)

// reportsPage is a report on outlets over some days: what they take back (F16),
// what they win on tickets of their own (F24), how fast their terminals sell (F20).
type reportsPage struct {
	frame
	Report   string      // "annulations", "gains", "cadence"
	From, To string      // as typed
	Days     [2]game.Day // as read
	Tabs     []reportLink
	Columns  []reportColumn
	Rows     []reportRow
	Pages    pages
	CSV, PDF string // addresses of the same, whole, as files
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

// reportFigure is an amount, a count or a share.
type reportFigure struct {
	Kind        byte // 'm', 'n' or '%'
	Cents       money.Amount
	Count       int64
	Part, Whole int64
}

// Unsold tells that it is a share of nothing sold, and yet something: more than any other.
func (f reportFigure) Unsold() bool { return f.Whole == 0 && f.Part > 0 }

// rate is a share as a number; of nothing it is 0.
func (f reportFigure) rate() *big.Rat {
	if f.Whole == 0 {
		return new(big.Rat)
	}
	return big.NewRat(f.Part, f.Whole)
}

// compare orders figures of one column.
func (f reportFigure) compare(g reportFigure) int {
	switch {
	case f.Kind == 'm':
		return cmp.Compare(f.Cents, g.Cents)
	case f.Kind == 'n':
		return cmp.Compare(f.Count, g.Count)
	case f.Unsold() && g.Unsold():
		return cmp.Compare(f.Part, g.Part)
	case f.Unsold():
		return 1
	case g.Unsold():
		return -1
	}
	return f.rate().Cmp(g.rate())
}

// writtenFigure is a figure with the language that it is written in.
type writtenFigure struct {
	reportFigure

	lang page.Lang
}

// In is the figure to be written in a language.
func (f reportFigure) In(lang page.Lang) writtenFigure { return writtenFigure{f, lang} }

// String writes a figure as its language does; not a share that is [reportFigure.Unsold].
func (f writtenFigure) String() string {
	switch f.Kind {
	case 'm':
		return f.lang.Money(f.Cents)
	case 'n':
		return f.lang.Number(f.Count)
	}
	if f.Whole == 0 {
		return "–"
	}
	return percent(f.rate(), f.lang) + "\u00a0%"
}

// plain writes a figure for a file: euros, counts, and shares as parts of 1, of nothing sold as nothing.
func (f reportFigure) plain() string {
	switch f.Kind {
	case 'm':
		return f.Cents.String()
	case 'n':
		return strconv.FormatInt(f.Count, 10)
	}
	if f.Whole == 0 {
		return ""
	}
	return f.rate().FloatString(4)
}

// figureID is a figure of a report: what it shows, and the name of its column.
type figureID struct {
	ID string
	Of func(central.OutletLine) reportFigure
}

func amountOf(a money.Amount) reportFigure { return reportFigure{Kind: 'm', Cents: a} }
func countOf(n int64) reportFigure         { return reportFigure{Kind: 'n', Count: n} }

func shareOf(part, whole int64) reportFigure {
	return reportFigure{Kind: '%', Part: part, Whole: whole}
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

// A report has at most so many days, and a page of it so many lines.
const (
	reportDays   = 366
	reportLength = 200
)

func (o office) reportsPage(w http.ResponseWriter, r *http.Request, _ party.Officer) error {
	p, err := o.report(r)
	status := http.StatusOK
	if err != nil {
		p.Refusal.Form = "report"
		if status, err = o.explain(r, &p.Refusal, err); err != nil {
			return err
		}
	}
	p.Pages = pagesOf(pathReports, r.URL.Query(), "page", len(p.Rows), reportLength)
	p.Rows = p.Rows[max(0, p.Pages.First-1):p.Pages.Last]
	return face.Render(w, r, status, "reports", p)
}

// reportFile is the report of an address, whole and in the order of the page.
func (o office) reportFile(r *http.Request) (reportsPage, error) {
	p, err := o.report(r)
	if _, ok := errors.AsType[*fieldError](err); ok {
		return p, game.ErrDay // no form shows which
	}
	return p, err
}

// reportPDF is a report to be printed.
func (o office) reportPDF(w http.ResponseWriter, r *http.Request, _ party.Officer) error {
	p, err := o.reportFile(r)
	if err != nil {
		return err
	}
	printed := paper.Report{Lang: p.Lang.String(), At: p.Now}
	word := func(id string) string {
		text, wordErr := face.T(p.Lang, id)
		err = errors.Join(err, wordErr)
		return text
	}
	printed.Title = word("reports." + p.Report)
	printed.Head = [][2]string{
		{word("reports.days"), p.Lang.ShortDay(p.Days[0]) + " – " + p.Lang.ShortDay(p.Days[1])},
		{word("statements.made"), p.Lang.Moment(p.Now, p.Zone)},
	}
	for _, column := range p.Columns {
		printed.Columns = append(printed.Columns, word("column."+column.ID))
	}
	unsold := word("reports.unsold")
	for _, row := range p.Rows {
		line := []string{strconv.Itoa(row.Number)}
		if row.Terminal != "" {
			line = append(line, short(row.Terminal))
		}
		for _, f := range row.Figures {
			if f.Unsold() {
				line = append(line, unsold)
			} else {
				line = append(line, f.In(p.Lang).String())
			}
		}
		printed.Rows = append(printed.Rows, line)
	}
	if err != nil {
		return err
	}
	file, err := printed.A4()
	if err != nil {
		return err
	}
	attach(w, "application/pdf", p.fileName("pdf"), file)
	return nil
}

// fileName names a file of the report.
func (p reportsPage) fileName(kind string) string {
	return fmt.Sprintf("%s-%s-%s.%s", p.Report, p.From, p.To, kind)
}

// reportCSV is a report as a table for other programs.
func (o office) reportCSV(w http.ResponseWriter, r *http.Request, _ party.Officer) error {
	p, err := o.reportFile(r)
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
	attach(w, "text/csv; charset=utf-8", p.fileName("csv"), b.Bytes())
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
	p.Days = [2]game.Day{from, to}
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
	p.CSV, p.PDF = address(pathReportCSV, by, ways[up]), address(pathReportPDF, by, ways[up])
}
