package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"filippo.io/age"
	"golang.org/x/sync/errgroup"

	"tirage/central"
	"tirage/party"
	"tirage/store"
	"tirage/training"
	"tirage/web"
)

// passphraseFlag is how the commands that open a key file get its passphrase.
type passphraseFlag struct {
	Passphrase string `env:"TIRAGE_PASSPHRASE" required:"" help:"Passphrase of the key file, 12 bytes or more; set $$TIRAGE_PASSPHRASE in the environment, where no process list shows it."`
}

type keysCmd struct {
	Out    string `required:"" type:"path" help:"The key file to make; it must not exist."`
	Origin string `required:"" help:"The name of the log in its checkpoints, such as loterie.example/tirage."`
	passphraseFlag
}

// Help shows how it is used.
func (keysCmd) Help() string {
	return "The file is sealed with age under the passphrase. Keep a copy of both away from the database: without them no node starts.\n\n" +
		"Examples:\n  TIRAGE_PASSPHRASE=… tirage keys --out lottery.keys --origin loterie.example/tirage"
}

// Run makes a key file.
func (c keysCmd) Run(e *env) error {
	if len(c.Passphrase) < 12 {
		return errors.New("passphrase must be 12 bytes or more")
	}
	keys, err := central.NewKeys(c.Origin)
	if err != nil {
		return err
	}
	if err := writeKeys(c.Out, keys, c.Passphrase); err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.stdout, "%s made for %s\n", c.Out, c.Origin)
	return err
}

// workFactor makes a guess at a passphrase cost 2^15 scrypt rounds (32 MB, 0.1 s).
const workFactor = 15

func writeKeys(file string, keys central.Keys, passphrase string) (err error) {
	recipient, err := age.NewScryptRecipient(passphrase)
	if err != nil {
		return fmt.Errorf("seal keys: %w", err)
	}
	recipient.SetWorkFactor(workFactor)
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := keys.Seal(f, recipient); err != nil {
		return err
	}
	return f.Sync()
}

func readKeys(file, passphrase string) (central.Keys, error) {
	identity, err := age.NewScryptIdentity(passphrase)
	if err != nil {
		return central.Keys{}, fmt.Errorf("open keys: %w", err)
	}
	f, err := os.Open(file)
	if err != nil {
		return central.Keys{}, err
	}
	defer func() { _ = f.Close() }()
	keys, err := central.OpenKeys(f, identity)
	if none := new(age.NoIdentityMatchError); errors.As(err, &none) {
		return central.Keys{}, fmt.Errorf("wrong passphrase for %s", file)
	}
	return keys, err
}

type serveCmd struct {
	DB     string `name:"db" required:"" help:"sqlite:FILE or postgres://…"`
	Keys   string `required:"" type:"existingfile" help:"The key file (tirage keys)."`
	Listen string `default:"127.0.0.1:8080" help:"Address to answer on."`
	// Control has one value until the control system stands.
	Control  string `default:"none" enum:"none" help:"Who certifies draws: none."`
	Insecure bool   `help:"Allow sign-on over plain HTTP from other machines, on a private network."`
	// Without it all clients behind a proxy are one, and share one client's limits.
	Proxy []netip.Prefix `placeholder:"ADDR/BITS" help:"Proxies that speak TLS for the server: what they say of a client (X-Forwarded-For, X-Forwarded-Proto) is believed."`
	Site  string         `placeholder:"URL" help:"Public address of the portal, as messages to players have it (default: that of --listen)."`
	// Without it a mistyped address, or an officer who means harm, would make the server speak to its own neighbours.
	Printers []netip.Prefix `placeholder:"ADDR/BITS" help:"Networks in which terminals' printers stand, such as 192.168.1.0/24: tickets are sent nowhere else (default: nowhere)."`
	mailFlags
	payerFlags
	creditorFlags
	passphraseFlag
}

// creditorFlags say to whom direct debits of outlets are paid.
type creditorFlags struct {
	Creditor     string `name:"creditor" placeholder:"NAME" help:"To whom direct debits of outlets are paid, as the bank knows the operator. Without it no file of direct debits is made."`
	CreditorID   string `name:"creditor-id" placeholder:"ICS" help:"Its SEPA identifier of a creditor; needed with --creditor."`
	CreditorIBAN string `name:"creditor-iban" placeholder:"IBAN" help:"The account that direct debits are paid to; needed with --creditor."`
	CreditorBIC  string `name:"creditor-bic" placeholder:"BIC" help:"Of its bank; most need none."`
}

// creditor is the one that the flags name, none for none.
func (f creditorFlags) creditor() (party.Creditor, error) {
	if f == (creditorFlags{}) {
		return party.Creditor{}, nil
	}
	id, idErr := party.ParseCreditorID(f.CreditorID)
	iban, ibanErr := party.ParseIBAN(f.CreditorIBAN)
	if err := errors.Join(idErr, ibanErr); err != nil || f.Creditor == "" {
		return party.Creditor{}, errors.Join(errors.New("want --creditor with --creditor-id and --creditor-iban"), err)
	}
	bic, ok := party.ParseBIC(f.CreditorBIC)
	if !ok {
		return party.Creditor{}, fmt.Errorf("--creditor-bic: %q is not a BIC", f.CreditorBIC)
	}
	return party.Creditor{Name: f.Creditor, ID: id, IBAN: iban, BIC: bic}, nil
}

// payerFlags say whose account withdrawals are paid from.
type payerFlags struct {
	Name string `name:"payer" placeholder:"NAME" help:"Who pays withdrawals, as the bank knows the operator. Without it no payment file is made."`
	IBAN string `name:"payer-iban" placeholder:"IBAN" help:"The account that withdrawals are paid from; needed with --payer."`
	BIC  string `name:"payer-bic" placeholder:"BIC" help:"Of its bank; most need none."`
}

// payer is the one that the flags name, none for none.
func (f payerFlags) payer() (party.Payer, error) {
	if f == (payerFlags{}) {
		return party.Payer{}, nil
	}
	iban, err := party.ParseIBAN(f.IBAN)
	if err != nil || f.Name == "" {
		return party.Payer{}, errors.Join(errors.New("want --payer with --payer-iban"), err)
	}
	bic, ok := party.ParseBIC(f.BIC)
	if !ok {
		return party.Payer{}, fmt.Errorf("--payer-bic: %q is not a BIC", f.BIC)
	}
	return party.Payer{Name: f.Name, IBAN: iban, BIC: bic}, nil
}

// Help shows how it is used.
func (serveCmd) Help() string {
	return "Examples:\n  TIRAGE_PASSPHRASE=… tirage serve --db sqlite:lottery.db --keys lottery.keys\n" +
		"  TIRAGE_PASSPHRASE=… tirage serve --db postgres://tirage@db1,db2/tirage --keys lottery.keys --listen 127.0.0.1:8081\n" +
		"  TIRAGE_PASSPHRASE=… TIRAGE_MAIL_PASSWORD=… tirage serve --db sqlite:lottery.db --keys lottery.keys --site https://loterie.example \\\n" +
		"    --mail smtp://tirage@mail.example:587 --mail-from joueurs@loterie.example"
}

// Run serves until it is interrupted.
func (c serveCmd) Run(e *env) error {
	logger := slog.New(slog.NewTextHandler(e.stderr, nil))
	post, err := c.open()
	if err != nil {
		return err
	}
	payer, err := c.payer()
	if err != nil {
		return err
	}
	creditor, err := c.creditor()
	if err != nil {
		return err
	}
	site := c.Site
	if site == "" {
		if site, err = siteOf(c.Listen); err != nil {
			return err
		}
		logger.Warn("no public address is set: codes on tickets and messages to players lead to this machine (--site)", "site", site)
	}
	node, err := openNode(e.ctx, nodeOptions{
		DSN: c.DB, KeyFile: c.Keys, Passphrase: c.Passphrase, Holder: "http://" + c.Listen, Logger: logger, Site: site, Payer: payer, Creditor: creditor,
	})
	if err != nil {
		return err
	}
	defer node.close()
	school := training.New(node.sys, logger)
	defer school.Close()
	if !node.sys.HasOfficers() { // perhaps the wrong file: selling into a new one would be noticed late
		return errors.New("no lottery in this database: make its first officer (tirage officer --help)")
	}
	listener, err := new(net.ListenConfig).Listen(e.ctx, "tcp", c.Listen)
	if err != nil {
		return err
	}
	logger.Info("serving", "address", addressOf(listener), "engine", node.db.Engine())
	defer logger.Info("stopped")
	var others []func(context.Context) error
	if post == nil {
		logger.Warn("no way is set for messages to players: they wait in the outbox (--mail)")
	} else {
		others = append(others, func(ctx context.Context) error { return post.deliver(ctx, node.sys, logger) })
	}
	return node.serve(e.ctx, listener, web.Options{Logger: logger, Insecure: c.Insecure, Proxies: c.Proxy, Printers: c.Printers, Training: school}, others...)
}

// addressOf is the address at which a browser on this machine finds a listener,
// on whichever of its interfaces it listens.
func addressOf(l net.Listener) string { return addressAt(l.Addr()) }

func addressAt(addr net.Addr) string {
	at, ok := addr.(*net.TCPAddr)
	if ok && (len(at.IP) == 0 || at.IP.IsUnspecified()) {
		return fmt.Sprintf("http://localhost:%d", at.Port)
	}
	return "http://" + addr.String()
}

// siteOf is addressOf of a listener to come, by where it is to listen.
func siteOf(listen string) (string, error) {
	at, err := net.ResolveTCPAddr("tcp", listen)
	if err != nil {
		return "", fmt.Errorf("--listen: %w", err)
	}
	return addressAt(at), nil
}

type officerCmd struct {
	DB    string `name:"db" required:"" help:"sqlite:FILE or postgres://…"`
	Keys  string `required:"" type:"existingfile" help:"The key file (tirage keys)."`
	Login string `arg:"" help:"3 to 32 of a–z, 0–9, dot, dash."`
	passphraseFlag
	Password string `env:"TIRAGE_PASSWORD" required:"" help:"The officer's password, 10 to 200 characters; set it in the environment."`
}

// Help shows how it is used.
func (officerCmd) Help() string {
	return "Only a lottery without officers takes its first one so, from who holds its keys; with SQLite, while no server runs.\n" +
		"The first makes the second in the office; all others take two officers.\n\n" +
		"Examples:\n  TIRAGE_PASSPHRASE=… TIRAGE_PASSWORD=… tirage officer anne --db sqlite:lottery.db --keys lottery.keys"
}

// Run makes the first officer.
func (c officerCmd) Run(e *env) error {
	node, err := openNode(e.ctx, nodeOptions{
		DSN: c.DB, KeyFile: c.Keys, Passphrase: c.Passphrase, Holder: "tirage officer", Logger: slog.New(slog.NewTextHandler(e.stderr, nil)),
	})
	if err != nil {
		return err
	}
	defer node.close()
	if node.sys.HasOfficers() {
		return errors.New("this lottery has an officer already: the first is made so, and no other")
	}
	o, err := node.sys.PutOfficer(e.ctx, central.PutOfficer{Key: "first/" + c.Login, Login: c.Login, Password: c.Password, Roles: []string{"all"}})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.stdout, "officer %s made for %s\n", o.ID, c.Login)
	return err
}

type booksCmd struct {
	DB   string `name:"db" required:"" help:"sqlite:FILE or postgres://…"`
	Keys string `required:"" type:"existingfile" help:"The key file (tirage keys)."`
	passphraseFlag
}

// Help shows how it is used.
func (booksCmd) Help() string {
	return "Reads the whole journal, recomputes every table, the Merkle tree and the balances, and names the first difference; with SQLite, while no server runs.\n\n" +
		"Examples:\n  TIRAGE_PASSPHRASE=… tirage books --db sqlite:lottery.db --keys lottery.keys"
}

// Run checks the books.
func (c booksCmd) Run(e *env) error {
	node, err := openNode(e.ctx, nodeOptions{
		DSN: c.DB, KeyFile: c.Keys, Passphrase: c.Passphrase, Holder: "tirage books", Logger: slog.New(slog.NewTextHandler(e.stderr, nil)),
	})
	if err != nil {
		return err
	}
	defer node.close()
	if err := node.sys.CheckBooks(e.ctx); err != nil {
		return err
	}
	checkpoint, err := node.sys.Checkpoint()
	if err != nil {
		return err
	}
	key, err := node.sys.VerifierKey()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.stdout, "the books are right\nverifier key: %s\n%s", key, checkpoint)
	return err
}

// node is a running system with what it holds open.
type node struct {
	log  *slog.Logger
	db   *store.DB
	sys  *central.System
	lock *os.File
}

// nodeOptions is what a node is opened with.
type nodeOptions struct {
	DSN, KeyFile, Passphrase string
	Holder                   string // of the lock, as others are told
	Logger                   *slog.Logger
	Site                     string // see [central.Options]
	Demo                     bool
	Payer                    party.Payer
	Creditor                 party.Creditor
}

// openNode opens a node. A SQLite file is held by one process at a time: the
// second is told who holds it.
func openNode(ctx context.Context, o nodeOptions) (*node, error) {
	n := &node{log: o.Logger}
	keys, err := readKeys(o.KeyFile, o.Passphrase)
	if err != nil {
		return nil, err
	}
	if file, ok := strings.CutPrefix(o.DSN, "sqlite:"); ok {
		if real, err := filepath.EvalSymlinks(file); err == nil {
			file = real // one lock for all names of a file
		}
		if n.lock, err = takeLock(file+".lock", o.Holder); err != nil {
			return nil, err
		}
	}
	if n.db, err = store.Open(ctx, o.DSN); err != nil {
		n.close()
		return nil, err
	}
	n.sys, err = central.Open(ctx, central.Options{
		DB: n.db, Keys: keys, Clock: central.SystemClock(), Control: "none", Logger: o.Logger, Site: o.Site, Demo: o.Demo, Payer: o.Payer, Creditor: o.Creditor,
	})
	if err != nil {
		n.close()
		return nil, err
	}
	return n, nil
}

// serve runs the scheduler, the faces, and whatever else comes with them, until ctx ends or one of them fails.
func (n *node) serve(ctx context.Context, l net.Listener, o web.Options, others ...func(context.Context) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return n.sys.Run(ctx) })
	g.Go(func() error { return web.Serve(ctx, l, web.New(n.sys, o)) })
	for _, other := range others {
		g.Go(func() error { return other(ctx) })
	}
	return g.Wait()
}

func (n *node) close() {
	if n.sys != nil {
		n.sys.Close()
	}
	if n.db != nil {
		_ = n.db.Close()
	}
	if n.lock != nil {
		_ = n.lock.Close() // and so gives the lock back
	}
}

// takeLock takes a lock file for the life of the process: a killed one leaves none behind.
func takeLock(file, holder string) (*os.File, error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		who, _ := io.ReadAll(io.LimitReader(f, 200))
		_ = f.Close()
		return nil, fmt.Errorf("%s is held by %s", strings.TrimSuffix(file, ".lock"), strings.TrimSpace(string(who)))
	}
	err = f.Truncate(0)
	if err == nil {
		_, err = fmt.Fprintf(f, "process %d, %s\n", os.Getpid(), holder)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
