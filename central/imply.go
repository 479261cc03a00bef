package central

import (
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"tirage/draw"
	"tirage/game"
	"tirage/journal"
	"tirage/ledger"
	"tirage/money"
	"tirage/party"
	"tirage/settle"
	"tirage/store"
)

// implied is what one record implies beyond its rows.
type implied struct {
	rules *game.Rules
	draws []draw.Draw
	parts []store.Part // of a sale or cancellation
	entry ledger.Entry
}

// imply appends to rows the rows that a record implies, and returns what the
// memory needs of it. It is the one place that says how tables follow from the
// journal: turns write by it, other nodes catch up by it, and CheckBooks
// recomputes the tables by it. The record is one of ours, so it is well-formed.
// known are the combinations of a sale, where they need not be ranked again.
func (m *memory) imply(rows *store.Rows, index uint64, rec journal.Record, known []game.Combination) implied {
	var in implied
	switch b := rec.Body.(type) {
	case *journal.Key, *journal.Act, *journal.Erasure:
	case *journal.Proposal:
		rows.Proposals = append(rows.Proposals, store.Proposal{Record: index})
	case *journal.Decision:
		rows.Decisions = append(rows.Decisions, store.Decision{Proposal: b.Proposal, Record: index, Approved: b.Approved})
	case *journal.Move:
		implyMove(rows, index, rec.At, b)
	case *journal.CancelDraw:
		rows.Steps = append(rows.Steps, stepRow(draw.ID(b.Draw), draw.Cancelled, rec.At, index))
	case *journal.Refund:
		in.entry = implyRefund(rows, index, b)
	case *journal.Extension:
		rows.Extensions = append(rows.Extensions, store.Extension{Record: index, Game: b.Game, From: b.From, To: b.To, Until: b.Until})
	case *journal.Expiry:
		in.entry = m.implyExpiry(rows, index, b)
	case *journal.Officer, *journal.Outlet, *journal.Terminal:
		implyParty(rows, index, rec.At, b)
	case *journal.Rules:
		in.rules = implyRules(rows, index, b)
	case *journal.Plan:
		in.draws = drawsOf(b)
		for _, d := range in.draws {
			rows.Draws = append(rows.Draws, drawRow(d, index))
			rows.Steps = append(rows.Steps, stepRow(d.ID, draw.Planned, rec.At, index))
		}
	case *journal.Sale:
		in.entry = m.implySale(rows, &in, index, b, known)
	case *journal.Cancellation:
		in.entry = m.implyCancellation(rows, &in, index, rec.At, b)
	case *journal.Open:
		for _, id := range b.Draws {
			rows.Steps = append(rows.Steps, stepRow(draw.ID(id), draw.Selling, rec.At, index))
		}
	case *journal.Close:
		rows.Steps = append(rows.Steps, stepRow(draw.ID(b.Draw), draw.Closed, rec.At, index))
		rows.Closes = append(rows.Closes, store.Close{
			Draw: int64(b.Draw), Wagers: int64(b.Wagers), Parts: int64(b.Parts), Stakes: b.Stakes,
			Cancelled: int64(b.Cancelled), Root: b.Root[:],
		})
	case *journal.Result:
		rows.Steps = append(rows.Steps, stepRow(draw.ID(b.Draw), draw.Drawn, rec.At, index))
		rows.Results = append(rows.Results, store.Result{Draw: int64(b.Draw), Elements: formatResult(resultOf(b.Sets)), Times: multiplierOf(b)})
	case *journal.Settlement:
		in.entry = m.implySettlement(rows, index, rec.At, b)
	case *journal.Certification:
		rows.Steps = append(rows.Steps, stepRow(draw.ID(b.Draw), draw.Certified, rec.At, index))
	case *journal.Payment:
		in.entry = implyPayment(rows, index, rec.At, b)
	case *journal.Stop, *journal.Reprint:
		implyTicket(rows, index, rec)
	case *journal.Tally, *journal.Statement, *journal.Debit, *journal.Notice, *journal.Retraction:
		in.entry = m.implyAccount(rows, index, rec)
	case *journal.Received:
		in.entry = ledger.Received(b.Outlet.String(), b.Amount)
	case *journal.Book:
		implyBook(rows, index, b)
	case *journal.Unit:
		in = m.implyInstant(rows, index, rec)
		implyChain(rows, index, b)
	case *journal.Secrets, *journal.Pool, *journal.OpenPool, *journal.ClosePool, *journal.Launch, *journal.Suspend:
		in = m.implyInstant(rows, index, rec)
	default:
		in = m.implyPlayer(rows, index, rec)
	}
	for n, p := range in.entry {
		rows.Postings = append(rows.Postings, store.Posting{Entry: index, N: n, Account: string(p.Account), Amount: p.Amount})
	}
	return in
}

func implyRules(rows *store.Rows, index uint64, b *journal.Rules) *game.Rules {
	r, err := game.Parse(b.Game+".yaml", b.Book)
	assert(err == nil, "journalled rule book does not load")
	rows.Rules = append(rows.Rules, store.Rules{Hash: b.Hash[:], Game: b.Game, Version: b.Version, FirstDay: b.FirstDay, Record: index, Book: b.Book})
	return r
}

// implyParty is imply for those who act.
func implyParty(rows *store.Rows, index uint64, at int64, body journal.Body) {
	switch b := body.(type) {
	case *journal.Officer:
		rows.Officers = append(rows.Officers, store.Officer{Record: index, ID: b.ID.String(), Roles: strings.Join(b.Roles, " ")})
	case *journal.Outlet:
		rows.Outlets = append(rows.Outlets, store.Outlet{
			Record: index, ID: b.ID.String(), Number: int(b.Number), Territory: b.Territory, Zone: b.Zone,
			CreditLimit: b.CreditLimit, Blocked: b.Blocked, Centre: b.Centre, Cause: b.Cause, At: at,
		})
	case *journal.Terminal:
		rows.Terminals = append(rows.Terminals, store.Terminal{Record: index, ID: b.ID.String(), Outlet: b.Outlet.String(), Renewed: int(b.Renewed), Withdrawn: b.Withdrawn})
	}
}

func (m *memory) implySale(rows *store.Rows, in *implied, index uint64, b *journal.Sale, known []game.Combination) ledger.Entry {
	r := m.books[b.Rules]
	last := int64(b.Draws[len(b.Draws)-1])
	first := len(rows.Parts)
	if known == nil {
		known = combinationsOf(r, b.Plays)
	}
	rows.Parts = appendParts(rows.Parts, index, known, int64(b.Units), b.Draws, b.Tables)
	in.parts = rows.Parts[first:]
	outlet := b.Outlet.String()
	rows.Tickets = append(rows.Tickets, store.Ticket{Number: index, Outlet: outlet, LastDraw: last, Price: b.Price})
	return ledger.Sale(outlet, drawNumbers(b.Draws), stakesOf(r, b.Units, len(known), len(b.Draws)))
}

func (m *memory) implyCancellation(rows *store.Rows, in *implied, index uint64, at int64, b *journal.Cancellation) ledger.Entry {
	r := m.books[b.Rules]
	combinations := combinationsOf(r, b.Plays)
	in.parts = appendParts(nil, b.Ticket, combinations, int64(b.Units), b.Draws, nil)
	rows.Cancellations = append(rows.Cancellations, store.Cancellation{Ticket: b.Ticket, At: at, Record: index})
	return ledger.Cancellation(b.Outlet.String(), drawNumbers(b.Draws), stakesOf(r, b.Units, len(combinations), len(b.Draws)))
}

// stakesOf is what a ticket puts on each of its draws.
func stakesOf(r *game.Rules, units uint64, combinations, draws int) []money.Amount {
	stakes := make([]money.Amount, draws)
	for i := range stakes {
		stakes[i] = r.UnitStake.Times(int64(units) * int64(combinations))
	}
	return stakes
}

func drawNumbers(ids []uint64) []int64 {
	numbers := make([]int64, len(ids))
	for i, id := range ids {
		numbers[i] = int64(id)
	}
	return numbers
}

// appendParts lists the parts of a ticket, draw by draw.
func appendParts(parts []store.Part, ticket uint64, plays []game.Combination, units int64, draws, tables []uint64) []store.Part {
	last := int64(draws[len(draws)-1])
	for i, id := range draws {
		table := 0
		if len(tables) > 0 {
			table = int(tables[i])
		}
		for n, c := range plays {
			parts = append(parts, store.Part{
				Draw: int64(id), Ticket: ticket, N: n, Combination: int64(c), Units: units, Table: table, LastDraw: last,
			})
		}
	}
	return parts
}

// combinationsOf ranks the plays of a record.
func combinationsOf(r *game.Rules, plays []journal.Play) []game.Combination {
	var combinations []game.Combination
	for _, p := range plays {
		c, err := r.Expand(picksOf(p.Picks))
		assert(err == nil, "journalled combination is not one")
		combinations = append(combinations, c...)
	}
	return combinations
}

func (m *memory) implySettlement(rows *store.Rows, index uint64, at int64, b *journal.Settlement) ledger.Entry {
	rows.Steps = append(rows.Steps, stepRow(draw.ID(b.Draw), draw.Settled, at, index))
	for _, s := range b.Shares {
		rows.Shares = append(rows.Shares, store.Share{
			Draw: int64(b.Draw), Table: int(s.Table), Tier: int(s.Tier),
			Winners: int64(s.Winners), Units: int64(s.Units), UnitValue: s.UnitValue, Total: s.Total,
		})
	}
	prizes := make(map[int64]money.Amount, len(b.Prizes))
	for _, line := range b.Prizes {
		prizes[int64(line.LastDraw)] = line.Prizes
	}
	d := m.draws[draw.ID(b.Draw)]
	var moved ledger.Movement
	if b.Jackpot != nil {
		moved = movementOf(d.rules, b.Jackpot)
		rows.Jackpots = append(rows.Jackpots, jackpotRow(d.ID, d.Game, index, b.Jackpot))
	}
	return ledger.Settlement(int64(b.Draw), string(d.Game), b.Stakes, prizes, moved)
}

func implyPayment(rows *store.Rows, index uint64, at int64, b *journal.Payment) ledger.Entry {
	pay := func(draws []journal.PaymentDraw) (total money.Amount) {
		for _, p := range draws {
			total = total.Add(p.Amount)
			rows.Payments = append(rows.Payments, store.Payment{
				Ticket: b.Ticket, Draw: int64(p.Draw), At: at, Outlet: b.Outlet.String(), Amount: p.Amount, Record: index,
			})
		}
		return total
	}
	return ledger.Payment(b.Outlet.String(), int64(b.LastDraw), pay(b.Draws), pay(b.Back))
}

// The rest translates between the plain fields of records and rows, and the domain.

func drawsOf(b *journal.Plan) []draw.Draw {
	draws := make([]draw.Draw, len(b.Draws))
	for i, d := range b.Draws {
		draws[i] = draw.Draw{
			ID: draw.ID(d.ID), Game: game.Code(b.Game), Rules: b.Rules, Day: game.Day(b.Day), Number: int(d.Number),
			Session: int(b.Session), OpensAt: utc(b.OpensAt), ClosesAt: utc(d.ClosesAt), DrawsAt: utc(d.DrawsAt),
		}
	}
	return draws
}

func drawRow(d draw.Draw, record uint64) store.Draw {
	return store.Draw{
		ID: int64(d.ID), Game: string(d.Game), Rules: d.Rules[:], Day: int32(d.Day), Number: d.Number, Session: d.Session,
		OpensAt: d.OpensAt.UnixMicro(), ClosesAt: d.ClosesAt.UnixMicro(), DrawsAt: d.DrawsAt.UnixMicro(), Record: record,
	}
}

func drawOfRow(d store.Draw) draw.Draw {
	return draw.Draw{
		ID: draw.ID(d.ID), Game: game.Code(d.Game), Rules: game.Hash(d.Rules), Day: game.Day(d.Day), Number: d.Number,
		Session: d.Session, OpensAt: utc(d.OpensAt), ClosesAt: utc(d.ClosesAt), DrawsAt: utc(d.DrawsAt),
	}
}

func stepRow(id draw.ID, state draw.State, at int64, record uint64) store.Step {
	return store.Step{Draw: int64(id), State: state.String(), At: at, Record: record}
}

func outletOf(b *journal.Outlet) party.Outlet {
	return party.Outlet{
		ID: b.ID.String(), Number: int(b.Number), Territory: b.Territory, Zone: b.Zone, CreditLimit: b.CreditLimit, Blocked: b.Blocked,
		Centre: b.Centre, Cause: b.Cause,
	}
}

// settlementOf leaves the prizes by last draw to the ledger, as the tables do.
func settlementOf(b *journal.Settlement) *settle.Settlement {
	s := &settle.Settlement{Parts: int64(b.Parts), Stakes: b.Stakes, Shares: make([]settle.Share, len(b.Shares))}
	for i, x := range b.Shares {
		s.Shares[i] = settle.Share{
			Table: int(x.Table), Tier: int(x.Tier), Winners: int64(x.Winners), Units: int64(x.Units), UnitValue: x.UnitValue, Total: x.Total,
		}
	}
	if b.Jackpot != nil {
		j, err := jackpotOfRow(jackpotRow(draw.ID(b.Draw), "", 0, b.Jackpot))
		assert(err == nil, "journalled jackpot does not read")
		s.Jackpot = j
	}
	return s
}

func settlementBody(id draw.ID, s settle.Settlement) *journal.Settlement {
	b := &journal.Settlement{
		Draw: uint64(id), Parts: uint64(s.Parts), Stakes: s.Stakes, Shares: make([]journal.Share, len(s.Shares)), Jackpot: jackpotBody(s.Jackpot),
	}
	for i, x := range s.Shares {
		b.Shares[i] = journal.Share{
			Table: uint64(x.Table), Tier: uint64(x.Tier), Winners: uint64(x.Winners), Units: uint64(x.Units), UnitValue: x.UnitValue, Total: x.Total,
		}
	}
	for _, last := range slices.Sorted(maps.Keys(s.Prizes)) {
		b.Prizes = append(b.Prizes, journal.PrizeLine{LastDraw: uint64(last), Prizes: s.Prizes[last]})
	}
	return b
}

func shareOfRow(x store.Share) settle.Share {
	return settle.Share{Table: x.Table, Tier: x.Tier, Winners: x.Winners, Units: x.Units, UnitValue: x.UnitValue, Total: x.Total}
}

func picksOf(sets [][]uint16) game.Picks {
	p := make(game.Picks, len(sets))
	for i, set := range sets {
		p[i] = make([]int, len(set))
		for j, e := range set {
			p[i][j] = int(e)
		}
	}
	return p
}

func setsOf[P ~[][]int](p P) [][]uint16 {
	sets := make([][]uint16, len(p))
	for i, set := range p {
		sets[i] = make([]uint16, len(set))
		for j, e := range set {
			sets[i][j] = uint16(e)
		}
	}
	return sets
}

func resultOf(sets [][]uint16) game.Result { return game.Result(picksOf(sets)) }

// formatResult writes a result as the result table has it: "3,17,9/2".
func formatResult(r game.Result) string {
	var b strings.Builder
	for i, set := range r {
		if i > 0 {
			b.WriteByte('/')
		}
		for j, e := range set {
			if j > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strconv.Itoa(e))
		}
	}
	return b.String()
}

func parseResult(s string) (game.Result, error) {
	var r game.Result
	for set := range strings.SplitSeq(s, "/") {
		var elements []int
		for e := range strings.SplitSeq(set, ",") {
			n, err := strconv.Atoi(e)
			if err != nil {
				return nil, fmt.Errorf("result %q: %w", s, err)
			}
			elements = append(elements, n)
		}
		r = append(r, elements)
	}
	return r, nil
}

func utc(micro int64) time.Time { return time.UnixMicro(micro).UTC() }

// partyID reads an id of ours back from hex.
func partyID(id string) (journal.Party, error) {
	var p journal.Party
	if len(id) != hex.EncodedLen(len(p)) { // first: hex.Decode writes as much as it is given
		return p, fmt.Errorf("party id %.20q is not 16 hexadecimal digits", id)
	}
	if _, err := hex.Decode(p[:], []byte(id)); err != nil {
		return p, fmt.Errorf("party id %.20q is not 16 hexadecimal digits", id)
	}
	return p, nil
}

func newParty() journal.Party {
	var p journal.Party
	random(p[:])
	return p
}
