package store

import (
	"context"
	"errors"
	"fmt"

	"tirage/money"
)

// Ticket gives a ticket by its number.
func (r reader) Ticket(ctx context.Context, number uint64) (Ticket, error) {
	t, err := selectRow(ctx, r, &ticketTable, `WHERE t.number = $1`, int64(number))
	if err != nil {
		return Ticket{}, fmt.Errorf("ticket %d: %w", number, err)
	}
	return t, nil
}

// Tickets gives tickets by their numbers, in order.
func (r reader) Tickets(ctx context.Context, numbers []uint64) ([]Ticket, error) {
	return selectKeys(ctx, r, &ticketTable, "number", numbers, " ORDER BY t.number")
}

// Cancellations gives the cancellations of tickets, by ticket.
func (r reader) Cancellations(ctx context.Context, tickets []uint64) ([]Cancellation, error) {
	return selectKeys(ctx, r, &cancellationTable, "ticket", tickets, " ORDER BY t.ticket")
}

// Payments gives the payments of tickets, by ticket and draw.
func (r reader) Payments(ctx context.Context, tickets []uint64) ([]Payment, error) {
	return selectKeys(ctx, r, &paymentTable, "ticket", tickets, " ORDER BY t.ticket, t.draw")
}

// Stops gives the stops of tickets, by ticket and in order: the last of each holds.
func (r reader) Stops(ctx context.Context, tickets []uint64) ([]Stop, error) {
	return selectKeys(ctx, r, &stopTable, "ticket", tickets, " ORDER BY t.ticket, t.record")
}

// Reprints gives the reprints of tickets, by ticket and in order.
func (r reader) Reprints(ctx context.Context, tickets []uint64) ([]Reprint, error) {
	return selectKeys(ctx, r, &reprintTable, "ticket", tickets, " ORDER BY t.ticket, t.record")
}

// TicketsOf gives the tickets of an outlet with numbers from one up to another,
// which is none of them, the newest first, at most limit.
func (r reader) TicketsOf(ctx context.Context, outlet string, from, to uint64, limit int) ([]Ticket, error) {
	return selectRows(ctx, r, &ticketTable, `WHERE t.number >= $1 AND t.number < $2 AND t.outlet = (SELECT id FROM name WHERE name = $3)
		ORDER BY t.number DESC LIMIT $4`, int64(from), int64(to), outlet, limit)
}

// PaymentsOf gives what an outlet paid by records from one up to another, which
// is none of them, the newest first, at most limit records: a line a draw of a ticket.
func (r reader) PaymentsOf(ctx context.Context, outlet string, from, to uint64, limit int) ([]Payment, error) {
	return selectRows(ctx, r, &paymentTable, `JOIN (SELECT DISTINCT p.record AS made FROM payment p
		WHERE p.record >= $1 AND p.record < $2 AND p.outlet = (SELECT id FROM name WHERE name = $3) ORDER BY p.record DESC LIMIT $4) r ON t.record = r.made
		ORDER BY t.record DESC, t.draw`, int64(from), int64(to), outlet, limit)
}

// CancellationsOf gives the cancellations of tickets of an outlet likewise: who sold a ticket takes it back.
func (r reader) CancellationsOf(ctx context.Context, outlet string, from, to uint64, limit int) ([]Cancellation, error) {
	return selectRows(ctx, r, &cancellationTable, `JOIN ticket k ON k.number = t.ticket
		WHERE t.record >= $1 AND t.record < $2 AND k.outlet = (SELECT id FROM name WHERE name = $3)
		ORDER BY t.record DESC LIMIT $4`, int64(from), int64(to), outlet, limit)
}

// OutletSteps gives all records of an outlet, the newest first, at most limit.
func (r reader) OutletSteps(ctx context.Context, outlet string, limit int) ([]Outlet, error) {
	return selectRows(ctx, r, &outletTable, `WHERE t.id = $1 ORDER BY t.record DESC LIMIT $2`, outlet, limit)
}

// TerminalSteps gives all records of a terminal, the newest first.
func (r reader) TerminalSteps(ctx context.Context, terminal string) ([]Terminal, error) {
	return selectRows(ctx, r, &terminalTable, `WHERE t.id = $1 ORDER BY t.record DESC`, terminal)
}

// RecordAt gives the index of the first record of a time (µs UTC) or later; the
// journal's size when there is none. Turns are in order of time, so it looks in
// the middle of what is left, again and again.
func (r reader) RecordAt(ctx context.Context, at int64) (uint64, error) {
	head, err := r.Head(ctx)
	if err != nil {
		return 0, err
	}
	low, high := uint64(0), head.Size // the turns before low are earlier, those from high on are not
	for low < high {
		turns, err := selectRows(ctx, r, &turnTimeTable, `WHERE t.first = (SELECT MAX(first) FROM turn WHERE first <= $1)`, int64(low+(high-low)/2))
		if err != nil {
			return 0, err
		}
		if len(turns) == 0 {
			return 0, fmt.Errorf("turn of record %d: %w", low+(high-low)/2, ErrNotFound)
		}
		if turn := turns[0]; turn.At < at {
			low = turn.First + turn.Count
		} else {
			high = turn.First
		}
	}
	return low, nil
}

// turnTimeTable is the turns without their records.
var turnTimeTable = table[Turn]{name: "turn", columns: turnTable.columns[:3]}

// Parts gives the parts of a draw after one of them, by ticket and n, at most
// limit: those of cancelled tickets are left out. The parts of a draw begin
// after ticket 0, n −1.
func (r reader) Parts(ctx context.Context, draw int64, afterTicket uint64, afterN, limit int) ([]Part, error) {
	rows, err := r.s.query(ctx, `SELECT ticket, n, combination, units, prize_table, last_draw FROM part
		WHERE draw = $1 AND (ticket, n) > ($2, $3) AND NOT EXISTS (SELECT 1 FROM cancellation c WHERE c.ticket = part.ticket)
		ORDER BY ticket, n LIMIT $4`, draw, int64(afterTicket), int64(afterN), int64(limit))
	if err != nil {
		return nil, fmt.Errorf("read part: %w", mapError(err))
	}
	defer rows.Close()
	parts := make([]Part, 0, min(limit, partsSlice))
	// A million of them are read at a time: Scan is quick into int64 only.
	var ticket, n, table int64
	p := Part{Draw: draw}
	destinations := []any{&ticket, &n, &p.Combination, &p.Units, &table, &p.LastDraw}
	for rows.Next() {
		if err := rows.Scan(destinations...); err != nil {
			return nil, fmt.Errorf("read part: %w", err)
		}
		p.Ticket, p.N, p.Table = uint64(ticket), int(n), int(table)
		parts = append(parts, p)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return nil, fmt.Errorf("read part: %w", mapError(err))
	}
	return parts, nil
}

// partsSlice is how many parts EachPart reads at once.
const partsSlice = 10_000

// EachPart gives all parts of a draw to fn, in slices and by ticket and n,
// without those of cancelled tickets. The reader is released between two
// slices, so each is a snapshot of its own: of a draw that still sells, call
// it with no turn between.
func (db *DB) EachPart(ctx context.Context, draw int64, fn func([]Part) error) error {
	after := Part{N: -1}
	for {
		var parts []Part
		err := db.View(ctx, func(s *Snapshot) (err error) {
			if err := s.inOrder(ctx); err != nil {
				return err
			}
			parts, err = s.Parts(ctx, draw, after.Ticket, after.N, partsSlice)
			return err
		})
		if err != nil {
			return fmt.Errorf("parts of draw %d: %w", draw, err)
		}
		if len(parts) == 0 {
			return nil
		}
		if err := fn(parts); err != nil {
			return err
		}
		after = parts[len(parts)-1]
	}
}

// inOrder makes PostgreSQL read in the order of an index for the rest of the
// snapshot. Of a draw that its statistics do not know yet it expects a handful of parts, and would
// sort all that are left for each slice.
func (r reader) inOrder(ctx context.Context) error {
	if r.s.engine != postgresEngine {
		return nil
	}
	return r.s.exec(ctx, "SET LOCAL enable_sort = off")
}

// Balances gives the balance of each account, as the turns added it up.
func (r reader) Balances(ctx context.Context) (map[string]money.Amount, error) {
	return r.amounts(ctx, "SELECT "+nameOf("account")+", amount FROM balance")
}

// TrialBalance adds the postings of each account up anew: it reads all of
// them, for tests and audits.
func (r reader) TrialBalance(ctx context.Context) (map[string]money.Amount, error) {
	return r.amounts(ctx, "SELECT "+nameOf("account")+", CAST(COALESCE(SUM(amount), 0) AS BIGINT) FROM posting GROUP BY account")
}

// amounts reads one amount a name.
func (r reader) amounts(ctx context.Context, text string, args ...any) (map[string]money.Amount, error) {
	rows, err := r.s.query(ctx, text, args...)
	if err != nil {
		return nil, fmt.Errorf("read amounts: %w", mapError(err))
	}
	defer rows.Close()
	out := make(map[string]money.Amount)
	for rows.Next() {
		var name string
		var amount int64
		if err := rows.Scan(&name, &amount); err != nil {
			return nil, fmt.Errorf("read amounts: %w", err)
		}
		out[name] = money.Amount(amount)
	}
	return out, mapError(errors.Join(rows.Err(), rows.Close()))
}

// Postings gives the postings of an entry, in its order.
func (r reader) Postings(ctx context.Context, entry uint64) ([]Posting, error) {
	return selectRows(ctx, r, &postingTable, `WHERE t.id BETWEEN $1 AND $2 ORDER BY t.id`, int64(entry)<<16, int64(entry)<<16|0xffff)
}
