package sim

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/ledger"
	"tirage/money"
	"tirage/party"
	"tirage/store"
	"tirage/wager"
)

// Options say what [Simulate] does.
type Options struct {
	DSN   string
	Books [][]byte // rule books of small games, whose combinations can be tried one after another
	Seed  uint64
	Steps int // operations
	// Exposed is what a node counts against the cap, which no operation tells.
	Exposed func(*central.System, draw.ID, game.Combination) int
}

// Simulate does random operations, some of them at once, and compares the system
// with a naive model: what is answered, what each outlet owes, every account, the
// exposure of open draws, jackpots, and what tickets won. In between the node
// restarts, the clock runs and sometimes stands or goes back, and the scheduler is
// often late. At the end, and now and then, everything is recomputed from the journal.
func Simulate(t testing.TB, o Options) {
	t.Helper()
	s := &simulation{TB: t, Options: o, Rand: rand.New(rand.NewPCG(o.Seed, 0)), model: newModel(), clock: start, done: map[string]int{}, proposals: map[uint64]*proposal{}}
	s.open()
	defer func() { s.close() }()
	s.furnish()
	for n := 0; n < o.Steps; {
		n += s.step()
		if n/compareEvery > s.compared {
			s.compared = n / compareEvery
			s.compare()
		}
		if t.Failed() {
			t.Fatalf("in step %d of seed %d, at %s", n, o.Seed, s.now)
		}
	}
	s.finish()
}

// start is a Monday, before sales open.
var start = time.Date(2027, 1, 4, 2, 0, 0, 0, time.UTC)

// compareEvery is how many operations pass between two comparisons of all accounts.
const compareEvery = 1000

// shop is an outlet with a terminal.
type shop struct {
	outlet   party.Outlet
	terminal string
	zone     *time.Location
	owes     money.Amount
}

// proposal is an act proposed.
type proposal struct {
	id     uint64
	change central.Change
	by     string
}

// simulation is the system and the model that it is compared with.
type simulation struct {
	testing.TB
	Options
	*rand.Rand
	*model

	mu    sync.Mutex
	clock time.Time // guarded by mu

	db        *store.DB
	sys       *central.System
	officers  []string
	shops     []*shop
	all       map[game.Code][]game.Picks
	proposals map[uint64]*proposal
	keys      int
	compared  int
	done      map[string]int // what was done, by what came of it
}

func (s *simulation) ctx() context.Context { return context.WithoutCancel(s.Context()) }

func (s *simulation) check(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *simulation) read() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.clock
}

func (s *simulation) set(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clock = at
}

func (s *simulation) open() {
	var err error
	s.db, err = store.Open(s.ctx(), s.DSN)
	s.check(err)
	s.sys, err = central.Open(s.ctx(), central.Options{
		DB: s.db, Control: "none", Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Keys:  central.Keys{Origin: "tirage.test/log", Log: [32]byte{1}, Games: [32]byte{2}, Tickets: [32]byte{3}, Sealing: [32]byte{4}},
		Clock: central.Clock{Now: s.read, Wall: s.read, Simulated: true},
	})
	s.check(err)
}

func (s *simulation) close() {
	s.sys.Close()
	s.check(s.db.Close())
}

func (s *simulation) key() string {
	s.keys++
	return fmt.Sprintf("%08d", s.keys)
}

// furnish publishes the games and opens the outlets.
func (s *simulation) furnish() {
	for _, login := range []string{"anne", "benoit"} {
		by := ""
		if len(s.officers) > 0 {
			by = s.officers[0]
		}
		o, err := s.sys.PutOfficer(s.ctx(), central.PutOfficer{Key: s.key(), By: by, Login: login, Password: "dix caracteres", Roles: []string{"operations"}})
		s.check(err)
		s.officers = append(s.officers, o.ID)
	}
	s.all = map[game.Code][]game.Picks{}
	for _, book := range s.Books {
		r, err := s.sys.PublishRules(s.ctx(), central.PublishRules{Key: s.key(), Officer: s.officers[0], Book: book})
		s.check(err)
		s.games = append(s.games, &modelGame{Rules: r, planned: map[game.Day]bool{}, carried: new(big.Rat), claims: map[draw.ID]*modelDraw{}})
		s.all[r.Code] = everything(r)
	}
	slices.SortFunc(s.games, func(a, b *modelGame) int { return strings.Compare(string(a.Code), string(b.Code)) })
	for i, place := range []struct {
		territory, zone string
		credit          int64
		centre          bool
	}{
		{"metropole", "Europe/Paris", 100_000_000, false},
		{"reunion", "Indian/Reunion", 100_000_000, false},
		{"metropole", "Europe/Paris", 100_000_000, true},
		{"polynesie", "Pacific/Tahiti", 300, false}, // is often refused
	} {
		o, err := s.sys.PutOutlet(s.ctx(), central.PutOutlet{Key: s.key(), Officer: s.officers[0], Outlet: party.Outlet{
			Number: i + 1, Territory: place.territory, Zone: place.zone, CreditLimit: money.Euros(place.credit), Centre: place.centre,
		}})
		s.check(err)
		terminal, _, err := s.sys.PutTerminal(s.ctx(), central.PutTerminal{Key: s.key(), Officer: s.officers[0], Outlet: o.ID})
		s.check(err)
		zone, err := o.Location()
		s.check(err)
		s.shops = append(s.shops, &shop{outlet: o, terminal: terminal.ID, zone: zone})
	}
	s.tickAll()
}

// An act is an operation made ready: run does it, beside others perhaps, and
// after compares what came of it with the model.
type act struct {
	run   func()
	after func()
}

// step does an operation, or several at once that do not depend on each other's order. It returns how many.
func (s *simulation) step() int {
	s.now = s.sys.Now()
	switch n := s.IntN(1000); {
	case n < 50:
		s.change()
	case n < 53:
		s.restart()
	case n < 350:
		s.pass()
	case n < 600:
		s.alone(s.capped())
	default:
		return s.together(1 + s.IntN(40))
	}
	return 1
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
	taken := map[*modelTicket]bool{}
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

// any makes ready an operation that shares a turn with others. Those of one ticket would depend on their order.
func (s *simulation) any(taken map[*modelTicket]bool) act {
	n := s.IntN(100)
	if n < 50 {
		return s.sale(s.games[slices.IndexFunc(s.games, func(g *modelGame) bool { return g.Cap.Max == 0 })], s.shops[s.IntN(3)])
	}
	if n < 56 {
		return s.receive()
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
	case n < 86:
		return s.payment(t)
	default:
		return s.asked(t)
	}
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

func (s *simulation) sold(g *modelGame, at *shop, place central.Place, sold wager.Ticket, err error) {
	s.Helper()
	slip := place.Slip
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
	if !s.agree("sale of "+string(g.Code), err, want...) {
		return
	}
	t := &modelTicket{Ticket: sold, place: place, shop: at, game: g, draws: draws, paid: map[draw.ID]bool{}}
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
	s.owe(at, price)
	s.tickets = append(s.tickets, t)
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
			if s.agree("cancellation", err, s.cancellable(t, at)) {
				t.cancelled = true
				s.enter(t, -1)
				s.owe(at, -t.Price)
			}
		},
	}
}

func (s *simulation) cancellable(t *modelTicket, at *shop) error {
	switch {
	case at != t.shop:
		return central.ErrNotYours
	case t.cancelled:
		return central.ErrCancelled
	}
	for _, d := range t.draws {
		switch {
		case d.state == draw.Cancelled && slices.Contains(s.live, d):
			return central.ErrDrawCancelled
		case d.state != draw.Selling && d.state != draw.Postponed || !s.now.Before(d.ClosesAt):
			return central.ErrTooLate
		}
	}
	return nil
}

func (s *simulation) payment(t *modelTicket) act {
	at := s.shops[s.IntN(len(s.shops))]
	p := central.Pay{Key: s.key(), Terminal: at.terminal, Ticket: t.Number, Secret: t.Secret}
	var paid central.Paid
	var err error
	return act{
		run: func() { paid, err = s.sys.Pay(s.ctx(), p) },
		after: func() {
			if t.cancelled {
				s.agree("payment", err, central.ErrCancelled)
				return
			}
			c := s.claimOf(t, at)
			if !s.agree("payment", err, c.refusal()) {
				return
			}
			if paid.Amount != c.payPrize+c.payBack || paid.Back != c.payBack || len(paid.Draws) != len(c.due) {
				s.Fatalf("%s: ticket %d paid %s, of it %s back; the model pays %s and %s", s.now, t.Number, paid.Amount, paid.Back, c.payPrize, c.payBack)
			}
			s.pay(t, at, c)
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

func (s *simulation) receive() act {
	at, amount := s.shops[s.IntN(len(s.shops))], money.Amount(1+s.IntN(20_000))
	r := central.Receive{Key: s.key(), Officer: s.officers[0], Outlet: at.outlet.ID, Amount: amount}
	var err error
	return act{
		run: func() { _, err = s.sys.Receive(s.ctx(), r) },
		after: func() {
			s.agree("receipt", err, nil)
			s.owe(at, -amount)
			s.book(ledger.Cash, amount)
		},
	}
}

// pass lets time pass: to the next sales when none are open, else some minutes.
// Sometimes the node's clock goes back, which the system's time does not.
func (s *simulation) pass() {
	ahead := time.Duration(s.Int64N(int64(8 * time.Minute)))
	selling := false
	for _, g := range s.games {
		selling = selling || len(s.selling(g, 1)) > 0
	}
	if !selling {
		ahead = time.Duration(s.Int64N(int64(3 * time.Hour)))
	}
	if s.IntN(10) == 0 {
		ahead = -time.Duration(s.Int64N(int64(time.Minute)))
	}
	s.set(s.read().Add(ahead.Truncate(time.Microsecond)))
	s.done["clock"]++
	if s.IntN(5) > 0 { // else the scheduler is late
		s.tickAll()
	}
}

// tickAll has the scheduler do what is due, and the model after it.
func (s *simulation) tickAll() {
	s.Helper()
	_, err := s.sys.Tick(s.ctx())
	s.check(err)
	s.now = s.sys.Now()
	days := map[string][]central.DrawView{} // as the system says after the tick
	s.check(s.tick(func(d *modelDraw) (v central.DrawView, err error) {
		key := fmt.Sprint(d.Game, d.Day)
		if days[key] == nil {
			if days[key], err = s.sys.Draws(s.ctx(), d.Game, d.Day); err != nil {
				return v, err
			}
		}
		i := slices.IndexFunc(days[key], func(v central.DrawView) bool { return v.Number == d.Number })
		if i < 0 {
			return v, draw.ErrUnknown
		}
		return days[key][i], nil
	}))
}

// restart ends the node and opens another: what it knows then comes from the database.
func (s *simulation) restart() {
	s.close()
	s.open()
	s.done["restart"]++
}

// compare compares accounts and exposure.
func (s *simulation) compare() {
	s.Helper()
	got := map[ledger.Account]money.Amount{}
	s.check(s.db.View(s.ctx(), func(tx *store.Snapshot) error {
		balances, err := tx.Balances(s.ctx())
		for account, balance := range balances {
			got[ledger.Account(account)] = balance
		}
		return err
	}))
	isZero := func(_ ledger.Account, a money.Amount) bool { return a == 0 }
	maps.DeleteFunc(got, isZero)
	maps.DeleteFunc(s.accounts, isZero)
	if !maps.Equal(got, s.accounts) {
		for a := range got {
			if got[a] != s.accounts[a] {
				s.Errorf("account %s has %s, the model's %s", a, got[a], s.accounts[a])
			}
		}
		s.Errorf("%d accounts, the model has %d", len(got), len(s.accounts))
	}
	for _, at := range s.shops {
		a, err := s.sys.OutletAccount(at.outlet.ID)
		if s.check(err); a.Owes != at.owes {
			s.Errorf("outlet %d owes %s, the model says %s", at.outlet.Number, a.Owes, at.owes)
		}
	}
	for _, d := range s.live {
		if d.game.Cap.Max == 0 || d.state != draw.Selling {
			continue
		}
		for i, c := range s.all[d.Game] {
			if got := s.Exposed(s.sys, d.ID, game.Combination(i)); int64(got) != d.units[fmt.Sprint(c)] {
				s.Errorf("draw %d, combination %v: %d units sold, the model says %d", d.ID, c, got, d.units[fmt.Sprint(c)])
			}
		}
	}
	for _, g := range s.games {
		s.compareJackpot(g)
	}
}

// compareJackpot compares what is said of the next jackpot.
func (s *simulation) compareJackpot(g *modelGame) {
	if g.Jackpot == nil {
		return
	}
	st, err := s.sys.Status(g.Code)
	s.check(err)
	if want := max(g.pot, g.Jackpot.Minimum); st.JackpotKnown && st.Jackpot != want {
		s.Errorf("the next jackpot of %s is %s, the model says %s", g.Code, st.Jackpot, want)
	}
}

// finish lets all draws be drawn, and compares the last tickets.
func (s *simulation) finish() {
	s.Helper()
	s.set(s.sys.Now().Add(72 * time.Hour))
	s.tickAll()
	s.restart()
	s.compare()
	for _, t := range s.tickets[max(0, len(s.tickets)-300):] {
		s.alone(s.asked(t))
		s.alone(s.payment(t))
	}
	s.compare()
	CheckBooks(s, s.sys)
	for _, what := range slices.Sorted(maps.Keys(s.done)) {
		s.Logf("%7d %s", s.done[what], what)
	}
	s.Logf("%d tickets, %d draws, until %s", len(s.tickets), s.lastDraw, s.now)
}
