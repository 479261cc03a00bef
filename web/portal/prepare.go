package portal

import (
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	goqr "github.com/piglig/go-qr"

	"tirage/draw"
	"tirage/game"
	"tirage/money"
	"tirage/wager"
	"tirage/web/page"
)

// preparePage is a slip filled in on the phone. All of it stands in its
// address, so it works without script, and nothing is kept here: it is a slip
// (bulletin), not a wager.
type preparePage struct {
	shell
	Games   []gameChoice
	Rules   *game.Rules
	Pads    []pad
	Boards  []boardLine // already filled in
	Left    int         // boards that fit beside them and the one being filled in
	Partial bool        // a quick pick may complete what is ticked
	Stakes  []choice
	Counts  []choice
	Price   money.Amount // 0: not known yet
	Over    string       // why it cannot be sold: it costs too much; "": it can, or is not complete
	Draws   int
	Refusal string
	Paper   string // address of the slip on paper; "": the game has none
	Ready   *readySlip
	Edit    string // address of the slip, to change it
}

// pad is the boxes of a matrix.
type pad struct {
	game.Matrix
	Ticked  int
	Look    page.Look
	Columns [][]box
	Radio   bool // one element only
}

type box struct {
	N      int
	Name   game.Text
	Art    string
	Ticked bool
	Short  bool
}

type boardLine struct {
	N      int // from 1
	Text   string
	Parts  [][]game.Text // by matrix
	Random []int         // by matrix: how many are drawn at the sale
	Of     int64         // combinations
}

type choice struct {
	Value  int64
	Label  string
	Marked bool
}

// readySlip is a slip with its code, as shown to a retailer.
type readySlip struct {
	QR    template.HTML // an SVG of ours
	Stake money.Amount
	Next  []draw.Draw // those that it would enter now
	Until time.Time   // outlets take it so long
}

// slipFor is how long a slip prepared here holds while no terms of outlets say it.
const slipFor = 72 * time.Hour

// slipUntil is until when a slip prepared now holds.
func (p portal) slipUntil() time.Time {
	hold := slipFor
	if terms := p.app.Sys.Terms(); terms != nil {
		hold = terms.SlipFor
	}
	return p.app.Sys.Now().Add(hold)
}

const (
	boardsMax = 20 // read of an address; the rules refuse most
	marksMax  = 128
)

// prepare shows a slip, changes it, or shows its code.
func (p portal) prepare(w http.ResponseWriter, r *http.Request) error {
	s, err := p.shell(r, "prepare.title", pathPrepare)
	if err != nil {
		return err
	}
	q := r.URL.Query()
	rules, games, err := p.gameOf(q)
	if err != nil {
		return err
	}
	if rules == nil {
		return face.Render(w, r, http.StatusOK, "prepare", preparePage{shell: s})
	}
	d, err := readDraft(q, rules)
	if err != nil {
		return err
	}
	refused := d.act(q.Get("do"))
	if refused == nil && d.moved {
		http.Redirect(w, r, d.address(), http.StatusSeeOther)
		return nil
	}
	data := preparePage{shell: s, Games: games, Paper: bulletinOf(rules)}
	status := http.StatusOK
	if refused == nil && q.Get("do") == "show" {
		data.Ready, refused = p.ready(d)
	}
	if refused != nil {
		refusal := p.app.Explain(r, refused)
		data.Refusal, status = refusal.Sentence, refusal.Status
	}
	d.fill(&data, page.LangOf(r))
	return face.Render(w, r, status, "prepare", data)
}

// draft is a slip being filled in.
type draft struct {
	rules  *game.Rules
	boards []wager.Board
	picks  game.Picks // of the board being filled in
	stake  money.Amount
	draws  int
	moved  bool // what was ticked is a board now: the address changes
}

func readDraft(q url.Values, r *game.Rules) (*draft, error) {
	d := &draft{rules: r, picks: make(game.Picks, len(r.Matrices))}
	for i, m := range r.Matrices {
		if len(q[m.Key]) > marksMax {
			return d, fmt.Errorf("%w: %d ticks", page.ErrForm, len(q[m.Key]))
		}
		for _, text := range q[m.Key] {
			n, err := number(text)
			if err != nil {
				return d, err
			}
			d.picks[i] = append(d.picks[i], n)
		}
	}
	if len(q["board"]) > boardsMax {
		return d, fmt.Errorf("%w: %d boards", page.ErrForm, len(q["board"]))
	}
	for _, text := range q["board"] {
		b, err := wager.ParseBoard(text)
		if err != nil {
			return d, errors.Join(page.ErrForm, err)
		}
		d.boards = append(d.boards, b)
	}
	stake, err := number(q.Get("stake"))
	if err != nil {
		return d, err
	}
	d.stake = money.Amount(stake)
	d.draws, err = number(q.Get("draws"))
	return d, err
}

// act does what a key of the page asks for, or says why not.
func (d *draft) act(do string) error {
	switch {
	case do == "board":
		return d.add(wager.Board{Picks: d.picks})
	case do == "flash":
		return d.add(wager.Board{Picks: d.picks, QuickPick: true})
	case strings.HasPrefix(do, "unboard:"):
		n, err := number(strings.TrimPrefix(do, "unboard:"))
		if err != nil || n < 1 || n > len(d.boards) {
			return fmt.Errorf("%w: board %.20q", page.ErrForm, do)
		}
		d.boards, d.moved = slices.Delete(d.boards, n-1, n), true
	case do == "", do == "show", do == "price":
	default:
		return fmt.Errorf("%w: %.20q", page.ErrForm, do)
	}
	return nil
}

// add puts the board that was filled in beside the others, if the rules allow it.
func (d *draft) add(b wager.Board) error {
	boards := append(slices.Clip(d.boards), b)
	w, err := d.wager(boards, d.rules.Stakes[0], d.rules.DrawCounts[0])
	if err != nil {
		return err
	}
	d.boards, d.picks, d.moved = w.Slip.Boards, make(game.Picks, len(d.rules.Matrices)), true
	return nil
}

func (d *draft) wager(boards []wager.Board, stake money.Amount, draws int) (wager.Wager, error) {
	return wager.New(d.rules, wager.Slip{Game: d.rules.Code, Boards: boards, Stake: stake, Draws: draws})
}

// whole is all boards: with the one being filled in, if anything of it is ticked or it is the only one.
func (d *draft) whole() []wager.Board {
	ticked := slices.ContainsFunc(d.picks, func(p []int) bool { return len(p) > 0 })
	if ticked || len(d.boards) == 0 {
		return append(slices.Clip(d.boards), wager.Board{Picks: d.picks})
	}
	return d.boards
}

func (d *draft) address() string {
	v := url.Values{"jeu": {string(d.rules.Code)}}
	for i, m := range d.rules.Matrices {
		for _, n := range d.picks[i] {
			v.Add(m.Key, strconv.Itoa(n))
		}
	}
	for _, b := range d.boards {
		v.Add("board", b.Text())
	}
	if d.stake > 0 {
		v.Set("stake", strconv.FormatInt(int64(d.stake), 10))
	}
	if d.draws > 0 {
		v.Set("draws", strconv.Itoa(d.draws))
	}
	return pathPrepare + "?" + v.Encode()
}

// ready is the slip with its code, or what the rules refuse of it.
func (p portal) ready(d *draft) (*readySlip, error) {
	w, err := d.wager(d.whole(), d.stake, d.draws)
	if err != nil {
		return nil, err
	}
	until := p.slipUntil()
	code, err := qrSVG(p.app.Sys.SignSlip(w, until))
	if err != nil {
		return nil, err
	}
	status, err := p.app.Sys.Status(d.rules.Code)
	if err != nil {
		return nil, err
	}
	d.boards, d.picks = w.Slip.Boards, make(game.Picks, len(d.rules.Matrices))
	s := &readySlip{QR: code, Stake: w.Slip.Stake, Until: until}
	territory := "" // the first of the book: where the player will buy is not known
	if list := d.rules.Calendar.Territories; len(list) > 0 {
		territory = list[0].Key
	}
	if next, err := wager.Cut(d.rules, status.Open, status.At, territory, d.draws); err == nil { // none sells now: the page says so
		s.Next = next
	}
	return s, nil
}

// fill writes the slip on its page.
func (d *draft) fill(data *preparePage, lang page.Lang) {
	r := d.rules
	data.Rules, data.Draws, data.Edit = r, d.draws, d.address()
	data.Partial = r.QuickPick.Partial
	data.Left = max(0, r.BoardsMax-len(d.boards))
	for i, m := range r.Matrices {
		data.Pads = append(data.Pads, newPad(r, i, m, d.picks[i]))
	}
	for i, b := range d.boards {
		data.Boards = append(data.Boards, newBoardLine(r, i+1, b))
	}
	for _, a := range r.Stakes {
		data.Stakes = append(data.Stakes, choice{int64(a), lang.Euros(a), a == d.stake})
	}
	for _, n := range r.DrawCounts {
		data.Counts = append(data.Counts, choice{int64(n), lang.Number(int64(n)), n == d.draws})
	}
	w, err := d.wager(d.whole(), d.stake, d.draws)
	switch {
	case err == nil:
		data.Price = w.Price(d.draws)
	case errors.Is(err, wager.ErrLimit):
		data.Over = page.Describe(lang, err).Sentence
	}
}

func newPad(r *game.Rules, matrix int, m game.Matrix, picks []int) pad {
	x := pad{Matrix: m, Ticked: len(picks), Look: page.LookOf(m), Columns: make([][]box, max(1, m.Columns))}
	x.Radio = m.Pick == 1 && m.Columns == 0 && (matrix != r.Multiple.Also || r.Multiple.AlsoMax <= 1)
	for i, e := range m.Elements {
		column := 0
		if m.Columns > 0 {
			column = m.Column(i + 1)
		}
		x.Columns[column] = append(x.Columns[column], box{i + 1, e.Name, x.Look.ArtOf(e), slices.Contains(picks, i+1), len(e.Name.FR) < 4})
	}
	return x
}

func newBoardLine(r *game.Rules, n int, b wager.Board) boardLine {
	line := boardLine{N: n, Text: b.Text(), Parts: make([][]game.Text, len(r.Matrices)), Random: make([]int, len(r.Matrices))}
	for i, m := range r.Matrices {
		picked := 0
		if i < len(b.Picks) {
			for _, e := range b.Picks[i] {
				if e <= len(m.Elements) {
					line.Parts[i] = append(line.Parts[i], m.Elements[e-1].Name)
					picked++
				}
			}
		}
		if b.QuickPick {
			line.Random[i] = max(0, m.Pick-picked)
		}
	}
	if w, err := wager.New(r, wager.Slip{Game: r.Code, Boards: []wager.Board{b}, Stake: r.Stakes[0], Draws: r.DrawCounts[0]}); err == nil {
		line.Of = w.Combinations()
	}
	return line
}

// qrSVG draws a text as a QR code, a square of 1 unit a module with its quiet
// zone. It is dark on light by night too: readers want it so. A screen hides no
// part of it, so the least correction does, and its modules are the larger.
func qrSVG(text string) (template.HTML, error) {
	qr, err := goqr.EncodeText(text, goqr.Low)
	if err != nil {
		return "", fmt.Errorf("draw a QR code of %d bytes: %w", len(text), err)
	}
	const quiet = 4
	size := qr.Size() + 2*quiet
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="qr" viewBox="0 0 %d %d" shape-rendering="crispEdges" aria-hidden="true"><path fill="#fff" d="M0 0h%dv%dH0z"/><path fill="#10233f" d="`, size, size, size, size)
	for y := range qr.Size() {
		for x := range qr.Size() {
			if qr.Module(x, y) {
				fmt.Fprintf(&b, "M%d %dh1v1h-1z", x+quiet, y+quiet)
			}
		}
	}
	b.WriteString(`"/></svg>`)
	return template.HTML(b.String()), nil //nolint:gosec // digits only
}
