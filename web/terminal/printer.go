package terminal

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"
)

var (
	// errPrinter is a printer that did not take what it was sent, or not in time: nobody knows how far it came.
	errPrinter = errors.New("the printer does not answer")
	// errPaper is a printer that says that its paper has come to its end.
	errPaper = errors.New("the printer has no paper")
)

const (
	// printTime is how long a printer may take for a job, from the connection to its answer.
	printTime = 3 * time.Second
	// muteTime is how long a printer is waited for that has never answered: not all do.
	muteTime = 300 * time.Millisecond
)

// askPaper makes a printer tell the state of its paper once it has done what came
// before (GS r 1); paperEnd is what its answer has set when there is none.
var askPaper = []byte{0x1d, 'r', 1}

const paperEnd = 0x0c

// printers sends jobs to network printers, one at a time to each.
type printers struct {
	allow func(netip.AddrPort) error // whether a printer may stand there
	limit time.Duration              // of a job

	mu      sync.Mutex
	busy    map[netip.AddrPort]chan struct{} // full while a job is under way
	answers map[netip.AddrPort]bool          // has ever told the state of its paper
}

func newPrinters(allow func(netip.AddrPort) error) *printers {
	return &printers{allow: allow, limit: printTime, busy: map[netip.AddrPort]chan struct{}{}, answers: map[netip.AddrPort]bool{}}
}

// print sends a job and waits until the printer says that it has done it. A
// printer that never says anything is believed to have: the shopkeeper sees.
func (p *printers) print(ctx context.Context, at netip.AddrPort, job []byte) (err error) {
	if err := p.allow(at); err != nil { // the networks may have changed since it was set
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, p.limit)
	defer cancel()
	free, err := p.take(ctx, at)
	if err != nil {
		return err
	}
	defer free()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", at.String())
	if err != nil {
		return fmt.Errorf("%w: %w", errPrinter, err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	deadline, _ := ctx.Deadline()
	if err := conn.SetDeadline(deadline); err != nil {
		return fmt.Errorf("%w: %w", errPrinter, err)
	}
	if _, err := conn.Write(append(append([]byte(nil), job...), askPaper...)); err != nil {
		return fmt.Errorf("%w: %w", errPrinter, err)
	}
	return p.hear(conn, at)
}

// hear waits for the state of the paper.
func (p *printers) hear(conn net.Conn, at netip.AddrPort) error {
	p.mu.Lock()
	known := p.answers[at]
	p.mu.Unlock()
	if !known {
		if err := conn.SetReadDeadline(time.Now().Add(min(muteTime, p.limit))); err != nil {
			return fmt.Errorf("%w: %w", errPrinter, err)
		}
	}
	var state [1]byte
	switch _, err := conn.Read(state[:]); {
	case err != nil && known:
		return fmt.Errorf("%w: %w", errPrinter, err)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil // it took all, and is mute
	case err != nil:
		return fmt.Errorf("%w: %w", errPrinter, err)
	}
	p.mu.Lock()
	p.answers[at] = true
	p.mu.Unlock()
	if state[0]&paperEnd != 0 {
		return errPaper
	}
	return nil
}

// take waits until no other job is under way at a printer.
func (p *printers) take(ctx context.Context, at netip.AddrPort) (free func(), err error) {
	p.mu.Lock()
	busy := p.busy[at]
	if busy == nil {
		busy = make(chan struct{}, 1)
		p.busy[at] = busy
	}
	p.mu.Unlock()
	select {
	case busy <- struct{}{}:
		return func() { <-busy }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: busy with another ticket", errPrinter)
	}
}
