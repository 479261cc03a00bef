package office

import (
	"encoding/hex"
	"math/big"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tirage/central"
	"tirage/game"
	"tirage/instant"
	"tirage/money"
	"tirage/party"
	"tirage/web/page"
)

// poolsPage is an instant game: whether it is open, and its pools by price.
type poolsPage struct {
	frame
	Choice  []gameChoice
	Game    *instantGame // nil: no rule book of one is published
	Demo    bool         // pools have both secrets, which the demo made
	Keys    gameKeys
	Typed   gameForms // what a refused form said
	Refusal refusal
	Notice  string
}

// gameKeys are the keys of the commands that the forms of the page send.
type gameKeys struct{ State, Secrets string }

// gameForms are fields as typed. What an officer adds to his secrets is never sent back.
type gameForms struct {
	FR, EN, Reason, Count string
	Price                 money.Amount
}

// ReasonMax is the most characters of a reason, and of a message.
func (poolsPage) ReasonMax() int { return central.ReasonMax }

// instantGame is an instant game as an officer sees it.
type instantGame struct {
	Code    game.Code
	Name    game.Text
	Version string
	Coming  game.Day // its first day, while that is to come
	State   central.GameState
	Message game.Text
	Waits   bool // officers have proposed to resume it
	Policy  instant.Policy
	OneIn   int64 // of pools, by chance, the guard would stop one
	Prices  []priceView
	Steps   []gameStep
}

// gameStep is a launch or suspension, and who did it.
type gameStep struct {
	central.GameStep
	Who string
}

// priceView is what is on sale of a game at a price, and what is to come.
type priceView struct {
	central.InstantPrice
	Open    []poolLine // pools that sell, or wait for the one before to end
	Prizes  []prizeRow
	Losing  []int // units without a prize that are left, by open pool
	Total   []int // all units that are left
	Pools   []poolLine
	Ready   int // to be built: both secrets are there
	Waiting int // for a second officer
}

// Without is how many units of a pool have no prize.
func (p priceView) Without(units int) int { return units - p.Table.Winners() }

// paired tells whether a pool has both secrets.
func (p priceView) paired() bool {
	return slices.ContainsFunc(p.Pools, func(line poolLine) bool { return len(line.Who) == 2 })
}

// prizeRow is a prize of the table, and how many units with it are left in each open pool.
type prizeRow struct {
	instant.Prize
	Left []int
}

// poolLine is a pool in a list.
type poolLine struct {
	central.PoolView
	Units int
	Who   []string // logins of those who committed its secrets
}

// Address is the page of the pool.
func (p poolLine) Address() string { return pathPools + "/" + strconv.FormatInt(int64(p.ID), 10) }

// Stakes is what was staked on the units sold.
func (p poolLine) Stakes() money.Amount { return p.Price.Times(int64(p.Sold)) }

// Unsold is how many units are not sold.
func (p poolLine) Unsold() int { return p.Units - p.Sold }

// The forms of the page.
const (
	formState   = "state"
	formSecrets = "secrets"
)

// Of pools that are closed, and of launches and suspensions, so many are listed.
const (
	poolsClosedMax = 30
	gameStepsMax   = 10
)

// poolNotices is what the page says after a form was done, by the word in its address.
var poolNotices = map[string]string{"ouverture": "pools.launched", "suspension": "pools.suspended"}

func (o office) poolsPage(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	q := r.URL.Query()
	p, err := o.pools(r, q.Get("jeu"))
	if err != nil {
		return err
	}
	if id, ok := poolNotices[q.Get("fait")]; ok {
		p.Notice, err = face.T(p.Lang, id)
	} else if first, count, ok := committed(q.Get("secrets")); ok {
		p.Notice, err = face.T(p.Lang, "pools.committed", struct{ Numbers string }{join(through(first, count))})
	}
	if err != nil {
		return err
	}
	return face.Render(w, r, http.StatusOK, "pools", p)
}

// committed reads the pools that secrets were just committed for: "3 5" is five from number 3.
func committed(text string) (first, count int, ok bool) {
	a, b, _ := strings.Cut(text, " ")
	first, err := strconv.Atoi(a)
	count, err2 := strconv.Atoi(b)
	return first, count, err == nil && err2 == nil && first > 0 && count > 0 && count <= central.SecretsMax
}

func through(first, count int) (numbers []int) {
	for i := range count {
		numbers = append(numbers, first+i)
	}
	return numbers
}

// pools is the page of the game that is asked for, or of the first.
func (o office) pools(r *http.Request, asked string) (poolsPage, error) {
	p := poolsPage{frame: o.frame(r, "pools.title", pathPools), Keys: gameKeys{page.NewKey(), page.NewKey()}, Typed: gameForms{Count: "5"}}
	if r.Method == http.MethodPost {
		p.Switch = pathPools + "?" + url.Values{"lang": {p.Lang.Other().String()}, "jeu": {asked}}.Encode()
	}
	codes := o.app.Sys.InstantGames()
	if asked == "" && len(codes) > 0 {
		asked = string(codes[0])
	}
	for _, code := range codes {
		g, err := o.app.Sys.Instant(code)
		if err != nil {
			return p, err
		}
		p.Choice = append(p.Choice, gameChoice{code, g.Rules.Name, string(code) == asked})
	}
	if asked == "" {
		return p, nil
	}
	g, err := o.instantGame(r, game.Code(asked))
	p.Game, p.Demo = &g, o.app.Sys.Demo() && slices.ContainsFunc(g.Prices, priceView.paired)
	return p, err
}

func (o office) instantGame(r *http.Request, code game.Code) (instantGame, error) {
	view, err := o.app.Sys.Instant(code)
	if err != nil {
		return instantGame{}, err
	}
	g := instantGame{
		Code: code, Name: view.Rules.Name, Version: view.Rules.Version, State: view.State, Message: view.Message, Policy: view.Rules.Policy, Coming: view.Coming,
		OneIn: int64(view.Rules.Policy.GuardOneIn),
	}
	pools, err := o.app.Sys.Pools(r.Context(), code, poolsClosedMax)
	if err != nil {
		return g, err
	}
	logins, err := o.app.Sys.Logins(r.Context())
	if err != nil {
		return g, err
	}
	for _, price := range view.Prices {
		g.Prices = append(g.Prices, priceOf(price, pools, view.Rules.Units, logins))
	}
	steps, err := o.app.Sys.GameSteps(r.Context(), code, gameStepsMax)
	if err != nil {
		return g, err
	}
	for _, step := range steps {
		g.Steps = append(g.Steps, gameStep{step, logins[step.By]})
	}
	proposals, err := o.app.Sys.Proposals(r.Context())
	g.Waits = slices.ContainsFunc(proposals, func(c central.Proposal) bool {
		return c.Act == central.ActResumeGame && c.Game == code && c.DecidedAt.IsZero()
	})
	return g, err
}

// priceOf is a price with its pools. Those that are not built have as many units as a pool of the rules.
func priceOf(price central.InstantPrice, pools []central.PoolView, units int, logins map[string]string) priceView {
	v := priceView{InstantPrice: price}
	for _, pool := range pools {
		if pool.Price != price.Table.Price {
			continue
		}
		line := lineOf(pool, units, logins)
		v.Pools = append(v.Pools, line)
		switch pool.State {
		case "waiting":
			v.Waiting++
		case "ready":
			v.Ready++
		case "open":
			v.Open = slices.Insert(v.Open, 0, line) // oldest first: it sells first
		}
	}
	v.countLeft()
	return v
}

func lineOf(pool central.PoolView, units int, logins map[string]string) poolLine {
	line := poolLine{PoolView: pool, Units: units}
	if pool.Units > 0 {
		line.Units = pool.Units
	}
	for _, id := range pool.Officers {
		line.Who = append(line.Who, logins[id])
	}
	return line
}

// countLeft counts what is left in the open pools, by prize (F15).
func (p *priceView) countLeft() {
	for _, prize := range p.Table.Prizes {
		row := prizeRow{Prize: prize}
		for _, open := range p.Open {
			row.Left = append(row.Left, leftOf(open, prize.Amount))
		}
		p.Prizes = append(p.Prizes, row)
	}
	for _, open := range p.Open {
		losing := open.Unsold()
		for _, n := range open.Left {
			losing -= n
		}
		p.Losing, p.Total = append(p.Losing, losing), append(p.Total, open.Unsold())
	}
}

// leftOf is how many units of a pool with a prize are left; its table may be of another version than the page's.
func leftOf(pool poolLine, amount money.Amount) int {
	for i, prize := range pool.Table.Prizes {
		if prize.Amount == amount {
			return pool.Left[i]
		}
	}
	return 0
}

// poolPage is a pool: what it was committed with, what is sold of it, and, once
// it is closed, what shows that it was as committed.
type poolPage struct {
	frame
	Pool           poolLine
	Name           game.Text
	Prizes         []manifestRow
	Losing         manifestRow
	Actual, Expect string // payout rates as percentages
	Secrets        []secretLine
	Demo           bool   // which made both
	Key            string // of the form that proposes to close it
	Reason         string // as typed
	Waits          bool   // officers have proposed to close it
	Refusal        refusal
}

// ReasonMax is the most characters of a reason.
func (poolPage) ReasonMax() int { return central.ReasonMax }

// manifestRow is a prize of a pool: how many units have it, and how many of them were not sold.
type manifestRow struct {
	Amount      money.Amount
	Units, Left int
}

// Sold is how many units with the prize were sold.
func (m manifestRow) Sold() int { return m.Units - m.Left }

// secretLine is a secret of a pool: who committed it, and by which hash.
type secretLine struct {
	Who, Hash, Secret string // Secret is empty until the pool is closed
}

func (o office) poolPage(w http.ResponseWriter, r *http.Request, _ party.Officer) error {
	id, err := strconv.ParseInt(r.PathValue("number"), 10, 64)
	if err != nil {
		return central.ErrNoPool
	}
	p, err := o.pool(r, instant.PoolID(id))
	if err != nil {
		return err
	}
	return face.Render(w, r, http.StatusOK, "pool", p)
}

func (o office) pool(r *http.Request, id instant.PoolID) (poolPage, error) {
	p := poolPage{frame: o.frame(r, "pools.title", pathPools), Demo: o.app.Sys.Demo(), Key: page.NewKey()}
	if r.Method == http.MethodPost {
		p.Switch = pathPools + "/" + strconv.FormatInt(int64(id), 10) + "?" + url.Values{"lang": {p.Lang.Other().String()}}.Encode()
	}
	pool, err := o.app.Sys.PoolByID(r.Context(), id)
	if err != nil {
		return p, err
	}
	g, err := o.app.Sys.Instant(pool.Game)
	if err != nil {
		return p, err
	}
	logins, err := o.app.Sys.Logins(r.Context())
	if err != nil {
		return p, err
	}
	p.Pool, p.Name = lineOf(pool, pool.Units, logins), g.Rules.Name
	if p.Title, err = face.T(p.Lang, "pools.one", struct{ Number, Price string }{strconv.Itoa(pool.Number), p.Lang.Money(pool.Price)}); err != nil {
		return p, err
	}
	p.Losing = manifestRow{Units: pool.Units - pool.Table.Winners(), Left: p.Pool.Unsold()}
	for i, prize := range pool.Table.Prizes {
		p.Prizes = append(p.Prizes, manifestRow{prize.Amount, prize.Units, pool.Left[i]})
		p.Losing.Left -= pool.Left[i]
	}
	stakes := pool.Price.Times(int64(pool.Units))
	p.Expect = percent(big.NewRat(int64(pool.Table.Total()), int64(stakes)), p.Lang)
	if pool.Sold > 0 {
		p.Actual = percent(big.NewRat(int64(pool.Paid), int64(p.Pool.Stakes())), p.Lang)
	}
	for i, hash := range pool.Hashes {
		line := secretLine{Who: p.Pool.Who[i], Hash: hex.EncodeToString(hash[:])}
		if pool.Closed != 0 {
			line.Secret = hex.EncodeToString(pool.Secrets[i][:])
		}
		p.Secrets = append(p.Secrets, line)
	}
	proposals, err := o.app.Sys.Proposals(r.Context())
	p.Waits = slices.ContainsFunc(proposals, func(c central.Proposal) bool {
		return c.Act == central.ActClosePool && c.Pool == id && c.DecidedAt.IsZero()
	})
	return p, err
}

// endPool proposes to close a pool.
func (o office) endPool(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	id, err := strconv.ParseInt(r.PostForm.Get("pool"), 10, 64)
	if err != nil {
		return central.ErrNoPool
	}
	err = o.submit(r, officer, central.Change{Act: central.ActClosePool, Pool: instant.PoolID(id), Reason: reasonOf(r.PostForm)})
	if err == nil {
		http.Redirect(w, r, pathProposals+"?fait=proposition", http.StatusSeeOther)
		return nil
	}
	p, pageErr := o.pool(r, instant.PoolID(id))
	if pageErr != nil {
		return pageErr
	}
	p.Reason = r.PostForm.Get("reason")
	status, err := o.explain(r, &p.Refusal, err)
	if err != nil {
		return err
	}
	return face.Render(w, r, status, "pool", p)
}

// launch opens a game to its players (INS-1).
func (o office) launch(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	return o.actOnGame(w, r, formState, "fait=ouverture", func(form url.Values) error {
		return o.app.Sys.Launch(r.Context(), central.GameAct{Key: form.Get("key"), Officer: officer.ID, Game: game.Code(form.Get("jeu"))})
	})
}

// suspend suspends a game, with what its players are told.
func (o office) suspend(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	return o.actOnGame(w, r, formState, "fait=suspension", func(form url.Values) error {
		message := game.Text{FR: lineOfText(form.Get("fr")), EN: lineOfText(form.Get("en"))}
		if (message.FR == "") != (message.EN == "") {
			field := "fr"
			if message.EN == "" {
				field = "en"
			}
			return &fieldError{http.StatusUnprocessableEntity, field, "pools.fault.message", field}
		}
		return o.app.Sys.Suspend(r.Context(), central.GameAct{
			Key: form.Get("key"), Officer: officer.ID, Game: game.Code(form.Get("jeu")), Message: message,
		})
	})
}

// lineOfText is a text as typed, without the ends of lines that a browser adds.
func lineOfText(text string) string {
	return strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
}

// resume proposes to launch a game again that the guard stopped (F12).
func (o office) resume(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	return o.actOnGame(w, r, formState, "", func(form url.Values) error {
		return o.submit(r, officer, central.Change{Act: central.ActResumeGame, Game: game.Code(form.Get("jeu")), Reason: reasonOf(form)})
	})
}

// commitSecrets commits secrets of the officer for the next pools.
func (o office) commitSecrets(w http.ResponseWriter, r *http.Request, officer party.Officer) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	form := r.PostForm
	c, err := readSecrets(form)
	if err == nil {
		c.Officer = officer.ID
		var first int
		if first, err = o.app.Sys.CommitSecrets(r.Context(), c); err == nil {
			q := url.Values{"jeu": {form.Get("jeu")}, "secrets": {strconv.Itoa(first) + " " + strconv.Itoa(c.Count)}}
			http.Redirect(w, r, pathPools+"?"+q.Encode(), http.StatusSeeOther)
			return nil
		}
	}
	return o.refuseGame(w, r, formSecrets, err)
}

func readSecrets(form url.Values) (central.CommitSecrets, error) {
	c := central.CommitSecrets{Key: form.Get("key"), Game: game.Code(form.Get("jeu")), Entropy: form.Get("entropy")}
	price, err := strconv.ParseInt(form.Get("price"), 10, 64)
	if err != nil {
		return c, instant.ErrPrice
	}
	c.Price = money.Amount(price)
	if c.Count, err = strconv.Atoi(strings.TrimSpace(form.Get("count"))); err != nil {
		return c, central.ErrSecrets
	}
	return c, nil
}

// actOnGame does what a form asks of the game that it names, and goes back to
// the game's page, or to that of proposals.
func (o office) actOnGame(w http.ResponseWriter, r *http.Request, name, done string, do func(url.Values) error) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	if err := do(r.PostForm); err != nil {
		return o.refuseGame(w, r, name, err)
	}
	target := pathProposals + "?fait=proposition"
	if done != "" {
		target = pathPools + "?" + url.Values{"jeu": {r.PostForm.Get("jeu")}}.Encode() + "&" + done
	}
	http.Redirect(w, r, target, http.StatusSeeOther)
	return nil
}

// refuseGame shows the page again with the reason, in the form that sent it.
func (o office) refuseGame(w http.ResponseWriter, r *http.Request, name string, err error) error {
	form := r.PostForm
	p, pageErr := o.pools(r, form.Get("jeu"))
	if pageErr != nil {
		return pageErr
	}
	if p.Game == nil {
		return err
	}
	p.Typed = gameForms{FR: form.Get("fr"), EN: form.Get("en"), Reason: form.Get("reason"), Count: "5"}
	if name == formSecrets {
		price, _ := strconv.ParseInt(form.Get("price"), 10, 64) // none is ticked then
		p.Typed.Count, p.Typed.Price = form.Get("count"), money.Amount(price)
	}
	p.Refusal.Form = name
	status, err := o.explain(r, &p.Refusal, err)
	if err != nil {
		return err
	}
	return face.Render(w, r, status, "pools", p)
}
