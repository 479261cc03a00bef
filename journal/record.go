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
	KindProposal      Kind = 17
	KindDecision      Kind = 18
	KindMove          Kind = 19
	KindCancelDraw    Kind = 20
	KindRefund        Kind = 21
	KindExtension     Kind = 22
	KindExpiry        Kind = 23
	KindBook          Kind = 24
	KindSecrets       Kind = 25
	KindPool          Kind = 26
	KindOpenPool      Kind = 27
	KindUnit          Kind = 28
	KindClosePool     Kind = 29
	KindLaunch        Kind = 30
	KindSuspend       Kind = 31
	KindPlayer        Kind = 32
	KindPlayerChange  Kind = 33
	KindVoucher       Kind = 34
	KindDeposit       Kind = 35
	KindWithdrawal    Kind = 36
	KindTransfer      Kind = 37
	KindReturned      Kind = 38
	KindCollected     Kind = 39
	KindTally         Kind = 40
	KindStatement     Kind = 41
	KindDebit         Kind = 42
	KindStop          Kind = 43
	KindReprint       Kind = 44
	KindNotice        Kind = 45
	KindErasure       Kind = 46
	KindRetraction    Kind = 47
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

// Party is the random id of an outlet, terminal, officer or player. Zero: the system itself.
type Party [8]byte

// Key is a key that the system signs, seals or derives with. Public is empty for a secret key.
type Key struct {
	Use    string `cbor:"1,keyasint"`           // "log", "games", "tickets", "sealing", "beacon", "answers"
	ID     []byte `cbor:"2,keyasint"`           // first 8 bytes of the SHA-256 of the public key, or of HMAC(key, "key id")
	Public []byte `cbor:"3,keyasint,omitempty"` // of "beacon": the end of the chain
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
	Centre      bool         `cbor:"9,keyasint,omitempty"`  // a payment centre
	Cause       string       `cbor:"10,keyasint,omitempty"` // why the system blocked it: "unpaid"
	Reason      []byte       `cbor:"11,keyasint,omitempty"` // SHA-256(salt ‖ reason of the officer), both private
	Decision    uint64       `cbor:"12,keyasint,omitempty"` // of two officers, by which its credit limit is raised
}

// Terminal is a terminal of an outlet as it stands from now on. Its device key is private.
type Terminal struct {
	Command   Command `cbor:"1,keyasint"`
	By        Party   `cbor:"2,keyasint"`
	ID        Party   `cbor:"3,keyasint"`
	Outlet    Party   `cbor:"4,keyasint"`
	Renewed   uint64  `cbor:"5,keyasint,omitempty"` // how often it was given a new key
	Withdrawn bool    `cbor:"6,keyasint,omitempty"` // it signs on no more, for good
	Reason    []byte  `cbor:"7,keyasint,omitempty"` // of a change: SHA-256(salt ‖ reason of the officer), both private
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
	Jackpot  money.Amount `cbor:"11,keyasint,omitempty"` // what the jackpot is at least in the one draw, where that is known
	Letters  []uint16     `cbor:"12,keyasint,omitempty"` // of the boards on their slip, from 1 (A), ascending; empty: 1, 2, 3 …
}

// LetterMax is the last letter of a board: Z.
const LetterMax = 26

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
	Times uint64     `cbor:"4,keyasint,omitempty"` // the multiplier, in games that draw one
}

// Settlement is the prizes of a draw.
type Settlement struct {
	Draw   uint64       `cbor:"1,keyasint"`
	Parts  uint64       `cbor:"2,keyasint"`
	Stakes money.Amount `cbor:"3,keyasint"`
	Shares []Share      `cbor:"4,keyasint"` // by table and tier
	// Jackpot is its movement, in games that have one.
	Jackpot *Jackpot `cbor:"5,keyasint,omitempty"`
	// Prizes are the totals of the shares once more, by last draw.
	Prizes []PrizeLine `cbor:"6,keyasint"`
}

// Jackpot is the movement of a game's jackpot in the settlement of a draw:
// Before + TopUp + Contribution = Paid + Rest + After.
type Jackpot struct {
	Before       money.Amount `cbor:"1,keyasint"`           // carried into the draw
	TopUp        money.Amount `cbor:"2,keyasint"`           // from the guarantee, up to the minimum
	Contribution money.Amount `cbor:"3,keyasint"`           // this draw's share, with what was carried below the cent
	Carried      [2]uint64    `cbor:"4,keyasint"`           // what is carried below the cent now, as numerator and denominator of a cent
	End          string       `cbor:"5,keyasint"`           // "won", "rolled-down", "carried", "reserve"
	Extra        string       `cbor:"6,keyasint,omitempty"` // of an extra draw: "kept" or "rolled-down"; "ceiling" without one
	Tier         uint64       `cbor:"7,keyasint,omitempty"` // that it rolled down to, as an index
	Paid         money.Amount `cbor:"8,keyasint"`           // to winners
	Rest         money.Amount `cbor:"9,keyasint"`           // to the reserve
	After        money.Amount `cbor:"10,keyasint"`          // into the next draw
}

// Share is a tier of a prize table with winners.
type Share struct {
	_         struct{} `cbor:",toarray"`
	Table     uint64
	Tier      uint64
	Winners   uint64
	Units     uint64
	UnitValue money.Amount
	Total     money.Amount
}

// PrizeLine is what the tickets win whose last planned draw is LastDraw.
type PrizeLine struct {
	_        struct{} `cbor:",toarray"`
	LastDraw uint64
	Prizes   money.Amount
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
	Back     []PaymentDraw `cbor:"7,keyasint,omitempty"`  // stakes of cancelled draws given back
	Payee    []byte        `cbor:"8,keyasint,omitempty"`  // SHA-256(salt ‖ who was paid), both private, where that is asked
	Decision uint64        `cbor:"9,keyasint,omitempty"`  // of two officers, that paid a ticket which was lost or damaged; then no terminal did
	Own      bool          `cbor:"10,keyasint,omitempty"` // the outlet that pays has sold the ticket too
}

// PaymentDraw is what a payment pays for one draw.
type PaymentDraw struct {
	_      struct{} `cbor:",toarray"`
	Draw   uint64
	Amount money.Amount
}

// Received is money received from an outlet; below 0, money that two officers paid to it.
type Received struct {
	Command  Command      `cbor:"1,keyasint"` // none when a decision of two officers pays
	By       Party        `cbor:"2,keyasint"`
	Outlet   Party        `cbor:"3,keyasint"`
	Amount   money.Amount `cbor:"4,keyasint"`
	Decision uint64       `cbor:"5,keyasint,omitempty"`
}

// Act is any other act of an officer: "confirm-clock", "change-password", "read-payee",
// and the one of a terminal: "give-up", with the hash of the command that it gave up.
type Act struct {
	Command Command `cbor:"1,keyasint"`
	By      Party   `cbor:"2,keyasint"`
	Act     string  `cbor:"3,keyasint"`
	Subject string  `cbor:"4,keyasint,omitempty"`
}

// The most that a proposal may hold: what it does is done in one turn, and more
// can be proposed in another.
const (
	ProposalDrawsMax  = 1000 // draws; a longer session takes several proposals
	ProposalReasonMax = 1000 // bytes of the reason
)

// Proposal is an act that moves draws or money, makes an officer, resumes a game or closes a pool, proposed by one officer. It
// takes effect when another approves it; its index names it.
type Proposal struct {
	Command Command  `cbor:"1,keyasint"`
	By      Party    `cbor:"2,keyasint"`
	Act     string   `cbor:"3,keyasint"`            // "postpone", "close", "cancel-draw", "extend-claims", "make-officer", "resume-game", "pay-ticket", "lift-stop", "pay-outlet", "receive", "raise-limit", "close-pool"
	Draws   []uint64 `cbor:"4,keyasint,omitempty"`  // of "postpone", "close" and "cancel-draw"; of "pay-ticket": those that it pays
	Shift   int64    `cbor:"5,keyasint,omitempty"`  // of "postpone": by how many µs
	Game    string   `cbor:"6,keyasint,omitempty"`  // of "extend-claims" and "resume-game"
	From    int32    `cbor:"7,keyasint,omitempty"`  // claims that would end on the days from here
	To      int32    `cbor:"8,keyasint,omitempty"`  // to here, inclusive,
	Until   int32    `cbor:"9,keyasint,omitempty"`  // end on this day
	Reason  string   `cbor:"10,keyasint"`           // empty where ReasonHash stands for it
	Ticket  uint64   `cbor:"12,keyasint,omitempty"` // of "pay-ticket" and "lift-stop"
	Outlet  string   `cbor:"13,keyasint,omitempty"` // of "pay-ticket": id of the payment centre; of "pay-outlet", "receive" and "raise-limit": of the outlet
	Payee   []byte   `cbor:"14,keyasint,omitempty"` // of "pay-ticket": as in the payment

	ReasonHash []byte `cbor:"15,keyasint,omitempty"` // of "pay-ticket" and "lift-stop": SHA-256(salt ‖ reason), of "make-officer" SHA-256(salt ‖ login ‖ line feed ‖ reason), all private

	Amount money.Amount `cbor:"16,keyasint,omitempty"` // of "pay-outlet" and "receive"; of "pay-ticket": what it pays; of "raise-limit": the limit

	Pool uint64 `cbor:"17,keyasint,omitempty"` // of "close-pool"
}

// Decision approves or rejects a proposal. The records of an approved act
// follow it in the same turn.
type Decision struct {
	Command  Command `cbor:"1,keyasint"`
	By       Party   `cbor:"2,keyasint"`
	Proposal uint64  `cbor:"3,keyasint"`
	Approved bool    `cbor:"4,keyasint,omitempty"`
}

// Move gives a draw new times, before its close: it postpones it, or closes its sales early.
type Move struct {
	Draw     uint64 `cbor:"1,keyasint"`
	Decision uint64 `cbor:"2,keyasint"` // index of the record that approved it
	ClosesAt int64  `cbor:"3,keyasint"`
	DrawsAt  int64  `cbor:"4,keyasint"`
	Early    bool   `cbor:"5,keyasint,omitempty"` // closes early: DrawsAt stays
}

// CancelDraw cancels a draw: its stakes are given back.
type CancelDraw struct {
	Draw     uint64 `cbor:"1,keyasint"`
	Decision uint64 `cbor:"2,keyasint"`
}

// Refund books the stakes of a cancelled draw as money to give back.
type Refund struct {
	Draw  uint64       `cbor:"1,keyasint"`
	Parts uint64       `cbor:"2,keyasint"`
	Lines []RefundLine `cbor:"3,keyasint"` // by last draw
}

// RefundLine is the stakes of the tickets whose last planned draw is LastDraw.
type RefundLine struct {
	_        struct{} `cbor:",toarray"`
	LastDraw uint64
	Stakes   money.Amount
}

// Extension moves the end of claims: those of Game that would end on the days
// From to To, inclusive, end on Until.
type Extension struct {
	Decision uint64 `cbor:"1,keyasint"`
	Game     string `cbor:"2,keyasint"`
	From     int32  `cbor:"3,keyasint"`
	To       int32  `cbor:"4,keyasint"`
	Until    int32  `cbor:"5,keyasint"`
}

// Expiry ends the claims on tickets whose last planned draw is LastDraw: what
// was not claimed goes to the reserve of the game.
type Expiry struct {
	LastDraw uint64       `cbor:"1,keyasint"`
	Prizes   money.Amount `cbor:"2,keyasint"`
	Back     money.Amount `cbor:"3,keyasint,omitempty"` // stakes of cancelled draws not claimed
}

// The most that a record of instant games or players may list.
const (
	SecretsMax   = 1000 // secrets of pools
	TransfersMax = 5000 // withdrawals
)

// Book is a rule book that is not of a draw game, in force from a day.
type Book struct {
	Command  Command  `cbor:"1,keyasint"`
	By       Party    `cbor:"2,keyasint"`
	Sort     string   `cbor:"3,keyasint"` // "instant": an instant game; "accounts": the accounts of players; "outlets": the terms of outlets
	Code     string   `cbor:"4,keyasint"` // of the game; "accounts", "outlets"
	Version  string   `cbor:"5,keyasint"`
	FirstDay int32    `cbor:"6,keyasint"` // days since 1970-01-01
	Hash     [32]byte `cbor:"7,keyasint"`
	Book     []byte   `cbor:"8,keyasint"` // the YAML
}

// Secrets commits an officer's secrets for pools to come of a game and price,
// one each, from pool number First on. A pool is built from those of two
// officers and the round of the beacon that it has had since the second: Round
// is that of the first pool that this record completes, and those that it
// completes after it have the next ones.
type Secrets struct {
	Command Command      `cbor:"1,keyasint"`
	By      Party        `cbor:"2,keyasint"`
	Game    string       `cbor:"3,keyasint"`
	Price   money.Amount `cbor:"4,keyasint"`
	First   uint64       `cbor:"5,keyasint"`
	Hashes  [][32]byte   `cbor:"6,keyasint"` // SHA-256("tirage pool secret" ‖ 0 ‖ secret)
	Round   uint64       `cbor:"7,keyasint,omitempty"`
}

// Pool commits a pool (bloc) that was built and recounted: nothing of it can change any more.
type Pool struct {
	ID     uint64       `cbor:"1,keyasint"` // counts all pools, from 1
	Game   string       `cbor:"2,keyasint"`
	Price  money.Amount `cbor:"3,keyasint"`
	Number uint64       `cbor:"4,keyasint"` // among the pools of its game and price, from 1
	Book   [32]byte     `cbor:"5,keyasint"` // rule book
	Hashes [2][32]byte  `cbor:"6,keyasint"` // of its two secrets, in the order committed
	Round  uint64       `cbor:"7,keyasint"`
	Beacon [32]byte     `cbor:"8,keyasint"` // value of the round
	Units  uint64       `cbor:"9,keyasint"`
	Root   [32]byte     `cbor:"10,keyasint"` // RFC 6962 root over its units (docs/instant.md)
}

// OpenPool begins the sale of a pool, after those before it.
type OpenPool struct {
	Pool uint64 `cbor:"1,keyasint"`
}

// Unit is a unit of a pool (unité de jeu) played: its stake is debited, its
// prize credited, and it is opened.
type Unit struct {
	Command  Command      `cbor:"1,keyasint"`
	Player   Party        `cbor:"2,keyasint"`
	Pool     uint64       `cbor:"3,keyasint"`
	N        uint64       `cbor:"4,keyasint"` // place in the pool, from 0: units are sold in order
	Price    money.Amount `cbor:"5,keyasint"`
	Prize    money.Amount `cbor:"6,keyasint"`
	Seed     [32]byte     `cbor:"7,keyasint"` // of its board
	Salt     [16]byte     `cbor:"8,keyasint"`
	Previous uint64       `cbor:"9,keyasint"` // the record before it that tells of this player
}

// ClosePool ends a pool, tells what was not sold, and publishes its secrets.
type ClosePool struct {
	Pool    uint64      `cbor:"1,keyasint"`
	Cause   string      `cbor:"2,keyasint"` // "sold-out", "policy", "withdrawn", "officers"
	Sold    uint64      `cbor:"3,keyasint"`
	Left    []LeftLine  `cbor:"4,keyasint"` // by prize, descending; losing units last
	Secrets [2][32]byte `cbor:"5,keyasint"`
	// Balance is its stakes less its prizes, which go to the margin of the game:
	// below 0 when more was won than staked.
	Balance int64 `cbor:"6,keyasint"`
	// Decision is the record that approved the close, of "officers".
	Decision uint64 `cbor:"7,keyasint,omitempty"`
}

// LeftLine is how many units with a prize were not sold.
type LeftLine struct {
	_     struct{} `cbor:",toarray"`
	Prize money.Amount
	Units uint64
}

// Launch opens an instant game to its players, for the first time or again.
type Launch struct {
	Command  Command `cbor:"1,keyasint"` // none when a decision of two officers launches it
	By       Party   `cbor:"2,keyasint"`
	Game     string  `cbor:"3,keyasint"`
	Decision uint64  `cbor:"4,keyasint,omitempty"`
}

// Suspend suspends an instant game, with what its players are told.
type Suspend struct {
	Command Command `cbor:"1,keyasint"` // none when the guard suspends
	By      Party   `cbor:"2,keyasint"`
	Game    string  `cbor:"3,keyasint"`
	Cause   string  `cbor:"4,keyasint"` // "officer", "guard"
	FR      string  `cbor:"5,keyasint,omitempty"`
	EN      string  `cbor:"6,keyasint,omitempty"`
}

// Player is a player's account. Who he is stands in no record.
type Player struct {
	Command Command `cbor:"1,keyasint"`
	ID      Party   `cbor:"2,keyasint"`
	Terms   string  `cbor:"3,keyasint"` // version of the rules of accounts that he accepted
}

// PlayerChange is a change of what a player may do.
type PlayerChange struct {
	Command  Command      `cbor:"1,keyasint"`
	By       Party        `cbor:"2,keyasint"` // the officer; zero: the player himself
	Player   Party        `cbor:"3,keyasint"`
	What     string       `cbor:"4,keyasint"`           // a party.ChangeKind
	Amount   money.Amount `cbor:"5,keyasint,omitempty"` // of limits; 0: none
	Until    int64        `cbor:"6,keyasint,omitempty"` // µs: end of a pause or exclusion; of limits, from when
	Terms    string       `cbor:"7,keyasint,omitempty"`
	Reason   []byte       `cbor:"8,keyasint,omitempty"` // SHA-256(salt ‖ reason), both private
	Previous uint64       `cbor:"9,keyasint"`
}

// Voucher is a deposit voucher sold by an outlet; its index is its number.
type Voucher struct {
	Command  Command      `cbor:"1,keyasint"`
	Outlet   Party        `cbor:"2,keyasint"`
	Terminal Party        `cbor:"3,keyasint"`
	Amount   money.Amount `cbor:"4,keyasint"`
}

// Deposit is money on a player's account (versement).
type Deposit struct {
	Command   Command      `cbor:"1,keyasint"`
	Player    Party        `cbor:"2,keyasint"`
	Means     string       `cbor:"3,keyasint"` // "voucher", "demo", "card/PROVIDER"
	Reference [32]byte     `cbor:"4,keyasint"` // of what was paid with, once: SHA-256 of the voucher's number or of the provider's reference
	Voucher   uint64       `cbor:"5,keyasint,omitempty"`
	Amount    money.Amount `cbor:"6,keyasint"`
	Previous  uint64       `cbor:"7,keyasint"`
}

// Withdrawal is money that a player asked to have paid out (retrait): it leaves his balance.
type Withdrawal struct {
	Command  Command      `cbor:"1,keyasint"`
	Player   Party        `cbor:"2,keyasint"`
	Amount   money.Amount `cbor:"3,keyasint"`
	To       [32]byte     `cbor:"4,keyasint"` // SHA-256(salt ‖ IBAN), both private
	Previous uint64       `cbor:"5,keyasint"`
}

// States of withdrawals: in a payment file, and paid by the bank.
const (
	TransferSent = "sent"
	TransferPaid = "paid"
)

// Transfer moves withdrawals on: into a payment file, or paid by the bank.
type Transfer struct {
	Command     Command      `cbor:"1,keyasint"`
	By          Party        `cbor:"2,keyasint"`
	Withdrawals []uint64     `cbor:"3,keyasint"`
	State       string       `cbor:"4,keyasint"` // [TransferSent] or [TransferPaid]
	Amount      money.Amount `cbor:"5,keyasint"` // of all
}

// Returned is a withdrawal that the bank did not pay: the player has it back.
type Returned struct {
	Command    Command      `cbor:"1,keyasint"` // of several returned by one command, the first has it
	By         Party        `cbor:"2,keyasint"`
	Withdrawal uint64       `cbor:"3,keyasint"`
	Player     Party        `cbor:"4,keyasint"`
	Amount     money.Amount `cbor:"5,keyasint"`
	Previous   uint64       `cbor:"6,keyasint"`
}

// Collected is money received from a provider of card payments.
type Collected struct {
	Command  Command      `cbor:"1,keyasint"`
	By       Party        `cbor:"2,keyasint"`
	Provider string       `cbor:"3,keyasint"`
	Amount   money.Amount `cbor:"4,keyasint"`
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

// Kind is the number of the record type.
func (*Proposal) Kind() Kind { return KindProposal }

// Kind is the number of the record type.
func (*Decision) Kind() Kind { return KindDecision }

// Kind is the number of the record type.
func (*Move) Kind() Kind { return KindMove }

// Kind is the number of the record type.
func (*CancelDraw) Kind() Kind { return KindCancelDraw }

// Kind is the number of the record type.
func (*Refund) Kind() Kind { return KindRefund }

// Kind is the number of the record type.
func (*Extension) Kind() Kind { return KindExtension }

// Kind is the number of the record type.
func (*Expiry) Kind() Kind { return KindExpiry }

// Kind is the number of the record type.
func (*Book) Kind() Kind { return KindBook }

// Kind is the number of the record type.
func (*Secrets) Kind() Kind { return KindSecrets }

// Kind is the number of the record type.
func (*Pool) Kind() Kind { return KindPool }

// Kind is the number of the record type.
func (*OpenPool) Kind() Kind { return KindOpenPool }

// Kind is the number of the record type.
func (*Unit) Kind() Kind { return KindUnit }

// Kind is the number of the record type.
func (*ClosePool) Kind() Kind { return KindClosePool }

// Kind is the number of the record type.
func (*Launch) Kind() Kind { return KindLaunch }

// Kind is the number of the record type.
func (*Suspend) Kind() Kind { return KindSuspend }

// Kind is the number of the record type.
func (*Player) Kind() Kind { return KindPlayer }

// Kind is the number of the record type.
func (*PlayerChange) Kind() Kind { return KindPlayerChange }

// Kind is the number of the record type.
func (*Voucher) Kind() Kind { return KindVoucher }

// Kind is the number of the record type.
func (*Deposit) Kind() Kind { return KindDeposit }

// Kind is the number of the record type.
func (*Withdrawal) Kind() Kind { return KindWithdrawal }

// Kind is the number of the record type.
func (*Transfer) Kind() Kind { return KindTransfer }

// Kind is the number of the record type.
func (*Returned) Kind() Kind { return KindReturned }

// Kind is the number of the record type.
func (*Collected) Kind() Kind { return KindCollected }
