package terminal

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strings"

	"tirage/central"
	"tirage/game"
	"tirage/money"
	"tirage/wager"
	"tirage/web/page"
)

// sale does what a key of the desk asks with the slip being filled in and the
// basket: go to another game, fill in another board, put the slip in the
// basket, by the player's ticks or completed at random, take out, clear, or sell all.
func (t *terminal) sale(w http.ResponseWriter, r *http.Request, s seat) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	d, err := readDesk(r.PostForm, s.games)
	if err != nil {
		return err
	}
	do, arg, _ := strings.Cut(r.PostForm.Get("do"), ":")
	if do != "sell" {
		t.counters.turn(s.terminal.ID)
	}
	switch do {
	case "add", "flash", "board", "flashboard":
		flash := strings.HasPrefix(do, "flash")
		shut, err := t.shut(r, s, d)
		if err != nil {
			return err
		}
		if shut != nil {
			return t.render(w, r, s, shut.Status, d, remarks{draft: shut})
		}
		take := d.take
		if do == "board" || do == "flashboard" {
			take = d.takeBoard
		}
		if err := take(flash); err != nil {
			return t.refuseDraft(w, r, s, d, flash, err)
		}
	case "unboard":
		err = d.removeBoard(arg)
	case "stake":
		d.draft.stake, err = readCents(arg)
	case "draws":
		d.draft.draws, err = readCount(arg, drawsMax)
	case "game":
		err = d.turnTo(arg)
	case "remove":
		d.remove(arg)
	case "clear":
		if d.blank() {
			t.counters.sweep(s.terminal.ID)
		}
		d.clear()
	case "sell":
		return t.sell(w, r, s, d)
	default:
		err = page.ErrForm
	}
	if err != nil {
		return err
	}
	http.Redirect(w, r, d.address(), http.StatusSeeOther)
	return nil
}

// take puts the slip being filled in into the basket, if the rules take it as it is.
func (d *desk) take(flash bool) error {
	s := d.whole(flash)
	if _, err := wager.New(s.rules, s.wager()); err != nil {
		return err
	}
	switch {
	case s.key == "":
		return central.ErrKey
	case len(d.slips) >= slipsMax:
		return errFull
	}
	d.remove(s.key) // a double click
	d.slips = append(d.slips, s)
	d.clear()
	return nil
}

// takeBoard puts the board being filled in beside the others of its slip, if
// the rules take them.
func (d *desk) takeBoard(flash bool) error {
	s := d.whole(flash)
	if !flash && !d.marked() { // an empty board, which is refused with what it lacks
		s.boards = append(slices.Clip(d.draft.boards), d.lettered(false))
	}
	probe := s.wager()
	probe.Stake, probe.Draws = s.rules.Stakes[0], s.rules.DrawCounts[0] // those of the slip are not marked yet
	if _, err := wager.New(s.rules, probe); err != nil {
		return err
	}
	d.draft.boards, d.picks, d.ask = s.boards, make(game.Picks, len(s.rules.Matrices)), wager.Board{}
	return nil
}

// removeBoard takes board n, from 1, off the slip being filled in.
func (d *desk) removeBoard(n string) error {
	i, err := readCount(n, len(d.draft.boards))
	if err != nil || i == 0 {
		return page.ErrForm
	}
	if slices.ContainsFunc(d.draft.boards, func(b wager.Board) bool { return b.Letter > 0 }) { // all are of a slip on paper, and keep theirs
		for place := range d.draft.boards {
			d.draft.boards[place].Letter = cmp.Or(d.draft.boards[place].Letter, place+1)
		}
	}
	d.draft.boards = slices.Delete(d.draft.boards, i-1, i)
	return nil
}

// turnTo begins a slip of another game; the basket stays.
func (d *desk) turnTo(code string) error {
	r := bookOf(d.games, code)
	if r == nil {
		return page.ErrForm
	}
	if r != d.rules {
		d.rules = r
		d.clear()
	}
	return nil
}

// shut refuses a slip while no draw is on sale, and says when sales open; nil:
// one is. A sale is not refused so: asked for again after the last close, it
// still has its tickets.
func (t *terminal) shut(r *http.Request, s seat, d desk) (*page.Refusal, error) {
	status, err := t.app.Sys.Status(d.rules.Code)
	if err != nil {
		return nil, err
	}
	sells := salesOf(s, d.rules, status, 0)
	if len(sells.Upcoming) > 0 && !sells.Stopped {
		return nil, nil
	}
	refusal, lang := t.app.Explain(r, wager.ErrNoSession), page.LangOf(r)
	switch {
	case sells.Stopped:
		refusal = t.app.Explain(r, central.ErrClock)
	case sells.OpensAt.IsZero():
		refusal.Sentence, err = face.T(lang, "sales.none")
	default:
		refusal.Sentence, err = face.T(lang, "sales.opens", lang.Moment(sells.OpensAt, page.ParisZone()))
	}
	return &refusal, err
}

var (
	// errFull is a basket that takes no more: the address of the page has an end.
	errFull = errors.Join(page.ErrForm, errors.New("basket is full"))
	// errEmpty is a basket with nothing to sell, and nothing marked beside it.
	errEmpty = errors.Join(page.ErrForm, errors.New("basket is empty"))
)

func (d *desk) remove(key string) {
	kept := d.slips[:0:0]
	for _, s := range d.slips {
		if s.key != key {
			kept = append(kept, s)
		}
	}
	d.slips = kept
}

// sell places every slip of the basket, and the draft if anything is marked in
// it, each by its own key. What is refused stays in the basket with its
// reason; what is sold has its ticket, whatever comes of the rest. The answer
// itself carries the tickets: asked again after a lost answer, or by another
// node, it is the same.
func (t *terminal) sell(w http.ResponseWriter, r *http.Request, s seat, d desk) error {
	if !d.blank() {
		if err := d.take(false); err != nil {
			return t.refuseDraft(w, r, s, d, false, err)
		}
	}
	if len(d.slips) == 0 {
		return t.refuseDraft(w, r, s, d, false, errEmpty)
	}
	var sold []wager.Ticket
	var keys []string // of the sales of those
	var price money.Amount
	left := newDesk(d.games, d.rules) // with what is refused
	refusals := map[string]page.Refusal{}
	status := http.StatusOK
	for _, x := range d.slips {
		ticket, err := t.place(r.Context(), s, x)
		if err == nil {
			sold, keys, price = append(sold, ticket), append(keys, x.key), price.Add(ticket.Price)
			continue
		}
		refusal := t.app.Explain(r, err)
		if errors.Is(err, central.ErrKeyReused) || errors.Is(err, central.ErrGivenUp) {
			x.key = s.newKey() // read again and confirmed, it is another sale
		}
		status = max(status, refusal.Status)
		refusals[x.key] = refusal
		left.slips = append(left.slips, x)
	}
	notes := remarks{slips: refusals}
	if len(sold) > 0 {
		t.autoPrint(r, s, keys, sold)
		notes.counter = &counter{sold: sold, price: price}
	}
	if brief(r) {
		if notes.counter != nil {
			t.counters.put(s.terminal.ID, *notes.counter)
		}
		if status < http.StatusInternalServerError || certain(refusals) {
			w.Header().Set("Preference-Applied", "return=minimal") // it is an answer
		}
		w.WriteHeader(status)
		return nil
	}
	return t.render(w, r, s, status, left, notes)
}

func (t *terminal) refuseDraft(w http.ResponseWriter, r *http.Request, s seat, d desk, flash bool, err error) error {
	refusal := t.app.Explain(r, err)
	var own error
	switch {
	case errors.Is(err, errFull):
		refusal.Sentence, own = face.T(page.LangOf(r), "basket.full", slipsMax)
	case errors.Is(err, errEmpty):
		refusal.Sentence, own = face.T(page.LangOf(r), "basket.nothing")
	}
	if own != nil {
		return own
	}
	return t.render(w, r, s, refusal.Status, d, remarks{draft: &refusal, err: err, flash: flash})
}
