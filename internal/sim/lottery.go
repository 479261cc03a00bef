package sim

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
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
)

// Options say what [Simulate] does.
type Options struct {
	DSN   string
	Books [][]byte // rule books of small games, whose combinations can be tried one after another
	// Instant is the rule book of an instant game with small pools, which stops at nothing.
	Instant []byte
	Seed    uint64
	Steps   int // operations
	// Exposed is what a node counts against the cap, which no operation tells.
	Exposed func(*central.System, draw.ID, game.Combination) int
}

// Simulate does random operations, some of them at once, and compares the system
// with a naive model: what is answered, what each outlet owes, every account, the
// exposure of open draws, jackpots, what tickets won, units, pools, players'
// balances, statements, direct debits and blocks. In between the node
// restarts, the clock runs and sometimes stands or goes back, and the scheduler is
// often late; now and then nobody comes for days. At the end, and now and then, everything is recomputed from the journal.
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
	account  modelAccount
}

// proposal is an act proposed.
type proposal struct {
	id     uint64
	change central.Change
	by     string
	ticket *modelTicket // of changes of one
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
	placed    int
	offers    []*modelOffer
	players   []*modelPlayer
	vouchers  []*soldVoucher
	unpaid    []central.Withdrawal // and not sent to the bank
	givenUp   []givenUp
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
		DB: s.db, Control: "none", Logger: slog.New(slog.NewTextHandler(io.Discard, nil)), Demo: true,
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
		if by != "" {
			s.check(s.sys.ChangePassword(s.ctx(), central.ChangePassword{Key: s.key(), Officer: o.ID, Old: "dix caracteres", New: "onze caracteres"}))
		}
		s.officers = append(s.officers, o.ID)
	}
	s.all = map[game.Code][]game.Picks{}
	for _, book := range s.Books {
		r, err := s.sys.PublishRules(s.ctx(), central.PublishRules{Key: s.key(), Officer: s.officers[0], Book: book})
		s.check(err)
		s.games = append(s.games, &modelGame{Rules: r, planned: map[game.Day]bool{}, carried: new(big.Rat), claims: map[draw.ID]*modelDraw{}, sessions: map[session][]*modelDraw{}})
		s.all[r.Code] = everything(r)
	}
	book := strings.NewReplacer(`payment_max: "500"`, fmt.Sprintf("payment_max: %q", paymentMax), `identity_from: "5000"`, fmt.Sprintf("identity_from: %q", identityFrom))
	var err error
	s.terms, err = s.sys.PublishTerms(s.ctx(), central.PublishRules{Key: s.key(), Officer: s.officers[0], Book: []byte(book.Replace(string(party.TermsBook())))})
	s.check(err)
	slices.SortFunc(s.games, func(a, b *modelGame) int { return strings.Compare(string(a.Code), string(b.Code)) })
	for i, place := range []struct {
		territory, zone string
		credit          money.Amount
		centre          bool
	}{
		{"metropole", "Europe/Paris", credit, false},
		{"reunion", "Indian/Reunion", credit, false},
		{"metropole", "Europe/Paris", credit, true},
		{"polynesie", "Pacific/Tahiti", 300_00, false}, // is often refused
	} {
		o, err := s.sys.PutOutlet(s.ctx(), central.PutOutlet{Key: s.key(), Officer: s.officers[0], Outlet: party.Outlet{
			Number: i + 1, Territory: place.territory, Zone: place.zone, CreditLimit: min(place.credit, s.terms.CreditAlone), Centre: place.centre,
		}})
		s.check(err)
		if place.credit > o.CreditLimit {
			o.CreditLimit = place.credit
			s.raise(o)
		}
		terminal, _, err := s.sys.PutTerminal(s.ctx(), central.PutTerminal{Key: s.key(), Officer: s.officers[0], Outlet: o.ID})
		s.check(err)
		zone, err := o.Location()
		s.check(err)
		s.shops = append(s.shops, &shop{outlet: o, terminal: terminal.ID, zone: zone, account: newModelAccount(s.sys.Now())})
	}
	s.setMandate(s.shops[0])
	s.setMandate(s.shops[1])
	s.furnishInstant()
	s.tickAll()
}

// credit is the limit of the outlets that are not to be refused for it.
const credit = money.Amount(100_000_000_00)

// raise has two officers raise the credit limit of an outlet to what it says.
func (s *simulation) raise(o party.Outlet) {
	_, err := s.sys.PutOutlet(s.ctx(), central.PutOutlet{Key: s.key(), Officer: s.officers[0], Outlet: o})
	s.agree("so much credit by one officer", err, party.ErrCreditAlone)
	p, err := s.sys.Propose(s.ctx(), central.Propose{Key: s.key(), Officer: s.officers[0], Change: central.Change{
		Act: central.ActRaiseLimit, Outlet: o.ID, Amount: o.CreditLimit, Reason: "simulated",
	}})
	s.check(err)
	_, err = s.sys.Approve(s.ctx(), central.Decide{Key: s.key(), Officer: s.officers[1], Proposal: p.ID})
	s.check(err)
}

// step does an operation, or several at once that do not depend on each other's order. It returns how many.
func (s *simulation) step() int {
	s.now = s.sys.Now()
	switch n := s.IntN(1000); {
	case n < 70:
		s.change()
	case n < 73:
		s.restart()
		s.afterRestart()
	case n < 130:
		s.accountAct()
	case n < 335:
		s.pass()
	case n < 505:
		s.alone(s.capped())
	case n < 610:
		s.alone(s.playerAct())
	default:
		return s.together(1 + s.IntN(40))
	}
	return 1
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
	switch s.IntN(40) {
	case 0: // nobody comes for days: weeks of outlets end
		ahead = time.Duration(s.Int64N(int64(6 * 24 * time.Hour)))
	case 1, 2, 3, 4:
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
	s.done["statement"] += s.stateAll(s.shops)
	s.compareStatements()
	s.compareBlocks()
	s.tendAll()
	s.forget()
}

// ticketsMax is how many tickets are kept: players forget the older ones.
const ticketsMax = 10_000

// forget forgets old tickets, and proposals on draws that are long over.
func (s *simulation) forget() {
	if n := len(s.tickets); n > 2*ticketsMax {
		s.tickets = slices.Clone(s.tickets[n-ticketsMax:])
	}
	maps.DeleteFunc(s.proposals, func(_ uint64, p *proposal) bool {
		return p.change.Act != central.ActPayTicket && slices.ContainsFunc(p.change.Draws, func(id draw.ID) bool { return !slices.Contains(s.live, s.draws[id]) })
	})
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
	s.compareOutlets()
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
	s.compareInstant()
}

// compareJackpot compares what is said of the next jackpot.
func (s *simulation) compareJackpot(g *modelGame) {
	if g.Jackpot == nil {
		return
	}
	st, err := s.sys.Status(g.Code)
	s.check(err)
	s.now = s.sys.Now()
	if want, known := s.nextJackpot(g); st.JackpotKnown != known || st.Jackpot != want {
		s.Errorf("%s: the next jackpot of %s is %s, known %v, the model says %s, %v", s.now, g.Code, st.Jackpot, st.JackpotKnown, want, known)
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
	s.Logf("%d tickets, %d draws, until %s", s.placed, s.lastDraw, s.now)
}
