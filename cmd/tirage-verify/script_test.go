package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"tirage/central"
	"tirage/instant"
	"tirage/internal/sim"
	"tirage/party"
	"tirage/store"
	"tirage/web"
)

// TestMain makes the test binary the program that the scripts run, too.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"tirage-verify": main})
}

// TestScripts runs the scripts of testdata/script against a real server. $SITE
// is its address, $GAME its instant game, $UNIT the number of a unit that was
// played, $SOLD that of one of pool 1 at 2 euros, which is closed, as is pool 2, by two officers, and $KEY the log's key.
func TestScripts(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("LANG", "en_GB.UTF-8")
			for name, value := range map[string]string{"SITE": s.address, "GAME": string(s.rules.Code), "UNIT": strconv.FormatUint(s.unit, 10), "SOLD": strconv.FormatUint(s.sold, 10), "KEY": s.key} {
				e.Setenv(name, value)
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "fetch": fetchFile, "edit": edit},
	})
}

// site is a lottery with a portal, and a unit played.
type site struct {
	address string
	rules   *instant.Rules
	unit    uint64
	sold    uint64 // in a pool that is closed
	key     string
}

func newSite(t *testing.T) site {
	t.Helper()
	ctx := t.Context()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	db, err := store.Open(ctx, "sqlite:"+filepath.Join(t.TempDir(), "site.db"))
	check(err)
	keys, err := central.NewKeys("site.tirage.example/log")
	check(err)
	server := httptest.NewUnstartedServer(nil)
	sys, err := central.Open(ctx, central.Options{
		Site: "http://" + server.Listener.Addr().String(),
		DB:   db, Keys: keys, Clock: central.SystemClock(), Control: "none", Demo: true, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	check(err)
	handler := web.New(sys, web.Options{Logger: slog.New(slog.DiscardHandler)})
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Each connection is a client's of its own: the log gives one client so many proofs, and here are dozens at once.
		if at, err := netip.ParseAddrPort(r.RemoteAddr); err == nil {
			r.RemoteAddr = fmt.Sprintf("10.0.%d.%d:1", at.Port()>>8, at.Port()&0xff)
		}
		handler.ServeHTTP(w, r)
	})
	server.Start()
	t.Cleanup(func() {
		server.Close()
		sys.Close()
		_ = db.Close()
	})
	first, err := sys.PutOfficer(ctx, central.PutOfficer{Key: "1", Login: "anne", Password: "0123456789", Roles: []string{"all"}})
	check(err)
	second, err := sys.PutOfficer(ctx, central.PutOfficer{Key: "2", By: first.ID, Login: "benoit", Password: "0123456789", Roles: []string{"all"}})
	check(err)
	check(sys.ChangePassword(ctx, central.ChangePassword{Key: "3", Officer: second.ID, Old: "0123456789", New: "9876543210"}))
	book, err := os.ReadFile("../../verify/testdata/cove.yaml")
	check(err)
	s := site{address: server.URL}
	s.rules, err = sys.PublishInstant(ctx, central.PublishRules{Key: "4", Officer: first.ID, Book: book})
	check(err)
	for i, table := range s.rules.Tables {
		for _, officer := range []string{first.ID, second.ID} {
			_, err := sys.CommitSecrets(ctx, central.CommitSecrets{Key: fmt.Sprint("5", i), Officer: officer, Game: s.rules.Code, Price: table.Price, Count: 2})
			check(err)
		}
	}
	check(sys.Launch(ctx, central.GameAct{Key: "6", Officer: first.ID, Game: s.rules.Code}))
	check(sys.TendPools(ctx))
	_, err = sys.PublishAccounts(ctx, central.PublishRules{Key: "7", Officer: first.ID, Book: party.Book()})
	check(err)
	players, err := sim.Enrol(ctx, sys, first.ID, []sim.Newcomer{sim.Simulated(1)}, func(context.Context, central.Message) error { return errors.New("to nobody") })
	check(err)
	_, err = sys.DepositDemo(ctx, "1", players[0], 100_00)
	check(err)
	s.playUnits(t, sys, players[0])
	check(sys.TendPools(ctx)) // closes what is sold out
	pools, err := sys.Pools(ctx, s.rules.Code, 10)
	check(err)
	for _, p := range pools {
		if p.State != "open" || p.Price != s.rules.Tables[1].Price {
			continue
		}
		proposal, err := sys.Propose(ctx, central.Propose{Key: "8", Officer: first.ID, Change: central.Change{Act: central.ActClosePool, Pool: p.ID, Reason: "restored"}})
		check(err)
		_, err = sys.Approve(ctx, central.Decide{Key: "9", Officer: second.ID, Proposal: proposal.ID})
		check(err)
	}
	s.key, err = sys.VerifierKey()
	check(err)
	return s
}

// playUnits plays a unit that wins at the first price, and all of the first pool at the second.
func (s *site) playUnits(t *testing.T, sys *central.System, player string) {
	t.Helper()
	play := func(key string, table int) central.PlayedUnit {
		u, err := sys.Play(t.Context(), central.PlayUnit{Key: key, Player: player, Game: s.rules.Code, Price: s.rules.Tables[table].Price})
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	for n := 0; s.unit == 0; n++ {
		if u := play(fmt.Sprintf("2/%02d", n), 0); u.Prize > 0 {
			s.unit = u.Record
		}
	}
	for n := range s.rules.Units {
		s.sold = play(fmt.Sprintf("3/%02d", n), 1).Record
	}
}

// exits: exits CODE PROGRAM ARGS…
func exits(ts *testscript.TestScript, _ bool, args []string) {
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

// fetchFile: fetch URL FILE
func fetchFile(ts *testscript.TestScript, _ bool, args []string) {
	b, err := get(context.Background(), args[0])
	ts.Check(err)
	ts.Check(os.MkdirAll(filepath.Dir(ts.MkAbs(args[1])), 0o700))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), b, 0o600))
}

// edit: edit FILE OLD NEW TO. It copies a file with the first OLD replaced.
func edit(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[0])
	before, after, ok := strings.Cut(text, args[1])
	if !ok {
		ts.Fatalf("%s has no %q: %s", args[0], args[1], text)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[3]), []byte(before+args[2]+after), 0o600))
}
