package central

import (
	"context"
	"fmt"
	"time"

	"tirage/journal"
	"tirage/money"
	"tirage/store"
	"tirage/wager"
)

// PaymentMade is a payment on a ticket: when it was made, and where.
type PaymentMade struct {
	Record   uint64
	At       time.Time
	Outlet   string       // id
	Terminal string       // id; "": two officers paid it
	Amount   money.Amount // prizes and stakes given back
}

// PaymentsMade lists the payments on a ticket, in order, or returns [ErrNoTicket].
func (s *System) PaymentsMade(ctx context.Context, number wager.ID, secret [8]byte) (list []PaymentMade, err error) {
	if _, err := s.secretTicket(ctx, number, secret); err != nil {
		return nil, err
	}
	err = s.db.View(ctx, func(tx *store.Snapshot) error {
		rows, err := tx.Payments(ctx, []uint64{uint64(number)})
		if err != nil {
			return err
		}
		at := map[uint64]int{} // by record
		for _, row := range rows {
			i, ok := at[row.Record]
			if !ok {
				i = len(list)
				at[row.Record] = i
				made, err := paymentMade(ctx, tx, row)
				if err != nil {
					return err
				}
				list = append(list, made)
			}
			list[i].Amount = list[i].Amount.Add(row.Amount)
		}
		return nil
	})
	return list, err
}

// paymentMade is the payment that a row is of, without its amount.
func paymentMade(ctx context.Context, tx *store.Snapshot, row store.Payment) (PaymentMade, error) {
	made := PaymentMade{Record: row.Record, At: utc(row.At), Outlet: row.Outlet}
	b, _, err := tx.Record(ctx, row.Record)
	if err != nil {
		return made, err
	}
	rec, err := journal.Decode(b)
	if err != nil {
		return made, fmt.Errorf("record %d: %w", row.Record, err)
	}
	body, ok := rec.Body.(*journal.Payment)
	assert(ok, "the record of a payment is one")
	made.Terminal = outletName(body.Terminal)
	return made, nil
}
