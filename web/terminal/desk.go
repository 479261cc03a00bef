package terminal

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tirage/game"
	"tirage/money"
	"tirage/wager"
	"tirage/web/page"
)

// desk is the state of the screen: the game on it, the slip that is being
// filled in, and the slips in the basket. It is written in the screen's
// address, and its forms carry it along.
type desk struct {
	games []*game.Rules // all that may be sold
	rules *game.Rules   // of the slip being filled in

	draft slip        // its boards are those already filled in
	picks game.Picks  // of the board being filled in, by matrix, as ticked
	ask   wager.Board // of that board: its Letter on paper, and the Shape and Also that a quick pick is to have
	read  string      // what the slip being filled in was read from, one of readings; "": by hand
	slips []slip
}

// slip is a wager to sell and the key of its sale.
type slip struct {
	key    string
	rules  *game.Rules
	boards []wager.Board
	stake  money.Amount
	draws  int
}

const (
	slipsMax    = 20 // in a basket
	boardsMax   = 20 // read of one slip; the rules refuse most
	picksMax    = 128
	keyMax      = 64 // bytes
	elementsMax = 1000
	drawsMax    = 1000
)

// newDesk is a blank slip of a game.
func newDesk(games []*game.Rules, r *game.Rules) desk {
	return desk{games: games, rules: r, draft: slip{rules: r}, picks: make(game.Picks, len(r.Matrices))}
}

// clear takes all marks away.
func (d *desk) clear() {
	blank := newDesk(d.games, d.rules)
	blank.slips = d.slips
	*d = blank
}

// marked tells whether the board being filled in has a tick.
func (d desk) marked() bool {
	return slices.ContainsFunc(d.picks, func(p []int) bool { return len(p) > 0 })
}

// blank tells whether nothing is marked on the slip being filled in.
func (d desk) blank() bool {
	return d.draft.stake == 0 && d.draft.draws == 0 && len(d.draft.boards) == 0 && !d.marked()
}

// board is the board being filled in, as it is ticked or completed by a quick pick.
func (d desk) board(flash bool) wager.Board {
	if flash {
		return wager.Board{Picks: d.picks, QuickPick: true, Shape: d.ask.Shape, Also: d.ask.Also}
	}
	return wager.Board{Picks: d.picks}
}

// letter is the letter, from 1, of the board being filled in: that of the paper, or the next.
func (d desk) letter() int { return max(nextLetter(d.draft.boards), d.ask.Letter) }

// lettered is the board being filled in with its letter, where that is not of its place.
func (d desk) lettered(flash bool) wager.Board {
	b := d.board(flash)
	if n := d.letter(); n != len(d.draft.boards)+1 {
		b.Letter = n
	}
	return b
}

// whole is the slip with the board being filled in, if anything of it is
// marked or it is the only one.
func (d desk) whole(flash bool) slip {
	s := d.draft
	if flash || d.marked() || len(s.boards) == 0 {
		s.boards = append(slices.Clip(s.boards), d.lettered(flash))
	}
	return s
}

// wager returns the slip as the central system takes it.
func (s slip) wager() wager.Slip {
	return wager.Slip{Game: s.rules.Code, Boards: s.boards, Stake: s.stake, Draws: s.draws}
}

// readDesk reads the screen's state from a form or an address, marks as they
// are, right or wrong: only the rules judge them. What no page of ours writes
// is [page.ErrForm]. An address that names no game is one of the first of games.
func readDesk(v url.Values, games []*game.Rules) (desk, error) {
	r := games[0]
	if code := v.Get("jeu"); code != "" {
		if r = bookOf(games, code); r == nil {
			return desk{}, fmt.Errorf("%w: game %.40q", page.ErrForm, code)
		}
	}
	d := newDesk(games, r)
	err := d.readDraft(v)
	if err != nil {
		return d, err
	}
	if len(v["slip"]) > slipsMax {
		return d, fmt.Errorf("%w: %d slips", page.ErrForm, len(v["slip"]))
	}
	for _, text := range v["slip"] {
		s, err := parseSlip(text, games)
		if err != nil {
			return d, err
		}
		if !slices.ContainsFunc(d.slips, func(other slip) bool { return other.key == s.key }) {
			d.slips = append(d.slips, s)
		}
	}
	return d, nil
}

func bookOf(games []*game.Rules, code string) *game.Rules {
	for _, r := range games {
		if string(r.Code) == code {
			return r
		}
	}
	return nil
}

// readDraft reads the slip being filled in.
func (d *desk) readDraft(v url.Values) error {
	var err error
	for i, m := range d.rules.Matrices {
		if d.picks[i], err = readElements(v[m.Key]); err != nil {
			return err
		}
	}
	if len(v["board"]) > boardsMax {
		return fmt.Errorf("%w: %d boards", page.ErrForm, len(v["board"]))
	}
	for _, text := range v["board"] {
		b, err := parseBoard(text, len(d.rules.Matrices))
		if err != nil {
			return fmt.Errorf("%w: board %.40q", page.ErrForm, text)
		}
		d.draft.boards = append(d.draft.boards, b)
	}
	if text := v.Get("letter"); text != "" {
		if d.ask.Letter, err = parseLetter(text); err != nil {
			return err
		}
	}
	if d.ask.Shape, err = parseShape(v.Get("shape")); err != nil {
		return err
	}
	if d.ask.Also, err = readCount(v.Get("also"), elementsMax); err != nil {
		return err
	}
	if d.draft.stake, err = readCents(v.Get("stake")); err != nil {
		return err
	}
	if d.draft.draws, err = readCount(v.Get("draws"), drawsMax); err != nil {
		return err
	}
	if d.draft.key = v.Get("key"); len(d.draft.key) > keyMax {
		return fmt.Errorf("%w: key", page.ErrForm)
	}
	if read := v.Get("lu"); !d.blank() && slices.Contains(readings, read) {
		d.read = read
	}
	return nil
}

func readElements(texts []string) ([]int, error) {
	if len(texts) > picksMax {
		return nil, fmt.Errorf("%w: %d ticks", page.ErrForm, len(texts))
	}
	var list []int
	for _, text := range texts {
		n, err := readCount(text, elementsMax)
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	slices.Sort(list)
	return list, nil
}

// readCount reads a whole number from 0 to most; nothing is 0.
func readCount(text string, most int) (int, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || int(n) > most {
		return 0, fmt.Errorf("%w: number %.20q", page.ErrForm, text)
	}
	return int(n), nil
}

// readCents reads an amount in cents, as our forms write it; nothing is 0.
func readCents(text string) (money.Amount, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("%w: amount %.20q", page.ErrForm, text)
	}
	return money.Amount(n), nil
}

// shapeText writes a shape: "2x3" is two extra elements in each of three columns, "" none.
func shapeText(s game.Shape) string {
	if s == (game.Shape{}) {
		return ""
	}
	return strconv.Itoa(s.Extras) + "x" + strconv.Itoa(s.Columns)
}

func parseShape(text string) (s game.Shape, err error) {
	if text == "" {
		return s, nil
	}
	extras, columns, ok := strings.Cut(text, "x")
	bad := fmt.Errorf("%w: shape %.20q", page.ErrForm, text)
	if !ok || extras == "" || columns == "" {
		return s, bad
	}
	if s.Extras, err = readCount(extras, elementsMax); err != nil {
		return s, bad
	}
	if s.Columns, err = readCount(columns, elementsMax); err != nil {
		return s, bad
	}
	return s, nil
}

// values writes the state for an address; without the draft's key, for each
// page that is shown makes a new one.
func (d desk) values() url.Values {
	v := url.Values{}
	if len(d.games) > 1 {
		v.Set("jeu", string(d.rules.Code))
	}
	for i, m := range d.rules.Matrices {
		for _, n := range d.picks[i] {
			v.Add(m.Key, strconv.Itoa(n))
		}
	}
	for _, b := range d.draft.boards {
		v.Add("board", boardText(b))
	}
	if d.ask.Letter > 0 {
		v.Set("letter", letterOf(d.ask.Letter))
	}
	if text := shapeText(d.ask.Shape); text != "" {
		v.Set("shape", text)
	}
	if d.ask.Also > 0 {
		v.Set("also", strconv.Itoa(d.ask.Also))
	}
	if d.draft.stake > 0 {
		v.Set("stake", strconv.FormatInt(int64(d.draft.stake), 10))
	}
	if d.draft.draws > 0 {
		v.Set("draws", strconv.Itoa(d.draft.draws))
	}
	if d.read != "" {
		v.Set("lu", d.read)
	}
	for _, s := range d.slips {
		v.Add("slip", s.String())
	}
	return v
}

// address is the desk's page in this state.
func (d desk) address() string {
	if v := d.values(); len(v) > 0 {
		return pathDesk + "?" + v.Encode()
	}
	return pathDesk
}

// String writes a slip of the basket: key~game~cents~draws~board~board…
func (s slip) String() string {
	words := []string{s.key, string(s.rules.Code), strconv.FormatInt(int64(s.stake), 10), strconv.Itoa(s.draws)}
	for _, b := range s.boards {
		words = append(words, boardText(b))
	}
	return strings.Join(words, "~")
}

// parseSlip reads what [slip.String] writes, of one of the games.
func parseSlip(text string, games []*game.Rules) (s slip, err error) {
	bad := fmt.Errorf("%w: slip %.40q", page.ErrForm, text)
	f := strings.Split(text, "~")
	if len(f) < 5 || len(f) > 4+boardsMax || f[0] == "" || len(f[0]) > keyMax {
		return s, bad
	}
	s.key = f[0]
	if s.rules = bookOf(games, f[1]); s.rules == nil {
		return s, bad
	}
	if s.stake, err = readCents(f[2]); err != nil {
		return s, bad
	}
	if s.draws, err = readCount(f[3], drawsMax); err != nil {
		return s, bad
	}
	for _, text := range f[4:] {
		b, err := parseBoard(text, len(s.rules.Matrices))
		if err != nil {
			return s, bad
		}
		s.boards = append(s.boards, b)
	}
	return s, nil
}

// boardText writes a board: "1.6.11-3", elements with dots between, matrices
// with dashes; a quick pick has its shape and its number of elements of the
// other matrix before it: "f2x3_2!-"; one with a letter of its own has that first: "D:1.6.11-3".
func boardText(b wager.Board) string {
	matrices := make([]string, len(b.Picks))
	for i, picks := range b.Picks {
		words := make([]string, len(picks))
		for j, n := range picks {
			words[j] = strconv.Itoa(n)
		}
		matrices[i] = strings.Join(words, ".")
	}
	text, letter := strings.Join(matrices, "-"), ""
	if b.Letter > 0 {
		letter = letterOf(b.Letter) + ":"
	}
	if !b.QuickPick {
		return letter + text
	}
	return letter + "f" + shapeText(b.Shape) + "_" + strconv.Itoa(b.Also) + "!" + text
}

// parseLetter reads the letter of a board, A to Z, as a number from 1.
func parseLetter(text string) (int, error) {
	if len(text) != 1 || text[0] < 'A' || text[0] > 'Z' {
		return 0, fmt.Errorf("%w: letter %.20q", page.ErrForm, text)
	}
	return int(text[0]-'A') + 1, nil
}

// parseBoard reads what [boardText] writes, of a game of so many matrices.
func parseBoard(text string, matrices int) (b wager.Board, err error) {
	if letter, rest, ok := strings.Cut(text, ":"); ok {
		if b.Letter, err = parseLetter(letter); err != nil {
			return b, err
		}
		text = rest
	}
	if ask, rest, ok := strings.Cut(text, "!"); ok {
		shape, also, ok := strings.Cut(ask, "_")
		if !ok || !strings.HasPrefix(shape, "f") {
			return b, page.ErrForm
		}
		b.QuickPick, text = true, rest
		if b.Shape, err = parseShape(shape[1:]); err != nil {
			return b, err
		}
		if b.Also, err = readCount(also, elementsMax); err != nil {
			return b, err
		}
	}
	parts := strings.Split(text, "-")
	if len(parts) != matrices {
		return b, page.ErrForm
	}
	for _, part := range parts {
		var words []string
		if part != "" {
			words = strings.Split(part, ".")
		}
		picks, err := readElements(words)
		if err != nil {
			return b, err
		}
		b.Picks = append(b.Picks, picks)
	}
	return b, nil
}
