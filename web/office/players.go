package office

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"tirage/central"
	"tirage/money"
	"tirage/party"
	"tirage/web/page"
)

// playersPage finds players by their name or address: nobody is listed who was
// not asked for. What is looked for is sent in a form, so that no address and no
// log of a proxy has it.
type playersPage struct {
	frame
	Query   string
	Found   []central.PlayerView
	Asked   bool
	More    bool // than are shown
	Refusal refusal
}

const (
	queryMin   = 3  // characters
	playersMax = 20 // shown
)

// stateOf sums up what a player may do, as the name of a sentence.
func stateOf(p party.Player, now time.Time) string {
	switch {
	case p.Closed:
		return "closed"
	case p.Excluded(now):
		return "excluded"
	case now.Before(p.PausedUntil):
		return "paused"
	}
	return "active"
}

// State is the state of a player in the list.
func (p playersPage) State(of party.Player) string { return stateOf(of, p.Now) }

func (o office) playersPage(w http.ResponseWriter, r *http.Request, _ party.Officer) error {
	return face.Render(w, r, http.StatusOK, "players", playersPage{frame: o.frame(r, "players.title", pathPlayers)})
}

func (o office) findPlayers(w http.ResponseWriter, r *http.Request, _ party.Officer) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	p := playersPage{frame: o.frame(r, "players.title", pathPlayers), Query: strings.TrimSpace(r.PostForm.Get("q"))}
	p.Switch = pathPlayers + "?" + url.Values{"lang": {p.Lang.Other().String()}}.Encode()
	if utf8.RuneCountInString(p.Query) < queryMin {
		p.Refusal.Form = "find"
		status, err := o.explain(r, &p.Refusal, &fieldError{http.StatusUnprocessableEntity, "q", "players.fault.short", queryMin})
		if err != nil {
			return err
		}
		return face.Render(w, r, status, "players", p)
	}
	list, err := o.app.Sys.FindPlayers(r.Context(), p.Query, playersMax+1)
	if err != nil {
		return err
	}
	if len(list) == 1 {
		http.Redirect(w, r, pathPlayers+"/"+list[0].ID, http.StatusSeeOther)
		return nil
	}
	p.Asked, p.More = true, len(list) > playersMax
	p.Found = list[:min(len(list), playersMax)]
	return face.Render(w, r, http.StatusOK, "players", p)
}

// playerPage is a player: what he may do, what he has, and what happened on his
// account. No password and no secret is shown.
type playerPage struct {
	frame
	central.PlayerView
	Rules   *party.Rules // of accounts; nil: none
	Limits  []limitLine
	Lines   []movementLine
	Next    uint64 // older lines are before this record; 0: none
	Whole   bool   // the page begins with the newest line
	Key     string
	Reason  string
	Refusal refusal
	Notice  string
}

// State is the player's state.
func (p playerPage) State() string { return stateOf(p.Player, p.Now) }

// ReasonMax is the most characters of a reason.
func (playerPage) ReasonMax() int { return central.ReasonMax }

// WindowDays is how many days limits count; 0: no rules of accounts are published.
func (p playerPage) WindowDays() int {
	if p.Rules == nil {
		return 0
	}
	return p.Rules.WindowDays
}

// limitLine is a limit of a player and what is used of it in its window.
type limitLine struct {
	Name string       // of its sentence
	Most money.Amount // 0: none
	Used money.Amount
	Next money.Amount // that holds from At on
	At   time.Time    // zero: nothing else is to hold
}

// movementLine is a line of a player's history.
type movementLine struct {
	central.Movement
	Who   string // login of the officer who did it
	Moves bool   // the amount moved the balance
}

// Way is by what a deposit was paid: "card".
func (m movementLine) Way() string {
	way, _, _ := strings.Cut(m.Means, "/")
	return way
}

// Provider is the provider of a card payment; empty: there is none.
func (m movementLine) Provider() string {
	_, provider, _ := strings.Cut(m.Means, "/")
	return provider
}

// PoolAddress is the page of the pool of a unit.
func (m movementLine) PoolAddress() string {
	return pathPools + "/" + strconv.FormatInt(int64(m.Pool), 10)
}

// movementsMax is how many lines of a history a page has.
const movementsMax = 50

func (o office) playerPage(w http.ResponseWriter, r *http.Request, _ party.Officer) error {
	q := r.URL.Query()
	before, err := readRecordNumber(q.Get("avant"))
	if err != nil {
		return err
	}
	p, err := o.player(r, r.PathValue("id"), before)
	if err != nil {
		return err
	}
	switch q.Get("fait") {
	case "confirmation":
		p.Notice, err = face.T(p.Lang, "players.confirmed")
	case "retrait":
		p.Notice, err = face.T(p.Lang, "players.withdrawn")
	}
	if err != nil {
		return err
	}
	return face.Render(w, r, http.StatusOK, "player", p)
}

// readRecordNumber reads a record's number in an address; none is 0.
func readRecordNumber(text string) (uint64, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		return 0, page.ErrNotFound
	}
	return n, nil
}

func (o office) player(r *http.Request, id string, before uint64) (playerPage, error) {
	p := playerPage{frame: o.frame(r, "players.title", pathPlayers), Key: page.NewKey(), Whole: before == 0, Rules: o.app.Sys.AccountRules()}
	if r.Method == http.MethodPost {
		p.Switch = pathPlayers + "/" + url.PathEscape(id) + "?" + url.Values{"lang": {p.Lang.Other().String()}}.Encode()
	}
	var err error
	if p.PlayerView, err = o.app.Sys.Player(r.Context(), id); err != nil {
		return p, err
	}
	p.Title = p.Person.FirstName + " " + p.Person.LastName
	for _, l := range []struct {
		name  string
		limit party.Limit
		used  money.Amount
	}{{"deposits", p.Deposits, p.Deposited}, {"stakes", p.Stake, p.Staked}} {
		line := limitLine{Name: l.name, Most: l.limit.Now(p.Now), Used: l.used}
		if p.Now.Before(l.limit.At) {
			line.Next, line.At = l.limit.Next, l.limit.At
		}
		p.Limits = append(p.Limits, line)
	}
	list, err := o.app.Sys.History(r.Context(), id, before, movementsMax+1)
	if err != nil {
		return p, err
	}
	if len(list) > movementsMax {
		list = list[:movementsMax]
		p.Next = list[movementsMax-1].Record
	}
	logins, err := o.app.Sys.Logins(r.Context())
	for _, m := range list {
		_, notMoney := party.ParseChangeKind(m.Kind)
		p.Lines = append(p.Lines, movementLine{m, logins[m.By], notMoney != nil && m.Kind != "sign-up"})
	}
	return p, err
}

// checkIdentity notes that an officer has checked who a player is, or takes that back.
func (o office) checkIdentity(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	form := r.PostForm
	id, confirmed := form.Get("player"), form.Get("confirmed") == "1"
	err := o.app.Sys.CheckIdentity(r.Context(), central.CheckIdentity{
		Key: form.Get("key"), Officer: officer.ID, Player: id, Confirmed: confirmed, Reason: lineOfText(form.Get("reason")),
	})
	if err != nil {
		p, pageErr := o.player(r, id, 0)
		if pageErr != nil {
			return pageErr
		}
		p.Reason, p.Refusal.Form = form.Get("reason"), "identity"
		status, err := o.explain(r, &p.Refusal, err)
		if err != nil {
			return err
		}
		return face.Render(w, r, status, "player", p)
	}
	done := "retrait"
	if confirmed {
		done = "confirmation"
	}
	http.Redirect(w, r, pathPlayers+"/"+url.PathEscape(id)+"?fait="+done, http.StatusSeeOther)
	return nil
}
