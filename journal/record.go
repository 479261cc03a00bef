// Package journal is the one log of facts: what records there are, their
// bytes, the Merkle tree over them, and its tiles, checkpoints and proofs.
//
// Who sells, draws and pays could also change what was sold and drawn. The
// journal takes that away: every fact is a [Record], whose bytes [Encode] makes
// in one way only and [Decode] accepts in no other; records are only ever
// appended to a tree ([Frontier], [Tiler]); its root is signed and published
// ([Checkpoint]). Whoever has a checkpoint can have any record proven to be in
// it ([ProveInclusion]), and any later checkpoint to contain it
// ([ProveConsistency]).
//
// The forms are those of C2SP (tlog-tiles, tlog-checkpoint, signed-note,
// tlog-proof), so the tools of other logs read this one. The package is pure:
// it reads no storage but through a [TileReader]. Start with docs/journal.md,
// which is the format, then record.go.
package journal

import "tirage/money"

// Hash is an RFC 6962 hash (SHA-256) of a leaf or node.
type Hash [32]byte

// Kind numbers a record type. The numbers are part of the format.
type Kind uint8

const (
	KindKey           Kind = 1
	KindOfficer       Kind = 2
	KindRules         Kind = 3
	KindOutlet        Kind = 4
	KindTerminal      Kind = 5
	KindPlan          Kind = 6
	KindOpen          Kind = 7
	KindSale          Kind = 8
	KindCancellation  Kind = 9
	KindClose         Kind = 10
	KindResult        Kind = 11
	KindSettlement    Kind = 12
	KindCertification Kind = 13
	KindPayment       Kind = 14
	KindReceived      Kind = 15
	KindAct           Kind = 16
)

// Body is what a record says.
type Body interface{ Kind() Kind }

// Record is one fact: in bytes, the deterministic CBOR (RFC 8949 §4.2) of
// [kind, at, body], body being a map with integer keys. At is the time of the
// turn, in µs UTC since 1970.
type Record struct {
	At   int64
	Body Body
}

// Command is the first 16 bytes of the SHA-256 of scope ‖ 0 ‖ key: it ties a record to the command that made it.
type Command [16]byte

// Party is the random id of an outlet, terminal or officer. Zero: the system itself.
type Party [8]byte

// Key is a key that the system signs, seals or derives with. Public is empty for a secret key.
type Key struct {
	Use    string `cbor:"1,keyasint"` // "log", "games", "tickets", "sealing"
	ID     []byte `cbor:"2,keyasint"` // first 8 bytes of the SHA-256 of the public key, or of HMAC(key, "key id")
	Public []byte `cbor:"3,keyasint,omitempty"`
}

// Officer is an officer who may act from now on.
type Officer struct {
	Command Command  `cbor:"1,keyasint"`
	By      Party    `cbor:"2,keyasint"`
	ID      Party    `cbor:"3,keyasint"`
	Roles   []string `cbor:"4,keyasint"`
}

// Rules is a rule book in force from a draw day.
type Rules struct {
	Command  Command  `cbor:"1,keyasint"`
	By       Party    `cbor:"2,keyasint"`
	Game     string   `cbor:"3,keyasint"`
	Version  string   `cbor:"4,keyasint"`
	FirstDay int32    `cbor:"5,keyasint"` // days since 1970-01-01
	Hash     [32]byte `cbor:"6,keyasint"`
	Book     []byte   `cbor:"7,keyasint"` // the YAML
}

// Outlet is an outlet as it stands from now on.
type Outlet struct {
	Command     Command      `cbor:"1,keyasint"`
	By          Party        `cbor:"2,keyasint"`
	ID          Party        `cbor:"3,keyasint"`
	Number      uint64       `cbor:"4,keyasint"`
	Territory   string       `cbor:"5,keyasint"`
	Zone        string       `cbor:"6,keyasint"`
	CreditLimit money.Amount `cbor:"7,keyasint"`
	Blocked     bool         `cbor:"8,keyasint,omitempty"`
}

// Terminal is a terminal of an outlet. Its device key is private.
type Terminal struct {
	Command Command `cbor:"1,keyasint"`
	By      Party   `cbor:"2,keyasint"`
	ID      Party   `cbor:"3,keyasint"`
	Outlet  Party   `cbor:"4,keyasint"`
}

// Plan is the draws of one session.
type Plan struct {
	Game    string     `cbor:"1,keyasint"`
	Rules   [32]byte   `cbor:"2,keyasint"`
	Day     int32      `cbor:"3,keyasint"`
	Session uint64     `cbor:"4,keyasint"`
	OpensAt int64      `cbor:"5,keyasint"`
	Draws   []PlanDraw `cbor:"6,keyasint"`
}

// PlanDraw is a draw of a plan.
type PlanDraw struct {
	_        struct{} `cbor:",toarray"`
	ID       uint64
	Number   uint64
	ClosesAt int64
	DrawsAt  int64
}

// Open opens the sales of draws.
type Open struct {
	Draws []uint64 `cbor:"1,keyasint"`
}

// Play is one board as sold: elements by matrix, 1-based, ascending.
type Play struct {
	_      struct{} `cbor:",toarray"`
	Picks  [][]uint16
	Random [][]uint16 // those that a quick pick drew; empty when none
}

// Sale is a ticket sold; its index is the ticket's number.
type Sale struct {
	Command  Command      `cbor:"1,keyasint"`
	Outlet   Party        `cbor:"2,keyasint"`
	Terminal Party        `cbor:"3,keyasint"`
	Rules    [32]byte     `cbor:"4,keyasint"`
	Plays    []Play       `cbor:"5,keyasint"`
	Units    uint64       `cbor:"6,keyasint"` // unit stakes per combination and draw
	Asked    uint64       `cbor:"7,keyasint"`
	Draws    []uint64     `cbor:"8,keyasint"`
	Tables   []uint64     `cbor:"9,keyasint,omitempty"` // prize table by draw; empty: all 0
	Price    money.Amount `cbor:"10,keyasint"`
}

// Cancellation takes a sale back; it repeats what it removes.
type Cancellation struct {
	Command  Command      `cbor:"1,keyasint"`
	Outlet   Party        `cbor:"2,keyasint"`
	Terminal Party        `cbor:"3,keyasint"`
	Ticket   uint64       `cbor:"4,keyasint"`
	Rules    [32]byte     `cbor:"5,keyasint"`
	Plays    []Play       `cbor:"6,keyasint"`
	Units    uint64       `cbor:"7,keyasint"`
	Draws    []uint64     `cbor:"8,keyasint"`
	Price    money.Amount `cbor:"9,keyasint"`
}

// Close ends the sales of a draw.
type Close struct {
	Draw      uint64       `cbor:"1,keyasint"`
	Wagers    uint64       `cbor:"2,keyasint"` // tickets sold in it and not cancelled
	Parts     uint64       `cbor:"3,keyasint"`
	Stakes    money.Amount `cbor:"4,keyasint"`
	Cancelled uint64       `cbor:"5,keyasint"` // tickets cancelled
	Root      [32]byte     `cbor:"6,keyasint"` // RFC 6962 root over the leaf hashes of its sales and cancellations, in journal order
}

// Result is what a draw drew: elements by drawn set, in the order drawn.
type Result struct {
	Draw  uint64     `cbor:"1,keyasint"`
	Close uint64     `cbor:"2,keyasint"` // index of its close record
	Sets  [][]uint16 `cbor:"3,keyasint"`
}

// Settlement is the prizes of a draw.
type Settlement struct {
	Draw   uint64       `cbor:"1,keyasint"`
	Parts  uint64       `cbor:"2,keyasint"`
	Stakes money.Amount `cbor:"3,keyasint"`
	Shares []Share      `cbor:"4,keyasint"`
}

// Share is a tier of a prize table for the tickets whose last planned draw is LastDraw.
type Share struct {
	_         struct{} `cbor:",toarray"`
	Table     uint64
	Tier      uint64
	LastDraw  uint64
	Winners   uint64
	Units     uint64
	UnitValue money.Amount
	Total     money.Amount
}

// Certification makes a draw's prizes payable. Control says who agreed: "none" when no control system stands.
type Certification struct {
	Draw    uint64 `cbor:"1,keyasint"`
	Control string `cbor:"2,keyasint"`
}

// Payment pays a ticket's prizes in some of its draws.
type Payment struct {
	Command  Command       `cbor:"1,keyasint"`
	Outlet   Party         `cbor:"2,keyasint"`
	Terminal Party         `cbor:"3,keyasint"`
	Ticket   uint64        `cbor:"4,keyasint"`
	LastDraw uint64        `cbor:"5,keyasint"`
	Draws    []PaymentDraw `cbor:"6,keyasint"`
}

// PaymentDraw is what a payment pays for one draw.
type PaymentDraw struct {
	_      struct{} `cbor:",toarray"`
	Draw   uint64
	Amount money.Amount
}

// Received is money received from an outlet.
type Received struct {
	Command Command      `cbor:"1,keyasint"`
	By      Party        `cbor:"2,keyasint"`
	Outlet  Party        `cbor:"3,keyasint"`
	Amount  money.Amount `cbor:"4,keyasint"`
}

// Act is any other act of an officer: "confirm-clock".
type Act struct {
	Command Command `cbor:"1,keyasint"`
	By      Party   `cbor:"2,keyasint"`
	Act     string  `cbor:"3,keyasint"`
	Subject string  `cbor:"4,keyasint,omitempty"`
}

// Kind is the number of the record type.
func (*Key) Kind() Kind { return KindKey }

// Kind is the number of the record type.
func (*Officer) Kind() Kind { return KindOfficer }

// Kind is the number of the record type.
func (*Rules) Kind() Kind { return KindRules }

// Kind is the number of the record type.
func (*Outlet) Kind() Kind { return KindOutlet }

// Kind is the number of the record type.
func (*Terminal) Kind() Kind { return KindTerminal }

// Kind is the number of the record type.
func (*Plan) Kind() Kind { return KindPlan }

// Kind is the number of the record type.
func (*Open) Kind() Kind { return KindOpen }

// Kind is the number of the record type.
func (*Sale) Kind() Kind { return KindSale }

// Kind is the number of the record type.
func (*Cancellation) Kind() Kind { return KindCancellation }

// Kind is the number of the record type.
func (*Close) Kind() Kind { return KindClose }

// Kind is the number of the record type.
func (*Result) Kind() Kind { return KindResult }

// Kind is the number of the record type.
func (*Settlement) Kind() Kind { return KindSettlement }

// Kind is the number of the record type.
func (*Certification) Kind() Kind { return KindCertification }

// Kind is the number of the record type.
func (*Payment) Kind() Kind { return KindPayment }

// Kind is the number of the record type.
func (*Received) Kind() Kind { return KindReceived }

// Kind is the number of the record type.
func (*Act) Kind() Kind { return KindAct }
