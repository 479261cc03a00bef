// Package dbtest gives a test a fresh, empty database on each engine. SQLite
// is a file in the test's folder. PostgreSQL is a real server, one a test
// binary, started when the first test asks and durable as in production.
//
// Start with [Each], which runs a test on both engines, and [Main], which ends
// the server with the tests. A machine without PostgreSQL fails these tests;
// none is skipped.
package dbtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Each runs a test on both engines, as parallel subtests "sqlite" and
// "postgres", each with the address of an empty database.
func Each(t *testing.T, fn func(t *testing.T, dsn string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		fn(t, SQLite(t))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		fn(t, Postgres(t))
	})
}

// SQLite gives the address of a database file that does not exist yet, in a
// folder that goes with the test.
func SQLite(t testing.TB) (dsn string) {
	t.Helper()
	return "sqlite:" + filepath.Join(t.TempDir(), "tirage.db")
}

// Postgres gives the address of a new, empty database. It stays until the
// server ends: dropping one waits for a checkpoint.
func Postgres(t testing.TB) (dsn string) {
	t.Helper()
	s, err := running()
	if err != nil {
		t.Fatalf("PostgreSQL for tests: %v", err)
	}
	dsn, err = s.create(t.Context())
	if err != nil {
		t.Fatalf("PostgreSQL for tests: %v", err)
	}
	return dsn
}

// Main runs the tests of a package, ends the server if they started one, and
// exits: func TestMain(m *testing.M) { dbtest.Main(m) }.
func Main(m *testing.M) { os.Exit(Run(m)) }

// Run is [Main] without the exit, for a package whose TestMain does more. It
// returns the exit code.
func Run(m *testing.M) int {
	code := m.Run()
	mu.Lock()
	defer mu.Unlock()
	if current != nil {
		if err := current.stop(); err != nil {
			fmt.Fprintln(os.Stderr, "dbtest:", err)
			code = max(code, 1)
		}
	}
	return code
}

var (
	mu      sync.Mutex // guards those below
	current *server
	failed  error // of the first start: the others do not try again
)

// running gives the server of this process, started if need be.
func running() (*server, error) {
	mu.Lock()
	defer mu.Unlock()
	if current == nil && failed == nil {
		current, failed = start()
	}
	return current, failed
}

// A server is a PostgreSQL server with its data in a temporary folder.
type server struct {
	folder    string
	port      int
	databases atomic.Int64
	cmd       *exec.Cmd
	lifeline  *os.File
}

// start makes a cluster and serves it on 127.0.0.1. Between the choice of a
// free port and its use another process may take it: then the next is tried.
func start() (s *server, err error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	owner, err := unprivileged()
	if err != nil {
		return nil, err
	}
	for range 5 {
		if s, err = startOnce(bin, owner); !errors.Is(err, errPort) {
			break
		}
	}
	return s, err
}

var errPort = errors.New("port is taken")

func startOnce(bin string, owner *syscall.Credential) (_ *server, err error) {
	folder, err := os.MkdirTemp("", "tirage-dbtest-")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(folder))
		}
	}()
	if owner != nil {
		if err := os.Chown(folder, int(owner.Uid), int(owner.Gid)); err != nil {
			return nil, err
		}
	}
	initdb := exec.Command(filepath.Join(bin, "initdb"), "--no-sync", "--auth=trust", "--username="+role, "--encoding=UTF8", "--locale=C",
		"--pgdata="+filepath.Join(folder, "data"))
	initdb.Dir = folder
	initdb.SysProcAttr = &syscall.SysProcAttr{Credential: owner}
	if out, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w\n%s", err, out)
	}
	return serve(bin, folder, owner)
}

const role = "tirage"

// script serves until its standard input ends. This process holds the other
// end: however it dies, the server ends and its folder goes.
const script = `
bin=$1 folder=$2 port=$3
"$bin/postgres" -D "$folder/data" -p "$port" -c listen_addresses=127.0.0.1 -c unix_socket_directories="$folder" \
	-c max_connections=200 -c shared_buffers=128MB -c max_wal_size=2GB >"$folder/log" 2>&1 &
read -r _
kill -QUIT $!
wait $!
rm -rf "$folder"
`

func serve(bin, folder string, owner *syscall.Credential) (*server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	stdin, lifeline, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer func() { _ = stdin.Close() }()
	s := &server{folder: folder, port: port, lifeline: lifeline}
	s.cmd = exec.Command("/bin/sh", "-c", script, "sh", bin, folder, strconv.Itoa(port))
	s.cmd.Dir = folder
	s.cmd.Stdin = stdin
	// A group of its own: an interrupt from the keyboard is for the tests, and
	// the server ends after them.
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: owner, Setpgid: true}
	if err := s.cmd.Start(); err != nil {
		return nil, errors.Join(err, lifeline.Close())
	}
	if err := s.await(); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

// await returns when the server answers, and is this one.
func (s *server) await() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		err := s.ask(ctx)
		if err == nil {
			return nil
		}
		log, _ := os.ReadFile(filepath.Join(s.folder, "log"))
		if bytes.Contains(log, []byte("could not create any TCP/IP sockets")) {
			return fmt.Errorf("%d: %w", s.port, errPort)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the server does not start: %w\n%s", err, log)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// ask asks whoever has the port for its folder.
func (s *server) ask(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, s.dsn("postgres"))
	if err != nil {
		return err
	}
	var folder string
	err = conn.QueryRow(ctx, "SHOW data_directory").Scan(&folder)
	if err == nil && folder != filepath.Join(s.folder, "data") {
		err = errPort
	}
	return errors.Join(err, conn.Close(ctx))
}

// stop ends the server and waits for it and its folder to be gone.
func (s *server) stop() error {
	return errors.Join(s.lifeline.Close(), s.cmd.Wait())
}

func (s *server) dsn(database string) string {
	return fmt.Sprintf("postgres://%s@127.0.0.1:%d/%s?sslmode=disable", role, s.port, database)
}

// create makes an empty database.
func (s *server) create(ctx context.Context) (dsn string, err error) {
	conn, err := pgx.Connect(ctx, s.dsn("postgres"))
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	name := fmt.Sprintf("test_%d", s.databases.Add(1))
	// template0: nobody connects to it, which would make this fail.
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+name+" TEMPLATE template0"); err != nil {
		return "", err
	}
	return s.dsn(name), nil
}

// binaries gives the folder of the server's programs: of the newest version
// that Debian has installed, or the one on PATH.
func binaries() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil {
		return "", err
	}
	if len(found) > 0 {
		return filepath.Dir(slices.Max(found)), nil
	}
	path, err := exec.LookPath("initdb")
	if err != nil {
		return "", errors.New("initdb is not found; install it: apt-get install postgresql-15")
	}
	return filepath.Dir(path), nil
}

// unprivileged gives whom to run the server as: PostgreSQL refuses root. Nil
// is ourselves.
func unprivileged() (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		if u, err = user.Lookup("nobody"); err != nil {
			return nil, err
		}
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}
