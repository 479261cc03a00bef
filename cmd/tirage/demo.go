package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tirage/central"
	"tirage/game"
	"tirage/internal/sim"
	"tirage/money"
	"tirage/party"
	"tirage/rng"
	"tirage/web"
)

type demoCmd struct {
	Listen  string `default:"127.0.0.1:8080" help:"Address to answer on."`
	Data    string `default:"tirage-demo" type:"path" help:"Folder of its data: a second start goes on where the first stopped."`
	Sellers int    `default:"8" help:"Simulated outlets."`
	JSON    bool   `name:"json" help:"Print one JSON line with the addresses and log-ins first."`
}

// Help shows how it is used.
func (demoCmd) Help() string {
	return "Two games, each with a draw a minute, round the clock, on an embedded database. Nothing in it is real.\n\n" +
		"Examples:\n  tirage demo\n  tirage demo --listen 127.0.0.1:9090 --data /tmp/demo --json"
}

// demoGame is the first of demoGames, which the demo runs.
const demoGame game.Code = "ile-au-tresor"

var demoGames = []game.Code{demoGame, "amigo"}

// Run starts the demo and runs it until it is interrupted.
func (c demoCmd) Run(e *env) error {
	if c.Sellers < 0 || c.Sellers > 200 {
		return errors.New("--sellers must be 0 to 200")
	}
	logger := slog.New(slog.NewTextHandler(e.stderr, nil))
	secrets, err := openDemo(c.Data)
	if err != nil {
		return err
	}
	db := "sqlite:" + filepath.Join(c.Data, "tirage.db")
	node, err := openNode(e.ctx, db, filepath.Join(c.Data, "keys.age"), secrets.Passphrase, "http://"+c.Listen, logger)
	if err != nil {
		return err
	}
	defer node.close()
	listener, err := new(net.ListenConfig).Listen(e.ctx, "tcp", c.Listen)
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }() // already, after serving
	about, sell, err := c.furnish(e.ctx, node, secrets, addressOf(listener))
	if err != nil {
		return err
	}
	if err := about.print(e, c.JSON); err != nil {
		return err
	}
	return node.serve(e.ctx, listener, web.Options{Logger: logger}, sell...)
}

// demoSecrets is what the demo remembers beside its database.
type demoSecrets struct {
	Passphrase string `json:"passphrase"`
	Login      string `json:"login"`
	Password   string `json:"password"`
	Second     string `json:"second"` // password of the second officer
}

// openDemo makes the data folder with its keys, or finds it again.
func openDemo(folder string) (demoSecrets, error) {
	var s demoSecrets
	file := filepath.Join(folder, "demo.json")
	b, err := os.ReadFile(file)
	switch {
	case err == nil:
		if err := json.Unmarshal(b, &s); err != nil {
			return s, fmt.Errorf("%s: %w", file, err)
		}
		if s.Second == "" { // the folder is from before there was a second officer
			s.Second = newPassword()
			if err := s.write(file); err != nil {
				return s, err
			}
		}
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return s, err
		}
		s = demoSecrets{rand.Text(), "demo", newPassword(), newPassword()}
		if err := s.write(file); err != nil {
			return s, err
		}
	default:
		return s, err
	}
	keyFile := filepath.Join(folder, "keys.age")
	if _, err := os.Stat(keyFile); !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	keys, err := central.NewKeys("demo-" + strings.ToLower(rand.Text()[:8]) + ".tirage.example/log")
	if err != nil {
		return s, err
	}
	return s, writeKeys(keyFile, keys, s.Passphrase)
}

func newPassword() string { return strings.ToLower(rand.Text()[:12]) }

// write replaces the file whole: without it the keys of the folder are lost.
func (s demoSecrets) write(file string) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := os.WriteFile(file+".new", b, 0o600); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

// demoAddresses is the JSON line: addresses are null until their face is built.
type demoAddresses struct {
	Portal   *string     `json:"portal"`
	Terminal *string     `json:"terminal"`
	Screen   *string     `json:"screen"`
	Office   *string     `json:"office"`
	API      *string     `json:"api"`
	Log      *string     `json:"log"`
	Metrics  *string     `json:"metrics"`
	Logins   []demoLogin `json:"logins"`
}

type demoLogin struct {
	Face   string `json:"face"`
	Name   string `json:"name"`
	Secret string `json:"secret"`
}

// secondLogin is the officer who approves what the first proposes.
const secondLogin = "demo2"

// furnish publishes the rules, opens the outlets, and returns what sells.
// Every command has a fixed key, so that a second start repeats nothing.
func (c demoCmd) furnish(ctx context.Context, n *node, secrets demoSecrets, at string) (demoAddresses, []func(context.Context) error, error) {
	fail := func(err error) (demoAddresses, []func(context.Context) error, error) {
		return demoAddresses{}, nil, fmt.Errorf("set up the demo: %w", err)
	}
	officer, err := n.sys.PutOfficer(ctx, central.PutOfficer{Key: "demo", Login: secrets.Login, Password: secrets.Password, Roles: []string{"all"}})
	if err != nil {
		return fail(err)
	}
	// The password that is printed is his own: a first one would have to be changed.
	first := secrets.Second + "-first"
	second, err := n.sys.PutOfficer(ctx, central.PutOfficer{Key: "demo/second", By: officer.ID, Login: secondLogin, Password: first, Roles: []string{"all"}})
	if err != nil {
		return fail(err)
	}
	if err := n.sys.ChangePassword(ctx, central.ChangePassword{Key: "demo/password", Officer: second.ID, Old: first, New: secrets.Second}); err != nil {
		return fail(err)
	}
	for _, code := range demoGames {
		if _, err := n.sys.Rules(code); !errors.Is(err, central.ErrUnknownGame) {
			continue
		}
		book, err := demoBook(code)
		if err != nil {
			return fail(err)
		}
		if _, err := n.sys.PublishRules(ctx, central.PublishRules{Key: "demo/" + string(code), Officer: officer.ID, Book: book}); err != nil {
			return fail(err)
		}
	}
	outlet, err := n.sys.PutOutlet(ctx, central.PutOutlet{Key: "demo/outlet", Officer: officer.ID, Outlet: party.Outlet{
		Number: 1, Territory: "metropole", Zone: "Europe/Paris", CreditLimit: money.Euros(10_000),
	}})
	if err != nil {
		return fail(err)
	}
	_, device, err := n.sys.PutTerminal(ctx, central.PutTerminal{Key: "demo/terminal", Officer: officer.ID, Outlet: outlet.ID})
	if err != nil {
		return fail(err)
	}
	var sell []func(context.Context) error
	for i := range c.Sellers {
		// The start is in the seed, so that a second run does not repeat the first.
		seed := rng.Seed([]byte(fmt.Sprintf("%032d", n.sys.Now().UnixMicro())))
		seller, err := sim.NewSeller(ctx, n.sys, officer.ID, 100+i, seed)
		if err != nil {
			return fail(err)
		}
		sell = append(sell, func(ctx context.Context) error { return keepSelling(ctx, seller, n.log) })
	}
	face := func(path string) *string { address := at + path; return &address }
	return demoAddresses{
		Terminal: face("/terminal"), Screen: face("/ecran"), Office: face("/office"), Log: face("/log/"),
		Logins: []demoLogin{
			{"terminal", "point de vente 1", device},
			{"office", secrets.Login, secrets.Password},
			{"office", secondLogin, secrets.Second},
		},
	}, sell, nil
}

// keepSelling sells until ctx ends; an error, such as a disk that is full for a
// while, makes a pause.
func keepSelling(ctx context.Context, seller *sim.Seller, log *slog.Logger) error {
	for ctx.Err() == nil {
		if err := seller.Sell(ctx, demoGames, 700*time.Millisecond); err != nil {
			log.Error("a simulated outlet", "error", err)
			select {
			case <-ctx.Done():
			case <-time.After(5 * time.Second):
			}
		}
	}
	return nil
}

// demoBook is the rule book with a draw a minute, in sessions of an hour, round the clock.
func demoBook(code game.Code) ([]byte, error) {
	b, err := game.Book(code)
	if err != nil {
		return nil, err
	}
	var sessions strings.Builder
	sessions.WriteString("  sessions:\n")
	for first := 1; first < 24*60; first += 60 {
		fmt.Fprintf(&sessions, "    - {weekdays: [mon, tue, wed, thu, fri, sat, sun], draws: [%d, %d]}\n", first, first+59)
	}
	book := string(b)
	calendar, rest, ok := strings.Cut(book, "\ncalendar:\n")
	before, territories, ok2 := strings.Cut(rest, "  territories:")
	if !ok || !ok2 || strings.Contains(before, "\nclaims:") {
		return nil, fmt.Errorf("the calendar of the rule book %s is not where it was", code)
	}
	return []byte(calendar + "\ncalendar:\n  zone: Europe/Paris\n  first_at: \"00:00\"\n  every: 1m\n  open_before: 5m\n  close_before: 10s\n" +
		sessions.String() + "  territories:" + territories), nil
}

func (a demoAddresses) print(e *env, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(e.stdout).Encode(a)
	}
	fmt.Fprintf(e.stdout, "Tirage, demo: nothing in it is real. Stop it with Ctrl-C.\n\n")
	for _, f := range []struct {
		name    string
		address *string
	}{{"terminal", a.Terminal}, {"screen", a.Screen}, {"office", a.Office}, {"log", a.Log}} {
		if f.address != nil {
			fmt.Fprintf(e.stdout, "  %-9s %s\n", f.name, *f.address)
		}
	}
	fmt.Fprintln(e.stdout, "\nLog-ins:")
	for _, l := range a.Logins {
		fmt.Fprintf(e.stdout, "  %-9s %-17s %s\n", l.Face, l.Name, l.Secret)
	}
	_, err := fmt.Fprintln(e.stdout)
	return err
}
