package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// A reader reads, in a turn or in a snapshot. Whatever takes several keys asks
// for all of them at once; a key that does not exist is left out of the
// answer. Whatever takes one key gives [ErrNotFound].
type reader struct {
	s *session
}

// selectRows reads the rows of a table that the tail of the query leaves: the
// table is t in it.
func selectRows[R any](ctx context.Context, r reader, t *table[R], tail string, args ...any) ([]R, error) {
	rows, err := r.s.query(ctx, t.selects()+tail, args...)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", t.name, mapError(err))
	}
	defer rows.Close()
	var out []R
	var row R
	destinations := t.destinations(&row)
	for rows.Next() {
		var none R
		row = none // a byte slice is not scanned into the one before it
		if err := rows.Scan(destinations...); err != nil {
			return nil, fmt.Errorf("read %s: %w", t.name, err)
		}
		out = append(out, row)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return nil, fmt.Errorf("read %s: %w", t.name, mapError(err))
	}
	return out, nil
}

// selectRow reads the one row, or gives ErrNotFound.
func selectRow[R any](ctx context.Context, r reader, t *table[R], tail string, args ...any) (R, error) {
	rows, err := selectRows(ctx, r, t, tail, args...)
	if err == nil && len(rows) == 0 {
		err = fmt.Errorf("read %s: %w", t.name, ErrNotFound)
	}
	if err != nil {
		var none R
		return none, err
	}
	return rows[0], nil
}

// keysMax is the most keys in one query.
const keysMax = 512

// selectKeys reads the rows of a table where the column is one of the keys,
// each once; order begins with that column.
func selectKeys[R any, K int64 | uint64](ctx context.Context, r reader, t *table[R], column string, keys []K, order string) ([]R, error) {
	var out []R
	keys = slices.Compact(slices.Sorted(slices.Values(keys)))
	for chunk := range slices.Chunk(keys, keysMax) {
		condition, args := in(r.s.engine, chunk)
		rows, err := selectRows(ctx, r, t, "WHERE t."+column+condition+order, args...)
		if err != nil {
			return nil, err
		}
		out = append(out, rows...)
	}
	return out, nil
}

// in is the condition of being one of the keys (there is at least one), and
// its arguments. SQLite has no arrays: it gets a list filled up with the last
// key to 2ⁿ of them, so that few texts are prepared.
func in[K int64 | uint64](e engine, keys []K) (condition string, args []any) {
	if e == postgresEngine {
		ids := make([]int64, len(keys))
		for i, key := range keys {
			ids[i] = int64(key)
		}
		return " = ANY($1::bigint[])", []any{ids}
	}
	n := 1 << bits.Len(uint(len(keys)-1))
	args = make([]any, n)
	for i := range args {
		args[i] = int64(keys[min(i, len(keys)-1)])
	}
	return " IN (?" + strings.Repeat(",?", n-1) + ")", args
}

const selectHead = `SELECT size, at, frontier, root FROM head WHERE id = 1`

// Head is the end of the journal.
func (r reader) Head(ctx context.Context) (Head, error) {
	var head Head
	if err := r.row(ctx, []any{&head.Size, &head.At, &head.Frontier, &head.Root}, selectHead); err != nil {
		return Head{}, fmt.Errorf("read head: %w", err)
	}
	return head, nil
}

// row reads the one row of a query, or gives ErrNotFound.
func (r reader) row(ctx context.Context, destinations []any, text string, args ...any) error {
	rows, err := r.s.query(ctx, text, args...)
	if err != nil {
		return mapError(err)
	}
	defer rows.Close()
	if !rows.Next() {
		return mapError(cmp.Or(rows.Err(), sql.ErrNoRows))
	}
	return errors.Join(rows.Scan(destinations...), rows.Close())
}

// Turns gives the turns that hold records from an index on, in order, at most
// limit of them: the first may begin before it.
func (r reader) Turns(ctx context.Context, from uint64, limit int) ([]Turn, error) {
	turns, err := selectRows(ctx, r, &turnTable,
		`WHERE t.first >= (SELECT COALESCE(MAX(first), 0) FROM turn WHERE first <= $1) ORDER BY t.first LIMIT $2`, int64(from), limit)
	if err != nil {
		return nil, err
	}
	if len(turns) > 0 && turns[0].First+turns[0].Count <= from {
		turns = turns[1:] // the journal ends before it
	}
	return turns, nil
}

// Record gives the bytes of a record, and the time of its turn in µs UTC.
func (r reader) Record(ctx context.Context, index uint64) (record []byte, at int64, err error) {
	turns, err := r.Turns(ctx, index, 1)
	if err != nil {
		return nil, 0, err
	}
	if len(turns) == 0 {
		return nil, 0, fmt.Errorf("record %d: %w", index, ErrNotFound)
	}
	turn := turns[0]
	rest := turn.Records
	for range index - turn.First + 1 {
		if len(rest) < 2 || len(rest)-2 < int(binary.BigEndian.Uint16(rest)) {
			return nil, 0, fmt.Errorf("record %d: the turn from %d is cut short", index, turn.First)
		}
		n := 2 + int(binary.BigEndian.Uint16(rest))
		record, rest = rest[2:n], rest[n:]
	}
	return record, turn.At, nil
}

// Tile gives the hashes of a full tile.
func (r reader) Tile(ctx context.Context, level int, n uint64) ([]byte, error) {
	tile, err := selectRow(ctx, r, &tileTable, `WHERE t.level = $1 AND t.n = $2`, level, int64(n))
	if err != nil {
		return nil, fmt.Errorf("tile %d/%d: %w", level, n, err)
	}
	return tile.Hashes, nil
}

// CommandKey names a command: the key that its caller made, and the scope.
type CommandKey struct {
	Key   string // bytes
	Scope string
}

// Commands gives those of the commands that are done.
func (r reader) Commands(ctx context.Context, keys []CommandKey) (map[CommandKey]Command, error) {
	out := make(map[CommandKey]Command)
	for chunk := range slices.Chunk(keys, keysMax) {
		tail, args := commandsTail(r.s.engine, chunk)
		commands, err := selectRows(ctx, r, &commandTable, tail, args...)
		if err != nil {
			return nil, err
		}
		for _, c := range commands {
			if key := (CommandKey{string(c.Key), c.Scope}); slices.Contains(chunk, key) {
				out[key] = c
			}
		}
	}
	return out, nil
}

// commandsTail ends the query for commands: by key alone, which is where the
// index begins. A key of another scope is left out later.
func commandsTail(e engine, keys []CommandKey) (tail string, args []any) {
	condition, args := inBlobs(e, gather(keys, func(k *CommandKey) []byte { return []byte(k.Key) }))
	return ` WHERE t.key` + condition, args
}

// inBlobs is [in] for a column of bytes.
func inBlobs(e engine, keys [][]byte) (condition string, args []any) {
	if e == postgresEngine {
		return ` = ANY($1::bytea[])`, []any{keys}
	}
	n := 1 << bits.Len(uint(len(keys)-1))
	args = make([]any, 0, n)
	for i := range n {
		args = append(args, keys[min(i, len(keys)-1)])
	}
	return ` IN (?` + strings.Repeat(",?", n-1) + `)`, args
}

// CountTurns counts the turns of the journal.
func (r reader) CountTurns(ctx context.Context) (n uint64, err error) {
	err = r.row(ctx, []any{&n}, `SELECT COUNT(*) FROM turn`)
	return n, err
}

// LastKey gives the greatest key of all commands up to a bound, nil when there is none.
func (r reader) LastKey(ctx context.Context, bound []byte) (key []byte, err error) {
	err = r.row(ctx, []any{&key}, `SELECT key FROM command WHERE key <= $1 ORDER BY key DESC LIMIT 1`, bound)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	return key, err
}

// KeysAbove gives commands whose keys are above a bound, at most limit of them.
func (r reader) KeysAbove(ctx context.Context, bound []byte, limit int) ([]CommandKey, error) {
	commands, err := selectRows(ctx, r, &commandTable, `WHERE t.key > $1 ORDER BY t.key LIMIT $2`, bound, limit)
	keys := make([]CommandKey, len(commands))
	for i, c := range commands {
		keys[i] = CommandKey{Key: string(c.Key), Scope: c.Scope}
	}
	return keys, err
}
