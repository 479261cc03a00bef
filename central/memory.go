package central

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"tirage/draw"
	"tirage/game"
	"tirage/journal"
	"tirage/ledger"
	"tirage/money"
	"tirage/party"
	"tirage/settle"
	"tirage/store"
	"tirage/wager"
)

// memory is what the journal says, up to size, as far as decisions need it.
// It is a fold: apply takes it from one record to the next, whoever wrote the
// record. System.mu guards it: only the writer loop changes it.
type memory struct {
	size     uint64
	at       int64
	frontier journal.Frontier
	tiler    *journal.Tiler

	books     map[game.Hash]*game.Rules
	versions  map[game.Code][]*game.Rules // ascending FirstDay; of equal days the last published holds
	outlets   map[string]party.Outlet
	numbers   map[int]string // ids of outlets
	terminals map[string]party.Terminal
	officers  map[string]party.Officer
	terms     []*party.Terms // ascending FirstDay; of equal days the last published holds
	keys      []*journal.Key

	draws    map[draw.ID]*drawState     // of the last days
	byGame   map[game.Code][]*drawState // ascending DrawsAt
	planned  map[plannedDay]bool
	lastDraw draw.ID
	zones    map[string]*time.Location // of outlets, as the writer loop has loaded them
	open     map[game.Code][]draw.Draw // what selling found since a draw moved
	balances map[ledger.Account]money.Amount
	pots     map[game.Code]settle.Pot // what the next settlement of a game with a jackpot begins with

	tallies    tallies
	notices    []notice
	instants   instants
	players    players
	providers  map[string]bool // of card payments, that ever owed anything
	claims     claims
	extensions []settle.Extension // of claims, in the order decided

	// Where this node alone writes, a key beyond all that were committed is new
	// without a look: beyond lastKey of its scope since the start, and beyond
	// firstKey, the greatest of all at the start. Our clients make keys in order
	// of time; the keys that lay beyond that time at the start are oddKeys.
	sole     bool
	firstKey string
	oddKeys  map[store.CommandKey]bool
	lastKey  map[string]string
}

// fresh tells that no such command was committed; it may be false for one that is new.
func (m *memory) fresh(k store.CommandKey) bool {
	return m.sole && k.Key > m.firstKey && k.Key > m.lastKey[k.Scope] && !m.oddKeys[k]
}

type plannedDay struct {
	game game.Code
	day  game.Day
}

// drawState is a draw and all that its sales need to know of it.
type drawState struct {
	draw.Draw
	rules *game.Rules
	state draw.State

	wagers, parts, cancelled int64
	stakes                   money.Amount
	exposure                 *wager.Exposure
	frontier                 journal.Frontier // over the leaf hashes of its sales and cancellations

	closeRecord uint64
	cancelledAt time.Time
	refunded    bool // of a cancelled draw: its stakes are booked as money to give back
	result      game.Result
	times       int // the multiplier, 1 in games without; once drawn
	settlement  *settle.Settlement
	pace        *pace // of its sales, until it closes; nil before the first
}

func newMemory() *memory {
	tiler, err := journal.NewTiler(0, nil)
	assert(err == nil, "empty tiler")
	return &memory{
		tiler:     tiler,
		books:     map[game.Hash]*game.Rules{},
		versions:  map[game.Code][]*game.Rules{},
		outlets:   map[string]party.Outlet{},
		numbers:   map[int]string{},
		terminals: map[string]party.Terminal{},
		officers:  map[string]party.Officer{},
		draws:     map[draw.ID]*drawState{},
		byGame:    map[game.Code][]*drawState{},
		planned:   map[plannedDay]bool{},
		zones:     map[string]*time.Location{},
		open:      map[game.Code][]draw.Draw{},
		balances:  map[ledger.Account]money.Amount{},
		pots:      map[game.Code]settle.Pot{},
		claims:    newClaims(),
		tallies:   newTallies(),
		instants:  newInstants(),
		players:   players{byID: map[string]*playerState{}},
		providers: map[string]bool{},
		lastKey:   map[string]string{},
		oddKeys:   map[store.CommandKey]bool{},
	}
}

// rulesOn returns the version of a game in force on a draw day.
func (m *memory) rulesOn(code game.Code, day game.Day) (*game.Rules, error) {
	versions := m.versions[code]
	for _, version := range slices.Backward(versions) {
		if version.FirstDay <= day {
			return version, nil
		}
	}
	return nil, fmt.Errorf("%w: %.40q", ErrUnknownGame, code)
}

func (m *memory) addRules(r *game.Rules) {
	m.books[r.Hash] = r
	m.versions[r.Code] = append(m.versions[r.Code], r)
	slices.SortStableFunc(m.versions[r.Code], func(a, b *game.Rules) int { return cmp.Compare(a.FirstDay, b.FirstDay) })
}

func (m *memory) addDraw(d draw.Draw, state draw.State) *drawState {
	r := m.books[d.Rules]
	assert(r != nil, "draw of an unknown rule book")
	s := &drawState{Draw: d, rules: r, state: state, exposure: wager.NewExposure(r)}
	m.draws[d.ID] = s
	list := m.byGame[d.Game]
	i, _ := slices.BinarySearchFunc(list, s, byTime)
	m.byGame[d.Game] = slices.Insert(list, i, s)
	m.planned[plannedDay{d.Game, d.Day}] = true
	m.lastDraw = max(m.lastDraw, d.ID)
	return s
}

func byTime(a, b *drawState) int {
	return cmp.Or(a.DrawsAt.Compare(b.DrawsAt), cmp.Compare(a.ID, b.ID))
}

// from returns the draws of a game that are drawn at an instant or later,
// soonest first: past draws are many, and every sale asks for those to come.
func (m *memory) from(code game.Code, at time.Time) []*drawState {
	draws := m.byGame[code]
	i, _ := slices.BinarySearchFunc(draws, at, func(d *drawState, at time.Time) int { return d.DrawsAt.Compare(at) })
	return draws[i:]
}

// selling returns the draws of a game whose sales are open, soonest first. Only the writer loop calls it.
func (m *memory) selling(code game.Code) []draw.Draw {
	open, ok := m.open[code]
	if ok {
		return open
	}
	for _, d := range m.byGame[code] {
		if d.state == draw.Selling {
			open = append(open, d.Draw)
		}
	}
	m.open[code] = open
	return open
}

// forget drops draws that are over and older than keepDays: what a ticket of
// then asks is read from the tables. The draws of a game and draw day stay as
// long as one of them is not over, since they have tickets in common.
func (m *memory) forget(today game.Day) {
	for code, list := range m.byGame {
		unfinished := map[game.Day]bool{}
		for _, d := range list {
			unfinished[d.Day] = unfinished[d.Day] || !d.over()
		}
		m.byGame[code] = slices.DeleteFunc(list, func(d *drawState) bool {
			old := game.DayOf(d.DrawsAt, d.rules.Calendar.Zone) < today-keepDays && !unfinished[d.Day]
			if old {
				delete(m.draws, d.ID)
				delete(m.planned, plannedDay{d.Game, d.Day})
			}
			return old
		})
	}
}

// zone returns the zone of an outlet. Only the writer loop calls it.
func (m *memory) zone(o party.Outlet) (*time.Location, error) {
	if zone := m.zones[o.Zone]; zone != nil {
		return zone, nil
	}
	zone, err := o.Location()
	if err == nil {
		m.zones[o.Zone] = zone
	}
	return zone, err
}

// keepDays is how many days before the present one a certified draw stays
// in memory: the screens show the last results over any pause between sessions.
const keepDays = 10

// apply takes the memory over record index, whose leaf hash is leaf.
func (m *memory) apply(index uint64, rec journal.Record, leaf journal.Hash, in implied) {
	m.fold(index, rec, leaf, in)
	m.frontier.Append(leaf)
	m.tiler.Append(leaf)
}

// fold is apply without the Merkle tree, which a turn of this node has grown already.
func (m *memory) fold(index uint64, rec journal.Record, leaf journal.Hash, in implied) {
	assert(index == m.size, "records apply in order")
	switch b := rec.Body.(type) {
	case *journal.Key:
		m.keys = append(m.keys, b)
	case *journal.Officer, *journal.Outlet, *journal.Terminal:
		m.foldParty(b)
	case *journal.Rules:
		m.addRules(in.rules)
	case *journal.Plan:
		// A plan may look far ahead, so the present day counts too.
		m.forget(min(game.Day(b.Day), game.DayOf(utc(rec.At), m.books[b.Rules].Calendar.Zone)))
		for _, d := range in.draws {
			m.addDraw(d, draw.Planned)
		}
	case *journal.Sale:
		m.sell(leaf, in.parts, 1)
		m.note(rec.At, b.Terminal, in.parts)
	case *journal.Cancellation:
		m.sell(leaf, in.parts, -1)
	case *journal.Open:
		for _, id := range b.Draws {
			m.step(draw.ID(id), draw.Selling)
		}
	case *journal.Close:
		d := m.step(draw.ID(b.Draw), draw.Closed)
		d.closeRecord = index
		d.exposure, d.pace = nil, nil // nothing is sold any more
	case *journal.Result:
		d := m.step(draw.ID(b.Draw), draw.Drawn)
		d.result, d.times = resultOf(b.Sets), multiplierOf(b)
	case *journal.Settlement:
		d := m.step(draw.ID(b.Draw), draw.Settled)
		if d.settlement = settlementOf(b); d.settlement.Jackpot != nil {
			m.pots[d.Game] = d.settlement.Jackpot.Pot()
		}
	case *journal.Certification:
		m.step(draw.ID(b.Draw), draw.Certified)
	case *journal.Move:
		m.move(b)
	case *journal.CancelDraw:
		m.cancelDraw(draw.ID(b.Draw), rec.At)
	case *journal.Refund:
		m.refunded(b)
	case *journal.Extension:
		m.extend(b)
	case *journal.Notice:
		m.foldNotice(index, rec.At, b)
	case *journal.Retraction:
		m.notices = slices.DeleteFunc(m.notices, func(n notice) bool { return n.record == b.Notice })
	case *journal.Payment, *journal.Stop, *journal.Reprint, *journal.Received, *journal.Tally, *journal.Statement, *journal.Debit,
		*journal.Act, *journal.Proposal, *journal.Decision, *journal.Expiry, *journal.Erasure:
	case *journal.Unit:
		m.foldInstant(index, rec)
		m.foldPlayer(index, rec)
	case *journal.Book:
		m.foldBook(index, rec, b)
	case *journal.Secrets, *journal.Pool, *journal.OpenPool, *journal.ClosePool, *journal.Launch, *journal.Suspend:
		m.foldInstant(index, rec)
	default:
		m.foldPlayer(index, rec)
	}
	m.foldTally(index, rec)
	for _, p := range in.entry {
		if m.balances[p.Account] = m.balances[p.Account].Add(p.Amount); m.balances[p.Account] == 0 {
			delete(m.balances, p.Account)
		}
	}
	m.claimed(rec.Body)
	m.size, m.at = index+1, rec.At
}

// foldBook is fold for a book that is not of a draw game.
func (m *memory) foldBook(index uint64, rec journal.Record, b *journal.Book) {
	switch b.Sort {
	case accountsSort:
		m.foldPlayer(index, rec)
	case termsSort:
		m.foldTerms(b)
	default:
		m.foldInstant(index, rec)
	}
}

// foldParty is fold for those who act.
func (m *memory) foldParty(body journal.Body) {
	switch b := body.(type) {
	case *journal.Officer:
		m.officers[b.ID.String()] = party.Officer{ID: b.ID.String(), Roles: b.Roles}
	case *journal.Outlet:
		m.putOutlet(outletOf(b))
	case *journal.Terminal:
		m.terminals[b.ID.String()] = terminalOf(b)
	}
}

// putOutlet takes an outlet in as it stands now.
func (m *memory) putOutlet(o party.Outlet) {
	if old, ok := m.outlets[o.ID]; ok && m.numbers[old.Number] == o.ID {
		delete(m.numbers, old.Number)
	}
	m.outlets[o.ID], m.numbers[o.Number] = o, o.ID
}

// step moves a draw to its next state.
func (m *memory) step(id draw.ID, next draw.State) *drawState {
	d := m.draws[id]
	assert(d != nil, "step of an unknown draw")
	assert(d.state.To(next) == nil, "journalled step out of order")
	d.state = next
	delete(m.open, d.Game)
	return d
}

// sell adds (sign 1) or takes back (−1) the parts of one ticket.
func (m *memory) sell(leaf journal.Hash, parts []store.Part, sign int) {
	var last *drawState
	for _, p := range parts {
		d := m.draws[draw.ID(p.Draw)]
		if d != last {
			d.frontier.Append(leaf)
			d.wagers += int64(sign)
			if sign < 0 {
				d.cancelled++
			}
			last = d
		}
		d.parts += int64(sign)
		d.stakes = d.stakes.Add(d.rules.UnitStake.Times(p.Units * int64(sign)))
		d.exposure.Add(game.Combination(p.Combination), sign*d.exposure.Weight(p.Units))
	}
}
