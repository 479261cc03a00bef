package central

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"tirage/game"
	"tirage/journal"
	"tirage/ledger"
	"tirage/money"
	"tirage/party"
	"tirage/store"
)

// accountsSort is the sort of rule books of accounts, and their code.
const accountsSort = "accounts"

// playerState is a player as decisions need him.
type playerState struct {
	party.Player
	account   ledger.Account
	last      uint64       // newest record that tells of him
	deposited money.Amount // ever
	stakes    window
	deposits  window
}

// window sums amounts by Paris day, over the days that limits may count.
type window struct{ days []dayAmount } // ascending

type dayAmount struct {
	day    game.Day
	amount money.Amount
}

// add adds an amount on a day that is none before the newest, and forgets days that no limit counts any more.
func (w *window) add(day game.Day, amount money.Amount) {
	if n := len(w.days); n > 0 && w.days[n-1].day == day {
		w.days[n-1].amount = w.days[n-1].amount.Add(amount)
		return
	}
	w.days = slices.DeleteFunc(w.days, func(d dayAmount) bool { return d.day <= day-party.WindowMax })
	w.days = append(w.days, dayAmount{day, amount})
}

// sum is the sum over so many days up to a day.
func (w *window) sum(day game.Day, days int) (sum money.Amount) {
	for _, d := range slices.Backward(w.days) {
		if d.day <= day-game.Day(days) {
			break
		}
		sum = sum.Add(d.amount)
	}
	return sum
}

// paris is the zone of the days of limits (INS-online).
var paris = func() *time.Location {
	zone, err := time.LoadLocation("Europe/Paris")
	assert(err == nil, "zone Europe/Paris")
	return zone
}()

// parisDay is the Paris day of a time; the writer loop asks it for each unit, so the present day is kept.
type parisDay struct {
	day         game.Day
	from, until int64 // µs UTC
}

func (d *parisDay) of(at int64) game.Day {
	if at < d.from || at >= d.until {
		d.day = game.DayOf(utc(at), paris)
		d.from, d.until = d.day.At(0, paris).UnixMicro(), (d.day+1).At(0, paris).UnixMicro()
	}
	return d.day
}

// players is what the memory knows of players.
type players struct {
	byID     map[string]*playerState
	accounts []*party.Rules // ascending FirstDay; of equal days the last published holds
	today    parisDay       // of the writer loop
}

func (p *players) publish(r *party.Rules) {
	p.accounts = append(p.accounts, r)
	slices.SortStableFunc(p.accounts, func(a, b *party.Rules) int { return cmp.Compare(a.FirstDay, b.FirstDay) })
}

// rulesOn are the rules of accounts in force on a day, or nil.
func (p *players) rulesOn(day game.Day) *party.Rules {
	for _, r := range slices.Backward(p.accounts) {
		if game.Day(r.FirstDay) <= day {
			return r
		}
	}
	return nil
}

// were tells whether rules of accounts of a version came into force on a day or before.
func (p *players) were(version string, day game.Day) bool {
	return slices.ContainsFunc(p.accounts, func(r *party.Rules) bool { return r.Version == version && game.Day(r.FirstDay) <= day })
}

// told is what a turn has done with a player.
type told struct {
	last   uint64       // the newest of its records that tells of him
	staked money.Amount // on its units
}

// player returns a player as the turns before this one and the one that is
// being committed left him, or [party.ErrUnknownPlayer].
func (t *turn) player(id string) (*playerState, error) {
	p := t.m.players.byID[id]
	if p == nil {
		return nil, fmt.Errorf("%w: %.20q", party.ErrUnknownPlayer, id)
	}
	return p, nil
}

// accountRules are the rules of accounts in force at the time of the turn, or nil.
func (t *turn) accountRules() *party.Rules { return t.m.players.rulesOn(t.day()) }

// day is the Paris day of the turn.
func (t *turn) day() game.Day { return t.m.players.today.of(t.at) }

// mayPlay tells whether a player may put a price on a unit at the time of the
// turn: nil, or a refusal of [System.Play]. It counts what the turns that are not
// in the memory yet have taken from him.
func (t *turn) mayPlay(player string, price money.Amount) error {
	p, err := t.player(player)
	if err != nil {
		return err
	}
	r := t.accountRules()
	if r == nil {
		return party.ErrTerms
	}
	staked := p.stakes.sum(t.day(), r.WindowDays).Add(t.told[player].staked)
	if b := t.before; b != nil && b.told != nil && t.m.players.today.of(b.at) > t.day()-game.Day(r.WindowDays) {
		staked = staked.Add(b.told[player].staked)
	}
	return p.MayPlay(r, utc(t.at), price, staked, -t.balance(p.account))
}

// mayDepositNow is mayDeposit in a turn of its own (see [job.alone]), where what
// the player may still pay by card counts as deposited.
func (t *turn) mayDepositNow(ctx context.Context, player string, amount money.Amount, means string) error {
	waiting, err := t.tx.CardPaymentsWaiting(ctx, player, t.at-CardLife.Microseconds())
	if err != nil {
		return err
	}
	return t.mayDeposit(player, amount, means, waiting)
}

// mayDeposit tells whether a player of whom so much waits to be deposited may
// deposit an amount by a means ("voucher", "demo", "card/PROVIDER") at the time
// of the turn: nil, or a refusal of [System.DepositVoucher].
func (t *turn) mayDeposit(player string, amount money.Amount, means string, waiting money.Amount) error {
	p, err := t.player(player)
	if err != nil {
		return err
	}
	r := t.accountRules()
	if r == nil {
		return party.ErrTerms
	}
	return p.MayDeposit(r, utc(t.at), amount, means, p.deposits.sum(t.day(), r.WindowDays).Add(waiting), p.deposited.Add(waiting))
}

// previous is the newest record that tells of a player, this turn's included.
// He is known.
func (t *turn) previous(player string) uint64 {
	if n, ok := t.told[player]; ok {
		return n.last
	}
	if t.before != nil {
		if n, ok := t.before.told[player]; ok {
			return n.last
		}
	}
	return t.m.players.byID[player].last
}

// played notes a unit of this turn: record index at a price.
func (t *turn) played(player string, price money.Amount, index uint64) {
	n := t.told[player]
	t.tell(player, told{last: index, staked: n.staked.Add(price)})
}

// tells notes another record of this turn that tells of a player, such as a deposit.
func (t *turn) tells(player string, index uint64) {
	t.tell(player, told{last: index, staked: t.told[player].staked})
}

func (t *turn) tell(player string, n told) {
	if t.told == nil {
		t.told = map[string]told{}
	}
	t.told[player] = n
}

// tellsOf returns whom a record tells of, and the record before it that does.
// Records of [journal.Player] begin the chain.
func tellsOf(body journal.Body) (player journal.Party, previous uint64, ok bool) {
	switch b := body.(type) {
	case *journal.Unit:
		return b.Player, b.Previous, true
	case *journal.Player:
		return b.ID, 0, true
	case *journal.PlayerChange:
		return b.Player, b.Previous, true
	case *journal.Deposit:
		return b.Player, b.Previous, true
	case *journal.Withdrawal:
		return b.Player, b.Previous, true
	case *journal.Returned:
		return b.Player, b.Previous, true
	}
	return player, 0, false
}

// implyBook is what a rule book implies that is not of a draw game.
func implyBook(rows *store.Rows, index uint64, b *journal.Book) {
	rows.Books = append(rows.Books, store.Book{
		Record: index, Hash: b.Hash[:], Sort: b.Sort, Code: b.Code, Version: b.Version, FirstDay: b.FirstDay, Book: b.Book,
	})
}

func (m *memory) implyPlayer(rows *store.Rows, index uint64, rec journal.Record) (in implied) {
	switch b := rec.Body.(type) {
	case *journal.Player:
		rows.Players = append(rows.Players, store.Player{Record: index, ID: b.ID.String(), Terms: b.Terms, At: rec.At})
	case *journal.PlayerChange:
		rows.PlayerChanges = append(rows.PlayerChanges, store.PlayerChange{
			Record: index, Player: b.Player.String(), What: b.What, Amount: b.Amount, Until: b.Until, Terms: b.Terms, At: rec.At,
		})
	default:
		in = implyMoney(rows, index, rec)
	}
	implyChain(rows, index, rec.Body)
	return in
}

// implyChain makes a record the last that tells of its player.
func implyChain(rows *store.Rows, index uint64, body journal.Body) {
	if player, _, ok := tellsOf(body); ok {
		rows.Chain = append(rows.Chain, store.Link{Player: player.String(), Last: index})
	}
}

// foldPlayer takes the memory over a record that tells of a player; a unit too.
func (m *memory) foldPlayer(index uint64, rec journal.Record) {
	if b, ok := rec.Body.(*journal.Book); ok {
		r, err := party.ParseRules(b.Book)
		assert(err == nil, "journalled rules of accounts do not load")
		m.players.publish(r)
		return
	}
	id, _, ok := tellsOf(rec.Body)
	if !ok {
		return
	}
	if b, ok := rec.Body.(*journal.Player); ok {
		m.addPlayer(b.ID.String(), b.Terms, rec.At)
	}
	var name [2 * len(id)]byte
	hex.Encode(name[:], id[:])
	p := m.players.byID[string(name[:])]
	assert(p != nil, "record of an unknown player")
	p.last = index
	switch b := rec.Body.(type) {
	case *journal.Unit:
		p.stakes.add(m.players.today.of(rec.At), b.Price)
	case *journal.Deposit:
		p.deposits.add(m.players.today.of(rec.At), b.Amount)
		p.deposited = p.deposited.Add(b.Amount)
		if provider, ok := strings.CutPrefix(b.Means, cardMeans("")); ok {
			m.providers[provider] = true
		}
	case *journal.PlayerChange:
		p.change(store.PlayerChange{What: b.What, Amount: b.Amount, Until: b.Until, Terms: b.Terms, At: rec.At})
	}
}

func (m *memory) addPlayer(id, terms string, at int64) {
	m.players.byID[id] = &playerState{Player: party.Player{ID: id, Terms: terms, MadeAt: utc(at)}, account: ledger.Player(id)}
}

// change takes a player over a change of what he may do.
func (p *playerState) change(c store.PlayerChange) {
	kind, err := party.ParseChangeKind(c.What)
	assert(err == nil, "journalled change of a player is none")
	switch kind {
	case party.EmailConfirmed: // with the account itself
	case party.IdentityConfirmed:
		p.Confirmed = true
	case party.IdentityWithdrawn:
		p.Confirmed = false
	case party.TermsAccepted:
		p.Terms = c.Terms
	case party.DepositLimit:
		p.Deposits = p.Deposits.From(c.Amount, utc(c.At), utc(c.Until))
	case party.StakeLimit:
		p.Stake = p.Stake.From(c.Amount, utc(c.At), utc(c.Until))
	case party.Pause:
		p.PausedUntil = utc(c.Until)
	case party.Exclude:
		p.ExcludedUntil = utc(c.Until)
	case party.CloseAccount:
		p.Closed = true
	}
}

// loadPlayers reads the rules of accounts, the players, and what they staked
// and deposited on the days that limits may count.
func (m *memory) loadPlayers(ctx context.Context, tx *store.Snapshot) error {
	books, err := tx.Books(ctx)
	if err != nil {
		return err
	}
	for _, b := range books {
		if b.Sort != accountsSort {
			continue
		}
		r, err := party.ParseRules(b.Book)
		if err != nil {
			return fmt.Errorf("rules of accounts of record %d: %w", b.Record, err)
		}
		m.players.publish(r)
	}
	list, err := tx.Players(ctx)
	if err != nil {
		return err
	}
	for _, p := range list {
		m.addPlayer(p.ID, p.Terms, p.At)
	}
	changes, err := tx.PlayerChanges(ctx)
	if err != nil {
		return err
	}
	for _, c := range changes {
		m.players.byID[c.Player].change(c)
	}
	links, err := tx.Links(ctx)
	if err != nil {
		return err
	}
	for _, l := range links {
		m.players.byID[l.Player].last = l.Last
	}
	return m.loadWindows(ctx, tx)
}

func (m *memory) loadWindows(ctx context.Context, tx *store.Snapshot) error {
	ever, err := tx.DepositSums(ctx)
	if err != nil {
		return err
	}
	for id, amount := range ever {
		m.players.byID[id].deposited = amount
	}
	today := game.DayOf(utc(m.at), paris)
	starts := make([]int64, party.WindowMax)
	first := today - party.WindowMax + 1
	for i := range starts {
		starts[i] = (first + game.Day(i)).At(0, paris).UnixMicro()
	}
	staked, err := tx.UnitStakesByDay(ctx, starts)
	if err != nil {
		return err
	}
	deposited, err := tx.DepositsByDay(ctx, starts)
	if err != nil {
		return err
	}
	for i := range starts {
		for id, amount := range staked[i] {
			m.players.byID[id].stakes.add(first+game.Day(i), amount)
		}
		for id, amount := range deposited[i] {
			m.players.byID[id].deposits.add(first+game.Day(i), amount)
		}
	}
	return nil
}

// comparePlayers compares what this node knows of players with the fold of the journal.
func (s *System) comparePlayers(fold *memory) error {
	m := s.memory
	if !slices.EqualFunc(m.players.accounts, fold.players.accounts, func(a, b *party.Rules) bool { return a.Hash == b.Hash }) {
		return fmt.Errorf("%w: rules of accounts in memory differ", ErrJournal)
	}
	today := game.DayOf(utc(m.at), paris)
	same := func(a, b *playerState) bool {
		return a.Player == b.Player && a.last == b.last && a.deposited == b.deposited &&
			slices.Equal(a.stakes.since(today), b.stakes.since(today)) && slices.Equal(a.deposits.since(today), b.deposits.since(today))
	}
	for id, p := range m.players.byID {
		if other := fold.players.byID[id]; other == nil || !same(p, other) {
			return fmt.Errorf("%w: player %s in memory differs: %+v, journal says %+v", ErrJournal, id, p, other)
		}
	}
	if len(m.players.byID) != len(fold.players.byID) {
		return fmt.Errorf("%w: %d players in memory, journal says %d", ErrJournal, len(m.players.byID), len(fold.players.byID))
	}
	return nil
}

// since are the days that limits of a day may count.
func (w *window) since(day game.Day) []dayAmount {
	i := slices.IndexFunc(w.days, func(d dayAmount) bool { return d.day > day-party.WindowMax })
	if i < 0 {
		return nil
	}
	return w.days[i:]
}
