package store

import "context"

// The rows of this file are private, as those of private.go are.

// Printer is the network printer of a terminal.
type Printer struct {
	Terminal string // id
	Address  string // IP address and port
	Auto     bool   // it prints each ticket as it is sold
}

// Printed is a print of a ticket or voucher, and the key of the command that made it:
// each one of a voucher, the first one of a ticket.
type Printed struct {
	Ticket  uint64
	Copy    int64 // 0: the first print
	Command string
}

var (
	printerTable = table[Printer]{name: "printer", columns: []column[Printer]{
		texts("terminal", func(r *Printer) *string { return &r.Terminal }),
		texts("address", func(r *Printer) *string { return &r.Address }),
		bools("auto", func(r *Printer) *bool { return &r.Auto }),
	}}
	printedTable = table[Printed]{name: "printed", columns: []column[Printed]{
		ints("ticket", func(r *Printed) *uint64 { return &r.Ticket }),
		ints("copy", func(r *Printed) *int64 { return &r.Copy }),
		texts("command", func(r *Printed) *string { return &r.Command }),
	}}
)

// SetPrinter gives a terminal a printer, in place of the one it had.
func (tx *Tx) SetPrinter(ctx context.Context, p Printer) error {
	if err := tx.RemovePrinter(ctx, p.Terminal); err != nil {
		return err
	}
	return addPrivate(ctx, tx, &printerTable, p)
}

// RemovePrinter takes the printer of a terminal away, if it has one.
func (tx *Tx) RemovePrinter(ctx context.Context, terminal string) error {
	return tx.change(ctx, `DELETE FROM printer WHERE terminal = $1`, terminal)
}

// Printer gives the printer of a terminal.
func (r reader) Printer(ctx context.Context, terminal string) (Printer, error) {
	return selectRow(ctx, r, &printerTable, `WHERE t.terminal = $1`, terminal)
}

// AddPrinted notes a print. A copy that was printed before is [ErrConflict].
func (tx *Tx) AddPrinted(ctx context.Context, p Printed) error {
	return addPrivate(ctx, tx, &printedTable, p)
}

// Prints gives the prints of tickets and vouchers, the first one of each before its copies.
func (r reader) Prints(ctx context.Context, tickets []uint64) ([]Printed, error) {
	return selectKeys(ctx, r, &printedTable, "ticket", tickets, " ORDER BY t.ticket, t.copy")
}
