package journal

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"

	"github.com/fxamacker/cbor/v2"
)

// SizeMax is the length of the longest record in bytes. Larger content is put
// elsewhere and journalled by its hash.
const SizeMax = 65_534

var (
	// ErrRecord is a record, or bytes, that the format does not allow.
	ErrRecord = errors.New("not a journal record")
	// ErrTooLarge is a record longer than [SizeMax].
	ErrTooLarge = errors.New("journal record too large")
)

var (
	encoding = must(encOptions().UserBufferEncMode())
	decoding = must(cbor.DecOptions{
		DupMapKey:         cbor.DupMapKeyEnforcedAPF,
		IndefLength:       cbor.IndefLengthForbidden,
		TagsMd:            cbor.TagsForbidden,
		ExtraReturnErrors: cbor.ExtraDecErrorUnknownField,
		MaxNestedLevels:   8,
	}.DecMode())
)

func encOptions() cbor.EncOptions {
	o := cbor.CoreDetEncOptions()
	o.NilContainers = cbor.NilContainerAsEmpty // a nil list and an empty one are the same fact
	return o
}

// envelope is the outer array of a record.
type envelope struct {
	_    struct{} `cbor:",toarray"`
	Kind Kind
	At   int64
	Body Body
}

// rawEnvelope is an envelope whose body's type is not known yet.
type rawEnvelope struct {
	_    struct{} `cbor:",toarray"`
	Kind Kind
	At   int64
	Body cbor.RawMessage
}

// Encode returns the bytes of r, which are stored and hashed as they are.
// It returns [ErrRecord] for a record that [Decode] would refuse, and
// [ErrTooLarge].
func Encode(r Record) ([]byte, error) {
	if err := check(r); err != nil {
		return nil, err
	}
	b, err := appendRecord(make([]byte, 0, 256), r)
	if err != nil {
		return nil, err
	}
	if len(b) > SizeMax {
		return nil, fmt.Errorf("%w: %s of %d bytes", ErrTooLarge, r.Body.Kind(), len(b))
	}
	return b, nil
}

// appendRecord appends the bytes of r to dst, unchecked.
func appendRecord(dst []byte, r Record) ([]byte, error) {
	if s, ok := r.Body.(*Sale); ok {
		return appendSale(dst, r.At, s), nil
	}
	buf := bytes.NewBuffer(dst)
	if err := encoding.MarshalToBuffer(envelope{Kind: r.Body.Kind(), At: r.At, Body: r.Body}, buf); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrRecord, r.Body.Kind(), err)
	}
	return buf.Bytes(), nil
}

// Decode reads the bytes of one record. The body is a pointer (*[Sale] …).
// Everything but the one encoding of a record is refused with [ErrRecord]:
// unknown recordKinds, keys missing, unknown or given twice, other encodings of the
// same values, trailing bytes, negative sums.
func Decode(b []byte) (Record, error) {
	if len(b) > SizeMax {
		return Record{}, fmt.Errorf("%w: %d bytes", ErrRecord, len(b))
	}
	var e rawEnvelope
	if err := decoding.Unmarshal(b, &e); err != nil {
		return Record{}, fmt.Errorf("%w: %w", ErrRecord, err)
	}
	body := e.Kind.body()
	if body == nil {
		return Record{}, fmt.Errorf("%w: %s", ErrRecord, e.Kind)
	}
	if err := decoding.Unmarshal(e.Body, body); err != nil {
		return Record{}, fmt.Errorf("%w: %s: %w", ErrRecord, e.Kind, err)
	}
	r := Record{At: e.At, Body: body}
	if err := check(r); err != nil {
		return Record{}, err
	}
	// What the decoder lets pass (missing keys, longer forms, nulls, another
	// order) shows when the record is written again.
	again, err := appendRecord(make([]byte, 0, len(b)), r)
	if err != nil {
		return Record{}, err
	}
	if !bytes.Equal(again, b) {
		return Record{}, fmt.Errorf("%w: %s is not in its deterministic encoding", ErrRecord, e.Kind)
	}
	return r, nil
}

// recordKinds are the record types: the name in the format's documentation, and a new body.
var recordKinds = [...]struct {
	name string
	body func() Body
}{
	KindKey:           {"key", func() Body { return new(Key) }},
	KindOfficer:       {"officer", func() Body { return new(Officer) }},
	KindRules:         {"rules", func() Body { return new(Rules) }},
	KindOutlet:        {"outlet", func() Body { return new(Outlet) }},
	KindTerminal:      {"terminal", func() Body { return new(Terminal) }},
	KindPlan:          {"plan", func() Body { return new(Plan) }},
	KindOpen:          {"open", func() Body { return new(Open) }},
	KindSale:          {"sale", func() Body { return new(Sale) }},
	KindCancellation:  {"cancellation", func() Body { return new(Cancellation) }},
	KindClose:         {"close", func() Body { return new(Close) }},
	KindResult:        {"result", func() Body { return new(Result) }},
	KindSettlement:    {"settlement", func() Body { return new(Settlement) }},
	KindCertification: {"certification", func() Body { return new(Certification) }},
	KindPayment:       {"payment", func() Body { return new(Payment) }},
	KindReceived:      {"received", func() Body { return new(Received) }},
	KindAct:           {"act", func() Body { return new(Act) }},
	KindProposal:      {"proposal", func() Body { return new(Proposal) }},
	KindDecision:      {"decision", func() Body { return new(Decision) }},
	KindMove:          {"move", func() Body { return new(Move) }},
	KindCancelDraw:    {"cancel-draw", func() Body { return new(CancelDraw) }},
	KindRefund:        {"refund", func() Body { return new(Refund) }},
	KindExtension:     {"extension", func() Body { return new(Extension) }},
	KindExpiry:        {"expiry", func() Body { return new(Expiry) }},
	KindBook:          {"book", func() Body { return new(Book) }},
	KindSecrets:       {"secrets", func() Body { return new(Secrets) }},
	KindPool:          {"pool", func() Body { return new(Pool) }},
	KindOpenPool:      {"open-pool", func() Body { return new(OpenPool) }},
	KindUnit:          {"unit", func() Body { return new(Unit) }},
	KindClosePool:     {"close-pool", func() Body { return new(ClosePool) }},
	KindLaunch:        {"launch", func() Body { return new(Launch) }},
	KindSuspend:       {"suspend", func() Body { return new(Suspend) }},
	KindPlayer:        {"player", func() Body { return new(Player) }},
	KindPlayerChange:  {"player-change", func() Body { return new(PlayerChange) }},
	KindVoucher:       {"voucher", func() Body { return new(Voucher) }},
	KindDeposit:       {"deposit", func() Body { return new(Deposit) }},
	KindWithdrawal:    {"withdrawal", func() Body { return new(Withdrawal) }},
	KindTransfer:      {"transfer", func() Body { return new(Transfer) }},
	KindReturned:      {"returned", func() Body { return new(Returned) }},
	KindCollected:     {"collected", func() Body { return new(Collected) }},
	KindTally:         {"tally", func() Body { return new(Tally) }},
	KindStatement:     {"statement", func() Body { return new(Statement) }},
	KindDebit:         {"debit", func() Body { return new(Debit) }},
	KindStop:          {"stop", func() Body { return new(Stop) }},
	KindReprint:       {"reprint", func() Body { return new(Reprint) }},
	KindNotice:        {"notice", func() Body { return new(Notice) }},
	KindErasure:       {"erasure", func() Body { return new(Erasure) }},
	KindRetraction:    {"retraction", func() Body { return new(Retraction) }},
}

// body returns a new body of kind k, or nil.
func (k Kind) body() Body {
	if k < KindKey || int(k) >= len(recordKinds) {
		return nil
	}
	return recordKinds[k].body()
}

// String is the name of the kind in the format's documentation: "sale".
func (k Kind) String() string {
	if k < KindKey || int(k) >= len(recordKinds) {
		return fmt.Sprintf("kind %d", uint8(k))
	}
	return recordKinds[k].name
}

// appendSale writes a sale by hand: it is the hot record, and this is four
// times as fast as reflection. Tests hold it to the general encoder.
func appendSale(dst []byte, at int64, s *Sale) []byte {
	dst = append(dst, cborArray|3, byte(KindSale))
	dst = appendHead(dst, cborUint, uint64(at))
	fields := byte(10)
	if len(s.Tables) == 0 {
		fields--
	}
	if s.Jackpot != 0 {
		fields++
	}
	if len(s.Letters) > 0 {
		fields++
	}
	dst = append(dst, cborMap|fields)
	dst = appendBytes(append(dst, 1), s.Command[:])
	dst = appendBytes(append(dst, 2), s.Outlet[:])
	dst = appendBytes(append(dst, 3), s.Terminal[:])
	dst = appendBytes(append(dst, 4), s.Rules[:])
	dst = appendHead(append(dst, 5), cborArray, uint64(len(s.Plays)))
	for _, p := range s.Plays {
		dst = append(dst, cborArray|2)
		dst = appendLists(dst, p.Picks)
		dst = appendLists(dst, p.Random)
	}
	dst = appendHead(append(dst, 6), cborUint, s.Units)
	dst = appendHead(append(dst, 7), cborUint, s.Asked)
	dst = appendList(append(dst, 8), s.Draws)
	if len(s.Tables) > 0 {
		dst = appendList(append(dst, 9), s.Tables)
	}
	dst = appendHead(append(dst, 10), cborUint, uint64(s.Price))
	if s.Jackpot != 0 {
		dst = appendHead(append(dst, 11), cborUint, uint64(s.Jackpot))
	}
	if len(s.Letters) > 0 {
		dst = appendList(append(dst, 12), s.Letters)
	}
	return dst
}

func appendLists(dst []byte, lists [][]uint16) []byte {
	dst = appendHead(dst, cborArray, uint64(len(lists)))
	for _, l := range lists {
		dst = appendList(dst, l)
	}
	return dst
}

func appendList[T uint16 | uint64](dst []byte, list []T) []byte {
	dst = appendHead(dst, cborArray, uint64(len(list)))
	for _, n := range list {
		dst = appendHead(dst, cborUint, uint64(n))
	}
	return dst
}

func appendBytes(dst, b []byte) []byte {
	return append(appendHead(dst, cborBytes, uint64(len(b))), b...)
}

// Major types of CBOR (RFC 8949 §3.1), in the place that they have in a head.
const (
	cborUint  = 0 << 5
	cborBytes = 2 << 5
	cborArray = 4 << 5
	cborMap   = 5 << 5
)

// appendHead appends the shortest head of a major type and its argument
// (RFC 8949 §3, §4.2.1).
func appendHead(dst []byte, major byte, n uint64) []byte {
	switch {
	case n < 24:
		return append(dst, major|byte(n))
	case n < 1<<8:
		return append(dst, major|24, byte(n))
	case n < 1<<16:
		return append(dst, major|25, byte(n>>8), byte(n))
	case n < 1<<32:
		return append(dst, major|26, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
	}
	return append(dst, major|27, byte(n>>56), byte(n>>48), byte(n>>40), byte(n>>32),
		byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
}

// must returns v: the options above are constants and cannot be refused.
func must[T any](v T, err error) T {
	assert(err == nil, "cbor options")
	return v
}

func assert(ok bool, what string) {
	if !ok {
		panic("journal: " + what)
	}
}

// isNil tells a body that says nothing: nil, or a nil pointer.
func isNil(b Body) bool {
	v := reflect.ValueOf(b)
	return !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil()
}
