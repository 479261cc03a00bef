package main

import (
	"context"
	"errors"
	"flag"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"tirage/internal/dbtest"
)

// tests are the tests of this package, which end their database server with them.
type tests struct{ m *testing.M }

func (t tests) Run() int { return dbtest.Run(t.m) }

// TestMain makes the test binary the programs that the tests start, too.
func TestMain(m *testing.M) {
	testscript.Main(tests{m}, map[string]func(){"tirage": main, "victim": victim})
}

var update = flag.Bool("update", false, "write what the programs print into the scripts")

// TestScripts runs the scripts of testdata/script, which its README explains.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			books, err := filepath.Abs("../../game/testdata")
			if err != nil {
				return err
			}
			e.Setenv("BOOKS", books)
			for _, name := range []string{"ADDRESS", "OTHER"} {
				l, err := net.Listen("tcp", "127.0.0.1:0")
				if err != nil {
					return err
				}
				e.Setenv(name, l.Addr().String())
				if err := l.Close(); err != nil {
					return err
				}
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":    exits,
			"await":    await,
			"postgres": func(ts *testscript.TestScript, _ bool, args []string) { ts.Setenv(args[0], dbtest.Postgres(t)) },
		},
	})
}

// exits: exits CODE PROGRAM ARGS…
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS…")
	}
	got := 0
	var exit *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if want := args[0]; strconv.Itoa(got) != want {
		ts.Fatalf("%s exits with %d, not %s", strings.Join(args[1:], " "), got, want)
	}
}

// await: await URL. It returns once the address answers.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: await URL")
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, args[0], nil)
		ts.Check(err)
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			_ = resp.Body.Close()
			return
		}
		select {
		case <-ctx.Done():
			ts.Fatalf("%v", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
