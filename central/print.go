package central

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"tirage/journal"
	"tirage/party"
	"tirage/store"
	"tirage/wager"
)

// ErrPrinted is a ticket that was printed before: what is printed from then on
// is a reprint, and marked as one ([System.Reprint]).
var ErrPrinted = errors.New("the ticket was printed before")

// SetPrinter gives a terminal a network printer.
type SetPrinter struct {
	Key      string
	Officer  string
	Terminal string
	Printer  party.Printer // zero: none
}

// SetPrinter gives a terminal a printer, or takes the one that it has away. The
// record says who did so at which terminal; the address is private. Which
// addresses there may be is for the server that prints. Refusals:
// [party.ErrUnknownTerminal], [party.ErrWithdrawn], [ErrNotAllowed], [ErrKey], [ErrKeyReused].
func (s *System) SetPrinter(ctx context.Context, p SetPrinter) error {
	row := store.Printer{Terminal: p.Terminal, Auto: p.Printer.Auto}
	if p.Printer.Address.IsValid() {
		row.Address = p.Printer.Address.String()
	}
	_, _, err := s.officerCommand(ctx, p.Officer, p.Key, content("printer", row), func(t *turn, command journal.Command, by journal.Party) (uint64, error) {
		if _, _, err := t.m.working(p.Terminal); err != nil {
			return 0, err
		}
		change := t.tx.SetPrinter
		if row.Address == "" {
			change = func(ctx context.Context, row store.Printer) error { return t.tx.RemovePrinter(ctx, row.Terminal) }
		}
		if err := change(s.ctx, row); err != nil {
			return 0, err
		}
		return t.append(&journal.Act{Command: command, By: by, Act: "set-printer", Subject: p.Terminal})
	})
	return err
}

// Printer gives the printer of a terminal; zero: it has none.
func (s *System) Printer(ctx context.Context, terminal string) (p party.Printer, err error) {
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		row, err := tx.Printer(ctx, terminal)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		p.Auto = row.Auto
		p.Address, err = netip.ParseAddrPort(row.Address)
		return err
	})
	return p, err
}

// Terminals lists the terminals of an outlet, in the order of their ids.
func (s *System) Terminals(outlet string) []party.Terminal {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var list []party.Terminal
	for _, t := range s.memory.terminals {
		if t.Outlet == outlet {
			list = append(list, t)
		}
	}
	slices.SortFunc(list, func(a, b party.Terminal) int { return strings.Compare(a.ID, b.ID) })
	return list
}

// Print is the first print of a ticket, asked for by a terminal.
type Print struct {
	Key      string
	Terminal string
	Ticket   wager.ID
	Secret   [8]byte
}

// Print notes, before it is done, that a ticket is printed for the first time,
// and returns the ticket. A printer that fails afterwards may have printed it, so
// whatever comes next is a reprint. again tells that the same command noted it before.
//
// Refusals: [ErrPrinted], [ErrNoTicket], [ErrNotYours], [ErrCancelled], [ErrStopped], [party.ErrBlocked], [party.ErrUnknownTerminal], [party.ErrWithdrawn], [ErrKey].
func (s *System) Print(ctx context.Context, p Print) (ticket wager.Ticket, again bool, err error) {
	key, err := terminalKey(p.Terminal, p.Key)
	if err != nil {
		return wager.Ticket{}, false, err
	}
	_, outlet, err := s.Terminal(p.Terminal)
	if err != nil {
		return wager.Ticket{}, false, err
	}
	var known []store.Printed
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		sale, at, err := s.prove(ctx, tx, p.Ticket, p.Secret)
		if err != nil {
			return err
		}
		if ticket, _, err = s.readTicket(ctx, tx, p.Ticket, sale, at); err != nil {
			return err
		}
		known, err = tx.Prints(ctx, []uint64{uint64(p.Ticket)})
		return err
	})
	switch {
	case err != nil:
		return wager.Ticket{}, false, err
	case ticket.Outlet != outlet.ID:
		return wager.Ticket{}, false, ErrNotYours
	case len(known) > 0 && known[0].Command == key.Scope+"/"+key.Key:
		return ticket, true, nil
	case len(known) > 0:
		return ticket, false, ErrPrinted
	}
	_, again, err = s.notePrinted(ctx, key, p.Terminal, ticket, 1)
	return ticket, again, err
}

// PrintVoucher is a print of a deposit voucher, asked for by a terminal.
type PrintVoucher struct {
	Key      string
	Terminal string
	Voucher  uint64
	Secret   [8]byte
}

// PrintVoucher notes, before it is done, that a voucher is printed, and returns it and
// which copy this is: 0 is the first print, and any other is to be marked. again tells
// that the same command noted it before. Only the outlet that sold it prints it, and only
// until it is used: what is printed then would be worth nothing.
//
// Refusals: [ErrNoVoucher], [ErrNotYours], [ErrVoucherUsed], [ErrPrinted] once it was printed 1,000 times, [party.ErrBlocked], [party.ErrUnknownTerminal], [ErrKey].
func (s *System) PrintVoucher(ctx context.Context, p PrintVoucher) (v Voucher, n int, again bool, err error) {
	key, err := terminalKey(p.Terminal, p.Key)
	if err != nil {
		return Voucher{}, 0, false, err
	}
	_, outlet, err := s.Terminal(p.Terminal)
	if err != nil {
		return Voucher{}, 0, false, err
	}
	if v, err = s.findVoucher(ctx, p.Voucher, p.Secret); err != nil {
		return Voucher{}, 0, false, err
	}
	if v.Outlet != outlet.ID {
		return Voucher{}, 0, false, ErrNotYours
	}
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		reference := voucherReference(v.Number)
		_, err := tx.Deposit(ctx, voucherMeans, reference[:])
		return err
	})
	switch {
	case err == nil:
		return Voucher{}, 0, false, ErrVoucherUsed
	case !errors.Is(err, store.ErrNotFound):
		return Voucher{}, 0, false, err
	}
	// Numbers of vouchers and of tickets are indices of one journal.
	n, again, err = s.notePrinted(ctx, key, p.Terminal, wager.Ticket{Number: wager.ID(v.Number), Outlet: v.Outlet}, voucherPrints)
	return v, n, again, err
}

// voucherPrints bounds the prints of a voucher: each is a row, and costs its terminal nothing.
const voucherPrints = 1000

// Prints tells which of the tickets, or vouchers, were printed before.
func (s *System) Prints(ctx context.Context, tickets []wager.ID) (map[wager.ID]bool, error) {
	numbers := make([]uint64, len(tickets))
	for i, n := range tickets {
		numbers[i] = uint64(n)
	}
	printed := make(map[wager.ID]bool, len(tickets))
	err := s.db.View(ctx, func(tx *store.Snapshot) error {
		rows, err := tx.Prints(ctx, numbers)
		for _, row := range rows {
			printed[wager.ID(row.Ticket)] = true
		}
		return err
	})
	return printed, err
}

// notePrinted notes that a ticket or voucher is printed by a command, and tells which copy that is,
// or was when the same command asked before. Printed most times, it is [ErrPrinted].
func (s *System) notePrinted(ctx context.Context, key store.CommandKey, terminal string, ticket wager.Ticket, most int) (n int, again bool, err error) {
	command := key.Scope + "/" + key.Key
	var done bool // these two of the turn's last run; read after the answer only
	var copies int
	err = s.do(ctx, &job{ticket: ticket.Number, alone: true, private: true, decide: func(t *turn) error {
		done = false
		if _, _, err := t.seller(terminal, ticket); err != nil {
			return err
		}
		known, err := t.tx.Prints(s.ctx, []uint64{uint64(ticket.Number)})
		if err != nil {
			return err
		}
		copies = slices.IndexFunc(known, func(row store.Printed) bool { return row.Command == command })
		if done = copies >= 0; done {
			return nil
		}
		if copies = len(known); copies >= most {
			return fmt.Errorf("%w: ticket %d", ErrPrinted, ticket.Number)
		}
		return t.tx.AddPrinted(s.ctx, store.Printed{Ticket: uint64(ticket.Number), Copy: int64(copies), Command: command})
	}})
	if err != nil {
		return 0, false, err // the turn may still be at it, so nothing of it is read
	}
	return copies, done, nil
}
