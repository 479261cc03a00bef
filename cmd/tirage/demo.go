package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tirage/central"
	"tirage/game"
	"tirage/instant"
	"tirage/internal/sim"
	"tirage/money"
	"tirage/party"
	"tirage/rng"
	"tirage/training"
	"tirage/web"
)

type demoCmd struct {
	Listen  string `default:"127.0.0.1:8080" help:"Address to answer on."`
	Data    string `default:"tirage-demo" type:"path" help:"Folder of its data: a second start goes on where the first stopped."`
	Sellers int    `default:"8" help:"Simulated outlets."`
	Players int    `default:"4" help:"Simulated players of the instant game."`
	JSON    bool   `name:"json" help:"Print one JSON line with the addresses and log-ins first."`
}

// Help shows how it is used.
func (demoCmd) Help() string {
	return "Two games, each with a draw a minute, round the clock, and an instant game on the portal, on an embedded database. Nothing in it is real. " +
		"Messages to players are written into the folder mail of its data.\n\n" +
		"Examples:\n  tirage demo\n  tirage demo --listen 127.0.0.1:9090 --data /tmp/demo --json"
}

// demoGame is the first of demoGames, which the demo runs.
const demoGame game.Code = "ile-au-tresor"

var demoGames = []game.Code{demoGame, "amigo"}

// Run starts the demo and runs it until it is interrupted.
func (c demoCmd) Run(e *env) error {
	if c.Sellers < 0 || c.Sellers > 200 || c.Players < 0 || c.Players > 200 {
		return errors.New("--sellers and --players must be 0 to 200")
	}
	logger := slog.New(slog.NewTextHandler(e.stderr, nil))
	secrets, err := openDemo(c.Data)
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(e.ctx, "tcp", c.Listen) // first: messages to players have its address
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }() // already, after serving
	at := addressOf(listener)
	node, err := openNode(e.ctx, nodeOptions{
		DSN: "sqlite:" + filepath.Join(c.Data, "tirage.db"), KeyFile: filepath.Join(c.Data, "keys.age"), Passphrase: secrets.Passphrase,
		Holder: at, Logger: logger, Site: at, Demo: true, Creditor: demoCreditor,
	})
	if err != nil {
		return err
	}
	defer node.close()
	school := training.New(node.sys, logger)
	defer school.Close()
	f := &furnisher{demoCmd: c, node: node, secrets: secrets}
	if err := f.furnish(e.ctx); err != nil {
		return fmt.Errorf("set up the demo: %w", err)
	}
	if err := f.addresses(at).print(e, c.JSON, filepath.Join(c.Data, demoMail)); err != nil {
		return err
	}
	return node.serve(e.ctx, listener, web.Options{Logger: logger, Training: school}, f.life...)
}

// demoCreditor takes direct debits of outlets: identifier and account are examples that banks print, and nobody's.
var demoCreditor = party.Creditor{Name: "Loterie de démonstration", ID: "FR72ZZZ123456", IBAN: "FR1420041010050500013M02606"}

// demoMandate is that of the demo's outlet: likewise.
var demoMandate = party.Mandate{ID: "DEMO-1", Holder: "Tabac de la démonstration", IBAN: "FR1420041010050500013M02606"}

// demoMail is where in its folder the demo writes messages to players.
const demoMail = "mail"

// demoSecrets is what the demo remembers beside its database.
type demoSecrets struct {
	Passphrase string `json:"passphrase"`
	Login      string `json:"login"`
	Password   string `json:"password"`
	Second     string `json:"second"` // password of the second officer
	Player     string `json:"player"` // password of the player
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
		if s.Second == "" || s.Player == "" { // the folder is from before there was a second officer, or a player
			s.Second, s.Player = cmp.Or(s.Second, newPassword()), cmp.Or(s.Player, newPassword())
			if err := s.write(file); err != nil {
				return s, err
			}
		}
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return s, err
		}
		s = demoSecrets{rand.Text(), "demo", newPassword(), newPassword(), newPassword()}
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

// demoEmail is the address of the demo's player, which does not exist (RFC 2606).
const demoEmail = "joueur@demo.example"

// furnisher sets the demo up. Every command has a fixed key, so that a second
// start repeats nothing.
type furnisher struct {
	demoCmd
	node    *node
	secrets demoSecrets

	officer, second string // ids
	device          string // key of the terminal
	life            []func(context.Context) error
}

func (f *furnisher) furnish(ctx context.Context) error {
	for _, step := range []func(context.Context) error{f.officers, f.games, f.outlets, f.instantGame, f.players} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (f *furnisher) officers(ctx context.Context) error {
	first, err := f.node.sys.PutOfficer(ctx, central.PutOfficer{
		Key: "demo", Login: f.secrets.Login, Password: f.secrets.Password, Roles: []string{"all"},
	})
	if err != nil {
		return err
	}
	f.officer = first.ID
	f.second, err = newOfficer(ctx, f.node.sys, f.officer, "demo/second", secondLogin, f.secrets.Second)
	return err
}

func (f *furnisher) games(ctx context.Context) error {
	for _, code := range demoGames {
		if _, err := f.node.sys.Rules(code); !errors.Is(err, central.ErrUnknownGame) {
			continue
		}
		book, err := demoBook(code)
		if err != nil {
			return err
		}
		if _, err := f.node.sys.PublishRules(ctx, central.PublishRules{Key: "demo/" + string(code), Officer: f.officer, Book: book}); err != nil {
			return err
		}
	}
	return nil
}

func (f *furnisher) outlets(ctx context.Context) error {
	sys := f.node.sys
	if sys.Terms() == nil {
		if _, err := sys.PublishTerms(ctx, central.PublishRules{Key: "demo/terms", Officer: f.officer, Book: party.TermsBook()}); err != nil {
			return err
		}
	}
	outlet, err := sys.PutOutlet(ctx, central.PutOutlet{Key: "demo/outlet", Officer: f.officer, Outlet: party.Outlet{
		Number: 1, Territory: "metropole", Zone: "Europe/Paris", CreditLimit: money.Euros(10_000),
	}})
	if err != nil {
		return err
	}
	if _, f.device, err = sys.PutTerminal(ctx, central.PutTerminal{Key: "demo/terminal", Officer: f.officer, Outlet: outlet.ID}); err != nil {
		return err
	}
	if _, err := sys.Mandate(ctx, outlet.ID); errors.Is(err, central.ErrNoMandate) {
		mandate := demoMandate
		mandate.SignedOn = int32(game.DayOf(sys.Now(), time.UTC))
		if err := sys.SetMandate(ctx, central.SetMandate{Key: "demo/mandate", Officer: f.officer, Outlet: outlet.ID, Mandate: mandate}); err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	for i := range f.Sellers {
		seller, err := sim.NewSeller(ctx, sys, f.officer, 100+i, f.seed())
		if err != nil {
			return err
		}
		f.goOn("a simulated outlet", func(ctx context.Context) error { return seller.Sell(ctx, demoGames, 700*time.Millisecond) })
	}
	return nil
}

// seed has the start in it, so that a second run does not repeat the first.
func (f *furnisher) seed() rng.Seed {
	return rng.Seed([]byte(fmt.Sprintf("%032d", f.node.sys.Now().UnixMicro())))
}

// demoPools is for how many pools of each price the demo commits secrets: months of play.
const demoPools = 10

// instantGame opens the instant game. Its pools are built beside, once the server runs.
func (f *furnisher) instantGame(ctx context.Context) error {
	sys := f.node.sys
	if sys.AccountRules() == nil {
		if _, err := sys.PublishAccounts(ctx, central.PublishRules{Key: "demo/accounts", Officer: f.officer, Book: party.Book()}); err != nil {
			return err
		}
	}
	if _, err := sys.Instant(demoInstant); errors.Is(err, central.ErrUnknownGame) {
		book, err := instant.Book(demoInstant)
		if err != nil {
			return err
		}
		if _, err := sys.PublishInstant(ctx, central.PublishRules{Key: "demo/instant", Officer: f.officer, Book: book}); err != nil {
			return err
		}
	}
	v, err := sys.Instant(demoInstant)
	if err != nil {
		return err
	}
	for _, p := range v.Prices {
		if err := commitSecrets(ctx, sys, [2]string{f.officer, f.second}, "demo/secrets", p.Table.Price, demoPools); err != nil {
			return err
		}
	}
	return launch(ctx, sys, f.officer, "demo/launch")
}

// demoBalance is what the demo's player has to begin with.
const demoBalance = money.Amount(50_00)

// players opens the account of the demo's player, and of those who are simulated.
func (f *furnisher) players(ctx context.Context) error {
	sys := f.node.sys
	post, err := mailFolder(filepath.Join(f.Data, demoMail), &mail.Address{Name: "Tirage, demo", Address: "loterie@demo.example"})
	if err != nil {
		return err
	}
	people := []sim.Newcomer{{Email: demoEmail, Password: f.secrets.Player, FirstName: "Camille", LastName: "Démo"}}
	for i := range f.Players {
		people = append(people, sim.Simulated(i+1))
	}
	ids, err := sim.Enrol(ctx, sys, f.officer, people, post)
	if err != nil {
		return err
	}
	// The key comes before those of the portal, as the command does.
	if _, err := sys.DepositDemo(ctx, "0", ids[0], demoBalance); err != nil && !sim.Refused(err) {
		return err
	}
	for _, id := range ids[1:] {
		gambler := sim.NewGambler(sys, id, f.seed())
		f.goOn("a simulated player", func(ctx context.Context) error { return gambler.Play(ctx, demoInstant, 8*time.Second) })
	}
	f.life = append(f.life, func(ctx context.Context) error { return post.deliver(ctx, sys, f.node.log) })
	return nil
}

// goOn has something simulated go on until the demo ends; an error, such as a
// disk that is full for a while, makes a pause.
func (f *furnisher) goOn(who string, run func(context.Context) error) {
	f.life = append(f.life, func(ctx context.Context) error {
		for ctx.Err() == nil {
			if err := run(ctx); err != nil {
				f.node.log.Error(who, "error", err)
				select {
				case <-ctx.Done():
				case <-time.After(5 * time.Second):
				}
			}
		}
		return nil
	})
}

// addresses is what the demo says of itself.
func (f *furnisher) addresses(at string) demoAddresses {
	face := func(path string) *string { address := at + path; return &address }
	return demoAddresses{
		Portal: face("/"), Terminal: face("/terminal"), Screen: face("/ecran"), Office: face("/office"), Log: face("/log/"),
		Logins: []demoLogin{
			{"portal", demoEmail, f.secrets.Player},
			{"terminal", "point de vente 1", f.device},
			{"office", f.secrets.Login, f.secrets.Password},
			{"office", secondLogin, f.secrets.Second},
		},
	}
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

// print says where the demo is, and where its messages go.
func (a demoAddresses) print(e *env, asJSON bool, mail string) error {
	if asJSON {
		return json.NewEncoder(e.stdout).Encode(a)
	}
	fmt.Fprintf(e.stdout, "Tirage, demo: nothing in it is real. Stop it with Ctrl-C.\n\n")
	for _, f := range []struct {
		name    string
		address *string
	}{{"portal", a.Portal}, {"terminal", a.Terminal}, {"screen", a.Screen}, {"office", a.Office}, {"log", a.Log}} {
		if f.address != nil {
			fmt.Fprintf(e.stdout, "  %-9s %s\n", f.name, *f.address)
		}
	}
	fmt.Fprintln(e.stdout, "\nLog-ins:")
	for _, l := range a.Logins {
		fmt.Fprintf(e.stdout, "  %-9s %-19s %s\n", l.Face, l.Name, l.Secret)
	}
	_, err := fmt.Fprintf(e.stdout, "\nMessages to players are written into %s.\n"+
		"The demo made both officers' secrets of the pools of the instant game: in a real lottery two people do.\n\n", mail)
	return err
}
