package portal

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"tirage/central"
	"tirage/game"
	"tirage/instant"
	"tirage/journal"
	"tirage/money"
	"tirage/party"
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

// unitPage is a unit told step by step, and shown again where there is a script.
type unitPage struct {
	shell
	Isle isle
	Told told
}

// proofPage shows that a unit was fixed before it was sold.
type proofPage struct {
	shell
	Code game.Code
	Name game.Text
	Told told
	Key  string // that signs answers, in hex
	Leaf string // hash of the unit's opening, in hex
	Path []string
	File string
	Seen string // where its player watches it again
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
}

// watched is a unit for the script: what was signed, and nothing beside it.
type watched struct {
	Record          uint64
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

// tally is what a player did since he signed on.
type tally struct {
	Minutes int          `json:"minutes"`
	Units   int          `json:"units"`
	Staked  money.Amount `json:"staked"`
	Won     money.Amount `json:"won"`
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
	}
	return face.Render(w, r, http.StatusOK, "game", view)
}

// newGamePage makes the page of a game as it is now.
func newGamePage(s shell, g central.InstantGame, signer string) (gamePage, error) {
	v := gamePage{shell: s, Closed: g.Message, Shut: g.State != central.Launched, State: stateWord(g.State)}
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

// unitAnswer is a unit for the script. All that it shows of it stands in Text;
// the balance is as it was before the prize, and as it is.
type unitAnswer struct {
	Record    uint64       `json:"record"`
	Text      string       `json:"text"`
	Signature string       `json:"signature"`
	During    money.Amount `json:"during"`
	Balance   money.Amount `json:"balance"`
}

// refused is a refusal for the script, and where to go for what is missing.
type refused struct {
	Code     string `json:"code"`
	Sentence string `json:"sentence"`
	Address  string `json:"address"`
}

// play plays a unit (INS-4.1): the form's key makes it one, however often it is sent (F10).
func (p portal) play(w http.ResponseWriter, r *http.Request) error {
	u, player, err := p.playUnit(r)
	if wantsJSON(r) {
		return p.tell(w, r, u, player, err, true)
	}
	if err != nil {
		return err
	}
	http.Redirect(w, r, unitPath(u.Game, u.Record), http.StatusSeeOther)
	return nil
}

func (p portal) playUnit(r *http.Request) (u central.PlayedUnit, player string, err error) {
	if err := page.ReadForm(r); err != nil {
		return u, "", err
	}
	if player, err = p.app.Session(r, page.PlayerSession); err != nil {
		return u, "", err
	}
	cents, err := strconv.ParseInt(r.PostForm.Get("price"), 10, 64)
	if err != nil {
		return u, player, errors.Join(page.ErrForm, err)
	}
	u, err = p.app.Sys.Play(r.Context(), central.PlayUnit{
		Key: r.PostForm.Get("key"), Player: player, Game: game.Code(r.PathValue("code")), Price: money.Amount(cents),
	})
	return u, player, err
}

// unit shows a unit of the player's history again: on any device, whatever happened to the first screen (INS-4.1).
func (p portal) unit(w http.ResponseWriter, r *http.Request) error {
	player, err := p.app.Session(r, page.PlayerSession)
	var u central.PlayedUnit
	if err == nil {
		u, err = p.readUnit(r, func(record uint64) (central.PlayedUnit, error) {
			return p.app.Sys.Unit(r.Context(), player, record)
		})
	}
	if wantsJSON(r) {
		return p.tell(w, r, u, player, err, false)
	}
	if err != nil {
		return err
	}
	g, err := p.app.Sys.Instant(u.Game)
	if err != nil {
		return err
	}
	s, err := p.shell(r, "game.unit.title", pathHistory)
	if err != nil {
		return err
	}
	view, err := newUnitPage(s, g, u, p.signer())
	if err != nil {
		return err
	}
	return face.Render(w, r, http.StatusOK, "game_unit", view)
}

// readUnit reads the unit that an address names, if it is of the game that it names.
func (p portal) readUnit(r *http.Request, read func(record uint64) (central.PlayedUnit, error)) (central.PlayedUnit, error) {
	record, err := strconv.ParseUint(r.PathValue("record"), 10, 63)
	if err != nil {
		return central.PlayedUnit{}, central.ErrNoUnit
	}
	u, err := read(record)
	if err == nil && u.Game != game.Code(r.PathValue("code")) {
		err = central.ErrNoUnit
	}
	return u, err
}

func newUnitPage(s shell, g central.InstantGame, u central.PlayedUnit, signer string) (unitPage, error) {
	v := unitPage{shell: s, Told: newTold(u)}
	var err error
	v.Isle, err = newIsle(s.Lang, g, signer)
	v.Isle.Watch = &watched{u.Record, string(u.Text), base64.StdEncoding.EncodeToString(u.Signature)}
	for i := range v.Isle.Offers {
		v.Isle.Offers[i].First = v.Isle.Offers[i].Price == u.Price
	}
	return v, err
}

// tell answers the script: with a unit, or why there is none.
func (p portal) tell(w http.ResponseWriter, r *http.Request, u central.PlayedUnit, player string, err error, played bool) error {
	if err != nil {
		refusal := p.app.Explain(r, err)
		return writeJSON(w, refusal.Status, refused{refusal.Code, refusal.Sentence, p.remedy(r, err)})
	}
	a := unitAnswer{
		Record: u.Record, Text: string(u.Text), Signature: base64.StdEncoding.EncodeToString(u.Signature),
		Balance: p.app.Sys.PlayerBalance(player),
	}
	a.During = a.Balance
	if played {
		a.During -= u.Prize // shown when the unit is over, and not before (INS-4.5)
	}
	return writeJSON(w, http.StatusOK, a)
}

// remedy is the page on which a player can do what a refusal asks of him at once.
func (p portal) remedy(r *http.Request, err error) string {
	switch {
	case errors.Is(err, page.ErrSignedOut):
		return pathSignOn
	case errors.Is(err, party.ErrTerms):
		return pathAccount
	}
	return ""
}

// wantsJSON tells the script's requests from those of a browser.
func wantsJSON(r *http.Request) bool { return r.Header.Get("Accept") == "application/json" }

func writeJSON(w http.ResponseWriter, status int, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("answer: %w", err)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("Vary", "Accept, Cookie")
	w.WriteHeader(status)
	_, _ = w.Write(b) // the viewer may have gone
	return nil
}

// unitProof shows how anybody checks that a unit was what it is before it was sold.
func (p portal) unitProof(w http.ResponseWriter, r *http.Request) error {
	u, err := p.openedUnit(r)
	if err != nil {
		return err
	}
	s, err := p.shell(r, "game.proof.title", "")
	if err != nil {
		return err
	}
	return face.Render(w, r, http.StatusOK, "game_proof", newProofPage(s, u, p.signer()))
}

func newProofPage(s shell, u central.PlayedUnit, signer string) proofPage {
	leaf := journal.LeafHash(u.Leaf.Bytes())
	v := proofPage{
		shell: s, Code: u.Game, Name: u.Name, Told: newTold(u), Key: signer, Leaf: hex.EncodeToString(leaf[:]),
		File: unitPath(u.Game, u.Record) + "/" + proofFile, Seen: unitPath(u.Game, u.Record),
	}
	for _, h := range u.Proof {
		v.Path = append(v.Path, hex.EncodeToString(h[:]))
	}
	return v
}

// signedUnit is the file that `tirage-verify unit` reads.
type signedUnit struct {
	Text      string `json:"text"`
	Signature []byte `json:"signature"`
}

func (p portal) unitProofFile(w http.ResponseWriter, r *http.Request) error {
	u, err := p.openedUnit(r)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s-%d.json"`, u.Game, u.Record))
	return writeJSON(w, http.StatusOK, signedUnit{string(u.Text), u.Signature})
}

func (p portal) openedUnit(r *http.Request) (central.PlayedUnit, error) {
	return p.readUnit(r, func(record uint64) (central.PlayedUnit, error) { return p.app.Sys.OpenedUnit(r.Context(), record) })
}

// signer is the public key that answers are signed with, in hex.
func (p portal) signer() string { return hex.EncodeToString(p.app.Sys.AnswersKey()) }

// told is a unit in words: the way of the totem, what it found, what it won.
type told struct {
	central.PlayedUnit
	Place  int64  // in its pool, from 1
	Of     int64  // units of the pool
	Start  string // a square's name
	Throws []toldThrow
	Found  []toldFound
	Seed   string
	Salt   string
	Root   string
	Signed string // the signature, in base64
}

type toldThrow struct {
	N         int
	Direction instant.Direction
	Squares   int
	Way       []toldSquare
}

type toldSquare struct {
	Name   string
	Opens  bool
	Symbol instant.Symbol
}

type toldFound struct {
	Symbol instant.Symbol
	Of     int
}

func newTold(u central.PlayedUnit) told {
	t := told{
		PlayedUnit: u, Place: int64(u.Leaf.N) + 1, Of: int64(u.Units), Seed: hex.EncodeToString(u.Leaf.Seed[:]), Salt: hex.EncodeToString(u.Leaf.Salt[:]),
		Root: hex.EncodeToString(u.Root[:]), Signed: base64.StdEncoding.EncodeToString(u.Signature),
	}
	if u.Board == nil {
		return t
	}
	t.Start = squareName(u.Board.Start)
	for i, x := range u.Board.Throws {
		t.Throws = append(t.Throws, toldThrow{N: i + 1, Direction: x.Direction, Squares: x.Squares})
	}
	var found [instant.Skull + 1]int
	for _, v := range u.Board.Visits() {
		x := &t.Throws[v.Throw]
		x.Way = append(x.Way, toldSquare{squareName(v.At), v.Opens, v.Symbol})
		if v.Opens {
			found[v.Symbol]++
		}
	}
	for s := instant.Candlestick; s <= instant.Skull; s++ {
		if found[s] > 0 {
			t.Found = append(t.Found, toldFound{s, found[s]})
		}
	}
	return t
}

// squareName is a square as players read it: column from the west, row from the north, "C4".
func squareName(s instant.Square) string {
	return string("ABCDEFGHI"[s.Column()]) + strconv.Itoa(s.Row()+1)
}

// The reality check (INS-online): how long and how much, since the player signed on.

// sinceCookie says since when, and who: "PLAYER.µs". It is the viewer's own
// clock face: nothing is decided by it.
const sinceCookie = "since"

// forgetSince makes the reality check count anew: a page that ends a session does it.
func forgetSince(w http.ResponseWriter) {
	http.SetCookie(w, &http.Cookie{Name: sinceCookie, Path: "/", MaxAge: -1, HttpOnly: true, SameSite: http.SameSiteStrictMode})
}

// since is when the player's session was first seen.
func (p portal) since(w http.ResponseWriter, r *http.Request, player string) time.Time {
	now := p.app.Sys.Now()
	if c, err := r.Cookie(sinceCookie); err == nil {
		who, micros, _ := strings.Cut(c.Value, ".")
		if at, err := strconv.ParseInt(micros, 10, 64); err == nil && who == player && at > 0 && at <= now.UnixMicro() {
			return time.UnixMicro(at)
		}
	}
	http.SetCookie(w, &http.Cookie{
		Name: sinceCookie, Value: player + "." + strconv.FormatInt(now.UnixMicro(), 10), Path: "/",
		HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
	return now
}

// reality counts what a player did since he signed on, and how often he is told, in seconds.
func (p portal) reality(w http.ResponseWriter, r *http.Request, player string) (*tally, int64, error) {
	rules := p.app.Sys.AccountRules()
	if rules == nil {
		return nil, 0, nil
	}
	since := p.since(w, r, player)
	t := &tally{Minutes: int(p.app.Sys.Now().Sub(since) / time.Minute)}
	const atOnce, most = 100, 100 // movements of a reading, and readings
	before := uint64(0)
	for range most {
		list, err := p.app.Sys.History(r.Context(), player, before, atOnce)
		if err != nil {
			return nil, 0, err
		}
		for _, m := range list {
			if m.At.Before(since) {
				return t, int64(rules.RealityEvery / time.Second), nil
			}
			if m.Kind == "unit" {
				t.Units++
				t.Staked = t.Staked.Add(m.Price)
				t.Won = t.Won.Add(m.Prize)
			}
			before = m.Record
		}
		if len(list) < atOnce {
			break
		}
	}
	return t, int64(rules.RealityEvery / time.Second), nil
}

func (p portal) tally(w http.ResponseWriter, r *http.Request) error {
	player, err := p.app.Session(r, page.PlayerSession)
	if err != nil {
		return err
	}
	t, _, err := p.reality(w, r, player)
	if err != nil {
		return err
	}
	if t == nil {
		return page.ErrNotFound
	}
	return writeJSON(w, http.StatusOK, t)
}
