package central

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/fxamacker/cbor/v2"

	"tirage/draw"
	"tirage/game"
	"tirage/journal"
	"tirage/ledger"
	"tirage/money"
	"tirage/party"
	"tirage/rng"
	"tirage/store"
	"tirage/wager"
)

// Place is a sale asked for by a terminal.
type Place struct {
	Key      string // made by the terminal; the same key gives the same ticket
	Terminal string // party.Terminal.ID, already authenticated
	Slip     wager.Slip
}

// Place sells a wager (prise de jeu). It answers once the sale is durable; the
// same key and slip give the same ticket again.
//
// Refusals: those of [wager.New] and [wager.Cut], [wager.ErrCapped] (IAT-3),
// [party.ErrCredit], [party.ErrBlocked], [party.ErrUnknownTerminal], [party.ErrWithdrawn],
// [ErrUnknownGame], [ErrKey], [ErrKeyReused], [ErrGivenUp], [ErrClock].
func (s *System) Place(ctx context.Context, p Place) (wager.Ticket, error) {
	r, err := s.Rules(p.Slip.Game)
	if err != nil {
		return wager.Ticket{}, err
	}
	// All that the turn need not do is done here, by the caller.
	w, refusal := checkSlip(r, p.Slip)
	if s.clockOff() {
		refusal = ErrClock
	}
	key, err := terminalKey(p.Terminal, p.Key)
	if err != nil {
		return wager.Ticket{}, cmp.Or(refusal, err)
	}
	sale := placing{place: p, wager: w, refusal: refusal, key: key, content: content("place", p.Slip), command: commandHash(key)}
	if refusal == nil {
		sale.draw()
	}
	err = s.do(ctx, &job{key: key, decide: func(t *turn) error { return sale.decide(t) }})
	switch {
	case err != nil:
		return wager.Ticket{}, err
	case sale.again:
		t, err := s.ticket(ctx, wager.ID(sale.index))
		return t, err
	}
	sale.ticket.Secret = s.secret(sale.index, sale.leaf)
	return sale.ticket, nil
}

// checkSlip is [wager.New] of a slip that is sold: complete, where its terminal draws.
func checkSlip(r *game.Rules, slip wager.Slip) (wager.Wager, error) {
	w, err := wager.New(r, slip)
	if err == nil {
		err = w.CheckDrawn()
	}
	return w, err
}

// placing is a sale on its way through a turn.
type placing struct {
	place   Place
	wager   wager.Wager
	refusal error // unless the sale was made before, under other rules or while the clock was right
	key     store.CommandKey
	content [32]byte
	command journal.Command
	seed    rng.Seed     // of quick picks
	plays   []wager.Play // the first attempt of wager

	again  bool // the command was done before, as record index
	index  uint64
	leaf   journal.Hash
	ticket wager.Ticket
}

// draw makes the first attempt of the quick picks.
func (p *placing) draw() {
	if slices.ContainsFunc(p.place.Slip.Boards, func(b wager.Board) bool { return b.QuickPick }) {
		random(p.seed[:]) // also of a board that is complete: the rules of the draw that it enters may ask for more
	}
	p.plays = p.wager.Plays(p.seed, 0)
}

func (p *placing) decide(t *turn) error {
	var err error
	if p.index, p.again, err = t.done(p.key, p.content); err != nil || p.again {
		return err
	}
	if p.refusal != nil {
		return p.refusal
	}
	terminal, outlet, err := t.m.working(p.place.Terminal)
	switch {
	case err != nil:
		return err
	case outlet.Blocked:
		return party.ErrBlocked
	}
	w, draws, err := p.cut(t, outlet)
	if err != nil {
		return err
	}
	plays, draws, err := p.fit(t, w, draws)
	if err != nil {
		return err
	}
	price, letters := w.Price(len(draws)), w.Letters()
	account := ledger.Outlet(outlet.ID)
	if err := outlet.CheckCredit(t.balance(account), price); err != nil {
		return err
	}
	body := &journal.Sale{
		Command: p.command, Outlet: mustParty(outlet.ID), Terminal: mustParty(terminal.ID), Rules: w.Rules.Hash,
		Plays: playBodies(plays), Units: uint64(w.Units), Asked: uint64(w.Slip.Draws), Draws: drawIDs(draws),
		Tables: tablesOf(w.Rules, draws, outlet.Territory), Price: price, Jackpot: t.m.ticketJackpot(w.Rules, draws), Letters: saleLetters(letters),
	}
	combinations := wager.Combinations(plays)
	if p.index, err = t.append(body, combinations...); err != nil {
		return err
	}
	p.leaf = t.leaves[len(t.leaves)-1]
	t.expose(w.Rules, draws, combinations, w.Units, 1)
	t.keep(p.key, p.content, p.index)
	p.ticket = wager.Ticket{
		Number: wager.ID(p.index), PlacedAt: utc(t.at), Outlet: outlet.ID, Terminal: terminal.ID, Rules: w.Rules,
		Plays: plays, Stake: w.Slip.Stake, Units: w.Units, Asked: w.Slip.Draws, Draws: draws, Price: price,
		Jackpot: body.Jackpot, Tables: ticketTables(body.Tables), Letters: letters,
	}
	return nil
}

// tablesOf are the prize tables that hold for a wager sold in a territory, by
// draw: fixed with the sale, and none when all are the ordinary one.
func tablesOf(r *game.Rules, draws []draw.Draw, territory string) []uint64 {
	var tables []uint64
	for i, d := range draws {
		table := r.TableOf(d.Day, d.Number, territory)
		if table != 0 && tables == nil {
			tables = make([]uint64, len(draws))
		}
		if tables != nil {
			tables[i] = uint64(table)
		}
	}
	return tables
}

// ticketTables are the prize tables of a sale's record, as its ticket has them.
func ticketTables(tables []uint64) []int {
	var list []int
	for _, table := range tables {
		list = append(list, int(table))
	}
	return list
}

// saleLetters are the letters of boards, as the record of a sale has them.
func saleLetters(letters []int) (list []uint16) {
	for _, n := range letters {
		list = append(list, uint16(n))
	}
	return list
}

// ticketLetters are the letters of a sale's record, as its ticket has them.
func ticketLetters(letters []uint16) (list []int) {
	for _, n := range letters {
		list = append(list, int(n))
	}
	return list
}

// ticketJackpot is what a ticket says of the jackpot (AMI-4.2): what it is at
// least, in a single draw, once that is known; else nothing.
func (m *memory) ticketJackpot(r *game.Rules, draws []draw.Draw) money.Amount {
	if r.Jackpot == nil || len(draws) != 1 {
		return 0
	}
	amount, _ := m.jackpot(m.draws[draws[0].ID])
	return amount
}

// expose adds (sign 1) or takes back (−1) what a ticket counts towards the cap.
func (t *turn) expose(r *game.Rules, draws []draw.Draw, combinations []game.Combination, units int64, sign int) {
	if r.Cap.Max == 0 {
		return
	}
	for _, d := range draws {
		weight := t.m.draws[d.ID].exposure.Weight(units)
		for _, c := range combinations {
			t.exposure[cell{d.ID, c}] += sign * weight
		}
	}
}

// cut finds the draws that the wager enters, and checks it again should they
// be under another version of the rules than the one it was checked by.
func (p *placing) cut(t *turn, outlet party.Outlet) (wager.Wager, []draw.Draw, error) {
	w := p.wager
	draws, err := wager.Cut(w.Rules, t.m.selling(w.Rules.Code), utc(t.at), outlet.Territory, w.Slip.Draws)
	if err != nil {
		return w, nil, err
	}
	if draws[0].Rules == w.Rules.Hash {
		return w, draws, nil
	}
	if w, err = checkSlip(t.m.books[draws[0].Rules], p.place.Slip); err != nil {
		return w, nil, err
	}
	draws, err = wager.Cut(w.Rules, t.m.selling(w.Rules.Code), utc(t.at), outlet.Territory, w.Slip.Draws)
	return w, draws, err
}

// fit completes quick picks and finds room under the cap (IAT-3): when all was
// random, another combination is drawn, so often as the rules say.
func (p *placing) fit(t *turn, w wager.Wager, draws []draw.Draw) ([]wager.Play, []draw.Draw, error) {
	tries := 1
	if w.AllRandom() && w.Rules.Cap.QuickPick == game.RedrawQuickPick {
		tries = max(1, w.Rules.Cap.Tries)
	}
	var some []wager.Play // the first that has room in some of the draws, should none have it in all
	var someDraws []draw.Draw
	var refusal error
	for attempt := range tries {
		plays := p.plays
		if attempt > 0 || w.Rules != p.wager.Rules {
			plays = w.Plays(p.seed, attempt)
		}
		taken, err := t.room(w, plays, draws)
		switch {
		case err != nil:
			refusal = err
		case len(taken) == len(draws):
			return plays, taken, nil
		case some == nil:
			some, someDraws = plays, taken
		}
	}
	if some != nil {
		return some, someDraws, nil
	}
	return nil, nil, refusal
}

// room checks the cap for every play in every draw.
func (t *turn) room(w wager.Wager, plays []wager.Play, draws []draw.Draw) ([]draw.Draw, error) {
	if w.Rules.Cap.Max == 0 {
		return draws, nil
	}
	combinations := wager.Combinations(plays)
	var same []int // how often the slip has each before; boards may hold the same combination, one alone does not
	if len(plays) > 1 {
		same = repeats(combinations)
	}
	taken, err := wager.CheckCap(w.Rules, draws, t.counts(draws, combinations, same, w.Units), w.Units)
	switch {
	case err != nil && same != nil:
		if capped := new(wager.CappedError); errors.As(err, &capped) {
			capped.Stake = t.stakePossible(w.Rules, draws, combinations, same)
		}
		return nil, err
	case err != nil || len(taken) == len(draws):
		return draws, err
	}
	part := make([]draw.Draw, len(taken))
	for i, n := range taken {
		part[i] = draws[n]
	}
	return part, nil
}

// counts is, by draw, the most that is sold of one of the combinations, those
// of the slip before it included.
func (t *turn) counts(draws []draw.Draw, combinations []game.Combination, same []int, units int64) []int {
	counts := make([]int, len(draws))
	for i, d := range draws {
		state := t.m.draws[d.ID]
		for n, c := range combinations {
			count := t.exposed(state, c)
			if same != nil {
				count += same[n] * state.exposure.Weight(units)
			}
			counts[i] = max(counts[i], count)
		}
	}
	return counts
}

// stakePossible is the largest stake that has room in all draws for a slip that
// has combinations several times, 0 when none has.
func (t *turn) stakePossible(r *game.Rules, draws []draw.Draw, combinations []game.Combination, same []int) money.Amount {
	for _, stake := range slices.Backward(r.Stakes) {
		units := int64(stake / r.UnitStake)
		if taken, err := wager.CheckCap(r, draws, t.counts(draws, combinations, same, units), units); err == nil && len(taken) == len(draws) {
			return stake
		}
	}
	return 0
}

// repeats counts, for each combination, the same ones before it.
func repeats(combinations []game.Combination) []int {
	seen := make(map[game.Combination]int, len(combinations))
	same := make([]int, len(combinations))
	for i, c := range combinations {
		same[i] = seen[c]
		seen[c]++
	}
	return same
}

func playBodies(plays []wager.Play) []journal.Play {
	bodies := make([]journal.Play, len(plays))
	for i, p := range plays {
		bodies[i].Picks = setsOf(p.Picks)
		if len(p.Random) > 0 {
			bodies[i].Random = setsOf(p.Random)
		}
	}
	return bodies
}

func drawIDs(draws []draw.Draw) []uint64 {
	ids := make([]uint64, len(draws))
	for i, d := range draws {
		ids[i] = uint64(d.ID)
	}
	return ids
}

func mustParty(id string) journal.Party {
	p, err := partyID(id)
	assert(err == nil, "party id of ours is not one")
	return p
}

// secret is the secret of a ticket: it depends on the sale's leaf, so an index
// that is given out again after a restore is another ticket.
func (s *System) secret(number uint64, leaf journal.Hash) [8]byte {
	mac := s.keys.mac(s.keys.Tickets, binary.BigEndian.AppendUint64(nil, number), leaf[:])
	return [8]byte(mac[:8])
}

// terminalKey is the key of a terminal's command. What cannot be a terminal's id never gets
// into a turn, which it would make others wait for.
func terminalKey(terminal, key string) (store.CommandKey, error) {
	if _, err := partyID(terminal); err != nil {
		return store.CommandKey{}, fmt.Errorf("%w: %.20q", party.ErrUnknownTerminal, terminal)
	}
	return commandKey("terminal/"+terminal, key)
}

func commandKey(scope, key string) (store.CommandKey, error) {
	if len(key) < 1 || len(key) > 64 {
		return store.CommandKey{}, ErrKey
	}
	return store.CommandKey{Key: key, Scope: scope}, nil
}

// contentMode encodes requests for hashing: the same request, the same bytes.
var contentMode = func() cbor.EncMode {
	mode, err := cbor.CoreDetEncOptions().EncMode()
	assert(err == nil, "deterministic encoding")
	return mode
}()

// content is the hash of a request as sent.
func content(operation string, request any) [32]byte {
	b, err := contentMode.Marshal(request)
	assert(err == nil, "requests are plain data")
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00", operation)
	h.Write(b)
	return [32]byte(h.Sum(nil))
}
