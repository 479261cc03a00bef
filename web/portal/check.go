package portal

import (
	"net/http"
	"time"

	"tirage/central"
	"tirage/game"
	"tirage/money"
	"tirage/paper"
	"tirage/settle"
	"tirage/wager"
	"tirage/web/page"
)

// checkPage asks for the code of a ticket and gives one of three answers:
// winning, losing, or not known yet (F09). It is the answer of the terminals.
type checkPage struct {
	shell
	Typed   string
	Refusal string
	Photo   string // why its photo was refused; ""
	Answer  *answer
	Proof   *saleProof
}

// answer is what a check tells a player.
type answer struct {
	settle.Answer
	Verdict     string // "won", "lost", "pending"
	Ticket      int64  // its number
	Game        game.Text
	PlacedAt    time.Time
	CancelledAt time.Time    // zero: not cancelled
	ToCome      money.Amount // prizes and stakes that are not paid and can still be claimed
	AlreadyPaid money.Amount
	Payments    []paidAt
	Centre      bool // something is paid at payment centres only
	Several     bool // its draws are of several days
	Stopped     bool // its payment is: it was said to be lost or stolen
}

// paidAt is a payment that was made on a ticket.
type paidAt struct {
	At     time.Time
	Outlet int // its number
	Amount money.Amount
}

func (p portal) checkForm(w http.ResponseWriter, r *http.Request) error {
	s, err := p.shell(r, "check.title", pathCheck)
	if err != nil {
		return err
	}
	return face.Render(w, r, http.StatusOK, "check", checkPage{shell: s})
}

func (p portal) check(w http.ResponseWriter, r *http.Request) error {
	s, err := p.shell(r, "check.title", pathCheck)
	if err != nil {
		return err
	}
	data := checkPage{shell: s}
	if err = page.ReadForm(r); err == nil {
		err = p.mayCheck(r)
	}
	return p.answer(w, r, data, r.PostForm.Get("code"), err)
}

// answer answers the check of a code, if nothing else was wrong before.
func (p portal) answer(w http.ResponseWriter, r *http.Request, data checkPage, code string, err error) error {
	if err == nil {
		err = p.lookUp(r, code, &data)
	}
	if err != nil {
		refusal := p.app.Explain(r, err)
		data.Typed, data.Refusal = shorten(code, typedMax), refusal.Sentence
		return face.Render(w, r, refusal.Status, "check", data)
	}
	return face.Render(w, r, http.StatusOK, "check", data)
}

// typedMax is how many characters of what was typed are shown again.
const typedMax = 60

func shorten(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most])
	}
	return text
}

// mayCheck limits the codes that a client tries, however he sends them (F24).
func (p portal) mayCheck(r *http.Request) error {
	return p.app.Checks.Allow("portal/" + p.app.ClientOf(r))
}

// lookUp finds the ticket of a code. A number that does not exist and a code
// that is not the number's are one answer (F24).
func (p portal) lookUp(r *http.Request, code string, data *checkPage) error {
	number, secret, err := paper.ParseTicketAddress(code)
	if err != nil {
		return err
	}
	c, err := p.app.Sys.Check(r.Context(), number, secret, page.ParisZone())
	if err != nil {
		return err
	}
	sale, err := p.app.Sys.SaleProof(r.Context(), number, secret)
	if err != nil {
		return err
	}
	key, err := p.app.Sys.VerifierKey()
	if err != nil {
		return err
	}
	a := newAnswer(c)
	if a.Payments, err = p.payments(r, number, secret); err != nil {
		return err
	}
	data.Answer, data.Proof = &a, newSaleProof(c.Ticket, sale, key)
	return nil
}

// payments are when and where a ticket was paid.
func (p portal) payments(r *http.Request, number wager.ID, secret [8]byte) (list []paidAt, err error) {
	made, err := p.app.Sys.PaymentsMade(r.Context(), number, secret)
	if err != nil {
		return nil, err
	}
	for _, x := range made {
		outlet, err := p.app.Sys.Outlet(x.Outlet)
		if err != nil {
			return nil, err
		}
		list = append(list, paidAt{x.At, outlet.Number, x.Amount})
	}
	return list, nil
}

// StopTold tells whether the player is to hear that the payment is stopped: there is something to pay, or may be.
func (a answer) StopTold() bool { return a.Stopped && (a.ToCome > 0 || a.Waiting > 0) }

// newAnswer reduces a check to the three answers. A ticket with a stake to give
// back wins that; one that was cancelled is in no draw and has lost.
func newAnswer(c central.Check) answer {
	a := answer{
		Answer: c.Answer, Ticket: int64(c.Ticket.Number), Game: c.Ticket.Rules.Name, PlacedAt: c.Ticket.PlacedAt, CancelledAt: c.CancelledAt,
		AlreadyPaid: c.Answer.Paid.Add(c.Answer.BackPaid), Stopped: c.Stopped,
	}
	if !c.CancelledAt.IsZero() {
		a.Verdict = "lost"
		return a
	}
	switch c.Answer.Standing {
	case settle.Won, settle.GiveBack:
		a.Verdict = "won"
	case settle.Lost:
		a.Verdict = "lost"
	case settle.Pending:
		a.Verdict = "pending"
	}
	for _, prize := range c.Answer.Prizes {
		a.Several = a.Several || prize.Draw.Day != c.Answer.Prizes[0].Draw.Day
		if prize.PaidAt.IsZero() && !prize.Expired {
			a.ToCome = a.ToCome.Add(prize.Amount).Add(prize.Back)
			a.Centre = a.Centre || prize.Centre
		}
	}
	return a
}
