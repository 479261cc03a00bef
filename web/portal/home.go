package portal

import (
	"net/http"
	"slices"
	"time"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/instant"
	"tirage/money"
	"tirage/web/page"
)

// The addresses of the pages that everybody may see.
const (
	pathHome    = "/"
	pathResults = "/resultats"
	pathDraw    = "/tirage"   // ?id=N
	pathCheck   = "/verifier" // a ticket
	pathPrepare = "/preparer" // a slip
	pathOdds    = "/chances"  // of every game
	pathHelp    = "/jeu-responsable"
)

func (p portal) publicRoutes(mux *http.ServeMux) {
	p.handle(mux, "GET /", p.notFound)
	p.handle(mux, "GET "+pathHome+"{$}", p.home)
	p.handle(mux, "GET "+pathResults, p.results)
	p.handle(mux, "GET "+pathDraw, p.drawPage)
	p.handle(mux, "GET "+pathCheck, p.checkForm)
	p.handle(mux, "POST "+pathCheck, p.check)
	p.handle(mux, "GET "+pathPrepare, p.prepare)
	p.handle(mux, "GET "+pathBulletin+"{file}", p.bulletin)
	p.handle(mux, "GET "+pathOdds, p.odds)
	p.handle(mux, "GET "+pathHelp, p.help)
}

// homePage is the games as doors.
type homePage struct {
	shell
	Now      time.Time
	Draws    []drawDoor
	Instants []instantDoor
}

// drawDoor is the door of a draw game, with what makes it lively.
type drawDoor struct {
	Code    game.Code
	Name    game.Text
	Look    page.Look
	Next    *central.DrawView // the next draw that sells; nil: none
	Opens   time.Time         // when sales open next; zero: not planned
	Stopped bool              // sales that should be open are not
	Jackpot money.Amount      // of the next draw, at least; 0: none, or not known yet
	Has     bool              // a jackpot
	Top     money.Amount      // the greatest fixed prize of a unit stake
	Stake   money.Amount
	Last    *drawn
}

// instantDoor is the door of an instant game: units left, with the top prize among them (F15).
type instantDoor struct {
	Code    game.Code
	Name    game.Text
	Path    string
	Open    bool
	Message game.Text // why it is not
	State   string    // why: a central.GameState in a sentence's id
	Prices  []instantOffer
	Top     money.Amount // the greatest prize
	Least   money.Amount // the lowest price
}

// instantOffer is what is left at a price.
type instantOffer struct {
	Price, Top money.Amount
	TopLeft    int
	Left       int64
	Warn       bool
}

func (p portal) home(w http.ResponseWriter, r *http.Request) error {
	s, err := p.shell(r, "home.title", pathHome)
	if err != nil {
		return err
	}
	data := homePage{shell: s, Now: p.app.Sys.Now()}
	for _, code := range p.drawGames() {
		d, err := p.drawDoor(code)
		if err != nil {
			return err
		}
		data.Draws = append(data.Draws, d)
	}
	for _, code := range p.app.Sys.InstantGames() {
		g, err := p.app.Sys.Instant(code)
		if err != nil {
			return err
		}
		data.Instants = append(data.Instants, newInstantDoor(g))
	}
	return face.Render(w, r, http.StatusOK, "home", data)
}

func (p portal) drawDoor(code game.Code) (drawDoor, error) {
	rules, err := p.app.Sys.Rules(code)
	if err != nil {
		return drawDoor{}, err
	}
	status, err := p.app.Sys.Status(code)
	if err != nil {
		return drawDoor{}, err
	}
	d := drawDoor{
		Code: code, Name: rules.Name, Look: page.LookOf(rules.Matrices[0]), Opens: status.NextOpensAt, Has: rules.Jackpot != nil,
		Stake: rules.Stakes[0],
	}
	for _, tier := range rules.Tables[0].Tiers {
		d.Top = max(d.Top, tier.Prize)
	}
	// A draw whose sales should have opened waits: for a node that looks after draws, or after it was postponed.
	waits := len(status.Upcoming) == 0 && !status.NextOpensAt.IsZero() && !status.NextOpensAt.After(status.At)
	d.Stopped = status.Stopped || waits
	if len(status.Upcoming) > 0 && !d.Stopped {
		d.Next = &status.Upcoming[0]
	}
	if status.JackpotKnown {
		d.Jackpot = status.Jackpot
	}
	if i := slices.IndexFunc(status.Last, func(v central.DrawView) bool { return v.State != draw.Cancelled }); i >= 0 {
		last, err := p.drawn(status.Last[i])
		if err != nil {
			return d, err
		}
		d.Last = &last
	}
	return d, nil
}

func newInstantDoor(g central.InstantGame) instantDoor {
	d := instantDoor{
		Code: g.Rules.Code, Name: g.Rules.Name, Path: pathGame + "/" + string(g.Rules.Code),
		Open: g.Told() == central.Launched, Message: g.Message, State: stateWord(g.Told()),
	}
	for _, price := range g.Prices {
		o := newOffer(price)
		d.Prices = append(d.Prices, o)
		d.Top = max(d.Top, o.Top)
		if d.Least == 0 || o.Price < d.Least {
			d.Least = o.Price
		}
	}
	return d
}

func newOffer(p central.InstantPrice) instantOffer {
	o := instantOffer{Price: p.Table.Price, Left: int64(p.Units - p.Sold), Warn: p.Warn}
	at := slices.IndexFunc(p.Table.Prizes, func(z instant.Prize) bool { return z.Amount > 0 }) // the greatest comes first
	if at >= 0 {
		o.Top = p.Table.Prizes[at].Amount
		if at < len(p.Left) {
			o.TopLeft = p.Left[at]
		}
	}
	return o
}
