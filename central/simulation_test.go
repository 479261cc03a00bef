package central_test

import (
	"errors"
	"flag"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/internal/dbtest"
	"tirage/ledger"
	"tirage/money"
	"tirage/party"
	"tirage/settle"
	"tirage/wager"
)

var (
	simSteps = flag.Int("steps", 2000, "operations of TestSimulation on each database")
	simSeed  = flag.Uint64("seed", 0, "seed of TestSimulation; 0 is another one each time")
)

// TestSimulation does random operations and compares the system with a naive
// model, of maps and of the regulation's words: what is answered, what each
// outlet owes, every account, the exposure of open draws, and what tickets won.
func TestSimulation(t *testing.T) {
	t.Parallel()
	seed := *simSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	dbtest.Each(t, func(t *testing.T, dsn string) {
		t.Cleanup(func() {
			if t.Failed() {
				t.Logf("again with: -run TestSimulation -seed %d -steps %d", seed, *simSteps)
			}
		})
		s := newSimulation(newWorld(t, dsn, islet(t, "max: 50", "max: 20")), seed)
		for n := range *simSteps {
			s.step()
			if n%200 == 199 {
				s.compare()
			}
			if t.Failed() {
				t.Fatalf("in step %d", n)
			}
		}
		s.finish()
	})
}

// simDraw names a draw as people do.
type simDraw struct {
	day    game.Day
	number int
}

type simTicket struct {
	wager.Ticket
	shop      *simShop
	draws     []simDraw
	cancelled bool
	paid      map[simDraw]bool
}

type simShop struct {
	*shop
	limit, owes money.Amount
}

// simulation is the model, and the system that it is compared with.
type simulation struct {
	*world
	*rand.Rand
	shops    []*simShop
	tickets  []*simTicket
	placed   []central.Place // accepted, as many as tickets
	opened   map[simDraw]bool
	ids      map[simDraw]draw.ID
	exposure map[simDraw]map[game.Combination]int64
	results  map[simDraw]game.Result // of certified draws
	accounts map[ledger.Account]money.Amount
	answers  map[error]int // to sales
}

func newSimulation(w *world, seed uint64) *simulation {
	s := &simulation{
		world: w, Rand: rand.New(rand.NewPCG(seed, 0)),
		opened: map[simDraw]bool{}, ids: map[simDraw]draw.ID{}, exposure: map[simDraw]map[game.Combination]int64{},
		results: map[simDraw]game.Result{}, accounts: map[ledger.Account]money.Amount{}, answers: map[error]int{},
	}
	s.shops = []*simShop{
		{shop: w.shop, limit: w.outlet.CreditLimit},
		{shop: w.newShop(2, "reunion", "Indian/Reunion")},
		{shop: w.newShop(3, "polynesie", "Pacific/Tahiti")},
	}
	s.shops[1].limit = w.outlet.CreditLimit
	s.shops[2].limit = money.Euros(60) // is often refused
	small := s.shops[2].outlet
	small.CreditLimit = s.shops[2].limit
	_, err := w.sys.PutOutlet(w.ctx(), central.PutOutlet{Key: w.key(), Officer: w.officer.ID, Outlet: small})
	w.check(err)
	s.ticked()
	return s
}

func (s *simulation) step() {
	s.Helper()
	switch n := s.IntN(100); {
	case n < 45:
		s.placeOne()
	case n < 52:
		s.retry()
	case n < 60:
		s.cancelOne()
	case n < 78:
		s.payOne(s.anyTicket())
	case n < 84:
		s.checkOne(s.anyTicket())
	case n < 90:
		s.receiveOne()
	case n == 99 && s.IntN(2) == 0:
		s.restart()
	default:
		ahead := 8 * time.Minute
		if s.next(1) == nil {
			ahead = 3 * time.Hour
		}
		s.clock.set(s.clock.Now().Add(time.Duration(s.Int64N(int64(ahead))).Truncate(time.Microsecond)))
		if s.IntN(4) > 0 { // else the scheduler is late
			s.tick()
			s.ticked()
		}
	}
}

// drawAt is when a draw is drawn: draw n of the day at 04:05 + 5·n minutes in Paris.
func drawAt(d simDraw) time.Time {
	year, month, day := time.Unix(int64(d.day)*86400, 0).UTC().Date()
	return time.Date(year, month, day, 4, 10, 0, 0, paris).Add(time.Duration(d.number-1) * 5 * time.Minute)
}

var paris, _ = time.LoadLocation("Europe/Paris")

// sessionsOf lists the sessions of a day.
func sessionsOf(day game.Day) [][]simDraw {
	switch day.Weekday() {
	case time.Monday, time.Wednesday, time.Friday, time.Sunday:
	default:
		return nil
	}
	var list [][]simDraw
	for _, span := range [][2]int{{95, 130}, {167, 214}} {
		var session []simDraw
		for n := span[0]; n <= span[1]; n++ {
			session = append(session, simDraw{day, n})
		}
		list = append(list, session)
	}
	return list
}

// days are those whose draws may matter now.
func (s *simulation) days() []game.Day {
	today := game.DayOf(s.clock.Now(), time.UTC)
	return []game.Day{today - 1, today, today + 1}
}

// ticked is what the scheduler does, at the clock's time.
func (s *simulation) ticked() {
	s.Helper()
	now := s.clock.Now()
	for _, day := range s.days() {
		for _, session := range sessionsOf(day) {
			for _, d := range session {
				if !now.Before(drawAt(session[0]).Add(-time.Hour)) && !drawAt(d).Before(monday) {
					s.opened[d] = true
				}
				if s.opened[d] && !now.Before(drawAt(d)) && s.results[d] == nil {
					s.settleOne(d)
				}
			}
		}
	}
}

// settleOne takes the result from the system, and books what follows from it.
func (s *simulation) settleOne(d simDraw) {
	s.Helper()
	v, err := s.sys.Draw(s.ctx(), s.rules.Code, d.day, d.number)
	s.check(err)
	if v.State != draw.Certified || v.Result == nil {
		s.Fatalf("draw %v is %s after a tick at %s", d, v.State, s.clock.Now())
	}
	s.results[d], s.ids[d] = v.Result, v.ID
	var stakes, prizes money.Amount
	tickets := int64(0)
	for _, ticket := range s.tickets {
		if ticket.cancelled || !slices.Contains(ticket.draws, d) {
			continue
		}
		tickets++
		prize, _ := s.prize(ticket, d)
		stakes, prizes = stakes+ticket.Stake, prizes+prize
		s.book(ledger.Prize(int64(ticket.Draws[len(ticket.Draws)-1].ID)), -prize)
	}
	s.book(ledger.Stake(int64(v.ID)), stakes)
	s.book(ledger.Margin(string(s.rules.Code)), prizes-stakes)
	if v.Wagers != tickets || v.Stakes != stakes {
		s.Errorf("draw %v closed with %d tickets and %s, the model has %d and %s", d, v.Wagers, v.Stakes, tickets, stakes)
	}
}

func (s *simulation) book(a ledger.Account, amount money.Amount) { s.accounts[a] += amount }

func (s *simulation) prize(ticket *simTicket, d simDraw) (prize money.Amount, morning bool) {
	unit, morning := isletPrize(ticket.Plays[0].Picks, s.results[d])
	return unit * money.Amount(ticket.Units), morning
}

// next are the draws that a wager over asked draws enters now.
func (s *simulation) next(asked int) (draws []simDraw) {
	for _, day := range s.days() {
		for _, session := range sessionsOf(day) {
			for _, d := range session {
				if s.opened[d] && s.clock.Now().Before(drawAt(d).Add(-20*time.Second)) && len(draws) < asked {
					draws = append(draws, d)
				}
			}
			if len(draws) > 0 {
				return draws
			}
		}
	}
	return nil
}

func (s *simulation) fits(c game.Combination, units int64, draws []simDraw) bool {
	return !slices.ContainsFunc(draws, func(d simDraw) bool { return s.exposure[d][c]+units > 20 })
}

func (s *simulation) placeOne() {
	s.Helper()
	shop := s.shops[s.IntN(len(s.shops))]
	stake := s.rules.Stakes[s.IntN(len(s.rules.Stakes))]
	own, quick := game.Combination(s.IntN(6)), s.IntN(3) == 0
	slip := s.slip(own, int64(stake/100), 1+s.IntN(6))
	if quick {
		slip.Boards = []wager.Board{{QuickPick: true}}
	}
	draws, units := s.next(slip.Draws), int64(stake/s.rules.UnitStake)
	price := stake * money.Amount(len(draws))
	room := s.fits(own, units, draws)
	for c := range game.Combination(6) {
		room = room || quick && s.fits(c, units, draws)
	}
	var want error
	switch {
	case len(draws) == 0:
		want = wager.ErrNoSession
	case !room:
		want = wager.ErrCapped
	case shop.owes+price > shop.limit:
		want = party.ErrCredit
	}
	place := central.Place{Key: s.key(), Terminal: shop.terminal.ID, Slip: slip}
	ticket, err := s.sys.Place(s.ctx(), place)
	s.answers[want]++
	if !errors.Is(err, want) || (err == nil) != (want == nil) {
		s.Fatalf("%s: sale of %d units over %v: got %v, want %v", s.clock.Now(), units, draws, err, want)
	}
	if err != nil {
		return
	}
	c := ticket.Plays[0].Combinations[0]
	if !quick && c != own || !s.fits(c, units, draws) || ticket.Price != price || len(ticket.Draws) != len(draws) {
		s.Fatalf("sold %+v, the model %v at %s", ticket, draws, price)
	}
	for i, d := range draws {
		if ticket.Draws[i].Number != d.number || ticket.Draws[i].Day != d.day {
			s.Fatalf("sold for %v, want %v", numbers(ticket.Draws), draws)
		}
		s.ids[d] = ticket.Draws[i].ID
		s.add(d, c, units)
		s.book(ledger.Stake(int64(s.ids[d])), -stake)
	}
	s.owe(shop, price)
	s.tickets = append(s.tickets, &simTicket{Ticket: ticket, shop: shop, draws: draws, paid: map[simDraw]bool{}})
	s.placed = append(s.placed, place)
}

func (s *simulation) add(d simDraw, c game.Combination, units int64) {
	if s.exposure[d] == nil {
		s.exposure[d] = map[game.Combination]int64{}
	}
	s.exposure[d][c] += units
}

func (s *simulation) owe(shop *simShop, amount money.Amount) {
	shop.owes += amount
	s.book(ledger.Outlet(shop.outlet.ID), amount)
}

// anyTicket is one of the last few hundred, or nil.
func (s *simulation) anyTicket() *simTicket {
	if len(s.tickets) == 0 {
		return nil
	}
	recent := min(len(s.tickets), 300)
	return s.tickets[len(s.tickets)-1-s.IntN(recent)]
}

// retry sends the command of a ticket again.
func (s *simulation) retry() {
	s.Helper()
	if len(s.tickets) == 0 {
		return
	}
	n := s.IntN(len(s.tickets))
	before := s.sys.Size()
	again, err := s.sys.Place(s.ctx(), s.placed[n])
	if want := s.tickets[n].Ticket; err != nil || again.Number != want.Number || again.Secret != want.Secret || s.sys.Size() != before {
		s.Fatalf("again: ticket %d, %v; want %d", again.Number, err, want.Number)
	}
}

func (s *simulation) cancelOne() {
	s.Helper()
	ticket, shop := s.anyTicket(), s.shops[s.IntN(len(s.shops))]
	if ticket == nil {
		return
	}
	if s.IntN(3) > 0 {
		shop = ticket.shop
	}
	var want error
	switch {
	case shop != ticket.shop:
		want = central.ErrNotYours
	case ticket.cancelled:
		want = central.ErrCancelled
	case !s.clock.Now().Before(drawAt(ticket.draws[0]).Add(-20 * time.Second)):
		want = central.ErrTooLate
	}
	if err := s.cancel(shop.shop, ticket.Ticket); !errors.Is(err, want) || (err == nil) != (want == nil) {
		s.Fatalf("cancellation: got %v, want %v", err, want)
	}
	if want != nil {
		return
	}
	ticket.cancelled = true
	s.owe(shop, -ticket.Price)
	for _, d := range ticket.draws {
		s.add(d, ticket.Plays[0].Combinations[0], -ticket.Units)
		s.book(ledger.Stake(int64(s.ids[d])), ticket.Stake)
	}
}

// due are the draws of a ticket that are payable now: by the regulation, the
// top tiers from the next morning, and with them the whole ticket; the others
// after its last draw.
func (s *simulation) due(ticket *simTicket) (draws []simDraw) {
	now := s.clock.Now()
	var waits time.Time // latest morning of an unpaid prize of the top tiers
	for _, d := range ticket.draws {
		if s.results[d] == nil || ticket.paid[d] {
			continue
		}
		if _, m := s.prize(ticket, d); m {
			waits = s.morningAfter(d)
		}
	}
	last := s.results[ticket.draws[len(ticket.draws)-1]] != nil
	for _, d := range ticket.draws {
		if s.results[d] == nil || ticket.paid[d] || now.Before(waits) {
			continue
		}
		if prize, m := s.prize(ticket, d); prize > 0 && (m || last) {
			draws = append(draws, d)
		}
	}
	return draws
}

// morningAfter is 06:00 in Paris on the day after a draw day.
func (s *simulation) morningAfter(d simDraw) time.Time {
	return drawAt(simDraw{d.day + 1, 1}).Add(110 * time.Minute)
}

func (s *simulation) payOne(ticket *simTicket) {
	s.Helper()
	if ticket == nil {
		return
	}
	shop := s.shops[s.IntN(len(s.shops))]
	var want money.Amount
	due := s.due(ticket)
	for _, d := range due {
		prize, _ := s.prize(ticket, d)
		want += prize
	}
	if ticket.cancelled {
		due, want = nil, 0
	}
	paid, err := s.pay(shop.shop, ticket.Ticket)
	if paid.Amount != want || (err == nil) != (want > 0) || ticket.cancelled && !errors.Is(err, central.ErrCancelled) {
		s.Fatalf("%s: ticket %d of %v paid %s, %v; want %s", s.clock.Now(), ticket.Number, ticket.draws, paid.Amount, err, want)
	}
	for _, d := range due {
		ticket.paid[d] = true
	}
	if want > 0 {
		s.owe(shop, -want)
		s.book(ledger.Prize(int64(ticket.Draws[len(ticket.Draws)-1].ID)), want)
	}
}

func (s *simulation) checkOne(ticket *simTicket) {
	s.Helper()
	if ticket == nil || ticket.cancelled {
		return
	}
	var total money.Amount
	waiting := 0
	for _, d := range ticket.draws {
		if s.results[d] == nil {
			waiting++
			continue
		}
		prize, _ := s.prize(ticket, d)
		total += prize
	}
	want := settle.Lost
	switch {
	case total > 0:
		want = settle.Won
	case waiting > 0:
		want = settle.Pending
	}
	if a := s.checked(ticket.Ticket).Answer; a.Standing != want || a.Total != total || a.Waiting != waiting {
		s.Fatalf("ticket %d: %s of %s, %d waiting; want %s of %s, %d", ticket.Number, a.Standing, a.Total, a.Waiting, want, total, waiting)
	}
}

func (s *simulation) receiveOne() {
	s.Helper()
	shop, amount := s.shops[s.IntN(len(s.shops))], money.Amount(1+s.IntN(20_000))
	s.check(s.receive(s.officer.ID, shop.outlet.ID, amount))
	s.owe(shop, -amount)
	s.book(ledger.Cash, amount)
}

// compare compares accounts and exposure.
func (s *simulation) compare() {
	s.Helper()
	isZero := func(_ ledger.Account, a money.Amount) bool { return a == 0 }
	got := map[ledger.Account]money.Amount{}
	for account, balance := range s.balances() {
		got[ledger.Account(account)] = balance
	}
	maps.DeleteFunc(got, isZero)
	maps.DeleteFunc(s.accounts, isZero)
	if !maps.Equal(got, s.accounts) {
		s.Errorf("accounts are %v, the model's %v", got, s.accounts)
	}
	for _, shop := range s.shops {
		if owes := s.owes(shop.shop); owes != shop.owes {
			s.Errorf("outlet %d owes %s, the model says %s", shop.outlet.Number, owes, shop.owes)
		}
	}
	for d, sold := range s.exposure {
		if !s.clock.Now().Before(drawAt(d).Add(-20 * time.Second)) {
			continue // closed, so nothing is counted any more
		}
		for c := range game.Combination(6) {
			if got := s.sys.Exposed(s.ids[d], c); int64(got) != sold[c] {
				s.Errorf("draw %v, combination %d: %d units sold, the model says %d", d, c, got, sold[c])
			}
		}
	}
}

// finish lets all draws be drawn, and compares every ticket.
func (s *simulation) finish() {
	s.Helper()
	for range 24 {
		s.clock.set(s.clock.Now().Add(time.Hour))
		s.tick()
		s.ticked()
	}
	s.restart()
	s.compare()
	tickets := s.tickets[max(0, len(s.tickets)-1000):]
	for _, ticket := range tickets {
		s.checkOne(ticket)
		s.payOne(ticket)
	}
	s.compare()
	if len(s.tickets) < *simSteps/10 {
		s.Errorf("only %d tickets in %d operations", len(s.tickets), *simSteps)
	}
	s.Logf("%d tickets, %d draws, until %s; sales answered %v", len(s.tickets), len(s.results), s.clock.Now(), s.answers)
}
