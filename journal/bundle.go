package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrBundle is bytes that are not a sequence of records.
var ErrBundle = errors.New("not a bundle of records")

// AppendBundle appends a record to a bundle: a big-endian uint16 length, then
// the record (C2SP tlog-tiles, "Log entries"). The row of a turn has the same
// form as a bundle.
func AppendBundle(dst, record []byte) []byte {
	assert(len(record) <= SizeMax, "record too large for a bundle")
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(record)))
	return append(dst, record...)
}

// SplitBundle cuts a bundle into its records, which are parts of b and not
// decoded. It returns [ErrBundle] when b ends within one.
func SplitBundle(b []byte) ([][]byte, error) {
	var records [][]byte
	for len(b) > 0 {
		if len(b) < 2 {
			return nil, fmt.Errorf("%w: ends in the length of record %d", ErrBundle, len(records))
		}
		n := 2 + int(binary.BigEndian.Uint16(b))
		if len(b) < n {
			return nil, fmt.Errorf("%w: ends in record %d", ErrBundle, len(records))
		}
		records = append(records, b[2:n:n])
		b = b[n:]
	}
	return records, nil
}
