package training

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"tirage/central"
	"tirage/money"
	"tirage/party"
	"tirage/store"
)

// credit is what an outlet may sell for in training: more than anybody practises.
const credit = money.Amount(1_000_000_00)

// room is a training system at work.
type room struct {
	folder *folder
	db     *store.DB
	sys    *central.System
	clock  *clock
	stop   func() // ends the scheduler, and waits for it

	officer string          // who has set it up
	second  string          // who approves what he may not do alone; empty: that was not needed
	acts    int             // what they did: each has a key
	books   map[string]bool // that he published
	outlets map[string]party.Outlet
	seats   map[string]seated // by the terminal's live id

	moving sync.Mutex // one at a time moves the clock

	// Guarded by the school's mutex.
	users  int
	usedAt time.Time
	idle   *time.Timer
}

// seated is a terminal in training.
type seated struct {
	id      string
	printer party.Printer
}

// clock is the live system's, ahead of it by as much as it was moved.
type clock struct {
	live func() time.Time

	mu    sync.Mutex
	ahead time.Duration
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.live().Add(c.ahead)
}

// moveTo moves the clock on; never back.
func (c *clock) moveTo(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead = max(c.ahead, at.Sub(c.live()))
}

func (s *School) open(ctx context.Context) (r *room, err error) {
	r = &room{clock: &clock{live: s.live.Now}, books: map[string]bool{}, outlets: map[string]party.Outlet{}, seats: map[string]seated{}, usedAt: time.Now(), stop: func() {}}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.close())
		}
	}()
	r.idle = time.AfterFunc(idleTime, func() { s.rest(time.Now()) })
	if r.folder, err = newFolder(); err != nil {
		return r, err
	}
	if r.db, err = store.Open(ctx, "sqlite:"+r.folder.file("training.db")); err != nil {
		return r, err
	}
	keys, err := central.NewKeys("training.invalid/" + rand.Text())
	if err != nil {
		return r, err
	}
	r.sys, err = central.Open(ctx, central.Options{
		DB: r.db, Keys: keys, Clock: central.Clock{Now: r.clock.now, Wall: r.clock.now, Simulated: true}, Control: "none",
		Logger: s.log.With("system", "training"), Site: s.live.Site(),
	})
	if err != nil {
		return r, err
	}
	if err := r.staff(ctx); err != nil {
		return r, err
	}
	if err := r.furnish(ctx, s.live); err != nil {
		return r, err
	}
	if _, err := r.sys.Tick(ctx); err != nil {
		return r, err
	}
	r.run(s.log)
	return r, nil
}

// run runs the scheduler until the room is closed.
func (r *room) run(log *slog.Logger) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := r.sys.Run(ctx); err != nil {
			log.Error("scheduler of a training system", "err", err)
		}
	}()
	r.stop = func() { cancel(); <-done }
}

// close ends the system and removes its folder.
func (r *room) close() (err error) {
	r.idle.Stop()
	r.stop()
	if r.sys != nil {
		r.sys.Close()
	}
	if r.db != nil {
		err = r.db.Close()
	}
	if r.folder != nil {
		err = errors.Join(err, r.folder.remove())
	}
	return err
}

// size is how many records the journal of the room has.
func (r *room) size() uint64 {
	for _, code := range r.sys.Games() {
		if status, err := r.sys.Status(code); err == nil {
			return status.Size
		}
	}
	return 0
}

// key is that of the officer's next act.
func (r *room) key() string {
	r.acts++
	return strconv.Itoa(r.acts)
}

// staff makes the officer who sets the room up.
func (r *room) staff(ctx context.Context) error {
	officer, err := r.sys.PutOfficer(ctx, central.PutOfficer{Key: r.key(), Login: "training", Password: rand.Text(), Roles: []string{"operations"}})
	r.officer = officer.ID
	return err
}

// furnish publishes what is published in the live system and was not here yet:
// what holds there, and what will.
func (r *room) furnish(ctx context.Context, live *central.System) error {
	for _, code := range live.Games() {
		now, err := live.Rules(code)
		if err != nil {
			return err
		}
		for _, rules := range live.RulesVersions(code) {
			if rules.FirstDay >= now.FirstDay {
				if err := publish(ctx, r, "rule book of "+string(code), rules.Bytes, r.sys.PublishRules); err != nil {
					return err
				}
			}
		}
	}
	if now := live.Terms(); now != nil {
		for _, terms := range live.TermsVersions() {
			if terms.FirstDay >= now.FirstDay {
				if err := publish(ctx, r, "terms of outlets", terms.Bytes, r.sys.PublishTerms); err != nil {
					return err
				}
			}
		}
	}
	if rules := live.AccountRules(); rules != nil {
		return publish(ctx, r, "rules of accounts", rules.Bytes, r.sys.PublishAccounts)
	}
	return nil
}

// publish publishes a book, once.
func publish[T any](ctx context.Context, r *room, what string, book []byte, by func(context.Context, central.PublishRules) (T, error)) error {
	if r.books[string(book)] {
		return nil
	}
	if _, err := by(ctx, central.PublishRules{Key: r.key(), Officer: r.officer, Book: book}); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	r.books[string(book)] = true
	return nil
}

// seat gives a live terminal one in the room, in an outlet like its own, with
// the printer that it has.
func (r *room) seat(ctx context.Context, live *central.System, terminal string) (id string, err error) {
	_, outlet, err := live.Terminal(terminal)
	if err != nil {
		return "", err
	}
	if outlet, err = r.outlet(ctx, outlet); err != nil {
		return "", err
	}
	s, ok := r.seats[terminal]
	if !ok {
		made, device, err := r.sys.PutTerminal(ctx, central.PutTerminal{Key: r.key(), Officer: r.officer, Outlet: outlet.ID})
		if err != nil {
			return "", err
		}
		if _, _, err := r.sys.SignOnTerminal(ctx, device); err != nil {
			return "", err
		}
		s.id = made.ID
	}
	printer, err := live.Printer(ctx, terminal)
	if err != nil {
		return "", err
	}
	if printer != s.printer {
		if err := r.sys.SetPrinter(ctx, central.SetPrinter{Key: r.key(), Officer: r.officer, Terminal: s.id, Printer: printer}); err != nil {
			return "", err
		}
		s.printer = printer
	}
	r.seats[terminal] = s
	return s.id, nil
}

// outlet is the outlet of the room that is like a live one: its number, place
// and zone. What it owes, and whether it is blocked for it, is not copied.
func (r *room) outlet(ctx context.Context, like party.Outlet) (party.Outlet, error) {
	have := r.outlets[like.ID]
	want := party.Outlet{ID: have.ID, Number: like.Number, Territory: like.Territory, Zone: like.Zone, Centre: like.Centre, CreditLimit: credit}
	if have == want {
		return have, nil
	}
	alone := want
	if e, ok := errors.AsType[*party.CreditAloneError](r.sys.Terms().CheckRaise(have.CreditLimit, want.CreditLimit)); ok {
		alone.CreditLimit = e.Alone
	}
	made, err := r.sys.PutOutlet(ctx, central.PutOutlet{Key: r.key(), Officer: r.officer, Outlet: alone})
	if err != nil {
		return party.Outlet{}, err
	}
	if made.CreditLimit < credit {
		if err := r.raise(ctx, made.ID); err != nil {
			return party.Outlet{}, err
		}
		made.CreditLimit = credit
	}
	r.outlets[like.ID] = made
	return made, nil
}

// raise gives an outlet the credit of training, which takes two officers.
func (r *room) raise(ctx context.Context, outlet string) error {
	if r.second == "" {
		first, own := rand.Text(), rand.Text()
		o, err := r.sys.PutOfficer(ctx, central.PutOfficer{Key: r.key(), By: r.officer, Login: "second", Password: first, Roles: []string{"operations"}})
		if err != nil {
			return err
		}
		if err := r.sys.ChangePassword(ctx, central.ChangePassword{Key: r.key(), Officer: o.ID, Old: first, New: own}); err != nil {
			return err
		}
		r.second = o.ID
	}
	p, err := r.sys.Propose(ctx, central.Propose{Key: r.key(), Officer: r.officer, Change: central.Change{
		Act: central.ActRaiseLimit, Outlet: outlet, Amount: credit, Reason: "training",
	}})
	if err != nil {
		return err
	}
	_, err = r.sys.Approve(ctx, central.Decide{Key: r.key(), Officer: r.second, Proposal: p.ID})
	return err
}
