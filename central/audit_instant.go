package central

import (
	"context"
	"fmt"

	"tirage/game"
	"tirage/instant"
	"tirage/journal"
	"tirage/rng"
)

// auditedPool is a pool as an auditor has built it again.
type auditedPool struct {
	built   *instant.Pool
	secrets [2]instant.Secret
}

// seeInstant audits records of instant games: it builds every pool again from
// its secrets, and compares with it what was committed and each unit that was
// sold of it. What may be sold, opened and closed, the turn that did so could
// decide by the records before, so it is decided again.
func (a *auditor) seeInstant(index uint64, rec journal.Record) error {
	t := &turn{m: a.m, at: rec.At}
	if _, ok := rec.Body.(*journal.Suspend); !ok {
		if err := a.endTurn(); err != nil {
			return err
		}
	}
	var err error
	switch b := rec.Body.(type) {
	case *journal.Book:
		err = a.seeBook(rec.At, b)
	case *journal.Secrets:
		err = a.seeSecrets(t, b)
	case *journal.Pool:
		err = a.seePool(t, b)
	case *journal.OpenPool:
		err = a.seeOpenPool(t, b)
	case *journal.Unit:
		err = a.seeUnit(t, b)
	case *journal.ClosePool:
		err = a.seeClosePool(index, t, rec, b)
	case *journal.Launch:
		err = a.seeLaunch(b)
	case *journal.Suspend:
		err = a.seeSuspend(b)
	}
	if err != nil {
		return fmt.Errorf("%w: record %d: %w", ErrJournal, index, err)
	}
	return nil
}

func (a *auditor) officer(id journal.Party) error {
	if _, ok := a.m.officers[id.String()]; !ok {
		return fmt.Errorf("%s is no officer", id)
	}
	return nil
}

func (a *auditor) seeBook(at int64, b *journal.Book) error {
	if err := a.officer(b.By); err != nil {
		return err
	}
	switch b.Sort {
	case accountsSort:
		return nil
	case termsSort:
		return seeTerms(a.m, at, b)
	}
	r, err := instant.Parse("rules.yaml", b.Book)
	switch {
	case err != nil:
		return err
	case a.m.instants.books[r.Hash] != nil:
		return fmt.Errorf("rule book %x was published before", r.Hash[:4])
	case r.Hash != game.Hash(b.Hash) || string(r.Code) != b.Code || r.Version != b.Version || int32(r.FirstDay) != b.FirstDay:
		return fmt.Errorf("rule book %x of %s is not the one that the record names", r.Hash[:4], r.Code)
	}
	return nil
}

// seeSecrets tells whether secrets are for the pools that were next for their
// officer, have the round of the beacon that was next, and are at hand, sealed.
func (a *auditor) seeSecrets(t *turn, b *journal.Secrets) error {
	if err := a.officer(b.By); err != nil {
		return err
	}
	want, err := t.secretsBody(CommitSecrets{Game: game.Code(b.Game), Price: b.Price}, b.By, b.Hashes)
	switch {
	case err != nil:
		return err
	case want.First != b.First || want.Round != b.Round:
		return fmt.Errorf("secrets for pools from %d and round %d, it must be %d and %d", b.First, b.Round, want.First, want.Round)
	}
	for _, hash := range b.Hashes {
		if a.committed[hash] {
			return fmt.Errorf("secret %x was committed before", hash[:4])
		}
		a.committed[hash] = true
		if _, err := a.keys.secrets(context.Background(), a.reader, [2][32]byte{hash, hash}); err != nil {
			return err
		}
	}
	return nil
}

// seePool builds a pool again: from two secrets of different officers, by the
// rules in force, and a round of the beacon whose end was committed at first.
func (a *auditor) seePool(t *turn, b *journal.Pool) error {
	in := &a.m.instants
	g, err := in.game(game.Code(b.Game))
	if err != nil {
		return err
	}
	r := g.rulesNow(utc(t.at))
	table, err := r.Table(b.Price)
	if err != nil {
		return err
	}
	o := g.offers[b.Price]
	if len(o.slots) == 0 || !o.slots[0].complete() {
		return fmt.Errorf("pool %d of %s at %s has no two secrets", b.Number, b.Game, b.Price)
	}
	s := o.slots[0]
	if s.officers[0] == s.officers[1] {
		return fmt.Errorf("both secrets of pool %d are of officer %s", b.ID, s.officers[0])
	}
	value, err := a.beaconValue(s.round)
	if err != nil {
		return err
	}
	hashes := [2][32]byte(s.hashes)
	secrets, err := a.keys.secrets(context.Background(), a.reader, hashes)
	if err != nil {
		return fmt.Errorf("pool %d: %w", b.ID, err)
	}
	built := instant.Build(table, r.Units, instant.PoolSeed(secrets, value, b.Game, b.Price, o.next))
	want := journal.Pool{
		ID: uint64(in.lastPool) + 1, Game: string(g.code), Price: o.price, Number: o.next, Book: r.Hash, Hashes: hashes,
		Round: s.round, Beacon: value, Units: uint64(r.Units), Root: built.Root(),
	}
	if *b != want {
		return fmt.Errorf("commits %+v, from its secrets follows %+v", *b, want)
	}
	a.pools[instant.PoolID(b.ID)] = &auditedPool{built: built, secrets: secrets}
	return nil
}

// beaconValue is the value of a round of the beacon whose end the journal begins with.
func (a *auditor) beaconValue(round uint64) (value [32]byte, err error) {
	if value, err = a.beacon.Value(round); err != nil {
		return value, err
	}
	for _, k := range a.m.keys {
		if k.Use == "beacon" && len(k.Public) == len(value) {
			return value, rng.VerifyBeacon([32]byte(k.Public), round, value)
		}
	}
	return value, fmt.Errorf("%w: the journal has committed to none", rng.ErrBeacon)
}

func (a *auditor) seeOpenPool(t *turn, b *journal.OpenPool) error {
	p := a.m.instants.pools[instant.PoolID(b.Pool)]
	if p == nil {
		return fmt.Errorf("opens pool %d, which is none that waits", b.Pool)
	}
	if g, o := a.m.instants.gameOf(p), a.m.instants.offerOf(p); !t.opens(g, o) || t.toOpen(o) != p {
		return fmt.Errorf("opens pool %d before its time", b.Pool)
	}
	return nil
}

// seeUnit tells whether a unit was the next of the pool that sold, at its price,
// and is the one that the pool was committed with.
func (a *auditor) seeUnit(t *turn, b *journal.Unit) error {
	p := a.m.instants.pools[instant.PoolID(b.Pool)]
	if p == nil {
		return fmt.Errorf("a unit of pool %d, which does not sell", b.Pool)
	}
	o, err := t.offer(p.rules.Code, p.table.Price)
	switch {
	case err != nil:
		return err
	case b.Price != p.table.Price:
		return fmt.Errorf("a unit of pool %d for %s, its price is %s", b.Pool, b.Price, p.table.Price)
	case t.selling(o) != p:
		return fmt.Errorf("a unit of pool %d, which does not sell", b.Pool)
	case b.N != uint64(p.sold.Sold):
		return fmt.Errorf("unit %d of pool %d, the next is %d", b.N, b.Pool, p.sold.Sold)
	}
	if got, want := (instant.Leaf{N: b.N, Prize: b.Prize, Seed: b.Seed, Salt: b.Salt}), a.pools[p.id].built.Leaf(p.sold.Sold); got != want {
		return fmt.Errorf("unit %d of pool %d wins %s, seed %x; it was committed with %s, seed %x", b.N, b.Pool, got.Prize, got.Seed, want.Prize, want.Seed)
	}
	if err := t.mayPlay(b.Player.String(), b.Price); err != nil {
		return err
	}
	sold := cloneLeft(p.sold)
	if count(&sold, p.table, b.Prize, 1); p.guard(sold) != nil {
		a.stops = p.rules.Code
	}
	return nil
}

func (a *auditor) seeClosePool(index uint64, t *turn, rec journal.Record, b *journal.ClosePool) error {
	p := a.m.instants.pools[instant.PoolID(b.Pool)]
	if p == nil {
		return fmt.Errorf("closes pool %d, which is not there", b.Pool)
	}
	cause := t.toClose(a.m.instants.gameOf(p), a.m.instants.offerOf(p), p)
	if b.Decision != 0 { // by two officers, whenever they like: seeChange knows of it
		cause = closedByTwo
	}
	if cause == "" {
		return fmt.Errorf("closes pool %d before its time", b.Pool)
	}
	want := p.closeBody(cause, a.pools[p.id].secrets)
	want.Decision = b.Decision
	delete(a.pools, p.id)
	return a.compare(index, rec, want)
}

func (a *auditor) seeLaunch(b *journal.Launch) error {
	g, err := a.m.instants.game(game.Code(b.Game))
	if err != nil {
		return err
	}
	// That of a decision is what was approved: seeChange has compared it.
	if resumed := b.Decision != 0; resumed != (g.state == Stopped) || g.state == Launched {
		return fmt.Errorf("launches %s, which is %s", b.Game, g.state)
	}
	return a.officer(b.By)
}

// seeSuspend tells whether a game could be suspended: by an officer, or by the
// guard, right after the unit that shows that more was won than can be.
func (a *auditor) seeSuspend(b *journal.Suspend) error {
	g, err := a.m.instants.game(game.Code(b.Game))
	switch {
	case err != nil:
		return err
	case g.state != Launched:
		return fmt.Errorf("suspends %s, which is %s", b.Game, g.state)
	case b.Cause == byOfficer:
		return a.officer(b.By)
	case b.Cause != byGuard || b.By != journal.Party{} || string(a.stops) != b.Game:
		return fmt.Errorf("nothing suspends %s", b.Game)
	}
	a.stops = ""
	return nil
}

// endTurn tells whether the guard did what it must before the turn ended.
func (a *auditor) endTurn() error {
	if a.stops != "" {
		return fmt.Errorf("%w: record %d: the guard must stop %s after it", ErrJournal, a.m.size-1, a.stops)
	}
	return nil
}
