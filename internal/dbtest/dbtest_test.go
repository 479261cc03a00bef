package dbtest

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// TestMain is also the process that TestServerEndsWithProcess kills.
func TestMain(m *testing.M) {
	if os.Getenv("DBTEST_CHILD") == "" {
		Main(m)
	}
	s, err := running()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(s.folder)
	select {}
}

// A test binary that is killed leaves no server and no folder behind.
func TestServerEndsWithProcess(t *testing.T) {
	t.Parallel()
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), "DBTEST_CHILD=1")
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	folder := strings.TrimSpace(line)
	if err != nil || folder == "" {
		t.Fatalf("the child says %q, %v", line, err)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // says that it was killed
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	late := time.After(time.Minute)
	for {
		select {
		case <-tick.C:
			if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
				return
			}
		case <-late:
			t.Fatalf("%s is still there", folder)
		}
	}
}

func TestPostgres(t *testing.T) {
	t.Parallel()
	first, second := Postgres(t), Postgres(t)
	if first == second {
		t.Errorf("two databases at %s", first)
	}
	conn, err := pgx.Connect(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	for setting, want := range map[string]string{"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"} {
		var got string
		if err := conn.QueryRow(t.Context(), "SHOW "+setting).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %q (%v), want %q", setting, got, err, want)
		}
	}
}
