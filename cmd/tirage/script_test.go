package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/jpeg"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"tirage/game"
	"tirage/internal/dbtest"
	"tirage/internal/photo"
	"tirage/paper"
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
				address, err := freeAddress()
				if err != nil {
					return err
				}
				e.Setenv(name, address)
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":    exits,
			"await":    await,
			"busy":     busy,
			"photo":    takePhoto,
			"postgres": func(ts *testscript.TestScript, _ bool, args []string) { ts.Setenv(args[0], dbtest.Postgres(t)) },
		},
	})
}

// freeAddress is an address for a server that is started later. Its port is none of
// those that connections are given by themselves: there are many on a busy machine.
func freeAddress() (address string, err error) {
	for range 100 {
		var l net.Listener
		if l, err = net.Listen("tcp", fmt.Sprint("127.0.0.1:", 12_000+rand.IntN(20_000))); err == nil {
			return l.Addr().String(), l.Close()
		}
	}
	return "", err
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

// busy: busy. It returns once each program in the background has worked for half a
// second: told to end before, it may not hear it yet, or end as any program does.
func busy(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: busy")
	}
	late := time.After(2 * time.Minute)
	for _, cmd := range ts.BackgroundCmds() {
		for ticks := 0; ticks < 50; {
			stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
			ts.Check(err)
			fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
			user, err := strconv.Atoi(fields[11]) // hundredths of a second
			ts.Check(err)
			system, err := strconv.Atoi(fields[12])
			ts.Check(err)
			ticks = user + system
			select {
			case <-late:
				ts.Fatalf("%v does nothing", cmd)
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
}

// takePhoto: photo KIND GAME FILE. It writes a photo of a slip whose first
// elements, stake and number of draws are marked: whole; without a stake; of
// two stakes; half of it; two of them; with another code; or a page.
func takePhoto(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: photo KIND GAME FILE")
	}
	b, err := game.Book(game.Code(args[1]))
	ts.Check(err)
	r, err := game.Parse(args[1], b)
	ts.Check(err)
	l, err := paper.NewLayout(r)
	ts.Check(err)
	stakes := map[string]int{"no-stake": 0, "two-stakes": 2}
	want, ok := stakes[args[0]]
	if !ok {
		want = 1
	}
	marks := make([]paper.Mark, len(l.Boxes))
	for i, box := range l.Boxes {
		f := box.Field
		marks[i] = paper.Empty
		if f.Kind == paper.Element && f.Board == 0 && f.N <= r.Matrices[f.Matrix].Pick || f.Kind == paper.Stake && f.N < want || f.Kind == paper.Draws && f.N == 2 {
			marks[i] = paper.Marked
		}
	}
	const good = 0.2
	var seed [32]byte
	var img image.Image
	switch args[0] {
	case "whole", "no-stake", "two-stakes":
		img = photo.Take(l, marks, good, seed)
	case "half":
		img = photo.Half(l, marks, good, seed)
	case "pair":
		img = photo.Pair(l, marks, l, marks, good, seed)
	case "other-code":
		img = photo.WithCode(l, marks, "https://example.org/", good, seed)
	case "page":
		img = photo.Page(good, seed)
	default:
		ts.Fatalf("no photo of %s", args[0])
	}
	var out bytes.Buffer
	ts.Check(jpeg.Encode(&out, img, &jpeg.Options{Quality: 85}))
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), out.Bytes(), 0o600))
}
