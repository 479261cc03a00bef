package terminal

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/money"
	"tirage/party"
	"tirage/settle"
	"tirage/wager"
	"tirage/web/page"
)

// deskPage is the one screen of the shop.
type deskPage struct {
	page.Base
	Outlet  party.Outlet
	Zone    *time.Location
	Account central.Account
	Rules   *game.Rules
	Sales   sales

	Key      string // of the slip being filled in
	Matrices []matrix
	Stakes   []choice
	Draws    []choice
	Refusal  *page.Refusal // of the slip being filled in
	Fault    string        // the field that it is about: "stake", "draws"

	Slips   []line
	Total   money.Amount
	State   []field // the basket and draft, for the forms about tickets
	Tickets []ticket
	Price   money.Amount // of the tickets just sold

	Check        *check
	CheckRefusal *page.Refusal
	Code         string // as typed
	Undone       *ticket
	Fresh        bool // this request laid on the counter what lies there
	Last         bool // no new slip has been begun since
}

// sales is when and for which draws the game sells.
type sales struct {
	At       time.Time
	ClosesAt time.Time // of the next draw; zero: nothing sells
	Upcoming []upcoming
	OpensAt  time.Time // when nothing sells
	Stopped  bool
}

// upcoming is a draw that a wager would enter.
type upcoming struct {
	Draw  draw.Draw
	Taken bool // by the number of draws marked
}

// matrix is the boxes of a matrix, with what is ticked.
type matrix struct {
	game.Matrix
	Boxes  []box
	Ticked int
	Island bool // its boxes stand on the map
	Fault  bool // refused
}

type box struct {
	N       int
	Element game.Element
	Art     string // name of its drawing
	Key     string // of the keyboard
	Ticked  bool
}

// choice is a stake or a number of draws.
type choice struct {
	Value  int64
	Label  string
	N      int // keyboard: the digit
	Marked bool
	Cut    bool // more draws than the session has left
}

// line is a slip in the basket.
type line struct {
	slip
	N       int    // from 1
	Text    string // as the address and forms carry it
	Chosen  []chosen
	Taken   []draw.Draw // the draws it would enter now
	Price   money.Amount
	Refusal *page.Refusal
}

// chosen is what a slip has of a matrix, in words, and how many a quick pick adds.
type chosen struct {
	Matrix game.Matrix
	Names  []game.Text
	Random int
}

// field is a hidden field.
type field struct{ Name, Value string }

// ticket is a ticket as it is printed (IAT-5.1).
type ticket struct {
	wager.Ticket
	Zone    *time.Location
	Outlet  int // its number
	Code    string
	Days    []game.Day // draw days, metropolitan
	Spots   []spot     // the map
	Chosen  []chosen   // the words: they are what counts (IAT-5.2)
	Cancels bool       // it may still be cancelled, here
	IsCut   bool

	State      []field // of the desk, for the forms about the ticket
	CommandKey string
}

// spot is a place on the ticket's map.
type spot struct {
	page.Spot
	Chosen bool
}

// check is the answer about the ticket under check.
type check struct {
	ticket
	settle.Answer
	CancelledAt time.Time
	JustPaid    money.Amount
	Again       time.Time // the payment was asked for again: when it was made
	Verdict     string    // "won", "lost", "pending", "give-back", "cancelled", "paid", "again": a sentence and a style
}

// Sentence is the verdict in words. Who is being paid is not told that he was.
func (c check) Sentence() string {
	if c.Verdict == "paid" && c.JustPaid > 0 {
		return "check.paidnow"
	}
	return "check." + c.Verdict
}

func (t *terminal) deskPage(w http.ResponseWriter, r *http.Request, s seat) error {
	d, err := readDesk(r.URL.Query(), s.rules)
	if err != nil {
		return err
	}
	return t.render(w, r, s, http.StatusOK, d, remarks{})
}

// render writes the desk in a state, with what was refused.
func (t *terminal) render(w http.ResponseWriter, r *http.Request, s seat, status int, d desk, notes remarks) error {
	if notes.fresh = notes.counter != nil; notes.fresh {
		t.counters.put(s.terminal.ID, *notes.counter)
	} else {
		kept := t.counters.get(s.terminal.ID)
		notes.counter = &kept
	}
	p, err := t.view(r, s, d, notes)
	if err != nil {
		return err
	}
	return face.Render(w, r, status, "desk", p)
}

func (t *terminal) view(r *http.Request, s seat, d desk, notes remarks) (p deskPage, err error) {
	p = deskPage{
		Base: face.Base(r, "desk.title"), Outlet: s.outlet, Zone: s.zone, Rules: s.rules,
		Key: page.NewKey(), Refusal: notes.draft, CheckRefusal: notes.check, Code: notes.code, Fresh: notes.fresh, Last: notes.fresh || d.draft.blank(),
	}
	// A refused slip keeps its key: sent again, it is the same sale.
	if notes.draft != nil && d.draft.key != "" && notes.draft.Code != "key_reused" {
		p.Key = d.draft.key
	}
	if r.Method == http.MethodPost { // the address has no state: offer the language switch one
		v := d.values(s.rules)
		v.Set("lang", p.Lang.Other().String())
		p.Switch = pathDesk + "?" + v.Encode()
	}
	if p.Account, err = t.app.Sys.OutletAccount(s.outlet.ID); err != nil {
		return p, err
	}
	status, err := t.app.Sys.Status(s.rules.Code)
	if err != nil {
		return p, err
	}
	open := openDraws(status)
	p.Sales = salesOf(s, status, open, d.draft.draws)
	p.Matrices = matrices(s.rules, d.draft)
	if notes.draft != nil {
		p.markFault(s.rules, d.draft, notes.draft.Code)
	}
	p.Stakes, p.Draws = choices(p.Lang, s.rules, d.draft, len(p.Sales.Upcoming))
	p.Slips, p.Total = lines(s, d, open, status.At, notes.slips)
	for name, list := range d.values(s.rules) {
		for _, v := range list {
			p.State = append(p.State, field{name, v})
		}
	}
	slices.SortFunc(p.State, func(a, b field) int { return strings.Compare(a.Name+"="+a.Value, b.Name+"="+b.Value) })
	return p, t.addCounter(r, s, &p, status.At, *notes.counter)
}

// markFault marks the field that a refusal is about.
func (p *deskPage) markFault(r *game.Rules, draft slip, code string) {
	switch code {
	case "stake", "stake_not_marked":
		p.Fault = "stake"
	case "draws", "draws_not_marked":
		p.Fault = "draws"
	}
	if e, ok := errors.AsType[*game.PicksError](r.CheckPicks(draft.picks)); ok && (code == "too_few" || code == "too_many" || code == "element") {
		for i := range p.Matrices {
			p.Matrices[i].Fault = p.Matrices[i].Key == e.Matrix
		}
	}
}

// addCounter adds what lies on the counter.
func (t *terminal) addCounter(r *http.Request, s seat, p *deskPage, at time.Time, c counter) error {
	for _, sold := range c.sold {
		p.Tickets = append(p.Tickets, t.ticketOf(sold, s, p.State, at))
	}
	p.Price = c.price
	if c.undone != nil {
		undone := t.ticketOf(*c.undone, s, p.State, at)
		p.Undone = &undone
	}
	if c.checked == nil {
		return nil
	}
	answer, err := t.app.Sys.Check(r.Context(), c.checked.number, c.checked.secret, s.zone)
	if err != nil {
		return err
	}
	x := checkOf(answer, t.ticketOf(answer.Ticket, s, p.State, at), c)
	p.Check = &x
	return nil
}

// openDraws lists the draws that sell, soonest first.
func openDraws(status central.Status) []draw.Draw {
	open := make([]draw.Draw, len(status.Upcoming))
	for i, u := range status.Upcoming {
		open[i] = u.Draw
	}
	return open
}

func salesOf(s seat, status central.Status, open []draw.Draw, asked int) sales {
	v := sales{At: status.At, OpensAt: status.NextOpensAt, Stopped: status.Stopped}
	sold, err := wager.Cut(s.rules, open, status.At, s.outlet.Territory, slices.Max(s.rules.DrawCounts))
	if over, ok := errors.AsType[*wager.OverRunError](err); ok {
		sold, _ = wager.Cut(s.rules, open, status.At, s.outlet.Territory, over.Left)
	}
	for i, d := range sold {
		v.Upcoming = append(v.Upcoming, upcoming{d, i < asked})
	}
	if len(sold) > 0 {
		v.ClosesAt = sold[0].ClosesAt
	}
	return v
}

// letters are the keys of the boxes, matrix after matrix.
const letters = "ABCDEFGHIJKLMNOPQRSTUVWX"

func matrices(r *game.Rules, draft slip) []matrix {
	var list []matrix
	next := 0
	for i, m := range r.Matrices {
		x := matrix{Matrix: m, Ticked: len(draft.picks[i]), Island: i == 0}
		for n, e := range m.Elements {
			b := box{N: n + 1, Element: e, Art: artOf(m, e), Ticked: slices.Contains(draft.picks[i], n+1)}
			if next < len(letters) {
				b.Key = letters[next : next+1]
				next++
			}
			x.Boxes = append(x.Boxes, b)
		}
		list = append(list, x)
	}
	return list
}

// artOf names the drawing of an element: "place-port-royal".
func artOf(m game.Matrix, e game.Element) string {
	if m.Key == "places" {
		return "place-" + e.Key
	}
	return "pirate-" + e.Key
}

func choices(l page.Lang, r *game.Rules, draft slip, left int) (stakes, draws []choice) {
	for i, a := range r.Stakes {
		stakes = append(stakes, choice{Value: int64(a), Label: l.Euros(a), N: i + 1, Marked: a == draft.stake})
	}
	for i, n := range r.DrawCounts {
		draws = append(draws, choice{Value: int64(n), Label: strconv.Itoa(n), N: i + 1, Marked: n == draft.draws, Cut: n > left && left > 0})
	}
	return stakes, draws
}

func lines(s seat, d desk, open []draw.Draw, at time.Time, refusals map[string]page.Refusal) (list []line, total money.Amount) {
	for i, x := range d.slips {
		l := line{slip: x, N: i + 1, Text: x.String(), Chosen: chosenOf(s.rules, x.picks, x.flash)}
		if refusal, ok := refusals[x.key]; ok {
			l.Refusal = &refusal
		}
		draws := x.draws
		if taken, err := wager.Cut(s.rules, open, at, s.outlet.Territory, x.draws); err == nil {
			l.Taken, draws = taken, len(taken)
		}
		l.Price = x.stake.Times(int64(draws))
		total = total.Add(l.Price)
		list = append(list, l)
	}
	return list, total
}

func chosenOf(r *game.Rules, picks game.Picks, random bool) []chosen {
	var list []chosen
	for i, m := range r.Matrices {
		c := chosen{Matrix: m}
		for _, n := range picks[i] {
			if n >= 1 && n <= len(m.Elements) {
				c.Names = append(c.Names, m.Elements[n-1].Name)
			}
		}
		if random {
			c.Random = max(0, m.Pick-len(picks[i]))
		}
		list = append(list, c)
	}
	return list
}

func (t *terminal) ticketOf(sold wager.Ticket, s seat, state []field, at time.Time) ticket {
	v := ticket{
		Ticket: sold, Zone: s.zone, Code: wager.Code(sold.Number, sold.Secret), IsCut: sold.Cut(), State: state, CommandKey: page.NewKey(),
	}
	outlets := []party.Outlet{s.outlet}
	if sold.Outlet != s.outlet.ID {
		outlets = t.app.Sys.Outlets()
	}
	for _, o := range outlets {
		if o.ID == sold.Outlet {
			v.Outlet = o.Number
		}
	}
	for _, d := range sold.Draws {
		if !slices.Contains(v.Days, d.Day) {
			v.Days = append(v.Days, d.Day)
		}
	}
	picks := sold.Plays[0].Picks
	v.Chosen = chosenOf(sold.Rules, picks, false)
	for n, e := range sold.Rules.Matrices[0].Elements {
		place, err := page.SpotOf(e.Key)
		if err == nil {
			v.Spots = append(v.Spots, spot{place, slices.Contains(picks[0], n+1)})
		}
	}
	v.Cancels = sold.Outlet == s.outlet.ID && at.Before(sold.Draws[0].ClosesAt)
	return v
}

func checkOf(c central.Check, t ticket, on counter) check {
	v := check{ticket: t, Answer: c.Answer, CancelledAt: c.CancelledAt, JustPaid: on.paid, Again: on.again, Verdict: c.Answer.Standing.String()}
	switch {
	case !c.CancelledAt.IsZero():
		v.Verdict, v.Cancels = "cancelled", false
	case !on.again.IsZero():
		v.Verdict = "again"
	case c.Answer.Total > 0 && c.Answer.Paid == c.Answer.Total && c.Answer.Waiting == 0:
		v.Verdict = "paid"
	}
	return v
}

// Numbers are the draws' numbers in words: "95, 96, 97".
func (t ticket) Numbers() string { return numbers(t.Draws) }

// ID names the slip in the basket: the key of its sale.
func (l line) ID() string { return l.key }

// Numbers are the numbers of the draws that the slip would enter.
func (l line) Numbers() string { return numbers(l.Taken) }

func numbers(draws []draw.Draw) string {
	var b []byte
	for i, d := range draws {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = strconv.AppendInt(b, int64(d.Number), 10)
	}
	return string(b)
}
