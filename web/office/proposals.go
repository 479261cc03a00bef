package office

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/money"
	"tirage/party"
	"tirage/web/page"
)

// proposalsPage is the acts that move draws or money: those that wait for a
// second officer, the forms to propose one, and the last that were decided (F18).
type proposalsPage struct {
	frame
	Open    []proposal
	Decided []proposal
	Choice  []gameChoice
	Game    game.Code // of the draws to choose from; empty: no rule book is published
	Name    game.Text

	Day, Before, After game.Day
	Today              bool
	Lines              []choiceLine
	Hidden             int // draws of the day left out

	Draws   drawsForm
	Claims  claimsForm
	Refusal refusal
	Notice  string
}

// ReasonMax is the most characters of a reason.
func (proposalsPage) ReasonMax() int { return central.ReasonMax }

// choiceLine is a draw that can be ticked.
type choiceLine struct {
	central.DrawView
	Ticked bool
}

// proposal is a proposal as an officer sees it.
type proposal struct {
	central.Proposal
	Key     string // of the decision that its form sends
	Name    game.Text
	Days    []game.Day // of its draws
	Lines   []effect
	Stakes  money.Amount // what a cancellation gives back
	Barred  []int        // numbers of the draws that it can no longer be done to
	Seen    string       // how its draws stand, for the form that approves it
	Late    string       // by how much later its draws would be
	Code    game.Code    // of its game
	Instant bool         // which is an instant game
	Count   int          // of its draws
	Numbers string       // of its draws: "95, 96"
	Mine    bool         // proposed by who looks at it
	Who     string       // login of who proposed it
	Centre  int          // number of the payment centre that is to pay a ticket; 0: it pays none
	Payable money.Amount // what the ticket pays now
	Other   bool         // which is not the sum of the proposal
	Reading string       // key of the act that tells whom it pays
	Shop    int          // number of the outlet that it is to pay, or that has paid, or whose limit it raises; 0: none
	Owed    money.Amount // what the lottery owes that outlet now, or that owes the lottery
	Limit   money.Amount // of credit, which that outlet has now
	Ends    poolLine     // the pool that it is to close; of no ID: none
	Decider string
}

// TicketAddress is the page of the ticket that it is about.
func (p proposal) TicketAddress() string { return ticketAddress(p.Ticket) }

// ofTicket adds what is known of the ticket that a proposal is about.
func (o office) ofTicket(r *http.Request, p *proposal) error {
	if p.Ticket == 0 {
		return nil
	}
	p.Centre, p.Reading, p.Seen = o.numberOf(p.Outlet), page.NewKey(), central.Seen(nil)
	view, err := o.app.Sys.Ticket(r.Context(), p.Ticket)
	if err != nil {
		return err
	}
	p.Code, p.Name, p.Payable = view.Ticket.Rules.Code, view.Ticket.Rules.Name, view.Answer.Payable
	p.Other = p.Act == central.ActPayTicket && p.Payable != p.Amount
	return nil
}

// ShopAddress is the page of the outlet that it is to pay.
func (p proposal) ShopAddress() string { return pathOutlets + "?numero=" + strconv.Itoa(p.Shop) }

// Short tells that the lottery no longer owes the outlet so much, or that its credit limit is as high already.
func (p proposal) Short() bool {
	return p.Act == central.ActPayOutlet && p.Amount > p.Owed || p.Raises() && p.Amount <= p.Limit
}

// Raises tells that it raises the credit limit of an outlet.
func (p proposal) Raises() bool { return p.Act == central.ActRaiseLimit }

// Receives tells that it books money received.
func (p proposal) Receives() bool { return p.Act == central.ActReceive }

// ofOutlet adds what is known of the outlet whose account a proposal is about.
func (o office) ofOutlet(p *proposal) error {
	if !ofAccount(p.Change) {
		return nil
	}
	p.Shop = o.numberOf(p.Outlet)
	account, err := o.app.Sys.OutletAccount(p.Outlet)
	p.Limit = account.CreditLimit
	if p.Owed = max(0, -account.Owes); p.Act == central.ActReceive {
		p.Owed = account.Owes
	}
	return err
}

// ofAccount tells that a change is about the account of an outlet.
func ofAccount(c central.Change) bool {
	return c.Act == central.ActPayOutlet || c.Act == central.ActReceive || c.Act == central.ActRaiseLimit
}

// Ended tells that the pool that it is to close is closed already.
func (p proposal) Ended() bool { return p.Ends.Closed != 0 }

// ofPool adds what is known of the pool that a proposal is to close.
func (o office) ofPool(r *http.Request, p *proposal) error {
	if p.Act != central.ActClosePool {
		return nil
	}
	pool, err := o.app.Sys.PoolByID(r.Context(), p.Pool)
	p.Ends, p.Code = lineOf(pool, pool.Units, nil), pool.Game
	return err
}

// Withdrawn tells that who proposed it took it back.
func (p proposal) Withdrawn() bool {
	return !p.DecidedAt.IsZero() && !p.Approved && p.DecidedBy == p.By
}

// named takes from the draws of a proposal what tells of them: game, days and numbers.
func (p *proposal) named(draws []draw.Draw) {
	var numbers []int
	for _, d := range draws {
		p.Code = d.Game
		if !slices.Contains(p.Days, d.Day) {
			p.Days = append(p.Days, d.Day)
		}
		numbers = append(numbers, d.Number)
	}
	p.Count, p.Numbers = len(draws), join(numbers)
}

// join writes numbers, runs of three or more as "95–97".
func join(numbers []int) string {
	var words []string
	for i := 0; i < len(numbers); {
		last := i
		for last+1 < len(numbers) && numbers[last+1] == numbers[last]+1 {
			last++
		}
		if last < i+2 {
			last = i
			words = append(words, strconv.Itoa(numbers[i]))
		} else {
			words = append(words, strconv.Itoa(numbers[i])+"–"+strconv.Itoa(numbers[last]))
		}
		i = last + 1
	}
	return strings.Join(words, ", ")
}

// effect is a draw of an open proposal with the times that it would have.
type effect struct {
	central.DrawView
	NewCloses, NewDraws time.Time // zero: as they are
	Barred              bool      // its state no longer lets it take the step
}

// OtherDay tells that the draw would be on another date than now.
func (e effect) OtherDay(zone *time.Location) bool {
	return game.DayOf(e.NewDraws, zone) != game.DayOf(e.DrawsAt, zone)
}

// linesChoice is how many draws the form offers at first.
const linesChoice = 12

// doneNotices is what the page says after a form was done, by the word in its address.
var doneNotices = map[string]string{
	"proposition": "proposals.proposed", "approbation": "proposals.approved", "rejet": "proposals.rejected", "retrait": "proposals.withdrawn",
}

func (o office) proposalsPage(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	p, err := o.proposals(r, officer, r.URL.Query())
	if err != nil {
		return err
	}
	if id, ok := doneNotices[r.URL.Query().Get("fait")]; ok {
		if p.Notice, err = face.T(p.Lang, id); err != nil {
			return err
		}
	}
	return face.Render(w, r, http.StatusOK, "proposals", p)
}

// proposals is the page with the draws of the game and day that q names.
func (o office) proposals(r *http.Request, officer party.Officer, q url.Values) (proposalsPage, error) {
	p := proposalsPage{frame: o.frame(r, "proposals.title", pathProposals)}
	if r.Method == http.MethodPost {
		p.Switch = pathProposals + "?" + url.Values{"lang": {p.Lang.Other().String()}, "jeu": q["jeu"], "jour": q["jour"]}.Encode()
	}
	p.Draws.Key, p.Claims.Key, p.Draws.Act = page.NewKey(), page.NewKey(), central.ActPostpone.String()
	if err := o.listProposals(r, officer, &p); err != nil {
		return p, err
	}
	var err error
	if p.Choice, p.Game, err = o.choose(q.Get("jeu")); err != nil || p.Game == "" {
		return p, err
	}
	p.Claims.Game = p.Game
	rules, err := o.app.Sys.Rules(p.Game)
	if err != nil {
		return p, err
	}
	p.Name = rules.Name
	today, _, err := o.today(p.Game)
	if err != nil {
		return p, err
	}
	if p.Day, err = dayOf(q.Get("jour"), today); err != nil {
		return p, err
	}
	p.Before, p.After, p.Today = p.Day-1, p.Day+1, p.Day == today
	return p, o.listChoices(r, &p, q.Get("tout") != "")
}

// listChoices lists the draws of the day that something can still be done to.
func (o office) listChoices(r *http.Request, p *proposalsPage, whole bool) error {
	views, err := o.app.Sys.Draws(r.Context(), p.Game, p.Day)
	if err != nil {
		return err
	}
	for _, v := range views {
		if v.State.To(draw.Cancelled) == nil {
			p.Lines = append(p.Lines, choiceLine{DrawView: v})
		}
	}
	if n := len(p.Lines); n > linesChoice+1 && !whole { // one more takes no more room than to say so
		p.Lines, p.Hidden = p.Lines[:linesChoice], n-linesChoice
	}
	return nil
}

// listProposals lists the open and the decided proposals.
func (o office) listProposals(r *http.Request, officer party.Officer, p *proposalsPage) error {
	list, err := o.app.Sys.Proposals(r.Context())
	if err != nil {
		return err
	}
	logins, err := o.app.Sys.Logins(r.Context())
	if err != nil {
		return err
	}
	past, err := o.pastDraws(r, list)
	if err != nil {
		return err
	}
	for _, c := range list {
		var view proposal
		if c.DecidedAt.IsZero() {
			view, err = o.proposal(r, c, p.Now)
		} else {
			view, err = o.decided(r, c, past)
		}
		if err != nil {
			return err
		}
		view.Key, view.Mine, view.Who, view.Decider = page.NewKey(), c.By == officer.ID, logins[c.By], logins[c.DecidedBy]
		if c.DecidedAt.IsZero() {
			p.Open = append(p.Open, view)
		} else {
			p.Decided = append(p.Decided, view)
		}
	}
	return nil
}

// pastDraws are the draws of proposals that were decided: of them all, a page
// tells no more than their numbers and days.
func (o office) pastDraws(r *http.Request, list []central.Proposal) (map[draw.ID]draw.Draw, error) {
	var ids []draw.ID
	for _, c := range list {
		if !c.DecidedAt.IsZero() {
			ids = append(ids, c.Draws...)
		}
	}
	slices.Sort(ids)
	draws, err := o.app.Sys.Planned(r.Context(), slices.Compact(ids))
	past := make(map[draw.ID]draw.Draw, len(draws))
	for _, d := range draws {
		past[d.ID] = d
	}
	return past, err
}

// decided is a proposal that was decided.
func (o office) decided(r *http.Request, c central.Proposal, past map[draw.ID]draw.Draw) (proposal, error) {
	p := proposal{Proposal: c, Code: c.Game}
	var err error
	if p.Late, err = later(page.LangOf(r), c.Shift); err != nil {
		return p, err
	}
	if err := errors.Join(o.ofTicket(r, &p), o.ofOutlet(&p), o.ofPool(r, &p)); err != nil || c.Ticket != 0 {
		return p, err
	}
	var draws []draw.Draw
	for _, id := range slices.Sorted(slices.Values(c.Draws)) {
		if d, ok := past[id]; ok {
			draws = append(draws, d)
		}
	}
	p.named(draws)
	return o.inGame(p)
}

// proposal is a proposal with what it would do now.
func (o office) proposal(r *http.Request, c central.Proposal, now time.Time) (proposal, error) {
	p := proposal{Proposal: c, Code: c.Game}
	var err error
	if p.Late, err = later(page.LangOf(r), c.Shift); err != nil {
		return p, err
	}
	if err := errors.Join(o.ofTicket(r, &p), o.ofOutlet(&p), o.ofPool(r, &p)); err != nil || c.Ticket != 0 {
		return p, err
	}
	views, err := o.app.Sys.DrawsByID(r.Context(), c.Draws)
	if err != nil {
		return p, err
	}
	var draws []draw.Draw
	for _, v := range views {
		draws = append(draws, v.Draw)
		e := effectOn(c.Change, v, now)
		if e.Barred {
			p.Barred = append(p.Barred, v.Number)
		}
		p.Lines, p.Stakes = append(p.Lines, e), p.Stakes.Add(v.Stakes)
	}
	p.Seen = central.Seen(views)
	p.named(draws)
	return o.inGame(p)
}

// inGame adds the name of its game, if it has one.
func (o office) inGame(p proposal) (proposal, error) {
	rules, err := o.app.Sys.Rules(p.Code)
	if errors.Is(err, central.ErrUnknownGame) {
		if g, err := o.app.Sys.Instant(p.Code); err == nil {
			p.Name, p.Instant = g.Rules.Name, true
		}
		return p, nil
	}
	if err == nil {
		p.Name = rules.Name
	}
	return p, err
}

// effectOn is what a change would do to a draw now.
func effectOn(c central.Change, v central.DrawView, now time.Time) effect {
	e, next := effect{DrawView: v}, draw.Cancelled
	var moved draw.Draw
	var err error
	switch c.Act {
	case central.ActPostpone:
		next = draw.Postponed
		moved, err = v.Postpone(now, c.Shift)
		e.NewCloses, e.NewDraws = moved.ClosesAt, moved.DrawsAt
	case central.ActClose:
		next = draw.Closed
		moved, err = v.CloseEarly(now)
		e.NewCloses = moved.ClosesAt
	case central.ActCancelDraw, central.ActExtendClaims, central.ActMakeOfficer, central.ActResumeGame, central.ActPayTicket, central.ActLiftStop, central.ActPayOutlet, central.ActReceive, central.ActRaiseLimit, central.ActClosePool:
	}
	if e.Barred = err != nil || v.State.To(next) != nil; e.Barred {
		e.NewCloses, e.NewDraws = time.Time{}, time.Time{}
	}
	return e
}

// approve, reject decide on the proposal that a form names.
func (o office) approve(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	return o.decide(w, r, officer, o.app.Sys.Approve, func(central.Proposal) string { return "approbation" })
}

func (o office) reject(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	return o.decide(w, r, officer, o.app.Sys.Reject, func(p central.Proposal) string {
		if p.By == officer.ID {
			return "retrait"
		}
		return "rejet"
	})
}

func (o office) decide(w http.ResponseWriter, r *http.Request, officer party.Officer, decide decision, done func(central.Proposal) string) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	form := r.PostForm.Get("proposal")
	id, err := strconv.ParseUint(form, 10, 64)
	if err != nil {
		return central.ErrNoProposal
	}
	seen := cmp.Or(r.PostForm.Get("seen"), "nothing") // who approves has seen something
	decided, err := decide(r.Context(), central.Decide{Key: r.PostForm.Get("key"), Officer: officer.ID, Proposal: id, Seen: seen, Password: r.PostForm.Get("password")})
	if err != nil {
		if errors.Is(err, central.ErrKeyReused) { // both buttons of a form have its key
			if p, readErr := o.app.Sys.Proposal(r.Context(), id); readErr == nil && !p.DecidedAt.IsZero() {
				err = central.ErrDecided
			}
		}
		p, pageErr := o.proposals(r, officer, here(r.PostForm))
		if pageErr != nil {
			return pageErr
		}
		if i := slices.IndexFunc(p.Open, func(x proposal) bool { return x.ID == id }); i < 0 {
			form = "decided" // meanwhile, by another
		} else {
			err = barred(err, p.Open[i].Act, p.Open[i].Barred)
		}
		return o.refuseProposal(w, r, p, form, err)
	}
	q := here(r.PostForm)
	q.Set("fait", done(decided))
	http.Redirect(w, r, pathProposals+"?"+q.Encode(), http.StatusSeeOther)
	return nil
}

// here is the game and day of the page that a form stood on.
func here(form url.Values) url.Values {
	q := url.Values{}
	for name, field := range map[string]string{"jeu": "ici", "jour": "jour"} {
		if v := form.Get(field); v != "" {
			q.Set(name, v)
		}
	}
	return q
}
