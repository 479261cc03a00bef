package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"tirage/central"
	"tirage/internal/sim"
	"tirage/money"
	"tirage/store"
	"tirage/wager"
)

// The victim is a node under load that tells its parent, a line each, what it
// has acknowledged, until it is killed. It is this test binary, started under
// the name "victim" with the file of its orders:
//
//	sold KEY NUMBER SECRET PRICE    a ticket
//	paid NUMBER SECRET AMOUNT       a payment
//	unit KEY RECORD POOL N PRIZE    a unit of the instant game
//	signed BASE64                   a checkpoint

// orders are what the parent gives a victim.
type orders struct {
	DSN       string
	Keys      central.Keys
	Terminals []string // by seller
	Cycle     int      // how many victims were killed before
	Pay       []held   // tickets of victims before
	Players   []string // who play the instant game: then nothing else is done

	Now   time.Time // where its clock stands; zero: it goes
	Stop  int       // of a victim that only draws: where it stops
	clock func() time.Time
}

// held is a ticket in the hand of a player.
type held struct {
	Number wager.ID
	Secret [8]byte
}

// sellers is how many of its outlets sell at once.
const sellers = 16

func victim() {
	go func() { // it does not outlive its parent
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(3)
	}()
	if err := runVictim(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "victim:", err)
		os.Exit(1)
	}
}

func runVictim(ctx context.Context, file string) error {
	o, err := readOrders(file)
	if err != nil {
		return err
	}
	if o.Stop > 0 {
		return runStopper(ctx, o)
	}
	l, err := openLottery(ctx, o)
	if err != nil {
		return err
	}
	errs := make(chan error, len(l.terminals)+len(o.Players)+2)
	go func() { errs <- l.sys.Run(ctx) }()
	go func() { errs <- l.sign() }()
	for i := range l.terminals {
		go func() { errs <- l.sell(ctx, i, o) }()
	}
	for i := range o.Players {
		go func() { errs <- l.play(ctx, i, o) }()
	}
	return <-errs // the first that fails; nothing ends otherwise
}

func readOrders(file string) (o orders, err error) {
	b, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(b, &o)
	}
	return o, err
}

// lottery is an open system with its outlets.
type lottery struct {
	db        *store.DB
	sys       *central.System
	terminals []string
	print     sync.Mutex // so that a line is whole
}

func openLottery(ctx context.Context, o orders) (*lottery, error) {
	db, err := store.Open(ctx, o.DSN)
	if err != nil {
		return nil, err
	}
	l := &lottery{db: db, terminals: o.Terminals}
	clock := central.SystemClock()
	if !o.Now.IsZero() {
		now := func() time.Time { return o.Now }
		clock = central.Clock{Now: now, Wall: now, Simulated: true}
	}
	if o.clock != nil {
		clock.Now = o.clock
	}
	l.sys, err = central.Open(ctx, central.Options{
		DB: db, Keys: o.Keys, Clock: clock, Control: "none", Demo: len(o.Players) > 0, Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return l, nil
}

func (l *lottery) close() {
	l.sys.Close()
	_ = l.db.Close()
}

// tell tells the parent, in one write.
func (l *lottery) tell(format string, args ...any) error {
	l.print.Lock()
	defer l.print.Unlock()
	_, err := fmt.Fprintf(os.Stdout, format+"\n", args...)
	return err
}

// slipOf is the slip of a key: a retry must be the same request.
func slipOf(key string) wager.Slip {
	return wager.Slip{Game: demoGame, Boards: []wager.Board{{QuickPick: true}}, Stake: 200 * money.Amount(1+len(key)%3), Draws: 1 + len(key)%2}
}

// sell sells one ticket after another, and between them has those paid that other victims sold.
func (l *lottery) sell(ctx context.Context, seller int, o orders) error {
	pace := time.NewTicker(8 * time.Millisecond) // a rate that the parent can check in as much time
	defer pace.Stop()
	for n := 0; ; n++ {
		key := fmt.Sprintf("%d/%d/%d", o.Cycle, seller, n)
		t, err := l.sys.Place(ctx, central.Place{Key: key, Terminal: l.terminals[seller], Slip: slipOf(key)})
		switch {
		case err == nil:
			if err := l.tell("sold %s %d %x %d", key, t.Number, t.Secret, t.Price); err != nil {
				return err
			}
		case !sim.Refused(err):
			return err
		}
		if i := n*len(l.terminals) + seller; i < len(o.Pay) {
			if err := l.pay(ctx, seller, o.Pay[i]); err != nil {
				return err
			}
		}
		<-pace.C
	}
}

func (l *lottery) pay(ctx context.Context, seller int, t held) error {
	key := fmt.Sprintf("pay/%d", t.Number)
	paid, err := l.sys.Pay(ctx, central.Pay{Key: key, Terminal: l.terminals[seller], Ticket: t.Number, Secret: t.Secret})
	switch {
	case err == nil:
		return l.tell("paid %d %x %d", t.Number, t.Secret, paid.Amount)
	case sim.Refused(err):
		return nil
	}
	return err
}

// playOf is the play of a key: a retry must be the same request.
func playOf(key, player string) central.PlayUnit {
	return central.PlayUnit{Key: key, Player: player, Game: killInstant, Price: 100}
}

// play plays one unit after another.
func (l *lottery) play(ctx context.Context, player int, o orders) error {
	pace := time.NewTicker(8 * time.Millisecond)
	defer pace.Stop()
	for n := 0; ; n++ {
		key := fmt.Sprintf("%02d/%02d/%06d", o.Cycle, player, n)
		u, err := l.sys.Play(ctx, playOf(key, o.Players[player]))
		if err != nil {
			return err
		}
		if err := l.tell("unit %s %d %d %d %d", key, u.Record, u.Pool, u.Leaf.N, u.Prize); err != nil {
			return err
		}
		<-pace.C
	}
}

// sign gives out checkpoints: what it has signed once it cannot take back.
func (l *lottery) sign() error {
	pace := time.NewTicker(20 * time.Millisecond)
	defer pace.Stop()
	for {
		c, err := l.sys.Checkpoint()
		if err != nil {
			return err
		}
		if err := l.tell("signed %s", base64.StdEncoding.EncodeToString(c)); err != nil {
			return err
		}
		<-pace.C
	}
}

// killBook is the rule book of the regulation with a draw every two seconds, from now on.
func killBook(now time.Time) ([]byte, error) {
	book, err := demoBook(demoGame)
	if err != nil {
		return nil, err
	}
	paris, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		return nil, err
	}
	text, found := string(book), true
	replace := func(from, to, with string) {
		before, rest, ok := strings.Cut(text, from)
		_, after, ok2 := strings.Cut(rest, to)
		text, found = before+with+after, found && ok && ok2
	}
	at := now.In(paris)
	day := strings.ToLower(at.Weekday().String()[:3])
	replace("  first_at:", "  territories:", fmt.Sprintf("  first_at: %q\n  every: 2s\n  open_before: 2m\n  close_before: 1s\n"+
		"  sessions:\n    - {weekdays: [%s], draws: [1, 600]}\n  territories:", at.Format("15:04"), day))
	if !found {
		return nil, errors.New("the demo's calendar is not where it was")
	}
	return []byte(text), nil
}
