package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"math/big"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tirage/draw"
	"tirage/game"
)

// TestDemo: the first line is the JSON that others rely on, its addresses
// answer and its log-ins open; a second start goes on where the first stopped.
func TestDemo(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "demo")
	first := startDemo(t, data)
	first.checkForm(t)
	first.checkAddresses(t)
	first.checkSignOn(t)
	first.checkHeld(t, data)
	before := first.size(t)
	first.stop(t)

	second := startDemo(t, data, "--listen", ":0") // on all interfaces: the addresses are still good for a browser
	if diff := cmp.Diff(first.Logins, second.Logins); diff != "" {
		t.Errorf("the second start has other log-ins:\n%s", diff)
	}
	second.checkAddresses(t)
	second.checkSignOn(t)
	if after := second.size(t); after < before || before < 10 {
		t.Errorf("the journal had %d records, and %d at the second start", before, after)
	}
	second.stop(t)
}

// A data folder from before there was a second officer, or a player, gets passwords for them, and keeps them.
func TestOpenDemo_FolderFromBefore(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "demo.json")
	if err := os.WriteFile(file, []byte(`{"passphrase":"p","login":"demo","password":"first"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	first, err := openDemo(folder)
	if err != nil || len(first.Second) < 10 || len(first.Player) < 10 || first.Player == first.Second || first.Passphrase != "p" || first.Password != "first" {
		t.Fatalf("%+v, %v", first, err)
	}
	if again, err := openDemo(folder); err != nil || again != first {
		t.Errorf("the second time %+v, %v, want %+v", again, err, first)
	}
}

// demoRun is a demo that runs.
type demoRun struct {
	demoAddresses
	line   []byte
	cmd    *exec.Cmd
	stdout *bufio.Reader
	stderr bytes.Buffer
}

func startDemo(t *testing.T, data string, flags ...string) *demoRun {
	t.Helper()
	args := append([]string{"demo", "--listen", "127.0.0.1:0", "--data", data, "--sellers", "2", "--json"}, flags...)
	d := &demoRun{cmd: exec.Command("tirage", args...)}
	d.cmd.Stderr = &d.stderr
	stdout, err := d.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.cmd.Process.Kill() }) // an error when it has stopped as it should
	d.stdout = bufio.NewReader(stdout)
	if d.line, err = d.stdout.ReadBytes('\n'); err != nil {
		t.Fatalf("first line: %v\n%s", err, d.stderr.String())
	}
	if err := json.Unmarshal(d.line, &d.demoAddresses); err != nil {
		t.Fatalf("first line %s: %v", d.line, err)
	}
	return d
}

// stop interrupts the demo, which says nothing more and ends in order.
func (d *demoRun) stop(t *testing.T) {
	t.Helper()
	if err := d.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(d.stdout)
	if err != nil || len(rest) > 0 {
		t.Errorf("after its first line it printed %q, %v", rest, err)
	}
	if err := d.cmd.Wait(); err != nil {
		t.Errorf("interrupted: %v\n%s", err, d.stderr.String())
	}
	if strings.Contains(d.stderr.String(), "level=ERROR") {
		t.Errorf("errors:\n%s", d.stderr.String())
	}
}

func (d *demoRun) checkForm(t *testing.T) {
	t.Helper()
	var line map[string]json.RawMessage
	if err := json.Unmarshal(d.line, &line); err != nil {
		t.Fatal(err)
	}
	keys := []string{"portal", "terminal", "screen", "office", "api", "log", "metrics", "logins"}
	for _, key := range keys {
		if _, ok := line[key]; !ok {
			t.Errorf("no %q in %s", key, d.line)
		}
	}
	if len(line) != len(keys) {
		t.Errorf("%d keys, not %d: %s", len(line), len(keys), d.line)
	}
	for _, key := range []string{"api", "metrics"} { // not built yet
		if string(line[key]) != "null" {
			t.Errorf("%s is %s", key, line[key])
		}
	}
	var logins []map[string]string
	if err := json.Unmarshal(line["logins"], &logins); err != nil || len(logins) != 4 {
		t.Fatalf("logins %s: %v", line["logins"], err)
	}
	for _, l := range logins {
		if len(l) != 3 || l["face"] == "" || l["name"] == "" || l["secret"] == "" {
			t.Errorf("log-in %v", l)
		}
	}
}

func (d *demoRun) checkAddresses(t *testing.T) {
	t.Helper()
	for _, address := range []*string{d.Portal, d.Terminal, d.Screen, d.Office, d.Log} {
		if address == nil {
			t.Errorf("an address is missing in %s", d.line)
			continue
		}
		if status, _ := get(t, *address); status != http.StatusOK {
			t.Errorf("%s answers %d", *address, status)
		}
	}
}

// checkSignOn signs on at the terminal and in the office with the log-ins printed.
func (d *demoRun) checkSignOn(t *testing.T) {
	t.Helper()
	for _, l := range d.Logins {
		form := url.Values{"device": {l.Secret}}
		address := *d.Terminal + "/connexion"
		switch l.Face {
		case "office":
			form = url.Values{"login": {l.Name}, "password": {l.Secret}}
			address = *d.Office + "/connexion"
		case "portal":
			form = url.Values{"email": {l.Name}, "password": {l.Secret}}
			address = *d.Portal + "connexion"
		}
		client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		resp, err := client.PostForm(address, form)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusSeeOther || len(resp.Cookies()) == 0 {
			t.Errorf("sign-on at %s: %s, cookies %v", address, resp.Status, resp.Cookies())
		}
	}
}

// checkHeld: a second server on the folder is told who holds it.
func (d *demoRun) checkHeld(t *testing.T, data string) {
	t.Helper()
	cmd := exec.Command("tirage", "demo", "--listen", "127.0.0.1:0", "--data", data, "--json")
	out, err := cmd.CombinedOutput()
	want := "is held by process " + strconv.Itoa(d.cmd.Process.Pid)
	if err == nil || !strings.Contains(string(out), want) {
		t.Errorf("a second demo on the folder: %v\n%s", err, out)
	}
}

// size is the number of records, from the second line after the origin of the checkpoint.
func (d *demoRun) size(t *testing.T) int {
	t.Helper()
	status, body := get(t, *d.Log+"checkpoint")
	lines := strings.Split(body, "\n")
	if status != http.StatusOK || len(lines) < 3 {
		t.Fatalf("checkpoint: %d\n%s", status, body)
	}
	n, err := strconv.Atoi(lines[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func get(t *testing.T, address string) (int, string) {
	t.Helper()
	resp, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// TestDemoBook: the demo's rule books are those of the regulations but for
// their calendars, which have a draw each minute of the day, and sessions that meet.
func TestDemoBook(t *testing.T) {
	t.Parallel()
	for _, code := range demoGames {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			book, err := demoBook(code)
			if err != nil {
				t.Fatal(err)
			}
			r, err := game.Parse("demo.yaml", book)
			if err != nil {
				t.Fatal(err)
			}
			ours, err := game.Book(code)
			if err != nil {
				t.Fatal(err)
			}
			regulation, err := game.Parse("book.yaml", ours)
			if err != nil {
				t.Fatal(err)
			}
			opts := []cmp.Option{
				cmpopts.IgnoreUnexported(game.Rules{}), cmpopts.IgnoreFields(game.Rules{}, "Hash", "Bytes", "Calendar"),
				cmp.Comparer(func(a, b *big.Rat) bool { return a == b || a != nil && b != nil && a.Cmp(b) == 0 }),
			}
			if diff := cmp.Diff(regulation, r, opts...); diff != "" {
				t.Errorf("other rules than the regulation's:\n%s", diff)
			}
			day := game.NewDay(2027, 1, 5)
			draws := slices.Concat(draw.Plan(r, day), draw.Plan(r, day+1))
			if len(draws) != 2*24*60 {
				t.Errorf("%d draws in two days", len(draws))
			}
			for i, d := range draws[1:] {
				if d.DrawsAt.Sub(draws[i].DrawsAt) != time.Minute || d.OpensAt.After(draws[i].ClosesAt) {
					t.Fatalf("after %v comes %v", draws[i], d)
				}
			}
		})
	}
}
