package terminal

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"tirage/art"
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
	Games   []door
	Named   bool // the game stands in the address: there are several
	Rules   *game.Rules
	Logo    string // "": the name stands for it
	Sales   sales

	Key        string // of the slip being filled in
	Boards     []played
	BoardTexts []string // as the address and forms carry them
	Letter     string   // of the board being filled in
	OwnLetter  string   // that letter, where it was read from paper
	Matrices   []matrix
	Typed      bool
	Shapes     []choice // of a quick pick of a multiple play
	Also       []choice
	Quote      quote
	Offers     []offer
	Stakes     []choice
	Draws      []choice
	Refusal    *page.Refusal // of the slip being filled in
	Fault      string        // the field that it is about: "stake", "draws"

	Slips   []line
	Total   money.Amount
	State   []field // the basket and draft, for the forms about tickets
	Menu    []link  // the other pages, with the same
	Scan    string  // address of the page that scans, with the same
	Tickets []ticket
	Price   money.Amount // of the tickets just sold
	Late    []ticket     // sold before those, and not printed

	Check        *check
	CheckRefusal *page.Refusal
	Code         string // as typed
	Read         string // what the slip on the desk was read from; see [desk]
	Undone       *ticket
	Again        time.Time // when that was, where its cancellation was asked for again
	AgainDay     bool      // that was not today
	Fresh        bool      // this request laid on the counter what lies there
	Line         string    // what became of a sale that was given up: a sentence
	Last         bool      // no new slip has been begun since
}

// door leads to another game.
type door struct {
	Rules   *game.Rules
	Logo    string // "": its name
	Here    bool
	Address string
	Next    bool // the keyboard leads to it
}

// Alone tells whether each matrix has the whole width.
func (p deskPage) Alone() bool {
	return !slices.ContainsFunc(p.Matrices, func(m matrix) bool { return m.Side })
}

// BoardsLeft is how many boards more the slip may have, the one being filled in among them.
func (p deskPage) BoardsLeft() int { return p.Rules.BoardsMax - len(p.Boards) }

// AlsoKey is the key of the matrix of which a multiple play may have several; "": none.
func (p deskPage) AlsoKey() string {
	if p.Rules.Multiple.Also < 0 {
		return ""
	}
	return p.Rules.Matrices[p.Rules.Multiple.Also].Key
}

// ShapesText lists the shapes of the game's multiple play for the page's script: "1x1 1x2".
func (p deskPage) ShapesText() string {
	words := make([]string, len(p.Rules.Multiple.Shapes))
	for i, s := range p.Rules.Multiple.Shapes {
		words[i] = shapeText(s)
	}
	return strings.Join(words, " ")
}

// Limits is what the page's script needs of the limit of a play: where it is
// compared, and which boards are summed.
func (p deskPage) Limits() string {
	scope, plays := "total", "all"
	if p.Rules.Limit.Scope == game.LimitPerDraw {
		scope = "draw"
	}
	if p.Rules.Limit.Plays == game.LimitMultipleOnly {
		plays = "multiple"
	}
	return scope + " " + plays
}

// OneShape tells whether all multiple plays of a slip have one shape.
func (p deskPage) OneShape() bool { return p.Rules.Multiple.Scope == game.ShapeBySlip }

// Cuts tells whether more draws than the session has left are cut, not refused.
func (p deskPage) Cuts() bool { return p.Rules.OverRun == game.CutOverRun }

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

// shownMax is how many of the coming draws are named.
const shownMax = 6

// Shown are the draws that are named: the next ones.
func (s sales) Shown() []upcoming { return s.Upcoming[:min(shownMax, len(s.Upcoming))] }

// Rest are the draws after those, of which the last one is named.
func (s sales) Rest() []upcoming { return s.Upcoming[min(shownMax, len(s.Upcoming)):] }

// Last is the last draw that a wager could enter.
func (s sales) Last() upcoming { return s.Upcoming[len(s.Upcoming)-1] }

// line is a slip in the basket.
type line struct {
	slip
	N       int    // from 1
	Text    string // as the address and forms carry it
	Name    game.Text
	Boards  []played
	Taken   []draw.Draw // the draws it would enter now
	Left    int         // of those that it asks for, where the session has fewer and does not cut it
	Price   money.Amount
	Refusal *page.Refusal
}

// Lettered tells whether the boards are named by letters: there are several, or the only one is not A.
func (l line) Lettered() bool { return len(l.boards) > 1 || l.boards[0].Letter > 1 }

// field is a hidden field.
type field struct{ Name, Value string }

// ticket is a ticket as it is printed (IAT-5.1).
type ticket struct {
	wager.Ticket
	Zone     *time.Location
	Outlet   int // its number
	Code     string
	Training bool
	Logo     string     // "": the name stands for it
	Days     []game.Day // draw days, metropolitan
	Spots    []spot     // the map, of a game that has it
	Played   []played   // the words: they are what counts (IAT-5.2)
	Cancels  bool       // it may still be cancelled, here
	IsCut    bool

	Prints  bool   // it may be printed here
	NoPrint string // why it may not, though it was sold here: a sentence; "": it may, or was not
	Printed bool   // it was, so that it is printed again as a marked reprint
	Network bool   // by a network printer
	Keyed   bool   // the key for printing is this ticket's
	Print   printing

	State      []field // of the desk, for the forms about the ticket
	CommandKey string
}

// HasMultiplier tells whether a draw multiplies the ticket's prizes (AMI-8.1.2).
func (t ticket) HasMultiplier() bool { return len(t.Rules.Multipliers) > 0 }

// spot is a place on the ticket's map.
type spot struct {
	art.Spot
	Chosen bool
}

// check is the answer about the ticket under check.
type check struct {
	ticket
	settle.Answer
	CancelledAt time.Time
	JustPaid    money.Amount
	Again       time.Time    // the payment was asked for again: when it was made; zero: it was not
	AgainDay    bool         // that was not today
	Stopped     bool         // nobody pays it
	Identity    bool         // a payment asks who is paid
	Max         money.Amount // above which it is paid at payment centres; 0: it is not above
	Payments    []paidAt
	Verdict     string // "won", "lost", "pending", "give-back", "back", "cancelled", "paid", "again", "stopped": a sentence and a style
}

// Sentence is the verdict in words. Who is being paid is not told that he was.
func (c check) Sentence() string {
	if c.Verdict == "paid" && c.JustPaid > 0 {
		return "check.paidnow"
	}
	return "check." + c.Verdict
}

func (t *terminal) deskPage(w http.ResponseWriter, r *http.Request, s seat) error {
	d, err := readDesk(r.URL.Query(), s.games)
	if err != nil {
		return err
	}
	return t.render(w, r, s, http.StatusOK, d, remarks{})
}

// selling is the part of the desk that says what sells: each terminal asks for
// it after each close.
func (t *terminal) selling(w http.ResponseWriter, r *http.Request, s seat) error {
	d, err := readDesk(r.URL.Query(), s.games)
	if err != nil {
		return err
	}
	status, err := t.app.Sys.Status(d.rules.Code)
	if err != nil {
		return err
	}
	p := deskPage{Base: face.Base(r, "desk.title"), Rules: d.rules, Sales: salesOf(s, d.rules, status, d.draft.draws)}
	return face.RenderPart(w, r, "desk", "selling", p)
}

// render writes the desk in a state, with what was refused.
func (t *terminal) render(w http.ResponseWriter, r *http.Request, s seat, status int, d desk, notes remarks) error {
	if notes.fresh = notes.counter != nil; notes.fresh {
		kept := t.counters.put(s.terminal.ID, *notes.counter)
		notes.counter = &kept
	} else {
		look := t.counters.show
		if aside(r) {
			look = t.counters.get
		}
		kept := look(s.terminal.ID)
		notes.counter = &kept
	}
	p, err := t.view(r, s, d, notes)
	if err != nil {
		return err
	}
	if p.Fresh && p.CheckRefusal == nil {
		said, err := p.said()
		if err != nil {
			return err
		}
		if said != "" {
			p.Title = said + " · " + p.Title
		}
	}
	return face.Render(w, r, status, "desk", p)
}

// said is what this request has done, in the fewest words, for the title; "": nothing.
func (p deskPage) said() (string, error) {
	switch {
	case p.Undone != nil && p.AgainDay && !p.Again.IsZero():
		return face.T(p.Lang, "cancel.againday", p.Undone.Number, p.Lang.Moment(p.Again, p.Zone), p.Lang.Money(p.Undone.Price))
	case p.Undone != nil && !p.Again.IsZero():
		return face.T(p.Lang, "cancel.again", p.Undone.Number, p.Again.In(p.Zone).Format("15:04"), p.Lang.Money(p.Undone.Price))
	case p.Undone != nil:
		return face.T(p.Lang, "cancel.done", p.Undone.Number, p.Lang.Money(p.Undone.Price))
	case p.Check != nil && p.Check.Verdict == "again" && p.Check.AgainDay:
		return face.T(p.Lang, "check.againday", p.Lang.Moment(p.Check.Again, p.Zone), p.Lang.Money(p.Check.JustPaid))
	case p.Check != nil && p.Check.Verdict == "again":
		return face.T(p.Lang, "check.again", p.Check.Again.In(p.Zone).Format("15:04"), p.Lang.Money(p.Check.JustPaid))
	case p.Check != nil:
		return face.T(p.Lang, p.Check.Sentence())
	case len(p.Tickets) > 0:
		return face.T(p.Lang, "strip.due", p.Lang.Money(p.Price))
	}
	return "", nil
}

func (t *terminal) view(r *http.Request, s seat, d desk, notes remarks) (p deskPage, err error) {
	p = deskPage{
		Base: face.Base(r, "desk.title"), Outlet: s.outlet, Zone: s.zone, Rules: d.rules,
		Key: s.newKey(), Refusal: notes.draft, CheckRefusal: notes.check, Code: notes.code, Read: d.read, Line: notes.line, Fresh: notes.fresh, Last: notes.fresh || d.blank() && !notes.counter.over,
	}
	// A refused slip keeps its key: sent again, it is the same sale.
	if notes.draft != nil && d.draft.key != "" && notes.draft.Code != "key_reused" {
		p.Key = d.draft.key
	}
	if r.Method == http.MethodPost { // the address has no state: offer the language switch one
		v := d.values()
		v.Set("lang", p.Lang.Other().String())
		p.Switch = pathDesk + "?" + v.Encode()
	}
	if p.Account, err = t.app.Sys.OutletAccount(s.outlet.ID); err != nil {
		return p, err
	}
	states := map[game.Code]central.Status{}
	for _, r := range d.games {
		if states[r.Code], err = t.app.Sys.Status(r.Code); err != nil {
			return p, err
		}
	}
	p.fill(s, d, states, notes)
	p.Menu = t.menu(pathDesk, d.values())
	countIn(p.Menu, t.unread(r, s))
	return p, t.addCounter(r, s, &p, notes)
}

// fill writes a state of the desk into its page.
func (p *deskPage) fill(s seat, d desk, states map[game.Code]central.Status, notes remarks) {
	p.Games, p.Named, p.Logo = doors(d), len(d.games) > 1, page.LogoOf(d.rules.Code)
	p.Sales = salesOf(s, d.rules, states[d.rules.Code], d.draft.draws)
	left := len(p.Sales.Upcoming)
	p.Matrices, p.Typed = matrices(d.rules, d.picks), typed(d.rules)
	p.Shapes, p.Also = asks(d.rules, d.ask)
	p.Stakes, p.Draws = choices(p.Lang, d.rules, d.draft, left)
	p.Quote = d.quote(left, notes.flash)
	for i, b := range d.draft.boards {
		p.Boards = append(p.Boards, playedOf(d.rules, i+1, b, combinations(d.rules, b)))
		p.BoardTexts = append(p.BoardTexts, boardText(b))
	}
	p.Letter = letterOf(d.letter())
	if d.ask.Letter > 0 {
		p.OwnLetter = letterOf(d.ask.Letter)
	}
	if notes.draft != nil {
		p.markFault(notes)
		p.Offers = d.offers(notes.flash, notes.err)
	}
	p.Slips, p.Total = lines(s, d, states, notes.slips)
	p.Scan = withState(pathScan, d.values())
	p.State = fieldsOf(d.values())
}

// doors lead to the games.
func doors(d desk) []door {
	var list []door
	here := slices.Index(d.games, d.rules)
	for i, r := range d.games {
		other := newDesk(d.games, r)
		other.slips = d.slips
		list = append(list, door{
			Rules: r, Logo: page.LogoOf(r.Code), Here: i == here, Address: other.address(),
			Next: len(d.games) > 1 && i == (here+1)%len(d.games),
		})
	}
	return list
}

// markFault marks the field that a refusal is about.
func (p *deskPage) markFault(notes remarks) {
	switch notes.draft.Code {
	case "stake", "stake_not_marked":
		p.Fault = "stake"
	case "draws", "draws_not_marked", "over_run":
		p.Fault = "draws"
	}
	key := ""
	if e, ok := errors.AsType[*game.PicksError](notes.err); ok {
		key = e.Matrix
	}
	if e, ok := errors.AsType[*game.ShapeError](notes.err); ok {
		key = e.Matrix
	}
	for i := range p.Matrices {
		p.Matrices[i].Fault = key != "" && p.Matrices[i].Key == key
	}
}

// keyPrint gives the key for printing to the first ticket that is not printed, or to
// the only one that can be: pressed again, it prints the next one and no duplicate.
func (p *deskPage) keyPrint() {
	var list []*ticket
	for _, tickets := range [][]ticket{p.Late, p.Tickets} {
		for i := range tickets {
			list = append(list, &tickets[i])
		}
	}
	if p.Check != nil {
		list = append(list, &p.Check.ticket)
	}
	list = slices.DeleteFunc(list, func(t *ticket) bool { return !t.Prints })
	for _, t := range list {
		if !t.Print.UnderWay && (!t.Printed || t.Print.Trouble != "" || len(list) == 1) {
			t.Keyed = true
			return
		}
	}
}

// addCounter adds what lies on the counter.
func (t *terminal) addCounter(r *http.Request, s seat, p *deskPage, notes remarks) error {
	defer p.keyPrint()
	c := *notes.counter
	prints, err := t.printsOf(r, s, c)
	if err != nil {
		return err
	}
	for _, sold := range c.sold {
		p.Tickets = append(p.Tickets, prints.add(t.ticketOf(sold, s, p.State), c))
	}
	for _, x := range c.late() {
		p.Late = append(p.Late, prints.add(t.ticketOf(x.ticket, s, p.State), c))
	}
	p.Price = c.price
	if c.undone != nil {
		undone := t.ticketOf(*c.undone, s, p.State)
		p.Undone, p.Again, p.AgainDay = &undone, c.again, t.otherDay(s, c.again)
	}
	if c.checked == nil {
		return nil
	}
	answer := notes.answer
	if answer == nil {
		again, err := t.app.Sys.CheckAt(r.Context(), c.checked.number, c.checked.secret, s.place())
		if err != nil {
			return err
		}
		answer = &again
	}
	x := checkOf(*answer, prints.add(t.ticketOf(answer.Ticket, s, p.State), c), c)
	x.AgainDay = t.otherDay(s, c.again)
	x.keepUnprinted()
	if err := t.addPayments(r, s, *c.checked, &x); err != nil {
		return err
	}
	p.Check = &x
	return nil
}

// otherDay tells whether an instant is of another day than now, where the seat is.
func (t *terminal) otherDay(s seat, at time.Time) bool {
	return at.In(s.zone).Format(time.DateOnly) != t.app.Sys.Now().In(s.zone).Format(time.DateOnly)
}

func salesOf(s seat, r *game.Rules, status central.Status, asked int) sales {
	v := sales{At: status.At, OpensAt: status.NextOpensAt, Stopped: status.Stopped}
	most := slices.Max(r.DrawCounts)
	sold, err := wager.Cut(r, status.Open, status.At, s.outlet.Territory, most)
	if over, ok := errors.AsType[*wager.OverRunError](err); ok {
		sold, _ = wager.Cut(r, status.Open, status.At, s.outlet.Territory, over.Left)
	}
	for i, d := range sold {
		v.Upcoming = append(v.Upcoming, upcoming{d, i < asked})
	}
	if len(sold) > 0 {
		v.ClosesAt = sold[0].ClosesAt
	}
	return v
}

func lines(s seat, d desk, states map[game.Code]central.Status, refusals map[string]page.Refusal) (list []line, total money.Amount) {
	for i, x := range d.slips {
		l := line{slip: x, N: i + 1, Text: x.String(), Name: x.rules.Name}
		for n, b := range x.boards {
			l.Boards = append(l.Boards, playedOf(x.rules, n+1, b, combinations(x.rules, b)))
		}
		if refusal, ok := refusals[x.key]; ok {
			l.Refusal = &refusal
		}
		draws, status := x.draws, states[x.rules.Code]
		taken, err := wager.Cut(x.rules, status.Open, status.At, s.outlet.Territory, x.draws)
		if err == nil {
			l.Taken, draws = taken, len(taken)
		} else if over, ok := errors.AsType[*wager.OverRunError](err); ok {
			l.Left = over.Left
		}
		l.Price = x.stake.Times(combinations(x.rules, x.boards...)).Times(int64(draws))
		total = total.Add(l.Price)
		list = append(list, l)
	}
	return list, total
}

func (t *terminal) ticketOf(sold wager.Ticket, s seat, state []field) ticket {
	v := ticket{
		Ticket: sold, Zone: s.zone, Code: s.code(sold.Number, sold.Secret), Logo: page.LogoOf(sold.Rules.Code), IsCut: sold.Cut(), State: state, CommandKey: s.newKey(), Training: s.training,
	}
	if outlet, err := t.app.Sys.Outlet(sold.Outlet); err == nil {
		v.Outlet = outlet.Number
	}
	for _, d := range sold.Draws {
		if !slices.Contains(v.Days, d.Day) {
			v.Days = append(v.Days, d.Day)
		}
	}
	for n, p := range sold.Plays {
		board := playedOf(sold.Rules, n+1, wager.Board{Picks: p.Picks}, int64(len(p.Combinations)))
		board.Letter = sold.Letter(n)
		v.Played = append(v.Played, board)
	}
	if first := sold.Rules.Matrices[0]; page.LookOf(first) == page.LookIsland {
		for n, e := range first.Elements {
			if place, err := page.SpotOf(e.Key); err == nil {
				v.Spots = append(v.Spots, spot{place, slices.Contains(sold.Plays[0].Picks[0], n+1)})
			}
		}
	}
	v.Cancels = sold.Outlet == s.outlet.ID && !s.outlet.Blocked && t.app.Sys.Cancellable(sold) == nil
	return v
}

func checkOf(c central.Check, t ticket, on counter) check {
	v := check{ticket: t, Answer: c.Answer, CancelledAt: c.CancelledAt, JustPaid: on.paid, Again: on.again, Stopped: c.Stopped, Identity: c.Identity, Verdict: c.Answer.Standing.String()}
	paid, due := c.Answer.Paid.Add(c.Answer.BackPaid), c.Answer.Total.Add(c.Answer.Back)
	switch {
	case !c.CancelledAt.IsZero():
		v.Verdict, v.Cancels = "cancelled", false
	case !on.again.IsZero():
		v.Verdict = "again"
	case c.Stopped && v.Verdict != "lost":
		v.Verdict = "stopped"
	case due > 0 && paid == due && c.Answer.Waiting == 0:
		v.Verdict = "paid"
		if c.Answer.Total == 0 {
			v.Verdict = "back"
		}
	}
	return v
}

// keepUnprinted takes the keys that print from a ticket whose print would be refused.
func (c *check) keepUnprinted() {
	if !c.Prints || c.Print.UnderWay {
		return
	}
	switch {
	case !c.CancelledAt.IsZero():
		c.Prints, c.NoPrint = false, "print.cancelled"
	case c.Stopped:
		c.Prints, c.NoPrint = false, "print.stopped"
	}
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

// Short tells whether the session has fewer draws left than the game offers.
func (p deskPage) Short() bool {
	return len(p.Sales.Upcoming) < slices.Max(p.Rules.DrawCounts)
}

// InBasket are the games of what is being sold, each once.
func (p deskPage) InBasket() []game.Text {
	var names []game.Text
	for _, l := range p.Slips {
		names = append(names, l.Name)
	}
	return once(names)
}

// Names are the games of what was sold last, each once.
func (p deskPage) Names() []game.Text {
	var names []game.Text
	for _, t := range p.Tickets {
		names = append(names, t.Rules.Name)
	}
	return once(names)
}

// once leaves of each name the first.
func once(names []game.Text) (list []game.Text) {
	for _, n := range names {
		if !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return list
}

// Won is what the player is to see: all that the ticket has won, and the stakes
// that are given back.
func (c check) Won() money.Amount { return c.Total.Add(c.Back) }

// Fanfare tells whether the player is to hear that the ticket has won.
func (c check) Fanfare() bool { return c.Verdict == "won" }

// PaidOut is what was paid on the ticket, prizes and stakes given back.
func (c check) PaidOut() money.Amount { return c.Paid.Add(c.BackPaid) }
