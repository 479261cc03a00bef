package sim

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/ledger"
	"tirage/money"
	"tirage/party"
	"tirage/wager"
)

// An act is an operation made ready: run does it, beside others perhaps, and
// after compares what came of it with the model.
type act struct {
	run   func()
	after func()
}

func (s *simulation) alone(a act) {
	if a.run != nil {
		a.run()
		a.after()
	}
}

// together does operations at once, so that they share turns.
func (s *simulation) together(n int) int {
	var acts []act
	taken := map[any]bool{} // tickets and players
	for range n {
		if a := s.any(taken); a.run != nil {
			acts = append(acts, a)
		}
	}
	var wait sync.WaitGroup
	for _, a := range acts {
		wait.Go(a.run)
	}
	wait.Wait()
	for _, a := range acts {
		a.after()
	}
	return len(acts)
}

// any makes ready an operation that shares a turn with others. Those of one
// ticket or player would depend on their order.
func (s *simulation) any(taken map[any]bool) act {
	n := s.IntN(100)
	if n < 20 {
		return s.anyPlay(taken)
	}
	if n < 50 {
		return s.sale(s.games[slices.IndexFunc(s.games, func(g *modelGame) bool { return g.Cap.Max == 0 })], s.shops[s.IntN(3)])
	}
	if n < 52 {
		return s.receive()
	}
	if n < 56 {
		return s.giveUp(s.games[slices.IndexFunc(s.games, func(g *modelGame) bool { return g.Cap.Max == 0 })], s.shops[s.IntN(3)])
	}
	t := s.ticket()
	if t == nil || taken[t] {
		return act{}
	}
	taken[t] = true
	switch {
	case n < 62:
		return s.retry(t)
	case n < 68:
		return s.cancel(t)
	case n < 71:
		return s.reprint(t)
	case n < 73:
		return s.reprintAgain(t)
	case n < 75:
		return s.giveUpDone(t)
	case n < 87:
		return s.payment(t)
	default:
		return s.asked(t)
	}
}

// anyPlay makes ready a play of whom none is at it, at a price at which there are units for all.
func (s *simulation) anyPlay(taken map[any]bool) act {
	p, o := s.players[s.IntN(len(s.players))], s.offers[s.IntN(len(s.offers))]
	if taken[p] || o.left(true) < len(s.players) {
		return act{}
	}
	taken[p] = true
	if s.IntN(6) == 0 {
		return s.playAgain(p)
	}
	return s.play(p, o)
}

// capped makes ready a sale that the cap or the outlet's credit may refuse, or
// a cancellation that makes room.
func (s *simulation) capped() act {
	if t := s.ticket(); t != nil && s.IntN(8) == 0 {
		return s.cancel(t)
	}
	return s.sale(s.game(), s.shops[s.IntN(len(s.shops))])
}

// game is a game, mostly one that sells; of those that do mostly one with a cap.
func (s *simulation) game() *modelGame {
	for _, g := range slices.Backward(s.games) {
		if len(s.selling(g, 1)) > 0 && s.IntN(4) > 0 {
			return g
		}
	}
	return s.games[s.IntN(len(s.games))]
}

// ticket is one of the last few thousand, mostly of the last few, or nil.
func (s *simulation) ticket() *modelTicket {
	if len(s.tickets) == 0 {
		return nil
	}
	recent := min(len(s.tickets), []int{30, 300, 5000}[s.IntN(3)])
	return s.tickets[len(s.tickets)-1-s.IntN(recent)]
}

// agree compares the refusal of an operation, and counts it.
func (s *simulation) agree(what string, got error, want ...error) bool {
	s.Helper()
	for _, w := range want {
		if (got == nil) == (w == nil) && errors.Is(got, w) {
			name := what
			if w != nil {
				name += ": " + w.Error()
			}
			s.done[name]++
			return got == nil
		}
	}
	s.Fatalf("%s: %s: got %v, want %v", s.now, what, got, want)
	return false
}

// slip is what a player asks for: boards simple, multiple or drawn, of shapes that may not be allowed.
func (s *simulation) slip(g *modelGame) wager.Slip {
	slip := wager.Slip{Game: g.Code, Stake: g.Stakes[s.IntN(len(g.Stakes))], Draws: g.DrawCounts[s.IntN(len(g.DrawCounts))]}
	boards := 1
	if g.BoardsMax > 1 {
		boards = 1 + s.IntN(3)
	}
	for range boards {
		all := s.all[g.Code]
		b := wager.Board{Picks: slices.Clone(all[s.IntN(len(all))])}
		multiple := len(g.Multiple.Shapes) > 0 && s.IntN(3) == 0
		quick := s.IntN(3) == 0
		switch {
		case quick && multiple:
			b = wager.Board{QuickPick: true, Shape: g.Multiple.Shapes[s.IntN(len(g.Multiple.Shapes))], Also: 1 + s.IntN(g.Multiple.AlsoMax)}
		case quick && g.QuickPick.Partial && s.IntN(2) == 0:
			b.QuickPick = true
			b.Picks[s.IntN(len(b.Picks))] = nil
		case quick:
			b = wager.Board{QuickPick: true}
		case multiple: // a second combination marked over the first
			other := all[s.IntN(len(all))]
			for m := range b.Picks {
				both := append(slices.Clone(b.Picks[m]), other[m]...)
				slices.Sort(both)
				b.Picks[m] = slices.Compact(both)
			}
		}
		slip.Boards = append(slip.Boards, b)
	}
	return slip
}

// stands is how many combinations a board stands for, by counting: a product of what stands in its columns.
func (s *simulation) stands(g *modelGame, b wager.Board) int64 {
	if b.QuickPick && len(g.Multiple.Shapes) > 0 {
		n := int64(max(1, b.Also))
		for range b.Shape.Columns {
			n *= int64(b.Shape.Extras + 1)
		}
		return n
	}
	if b.QuickPick {
		return 1
	}
	return int64(len(expand(g, b.Picks, s.all[g.Code])))
}

// sale makes ready a sale.
func (s *simulation) sale(g *modelGame, at *shop) act {
	place := central.Place{Key: s.key(), Terminal: at.terminal, Slip: s.slip(g)}
	var sold wager.Ticket
	var err error
	return act{
		run:   func() { sold, err = s.sys.Place(s.ctx(), place) },
		after: func() { s.sold(g, at, place, sold, err) },
	}
}

// wanted is what a slip comes to, and how it may be answered.
type wanted struct {
	combinations int64
	draws        []*modelDraw
	price        money.Amount
	units        int64
	want         []error // nil: sold
}

// ask tells what a slip comes to at a shop, now.
func (s *simulation) ask(g *modelGame, at *shop, slip wager.Slip) wanted {
	var n int64
	for _, b := range slip.Boards {
		n += s.stands(g, b)
	}
	draws := s.selling(g, slip.Draws)
	price := slip.Stake * money.Amount(n) * money.Amount(len(draws))
	units := int64(slip.Stake / g.UnitStake)
	fit, full := 0, 0 // combinations with room and without, of those that it may be
	if b := slip.Boards[0]; g.Cap.Max > 0 {
		for _, c := range s.all[g.Code] {
			switch {
			case !fixes(b, c):
			case s.room(draws, c, units):
				fit++
			default:
				full++
			}
		}
	}
	partial := slip.Boards[0].QuickPick && slip.Boards[0].Picks != nil
	var want []error
	switch {
	case g.Limit.Max > 0 && slip.Stake*money.Amount(n)*money.Amount(slip.Draws) > g.Limit.Max:
		want = []error{wager.ErrLimit}
	case at.account.blocked:
		want = []error{party.ErrBlocked}
	case len(draws) == 0:
		want = []error{wager.ErrNoSession}
	case len(draws) < slip.Draws && g.OverRun == game.RefuseOverRun:
		want = []error{wager.ErrOverRun}
	case g.Cap.Max > 0 && fit == 0:
		want = []error{wager.ErrCapped}
	case at.owes+price > at.outlet.CreditLimit:
		want = []error{party.ErrCredit}
	default:
		want = []error{nil}
	}
	if g.Cap.Max > 0 && fit > 0 && full > 0 && partial {
		want = append(want, wager.ErrCapped) // what was drawn may be full, and is not drawn again
	}
	return wanted{n, draws, price, units, want}
}

func (s *simulation) sold(g *modelGame, at *shop, place central.Place, sold wager.Ticket, err error) {
	s.Helper()
	slip := place.Slip
	ask := s.ask(g, at, slip)
	n, draws, price, units := ask.combinations, ask.draws, ask.price, ask.units
	if !s.agree("sale of "+string(g.Code), err, ask.want...) {
		return
	}
	t := &modelTicket{Ticket: sold, place: place, shop: at, game: g, draws: draws, paid: map[draw.ID]bool{}}
	t.commands = []doneCommand{{place.Terminal, place.Key, central.OutcomeSold, 0}}
	ids := make([]draw.ID, len(draws))
	for i, d := range draws {
		ids[i] = d.ID
		t.tables = append(t.tables, tableFor(g, d, at.outlet.Territory))
	}
	got := make([]draw.ID, len(sold.Draws))
	for i, d := range sold.Draws {
		got[i] = d.ID
	}
	for i, p := range sold.Plays {
		list := expand(g, p.Picks, s.all[g.Code])
		if int64(len(list)) != s.stands(g, slip.Boards[i]) || !fixes(slip.Boards[i], p.Picks) {
			s.Fatalf("board %+v sold as %v", slip.Boards[i], p.Picks)
		}
		t.combinations = append(t.combinations, list...)
	}
	if sold.Price != price || !slices.Equal(got, ids) || int64(len(t.combinations)) != n || sold.Units != units {
		s.Fatalf("sold %+v at %s, draws %v; the model's are %v at %s", sold, sold.Price, got, ids, price)
	}
	s.enter(t, 1)
	s.did(at, g.Code, price, 0, price)
	s.tickets = append(s.tickets, t)
	s.placed++
}

// fixes tells whether picks have what the player marked.
func fixes(b wager.Board, picks game.Picks) bool {
	for m := range b.Picks {
		if slices.ContainsFunc(b.Picks[m], func(e int) bool { return !slices.Contains(picks[m], e) }) {
			return false
		}
	}
	return true
}

func (s *simulation) room(draws []*modelDraw, c game.Picks, units int64) bool {
	return !slices.ContainsFunc(draws, func(d *modelDraw) bool { return d.units[fmt.Sprint(c)]+units > int64(d.game.Cap.Max) })
}

// enter puts a ticket into its draws, or (−1) takes it out.
func (s *simulation) enter(t *modelTicket, sign int64) {
	for _, d := range t.draws {
		s.book(ledger.Stake(int64(d.ID)), -t.stake()*money.Amount(sign))
		for _, c := range t.combinations {
			if d.game.Cap.Max > 0 {
				d.units[fmt.Sprint(c)] += sign * t.Units
			}
		}
		if sign > 0 {
			d.tickets = append(d.tickets, t)
		} else {
			d.tickets = slices.DeleteFunc(d.tickets, func(other *modelTicket) bool { return other == t })
		}
	}
}

// retry makes ready the same command again.
func (s *simulation) retry(t *modelTicket) act {
	var again wager.Ticket
	var err error
	return act{
		run: func() { again, err = s.sys.Place(s.ctx(), t.place) },
		after: func() {
			if s.agree("retry", err, nil); again.Number != t.Number || again.Secret != t.Secret || again.Price != t.Price {
				s.Fatalf("again: ticket %d at %s; want %d at %s", again.Number, again.Price, t.Number, t.Price)
			}
		},
	}
}

func (s *simulation) cancel(t *modelTicket) act {
	at := t.shop
	if s.IntN(5) == 0 {
		at = s.shops[s.IntN(len(s.shops))]
	}
	c := central.Cancel{Key: s.key(), Terminal: at.terminal, Ticket: t.Number, Secret: t.Secret}
	var err error
	return act{
		run: func() { _, err = s.sys.Cancel(s.ctx(), c) },
		after: func() {
			if s.agree("cancellation", err, s.cancellable(t, at)...) {
				t.cancelled = true
				t.commands = append(t.commands, doneCommand{c.Terminal, c.Key, central.OutcomeCancelled, 0})
				s.enter(t, -1)
				s.did(at, t.game.Code, -t.Price, 0, -t.Price)
			}
		},
	}
}

// reprint makes ready one more print of a ticket.
func (s *simulation) reprint(t *modelTicket) act {
	at := t.shop
	if s.IntN(5) == 0 {
		at = s.shops[s.IntN(len(s.shops))]
	}
	r := central.Reprint{Key: s.key(), Terminal: at.terminal, Ticket: t.Number, Secret: t.Secret}
	var got int
	var err error
	return act{
		run: func() { _, got, _, err = s.sys.Reprint(s.ctx(), r) },
		after: func() {
			var want error
			switch {
			case at.account.blocked:
				want = party.ErrBlocked
			case at != t.shop:
				want = central.ErrNotYours
			case t.cancelled:
				want = central.ErrCancelled
			case t.stopped:
				want = central.ErrStopped
			}
			if s.agree("reprint", err, want) {
				if t.copies++; got != t.copies {
					s.Fatalf("ticket %d: copy %d, the model has printed %d", t.Number, got, t.copies)
				}
				t.commands = append(t.commands, doneCommand{r.Terminal, r.Key, central.OutcomeOther, 0})
			}
		},
	}
}

// payee is who is paid in simulations.
func payee() *party.Payee {
	return &party.Payee{Name: "Camille Roux", BirthDate: "1980-02-29", Address: "1 rue du Port", Document: "passeport"}
}

// stop stops the payment of a ticket, or tries to.
func (s *simulation) stop() {
	t := s.ticket()
	if t == nil {
		return
	}
	err := s.sys.StopTicket(s.ctx(), central.StopTicket{Key: s.key(), Officer: s.officers[s.IntN(2)], Ticket: t.Number, Reason: "simulated"})
	var want error
	switch {
	case t.cancelled:
		want = central.ErrCancelled
	case t.stopped:
		want = central.ErrStopped
	}
	if s.agree("stop of a ticket", err, want) {
		t.stopped = true
	}
}

// cancellable is what a cancellation may be answered: of a draw cancelled long ago a
// node knows that it was for as long as it has it in memory, and then that it is over.
func (s *simulation) cancellable(t *modelTicket, at *shop) []error {
	switch {
	case at.account.blocked:
		return []error{party.ErrBlocked}
	case at != t.shop:
		return []error{central.ErrNotYours}
	case t.cancelled:
		return []error{central.ErrCancelled}
	case t.stopped:
		return []error{central.ErrStopped}
	}
	for _, d := range t.draws {
		switch {
		case d.state == draw.Cancelled && slices.Contains(s.live, d):
			return []error{central.ErrDrawCancelled}
		case d.state == draw.Cancelled:
			return []error{central.ErrTooLate, central.ErrDrawCancelled}
		case d.state != draw.Selling && d.state != draw.Postponed || !s.now.Before(d.ClosesAt):
			return []error{central.ErrTooLate}
		}
	}
	return []error{nil}
}

func (s *simulation) payment(t *modelTicket) act {
	at := s.shops[s.IntN(len(s.shops))]
	p := central.Pay{Key: s.key(), Terminal: at.terminal, Ticket: t.Number, Secret: t.Secret}
	if s.IntN(2) == 0 {
		p.Payee = payee()
	}
	var paid central.Paid
	var err error
	return act{
		run: func() { paid, err = s.sys.Pay(s.ctx(), p) },
		after: func() {
			if at.account.blocked {
				s.agree("payment", err, party.ErrBlocked)
				return
			}
			if t.cancelled {
				s.agree("payment", err, central.ErrCancelled)
				return
			}
			if t.stopped {
				s.agree("payment", err, central.ErrStopped)
				return
			}
			c := s.claimOf(t, at)
			if c.asked && p.Payee == nil {
				s.agree("payment", err, central.ErrIdentity)
				return
			}
			if !s.agree("payment", err, c.refusal()) {
				return
			}
			if paid.Amount != c.payPrize+c.payBack || paid.Back != c.payBack || len(paid.Draws) != len(c.due) {
				s.Fatalf("%s: ticket %d paid %s, of it %s back; the model pays %s and %s", s.now, t.Number, paid.Amount, paid.Back, c.payPrize, c.payBack)
			}
			s.pay(t, at, c)
			t.commands = append(t.commands, doneCommand{p.Terminal, p.Key, central.OutcomePaid, paid.Amount})
		},
	}
}

// asked makes ready a check. Whoever asks changes nothing.
func (s *simulation) asked(t *modelTicket) act {
	at := s.shops[s.IntN(len(s.shops))]
	var got central.Check
	var err error
	return act{
		run: func() { got, err = s.sys.CheckAt(s.ctx(), t.Number, t.Secret, placeOf(at)) },
		after: func() {
			s.agree("check", err, nil)
			if t.cancelled {
				if got.CancelledAt.IsZero() {
					s.Fatalf("ticket %d is not cancelled", t.Number)
				}
				return
			}
			c, a := s.claimOf(t, at), got.Answer
			if t.stopped {
				c.payPrize, c.payBack, c.asked = 0, 0, false
			}
			if got.Stopped != t.stopped || got.Identity != c.asked {
				s.Fatalf("%s: ticket %d: stopped %v, payee asked %v; the model has %v, %v", s.now, t.Number, got.Stopped, got.Identity, t.stopped, c.asked)
			}
			if a.Standing != c.standing || a.Total != c.total || a.Waiting != c.waiting || a.Back != c.back || a.Paid != c.paid ||
				a.BackPaid != c.backPaid || a.Payable != c.payPrize+c.payBack {
				s.Fatalf("%s: ticket %d of draws %v: %+v; the model has %+v", s.now, t.Number, numbers(t), a, c)
			}
		},
	}
}

func numbers(t *modelTicket) (list []string) {
	for _, d := range t.draws {
		list = append(list, fmt.Sprintf("%s %s", strconv.Itoa(d.Number), d.state))
	}
	return list
}
