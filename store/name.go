package store

import (
	"context"
	"errors"
	"fmt"
)

// namesMax bounds the names that are kept in memory; a turn that begins with
// more looks them up again.
const namesMax = 1 << 20

// nameAll sees to it that the names in the rows have numbers, which their
// columns then hold: a few names stand in very many rows.
func nameAll[R any](ctx context.Context, tx *Tx, t *table[R], rows []R) error {
	var missing []string
	for _, c := range t.columns {
		if !c.named {
			continue
		}
		for i := range rows {
			if name := c.text(&rows[i]); tx.names[name] == 0 {
				missing = append(missing, name)
			}
		}
	}
	if len(missing) == 0 {
		return nil
	}
	if err := tx.name(ctx, missing); err != nil {
		return fmt.Errorf("names of %s: %w", t.name, err)
	}
	return nil
}

// name finds the numbers of names, and inserts those that are new: another
// node may have done so. Who has the turn gives numbers without a gap.
func (tx *Tx) name(ctx context.Context, missing []string) error {
	var last int64
	if err := tx.row(ctx, []any{&last}, `SELECT COALESCE(MAX(id), 0) FROM name`); err != nil {
		return err
	}
	for _, name := range missing {
		if tx.names[name] != 0 {
			continue // twice among the missing
		}
		var id int64
		err := tx.row(ctx, []any{&id}, `SELECT id FROM name WHERE name = $1`, name)
		if errors.Is(err, ErrNotFound) {
			last++
			id = last
			tx.added = append(tx.added, name)
			err = tx.s.exec(ctx, `INSERT INTO name (id, name) VALUES ($1, $2)`, id, name)
		}
		if err != nil {
			return err
		}
		tx.names[name] = id
	}
	return nil
}

// forgetNames drops what a turn inserted that may not be committed.
func (tx *Tx) forgetNames() {
	for _, name := range tx.added {
		delete(tx.names, name)
	}
}
