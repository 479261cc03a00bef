package sim

import (
	"context"
	"errors"
	"slices"
	"time"

	"tirage/central"
	"tirage/game"
	"tirage/instant"
	"tirage/ledger"
	"tirage/money"
	"tirage/party"
)

// modelOffer is what a naive clerk knows of an instant game at a price: how many
// pools there are secrets for, and how many units of each pool are sold.
type modelOffer struct {
	rules   *instant.Rules
	table   *instant.PrizeTable
	secrets int          // pools to come that two officers have committed secrets for
	made    int          // pools so far
	pools   []*modelPool // committed and not closed
}

// modelPool is a pool. What its units win, chance decided when it was built.
type modelPool struct {
	number  int
	id      instant.PoolID // 0: no unit was sold yet
	open    bool
	sold    int
	seen    map[uint64]money.Amount // prizes, by place in the pool
	balance money.Amount            // stakes less prizes
}

// left is how many units of the pools are not sold, of those that sell, or of all.
func (o *modelOffer) left(all bool) (n int) {
	for _, p := range o.pools {
		if p.open || all {
			n += o.rules.Units - p.sold
		}
	}
	return n
}

// openNext opens the next pool when few units are left.
func (o *modelOffer) openNext() (opened bool) {
	i := slices.IndexFunc(o.pools, func(p *modelPool) bool { return !p.open })
	if i < 0 || o.left(false) > o.rules.Policy.OpenNextAt {
		return false
	}
	o.pools[i].open = true
	return true
}

// build makes the next pool, if too few wait.
func (o *modelOffer) build() (built bool) {
	want := o.rules.Policy.AheadPools
	if o.left(false) == 0 {
		want++
	}
	for _, p := range o.pools {
		if !p.open {
			want--
		}
	}
	if want <= 0 || o.secrets == 0 {
		return false
	}
	o.secrets--
	o.made++
	o.pools = append(o.pools, &modelPool{number: o.made, seen: map[uint64]money.Amount{}})
	return true
}

// tend is what the scheduler does: what is sold out is closed, and its rest is margin.
func (s *simulation) tend(o *modelOffer) {
	for changed := true; changed; {
		changed = false
		for _, p := range slices.Clone(o.pools) {
			if p.sold < o.rules.Units {
				continue
			}
			s.soldOut(o, p)
			o.pools = slices.DeleteFunc(o.pools, func(other *modelPool) bool { return other == p })
			s.book(ledger.Pool(int64(p.id)), p.balance)
			s.book(ledger.Margin(string(o.rules.Code)), -p.balance)
			s.done["pool sold out"]++
			changed = true
		}
		changed = o.openNext() || changed
		changed = o.build() || changed
	}
}

// soldOut compares the prizes of a whole pool with its table (F14).
func (s *simulation) soldOut(o *modelOffer, p *modelPool) {
	s.Helper()
	won := map[money.Amount]int{}
	for _, prize := range p.seen {
		won[prize]++
	}
	lost := o.rules.Units
	for _, prize := range o.table.Prizes {
		lost -= prize.Units
		if won[prize.Amount] != prize.Units {
			s.Fatalf("pool %d had %d prizes of %s, the table has %d", p.id, won[prize.Amount], prize.Amount, prize.Units)
		}
	}
	if won[0] != lost || len(p.seen) != o.rules.Units {
		s.Fatalf("pool %d had %d units that lose of %d, expected %d", p.id, won[0], len(p.seen), lost)
	}
}

// secretsAhead is how many pools of a price the officers commit secrets for at a time.
const secretsAhead = 2

// tendAll has pools tended, of the system and of the model, with secrets for more when they run out.
func (s *simulation) tendAll() {
	s.Helper()
	for _, o := range s.offers {
		if o.secrets > 0 || s.IntN(3) > 0 { // at times they are late
			continue
		}
		for _, officer := range s.officers {
			_, err := s.sys.CommitSecrets(s.ctx(), central.CommitSecrets{
				Key: s.key(), Officer: officer, Game: o.rules.Code, Price: o.table.Price, Count: secretsAhead,
			})
			s.check(err)
		}
		o.secrets += secretsAhead
	}
	s.check(s.sys.TendPools(s.ctx()))
	for _, o := range s.offers {
		s.tend(o)
	}
}

// gamblers is how many players there are.
const gamblers = 8

// furnishInstant publishes the instant game and opens accounts.
func (s *simulation) furnishInstant() {
	rules, err := s.sys.PublishInstant(s.ctx(), central.PublishRules{Key: s.key(), Officer: s.officers[0], Book: s.Instant})
	s.check(err)
	for i := range rules.Tables {
		s.offers = append(s.offers, &modelOffer{rules: rules, table: &rules.Tables[i]})
	}
	_, err = s.sys.PublishAccounts(s.ctx(), central.PublishRules{Key: s.key(), Officer: s.officers[0], Book: party.Book()})
	s.check(err)
	people := make([]Newcomer, gamblers)
	for i := range people {
		people[i] = Simulated(i + 1)
	}
	ids, err := Enrol(s.ctx(), s.sys, s.officers[0], people, func(context.Context, central.Message) error { return errors.New("to nobody") })
	s.check(err)
	for _, id := range ids {
		s.players = append(s.players, &modelPlayer{id: id})
	}
	s.check(s.sys.Launch(s.ctx(), central.GameAct{Key: s.key(), Officer: s.officers[0], Game: rules.Code}))
}

// play makes ready a play.
func (s *simulation) play(p *modelPlayer, o *modelOffer) act {
	c := central.PlayUnit{Key: s.key(), Player: p.id, Game: o.rules.Code, Price: o.table.Price}
	var u central.PlayedUnit
	var err error
	return act{
		run: func() { u, err = s.sys.Play(s.ctx(), c) },
		after: func() {
			want := p.mayPlay(s, c.Price)
			if want == nil && o.left(true) == 0 {
				want = central.ErrSoldOut
			}
			if s.agree("play", err, want) {
				s.played(p, o, c, u)
			}
		},
	}
}

// played books a unit, which nobody had before.
func (s *simulation) played(p *modelPlayer, o *modelOffer, c central.PlayUnit, u central.PlayedUnit) {
	s.Helper()
	i := slices.IndexFunc(o.pools, func(pool *modelPool) bool { return pool.number == u.Number })
	if i < 0 {
		s.Fatalf("unit %d of pool number %d, which does not sell", u.Record, u.Number)
	}
	pool := o.pools[i]
	if _, twice := pool.seen[u.Leaf.N]; twice || u.Leaf.N >= uint64(o.rules.Units) || pool.id != 0 && pool.id != u.Pool {
		s.Fatalf("unit %d of pool %d sold as record %d: it was sold, or is none", u.Leaf.N, u.Pool, u.Record)
	}
	shown, err := instant.Read(o.table, *u.Board)
	if err != nil || shown != u.Prize || u.Prize != u.Leaf.Prize {
		s.Fatalf("unit %d of pool %d wins %s and shows %s: %v", u.Leaf.N, u.Pool, u.Prize, shown, err)
	}
	s.check(instant.VerifyUnit(u.Root, u.Units, u.Leaf, u.Proof))
	pool.id, pool.seen[u.Leaf.N] = u.Pool, u.Prize
	pool.sold++
	pool.open = true
	pool.balance += c.Price - u.Prize
	o.openNext()
	s.book(ledger.Pool(int64(u.Pool)), u.Prize-c.Price)
	p.pay(s, u.Prize-c.Price)
	p.stakes = append(p.stakes, dayAmount{game.DayOf(s.now, parisZone), c.Price})
	p.last = append(p.last[max(0, len(p.last)-20):], playedUnit{c, u.Record, u.Prize})
}

// playAgain makes ready the same play again: it is the same unit, and costs nothing.
func (s *simulation) playAgain(p *modelPlayer) act {
	if len(p.last) == 0 {
		return act{}
	}
	before := p.last[s.IntN(len(p.last))]
	var u central.PlayedUnit
	var err error
	return act{
		run: func() { u, err = s.sys.Play(s.ctx(), before.command) },
		after: func() {
			if s.agree("play again", err, nil); u.Record != before.record || u.Prize != before.prize || !u.Again {
				s.Fatalf("again: unit %d wins %s; want %d and %s", u.Record, u.Prize, before.record, before.prize)
			}
		},
	}
}

// compareInstant compares what is on sale, and what players have.
func (s *simulation) compareInstant() {
	s.Helper()
	v, err := s.sys.Instant(s.offers[0].rules.Code)
	s.check(err)
	for i, o := range s.offers {
		got, ahead := v.Prices[i], 0
		for _, p := range o.pools {
			for n := range p.sold {
				if _, ok := p.seen[uint64(n)]; !ok {
					s.Errorf("unit %d of pool %d was left out, and later ones sold", n, p.id)
				}
			}
			if !p.open {
				ahead++
			}
		}
		sells := slices.IndexFunc(o.pools, func(p *modelPool) bool { return p.open && p.sold < o.rules.Units })
		if got.Ahead != ahead || (got.Number != 0) != (sells >= 0) || sells >= 0 && (got.Number != o.pools[sells].number || got.Sold != o.pools[sells].sold) {
			s.Errorf("at %s: %+v; the model has %+v, selling %d", o.table.Price, got, o, sells)
		}
	}
	for _, p := range s.players {
		if got := s.sys.PlayerBalance(p.id); got != p.balance || got < 0 {
			s.Errorf("player %s has %s, the model says %s", p.id, got, p.balance)
		}
	}
}

// parisZone is where the days of limits begin.
var parisZone = func() *time.Location {
	zone, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		panic("sim: " + err.Error()) // package game embeds the zones
	}
	return zone
}()
