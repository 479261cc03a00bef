package settle

import (
	"errors"
	"fmt"
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
	Lost                         // perdant: only when every draw of it is certified
	GiveBack                     // nothing won, and the stake of a cancelled draw to give back (mise à rendre)
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
	Draw   draw.Draw
	State  draw.State
	Result game.Result // once drawn
	// UnitValue gives the prize of a unit stake by table and tier, once settled.
	UnitValue func(table, tier int) money.Amount
	PaidAt    time.Time // zero: not paid
	// Refunded tells that the stakes of a cancelled draw are booked as money to give back.
	Refunded bool
}

// Prize is what a ticket wins in one of its draws. Before the draw is
// certified it says nothing, whatever was drawn.
type Prize struct {
	Draw        draw.Draw
	State       draw.State
	Known       bool // the draw is certified
	Tier        int  // the highest won, as an index in the table's Tiers; -1: none
	TierName    string
	Amount      money.Amount
	PayableFrom time.Time // not before; zero without a prize
	PaidAt      time.Time // zero: not paid
	Payable     bool      // now, where the check is made
}

// open tells whether the prize is won and not paid.
func (p Prize) open() bool { return p.Amount > 0 && p.PaidAt.IsZero() }

// Answer is what a check of a ticket tells.
type Answer struct {
	Standing Standing
	Prizes   []Prize // by draw of the ticket
	Waiting  int     // draws of it neither certified nor cancelled

	Total   money.Amount // won in its certified draws
	Payable money.Amount // of these now, where the check is made
	Paid    money.Amount
	Back    money.Amount // stakes of its cancelled draws

	// PayableFrom is the next instant at which a prize becomes payable; zero
	// when there is none, or when it only waits for draws to be certified.
	PayableFrom time.Time
	ClaimUntil  game.Day // last day of claims, inclusive
	Expired     bool     // that day has ended where the check is made
}

// Check answers for a ticket at an instant, in the zone of the place that asks
// or pays. tables has the prize table of each draw of the ticket, nil when all are the
// ordinary one; draws has the facts of each, in the ticket's order.
func Check(t wager.Ticket, tables []int, draws []DrawFacts, at time.Time, zone *time.Location) Answer {
	assert(len(draws) == len(t.Draws) && len(draws) > 0, "facts for each draw of the ticket")
	assert(tables == nil || len(tables) == len(draws), "a table for each draw of the ticket")
	claims := t.Rules.Claims
	if claims.DeadlineZone == game.ParisDeadline {
		zone = t.Rules.Calendar.Zone
	}
	last := draws[len(draws)-1]
	a := Answer{ClaimUntil: last.Draw.Day + game.Day(claims.Days), Prizes: make([]Prize, len(draws))}
	a.Expired = game.DayOf(at, zone) > a.ClaimUntil

	morning := make([]bool, len(draws)) // prizes of a tier that is payable from the next morning
	for i, d := range draws {
		table := 0
		if tables != nil {
			table = tables[i]
		}
		a.Prizes[i], morning[i] = prizeOf(t, table, d)
		switch {
		case d.State == draw.Cancelled:
			a.Back = a.Back.Add(t.Stake.Times(int64(len(t.Combinations()))))
		case !d.State.Final():
			a.Waiting++
		}
	}
	setPayableFrom(t.Rules, a.Prizes, morning, last.Draw.DrawsAt)
	a.sum(at, claims.OtherTiers == game.AfterLastDraw && !last.State.Final(), morning)
	return a
}

// prizeOf returns what the ticket wins in a draw, its combinations added up,
// and whether any of it is payable from the next morning only.
func prizeOf(t wager.Ticket, table int, d DrawFacts) (p Prize, morning bool) {
	p = Prize{Draw: d.Draw, State: d.State, Tier: -1, PaidAt: d.PaidAt}
	if d.State != draw.Certified {
		return p, false
	}
	p.Known = true
	matcher, err := t.Rules.Matcher(table, d.Result)
	assert(err == nil, "certified draw without a result of its game")
	for _, c := range t.Combinations() {
		tier := matcher.Tier(c)
		if tier < 0 {
			continue
		}
		p.Amount = p.Amount.Add(d.UnitValue(table, tier).Times(t.Units))
		won := t.Rules.Tables[table].Tiers[tier]
		if p.Tier < 0 || tier < p.Tier {
			p.Tier, p.TierName = tier, won.Name
		}
		morning = morning || won.NextMorning
	}
	return p, morning
}

// setPayableFrom says from when each prize is payable (IAT-7): with a tier of
// the next morning from then on; else after its own draw or the ticket's last
// (reading other_tiers). By the reading early_tiers a prize of the next morning
// holds up all others of its ticket.
func setPayableFrom(r *game.Rules, prizes []Prize, morning []bool, lastAt time.Time) {
	var latest time.Time // of the next mornings
	for i := range prizes {
		p := &prizes[i]
		switch {
		case p.Amount == 0:
			continue
		case morning[i]:
			p.PayableFrom = (p.Draw.Day + 1).At(r.Claims.MorningAt, r.Calendar.Zone)
			if p.PayableFrom.After(latest) {
				latest = p.PayableFrom
			}
		case r.Claims.OtherTiers == game.AfterLastDraw:
			p.PayableFrom = lastAt
		default:
			p.PayableFrom = p.Draw.DrawsAt
		}
	}
	if r.Claims.EarlyTiers != game.WholeTicketNextMorning {
		return
	}
	for i := range prizes {
		if p := &prizes[i]; p.open() && p.PayableFrom.Before(latest) {
			p.PayableFrom = latest
		}
	}
}

// sum fills in what the prizes come to. held tells that tiers that are not of
// the next morning wait for the ticket's last draw to be certified.
func (a *Answer) sum(at time.Time, held bool, morning []bool) {
	for i := range a.Prizes {
		p := &a.Prizes[i]
		a.Total = a.Total.Add(p.Amount)
		if !p.open() {
			if !p.PaidAt.IsZero() {
				a.Paid = a.Paid.Add(p.Amount)
			}
			continue
		}
		due := !at.Before(p.PayableFrom)
		p.Payable = due && !a.Expired && (morning[i] || !held)
		if p.Payable {
			a.Payable = a.Payable.Add(p.Amount)
		}
		if !due && (a.PayableFrom.IsZero() || p.PayableFrom.Before(a.PayableFrom)) {
			a.PayableFrom = p.PayableFrom
		}
	}
	switch {
	case a.Total > 0:
		a.Standing = Won
	case a.Waiting > 0:
		a.Standing = Pending
	case a.Back > 0:
		a.Standing = GiveBack
	default:
		a.Standing = Lost
	}
}

var (
	// ErrNothingToPay is a ticket that has won nothing.
	ErrNothingToPay = errors.New("nothing to pay")
	// ErrNotYet is a ticket with nothing payable at this moment; the error is a [NotYetError].
	ErrNotYet = errors.New("not payable yet")
	// ErrExpired is a prize whose claims have ended (forclusion, IAT-7).
	ErrExpired = errors.New("claims have ended")
	// ErrPaid is a ticket of which all prizes are paid.
	ErrPaid = errors.New("already paid")
)

// NotYetError is a refusal by [ErrNotYet].
type NotYetError struct {
	Waiting int       // draws to be certified
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
}

// Due returns all that is payable now, by draw, or why nothing is: [ErrNotYet],
// [ErrExpired], [ErrPaid] or [ErrNothingToPay].
func (a Answer) Due() ([]Due, error) {
	var due []Due
	for _, p := range a.Prizes {
		if p.Payable {
			due = append(due, Due{p.Draw.ID, p.Amount})
		}
	}
	switch {
	case len(due) > 0:
		return due, nil
	case a.Expired && a.Total > a.Paid:
		return nil, ErrExpired
	case a.Waiting > 0 || a.Total > a.Paid:
		return nil, &NotYetError{Waiting: a.Waiting, From: a.PayableFrom}
	case a.Total > 0:
		return nil, ErrPaid
	}
	return nil, ErrNothingToPay
}
