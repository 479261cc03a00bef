package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"

	"tirage/verify"
)

type poolCmd struct {
	From   string   `arg:"" name:"address|dir" help:"The lottery's address, whose log is at /log/; or the address of its log, or a folder with the log's files."`
	Game   string   `arg:"" help:"Code of the instant game."`
	Price  string   `arg:"" help:"Price of a unit in euros: 0.50."`
	Number uint64   `arg:"" help:"Number of the pool, from 1 at each price."`
	Unit   []string `placeholder:"FILE" sep:"none" help:"A unit of the pool as the portal gave it to its player: it is compared too. May be repeated."`
	printing
}

// Help shows how it is used.
func (poolCmd) Help() string {
	return "Reads the whole log as far as it is public, and derives the pool from the secrets that its close published and from the beacon: its prizes, their " +
		"order and the root that the log committed to before a unit was sold. Checks that two officers had committed the secrets before the beacon's value was " +
		"known, that the rule book's table adds up, that the units sold are the first ones in order, each as it follows, and that those not sold are listed by prize. " +
		"Derives the board of every unit sold and reads its prize from it; with --unit, it is the board that the player was shown.\n\n" +
		"Examples:\n  tirage-verify pool https://loterie.example ile-au-tresor-instant 0.50 3 --key loterie.example/log+0a1b2c3d+AY…\n" +
		"  tirage-verify pool https://loterie.example ile-au-tresor-instant 2 1 --unit ile-au-tresor-instant-1234.json\n" +
		"  tirage-verify pool copy-of-the-log/ ile-au-tresor-instant 1 12 --json"
}

// run checks and prints; how far it is goes to stderr, where somebody looks at it.
func (c poolCmd) run(ctx context.Context, stdout, stderr io.Writer) (code int, err error) {
	price, err := verify.ParsePrice(c.Price)
	if err != nil {
		return exitNotChecked, err
	}
	if c.Number == 0 {
		return exitNotChecked, errors.New("pools are numbered from 1")
	}
	o := verify.PoolOptions{Fetch: fetchFrom(logAt(c.From)), Key: c.Key, Game: c.Game, Price: price, Number: c.Number}
	for _, name := range c.Unit {
		file, err := readFile(name)
		if err != nil {
			return exitNotChecked, err
		}
		o.Files = append(o.Files, file)
	}
	wipe := func() {}
	if watched(stderr) {
		o.Tell, wipe = tell(stderr, wordsOf(c.lang()))
	}
	r := verify.Pool(ctx, o)
	wipe()
	return c.print(stdout, r)
}

// logAt is where the log is: at /log/ of an address without a path.
func logAt(from string) string {
	u, err := url.Parse(from)
	if err == nil && (u.Scheme == "http" || u.Scheme == "https") && (u.Path == "" || u.Path == "/") {
		u.Path = "/log/"
		return u.String()
	}
	return from
}

// watched tells whether somebody looks at what is written.
func watched(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// tell writes how far a check is, on one line that it writes over, and not more
// often than a percent of a stage. wipe leaves the line empty.
func tell(w io.Writer, in words) (tell func(stage verify.Stage, done, total uint64), wipe func()) {
	var at verify.Stage
	var shown uint64
	tell = func(stage verify.Stage, done, total uint64) {
		percent := 100 * done / max(total, 1)
		if stage == at && percent == shown {
			return
		}
		at, shown = stage, percent
		fmt.Fprintf(w, "\r\x1b[K"+in.stages[stage], percent, total)
	}
	return tell, func() { _, _ = io.WriteString(w, "\r\x1b[K") }
}
