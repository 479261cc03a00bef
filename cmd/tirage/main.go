// Command tirage runs and checks a lottery.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/alecthomas/kong"
)

func main() {
	// A node keeps little in memory and makes garbage with each command: collecting a fifth as often
	// as usual gives a tenth of a processor back to the sales.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // whoever asks twice does not wait for what is being finished
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// cli is the command line.
type cli struct {
	Demo    demoCmd    `cmd:"" help:"Start the whole system with simulated sales and a draw a minute."`
	Serve   serveCmd   `cmd:"" help:"Serve a lottery."`
	Keys    keysCmd    `cmd:"" help:"Make the key file of a new lottery."`
	Officer officerCmd `cmd:"" help:"Make the first officer of a new lottery."`
	Books   booksCmd   `cmd:"" help:"Check the books: recompute everything from the journal and compare."`
	Rules   rulesCmd   `cmd:"" help:"Work on rule books."`
	Odds    oddsCmd    `cmd:"" help:"Print the exact odds of a game."`
	Slip    slipCmd    `cmd:"" help:"Print the paper slip of a game."`
	Read    readCmd    `cmd:"" help:"Read paper slips from photos or scans."`
	Bench   benchCmd   `cmd:"" help:"Measure, each figure beside its floor."`
	Version versionCmd `cmd:"" help:"Print the version."`
}

// env is what a command has beside its flags.
type env struct {
	ctx            context.Context
	stdout, stderr io.Writer
}

// errFault is a command that has said what is wrong: exit code 1 and nothing more to say.
var errFault = errors.New("faults found")

// run runs a command line and returns its exit code: 0 done, 1 failed, 2 not understood.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var c cli
	code := -1
	parser, err := kong.New(&c,
		kong.Name("tirage"),
		kong.Description("The central system of a lottery: sells, draws, settles, pays, and lets anyone check it."),
		kong.Writers(stdout, stderr),
		kong.Exit(func(n int) { code = n }),
		kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
	)
	if err != nil {
		fmt.Fprintln(stderr, "tirage:", err)
		return 1
	}
	k, err := parser.Parse(args)
	if code >= 0 { // help was asked for and printed
		return code
	}
	if err != nil {
		fmt.Fprintln(stderr, "tirage:", err)
		fmt.Fprintln(stderr, "See tirage --help.")
		return 2
	}
	err = k.Run(&env{ctx, stdout, stderr})
	switch {
	case errors.Is(err, errFault):
		return 1
	case err != nil:
		fmt.Fprintln(stderr, "tirage:", err)
		return 1
	}
	return 0
}

type versionCmd struct{}

// Run prints the version that the module was built at.
func (versionCmd) Run(e *env) error {
	version := "(unknown)"
	if info, ok := debug.ReadBuildInfo(); ok {
		version = info.Main.Version
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				version += " " + s.Value
			}
		}
	}
	_, err := fmt.Fprintln(e.stdout, "tirage", version)
	return err
}
