package portal

import (
	"context"
	"encoding/csv"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"tirage/central"
	"tirage/game"
	"tirage/money"
	"tirage/party"
	"tirage/web/page"
)

// historyPage is what happened on an account, newest first.
type historyPage struct {
	member
	Filter  string
	Filters []historyFilter
	Lines   []historyLine
	Older   string // address of the page after this one; "": there is none
	Newest  bool   // this is the first page
}

// historyFilter is a choice of kinds of movements.
type historyFilter struct {
	Name  string // "": all; the parameter "genre"
	Here  bool
	Kinds []string
}

// historyFilters are the choices; the first is of all kinds.
var historyFilters = []historyFilter{
	{Name: ""},
	{Name: "unites", Kinds: []string{"unit"}},
	{Name: "versements", Kinds: []string{"deposit"}},
	{Name: "retraits", Kinds: []string{"withdrawal", "returned"}},
	{Name: "compte", Kinds: []string{
		"sign-up", party.EmailConfirmed.String(), party.IdentityConfirmed.String(), party.IdentityWithdrawn.String(), party.TermsAccepted.String(),
		party.DepositLimit.String(), party.StakeLimit.String(), party.Pause.String(), party.Exclude.String(), party.CloseAccount.String(),
	}},
}

// historyLine is a movement as it is shown.
type historyLine struct {
	central.Movement
	Name   game.Text // of a unit's game
	Watch  string    // where a unit is shown again
	Moves  bool      // the amount moved the balance
	State  string    // of a withdrawal
	Signed string    // the amount with its sign
	Later  bool      // a limit that holds later than when it was set
}

const (
	historyLength = 50    // lines of a page
	historyLooked = 2_000 // movements looked through for a page of one kind
	historySlice  = 200   // movements of a reading
)

// lines are movements as they are shown.
func (p portal) lines(r *http.Request, m member, list []central.Movement) ([]historyLine, error) {
	states, err := p.withdrawalStates(r.Context(), m.Account.ID, list)
	if err != nil {
		return nil, err
	}
	lines := make([]historyLine, 0, len(list))
	names := map[game.Code]game.Text{}
	for _, x := range list {
		line := newHistoryLine(m.Lang, x)
		line.State = states[x.Record]
		if line.Name, err = p.gameName(names, x); err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// gameName is the name of a unit's game, kept among names; none for other movements.
func (p portal) gameName(names map[game.Code]game.Text, x central.Movement) (game.Text, error) {
	if x.Kind != "unit" {
		return game.Text{}, nil
	}
	if _, ok := names[x.Game]; !ok {
		g, err := p.app.Sys.Instant(x.Game)
		if err != nil {
			return game.Text{}, err
		}
		names[x.Game] = g.Rules.Name
	}
	return names[x.Game], nil
}

func newHistoryLine(lang page.Lang, x central.Movement) historyLine {
	line := historyLine{Movement: x}
	switch x.Kind {
	case "unit":
		line.Moves, line.Watch = true, unitPath(x.Game, x.Record)
	case "deposit", "withdrawal", "returned":
		line.Moves = true
	}
	line.Later = x.Until.After(x.At)
	line.Signed = lang.Money(x.Amount)
	if x.Amount > 0 {
		line.Signed = "+" + line.Signed
	}
	return line
}

func (p portal) withdrawalStates(ctx context.Context, player string, list []central.Movement) (map[uint64]string, error) {
	var records []uint64
	for _, x := range list {
		if x.Kind == "withdrawal" {
			records = append(records, x.Record)
		}
	}
	withdrawals, err := p.app.Sys.WithdrawalsOf(ctx, player, records)
	states := map[uint64]string{}
	for _, x := range withdrawals {
		states[x.Record] = x.State
	}
	return states, err
}

func (p portal) history(w http.ResponseWriter, r *http.Request, m member) error {
	q := r.URL.Query()
	v := historyPage{member: m, Filters: slices.Clone(historyFilters), Newest: !q.Has("avant")}
	at := max(0, slices.IndexFunc(v.Filters, func(f historyFilter) bool { return f.Name == q.Get("genre") }))
	v.Filters[at].Here, v.Filter = true, v.Filters[at].Name
	before := uint64(0)
	if !v.Newest {
		var err error
		if before, err = strconv.ParseUint(q.Get("avant"), 10, 63); err != nil || before == 0 {
			return page.ErrNotFound
		}
	}
	list, older, err := p.movements(r.Context(), m.Account.ID, before, v.Filters[at].Kinds)
	if err != nil {
		return err
	}
	if older != 0 {
		next := url.Values{"avant": {strconv.FormatUint(older, 10)}}
		if v.Filter != "" {
			next.Set("genre", v.Filter)
		}
		v.Older = pathHistory + "?" + next.Encode()
	}
	if v.Lines, err = p.lines(r, m, list); err != nil {
		return err
	}
	return face.Render(w, r, http.StatusOK, "history", v)
}

// movements are those of a page, of some kinds or (nil) of all, from before a
// record, and the record before which the next page begins; 0: there is no more.
// Of a rare kind a page may be short, and even empty: the next one goes on.
func (p portal) movements(ctx context.Context, player string, before uint64, kinds []string) (list []central.Movement, older uint64, err error) {
	for looked := 0; looked < historyLooked; looked += historySlice {
		slice, err := p.app.Sys.History(ctx, player, before, historySlice)
		if err != nil {
			return nil, 0, err
		}
		for i, x := range slice {
			if len(list) == historyLength {
				return list, before, nil
			}
			before = slice[i].Record
			if kinds == nil || slices.Contains(kinds, x.Kind) {
				list = append(list, x)
			}
		}
		if len(slice) < historySlice {
			return list, 0, nil
		}
	}
	return list, before, nil
}

// historyCSV is the whole history as a table, for the player's own programs.
// Whoever reads it in French has a comma in numbers, so semicolons between them.
func (p portal) historyCSV(w http.ResponseWriter, r *http.Request, m member) error {
	d := download{to: w, kind: "text/csv; charset=utf-8", name: "tirage-historique.csv"}
	return d.end(p.app, p.writeCSV(r.Context(), m, &d))
}

// writeCSV writes a history as it is read, a slice at a time.
func (p portal) writeCSV(ctx context.Context, m member, w io.Writer) error {
	head, err := face.T(m.Lang, "history.csv")
	if err != nil {
		return err
	}
	c := csv.NewWriter(w)
	if m.Lang == page.French {
		c.Comma = ';'
		head = "\ufeff" + head // else spreadsheets take it for another encoding
	}
	if err := c.Write(strings.Split(head, "|")); err != nil {
		return err
	}
	names := map[game.Code]game.Text{}
	for before := uint64(0); ; {
		list, err := p.app.Sys.History(ctx, m.Account.ID, before, csvSlice)
		if err != nil {
			return err
		}
		for _, x := range list {
			name, err := p.gameName(names, x)
			if err != nil {
				return err
			}
			row, err := csvRow(m.Lang, x, m.Lang.Text(name))
			if err != nil {
				return err
			}
			if err := c.Write(row); err != nil {
				return err
			}
			before = x.Record
		}
		c.Flush()
		if err := c.Error(); err != nil || len(list) < csvSlice {
			return err
		}
	}
}

// csvSlice is how many movements are read at a time.
const csvSlice = 1000

// csvRow is a movement in words, with the name of its game.
func csvRow(lang page.Lang, x central.Movement, name string) ([]string, error) {
	kind, err := face.T(lang, "history.kind."+x.Kind)
	if err != nil {
		return nil, err
	}
	means := ""
	if x.Means != "" {
		id := "card" // of any provider
		if x.Means == "voucher" || x.Means == "demo" {
			id = x.Means
		}
		if means, err = face.T(lang, "history.csv."+id); err != nil {
			return nil, err
		}
	}
	amount := func(a money.Amount) string {
		if lang == page.French {
			return strings.Replace(a.String(), ".", ",", 1)
		}
		return a.String()
	}
	row := []string{strconv.FormatUint(x.Record, 10), x.At.In(page.ParisZone()).Format("2006-01-02 15:04:05"), kind, name, "", "", "", "", means, ""}
	switch line := newHistoryLine(lang, x); {
	case x.Kind == "unit":
		row[4], row[5], row[6] = amount(x.Price), amount(x.Prize), amount(x.Amount)
	case line.Moves:
		row[6] = amount(x.Amount)
	case x.Kind == party.DepositLimit.String(), x.Kind == party.StakeLimit.String():
		row[7] = amount(x.Amount)
	}
	if !x.Until.IsZero() {
		row[9] = x.Until.In(page.ParisZone()).Format("2006-01-02 15:04:05")
	}
	return row, nil
}

// download is a file to be kept by the player, and by nobody between, sent as it is made.
type download struct {
	to         http.ResponseWriter
	kind, name string
	begun      bool
	gone       error // the player did not take what was sent
}

// downloadPause is how long a player may take for what is written at a time, which is a slice at most.
const downloadPause = 30 * time.Second

// Write sends a part of the file.
func (d *download) Write(b []byte) (int, error) {
	if !d.begun {
		d.begun = true
		h := d.to.Header()
		h.Set("Content-Type", d.kind)
		h.Set("Content-Disposition", `attachment; filename="`+d.name+`"`)
		h.Set("Cache-Control", "no-store")
	}
	// The server's own limit is for answers of a bounded length. A response of a test has none.
	_ = http.NewResponseController(d.to).SetWriteDeadline(time.Now().Add(downloadPause))
	n, err := d.to.Write(b)
	d.gone = err
	return n, err
}

// end ends the file. After an error its connection is dropped, so that nobody takes a part for the whole.
func (d *download) end(app *page.App, err error) error {
	if err == nil || !d.begun {
		return err
	}
	if d.gone == nil {
		app.Logger.Error("download cut short", "file", d.name, "error", err)
	}
	panic(http.ErrAbortHandler)
}
