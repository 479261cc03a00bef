package terminal

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"

	"tirage/web/page"
)

// tape is a printer on a listener of its own, and what it printed.
type tape struct {
	at   netip.AddrPort
	now  []byte        // what it says when it is asked before a job
	says []byte        // what it says of its paper after a job; nil: nothing
	late time.Duration // after which it says that

	mu      sync.Mutex
	printed [][]byte
}

// newTape is a printer that says this when it is asked for its paper; nil: it never answers.
func newTape(t *testing.T, says []byte) *tape {
	t.Helper()
	return (&tape{says: says}).listen(t)
}

func (p *tape) listen(t *testing.T) *tape {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	p.at = netip.MustParseAddrPort(l.Addr().String())
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			p.serve(c)
		}
	}()
	return p
}

func (p *tape) serve(c net.Conn) {
	defer func() { _ = c.Close() }()
	var job []byte
	b := make([]byte, 4096)
	for {
		n, err := c.Read(b)
		if job = append(job, b[:n]...); string(job) == string(askNow) {
			job = nil
			_, _ = c.Write(p.now)
		}
		if n > 0 && len(job) >= 3 && string(job[len(job)-3:]) == string(askPaper) {
			p.mu.Lock()
			p.printed = append(p.printed, job)
			p.mu.Unlock()
			<-time.After(p.late)
			_, _ = c.Write(p.says)
		}
		if err != nil {
			return
		}
	}
}

func (p *tape) jobs() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.printed)
}

func anywhere(netip.AddrPort) error { return nil }

// A printer has done a job when it says so; of one that never says anything it is not known.
func TestPrinterTakesJob(t *testing.T) {
	t.Parallel()
	for name, tape := range map[string]*tape{
		"that answers":                {says: []byte{0}},
		"that answers at once too":    {now: []byte{nowIs}, says: []byte{0}},
		"whose paper is low":          {now: []byte{nowIs | 0x0c}, says: []byte{0x03}},
		"that says other things, too": {now: []byte{0x80, nowIs}, says: []byte{0x9c, nowIs, 0}},
		"that is mute":                {},
	} {
		p, want := newPrinters(anywhere, 0), error(nil)
		if tape.listen(t).says == nil {
			p.limit, want = 4*statusTime, errMute
		}
		for n := range 2 {
			if err := p.print(t.Context(), tape.at, []byte("ticket"), 0); !errors.Is(err, want) {
				t.Errorf("a printer %s, job %d: %v", name, n, err)
			}
		}
		if tape.jobs() != 2 || string(tape.printed[0]) != "ticket"+string(askPaper) {
			t.Errorf("a printer %s printed %q", name, tape.printed)
		}
	}
}

// A printer that is asked for the first time, and says late that it has no paper, is heard.
func TestPrinterAnswersLate(t *testing.T) {
	t.Parallel()
	p, tape := newPrinters(anywhere, 0), (&tape{says: []byte{paperEnd}, late: 2 * statusTime}).listen(t)
	for range 2 {
		if err := p.print(t.Context(), tape.at, []byte("ticket"), 1); !errors.Is(err, errPaper) {
			t.Errorf("printed without paper: %v", err)
		}
	}
}

// A printer that says before the job that it has no paper is not sent the job: it would print it later.
func TestPrinterWithoutPaperBefore(t *testing.T) {
	t.Parallel()
	p, tape := newPrinters(anywhere, 0), (&tape{now: []byte{nowIs | nowEnd}, says: []byte{0}}).listen(t)
	if err := p.print(t.Context(), tape.at, []byte("ticket"), 1); !errors.Is(err, errPaper) || tape.jobs() != 0 {
		t.Errorf("%d jobs; %v", tape.jobs(), err)
	}
}

// A job has time for each of its tickets.
func TestPrinterTimeOfTickets(t *testing.T) {
	t.Parallel()
	p, tape := newPrinters(anywhere, 0), (&tape{now: []byte{nowIs}, says: []byte{0}, late: 1500 * time.Millisecond}).listen(t)
	p.limit = time.Second
	if err := p.print(t.Context(), tape.at, []byte("tickets"), 3); err != nil {
		t.Errorf("three tickets: %v", err)
	}
	if err := p.print(t.Context(), tape.at, []byte("none"), 0); !errors.Is(err, errPrinter) {
		t.Errorf("as little time for three as for none: %v", err)
	}
}

func TestPrinterWithoutPaper(t *testing.T) {
	t.Parallel()
	tape := newTape(t, []byte{paperEnd})
	if err := newPrinters(anywhere, 0).print(t.Context(), tape.at, []byte("ticket"), 0); !errors.Is(err, errPaper) {
		t.Errorf("printed without paper: %v", err)
	}
}

// A printer that has answered before and says nothing now has not printed.
func TestPrinterFallsSilent(t *testing.T) {
	t.Parallel()
	p, tape := newPrinters(anywhere, 0), newTape(t, nil)
	p.limit = 50 * time.Millisecond
	p.habit[tape.at] = habit{spoke: true}
	if err := p.print(t.Context(), tape.at, []byte("ticket"), 0); !errors.Is(err, errPrinter) {
		t.Errorf("printed by a printer that fell silent: %v", err)
	}
}

func TestPrinterOff(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := netip.MustParseAddrPort(l.Addr().String())
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := newPrinters(anywhere, 0).print(t.Context(), at, []byte("ticket"), 0); !errors.Is(err, errPrinter) {
		t.Errorf("printed by a printer that is off: %v", err)
	}
}

// A printer that takes the connection and reads nothing is given up in time.
func TestPrinterHangs(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	p := newPrinters(anywhere, 0)
	p.limit = 100 * time.Millisecond
	before := time.Now()
	if err := p.print(t.Context(), netip.MustParseAddrPort(l.Addr().String()), make([]byte, 64<<20), 0); !errors.Is(err, errPrinter) {
		t.Errorf("printed by a printer that hangs: %v", err)
	}
	if took := time.Since(before); took > time.Minute {
		t.Errorf("waited %v", took)
	}
}

// The server connects to no address outside of the networks of --printers.
func TestPrinterNetworks(t *testing.T) {
	t.Parallel()
	tape := newTape(t, []byte{0})
	app := page.New(nil, nil)
	if err := newPrinters(app.AllowPrinter, 0).print(t.Context(), tape.at, []byte("ticket"), 0); !errors.Is(err, page.ErrPrinterNetwork) {
		t.Errorf("without networks: %v", err)
	}
	app.Printers = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	if err := newPrinters(app.AllowPrinter, 0).print(t.Context(), tape.at, []byte("ticket"), 0); !errors.Is(err, page.ErrPrinterNetwork) {
		t.Errorf("in another network: %v", err)
	}
	app.Printers = append(app.Printers, netip.MustParsePrefix("127.0.0.0/8"))
	if err := newPrinters(app.AllowPrinter, 0).print(t.Context(), tape.at, []byte("ticket"), 0); err != nil {
		t.Errorf("in its network: %v", err)
	}
	if tape.jobs() != 1 {
		t.Errorf("%d jobs, want 1", tape.jobs())
	}
}

// Jobs of several terminals reach a printer one after another, each whole.
func TestPrinterShared(t *testing.T) {
	t.Parallel()
	p, tape := newPrinters(anywhere, 0), newTape(t, []byte{0})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := p.print(context.Background(), tape.at, make([]byte, 100_000), 1); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, job := range tape.printed {
		if len(job) != 100_003 {
			t.Errorf("a job of %d bytes", len(job))
		}
	}
	if tape.jobs() != 8 {
		t.Errorf("%d jobs, want 8", tape.jobs())
	}
}
