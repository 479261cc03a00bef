package portal

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"tirage/central"
	"tirage/game"
	"tirage/instant"
	"tirage/money"
	"tirage/web/page"
)

// The addresses of the instant games.
const (
	pathGame = "/jeu" // /jeu/CODE: the scene; POST /jeu/CODE/unite plays a unit; GET /jeu/CODE/unite/N shows one again
	pathUnit = "unite"
	// proofFile is what `tirage-verify unit` reads.
	proofFile = "preuve.json"
	pathTally = pathGame + "/bilan" // of the reality check
)

func (p portal) gameRoutes(mux *http.ServeMux) {
	p.handle(mux, "GET "+pathGame+"/{code}", p.game)
	p.handle(mux, "POST "+pathGame+"/{code}/"+pathUnit, p.play)
	p.handle(mux, "GET "+pathGame+"/{code}/"+pathUnit+"/{record}", p.unit)
	p.handle(mux, "GET "+pathGame+"/{code}/"+pathUnit+"/{record}/preuve", p.unitProof)
	p.handle(mux, "GET "+pathGame+"/{code}/"+pathUnit+"/{record}/"+proofFile, p.unitProofFile)
	p.handle(mux, "GET "+pathTally, p.tally)
}

// unitPath is where a unit is shown again.
func unitPath(code game.Code, record uint64) string {
	return fmt.Sprintf("%s/%s/%s/%d", pathGame, code, pathUnit, record)
}

// gamePage is the scene of a game, its prizes, and what is left of them.
type gamePage struct {
	shell
	Isle   isle
	Shut   bool      // nobody plays now (INS-1)
	State  string    // why: a central.GameState in a sentence's id
	Closed game.Text // why, in an officer's words
	Offers []priceOffer
}

// isle is what the island needs: the script finds it in attributes.
type isle struct {
	Code   game.Code
	Name   game.Text
	Logo   string
	Island bool
	OnSale bool           // a unit at some price
	Rest   instant.Square // of the totem before a unit
	Offers []priceOffer
	Finds  []find
	Tables string // prizes by price, as JSON
	Key    string // of the form: makes sending it twice one command
	Signer string // public key of answers, in hex
	Play   string
	Units  string
	Tally  *tally // nil: nobody has signed on
	Pace   int64  // of reality checks, in seconds; 0: none
	Here   string
	Watch  *watched // a unit to show again

	Paused, Excluded time.Time // until when the player may not play; zero: he may
}

// watched is a unit for the script: what was signed, and nothing beside it.
type watched struct {
	Record          uint64
	At              time.Time // played
	Text, Signature string
}

// priceOffer is a price, what it may win, and what is left (F15).
type priceOffer struct {
	Price   money.Amount
	Top     money.Amount
	First   bool
	Number  int // of the pool
	Units   int64
	Left    int64
	Warn    bool
	Stopped bool
	Rows    []offerRow
	AnyIn   string // "3,76": one unit in so many wins
	Winners int
	Return  string // "70"
}

// offerRow is a line of the prize table.
type offerRow struct {
	instant.Prize
	All   int64 // units of a pool that win it
	Left  int64
	OneIn string
}

// find is a symbol, and what so many of it pay (INS-4.4) at the price chosen first.
type find struct {
	Symbol instant.Symbol
	Pays   []offerRow
}

// resting is where the totem stands on arrival (INS-4.1).
const resting instant.Square = 3*instant.Columns + 4

func (p portal) game(w http.ResponseWriter, r *http.Request) error {
	g, err := p.app.Sys.Instant(game.Code(r.PathValue("code")))
	if err != nil {
		return err
	}
	s, err := p.shell(r, "game.title", pathGame+"/"+string(g.Rules.Code))
	if err != nil {
		return err
	}
	view, err := newGamePage(s, g, p.signer())
	if err != nil {
		return err
	}
	if s.Player != nil {
		if view.Isle.Tally, view.Isle.Pace, err = p.reality(w, r, s.Player.ID); err != nil {
			return err
		}
		who, err := p.app.Sys.Player(r.Context(), s.Player.ID)
		if err != nil {
			return err
		}
		m := newMember(s, who, nil, p.app.Sys.Now())
		view.Isle.Paused, view.Isle.Excluded = m.Paused, m.Excluded
	}
	return face.Render(w, r, http.StatusOK, "game", view)
}

// newGamePage makes the page of a game as it is now.
func newGamePage(s shell, g central.InstantGame, signer string) (gamePage, error) {
	v := gamePage{shell: s, Closed: g.Message, Shut: g.Told() != central.Launched, State: stateWord(g.Told())}
	v.Title = s.Lang.Text(g.Rules.Name)
	var err error
	v.Isle, err = newIsle(s.Lang, g, signer)
	v.Offers = v.Isle.Offers
	return v, err
}

// stateWord is the end of the sentence's id that tells players of a state.
func stateWord(s central.GameState) string {
	switch s {
	case central.Unlaunched:
		return "unlaunched"
	case central.Suspended, central.Stopped: // the guard's word is for officers
		return "suspended"
	case central.Launched:
	}
	return ""
}

func newIsle(lang page.Lang, g central.InstantGame, signer string) (isle, error) {
	code := g.Rules.Code
	s := isle{
		Code: code, Name: g.Rules.Name, Logo: page.LogoOf(logoCode(code)), Island: g.Rules.Scene == instant.Island,
		Rest: resting, Key: page.NewKey(), Signer: signer, Here: pathGame + "/" + string(code),
	}
	s.Play = s.Here + "/" + pathUnit
	s.Units = s.Play + "/"
	type prize struct {
		Amount money.Amount   `json:"amount"`
		Symbol instant.Symbol `json:"symbol"`
		Of     int            `json:"of"`
	}
	type table struct {
		Price  money.Amount `json:"price"`
		Prizes []prize      `json:"prizes"`
	}
	var tables []table
	for _, at := range g.Prices {
		s.Offers = append(s.Offers, newPriceOffer(lang, g.Rules, at))
		t := table{Price: at.Table.Price}
		for _, x := range at.Table.Prizes {
			t.Prizes = append(t.Prizes, prize{x.Amount, x.Symbol, x.Of})
		}
		tables = append(tables, t)
	}
	for i := range s.Offers { // the lowest price is chosen first
		if !s.Offers[i].Stopped {
			s.Offers[i].First, s.OnSale = true, true
			break
		}
	}
	for symbol := instant.Candlestick; symbol <= instant.Skull; symbol++ {
		s.Finds = append(s.Finds, newFind(symbol, s.Offers))
	}
	b, err := json.Marshal(tables)
	s.Tables = string(b)
	return s, err
}

func newFind(symbol instant.Symbol, offers []priceOffer) find {
	f := find{Symbol: symbol}
	for _, o := range offers {
		for _, row := range o.Rows {
			if o.First && row.Symbol == symbol {
				f.Pays = append(f.Pays, row)
			}
		}
	}
	return f
}

// logoCode is the game whose logo an instant game has: that of the draw game with its name.
func logoCode(code game.Code) game.Code {
	return game.Code(strings.TrimSuffix(string(code), "-instant"))
}

func newPriceOffer(lang page.Lang, rules *instant.Rules, at central.InstantPrice) priceOffer {
	units := at.Units
	if units == 0 {
		units = rules.Units
	}
	o := priceOffer{
		Price: at.Table.Price, Number: at.Number, Units: int64(units), Left: int64(units - at.Sold), Warn: at.Warn,
		Stopped: at.Stopped || at.Pool == 0, Winners: at.Table.Winners(),
	}
	o.AnyIn = unitsIn(lang, units, o.Winners)
	o.Return = hundredthsOf(lang, int64(at.Table.Total())*10_000/(int64(at.Table.Price)*int64(units)))
	for i, x := range at.Table.Prizes {
		row := offerRow{Prize: x, All: int64(x.Units), Left: int64(x.Units), OneIn: unitsIn(lang, units, x.Units)}
		if i < len(at.Left) {
			row.Left = int64(at.Left[i])
		}
		o.Rows = append(o.Rows, row)
	}
	if len(at.Table.Prizes) > 0 {
		o.Top = at.Table.Prizes[0].Amount
	}
	return o
}

// unitsIn writes units/winners, rounded to the hundredth: "3,76", "450 000".
func unitsIn(lang page.Lang, units, winners int) string {
	if winners == 0 {
		return ""
	}
	return hundredthsOf(lang, (int64(units)*200+int64(winners))/(2*int64(winners)))
}

// hundredthsOf writes a number of hundredths, without those that are none.
func hundredthsOf(lang page.Lang, hundredths int64) string {
	whole, rest := lang.Number(hundredths/100), hundredths%100
	if rest == 0 {
		return whole
	}
	point := ","
	if lang == page.English {
		point = "."
	}
	return whole + point + strings.TrimSuffix(fmt.Sprintf("%02d", rest), "0")
}
