// Command tirage-verify checks what a lottery says with public records alone.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"tirage/verify"
)

// Exit codes.
const (
	exitOK         = 0
	exitRefuted    = 1
	exitNotChecked = 2 // also of a command line that is not understood
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// cli is the command line.
type cli struct {
	Unit unitCmd `cmd:"" help:"Check a unit of an instant game: its prize was fixed before it was sold, and is the one that was paid."`
	Pool poolCmd `cmd:"" help:"Derive a closed pool of an instant game again from its published secrets, and check all that was sold of it."`
}

// run runs a command line and returns its exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var c cli
	code := -1
	parser, err := kong.New(&c,
		kong.Name("tirage-verify"),
		kong.Description("Checks what a lottery says, with public records alone. Exits with 0: all is right; 1: something is refuted; 2: something could not be checked."),
		kong.Writers(stdout, stderr),
		kong.Exit(func(n int) { code = n }),
		kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
	if err != nil {
		fmt.Fprintln(stderr, "tirage-verify:", err)
		return exitNotChecked
	}
	command, err := parser.Parse(args)
	if code >= 0 { // help was asked for and printed
		return code
	}
	if err != nil {
		fmt.Fprintln(stderr, "tirage-verify:", err)
		fmt.Fprintln(stderr, "See tirage-verify --help.")
		return exitNotChecked
	}
	switch {
	case strings.HasPrefix(command.Command(), "pool "):
		code, err = c.Pool.run(ctx, stdout, stderr)
	default:
		code, err = c.Unit.run(ctx, stdout)
	}
	if err != nil {
		fmt.Fprintln(stderr, "tirage-verify:", plain(err.Error())) // it may have words of a server's
	}
	return code
}

type unitCmd struct {
	From string `arg:"" name:"file|address" help:"The proof that the portal gives for a unit: the file, or the address of the unit's page."`
	Log  string `placeholder:"URL|DIR" help:"Where the log is (default: /log/ beside the address; for a file, the address that it names, else https:// and the log's name)."`
	printing
}

// printing is how a command takes the log's key and prints what it found.
type printing struct {
	Key  string `placeholder:"NAME+HASH+KEY" help:"The log's key, from a source that you trust (tirage books prints it). Without it the log's own word is taken."`
	Lang string `enum:"fr,en," default:"" help:"fr or en (default: by $$LANG)."`
	JSON bool   `name:"json" help:"Print the steps as JSON."`
}

// Help shows how it is used.
func (unitCmd) Help() string {
	return "Checks the signature of what the player was told, that its opening leads to the root of its pool, that the log committed to this root before the unit " +
		"was sold and recorded the same unit, that the beacon's value was fixed before, that the board reads to the prize by the rule book, " +
		"and that it is the board that follows from prize and board seed.\n\n" +
		"Examples:\n  tirage-verify unit https://loterie.example/jeu/ile-au-tresor-instant/unite/1234 --key loterie.example/log+0a1b2c3d+AY…\n" +
		"  tirage-verify unit ile-au-tresor-instant-1234.json --log https://loterie.example/log/ --json"
}

// run checks and prints.
func (c unitCmd) run(ctx context.Context, stdout io.Writer) (code int, err error) {
	file, log, err := c.read(ctx)
	if err != nil {
		return exitNotChecked, err
	}
	return c.print(stdout, verify.Unit(ctx, file, verify.UnitOptions{Fetch: log, Key: c.Key}))
}

// print prints a report and returns the exit code that says what came of it.
func (p printing) print(stdout io.Writer, r *verify.Report) (code int, err error) {
	if p.JSON {
		err = json.NewEncoder(stdout).Encode(r)
	} else {
		_, err = io.WriteString(stdout, wordsOf(p.lang()).report(r))
	}
	if err != nil {
		return exitNotChecked, err
	}
	switch r.State() {
	case verify.Refuted:
		return exitRefuted, nil
	case verify.NotChecked:
		return exitNotChecked, nil
	case verify.OK:
	}
	return exitOK, nil
}

// lang is "fr" or "en": as asked, else as the environment says.
func (p printing) lang() string {
	if p.Lang != "" {
		return p.Lang
	}
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if v := os.Getenv(name); v != "" {
			if strings.HasPrefix(v, "fr") {
				return "fr"
			}
			break
		}
	}
	return "en"
}

// read reads the proof, and says where the log is.
func (c unitCmd) read(ctx context.Context) ([]byte, verify.Fetch, error) {
	if !strings.HasPrefix(c.From, "http://") && !strings.HasPrefix(c.From, "https://") {
		file, err := readFile(c.From)
		if err != nil {
			return nil, nil, err
		}
		if c.Log == "" {
			c.Log = logOf(file)
		}
		return file, fetchFrom(c.Log), nil
	}
	u, err := url.Parse(c.From)
	if err != nil {
		return nil, nil, err
	}
	u.RawQuery, u.Fragment = "", ""
	switch base := path.Base(u.Path); base {
	case "preuve.json":
	case "preuve":
		u.Path += ".json"
	default:
		u.Path = strings.TrimSuffix(u.Path, "/") + "/preuve.json"
	}
	file, err := get(ctx, u.String())
	if err != nil {
		return nil, nil, err
	}
	if c.Log == "" {
		c.Log = u.Scheme + "://" + u.Host + "/log/"
	}
	return file, fetchFrom(c.Log), nil
}

// logOf is the address of the log that a file names, or that its name makes: a
// log's name is its address without the scheme, unless it moved or is a trial's.
func logOf(file []byte) string {
	var f verify.UnitFile
	var t verify.Told
	if json.Unmarshal(file, &f) != nil {
		return ""
	}
	if strings.HasPrefix(f.LogAddress, "http://") || strings.HasPrefix(f.LogAddress, "https://") {
		return f.LogAddress
	}
	if json.Unmarshal([]byte(f.Text), &t) != nil || t.Log == "" {
		return ""
	}
	return "https://" + t.Log + "/"
}

// fetchFrom reads a log at an address, or in a folder that has its files by their paths.
func fetchFrom(log string) verify.Fetch {
	switch {
	case log == "":
		return nil
	case strings.HasPrefix(log, "http://"), strings.HasPrefix(log, "https://"):
		return func(ctx context.Context, path string) ([]byte, error) {
			return get(ctx, strings.TrimSuffix(log, "/")+"/"+path)
		}
	}
	return func(_ context.Context, path string) ([]byte, error) {
		b, err := readFile(filepath.Join(log, filepath.FromSlash(path)))
		if err != nil {
			return nil, fmt.Errorf("%w: %w", verify.ErrAbsent, err)
		}
		return b, nil
	}
}

const (
	getTime = 30 * time.Second // for one file
	getMax  = 32 << 20         // bytes of one
)

var client = &http.Client{Timeout: getTime, CheckRedirect: stay}

// redirectsMax is how often a server may send us on.
const redirectsMax = 5

// stay follows redirections within a host only, and never out of TLS: who was
// asked is who answers, and nobody sends us to a machine that only we can reach.
func stay(to *http.Request, via []*http.Request) error {
	from := via[len(via)-1].URL
	if to.URL.Hostname() != from.Hostname() || from.Scheme == "https" && to.URL.Scheme != "https" || len(via) > redirectsMax {
		return fmt.Errorf("it leads elsewhere: %s", to.URL.Redacted())
	}
	return nil
}

// readFile reads a file that is no larger than one that is fetched may be.
func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	return readMax(f, name)
}

// readMax reads what has at most getMax bytes.
func readMax(r io.Reader, name string) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, getMax+1))
	if err == nil && len(b) > getMax {
		err = errors.New(name + " is too large")
	}
	return b, err
}

// A server that has answered too much is asked again when it says, within these.
const (
	retriesMax = 30
	retryMax   = 30 // seconds
)

// get reads a file at an address.
func get(ctx context.Context, address string) ([]byte, error) {
	for try := 0; ; try++ {
		b, wait, err := getOnce(ctx, address)
		if wait == 0 || try == retriesMax {
			return b, err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %w", verify.ErrAbsent, ctx.Err())
		}
	}
}

// getOnce is [get] without asking again; wait is after how long the server wants to be asked again, 0 for never.
func getOnce(ctx context.Context, address string) (b []byte, wait time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, 0, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, 0, fmt.Errorf("%w: %w", verify.ErrAbsent, err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		text := ""
		if !strings.Contains(resp.Header.Get("Content-Type"), "html") {
			b, _ := io.ReadAll(io.LimitReader(resp.Body, 200)) // why, as far as it comes
			text, _, _ = strings.Cut(string(b), "\n")
		}
		if n, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && resp.StatusCode == http.StatusTooManyRequests {
			wait = time.Duration(min(max(n, 1), retryMax)) * time.Second
		}
		return nil, wait, fmt.Errorf("%w: %s: %s %s", verify.ErrAbsent, address, resp.Status, text)
	}
	if b, err = readMax(resp.Body, address); err != nil {
		return nil, 0, fmt.Errorf("%w: %w", verify.ErrAbsent, err)
	}
	return b, 0, nil
}
