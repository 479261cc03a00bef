package central

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"tirage/draw"
	"tirage/game"
	"tirage/instant"
	"tirage/journal"
	"tirage/ledger"
	"tirage/money"
	"tirage/rng"
	"tirage/settle"
	"tirage/store"
)

// auditor recomputes what the system draws, settles and funds, from the sales
// of the journal and the key of the games. It is told of each record before the
// memory applies it.
type auditor struct {
	key       []byte // of the games
	keys      Keys
	beacon    *rng.Beacon
	reader    secretReader
	pools     map[instant.PoolID]*auditedPool // not closed
	committed map[[32]byte]bool               // secrets of pools
	stops     game.Code                       // that the guard must stop now
	m         *memory
	games     map[draw.ID]game.Code
	closes    map[draw.ID][]byte       // close records of draws not settled
	parts     map[draw.ID][]store.Part // of draws not settled
	cancelled map[uint64]bool
	reserves  map[game.Code]money.Amount
	approvals approvals
	money     moneyFacts
	tickets   ticketAudit
	accounts  accountFacts
	givenUp   map[uint64]string // terminals that gave a command up, by record
}

func newAuditor(keys Keys, beacon *rng.Beacon, reader secretReader, m *memory) *auditor {
	return &auditor{
		key: keys.Games[:], keys: keys, beacon: beacon, reader: reader, pools: map[instant.PoolID]*auditedPool{}, committed: map[[32]byte]bool{},
		m: m, games: map[draw.ID]game.Code{}, closes: map[draw.ID][]byte{}, parts: map[draw.ID][]store.Part{},
		cancelled: map[uint64]bool{}, reserves: map[game.Code]money.Amount{},
		approvals: approvals{proposals: map[uint64]*journal.Proposal{}, logins: map[uint64][]byte{}, made: map[journal.Party]uint64{}},
		money:     newMoneyFacts(),
		tickets:   newTicketAudit(),
		accounts:  newAccountFacts(),
		givenUp:   map[uint64]string{},
	}
}

// see takes in a record, and tells whether it is what the system must have written.
func (a *auditor) see(index uint64, rec journal.Record, in implied) error {
	if err := a.overdrawn(index, in); err != nil {
		return err
	}
	if err := a.seeChange(index, rec); err != nil {
		return err
	}
	if err := errors.Join(a.seeInstant(index, rec), a.seePlayer(index, rec), a.seeTicket(index, rec), a.seeAccount(index, rec)); err != nil {
		return err
	}
	switch b := rec.Body.(type) {
	case *journal.Act:
		return a.seeAct(index, b)
	case *journal.Plan:
		for _, d := range in.draws {
			a.games[d.ID] = d.Game
		}
	case *journal.Sale:
		for _, p := range in.parts {
			id := draw.ID(p.Draw)
			a.parts[id] = append(a.parts[id], p)
		}
		return a.sale(index, b, in.parts)
	case *journal.Cancellation:
		a.cancelled[b.Ticket] = true
	case *journal.Close:
		record, err := journal.Encode(rec)
		if err != nil {
			return err
		}
		a.closes[draw.ID(b.Draw)] = record
	case *journal.Result:
		return a.compare(index, rec, a.result(draw.ID(b.Draw)))
	case *journal.Settlement:
		return a.settlement(index, rec, b)
	case *journal.Expiry:
		code := a.games[draw.ID(b.LastDraw)]
		a.reserves[code] = a.reserves[code].Add(b.Prizes).Add(b.Back)
	}
	return nil
}

// sale tells whether a sale has its price, the prize tables of its territory and
// draws, what the jackpot was, and letters of boards only where a slip has several.
func (a *auditor) sale(index uint64, b *journal.Sale, parts []store.Part) error {
	r := a.m.books[b.Rules]
	draws := make([]draw.Draw, len(b.Draws))
	for i, id := range b.Draws {
		draws[i] = a.m.draws[draw.ID(id)].Draw
	}
	price := r.UnitStake.Times(int64(b.Units)).Times(int64(len(parts)))
	tables := tablesOf(r, draws, a.m.outlets[b.Outlet.String()].Territory)
	jackpot := a.m.ticketJackpot(r, draws)
	if b.Price != price || !slices.Equal(b.Tables, tables) || b.Jackpot != jackpot {
		return fmt.Errorf("%w: record %d sells for %s by the prize tables %v with a jackpot of %s, it must be %s, %v and %s",
			ErrJournal, index, b.Price, b.Tables, b.Jackpot, price, tables, jackpot)
	}
	if !a.ofOutlet(b.Terminal, b.Outlet) {
		return fmt.Errorf("%w: record %d is a sale at a terminal that is withdrawn, or not of its outlet", ErrJournal, index)
	}
	if b.Letters != nil && r.BoardsMax == 1 {
		return fmt.Errorf("%w: record %d gives letters to the boards of a game that has one a slip", ErrJournal, index)
	}
	return nil
}

func (a *auditor) seed(id draw.ID) [32]byte { return draw.Seed(a.key, id, a.closes[id]) }

func (a *auditor) result(id draw.ID) journal.Body { return resultBody(a.m.draws[id], a.seed(id)) }

// settlement settles a draw again.
func (a *auditor) settlement(index uint64, rec journal.Record, b *journal.Settlement) error {
	id := draw.ID(b.Draw)
	d := a.m.draws[id]
	if before := a.m.waits(d); before != nil {
		return fmt.Errorf("%w: record %d settles draw %d before draw %d", ErrJournal, index, id, before.ID)
	}
	counter, err := settle.NewCounter(d.rules, d.result, d.times)
	if err != nil {
		return err
	}
	for _, p := range a.parts[id] {
		if !a.cancelled[p.Ticket] {
			counter.Add(partOf(p))
		}
	}
	again := counter.Settlement(a.m.pots[d.Game], draw.RollDown(d.rules, a.seed(id)))
	delete(a.parts, id)
	delete(a.closes, id)
	if j := again.Jackpot; j != nil {
		moved := movementOf(d.rules, jackpotBody(j))
		a.reserves[d.Game] = a.reserves[d.Game].Add(moved.Rest)
		if !moved.ByOperator {
			a.reserves[d.Game] = a.reserves[d.Game].Sub(moved.TopUp)
		}
	}
	return a.compare(index, rec, settlementBody(id, again))
}

// compare compares a record with what it must say.
func (a *auditor) compare(index uint64, rec journal.Record, must journal.Body) error {
	got, err := journal.Encode(rec)
	if err != nil {
		return err
	}
	want, err := journal.Encode(journal.Record{At: rec.At, Body: must})
	if err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("%w: record %d says %+v, from the sales and the keys follows %+v", ErrJournal, index, rec.Body, must)
	}
	return nil
}

// checkFunds compares the accounts of jackpots and reserves with what the settlements and expiries left in them.
func (a *auditor) checkFunds(sums map[string]money.Amount) error {
	for code := range a.m.versions {
		want := map[ledger.Account]money.Amount{
			ledger.Jackpot(string(code)): a.m.pots[code].Amount,
			ledger.Reserve(string(code)): a.reserves[code],
		}
		for account, amount := range want {
			if held := -sums[string(account)]; held != amount {
				return fmt.Errorf("%w: account %s holds %s, its game's draws left %s in it", ErrJournal, account, held, amount)
			}
		}
	}
	return nil
}
