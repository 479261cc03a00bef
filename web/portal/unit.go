package portal

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"tirage/central"
	"tirage/game"
	"tirage/instant"
	"tirage/journal"
	"tirage/money"
	"tirage/party"
	"tirage/web/page"
)

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
	Log  string // its address; "": what the log's name makes
	Seen string // where its player watches it again

	Index  uint64 // in the log, of the record that committed the pool
	Record string // as hashed, in hex
	LogKey string // that signs the log
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
	v.Isle.Watch = &watched{u.Record, u.At, string(u.Text), base64.StdEncoding.EncodeToString(u.Signature)}
	for i := range v.Isle.Offers {
		v.Isle.Offers[i].First = v.Isle.Offers[i].Price == u.Price
	}
	return v, err
}

// tell answers the script: with a unit, or why there is none.
func (p portal) tell(w http.ResponseWriter, r *http.Request, u central.PlayedUnit, player string, err error, played bool) error {
	if err != nil {
		refusal := p.app.Explain(r, err)
		return writeJSON(w, refusal.Status, refused{refusal.Code, refusal.Sentence, remedy(r, err)})
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
func remedy(r *http.Request, err error) string {
	switch {
	case errors.Is(err, page.ErrSignedOut):
		return signOnFor(r)
	case errors.Is(err, party.ErrTerms):
		return pathTerms
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
	v := newProofPage(s, u, p.signer(), p.logAddress())
	var record []byte
	if v.Index, record, err = p.app.Sys.PoolRecord(r.Context(), u.Pool); err != nil {
		return err
	}
	v.Record = hex.EncodeToString(record)
	if v.LogKey, err = p.app.Sys.VerifierKey(); err != nil {
		return err
	}
	return face.Render(w, r, http.StatusOK, "game_proof", v)
}

func newProofPage(s shell, u central.PlayedUnit, signer, log string) proofPage {
	leaf := journal.LeafHash(u.Leaf.Bytes())
	v := proofPage{
		shell: s, Code: u.Game, Name: u.Name, Told: newTold(u), Key: signer, Leaf: hex.EncodeToString(leaf[:]),
		Log: log, File: unitPath(u.Game, u.Record) + "/" + proofFile, Seen: unitPath(u.Game, u.Record),
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
	// Where the log has the pool and its rule book: nothing that a reader believes.
	Pool uint64 `json:"pool_record"`
	Book uint64 `json:"book_record"`
	Log  string `json:"log_address,omitempty"`
}

func (p portal) unitProofFile(w http.ResponseWriter, r *http.Request) error {
	u, err := p.openedUnit(r)
	if err != nil {
		return err
	}
	pool, book, err := p.app.Sys.PoolRecords(r.Context(), u.Pool)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s-%d.json"`, u.Game, u.Record))
	return writeJSON(w, http.StatusOK, signedUnit{string(u.Text), u.Signature, pool, book, p.logAddress()})
}

// openedUnit reads a unit that anybody may ask for: so often as the log, of which it is a part.
func (p portal) openedUnit(r *http.Request) (central.PlayedUnit, error) {
	if err := p.app.LogReads.Allow(p.app.ClientOf(r)); err != nil {
		return central.PlayedUnit{}, err
	}
	return p.readUnit(r, func(record uint64) (central.PlayedUnit, error) { return p.app.Sys.OpenedUnit(r.Context(), record) })
}

// logAddress is where the log is, as the portal knows its own address; "" when it does not.
func (p portal) logAddress() string {
	if p.app.Sys.Site() == "" {
		return ""
	}
	return p.app.Sys.Site() + "/log/"
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
