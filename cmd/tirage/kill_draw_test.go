package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"tirage/central"
	"tirage/draw"
	"tirage/game"
	"tirage/internal/dbtest"
	"tirage/internal/sim"
	"tirage/ledger"
	"tirage/money"
	"tirage/party"
	"tirage/rng"
	"tirage/settle"
	"tirage/store"
	"tirage/wager"
)

// drawsAt is a Monday's draws 95 of both games.
var drawsAt = time.Date(2027, 1, 4, 11, 0, 0, 0, time.UTC)

// drawGames are those whose draws are killed.
var drawGames = []game.Code{"amigo", "ile-au-tresor"}

// TestKill_Draw kills a node, kill -9, between every two steps from the close of
// a draw to its certification, and within the turns of these steps, for both
// games, one after another on one database: wherever it reads its clock, until a
// node comes to the end. What is drawn and won then is the same as on a copy
// where nothing was killed: the result follows from the keys and the close
// record, and the prizes from the result (F04).
func TestKill_Draw(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, dsn string) {
		keys, err := central.NewKeys("kill.tirage.example/log")
		if err != nil {
			t.Fatal(err)
		}
		o := orders{DSN: dsn, Keys: keys, Now: drawsAt.Add(-5 * time.Minute)}
		tickets := sellDraw(t, o)
		o.Now = drawsAt
		other := o
		other.DSN = clone(t, dsn)
		want := drawAndLook(t, other, tickets)

		kills, seen := 0, map[string]bool{}
		for o.Stop = 1; !killStopped(t, o); kills++ {
			now := stand(t, dsn)
			if seen[now] {
				o.Stop++
			} else {
				o.Stop = max(1, o.Stop-2) // they have come further: again from before the turn of that
			}
			seen[now] = true
		}
		for _, code := range drawGames {
			for _, state := range []draw.State{draw.Closed, draw.Drawn, draw.Settled} {
				if !slices.ContainsFunc(slices.Collect(maps.Keys(seen)), func(now string) bool {
					return strings.Contains(now, fmt.Sprintf("%s %s ", code, state))
				}) {
					t.Errorf("no node was killed while the draw of %s was %s", code, state)
				}
			}
		}
		t.Logf("%d kills", kills)
		o.Stop = 0
		if diff := cmp.Diff(want, drawAndLook(t, o, tickets)); diff != "" {
			t.Errorf("killed at every step, the draws come to something else (-not killed +killed):\n%s", diff)
		}
	})
}

// sellDraw opens a lottery with both games and sells tickets of all kinds.
func sellDraw(t *testing.T, o orders) (tickets []wager.Ticket) {
	t.Helper()
	l, err := openLottery(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	ctx := t.Context()
	officer, err := l.sys.PutOfficer(ctx, central.PutOfficer{Key: "first", Login: "first", Password: "0123456789", Roles: []string{"all"}})
	check(t, err)
	for _, code := range drawGames {
		book, err := game.Book(code)
		check(t, err)
		_, err = l.sys.PublishRules(ctx, central.PublishRules{Key: "rules " + string(code), Officer: officer.ID, Book: book})
		check(t, err)
	}
	outlet, err := l.sys.PutOutlet(ctx, central.PutOutlet{Key: "outlet", Officer: officer.ID, Outlet: party.Outlet{
		Number: 1, Territory: "metropole", Zone: "Europe/Paris", CreditLimit: money.Limit,
	}})
	check(t, err)
	terminal, _, err := l.sys.PutTerminal(ctx, central.PutTerminal{Key: "terminal", Officer: officer.ID, Outlet: outlet.ID})
	check(t, err)
	_, err = l.sys.Tick(ctx)
	check(t, err)
	choose := rng.NewStream(rng.Seed{}, "kill")
	for n := range 200 {
		r, err := l.sys.Rules(drawGames[n%2])
		check(t, err)
		slip := sim.Slip(r, choose)
		sold, err := l.sys.Place(ctx, central.Place{Key: fmt.Sprint("sale ", n), Terminal: terminal.ID, Slip: slip})
		if err != nil && !sim.Refused(err) {
			t.Fatal(err)
		}
		if err == nil {
			tickets = append(tickets, sold)
		}
	}
	if len(tickets) < 50 {
		t.Fatalf("only %d tickets", len(tickets))
	}
	return tickets
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// outcomes is what draws came to.
type outcomes struct {
	Draws    []drawOutcome
	Answers  []string // to checks, by ticket
	Balances map[string]money.Amount
}

type drawOutcome struct {
	Game    game.Code
	Close   []byte // the record
	Result  game.Result
	Times   int
	Shares  []settle.Share
	Jackpot string
}

// drawAndLook lets what is due be done, and looks.
func drawAndLook(t *testing.T, o orders, tickets []wager.Ticket) (out outcomes) {
	t.Helper()
	l, err := openLottery(t.Context(), o)
	check(t, err)
	defer l.close()
	ctx := t.Context()
	_, err = l.sys.Tick(ctx)
	check(t, err)
	for _, code := range drawGames {
		v := drawn(t, l, code)
		if v.State != draw.Certified {
			t.Fatalf("%s is %s", code, v.State)
		}
		d := drawOutcome{Game: code, Result: v.Result, Times: v.Times, Shares: v.Settlement.Shares}
		if j := v.Settlement.Jackpot; j != nil {
			d.Jackpot = fmt.Sprintf("%+v %s", *j, j.Carried)
		}
		check(t, l.db.View(ctx, func(tx *store.Snapshot) error {
			steps, err := tx.Steps(ctx, []int64{int64(v.ID)})
			if err != nil {
				return err
			}
			i := slices.IndexFunc(steps, func(s store.Step) bool { return s.State == draw.Closed.String() })
			d.Close, _, err = tx.Record(ctx, steps[i].Record)
			return err
		}))
		out.Draws = append(out.Draws, d)
	}
	for _, ticket := range tickets {
		c, err := l.sys.Check(ctx, ticket.Number, ticket.Secret, time.UTC)
		check(t, err)
		out.Answers = append(out.Answers, fmt.Sprintf("%+v", c.Answer))
	}
	check(t, l.db.View(ctx, func(tx *store.Snapshot) (err error) {
		out.Balances, err = tx.Balances(ctx)
		return err
	}))
	if out.Balances[string(ledger.Jackpot("amigo"))] == 0 {
		t.Error("the draw of Amigo did not move the jackpot")
	}
	check(t, l.sys.CheckBooks(ctx))
	return out
}

func drawn(t *testing.T, l *lottery, code game.Code) central.DrawView {
	t.Helper()
	v, err := l.sys.Draw(t.Context(), code, game.DayOf(drawsAt, time.UTC), benchDraw)
	check(t, err)
	return v
}

// stand is how far the draws have come: "amigo drawn ile-au-tresor closed ".
func stand(t *testing.T, dsn string) (states string) {
	t.Helper()
	db, err := store.Open(t.Context(), dsn)
	check(t, err)
	defer func() { check(t, db.Close()) }()
	check(t, db.View(t.Context(), func(tx *store.Snapshot) error {
		for _, code := range drawGames {
			draws, err := tx.DrawsOfDay(t.Context(), string(code), int32(game.DayOf(drawsAt, time.UTC)))
			if err != nil {
				return err
			}
			i := slices.IndexFunc(draws, func(d store.Draw) bool { return d.Number == benchDraw })
			steps, err := tx.Steps(t.Context(), []int64{draws[i].ID})
			if err != nil {
				return err
			}
			states += fmt.Sprintf("%s %s ", code, steps[len(steps)-1].State)
		}
		return nil
	}))
	return states
}

// killStopped starts a victim that draws, and kills it where it has stopped; or
// it has nothing left to do, and says that it is done.
func killStopped(t *testing.T, o orders) (done bool) {
	t.Helper()
	b, err := json.Marshal(o)
	check(t, err)
	file := filepath.Join(t.TempDir(), "orders.json")
	check(t, os.WriteFile(file, b, 0o600))
	cmd := exec.Command("victim", file)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe() // its end is the victim's
	check(t, err)
	defer func() { _ = stdin.Close() }()
	stdout, err := cmd.StdoutPipe()
	check(t, err)
	check(t, cmd.Start())
	line, err := bufio.NewReader(stdout).ReadString('\n')
	check(t, cmd.Process.Kill())
	_ = cmd.Wait()
	if err != nil || line != "stopped\n" && line != "done\n" {
		t.Fatalf("the victim said %q, %v\n%s", line, err, stderr.String())
	}
	return line == "done\n"
}

// clone copies a database that nobody has open.
func clone(t *testing.T, dsn string) string {
	t.Helper()
	if file, ok := strings.CutPrefix(dsn, "sqlite:"); ok {
		b, err := os.ReadFile(file)
		check(t, err)
		file = filepath.Join(t.TempDir(), "clone.db")
		check(t, os.WriteFile(file, b, 0o600))
		return "sqlite:" + file
	}
	address, err := url.Parse(dsn)
	check(t, err)
	name := strings.TrimPrefix(address.Path, "/")
	address.Path = "/postgres"
	conn, err := pgx.Connect(t.Context(), address.String())
	check(t, err)
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	_, err = conn.Exec(t.Context(), "CREATE DATABASE "+name+"_clone TEMPLATE "+name)
	check(t, err)
	address.Path = "/" + name + "_clone"
	return address.String()
}

// runStopper is the victim that draws: it does all that is due, and stops at the so many-th time that it reads its clock.
func runStopper(ctx context.Context, o orders) error {
	var reads atomic.Int64
	var counting atomic.Bool
	o.clock = func() time.Time {
		if counting.Load() && reads.Add(1) == int64(o.Stop) {
			_, _ = io.WriteString(os.Stdout, "stopped\n")
			select {} // until it is killed
		}
		return o.Now
	}
	l, err := openLottery(ctx, o)
	if err != nil {
		return err
	}
	counting.Store(true)
	if _, err := l.sys.Tick(ctx); err != nil {
		return err
	}
	_, err = io.WriteString(os.Stdout, "done\n")
	return err
}
