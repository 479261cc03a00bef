package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"tirage/central"
	"tirage/internal/dbtest"
	"tirage/journal"
	"tirage/money"
	"tirage/party"
	"tirage/settle"
	"tirage/wager"
)

// kills is how often a node is killed under load.
const kills = 20

// TestKill kills a node under load, kill -9, 20 times on each database. After
// each time: what it had acknowledged is there, once; a command that it had not
// answered is done once when it is sent again; the books balance; the journal
// verifies, and continues every checkpoint that was signed; draws go on.
func TestKill(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		w := newWitness(t, dsn)
		for cycle := range kills {
			w.orders.Cycle = cycle
			w.killOne(t)
			w.look(t, cycle == kills-1)
		}
		if w.drawn < 3 || len(w.tickets) < 10*kills || len(w.paid) == 0 {
			t.Errorf("this was no load: %d draws, %d tickets, %d paid", w.drawn, len(w.tickets), len(w.paid))
		}
		t.Logf("%d draws, %d tickets, %d paid, %d records", w.drawn, len(w.tickets), len(w.paid), w.checkpoint.Size)
	})
}

// newWitness makes a lottery, for victims to run.
func newWitness(t *testing.T, dsn string) *witness {
	t.Helper()
	keys, err := central.NewKeys("kill.tirage.example/log")
	if err != nil {
		t.Fatal(err)
	}
	w := &witness{
		orders: orders{DSN: dsn, Keys: keys}, file: filepath.Join(t.TempDir(), "orders.json"),
		tickets: map[wager.ID]string{}, paid: map[wager.ID]money.Amount{}, secrets: map[wager.ID][8]byte{}, prices: map[wager.ID]money.Amount{},
	}
	l, err := openLottery(t.Context(), w.orders)
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	if w.orders.Terminals, err = furnish(t.Context(), l.sys); err != nil {
		t.Fatal(err)
	}
	return w
}

// furnish publishes the rules and opens an outlet for each seller.
func furnish(ctx context.Context, sys *central.System) (terminals []string, err error) {
	officer, err := sys.PutOfficer(ctx, central.PutOfficer{Key: "first", Login: "first", Password: "0123456789", Roles: []string{"all"}})
	if err != nil {
		return nil, err
	}
	book, err := killBook(sys.Now())
	if err != nil {
		return nil, err
	}
	if _, err := sys.PublishRules(ctx, central.PublishRules{Key: "rules", Officer: officer.ID, Book: book}); err != nil {
		return nil, err
	}
	for i := range sellers {
		key := "outlet/" + strconv.Itoa(i)
		outlet, err := sys.PutOutlet(ctx, central.PutOutlet{Key: key, Officer: officer.ID, Outlet: party.Outlet{
			Number: i + 1, Territory: "metropole", Zone: "Europe/Paris", CreditLimit: money.Limit,
		}})
		if err != nil {
			return nil, err
		}
		terminal, _, err := sys.PutTerminal(ctx, central.PutTerminal{Key: key + "/terminal", Officer: officer.ID, Outlet: outlet.ID})
		if err != nil {
			return nil, err
		}
		terminals = append(terminals, terminal.ID)
	}
	_, err = sys.Tick(ctx)
	return terminals, err
}

// witness remembers all that victims have acknowledged.
type witness struct {
	orders  orders
	file    string
	tickets map[wager.ID]string // key of each ticket
	secrets map[wager.ID][8]byte
	prices  map[wager.ID]money.Amount
	paid    map[wager.ID]money.Amount

	fresh      []wager.ID         // tickets of the last victim
	last       map[string]int     // its last acknowledged sale, by seller: the next one had no answer
	signed     [][]byte           // its checkpoints
	checkpoint journal.Checkpoint // as found after it
	drawn      int                // draws certified so far

	plays plays
}

// killOne starts a victim and kills it once it has been under load for a while.
func (w *witness) killOne(t *testing.T) {
	t.Helper()
	w.orders.Pay = nil
	for number, secret := range w.secrets { // some, in any order; most have been drawn
		if w.paid[number] == 0 && len(w.orders.Pay) < 50*sellers {
			w.orders.Pay = append(w.orders.Pay, held{number, secret})
		}
	}
	b, err := json.Marshal(w.orders)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(w.file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("victim", w.file)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe() // its end is the victim's
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stdin.Close() }()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.fresh, w.last, w.signed = nil, map[string]int{}, nil
	w.plays.last = map[int]int{}
	// Another moment in each cycle.
	load := time.Duration(100+23*(w.orders.Cycle*7%kills)) * time.Millisecond
	killed := false
	out := bufio.NewReader(stdout)
	for {
		line, err := out.ReadString('\n')
		if err != nil {
			break // a line that was cut off was not acknowledged
		}
		if !killed && (strings.HasPrefix(line, "sold ") || strings.HasPrefix(line, "unit ")) {
			killed = true
			time.AfterFunc(load, func() { _ = cmd.Process.Kill() })
		}
		if err := w.note(line); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
	}
	if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("the victim ended by itself: %v\n%s", err, stderr.String())
	}
	if strings.Contains(stderr.String(), "level=ERROR") {
		t.Errorf("the victim had errors:\n%s", stderr.String())
	}
}

// note notes an acknowledgement.
func (w *witness) note(line string) error {
	var what, key, secret, text string
	var number wager.ID
	var sum money.Amount
	what, text, _ = strings.Cut(strings.TrimSpace(line), " ")
	switch what {
	case "sold":
		if _, err := fmt.Sscan(text, &key, &number, &secret, &sum); err != nil {
			return err
		}
		b, err := hex.DecodeString(secret)
		if err != nil {
			return err
		}
		if err := w.add(key, number, [8]byte(b), sum); err != nil {
			return err
		}
		w.fresh = append(w.fresh, number)
		var cycle, seller, n int
		if _, err := fmt.Sscanf(key, "%d/%d/%d", &cycle, &seller, &n); err != nil {
			return err
		}
		w.last[fmt.Sprintf("%d/%d", cycle, seller)] = n
	case "unit":
		return w.noteUnit(text)
	case "paid":
		if _, err := fmt.Sscan(text, &number, &secret, &sum); err != nil {
			return err
		}
		w.paid[number] = w.paid[number].Add(sum)
	case "signed":
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return err
		}
		w.signed = append(w.signed, b)
	default:
		return fmt.Errorf("not an acknowledgement")
	}
	return nil
}

// look opens the database that a victim left, and compares.
func (w *witness) look(t *testing.T, last bool) {
	t.Helper()
	l, err := openLottery(t.Context(), w.orders)
	if err != nil {
		t.Fatalf("after kill %d: %v", w.orders.Cycle+1, err)
	}
	defer l.close()
	for _, check := range []struct {
		name string
		run  func(context.Context, *lottery) error
	}{{"journal", w.checkJournal}, {"tickets", w.checkFresh}, {"unanswered", w.sendAgain}, {"books", func(ctx context.Context, l *lottery) error { return l.sys.CheckBooks(ctx) }}} {
		if err := check.run(t.Context(), l); err != nil {
			t.Errorf("after kill %d: %s: %v", w.orders.Cycle+1, check.name, err)
		}
	}
	if last {
		if err := w.drawAll(t.Context(), l); err != nil {
			t.Errorf("draws at the end: %v", err)
		}
	}
	if err := w.checkDraws(t.Context(), l); err != nil {
		t.Errorf("after kill %d: draws: %v", w.orders.Cycle+1, err)
	}
	if t.Failed() {
		t.FailNow()
	}
}

// checkFresh: every ticket that was acknowledged is there, and its command gives it again.
func (w *witness) checkFresh(ctx context.Context, l *lottery) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(64)
	for _, number := range w.fresh {
		key, secret := w.tickets[number], w.secrets[number]
		g.Go(func() error {
			c, err := l.sys.Check(ctx, number, secret, time.UTC)
			if err != nil || c.Ticket.Price != w.prices[number] || c.Answer.Paid < w.paid[number] {
				return fmt.Errorf("ticket %d, sold for %s, paid %s: %+v, %w", number, w.prices[number], w.paid[number], c, err)
			}
			again, err := l.sys.Place(ctx, central.Place{Key: key, Terminal: l.terminalOf(key), Slip: slipOf(key)})
			if err != nil || again.Number != number || again.Secret != secret {
				return fmt.Errorf("ticket %d, sold again: %d, %w", number, again.Number, err)
			}
			return nil
		})
	}
	return g.Wait()
}

// terminalOf is the terminal that sells under a key.
func (l *lottery) terminalOf(key string) string {
	var cycle, seller int
	if _, err := fmt.Sscanf(key, "%d/%d/", &cycle, &seller); err != nil {
		return ""
	}
	return l.terminals[seller]
}

// sendAgain sends what had no answer, twice: whether it was done before the kill or not, it is one ticket.
func (w *witness) sendAgain(ctx context.Context, l *lottery) error {
	g, ctx := errgroup.WithContext(ctx)
	var mu sync.Mutex
	for prefix, n := range w.last {
		key := fmt.Sprintf("%s/%d", prefix, n+1)
		g.Go(func() error {
			p := central.Place{Key: key, Terminal: l.terminalOf(key), Slip: slipOf(key)}
			one, err := l.sys.Place(ctx, p)
			if err != nil {
				return fmt.Errorf("command %s: %w", key, err)
			}
			two, err := l.sys.Place(ctx, p)
			if err != nil || one.Number != two.Number || one.Secret != two.Secret {
				return fmt.Errorf("command %s: tickets %d and %d, %w", key, one.Number, two.Number, err)
			}
			mu.Lock()
			defer mu.Unlock()
			return w.add(key, one.Number, one.Secret, one.Price)
		})
	}
	return g.Wait()
}

// add adds a ticket: no two commands have the same.
func (w *witness) add(key string, number wager.ID, secret [8]byte, price money.Amount) error {
	if other, ok := w.tickets[number]; ok {
		return fmt.Errorf("ticket %d is of the commands %s and %s", number, other, key)
	}
	w.tickets[number], w.secrets[number], w.prices[number] = key, secret, price
	return nil
}

// checkJournal: the journal now continues all that was signed, by this victim and before it.
func (w *witness) checkJournal(ctx context.Context, l *lottery) error {
	verifier, err := l.sys.Verifier()
	if err != nil {
		return err
	}
	text, err := l.sys.Checkpoint()
	if err != nil {
		return err
	}
	now, err := journal.OpenCheckpoint(text, verifier)
	if err != nil {
		return err
	}
	earlier := []journal.Checkpoint{w.checkpoint}
	for _, text := range w.signed {
		c, err := journal.OpenCheckpoint(text, verifier)
		if err != nil {
			return err
		}
		earlier = append(earlier, c)
	}
	read := func(level int, n uint64, width int) ([]journal.Hash, error) {
		b, err := l.sys.Tile(ctx, level, n, width)
		hashes := make([]journal.Hash, len(b)/32)
		for i := range hashes {
			hashes[i] = journal.Hash(b[32*i:])
		}
		return hashes, err
	}
	for _, old := range earlier {
		if old.Size == 0 {
			continue
		}
		proof, err := journal.ProveConsistency(old.Size, now.Size, read)
		if err != nil {
			return fmt.Errorf("from %d to %d records: %w", old.Size, now.Size, err)
		}
		if err := journal.VerifyConsistency(old.Size, now.Size, old.Root, now.Root, proof); err != nil {
			return fmt.Errorf("from %d to %d records: %w", old.Size, now.Size, err)
		}
	}
	w.checkpoint = now
	return nil
}

// checkDraws: what is due is done in order, and nothing is lost.
func (w *witness) checkDraws(ctx context.Context, l *lottery) error {
	now := l.sys.Now() // another draw may come due behind the tick
	if _, err := l.sys.Tick(ctx); err != nil {
		return err
	}
	s, err := l.sys.Status(demoGame)
	if err != nil {
		return err
	}
	for _, d := range s.Closed {
		if d.DrawsAt.Before(now) {
			return fmt.Errorf("draw %d of %s is %s at %s", d.Number, d.DrawsAt, d.State, now)
		}
	}
	if len(s.Last) == 0 {
		return nil
	}
	if newest := s.Last[0].Number; newest < w.drawn {
		return fmt.Errorf("the last draw was %d, and is %d", w.drawn, newest)
	}
	w.drawn = s.Last[0].Number
	return nil
}

// drawAll has all draws drawn that any ticket is in, and then every ticket checked.
func (w *witness) drawAll(ctx context.Context, l *lottery) error {
	run, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	changed, unwatch := l.sys.Watch()
	defer unwatch()
	ran := make(chan error, 1)
	go func() { ran <- l.sys.Run(run) }()
	// A ticket is in the next draw and the one after.
	for end := l.sys.Now().Add(6 * time.Second); ; {
		s, err := l.sys.Status(demoGame)
		if err != nil {
			return err
		}
		if len(s.Last) > 0 && s.Last[0].DrawsAt.After(end) {
			break
		}
		select {
		case <-changed:
		case err := <-ran:
			return fmt.Errorf("draws do not go on: %+v, %w", s.Closed, err)
		}
	}
	stop()
	if err := <-ran; err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(16)
	for number := range w.tickets {
		g.Go(func() error {
			c, err := l.sys.Check(ctx, number, w.secrets[number], time.UTC)
			if err != nil {
				return err
			}
			a := c.Answer
			if a.Waiting != 0 || a.Standing != settle.Won && a.Standing != settle.Lost || a.Paid < w.paid[number] {
				return fmt.Errorf("ticket %d, paid %s: %+v", number, w.paid[number], a)
			}
			return nil
		})
	}
	return errors.Join(g.Wait(), l.sys.CheckBooks(context.WithoutCancel(ctx)))
}
