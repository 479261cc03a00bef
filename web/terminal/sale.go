package terminal

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"tirage/central"
	"tirage/money"
	"tirage/wager"
	"tirage/web/page"
)

// sale does what a key of the desk asks with the slip being filled in and the
// basket: put in the basket, by the player's ticks or completed at random, take
// out, clear, or sell all.
func (t *terminal) sale(w http.ResponseWriter, r *http.Request, s seat) error {
	if err := page.ReadForm(r); err != nil {
		return err
	}
	d, err := readDesk(r.PostForm, s.rules)
	if err != nil {
		return err
	}
	do, arg, _ := strings.Cut(r.PostForm.Get("do"), ":")
	switch do {
	case "add", "flash":
		d.draft.flash = do == "flash"
		shut, err := t.shut(r, s)
		if err != nil {
			return err
		}
		if shut != nil {
			return t.render(w, r, s, shut.Status, d, remarks{draft: shut})
		}
		if err := d.take(s); err != nil {
			return t.refuseDraft(w, r, s, d, err)
		}
	case "remove":
		d.remove(arg)
	case "clear":
		d.draft = slip{picks: make([][]int, len(s.rules.Matrices))}
	case "sell":
		return t.sell(w, r, s, d)
	default:
		return page.ErrForm
	}
	http.Redirect(w, r, d.address(s.rules), http.StatusSeeOther)
	return nil
}

// take puts the draft into the basket, if the rules take it as it is.
func (d *desk) take(s seat) error {
	if _, err := wager.New(s.rules, d.draft.wager(s.rules.Code)); err != nil {
		return err
	}
	switch {
	case d.draft.key == "":
		return central.ErrKey
	case len(d.slips) >= slipsMax:
		return errFull
	}
	d.remove(d.draft.key) // a double click
	d.slips = append(d.slips, d.draft)
	d.draft = slip{picks: make([][]int, len(s.rules.Matrices))}
	return nil
}

// shut refuses a slip while no draw is on sale, and says when sales open; nil:
// one is. A sale is not refused so: asked for again after the last close, it
// still has its tickets.
func (t *terminal) shut(r *http.Request, s seat) (*page.Refusal, error) {
	status, err := t.app.Sys.Status(s.rules.Code)
	if err != nil {
		return nil, err
	}
	sells := salesOf(s, status, openDraws(status), 0)
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
	if !d.draft.blank() {
		if err := d.take(s); err != nil {
			return t.refuseDraft(w, r, s, d, err)
		}
	}
	if len(d.slips) == 0 {
		return t.refuseDraft(w, r, s, d, errEmpty)
	}
	var sold []wager.Ticket
	var price money.Amount
	left := desk{draft: d.draft} // what is refused
	refusals := map[string]page.Refusal{}
	status := http.StatusOK
	for _, x := range d.slips {
		ticket, err := t.place(r.Context(), s, x)
		if err == nil {
			sold, price = append(sold, ticket), price.Add(ticket.Price)
			continue
		}
		refusal := t.app.Explain(r, err)
		if errors.Is(err, central.ErrKeyReused) {
			x.key = page.NewKey() // read again and confirmed, it is another sale
		}
		status = max(status, refusal.Status)
		refusals[x.key] = refusal
		left.slips = append(left.slips, x)
	}
	notes := remarks{slips: refusals}
	if len(sold) > 0 {
		notes.counter = &counter{sold: sold, price: price}
	}
	return t.render(w, r, s, status, left, notes)
}

func (t *terminal) place(ctx context.Context, s seat, x slip) (wager.Ticket, error) {
	return t.app.Sys.Place(ctx, central.Place{Key: x.key, Terminal: s.terminal.ID, Slip: x.wager(s.rules.Code)})
}

func (t *terminal) refuseDraft(w http.ResponseWriter, r *http.Request, s seat, d desk, err error) error {
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
	return t.render(w, r, s, refusal.Status, d, remarks{draft: &refusal})
}
