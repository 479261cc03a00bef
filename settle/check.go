package settle

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"tirage/draw"
	"tirage/game"
	"tirage/money"
	"tirage/wager"
)

// Standing is the one answer to "has this ticket won?" (F09).
type Standing uint8

const (
	Pending  Standing = iota + 1 // en attente
	Won                          // gagnant
	Lost                         // perdant: only when every draw of it is certified or cancelled
	GiveBack                     // nothing won so far, and the stake of a cancelled draw to give back (mise à rendre)
)

var standingNames = [...]string{Pending: "pending", Won: "won", Lost: "lost", GiveBack: "give-back"}

// String returns the name of the standing: "pending".
func (s Standing) String() string {
	if s < Pending || s > GiveBack {
		return fmt.Sprintf("Standing(%d)", uint8(s))
	}
	return standingNames[s]
}

// DrawFacts is what is known of one draw of a ticket.
type DrawFacts struct {
	Draw   draw.Draw // with the times that it has now
	State  draw.State
	Result game.Result // once drawn
	// UnitValue gives the prize of a unit stake by table and tier, once settled.
	UnitValue func(table, tier int) money.Amount
	PaidAt    time.Time // of the prize, or of the stake given back; zero: not paid
	// Refunded tells that the stakes of a cancelled draw are booked as money to give back.
	Refunded bool
}

// Place is where a ticket is checked or paid.
type Place struct {
	Zone   *time.Location
	Centre bool // it is a payment centre (AMI-11.2)
	// Max is what all prizes and stakes to give back of a ticket may come to,
	// paid or not, that outlets pay; what is open of one above it, payment
	// centres pay. 0: no limit.
	Max money.Amount
}

// Prize is what a ticket wins in one of its draws, or what is given back for
// it. Before the draw is certified it says nothing, whatever was drawn.
type Prize struct {
	Draw        draw.Draw
	State       draw.State
	Known       bool // the draw is certified
	Tier        int  // the highest won, as an index in the table's Tiers; -1: none
	TierName    string
	Wins        []Win // by tier, the top one first: several in a multiple play (AMI-8.1.1)
	Amount      money.Amount
	Back        money.Amount // stake of a cancelled draw
	PayableFrom time.Time    // not before; zero without a prize
	Centre      bool         // payable at payment centres only
	PaidAt      time.Time    // zero: not paid
	Expired     bool         // its last day of claims has ended where the check is made
	Payable     bool         // now, where the check is made

	morning bool // payable from the next morning
	held    bool // not payable before a record that is still to come
}

// Win is a tier that combinations of a ticket win in a draw.
type Win struct {
	TierName     string
	Combinations int64
}

// open tells whether there is something to pay that is not paid.
func (p *Prize) open() bool { return p.Amount.Add(p.Back) > 0 && p.PaidAt.IsZero() }

// Answer is what a check of a ticket tells.
type Answer struct {
	Standing Standing
	Prizes   []Prize // by draw of the ticket
	// Waiting is the draws of it that are neither certified nor cancelled, and
	// those cancelled whose stakes are not booked to give back yet.
	Waiting int

	Total    money.Amount // won in its certified draws
	Paid     money.Amount // of these
	Back     money.Amount // stakes of its cancelled draws
	BackPaid money.Amount // of these
	Payable  money.Amount // prizes and stakes, now, where the check is made
	// CentreOnly tells that more would be payable now at a payment centre, which this place is not.
	CentreOnly bool

	// PayableFrom is the next instant at which a prize becomes payable; zero
	// when there is none, or when it only waits for draws to be certified.
	PayableFrom time.Time
	ClaimUntil  game.Day // last day of claims on prizes, inclusive
	BackUntil   game.Day // last day on which stakes are given back, inclusive
	Expired     bool     // ClaimUntil has ended where the check is made
}

// Check answers for a ticket at an instant, at the place that asks or pays.
// tables has the prize table of each draw of the ticket, nil when all are the
// ordinary one; draws has the facts of each, in the ticket's order; delay is that
// of their session; extensions are those of all games, in the order decided.
func Check(t wager.Ticket, tables []int, draws []DrawFacts, delay Delay, extensions []Extension, at time.Time, place Place) Answer {
	assert(len(draws) == len(t.Draws) && len(draws) > 0, "facts for each draw of the ticket")
	assert(tables == nil || len(tables) == len(draws), "a table for each draw of the ticket")
	r, last := t.Rules, draws[len(draws)-1].Draw // the last planned
	zone := place.Zone
	if r.Claims.DeadlineZone == game.ParisDeadline {
		zone = r.Calendar.Zone
	}
	today := game.DayOf(at, zone)
	a := Answer{
		ClaimUntil: ClaimEnd(r, last, delay, extensions), BackUntil: BackEnd(r, last, delay, extensions),
		Prizes: make([]Prize, len(draws)),
	}
	a.Expired = today > a.ClaimUntil

	combinations := t.Combinations()
	latest := latestDraw(draws)
	held := r.Claims.OtherTiers == game.AfterLastDraw && !latest.State.Final()
	for i, d := range draws {
		table := 0
		if tables != nil {
			table = tables[i]
		}
		p := prizeOf(t, combinations, table, d)
		p.held, p.Expired = held && !p.morning, a.Expired
		if d.State == draw.Cancelled {
			p.Back = t.Stake.Times(int64(len(combinations)))
			p.held, p.Expired = !d.Refunded, today > a.BackUntil
		}
		if !d.State.Final() || d.State == draw.Cancelled && !d.Refunded {
			a.Waiting++
		}
		a.Prizes[i] = p
	}
	setPayableFrom(r, a.Prizes, latest.Draw.DrawsAt)
	a.sum(at, place)
	return a
}

// latestDraw returns the last draw that a ticket takes part in ("le dernier
// tirage auquel le reçu a participé"): of those that are not cancelled the
// latest by the times that they have now, which is the last planned one unless
// that was cancelled, or another postponed beyond it. Without any, a ticket
// wins nothing that would wait.
func latestDraw(draws []DrawFacts) (latest DrawFacts) {
	for _, d := range draws {
		if d.State != draw.Cancelled && !d.Draw.DrawsAt.Before(latest.Draw.DrawsAt) {
			latest = d
		}
	}
	return latest
}

// prizeOf returns what the ticket wins in a draw, its combinations added up.
// One of a top tier makes the whole of it wait for the next morning, and for a
// payment centre, but by the reading top_ranks (AMI-11.2).
func prizeOf(t wager.Ticket, combinations []game.Combination, table int, d DrawFacts) Prize {
	p := Prize{Draw: d.Draw, State: d.State, Tier: -1, PaidAt: d.PaidAt}
	if d.State != draw.Certified {
		return p
	}
	p.Known = true
	matcher, err := t.Rules.Matcher(table, d.Result)
	assert(err == nil, "certified draw without a result of its game")
	won := make([]int64, len(t.Rules.Tables[table].Tiers)) // combinations, by tier
	for _, c := range combinations {
		tier := matcher.Tier(c)
		if tier < 0 {
			continue
		}
		won[tier]++
		p.Amount = p.Amount.Add(d.UnitValue(table, tier).Times(t.Units))
		rank := t.Rules.Tables[table].Tiers[tier]
		if p.Tier < 0 || tier < p.Tier {
			p.Tier, p.TierName = tier, rank.Name
		}
		if t.Rules.Claims.TopRanks != game.TopAsTheOthers {
			p.morning = p.morning || rank.NextMorning
			p.Centre = p.Centre || rank.Centre
		}
	}
	for tier, n := range won {
		if n > 0 {
			p.Wins = append(p.Wins, Win{t.Rules.Tables[table].Tiers[tier].Name, n})
		}
	}
	return p
}

// setPayableFrom says from when each prize is payable (IAT-7, AMI-11.2): with a
// tier of the next morning from then on; else after its own draw or the ticket's
// last (reading other_tiers). By the reading early_tiers a prize of the next
// morning holds up all others of its ticket, and takes them to the payment centre.
func setPayableFrom(r *game.Rules, prizes []Prize, lastAt time.Time) {
	var latest time.Time // of the next mornings
	centre := false
	for i := range prizes {
		p := &prizes[i]
		switch {
		case p.Amount == 0:
			continue
		case p.morning:
			p.PayableFrom = (draw.DayOf(r, p.Draw.DrawsAt) + 1).At(r.Claims.MorningAt, r.Calendar.Zone)
			if p.PayableFrom.After(latest) {
				latest = p.PayableFrom
			}
		case r.Claims.OtherTiers == game.AfterLastDraw:
			p.PayableFrom = lastAt
		default:
			p.PayableFrom = p.Draw.DrawsAt
		}
		centre = centre || p.Centre && p.open()
	}
	if r.Claims.EarlyTiers != game.WholeTicketNextMorning {
		return
	}
	for i := range prizes {
		p := &prizes[i]
		if p.Amount == 0 || !p.open() {
			continue
		}
		p.Centre = centre
		if p.PayableFrom.Before(latest) {
			p.PayableFrom = latest
		}
	}
}

// sum fills in what the prizes and stakes given back come to.
func (a *Answer) sum(at time.Time, place Place) {
	for _, p := range a.Prizes {
		a.Total, a.Back = a.Total.Add(p.Amount), a.Back.Add(p.Back)
	}
	above := place.Max > 0 && a.Sum() > place.Max
	for i := range a.Prizes {
		p := &a.Prizes[i]
		p.Centre = p.Centre || above && p.open()
		switch {
		case !p.open():
			if !p.PaidAt.IsZero() {
				a.Paid, a.BackPaid = a.Paid.Add(p.Amount), a.BackPaid.Add(p.Back)
			}
		case at.Before(p.PayableFrom):
			if a.PayableFrom.IsZero() || p.PayableFrom.Before(a.PayableFrom) {
				a.PayableFrom = p.PayableFrom
			}
		case p.held || p.Expired:
		case p.Centre && !place.Centre:
			a.CentreOnly = true
		default:
			p.Payable = true
			a.Payable = a.Payable.Add(p.Amount).Add(p.Back)
		}
	}
	switch {
	case a.Total > 0:
		a.Standing = Won
	case a.Back > a.BackPaid:
		a.Standing = GiveBack
	case a.Waiting > 0:
		a.Standing = Pending
	case a.Back > 0:
		a.Standing = GiveBack
	default:
		a.Standing = Lost
	}
}

// Stopped is the answer for a ticket whose payment is stopped: it has won what
// it has won, and nothing of it is payable, here or elsewhere.
func (a Answer) Stopped() Answer {
	a.Prizes = slices.Clone(a.Prizes)
	for i := range a.Prizes {
		a.Prizes[i].Payable = false
	}
	a.Payable, a.CentreOnly = 0, false
	return a
}

// Sum is what all certified prizes and stakes to give back of the ticket come
// to, paid or not: thresholds of payment are compared with it.
func (a Answer) Sum() money.Amount { return a.Total.Add(a.Back) }

var (
	// ErrNothingToPay is a ticket that has won nothing, and of which no stake is given back.
	ErrNothingToPay = errors.New("nothing to pay")
	// ErrNotYet is a ticket with nothing payable at this moment; the error is a [NotYetError].
	ErrNotYet = errors.New("not payable yet")
	// ErrCentre is a prize that is payable, but at a payment centre only (AMI-11.2, [Place.Max]).
	ErrCentre = errors.New("payable at a payment centre only")
	// ErrExpired is a prize whose claims have ended (forclusion, IAT-7).
	ErrExpired = errors.New("claims have ended")
	// ErrPaid is a ticket of which all prizes are paid, and all stakes given back.
	ErrPaid = errors.New("already paid")
)

// NotYetError is a refusal by [ErrNotYet].
type NotYetError struct {
	Waiting int       // draws to be certified, or cancelled and to be booked
	From    time.Time // next instant at which something becomes payable; zero: once draws are certified
}

// Error says what the ticket waits for.
func (e *NotYetError) Error() string {
	if e.From.IsZero() {
		return fmt.Sprintf("%v: %d draws to be certified", ErrNotYet, e.Waiting)
	}
	return fmt.Sprintf("%v: from %s", ErrNotYet, e.From.UTC().Format(time.RFC3339))
}

// Is makes the error an [ErrNotYet].
func (e *NotYetError) Is(target error) bool { return target == ErrNotYet }

// Due is what is to be paid for one draw of a ticket.
type Due struct {
	Draw   draw.ID
	Amount money.Amount
	Back   bool // the stake of a cancelled draw, given back; else a prize
}

// Due returns all that is payable now, by draw, or why nothing is: [ErrCentre],
// [ErrNotYet], [ErrExpired], [ErrPaid] or [ErrNothingToPay].
func (a Answer) Due() ([]Due, error) {
	var due []Due
	var waits, expired bool
	for i := range a.Prizes {
		p := &a.Prizes[i]
		switch {
		case p.Payable:
			due = append(due, Due{p.Draw.ID, p.Amount.Add(p.Back), p.Back > 0})
		case p.open():
			waits, expired = waits || !p.Expired, expired || p.Expired
		}
	}
	switch {
	case len(due) > 0:
		return due, nil
	case a.CentreOnly:
		return nil, ErrCentre
	case expired && !waits:
		return nil, ErrExpired
	case waits || a.Waiting > 0:
		return nil, &NotYetError{Waiting: a.Waiting, From: a.PayableFrom}
	case a.Total > 0 || a.Back > 0:
		return nil, ErrPaid
	}
	return nil, ErrNothingToPay
}
