package terminal

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"tirage/game"
	"tirage/wager"
	"tirage/web/page"
)

// errElement is a ticket with an element that the rules in force no longer have.
var errElement = errors.Join(game.ErrElement, errors.New("element is no longer in the game"))

// again fills the desk in with what an old ticket played: the same boards and
// the same stake. The number of draws is the player's to say: none is marked
// (IAT-2.3.2). What the rules in force no longer allow is refused.
func (t *terminal) again(w http.ResponseWriter, r *http.Request, s seat) error {
	d, number, secret, _, err := ticketForm(r, s)
	if err != nil {
		return err
	}
	if err := t.app.Checks.Allow("terminal/" + s.terminal.ID); err != nil {
		return t.refuseTicket(w, r, s, d, err)
	}
	old, err := t.app.Sys.CheckAt(r.Context(), number, secret, s.place())
	if err != nil {
		return t.refuseTicket(w, r, s, d, err)
	}
	slip, err := slipAgain(old.Ticket, s.games)
	if err == nil {
		err = d.lay(slip, "again")
	}
	if err == nil {
		return t.render(w, r, s, http.StatusOK, d, remarks{})
	}
	refusal, err := t.explainScan(r, err)
	if err != nil {
		return err
	}
	return t.render(w, r, s, refusal.Status, d, remarks{check: &refusal}) // the ticket still lies on the counter
}

// slipAgain is the slip of a ticket under the rules in force, with no number
// of draws; or why those do not allow it. Its boards have the letters A, B, C …, whatever they
// had: those are of a slip on paper that is not read again.
func slipAgain(old wager.Ticket, games []*game.Rules) (wager.Slip, error) {
	r := bookOf(games, string(old.Rules.Code))
	if r == nil {
		return wager.Slip{}, fmt.Errorf("%w: %s is not sold here", errGame, old.Rules.Code)
	}
	slip := wager.Slip{Game: r.Code, Stake: old.Stake}
	for _, p := range old.Plays {
		picks, err := picksUnder(r, old.Rules, p.Picks)
		if err != nil {
			return slip, err
		}
		slip.Boards = append(slip.Boards, wager.Board{Picks: picks})
	}
	probe := slip
	probe.Draws = slices.Min(r.DrawCounts) // those that the player wants are not known yet
	_, err := wager.New(r, probe)
	return slip, err
}

// picksUnder are picks of one version of a game's rules under another one:
// elements are the same that have the same key, wherever they stand.
func picksUnder(r, before *game.Rules, picks game.Picks) (game.Picks, error) {
	if r.Hash == before.Hash {
		return picks, nil
	}
	list := make(game.Picks, len(r.Matrices))
	for i, m := range before.Matrices {
		at := slices.IndexFunc(r.Matrices, func(x game.Matrix) bool { return x.Key == m.Key })
		for _, n := range picks[i] {
			now := -1
			if at >= 0 {
				now = slices.IndexFunc(r.Matrices[at].Elements, func(e game.Element) bool { return e.Key == m.Elements[n-1].Key })
			}
			if now < 0 {
				return nil, fmt.Errorf("%w: %s of %s", errElement, m.Elements[n-1].Key, m.Key)
			}
			list[at] = append(list[at], now+1)
		}
	}
	for i := range list {
		slices.Sort(list[i])
	}
	return list, nil
}

// lay fills the desk in with a slip that was read from something, to be confirmed there: it
// goes into no basket by itself, and takes no other slip's place.
func (d *desk) lay(s wager.Slip, from string) error {
	if !d.blank() {
		return errBusy
	}
	r := bookOf(d.games, string(s.Game))
	if r == nil {
		return fmt.Errorf("%w: %s is not sold here", errGame, s.Game)
	}
	d.rules = r
	d.clear()
	d.draft.stake, d.draft.draws = s.Stake, s.Draws
	d.read = readFrom(from, s)
	if len(s.Boards) == 1 { // it is seen where it was marked
		d.picks, d.ask = slices.Clone(s.Boards[0].Picks), wager.Board{Shape: s.Boards[0].Shape, Also: s.Boards[0].Also, Letter: s.Boards[0].Letter}
		return nil
	}
	d.draft.boards = s.Boards
	return nil
}

// readings are what a slip on the desk may have been read from; see [readFrom].
var readings = []string{"paper", "paper.flash", "phone", "phone.flash", "again"}

// readFrom says what a slip on the desk was read from, and how it is
// confirmed: one that asks for a quick pick of its only board, by that.
func readFrom(from string, s wager.Slip) string {
	if len(s.Boards) == 1 && s.Boards[0].QuickPick {
		return from + ".flash"
	}
	return from
}

var (
	// errBusy is a slip that was read while another one is being filled in.
	errBusy = errors.Join(page.ErrForm, errors.New("another slip is being filled in"))
	// errGame is a slip or ticket of a game that is not sold here.
	errGame = errors.Join(wager.ErrGame, errors.New("game is not sold here"))
	// errStrange is a text that is no code of ours.
	errStrange = errors.Join(page.ErrForm, errors.New("code of something else"))
	// errPaperCode is the code of a paper slip without the slip.
	errPaperCode = errors.Join(page.ErrForm, errors.New("code of a paper slip"))
)
