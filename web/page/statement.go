package page

import (
	"strconv"

	"tirage/central"
	"tirage/game"
	"tirage/money"
	"tirage/paper"
)

// statementWords are the sentences of a statement on paper.
var statementWords = []string{
	"title", "specimen", "outlet", "week", "zone", "record", "made", "game", "sold", "cancelled", "paid", "back", "commission",
	"total", "opening", "vouchers", "received", "given", "returned", "closing",
}

// StatementReport is a statement as every face prints it, with the same bytes each
// time: it was made when its record was. Each amount has the sign with which it
// counts, so that all lines above the last add up to that. A specimen is one of training.
func (f *Face) StatementReport(l Lang, st central.Statement, name func(game.Code) game.Text, specimen bool) (paper.Report, error) {
	r := paper.Report{Lang: l.String(), At: st.MadeAt}
	zone, err := st.Outlet.Location()
	if err != nil {
		return r, err
	}
	words := make(map[string]string, len(statementWords))
	for _, id := range statementWords {
		if words[id], err = f.T(l, "statement."+id); err != nil {
			return r, err
		}
	}
	r.Title = words["title"]
	if specimen {
		r.Title = words["specimen"] + " · " + r.Title
	}
	r.Head = [][2]string{
		{words["outlet"], strconv.Itoa(st.Outlet.Number)},
		{words["week"], l.ShortDay(st.First) + " – " + l.ShortDay(st.Last)},
		{words["zone"], st.Outlet.Zone},
		{words["made"], l.Moment(st.MadeAt, zone)},
		{words["record"], strconv.FormatUint(st.Record, 10)},
	}
	for _, id := range []string{"game", "sold", "cancelled", "paid", "back", "commission"} {
		r.Columns = append(r.Columns, words[id])
	}
	var sold, cancelled, paid, back, commission money.Amount
	for _, x := range st.Lines {
		sold, cancelled, paid, back, commission = sold.Add(x.Sold), cancelled.Add(x.Cancelled), paid.Add(x.Paid), back.Add(x.Back), commission.Add(x.Commission)
		r.Rows = append(r.Rows, []string{l.Text(name(x.Game)), l.Money(x.Sold), l.Money(-x.Cancelled), l.Money(-x.Paid), l.Money(-x.Back), l.Money(-x.Commission)})
	}
	r.Total = []string{words["total"], l.Money(sold), l.Money(-cancelled), l.Money(-paid), l.Money(-back), l.Money(-commission)}
	received := words["received"]
	if st.Received < 0 {
		received = words["given"]
	}
	for _, s := range []struct {
		name   string
		amount money.Amount
	}{
		{words["opening"], st.Opening},
		{words["sold"], sold},
		{words["cancelled"], -cancelled},
		{words["paid"], -paid},
		{words["back"], -back},
		{words["vouchers"], st.Vouchers},
		{received, -st.Received},
		{words["returned"], st.Returned},
		{words["commission"], -st.Commission},
		{words["closing"], st.Closing},
	} {
		r.Sums = append(r.Sums, [2]string{s.name, l.Money(s.amount)})
	}
	return r, nil
}
