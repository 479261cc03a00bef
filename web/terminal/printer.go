package terminal

import (
	"cmp"
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
	// errMute is a printer that took a job whole and says nothing, as it always has: it may have printed it.
	errMute = errors.New("the printer says nothing")
)

// How long a printer may take, from the connection to its last answer, for a job of so many tickets.
const (
	printTime  = 3 * time.Second         // of any job
	ticketTime = 1500 * time.Millisecond // more, for each ticket: some paper printers are slow
	// turnTime is how long a job waits for those before it.
	turnTime = time.Minute
	// statusTime is how long a printer is waited for before the job: what it says then it says at once, or never.
	statusTime = 300 * time.Millisecond
	// muteTime is how long a printer is believed to be one that says nothing, so that jobs need not wait for that.
	muteTime = 10 * time.Minute
)

var (
	// askNow makes a printer tell at once whether it has paper (DLE EOT 4): before the job, which
	// it would otherwise keep, to print it when it has paper again.
	askNow = []byte{0x10, 0x04, 4}
	// askPaper makes it tell the state of its paper once it has done what came before (GS r 1).
	askPaper = []byte{0x1d, 'r', 1}
)

// The bits of their answers that are set when there is no paper, and those that tell the answers apart.
const (
	nowEnd, nowMask, nowIs     = 0x60, 0x93, 0x12
	paperEnd, doneMask, doneIs = 0x0c, 0x90, 0x00
)

// printers sends jobs to network printers, one at a time to each.
type printers struct {
	allow func(netip.AddrPort) error // whether a printer may stand there
	limit time.Duration              // of a job of no ticket

	mu    sync.Mutex
	busy  map[netip.AddrPort]chan struct{} // full while a job is under way
	habit map[netip.AddrPort]habit
}

// habit is what is known of how a printer answers.
type habit struct {
	spoke   bool      // it has said that it was done
	deaf    bool      // it says nothing before a job
	muteFor time.Time // until when it is believed to say nothing at all
}

// newPrinters are printers that may take so long for a job of no ticket; 0: [printTime].
func newPrinters(allow func(netip.AddrPort) error, limit time.Duration) *printers {
	return &printers{allow: allow, limit: cmp.Or(limit, printTime), busy: map[netip.AddrPort]chan struct{}{}, habit: map[netip.AddrPort]habit{}}
}

// print sends a job of so many tickets and waits until the printer says that it
// has done it; errMute is one that has taken the job and has never said anything.
func (p *printers) print(ctx context.Context, at netip.AddrPort, job []byte, tickets int) (err error) {
	if err := p.allow(at); err != nil { // the networks may have changed since it was set
		return err
	}
	free, err := p.take(ctx, at)
	if err != nil {
		return err
	}
	defer free()
	ctx, cancel := context.WithTimeout(ctx, p.limit+time.Duration(tickets)*ticketTime)
	defer cancel()
	dialing, dialed := context.WithTimeout(ctx, p.limit)
	defer dialed()
	conn, err := new(net.Dialer).DialContext(dialing, "tcp", at.String())
	if err != nil {
		return fmt.Errorf("%w: %w", errPrinter, err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	deadline, _ := ctx.Deadline()
	if err := p.ready(conn, at, deadline); err != nil {
		return err
	}
	if _, err := conn.Write(append(append([]byte(nil), job...), askPaper...)); err != nil {
		return fmt.Errorf("%w: %w", errPrinter, err)
	}
	return p.done(conn, at)
}

// ready asks a printer whether it has paper, if it answers that, and lets it be used until the deadline.
func (p *printers) ready(conn net.Conn, at netip.AddrPort, deadline time.Time) error {
	if err := conn.SetDeadline(deadline); err != nil {
		return fmt.Errorf("%w: %w", errPrinter, err)
	}
	h := p.of(at)
	if h.deaf {
		return nil
	}
	if _, err := conn.Write(askNow); err != nil {
		return fmt.Errorf("%w: %w", errPrinter, err)
	}
	if err := conn.SetReadDeadline(time.Now().Add(min(statusTime, p.limit))); err != nil {
		return fmt.Errorf("%w: %w", errPrinter, err)
	}
	state, err := said(conn, nowMask, nowIs)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		h.deaf = true
		p.learn(at, h)
	case err != nil:
		return fmt.Errorf("%w: %w", errPrinter, err)
	case state&nowEnd != 0:
		return errPaper
	}
	if err := conn.SetReadDeadline(deadline); err != nil {
		return fmt.Errorf("%w: %w", errPrinter, err)
	}
	return nil
}

// done waits until a printer says that it has done its job.
func (p *printers) done(conn net.Conn, at netip.AddrPort) error {
	h := p.of(at)
	if time.Now().Before(h.muteFor) {
		if err := conn.SetReadDeadline(time.Now().Add(min(statusTime, p.limit))); err != nil {
			return fmt.Errorf("%w: %w", errPrinter, err)
		}
	}
	state, err := said(conn, doneMask, doneIs)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded) && !h.spoke:
		if !time.Now().Before(h.muteFor) {
			h.muteFor = time.Now().Add(muteTime)
			p.learn(at, h)
		}
		return errMute
	case err != nil:
		return fmt.Errorf("%w: %w", errPrinter, err)
	}
	h.spoke, h.muteFor = true, time.Time{}
	p.learn(at, h)
	if state&paperEnd != 0 {
		return errPaper
	}
	return nil
}

// said reads what a printer says until it is an answer of a kind.
func said(conn net.Conn, mask, is byte) (byte, error) {
	for {
		var state [1]byte
		if _, err := conn.Read(state[:]); err != nil {
			return 0, err
		}
		if state[0]&mask == is {
			return state[0], nil
		}
	}
}

func (p *printers) of(at netip.AddrPort) habit {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.habit[at]
}

func (p *printers) learn(at netip.AddrPort, h habit) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.habit[at] = h
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
	ctx, cancel := context.WithTimeout(ctx, turnTime)
	defer cancel()
	select {
	case busy <- struct{}{}:
		return func() { <-busy }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: busy with another ticket", errPrinter)
	}
}
